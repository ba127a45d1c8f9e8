//! The page's side of the workers. The engine's answers what is typed; the other one's part of the program comes after the
//! first answer: flags, scripts, sheets, and the core's sentences in Chinese.

pub(crate) mod desk;
pub(crate) mod estimates;
mod health;
pub(crate) mod sayings;
