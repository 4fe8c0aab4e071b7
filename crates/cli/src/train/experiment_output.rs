//! What an experiment leaves besides its rows: the tables as Markdown, and the page with learning curves.

use crate::output::{self, shown, write_file};
use anyhow::Result;
use serde::Serialize;
use std::path::Path;
use touchstone_kb::output::OutputFile;
use touchstone_models::experiment::{
    Chart, Experiment, ExperimentConfig, ExperimentState, ExperimentTable, Row, charts, tables,
};
use touchstone_studio::{
    ChartLine, ExperimentPage, LineChart, PageTable, experiment_markdown, experiment_page,
};
use touchstone_train::settings::ModelScale;

/// The files beside the rows, reserved before the work.
pub(super) struct Outputs {
    page: OutputFile,
    tables: OutputFile,
}

impl Outputs {
    pub(super) fn reserve(folder: &Path, force: bool) -> Result<Outputs> {
        std::fs::create_dir_all(folder)?;
        Ok(Outputs {
            page: output::file(&folder.join("experiment.html"), force)?,
            tables: output::file(&folder.join("tables.md"), force)?,
        })
    }

    pub(super) fn write(self, config: &ExperimentConfig<'_>, state: &ExperimentState) -> Result<()> {
        let Experiment { title, name, source, description, .. } = &config.experiment;
        let title = if title.is_empty() { name } else { title };
        let mut about = vec![source.clone(), description.clone()];
        about.retain(|text| !text.is_empty());
        let tables = tables(&config.experiment, config.scale, &state.rows);
        let tables: Vec<PageTable> = tables.into_iter().map(page_table).collect();
        write_file(self.tables, experiment_markdown(title, &about, &tables).as_bytes())?;
        about.push(progress(config, state));
        let charts = charts(&config.experiment, &state.rows).into_iter().map(line_chart).collect();
        let page = ExperimentPage { title: title.clone(), about, tables, charts };
        write_file(self.page, experiment_page(&page).as_bytes())
    }
}

/// How much of the experiment there is.
fn progress(config: &ExperimentConfig<'_>, state: &ExperimentState) -> String {
    let all = state.plan.cells.len();
    format!("Scale `{}`: {} of {all} cells are finished.", config.scale, all - state.missing)
}

fn page_table(table: ExperimentTable) -> PageTable {
    PageTable { title: table.title, table: table.table, notes: table.notes }
}

fn line_chart(chart: Chart) -> LineChart {
    let line = |line: touchstone_models::experiment::ChartSeries| ChartLine {
        name: line.name,
        colour: line.colour,
        is_published: line.is_published,
        points: line.points,
    };
    LineChart {
        title: chart.title,
        x: chart.x,
        y: chart.y,
        lines: chart.lines.into_iter().map(line).collect(),
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Json<'j> {
    experiment: &'j str,
    scale: ModelScale,
    cells: usize,
    missing: usize,
    failed: usize,
    rows: &'j [Row],
    tables: &'j [ExperimentTable],
}

/// Prints the tables, or everything as JSON.
pub(super) fn show(config: &ExperimentConfig<'_>, state: &ExperimentState, json: bool) -> Result<()> {
    let tables = tables(&config.experiment, config.scale, &state.rows);
    if json {
        return output::json(&Json {
            experiment: &config.experiment.name,
            scale: config.scale,
            cells: state.plan.cells.len(),
            missing: state.missing,
            failed: state.failed,
            rows: &state.rows,
            tables: &tables,
        });
    }
    for (at, table) in tables.iter().enumerate() {
        say!("{}{}", if at == 0 { "" } else { "\n" }, table.title)?;
        output::text(shown(&table.table, usize::MAX))?;
        table.notes.iter().try_for_each(|note| output::prose(note))?;
    }
    Ok(())
}
