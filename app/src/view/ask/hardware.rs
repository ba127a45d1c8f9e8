//! The GPUs: type, number, price, node and network; the figures of a GPU of one's own.

use crate::view::dom::{El, el, live, part, press, typed};
use leptos::prelude::*;
use shardwise_core::catalog;
use shardwise_core::hardware::Hardware;

use super::values::found;
use crate::form::{CUSTOM_GPU, Field};
use crate::format;
use crate::page::Page;
use crate::text::fill;
use crate::view::controls::{choice, input, message, problem, wrong_class};
use crate::words::gpu_label;

/// The GPUs of the catalog by vendor, as options of a control.
fn types(page: Page, field: Field) -> impl Iterator<Item = El> {
    let vendors = [("nvidia", "NVIDIA"), ("amd", "AMD"), ("intel", "Intel")];
    vendors.into_iter().map(move |(vendor, label)| {
        let options = catalog::gpus().iter().filter(move |gpu| gpu.vendor == vendor).map(move |gpu| {
            let name = format!("{} {} GB", gpu_label(gpu.id), format::fixed(gpu.memory_gb, 0));
            option(page, field, gpu.id, name)
        });
        el("OPTGROUP").set("label", label).children(options)
    })
}

fn option(page: Page, field: Field, value: &'static str, name: String) -> El {
    el("OPTION")
        .set("value", value)
        .flag("selected", move || page.typed(field) == value)
        .child(name)
}

/// A choice among GPU types.
fn select(page: Page, field: Field, act: fn(Page, String), first: AnyView) -> AnyView {
    let id = field.id();
    let described = format!("{id}-m");
    let wrong = move || problem(page, field).is_some();
    // An id that the catalog does not have stays visible until another is chosen.
    let unknown = move || {
        let id = page.typed(field);
        let known = id.is_empty() || id == CUSTOM_GPU || catalog::gpu(&id).is_some();
        (!known).then(|| el("OPTION").set("value", id.clone()).flag("selected", || true).child(id))
    };
    el("DIV")
        .live("class", move || format!("field{}", wrong_class(page, field)))
        .child(el("LABEL").set("for", id.clone()).child(page.lang.label(field)))
        .child(
            el("SELECT")
                .set("id", id)
                .on("change", typed(move |id| act(page, id)))
                .live("aria-invalid", move || wrong().then_some("true"))
                .live("aria-describedby", move || wrong().then(|| described.clone()))
                .child(part(unknown))
                .child(first)
                .children(types(page, field)),
        )
        .child(message(page, field))
        .into_any()
}

pub(in crate::view) fn gpu_choice(page: Page) -> AnyView {
    let own = option(page, Field::Gpu, CUSTOM_GPU, page.text().gpu_own.to_owned());
    let choose = |page: Page, id: String| page.change(|form| form.choose_gpu(&id));
    select(page, Field::Gpu, choose, own.into_any())
}

/// The figures of a GPU of one's own: what is left empty is as in the type that it starts from.
fn own(page: Page) -> Option<El> {
    (page.typed(Field::Gpu) == CUSTOM_GPU).then(|| {
        let none = option(page, Field::GpuBase, "", page.text().gpu_scratch.to_owned());
        let base = |page: Page, id: String| page.change(|form| form.set(Field::GpuBase, id));
        let figure = |field, of: fn(&Hardware) -> f64| {
            let used = found(page, move |shown, _| {
                // The last answer may be of another GPU.
                let own = shown.question.hardware.gpu.is_object();
                if own { format::trimmed(of(&shown.found.job.hardware)) } else { String::new() }
            });
            input(page, field, None, used)
        };
        let architecture = found(page, |shown, _| {
            let name = &shown.found.job.hardware.architecture;
            let own = shown.question.hardware.gpu.is_object();
            let first = name.split(' ').next().filter(|_| own);
            first.unwrap_or_default().to_owned()
        });
        el("DIV.row own-gpu")
            .child(select(page, Field::GpuBase, base, none.into_any()))
            .child(choice(page, Field::GpuArchitecture, catalog::generation_names(), architecture))
            .child(figure(Field::GpuMemory, |gpu| gpu.memory_gib))
            .child(figure(Field::GpuBandwidth, |gpu| gpu.hbm_gb_per_s))
            .child(figure(Field::GpuBf16, |gpu| gpu.peaks.bf16))
            .child(figure(Field::GpuFp8, |gpu| gpu.peaks.fp8.unwrap_or(f64::NAN)))
            .child(figure(Field::GpuNvlink, |gpu| gpu.nvlink_gb_per_s))
            .child(figure(Field::GpuDomain, |gpu| gpu.nvlink_domain.into()))
            .child(figure(Field::GpuPcie, |gpu| gpu.pcie_gb_per_s))
            .child(el("P.hint").child(page.text().gpu_own_hint))
    })
}

/// The price on record for the chosen type, with its source; and the way back to it.
fn price_hint(page: Page) -> Option<El> {
    let text = page.text();
    let mut id = page.typed(Field::Gpu);
    if id == CUSTOM_GPU {
        id = page.typed(Field::GpuBase);
    }
    let price = catalog::gpu(&id).and_then(|gpu| gpu.usd_per_gpu_hour.zip(gpu.price_source));
    let Some((usd, source)) = price else {
        return Some(el("P.hint").child(text.price_none));
    };
    let typed = !page.typed(Field::Price).trim().is_empty();
    let back = typed.then(|| {
        el("BUTTON.lnk|type=button|id=catalog-price")
            .on("click", press(move || page.change(|form| form.set(Field::Price, ""))))
            .child(text.price_back)
    });
    Some(
        el("P.hint")
            .child(fill(text.price_hint, &[&format::price(usd), source.date]))
            .child(" ")
            .child(
                el("A")
                    .set("href", source.url)
                    .set("rel", "noopener")
                    .set("target", "_blank")
                    .child(text.price_source),
            )
            .child(" ")
            .child(back),
    )
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
    let per_node = found(page, |shown, _| format::grouped(shown.found.job.hardware.gpus_per_node.into()));
    let network = found(page, |shown, _| format::fixed(shown.found.job.hardware.internode_gbit_per_s, 0));
    let count = found(page, |shown, _| format::grouped(shown.found.job.hardware.gpus.into()));
    let nodes = found(page, |shown, _| {
        let hardware = &shown.found.job.hardware;
        let (gpus, own) = (hardware.gpus, hardware.gpus_per_node.max(1));
        if gpus > own && gpus.is_multiple_of(own) { format::grouped((gpus / own).into()) } else { String::new() }
    });
    let summary = move || {
        let (text, nodes) = (page.text(), nodes.get());
        let sentence = if nodes.is_empty() { text.node_summary } else { text.nodes_summary };
        fill(sentence, &[&per_node.get(), &network.get(), &nodes])
    };
    el("FIELDSET.group")
        .child(el("LEGEND.vh").child(page.text().gpus))
        .child(
            el("DIV.row row-gpu")
                .child(input(page, Field::Gpus, None, count))
                .child(gpu_choice(page))
                .child(input(page, Field::Price, None, price)),
        )
        .child(part(move || own(page)))
        .child(part(move || price_hint(page)))
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
                        .child(input(page, Field::Network, None, network))
                        .child(el("P.hint").child(page.text().nodes_hint)),
                ),
        )
        .into_any()
}
