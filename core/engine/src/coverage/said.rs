//! What is said where no published run is near.

use super::{COVERAGE, Kind, Nearest};
use shardwise_catalog::error::Caveat;
use shardwise_catalog::hardware::Hardware;
use shardwise_question::job::Job;
use shardwise_question::plan::Layout;

/// The caveats that no run is on a card, and that too few are on any of its maker's: lists then rank it by the slow end of
/// its interval.
pub const UNTRIED: [&str; 2] = ["no-run", "few-runs"];

/// What is said first of a GPU type that no published run is on, or of whose maker's cards too few are.
#[must_use]
pub fn untried(hardware: &Hardware) -> Option<Caveat> {
    let name = &hardware.name;
    let [none, few] = UNTRIED;
    let (id, text) = match (COVERAGE.card(hardware), COVERAGE.is_foreign(hardware)) {
        (Some(_), false) => return None,
        (Some(_), true) => (
            few,
            format!(
                "Too few published runs are on {name} and other cards of its maker to say how far off it is: speed and cost rest on its data sheet. The interval is as wide as those few leave it, and lists rank it by the slow end."
            ),
        ),
        (None, true) => (
            none,
            format!(
                "No published run on {name} is in the data, and too few on cards of its maker to say how far off it is: speed and cost rest on its data sheet. The interval is as wide as those few leave it, and lists rank it by the slow end."
            ),
        ),
        (None, false) => (
            none,
            format!(
                "No published run on {name} is in the data: speed and cost rest on its data sheet and on runs on other cards. The interval is wider, and lists rank it by the slow end."
            ),
        ),
    };
    Some(Caveat::new(id, text))
}

/// What published runs do not cover of this job, as a caveat.
#[must_use]
pub fn caveat(job: &Job, layout: &Layout) -> Option<Caveat> {
    let kind = Kind::of(job, layout);
    let covered = |alike: &dyn Fn(&Kind) -> bool| COVERAGE.kinds.iter().any(alike);
    if covered(&|own| Kind { task: kind.task, ..*own } == kind) {
        // Of preferences, images and teachers caveats of their own say so.
        let known = ["pretrain", "tune", "adapters"].contains(&kind.task);
        return if known { unlike(job, kind) } else { None };
    }
    let of_gpu = |own: &Kind| own.architecture == kind.architecture;
    let missing = if !covered(&of_gpu) {
        "runs on this architecture"
    } else if !covered(&|own| of_gpu(own) && own.bits == kind.bits) {
        "runs in this precision on this architecture"
    } else if !covered(&|own| of_gpu(own) && own.framework == kind.framework) {
        "runs of this framework on this architecture"
    } else if kind.experts {
        "runs of experts in this precision by this framework on this architecture"
    } else {
        "runs of a dense model in this precision by this framework on this architecture"
    };
    Some(Caveat::new(
        "not-covered",
        format!("No published training {missing} ({}) are in the data: the interval is wider.", job.hardware.name),
    ))
}

/// Where runs of the kind are known but for what trains, or for the experts: that none is quite like this one.
fn unlike(job: &Job, kind: Kind) -> Option<Caveat> {
    let none = match COVERAGE.nearest(kind, &job.model.shape) {
        Nearest::Model => return None,
        Nearest::Kind => "of a model with such experts by this framework",
        Nearest::Architecture | Nearest::None => "of such a task by this framework",
    };
    let text = format!(
        "No published training run {none} on this architecture ({}) is in the data: the interval is wider.",
        job.hardware.name
    );
    Some(Caveat::new("not-covered", text))
}
