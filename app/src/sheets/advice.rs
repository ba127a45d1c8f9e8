//! What would help most.

use shardwise_core::advice::helps;
use shardwise_core::advise;
use shardwise_core::wire::{Advice, Severity};

use super::parts::{signed, signed_usd_per_mtok, try_it};
use super::words::words_of;
use crate::protocol::blocks::{Line, words};
use crate::sheets::prelude::*;

/// Shares of the speed that are no gain.
const SAME: f64 = 0.001;

/// What following it changes: first what it is for, speed or memory, then the rest.
fn gain(item: &Advice, now: f64, lang: Lang) -> Line {
    let text = lang.text();
    let Some(gain) = item.gain else {
        return Vec::new();
    };
    let speed = format!("{} {}", signed(format::figure(gain.tokens_per_s_per_gpu)), text.per_gpu);
    let gib = format!("{} GiB", signed(format::gib(gain.gib)));
    let usd = gain
        .usd_per_mtok
        .map(|usd| format!("{} {}", signed_usd_per_mtok(usd), text.per_mt));
    let frees = gain.tokens_per_s_per_gpu < SAME * now && gain.gib < 0.0;
    let (first, second) = if frees { (gib, speed) } else { (speed, gib) };
    let rest = [Some(second), usd].into_iter().flatten();
    std::iter::once(strong(first)).chain(rest.map(quiet)).collect()
}

fn item(asked: &Asked, item: &Advice, lang: Lang) -> Entry {
    let sheet = lang.sheets();
    let (tone, name) = match item.severity {
        Severity::Error => (Tone::Bad, sheet.severity_error),
        Severity::Warning => (Tone::Warn, sheet.severity_warning),
        Severity::Hint => (Tone::Plain, sheet.severity_hint),
    };
    let mut gains = gain(item, asked.found.answer.tokens_per_s_per_gpu, lang);
    if gains.is_empty() || item.severity != Severity::Hint {
        gains.insert(0, tag(tone, name));
    }
    let mut foot = Line::new();
    if item.source.starts_with("https:") {
        foot.push(link(item.source.to_string(), sheet.source));
    } else if !item.source.is_empty() {
        foot.push(words(item.source.to_string()));
    }
    if !item.set.is_empty() {
        let set = std::slice::from_ref(&item.set);
        foot.extend(try_it(&asked.question, set, &item.id, lang).map(Into::into));
    }
    Entry { id: item.id.to_string(), ..Entry::new([gains, vec![words(words_of(&item.text, lang))], foot]) }
}

pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Vec<Block> {
    let advice = advise(&asked.question, &asked.found);
    let sheet = ask.lang.sheets();
    if advice.is_empty() {
        return vec![said(Kind::Quiet, sheet.advice_none)];
    }
    let (help, thumbs): (Vec<&Advice>, Vec<&Advice>) = advice.iter().partition(|own| helps(own));
    let list = |own: &[&Advice]| entries(Listed::Advice, own.iter().map(|own| item(asked, own, ask.lang)));
    let best = if help.is_empty() { said(Kind::Quiet, sheet.advice_best) } else { list(&help) };
    let departed = || fold("thumbs", sheet.thumbs, thumbs.len().to_string(), vec![list(&thumbs)]);
    std::iter::once(best).chain((!thumbs.is_empty()).then(departed)).collect()
}
