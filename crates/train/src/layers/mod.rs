//! Layers that the systems share, each compared with PyTorch in the tests of `touchstone-models`.

mod attention;
mod heads;
mod linear;
mod recurrent;

pub use attention::{Attention, MASKED};
pub use heads::{Heads, KeysValues};
pub use linear::{Scale, Uniform, embedding, linear};
pub use recurrent::{BidirectionalStack, LayerState, RecurrentCell, RecurrentLayer, RecurrentStack};
