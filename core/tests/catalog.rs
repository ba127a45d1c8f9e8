//! The catalog: what it holds, how it is looked up, and what the build refuses.

#[path = "../engine/build/coverage.rs"]
mod coverage;
#[path = "../catalog/build/tables.rs"]
mod tables;

use serde_json::{Value, json};
use shardwise_core::catalog;
use shardwise_core::hardware::{supports_bf16, supports_flash_attention};
use shardwise_core::model::resolve_model;

fn resolve(value: Value) -> Result<shardwise_core::model::Model, shardwise_core::InputError> {
    resolve_model(&value, "model")
}

#[test]
fn holds_what_people_use() {
    assert!(catalog::models().len() >= 190);
    assert!(catalog::gpus().len() >= 45);
    assert!(catalog::nodes().len() >= 180);
    assert!(catalog::prices().len() >= 80);
    for id in [
        "a10g",
        "l4",
        "l40s",
        "a100-sxm-40g",
        "a100-sxm-80g",
        "a100-pcie-80g",
        "a800-sxm-80g",
        "h100-sxm",
        "h100-pcie",
        "h100-nvl",
        "h800-sxm",
        "h20",
        "h20-141g",
        "h200-sxm",
        "b200-sxm",
        "b300-sxm",
        "gb200",
        "gb300",
        "gh200-96g",
        "mi300x",
        "mi325x",
        "mi355x",
        "rtx-4090",
        "rtx-3090",
        "rtx-a6000",
        "rtx-pro-6000-server",
        "v100-sxm-32g",
    ] {
        assert!(catalog::gpu(id).is_some(), "{id}");
    }
}

#[test]
fn every_figure_has_a_source() {
    let gpus = catalog::gpu_sources().map(|(_, source, _)| source);
    let memory = catalog::memory_sources().map(|(source, _)| source);
    let nodes = catalog::nodes().iter().map(|n| n.source);
    let prices = catalog::prices().iter().map(|p| p.source);
    let models = catalog::model_sources().map(|(_, source, _)| source);
    for source in gpus.chain(memory).chain(nodes).chain(prices).chain(models) {
        assert!(source.url.starts_with("https://"), "{}", source.url);
        assert_eq!(source.date.len(), 10, "{}", source.date);
    }
    for node in catalog::nodes() {
        assert_eq!(node.host_ram_gib.is_some(), node.host_ram_source.is_some());
        assert_eq!(node.usd_per_hour.is_some(), node.price_url.starts_with("https://"), "{}", node.name);
    }
    assert!(catalog::PRICES_AS_OF >= "2026-11-01");
    assert!(catalog::VERSION.len() == 7);
}

#[test]
fn licences_are_on_record_with_their_sources() {
    let known: Vec<_> = catalog::model_licenses().zip(catalog::license_sources()).collect();
    assert_eq!(known.len(), catalog::models().len());
    for ((model, license), source) in &known {
        assert_eq!(license.is_some(), source.is_some(), "{}", model.id);
        assert!(source.is_none_or(|source| source.url.starts_with("https://")), "{}", model.id);
    }
    let of = |id: &str| {
        let found = known.iter().find(|((model, _), _)| model.id == id);
        found.and_then(|((_, license), _)| *license)
    };
    assert_eq!(of("qwen3-8b"), Some("Apache-2.0"));
    assert_eq!(of("llama-3.1-70b"), Some("Llama 3.1"));
    assert_eq!(of("deepseek-r1"), Some("MIT"));
    assert_eq!(of("gpt3-175b"), None);
    let named = known.iter().filter(|((_, license), _)| license.is_some());
    assert!(named.count() >= 90);
}

#[test]
fn typical_prices_are_somebodys_price() {
    for gpu in catalog::gpus() {
        assert_eq!(gpu.usd_per_gpu_hour.is_some(), gpu.price_source.is_some(), "{}", gpu.id);
        let Some(usd) = gpu.usd_per_gpu_hour else {
            continue;
        };
        let nodes = catalog::nodes().iter().filter(|n| n.gpu == gpu.id);
        let nodes = nodes.filter_map(|n| n.usd_per_hour.map(|usd| usd / f64::from(n.gpus)));
        let prices = catalog::prices().iter().filter(|p| p.gpu == gpu.id);
        let prices = prices.map(|p| p.usd_per_hour / f64::from(p.gpus));
        assert!(nodes.chain(prices).any(|price| (price - usd).abs() < 1e-9), "{}: {usd}", gpu.id);
    }
    assert!(catalog::gpu("h100-sxm").unwrap().usd_per_gpu_hour.is_some());
    assert!(catalog::gpu("h20").unwrap().usd_per_gpu_hour.is_none());
}

#[test]
fn models_are_found_by_id_and_repository() {
    for entry in catalog::models() {
        assert_eq!(catalog::model(entry.id).unwrap().id, entry.id);
        assert_eq!(catalog::model(&entry.id.to_uppercase()).unwrap().id, entry.id);
        if !entry.hf_repo.is_empty() {
            assert_eq!(catalog::model(entry.hf_repo).unwrap().hf_repo, entry.hf_repo);
        }
    }
    for (name, id) in [
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("meta-llama/Llama-2-7b", "llama-2-7b"),
        ("Llama-2-7b-hf", "llama-2-7b"),
        ("meta-llama/Llama-2-7b-chat-hf", "llama-2-7b"),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b"),
        ("Qwen/Qwen3-8B-Base", "qwen3-8b"),
        ("QWEN/qwen2.5-7b-instruct", "qwen2.5-7b"),
        ("google/gemma-3-27b-it", "gemma-3-27b"),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"),
        (" qwen3-8b ", "qwen3-8b"),
    ] {
        assert_eq!(catalog::model(name).map(|entry| entry.id), Some(id), "{name}");
    }
    for name in ["", " ", "/", "qwen", "someone-else/Qwen3-8B", "-instruct", "llama-3.1-9b"] {
        assert!(catalog::model(name).is_none(), "{name:?}");
    }
}

#[test]
fn unknown_names_get_suggestions() {
    let error = resolve(json!("qwen3-8")).unwrap_err();
    assert_eq!(error.field, "model");
    assert!(error.message.contains("\"qwen3-8b\""), "{}", error.message);
    let error = resolve(json!("meta-llama/Llama-3.1-9B")).unwrap_err();
    assert!(error.message.contains("\"llama-3.1-8b\""), "{}", error.message);
    assert!(resolve(json!("x".repeat(100_000))).unwrap_err().message.len() < 400);
}

const GENERATION: &str = r#"
[[generation]]
name = "X"
compute_capability = 9.0
source = "https://example.com/x"
date = "2026-11-20"
"#;

const GPU: &str = r#"
[[gpu]]
id = "x1"
name = "X1"
vendor = "nvidia"
architecture = "X"
memory_gb = 80.0
memory_gib = 79.0
memory_source = "https://example.com/memory"
memory_date = "2026-11-21"
hbm_gb_per_s = 3000.0
bf16_dense_tflops = 900.0
nvlink_gb_per_s = 450.0
nvlink_domain = 8
pcie_gb_per_s = 63.0
gpus_per_node = 8
internode_gbit_per_s = 400.0
source = "https://example.com/x1"
date = "2026-11-20"
"#;

const MEMORY: &str = r#"memory_gib = 79.0
memory_source = "https://example.com/memory"
memory_date = "2026-11-21"
"#;

const NODE: &str = r#"
[[node]]
name = "n"
provider = "P"
gpu = "x1"
gpus = 8
nvlink_domain = 8
usd_per_hour = 16.0
price_kind = "on-demand"
price_date = "2026-11-01"
source = "https://example.com/n"
date = "2026-11-20"
"#;

const MODEL: &str = r#"
[[model]]
id = "m-1"
name = "M"
family = "M"
model_type = "llama"
hidden_size = 64
intermediate_size = 128
num_hidden_layers = 2
num_attention_heads = 4
num_key_value_heads = 2
head_dim = 16
vocab_size = 100
source = "https://example.com/m"
date = "2026-11-20"
"#;

const LICENSE: &str = r#"
[[license]]
name = "MIT"
models = ["m-1"]
source = "https://example.com/l"
date = "2026-11-21"
"#;

const RECIPE: &str = r#"
[[publisher]]
name = "P"
source = "https://example.com/blob/0123456789abcdef0123456789abcdef01234567/"
date = "2026-11-22"
[[recipe]]
model = "m-1"
kind = "sft"
publisher = "P"
gpu = "x1"
gpus = 8
sequence_length = 4096
sizes = { tp = 2, pp = 2, vpp = 1 }
file = "a/b.py#L1"
"#;

fn built(text: &str) -> Result<tables::Catalog, Vec<String>> {
    let mut catalog = tables::Catalog::default();
    let generation = if text.contains("[[generation]]") { "" } else { GENERATION };
    tables::add(&mut catalog, "test.toml", generation).map_err(|problem| vec![problem])?;
    tables::add(&mut catalog, "test.toml", text).map_err(|problem| vec![problem])?;
    let problems = tables::check(&catalog);
    if problems.is_empty() { Ok(catalog) } else { Err(problems) }
}

#[test]
fn the_build_refuses_bad_entries_by_name() {
    assert!(built(&format!("{GPU}{NODE}{MODEL}{LICENSE}{RECIPE}")).is_ok());
    let cases = [
        (GPU, "id = \"x1\"", "id = \"X 1\"", "gpu `X 1`: id"),
        (
            GPU,
            "architecture = \"X\"",
            "architecture = \"Rubin R100\"",
            "gpu `x1`: architecture: `Rubin R100` begins with no generation's name",
        ),
        (GENERATION, "compute_capability = 9.0", "compute_capability = 90.0", "generation `X`: compute_capability"),
        (GPU, "https://example.com/x1", "http://example.com/x1", "gpu `x1`: source"),
        (GPU, "2026-11-20", "20 Nov 2026", "gpu `x1`: date"),
        (GPU, "hbm_gb_per_s = 3000.0", "hbm_gb_per_s = 3.0", "gpu `x1`: hbm_gb_per_s"),
        (GPU, "memory_gib = 79.0", "memory_gib = 90.0", "gpu `x1`: memory_gib"),
        (GPU, "memory_gib = 79.0", "memory_gib = 80.0", "gpu `x1`: memory_gib: 80 is the memory as sold"),
        (GPU, "memory_gib = 79.0\n", "", "gpu `x1`: memory_gib: give"),
        (GPU, "memory_source = \"https://example.com/memory\"\n", "", "gpu `x1`: memory_source"),
        (GPU, "memory_date = \"2026-11-21\"\n", "", "gpu `x1`: memory_date"),
        (GPU, "memory_gib = 79.0", "memory_as = \"x2\"", "gpu `x1`: memory_as: has the source of that card"),
        (GPU, MEMORY, "memory_as = \"x2\"\n", "gpu `x1`: memory_as: `x2` is not in the catalog"),
        (GPU, MEMORY, "memory_as = \"x1\"\n", "gpu `x1`: memory_as: `x1` has no figure of its own"),
        (
            NODE,
            "usd_per_hour = 16.0",
            "host_ram_source = \"https://example.com/h\"\nhost_ram_date = \"2026-11-20\"\nusd_per_hour = 16.0",
            "node `n`: host_ram_gib: is missing",
        ),
        (
            NODE,
            "usd_per_hour = 16.0",
            "host_ram_gib = 1024.0\nhost_ram_source = \"https://example.com/h\"\nusd_per_hour = 16.0",
            "node `n`: host_ram_date",
        ),
        (GPU, "nvlink_domain = 8", "nvlink_domain = 1", "gpu `x1`: nvlink_domain"),
        (GPU, "bf16_dense_tflops = 900.0", "", "gpu `x1`: bf16_dense_tflops"),
        (GPU, "vendor = \"nvidia\"", "vendor = \"acme\"", "gpu `x1`: vendor"),
        (GPU, "pcie_gb_per_s", "pcie", "unknown field `pcie`"),
        (NODE, "gpu = \"x1\"", "gpu = \"x2\"", "node `n`: gpu"),
        (NODE, "usd_per_hour = 16.0", "", "node `n`: usd_per_hour"),
        (NODE, "2026-11-01", "2026-13-01", "node `n`: price_date"),
        (MODEL, "vocab_size = 100", "", "model `m-1`: vocab_size"),
        (MODEL, "num_key_value_heads = 2", "num_key_value_heads = 3", "model `m-1`: num_key_value_heads"),
        (MODEL, "hidden_size = 64", "hidden_size = 64\nlayer_pattern = \"SA\"", "model `m-1`: sliding_window"),
        (MODEL, "hidden_size = 64", "hidden_size = 64\nqk_norm = \"some\"", "model `m-1`: qk_norm"),
        (MODEL, "hidden_size = 64", "hidden_sizes = 64", "unknown field `hidden_sizes`"),
        (LICENSE, "models = [\"m-1\"]", "models = [\"m-2\"]", "license `MIT`: models: `m-2` is no model"),
        (LICENSE, "name = \"MIT\"", "name = \" \"", "license ` `: name"),
        (LICENSE, "2026-11-21", "today", "license `MIT`: date"),
        (RECIPE, "2026-11-22", "today", "publisher `P`: date"),
        (RECIPE, "0123456789abcdef0", "main", "publisher `P`: source: must be a folder at a commit"),
        (RECIPE, "model = \"m-1\"", "model = \"m-2\"", "recipe `m-2 sft of P`: model: is not in the catalog"),
        (RECIPE, "kind = \"sft\"", "kind = \"rollout\"", "recipe `m-1 rollout of P`: kind"),
        (RECIPE, "publisher = \"P\"", "publisher = \"Q\"", "recipe `m-1 sft of Q`: publisher"),
        (RECIPE, "gpu = \"x1\"", "gpu = \"x2\"", "recipe `m-1 sft of P`: gpu"),
        (RECIPE, "gpus = 8\n", "", "recipe `m-1 sft of P`: gpus: is missing"),
        (RECIPE, "gpus = 8", "gpus = 6", "sizes: TP × PP × CP is 4: no divisor of 6 GPUs"),
        (RECIPE, "tp = 2, pp = 2, vpp = 1", "tp = 1", "recipe `m-1 sft of P`: sizes: splits nothing"),
        (RECIPE, "pp = 2, vpp = 1", "vpp = 2", "recipe `m-1 sft of P`: sizes.vpp"),
        (RECIPE, "vpp = 1", "vpp = 3", "recipe `m-1 sft of P`: sizes.vpp"),
        (RECIPE, "vpp = 1", "ep = 2", "recipe `m-1 sft of P`: sizes.ep"),
        (RECIPE, "tp = 2", "tp = 0", "recipe `m-1 sft of P`: sizes.tp"),
        (RECIPE, "a/b.py", "/a/b.py", "recipe `m-1 sft of P`: file"),
    ];
    let twice = built(&format!("{GENERATION}{GENERATION}{GPU}")).err();
    let said = twice.unwrap_or_default().join("\n");
    assert!(said.contains("generation `X`: name: occurs twice"), "{said}");
    for (entry, good, bad, part) in cases {
        assert!(entry.contains(good), "{good}");
        let text =
            format!("{GENERATION}{GPU}{NODE}{MODEL}{LICENSE}{RECIPE}").replace(entry, &entry.replacen(good, bad, 1));
        let problems = built(&text).err().unwrap_or_else(|| panic!("{bad} was accepted"));
        let all = problems.join("\n");
        assert!(all.contains("catalog/test.toml") && all.contains(part), "{bad} gave {all}");
    }
    let twice = built(&format!("{GPU}{GPU}")).err().unwrap().join("\n");
    assert!(twice.contains("gpu `x1`: id: occurs twice"), "{twice}");
    let both = built(&format!("{GPU}{NODE}{MODEL}{LICENSE}{LICENSE}")).err();
    let both = both.unwrap().join("\n");
    assert!(both.contains("`m-1` has another licence"), "{both}");
    let recipe = RECIPE.split_once("[[recipe]]").unwrap().1;
    let same = built(&format!("{GPU}{MODEL}{RECIPE}[[recipe]]{recipe}")).err();
    let same = same.unwrap().join("\n");
    assert!(same.contains("recipe `m-1 sft of P`: model: occurs twice"), "{same}");
}

#[test]
fn a_card_without_a_page_leaves_the_share_of_a_sister() {
    let sister = GPU
        .replace("\"x1\"", "\"x2\"")
        .replace(MEMORY, "memory_as = \"x1\"\n")
        .replace("memory_gb = 80.0", "memory_gb = 40.0");
    let text = tables::emit(&built(&format!("{GPU}{sister}")).unwrap());
    assert!(text.contains("memory_gb: 40.0, memory_gib: 39.5,"), "{text}");
    let other = sister.replace("nvidia", "amd");
    let problems = built(&format!("{GPU}{other}")).err().unwrap().join("\n");
    assert!(problems.contains("gpu `x2`: memory_as: `x1` is of another vendor"));
}

#[test]
fn usable_memory_is_what_a_process_sees() {
    for gpu in catalog::gpus() {
        let share = gpu.memory_gib / gpu.memory_gb;
        assert!((0.9..1.0).contains(&share), "{}: {share}", gpu.id);
    }
    let gib = |id: &str| catalog::gpu(id).unwrap().memory_gib;
    assert!((gib("a100-sxm-80g") - 79.15).abs() < 1e-9);
    assert!((gib("a800-sxm-80g") - gib("a100-sxm-80g")).abs() < 1e-9);
    assert!((gib("h20-141g") - gib("h200-sxm")).abs() < 1e-9);
    assert!((gib("mi250x") - 2.0 * gib("mi210")).abs() < 1e-9);
}

#[test]
fn the_usual_node_has_the_median_host_memory_of_its_size() {
    let node = |name: &str, gpus: u32, gib: Option<f64>| {
        let gib = gib.map_or(String::new(), |gib| format!("host_ram_gib = {gib:?}\n"));
        NODE.replace("\"n\"", &format!("\"{name}\""))
            .replace("\ngpus = 8\n", &format!("\ngpus = {gpus}\n{gib}"))
    };
    let usual = |nodes: &[String]| {
        let text = tables::emit(&built(&format!("{GPU}{}", nodes.concat())).unwrap());
        let found = text.split("host_ram_gib: ").nth(1).unwrap().to_owned();
        found.split(", usd").next().unwrap().to_owned()
    };
    assert_eq!(usual(&[]), "None");
    assert_eq!(usual(&[node("a", 8, None)]), "None");
    let eight = [node("a", 8, Some(1024.0)), node("b", 8, Some(2048.0)), node("c", 8, Some(1900.0))];
    assert_eq!(usual(&eight), "Some(1900.0)");
    assert_eq!(usual(&eight[..2]), "Some(1024.0)");
    // Another size counts only where there is none of the usual one.
    let mixed = [node("a", 8, Some(1024.0)), node("d", 1, Some(500.0))];
    assert_eq!(usual(&mixed), "Some(1024.0)");
    assert_eq!(usual(&[node("d", 2, Some(500.0))]), "Some(2000.0)");
}

#[test]
fn host_memory_is_that_of_the_nodes() {
    let gib = |id: &str| catalog::gpu(id).unwrap().host_ram_gib;
    assert_eq!(gib("h100-sxm"), Some(1872.0));
    assert_eq!(gib("a10g"), Some(768.0));
    assert_eq!(gib("gaudi3"), None);
    let known = catalog::gpus().iter().filter(|gpu| gpu.host_ram_gib.is_some());
    assert!(known.count() >= 28);
    for gpu in catalog::gpus() {
        assert!(gpu.host_ram_gib.is_none_or(|gib| gib >= 8.0), "{}", gpu.id);
    }
}

#[test]
fn a_node_has_the_host_memory_that_is_stated_or_its_share_of_the_usual() {
    let host = |hardware: Value| {
        let question = json!({"version": 1, "model": "qwen3-8b", "hardware": hardware, "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}});
        let question = shardwise_core::wire::question_from_value(question).unwrap();
        shardwise_core::job::resolve(&question).unwrap().hardware.host_ram_gib()
    };
    let a10g = |rest: Value| {
        let mut hardware = json!({"gpu": "a10g", "gpus": 8});
        hardware.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        hardware
    };
    assert_eq!(host(a10g(json!({}))), Some(768.0));
    assert_eq!(host(a10g(json!({"gpus": 4}))), Some(384.0));
    assert_eq!(host(a10g(json!({"gpus": 16, "gpus_per_node": 2}))), Some(192.0));
    assert_eq!(host(a10g(json!({"gpus": 16, "host_ram_gib": 100.5}))), Some(100.5));
    assert_eq!(host(json!({"gpu": {"base": "a10g", "memory_gib": 30}, "gpus": 8})), Some(768.0));
    assert_eq!(host(json!({"gpu": "gaudi3"})), None);
    let own = json!({"memory_gib": 30, "hbm_gb_per_s": 900, "bf16_dense_tflops": 100});
    assert_eq!(host(json!({"gpu": own.clone()})), None);
    assert_eq!(host(json!({"gpu": own, "host_ram_gib": 64})), Some(64.0));
}

#[test]
fn only_cards_before_ampere_lack_bf16() {
    for gpu in catalog::gpus() {
        let bf16 = gpu.bf16_dense_tflops.is_some();
        assert_eq!(supports_bf16(gpu.architecture), bf16, "{}", gpu.id);
        assert_eq!(supports_flash_attention(gpu.architecture), bf16, "{}", gpu.id);
    }
}

#[test]
fn the_typical_price_is_the_median_of_the_providers_lowest() {
    let offer = |provider: &str, usd: f64, kind: &str, date: &str| {
        format!(
            "[[price]]\ninstance = \"i\"\nprovider = \"{provider}\"\ngpu = \"x1\"\ngpus = 8\nusd_per_hour = {:?}\nkind = \"{kind}\"\nsource = \"https://example.com/{usd}\"\ndate = \"{date}\"\n",
            8.0 * usd
        )
    };
    let text = [
        offer("A east", 3.0, "on-demand", "2026-11-01"),
        offer("A west", 4.0, "on-demand", "2026-11-01"),
        offer("A east", 1.0, "on-demand", "2026-01-01"), // replaced since
        offer("B", 5.0, "on-demand", "2026-10-01"),
        offer("C", 9.0, "pay-as-you-go", "2026-09-01"),
        offer("D", 1.5, "spot", "2026-11-01"),
        offer("E", 1.6, "reserved", "2026-11-01"),
        offer("F", 1.7, "on-demand", "2024-01-01"), // history
    ];
    let catalog = built(&format!("{GPU}{}", text.join(""))).unwrap_or_else(|p| panic!("{p:?}"));
    let tables = tables::emit(&catalog);
    assert!(tables.contains("usd_per_gpu_hour: Some(5.0)"), "{tables}");
    assert!(tables.contains("https://example.com/5\", date: \"2026-10-01\""), "{tables}");
    assert!(tables.contains("PRICES_AS_OF: &str = \"2026-11-01\""), "{tables}");
}

#[test]
fn the_files_themselves_are_sound() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("catalog/data");
    let catalog = tables::load(&root).unwrap_or_else(|problems| panic!("{problems:#?}"));
    assert_eq!(catalog.models.len(), catalog::models().len());
    assert_eq!(catalog.gpus.len(), catalog::gpus().len());
    let recipes = shardwise_core::recipes::recipes().len();
    assert_eq!(catalog.recipes.len(), recipes);
}

#[test]
fn every_efficiency_says_what_it_rests_on() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("catalog/data/efficiency.toml");
    let literal = tables::efficiency::literal(&path, &["h20"], &["Hopper"]).unwrap();
    assert!(literal.starts_with("Efficiency {") && literal.contains("allocator_slack"));
    // An entry without its basis, and one out of range, fail by name.
    let text = std::fs::read_to_string(&path).unwrap();
    let bad = text
        .replacen("basis = \"Fitted", "basis = \"\" # \"", 1)
        .replacen("memory = 0.8", "memory = 7.8", 1);
    let file = std::env::temp_dir().join("shardwise-efficiency-test.toml");
    std::fs::write(&file, bad).unwrap();
    let problems = tables::efficiency::literal(&file, &[], &["Rubin"]).unwrap_err().join("\n");
    assert!(problems.contains("architecture `Rubin`: is missing"), "{problems}");
    assert!(problems.contains("basis") && problems.contains("memory = 7.8"), "{problems}");
}

#[test]
fn coverage_comes_from_the_fit_and_is_checked() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("catalog/data/coverage.toml");
    let literal = coverage::literal(&path).unwrap();
    assert!(literal.starts_with("Coverage {") && literal.contains("\"Hopper\", bits: 8"));
    let file = std::env::temp_dir().join("shardwise-coverage-test.toml");
    std::fs::write(
        &file,
        "plain = [0.1, -0.2]\ninvolved = [0.3, 0.4]\ngeneration = [0.1, 0.2]\ngeneration_on = []\nreinforcement = 0.3\nreinforcement_runs = 3\nreinforcement_median = 0.1\nmemory = []\nmemory_on = []\nengine_tensor_parallel = 1.0\nlayouts = []\nkinds = []",
    )
    .unwrap();
    let problems = coverage::literal(&file).unwrap_err().join("\n");
    assert!(problems.contains("half-width"), "{problems}");
}
