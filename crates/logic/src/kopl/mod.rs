//! KoPL programs: the language of KQA Pro.

mod check;
mod convert;
mod error;
mod functions;
mod json;
mod linear;
mod meaning;
mod program;
mod readable;

pub use check::{NumberText, TimeText, parse_number, parse_time};
pub use convert::{from_query, print};
pub use error::ProgramError;
pub use functions::{Input, InputKind, KoplFunction, Signature, Type};
pub use meaning::{AttributeValues, ProgramAsk, ProgramBuilder, keyed_value, readings, time_value};
pub use program::{Program, ProgramStep, infer_dependencies};
