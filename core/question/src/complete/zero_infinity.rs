//! What `DeepSpeed` adds to ZeRO-3, ZeRO-Infinity and ZeRO++, checked against the rest of a plan.

use crate::job::Job;
use crate::place::Place;
use crate::plan::Layout;
use crate::wire::Backend;
use shardwise_catalog::error::InputError;

/// Refuses what `DeepSpeed` has no code for, by field.
///
/// # Errors
/// Names the field, and the one that does not go with it.
pub(super) fn check(job: &Job, layout: &Layout, gpus: u32, at: Place<'_>) -> Result<(), InputError> {
    let plus = &layout.zero_plus;
    let group = plus.partition_size;
    let stated = [
        ("nvme_offload", layout.nvme_offload),
        ("zero_hpz_partition_size", group > 1),
        ("zero_quantized_weights", plus.quantized_weights),
        ("zero_quantized_gradients", plus.quantized_gradients),
    ];
    let Some((name, _)) = stated.into_iter().find(|(_, on)| *on) else {
        return Ok(());
    };
    if job.workload.rl.is_some() {
        return Err(at.wrong(name, "No RL framework here trains with it. Leave it out."));
    }
    if layout.backend != Backend::Deepspeed {
        return Err(at.wrong(name, "DeepSpeed alone has it. Set backend to deepspeed, or leave it out."));
    }
    // Stages 1 and 2 take no account of NVMe (`zero_cpu_offload` in runtime/engine.py, 0.19.8) nor of ZeRO++.
    if layout.zero_stage != 3 {
        return Err(at.wrong(name, "It goes with ZeRO-3. Set zero_stage to 3, or leave it out."));
    }
    let offload = layout.offload;
    if layout.nvme_offload && !(offload.optimizer || offload.parameters) {
        return Err(
            at.wrong("nvme_offload", "Nothing is offloaded. Set offload.optimizer or offload.parameters to true.")
        );
    }
    // utils/groups.py, `_create_zero_param_parallel_group`.
    if !gpus.is_multiple_of(group) {
        let node = job.hardware.gpus_per_node;
        return Err(at.wrong(
            "zero_hpz_partition_size",
            format_args!(
                "{group} GPUs do not divide the {gpus} there are. Give a divisor of {gpus}: {}, say.",
                if gpus.is_multiple_of(node) { node } else { gpus }
            ),
        ));
    }
    // runtime/zero/partition_parameters.py, `_partition_param_sec`: the second copy is made in memory.
    if group > 1 && layout.nvme_offload && offload.parameters {
        return Err(at.wrong(
            "zero_hpz_partition_size",
            "DeepSpeed keeps no second copy of weights that lie on NVMe. Give 1, or set nvme_offload to false.",
        ));
    }
    Ok(())
}
