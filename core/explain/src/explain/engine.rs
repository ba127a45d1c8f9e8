//! The parts of what a GPU holds while the engine generates.

use super::super::expression::Expression;
use super::super::number::Unit;
use super::super::sheet::{Explanation, Sheet};
use super::super::words;
use super::memory::{GIB, calibrated, cuda, left, method, part_of};
use super::{Source, in_phase};
use shardwise_catalog::model::Model;
use shardwise_catalog::units::{Bytes, grouped};
use shardwise_engine::phase::Phase;
use shardwise_engine::rl::process;
use shardwise_engine::rollout::workings::{bytes_per_weight, sampled};
use shardwise_engine::rollout::{Room, images_workspace};
use shardwise_question::plan::RolloutPlan;

/// One of these parts.
pub(super) fn of_part(source: &Source<'_>, figure: &str, part: &str) -> Option<Explanation> {
    let (part, _) = part_of(source, "rollout", part)?;
    let engine = source.found.plan.rollout.as_ref()?;
    let mut sheet = Sheet::new();
    let expression = match part {
        "kv_cache" => {
            let (card, room) = (source.found.job.hardware.memory_gib, source.generation()?.room);
            cache(&mut sheet, (card, engine), &room, "memory.rollout.rollout_weights")
        }
        "rollout_weights" => {
            let bytes = bytes_per_weight(source.context, engine);
            if source.found.job.shares_base() {
                sheet.note(
                    "These are the frozen weights that training's adapters are on: the card holds them once."
                        .to_owned(),
                );
            }
            engine_weights(&mut sheet, &source.found.job.model, bytes, engine)
        }
        "framework" => {
            let own = cuda(source, &mut sheet) + workspace(source, &mut sheet, engine);
            let rl = source.found.job.workload.rl.as_ref();
            match rl.map(|rl| process(source.context, engine, rl)).filter(|own| own.get() > 0.0) {
                Some(bytes) => own + sheet.term("process", bytes.get(), Unit::Gib, "the engine's own process"),
                None => own,
            }
        }
        _ => {
            let sum = Expression::sum(left(source, &mut sheet, Phase::Rollout, part));
            calibrated(source, &mut sheet, sum)
        }
    };
    let title = in_phase(words::memory(part), words::phase("rollout"));
    let method = match part {
        "framework" => "engine-workspace",
        part => method(part),
    };
    let symbol = words::symbol(part);
    Some(sheet.finish(figure, method, &title, symbol, expression, Unit::Gib))
}

/// The cache of an engine with `room` on a card of `gib`, whose weights are the figure `weights`.
pub(super) fn cache(sheet: &mut Sheet, (gib, engine): (f64, &RolloutPlan), room: &Room, weights: &str) -> Expression {
    let card = sheet.term("card", gib * GIB, Unit::Gib, "memory of the card");
    let share =
        sheet.term("gpu_memory_utilization", engine.gpu_memory_utilization, Unit::One, "the engine's share of it");
    let meaning = words::memory("rollout_weights");
    let weights = sheet.part("weights", room.weights.get(), Unit::Gib, meaning, weights);
    let aside = room.share > Bytes::from_gib(gib * engine.gpu_memory_utilization);
    let taken = if aside {
        sheet.note("Its working memory stands beside that share.".to_owned());
        weights
    } else {
        weights + sheet.term("working", room.workspace.get(), Unit::Gib, "its working memory")
    };
    let per_token = room.cache.get() / room.cache_tokens.max(1.0);
    if room.cache_tokens > 1.0 {
        let [tokens, bytes] = [room.cache_tokens, per_token].map(|own| grouped(own as u64));
        sheet.note(format!("A token takes {bytes} bytes on one GPU: room for {tokens} tokens."));
    }
    card * share - taken
}

/// Weights of `model` on one GPU of an engine, each of so many bytes, and of an expert.
pub(super) fn engine_weights(
    sheet: &mut Sheet,
    model: &Model,
    (bytes, expert_bytes): (f64, f64),
    engine: &RolloutPlan,
) -> Expression {
    let counts = &model.parameters;
    let outer = (counts.embedding + counts.lm_head) as f64;
    let experts = (counts.expert * counts.expert_layers * model.shape.num_experts) as f64;
    let b = sheet.term("b", bytes, Unit::Bytes, "bytes of a weight");
    let inner = sheet.term(
        "W",
        counts.total as f64 - outer - experts,
        Unit::Parameters,
        "weights of the blocks, without routed experts",
    );
    let mut above = b * inner;
    if outer > 0.0 {
        let meaning = "embedding and LM head, in 2 bytes";
        above = above + Expression::Number(2.0) * sheet.term("W_outer", outer, Unit::Parameters, meaning);
    }
    let tensor = sheet.term("TP", engine.tensor_parallel.into(), Unit::Gpus, "the engine's tensor parallelism");
    let dense = above / tensor;
    if experts <= 0.0 {
        return dense;
    }
    let b = "bytes of an expert's weight";
    let b = sheet.term("b_expert", expert_bytes, Unit::Bytes, b);
    let all = "routed experts' weights";
    let all = sheet.term("E", experts, Unit::Parameters, all);
    let gpus = "GPUs of the engine";
    dense + b * all / sheet.term("engine_GPUs", engine.gpus().into(), Unit::Gpus, gpus)
}

fn workspace(source: &Source<'_>, sheet: &mut Sheet, engine: &RolloutPlan) -> Expression {
    let shape = &source.found.job.model.shape;
    let ffn = if shape.num_experts > 0 {
        shape.moe_intermediate_size * shape.num_experts_per_tok
    } else {
        shape.intermediate_size
    };
    let tokens = engine.max_num_batched_tokens.min(1 << 20) as f64;
    let room = sampled(engine);
    let tokens = sheet.term("max_num_batched_tokens", tokens, Unit::Tokens, "tokens of one engine step");
    let h = "width of the residual stream";
    let h = sheet.term("hidden_size", shape.hidden_size as f64, Unit::One, h);
    let ffn_words = "width of the MLP, or of the experts of a token";
    let ffn = sheet.term("ffn", ffn as f64, Unit::One, ffn_words);
    let tensor = "the engine's tensor parallelism";
    let tensor = sheet.term("TP", engine.tensor_parallel.into(), Unit::Gpus, tensor);
    let number = Expression::Number;
    let activations = number(2.0) * tokens * (number(4.0) * h + number(3.0) * ffn / tensor);
    let seqs = "sequences whose logits have room";
    let seqs = sheet.term("seqs", room, Unit::One, seqs);
    let vocab = "rows of the vocabulary";
    let vocab = sheet.term("vocab_size", shape.vocab_size as f64, Unit::One, vocab);
    let graphs = if engine.enforce_eager { 0.5 } else { 1.5 };
    let buffers = "CUDA graphs and buffers";
    let buffers = sheet.term("buffers", Bytes::from_gib(graphs).get(), Unit::Gib, buffers);
    let all = activations + number(6.0) * seqs * vocab + buffers;
    let images = images_workspace(&source.found.job, engine);
    if images.get() <= 0.0 {
        return all;
    }
    let meaning = "the vision tower at work on the largest image that the processor lets through";
    all + sheet.term("images", images.get(), Unit::Gib, meaning)
}
