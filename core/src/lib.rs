//! Shardwise's core.
pub mod catalog;
pub mod error;
pub mod model;
pub mod wire;

pub use error::{Caveat, InputError};
pub use wire::{Answer, Question};
