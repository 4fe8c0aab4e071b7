//! Tables of scores for other programs: Markdown, CSV, LaTeX; and checks in JUnit's XML, which continuous integration reads.

use crate::statistics::Estimate;
use crate::summary::Summary;
use std::fmt::Write;

/// How tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// GitHub's Markdown.
    Markdown,
    /// Comma-separated values (RFC 4180), numbers in full.
    Csv,
    /// LaTeX, with the rules of `booktabs`.
    Latex,
}

/// A table of texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The headings; the first column is text, the others are numbers.
    pub headings: Vec<String>,
    /// The rows; short ones are filled up.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Without rows.
    pub fn new<S: Into<String>>(caption: &str, headings: impl IntoIterator<Item = S>) -> Table {
        let headings = headings.into_iter().map(Into::into).collect();
        Table { caption: caption.to_owned(), headings, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn add<S: Into<String>>(&mut self, row: impl IntoIterator<Item = S>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }

    /// As text.
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
        let field = |cell: &str| match cell.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.to_owned(),
        };
        let line = |cells: &mut dyn Iterator<Item = String>| cells.collect::<Vec<_>>().join(",") + "\r\n";
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
        let mut out = format!("% needs \\usepackage{{booktabs}}\n\\begin{{table}}\n  \\centering\n");
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

/// Several tables, one after the other.
pub fn write_all(tables: &[Table], format: TableFormat) -> String {
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

/// Something that was demanded of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was checked.
    pub name: String,
    /// What was found.
    pub found: String,
    /// Why it failed, if it did.
    pub failure: Option<String>,
}

/// Checks as a test suite in JUnit's XML.
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
            // XML has no way to write the other control characters.
            _ if character.is_control() => out.push('\u{fffd}'),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(character),
        }
    }
    out
}

/// All scores in one table: a row for each facet, value and measure, with numbers in full. The facet of all questions is `all`.
pub fn tidy(summary: &Summary, shown: &[&str]) -> Table {
    let mut table = Table::new("", ["facet", "value", "measure", "mean", "low", "high", "n"]);
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

    fn table() -> Table {
        let mut table = Table::new("F1 & co", ["run", "f1"]);
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
        assert_eq!(
            table().write(TableFormat::Csv),
            "run,f1\r\n\"a|b, \"\"c\"\"_1\",0.5\r\nshort,\r\n"
        );
        let latex = table().write(TableFormat::Latex);
        assert!(latex.contains("\\caption{F1 \\& co}") && latex.contains("\\begin{tabular}{lr}"), "{latex}");
        assert!(latex.contains("    a|b, \"c\"\\_1 & 0.5 \\\\\n    short &  \\\\\n"), "{latex}");
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
