//! The approved questions as a benchmark.

use super::Pseudonyms;
use crate::checks::{distance, mentions_in};
use crate::project::Project;
use crate::state::{ProjectState, ProjectText, TaskState, live};
use crate::task::{Task, TaskRole};
use crate::verdict::{TaskVerdict, approved_text, settled};
use hashbrown::HashSet;
use std::collections::BTreeMap;
use touchstone_benchmark::{
    Benchmark, BenchmarkManifest, Paraphrase, Provenance, ProvenanceJudgement, Question, Split,
};
use touchstone_engine::{QueryContext, Words};
use touchstone_kb::Kb;
use touchstone_logic::level::{Training, Traits};
use touchstone_logic::with_ids;

/// The approved questions, and what became of the others.
pub(super) struct Approved {
    pub(super) benchmark: Benchmark,
    pub(super) duplicates: usize,
    pub(super) without_mention: usize,
}

pub(super) fn approved(
    project: &Project,
    state: &ProjectState,
    people: &Pseudonyms,
    kb: Option<&Kb>,
) -> Approved {
    let name = &project.settings().plan.name;
    let (mut texts, mut duplicates) = (HashSet::new(), 0);
    let mut questions: Vec<Question> = Vec::new();
    // Questions that keep their text and get paraphrases, by id.
    let mut reworded: BTreeMap<&str, Question> = BTreeMap::new();
    let counted = state.tasks.iter().zip(&state.states).filter(|(task, known)| {
        matches!(task.role, TaskRole::Ordinary | TaskRole::Pilot) && known.verdict == TaskVerdict::Approved
    });
    for (task, known) in counted {
        let Some(approved) = approved_text(&state.rules, task, known) else { continue };
        if task.text.is_some() {
            let question = reworded
                .entry(&task.question.id)
                .or_insert_with(|| Question { paraphrases: Vec::new(), ..task.question.clone() });
            let paraphrase = paraphrase(&task.question, kb, approved.text, String::new());
            question.paraphrases.push(paraphrase);
            continue;
        }
        if !texts.insert(approved.text.clone()) {
            duplicates += 1;
            continue;
        }
        let writer = known.text(approved.of);
        let author = writer.map(|text| people.of(&text.by)).unwrap_or_default();
        let others = approved.others.into_iter();
        questions.push(Question {
            entities: mentions_in(&task.question, kb, &approved.text),
            paraphrases: others.map(|text| paraphrase(&task.question, kb, text, author.clone())).collect(),
            machine_question: Some(task.question.question.clone()),
            provenance: Some(provenance(name, task, known, writer, approved.is_edited, people)),
            question: approved.text,
            ..task.question.clone()
        });
    }
    let without_mention = questions.iter().filter(|question| lacks_mention(state, question)).count();
    questions.extend(reworded.into_values().filter(|question| texts.insert(question.question.clone())));
    set_levels(&mut questions, kb);
    let source = &project.settings().source;
    let manifest = BenchmarkManifest {
        description: format!(
            "The approved questions of the annotation project {name}, from the benchmark {} with identity {}",
            source.benchmark, source.identity
        ),
        kb: source.kb.clone(),
        license: source.license.clone(),
        as_of: source.as_of.clone(),
        completeness: source.completeness.clone(),
        counts: BenchmarkManifest::counts(&questions),
        ..BenchmarkManifest::named(name)
    };
    Approved { benchmark: Benchmark::new(manifest, questions), duplicates, without_mention }
}

fn lacks_mention(state: &ProjectState, question: &Question) -> bool {
    let task = question.provenance.as_ref().and_then(|provenance| state.place(&provenance.task));
    task.is_some_and(|at| state.tasks[at].question.entities.len() > question.entities.len())
}

fn paraphrase(question: &Question, kb: Option<&Kb>, text: String, system: String) -> Paraphrase {
    let entities = mentions_in(question, kb, &text);
    let distance = distance(&question.question, &text);
    Paraphrase { text, entities, system, distance }
}

fn provenance(
    project: &str,
    task: &Task,
    known: &TaskState,
    text: Option<&ProjectText>,
    edited: bool,
    people: &Pseudonyms,
) -> Provenance {
    let judgements = text.map_or(&[][..], |text| &text.body.judgements);
    let judgement = |judged: &crate::Contribution<crate::JudgedText>| ProvenanceJudgement {
        judge: people.of(&judged.by),
        same: judged.body.same.name().to_owned(),
        fluency: judged.body.fluency,
    };
    Provenance {
        project: project.to_owned(),
        task: task.id.clone(),
        writer: text.map(|text| people.of(&text.by)).unwrap_or_default(),
        adjudicator: settled(known).map(|decision| people.of(&decision.by)).unwrap_or_default(),
        edited,
        guidelines: text.map_or(0, |text| text.body.guidelines),
        judgements: live(judgements).map(judgement).collect(),
    }
}

/// Levels relative to the training questions that were approved. Without the KB they are unknown if there are any.
fn set_levels(questions: &mut [Question], kb: Option<&Kb>) {
    if questions.iter().all(|question| question.split != Split::Train) {
        return;
    }
    let Some(kb) = kb else {
        questions.iter_mut().for_each(|question| question.level = None);
        return;
    };
    let context = QueryContext::new(Some(kb), None).without_suggestions();
    let (knowledge, words) = (context.knowledge(), Words::new(kb));
    let traits: Vec<Traits> = questions
        .iter()
        .map(|question| match question.query(&knowledge) {
            Some(query) => question.traits_of(&with_ids(query, kb), &words, true),
            None => question.traits(Some(kb), &words, true),
        })
        .collect();
    let mut training = Training::default();
    for (question, traits) in questions.iter().zip(&traits) {
        if question.split == Split::Train {
            training.add(traits.clone());
        }
    }
    for (question, traits) in questions.iter_mut().zip(&traits) {
        let is_judged = question.split != Split::Train && question.level.is_some();
        question.level = is_judged.then(|| training.judge(traits).level);
    }
}
