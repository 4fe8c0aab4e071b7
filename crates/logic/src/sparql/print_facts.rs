//! From the algebra to SPARQL over KQA Pro's graph, in the form that the dataset has.

use super::print::{Marks, cannot, typed};
use super::write::{self, kqapro, quoted, triple, values};
use crate::loss::{Inexpressible, Loss, Printed};
use crate::query::{Ask, Condition, Direction, Extreme, Query, Relate, Set};
use crate::value::Value;
use touchstone_kb::rdf::KqaProPredicate;
use touchstone_kb::{Comparison, LiteralKind, iri};

/// Prints a query.
pub(super) fn print(query: &Query) -> Result<Printed, Inexpressible> {
    let mut writer =
        Writer { text: String::new(), used: Vec::new(), marks: Marks::default(), lost: Vec::new() };
    let text = writer.query(query)?;
    writer.lost.extend(query.rules.lost());
    writer.lost.sort();
    writer.lost.dedup();
    Ok(Printed { text, lost: writer.lost })
}

struct Writer {
    text: String,
    /// How often each letter has been used for a variable.
    used: Vec<(&'static str, usize)>,
    marks: Marks,
    lost: Vec<Loss>,
}

impl Writer {
    fn query(&mut self, query: &Query) -> Result<String, Inexpressible> {
        let (head, tail) = match &query.answer {
            Ask::Members(Set::Superlative(superlative))
                if superlative.start.is_none() && superlative.path.len() == 1 =>
            {
                let step = &superlative.path[0];
                if step.direction == Direction::Backward {
                    return Err(cannot("a superlative over a reversed relation in KQA Pro's graph"));
                }
                let e = self.described(&superlative.of)?;
                self.select(&e, &step.property, superlative.extreme)
            }
            Ask::Members(set) => {
                let e = self.described(set)?;
                (format!("SELECT DISTINCT {e} WHERE"), String::new())
            }
            Ask::Count(set) => {
                let e = self.described(set)?;
                (format!("SELECT (COUNT(DISTINCT {e}) AS ?count) WHERE"), String::new())
            }
            Ask::Exists(set) => {
                self.described(set)?;
                ("ASK".to_owned(), String::new())
            }
            Ask::Attribute { of, attribute, conditions } => {
                let e = self.described(of)?;
                let pv = self.fresh("pv");
                self.fact(&e, attribute, &pv, conditions)?;
                (format!("SELECT DISTINCT {pv} WHERE"), String::new())
            }
            Ask::Verify { of, attribute, conditions, comparison, value } => {
                let e = self.described(of)?;
                let values = Set::Values(*comparison, value.clone());
                self.relate(&values, attribute, Direction::Backward, conditions, &e)?;
                ("ASK".to_owned(), String::new())
            }
            Ask::Relation { from, to } => {
                let (a, b) = self.two(from, to)?;
                self.triple(&a, "?p", &b);
                ("SELECT DISTINCT ?p WHERE".to_owned(), String::new())
            }
            Ask::AttributeQualifier { of, attribute, value, qualifier } => {
                let e = self.described(of)?;
                let pv = self.fresh("pv");
                self.triple(&e, &name(attribute), &pv);
                self.value(&pv, Comparison::Equal, value)?;
                let qpv = self.fresh("qpv");
                self.triple(&fact_node(&e, attribute, &pv), &name(qualifier), &qpv);
                (format!("SELECT DISTINCT {qpv} WHERE"), String::new())
            }
            Ask::RelationQualifier { from, relation, to, qualifier } => {
                let (a, b) = self.two(from, to)?;
                self.triple(&a, &name(relation), &b);
                let qpv = self.fresh("qpv");
                self.triple(&fact_node(&a, relation, &b), &name(qualifier), &qpv);
                (format!("SELECT DISTINCT {qpv} WHERE"), String::new())
            }
            Ask::SelectBetween { left, right, attribute, extreme } => {
                let e = self.fresh("e");
                self.union(&[left.clone(), right.clone()], &e)?;
                self.select(&e, attribute, *extreme)
            }
            Ask::SelectAmong { among, attribute, extreme } => {
                let e = self.described(among)?;
                self.select(&e, attribute, *extreme)
            }
        };
        if self.text.is_empty() {
            return Err(cannot("everything"));
        }
        Ok(format!("{head} {{ {} }}{tail}", self.text.trim()))
    }

    /// A new variable for a thing, and its description.
    fn described(&mut self, set: &Set) -> Result<String, Inexpressible> {
        let e = self.fresh("e");
        self.set(set, &e)?;
        Ok(e)
    }

    fn two(&mut self, from: &Set, to: &Set) -> Result<(String, String), Inexpressible> {
        // The dataset numbers the two from 1.
        self.used.push(("e", 1));
        let a = self.fresh("e");
        let b = self.fresh("e");
        self.set(from, &a)?;
        self.set(to, &b)?;
        Ok((a, b))
    }

    /// The tail of a superlative, as the dataset writes it.
    fn select(&mut self, e: &str, attribute: &str, extreme: Extreme) -> (String, String) {
        let (pv, v) = (self.fresh("pv"), self.fresh("v"));
        self.triple(e, &name(attribute), &pv);
        self.triple(&pv, &kqapro(KqaProPredicate::Value), &v);
        self.lost.extend([Loss::OneOfTies, Loss::UnitsIgnored]);
        let order = if extreme == Extreme::Max { format!("DESC({v})") } else { v };
        (format!("SELECT {e} WHERE"), format!(" ORDER BY {order} LIMIT 1"))
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push(' ');
    }

    fn triple(&mut self, subject: &str, predicate: &str, object: &str) {
        self.add(&triple(subject, predicate, object));
    }

    fn fresh(&mut self, letter: &'static str) -> String {
        let found = self.used.iter().position(|(known, _)| *known == letter);
        let place = found.unwrap_or_else(|| {
            self.used.push((letter, 0));
            self.used.len() - 1
        });
        let number = self.used[place].1;
        self.used[place].1 += 1;
        if number == 0 { format!("?{letter}") } else { format!("?{letter}_{number}") }
    }

    fn set(&mut self, set: &Set, variable: &str) -> Result<(), Inexpressible> {
        match set {
            Set::All => {}
            Set::Entity(id) => self.add(&values(variable, &[format!("<{}>", entity(id))])),
            Set::Named(text) => self.triple(variable, &kqapro(KqaProPredicate::Name), &quoted(text)),
            Set::Class(class) => {
                let c = self.fresh("c");
                self.triple(variable, &kqapro(KqaProPredicate::InstanceOf), &c);
                self.triple(&c, &kqapro(KqaProPredicate::Name), &quoted(class));
            }
            Set::Values(comparison, value) => self.value(variable, *comparison, value)?,
            Set::Relate(relate) => {
                let Relate { from, property, direction, conditions } = relate.as_ref();
                self.relate(from, property, *direction, conditions, variable)?;
            }
            Set::And(parts) => {
                // The dataset says what a thing is before it says anything else.
                let (classes, others): (Vec<&Set>, Vec<&Set>) =
                    parts.iter().partition(|part| matches!(part, Set::Class(_)));
                for part in classes.into_iter().chain(others) {
                    self.set(part, variable)?;
                }
            }
            Set::Or(branches) if branches.iter().any(|branch| matches!(branch, Set::All | Set::Same(_))) => {
                return Err(cannot("a union with a branch that is nothing but a condition"));
            }
            Set::Or(branches) => self.union(branches, variable)?,
            Set::Marked(mark, inner) => {
                self.marks.add(*mark, variable);
                self.set(inner, variable)?;
            }
            Set::Same(mark) => {
                let other = self.marks.term(*mark)?;
                self.add(&format!("FILTER ( {variable} = {other} ) ."));
            }
            Set::Superlative(_) => {
                return Err(cannot("a superlative inside a description in KQA Pro's graph"));
            }
            Set::During(_) => return Err(cannot("a period with an open start or end in KQA Pro's graph")),
        }
        Ok(())
    }

    fn union(&mut self, branches: &[Set], variable: &str) -> Result<(), Inexpressible> {
        for (i, branch) in branches.iter().enumerate() {
            self.add(if i == 0 { "{" } else { "UNION {" });
            self.set(branch, variable)?;
            self.add("}");
        }
        Ok(())
    }

    fn relate(
        &mut self,
        from: &Set,
        property: &str,
        direction: Direction,
        conditions: &[Condition],
        variable: &str,
    ) -> Result<(), Inexpressible> {
        let (other, describe) = match from {
            Set::Same(mark) => (self.marks.term(*mark)?, false),
            Set::Values(..) => (self.fresh("pv"), true),
            Set::And(parts) if parts.iter().all(|part| matches!(part, Set::Values(..))) => {
                (self.fresh("pv"), true)
            }
            _ => (self.fresh("e"), true),
        };
        let (subject, object) = if direction == Direction::Forward {
            (other.as_str(), variable)
        } else {
            (variable, other.as_str())
        };
        self.triple(subject, &name(property), object);
        if describe {
            self.set(from, &other)?;
        }
        self.conditions(subject, property, object, conditions)
    }

    fn fact(
        &mut self,
        subject: &str,
        property: &str,
        object: &str,
        conditions: &[Condition],
    ) -> Result<(), Inexpressible> {
        self.triple(subject, &name(property), object);
        self.conditions(subject, property, object, conditions)
    }

    fn conditions(
        &mut self,
        subject: &str,
        property: &str,
        object: &str,
        conditions: &[Condition],
    ) -> Result<(), Inexpressible> {
        if conditions.is_empty() {
            return Ok(());
        }
        // All conditions are about the same fact: one node for all.
        let mut qualifiers = Vec::new();
        for condition in conditions {
            qualifiers.push((name(&condition.qualifier), self.fresh("qpv")));
        }
        let written: Vec<String> = qualifiers.iter().map(|(key, qpv)| format!("{key} {qpv}")).collect();
        self.add(&format!("{} {} .", fact_node(subject, property, object), written.join(" ; ")));
        for (condition, (_, qpv)) in conditions.iter().zip(&qualifiers) {
            self.value(qpv, condition.comparison, &condition.value)?;
        }
        Ok(())
    }

    /// A test of a value node.
    fn value(&mut self, node: &str, comparison: Comparison, value: &Value) -> Result<(), Inexpressible> {
        let value = typed(value, &mut self.lost);
        let literal = value.literal();
        let (predicate, written) = match literal.kind() {
            LiteralKind::Text => (KqaProPredicate::Value, quoted(&value.text)),
            LiteralKind::Quantity => {
                let unit = if value.unit.is_empty() { "1" } else { value.unit.as_str() };
                self.triple(node, &kqapro(KqaProPredicate::Unit), &quoted(unit));
                (KqaProPredicate::Value, write::typed(&value.text, "double"))
            }
            LiteralKind::Year => (KqaProPredicate::Year, value.text.to_string()),
            LiteralKind::Date => {
                if comparison != Comparison::Equal {
                    self.lost.push(Loss::DatesOnly);
                }
                (KqaProPredicate::Date, write::typed(&value.text, "date"))
            }
            _ => {
                return Err(cannot(format!(
                    "the value {value} of type {} in KQA Pro's graph",
                    value.datatype
                )));
            }
        };
        if comparison == Comparison::Equal {
            self.triple(node, &kqapro(predicate), &written);
        } else {
            let v = self.fresh("v");
            self.triple(node, &kqapro(predicate), &v);
            self.add(&format!("FILTER ( {v} {comparison} {written} ) ."));
        }
        Ok(())
    }
}

/// A property of KQA Pro.
fn name(word: &str) -> String {
    format!("<{}>", iri::encode("", word).replace('_', "%5F").replace("%20", "_"))
}

/// The IRI of an entity: its id, relative to the base of the graph, or by itself.
fn entity(id: &str) -> String {
    if iri::is_absolute(id) { id.to_owned() } else { iri::encode("", id) }
}

fn fact_node(subject: &str, property: &str, object: &str) -> String {
    format!(
        "[ {} {subject} ; {} {} ; {} {object} ]",
        kqapro(KqaProPredicate::FactSubject),
        kqapro(KqaProPredicate::FactRelation),
        name(property),
        kqapro(KqaProPredicate::FactValue)
    )
}
