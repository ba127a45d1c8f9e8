//! What else to ask for, where a plan pays for its memory: to be less sure that it fits, for smaller moments of the optimizer, for
//! adapters. Each is held against the plan that is proposed by what the search finds for it.
//!
//! They are no rules of a plan: what they change a question decides, and only whoever asks it can. So they are said where they are worth
//! far more than a guide's rule is.

use super::case::NOTICEABLE;
use super::training::{EIGHT_BIT, ROUNDED};
use super::{Case, LLMFORGE_COOKBOOK, answered_anew, faster, gained, one};
use crate::figures;
use serde_json::{Map, Value};
use shardwise_catalog::units::fixed;
use shardwise_question::wire::{Advice, Figures, Optimizer, Question, Severity, WorkloadKind};

/// Its `AdamW` keeps both moments in BF16, master weights and gradients in FP32 (section 3.3.3).
const DEEPSEEK_V3: &str = "https://arxiv.org/abs/2412.19437";

/// How sure plans are to fit that are looked for, the surest first.
const LEVELS: [f64; 2] = [0.8, 0.65];

/// What is gained by less than this share of a GPU's tokens is not worth asking for something else. Assumed.
const WORTH_IT: f64 = 0.1;

/// Adapters train something else: worth naming where they are twice as fast. Assumed.
const TWICE: f64 = 1.0;

/// The share of a step that steps and moves the optimizer from which smaller moments are looked for. Assumed.
const MUCH: f64 = 0.1;

/// All that is worth asking for instead.
pub(super) fn advised(case: &Case<'_>, question: &Question) -> Vec<(f64, Advice)> {
    let all = [less_sure(case, question), smaller_moments(case, question), adapters(case, question)];
    all.into_iter().flatten().collect()
}

/// The plan that is worth the most if a trial that fails cost as much as the run: tokens by the chance that it fits. None is advised that
/// comes to less than the one that is as sure as asked. RL steps, which are searched for longest, gain next to nothing: of 25 one 13 %, all
/// others at most 7 %.
fn less_sure(case: &Case<'_>, question: &Question) -> Option<(f64, Advice)> {
    let now = &case.now;
    if !now.fits || case.job().workload.rl.is_some() {
        return None;
    }
    let expected = |own: &Figures| own.tokens_per_s_per_gpu * own.probability;
    let mut best: Option<(f64, Figures)> = None;
    for level in LEVELS.into_iter().filter(|level| *level < case.job().confidence) {
        let (_, then) = answered_anew(case, question, &one("confidence", level.into()))?;
        if gained(&then, now) < NOTICEABLE {
            // What memory does not hold back is as fast with less of it to spare.
            break;
        }
        let known = best.as_ref().map_or(now, |(_, own)| own);
        if gained(&then, now) >= WORTH_IT && expected(&then) > expected(known) {
            best = Some((level, then));
        }
    }
    let (level, then) = best?;
    let [likely, asked] = [then.probability, case.job().confidence].map(|own| fixed(100.0 * own, 0));
    let says = Says {
        id: "less-sure",
        what: &format!("A plan that is {likely} % sure to fit, not {asked} %,"),
        note: "Try it first: a few steps of the longest sequences show whether it fits.",
        source: LLMFORGE_COOKBOOK,
    };
    Some(says.of(case, &then, one("confidence", level.into())))
}

/// Moments of Adam in fewer bits, where the step waits for host memory, or nothing fits: the kind that gains most. Of 8 bits a rule says it
/// where nothing fits.
fn smaller_moments(case: &Case<'_>, question: &Question) -> Option<(f64, Advice)> {
    let plan = question.plan.as_ref();
    let stated = plan.is_some_and(|own| own.optimizer.is_some() || own.optimizer_bytes.is_some());
    if stated || case.job().workload.lora.is_some() || !waits_for_host(case) {
        return None;
    }
    let halved = Says {
        id: "bf16-moments",
        what: "Keeping AdamW's moments in BF16",
        note: "It changes training; DeepSeek-V3 was trained this way.",
        source: DEEPSEEK_V3,
    };
    let quantized = Says {
        id: "optimizer-8bit",
        what: &format!("Moments of Adam in 8 bits ({})", Optimizer::Adamw8bit.as_str()),
        note: ROUNDED,
        source: EIGHT_BIT,
    };
    let in_8_bits = one("plan.optimizer", Optimizer::Adamw8bit.as_str().into());
    let ways = [(halved, one("plan.optimizer_bytes", 4.0.into())), (quantized, in_8_bits)];
    let found = ways
        .into_iter()
        .filter(|(says, _)| case.now.fits || says.source != EIGHT_BIT)
        .filter_map(|(says, set)| {
            let (_, then) = answered_anew(case, question, &set)?;
            (then.fits && gained(&then, &case.now) >= WORTH_IT).then(|| says.of(case, &then, set))
        });
    // Of two that gain as much the first.
    found.reduce(|known, own| if own.0 > known.0 + NOTICEABLE { own } else { known })
}

/// Adapters in place of weights that train out of host memory. Where no plan fits, a rule says so.
fn adapters(case: &Case<'_>, question: &Question) -> Option<(f64, Advice)> {
    let tunes = case.job().workload.kind == WorkloadKind::Sft && case.job().workload.images.is_none();
    if !tunes || !case.now.fits || !waits_for_host(case) {
        return None;
    }
    let set = one("workload.kind", "lora".into());
    let (_, then) = answered_anew(case, question, &set)?;
    let says = Says {
        id: "adapters",
        what: "LoRA",
        note: "It trains low-rank adapters in place of the weights.",
        source: LLMFORGE_COOKBOOK,
    };
    (then.fits && gained(&then, &case.now) >= TWICE).then(|| says.of(case, &then, set))
}

/// Whether the optimizer and what lies in host memory take much of the step; or nothing fits, and half as much would: moments are no more
/// than half of what a weight that trains takes.
fn waits_for_host(case: &Case<'_>) -> bool {
    let parts = case.step.parts();
    if case.now.fits {
        parts.optimizer + parts.offload >= MUCH * case.now.step_time_s
    } else {
        case.now.reserved_gib <= 2.0 * case.job().hardware.memory_gib
    }
}

struct Says<'a> {
    id: &'static str,
    what: &'a str,
    note: &'static str,
    source: &'static str,
}

impl Says<'_> {
    /// The advice to set so much, with the share that each GPU gains.
    fn of(self, case: &Case<'_>, then: &Figures, set: Map<String, Value>) -> (f64, Advice) {
        let now = &case.now;
        let advice = Advice {
            id: self.id.into(),
            severity: Severity::Hint,
            text: format!("{} {}", faster(self.what, now, then), self.note),
            source: self.source.into(),
            gain: Some(figures::less(then, now)),
            set,
        };
        (gained(then, now), advice)
    }
}
