"""Small, pure helpers for names, numbers and dates. Everything here is deterministic."""

import hashlib
import html
import re
import unicodedata
from decimal import Decimal

# Letters that NFKD does not decompose but that have a customary ASCII spelling.
_SPECIAL = str.maketrans({
    "ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D",
    "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ł": "l", "Ł": "L", "ı": "i", "’": "'", "‘": "'",
    "ʻ": "'", "ʼ": "'", "–": "-", "—": "-", "“": '"', "”": '"', "ħ": "h", "ŋ": "n", "ə": "e", "Ə": "E",
})

MONTHS = {m: i + 1 for i, m in enumerate(
    "january february march april may june july august september october november december".split())}
MONTHS.update({m[:3]: i for m, i in list(MONTHS.items())})
MONTHS["sept"] = 9


def ascii_fold(text):
    """The text with accents removed; characters without an ASCII form are dropped."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_SPECIAL))
    return decomposed.encode("ascii", "ignore").decode("ascii")


def slug(text):
    """A short ASCII id part for a name; a hash where the name has no Latin letters."""
    folded = re.sub(r"[^a-z0-9]+", "-", ascii_fold(text).lower().replace("'", "")).strip("-")
    return folded or hashlib.sha1(text.encode("utf-8")).hexdigest()[:8]


def plain(markup):
    """Text of an HTML fragment, with blanks collapsed."""
    without_tags = re.sub(r"<[^>]+>", " ", markup or "")
    return re.sub(r"\s+", " ", html.unescape(without_tags).replace("\xa0", " ")).strip()


def decimal_text(value):
    """Exact decimal text of a number: no exponent, no ".0", no binary float noise.

    Floats (SQLite stores them) are read with 15 significant digits, which is what a double can hold exactly
    as decimal text; so 112.00000000000001 becomes 112.
    """
    if isinstance(value, float):
        value = Decimal(format(value, ".15g"))
    elif not isinstance(value, Decimal):
        value = Decimal(str(value).replace(",", ""))
    text = format(value, "f")
    if "." in text and not text.split(".")[1].strip("0"):
        text = text.split(".")[0]
    elif "." in text and "E" in str(value):
        text = text.rstrip("0")
    return "0" if text in ("-0", "") else text


def parse_date(text):
    """'14 May 2017', 'April 2018', '1997' or '2017-05-14' as a time literal; None for anything else."""
    text = text.strip()
    match = re.fullmatch(r"(\d{1,2}) ([A-Za-z]+)\.? (\d{4})", text)
    if match and match[2].lower() in MONTHS:
        return {"date": f"{match[3]}-{MONTHS[match[2].lower()]:02d}-{int(match[1]):02d}"}
    match = re.fullmatch(r"([A-Za-z]+) (\d{4})", text)
    if match and match[1].lower() in MONTHS:
        return {"month": f"{match[2]}-{MONTHS[match[1].lower()]:02d}"}
    if re.fullmatch(r"\d{4}", text):
        return {"year": int(text)}
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return {"date": text}
    return None


_LOWER_PARTICLES = {"bin", "ibn", "de", "da", "dos", "von", "der", "den", "of"}
_THE = {"United States", "United Kingdom", "Netherlands", "Philippines", "Czech Republic", "Dominican Republic", "Central African Republic",
        "Democratic Republic of the Congo", "Republic of the Congo", "United Arab Emirates", "Maldives", "Marshall Islands", "Solomon Islands",
        "Comoros", "Seychelles", "Cook Islands", "Falkland Islands", "Cayman Islands", "Faroe Islands", "Isle of Man", "Soviet Union",
        "British Virgin Islands", "United States Virgin Islands", "Turks and Caicos Islands", "Northern Mariana Islands", "Pitcairn Islands",
        "Åland Islands", "Cocos (Keeling) Islands", "Caribbean Netherlands", "Caribbean"}
_ROMAN = re.compile(r"[IVX]+$")


def _capitalise(word):
    """KRISTERSSON -> Kristersson, NANDI-NDAITWAH -> Nandi-Ndaitwah, MCCAIN -> McCain, O'NEILL -> O'Neill."""
    parts = re.split(r"([-'’])", word)
    out = []
    for index, part in enumerate(parts):
        if index > 1 and parts[index - 1] in "'’" and len(parts[index - 2]) > 1:
            part = part.lower()           # TUIMALEALI'IFANO, but O'NEILL
        elif len(part) > 3 and part.upper().startswith("MC") and part.isupper():
            part = "Mc" + part[2:].capitalize()
        elif part.isupper() and len(part) > 1:
            part = part.capitalize()
        out.append(part)
    return "".join(out)


def person_name(text):
    """A name in the usual capitalisation: 'Emmanuel MACRON' -> 'Emmanuel Macron', 'CHARLES III' -> 'Charles III'."""
    words = []
    for index, word in enumerate(text.split()):
        letters = re.sub(r"[^\w]", "", word)
        if _ROMAN.match(letters) and index > 0:
            words.append(word)
        elif index > 0 and letters.isupper() and letters.lower() in _LOWER_PARTICLES:
            words.append(word.lower())
        elif re.fullmatch(r"(?:[A-Z]\.)+[A-Z]?\.?", word):
            words.append(word)
        else:
            words.append(_capitalise(word))
    return " ".join(words)


def the(name):
    """The name of a country as it stands after 'of': 'the United States', 'France'."""
    return f"the {name}" if name in _THE else name[0].lower() + name[1:] if name.startswith("The ") else name


def listing(items):
    """'a', 'a and b', 'a, b and c'."""
    items = list(items)
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]
