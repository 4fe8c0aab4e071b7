//! Sets with fewer constraints.

use crate::query::{Relate, Set};

/// The variants of a set with one constraint removed.
pub fn without_one(set: &Set) -> Vec<Set> {
    let mut all = Vec::new();
    each_without_one(set, &mut |wider| {
        all.push(wider);
        false
    });
    all
}

/// Calls `visit` with each variant of a set with one constraint removed, until it returns that this is enough; classes are kept, because
/// questions need nouns.
pub fn each_without_one(set: &Set, visit: &mut dyn FnMut(Set) -> bool) -> bool {
    match set {
        Set::And(parts) => parts.iter().enumerate().any(|(at, part)| {
            let others =
                || parts.iter().enumerate().filter(move |(i, _)| *i != at).map(|(_, part)| part.clone());
            !matches!(part, Set::Class(_)) && visit(Set::and(others()))
                || each_without_one(part, &mut |changed| visit(Set::and(others().chain([changed]))))
        }),
        Set::Or(parts) => parts.iter().enumerate().any(|(at, part)| {
            each_without_one(part, &mut |changed| {
                let mut parts = parts.clone();
                parts[at] = changed;
                visit(Set::Or(parts))
            })
        }),
        Set::Relate(relate) => {
            let with_from = |from: Set| {
                let (property, conditions) = (relate.property.clone(), relate.conditions.clone());
                Set::Relate(Box::new(Relate { from, property, direction: relate.direction, conditions }))
            };
            let is_enough = match &relate.from {
                Set::And(_) => each_without_one(&relate.from, &mut |from| visit(with_from(from))),
                // The only constraint of an inner vertex: what remains is that such a thing exists.
                Set::Relate(inner) => {
                    each_without_one(&relate.from, &mut |from| visit(with_from(from)))
                        || visit(with_from(Set::relate(Set::All, inner.property.clone(), inner.direction)))
                }
                _ => false,
            };
            is_enough
                || (0..relate.conditions.len()).any(|at| {
                    let mut relate = relate.clone();
                    relate.conditions.remove(at);
                    visit(Set::Relate(relate))
                })
        }
        Set::Marked(mark, inner) => {
            each_without_one(inner, &mut |changed| visit(Set::Marked(*mark, Box::new(changed))))
        }
        _ => false,
    }
}
