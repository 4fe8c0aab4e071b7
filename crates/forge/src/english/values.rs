//! Phrases for values and facts: comparisons, qualifiers, and questions that ask for qualifiers.

use super::naming::takes_article;
use super::phrases::agreeing;
use super::tense::{asked_when, at_some_time, in_past, is_past};
use super::verbalise::{Verbalised, Verbaliser};
use crate::reject::RejectReason;
use std::borrow::Cow;
use touchstone_benchmark::english::AttributeWords;
use touchstone_benchmark::english::inflect::{at_time, singular, value, with_article};
use touchstone_kb::{Comparison, Literal, LiteralFamily};
use touchstone_logic::{Condition, Value};

/// A fact that a question is about.
pub(super) struct Fact<'q> {
    pub(super) subject: String,
    /// The clause about the subject.
    pub(super) clause: String,
    /// The object or value alone.
    pub(super) object: String,
    pub(super) property: &'q str,
    /// Whether the subject is plural.
    pub(super) many: bool,
}

impl Verbaliser<'_, '_> {
    /// The clause that a fact with a value adds to its subject, with its qualifiers and in its tense.
    pub(super) fn fact_clause(
        &mut self,
        attribute: &str,
        comparison: Comparison,
        target: &Value,
        many: bool,
        conditions: &[Condition],
    ) -> Verbalised<String> {
        let clause = self.value_clause(attribute, comparison, target, many)?;
        let AttributeWords { dated: is_dated, unqualified, .. } = self.attribute(attribute)?;
        let clause = match is_past(conditions) {
            true => in_past(&clause),
            false if is_dated => at_some_time(&clause),
            false => clause,
        };
        if conditions.is_empty() && !unqualified.is_empty() {
            return Ok(format!("{clause} {unqualified}"));
        }
        Ok(clause + &self.qualifiers(conditions)?)
    }

    /// What stands after a noun in place of the clause of a value; `None` if there is nothing.
    pub(super) fn value_after(
        &mut self,
        attribute: &str,
        comparison: Comparison,
        target: &Value,
    ) -> Verbalised<Option<String>> {
        let words = self.attribute(attribute)?;
        let phrases = match comparison {
            Comparison::Equal => &words.equal_after,
            Comparison::Less => &words.less_after,
            Comparison::Greater => &words.greater_after,
            _ => return Ok(None),
        };
        let literal = target.literal();
        let is_said =
            words.dated || !words.unqualified.is_empty() || literal.kind().family() == LiteralFamily::Boolean;
        let phrase = self.random.choose(phrases).filter(|_| !is_said);
        Ok(phrase.map(|phrase| filled(phrase, &literal)))
    }

    /// The clause that a value adds to its subject.
    pub(super) fn value_clause(
        &mut self,
        attribute: &str,
        comparison: Comparison,
        target: &Value,
        many: bool,
    ) -> Verbalised<String> {
        let words = self.attribute(attribute)?;
        let literal = target.literal();
        let family = literal.kind().family();
        if family == LiteralFamily::Boolean {
            let yes = literal.as_bool() == Some(comparison == Comparison::Equal);
            return Ok(agreeing(if yes { &words.yes } else { &words.no }, many).to_owned());
        }
        let has = if many { "have" } else { "has" };
        let noun = with_article(&words.noun);
        let phrase = match comparison {
            Comparison::Equal => {
                let phrases = self.usable(&words.equal, &words.test_equal).to_vec();
                self.pick(&words.of_any_year(&phrases))?
            }
            Comparison::NotEqual => format!("{has} {noun} other than {{V}}"),
            Comparison::Less => {
                let phrases = self.usable(&words.less, &words.test_less).to_vec();
                self.pick(&words.of_any_year(&phrases))?
            }
            Comparison::Greater => {
                let phrases = self.usable(&words.greater, &words.test_greater).to_vec();
                self.pick(&words.of_any_year(&phrases))?
            }
            Comparison::LessOrEqual if family == LiteralFamily::Time => {
                self.or_equal(&words.less, "before")?
            }
            Comparison::GreaterOrEqual if family == LiteralFamily::Time => {
                self.or_equal(&words.greater, "after")?
            }
            // Derived phrases say the unit, which the values do not have.
            Comparison::LessOrEqual => {
                bounded(&words.less, ["less than {V}", "fewer than {V}"], "at most {V}")
                    .unwrap_or_else(|| format!("{has} {noun} of at most {{V}}"))
            }
            Comparison::GreaterOrEqual => {
                bounded(&words.greater, ["more than {V}", "more than {V}"], "at least {V}")
                    .unwrap_or_else(|| format!("{has} {noun} of at least {{V}}"))
            }
        };
        Ok(filled(agreeing(&phrase, many), &literal))
    }

    /// `was born in or before {V}`.
    fn or_equal(&mut self, phrases: &[String], word: &str) -> Verbalised<String> {
        let before = format!("{word} {{V}}");
        let fitting: Vec<String> =
            phrases.iter().filter(|phrase| phrase.contains(&before)).cloned().collect();
        match fitting.is_empty() {
            // Phrases of a user's lexicon: "was born earlier than {V}".
            true => Ok(self
                .pick(phrases)?
                .split('|')
                .map(|one| format!("{one} or {{T}}"))
                .collect::<Vec<_>>()
                .join("|")),
            false => Ok(self.pick(&fitting)?.replace(&before, &format!("{{P}} or {before}"))),
        }
    }

    /// The text after the clause of a fact.
    pub(super) fn qualifiers(&mut self, conditions: &[Condition]) -> Verbalised<String> {
        let mut out = String::new();
        for condition in conditions {
            if condition.comparison != Comparison::Equal {
                return Err(RejectReason::ComparedQualifier);
            }
            let words = self.lexicon.qualifiers.get(condition.qualifier.as_str());
            let phrase = self.pick(&words.ok_or(RejectReason::UnknownQualifier)?.phrase)?;
            let literal = condition.value.literal();
            let is_text = literal.kind().family() == LiteralFamily::Text;
            let article = if is_text && takes_article(literal.text()) { "the " } else { "" };
            out.push(' ');
            out += &filled(&phrase.replace("{V}", &format!("{article}{{V}}")), &literal);
        }
        Ok(out)
    }

    /// A question that asks for a qualifier of a fact.
    pub(super) fn about_fact(&mut self, fact: &Fact<'_>, qualifier: &str) -> Verbalised<String> {
        let words = self.lexicon.qualifiers.get(qualifier).ok_or(RejectReason::UnknownQualifier)?;
        if let Some(questions) = words.about.get(fact.property) {
            let question = self.pick(questions)?;
            let question = subject_agrees(&question, fact.many);
            return Ok(question.replace("{S}", &fact.subject).replace("{O}", &fact.object));
        }
        let Fact { subject, clause, .. } = fact;
        Ok(match words.when {
            true => asked_when(subject, clause),
            false => format!("what is the {} in the statement that {subject} {clause}?", words.noun),
        })
    }
}

/// A phrase with its value: `{V}` is the value, `{T}` the value with its preposition, `{P}` only the preposition.
fn filled(phrase: &str, literal: &Literal<'_>) -> String {
    let time = at_time(literal);
    let preposition = time.split(' ').next().unwrap_or_default();
    let value = value(literal);
    let phrase = if value == "1" { one_of(phrase) } else { Cow::Borrowed(phrase) };
    phrase.replace("{V}", &value).replace("{P}", preposition).replace("{T}", &time)
}

/// Uses the singular after a value of 1: `has {V} airports` becomes `has {V} airport`.
fn one_of(phrase: &str) -> Cow<'_, str> {
    let Some((before, after)) = phrase.split_once("{V} ") else { return Cow::Borrowed(phrase) };
    let end = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
    match singular(&after[..end]) {
        Some(one) => Cow::Owned(format!("{before}{{V}} {one}{}", &after[end..])),
        None => Cow::Borrowed(phrase),
    }
}

/// Puts the verb next to `{S}` into the plural: `When was {S} founded?`, but not `What is the area of {S}?`.
pub(super) fn subject_agrees(question: &str, many: bool) -> String {
    if !many {
        return question.to_owned();
    }
    let pairs = [("is", "are"), ("was", "were"), ("does", "do"), ("has", "have")];
    pairs.iter().fold(question.to_owned(), |text, (one, more)| {
        text.replace(&format!(" {one} {{S}}"), &format!(" {more} {{S}}"))
            .replace(&format!("{{S}} {one} "), &format!("{{S}} {more} "))
    })
}

/// The only phrase for a strict comparison, as one that allows the bound.
fn bounded(phrases: &[String], strict: [&str; 2], bound: &str) -> Option<String> {
    let [phrase] = phrases else { return None };
    let found = strict.into_iter().find(|words| phrase.contains(words))?;
    Some(phrase.replace(found, bound))
}
