//! Images: how many tokens they fill, what a vision tower takes, and what its freezing saves.

use serde_json::{Value, json};
use shardwise_core::catalog;
use shardwise_core::estimate;
use shardwise_core::model::{ParameterCounts, model_of_entry};
use shardwise_core::wire::{Answer, put, question_from_value};

use crate::cases;

/// Patches and tokens by the processors of transformers 5.23.0: `smart_resize`, `get_optimal_tiled_canvas` and Llama 4's
/// `find_supported_resolutions` with its choice among them, run on sizes by hand and at random.
const PICTURES: &str = include_str!("data/pictures.csv");

fn answer(question: &Value) -> Answer {
    let asked = question_from_value(question.clone()).unwrap();
    estimate(&asked).unwrap_or_else(|error| panic!("{question}: {error}"))
}

#[test]
fn pictures_are_those_of_the_processors() {
    let mut compared = 0;
    for line in PICTURES.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [model, width, height, most, patches, tokens] = cells[..] else { panic!("{line}") };
        let number = |text: &str| text.parse::<u64>().unwrap();
        let tower = catalog::model(model).unwrap().shape.vision.unwrap();
        let most = (!most.is_empty()).then(|| number(most));
        let own = tower.picture(number(width), number(height), most).unwrap();
        assert_eq!((own.patches, own.tokens), (number(patches) as f64, number(tokens) as f64), "{line}");
        compared += 1;
    }
    assert!(compared > 200, "{compared}");
}

/// Qwen2.5-VL's windows of 8 patches a side: an image of 1036 pixels has 74, which is nine of them and two patches.
#[test]
fn windows_are_cut_at_the_edges() {
    let tower = catalog::model("qwen2.5-vl-7b").unwrap().shape.vision.unwrap();
    let own = tower.picture(1024, 1024, None).unwrap();
    // Merged: 37 = 9 × 4 + 1 a side, of mean piece (9 × 16 + 1) / 37.
    let piece = 145.0 / 37.0;
    assert!((own.seen_in_window - 4.0 * piece * piece).abs() < 1e-9, "{}", own.seen_in_window);
    assert_eq!(own.seen, 5476.0);
    // No other family has windows.
    let other = catalog::model("qwen3-vl-8b").unwrap().shape.vision.unwrap();
    assert_eq!(other.picture(1024, 1024, None).unwrap().seen_in_window, 0.0);
}

#[test]
fn what_no_processor_takes_is_none() {
    let tower = catalog::model("qwen2.5-vl-7b").unwrap().shape.vision.unwrap();
    assert!(tower.picture(9, 100, None).is_none());
    assert!(tower.picture(20, 4001, None).is_none());
    assert!(tower.picture(20, 4000, None).is_some());
}

/// The projector of Qwen2.5-VL-7B: a norm over 1280, 5120 × 5120 and 5120 × 3584 with biases; of `InternVL3.5-8B` a norm over 4096 and
/// two matrices into and within 4096. As the tensors of the checkpoints are named (`visual.merger`, `mlp1`).
#[test]
fn projectors_are_counted_tensor_by_tensor() {
    let of = |id: &str| model_of_entry(catalog::model(id).unwrap()).parameters;
    assert_eq!(of("qwen2.5-vl-7b").projector, 1280 + 5120 * 5120 + 5120 + 5120 * 3584 + 3584);
    assert_eq!(of("internvl3.5-8b").projector, 2 * 4096 + 4096 * 4096 + 4096 + 4096 * 4096 + 4096);
    // Patch embedding, 32 blocks of two norms, attention and a gated MLP, and the projector.
    let block = 2 * 1280 + (4 * 1280 * 1280 + 4 * 1280) + (3 * 1280 * 3420 + 2 * 3420 + 1280);
    assert_eq!(of("qwen2.5-vl-7b").vision, 1176 * 1280 + 32 * block + of("qwen2.5-vl-7b").projector);
    for entry in catalog::models() {
        let counts = ParameterCounts::of(&entry.shape);
        assert_eq!(counts.projector > 0, entry.shape.vision.is_some(), "{}", entry.id);
        assert!(counts.projector <= counts.vision, "{}", entry.id);
    }
}

/// Of one image of Qwen2.5-VL-7B, by hand: operations of the matrices, of attention, of the merger.
#[test]
fn the_work_of_an_image_is_what_its_matrices_ask_for() {
    let mut question = cases::question("images-sequences");
    let tokens = 64.0 * 2048.0;
    let frozen = answer(&question).model_tflops_per_gpu * answer(&question).step_time_s * 8e12;
    let without = {
        put(&mut question, "workload.images.per_example", json!(0.0));
        let own = answer(&question);
        own.model_tflops_per_gpu * own.step_time_s * 8e12
    };
    let block = 4.0 * 1280.0 * 1280.0 + 3.0 * 1280.0 * 3420.0;
    let patch = 1176.0 * 1280.0 + 32.0 * block;
    let piece = 145.0 / 37.0;
    let keys = 4.0 * 5476.0 + 28.0 * 4.0 * piece * piece;
    let merger = 5120.0 * 5120.0 + 5120.0 * 3584.0;
    let image = 5476.0 * (2.0 * patch + 4.0 * keys * 1280.0) + 2.0 * 1369.0 * merger;
    let off = (frozen - without) / (64.0 * image) - 1.0;
    assert!(off.abs() < 1e-6, "{off}");
    assert!(tokens > 0.0);
    put(&mut question, "workload.images.per_example", json!(1.0));
    put(&mut question, "workload.images.vision_tower", json!("trained"));
    let own = answer(&question);
    let trained = own.model_tflops_per_gpu * own.step_time_s * 8e12;
    let off = (trained - without) / (3.0 * 64.0 * image) - 1.0;
    assert!(off.abs() < 1e-6, "{off}");
}

/// A frozen tower has weights alone: with FSDP over 8 GPUs it saves its part of gradients and moments, and nothing of the weights.
#[test]
fn a_frozen_tower_saves_gradients_and_moments() {
    let mut question = cases::question("images-sequences");
    let counts = model_of_entry(catalog::model("qwen2.5-vl-7b").unwrap()).parameters;
    let of = |question: &Value| answer(question).memory.phases[0].parts;
    let frozen = of(&question);
    put(&mut question, "workload.images.vision_tower", json!("projector"));
    let projector = of(&question);
    put(&mut question, "workload.images.vision_tower", json!("trained"));
    let trained = of(&question);
    let gib = |weights: u64, bytes: f64| weights as f64 * bytes / 8.0 / 1_073_741_824.0;
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    near(trained.parameters, frozen.parameters);
    near(trained.gradients - frozen.gradients, gib(counts.vision, 4.0));
    near(trained.gradients - projector.gradients, gib(counts.vision - counts.projector, 4.0));
    near(trained.optimizer - frozen.optimizer, gib(counts.vision, 8.0));
    // Trained and recomputed it keeps the input of each of its 32 blocks, in 16 bits.
    let blocks = 32.0 * 5476.0 * 1280.0 * 2.0 / 1_073_741_824.0;
    assert!(trained.activations - projector.activations >= blocks, "{} {blocks}", trained.activations);
}

const MODELS: [&str; 4] = ["qwen2.5-vl-3b", "qwen3-vl-30b-a3b", "internvl3.5-8b", "gemma-3-12b"];

/// Layouts of each backend, pipelines and split matrices among them.
fn plans() -> Vec<Value> {
    vec![
        json!({"backend": "fsdp", "zero_stage": 3, "micro_batch": 1, "recompute": "full"}),
        json!({"backend": "fsdp", "zero_stage": 2, "max_tokens_per_gpu": 8192, "recompute": "none"}),
        json!({"backend": "deepspeed", "zero_stage": 2, "micro_batch": 2, "recompute": "full"}),
        json!({"backend": "megatron", "tensor_parallel": 2, "pipeline_parallel": 2, "micro_batch": 1, "recompute": "none"}),
        json!({"backend": "megatron", "pipeline_parallel": 4, "micro_batch": 1, "recompute": "selective"}),
    ]
}

fn each_question(mut check: impl FnMut(Value)) {
    for model in MODELS {
        for name in ["images-sequences", "images-reinforcement"] {
            for own in plans() {
                let mut question = cases::question(name);
                put(&mut question, "model", json!(model));
                put(&mut question, "workload.images", json!({"width": 448, "height": 448, "vision_tower": "trained"}));
                // Nothing is left to the search, which would choose otherwise for other images.
                let mut plan = json!({"tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1});
                cases::merge(&mut plan, own.as_object().unwrap());
                if let Some(rollout) = question["plan"].get("rollout") {
                    plan["rollout"] = rollout.clone();
                }
                question["plan"] = plan;
                // So many tokens that no host hides what images take.
                if question["workload"].get("sequence_length").is_some() {
                    put(&mut question, "workload.sequence_length", json!(16384));
                }
                check(question);
            }
        }
    }
}

#[test]
fn more_images_are_neither_faster_nor_smaller() {
    each_question(|mut question| {
        let mut before = (0.0, 0.0, 0.0);
        for images in [0.0, 0.5, 1.0, 2.0, 3.5] {
            put(&mut question, "workload.images.per_example", json!(images));
            let own = answer(&question);
            let now = (own.step_time_s, own.memory.reserved_gib, own.time.parts.prefill);
            // A full card's allocator returns a hair more than it must.
            let grows = |now: f64, before: f64| now >= before * (1.0 - 1e-9);
            assert!(
                grows(now.0, before.0) && grows(now.1, before.1) && grows(now.2, before.2),
                "{question}: {now:?} {before:?}"
            );
            assert!(images == 0.0 || now.0 > before.0, "{question}: {now:?} {before:?}");
            before = now;
        }
    });
}

#[test]
fn larger_images_are_neither_faster_nor_smaller() {
    each_question(|mut question| {
        let mut before = (0.0, 0.0);
        for side in [112, 448, 700, 896] {
            put(&mut question, "workload.images.width", json!(side));
            put(&mut question, "workload.images.height", json!(side));
            let own = answer(&question);
            let now = (own.step_time_s, own.memory.reserved_gib);
            assert!(
                now.0 >= before.0 * (1.0 - 1e-12) && now.1 >= before.1 * (1.0 - 1e-9),
                "{question}: {now:?} {before:?}"
            );
            before = now;
        }
    });
}

#[test]
fn a_frozen_tower_never_takes_more_than_a_trained_one() {
    each_question(|mut question| {
        let mut before = (0.0, 0.0);
        for trains in ["frozen", "projector", "trained"] {
            put(&mut question, "workload.images.vision_tower", json!(trains));
            let own = answer(&question);
            let now = (own.step_time_s, own.memory.reserved_gib);
            assert!(now.0 > before.0 && now.1 >= before.1 * (1.0 - 1e-12), "{question}: {now:?} {before:?}");
            before = now;
        }
    });
}

/// No images are none: a step is that of text, but for the interval and what is said.
#[test]
fn no_image_costs_nothing() {
    each_question(|mut question| {
        put(&mut question, "workload.images.per_example", json!(0.0));
        let none = answer(&question);
        shardwise_core::wire::take(&mut question, "workload.images");
        let text = answer(&question);
        assert_eq!(none.step_time_s, text.step_time_s, "{question}");
        assert_eq!(none.mfu, text.mfu, "{question}");
        let trains = |own: &Answer| own.memory.phases.last().unwrap().parts;
        assert_eq!(trains(&none), trains(&text), "{question}");
        let says = |own: &Answer, id: &str| own.caveats.iter().any(|caveat| caveat.id == id);
        assert!(says(&none, "images-unfitted") && !says(&none, "text-only") && says(&text, "text-only"));
        let wide = |own: &Answer| own.interval.unwrap().tokens_per_s_per_gpu;
        assert!(wide(&none)[0] <= wide(&text)[0] && wide(&none)[1] >= wide(&text)[1], "{question}");
    });
}

/// An image is encoded once for all responses to its prompt; engines that split the tower's matrices take less for it.
#[test]
fn prompts_pass_the_tower_once() {
    let mut question = cases::question("images-reinforcement");
    let prefill = |question: &Value| answer(question).time.parts.prefill;
    let of_images = |question: &mut Value| {
        put(question, "workload.images.per_example", json!(1.0));
        let with = prefill(question);
        put(question, "workload.images.per_example", json!(0.0));
        with - prefill(question)
    };
    let eight = of_images(&mut question);
    assert!(eight > 0.0);
    put(&mut question, "workload.rl.responses_per_prompt", json!(16));
    let sixteen = of_images(&mut question);
    assert!((sixteen / eight - 1.0).abs() < 0.05, "{eight} {sixteen}");
    put(&mut question, "plan.rollout.tensor_parallel", json!(2));
    // Half as many engines, each twice as fast but for its all-reduces.
    let split = of_images(&mut question);
    assert!(split > sixteen && split < 3.0 * sixteen, "{sixteen} {split}");
}

#[test]
fn what_trains_is_said_where_it_is_assumed() {
    let mut question = cases::question("images-sequences");
    let says = |question: &Value| answer(question).caveats.iter().any(|own| own.id == "vision-tower-assumed");
    assert!(!says(&question));
    shardwise_core::wire::take(&mut question, "workload.images.vision_tower");
    assert!(says(&question));
    let assumed = answer(&question).step_time_s;
    put(&mut question, "workload.images.vision_tower", json!("trained"));
    assert_eq!(assumed, answer(&question).step_time_s);
    // Adapters leave the tower as it is.
    put(&mut question, "workload.kind", json!("lora"));
    let error = estimate(&question_from_value(question.clone()).unwrap()).unwrap_err();
    assert_eq!(error.field, "workload.images.vision_tower");
    shardwise_core::wire::take(&mut question, "workload.images.vision_tower");
    assert!(!says(&question));
}
