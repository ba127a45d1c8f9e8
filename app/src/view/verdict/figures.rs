//! The figures under the verdict: throughput, a step, the run and what it costs.

use leptos::prelude::*;
use shardwise_core::Answer;

use crate::format;
use crate::page::{Page, Shown};
use crate::text::{Lang, fill};
use crate::view::dom::{El, el, node};
use crate::view::figure::per_cent;
use crate::view::{calibrate, how, run as runs};

/// All of them.
pub(super) fn view(page: Page, shown: &Shown) -> AnyView {
    let answer = &shown.found.answer;
    el("DL.figs")
        .child(throughput(page, answer))
        .child(step(page, answer))
        .child(run(page, shown))
        .child(cost(page, answer))
        .into_any()
}

/// A figure.
struct Figure {
    id: &'static str,
    /// Its name, with what says how it comes about.
    name: AnyView,
    value: String,
    unit: &'static str,
    /// Where in its range the value is, the range, and the range in words.
    range: Option<(f64, [f64; 2], String)>,
    sub: El,
}

impl Figure {
    /// The bar under it shows where in its range the value is.
    fn view(self) -> AnyView {
        let range = self.range.map(|(value, [low, high], words)| {
            el("DD.iv").child(interval_bar(value, low, high)).child(el("SPAN").child(words))
        });
        el("DIV.fig")
            .set("id", self.id)
            .child(el("DT").child(self.name))
            .child(
                el("DD")
                    .child(el("B").child(self.value))
                    .child(" ")
                    // A short unit stays beside its number where there is little room.
                    .child(el(if self.unit.len() < 8 { "SPAN.u u-i" } else { "SPAN.u" }).child(self.unit)),
            )
            .child(range)
            .child(self.sub)
            .into_any()
    }
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

/// What stands under a figure.
fn sub(words: impl Into<String>) -> El {
    el("DD.sub").child(words.into())
}

/// A range with its words, for a figure that the speed decides.
fn ranged(value: f64, range: Option<[f64; 2]>, write: impl Fn(f64) -> String) -> Option<(f64, [f64; 2], String)> {
    let [low, high] = range?;
    Some((value, [low, high], format!("{}–{}", write(low), write(high))))
}

/// A range of dollars, with one sign for both ends.
fn ranged_usd(usd: f64, range: Option<[f64; 2]>, write: fn(f64) -> String) -> Option<(f64, [f64; 2], String)> {
    let [low, high] = range?;
    let high_words = write(high);
    let words = format!("{}–{}", write(low), high_words.trim_start_matches('$'));
    Some((usd, [low, high], words))
}

fn throughput(page: Page, answer: &Answer) -> AnyView {
    let text = page.text();
    let speed = answer.tokens_per_s_per_gpu;
    let [mfu, hfu] = [answer.mfu, answer.hfu].map(|share| format::percent(share, 1));
    // Nothing is recomputed where the two are the same.
    let recomputed = (answer.hfu > answer.mfu).then(|| fill(text.hfu, &[&hfu]));
    let sub = el("DD.sub|id=fig-mfu")
        .child(text.mfu)
        .child("\u{a0}")
        .child(el("SPAN.nb").child(mfu))
        .child(recomputed)
        .child(" ")
        .child(how::button(page, "mfu", text.mfu));
    Figure {
        id: "fig-throughput",
        name: timed(page, text.throughput, "tokens_per_s_per_gpu", answer),
        value: format::figure(speed),
        unit: text.per_gpu,
        range: ranged(speed, answer.interval.map(|own| own.tokens_per_s_per_gpu), format::figure),
        sub,
    }
    .view()
}

/// The two longest phases of a step that has several: `Rollout 148 s, Actor update 104 s`.
fn longest(answer: &Answer, lang: Lang) -> Option<String> {
    let mut phases: Vec<_> = answer.time.phases.iter().collect();
    phases.sort_by(|a, b| b.s.total_cmp(&a.s));
    let [first, second, ..] = phases.as_slice() else {
        return None;
    };
    let values = [first, second].map(|phase| (format::seconds(phase.s), lang.word(phase.name)));
    let [(long, first), (short, second)] = &values;
    Some(fill(lang.text().step_phases, &[long, first, short, second]))
}

fn step(page: Page, answer: &Answer) -> AnyView {
    let text = page.text();
    let usd = || answer.usd_per_step.map(|usd| fill(text.usd_step, &[&format::usd(usd)]));
    let seconds = answer.step_time_s;
    Figure {
        id: "fig-step",
        name: timed(page, text.step, "step_time", answer),
        value: format::seconds(seconds),
        unit: text.seconds_unit,
        range: ranged(seconds, answer.against_speed(seconds), format::seconds),
        sub: sub(longest(answer, page.lang).or_else(usd).unwrap_or_default()),
    }
    .view()
}

/// The run in hours; where none is stated, what all GPUs do in one.
fn run(page: Page, shown: &Shown) -> AnyView {
    let lang = page.lang;
    let (text, answer) = (lang.text(), &shown.found.answer);
    let gpus = format::grouped(shown.found.job.hardware.gpus.into());
    let tokens = answer.mtok_per_hour * 1e6;
    let Some(run) = answer.run else {
        return Figure {
            id: "fig-run",
            name: timed(page, text.an_hour, "mtok_per_hour", answer),
            value: lang.tokens(tokens),
            unit: text.tokens_unit,
            range: ranged(tokens, answer.with_speed(tokens), |tokens| lang.tokens(tokens)),
            sub: sub(fill(text.all_gpus, &[&gpus])),
        }
        .view();
    };
    let steps = if run.assumed { text.steps_assumed } else { text.steps_of };
    Figure {
        id: "fig-run",
        name: timed(page, text.whole, "run.hours", answer),
        value: runs::hours(run.hours),
        unit: text.hours,
        range: ranged(run.hours, answer.against_speed(run.hours), runs::hours),
        sub: sub(fill(steps, &[&format::fixed(run.steps, 0), &lang.tokens(run.tokens)])),
    }
    .view()
}

/// Dollars of the run; where none is stated, of a million tokens.
fn cost(page: Page, answer: &Answer) -> AnyView {
    let text = page.text();
    let name = |figure| timed(page, text.cost, figure, answer);
    let Some((usd, price)) = answer.usd_per_mtok.zip(answer.usd_per_gpu_hour) else {
        let name = name("usd_per_mtok");
        return Figure {
            id: "fig-cost", name, value: "–".to_owned(), unit: "", range: None, sub: sub(text.no_price)
        }
        .view();
    };
    let price = format::price(price);
    let (figure, value, unit, beside) = match answer.run.and_then(|run| run.usd) {
        Some(run) => ("run.usd", run, text.whole_run, fill(text.usd_mt, &[&format::usd(usd), &price])),
        None => {
            let step = answer.usd_per_step.map(format::usd).unwrap_or_default();
            ("usd_per_mtok", usd, text.per_mt, fill(text.usd_step_at, &[&step, &price]))
        }
    };
    let write = if figure == "run.usd" { format::dollars } else { format::usd };
    Figure {
        id: "fig-cost",
        name: name(figure),
        value: write(value),
        unit,
        range: ranged_usd(value, answer.against_speed(value), write),
        sub: sub(beside),
    }
    .view()
}
