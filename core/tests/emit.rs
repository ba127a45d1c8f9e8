//! The texts to paste: fixed examples, and what holds for every text.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use shardwise_core::emit::{self, Emission, FRAMEWORKS, Framework, Snippet, Syntax, Unsupported};
use shardwise_core::plan::Recompute;
use shardwise_core::wire::{FitState, Offload, question_from_value};
use shardwise_core::{Caveat, Evaluated, evaluate, flags};

mod chinese;
mod examples;
mod heads;
mod serves;

use examples::{example, examples};

use crate::cases;

fn texts(framework: &Framework, found: &Evaluated, permalink: &str) -> Result<Vec<Snippet>, Unsupported> {
    let Evaluated { job, plan, answer, .. } = found;
    emit::emit(&Emission { framework, job, plan, answer, permalink, version: framework.versions[0] })
}

/// The settings of a shell text: what stands in its array.
fn settings(text: &str) -> Vec<&str> {
    let inside = text.split_once("args=(\n").unwrap().1.split_once("\n)\n").unwrap().0;
    inside
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

/// The settings of a YAML text: lines with a value, each under its whole key.
fn values(text: &str) -> Vec<String> {
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut out = Vec::new();
    for line in text.lines().filter(|line| !line.trim().starts_with('#')) {
        let depth = line.len() - line.trim_start().len();
        open.retain(|(outer, _)| *outer < depth);
        let path: String = open.iter().map(|(_, key)| format!("{key}.")).collect();
        match line.trim().strip_suffix(':') {
            Some(map) => open.push((depth, map)),
            None if line.contains(": ") => out.push(path + line.trim()),
            None => {}
        }
    }
    out
}

/// The settings of a Python text: keywords of its calls, one a line.
fn keywords(text: &str) -> Vec<&str> {
    let inside = text.lines().filter(|line| line.starts_with("    ")).map(str::trim_start);
    inside
        .filter(|line| !line.starts_with('#') && !line.ends_with('(') && *line != ")")
        .collect()
}

/// A text without its comments: what bash runs.
fn code(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| if line.trim_start().starts_with('#') { "" } else { line });
    lines
        .map(|line| line.split("  # ").next().unwrap_or("").trim_end())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn examples_are_as_they_were_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/emit");
    let mut written = BTreeSet::new();
    for (name, framework, found) in examples() {
        for snippet in texts(framework, &found, "https://shardwise.example/#v=1").unwrap() {
            let text: Vec<&str> = snippet.text.lines().filter(|line| !line.starts_with("# Shardwise ")).collect();
            let path = folder.join(format!("{name}.{}", snippet.file));
            cases::recorded(&path, &(text.join("\n") + "\n"));
            written.insert(path);
        }
    }
    let kept: BTreeSet<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(kept, written, "texts that no case writes");
}

#[test]
fn every_setting_is_made_once_and_says_why() {
    for (name, framework, found) in examples() {
        for snippet in texts(framework, &found, "").unwrap() {
            if snippet.language == Syntax::Json {
                let keys: BTreeSet<_> = snippet.reasons.iter().map(|(key, _)| key).collect();
                assert_eq!(keys.len(), snippet.reasons.len(), "{name}: a key twice");
                let config: Value = serde_json::from_str(&snippet.text).unwrap();
                for (key, reason) in &snippet.reasons {
                    assert!(!reason.is_empty(), "{name}: {key}");
                    assert!(
                        !config.pointer(&format!("/{}", key.replace('.', "/"))).unwrap().is_null(),
                        "{name}: {key}"
                    );
                }
                continue;
            }
            let mut seen = BTreeSet::new();
            let lines = match snippet.language {
                Syntax::Yaml => values(&snippet.text),
                Syntax::Python => keywords(&snippet.text).into_iter().map(str::to_owned).collect(),
                _ => settings(&snippet.text).into_iter().map(str::to_owned).collect(),
            };
            for line in lines {
                let (setting, reason) = line.split_once("  # ").unwrap_or_else(|| panic!("{name}: no reason: {line}"));
                assert!(reason.len() > 2, "{name}: {line}");
                let key = setting.split(['=', ' ']).next().unwrap().trim_start_matches('+');
                assert!(seen.insert(key.to_owned()), "{name}: {key} twice");
            }
            assert!(seen.len() > 6, "{name}: {} settings", seen.len());
        }
    }
}

#[test]
fn no_text_holds_what_is_no_number() {
    for (name, framework, mut found) in examples() {
        found.answer.tokens_per_s_per_gpu = f64::NAN;
        found.answer.usd_per_mtok = Some(f64::INFINITY);
        found.answer.memory.reserved_gib = f64::NAN;
        found.answer.fits = false;
        for snippet in texts(framework, &found, "").unwrap() {
            let words = snippet.text.split(|c: char| !c.is_ascii_alphanumeric());
            let bad: Vec<_> = words.filter(|word| matches!(*word, "NaN" | "inf" | "None" | "nan")).collect();
            assert!(bad.is_empty(), "{name}: {bad:?} in {}", snippet.text);
        }
    }
}

#[test]
fn nothing_a_person_types_reaches_the_shell() {
    let attacks = [
        "x\nrm -rf ~ #",
        "x\r\nrm -rf ~",
        "`id`",
        "$(id)",
        "${IFS}",
        "'; id; '",
        "\"; id; \"",
        "a) ; id ; args=(",
        "\u{2028}id",
        "\u{202e}di",
        "../../x y",
        "-rf/x",
        "a/b c",
        "a/b=$(id)",
        "a/b#c",
    ];
    for (name, framework, found) in examples() {
        let mut blank = found;
        blank.job.model.hf_repo = "".into();
        let harmless: Vec<String> = texts(framework, &blank, "").unwrap().iter().map(|s| code(&s.text)).collect();
        for attack in attacks {
            let mut hostile = blank.clone();
            hostile.job.model.name = attack.into();
            hostile.job.model.hf_repo = attack.into();
            hostile.job.hardware.name = attack.into();
            hostile.answer.caveats = vec![Caveat::new("attack", attack)];
            if let Some(critic) = hostile.job.workload.rl.as_mut().and_then(|rl| rl.critic.as_mut()) {
                critic.hf_repo = attack.into();
            }
            for (snippet, expected) in texts(framework, &hostile, attack).unwrap().iter().zip(&harmless) {
                // The head grows by the permalink and the caveat; what runs stays the same.
                let runs = |text: &str| {
                    text.lines()
                        .filter(|line| !line.is_empty())
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                };
                let expected = runs(expected);
                let critic = |line: &String| !line.contains("critic.model");
                assert_eq!(
                    runs(&code(&snippet.text)).into_iter().filter(critic).collect::<Vec<_>>(),
                    expected.into_iter().filter(critic).collect::<Vec<_>>(),
                    "{name}: {attack:?}"
                );
                assert!(!snippet.text.chars().any(|c| c.is_control() && c != '\n'), "{name}: {attack:?}");
                assert!(!snippet.text.contains(['\u{2028}', '\u{202e}']), "{name}: {attack:?}");
                if let Some(line) = snippet.text.lines().find(|line| line.contains("critic.model")) {
                    assert!(line.contains("\"$HOME/models/model\"  #"), "{name}: {line}");
                }
            }
        }
    }
}

#[test]
fn budgets_follow_the_guide_in_every_role() {
    let value = |text: &str, key: &str| -> u64 {
        let line = settings(text)
            .into_iter()
            .find(|line| line.starts_with(&format!("{key}=")))
            .unwrap();
        line.split(['=', ' ']).nth(1).unwrap().parse().unwrap()
    };
    let (verl, found) = example("verl-ppo-megatron");
    let text = &texts(verl, &found, "").unwrap()[0].text;
    let actor = value(text, "actor_rollout_ref.actor.ppo_max_token_len_per_gpu");
    assert_eq!(actor, 16384);
    for forward in [
        "actor_rollout_ref.ref.log_prob_max_token_len_per_gpu",
        "actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu",
        "critic.forward_max_token_len_per_gpu",
    ] {
        assert_eq!(value(text, forward), 2 * actor, "{forward}");
    }
    // What the estimate holds in memory: the search or a person may give the critic more.
    assert_eq!(value(text, "critic.ppo_max_token_len_per_gpu"), actor);
}

#[test]
fn the_table_of_frameworks_is_sound() {
    let ids: BTreeSet<_> = FRAMEWORKS.iter().map(|framework| framework.id).collect();
    assert_eq!(ids.len(), FRAMEWORKS.len());
    for framework in FRAMEWORKS {
        assert!(emit::framework(framework.id).is_some_and(|found| found.name == framework.name));
        assert!(framework.docs_url.starts_with("https://") && !framework.backends.is_empty(), "{}", framework.id);
        assert!(examples().iter().any(|(_, own, _)| own.id == framework.id), "{}: no example", framework.id);
    }
    assert!(emit::framework("no-such").is_none());
}

/// Under "it does not fit" no setting says that something does, nor that there is room.
#[test]
fn reasons_know_whether_the_plan_fits() {
    let says = |text: &str, words: &[&str]| -> Vec<String> {
        let reasons = text.lines().filter_map(|line| line.split_once("  # "));
        let reasons = reasons.map(|(_, reason)| reason.to_owned());
        reasons
            .filter(|reason| {
                let mut each = reason.split(|c: char| !c.is_alphanumeric());
                each.any(|word| words.contains(&word)) && !reason.contains("plan does not fit")
            })
            .collect()
    };
    let mut kept = BTreeSet::new();
    for (name, framework, mut found) in examples() {
        for recompute in [Recompute::Full, Recompute::None] {
            for layout in [Some(&mut found.plan.layout), found.plan.critic.as_mut(), found.plan.reference.as_mut()]
                .into_iter()
                .flatten()
            {
                layout.recompute = recompute;
                layout.offload = Offload::default();
            }
            found.answer.fits = false;
            found.answer.fit.state = FitState::No;
            let Ok(snippets) = texts(framework, &found, "") else {
                continue;
            };
            for snippet in &snippets {
                // "The shard of the largest matrix fits" is of a buffer that it sizes.
                let mut wrong = says(&snippet.text, &["fit", "fits", "room"]);
                wrong.retain(|reason| !reason.contains("largest matrix"));
                assert!(wrong.is_empty(), "{name}: {wrong:?}");
                if snippet.text.contains("off, and the plan does not fit") {
                    kept.insert(framework.id);
                }
            }
            found.answer.fits = true;
            found.answer.fit.state = FitState::Fits;
            for snippet in texts(framework, &found, "").unwrap() {
                assert!(!snippet.text.contains("does not fit"), "{name}");
            }
        }
    }
    assert!(kept.len() >= 7, "{kept:?}");
}

/// Where the states must leave the card, DeepSpeed moves the optimizer and its gradients, and keeps the weights; or its CPUs step.
#[test]
fn a_searched_rl_plan_sleeps_as_openrlhf_does() {
    let asked = |model: &str, gpus: u64, steps: Option<f64>| {
        question_from_value(json!({"version": 1, "model": model, "framework": "openrlhf",
            "plan": {"optimizer_offload_fraction": steps}, "hardware": {"gpu": "h100-sxm", "gpus": gpus}, "workload": {"kind": "grpo", "rl": {"prompts_per_step": 128,
                "responses_per_prompt": 8, "max_prompt_length": 1024, "max_response_length": 3072}}}))
        .unwrap()
    };
    let openrlhf = emit::framework("openrlhf").unwrap();
    for (model, gpus, steps, sleeps) in
        [("qwen3-4b", 2, Some(0.0), true), ("phi-4", 64, Some(0.0), false), ("qwen3-4b", 2, None, false)]
    {
        let question = asked(model, gpus, steps);
        let offload = evaluate(&question).unwrap().plan.layout.offload;
        assert_eq!((offload.parameters, offload.optimizer, offload.gradients), (false, sleeps, sleeps), "{gpus} GPUs");
        let texts = flags(&question, openrlhf, "0.11.2", "").unwrap().unwrap();
        let has = |key: &str| texts[0].text.contains(&format!("{key}  #"));
        assert_eq!((has("--ds.enable_sleep"), has("--ds.adam_offload")), (sleeps, steps.is_none()), "{gpus} GPUs");
    }
}
