//! Compares a predicted logical form with gold.

use crate::aligned::aligned;
use crate::grader::Grader;
use crate::measure::{Family, Measure, Values};
use crate::overlap::{BleuCounts, Pair};
use crate::prediction::Prediction;
use crate::scan::{Scanned, scan};
use crate::sets::Overlap;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::cell::OnceCell;
use touchstone_forge::{Question, with_ids};
use touchstone_logic::dataset::{Knowledge, ReadError, read_text};
use touchstone_logic::equal::{Canonical, OfficialMatcher};
use touchstone_logic::sparql::encode_neural;
use touchstone_logic::{Answer, Inverses, Language, Query, QueryGraph, Silent};

/// So many alternatives are looked at.
const MAX_ALTERNATIVES: usize = 100;

/// A logical form that was predicted.
pub(crate) struct Predicted<'p> {
    pub(crate) text: &'p str,
    pub(crate) language: Language,
    pub(crate) read: Read,
}

/// What a logical form was read as.
pub(crate) enum Read {
    /// The gold form itself: there is nothing to compare.
    Gold,
    Query(Box<Query>, QueryGraph),
    /// Good SPARQL that says what the algebra cannot.
    Outside,
    /// [`Grader::why_unreadable`] tells why.
    Unreadable,
}

/// A question's gold forms, each read once, whoever asks for it.
pub(crate) struct Gold<'q> {
    pub(crate) question: &'q Question,
    /// By language; SPARQL in two dialects.
    read: [OnceCell<Option<(Query, QueryGraph)>>; 4],
}

impl<'q> Gold<'q> {
    pub(crate) fn new(question: &'q Question) -> Gold<'q> {
        Gold { question, read: Default::default() }
    }

    /// The form in the language of a prediction, and its number; of SPARQL, for the graph that the prediction speaks of.
    fn form(&self, predicted: &str, language: Language) -> (usize, Option<&'q str>) {
        let forms = &self.question.forms;
        let (number, form) = match language {
            Language::Sexpr => (0, &forms.sexpr),
            Language::Kopl => (1, &forms.program),
            Language::Sparql if predicted.contains("<pred:") => (2, &forms.sparql_kqapro),
            Language::Sparql => (3, &forms.sparql),
        };
        (number, form.as_deref())
    }

    fn text(&self, form: &Predicted<'_>) -> Option<&'q str> {
        self.form(form.text, form.language).1
    }
}

impl Grader<'_> {
    /// The logical form of a prediction.
    pub(crate) fn read<'p>(&self, gold: &Gold<'_>, prediction: &'p Prediction) -> Option<Predicted<'p>> {
        let text = prediction.logical_form.as_deref().filter(|text| !text.trim().is_empty())?;
        Some(self.read_form(gold, text, prediction.language))
    }

    fn read_form<'p>(&self, gold: &Gold<'_>, text: &'p str, language: Option<Language>) -> Predicted<'p> {
        let language = language.unwrap_or_else(|| Language::guess(text));
        let read = if gold.form(text, language).1 == Some(text) {
            Read::Gold
        } else {
            match self.read_silently(language, text) {
                Ok(query) => {
                    let graph = QueryGraph::of(&query);
                    Read::Query(Box::new(query), graph)
                }
                Err(ReadError::NotRecognised(_)) => Read::Outside,
                Err(_) => Read::Unreadable,
            }
        };
        Predicted { text, language, read }
    }

    /// Most of what is wrong is never looked at.
    fn read_silently(&self, language: Language, text: &str) -> Result<Query, ReadError> {
        let Knowledge { lookup, names, namespaces } = &self.knowledge;
        let silent = Silent(*lookup);
        let knowledge = Knowledge { lookup: &silent, names: *names, namespaces: namespaces.clone() };
        Ok(self.with_ids(read_text(language, text, &knowledge)?.query))
    }

    /// What is wrong with a form that cannot be read.
    pub(crate) fn why_unreadable(&self, form: &Predicted<'_>) -> String {
        match read_text(form.language, form.text, &self.knowledge) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    fn with_ids(&self, query: Query) -> Query {
        match &self.session {
            Some(session) => with_ids(query, session.kb()),
            None => query,
        }
    }

    /// The gold query, read from the language of the prediction if possible: SPARQL lists values and leaves out units.
    pub(crate) fn gold_query<'g>(
        &self,
        gold: &'g Gold<'_>,
        form: &Predicted<'_>,
    ) -> Option<&'g (Query, QueryGraph)> {
        let (number, text) = gold.form(form.text, form.language);
        let read = || {
            let query = match (text.map(|text| self.read_silently(form.language, text)), form.language) {
                (Some(Ok(query)), _) => query,
                (_, Language::Sparql) => return None,
                _ => self.any_gold_query(gold)?,
            };
            let graph = QueryGraph::of(&query);
            Some((query, graph))
        };
        gold.read[number].get_or_init(read).as_ref()
    }

    /// The gold query, whatever it is written in.
    pub(crate) fn any_gold_query(&self, gold: &Gold<'_>) -> Option<Query> {
        Some(self.with_ids(gold.question.query(&self.knowledge)?))
    }

    /// 1 / the place of the first form that is canonically gold's.
    pub(crate) fn mrr_form(
        &self,
        gold: &Gold<'_>,
        alternatives: &[(String, Option<Language>)],
        canonical: f64,
    ) -> f64 {
        if canonical == 1.0 {
            return 1.0;
        }
        let is_gold = |(text, language): &(String, Option<Language>)| {
            let mut values = Values::default();
            let form = self.read_form(gold, text, *language);
            self.query_measures(gold, Some(&form), &mut values);
            values.get(Measure::EmCanonical) == Some(1.0)
        };
        let place = alternatives.iter().take(MAX_ALTERNATIVES).position(is_gold);
        // The form itself is the first.
        place.map_or(0.0, |place| 1.0 / (place + 2) as f64)
    }

    /// All measures of a form, or of its absence.
    pub(crate) fn query_measures(
        &self,
        gold: &Gold<'_>,
        form: Option<&Predicted<'_>>,
        values: &mut Values,
    ) -> Option<BleuCounts> {
        let of_queries = || Measure::ALL.iter().filter(|measure| measure.family() == Family::Query);
        let Some(form) = form else {
            if self.gives_forms {
                for &measure in of_queries() {
                    // What needs an ontology is not measured for some questions only.
                    if measure != Measure::EmOfficial || self.ontology.is_some() {
                        values.set(measure, 0.0);
                    }
                }
            }
            return None;
        };
        let bleu = if let Read::Gold = form.read {
            for &measure in of_queries().filter(|&&measure| measure != Measure::EmOfficial) {
                values.set(measure, 1.0);
            }
            Some(BleuCounts::identical(tokens(form.text, form.language, &mut String::new()).len()))
        } else {
            self.compare_forms(gold, form, values)
        };
        if let (Some(ontology), Language::Sexpr, Some(gold)) =
            (self.ontology, form.language, &gold.question.forms.sexpr)
        {
            let same = OfficialMatcher::new(ontology).explain(gold, form.text).equal;
            values.set(Measure::EmOfficial, f64::from(same));
        }
        bleu
    }

    /// Measures of a form that is not the gold one.
    fn compare_forms(
        &self,
        gold: &Gold<'_>,
        form: &Predicted<'_>,
        values: &mut Values,
    ) -> Option<BleuCounts> {
        let gold_query = self.gold_query(gold, form);
        if let (Some(gold), false) = (gold_query, matches!(form.read, Read::Outside)) {
            self.compare_queries(gold, &form.read, values);
        }
        let gold_text = gold.text(form);
        let bleu = gold_text.map(|gold| self.compare_texts(gold, form, values));
        let gold_graph = gold_query.map(|(_, graph)| graph);
        let (predicted, gold) = match (form.language, gold_text, gold_graph, &form.read) {
            (Language::Sparql, Some(gold), ..) => (scan(form.text), scan(gold)),
            (_, _, Some(gold), Read::Query(_, graph)) => (scanned(graph), scanned(gold)),
            (_, _, Some(gold), _) => (Scanned::default(), scanned(gold)),
            _ => return bleu,
        };
        let by_patterns = Overlap::of(&predicted.patterns, &gold.patterns).f1();
        values.set(Measure::F1Sem, Overlap::of(&predicted.iris, &gold.iris).f1());
        values.set(Measure::F1Tri, by_patterns);
        // What the algebra cannot say has no graph to align.
        if values.get(Measure::EmCanonical).is_none() {
            let aligned = if matches!(form.read, Read::Unreadable) { 0.0 } else { by_patterns };
            values.set(Measure::EmCanonical, 0.0);
            values.set(Measure::F1Aligned, aligned);
            values.set(Measure::F1Inverse, aligned);
        }
        bleu
    }

    /// Measures of queries and their graphs.
    fn compare_queries(&self, gold: &(Query, QueryGraph), read: &Read, values: &mut Values) {
        let (mut same, mut f1, mut f1_inverse) = (false, 0.0, 0.0);
        if let Read::Query(query, graph) = read {
            same = **query == gold.0 || self.are_equivalent((query, graph), (&gold.0, &gold.1));
            f1 = aligned(graph, &gold.1, None).f1();
            let edges = graph.edges.iter().chain(&gold.1.edges);
            let has_inverse = || edges.clone().any(|edge| self.inverses.inverse(&edge.label).is_some());
            let vertices = graph.vertices.iter().chain(&gold.1.vertices);
            let has_other_id = || {
                vertices.clone().any(|vertex| vertex.grounded && self.inverses.same(&vertex.label).is_some())
            };
            f1_inverse = match f1 < 1.0 && (has_inverse() || has_other_id()) {
                true => aligned(graph, &gold.1, Some(self.inverses)).f1(),
                false => f1,
            };
        }
        values.set(Measure::EmCanonical, f64::from(same));
        values.set(Measure::F1Aligned, f1);
        values.set(Measure::F1Inverse, f1_inverse);
    }

    /// Measures of texts.
    fn compare_texts(&self, gold: &str, form: &Predicted<'_>, values: &mut Values) -> BleuCounts {
        let (mut left, mut right) = (String::new(), String::new());
        let predicted = tokens(form.text, form.language, &mut left);
        let gold = tokens(gold, form.language, &mut right);
        let pair = Pair::new(&predicted, &gold);
        let counts = pair.bleu();
        values.set(Measure::EmString, f64::from(pair.is_same()));
        values.set(Measure::Bleu, counts.score(self.smoothing));
        values.set(Measure::RougeL, pair.rouge_l());
        counts
    }

    fn are_equivalent(&self, one: (&Query, &QueryGraph), other: (&Query, &QueryGraph)) -> bool {
        // Canonical forms are costly, and queries with other relations never have the same.
        fn relations<'g>(graph: &'g QueryGraph, inverses: &'g dyn Inverses) -> SmallVec<[&'g str; 8]> {
            let first = |label: &'g str| match inverses.inverse(label) {
                Some(inverse) if inverse < label => inverse,
                _ => label,
            };
            let mut relations: SmallVec<_> = graph.edges.iter().map(|edge| first(&edge.label)).collect();
            relations.sort_unstable();
            relations.dedup();
            relations
        }
        let canonical = |query: &Query| Canonical::of(query, self.inverses);
        let counts = |query: &Query| matches!(query.answer, Answer::Count(_));
        counts(one.0) == counts(other.0)
            && relations(one.1, self.inverses) == relations(other.1, self.inverses)
            && canonical(one.0).key() == canonical(other.0).key()
    }
}

/// The tokens of a logical form; those of SPARQL are encoded in `buffer`.
pub fn tokens<'t>(text: &'t str, language: Language, buffer: &'t mut String) -> Vec<&'t str> {
    if language == Language::Sparql {
        *buffer = encode_neural(text);
        return words(buffer);
    }
    let bytes = text.as_bytes();
    let mut found = Vec::with_capacity(text.len() / 4);
    // Where a token begins that has not ended yet.
    let (mut from, mut next) = (0, 0);
    while let Some(length) = bytes[next..].iter().position(|&byte| ENDS[usize::from(byte)]) {
        let at = next + length;
        let (is_end, length) = match bytes[at] {
            byte if byte.is_ascii() => (true, 1),
            _ => {
                let c = text[at..].chars().next().unwrap_or(' ');
                (c.is_whitespace(), c.len_utf8())
            }
        };
        next = at + length;
        if is_end {
            if from < at {
                found.push(&text[from..at]);
            }
            if matches!(bytes[at], b'(' | b')' | b',' | b'>') {
                found.push(&text[at..next]);
            }
            from = next;
        }
    }
    if from < bytes.len() {
        found.push(&text[from..]);
    }
    found
}

/// By byte: whether a token may end before it. Blanks of other scripts have more bytes than one.
const ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let (all, mut at) = (b"(),> \t\n\x0b\x0c\r", 0);
    while at < all.len() {
        ends[all[at] as usize] = true;
        at += 1;
    }
    let mut byte = 128;
    while byte < 256 {
        ends[byte] = true;
        byte += 1;
    }
    ends
};

/// What stands between blanks.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::with_capacity(text.len() / 8);
    let mut from = 0;
    for at in memchr::memchr_iter(b' ', text.as_bytes()).chain([text.len()]) {
        if from < at {
            words.push(&text[from..at]);
        }
        from = at + 1;
    }
    words
}

/// What a query graph says, as patterns and names.
fn scanned(graph: &QueryGraph) -> Scanned<'_> {
    let mut found = Scanned::default();
    let name = |at: usize| -> Cow<'_, str> {
        match graph.vertices.get(at) {
            Some(vertex) if vertex.grounded => Cow::Borrowed(&vertex.label),
            _ => Cow::Borrowed("?"),
        }
    };
    for edge in &graph.edges {
        found.patterns.push([name(edge.from), Cow::Borrowed(&edge.label), name(edge.to)]);
        found.iris.push(Cow::Borrowed(&edge.label));
    }
    for (at, vertex) in graph.vertices.iter().enumerate().filter(|(_, vertex)| !vertex.label.is_empty()) {
        found.iris.push(Cow::Borrowed(&vertex.label));
        if !vertex.grounded {
            found.patterns.push([name(at), Cow::Borrowed("a"), Cow::Borrowed(&vertex.label)]);
        }
    }
    found.patterns.sort_unstable();
    found.patterns.dedup();
    found.iris.sort_unstable();
    found.iris.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_into_tokens() {
        let cut = |text: &str, language| tokens(text, language, &mut String::new()).join("|");
        assert_eq!(cut("(AND t.a\u{a0}(JOIN r m.é))", Language::Sexpr), "(|AND|t.a|(|JOIN|r|m.é|)|)");
        assert_eq!(cut(" Find(A b)>What() ", Language::Kopl), "Find|(|A|b|)|>|What|(|)");
        assert_eq!(
            cut("ASK { ?x a <urn:b> . }", Language::Sparql),
            "ASK|brack_open|var_x|a|<urn:b>|sep_dot|brack_close"
        );
        assert_eq!(cut("", Language::Sparql), "");
        assert_eq!(cut(" ", Language::Sexpr), "");
    }
}
