//! What `ChatLearn` refuses in keys that become no field of the question. The rules about plans are
//! `rules::chatlearn`'s.

use super::{POLICY, RUN, TRAINER};
use crate::read::draft::Draft;
use crate::read::value;

const REF: &str = "models.ref_policy";
const PARTIAL: &str = "models.partial_rollout_manager";

/// Notes what is refused; the question is complete by now.
pub(super) fn check(draft: &mut Draft, megatron: bool, file: bool) {
    words(draft);
    engine(draft);
    if draft.tells(&format!("{RUN}.use_partial_rollout"), true) {
        partial(draft);
    }
    images(draft, megatron);
    if draft.field("workload.packing") == Some(&false.into()) && !draft.snippet {
        forward(draft, megatron, file);
    }
}

fn refuse(draft: &mut Draft, key: &str, why: impl AsRef<str>, file: &str) {
    draft.refuse_stated(
        key,
        why,
        &format!("ChatLearn b7af31a, chatlearn/{file} (https://github.com/alibaba/ChatLearn)"),
    );
}

fn words(draft: &mut Draft) {
    for (name, words) in [("train_backend", ["fsdp", "megatron"]), ("rollout_backend", ["vllm", "sglang"])] {
        let key = format!("{RUN}.{name}");
        if draft.known(&key).is_some_and(|word| !words.contains(&word.as_str())) {
            let why = format!("Write {}.", words.join(" or "));
            refuse(draft, &key, why, "algorithm/grpo.py");
        }
    }
    for role in [TRAINER, POLICY, REF] {
        let key = format!("{role}.gpu_per_process");
        if draft.known_whole(&key).is_some_and(|gpus| gpus != 1) {
            refuse(draft, &key, "A process has one GPU. Set it to 1.", "schedule/model_manager.py");
        }
    }
}

fn engine(draft: &mut Draft) {
    let file = "configs/policy_config.py";
    for name in ["pipeline_model_parallel_size", "expert_model_parallel_size"] {
        let key = format!("{POLICY}.{name}");
        if draft.known_whole(&key).is_some_and(|size| size != 1) {
            let why = "The engine has tensor parallelism alone. Set it to 1.";
            refuse(draft, &key, why, file);
        }
    }
    let trains = format!("{POLICY}.trainable");
    if draft.tells(&trains, true) {
        let why = "The engine generates; models.policy_trainer trains. Set it to False.";
        refuse(draft, &trains, why, file);
    }
    let waits = format!("{POLICY}.is_sync_mode");
    let sglang = draft.field("plan.rollout.engine") == Some(&"sglang".into());
    let asynchronous = draft.tells(&waits, false) && sglang;
    let manager = format!("{RUN}.use_rollout_manager");
    if draft.tells(&manager, true) && !asynchronous && !draft.snippet {
        let why = "The rollout manager needs runtime_args.rollout_backend=sglang and models.policy.is_sync_mode=False. Add them, or turn it off.";
        refuse(draft, &manager, why, "algorithm/grpo.py");
    }
}

/// Rounds of partial rollout.
fn partial(draft: &mut Draft) {
    let shares = format!("{PARTIAL}.rollout_ratio");
    let rounds = draft.known_whole(&format!("{PARTIAL}.max_rollout_round")).unwrap_or(2);
    if let Some(list) = draft.known(&shares) {
        let list: Vec<f64> = value::list(&list).iter().filter_map(|share| value::number(share)).collect();
        if u64::try_from(list.len()) != Ok(rounds) || (list.iter().sum::<f64>() - 1.0).abs() > 1e-9 {
            let why = format!("It has one share for each of max_rollout_round={rounds} rounds, 1 together.");
            refuse(draft, &shares, why, "configs/partial_rollout_manager_config.py");
        }
    }
    let least = format!("{PARTIAL}.mini_response_per_prompt");
    let responses = draft.size("workload.rl.responses_per_prompt");
    if let (Some(least_of), Some(all)) = (draft.known_whole(&least), responses)
        && least_of >= all
    {
        let why = format!("It is below num_inference_per_prompt, {all}. Lower it.");
        refuse(draft, &least, why, "algorithm/grpo_utils/partial_rollout_manager.py");
    }
}

/// Models of images.
fn images(draft: &mut Draft, megatron: bool) {
    if draft.known(&format!("{RUN}.model_type")).as_deref() != Some("vlm") {
        return;
    }
    let split = format!("{TRAINER}.ulysses_sequence_parallel_size");
    if draft.known_whole(&split).is_some_and(|size| size > 1) {
        let why = "With runtime_args.model_type=vlm sequences are not split. Set it to 1.";
        refuse(draft, &split, why, "models/fsdp_module.py");
    }
    if megatron && draft.field("workload.packing") == Some(&true.into()) {
        let why = "Megatron packs no images. Set it to False.";
        refuse(draft, &format!("{TRAINER}.packing"), why, "models/megatron_module.py");
    }
}

/// The forward passes' micro-batches: algorithm/grpo.py, `GrpoConfig._validate_impl`.
fn forward(draft: &mut Draft, megatron: bool, file: bool) {
    let Some(samples) = draft.known_whole(&format!("{RUN}.sample_per_episode")) else {
        return;
    };
    let Some(gpus) = draft.train_gpus else {
        return;
    };
    let names: &[&str] =
        if megatron { &["tensor_parallel", "pipeline_parallel", "context_parallel"] } else { &["ulysses_parallel"] };
    let parts = names
        .iter()
        .filter_map(|name| draft.size(&format!("plan.{name}")))
        .fold(1, u64::saturating_mul);
    let Some(ranks) = gpus.checked_div(parts).filter(|ranks| *ranks > 0) else {
        return;
    };
    let own = samples / ranks;
    // The reference's ranks are the trainer's on FSDP; Megatron counts replicas of its own.
    let roles: &[&str] = if megatron { &[TRAINER] } else { &[TRAINER, REF] };
    for role in roles {
        let key = format!("{role}.generation_batch_size");
        let micro = draft.known_whole(&key).unwrap_or(if file { 1 } else { 8 });
        if micro > 0 && samples.is_multiple_of(ranks) && !own.is_multiple_of(micro) {
            let why =
                format!("{own} samples of a rank are no multiple of {micro}. Give a divisor of them, or packing=True.");
            refuse(draft, &key, why, "algorithm/grpo.py");
        }
    }
}
