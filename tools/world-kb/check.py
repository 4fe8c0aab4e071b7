#!/usr/bin/env python3
"""Draw facts of the built KB at random and look each one up in the raw source package.

    python3 check.py --data DIR --kb ../../crates/world/world.jsonl.zst [--sample 200] [--seed 1]

The look-ups (folder worldcheck) share no code and no tables with the builder: they read the raw files again
and search them in a plain manner. Prints a table by source; exits with 1 if any fact is not found.
"""

import argparse
import json
import random
import sys
from collections import Counter

from worldcheck import factbook, films, geography, politics, science
from worldcheck.raw import KB, Raw

CHECKS = {}
for module in (geography, films, politics, science, factbook):
    CHECKS.update(module.CHECKS)


def read(path):
    import io
    import zstandard
    with open(path, "rb") as handle:
        stream = zstandard.ZstdDecompressor(max_window_size=2 ** 27).stream_reader(handle)
        for line in io.TextIOWrapper(stream, encoding="utf-8"):
            yield json.loads(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder that fetch.py filled")
    parser.add_argument("--kb", required=True, help="the built file")
    parser.add_argument("--sample", type=int, default=200, help="number of facts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-property", type=int, default=0, help="instead: so many facts of every relation and attribute")
    args = parser.parse_args()
    kb = KB(read(args.kb))
    raw = Raw(args.data, kb)
    facts = [(entity, fact) for entity in kb.entities.values() for fact in entity.get("relations", []) + entity.get("attributes", [])]
    rng = random.Random(args.seed)
    if args.per_property:
        groups = {}
        for entity, fact in facts:
            groups.setdefault((fact[0], fact[3]), []).append((entity, fact))
        chosen = [pair for _, group in sorted(groups.items()) for pair in rng.sample(group, min(args.per_property, len(group)))]
    else:
        chosen = rng.sample(facts, min(args.sample, len(facts)))
    right, wrong = Counter(), Counter()
    for entity, (prop, value, quals, source) in chosen:
        text = kb.sources[source]
        lookup = CHECKS.get((text.split()[0], prop))
        try:
            ok = bool(lookup) and lookup(raw, entity, value, quals)
        except (KeyError, IndexError, ValueError, AttributeError, TypeError) as error:
            ok = False
            print(f"  look-up failed: {type(error).__name__}: {error}", file=sys.stderr)
        (right if ok else wrong)[text] += 1
        if not ok:
            shown = kb.entities[value]["label"] if isinstance(value, str) and value in kb.entities else value
            print(f"  not found in {text}: {entity['label']} ({entity['entity']}) | {prop} | {shown} | {quals}")
    print(f"{'source':58}{'checked':>9}{'right':>8}{'wrong':>8}")
    for text in sorted(set(right) | set(wrong)):
        print(f"{text:58}{right[text] + wrong[text]:>9}{right[text]:>8}{wrong[text]:>8}")
    print(f"{'all':58}{len(chosen):>9}{sum(right.values()):>8}{sum(wrong.values()):>8}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
