//! Starts the calculator; in a worker, does its work. One program for both, so that nobody downloads anything twice. The
//! engine, what the first answer does not need, texts, what a person opens or pastes, and Chinese are files of their own (`split`),
//! loaded when they are asked for.

use std::pin::Pin;

use shardwise_app::Rest;
use shardwise_core::words::Words;
use wasm_bindgen::prelude::wasm_bindgen;

fn main() {
    if web_sys::window().is_some() {
        shardwise_app::calculator(
            || Box::pin(async { rest().await.ok() }),
            |request| Box::pin(async { engine(request).await.ok() }),
        );
    }
}

/// Answers what the page asks as a person types, both JSON; an empty text for what is no such request, or where the engine
/// does not load.
#[wasm_bindgen]
pub async fn estimate(request: String) -> String {
    engine(request).await.unwrap_or_default()
}

/// Answers any other request of the page, both JSON; an empty text for what is no request, or where a part does not load.
/// `scripts/worker.js` passes them on; an empty request has the first part on its way.
#[wasm_bindgen]
pub async fn answer(request: String) -> String {
    let reply = match texts(request.clone()).await {
        Ok(answer) => answer.await,
        Err(_) => return String::new(),
    };
    match reply {
        Some(reply) if reply.is_empty() && !request.is_empty() => opened(request).await.unwrap_or_default(),
        reply => reply.unwrap_or_default(),
    }
}

/// As [`shardwise_app::Fetch`].
fn fetch_chinese() -> Pin<Box<dyn Future<Output = Option<&'static Words>>>> {
    Box::pin(async { chinese().await.ok().flatten() })
}

#[cfg(feature = "split")]
mod parts {
    use shardwise_app::worker::Answer;
    use shardwise_core::words::Words;
    use wasm_split_helpers::{SplitLoaderError, wasm_split};

    #[wasm_split(rest, fallible)]
    pub(super) fn rest() -> Result<super::Rest, SplitLoaderError> {
        Ok(shardwise_app::rest())
    }

    #[wasm_split(engine, fallible)]
    pub(super) fn engine(request: String) -> Result<String, SplitLoaderError> {
        Ok(shardwise_app::worker::estimate(&request))
    }

    #[wasm_split(texts, fallible)]
    pub(super) fn texts(request: String) -> Result<Answer, SplitLoaderError> {
        Ok(shardwise_app::worker::answer_first(request, super::fetch_chinese))
    }

    #[wasm_split(opened, fallible)]
    pub(super) fn opened(request: String) -> Result<String, SplitLoaderError> {
        Ok(shardwise_app::worker::answer_opened(&request))
    }

    #[wasm_split(chinese, fallible)]
    pub(super) fn chinese() -> Result<Option<&'static Words>, SplitLoaderError> {
        Ok(shardwise_app::chinese())
    }
}

/// All of it in one file.
#[cfg(not(feature = "split"))]
mod parts {
    use shardwise_app::worker::Answer;
    use shardwise_core::words::Words;
    use std::convert::Infallible;

    pub(super) async fn rest() -> Result<super::Rest, Infallible> {
        Ok(shardwise_app::rest())
    }

    pub(super) async fn engine(request: String) -> Result<String, Infallible> {
        Ok(shardwise_app::worker::estimate(&request))
    }

    pub(super) async fn texts(request: String) -> Result<Answer, Infallible> {
        Ok(shardwise_app::worker::answer_first(request, super::fetch_chinese))
    }

    pub(super) async fn opened(request: String) -> Result<String, Infallible> {
        Ok(shardwise_app::worker::answer_opened(&request))
    }

    pub(super) async fn chinese() -> Result<Option<&'static Words>, Infallible> {
        Ok(shardwise_app::chinese())
    }
}

use parts::{chinese, engine, opened, rest, texts};
