"""The checker of the built KB: schema, domains and ranges, kinds and units, names. The build fails on any error."""

import re
from collections import Counter, defaultdict
from decimal import Decimal

from . import coverage, schema
from .model import backwards
from .text import ascii_fold

DECIMAL = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
GROUPS = {"film", "politics", "geography", "economy", "transport", "chemistry", "science", "general"}


def ancestors():
    """Class -> all classes that contain it, itself included."""
    parents = {c[0]: c[2] for c in schema.CLASSES}

    def up(cls):
        found = {cls}
        for parent in parents[cls]:
            found |= up(parent)
        return found
    return {cls: up(cls) for cls in parents}


def literal_kind(value):
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "quantity"
    if "id" in value:
        return "entity"
    return "boolean" if "bool" in value else "time"


def unique_descriptions(kb):
    """Extend descriptions until no two entities share label and description."""
    for attempt in (_more, _position, _id):
        groups = defaultdict(list)
        for entity in kb.entities.values():
            groups[entity.label, entity.description].append(entity)
        for (label, _), same in sorted(groups.items()):
            if len(same) > 1:
                for entity in same:
                    attempt(kb, entity)


def _more(kb, entity):
    """A fact that tells homonyms apart: a first film, a population, a birth date."""
    for prop, value, _, _ in entity.attributes:
        if prop == "population":
            entity.description += f", population {int(value[0]):,}"
            return
        if prop == "date_of_birth":
            entity.description += f", born {value.get('date') or value.get('year')}"
            return
    if "film" in entity.classes:
        cast = [kb.label(v) for p, v, _, _ in entity.relations if p == "cast_member"]
        origin = [kb.label(v) for p, v, _, _ in entity.relations if p == "country_of_origin"]
        if cast or origin:
            entity.description += f" with {cast[0]}" if cast else f" from {origin[0]}"


def _position(kb, entity):
    found = {p: v[0] for p, v, _, _ in entity.attributes if p in ("latitude", "longitude", "imdb_id", "iata_code")}
    if "latitude" in found:
        entity.description += f" at {found['latitude']}, {found['longitude']}"


def _id(kb, entity):
    entity.description += f" ({entity.id.split('/')[-1]})"


def check(kb):
    """All errors, as text."""
    errors, inside = [], ancestors()
    relations = {r[0]: r for r in schema.RELATIONS}
    attributes = {a[0]: a for a in schema.ATTRIBUTES}
    qualifiers = {q[0]: q for q in schema.QUALIFIERS}
    for table in (schema.CLASSES, schema.RELATIONS, schema.ATTRIBUTES, schema.QUALIFIERS):
        errors += [f"schema: {name} twice" for name, n in Counter(row[0] for row in table).items() if n > 1]
    errors += [f"schema: unknown group in {row}" for row in schema.CLASSES if row[3] not in GROUPS]
    errors += [f"schema: unknown group in {row}" for table in (schema.RELATIONS, schema.ATTRIBUTES, schema.QUALIFIERS)
               for row in table if row[-1] not in GROUPS]
    errors += [f"schema: unknown class in {row}" for row in schema.RELATIONS if row[2] not in inside or row[3] not in inside]
    errors += [f"schema: unknown class in {row}" for row in schema.ATTRIBUTES if row[2] not in inside]

    def member(entity_id, cls):
        return entity_id in kb.entities and any(cls in inside[c] for c in kb.entities[entity_id].classes)

    errors += _coverage(kb) + _elections(kb) + _births(kb)
    used, pairs, names = Counter(), defaultdict(set), set()
    for entity in kb.entities.values():
        if not re.fullmatch(r"[!-~]+", entity.id):
            errors.append(f"{entity.id}: not a plain ASCII id")
        if not entity.label or not entity.description or not entity.classes:
            errors.append(f"{entity.id}: lacks a label, description or class")
        if (entity.label, entity.description) in names:
            errors.append(f"{entity.id}: '{entity.label}', '{entity.description}' is not unique")
        names.add((entity.label, entity.description))
        if re.search(r"<|&\w+;|\ufffd", entity.label + entity.description + "".join(entity.aliases)):
            errors.append(f"{entity.id}: markup in a name: {entity.label}")
        errors += _shares(entity) + _areas(entity)
        for prop, value, quals, source in entity.relations:
            used["relation", prop] += 1
            row = relations.get(prop)
            if row is None:
                errors.append(f"{entity.id}: unknown relation {prop}")
            elif not member(entity.id, row[2]) or not member(value, row[3]):
                errors.append(f"{entity.id} {prop} {value}: outside {row[2]} -> {row[3]}")
            elif row[4] is None:
                pairs[prop].add((entity.id, value))
            errors += _qualifiers(entity.id, prop, quals, qualifiers, kb, used)
        for prop, value, quals, source in entity.attributes:
            used["attribute", prop] += 1
            row = attributes.get(prop)
            if row is None:
                errors.append(f"{entity.id}: unknown attribute {prop}")
            elif not member(entity.id, row[2]):
                errors.append(f"{entity.id} {prop}: outside {row[2]}")
            elif literal_kind(value) != row[3]:
                errors.append(f"{entity.id} {prop} {value}: not a {row[3]}")
            elif row[3] == "quantity" and (not DECIMAL.fullmatch(value[0]) or (value[1:] or [None])[0] != row[4]):
                errors.append(f"{entity.id} {prop} {value}: not exact or not in {row[4]}")
            elif row[3] == "text" and (not value.strip() or value != value.strip()):
                errors.append(f"{entity.id} {prop}: blank text")
            errors += _qualifiers(entity.id, prop, quals, qualifiers, kb, used)
    for prop, found in pairs.items():
        errors += [f"{a} {prop} {b}: the other direction is missing" for a, b in sorted(found) if (b, a) not in found]
    for kind, table in (("relation", relations), ("attribute", attributes), ("qualifier", qualifiers)):
        errors += [f"{kind} {name} is never used" for name in table if not used[kind, name]]
    held = {c for entity in kb.entities.values() for cls in entity.classes for c in inside[cls]}
    errors += [f"class {cls} has no member" for cls in inside if cls not in held]
    return errors


TIMES = {"point_in_time", "start_time", "end_time"}


def _coverage(kb):
    """Each item of the schema has an entry of its own, with a limit where one is due; the year of the data fits the times of the facts."""
    errors = []
    tables = {"class": schema.CLASSES, "relation": schema.RELATIONS, "attribute": schema.ATTRIBUTES}
    for kind, table in tables.items():
        entries, ids = coverage.COVERAGE[kind], [row[0] for row in table]
        errors += [f"coverage: no entry for the {kind} {ident}" for ident in ids if ident not in entries]
        errors += [f"coverage: no {kind} {ident}" for ident in entries if ident not in ids]
        for ident, (cover, limit, as_of) in entries.items():
            if cover not in ("complete", "window", "top", "sample"):
                errors.append(f"coverage: {kind} {ident} is {cover}")
            if bool(limit) != (cover in ("window", "top")):
                errors.append(f"coverage: the limit of the {kind} {ident} is {'superfluous' if limit else 'missing'}")
            if limit and (limit != limit.strip(" .,;?") or "counting" in limit):
                errors.append(f"coverage: the limit of the {kind} {ident} does not fit into a sentence")
            if as_of is not None and (kind == "class" or not re.fullmatch(r"(19|20)\d\d", as_of)):
                errors.append(f"coverage: {as_of} of the {kind} {ident} is not the year of facts")
    properties = {row[0] for kind in ("relation", "attribute") for row in tables[kind]}
    errors += [f"coverage: no relation or attribute {ident} with a survey" for ident in sorted(coverage.SURVEY - properties)]
    timed, dated = set(), {prop: True for prop in properties}
    for entity in kb.entities.values():
        for prop, _, quals, _ in entity.relations + entity.attributes:
            if quals.keys() & TIMES:
                timed.add(prop)
            if "point_in_time" not in quals:
                dated[prop] = False
    errors += [f"coverage: {prop} is of a survey but has no time" for prop in sorted(coverage.SURVEY & properties - timed)]
    for kind in ("relation", "attribute"):
        errors += [f"coverage: {ident} has a time in every fact and needs no year" for ident, (_, _, as_of) in coverage.COVERAGE[kind].items()
                   if as_of and dated.get(ident)]
    return errors


def _elections(kb):
    """Votes of a Senate election fit the turnout of the state, those of the candidates fit the total, and the winner has most of them."""
    errors, turnout = [], defaultdict(Counter)
    for entity in kb.entities.values():
        for prop, value, quals, _ in entity.attributes:
            if prop == "votes_received" and quals["election"][0]["id"].startswith("election/president"):
                turnout[quals["electoral_state"][0]["id"]][quals["point_in_time"][0]["year"]] += int(value[0])
    for entity in kb.entities.values():
        if not entity.id.startswith("election/"):
            continue
        found = {prop: value for prop, value, _, _ in entity.relations + entity.attributes}
        votes = {value: int(quals["votes"][0][0]) for prop, value, quals, _ in entity.relations if prop == "candidate" and "votes" in quals}
        names = [value for prop, value, _, _ in entity.relations if prop == "candidate"]
        total = int(found["total_votes"][0]) if "total_votes" in found else None
        if bool(votes) != (total is not None) or votes and len(votes) < len(names) or sum(votes.values()) > (total or 0):
            errors.append(f"{entity.id}: {sum(votes.values())} votes for the candidates, {total} in all")
        if "winner" in found and found["winner"] not in names:
            errors.append(f"{entity.id}: the winner was no candidate")
        if not entity.id.startswith("election/senate") or total is None:
            continue
        if "winner" in found and votes[found["winner"]] < max(votes.values()):
            errors.append(f"{entity.id}: the winner has fewer votes than another candidate")
        when = found["election_date"]["year"]
        near = [count for year, count in turnout[found["election_place"]].items() if abs(year - when) <= 2]
        if not (0.3 if len(votes) > 1 else 0.2) < total / min(near) < 1.3:
            errors.append(f"{entity.id}: {total} votes do not fit the turnout of the state, {min(near)}")
    return errors


def _births(kb):
    """A place of birth lies in the country of birth, and no other city there (in the United States: in that state) has the same name."""
    errors, cities = [], defaultdict(set)

    def where(entity):
        found = {prop: value for prop, value, _, _ in entity.relations}
        country = found.get("located_in_country")
        return country, found.get("located_in_division") if country == "country/US" else None

    for entity in kb.entities.values():
        if "city" in entity.classes:
            for name in [entity.label, *entity.aliases]:
                cities[where(entity), ascii_fold(name).lower()].add(entity.id)
    for entity in kb.entities.values():
        found = {prop: value for prop, value, _, _ in entity.relations if prop in ("place_of_birth", "country_of_birth")}
        if "place_of_birth" not in found:
            continue
        city = kb.entities[found["place_of_birth"]]
        if found.get("country_of_birth") != where(city)[0]:
            errors.append(f"{entity.id}: born in {city.label}, which is not in the country of birth")
        if len(cities[where(city), ascii_fold(city.label).lower()]) > 1:
            errors.append(f"{entity.id}: born in {city.label}, a name that several cities have")
    return errors


# Decay modes that do not add to the others: what follows a beta decay, and the parts of beta plus decay.
_DELAYED = ("decay/beta-delayed-",)
_PARTS = {"decay/electron-capture", "decay/positron-emission"}


def _shares(entity):
    """The shares of the decay modes of an isotope, if there are any, add up to 100 percent, and all of its independent modes have one."""
    modes = {value: quals.get("branching_fraction") for prop, value, quals, _ in entity.relations if prop == "decay_mode"}
    if not any(modes.values()):
        return []
    parts = _PARTS if "decay/beta-plus-decay" in modes else set()
    alone = {mode: share for mode, share in modes.items() if mode not in parts and not mode.startswith(_DELAYED)}
    if not all(alone.values()) or any(share for mode, share in modes.items() if mode.startswith(_DELAYED)):
        return [f"{entity.id}: a doubtful branching fraction"]
    numbers = [Decimal(share[0][0]) for share in alone.values()]
    if not 99 <= sum(numbers) <= 101 or len(numbers) > 1 and max(numbers) >= 100:
        return [f"{entity.id}: the branching fractions add up to {sum(numbers)} percent"]
    return []


def _areas(entity):
    """Land is not more than all, and land and water are about all."""
    found = {prop: Decimal(value[0]) for prop, value, _, _ in entity.attributes if prop in ("area", "land_area", "water_area")}
    if not found.keys() & {"land_area", "water_area"}:
        return []
    area, land = found.get("area"), found.get("land_area", 0)
    if area is None or land > area or abs(land + found.get("water_area", 0) - area) > area * 3 / 100:
        return [f"{entity.id}: land and water do not fit the area: { {k: str(v) for k, v in found.items()} }"]
    return []


def _qualifiers(ident, prop, quals, table, kb, used):
    errors = []
    if backwards(quals):
        errors.append(f"{ident} {prop} {quals}: the end is before the start")
    for name, values in quals.items():
        used["qualifier", name] += 1
        row = table.get(name)
        if row is None:
            errors.append(f"{ident} {prop}: unknown qualifier {name}")
            continue
        for value in values:
            kind = literal_kind(value)
            if kind != row[2] or kind == "entity" and value["id"] not in kb.entities \
                    or kind == "quantity" and not DECIMAL.fullmatch(value[0]):
                errors.append(f"{ident} {prop} {name} {value}: not a {row[2]}")
    return errors


def statistics(kb):
    facts = [(kind, fact) for e in kb.entities.values() for kind in ("relations", "attributes") for fact in getattr(e, kind)]
    return {
        "entities": len(kb.entities), "relational facts": sum(k == "relations" for k, _ in facts),
        "literal facts": sum(k == "attributes" for k, _ in facts), "facts": len(facts),
        "facts with qualifiers": sum(bool(f[2]) for _, f in facts), "classes": len(schema.CLASSES),
        "relations": len(schema.RELATIONS), "attributes": len(schema.ATTRIBUTES), "qualifiers": len(schema.QUALIFIERS),
    }
