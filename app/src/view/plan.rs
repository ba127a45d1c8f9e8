//! The plan, in tags.

use leptos::prelude::*;
use shardwise_core::complete::training_gpus;

use super::dom::{el, live, press, press_link};
use super::fold;
use super::icons::icon;
use crate::format;
use crate::page::{Page, Shown};
use crate::text::{Lang, fill};
use crate::words;

/// The plan in tags.
fn chips(shown: &Shown, lang: Lang) -> Vec<String> {
    let (text, spec) = (lang.text(), &shown.found.answer.plan);
    let runs = shown.found.answer.framework.map(words::framework_name);
    let mut chips: Vec<String> = runs.into_iter().collect();
    if shown.found.job.workload.generation.is_none() {
        chips.extend(spec.backend.map(|backend| backend.name().to_owned()));
        chips.extend(
            words::layout(spec, training_gpus(&shown.found.job))
                .split(" · ")
                .map(str::to_owned),
        );
        chips.extend(
            spec.zero_stage
                .filter(|stage| *stage > 0)
                .map(|stage| format!("ZeRO\u{a0}{stage}")),
        );
        chips.push(words::batch(spec, lang));
        chips.push(match words::recompute(spec) {
            "none" => text.chip_no_recompute.to_owned(),
            granularity => fill(text.chip_recompute, &[lang.word(granularity)]),
        });
        let offloaded = words::offload(spec, lang);
        chips.push(match offloaded.as_str() {
            "" => text.chip_no_offload.to_owned(),
            named => fill(text.chip_offload, &[named]),
        });
        chips.extend(spec.fused_lm_head.filter(|on| *on).map(|_| text.chip_fused.to_owned()));
    }
    if let Some(rollout) = &spec.rollout {
        let mut degree = format::grouped(rollout.tensor_parallel.unwrap_or(1));
        let beside = [("DP", rollout.data_parallel), ("EP", rollout.expert_parallel)];
        for (name, size) in beside {
            if let Some(size) = size.filter(|size| *size > 1) {
                degree.push_str(&format!(" × {name} {}", format::grouped(size)));
            }
        }
        let share = format::percent(rollout.gpu_memory_utilization.unwrap_or_default(), 0);
        chips.push(fill(text.chip_rollout, &[&degree, &share]));
    }
    chips.retain(|chip| !chip.is_empty());
    chips
}

pub(super) fn view(page: Page, shown: &Shown) -> AnyView {
    let lang = page.lang;
    let text = lang.text();
    let considered = move || {
        // The first offer is the question's own GPU type.
        let market = page.market();
        let own = market.offers.first().and_then(|own| own.result.as_ref().ok());
        match own {
            Some(found) if found.considered > 1 => fill(text.best_of, &[&format::grouped(found.considered)]),
            _ => text.the_plan.to_owned(),
        }
    };
    let note = shown.found.answer.interval.map(|interval| {
        el("P.vp-n")
            .child(fill(text.interval_note, &[&format::percent(interval.coverage, 0)]))
            .child(" ")
            .child(
                el("A|href=#calibrate")
                    .on("click", press_link(move || fold::go(page, "calibrate")))
                    .child(text.cal_link),
            )
    });
    let tags = chips(shown, lang).into_iter().map(|chip| el("LI").child(chip));
    el("DIV.verdict-plan")
        .child(el("P.vp-h").child(live(considered)))
        .child(el("UL.chips").children(tags))
        .child(note)
        .child(
            el("P.vp-a").child(
                el("BUTTON.btn btn-s|type=button|id=pin-a")
                    .on("click", press(move || page.put_aside()))
                    .child(icon("i-pin"))
                    .child(text.pin_a),
            ),
        )
        .into_any()
}
