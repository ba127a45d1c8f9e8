//! The currency that dollars are shown in. What is typed, linked and exchanged with other programs stays in dollars.

use std::cell::Cell;

use serde::{Deserialize, Serialize};
use shardwise_core::units::decimal;

use crate::format;
use crate::text::Lang;

/// Yuan for a dollar where nobody says otherwise: the rate at which the catalog's prices in yuan were converted, so that these
/// come back as their sellers list them (0.138 dollars a yuan, Tencent Cloud's own; `core/catalog/data/offers.csv`).
pub(crate) const YUAN: f64 = 1.0 / 0.138;
/// The day of the newest price that was converted so.
pub(crate) const YUAN_DATE: &str = "2026-08-19";

/// Rates beyond these are slips of the keyboard.
const RATES: std::ops::RangeInclusive<f64> = 0.01..=10_000.0;

worded! {
    /// A currency, with the word of the storage.
    #[derive(Default, Serialize, Deserialize)]
    enum Currency {
        /// US dollars.
        #[default]
        Usd = "usd",
        /// Renminbi.
        Cny = "cny",
    }
}

/// A currency, and how much of it a dollar is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Money {
    pub(crate) currency: Currency,
    /// Of yuan, how many a dollar is; of dollars no matter.
    pub(crate) yuan: f64,
}

impl Default for Money {
    fn default() -> Self {
        Self { currency: Currency::Usd, yuan: YUAN }
    }
}

impl Money {
    /// What readers of a language reckon in.
    pub(crate) fn of_lang(lang: Lang) -> Self {
        let currency = lang.of([Currency::Usd, Currency::Cny]);
        Self { currency, ..Self::default() }
    }

    /// As the storage keeps it: `cny 7.25`.
    pub(crate) fn kept(self) -> String {
        format!("{} {}", self.currency.word(), self.yuan)
    }

    /// What the storage kept; `None` of what is no money.
    pub(crate) fn read(kept: &str) -> Option<Self> {
        let (word, rate) = kept.split_once(' ')?;
        Some(Self { currency: Currency::of_word(word)?, yuan: rate_of(rate)? })
    }
}

/// A rate as typed; `None` of what is none.
pub(crate) fn rate_of(typed: &str) -> Option<f64> {
    decimal(typed.trim()).filter(|rate| RATES.contains(rate))
}

thread_local! {
    /// What is shown in this program.
    static SHOWN: Cell<Option<Money>> = const { Cell::new(None) };
}

/// What dollars are shown in.
pub(crate) fn shown() -> Money {
    SHOWN.get().unwrap_or_default()
}

/// Has dollars shown in a currency from now on.
pub(crate) fn show(money: Money) {
    SHOWN.set(Some(money));
}

/// Dollars in the currency that is shown.
pub(crate) fn of(usd: f64) -> f64 {
    let money = shown();
    if money.currency == Currency::Cny { usd * money.yuan } else { usd }
}

pub(crate) fn sign() -> &'static str {
    if shown().currency == Currency::Cny { "¥" } else { "$" }
}

/// Dollars that are typed, in the currency that is shown; `None` where that is dollars.
pub(crate) fn typed(usd: f64) -> Option<String> {
    (shown().currency != Currency::Usd).then(|| format!("${} = {}", format::trimmed(usd), format::price(usd)))
}

/// A price as it would be typed, and beside it in the currency that is shown where that is another.
pub(crate) fn as_typed(usd: f64) -> String {
    let dollars = format!("${}", format::fixed(usd, 2));
    if shown().currency == Currency::Usd { dollars } else { format!("{dollars} ({})", format::price(usd)) }
}

/// Words with its sign where they have a dollar's.
pub(crate) fn signed(words: &str) -> String {
    words.replace('$', sign())
}

#[cfg(test)]
mod tests {
    use super::{Currency, Money, as_typed, of, show, sign, signed, typed};
    use crate::format::{dollars, price, usd};
    use crate::text::Lang;

    #[test]
    fn what_is_kept_is_read_and_nothing_else() {
        for currency in [Currency::Usd, Currency::Cny] {
            let money = Money { currency, yuan: 7.0197 };
            assert_eq!(Money::read(&money.kept()), Some(money));
        }
        for bad in ["", "cny", "eur 1.1", "cny NaN", "cny inf", "cny -7", "cny 0", "cny 1e9", "cny 7 7"] {
            assert_eq!(Money::read(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_listed_price_in_yuan_comes_back_as_it_was_listed() {
        show(Money::of_lang(Lang::Zh));
        // 79.36 yuan at 0.138.
        assert_eq!(price(10.951_68), "¥79.36");
        assert_eq!((usd(1.38), dollars(1380.0)), ("¥10.00".to_owned(), "¥10,000".to_owned()));
        assert_eq!((sign(), signed("$/MT")), ("¥", "¥/MT".to_owned()));
        // What is typed is dollars on such a page too, and both are said.
        assert_eq!((typed(1.38), as_typed(1.38)), (Some("$1.38 = ¥10.00".to_owned()), "$1.38 (¥10.00)".to_owned()));
        show(Money::default());
        assert_eq!((typed(1.38), as_typed(1.38)), (None, "$1.38".to_owned()));
        assert_eq!((of(2.0), price(2.0), signed("$/MT")), (2.0, "$2.00".to_owned(), "$/MT".to_owned()));
    }
}
