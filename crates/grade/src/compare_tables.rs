//! Compared runs as tables.

use crate::compare_runs::{ComparedRuns, GradedFolder, RunComparison};
use crate::table::{ReportFormat, ScoreTable, TableFormat, junit, quantity, write_all};
use touchstone_kb::counts::grouped;

fn three(value: f64) -> String {
    format!("{value:.3}")
}

/// A p-value; what rounds to zero is not zero.
fn probability(p: f64) -> String {
    if p < 0.0005 { "<0.001".to_owned() } else { three(p) }
}

/// What the columns of [`comparison_table`] mean.
pub const COLUMN_MEANINGS: [(&str, &str); 8] = [
    (
        "n",
        "questions for which the measure has a value in both runs; the means are over these, so they can differ from those of `touchstone grade`",
    ),
    ("change", "mean of the second run minus mean of the first"),
    (
        "95 % interval",
        "95 % confidence interval of the change (paired bootstrap; normal distribution above 1,000 questions)",
    ),
    ("p", "probability of a change at least this large if the runs do not differ (same method, two-sided)"),
    ("p (Holm)", "p corrected for the number of comparisons on this page: below 0.05 the runs differ"),
    (
        "McNemar",
        "p of McNemar's exact test, which counts only questions that are right (value 1) in one run and wrong in the other",
    ),
    ("d", "change in standard deviations of the differences (Cohen's d)"),
    ("detectable", "smallest change that n questions detect with 80 % power at p = 0.05"),
];

/// Comparisons of two runs with all tests, in numbers for people.
pub fn comparison_table(rows: &[RunComparison]) -> ScoreTable {
    let headings = [
        "measure",
        "n",
        "first",
        "second",
        "change",
        "95 % interval",
        "p",
        "p (Holm)",
        "McNemar",
        "d",
        "detectable",
    ];
    let mut table = ScoreTable::new("", headings);
    for row in rows {
        let c = &row.comparison;
        table.add([
            row.measure.clone(),
            grouped(row.n),
            three(row.first_mean),
            three(row.second_mean),
            format!("{:+.3}", c.difference),
            format!("{:+.3} to {:+.3}", c.low, c.high),
            probability(c.p_bootstrap),
            probability(row.p_corrected),
            probability(c.p_mcnemar),
            format!("{:+.2}", c.effect),
            three(c.detectable),
        ]);
    }
    table
}

impl ComparedRuns {
    /// The name of the first run.
    pub fn first(&self) -> &str {
        self.runs.first().map_or("", |run| run.name.as_str())
    }

    /// Each run after the first, with its comparisons.
    pub fn by_run(&self) -> impl Iterator<Item = (&GradedFolder, &[RunComparison])> {
        let others = self.runs.get(1..).unwrap_or_default();
        let per_run = (self.comparisons.len() / others.len().max(1)).max(1);
        others.iter().zip(self.comparisons.chunks(per_run))
    }

    /// The comparison for other programs: CSV has one table with everything, JUnit the checks.
    pub fn write(&self, format: ReportFormat) -> String {
        match format {
            ReportFormat::Tables(TableFormat::Csv) => self.full_table().write(TableFormat::Csv),
            ReportFormat::Tables(format) => {
                let others = self.facet_table().into_iter().chain(self.usage_table());
                write_all(&[self.short_table()].into_iter().chain(others).collect::<Vec<_>>(), format)
            }
            ReportFormat::Junit => junit(&format!("compared with {}", self.first()), &self.checks),
        }
    }

    /// The comparisons with numbers in full.
    pub fn full_table(&self) -> ScoreTable {
        let headings = [
            "first",
            "second",
            "measure",
            "n",
            "first_mean",
            "second_mean",
            "difference",
            "low",
            "high",
            "p",
            "p_corrected",
            "p_mcnemar",
            "won",
            "lost",
        ];
        let mut table = ScoreTable::new("", headings);
        for row in &self.comparisons {
            let RunComparison { first, second, measure, n, .. } = row;
            let c = &row.comparison;
            let names = [first.clone(), second.clone(), measure.clone(), n.to_string()];
            let means = [row.first_mean, row.second_mean];
            let tests = [c.difference, c.low, c.high, c.p_bootstrap, row.p_corrected, c.p_mcnemar];
            let numbers = means.into_iter().chain(tests).map(|number| number.to_string());
            let counts = [c.won.to_string(), c.lost.to_string()];
            table.add(names.into_iter().chain(numbers).chain(counts));
        }
        table
    }

    /// The comparisons for a page, with the names of the runs.
    pub fn short_table(&self) -> ScoreTable {
        let headings = ["run", "measure", "first", "second", "change", "95 % interval", "corrected p", "n"];
        let mut table = ScoreTable::new(&format!("compared with {}", self.first()), headings);
        for row in &self.comparisons {
            let c = &row.comparison;
            table.add([
                row.second.clone(),
                row.measure.clone(),
                three(row.first_mean),
                three(row.second_mean),
                format!("{:+.3}", c.difference),
                format!("{:+.3} to {:+.3}", c.low, c.high),
                three(row.p_corrected),
                grouped(row.n),
            ]);
        }
        table
    }

    /// The comparisons by the values of a facet; `None` if none was asked for.
    pub fn facet_table(&self) -> Option<ScoreTable> {
        let (facet, rows) = self.by.as_ref()?;
        let mut table = ScoreTable::new("", [facet, "run", "measure", "n", "first", "second", "change", "p"]);
        for row in rows {
            table.add([
                row.value.clone(),
                row.second.clone(),
                row.measure.clone(),
                grouped(row.n),
                three(row.first_mean),
                three(row.second_mean),
                format!("{:+.3}", row.comparison.difference),
                three(row.p_corrected),
            ]);
        }
        Some(table)
    }

    /// What the runs cost over the common questions; `None` if nothing is known.
    pub fn usage_table(&self) -> Option<ScoreTable> {
        let mut table = ScoreTable::new("", ["run", "per question", "mean", "median", "95 %", "total", "n"]);
        for (run, usage) in self.runs.iter().zip(&self.usage) {
            for (name, spread) in usage.iter().flat_map(|usage| usage.rows()) {
                let numbers = [spread.mean, spread.median, spread.p95, spread.total].map(quantity);
                let names = [run.name.clone(), name.to_owned()];
                table.add(names.into_iter().chain(numbers).chain([grouped(spread.n)]));
            }
        }
        (!table.rows.is_empty()).then_some(table)
    }
}
