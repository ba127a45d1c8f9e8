//! How Megatron splits a model, as the keys of the frameworks on it say.

use crate::read::draft::Draft;
use shardwise_catalog::catalog::ModelEntry;

/// Reads the keys under `prefix` into the plan at `plan`. `sharded`: whether the optimizer's states are, where nothing is said.
pub(crate) fn splits(draft: &mut Draft, prefix: &str, plan: &str, entry: Option<&ModelEntry>, sharded: bool) {
    let key = |name: &str| format!("{prefix}{name}");
    let field = |name: &str| format!("{plan}.{name}");
    draft.take_all(prefix);
    let tensor = draft.size(&field("tensor_parallel")).unwrap_or(1);
    // Megatron splits experts as it splits the rest, unless it is told otherwise.
    let experts = entry.is_some_and(|entry| entry.shape.num_experts > 0);
    match draft.count(&key("expert_tensor_parallel_size")) {
        None if experts && tensor > 1 => draft.assume(
            &field("expert_tensor_parallel"),
            tensor,
            "Megatron splits experts by the tensor-parallel size where expert_tensor_parallel_size is null.",
        ),
        split => draft.set(&field("expert_tensor_parallel"), split.unwrap_or(1)),
    }
    // Without tensor parallelism there is nothing to split.
    let sequence = draft.flag(&key("sequence_parallel")).unwrap_or(true);
    draft.set(&field("sequence_parallel"), sequence && tensor > 1);
    let sharded = draft.flag(&key("use_distributed_optimizer")).unwrap_or(sharded);
    draft.set(&field("zero_stage"), u64::from(sharded));
}
