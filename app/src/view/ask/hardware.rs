//! The GPUs: type, number, price, node and network.

use crate::view::erased::{live, part, typed};
use leptos::prelude::*;
use shardwise_core::catalog;

use super::found;
use crate::form::{CUSTOM_GPU, Field, Form};
use crate::format;
use crate::page::Page;
use crate::text::fill;
use crate::view::controls::{input, message, problem};
use crate::view::words::gpu_label;

pub(in crate::view) fn gpu_choice(page: Page) -> AnyView {
    let value = move || page.form.with(|form| form.get(Field::Gpu).to_owned());
    let groups = ["nvidia", "amd", "intel"].into_iter().map(|vendor| {
        let label = match vendor {
            "nvidia" => "NVIDIA",
            "amd" => "AMD",
            _ => "Intel",
        };
        let options = catalog::gpus().iter().filter(move |gpu| gpu.vendor == vendor).map(|gpu| {
            let name = format!("{} {} GB", gpu_label(gpu.id), format::fixed(gpu.memory_gb, 0));
            view! { <option value=gpu.id prop:selected=live(move || value() == gpu.id)>{name}</option> }
        });
        view! { <optgroup label=label>{options.collect_view()}</optgroup> }
    });
    let custom = move || {
        page.form.with(Form::has_custom_gpu).then(|| view! {
            <option value=CUSTOM_GPU prop:selected=live(move || value() == CUSTOM_GPU)>{page.text().gpu_custom}</option>
        })
    };
    // An id that the catalog does not have stays visible until another is chosen.
    let unknown = move || {
        let id = value();
        (id != CUSTOM_GPU && catalog::gpu(&id).is_none()).then(|| {
            let label = id.clone();
            view! { <option value=id.clone() prop:selected=true>{label}</option> }
        })
    };
    let wrong = move || problem(page, Field::Gpu).is_some();
    view! {
        <div class=live(move || if wrong() { "field is-err" } else { "field" })>
            <label for="hardware-gpu">{page.lang.label(Field::Gpu)}</label>
            <select id="hardware-gpu"
                on:change=typed(move |id| page.change(|form| choose_gpu(form, &id)))
                aria-invalid=live(move || wrong().then_some("true"))
                aria-describedby=live(move || wrong().then_some("hardware-gpu-m"))>
                {part(unknown)}
                {part(custom)}
                {groups.collect_view()}
            </select>
            {message(page, Field::Gpu)}
        </div>
    }
    .into_any()
}

/// Chooses a GPU type: a price, a node or a network typed for another does not hold for it.
pub(in crate::view) fn choose_gpu(form: &mut Form, id: &str) {
    form.set(Field::Gpu, id);
    for field in [Field::Price, Field::Network, Field::GpusPerNode] {
        form.set(field, "");
    }
}

pub(super) fn view(page: Page) -> AnyView {
    let price = found(page, |shown, _| {
        shown
            .found
            .job
            .hardware
            .usd_per_gpu_hour
            .map(|usd| format::fixed(usd, 2))
            .unwrap_or_default()
    });
    let per_node = found(page, |shown, _| {
        format::grouped(shown.found.job.hardware.gpus_per_node.into())
    });
    let network = found(page, |shown, _| {
        format::fixed(shown.found.job.hardware.internode_gbit_per_s, 0)
    });
    let count = found(page, |shown, _| {
        format::grouped(shown.found.job.hardware.gpus.into())
    });
    let price_hint = move || {
        let text = page.text();
        let id = page.form.with(|form| form.get(Field::Gpu).to_owned());
        let gpu = catalog::gpu(&id)?;
        Some(match (gpu.usd_per_gpu_hour, gpu.price_source) {
            (Some(usd), Some(source)) => view! {
                <p class="hint">
                    {fill(text.price_hint, &[&format::price(usd), source.date])} " "
                    <a href=source.url rel="noopener" target="_blank">{text.price_source}</a>
                </p>
            }
            .into_any(),
            _ => view! { <p class="hint">{text.price_none}</p> }.into_any(),
        })
    };
    let summary = move || fill(page.text().node_summary, &[&per_node.get(), &network.get()]);
    view! {
        <fieldset class="group">
            <legend>{page.text().gpus}</legend>
            <div class="row row-gpu">
                {gpu_choice(page)}
                {input(page, Field::Gpus, None, count)}
                {input(page, Field::Price, None, price)}
            </div>
            {part(price_hint)}
            <details class="more">
                <summary>{page.text().node_network} " " <span>{live(summary)}</span></summary>
                <div class="row">
                    {input(page, Field::GpusPerNode, None, per_node)}
                    {input(page, Field::Network, None, network)}
                </div>
            </details>
        </fieldset>
    }
    .into_any()
}
