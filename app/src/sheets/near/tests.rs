use super::*;
use serde_json::{Value, json};
use shardwise_core::presets;
use shardwise_core::wire::{question_from_value, to_value};

fn traits(question: Value) -> Traits {
    let question = question_from_value(question).unwrap_or_default();
    let job = job::resolve(&question).unwrap_or_else(|error| panic!("{error}"));
    Traits::of(&question, &job, &question.plan.clone().unwrap_or_default())
}

fn training(model: &str, gpu: &str, gpus: u32, tokens: u64) -> Value {
    json!({
        "version": 1, "model": model, "hardware": {"gpu": gpu, "gpus": gpus},
        "workload": {"kind": "sft", "sequence_length": tokens, "global_batch": 64},
        "plan": {"backend": "fsdp"},
    })
}

fn with(mut question: Value, path: &str, value: Value) -> Value {
    let mut at = &mut question;
    for key in path.split('.') {
        at = &mut at[key];
    }
    *at = value;
    question
}

/// Each is nearer to the question than the next.
#[track_caller]
fn in_order(own: &Value, runs: &[Value]) {
    let own = traits(own.clone());
    let distances: Vec<f64> = runs.iter().map(|run| distance(&traits(run.clone()), &own)).collect();
    assert!(distances.is_sorted_by(|a, b| a < b), "{distances:?}");
}

fn published(work: Work) -> Vec<Published> {
    let name = if work == Work::Generation { "generation" } else { "runs" };
    let path = format!("{}/../public/{name}.json", env!("CARGO_MANIFEST_DIR"));
    read(std::fs::read_to_string(path).unwrap_or_default(), work).unwrap_or_default()
}

#[test]
fn the_same_model_on_the_same_gpu_is_nearest() {
    let own = training("llama-3.1-8b", "h100-sxm", 16, 4096);
    in_order(
        &own,
        &[
            own.clone(),
            training("llama-3.1-8b", "h100-sxm", 16, 8192),
            training("llama-3.1-8b", "h100-sxm", 32, 4096),
            training("llama-3.1-8b", "h200-sxm", 16, 4096),
            training("llama-3.1-8b", "h100-sxm", 64, 4096),
            training("qwen2.5-32b", "h100-sxm", 16, 4096),
            training("llama-3.1-8b", "a100-sxm-80g", 16, 4096),
            training("llama-3.1-8b", "mi300x", 16, 4096),
        ],
    );
    in_order(
        &own,
        &[
            with(own.clone(), "workload.kind", json!("pretrain")),
            with(own.clone(), "plan.backend", json!("megatron")),
            with(own.clone(), "workload.precision", json!("fp8")),
            training("llama-3.1-70b", "a100-sxm-80g", 64, 2048),
        ],
    );
}

#[test]
fn experts_are_more_like_experts() {
    let own = training("qwen3-30b-a3b", "h100-sxm", 16, 4096);
    in_order(
        &own,
        &[
            training("gpt-oss-20b", "h100-sxm", 16, 4096),
            training("qwen3-235b-a22b", "h100-sxm", 32, 4096),
            training("qwen3-4b", "h100-sxm", 16, 4096),
        ],
    );
}

#[test]
fn other_work_is_never_compared() {
    let full = training("qwen3-8b", "h100-sxm", 8, 4096);
    let lora = with(full.clone(), "workload.kind", json!("lora"));
    let qlora = with(full.clone(), "workload.kind", json!("qlora"));
    let rl = |kind: &str| {
        let sizes = json!({"prompts_per_step": 64, "max_prompt_length": 1024, "max_response_length": 4096});
        with(full.clone(), "workload", json!({"kind": kind, "rl": sizes}))
    };
    let run = json!({"requests": 100, "mean_prompt_length": 512, "mean_response_length": 512});
    let rollout = json!({
        "version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 1},
        "workload": {"kind": "rollout", "rollout": run},
    });
    let kinds = [[full.clone(), full.clone()], [lora, qlora], [rl("grpo"), rl("dapo")], [rollout.clone(), rollout]];
    let kinds = kinds.map(|pair| pair.map(traits));
    for (place, [own, _]) in kinds.iter().enumerate() {
        for (other, [_, run]) in kinds.iter().enumerate() {
            assert_eq!(own.is_comparable(run), place == other, "{:?} {:?}", own.kind, run.kind);
        }
    }
}

#[test]
fn what_differs_is_said_and_what_counts_most_first() {
    let own = traits(training("llama-3.1-8b", "h100-sxm", 16, 4096));
    let run = traits(with(training("llama-3.1-8b", "a100-sxm-80g", 64, 4096), "plan.backend", json!("ddp")));
    let said = differences(&run, &own, Lang::En);
    assert_eq!(said, ["A100-SXM-80G instead of H100-SXM", "64 GPUs instead of 16", "1 more"]);
    assert_eq!(differences(&own, &own, Lang::Zh), Vec::<String>::new());
    let gpus = traits(training("llama-3.1-8b", "h100-sxm", 64, 2048));
    assert_eq!(differences(&gpus, &own, Lang::En), ["64 GPUs instead of 16", "2,048 tokens instead of 4,096"]);
    let other = traits(training("qwen3-8b", "h100-sxm", 16, 4096));
    assert_eq!(differences(&other, &own, Lang::En), ["another model of this size"]);
    let experts = traits(training("qwen3-30b-a3b", "h100-sxm", 16, 4096));
    assert_eq!(differences(&experts, &own, Lang::En)[0], "mixture of experts");
}

#[test]
fn every_published_run_can_be_looked_up_and_asked() {
    let all = [Work::Training, Work::Rl, Work::Generation].map(published);
    let [training, rl, engines] = all.each_ref().map(Vec::len);
    assert!(training > 500 && rl > 100 && engines > 1000, "{training} {rl} {engines}");
    for run in all.iter().flatten() {
        assert!(run.traits.generation.is_some(), "{}", run.link);
        for lang in [Lang::En, Lang::Zh] {
            let text = format!("{} {:?}", run.name(lang), run.figures(lang.sheets()));
            assert!(!text.contains('–') && !text.contains("NaN"), "{text}");
        }
    }
}

/// Whether it is a preset's own run, or the nearest of its kind: the first is of the question's work and GPU generation.
#[test]
fn presets_have_runs_like_them() {
    let runs = [Work::Training, Work::Preferences, Work::Rl, Work::Generation].map(published);
    for preset in presets::presets() {
        let asked = Asked::of(preset.question().map(|own| to_value(&own)).unwrap_or_default());
        let own = Traits::of(&asked.question, &asked.found.job, &asked.found.answer.plan);
        let runs = &runs[Work::of(own.kind) as usize];
        let (shown, count) = nearest(runs, &own);
        // No published run learns from preferences.
        if own.kind.preference().is_some() {
            assert_eq!((shown.len(), count), (0, 0), "{}", preset.id);
            let text = json!(blocks(&asked, runs, Lang::En)).to_string();
            assert!(text.contains(Lang::En.sheets().near_unknown), "{text}");
            continue;
        }
        // None trains adapters of a large model, or of one with experts, on A100, or by RL on T4.
        if own.adapters && own.kind != WorkloadKind::Qlora {
            assert_eq!(shown.len(), 0, "{}", preset.id);
            let none = fill(Lang::En.sheets().near_none, &[&format::grouped(count as u64)]);
            let text = json!(blocks(&asked, runs, Lang::En)).to_string();
            assert!(text.contains(&none), "{text}");
            continue;
        }
        let first = shown.first().unwrap_or_else(|| panic!("{}: none of {count}", preset.id));
        assert_eq!(first.traits.has_experts(), own.has_experts(), "{}", preset.id);
        assert!(shown.iter().skip(1).all(|other| !reads_alike(first, other)), "{}", preset.id);
        for lang in [Lang::En, Lang::Zh] {
            let text = json!(blocks(&asked, runs, lang)).to_string();
            assert!(text.contains("https://") && text.contains(&first.model), "{text}");
        }
    }
}

#[test]
fn where_nothing_is_like_it_that_is_said() {
    let rl = published(Work::Rl);
    let sizes = json!({"prompts_per_step": 64, "max_prompt_length": 1024, "max_response_length": 4096});
    let question = json!({
        "version": 1, "model": "qwen3-235b-a22b", "hardware": {"gpu": "mi300x", "gpus": 64},
        "workload": {"kind": "grpo", "rl": sizes},
    });
    let asked = Asked::of(question);
    let text = json!(blocks(&asked, &rl, Lang::En)).to_string();
    assert!(text.contains("None of 112 published runs"), "{text}");
}
