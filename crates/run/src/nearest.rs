//! A baseline without training: takes the query of the most similar training question and adapts it to what this question names.
//!
//! Questions are compared by BM25 over their words, with names, numbers and dates replaced by their types. The query of a neighbour
//! is adapted by replacing its entities, values and classes with those of this question; if it returns nothing, the next neighbour is tried.

use crate::bm25::Bm25;
use crate::link::{Linked, Linker, Thing, words};
use crate::system::{System, SystemInput, Worker};
use crate::system_error::SystemError;
use serde_json::json;
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{Gives, Mention, Prediction, Question};
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::exact::ExactPrinter;
use touchstone_engine::plan::Plan;
use touchstone_engine::{EmbeddedEngine, Engine, Found, KbContext, PlanRequest, View, Words};
use touchstone_kb::{Kb, NodeId};
use touchstone_logic::{Knowledge, Language, Query, Value, Word, kopl, sexpr};

/// See the module documentation.
pub struct Nearest<'k> {
    words: Words<'k>,
    linker: Linker<'k>,
    printer: ExactPrinter<'k>,
    examples: Vec<Example>,
    index: Bm25,
    fingerprint: String,
}

/// A training question.
struct Example {
    id: String,
    question: String,
    query: Query,
    links: Vec<Linked>,
    /// For each name in the query, in order: the part of the question that mentions it.
    slots: Vec<Option<usize>>,
    /// Whether the query has an entity or a value that the question does not visibly name.
    has_unnamed: bool,
}

/// What was found for a question.
#[derive(Debug)]
pub struct Adapted<'k> {
    /// The query.
    pub query: Query,
    /// Its answers.
    pub found: Found<'k>,
    /// The training question that it comes from.
    pub neighbour: String,
    /// That question's text.
    pub neighbour_question: String,
    /// Its similarity.
    pub score: f32,
    /// Number of neighbours tried before.
    pub passed_over: usize,
}

/// Maximum number of neighbours to try.
const NEIGHBOURS: usize = 40;

/// Maximum number of ways to try of mapping this question's entities into a neighbour's query.
const WAYS: usize = 8;

/// Maximum number of alternatives to report.
const ALTERNATIVES: usize = 4;

/// Maximum number of operations of an adapted query.
const OPERATIONS: u64 = 1_000_000;

impl<'k> Nearest<'k> {
    /// A baseline with training questions; those whose query cannot be parsed are left out.
    pub fn new(
        kb: &'k Kb,
        lexicon: &Lexicon,
        training: &[&Question],
        knowledge: &Knowledge<'_>,
    ) -> Nearest<'k> {
        let (words, linker) = (Words::new(kb), Linker::new(kb, lexicon));
        let mut hasher = blake3::Hasher::new();
        let mut examples = Vec::new();
        for question in training {
            let Some(query) = question.query(knowledge) else { continue };
            let given = (!question.entities.is_empty()).then_some(&question.entities[..]);
            let links = linker.link(&question.question, given);
            let slots = slots(&query, &links, kb);
            let has_unnamed = has_unnamed(&query, &slots);
            hasher.update(&serde_json::to_vec(question).unwrap_or_default());
            let (id, question) = (question.id.clone(), question.question.clone());
            examples.push(Example { id, question, query, links, slots, has_unnamed });
        }
        let index = Bm25::new(examples.iter().map(|e| terms(&e.question, &e.links, kb)));
        let fingerprint = hasher.finalize().to_hex()[..16].to_owned();
        let printer = ExactPrinter::new(kb, View::Direct);
        Nearest { words, linker, printer, examples, index, fingerprint }
    }

    /// What a question names; entities that are `given` are not searched for.
    pub fn link(&self, question: &str, given: Option<&[Mention]>) -> Vec<Linked> {
        self.linker.link(question, given)
    }

    /// A hash of the training questions.
    pub(crate) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The most similar training questions with their queries, except the question itself.
    pub(crate) fn neighbours(
        &self,
        input: &SystemInput,
        links: &[Linked],
        limit: usize,
    ) -> Vec<(&str, &Query)> {
        let best = self.most_similar(&input.question, links, limit.saturating_add(1));
        let others =
            best.into_iter().map(|(at, _)| &self.examples[at]).filter(|example| example.id != input.id);
        others.take(limit).map(|example| (&example.question[..], &example.query)).collect()
    }

    /// The best query for a question that names these things. The training question with the same id is ignored.
    pub fn answer(&self, id: &str, question: &str, links: &[Linked]) -> Option<Adapted<'k>> {
        self.ranked(id, question, links, 1).pop()
    }

    /// The best queries for a question, most likely first.
    fn ranked(&self, id: &str, question: &str, links: &[Linked], limit: usize) -> Vec<Adapted<'k>> {
        let mut ranked: Vec<Adapted<'k>> = Vec::new();
        let neighbours = self.most_similar(question, links, NEIGHBOURS);
        // First the neighbours that need exactly the available names, then those that need fewer.
        for exactly in [true, false] {
            for (passed_over, &(at, score)) in neighbours.iter().enumerate() {
                let example = &self.examples[at];
                if example.id == id {
                    continue;
                }
                for query in self.adapted(example, links, exactly) {
                    if ranked.iter().any(|known| known.query == query) {
                        continue;
                    }
                    if let Some(found) = self.run(&query) {
                        ranked.push(Adapted {
                            query,
                            found,
                            neighbour: example.id.clone(),
                            neighbour_question: example.question.clone(),
                            score,
                            passed_over,
                        });
                        if ranked.len() == limit {
                            return ranked;
                        }
                    }
                }
            }
        }
        ranked
    }

    /// The most similar training questions, with those of the same question type first: a question for a number does not ask for a name.
    fn most_similar(&self, question: &str, links: &[Linked], limit: usize) -> Vec<(usize, f32)> {
        let mut best = self.index.best(&terms(question, links, self.words.kb()), limit.saturating_mul(3));
        let way = Way::of(question);
        best.sort_by_key(|&(at, _)| Way::of(&self.examples[at].question) != way);
        best.truncate(limit);
        best
    }

    /// The answers of a query, if it has any.
    fn run(&self, query: &Query) -> Option<Found<'k>> {
        let plan = Plan::of(query, &self.words).ok().filter(|plan| plan.unknown.is_empty())?;
        let limits = Limits { operations: OPERATIONS, ..Limits::default() };
        let context = KbContext::new(self.words.kb());
        let reply = EmbeddedEngine.run_plan(&PlanRequest::new(&plan), &context, &Budget::new(limits));
        let found = reply.result.ok()?;
        (!found.is_empty() && found != Found::Count(0)).then_some(found)
    }

    /// The example's query with these things, in the most likely ways.
    fn adapted(&self, example: &Example, links: &[Linked], exactly: bool) -> Vec<Query> {
        let kb = self.words.kb();
        let of_kind = |links: &[Linked], kind: fn(&Thing) -> bool| -> Vec<usize> {
            (0..links.len()).filter(|&at| kind(&links[at].thing)).collect()
        };
        let used = |kind: fn(&Thing) -> bool| -> Vec<usize> {
            let all = of_kind(&example.links, kind);
            all.into_iter().filter(|at| example.slots.contains(&Some(*at))).collect()
        };
        // What its question does not visibly name would remain in the query.
        if exactly && example.has_unnamed {
            return Vec::new();
        }
        let fits = |wanted: usize, there: usize| if exactly { wanted == there } else { wanted <= there };
        let (entities, ours) = (used(is_entity), of_kind(links, is_entity));
        let (values, our_values) = (used(is_value), of_kind(links, is_value));
        if !fits(entities.len(), ours.len()) || !fits(values.len(), our_values.len()) {
            return Vec::new();
        }
        let (classes, our_classes) = (used(is_class), of_kind(links, is_class));
        let mut fixed: Vec<(usize, usize)> = values.into_iter().zip(our_values).collect();
        // A text replaces another value of the same attribute.
        let mut our_texts = of_kind(links, is_text);
        for place in used(is_text) {
            let is_alike = |&at: &usize| match (&example.links[place].thing, &links[at].thing) {
                (Thing::Text(old), Thing::Text(new)) => self.linker.are_alike(old, new),
                _ => false,
            };
            let Some(at) = our_texts.iter().position(is_alike) else { return Vec::new() };
            fixed.push((place, our_texts.remove(at)));
        }
        if classes.len() == our_classes.len() {
            fixed.extend(classes.into_iter().zip(our_classes));
        }
        let mut queries = Vec::new();
        for way in self.ways(example, &entities, links, &ours) {
            let put = |word: Word<'_>, slot: usize| -> Option<()> {
                if let Some((_, node)) = way.iter().find(|(from, _)| *from == slot) {
                    match word {
                        Word::Entity(id) => *id = kb.node_id(*node).into(),
                        Word::Name(name) => *name = kb.label(*node).into(),
                        _ => {}
                    }
                } else if let Some((_, to)) = fixed.iter().find(|(from, _)| *from == slot) {
                    match (word, &links[*to].thing) {
                        (Word::Value(value), thing) => *value = replaced(value, thing)?,
                        (Word::Class(class), Thing::Class(id)) => {
                            let by_id = kb.class(class).is_some();
                            let label =
                                || kb.class(id).map(|class| kb.label(kb.class_node(class)).to_owned());
                            *class = if by_id { id.as_str().into() } else { label()?.into() };
                        }
                        _ => {}
                    }
                }
                Some(())
            };
            let mut query = example.query.clone();
            let (mut number, mut whole) = (0, true);
            query.words_mut(&mut |word| {
                if let Some(slot) = example.slots[number] {
                    whole &= put(word, slot).is_some();
                }
                number += 1;
            });
            if whole && !queries.contains(&query) {
                queries.push(query);
            }
        }
        queries
    }

    /// Mappings from this question's entities to those of the example, most likely first: entities of the same classes in the
    /// same order.
    fn ways(
        &self,
        example: &Example,
        theirs: &[usize],
        links: &[Linked],
        ours: &[usize],
    ) -> Vec<Vec<(usize, NodeId)>> {
        let mut ways: Vec<(usize, Vec<(usize, NodeId)>)> = Vec::new();
        for order in orders(theirs.len(), ours.len()) {
            let swapped = order.windows(2).filter(|pair| pair[0] > pair[1]).count();
            // The candidates for each position, those of the right class first.
            let mut choices: Vec<Vec<(usize, NodeId)>> = vec![Vec::new()];
            let mut cost = swapped;
            for (place, &mine) in order.iter().enumerate() {
                let old = nodes(&example.links[theirs[place]]).first().copied();
                let mut candidates: Vec<(bool, NodeId)> = nodes(&links[ours[mine]])
                    .iter()
                    .map(|&node| (!old.is_some_and(|old| self.alike(old, node)), node))
                    .collect();
                candidates.sort_by_key(|(other_class, _)| *other_class);
                cost += 2 * usize::from(candidates.first().is_some_and(|(other_class, _)| *other_class));
                let grown = candidates.iter().flat_map(|&(_, node)| {
                    choices.iter().map(move |choice| {
                        let mut choice = choice.clone();
                        choice.push((theirs[place], node));
                        choice
                    })
                });
                choices = grown.take(WAYS).collect();
            }
            ways.extend(choices.into_iter().enumerate().map(|(rank, choice)| (2 * cost + rank, choice)));
        }
        ways.sort_by_key(|(cost, _)| *cost);
        ways.truncate(WAYS);
        ways.into_iter().map(|(_, way)| way).collect()
    }

    fn alike(&self, a: NodeId, b: NodeId) -> bool {
        let kb = self.words.kb();
        kb.classes_of(a).any(|class| kb.classes_of(b).any(|other| other == class))
    }

    /// The query as text, in the first language that can express it.
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
        self.printer.print(&plan).ok().map(|printed| (Language::Sparql, printed.text))
    }

    /// A prediction.
    fn predict(&self, input: &SystemInput) -> Prediction {
        let links = self.link(&input.question, input.entities.as_deref());
        let mut ranked = self.ranked(&input.id, &input.question, &links, 1 + ALTERNATIVES).into_iter();
        let mut prediction = Prediction { id: input.id.clone(), ..Prediction::default() };
        let Some(adapted) = ranked.next() else { return prediction };
        prediction.answers = Some(adapted.found.answers(self.words.kb()));
        if let Some((language, text)) = self.printed(&adapted.query) {
            prediction.logical_form = Some(text);
            prediction.language = Some(language);
        }
        prediction.alternatives = ranked
            .filter_map(|other| self.printed(&other.query))
            .map(|(language, text)| (text, Some(language)))
            .collect();
        prediction.trace = Some(json!({
            "neighbour": adapted.neighbour,
            "question": adapted.neighbour_question,
            "score": adapted.score,
            "passed_over": adapted.passed_over,
        }));
        prediction
    }
}

impl System for Nearest<'_> {
    fn name(&self) -> String {
        format!("nearest, {} training questions ({})", self.examples.len(), self.fingerprint)
    }

    fn gives(&self) -> Option<Gives> {
        Some(Gives::Both)
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(NearestWorker(self))
    }
}

struct NearestWorker<'n, 'k>(&'n Nearest<'k>);

impl Worker for NearestWorker<'_, '_> {
    fn answer(&mut self, input: &SystemInput) -> Result<Prediction, SystemError> {
        Ok(self.0.predict(input))
    }
}

/// What a question asks for, by its first words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    HowMany,
    YesOrNo,
    Other,
}

impl Way {
    fn of(question: &str) -> Way {
        let mut words = question.split_whitespace().map(str::to_lowercase);
        let first = words.next().unwrap_or_default();
        match first.as_str() {
            "how" if words.next().as_deref() == Some("many") => Way::HowMany,
            "is" | "are" | "was" | "were" | "does" | "do" | "did" | "has" | "have" => Way::YesOrNo,
            _ => Way::Other,
        }
    }
}

fn is_entity(thing: &Thing) -> bool {
    matches!(thing, Thing::Entities(_))
}

fn is_class(thing: &Thing) -> bool {
    matches!(thing, Thing::Class(_))
}

fn is_text(thing: &Thing) -> bool {
    matches!(thing, Thing::Text(_))
}

fn is_value(thing: &Thing) -> bool {
    matches!(thing, Thing::Number(_) | Thing::Date(_))
}

fn nodes(linked: &Linked) -> &[NodeId] {
    match &linked.thing {
        Thing::Entities(nodes) => nodes,
        _ => &[],
    }
}

/// All ways to choose `n` of `of` things in some order; only those in the given order if there are too many.
fn orders(n: usize, of: usize) -> Vec<Vec<usize>> {
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..n {
        let longer = orders.iter().flat_map(|order| {
            let free = (0..of).filter(move |at| !order.contains(at));
            let free = free.filter(|&at| of <= 4 || order.last().is_none_or(|last| at > *last));
            free.map(move |at| order.iter().copied().chain([at]).collect::<Vec<usize>>())
        });
        orders = longer.take(256).collect();
    }
    orders
}

/// For each name in the query, in order: the part of the question that mentions it.
fn slots(query: &Query, links: &[Linked], kb: &Kb) -> Vec<Option<usize>> {
    let find = |fits: &dyn Fn(&Thing) -> bool| links.iter().position(|linked| fits(&linked.thing));
    let entity = |fits: &dyn Fn(NodeId) -> bool| {
        find(&|thing| matches!(thing, Thing::Entities(nodes) if nodes.iter().any(|&node| fits(node))))
    };
    let mut slots = Vec::new();
    let mut taken = Vec::new();
    query.clone().words_mut(&mut |word| {
        slots.push(match word {
            Word::Entity(id) => entity(&|node| kb.node_id(node) == id),
            Word::Name(name) => entity(&|node| kb.label(node) == name),
            Word::Class(word) => find(&|thing| match thing {
                Thing::Class(id) => {
                    id == word || kb.class(id).is_some_and(|c| kb.label(kb.class_node(c)) == word)
                }
                _ => false,
            }),
            Word::Value(value) => {
                // Two equal numbers are two separate numbers.
                let fits = |at: &usize| is_said_by(value, &links[*at].thing);
                let free = (0..links.len()).filter(fits).find(|at| !taken.contains(at));
                taken.extend(free);
                free.or_else(|| (0..links.len()).find(fits))
            }
            Word::Property(_) | Word::Qualifier(_) => None,
        });
    });
    slots
}

/// Whether some entity or value of the query is not in the question.
fn has_unnamed(query: &Query, slots: &[Option<usize>]) -> bool {
    let (mut number, mut found) = (0, false);
    query.clone().words_mut(&mut |word| {
        let is_said = matches!(word, Word::Class(_) | Word::Property(_) | Word::Qualifier(_));
        found |= !is_said && slots[number].is_none();
        number += 1;
    });
    found
}

/// Whether a part of a question states a value.
fn is_said_by(value: &Value, thing: &Thing) -> bool {
    match thing {
        Thing::Number(text) => match (value.text.parse::<f64>(), text.parse::<f64>()) {
            (Ok(a), Ok(b)) => a == b,
            _ => false,
        },
        Thing::Date(text) => value.text == *text,
        Thing::Text(text) => value.datatype.is_empty() && value.text == *text,
        _ => false,
    }
}

/// The value that a part of a question gives in place of another value; `None` if it does not fit.
fn replaced(old: &Value, thing: &Thing) -> Option<Value> {
    let is_time = matches!(old.xsd_name(), Some("gYear" | "gYearMonth" | "date" | "dateTime"));
    match thing {
        Thing::Number(text) if is_time => {
            let year: i32 = text.parse().ok().filter(|year: &i32| year.abs() <= 9999)?;
            let sign = if year < 0 { "-" } else { "" };
            Some(Value::xsd(format!("{sign}{:04}", year.abs()), "gYear"))
        }
        Thing::Number(text) => Some(Value { text: text.as_str().into(), ..old.clone() }),
        Thing::Date(text) if is_time => {
            Some(Value::xsd(text.clone(), if text.len() > 8 { "date" } else { "gYearMonth" }))
        }
        Thing::Text(text) if old.datatype.is_empty() => {
            Some(Value { text: text.as_str().into(), ..old.clone() })
        }
        _ => None,
    }
}

/// The words of a question and their bigrams, with names replaced by their types.
fn terms(question: &str, links: &[Linked], kb: &Kb) -> Vec<String> {
    let mut row: Vec<String> = Vec::new();
    let mut link = 0;
    let mut extra: Vec<String> = Vec::new();
    for (start, end) in words(question) {
        // The disambiguation in brackets after a name is not part of the question.
        let before = &question[..start];
        let is_aside = before.matches('(').count() > before.matches(')').count();
        while links.get(link).is_some_and(|linked| linked.end <= start) {
            link += 1;
        }
        match links.get(link).filter(|linked| linked.start < end) {
            None if is_aside => {}
            None => row.push(question[start..end].to_lowercase()),
            // A name of several words is a single token.
            Some(linked) if start > linked.start && !is_class(&linked.thing) => {}
            Some(linked) => row.push(match &linked.thing {
                Thing::Entities(nodes) => {
                    let class = nodes.first().and_then(|&node| kb.classes_of(node).next());
                    extra.push("#entity".to_owned());
                    format!("#{}", class.map_or("", |class| kb.node_id(kb.class_node(class))))
                }
                Thing::Number(_) => "#number".to_owned(),
                Thing::Date(_) => "#date".to_owned(),
                Thing::Text(_) => "#text".to_owned(),
                Thing::Class(_) => {
                    extra.push("#class".to_owned());
                    question[start..end].to_lowercase()
                }
            }),
        }
    }
    let pairs: Vec<String> = row.windows(2).map(|pair| pair.join(" ")).collect();
    row.extend(pairs);
    row.extend(extra);
    row
}
