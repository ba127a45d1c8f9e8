//! The GPUs: type, number, price, node and network.

use crate::view::dom::{el, live, part, typed};
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
    let value = move || page.typed(Field::Gpu);
    let groups = ["nvidia", "amd", "intel"].into_iter().map(|vendor| {
        let label = match vendor {
            "nvidia" => "NVIDIA",
            "amd" => "AMD",
            _ => "Intel",
        };
        let options = catalog::gpus()
            .iter()
            .filter(move |gpu| gpu.vendor == vendor)
            .map(|gpu| {
                let name = format!(
                    "{} {} GB",
                    gpu_label(gpu.id),
                    format::fixed(gpu.memory_gb, 0)
                );
                el("OPTION")
                    .set("value", gpu.id)
                    .flag("selected", move || value() == gpu.id)
                    .child(name)
            });
        el("OPTGROUP").set("label", label).children(options)
    });
    let custom = move || {
        page.form.with(Form::has_custom_gpu).then(|| {
            el("OPTION")
                .set("value", CUSTOM_GPU)
                .flag("selected", move || value() == CUSTOM_GPU)
                .child(page.text().gpu_custom)
        })
    };
    // An id that the catalog does not have stays visible until another is chosen.
    let unknown = move || {
        let id = value();
        (id != CUSTOM_GPU && catalog::gpu(&id).is_none()).then(|| {
            let label = id.clone();
            el("OPTION")
                .set("value", id.clone())
                .flag("selected", || true)
                .child(label)
        })
    };
    let wrong = move || problem(page, Field::Gpu).is_some();
    el("DIV")
        .live(
            "class",
            move || if wrong() { "field is-err" } else { "field" },
        )
        .child(el("LABEL|for=hardware-gpu").child(page.lang.label(Field::Gpu)))
        .child(
            el("SELECT|id=hardware-gpu")
                .on(
                    "change",
                    typed(move |id| page.change(|form| choose_gpu(form, &id))),
                )
                .live("aria-invalid", move || wrong().then_some("true"))
                .live("aria-describedby", move || {
                    wrong().then_some("hardware-gpu-m")
                })
                .child(part(unknown))
                .child(part(custom))
                .children(groups),
        )
        .child(message(page, Field::Gpu))
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
        let id = page.typed(Field::Gpu);
        let gpu = catalog::gpu(&id)?;
        Some(match (gpu.usd_per_gpu_hour, gpu.price_source) {
            (Some(usd), Some(source)) => el("P.hint")
                .child(fill(text.price_hint, &[&format::price(usd), source.date]))
                .child(" ")
                .child(
                    el("A")
                        .set("href", source.url)
                        .set("rel", "noopener")
                        .set("target", "_blank")
                        .child(text.price_source),
                )
                .into_any(),
            _ => el("P.hint").child(text.price_none).into_any(),
        })
    };
    let summary = move || fill(page.text().node_summary, &[&per_node.get(), &network.get()]);
    el("FIELDSET.group")
        .child(el("LEGEND").child(page.text().gpus))
        .child(
            el("DIV.row row-gpu")
                .child(gpu_choice(page))
                .child(input(page, Field::Gpus, None, count))
                .child(input(page, Field::Price, None, price)),
        )
        .child(part(price_hint))
        .child(
            el("DETAILS.more")
                .child(
                    el("SUMMARY")
                        .child(page.text().node_network)
                        .child(" ")
                        .child(el("SPAN").child(live(summary))),
                )
                .child(
                    el("DIV.row")
                        .child(input(page, Field::GpusPerNode, None, per_node))
                        .child(input(page, Field::Network, None, network)),
                ),
        )
        .into_any()
}
