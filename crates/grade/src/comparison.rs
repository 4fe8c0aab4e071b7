//! Compares a predicted logical form with gold.

use crate::aligned::{ParsedQuery, aligned, aligned_patterns};
use crate::cast::float;
use crate::elements::Elements;
use crate::grader::Grader;
use crate::measure::{Family, Measure, Values};
use crate::overlap::{BleuCounts, Pair};
use crate::qualifiers::qualified;
use crate::scan::{self, Token};
use smallvec::SmallVec;
use std::cell::OnceCell;
use touchstone_benchmark::Prediction;
use touchstone_benchmark::{Forms, Question};
use touchstone_logic::equal::{Canonical, OfficialMatcher, differ_besides, other_languages};
use touchstone_logic::sparql::{
    self, Dialect, Namespaces, Statements, Structure, encode_neural, parse_closed,
};
use touchstone_logic::with_ids;
use touchstone_logic::{Ask, Language, Query, QueryGraph, Vocabulary, kopl, sexpr};
use touchstone_logic::{Knowledge, Loss, ReadForm, SparqlForm, UnknownWords, read_text};

/// Maximum number of alternatives to compare.
const MAX_ALTERNATIVES: usize = 100;

/// A logical form that was predicted.
pub(crate) struct Predicted<'p> {
    pub(crate) text: &'p str,
    pub(crate) language: Language,
    pub(crate) read: Read,
    /// The form as it was read; `None` for the gold form itself.
    pub(crate) form: Option<ReadForm>,
}

impl Predicted<'_> {
    /// SPARQL that can be parsed.
    fn sparql(&self) -> Option<&SparqlForm> {
        self.form.as_ref()?.sparql_form()
    }

    /// The graph that a SPARQL text is written for.
    fn dialect(&self) -> Option<&Dialect> {
        self.form.as_ref()?.dialect()
    }
}

/// The result of parsing a logical form.
pub(crate) enum Read {
    /// The gold form itself: nothing to compare.
    Gold,
    Query(Box<Query>, QueryGraph),
    /// SPARQL that can be parsed, but that the algebra cannot express, with the graph of its patterns.
    Outside(QueryGraph),
    /// [`Grader::why_unreadable`] reports why.
    Unreadable,
}

/// Whether a prediction is in the language of gold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Languages {
    Same,
    Different,
}

/// The result of comparing a form with gold.
#[derive(Default)]
pub(crate) struct Compared {
    /// Counts for corpus BLEU, if there was a text to compare with.
    pub(crate) bleu: Option<BleuCounts>,
    /// Whether gold has no form to compare this one with: all measures of forms are 0.
    pub(crate) is_incomparable: bool,
}

/// The forms that a question may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GoldForm {
    Sexpr,
    Program,
    SparqlKqaPro,
    Sparql,
}

impl GoldForm {
    /// The gold form in the language of a prediction; for SPARQL, the one for the graph that the prediction is written for.
    fn like(predicted: &Predicted<'_>) -> GoldForm {
        match predicted.language {
            Language::Sexpr => GoldForm::Sexpr,
            Language::Kopl => GoldForm::Program,
            Language::Sparql if predicted.dialect() == Some(&Dialect::KqaPro) => GoldForm::SparqlKqaPro,
            Language::Sparql => GoldForm::Sparql,
        }
    }

    fn language(self) -> Language {
        match self {
            GoldForm::Sexpr => Language::Sexpr,
            GoldForm::Program => Language::Kopl,
            GoldForm::SparqlKqaPro | GoldForm::Sparql => Language::Sparql,
        }
    }
}

/// A question's gold forms, each parsed at most once.
pub(crate) struct GoldForms<'q> {
    pub(crate) question: &'q Question,
    /// The parsed queries by [`GoldForm`], with the data that is compared.
    queries: [OnceCell<Option<(Query, QueryGraph)>>; 4],
    /// Translations into languages in which the question has no form.
    translated: [OnceCell<Option<String>>; 4],
    /// The parsed forms.
    forms: [OnceCell<Option<ReadForm>>; 4],
}

impl<'q> GoldForms<'q> {
    pub(crate) fn new(question: &'q Question) -> GoldForms<'q> {
        GoldForms {
            question,
            queries: Default::default(),
            translated: Default::default(),
            forms: Default::default(),
        }
    }

    /// The text of one of the question's own forms.
    fn own_text(&self, which: GoldForm) -> Option<&'q str> {
        let forms = &self.question.forms;
        match which {
            GoldForm::Sexpr => forms.sexpr.as_deref(),
            GoldForm::Program => forms.program.as_deref(),
            GoldForm::SparqlKqaPro => forms.sparql_kqapro.as_deref(),
            GoldForm::Sparql => forms.sparql.as_deref(),
        }
    }

    /// One of the question's own forms.
    pub(crate) fn own_form(&self, which: GoldForm, knowledge: &Knowledge<'_>) -> Option<&ReadForm> {
        let text = self.own_text(which)?;
        let read = || Some(ReadForm::read(which.language(), text, knowledge));
        self.forms[which as usize].get_or_init(read).as_ref()
    }

    /// Whether a text is one of the forms in its language.
    fn has_text(&self, text: &str, language: Language) -> bool {
        let Forms { sexpr, program, sparql, sparql_kqapro, .. } = &self.question.forms;
        match language {
            Language::Sexpr => sexpr.as_deref() == Some(text),
            Language::Kopl => program.as_deref() == Some(text),
            Language::Sparql => [sparql, sparql_kqapro].iter().any(|form| form.as_deref() == Some(text)),
        }
    }

    /// Whether there is any form to compare with.
    pub(crate) fn has_form(&self) -> bool {
        self.question.forms != Forms::default()
    }
}

impl Grader<'_> {
    /// The logical form of a prediction.
    pub(crate) fn read<'p>(&self, gold: &GoldForms<'_>, prediction: &'p Prediction) -> Option<Predicted<'p>> {
        let text = prediction.logical_form.as_deref().filter(|text| !text.trim().is_empty())?;
        Some(self.read_form(gold, text, prediction.language))
    }

    fn read_form<'p>(
        &self,
        gold: &GoldForms<'_>,
        text: &'p str,
        language: Option<Language>,
    ) -> Predicted<'p> {
        let language = language.unwrap_or_else(|| Language::guess(text));
        if self.trusts_gold_text && gold.has_text(text, language) {
            return Predicted { text, language, read: Read::Gold, form: None };
        }
        let form = ReadForm::read(language, text, &self.knowledge);
        let read = match form.query() {
            Some(query) => {
                let query = self.with_ids(query.clone());
                let graph = QueryGraph::of(&query);
                Read::Query(Box::new(query), graph)
            }
            None => match form.sparql_form() {
                Some(sparql) => {
                    let graph = QueryGraph::of_sparql(sparql.simplified(), &self.knowledge.namespaces);
                    Read::Outside(graph)
                }
                None => Read::Unreadable,
            },
        };
        Predicted { text, language, read, form: Some(form) }
    }

    /// Why a form cannot be read.
    pub(crate) fn why_unreadable(&self, form: &Predicted<'_>) -> String {
        // Most errors are never shown, so suggestions are computed only here.
        let knowledge = Knowledge { unknown_words: UnknownWords::Suggest, ..self.knowledge.clone() };
        match read_text(form.language, form.text, &knowledge) {
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

    /// The gold query, parsed from the language of the prediction if possible: SPARQL lists values and omits units.
    pub(crate) fn gold_query<'g>(
        &self,
        gold: &'g GoldForms<'_>,
        form: &Predicted<'_>,
    ) -> Option<&'g (Query, QueryGraph)> {
        let which = GoldForm::like(form);
        let read = || {
            let own = gold.own_form(which, &self.knowledge);
            let query = match (own, own.and_then(ReadForm::query)) {
                (_, Some(query)) => self.with_ids(query.clone()),
                (Some(_), None) if form.language == Language::Sparql => return None,
                (_, None) => self.any_gold_query(gold)?,
            };
            let graph = QueryGraph::of(&query);
            Some((query, graph))
        };
        gold.queries[which as usize].get_or_init(read).as_ref()
    }

    /// The gold query, from any language.
    pub(crate) fn any_gold_query(&self, gold: &GoldForms<'_>) -> Option<Query> {
        Some(self.with_ids(gold.question.query(&self.knowledge)?))
    }

    /// The gold form in the language of the prediction: the question's own, or an exact translation.
    fn gold_text<'g>(&self, gold: &'g GoldForms<'_>, form: &Predicted<'_>) -> Option<&'g str> {
        let which = GoldForm::like(form);
        let translate = || {
            let query = gold.question.query(&self.knowledge)?;
            let printed = match which {
                GoldForm::Sexpr => sexpr::print(&query),
                GoldForm::Program => kopl::print(&query, self.knowledge.words),
                GoldForm::SparqlKqaPro => sparql::print(&query, &Dialect::KqaPro),
                GoldForm::Sparql => sparql::print(&query, form.dialect()?),
            };
            printed.ok().filter(|printed| printed.lost.is_empty()).map(|printed| printed.text)
        };
        let translated = || gold.translated[which as usize].get_or_init(translate).as_deref();
        gold.own_text(which).or_else(translated)
    }

    /// The gold SPARQL for the graph that the prediction is written for, parsed.
    fn gold_parsed<'g>(&self, gold: &'g GoldForms<'_>, form: &Predicted<'_>) -> Option<&'g SparqlForm> {
        let which = GoldForm::like(form);
        let read = || Some(ReadForm::read(which.language(), self.gold_text(gold, form)?, &self.knowledge));
        gold.forms[which as usize].get_or_init(read).as_ref()?.sparql_form()
    }

    /// 1 / the position of the first form that is canonically equal to gold.
    pub(crate) fn mrr_form(
        &self,
        gold: &GoldForms<'_>,
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
        place.map_or(0.0, |place| 1.0 / float(place + 2))
    }

    /// All measures of a form, or of its absence; none for systems without forms and questions without gold forms.
    pub(crate) fn query_measures(
        &self,
        gold: &GoldForms<'_>,
        form: Option<&Predicted<'_>>,
        values: &mut Values,
    ) -> Compared {
        if !self.gives.forms() || !gold.has_form() {
            return Compared::default();
        }
        for &measure in Measure::ALL.iter().filter(|measure| measure.family() == Family::Query) {
            values.set(measure, 0.0);
        }
        let gold_sexpr = gold.question.forms.sexpr.as_deref();
        if self.ontology.is_none() || gold_sexpr.is_none() {
            values.set(Measure::EmOfficial, None);
        }
        let Some(form) = form else { return Compared::default() };
        if let (Some(ontology), Language::Sexpr, Some(gold)) = (self.ontology, form.language, gold_sexpr) {
            let same = OfficialMatcher::new(ontology).explain(gold, form.text).equal;
            values.set(Measure::EmOfficial, f64::from(same));
        }
        if let Read::Gold = form.read {
            let of_gold =
                |measure: &&Measure| measure.family() == Family::Query && **measure != Measure::EmOfficial;
            Measure::ALL.iter().filter(of_gold).for_each(|&measure| values.set(measure, 1.0));
            let length = tokens(form.text, form.language, &mut String::new()).len();
            return Compared { bleu: Some(BleuCounts::identical(length)), is_incomparable: false };
        }
        self.compare_forms(gold, form, values)
    }

    /// Measures of a form that is not the gold one.
    fn compare_forms(&self, gold: &GoldForms<'_>, form: &Predicted<'_>, values: &mut Values) -> Compared {
        let gold_text = self.gold_text(gold, form);
        // A form that cannot be parsed has nothing to compare.
        let has_query = matches!(form.read, Read::Query(..));
        let gold_query = if gold_text.is_none() || has_query { self.gold_query(gold, form) } else { None };
        let bleu = gold_text.map(|gold| self.compare_texts(gold, form, values));
        let is_sparql = form.language == Language::Sparql;
        let gold_parsed = if is_sparql { self.gold_parsed(gold, form) } else { None };
        match (gold_query, &form.read, form.sparql(), gold_parsed) {
            (Some(found), Read::Query(query, graph), ..) => {
                let own = gold.own_form(GoldForm::like(form), &self.knowledge);
                let own = own.filter(|own| own.query().is_some());
                let besides = form.form.as_ref().and_then(|form| differ_besides(own, form));
                let languages = if own.is_some() { Languages::Same } else { Languages::Different };
                self.compare_queries(found, (query, graph), languages, values);
                if besides.is_some() {
                    values.set(Measure::EmCanonical, 0.0);
                }
            }
            (_, _, Some(predicted), Some(gold)) => compare_structures(predicted, gold, values),
            // Gold that cannot be parsed may still be repeated literally.
            (None, _, None, None) if is_sparql && values.get(Measure::EmString) == Some(1.0) => {
                for measure in [Measure::EmCanonical, Measure::F1Aligned, Measure::F1Inverse] {
                    values.set(measure, 1.0);
                }
            }
            _ => {}
        }
        let graphs = match (gold_query, &form.read) {
            (Some((gold_query, gold)), Read::Query(query, graph)) => {
                let elements = |query, graph| Elements::of_graph(graph, &qualified(query));
                Some(elements(query, graph).compare(&elements(gold_query, gold)))
            }
            _ => None,
        };
        // A name stands for the entity that it finds, which only the graphs have.
        let by_name = [form.sparql(), gold_parsed].into_iter().flatten().any(finds_by_name);
        let elements = match (is_sparql, gold_text) {
            (true, _) if by_name && graphs.is_some() => graphs,
            (true, Some(gold_text)) => {
                Some(compare_sparql(form, gold_text, gold_parsed, &self.knowledge.namespaces))
            }
            _ => graphs,
        };
        // If there is nothing to compare, queries are equal or not.
        let same = values.get(Measure::EmCanonical).unwrap_or(0.0);
        let (f1_sem, f1_tri) = elements.unwrap_or((Some(0.0), Some(0.0)));
        values.set(Measure::F1Sem, f1_sem.unwrap_or(same));
        values.set(Measure::F1Tri, f1_tri.unwrap_or(same));
        Compared { bleu, is_incomparable: gold_text.is_none() && gold_query.is_none() }
    }

    /// Measures of queries and their graphs.
    fn compare_queries(
        &self,
        gold: &(Query, QueryGraph),
        (query, graph): (&Query, &QueryGraph),
        languages: Languages,
        values: &mut Values,
    ) {
        let same = *query == gold.0
            || match languages {
                Languages::Same => self.are_equivalent((query, graph), (&gold.0, &gold.1)),
                Languages::Different => {
                    let (mut query, mut gold_query) = (query.clone(), gold.0.clone());
                    query.forget_conventions();
                    gold_query.forget_conventions();
                    self.are_equivalent((&query, graph), (&gold_query, &gold.1))
                }
            };
        let (conditions, gold_conditions) = (qualified(query), qualified(&gold.0));
        let drawn = ((graph, &conditions[..]), (&gold.1, &gold_conditions[..]));
        let f1 = aligned(drawn.0, drawn.1, None).f1();
        let edges = graph.edges.iter().chain(&gold.1.edges);
        let has_inverse = || edges.clone().any(|edge| self.knowledge.words.inverse(&edge.label).is_some());
        let vertices = graph.vertices.iter().chain(&gold.1.vertices);
        let has_other_id = || {
            vertices
                .clone()
                .any(|vertex| vertex.grounded && self.knowledge.words.same(&vertex.label).is_some())
        };
        let f1_inverse = if f1 < 1.0 && (has_inverse() || has_other_id()) {
            aligned(drawn.0, drawn.1, Some(self.knowledge.words)).f1()
        } else {
            f1
        };
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
        // Canonical forms are expensive, and queries with different relations are never equal.
        fn relations<'g>(graph: &'g QueryGraph, inverses: &'g dyn Vocabulary) -> SmallVec<[&'g str; 8]> {
            let first = |label: &'g str| match inverses.inverse(label) {
                Some(inverse) if inverse < label => inverse,
                _ => label,
            };
            let mut relations: SmallVec<_> = graph.edges.iter().map(|edge| first(&edge.label)).collect();
            relations.sort_unstable();
            relations.dedup();
            relations
        }
        let canonical = |query: &Query| Canonical::of(query, self.knowledge.words);
        let counts = |query: &Query| matches!(query.answer, Ask::Count(_));
        counts(one.0) == counts(other.0)
            && relations(one.1, self.knowledge.words) == relations(other.1, self.knowledge.words)
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
    // Searching bytes takes half the time of searching characters: 0.15 instead of 0.29 µs per form.
    // `from` is the start of a token that has not ended yet.
    let (mut from, mut next) = (0, 0);
    while let Some(length) = bytes[next..].iter().position(|&byte| may_end_token(byte)) {
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

/// Whether a token may end before a byte. Non-ASCII spaces have more than one byte.
fn may_end_token(byte: u8) -> bool {
    !byte.is_ascii() || matches!(byte, b'(' | b')' | b',' | b'>' | b' ' | b'\t'..=b'\r')
}

/// The words between spaces.
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

/// Measures of SPARQL if the algebra cannot express at least one of the two queries.
fn compare_structures(predicted: &SparqlForm, gold: &SparqlForm, values: &mut Values) {
    let structures = (Structure::of(predicted.simplified()), Structure::of(gold.simplified()));
    let (Some(one), Some(other)) = structures else { return };
    let same = other_languages(gold, predicted).is_none() && one.is_isomorphic_to(&other);
    let f1 = if same {
        1.0
    } else {
        aligned_patterns(&ParsedQuery::of(predicted, one), &ParsedQuery::of(gold, other)).f1()
    };
    values.set(Measure::EmCanonical, f64::from(same));
    values.set(Measure::F1Aligned, f1);
    values.set(Measure::F1Inverse, f1);
}

/// Whether a query finds something by its name.
fn finds_by_name(form: &SparqlForm) -> bool {
    form.recognised.as_ref().is_ok_and(|recognised| recognised.lost.contains(&Loss::FindsByName))
}

/// Whether a query says more than the algebra took from it, so that only its simplified form is comparable.
fn is_simplified(form: &SparqlForm) -> bool {
    match &form.recognised {
        Ok(recognised) => {
            recognised.lost.iter().any(|loss| matches!(loss, Loss::Labels { .. } | Loss::Simplified))
        }
        Err(_) => true,
    }
}

fn same_but_for_brackets(one: &str, other: &str) -> bool {
    let is_bracket = |token: &Token<'_>| matches!(token, Token::Mark("{" | "}" | "(" | ")" | "[" | "]"));
    let (one, other) = (scan::tokens(one), scan::tokens(other));
    one.iter().filter(|token| !is_bracket(token)).eq(other.iter().filter(|token| !is_bracket(token)))
}

/// F1Sem and F1Tri of SPARQL: on the parsed queries; if one cannot be parsed even with its brackets closed, on the tokens of both.
fn compare_sparql(
    form: &Predicted<'_>,
    gold_text: &str,
    gold_parsed: Option<&SparqlForm>,
    namespaces: &Namespaces,
) -> (Option<f64>, Option<f64>) {
    let closed = |parsed: Option<&SparqlForm>, text: &str| match parsed {
        Some(_) => None,
        None => parse_closed(text).map(|parsed| SparqlForm::new(parsed, namespaces)),
    };
    let (closed_form, closed_gold) = (closed(form.sparql(), form.text), closed(gold_parsed, gold_text));
    match (form.sparql().or(closed_form.as_ref()), gold_parsed.or(closed_gold.as_ref())) {
        (Some(predicted), Some(gold)) => {
            let simplified = is_simplified(predicted) || is_simplified(gold);
            let query = |form| if simplified { SparqlForm::simplified(form) } else { &form.parsed.query };
            let predicted = Elements::of_statements(Statements::of(query(predicted)));
            predicted.compare(&Elements::of_statements(Statements::of(query(gold))))
        }
        _ => {
            let (f1_sem, f1_tri) = Elements::of_broken(form.text).compare(&Elements::of_broken(gold_text));
            // Without any names or patterns, the texts are equal or not.
            let same = || f64::from(same_but_for_brackets(form.text, gold_text));
            (f1_sem.or_else(|| Some(same())), f1_tri.or_else(|| Some(same())))
        }
    }
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
