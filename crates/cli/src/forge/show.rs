//! `touchstone show`.

use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_benchmark::{Benchmark, Question, Random, Split};
use touchstone_forge::find::QuestionFilter;
use touchstone_logic::QueryGraph;
use touchstone_logic::graph::draw;

/// Arguments of `touchstone show`.
#[derive(Args)]
pub(crate) struct ShowArgs {
    /// The folder of a benchmark
    #[arg(value_name = "DIR")]
    benchmark: PathBuf,
    /// The question with this id
    #[arg(long)]
    id: Option<String>,
    /// Questions of this shape, by name (Iso-6) or code
    #[arg(long)]
    shape: Option<String>,
    /// Questions of this split: train, dev or test
    #[arg(long)]
    split: Option<Split>,
    /// Questions with this function
    #[arg(long)]
    function: Option<String>,
    /// Pick random matches instead of the first
    #[arg(long)]
    random: bool,
    /// The seed of --random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of questions to show
    #[arg(long, short = 'n', default_value_t = 1)]
    number: usize,
    /// Only the questions and answers
    #[arg(long)]
    brief: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ShowArgs) -> Result<Outcome> {
    let benchmark = Benchmark::read(&args.benchmark)?;
    let filter = QuestionFilter {
        id: args.id.clone(),
        shape: args.shape.clone(),
        split: args.split,
        function: args.function.clone(),
    };
    let mut questions = filter.find(&benchmark);
    if args.random {
        Random::new(args.seed, "show").shuffle(&mut questions);
    }
    questions.truncate(args.number);
    if args.json {
        output::json(&questions)?;
    } else {
        for question in &questions {
            show(question, args.brief)?;
        }
    }
    if questions.is_empty() {
        output::note(filter.explain(&benchmark));
    }
    Outcome::found(!questions.is_empty())
}

fn show(question: &Question, brief: bool) -> Result<()> {
    let mut answers: Vec<String> = question.answers.iter().take(10).map(ToString::to_string).collect();
    if question.answers.len() > 10 {
        answers.push(format!("... and {} more", question.answers.len() - 10));
    }
    if brief {
        return say!("{}  {}  [{}]", question.id, question.question, answers.join("; "));
    }
    let alias = question.alias.as_deref().unwrap_or("no name");
    let level = question.level.map_or(String::new(), |level| format!(", {level}"));
    let Question { id, split, shape, function, kind, .. } = question;
    say!("{id}  ({split}{level}; {shape} = {alias}; {function}; {kind})\n")?;
    say!("{}\n\n  {}\n", question.question, answers.join("\n  "))?;
    say!("{}\n", draw(&QueryGraph::from(&question.graph)))?;
    let forms = [
        ("S-expression", &question.forms.sexpr),
        ("program", &question.forms.program),
        ("SPARQL", &question.forms.sparql),
        ("SPARQL on KQA Pro's graph", &question.forms.sparql_kqapro),
    ];
    for (name, form) in forms {
        if let Some(form) = form {
            say!("{name}:\n  {}\n", form.trim().replace('\n', "\n  "))?;
        }
    }
    if !question.choices.is_empty() {
        say!("choices: {}\n", question.choices.join(" | "))?;
    }
    for fact in &question.proof {
        say!("  {}  {}  {}", fact.subject, fact.property, fact.value)?;
    }
    Ok(())
}
