//! KoPL programs to and from the algebra.

use super::meaning::{AttributeValues, ProgramAsk, ProgramBuilder, keyed_value};
use super::{KoplFunction, Program, ProgramError};
use crate::loss::{Inexpressible, Language, Loss, Printed};
use crate::query::{Ask, Condition, Direction, Extreme, Query, Relate, Set};
use crate::value::Value;
use crate::vocabulary::Vocabulary;
use touchstone_kb::{Comparison, LiteralKind};

impl Program {
    /// The query that the program asks. The program is checked first.
    ///
    /// KoPL looks up the kind of some values in the KB; if `names` does not know the key, the value remains untyped.
    pub fn to_query(&self, names: &dyn Vocabulary) -> Result<Query, ProgramError> {
        self.build(&mut Queries(names)).map(Query::new)
    }
}

/// Makes queries.
struct Queries<'n>(&'n dyn Vocabulary);

impl Queries<'_> {
    fn keyed(&self, key: &str, text: &str) -> Value {
        keyed_value(self.0.key_kind(key), text)
    }

    fn conditions(&self, condition: Option<(&str, &str)>) -> Vec<Condition> {
        let condition = condition.map(|(qualifier, value)| Condition {
            qualifier: qualifier.into(),
            comparison: Comparison::Equal,
            value: self.keyed(qualifier, value),
        });
        condition.into_iter().collect()
    }
}

impl ProgramBuilder for Queries<'_> {
    type Set = Set;
    type Asked = Ask;

    fn all(&mut self) -> Set {
        Set::All
    }

    fn named(&mut self, name: &str) -> Set {
        Set::Named(name.into())
    }

    fn class(&mut self, word: &str) -> Set {
        Set::Class(word.into())
    }

    fn having(&mut self, attribute: &str, comparison: Comparison, value: Value) -> Set {
        Set::relate(Set::Values(comparison, Box::new(value)), attribute, Direction::Backward)
    }

    fn related(&mut self, from: Set, relation: &str, direction: Direction) -> Set {
        Set::relate(from, relation, direction)
    }

    fn qualified(&mut self, mut of: Set, qualifier: &str, comparison: Comparison, value: Value) -> Set {
        let last = match &mut of {
            Set::And(parts) => parts.last_mut(),
            other => Some(other),
        };
        if let Some(Set::Relate(relate)) = last {
            relate.conditions.push(Condition { qualifier: qualifier.into(), comparison, value });
        }
        of
    }

    fn both(&mut self, a: Set, b: Set) -> Set {
        Set::and([a, b])
    }

    fn either(&mut self, a: Set, b: Set) -> Set {
        Set::or([a, b])
    }

    fn ask(&mut self, question: ProgramAsk<'_, Set>) -> Ask {
        match question {
            ProgramAsk::Members(set) => Ask::Members(set),
            ProgramAsk::Count(set) => Ask::Count(set),
            ProgramAsk::Attribute(AttributeValues { of, attribute, condition }) => {
                Ask::Attribute { of, attribute: attribute.into(), conditions: self.conditions(condition) }
            }
            ProgramAsk::Verify(AttributeValues { of, attribute, condition }, comparison, value) => {
                Ask::Verify {
                    of,
                    attribute: attribute.into(),
                    conditions: self.conditions(condition),
                    comparison,
                    value,
                }
            }
            ProgramAsk::Relation(from, to) => Ask::Relation { from, to },
            ProgramAsk::AttributeQualifier { of, attribute, value, qualifier } => Ask::AttributeQualifier {
                of,
                attribute: attribute.into(),
                value: Box::new(self.keyed(attribute, value)),
                qualifier: qualifier.into(),
            },
            ProgramAsk::RelationQualifier { from, relation, to, qualifier } => {
                Ask::RelationQualifier { from, relation: relation.into(), to, qualifier: qualifier.into() }
            }
            ProgramAsk::SelectBetween(left, right, attribute, extreme) => {
                Ask::SelectBetween { left, right, attribute: attribute.into(), extreme }
            }
            ProgramAsk::SelectAmong(among, attribute, extreme) => {
                Ask::SelectAmong { among, attribute: attribute.into(), extreme }
            }
        }
    }
}

/// Prints a query as a program in the readable form.
pub fn print(query: &Query, names: &dyn Vocabulary) -> Result<Printed, Inexpressible> {
    let (program, lost) = from_query(query, names)?;
    let text = program.to_readable().map_err(|error| cannot(error.to_string()))?;
    Ok(Printed { text, lost })
}

/// The program that asks a query.
pub fn from_query(query: &Query, names: &dyn Vocabulary) -> Result<(Program, Vec<Loss>), Inexpressible> {
    let mut writer = Writer { steps: Vec::new(), lost: Vec::new(), names };
    writer.query(query)?;
    writer.lost.extend(query.rules.lost());
    writer.lost.sort();
    writer.lost.dedup();
    let program = Program::from_sequence(writer.steps).map_err(|error| cannot(error.to_string()))?;
    program.check().map_err(|error| cannot(format!("it: {error}")))?;
    Ok((program, writer.lost))
}

fn cannot(what: impl Into<String>) -> Inexpressible {
    Inexpressible::new(Language::Kopl, what)
}

/// The four families of functions that compare a value.
#[derive(Clone, Copy)]
enum Family {
    Str,
    Num,
    Year,
    Date,
}

impl Family {
    fn pick(self, functions: [KoplFunction; 4]) -> KoplFunction {
        functions[self as usize]
    }

    fn filter(self) -> KoplFunction {
        self.pick([
            KoplFunction::FilterStr,
            KoplFunction::FilterNum,
            KoplFunction::FilterYear,
            KoplFunction::FilterDate,
        ])
    }

    fn qualifier_filter(self) -> KoplFunction {
        self.pick([
            KoplFunction::QFilterStr,
            KoplFunction::QFilterNum,
            KoplFunction::QFilterYear,
            KoplFunction::QFilterDate,
        ])
    }

    fn verify(self) -> KoplFunction {
        self.pick([
            KoplFunction::VerifyStr,
            KoplFunction::VerifyNum,
            KoplFunction::VerifyYear,
            KoplFunction::VerifyDate,
        ])
    }
}

/// A value in KoPL's notation.
fn written(value: &Value) -> Result<(Family, String), Inexpressible> {
    let literal = value.literal();
    match literal.kind() {
        LiteralKind::Text => Ok((Family::Str, value.text.to_string())),
        LiteralKind::Quantity if value.unit.is_empty() => Ok((Family::Num, value.text.to_string())),
        LiteralKind::Quantity => Ok((Family::Num, format!("{} {}", value.text, value.unit))),
        LiteralKind::Year => Ok((Family::Year, value.text.to_string())),
        LiteralKind::Date => Ok((Family::Date, value.text.to_string())),
        _ if value.is_untyped() => Ok((Family::Str, value.text.to_string())),
        LiteralKind::LanguageText => {
            Err(cannot(format!("that the text {:?} is in the language `{}`", value.text, value.language)))
        }
        _ => Err(cannot(format!("the value {value} of type {}", value.datatype))),
    }
}

struct Writer<'w> {
    steps: Vec<(KoplFunction, Vec<String>)>,
    lost: Vec<Loss>,
    names: &'w dyn Vocabulary,
}

impl Writer<'_> {
    fn step(&mut self, function: KoplFunction, inputs: &[&str]) {
        self.steps.push((function, inputs.iter().map(|&input| input.to_owned()).collect()));
    }

    fn property(&self, word: &str) -> String {
        self.names.property_name(word).unwrap_or_else(|| word.to_owned())
    }

    fn query(&mut self, query: &Query) -> Result<(), Inexpressible> {
        match &query.answer {
            Ask::Members(Set::Superlative(superlative)) if superlative.start.is_none() => {
                let [step] = &superlative.path[..] else {
                    return Err(cannot("a superlative over a path of several steps"));
                };
                if step.direction == Direction::Backward {
                    return Err(cannot("a superlative over a reversed relation"));
                }
                self.set(&superlative.of)?;
                let word = if superlative.extreme == Extreme::Max { "largest" } else { "smallest" };
                let attribute = self.property(&step.property);
                self.step(KoplFunction::SelectAmong, &[&attribute, word]);
            }
            Ask::Members(set) => {
                self.set(set)?;
                self.step(KoplFunction::What, &[]);
            }
            Ask::Count(set) => {
                self.set(set)?;
                self.step(KoplFunction::Count, &[]);
            }
            Ask::Exists(set) => self.exists(set)?,
            Ask::Attribute { of, attribute, conditions } => self.values(of, attribute, conditions)?,
            Ask::Verify { of, attribute, conditions, comparison, value } => {
                self.values(of, attribute, conditions)?;
                self.verify(*comparison, value)?;
            }
            Ask::Relation { from, to } => {
                self.set(from)?;
                self.set(to)?;
                self.step(KoplFunction::QueryRelation, &[]);
            }
            Ask::AttributeQualifier { of, attribute, value, qualifier } => {
                self.set(of)?;
                let (_, text) = written(value)?;
                let (attribute, qualifier) = (self.property(attribute), self.property(qualifier));
                self.step(KoplFunction::QueryAttrQualifier, &[&attribute, &text, &qualifier]);
            }
            Ask::RelationQualifier { from, relation, to, qualifier } => {
                self.set(from)?;
                self.set(to)?;
                let (relation, qualifier) = (self.property(relation), self.property(qualifier));
                self.step(KoplFunction::QueryRelationQualifier, &[&relation, &qualifier]);
            }
            Ask::SelectBetween { left, right, attribute, extreme } => {
                self.set(left)?;
                self.set(right)?;
                let attribute = self.property(attribute);
                let word = if *extreme == Extreme::Max { "greater" } else { "less" };
                self.step(KoplFunction::SelectBetween, &[&attribute, word]);
            }
            Ask::SelectAmong { among, attribute, extreme } => {
                self.set(among)?;
                let attribute = self.property(attribute);
                let word = if *extreme == Extreme::Max { "largest" } else { "smallest" };
                self.step(KoplFunction::SelectAmong, &[&attribute, word]);
            }
        }
        Ok(())
    }

    fn values(&mut self, of: &Set, attribute: &str, conditions: &[Condition]) -> Result<(), Inexpressible> {
        self.set(of)?;
        let attribute = self.property(attribute);
        match conditions {
            [] => self.step(KoplFunction::QueryAttr, &[&attribute]),
            [condition] if condition.comparison == Comparison::Equal => {
                let (_, text) = written(&condition.value)?;
                let qualifier = self.property(&condition.qualifier);
                self.step(KoplFunction::QueryAttrUnderCondition, &[&attribute, &qualifier, &text]);
            }
            _ => return Err(cannot("a value under several conditions, or under one other than equality")),
        }
        Ok(())
    }

    fn verify(&mut self, comparison: Comparison, value: &Value) -> Result<(), Inexpressible> {
        let (family, text) = written(value)?;
        let symbol = comparison.symbol();
        match (family, comparison) {
            (Family::Str, Comparison::Equal) => self.step(KoplFunction::VerifyStr, &[&text]),
            (Family::Str, _) => return Err(cannot(format!("`{symbol}` of texts"))),
            (_, Comparison::LessOrEqual | Comparison::GreaterOrEqual) => {
                return Err(cannot(format!("`{symbol}` in a yes/no question")));
            }
            _ => self.step(family.verify(), &[&text, symbol]),
        }
        Ok(())
    }

    /// An existence question. KoPL can ask it only about the value of an attribute: the last one that is compared.
    fn exists(&mut self, set: &Set) -> Result<(), Inexpressible> {
        let mut parts = set.conjuncts().to_vec();
        let place = parts.iter().rposition(|part| {
            matches!(part, Set::Relate(relate) if relate.direction == Direction::Backward && matches!(relate.from, Set::Values(..)))
        });
        let place = place.ok_or_else(|| cannot("a yes/no question that does not verify an attribute"))?;
        let Set::Relate(fact) = parts.remove(place) else {
            return Err(cannot("a yes/no question that does not verify an attribute"));
        };
        let Set::Values(comparison, value) = &fact.from else {
            return Err(cannot("a yes/no question that does not verify an attribute"));
        };
        self.values(&Set::and(parts), &fact.property, &fact.conditions)?;
        self.verify(*comparison, value)
    }

    fn set(&mut self, set: &Set) -> Result<(), Inexpressible> {
        let mut sources: Vec<&Set> = Vec::new();
        let mut filters: Vec<&Relate> = Vec::new();
        let mut classes: Vec<&str> = Vec::new();
        sort_parts(set, &mut sources, &mut filters, &mut classes);
        for (i, source) in sources.iter().enumerate() {
            self.source(source)?;
            if i > 0 {
                self.step(KoplFunction::And, &[]);
            }
        }
        if sources.is_empty() {
            self.step(KoplFunction::FindAll, &[]);
        }
        for filter in filters {
            self.filter(filter)?;
        }
        for class in classes {
            let name = self.names.class_name(class).unwrap_or_else(|| class.to_owned());
            self.step(KoplFunction::FilterConcept, &[&name]);
        }
        Ok(())
    }

    fn source(&mut self, set: &Set) -> Result<(), Inexpressible> {
        match set {
            Set::Named(name) => self.step(KoplFunction::Find, &[name]),
            Set::Entity(id) => {
                let name = self.names.entity_name(id);
                if name.is_none() {
                    self.lost.push(Loss::IdAsName { id: id.to_string() });
                }
                self.step(KoplFunction::Find, &[name.as_deref().unwrap_or(id)]);
            }
            Set::Relate(relate) => match &relate.from {
                Set::Values(..) if relate.direction == Direction::Forward => {
                    return Err(cannot("a step from a literal"));
                }
                Set::Values(comparison @ (Comparison::LessOrEqual | Comparison::GreaterOrEqual), value) => {
                    // At most is less or equal: some value satisfies one or the other.
                    let strict = if *comparison == Comparison::LessOrEqual {
                        Comparison::Less
                    } else {
                        Comparison::Greater
                    };
                    for comparison in [strict, Comparison::Equal] {
                        self.step(KoplFunction::FindAll, &[]);
                        self.filter(&Relate {
                            from: Set::Values(comparison, value.clone()),
                            ..relate.as_ref().clone()
                        })?;
                    }
                    self.step(KoplFunction::Or, &[]);
                }
                from => {
                    self.set(from)?;
                    let property = self.property(&relate.property);
                    self.step(KoplFunction::Relate, &[&property, relate.direction.word()]);
                    self.conditions(&relate.conditions)?;
                }
            },
            Set::Or(branches) => {
                for (i, branch) in branches.iter().enumerate() {
                    self.set(branch)?;
                    if i > 0 {
                        self.step(KoplFunction::Or, &[]);
                    }
                }
            }
            Set::Superlative(_) => return Err(cannot("a superlative inside a description")),
            Set::During(_) => return Err(cannot("a period with an open start or end")),
            Set::Same(_) => return Err(cannot("two branches that lead to the same thing (a cycle)")),
            Set::Values(..) => return Err(cannot("a set of literals")),
            Set::All | Set::Class(_) | Set::And(_) | Set::Marked(..) => self.set(set)?,
        }
        Ok(())
    }

    fn filter(&mut self, filter: &Relate) -> Result<(), Inexpressible> {
        let Set::Values(comparison, value) = &filter.from else {
            return Err(cannot("a filter without a value"));
        };
        let (family, text) = written(value)?;
        let key = self.property(&filter.property);
        match (family, comparison) {
            (Family::Str, Comparison::Equal) => self.step(KoplFunction::FilterStr, &[&key, &text]),
            (Family::Str, other) => return Err(cannot(format!("`{other}` of texts"))),
            _ => self.step(family.filter(), &[&key, &text, comparison.symbol()]),
        }
        self.conditions(&filter.conditions)
    }

    fn conditions(&mut self, conditions: &[Condition]) -> Result<(), Inexpressible> {
        for condition in conditions {
            let (family, text) = written(&condition.value)?;
            let key = self.property(&condition.qualifier);
            match (family, condition.comparison) {
                (Family::Str, Comparison::Equal) => self.step(KoplFunction::QFilterStr, &[&key, &text]),
                (Family::Str, other) => return Err(cannot(format!("`{other}` of texts"))),
                (_, other @ (Comparison::LessOrEqual | Comparison::GreaterOrEqual)) => {
                    return Err(cannot(format!("`{other}` of a qualifier")));
                }
                (_, other) => self.step(family.qualifier_filter(), &[&key, &text, other.symbol()]),
            }
        }
        Ok(())
    }
}

/// Sorts the parts of a conjunction in KoPL's order: the start, filters, classes.
fn sort_parts<'s>(
    set: &'s Set,
    sources: &mut Vec<&'s Set>,
    filters: &mut Vec<&'s Relate>,
    classes: &mut Vec<&'s str>,
) {
    match set {
        Set::All => {}
        Set::And(parts) => parts.iter().for_each(|part| sort_parts(part, sources, filters, classes)),
        Set::Marked(_, inner) => sort_parts(inner, sources, filters, classes),
        Set::Class(class) => classes.push(class),
        Set::Relate(relate) if relate.direction == Direction::Backward => match &relate.from {
            Set::Values(Comparison::LessOrEqual | Comparison::GreaterOrEqual, _) => sources.push(set),
            Set::Values(..) => filters.push(relate),
            _ => sources.push(set),
        },
        other => sources.push(other),
    }
}
