//! The page of an experiment: its tables, and learning curves as drawings.

use crate::line_chart::{LineChart, chart_key, line_chart};
use crate::page::page;
use maud::{Markup, html};
use touchstone_grade::table::{ScoreTable, TableFormat};

const STYLE: &str = include_str!("experiment.css");

/// What the page shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExperimentPage {
    /// The title.
    pub title: String,
    /// What it is, in sentences; each is a paragraph.
    pub about: Vec<String>,
    /// The tables.
    pub tables: Vec<PageTable>,
    /// The charts.
    pub charts: Vec<LineChart>,
}

/// A table with its title and notes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageTable {
    /// Its title.
    pub title: String,
    /// Its headings and rows. A row whose first cell begins with a blank belongs to the row above.
    pub table: ScoreTable,
    /// What must be known to read it.
    pub notes: Vec<String>,
}

/// The tables of an experiment as Markdown, under its title and what it is.
pub fn experiment_markdown(title: &str, about: &[String], tables: &[PageTable]) -> String {
    let mut text = format!("# {title}\n");
    let paragraph = |text: &mut String, paragraph: &str| text.push_str(&format!("\n{paragraph}\n"));
    about.iter().for_each(|about| paragraph(&mut text, about));
    for PageTable { title, table, notes } in tables {
        text.push_str(&format!("\n## {title}\n\n{}", table.write(TableFormat::Markdown)));
        notes.iter().for_each(|note| paragraph(&mut text, note));
    }
    text
}

/// The tables and curves of an experiment as one HTML page that needs nothing else.
pub fn experiment_page(shown: &ExperimentPage) -> String {
    let body = html! {
        header {
            h1 { (shown.title) }
            @for text in &shown.about { p { (text) } }
        }
        main {
            @for table in &shown.tables { section { h2 { (table.title) } (score_table(table)) } }
            @if !shown.charts.is_empty() {
                section {
                    h2 { "Learning curves" }
                    (chart_key(&shown.charts))
                    div.charts { @for chart in &shown.charts { (line_chart(chart)) } }
                }
            }
        }
    };
    page(&shown.title, STYLE, &body)
}

fn score_table(shown: &PageTable) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { @for heading in &shown.table.headings { th { (heading) } } } }
                @for row in &shown.table.rows {
                    tr.below[row.first().is_some_and(|cell| cell.starts_with(' '))] {
                        @for cell in row { td { (cell) } }
                    }
                }
            }
        }
        @for note in &shown.notes { p.small { (note) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line_chart::ChartLine;

    #[test]
    fn tables_and_charts_are_on_the_page() {
        let mut table = ScoreTable::new("", ["system", "bleu"]);
        table.add(["<NSpM>", "0.500"]);
        table.add(["  paper", "0.432"]);
        let line = |is_published| ChartLine {
            name: "NSpM".to_owned(),
            colour: 0,
            is_published,
            points: vec![(0.125, 0.5), (1.0, 0.25)],
        };
        let chart = LineChart {
            title: "BLEU".to_owned(),
            x: "share".to_owned(),
            y: "bleu".to_owned(),
            lines: vec![line(false), line(true)],
        };
        let html = experiment_page(&ExperimentPage {
            title: "gek".to_owned(),
            about: vec!["A study.".to_owned()],
            tables: vec![PageTable { title: "Table 4".to_owned(), table, notes: vec!["A note.".to_owned()] }],
            charts: vec![chart],
        });
        assert!(
            html.contains("&lt;NSpM&gt;") && html.contains("class=\"below\"") && html.contains("A note.")
        );
        assert_eq!(html.matches("<polyline").count(), 2, "{html}");
        assert!(html.contains("stroke-dasharray"));
        for foreign in ["http://", "https://", "<script", "<link"] {
            assert!(!html.replace("http://www.w3.org/", "").contains(foreign), "{foreign}");
        }
    }
}
