//! Tables of scores as Markdown, CSV and LaTeX, and checks as JUnit XML for continuous integration.

use crate::cast::whole;
use crate::shown::ShownMeasures;
use crate::statistics::Estimate;
use crate::summary::Summary;
use std::fmt::Write;
use touchstone_kb::counts::grouped;

/// The format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// GitHub's Markdown.
    Markdown,
    /// Comma-separated values (RFC 4180, but lines end with a line feed only), with full precision.
    Csv,
    /// LaTeX, with the rules of `booktabs`.
    Latex,
}

/// A format of scores for other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFormat {
    /// Tables, one after another.
    Tables(TableFormat),
    /// Checks as a test suite in JUnit XML.
    Junit,
}

impl ReportFormat {
    /// All formats, each with its name and what it is for.
    pub const NAMED: [(&'static str, &'static str, ReportFormat); 4] = [
        ("markdown", "For a comment or a page", ReportFormat::Tables(TableFormat::Markdown)),
        ("csv", "For a spreadsheet: numbers in full", ReportFormat::Tables(TableFormat::Csv)),
        ("latex", "For a paper, with the rules of booktabs", ReportFormat::Tables(TableFormat::Latex)),
        ("junit", "For continuous integration: what was checked, as tests", ReportFormat::Junit),
    ];
}

/// A table of texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScoreTable {
    /// Its caption.
    pub caption: String,
    /// The headings; the first column is text, the others are numbers.
    pub headings: Vec<String>,
    /// The rows; short ones are padded.
    pub rows: Vec<Vec<String>>,
}

impl ScoreTable {
    /// A table without rows.
    pub fn new<S: Into<String>>(caption: &str, headings: impl IntoIterator<Item = S>) -> ScoreTable {
        let headings = headings.into_iter().map(Into::into).collect();
        ScoreTable { caption: caption.to_owned(), headings, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn add<S: Into<String>>(&mut self, row: impl IntoIterator<Item = S>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }

    /// The table as text.
    pub fn write(&self, format: TableFormat) -> String {
        match format {
            TableFormat::Markdown => self.markdown(),
            TableFormat::Csv => self.csv(),
            TableFormat::Latex => self.latex(),
        }
    }

    fn cells<'r>(&'r self, row: &'r [String]) -> impl Iterator<Item = &'r str> {
        (0..self.headings.len()).map(|at| row.get(at).map_or("", String::as_str))
    }

    fn markdown(&self) -> String {
        let line = |cells: &mut dyn Iterator<Item = String>| {
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let escaped = |cell: &str| cell.replace('\\', "\\\\").replace('|', "\\|").replace('\n', " ");
        let mut out = String::new();
        if !self.caption.is_empty() {
            let _ = writeln!(out, "**{}**\n", escaped(&self.caption));
        }
        out += &line(&mut self.headings.iter().map(|heading| escaped(heading)));
        out += &line(&mut (0..self.headings.len()).map(|at| if at == 0 { "---" } else { "---:" }.to_owned()));
        for row in &self.rows {
            out += &line(&mut self.cells(row).map(escaped));
        }
        out
    }

    fn csv(&self) -> String {
        let field = |cell: &str| {
            if cell.contains([',', '"', '\n', '\r']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.to_owned()
            }
        };
        let line = |cells: &mut dyn Iterator<Item = String>| cells.collect::<Vec<_>>().join(",") + "\n";
        let mut out = line(&mut self.headings.iter().map(|heading| field(heading)));
        for row in &self.rows {
            out += &line(&mut self.cells(row).map(field));
        }
        out
    }

    fn latex(&self) -> String {
        let line = |cells: &mut dyn Iterator<Item = String>| {
            format!("    {} \\\\\n", cells.collect::<Vec<_>>().join(" & "))
        };
        let columns = "r".repeat(self.headings.len().saturating_sub(1));
        let mut out = "% needs \\usepackage{booktabs}\n\\begin{table}\n  \\centering\n".to_owned();
        if !self.caption.is_empty() {
            let _ = writeln!(out, "  \\caption{{{}}}", latex_text(&self.caption));
        }
        let _ = writeln!(out, "  \\begin{{tabular}}{{l{columns}}}\n    \\toprule");
        out += &line(&mut self.headings.iter().map(|heading| latex_text(heading)));
        out += "    \\midrule\n";
        for row in &self.rows {
            out += &line(&mut self.cells(row).map(latex_text));
        }
        out += "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n";
        out
    }
}

/// Several tables, one after another.
pub fn write_all(tables: &[ScoreTable], format: TableFormat) -> String {
    tables.iter().map(|table| table.write(format)).collect::<Vec<_>>().join("\n")
}

fn latex_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', character]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '–' => out.push_str("--"),
            '·' => out.push_str("\\textperiodcentered{}"),
            '\n' => out.push(' '),
            _ => out.push(character),
        }
    }
    out
}

/// A check of a requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was checked.
    pub name: String,
    /// The result.
    pub found: String,
    /// The failure, if any.
    pub failure: Option<String>,
}

/// Checks as a test suite in JUnit XML.
pub fn junit(suite: &str, checks: &[Check]) -> String {
    let failures = checks.iter().filter(|check| check.failure.is_some()).count();
    let name = xml_text(suite);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{failures}\">\n",
        checks.len()
    );
    for check in checks {
        let _ = writeln!(out, "    <testcase classname=\"{name}\" name=\"{}\">", xml_text(&check.name));
        if let Some(failure) = &check.failure {
            let _ = writeln!(out, "      <failure message=\"{}\"/>", xml_text(failure));
        }
        let _ = writeln!(out, "      <system-out>{}</system-out>\n    </testcase>", xml_text(&check.found));
    }
    out + "  </testsuite>\n</testsuites>\n"
}

fn xml_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            // XML cannot represent the other control characters.
            _ if character.is_control() => out.push('\u{fffd}'),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(character),
        }
    }
    out
}

fn three(value: f64) -> String {
    format!("{value:.3}")
}

/// The scores over all questions.
pub fn scores(summary: &Summary, shown: &[&str]) -> ScoreTable {
    let mut table =
        ScoreTable::new(&summary.about.benchmark, ["measure", "all", "95 % interval", "n", "answered"]);
    for name in shown {
        let Some(score) = summary.measures.get(*name) else { continue };
        table.add([
            (*name).to_owned(),
            three(score.all.mean),
            format!("{} to {}", three(score.all.low), three(score.all.high)),
            grouped(score.all.n),
            score.answered.map_or(String::new(), |answered| three(answered.mean)),
        ]);
    }
    if let Some(bleu) = summary.corpus_bleu.filter(|_| shown.contains(&"bleu")) {
        table.add(["bleu (corpus)".to_owned(), three(bleu)]);
    }
    table
}

/// A table for each facet, the largest groups first.
pub fn by_facet(summary: &Summary, shown: &[String]) -> Vec<ScoreTable> {
    let columns: Vec<&str> =
        shown.iter().map(String::as_str).filter(|name| summary.measures.contains_key(*name)).collect();
    let mut tables = Vec::new();
    for (facet, cells) in &summary.by {
        let headings = [facet.as_str(), "n"].into_iter().chain(columns.iter().copied());
        let mut table = ScoreTable::new("", headings.chain(["95 % of f1"]));
        let mut rows: Vec<_> = cells.iter().collect();
        rows.sort_by_key(|(_, cell)| std::cmp::Reverse(cell.n));
        for (value, cell) in rows {
            let mut row = vec![value.clone(), grouped(cell.n)];
            row.extend(
                columns.iter().map(|name| cell.measures.get(*name).map_or(String::new(), |e| three(e.mean))),
            );
            let interval = cell.measures.get("f1").map(|e| format!("{:.2}–{:.2}", e.low, e.high));
            row.push(interval.unwrap_or_default());
            table.add(row);
        }
        tables.push(table);
    }
    tables
}

/// The scores, then each facet unless it is to be `brief`, then the cost of predictions as far as it is known.
fn of_summary(summary: &Summary, shown: &ShownMeasures, brief: bool) -> Vec<ScoreTable> {
    let facets = if brief { Vec::new() } else { by_facet(summary, &shown.by_facet) };
    [scores(summary, &shown.all())].into_iter().chain(facets).chain(usage(summary)).collect()
}

/// The scores of a run for other programs: CSV has one table with everything, JUnit the checks.
pub fn write_summary(
    summary: &Summary,
    shown: &ShownMeasures,
    brief: bool,
    checks: &[Check],
    format: ReportFormat,
) -> String {
    match format {
        ReportFormat::Tables(TableFormat::Csv) => tidy(summary, &shown.all()).write(TableFormat::Csv),
        ReportFormat::Tables(format) => write_all(&of_summary(summary, shown, brief), format),
        ReportFormat::Junit => junit(&summary.about.benchmark, checks),
    }
}

/// The cost of predictions; `None` if nothing is known.
pub fn usage(summary: &Summary) -> Option<ScoreTable> {
    let mut table = ScoreTable::new("", ["per question", "mean", "median", "95 %", "total", "n"]);
    for (name, spread) in summary.usage?.rows() {
        let numbers = [spread.mean, spread.median, spread.p95, spread.total].map(quantity);
        table.add([name.to_owned()].into_iter().chain(numbers).chain([grouped(spread.n)]));
    }
    Some(table)
}

/// A number with at most four significant digits, large ones in full.
pub fn quantity(value: f64) -> String {
    if value >= 1000.0 {
        return grouped(whole(value.round()));
    }
    let text = match value {
        v if v >= 100.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v => format!("{v:.6}"),
    };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() { "0".to_owned() } else { text.to_owned() }
}

/// All scores in one table: one row per facet, value and measure, with full precision. The facet of all questions is `all`.
pub fn tidy(summary: &Summary, shown: &[&str]) -> ScoreTable {
    let mut table = ScoreTable::new("", ["facet", "value", "measure", "mean", "low", "high", "n"]);
    let mut add = |facet: &str, value: &str, measure: &str, estimate: &Estimate| {
        let Estimate { n, mean, low, high } = estimate;
        table.add([
            facet.to_owned(),
            value.to_owned(),
            measure.to_owned(),
            mean.to_string(),
            low.to_string(),
            high.to_string(),
            n.to_string(),
        ]);
    };
    for name in shown {
        if let Some(score) = summary.measures.get(*name) {
            add("all", "", name, &score.all);
        }
    }
    for (facet, cells) in &summary.by {
        for (value, cell) in cells {
            for name in shown {
                if let Some(estimate) = cell.measures.get(*name) {
                    add(facet, value, name, estimate);
                }
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> ScoreTable {
        let mut table = ScoreTable::new("F1 & co", ["run", "f1"]);
        table.add(["a|b, \"c\"_1", "0.5"]);
        table.add(["short"]);
        table
    }

    #[test]
    fn every_format_keeps_its_rows_apart() {
        assert_eq!(
            table().write(TableFormat::Markdown),
            "**F1 & co**\n\n| run | f1 |\n| --- | ---: |\n| a\\|b, \"c\"_1 | 0.5 |\n| short |  |\n"
        );
        assert_eq!(table().write(TableFormat::Csv), "run,f1\n\"a|b, \"\"c\"\"_1\",0.5\nshort,\n");
        let latex = table().write(TableFormat::Latex);
        assert!(latex.contains("\\caption{F1 \\& co}") && latex.contains("\\begin{tabular}{lr}"), "{latex}");
        assert!(latex.contains("    a|b, \"c\"\\_1 & 0.5 \\\\\n    short &  \\\\\n"), "{latex}");
    }

    #[test]
    fn quantities_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.000_001_5, "0.000002"),
            (0.25, "0.25"),
            (12.0, "12"),
            (12.345, "12.35"),
            (123.45, "123.5"),
            (123_456.7, "123,457"),
        ] {
            assert_eq!(quantity(value), text);
        }
    }

    #[test]
    fn junit_counts_failures_and_escapes() {
        let check = |name: &str, failure: Option<&str>| Check {
            name: name.to_owned(),
            found: "f1 < 1\u{7}".to_owned(),
            failure: failure.map(str::to_owned),
        };
        let xml = junit("bench \"a\"", &[check("f1", None), check("em", Some("0.1 < 0.6 & \"bad\""))]);
        assert!(xml.contains("<testsuite name=\"bench &quot;a&quot;\" tests=\"2\" failures=\"1\">"), "{xml}");
        assert!(xml.contains("<failure message=\"0.1 &lt; 0.6 &amp; &quot;bad&quot;\"/>"), "{xml}");
        assert!(xml.contains("<system-out>f1 &lt; 1\u{fffd}</system-out>"), "{xml}");
        assert_eq!(xml.matches("<testcase").count(), xml.matches("</testcase>").count());
    }
}
