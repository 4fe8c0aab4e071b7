//! The tables of an experiment, from the rows that there are: ours, with the published figures below.

use super::plan::percent;
use super::rows::{AxiomSigns, CellRow, Row, StudyResult};
use super::spec::{Experiment, PublishedRow, TableKind, TableSpec};
use crate::cast;
use serde::Serialize;
use touchstone_grade::degrade::Degradation;
use touchstone_grade::sensitivity::{Reaction, SensitivityRow};
use touchstone_grade::table::ScoreTable;
use touchstone_kb::counts::grouped;
use touchstone_train::settings::ModelScale;

/// A table of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExperimentTable {
    /// Its title.
    pub title: String,
    /// Its headings and rows.
    #[serde(flatten, serialize_with = "as_map")]
    pub table: ScoreTable,
    /// What must be known to read it.
    pub notes: Vec<String>,
}

fn as_map<S: serde::Serializer>(table: &ScoreTable, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Map<'t> {
        headings: &'t [String],
        rows: &'t [Vec<String>],
    }
    Map { headings: &table.headings, rows: &table.rows }.serialize(serializer)
}

/// What a cell without a row shows.
const MISSING: &str = "–";

/// The first cell of published rows.
const PAPER: &str = "  paper";

/// All tables of an experiment, and one with what each system was given.
pub fn tables(experiment: &Experiment, scale: ModelScale, rows: &[Row]) -> Vec<ExperimentTable> {
    let maker = TableMaker { experiment, scale, rows };
    let mut tables: Vec<ExperimentTable> = experiment.tables.iter().map(|spec| maker.table(spec)).collect();
    tables.extend(Some(maker.compute()).filter(|compute| !compute.table.rows.is_empty()));
    tables
}

struct TableMaker<'t> {
    experiment: &'t Experiment,
    scale: ModelScale,
    rows: &'t [Row],
}

impl TableMaker<'_> {
    fn table(&self, spec: &TableSpec) -> ExperimentTable {
        let (table, mut notes) = match spec.kind {
            TableKind::Axioms => self.axioms(spec),
            TableKind::Transformations => self.transformations(spec),
            TableKind::Sensitivity => self.sensitivity(spec),
            TableKind::Scores => self.scores(spec),
            TableKind::Comparison => self.comparison(spec),
        };
        notes.extend((!spec.note.is_empty()).then(|| spec.note.clone()));
        ExperimentTable { title: spec.title.clone(), table, notes }
    }

    /// The results of a study on the benchmark of a table.
    fn study<'s, T>(
        &'s self,
        spec: &TableSpec,
        of: impl Fn(&'s StudyResult) -> Option<T>,
    ) -> Option<(T, usize)> {
        self.rows.iter().find_map(|row| match row {
            Row::Study(row) if row.benchmark == spec.benchmark => Some((of(&row.result)?, row.questions)),
            _ => None,
        })
    }

    fn axioms(&self, spec: &TableSpec) -> (ScoreTable, Vec<String>) {
        let headings = ["measure", "A1 query", "A2 runs", "A3 answers", "per question", "partial"];
        let mut table = ScoreTable::new("", headings);
        let found = self.study(spec, |result| match result {
            StudyResult::Axioms(rows) => Some(rows),
            _ => None,
        });
        let Some((rows, _)) = found else { return (table, vec![not_computed()]) };
        for AxiomSigns { measure, ours, published, .. } in rows {
            let published = published.as_ref().unwrap_or(ours);
            let cells = ours.iter().zip(published).map(|(ours, paper)| match ours == paper {
                true => ours.clone(),
                false => format!("{ours} [{paper}]"),
            });
            table.add(std::iter::once(measure.clone()).chain(cells));
        }
        let signs = "● holds in all cases, ◐ never violated but with ties (A1: for gold itself only), ○ does not hold, – not computed; \
                     [x] published, where it differs";
        (table, vec![signs.to_owned()])
    }

    fn transformations(&self, spec: &TableSpec) -> (ScoreTable, Vec<String>) {
        const DESIDERATA: [(&str, &str); 4] = [("T0", ""), ("T1", "○ ● ●"), ("T2", "● ○ ●"), ("T3", "● ○ ○")];
        let mut table = ScoreTable::new("", ["", "D1 D2 D3", "query"]);
        let found = self.study(spec, |result| match result {
            StudyResult::Transformations { question, queries } => Some((question, queries)),
            _ => None,
        });
        let ours = |name: &str| {
            let ((_, queries), _) = found?;
            queries.iter().find(|(known, _)| known == name).map(|(_, query)| query.clone())
        };
        for (name, desiderata) in DESIDERATA {
            table.add([
                name.to_owned(),
                desiderata.to_owned(),
                ours(name).unwrap_or_else(|| MISSING.to_owned()),
            ]);
            let published =
                spec.published.iter().find(|row| row.row == name).and_then(|row| row.text.clone());
            if let Some(text) = published {
                table.add([PAPER.to_owned(), String::new(), text]);
            }
        }
        let notes = match found {
            Some(((question, _), _)) => vec![format!("Ours is the question: {question}")],
            None => vec![not_computed()],
        };
        (table, notes)
    }

    fn sensitivity(&self, spec: &TableSpec) -> (ScoreTable, Vec<String>) {
        let mut table = ScoreTable::new("", std::iter::once(String::new()).chain(headings(spec)));
        let found = self.study(spec, |result| match result {
            StudyResult::Sensitivity(rows) => Some(rows),
            _ => None,
        });
        let Some((rows, questions)) = found else { return (table, vec![not_computed()]) };
        for row in rows {
            let name = row.degradation.name();
            let cells = spec.measures.iter().map(|measure| reaction(row, measure));
            table.add(std::iter::once(format!("{name} {}", percent(row.share))).chain(cells));
            if let Some(published) = published(spec, name, row.share) {
                table.add(published_cells(published));
            }
        }
        let mut notes = vec![format!("Ours are means over {questions} test questions.")];
        let replaced = rows.iter().filter(|row| row.degradation == Degradation::T3);
        let least = replaced.map(|row| row.changed / row.share).fold(1.0, f64::min);
        if least < 0.98 {
            notes.push(format!(
                "Of the queries that T3 chose, {:.0}\u{a0}% could be replaced: the others have answers that no other query has.",
                least * 100.0
            ));
        }
        (table, notes)
    }

    fn scores(&self, spec: &TableSpec) -> (ScoreTable, Vec<String>) {
        let mut table =
            ScoreTable::new("", std::iter::once("system, training data".to_owned()).chain(headings(spec)));
        let Some(benchmark) = self.experiment.benchmark(&spec.benchmark) else { return (table, Vec::new()) };
        let mut used = Vec::new();
        for system in &self.experiment.systems {
            for fraction in self.experiment.fractions(benchmark, self.scale) {
                let rows = self.cells(&system.name, &spec.benchmark, fraction);
                let cells = spec.measures.iter().map(|measure| mean(&rows, measure));
                table.add(std::iter::once(format!("{} {}", system.shown(), percent(fraction))).chain(cells));
                if let Some(published) = published(spec, &system.name, fraction) {
                    table.add(published_cells(published));
                }
                used.extend(rows);
            }
        }
        (table, self.notes(&used))
    }

    fn comparison(&self, spec: &TableSpec) -> (ScoreTable, Vec<String>) {
        let mut table =
            ScoreTable::new("", std::iter::once("system, benchmark".to_owned()).chain(headings(spec)));
        let names = [Some(&spec.benchmark), spec.beside.as_ref()];
        let benchmarks: Vec<_> =
            names.into_iter().flatten().filter_map(|name| self.experiment.benchmark(name)).collect();
        let all = benchmarks.iter().map(|benchmark| self.experiment.fractions(benchmark, self.scale));
        let common = all.reduce(|a, b| a.into_iter().filter(|fraction| b.contains(fraction)).collect());
        let fraction = common.unwrap_or_default().into_iter().fold(0.0, f64::max);
        let mut used = Vec::new();
        for system in &self.experiment.systems {
            for benchmark in &benchmarks {
                let rows = self.cells(&system.name, &benchmark.name, fraction);
                let cells = spec.measures.iter().map(|measure| mean(&rows, measure));
                table.add(std::iter::once(format!("{}, {}", system.shown(), benchmark.shown())).chain(cells));
                used.extend(rows);
            }
        }
        (table, self.notes(&used))
    }

    fn all_cells(&self) -> impl Iterator<Item = &CellRow> {
        self.rows.iter().filter_map(|row| match row {
            Row::Cell(row) => Some(&**row),
            Row::Study(_) => None,
        })
    }

    /// The rows of a cell, one for each seed.
    fn cells(&self, system: &str, benchmark: &str, fraction: f64) -> Vec<&CellRow> {
        self.all_cells()
            .filter(|row| row.system == system && row.benchmark == benchmark && row.fraction == fraction)
            .collect()
    }

    /// What the rows of a table have in common.
    fn notes(&self, rows: &[&CellRow]) -> Vec<String> {
        let Some(first) = rows.first() else {
            return vec!["No cell has been run yet.".to_owned()];
        };
        let mut seeds: Vec<u64> = rows.iter().map(|row| row.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
        let most = rows.iter().map(|row| row.sizes.train).max().unwrap_or(0);
        vec![format!(
            "Scale `{}`, seed {}: {} test questions; 100\u{a0}% are {most} training questions.",
            first.scale,
            seeds.join(", "),
            range(rows, |row| cast::float(row.sizes.test), 0)
        )]
    }

    /// What each system was given: the same at every fraction, or a range.
    fn compute(&self) -> ExperimentTable {
        let headings = ["system", "parameters", "steps", "pairs seen", "minutes of training"];
        let mut table = ScoreTable::new("", headings);
        let mut rules: Vec<&str> = Vec::new();
        for system in &self.experiment.systems {
            let rows: Vec<&CellRow> = self.all_cells().filter(|row| row.system == system.name).collect();
            if rows.is_empty() {
                continue;
            }
            table.add([
                system.shown().to_owned(),
                range(&rows, |row| cast::float_of(row.sizes.parameters), 0),
                range(&rows, |row| cast::float_of(row.steps), 0),
                range(&rows, |row| cast::float_of(row.pairs_seen), 0),
                range(&rows, |row| row.seconds.train / 60.0, 1),
            ]);
            for row in rows {
                if !rules.contains(&row.stopping_rule.as_str()) {
                    rules.push(&row.stopping_rule);
                }
            }
        }
        let rules = rules.iter().map(|rule| format!("Stopping rule: {rule}.")).collect();
        ExperimentTable { title: "Training".to_owned(), table, notes: rules }
    }
}

/// A number of all rows, or its least and greatest value.
fn range(rows: &[&CellRow], of: impl Fn(&CellRow) -> f64, digits: usize) -> String {
    let values = || rows.iter().map(|row| of(row));
    let shown = |value: f64| match digits {
        0 => grouped(cast::whole(value)),
        _ => format!("{value:.digits$}"),
    };
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let (least, most) = (shown(least), shown(most));
    if least == most { least } else { format!("{least} to {most}") }
}

fn not_computed() -> String {
    "Not computed yet.".to_owned()
}

fn headings(spec: &TableSpec) -> impl Iterator<Item = String> {
    let names = if spec.headings.is_empty() { &spec.measures } else { &spec.headings };
    names.iter().cloned()
}

fn reaction(row: &SensitivityRow, measure: &str) -> String {
    match row.scores.iter().find(|(name, _)| name == measure) {
        Some((_, score)) => format!("{score:.3}{}", Reaction::of(*score, row.share).sign()),
        None => MISSING.to_owned(),
    }
}

fn published<'s>(spec: &'s TableSpec, row: &str, fraction: f64) -> Option<&'s PublishedRow> {
    spec.published.iter().find(|published| published.row == row && published.fraction == Some(fraction))
}

fn published_cells(row: &PublishedRow) -> Vec<String> {
    let signs = row.signs.iter().map(String::as_str).chain(std::iter::repeat(""));
    let cells = row.values.iter().zip(signs).map(|(value, sign)| format!("{value:.3}{sign}"));
    std::iter::once(PAPER.to_owned()).chain(cells).collect()
}

/// The mean over the seeds.
fn mean(rows: &[&CellRow], measure: &str) -> String {
    let values: Vec<f64> = rows.iter().filter_map(|row| row.scores.get(measure).copied()).collect();
    match values.len() {
        0 => MISSING.to_owned(),
        n => format!("{:.3}", values.iter().sum::<f64>() / cast::float(n)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::charts::charts;
    use super::super::rows::StudyRow;
    use super::super::test_rows::cell_row;
    use super::*;

    fn study(result: StudyResult) -> Row {
        Row::Study(Box::new(StudyRow {
            experiment: "gek".to_owned(),
            scale: ModelScale::Smoke,
            hash: "s".to_owned(),
            benchmark: "dbnqa".to_owned(),
            benchmark_identity: "i".to_owned(),
            questions: 30,
            result,
            seconds: 1.0,
            tool_version: "0".to_owned(),
        }))
    }

    fn all_tables(rows: &[Row]) -> Vec<ExperimentTable> {
        tables(&Experiment::load("gek").unwrap(), ModelScale::Smoke, rows)
    }

    #[test]
    fn ours_stand_above_the_published_scores() {
        let rows = [
            cell_row("nspm", 0.5, 1, "a", 0.25),
            cell_row("nspm", 0.5, 2, "b", 0.75),
            cell_row("convs2s", 1.0, 1, "c", 0.4),
        ];
        let table = &all_tables(&rows)[3];
        let lines = &table.table.rows;
        // Five systems, two fractions at this scale, and the paper below each.
        assert_eq!(lines.len(), 20);
        assert_eq!(lines[0][0], "NSpM 50\u{a0}%");
        assert_eq!(lines[0][1..5], ["–", "–", "0.500", "0.500"]);
        assert_eq!(lines[1][0], "  paper");
        assert_eq!(lines[1][1..5], ["0.000", "0.019", "0.432", "0.371"]);
        assert!(
            table.notes[0].contains("seed 1, 2: 4 test questions; 100\u{a0}% are 10 training questions"),
            "{:?}",
            table.notes
        );
        let comparison = &all_tables(&rows)[4];
        assert_eq!(comparison.table.rows.len(), 10);
        assert_eq!(comparison.table.rows[6][0], "ConvS2S, by instance");
        assert_eq!(comparison.table.rows[7][0], "ConvS2S, by template");
        assert_eq!(comparison.table.rows[7][4], "0.400");
    }

    #[test]
    fn studies_are_shown_with_the_published_figures() {
        let scores = [("em_string", 0.9), ("em_answer", 1.0)].map(|(name, value)| (name.to_owned(), value));
        let reaction = SensitivityRow {
            degradation: Degradation::T3,
            share: 0.1,
            changed: 0.05,
            scores: scores.to_vec(),
        };
        let signs = |signs: [&str; 5]| signs.map(str::to_owned);
        let axioms = AxiomSigns {
            measure: "bleu".to_owned(),
            ours: signs(["◐", "○", "○", "◐", "●"]),
            published: Some(signs(["◐", "●", "○", "◐", "●"])),
            pairs: [1, 2, 3],
        };
        let queries = vec![("T0".to_owned(), "SELECT".to_owned()), ("T2".to_owned(), "ASK".to_owned())];
        let rows = [
            study(StudyResult::Sensitivity(vec![reaction])),
            study(StudyResult::Axioms(vec![axioms])),
            study(StudyResult::Transformations { question: "who?".to_owned(), queries }),
        ];
        let all = all_tables(&rows);
        assert_eq!(all[0].table.rows, [["bleu", "◐", "○ [●]", "○", "◐", "●"]]);
        assert_eq!(all[1].table.rows.len(), 8);
        assert_eq!(all[1].table.rows[4], ["T2", "● ○ ●", "ASK"]);
        assert!(all[1].table.rows[5][2].contains("dbr:Yorkshire_1"));
        assert_eq!(all[2].table.rows[0][..3], ["T3 10\u{a0}%", "0.900‡", "1.000"]);
        assert_eq!(all[2].table.rows[1][..4], ["  paper", "0.942‡", "1.000", "0.965†"]);
        assert!(all[2].notes[1].contains("50\u{a0}% could be replaced"), "{:?}", all[2].notes);
        // Without rows, tables say so.
        assert!(all_tables(&[]).iter().all(|table| !table.notes.is_empty()));
    }

    #[test]
    fn charts_have_ours_and_the_published_scores() {
        let rows = [cell_row("nspm", 0.5, 1, "a", 0.25), cell_row("nspm", 1.0, 1, "b", 0.75)];
        let charts = charts(&Experiment::load("gek").unwrap(), &rows);
        let bleu = charts.iter().find(|chart| chart.title == "BLEU inst.").unwrap();
        assert_eq!(bleu.lines[0].points, [(0.5, 0.25), (1.0, 0.75)]);
        assert!(bleu.lines[1].is_published && bleu.lines[1].points.len() == 4);
        let loss = charts.iter().find(|chart| chart.title.starts_with("Loss")).unwrap();
        assert_eq!(loss.lines[0].points, [(1.0, 3.0), (7.0, 1.0)]);
    }
}
