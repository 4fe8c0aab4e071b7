//! Runs programs exactly as the two published executors of KQA Pro do, bugs included.
//!
//! Useful for: reproducing published figures. Not useful for: correct answers; the engine itself runs programs on sets.
//!
//! [`Compat::Kopl`] is the package KoPL 0.0.5 of PyPI, [`Compat::Rule`] the rule executor of the KQA Pro baselines. Both pass lists of ids
//! between steps, with duplicates and with the record that led to each id, and both use what comes first or last in `kb.json`. The KB should
//! therefore be imported from that file, which keeps its order ([`Kb::records`]). Other KBs are run in store order, with every fact seen from
//! both of its ends.
//!
//! | module | question it answers |
//! |---|---|
//! | `kopl.rs`, `rule.rs` | what does each function do? |
//! | `machine.rs` | how do steps use the results of other steps? |
//! | `file_view.rs` | what would the executor have loaded? |
//! | `value.rs`, `python.rs` | how are values compared, parsed and printed? |
//! | `answer.rs`, `error.rs` | what is the result? |
//!
//! # What is not reproduced
//!
//! - **Order of sets.** After `FilterConcept`, `And`, `Or` (and within KOPL's filters, `Relate` and `SelectAmong`), Python uses hash order,
//!   which changes from process to process. Here it is file order.
//! - **Names with repeated spaces.** The importer collapses them, as RULE does; KOPL does not.
//! - **Cycles of the class hierarchy** are cut by the importer. KOPL follows them; RULE never terminates.
//! - **An entity that is used as a class** is a class in the importer.
//! - **Locating functions at the end.** Python prints the records, partly as memory addresses; here each is `{...}`.
//! - RULE returns its cached list of ids, so a second `Find` of a name also extends the first one's list. Here it extends only the second
//!   one's.

mod answer;
mod error;
mod file_view;
mod kopl;
mod machine;
mod python;
mod rule;
mod value;

pub use answer::CompatAnswer;
pub use error::{CompatError, Exception};

use crate::budget::Budget;
use file_view::FileView;
use std::collections::HashMap;
use std::fmt;
use touchstone_kb::Kb;
use touchstone_logic::Program;

/// A published executor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Compat {
    /// The package KoPL 0.0.5: lists of everything that fits.
    Kopl,
    /// The rule executor of the KQA Pro baselines: the first entity, one value.
    Rule,
}

impl Compat {
    /// Both.
    pub const ALL: [Compat; 2] = [Compat::Kopl, Compat::Rule];

    /// Both, each with its name and a description.
    pub const NAMED: [(&'static str, &'static str, Compat); 2] = [
        ("kopl", "The PyPI package KoPL 0.0.5", Compat::Kopl),
        ("rule", "The rule executor of KQA Pro's baselines", Compat::Rule),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Compat::Kopl => "kopl",
            Compat::Rule => "rule",
        }
    }
}

impl fmt::Display for Compat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Runs one program in a fresh process; see [`CompatProcess`].
pub fn run(
    kb: &Kb,
    program: &Program,
    compat: Compat,
    budget: &Budget<'_>,
) -> Result<CompatAnswer, CompatError> {
    CompatProcess::new(kb, compat).run(program, budget)
}

/// The state of one executor process. RULE changes its own tables while it runs, so the answer to a program depends on
/// earlier programs: each `Find` of a name that is also a concept's returns the concept once more than the previous one.
pub struct CompatProcess<'k> {
    view: FileView<'k>,
    /// By name: number of times RULE looked it up.
    asked: HashMap<String, usize>,
}

impl<'k> CompatProcess<'k> {
    /// A fresh process.
    pub fn new(kb: &'k Kb, compat: Compat) -> CompatProcess<'k> {
        CompatProcess { view: FileView::new(kb, compat), asked: HashMap::new() }
    }

    /// Runs a program. The result of the last step is the answer.
    pub fn run(&mut self, program: &Program, budget: &Budget<'_>) -> Result<CompatAnswer, CompatError> {
        machine::run(&mut self.view, &mut self.asked, program, budget)
    }
}
