//! What settings take of a card that a plan has no field of its own for.

use serde_json::Value;

use crate::read::draft::Draft;
use shardwise_catalog::catalog::ModelEntry;
use shardwise_catalog::model::resolve_model;
use shardwise_catalog::units::{Bytes, fixed};

/// Says that each sync of weights gathers the whole model on every GPU, beside the engine's weights, where nothing has it gathered layer by
/// layer: `FSDP.summon_full_params` over all of it (`collect_lora_params` of `utils/fsdp_utils.py` of 0.9.1, line 752).
pub(super) fn whole_model(draft: &mut Draft, entry: Option<&ModelEntry>) {
    if draft.is_on("actor_rollout_ref.rollout.layered_summon") {
        return;
    }
    let model = entry.and_then(|own| resolve_model(&Value::from(own.id), "model").ok());
    if let Some(model) = model {
        let gib = fixed(Bytes::new(2.0 * model.parameters.total as f64).gib(), 1);
        draft.set("plan.weight_sync_parts", 1);
        draft.note(
            0,
            format!(
                "Each sync gathers the whole model on every GPU to take its adapters: {gib} GiB. Set actor_rollout_ref.rollout.layered_summon=True and load_format=safetensors."
            ),
        );
    }
}

/// What a logit takes where the entropy is in the loss: its gradient stands beside the loss's, which then no longer takes the logits'
/// place (`workers/engine/fsdp/transformer_impl.py` of 0.9.1, line 1425); Megatron's logits are cloned for it, and keep their
/// softmax (`workers/engine/megatron/transformer_impl.py`, line 1215, and `_VocabParallelEntropy`). Where sequences are padded it is no
/// compiled kernel (line 1491): its softmax and that one's gradient are in fp32, as autocast has them, beside the logits, their
/// gradients of loss and product, and three copies of the `logsumexp`'s backward pass.
pub(super) fn entropy(draft: &mut Draft, megatron: bool) {
    let coefficient = draft.number("actor_rollout_ref.actor.entropy_coeff");
    let pads = draft.field("workload.packing") == Some(&false.into());
    if coefficient.is_some_and(|own| own != 0.0) {
        let bytes = match (megatron, pads) {
            (true, _) => 10.0,
            (false, false) => 6.0,
            (false, true) => 20.0,
        };
        draft.set("plan.logit_bytes", bytes);
    }
}
