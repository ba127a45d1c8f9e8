//! What single changes are worth: each is what estimating the changed plan says, and the remedy is the cheapest.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use shardwise_core::context::Context;
use shardwise_core::neighbours::apply;
use shardwise_core::search::chosen::decided;
use shardwise_core::sensitivity;
use shardwise_core::wire::{Answer, Figures, FitState, Question, Sensitivity, question_from_value};
use shardwise_core::{estimate, evaluate};

use crate::questions::{self, Asked, Plan, cases};

fn asked(question: &Question) -> Option<(Question, Sensitivity)> {
    let found = evaluate(question).ok()?;
    let context = Context::new(&found.job);
    let mut whole = decided(question, &found.answer);
    // A market's nodes are its offers', where it has any.
    if whole.hardware.market.is_none() {
        whole.hardware.gpus_per_node = Some(found.job.hardware.gpus_per_node.into());
    }
    let found = sensitivity::of(&whole, &context, &found.plan);
    Some((whole, found))
}

fn same(of: &str, figures: &Figures, answer: &Answer) {
    let close = |a: f64, b: f64| {
        assert!((a - b).abs() <= 1e-9 * a.abs().max(b.abs()), "{of}: {a} {b}");
    };
    assert!(!figures.fits || answer.fit.state == FitState::Fits);
    close(figures.probability, answer.fit.probability);
    close(figures.tokens_per_s, answer.tokens_per_s);
    close(figures.tokens_per_s_per_gpu, answer.tokens_per_s_per_gpu);
    close(figures.step_time_s, answer.step_time_s);
    close(figures.reserved_gib, answer.memory.reserved_gib);
    assert_eq!(figures.usd_per_mtok.is_some(), answer.usd_per_mtok.is_some());
    close(figures.usd_per_mtok.unwrap_or_default(), answer.usd_per_mtok.unwrap_or_default());
    close(figures.usd_per_step.unwrap_or_default(), answer.usd_per_step.unwrap_or_default());
}

fn check(question: &Question) {
    let Some((whole, found)) = asked(question) else {
        return;
    };
    let now = estimate(&whole).unwrap();
    same("now", &found.now, &now);
    let mut ids = BTreeSet::new();
    for change in &found.changes {
        assert!(ids.insert(&change.id), "{} twice", change.id);
        assert_ne!(change.from, change.to, "{}", change.id);
        let to = apply(&whole, &change.set).expect(&change.id);
        let answer = estimate(&to).unwrap_or_else(|error| panic!("{}: {error}", change.id));
        same(&change.id, &change.figures, &answer);
        let gained = answer.tokens_per_s - now.tokens_per_s;
        assert!((change.difference.tokens_per_s - gained).abs() <= 1e-6 * answer.tokens_per_s);
        let each = answer.tokens_per_s_per_gpu - now.tokens_per_s_per_gpu;
        let off = change.difference.tokens_per_s_per_gpu - each;
        assert!(off.abs() <= 1e-6 * answer.tokens_per_s_per_gpu);
        let held = answer.memory.reserved_gib - now.memory.reserved_gib;
        assert!((change.difference.gib - held).abs() <= 1e-6 * answer.memory.reserved_gib);
    }
    for pair in found.changes.windows(2) {
        let [a, b] = [&pair[0].figures, &pair[1].figures];
        let rank = |one: &Figures| {
            assert_eq!(one.fits, one.missing_gib <= 0.0);
            (-one.missing_gib, one.tokens_per_s_per_gpu)
        };
        assert!(rank(a) >= rank(b), "{} before {}", pair[0].id, pair[1].id);
    }
    let Some(remedy) = &found.remedy else { return };
    assert!(!found.now.fits);
    let mut mended = whole.clone();
    for change in &remedy.changes {
        mended = apply(&mended, &change.set).unwrap();
    }
    let mended = estimate(&mended).unwrap();
    assert!(mended.fits);
    let fast = |figures: &Figures| figures.tokens_per_s_per_gpu;
    same("remedy", &remedy.changes.last().unwrap().figures, &mended);
    let singles = found.changes.iter().filter(|change| change.figures.fits);
    let best = singles.map(|change| fast(&change.figures)).fold(0.0, f64::max);
    if remedy.changes.len() == 1 {
        assert_eq!(mended.tokens_per_s_per_gpu, best);
    } else {
        assert_eq!(best, 0.0, "a single change would do");
    }
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn changes_are_worth_what_they_say(Asked(question) in questions::question(Plan::Complete)) {
        check(&question);
    }
}

fn seventy(plan: Value) -> Question {
    question_from_value(json!({
        "version": 1, "model": "llama-3.1-70b", "hardware": {"gpu": "h100-sxm", "gpus": 32},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64},
        "plan": plan
    }))
    .unwrap()
}

/// Both directions of every dimension that such a plan has.
#[test]
fn every_dimension_steps_up_and_down() {
    let question =
        seventy(json!({"backend": "megatron", "tensor_parallel": 4, "pipeline_parallel": 4, "virtual_pipeline": 2,
            "context_parallel": 1, "micro_batch": 2, "recompute": "selective"}));
    let (_, found) = asked(&question).unwrap();
    let ids: BTreeSet<&str> = found.changes.iter().map(|one| one.id.as_str()).collect();
    for id in [
        "tensor-parallel-2",
        "tensor-parallel-8",
        "pipeline-parallel-2",
        "pipeline-parallel-8",
        "virtual-pipeline-1",
        "virtual-pipeline-4",
        "context-parallel-2",
        "zero-stage-0",
        "micro-batch-1-sequence",
        "micro-batch-4-sequences",
        "recompute-none",
        "recompute-full",
        "recompute-selective-core-attn-mlp",
        "fused-lm-head-true",
        "sequence-parallel-false",
        "shard-group-1",
        "overlap-gradients",
        "overlap-parameters",
        "overlap-gradients-parameters-tensor-parallel",
        "offload-optimizer",
        "attention-unfused",
    ] {
        assert!(ids.contains(id), "no {id} in {ids:?}");
    }
    // Megatron splits no sequence by heads and shards no gradients; 24 or 40 GPUs do not divide into 16.
    for id in ["ulysses-parallel-2", "zero-stage-2", "gpus-24", "gpus-40"] {
        assert!(!ids.contains(id), "{id}");
    }
}

/// What FSDP does not split by, no remedy names, and matrices some of its frameworks do split; and where one change does not do, two are found.
#[test]
fn two_changes_where_one_does_not_do() {
    let question = seventy(json!({"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1,
        "context_parallel": 1, "micro_batch": 8, "recompute": "none"}));
    let (_, found) = asked(&question).unwrap();
    assert!(!found.now.fits);
    let fields: BTreeSet<&str> = found.changes.iter().map(|one| one.field.as_ref()).collect();
    assert!(fields.contains("plan.tensor_parallel"));
    for field in ["pipeline_parallel", "context_parallel"] {
        assert!(!fields.contains(format!("plan.{field}").as_str()), "{field}");
    }
    check(&question);
}

/// Brute force: over all pairs of changes that single changes begin, none that fits is cheaper than the remedy.
#[test]
fn the_remedy_is_the_cheapest() {
    let plan = json!({"backend": "deepspeed", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
        "micro_batch": 1, "recompute": "none", "zero_stage": 1});
    let mut question = seventy(plan);
    question.model = json!("llama-3.1-8b");
    question.hardware.gpus = Some(8);
    let (whole, found) = asked(&question).unwrap();
    let remedy = found.remedy.expect("a remedy");
    let cost = remedy.changes.last().unwrap().figures.usd_per_mtok.unwrap();
    let singles: Vec<f64> = found
        .changes
        .iter()
        .filter_map(|one| {
            let (_, then) = asked(&apply(&whole, &one.set)?)?;
            then.now.fits.then_some(then.now.usd_per_mtok?)
        })
        .collect();
    let least = if remedy.changes.len() == 1 {
        singles.iter().copied().fold(f64::MAX, f64::min)
    } else {
        assert!(singles.is_empty());
        let mut least = f64::MAX;
        for first in &found.changes {
            let to = apply(&whole, &first.set).unwrap();
            let Some((to, then)) = asked(&to) else {
                continue;
            };
            if then.now.missing_gib >= found.now.missing_gib {
                continue;
            }
            for second in &then.changes {
                let (_, last) = asked(&apply(&to, &second.set).unwrap()).unwrap();
                if last.now.fits {
                    least = least.min(last.now.usd_per_mtok.unwrap());
                }
            }
        }
        least
    };
    assert!((cost - least).abs() < 1e-9, "{cost} {least}");
}

/// Applied to a question that leaves the rest open, a change sets its own field alone.
#[test]
fn a_change_leaves_open_what_is_open() {
    let mut question = seventy(Value::Null);
    question.plan = None;
    let all = shardwise_core::sensitivity(&question).unwrap();
    for change in &all.changes {
        let to = apply(&question, &change.set).unwrap();
        let plan = serde_json::to_value(to.plan).unwrap();
        let hardware = change.field == "hardware.gpus";
        assert_eq!(plan.is_null(), hardware, "{}", change.id);
        assert!(hardware || plan.as_object().unwrap().len() == 1, "{plan}");
    }
}
