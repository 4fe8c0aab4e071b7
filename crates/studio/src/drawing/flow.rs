//! Pictures of programs as flow charts: a box for each step with its inputs and what it found, from the top to the answer at the bottom.
//!
//! Every step has a vertical band that contains the bands of the steps that only it needs, and stands below them. Bands do not overlap, so
//! neither do boxes; a line from a step runs down in its own band to the gap above the step that uses it.

use super::labels::{printable, shortened, text_width};
use super::layout::{Rectangle, Size};
use maud::{Markup, html};

/// Legible on white and on black.
const LINE: &str = "#7d858f";
const TITLE_FONT: i64 = 13;
const TEXT_FONT: i64 = 12;
const LINE_HEIGHT: i64 = 17;
const PADDING: i64 = 10;
const MARGIN: i64 = 8;
/// Between two boxes side by side, and between two rows of boxes.
const COLUMN_GAP: i64 = 20;
const ROW_GAP: i64 = 34;
/// Maximum number of characters of a line.
const MAX_LINE: usize = 30;

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepState {
    /// It found something.
    Found,
    /// It found nothing, or failed.
    Nothing,
    /// It was not run.
    Unknown,
}

/// A step of a program in words.
#[derive(Debug, Clone)]
pub(crate) struct FlowStep {
    /// The function.
    pub(crate) function: String,
    /// Its inputs.
    pub(crate) inputs: Vec<String>,
    /// What it found: the number, then the first results.
    pub(crate) results: Vec<String>,
    pub(crate) state: StepState,
    /// The steps that it uses, each before it.
    pub(crate) uses: Vec<usize>,
}

/// A flow chart in its place.
#[derive(Debug)]
pub(crate) struct FlowChart {
    boxes: Vec<FlowBox>,
    size: Size,
}

#[derive(Debug)]
struct FlowBox {
    place: Rectangle,
    step: FlowStep,
    inputs: Vec<String>,
    results: Vec<String>,
    is_answer: bool,
}

impl FlowStep {
    /// The step in one line.
    pub(crate) fn text(&self) -> String {
        format!("{}({})", self.function, self.inputs.join(", "))
    }
}

impl FlowChart {
    /// Lays the steps out. Uses of steps that are not before the step are left out.
    pub(crate) fn of(steps: &[FlowStep]) -> FlowChart {
        let whole = |texts: &[String]| -> Vec<String> {
            texts.iter().map(|text| printable(text).to_string()).collect()
        };
        let lines = |texts: &[String]| -> Vec<String> {
            texts.iter().map(|text| shortened(&printable(text), MAX_LINE)).collect()
        };
        let mut boxes: Vec<FlowBox> = steps
            .iter()
            .enumerate()
            .map(|(at, step)| FlowBox {
                place: Rectangle::default(),
                inputs: lines(&step.inputs),
                results: lines(&step.results),
                step: FlowStep {
                    inputs: whole(&step.inputs),
                    results: whole(&step.results),
                    uses: step.uses.iter().copied().filter(|&used| used < at).collect(),
                    ..step.clone()
                },
                is_answer: at + 1 == steps.len(),
            })
            .collect();
        boxes.iter_mut().for_each(|one| one.place.size = one.needed());
        let size = lay_out(&mut boxes);
        FlowChart { boxes, size }
    }

    /// The picture.
    pub(crate) fn svg(&self, name: &str) -> Markup {
        let Size { width, height } = self.size;
        html! {
            svg.flow xmlns="http://www.w3.org/2000/svg" width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) }
                role="img" aria-label=(name) text-anchor="middle"
                font-family="'DejaVu Sans', Verdana, Helvetica, Arial, sans-serif" {
                title { (name) }
                desc { (self.text()) }
                g fill="none" stroke=(LINE) stroke-width="1.5" {
                    @for (at, one) in self.boxes.iter().enumerate() {
                        @for number in 0..one.step.uses.len() { path d=(self.line(at, number)) {} }
                    }
                }
                g fill=(LINE) {
                    @for (at, one) in self.boxes.iter().enumerate() {
                        @for number in 0..one.step.uses.len() { path d=(self.arrow(at, number)) {} }
                    }
                }
                g font-size=(TEXT_FONT) { @for (at, one) in self.boxes.iter().enumerate() { (one.markup(at)) } }
            }
        }
    }

    /// The chart as text: a line for each step, with what it uses and what it found.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (at, one) in self.boxes.iter().enumerate() {
            let uses: Vec<String> = one.step.uses.iter().map(|used| (used + 1).to_string()).collect();
            let from = if uses.is_empty() { String::new() } else { format!(" on {}", uses.join(" and ")) };
            let found = if one.step.results.is_empty() {
                String::new()
            } else {
                format!(": {}", one.step.results.join(", "))
            };
            text.push_str(&format!("{}. {}{from}{found}\n", at + 1, printable(&one.step.text())));
        }
        text
    }

    /// Where a line ends at the top of a step: uses are spread over the middle of the box.
    fn port(&self, at: usize, number: usize) -> (i64, i64) {
        let Rectangle { x, y, size } = self.boxes[at].place;
        let count = i64::try_from(self.boxes[at].step.uses.len()).unwrap_or(1);
        let number = i64::try_from(number).unwrap_or(0);
        (x + size.width * (number + 1) / (count + 1), y)
    }

    fn line(&self, at: usize, number: usize) -> String {
        let from = self.boxes[self.boxes[at].step.uses[number]].place;
        let (start_x, start_y) = (from.x + from.size.width / 2, from.y + from.size.height);
        let (end_x, end_y) = self.port(at, number);
        let turn = end_y - ROW_GAP;
        let middle = end_y - ROW_GAP / 2;
        format!("M{start_x} {start_y}V{turn}C{start_x} {middle} {end_x} {middle} {end_x} {end_y}")
    }

    fn arrow(&self, at: usize, number: usize) -> String {
        let (x, y) = self.port(at, number);
        format!("M{x} {y}l-4 -9h8z")
    }
}

impl FlowBox {
    /// The size that its texts need.
    fn needed(&self) -> Size {
        let title = text_width(&self.step.function, TITLE_FONT) + 24;
        let texts = self.inputs.iter().chain(&self.results).map(|text| text_width(text, TEXT_FONT));
        let width = texts.chain([title]).max().unwrap_or(0) + 2 * PADDING;
        let lines = 1 + self.inputs.len() + self.results.len();
        let rule = if self.results.is_empty() { 0 } else { 8 };
        let height = i64::try_from(lines).unwrap_or(1) * LINE_HEIGHT + 2 * PADDING - 4 + rule;
        Size { width: width.max(110), height }
    }

    fn markup(&self, at: usize) -> Markup {
        let Rectangle { x, y, size } = self.place;
        let middle = x + size.width / 2;
        let (fill, stroke, stroke_width) = match (self.step.state, self.is_answer) {
            (StepState::Nothing, _) => ("#ffdcd8", "#c0392b", "1.75"),
            (_, true) => ("#c9efd4", "#1a7f37", "2"),
            _ => ("#ffffff", LINE, "1.25"),
        };
        let line = |number: usize| y + PADDING + 11 + i64::try_from(number).unwrap_or(0) * LINE_HEIGHT;
        let rule = line(self.inputs.len()) + 7;
        html! {
            g {
                title { (at + 1) ". " (printable(&self.step.text())) }
                rect x=(x) y=(y) width=(size.width) height=(size.height) rx="8" fill=(fill) stroke=(stroke) stroke-width=(stroke_width) {}
                text x=(middle) y=(line(0)) fill="#16191d" font-size=(TITLE_FONT) font-weight="bold" { (self.step.function) }
                @for (number, input) in self.inputs.iter().enumerate() {
                    text x=(middle) y=(line(number + 1)) fill="#4a525c" { (input) }
                }
                @if !self.results.is_empty() {
                    path d={ "M" (x + 1) " " (rule) "h" (size.width - 2) } stroke=(stroke) stroke-width="0.75" {}
                    @for (number, result) in self.results.iter().enumerate() {
                        text x=(middle) y=(line(self.inputs.len() + number + 1) + 8) fill="#16191d"
                            font-weight=[(number == 0).then_some("bold")] { (result) }
                    }
                }
            }
        }
    }
}

/// Gives every box its place and returns the size of the whole.
fn lay_out(boxes: &mut [FlowBox]) -> Size {
    let count = boxes.len();
    let mut level = vec![0_usize; count];
    // The step that first uses a step holds its band.
    let mut owned: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut has_owner = vec![false; count];
    for at in 0..count {
        for &used in &boxes[at].step.uses {
            level[at] = level[at].max(level[used] + 1);
            if !has_owner[used] {
                has_owner[used] = true;
                owned[at].push(used);
            }
        }
    }
    let levels = level.iter().max().map_or(0, |highest| highest + 1);
    let mut row_heights = vec![0; levels];
    let mut bands: Vec<i64> = boxes.iter().map(|one| one.place.size.width + COLUMN_GAP).collect();
    for at in 0..count {
        row_heights[level[at]] = boxes[at].place.size.height.max(row_heights[level[at]]);
        bands[at] = bands[at].max(owned[at].iter().map(|&used| bands[used]).sum());
    }
    let mut row_tops = Vec::with_capacity(levels);
    let mut y = MARGIN;
    for height in row_heights {
        row_tops.push(y);
        y += height + ROW_GAP;
    }
    let mut lefts = vec![0; count];
    let mut right = MARGIN;
    for at in (0..count).rev() {
        if !has_owner[at] {
            lefts[at] = right;
            right += bands[at];
        }
        // Steps that are used stand before the step, so its place is known here.
        let below: i64 = owned[at].iter().map(|&used| bands[used]).sum();
        let mut x = lefts[at] + (bands[at] - below) / 2;
        for &used in &owned[at] {
            lefts[used] = x;
            x += bands[used];
        }
    }
    for at in 0..count {
        let size = boxes[at].place.size;
        boxes[at].place.x = lefts[at] + (bands[at] - size.width) / 2;
        boxes[at].place.y = row_tops[level[at]];
    }
    Size { width: (right - COLUMN_GAP + COLUMN_GAP + MARGIN).max(0), height: (y - ROW_GAP + MARGIN).max(0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn step(function: &str, uses: &[usize]) -> FlowStep {
        FlowStep {
            function: function.to_owned(),
            inputs: vec![format!("input of {function}")],
            results: vec!["3 found".to_owned(), "Paris".to_owned()],
            state: StepState::Found,
            uses: uses.to_vec(),
        }
    }

    #[test]
    fn a_chain_goes_straight_down() {
        let chart = FlowChart::of(&[step("Find", &[]), step("Relate", &[0]), step("What", &[1])]);
        let middles: Vec<i64> =
            chart.boxes.iter().map(|one| one.place.x + one.place.size.width / 2).collect();
        assert!(middles.iter().all(|middle| (middle - middles[0]).abs() <= 1), "{middles:?}");
        assert!(
            chart.boxes.windows(2).all(|pair| pair[0].place.y + pair[0].place.size.height < pair[1].place.y)
        );
        let picture = chart.svg("a program").into_string();
        for part in [
            "aria-label=\"a program\"",
            ">Relate</text>",
            "<title>3. What(input of What)</title>",
            ">3 found</text>",
        ] {
            assert!(picture.contains(part), "{part} in {picture}");
        }
        assert!(!picture.contains("style=") && !picture.contains(" id="), "{picture}");
    }

    #[test]
    fn branches_stand_side_by_side_above_their_union() {
        let chart = FlowChart::of(&[step("Find", &[]), step("Find", &[]), step("And", &[0, 1])]);
        let [left, right, union] = chart.boxes.as_slice() else { panic!("three boxes") };
        assert!(left.place.x + left.place.size.width < right.place.x);
        assert!(union.place.y > left.place.y);
        assert_eq!(chart.text().lines().count(), 3);
        assert!(chart.text().contains("on 1 and 2"), "{}", chart.text());
    }

    fn overlap(a: &Rectangle, b: &Rectangle) -> bool {
        a.x < b.x + b.size.width
            && b.x < a.x + a.size.width
            && a.y < b.y + b.size.height
            && b.y < a.y + a.size.height
    }

    proptest! {
        #[test]
        fn nothing_overlaps_and_nothing_is_lost(
            choices in prop::collection::vec((prop::collection::vec(0..40_usize, 0..3), "[ -~é\u{0}<&\"]{0,50}"), 1..25)
        ) {
            let steps: Vec<FlowStep> = choices.iter().enumerate().map(|(at, (uses, text))| FlowStep {
                inputs: vec![text.clone(); at % 4],
                results: vec![text.clone(); at % 3],
                uses: uses.clone(),
                ..step("QueryRelationQualifier", &[])
            }).collect();
            let chart = FlowChart::of(&steps);
            for (at, a) in chart.boxes.iter().enumerate() {
                prop_assert!(a.place.x >= 0 && a.place.y >= 0);
                prop_assert!(a.place.x + a.place.size.width <= chart.size.width, "{:?}", chart);
                prop_assert!(a.place.y + a.place.size.height <= chart.size.height);
                for b in &chart.boxes[..at] {
                    prop_assert!(!overlap(&a.place, &b.place), "{:?} {:?}", a, b);
                }
            }
            prop_assert_eq!(chart.text().lines().count(), steps.len());
            let picture = chart.svg("x").into_string();
            prop_assert_eq!(picture.matches("<rect").count(), steps.len());
            prop_assert!(picture.chars().all(|c| !c.is_control() || c == '\n'));
        }
    }
}
