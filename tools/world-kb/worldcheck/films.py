"""Films of bokeh_sampledata's movies.db."""

import re

from .geography import BOKEH
from .raw import code, fold, same

CHECKS = {}


def _column(name, prop):
    def lookup(raw, e, v, q):
        text = (raw.films[code(e["entity"])][name] or "").replace("(Firm)", "").replace("(U.S.)", "")
        listed = {fold(part) for part in text.split(",")}
        joined = fold(text.replace(", Jr.", " Jr.").replace(", Sr.", " Sr.").replace(", III", " III"))
        if prop in ("director", "screenwriter"):         # all of them, not a part
            names = {fold(part) for part in re.sub(r",\s*((?:Jr|Sr)\.?|I{2,3}|IV)(?=,|$)", r" \1", text).split(",") if part.strip()}
            if len(names) != sum(fact[0] == prop for fact in e["relations"]):
                return False
        return any(fold(n) in listed or f" {fold(n)} " in f" {joined} " for n in raw.kb.names(v))
    CHECKS[BOKEH, prop] = lookup


for _name, _prop in (("Director", "director"), ("Writer", "screenwriter"), ("Cast", "cast_member"), ("Production", "production_company")):
    _column(_name, _prop)


def _loose(column, prop, extra):
    """Names that the KB writes in another way: a word of the raw value must be a word of a name, or be listed in `extra`."""
    def lookup(raw, e, v, q):
        listed = [fold(part) for part in (raw.films[code(e["entity"])][column] or "").split(",")]
        names = raw.kb.folded(v)
        return any(item in names or extra.get(item) in names or item.removesuffix(" language") in names for item in listed)
    CHECKS[BOKEH, prop] = lookup


_loose("Genre", "genre", {"sci fi": "science fiction", "biography": "biographical film"})
_loose("Country", "country_of_origin", {"people s republic of china": "china", "england": "united kingdom", "scotland": "united kingdom", "wales": "united kingdom",
                                        "kingdom of denmark": "denmark", "kingdom of the netherlands": "netherlands"})
_loose("Language", "original_language", {
    "mandarin": "mandarin chinese", "standard chinese": "mandarin chinese", "putonghua": "mandarin chinese", "standard taiwanese mandarin": "mandarin chinese",
    "yue chinese": "cantonese", "american english": "english", "british english": "english", "australian english": "english", "bengali": "bangla",
    "modern standard arabic": "arabic", "standard arabic": "arabic", "mexican spanish": "spanish", "quebec french": "french", "canadian english": "english",
    "canadian french": "french", "brazilian portuguese": "portuguese", "european portuguese": "portuguese", "standard german": "german", "castilian": "spanish", "irish english": "english"})


def _register(prop):
    def add(function):
        CHECKS[BOKEH, prop] = lambda raw, e, v, q: function(raw.films[code(e["entity"])], v, q)
        return function
    return add


@_register("publication_date")
def published(row, v, q):
    return row["Released"] == v["date"] if "date" in v else row["Year"] == v["year"]


@_register("duration")
def duration(row, v, q):
    return same(row["Runtime"], v)


@_register("box_office")
def box_office(row, v, q):
    return same(row["BoxOffice"], v)


@_register("rotten_tomatoes_score")
def score(row, v, q):
    return same(row["Meter"], v) and (not q or same(row["Reviews"], q["number_of_reviews"][0]))


@_register("metacritic_score")
def metacritic(row, v, q):
    return same(row["Metacritic"], v)


@_register("mpa_rating")
def rating(row, v, q):
    return row["Rating"] == v


@_register("imdb_id")
def imdb(row, v, q):
    return row["imdbID"] == v
