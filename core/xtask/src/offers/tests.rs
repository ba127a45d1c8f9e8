//! Lists of schema v8 and a table of our own, as `refresh` puts them together.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Asked, refresh};

const HEADER: &str = "provider,instance,gpu,gpus,region,kind,usd_per_hour,interconnect,fabric,network_gbit_per_s,vcpus,host_ram_gib,source,snapshot,date,notes\n";
const LAMBDA: &str = "Lambda,gpu_8x_h100_sxm5,h100-sxm,8,all regions,on-demand,32,nvlink,,,,,https://lambda.ai/pricing,page,2026-09-28,before tax; date of the commit not known\n";
const TPU: &str =
    "GCP,1 tpu-v5e,tpu-v5e,1,us-east1,on-demand,1.2,unknown,,,,,https://example.com/tpu,b707e74,2024-12-23,\n";

fn sample(vendor: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(vendor);
    path.join("vms.csv").display().to_string()
}

/// A folder like `core` with a table of offers.
fn house(name: &str, csv: &str) -> PathBuf {
    let root = std::env::temp_dir().join(format!("shardwise-offers-{name}-{}", std::process::id()));
    let data = root.join("catalog/data");
    fs::create_dir_all(&data).unwrap();
    let ids = ["h100-sxm", "h100-pcie", "h100-nvl", "rtx-a6000", "a100-sxm-80g", "a100-pcie-80g", "l40s", "rtx-4090"];
    let gpus: String = ids.iter().map(|id| format!("[[gpu]]\nid = \"{id}\"\n")).collect();
    fs::write(data.join("gpus.toml"), gpus).unwrap();
    fs::write(data.join("offers.csv"), format!("{HEADER}{csv}")).unwrap();
    root
}

fn toml(root: &Path) -> String {
    fs::read_to_string(root.join("catalog/data/offers.toml")).unwrap()
}

#[test]
fn our_table_alone_becomes_toml_without_unknown_accelerators() {
    let root = house("alone", &format!("{LAMBDA}{TPU}"));
    let said = refresh(&root, &[]).unwrap();
    assert!(said.contains("left out: tpu-v5e, which gpus.toml lacks (1 rows)"), "{said}");
    assert!(said.contains("new: lambda/gpu_8x_h100_sxm5/all-regions/on-demand, 32 USD an hour"), "{said}");
    let text = toml(&root);
    assert!(text.contains("usd_per_hour = 32.0") && text.contains("gpus = 8,"), "{text}");
    assert!(!text.contains("fabric") && !text.contains("tpu"), "{text}");
    // Nothing new: nothing is said but how many there are.
    let again = refresh(&root, &[]).unwrap();
    assert_eq!(again.lines().count(), 2, "{again}");
    assert_eq!(toml(&root), text);
}

#[test]
fn a_list_renews_what_we_have_and_adds_what_we_have_not() {
    let root = house("renew", LAMBDA);
    let said = refresh(&root, &["--skypilot", &sample("lambda"), "0f4070387edc", "2026-11-20"]).unwrap();
    let text = toml(&root);
    // A region of our own words takes the cheapest of the list's, and its shape.
    assert!(text.contains("id = \"lambda/gpu_8x_h100_sxm5/all-regions/on-demand\""), "{text}");
    assert!(text.contains("usd_per_hour = 34.0, vcpus = 208, host_ram_gib = 1800.0"), "{text}");
    assert!(text.contains("blob/0f4070387edc/catalogs/v8/lambda/vms.csv\", snapshot = \"0f40703\", date = \"2026-11-20\", notes = \"before tax\""), "{text}");
    assert!(text.contains("id = \"lambda/gpu_2x_a6000/us-west-1/on-demand\""), "{text}");
    assert!(text.contains("interconnect = \"unknown\""), "{text}");
    assert!(said.contains("not taken of Lambda: H100, 1 offers: SXM, PCIe or NVL is not stated"), "{said}");
    // The table has what the list said.
    let csv = fs::read_to_string(root.join("catalog/data/offers.csv")).unwrap();
    assert!(csv.starts_with(HEADER) && csv.contains("gpu_2x_a6000,rtx-a6000,2,us-west-1,on-demand,2.5,"), "{csv}");
    assert_eq!(refresh(&root, &[]).unwrap().lines().count(), 1);
}

#[test]
fn spot_and_market_are_kinds_of_their_own() {
    let root = house("kinds", "");
    let runpod = ["--skypilot", &sample("runpod"), "abcdef0", "2026-11-20"];
    let vast = ["--skypilot", &sample("vast"), "abcdef0", "2026-11-20"];
    let said = refresh(&root, &[runpod, vast].concat()).unwrap();
    let text = toml(&root);
    let ids: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.split('"').nth(1).filter(|id| id.contains('/')))
        .collect();
    let wanted = [
        "runpod/1x_a100-80gb_secure/ca/on-demand",
        "runpod/1x_a100-80gb_secure/ca/spot",
        // Its spot price is no other than its price.
        "runpod/1x_l40s_secure/ca/on-demand",
        "vast.ai/vastv2-1x-rtx4090-24564-4-8192/any/market",
    ];
    assert_eq!(ids, BTreeSet::from(wanted), "{said}");
    assert!(text.contains("gpu = \"a100-pcie-80g\""), "{text}");
    assert!(said.contains("MI999, 1 offers: its accelerator is not in the catalog"), "{said}");
}

#[test]
fn a_jump_is_refused_unless_it_is_allowed() {
    let root = house("jump", LAMBDA);
    refresh(&root, &[]).unwrap();
    let before = toml(&root);
    let dear = LAMBDA.replace(",32,", ",45,");
    fs::write(root.join("catalog/data/offers.csv"), format!("{HEADER}{dear}")).unwrap();
    let refused = refresh(&root, &[]).unwrap_err();
    assert!(refused.contains("32 to 45 USD an hour, +41 %") && refused.contains("--allow-jumps"), "{refused}");
    assert_eq!(toml(&root), before);
    let said = refresh(&root, &["--allow-jumps"]).unwrap();
    assert!(said.contains("+41 %") && toml(&root).contains("45.0"), "{said}");
}

#[test]
fn what_is_wrong_is_named() {
    assert!(Asked::of(&["--skypilot", "a.csv"]).unwrap_err().starts_with("usage"));
    let root = house("wrong", LAMBDA);
    let nobody = refresh(&root, &["--skypilot", "samples/nobody/vms.csv", "abc", "2026-11-20"]).unwrap_err();
    assert!(nobody.contains("nobody is no vendor") && nobody.contains("lambda"), "{nobody}");
    let twice = house("twice", &format!("{LAMBDA}{LAMBDA}"));
    let twice = refresh(&twice, &[]).unwrap_err();
    assert!(twice.contains("two rows are lambda/gpu_8x_h100_sxm5/all-regions/on-demand"), "{twice}");
    let broken = house("broken", &LAMBDA.replace(",32,", ",dear,"));
    let broken = refresh(&broken, &[]).unwrap_err();
    assert!(broken.contains("line: 2") && broken.contains("invalid float"), "{broken}");
}

#[test]
fn the_catalogs_toml_is_made_of_its_table() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalog/data");
    let mut rows = super::sheet::read(&data.join("offers.csv")).unwrap();
    super::sheet::sort(&mut rows);
    let known = super::gpus(&data).unwrap();
    let (kept, _) = super::listed(&rows, &known).unwrap();
    assert!(kept.len() > 600);
    let toml = fs::read_to_string(data.join("offers.toml")).unwrap();
    assert!(super::sheet::toml(&kept) == toml, "run scripts/refresh-offers");
    assert_eq!(super::sheet::csv(&rows).unwrap(), fs::read_to_string(data.join("offers.csv")).unwrap());
}
