//! Every figure of an answer has an explanation whose numbers, put into its formula, give that figure; every formula has
//! a source, two languages and code that exists.

#[path = "../explain/build/methods.rs"]
mod build;
mod put_in;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;
use shardwise_core::methods::{Errors, Explanation, entry, figures, groups, measured};
use shardwise_core::presets::presets;
use shardwise_core::wire::{Language, PipelineSchedule, Question, RunOperations, question_from_value};
use shardwise_core::words::{self, Formula};
use shardwise_core::{Evaluated, evaluate_alone, methods};

use crate::questions::{self, Asked, Plan};

fn explain(found: &Evaluated, figure: &str, language: Language) -> Option<Explanation> {
    methods::explain(found, figure).map(|own| words::explanation(own, words::of(language)))
}

fn error_of(errors: Errors, language: Language) -> String {
    words::said(methods::error_of(errors), words::of(language))
}

/// The figure itself, read from the answer.
fn answered(found: &Evaluated, figure: &str) -> Option<f64> {
    let answer = &found.answer;
    let named = |entries: &[(&str, f64)], part: &str| {
        let own = entries.iter().find(|(name, _)| *name == part);
        own.map(|(_, value)| *value)
    };
    let path: Vec<&str> = figure.split('.').collect();
    Some(match path.as_slice() {
        ["tokens_per_s_per_gpu"] => answer.tokens_per_s_per_gpu,
        ["tokens_per_s"] => answer.tokens_per_s,
        ["mtok_per_hour"] => answer.mtok_per_hour,
        ["step_time"] => answer.step_time_s,
        ["mfu"] => answer.mfu,
        ["hfu"] => answer.hfu,
        ["model_tflops_per_gpu"] => answer.model_tflops_per_gpu,
        ["usd_per_gpu_hour"] => answer.usd_per_gpu_hour?,
        ["usd_per_mtok"] => answer.usd_per_mtok?,
        ["usd_per_step"] => answer.usd_per_step?,
        ["run", "hours"] => answer.run?.hours,
        ["run", "usd"] => answer.run?.usd?,
        ["run", "operations", name] => of_run(&answer.run?.operations?, name)?,
        ["memory"] => answer.memory.reserved_gib,
        ["memory", "peak"] => answer.memory.peak_gib,
        ["memory", "capacity"] => answer.memory.capacity_gib,
        ["memory", "spare"] => answer.memory.capacity_gib - answer.memory.reserved_gib,
        ["memory", phase, part @ ..] => {
            let phases = &answer.memory.phases;
            let own = phases.iter().find(|own| own.name == *phase)?;
            match part {
                [] => own.reserved_gib,
                [part] => named(&own.parts.entries(), part)?,
                _ => return None,
            }
        }
        ["time", "hidden"] => answer.time.hidden_s,
        ["time", "parts", part] => named(&answer.time.parts.entries(), part)?,
        ["time", phase, part @ ..] => {
            let own = answer.time.phases.iter().find(|own| own.name == *phase)?;
            match part {
                [] => own.s,
                [part] => named(&own.parts.entries(), part)?,
                _ => return None,
            }
        }
        ["interval", kind, side] => {
            let interval = answer.interval?;
            let end = usize::from(*side == "high");
            match *kind {
                "tokens_per_s_per_gpu" => interval.tokens_per_s_per_gpu[end],
                "peak_gib" => interval.peak_gib[end],
                _ => {
                    let speed = answer.tokens_per_s_per_gpu;
                    answer.usd_per_mtok? * speed / interval.tokens_per_s_per_gpu[1 - end]
                }
            }
        }
        ["limits", kind, name] => {
            let limits = &answer.memory.limits;
            let own = limits.iter().find(|own| own.offload == (*kind == "offload"))?;
            match *name {
                "gpu_memory_utilization" => own.gpu_memory_utilization?,
                phase => {
                    let budgets = &own.max_tokens_per_gpu;
                    budgets.iter().find(|own| own.phase == phase)?.tokens? as f64
                }
            }
        }
        _ => return None,
    })
}

/// A figure of a whole run.
fn of_run(own: &RunOperations, name: &str) -> Option<f64> {
    Some(match name {
        "mtbf" => own.mtbf_hours?,
        "write" => own.saving?.write_s,
        "pause" => own.saving?.pause_s,
        "best_interval" => own.saving?.best_interval_s?,
        "hours" => own.expected?.hours,
        "usd" => own.expected?.usd?,
        "goodput" => own.expected?.goodput,
        "failures" => own.expected?.failures,
        "energy" => own.expected?.energy_kwh?,
        "emissions" => own.expected?.co2_kg?,
        part => {
            let parts = own.expected?.hours_of.entries();
            parts.iter().find(|(name, _)| *name == part)?.1
        }
    })
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1e-9)
}

/// Explanations in both languages of each figure: they come to the figure, and say the same.
pub(super) fn check(found: &Evaluated) {
    let all = figures(found);
    let known: BTreeSet<&str> = all.iter().map(String::as_str).collect();
    assert_eq!(known.len(), all.len(), "a figure is listed twice");
    for figure in &all {
        let [en, zh] = [Language::En, Language::Zh]
            .map(|language| explain(found, figure, language).unwrap_or_else(|| panic!("{figure}: not explained")));
        check_one(found, &en, &known);
        check_opened(found, &en);
        check_one(found, &zh, &known);
        check_languages(&en, &zh);
    }
    assert!(explain(found, "memory.train.nothing", Language::En).is_none());
    assert!(explain(found, "", Language::En).is_none());
}

fn check_one(found: &Evaluated, own: &Explanation, known: &BTreeSet<&str>) {
    let figure = &own.figure;
    if let Some(value) = answered(found, figure) {
        // A difference of numbers that are nearly the same.
        let near = close(own.value, value) || (own.value - value).abs() < 1e-6 * own_scale(own);
        assert!(near, "{figure}: {} is not {value}: {}", own.value, own.put_in);
    }
    let (numbers, shown) = own.put_in.rsplit_once(" = ").unwrap();
    assert_eq!(shown, own.shown, "{figure}");
    assert!(put_in::comes_to(numbers, shown), "{figure}: {} does not come to {}", own.put_in, own.shown);
    assert!(entry(own.method).is_some(), "{figure}: {}", own.method);
    assert!(!own.sources.is_empty(), "{figure} has no source");
    assert!(own.sources.iter().all(|source| source.url.starts_with("https://")));
    let symbols: BTreeSet<&str> = own.terms.iter().map(|term| term.symbol.as_str()).collect();
    assert_eq!(symbols.len(), own.terms.len(), "{figure}: {}", own.formula);
    for term in &own.terms {
        assert!(own.formula.contains(&term.symbol), "{figure}: {} {}", own.formula, term.symbol);
        assert!(!term.meaning.is_empty());
        if let Some(part) = &term.figure {
            assert!(known.contains(part.as_str()), "{figure}: {part} is no figure");
        }
    }
    let text = serde_json::to_string(own).unwrap();
    assert!(!text.contains("NaN") && !text.contains("null"), "{text}");
}

/// A term that can be opened is the figure that it opens into.
fn check_opened(found: &Evaluated, own: &Explanation) {
    for term in &own.terms {
        let Some(figure) = &term.figure else { continue };
        let opened = explain(found, figure, Language::En).unwrap();
        let scale = match opened.shown.rsplit_once(' ') {
            Some((_, "GiB")) => 1_073_741_824.0,
            Some((_, "TFLOPS")) => 1e12,
            _ => 1.0,
        };
        let (term, value) = (put_in::value(&term.value).unwrap(), opened.value * scale);
        let near = (term - value).abs() <= 6e-4 * value.abs();
        assert!(near, "{}: {term} is not {figure}, {value}", own.figure);
    }
}

/// The largest term, beside which a rounding is nothing.
fn own_scale(own: &Explanation) -> f64 {
    let value = |text: &str| put_in::value(text).unwrap_or_default().abs();
    let unit = put_in::value(&own.shown).unwrap_or_default().abs() / own.value.abs().max(1e-300);
    let largest = own.terms.iter().map(|term| value(&term.value));
    largest.fold(0.0, f64::max) / unit.max(1e-300)
}

fn check_languages(en: &Explanation, zh: &Explanation) {
    assert_eq!((&en.formula, &en.put_in), (&zh.formula, &zh.put_in));
    assert_eq!(en.notes.len(), zh.notes.len(), "{}", en.figure);
    assert_eq!(en.error.is_empty(), zh.error.is_empty(), "{}", en.figure);
    let chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    for (one, other) in en.terms.iter().zip(&zh.terms) {
        assert!(!chinese(&one.meaning), "{}", one.meaning);
        let same = one.meaning == other.meaning;
        assert!(chinese(&other.meaning) || same, "{}", other.meaning);
    }
    for (one, other) in en.notes.iter().zip(&zh.notes) {
        assert!(!chinese(one) && chinese(other), "{one} / {other}");
    }
    assert!(!chinese(&en.title) && !chinese(&en.error));
}

#[track_caller]
fn evaluated(question: &Question) -> Evaluated {
    evaluate_alone(question).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_figure_of_a_preset_is_explained() {
    for preset in presets() {
        check(&evaluated(&preset.question().unwrap()));
    }
}

/// The verdict counts less than the phase that decides it holds: who asks how that comes about is told.
#[test]
fn what_the_verdict_counts_of_a_phase_is_said() {
    let question = presets().iter().find_map(|own| own.question()).unwrap();
    let found = evaluated(&question);
    let fit = &found.answer.fit;
    for (language, says) in [(Language::En, "an allocator gives back"), (Language::Zh, "分配器会交还")] {
        let said = |phase: &str| {
            let own = explain(&found, &format!("memory.{phase}"), language).unwrap();
            own.notes
                .iter()
                .any(|note| note.contains(says) && note.contains(&format!("{:.1}", fit.needed_gib)))
        };
        for phase in &found.answer.memory.phases {
            assert_eq!(said(phase.name), phase.name == fit.phase, "{} {}", phase.name, fit.phase);
        }
    }
}

#[test]
fn every_figure_of_the_recorded_questions_is_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut questions = 0;
    for path in paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")) {
        if path.to_string_lossy().ends_with(".answer.json") {
            continue;
        }
        let question: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        check(&evaluated(&question_from_value(question).unwrap()));
        questions += 1;
    }
    assert!(questions > 10);
}

#[test]
fn calibrated_figures_are_explained() {
    for preset in presets() {
        let mut question = serde_json::to_value(preset.question().unwrap()).unwrap();
        question["calibration"] = serde_json::json!({"time": 1.12, "memory": 0.93});
        check(&evaluated(&question_from_value(question).unwrap()));
    }
}

/// Pipelines in each order, with activations kept and computed again.
#[test]
fn figures_of_pipelines_are_explained() {
    let mut held = 0;
    for schedule in PipelineSchedule::WORDS {
        for recompute in ["none", "full"] {
            let question = serde_json::json!({"version": 1, "model": "llama-3.1-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
                "workload": {"kind": "pretrain", "sequence_length": 4096, "global_batch": 64},
                "plan": {"backend": "fsdp", "tensor_parallel": 1, "context_parallel": 1, "pipeline_parallel": 4, "zero_stage": 2,
                    "pipeline_schedule": schedule, "micro_batch": 1, "recompute": recompute}});
            let found = evaluated(&question_from_value(question).unwrap());
            check(&found);
            let activations = explain(&found, "memory.train.activations", Language::En).unwrap();
            held += usize::from(activations.terms.iter().any(|term| term.symbol == "between"));
        }
    }
    assert!((3..=6).contains(&held), "{held}");
}

/// A run with what it meets beside its steps: defaults, spot instances, everything stated, hardly any failure.
#[test]
fn figures_of_a_whole_run_are_explained() {
    let all = [
        serde_json::json!({}),
        serde_json::json!({"startup_s": 0, "interruptions_per_instance_hour": 0.05, "failures": {"on": false},
            "evaluation": {"every_steps": 1, "seconds": 30}, "power": {"board_w": 500}}),
        serde_json::json!({"checkpoint": {"asynchronous": true, "every_minutes": 20, "storage_gb_per_s": 0.7},
            "evaluation": {"share": 0.04}, "failures": {"mtbf_gpu_hours": 9000}, "interruptions_per_instance_hour": 0.01}),
        serde_json::json!({"checkpoint": {"on": false}, "failures": {"mtbf_gpu_hours": 1e9}}),
        serde_json::json!({"checkpoint": {"storage_gb_per_s": 0.001}, "failures": {"mtbf_gpu_hours": 1}}),
    ];
    let mut explained = BTreeSet::new();
    for preset in presets() {
        for operations in &all {
            let mut question = serde_json::to_value(preset.question().unwrap()).unwrap();
            if question["workload"]["kind"] == "rollout" {
                continue;
            }
            if question["workload"]["run"].is_null() && question["workload"]["tokens"].is_null() {
                question["workload"]["run"] = serde_json::json!({"steps": 3000});
            }
            question["operations"] = operations.clone();
            let found = evaluated(&question_from_value(question).unwrap());
            check(&found);
            explained.extend(
                figures(&found)
                    .into_iter()
                    .filter(|figure| figure.starts_with("run.operations")),
            );
        }
    }
    assert_eq!(explained.len(), 16, "{explained:?}");
}

/// What is stated of one's own machines, and what is usual.
#[test]
fn the_price_of_own_machines_is_explained_by_what_it_is_made_of() {
    for (owned, formula) in [
        (
            serde_json::json!({"usd_per_gpu": 15_000, "years": 4, "watts": 650.5}),
            "$/h = cost ÷ (years × 8,766 × used) + W × PUE × kWh ÷ 1,000",
        ),
        (
            serde_json::json!({"usd_per_gpu": 15_000, "utilization": 0.5, "usd_per_kwh": 0}),
            "$/h = cost ÷ (years × 8,766 × used) + board × node × utilization × PUE × kWh ÷ 1,000",
        ),
    ] {
        for preset in presets() {
            let mut question = serde_json::to_value(preset.question().unwrap()).unwrap();
            question["hardware"] =
                serde_json::json!({"gpu": "a100-sxm-80g", "gpus": question["hardware"]["gpus"], "owned": owned});
            let Ok(found) = evaluate_alone(&question_from_value(question).unwrap()) else { continue };
            check(&found);
            let own = explain(&found, "usd_per_gpu_hour", Language::En).unwrap();
            assert_eq!((own.method, own.formula.as_str()), ("own-machines", formula));
        }
    }
}

proptest! {
    #![proptest_config(questions::cases(400))]

    #[test]
    fn every_figure_of_random_questions_is_explained(Asked(question) in questions::question(Plan::Complete)) {
        if let Ok(found) = evaluate_alone(&question) {
            check(&found);
        }
    }
}

#[test]
fn every_formula_has_a_source_and_two_languages() {
    let mut ids = BTreeSet::new();
    for group in groups() {
        assert!(!group.entries.is_empty(), "{}", group.id);
        assert!(ids.insert(group.id), "{} is there twice", group.id);
        for entry in group.entries {
            let id = entry.id;
            let [en, zh] = [Language::En, Language::Zh].map(|language| Formula::of(entry, words::of(language)));
            assert!(ids.insert(id), "{id} is there twice");
            assert!(!entry.citations.is_empty(), "{id} cites nothing");
            for citation in entry.citations {
                assert!(citation.url.starts_with("https://") && citation.name.len() > 3, "{id}");
            }
            let chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
            assert!(chinese(zh.text) && !chinese(en.text), "{id}");
            assert!(en.text.ends_with(['.', ')', ':']), "{id}: {}", en.text);
            let words = ["or", "with", "else", "of", "over", "that", "than", "legal"];
            let english = |word: &str| words.contains(&word);
            let mut said = zh.formula.split(|c: char| !c.is_ascii_alphabetic());
            assert!(!said.any(english), "{id}: {}", zh.formula);
            for (place, term) in entry.terms.iter().enumerate() {
                assert!(zh.formula.contains(term.symbol), "{id}: {}", term.symbol);
                assert!(entry.formula.contains(term.symbol), "{id}: {}", term.symbol);
                assert!(chinese(zh.meanings[place]) && !chinese(en.meanings[place]), "{id}: {}", term.symbol);
            }
            assert!(id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{id}");
        }
    }
}

#[test]
fn every_formula_names_code_and_constants_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let efficiency = fs::read_to_string(root.join("catalog/data/efficiency.toml")).unwrap();
    for entry in groups().iter().flat_map(|group| group.entries) {
        let path = root.join("..").join(entry.code.path);
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", entry.code.path));
        let line = text.lines().nth(entry.code.line as usize - 1).unwrap();
        assert!(line.contains(entry.code.item), "{}: {line}", entry.id);
        for constant in entry.constants {
            let basis = serde_json::to_string(constant.basis).unwrap();
            assert!(efficiency.contains(&basis), "{}: {basis}", entry.id);
        }
    }
}

#[test]
fn errors_are_those_on_record() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("../public/accuracy.json")).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    let figures = record["figures"].as_array().unwrap();
    for own in measured() {
        let case = if own.left_out { "left_out" } else { "predicted" };
        let same = figures.iter().find(|figure| {
            figure["kind"] == own.of && figure["by"] == own.by && figure["name"] == own.name && figure["case"] == case
        });
        let same = same.unwrap_or_else(|| panic!("{own:?}"));
        assert_eq!(same["median"].as_f64(), Some(own.median));
        assert_eq!(same["runs"].as_u64(), Some(own.runs as u64));
    }
    for entry in groups().iter().flat_map(|group| group.entries) {
        let said = [Language::En, Language::Zh].map(|language| error_of(entry.error, language));
        assert_eq!(said[0].is_empty(), said[1].is_empty());
        assert!(said[0].is_empty() || said[0].contains(" %"), "{}", said[0]);
    }
}

/// A table with one entry, changed by `change`, as the build reads it.
fn compiled(name: &str, change: (&str, &str)) -> Result<String, Vec<String>> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(root.join("explain/methods")).unwrap();
    fs::create_dir_all(root.join("engine/src")).unwrap();
    fs::create_dir_all(root.join("catalog/data")).unwrap();
    let fitted = "[engine]\nbasis = \"a run\"\n";
    fs::write(root.join("catalog/data/efficiency.toml"), fitted).unwrap();
    let code = "/// Twice `x`, as arXiv:2205.05198 says.\n///\n/// # Panics\n/// Never.\n#[must_use]\npub fn twice(x: f64) -> f64 {}\n";
    fs::write(root.join("engine/src/own.rs"), code).unwrap();
    let entry = r#"order = 1
id = "own"
title = "Own"
[[entry]]
id = "twice"
title = "Twice"
formula = "2 × x"
terms = [["x", "", "a number"]]
code = "engine/src/own.rs#twice"
cites = [["Korthikanti et al. 2022", "https://arxiv.org/abs/2205.05198"]]
"#;
    let (from, to) = change;
    assert!(entry.contains(from));
    fs::write(root.join("explain/methods/own.toml"), entry.replace(from, to)).unwrap();
    build::literal(&root).map(|(text, _)| text)
}

#[test]
fn the_build_takes_the_doc_comment_and_refuses_what_is_not_there() {
    let text = compiled("whole", ("", "")).unwrap();
    assert!(text.contains("\"Twice x, as arXiv:2205.05198 says.\""), "{text}");
    assert!(text.contains("path: \"core/engine/src/own.rs\", item: \"twice\", line: 6"), "{text}");
    for (name, change, said) in [
        ("item", ("own.rs#twice", "own.rs#thrice"), "own.rs has no thrice"),
        ("file", ("own.rs#twice", "other.rs#twice"), "other.rs"),
        ("scheme", ("https://", "http://"), "no https address"),
        ("paper", ("2205.05198\"", "1234.56789\""), "does not cite arXiv:1234.56789"),
        ("words", ("a number", " "), "a word is empty"),
        ("fitted", ("cites", "constants = [\"engine\", \"luck\"]\ncites"), "no luck"),
        ("error", ("cites", "error = \"luck\"\ncites"), "luck is none of"),
        ("cites", ("[[\"Korthikanti et al. 2022\", \"https://arxiv.org/abs/2205.05198\"]]", "[]"), "cites:"),
    ] {
        let problems = compiled(name, change).unwrap_err().join("\n");
        assert!(problems.contains(said), "{name}: {problems}");
        assert!(problems.starts_with("methods/own: twice: "), "{problems}");
    }
}
