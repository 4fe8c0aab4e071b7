//! The score so far, for the progress bar of a run.

use crate::output::three;
use crate::progress::Bar;
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use touchstone_benchmark::{Prediction, Question};
use touchstone_grade::{Grader, Measure};

/// Grades predictions as they come, and shows the mean in the progress bar.
pub(super) struct RunningScore<'g, 'b> {
    questions: hashbrown::HashMap<&'g str, &'g Question>,
    grader: Grader<'g>,
    bar: &'b Bar,
    started: Instant,
    grading: Duration,
    shown: Instant,
    graded: u32,
    score: f64,
    answered: u32,
    abstained: u32,
    errors: u32,
    /// Whether the bar is on a terminal.
    is_visible: bool,
}

/// Maximum share of the time that grading takes.
const MAX_SHARE: f64 = 0.05;

/// How often the bar is updated.
const SHOW_EVERY: Duration = Duration::from_millis(200);

impl<'g, 'b> RunningScore<'g, 'b> {
    pub(super) fn new(grader: Grader<'g>, questions: &[&'g Question], bar: &'b Bar) -> RunningScore<'g, 'b> {
        RunningScore {
            questions: questions.iter().map(|question| (question.id.as_str(), *question)).collect(),
            grader,
            bar,
            started: Instant::now(),
            grading: Duration::ZERO,
            shown: Instant::now(),
            graded: 0,
            score: 0.0,
            answered: 0,
            abstained: 0,
            errors: 0,
            is_visible: std::io::stderr().is_terminal(),
        }
    }

    pub(super) fn add(&mut self, prediction: &Prediction) {
        if !self.is_visible {
            return;
        }
        if prediction.error.is_some() {
            self.errors += 1;
        } else if prediction.answers.is_none() && prediction.logical_form.is_none() {
            self.abstained += 1;
        } else {
            self.answered += 1;
        }
        if self.grading.as_secs_f64() < MAX_SHARE * self.started.elapsed().as_secs_f64()
            && let Some(question) = self.questions.get(prediction.id.as_str())
        {
            let start = Instant::now();
            let grade = self.grader.grade(question, Some(prediction));
            self.score += grade.values.get(Measure::F1).unwrap_or(0.0);
            self.graded += 1;
            self.grading += start.elapsed();
        }
        if self.shown.elapsed() > SHOW_EVERY {
            self.shown = Instant::now();
            self.show();
        }
    }

    fn show(&self) {
        let all = f64::from(self.answered + self.abstained + self.errors);
        let rate = all / self.started.elapsed().as_secs_f64();
        let score =
            if self.graded == 0 { "?".to_owned() } else { three(self.score / f64::from(self.graded)) };
        self.bar.tell(&format!(
            "{rate:.0}/s, F1 so far {score}; {} answered, {} abstained, {} failed",
            self.answered, self.abstained, self.errors
        ));
    }
}
