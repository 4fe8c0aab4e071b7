"""Better descriptions, made from the facts when all of them are there."""

from collections import defaultdict

from .text import listing, the


def add_descriptions(ctx):
    kb = ctx.kb
    points, spoken, members = defaultdict(lambda: defaultdict(list)), defaultdict(list), defaultdict(set)
    for entity in kb.entities.values():
        people = _population(entity)
        for prop, value, quals, _ in entity.relations:
            if prop in ("highest_point", "lowest_point"):
                points[value][prop.replace("_", " ")].append(the(entity.label))
            elif prop == "language_used":
                share = float(quals["population_share"][0][0]) if "population_share" in quals else 0
                spoken[value].append((-share * people, entity.label, entity.id))
            elif prop == "member_of" and not quals and "country" in entity.classes:
                members[value].add((-people, the(entity.label)))
    for ident, kinds in points.items():
        entity = kb.entities[ident]
        if entity.description.startswith("geographic point in"):
            entity.description = ", ".join(f"{kind} of {listing(sorted(places, key=lambda p: p.removeprefix('the ')))}" for kind, places in sorted(kinds.items()))
    for ident, places in spoken.items():
        entity = kb.entities[ident]
        if entity.description == "language":
            entity.description = f"language spoken in {_places(kb, sorted(places))}"
    for ident, countries in members.items():
        entity = kb.entities[ident]
        if entity.description in ("international organization", "organization that received the Nobel Peace Prize") and len(countries) > 1:
            # Not "with N members": the source leaves out some (suspended ones, for example).
            names = [label for _, label in sorted(countries)]
            some = listing(names) if len(names) < 4 else f"{names[0]}, {names[1]} and {len(names) - 2} other countries"
            prize = ", received the Nobel Peace Prize" if "Nobel" in entity.description else ""
            entity.description = f"international organization whose members include {some}{prize}"
    for entity in kb.entities.values():
        prizes = sorted((quals["point_in_time"][0]["year"], kb.label(value)) for prop, value, quals, _ in entity.relations
                        if prop == "award_received" and quals.get("point_in_time"))
        if len(prizes) > 1 and entity.description.startswith("laureate of the"):
            born = entity.description.partition(", born ")
            entity.description = "laureate of " + listing(f"the {name} {when}" for when, name in prizes) + born[1] + born[2]


def _places(kb, places):
    """Two places with the most speakers by name, the others by number; territories count only where there is no country."""
    labels = [the(label) for _, label, ident in places if "country" in kb.entities[ident].classes] or [the(label) for _, label, _ in places]
    if len(labels) < 4:
        return listing(labels)
    return f"{labels[0]}, {labels[1]} and {len(labels) - 2} other countries"


def _population(entity):
    """The latest population of a country."""
    found = [(quals["point_in_time"][0].get("year", 0), int(value[0])) for prop, value, quals, _ in entity.attributes
             if prop == "population" and quals.get("point_in_time")]
    return max(found)[1] if found else 1
