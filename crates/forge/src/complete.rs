//! Incomplete knowledge: rejects questions that the KB cannot answer correctly, and adds limits and dates to the others.
//!
//! A count, a superlative or a list is correct only if the KB has all facts for it, or if the question states the limit. A question that lists a
//! sample refers to the data; counts and superlatives of a sample are rejected. A fact that changes with time gets its date. Where completeness is
//! unknown, the KB is assumed to be complete.

use crate::english::{CONFIRM, VerbalisedQuestion};
use crate::reject::RejectReason;
use touchstone_benchmark::Random;
use touchstone_benchmark::english::Lexicon;
use touchstone_engine::Found;
use touchstone_kb::{Completeness, Coverage, Kb, Property, ValueKind};
use touchstone_logic::level::SchemaItems;
use touchstone_logic::{Ask, Query, QueryGraph, Set};

/// What a sentence must add.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Caveats<'k> {
    /// What is counted, compared or listed, as plural noun phrases.
    limits: Vec<String>,
    /// The year of what changes.
    as_of: Option<&'k str>,
    /// Whether the KB has only a sample of what is listed.
    is_sample: bool,
}

/// Maximum number of limits in a sentence: more cannot be followed.
const MOST_LIMITS: usize = 2;

/// What the sentence of a query must add; an error if no sentence could be true.
pub(crate) fn caveats<'k>(
    kb: &'k Kb,
    lexicon: &Lexicon,
    query: &Query,
    graph: &QueryGraph,
    items: &SchemaItems,
    found: &Found<'_>,
) -> Result<Caveats<'k>, RejectReason> {
    if kb.manifest().coverage.is_empty() {
        return Ok(Caveats::default());
    }
    let properties: Vec<Property> = items.properties.iter().filter_map(|id| property(kb, id)).collect();
    let known: Vec<&Coverage> = properties.iter().filter_map(|&p| kb.property_coverage(p)).collect();
    check_times(kb, lexicon, query, found)?;
    // A question for the relation itself says nothing that changes.
    let is_undated = items.qualifiers.is_empty() && !matches!(query.answer, Ask::Relation { .. });
    let as_of = match is_undated {
        true => known.iter().filter_map(|coverage| coverage.as_of.as_deref()).max(),
        false => None,
    };
    let is_list = matches!(query.answer, Ask::Members(_)) && found.len() > 1;
    if !is_list && !needs_everything(query) {
        return Ok(Caveats { as_of, ..Caveats::default() });
    }
    if known.iter().any(|coverage| coverage.completeness == Completeness::Sample) {
        return match needs_everything(query) {
            true => Err(RejectReason::Incomplete),
            false => Ok(Caveats { as_of, is_sample: true, ..Caveats::default() }),
        };
    }
    let root = graph.vertices.get(graph.root).and_then(|vertex| kb.class(&vertex.label));
    let root = root.and_then(|class| kb.class_coverage(class));
    let is_related = properties.iter().any(|property| matches!(property, Property::Relation(_)));
    // A relation that is complete makes up for a class that is not: all languages of a country, though not all languages.
    if root.is_some_and(|class| class.completeness == Completeness::Sample) && !is_related {
        return Err(RejectReason::Incomplete);
    }
    let nouns = nouns(kb, lexicon, graph, &properties);
    let limits = known.iter().copied().chain(root).filter_map(|coverage| coverage.limit.as_deref());
    let mut limits: Vec<String> = limits.filter_map(|limit| fitting(limit, &nouns)).collect();
    limits.sort_unstable();
    limits.dedup();
    // "countries, territories and major lakes and major lakes"
    let all = limits.clone();
    limits.retain(|limit| !all.iter().any(|other| other != limit && other.contains(limit.as_str())));
    if limits.len() > MOST_LIMITS {
        return Err(RejectReason::SeveralLimits);
    }
    // A limit may name the year.
    let as_of = as_of.filter(|year| limits.iter().all(|limit| !limit.contains(year)));
    Ok(Caveats { limits, as_of, is_sample: false })
}

/// The plural nouns of the classes in a question, of the ends of its relations, and of the classes above them.
fn nouns<'l>(kb: &Kb, lexicon: &'l Lexicon, graph: &QueryGraph, properties: &[Property]) -> Vec<&'l str> {
    let named = graph.vertices.iter().filter_map(|vertex| kb.class(&vertex.label));
    let ends = properties.iter().flat_map(|&property| match property {
        Property::Relation(relation) => [kb.relation_domain(relation), kb.relation_range(relation)],
        Property::Attribute(attribute) => [kb.attribute_domain(attribute), None],
    });
    let classes =
        named.chain(ends.flatten()).flat_map(|class| std::iter::once(class).chain(kb.ancestors(class)));
    let words = classes.filter_map(|class| lexicon.classes.get(kb.node_id(kb.class_node(class))));
    // "countries or territories"
    words.flat_map(|words| words.many.split(" or ")).collect()
}

/// The items of a limit that are about the classes of a question: of "countries, territories and major lakes", only "major lakes" for a
/// question about lakes. All if none is, and `None` if those that are say nothing more than the noun.
fn fitting(limit: &str, nouns: &[&str]) -> Option<String> {
    let is_about = |item: &&str| {
        let before_clause = item.split(" with ").next().unwrap_or(item);
        nouns.iter().any(|noun| {
            before_clause.split(' ').collect::<Vec<_>>().ends_with(&noun.split(' ').collect::<Vec<_>>())
        })
    };
    let items: Vec<&str> = match limit.split_once(", and ") {
        Some((one, other)) => {
            let names =
                |item: &&str| nouns.iter().any(|noun| format!(" {item} ").contains(&format!(" {noun} ")));
            let named: Vec<&str> = [one, other].into_iter().filter(names).collect();
            return Some(if named.len() == 1 { named[0].to_owned() } else { limit.to_owned() });
        }
        // Without a comma, what follows the last item may be about all of them: only that item can stand alone.
        None if !limit.contains(", ") => {
            let (others, last) = limit.rsplit_once(" and ").unwrap_or(("", limit));
            let begins = |noun: &&str| last.strip_prefix(*noun).is_some_and(|rest| rest.starts_with(' '));
            let is_last = nouns.iter().any(begins) && !others.split(" and ").any(|item| is_about(&item));
            return Some(if is_last { last.to_owned() } else { limit.to_owned() });
        }
        None => limit.split(", ").flat_map(|items| items.split(" and ")).collect(),
    };
    let about: Vec<&str> = items.into_iter().filter(is_about).collect();
    match about.is_empty() {
        true => Some(limit.to_owned()),
        false if about.iter().all(|item| nouns.contains(item)) => None,
        false => Some(about.join(" and ")),
    }
}

/// How questions treat what the KB does not have, for `benchmark.json`.
pub(crate) fn treatment(kb: &Kb) -> String {
    let items = kb.n_classes() + kb.n_relations() + kb.n_attributes();
    match kb.manifest().coverage.len() {
        0 => "unknown: the KB is assumed to be complete".to_owned(),
        known => format!(
            "known for {known} of {items} schema items, the others are assumed to be complete; counts, superlatives and lists are asked only of \
             what is complete, or with the limit in the sentence"
        ),
    }
}

fn property(kb: &Kb, id: &str) -> Option<Property> {
    let relation = kb.relation(id).map(Property::Relation);
    relation.or_else(|| kb.attribute(id).map(Property::Attribute))
}

/// Rejects a function on facts that the KB does not have all of, before the query is run.
pub(crate) fn check_function(kb: &Kb, query: &Query, items: &SchemaItems) -> Result<(), RejectReason> {
    let is_sample = |id: &&touchstone_logic::Symbol| {
        let coverage = property(kb, id).and_then(|property| kb.property_coverage(property));
        coverage.is_some_and(|coverage| coverage.completeness == Completeness::Sample)
    };
    let is_known = !kb.manifest().coverage.is_empty();
    if is_known && needs_everything(query) && items.properties.iter().any(|id| is_sample(&id)) {
        return Err(RejectReason::Incomplete);
    }
    Ok(())
}

/// Whether the answer depends on everything that fits, not only on what is there: counts and superlatives.
fn needs_everything(query: &Query) -> bool {
    let mut has_superlative = false;
    query.sets(&mut |set| {
        has_superlative |= set.conjuncts().iter().any(|part| matches!(part, Set::Superlative(_)));
    });
    has_superlative || matches!(query.answer, Ask::Count(_) | Ask::SelectAmong { .. })
}

/// Whether a question about times has a true answer: the year of a survey is not when the fact held, and a value that is not recorded may have
/// been true at another time.
fn check_times(kb: &Kb, lexicon: &Lexicon, query: &Query, found: &Found<'_>) -> Result<(), RejectReason> {
    let asks_time =
        |key: &str| kb.qualifier_key(key).is_some_and(|key| kb.qualifier_kind(key) == ValueKind::Time);
    let is_survey = |property: Option<Property>| {
        property.and_then(|p| kb.property_coverage(p)).is_some_and(|coverage| coverage.survey)
    };
    match &query.answer {
        Ask::AttributeQualifier { attribute, qualifier, .. }
            if asks_time(qualifier) && is_survey(kb.attribute(attribute).map(Property::Attribute)) =>
        {
            Err(RejectReason::SurveyYear)
        }
        Ask::RelationQualifier { relation, qualifier, .. }
            if asks_time(qualifier) && is_survey(kb.relation(relation).map(Property::Relation)) =>
        {
            Err(RejectReason::SurveyYear)
        }
        Ask::Verify { attribute, conditions, .. }
            if *found == Found::Boolean(false)
                && conditions.is_empty()
                && lexicon.attributes.get(attribute.as_str()).is_some_and(|words| words.dated) =>
        {
            Err(RejectReason::OtherTimes)
        }
        _ => Ok(()),
    }
}

impl Caveats<'_> {
    /// The question with what it must add, before its last mark.
    pub(crate) fn add_to(&self, question: VerbalisedQuestion, seed: u64) -> VerbalisedQuestion {
        let mut random = Random::new(seed, "caveats");
        let mut text = question.text;
        let mark = text.pop().unwrap_or('?');
        let tag = if text.ends_with(CONFIRM) { CONFIRM } else { "" };
        text.truncate(text.len() - tag.len());
        if !self.limits.is_empty() {
            let word = if random.below(2) == 0 { "counting" } else { "considering" };
            text.push_str(&format!(", {word} only {}", self.limits.join(" and ")));
        }
        if self.is_sample {
            let limit = ["as far as the data show", "according to the data", "in this data"];
            text.push_str(&match self.as_of {
                // One note for both: "according to the data of 2025".
                Some(year) => format!(", according to the data of {year}"),
                None => format!(", {}", limit[random.below(limit.len())]),
            });
        } else if let Some(year) = self.as_of {
            text.push_str(&format!(", as of {year}"));
        }
        text.push_str(tag);
        text.push(mark);
        VerbalisedQuestion { text, ..question }
    }
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn limits_fit_the_noun() {
        let area = "countries, territories and major lakes";
        let places = "places with at least 15,000 inhabitants, capitals and airports with an IATA code";
        let people = "figures for countries and regions for every fifth year from 1950 to 2020, and places with at least 15,000 inhabitants";
        for (limit, nouns, fits) in [
            (area, ["lakes", "bodies of water"], Some("major lakes")),
            (area, ["countries", "places"], None),
            (area, ["things", "items"], Some(area)),
            (places, ["airports", "facilities"], Some("airports with an IATA code")),
            (people, ["cities", "places"], Some("places with at least 15,000 inhabitants")),
            (
                "countries and territories whose anthem is known",
                ["countries", "places"],
                Some("countries and territories whose anthem is known"),
            ),
            ("major rivers", ["rivers", "waters"], Some("major rivers")),
            (
                "U.S. presidents and members of Congress up to 2015 and Nobel laureates up to 2010",
                ["Nobel laureates", "people"],
                Some("Nobel laureates up to 2010"),
            ),
        ] {
            assert_eq!(fitting(limit, &nouns).as_deref(), fits, "{limit} for {nouns:?}");
        }
    }
}
