//! What is said in reply to a question: an answer, or what was understood and what is missing.

use crate::leaves::{Leaf, LeafThing};
use crate::prospector::{Prospector, RankedReading, Readings};
use crate::text::{label_stems, likeness};
use serde::{Serialize, Serializer};
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{Answer, Mention};
use touchstone_engine::View;
use touchstone_engine::exact::ExactPrinter;
use touchstone_engine::plan::Plan;
use touchstone_forge::english::{Wording, verbalise};
use touchstone_logic::{Language, Query, entities, kopl, sexpr};

/// The confidence below which a question is not answered.
pub const MIN_CONFIDENCE: f32 = 0.45;

/// A reply to a question, as `touchstone ask --json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AskReply {
    /// The question.
    pub question: String,
    /// The answers; none if the system abstains.
    pub answers: Vec<Answer>,
    /// Whether the system does not answer, because it is not sure enough.
    pub abstained: bool,
    /// The probability that the likeliest reading is right.
    pub confidence: f64,
    /// The likeliest reading as a logical form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// The language of the form.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "some_word")]
    pub lang: Option<Language>,
    /// The likeliest reading in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub understood: Option<String>,
    /// The entities of the likeliest reading, where the question names them.
    pub entities: Vec<Mention>,
    /// What the question says and the likeliest reading does not.
    pub missing: Vec<Missing>,
    /// The next readings, the likeliest first.
    pub alternatives: Vec<Alternative>,
}

/// Words of a question that no part of a reading explains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// The words.
    pub words: String,
    /// The labels of the relations and attributes that are most like them.
    pub nearest: Vec<String>,
}

/// Another reading of a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alternative {
    /// The reading as a logical form.
    pub form: String,
    /// The language of the form.
    #[serde(serialize_with = "word")]
    pub lang: Language,
    /// The reading in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub understood: Option<String>,
    /// Its answers.
    pub answers: Vec<Answer>,
    /// Its probability among all readings, not calibrated.
    pub probability: f64,
}

/// Maximum number of similar labels that are named.
const NEAREST: usize = 2;

/// Minimum likeness of a label that is named.
const MIN_LIKENESS: f64 = 0.4;

fn word<S: Serializer>(language: &Language, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(language.word())
}

fn some_word<S: Serializer>(language: &Option<Language>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_some(&language.map(Language::word))
}

impl Prospector<'_> {
    /// The reply to a question that was read. It answers if it is sure enough.
    pub fn reply(
        &self,
        question: &str,
        readings: &Readings<'_>,
        lexicon: &Lexicon,
        min_confidence: f32,
    ) -> AskReply {
        let (best, others) = match readings.readings.split_first() {
            Some((best, others)) => (Some(best), others),
            None => (None, &[][..]),
        };
        let abstained = best.is_none() || readings.confidence < min_confidence;
        let printed = best.and_then(|best| self.printed(&best.query));
        let (lang, form) = printed.unzip();
        let answers = best.filter(|_| !abstained).map(|best| best.found.answers(self.kb()));
        AskReply {
            question: question.to_owned(),
            answers: answers.unwrap_or_default(),
            abstained,
            confidence: f64::from(readings.confidence),
            form,
            lang,
            understood: best.and_then(|best| self.in_english(&best.query, lexicon)),
            entities: best.map_or_else(Vec::new, |best| self.mentions(question, best, &readings.leaves)),
            missing: readings.missed.iter().map(|words| self.missing(words)).collect(),
            alternatives: others.iter().filter_map(|other| self.alternative(other, lexicon)).collect(),
        }
    }

    fn alternative(&self, reading: &RankedReading<'_>, lexicon: &Lexicon) -> Option<Alternative> {
        let (lang, form) = self.printed(&reading.query)?;
        Some(Alternative {
            form,
            lang,
            understood: self.in_english(&reading.query, lexicon),
            answers: reading.found.answers(self.kb()),
            probability: f64::from(reading.probability),
        })
    }

    fn in_english(&self, query: &Query, lexicon: &Lexicon) -> Option<String> {
        let wording = Wording { many: true, seed: 1, new_words: false };
        verbalise(query, &self.words, lexicon, wording).ok().map(|said| said.text)
    }

    /// A query as text, in the first language that can express it.
    pub(crate) fn printed(&self, query: &Query) -> Option<(Language, String)> {
        if let Ok(printed) = sexpr::print(query)
            && printed.lost.is_empty()
        {
            return Some((Language::Sexpr, printed.text));
        }
        if let Ok(printed) = kopl::print(query, &self.words)
            && printed.lost.is_empty()
        {
            return Some((Language::Kopl, printed.text));
        }
        let plan = Plan::of(query, &self.words).ok()?;
        let printer = ExactPrinter::new(self.kb(), View::Direct);
        printer.print(&plan).ok().map(|printed| (Language::Sparql, printed.text))
    }

    /// Where the question names the entities of a reading.
    fn mentions(&self, question: &str, reading: &RankedReading<'_>, leaves: &[Leaf]) -> Vec<Mention> {
        let used: Vec<String> = entities(&reading.query).into_iter().map(str::to_owned).collect();
        let fitting = |id: &String| {
            let is_it = |leaf: &&Leaf| match leaf.thing {
                LeafThing::Entity(node) => self.kb().node_id(node) == id,
                _ => false,
            };
            leaves.iter().filter(is_it).max_by(|one, other| one.fit.total_cmp(&other.fit))
        };
        let characters = |bytes: usize| question.get(..bytes).map(|text| text.chars().count());
        let mention = |id: String| {
            let leaf = fitting(&id)?;
            let text = question.get(leaf.start..leaf.end)?.to_owned();
            Some(Mention { id, text, start: characters(leaf.start)?, end: characters(leaf.end)? })
        };
        used.into_iter().filter_map(mention).collect()
    }

    /// What the KB has that is most like some words.
    fn missing(&self, words: &str) -> Missing {
        let stems = label_stems(words);
        let kb = self.kb();
        let labels = kb.relations().map(|id| kb.relation_label(id));
        let labels = labels.chain(kb.attributes().map(|id| kb.attribute_label(id)));
        let score = |label: &str| {
            let other = label_stems(label);
            let fits =
                stems.iter().map(|stem| other.iter().map(|word| likeness(stem, word)).fold(0.0, f32::max));
            let fit = f64::from(fits.sum::<f32>()) / stems.len().max(1) as f64;
            fit.max(strsim::normalized_damerau_levenshtein(words, &label.to_lowercase()))
        };
        let mut ranked: Vec<(f64, &str)> = labels.map(|label| (score(label), label)).collect();
        ranked.retain(|(score, _)| *score >= MIN_LIKENESS);
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
        ranked.dedup_by(|one, other| one.1 == other.1);
        let nearest = ranked.into_iter().take(NEAREST).map(|(_, label)| label.to_owned()).collect();
        Missing { words: words.to_owned(), nearest }
    }
}
