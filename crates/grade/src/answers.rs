//! Compares predicted answers with gold answers, by id if both have one, otherwise by text.

use crate::columns::match_rows;
use crate::sets::Overlap;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::cell::OnceCell;
use touchstone_datasets::ComparedAnswer;

/// The text for comparisons: numbers by value, with their unit. A name that begins with a number is not changed.
pub(crate) fn compared(text: &str) -> Cow<'_, str> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return Cow::Borrowed(text);
    }
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    match number.parse::<f64>() {
        Ok(number) if number.is_finite() => Cow::Owned(format!("{number} {unit}")),
        _ => Cow::Borrowed(text),
    }
}

/// The result of matching predicted answers with gold answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct AnswerMatch {
    /// The overlap as sets.
    pub(crate) overlap: Overlap,
    /// The position of the first right answer, counted from 1.
    pub(crate) first_right: Option<usize>,
}

/// Most questions have few answers.
type Small<T> = SmallVec<[T; 4]>;

/// Gold answers by id, sorted, with their index; and by text, created on demand: if all have ids, it is not needed.
struct GoldIndex<'g> {
    answers: &'g [ComparedAnswer<'g>],
    by_id: Small<(&'g str, usize)>,
    by_text: OnceCell<Small<(Cow<'g, str>, usize)>>,
}

impl<'g> GoldIndex<'g> {
    fn of(answers: &'g [ComparedAnswer<'g>]) -> GoldIndex<'g> {
        let ids = answers.iter().enumerate().filter_map(|(at, answer)| Some((answer.id.as_deref()?, at)));
        let mut by_id: Small<(&str, usize)> = ids.collect();
        // Answers from the KB are sorted by id.
        if !by_id.is_sorted() {
            by_id.sort_unstable();
        }
        by_id.dedup_by_key(|(id, _)| *id);
        GoldIndex { answers, by_id, by_text: OnceCell::new() }
    }

    /// The number of distinct answers.
    fn len(&self) -> usize {
        if self.answers.iter().all(|answer| answer.id.is_some()) {
            return self.by_id.len();
        }
        self.by_text().len()
    }

    /// Duplicates count once: by id if they have one, otherwise by text.
    fn by_text(&self) -> &[(Cow<'g, str>, usize)] {
        self.by_text.get_or_init(|| {
            let is_first = |at: usize| match self.answers[at].id.as_deref() {
                Some(id) => place(&self.by_id, id) == Some(at),
                None => true,
            };
            let mut by_text: Small<(Cow<'_, str>, usize)> = self
                .answers
                .iter()
                .enumerate()
                .filter(|(at, _)| is_first(*at))
                .map(|(at, answer)| (compared(&answer.text), at))
                .collect();
            by_text.sort_unstable();
            let mut of_same: Small<bool> = SmallVec::new();
            for (i, (text, at)) in by_text.iter().enumerate() {
                let said_before = i > 0 && by_text[i - 1].0 == *text;
                of_same.push(said_before && self.answers[*at].id.is_none());
            }
            let mut is_repeated = of_same.into_iter();
            by_text.retain(|_| !is_repeated.next().unwrap_or(false));
            by_text
        })
    }

    fn of_text(&self, text: &str) -> impl Iterator<Item = usize> + Clone + use<'_, 'g> {
        let (by_text, text) = (self.by_text(), compared(text));
        let from = by_text.partition_point(|(known, _)| *known < text);
        let same = by_text[from..].partition_point(|(known, _)| *known == text);
        by_text[from..from + same].iter().map(|(_, at)| *at)
    }
}

fn place(sorted: &[(&str, usize)], id: &str) -> Option<usize> {
    sorted.binary_search_by_key(&id, |(known, _)| known).ok().map(|at| sorted[at].1)
}

/// Compares answers as sets: duplicates count once. The order matters only for the first right one. Answers are compared
/// by id if both have one; a bare text may be the id or the text.
pub(crate) fn match_answers(predicted: &[ComparedAnswer<'_>], gold: &[ComparedAnswer<'_>]) -> AnswerMatch {
    if predicted.iter().chain(gold).any(|answer| answer.cells.is_some()) {
        return match_rows(predicted, gold);
    }
    let known = GoldIndex::of(gold);
    let mut found: SmallVec<[bool; 16]> = SmallVec::from_elem(false, gold.len());
    let mut others: Small<(bool, Cow<'_, str>)> = SmallVec::new();
    let mut first_right = None;
    for (at, answer) in predicted.iter().enumerate() {
        let by_id = place(&known.by_id, answer.id.as_deref().unwrap_or(&answer.text));
        let by_text = match (by_id, &answer.id) {
            (None, None) => Some(known.of_text(&answer.text)),
            // Gold without ids is compared by text.
            (None, Some(_)) if known.by_id.is_empty() => Some(known.of_text(&answer.text)),
            _ => None,
        };
        let places = by_id.into_iter().chain(by_text.into_iter().flatten());
        if places.clone().next().is_none() {
            others.push(match &answer.id {
                Some(id) => (true, Cow::Borrowed(id)),
                None => (false, compared(&answer.text)),
            });
            continue;
        }
        first_right = first_right.or(Some(at + 1));
        // One text may be the name of several gold answers: it matches one of those not yet matched.
        if let Some(place) = places.clone().find(|&place| !found[place]) {
            found[place] = true;
        }
    }
    others.sort_unstable();
    others.dedup();
    let common = found.iter().filter(|found| **found).count();
    let overlap = Overlap { common, predicted: common + others.len(), gold: known.len() };
    AnswerMatch { overlap, first_right }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value as Json;
    use serde_json::json;
    use touchstone_benchmark::Answer;

    fn known(list: Json) -> Vec<ComparedAnswer<'static>> {
        let answers: Vec<Answer> = serde_json::from_value(list).expect("answers");
        answers.into_iter().map(ComparedAnswer::of_owned).collect()
    }

    #[test]
    fn answers_match() {
        let counts = |predicted: Json, gold: Json| {
            let AnswerMatch { overlap, first_right } = match_answers(&known(predicted), &known(gold));
            (overlap.common, overlap.predicted, overlap.gold, first_right)
        };
        let gold = json!([
            { "type": "entity", "id": "Q1", "label": "Paris" },
            { "type": "entity", "id": "Q2", "label": "Rome" }
        ]);
        assert_eq!(counts(json!(["Rome", "x", "x"]), gold.clone()), (1, 2, 2, Some(1)));
        assert_eq!(counts(json!(["x", "Q1"]), gold.clone()), (1, 2, 2, Some(2)));
        assert_eq!(counts(json!([{ "id": "Q3", "label": "Paris" }]), gold.clone()), (0, 1, 2, None));
        assert_eq!(counts(json!([]), gold), (0, 0, 2, None));
        assert_eq!(counts(json!([]), json!([])), (0, 0, 0, None));
        let metres = json!([{ "type": "quantity", "value": "206", "unit": "centimetre" }]);
        assert_eq!(counts(json!(["206.0 centimetre"]), metres.clone()), (1, 1, 1, Some(1)));
        assert_eq!(counts(json!(["206"]), metres), (0, 1, 1, None), "the unit is missing");
        // Two things with the same name, and the name predicted once or twice.
        let twins = json!([{ "id": "Q1", "label": "X" }, { "id": "Q2", "label": "X" }]);
        assert_eq!(counts(json!(["X"]), twins.clone()), (1, 1, 2, Some(1)));
        assert_eq!(counts(json!(["X", "X"]), twins), (2, 2, 2, Some(1)));
        // Gold duplicates count once, by id or by text.
        let twice =
            json!([{ "id": "Q1", "label": "X" }, { "id": "Q1", "label": "X" }, { "id": "Q2", "label": "Y" }]);
        assert_eq!(counts(json!([{ "id": "Q1" }, { "id": "Q2" }]), twice.clone()), (2, 2, 2, Some(1)));
        assert_eq!(counts(json!(["X"]), twice), (1, 1, 2, Some(1)));
        assert_eq!(counts(json!(["7.0", "x"]), json!([7, "7", "x"])), (2, 2, 2, Some(1)));
        assert_eq!(counts(json!([true]), json!([{ "type": "boolean", "value": true }])), (1, 1, 1, Some(1)));
    }
}
