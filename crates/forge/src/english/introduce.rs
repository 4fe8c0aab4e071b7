//! Several sentences for deep nesting: "Consider the rivers that ... . Which countries does one of those rivers cross?"

use super::verbalise::{Verbalised, Verbaliser, is_name};
use touchstone_kb::ClassId;
use touchstone_logic::Set;

/// Percentage of descriptions within which there is another description that get a sentence of their own.
const DEEP: u64 = 35;

/// The same for other descriptions, so that a sentence of its own does not reveal the shape.
const PLAIN: u64 = 8;

/// How the sentence begins.
const STARTS: [&str; 3] = ["consider", "take", "look at"];

impl Verbaliser<'_, '_> {
    /// Sometimes describes a set in a sentence before the question, once for each question, and returns what refers to it. The reference says
    /// that one of the things is enough, as the query does.
    pub(super) fn introduced(&mut self, set: &Set, class: Option<ClassId>) -> Verbalised<Option<String>> {
        let percent = if is_deep(set) { DEEP } else { PLAIN };
        let is_plain = set.conjuncts().iter().all(|part| matches!(part, Set::Class(_) | Set::All));
        if self.introduction.is_some() || is_plain || refers_outside(set) || !self.random.percent(percent) {
            return Ok(None);
        }
        // Claimed before the description is made, so that a description within it stays there.
        self.introduction = Some(String::new());
        let own = self.noun(set.conjuncts());
        let (noun, is_unique) = self.narrowed(self.more_special(class, own), set);
        let (_, clauses) = self.described(set, !is_unique)?;
        let described = self.nominal_within(&noun, clauses, !is_unique);
        let start = self.one_of(&STARTS);
        self.introduction = Some(format!("{start} the {described}"));
        Ok(Some(match is_unique {
            true => format!("that {}", noun.one),
            false => format!("{} of those {}", self.one_of(&["one", "at least one"]), noun.many),
        }))
    }
}

/// Whether one of the constraints of a set is a description.
fn is_deep(set: &Set) -> bool {
    set.conjuncts().iter().any(|part| match part {
        Set::Relate(relate) => !is_name(&relate.from) && !matches!(relate.from, Set::Values(..) | Set::All),
        _ => false,
    })
}

/// Whether a set is part of a cycle, or has no description of one clause.
fn refers_outside(set: &Set) -> bool {
    match set {
        Set::Same(_) | Set::Marked(..) | Set::Superlative(_) | Set::Or(_) => true,
        Set::Relate(relate) => refers_outside(&relate.from),
        Set::And(parts) => parts.iter().any(refers_outside),
        _ => false,
    }
}
