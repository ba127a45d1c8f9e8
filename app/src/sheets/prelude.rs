//! What nearly every sheet names.

pub(super) use super::asked::{Ask, Asked};
pub(super) use crate::format;
pub(super) use crate::protocol::blocks::{
    Action, Block, Button, Cell, Entry, Holds, Kind, Listed, Look, Purpose, Section, Stands, Table, Tabled, Tone, cell,
    code, column, entries, fold, link, prose, quiet, row, runs, said, strong, tag, words as run,
};
pub(super) use crate::text::{Lang, fill};
