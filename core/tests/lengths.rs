//! Sequence lengths: their mean and spread, or a histogram of them.

use serde_json::{Value, json};
use shardwise_core::read::read;
use shardwise_core::wire::question_from_value;
use shardwise_core::{Answer, emit, estimate, flags, permalink};

fn asked(lengths: Value, packing: bool) -> Result<Answer, String> {
    let mut question = json!({"version": 1, "model": "llama-3.1-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 32768, "global_batch": 64, "packing": packing},
        "plan": {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
            "max_tokens_per_gpu": 32768, "recompute": "full"}});
    for (key, value) in lengths.as_object().unwrap() {
        question["workload"][key] = value.clone();
    }
    let question = question_from_value(question).map_err(|error| error.to_string())?;
    estimate(&question).map_err(|error| error.to_string())
}

fn answer(lengths: Value, packing: bool) -> Answer {
    asked(lengths, packing).unwrap()
}

/// Of 2,048 tokens seven times and 32,768 once: mean 5,888, Σ l² ÷ Σ l is 23,417, so that the spread is √(23,417 ÷ 5,888 − 1).
fn bars() -> Value {
    json!({"lengths": [{"tokens": 2048, "sequences": 700}, {"tokens": 32768, "sequences": 100}]})
}

#[test]
fn a_histogram_is_its_mean_and_spread() {
    let (short, long) = (2048.0_f64, 32768.0_f64);
    let mean = (7.0 * short + long) / 8.0;
    let attended = (7.0 * short * short + long * long) / (7.0 * short + long);
    let cv = (attended / mean - 1.0).sqrt();
    let told = json!({"mean_sequence_length": mean, "sequence_length_cv": cv});
    let [bars, told] = [bars(), told].map(|own| answer(own, true));
    assert!((bars.step_time_s / told.step_time_s - 1.0).abs() < 1e-9, "{} {}", bars.step_time_s, told.step_time_s);
    assert_eq!(bars.tokens_per_s, told.tokens_per_s);
}

/// Attention sees four times the mean here: as many tokens take longer, by no more than if all sequences were that long.
#[test]
fn attention_sees_the_long_ones() {
    let of = |own: Value| answer(own, true).tokens_per_s;
    let spread = of(bars());
    let even = of(json!({"mean_sequence_length": 5888}));
    let long = of(json!({"mean_sequence_length": 23417}));
    assert!(spread < 0.9 * even && spread > 0.9 * long, "{long} {spread} {even}");
}

/// A micro-batch is padded to its own longest sequence: of one there is nothing to pad, of many and of lengths that vary more, more. On
/// Megatron all are as long as any, and NeMo-RL pads to the longest of the whole batch.
#[test]
fn what_is_padded_is_as_long_as_the_longest_beside_it() {
    let of = |workload: Value, plan: Value, framework: Value| {
        let mut question = json!({"version": 1, "model": "llama-3.1-8b", "framework": framework,
            "hardware": {"gpu": "h100-sxm", "gpus": 8},
            "workload": {"kind": "sft", "sequence_length": 2048, "global_batch": 64, "packing": false},
            "plan": {"backend": "fsdp", "recompute": "none", "shard_group": 8}});
        for (part, own) in [("workload", workload), ("plan", plan)] {
            for (key, value) in own.as_object().unwrap() {
                question[part][key] = value.clone();
            }
        }
        estimate(&question_from_value(question).unwrap()).unwrap()
    };
    let any = || Value::Null;
    let short = json!({"mean_sequence_length": 512});
    let one = of(short.clone(), json!({"micro_batch": 1}), any());
    let alone = of(json!({"sequence_length": 512}), json!({"micro_batch": 1}), any());
    assert!((one.step_time_s / alone.step_time_s - 1.0).abs() < 0.01, "{} {}", one.step_time_s, alone.step_time_s);
    // A micro-batch of eight has as many tokens as of longer ones.
    let padded = |cv: f64| {
        let own = json!({"mean_sequence_length": 512, "sequence_length_cv": cv});
        of(own, json!({"micro_batch": 8}), any()).time.parts.compute
    };
    let whole = of(json!({}), json!({"micro_batch": 8}), any()).time.parts.compute;
    let steps = [padded(0.1), padded(0.5), padded(1.0), whole];
    assert!(steps.is_sorted() && steps[0] < 0.4 * whole && steps[2] > 1.5 * steps[0], "{steps:?}");
    let usual = of(short.clone(), json!({"micro_batch": 8}), any());
    assert!((usual.time.parts.compute / padded(0.5) - 1.0).abs() < 1e-9);
    let says = |answer: &Answer| answer.caveats.iter().any(|own| own.id == "lengths-assumed");
    assert!(says(&usual) && !says(&one));
    let megatron = |own: Value| of(own, json!({"backend": "megatron", "micro_batch": 1, "fused_loss": true}), any());
    let [varied, even] = [short.clone(), json!({})].map(|own| megatron(own).time.parts.compute);
    assert!((varied / even - 1.0).abs() < 1e-9, "{varied} {even}");
    let nemo = of(short, json!({"micro_batch": 1}), json!("nemo-rl"));
    assert!(nemo.time.parts.compute > 1.5 * one.time.parts.compute);
}

/// A text has no word for how lengths spread: the link at its head says it.
#[test]
fn a_text_keeps_them() {
    let question = json!({"version": 1, "model": "llama-3.1-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 32768, "global_batch": 64, "lengths": bars()["lengths"]}});
    let question = question_from_value(question).unwrap();
    for id in ["axolotl", "trl", "llamafactory", "ms-swift", "deepspeed"] {
        let framework = emit::framework(id).unwrap();
        let link = format!("https://example.org/#{}", permalink::to_hash(&question));
        let texts = flags(&question, framework, framework.versions[0], &link).unwrap().unwrap();
        let texts: Vec<&str> = texts.iter().map(|own| own.text.as_str()).collect();
        let again = read(&texts, None).unwrap_or_else(|error| panic!("{id}: {error:?}"));
        assert_eq!(again.question.workload.lengths, question.workload.lengths, "{id}");
        assert_eq!(again.question.workload.mean_sequence_length, None, "{id}");
        // A base says it where no link does.
        let unlinked = read(&[texts.join("\n").replace(&link, "").as_str()], Some(&question));
        let again = unlinked.unwrap_or_else(|error| panic!("{id}: {error:?}"));
        assert_eq!(again.question.workload.lengths, question.workload.lengths, "{id}");
    }
}

#[test]
fn what_is_longer_is_cut() {
    let lengths = json!({"lengths": [{"tokens": 32768, "sequences": 0.96}, {"tokens": 100_000, "sequences": 0.04}]});
    let cut = answer(lengths, true);
    let says = |own: &Answer| {
        own.caveats
            .iter()
            .find(|own| own.id == "sequences-cut")
            .map(|own| own.text.clone())
    };
    assert_eq!(says(&cut).unwrap(), "4.0 % of the sequences are longer than 32,768 tokens and are cut there.");
    assert_eq!(cut.step_time_s, answer(json!({}), true).step_time_s);
    assert_eq!(says(&answer(bars(), true)), None);
}

#[test]
fn what_is_no_histogram_is_refused() {
    let refused = |lengths: Value| asked(lengths, true).unwrap_err();
    for (lengths, wanted) in [
        (json!({"lengths": []}), "workload.lengths: There are no sequences here"),
        (json!({"lengths": [{"tokens": 0, "sequences": 1}]}), "workload.lengths.0.tokens: Must be at least 1"),
        (json!({"lengths": [{"tokens": 5, "sequences": -1}]}), "workload.lengths.0.sequences: -1 is out of range"),
        (json!({"lengths": [{"tokens": 5, "sequences": 0}]}), "workload.lengths: There are no sequences here"),
        (json!({"lengths": [{"tokens": 5}]}), "sequences"),
        (json!({"lengths": 5}), "workload.lengths"),
        (json!({"sequence_length_cv": 11}), "workload.sequence_length_cv: 11 is out of range"),
    ] {
        let said = refused(lengths);
        assert!(said.contains(wanted), "{said}");
    }
    let mut both = bars();
    both["mean_sequence_length"] = json!(5000);
    assert!(refused(both).contains("workload.mean_sequence_length: The histogram says it"));
    let mut many = bars();
    many["lengths"] = (0..5000).map(|_| json!({"tokens": 5, "sequences": 1})).collect();
    assert!(refused(many).contains("more than 4096 lengths"));
}
