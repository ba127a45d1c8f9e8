//! The plan that torchtitan's keys lay out.

use serde_json::json;

use super::super::draft::Draft;
use super::super::printable::short;
use super::super::trainer::known_gpus;
use super::super::value;
use super::IN_PYTHON;
use crate::emit::torchtitan::schedule_name;
use shardwise_catalog::catalog::ModelEntry;
use shardwise_question::complete::splits_backward;
use shardwise_question::wire::PipelineSchedule;

/// Groups of GPUs; how many ranks read other sequences, where the text or the base tells how many GPUs there are.
pub(super) fn layout(draft: &mut Draft, entry: Option<&ModelEntry>) -> Option<u64> {
    draft.take_all("parallelism.");
    let size = |draft: &Draft, name: &str| draft.size(&format!("plan.{name}_parallel")).unwrap_or(1).max(1);
    let [tensor, context, stages, experts] = ["tensor", "context", "pipeline", "expert"].map(|name| size(draft, name));
    let split = draft.flag("parallelism.enable_sequence_parallel").unwrap_or(true);
    draft.set("plan.sequence_parallel", tensor > 1 && split);
    // Without expert parallelism experts are split as all else is.
    let split = draft.count("parallelism.expert_tensor_parallel_degree").unwrap_or(1);
    let routed = entry.is_some_and(|entry| entry.shape.num_experts > 0);
    draft.set("plan.expert_tensor_parallel", if experts == 1 && routed { tensor } else { split });
    let copies = draft.count("parallelism.data_parallel_replicate_degree").unwrap_or(1);
    let shard = draft.signed("parallelism.data_parallel_shard_degree");
    let shard = shard.and_then(|shard| u64::try_from(shard).ok()).filter(|shard| *shard > 0);
    let around = [context, stages, copies].into_iter().fold(tensor, u64::saturating_mul);
    if let Some(all) = shard.map(|shard| around.saturating_mul(shard)) {
        match draft.size("hardware.gpus") {
            Some(gpus) if gpus != all => draft.refuse(
                "parallelism.data_parallel_shard_degree",
                format!("The degrees multiply to {all}, and the launcher starts {gpus} processes. Set it to -1, which takes the rest."),
                0,
            ),
            Some(_) => {}
            None => draft.set("hardware.gpus", all),
        }
    }
    let gpus = known_gpus(draft);
    let shard = shard.or_else(|| gpus.map(|gpus| (gpus / around).max(1)));
    let alone = tensor == 1 && context == 1 && stages == 1;
    if shard == Some(1) && copies > 1 && alone {
        draft.set("plan.backend", "ddp");
    } else {
        draft.set("plan.backend", "fsdp");
        if let Some(shard) = shard.filter(|_| copies > 1) {
            draft.set("plan.shard_group", shard.saturating_mul(context));
        }
        // By default a pipeline's stages keep what they have gathered.
        let stage = match draft.word("parallelism.fsdp_reshard_after_forward").as_deref() {
            Some("never") => 2,
            Some("always") => 3,
            _ if stages > 1 => 2,
            _ => 3,
        };
        draft.set("plan.zero_stage", stage);
        let sender = draft.word("parallelism.expert_parallel_comm_backend").unwrap_or_default();
        if experts > 1 && ["deepep", "hybridep"].contains(&sender.as_str()) {
            draft.set("plan.moe_token_dispatcher", sender);
        }
    }
    if stages > 1 {
        pipeline(draft, entry, stages);
    }
    let overlaps = ["compile", "parallelism"].map(|at| draft.is_on(&format!("{at}.enable_async_tensor_parallel")));
    let overlaps = overlaps.contains(&true);
    graphs(draft, stages, experts);
    draft.set("plan.overlap.tensor_parallel", overlaps && tensor > 1);
    gpus.map(|gpus| (gpus / tensor.saturating_mul(context).saturating_mul(stages)).max(1))
}

/// What CUDA graphs do not go with, which 0.3 captures where nothing says otherwise (`trainer.py:179`).
fn graphs(draft: &mut Draft, stages: u64, experts: u64) {
    if draft.predates(IN_PYTHON) || draft.is_on("training.disable_cuda_graphs") {
        return;
    }
    if stages > 1 {
        let why = "CUDA graphs capture no pipeline. Set training.disable_cuda_graphs to True.";
        draft.refuse("parallelism.pipeline_parallel_degree", why, 0);
    } else if experts > 1 {
        let why = "CUDA graphs capture no exchange of experts that waits for the host. Set training.disable_cuda_graphs to True.";
        draft.refuse("parallelism.expert_parallel_degree", why, 0);
    }
}

/// Chunks of layers on each stage, and in which order they run.
fn pipeline(draft: &mut Draft, entry: Option<&ModelEntry>, stages: u64) {
    let schedule = draft
        .word("parallelism.pipeline_parallel_schedule")
        .unwrap_or_else(|| "1F1B".to_owned());
    // PyTorch's `get_schedule_class` minds no case.
    let is = |name: &str| schedule.eq_ignore_ascii_case(name);
    let single = is("1F1B") || is("GPipe");
    let chunk = draft.count("parallelism.pipeline_parallel_layers_per_stage");
    let chunks = match (chunk, entry) {
        (Some(chunk), Some(entry)) => (entry.shape.num_hidden_layers.div_ceil(chunk) / stages).max(1),
        _ => 2,
    };
    draft.set("plan.virtual_pipeline", if single { 1 } else { chunks });
    let known = PipelineSchedule::ALL.iter().copied().find(|own| is(schedule_name(*own)));
    match known {
        Some(own) if splits_backward(own) => {
            draft.set("plan.pipeline_schedule", own.as_str());
            takes_apart(draft, own);
        }
        Some(_) => {}
        None => {
            let why = format!("{} is estimated as 1F1B with as many chunks on each stage.", short(&schedule));
            draft.note(0, why);
        }
    }
}

/// What stops where the weights' gradients are put off: PyTorch's `_check_torch_compile_compatibility`, torchtitan's
/// `get_dual_pipe_v_flag`.
fn takes_apart(draft: &mut Draft, schedule: PipelineSchedule) {
    let compiled = match draft.text("compile.components") {
        Some(parts) => value::list(&parts).iter().any(|part| part == "model"),
        None => true,
    };
    if compiled && draft.is_on("compile.enable") {
        let why = "The schedule takes backward passes apart, and those of compiled layers stay whole. Leave model out of compile.components.";
        draft.refuse("parallelism.pipeline_parallel_schedule", why, 0);
    }
    let experts = draft.size("plan.expert_parallel").unwrap_or(1) > 1;
    let overlap = "parallelism.pipeline_parallel_expert_parallel_overlap";
    let beside = !draft.states(overlap) || draft.is_on(overlap);
    // Its default is selective.
    let again = draft.holds("activation_checkpoint.mode") || !draft.states("activation_checkpoint.mode");
    let older = draft.predates(IN_PYTHON);
    if older && schedule == PipelineSchedule::DualPipeV && experts && beside && again {
        let why = "DualPipeV runs the experts' exchanges beside computation only where nothing is recomputed. Set pipeline_parallel_expert_parallel_overlap to false, or activation_checkpoint.mode to none.";
        draft.refuse("parallelism.pipeline_parallel_schedule", why, 0);
    }
}

/// Sequences of a pass and of a step.
pub(super) fn batch(draft: &mut Draft, ranks: Option<u64>) {
    let local = draft.count("training.local_batch_size");
    let stages = draft.size("plan.pipeline_parallel").unwrap_or(1);
    if stages > 1 {
        let micro = draft.count("parallelism.pipeline_parallel_microbatch_size");
        match micro {
            Some(micro) => draft.set("plan.micro_batch", micro),
            None => draft.default("parallelism.pipeline_parallel_microbatch_size", "plan.micro_batch", 1),
        }
    } else {
        draft.take_count("training.local_batch_size", "plan.micro_batch", Some(8));
    }
    let local = local.unwrap_or(8);
    let whole = draft
        .signed("training.global_batch_size")
        .and_then(|whole| u64::try_from(whole).ok());
    let ranks_or = ranks.unwrap_or(8);
    let rank = local.saturating_mul(ranks_or);
    match whole.filter(|whole| *whole > 0) {
        Some(whole) => {
            draft.set("workload.global_batch", whole);
            if ranks.is_some() && stages > 1 && whole > rank {
                draft.note(0, "The pipeline is filled anew for every local batch; the estimate fills it once a step.");
            }
        }
        None if ranks.is_some() && draft.states("training.local_batch_size") => {
            draft.set("workload.global_batch", rank)
        }
        None => {
            let why = format!(
                "One local batch of {local} on each of {ranks_or} ranks; set training.global_batch_size to state it."
            );
            draft.assume("workload.global_batch", rank, why);
        }
    }
}

/// Where states are, and how wide.
pub(super) fn states(draft: &mut Draft) {
    if draft.is_on("training.enable_cpu_offload") {
        let away = json!({"parameters": true, "gradients": true, "optimizer": true, "activations": false});
        draft.set("plan.offload", away);
    }
    if draft.word("training.dtype").as_deref() == Some("bfloat16") {
        draft.set("plan.master_weights_bytes", 2);
        draft.set("plan.gradient_bytes", 2);
        draft.set("plan.optimizer_bytes", 4);
    }
    // Moments of 16 bits beside weights of 32.
    if draft.word("optimizer.implementation").as_deref() == Some("fused_opt_states_bf16") {
        draft.set("plan.optimizer_bytes", 4);
    }
}

/// What is computed again: whole layers, every second operation of kinds that are cheap, or every n-th layer.
pub(super) fn recompute(draft: &mut Draft) {
    let mode = draft.word("activation_checkpoint.mode");
    let option = draft
        .word("activation_checkpoint.selective_ac_option")
        .unwrap_or_else(|| "2".to_owned());
    // Its word for nothing reads as one that is not there.
    let none = draft.states("activation_checkpoint.mode") && !draft.holds("activation_checkpoint.mode");
    let usual = mode.is_none() && !draft.predates(IN_PYTHON);
    match mode.as_deref() {
        None if none => draft.set("plan.recompute", "none"),
        Some("full") => draft.set("plan.recompute", "full"),
        Some("memory_budget") => {
            let why = "How much a budget of memory recomputes no text tells: recomputation by operation is estimated in its place.";
            draft.assume("plan.recompute", "selective", why);
        }
        // 0.3 has this alone (`trainer.py:108`).
        None if usual => draft.default("activation_checkpoint", "plan.recompute", "selective"),
        Some("selective") if option == "op" || !draft.predates(IN_PYTHON) => draft.set("plan.recompute", "selective"),
        None | Some("selective") => {
            let every = value::whole(&option).filter(|every| *every > 0).unwrap_or(2);
            if every == 1 {
                draft.set("plan.recompute", "full");
                return;
            }
            let why = format!(
                "One layer in {every} is computed again as a whole, which is not modelled: recomputation by operation is estimated in its place."
            );
            draft.assume("plan.recompute", "selective", why);
        }
        Some(other) => {
            let why = format!("{:?} is no mode. Write none, selective, full or memory_budget.", short(other));
            draft.refuse("activation_checkpoint.mode", why, 0);
        }
    }
}
