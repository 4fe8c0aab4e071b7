//! Runs programs exactly as the two published executors of KQA Pro do, mistakes included.
//!
//! Useful for: repeating published figures. Not useful for: right answers; the engine itself runs programs on sets.
//!
//! [`Compat::Kopl`] is the package KoPL 0.0.5 of PyPI, [`Compat::Rule`] the rule executor of the KQA Pro baselines. Both pass lists of ids
//! along, with repetitions and with the record that led to each, and both take what stands first or last in `kb.json`. So the KB should be
//! imported from that file: its order is kept then ([`Kb::records`]). Other KBs are run in the order of the store, every fact seen from
//! both of its ends.
//!
//! | module | question it answers |
//! |---|---|
//! | `kopl.rs`, `rule.rs` | what does each function do? |
//! | `machine.rs` | how do steps take results of steps? |
//! | `file_view.rs` | what would the executor have loaded? |
//! | `value.rs`, `python.rs` | how do values compare, how are they read and written? |
//! | `answer.rs`, `error.rs` | what comes out? |
//!
//! # What is not reproduced
//!
//! - **Order of sets.** After `FilterConcept`, `And`, `Or` (and within KOPL's filters, `Relate` and `SelectAmong`) Python's order is that of hashes,
//!   which changes from process to process. Here it is the order of the file.
//! - **Names with runs of blanks.** The importer joins them, as RULE does; KOPL does not.
//! - **Cycles of the class hierarchy** are cut by the importer. KOPL follows them; RULE never comes back.
//! - **An entity that is used as a class** is a class for the importer.
//! - **Locating functions at the end.** Python prints the records, partly as addresses in memory; here each is `{...}`.
//! - RULE hands out its cached list of ids: a second `Find` of a name also makes the first one's list longer. Here only the second one's.

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

/// Runs one program in a process of its own: see [`CompatProcess`].
pub fn run(
    kb: &Kb,
    program: &Program,
    compat: Compat,
    budget: &Budget<'_>,
) -> Result<CompatAnswer, CompatError> {
    CompatProcess::new(kb, compat).run(program, budget)
}

/// One process of an executor. RULE changes its own tables while it runs, so the answer to a program depends on the
/// programs before it: every `Find` of a name that is also a concept's returns the concept once more than the last one.
pub struct CompatProcess<'k> {
    view: FileView<'k>,
    /// By name: how often RULE was asked for it.
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
