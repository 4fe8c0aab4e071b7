//! Compares answers of several columns: rows as a set, with columns matched by their content.

use crate::answers::{AnswerMatch, compared};
use crate::sets::Overlap;
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;
use touchstone_datasets::ComparedAnswer;

/// Maximum number of ways to match columns that are tried in full.
const MAX_MATCHINGS: usize = 120;

/// Cells by number: equal cells have equal numbers.
type Row = Vec<u32>;

/// Compares rows as sets. Each predicted column is compared with one gold column at most; the matching with the most rows in common counts. Columns that
/// one side lacks count against the other: in the overlap, a row weighs as much as it has columns.
pub(crate) fn match_rows(predicted: &[ComparedAnswer<'_>], gold: &[ComparedAnswer<'_>]) -> AnswerMatch {
    let numbered = Numbered::of(predicted, gold);
    let (n_gold, n_predicted) = (numbered.n_gold, numbered.n_predicted);
    let Some((pairs, common)) = numbered.best_matching() else { return AnswerMatch::default() };
    let (predicted, gold) = numbered.projected(&pairs);
    let gold: HashSet<Row> = gold.into_iter().collect();
    let first_right = predicted.iter().position(|row| gold.contains(row)).map(|at| at + 1);
    let found: HashSet<Row> = predicted.into_iter().collect();
    let overlap = Overlap {
        common: common * pairs.len(),
        predicted: found.len() * n_predicted,
        gold: gold.len() * n_gold,
    };
    AnswerMatch { overlap, first_right }
}

/// The cells of the columns that match, by number, of all rows: of the prediction and of gold.
pub(crate) fn matching_cells(
    predicted: &[ComparedAnswer<'_>],
    gold: &[ComparedAnswer<'_>],
) -> (Vec<Row>, Vec<Row>) {
    let numbered = Numbered::of(predicted, gold);
    let (pairs, _) = numbered.best_matching().unwrap_or_default();
    numbered.projected(&pairs)
}

/// A predicted column and a gold column, each.
type Matching = Vec<(usize, usize)>;

/// Both sides as rows of numbers.
struct Numbered {
    predicted: Vec<Row>,
    gold: Vec<Row>,
    /// The number of columns.
    n_predicted: usize,
    n_gold: usize,
}

impl Numbered {
    fn of(predicted: &[ComparedAnswer<'_>], gold: &[ComparedAnswer<'_>]) -> Numbered {
        let mut cells = Cells { by_name: names_gold(predicted, gold), ..Cells::default() };
        let (mut gold_rows, gold_width) = rows(gold, &mut |cell| cells.of_gold(cell));
        let (mut predicted_rows, predicted_width) = rows(predicted, &mut |cell| cells.of_predicted(cell));
        let gold_columns = without_names(gold, gold_width);
        let predicted_columns = without_names(predicted, predicted_width);
        keep_columns(&mut gold_rows, &gold_columns);
        keep_columns(&mut predicted_rows, &predicted_columns);
        Numbered {
            predicted: predicted_rows,
            gold: gold_rows,
            n_predicted: predicted_columns.len(),
            n_gold: gold_columns.len(),
        }
    }

    /// The rows with the matched columns only.
    fn projected(&self, pairs: &[(usize, usize)]) -> (Vec<Row>, Vec<Row>) {
        let project = |rows: &[Row], side: fn(&(usize, usize)) -> usize| -> Vec<Row> {
            rows.iter().map(|row| pairs.iter().map(|pair| row[side(pair)]).collect()).collect()
        };
        (project(&self.predicted, |pair| pair.0), project(&self.gold, |pair| pair.1))
    }

    /// The matching with the most rows in common, and how many.
    fn best_matching(&self) -> Option<(Matching, usize)> {
        let mut best: Option<(Matching, usize)> = None;
        for pairs in matchings(&self.predicted, &self.gold, self.n_predicted, self.n_gold) {
            let (predicted, gold) = self.projected(&pairs);
            let gold: HashSet<Row> = gold.into_iter().collect();
            let found: HashSet<Row> = predicted.into_iter().collect();
            let common = found.intersection(&gold).count();
            let is_complete = common == gold.len() && common == found.len();
            if best.as_ref().is_none_or(|(_, most)| common > *most) {
                best = Some((pairs, common));
            }
            if is_complete {
                break;
            }
        }
        best
    }
}

/// Numbers for cells.
#[derive(Default)]
struct Cells {
    by_id: HashMap<String, u32>,
    by_text: HashMap<String, u32>,
    others: HashMap<(bool, String), u32>,
    next: u32,
    /// Whether things with the same name are one: predictions name things, so they cannot be told apart.
    by_name: bool,
}

/// Whether a predicted cell has only the name of a thing in gold.
fn names_gold(predicted: &[ComparedAnswer<'_>], gold: &[ComparedAnswer<'_>]) -> bool {
    let things = || gold.iter().flat_map(cells_of).filter(|cell| cell.id.is_some());
    let ids: HashSet<&str> = things().filter_map(|cell| cell.id.as_deref()).collect();
    let names: HashSet<Cow<'_, str>> = things().map(|cell| compared(&cell.text)).collect();
    let bare = predicted.iter().flat_map(cells_of).filter(|cell| cell.id.is_none());
    bare.into_iter().any(|cell| !ids.contains(&*cell.text) && names.contains(&compared(&cell.text)))
}

impl Cells {
    fn new_number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// The number of a gold cell: by id if it has one. Its text finds it, too, unless an earlier cell has that text.
    fn of_gold(&mut self, cell: &ComparedAnswer<'_>) -> u32 {
        let text = compared(&cell.text).into_owned();
        let known = match &cell.id {
            Some(id) if !self.by_name => self.by_id.get(id.as_ref()).copied(),
            _ => self.by_text.get(&text).copied(),
        };
        let number = known.unwrap_or_else(|| self.new_number());
        if let Some(id) = &cell.id {
            self.by_id.entry_ref(id.as_ref()).or_insert(number);
        }
        self.by_text.entry(text).or_insert(number);
        number
    }

    /// The number of a predicted cell: that of the gold cell with its id; with its text, if one of them has no id.
    fn of_predicted(&mut self, cell: &ComparedAnswer<'_>) -> u32 {
        let text = compared(&cell.text);
        let by_id = self.by_id.get(cell.id.as_deref().unwrap_or(&cell.text));
        let by_text = || match cell.id.is_none() || self.by_id.is_empty() {
            true => self.by_text.get(&*text),
            false => None,
        };
        if let Some(&known) = by_id.or_else(by_text) {
            return known;
        }
        let key = match &cell.id {
            Some(id) => (true, id.clone().into_owned()),
            None => (false, text.into_owned()),
        };
        if let Some(&known) = self.others.get(&key) {
            return known;
        }
        let number = self.new_number();
        self.others.insert(key, number);
        number
    }
}

/// Answers as rows of numbers, and the number of columns.
fn rows(
    answers: &[ComparedAnswer<'_>],
    number: &mut dyn FnMut(&ComparedAnswer<'_>) -> u32,
) -> (Vec<Row>, usize) {
    let width = answers.iter().map(|answer| cells_of(answer).len()).max().unwrap_or(1);
    let unbound = ComparedAnswer::default();
    let row = |answer: &ComparedAnswer<'_>| {
        let cells = cells_of(answer);
        (0..width).map(|at| number(cells.get(at).unwrap_or(&unbound))).collect()
    };
    (answers.iter().map(row).collect(), width)
}

fn cells_of<'a, 'c>(answer: &'a ComparedAnswer<'c>) -> &'a [ComparedAnswer<'c>] {
    answer.cells.as_deref().unwrap_or(std::slice::from_ref(answer))
}

/// The columns that do not only repeat the names of the things in another column.
fn without_names(answers: &[ComparedAnswer<'_>], width: usize) -> Vec<usize> {
    let names = |column: usize, things: usize| {
        let mut n_things = 0;
        let all = answers.iter().all(|answer| {
            let cells = cells_of(answer);
            let (Some(name), Some(thing)) = (cells.get(column), cells.get(things)) else { return false };
            n_things += usize::from(thing.id.is_some());
            name.id.is_none() && name.text == thing.text
        });
        all && n_things == answers.len() && n_things > 0
    };
    (0..width).filter(|&column| !(0..width).any(|things| things != column && names(column, things))).collect()
}

fn keep_columns(rows: &mut [Row], columns: &[usize]) {
    for row in rows {
        *row = columns.iter().map(|&column| row[column]).collect();
    }
}

/// Ways to match predicted columns with gold columns, the most promising first.
fn matchings(predicted: &[Row], gold: &[Row], n_predicted: usize, n_gold: usize) -> Vec<Vec<(usize, usize)>> {
    let column = |rows: &[Row], at: usize| -> HashSet<u32> { rows.iter().map(|row| row[at]).collect() };
    let gold_columns: Vec<HashSet<u32>> = (0..n_gold).map(|at| column(gold, at)).collect();
    let common: Vec<Vec<usize>> = (0..n_predicted)
        .map(|at| {
            let predicted = column(predicted, at);
            gold_columns.iter().map(|gold| predicted.intersection(gold).count()).collect()
        })
        .collect();
    let mut found: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
    // Column by column of the narrower side, keeping the best partial matchings.
    let is_predicted_narrower = n_predicted <= n_gold;
    for at in 0..n_predicted.min(n_gold) {
        let mut longer = Vec::new();
        for pairs in &found {
            for other in 0..n_predicted.max(n_gold) {
                let pair = if is_predicted_narrower { (at, other) } else { (other, at) };
                if pairs.iter().all(|known| known.0 != pair.0 && known.1 != pair.1) {
                    longer.push(pairs.iter().copied().chain([pair]).collect::<Vec<_>>());
                }
            }
        }
        let score = |pairs: &Vec<(usize, usize)>| pairs.iter().map(|&(p, g)| common[p][g]).sum::<usize>();
        longer.sort_by_key(|pairs| std::cmp::Reverse(score(pairs)));
        longer.truncate(MAX_MATCHINGS);
        found = longer;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::match_answers;
    use serde_json::{Value as Json, json};
    use touchstone_benchmark::Answer;

    fn counts(predicted: Json, gold: Json) -> (usize, usize, usize, Option<usize>) {
        let known = |list: Json| -> Vec<ComparedAnswer<'static>> {
            let answers: Vec<Answer> = serde_json::from_value(list).expect("answers");
            answers.into_iter().map(ComparedAnswer::of_owned).collect()
        };
        let AnswerMatch { overlap, first_right } = match_answers(&known(predicted), &known(gold));
        (overlap.common, overlap.predicted, overlap.gold, first_right)
    }

    fn row(cells: Json) -> Json {
        json!({ "type": "tuple", "cells": cells })
    }

    fn thing(id: &str) -> Json {
        json!({ "type": "entity", "id": id, "label": format!("name of {id}") })
    }

    #[test]
    fn columns_are_matched_by_content() {
        let text = |text: &str| json!({ "type": "text", "value": text });
        let gold = json!([row(json!([thing("a"), text("1")])), row(json!([thing("b"), text("2")]))]);
        let swapped = json!([row(json!([text("2"), thing("b")])), row(json!([text("1"), thing("a")]))]);
        assert_eq!(counts(gold.clone(), gold.clone()), (4, 4, 4, Some(1)));
        assert_eq!(counts(swapped.clone(), gold.clone()), (4, 4, 4, Some(1)));
        // The cells are right, but in other rows.
        let crossed = json!([row(json!([thing("a"), text("2")])), row(json!([thing("b"), text("1")]))]);
        assert_eq!(counts(crossed, gold.clone()), (0, 4, 4, None));
        // A column is missing, or there is one more.
        assert_eq!(counts(json!([thing("a"), thing("b")]), gold.clone()), (2, 2, 4, Some(1)));
        assert_eq!(counts(gold.clone(), json!([thing("b"), thing("c")])), (1, 4, 2, Some(2)));
        // Rows count once.
        let twice = json!([row(json!([thing("a"), text("1")])), row(json!([thing("a"), text("1")]))]);
        assert_eq!(counts(twice, gold.clone()), (2, 2, 4, Some(1)));
        assert_eq!(counts(json!([]), gold.clone()), (0, 0, 4, None));
        assert_eq!(counts(gold, json!([])), (0, 4, 0, None));
    }

    #[test]
    fn columns_of_names_do_not_count() {
        let named = |id: &str| row(json!([thing(id), { "type": "text", "value": format!("name of {id}") }]));
        let gold = json!([thing("a"), thing("b")]);
        assert_eq!(counts(json!([named("a"), named("b")]), gold.clone()), (2, 2, 2, Some(1)));
        assert_eq!(counts(gold.clone(), json!([named("a"), named("b")])), (2, 2, 2, Some(1)));
        // A text that is not the name is a column.
        let other = row(json!([thing("a"), { "type": "text", "value": "x" }]));
        assert_eq!(counts(json!([other]), json!([thing("a")])), (1, 2, 1, Some(1)));
    }

    #[test]
    fn the_order_of_gold_does_not_matter_for_names() {
        let twin = |id: &str, value: &str| {
            let thing = json!({ "type": "entity", "id": id, "label": "Springfield" });
            row(json!([thing, { "type": "text", "value": value }]))
        };
        let named = json!([row(json!(["Springfield", "2"]))]);
        let (one, two) = (twin("a", "1"), twin("b", "2"));
        assert_eq!(counts(named.clone(), json!([one, two])), (2, 2, 4, Some(1)));
        assert_eq!(counts(named, json!([two, one])), (2, 2, 4, Some(1)));
        // With ids they are two things.
        assert_eq!(counts(json!([twin("a", "2")]), json!([one, two])), (0, 2, 4, None));
    }

    #[test]
    fn many_columns_are_matched() {
        let wide = |shift: usize| -> Json {
            let cells = |at: usize| {
                (0..9).map(move |c| json!({ "type": "text", "value": format!("{at}-{}", (c + shift) % 9) }))
            };
            json!((0..20).map(|at| row(cells(at).collect())).collect::<Vec<_>>())
        };
        assert_eq!(counts(wide(3), wide(0)), (180, 180, 180, Some(1)));
    }
}
