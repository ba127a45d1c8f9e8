//! What the core's sentences are in another language than English: a part of the program, which is fetched for those who
//! read one.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;

use shardwise_core::words::{self, Words};

use crate::text::Lang;

/// Fetches the Chinese words; nothing where they do not load.
pub type Fetch = fn() -> Pin<Box<dyn Future<Output = Option<&'static Words>>>>;

thread_local! {
    static CHINESE: Cell<Option<&'static Words>> = const { Cell::new(None) };
}

/// The Chinese words. Whoever names this has them in its own file.
#[must_use]
pub fn chinese() -> Option<&'static Words> {
    words::of(Lang::Zh.core())
}

/// Has the words of a language at hand; `None` where they do not load.
pub(crate) async fn learn(lang: Lang, fetch: Fetch) -> Option<()> {
    if lang == Lang::Zh && CHINESE.get().is_none() {
        CHINESE.set(Some(fetch().await?));
    }
    Some(())
}

/// The words of a language, once they are [learnt](learn); English needs none.
pub(crate) fn words(lang: Lang) -> Option<&'static Words> {
    match lang {
        Lang::En => None,
        // Tests write sheets by themselves.
        Lang::Zh => CHINESE.get().or_else(|| if cfg!(test) { chinese() } else { None }),
    }
}
