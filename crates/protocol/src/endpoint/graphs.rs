//! Results that are graphs.

use super::Endpoint;
use super::anatomy::{Anatomy, Form};
use super::error::EndpointError;
use super::meter::Meter;
use super::retry::Failure;
use super::tables::EndpointRows;
use super::transport::Reply;
use super::virtuoso;
use oxrdf::{BlankNode, NamedNode, NamedOrBlankNode, Term, Triple, Variable};
use oxrdfio::{RdfFormat, RdfParser};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};
use spargebra::{Query, SparqlParser};
use std::collections::{HashMap, HashSet};

/// The result of a `CONSTRUCT` or `DESCRIBE`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GraphResult {
    /// Its distinct triples, in the order in which they were received.
    pub triples: Vec<Triple>,
    /// The bytes charged to the budget for it, for [`Budget::release`](touchstone_engine::budget::Budget::release) when it is dropped.
    pub bytes: u64,
}

const ACCEPT: &str = "application/n-triples, text/turtle;q=0.8, application/rdf+xml;q=0.5";

impl Endpoint {
    /// A graph as the server makes it.
    pub(super) fn fetch_graph(&self, text: &str, meter: &Meter<'_>) -> Result<Vec<Triple>, EndpointError> {
        let triples = self.with_retries(meter, |attempt| {
            let reply = self.send(text, ACCEPT, attempt, meter)?;
            self.read_graph(reply, attempt, meter)
        })?;
        meter.accept();
        Ok(triples)
    }

    fn read_graph(&self, reply: Reply, attempt: u32, meter: &Meter<'_>) -> Result<Vec<Triple>, Failure> {
        let media_type = reply.media_type();
        let format = RdfFormat::from_media_type(&media_type)
            .filter(|format| !format.supports_datasets())
            .ok_or_else(|| self.wrong_type(&media_type, "a graph in N-Triples, Turtle or RDF/XML"))?;
        self.check_charset(&reply)?;
        let is_virtuoso = reply.is_virtuoso();
        let mut triples = Vec::new();
        // Servers have IRIs that the standard does not allow.
        let parser = RdfParser::from_format(format).lenient();
        for quad in parser.for_reader(meter.reader(reply.body)) {
            let quad = quad.map_err(|error| self.unreadable(error.to_string(), attempt, meter))?;
            meter.row()?;
            let mut triple = Triple::from(quad);
            if is_virtuoso {
                triple.object = virtuoso::tidy(triple.object);
            }
            triples.push(triple);
        }
        Ok(each_once(triples.into_iter()))
    }

    /// The graph of a `CONSTRUCT`, built here from a table: servers truncate graphs without reporting it, and truncated tables can be completed.
    pub(super) fn construct(
        &self,
        anatomy: &Anatomy<'_>,
        meter: &Meter<'_>,
    ) -> Result<Vec<Triple>, EndpointError> {
        let template = template(anatomy)?;
        let text = anatomy.selected(&variables(&template));
        let table = self.complete_table(&Anatomy::of(&text)?, meter)?;
        Ok(instantiated(&template, &table))
    }
}

/// The triples that a `CONSTRUCT` makes from each row.
fn template(anatomy: &Anatomy<'_>) -> Result<Vec<TriplePattern>, EndpointError> {
    debug_assert_eq!(anatomy.form, Form::Construct);
    let text = if anatomy.head.contains('{') {
        format!("{}{}\nWHERE {{}}", anatomy.prologue, anatomy.head)
    } else {
        format!("{}CONSTRUCT WHERE {}", anatomy.prologue, anatomy.pattern)
    };
    match SparqlParser::new().parse_query(&text) {
        Ok(Query::Construct { template, .. }) => Ok(template),
        Ok(_) => Err(EndpointError::Query { expected: "a CONSTRUCT", found: "another query".to_owned() }),
        Err(error) => {
            Err(EndpointError::Query { expected: "a template that can be read", found: error.to_string() })
        }
    }
}

/// The distinct variables of a template.
fn variables(template: &[TriplePattern]) -> Vec<Variable> {
    let mut found: Vec<Variable> = Vec::new();
    let mut add = |variable: &Variable| {
        if !found.contains(variable) {
            found.push(variable.clone());
        }
    };
    for pattern in template {
        if let TermPattern::Variable(variable) = &pattern.subject {
            add(variable);
        }
        if let NamedNodePattern::Variable(variable) = &pattern.predicate {
            add(variable);
        }
        if let TermPattern::Variable(variable) = &pattern.object {
            add(variable);
        }
    }
    found
}

/// A template with the values of every row. Invalid triples are left out, as the standard requires.
fn instantiated<'t>(template: &'t [TriplePattern], table: &EndpointRows) -> Vec<Triple> {
    let mut triples = Vec::new();
    for row in &table.rows {
        let value = |variable: &Variable| {
            let column = table.variables.iter().position(|other| other == variable)?;
            row.get(column)?.clone()
        };
        // A blank node of a template stands for a new node in every row.
        let mut blanks: HashMap<&'t BlankNode, BlankNode> = HashMap::new();
        for pattern in template {
            let mut term = |term: &'t TermPattern| {
                Some(match term {
                    TermPattern::NamedNode(node) => Term::from(node.clone()),
                    TermPattern::Literal(literal) => literal.clone().into(),
                    TermPattern::BlankNode(blank) => blanks.entry(blank).or_default().clone().into(),
                    TermPattern::Variable(variable) => value(variable)?,
                    TermPattern::Triple(_) => return None,
                })
            };
            let subject = match term(&pattern.subject) {
                Some(Term::NamedNode(node)) => NamedOrBlankNode::from(node),
                Some(Term::BlankNode(blank)) => blank.into(),
                _ => continue,
            };
            let predicate: NamedNode = match &pattern.predicate {
                NamedNodePattern::NamedNode(node) => node.clone(),
                NamedNodePattern::Variable(variable) => match value(variable) {
                    Some(Term::NamedNode(node)) => node,
                    _ => continue,
                },
            };
            if let Some(object) = term(&pattern.object) {
                triples.push(Triple { subject, predicate, object });
            }
        }
    }
    each_once(triples.into_iter())
}

fn each_once(triples: impl Iterator<Item = Triple>) -> Vec<Triple> {
    let mut seen = HashSet::new();
    triples.filter(|triple| seen.insert(triple.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxrdf::Literal;

    #[test]
    fn templates_are_filled_as_the_standard_says() {
        let text = "PREFIX t: <urn:t:> CONSTRUCT { ?s t:p ?o . ?o t:q _:b . _:b t:r ?s } WHERE { ?s t:x ?o }";
        let template = template(&Anatomy::of(text).expect("a query")).expect("a template");
        let variables = variables(&template);
        assert_eq!(variables.iter().map(Variable::as_str).collect::<Vec<_>>(), ["s", "o"]);
        let node = |name: &str| Some(Term::from(NamedNode::new_unchecked(format!("urn:t:{name}"))));
        let table = EndpointRows {
            variables,
            rows: vec![
                vec![node("a"), node("b")],
                vec![node("a"), Some(Literal::from(5).into())],
                vec![node("a"), None],
                vec![node("a"), node("b")],
            ],
            bytes: 0,
        };
        let triples = instantiated(&template, &table);
        let with = |predicate: &str| {
            triples.iter().filter(|t| t.predicate.as_str() == format!("urn:t:{predicate}")).count()
        };
        // A literal is not a subject; equal triples are one; blank nodes of different rows are different.
        assert_eq!((with("p"), with("q"), with("r")), (2, 2, 4));
    }

    #[test]
    fn short_forms_are_their_own_template() {
        let anatomy = Anatomy::of("PREFIX t: <urn:t:> CONSTRUCT WHERE { ?s t:p ?o }").expect("a query");
        assert_eq!(template(&anatomy).expect("a template").len(), 1);
    }
}
