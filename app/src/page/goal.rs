//! What the address says beside the question: what the best GPU type is, and the deadline or budget that it is held against.

use leptos::prelude::*;
use shardwise_core::permalink::{self, BY, WITHIN_HOURS, WITHIN_USD};

use super::{Order, Page};
use crate::form::units;

/// A limit that can be read, as the address holds it.
fn limit(typed: RwSignal<String>) -> Option<f64> {
    typed.with_untracked(|typed| units::number(typed, 1000.0).ok().filter(|limit| *limit > 0.0))
}

impl Page {
    /// An address of a question with what is looked for on it; the usual is not said.
    pub(crate) fn with_goal(self, question: &str) -> String {
        let order = self.order.get_untracked();
        let limits = match order {
            Order::Deadline | Order::Budget => [(WITHIN_HOURS, limit(self.deadline)), (WITHIN_USD, limit(self.budget))],
            Order::Fastest | Order::Cheapest => [(WITHIN_HOURS, None), (WITHIN_USD, None)],
        };
        let mut goal = String::new();
        if order != Order::default() {
            goal = format!("&{BY}={}", order.word());
        }
        for (key, limit) in limits {
            if let Some(limit) = limit {
                goal.push_str(&format!("&{key}={limit}"));
            }
        }
        permalink::beside(question, &goal)
    }

    /// Takes what an address looks for.
    pub(super) fn read_goal(self, hash: &str) {
        let said = |key: &str| {
            hash.trim_start_matches('#')
                .split('&')
                .find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))
        };
        let order = said(BY).and_then(Order::of_word).unwrap_or_default();
        if self.order.get_untracked() != order {
            self.order.set(order);
        }
        for (key, typed) in [(WITHIN_HOURS, self.deadline), (WITHIN_USD, self.budget)] {
            // A limit that is in no address may still be typed: no choice goes by it now.
            let read = said(key).filter(|limit| units::number(limit, 1000.0).is_ok());
            if let Some(read) = read.filter(|read| typed.with_untracked(|typed| typed != read)) {
                typed.set(read.to_owned());
            }
        }
    }
}
