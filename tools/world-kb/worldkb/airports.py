"""Airports with an IATA code (airportsdata) and flights between them (bokeh_sampledata, BTS reports of July 2026)."""

import re
from collections import defaultdict

from .atlas import time_zone
from .cities import find_city
from .countries import country_id
from .model import quantity, ref
from .text import ascii_fold

AIRLINES = {"AA": "American Airlines", "DL": "Delta Air Lines", "UA": "United Airlines", "WN": "Southwest Airlines",
            "B6": "JetBlue Airways", "AS": "Alaska Airlines", "F9": "Frontier Airlines", "G4": "Allegiant Air",
            "OO": "SkyWest Airlines", "MQ": "Envoy Air", "YX": "Republic Airways", "OH": "PSA Airlines"}
SHORT = {"DL": ["Delta"], "UA": ["United"], "WN": ["Southwest"], "B6": ["JetBlue"], "AA": ["American"], "F9": ["Frontier"],
         "G4": ["Allegiant"], "OO": ["SkyWest"]}
# Abbreviations in the source's names.
FIXES = {"Ntl": "National", "Afb": "AFB", "Afb/International": "AFB/International", "Okc": "OKC", "Intl": "International", "Aaf": "AAF"}


# The source of the flights has another code for Palm Beach than the list of airports.
OTHER_CODES = {"DJT": "PBI"}


def add_airports(ctx):
    kb, src = ctx.kb, ctx.source("airportsdata", "airports.csv")
    for row in sorted(ctx.csv("airportsdata", "airportsdata/airports.csv"), key=lambda r: (r["iata"], r["icao"])):
        country, name = country_id(row["country"]), " ".join(row["name"].split())
        if not re.fullmatch(r"[A-Z]{3}", row["iata"]) or country not in kb or len(name) < 3:
            continue
        ident = f"airport/{row['iata']}"
        if ident in kb:
            continue
        fixed = " ".join(FIXES.get(word, word) for word in name.split())
        kb.entity(ident, fixed, "airport", aliases=[re.sub(r"\b([A-Z]) (?=[A-Z][a-z])", r"\1. ", fixed), row["iata"]])
        kb.attr(ident, "iata_code", row["iata"], src)
        if re.fullmatch(r"[A-Z]{4}", row["icao"]):
            kb.attr(ident, "icao_code", row["icao"], src)
        if re.fullmatch(r"-?\d+(\.\d+)?", row["elevation"]):
            kb.attr(ident, "airport_elevation", quantity(row["elevation"], "foot"), src)
        for column, attribute in (("lat", "latitude"), ("lon", "longitude")):
            kb.attr(ident, attribute, quantity(row[column], "degree"), src)
        kb.rel(ident, "located_in_country", country, src)
        division = ctx.division_by_name.get((row["country"], ascii_fold(row["subd"]).lower()))
        if division:
            kb.rel(ident, "located_in_division", division, src)
        if row["tz"]:
            kb.rel(ident, "time_zone", time_zone(ctx, row["tz"]), src)
        # The name of the city is not enough (there are many Springfields): it must be near the airport.
        city = find_city(ctx, row["city"], row["country"], near=(float(row["lat"]), float(row["lon"]))) if row["city"] else None
        if city:
            kb.rel(ident, "serves_city", city, src)
        where = ", ".join([kb.label(part) for part in (city, division, country) if part])
        kb.entities[ident].description = f"airport in {where} ({row['iata']})"


def add_flights(ctx):
    kb, src = ctx.kb, ctx.source("bokeh_sampledata", "routes.csv.gz (BTS)")
    operators = defaultdict(set)
    for row in ctx.csv("bokeh_sampledata", "bokeh_sampledata/_data/routes.csv.gz"):
        origin, target = (f"airport/{OTHER_CODES.get(row[end], row[end])}" for end in ("Source", "Destination"))
        if row["Airline"] in AIRLINES and origin in kb and target in kb and origin != target and row["Stops"] == "0":
            operators[origin, target].add(row["Airline"])
    for (origin, target), codes in sorted(operators.items()):
        refs = []
        for code in sorted(codes):
            airline = kb.entity(f"airline/{code}", AIRLINES[code], "airline", aliases=SHORT.get(code, ()), description="airline of the United States")
            kb.attr(airline, "airline_code", code, src)
            kb.rel(airline, "flies_to", target, src)
            refs.append(ref(airline))
        kb.rel(origin, "direct_flight", target, src, {"operator": refs})
