//! `touchstone show`.

use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use std::collections::BTreeSet;
use std::path::PathBuf;
use touchstone_benchmark::{Benchmark, Question, Random, Split};

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
    /// Any of those that fit, instead of the first
    #[arg(long)]
    random: bool,
    /// The seed of --random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many
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
    let fits = |wanted: &Option<String>, found: &[&str]| {
        wanted.as_ref().is_none_or(|wanted| found.iter().any(|found| found.eq_ignore_ascii_case(wanted)))
    };
    let mut questions: Vec<&Question> = benchmark
        .questions
        .iter()
        .filter(|q| {
            fits(&args.id, &[&q.id])
                && fits(&args.shape, &[&q.shape, q.alias.as_deref().unwrap_or_default()])
                && args.split.is_none_or(|split| q.split == split)
                && fits(&args.function, &[q.function.name(), q.kind.name()])
        })
        .collect();
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
        output::note(&nothing_fits(args, &benchmark));
        return Ok(Outcome::NothingFound);
    }
    Ok(Outcome::Done)
}

/// Which of the filters no question passes, with what there is and the nearest of it.
fn nothing_fits(args: &ShowArgs, benchmark: &Benchmark) -> String {
    let split = args.split.map(|split| split.name().to_owned());
    type Values<'q> = fn(&'q Question) -> Vec<&'q str>;
    let filters: [(&str, &Option<String>, Values<'_>); 4] = [
        ("id", &args.id, |q| vec![&q.id]),
        ("shape", &args.shape, |q| {
            [Some(q.shape.as_str()), q.alias.as_deref()].into_iter().flatten().collect()
        }),
        ("split", &split, |q| vec![q.split.name()]),
        ("function", &args.function, |q| vec![q.function.name(), q.kind.name()]),
    ];
    for (name, wanted, values) in filters {
        let Some(wanted) = wanted else { continue };
        let known: BTreeSet<&str> =
            benchmark.questions.iter().flat_map(values).filter(|v| !v.is_empty()).collect();
        if known.iter().any(|value| value.eq_ignore_ascii_case(wanted)) {
            continue;
        }
        let nearest = touchstone_kb::nearest_name(wanted, known.iter().copied());
        let hint = nearest.map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"));
        let listed: Vec<&str> = known.iter().copied().filter(|value| !value.contains('(')).take(20).collect();
        let listed = match name {
            "id" => String::new(),
            _ if listed.is_empty() => "; it has none".to_owned(),
            _ => format!("; it has {}", listed.join(", ")),
        };
        return format!("no question has the {name} `{}`{hint}{listed}", output::shortened(wanted));
    }
    if benchmark.questions.is_empty() {
        return "the benchmark has no questions".to_owned();
    }
    "no question fits all of these filters together; leave one out".to_owned()
}

fn show(question: &Question, brief: bool) -> Result<()> {
    let mut answers: Vec<String> = question.answers.iter().take(10).map(ToString::to_string).collect();
    if question.answers.len() > 10 {
        answers.push(format!("... and {} more", question.answers.len() - 10));
    }
    if brief {
        return output::text(&format!("{}  {}  [{}]", question.id, question.question, answers.join("; ")));
    }
    let alias = question.alias.as_deref().unwrap_or("no name");
    let level = question.level.map_or(String::new(), |level| format!(", {level}"));
    output::text(&format!(
        "{}  ({}{level}; {} = {alias}; {}; {})\n",
        question.id, question.split, question.shape, question.function, question.kind
    ))?;
    output::text(&format!("{}\n\n  {}\n", question.question, answers.join("\n  ")))?;
    let graph: touchstone_logic::QueryGraph = (&question.graph).into();
    output::text(&format!("{}\n", touchstone_logic::graph::draw(&graph)))?;
    let forms = [
        ("S-expression", &question.forms.sexpr),
        ("program", &question.forms.program),
        ("SPARQL", &question.forms.sparql),
        ("SPARQL on KQA Pro's graph", &question.forms.sparql_kqapro),
    ];
    for (name, form) in forms {
        if let Some(form) = form {
            output::text(&format!("{name}:\n  {}\n", form.trim().replace('\n', "\n  ")))?;
        }
    }
    if !question.choices.is_empty() {
        output::text(&format!("choices: {}\n", question.choices.join(" | ")))?;
    }
    for fact in &question.proof {
        output::text(&format!("  {}  {}  {}", fact.subject, fact.property, fact.value))?;
    }
    Ok(())
}
