//! What the engine answers as a person types: the question, then the same question on every GPU type, in slices.

use serde_json::{Value, json};
use shardwise_core::calibration::{self, Measured};
use shardwise_core::complete::training_gpus;
use shardwise_core::job::Job;
use shardwise_core::search::chosen::{decided, takes_long};
use shardwise_core::search::market::{self, Measures};
use shardwise_core::search::sweep::Offer;
use shardwise_core::wire::{FitState, question_from_value, to_value};
use shardwise_core::{Answer, InputError, Objective, Question, evaluate_alone};

use super::{answered_once, asked};
use crate::browser;
use crate::form::{Form, mend};
use crate::protocol::estimate::{Answered, Asking, Beside, Estimate, Figures, Offered, Refused, Remedy, Slice};
use crate::sheets::asked::Asked;
use crate::words::plan_in_short;

/// After how long a slice asks no further machine, in milliseconds: a newer question waits no longer than that and one
/// machine more.
const SLICE_MS: f64 = 8.0;

/// The answer to a question, and its run beside it.
pub(super) fn estimate(asking: Asking) -> Estimate {
    let Asking { mut question, measured, calibrates, last } = asking;
    let run = measured.and_then(|measured| beside(question.clone(), &measured));
    let compared = run.as_ref().and_then(|run| run.compared.as_ref().ok());
    if let (true, Some(own)) = (calibrates, compared) {
        question["calibration"] = json!(own.calibration);
    }
    let answered = answered_once(question.clone());
    let answered = answered.map(|asked| answer_of(&asked)).map_err(|error| refused(error, question, last));
    Estimate { answered, run }
}

fn answer_of(asked: &Asked) -> Answered {
    let answer = &asked.found.answer;
    Answered { decided: to_value(&decided(&asked.question, answer)), answer: answer.clone() }
}

/// What was measured beside the estimate of the question without the factors of a run.
fn beside(mut question: Value, measured: &Measured) -> Option<Beside> {
    if let Value::Object(question) = &mut question {
        question.remove("calibration");
    }
    let asked = answered_once(question).ok()?;
    let decided = to_value(&decided(&asked.question, &asked.found.answer));
    Some(Beside { decided, compared: calibration::compare(&asked.found, measured) })
}

/// What refuses a question, with what mends it.
fn refused(error: InputError, question: Value, last: Option<Value>) -> Refused {
    let form = |document| question_from_value(document).ok().map(|question| Form::of(&question));
    let mends = form(question).map_or_else(Vec::new, |asked| {
        let own = asked.refused(error.clone());
        mend::mends(&asked, &own, last.and_then(form).as_ref(), &refusal)
    });
    Refused { error, mends }
}

/// What refuses a question, found as far as that is quick.
fn refusal(question: &Question) -> Option<InputError> {
    if takes_long(question) { mend::unresolved(question) } else { evaluate_alone(question).err() }
}

/// The next of the machines that are asked a question, of which `from` are known; then the next numbers of GPUs that may
/// make room, of which `tried` did not. `None` of a question that has no answer.
pub(super) fn compare(question: Value, from: usize, mut tried: usize) -> Option<Slice> {
    let asked = asked(question)?;
    let end = browser::now_ms() + SLICE_MS;
    let mut offers = Vec::new();
    while let Some(offer) = asked.offer(from + offers.len()) {
        let is_own = from + offers.len() == 0;
        offers.push(if is_own { own(&asked, &offer) } else { offered(&offer) });
        if browser::now_ms() >= end {
            return Some(Slice { offers, is_whole: false, tried, remedy: None, is_last: false });
        }
    }
    if is_sure(&asked.found.answer) {
        return Some(Slice { offers, is_whole: true, tried, remedy: None, is_last: true });
    }
    // The search may find another plan than the one that was set by hand.
    if asked.offer(0).is_some_and(|own| is_sure_offer(&own)) {
        return Some(Slice { offers, is_whole: true, tried, remedy: Some(Remedy::Plan), is_last: true });
    }
    if !offers.is_empty() {
        // What is known is shown first.
        return Some(Slice { offers, is_whole: true, tried, remedy: None, is_last: false });
    }
    let more = market::more(&asked.question).and_then(|sweep| sweep.at(tried));
    if more.as_ref().is_some_and(|more| !is_sure_offer(more)) {
        tried += 1;
        return Some(Slice { offers, is_whole: true, tried, remedy: None, is_last: false });
    }
    let remedy = Remedy::Gpus { more: more.as_ref().map(offered), other: cheapest(&asked) };
    Some(Slice { offers, is_whole: true, tried, remedy: Some(remedy), is_last: true })
}

/// The cheapest machine on which a question is as sure to fit as asked.
fn cheapest(asked: &Asked) -> Option<Offered> {
    let offers = asked.offers();
    let ranked = market::ranked(&offers, Objective::Cost).unwrap_or_default();
    let mut ranked = ranked.iter().filter_map(|place| offers.get(*place));
    ranked.find(|offer| is_sure_offer(offer)).map(offered)
}

/// Whether an answer is as sure to fit as asked.
fn is_sure(answer: &Answer) -> bool {
    answer.fit.state == FitState::Fits
}

/// Whether a machine's best plan is.
fn is_sure_offer(offer: &Offer) -> bool {
    offer.result.as_ref().is_ok_and(|found| is_sure(&found.answer))
}

fn offered(offer: &Offer) -> Offered {
    let result = offer.result.as_ref();
    let result = result.map(|found| figures(&found.answer, &found.job, found.considered));
    Offered {
        gpu: offer.hardware.gpu.as_str().map(str::to_owned),
        result: result.map_err(|error| error.message.clone()),
    }
}

/// The question's own machine, with the plan that the question states.
fn own(asked: &Asked, offer: &Offer) -> Offered {
    let considered = offer.result.as_ref().map_or(0, |found| found.considered);
    Offered { result: Ok(figures(&asked.found.answer, &asked.found.job, considered)), ..offered(offer) }
}

fn figures(answer: &Answer, job: &Job, considered: u64) -> Figures {
    Figures {
        measures: Measures::of(answer, job.hardware.gpus),
        state: answer.fit.state,
        probability: answer.fit.probability,
        speed: answer.tokens_per_s_per_gpu,
        range: answer.interval.map(|interval| interval.tokens_per_s_per_gpu),
        usd_range: answer.usd_per_mtok.and_then(|usd| answer.against_speed(usd)),
        mtok_per_hour: answer.mtok_per_hour,
        needs_gib: answer.fit.needed_gib,
        has_gib: answer.fit.capacity_gib,
        layout: plan_in_short(&answer.plan, training_gpus(job)),
        considered,
    }
}
