//! Facts that have a name of their own in the source, so that other triples can speak about them: RDF 1.2
//! reifiers and Wikidata's statement nodes. What is said about the name becomes the fact's qualifiers.

use super::builder::{KbBuilder, RawFact, RawValue, STATEMENT_BIT, Statement, TRUTHY_BIT};
use crate::error::Result;
use crate::vocabulary::Vocabulary;
use hashbrown::{HashMap, HashSet};

/// What becomes of a raw fact.
pub(crate) enum Fate {
    Kept,
    /// It says something about the statement that is its subject.
    Qualifies,
    LeftOut(&'static str),
}

/// The statements of the source, and what they make of plain facts.
pub(crate) struct Statements {
    /// (subject, property) pairs for which there are statements: shortcuts give way to them.
    claimed: HashSet<(u32, u32)>,
    /// Quoted triples, and whether they are asserted.
    quoted: HashMap<(u32, u32, u32), bool>,
}

const POINTS_AT_STATEMENT: &str = "the value is the name of a statement";
const COVERED: &str = "a statement with qualifiers says the same";
const INCOMPLETE: &str = "statement without a value or subject";
const NESTED: &str = "statement about a statement";
const NOT_ASSERTED: &str = "triple that is quoted but not asserted";

impl KbBuilder {
    /// Turns complete statements into facts with qualifiers.
    pub(crate) fn resolve_statements(
        &mut self,
        left_out: &mut HashMap<&'static str, u64>,
    ) -> Result<Statements> {
        let mut resolved = Statements { claimed: HashSet::new(), quoted: HashMap::new() };
        if self.statements.is_empty() {
            return Ok(resolved);
        }
        for statement in self.statements.values() {
            if let (Some(s), Some(p), Some(v)) = (statement.subject, statement.property, statement.value) {
                if statement.quoted {
                    resolved.quoted.insert((s, p, v.0), false);
                } else {
                    resolved.claimed.insert((s, p));
                }
            }
        }
        let mut about: Vec<(u32, u32, u32)> = Vec::new();
        let KbBuilder { facts, statements, .. } = self;
        facts.for_each(|fact| {
            if let Some(asserted) = resolved.quoted.get_mut(&(fact.subject, fact.property, fact.value)) {
                *asserted = true;
            }
            if let Fate::Qualifies = resolved.fate(statements, fact) {
                about.push((fact.subject, fact.property, fact.value));
            }
            Ok(())
        })?;
        about.sort_unstable();
        let mut names: Vec<u32> = self.statements.keys().copied().collect();
        names.sort_unstable_by_key(|&name| self.nodes.bytes_of(name));
        for name in names {
            let statement = self.statements[&name];
            let (Some(subject), Some(property), Some(value)) =
                (statement.subject, statement.property, statement.value)
            else {
                *left_out.entry(INCOMPLETE).or_default() += 1;
                continue;
            };
            if statement.quoted && resolved.quoted.get(&(subject, property, value.0)) != Some(&true) {
                *left_out.entry(NOT_ASSERTED).or_default() += 1;
                continue;
            }
            if self.statements.contains_key(&subject) {
                *left_out.entry(NESTED).or_default() += 1;
                continue;
            }
            let from = about.partition_point(|&(s, _, _)| s < name);
            let mut qualifiers = Vec::new();
            for &(_, property, value) in about[from..].iter().take_while(|&&(s, _, _)| s == name) {
                let id = self.properties.get(property).to_owned();
                let label = self.property_info[property as usize].label;
                let qualifier = self.qualifier(&id);
                let info = &mut self.qualifier_info[qualifier.0 as usize];
                // Where properties and qualifier keys share their IRIs, they share their names.
                if crate::iri::is_absolute(&id) || self.meta.vocabulary == Vocabulary::Wikidata {
                    info.label = info.label.or(label);
                }
                qualifiers.push((qualifier, RawValue(value)));
            }
            let qualifiers = self.qualifier_set(&mut qualifiers);
            let value = value.0;
            self.facts.push(RawFact { subject, property, value, qualifiers, source: STATEMENT_BIT })?;
        }
        Ok(resolved)
    }
}

impl Statements {
    pub(crate) fn fate(&self, names: &HashMap<u32, Statement>, fact: &RawFact) -> Fate {
        if names.is_empty() {
            return Fate::Kept;
        }
        let value = RawValue(fact.value);
        let key = (fact.subject, fact.property);
        if !value.is_literal() && names.contains_key(&fact.value) {
            Fate::LeftOut(POINTS_AT_STATEMENT)
        } else if names.contains_key(&fact.subject) {
            Fate::Qualifies
        } else if fact.source & STATEMENT_BIT != 0 {
            Fate::Kept
        } else if fact.source & TRUTHY_BIT != 0 && self.claimed.contains(&key)
            || fact.qualifiers == 0 && self.quoted.contains_key(&(key.0, key.1, fact.value))
        {
            Fate::LeftOut(COVERED)
        } else {
            Fate::Kept
        }
    }
}
