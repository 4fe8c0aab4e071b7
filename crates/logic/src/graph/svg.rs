//! Drawings of query graphs as SVG: one element that can stand in a page or in a file of its own.
//!
//! The answer is green, constraints are red rectangles, variables are white; arrows point as the facts do. Every label
//! has its full text as a tooltip. There is no background, and the colours are readable on light and on dark ones.
//! There are no styles, scripts, ids or references either, so drawings do not disturb each other or the page.

use super::layout::{Layout, Place, Route, Size, lay_out};
use super::query_graph::{Edge, QueryGraph, Vertex, is_disturbing};
use std::fmt::Write;

const MARGIN: f64 = 12.0;
/// The font sizes of vertices, of notes below them and of relations.
const VERTEX_FONT: f64 = 13.0;
const NOTE_FONT: f64 = 11.0;
const RELATION_FONT: f64 = 11.0;
/// Maximum number of characters of a label; longer ones are shortened.
const LONGEST_VERTEX: usize = 26;
const LONGEST_NOTE: usize = 24;
const LONGEST_RELATION: usize = 30;
/// The length and half the height of an arrowhead.
const ARROW: (f64, f64) = (9.0, 4.0);
/// Legible on white and on black.
const LINE: &str = "#7d858f";

/// How a kind of vertex is drawn.
struct Look {
    kind: &'static str,
    fill: &'static str,
    stroke: &'static str,
    stroke_width: f64,
    is_round: bool,
}

const ANSWER: Look =
    Look { kind: "answer", fill: "#c9efd4", stroke: "#1a7f37", stroke_width: 2.5, is_round: true };
const CONSTRAINT: Look =
    Look { kind: "constraint", fill: "#ffdcd8", stroke: "#c0392b", stroke_width: 1.5, is_round: false };
const VARIABLE: Look =
    Look { kind: "variable", fill: "#ffffff", stroke: "#7d858f", stroke_width: 1.5, is_round: true };

/// Draws a graph as an `<svg>` element.
pub fn svg(graph: &QueryGraph) -> String {
    let boxes: Vec<Size> = (0..graph.vertices.len()).map(|v| box_size(graph, v)).collect();
    let labels: Vec<Size> = graph.edges.iter().map(relation_size).collect();
    let layout = lay_out(graph, &boxes, &labels);
    let mut out = Writer { out: String::new() };
    out.graph(graph, &layout);
    out.out
}

fn look(graph: &QueryGraph, v: usize) -> &'static Look {
    if v == graph.root {
        &ANSWER
    } else if graph.vertices[v].grounded {
        &CONSTRAINT
    } else {
        &VARIABLE
    }
}

/// What stands in the box of a vertex.
fn vertex_text(look: &Look, vertex: &Vertex) -> String {
    match (vertex.label.is_empty(), look.kind) {
        (false, _) => shortened(&vertex.label, LONGEST_VERTEX),
        (true, "answer") => "answer".to_owned(),
        (true, "variable") => "?".to_owned(),
        (true, _) => "\"\"".to_owned(),
    }
}

fn box_size(graph: &QueryGraph, v: usize) -> Size {
    let vertex = &graph.vertices[v];
    let text = text_width(&vertex_text(look(graph, v), vertex), VERTEX_FONT);
    let note = text_width(&shortened(&vertex.note, LONGEST_NOTE), NOTE_FONT);
    let height = if vertex.note.is_empty() { 30.0 } else { 44.0 };
    Size { width: (text.max(note) + 24.0).max(40.0), height }
}

fn relation_size(edge: &Edge) -> Size {
    let text = relation_text(&edge.label);
    if text.is_empty() {
        return Size { width: 12.0, height: 12.0 };
    }
    Size { width: text_width(&text, RELATION_FONT) + 12.0, height: 18.0 }
}

/// The end of a relation's name: the last two parts of a dotted name, the last part of an IRI.
fn relation_text(label: &str) -> String {
    let is_one_word = !label.contains(char::is_whitespace);
    let end = if label.contains("://") && is_one_word {
        label.trim_end_matches(['/', '#']).rsplit(['/', '#']).next().unwrap_or(label)
    } else if is_one_word {
        let second_dot = label.rmatch_indices('.').nth(1);
        second_dot.map_or(label, |(at, _)| &label[at + 1..])
    } else {
        label
    };
    shortened(end, LONGEST_RELATION)
}

/// The beginning and the end of a long text: names differ at the end as often as at the beginning.
fn shortened(text: &str, longest: usize) -> String {
    let count = text.chars().count();
    if count <= longest {
        return text.to_owned();
    }
    let end = (longest - 1) * 2 / 5;
    let start: String = text.chars().take(longest - 1 - end).collect();
    let end: String = text.chars().skip(count - end).collect();
    format!("{}…{}", start.trim_end(), end.trim_start())
}

/// About how wide a text will be, whatever the font; rather too much than too little.
fn text_width(text: &str, font: f64) -> f64 {
    let width = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.36,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' | '"' => 0.44,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 0.98,
        'A'..='Z' | '<' | '>' | '=' | '+' | '~' | '#' | '≤' | '≥' => 0.78,
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ffef}' => 1.0,
        '\u{1f000}'.. => 1.3,
        _ => 0.64,
    };
    text.chars().map(width).sum::<f64>() * font
}

struct Writer {
    out: String,
}

impl Writer {
    /// Writing to memory does not fail.
    fn put(&mut self, arguments: std::fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(arguments);
    }

    fn graph(&mut self, graph: &QueryGraph, layout: &Layout) {
        let (width, height) = (layout.size.width + 2.0 * MARGIN, layout.size.height + 2.0 * MARGIN);
        let (width, height) = (width.ceil(), height.ceil());
        self.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"query graph, {} vertices, {} relations\" \
             font-family=\"'DejaVu Sans', Verdana, Helvetica, Arial, sans-serif\" text-anchor=\"middle\">\n\
             <g transform=\"translate({MARGIN} {MARGIN})\">\n",
            graph.vertices.len(),
            graph.edges.len(),
        ));
        // Lines first: boxes and labels lie on them.
        let routes = || {
            graph.edges.iter().zip(&layout.routes).filter_map(|(edge, route)| Some((edge, route.as_ref()?)))
        };
        self.put(format_args!("<g fill=\"none\" stroke=\"{LINE}\" stroke-width=\"1.5\">\n"));
        routes().for_each(|(_, route)| self.line(route));
        self.put(format_args!("</g>\n<g fill=\"{LINE}\">\n"));
        routes().for_each(|(_, route)| self.arrow(route));
        self.put(format_args!("</g>\n<g font-size=\"{RELATION_FONT}\">\n"));
        routes().for_each(|(edge, route)| self.relation(edge, &route.label));
        self.put(format_args!("</g>\n<g font-size=\"{VERTEX_FONT}\">\n"));
        for (v, place) in layout.vertices.iter().enumerate() {
            self.vertex(&graph.vertices[v], look(graph, v), place);
        }
        self.put(format_args!("</g>\n</g>\n</svg>\n"));
    }

    fn line(&mut self, route: &Route) {
        let (near, far) = (&route.near, &route.far);
        let (left, right) = route.label_column;
        let (near_y, far_y, y) = (num(near.y), num(far.y), num(route.label.y));
        let (near_leave, far_leave) = (num(near.leave), num(far.leave));
        // The line ends inside the arrowhead, not at its tip.
        let back = ARROW.0 - 2.0;
        let start = num(if route.forward { near.touch } else { near.touch + back });
        if let Some(turn) = route.turn {
            let end = num(if route.forward { far.touch + back } else { far.touch });
            let (turn, left) = (num(turn), num(left));
            self.put(format_args!(
                "<path d=\"M{start} {near_y}H{near_leave}C{turn} {near_y} {turn} {near_y} {turn} {y}"
            ));
            self.put(format_args!(
                "C{turn} {far_y} {turn} {far_y} {far_leave} {far_y}H{end}M{turn} {y}H{left}\"/>\n"
            ));
        } else {
            let end = num(if route.forward { far.touch - back } else { far.touch });
            let (bend, next_bend) = (num((near.leave + left) / 2.0), num((right + far.leave) / 2.0));
            let (left, right) = (num(left), num(right));
            self.put(format_args!(
                "<path d=\"M{start} {near_y}H{near_leave}C{bend} {near_y} {bend} {y} {left} {y}"
            ));
            self.put(format_args!(
                "H{right}C{next_bend} {y} {next_bend} {far_y} {far_leave} {far_y}H{end}\"/>\n"
            ));
        }
    }

    /// Lines arrive level, so an arrowhead points left or right.
    fn arrow(&mut self, route: &Route) {
        let (tip, points_right) = match (route.forward, route.turn.is_some()) {
            (true, false) => (&route.far, true),
            (true, true) => (&route.far, false),
            (false, _) => (&route.near, false),
        };
        let base = if points_right { tip.touch - ARROW.0 } else { tip.touch + ARROW.0 };
        self.put(format_args!(
            "<path d=\"M{} {}L{base} {}V{}z\"/>\n",
            num(tip.touch),
            num(tip.y),
            num(tip.y - ARROW.1),
            num(tip.y + ARROW.1),
            base = num(base),
        ));
    }

    fn relation(&mut self, edge: &Edge, place: &Place) {
        let text = relation_text(&edge.label);
        if text.is_empty() {
            return;
        }
        self.put(format_args!("<g><title>{}</title>", Escaped(&edge.label)));
        self.rectangle(place, 4.0, "fill=\"#f3f5f7\" stroke=\"#c5cbd3\" stroke-width=\"0.75\"");
        let (x, y) = (num(place.x), num(place.y + RELATION_FONT * 0.36));
        self.put(format_args!("<text x=\"{x}\" y=\"{y}\" fill=\"#2b3138\">{}</text></g>\n", Escaped(&text)));
    }

    fn vertex(&mut self, vertex: &Vertex, look: &Look, place: &Place) {
        self.put(format_args!("<g><title>{}", look.kind));
        if !vertex.label.is_empty() {
            self.put(format_args!(": {}", Escaped(&vertex.label)));
        }
        if !vertex.note.is_empty() {
            self.put(format_args!(" [{}]", Escaped(&vertex.note)));
        }
        self.put(format_args!("</title>"));
        let radius = if look.is_round { 15.0 } else { 3.0 };
        let (fill, stroke, width) = (look.fill, look.stroke, look.stroke_width);
        self.rectangle(
            place,
            radius,
            &format!("fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"{width}\""),
        );
        let x = num(place.x);
        let shift = if vertex.note.is_empty() { 0.0 } else { -8.0 };
        let y = num(place.y + shift + VERTEX_FONT * 0.36);
        let text = vertex_text(look, vertex);
        self.put(format_args!("<text x=\"{x}\" y=\"{y}\" fill=\"#16191d\">{}</text>", Escaped(&text)));
        if !vertex.note.is_empty() {
            let y = num(place.y + 9.0 + NOTE_FONT * 0.36);
            let note = shortened(&vertex.note, LONGEST_NOTE);
            self.put(format_args!(
                "<text x=\"{x}\" y=\"{y}\" fill=\"#4a525c\" font-size=\"{NOTE_FONT}\" font-style=\"italic\">{}</text>",
                Escaped(&note)
            ));
        }
        self.put(format_args!("</g>\n"));
    }

    fn rectangle(&mut self, place: &Place, radius: f64, look: &str) {
        let Size { width, height } = place.size;
        self.put(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{radius}\" {look}/>",
            num(place.x - width / 2.0),
            num(place.y - height / 2.0),
            num(width),
            num(height),
        ));
    }
}

/// A coordinate with one decimal at most.
fn num(value: f64) -> f64 {
    // Adding zero turns minus zero into zero.
    (value * 10.0).round() / 10.0 + 0.0
}

/// Text for XML. Characters that XML cannot hold, and those that disturb others, are replaced.
struct Escaped<'t>(&'t str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\t' | '\n' | '\r' => f.write_char(' ')?,
                '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                c if is_disturbing(c) => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{relation_text, shortened, svg};
    use crate::graph::QueryGraph;
    use crate::graph::query_graph::samples::{chain, film, graph};
    use proptest::prelude::*;

    #[test]
    fn relations_are_shown_by_their_end() {
        for (label, shown) in [
            ("film.film.directed_by", "film.directed_by"),
            ("film.directed_by", "film.directed_by"),
            ("directed_by", "directed_by"),
            ("", ""),
            ("...", "."),
            ("place of birth. Or so. Perhaps", "place of birth. Or so. Perhaps"),
            ("http://www.wikidata.org/prop/direct/P31", "P31"),
            ("http://example.org/ns#made.by.hand", "made.by.hand"),
            ("http://", "http:"),
        ] {
            assert_eq!(relation_text(label), shown);
        }
    }

    #[test]
    fn long_labels_are_shortened() {
        assert_eq!(shortened("exactly ten", 11), "exactly ten");
        assert_eq!(shortened("abcdefghijklmnop", 11), "abcdef…mnop");
        assert_eq!(shortened("ééééééééééé éééé", 11), "éééééé…éééé");
        let long = "a".repeat(500);
        let drawing = svg(&graph(&["", &format!("={long}|{long}")], &[(0, 1, &long)]));
        // In full in the tooltips of the vertex (label and note) and of the edge.
        assert_eq!(drawing.matches(&long).count(), 3);
        assert_eq!(drawing.matches('…').count(), 3);
    }

    #[test]
    fn a_drawing() {
        let drawing = svg(&film());
        assert!(drawing.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""));
        assert!(drawing.ends_with("</svg>\n"));
        for part in [
            "<title>answer: film.film [count]</title>",
            "<title>constraint: m.0abc</title>",
            "<title>variable</title>",
            "<title>film.performance.actor</title>",
            ">performance.actor</text>",
            ">count</text>",
            ">?</text>",
            "aria-label=\"query graph, 4 vertices, 3 relations\"",
        ] {
            assert!(drawing.contains(part), "{part} in {drawing}");
        }
        for look in [&super::ANSWER, &super::CONSTRAINT, &super::VARIABLE] {
            let boxes =
                drawing.matches(&format!("fill=\"{}\" stroke=\"{}\"", look.fill, look.stroke)).count();
            assert_eq!(boxes, if look.kind == "constraint" { 2 } else { 1 });
        }
    }

    #[test]
    fn arrows_point_as_facts_do() {
        // The tip of an arrow is the first point of its path; the answer is left of the constraint.
        let tip = |edges: &[(usize, usize, &str)]| -> f64 {
            let drawing = svg(&graph(&["a", "=b"], edges));
            let arrow = drawing.lines().find(|line| line.ends_with("z\"/>")).expect("an arrow");
            let start = arrow.trim_start_matches("<path d=\"M");
            start.split(' ').next().and_then(|x| x.parse().ok()).expect("a number")
        };
        assert!(tip(&[(0, 1, "r")]) > tip(&[(1, 0, "r")]));
    }

    #[test]
    fn odd_graphs() {
        for odd in [
            QueryGraph::default(),
            QueryGraph { root: 3, ..QueryGraph::default() },
            graph(&[""], &[(0, 0, ""), (0, 5, "r"), (7, 8, "r")]),
            graph(&["", "", ""], &[(1, 2, ""), (2, 1, "r")]),
            chain(3_000),
        ] {
            let drawing = svg(&odd);
            assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{drawing}");
        }
    }

    proptest! {
        #[test]
        fn labels_add_no_markup(label in any::<String>(), hostile in "[<>&\"'a/!\\[\\]-]{0,12}") {
            let count = |text: &str, c: char| text.matches(c).count();
            let with = |label: &str| svg(&graph(&["", "=", ""], &[(0, 1, label), (1, 2, label)]));
            let plain = with("x");
            for label in [label, hostile].iter().filter(|label| !relation_text(label).is_empty()) {
                let mut other = film();
                other.vertices[1].label = label.as_str().into();
                other.vertices[2].note = format!("x{label}").into();
                let clean = {
                    let mut clean = film();
                    clean.vertices[1].label = "x".into();
                    clean.vertices[2].note = "x".into();
                    svg(&clean)
                };
                for (drawing, like) in [(with(label), &plain), (svg(&other), &clean)] {
                    for c in ['<', '>', '"'] {
                        prop_assert_eq!(count(&drawing, c), count(like, c));
                    }
                    prop_assert!(drawing.chars().all(|c| c == '\n' || !c.is_control()));
                    for part in drawing.split('&').skip(1) {
                        let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
                        prop_assert!(known.iter().any(|known| part.starts_with(known)), "{}", part);
                    }
                }
            }
        }
    }
}
