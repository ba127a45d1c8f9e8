//! Calibrations that are kept in this browser, each under the name of the cluster whose run it is of.
//!
//! The storage holds a line each: `time=1.12 rollout=1.3 8x H100 lab`. Nobody knows who wrote it: a line without a factor within
//! range is left out.

use shardwise_core::job::FACTORS;
use shardwise_core::units::decimal;
use shardwise_core::wire::{Calibration, WorkloadKind};

/// Where they are kept.
pub(crate) const KEY: &str = "shardwise-clusters";

/// How many are kept.
pub(crate) const MOST: usize = 12;

/// The longest name, in characters.
pub(crate) const LONGEST: usize = 40;

/// The longest text that is read, in bytes.
const MOST_BYTES: usize = 16 << 10;

/// A calibration and whose it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cluster {
    pub(crate) name: String,
    /// Its factors.
    pub(crate) calibration: Calibration,
}

impl Cluster {
    fn of_line(line: &str) -> Option<Self> {
        let mut calibration = Calibration::default();
        let mut rest = line;
        while let Some((pair, more)) = rest.split_once(' ') {
            let Some((key, factor)) = pair.split_once('=') else { break };
            let Some(place) = calibration.factor_mut(key) else { break };
            let (least, most) = FACTORS;
            let factor = decimal(factor)?;
            *place = Some(factor).filter(|factor| (least..=most).contains(factor));
            (*place)?;
            rest = more;
        }
        let name = named(rest)?;
        (calibration != Calibration::default()).then_some(Self { name, calibration })
    }

    fn line(&self) -> String {
        let stated = self.calibration.factors().into_iter();
        let pairs: Vec<String> = stated.filter_map(|(key, factor)| Some(format!("{key}={}", factor?))).collect();
        format!("{} {}\n", pairs.join(" "), self.name)
    }

    /// Its factors for a task: what trains alone follows an RL run's updates, what generates alone its generation.
    pub(crate) fn of(&self, kind: WorkloadKind) -> Calibration {
        let own = self.calibration;
        let alone =
            |phase: Option<f64>, memory| Calibration { time: phase.or(own.time), memory, ..Calibration::default() };
        match kind {
            WorkloadKind::Rollout => alone(own.rollout, None),
            kind if kind.algorithm().is_some() => own,
            _ => alone(own.update, own.memory),
        }
    }
}

/// A name as typed, in one line; `None` of what is none.
pub(crate) fn named(typed: &str) -> Option<String> {
    let plain = typed.trim().chars().filter(|own| !own.is_control());
    // What stands before a name in the storage has that sign.
    let name: String = plain.map(|own| if own == '=' { '-' } else { own }).take(LONGEST).collect();
    (!name.is_empty()).then_some(name)
}

/// The clusters that a text from the storage holds.
pub(crate) fn read(stored: &str) -> Vec<Cluster> {
    if stored.len() > MOST_BYTES {
        return Vec::new();
    }
    stored.lines().filter_map(Cluster::of_line).take(MOST).collect()
}

/// The text with a cluster in front, once, and without what is too much.
pub(crate) fn with(stored: &str, own: &Cluster) -> String {
    let others = read(&without(stored, &own.name));
    let others = others.iter().take(MOST - 1).map(Cluster::line);
    std::iter::once(own.line()).chain(others).collect()
}

/// The text without a cluster.
pub(crate) fn without(stored: &str, name: &str) -> String {
    read(stored).iter().filter(|own| own.name != name).map(Cluster::line).collect()
}

#[cfg(test)]
mod tests {
    use super::{Cluster, MOST, read, with, without};
    use shardwise_core::wire::{Calibration, WorkloadKind};

    fn lab(name: &str) -> Cluster {
        let calibration = Calibration {
            time: Some(1.25),
            memory: Some(0.9),
            rollout: Some(1.5),
            update: Some(1.1),
            other: Some(0.3),
            ..Calibration::default()
        };
        Cluster { name: name.to_owned(), calibration }
    }

    #[test]
    fn what_is_kept_is_read_again_each_once() {
        let mut stored = String::new();
        for number in 0..20 {
            stored = with(&stored, &lab(&format!("2x8 H100, lab {number}")));
        }
        stored = with(&stored, &lab("2x8 H100, lab 12"));
        let kept = read(&stored);
        assert_eq!((kept.len(), &kept[0]), (MOST, &lab("2x8 H100, lab 12")));
        assert_eq!(kept.iter().filter(|own| own.name.ends_with(" 12")).count(), 1);
        assert_eq!(read(&without(&stored, "2x8 H100, lab 12")).len(), MOST - 1);
    }

    #[test]
    fn a_hostile_storage_is_left_out() {
        for bad in ["", "name", "time=1.2", "time=NaN x", "time=1e9 x", "time=0 x", "colour=1 x", "time=1.2 \u{7}"] {
            assert_eq!(read(bad), [], "{bad}");
        }
        assert_eq!(read(&"time=1.2 x\n".repeat(100_000)), []);
        assert_eq!(read("time=1.2 <img src=x>")[0].name, "<img src-x>");
    }

    #[test]
    fn each_task_takes_what_it_has_a_use_for() {
        let own = lab("x");
        assert_eq!(own.of(WorkloadKind::Grpo), own.calibration);
        let sft = Calibration { time: Some(1.1), memory: Some(0.9), ..Calibration::default() };
        assert_eq!(own.of(WorkloadKind::Sft), sft);
        let rollout = Calibration { time: Some(1.5), ..Calibration::default() };
        assert_eq!(own.of(WorkloadKind::Rollout), rollout);
    }
}
