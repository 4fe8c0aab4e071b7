//! Hostile S-expressions and programs.

use crate::{Case, SIZE};
use std::fmt::Write;

/// A unit repeated as often as it fits, between two ends.
pub(crate) fn flood(before: &str, unit: &str, after: &str) -> String {
    let times = (SIZE - before.len() - after.len()) / unit.len();
    format!("{before}{}{after}", unit.repeat(times))
}

/// Numbered units, as many as fit.
pub(crate) fn numbered(before: &str, unit: impl Fn(usize) -> String, after: &str) -> String {
    let mut text = before.to_owned();
    for i in 0.. {
        let next = unit(i);
        if text.len() + next.len() + after.len() > SIZE {
            break;
        }
        text.push_str(&next);
    }
    text + after
}

/// `open` this many times, then the middle, then `close` as often; truncated to what fits.
pub(crate) fn nested(
    before: &str,
    open: &str,
    middle: &str,
    close: &str,
    after: &str,
    depth: usize,
) -> String {
    let room = SIZE - before.len() - middle.len() - after.len();
    let depth = depth.min(room / (open.len() + close.len()));
    format!("{before}{}{middle}{}{after}", open.repeat(depth), close.repeat(depth))
}

/// A tree with two branches at each inner node.
pub(crate) fn balanced(depth: usize, inner: &str, leaf: &dyn Fn(usize) -> String, at: usize) -> String {
    if depth == 0 {
        return leaf(at);
    }
    let half = |side| balanced(depth - 1, inner, leaf, 2 * at + side);
    format!("({inner} {} {})", half(0), half(1))
}

pub(crate) fn case(name: impl Into<String>, text: impl Into<String>) -> Case {
    (name.into(), text.into())
}

const EVERY_DEPTH: [usize; 4] = [30, 90, 198, SIZE];

pub(crate) fn s_expression_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for unit in [
        "(",
        ")",
        "\"",
        "\\",
        "\"\\",
        "\"\\\" ",
        "()",
        "( ",
        "a ",
        "^^",
        "(R ",
        "\u{e9}",
        " ",
        "\n",
        "@@UNKNOWN@@",
    ] {
        cases.push(case(format!("flood of {unit:?}"), flood("", unit, "")));
        cases.push(case(format!("AND over a flood of {unit:?}"), flood("(AND ", unit, ")")));
        cases.push(case(format!("JOIN with a flood of {unit:?}"), flood("(JOIN ", unit, " m.1)")));
    }
    for depth in EVERY_DEPTH {
        for (open, close) in [
            ("(AND a ", ")"),
            ("(AND (JOIN r m.1) ", ")"),
            ("(JOIN r ", ")"),
            ("(JOIN (R r) ", ")"),
            ("(COUNT ", ")"),
            ("(ARGMAX ", " r)"),
            ("(ARGMIN (AND c ", ") (JOIN r s))"),
            ("(TC ", " a.from NOW)"),
            ("(CONS ", " r m.1)"),
            ("(lt r ", ")"),
            ("(", ")"),
            ("(OR a ", ")"),
        ] {
            cases.push(case(format!("{depth} {open}"), nested("", open, "m.0", close, "", depth)));
        }
        cases.push(case(format!("{depth} R"), nested("(JOIN ", "(R ", "r", ")", " m.1)", depth)));
        cases.push(case(format!("path of {depth}"), nested("(ARGMAX c ", "(JOIN r ", "s", ")", ")", depth)));
        cases.push(case(
            format!("{depth} JOINs with classes"),
            nested("", "(AND c (JOIN r ", "m.0", "))", "", depth / 2),
        ));
    }
    cases.push(case("AND of many", numbered("(AND", |i| format!(" c{i}"), ")")));
    cases.push(case("AND of many joins", numbered("(AND", |i| format!(" (JOIN r m.{i})"), ")")));
    cases.push(case("AND of many equal joins", flood("(AND", " (JOIN r m.1)", ")")));
    cases.push(case("AND of many paths", flood("(AND", " (JOIN r (JOIN s (JOIN t m.1)))", ")")));
    cases.push(case("AND of many superlatives", flood("(AND", " (ARGMAX c r)", ")")));
    cases.push(case("AND of many periods", flood("(AND", " (TC c a.from 1990)", ")")));
    cases.push(case("AND of many comparisons", flood("(AND", " (lt r 1^^xsd:integer)", ")")));
    cases.push(case("AND of many CONS", flood("(AND", " (CONS c r m.1)", ")")));
    cases.push(case("balanced AND", balanced(12, "AND", &|_| "(JOIN r m.1)".to_owned(), 0)));
    cases.push(case(
        "balanced AND, numbered",
        balanced(11, "AND", &|i| format!("(JOIN r{} m.{i})", i % 7), 0),
    ));
    cases.push(case("JOIN below AND", balanced(11, "AND", &|_| "(JOIN r (JOIN s m.1))".to_owned(), 0)));
    cases.push(case("a long word", flood("(AND ", "x", " y)")));
    cases.push(case("a long relation", flood("(JOIN ", "x", " m.1)")));
    cases.push(case("a long quoted name", flood("(JOIN r \"", "\\\"", "\")")));
    cases.push(case("a long literal", flood("(JOIN r ", "9", "^^xsd:integer)")));
    cases.push(case("a long unknown operator", flood("(", "x", " y)")));
    cases.push(case("a long time", flood("(TC c r ", "9", ")")));
    cases
}

/// Two forms of half the size.
pub(crate) fn pair_cases() -> Vec<Case> {
    let half = |one: &str, two: &str| format!("{}\n{}", short(one), short(two));
    let tree = |depth: usize, leaf: &dyn Fn(usize) -> String| balanced(depth, "AND", leaf, 0);
    let mut cases = Vec::new();
    for depth in [4, 5, 6, 8, 10] {
        let equal = tree(depth, &|_| "(JOIN r m.1)".to_owned());
        let one_off = tree(depth, &|i| format!("(JOIN r m.{})", if i == 1 { 2 } else { 1 }));
        let last_off = tree(depth, &|i| format!("(JOIN r m.{})", if i + 1 == 1 << depth { 2 } else { 1 }));
        cases.push(case(format!("equal stars of 2^{depth}"), half(&equal, &equal)));
        cases.push(case(format!("stars of 2^{depth}, one leaf differs"), half(&equal, &one_off)));
        cases.push(case(format!("stars of 2^{depth}, leaves in another order"), half(&last_off, &one_off)));
        let paths = |odd: usize| {
            tree(depth.min(9), &|i| {
                format!("(JOIN r (JOIN r (AND (JOIN r m.{}) c)))", if i == odd { 2 } else { 1 })
            })
        };
        cases.push(case(format!("paths of 2^{depth}, one differs"), half(&paths(0), &paths(usize::MAX))));
        cases.push(case(format!("paths of 2^{depth} in another order"), half(&paths(0), &paths(3))));
        let functions = |odd: usize| {
            tree(depth.min(9), &|i| {
                format!("(JOIN r (ARGMAX (JOIN r m.1) {}))", if i == odd { "s" } else { "t" })
            })
        };
        cases
            .push(case(format!("superlatives, 2^{depth}, one differs"), half(&functions(0), &functions(99))));
        cases.push(case(format!("superlatives, 2^{depth}, reordered"), half(&functions(0), &functions(3))));
        let comparisons = |odd: usize| {
            tree(depth.min(9), &|i| format!("(JOIN r ({} r 1^^x))", if i == odd { "lt" } else { "ge" }))
        };
        cases.push(case(
            format!("comparisons, 2^{depth}, one differs"),
            half(&comparisons(0), &comparisons(99)),
        ));
        cases
            .push(case(format!("comparisons, 2^{depth}, reordered"), half(&comparisons(0), &comparisons(3))));
    }
    cases
}

pub(crate) fn short(text: &str) -> &str {
    &text[..text.len().min(SIZE / 2 - 1)]
}

pub(crate) fn program_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for unit in [
        "(",
        ")",
        "[",
        "{",
        "\"",
        "\\",
        "\"\\",
        "[{",
        "{\"a\":",
        "[[],",
        ",",
        "<func>",
        "<arg>",
        "<func> <arg>",
        ">",
        "->",
        "→",
        "\u{e9}",
        " ",
        "\n",
        "Find",
        "Find(a",
        "Find(a) > ",
        "FindAll > ",
        "9",
        "[9,",
        "\"\\u0041",
    ] {
        cases.push(case(format!("flood of {unit:?}"), flood("", unit, "")));
        cases.push(case(format!("Find( and a flood of {unit:?}"), flood("Find(", unit, ") > What()")));
        cases.push(case(
            format!("Find <arg> and a flood of {unit:?}"),
            flood("Find <arg> ", unit, " <func> What"),
        ));
        cases.push(case(
            format!("JSON and a flood of {unit:?}"),
            flood("[{\"function\":\"Find\",\"inputs\":[\"", unit, "\"]}]"),
        ));
    }
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{\"program\":", "}"), ("[{\"function\":", "}]"), ("Find(", ")")]
    {
        cases.push(case(format!("nested {open}"), nested("", open, "", close, "", SIZE)));
        cases.push(case(
            format!("Find( and nested {open}"),
            nested("Find(", open, "a", close, ") > What()", SIZE),
        ));
    }
    for step in [
        "Relate(r, forward)",
        "Relate(r, backward)",
        "FilterConcept(c)",
        "FilterStr(k, v)",
        "FilterNum(k, 5 metre, <)",
        "FilterYear(k, 1990, =)",
        "FilterDate(k, 1990-01-01, !=)",
        "Relate(r, forward) > QFilterStr(k, v)",
        "QFilterNum(k, 5, <)",
        "Find(b) > And()",
        "Find(b) > Or()",
        "FindAll() > FilterConcept(c) > Or()",
        "Find(b) > Relate(r, forward) > And()",
        "Count()",
    ] {
        for times in [50, 150, 195, usize::MAX] {
            let unit = format!(" > {step}");
            let times = times.min((SIZE - 32) / unit.len());
            for end in ["What()", "Count()", "QueryAttr(k)", "SelectAmong(k, largest)"] {
                let text = format!("Find(a){} > {end}", unit.repeat(times));
                cases.push(case(format!("{times} of {step}, {end}"), text));
            }
        }
    }
    for times in [100, 190, 1000, usize::MAX] {
        let first = "Find(a) > ";
        for join in ["And() > ", "Or() > "] {
            let times = times.min((SIZE - 32) / (first.len() + join.len()));
            let text = format!("{first}{}{}What()", first.repeat(times), join.repeat(times));
            cases.push(case(format!("{times} of {join}to the right"), text));
        }
    }
    for join in ["And", "Or"] {
        for depth in [20, 60, 190, 700] {
            let mut text = "[{\"function\":\"Find\",\"dependencies\":[],\"inputs\":[\"a\"]}".to_owned();
            for i in 0..depth {
                let _ = write!(text, ",{{\"function\":\"{join}\",\"dependencies\":[{i},{i}]}}");
            }
            let _ = write!(text, ",{{\"function\":\"What\",\"dependencies\":[{depth}]}}]");
            cases.push(case(format!("{depth} doublings with {join}"), text));
        }
    }
    let step = |i: usize| {
        format!(",{{\"function\":\"Relate\",\"dependencies\":[{i}],\"inputs\":[\"r\",\"forward\"]}}")
    };
    let first = "[{\"function\":\"FindAll\",\"dependencies\":[],\"inputs\":[]}";
    cases.push(case("a long chain in JSON", numbered(first, step, "]")));
    cases.push(case(
        "many unused steps",
        flood("[{\"function\":\"FindAll\"}", ",{\"function\":\"FindAll\"}", "]"),
    ));
    cases.push(case("many dependencies", flood("[{\"function\":\"What\",\"dependencies\":[0", ",0", "]}]")));
    cases.push(case("many inputs", flood("Find(a", ", a", ") > What()")));
    cases.push(case("balanced And", balanced_program(11)));
    cases.push(case("a long name", flood("Find(", "x", ") > What()")));
    cases.push(case("a long number", flood("FindAll() > FilterNum(k, ", "9", ", <) > What()")));
    cases.push(case("a long year", flood("FindAll() > FilterYear(k, ", "9", ", <) > What()")));
    cases.push(case("a long direction", flood("Find(a) > Relate(r, ", "f", ") > What()")));
    cases.push(case("a long function", flood("", "F", "(a)")));
    cases
}

pub(crate) fn balanced_program(depth: usize) -> String {
    let mut text = "Find(a)".to_owned();
    for i in 1..1usize << depth {
        text.push_str(" > Find(a)");
        text.push_str(&" > And()".repeat(i.trailing_ones() as usize));
    }
    text + " > What()"
}
