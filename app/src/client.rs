//! The page's side of the worker, whose part of the program comes after the first answer, and which does not hold up the typing:
//! flags, scripts, sheets, plans that take long, and the core's sentences in Chinese.

pub(crate) mod choices;
pub(crate) mod desk;
mod health;
pub(crate) mod sayings;
