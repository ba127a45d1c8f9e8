//! What a GPU holds while the engine takes new weights over.

use super::super::expression::Expression;
use super::super::number::Unit;
use super::super::sheet::{Explanation, Sheet};
use super::super::words;
use super::memory::{GIB, calibrated, cuda, left, method, part_of};
use super::{Source, in_phase};
use shardwise_catalog::units::Bytes;
use shardwise_engine::phase::Phase;
use shardwise_engine::rl::handover::{Gathered, gathered, gathered_bytes, of_engine};

/// One of these parts.
pub(super) fn of_part(source: &Source<'_>, figure: &str, part: &str) -> Option<Explanation> {
    let phase = Phase::WeightSync;
    let (part, _) = part_of(source, phase.name(), part)?;
    let plan = &source.found.plan;
    let room = source.generation()?.room;
    let engine = of_engine(source.context, plan.rollout.as_ref()?, source.found.job.workload.rl.as_ref()?, &room);
    let mut sheet = Sheet::new();
    let expression = match part {
        "kv_cache" | "rollout_weights" => {
            let gib = if part == "kv_cache" { engine.kv_cache } else { engine.rollout_weights };
            let meaning = "what the engine has awake";
            sheet.part("engine", gib * GIB, Unit::Gib, meaning, format!("memory.rollout.{part}"))
        }
        "framework" if engine.framework > 0.0 => {
            let meaning = "what a sleeping engine keeps: CUDA graphs, buffers of its groups, its process";
            cuda(source, &mut sheet) + sheet.term("asleep", engine.framework * GIB, Unit::Gib, meaning)
        }
        "framework" => cuda(source, &mut sheet),
        _ => {
            let mut sum = left(source, &mut sheet, phase, part);
            if part == "parameters" {
                sum.extend(at_once(source, &mut sheet));
            }
            calibrated(source, &mut sheet, Expression::sum(sum))
        }
    };
    let title = in_phase(words::memory(part), words::phase(phase.name()));
    let method = if part == "parameters" { "weight-sync-memory" } else { method(part) };
    Some(sheet.finish(figure, method, &title, words::symbol(part), expression, Unit::Gib))
}

/// What is gathered of the trainer's weights at once.
fn at_once(source: &Source<'_>, sheet: &mut Sheet) -> Option<Expression> {
    let (context, layout) = (source.context, &source.found.plan.layout);
    let (model, own) = (&source.found.job.model, gathered(context, layout)?);
    let each = sheet.term("b_gathered", gathered_bytes(context, layout), Unit::Bytes, "bytes of a gathered weight");
    match own {
        Gathered::Part(parts) => {
            let all = "all weights of the model";
            let all = each * sheet.term("W_all", model.parameters.total as f64, Unit::Parameters, all);
            let meaning = "parts in which they are gathered";
            Some(if parts > 1 { all / sheet.term("parts", parts.into(), Unit::One, meaning) } else { all })
        }
        Gathered::Tensors(bucket) => {
            let h = "width of the residual stream";
            let h = sheet.term("hidden_size", model.shape.hidden_size as f64, Unit::One, h);
            let vocab = "rows of the vocabulary";
            let matrix = each * h * sheet.term("vocab_size", model.shape.vocab_size as f64, Unit::One, vocab);
            if bucket <= 0.0 {
                return Some(matrix);
            }
            let meaning = "the bucket in which tensors wait";
            Some(matrix.max(sheet.term("bucket", Bytes::from_gib(bucket).get(), Unit::Gib, meaning)))
        }
    }
}
