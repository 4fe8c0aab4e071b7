"""Isotopes, their half-lives and decays (mendeleev, which takes them from NUBASE 2020)."""

from decimal import Decimal

from .model import quantity, year
from .text import decimal_text, slug

PACKAGE = "mendeleev"
# Half-lives are given in seconds, so that they can be compared. NUBASE counts a year as 31 556 926 seconds.
_YEAR = Decimal(31556926)
SECONDS = {"ysec": Decimal("1e-24"), "zsec": Decimal("1e-21"), "asec": Decimal("1e-18"), "psec": Decimal("1e-12"), "nsec": Decimal("1e-9"),
           "usec": Decimal("1e-6"), "msec": Decimal("1e-3"), "sec": Decimal(1), "minute": Decimal(60), "hour": Decimal(3600),
           "day": Decimal(86400), "year": _YEAR, "kyear": _YEAR * 10 ** 3, "Myear": _YEAR * 10 ** 6, "Gyear": _YEAR * 10 ** 9,
           "Tyear": _YEAR * 10 ** 12, "Pyear": _YEAR * 10 ** 15, "Eyear": _YEAR * 10 ** 18, "Zyear": _YEAR * 10 ** 21, "Yyear": _YEAR * 10 ** 24}
# mode -> (label, aliases, change of proton number, change of mass number)
MODES = {
    "A": ("alpha decay", [], -2, -4), "B-": ("beta minus decay", ["beta decay"], 1, 0), "B+": ("beta plus decay", ["electron capture and positron emission"], -1, 0),
    "EC": ("electron capture", [], -1, 0), "e+": ("positron emission", [], -1, 0), "p": ("proton emission", [], -1, -1), "n": ("neutron emission", [], 0, -1),
    "2p": ("double proton emission", [], -2, -2), "2n": ("double neutron emission", [], 0, -2), "2B-": ("double beta minus decay", ["double beta decay"], 2, 0),
    "2B+": ("double beta plus decay", [], -2, 0), "SF": ("spontaneous fission", [], None, None),
    "B-n": ("beta-delayed neutron emission", [], 1, -1), "B+p": ("beta-delayed proton emission", [], -2, -1), "B+A": ("beta-delayed alpha emission", [], -3, -4),
    "B+SF": ("beta-delayed fission", [], None, None),
}


# Modes that exclude each other, so that their shares add up to 100 percent. What a beta decay is followed by (B-n ...) is a part of it.
INDEPENDENT = {"A", "B-", "B+", "EC", "e+", "p", "n", "2p", "2n", "2B-", "2B+", "SF"}


def sure_shares(modes):
    """The modes whose share can be trusted, given {mode: percent} of one isotope.

    The source has lost the exponents of NUBASE (SF=7e-9 became 7), so a share counts only if the independent modes add up to 100 percent.
    A mode with all of the 100 percent leaves nothing for another one: then the other share is a lost exponent, however small it looks.
    Electron capture and positron emission are parts of B+ where that is given. Shares of delayed emission cannot be tested at all.
    """
    parts = {"EC", "e+"} if "B+" in modes else set()
    alone = {mode: share for mode, share in modes.items() if mode in INDEPENDENT - parts}
    if not 99 <= sum(alone.values()) <= 101 or 100 in alone.values() and len(alone) > 1:
        return set()
    sure = set(alone)
    if parts and parts <= set(modes) and abs(modes["EC"] + modes["e+"] - modes["B+"]) <= 1 and modes["B+"] not in (modes["EC"], modes["e+"]):
        sure |= parts
    return sure


def add_isotopes(ctx):
    kb, src = ctx.kb, ctx.source(PACKAGE, "elements.db")
    db = ctx.sqlite(PACKAGE, "mendeleev/elements.db")
    elements = {row["atomic_number"]: (row["symbol"], row["name"].lower()) for row in db.execute("select atomic_number, symbol, name from elements")}
    ids, numbers = {}, {}
    for row in db.execute("select * from isotopes order by atomic_number, mass_number"):
        if row["abundance"] is None and (row["half_life"] is None or row["half_life_unit"] not in SECONDS):
            continue      # nothing is known of it but its mass
        symbol, name = elements[row["atomic_number"]]
        ident = kb.entity(f"isotope/{symbol}-{row['mass_number']}", f"{name}-{row['mass_number']}", "isotope",
                          aliases=[f"{symbol}-{row['mass_number']}"], description=f"{'radioactive' if row['is_radioactive'] else 'stable'} isotope of {name}")
        ids[row["id"]] = ident
        numbers[ident] = row["atomic_number"], row["mass_number"]
        kb.rel(ident, "isotope_of", f"element/{symbol}", src)
        kb.attr(ident, "mass_number", quantity(row["mass_number"]), src)
        if row["mass"] is not None:
            kb.attr(ident, "atomic_mass", quantity(row["mass"], "dalton"), src)
        if row["abundance"]:
            kb.attr(ident, "natural_abundance", quantity(row["abundance"], "percent"), src)
        if row["half_life"] and row["half_life_unit"] in SECONDS:
            seconds = Decimal(decimal_text(row["half_life"])) * SECONDS[row["half_life_unit"]]
            text = format(seconds, "f")
            kb.attr(ident, "half_life", quantity(text.rstrip("0").rstrip(".") if "." in text else text, "second"), src)
        if row["discovery_year"]:
            kb.attr(ident, "discovery_year", year(row["discovery_year"]), src)
    by_number = {pair: ident for ident, pair in numbers.items()}
    # One isotope has the same mode twice with different shares: neither is kept.
    twice = {(row[0], row[1]) for row in db.execute("select isotope_id, mode from isotopedecaymodes group by 1, 2 having count(*) > 1")}
    kept, shares = [], {}
    for row in db.execute("select * from isotopedecaymodes order by id"):
        if (row["isotope_id"], row["mode"]) in twice:
            continue
        # Only decays that were observed with a measured share.
        if row["isotope_id"] not in ids or row["mode"] not in MODES or row["relation"] != "=" or not row["intensity"] \
                or row["is_allowed_not_observed"] or not 0 < row["intensity"] <= 100:
            continue
        kept.append(row)
        shares.setdefault(row["isotope_id"], {})[row["mode"]] = row["intensity"]
    sure = {isotope: sure_shares(modes) for isotope, modes in shares.items()}
    for row in kept:
        label, aliases, protons, mass = MODES[row["mode"]]
        mode = kb.entity(f"decay/{slug(label)}", label, "decay_mode", aliases=aliases, description="way in which an atomic nucleus decays")
        fraction = {"branching_fraction": quantity(row["intensity"], "percent")} if row["mode"] in sure[row["isotope_id"]] else None
        kb.rel(ids[row["isotope_id"]], "decay_mode", mode, src, fraction)
        if protons is not None:
            number = numbers[ids[row["isotope_id"]]]
            product = by_number.get((number[0] + protons, number[1] + mass))
            if product:       # follows from what the mode means
                kb.rel(ids[row["isotope_id"]], "decays_to", product, src)
