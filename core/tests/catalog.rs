//! The catalog: what it holds, how it is looked up, what the build refuses, and how a
//! `config.json` becomes a model.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../build/mod.rs"]
mod tables;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use shardwise_core::catalog;
use shardwise_core::model::{ParameterCounts, QkNorm, model_from_config, resolve_model};

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

fn without(mut value: Value, key: &str) -> Value {
    value.as_object_mut().unwrap().remove(key);
    value
}

#[test]
fn holds_what_people_use() {
    assert!(catalog::models().len() >= 190);
    assert!(catalog::gpus().len() >= 45);
    assert!(catalog::nodes().len() >= 180);
    assert!(catalog::prices().len() >= 80);
    for id in [
        "a10g",
        "l4",
        "l40s",
        "a100-sxm-40g",
        "a100-sxm-80g",
        "a100-pcie-80g",
        "a800-sxm-80g",
        "h100-sxm",
        "h100-pcie",
        "h100-nvl",
        "h800-sxm",
        "h20",
        "h20-141g",
        "h200-sxm",
        "b200-sxm",
        "b300-sxm",
        "gb200",
        "gb300",
        "gh200-96g",
        "mi300x",
        "mi325x",
        "mi355x",
        "rtx-4090",
        "rtx-3090",
        "rtx-a6000",
        "rtx-pro-6000-server",
        "v100-sxm-32g",
    ] {
        assert!(catalog::gpu(id).is_some(), "{id}");
    }
}

#[test]
fn every_figure_has_a_source() {
    let gpus = catalog::gpus().iter().map(|g| g.source);
    let nodes = catalog::nodes().iter().map(|n| n.source);
    let prices = catalog::prices().iter().map(|p| p.source);
    let models = catalog::models().iter().map(|m| m.source);
    for source in gpus.chain(nodes).chain(prices).chain(models) {
        assert!(source.url.starts_with("https://"), "{}", source.url);
        assert_eq!(source.date.len(), 10, "{}", source.date);
    }
    for node in catalog::nodes() {
        assert_eq!(
            node.usd_per_hour.is_some(),
            node.price_url.starts_with("https://"),
            "{}",
            node.name
        );
    }
    assert!(catalog::PRICES_AS_OF >= "2026-11-01");
    assert!(catalog::VERSION.len() == 7);
}

#[test]
fn typical_prices_are_somebodys_price() {
    for gpu in catalog::gpus() {
        assert_eq!(
            gpu.usd_per_gpu_hour.is_some(),
            gpu.price_source.is_some(),
            "{}",
            gpu.id
        );
        let Some(usd) = gpu.usd_per_gpu_hour else {
            continue;
        };
        let nodes = catalog::nodes().iter().filter(|n| n.gpu == gpu.id);
        let nodes = nodes.filter_map(|n| n.usd_per_hour.map(|usd| usd / f64::from(n.gpus)));
        let prices = catalog::prices().iter().filter(|p| p.gpu == gpu.id);
        let prices = prices.map(|p| p.usd_per_hour / f64::from(p.gpus));
        assert!(
            nodes.chain(prices).any(|price| (price - usd).abs() < 1e-9),
            "{}: {usd}",
            gpu.id
        );
    }
    assert!(catalog::gpu("h100-sxm").unwrap().usd_per_gpu_hour.is_some());
    assert!(catalog::gpu("h20").unwrap().usd_per_gpu_hour.is_none());
}

#[test]
fn models_are_found_by_id_and_repository() {
    for entry in catalog::models() {
        assert_eq!(catalog::model(entry.id).unwrap().id, entry.id);
        assert_eq!(
            catalog::model(&entry.id.to_uppercase()).unwrap().id,
            entry.id
        );
        if !entry.hf_repo.is_empty() {
            assert_eq!(
                catalog::model(entry.hf_repo).unwrap().hf_repo,
                entry.hf_repo
            );
        }
    }
    for (name, id) in [
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("meta-llama/Llama-2-7b", "llama-2-7b"),
        ("Llama-2-7b-hf", "llama-2-7b"),
        ("meta-llama/Llama-2-7b-chat-hf", "llama-2-7b"),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b"),
        ("Qwen/Qwen3-8B-Base", "qwen3-8b"),
        ("QWEN/qwen2.5-7b-instruct", "qwen2.5-7b"),
        ("google/gemma-3-27b-it", "gemma-3-27b"),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"),
        (" qwen3-8b ", "qwen3-8b"),
    ] {
        assert_eq!(
            catalog::model(name).map(|entry| entry.id),
            Some(id),
            "{name}"
        );
    }
    for name in [
        "",
        " ",
        "/",
        "qwen",
        "someone-else/Qwen3-8B",
        "-instruct",
        "llama-3.1-9b",
    ] {
        assert!(catalog::model(name).is_none(), "{name:?}");
    }
}

#[test]
fn unknown_names_get_suggestions() {
    let error = resolve(json!("qwen3-8")).unwrap_err();
    assert_eq!(error.field, "model");
    assert!(error.message.contains("\"qwen3-8b\""), "{}", error.message);
    let error = resolve(json!("meta-llama/Llama-3.1-9B")).unwrap_err();
    assert!(
        error.message.contains("\"llama-3.1-8b\""),
        "{}",
        error.message
    );
    assert!(
        resolve(json!("x".repeat(100_000)))
            .unwrap_err()
            .message
            .len()
            < 400
    );
}

#[test]
fn published_configs_give_the_catalogs_shapes() {
    let configs: Map<String, Value> = serde_json::from_str(CONFIGS).unwrap();
    assert!(configs.len() >= 30);
    for (id, config) in &configs {
        let entry = catalog::model(id).unwrap_or_else(|| panic!("{id}"));
        let model = resolve(config.clone()).unwrap_or_else(|e| panic!("{id}: {e}"));
        assert_eq!(
            model.parameters.total,
            ParameterCounts::of(&entry.shape).total,
            "{id}"
        );
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
    for entry in catalog::models()
        .iter()
        .filter(|entry| entry.stated_parameters == 0)
    {
        let error = resolve(json!({"model_type": entry.model_type})).unwrap_err();
        assert_eq!(error.field, "model.hidden_size", "{}", entry.model_type);
    }
}

#[test]
fn nemotron_h_may_list_its_blocks() {
    let base = json!({"model_type": "nemotron_h", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4,
        "num_key_value_heads": 2, "vocab_size": 100, "mamba_num_heads": 4, "mamba_head_dim": 16});
    let listed = with(
        base.clone(),
        "layers_block_type",
        json!(["mamba", "mlp", "attention", "mlp"]),
    );
    let lettered = with(base.clone(), "hybrid_override_pattern", json!("M-*-"));
    assert_eq!(
        resolve(listed.clone()).unwrap().shape,
        resolve(lettered).unwrap().shape
    );
    assert_eq!(resolve(listed).unwrap().shape.num_hidden_layers, 4);
    for (key, value) in [
        ("layers_block_type", json!(["conv"])),
        ("hybrid_override_pattern", json!("MX")),
    ] {
        assert_eq!(
            resolve(with(base.clone(), key, value)).unwrap_err().field,
            format!("model.{key}")
        );
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
}

#[test]
fn normalised_objects_suffice() {
    let llama = resolve(normalised()).unwrap();
    assert_eq!(llama.parameters.total, 6_738_415_616);
    assert_eq!(llama.name, "custom model");
    let plain = with(
        with(normalised(), "gated_mlp", json!(false)),
        "tie_word_embeddings",
        json!(true),
    );
    let plain = resolve(plain).unwrap();
    assert!(!plain.shape.gated_mlp && plain.shape.tie_word_embeddings);
    // Grouped heads and heads wider than the hidden size would give.
    let wide = with(
        with(normalised(), "num_key_value_heads", json!(8)),
        "head_dim",
        json!(192),
    );
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
fn bad_objects_name_field_and_remedy() {
    let huge = json!(1e18);
    let expert = |key: &str, value: Value| {
        let moe = with(
            with(normalised(), "num_experts", json!(8)),
            "num_experts_per_tok",
            json!(2),
        );
        with(moe, key, value)
    };
    let real = Value::Object(llama());
    let cases: Vec<(Value, &str, &str)> = vec![
        (json!(7), "model", "expected a model id"),
        (json!(null), "model", "expected a model id"),
        (json!(""), "model", "empty"),
        (json!({}), "model.hidden_size", "is missing"),
        (
            without(normalised(), "hidden_size"),
            "model.hidden_size",
            "is missing",
        ),
        (
            without(normalised(), "num_hidden_layers"),
            "model.num_hidden_layers",
            "is missing",
        ),
        (
            without(normalised(), "num_attention_heads"),
            "model.num_attention_heads",
            "is missing",
        ),
        (
            without(normalised(), "vocab_size"),
            "model.vocab_size",
            "is missing",
        ),
        (
            without(normalised(), "intermediate_size"),
            "model.intermediate_size",
            "is missing",
        ),
        (
            without(real.clone(), "hidden_size"),
            "model.hidden_size",
            "is missing",
        ),
        (
            with(normalised(), "hidden_size", json!(0)),
            "model.hidden_size",
            "from 1 to 1000000",
        ),
        (
            with(normalised(), "hidden_size", json!(-4096)),
            "model.hidden_size",
            "-4096",
        ),
        (
            with(normalised(), "hidden_size", json!(4096.5)),
            "model.hidden_size",
            "whole number",
        ),
        (
            with(normalised(), "hidden_size", json!("4096")),
            "model.hidden_size",
            "whole number",
        ),
        (
            with(normalised(), "hidden_size", huge.clone()),
            "model.hidden_size",
            "from 1",
        ),
        (
            with(normalised(), "hidden_size", json!([1])),
            "model.hidden_size",
            "a list",
        ),
        (
            with(normalised(), "num_hidden_layers", json!(10_001)),
            "model.num_hidden_layers",
            "10000",
        ),
        (
            with(normalised(), "vocab_size", json!(10_000_001)),
            "model.vocab_size",
            "10000000",
        ),
        (
            with(normalised(), "num_attention_heads", json!(33)),
            "model.head_dim",
            "multiple",
        ),
        (
            with(normalised(), "num_key_value_heads", json!(5)),
            "model.num_key_value_heads",
            "divisor",
        ),
        (
            with(normalised(), "tie_word_embeddings", json!("no")),
            "model.tie_word_embeddings",
            "true or false",
        ),
        (
            with(normalised(), "hiden_size", json!(1)),
            "model.hiden_size",
            "`hidden_size`",
        ),
        (
            with(normalised(), "rope_theta", json!(1)),
            "model.rope_theta",
            "unknown",
        ),
        (
            expert("num_experts", json!(100_001)),
            "model.num_experts",
            "100000",
        ),
        (
            expert("num_experts_per_tok", json!(9)),
            "model.num_experts_per_tok",
            "at most 8",
        ),
        (
            expert("num_experts_per_tok", json!(null)),
            "model.num_experts_per_tok",
            "is missing",
        ),
        (
            expert("first_k_dense_replace", json!(99)),
            "model.first_k_dense_replace",
            "number of layers",
        ),
        (
            with(normalised(), "kv_lora_rank", json!(512)),
            "model.qk_nope_head_dim",
            "is missing",
        ),
        (
            with(normalised(), "vision_config", json!({"model_type": "clip"})),
            "model.vision_config.model_type",
            "Known",
        ),
        (
            with(normalised(), "vision_config", json!(3)),
            "model.vision_config",
            "an object",
        ),
        (
            json!({"model_type": "bert", "hidden_size": 768}),
            "model.model_type",
            "Supported are llama",
        ),
        (json!({"model_type": 3}), "model.model_type", "a text"),
        (
            json!({"model_type": "gemma3", "text_config": {"num_hidden_layers": 2}}),
            "model.text_config.hidden_size",
            "is missing",
        ),
        (
            with(real.clone(), "num_key_value_heads", json!(3)),
            "model.num_key_value_heads",
            "divisor of 32",
        ),
        (
            with(real, "layer_types", json!(["mamba"])),
            "model.layer_types",
            "not modelled",
        ),
    ];
    for (value, field, part) in cases {
        let error = resolve(value.clone()).expect_err(&value.to_string());
        assert_eq!(error.field, field, "{value} gave {error}");
        assert!(error.message.contains(part), "{value} gave {error}");
    }
    // The greatest sizes of each key together are refused, not overflowed.
    let most = json!({"hidden_size": 1_000_000, "num_hidden_layers": 10_000, "intermediate_size": 10_000_000,
        "num_attention_heads": 100_000, "head_dim": 100_000, "vocab_size": 10_000_000, "num_experts": 100_000,
        "num_experts_per_tok": 100_000, "moe_intermediate_size": 10_000_000});
    assert!(resolve(most).unwrap_err().message.contains("10^15"));
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

const GPU: &str = r#"
[[gpu]]
id = "x1"
name = "X1"
vendor = "nvidia"
architecture = "X"
memory_gb = 80.0
memory_gib = 79.0
hbm_gb_per_s = 3000.0
bf16_dense_tflops = 900.0
nvlink_gb_per_s = 450.0
nvlink_domain = 8
pcie_gb_per_s = 63.0
gpus_per_node = 8
internode_gbit_per_s = 400.0
source = "https://example.com/x1"
date = "2026-11-20"
"#;

const NODE: &str = r#"
[[node]]
name = "n"
provider = "P"
gpu = "x1"
gpus = 8
nvlink_domain = 8
usd_per_hour = 16.0
price_kind = "on-demand"
price_date = "2026-11-01"
source = "https://example.com/n"
date = "2026-11-20"
"#;

const MODEL: &str = r#"
[[model]]
id = "m-1"
name = "M"
family = "M"
model_type = "llama"
hidden_size = 64
intermediate_size = 128
num_hidden_layers = 2
num_attention_heads = 4
num_key_value_heads = 2
head_dim = 16
vocab_size = 100
source = "https://example.com/m"
date = "2026-11-20"
"#;

fn built(text: &str) -> Result<tables::Catalog, Vec<String>> {
    let mut catalog = tables::Catalog::default();
    tables::add(&mut catalog, "test.toml", text).map_err(|problem| vec![problem])?;
    let problems = tables::check(&catalog);
    if problems.is_empty() {
        Ok(catalog)
    } else {
        Err(problems)
    }
}

#[test]
fn the_build_refuses_bad_entries_by_name() {
    assert!(built(&format!("{GPU}{NODE}{MODEL}")).is_ok());
    let cases = [
        (GPU, "id = \"x1\"", "id = \"X 1\"", "gpu `X 1`: id"),
        (
            GPU,
            "https://example.com/x1",
            "http://example.com/x1",
            "gpu `x1`: source",
        ),
        (GPU, "2026-11-20", "20 Nov 2026", "gpu `x1`: date"),
        (
            GPU,
            "hbm_gb_per_s = 3000.0",
            "hbm_gb_per_s = 3.0",
            "gpu `x1`: hbm_gb_per_s",
        ),
        (
            GPU,
            "memory_gib = 79.0",
            "memory_gib = 90.0",
            "gpu `x1`: memory_gib",
        ),
        (
            GPU,
            "nvlink_domain = 8",
            "nvlink_domain = 1",
            "gpu `x1`: nvlink_domain",
        ),
        (
            GPU,
            "bf16_dense_tflops = 900.0",
            "",
            "gpu `x1`: bf16_dense_tflops",
        ),
        (
            GPU,
            "vendor = \"nvidia\"",
            "vendor = \"acme\"",
            "gpu `x1`: vendor",
        ),
        (GPU, "pcie_gb_per_s", "pcie", "unknown field `pcie`"),
        (NODE, "gpu = \"x1\"", "gpu = \"x2\"", "node `n`: gpu"),
        (NODE, "usd_per_hour = 16.0", "", "node `n`: usd_per_hour"),
        (NODE, "2026-11-01", "2026-13-01", "node `n`: price_date"),
        (MODEL, "vocab_size = 100", "", "model `m-1`: vocab_size"),
        (
            MODEL,
            "num_key_value_heads = 2",
            "num_key_value_heads = 3",
            "model `m-1`: num_key_value_heads",
        ),
        (
            MODEL,
            "hidden_size = 64",
            "hidden_size = 64\nlayer_pattern = \"SA\"",
            "model `m-1`: sliding_window",
        ),
        (
            MODEL,
            "hidden_size = 64",
            "hidden_size = 64\nqk_norm = \"some\"",
            "model `m-1`: qk_norm",
        ),
        (
            MODEL,
            "hidden_size = 64",
            "hidden_sizes = 64",
            "unknown field `hidden_sizes`",
        ),
    ];
    for (entry, good, bad, part) in cases {
        assert!(entry.contains(good), "{good}");
        let text = format!("{GPU}{NODE}{MODEL}").replace(entry, &entry.replacen(good, bad, 1));
        let problems = built(&text)
            .err()
            .unwrap_or_else(|| panic!("{bad} was accepted"));
        let all = problems.join("\n");
        assert!(
            all.contains("catalog/test.toml") && all.contains(part),
            "{bad} gave {all}"
        );
    }
    let twice = built(&format!("{GPU}{GPU}")).err().unwrap().join("\n");
    assert!(twice.contains("gpu `x1`: id: occurs twice"), "{twice}");
}

#[test]
fn the_typical_price_is_the_median_of_the_providers_lowest() {
    let offer = |provider: &str, usd: f64, kind: &str, date: &str| {
        format!(
            "[[price]]\ninstance = \"i\"\nprovider = \"{provider}\"\ngpu = \"x1\"\ngpus = 8\nusd_per_hour = {:?}\nkind = \"{kind}\"\nsource = \"https://example.com/{usd}\"\ndate = \"{date}\"\n",
            8.0 * usd
        )
    };
    let text = [
        offer("A east", 3.0, "on-demand", "2026-11-01"),
        offer("A west", 4.0, "on-demand", "2026-11-01"),
        offer("A east", 1.0, "on-demand", "2026-01-01"), // replaced since
        offer("B", 5.0, "on-demand", "2026-10-01"),
        offer("C", 9.0, "pay-as-you-go", "2026-09-01"),
        offer("D", 1.5, "spot", "2026-11-01"),
        offer("E", 1.6, "reserved", "2026-11-01"),
        offer("F", 1.7, "on-demand", "2024-01-01"), // history
    ];
    let catalog = built(&format!("{GPU}{}", text.join(""))).unwrap_or_else(|p| panic!("{p:?}"));
    let tables = tables::emit(&catalog);
    assert!(tables.contains("usd_per_gpu_hour: Some(5.0)"), "{tables}");
    assert!(
        tables.contains("https://example.com/5\", date: \"2026-10-01\""),
        "{tables}"
    );
    assert!(
        tables.contains("PRICES_AS_OF: &str = \"2026-11-01\""),
        "{tables}"
    );
}

#[test]
fn the_files_themselves_are_sound() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("catalog");
    let catalog = tables::load(&root).unwrap_or_else(|problems| panic!("{problems:#?}"));
    assert_eq!(catalog.models.len(), catalog::models().len());
    assert_eq!(catalog.gpus.len(), catalog::gpus().len());
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
        prop_oneof![
            Just("full_attention"),
            Just("sliding_attention"),
            Just("M*E-"),
            Just("siglip_vision_model")
        ]
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
