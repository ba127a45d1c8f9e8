//! From a question to a job: defaults applied, everything invalid refused by name.

use crate::hardware::Hardware;
use crate::model::Model;
use crate::workload::Workload;

/// A question resolved: what to train or generate, and on what.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The model.
    pub model: Model,
    /// The machine.
    pub hardware: Hardware,
    /// The task.
    pub workload: Workload,
}
