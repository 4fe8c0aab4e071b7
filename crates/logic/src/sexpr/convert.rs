//! S-expressions to and from the algebra.

use super::form::{Binary, Form, literal_token, literal_value};
use crate::loss::{Inexpressible, Language, Loss, Printed};
use crate::query::{Ask, Direction, During, Extreme, Mark, Query, Relate, Set, Step, Superlative};
use crate::value::Value;
use touchstone_kb::Comparison;

/// The day that WebQSP defines as now.
const NOW: &str = "2015-08-10";

/// The properties for start and end, for the time macros of WebQSP whose names differ from `from` and `to`.
const MACRO_SUFFIXES: [(&str, &str, &str); 3] = [
    ("architecture.ownership", "start_date", "end_date"),
    ("award.award_honor", "year", "year"),
    ("people.place_lived", "end_date", "start_date"),
];

impl Form {
    /// The query of the S-expression.
    pub fn to_query(&self) -> Result<Query, Inexpressible> {
        let answer = match self {
            Form::Count(of) => Ask::Count(set(of)?),
            other => Ask::Members(set(other)?),
        };
        Ok(Query::new(answer))
    }

    /// The S-expression of a query.
    pub fn from_query(query: &Query) -> Result<(Form, Vec<Loss>), Inexpressible> {
        let mut printer = Printer { lost: Vec::new() };
        let form = printer.query(query)?;
        printer.lost.extend(query.rules.lost());
        Ok((form, printer.lost))
    }
}

/// Prints a query as an S-expression.
pub fn print(query: &Query) -> Result<Printed, Inexpressible> {
    let (form, lost) = Form::from_query(query)?;
    Ok(Printed { text: form.to_string(), lost })
}

fn direction(binary: &Binary) -> Direction {
    // (JOIN r U) are the subjects whose object is in U.
    if binary.reversed { Direction::Forward } else { Direction::Backward }
}

fn set(form: &Form) -> Result<Set, Inexpressible> {
    Ok(match form {
        Form::Class(id) => Set::Class(id.clone()),
        Form::Entity(id) => Set::Entity(id.clone()),
        Form::Named(name) => Set::Named(name.clone()),
        Form::Literal(token) => Set::Values(Comparison::Equal, Box::new(literal_value(token))),
        Form::And(parts) => Set::and(parts.iter().map(set).collect::<Result<Vec<_>, _>>()?),
        Form::Join(relation, of) => match time_macro(relation, of) {
            Some(during) => during,
            None => Set::relate(set(of)?, relation.relation.clone(), direction(relation)),
        },
        Form::Compare(comparison, relation, value) => {
            let value = match value.as_ref() {
                Form::Literal(token) => literal_value(token),
                _ => {
                    return Err(Inexpressible::new(
                        Language::Sexpr,
                        "a comparison with something that is not a literal",
                    ));
                }
            };
            Set::relate(
                Set::Values(*comparison, Box::new(value)),
                relation.relation.clone(),
                direction(relation),
            )
        }
        Form::Count(_) => {
            return Err(Inexpressible::new(Language::Sexpr, "what a COUNT inside another expression means"));
        }
        Form::Superlative(extreme, of, path) => {
            let path = path
                .iter()
                .map(|step| Step { property: step.relation.clone(), direction: direction(step).flipped() })
                .collect();
            Set::Superlative(Box::new(Superlative { of: set(of)?, path, extreme: *extreme, start: None }))
        }
        Form::During(of, relation, when) => Set::and([set(of)?, during(relation, &end_of(relation), when)]),
    })
}

/// The end property for the start property `relation`.
fn end_of(relation: &str) -> String {
    for (start, end) in [("from", "to"), ("from_date", "to_date"), ("start_date", "end_date")] {
        if let Some(stem) = relation.strip_suffix(start).filter(|stem| stem.ends_with('.')) {
            return format!("{stem}{end}");
        }
    }
    relation.to_owned()
}

fn during(start: &str, end: &str, when: &str) -> Set {
    let (latest, earliest) = match when {
        "NOW" => (NOW.to_owned(), NOW.to_owned()),
        year => (format!("{year}-12-31"), format!("{year}-01-01")),
    };
    Set::During(Box::new(During {
        start: start.into(),
        end: end.into(),
        latest_start: Value::xsd(latest, "dateTime"),
        earliest_end: Value::xsd(earliest, "dateTime"),
    }))
}

/// `(JOIN people.marriage.time_macro 2015^^...)`: RNG-KBQA's notation for TC.
fn time_macro(relation: &Binary, of: &Form) -> Option<Set> {
    let owner = relation.relation.strip_suffix(".time_macro")?;
    let Form::Literal(token) = of else { return None };
    let value = literal_value(token);
    let known = MACRO_SUFFIXES.iter().find(|(name, ..)| *name == owner);
    let (start, end) = known.map_or(("from", "to"), |&(_, start, end)| (start, end));
    let year = value.text.get(..4).filter(|year| year.bytes().all(|b| b.is_ascii_digit()))?.to_owned();
    let when = if value.text == NOW { "NOW".to_owned() } else { year };
    Some(during(&format!("{owner}.{start}"), &format!("{owner}.{end}"), &when))
}

struct Printer {
    lost: Vec<Loss>,
}

fn cannot(what: impl Into<String>) -> Inexpressible {
    Inexpressible::new(Language::Sexpr, what)
}

fn binary(property: &str, direction: Direction) -> Binary {
    Binary { relation: property.into(), reversed: direction == Direction::Forward }
}

impl Printer {
    fn query(&mut self, query: &Query) -> Result<Form, Inexpressible> {
        Ok(match &query.answer {
            Ask::Members(set) => self.set(set)?,
            Ask::Count(set) => Form::Count(Box::new(self.set(set)?)),
            Ask::Attribute { of, attribute, conditions } if conditions.is_empty() => {
                Form::Join(binary(attribute, Direction::Forward), Box::new(self.set(of)?))
            }
            Ask::SelectAmong { among, attribute, extreme } => Form::Superlative(
                *extreme,
                Box::new(self.set(among)?),
                vec![binary(attribute, Direction::Backward)],
            ),
            Ask::Attribute { .. } => return Err(cannot("a condition on qualifiers")),
            Ask::Exists(_) | Ask::Verify { .. } => return Err(cannot("a yes/no question")),
            Ask::Relation { .. } => return Err(cannot("a question for a relation")),
            Ask::AttributeQualifier { .. } | Ask::RelationQualifier { .. } => {
                return Err(cannot("a question for a qualifier"));
            }
            Ask::SelectBetween { .. } => return Err(cannot("a choice between two sets")),
        })
    }

    fn set(&mut self, set: &Set) -> Result<Form, Inexpressible> {
        Ok(match set {
            Set::All => return Err(cannot("everything")),
            Set::Entity(id) => Form::Entity(id.clone()),
            Set::Named(name) => Form::Named(name.clone()),
            Set::Class(class) => Form::Class(class.clone()),
            Set::Values(Comparison::Equal, value) => Form::Literal(literal_token(value).into()),
            Set::Values(..) => return Err(cannot("a comparison outside a relation")),
            Set::Relate(relate) => self.relate(relate)?,
            Set::And(parts) => self.and(parts)?,
            Set::Or(_) => return Err(cannot("a union")),
            Set::Superlative(superlative) => self.superlative(superlative)?,
            Set::During(_) => return Err(cannot("a period without a set that it restricts")),
            Set::Marked(_, inner) => self.set(inner)?,
            Set::Same(_) => return Err(cannot("two branches that lead to the same thing (a cycle)")),
        })
    }

    fn relate(&mut self, relate: &Relate) -> Result<Form, Inexpressible> {
        if !relate.conditions.is_empty() {
            return Err(cannot("a condition on qualifiers"));
        }
        let relation = binary(&relate.property, relate.direction);
        match &relate.from {
            Set::Values(Comparison::Equal, _) => {}
            Set::Values(Comparison::NotEqual, _) => return Err(cannot("that a value is different")),
            Set::Values(comparison, value) => {
                return Ok(Form::Compare(
                    *comparison,
                    relation,
                    Box::new(Form::Literal(literal_token(value).into())),
                ));
            }
            Set::All => return Err(cannot(format!("that `{}` leads to anything at all", relate.property))),
            _ => {}
        }
        Ok(Form::Join(relation, Box::new(self.set(&relate.from)?)))
    }

    fn and(&mut self, parts: &[Set]) -> Result<Form, Inexpressible> {
        let (periods, others): (Vec<&Set>, Vec<&Set>) =
            parts.iter().partition(|part| matches!(part, Set::During(_)));
        let forms = others.into_iter().map(|part| self.set(part)).collect::<Result<Vec<_>, _>>()?;
        let mut form = Form::and(forms).ok_or_else(|| cannot("a period without a set that it restricts"))?;
        for period in periods {
            let Set::During(period) = period else { continue };
            let (latest, earliest) = (period.latest_start.text.as_str(), period.earliest_end.text.as_str());
            let when = match (latest.strip_suffix("-12-31"), earliest.strip_suffix("-01-01")) {
                _ if latest == NOW && earliest == NOW => "NOW",
                (Some(a), Some(b)) if a == b && a.len() == 4 => a,
                _ => {
                    return Err(cannot(format!(
                        "the period from {earliest} to {latest}: it is neither a year nor now"
                    )));
                }
            };
            if end_of(&period.start) != period.end {
                return Err(cannot(format!("that `{}` ends with `{}`", period.start, period.end)));
            }
            form = Form::During(Box::new(form), period.start.clone(), when.into());
        }
        Ok(form)
    }

    fn superlative(&mut self, superlative: &Superlative) -> Result<Form, Inexpressible> {
        let mut path: Vec<Binary> = Vec::new();
        if let Some(mark) = superlative.start {
            let way = way_to(&superlative.of, mark)
                .ok_or_else(|| cannot("a superlative about a thing outside its description"))?;
            let repeated: Vec<&str> = way.iter().map(|step| step.property.as_str()).collect();
            self.lost.push(Loss::SharedNode { repeated: repeated.join(" / ") });
            path.extend(way.iter().map(|step| binary(&step.property, step.direction.flipped())));
        }
        path.extend(superlative.path.iter().map(|step| binary(&step.property, step.direction.flipped())));
        Ok(Form::Superlative(superlative.extreme, Box::new(self.set(&superlative.of)?), path))
    }
}

/// The steps from a set's members to the thing marked inside their description.
pub(crate) fn way_to(set: &Set, mark: Mark) -> Option<Vec<Step>> {
    match set {
        Set::Marked(found, _) if *found == mark => Some(Vec::new()),
        Set::Marked(_, inner) => way_to(inner, mark),
        Set::And(parts) => parts.iter().find_map(|part| way_to(part, mark)),
        Set::Relate(relate) => {
            let mut way = way_to(&relate.from, mark)?;
            // A step of the description leads from the inner thing to the outer one; the path goes back.
            way.insert(0, Step { property: relate.property.clone(), direction: relate.direction.flipped() });
            Some(way)
        }
        _ => None,
    }
}

impl Extreme {
    /// `max` or `min`.
    pub fn word(self) -> &'static str {
        match self {
            Extreme::Max => "max",
            Extreme::Min => "min",
        }
    }
}
