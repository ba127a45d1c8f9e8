//! The address of the page: the question that is shown, so that a link, a reload and Back lead to it.

use std::cell::RefCell;

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use shardwise_core::permalink;

use super::{KEPT_QUESTION, Page};
use crate::browser;
use crate::client::estimates;
use crate::follow::follow;
use crate::form::Form;

/// The form with the question that was last shown.
const KEPT_FORM: &str = "shardwise-form";

/// How long the address waits for the typing to pause, in milliseconds.
const PAUSE_MS: u32 = 400;

/// How long a question must rest to be one that somebody may look for again, in milliseconds.
const RECENT_MS: u32 = 8000;

thread_local! {
    /// What was chosen last and has no answer, as an address; empty where it is no question. The choice is a step of the
    /// history already.
    static AHEAD: RefCell<Option<String>> = const { RefCell::new(None) };

    /// The address as it was last read or written. Where it is another by now, it leads to another question, and the event
    /// that says so is on its way.
    static SEEN: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Puts `hash` into the address: as a step that Back undoes, or in place.
fn write(hash: &str, as_step: bool) {
    browser::set_hash(hash, as_step);
    SEEN.replace(browser::hash());
}

impl Page {
    /// The question that is shown, as the part of its address after `#`.
    pub(super) fn hash(self) -> Option<String> {
        // What waits for a pause in typing may outlast the page.
        self.shown
            .try_with_untracked(|shown| shown.as_ref().map(|shown| self.with_goal(&shown.hash)))?
    }

    /// Types in what the address asks, unless it stands there.
    pub(super) fn read_address(self) {
        let hash = browser::hash();
        SEEN.replace(hash.clone());
        let asked = AHEAD.with_borrow(Clone::clone);
        let awaited = || estimates::awaited(|asked| permalink::to_hash(asked.question()));
        let asked = asked.or_else(|| awaited().map(|question| self.with_goal(&question)));
        let standing = asked.or_else(|| self.hash());
        // Hashes without a value are places in the page.
        if !hash.contains('=') || Some(&hash) == standing.as_ref() {
            return;
        }
        AHEAD.take();
        self.read_goal(&hash);
        match permalink::open(&hash) {
            Ok((question, left_out)) => {
                self.left_out.set(left_out);
                self.type_in(|form| {
                    form.load(&question);
                    if self.embedded {
                        // An element's attributes say as much as matters to its page: the rest is the usual.
                        form.choose_kind(form.kind());
                    }
                });
            }
            Err(error) => self.bad_link.set(Some(error)),
        }
    }

    #[inline(never)]
    fn write_address(self) {
        // The step of a choice without an answer keeps the address that it has.
        if AHEAD.with_borrow(Option::is_none) {
            self.put_shown(false);
        }
    }

    fn put_shown(self, as_step: bool) {
        let Some(hash) = self.hash() else { return };
        let stands = browser::hash();
        // A link that could not be read stays in the address until something is changed.
        let is_read = SEEN.with_borrow(|seen| *seen == stands) && self.bad_link.with_untracked(Option::is_none);
        if hash != stands && is_read {
            // What is pressed in an embed is no step of the page around it.
            write(&hash, as_step && !self.embedded);
        }
    }

    /// Changes the form by what a person chooses: Back undoes it, whether it has its answer by then or not.
    pub(crate) fn change(self, edit: impl FnOnce(&mut Form)) {
        // The address catches up before the step, else Back would skip what was typed last.
        self.write_address();
        // The next choice takes the place of one that is refused, whose step has the address of the one before it.
        let was_refused = AHEAD.take().is_some() && Some(browser::hash()) == self.hash();
        self.type_in(edit);
        self.step(!was_refused);
    }

    /// Gives what was chosen its step of the history: with the question's own address, unless that is refused.
    #[inline(never)]
    fn step(self, is_new: bool) {
        let (shown, asked) = (self.hash(), self.form.with_untracked(Form::question));
        let asked = asked.ok().map(|question| self.with_goal(&permalink::to_hash(&question)));
        if asked.is_some() && asked == shown {
            return self.put_shown(is_new);
        }
        let address = if estimates::are_awaited() { asked.clone() } else { shown };
        AHEAD.set(Some(asked.unwrap_or_default()));
        if let (false, Some(address)) = (self.embedded, address) {
            write(&address, is_new);
        }
    }

    /// What was asked last has its answer.
    pub(super) fn catch_up(self) {
        if AHEAD.take().is_some() {
            // The factors of a run come with the answer.
            self.write_address();
        }
        self.write_address_later();
    }

    /// What was asked last is refused: the address says what is shown.
    pub(super) fn fall_back(self) {
        if AHEAD.with_borrow(Option::is_some) {
            self.put_shown(false);
        }
    }

    fn write_address_later(self) {
        thread_local! {
            static PENDING: RefCell<Option<[Timeout; 2]>> = const { RefCell::new(None) };
        }
        let write = Box::new(move || self.write_address());
        let address = browser::after(PAUSE_MS, write);
        // So late that the page is not busy until then.
        let recent = Timeout::new(RECENT_MS, move || self.remember());
        // Those before them are dropped, and with them what they would have done.
        PENDING.with(|pending| pending.replace(Some([address, recent])));
    }

    /// Hears where the address leads, and keeps what is typed when the page is left.
    pub(crate) fn follow_address(self) {
        follow(move || {
            self.order.track();
            self.deadline.track();
            self.budget.track();
            self.write_address_later();
        });
        browser::listen("hashchange", move |_| self.read_address());
        browser::listen("popstate", move |_| self.read_address());
        // A press may lead away: the address that Back comes to is the question as it stands.
        browser::listen("click", move |_| self.write_address());
        browser::listen("pagehide", move |_| {
            self.keep();
            self.remember();
        });
    }

    /// Keeps what is typed, valid or not, beside the question that the address holds.
    fn keep(self) {
        if let (false, Some(hash)) = (self.embedded, self.hash()) {
            let typed = self.form.with_untracked(Form::typed);
            browser::keep(KEPT_QUESTION, &hash);
            browser::keep(KEPT_FORM, &typed);
        }
    }

    /// Types again what was kept for the question of the address: Back from another page, a reload.
    pub(super) fn retype(self) {
        let hash = browser::kept(KEPT_QUESTION).filter(|hash| *hash == browser::hash());
        if !self.embedded && hash.is_some() && hash == self.hash() {
            let typed = browser::kept(KEPT_FORM).unwrap_or_default();
            self.edit(|form| form.retype(&typed));
        }
    }
}
