//! The score of a run so far.

use crate::grader::Grader;
use crate::measure::Measure;
use hashbrown::HashMap;
use std::fmt::{Display, Formatter};
use std::time::{Duration, Instant};
use touchstone_benchmark::{Prediction, Question};

/// Maximum share of the time that grading takes.
const MAX_SHARE: f64 = 0.05;

/// Grades predictions as they come, as many as take a twentieth of the time. Its text is one line for a progress bar.
pub struct RunningScore<'g> {
    questions: HashMap<&'g str, &'g Question>,
    grader: Grader<'g>,
    started: Instant,
    grading: Duration,
    graded: u32,
    score: f64,
    answered: u32,
    abstained: u32,
    errors: u32,
}

impl<'g> RunningScore<'g> {
    /// Without predictions; the clock starts now.
    pub fn new(grader: Grader<'g>, questions: &[&'g Question]) -> RunningScore<'g> {
        RunningScore {
            questions: questions.iter().map(|question| (question.id.as_str(), *question)).collect(),
            grader,
            started: Instant::now(),
            grading: Duration::ZERO,
            graded: 0,
            score: 0.0,
            answered: 0,
            abstained: 0,
            errors: 0,
        }
    }

    /// Counts a prediction, and grades it if there is time.
    pub fn add(&mut self, prediction: &Prediction) {
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
    }
}

impl Display for RunningScore<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let RunningScore { answered, abstained, errors, .. } = self;
        let rate = f64::from(answered + abstained + errors) / self.started.elapsed().as_secs_f64();
        write!(f, "{rate:.0}/s, F1 so far ")?;
        match self.graded {
            0 => f.write_str("?")?,
            graded => write!(f, "{:.3}", self.score / f64::from(graded))?,
        }
        write!(f, "; {answered} answered, {abstained} abstained, {errors} failed")
    }
}
