//! A price sheet of one's own: what it says rents as an offer of the catalog does, and what is wrong with it is said by line.

use serde_json::{Value, json};
use shardwise_core::wire::{HardwareSpec, OwnOfferSpec, Question, to_value};
use shardwise_core::{Answer, estimate, interface, market, permalink, sheet};

use super::{asked, on, tasks};
use crate::said::said;

const SHEET: &str = "\
gpu,usd_per_gpu_hour,provider,instance,count,network,kind,date
h100-sxm,1.25,Campus,big node,8,3200,,2026-11-01
h100-sxm,1.50,Campus,lone node,8,,,
h200-sxm,0.90,,,,,,
h100-sxm,0.20,Campus,night,8,3200,spot,
";

fn rows(text: &str) -> Vec<OwnOfferSpec> {
    sheet::read(text).unwrap_or_else(|wrong| panic!("{wrong:?}"))
}

/// A LoRA run on so many of a GPU, of a market with these rows.
fn with(gpu: &str, gpus: u64, text: &str, only: bool) -> Question {
    let mut question = asked(&tasks()[1], gpu, gpus, json!({}));
    let market = question.hardware.market.get_or_insert_default();
    (market.own, market.only_own) = (Some(rows(text)), only.then_some(true));
    question
}

fn answer(question: &Question) -> Answer {
    estimate(question).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn ones_own_price_is_rented_where_it_is_the_lowest() {
    for only in [false, true] {
        let question = with("h100-sxm", 16, SHEET, only);
        let found = answer(&question);
        let rental = found.offer.clone().unwrap();
        assert_eq!(
            (rental.id.as_str(), rental.provider.as_ref(), rental.instance.as_ref()),
            ("own/1", "Campus", "big node")
        );
        assert_eq!((rental.instances, rental.usd_per_hour, rental.date.as_deref()), (2, 20.0, Some("2026-11-01")));
        assert_eq!((rental.snapshot.as_deref(), rental.source.as_ref()), (None, "your price sheet"));
        // By its name, and by the plan that is found, it is the same.
        let named = on(&question, market::of_id(&question.hardware, "own/1").unwrap());
        assert_eq!(answer(&named).offer, found.offer);
        assert_eq!(answer(&named).tokens_per_s, found.tokens_per_s);
        let decided = shardwise_core::search::chosen::decided(&question, &found);
        assert_eq!(answer(&decided).offer, found.offer);
        // The link of it holds the sheet.
        assert_eq!(permalink::from_hash(&permalink::to_hash(&named)), Ok(named));
    }
    // A dear one is rented only where nothing else may be.
    let dear = "gpu,usd_per_gpu_hour,count\nh100-sxm,900,8\n";
    let id = |only| answer(&with("h100-sxm", 8, dear, only)).offer.unwrap().id;
    assert_ne!(id(false), "own/1");
    assert_eq!(id(true), "own/1");
}

#[test]
fn a_price_alone_is_of_the_catalogs_machine_in_any_number() {
    for gpus in [3, 8, 16] {
        let found = answer(&with("h200-sxm", gpus, SHEET, true));
        let rental = found.offer.clone().unwrap();
        assert_eq!((rental.id.as_str(), rental.provider.as_ref()), ("own/3", "your price sheet"));
        assert_eq!((rental.instances, rental.date), (gpus as u32, None));
        let mut hand = asked(&tasks()[1], "h200-sxm", gpus, json!({}));
        hand.hardware = HardwareSpec { market: None, usd_per_gpu_hour: Some(0.9), ..hand.hardware };
        let hand = answer(&hand);
        assert_eq!((found.tokens_per_s, found.usd_per_mtok), (hand.tokens_per_s, hand.usd_per_mtok));
        assert_eq!(found.fit.needed_gib, hand.fit.needed_gib);
    }
}

#[test]
fn several_instances_need_a_network_and_other_terms_are_not_mixed_in() {
    let lone = "gpu,usd_per_gpu_hour,count\nh100-sxm,1.5,8\n";
    assert!(answer(&with("h100-sxm", 8, lone, true)).offer.is_some());
    let none = answer(&with("h100-sxm", 16, lone, true));
    assert_eq!((none.offer, none.usd_per_mtok), (None, None));
    let why = none.caveats.iter().find(|own| own.id == market::NO_OFFER).unwrap();
    assert!(why.text.contains("network between instances"), "{}", why.text);
    let other = answer(&with("a100-sxm-80g", 8, SHEET, true));
    let why = other.caveats.iter().find(|own| own.id == market::NO_OFFER).unwrap();
    assert!(why.text.contains("Your price sheet"), "{}", why.text);
    // The night's price is another kind.
    let mut spot = with("h100-sxm", 16, SHEET, true);
    spot.hardware.market.get_or_insert_default().kinds = Some(vec![shardwise_core::catalog::OfferKind::Spot]);
    assert_eq!(answer(&spot).offer.unwrap().id, "own/4");
}

#[test]
fn a_search_over_every_gpu_rents_by_the_sheet() {
    let question = with("h100-sxm", 8, SHEET, true);
    let options = shardwise_core::wire::parse_options(r#"{"gpu": ["all"], "within_hours": 24}"#).unwrap();
    let found: Value = serde_json::from_str(&interface::search(&question, &options).unwrap()).unwrap();
    let offers = found["offers"].as_array().unwrap();
    let of = |offer: &Value| offer["answer"]["offer"]["id"].as_str().map(str::to_owned);
    assert_eq!(of(&offers[0]).as_deref(), Some("own/3"));
    let priced = offers.iter().filter(|offer| !offer["answer"]["usd_per_mtok"].is_null());
    assert!(priced.clone().count() > 1);
    assert!(
        priced
            .into_iter()
            .all(|offer| of(offer).is_some_and(|id| id.starts_with("own/")))
    );
}

#[test]
fn sheets_are_read_as_tables_come() {
    let want = json!({"gpu": "h100-sxm", "usd_per_gpu_hour": 2.5, "provider": "A, B", "count": 8});
    for text in [
        "gpu,usd_per_gpu_hour,provider,count\nh100-sxm,2.5,\"A, B\",8",
        "\u{feff}GPU; USD per GPU hour; Seller; GPUs\r\n\r\nh100-sxm; 2.50; A, B; 8\r\n",
        "count\tprovider\tprice\tgpu\n8\tA, B\t2.5\th100-sxm\n",
    ] {
        let own = with_rows(rows(text));
        assert_eq!(own, want, "{text}");
    }
    // A card goes by its name, too.
    assert_eq!(rows("gpu,price\nH100 SXM,2\n").len(), 1);
}

/// The one row, as a question holds it.
fn with_rows(rows: Vec<OwnOfferSpec>) -> Value {
    let mut question = Question::default();
    question.hardware.market.get_or_insert_default().own = Some(rows);
    to_value(&question)["hardware"]["market"]["own"][0].clone()
}

#[test]
fn what_is_wrong_with_a_sheet_names_line_column_and_remedy() {
    let many = format!("gpu,price\n{}", "h100-sxm,2\n".repeat(101));
    let long = format!("gpu,price\n{}", "h100-sxm,2\n".repeat(10_000));
    let name = format!("gpu,price,provider\nh100-sxm,2,{}\n", "x".repeat(81));
    for (text, line, column, says) in [
        ("", 1, "", "Begin with a line"),
        ("\n \n", 1, "", "Begin with a line"),
        ("gpu,price\n", 1, "", "no row below"),
        ("gpu\nh100-sxm\n", 1, "usd_per_gpu_hour", "is missing"),
        ("h100-sxm,2\n", 1, "h100-sxm", "names the columns"),
        ("gpu,price,usd\nh100-sxm,2,2\n", 1, "usd", "twice"),
        ("gpu,price\nh100-sxm,2,3\n", 2, "", "3 cells under 2 columns"),
        ("gpu,price\nh100-sxm,\"2\n", 2, "", "never closed"),
        ("gpu,price\nh100-sxm,2\n\nh100-sxn,2\n", 4, "gpu", "near: h100-sxm"),
        ("gpu,price\nH100,2\n", 2, "gpu", "near: h100"),
        ("gpu,price\n,2\n", 2, "gpu", "required"),
        ("gpu,price\nh100-sxm,\n", 2, "price", "required"),
        ("gpu,price\nh100-sxm,$2\n", 2, "price", "without a currency"),
        ("gpu;price\nh100-sxm;2,50\n", 2, "price", "with a point"),
        ("gpu,price\nh100-sxm,NaN\n", 2, "price", "is no number"),
        ("gpu,price\nh100-sxm,1e999\n", 2, "price", "is no number"),
        ("gpu,price\nh100-sxm,-1\n", 2, "price", "0.001 to 1000"),
        ("gpu,price\nh100-sxm,0\n", 2, "price", "0.001 to 1000"),
        ("gpu,price,count\nh100-sxm,2,eight\n", 2, "count", "whole number"),
        ("gpu,price,count\nh100-sxm,2,0\n", 2, "count", "at least 1"),
        ("gpu,price,network\nh100-sxm,2,400\n", 2, "network", "count"),
        ("gpu,price,kind\nh100-sxm,2,lease\n", 2, "kind", "reserved-1y"),
        ("gpu,price,date\nh100-sxm,2,2026-13-01\n", 2, "date", "YYYY-MM-DD"),
        (&name, 2, "provider", "80 characters"),
        (&many, 1, "", "more than 100 rows"),
        (&long, 1, "", "more than 64 KiB"),
    ] {
        let wrong = sheet::read(text).expect_err(text);
        let one = &wrong[0];
        said(&one.message);
        assert_eq!((one.line, one.column.as_str()), (line, column), "{text}: {one}");
        assert!(one.message.contains(says), "{text}: {one}");
    }
    // Every bad row is named, not the first alone.
    let wrong = sheet::read("gpu,price\nh1,2\nh100-sxm,2\nh100-sxm,x\n").unwrap_err();
    assert_eq!(wrong.iter().map(|own| own.line).collect::<Vec<_>>(), [2, 4]);
}

#[test]
fn no_text_makes_a_sheet_panic() {
    let pieces =
        ["gpu", "price", ",", ";", "\t", "\n", "\r\n", "\"", "h100-sxm", "2", "-", "1e308", "价格", "\0", "\u{feff}"];
    for seed in 0..20_000_usize {
        let mut state = seed;
        let text: String = std::iter::repeat_with(|| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            pieces[(state >> 33) % pieces.len()]
        })
        .take(seed % 40)
        .collect();
        if let Err(wrong) = sheet::read(&format!("gpu,price\n{text}")) {
            assert!(wrong.iter().all(|own| own.line >= 1 && !own.message.is_empty()), "{text}: {wrong:?}");
        }
    }
}
