//! Whether model and machine allow a layout.

use super::{Divisors, Nearest, kernel, optimizer, schedule, size, split_heads, training_gpus, zero_infinity};
use crate::job::Job;
use crate::place::Place;
use crate::plan::{Layout, Recompute, Switches};
use crate::wire::{Backend, CudaGraphs};
use shardwise_catalog::error::InputError;

/// A layout on the job's GPUs, sharded over `shard_group` of them or over all that can.
///
/// # Errors
/// Names the field that model or machine rule out, with values that would do.
pub fn placed(job: &Job, mut layout: Layout, shard_group: Option<u64>, at: &str) -> Result<Layout, InputError> {
    place(job, &mut layout, shard_group, Place::at(at))?;
    Ok(layout)
}

/// As [`placed`], in the layout itself.
pub(super) fn place(job: &Job, layout: &mut Layout, shard_group: Option<u64>, at: Place<'_>) -> Result<(), InputError> {
    let gpus = training_gpus(job);
    heads(job, layout, at)?;
    stages(job, layout, at)?;
    schedule::check(layout, at)?;
    experts(job, layout, at)?;
    machine(layout, gpus, at)?;
    zero_infinity::check(job, layout, gpus, at)?;
    host_step(job, layout, at)?;
    switches(layout, at)?;
    deferral(layout, at)?;
    kernel::check(job, layout, at)?;
    optimizer::check(job, layout, at)?;
    let replicas = gpus / layout.model_parallel().max(1);
    // FSDP shards over every rank that does not split matrices or layers.
    let shards = replicas * layout.sequence_split();
    layout.shard_group = match shard_group {
        None => shards,
        Some(_) => size(at, "shard_group", shard_group)?,
    };
    if layout.shard_group > shards || !shards.is_multiple_of(layout.shard_group) {
        let group = layout.shard_group;
        return Err(at.wrong(
            "shard_group",
            format_args!("{group} GPUs do not divide the {shards} that shard. Give a divisor of {shards}."),
        ));
    }
    Ok(())
}

/// Heads split evenly.
fn heads(job: &Job, layout: &Layout, at: Place<'_>) -> Result<(), InputError> {
    let shape = &job.model.shape;
    let heads = shape.num_attention_heads;
    let (tp, ulysses) = (u64::from(layout.tensor_parallel), u64::from(layout.ulysses_parallel));
    split_heads(at, heads, layout.tensor_parallel)?;
    if !heads.is_multiple_of(tp * ulysses) || !shape.shares_key_heads(ulysses) {
        let kv_heads = shape.num_key_value_heads.max(1);
        return Err(at.wrong(
            "ulysses_parallel",
            format_args!(
                "{heads} heads ({kv_heads} for keys and values) do not split in {}. Give {}.",
                tp * ulysses,
                Nearest(heads / tp, ulysses, |size| {
                    heads.is_multiple_of(tp * size) && shape.shares_key_heads(size)
                })
            ),
        ));
    }
    Ok(())
}

/// Layers fill stages and chunks.
fn stages(job: &Job, layout: &Layout, at: Place<'_>) -> Result<(), InputError> {
    let layers = job.model.shape.num_hidden_layers;
    let pp = u64::from(layout.pipeline_parallel);
    if pp > layers {
        return Err(at.wrong(
            "pipeline_parallel",
            format_args!("{layers} layers do not fill {pp} stages. Give {layers} or less."),
        ));
    }
    let vpp = u64::from(layout.virtual_pipeline);
    if vpp > 1 && pp == 1 {
        return Err(at.wrong(
            "virtual_pipeline",
            "Model chunks need more than one pipeline stage. Give 1, or raise pipeline_parallel.",
        ));
    }
    // Megatron may count embedding and loss as layers of their own
    // (`account_for_embedding_in_pipeline_split`, `account_for_loss_in_pipeline_split`).
    if pp * vpp > layers + 2 {
        return Err(at.wrong(
            "virtual_pipeline",
            format_args!("{layers} layers do not fill {} chunks. Give {} or less.", pp * vpp, (layers / pp).max(1)),
        ));
    }
    Ok(())
}

/// Experts split evenly, where there are some.
fn experts(job: &Job, layout: &Layout, at: Place<'_>) -> Result<(), InputError> {
    let experts = job.model.shape.num_experts;
    let ep = u64::from(layout.expert_parallel);
    if experts == 0 {
        for (field, size) in
            [("expert_parallel", layout.expert_parallel), ("expert_tensor_parallel", layout.expert_tensor_parallel)]
        {
            if size > 1 {
                return Err(at.wrong(field, "This model has no experts. Give 1."));
            }
        }
    } else if !experts.is_multiple_of(ep) {
        let near = Divisors(experts, ep);
        return Err(at.wrong("expert_parallel", format_args!("{experts} experts do not split in {ep}. Give {near}.")));
    }
    Ok(())
}

/// The GPUs are a multiple of what one copy of the model takes, and of what one copy of its experts does.
fn machine(layout: &Layout, gpus: u32, at: Place<'_>) -> Result<(), InputError> {
    let splits = [
        ("tensor_parallel", layout.tensor_parallel),
        ("pipeline_parallel", layout.pipeline_parallel),
        ("context_parallel", layout.context_parallel),
        ("ulysses_parallel", layout.ulysses_parallel),
    ];
    let product = |sizes: &[u32]| sizes.iter().map(|size| u64::from(*size)).product::<u64>();
    let fits = |needed: u64| u64::from(gpus) >= needed && u64::from(gpus).is_multiple_of(needed);
    let needed = product(&splits.map(|(_, size)| size));
    if !fits(needed) {
        let widest = splits.into_iter().max_by_key(|(_, size)| *size);
        return Err(at.wrong(
            widest.map_or("tensor_parallel", |(field, _)| field),
            format_args!(
                "The layout needs a multiple of {needed} GPUs and there are {gpus}. Lower it, or change hardware.gpus."
            ),
        ));
    }
    let experts = product(&[layout.expert_parallel, layout.expert_tensor_parallel, layout.pipeline_parallel]);
    let shared = layout.expert_parallel > 1;
    if (shared || layout.expert_tensor_parallel > 1) && !fits(experts) {
        return Err(at.wrong(
            if shared { "expert_parallel" } else { "expert_tensor_parallel" },
            format_args!(
                "The experts need a multiple of {experts} GPUs and there are {gpus}. Lower it, or change hardware.gpus."
            ),
        ));
    }
    Ok(())
}

/// Gradients that stay whole until a step's last micro-batch.
fn deferral(layout: &Layout, at: Place<'_>) -> Result<(), InputError> {
    if layout.backend == Backend::Fsdp || layout.sync_each_batch {
        return Ok(());
    }
    Err(at.wrong("sync_each_batch", "FSDP alone leaves gradients whole. Set backend to fsdp, or leave it out."))
}

/// What sends tokens to their experts, what Megatron alone has, and what its `TransformerConfig` asks of a plan that turns it on.
fn switches(layout: &Layout, at: Place<'_>) -> Result<(), InputError> {
    let Switches { apply_rope_fusion, overlap_moe_expert_parallel_comm, moe_token_dispatcher, cuda_graphs } =
        layout.switches;
    let sent = matches!(layout.backend, Backend::Megatron | Backend::Fsdp);
    if moe_token_dispatcher.is_some() && !sent {
        return Err(at.wrong(
            "moe_token_dispatcher",
            "Megatron and FSDP alone have it. Set backend to one of them, or leave it out.",
        ));
    }
    if layout.expert_parallel == 1 && moe_token_dispatcher.is_some() {
        return Err(at.wrong(
            "moe_token_dispatcher",
            "Nobody exchanges tokens here. Set expert_parallel to 2 or more, or leave it out.",
        ));
    }
    if layout.backend != Backend::Megatron {
        for (field, stated) in [
            ("apply_rope_fusion", !apply_rope_fusion),
            ("overlap_moe_expert_parallel_comm", overlap_moe_expert_parallel_comm),
            ("cuda_graphs", cuda_graphs != CudaGraphs::None),
            ("recompute.num_layers", layout.recompute_layers.is_some()),
        ] {
            if stated {
                return Err(at.wrong(field, "Megatron alone has it. Set backend to megatron, or leave it out."));
            }
        }
        return Ok(());
    }
    if !overlap_moe_expert_parallel_comm {
        return Ok(());
    }
    let remedy = if layout.expert_parallel == 1 {
        "Nobody exchanges tokens here. Set expert_parallel to 2 or more, or leave it out."
    } else if layout.recompute == Recompute::Full {
        "It goes with no recomputation of whole layers. Set recompute to selective or none, or leave it out."
    } else if layout.pipeline_parallel > 1 && layout.virtual_pipeline == 1 {
        "In a pipeline it goes with model chunks. Set virtual_pipeline to 2 or more, or leave it out."
    } else {
        return Ok(());
    };
    Err(at.wrong("overlap_moe_expert_parallel_comm", remedy))
}

/// Megatron's optimizer alone is part on the host's CPUs, part on the GPUs, and only the distributed one (`arguments.py`:
/// `optimizer_cpu_offload` takes `use_precision_aware_optimizer`, and that `use_distributed_optimizer`). `DeepSpeed`'s is there as a
/// whole (`offload_optimizer`), which RL says by this field, as `offload.optimizer` brings states back for each update.
fn host_step(job: &Job, layout: &Layout, at: Place<'_>) -> Result<(), InputError> {
    let fraction = layout.optimizer_offload_fraction;
    if fraction == 0.0 {
        return Ok(());
    }
    let learns = job.workload.rl.is_some();
    let whole = layout.offload.optimizer && !learns;
    let remedy = if layout.backend == Backend::Deepspeed && learns {
        if fraction < 1.0 {
            "DeepSpeed's CPUs step all of the optimizer. Set it to 1, or leave it out."
        } else if layout.zero_stage == 0 {
            "The optimizer is offloaded under ZeRO 1 to 3. Set zero_stage to 1 or more."
        } else if layout.offload.optimizer {
            "An optimizer that steps in host memory is there already. Leave optimizer_offload_fraction or the offload out."
        } else {
            return Ok(());
        }
    } else if layout.backend != Backend::Megatron {
        "Megatron alone has it, and DeepSpeed in RL. Set backend to megatron, or leave it out."
    } else if layout.zero_stage != 1 {
        "It goes with the distributed optimizer. Set zero_stage to 1, or leave it out."
    } else if whole && fraction < 1.0 {
        "offload.optimizer moves all of it. Set that to false, or this to 1."
    } else {
        return Ok(());
    };
    Err(at.wrong("optimizer_offload_fraction", remedy))
}
