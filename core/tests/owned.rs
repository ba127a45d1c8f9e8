//! Machines of one's own: what an hour of them costs, and what is said of what was assumed.

use serde_json::{Value, json};
use shardwise_core::hardware::Owned;
use shardwise_core::job::owned::{USD_PER_KWH, WORKING, YEARS};
use shardwise_core::job::resolve;
use shardwise_core::operations::{NODE_FACTOR, PUE, UTILIZATION};
use shardwise_core::permalink::{from_hash, to_hash};
use shardwise_core::read::read;
use shardwise_core::search::sweep::Sweep;
use shardwise_core::wire::{Answer, at, put, question_from_value};
use shardwise_core::{emit, estimate, flags};

use crate::said::said;

/// 16 A100 bought in 2023 for $15,000 each.
fn question(owned: &Value) -> Value {
    json!({"version": 1, "model": "llama-3.1-8b", "hardware": {"gpu": "a100-sxm-80g", "gpus": 16, "owned": owned},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64, "tokens": 1e9},
        "plan": {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1, "micro_batch": 1,
            "recompute": "full"}})
}

fn whole() -> Value {
    json!({"usd_per_gpu": 15_000, "years": 4, "utilization": 0.5, "watts": 800, "pue": 1.25, "usd_per_kwh": 0.1})
}

fn answer(question: Value) -> Answer {
    estimate(&question_from_value(question).unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

fn costs(owned: &Value) -> Owned {
    let question = question_from_value(question(owned)).unwrap();
    resolve(&question).unwrap().hardware.owned.unwrap()
}

#[track_caller]
fn same(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 1e-12 * wanted.abs(), "{found} in place of {wanted}");
}

#[test]
fn an_hour_costs_its_share_of_the_purchase_and_its_power() {
    // 15,000 / (4 x 8,766 x 0.5) = 15,000 / 17,532; 0.8 kW x 1.25 x $0.1 = $0.1.
    let own = costs(&whole());
    same(own.usd_of_machine(), 0.855_578_370_978_781_7);
    same(own.usd_of_power(), 0.1);
    let answer = answer(question(&whole()));
    same(answer.usd_per_gpu_hour.unwrap(), 0.955_578_370_978_781_7);
    same(answer.usd_per_step.unwrap(), 16.0 * 0.955_578_370_978_781_7 * answer.step_time_s / 3600.0);
    let run = answer.run.unwrap();
    same(run.usd.unwrap(), 16.0 * 0.955_578_370_978_781_7 * run.hours);
    assert!(
        !answer
            .caveats
            .iter()
            .any(|own| own.id == "owned-assumed" || own.id == "no-price")
    );
}

/// 15,000 / (5 x 8,766 x 0.83) = $0.41233; 400 W x 1.82 x 0.76 = 553.28 W, x 1.58 x $0.0806 = $0.07046.
#[test]
fn what_is_not_stated_is_usual_and_said() {
    let asked = json!({"usd_per_gpu": 15_000});
    let own = costs(&asked);
    let usual = (YEARS, WORKING, Some(400.0), PUE, USD_PER_KWH);
    assert_eq!((own.years, own.utilization, own.rated_w, own.pue, own.usd_per_kwh), usual);
    same(own.watts, 400.0 * NODE_FACTOR * UTILIZATION);
    let found = answer(question(&asked));
    let usd = found.usd_per_gpu_hour.unwrap();
    assert!((usd - (0.412_327 + 0.070_459)).abs() < 1e-6, "{usd}");
    let caveat = found.caveats.iter().find(|own| own.id == "owned-assumed").unwrap();
    said(&caveat.text);
    for figure in ["5 years", "83 %", "553 W", "1.58", "$0.0806", "hardware.owned"] {
        assert!(caveat.text.contains(figure), "{figure} is not in: {}", caveat.text);
    }
    // One thing that is left open is assumed.
    for key in ["years", "utilization", "watts", "pue", "usd_per_kwh"] {
        let mut rest = whole();
        rest.as_object_mut().unwrap().remove(key);
        let found = answer(question(&rest));
        assert!(found.caveats.iter().any(|own| own.id == "owned-assumed"), "{key}");
    }
}

#[test]
fn dollars_follow_the_price_the_years_the_use_and_the_power() {
    let with = |key: &str, factor: f64| {
        let mut own = whole();
        own[key] = json!(own[key].as_f64().unwrap() * factor);
        costs(&own)
    };
    let plain = costs(&whole());
    for (key, factor, machine, power) in [
        ("usd_per_gpu", 3.0, 3.0, 1.0),
        ("usd_per_gpu", 0.0, 0.0, 1.0),
        ("years", 2.0, 0.5, 1.0),
        ("utilization", 2.0, 0.5, 1.0),
        ("watts", 2.0, 1.0, 2.0),
        ("pue", 2.0, 1.0, 2.0),
        ("usd_per_kwh", 3.0, 1.0, 3.0),
        ("usd_per_kwh", 0.0, 1.0, 0.0),
    ] {
        let own = with(key, factor);
        same(own.usd_of_machine(), machine * plain.usd_of_machine());
        same(own.usd_of_power(), power * plain.usd_of_power());
        same(own.usd_per_gpu_hour(), own.usd_of_machine() + own.usd_of_power());
    }
}

/// The answer is the one at that price: only what the price is made of is held beside it.
#[test]
fn it_stands_as_the_price_of_an_hour() {
    let own = answer(question(&whole()));
    let mut plain = question(&Value::Null);
    put(&mut plain, "hardware.usd_per_gpu_hour", own.usd_per_gpu_hour.unwrap().into());
    assert_eq!(serde_json::to_value(&own).unwrap(), serde_json::to_value(answer(plain)).unwrap());
}

#[test]
fn a_link_carries_it() {
    let asked = question_from_value(question(&whole())).unwrap();
    let hash = to_hash(&asked);
    assert!(hash.contains("&hardware.owned.usd_per_gpu=15000"), "{hash}");
    assert_eq!(from_hash(&hash).unwrap(), asked);
}

/// What a machine cost is no price of another type.
#[test]
fn other_types_have_their_own_price() {
    let asked = question_from_value(question(&whole())).unwrap();
    let sweep = Sweep::new(&asked, &["a100-sxm-80g", "h100-sxm"], &[]);
    let prices: Vec<(Value, Option<f64>)> = sweep
        .all()
        .into_iter()
        .map(|own| (own.hardware.gpu, own.result.unwrap().answer.usd_per_gpu_hour))
        .collect();
    let of = |gpu: &str| prices.iter().find(|(own, _)| own == gpu).unwrap().1.unwrap();
    same(of("a100-sxm-80g"), 0.955_578_370_978_781_7);
    let h100 = shardwise_core::catalog::gpu("h100-sxm").unwrap();
    assert_eq!(Some(of("h100-sxm")), h100.usd_per_gpu_hour);
}

#[test]
fn a_text_is_read_for_the_machines_of_its_base_and_of_its_link() {
    let mut document = question(&whole());
    document["plan"] = json!({"backend": "deepspeed", "zero_stage": 3, "micro_batch": 1, "recompute": "full"});
    let asked = question_from_value(document.clone()).unwrap();
    let framework = emit::framework("deepspeed").unwrap();
    let texts = |link: &str| -> Vec<String> {
        let snippets = flags(&asked, framework, framework.versions[0], link).unwrap().unwrap();
        snippets.into_iter().map(|snippet| snippet.text).collect()
    };
    let hardware = |texts: &[String], base: &Value| {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let base = question_from_value(base.clone()).unwrap();
        let found = read(&texts, Some(&base)).unwrap_or_else(|error| panic!("{error}"));
        found.question.hardware
    };
    let (plain, linked) = (texts(""), texts(&format!("http://x/#{}", to_hash(&asked))));
    assert_eq!(hardware(&plain, &document).owned, asked.hardware.owned);
    // Of another GPU it says nothing.
    document["hardware"] = json!({"gpu": "h100-sxm"});
    assert_eq!(hardware(&plain, &document).owned, None);
    // The link's, but where the caller says what an hour costs.
    document["hardware"] = json!({"gpu": "a100-sxm-80g"});
    assert_eq!(hardware(&linked, &document).owned, asked.hardware.owned);
    document["hardware"]["usd_per_gpu_hour"] = json!(2.5);
    let found = hardware(&linked, &document);
    assert_eq!((found.owned, found.usd_per_gpu_hour), (None, Some(2.5)));
    // The rest of the link holds all the same.
    assert_eq!(found.gpus, Some(16));
    document["hardware"] = json!({"gpu": "a100-sxm-80g", "owned": {"usd_per_gpu": 9000}});
    let found = hardware(&linked, &document);
    assert_eq!(at(&serde_json::to_value(&found).unwrap(), "owned"), &json!({"usd_per_gpu": 9000.0}));
}
