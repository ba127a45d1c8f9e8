//! Language and colours: what every page of the site shares.

use leptos::prelude::*;

use crate::browser;
use crate::follow::follow;
use crate::money::{self, Money};
use crate::text::Lang;

const THEME_KEY: &str = "shardwise-theme";
const LANG_KEY: &str = "shardwise-lang";
const MONEY_KEY: &str = "shardwise-money";

worded! {
    /// Colours of the page, with the words of the address and the storage.
    #[derive(Default)]
    enum Theme {
        /// The system's.
        #[default]
        Auto = "auto",
        Light = "light",
        Dark = "dark",
    }
}

/// What was chosen. A handle: copies are the same choice.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    /// Language.
    pub(crate) lang: RwSignal<Lang>,
    /// Colours.
    pub(crate) theme: RwSignal<Theme>,
    /// What dollars are shown in; `None` while that follows the language.
    pub(crate) money: RwSignal<Option<Money>>,
}

impl Look {
    /// As the address, the storage and the system ask for it; the root element and the title follow.
    pub(crate) fn new(title: fn(Lang) -> &'static str) -> Self {
        // What is no language or no colour is as if it were not there, whoever put it into the storage.
        let lang = [browser::query("lang"), browser::stored(LANG_KEY), browser::preferred_language()];
        let lang = lang.iter().flatten().find_map(|tag| Lang::of_tag(tag));
        let theme = [browser::query("theme"), browser::stored(THEME_KEY)];
        let theme = theme.iter().flatten().find_map(|word| Theme::of_word(word));
        let money = browser::stored(MONEY_KEY).and_then(|kept| Money::read(&kept));
        let look = Self {
            lang: RwSignal::new(lang.unwrap_or_default()),
            theme: RwSignal::new(theme.unwrap_or_default()),
            money: RwSignal::new(money),
        };
        // Before anything is written, or asked of a worker.
        money::show(untrack(|| look.money()));
        follow(move || {
            let lang = look.lang.get();
            browser::set_root("lang", Some(lang.tag()));
            browser::set_title(title(lang));
        });
        follow(move || {
            let theme = look.theme.get();
            browser::set_root("data-theme", (theme != Theme::Auto).then_some(theme.word()));
        });
        look
    }

    /// Chooses a language and keeps the choice.
    pub(crate) fn choose_lang(self, lang: Lang) {
        self.lang.set(lang);
        money::show(untrack(|| self.money()));
        browser::store(LANG_KEY, lang.tag());
        // What the address says would hold again after a reload.
        if browser::query("lang").is_some() {
            browser::set_query("lang", lang.tag());
        }
    }

    /// Chooses colours and keeps the choice.
    pub(crate) fn choose_theme(self, theme: Theme) {
        self.theme.set(theme);
        browser::store(THEME_KEY, theme.word());
    }

    /// What dollars are shown in.
    pub(crate) fn money(self) -> Money {
        self.money.get().unwrap_or_else(|| Money::of_lang(self.lang.get()))
    }

    /// Chooses what dollars are shown in and keeps the choice.
    pub(crate) fn choose_money(self, money: Money) {
        money::show(money);
        self.money.set(Some(money));
        browser::store(MONEY_KEY, &money.kept());
    }

    /// The address of another page of the site. Where this page's address says how it looks, the
    /// other's has to say so too.
    pub(crate) fn address_of(self, page: &str) -> String {
        let asked = browser::query("lang").or_else(|| browser::query("theme"));
        if asked.is_none() {
            return page.to_owned();
        }
        let (lang, theme) = (self.lang.get().tag(), self.theme.get().word());
        format!("{page}?lang={lang}&theme={theme}")
    }
}
