//! The measures of a report: what each is called, what group it belongs to, and which are worth a row at first.

use super::model::Report;
use std::collections::BTreeSet;
use touchstone_grade::{Family, MeasureDescription, USUAL, measures};

/// Measures that a reader looks at first, the most telling first.
const MAIN: [&str; 6] = ["f1", "em_answer", "accuracy", "em_canonical", "em_official", "hits_1"];

/// Measures that equal another one on many benchmarks, and then say nothing new.
const SHADOWS: [(&str, &str); 4] =
    [("f1_exec", "f1"), ("f1_inverse", "f1_aligned"), ("mrr_form", "em_canonical"), ("mrr", "hits_1")];

/// A measure that was computed for some run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownMeasure {
    /// Its name in files.
    pub(crate) key: String,
    /// Its name for people.
    pub(crate) label: String,
    /// How it is computed; empty if we do not know.
    pub(crate) formula: String,
    /// Its value in edge cases.
    pub(crate) odd_cases: &'static str,
    /// Whether it is worth a row at first.
    pub(crate) is_usual: bool,
}

/// Measures of the same thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MeasureGroup {
    pub(crate) title: &'static str,
    pub(crate) measures: Vec<ShownMeasure>,
}

/// All measures of a report in groups; no group is empty.
pub(crate) fn groups(report: &Report) -> Vec<MeasureGroup> {
    let computed: BTreeSet<&str> =
        report.runs.iter().flat_map(|run| run.summary.measures.keys()).map(String::as_str).collect();
    let known = measures();
    let of_family = |family: Family| -> Vec<ShownMeasure> {
        let found =
            known.iter().filter(|known| known.family == family && computed.contains(known.name.as_str()));
        found.map(|known| ShownMeasure::of(known, report)).collect()
    };
    let is_known = |name: &str| known.iter().any(|known| known.name == name);
    let others = computed.iter().filter(|name| !is_known(name)).map(|name| ShownMeasure {
        key: (*name).to_owned(),
        label: label(name),
        formula: String::new(),
        odd_cases: "",
        is_usual: true,
    });
    let groups = [
        ("Answers", of_family(Family::Answer)),
        ("Logical forms", of_family(Family::Query)),
        ("Execution", of_family(Family::Execution)),
        ("Forms, execution and answers in one number", of_family(Family::Compound)),
        ("What the system reports", of_family(Family::System)),
        ("Official evaluators and your own measures", others.collect()),
    ];
    let groups = groups.map(|(title, measures)| MeasureGroup { title, measures });
    groups.into_iter().filter(|group| !group.measures.is_empty()).collect()
}

impl ShownMeasure {
    fn of(known: &MeasureDescription, report: &Report) -> ShownMeasure {
        let shadowed = SHADOWS.iter().find(|(shadow, _)| *shadow == known.name);
        let says_nothing_new = shadowed
            .is_some_and(|(_, other)| report.runs.iter().all(|run| run.mean(&known.name) == run.mean(other)));
        let is_usual = USUAL.contains(&known.name.as_str())
            || matches!(known.family, Family::System)
            || ["choice_accuracy", "em_official"].contains(&known.name.as_str());
        ShownMeasure {
            key: known.name.clone(),
            label: label(&known.name),
            formula: known.formula.clone(),
            odd_cases: known.odd_cases,
            is_usual: is_usual && !says_nothing_new,
        }
    }
}

/// The name of a measure for people.
pub(crate) fn label(key: &str) -> String {
    let known = [
        ("f1", "F1"),
        ("em_answer", "exact match of answers"),
        ("em_canonical", "same query"),
        ("em_string", "same text"),
        ("em_official", "same graph (GrailQA)"),
        ("bleu", "BLEU"),
        ("rouge_l", "ROUGE-L"),
        ("f1_sem", "F1 of names"),
        ("f1_tri", "F1 of triples"),
        ("f1_aligned", "F1 of aligned triples"),
        ("f1_inverse", "F1 of aligned triples, inverses allowed"),
        ("f1_exec", "F1 of what the form returns"),
        ("mrr_form", "MRR of forms"),
        ("exec", "forms that run"),
        ("hits_1", "Hits@1"),
        ("mrr", "MRR"),
        ("kqapro_accuracy", "accuracy as in KQA Pro"),
        ("choice_accuracy", "accuracy of choices"),
        ("gek_1", "GEK-1"),
        ("gek_2", "GEK-2"),
        ("gek_3", "GEK-3"),
    ];
    let known = known.iter().find(|(name, _)| *name == key);
    known.map_or_else(|| key.replace('_', " "), |(_, label)| (*label).to_owned())
}

/// The measure that a report is about: the first of the telling ones that all runs have.
pub(crate) fn main_measure(report: &Report) -> String {
    let has =
        |measure: &&str| !report.runs.is_empty() && report.runs.iter().all(|run| run.mean(measure).is_some());
    let any =
        || report.runs.iter().flat_map(|run| run.summary.measures.keys()).find(|name| has(&name.as_str()));
    let main = MAIN.iter().copied().find(|measure| has(measure));
    main.map(str::to_owned).or_else(|| any().cloned()).unwrap_or_else(|| "f1".to_owned())
}

/// A score for people; an empty text if it is not a number.
pub(crate) fn three(value: f64) -> String {
    if value.is_finite() { format!("{value:.3}") } else { String::new() }
}

/// A p-value for people; what rounds to zero is not zero.
pub(crate) fn probability(p: f64) -> String {
    if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }
}

#[cfg(test)]
mod tests {
    use super::{groups, main_measure, probability};
    use crate::report::model::{Report, ReportRun};
    use touchstone_grade::statistics::Estimate;
    use touchstone_grade::summary::{Score, Summary};

    fn run(means: &[(&str, f64)]) -> ReportRun {
        let score =
            |mean| Score { version: 1, all: Estimate { n: 10, mean, low: mean, high: mean }, answered: None };
        let measures = means.iter().map(|(name, mean)| ((*name).to_owned(), score(*mean)));
        ReportRun {
            summary: Summary { measures: measures.collect(), ..Summary::default() },
            ..ReportRun::default()
        }
    }

    #[test]
    fn every_measure_is_in_one_group() {
        let names = ["f1", "f1_exec", "em_string", "gek_1", "exec", "perplexity", "mine", "kqapro_accuracy"];
        let values: Vec<(&str, f64)> = names.iter().map(|name| (*name, 0.5)).collect();
        let report = Report { runs: vec![run(&values)], ..Report::default() };
        let groups = groups(&report);
        let mut found: Vec<&str> =
            groups.iter().flat_map(|group| &group.measures).map(|measure| measure.key.as_str()).collect();
        found.sort_unstable();
        let mut expected = names.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected);
        let folded =
            |key: &str| groups.iter().flat_map(|group| &group.measures).any(|m| m.key == key && !m.is_usual);
        assert!(folded("f1_exec"), "it equals f1");
        assert!(folded("kqapro_accuracy") && !folded("mine") && !folded("f1"));
    }

    #[test]
    fn the_main_measure_is_one_that_all_runs_have() {
        let report = |runs: Vec<ReportRun>| Report { runs, ..Report::default() };
        assert_eq!(main_measure(&report(vec![run(&[("f1", 0.1), ("bleu", 0.2)])])), "f1");
        assert_eq!(
            main_measure(&report(vec![
                run(&[("f1", 0.1), ("em_canonical", 0.2)]),
                run(&[("em_canonical", 0.2)])
            ])),
            "em_canonical"
        );
        assert_eq!(main_measure(&report(vec![run(&[("mine", 0.1)])])), "mine");
        assert_eq!(main_measure(&report(Vec::new())), "f1");
    }

    #[test]
    fn small_probabilities_are_not_zero() {
        assert_eq!(probability(0.0), "p < 0.001");
        assert_eq!(probability(0.0425), "p = 0.043");
    }
}
