"""Heads of state and of government (CIA World Factbook)."""

import re

from .factbook import PACKAGE, text
from .text import parse_date, person_name, slug, the

# Words of a title. A title may be long ("President of the Swiss Confederation"); the name begins after its last word.
TITLES = set("""President King Queen Prime Minister Chancellor Emir Amir Sultan Emperor Premier Governor Governor-General Pope Prince Grand Duke
Supreme Leader Chief Taoiseach Vice Transition Transitional Interim Acting Caretaker Federal Administrator Commissioner State Mayor
Captain Col. Gen. General Capt. Dr. Sir Dame Lord Mann of Crown Foreign and Co-Vice Sheikh Executive Ratu GNU CNSP Sovereign Council
the Government Ministers Swiss Confederation Spain Territorial Assembly French Polynesia Chairman Chairperson Presidential Leadership Board
Cardinal Secretary for Political Affairs Commonwealth Taliban First Leader Marshal Party State-Affairs Commission Cabinet Island Sr. China""".split()) | {"(Prime", "Minister)", "Polynesia", "Council,", "President,", "(prime", "minister-equivalent)", "Lao", "Air"}

# Where the pattern would go wrong or the text names several people. None: left out.
EXCEPTIONS = {
    "country/AD": None, "country/SM": None, "country/BA": None, "country/VA": "head of state only", "country/KP": None, "country/LY": None,
    "country/NE": None, "country/SD": None, "country/SY": None, "country/AF": None,
}
# The same person under another name in this or another source; each of these is common knowledge.
SAME_PERSON = {"Donald J. Trump": ("Donald Trump", ["Donald J. Trump"]), "Bart de Wever": ("Bart De Wever", []),
               "Ferdinand \"BongBong\" Marcos Jr.": ("Ferdinand Marcos Jr.", ["Bongbong Marcos"])}


# A title that stands alone before the name.
PLAIN_TITLE = re.compile(r"(President|King|Queen|Prime Minister|Chancellor|Emir|Amir|Sultan|Emperor|Premier|Taoiseach)(?= (?!of\b|and\b|the\b|Minister\b|Crown\b|Prince\b)[^(,;]*\(since)")


def add_leaders(ctx):
    src = ctx.source(PACKAGE)
    # Sovereign states first, and first of all those whose head of state also reigns elsewhere: the description names them.
    rank = {"country/GB": 0, "country/US": 0, "country/FR": 0, "country/DK": 0, "country/NL": 0, "country/NO": 0}
    order = sorted(ctx.factbook, key=lambda c: (rank.get(c, 1), "territory" in ctx.kb.entities[c].classes, c))
    for country in order:
        record = ctx.factbook[country]
        rule = EXCEPTIONS.get(country, "both")
        if rule is None:
            continue
        for field, relation in (("chief of state", "head_of_state"), ("head of government", "head_of_government")):
            if rule == "head of state only" and relation != "head_of_state":
                continue
            value = text(record, "Government", "Executive branch", field)
            if value.startswith("Vice President"):       # not the head of the government, whatever the field says
                continue
            found = leader(value)
            if not found:
                continue
            name, since = found
            label, aliases = SAME_PERSON.get(name, (name, []))
            ident = ctx.people.get(label) or f"person/leader-{slug(label)}"
            here = ctx.kb.label(country)
            role = "head of state" if relation == "head_of_state" else "head of government"
            title = PLAIN_TITLE.match(value)
            role = title[1].lower() if title else role
            ctx.kb.entity(ident, label, "politician", aliases=aliases, description=f"{role} of {the(here)}")
            ctx.people[label] = ident
            ctx.kb.rel(country, relation, ident, src, {"start_time": since})


def leader(value):
    """'President Emmanuel MACRON (since 14 May 2017)' -> ('Emmanuel Macron', date). None if the text is not that plain."""
    match = re.match(r"([^();]*?(?:\((?:prime minister-equivalent|Prime Minister)\)[^();]*?)?)\s*\((?:since )(\d{1,2} \w+ \d{4}|[A-Z]\w+ \d{4}|\d{4})", value)
    if not match:
        return None
    words = re.sub(r"\([^)]*\)", " ", match[1]).replace(",", " , ").split()
    while words and (words[0] in TITLES or words[0] == ","):
        words = words[1:]
    name = " ".join(words).replace(" , ", ", ").replace(", Jr", " Jr")
    name = re.sub(r" of (Denmark|Norway|the Netherlands)$", "", name)
    since = parse_date(match[2])
    # Family names are in capitals in this source: a name without capitals is not certain to be a name.
    if not since or not re.search(r"[A-ZÀ-Ý]{2,}", name) or len(words) > 8 or re.search(r"\d|;|\bthe\b", name):
        return None
    return person_name(name), since
