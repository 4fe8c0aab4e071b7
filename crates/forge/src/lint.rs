//! Checks a benchmark and reports what is wrong with it.

use crate::context::SamplingContext;
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use touchstone_benchmark::package::{Benchmark, BenchmarkManifest};
use touchstone_benchmark::{Question, Split};
use touchstone_engine::budget::{Cancel, Limits};
use touchstone_engine::{Answers, Outcome, Session, Settings, View};
use touchstone_kb::counts::counted;
use touchstone_kb::{Kb, Progress};
use touchstone_logic::Knowledge;
use touchstone_logic::equal::Canonical;
use touchstone_logic::level::{Training, Traits};
use touchstone_logic::sparql::Namespaces;
use touchstone_logic::with_ids;
use touchstone_logic::{Answer, Form, Language, Program, Query, ReadForm};

/// What is demanded of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LintRule {
    /// The manifest counts what the questions have.
    Count,
    /// Ids are unique.
    DuplicateId,
    /// No question occurs twice.
    DuplicateQuestion,
    /// There are questions.
    Empty,
    /// No query of training occurs in evaluation.
    Leak,
    /// A question has one meaning.
    TwoQueries,
    /// Forms can be parsed.
    UnreadableForm,
    /// Forms give the answers.
    WrongAnswers,
    /// Levels follow from the training split.
    WrongLevel,
    /// Mentions are where they are said to be.
    WrongMention,
}

impl LintRule {
    /// What is found where the rule is violated.
    pub fn name(self) -> &'static str {
        match self {
            LintRule::Count => "count",
            LintRule::DuplicateId => "duplicate id",
            LintRule::DuplicateQuestion => "duplicate question",
            LintRule::Empty => "empty",
            LintRule::Leak => "leak",
            LintRule::TwoQueries => "one question, two queries",
            LintRule::UnreadableForm => "unreadable form",
            LintRule::WrongAnswers => "wrong answers",
            LintRule::WrongLevel => "wrong level",
            LintRule::WrongMention => "wrong mention",
        }
    }
}

impl Serialize for LintRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule that is violated.
    pub rule: LintRule,
    /// The question.
    pub id: String,
    /// The details.
    pub what: String,
}

/// What was checked, and the problems found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LintReport {
    /// Whether the given KB is the one that the benchmark was made from.
    pub same_kb: bool,
    /// Number of forms that were run.
    pub forms_run: u64,
    /// Number of questions.
    pub questions: usize,
    /// The problems.
    pub findings: Vec<Finding>,
    /// What the recipe asked for and the KB could not provide.
    pub unfilled: usize,
}

impl LintReport {
    /// Findings by rule.
    pub fn by_rule(&self) -> BTreeMap<LintRule, usize> {
        let mut counts = BTreeMap::new();
        for finding in &self.findings {
            *counts.entry(finding.rule).or_default() += 1;
        }
        counts
    }

    /// The number of findings, in all and by rule, as text.
    pub fn totals(&self) -> String {
        let rules: Vec<String> =
            self.by_rule().iter().map(|(rule, n)| format!("{n} {}", rule.name())).collect();
        format!("{}: {}", counted(self.findings.len(), "finding", "findings"), rules.join(", "))
    }
}

/// Budget of the general evaluator; a form that exceeds it is skipped.
const SPARQL_OPERATIONS: u64 = 50_000;

/// What was read and found for one question.
struct Checked {
    query: Option<Query>,
    findings: Vec<Finding>,
    forms_run: u64,
}

/// Runs all automatic checks: every form gives the answers, no query of training occurs in evaluation, levels are
/// right, no question occurs twice, and no question has two meanings.
pub fn lint(kb: &Kb, benchmark: &Benchmark, progress: &dyn Progress) -> LintReport {
    let context = SamplingContext::new(kb, Some(&[]));
    let session = Session::new(kb).without_suggestions();
    let namespaces = Namespaces::of(kb);
    progress.stage("running all forms", Some(benchmark.questions.len() as u64));
    let checked: Vec<Checked> = benchmark
        .questions
        .par_iter()
        .map(|question| {
            progress.advance(1);
            // The words of the session make no suggestions, which take longer than parsing.
            check(&context, &session, &Knowledge::new(session.words(), namespaces.clone()), question)
        })
        .collect();
    let mut report = LintReport {
        same_kb: kb.manifest().fingerprint == benchmark.manifest.kb.fingerprint,
        forms_run: checked.iter().map(|checked| checked.forms_run).sum(),
        questions: benchmark.questions.len(),
        findings: wrong_counts(benchmark),
        unfilled: benchmark.manifest.unfilled.len(),
    };
    report.findings.extend(compare(&context, benchmark, &checked));
    report.findings.extend(checked.into_iter().flat_map(|checked| checked.findings));
    report
}

/// Compares the counts of the manifest with the questions.
fn wrong_counts(benchmark: &Benchmark) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (stated, counted) = (&benchmark.manifest.counts, BenchmarkManifest::counts(&benchmark.questions));
    let names: BTreeSet<&String> = stated.keys().chain(counted.keys()).collect();
    for name in names {
        let number = |counts: &BTreeMap<String, u64>| counts.get(name).copied().unwrap_or(0);
        let (stated, counted) = (number(stated), number(&counted));
        if stated != counted {
            let what = format!("benchmark.json counts {stated} of `{name}`, questions.jsonl has {counted}");
            findings.push(Finding { rule: LintRule::Count, id: String::new(), what });
        }
    }
    if benchmark.questions.is_empty() {
        let what = "there are no questions".to_owned();
        findings.push(Finding { rule: LintRule::Empty, id: String::new(), what });
    }
    findings
}

/// Compares questions with each other, and evaluation questions with training questions.
fn compare(context: &SamplingContext<'_>, benchmark: &Benchmark, checked: &[Checked]) -> Vec<Finding> {
    let words = &context.words;
    let mut findings = Vec::new();
    let traits: Vec<Traits> = benchmark
        .questions
        .par_iter()
        .zip(checked)
        .map(|(question, checked)| match &checked.query {
            Some(query) => question.traits_of(query, words, true),
            None => question.traits(Some(context.kb()), words, true),
        })
        .collect();
    let key = |checked: &Checked| Some(Canonical::of(checked.query.as_ref()?, words).key().to_owned());
    let keys: Vec<Option<String>> = checked.par_iter().map(key).collect();
    let all = || benchmark.questions.iter().zip(&keys).zip(&traits);
    let mut training = Training::default();
    let mut trained: HashMap<&str, &str> = HashMap::new();
    for ((question, key), traits) in all().filter(|((question, _), _)| question.split == Split::Train) {
        training.add(traits.clone());
        trained.extend(key.as_ref().map(|key| (key.as_str(), question.id.as_str())));
    }
    let (mut ids, mut texts) = (HashSet::new(), HashMap::new());
    for ((question, key), traits) in all() {
        let mut add = |rule, what: String| findings.push(Finding { rule, id: question.id.clone(), what });
        if !ids.insert(&question.id) {
            add(LintRule::DuplicateId, question.id.clone());
        }
        // Without a readable query, only the template can be compared.
        let meaning = key.as_ref().unwrap_or(&question.template);
        match texts.insert(&question.question, meaning) {
            Some(other) if other == meaning => add(LintRule::DuplicateQuestion, question.question.clone()),
            Some(_) => add(LintRule::TwoQueries, question.question.clone()),
            None => {}
        }
        if question.split == Split::Train {
            continue;
        }
        if let Some(other) = key.as_ref().and_then(|key| trained.get(key.as_str())) {
            add(LintRule::Leak, format!("the same query is {other} of the training split"));
        }
        // Without a level, or without training questions to determine it, there is nothing to compare.
        if let Some(given) = question.level.filter(|_| training.template_count() > 0) {
            let level = training.judge(traits).level;
            if level != given {
                add(
                    LintRule::WrongLevel,
                    format!("level is {given}, but the training split makes it {level}"),
                );
            }
        }
    }
    findings
}

impl Checked {
    /// Runs SPARQL if there is no other form. Forms that exceed the budget are skipped, and so are values, which SPARQL returns without units.
    fn run_sparql(&mut self, session: &Session<'_>, question: &Question, form: Option<&ReadForm>) {
        let is_shown = |answer: &Answer| {
            use Answer::{Boolean, Class, Entity, Number, Relation};
            matches!(answer, Entity { .. } | Class { .. } | Relation { .. } | Boolean { .. } | Number { .. })
        };
        let Some(form) = form.filter(|_| question.answers.iter().all(is_shown)) else { return };
        let limits = Limits { operations: SPARQL_OPERATIONS, ..Limits::none() };
        let settings = Settings { view: Some(View::Direct), limits, ..Settings::default() };
        let reply = session.run_form(form, &settings, &Cancel::default());
        let what = match reply.outcome {
            Outcome::OverBudget(_) => return,
            Outcome::Answered(Answers::List { answers: got, .. }) => {
                self.forms_run += 1;
                if got.iter().any(|answer| !is_shown(answer)) || Answer::are_same(&got, &question.answers) {
                    return;
                }
                format!("SPARQL: it gives {} answers instead of {}", got.len(), question.answers.len())
            }
            Outcome::Answered(_) => "SPARQL: it gives a table".to_owned(),
            Outcome::Unparsable(message) | Outcome::Failed(message) => format!("SPARQL: {message}"),
        };
        self.findings.push(Finding { rule: LintRule::WrongAnswers, id: question.id.clone(), what });
    }
}

fn check(
    context: &SamplingContext<'_>,
    session: &Session<'_>,
    knowledge: &Knowledge<'_>,
    question: &Question,
) -> Checked {
    let kb = context.kb();
    let mut checked = Checked { query: None, findings: Vec::new(), forms_run: 0 };
    let expected = &question.answers;
    let forms = &question.forms;
    let sexpr = forms.sexpr.as_ref().map(|text| {
        let form = Form::parse(text, &context.words).map_err(|error| error.to_string());
        ("S-expression", form.and_then(|form| form.to_query().map_err(|error| error.to_string())))
    });
    let program = forms.program.as_ref().map(|text| {
        let program = Program::parse(text).map_err(|error| error.to_string());
        (
            "program",
            program.and_then(|program| program.to_query(&context.words).map_err(|error| error.to_string())),
        )
    });
    for (name, read) in [sexpr, program].into_iter().flatten() {
        checked.forms_run += 1;
        let mut add = |rule, what: String| {
            checked.findings.push(Finding { rule, id: question.id.clone(), what: format!("{name}: {what}") });
        };
        let query = match read {
            Ok(query) => query,
            Err(error) => {
                add(LintRule::UnreadableForm, error);
                continue;
            }
        };
        let got = context.run_with_large_budget(&query).map(|found| found.answers(kb)).unwrap_or_default();
        if !Answer::are_same(&got, expected) {
            let shown =
                |list: &[Answer]| list.iter().take(3).map(Answer::text).collect::<Vec<_>>().join(", ");
            add(
                LintRule::WrongAnswers,
                format!(
                    "it gives {} ({}) instead of {} ({})",
                    got.len(),
                    shown(&got),
                    expected.len(),
                    shown(expected)
                ),
            );
        }
        checked.query.get_or_insert_with(|| with_ids(query, kb));
    }
    let read = |text: &Option<String>| Some(ReadForm::read(Language::Sparql, text.as_ref()?, knowledge));
    let sparql = [read(&forms.sparql), read(&forms.sparql_kqapro)];
    if checked.query.is_none() && forms.sexpr.is_none() && forms.program.is_none() {
        // If SPARQL lists values, its parsed query is a different one.
        let is_same = |query: &Query| Canonical::template(query, &context.words).key() == question.template;
        let query = sparql.iter().flatten().find_map(ReadForm::query).cloned();
        checked.query = query.map(|query| with_ids(query, kb)).filter(is_same);
        checked.run_sparql(session, question, sparql[0].as_ref());
    }
    if let Some(form) = sparql.iter().flatten().find(|form| form.parsed.is_err()) {
        checked.findings.push(Finding {
            rule: LintRule::UnreadableForm,
            id: question.id.clone(),
            what: format!("SPARQL: {}", form.text),
        });
    }
    let chars: Vec<char> = question.question.chars().collect();
    for mention in &question.entities {
        let text: Option<String> = chars.get(mention.start..mention.end).map(|chars| chars.iter().collect());
        if text.as_deref() != Some(mention.text.as_str()) {
            checked.findings.push(Finding {
                rule: LintRule::WrongMention,
                id: question.id.clone(),
                what: mention.text.clone(),
            });
        }
    }
    checked
}
