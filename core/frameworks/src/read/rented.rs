//! Offers and markets of a base question or a link, beside what a text says of its machine.

use serde_json::Value;

use super::draft::Draft;
use shardwise_catalog::catalog;
use shardwise_catalog::hardware::OWN;
use shardwise_question::market;
use shardwise_question::wire::{self, HardwareSpec, at};

/// What says where a machine is rented.
const TERMS: [&str; 2] = ["hardware.offer", "hardware.market"];

/// What an offer has of its own, so that no other question's holds beside it.
const OF_AN_OFFER: [&str; 5] = [
    "hardware.gpus_per_node",
    "hardware.internode_gbit_per_s_per_gpu",
    "hardware.host_ram_gib",
    "hardware.usd_per_gpu_hour",
    "hardware.owned",
];

/// Takes from a link what does not go with where the caller rents, or with the machine that the caller states.
pub(super) fn without_other_terms(own: &Value, link: &mut Value) {
    let states = |fields: &[&str]| fields.iter().any(|field| !at(own, field).is_null());
    let gpu = at(own, "hardware.gpu");
    let another = !gpu.is_null() && gpu != at(link, "hardware.gpu");
    if states(&TERMS) {
        take_all(link, &TERMS);
        take_all(link, &OF_AN_OFFER);
    } else if another || states(&OF_AN_OFFER) {
        take_all(link, &TERMS);
    }
}

/// GPUs of an instance of an offer, or of a row of the question's own price sheet.
fn instance(id: &str, root: &Value) -> Option<u64> {
    match id.strip_prefix(OWN) {
        None => catalog::offer(id).map(|offer| offer.gpus.into()),
        Some(place) => {
            let row = place.parse::<usize>().ok()?.checked_sub(1)?;
            at(root, "hardware.market.own").get(row)?.get("count")?.as_u64()
        }
    }
}

fn take_all(root: &mut Value, fields: &[&str]) {
    for field in fields {
        wire::take(root, field);
    }
}

/// Makes one machine of a text's nodes and another question's offer or market; what of either is given up, as a sentence.
///
/// The text holds against an offer: it runs on nodes of that size. A market has machines of many sizes, of which the price
/// decides, and keeps none that is stated.
pub(super) fn settle(root: &mut Value) -> Option<String> {
    if let Some(id) = at(root, TERMS[0]).as_str() {
        // What is wrong with an offer that is not known is said where the question is asked.
        let size = instance(id, root)?;
        let gpus = at(root, "hardware.gpus").as_u64().filter(|gpus| !gpus.is_multiple_of(size));
        let node = at(root, OF_AN_OFFER[0]).as_u64().filter(|node| *node != size);
        let why = match (gpus, node) {
            (Some(gpus), _) => format!("{gpus} GPUs are no whole number of its instances of {size}"),
            (None, Some(node)) => format!("the text has nodes of {node} GPUs, and its instances have {size}"),
            (None, None) => return None,
        };
        // A row of one's own is one of a market that would be asked in its place.
        take_all(root, &TERMS);
        return Some(format!("The offer is left out: {why}."));
    }
    if at(root, TERMS[1]).is_null() {
        return None;
    }
    let node = at(root, OF_AN_OFFER[0]).as_u64();
    take_all(root, &OF_AN_OFFER);
    let node = node.filter(|node| rents_others(root, *node))?;
    Some(format!(
        "The script has {node} GPUs in a node. Here the cheapest machine is rented, whose nodes may have another number: state hardware.gpus_per_node to keep {node}, at the list price."
    ))
}

/// Whether the cheapest offer of the market that holds the machine has nodes of another size.
fn rents_others(root: &Value, node: u64) -> bool {
    let machine = serde_json::from_value(at(root, "hardware").clone()).ok();
    let offers = machine.and_then(|machine| market::offers(&machine).ok());
    offers.is_some_and(|offers| offers.first().is_some_and(|own| u64::from(own.gpus()) != node))
}

impl Draft<'_> {
    /// Takes over where the base question rents its machine.
    pub(super) fn offers_of(&mut self, base: &HardwareSpec) {
        for (field, value) in [
            (TERMS[0], base.offer.clone().map(Value::from)),
            (TERMS[1], base.market.as_ref().and_then(|own| serde_json::to_value(own).ok())),
        ] {
            if let Some(value) = value {
                self.set(field, value);
            }
        }
    }

    /// See [`settle`].
    pub(super) fn settle_offer(&mut self) {
        let mut root = self.replace(Value::Null);
        let given_up = settle(&mut root);
        self.replace(root);
        if let Some(given_up) = given_up {
            self.note_once(&given_up);
        }
    }
}
