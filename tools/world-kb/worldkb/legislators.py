"""Members of the United States Congress, presidents and committees (npm us-legislators, a snapshot of 2015)."""

import re
from datetime import date

from .countries import country_id
from .factbook import NOT_RELIGIONS, religion
from .model import quantity, ref, year
from .text import ascii_fold, slug

PACKAGE = "us-legislators"
SNAPSHOT = "2015-07-05"      # terms that end later had not ended: their end is not known

OFFICES = {"rep": ("office/representative", "Member of the United States House of Representatives", ["U.S. representative", "United States representative"]),
           "sen": ("office/senator", "United States Senator", ["U.S. senator"]),
           "prez": ("office/president", "President of the United States", ["U.S. president"]),
           "viceprez": ("office/vice-president", "Vice President of the United States", ["U.S. vice president"])}

# The source's word -> name of the party. Independents, unknown and "Ind. X" have no party here.
PARTIES = {
    "Democrat": "Democratic Party", "Democratic": "Democratic Party", "Republican": "Republican Party", "Whig": "Whig Party",
    "Jackson": "Jacksonian Party", "Jacksonian": "Jacksonian Party", "Federalist": "Federalist Party", "Adams": "Adams Party",
    "American": "American Party", "Anti Masonic": "Anti-Masonic Party", "Anti Mason": "Anti-Masonic Party", "Unionist": "Unionist Party",
    "Populist": "Populist Party", "Anti Jacksonian": "Anti-Jacksonian Party", "Anti-Jacksonian": "Anti-Jacksonian Party",
    "Anti Jackson": "Anti-Jacksonian Party", "Progressive": "Progressive Party", "Unconditional Unionist": "Unconditional Unionist Party",
    "Democratic Republican": "Democratic-Republican Party", "Democratic-Republican": "Democratic-Republican Party",
    "Nullifier": "Nullifier Party", "Farmer-Labor": "Farmer-Labor Party", "National Greenbacker": "Greenback Party",
    "Pro-Administration": "Pro-Administration Party", "Pro-administration": "Pro-Administration Party", "Free Soil": "Free Soil Party",
    "Popular Democrat": "Popular Democratic Party", "Anti-Administration": "Anti-Administration Party", "Anti-administration": "Anti-Administration Party",
    "Liberal Republican": "Liberal Republican Party", "Conservative": "Conservative Party", "Silver Republican": "Silver Republican Party",
    "Anti-Lecompton Democrat": "Anti-Lecompton Democratic Party", "Socialist": "Socialist Party", "American Labor": "American Labor Party",
    "Readjuster": "Readjuster Party", "New Progressive": "New Progressive Party", "Crawford Republican": "Crawford Republican Party",
    "Law and Order": "Law and Order Party", "States Rights": "States Rights Party", "Prohibitionist": "Prohibition Party",
    "Constitutional Unionist": "Constitutional Union Party", "Union Labor": "Union Labor Party", "Liberty": "Liberty Party", "Silver": "Silver Party",
    "Libertarian": "Libertarian Party", "Green": "Green Party", "Reform": "Reform Party",
}
PARTY_ALIASES = {"Democratic Party": ["Democrats", "Democratic Party (United States)"], "Republican Party": ["Republicans", "GOP", "Republican Party (United States)"],
                 "American Party": ["Know Nothing"], "Populist Party": ["People's Party"], "Democratic-Republican Party": ["Jeffersonian Republicans"]}
RELIGIONS = {"Catholic": "Roman Catholic", "Seventh-Day Adventist": "Seventh Day Adventist"}
TERRITORIES = {"PR": "PR", "VI": "VI", "GU": "GU", "AS": "AS", "MP": "MP", "PI": "PH"}


def party(ctx, word, start="1900"):
    """Entity of a party, or None. Before 1850 "Republican" is the party of Jefferson, not the one founded in 1854."""
    name = PARTIES.get(word or "")
    if name == "Republican Party" and start < "1850":
        name = "Democratic-Republican Party"
    if not name:
        return None
    return ctx.kb.entity(f"party/{slug(name.removesuffix(' Party'))}", name, "political_party", aliases=PARTY_ALIASES.get(name, ()),
                         description="political party in the United States" if name != "New Progressive Party" and name != "Popular Democratic Party"
                         else "political party in Puerto Rico")


def electoral_place(ctx, code):
    """The state or territory that a member represents; Dakota and Orleans Territory have no entity."""
    return country_id(TERRITORIES[code]) if code in TERRITORIES else ctx.us_states.get(code)


def office(ctx, kind):
    ident, label, aliases = OFFICES[kind]
    src = ctx.source(PACKAGE, "legislators")
    ctx.kb.entity(ident, label, "political_office", aliases=aliases, description="political office in the United States")
    ctx.kb.rel(ident, "jurisdiction", country_id("US"), src)
    return ident


def add_legislators(ctx):
    merged = {}
    for file in ("legislators-historical", "legislators-current", "executive"):
        for record in ctx.json(PACKAGE, f"data/{file}.json"):
            # A president who sat in Congress is in two files; the Biographical Directory id tells that it is one person.
            ident = "person/" + (record["id"].get("bioguide") or f"govtrack-{record['id']['govtrack']}")
            if ident in merged:
                merged[ident]["terms"] = merged[ident]["terms"] + record["terms"]
                merged[ident]["id"].setdefault("wikipedia", record["id"].get("wikipedia"))
            else:
                merged[ident] = record
    for ident in sorted(merged):
        _person(ctx, ident, merged[ident])
    _committees(ctx)


def _names(record):
    name, wikipedia = record["name"], record["id"].get("wikipedia")
    suffix = (name.get("suffix") or "").strip()
    short = " ".join(filter(None, [name["first"], name["last"], suffix]))
    full = " ".join(filter(None, [name["first"], name.get("middle"), name["last"], suffix]))
    # Some Wikipedia titles in the source are those of another article ("The Kiski School").
    if wikipedia and ascii_fold(name["last"]).lower().split()[-1] not in ascii_fold(wikipedia).lower():
        wikipedia = None
    label = re.sub(r" \(.*?\)$", "", wikipedia).strip() if wikipedia else name.get("official_full") or full
    aliases = [full, name.get("official_full")]
    if len(name["first"].rstrip(".")) > 1:
        aliases.append(short)
    nick = name.get("nickname") or ""
    if re.fullmatch(r"[A-Z][a-z]+", nick):
        aliases.append(f"{nick} {name['last']}")
    for other in record.get("other_names") or []:
        if other.get("last"):
            aliases.append(f"{name['first']} {other['last']}")
    return label, [a for a in aliases if a]


def _person(ctx, ident, record):
    kb, src = ctx.kb, ctx.source(PACKAGE, "legislators")
    label, aliases = _names(record)
    label = label.replace(", ", " ")      # 'Name, Jr.'
    nick = re.search(r' ?["(]([^")]+)[")]', label)
    if nick:                              # 'Earl L. "Buddy" Carter', 'James (Jim) Guy Tucker Jr.'
        label = " ".join(label.replace(nick[0], " ").split())
        aliases.append(f"{nick[1]} {record['name']['last']}")
    kb.entity(ident, label, "politician", aliases=aliases)
    bio = record["bio"]
    if re.fullmatch(r"\d{4}-\d\d-\d\d", bio.get("birthday") or ""):
        kb.attr(ident, "date_of_birth", {"date": bio["birthday"]}, src)
    if bio.get("gender") in ("M", "F"):
        kb.attr(ident, "gender", {"M": "male", "F": "female"}[bio["gender"]], src)
    if bio.get("religion") and bio["religion"] != "Unknown" and bio["religion"] not in NOT_RELIGIONS:
        kb.rel(ident, "religious_affiliation", religion(ctx, RELIGIONS.get(bio["religion"], bio["religion"])), src)
    runs = _runs(record["terms"])
    spans = []
    for (kind, state, district, word), start, end in runs:
        place, party_id = electoral_place(ctx, state) if state else None, party(ctx, word, start)
        quals = {"start_time": {"date": start}, "end_time": _end(kind, end), "political_party": ref(party_id) if party_id else None,
                 "electoral_state": ref(place) if place else None,
                 "district_number": quantity(district) if district and district > 0 else None}
        kb.rel(ident, "position_held", office(ctx, kind), src, quals)
        if party_id:       # without times: leaving Congress is not leaving the party
            kb.rel(ident, "party", party_id, src)
        if place:
            spans.append([place, start, end])
    for place, start, end in _join(spans):
        kb.rel(ident, "represents", place, src, {"start_time": {"date": start}, "end_time": _end("", end)})
    for role in record.get("leadership_roles") or []:
        name = f"{'Senate' if role['chamber'] == 'senate' else 'House'} {role['title']}"
        post = kb.entity(f"office/{slug(name)}", name, "political_office", description="leadership office in the United States Congress")
        kb.rel(post, "jurisdiction", country_id("US"), src)
        if role.get("start"):
            kb.rel(ident, "position_held", post, src, {"start_time": {"date": role["start"]},
                                                       "end_time": {"date": role["end"]} if role.get("end") else None})
    kb.entities[ident].description = _describe(ctx, runs, bio)
    ctx.legislators.append((ident, record, runs))


def _end(kind, end):
    return None if end > SNAPSHOT and kind not in ("prez", "viceprez") else {"date": end}


def _runs(terms):
    """Terms in the same seat that follow each other directly are one span (a new Congress is not a new job)."""
    runs = []
    for term in sorted(terms, key=lambda t: (t["start"], t["type"])):
        seat = (term["type"], term.get("state"), term.get("district"), term.get("party"))
        same = [run for run in runs if run[0] == seat]
        if same and (date.fromisoformat(term["start"]) - date.fromisoformat(same[-1][2])).days < 400:
            same[-1][2] = max(same[-1][2], term["end"])
        else:
            runs.append([seat, term["start"], term["end"]])
    return runs


def _describe(ctx, runs, bio):
    parts = []
    for kind, words in (("prez", "president of the United States"), ("viceprez", "vice president of the United States"),
                        ("sen", "U.S. senator"), ("rep", "U.S. representative")):
        found = [run for run in runs if run[0][0] == kind]
        if not found:
            continue
        place = electoral_place(ctx, found[-1][0][1]) if found[-1][0][1] else None
        parts.append(words + (f" from {ctx.kb.label(place)}" if place else "") + f" ({_years(kind, found)})")
    born = f", born {bio['birthday'][:4]}" if bio.get("birthday") else ""
    return "American politician, " + ", ".join(parts[:2]) + born


def _join(spans):
    """[key, start, end] with spans of the same key joined where one follows the other directly."""
    joined = []
    for what, start, end in sorted(spans):
        last = joined[-1] if joined else None
        if last and last[0] == what and (date.fromisoformat(start) - date.fromisoformat(last[2])).days < 400:
            last[2] = max(last[2], end)
        else:
            joined.append([what, start, end])
    return joined


def _years(kind, runs):
    """'1993–2007', 'since 2007', '2009–2011, since 2013': the years in an office, whatever the seat."""
    spans = _join(["", start, end] for _, start, end in runs)
    return ", ".join(f"{s[:4]}–{e[:4]}" if _end(kind, e) else f"since {s[:4]}" for _, s, e in spans[-2:])


def _committees(ctx):
    kb, src = ctx.kb, ctx.source(PACKAGE, "committees")
    known = {}
    for record in ctx.json(PACKAGE, "data/committees-current.json"):
        ident = kb.entity(f"committee/{record['thomas_id']}", record["name"], "legislative_committee",
                          description="committee of the United States Congress")
        known[record["thomas_id"]] = ident
        for part in record.get("subcommittees") or []:
            code = record["thomas_id"] + part["thomas_id"]
            sub = kb.entity(f"committee/{code}", f"Subcommittee on {part['name']}" if "Subcommittee" not in part["name"] else part["name"],
                            "legislative_committee", description=f"subcommittee of the {record['name']}")
            kb.rel(sub, "parent_committee", ident, src)
            known[code] = sub
    for code, members in sorted(ctx.json(PACKAGE, "data/committee-membership-current.json").items()):
        for member in members:
            person = f"person/{member['bioguide']}"
            if code in known and person in kb:
                kb.rel(person, "committee", known[code], src, {"role": member.get("title"), "point_in_time": year(SNAPSHOT[:4])})
