//! The tables and figures of a benchmark as one HTML file that needs nothing else.

use crate::stats::{self, SPLITS};
use std::collections::BTreeMap;
use std::fmt::Write;
use touchstone_benchmark::linguistic::tokens;
use touchstone_benchmark::package::Benchmark;
use touchstone_engine::budget::grouped;
use touchstone_logic::graph::svg;
use touchstone_logic::{QueryGraph, Symbol};

/// Maximum number of rows of a table to show.
const ROWS: usize = 30;

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1f2328; --soft: #6b7480; --line: #d5d9df; --train: #5b8def; --dev: #f0a33c; --test: #3fa66b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7eb; --soft: #9aa3ad; --line: #3a414a; } body { background: #14171a; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
p, .soft { color: var(--soft); } table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: middle; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)); gap: 0 2.5rem; }
.key i { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1em; border-radius: 2px; }
text { fill: currentColor; font: 11px system-ui, sans-serif; } .shape svg { height: 64px; width: auto; max-width: 12rem; }
";

/// Writes the report.
pub fn html(benchmark: &Benchmark) -> String {
    let manifest = &benchmark.manifest;
    let mut out = String::new();
    let _ = write!(
        out,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{name}</title><style>{STYLE}</style></head><body><h1>{name}</h1><p>{description}</p>",
        name = escaped(&manifest.name),
        description = escaped(&manifest.description),
    );
    let kb = &manifest.kb;
    let _ = write!(
        out,
        "<p class=\"key\">{} questions on {} <span title=\"{}\">({})</span>, made by touchstone {}.\
         <i style=\"background:var(--train)\"></i>train<i style=\"background:var(--dev)\"></i>dev\
         <i style=\"background:var(--test)\"></i>test</p>",
        grouped(benchmark.questions.len() as u64),
        escaped(if kb.name.is_empty() { "an unknown KB" } else { &kb.name }),
        escaped(&kb.fingerprint),
        escaped(kb.fingerprint.get(..12).unwrap_or("no fingerprint")),
        escaped(&manifest.tool_version),
    );
    shapes(&mut out, benchmark);
    out.push_str("<div class=\"columns\">");
    for table in stats::tables(benchmark).iter().filter(|table| table.name != "shape") {
        let _ = write!(out, "<section><h2>{}</h2>", escaped(&capital(table.name)));
        bars(&mut out, &table.rows);
        out.push_str("</section>");
    }
    out.push_str("</div><h2>First words</h2>");
    sunburst(&mut out, benchmark);
    out.push_str("<h2>Language</h2><table><tr><th>measure</th>");
    for split in SPLITS {
        let _ = write!(out, "<th class=\"n\">{split}</th>");
    }
    out.push_str("</tr>");
    for (name, means) in stats::means(benchmark) {
        let _ = write!(out, "<tr><td>{}</td>", escaped(name));
        for mean in means {
            let _ = match mean {
                Some(mean) => write!(out, "<td class=\"n\">{:.1} ({:.1})</td>", mean.mean, mean.deviation),
                None => write!(out, "<td class=\"n\">-</td>"),
            };
        }
        out.push_str("</tr>");
    }
    out.push_str("</table><p>Means with standard deviations. Words and reading ease are counted as in the GrailQA++ paper.</p>");
    if !manifest.unfilled.is_empty() {
        out.push_str("<h2>What the knowledge base could not give</h2><table><tr><th>kind</th><th>level</th><th class=\"n\">wanted</th><th class=\"n\">made</th><th>most frequent reason</th></tr>");
        for cell in &manifest.unfilled {
            let _ = write!(
                out,
                "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
                escaped(&cell.kind),
                escaped(&cell.level),
                grouped(cell.wanted as u64),
                grouped(cell.made as u64),
                escaped(&cell.reason)
            );
        }
        out.push_str("</table>");
    }
    out.push_str("</body></html>\n");
    out
}

/// The shapes with drawings, as in Tables 1 and 7 of the GrailQA++ paper.
fn shapes(out: &mut String, benchmark: &Benchmark) {
    let mut drawings: BTreeMap<String, String> = BTreeMap::new();
    for question in &benchmark.questions {
        let name = question.alias.as_ref().unwrap_or(&question.shape);
        if !drawings.contains_key(name) {
            let mut graph: QueryGraph = (&question.graph).into();
            graph.vertices.iter_mut().for_each(|vertex| {
                vertex.label = Symbol::default();
                vertex.note = Symbol::default();
            });
            graph.edges.iter_mut().for_each(|edge| edge.label = Symbol::default());
            drawings.insert(name.clone(), svg(&graph));
        }
    }
    let tables = stats::tables(benchmark);
    let Some(table) = tables.iter().find(|table| table.name == "shape") else { return };
    out.push_str("<h2>Shapes</h2><table><tr><th>shape</th><th></th>");
    for split in SPLITS {
        let _ = write!(out, "<th class=\"n\">{split}</th>");
    }
    out.push_str("<th class=\"n\">all</th><th></th></tr>");
    let largest = largest(&table.rows);
    for (name, numbers) in table.rows.iter().take(ROWS) {
        let drawing = drawings.get(name).map_or("", String::as_str);
        let _ = write!(out, "<tr><td>{}</td><td class=\"shape\">{drawing}</td>", escaped(name));
        for number in numbers.iter().chain([&numbers.iter().sum::<u64>()]) {
            let _ = write!(out, "<td class=\"n\">{}</td>", grouped(*number));
        }
        let _ = write!(out, "<td>{}</td></tr>", bar(numbers, largest, 200.0));
    }
    out.push_str("</table>");
    more(out, table.rows.len());
}

fn largest(rows: &[(String, [u64; 3])]) -> u64 {
    rows.iter().map(|(_, numbers)| numbers.iter().sum()).max().unwrap_or(1)
}

fn bars(out: &mut String, rows: &[(String, [u64; 3])]) {
    let largest = largest(rows);
    out.push_str("<table>");
    for (name, numbers) in rows.iter().take(ROWS) {
        let sum: u64 = numbers.iter().sum();
        let shown: String = name.trim().chars().take(60).collect();
        let _ = write!(
            out,
            "<tr><td>{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
            escaped(&shown),
            grouped(sum),
            bar(numbers, largest, 160.0)
        );
    }
    out.push_str("</table>");
    more(out, rows.len());
}

fn more(out: &mut String, rows: usize) {
    if rows > ROWS {
        let _ = write!(out, "<p>and {} more</p>", rows - ROWS);
    }
}

/// The numbers of the three splits, one behind the other.
fn bar(numbers: &[u64; 3], largest: u64, width: f64) -> String {
    let mut out = format!("<svg width=\"{width}\" height=\"12\" role=\"img\">");
    let mut at = 0.0;
    for (number, split) in numbers.iter().zip(SPLITS) {
        let length = width * *number as f64 / largest.max(1) as f64;
        if *number > 0 {
            let _ = write!(
                out,
                "<rect x=\"{at:.1}\" width=\"{length:.1}\" height=\"12\" style=\"fill:var(--{split})\"><title>{split}: {}</title></rect>",
                grouped(*number)
            );
        }
        at += length;
    }
    out + "</svg>"
}

/// A node of the tree of first words.
#[derive(Default)]
struct Words {
    count: u64,
    next: BTreeMap<String, Words>,
}

const RING: f64 = 78.0;
const RINGS: usize = 4;

/// Rings of first, second, third and fourth words.
fn sunburst(out: &mut String, benchmark: &Benchmark) {
    let mut root = Words::default();
    for question in &benchmark.questions {
        let mut at = &mut root;
        at.count += 1;
        for word in tokens(&question.question).into_iter().take(RINGS) {
            at = at.next.entry(word.to_lowercase()).or_default();
            at.count += 1;
        }
    }
    let size = 2.0 * RING * (RINGS as f64 + 0.4);
    let _ = write!(
        out,
        "<svg width=\"{size:.0}\" height=\"{size:.0}\" viewBox=\"{0:.0} {0:.0} {size:.0} {size:.0}\" role=\"img\" style=\"max-width:100%\">",
        -size / 2.0
    );
    slices(out, &root, 0, (0.0, std::f64::consts::TAU), root.count, 0);
    out.push_str("</svg>");
}

fn slices(out: &mut String, words: &Words, depth: usize, (start, end): (f64, f64), all: u64, hue: usize) {
    let mut by_count: Vec<(&String, &Words)> = words.next.iter().collect();
    by_count.sort_by_key(|(word, words)| (std::cmp::Reverse(words.count), *word));
    let mut from = start;
    for (number, (word, below)) in by_count.into_iter().enumerate() {
        let to = from + (end - start) * below.count as f64 / words.count.max(1) as f64;
        // Thinner slices cannot be seen.
        if to - from < 0.012 {
            break;
        }
        let hue = if depth == 0 { number * 47 % 360 } else { hue };
        slice(out, word, below.count as f64 / all.max(1) as f64, depth, (from, to), hue);
        if depth + 1 < RINGS {
            slices(out, below, depth + 1, (from, to), all, hue);
        }
        from = to;
    }
}

fn slice(out: &mut String, word: &str, share: f64, depth: usize, (from, to): (f64, f64), hue: usize) {
    let (inner, outer) = (RING * (depth as f64 + 0.35), RING * (depth as f64 + 1.35));
    // A whole ring would start and end at one point, and be nothing.
    let to = to.min(from + std::f64::consts::TAU - 1e-4);
    let point = |radius: f64, angle: f64| (radius * angle.sin(), -radius * angle.cos());
    let ((x0, y0), (x1, y1)) = (point(inner, from), point(outer, from));
    let ((x2, y2), (x3, y3)) = (point(outer, to), point(inner, to));
    let large = u8::from(to - from > std::f64::consts::PI);
    let light = 62 + 7 * depth;
    let _ = write!(
        out,
        "<path d=\"M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}A{outer:.1} {outer:.1} 0 {large} 1 {x2:.1} {y2:.1}L{x3:.1} {y3:.1}\
         A{inner:.1} {inner:.1} 0 {large} 0 {x0:.1} {y0:.1}Z\" style=\"fill:hsl({hue} 55% {light}%);stroke:#fff\">\
         <title>{}: {:.1} %</title></path>",
        escaped(word),
        share * 100.0
    );
    let middle = f64::midpoint(from, to);
    let radius = f64::midpoint(inner, outer);
    // The text stands along the radius, so its height has to fit.
    if (to - from) * radius > 13.0 && word.chars().count() <= 12 {
        let (x, y) = point(radius, middle);
        let degrees = middle.to_degrees() - 90.0;
        let degrees = if middle > std::f64::consts::PI { degrees + 180.0 } else { degrees };
        let _ = write!(
            out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" transform=\"rotate({degrees:.1} {x:.1} {y:.1})\" text-anchor=\"middle\" \
             dominant-baseline=\"central\" style=\"fill:#1f2328\">{}</text>",
            escaped(word)
        );
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// Text that cannot be taken for markup.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(escaped("<b a=\"1\">'&"), "&lt;b a=&quot;1&quot;&gt;&#39;&amp;");
        assert_eq!((grouped(7), grouped(1234567)), ("7".to_owned(), "1,234,567".to_owned()));
    }
}
