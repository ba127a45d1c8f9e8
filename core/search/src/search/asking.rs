//! What all searches of one job take.

use super::accept::Accept;
use super::work::Work;
use shardwise_engine::context::Context;

/// What all searches of one job take.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) accept: Accept<'a>,
    pub(super) work: &'a Work,
}
