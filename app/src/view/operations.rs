//! What a run meets beside its steps: start-up, evaluation, checkpoints, failures, energy; each a switch and a line.

use shardwise_core::wire::{Expected, Run, RunOperations};

use super::controls::Input;
use super::how::How;
use super::run::{card, hours};
use crate::view::prelude::*;

/// How much of its hours a run trains for good; `None` where that is not counted.
pub(super) fn goodput(run: &Run, lang: Lang) -> Option<String> {
    let own = run.operations?;
    Some(match own.expected {
        Some(expected) => fill(lang.text().ops_goodput, &[&format::percent(expected.goodput, 0)]),
        None => lang.text().ops_never.to_owned(),
    })
}

/// The switch of all of them; what they are and what they come to, where it is on.
#[component]
pub(super) fn Operations(page: Page) -> impl IntoView {
    let trains = move || page.kind().task() != shardwise_core::task::Task::Generate;
    let on = Memo::new(move |_| page.typed(Field::Operations) == "true");
    move || {
        trains().then(|| {
            view! {
                <section class="ops" aria-labelledby="operations-l">
                    <Tick page field=Field::Operations/>
                    {move || on.get().then(|| view! { <Fields page/> })}
                    {move || result(page)}
                </section>
            }
        })
    }
}

/// A tick for a field of yes or no; what is on without a word stays so until it is taken out.
#[component]
fn Tick(page: Page, field: Field) -> impl IntoView {
    let starts_on = field != Field::Operations;
    let is_on = move || match page.typed(field).as_str() {
        "" => starts_on,
        word => word == "true",
    };
    let turn = move |on: bool| {
        let word = if on == starts_on {
            ""
        } else if on {
            "true"
        } else {
            "false"
        };
        page.change(|form| form.set(field, word));
    };
    view! {
        <label class="check">
            <input
                type="checkbox"
                id=field.id()
                prop:checked=is_on
                on:change=move |event| turn(event_target_checked(&event))
            />
            <span id=format!("{}-l", field.id())>{page.lang.label(field)}</span>
        </label>
    }
}

#[component]
fn Fields(page: Page) -> impl IntoView {
    let on = move |field: Field| page.typed(field) != "false";
    view! {
        <div class="ops-t">
            {[Field::Saves, Field::Fails, Field::Energy].map(|field| view! { <Tick page field/> })}
        </div>
        <div class="runq" role="group" aria-labelledby="operations-l">
            <Input page field=Field::StartupSeconds/>
            <Input page field=Field::EvaluationShare placeholder="0"/>
            {move || on(Field::Saves).then(|| view! {
                <Input page field=Field::SavingMinutes/>
                <Input page field=Field::StorageBandwidth/>
            })}
            {move || on(Field::Fails).then(|| view! {
                <Input page field=Field::FailureHours/>
            })}
            <Input page field=Field::Interruptions placeholder="0"/>
            {move || on(Field::Energy).then(|| view! {
                <Input page field=Field::Pue/>
                <Input page field=Field::GridCo2/>
            })}
        </div>
    }
}

/// What they come to.
fn result(page: Page) -> Option<AnyView> {
    let run = page.answered()?.found.answer.run?;
    let own = run.operations?;
    let text = page.text();
    let Some(expected) = own.expected else {
        return Some(view! { <p class="msg" id="operations-never">{text.ops_never}</p> });
    };
    Some(view! {
        <dl class="runr" id="operations-r">
            {whole(page, &expected)}
            {failures(page, &own, &expected)}
            {saving(page, &own)}
            {energy(page, &expected)}
        </dl>
        {parts(page, &expected)}
    })
}

/// Time and cost of all.
fn whole(page: Page, own: &Expected) -> AnyView {
    let text = page.text();
    let hours = fill(text.run_h, &[&hours(own.hours)]);
    let comma = page.lang.comma();
    let value = own
        .usd
        .map_or_else(|| hours.clone(), |usd| format!("{hours}{comma}{}", format::dollars(usd)));
    card(text.ops_expected, value, fill(text.ops_goodput, &[&format::percent(own.goodput, 1)]))
}

fn failures(page: Page, own: &RunOperations, expected: &Expected) -> Option<AnyView> {
    let text = page.text();
    let between = hours(own.mtbf_hours?);
    Some(card(text.ops_failures, format::figure(expected.failures), fill(text.ops_between, &[&between])))
}

fn saving(page: Page, own: &RunOperations) -> Option<AnyView> {
    let text = page.text();
    let saving = own.saving?;
    let values = [saving.interval_s / 60.0, saving.pause_s].map(format::figure);
    Some(card(text.ops_saves, format::fixed(saving.saves, 0), fill(text.ops_every, &[&values[0], &values[1]])))
}

fn energy(page: Page, own: &Expected) -> Option<AnyView> {
    let text = page.text();
    let kwh = format!("{}\u{a0}kWh", format::figure(own.energy_kwh?));
    let co2 = own.co2_kg.map(|kg| fill(text.ops_co2, &[&format::figure(kg)]));
    Some(card(text.ops_energy, kwh, co2.unwrap_or_default()))
}

/// A time in the unit that suits it.
fn span(hours: f64, text: &Text) -> String {
    match hours * 3600.0 {
        seconds if seconds < 60.0 => format!("{}\u{a0}{}", format::figure(seconds), text.seconds_unit),
        seconds if seconds < 3600.0 => fill(text.ops_min, &[&format::figure(seconds / 60.0)]),
        _ => fill(text.run_h, &[&self::hours(hours)]),
    }
}

/// A line for each part that takes time: its hours, its dollars, and how it comes about.
fn parts(page: Page, own: &Expected) -> AnyView {
    let text = page.text();
    let usd: Vec<(&str, f64)> = own.usd_of.map(|usd| usd.entries().to_vec()).unwrap_or_default();
    let lines = own
        .hours_of
        .entries()
        .into_iter()
        .filter(|(_, hours)| *hours > 0.0)
        .map(|(part, own_hours)| {
            let name = page.lang.word(part).to_owned();
            let usd = usd.iter().find(|(known, _)| *known == part).map(|(_, usd)| format::price(*usd));
            view! {
                <tr>
                    <th scope="row">
                        {name.clone()} " " <How page figure=format!("run.operations.{part}") name/>
                    </th>
                    <td class="n">{span(own_hours, text)}</td>
                    <td class="n">{usd.unwrap_or_default()}</td>
                    <td class="n">{format::percent(own_hours / own.hours, 1)}</td>
                </tr>
            }
        });
    view! {
        <table class="tab cols-4" id="operations-parts">
            <caption class="vh">{text.ops_expected}</caption>
            <tbody>{lines.collect_view()}</tbody>
        </table>
    }
}
