//! Random queries of all kinds over the terms of a graph.

use super::Rng;
use oxrdf::{Term, Triple};

pub struct Generator<'g> {
    pub rng: Rng,
    graph: &'g [Triple],
    /// Number of variables made by BIND and the like.
    made: usize,
}

const REIFIES: &str = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>";

impl<'g> Generator<'g> {
    pub fn new(seed: u64, graph: &'g [Triple]) -> Generator<'g> {
        Generator { rng: Rng::new(seed), graph, made: 0 }
    }

    fn triple(&mut self) -> &'g Triple {
        let at = self.rng.below(self.graph.len());
        &self.graph[at]
    }

    /// Blank nodes cannot be written as constants.
    fn constant(&mut self, subject: bool) -> String {
        for _ in 0..20 {
            let triple = self.triple();
            let term = if subject { Term::from(triple.subject.clone()) } else { triple.object.clone() };
            if !term.is_blank_node() && !term.to_string().contains("_:") {
                return term.to_string();
            }
        }
        "1".to_owned()
    }

    fn predicate(&mut self) -> String {
        self.triple().predicate.to_string()
    }

    fn variable(&mut self) -> String {
        format!("?{}", self.rng.pick(&["a", "b", "c"]))
    }

    fn new_variable(&mut self) -> String {
        self.made += 1;
        format!("?v{}", self.made)
    }

    fn path(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.predicate();
        }
        match self.rng.below(9) {
            0 => format!("{}/{}", self.path(depth - 1), self.path(depth - 1)),
            1 => format!("({}|{})", self.path(depth - 1), self.path(depth - 1)),
            2 => format!("(^{})", self.path(depth - 1)),
            3 => format!("({})*", self.path(depth - 1)),
            4 => format!("({})+", self.path(depth - 1)),
            5 => format!("({})?", self.path(depth - 1)),
            6 => format!("!({}|^{})", self.predicate(), self.predicate()),
            _ => self.predicate(),
        }
    }

    fn triple_pattern(&mut self) -> String {
        let known = self.triple();
        let subject = match self.rng.below(3) {
            0 if !known.subject.is_blank_node() => known.subject.to_string(),
            _ => self.variable(),
        };
        let predicate = match self.rng.below(6) {
            0 => "?p".to_owned(),
            _ => known.predicate.to_string(),
        };
        let object = match self.rng.below(4) {
            0 if !known.object.to_string().contains("_:") => known.object.to_string(),
            _ => self.variable(),
        };
        format!("{subject} {predicate} {object} .")
    }

    pub fn group(&mut self, depth: usize) -> String {
        let first = self.triple_pattern();
        if depth == 0 {
            return first;
        }
        let d = depth - 1;
        match self.rng.below(19) {
            0 => format!("{first} {}", self.group(d)),
            1 => format!("{{ {} }} UNION {{ {} }}", self.group(d), self.group(d)),
            2 => format!("{first} OPTIONAL {{ {} }}", self.group(d)),
            3 => format!("{first} OPTIONAL {{ {} FILTER({}) }}", self.group(d), self.condition(1)),
            4 => format!("{first} MINUS {{ {} }}", self.group(d)),
            5 | 6 => format!("{} FILTER({})", self.group(d), self.condition(2)),
            7 => format!("{first} FILTER EXISTS {{ {} }}", self.group(d)),
            8 => format!("{} FILTER NOT EXISTS {{ {} }}", self.group(d), self.triple_pattern()),
            9 => {
                let variable = self.new_variable();
                format!("{} BIND({} AS {variable})", self.group(d), self.value(2))
            }
            10 => {
                let values: Vec<String> = (0..1 + self.rng.below(3)).map(|_| self.constant(true)).collect();
                format!("VALUES {} {{ {} }} {}", self.variable(), values.join(" "), self.group(d))
            }
            11 => {
                let (one, two) = (self.constant(true), self.constant(false));
                format!("{} VALUES (?a ?c) {{ ({one} UNDEF) (UNDEF {two}) }}", self.group(d))
            }
            12 => {
                let count = self.new_variable();
                let by = self.variable();
                format!(
                    "{{ SELECT {by} (COUNT(*) AS {count}) WHERE {{ {} }} GROUP BY {by} }} {first}",
                    self.group(d)
                )
            }
            13 => format!("{{ SELECT DISTINCT ?a ?b WHERE {{ {} }} }} {first}", self.group(d)),
            14 => {
                let (s, path, o) = (self.end(), self.path(2), self.end());
                format!("{s} {path} {o} . {}", self.group(d))
            }
            15 => format!("?r {REIFIES} <<( ?a {} {} )>> . ?r ?q ?c", self.predicate(), self.end()),
            16 => format!("<< ?a {} ?b >> ?q ?c . {first}", self.predicate()),
            17 => format!("{{ ?r {REIFIES} ?t . BIND(SUBJECT(?t) AS ?a) BIND(OBJECT(?t) AS ?b) }} {first}"),
            _ => format!("GRAPH ?g {{ {first} }}"),
        }
    }

    /// Groups within groups: filters, new variables and sub-queries that see some variables and not others.
    pub fn nested(&mut self, depth: usize) -> String {
        let first = self.triple_pattern();
        if depth == 0 {
            return match self.rng.below(3) {
                0 => format!("{first} {}", self.triple_pattern()),
                _ => first,
            };
        }
        let d = depth - 1;
        match self.rng.below(17) {
            0 => format!("{first} {{ {} FILTER({}) }}", self.nested(d), self.condition(1)),
            1 => format!(
                "{} OPTIONAL {{ {} OPTIONAL {{ {} }} }}",
                self.nested(d),
                self.nested(d),
                self.triple_pattern()
            ),
            2 => format!("OPTIONAL {{ {} }} {}", self.nested(d), self.nested(d)),
            3 => format!(
                "{first} OPTIONAL {{ {} }} {} FILTER({})",
                self.nested(d),
                self.triple_pattern(),
                self.condition(1)
            ),
            4 => format!(
                "{{ {} }} UNION {{ {} FILTER({}) }} {first}",
                self.nested(d),
                self.triple_pattern(),
                self.condition(1)
            ),
            5 => {
                format!("{first} {{ {} }} UNION {{ }} UNION {{ {} }}", self.nested(d), self.triple_pattern())
            }
            6 => {
                let (new, from) = (self.new_variable(), self.variable());
                format!(
                    "{{ {first} BIND({} AS {new}) }} {} OPTIONAL {{ {new} ?p {from} }}",
                    self.value(1),
                    self.nested(d)
                )
            }
            7 => {
                let new = self.new_variable();
                format!(
                    "{first} BIND({} AS {new}) {} FILTER({new} != {})",
                    self.variable(),
                    self.nested(d),
                    self.value(1)
                )
            }
            8 => format!("{} MINUS {{ {} }}", self.nested(d), self.nested(d)),
            9 => format!(
                "{first} MINUS {{ {} FILTER({}) }} {}",
                self.triple_pattern(),
                self.condition(1),
                self.nested(d)
            ),
            10 => format!(
                "{} FILTER NOT EXISTS {{ {} FILTER({}) }}",
                self.nested(d),
                self.triple_pattern(),
                self.condition(1)
            ),
            11 => {
                format!("{} FILTER(EXISTS {{ {} }} || {})", self.nested(d), self.nested(0), self.condition(1))
            }
            12 => format!("{first} {{ SELECT ?a ?c WHERE {{ {} }} }}", self.nested(d)),
            13 => format!(
                "{{ SELECT ?b (MAX(STR(?c)) AS ?m) (COUNT(DISTINCT ?a) AS ?n) WHERE {{ {} }} GROUP BY ?b }} {first}",
                self.nested(d)
            ),
            14 => {
                let (one, two) = (self.constant(true), self.constant(false));
                format!(
                    "VALUES (?b ?c) {{ ({one} UNDEF) (UNDEF {two}) (UNDEF UNDEF) }} OPTIONAL {{ {} }}",
                    self.nested(d)
                )
            }
            15 => {
                let (s, path, o) = (self.end(), self.path(2), self.end());
                format!("{} OPTIONAL {{ {s} {path} {o} }}", self.nested(d))
            }
            _ => format!("{} {} FILTER({})", self.nested(d), self.triple_pattern(), self.condition(2)),
        }
    }

    /// A query with groups within groups.
    pub fn nested_query(&mut self) -> String {
        self.made = 0;
        let depth = 1 + self.rng.below(3);
        let group = self.nested(depth);
        match self.rng.below(12) {
            0 => format!("ASK {{ {group} }}"),
            1 => format!("SELECT DISTINCT ?a WHERE {{ {group} }}"),
            2 => format!("SELECT DISTINCT ?b ?c WHERE {{ {group} }}"),
            3 => format!("SELECT (COUNT(DISTINCT ?a) AS ?n) WHERE {{ {group} }}"),
            4 => format!(
                "SELECT ?a (COUNT(DISTINCT ?b) AS ?n) (MIN(STR(?c)) AS ?m) WHERE {{ {group} }} GROUP BY ?a"
            ),
            5 => format!(
                "SELECT ?a (SUM(?c) AS ?n) (COUNT(*) AS ?m) WHERE {{ {group} }} GROUP BY ?a HAVING(?m > 1)"
            ),
            6 => format!(
                "SELECT (STR(?b) AS ?x) (STR(?a) AS ?y) WHERE {{ {group} }} ORDER BY DESC(STR(?b)) STR(?a)"
            ),
            7 => {
                format!("SELECT DISTINCT ?c WHERE {{ {group} }} ORDER BY ?c LIMIT {}", 1 + self.rng.below(5))
            }
            8 => format!(
                "SELECT ?a WHERE {{ {group} }} LIMIT {} OFFSET {}",
                self.rng.below(6),
                self.rng.below(3)
            ),
            _ => format!("SELECT * WHERE {{ {group} }}"),
        }
    }

    fn end(&mut self) -> String {
        if self.rng.one_in(3) { self.constant(true) } else { self.variable() }
    }

    /// An expression with a truth value.
    fn condition(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.rng.below(14) {
            0 if depth > 0 => format!("({} && {})", self.condition(d), self.condition(d)),
            1 if depth > 0 => format!("({} || {})", self.condition(d), self.condition(d)),
            2 if depth > 0 => format!("!({})", self.condition(d)),
            3 => format!("{} = {}", self.value(d), self.value(d)),
            4 => format!("{} < {}", self.value(d), self.value(d)),
            5 => format!("{} >= {}", self.value(d), self.value(d)),
            6 => format!("{} != {}", self.value(d), self.constant(false)),
            7 => format!("BOUND({})", self.variable()),
            8 => format!("isIRI({})", self.value(d)),
            9 => format!("isLiteral({})", self.value(d)),
            10 => format!(
                "REGEX(STR({}), \"{}\", \"i\")",
                self.value(d),
                self.rng.pick(&["a", "^q", "[0-9]+$", "é"])
            ),
            11 => format!("LANG({}) = \"{}\"", self.variable(), self.rng.pick(&["en", "fr", ""])),
            12 => format!("{} IN ({}, {})", self.value(d), self.constant(false), self.constant(true)),
            _ => format!("sameTerm({}, {})", self.value(d), self.value(d)),
        }
    }

    fn value(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.rng.below(3) {
                0 => self.constant(false),
                _ => self.variable(),
            };
        }
        let d = depth - 1;
        match self.rng.below(20) {
            0 => format!("({} + {})", self.value(d), self.rng.below(5)),
            1 => format!("({} * {})", self.value(d), self.value(d)),
            2 => format!("({} - {})", self.value(d), self.value(d)),
            3 => format!("STR({})", self.value(d)),
            4 => format!("DATATYPE({})", self.value(d)),
            5 => format!("YEAR({})", self.value(d)),
            6 => format!("CONCAT(STR({}), \"x\", STR({}))", self.value(d), self.value(d)),
            7 => format!("REPLACE(STR({}), \"[a-e]\", \"<$0>\")", self.value(d)),
            8 => format!("UCASE(STR({}))", self.value(d)),
            9 => format!("STRLEN(STR({}))", self.value(d)),
            10 => format!("IF({}, {}, {})", self.condition(d), self.value(d), self.value(d)),
            11 => format!("COALESCE({}, {})", self.value(d), self.value(d)),
            12 => format!("ABS({})", self.value(d)),
            13 => format!("SUBSTR(STR({}), 2, 3)", self.value(d)),
            14 => format!("STRDT(STR({}), <http://www.w3.org/2001/XMLSchema#integer>)", self.value(d)),
            15 => format!("<http://www.w3.org/2001/XMLSchema#double>({})", self.value(d)),
            16 => format!("ENCODE_FOR_URI(STR({}))", self.value(d)),
            17 => format!("STRLANG(STR({}), \"en\")", self.value(d)),
            18 => "TRIPLE(?a, ?p, ?b)".to_owned(),
            _ => self.value(0),
        }
    }

    /// A query, and whether it requires an order of its rows.
    pub fn query(&mut self) -> String {
        self.made = 0;
        let depth = 1 + self.rng.below(3);
        let group = self.group(depth);
        match self.rng.below(14) {
            0 => format!("ASK {{ {group} }}"),
            1 => format!("CONSTRUCT {{ ?a <http://new/p> ?b . ?b <http://new/q> ?c }} WHERE {{ {group} }}"),
            2 => {
                format!("CONSTRUCT {{ ?a <http://new/p> <<( ?a <http://new/q> ?b )>> }} WHERE {{ {group} }}")
            }
            3 => format!("DESCRIBE ?a {{ {group} }}"),
            4 => format!(
                "DESCRIBE {}",
                self.constant(true)
                    .replace('"', "")
                    .split_whitespace()
                    .next()
                    .filter(|t| t.starts_with('<') && t.ends_with('>'))
                    .unwrap_or("<http://none/>")
            ),
            5 => format!("SELECT DISTINCT ?a ?c WHERE {{ {group} }}"),
            // Oxigraph also counts blank nodes of the pattern, which are not part of a solution.
            6 if !group.contains("<< ") => format!(
                "SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT ?a) AS ?d) (COUNT(DISTINCT *) AS ?r) WHERE {{ {group} }}"
            ),
            7 => format!(
                "SELECT ?a (COUNT(?b) AS ?n) (MIN(STR(?c)) AS ?m) WHERE {{ {group} }} GROUP BY ?a HAVING(COUNT(*) > 1)"
            ),
            8 => format!(
                "SELECT ?k (SUM(?b) AS ?s) (AVG(?b) AS ?g) (STRLEN(GROUP_CONCAT(STR(?c))) AS ?l) WHERE {{ {group} }} GROUP BY (STRLEN(STR(?a)) AS ?k)"
            ),
            9 => format!("SELECT * WHERE {{ {group} }} ORDER BY DESC(STR(?b)) ?a"),
            10 => format!(
                "SELECT ?a ?b WHERE {{ {group} }} ORDER BY ?b STRLEN(STR(?a)) LIMIT {} OFFSET {}",
                self.rng.below(20),
                self.rng.below(4)
            ),
            11 => format!("SELECT REDUCED ?a WHERE {{ {group} }}"),
            _ => format!("SELECT * WHERE {{ {group} }}"),
        }
    }
}
