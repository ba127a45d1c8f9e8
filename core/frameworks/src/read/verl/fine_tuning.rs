//! `verl.trainer.sft_trainer` and the older `fsdp_sft_trainer`, under torchrun.

use super::engine::{self, Role};
use crate::read::draft::Draft;
use crate::read::launch::machine;
use crate::read::shell::Word;

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
