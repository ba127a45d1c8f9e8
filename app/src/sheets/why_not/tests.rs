use super::{Asked, MOST, NOTICEABLE, Question, Scene, sheet};
use crate::protocol::blocks::{Action, Block, Cell, Row, Run, Stands};
use crate::sheets::asked::Ask;
use crate::text::Lang;
use serde_json::{Map, Value, json};
use shardwise_core::wire::to_value;
use shardwise_core::{evaluate_alone, permalink, presets};

/// Where the layouts beside a question's plan are from, and what they are; in alphabetical order.
fn beside(question: &Value) -> Vec<String> {
    let asked = Asked::of(question.clone());
    let scene = Scene::of(&asked, Lang::En);
    let told = scene.rivals.iter().map(|own| {
        let [layout, _] = scene.told(&own.found, &[]);
        format!("{}: {layout}", own.from).replace('\u{a0}', " ")
    });
    let mut told: Vec<String> = told.collect();
    told.sort_unstable();
    told
}

fn grpo() -> Value {
    json!({"version": 1, "model": "qwen3-8b", "framework": "verl", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "grpo", "rl": {"prompts_per_step": 512, "responses_per_prompt": 8,
            "max_prompt_length": 1024, "max_response_length": 3072}}})
}

fn trained(model: &str, kind: &str, framework: &str, gpus: u32) -> Value {
    let framework = if framework.is_empty() { Value::Null } else { framework.into() };
    json!({"version": 1, "model": model, "framework": framework, "hardware": {"gpu": "h100-sxm", "gpus": gpus},
        "workload": {"kind": kind, "sequence_length": 4096, "global_batch": 256}})
}

#[test]
fn layouts_are_those_that_the_books_have_for_such_a_job() {
    // veRL's guide recomputes, its recipe is for Megatron, its default shares the memory by half.
    let found = beside(&grpo());
    assert_eq!(
        found,
        ["veRL default: FSDP · DP 8", "veRL guide: FSDP · DP 8", "veRL recipe: Megatron · TP 2 · PP 2 · DP 2"]
    );
    // Experts over the node; without a word Megatron splits nothing.
    let found = beside(&trained("qwen3-30b-a3b", "pretrain", "megatron-lm", 64));
    assert_eq!(found, ["Megatron-LM default: Megatron · DP 64", "Megatron-LM guide: Megatron · PP 2 · EP 8 · DP 32"]);
    // Of a model without experts the matrices are.
    let found = beside(&trained("llama-3.1-8b", "pretrain", "megatron-lm", 64));
    assert_eq!(found, ["Megatron-LM default: Megatron · DP 64", "Megatron-LM paper: Megatron · TP 8 · DP 8"]);
    // DeepSpeed shards nothing unless it is told to; LLMForge moves everything out.
    let found = beside(&trained("llama-3.1-8b", "sft", "deepspeed", 8));
    assert_eq!(found, ["DeepSpeed default: DeepSpeed · DP 8", "LLMForge guide: DeepSpeed · DP 8"]);
    let found = beside(&trained("llama-3.1-70b", "lora", "", 8));
    assert_eq!(found, ["LLMForge guide: DeepSpeed · DP 8", "Megatron-Bridge recipe: Megatron · TP 8 · DP 1"]);
    // What only generates has no layout that a book speaks of.
    let generates = json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "rollout",
            "rollout": {"requests": 1024, "mean_prompt_length": 512, "mean_response_length": 1024}}});
    assert!(beside(&generates).is_empty());
}

/// What the search gives up at most for a simpler plan, and where its climb ends beside the best start (ARCHITECTURE.md).
const GIVEN_UP: f64 = 0.015;

/// What the search chose is beaten by no layout that is as sure to fit: the page shows both.
#[test]
fn no_textbook_beats_what_the_search_chose() {
    let mut compared = 0;
    for preset in presets::presets().iter().filter_map(presets::Preset::question) {
        let question = Question { plan: None, ..preset };
        let asked = Asked::of(to_value(&question));
        let now = &asked.found.answer;
        for rival in Scene::of(&asked, Lang::En).rivals {
            let own = &rival.found.answer;
            let is_as_good = now.fits && now.step_time_s * (1.0 - GIVEN_UP) <= own.step_time_s;
            assert!(
                is_as_good || !own.fits,
                "{}: {} s and {} s, {:?} and {:?}: {:?}",
                rival.from,
                now.step_time_s,
                own.step_time_s,
                now.fit,
                own.fit,
                (&now.plan, &own.plan)
            );
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

/// Each is a question by itself, keeps what it states whatever was pinned, and differs from the plan.
#[test]
fn what_is_pinned_gives_way_and_the_plan_is_no_layout_beside_itself() {
    let mut question = grpo();
    question["plan"] = json!({"backend": "fsdp", "recompute": "none", "max_tokens_per_gpu": 16384,
        "rollout": {"engine": "sglang", "tensor_parallel": 2}});
    let pinned = Asked::of(question);
    let scene = Scene::of(&pinned, Lang::En);
    assert_eq!(scene.rivals.len(), MOST);
    for own in &scene.rivals {
        assert!(own.source.starts_with("https://"), "{}", own.source);
        assert_ne!(own.found.answer.plan, pinned.found.answer.plan, "{}", own.from);
        let plan = own.question.plan.clone().unwrap_or_default();
        assert_eq!(plan.max_tokens_per_gpu, None, "{}", own.from);
        let engine = plan.rollout.and_then(|own| own.engine).map(|own| own.as_str());
        assert_eq!(engine, Some("sglang"), "{}", own.from);
        // Used, it is the plan.
        let used = Asked::of(to_value(&own.question));
        let again = Scene::of(&used, Lang::En);
        assert!(again.rivals.iter().all(|other| other.from != own.from), "{}", own.from);
    }
}

fn rows(block: &Block) -> (String, Vec<Row>, Vec<Row>) {
    let Block::Section(section) = block else { panic!("a section") };
    let [Block::Prose(take), Block::Table(table), Block::Fold(fold), _] = section.blocks.as_slice() else {
        panic!("{:?}", section.blocks)
    };
    let [Block::Table(parts)] = fold.blocks.as_slice() else { panic!("{:?}", fold.blocks) };
    let all = |groups: &[(String, Vec<Row>)]| groups.iter().flat_map(|(_, rows)| rows.clone()).collect();
    (json!(take.line).to_string(), all(&table.groups), all(&parts.groups))
}

fn number(cell: &Cell) -> f64 {
    let text = match cell.line.first() {
        Some(Run::Words(text)) => text.replace(',', "").replace('−', "-"),
        _ => String::new(),
    };
    text.parse().unwrap_or(0.0)
}

#[test]
fn each_row_says_what_it_takes_and_where_and_can_be_used() {
    let asked = Asked::of(grpo());
    for lang in [Lang::En, Lang::Zh] {
        let block = sheet(&asked, &Ask { lang, width: 0, state: Map::new() });
        let text = json!(block).to_string();
        assert!(!text.contains("NaN") && !text.contains("inf ") && !text.contains("undefined"), "{text}");
        let (take, all, parts) = rows(&block);
        assert_eq!(all.len(), MOST + 1);
        let steps: Vec<f64> = all.iter().map(|row| number(&row.cells[2])).collect();
        let least = steps[1..].iter().copied().fold(f64::INFINITY, f64::min) - steps[0];
        // To a tenth there, and to whole seconds in the rows.
        let said = take
            .split(|at: char| !at.is_ascii_digit() && at != '.')
            .find_map(|word| word.parse::<f64>().ok());
        assert!(said.is_some_and(|said| (said - least).abs() <= 1.0), "{least} {take}");
        assert_eq!(all[0].stands, Stands::Own);
        for (place, row) in all.iter().enumerate().skip(1) {
            let Some(Run::Press(button)) = row.cells[6].line.first() else { panic!("{row:?}") };
            let [Action::Ask(hash)] = button.actions.as_slice() else { panic!("{button:?}") };
            let question = permalink::from_hash(hash).unwrap_or_else(|error| panic!("{error}"));
            let found = evaluate_alone(&question).unwrap_or_else(|error| panic!("{error}"));
            let step = number(&row.cells[2]);
            assert!((found.answer.step_time_s / step - 1.0).abs() < NOTICEABLE, "{row:?}");
            // The parts add up to the step.
            let (sum, shown) = parts.split_last().unwrap_or_else(|| panic!("{parts:?}"));
            let added: f64 = shown.iter().map(|own| number(&own.cells[place + 1])).sum();
            assert!((added / step - 1.0).abs() < NOTICEABLE, "{added} {step}");
            assert_eq!(sum.cells[place + 1].line.len(), 1);
        }
    }
}
