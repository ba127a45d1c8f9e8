//! What a fold asks, and its answer in a line: from the answer that stands, without what is behind it.

use shardwise_core::hardware::Rentable;
use shardwise_core::market;
use shardwise_core::wire::{HardwareSpec, Rental};

use crate::format;
use crate::page::Page;
use crate::page::folds::Fold;
use crate::text::{Lang, fill};
use crate::view::{calibrate, memory, run, time};
use crate::words::{day, offer, provider, spread};

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
        Fold::Front => text.front.to_owned(),
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
        Fold::Offers => {
            let shown = page.answered();
            let line = shown.and_then(|shown| offers(&shown.question.hardware, page.lang));
            line.unwrap_or_else(|| text.why_offers_take.to_owned())
        }
        Fold::Front => text.why_front_take.to_owned(),
        Fold::Scaling => text.why_scaling_take.to_owned(),
        Fold::Sensitivity => text.why_sensitivity_take.to_owned(),
    }
}

/// How many offers paper has of those that hold a machine.
const ON_PAPER: usize = 4;

/// The offers that hold a machine, the cheapest first.
fn holding(machine: &HardwareSpec) -> Vec<Rentable> {
    let market = Some(machine.market.clone().unwrap_or_default());
    let open = HardwareSpec { gpu: machine.gpu.clone(), gpus: machine.gpus, market, ..HardwareSpec::default() };
    market::offers(&open).unwrap_or_default()
}

/// The cheapest of them, as paper has them. What the run costs at each says the worker.
pub(super) fn cheapest(page: Page) -> Vec<String> {
    let Some(shown) = page.answered() else { return Vec::new() };
    let gpus = shown.found.job.hardware.gpus;
    let found = holding(&shown.question.hardware).into_iter().take(ON_PAPER);
    found.map(|own| offer(&Rental::of(&own, gpus), page.lang)).collect()
}

/// How many offers hold a machine, between which prices, and the cheapest with its day. `None` where none does.
fn offers(machine: &HardwareSpec, lang: Lang) -> Option<String> {
    let text = lang.text();
    let found = holding(machine);
    let prices: Vec<f64> = found.iter().map(|offer| offer.usd_per_gpu_hour()).collect();
    let [low, _, high] = spread(&prices)?;
    let least = found.first()?;
    let day = day(least.date(), least.listed(), lang);
    let whose = [provider(least.provider(), lang), least.instance(), &day].join(lang.comma());
    Some(fill(text.why_offers_line, &[&found.len().to_string(), &low, &high, &whose]))
}

#[cfg(test)]
mod tests {
    use super::offers;
    use crate::text::Lang;
    use shardwise_core::wire::HardwareSpec;

    #[test]
    fn a_closed_fold_says_who_rents_the_machine_out() {
        let machine = |gpu: &str, gpus| HardwareSpec { gpu: gpu.into(), gpus: Some(gpus), ..HardwareSpec::default() };
        let line = offers(&machine("h100-sxm", 8), Lang::En).unwrap_or_default();
        assert!(line.contains(" offers hold it, at $") && line.contains(", 20"), "{line}");
        let chinese = offers(&machine("h100-sxm", 8), Lang::Zh).unwrap_or_default();
        assert!(chinese.contains("个报价"), "{chinese}");
        // Of a number that no instance divides there is none.
        assert_eq!(offers(&machine("gb200-nvl72", 7), Lang::En), None);
    }
}
