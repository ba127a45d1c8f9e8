//! The verdict: one sentence, one bar, four figures, one plan.

use std::sync::Arc;

use super::dom::{el, live, node, part, press, press_link};
use leptos::prelude::*;
use shardwise_core::Answer;
use shardwise_core::complete::training_gpus;
use shardwise_core::wire::{Fit, FitState};

use super::calibrate;
use super::figure::per_cent;
use super::icons::{icon, icon_with};
use super::{closing, how, sheet, sure};
use crate::browser;
use crate::fit;
use crate::follow::follow_at_rest;
use crate::format;
use crate::page::{Page, Shown};
use crate::protocol::Name;
use crate::text::{Lang, fill};
use crate::words;

/// How long the answer must rest before it is read out, in milliseconds.
const QUIET_MS: u32 = 600;

/// Whether it fits, in one sentence.
pub(super) fn sentence(answer: &Answer, lang: Lang) -> String {
    fit::sentence(&answer.fit, lang)
}

pub(super) fn view(page: Page) -> AnyView {
    let class = move || {
        let stale = !page.wrong().is_empty();
        match (page.answered(), stale) {
            (Some(shown), false) => format!("verdict {}", state(&shown)),
            (Some(shown), true) => format!("verdict is-stale {}", state(&shown)),
            (None, _) => "verdict is-stale".to_owned(),
        }
    };
    let head = move || match page.answered() {
        Some(shown) => head(page, &shown, page.wrong().len()),
        None => el("P.stale-n")
            .child(icon("i-info"))
            .child(el("SPAN").child(page.text().stale_none))
            .into_any(),
    };
    let out = move || {
        let sure = page.answered()?.found.answer.fit.state == FitState::Fits;
        (!sure).then(|| closing::view(page))
    };
    let figures = move || page.answered().map(|shown| figures(page, &shown));
    // The control and what the worker writes stay where they are while all around them is new.
    el("SECTION")
        .live("class", class)
        .set("aria-labelledby", "v-h")
        .child(part(head))
        .child(sure::view(page))
        .child(sheet::view(page, Name::Ways))
        .child(part(out))
        .child(part(figures))
        .into_any()
}

fn state(shown: &Shown) -> &'static str {
    fit::class(shown.found.answer.fit.state)
}

/// The notice that the answer belongs to an earlier question.
fn stale(shown: &Shown, lang: Lang, wrong: usize) -> Option<AnyView> {
    let text = lang.text();
    let asked = words::asked(&shown.found.job, lang);
    let notice = match wrong {
        0 => return None,
        1 => fill(text.stale_one, &[&asked]),
        more => fill(text.stale_many, &[&asked, &more.to_string()]),
    };
    Some(el("P.stale-n").child(icon("i-info")).child(el("SPAN").child(notice)).into_any())
}

/// Heading, margin and bar.
fn head(page: Page, shown: &Arc<Shown>, wrong: usize) -> AnyView {
    let lang = page.lang;
    let answer = &shown.found.answer;
    let own = &answer.fit;
    node(vec![
        node(stale(shown, lang, wrong)),
        node(
            el("DIV.verdict-top")
                .child(
                    el("H2|id=v-h").child(icon_with(fit::icon(own.state), "verdict-i")).child(
                        el("SPAN")
                            .child(fit::word(own.state, lang))
                            .child(el("SPAN.of").child(fit::behind(own, lang))),
                    ),
                )
                .child(margin(own, lang))
                .child(el("P.verdict-q").child(words::asked(&shown.found.job, lang))),
        ),
        node(answer.calibration.map(|own| calibrate::notice(page, &own))),
        memory(page, answer),
    ])
}

/// What is to spare or missing.
pub(super) fn margin(own: &Fit, lang: Lang) -> AnyView {
    let parts = fit::parts(own, lang);
    let parts = parts
        .into_iter()
        .enumerate()
        .map(|(place, words)| if place % 2 == 1 { node(el("B").child(words)) } else { node(words) });
    el("P.verdict-m").children(parts).into_any()
}

fn figures(page: Page, shown: &Arc<Shown>) -> AnyView {
    let answer = &shown.found.answer;
    node(vec![
        el("DL.figs")
            .child(throughput(page, answer))
            .child(cost(page, answer))
            .child(run(page, shown))
            .child(mfu(page, answer))
            .into_any(),
        plan(page, shown, page.lang),
    ])
}

/// What decides whether it fits, as a bar: the estimate, what suffices as surely as asked, and what there is.
pub(super) fn bar(own: &Fit, lang: Lang) -> AnyView {
    let text = lang.text();
    let bar = fit::bar(own);
    let part = |class: &'static str, from: f64, wide: f64| {
        el("rect|height=26|y=20")
            .set("class", class)
            .set("x", per_cent(from))
            .set("width", per_cent(wide.max(0.0)))
    };
    let tick = |class: &'static str, at: f64, y: &'static str, height: &'static str| {
        el("rect|width=2")
            .set("class", class)
            .set("x", per_cent(at))
            .set("y", y)
            .set("height", height)
    };
    // Words end at their mark, unless that stands too far left for them.
    let words = |class: &'static str, at: f64, y: &'static str, words: String| {
        el("text")
            .set("class", class)
            .set("x", per_cent(at))
            .set("y", y)
            .set("text-anchor", if at < 0.4 { "start" } else { "end" })
            .child(words)
    };
    let confidence = format!("{}\u{a0}%", fit::asked(own.confidence));
    let [needed, sure, card] = [own.needed_gib, own.needed_at_confidence_gib, own.capacity_gib].map(format::gib);
    let inside = bar.estimate > 0.2;
    el("svg.fb|role=img")
        .set("aria-label", fill(text.fit_bar, &[&needed, &confidence, &sure, &card]))
        .child(words("t-card", bar.card, "11", fill(text.fit_usable, &[&card])))
        .child(part("bed", 0.0, bar.card))
        .child(part("unc", bar.estimate, bar.sure - bar.estimate))
        .child(tick("qcap", bar.sure, "20", "32"))
        .child(part("est", 0.0, bar.estimate))
        .child(part("rim", 0.0, bar.card))
        .child(
            el("text|y=37.5")
                .set("class", if inside { "t-in" } else { "t-q" })
                .set("x", per_cent(if inside { 0.0 } else { bar.estimate }))
                .set("dx", "10")
                .child(format!("{needed} GiB")),
        )
        .child(tick("card", bar.card, "15", "36"))
        .child(words("t-q", bar.sure, "64", fill(text.fit_sure_below, &[&confidence, &sure])))
        .into_any()
}

fn memory(page: Page, answer: &Answer) -> AnyView {
    let lang = page.lang;
    let memory = &answer.memory;
    let rest = fill(lang.text().worst, &[&format::gib(memory.capacity_gib), lang.word(memory.phase)]);
    let on = answer.calibration.is_some_and(|own| own.memory.is_some());
    el("DIV.fit")
        .child(bar(&answer.fit, lang))
        .child(
            el("P.fit-t")
                .child(
                    el("SPAN")
                        .child(el("B|id=reserved").child(format::gib(memory.reserved_gib)))
                        .child(" ")
                        .child(rest),
                )
                .child(" ")
                .child(how::button(page, format!("memory.{}", memory.phase), lang.text().memory))
                .child(calibrate::tag(on, lang)),
        )
        .child(fit::host(&answer.fit, lang).map(|words| el("P.fit-h|id=host-memory").child(words)))
        .into_any()
}

/// A figure with its range; the bar under it shows where in its range the value is.
fn figure(
    id: &'static str,
    name: AnyView,
    value: AnyView,
    value_at: f64,
    range: Option<([f64; 2], String)>,
    sub: AnyView,
    first: bool,
) -> AnyView {
    let range = range.map(|([low, high], words)| {
        el("DD.iv")
            .child(interval_bar(value_at, low, high))
            .child(el("SPAN").child(words))
    });
    el("DIV")
        .set("class", if first { "fig fig-1" } else { "fig" })
        .set("id", id)
        .child(el("DT").child(name))
        .child(el("DD").child(value))
        .child(range)
        .child(el("DD.sub").child(sub))
        .into_any()
}

/// The range and the value on a line from half to one and a half times the value.
fn interval_bar(value: f64, low: f64, high: f64) -> AnyView {
    let at = |x: f64| {
        if value > 0.0 { (x / value - 0.5).clamp(0.0, 1.0) } else { 0.5 }
    };
    let (from, to) = (at(low), at(high));
    el("svg.ivb|width=100%|height=9|aria-hidden=true")
        .child(el("rect.ivb-bg|width=100%|height=1|y=4"))
        .child(
            el("rect.ivb-r|height=5|y=2|rx=2.5")
                .set("x", per_cent(from))
                .set("width", per_cent((to - from).max(0.0))),
        )
        .child(el("circle.ivb-p|cx=50%|cy=4.5|r=3.5"))
        .into_any()
}

/// The name of a figure that follows a calibration of times, which is said beside it.
fn timed(page: Page, name: &'static str, figure: &'static str, answer: &Answer) -> AnyView {
    let on = answer.calibration.is_some_and(|own| own.time.is_some());
    vec![node(name), node(" "), node(how::button(page, figure, name)), node(calibrate::tag(on, page.lang))].into_any()
}

fn throughput(page: Page, answer: &Answer) -> AnyView {
    let text = page.text();
    let range = answer.interval.map(|interval| {
        let [low, high] = interval.tokens_per_s_per_gpu;
        ([low, high], format!("{}–{}", format::figure(low), format::figure(high)))
    });
    let value = vec![
        node(el("B").child(format::figure(answer.tokens_per_s_per_gpu))),
        node(" "),
        node(el("SPAN.u").child(text.per_gpu)),
    ];
    let sub = fill(text.mt_hour, &[&format::figure(answer.mtok_per_hour)]);
    figure(
        "fig-throughput",
        timed(page, text.throughput, "tokens_per_s_per_gpu", answer),
        value.into_any(),
        answer.tokens_per_s_per_gpu,
        range,
        sub.into_any(),
        true,
    )
}

/// A range with its words, for a figure that the speed decides.
fn ranged(range: Option<[f64; 2]>, write: impl Fn(f64) -> String) -> Option<([f64; 2], String)> {
    let [low, high] = range?;
    Some(([low, high], format!("{}–{}", write(low), write(high))))
}

fn cost(page: Page, answer: &Answer) -> AnyView {
    let text = page.text();
    let name = timed(page, text.cost, "usd_per_mtok", answer);
    let Some((usd, price)) = answer.usd_per_mtok.zip(answer.usd_per_gpu_hour) else {
        return figure("fig-cost", name, el("B").child("–").into_any(), 0.0, None, text.no_price.into_any(), true);
    };
    let range = answer.against_speed(usd).map(|[low, high]| {
        let words = format!("{}–{}", format::usd(low), format::figure(high));
        ([low, high], words)
    });
    let value = vec![node(el("B").child(format::usd(usd))), node(" "), node(el("SPAN.u").child(text.per_mt))];
    let sub = fill(text.at_price, &[&format::price(price)]);
    figure("fig-cost", name, value.into_any(), usd, range, sub.into_any(), true)
}

fn run(page: Page, shown: &Shown) -> AnyView {
    let lang = page.lang;
    let (text, answer) = (lang.text(), &shown.found.answer);
    let step = format::seconds(answer.step_time_s);
    let Some((run, tokens)) = answer.run.zip(shown.question.workload.tokens) else {
        let value = vec![node(el("B").child(step)), node(" "), node(el("SPAN.u u-i").child(text.seconds_unit))];
        let sub = answer
            .usd_per_step
            .map(|usd| fill(text.usd_step, &[&format::usd(usd)]))
            .unwrap_or_default();
        return figure(
            "fig-run",
            timed(page, text.step, "step_time", answer),
            value.into_any(),
            answer.step_time_s,
            ranged(answer.against_speed(answer.step_time_s), format::seconds),
            sub.into_any(),
            false,
        );
    };
    let usd = run.usd.map(|usd| vec![node(" "), node(el("B").child(format::usd(usd)))]);
    let value = vec![
        node(el("B").child(format::figure(run.hours))),
        node(" "),
        node(el("SPAN.u u-i").child(text.hours)),
        node(usd),
    ];
    let name = fill(text.run, &[&lang.tokens(tokens)]);
    let how = how::button(page, "run.hours", &name);
    let name = vec![node(name), node(" "), node(how)].into_any();
    let sub = fill(text.a_step, &[&step]);
    let hours = ranged(answer.against_speed(run.hours), format::figure);
    let dollars = run.usd.and_then(|usd| ranged(answer.against_speed(usd), format::figure));
    let range = hours.map(|(range, words)| {
        let dollars = dollars.map(|(_, words)| format!(", ${words}"));
        let words = format!("{words} {}{}", text.hours, dollars.unwrap_or_default());
        (range, words)
    });
    figure("fig-run", name, value.into_any(), run.hours, range, sub.into_any(), false)
}

fn mfu(page: Page, answer: &Answer) -> AnyView {
    let text = page.text();
    let value = el("B").child(format::percent(answer.mfu, 1));
    let sub = if answer.hfu > answer.mfu { text.hfu } else { text.hfu_same };
    let sub = fill(sub, &[&format::percent(answer.hfu, 1)]);
    figure(
        "fig-mfu",
        timed(page, text.mfu, "mfu", answer),
        value.into_any(),
        answer.mfu,
        answer.with_speed(answer.mfu).map(|[low, high]| {
            // No card does more than its peak.
            let high = high.min(1.0);
            let (from, to) = (format::fixed(low * 100.0, 1), format::percent(high, 1));
            ([low, high], format!("{from}–{to}"))
        }),
        sub.into_any(),
        false,
    )
}

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

fn plan(page: Page, shown: &Shown, lang: Lang) -> AnyView {
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
                    .on("click", press_link(|| browser::jump("calibrate")))
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

/// Links to the parts of the page, and the verdict in one line once it has scrolled away.
pub(super) fn dock(page: Page) -> AnyView {
    let link = |id: &'static str, name: fn(&crate::text::Text) -> &'static str| {
        el("LI").child(
            el("A")
                .set("href", format!("#{id}"))
                .on("click", press_link(move || browser::jump(id)))
                .child(name(page.text())),
        )
    };
    let line = move || {
        let lang = page.lang;
        page.answered().map(|shown| {
            let answer = &shown.found.answer;
            let own = &answer.fit;
            let usd = answer.usd_per_mtok.map(|usd| el("SPAN").child(format::usd(usd)).child("/MT"));
            el("P")
                .set("class", format!("dock-v {}", fit::class(own.state)))
                .child(icon(fit::icon(own.state)))
                .child(el("B").child(fit::short(own.state, own.probability, lang)))
                .child(el("SPAN.dock-m").child(match own.state {
                    FitState::No => format!("{} / {} GiB", format::gib(own.needed_gib), format::gib(own.capacity_gib)),
                    _ => format!("{} GiB", format::gib(own.needed_gib)),
                }))
                .child(el("SPAN").child(format::figure(answer.tokens_per_s_per_gpu)).child(" tok/s"))
                .child(usd)
                .child(calibrate::tag(answer.calibration.is_some(), lang))
        })
    };
    el("NAV.dock")
        .set("aria-label", page.text().on_this_page)
        .child(
            el("DIV.dock-in")
                .child(
                    el("UL")
                        .child(link("gpus", |text| text.nav_gpus))
                        .child(link("memory", |text| text.nav_memory))
                        .child(link("time", |text| text.nav_time))
                        .child(link("sheet-scaling", |text| text.nav_scale))
                        .child(link("plans", |text| text.nav_plans))
                        .child(link("flags", |text| text.nav_flags))
                        .child(link("advice", |text| text.nav_advice)),
                )
                .child(part(line)),
        )
        .into_any()
}

/// The verdict for a screen reader, once the typing has paused.
pub(super) fn announcement(page: Page) -> AnyView {
    let said = RwSignal::new(String::new());
    follow_at_rest(QUIET_MS, move || {
        let lang = page.look.lang.get();
        let sentence = page.answered().map(|shown| {
            let answer = &shown.found.answer;
            let speed = format!("{} {}", format::figure(answer.tokens_per_s_per_gpu), lang.text().per_gpu);
            format!("{}. {} {speed}", sentence(answer, lang), fit::margin(&answer.fit, lang))
        });
        Some(Box::new(move || said.set(sentence.unwrap_or_default())))
    });
    el("DIV.vh|role=status|aria-live=polite|id=announcement")
        .child(live(move || said.get()))
        .into_any()
}
