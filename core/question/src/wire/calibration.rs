//! How a run of one's own differs from its estimate.

use super::document::document;

document! {
    /// Measured over estimated, each 0.1 to 10: what estimates are multiplied by.
    #[derive(Copy, Default)]
    pub struct Calibration {
        /// On all seconds but those that the question states, and those of phases that have a factor of their own. Default 1.
        pub time: Option<f64>,
        /// On what training's allocator hands out; not on the engine's share of the card. Default 1.
        pub memory: Option<f64>,
        /// Of an RL step: on generation's seconds. Default: `time`.
        pub rollout: Option<f64>,
        /// Of an RL step: on passes forward alone, for log-probabilities, reference, values and rewards. Default: `time`.
        pub forward: Option<f64>,
        /// Of an RL step: on updates of actor and critic. Default: `time`.
        pub update: Option<f64>,
        /// Of an RL step: on handing new weights to the engine. Default: `time`.
        pub weight_sync: Option<f64>,
        /// Of an RL step: on what is left of it. Default: `time`.
        pub other: Option<f64>,
    }
}

impl Calibration {
    /// Whether phases of a step have factors of their own.
    #[must_use]
    pub fn has_phases(&self) -> bool {
        [self.rollout, self.forward, self.update, self.weight_sync, self.other]
            .iter()
            .any(Option::is_some)
    }

    /// The factors with their keys; those of phases last.
    #[must_use]
    pub fn factors(&self) -> [(&'static str, Option<f64>); 7] {
        [
            ("time", self.time),
            ("memory", self.memory),
            ("rollout", self.rollout),
            ("forward", self.forward),
            ("update", self.update),
            ("weight_sync", self.weight_sync),
            ("other", self.other),
        ]
    }

    /// The factor of a key; `None` of what is none.
    pub fn factor_mut(&mut self, key: &str) -> Option<&mut Option<f64>> {
        Some(match key {
            "time" => &mut self.time,
            "memory" => &mut self.memory,
            "rollout" => &mut self.rollout,
            "forward" => &mut self.forward,
            "update" => &mut self.update,
            "weight_sync" => &mut self.weight_sync,
            "other" => &mut self.other,
            _ => return None,
        })
    }
}
