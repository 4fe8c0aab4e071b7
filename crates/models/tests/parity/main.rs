//! Compares layers and networks with PyTorch: outputs, losses, gradients, greedy decoding and beam search. The fixtures are written by
//! `tools/models/reference.py`, whose README describes them.
#![allow(clippy::unwrap_used)]

mod fixture;
mod layers;
mod networks;
mod programs;
