//! Everything that was contributed, as lines of JSON and as a table.

use super::{AnnotationExportError, Pseudonyms, io};
use crate::event::{AnsweredQuestion, ComparedTexts, ConfusingTask, JudgedText};
use crate::moment::Moment;
use crate::rules::Activity;
use crate::state::{Contribution, ProjectState, live};
use crate::task::{Task, TaskRole};
use crate::verdict::TaskVerdict;
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use touchstone_benchmark::Answer;

/// A line of `annotations.jsonl`.
#[derive(Serialize)]
struct Line<'s> {
    task: &'s str,
    role: TaskRole,
    question: &'s str,
    shape: &'s str,
    verdict: TaskVerdict,
    /// The number of the record.
    n: u64,
    at: Moment,
    person: String,
    activity: &'static str,
    seconds: f64,
    #[serde(flatten)]
    content: Content<'s>,
}

/// What was contributed.
#[derive(Serialize)]
#[serde(untagged)]
enum Content<'s> {
    Text {
        text: &'s str,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        others: &'s [String],
        #[serde(skip_serializing_if = "str::is_empty")]
        comment: &'s str,
        guidelines: u32,
    },
    Judged {
        of: u64,
        text: &'s str,
        same: &'static str,
        fluency: u8,
        differs: &'s [crate::MeaningDifference],
    },
    Answered {
        answers: &'s [Answer],
        none: bool,
        sure: bool,
        pages: u32,
    },
    Compared {
        groups: &'s [Vec<u64>],
        causes: &'s [crate::DisagreementCause],
        #[serde(skip_serializing_if = "Option::is_none")]
        wording: Option<&'s str>,
        #[serde(skip_serializing_if = "str::is_empty")]
        note: &'s str,
    },
    Confusing {
        cause: crate::ConfusionCause,
        #[serde(skip_serializing_if = "str::is_empty")]
        comment: &'s str,
    },
}

impl Content<'_> {
    /// The value in the table.
    fn value(&self) -> String {
        match self {
            Content::Text { text, .. } => (*text).to_owned(),
            Content::Judged { same, .. } => (*same).to_owned(),
            Content::Answered { none: true, .. } => String::new(),
            Content::Answered { answers, .. } => {
                answers.iter().map(|answer| answer.text().into_owned()).collect::<Vec<_>>().join("; ")
            }
            Content::Compared { groups, .. } => {
                let group = |group: &Vec<u64>| group.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
                groups.iter().map(group).collect::<Vec<_>>().join(" | ")
            }
            Content::Confusing { cause, .. } => {
                let name = serde_json::to_value(cause).unwrap_or_default();
                name.as_str().unwrap_or_default().to_owned()
            }
        }
    }

    fn of(&self) -> Option<u64> {
        if let Content::Judged { of, .. } = self { Some(*of) } else { None }
    }

    fn fluency(&self) -> Option<u8> {
        if let Content::Judged { fluency, .. } = self { Some(*fluency) } else { None }
    }
}

/// The heading of `annotations.csv`.
const HEADING: [&str; 12] = [
    "task", "role", "question", "shape", "verdict", "n", "at", "person", "activity", "of", "value", "seconds",
];

/// Writes both files, and returns the number of annotations.
pub(super) fn write(
    state: &ProjectState,
    people: &Pseudonyms,
    folder: &Path,
) -> Result<usize, AnnotationExportError> {
    let mut lines: Vec<Line<'_>> =
        state.tasks.iter().enumerate().flat_map(|(at, task)| lines_of(state, at, task, people)).collect();
    lines.sort_by_key(|line| line.n);
    let path = folder.join("annotations.jsonl");
    let mut file = BufWriter::new(File::create(&path).map_err(io(&path))?);
    for line in &lines {
        serde_json::to_writer(&mut file, line)
            .map_err(|source| AnnotationExportError::Json { path: path.clone(), source })?;
        file.write_all(b"\n").map_err(io(&path))?;
    }
    file.flush().map_err(io(&path))?;
    let path = folder.join("annotations.csv");
    let mut file = BufWriter::new(File::create(&path).map_err(io(&path))?);
    writeln!(file, "{},fluency", HEADING.join(",")).map_err(io(&path))?;
    for line in &lines {
        let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        let fields = [
            line.task.to_owned(),
            line.role.name().to_owned(),
            line.question.to_owned(),
            line.shape.to_owned(),
            line.verdict.name().to_owned(),
            line.n.to_string(),
            line.at.to_string(),
            line.person.clone(),
            line.activity.to_owned(),
            number(line.content.of()),
            line.content.value(),
            line.seconds.to_string(),
            number(line.content.fluency().map(u64::from)),
        ];
        let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
        writeln!(file, "{}", fields.join(",")).map_err(io(&path))?;
    }
    file.flush().map_err(io(&path))?;
    Ok(lines.len())
}

/// A field of CSV.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

fn lines_of<'s>(state: &'s ProjectState, at: usize, task: &'s Task, people: &Pseudonyms) -> Vec<Line<'s>> {
    let known = &state.states[at];
    let line = |n, at, by: &str, activity: &'static str, seconds, content| Line {
        task: &task.id,
        role: task.role,
        question: &task.question.id,
        shape: task.shape(),
        verdict: known.verdict,
        n,
        at,
        person: people.of(by),
        activity,
        seconds,
        content,
    };
    let mut lines = Vec::new();
    for text in live(&known.texts) {
        if text.body.activity != Activity::Judge {
            let content = Content::Text {
                text: &text.body.text,
                others: &text.body.others,
                comment: &text.body.comment,
                guidelines: text.body.guidelines,
            };
            let activity = text.body.activity.name();
            lines.push(line(text.n, text.at, &text.by, activity, text.body.seconds, content));
        }
        for Contribution { n, at, by, body, .. } in live(&text.body.judgements) {
            let JudgedText { of, same, fluency, differs, seconds } = body;
            let (of, same, fluency) = (*of, same.name(), *fluency);
            let content = Content::Judged { of, text: &text.body.text, same, fluency, differs };
            lines.push(line(*n, *at, by, Activity::Judge.name(), *seconds, content));
        }
    }
    for Contribution { n, at, by, body, .. } in live(&known.answers) {
        let AnsweredQuestion { answers, none, sure, pages, seconds, tools: _ } = body;
        let content = Content::Answered { answers, none: *none, sure: *sure, pages: *pages };
        lines.push(line(*n, *at, by, Activity::Answer.name(), *seconds, content));
    }
    for Contribution { n, at, by, body, .. } in live(&known.comparisons) {
        let ComparedTexts { groups, causes, wording, note, seconds } = body;
        let content = Content::Compared { groups, causes, wording: wording.as_deref(), note };
        lines.push(line(*n, *at, by, Activity::Compare.name(), *seconds, content));
    }
    for Contribution { n, at, by, body, .. } in live(&known.confusing) {
        let ConfusingTask { cause, comment } = body;
        lines.push(line(*n, *at, by, "confusing", 0.0, Content::Confusing { cause: *cause, comment }));
    }
    lines
}
