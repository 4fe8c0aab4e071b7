"""Languages and currencies of countries (Babel, which carries Unicode CLDR)."""

import sys

from .countries import country_id
from .model import quantity

STATUS = {"official": "official", "de_facto_official": "de facto official", "official_regional": "regional official"}

# Wikidata's names of film languages -> CLDR codes; only names that are certain.
FILM_LANGUAGES = {
    "mandarin": "zh", "standard chinese": "zh", "putonghua": "zh", "mandarin chinese": "zh", "standard taiwanese mandarin": "zh",
    "yue chinese": "yue", "modern greek": "el", "bengali": "bn", "kurdish language": "ku", "american english": "en",
    "british english": "en", "australian english": "en", "standard arabic": "ar", "modern standard arabic": "ar", "farsi": "fa",
    "standard german": "de", "québécois french": "fr", "quebec french": "fr", "brazilian portuguese": "pt", "castilian": "es", "mexican spanish": "es",
    "canadian french": "fr", "canadian english": "en", "european portuguese": "pt", "modern hebrew": "he", "irish english": "en",
    "odia": "or", "māori": "mi", "maori": "mi", "khmer": "km", "sinhala": "si", "lao": "lo", "kyrgyz": "ky",
    "cantonese": "yue", "norwegian": "no", "bokmål": "nb", "filipino": "fil", "panjabi": "pa",
}
ALIASES = {"bn": ["Bengali"], "fa": ["Farsi"], "yue": ["Yue Chinese"], "zh": ["Mandarin", "Mandarin Chinese", "Standard Chinese"], "el": ["Modern Greek"],
           "he": ["Modern Hebrew"], "my": ["Myanmar language"], "or": ["Oriya"], "pa": ["Panjabi"], "mi": ["Maori"], "gsw": ["Alemannic"]}


def _babel(ctx):
    sys.path.insert(0, str(ctx.path("babel", "")))
    try:
        from babel import Locale
        from babel.core import get_global
    finally:
        sys.path.pop(0)
    return Locale("en"), get_global


def add_languages(ctx):
    kb, src = ctx.kb, ctx.source("babel", "CLDR territory languages")
    english, get_global = _babel(ctx)

    def language(code):
        name = english.languages.get(code)
        if not name:
            return None
        ident = kb.entity(f"language/{code}", name, "language", aliases=ALIASES.get(code, ()),
                          description="language")
        kb.alias(ident, f"{name} language")
        kb.attr(ident, "iso_language_code", code, src)
        for alias in [name, *ALIASES.get(code, ())]:
            ctx.language_by_name.setdefault(alias.lower(), ident)
        return ident

    for territory, languages in sorted(get_global("territory_languages").items()):
        country = country_id(territory)
        if country not in kb:
            continue
        best = {}     # scripts (zh_Hans, zh_Hant) count as one language: the larger share is kept
        for code, record in sorted(languages.items()):
            base = code.split("_")[0]
            if base not in best or record["population_percent"] > best[base]["population_percent"]:
                best[base] = record
        for code, record in sorted(best.items()):
            share, status = record["population_percent"], STATUS.get(record["official_status"])
            if not share and not status:
                continue
            ident = language(code)
            if not ident:
                continue
            if share:
                kb.rel(country, "language_used", ident, src,
                       {"population_share": quantity(share, "percent"), "official_status": status})
            if record["official_status"] in ("official", "de_facto_official"):
                kb.rel(country, "official_language", ident, src, {"official_status": status})
    # Every language that CLDR names can be a film's language; entities are made on demand.
    for code, name in sorted(english.languages.items()):
        if "_" not in code:
            ctx.language_by_name.setdefault(name.lower(), ("on demand", code))
    ctx.make_language = language
    for name, code in FILM_LANGUAGES.items():
        ctx.language_by_name.setdefault(name, ("on demand", code))


def find_language(ctx, name):
    """Entity of a language by its English name, made if CLDR knows it; None otherwise."""
    found = ctx.language_by_name.get(name.lower()) or ctx.language_by_name.get(name.lower().removesuffix(" language"))
    return ctx.make_language(found[1]) if isinstance(found, tuple) else found


def add_currencies(ctx):
    kb, src = ctx.kb, ctx.source("babel", "CLDR territory currencies")
    english, get_global = _babel(ctx)
    for territory, currencies in sorted(get_global("territory_currencies").items()):
        country = country_id(territory)
        if country not in kb:
            continue
        for code, start, end, tender in currencies:
            name = english.currencies.get(code)
            if not name or not tender:
                continue
            ident = kb.entity(f"currency/{code}", name, "currency", aliases=[code], description=f"currency with the code {code}")
            kb.attr(ident, "iso_4217", code, src)
            kb.rel(country, "currency", ident, src, {"start_time": _date(start), "end_time": _date(end)})


def add_endonyms(ctx):
    """What a country is called in its official languages (Deutschland, España, 日本), as aliases."""
    kb = ctx.kb
    _, get_global = _babel(ctx)
    from babel import Locale, UnknownLocaleError
    taken = {name.lower() for e in kb.entities.values() if e.id.startswith("country/") for name in [e.label, *e.aliases]}
    names = {}
    for territory, languages in sorted(get_global("territory_languages").items()):
        for code, record in sorted(languages.items(), key=lambda item: (-item[1]["population_percent"], item[0])):
            if country_id(territory) not in kb or record["official_status"] not in ("official", "de_facto_official") or record["population_percent"] < 5:
                continue
            try:
                name = Locale.parse(code).territories.get(territory)
            except (UnknownLocaleError, ValueError):
                continue
            if name and not any(c in name for c in "(),") and name.lower() not in taken:
                names.setdefault(name, set()).add(territory)
    for name, territories in names.items():
        if len(territories) == 1:          # "Congo" and "Guiana" are several
            kb.alias(country_id(*territories), name)


def _date(parts):
    if not parts:
        return None
    year, month, day = parts
    return {"year": year} if (month, day) == (1, 1) else {"date": f"{year:04d}-{month:02d}-{day:02d}"}
