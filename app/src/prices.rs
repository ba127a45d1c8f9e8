//! A price sheet of one's own: kept in this browser, asked beside the catalog's offers, and in no link unless one wants it there.
//!
//! It is a market that says nothing but its own rows and whether they are asked alone.

use std::fmt::Write as _;

use serde_json::{Value, json};
use shardwise_core::Question;
use shardwise_core::hardware::OWN;
use shardwise_core::market::own;
use shardwise_core::wire::{
    Document, HardwareSpec, MarketSpec, OwnOfferSpec, VERSION, WorkloadKind, question_from_value,
};

/// The longest text that is read from the storage, in bytes: a hundred rows with long names.
const MOST_BYTES: usize = 128 << 10;

/// A sheet of these rows.
pub(crate) fn of(rows: Vec<OwnOfferSpec>, only: bool) -> MarketSpec {
    MarketSpec { own: Some(rows), only_own: only.then_some(true), ..MarketSpec::default() }
}

/// How many rows a sheet has.
pub(crate) fn len(sheet: &MarketSpec) -> usize {
    sheet.own.as_ref().map_or(0, Vec::len)
}

/// The sheet of a text from the storage, which nobody knows who wrote: what is no sheet is none.
pub(crate) fn read(stored: &str) -> Option<MarketSpec> {
    if stored.len() > MOST_BYTES {
        return None;
    }
    let market: Value = serde_json::from_str(stored).ok()?;
    // A question is read anyway: what reads one need not be there twice.
    let document = json!({"version": VERSION, "model": "", "hardware": {"gpu": "", "market": market},
        "workload": {"kind": WorkloadKind::Sft.as_str()}});
    let sheet = question_from_value(document).ok()?.hardware.market?;
    let sheet = of(sheet.own?, sheet.only_own == Some(true));
    let rows = own::rows(&sheet).ok()?;
    (!rows.is_empty()).then_some(sheet)
}

/// A sheet as a text for the storage.
pub(crate) fn write(sheet: &MarketSpec) -> String {
    Value::Object(sheet.entries()).to_string()
}

/// Whether a machine is rented where rows of one's own count: in a market, or by such a row.
fn counts(hardware: &HardwareSpec) -> bool {
    hardware.market.is_some() || hardware.offer.as_deref().is_some_and(|id| id.starts_with(OWN))
}

/// A question with a sheet's rows in its market, unless it has some of its own.
pub(crate) fn beside(question: &Question, sheet: Option<&MarketSpec>) -> Question {
    let mut question = question.clone();
    let hardware = &mut question.hardware;
    let has_own = hardware.market.as_ref().is_some_and(|market| market.own.is_some());
    if let Some(sheet) = sheet.filter(|_| counts(hardware) && !has_own) {
        join(hardware.market.get_or_insert_default(), sheet);
    }
    question
}

/// Puts a sheet's rows into a market, unless it has some of its own.
pub(crate) fn join(market: &mut MarketSpec, sheet: &MarketSpec) {
    if market.own.is_none() {
        market.own.clone_from(&sheet.own);
        market.only_own = sheet.only_own;
    }
}

/// A question without the rows that are those of a sheet, or without any where none is given: as a link has it.
pub(crate) fn without(question: &Question, sheet: Option<&MarketSpec>) -> Question {
    let mut question = question.clone();
    let by_own = question.hardware.offer.is_some();
    if let Some(market) = &mut question.hardware.market
        && market.own.is_some()
        && sheet.is_none_or(|sheet| sheet.own == market.own)
    {
        (market.own, market.only_own) = (None, None);
        if by_own {
            question.hardware.market = None;
        }
    }
    question
}

/// The columns and a row, as an example to type over.
pub(crate) fn example() -> String {
    let mut text = String::from("gpu,usd_per_gpu_hour,provider,count,network\n");
    let _ = writeln!(text, "h100-sxm,2.10,Lambda,8,3200");
    text
}

#[cfg(test)]
mod tests {
    use super::{beside, example, len, of, read, without, write};
    use serde_json::json;
    use shardwise_core::wire::{HardwareSpec, MarketSpec, question_from_value};
    use shardwise_core::{Question, permalink, sheet};

    fn sheet() -> MarketSpec {
        of(sheet::read(&example()).unwrap_or_else(|wrong| panic!("{wrong:?}")), true)
    }

    fn asked(hardware: serde_json::Value) -> Question {
        let mut question = json!({"version": 1, "model": "qwen3-8b", "hardware": hardware,
            "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}});
        question["hardware"]["gpu"] = json!("h100-sxm");
        question_from_value(question).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn what_is_kept_is_read_again_and_rubbish_is_not() {
        assert_eq!(read(&write(&sheet())), Some(sheet()));
        assert_eq!(len(&sheet()), 1);
        for bad in [
            "",
            "{}",
            "[]",
            "null",
            r#"{"own": []}"#,
            r#"{"own": [{"gpu": "h100-sxm"}]}"#,
            r#"{"own": [{"gpu": "h100-sxm", "usd_per_gpu_hour": -1}]}"#,
            r#"{"own": [{"gpu": "<b>", "usd_per_gpu_hour": 1}]}"#,
            r#"{"own": [{"gpu": "h100-sxm", "usd_per_gpu_hour": 1, "more": 1}]}"#,
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
        assert_eq!(read(&" ".repeat(200 << 10)), None);
        // What else a market says is no part of a sheet.
        let more = r#"{"own": [{"gpu": "h100-sxm", "usd_per_gpu_hour": 1}], "providers": ["AWS"]}"#;
        assert_eq!(read(more).and_then(|own| own.providers), None);
    }

    #[test]
    fn it_counts_where_a_machine_is_rented_and_stays_out_of_links() {
        let own = sheet();
        for (hardware, counts) in [
            (json!({"market": {"kinds": ["on-demand"]}}), true),
            (json!({"offer": "own/1"}), true),
            (json!({}), false),
            (json!({"usd_per_gpu_hour": 2.0}), false),
            (json!({"offer": "nebius/gpu-h200-sxm_8gpu/not-stated/on-demand"}), false),
        ] {
            let plain = asked(hardware);
            let priced = beside(&plain, Some(&own));
            assert_eq!(priced != plain, counts, "{plain:?}");
            assert_eq!(without(&priced, Some(&own)), plain);
            assert_eq!(without(&priced, None), plain);
            assert!(!permalink::to_hash(&without(&priced, None)).contains("Lambda"));
            assert_eq!(beside(&plain, None), plain);
        }
        // What a link brings along holds, and is not taken for one's own.
        let mut linked = asked(json!({"market": {}}));
        let rows = sheet::read("gpu,price\nh100-sxm,9\n").unwrap_or_else(|wrong| panic!("{wrong:?}"));
        linked.hardware = HardwareSpec { market: Some(of(rows, false)), ..linked.hardware };
        assert_eq!(beside(&linked, Some(&own)), linked);
        assert_eq!(without(&linked, Some(&own)), linked);
        assert!(permalink::to_hash(&linked).contains("own"));
    }
}
