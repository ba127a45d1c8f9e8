//! Random questions for the tests: valid for the most part, so that answers are tested and not only refusals.

use std::fmt;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use serde_json::{Map, Value, json};
use shardwise_core::catalog::Offer;
use shardwise_core::task::{Preference, Task};
use shardwise_core::wire::{Question, WorkloadKind, question_from_value};
use shardwise_core::{belonging, catalog};

/// The same questions in every run.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() }
}

/// How much of the plan a random question decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Every field that the search would choose.
    Complete,
    /// Any.
    Partial,
}

const SPLITS: [u64; 8] = [1, 1, 1, 1, 2, 2, 4, 8];

fn one_of<T: Into<Value> + Clone + std::fmt::Debug + 'static>(values: Vec<T>) -> BoxedStrategy<Value> {
    select(values).prop_map(Into::into).boxed()
}

/// Four digits after the point: as people type numbers, and as a JSON reader surely keeps them.
pub(crate) fn typed(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

fn number(values: std::ops::Range<f64>) -> BoxedStrategy<Value> {
    values.prop_map(|value| Value::from(typed(value))).boxed()
}

fn splits() -> BoxedStrategy<Value> {
    one_of(SPLITS.to_vec())
}

/// The value with a probability of `present`, which may be 1.
fn maybe(value: BoxedStrategy<Value>, present: f64) -> BoxedStrategy<Option<Value>> {
    (value, 0.0..1.0_f64)
        .prop_map(move |(value, chance)| (chance < present).then_some(value))
        .boxed()
}

/// An object with each of the fields present with the given probability.
fn some(fields: Vec<(&'static str, BoxedStrategy<Value>)>, present: f64) -> BoxedStrategy<Map<String, Value>> {
    let fields: Vec<_> = fields
        .into_iter()
        .map(|(key, value)| maybe(value, present).prop_map(move |value| Some((key.to_owned(), value?))))
        .collect();
    fields.prop_map(|fields| fields.into_iter().flatten().collect()).boxed()
}

/// A model as an object with normalised keys: dense or with experts.
fn model_object() -> BoxedStrategy<Value> {
    let sizes =
        (select(vec![4_u64, 8, 16, 32, 64]), select(vec![64_u64, 96, 128]), 1..100_u64, select(vec![1_u64, 2, 4]));
    let rest = (1000..300_000_u64, any::<bool>(), select(vec![0_u64, 0, 8, 64]), 1..5_u64);
    (sizes, rest)
        .prop_map(|((heads, width, layers, group), (vocabulary, tied, experts, visits))| {
            let hidden = heads * width;
            let mut model = json!({"hidden_size": hidden, "intermediate_size": 3 * hidden, "num_hidden_layers": layers,
                "num_attention_heads": heads, "num_key_value_heads": heads / group, "vocab_size": vocabulary,
                "tie_word_embeddings": tied});
            if experts > 0 {
                model["num_experts"] = json!(experts);
                model["num_experts_per_tok"] = json!(visits);
                model["moe_intermediate_size"] = json!(hidden / 2);
            }
            model
        })
        .boxed()
}

/// A catalog model's id, or an object.
pub(crate) fn model() -> BoxedStrategy<Value> {
    let ids: Vec<&str> = catalog::models().iter().map(|model| model.id).collect();
    prop_oneof![6 => one_of(ids), 1 => model_object()].boxed()
}

/// A catalog GPU's id, or an object.
pub(crate) fn gpu() -> BoxedStrategy<Value> {
    let ids: Vec<&str> = catalog::gpus().iter().map(|gpu| gpu.id).collect();
    let object = (20.0..400.0_f64, 300.0..9000.0_f64, 20.0..5000.0_f64, select(vec![0.0, 100.0, 450.0])).prop_map(
        |(memory, bandwidth, peak, nvlink)| {
            json!({"memory_gib": typed(memory), "hbm_gb_per_s": typed(bandwidth), "bf16_dense_tflops": typed(peak),
                "nvlink_gb_per_s": nvlink})
        },
    );
    prop_oneof![8 => one_of(ids), 1 => object].boxed()
}

/// Where some of the machines that nothing else is stated of are rented, by what else is drawn: a whole market, a part of
/// one, or an offer.
fn rented(gpu: &Value, gpus: u64) -> Option<(String, Value)> {
    let id = gpu.as_str()?;
    let of_it = |offer: &&Offer| offer.gpu().is_some_and(|own| own.id == id) && gpus.is_multiple_of(offer.gpus.into());
    let market = |market: Value| Some(("market".to_owned(), market));
    match (id.len() as u64 + gpus) % 5 {
        0 => market(json!({})),
        1 => market(json!({"providers": ["aws", "RunPod", "Vast.ai"], "regions": ["us", "Global"],
            "kinds": ["spot", "market", "on-demand"], "newest": "2025-01-01"})),
        2 => catalog::offers()
            .iter()
            .rfind(of_it)
            .map(|own| ("offer".to_owned(), json!(own.id()))),
        _ => None,
    }
}

/// Makes a stated price beside a stated node what one's own machine costs. Nothing is drawn, as above.
fn own_machines(hardware: &mut Map<String, Value>) {
    if !hardware.contains_key("gpus_per_node") {
        return;
    }
    let Some(usd) = hardware.remove("usd_per_gpu_hour").and_then(|usd| usd.as_f64()) else {
        return;
    };
    let mut owned = json!({"usd_per_gpu": typed(usd * 1000.0)});
    if usd > 10.0 {
        owned["utilization"] = json!(typed(usd / 20.0));
        owned["usd_per_kwh"] = json!(typed(usd / 100.0));
    }
    let rated = hardware["gpu"].as_str().and_then(catalog::gpu).and_then(|gpu| gpu.board_w);
    if rated.is_none() {
        owned["watts"] = json!(500);
    }
    hardware.insert("owned".into(), owned);
}

fn hardware() -> BoxedStrategy<Value> {
    let gpus = prop_oneof![6 => select(vec![1_u64, 2, 4, 8, 16, 32, 64, 256, 1024]), 1 => 1..100_u64];
    let rest = some(
        vec![
            ("gpus_per_node", one_of(vec![1_u64, 4, 8, 16])),
            ("internode_gbit_per_s_per_gpu", number(1.0..1000.0)),
            ("usd_per_gpu_hour", number(0.0..20.0)),
        ],
        0.3,
    );
    (gpu(), gpus, rest)
        .prop_map(|(gpu, gpus, mut rest)| {
            // Drawn with the size of the node: another draw would be other questions throughout.
            if let Some(size) = rest.get("gpus_per_node").and_then(Value::as_u64) {
                rest.insert("host_ram_gib".into(), json!(size * 100));
            }
            if rest.is_empty() {
                rest.extend(rented(&gpu, gpus));
            }
            rest.insert("gpu".into(), gpu);
            rest.insert("gpus".into(), json!(gpus));
            own_machines(&mut rest);
            Value::Object(rest)
        })
        .boxed()
}

fn rl() -> BoxedStrategy<Value> {
    let lengths = (1..8192_u64, 1..32768_u64, 0.05..1.0_f64, 0.05..1.0_f64);
    let rest = some(
        vec![
            ("responses_per_prompt", one_of(vec![1_u64, 5, 8, 16])),
            ("response_length_cv", number(0.0..2.0)),
            ("epochs", one_of(vec![1_u64, 2, 4])),
            ("reference", one_of(vec![true, false])),
            ("reward_model", model()),
            ("critic", model()),
            ("schedule", one_of(vec!["colocated", "split", "one_step_off", "fully_async"])),
        ],
        0.3,
    );
    (lengths, 1..2048_u64, 1..4_u64, rest, any::<bool>())
        .prop_map(|((prompt, response, prompt_share, response_share), prompts, minis, mut rest, means)| {
            rest.insert("prompts_per_step".into(), json!(prompts));
            rest.insert("max_prompt_length".into(), json!(prompt));
            rest.insert("max_response_length".into(), json!(response));
            rest.insert("mini_batch".into(), json!(prompts.div_ceil(minis)));
            if means {
                rest.insert("mean_prompt_length".into(), json!(typed(prompt as f64 * prompt_share).max(1.0)));
                rest.insert("mean_response_length".into(), json!(typed(response as f64 * response_share).max(1.0)));
            }
            json!({"rl": rest})
        })
        .boxed()
}

fn generation() -> BoxedStrategy<Value> {
    (1..100_000_u64, 1.0..8192.0_f64, 1.0..8192.0_f64, 0.0..2.0_f64)
        .prop_map(|(requests, prompt, response, cv)| {
            json!({"rollout": {"requests": requests, "mean_prompt_length": typed(prompt),
                "mean_response_length": typed(response), "response_length_cv": typed(cv)}})
        })
        .boxed()
}

fn sequences() -> BoxedStrategy<Value> {
    let lengths = prop_oneof![select(vec![512_u64, 2048, 4096, 32768, 131_072]), 1..20_000_u64];
    (lengths, 1..4096_u64, proptest::option::of(0.05..1.0_f64))
        .prop_map(|(length, batch, mean)| {
            let mut own = json!({"sequence_length": length, "global_batch": batch});
            if let Some(share) = mean {
                own["mean_sequence_length"] = json!(typed(length as f64 * share).max(1.0));
            }
            own
        })
        .boxed()
}

/// A task: of algorithms of RL, and of what learns from preferences, which are many and alike, about as often one as of
/// the others.
pub(crate) fn kind() -> BoxedStrategy<&'static str> {
    let of = |task: fn(Task) -> bool| -> Vec<&str> {
        WorkloadKind::ALL
            .into_iter()
            .filter(|kind| task(kind.task()))
            .map(|kind| kind.as_str())
            .collect()
    };
    let rl = of(|task| matches!(task, Task::Rl(_)));
    let preferences = of(|task| matches!(task, Task::Prefer(_)));
    let others = of(|task| matches!(task, Task::Train | Task::Generate));
    prop_oneof![5 => select(others), 4 => select(rl), 2 => select(preferences)].boxed()
}

fn workload_of(kind: &'static str) -> BoxedStrategy<Value> {
    let shared = some(
        vec![
            ("packing", one_of(vec![true, false])),
            ("precision", one_of(vec!["bf16", "fp16", "fp8", "mxfp8", "nvfp4"])),
            (
                "tokens",
                (1..10_000_000_000_000_u64)
                    .prop_map(|tokens| Value::from(tokens as f64))
                    .boxed(),
            ),
        ],
        0.3,
    );
    let task = WorkloadKind::of(kind).unwrap();
    let own = match kind {
        "rollout" => generation(),
        _ if task.algorithm().is_some() => rl(),
        _ => sequences(),
    };
    let preferences = task.preference();
    let mut adapters =
        vec![("rank", one_of(vec![1_u64, 16, 256])), ("targets", one_of(vec!["attention", "all-linear"]))];
    if preferences.is_some() {
        adapters.push(("load_in_4bit", one_of(vec![true, false])));
    }
    let lora = some(adapters, 0.5);
    let adapters = preferences.is_some() || matches!(kind, "lora" | "qlora" | "grpo");
    (own, shared, proptest::option::of(lora), any::<bool>())
        .prop_map(move |(mut own, shared, lora, before)| {
            own["kind"] = json!(kind);
            if before && preferences.is_some_and(Preference::has_reference) {
                own["precompute_ref_log_probs"] = json!(true);
            }
            if kind == "distill" {
                // Nothing is drawn, as for images.
                let even = own["rl"]["prompts_per_step"].as_u64().is_some_and(|prompts| prompts % 2 == 0);
                own["distillation"] = json!({"teacher": "qwen3-8b", "placement": if even { "pool" } else { "beside" }});
            }
            for (key, value) in shared {
                own[key] = value;
            }
            if let (true, Some(lora)) = (adapters, lora) {
                own["lora"] = Value::Object(lora);
            }
            own
        })
        .boxed()
}

fn recompute() -> BoxedStrategy<Value> {
    let modules = vec!["core_attn", "mlp", "moe", "moe_act", "layernorm", "mla_up_proj", "shared_experts"];
    let selected = proptest::sample::subsequence(modules, 0..=7)
        .prop_map(|modules| json!({"granularity": "selective", "modules": modules}));
    prop_oneof![4 => one_of(vec!["none", "selective", "full"]), 1 => selected].boxed()
}

fn offload() -> BoxedStrategy<Value> {
    any::<[bool; 4]>()
        .prop_map(|[parameters, gradients, optimizer, activations]| {
            json!({"parameters": parameters, "gradients": gradients, "optimizer": optimizer, "activations": activations})
        })
        .boxed()
}

fn engine(plan: Plan) -> BoxedStrategy<Value> {
    let rest = some(
        vec![
            ("engine", one_of(vec!["vllm", "sglang"])),
            ("data_parallel", splits()),
            ("expert_parallel", splits()),
            ("gpu_memory_utilization", number(0.2..1.0)),
            ("max_num_seqs", one_of(vec![1_u64, 256, 1024])),
            ("max_num_batched_tokens", one_of(vec![512_u64, 8192, 65536])),
            ("precision", one_of(vec!["bf16", "fp8"])),
            ("free_cache", one_of(vec![true, false])),
            ("enforce_eager", one_of(vec![true, false])),
        ],
        0.25,
    );
    (rest, splits(), any::<bool>())
        .prop_map(move |(mut rest, tensor, stated)| {
            if plan == Plan::Complete || stated {
                rest.insert("tensor_parallel".into(), tensor);
            }
            Value::Object(rest)
        })
        .boxed()
}

/// Fields that the search would choose: with all of them a plan is complete.
fn decided(present: f64) -> BoxedStrategy<Map<String, Value>> {
    some(
        vec![
            ("backend", one_of(vec!["megatron", "fsdp", "deepspeed", "ddp"])),
            ("tensor_parallel", splits()),
            ("pipeline_parallel", splits()),
            ("context_parallel", one_of(vec![1_u64, 1, 1, 2])),
            ("micro_batch", one_of(vec![1_u64, 2, 4, 16])),
            ("recompute", recompute()),
        ],
        present,
    )
}

fn optional() -> BoxedStrategy<Map<String, Value>> {
    let overlap = one_of(vec![json!({"gradients": true, "parameters": false, "tensor_parallel": true}), json!({})]);
    some(
        vec![
            ("virtual_pipeline", one_of(vec![1_u64, 1, 2, 4])),
            ("ulysses_parallel", one_of(vec![1_u64, 1, 2, 4])),
            ("expert_parallel", splits()),
            ("expert_tensor_parallel", splits()),
            ("sequence_parallel", one_of(vec![true, false])),
            ("zero_stage", one_of(vec![0_u64, 1, 2, 3])),
            ("shard_group", splits()),
            ("offload", offload()),
            ("attention", one_of(vec!["flash", "unfused"])),
            ("fused_lm_head", one_of(vec![true, false])),
            ("overlap", overlap),
            ("master_weights_bytes", number(0.0..8.0)),
            ("gradient_bytes", number(0.0..8.0)),
            ("optimizer_bytes", number(0.0..16.0)),
            ("logit_bytes", number(0.0..20.0)),
        ],
        0.15,
    )
}

/// What DeepSpeed alone has, with the backend and the stage that it takes.
fn deepspeed() -> BoxedStrategy<Map<String, Value>> {
    let own = some(
        vec![
            ("nvme_offload", one_of(vec![true, false])),
            ("offload", offload()),
            ("zero_hpz_partition_size", splits()),
            ("zero_quantized_weights", one_of(vec![true, false])),
            ("zero_quantized_gradients", one_of(vec![true, false])),
        ],
        0.7,
    );
    own.prop_map(|mut own| {
        own.insert("backend".into(), json!("deepspeed"));
        own.insert("zero_stage".into(), json!(3));
        own
    })
    .boxed()
}

/// An optimizer by name, with a backend that has it.
fn optimizer() -> BoxedStrategy<Map<String, Value>> {
    let names = ["adamw_8bit", "paged_adamw", "paged_adamw_8bit", "adafactor", "lion", "lion_8bit", "sgd", "muon"];
    let own = (select(names.to_vec()), select(vec!["fsdp", "ddp", "deepspeed"]), any::<bool>());
    own.prop_map(|(name, backend, megatron)| {
        let has = megatron && matches!(name, "sgd" | "muon");
        let mut own = Map::new();
        own.insert("optimizer".into(), json!(name));
        own.insert("backend".into(), json!(if has { "megatron" } else { backend }));
        own
    })
    .boxed()
}

fn layout(plan: Plan) -> BoxedStrategy<Value> {
    let present = if plan == Plan::Complete { 1.0 } else { 0.3 };
    let deepspeed = proptest::option::weighted(0.1, deepspeed());
    let optimizer = proptest::option::weighted(0.1, optimizer());
    (decided(present), optional(), deepspeed, optimizer, any::<bool>())
        .prop_map(|(mut decided, optional, deepspeed, optimizer, budget)| {
            decided.extend(optional);
            decided.extend(optimizer.into_iter().flatten());
            decided.extend(deepspeed.into_iter().flatten());
            if budget && let Some(micro) = decided.remove("micro_batch") {
                decided.insert("max_tokens_per_gpu".into(), json!(micro.as_u64().unwrap_or(1) * 4096));
            }
            Value::Object(decided)
        })
        .boxed()
}

fn plan(plan: Plan) -> BoxedStrategy<Value> {
    let own = maybe(layout(plan), 0.1);
    (layout(plan), engine(plan), own.clone(), own)
        .prop_map(|(mut layout, rollout, critic, reference)| {
            layout["rollout"] = rollout;
            for (key, own) in [("critic", critic), ("reference", reference)] {
                if let Some(own) = own {
                    layout[key] = own;
                }
            }
            layout
        })
        .boxed()
}

/// A question that a failing test prints as JSON.
#[derive(Clone)]
pub(crate) struct Asked(pub(crate) Question);

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(&self.0).unwrap_or_default())
    }
}

/// Gives a model with a vision tower images, where its lengths have room for them and for others as large. Nothing is drawn: another
/// draw would be other questions throughout.
fn see(question: &mut Value) {
    let entry = question["model"].as_str().and_then(catalog::model);
    let Some(picture) = entry.and_then(|own| own.shape.vision?.picture(336, 280, None)) else {
        return;
    };
    let workload = &mut question["workload"];
    let lengths = ["sequence_length", "mean_sequence_length"].map(|key| workload[key].as_f64());
    let prompts = ["max_prompt_length", "mean_prompt_length"].map(|key| workload["rl"][key].as_f64());
    let generated = [workload["rollout"]["mean_prompt_length"].as_f64()];
    let all = lengths.into_iter().chain(prompts).chain(generated).flatten();
    let shortest = all.fold(f64::INFINITY, f64::min);
    if shortest < 4.0 * picture.tokens {
        return;
    }
    let trains = ["trained", "projector", "frozen"][(shortest as usize) % 3];
    workload["images"] = json!({"width": 336, "height": 280, "per_example": 1.5});
    if workload["kind"] != "rollout"
        && workload.get("lora").is_none()
        && !matches!(workload["kind"].as_str(), Some("lora" | "qlora"))
    {
        workload["images"]["vision_tower"] = json!(trains);
    }
}

/// A question of any kind.
pub(crate) fn question(decided: Plan) -> BoxedStrategy<Asked> {
    let present = if decided == Plan::Complete { 1.0 } else { 0.7 };
    let workload = kind().prop_flat_map(workload_of);
    (model(), hardware(), workload, maybe(plan(decided), present))
        .prop_map(|(model, hardware, workload, plan)| {
            let mut value = json!({"version": 1, "model": model, "hardware": hardware, "workload": workload});
            if let Some(plan) = plan {
                value["plan"] = plan;
            }
            see(&mut value);
            belonging::strip(&mut value);
            Asked(question_from_value(value).unwrap_or_else(|error| panic!("{error}")))
        })
        .boxed()
}
