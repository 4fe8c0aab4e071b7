//! The `touchstone` command: arguments in, tables, progress bars and exit codes out.
//!
//! Exit codes: 0 done, 1 nothing was found or not everything could be done, 2 an error.
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss
    )
)]

#[macro_use]
mod output;

mod args;
mod choice;
mod data_set_arg;
mod forge;
mod forms;
mod grade;
mod kb;
mod open_kb;
mod progress;
mod query;
mod reply;
mod run;
mod session_args;
mod shell;
mod studio;
mod train;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use touchstone_kb::is_broken_pipe;

/// Imports allocate many small strings in several threads; the system's allocator is a third slower at that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Benchmarks, systems and grades for question answering over knowledge bases.
#[derive(Parser)]
#[command(
    name = "touchstone",
    version,
    after_help = "Start here:\n  touchstone demo                the whole loop: a benchmark, systems, grades, a report\n  touchstone kb show Paris       an entity of the embedded World KB\n  touchstone kb info             what the KB holds\n  touchstone shape \"(AND film.film (JOIN film.film.directed_by m.0184jc))\"   what a query looks like"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print tables with all their columns, however wide they are
    #[arg(long, global = true)]
    wide: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Knowledge bases: look into one, import your own, export it.
    #[command(subcommand)]
    Kb(kb::KbCommand),
    /// Run a logical form, or a file of them.
    #[command(
        after_help = "Examples:\n  touchstone query \"Find(The Shawshank Redemption) > Relate(director, forward) > What()\"\n  touchstone query --trace \"(COUNT (AND film (JOIN director person/f-frank-darabont)))\"\n  touchstone query --format csv \"SELECT ?film ?year WHERE { ?film a <urn:touchstone:world:film> } LIMIT 3\"\n  touchstone query --batch queries.jsonl --out results.jsonl"
    )]
    Query(query::QueryArgs),
    /// Run queries interactively, with history and completion.
    #[command(
        after_help = "Examples:\n  touchstone shell\n  echo 'Find(Paris) > QueryAttr(population)' | touchstone shell"
    )]
    Shell(shell::ShellArgs),
    /// Build a benchmark from a KB.
    #[command(
        after_help = "Examples:\n  touchstone build quick --out bench/\n  touchstone build hard --questions 5000 --seed 7 --kb my-kb/ --name mine --out bench/\n  touchstone build --print-recipe quick > mine.toml"
    )]
    Build(forge::build::BuildArgs),
    /// Check a benchmark, and list everything that is wrong with it.
    #[command(
        after_help = "Examples:\n  touchstone lint bench/\n  touchstone lint bench/ --kb newer-kb/ --all"
    )]
    Lint(forge::lint::LintArgs),
    /// Show what a benchmark is made of.
    #[command(
        after_help = "Examples:\n  touchstone stats bench/ --kb world\n  touchstone stats bench/ --json"
    )]
    Stats(forge::stats::StatsArgs),
    /// Show questions of a benchmark, with their graphs, forms, answers and proofs.
    #[command(
        after_help = "Examples:\n  touchstone show bench/ --random\n  touchstone show bench/ --random --shape Iso-3 -n 20 --brief"
    )]
    Show(forge::show::ShowArgs),
    /// Write a benchmark in the format of another: GrailQA, KQA Pro, QALD.
    #[command(after_help = "Examples:\n  touchstone export-dataset bench/ --format grailqa --out grailqa/")]
    ExportDataset(forge::export::ExportArgs),
    /// Build a benchmark from a published data set.
    #[command(
        after_help = "Examples:\n  touchstone import-dataset --format grailqa --train grailqa_v1.0_train.json --dev grailqa_v1.0_dev.json --ontology ontology/ --out grailqa/\n  touchstone import-dataset --format nspm --train data_300.sparql --out dbnqa/"
    )]
    ImportDataset(forge::import::ImportArgs),
    /// Combine benchmarks: keep questions that are new to a training set and have the requested shapes.
    #[command(
        after_help = "Examples:\n  touchstone mix cwq/ webqsp/ graphquestions/ --against grailqa/ --shape Iso-2=100 --shape Iso-3=100 --out grailqa++/"
    )]
    Mix(forge::mix::MixArgs),
    /// Bring a benchmark up to date with a newer KB: the same questions, new answers, and a list of what changed.
    #[command(
        after_help = "Examples:\n  touchstone refresh bench/ --kb newer-kb/ --out bench-new/\n  touchstone refresh bench/ --kb newer-kb/ --out bench-new/ --json"
    )]
    Refresh(forge::refresh::RefreshArgs),
    /// Add paraphrases that a model or program writes, and keep only those that mean the same.
    #[command(
        after_help = "Examples:\n  touchstone paraphrase bench/ --with llm:my-model --llm-url http://127.0.0.1:8000/v1 --out bench-p/\n  touchstone paraphrase bench/ --with \"command:python3 rewrite.py\" --as-questions --out bench-p/"
    )]
    Paraphrase(run::paraphrase::ParaphraseArgs),
    /// Run the whole loop once: a benchmark, three systems, their grades, and a report.
    #[command(
        after_help = "Examples:\n  touchstone demo\n  touchstone demo --open\n  touchstone demo --questions 500 --out somewhere/"
    )]
    Demo(run::demo::DemoArgs),
    /// Answer a question about a KB, and show how: what it names, the query in three languages, its graph, the answers.
    #[command(
        after_help = "Examples:\n  touchstone ask \"Which films directed by Christopher Nolan were released after 2008?\"\n  touchstone ask --benchmark bench/ --json \"Who directed Alien?\"\n  touchstone ask --system model:model/ \"Who directed Alien?\""
    )]
    Ask(run::ask::AskArgs),
    /// Start the web application: explore the KB, run queries and ask systems in the browser.
    #[command(
        after_help = "Examples:\n  touchstone studio --open\n  touchstone studio --dir studio/ --kb my-kb/ --port 9000\n  touchstone studio --system model=model:model/ --system mine=command:./mine"
    )]
    Studio(studio::StudioArgs),
    /// Ask a system the questions of a benchmark; a run that was stopped resumes where it stopped.
    #[command(
        after_help = "Examples:\n  touchstone run oracle --benchmark bench/ --out runs/oracle\n  touchstone run \"command:python3 mine.py\" --benchmark bench/ --split test --out runs/mine\n  touchstone run --resume runs/mine\n  touchstone run llm:my-model --llm-url http://127.0.0.1:8000/v1 --benchmark bench/ --limit 100 --out runs/llm\n  touchstone grade runs/mine --out runs/mine"
    )]
    Run(run::RunArgs),
    /// Train a published system on a benchmark, or continue a training that was interrupted.
    #[command(
        after_help = "Examples:\n  touchstone train transformer --benchmark bench/ --out model/\n  touchstone train nspm-att2 --benchmark bench/ --scale smoke --set training.batch=8 --out model/\n  touchstone train --resume model/\n  touchstone run model:model/ --benchmark bench/ --out runs/model"
    )]
    Train(train::training::TrainArgs),
    /// List the systems that can be trained, with their sizes and settings.
    #[command(
        after_help = "Examples:\n  touchstone models\n  touchstone models transformer --scale paper\n  touchstone models --json"
    )]
    Models(train::models::ModelsArgs),
    /// Repeat the study of a paper: benchmarks, trained systems, runs, grades, and its tables with the published figures.
    #[command(
        after_help = "Examples:\n  touchstone experiment gek --scale smoke --out gek/\n  touchstone experiment gek --only transformer --cells 1 --out gek/\n  touchstone experiment gek --tables --out gek/\n  touchstone experiment gek --print > mine.toml"
    )]
    Experiment(train::experiment::ExperimentArgs),
    /// List the runs in a folder, with their scores if they are graded.
    #[command(after_help = "Examples:\n  touchstone runs runs/\n  touchstone runs runs/ --json")]
    Runs(run::runs::RunsArgs),
    /// Inspect the cache of replies: where it is, and the key of a reply.
    #[command(
        subcommand,
        after_help = "Examples:\n  touchstone cache info\n  touchstone cache explain 0f6c7b0d2f1d4f3c8f1f6b8c5d1a2b3c"
    )]
    Cache(run::cache::CacheCommand),
    /// Grade predictions: answers and reasoning, with intervals and breakdowns.
    #[command(
        after_help = "Examples:\n  touchstone grade runs/mine\n  touchstone grade --benchmark bench/ mine.jsonl --out grades/\n  touchstone grade --benchmark bench/ --predictions mine.jsonl --by 'level,shape*function' --measures f1,gek_3\n  touchstone grade --dataset grailqa:dev.json --ontology ontology/ --compat grailqa --predictions predictions.jsonl"
    )]
    Grade(grade::grading::GradeArgs),
    /// Compare graded runs: paired tests, and which questions flipped.
    #[command(
        after_help = "Examples:\n  touchstone compare grades-a/ grades-b/\n  touchstone compare grades-a/ grades-b/ grades-c/ --measures f1,gek_3 --json"
    )]
    Compare(grade::compare::CompareArgs),
    /// Write a self-contained page about graded runs: scores, breakdowns, every question with both graphs.
    #[command(
        after_help = "Examples:\n  touchstone report grades/ --out report.html\n  touchstone report grades-a/ grades-b/ --title \"Before and after\""
    )]
    Report(grade::report::ReportArgs),
    /// Find what in the language of questions explains a measure: a regression on words, nouns, readability and more.
    #[command(
        after_help = "Examples:\n  touchstone regress --benchmark bench/ --grades grades/ --measure f1"
    )]
    Regress(grade::regress::RegressArgs),
    /// List the measures, with their formulas and edge cases.
    #[command(after_help = "Examples:\n  touchstone measures\n  touchstone measures --json")]
    Measures(grade::measures::MeasuresArgs),
    /// Write a synthetic run: gold predictions, a share of them made worse in a known way.
    #[command(
        after_help = "Examples:\n  touchstone degrade --benchmark bench/ --transform T2 --share 0.2 --out t2.jsonl"
    )]
    Degrade(grade::degrade::DegradeArgs),
    /// Make neighbours of the KB (a few facts changed) that distinguish gold queries from near misses, for `touchstone grade --robust`.
    #[command(
        after_help = "Examples:\n  touchstone distil --benchmark bench/ --out neighbours.jsonl\n  touchstone grade --benchmark bench/ --predictions mine.jsonl --robust neighbours.jsonl"
    )]
    Distil(grade::distil::DistilArgs),
    /// Show how measures react to synthetic degradations.
    #[command(
        after_help = "Examples:\n  touchstone sensitivity --benchmark bench/\n  touchstone sensitivity --benchmark bench/ --transform drop,flip,year --share 0.5"
    )]
    Sensitivity(grade::sensitivity::SensitivityArgs),
    /// Check which axioms of grounded measures hold on the queries of a benchmark.
    #[command(
        after_help = "Examples:\n  touchstone axioms --benchmark bench/\n  touchstone axioms --benchmark bench/ --all --cases"
    )]
    Axioms(grade::axioms::AxiomsArgs),
    /// Write a logical form in English.
    #[command(
        after_help = "Examples:\n  touchstone verbalise \"(COUNT (AND film (JOIN director person/f-frank-darabont)))\"\n  touchstone verbalise \"Find(The Shawshank Redemption) > QueryAttr(duration)\""
    )]
    Verbalise(forge::verbalise::VerbaliseArgs),
    /// Print the English words for a KB, to edit and use with `--lexicon`; the least certain first.
    #[command(
        after_help = "Examples:\n  touchstone lexicon --kb my-kb/ --doubtful\n  touchstone lexicon --kb my-kb/ --out words.toml\n  touchstone build quick --kb my-kb/ --lexicon words.toml --out bench/"
    )]
    Lexicon(forge::lexicon::LexiconArgs),
    /// Translate logical forms: S-expressions, KoPL programs, SPARQL.
    #[command(
        after_help = "Examples:\n  touchstone convert --to sparql \"(COUNT (AND film.film (JOIN film.film.directed_by m.0184jc)))\"\n  touchstone convert --to kopl --json questions.json\n  cat queries.rq | touchstone convert --to sexpr -"
    )]
    Convert(forms::convert::ConvertArgs),
    /// Count the shapes of the questions in a file.
    #[command(
        after_help = "Examples:\n  touchstone shape --format grailqa grailqa_v1.0_dev.json\n  touchstone shape --format cwq --svg drawings/ ComplexWebQuestions_test.json\n  touchstone shape \"Find(Yao Ming) > Relate(place of birth, forward) > What()\""
    )]
    Shape(forms::shape::ShapeArgs),
    /// Decide whether predicted logical forms equal the gold ones, and if not, why.
    #[command(
        after_help = "Input: lines of {\"id\": ..., \"gold\": ..., \"predicted\": ...}\n\nExamples:\n  touchstone match --mode official --ontology ontology/ pairs.jsonl\n  touchstone match --mode canonical --json pairs.jsonl > verdicts.jsonl"
    )]
    Match(forms::matching::MatchArgs),
    /// Determine the level of test questions relative to training: i.i.d., compositional, zero-shot.
    #[command(
        after_help = "Examples:\n  touchstone level --train train.json --test dev.json\n  touchstone level --train train.json --test dev.json --inverse-rule --ontology ontology/ --per-question"
    )]
    Level(forms::level::LevelArgs),
}

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    /// Nothing was found, or not everything could be done.
    NothingFound,
}

impl Outcome {
    /// Done if something was found.
    fn found(found: bool) -> anyhow::Result<Outcome> {
        Ok(if found { Outcome::Done } else { Outcome::NothingFound })
    }
}

fn main() -> ExitCode {
    let filter = tracing_subscriber::EnvFilter::try_from_env("TOUCHSTONE_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time().init();
    let cli = Cli::parse();
    if cli.wide {
        touchstone_terminal::set_wide();
    }
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    match run_command(cli.command, &arguments) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::NothingFound) => ExitCode::from(1),
        // The reader of our output has closed it (`touchstone ... | head`): that is not an error.
        Err(error) if is_broken_pipe(error.as_ref()) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            ExitCode::from(2)
        }
    }
}

/// The command of a command line that does not come from the user.
fn parsed(arguments: &[String]) -> anyhow::Result<Command> {
    let program = "touchstone".to_owned();
    Ok(Cli::try_parse_from([&program].into_iter().chain(arguments))?.command)
}

/// Runs a command line that does not come from the user.
fn run_line(arguments: &[String]) -> anyhow::Result<Outcome> {
    run_command(parsed(arguments)?, arguments)
}

/// The outcome of a command that always finds something.
fn done(result: anyhow::Result<()>) -> anyhow::Result<Outcome> {
    result.map(|()| Outcome::Done)
}

/// Runs a command. `arguments` are those that led to it, which runs keep to be resumed.
fn run_command(command: Command, arguments: &[String]) -> anyhow::Result<Outcome> {
    match command {
        Command::Kb(command) => kb::run(command),
        Command::Run(args) => run::run(&args, arguments),
        Command::Query(args) => query::run(&args),
        Command::Shell(args) => shell::run(&args),
        Command::Build(args) => forge::build::run(&args),
        Command::Lint(args) => forge::lint::run(&args),
        Command::Stats(args) => done(forge::stats::run(&args)),
        Command::Show(args) => forge::show::run(&args),
        Command::ExportDataset(args) => forge::export::run(&args),
        Command::ImportDataset(args) => done(forge::import::run(&args)),
        Command::Mix(args) => forge::mix::run(&args),
        Command::Refresh(args) => done(forge::refresh::run(&args)),
        Command::Paraphrase(args) => run::paraphrase::run(&args),
        Command::Train(args) => train::training::run(&args),
        Command::Experiment(args) => train::experiment::run(&args),
        Command::Models(args) => done(train::models::run(&args)),
        Command::Runs(args) => run::runs::run(&args),
        Command::Ask(args) => run::ask::run(&args),
        Command::Studio(args) => done(studio::run(&args)),
        Command::Demo(args) => done(run::demo::run(&args)),
        Command::Cache(args) => run::cache::run(&args),
        Command::Grade(args) => grade::grading::run(&args),
        Command::Compare(args) => grade::compare::run(&args),
        Command::Report(args) => done(grade::report::run(args)),
        Command::Regress(args) => done(grade::regress::run(&args)),
        Command::Measures(args) => done(grade::measures::run(&args)),
        Command::Degrade(args) => grade::degrade::run(&args),
        Command::Distil(args) => grade::distil::run(&args),
        Command::Sensitivity(args) => done(grade::sensitivity::run(&args)),
        Command::Axioms(args) => done(grade::axioms::run(&args)),
        Command::Verbalise(args) => done(forge::verbalise::run(&args)),
        Command::Lexicon(args) => forge::lexicon::run(&args),
        Command::Convert(args) => forms::convert::run(&args),
        Command::Shape(args) => forms::shape::run(&args),
        Command::Match(args) => forms::matching::run(&args),
        Command::Level(args) => forms::level::run(&args),
    }
}
