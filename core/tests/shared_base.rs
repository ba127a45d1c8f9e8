//! An engine whose weights are the frozen base that the trainer puts adapters on, as with Unsloth: the card has them once.

use serde_json::{Value, json};
use shardwise_core::wire::{Answer, MemoryParts, put, question_from_value};
use shardwise_core::{estimate, evaluate_alone, flags, framework};

const GIB: f64 = 1_073_741_824.0;

/// GRPO of adapters on Llama-3.1-8B on one H100.
fn asked(changes: &[(&str, Value)]) -> Value {
    let mut question = json!({"version": 1, "model": "llama-3.1-8b", "hardware": {"gpu": "h100-sxm", "gpus": 1},
        "framework": "unsloth",
        "workload": {"kind": "grpo", "packing": false, "lora": {"rank": 32}, "rl": {"prompts_per_step": 8,
            "responses_per_prompt": 8, "mini_batch": 8, "reference": true, "max_prompt_length": 512,
            "max_response_length": 1536}},
        "plan": {"backend": "ddp", "micro_batch": 8, "recompute": "full", "fused_lm_head": true,
            "rollout": {"tensor_parallel": 1, "max_num_seqs": 64, "gpu_memory_utilization": 0.5,
                "max_num_batched_tokens": 8192}}});
    for (path, value) in changes {
        put(&mut question, path, value.clone());
    }
    question
}

fn answer(changes: &[(&str, Value)]) -> Answer {
    estimate(&question_from_value(asked(changes)).unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

fn held(answer: &Answer, phase: &str) -> MemoryParts {
    let own = answer.memory.phases.iter().find(|own| own.name == phase);
    own.unwrap_or_else(|| panic!("no memory of {phase}")).parts
}

fn caveat(answer: &Answer, id: &str) -> bool {
    answer.caveats.iter().any(|own| own.id == id)
}

const FOUR: (&str, Value) = ("workload.lora.load_in_4bit", Value::Bool(true));
const STAYS: (&str, Value) = ("plan.rollout.free_cache", Value::Bool(false));
const NOBODY: (&str, Value) = ("framework", Value::Null);
const BETWEEN: [&str; 3] = ["old_log_prob", "reference", "update_actor"];

#[test]
fn the_base_is_counted_once_in_every_phase() {
    let base = 8.03e9 * 2.0 / GIB;
    for changes in [&[][..], &[STAYS]] {
        let own = answer(changes);
        let rollout = held(&own, "rollout");
        assert!((rollout.rollout_weights - base).abs() < 0.05, "{rollout:?}");
        // What trains is there alone.
        assert!(rollout.parameters > 0.0 && rollout.parameters < 0.5, "{rollout:?}");
        for phase in BETWEEN {
            let parts = held(&own, phase);
            assert_eq!(parts.rollout_weights, 0.0, "{phase}");
            assert!(parts.parameters > base && parts.parameters < base + 0.8, "{phase} {parts:?}");
        }
        // Asked for nobody, the engine has a copy.
        let copied = answer(&[changes, &[NOBODY]].concat());
        let both = held(&copied, "rollout");
        assert!((both.parameters + both.rollout_weights - 2.0 * base).abs() < 0.5, "{both:?}");
        assert_eq!(both.kv_cache, rollout.kv_cache);
        assert_eq!(held(&copied, "update_actor").rollout_weights > 0.0, !changes.is_empty());
        assert!(copied.memory.reserved_gib > own.memory.reserved_gib + 14.0);
        // Adapters alone are on their way to it.
        let sync = |answer: &Answer| answer.time.parts.weight_sync;
        assert!(sync(&own) < sync(&copied));
    }
}

#[test]
fn a_base_in_4_bits_is_the_engines_and_unpacked_at_each_step() {
    let own = answer(&[FOUR]);
    let wide = answer(&[]);
    // NF4 with its scales, embedding and LM head in 16 bits.
    let base = (6.98e9 * 0.515_875 + 1.05e9 * 2.0) / GIB;
    assert!((held(&own, "rollout").rollout_weights - base).abs() < 0.05);
    for phase in BETWEEN {
        let parts = held(&own, phase).parameters;
        assert!(parts > base - 0.05 && parts < base + 0.8, "{phase} {parts}");
    }
    assert!(caveat(&own, "engine-in-four-bits") && !caveat(&wide, "engine-in-four-bits"));
    let decode = |answer: &Answer| answer.time.parts.decode;
    assert!(decode(&own) > decode(&wide), "{} {}", decode(&own), decode(&wide));
    assert!(own.time.parts.prefill > wide.time.parts.prefill);
}

#[test]
fn others_take_no_base_in_4_bits() {
    for framework in [Value::Null, json!("trl"), json!("verl")] {
        let question = question_from_value(asked(&[FOUR, ("framework", framework)])).unwrap();
        let error = estimate(&question).unwrap_err();
        assert_eq!(error.field, "workload.lora.load_in_4bit");
        assert!(error.message.contains("RL where framework is unsloth"), "{error}");
    }
    // Laid out as the others could.
    let sharded = ("plan.backend", json!("fsdp"));
    let question = question_from_value(asked(&[FOUR, sharded])).unwrap();
    for id in ["trl", "verl"] {
        let other = framework_of(id);
        let refused = flags(&question, other, other.versions[0], "").unwrap().unwrap_err();
        assert!(refused.message.contains("no weights of 4 bits"), "{id}: {}", refused.message);
    }
}

fn framework_of(id: &str) -> &'static shardwise_core::emit::Framework {
    assert!(framework::NAMES.iter().any(|own| own.id == id));
    shardwise_core::emit::framework(id).unwrap()
}

/// A question that names nobody is asked for Unsloth as one that names it.
#[test]
fn its_text_is_of_the_estimate_that_counts_once() {
    let unsloth = framework_of("unsloth");
    let text = |changes: &[(&str, Value)]| {
        let question = question_from_value(asked(changes)).unwrap();
        let texts = flags(&question, unsloth, unsloth.versions[0], "").unwrap().unwrap();
        texts.into_iter().map(|own| own.text).collect::<String>()
    };
    assert_eq!(text(&[]), text(&[NOBODY]));
    assert!(text(&[FOUR]).contains("vllm-bnb-plugin"));
}

/// Their notebook of GRPO on a free card is a question to start from.
#[test]
fn their_notebook_is_a_preset() {
    let unsloth = framework_of("unsloth");
    let mut presets = shardwise_core::presets::presets().iter();
    let preset = presets.find(|own| own.group == "Unsloth").unwrap();
    let question = preset.question().unwrap();
    assert!(evaluate_alone(&question).unwrap().answer.fits);
    assert!(flags(&question, unsloth, unsloth.versions[0], "").unwrap().is_ok());
}

#[test]
fn every_figure_of_it_is_explained() {
    for changes in [&[][..], &[STAYS], &[FOUR], &[FOUR, STAYS], &[NOBODY]] {
        let found = evaluate_alone(&question_from_value(asked(changes)).unwrap()).unwrap();
        crate::methods::check(&found);
    }
}

/// Qwen3-32B with adapters over 16 bits has 6,144 tokens on one H100 by Unsloth's own table
/// (<https://unsloth.ai/docs/get-started/reinforcement-learning-rl-guide/memory-efficient-rl>, of 2026-11-28): with a copy for the
/// engine the weights alone would be 122 of its 80 GiB.
#[test]
fn what_fits_by_their_own_table_does() {
    let changes = [
        ("model", json!("qwen3-32b")),
        ("workload.rl.prompts_per_step", json!(1)),
        ("workload.rl.mini_batch", json!(1)),
        ("workload.rl.responses_per_prompt", json!(2)),
        ("workload.rl.max_response_length", json!(5632)),
        ("plan.micro_batch", json!(1)),
        ("plan.optimizer", json!("adamw_8bit")),
        ("plan.offload", json!({"activations": true})),
        ("plan.rollout.max_num_seqs", json!(2)),
        ("plan.rollout.gpu_memory_utilization", json!(0.9)),
    ];
    let own = answer(&changes);
    assert!(own.fits, "{}", own.memory.reserved_gib);
    // Left open, it is answered by who shares the base.
    let open = answer(&[&changes[..], &[NOBODY]].concat());
    assert_eq!((open.fits, open.memory.reserved_gib), (true, own.memory.reserved_gib));
}
