//! `DeepSpeed`: its configuration twice, in plain numbers and for Hugging Face's Trainer, and the flags that neither can
//! carry.

mod config;
mod launch;

use super::choices::other_than_fp32;
use super::text::head;
use super::{Emission, Snippet, Unsupported};
use shardwise_question::wire::Optimizer;

/// Both configurations and the command.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    // runtime/config.py has it since 0.17.
    if emission.version == "0.16.9" && emission.plan.layout.optimizer.kind == Optimizer::Muon {
        let message = "DeepSpeed 0.16.9 has no Muon. Choose a later version, or another optimizer.".to_owned();
        return Err(Unsupported { message });
    }
    Ok(vec![
        config::plain(emission).into_snippet("ds_config.json"),
        config::hugging_face(emission).into_snippet(launch::HUGGING_FACE),
        launch::script(emission, head(emission, &warnings(emission))),
    ])
}

/// `ds_config.json` for the trainers that others write on Hugging Face's.
pub(super) fn file(emission: &Emission) -> Snippet {
    let mut config = config::in_numbers(emission);
    if emission.plan.layout.ulysses_parallel > 1 {
        // Accelerate splits the sequences, and the Trainer multiplies by every process (`config::hugging_face`).
        config.retain(|path| path != "train_batch_size" && path != "sequence_parallel_size");
    }
    config.into_snippet("ds_config.json")
}

/// The same with what Hugging Face's Trainer fills in, for one that splits sequences by itself: `DeepSpeed` counts every
/// process as a rank.
pub(super) fn filled_by_the_trainer(emission: &Emission, file: &'static str) -> Snippet {
    let mut config = config::hugging_face(emission);
    config.retain(|path| path != "sequence_parallel_size");
    config.into_snippet(file)
}

/// Where `DeepSpeed` does otherwise than the estimate assumes.
fn warnings(emission: &Emission) -> Vec<String> {
    let layout = &emission.plan.layout;
    let mut out = other_than_fp32(emission, "this configuration");
    if layout.fused_lm_head {
        out.push("the estimate has no logits tensor: give your model a fused loss, Liger's for one.".to_owned());
    }
    let node = emission.job.hardware.gpus_per_node;
    let group = layout.zero_plus.partition_size;
    if group > node {
        out.push(format!(
            "{group} GPUs share the second copy of the weights, more than a node's {node}: the backward pass gathers over the network all the same."
        ));
    }
    if emission.job.model.shape.num_experts > 0 && layout.zero_stage == 3 {
        // runtime/zero/leaf_module_config.py is new since 0.16.9.
        out.push(if emission.version == "0.16.9" {
            "ZeRO-3 stops where GPUs take other experts: call deepspeed.utils.set_z3_leaf_modules on the block of experts in your script."
        } else {
            "ZeRO-3 stops where GPUs take other experts: it knows the blocks of Mixtral, Qwen2 and Qwen3; name another model's in zero_optimization.leaf_module.classes."
        }.to_owned());
    }
    out
}
