//! Checks before a run: verdicts that were worked out by hand, and what an option that is wrong gets.

use std::collections::BTreeMap;

use serde::Deserialize;
use shardwise_core::interface::{Checked, Level, RULES, Verdict, check};
use shardwise_core::wire::{CheckOptions, parse_options};

use crate::cases;

/// Scripts of one framework.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scripts {
    /// The script, with `{name}` for each value.
    text: String,
    /// A file beside it.
    with: Option<String>,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// The verdict by hand.
    why: String,
    values: BTreeMap<String, toml::Value>,
    options: toml::Table,
    verdict: String,
    /// A rule that has to be among the findings.
    finding: Option<String>,
}

fn filled(text: &str, values: &BTreeMap<String, toml::Value>) -> String {
    let mut text = text.to_owned();
    for (name, value) in values {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text = text.replace(&format!("{{{name}}}"), &value);
    }
    text
}

fn options(table: &toml::Table) -> CheckOptions {
    parse_options(&serde_json::to_string(table).unwrap()).unwrap()
}

fn word(verdict: Verdict) -> String {
    serde_json::to_value(verdict).unwrap().as_str().unwrap().to_owned()
}

/// What holds of every outcome.
fn sound(checked: &Checked, text: &str) {
    assert!(!checked.says.is_empty());
    let lines = u32::try_from(text.lines().count()).unwrap();
    for finding in &checked.findings {
        assert!(RULES.iter().any(|(id, _)| *id == finding.rule), "{} is no rule", finding.rule);
        assert!(finding.line <= lines, "{finding:?}");
        assert!(!finding.text.is_empty() && !finding.text.contains("NaN"), "{finding:?}");
    }
    let errors = checked.findings.iter().filter(|one| one.level == Level::Error).count();
    let decided = matches!(checked.verdict, Verdict::Fits | Verdict::Tight);
    assert_eq!(errors == 0, decided, "{checked:?}");
}

#[test]
fn verdicts_are_those_that_were_worked_out_by_hand() {
    cases::each("check", |_, scripts: Scripts, run| {
        for case in scripts.case {
            let own = filled(&scripts.text, &case.values);
            let with = scripts.with.as_deref().map(|with| filled(with, &case.values));
            let mut texts = vec![own.as_str()];
            texts.extend(with.as_deref());
            run.case(&case.why, || {
                let checked = check(&texts, &options(&case.options)).unwrap();
                let told = format!("{:#?} {:#?}", checked.says, checked.findings);
                assert_eq!(word(checked.verdict), case.verdict, "{told}");
                if let Some(rule) = &case.finding {
                    assert!(checked.findings.iter().any(|one| one.rule == rule), "no {rule}: {told}");
                }
                sound(&checked, texts[0]);
            });
        }
    });
}

const SCRIPT: &str = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\
    data.train_batch_size=256 data.max_prompt_length=1024 data.max_response_length=3072 trainer.total_training_steps=100 \\
    actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 \\
    actor_rollout_ref.rollout.n=8 trainer.n_gpus_per_node=8 trainer.nnodes=1";

fn checked(options: &str) -> Checked {
    check(&[SCRIPT], &parse_options(options).unwrap()).unwrap()
}

#[test]
fn what_is_asked_more_strictly_is_never_judged_better() {
    let ladders: [&[&str]; 4] = [
        &[r#"{"confidence": 0.5}"#, r#"{"confidence": 0.9}"#, r#"{"confidence": 0.999}"#],
        &[r#"{"deadline_h": 100}"#, r#"{"deadline_h": 3}"#, r#"{"deadline_h": 1}"#, r#"{"deadline_h": 0.1}"#],
        &[r#"{"budget_usd": 1000}"#, r#"{"budget_usd": 40}"#, r#"{"budget_usd": 10}"#, r#"{"budget_usd": 1}"#],
        &[
            r#"{"steps": 1, "deadline_h": 2}"#,
            r#"{"steps": 50, "deadline_h": 2}"#,
            r#"{"steps": 5000, "deadline_h": 2}"#,
        ],
    ];
    for ladder in ladders {
        let verdicts: Vec<Verdict> = ladder.iter().map(|options| checked(options).verdict).collect();
        assert!(verdicts.is_sorted(), "{ladder:?}: {verdicts:?}");
    }
    assert_eq!(checked(r#"{"deadline_h": 0.1}"#).verdict, Verdict::Unfit);
}

#[test]
fn a_limit_within_the_interval_is_tight() {
    let run = checked("{}").answer.unwrap();
    let hours = run.run.unwrap().hours;
    let [_, slow] = run.against_speed(hours).unwrap();
    let tight = checked(&format!(r#"{{"deadline_h": {}}}"#, f64::midpoint(hours, slow)));
    assert_eq!(tight.verdict, Verdict::Tight);
    assert!(
        tight
            .findings
            .iter()
            .any(|one| one.rule == "deadline" && one.level == Level::Warning)
    );
    assert_eq!(checked(&format!(r#"{{"deadline_h": {}}}"#, slow * 1.01)).verdict, Verdict::Fits);
}

#[test]
fn without_a_length_no_limit_is_judged() {
    let endless = SCRIPT.replace("trainer.total_training_steps=100", "");
    let options = parse_options(r#"{"budget_usd": 100000}"#).unwrap();
    let unknown = check(&[&endless], &options).unwrap();
    assert_eq!(unknown.verdict, Verdict::Unknown);
    assert!(unknown.findings.iter().any(|one| one.text.contains("--steps")), "{:?}", unknown.findings);
    let options = parse_options(r#"{"budget_usd": 100000, "steps": 10}"#).unwrap();
    assert_eq!(check(&[&endless], &options).unwrap().verdict, Verdict::Fits);
}

#[test]
fn a_budget_names_the_offer_that_it_pays() {
    let found = checked(r#"{"budget_usd": 1000, "offer": "lambda/gpu_8x_h100_sxm5/not-stated/on-demand"}"#);
    let offer = found.answer.unwrap().offer.unwrap();
    assert!(found.says.iter().any(|one| one.text.contains(&*offer.provider)), "{:?}", found.says);
}

#[test]
fn a_finding_is_at_the_line_that_is_to_be_changed() {
    let large = SCRIPT.replace("_batch_size_per_gpu=2", "_batch_size_per_gpu=64");
    let found = check(&[&large], &CheckOptions::default()).unwrap();
    let memory = found.findings.iter().find(|one| one.rule == "out-of-memory").unwrap();
    let line = large.lines().nth(memory.line as usize - 1).unwrap();
    assert!(line.contains("ppo_micro_batch_size_per_gpu"), "line {}: {line}", memory.line);
}

#[test]
fn options_that_are_wrong_are_named() {
    for (options, field) in [
        (r#"{"gpu": "h1000"}"#, "gpu"),
        (r#"{"gpus": 0}"#, "gpus"),
        (r#"{"steps": 0}"#, "steps"),
        (r#"{"confidence": 1.0}"#, "confidence"),
        (r#"{"deadline_h": -1}"#, "deadline_h"),
        (r#"{"budget_usd": 0}"#, "budget_usd"),
        (r#"{"usd_per_gpu_hour": 1e400}"#, "options"),
        (r#"{"offer": "no/such/offer"}"#, "offer"),
        (r#"{"risk": 0.9}"#, "risk"),
    ] {
        let refused = parse_options(options).and_then(|options: CheckOptions| check(&[SCRIPT], &options));
        let error = refused.expect_err(options);
        assert_eq!(error.field, field, "{options}: {error}");
    }
}

const UNCUT: &str = "trl sft --model_name_or_path Qwen/Qwen3-8B --dataset_name trl-lib/Capybara --max_length none --bf16 \\
    --use_peft --per_device_train_batch_size 1 --gradient_accumulation_steps 8 --gradient_checkpointing --max_steps 100";

/// What the check says that it assumed, by the start of each note.
fn assumed(text: &str, options: &str) -> Vec<String> {
    let found = check(&[text], &parse_options(options).unwrap()).unwrap();
    let notes = found.findings.into_iter().filter(|one| one.rule == "assumed");
    notes.map(|one| one.text).collect()
}

#[test]
fn a_verdict_says_what_it_rests_on_that_nobody_stated() {
    let found = check(&[UNCUT], &parse_options(r#"{"gpu": "h100-sxm", "gpus": 8}"#).unwrap()).unwrap();
    assert_eq!(found.verdict, Verdict::Fits);
    let says: Vec<&str> = found.says.iter().map(|one| one.text.as_str()).collect();
    assert!(says[1].contains("assumes workload.sequence_length = 2048"), "{says:?}");
    let note = found.findings.iter().find(|one| one.rule == "assumed").unwrap();
    assert_eq!(note.level, Level::Note);
    assert!(note.text.contains("Set max_length"), "{}", note.text);

    // What no text and no option names: the GPU, and how many.
    let all = assumed(UNCUT, "{}");
    assert!(all.iter().any(|one| one.contains("h100-sxm") && one.contains("--gpu.")), "{all:?}");
    assert!(
        all.iter()
            .any(|one| one.contains("hardware.gpus = 8") && one.contains("--gpus.")),
        "{all:?}"
    );
}

#[test]
fn what_the_text_the_caller_or_the_framework_settles_is_no_assumption() {
    let stated = UNCUT.replace("--max_length none", "--max_length 4096");
    assert_eq!(assumed(&stated, r#"{"gpu": "h200-sxm", "gpus": 8}"#), [""; 0]);
    // TRL cuts at 1,024 by itself.
    let own = UNCUT.replace("--max_length none", "");
    assert_eq!(assumed(&own, r#"{"gpu": "h200-sxm", "gpus": 8}"#), [""; 0]);
    assert_eq!(assumed(SCRIPT, r#"{"gpu": "h200-sxm"}"#), [""; 0]);
}

#[test]
fn without_an_option_the_gpu_is_that_of_the_link_in_the_head() {
    let question = r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h200-sxm", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#;
    let question = shardwise_core::wire::parse_question(question).unwrap();
    let link = shardwise_core::permalink::to_hash(&question);
    let text = format!("# https://example.org/#{link}\n{}", UNCUT.replace("--use_peft", ""));
    let gpu = |options| {
        let found = check(&[&text], &parse_options(options).unwrap()).unwrap();
        found.question.unwrap().hardware.gpu
    };
    assert_eq!(gpu("{}"), "h200-sxm");
    assert_eq!(gpu(r#"{"gpu": "b200-sxm"}"#), "b200-sxm");
    assert_eq!(assumed(&text, "{}"), [""; 0]);
}

/// What a check says, and its findings of a rule.
fn told(text: &str, rule: &str) -> (Verdict, String, Vec<(Level, String)>) {
    let found = check(&[text], &parse_options(r#"{"gpu": "h100-sxm", "gpus": 8}"#).unwrap()).unwrap();
    let says: Vec<&str> = found.says.iter().map(|one| one.text.as_str()).collect();
    let says = says.join(" ");
    let findings = found.findings.into_iter().filter(|one| one.rule == rule);
    (found.verdict, says, findings.map(|one| (one.level, one.text)).collect())
}

/// A script of one's own on Hugging Face's Trainer.
const OWN: &str = "torchrun --nproc_per_node 8 train.py --model_name_or_path Qwen/Qwen3-8B --per_device_train_batch_size 1 --bf16 True \\
    --max_length 2048 --gradient_checkpointing True";

#[test]
fn settings_that_are_not_read_and_may_decide_are_said_beside_the_verdict() {
    let (_, says, found) =
        told(&format!("{OWN} --fancy 3 --my_lora_switch True --quantize_base nf4 --eval_max_length 9"), "unknown-key");
    assert!(says.contains("they may decide it: --my_lora_switch, --quantize_base."), "{says}");
    // They come before what decides nothing.
    assert!(found[0].1.contains("--my_lora_switch") && found[0].0 == Level::Warning, "{found:?}");
    assert!(found[2].1.contains("--fancy") && found[2].0 == Level::Note, "{found:?}");
    let (_, says, _) = told(&format!("{OWN} --fancy 3"), "unknown-key");
    assert!(!says.contains("may decide"), "{says}");
}

#[test]
fn a_file_that_is_not_here_leaves_no_sure_verdict() {
    let accelerate = OWN.replace("torchrun --nproc_per_node 8", "accelerate launch --config_file fsdp.yaml");
    let (verdict, says, found) = told(&accelerate, "missing");
    assert_eq!(verdict, Verdict::Unknown, "{says}");
    assert!(found[0].1.contains("\"fsdp.yaml\" says what shards the run and is not here"), "{found:?}");
    let (_, _, found) = told(&format!("{OWN} --deepspeed conf/mine.json"), "doubt");
    assert!(found[0].1.contains("conf/mine.json") && found[0].0 == Level::Warning, "{found:?}");
}

#[test]
fn generation_by_the_trainer_is_a_doubt_and_no_share_of_the_card() {
    let script = "NPROC_PER_NODE=8 swift rlhf --rlhf_type grpo --model Qwen/Qwen2.5-7B-Instruct --train_type full --torch_dtype bfloat16 \\
        --use_vllm false --deepspeed zero3 --num_generations 8 --max_completion_length 1024 --per_device_train_batch_size 1";
    let (verdict, says, found) = told(script, "doubt");
    // A ninth of the states, a copy of the weights and one response: 0.9 of the card for an engine left no room for the loss.
    assert_eq!(verdict, Verdict::Fits, "{says}");
    assert!(found[0].1.contains("is not modelled"), "{found:?}");
    assert!(!says.contains("engine"), "{says}");
    // Its hours are many times those of the estimate.
    let options = parse_options(r#"{"gpu": "h100-sxm", "steps": 10, "deadline_h": 1000}"#).unwrap();
    assert_eq!(check(&[script], &options).unwrap().verdict, Verdict::Unknown);
}

#[test]
fn many_renamed_settings_are_one_finding() {
    let script = "deepspeed --module openrlhf.cli.train_sft --pretrain meta-llama/Meta-Llama-3-8B --max_len 2048 --train_batch_size 256 \\
        --micro_train_batch_size 2 --zero_stage 3 --max_epochs 1 --packing_samples --gradient_checkpointing";
    let (_, _, found) = told(script, "refused");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].1.contains("settings were renamed since") && found[0].1.contains("--max_len"), "{found:?}");
}
