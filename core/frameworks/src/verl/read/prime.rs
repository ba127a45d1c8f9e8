//! veRL's recipe of PRIME, `recipe.prime.main_prime`: its defaults
//! (<https://github.com/verl-project/verl-recipe/blob/48ea0a797fa29867ea0ad92aff7d284eec7d4be3/prime/config/prime_trainer.yaml>),
//! and its reward model.

use crate::read::Dialect;
use crate::read::draft::Draft;
use crate::read::launch;
use crate::read::model;
use crate::read::text::{Kind, Part};

/// The word of its kind.
pub(super) const KIND: &str = "prime";

const TRAINER: &str = "https://github.com/verl-project/verl-recipe/blob/48ea0a797fa29867ea0ad92aff7d284eec7d4be3/prime/prime_ray_trainer.py#L44-L56";

/// Whether a program is the recipe's.
pub(super) fn is_started_by(program: &str) -> bool {
    program.contains("main_prime")
}

/// Whether a text starts it.
pub(super) fn is_started(parts: &[Part]) -> bool {
    parts.iter().any(|part| match &part.kind {
        Kind::Shell(script) => is_started_by(launch::find(script, Dialect::Verl).program),
        Kind::File(_) | Kind::Json(_) => false,
    })
}

/// What it does otherwise than PPO's trainer where the text is silent, and its reward model.
pub(super) fn read(draft: &mut Draft) {
    let estimator = "algorithm.adv_estimator";
    if draft.known(estimator).is_some_and(|own| own != "rloo") {
        let why = "The recipe of PRIME has rloo alone. Set it to rloo, or leave it out.";
        draft.refuse_stated(estimator, why, TRAINER);
    }
    samples(draft);
    if !draft.states("actor_rollout_ref.model.use_remove_padding") {
        draft.forget("workload.packing");
        draft.set("workload.packing", true);
    }
    let path = "reward_model.model.path";
    if draft.text(path).as_deref().and_then(model::find).is_some() {
        draft.take_model(path, "workload.rl.reward_model");
    } else {
        let own = draft.field("model").cloned().unwrap_or_default();
        let why = "The text names no reward model that the catalog knows: the actor's model is estimated.";
        draft.assume("workload.rl.reward_model", own, why);
    }
    let update = "reward_model.model.update";
    match draft.known(update).as_deref() {
        None | Some("before" | "reverse") => {}
        Some("after") => {
            let why = "With reward_model.model.update=after the reward model scores while it trains: a pass forward less than estimated.";
            draft.assume("workload.kind", KIND, why);
        }
        Some(_) => {
            let why = "The estimate trains the reward model once a step, whatever reward_model.model.update says.";
            draft.assume("workload.kind", KIND, why);
        }
    }
    let mini = draft.size("workload.rl.mini_batch").unwrap_or(0);
    if let Some(own) = draft.count("reward_model.mini_batch_size").filter(|own| *own != mini) {
        let why = format!(
            "reward_model.mini_batch_size is {own} sequences: the estimate gives the reward model mini-batches of as many sequences as the actor's has prompts, {mini}."
        );
        draft.assume("workload.rl.mini_batch", mini, why);
    }
}

/// How many responses there are, of how many prompts, and in which order.
fn samples(draft: &mut Draft) {
    let (responses, field) = ("actor_rollout_ref.rollout.n", "workload.rl.responses_per_prompt");
    if !draft.states(responses) {
        draft.forget(field);
        draft.default(responses, field, 4);
    }
    let (factor, field) = ("data.oversample_factor", "workload.rl.oversampling");
    match draft.number(factor) {
        Some(own) => draft.set(field, own),
        None => draft.default(factor, field, 4.0),
    }
    if !draft.states("trainer.balance_batch") {
        draft.set("workload.rl.balance_batch", false);
    }
}
