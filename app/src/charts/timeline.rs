//! The phases of an RL step on an axis of time: who works when, and who waits.

use shardwise_core::wire::Schedule;

/// Who works, in the order of their lanes.
pub(crate) const LANES: [&str; 8] =
    ["engine", "teacher", "actor", "reference", "critic", "reward", "weight_sync", "driver"];

/// The name of a bar that is no phase: its side waits for the other.
pub(crate) const WAITING: &str = "bubble";

/// A phase, or a wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bar {
    /// Who works, of [`LANES`].
    pub(crate) lane: &'static str,
    /// The phase, or [`WAITING`].
    pub(crate) name: &'static str,
    /// When it begins, in seconds since the step began.
    pub(crate) start: f64,
    /// How long it takes, in seconds.
    pub(crate) seconds: f64,
}

fn lane(phase: &'static str) -> &'static str {
    match phase {
        "rollout" => "engine",
        "reference" | "reward" | "teacher" | "weight_sync" | "driver" => phase,
        "values" | "update_critic" => "critic",
        "update_reward" | "reward_reference" => "reward",
        _ => "actor",
    }
}

/// Places the phases of a step, each with its seconds, as the schedule has them: one after another, or generation beside
/// the phases of training. New weights follow both, and then what the driver does. Sides with GPUs of their own wait for
/// each other; the actor's lane says so for all that train. A teacher that is served on GPUs of its own ends the
/// generation, and the engine waits for it.
pub(crate) fn bars(phases: &[(&'static str, f64)], schedule: Schedule, served: bool) -> Vec<Bar> {
    let apart = schedule != Schedule::Colocated;
    let beside = matches!(schedule, Schedule::OneStepOff | Schedule::FullyAsync);
    let sum = |wanted: &dyn Fn(&str) -> bool| -> f64 {
        let of = phases.iter().filter(|(name, _)| wanted(lane(name)));
        of.map(|(_, s)| s).sum()
    };
    let generates = |lane: &str| lane == "engine" || (served && lane == "teacher");
    let rollout = sum(&|lane| lane == "engine");
    let generating = sum(&generates);
    let training = sum(&|lane| !generates(lane) && !matches!(lane, "weight_sync" | "driver"));
    let (first, end) = if beside { (0.0, generating.max(training)) } else { (generating, generating + training) };
    let mut bars = Vec::new();
    let mut put = |lane, name, start: f64, end: f64| {
        let seconds = end - start;
        if seconds > 0.0 && (apart || name != WAITING) {
            bars.push(Bar { lane, name, start, seconds });
        }
    };
    put("actor", WAITING, 0.0, first);
    let (mut now, mut last) = (first, end);
    for (name, s) in phases {
        match lane(name) {
            lane @ "engine" => put(lane, *name, 0.0, *s),
            lane @ "teacher" if served => put(lane, *name, rollout, rollout + s),
            lane @ ("weight_sync" | "driver") => {
                put(lane, *name, last, last + s);
                last += s;
            }
            lane => {
                put(lane, *name, now, now + s);
                now += s;
            }
        }
    }
    put("engine", WAITING, rollout, end);
    put("actor", WAITING, first + training, end);
    bars
}

#[cfg(test)]
mod tests {
    use super::{LANES, WAITING, bars};
    use shardwise_core::wire::Schedule;

    const PPO: [(&str, f64); 8] = [
        ("rollout", 100.0),
        ("old_log_prob", 20.0),
        ("reference", 10.0),
        ("values", 5.0),
        ("update_critic", 25.0),
        ("update_actor", 40.0),
        ("weight_sync", 2.0),
        ("driver", 3.0),
    ];

    /// Lane, name, start and seconds of every bar.
    fn placed(generating: f64, schedule: Schedule) -> Vec<(&'static str, &'static str, f64, f64)> {
        let mut phases = PPO;
        phases[0].1 = generating;
        let bars = bars(&phases, schedule, false);
        assert!(bars.iter().all(|bar| LANES.contains(&bar.lane)));
        bars.iter().map(|bar| (bar.lane, bar.name, bar.start, bar.seconds)).collect()
    }

    fn training_from(first: f64) -> [(&'static str, &'static str, f64, f64); 5] {
        [
            ("actor", "old_log_prob", first, 20.0),
            ("reference", "reference", first + 20.0, 10.0),
            ("critic", "values", first + 30.0, 5.0),
            ("critic", "update_critic", first + 35.0, 25.0),
            ("actor", "update_actor", first + 60.0, 40.0),
        ]
    }

    fn after(end: f64) -> [(&'static str, &'static str, f64, f64); 2] {
        [("weight_sync", "weight_sync", end, 2.0), ("driver", "driver", end + 2.0, 3.0)]
    }

    #[test]
    fn on_the_same_gpus_nobody_waits() {
        let mut expected = vec![("engine", "rollout", 0.0, 100.0)];
        expected.extend(training_from(100.0));
        expected.extend(after(200.0));
        assert_eq!(placed(100.0, Schedule::Colocated), expected);
    }

    #[test]
    fn split_sides_wait_for_each_other() {
        let mut expected = vec![("actor", WAITING, 0.0, 100.0), ("engine", "rollout", 0.0, 100.0)];
        expected.extend(training_from(100.0));
        expected.extend(after(200.0));
        expected.push(("engine", WAITING, 100.0, 100.0));
        assert_eq!(placed(100.0, Schedule::Split), expected);
    }

    #[test]
    fn side_by_side_the_faster_waits() {
        for schedule in [Schedule::OneStepOff, Schedule::FullyAsync] {
            for (generating, end, waiting) in [
                (60.0, 100.0, Some(("engine", WAITING, 60.0, 40.0))),
                (130.0, 130.0, Some(("actor", WAITING, 100.0, 30.0))),
                (100.0, 100.0, None),
            ] {
                let mut expected = vec![("engine", "rollout", 0.0, generating)];
                expected.extend(training_from(0.0));
                expected.extend(after(end));
                expected.extend(waiting);
                assert_eq!(placed(generating, schedule), expected);
            }
        }
    }

    #[test]
    fn rewards_without_a_model_have_their_lane_before_training() {
        let phases = [("rollout", 50.0), ("reward", 30.0), ("update_actor", 40.0)];
        let placed = |schedule| -> Vec<_> {
            let bars = bars(&phases, schedule, false).into_iter();
            bars.map(|bar| (bar.lane, bar.name, bar.start)).collect()
        };
        let colocated = placed(Schedule::Colocated);
        assert_eq!(colocated[1], ("reward", "reward", 50.0));
        assert_eq!(colocated[2], ("actor", "update_actor", 80.0));
        let beside = placed(Schedule::OneStepOff);
        assert_eq!(beside[1], ("reward", "reward", 0.0));
        assert_eq!(beside[3], ("engine", WAITING, 50.0));
    }

    #[test]
    fn a_served_teacher_ends_the_generation_and_one_beside_begins_the_training() {
        let phases = [("rollout", 50.0), ("teacher", 10.0), ("update_actor", 40.0)];
        let placed = |schedule, served| -> Vec<_> {
            let bars = bars(&phases, schedule, served).into_iter();
            bars.map(|bar| (bar.lane, bar.name, bar.start, bar.seconds)).collect()
        };
        let served = placed(Schedule::OneStepOff, true);
        assert!(served.contains(&("teacher", "teacher", 50.0, 10.0)));
        assert!(served.contains(&("actor", "update_actor", 0.0, 40.0)));
        assert!(served.contains(&("actor", WAITING, 40.0, 20.0)));
        let beside = placed(Schedule::OneStepOff, false);
        assert!(beside.contains(&("teacher", "teacher", 0.0, 10.0)));
        assert!(beside.contains(&("actor", "update_actor", 10.0, 40.0)));
        for served in [true, false] {
            let colocated = placed(Schedule::Colocated, served);
            assert_eq!(colocated[1], ("teacher", "teacher", 50.0, 10.0));
            assert_eq!(colocated[2], ("actor", "update_actor", 60.0, 40.0));
        }
    }

    #[test]
    fn the_last_bar_ends_with_the_step() {
        let longest = |schedule| {
            let ends = placed(130.0, schedule).into_iter();
            ends.map(|(_, _, start, s)| start + s).fold(0.0, f64::max)
        };
        assert_eq!(longest(Schedule::Colocated).to_bits(), 235.0_f64.to_bits());
        assert_eq!(longest(Schedule::OneStepOff).to_bits(), 135.0_f64.to_bits());
        assert!(bars(&[], Schedule::Split, false).is_empty());
    }
}
