//! Charts with lines, drawn as SVG.

use crate::stats_page::tenths;
use maud::{Markup, html};

/// A chart with lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LineChart {
    /// Its title.
    pub title: String,
    /// What the horizontal axis shows.
    pub x: String,
    /// What the vertical axis shows.
    pub y: String,
    /// Its lines.
    pub lines: Vec<ChartLine>,
}

/// A line of a chart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChartLine {
    /// What it shows.
    pub name: String,
    /// The number of its colour.
    pub colour: usize,
    /// Whether it shows published figures, and is dashed.
    pub is_published: bool,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 36.0;

/// Number of colours of the style.
const COLOURS: usize = 8;

/// Maximum number of marked values on an axis.
const MARKS: f64 = 5.0;

/// An axis from its least to its greatest mark.
struct Axis {
    marks: Vec<f64>,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis with round marks for all values. 0 is on it if values are near it.
    fn of(values: impl Iterator<Item = f64> + Clone) -> Axis {
        let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        let (least, most) = if least.is_finite() { (least, most) } else { (0.0, 1.0) };
        let least = if least >= 0.0 && least < most * 0.6 { 0.0 } else { least };
        let width = (most - least).max(1e-6);
        let unit = 10_f64.powf((width / MARKS).log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * unit).find(|step| width / step <= MARKS);
        let step = step.unwrap_or(10.0 * unit);
        let first = (least / step + 1e-9).floor() * step;
        let marks =
            std::iter::successors(Some(first), |mark| (*mark < most - 1e-9 * step).then_some(mark + step));
        let mut marks: Vec<f64> = marks.collect();
        if marks.len() < 2 {
            marks.push(first + step);
        }
        let to = marks.last().copied().unwrap_or(most);
        Axis { marks, from: first, to: to.max(first + 1e-9) }
    }

    fn place(&self, value: f64) -> f64 {
        (value - self.from) / (self.to - self.from)
    }
}

/// A value beside an axis.
fn shown(value: f64) -> String {
    let text = if value.abs() >= 10.0 { format!("{value:.0}") } else { format!("{value:.3}") };
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A chart.
pub(crate) fn line_chart(chart: &LineChart) -> Markup {
    let points = || chart.lines.iter().flat_map(|line| line.points.iter());
    let (across, up) = (Axis::of(points().map(|point| point.0)), Axis::of(points().map(|point| point.1)));
    let x = |value: f64| LEFT + across.place(value) * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - up.place(value) * (HEIGHT - TOP - BOTTOM);
    let (bottom, middle) = (tenths(HEIGHT - BOTTOM), tenths((LEFT + WIDTH - RIGHT) / 2.0));
    html! {
        svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ (chart.title) ": " (chart.y) " over " (chart.x) } {
            text.title x=(tenths(LEFT)) y="16" { (chart.title) }
            @for mark in &up.marks {
                line.grid x1=(tenths(LEFT)) x2=(tenths(WIDTH - RIGHT)) y1=(tenths(y(*mark))) y2=(tenths(y(*mark))) {}
                text x=(tenths(LEFT - 5.0)) y=(tenths(y(*mark) + 4.0)) text-anchor="end" { (shown(*mark)) }
            }
            @for mark in &across.marks {
                line.grid x1=(tenths(x(*mark))) x2=(tenths(x(*mark))) y1=(tenths(TOP)) y2=(bottom) {}
                text x=(tenths(x(*mark))) y=(tenths(HEIGHT - BOTTOM + 14.0)) text-anchor="middle" { (shown(*mark)) }
            }
            text x=(middle) y=(tenths(HEIGHT - 6.0)) text-anchor="middle" { (chart.x) }
            @for line in chart.lines.iter().filter(|line| !line.points.is_empty()) { (drawn(line, &x, &y)) }
        }
    }
}

fn drawn(line: &ChartLine, x: &dyn Fn(f64) -> f64, y: &dyn Fn(f64) -> f64) -> Markup {
    /// Longer lines need no dots.
    const MAX_DOTS: usize = 12;
    let at = |&(a, b): &(f64, f64)| format!("{},{}", tenths(x(a)), tenths(y(b)));
    let path: Vec<String> = line.points.iter().map(at).collect();
    let colour = format!("var(--line-{})", line.colour % COLOURS);
    let name = if line.is_published { format!("{} (paper)", line.name) } else { line.name.clone() };
    let dashes = line.is_published.then_some("4 3");
    html! {
        g {
            title { (name) }
            polyline points=(path.join(" ")) fill="none" stroke=(colour) stroke-width="1.6" stroke-dasharray=[dashes] {}
            @if !line.is_published && line.points.len() <= MAX_DOTS {
                @for point in &line.points {
                    circle cx=(tenths(x(point.0))) cy=(tenths(y(point.1))) r="2.5" fill=(colour) {}
                }
            }
        }
    }
}

/// The names of the lines of all charts with their colours.
pub(crate) fn chart_key(charts: &[LineChart]) -> Markup {
    let mut names: Vec<(usize, &str)> = Vec::new();
    let lines = || charts.iter().flat_map(|chart| &chart.lines);
    for line in lines().filter(|line| !line.points.is_empty()) {
        if !names.contains(&(line.colour, line.name.as_str())) {
            names.push((line.colour, &line.name));
        }
    }
    html! {
        p.key {
            @for (colour, name) in &names {
                span { i class={ "line-" (colour % COLOURS) } {} (name) }
            }
            @if lines().any(|line| line.is_published && !line.points.is_empty()) { span { i.dashed {} "in the paper" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Axis, shown};

    #[test]
    fn axes_have_round_marks() {
        let axis = |values: &[f64]| {
            Axis::of(values.iter().copied()).marks.iter().map(|mark| shown(*mark)).collect::<Vec<_>>()
        };
        assert_eq!(axis(&[0.125, 1.0]), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(axis(&[100.0, 900.0]), ["0", "200", "400", "600", "800", "1000"]);
        assert_eq!(axis(&[0.91, 0.93]), ["0.91", "0.915", "0.92", "0.925", "0.93"]);
        assert!(axis(&[]).len() > 1 && axis(&[0.5]).len() > 1, "{:?}", axis(&[0.5]));
        assert_eq!(axis(&[0.0, 0.0]).first().map(String::as_str), Some("0"));
    }
}
