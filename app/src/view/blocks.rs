//! What the worker writes, as elements: one component for each block of `protocol::blocks`.
//!
//! Words become text nodes; no markup is read.

mod act;
mod choice;
mod controls;
mod figure;
pub(super) mod host;
mod line;
mod list;
mod plot;
mod section;
mod table;

use serde_json::Value;

use crate::protocol::blocks::Block;
use crate::protocol::compact;
use crate::view::prelude::*;
use choice::Choice;
use controls::Controls;
use figure::Figure;
pub(super) use figure::{files, legend};
use host::{Host, each};
use line::Prose;
use list::{Entries, Listing, Terms};
pub(super) use plot::{image, over, targets};
use section::{Fold, Section};
use table::Table;

/// A sheet that came from the worker.
pub(super) fn sheet(host: Host, found: &Value) -> AnyView {
    let blocks: Vec<Block> = compact::read(found.clone()).unwrap_or_default();
    view! { <Blocks host blocks /> }
}

/// Blocks one below the other.
#[component]
fn Blocks(host: Host, blocks: Vec<Block>) -> impl IntoView {
    each(blocks, |block| match block {
        Block::Section(section) => view! { <Section host section /> },
        Block::Prose(prose) => view! { <Prose host prose /> },
        Block::Entries(entries) => view! { <Entries host entries /> },
        Block::Terms(terms) => view! { <Terms host terms /> },
        Block::Table(table) => view! { <Table host table /> },
        Block::Figure(figure) => view! { <Figure host figure /> },
        Block::Listing(listing) => view! { <Listing listing /> },
        Block::Fold(fold) => view! { <Fold host fold /> },
        Block::Controls(controls) => view! { <Controls host controls /> },
        Block::Choice(choice) => view! { <Choice host choice /> },
    })
}
