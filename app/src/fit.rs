//! How sure it is that a plan fits, in words: what the page and the worker both say.

use shardwise_core::wire::{Fit, FitState};

use crate::format;
use crate::text::{Lang, fill};

/// Levels of "How sure?", in per cent.
pub(crate) const LEVELS: [u32; 4] = [80, 90, 95, 99];

/// From here on it reads "over 99 %".
const OVER: f64 = 0.995;

/// Marks a value that stands out in a sentence: no sentence has it.
const MARK: char = '\u{1}';

/// A share in whole per cent, rounded down: nothing is said to be surer than it is.
fn per_cent(share: f64) -> String {
    // What was 0.29 of a whole is 28.999… of a hundred.
    format::percent((share * 100.0 + 1e-9).floor() / 100.0, 0)
}

/// A probability, as it is said: `97 %`, `over 99 %`.
pub(crate) fn sure(probability: f64, lang: Lang) -> String {
    let text = lang.text();
    if probability >= OVER { fill(text.sure_over, &[&format::percent(0.99, 0)]) } else { per_cent(probability) }
}

/// How sure a question wants to be, in per cent: `95`.
pub(crate) fn asked(confidence: f64) -> String {
    // Thousandths at most, without what the product adds.
    format::trimmed((confidence * 1e5).round() / 1e3)
}

pub(crate) fn word(state: FitState, lang: Lang) -> &'static str {
    let text = lang.text();
    match state {
        FitState::Fits => text.fits_short,
        FitState::Tight => text.tight,
        FitState::Unlikely => text.unlikely,
        FitState::No => text.does_not_fit,
    }
}

/// State and probability, for a dock and for tags: `Tight, 84 %`.
pub(crate) fn short(state: FitState, probability: f64, lang: Lang) -> String {
    let word = match state {
        FitState::No => return word(state, lang).to_owned(),
        FitState::Unlikely => lang.text().unlikely_short,
        FitState::Fits | FitState::Tight => word(state, lang),
    };
    fill(lang.text().fit_short, &[word, &sure(probability, lang)])
}

/// What stands behind the state in the verdict: `, 97 % sure`.
pub(crate) fn behind(fit: &Fit, lang: Lang) -> String {
    let text = lang.text();
    let p = sure(fit.probability, lang);
    match fit.state {
        FitState::Fits | FitState::Unlikely => fill(text.fit_sure, &[&p]),
        FitState::Tight => fill(text.fit_tight, &[&p, &asked(fit.confidence)]),
        FitState::No => fill(text.fit_no, &[&format::gib(fit.needed_gib), &format::gib(fit.capacity_gib)]),
    }
}

/// The verdict in one line: `Fits, 97 % sure`.
pub(crate) fn sentence(fit: &Fit, lang: Lang) -> String {
    format!("{}{}", word(fit.state, lang), behind(fit, lang))
}

/// Class of what is coloured by the state.
pub(crate) fn class(state: FitState) -> &'static str {
    match state {
        FitState::Fits => "is-fits",
        FitState::Tight => "is-tight",
        FitState::Unlikely => "is-unlikely",
        FitState::No => "is-no",
    }
}

pub(crate) fn icon(state: FitState) -> &'static str {
    match state {
        FitState::Fits => "i-check",
        FitState::Tight => "i-warn",
        FitState::Unlikely => "i-q",
        FitState::No => "i-x",
    }
}

/// What is to spare or missing, where, and on what condition; what stands out is between marks ([`parts`]).
fn marked(fit: &Fit, lang: Lang) -> String {
    let text = lang.text();
    let mark = |words: String| format!("{MARK}{words}{MARK}");
    let gib = |gib: f64| format!("{}\u{a0}GiB", format::gib(gib));
    let place = lang.during(fit.phase);
    let place = place.as_str();
    let missing = -fit.margin_gib;
    match (fit.margin_gib >= 0.0, fit.mean_response_at_most) {
        (true, Some(tokens)) => {
            // A limit is rounded down.
            let tokens = format::grouped((tokens / 10.0).floor() as u64 * 10);
            let tokens = mark(fill(text.fit_tokens, &[&tokens]));
            fill(text.fit_spare_while, &[&mark(gib(fit.margin_gib)), place, &tokens])
        }
        (true, None) => fill(text.fit_spare, &[&mark(gib(fit.margin_gib)), place]),
        (false, _) if fit.state == FitState::No => fill(text.fit_missing, &[&mark(gib(missing)), place]),
        (false, _) => {
            let over = format::percent(1.0 - fit.capacity_gib / fit.needed_gib, 0);
            fill(text.fit_lacking, &[&mark(gib(fit.needed_gib)), place, &format::gib(missing), &over])
        }
    }
}

/// What is to spare or missing, where, and on what condition, in parts: every second one stands out.
pub(crate) fn parts(fit: &Fit, lang: Lang) -> Vec<String> {
    marked(fit, lang).split(MARK).map(str::to_owned).collect()
}

/// What is to spare or missing, where, and on what condition, in a sentence.
pub(crate) fn margin(fit: &Fit, lang: Lang) -> String {
    marked(fit, lang).replace(MARK, "")
}

/// Host memory of a node, where the plan moves something there.
pub(crate) fn host(fit: &Fit, lang: Lang) -> Option<String> {
    let (text, host) = (lang.text(), fit.host.as_ref()?);
    let parts = host.parts.entries();
    let parts = parts.iter().filter(|(_, gib)| *gib > 0.0);
    let parts: Vec<String> = parts
        .map(|(name, gib)| format!("{} {}", lang.word(name), format::gib(*gib)))
        .collect();
    let parts = parts.join(lang.of([", ", "、"]));
    let needed = format::gib(host.needed_gib);
    Some(match host.capacity_gib {
        Some(whole) => fill(text.fit_host, &[&needed, &format::gib(whole), &parts]),
        None => fill(text.fit_host_unknown, &[&needed, &parts]),
    })
}

/// The bar of memory, by shares of its width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bar {
    /// Where the estimate ends.
    pub(crate) estimate: f64,
    /// Where that ends which suffices as surely as asked.
    pub(crate) sure: f64,
    pub(crate) card: f64,
}

/// Room behind the longer of what there is and what is needed, as a share of it.
const ROOM: f64 = 0.06;

/// The bar of a verdict: as long as the larger of what there is and what suffices as surely as asked, and a little more.
pub(crate) fn bar(fit: &Fit) -> Bar {
    let [needed, sure] = [fit.needed_gib, fit.needed_at_confidence_gib];
    let whole = fit.capacity_gib.max(sure).max(needed) * (1.0 + ROOM);
    let at = |gib: f64| {
        if whole > 0.0 { (gib / whole).clamp(0.0, 1.0) } else { 0.0 }
    };
    Bar {
        estimate: at(needed),
        // Only the upper side is drawn: too much room is no risk.
        sure: at(sure.max(needed)),
        card: at(fit.capacity_gib),
    }
}

#[cfg(test)]
mod tests {
    use super::{Bar, asked, bar, host, margin, parts, sentence, short, sure};
    use crate::text::Lang;
    use shardwise_core::wire::{Fit, FitState, HostMemory, HostParts};

    fn fit(state: FitState, probability: f64, needed_gib: f64) -> Fit {
        Fit {
            state,
            probability,
            phase: "update_actor",
            capacity_gib: 79.6,
            needed_gib,
            needed_at_confidence_gib: needed_gib * 1.166,
            margin_gib: 79.6 - needed_gib,
            ..Fit::nothing(0.95)
        }
    }

    #[test]
    fn a_probability_is_rounded_down_and_never_a_hundred() {
        for (p, words) in [
            (0.979, "97\u{a0}%"),
            (0.29, "29\u{a0}%"),
            (0.9949, "99\u{a0}%"),
            (0.995, "over 99\u{a0}%"),
            (1.0, "over 99\u{a0}%"),
        ] {
            assert_eq!(sure(p, Lang::En), words, "{p}");
        }
        assert_eq!(sure(1.0, Lang::Zh), "超过 99\u{a0}%");
        assert_eq!(asked(0.95), "95");
        assert_eq!(asked(0.999), "99.9");
    }

    #[test]
    fn every_state_says_what_it_knows() {
        let said = |state, p, needed, lang| sentence(&fit(state, p, needed), lang);
        for (state, p, needed, english, chinese) in [
            (FitState::Fits, 0.97, 66.8, "Fits, 97\u{a0}% sure", "放得下，97\u{a0}% 的把握"),
            (
                FitState::Tight,
                0.84,
                72.4,
                "Tight, 84\u{a0}% sure; you asked for 95",
                "勉强，84\u{a0}% 的把握，低于你要求的 95\u{a0}%",
            ),
            (FitState::Unlikely, 0.22, 85.5, "Unlikely to fit, 22\u{a0}% sure", "多半放不下，22\u{a0}% 的把握"),
            (FitState::No, 0.01, 118.2, "Does not fit: 118.2 of 79.6 GiB", "放不下：118.2 / 79.6 GiB"),
        ] {
            assert_eq!(said(state, p, needed, Lang::En), english);
            assert_eq!(said(state, p, needed, Lang::Zh), chinese);
        }
        assert_eq!(short(FitState::Tight, 0.84, Lang::En), "Tight, 84\u{a0}%");
        assert_eq!(short(FitState::Unlikely, 0.22, Lang::En), "Unlikely, 22\u{a0}%");
        assert_eq!(short(FitState::No, 0.01, Lang::En), "Does not fit");
    }

    #[test]
    fn what_is_to_spare_or_missing_is_said_with_its_place_and_condition() {
        let mut own = fit(FitState::Fits, 0.97, 66.8);
        own.mean_response_at_most = Some(2109.0);
        let words = margin(&own, Lang::En);
        assert_eq!(
            words,
            "12.8\u{a0}GiB to spare in the actor update, while the mean response stays below 2,100\u{a0}tokens."
        );
        assert_eq!(parts(&own, Lang::En)[1], "12.8\u{a0}GiB");
        own.phase = "host";
        own.mean_response_at_most = None;
        own.host = Some(HostMemory {
            needed_gib: 204.0,
            capacity_gib: Some(2048.0),
            parts: HostParts { optimizer: 170.0, processes: 34.0, ..HostParts::default() },
        });
        assert!(margin(&own, Lang::En).contains("host memory of a node"));
        let said = host(&own, Lang::En).unwrap_or_default();
        assert!(said.contains("204.0 of 2,048.0 GiB") && said.contains("170.0"), "{said}");
        let lacking = margin(&fit(FitState::Unlikely, 0.22, 85.5), Lang::En);
        assert!(lacking.contains("5.9 more") && lacking.contains("7\u{a0}%"), "{lacking}");
        let missing = margin(&fit(FitState::No, 0.0, 118.2), Lang::En);
        assert!(missing.starts_with("38.6\u{a0}GiB missing"), "{missing}");
    }

    #[test]
    fn the_bar_goes_on_beyond_the_card() {
        let inside = bar(&fit(FitState::Fits, 0.97, 60.0));
        assert!(inside.estimate < inside.sure && inside.sure < inside.card && inside.card < 1.0);
        let beyond = bar(&fit(FitState::No, 0.0, 118.2));
        assert!(beyond.card < beyond.estimate && beyond.estimate < beyond.sure && beyond.sure < 1.0);
        let none = bar(&Fit::nothing(0.95));
        assert_eq!(none, Bar { estimate: 0.0, sure: 0.0, card: 0.0 });
    }
}
