//! Whether the worker is well: how long it may keep quiet, and what follows where it does, or dies.

/// How long the worker may take to start, download and all, in milliseconds: 800 kB at 100 kbit/s is a minute.
const START_MS: u32 = 180_000;

/// How long it may keep quiet over what it has in hand. The longest task known, a sweep of Mixture-of-Experts RL over every
/// count of GPUs, takes seconds, and a phone six times as long.
const TASK_MS: u32 = 60_000;

/// What follows where the worker hangs or dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Another one takes up what this one had in hand.
    Restart,
    /// The page says so, and a person may start another.
    Tell,
}

/// What is known of the worker.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Health {
    started: bool,
    restarted: bool,
}

impl Health {
    /// Nothing is known yet.
    pub(super) const NEW: Self = Self { started: false, restarted: false };

    /// How long to wait for its next word, in milliseconds.
    pub(super) const fn patience_ms(self) -> u32 {
        if self.started { TASK_MS } else { START_MS }
    }

    /// It says that it has started.
    pub(super) const fn started(&mut self) {
        self.started = true;
    }

    /// It has answered: what is wrong later is another trouble.
    pub(super) const fn answered(&mut self) {
        *self = Self { started: true, restarted: false };
    }

    /// It hangs or died. Twice in a row without an answer is what a third one would not mend.
    pub(super) const fn failed(&mut self) -> Remedy {
        let remedy = if self.restarted { Remedy::Tell } else { Remedy::Restart };
        *self = Self { started: false, restarted: matches!(remedy, Remedy::Restart) };
        remedy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_fails_is_replaced_once() {
        let mut health = Health::NEW;
        assert_eq!(health.failed(), Remedy::Restart);
        health.started();
        assert_eq!(health.failed(), Remedy::Tell);
        // A person started another.
        assert_eq!(health.failed(), Remedy::Restart);
    }

    #[test]
    fn an_answer_makes_up_for_a_failure() {
        let mut health = Health::NEW;
        assert_eq!(health.failed(), Remedy::Restart);
        health.answered();
        assert_eq!(health.failed(), Remedy::Restart);
    }

    #[test]
    fn a_start_is_given_more_time_than_a_task() {
        let mut health = Health::NEW;
        assert_eq!(health.patience_ms(), START_MS);
        health.started();
        assert_eq!(health.patience_ms(), TASK_MS);
        health.failed();
        assert_eq!(health.patience_ms(), START_MS);
    }
}
