//! The commands about grades: `grade`, `compare`, `degrade`, `sensitivity`, `axioms`, `measures`, `report`.

pub(crate) mod axioms;
pub(crate) mod compare;
pub(crate) mod degrade;
pub(crate) mod distil;
pub(crate) mod grading;
pub(crate) mod measures;
pub(crate) mod regress;
pub(crate) mod report;
pub(crate) mod sensitivity;
