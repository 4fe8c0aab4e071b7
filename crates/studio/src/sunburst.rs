//! The first words of questions as rings.

use crate::cast::float;
use crate::stats_page::tenths;
use maud::{Markup, html};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};
use touchstone_benchmark::Benchmark;
use touchstone_benchmark::linguistic::tokens;

/// The width of a ring.
const RING: f64 = 78.0;
/// The number of rings, and of words of a question.
const RINGS: u8 = 4;
/// Thinner slices cannot be seen, in radians.
const THINNEST: f64 = 0.012;

/// A node of the tree of first words.
#[derive(Default)]
struct Words {
    count: u64,
    next: BTreeMap<String, Words>,
}

/// A slice of a ring.
struct Slice<'w> {
    word: &'w str,
    /// Its share of all questions.
    share: f64,
    /// The number of its ring, counted from the innermost.
    ring: u8,
    from: f64,
    to: f64,
    hue: usize,
}

/// Rings of first, second, third and fourth words.
pub(crate) fn sunburst(benchmark: &Benchmark) -> Markup {
    let mut root = Words::default();
    for question in &benchmark.questions {
        let mut at = &mut root;
        at.count += 1;
        for word in tokens(&question.question).into_iter().take(usize::from(RINGS)) {
            at = at.next.entry(word.to_lowercase()).or_default();
            at.count += 1;
        }
    }
    let mut slices = Vec::new();
    add_slices(&mut slices, &root, 0, (0.0, TAU), root.count, 0);
    let size = (2.0 * RING * (f64::from(RINGS) + 0.4)).round();
    let corner = -size / 2.0;
    html! {
        svg.sunburst width=(size) height=(size) viewBox={ (corner) " " (corner) " " (size) " " (size) } role="img"
            aria-label="The first four words of the questions, as rings" {
            @for slice in &slices { (slice.draw()) }
        }
    }
}

fn add_slices<'w>(
    slices: &mut Vec<Slice<'w>>,
    words: &'w Words,
    ring: u8,
    (start, end): (f64, f64),
    all: u64,
    hue: usize,
) {
    let mut by_count: Vec<(&String, &Words)> = words.next.iter().collect();
    by_count.sort_by_key(|(word, words)| (Reverse(words.count), *word));
    let mut from = start;
    for (number, (word, below)) in by_count.into_iter().enumerate() {
        let to = from + (end - start) * float(below.count) / float(words.count.max(1));
        if to - from < THINNEST {
            break;
        }
        let hue = if ring == 0 { number * 47 % 360 } else { hue };
        slices.push(Slice { word, share: float(below.count) / float(all.max(1)), ring, from, to, hue });
        if ring + 1 < RINGS {
            add_slices(slices, below, ring + 1, (from, to), all, hue);
        }
        from = to;
    }
}

impl Slice<'_> {
    fn draw(&self) -> Markup {
        let Slice { word, share, ring, from, hue, .. } = *self;
        // A whole ring would start and end at one point, and be nothing.
        let to = self.to.min(from + TAU - 1e-4);
        let (inner, outer) = (RING * (f64::from(ring) + 0.35), RING * (f64::from(ring) + 1.35));
        let point = |radius: f64, angle: f64| (radius * angle.sin(), -radius * angle.cos());
        let ((x0, y0), (x1, y1)) = (point(inner, from), point(outer, from));
        let ((x2, y2), (x3, y3)) = (point(outer, to), point(inner, to));
        let large = u8::from(to - from > PI);
        let path = format!(
            "M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}A{outer:.1} {outer:.1} 0 {large} 1 {x2:.1} {y2:.1}L{x3:.1} {y3:.1}\
             A{inner:.1} {inner:.1} 0 {large} 0 {x0:.1} {y0:.1}Z"
        );
        let middle = f64::midpoint(from, to);
        let radius = f64::midpoint(inner, outer);
        let (x, y) = point(radius, middle);
        let (x, y) = (tenths(x), tenths(y));
        let degrees = middle.to_degrees() + if middle > PI { 90.0 } else { -90.0 };
        // The text stands along the radius, so its height has to fit.
        let fits = (to - from) * radius > 13.0 && word.chars().count() <= 12;
        html! {
            path d=(path) fill={ "hsl(" (hue) " 55% " (62 + 7 * ring) "%)" } {
                title { (word) ": " (tenths(share * 100.0)) " %" }
            }
            @if fits {
                text x=(x) y=(y) transform={ "rotate(" (tenths(degrees)) " " (x) " " (y) ")" } { (word) }
            }
        }
    }
}
