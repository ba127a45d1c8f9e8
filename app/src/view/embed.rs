//! The page inside another: four fields, the verdict, the chart.

use super::dom::{el, live, part, press_link};
use leptos::prelude::*;

use super::ask::{hardware, picker};
use super::calibrate;
use super::controls::{plain, tokens};
use super::gpus;
use super::icons::icon;
use super::verdict;
use crate::form::{Field, generates, is_rl};
use crate::format;
use crate::page::Page;

pub(super) fn view(page: Page) -> AnyView {
    el("MAIN.emb-page|id=answer")
        .child(
            el("SECTION.emb|aria-labelledby=emb-h")
                .child(
                    el("HEADER.emb-top")
                        .child(el("H1|id=emb-h").child(page.text().embed_title))
                        .child(
                            el("A")
                                .live("href", move || page.link())
                                .set("target", "_blank")
                                .set("rel", "noopener")
                                .child(page.text().open_full)
                                .child(icon("i-arrow")),
                        ),
                )
                .child(
                    el("FORM.emb-q")
                        .set("aria-label", page.text().your_question)
                        .on("submit", press_link(|| ()))
                        .child(picker::model_name(page))
                        .child(hardware::gpu_choice(page))
                        .child(plain(page, Field::Gpus))
                        .child(length(page)),
                )
                .child(answer(page))
                .child(
                    el("FIGURE.fgr emb-f")
                        .child(el("FIGCAPTION").child(
                            el("P.take|id=c-gpus").child(live(move || gpus::sentence(page))),
                        ))
                        .child(gpus::drawing(page, true)),
                )
                .child(el("FOOTER.emb-foot").child(live(move || {
                    let text = page.lang.site();
                    format!(
                        "Shardwise · {} {} · {} {}",
                        text.data,
                        shardwise_core::catalog::VERSION,
                        text.prices,
                        shardwise_core::catalog::PRICES_AS_OF
                    )
                }))),
        )
        .into_any()
}

/// The length that matters most for the task.
fn length(page: Page) -> AnyView {
    part(move || {
        let kind = page.kind();
        if is_rl(kind) {
            tokens(page, Field::MaxResponse)
        } else if generates(kind) {
            tokens(page, Field::RequestResponse)
        } else {
            tokens(page, Field::SequenceLength)
        }
    })
}

fn answer(page: Page) -> AnyView {
    part(move || {
        let lang = page.lang;
        let text = lang.text();
        let stale = !page.wrong().is_empty();
        let shown = page.answered()?;
        let answer = &shown.found.answer;
        let memory = &answer.memory;
        let (symbol, words, class) = match answer.fits {
            true => ("i-check", text.fits_short, "emb-fit"),
            false => ("i-x", text.does_not_fit, "emb-fit is-bad"),
        };
        let usd = answer.usd_per_mtok.map(|usd| {
            el("DIV")
                .child(el("DT").child(text.per_mt))
                .child(el("DD").child(format::usd(usd)))
        });
        let notice = stale.then(|| {
            el("P.stale-n")
                .child(icon("i-info"))
                .child(el("SPAN").child(text.stale_none))
        });
        Some(
            el("DIV")
                .set("class", if stale { "emb-v is-stale" } else { "emb-v" })
                .child(notice)
                .child(
                    el("P")
                        .set("class", class)
                        .child(icon(symbol))
                        .child(el("B").child(words))
                        .child(" ")
                        .child(el("SPAN").child(format!(
                            "{} / {} GiB",
                            format::gib(memory.reserved_gib),
                            format::gib(memory.capacity_gib)
                        )))
                        .child(calibrate::tag(answer.calibration.is_some(), lang)),
                )
                .child(el("DIV.emb-bar").child(verdict::bar(answer)))
                .child(
                    el("DL.emb-n")
                        .child(
                            el("DIV")
                                .child(el("DT").child(text.per_gpu))
                                .child(el("DD").child(format::figure(answer.tokens_per_s_per_gpu))),
                        )
                        .child(usd)
                        .child(
                            el("DIV")
                                .child(el("DT").child("MFU"))
                                .child(el("DD").child(format::percent(answer.mfu, 1))),
                        ),
                ),
        )
    })
}
