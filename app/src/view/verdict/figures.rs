//! The figures under the verdict: throughput, a step, the run and what it costs.

use shardwise_core::Answer;
use shardwise_core::ordered;
use shardwise_core::wire::{RecomputeGranularity, RecomputeSpec};

use crate::view::how::How;
use crate::view::prelude::*;
use crate::view::{calibrate, operations, run as runs};

/// All of them.
#[component]
pub(super) fn Figures(page: Page, shown: Arc<Shown>) -> impl IntoView {
    let answer = &shown.found.answer;
    view! {
        <dl class="figs">
            {throughput(page, answer)}
            {step(page, answer)}
            {run(page, &shown)}
            {cost(page, answer)}
        </dl>
        {rent(page, answer)}
    }
}

/// What to order, from whom.
fn rent(page: Page, answer: &Answer) -> Option<AnyView> {
    let text = page.text();
    let own = answer.offer.as_ref()?;
    let hourly = format::price(own.usd_per_hour);
    let what = machines(own.instances, &own.instance, text);
    let order = [what.as_str(), words::provider(&own.provider, page.lang), &hourly];
    let run = answer
        .run
        .and_then(|run| Some((runs::hours(run.all_hours()?), format::dollars(run.all_usd()?))));
    let order = match &run {
        Some((hours, usd)) => fill(text.rent_line_run, &[order[0], order[1], order[2], hours, usd]),
        None => fill(text.rent_line, &order),
    };
    Some(view! {
        <p class="rent" id="rent">
            <b>{order}</b>
            " "
            <span>{[page.lang.word(own.kind.as_str()), &words::priced_on(own, page.lang)].join(page.lang.comma())}</span>
        </p>
    })
}

/// So many machines, as one orders them: by their name, which says how many cards are in one where it begins `8x`.
fn machines(count: u32, name: &str, text: &Text) -> String {
    let cards = name.split_once("x ").filter(|(cards, _)| cards.parse::<u32>().is_ok());
    let (cards, name) = cards.unwrap_or(("1", name));
    let words = match (cards, count) {
        ("1", 1) => text.rent_named,
        ("1", _) => return fill(text.rent_names, &[name, &count.to_string()]),
        (_, 1) => text.rent_cards,
        _ => text.rent_machines,
    };
    fill(words, &[name, cards, &count.to_string()])
}

/// Where in its range a value is, the range, and the range in words.
type Range = (f64, [f64; 2], String);

/// A figure; what is inside stands under it. The bar shows where in its range the value is.
#[component]
fn Figure(
    id: &'static str,
    /// Its name, with what says how it comes about.
    name: AnyView,
    value: String,
    unit: &'static str,
    range: Option<Range>,
    children: Children,
) -> impl IntoView {
    // A short unit stays beside its number where there is little room.
    let class = if unit.len() < 8 { "u u-i" } else { "u" };
    view! {
        <div class="fig" id=id>
            <dt>{name}</dt>
            <dd>
                <b>{value}</b>
                " "
                <span class=class>{unit}</span>
            </dd>
            {range.map(|(value, ends, words)| view! {
                <dd class="iv">
                    <Interval value ends/>
                    <span>{words}</span>
                </dd>
            })}
            {children()}
        </div>
    }
}

/// The range and the value on a line from half to one and a half times the value.
#[component]
fn Interval(value: f64, ends: [f64; 2]) -> impl IntoView {
    let [from, to] = ends.map(|end| if value > 0.0 { (end / value - 0.5).clamp(0.0, 1.0) } else { 0.5 });
    view! {
        <svg class="ivb" width="100%" height="9" aria-hidden="true">
            <rect class="ivb-bg" width="100%" height=1 y=4/>
            <rect class="ivb-r" x=format::length(from) width=format::length((to - from).max(0.0)) height="5" y="2" rx="2.5"/>
            <circle class="ivb-p" cx="50%" cy=4.5 r=3.5/>
        </svg>
    }
}

/// The name of a figure that follows a calibration of times, which is said beside it.
fn timed(page: Page, name: &'static str, figure: &'static str, answer: &Answer) -> AnyView {
    let on = answer.calibration.is_some_and(|own| own.time.is_some());
    view! {
        {name}
        " "
        <How page figure name/>
        {calibrate::tag(on, page.lang)}
    }
}

/// What stands under a figure.
#[component]
fn Sub(#[prop(into)] words: String) -> impl IntoView {
    view! { <dd class="sub">{words}</dd> }
}

/// A range with its words, for a figure that the speed decides.
fn ranged(value: f64, range: Option<[f64; 2]>, write: impl Fn(f64) -> String) -> Option<Range> {
    let [low, high] = range?;
    Some((value, [low, high], format!("{}–{}", write(low), write(high))))
}

/// A range of dollars, with one sign for both ends.
fn ranged_usd(usd: f64, range: Option<[f64; 2]>, write: fn(f64) -> String) -> Option<Range> {
    let range = range?;
    Some((usd, range, format::usd_range(range, write)))
}

fn throughput(page: Page, answer: &Answer) -> AnyView {
    let text = page.text();
    let speed = answer.tokens_per_s_per_gpu;
    let [mfu, hfu] = [answer.mfu, answer.hfu].map(|share| format::percent(share, 1));
    // A fused head computes its logits twice, which nobody calls recomputation.
    let recomputes = answer.plan.recompute != Some(RecomputeSpec::Word(RecomputeGranularity::None));
    let recomputed = (recomputes && answer.hfu > answer.mfu).then(|| fill(text.hfu, &[&hfu]));
    view! {
        <Figure
            id="fig-throughput"
            name=timed(page, text.throughput, "tokens_per_s_per_gpu", answer)
            value=format::figure(speed)
            unit=text.per_gpu
            range=ranged(speed, answer.interval.map(|own| own.tokens_per_s_per_gpu), format::figure)
        >
            <dd class="sub" id="fig-mfu">
                {text.mfu}
                "\u{a0}"
                <span class="nb">{mfu}</span>
                {recomputed}
                " "
                <How page figure="mfu" name=text.mfu/>
            </dd>
        </Figure>
    }
}

/// The two longest phases of a step that has several: `Rollout 148 s, Actor update 104 s`.
fn longest(answer: &Answer, lang: Lang) -> Option<String> {
    let mut phases: Vec<_> = answer.time.phases.iter().collect();
    ordered::sort(&mut phases, &|a, b| b.s.total_cmp(&a.s));
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
    let below = longest(answer, page.lang).or_else(usd).unwrap_or_default();
    view! {
        <Figure
            id="fig-step"
            name=timed(page, text.step, "step_time", answer)
            value=format::seconds(seconds)
            unit=text.seconds_unit
            range=ranged(seconds, answer.against_speed(seconds), format::seconds)
        >
            <Sub words=below/>
        </Figure>
    }
}

/// The run in hours; where none is stated, what all GPUs do in one.
fn run(page: Page, shown: &Shown) -> AnyView {
    let lang = page.lang;
    let (text, answer) = (lang.text(), &shown.found.answer);
    let gpus = format::grouped(shown.found.job.gpus().into());
    let tokens = answer.mtok_per_hour * 1e6;
    let Some(run) = answer.run else {
        return view! {
            <Figure
                id="fig-run"
                name=timed(page, text.an_hour, "mtok_per_hour", answer)
                value=lang.tokens(tokens)
                unit=text.tokens_unit
                range=ranged(tokens, answer.with_speed(tokens), |tokens| lang.tokens(tokens))
            >
                <Sub words=fill(text.all_gpus, &[&gpus])/>
            </Figure>
        };
    };
    let steps = if run.assumed { text.steps_assumed } else { text.steps_of };
    let figure = if run.operations.is_some() { "run.operations.hours" } else { "run.hours" };
    let range = run
        .all_hours()
        .and_then(|hours| ranged(hours, answer.against_speed(hours), runs::hours));
    view! {
        <Figure
            id="fig-run"
            name=timed(page, text.whole, figure, answer)
            value=runs::all_hours(&run)
            unit=text.hours
            range
        >
            <Sub words=fill(steps, &[&format::fixed(run.steps, 0), &lang.tokens(run.tokens)])/>
            {operations::goodput(&run, lang).map(|words| view! { <Sub words/> })}
        </Figure>
    }
}

/// Dollars of the run; where none is stated, of a million tokens.
fn cost(page: Page, answer: &Answer) -> AnyView {
    let text = page.text();
    let name = |figure| timed(page, text.cost, figure, answer);
    let Some((usd, price)) = answer.usd_per_mtok.zip(answer.usd_per_gpu_hour) else {
        return view! {
            <Figure id="fig-cost" name=name("usd_per_mtok") value="–".to_owned() unit="" range=None>
                <Sub words=text.no_price/>
            </Figure>
        };
    };
    let price = format::price(price);
    let counted = answer.run.is_some_and(|run| run.operations.is_some());
    let of_run = if counted { "run.operations.usd" } else { "run.usd" };
    let (figure, value, unit, beside) = match answer.run.and_then(|run| run.all_usd()) {
        Some(usd_run) => (of_run, usd_run, text.whole_run, fill(text.usd_mt, &[&format::usd(usd), &price])),
        None => {
            let step = answer.usd_per_step.map(format::usd).unwrap_or_default();
            ("usd_per_mtok", usd, text.per_mt, fill(text.usd_step_at, &[&step, &price]))
        }
    };
    let write = if figure == of_run { format::dollars } else { format::usd };
    view! {
        <Figure
            id="fig-cost"
            name=name(figure)
            value=write(value)
            unit
            range=ranged_usd(value, answer.against_speed(value), write)
        >
            <Sub words=beside/>
        </Figure>
    }
}

#[cfg(test)]
mod tests {
    use super::machines;
    use crate::text::Lang;

    #[test]
    fn what_to_order_is_said_as_one_orders_it() {
        let said = |count, name| [Lang::En, Lang::Zh].map(|lang| machines(count, name, lang.text()));
        assert_eq!(
            said(1, "8x H100 InfiniBand"),
            ["one machine with 8 × H100 InfiniBand", "1 台 8 卡 H100 InfiniBand"]
        );
        assert_eq!(said(2, "8x H100"), ["2 machines with 8 × H100 each", "2 台 8 卡 H100"]);
        assert_eq!(said(1, "1x h100-sxm"), ["one h100-sxm", "1 台 h100-sxm"]);
        assert_eq!(said(4, "1x h100-sxm"), ["4 × h100-sxm", "4 台 h100-sxm"]);
        assert_eq!(said(1, "p4d.24xlarge"), ["one p4d.24xlarge", "1 台 p4d.24xlarge"]);
        assert_eq!(said(2, "p4d.24xlarge"), ["2 × p4d.24xlarge", "2 台 p4d.24xlarge"]);
    }
}
