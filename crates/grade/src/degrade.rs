//! Synthetic runs: gold queries, a share of which is degraded in a known way.

use crate::cast::{float, whole};
use crate::degrade_sexpr::FormNames;
use crate::grade_error::{GradeError, io};
use crate::scan::{Token, scan, tokens};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;
use touchstone_benchmark::{OpenBenchmark, Prediction, Question, Random};
use touchstone_engine::QueryContext;
use touchstone_kb::output::OutputFile;
use touchstone_kb::{Comparison, LiteralFamily, cache_dir};
use touchstone_logic::Knowledge;
use touchstone_logic::{Ask, Extreme, Language, Query, Set, Value, Vocabulary, kopl, sexpr, without_one};

/// A way to degrade a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Degradation {
    /// Removes the last closing bracket: the same query, but it does not run.
    #[serde(rename = "T1")]
    T1,
    /// Replaces every entity and property by a random one: it runs, but is a different query with different answers.
    #[serde(rename = "T2")]
    T2,
    /// Replaces it by another query of the benchmark with the same answers.
    #[serde(rename = "T3")]
    T3,
    /// Removes a constraint.
    Drop,
    /// Reverses a relation.
    Flip,
    /// Swaps greatest and smallest, less and greater, and replaces counting by listing.
    Function,
    /// Changes the unit of a quantity.
    Unit,
    /// Replaces a year by the next one.
    Year,
}

impl Degradation {
    /// Whether it changes the text of SPARQL, or of an S-expression if there is no SPARQL; the others change queries in any
    /// language.
    pub(crate) fn is_of_text(self) -> bool {
        matches!(self, Degradation::T1 | Degradation::T2 | Degradation::T3)
    }

    /// All degradations, by name.
    pub const ALL: [(&'static str, Degradation); 8] = [
        ("T1", Degradation::T1),
        ("T2", Degradation::T2),
        ("T3", Degradation::T3),
        ("drop", Degradation::Drop),
        ("flip", Degradation::Flip),
        ("function", Degradation::Function),
        ("unit", Degradation::Unit),
        ("year", Degradation::Year),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Degradation::ALL.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// Its description.
    pub fn description(self) -> &'static str {
        match self {
            Degradation::T1 => "the last closing bracket is removed",
            Degradation::T2 => "every entity and property is replaced by a random one",
            Degradation::T3 => "the query is replaced by another with the same answers",
            Degradation::Drop => "a constraint is removed",
            Degradation::Flip => "a relation is reversed",
            Degradation::Function => "a function is replaced by another",
            Degradation::Unit => "a unit is replaced by another",
            Degradation::Year => "a year is replaced by the next",
        }
    }
}

impl fmt::Display for Degradation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Error: a text is not the name of a degradation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no degradation `{0}`; choose from {known}", known = Degradation::ALL.map(|(name, _)| name).join(", "))]
#[non_exhaustive]
pub struct UnknownDegradation(String);

impl FromStr for Degradation {
    type Err = UnknownDegradation;

    fn from_str(name: &str) -> Result<Degradation, UnknownDegradation> {
        let found = Degradation::ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, found)| *found).ok_or_else(|| UnknownDegradation(name.to_owned()))
    }
}

/// A degradation with the share of questions that it changes, written like `T2:0.2`; without a share it is a tenth.
///
/// ```
/// use touchstone_grade::degrade::{DegradedShare, Degradation};
/// let degraded: DegradedShare = "T2:0.2".parse()?;
/// assert_eq!((degraded.degradation, degraded.share), (Degradation::T2, 0.2));
/// assert!("T2:2".parse::<DegradedShare>().is_err());
/// # Ok::<(), touchstone_grade::degrade::InvalidDegradedShare>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DegradedShare {
    /// The degradation.
    pub degradation: Degradation,
    /// The share, from 0 to 1.
    pub share: f64,
}

/// A text that is not a degradation with a share.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidDegradedShare {
    /// The share is out of range.
    #[error("`{0}` is not a share between 0 and 1; write the system like degraded:T2:0.2")]
    Share(String),
    /// There is no such degradation.
    #[error(transparent)]
    Degradation(#[from] UnknownDegradation),
}

impl FromStr for DegradedShare {
    type Err = InvalidDegradedShare;

    fn from_str(text: &str) -> Result<DegradedShare, InvalidDegradedShare> {
        let (degradation, share) = text.split_once(':').unwrap_or((text, "0.1"));
        let in_range = share.parse().ok().filter(|share| (0.0..=1.0).contains(share));
        let share = in_range.ok_or_else(|| InvalidDegradedShare::Share(share.to_owned()))?;
        Ok(DegradedShare { degradation: degradation.parse()?, share })
    }
}

/// Configuration of a synthetic run.
#[derive(Debug, Clone, PartialEq)]
pub struct DegradeConfig {
    /// The degradation.
    pub degradation: Degradation,
    /// The share of questions to degrade, from 0 to 1.
    pub share: f64,
    /// The same seed degrades the same questions.
    pub seed: u64,
    /// The file of predictions.
    pub out: PathBuf,
    /// Replace the file even if Touchstone did not write it or it was changed since.
    pub force: bool,
}

/// Writes a synthetic run: gold predictions for the selected questions, a share of them degraded.
pub fn degrade_benchmark(open: &OpenBenchmark, config: &DegradeConfig) -> Result<Degraded, GradeError> {
    check_share(config.share)?;
    let mut file = OutputFile::reserve(&config.out, Some(&cache_dir()), config.force)?;
    let context = QueryContext::new(open.kb.as_ref(), open.ontology.as_ref()).without_suggestions();
    let questions = open.questions()?;
    let DegradeConfig { degradation, share, seed, .. } = *config;
    let run = degrade(&questions, &open.all_questions(), degradation, share, seed, &context.knowledge());
    if run.predictions.is_empty() {
        check_text(&questions)?;
    }
    let line = |prediction: &Prediction| serde_json::to_string(prediction).map(|line| line + "\n");
    let text: Result<String, _> = run.predictions.iter().map(line).collect();
    let written = text.map_err(std::io::Error::from).and_then(|text| file.write_all(text.as_bytes()));
    written.map_err(io("write", &config.out))?;
    file.commit()?;
    Ok(run)
}

/// Rejects a share that is not from 0 to 1.
pub(crate) fn check_share(share: f64) -> Result<(), GradeError> {
    if (0.0..=1.0).contains(&share) { Ok(()) } else { Err(GradeError::Share(share)) }
}

/// Rejects questions if none has a text that degradations of texts can change.
pub(crate) fn check_text(questions: &[&Question]) -> Result<(), GradeError> {
    let has_text = |question: &&Question| question.forms.sparql.is_some() || question.forms.sexpr.is_some();
    if questions.iter().any(has_text) { Ok(()) } else { Err(GradeError::NoText) }
}

/// A synthetic run.
#[derive(Debug, Clone, PartialEq)]
pub struct Degraded {
    /// A prediction for each question that has a form to start from.
    pub predictions: Vec<Prediction>,
    /// Number of predictions that are not gold.
    pub changed: usize,
    /// Number of questions that were chosen but could not be degraded in this way.
    pub unchanged: usize,
}

/// The material for degradations: the IRIs and answers of a benchmark.
pub(crate) struct Stock<'q> {
    things: Vec<String>,
    properties: Vec<String>,
    /// Questions with SPARQL or an S-expression, by their answers.
    by_answers: HashMap<String, Vec<&'q Question>>,
}

impl<'q> Stock<'q> {
    /// The material of some questions.
    pub(crate) fn of(questions: &[&'q Question]) -> Stock<'q> {
        let (mut things, mut properties) = (BTreeSet::new(), BTreeSet::new());
        let mut by_answers: HashMap<String, Vec<&Question>> = HashMap::new();
        for question in questions {
            let Some(sparql) = &question.forms.sparql else {
                if question.forms.sexpr.is_some() {
                    by_answers.entry(answers_key(question)).or_default().push(question);
                }
                continue;
            };
            for [subject, property, object] in scan(sparql).patterns {
                for term in [subject, object].iter().filter(|term| term.starts_with('<')) {
                    things.insert(term.to_string());
                }
                if property.starts_with('<') {
                    properties.insert(property.to_string());
                }
            }
            by_answers.entry(answers_key(question)).or_default().push(question);
        }
        Stock {
            things: things.into_iter().collect(),
            properties: properties.into_iter().collect(),
            by_answers,
        }
    }

    /// Another query with exactly the same answers.
    pub(crate) fn same_answers(&self, question: &Question, random: &mut Random) -> Option<&'q str> {
        self.same_answers_in(|question| question.forms.sparql.as_deref(), question, random)
    }

    /// Another form with exactly the same answers.
    fn same_answers_in(
        &self,
        form: fn(&Question) -> Option<&str>,
        question: &Question,
        random: &mut Random,
    ) -> Option<&'q str> {
        let others = self.by_answers.get(&answers_key(question))?;
        let is_other = |other: &&&'q Question| form(other).is_some_and(|other| form(question) != Some(other));
        let others: Vec<&&'q Question> = others.iter().filter(is_other).collect();
        let other: &'q Question = **random.choose(&others)?;
        form(other)
    }

    /// The text with some of its names replaced at random: each with this probability in percent, and at least one.
    pub(crate) fn other_names(&self, sparql: &str, percent: u64, random: &mut Random) -> Option<String> {
        let found = scan(sparql);
        let mut names: Vec<(String, bool)> = Vec::new();
        for [subject, property, object] in &found.patterns {
            let own = [(subject, false), (property, true), (object, false)];
            for (name, is_property) in own.into_iter().filter(|(name, _)| name.starts_with('<')) {
                if !names.iter().any(|(known, _)| known == name) {
                    names.push((name.to_string(), is_property));
                }
            }
        }
        let listed = found.iris.iter().filter(|iri| iri.starts_with('<'));
        for iri in listed {
            if !names.iter().any(|(known, _)| known == iri) {
                names.push((iri.to_string(), false));
            }
        }
        let must = random.below(names.len().max(1));
        let mut replaced: Vec<(String, String)> = Vec::new();
        for (at, (name, is_property)) in names.iter().enumerate() {
            if at == must || random.percent(percent) {
                let from = if *is_property { &self.properties } else { &self.things };
                let others: Vec<&String> = from.iter().filter(|other| *other != name).collect();
                replaced.push((name.clone(), (*random.choose(&others)?).clone()));
            }
        }
        if replaced.iter().all(|(old, new)| old == new) {
            return None;
        }
        Some(renamed(sparql, &replaced))
    }
}

/// Replaces whole IRIs, except in literals.
fn renamed(text: &str, names: &[(String, String)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    for token in tokens(text) {
        let (Token::Iri(word) | Token::Literal(word)) = &token else { continue };
        let Some(at) = rest.find(word.as_ref()) else { continue };
        out.push_str(&rest[..at]);
        let new = names.iter().find(|(old, _)| matches!(&token, Token::Iri(iri) if iri == old));
        out.push_str(new.map_or(word, |(_, new)| new));
        rest = &rest[at + word.len()..];
    }
    out + rest
}

fn answers_key(question: &Question) -> String {
    let mut keys: Vec<String> =
        question.answers.iter().map(|answer| serde_json::to_string(answer).unwrap_or_default()).collect();
    keys.sort_unstable();
    keys.join("\u{1f}")
}

/// The text without its last closing bracket.
pub fn without_bracket(sparql: &str) -> Option<String> {
    let at = sparql.rfind('}')?;
    Some(format!("{}{}", &sparql[..at], &sparql[at + 1..]))
}

/// A run of gold predictions, a share of which is degraded; random names and other queries are taken from `pool`.
pub fn degrade(
    questions: &[&Question],
    pool: &[&Question],
    degradation: Degradation,
    share: f64,
    seed: u64,
    knowledge: &Knowledge<'_>,
) -> Degraded {
    let mut random = Random::new(seed, degradation.name());
    let stock = Stock::of(pool);
    let on_text = degradation.is_of_text();
    let without_sparql = on_text && questions.iter().any(|question| question.forms.sparql.is_none());
    let names = if without_sparql { FormNames::of(pool, knowledge) } else { FormNames::default() };
    let gold = |question: &Question| -> Option<(Language, String)> {
        let forms = &question.forms;
        let sparql = forms.sparql.clone().map(|text| (Language::Sparql, text));
        let sexpr = forms.sexpr.clone().map(|text| (Language::Sexpr, text));
        if on_text {
            return sparql.or(sexpr);
        }
        sexpr.or_else(|| forms.program.clone().map(|text| (Language::Kopl, text))).or(sparql)
    };
    let with_form: Vec<(&Question, (Language, String))> =
        questions.iter().filter_map(|question| Some((*question, gold(question)?))).collect();
    let mut order: Vec<usize> = (0..with_form.len()).collect();
    random.shuffle(&mut order);
    let wanted = whole((share * float(with_form.len())).round());
    let mut worse: HashMap<usize, (Language, String)> = HashMap::new();
    let mut unchanged = 0;
    for &at in order.iter().take(wanted) {
        let (question, (language, text)) = &with_form[at];
        let text = match (degradation, language) {
            (Degradation::T1, Language::Sexpr) => text.strip_suffix(')').map(str::to_owned),
            (Degradation::T1, _) => without_bracket(text),
            (Degradation::T2, Language::Sexpr) => names.other_names(question, knowledge, &mut random),
            (Degradation::T2, _) => stock.other_names(text, 100, &mut random),
            (Degradation::T3, Language::Sexpr) => {
                stock.same_answers_in(|q| q.forms.sexpr.as_deref(), question, &mut random).map(str::to_owned)
            }
            (Degradation::T3, _) => stock.same_answers(question, &mut random).map(str::to_owned),
            (other, _) => changed(question, other, *language, knowledge, &mut random),
        };
        match text {
            Some(text) => {
                worse.insert(at, (*language, text));
            }
            None => unchanged += 1,
        }
    }
    let changed = worse.len();
    let predictions = with_form
        .into_iter()
        .enumerate()
        .map(|(at, (question, gold))| {
            let (language, text) = worse.remove(&at).unwrap_or(gold);
            Prediction {
                id: question.id.clone(),
                logical_form: Some(text),
                language: Some(language),
                ..Prediction::default()
            }
        })
        .collect();
    Degraded { predictions, changed, unchanged }
}

/// The text of a changed query, in the same language.
fn changed(
    question: &Question,
    degradation: Degradation,
    language: Language,
    knowledge: &Knowledge<'_>,
    random: &mut Random,
) -> Option<String> {
    let query = question.query(knowledge)?;
    let worse = worse_query(&query, degradation, knowledge.words, random)?;
    let printed = match language {
        Language::Sexpr => sexpr::print(&worse).ok()?,
        Language::Kopl => kopl::print(&worse, knowledge.words).ok()?,
        Language::Sparql => return None,
    };
    printed.lost.is_empty().then_some(printed.text)
}

/// A query changed in one place; `None` if there is no such place.
pub fn worse_query(
    query: &Query,
    degradation: Degradation,
    words: &dyn Vocabulary,
    random: &mut Random,
) -> Option<Query> {
    if degradation == Degradation::Drop {
        return dropped(query, random);
    }
    let mut places = 0;
    let mut count = query.clone();
    edit(&mut count, &mut |set| {
        places += usize::from(change(set, degradation, words));
        false
    });
    let on_answer = degradation == Degradation::Function;
    let mut worse = query.clone();
    if places == 0 {
        return (on_answer && other_answer(&mut worse.answer)).then_some(worse);
    }
    let mut left = random.below(places);
    edit(&mut worse, &mut |set| {
        let mut tried = set.clone();
        if !change(&mut tried, degradation, words) {
            return false;
        }
        if left > 0 {
            left -= 1;
            return false;
        }
        *set = tried;
        true
    });
    Some(worse)
}

fn dropped(query: &Query, random: &mut Random) -> Option<Query> {
    let mut worse = query.clone();
    let set = match &mut worse.answer {
        Ask::Members(Set::Superlative(superlative)) => &mut superlative.of,
        Ask::Members(set)
        | Ask::Count(set)
        | Ask::Exists(set)
        | Ask::Attribute { of: set, .. }
        | Ask::Verify { of: set, .. }
        | Ask::SelectAmong { among: set, .. } => set,
        _ => return None,
    };
    *set = random.choose(&without_one(set))?.clone();
    Some(worse)
}

/// Visits all sets until one is changed.
fn edit(query: &mut Query, visit: &mut dyn FnMut(&mut Set) -> bool) {
    fn inside(set: &mut Set, visit: &mut dyn FnMut(&mut Set) -> bool) -> bool {
        if visit(set) {
            return true;
        }
        match set {
            Set::And(parts) | Set::Or(parts) => parts.iter_mut().any(|part| inside(part, visit)),
            Set::Relate(relate) => inside(&mut relate.from, visit),
            Set::Superlative(superlative) => inside(&mut superlative.of, visit),
            Set::Marked(_, inner) => inside(inner, visit),
            _ => false,
        }
    }
    let sets: Vec<&mut Set> = match &mut query.answer {
        Ask::Members(set)
        | Ask::Count(set)
        | Ask::Exists(set)
        | Ask::Attribute { of: set, .. }
        | Ask::Verify { of: set, .. }
        | Ask::AttributeQualifier { of: set, .. }
        | Ask::SelectAmong { among: set, .. } => vec![set],
        Ask::Relation { from, to } | Ask::RelationQualifier { from, to, .. } => vec![from, to],
        Ask::SelectBetween { left, right, .. } => vec![left, right],
    };
    for set in sets {
        if inside(set, visit) {
            return;
        }
    }
}

/// Changes one set, if it is of the right kind.
fn change(set: &mut Set, degradation: Degradation, words: &dyn Vocabulary) -> bool {
    match (degradation, set) {
        // A symmetric relation means the same in both directions.
        (Degradation::Flip, Set::Relate(relate))
            if !matches!(relate.from, Set::Values(..))
                && words.inverse(&relate.property) != Some(&*relate.property) =>
        {
            relate.direction = relate.direction.flipped();
            true
        }
        (Degradation::Function, Set::Superlative(superlative)) => {
            superlative.extreme = other_extreme(superlative.extreme);
            true
        }
        (Degradation::Function, Set::Values(comparison, _)) => match other_comparison(*comparison) {
            Some(other) => {
                *comparison = other;
                true
            }
            None => false,
        },
        (Degradation::Unit, Set::Values(_, value)) => {
            let literal = value.literal();
            let Some(number) = literal.number().filter(|_| !literal.unit().is_empty()) else { return false };
            let unit = if literal.unit() == "kilometre" { "metre" } else { "kilometre" };
            **value = Value::quantity(number.to_string(), unit);
            true
        }
        (Degradation::Year, Set::Values(_, value)) => {
            let literal = value.literal();
            let is_time = literal.kind().family() == LiteralFamily::Time;
            let Some(year) = literal.as_time().filter(|_| is_time).map(|time| time.year() + 1) else {
                return false;
            };
            **value = Value::xsd(format!("{year:04}"), "gYear");
            year > 0
        }
        _ => false,
    }
}

fn other_extreme(extreme: Extreme) -> Extreme {
    match extreme {
        Extreme::Max => Extreme::Min,
        Extreme::Min => Extreme::Max,
    }
}

fn other_comparison(comparison: Comparison) -> Option<Comparison> {
    Some(match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::Greater => Comparison::Less,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        _ => return None,
    })
}

fn other_answer(answer: &mut Ask) -> bool {
    *answer = match answer {
        Ask::Count(set) => Ask::Members(set.clone()),
        Ask::Members(set) if !matches!(set, Set::Superlative(_)) => Ask::Count(set.clone()),
        Ask::SelectAmong { extreme, .. } | Ask::SelectBetween { extreme, .. } => {
            *extreme = other_extreme(*extreme);
            return true;
        }
        _ => return false,
    };
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchstone_logic::{Form, Spelling};

    fn worse(text: &str, degradation: Degradation) -> Option<String> {
        let query = Form::parse(text, &Spelling).expect("a form").to_query().expect("a query");
        let worse = worse_query(&query, degradation, &Spelling, &mut Random::new(1, "test"))?;
        assert_ne!(worse, query);
        Some(sexpr::print(&worse).expect("printed").text)
    }

    #[test]
    fn files_have_the_names() {
        for (name, degradation) in Degradation::ALL {
            assert_eq!(serde_json::to_value(degradation).expect("JSON"), name);
            assert_eq!(serde_json::from_value::<Degradation>(name.into()).expect("a name"), degradation);
        }
    }

    #[test]
    fn queries_change_in_one_place() {
        let text = "(AND t.a (JOIN t.a.r m.01))";
        assert_eq!(worse(text, Degradation::Flip).as_deref(), Some("(AND t.a (JOIN (R t.a.r) m.01))"));
        assert_eq!(worse(text, Degradation::Drop).as_deref(), Some("t.a"));
        assert_eq!(
            worse(text, Degradation::Function).as_deref(),
            Some("(COUNT (AND t.a (JOIN t.a.r m.01)))")
        );
        assert_eq!(worse(text, Degradation::Unit), None);
        let years = "(AND t.a (lt t.a.y 1990^^http://www.w3.org/2001/XMLSchema#gYear))";
        assert!(worse(years, Degradation::Year).expect("a year").contains("1991"));
        assert!(worse(years, Degradation::Function).expect("a comparison").contains("(gt "));
        assert!(worse("(ARGMAX t.a t.a.n)", Degradation::Function).expect("an extreme").contains("ARGMIN"));
    }

    #[test]
    fn names_change_outside_of_literals() {
        let text = "ASK { <urn:a> <urn:p> \"<urn:a>\" . FILTER(<urn:f>(?x) > 1) }";
        let new = renamed(text, &[("<urn:a>".to_owned(), "<urn:b>".to_owned())]);
        assert_eq!(new, "ASK { <urn:b> <urn:p> \"<urn:a>\" . FILTER(<urn:f>(?x) > 1) }");
        assert_eq!(without_bracket("ASK { a }").as_deref(), Some("ASK { a "));
    }
}
