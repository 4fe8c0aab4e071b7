//! What people look at: the report of graded runs, one file that needs nothing else.

mod report;

pub use report::{Graded, Report, Run, html};
