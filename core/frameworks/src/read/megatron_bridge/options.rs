//! Options of Megatron-Bridge's scripts, and the overrides beside them.

use crate::read::settings::Setting;
use crate::read::shell::Word;

/// Options of `scripts/performance` in the words of the configuration, short ones too
/// (`argument_parser.py`).
const ALIASES: &[(&str, &str)] = &[
    ("ng|num_gpus", "--num_gpus"),
    ("gn|gpus_per_node", "--gpus_per_node"),
    ("mr|model_recipe_name|recipe_name", "--model_recipe_name"),
    ("m", "--model_family_name"),
    ("g", "--gpu"),
    ("c", "--compute_dtype"),
    ("tp|tensor_model_parallel_size", "model.tensor_model_parallel_size"),
    ("pp|pipeline_model_parallel_size", "model.pipeline_model_parallel_size"),
    ("cp|context_parallel_size", "model.context_parallel_size"),
    ("vp|virtual_pipeline_model_parallel_size", "model.virtual_pipeline_model_parallel_size"),
    ("ep|expert_model_parallel_size", "model.expert_model_parallel_size"),
    ("et|etp|expert_tensor_parallel_size", "model.expert_tensor_parallel_size"),
    ("mb|micro_batch_size", "train.micro_batch_size"),
    ("gb|global_batch_size", "train.global_batch_size"),
    ("sl|seq_length", "dataset.seq_length"),
    ("ms|max_steps|train_iters", "train.train_iters"),
    ("rl|recompute_num_layers", "model.recompute_num_layers"),
    ("recompute_modules", "model.recompute_modules"),
    ("pipeline_model_parallel_layout", "model.pipeline_model_parallel_layout"),
    ("hidden_size", "model.hidden_size"),
    ("num_layers", "model.num_layers"),
    ("moe_a2a_overlap", "model.overlap_moe_expert_parallel_comm"),
    ("moe_flex_dispatcher_backend", "model.moe_flex_dispatcher_backend"),
    ("cuda_graph_impl", "model.cuda_graph_impl"),
    ("cuda_graph_scope", "model.cuda_graph_scope"),
    ("use_megatron_fsdp", "ddp.use_megatron_fsdp"),
];

/// Options with their values, and overrides, which have no dashes.
pub(super) fn apart(words: &[Word]) -> (Vec<Word>, Vec<Word>) {
    let overrides = |word: &&Word| {
        let key = word
            .text
            .trim_start_matches(['+', '~'])
            .split_once('=')
            .map_or("", |(key, _)| key);
        !key.starts_with('-') && (key.contains('.') || matches!(key, "mixed_precision" | "comm_overlap" | "peft"))
    };
    let (own, options): (Vec<&Word>, Vec<&Word>) = words.iter().partition(overrides);
    let list = |words: Vec<&Word>| words.into_iter().cloned().collect();
    (list(options), list(own))
}

/// An option under the configuration's name of it.
pub(super) fn named(mut setting: Setting) -> Setting {
    let option = setting.key.trim_start_matches('-');
    let known = ALIASES.iter().find(|(names, _)| names.split('|').any(|name| name == option));
    if let Some((_, key)) = known {
        (*key).clone_into(&mut setting.key);
    }
    setting
}
