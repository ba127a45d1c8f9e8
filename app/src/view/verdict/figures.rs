//! The figures under the verdict: throughput, cost, a step or the run, and how much of the cards' peak is used.

use leptos::prelude::*;
use shardwise_core::Answer;

use crate::format;
use crate::page::{Page, Shown};
use crate::text::fill;
use crate::view::dom::{el, node};
use crate::view::figure::per_cent;
use crate::view::{calibrate, how};

/// All of them.
pub(super) fn view(page: Page, shown: &Shown) -> AnyView {
    let answer = &shown.found.answer;
    el("DL.figs")
        .child(throughput(page, answer))
        .child(cost(page, answer))
        .child(run(page, shown))
        .child(mfu(page, answer))
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
    let sub = fill(text.mt_hour, &[&page.lang.millions(answer.mtok_per_hour)]);
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
