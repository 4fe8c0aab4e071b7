//! Extracts the logical form from a model's reply: from code blocks, from surrounding prose, or the whole reply.

use touchstone_logic::{Form, Language, Program, Spelling, sparql};

/// The logical form in a reply. Of several, the last one that can be parsed; if none can, one in a code block.
pub(super) fn logical_form(reply: &str, language: Language) -> Option<String> {
    let fenced = fenced(reply);
    let mut candidates: Vec<&str> = fenced.iter().rev().copied().collect();
    candidates.extend(between(reply, "`").into_iter().rev());
    candidates.push(reply.trim());
    candidates.extend(reply.lines().rev().map(str::trim));
    // A form of several lines without a code block begins somewhere and ends with the text.
    let starts = ["SELECT", "ASK", "PREFIX", "Find", "("];
    candidates.extend(starts.iter().filter_map(|start| reply.find(start).map(|at| reply[at..].trim())));
    let readable =
        candidates.iter().find(|candidate| !candidate.is_empty() && is_readable(candidate, language));
    readable
        .or_else(|| fenced.last().as_ref().copied().map(|_| &candidates[0]))
        .map(|found| (*found).to_owned())
}

fn is_readable(text: &str, language: Language) -> bool {
    match language {
        Language::Sexpr => {
            text.starts_with('(') && Form::parse(text, &Spelling).is_ok_and(|form| form.to_query().is_ok())
        }
        Language::Kopl => Program::parse(text).is_ok_and(|program| program.to_query(&()).is_ok()),
        Language::Sparql => sparql::parse(text).is_ok(),
    }
}

/// The contents of code blocks, without the name of the language.
fn fenced(reply: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let mut parts = reply.split("```");
    parts.next();
    while let Some(block) = parts.next() {
        let body = match block.split_once('\n') {
            Some((name, body)) if !name.trim().contains(|c: char| !c.is_alphanumeric() && c != '-') => body,
            _ => block,
        };
        blocks.push(body.trim());
        parts.next();
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// The text between two backquotes on one line.
fn between<'t>(text: &'t str, mark: &str) -> Vec<&'t str> {
    text.lines().flat_map(|line| line.split(mark).skip(1).step_by(2)).map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_in_replies() {
        let form = "Find(Frank Darabont) > Relate(director, backward) > Count()";
        for reply in [
            form.to_owned(),
            format!("```kopl\n{form}\n```"),
            format!("Sure! Here it is:\n```\n{form}\n```\nIt counts the films."),
            format!("First try:\n```\nFind(Nobody) > What()\n```\nBetter:\n``` kopl\n{form}\n```"),
            format!("The program `{form}` answers it."),
            format!("The answer is below.\n{form}\nBest regards"),
            format!("```\n{form}"),
        ] {
            assert_eq!(logical_form(&reply, Language::Kopl).as_deref(), Some(form), "{reply}");
        }
        assert_eq!(logical_form("I do not know.", Language::Kopl), None);
        assert_eq!(logical_form("", Language::Kopl), None);
        assert_eq!(logical_form("```\nFind(\n```", Language::Kopl).as_deref(), Some("Find("));
    }

    #[test]
    fn other_languages() {
        let sparql = "SELECT ?x WHERE {\n  ?x <urn:p> <urn:o>\n}";
        assert_eq!(logical_form(&format!("It is:\n{sparql}"), Language::Sparql).as_deref(), Some(sparql));
        let sexpr = "(COUNT (JOIN a.b c))";
        assert_eq!(logical_form(&format!("Thus {sexpr}"), Language::Sexpr).as_deref(), Some(sexpr));
    }
}
