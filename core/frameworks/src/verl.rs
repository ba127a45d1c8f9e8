//! veRL, both ways: a command with hydra overrides, on FSDP2 or Megatron.
//!
//! `keys` has a row for each key, in the section of its prefix: the field that it is, and what a text says for it. `emit`
//! puts the rows of a run together, `versions` says them as older releases said them; `read` takes the rows of a pasted text, and does
//! what several keys decide together.

mod emit;
mod keys;
mod read;
mod role;
mod versions;

pub(crate) use emit::emit;
#[cfg(test)]
pub(crate) use keys::SECTIONS;
pub(crate) use read::read;
