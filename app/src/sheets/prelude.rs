//! What nearly every sheet names.

pub(super) use serde_json::Value;
pub(super) use shardwise_core::complete::training_gpus;
pub(super) use shardwise_core::wire::question_from_value;
pub(super) use shardwise_core::{Question, permalink};

pub(super) use super::asked::{Ask, Asked};
pub(super) use crate::form::Field;
pub(super) use crate::protocol::blocks::{
    Action, Block, Button, Cell, Entry, Holds, Kind, Listed, Look, Purpose, Section, Stands, Table, Tabled, Tone, cell,
    code, column, entries, fold, link, prose, quiet, row, runs, said, strong, tag, words as run,
};
pub(super) use crate::text::{Lang, fill};
pub(super) use crate::{fit, format, money, words};
