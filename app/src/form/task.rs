//! Tasks as a person chooses them: the kind of work first, then which of that kind.

use shardwise_core::task::Task;
use shardwise_core::wire::WorkloadKind;

worded! {
    /// A kind of work.
    enum Family {
        /// Training from nothing.
        Pretrain = "pretrain",
        /// Fine-tuning of all weights.
        Full = "full",
        /// Fine-tuning of adapters.
        Adapters = "adapters",
        /// Learning from preferences.
        Prefer = "prefer",
        /// Reinforcement learning.
        Rl = "rl",
        /// Generation alone.
        Generate = "generate",
    }
}

impl Family {
    /// The kind of work that a task is.
    pub(crate) fn of(task: WorkloadKind) -> Self {
        match (task.task(), task) {
            (Task::Prefer(_), _) => Self::Prefer,
            (Task::Rl(_), _) => Self::Rl,
            (Task::Generate, _) => Self::Generate,
            (Task::Train, WorkloadKind::Pretrain) => Self::Pretrain,
            (Task::Train, WorkloadKind::Lora | WorkloadKind::Qlora) => Self::Adapters,
            (Task::Train, _) => Self::Full,
        }
    }

    pub(crate) fn tasks(self) -> Vec<WorkloadKind> {
        WorkloadKind::ALL.into_iter().filter(|task| Self::of(*task) == self).collect()
    }

    /// The task that it starts with.
    pub(crate) fn usual(self) -> WorkloadKind {
        match self {
            Self::Pretrain => WorkloadKind::Pretrain,
            Self::Full => WorkloadKind::Sft,
            Self::Adapters => WorkloadKind::Lora,
            Self::Prefer => WorkloadKind::Dpo,
            Self::Rl => WorkloadKind::Grpo,
            Self::Generate => WorkloadKind::Rollout,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Family;
    use shardwise_core::wire::WorkloadKind;

    #[test]
    fn every_task_is_in_one_list() {
        let counts = Family::ALL.map(|family| family.tasks().len());
        assert_eq!(counts, [1, 1, 2, 6, 12, 1]);
        assert_eq!(counts.iter().sum::<usize>(), WorkloadKind::ALL.len());
        for family in Family::ALL {
            assert_eq!(Family::of(family.usual()), family);
        }
    }
}
