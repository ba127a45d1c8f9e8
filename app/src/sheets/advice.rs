//! What would help most.

use shardwise_core::advice::helps;
use shardwise_core::advise;
use shardwise_core::wire::{Advice, Severity};

use super::asked::{Ask, Asked};
use crate::format;
use crate::text::Lang;
use crate::tree::parts::{signed, signed_usd, try_it};
use crate::tree::{Tree, el};

/// Shares of the speed that are no gain.
const SAME: f64 = 0.001;

/// What following it changes: first what it is for, speed or memory, then the rest.
fn gain(item: &Advice, now: f64, lang: Lang) -> Vec<Tree> {
    let text = lang.text();
    let Some(gain) = item.gain else {
        return Vec::new();
    };
    let speed = format!("{} {}", signed(format::figure(gain.tokens_per_s_per_gpu)), text.per_gpu);
    let gib = format!("{} GiB", signed(format::gib(gain.gib)));
    let usd = gain.usd_per_mtok.map(|usd| format!("{} {}", signed_usd(usd), text.per_mt));
    let frees = gain.tokens_per_s_per_gpu < SAME * now && gain.gib < 0.0;
    let (first, second) = if frees { (gib, speed) } else { (speed, gib) };
    let rest = [Some(second), usd].into_iter().flatten();
    std::iter::once(el("B").child(first))
        .chain(rest.map(|words| el("SPAN").child(words)))
        .collect()
}

fn item(asked: &Asked, item: &Advice, lang: Lang) -> Tree {
    let sheet = lang.sheets();
    let (class, name) = match item.severity {
        Severity::Error => ("tag tag-bad", sheet.severity_error),
        Severity::Warning => ("tag tag-warn", sheet.severity_warning),
        Severity::Hint => ("tag", sheet.severity_hint),
    };
    let source = (!item.source.is_empty()).then(|| {
        if item.source.starts_with("https:") {
            el("A|rel=noopener|target=_blank")
                .set("href", item.source.to_string())
                .child(sheet.source)
        } else {
            el("SPAN").child(item.source.to_string())
        }
    });
    let gains = gain(item, asked.found.answer.tokens_per_s_per_gpu, lang);
    let tagged = gains.is_empty() || item.severity != Severity::Hint;
    let tag = tagged.then(|| el("SPAN").set("class", class).child(name));
    let tried = (!item.set.is_empty())
        .then(|| {
            let set = std::slice::from_ref(&item.set);
            try_it(&asked.question, set, &item.id, lang)
        })
        .flatten();
    el("LI")
        .set("id", item.id.to_string())
        .child(el("P.gain").child(tag).child(gains))
        .child(
            el("DIV")
                .child(super::words::said(&item.text, lang))
                .child(el("P.adv-f").child(source).child(tried)),
        )
}

/// The sheet.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Tree> {
    let advice = advise(&asked.question, &asked.found);
    let sheet = ask.lang.sheets();
    if advice.is_empty() {
        return Some(el("P.muted").child(sheet.advice_none));
    }
    let (help, thumbs): (Vec<&Advice>, Vec<&Advice>) = advice.iter().partition(|own| helps(own));
    let list = |own: &[&Advice]| el("OL").children(own.iter().map(|own| item(asked, own, ask.lang)));
    let best = help.is_empty().then(|| el("P.muted").child(sheet.advice_best));
    let departed = (!thumbs.is_empty()).then(|| {
        el("DETAILS.more|id=thumbs")
            .child(
                el("SUMMARY")
                    .child(sheet.thumbs)
                    .child(" ")
                    .child(el("SPAN").child(thumbs.len().to_string())),
            )
            .child(list(&thumbs))
    });
    Some(el("DIV").child(best.unwrap_or_else(|| list(&help))).child(departed))
}
