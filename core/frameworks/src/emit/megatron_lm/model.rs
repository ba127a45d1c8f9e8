//! The model as Megatron-LM's arguments say it.

use super::super::Emission;
use super::super::megatron;
use super::super::text::Section;
use super::switch;
use shardwise_catalog::model::{Norm, QkNorm, Shape};

/// The model, and its experts where it has some.
pub(super) fn sections(shape: &Shape, emission: &Emission) -> Vec<Section> {
    vec![dense(shape, emission), latent_attention(shape), experts(shape, emission)]
}

fn dense(shape: &Shape, emission: &Emission) -> Section {
    let job = emission.job;
    let own = "the model's";
    let mut section = Section::new(format!("Model: {}", job.model.name));
    section.set("--num-layers", shape.num_hidden_layers, own);
    section.set("--hidden-size", shape.hidden_size, own);
    let width = match shape.intermediate_size {
        0 => shape.moe_intermediate_size,
        width => width,
    };
    section.set("--ffn-hidden-size", width, "width of the dense MLP");
    let heads = shape.num_attention_heads;
    section.set("--num-attention-heads", heads, own);
    let groups = shape.num_key_value_heads;
    if !shape.is_mla() && groups != heads {
        switch(&mut section, "--group-query-attention", "query heads share keys and values");
        section.set("--num-query-groups", groups, "heads of keys and values");
    }
    section.set("--kv-channels", shape.value_head_dim(), "width of a head");
    let tp = u64::from(emission.plan.layout.tensor_parallel).max(1);
    section.set(
        "--padded-vocab-size",
        shape.vocab_size.next_multiple_of(tp),
        "rows of the embedding, a multiple of TP",
    );
    let known = shape.max_position_embeddings.max(shape.learned_positions);
    let positions = known.max(job.workload.sequence_length);
    section.set("--max-position-embeddings", positions, own);
    let positions = if shape.learned_positions > 0 { "learned_absolute" } else { "rope" };
    section.set("--position-embedding-type", positions, own);
    let norm = if shape.norm == Norm::Rms { "RMSNorm" } else { "LayerNorm" };
    section.set("--normalization", norm, own);
    // MLA's latents are normed, which the same switch says.
    if shape.qk_norm == QkNorm::Head || shape.is_mla() {
        switch(&mut section, "--qk-layernorm", "queries and keys are normed");
    }
    if shape.gated_mlp {
        switch(&mut section, "--swiglu", "the MLP has a gate");
    }
    if !shape.tie_word_embeddings {
        let reason = "the LM head has weights of its own";
        switch(&mut section, "--untie-embeddings-and-output-weights", reason);
    }
    if !shape.mlp_bias {
        switch(&mut section, "--disable-bias-linear", "no biases");
        if shape.attention_bias {
            switch(&mut section, "--add-qkv-bias", "but those of queries, keys and values");
        }
    }
    for name in ["--attention-dropout", "--hidden-dropout"] {
        section.set(name, "0.0", "Megatron-LM's default is 0.1");
    }
    section
}

fn latent_attention(shape: &Shape) -> Section {
    let mut section = Section::new("Latent attention");
    if !shape.is_mla() {
        return section;
    }
    let own = "the model's";
    switch(&mut section, "--multi-latent-attention", own);
    if shape.q_lora_rank > 0 {
        section.set("--q-lora-rank", shape.q_lora_rank, own);
    }
    section.set("--kv-lora-rank", shape.kv_lora_rank, own);
    section.set("--qk-head-dim", shape.qk_nope_head_dim, "without position");
    section.set("--qk-pos-emb-head-dim", shape.qk_rope_head_dim, "with position");
    section.set("--v-head-dim", shape.v_head_dim, own);
    section
}

fn experts(shape: &Shape, emission: &Emission) -> Section {
    let switches = emission.plan.layout.switches;
    let mut section = Section::new("Experts");
    if shape.num_experts == 0 {
        return section;
    }
    let own = "the model's";
    section.set("--num-experts", shape.num_experts, own);
    section.set("--moe-router-topk", shape.num_experts_per_tok, "experts of a token");
    if shape.num_experts_per_tok == 1 {
        let reason = "a single score would have no gradient otherwise";
        switch(&mut section, "--moe-router-pre-softmax", reason);
    }
    section.set("--moe-ffn-hidden-size", shape.moe_intermediate_size, "width of an expert");
    if shape.shared_expert_intermediate_size > 0 {
        let width = shape.shared_expert_intermediate_size;
        let reason = "width of all shared experts";
        section.set("--moe-shared-expert-intermediate-size", width, reason);
        if shape.shared_expert_gate {
            switch(&mut section, "--moe-shared-expert-gate", own);
        }
    }
    let layers = shape.num_hidden_layers;
    let first = (0..layers).find(|layer| shape.is_expert_layer(*layer));
    let dense = first.unwrap_or(layers);
    if !(0..layers).all(|layer| shape.is_expert_layer(layer)) {
        let pattern = if (dense..layers).all(|layer| shape.is_expert_layer(layer)) {
            format!("'([0]*{dense}+[1]*{})'", layers - dense)
        } else {
            let kinds = (0..layers).map(|layer| if shape.is_expert_layer(layer) { "1" } else { "0" });
            format!("'[{}]'", kinds.collect::<Vec<_>>().join(","))
        };
        section.set("--moe-layer-freq", pattern, "layers with experts");
    }
    if shape.router_bias {
        let reason = "its bias needs it";
        section.set("--moe-router-score-function", "sigmoid", reason);
        let reason = "a bias keeps experts evenly busy";
        switch(&mut section, "--moe-router-enable-expert-bias", reason);
        section.set("--moe-router-load-balancing-type", "none", "the bias does it");
    } else {
        section.set("--moe-router-load-balancing-type", "aux_loss", "keeps experts evenly busy");
        section.set("--moe-aux-loss-coeff", "1e-3", "a start; yours to tune");
    }
    let (dispatcher, _) = megatron::dispatcher(switches);
    section.set("--moe-token-dispatcher-type", dispatcher, megatron::dispatches(emission));
    if let Some((backend, reason)) = megatron::flex_backend(switches) {
        section.set("--moe-flex-dispatcher-backend", backend, reason);
    }
    if switches.overlap_moe_expert_parallel_comm {
        switch(&mut section, "--overlap-moe-expert-parallel-comm", megatron::EXPERTS_OVERLAP);
    }
    if let Some((word, scope)) = megatron::graphs(switches) {
        section.set("--cuda-graph-impl", word, "graphs replay the step, from the plan");
        if !scope.is_empty() {
            section.set("--cuda-graph-scope", scope.join(" "), "what they hold");
        }
    }
    switch(&mut section, "--moe-grouped-gemm", "one product for all experts of a GPU");
    switch(&mut section, "--moe-permute-fusion", "one kernel sorts the tokens by expert");
    section
}
