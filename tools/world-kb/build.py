#!/usr/bin/env python3
"""Build the World KB from the packages that fetch.py unpacked.

    python3 build.py --data DIR --out ../../crates/world/world.jsonl.zst
"""

import argparse
import sys

from worldkb import airports, atlas, cities, cldr, countries, describe, elections, elements, factbook, films, isotopes, leaders, legislators, nobel, series
from worldkb.context import Context
from worldkb.output import write
from worldkb.verify import check, statistics, unique_descriptions

# The order matters: later steps look up what earlier ones made (countries, cities, elements, people).
STEPS = [
    countries.add_countries, atlas.add_atlas, countries.describe_countries, cldr.add_languages, cldr.add_currencies,
    cities.add_divisions, cities.add_cities, atlas.add_capitals, airports.add_airports, airports.add_flights,
    series.add_population, series.add_gapminder, series.add_emissions,
    legislators.add_legislators, nobel.add_nobel, elements.add_elements, isotopes.add_isotopes,
    factbook.add_factbook, factbook.add_areas, leaders.add_leaders, elections.add_elections, films.add_films,
    describe.add_descriptions, cldr.add_endonyms,
]


def build(data):
    ctx = Context(data)
    for step in STEPS:
        before = len(ctx.kb.entities)
        step(ctx)
        print(f"{step.__name__}: +{len(ctx.kb.entities) - before} entities", file=sys.stderr)
    prune(ctx.kb)
    unique_descriptions(ctx.kb)
    return ctx.kb


def prune(kb):
    """Remove entities without any fact that no fact mentions."""
    used = set()
    for entity in kb.entities.values():
        if entity.relations or entity.attributes:
            used.add(entity.id)
        used.update(value for _, value, _, _ in entity.relations)
        for facts in (entity.relations, entity.attributes):
            used.update(v["id"] for _, _, quals, _ in facts for values in quals.values() for v in values if isinstance(v, dict) and "id" in v)
    for ident in [i for i in kb.entities if i not in used]:
        del kb.entities[ident]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder that fetch.py filled")
    parser.add_argument("--out", required=True, help="the file to write")
    parser.add_argument("--level", type=int, default=22, help="zstd level; 22 is what the repository has, 3 is quick")
    args = parser.parse_args()
    kb = build(args.data)
    errors = check(kb)
    for error in errors[:60]:
        print("error:", error, file=sys.stderr)
    if errors:
        raise SystemExit(f"{len(errors)} errors; nothing was written")
    for name, number in statistics(kb).items():
        print(f"{name:24}{number:>10,}")
    size, packed = write(kb, args.out, args.level)
    print(f"{'bytes':24}{size:>10,}\n{'bytes compressed':24}{packed:>10,}")


if __name__ == "__main__":
    main()
