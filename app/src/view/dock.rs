//! The bar that never leaves: what holds now, and links to the parts of the page, of which it marks the one that is read.

use leptos::ev::MouseEvent;
use shardwise_core::wire::FitState;

use super::calibrate;
use super::fold;
use crate::view::prelude::*;

/// A part of the page with its name.
type Stop = (&'static str, fn(&Text) -> &'static str);

/// The parts, from the top.
const STOPS: [Stop; 6] = [
    ("verdict", |text| text.nav_verdict),
    ("flags", |text| text.nav_flags),
    ("gpus", |text| text.gpus),
    ("advice", |text| text.nav_advice),
    ("cost", |text| text.cost),
    ("why", |text| text.nav_why),
];

/// How far below the bars a part begins to be read, in pixels.
const READ_PX: f64 = 120.0;

/// By how much the tops of parts may differ that stand side by side, in pixels.
const BESIDE_PX: f64 = 40.0;

/// Links to the parts of the page, and the answer in one line.
#[component]
pub(super) fn Dock(page: Page) -> impl IntoView {
    let read = RwSignal::new(0);
    for event in ["scroll", "resize"] {
        browser::listen(event, move |_| {
            let now = reading();
            if read.get_untracked() != now {
                read.set(now);
            }
        });
    }
    let links = STOPS.into_iter().enumerate().map(|(place, (id, name))| {
        let go = move |event: MouseEvent| {
            event.prevent_default();
            fold::go(page, id);
        };
        view! {
            <li>
                <a href=format!("#{id}") aria-current=move || (read.get() == place).then_some("true") on:click=go>
                    {name(page.text())}
                </a>
            </li>
        }
    });
    view! {
        <nav class="dock" aria-label=page.text().on_this_page>
            <div class="dock-in">
                <ul>{links.collect_view()}</ul>
                {move || line(page)}
            </div>
        </nav>
    }
}

/// The place of the part that is read: the one that begins last above the line of sight, of two side by side the first; at
/// the end of the page the last.
fn reading() -> usize {
    if browser::is_at_end() {
        return STOPS.len() - 1;
    }
    let from = browser::bars_end() + READ_PX;
    let tops = STOPS.into_iter().map(|(id, _)| browser::top_of(id).unwrap_or(f64::INFINITY));
    let above = tops.enumerate().filter(|(_, top)| *top <= from);
    let last = above.fold(None, |best: Option<(usize, f64)>, (place, top)| match best {
        Some((_, highest)) if top <= highest + BESIDE_PX => best,
        _ => Some((place, top)),
    });
    last.map_or(0, |(place, _)| place)
}

/// What holds now: whether it fits, memory, speed, and the run's dollars, or those of a million tokens.
fn line(page: Page) -> Option<AnyView> {
    let lang = page.lang;
    let shown = page.answered()?;
    let answer = &shown.found.answer;
    let own = &answer.fit;
    let memory = match own.state {
        FitState::No => format!("{} / {} GiB", format::gib(own.needed_gib), format::gib(own.capacity_gib)),
        _ => format!("{} GiB", format::gib(own.needed_gib)),
    };
    let usd = match answer.run.and_then(|run| run.all_usd()) {
        Some(usd) => Some(format::dollars(usd)),
        None => answer
            .usd_per_mtok
            .map(|usd| format!("{}{}", format::usd(usd), lang.text().per_mtok)),
    };
    let stale = if page.wrong().is_empty() { "" } else { " is-stale" };
    Some(view! {
        <p class=format!("dock-v {}{stale}", fit::class(own.state))>
            <span>
                <Icon name=fit::icon(own.state)/>
                <b class="st">{fit::short(own.state, own.probability, lang)}</b>
            </span>
            <span class="dock-m"><span>{memory}</span></span>
            <span>
                {format!("{} {}", format::figure(answer.tokens_per_s_per_gpu), lang.text().dock_speed)}
                <span class="dock-e">{lang.text().dock_each}</span>
                <span class="dock-n">{lang.text().dock_narrow}</span>
            </span>
            {usd.map(|usd| view! { <span><b>{usd}</b></span> })}
            {calibrate::tag(answer.calibration.is_some(), lang)}
        </p>
    })
}
