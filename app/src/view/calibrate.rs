//! A run of one's own beside the estimate of it, and its factors on all estimates.

use super::dom::{El, el, live, part, press, ticked};
use leptos::prelude::*;
use shardwise_core::calibration::Calibrated;
use shardwise_core::complete::training_gpus;
use shardwise_core::wire::Calibration;

use super::controls::plain;
use super::icons::icon;
use crate::form::{Field, measurable};
use crate::format;
use crate::page::{Page, Run};
use crate::text::{Lang, fill};
use crate::words;

/// The panel.
pub(super) fn view(page: Page) -> AnyView {
    let text = page.text();
    let inputs = move || {
        let kind = page.kind();
        let fields = Field::ALL.iter().copied();
        let asked = fields.filter(|field| measurable(*field, kind));
        el("DIV.cal-in").children(asked.map(|field| plain(page, field)))
    };
    let compared = move || {
        let run = page.run()?;
        let own = run.compared.as_ref().ok()?;
        Some(result(&run, own, page.lang))
    };
    let on = move || applied(page).is_some();
    let ready = move || {
        let run = page.run();
        on() || run.is_some_and(|run| run.compared.is_ok())
    };
    el("SECTION.block cal-s|id=calibrate|aria-labelledby=calibrate-h")
        .child(
            el("DIV.block-h")
                .child(el("H2|id=calibrate-h").child(text.calibrate))
                .child(el("P.note").child(text.cal_note)),
        )
        .child(part(inputs))
        .child(part(compared))
        .child(
            el("LABEL.check")
                .child(
                    el("INPUT|type=checkbox|id=cal-apply")
                        .flag("checked", on)
                        .flag("disabled", move || !ready())
                        .on("change", ticked(move |on| page.apply_run(on))),
                )
                .child(el("SPAN").child(text.cal_apply))
                .child(el("SPAN.cal-on").child(live(move || applied_words(page)))),
        )
        .into_any()
}

/// The factors in the form's question.
fn applied(page: Page) -> Option<Calibration> {
    page.form.with(|form| form.calibration())
}

/// The factors in the form's question, in words.
pub(super) fn applied_words(page: Page) -> Option<String> {
    applied(page).map(|own| factors(&own, page.lang))
}

/// `times × 1.12, training's memory × 1.03`.
fn factors(own: &Calibration, lang: Lang) -> String {
    let text = lang.text();
    let part = |words: &str, factor: Option<f64>| factor.map(|factor| fill(words, &[&format::fixed(factor, 2)]));
    let parts = [part(text.cal_times, own.time), part(text.cal_gib_times, own.memory)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(if lang == Lang::Zh { "，" } else { ", " })
}

/// A factor, and what it comes from.
fn entry(name: &'static str, factor: f64, lines: Vec<String>) -> El {
    let times = format!("× {}", format::fixed(factor, 2));
    el("DIV")
        .child(el("DT").child(name))
        .child(el("DD").child(el("B").child(times)))
        .children(lines.into_iter().map(|line| el("DD.sub").child(line)))
}

fn result(run: &Run, own: &Calibrated, lang: Lang) -> El {
    let text = lang.text();
    let range = |inside: bool| {
        let words = if inside { text.cal_inside } else { text.cal_outside };
        words.to_owned()
    };
    let timed = [(text.cal_passes, &own.passes), (text.cal_step, &own.step)];
    let timed = timed.into_iter().filter_map(|(name, pace)| {
        let pace = pace.as_ref()?;
        let seconds = [pace.measured_s, pace.estimated_s].map(format::seconds);
        let shares = [pace.mfu, pace.estimated_mfu].map(|mfu| format::percent(mfu, 1));
        let mut lines =
            vec![fill(text.cal_seconds, &[&seconds[0], &seconds[1]]), fill(text.cal_mfu, &[&shares[0], &shares[1]])];
        let guide = |mfu| fill(text.cal_guide, &[&format::percent(mfu, 1)]);
        lines.extend(pace.guide_mfu.map(guide));
        lines.push(range(pace.inside_interval));
        Some(entry(name, pace.factor, lines))
    });
    let memory = own.memory.map(|peak| {
        let gib = [peak.measured_gib, peak.estimated_gib].map(format::gib);
        let lines = vec![fill(text.cal_gib, &[&gib[0], &gib[1]]), range(peak.inside_interval)];
        entry(text.cal_memory, peak.factor, lines)
    });
    let plan = words::plan_in_short(&own.plan, training_gpus(&run.job));
    let mut plan = vec![plan, words::batch(&own.plan, lang)];
    plan.retain(|words| !words.is_empty());
    let asked = words::asked(&run.job, lang);
    el("DIV|id=cal-result")
        .child(el("DL.cal").children(timed).child(memory))
        .child(el("P.note").child(fill(text.cal_of, &[&asked, &plan.join(" · ")])))
}

/// Says in the verdict that its figures are calibrated, and takes that back.
pub(super) fn notice(page: Page, own: &Calibration) -> AnyView {
    let text = page.text();
    el("P.cal-n|id=calibrated")
        .child(icon("i-check"))
        .child(el("SPAN").child(fill(text.cal_notice, &[&factors(own, page.lang)])))
        .child(
            el("BUTTON.lnk|type=button|id=cal-forget")
                .on("click", press(move || page.apply_run(false)))
                .child(text.cal_forget),
        )
        .into_any()
}

/// A tag on a figure that follows the factors.
pub(super) fn tag(on: bool, lang: Lang) -> Option<El> {
    on.then(|| el("SPAN.tag tag-ok").child(lang.text().calibrated))
}
