//! How the texts to paste are shown: kept for as long as the page lives, in either language.

use std::sync::Arc;

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use shardwise_core::emit::{NAMES, Named};

use crate::follow::follow;
use crate::protocol::Flags;

/// How long a text must stand to be the one that later ones are compared with, in milliseconds: a number that is typed is
/// one change, not one for each of its digits.
const STANDS_MS: u32 = 2000;

/// What is chosen, and what changes are marked against. A handle: copies are the same choice.
#[derive(Clone, Copy)]
pub(crate) struct Texts {
    /// The framework whose tab is open.
    pub(crate) framework: RwSignal<&'static str>,
    /// The version last chosen; a framework that has none of that name shows its default.
    pub(crate) version: RwSignal<&'static str>,
    /// Whether reasons stand beside the settings.
    pub(crate) reasons: RwSignal<bool>,
    /// Whether long texts are shown to their end.
    pub(crate) whole: RwSignal<bool>,
    /// What the shown texts are compared with; nothing is marked where there is none.
    pub(crate) before: RwSignal<Option<Arc<Flags>>>,
    /// What stood still last.
    pub(crate) stood: RwSignal<Option<Arc<Flags>>>,
    /// How the copying by a key went; empty where nothing was copied lately.
    pub(crate) said: RwSignal<String>,
}

impl Texts {
    /// Before the first question.
    pub(crate) fn new() -> Self {
        Self {
            framework: RwSignal::new(NAMES.first().map_or("", |framework| framework.id)),
            version: RwSignal::new(""),
            reasons: RwSignal::new(true),
            whole: RwSignal::new(false),
            before: RwSignal::new(None),
            stood: RwSignal::new(None),
            said: RwSignal::new(String::new()),
        }
    }

    /// The chosen framework.
    pub(crate) fn framework(self) -> Option<&'static Named> {
        NAMES.iter().find(|own| own.id == self.framework.get())
    }

    /// The chosen version of it.
    pub(crate) fn version(self, framework: &Named) -> &'static str {
        version(framework, self.version.get())
    }

    /// Compares new texts with those that stood still last, where these are the same framework's: another framework's differ
    /// in every line, and before the first answer there are none.
    pub(crate) fn compare(self, flags: Option<&Flags>) {
        let stood = self.stood.get_untracked();
        let alike = |stood: &Arc<Flags>| {
            flags.is_some_and(|now| now.framework == stood.framework && now.version == stood.version)
        };
        self.before.set(stood.filter(alike));
    }

    /// Marks nothing until the next change.
    pub(crate) fn clear_marks(self, flags: Option<Arc<Flags>>) {
        self.before.set(None);
        self.stood.set(flags);
    }

    /// Notes which texts stand still. Nothing waits for that, so that the page is not busy until then.
    pub(crate) fn follow_rest(self, flags: RwSignal<Option<Arc<Flags>>>) {
        let mut pending: Option<Timeout> = None;
        follow(move || {
            drop(pending.take());
            let now = flags.get();
            pending = Some(Timeout::new(STANDS_MS, move || drop(self.stood.try_set(now))));
        });
    }
}

/// The version called `name`, or the framework's default.
pub(crate) fn version(framework: &Named, name: &str) -> &'static str {
    let versions = framework.versions;
    let found = versions.iter().find(|version| **version == name);
    found.or(versions.first()).copied().unwrap_or_default()
}
