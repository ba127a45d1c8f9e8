//! A run of one's own beside the estimate of it, and its factors on all estimates.

use leptos::ev::SubmitEvent;
use shardwise_core::calibration::Calibrated;
use shardwise_core::complete::training_gpus;
use shardwise_core::wire::Calibration;

use super::controls::Input;
use crate::clusters::{self, Cluster};
use crate::form::{Field, measurable};
use crate::page::Run;
use crate::view::prelude::*;

/// The panel.
#[component]
pub(super) fn Calibrate(page: Page) -> impl IntoView {
    let text = page.text();
    let inputs = move || {
        let kind = page.kind();
        let asked = Field::ALL.iter().copied().filter(move |field| measurable(*field, kind));
        asked.map(|field| view! { <Input page field/> }).collect_view()
    };
    let compared = move || {
        let run = page.run()?;
        let own = run.compared.as_ref().ok()?;
        Some(result(&run, own, page.lang))
    };
    let on = move || applied(page).is_some();
    let ready = move || on() || page.run().is_some_and(|run| run.compared.is_ok());
    view! {
        <section class="block cal-s" id="calibrate" aria-labelledby="calibrate-h">
            <div class="block-h">
                <h2 id="calibrate-h">{text.calibrate}</h2>
                <p class="note">{text.cal_note}</p>
            </div>
            <div class="cal-in">{inputs}</div>
            {compared}
            <label class="check">
                <input
                    type="checkbox"
                    id="cal-apply"
                    prop:checked=on
                    prop:disabled=move || !ready()
                    on:change=move |event| page.apply_run(event_target_checked(&event))
                />
                <span>{text.cal_apply}</span>
                <span class="cal-on">{move || applied_words(page)}</span>
            </label>
            <Clusters page/>
        </section>
    }
}

/// Calibrations by the name of the cluster whose run they are of, kept in this browser: keep, apply, erase.
#[component]
fn Clusters(page: Page) -> impl IntoView {
    let text = page.text();
    let stored = RwSignal::new(browser::stored(clusters::KEY).unwrap_or_default());
    let name = RwSignal::new(String::new());
    let write = move |new: String| {
        browser::store(clusters::KEY, &new);
        stored.set(new);
    };
    let keep = move |event: SubmitEvent| {
        event.prevent_default();
        let own = applied(page).zip(clusters::named(&name.get_untracked()));
        if let Some((calibration, called)) = own {
            write(clusters::with(&stored.get_untracked(), &Cluster { name: called, calibration }));
            name.set(String::new());
        }
    };
    let entry = move |own: Cluster| {
        let words = factors(&own.calibration, page.lang);
        let (called, of) = (own.name.clone(), own.name.clone());
        let apply = move |_| page.change(|form| form.calibrate(Some(own.of(page.kind()))));
        let erase = move |_| {
            write(clusters::without(&stored.get_untracked(), &called));
            browser::focus("cal-name");
        };
        view! {
            <li>
                <b>{of.clone()}</b>
                <span class="cal-on">{words}</span>
                <button class="btn btn-s" type="button" aria-label=fill(text.cal_use, &[&of]) on:click=apply>
                    {text.cal_use_short}
                </button>
                <button class="lnk" type="button" aria-label=fill(text.cal_erase, &[&of]) on:click=erase>
                    {text.cal_erase_short}
                </button>
            </li>
        }
    };
    view! {
        <form class="cal-k" id="cal-keep" on:submit=keep>
            <label class="lab" for="cal-name">{text.cal_cluster}</label>
            <input
                id="cal-name"
                type="text"
                maxlength=clusters::LONGEST.to_string()
                autocomplete="off"
                prop:value=move || name.get()
                on:input=move |event| name.set(event_target_value(&event))
            />
            <button
                class="btn btn-s"
                type="submit"
                prop:disabled=move || applied(page).is_none() || clusters::named(&name.get()).is_none()
            >
                {text.cal_keep}
            </button>
            <p class="hint">{text.cal_kept_here}</p>
        </form>
        <ul class="cal-l" id="cal-kept">
            <For each=move || clusters::read(&stored.get()) key=|own| own.clone().name children=entry/>
        </ul>
    }
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
    let parts = [
        part(text.cal_times, own.time.filter(|_| !own.has_phases())),
        part(text.cal_rollout, own.rollout),
        part(text.cal_forward, own.forward),
        part(text.cal_update, own.update),
        part(text.cal_sync, own.weight_sync),
        part(text.cal_other, own.other),
        part(text.cal_gib_times, own.memory),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(lang.comma())
}

/// A factor, and what it comes from.
fn entry(name: &'static str, factor: f64, lines: Vec<String>) -> AnyView {
    let lines = lines.into_iter().map(|line| view! { <dd class="sub">{line}</dd> });
    view! {
        <div>
            <dt>{name}</dt>
            <dd>
                <b>{format!("× {}", format::fixed(factor, 2))}</b>
            </dd>
            {lines.collect_view()}
        </div>
    }
}

fn result(run: &Run, own: &Calibrated, lang: Lang) -> AnyView {
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
    view! {
        <div id="cal-result">
            <dl class="cal">{timed.collect_view()} {memory}</dl>
            <p class="note">{fill(text.cal_of, &[&asked, &plan.join(" · ")])}</p>
        </div>
    }
}

/// Says in the verdict that its figures are calibrated, and takes that back.
#[component]
pub(super) fn Notice(page: Page, own: Calibration) -> impl IntoView {
    let text = page.text();
    view! {
        <p class="cal-n" id="calibrated">
            <Icon name="i-check"/>
            <span>{fill(text.cal_notice, &[&factors(&own, page.lang)])}</span>
            <button class="lnk" type="button" id="cal-forget" on:click=move |_| page.apply_run(false)>
                {text.cal_forget}
            </button>
        </p>
    }
}

/// A tag on a figure that follows the factors.
pub(super) fn tag(on: bool, lang: Lang) -> Option<AnyView> {
    on.then(|| view! { <span class="tag tag-ok">{lang.text().calibrated}</span> })
}
