"""Chemical elements (mendeleev)."""

import re

from .model import boolean, quantity, year
from .text import slug

PACKAGE = "mendeleev"

# column, attribute, unit
COLUMNS = [
    ("atomic_number", "atomic_number", None), ("period", "period", None), ("atomic_weight", "atomic_weight", "dalton"),
    ("density", "density", "gram per cubic centimetre"), ("en_pauling", "electronegativity", None),
    ("electron_affinity", "electron_affinity", "electronvolt"), ("atomic_radius", "atomic_radius", "picometre"),
    ("covalent_radius_cordero", "covalent_radius", "picometre"), ("vdw_radius", "van_der_waals_radius", "picometre"),
    ("specific_heat_capacity", "specific_heat", "joule per gram kelvin"), ("thermal_conductivity", "thermal_conductivity", "watt per metre kelvin"),
    ("fusion_heat", "heat_of_fusion", "kilojoule per mole"), ("evaporation_heat", "heat_of_vaporization", "kilojoule per mole"),
    ("abundance_crust", "crust_abundance", "milligram per kilogram"), ("abundance_sea", "sea_abundance", "milligram per litre"),
    ("price_per_kg", "price", "US dollar"),
]
SPELLINGS = {"Al": ["aluminium"], "Cs": ["caesium"], "S": ["sulphur"]}
LATIN = {"W": "wolfram", "Au": "aurum", "Ag": "argentum", "Fe": "ferrum", "Pb": "plumbum", "Na": "natrium", "K": "kalium", "Hg": "hydrargyrum",
         "Sn": "stannum", "Sb": "stibium", "Cu": "cuprum"}
SERIES = {"Nonmetals": "nonmetal", "Noble gases": "noble gas", "Alkali metals": "alkali metal", "Alkaline earth metals": "alkaline earth metal",
          "Metalloids": "metalloid", "Halogens": "halogen", "Poor metals": "post-transition metal", "Transition metals": "transition metal",
          "Lanthanides": "lanthanide", "Actinides": "actinide"}

# The source's spelling of a discoverer -> (name, key of the Nobel laureate who is the same person).
# Only real people; misspellings are corrected. What is not listed (prose, laboratories, teams) is left out.
DISCOVERERS = {
    "Henry Cavendish": ("Henry Cavendish", None), "Sir William Ramsey": ("William Ramsay", "nobel:William Ramsay"), "Sir William Ramsay": ("William Ramsay", "nobel:William Ramsay"),
    "Nils Langet": ("Nils Abraham Langlet", None), "P.T.Cleve": ("Per Teodor Cleve", None), "Per Theodor Cleve": ("Per Teodor Cleve", None),
    "Johann Arfwedson": ("Johan August Arfwedson", None), "Sir H. Davy": ("Humphry Davy", None), "Sir Humphrey Davy": ("Humphry Davy", None),
    "J.L. Gay-Lussac": ("Joseph Louis Gay-Lussac", None), "L.J. Thénard": ("Louis Jacques Thénard", None), "Daniel Rutherford": ("Daniel Rutherford", None),
    "Joseph Priestly": ("Joseph Priestley", None), "Carl Wilhelm Scheele": ("Carl Wilhelm Scheele", None), "Henri Moissan": ("Henri Moissan", "nobel:Henri Moissan"),
    "M.W. Travers": ("Morris Travers", None), "M. W. Travers": ("Morris Travers", None), "Hans Christian Oersted": ("Hans Christian Ørsted", None),
    "Jöns Berzelius": ("Jöns Jacob Berzelius", None), "J. Berzelius": ("Jöns Jacob Berzelius", None), "Hennig Brand": ("Hennig Brand", None),
    "Baron Rayleigh": ("Lord Rayleigh", "nobel:Lord Rayleigh"), "Lars Nilson": ("Lars Fredrik Nilson", None), "William Gregor": ("William Gregor", None),
    "Nils Sefström": ("Nils Gabriel Sefström", None), "Louis Vauquelin": ("Louis Nicolas Vauquelin", None), "Johann Gahn": ("Johan Gottlieb Gahn", None),
    "George Brandt": ("Georg Brandt", None), "Axel Cronstedt": ("Axel Fredrik Cronstedt", None), "Paul Émile Lecoq de Boisbaudran": ("Paul-Émile Lecoq de Boisbaudran", None),
    "Clemens Winkler": ("Clemens Winkler", None), "Antoine J. Balard": ("Antoine Jérôme Balard", None), "R. Bunsen": ("Robert Bunsen", None),
    "Robert Bunsen": ("Robert Bunsen", None), "G. Kirchoff": ("Gustav Kirchhoff", None), "Gustov Kirchoff": ("Gustav Kirchhoff", None),
    "A. Crawford": ("Adair Crawford", None), "Johann Gadolin": ("Johan Gadolin", None), "Martin Klaproth": ("Martin Heinrich Klaproth", None),
    "M. Klaproth": ("Martin Heinrich Klaproth", None), "Charles Hatchet": ("Charles Hatchett", None), "Carlo Perrier": ("Carlo Perrier", None),
    "Émillo Segrè": ("Emilio Segrè", "nobel:Emilio Gino Segrè"), "E.Segré": ("Emilio Segrè", "nobel:Emilio Gino Segrè"), "Karl Klaus": ("Karl Ernst Claus", None),
    "William Wollaston": ("William Hyde Wollaston", None), "Fredrich Stromeyer": ("Friedrich Stromeyer", None), "Ferdinand Reich": ("Ferdinand Reich", None),
    "T. Richter": ("Hieronymous Theodor Richter", None), "Franz Müller von Reichenstein": ("Franz-Joseph Müller von Reichenstein", None),
    "Bernard Courtois": ("Bernard Courtois", None), "Carl Mosander": ("Carl Gustaf Mosander", None), "W. von Hisinger": ("Wilhelm Hisinger", None),
    "C.F. Aver von Welsbach": ("Carl Auer von Welsbach", None), "J.A. Marinsky": ("Jacob A. Marinsky", None), "L.E. Glendenin": ("Lawrence E. Glendenin", None),
    "C.D. Coryell": ("Charles D. Coryell", None), "Eugène Demarçay": ("Eugène-Anatole Demarçay", None), "Jean de Marignac": ("Jean Charles Galissard de Marignac", None),
    "J.L. Soret": ("Jacques-Louis Soret", None), "Georges Urbain": ("Georges Urbain", None), "Dirk Coster": ("Dirk Coster", None),
    "Georg von Hevesy": ("George de Hevesy", "nobel:George de Hevesy"), "Anders Ekeberg": ("Anders Gustaf Ekeberg", None), "Walter Noddack": ("Walter Noddack", None),
    "Ida Tacke": ("Ida Noddack", None), "Otto Berg": ("Otto Berg", None), "Smithson Tenant": ("Smithson Tennant", None), "S.Tenant": ("Smithson Tennant", None),
    "A.F.Fourcory": ("Antoine François de Fourcroy", None), "L.N.Vauquelin": ("Louis Nicolas Vauquelin", None),
    "H.V.Collet-Descoltils": ("Hippolyte-Victor Collet-Descotils", None), "Sir William Crookes": ("William Crookes", None),
    "D.R.Corson": ("Dale R. Corson", None), "K.R.MacKenzie": ("Kenneth Ross MacKenzie", None), "Fredrich Ernst Dorn": ("Friedrich Ernst Dorn", None),
    "Marguerite Derey": ("Marguerite Perey", None), "André Debierne": ("André-Louis Debierne", None), "Fredrich Soddy": ("Frederick Soddy", "nobel:Frederick Soddy"),
    "John Cranston": ("John Cranston", None), "Otto Hahn": ("Otto Hahn", "nobel:Otto Hahn"), "Lise Meitner": ("Lise Meitner", None),
    "E.M. McMillan": ("Edwin McMillan", "nobel:Edwin Mattison McMillan"), "E.M.McMillan": ("Edwin McMillan", "nobel:Edwin Mattison McMillan"), "P.H. Abelson": ("Philip Abelson", None),
    "G.T.Seaborg": ("Glenn T. Seaborg", "nobel:Glenn Theodore Seaborg"), "J.W.Kennedy": ("Joseph W. Kennedy", None), "A.C.Wohl": ("Arthur Wahl", None),
    "R.A.James": ("Ralph A. James", None), "L.O.Morgan": ("Leon O. Morgan", None), "A.Ghiorso": ("Albert Ghiorso", None),
    "S.G.Tompson": ("Stanley G. Thompson", None), "K.Street Jr.": ("Kenneth Street Jr.", None), "T.Sikkeland": ("Torbjørn Sikkeland", None),
    "A.E.Larsh": ("Almon Larsh", None), "R.M.Latimer": ("Robert M. Latimer", None), "Pierre Curie": ("Pierre Curie", "nobel:Pierre Curie"),
    "Marie Curie": ("Marie Curie", "nobel:Marie Curie"), "Fausto de Elhuyar": ("Fausto Elhuyar", None), "Juan José de Elhuyar": ("Juan José Elhuyar", None),
}
JOINED = {"Pierre and Marie Curie": ["Pierre Curie", "Marie Curie"], "Fausto and Juan José de Elhuyar": ["Fausto de Elhuyar", "Juan José de Elhuyar"]}
# Statements of the source about discoveries that are known to be wrong or disputed.
DOUBTFUL = {"Be", "Pt", "No", "Es", "Fm"}
DOUBTFUL_YEARS = DOUBTFUL | {"Nd", "Co", "Y", "Rn", "Se"}
DOUBTFUL_PLACES = DOUBTFUL | {"Pa"}


def add_elements(ctx):
    kb, src = ctx.kb, ctx.source(PACKAGE, "elements.db")
    db = ctx.sqlite(PACKAGE, "mendeleev/elements.db")
    series = {row["id"]: row["name"] for row in db.execute("select id, name from series")}
    groups = {row["group_id"]: row["name"] for row in db.execute("select group_id, name from groups")}
    for row in db.execute("select * from elements order by atomic_number"):
        symbol = row["symbol"]
        family = SERIES[series[row["series_id"]]]
        ident = kb.entity(f"element/{symbol}", row["name"].lower(), "chemical_element", aliases=[symbol, *SPELLINGS.get(symbol, []), LATIN.get(symbol)],
                          description=f"chemical element with the symbol {symbol}, {family}")
        for name in [row["name"], *SPELLINGS.get(symbol, [])]:
            ctx.element_by_name[name.lower()] = ident
        kb.attr(ident, "chemical_symbol", symbol, src)
        for column, attribute, unit in COLUMNS:
            if row[column] is not None:
                kb.attr(ident, attribute, quantity(row[column], unit), src)
        for column, attribute in (("block", "block"), ("cas", "cas_number"), ("electronic_configuration", "electron_configuration")):
            if row[column]:
                kb.attr(ident, attribute, row[column].strip(), src)
        if row["is_radioactive"] is not None:
            kb.attr(ident, "radioactive", boolean(row["is_radioactive"]), src)
        kb.rel(ident, "element_series", kb.entity(f"series/{slug(family)}", family, "element_series", description="family of chemical elements"), src)
        if row["group_id"]:
            group = kb.entity(f"group/{row['group_id']}", f"group {row['group_id']}", "periodic_table_group",
                              aliases=[groups[row["group_id"]].lower()] if groups[row["group_id"]] else [], description="column of the periodic table")
            kb.rel(ident, "periodic_table_group", group, src)
        _discovery(ctx, ident, row, src)
        for column, relation in (("top_3_producers", "top_producer"), ("top_3_reserve_holders", "top_reserve_holder")):
            for rank, name in re.findall(r"(\d)\)\s*([^\d]+?)\s*(?=\d\)|$)", row[column] or ""):
                country = ctx.country(name)
                if country:
                    kb.rel(ident, relation, country, src, {"rank": quantity(rank)})
    symbols = {row["atomic_number"]: f"element/{row['symbol']}" for row in db.execute("select atomic_number, symbol from elements")}
    for row in db.execute("select * from phasetransitions order by id"):
        allotrope = {"allotrope": row["allotrope"]}
        # Where the source marks a sublimation point or a transition between solids, the number is something else.
        if row["boiling_point"] is not None and not row["is_sublimation_point"]:
            kb.attr(symbols[row["atomic_number"]], "boiling_point", quantity(row["boiling_point"], "kelvin"), src, allotrope)
        if row["melting_point"] is not None and not row["is_transition"] and not row["is_sublimation_point"]:
            kb.attr(symbols[row["atomic_number"]], "melting_point", quantity(row["melting_point"], "kelvin"), src, allotrope)
    for row in db.execute("select * from ionizationenergies where ion_charge < 5 order by id"):
        if row["ionization_energy"] is not None:
            kb.attr(symbols[row["atomic_number"]], "ionization_energy", quantity(row["ionization_energy"], "electronvolt"), src,
                    {"ionization_step": quantity(row["ion_charge"] + 1)})
    for row in db.execute("select * from oxidationstates where category = 'main' order by id"):
        kb.attr(symbols[row["atomic_number"]], "oxidation_state", quantity(row["oxidation_state"]), src)


def _discovery(ctx, ident, row, src):
    kb, symbol = ctx.kb, row["symbol"]
    if row["discovery_year"] and symbol not in DOUBTFUL_YEARS:
        kb.attr(ident, "discovery_year", year(row["discovery_year"]), src)
    if symbol not in DOUBTFUL:
        text = (row["discoverers"] or "").strip()
        for name in JOINED.get(text) or [p.strip() for p in re.split(r"[,;]", text)]:
            if name in DISCOVERERS:
                label, laureate = DISCOVERERS[name]
                person = ctx.people.get(laureate) or f"person/sci-{slug(label)}"
                kb.entity(person, label, "scientist", description=f"scientist, discoverer of {row['name'].lower()}")
                kb.alias(person, label)
                kb.rel(ident, "discoverer", person, src)
    if symbol not in DOUBTFUL_PLACES:
        for name in re.split(r"[,;/]", row["discovery_location"] or ""):
            name = name.strip()
            country = "country/GB" if name in ("England", "Scotland", "Great Britain") else ctx.country(name)
            if country and "country" in kb.entities[country].classes:
                kb.rel(ident, "country_of_discovery", country, src)
