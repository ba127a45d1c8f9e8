//! GPUs, machines, prices, models and efficiencies, each figure with its source, and the quantities that they come in.
//!
//! The tables are the TOML files of `data/`; `build.rs` checks them and compiles them in. Models that the catalog lacks
//! are read from their `config.json` ([`model`]).

pub mod catalog;
pub mod divisors;
pub mod efficiency;
pub mod encoding;
pub mod error;
pub mod hardware;
pub mod json;
pub mod model;
pub mod ordered;
mod slug;
pub mod spread;
pub mod units;
pub mod word;
pub mod words;

pub use error::{Caveat, InputError};
