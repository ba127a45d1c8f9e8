//! Pipelines that put the weights' gradients off: against the papers' tables, PyTorch's orders played through, and Primus's runs.

mod played;

use serde_json::{Value, json};
use shardwise_core::complete::complete;
use shardwise_core::job;
use shardwise_core::memory::{Flight, in_flight};
use shardwise_core::plan::Layout;
use shardwise_core::training::Pipeline;
use shardwise_core::units::Seconds;
use shardwise_core::weights::Stage;
use shardwise_core::wire::{Answer, PipelineSchedule as Schedule, question_from_value};
use shardwise_core::{Question, estimate};

use played::{Held, Play};

fn question(changes: Value) -> Question {
    let mut plan = json!({"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 8, "context_parallel": 1,
        "zero_stage": 2, "micro_batch": 1, "recompute": "none"});
    plan.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    question_from_value(json!({"version": 1, "model": "llama-2-7b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "pretrain", "sequence_length": 4096, "global_batch": 32}, "plan": plan}))
    .unwrap()
}

fn asked(schedule: Schedule, changes: Value) -> Question {
    let mut plan = json!({"pipeline_schedule": schedule.as_str()});
    plan.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    question(plan)
}

fn answer(question: &Question) -> Answer {
    estimate(question).unwrap_or_else(|error| panic!("{error}"))
}

fn layout(schedule: Schedule, stages: u32, chunks: u32) -> Layout {
    let question = asked(schedule, json!({}));
    let job = job::resolve(&question).unwrap();
    let own = complete(&job, question.plan.as_ref().unwrap()).unwrap().layout;
    Layout { pipeline_parallel: stages, virtual_pipeline: chunks, ..own }
}

/// What a stage waits for each further one, over `chunks`.
fn waits(schedule: Schedule, chunks: u32, [forward, input, weight]: [f64; 3]) -> f64 {
    let own = Pipeline {
        stages: 8.0,
        chunks: chunks.into(),
        schedule,
        stage: Seconds::new(forward + input + weight),
        forward: Seconds::new(forward),
        weight: Seconds::new(weight),
        send: Seconds::ZERO,
        exposed: 0.0,
    };
    own.waits().get() / f64::from(chunks)
}

#[track_caller]
fn close(got: f64, wanted: f64, tolerance: f64) {
    assert!((got - wanted).abs() <= tolerance * wanted.abs(), "{got} is not within {tolerance} of {wanted}");
}

/// DualPipe's table: `(PP−1)(F+B)` for 1F1B, `(PP−1)(F+B−2W)` for ZB-H1 (there ZB1P; Qi et al. 2023, arXiv:2401.10241, section 2),
/// `(PP/2−1)(F&B + B − 3W)` for DualPipeV, PP chunks on PP/2 devices, B both parts of the backward pass.
#[test]
fn bubbles_are_those_of_the_tables() {
    for [f, i, w] in [[1.0, 1.0, 1.0], [1.0, 1.3, 0.8], [1.0, 2.2, 0.9]] {
        close(waits(Schedule::OneForwardOneBackward, 1, [f, i, w]), f + i + w, 1e-12);
        close(waits(Schedule::InterleavedZeroBubble, 2, [f, i, w]), (f + i - w) / 2.0, 1e-12);
        let [f, i, w] = [f / 2.0, i / 2.0, w / 2.0];
        let (both, backward) = (f + i + w, i + w);
        close(waits(Schedule::DualPipeV, 2, [2.0 * f, 2.0 * i, 2.0 * w]), both + backward - 3.0 * w, 1e-12);
    }
}

/// Primus's table for passes and both gradients that take as long: `(p−1)/(m+p−1)`, `(p−1)/(mv+p−1)` and ZBV's
/// `(p−1)/(p−1+6m)` of the time
/// (<https://github.com/AMD-AGI/Primus/blob/fd1eeabbad15135e3702094087e96142b4b4eacb/docs_deprecated/tech_blogs/primus_pipeline/primus_pipeline.md>).
#[test]
fn bubble_rates_are_those_of_primus() {
    let rate = |schedule, chunks, p: f64, m: f64| {
        let bubble = (p - 1.0) * waits(schedule, chunks, [1.0; 3]);
        bubble / (bubble + 3.0 * m)
    };
    for (p, m) in [(4.0, 16.0), (8.0, 32.0), (8.0, 256.0)] {
        close(rate(Schedule::OneForwardOneBackward, 1, p, m), (p - 1.0) / (m + p - 1.0), 1e-12);
        close(rate(Schedule::Interleaved, 4, p, m), (p - 1.0) / (m * 4.0 + p - 1.0), 1e-12);
        close(rate(Schedule::ZbvZeroBubble, 2, p, m), (p - 1.0) / (p - 1.0 + 6.0 * m), 1e-12);
    }
}

/// PyTorch's orders take as long, and hold as much, as they are said to.
#[test]
fn orders_played_through_take_and_hold_as_much() {
    let times = [[1.0, 1.0, 1.0], [1.0, 1.3, 0.8], [1.0, 1.1, 0.7], [1.0, 2.3, 0.9], [1.0, 1.2, 0.2]];
    for (stages, batches) in [(2_u32, 4), (4, 16), (8, 32)] {
        let orders = [
            (Schedule::InterleavedZeroBubble, 2, Play::interleaved(stages, 2, batches)),
            (Schedule::InterleavedZeroBubble, 3, Play::interleaved(stages, 3, batches)),
            (Schedule::ZbvZeroBubble, 2, Play::zbv(stages, batches)),
        ];
        for (schedule, chunks, play) in orders {
            for own in times {
                let idle =
                    play.run(own.map(|time| time / f64::from(chunks))) - f64::from(batches) * own.iter().sum::<f64>();
                let wanted = f64::from(stages - 1) * waits(schedule, chunks, own);
                assert!((idle - wanted).abs() < 1e-9, "{schedule:?} {stages} {own:?}: {idle}, {wanted}");
            }
            for (stage, place) in [(Stage::First, 0), (Stage::Last, stages - 1)] {
                let held = in_flight(&layout(schedule, stages, chunks), batches.into(), stage);
                // Whatever a micro-batch leaves at either moment, the stage holds it.
                for (kept, between) in [(1.0, 1.0), (0.1, 1.0)] {
                    let weigh = |kept_of: f64, between_of: f64| kept_of * kept + between_of * between;
                    let said = held.iter().map(|own: &Flight| weigh(own.kept, own.between)).fold(0.0, f64::max);
                    let moments = play.held(place);
                    let seen =
                        moments.map(|own: Held| weigh(own.kept, own.between)).fold(0.0, f64::max) / f64::from(chunks);
                    close(said, seen, 0.2);
                    assert!(
                        kept < 1.0 || (said - seen).abs() < 1e-9,
                        "{schedule:?} {stages} {stage:?}: {said}, {seen}"
                    );
                }
            }
        }
    }
}

/// `DualPipe`'s table: PP + 1 of the PP chunks that a micro-batch has, on each of PP/2 devices.
#[test]
fn dual_pipe_v_holds_one_chunk_more() {
    for stages in [2, 4, 8] {
        for stage in [Stage::First, Stage::Last] {
            let held = in_flight(&layout(Schedule::DualPipeV, stages, 2), 64.0, stage);
            let most = held.iter().map(|own| own.all()).fold(0.0, f64::max);
            assert_eq!(most * 2.0, f64::from(2 * stages + 1));
        }
    }
}

/// Tokens per second of Primus's runs over that of 1F1B on the same cards (as above): Llama-2-7B over 8 stages, Qwen3-235B over 4.
/// How many micro-batches they had is not said: it is what interleaving, whose bubble is long known, gained.
#[test]
fn runs_of_primus_gain_as_much() {
    let gain = |stages: f64, batches: f64, schedule, chunks| {
        let bubble = |schedule, chunks| (stages - 1.0) * waits(schedule, chunks, [1.0; 3]);
        (3.0 * batches + bubble(Schedule::OneForwardOneBackward, 1)) / (3.0 * batches + bubble(schedule, chunks))
    };
    let batches = |stages: f64, chunks: f64, gain: f64| (stages - 1.0) * (1.0 - gain / chunks) / (gain - 1.0);
    let llama = (8.0, batches(8.0, 2.0, 10974.0 / 10057.0));
    let qwen = (4.0, batches(4.0, 4.0, 3024.5 / 2742.4));
    for ((stages, batches), schedule, chunks, measured) in [
        (llama, Schedule::InterleavedZeroBubble, 2, 11411.0 / 10057.0),
        (llama, Schedule::ZbvZeroBubble, 2, 11347.0 / 10057.0),
        (qwen, Schedule::Interleaved, 3, 3012.1 / 2742.4),
        (qwen, Schedule::InterleavedZeroBubble, 1, 2963.1 / 2742.4),
        (qwen, Schedule::ZbvZeroBubble, 2, 2952.7 / 2742.4),
    ] {
        close(gain(stages, batches, schedule, chunks), measured, 0.04);
    }
}

/// Each holds as much on every stage as 1F1B's first, gains on interleaved 1F1B, and splits the model as it places it.
#[test]
fn answers_follow() {
    let of = |schedule, changes: Value| answer(&asked(schedule, changes));
    let plain = answer(&question(json!({})));
    let interleaved = of(Schedule::Interleaved, json!({}));
    // What is usual may be stated.
    let usual = answer(&question(json!({"virtual_pipeline": 2})));
    assert_eq!((interleaved.time.parts, interleaved.memory.parts), (usual.time.parts, usual.memory.parts));
    for schedule in [Schedule::InterleavedZeroBubble, Schedule::ZbvZeroBubble] {
        let own = of(schedule, json!({}));
        assert_eq!(own.plan.virtual_pipeline, Some(2));
        assert!(own.time.parts.bubble < 0.6 * interleaved.time.parts.bubble, "{schedule:?}");
        assert_eq!(own.time.parts.compute, interleaved.time.parts.compute);
        assert!(own.memory.parts.activations < interleaved.memory.parts.activations, "{schedule:?}");
    }
    // The first stage of a fold has embedding and LM head: 2 × 32,000 × 4,096 weights.
    let folded = of(Schedule::ZbvZeroBubble, json!({"recompute": "full"}));
    let fold = of(Schedule::DualPipeV, json!({}));
    let more = fold.memory.parts.parameters / plain.memory.parts.parameters;
    assert!((1.05..1.2).contains(&more), "{more}");
    // Where layers are computed again, what waits for its weights' gradients is whole.
    let kept = of(Schedule::Interleaved, json!({"recompute": "full"})).memory.parts.activations;
    assert!(folded.memory.parts.activations > 3.0 * kept, "{} {kept}", folded.memory.parts.activations);
}
