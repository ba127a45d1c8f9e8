//! What the page asks of the browser. Nothing here may fail the page: storage may be forbidden,
//! the clipboard missing, the page in a frame.

mod address;
// Seen by itself, by what says that the page is busy: work that is put off here says so in turn.
pub(crate) mod document;
mod element;
mod files;
mod keyboard;
mod sharing;
mod storage;
mod time;

pub(crate) use address::{address, hash, hash_values, query, set_hash, set_query};
pub(crate) use document::{
    commit, cores, document, exact_version, listen, preferred_language, ready, reload, root_has, root_says, send,
    set_root, set_title, take_engine, take_over,
};
pub(crate) use element::{
    bars_end, click, close_popover, close_popover_of, element, follow_printer, follow_width, is_at_end, is_open, jump,
    opens, pointer_in, reveal, select, show_message, show_popover, top_of, uncover,
};
pub(crate) use files::{download, file, take_files};
pub(crate) use keyboard::{focus, focus_first, focus_is_in, focus_next, follow_keys, has_focus, lost_focus, types};
pub(crate) use sharing::{can_share, copy, share};
pub(crate) use storage::{keep, kept, store, stored};
pub(crate) use time::{after, hours_from_now, now_ms, soon, today};
