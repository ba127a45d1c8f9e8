//! What a fold asks, and its answer in a line: from the answer that stands, without what is behind it.

use crate::format;
use crate::page::Page;
use crate::page::folds::Fold;
use crate::text::fill;
use crate::view::{calibrate, memory, run, time};

/// The question.
pub(super) fn title(page: Page, fold: Fold) -> String {
    let text = page.text();
    let answer = |of: fn(&shardwise_core::Answer) -> String| {
        let shown = page.answered();
        shown.map_or_else(|| "–".to_owned(), |shown| of(&shown.found.answer))
    };
    match fold {
        Fold::Memory => fill(text.why_memory, &[&answer(|answer| format::gib(answer.fit.needed_gib))]),
        Fold::Time => fill(text.why_time, &[&answer(|answer| format::seconds(answer.step_time_s))]),
        Fold::Run => text.the_run.to_owned(),
        Fold::Offers => text.why_offers.to_owned(),
        Fold::Front => text.why_front.to_owned(),
        Fold::Scaling => text.why_scaling.to_owned(),
        Fold::Plans => text.why_plans.to_owned(),
        Fold::Sensitivity => text.why_sensitivity.to_owned(),
        Fold::Caveats => text.why_caveats.to_owned(),
        Fold::Calibrate => text.why_calibrate.to_owned(),
    }
}

/// The answer.
pub(super) fn take(page: Page, fold: Fold) -> String {
    let text = page.text();
    match fold {
        Fold::Memory => memory::line(page).unwrap_or_default(),
        Fold::Time => time::line(page).unwrap_or_default(),
        Fold::Plans => match page.market().tried() {
            Some(tried) => fill(text.why_plans_take, &[&tried]),
            None => text.why_plans_none.to_owned(),
        },
        Fold::Caveats => match page.answered().map_or(0, |shown| shown.found.answer.caveats.len()) {
            0 => text.why_caveats_none.to_owned(),
            1 => text.why_caveats_one.to_owned(),
            more => fill(text.why_caveats_take, &[&more.to_string()]),
        },
        Fold::Calibrate => match calibrate::applied_words(page) {
            Some(factors) => fill(text.why_calibrate_on, &[&factors]),
            None => text.why_calibrate_take.to_owned(),
        },
        Fold::Run => run::line(page),
        Fold::Offers => text.why_offers_take.to_owned(),
        Fold::Front => text.why_front_take.to_owned(),
        Fold::Scaling => text.why_scaling_take.to_owned(),
        Fold::Sensitivity => text.why_sensitivity_take.to_owned(),
    }
}
