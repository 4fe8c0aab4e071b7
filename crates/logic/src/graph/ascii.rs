//! Drawings of query graphs for terminals: a tree with the answer at the root, one vertex per line.
//!
//! ```text
//! (answer) film.film  [count]
//! ├─ film.film.directed_by → m.0abc
//! └─ film.film.starring → ?
//!    └─ film.performance.actor → m.0def
//! ```
//!
//! An arrow points in the direction of the fact. `?` is a variable, with its class if it has one; everything else is a constraint.
//! An edge that closes a cycle is drawn at the later vertex, and refers to the other one, which gets a
//! number: `?1` for a variable, `#1` after a constraint.

use super::query_graph::{Edge, QueryGraph, Traversal, is_unprintable};
use std::fmt::Write;

/// Maximum number of lines of a drawing. Real queries have ten; in a long chain every line is longer than the previous one.
const MAX_LINES: usize = 400;

/// The characters to draw with. Labels are the same in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Style {
    /// Lines and arrows.
    #[default]
    Unicode,
    /// ASCII only.
    Ascii,
}

/// Draws a graph with lines and arrows.
pub fn draw(graph: &QueryGraph) -> String {
    draw_in(graph, Style::Unicode)
}

/// Draws a graph in a style.
pub fn draw_in(graph: &QueryGraph, style: Style) -> String {
    let traversal = graph.traversal();
    let mut drawing = Drawing::new(graph, &traversal, style);
    for &start in &traversal.starts {
        if start != graph.root {
            drawing.line("(not connected)");
        }
        drawing.part(start);
    }
    if drawing.left_out > 0 {
        let _ = writeln!(drawing.out, "{} {} more lines", drawing.strokes.more, drawing.left_out);
    }
    if traversal.broken > 0 {
        let plural =
            if traversal.broken == 1 { "edge has an end that does" } else { "edges have ends that do" };
        let _ = writeln!(drawing.out, "({} {plural} not exist)", traversal.broken);
    }
    drawing.out
}

struct Strokes {
    branch: &'static str,
    last_branch: &'static str,
    beside: &'static str,
    below: &'static str,
    forward: &'static str,
    backward: &'static str,
    back_to: &'static str,
    more: &'static str,
}

const UNICODE: Strokes = Strokes {
    branch: "├─ ",
    last_branch: "└─ ",
    beside: "│  ",
    below: "   ",
    forward: "→",
    backward: "←",
    back_to: "↺",
    more: "…",
};

const ASCII: Strokes = Strokes {
    branch: "|- ",
    last_branch: "`- ",
    beside: "|  ",
    below: "   ",
    forward: "->",
    backward: "<-",
    back_to: "^",
    more: "...",
};

struct Drawing<'g> {
    graph: &'g QueryGraph,
    strokes: &'static Strokes,
    /// For each vertex, the edges that are drawn below it.
    below: Vec<Vec<usize>>,
    /// For each edge, whether it leads to a vertex that is drawn below it; otherwise it closes a cycle.
    opens: Vec<bool>,
    /// For each vertex, the number that references use; 0 if there is none.
    numbers: Vec<usize>,
    out: String,
    lines: usize,
    left_out: usize,
}

impl<'g> Drawing<'g> {
    fn new(graph: &'g QueryGraph, traversal: &Traversal, style: Style) -> Drawing<'g> {
        let strokes = match style {
            Style::Unicode => &UNICODE,
            Style::Ascii => &ASCII,
        };
        let count = graph.vertices.len();
        let mut opens = vec![false; graph.edges.len()];
        traversal.via.iter().flatten().for_each(|&e| opens[e] = true);
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); count];
        let upper = |edge: &Edge| {
            if traversal.depth[edge.from] < traversal.depth[edge.to] { edge.from } else { edge.to }
        };
        for (e, edge) in graph.edges.iter().enumerate().filter(|&(e, _)| opens[e]) {
            below[upper(edge)].push(e);
        }
        // The order of the lines decides at which end a cycle is closed, and the numbers.
        let mut place = vec![0; count];
        let mut by_place = Vec::with_capacity(count);
        let mut waiting: Vec<usize> = traversal.starts.iter().rev().copied().collect();
        while let Some(v) = waiting.pop() {
            place[v] = by_place.len();
            by_place.push(v);
            waiting.extend(below[v].iter().rev().map(|&e| graph.edges[e].other(v)));
        }
        let mut is_referred_to = vec![false; count];
        for (e, edge) in graph.edges.iter().enumerate().filter(|&(e, edge)| !opens[e] && graph.is_whole(edge))
        {
            let later = if place[edge.from] > place[edge.to] { edge.from } else { edge.to };
            below[later].push(e);
            is_referred_to[edge.other(later)] = true;
        }
        below.iter_mut().for_each(|edges| edges.sort_unstable());
        let mut numbers = vec![0; count];
        let mut last = 0;
        for v in by_place.into_iter().filter(|&v| is_referred_to[v] && v != graph.root) {
            last += 1;
            numbers[v] = last;
        }
        Drawing { graph, strokes, below, opens, numbers, out: String::new(), lines: 0, left_out: 0 }
    }

    /// Draws a vertex with its subtree.
    fn part(&mut self, start: usize) {
        let text = self.vertex(start);
        self.line(&text);
        // The prefix of the innermost vertex's branches, and for each open vertex the next edge below it.
        let mut margin = String::new();
        let mut open = vec![(start, 0, 0)];
        while let Some((v, next, margin_before)) = open.last_mut() {
            let v = *v;
            let Some(&e) = self.below[v].get(*next) else {
                margin.truncate(*margin_before);
                open.pop();
                continue;
            };
            *next += 1;
            let is_last = *next == self.below[v].len();
            let edge = &self.graph.edges[e];
            let other = edge.other(v);
            if self.lines < MAX_LINES {
                let branch = if is_last { self.strokes.last_branch } else { self.strokes.branch };
                let relation = escaped(&edge.label);
                let space = if relation.is_empty() { "" } else { " " };
                let arrow = if edge.from == v { self.strokes.forward } else { self.strokes.backward };
                let end = if self.opens[e] { self.vertex(other) } else { self.reference(other) };
                self.line(&format!("{margin}{branch}{relation}{space}{arrow} {end}"));
            } else {
                self.left_out += 1;
            }
            if self.opens[e] {
                open.push((other, 0, margin.len()));
                // After the last line nothing is drawn, and the margin need not grow.
                if self.lines < MAX_LINES {
                    margin.push_str(if is_last { self.strokes.below } else { self.strokes.beside });
                }
            }
        }
    }

    fn line(&mut self, text: &str) {
        if self.lines < MAX_LINES {
            self.lines += 1;
            self.out.push_str(text);
            self.out.push('\n');
        } else {
            self.left_out += 1;
        }
    }

    fn vertex(&self, v: usize) -> String {
        let vertex = &self.graph.vertices[v];
        let label = escaped(&vertex.label);
        let number = self.numbers[v];
        let mut text = String::new();
        if v == self.graph.root {
            text.push_str("(answer)");
        } else if vertex.grounded {
            let quotes = if could_be_misread(&label) { "\"" } else { "" };
            let _ = write!(text, "{quotes}{label}{quotes}");
            if number > 0 {
                let _ = write!(text, " #{number}");
            }
        } else {
            text.push('?');
            if number > 0 {
                let _ = write!(text, "{number}");
            }
        }
        if (v == self.graph.root || !vertex.grounded) && !label.is_empty() {
            let _ = write!(text, " {label}");
        }
        if !vertex.note.is_empty() {
            let _ = write!(text, "  [{}]", escaped(&vertex.note));
        }
        text
    }

    fn reference(&self, v: usize) -> String {
        let back_to = self.strokes.back_to;
        if v == self.graph.root {
            format!("{back_to} (answer)")
        } else {
            let sign = if self.graph.vertices[v].grounded { '#' } else { '?' };
            format!("{back_to} {sign}{}", self.numbers[v])
        }
    }
}

/// Whether a constraint with this label would be ambiguous.
fn could_be_misread(label: &str) -> bool {
    label.is_empty() || label.starts_with(['?', '(', '[', '#', '^', '↺', ' ']) || label.ends_with(' ')
}

/// A label on one line, without characters that move the cursor or change the writing direction.
fn escaped(label: &str) -> String {
    let mut text = String::with_capacity(label.len());
    for c in label.chars() {
        if is_unprintable(c) {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINES, Style, draw, draw_in};
    use crate::graph::QueryGraph;
    use crate::graph::query_graph::samples::{chain, film, graph};

    fn assert_drawn(graph: &QueryGraph, expected: &[&str]) {
        assert_eq!(draw(graph).lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn trees() {
        assert_drawn(
            &film(),
            &[
                "(answer) film.film  [count]",
                "├─ film.film.directed_by → m.0abc",
                "└─ film.film.starring → ?",
                "   └─ film.performance.actor → m.0def",
            ],
        );
        assert_eq!(
            draw_in(&film(), Style::Ascii),
            "(answer) film.film  [count]\n\
             |- film.film.directed_by -> m.0abc\n\
             `- film.film.starring -> ?\n   \
                `- film.performance.actor -> m.0def\n"
        );
        assert_drawn(&graph(&["film.film"], &[]), &["(answer) film.film"]);
        assert_drawn(
            &graph(
                &["", "person", "=2009|>=", "|max", "=Rome"],
                &[(1, 0, "wrote"), (1, 2, "born"), (0, 3, "length"), (4, 1, "home of")],
            ),
            &[
                "(answer)",
                "├─ wrote ← ? person",
                "│  ├─ born → 2009  [>=]",
                "│  └─ home of ← Rome",
                "└─ length → ?  [max]",
            ],
        );
    }

    #[test]
    fn cycles() {
        // A triangle.
        assert_drawn(
            &graph(&["", "person", "=Rome"], &[(0, 1, "a"), (1, 2, "b"), (2, 0, "c")]),
            &["(answer)", "├─ a → ?1 person", "└─ c ← Rome", "   └─ b ← ↺ ?1"],
        );
        // A square, seen from a corner.
        assert_drawn(
            &graph(&["", "", "", "=c"], &[(0, 1, "a"), (0, 2, "b"), (1, 3, "c"), (3, 2, "d")]),
            &["(answer)", "├─ a → ?", "│  └─ c → c #1", "└─ b → ?", "   └─ d ← ↺ #1"],
        );
        // Parallel edges and loops.
        assert_drawn(
            &graph(
                &["", "", "=c"],
                &[(0, 1, "a"), (1, 0, "b"), (1, 1, "c"), (1, 2, "d"), (1, 2, "e"), (0, 0, "f")],
            ),
            &[
                "(answer)",
                "├─ a → ?1",
                "│  ├─ b → ↺ (answer)",
                "│  ├─ c → ↺ ?1",
                "│  └─ d → c",
                "│     └─ e ← ↺ ?1",
                "└─ f → ↺ (answer)",
            ],
        );
    }

    #[test]
    fn what_is_not_connected_is_drawn_too() {
        assert_drawn(
            &graph(&["", "=a", "", "=b"], &[(0, 1, "r"), (3, 2, "s"), (0, 9, "t")]),
            &[
                "(answer)",
                "└─ r → a",
                "(not connected)",
                "?",
                "└─ s ← b",
                "(1 edge has an end that does not exist)",
            ],
        );
        let rootless = QueryGraph { root: 7, ..graph(&["a"], &[]) };
        assert_drawn(&rootless, &["(not connected)", "? a"]);
        assert_drawn(&QueryGraph::default(), &[]);
    }

    #[test]
    fn strange_labels() {
        assert_drawn(
            &graph(
                &["a\nb", "=", "=?", "=\u{1b}[31mred", "=\u{202e}evil", "=Ålesund", "=say \"hi\""],
                &[(0, 1, ""), (0, 2, "r"), (0, 3, "x\r\ny"), (0, 4, "r"), (0, 5, "r"), (0, 6, "r")],
            ),
            &[
                "(answer) a\\nb",
                "├─ → \"\"",
                "├─ r → \"?\"",
                "├─ x\\r\\ny → \\u{1b}[31mred",
                "├─ r → \\u{202e}evil",
                "├─ r → Ålesund",
                "└─ r → say \"hi\"",
            ],
        );
    }

    #[test]
    fn long_chains_are_cut() {
        let drawing = draw(&chain(10_000));
        assert_eq!(drawing.lines().count(), MAX_LINES + 1);
        assert!(drawing.ends_with("\n… 9600 more lines\n"));
        assert!(drawing.len() < 1_000_000);
    }
}
