//! Everything about one property, and which properties the members of a class have.

use crate::cast::float;
use crate::entity_page::{Named, PageFact, PageValue};
use crate::ids::{ClassId, LiteralId, NodeId, Property, Value};
use crate::store::Kb;
use hashbrown::HashMap;
use serde::Serialize;
use std::cmp::Reverse;

/// Maximum number of facts that are counted by value.
const MAX_COUNTED: usize = 1_000_000;
/// Maximum number of members of a class whose properties are counted.
const MAX_MEMBERS: usize = 20_000;
/// Maximum number of frequent values, and of bars of a histogram.
const MAX_VALUES: usize = 20;
/// Number of examples.
const EXAMPLES: usize = 5;

/// Everything about a relation or an attribute.
#[derive(Debug, Serialize)]
pub struct PropertyPage<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its label.
    pub label: &'a str,
    /// `relation` or `attribute`.
    pub kind: &'static str,
    /// The kind of its values: `entity`, or that of an attribute.
    pub values_are: &'static str,
    /// The usual unit of its values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'a str>,
    /// The class of its subjects.
    pub from: Option<Named<'a>>,
    /// The class of its values.
    pub to: Option<Named<'a>>,
    /// The relation in the other direction.
    pub inverse: Option<Named<'a>>,
    /// Its label in the other direction.
    pub inverse_label: Option<&'a str>,
    /// Whether it holds in both directions.
    pub symmetric: bool,
    /// Its domain of the schema.
    pub domain: Option<&'a str>,
    /// The number of its facts.
    pub facts: usize,
    /// The number of its subjects.
    pub subjects: usize,
    /// The number of its different values, among the counted facts.
    pub values: usize,
    /// The number of facts that were counted by value: all of them, or the first million.
    pub counted: usize,
    /// Numbers and years in ranges of equal width; empty for other values.
    pub histogram: Vec<HistogramBar>,
    /// The unit of the numbers of the histogram; empty for years.
    pub histogram_unit: &'a str,
    /// The most frequent values.
    pub frequent: Vec<FrequentValue<'a>>,
    /// Some of its facts, those of the best connected subjects first.
    pub examples: Vec<ExampleFact<'a>>,
}

/// A range of values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HistogramBar {
    /// Its smallest value.
    pub from: f64,
    /// Where the next range begins.
    pub to: f64,
    /// The number of facts.
    pub facts: usize,
}

/// A value with its number of facts.
#[derive(Debug, Serialize)]
pub struct FrequentValue<'a> {
    /// The value.
    pub value: PageValue<'a>,
    /// The number of facts.
    pub facts: usize,
}

/// A fact with its subject.
#[derive(Debug, Serialize)]
pub struct ExampleFact<'a> {
    /// The subject.
    pub subject: Named<'a>,
    /// The fact.
    #[serde(flatten)]
    pub fact: PageFact<'a>,
}

/// A property that members of a class have.
#[derive(Debug, Serialize)]
pub struct ClassProperty<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its label.
    pub label: &'a str,
    /// `relation` or `attribute`.
    pub kind: &'static str,
    /// The number of members that have it.
    pub members: usize,
}

/// The properties that the members of a class have.
#[derive(Debug, Serialize)]
pub struct ClassProfile<'a> {
    /// The number of members that were examined: all of them, or the first 20,000.
    pub examined: usize,
    /// The properties, the most frequent first.
    pub properties: Vec<ClassProperty<'a>>,
}

/// `relation` or `attribute`.
fn kind(property: Property) -> &'static str {
    match property {
        Property::Relation(_) => "relation",
        Property::Attribute(_) => "attribute",
    }
}

impl Kb {
    /// The property with an id, or else the one with a label; of several with the label, the one with the most facts.
    pub fn property_meant_by(&self, name: &str) -> Option<Property> {
        let relation = self.relation(name).map(Property::Relation);
        if let Some(property) = relation.or_else(|| self.attribute(name).map(Property::Attribute)) {
            return Some(property);
        }
        let labelled = self.properties().filter(|&property| self.property_label(property) == name);
        labelled
            .max_by_key(|&property| (self.facts_with(property).count(), Reverse(self.property_id(property))))
    }

    /// All relations, then all attributes.
    pub fn properties(&self) -> impl Iterator<Item = Property> + use<> {
        self.relations().map(Property::Relation).chain(self.attributes().map(Property::Attribute))
    }
}

impl<'a> PropertyPage<'a> {
    /// Counts the facts of a property.
    pub fn of(kb: &'a Kb, property: Property) -> PropertyPage<'a> {
        let class = |class: ClassId| {
            let node = kb.class_node(class);
            Named { id: kb.node_id(node), label: kb.label(node) }
        };
        let mut counts: HashMap<Value, usize> = HashMap::new();
        let (mut facts, mut best) = (0, Vec::new());
        for fact in kb.facts_with(property) {
            facts += 1;
            if facts <= MAX_COUNTED {
                *counts.entry(fact.value).or_default() += 1;
                best.push((Reverse(kb.degree(fact.subject)), fact.subject, fact.id));
                if best.len() >= 1024 {
                    best.sort_unstable();
                    best.truncate(EXAMPLES);
                }
            }
        }
        best.sort_unstable();
        let mut subjects_shown = Vec::new();
        best.retain(|&(_, subject, _)| {
            !subjects_shown.contains(&subject) && {
                subjects_shown.push(subject);
                true
            }
        });
        best.truncate(EXAMPLES);
        let examples = best.iter().filter_map(|&(_, subject, id)| {
            let named = Named { id: kb.node_id(subject), label: kb.label(subject) };
            Some(ExampleFact { subject: named, fact: PageFact::of(kb, &kb.fact(id)?, false) })
        });
        let (histogram, histogram_unit) = histogram(kb, &counts);
        let (relation, attribute) = match property {
            Property::Relation(relation) => (Some(relation), None),
            Property::Attribute(attribute) => (None, Some(attribute)),
        };
        let inverse = relation.and_then(|relation| kb.relation_inverse(relation));
        PropertyPage {
            id: kb.property_id(property),
            label: kb.property_label(property),
            kind: kind(property),
            values_are: attribute.map_or("entity", |attribute| kb.attribute_kind(attribute).name()),
            unit: attribute.map(|attribute| kb.attribute_unit(attribute)).filter(|unit| !unit.is_empty()),
            from: relation
                .and_then(|r| kb.relation_domain(r))
                .or(attribute.and_then(|a| kb.attribute_domain(a)))
                .map(class),
            to: relation.and_then(|relation| kb.relation_range(relation)).map(class),
            inverse: inverse.map(|r| Named { id: kb.relation_id(r), label: kb.relation_label(r) }),
            inverse_label: relation
                .and_then(|relation| kb.relation_inverse_label(relation))
                .map(|label| kb.literal(label).text()),
            symmetric: relation.is_some_and(|relation| kb.is_symmetric(relation)),
            domain: kb.property_group(property),
            facts,
            subjects: kb.subjects_with(property).len(),
            values: counts.len(),
            counted: facts.min(MAX_COUNTED),
            histogram,
            histogram_unit,
            examples: examples.collect(),
            frequent: frequent(kb, counts),
        }
    }
}

/// The values with the most facts; ties in the order of ids.
fn frequent(kb: &Kb, counts: HashMap<Value, usize>) -> Vec<FrequentValue<'_>> {
    let mut counts: Vec<(Value, usize)> = counts.into_iter().collect();
    let id = |value: Value| match value {
        Value::Node(node) => node.0,
        Value::Literal(literal) => literal.0,
    };
    counts.sort_unstable_by_key(|&(value, facts)| (Reverse(facts), id(value)));
    counts.truncate(MAX_VALUES);
    counts
        .into_iter()
        .map(|(value, facts)| FrequentValue { value: PageValue::of(kb, value), facts })
        .collect()
}

/// Number of facts, and the numbers with their facts.
type NumbersOfUnit = (usize, Vec<(f64, usize)>);

/// The numbers of the most frequent unit, or the years, in ranges; nothing if most values are something else.
fn histogram<'a>(kb: &'a Kb, counts: &HashMap<Value, usize>) -> (Vec<HistogramBar>, &'a str) {
    let mut by_unit: HashMap<Option<&str>, NumbersOfUnit> = HashMap::new();
    let mut all = 0;
    for (&value, &facts) in counts {
        all += facts;
        let Some((unit, number)) = measured(kb, value) else { continue };
        let (total, numbers) = by_unit.entry(unit).or_default();
        *total += facts;
        numbers.push((number, facts));
    }
    let most = by_unit.into_iter().max_by_key(|(unit, (total, _))| (*total, Reverse(*unit)));
    let Some((unit, (total, numbers))) = most.filter(|(_, (total, _))| total * 2 > all) else {
        return (Vec::new(), "");
    };
    let smallest = numbers.iter().map(|&(number, _)| number).fold(f64::INFINITY, f64::min);
    let greatest = numbers.iter().map(|&(number, _)| number).fold(f64::NEG_INFINITY, f64::max);
    if !(smallest < greatest && total > 1) {
        return (Vec::new(), "");
    }
    let width = round_up((greatest - smallest) / float(MAX_VALUES));
    let start = (smallest / width).floor() * width;
    let mut bars: Vec<HistogramBar> = Vec::new();
    for at in 0..=MAX_VALUES {
        let from = start + float(at) * width;
        if from <= greatest {
            bars.push(HistogramBar { from, to: from + width, facts: 0 });
        }
    }
    for (number, facts) in numbers {
        let fitting = bars.iter().rposition(|bar| bar.from <= number).unwrap_or(0);
        if let Some(bar) = bars.get_mut(fitting) {
            bar.facts += facts;
        }
    }
    (bars, unit.unwrap_or(""))
}

/// A number with its unit, or the year of a time, which has none.
fn measured(kb: &Kb, value: Value) -> Option<(Option<&str>, f64)> {
    let Value::Literal(literal) = value else { return None };
    if let Some(number) = kb.literal_number(literal) {
        return number.is_finite().then(|| (Some(kb.literal_unit(literal).unwrap_or("")), number));
    }
    year(kb, literal).map(|year| (None, year))
}

#[expect(clippy::cast_precision_loss, reason = "years stay far below 2^53")]
fn year(kb: &Kb, literal: LiteralId) -> Option<f64> {
    kb.literal_time(literal).map(|time| time.year() as f64)
}

/// The next of 1, 2, 5, 10, 20, 50, ...
fn round_up(width: f64) -> f64 {
    let power = 10f64.powf(width.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| step * power >= width);
    step.unwrap_or(10.0) * power
}

impl<'a> ClassProfile<'a> {
    /// Counts the properties of the members of a class.
    pub fn of(kb: &'a Kb, class: ClassId) -> ClassProfile<'a> {
        let members = kb.members(class);
        let examined = members.len().min(MAX_MEMBERS);
        let mut counts: HashMap<Property, usize> = HashMap::new();
        for &member in &members[..examined] {
            for (property, _) in kb.properties_of(NodeId(member)) {
                *counts.entry(property).or_default() += 1;
            }
        }
        let mut properties: Vec<ClassProperty<'_>> = counts
            .into_iter()
            .map(|(property, members)| ClassProperty {
                id: kb.property_id(property),
                label: kb.property_label(property),
                kind: kind(property),
                members,
            })
            .collect();
        properties.sort_unstable_by_key(|property| (Reverse(property.members), property.id));
        ClassProfile { examined, properties }
    }
}

#[cfg(test)]
mod tests {
    use super::round_up;

    #[test]
    fn widths_are_round() {
        for (width, round) in
            [(0.7, 1.0), (1.0, 1.0), (3.2, 5.0), (12.0, 20.0), (0.03, 0.05), (600.0, 1000.0)]
        {
            assert!((round_up(width) - round).abs() < 1e-9, "{width}");
        }
    }
}
