"""Films and their people (bokeh_sampledata's movies.db, a snapshot of Wikidata).

People are names without ids in this source. Names that cannot be one person are split or dropped:
see `_eras`. They are not merged with people of other sources, but for the table `KNOWN`.
"""

import re
from collections import Counter, defaultdict

from .cldr import find_language
from .model import quantity, year
from .text import listing, slug

PACKAGE = "bokeh_sampledata"
ROLES = (("Director", "director", "film_director"), ("Writer", "screenwriter", "screenwriter"), ("Cast", "cast_member", "actor"))
MIN_CREDITS = 2          # a cast member or writer needs two credits; a director needs one

COUNTRIES = {"British Hong Kong": "country/BHK", "Palestine": "country/PS", "State of Palestine": "country/PS", "Georgia": "country/GE",
             "England": "country/GB", "Scotland": "country/GB", "Wales": "country/GB", "Kingdom of Denmark": "country/DK",
             "Kingdom of the Netherlands": "country/NL"}
GENRES = {"Sci-Fi": ("science fiction", ["sci-fi"]), "Biography": ("biographical film", ["biopic", "biography"]),
          "Music": ("music film", ["music"]), "Sport": ("sports film", ["sport"]), "History": ("historical film", ["history"]),
          "Family": ("family film", ["family"]), "War": ("war film", ["war"])}
RATINGS = {"R", "PG", "PG-13", "G", "NC-17"}

NOT_PEOPLE = {"Aerosmith", "Uggie", "Orangey", "Keiko", "Tinkerbell", "Monty Python", "Red Hot Chili Peppers", "Pink Floyd",
              "Led Zeppelin", "Talking Heads", "Sex Pistols", "Rolling Stones", "Cirque du Soleil", "Beastie Boys", "Metallica", "Hot Tuna", "Broken Lizard",
              "ZZ Top", "Kiss", "Run-DMC", "Public Enemy", "Jefferson Airplane", "Grateful Dead", "Ramones", "Bad Brains", "Black Flag",
              "Bart the Bear", "Gorgeous Ladies of Wrestling", "Neveldine/Taylor", "Sum 41", "Lassie", "Boyz II Men", "Village People", "Fishbone"}
THE_PEOPLE = {"The Edge", "The Great Khali", "The Undertaker", "The Notorious B.I.G.", "The Amazing Criswell", "The Lady Chablis",
              "The Game", "The Lady of Rage"}
GROUP_WORDS = re.compile(r" (Brothers|Sisters|Band|Orchestra|Boys|Girls|Singers|Stooges|Players|Choir|Ensemble|Quartet|Trio|Dancers|"
                         r"Troupe|Circus|Family|Chorus|Peppers|Stones|Dolls|Express|Symphony|Company|Theatre|Club|Experience|Pickers|Two|Three|Four|Five|Six|Seven)$")


# People of other sources whose credits here are certainly theirs, which is common knowledge (appearances as themselves and in archive footage included).
# name in the films -> (id, whether acting was a work of theirs)
KNOWN = {
    "Ronald Reagan": ("person/govtrack-412372", True), "Al Franken": ("person/F000457", True), "Sonny Bono": ("person/B000622", True),
    "Fred Thompson": ("person/T000457", True), "George Murphy": ("person/M001092", True), "Harold Pinter": ("person/nobel-harold-pinter", True),
    "Barack Obama": ("person/O000167", False), "Donald Trump": ("person/leader-donald-trump", False), "Bill Clinton": ("person/govtrack-412374", False),
    "George H. W. Bush": ("person/B001166", False), "George W. Bush": ("person/govtrack-412375", False), "Dick Cheney": ("person/C000344", False),
    "Hillary Clinton": ("person/C001041", False), "Al Gore": ("person/G000321", False), "John McCain": ("person/M000303", False),
    "Jimmy Carter": ("person/govtrack-412371", False), "Gerald Ford": ("person/F000260", False), "Richard Nixon": ("person/N000116", False),
    "John F. Kennedy": ("person/K000107", False), "Robert F. Kennedy": ("person/K000114", False), "Franklin Delano Roosevelt": ("person/govtrack-412364", False),
    "Bernie Sanders": ("person/S000033", False), "Donald Rumsfeld": ("person/R000508", False), "Ed Koch": ("person/K000302", False),
    "George McGovern": ("person/M000452", False), "Harrison Schmitt": ("person/S000132", False), "Ron Paul": ("person/P000583", False),
    "Ernest Hemingway": ("person/nobel-ernest-miller-hemingway", False), "Winston Churchill": ("person/nobel-winston-churchill", False),
    "George Bernard Shaw": ("person/nobel-george-bernard-shaw", False), "John Steinbeck": ("person/nobel-john-steinbeck", False),
    "José Saramago": ("person/nobel-jose-saramago", False), "Sinclair Lewis": ("person/nobel-sinclair-lewis", False),
    "William Faulkner": ("person/nobel-william-faulkner", False), "Eugene O'Neill": ("person/nobel-eugene-gladstone-oneill", False),
    "Martin Luther King Jr.": ("person/nobel-martin-luther-king-jr", False), "Nelson Mandela": ("person/nobel-nelson-mandela", False),
    "Tenzin Gyatso": ("person/nobel-14th-dalai-lama", False), "Henry Kissinger": ("person/nobel-henry-a-kissinger", False),
    "Mikhail Gorbachev": ("person/nobel-mikhail-sergeyevich-gorbachev", False),
}


def _all_names(text):
    """Names of a comma list; 'Sammy Davis, Jr.' is one name."""
    names = []
    for part in (text or "").split(","):
        part = " ".join(part.split())
        if re.fullmatch(r"(Jr|Sr)\.?|I{2,3}|IV", part) and names:
            names[-1] += " " + (part if part[0] == "I" else part.rstrip(".") + ".")
        elif part:
            names.append(part)
    return list(dict.fromkeys(names))


def _names(text):
    """The names of a comma list that are those of people; 'X, 1st Baron Y' loses the title."""
    return [name for name in _all_names(text) if _is_person(name)]


def _is_person(name):
    if name == "50 Cent" or name in THE_PEOPLE:
        return True
    return bool(re.match(r"[^\W\d_]|[\"']", name)) and not name[0].islower() and name not in NOT_PEOPLE \
        and not re.search(r"[&/@:;?]|\(|\bthe (Bear|Dog|Cat|Horse|Lion)\b", name) and not name.startswith("The ") \
        and not GROUP_WORDS.search(name) and name not in ("N/A", "Unknown", "Various", "Anonymous") and len(name) > 1 \
        and not re.match(r"(Duke|Earl|Count|Baron|Marquess|Viscount|Prince|Lord) of ", name)


def _eras(credits):
    """Split the credits of a name where they cannot, or are not likely to, be one person.

    `credits` is a list of (year, role, film). A long silence between two films is taken as a change of person, or as
    archive footage, or as a late adaptation of a dead author's book. How long depends on the role: an actor of the
    forties who directs after 25 silent years is hardly the same man; two directors of one name are rare.
    The largest part is kept. Another part is kept as a person of its own, told apart by the years, if it has a
    director (a film should not lose it); else it is doubtful who is meant, and it is dropped.
    """
    credits = sorted(credits)
    parts = [[credits[0]]]
    for credit in credits[1:]:
        if credit[0] - parts[-1][-1][0] >= 25:
            parts.append([credit])
        else:
            parts[-1].append(credit)
    joined = parts[:1]
    for part in parts[1:]:
        before, after = {c[1] for c in joined[-1]}, {c[1] for c in part}
        limit = 45 if "Director" in before & after else 31 if before & after else 25
        if part[0][0] - joined[-1][-1][0] < limit:
            joined[-1] = joined[-1] + part
        else:
            joined.append(part)
    largest = max(joined, key=lambda part: (len({c[2] for c in part}), -part[0][0]))
    return [part for part in joined if part is largest or any(c[1] == "Director" for c in part)]


def add_films(ctx):
    src = ctx.source(PACKAGE, "movies.db (Wikidata)")
    database = ctx.sqlite(PACKAGE, "bokeh_sampledata/_data/movies.db")
    films, seen = [], set()
    for row in database.execute("""select o.*, t.Meter, t.Reviews, t.BoxOffice, t.Production
                                   from omdb o join tomatoes t on o.ID = t.ID order by o.imdbID, o.ID"""):
        if row["imdbID"] not in seen:       # two ids occur twice: a re-cut shares the id of its film
            seen.add(row["imdbID"])
            films.append(row)
    people = _people(ctx, films)
    for row in films:
        _film(ctx, row, people, src)


def _people(ctx, films):
    """(name, film) -> person id, for the names that are kept."""
    credits, documentary = defaultdict(list), {}
    for row in films:
        documentary[row["imdbID"]] = "Documentary" in (row["Genre"] or "")
        for column, _, _ in ROLES:
            for name in _names(row[column]):
                credits[name].append((row["Year"], column, row["imdbID"]))
    titles = {row["imdbID"]: (row["Reviews"] or 0, row["Title"]) for row in films}
    people, taken = {}, Counter()
    for name in sorted(credits):
        for part in _eras(credits[name]):
            roles = {role for _, role, _ in part}
            count = len({film for _, _, film in part})
            if "Director" not in roles and count < MIN_CREDITS or " " not in name and count < 3 and "Director" not in roles:
                continue
            base = f"person/f-{slug(name)}"
            taken[base] += 1
            ident = base if taken[base] == 1 else f"{base}-{taken[base]}"
            classes = [cls for column, _, cls in ROLES if column in roles and column != "Cast"]
            known, acts = KNOWN.get(name, (None, True))
            if acts and any(role == "Cast" and not documentary[film] for _, role, film in part):
                classes.append("actor")
            if known:
                ident = known
                if ident not in ctx.kb:
                    raise SystemExit(f"{name}: no {ident} to be one person with")
            ctx.kb.entity(ident, name, *(classes or ["person"]), aliases=[name, *_nicknames(name)], description=_describe(part, classes, titles))
            for _, _, film in part:
                people[name, film] = ident
    return people


def _describe(part, classes, titles):
    words = {"film_director": "film director", "screenwriter": "screenwriter", "actor": "actor"}
    first, last = part[0][0], part[-1][0]
    who = listing([words[c] for c in sorted(classes, key=list(words).index)]) if classes else "person shown in documentaries"
    years = str(first) if first == last else f"{first}–{last}"
    best = max((titles[film] for _, _, film in part))[1]       # the film with the most reviews
    if not classes:
        return f"{who}, {years}, such as {best}"
    return f"{who}, films {years} such as {best}" if first != last else f"{who} of {best} ({years})"


def _nicknames(name):
    """'Guinn "Big Boy" Williams' is also 'Guinn Williams' and 'Big Boy Williams'."""
    match = re.fullmatch(r'(.+?) "([^"]+)" (.+)', name)
    return [f"{match[1]} {match[3]}", f"{match[2]} {match[3]}"] if match else []


def _film(ctx, row, people, src):
    kb = ctx.kb
    ident = kb.entity(f"film/{row['imdbID']}", row["Title"], "film")
    released = row["Released"]
    # A release on 1 January means that only the year is known.
    when = year(row["Year"]) if not released or released.endswith("-01-01") else {"date": released}
    kb.attr(ident, "publication_date", when, src)
    if row["Runtime"] and row["Runtime"] >= 7:        # "1 minute" and "4 minutes" are errors of the source
        kb.attr(ident, "duration", quantity(row["Runtime"], "minute"), src)
    if row["BoxOffice"] and row["BoxOffice"] >= 1000 and row["BoxOffice"] == int(row["BoxOffice"]):
        kb.attr(ident, "box_office", quantity(int(row["BoxOffice"]), "US dollar"), src)
    if row["Meter"] is not None:
        reviews = quantity(row["Reviews"]) if row["Reviews"] else None
        kb.attr(ident, "rotten_tomatoes_score", quantity(row["Meter"], "percent"), src, {"number_of_reviews": reviews})
    if row["Metacritic"]:
        kb.attr(ident, "metacritic_score", quantity(row["Metacritic"]), src)
    if row["Rating"] in RATINGS:
        kb.attr(ident, "mpa_rating", row["Rating"], src)
    kb.attr(ident, "imdb_id", row["imdbID"], src)
    for column, relation, cls in ROLES:
        found = [people.get((name, row["imdbID"])) for name in _all_names(row[column])]
        if column == "Cast" or None not in found:       # all directors and all writers of a film, or none: a part would seem to be all
            for person in found:
                if person:
                    kb.rel(ident, relation, person, src)
    for genre in _items(row["Genre"]):
        label, aliases = GENRES.get(genre, (genre.lower(), []))
        label = "Western" if genre == "Western" else label
        kb.rel(ident, "genre", kb.entity(f"genre/{slug(genre)}", label, "film_genre", aliases=aliases, description="film genre"), src)
    for name in _items(row["Language"]):
        language = find_language(ctx, name)
        if language:
            kb.rel(ident, "original_language", language, src)
    for name in _items(row["Country"]):
        country = COUNTRIES.get(name) or ctx.country(name)
        if country:
            kb.rel(ident, "country_of_origin", country, src)
    for name in _items(row["Production"]):
        if len(name) > 1 and name[0] not in ".-" and not ctx.country(name) and name not in ("Inc.", "Ltd.", "LLC", "Inc", "Ltd", "Washington"):
            name = name.removesuffix(" (Firm)").removesuffix(" (U.S.)")
            company = kb.entity(f"company/{slug(name)}", name, "production_company", description="film production company")
            kb.rel(ident, "production_company", company, src)
    directors = [n for n in _names(row["Director"])][:2]
    kb.entities[ident].description = f"{row['Year']} film" + (f" directed by {listing(directors)}" if directors else "")


def _items(text):
    return list(dict.fromkeys(part.strip() for part in (text or "").split(",") if part.strip()))
