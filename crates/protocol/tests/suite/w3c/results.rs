//! Results as the W3C's tests expect them, and whether two results are the same up to the names of blank nodes.

use super::manifest::{graph, resource};
use oxrdf::{BlankNode, Graph, Literal, NamedNodeRef, NamedOrBlankNode, Term, TermRef, Triple};
use sparesults::{QueryResultsFormat, QueryResultsParser, SliceQueryResultsParserOutput};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use touchstone_engine::sparql::Results;

const RS: &str = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#";
const RDF_TYPE: NamedNodeRef<'static> =
    NamedNodeRef::new_unchecked("http://www.w3.org/1999/02/22-rdf-syntax-ns#type");

/// A result in a form that can be compared.
#[derive(Debug, Clone)]
pub enum Table {
    Boolean(bool),
    /// The columns, sorted, and the rows; `ordered` if their order counts.
    Rows {
        columns: Vec<String>,
        rows: Vec<Row>,
        ordered: bool,
    },
}

type Row = Vec<Option<Term>>;

impl Table {
    /// Brings columns into order.
    fn new(columns: Vec<String>, rows: Vec<Row>, ordered: bool) -> Table {
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by_key(|&at| &columns[at]);
        let rows = rows.into_iter().map(|row| order.iter().map(|&at| row[at].clone()).collect()).collect();
        Table::Rows { columns: order.iter().map(|&at| columns[at].clone()).collect(), rows, ordered }
    }

    /// What an engine gave.
    pub fn of(results: &Results) -> Table {
        match results {
            Results::Boolean(value) => Table::Boolean(*value),
            Results::Solutions { variables, rows } => {
                let columns = variables.iter().map(|variable| variable.as_str().to_owned()).collect();
                Table::new(columns, rows.clone(), false)
            }
            Results::Graph(triples) => Table::of_triples(triples.iter().cloned()),
        }
    }

    /// A graph: its triples as rows, each once.
    pub fn of_triples(triples: impl Iterator<Item = Triple>) -> Table {
        let graph: Graph = triples.collect();
        let row = |triple: oxrdf::TripleRef<'_>| {
            let triple = triple.into_owned();
            vec![Some(triple.subject.into()), Some(triple.predicate.into()), Some(triple.object)]
        };
        Table::new(["s", "p", "o"].map(str::to_owned).into(), graph.iter().map(row).collect(), false)
    }

    /// Text of CSV, where terms have no type: everything is text but blank nodes.
    pub fn of_csv(text: &str) -> Table {
        let mut lines = csv(text).into_iter();
        let columns = lines.next().unwrap_or_default();
        let cell = |text: String| match text.strip_prefix("_:") {
            Some(label) => Some(Term::from(BlankNode::new_unchecked(label))),
            None => Some(Term::from(Literal::new_simple_literal(text))),
        };
        let rows = lines.map(|line| line.into_iter().map(cell).collect()).collect();
        Table::new(columns, rows, false)
    }

    /// What a file expects.
    pub fn expected(path: &Path) -> Table {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("srx") => Table::parsed(&std::fs::read(path).unwrap(), QueryResultsFormat::Xml),
            Some("srj") => Table::parsed(&std::fs::read(path).unwrap(), QueryResultsFormat::Json),
            Some("tsv") => Table::parsed(&std::fs::read(path).unwrap(), QueryResultsFormat::Tsv),
            Some("csv") => Table::of_csv(&std::fs::read_to_string(path).unwrap()),
            _ => Table::of_graph(&graph(path)),
        }
    }

    /// A result in one of the standard formats.
    pub fn parsed(bytes: &[u8], format: QueryResultsFormat) -> Table {
        match QueryResultsParser::from_format(format).for_slice(bytes).unwrap() {
            SliceQueryResultsParserOutput::Boolean(value) => Table::Boolean(value),
            SliceQueryResultsParserOutput::Solutions(solutions) => {
                let columns: Vec<String> =
                    solutions.variables().iter().map(|variable| variable.as_str().to_owned()).collect();
                let rows = solutions.map(|solution| solution.unwrap().values().to_vec()).collect();
                Table::new(columns, rows, false)
            }
        }
    }

    /// A graph that describes a result, or is one.
    fn of_graph(graph: &Graph) -> Table {
        let iri = |name: &str| format!("{RS}{name}");
        let class = iri("ResultSet");
        let class = NamedNodeRef::new_unchecked(&class);
        let Some(set) = graph.subject_for_predicate_object(RDF_TYPE, class) else {
            return Table::of_triples(graph.iter().map(|triple| triple.into_owned()));
        };
        let objects = |subject: &NamedOrBlankNode, name: &str| -> Vec<Term> {
            let iri = iri(name);
            let found = graph.objects_for_subject_predicate(subject, NamedNodeRef::new_unchecked(&iri));
            found.map(TermRef::into_owned).collect()
        };
        let text = |term: &Term| match term {
            Term::Literal(literal) => literal.value().to_owned(),
            other => other.to_string(),
        };
        let set = set.into_owned();
        if let Some(value) = objects(&set, "boolean").first() {
            return Table::Boolean(text(value) == "true");
        }
        let columns: Vec<String> = objects(&set, "resultVariable").iter().map(text).collect();
        let mut rows: Vec<(Option<u64>, Row)> = Vec::new();
        for solution in objects(&set, "solution").iter().filter_map(|term| resource(term.as_ref())) {
            let mut cells: HashMap<String, Term> = HashMap::new();
            for binding in objects(&solution, "binding").iter().filter_map(|term| resource(term.as_ref())) {
                if let (Some(name), Some(value)) =
                    (objects(&binding, "variable").first(), objects(&binding, "value").first())
                {
                    cells.insert(text(name), value.clone());
                }
            }
            let index = objects(&solution, "index").first().and_then(|index| text(index).parse().ok());
            rows.push((index, columns.iter().map(|column| cells.get(column).cloned()).collect()));
        }
        let ordered = !rows.is_empty() && rows.iter().all(|(index, _)| index.is_some());
        rows.sort_by_key(|(index, _)| *index);
        Table::new(columns, rows.into_iter().map(|(_, row)| row).collect(), ordered)
    }

    /// Without repeated rows.
    pub fn distinct(mut self) -> Table {
        if let Table::Rows { rows, .. } = &mut self {
            let mut seen = HashSet::new();
            rows.retain(|row| seen.insert(row.clone()));
        }
        self
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            Table::Boolean(_) => 1,
            Table::Rows { rows, .. } => rows.len(),
        }
    }

    /// Whether two results are the same, up to the names of blank nodes and the spelling of numbers.
    pub fn same(&self, other: &Table) -> bool {
        match (self, other) {
            (Table::Boolean(a), Table::Boolean(b)) => a == b,
            (
                Table::Rows { columns, rows, ordered },
                Table::Rows { columns: other_columns, rows: other_rows, .. },
            ) => {
                columns == other_columns
                    && rows.len() == other_rows.len()
                    && same_rows(&by_value(rows), &by_value(other_rows), *ordered)
            }
            _ => false,
        }
    }
}

/// Numbers are compared by value and datatype: `2` and `2.0` are one decimal.
fn by_value(rows: &[Row]) -> Vec<Row> {
    let xsd = |name: &str| format!("http://www.w3.org/2001/XMLSchema#{name}");
    let numeric = ["integer", "decimal", "double", "float"].map(xsd);
    let number = |term: &Term| match term {
        Term::Literal(literal) if numeric.iter().any(|iri| literal.datatype().as_str() == iri) => {
            let value: f64 = literal.value().parse().ok()?;
            Some(Term::from(Literal::new_typed_literal(format!("{value:e}"), literal.datatype())))
        }
        _ => None,
    };
    let cell = |term: &Option<Term>| term.as_ref().map(|term| number(term).unwrap_or_else(|| term.clone()));
    rows.iter().map(|row| row.iter().map(cell).collect()).collect()
}

/// A row with all blank nodes alike.
fn signature(row: &Row) -> String {
    let erased = |term: &Term| match term {
        Term::BlankNode(_) => "_".to_owned(),
        other => other.to_string(),
    };
    row.iter().map(|term| term.as_ref().map_or(String::new(), erased)).collect::<Vec<_>>().join("\t")
}

fn same_rows(a: &[Row], b: &[Row], ordered: bool) -> bool {
    if ordered && a.iter().map(signature).ne(b.iter().map(signature)) {
        return false;
    }
    // Rows can only be those with the same signature; the rarest are tried first.
    let mut groups: BTreeMap<String, (Vec<&Row>, Vec<&Row>)> = BTreeMap::new();
    a.iter().for_each(|row| groups.entry(signature(row)).or_default().0.push(row));
    b.iter().for_each(|row| groups.entry(signature(row)).or_default().1.push(row));
    if groups.values().any(|(a, b)| a.len() != b.len()) {
        return false;
    }
    let mut groups: Vec<(Vec<&Row>, Vec<&Row>)> = groups.into_values().collect();
    groups.sort_by_key(|(a, _)| a.len());
    let pairs: Vec<(&Row, usize)> = groups
        .iter()
        .enumerate()
        .flat_map(|(group, (a, _))| a.iter().map(move |row| (*row, group)))
        .collect();
    let candidates: Vec<Vec<&Row>> = groups.iter().map(|(_, b)| b.clone()).collect();
    let mut used: Vec<Vec<bool>> = candidates.iter().map(|rows| vec![false; rows.len()]).collect();
    assign(&pairs, &candidates, &mut used, &mut Names::default())
}

/// Which blank node is which.
#[derive(Default, Clone)]
struct Names {
    there: HashMap<String, String>,
    back: HashMap<String, String>,
}

impl Names {
    fn unify(&mut self, a: &Row, b: &Row) -> bool {
        a.iter().zip(b).all(|pair| match pair {
            (Some(Term::BlankNode(a)), Some(Term::BlankNode(b))) => {
                let (a, b) = (a.as_str().to_owned(), b.as_str().to_owned());
                let there = self.there.entry(a.clone()).or_insert_with(|| b.clone()).clone();
                let back = self.back.entry(b.clone()).or_insert_with(|| a.clone()).clone();
                there == b && back == a
            }
            (a, b) => a == b,
        })
    }
}

/// Finds a partner for each row, with backtracking.
fn assign(
    pairs: &[(&Row, usize)],
    candidates: &[Vec<&Row>],
    used: &mut [Vec<bool>],
    names: &mut Names,
) -> bool {
    let Some(((row, group), rest)) = pairs.split_first() else { return true };
    for (at, candidate) in candidates[*group].iter().enumerate() {
        if used[*group][at] {
            continue;
        }
        let mut extended = names.clone();
        if extended.unify(row, candidate) {
            used[*group][at] = true;
            if assign(rest, candidates, used, &mut extended) {
                return true;
            }
            used[*group][at] = false;
        }
    }
    false
}

/// Cuts CSV into cells.
fn csv(text: &str) -> Vec<Vec<String>> {
    let (mut lines, mut line, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => line.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                line.push(std::mem::take(&mut cell));
                lines.push(std::mem::take(&mut line));
            }
            c => cell.push(c),
        }
    }
    if !cell.is_empty() || !line.is_empty() {
        line.push(cell);
        lines.push(line);
    }
    lines
}

#[test]
fn blank_nodes_are_matched_one_to_one() {
    let node = |label: &str| Some(Term::from(BlankNode::new_unchecked(label)));
    let table = |rows: Vec<Row>| Table::new(vec!["x".into(), "y".into()], rows, false);
    let one = table(vec![vec![node("a"), node("b")], vec![node("b"), node("a")], vec![node("a"), node("a")]]);
    let same =
        table(vec![vec![node("q"), node("q")], vec![node("p"), node("q")], vec![node("q"), node("p")]]);
    let other =
        table(vec![vec![node("q"), node("q")], vec![node("p"), node("q")], vec![node("p"), node("r")]]);
    assert!(one.same(&same) && !one.same(&other) && !same.same(&other));
    let number = |text: &str| {
        let decimal = NamedNodeRef::new_unchecked("http://www.w3.org/2001/XMLSchema#decimal");
        table(vec![vec![Some(Literal::new_typed_literal(text, decimal).into()), None]])
    };
    assert!(number("2.0").same(&number("2")) && !number("2.0").same(&number("2.5")));
    assert!(Table::of_csv("x,y\r\n\"a\"\"b\",_:1\r\n").same(&Table::of_csv("y,x\n_:q,\"a\"\"b\"\n")));
}
