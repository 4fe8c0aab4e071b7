//! The opening of a report: which system is better, by how much, whether that is significant, and where each fails.

use super::facets::FacetTable;
use super::findings::{Findings, WEAK_FACETS, WeakSpot, weak_spots};
use super::measures::{label, probability, three};
use super::model::{Report, ReportRun};
use super::scores::{colour, interval_bar, signed, stacked_outcomes};
use crate::drawing::ShapePictures;
use crate::page::{self, hash_start};
use maud::{Markup, html};
use touchstone_benchmark::{PredictionOutcome, RunHeader};
use touchstone_grade::PairedTest;
use touchstone_kb::counts::{counted, grouped, percent};

/// The heading with what was asked, on what, with what and when.
pub(crate) fn facts(report: &Report) -> Markup {
    let first = report.runs.first();
    let about = first.map(|run| &run.summary.about);
    let benchmark = about.map_or("", |about| about.benchmark.as_str());
    let identity = about.map_or("", |about| about.identity.as_str());
    let questions = report.runs.iter().map(|run| run.grades.len()).max().unwrap_or(0);
    let versions =
        different(report.runs.iter().filter_map(header).map(|header| header.tool_version.as_str()));
    let dates = different(report.runs.iter().filter_map(|run| Some(day(&run.manifest.as_ref()?.started))));
    let is_current = versions.iter().all(|version| *version == env!("CARGO_PKG_VERSION"));
    let mut found = vec![
        (
            "Benchmark",
            html! {
                (if benchmark.is_empty() { "unknown" } else { benchmark })
                @if !identity.is_empty() { " " (hash_start(identity)) }
            },
        ),
        ("Questions", html! { (grouped(questions)) }),
        ("Knowledge base", kb(report)),
    ];
    if !dates.is_empty() {
        found.push(("Runs of", html! { (dates.join(", ")) }));
    }
    found.push(("Touchstone", html! {
        @if is_current { (env!("CARGO_PKG_VERSION")) } @else { "runs " (versions.join(", ")) ", report " (env!("CARGO_PKG_VERSION")) }
    }));
    if !report.date.is_empty() {
        found.push(("Report of", html! { (report.date) }));
    }
    page::facts(found)
}

fn kb(report: &Report) -> Markup {
    let of_run = |run: &ReportRun| {
        let declared = header(run).map(|header| header.kb.clone()).filter(|kb| !kb.is_empty());
        run.summary.kb.clone().or(declared)
    };
    let fingerprints: Vec<String> = report.runs.iter().filter_map(of_run).collect();
    let fingerprints = different(fingerprints.iter().map(String::as_str));
    let name = report.kb.as_ref().map(|kb| kb.name.as_str()).filter(|name| !name.is_empty());
    html! {
        @if let Some(name) = name { (name) " " }
        @for fingerprint in &fingerprints { (hash_start(fingerprint)) " " }
        @if name.is_none() && fingerprints.is_empty() { "none" }
    }
}

/// Texts without repetitions.
fn different<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut found: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The day of a moment.
fn day(moment: &str) -> &str {
    moment.get(..10).unwrap_or(moment)
}

fn header(run: &ReportRun) -> Option<&RunHeader> {
    run.manifest.as_ref().map(|manifest| &manifest.header)
}

/// The first sentences: which system is better, by how much, and whether that is significant.
pub(crate) fn verdict(report: &Report, findings: &Findings) -> Markup {
    let Some(best) = report.runs.get(findings.reference) else {
        return html! { p.verdict { "There are no runs." } };
    };
    let measure = label(&findings.main);
    let Some(score) = best.summary.measures.get(&findings.main) else {
        return html! { p.verdict { "No measure was computed for all runs." } };
    };
    let (mean, low, high) = (three(score.all.mean), three(score.all.low), three(score.all.high));
    let Some((rival, test)) = findings.rivals(report).next() else {
        return html! {
            p.verdict { strong { (best.name) } " reaches " (measure) " " b { (mean) } "." }
            p.verdict-detail { "95 % interval " (low) " to " (high) " over " (counted(score.all.n, "question", "questions")) "." }
        };
    };
    let rival = &report.runs[rival].name;
    let others = findings.compared.others.len();
    html! {
        p.verdict {
            @if test.comparison.difference == 0.0 { strong { (best.name) } " and " strong { (rival) } " are equally good: " (measure) " " b { (mean) } "." }
            @else if test.is_significant() {
                strong { (best.name) } " is better than " strong { (rival) } ": " (measure) " " b { (three(test.first_mean)) } " against " b { (three(test.second_mean)) } "."
            } @else {
                strong { (best.name) } " and " strong { (rival) } " cannot be told apart: " (measure) " " b { (three(test.first_mean)) } " and " b { (three(test.second_mean)) } "."
            }
        }
        p.verdict-detail { (significance(test, others)) }
    }
}

/// A test in words.
fn significance(test: &PairedTest, comparisons: usize) -> Markup {
    let c = &test.comparison;
    let (difference, low, high) = (-c.difference, -c.high, -c.low);
    let p = probability(test.p_corrected);
    html! {
        "The difference is " (three(difference)) " (95 % interval " (three(low)) " to " (three(high)) ", "
        (p) ", paired bootstrap over " (counted(test.n, "question", "questions"))
        @if comparisons > 1 { ", corrected for " (comparisons) " comparisons" }
        ")"
        @if test.is_significant() { ": significant." }
        @else { ": not significant. So many questions detect differences from " (three(c.detectable)) " on (80 % power)." }
    }
}

/// Each system with its score, its outcomes, how it compares and what it was trained on, the best first.
pub(crate) fn systems(report: &Report, findings: &Findings) -> Markup {
    html! {
        ol.systems {
            @for &run in &findings.ranking { (system(report, findings, run)) }
        }
    }
}

fn system(report: &Report, findings: &Findings, number: usize) -> Markup {
    let run = &report.runs[number];
    let score = run.summary.measures.get(&findings.main).map(|score| &score.all);
    let asked: usize = run.summary.outcomes.values().sum();
    let answered = run.summary.outcomes.get(PredictionOutcome::Answered.word()).copied().unwrap_or(0);
    html! {
        li.(colour(number)) {
            div.system-name {
                h3 { span.swatch aria-hidden="true" {} (run.name) }
                @if let Some(header) = header(run).filter(|header| header.system != run.name) { p.small { (header.system) } }
            }
            div.system-score {
                p { span.big { (score.map_or_else(|| "–".to_owned(), |score| three(score.mean))) } " " span.soft { (label(&findings.main)) } }
                @if let Some(score) = score {
                    (interval_bar(score))
                    p.small { "95 %: " (three(score.low)) " to " (three(score.high)) }
                }
            }
            div.system-outcomes {
                p { (percent(answered, asked.max(1))) " answered" }
                (stacked_outcomes(run))
                @if let Some(robust) = run.summary.robust.filter(|robust| robust.failed > 0) {
                    p.small { (robust.failed) " of " (robust.checked) " right answers are right by luck" }
                }
            }
            div.system-verdict { (against(report, findings, number)) }
            div.system-regime { (regime(run)) }
        }
    }
}

/// How a run compares with the reference.
fn against(report: &Report, findings: &Findings, run: usize) -> Markup {
    if report.runs[run].is_oracle() {
        return html! { p { span.chip { "repeats gold" } } p.small { "shows that benchmark, KB and grading agree; not compared" } };
    }
    let reference = &report.runs[findings.reference].name;
    match findings.tests.get(run).and_then(Option::as_ref) {
        _ if run == findings.reference && report.runs.len() > 1 => html! { p { span.chip.good { "best" } } },
        None => html! {},
        Some(test) => {
            let difference = test.comparison.difference;
            let word = if test.is_significant() { "significant" } else { "not significant" };
            html! {
                p { span.chip.bad[test.is_significant()] { (signed(difference)) } " " span.small { "against " (reference) } }
                p.small { (word) ", " (probability(test.p_corrected)) }
            }
        }
    }
}

/// What a system was trained on, and what it is given besides the question.
fn regime(run: &ReportRun) -> Markup {
    let Some(header) = header(run) else {
        return html! { p.small { b { "Training: " } "not stated (graded from a file of predictions)" } };
    };
    let given = [
        (header.gold_entities, "the entities"),
        (header.choices, "the choices"),
        (header.schema, "the schema"),
    ];
    let given: Vec<&str> =
        given.into_iter().filter(|(is_given, _)| *is_given).map(|(_, what)| what).collect();
    html! {
        p.small { b { "Training: " } (header.trained_on.as_deref().unwrap_or("not stated")) }
        p.small {
            b { "Given: " }
            @if given.is_empty() { "the question only" } @else { "the question with " (given.join(", ")) }
            @if let Some(split) = header.split { "; split " (split) }
            @if let Some(limit) = header.limit { "; the first " (grouped(limit)) " questions" }
        }
    }
}

/// Where the systems fail: the worst shapes, functions and levels of each, that of the focus first.
pub(crate) fn failures(
    report: &Report,
    findings: &Findings,
    facets: &[FacetTable<'_>],
    pictures: &ShapePictures,
) -> Markup {
    let others: Vec<usize> = findings
        .ranking
        .iter()
        .copied()
        .filter(|run| *run != findings.focus && !report.runs[*run].is_oracle())
        .collect();
    let shown = |run: usize| weak_parts(report, (findings, run), facets, pictures);
    html! {
        @if let Some(run) = report.runs.get(findings.focus) {
            section #failures {
                h2 { "Where " (run.name) " fails" }
                (shown(findings.focus))
                @for other in others {
                    details.more { summary { "Where " (report.runs[other].name) " fails" } (shown(other)) }
                }
            }
        }
    }
}

fn weak_parts(
    report: &Report,
    (findings, run): (&Findings, usize),
    facets: &[FacetTable<'_>],
    pictures: &ShapePictures,
) -> Markup {
    let overall = report.runs[run].mean(&findings.main).unwrap_or(0.0);
    let measure = label(&findings.main);
    let parts = WEAK_FACETS.iter().filter_map(|(facet, title)| {
        let table = facets.iter().find(|table| table.name == *facet && table.values.len() > 1)?;
        Some((*facet, *title, weak_spots(table, &findings.main, run, overall)))
    });
    let parts: Vec<(&str, &str, Vec<WeakSpot<'_>>)> = parts.collect();
    html! {
        p.soft { "What is clearly worse than " (measure) " " (three(overall)) " over all: even the upper end of its interval is below." }
        div.weak {
            @for (facet, title, spots) in &parts {
                div {
                    h3 { (title) }
                    @if spots.is_empty() { p.small { "None is clearly worse than the others." } }
                    @else {
                        ul { @for spot in spots {
                            li { (weak_spot(spot, (facet, &measure, overall), (run, pictures))) }
                        } }
                    }
                }
            }
            @if parts.is_empty() { p.small { "All questions have the same shape, function and level." } }
        }
    }
}

fn weak_spot(
    spot: &WeakSpot<'_>,
    (facet, measure, overall): (&str, &str, f64),
    (run, pictures): (usize, &ShapePictures),
) -> Markup {
    let name = pictures.name(spot.value).filter(|_| facet == "shape");
    let address = format!("#list?{facet}={}&run={run}&result=wrong", encoded(spot.value));
    html! {
        @if name.is_some() { (pictures.show(spot.value)) }
        div {
            p {
                a href=(address) { (name.map_or_else(|| spot.value.replace('_', " "), |name| name.short.clone())) }
                ": " (measure) " " b { (three(spot.score.mean)) } " on " (counted(spot.score.n, "question", "questions"))
            }
            (weak_bar(spot, overall))
            @if let Some(name) = name.filter(|name| !name.description.is_empty()) { p.small { (name.description) } }
        }
    }
}

/// The score of a weak spot with its interval, and the score over all as a mark.
fn weak_bar(spot: &WeakSpot<'_>, overall: f64) -> Markup {
    let at = |value: f64| format!("{:.1}%", value.clamp(0.0, 1.0) * 100.0);
    let text =
        format!("{} to {}; {} over all", three(spot.score.low), three(spot.score.high), three(overall));
    html! {
        svg.weak-bar role="img" aria-label=(text) {
            title { (text) }
            rect.track x="0" y="3" width="100%" height="6" rx="3" {}
            rect.mean x="0" y="3" width=(at(spot.score.mean)) height="6" rx="3" {}
            rect.overall x=(at(overall)) y="0" width="2" height="12" {}
        }
    }
}

/// A text in an address.
fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let piece = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::{different, encoded};

    #[test]
    fn addresses_hold_any_text() {
        assert_eq!(encoded("T1:(()(()))"), "T1%3A%28%28%29%28%28%29%29%29");
        assert_eq!(encoded("zero-shot é"), "zero-shot%20%C3%A9");
    }

    #[test]
    fn facts_are_stated_once() {
        assert_eq!(different(["b", "a", "", "b"].into_iter()), ["a", "b"]);
    }
}
