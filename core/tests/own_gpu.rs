//! GPUs that a question describes itself: whose efficiencies they have, and that it is said.

use serde_json::{Value, json};
use shardwise_core::efficiency::EFFICIENCY;
use shardwise_core::job::resolve;
use shardwise_core::wire::{Answer, question_from_value};
use shardwise_core::{catalog, estimate};

use crate::said::said;

fn question(gpu: &Value) -> Value {
    json!({"version": 1, "model": "llama-3.1-8b",
        "hardware": {"gpu": gpu, "gpus": 8, "gpus_per_node": 8, "internode_gbit_per_s_per_gpu": 400.0},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64},
        "plan": {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
            "micro_batch": 2, "recompute": "full"}})
}

fn answer(gpu: &Value) -> Answer {
    estimate(&question_from_value(question(gpu)).unwrap()).unwrap()
}

/// A catalog GPU by nothing but its figures.
fn written_out(id: &str) -> Value {
    let gpu = catalog::gpu(id).unwrap();
    let mut own = json!({
        "memory_gib": gpu.memory_gib, "hbm_gb_per_s": gpu.hbm_gb_per_s,
        "bf16_dense_tflops": gpu.bf16_dense_tflops.or(gpu.fp16_dense_tflops).unwrap(),
        "nvlink_gb_per_s": gpu.nvlink_gb_per_s, "nvlink_domain": gpu.nvlink_domain,
        "pcie_gb_per_s": gpu.pcie_gb_per_s,
    });
    if let Some(peak) = gpu.fp8_dense_tflops {
        own["fp8_dense_tflops"] = peak.into();
    }
    own
}

fn caveat<'a>(answer: &'a Answer, id: &str) -> Option<&'a str> {
    let found = answer.caveats.iter().find(|caveat| caveat.id == id);
    found.map(|caveat| caveat.text.as_str())
}

#[test]
fn a_card_by_its_figures_is_as_fast_as_by_its_name() {
    for id in ["h100-sxm", "a100-sxm-80g", "h20", "b200-sxm", "mi300x", "v100-sxm-32g", "t4", "l40s"] {
        let (by_name, own) = (answer(&json!(id)), answer(&written_out(id)));
        let ratio = own.tokens_per_s / by_name.tokens_per_s;
        assert!((0.95..1.05).contains(&ratio), "{id}: {ratio}");
        let text = caveat(&own, "efficiency-taken-over").unwrap_or_else(|| panic!("{id}"));
        said(text);
        assert!(caveat(&by_name, "efficiency-taken-over").is_none());
        // Runs on the card that it is like are runs on it.
        let width = |answer: &Answer| {
            let [low, high] = answer.interval.unwrap().tokens_per_s_per_gpu;
            high / low
        };
        assert!((width(&own) - width(&by_name)).abs() < 1e-9, "{id}");
    }
    let h100 = answer(&written_out("h100-sxm"));
    let text = caveat(&h100, "efficiency-taken-over").unwrap();
    let name = catalog::gpu("h100-sxm").unwrap().name;
    assert!(text.contains(&format!("like {name},")), "{text}");
}

/// A card that is like none: 500 TFLOPS with a tenth of an H100's bandwidth.
fn odd() -> Value {
    json!({"memory_gib": 80, "hbm_gb_per_s": 335, "bf16_dense_tflops": 500, "nvlink_gb_per_s": 450})
}

#[test]
fn what_is_like_no_card_is_typical_and_says_so() {
    let own = answer(&odd());
    let text = caveat(&own, "efficiency-assumed").unwrap();
    assert!(text.contains("hopper") && !text.contains("h20"), "{text}");
    said(text);
    assert!(caveat(&own, "not-covered").is_some());
    let stated = |name: &str| {
        let mut gpu = odd();
        gpu["architecture"] = name.into();
        answer(&gpu)
    };
    let hopper = stated("hopper");
    assert!(caveat(&hopper, "efficiency-assumed").is_none());
    assert!(own.interval.unwrap().tokens_per_s_per_gpu[0] < own.tokens_per_s_per_gpu * 0.85);
    let speeds: Vec<f64> = EFFICIENCY.architecture_names().map(|name| stated(&name).tokens_per_s).collect();
    assert!(speeds.iter().any(|other| *other < own.tokens_per_s));
    assert!(speeds.iter().any(|other| *other > own.tokens_per_s));
    assert_eq!(hopper.tokens_per_s, stated("Hopper").tokens_per_s);
    assert_eq!(stated("CDNA3").tokens_per_s, stated("cdna").tokens_per_s);
}

#[test]
fn typical_is_the_median_of_each_constant() {
    let all: Vec<_> = EFFICIENCY
        .architectures
        .iter()
        .filter(|entry| catalog::Generation::of(&entry.name).is_some_and(|own| own.name == entry.name))
        .collect();
    assert!(all.len() >= 8 && all.len() < EFFICIENCY.architectures.len());
    type Constant = fn(&shardwise_core::efficiency::Architecture) -> f64;
    let constants: [Constant; 4] =
        [|own| own.matmul, |own| own.sustained, |own| own.attention_forward, |own| own.generation_cache];
    for of in constants {
        let typical = of(&EFFICIENCY.typical);
        let below = all.iter().filter(|own| of(own) < typical - 1e-4).count();
        let above = all.iter().filter(|own| of(own) > typical + 1e-4).count();
        assert!(below <= all.len() / 2 && above <= all.len() / 2, "{typical}");
    }
}

#[test]
fn no_card_of_the_catalog_has_efficiencies_of_another_in_silence() {
    for gpu in catalog::gpus() {
        let question = question_from_value(question(&json!(gpu.id))).unwrap();
        let hardware = resolve(&question).unwrap().hardware;
        let entry = EFFICIENCY.known(&hardware);
        let own = entry.is_some_and(|entry| {
            gpu.architecture.starts_with(entry.name.as_ref()) || gpu.id.starts_with(entry.name.as_ref())
        });
        let answer = estimate(&question).unwrap();
        assert!(own || caveat(&answer, "efficiency-assumed").is_some(), "{}", gpu.id);
    }
}

#[test]
fn a_stated_architecture_is_known_and_the_bases() {
    let refused = |gpu: Value| {
        let question = question_from_value(question(&gpu)).unwrap();
        let error = estimate(&question).unwrap_err();
        assert_eq!(error.field, "hardware.gpu.architecture");
        said(&error.message);
        error.message
    };
    let mut gpu = odd();
    gpu["architecture"] = "tesla".into();
    let message = refused(gpu);
    for name in ["ampere", "ada", "hopper", "blackwell", "cdna", "volta", "turing"] {
        assert!(message.contains(name), "{message}");
    }
    let message = refused(json!({"base": "h100-sxm", "architecture": "ampere"}));
    assert!(message.contains("Hopper"), "{message}");
    let same = json!({"base": "h100-sxm", "architecture": "hopper"});
    assert_eq!(answer(&same).tokens_per_s, answer(&json!("h100-sxm")).tokens_per_s);
    // It holds whatever card the figures are like.
    let mut gpu = written_out("h100-sxm");
    gpu["architecture"] = "blackwell".into();
    let blackwell = answer(&gpu);
    assert!(caveat(&blackwell, "efficiency-taken-over").is_none());
    assert!(blackwell.tokens_per_s < answer(&written_out("h100-sxm")).tokens_per_s);
}

/// Unsloth's eight runs on an RTX 5090 that surogate published
/// (<https://github.com/invergent-ai/surogate/blob/524fb776/docs/reference/benchmarks.md>), on which nothing is fitted: its rates are
/// not the B200's.
#[test]
fn blackwell_for_a_desk_has_rates_of_its_own() {
    let mut off = Vec::new();
    for (model, kind, measured) in [
        ("qwen3-0.6b", "qlora", 19_100.0),
        ("qwen3-0.6b", "lora", 22_100.0),
        ("qwen3-1.7b", "qlora", 12_000.0),
        ("qwen3-1.7b", "lora", 12_600.0),
        ("qwen3-4b", "qlora", 6_000.0),
        ("qwen3-4b", "lora", 6_100.0),
        ("qwen3-8b", "qlora", 3_400.0),
        ("qwen3-8b", "lora", 3_500.0),
    ] {
        let question = json!({"version": 1, "model": model, "framework": "unsloth",
            "hardware": {"gpu": "rtx-5090", "gpus": 1},
            "workload": {"kind": kind, "sequence_length": 2048, "packing": true, "global_batch": 8,
                "lora": {"rank": 16}},
            "plan": {"backend": "ddp", "micro_batch": 2, "recompute": "full", "optimizer": "adamw_8bit"}});
        off.push(estimate(&question_from_value(question).unwrap()).unwrap().tokens_per_s_per_gpu / measured);
    }
    off.sort_by(f64::total_cmp);
    assert!(off[0] > 0.66 && off[4] > 0.8 && off[7] < 1.25, "{off:?}");
}
