//! How a `config.json` or normalised keys become a model, and what is refused.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use shardwise_core::model::{ParameterCounts, QkNorm, Reading, model_from_config, resolve_model};
use shardwise_core::wire::{parse_question, question_from_value};
use shardwise_core::{catalog, estimate};

use crate::said::said;

/// Key sets of published `config.json` files, by catalog id.
const CONFIGS: &str = include_str!("data/configs.json");

fn resolve(value: Value) -> Result<shardwise_core::model::Model, shardwise_core::InputError> {
    resolve_model(&value, "model")
}

fn llama() -> Map<String, Value> {
    let configs: Map<String, Value> = serde_json::from_str(CONFIGS).unwrap();
    configs["llama-3.1-8b"].as_object().unwrap().clone()
}

fn normalised() -> Value {
    json!({"hidden_size": 4096, "num_hidden_layers": 32, "intermediate_size": 11008,
           "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32000})
}

fn with(mut value: Value, key: &str, new: Value) -> Value {
    value[key] = new;
    value
}

#[test]
fn published_configs_give_the_catalogs_shapes() {
    let configs: Map<String, Value> = serde_json::from_str(CONFIGS).unwrap();
    assert!(configs.len() >= 30);
    for (id, config) in &configs {
        let entry = catalog::model(id).unwrap_or_else(|| panic!("{id}"));
        let model = resolve(config.clone()).unwrap_or_else(|e| panic!("{id}: {e}"));
        assert_eq!(model.parameters.total, ParameterCounts::of(&entry.shape).total, "{id}");
        assert_eq!(model.shape, entry.shape, "{id}");
        assert_eq!(model.hybrid, entry.hybrid, "{id}");
        assert_eq!(model.id, "custom");
    }
}

#[test]
fn released_mpt_has_no_biases_and_no_positions() {
    // mosaicml/mpt-7b: 6,649,286,656 weights; the recipe of the same name has biases and positions.
    let config = json!({"attn_config": {"alibi": true, "attn_type": "multihead_attention"}, "d_model": 4096,
        "expansion_ratio": 4, "learned_pos_emb": true, "max_seq_len": 2048, "model_type": "mpt", "n_heads": 32,
        "n_layers": 32, "no_bias": true, "vocab_size": 50432});
    assert_eq!(resolve(config).unwrap().parameters.total, 6_649_286_656);
}

#[test]
fn every_type_of_the_catalog_is_supported() {
    for entry in catalog::models().iter().filter(|entry| entry.stated_parameters == 0) {
        let error = resolve(json!({"model_type": entry.model_type})).unwrap_err();
        assert_eq!(error.field, "model.hidden_size", "{}", entry.model_type);
    }
}

#[test]
fn nemotron_h_may_list_its_blocks() {
    let base = json!({"model_type": "nemotron_h", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4,
        "num_key_value_heads": 2, "vocab_size": 100, "mamba_num_heads": 4, "mamba_head_dim": 16});
    let listed = with(base.clone(), "layers_block_type", json!(["mamba", "mlp", "attention", "mlp"]));
    let lettered = with(base.clone(), "hybrid_override_pattern", json!("M-*-"));
    assert_eq!(resolve(listed.clone()).unwrap().shape, resolve(lettered).unwrap().shape);
    assert_eq!(resolve(listed).unwrap().shape.num_hidden_layers, 4);
    for (key, value) in [("layers_block_type", json!(["conv"])), ("hybrid_override_pattern", json!("MX"))] {
        assert_eq!(resolve(with(base.clone(), key, value)).unwrap_err().field, format!("model.{key}"));
    }
}

#[test]
fn stated_only_types_are_matched_to_the_catalog() {
    let gemma = json!({"model_type": "gemma4", "text_config": {"hidden_size": 5376, "num_hidden_layers": 60}});
    assert_eq!(resolve(gemma).unwrap().id, "gemma-4-31b");
    let other = json!({"model_type": "gemma4", "text_config": {"hidden_size": 1024, "num_hidden_layers": 60}});
    let error = resolve(other).unwrap_err();
    assert_eq!(error.field, "model.model_type");
    assert!(error.message.contains("gemma-4-31b"), "{}", error.message);
    // Those that it has in outline alone, and others of their types by their sizes.
    let sizes = |hidden: u64| {
        json!({"model_type": "step3p5", "hidden_size": hidden, "num_hidden_layers": 45, "intermediate_size": 11264,
            "num_attention_heads": 64, "vocab_size": 128_896})
    };
    let step = json!({"model_type": "step3p7", "text_config": sizes(4096)});
    assert_eq!(resolve(step).unwrap().id, "step-3.5-flash");
    assert_eq!(resolve(sizes(2048)).unwrap().reading.unknown_type.as_deref(), Some("step3p5"));
}

#[test]
fn models_of_two_types_are_matched_to_the_catalog() {
    let sizes = |model_type: &str, hidden: u64, layers: u64| {
        json!({"model_type": model_type, "hidden_size": hidden, "num_hidden_layers": layers, "intermediate_size": 16384,
            "num_attention_heads": 64, "num_key_value_heads": 4, "head_dim": 192, "vocab_size": 152_576})
    };
    for (model_type, hidden, layers, id) in [
        ("mimo_v2_flash", 4096, 48, "mimo-v2-flash"),
        ("mimo_v2", 4096, 48, "mimo-v2-flash"),
        ("mimo_v2", 6144, 70, "mimo-v2.5-pro"),
    ] {
        assert_eq!(resolve(sizes(model_type, hidden, layers)).unwrap().id, id);
    }
    assert_eq!(resolve(sizes("mimo_v2", 1024, 4)).unwrap().reading.unknown_type.as_deref(), Some("mimo_v2"));
    let text = json!({"model_type": "gemma4_unified_text", "hidden_size": 3840, "num_hidden_layers": 48});
    let gemma = json!({"model_type": "gemma4_unified", "text_config": text});
    assert_eq!(resolve(gemma).unwrap().id, "gemma-4-12b");
}

/// `nemotron-nas` with these blocks: key and value heads' groups and widths of the MLP; nothing where a half is absent.
fn searched(blocks: &[(Option<u64>, Option<f64>)]) -> Value {
    let blocks: Vec<Value> = blocks
        .iter()
        .map(|(group, times)| {
            json!({"attention": {"n_heads_in_group": group, "no_op": group.is_none(), "replace_with_linear": false},
                "ffn": {"ffn_mult": times, "no_op": times.is_none(), "replace_with_linear": false}})
        })
        .collect();
    json!({"model_type": "nemotron-nas", "hidden_size": 8192, "num_attention_heads": 64, "num_hidden_layers": blocks.len(),
        "num_key_value_heads": null, "intermediate_size": null, "vocab_size": 128_256, "block_configs": blocks})
}

#[test]
fn blocks_with_sizes_of_their_own_are_counted_one_by_one() {
    let blocks = [(Some(8), Some(5.25)), (None, Some(1.3125)), (None, None), (Some(8), Some(0.5)), (Some(8), None)];
    let model = resolve(searched(&blocks)).unwrap();
    let attention = 3 * (8192 * 128 * (2 * 64 + 2 * 8));
    let mlps = 3 * 8192 * (28_672 + 7_168 + 2_816);
    let outside = 2 * 128_256 * 8192 + 8192;
    assert_eq!(model.parameters.total, attention + mlps + 6 * 8192 + outside);
    assert_eq!((model.shape.layer_pattern, model.shape.num_hidden_layers), ("A-A*", 4));
    // The mean of 12,885, as a multiple of 256.
    assert_eq!((model.shape.intermediate_size, model.shape.num_key_value_heads), (12_800, 8));
    assert!(model.hybrid && model.reading.unknown_type.is_none());
    // A matrix in the place of a half has the hidden size both ways, within what three matrices share.
    let mut linear = searched(&blocks);
    linear["block_configs"][2]["attention"] = json!({"no_op": false, "replace_with_linear": true});
    let more = resolve(linear).unwrap().parameters.total - model.parameters.total;
    assert!((8192 * 8192 + 8192..8192 * 8192 + 4 * 8192).contains(&more), "{more}");
    for wrong in [json!(null), json!([]), json!([1]), json!([{"attention": {}, "ffn": {}}])] {
        let error = resolve(with(searched(&blocks), "block_configs", wrong)).unwrap_err();
        assert_eq!(error.field, "model.block_configs");
        said(&error.message);
    }
    for (group, times) in [(Some(7), Some(1.0)), (Some(8), Some(-1.0)), (Some(8), Some(1e12))] {
        let error = resolve(searched(&[(group, times)])).unwrap_err();
        assert_eq!(error.field, "model.block_configs");
        said(&error.message);
    }
}

#[test]
fn kimi_linear_has_a_narrow_gate_and_a_decay_per_channel() {
    let linear = json!({"full_attn_layers": [4, 8, 12, 16, 20, 24, 27], "head_dim": 128, "num_heads": 32, "short_conv_kernel_size": 4});
    let config = json!({"model_type": "kimi_linear", "hidden_size": 2304, "num_hidden_layers": 27, "intermediate_size": 9216,
        "head_dim": 72, "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 163_840, "kv_lora_rank": 512,
        "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "num_experts": 256, "num_experts_per_token": 8,
        "num_shared_experts": 1, "moe_intermediate_size": 1024, "first_k_dense_replace": 1, "model_max_length": 1_048_576,
        "tie_word_embeddings": false, "linear_attn_config": linear});
    let model = resolve(config.clone()).unwrap();
    assert_eq!(model.shape, catalog::model("kimi-linear-48b-a3b").unwrap().shape);
    assert_eq!((model.parameters.linear_layers, model.parameters.attention_layers), (20, 7));
    for (wrong, field) in [
        (json!(null), "model.linear_attn_config"),
        (
            json!({"full_attn_layers": [28], "head_dim": 128, "num_heads": 32}),
            "model.linear_attn_config.full_attn_layers",
        ),
        (json!({"full_attn_layers": [4], "num_heads": 32}), "model.linear_attn_config.head_dim"),
    ] {
        let error = resolve(with(config.clone(), "linear_attn_config", wrong)).unwrap_err();
        assert_eq!(error.field, field);
        said(&error.message);
    }
}

#[test]
fn experts_that_compute_nothing_are_chosen_and_not_counted() {
    let configs: Map<String, Value> = serde_json::from_str(CONFIGS).unwrap();
    let longcat = configs["longcat-flash"].clone();
    let model = resolve(longcat.clone()).unwrap();
    assert_eq!((model.shape.num_experts_per_tok, model.shape.zero_experts), (8, 256));
    assert_eq!((model.parameters.dense_layers, model.parameters.expert_layers), (28, 28));
    // Without the embedding 18.6B to 31.3B weights, 27B on average: arXiv:2509.01322.
    let visited = model.parameters.active - model.parameters.embedding;
    let each = model.parameters.expert * model.parameters.expert_layers;
    let billions = |weights: u64| (weights as f64 / 1e8).round() / 10.0;
    assert_eq!([visited - 8 * each, visited, visited + 4 * each].map(billions), [18.7, 27.1, 31.4]);
    // As transformers writes it, with the blocks beside the layers; and one without such experts.
    let written = with(with(longcat.clone(), "num_hidden_layers", json!(56)), "head_dim", json!(64));
    assert_eq!(resolve(written).unwrap().shape, model.shape);
    let plain = resolve(with(longcat, "zero_expert_num", json!(0))).unwrap().shape;
    assert_eq!((plain.num_experts_per_tok, plain.zero_experts), (12, 0));
    let gpus = json!({"gpu": "h200-sxm", "gpus": 256});
    let sft = json!({"kind": "sft", "sequence_length": 4096, "global_batch": 256});
    let question = json!({"version": 1, "model": "longcat-flash", "hardware": gpus, "workload": sft});
    let answer = estimate(&question_from_value(question).unwrap()).unwrap();
    let caveat = answer
        .caveats
        .iter()
        .find(|caveat| caveat.id == "experts-that-compute-nothing")
        .unwrap();
    assert!(caveat.text.contains("256 experts") && caveat.text.contains("counted with 8"), "{}", caveat.text);
    said(&caveat.text);
}

#[test]
fn normalised_objects_suffice() {
    let llama = resolve(normalised()).unwrap();
    assert_eq!(llama.parameters.total, 6_738_415_616);
    assert_eq!(llama.name, "custom model");
    let plain = with(with(normalised(), "gated_mlp", json!(false)), "tie_word_embeddings", json!(true));
    let plain = resolve(plain).unwrap();
    assert!(!plain.shape.gated_mlp && plain.shape.tie_word_embeddings);
    // Grouped heads and heads wider than the hidden size would give.
    let wide = with(with(normalised(), "num_key_value_heads", json!(8)), "head_dim", json!(192));
    assert_eq!(resolve(wide).unwrap().shape.head_dim, 192);
    // Kimi-K2's sizes, normalised.
    let moe = json!({"hidden_size": 7168, "intermediate_size": 18432, "num_hidden_layers": 61,
        "num_attention_heads": 64, "vocab_size": 163840, "num_experts": 384, "num_experts_per_tok": 8,
        "moe_intermediate_size": 2048, "shared_expert_intermediate_size": 2048, "first_k_dense_replace": 1,
        "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
        "v_head_dim": 128, "name": "Mine"});
    let moe = resolve(moe).unwrap();
    let kimi = ParameterCounts::of(&catalog::model("kimi-k2").unwrap().shape);
    // A normalised object has no balancing bias: one weight per expert and layer.
    assert_eq!(moe.parameters.total + 60 * 384, kimi.total);
    assert_eq!(moe.name, "Mine");
    assert_eq!(moe.shape.qk_norm, QkNorm::None);
}

#[test]
fn unknown_keys_of_a_real_config_are_ignored() {
    let mut config = llama();
    config.insert("hiden_size".into(), json!("anything"));
    config.insert("_name_or_path".into(), json!("meta-llama/Llama-3.1-8B"));
    let model = model_from_config(&config, "model").unwrap();
    assert_eq!(model.hf_repo, "meta-llama/Llama-3.1-8B");
    config.insert("_name_or_path".into(), json!("/home/me/checkpoint"));
    assert_eq!(model_from_config(&config, "model").unwrap().hf_repo, "");
}

/// A decoder of a type that nobody knows.
fn unknown() -> Value {
    with(normalised(), "model_type", json!("nobody_next"))
}

#[test]
fn a_decoder_of_unknown_type_is_read_by_its_sizes() {
    let model = resolve(unknown()).unwrap();
    assert_eq!(model.parameters.total, 6_738_415_616);
    assert_eq!(model.reading.unknown_type.as_deref(), Some("nobody_next"));
    assert_eq!(resolve(normalised()).unwrap().reading, Reading::default());
    // Experts under other names, sizes that each layer has alike, and kinds of layers that are not known.
    let more = with(
        with(with(unknown(), "moe_num_experts", json!(8)), "moe_topk", json!([2, 2])),
        "moe_intermediate_size",
        json!([512, 512]),
    );
    let more = with(with(more, "layer_types", json!(["lightning", "full_attention"])), "sliding_window", json!(512));
    let model = resolve(more.clone()).unwrap();
    assert_eq!(
        (model.shape.num_experts, model.shape.num_experts_per_tok, model.shape.moe_intermediate_size),
        (8, 2, 512)
    );
    assert_eq!((model.shape.layer_pattern, model.shape.sliding_window), ("", 0));
    let windows = with(more, "layer_types", json!(["sliding_attention", "full_attention"]));
    assert_eq!(resolve(windows).unwrap().shape.layer_pattern, "SA");
    let uneven = with(unknown(), "num_key_value_heads", json!([8, 4]));
    assert_eq!(resolve(uneven).unwrap_err().field, "model.num_key_value_heads");
}

#[test]
fn the_language_model_is_found_in_a_file_of_several_parts() {
    for (outer, inner) in [("kimi_k25", "text_config"), ("any_vl", "language_config"), ("any_vl", "llm_config")] {
        let text = with(normalised(), "model_type", json!("llama"));
        let model =
            resolve(json!({"model_type": outer, inner: text, "vision_config": {"model_type": "moon"}})).unwrap();
        assert_eq!((model.parameters.total, &model.reading.unknown_type), (6_738_415_616, &None));
        assert!(model.reading.tower_ignored);
    }
    let text = with(normalised(), "model_type", json!("qwen2_5_omni_text"));
    let omni = json!({"model_type": "qwen2_5_omni", "thinker_config": {"text_config": text, "audio_config": {}}});
    let model = resolve(omni).unwrap();
    assert!(model.shape.attention_bias && model.reading.tower_ignored && model.shape.vision.is_none());
}

#[test]
fn bytes_of_published_weights_follow_their_quantization() {
    let released = |own: Value| {
        let model = resolve(with(with(unknown(), "num_experts", json!(8)), "num_experts_per_tok", json!(2)));
        let config = with(
            with(with(unknown(), "num_experts", json!(8)), "num_experts_per_tok", json!(2)),
            "quantization_config",
            own,
        );
        assert_eq!(model.unwrap().reading.released, None);
        resolve(config).map(|model| model.reading.released.unwrap())
    };
    let groups = |bits: u64, kind: &str, size: i64| {
        json!({"quant_method": "compressed-tensors", "ignore": ["lm_head", "re:.*self_attn.*"],
            "config_groups": {"group_0": {"weights": {"num_bits": bits, "type": kind, "group_size": size}}}})
    };
    for (own, dense, expert) in [
        (json!({"quant_method": "fp8", "weight_block_size": [128, 128]}), 1.0, 1.0),
        (json!({"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn"]}), 2.0, 0.53125),
        (json!({"quant_method": "awq", "bits": 4, "group_size": 128}), 0.51953125, 0.51953125),
        (json!({"quant_method": "gptq", "bits": 8, "group_size": -1}), 1.0, 1.0),
        (json!({"quant_method": "modelopt", "quant_algo": "NVFP4"}), 0.5625, 0.5625),
        (json!({"quant_method": "bitsandbytes", "load_in_4bit": true}), 0.5625, 0.5625),
        (groups(4, "int", 32), 2.0, 0.5625),
        (groups(4, "float", 16), 2.0, 0.5625),
        (groups(8, "float", -1), 2.0, 1.0),
    ] {
        let found = released(own.clone()).unwrap();
        assert_eq!((found.dense_bytes, found.expert_bytes), (dense, expert), "{own}");
    }
    for (own, field) in [
        (json!({"quant_method": "own"}), "quant_method"),
        (json!({"quant_method": "awq"}), "bits"),
        (json!({"quant_method": "compressed-tensors"}), "config_groups"),
        (json!({"quant_method": "modelopt", "quant_algo": "X"}), "quant_algo"),
    ] {
        assert_eq!(released(own).unwrap_err().field, format!("model.quantization_config.{field}"));
    }
}

#[test]
fn an_engine_serves_the_bits_that_are_published_and_training_has_sixteen() {
    let quantized =
        with(unknown(), "quantization_config", json!({"quant_method": "awq", "bits": 4, "group_size": 128}));
    let answer = |model: &Value, workload: Value| {
        let gpus = json!({"gpu": "h100-sxm", "gpus": 8});
        let plan = if workload["kind"] == "rollout" { json!({"rollout": {"tensor_parallel": 1}}) } else { json!({}) };
        let question = json!({"version": 1, "model": model, "hardware": gpus, "workload": workload, "plan": plan});
        estimate(&question_from_value(question).unwrap()).unwrap()
    };
    let rollout =
        json!({"kind": "rollout", "rollout": {"requests": 64, "mean_prompt_length": 512, "mean_response_length": 512}});
    let (few, whole) = (answer(&quantized, rollout.clone()), answer(&unknown(), rollout));
    assert!(few.tokens_per_s_per_gpu > 1.1 * whole.tokens_per_s_per_gpu);
    let sft = json!({"kind": "sft", "sequence_length": 1024, "global_batch": 64});
    let (from_few, from_whole) = (answer(&quantized, sft.clone()), answer(&unknown(), sft));
    assert_eq!(from_few.tokens_per_s_per_gpu, from_whole.tokens_per_s_per_gpu);
    for (own, ids) in [(&few, &["unknown-type", "released-in-few-bits"][..]), (&from_whole, &["unknown-type"][..])] {
        for id in ids {
            let caveat = own
                .caveats
                .iter()
                .find(|caveat| caveat.id == *id)
                .unwrap_or_else(|| panic!("{id}"));
            said(&caveat.text);
        }
        assert_eq!(own.caveats.iter().any(|caveat| caveat.id == "released-in-few-bits"), ids.len() == 2);
    }
}

#[test]
fn numbers_that_python_writes_and_json_lacks_are_read() {
    let text = r#"{"version": 1, "model": {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008,
        "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000, "rope_scaling": {"factor": NaN},
        "time_step_limit": [0.0, Infinity, -Infinity]}, "hardware": {"gpu": "h100-sxm", "gpus": 8}, "workload": {"kind": "sft", "sequence_length": 1024, "global_batch": 64}}"#;
    assert!(estimate(&parse_question(text).unwrap()).is_ok());
    let error = estimate(&parse_question(&text.replace("4096", "Infinity")).unwrap()).unwrap_err();
    assert_eq!(error.field, "model.hidden_size");
    assert!(error.message.contains("Infinity"), "{}", error.message);
}

/// Any JSON, with numbers of every size.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0u64..300).prop_map(Value::from),
        "[a-zA-Z0-9_./*-]{0,12}".prop_map(Value::from),
        prop_oneof![Just("full_attention"), Just("sliding_attention"), Just("M*E-"), Just("siglip_vision_model")]
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{0,12}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_json_panics(value in any_json()) {
        let _ = resolve(value);
    }

    /// Published files with a few values replaced, removed or added.
    #[test]
    fn no_mutated_config_panics(
        which in 0usize..1000,
        changes in prop::collection::vec((0usize..1000, any_json()), 0..5),
        nested in any::<bool>(),
    ) {
        let configs: Map<String, Value> = serde_json::from_str(CONFIGS).unwrap();
        let mut config = configs.values().nth(which % configs.len()).unwrap().clone();
        let all: Vec<String> = configs.values().flat_map(|c| c.as_object().unwrap().keys().cloned()).collect();
        for (key, value) in changes {
            let key = all[key % all.len()].clone();
            let target = if nested && config.get("text_config").is_some_and(Value::is_object) {
                &mut config["text_config"]
            } else {
                &mut config
            };
            target[key.as_str()] = value;
        }
        if let Ok(model) = resolve(config) {
            prop_assert!(model.parameters.total <= 1_000_000_000_000_000);
            prop_assert!(model.shape.num_attention_heads.is_multiple_of(model.shape.num_key_value_heads));
        }
    }

    #[test]
    fn extreme_sizes_never_overflow(
        sizes in prop::collection::vec(prop_oneof![1u64..20, 1u64..20_000_000, any::<u64>()], 16),
    ) {
        let keys = ["hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "head_dim",
            "vocab_size", "num_experts", "num_experts_per_tok", "moe_intermediate_size",
            "shared_expert_intermediate_size", "first_k_dense_replace", "q_lora_rank", "kv_lora_rank",
            "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"];
        let map: Map<String, Value> =
            keys.iter().zip(&sizes).map(|(key, size)| ((*key).to_owned(), Value::from(*size))).collect();
        let _ = resolve(Value::Object(map));
    }
}
