//! A question as text for people.

use std::fmt::Write;
use touchstone_benchmark::Question;
use touchstone_logic::QueryGraph;
use touchstone_logic::graph::draw;

/// Answers that are shown.
const SHOWN: usize = 10;

/// The question with its first answers, on one line.
pub fn question_line(question: &Question) -> String {
    format!("{}  {}  [{}]", question.id, question.question, answers(question).join("; "))
}

/// The question with its first answers, graph, forms, choices and proof.
pub fn question_page(question: &Question) -> String {
    let alias = question.alias.as_deref().unwrap_or("no name");
    let level = question.level.map_or(String::new(), |level| format!(", {level}"));
    let Question { id, split, shape, function, kind, .. } = question;
    let mut page = format!("{id}  ({split}{level}; {shape} = {alias}; {function}; {kind})\n");
    let _ = writeln!(page, "{}\n\n  {}", question.question, answers(question).join("\n  "));
    let _ = writeln!(page, "{}", draw(&QueryGraph::from(&question.graph)));
    let forms = [
        ("S-expression", &question.forms.sexpr),
        ("program", &question.forms.program),
        ("SPARQL", &question.forms.sparql),
        ("SPARQL on KQA Pro's graph", &question.forms.sparql_kqapro),
    ];
    for (name, form) in forms {
        if let Some(form) = form {
            let _ = writeln!(page, "{name}:\n  {}", form.trim().replace('\n', "\n  "));
        }
    }
    if !question.choices.is_empty() {
        let _ = writeln!(page, "choices: {}", question.choices.join(" | "));
    }
    for fact in &question.proof {
        let _ = writeln!(page, "  {}  {}  {}", fact.subject, fact.property, fact.value);
    }
    page
}

fn answers(question: &Question) -> Vec<String> {
    let mut answers: Vec<String> = question.answers.iter().take(SHOWN).map(ToString::to_string).collect();
    if question.answers.len() > SHOWN {
        answers.push(format!("... and {} more", question.answers.len() - SHOWN));
    }
    answers
}
