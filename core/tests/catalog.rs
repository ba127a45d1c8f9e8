//! The catalog: what it holds, how it is looked up, and what the build refuses. `cases/catalog/` holds the last of these.

#[path = "../engine/build/coverage.rs"]
mod coverage;
#[path = "../catalog/build/tables.rs"]
mod tables;

use serde::Deserialize;
use serde_json::{Value, json};
use shardwise_core::catalog;
use shardwise_core::hardware::{supports_bf16, supports_flash_attention};
use shardwise_core::model::resolve_model;

use crate::cases;

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
        "mi308x",
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
    let read = catalog::gpu_sources().map(|(_, source, _)| source.date);
    let newest = read.chain(catalog::model_sources().map(|(_, source, _)| source.date)).max();
    assert!(newest.is_some_and(|newest| newest <= catalog::NEWEST), "{newest:?}");
    assert!(catalog::PRICES_AS_OF <= catalog::NEWEST);
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
        // Others of the same shape, which the entry names.
        ("inclusionAI/Ring-mini-2.0", "ling-mini-2.0"),
        ("inclusionAI/Ring-1T", "ling-1t"),
        ("inclusionAI/Ring-flash-2.0", "ling-flash-2.0"),
        ("XiaomiMiMo/MiMo-V2.5", "mimo-v2-flash"),
        ("meituan-longcat/LongCat-Flash-Chat-FP8", "longcat-flash"),
        ("meituan-longcat/LongCat-Flash-Thinking", "longcat-flash"),
        ("Ring-1T-FP8", "ling-1t"),
        ("moonshotai/Kimi-K2.6", "kimi-k2.5"),
        ("moonshotai/Kimi-K2.7-Code", "kimi-k2.5"),
        ("MiniMaxAI/MiniMax-M2.7", "minimax-m2.5"),
        ("stepfun-ai/Step-3.7-Flash-FP8", "step-3.5-flash"),
        ("zai-org/GLM-4.7", "glm-4.6"),
        ("THUDM/GLM-Z1-32B-0414", "glm-4-32b-0414"),
        ("deepseek-ai/DeepSeek-V3.1-Base", "deepseek-v3"),
        (" qwen3-8b ", "qwen3-8b"),
        ("OpenGVLab/InternVL3-8B", "internvl3-8b"),
        ("OpenGVLab/InternVL3-8B-hf", "internvl3-8b"),
        ("OpenGVLab/InternVL3-78B-Instruct", "internvl3-78b"),
        ("OpenGVLab/InternVL3-38B-Pretrained", "internvl3-38b"),
        ("OpenGVLab/InternVL2_5-8B-MPO", "internvl2.5-8b"),
        ("OpenGVLab/InternVL2-Llama3-76B", "internvl2-76b"),
        ("deepseek-ai/deepseek-coder-6.7b-instruct", "deepseek-coder-6.7b"),
        ("Qwen/Qwen3.5-2B-Base", "qwen3.5-2b"),
        ("zai-org/GLM-4.1V-9B-Thinking", "glm-4.1v-9b"),
        ("THUDM/GLM-4.1V-9B-Base", "glm-4.1v-9b"),
        ("THUDM/GLM-4-9B-0414", "glm-4-9b-0414"),
        ("tencent/Hunyuan-A13B-Pretrain", "hunyuan-a13b"),
        ("tencent/Hy3-preview-Base", "hy3"),
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

/// An entry of a kind, which `cases/catalog/` holds, and what the build refuses of it. All of them are a catalog.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    entry: String,
    /// A part of what is said where the entry stands twice.
    twice: Option<String>,
    refused: Vec<Change>,
}

/// A piece of the entry, what stands in its place, and a part of what is said of that.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    of: String,
    to: String,
    says: String,
}

/// The entry of a kind.
fn entry(kind: &str) -> String {
    let found = cases::files("catalog").into_iter().find(|(name, _)| name == kind);
    let file: Option<File> = found.map(|(_, file)| file);
    file.unwrap_or_else(|| panic!("no {kind} in cases/catalog")).entry
}

fn built(text: &str) -> Result<tables::Catalog, Vec<String>> {
    let mut catalog = tables::Catalog::default();
    let generation = if text.contains("[[generation]]") { String::new() } else { entry("generation") };
    tables::add(&mut catalog, "test.toml", &generation).map_err(|problem| vec![problem])?;
    tables::add(&mut catalog, "test.toml", text).map_err(|problem| vec![problem])?;
    let problems = tables::check(&catalog);
    if problems.is_empty() { Ok(catalog) } else { Err(problems) }
}

#[test]
fn the_build_refuses_bad_entries_by_name() {
    let whole: String = cases::files("catalog")
        .into_iter()
        .map(|(_, file): (_, File)| file.entry)
        .collect();
    assert!(built(&whole).is_ok());
    let said = |text: &str| built(text).err().expect("it is accepted").join("\n");
    cases::each("catalog", |_, file: File, run| {
        for Change { of, to, says } in &file.refused {
            run.case(&format!("{of:?} as {to:?}"), || {
                assert!(file.entry.contains(of), "it is not in the entry");
                let said = said(&whole.replace(&file.entry, &file.entry.replacen(of, to, 1)));
                assert!(said.contains("catalog/test.toml") && said.contains(says), "{said}");
            });
        }
        if let Some(says) = &file.twice {
            run.case("twice", || {
                let said = said(&format!("{whole}{}", file.entry));
                assert!(said.contains(says), "{said}");
            });
        }
    });
}

/// A card's memory, where it has a page of its own.
const MEMORY: &str = r#"memory_gib = 79.0
memory_source = "https://example.com/memory"
memory_date = "2026-11-21"
"#;

#[test]
fn a_card_without_a_page_leaves_the_share_of_a_sister() {
    let gpu = entry("gpu");
    let sister = gpu
        .replace("\"x1\"", "\"x2\"")
        .replace(MEMORY, "memory_as = \"x1\"\n")
        .replace("memory_gb = 80.0", "memory_gb = 40.0");
    let text = tables::emit(&built(&format!("{gpu}{sister}")).unwrap());
    let row = text.lines().find(|line| line.contains("id: \"x2\"")).unwrap();
    assert!(row.contains("memory_gb: 40.0,") && row.contains("memory_gib: 39.5,"), "{row}");
    let other = sister.replace("nvidia", "amd");
    let problems = built(&format!("{gpu}{other}")).err().unwrap().join("\n");
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
    let (card, usual_node) = (entry("gpu"), entry("node"));
    let node = |name: &str, gpus: u32, gib: Option<f64>| {
        let gib = gib.map_or(String::new(), |gib| format!("host_ram_gib = {gib:?}\n"));
        usual_node
            .replace("\"n\"", &format!("\"{name}\""))
            .replace("\ngpus = 8\n", &format!("\ngpus = {gpus}\n{gib}"))
    };
    let usual = |nodes: &[String]| {
        let text = tables::emit(&built(&format!("{card}{}", nodes.concat())).unwrap());
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
    let catalog = built(&format!("{}{}", entry("gpu"), text.join(""))).unwrap_or_else(|p| panic!("{p:?}"));
    let tables = tables::emit(&catalog);
    assert!(tables.contains("usd_per_gpu_hour: Some(5.0)"), "{tables}");
    assert!(tables.contains("https://example.com/5\", date: \"2026-10-01\""), "{tables}");
    assert!(tables.contains("PRICES_AS_OF: &str = \"2026-11-01\""), "{tables}");
    assert!(tables.contains("NEWEST: &str = \"2026-11-21\""), "{tables}");
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
    let literal = tables::efficiency::literal(&path, &["Hopper"]).unwrap();
    assert!(literal.starts_with("Efficiency {") && literal.contains("allocator_slack"));
    // An entry without its basis, and one out of range, fail by name.
    let text = std::fs::read_to_string(&path).unwrap();
    let bad = text
        .replacen("basis = \"Fitted", "basis = \"\" # \"", 1)
        .replacen("memory = 0.8", "memory = 7.8", 1);
    let file = std::env::temp_dir().join("shardwise-efficiency-test.toml");
    std::fs::write(&file, bad).unwrap();
    let problems = tables::efficiency::literal(&file, &["Rubin"]).unwrap_err().join("\n");
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
        "plain = [0.1, -0.2]\ntuned = [0.3, 0.4]\nlow = [0.3, 0.4]\nexperts = [0.3, 0.4]\ncard = 0.3\ngeneration = []\nreinforcement = [0.3, 0.4, 0.5]\nreinforcement_runs = 3\nreinforcement_median = 0.1\nmemory = []\nmemory_on = []\nforeign = [0.3, 0.3]\nvendors = []\ncards = []\nengine_tensor_parallel = 1.0\nlayouts = []\nkinds = []\nreinforcement_kinds = []",
    )
    .unwrap();
    let problems = coverage::literal(&file).unwrap_err().join("\n");
    assert!(problems.contains("half-width"), "{problems}");
}
