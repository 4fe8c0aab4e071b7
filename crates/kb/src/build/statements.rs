//! Facts that have a name in the source, so that other triples can refer to them: RDF 1.2
//! reifiers and Wikidata's statement nodes. Statements about the name become the fact's qualifiers.

use super::builder::{
    Ignored, KbBuilder, RawFact, RawQualifier, RawValue, STATEMENT_BIT, Statement, TRUTHY_BIT,
};
use crate::error::Result;
use crate::iri::{IriScheme, Resource};
use crate::vocabulary::RdfVocabulary;
use hashbrown::{HashMap, HashSet};

/// What a raw fact becomes.
pub(crate) enum RawFactUse {
    Kept,
    /// A qualifier of the statement that is its subject.
    Qualifies,
    /// Its value is the name of a statement.
    PointsAtStatement,
    /// A statement with qualifiers has the same triple.
    Covered,
}

/// The statements of the source, and their effect on plain facts.
pub(crate) struct Statements {
    /// (subject, property) pairs with statements, which replace the shortcuts.
    claimed: HashSet<(u32, u32)>,
    /// Quoted triples, and whether they are asserted.
    quoted: HashMap<(u32, u32, u32), bool>,
}

pub(crate) const POINTS_AT_STATEMENT: &str = "the value is the name of a statement";
pub(crate) const COVERED: &str = "repeated by a statement with qualifiers";
const INCOMPLETE: &str = "statement without a value or subject";
const DEPRECATED: &str = "deprecated statement";
const OF_CLASS_LINK: &str = "qualifier of an instance-of or subclass-of statement";
const NAMES_A_CLASS: &str = "statement whose name is used as a class";
const NESTED: &str = "statement about a statement";
const NOT_ASSERTED: &str = "triple that is quoted but not asserted";

impl KbBuilder {
    /// Turns complete statements into facts with qualifiers.
    pub(crate) fn resolve_statements(
        &mut self,
        left_out: &mut HashMap<&'static str, u64>,
    ) -> Result<Statements> {
        let mut resolved = Statements { claimed: HashSet::new(), quoted: HashMap::new() };
        // Statements about a class remain facts.
        let n_statements = self.statements.len();
        self.statements.retain(|name, _| !self.is_class[*name as usize]);
        self.more_quotes.retain(|(name, _)| !self.is_class[*name as usize]);
        if self.statements.len() < n_statements {
            left_out.insert(NAMES_A_CLASS, (n_statements - self.statements.len()) as u64);
        }
        if self.statements.is_empty() {
            return Ok(resolved);
        }
        for statement in self.statements.values().chain(self.more_quotes.iter().map(|(_, s)| s)) {
            if statement.ignored.is_none()
                && let (Some(s), Some(p), Some(v)) = (statement.subject, statement.property, statement.value)
            {
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
            if let RawFactUse::Qualifies = resolved.use_of(statements, fact) {
                about.push((fact.subject, fact.property, fact.value));
            }
            Ok(())
        })?;
        about.sort_unstable();
        let scheme = IriScheme { base: self.meta.base.clone(), vocabulary: self.meta.vocabulary };
        let first = self.statements.iter().map(|(&name, &statement)| (name, statement));
        let mut all: Vec<(u32, Statement)> = first.chain(self.more_quotes.iter().copied()).collect();
        all.sort_by_key(|&(name, _)| self.nodes.bytes_of(name));
        for (name, statement) in all {
            let from = about.partition_point(|&(s, _, _)| s < name);
            let about_it = || about[from..].iter().take_while(|&&(s, _, _)| s == name);
            match statement.ignored {
                Some(Ignored::Deprecated) => {
                    *left_out.entry(DEPRECATED).or_default() += 1;
                    continue;
                }
                Some(Ignored::ClassLink) => {
                    *left_out.entry(OF_CLASS_LINK).or_default() += about_it().count() as u64;
                    continue;
                }
                None => {}
            }
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
            let mut qualifiers = Vec::new();
            for &(_, property, value) in about_it() {
                qualifiers.push((self.qualifier_of(property, &scheme), RawValue(value)));
            }
            let qualifiers = self.qualifier_set(&mut qualifiers);
            let value = value.0;
            self.facts.push(RawFact { subject, property, value, qualifiers, source: STATEMENT_BIT })?;
        }
        Ok(resolved)
    }

    /// The qualifier key for a property of a statement.
    fn qualifier_of(&mut self, property: u32, scheme: &IriScheme) -> RawQualifier {
        let iri = self.properties.get(property);
        let id = match scheme.resource(iri) {
            Resource::Qualifier(id) => id.into_owned(),
            Resource::Node(_) | Resource::Property(_) => iri.to_owned(),
        };
        let label = self.property_info[property as usize].label;
        let qualifier = self.qualifier(&id);
        let info = &mut self.qualifier_info[qualifier.0 as usize];
        // Properties and qualifier keys that share their IRIs share their names.
        if crate::iri::is_absolute(&id) || self.meta.vocabulary == RdfVocabulary::Wikidata {
            info.label = info.label.or(label);
        }
        qualifier
    }
}

impl Statements {
    /// What becomes of a raw fact.
    pub(crate) fn use_of(&self, names: &HashMap<u32, Statement>, fact: &RawFact) -> RawFactUse {
        if names.is_empty() {
            return RawFactUse::Kept;
        }
        let value = RawValue(fact.value);
        let key = (fact.subject, fact.property);
        if !value.is_literal() && names.contains_key(&fact.value) {
            RawFactUse::PointsAtStatement
        } else if names.contains_key(&fact.subject) {
            RawFactUse::Qualifies
        } else if fact.source & STATEMENT_BIT != 0 {
            RawFactUse::Kept
        } else if fact.source & TRUTHY_BIT != 0 && self.claimed.contains(&key)
            || fact.qualifiers == 0 && self.quoted.contains_key(&(key.0, key.1, fact.value))
        {
            RawFactUse::Covered
        } else {
            RawFactUse::Kept
        }
    }
}
