//! `verl.trainer.sft_trainer` and the older `fsdp_sft_trainer`, under torchrun.

use super::engine::{self, Role};
use crate::read::draft::Draft;
use crate::read::shell::Word;
use crate::read::{launch, value};

const ROLE: Role = Role {
    field: "plan",
    megatron: "engine.",
    fsdp: "engine.",
    optim: "optim.",
    model: "model.",
    ulysses: "engine.ulysses_sequence_parallel_size",
};

pub(super) fn read(draft: &mut Draft, before: &[Word]) {
    let entry = draft.take_model("model.path", "model");
    machine(draft, before);
    draft.take_count("data.train_batch_size", "workload.global_batch", Some(256));
    draft.take_count("data.max_length", "workload.sequence_length", Some(1024));
    let megatron = engine::is_megatron(draft, &["engine", "engine.strategy", "config-name"]);
    engine::read(draft, &ROLE, megatron, entry);
    engine::precision(draft, &ROLE, megatron);
    let kind = if engine::adapters(draft, ROLE.model) { "lora" } else { "sft" };
    draft.set("workload.kind", kind);
    let model = draft.flag("model.use_remove_padding");
    let own = draft.flag("engine.use_remove_padding").filter(|_| megatron);
    draft.set("workload.packing", own.or(model).unwrap_or(true));
    if draft
        .flag("data.use_dynamic_bsz")
        .unwrap_or(!draft.states("data.micro_batch_size_per_gpu"))
    {
        draft.take_count("data.max_token_len_per_gpu", "plan.max_tokens_per_gpu", Some(8192));
    } else {
        draft.take_count("data.micro_batch_size_per_gpu", "plan.micro_batch", Some(4));
    }
}

/// torchrun decides how many GPUs there are; the trainer's keys say it to the launcher on ray.
pub(in crate::read) fn machine(draft: &mut Draft, before: &[Word]) {
    let option = |names: &[&str]| {
        let word = launch::option(before, names)?;
        let value = word.text.rsplit('=').next().unwrap_or_default();
        // `--nnodes=1:4` is elastic: the fewest.
        let value = value.split(':').next().unwrap_or_default();
        value::whole(value)
            .and_then(|value| u64::try_from(value).ok())
            .filter(|value| *value > 0)
    };
    let nodes = option(&["nnodes", "num_nodes", "num_machines"]);
    let per_node = option(&["nproc_per_node", "num_gpus"]);
    let (nodes, per_node) = match (nodes, per_node) {
        (None, None) if !draft.states("trainer.nnodes") && !draft.states("trainer.n_gpus_per_node") => {
            return;
        }
        (None, None) => (draft.count("trainer.nnodes"), draft.count("trainer.n_gpus_per_node")),
        found => found,
    };
    let per = per_node.unwrap_or(8);
    let gpus = nodes.unwrap_or(1).saturating_mul(per);
    draft.set("hardware.gpus", gpus);
    draft.set("hardware.gpus_per_node", per);
    draft.train_gpus = Some(gpus);
    if per_node.is_none() {
        draft.assume("hardware.gpus_per_node", 8, "The launcher's --nproc-per-node is no number here.");
    }
}
