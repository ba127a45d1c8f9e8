//! The page's side of the worker, a program of its own, so that the first download holds none of it and a long script does not
//! hold up the typing: flags, scripts, sheets, plans that take long, and the core's sentences in Chinese.

pub(crate) mod choices;
pub(crate) mod desk;
mod health;
pub(crate) mod sayings;
