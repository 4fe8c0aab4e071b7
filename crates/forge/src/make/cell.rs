//! The cells of a benchmark: training, and each level of evaluation.

use std::ops::{Index, IndexMut};
use touchstone_logic::level::Level;

/// The purpose of a question: training, or evaluation at a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell {
    /// Training.
    Train,
    /// Development or test, at this level.
    Evaluation(Level),
}

impl Cell {
    /// Questions whose template occurs in training.
    pub(crate) const IID: Cell = Cell::Evaluation(Level::Iid);
    /// Questions whose template is held out of training.
    pub(crate) const COMPOSITIONAL: Cell = Cell::Evaluation(Level::Compositional);
    /// Questions with schema items that are held out of training.
    pub(crate) const ZERO_SHOT: Cell = Cell::Evaluation(Level::ZeroShot);
    /// All cells, in the order in which questions are assembled.
    pub(crate) const ALL: [Cell; 4] = [Cell::Train, Cell::IID, Cell::COMPOSITIONAL, Cell::ZERO_SHOT];
    /// The cells that queries are sampled for. I.i.d. questions are made from training questions.
    pub(crate) const SAMPLED: [Cell; 3] = [Cell::Train, Cell::COMPOSITIONAL, Cell::ZERO_SHOT];

    /// The level; `None` for training.
    pub(crate) fn level(self) -> Option<Level> {
        match self {
            Cell::Train => None,
            Cell::Evaluation(level) => Some(level),
        }
    }

    /// The name in `unfilled` of `benchmark.json`.
    pub(crate) fn name(self) -> &'static str {
        self.level().map_or("train", Level::name)
    }
}

/// One value for each cell.
#[derive(Debug, Clone, Default)]
pub(crate) struct PerCell<T> {
    train: T,
    iid: T,
    compositional: T,
    zero_shot: T,
}

impl<T> PerCell<T> {
    /// From values in the order of [`Cell::ALL`].
    pub(crate) fn from_array([train, iid, compositional, zero_shot]: [T; 4]) -> PerCell<T> {
        PerCell { train, iid, compositional, zero_shot }
    }

    /// The values with their cells, in the order of [`Cell::ALL`].
    pub(crate) fn into_iter(self) -> impl Iterator<Item = (Cell, T)> {
        Cell::ALL.into_iter().zip([self.train, self.iid, self.compositional, self.zero_shot])
    }
}

impl<T> Index<Cell> for PerCell<T> {
    type Output = T;

    fn index(&self, cell: Cell) -> &T {
        match cell {
            Cell::Train => &self.train,
            Cell::Evaluation(Level::Iid) => &self.iid,
            Cell::Evaluation(Level::Compositional) => &self.compositional,
            Cell::Evaluation(Level::ZeroShot) => &self.zero_shot,
        }
    }
}

impl<T> IndexMut<Cell> for PerCell<T> {
    fn index_mut(&mut self, cell: Cell) -> &mut T {
        match cell {
            Cell::Train => &mut self.train,
            Cell::Evaluation(Level::Iid) => &mut self.iid,
            Cell::Evaluation(Level::Compositional) => &mut self.compositional,
            Cell::Evaluation(Level::ZeroShot) => &mut self.zero_shot,
        }
    }
}
