"""Writes the KB as KB lines, compressed with zstd. The same KB gives the same bytes."""

import json
import os
from pathlib import Path

from . import schema
from .coverage import COVERAGE, SURVEY

# Similar entities stand next to each other, which makes the file smaller.
ORDER = ["continent", "region", "country", "division", "city", "tz", "language", "currency", "climate", "religion", "ethnic",
         "commodity", "government", "org", "point", "sea", "lake", "river", "airline", "airport", "genre", "company",
         "film", "party", "office", "committee", "election", "element", "isotope"]


def _dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _covered(kind, ident):
    """What the schema line says of completeness, and of the year of the facts."""
    coverage, limit, as_of = COVERAGE[kind][ident]
    line = {"coverage": coverage, "limit": limit, "as_of": as_of, "survey": kind != "class" and ident in SURVEY}
    return {key: value for key, value in line.items() if value}


def lines(kb):
    yield _dump({"touchstone_kb": 1, "name": "World", "source": "packages of PyPI, npm and crates.io; see tools/world-kb",
                 "license": "CC BY 4.0, CC BY 3.0 IGO, CC BY 2.0, CC0, MIT and others; see NOTICE",
                 "base": "urn:touchstone:world:", "lang": "en", "sources": kb.sources})
    for ident, label, parents, group, description, aliases in schema.CLASSES:
        line = {"class": ident, "label": label, "parents": parents, "aliases": aliases, "description": description, "group": group}
        yield _dump({k: v for k, v in line.items() if v or k == "class"} | _covered("class", ident))
    for ident, label, domain, range_, inverse, group in schema.RELATIONS:
        line = {"relation": ident, "label": label, "domain": domain, "range": range_, "inverse_label": inverse or label, "group": group}
        if inverse is None:
            line["symmetric"] = True
        yield _dump(line | _covered("relation", ident))
    for ident, label, domain, kind, unit, group in schema.ATTRIBUTES:
        line = {"attribute": ident, "label": label, "domain": domain, "kind": kind, "unit": unit, "group": group}
        yield _dump({k: v for k, v in line.items() if v} | _covered("attribute", ident))
    for ident, label, kind, group in schema.QUALIFIERS:
        yield _dump({"qualifier": ident, "label": label, "kind": kind, "group": group})
    places = {name: index for index, name in enumerate(ORDER)}
    relation_order = {r[0]: i for i, r in enumerate(schema.RELATIONS)}
    attribute_order = {a[0]: i for i, a in enumerate(schema.ATTRIBUTES)}

    def position(entity):
        prefix = entity.id.split("/")[0]
        return places.get(prefix, len(places)), prefix, sort_key(kb, entity), entity.id

    for entity in sorted(kb.entities.values(), key=position):
        line = {"entity": entity.id, "label": entity.label, "aliases": entity.aliases, "description": entity.description,
                "classes": sorted(entity.classes),
                "relations": [list(f) for f in sorted(entity.relations, key=lambda f: (relation_order[f[0]], _dump(f)))],
                "attributes": [list(f) for f in sorted(entity.attributes, key=lambda f: (attribute_order[f[0]], _dump(f)))]}
        yield _dump({k: v for k, v in line.items() if v})


def sort_key(kb, entity):
    """Cities and airports by country and division, so that neighbours share their text."""
    prefix = entity.id.split("/")[0]
    if prefix in ("city", "airport"):
        found = {p: v for p, v, _, _ in entity.relations}
        return found.get("located_in_country", ""), found.get("located_in_division", ""), entity.label
    return "", "", ""


def write(kb, path, level=22):
    import zstandard
    data = "".join(line + "\n" for line in lines(kb)).encode("utf-8")
    # A window of 4 MiB: a larger one saves little and costs every first start the memory to unpack it.
    parameters = zstandard.ZstdCompressionParameters.from_level(
        level, source_size=len(data), window_log=22, write_checksum=True, write_content_size=True)
    packed = zstandard.ZstdCompressor(compression_params=parameters).compress(data)
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(path.name + ".part")
    aside.write_bytes(packed)
    os.replace(aside, path)
    return len(data), len(packed)
