//! Writes the report of graded runs: one HTML file with everything in it. Without folders, of two made-up questions.
//!
//!     cargo run -p touchstone-studio --example write_report [REPORT.html [--kb DIR] GRADES...]
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::PathBuf;
use touchstone_benchmark::{GradeRow, KbSource};
use touchstone_grade::statistics::Estimate;
use touchstone_grade::summary::{Score, Summary};
use touchstone_kb::NoProgress;
use touchstone_studio::{Report, ReportConfig, ReportRun, report, report_page};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if arguments.len() > 1 {
        let out = arguments.remove(0);
        let mut kb = KbSource::OfBenchmark;
        if arguments[0].as_os_str() == "--kb" {
            kb = KbSource::Folder(arguments.remove(1));
            arguments.remove(0);
        }
        let date = touchstone_benchmark::today();
        let config = ReportConfig { runs: arguments, out, kb, date, ..ReportConfig::default() };
        println!("a page of {} bytes", report(&config, &NoProgress)?.bytes);
        return Ok(());
    }
    // What `touchstone grade --out` writes: summary.json and the lines of grades.jsonl.
    let grades = [("q1", "Who discovered radium?", 1.0), ("q2", "Who discovered germanium?", 0.5)];
    let grades = grades.map(|(id, question, f1)| GradeRow {
        id: id.to_owned(),
        outcome: touchstone_benchmark::PredictionOutcome::Answered,
        question: question.to_owned(),
        measures: [("f1".to_owned(), f1)].into_iter().collect(),
        ..GradeRow::default()
    });
    let all = Estimate { n: 2, mean: 0.75, low: 0.5, high: 1.0 };
    let summary = Summary {
        questions: 2,
        outcomes: [("answered".to_owned(), 2)].into(),
        measures: [("f1".to_owned(), Score { version: 1, all, answered: None })].into(),
        ..Summary::default()
    };
    let run = ReportRun { name: "mine".to_owned(), summary, grades: grades.to_vec(), ..ReportRun::default() };
    let page = report_page(&Report { title: "An example".to_owned(), runs: vec![run], ..Report::default() })?;
    match arguments.first() {
        Some(path) => std::fs::write(path, &page)?,
        None => println!("a page of {} bytes; give the name of a file to keep it", page.len()),
    }
    Ok(())
}
