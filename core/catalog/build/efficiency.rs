//! Efficiencies: from `catalog/efficiency.toml` to a Rust literal.

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    kernels: Vec<Kernels>,
    architecture: Vec<Architecture>,
    framework: Vec<Framework>,
    engine: Engine,
    constant: Vec<Constant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Architecture {
    name: String,
    matmul: f64,
    matmul_fp8: f64,
    matmul_fp4: f64,
    memory: f64,
    attention_forward: f64,
    attention_backward: f64,
    flash_2: f64,
    sustained: f64,
    generation: f64,
    generation_matmul: f64,
    generation_cache: f64,
    basis: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kernels {
    name: String,
    matmul: f64,
    attention: f64,
    basis: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Framework {
    name: String,
    elementwise: f64,
    host_per_kernel_s: f64,
    compute: f64,
    rl_layer_s: f64,
    rl_expert_layer_s: f64,
    rl_step_s: f64,
    rl_sync_s: f64,
    overlap: f64,
    step_s: f64,
    basis: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Engine {
    decode_matmul: f64,
    decode_memory: f64,
    cache_memory: f64,
    expert_memory: f64,
    expert_tokens: f64,
    prefill: f64,
    layer_s: f64,
    eager_layer_s: f64,
    eager_expert_layer_s: f64,
    step_s: f64,
    sequence_s: f64,
    rl_sequence_s: f64,
    tensor_parallel_s: f64,
    basis: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Constant {
    name: String,
    value: f64,
    basis: String,
}

impl Architecture {
    /// Its constants, in the order of [`CONSTANTS`].
    fn constants(&self) -> [f64; 11] {
        [
            self.matmul,
            self.matmul_fp8,
            self.matmul_fp4,
            self.memory,
            self.attention_forward,
            self.attention_backward,
            self.flash_2,
            self.sustained,
            self.generation,
            self.generation_matmul,
            self.generation_cache,
        ]
    }
}

/// Constants of an architecture.
const CONSTANTS: [&str; 11] = [
    "matmul",
    "matmul_fp8",
    "matmul_fp4",
    "memory",
    "attention_forward",
    "attention_backward",
    "flash_2",
    "sustained",
    "generation",
    "generation_matmul",
    "generation_cache",
];

/// Each constant's median over the architectures; entries of single GPUs are none.
fn typical(architectures: &[Architecture], gpus: &[&str]) -> [f64; 11] {
    let of_one = |entry: &&Architecture| !gpus.contains(&entry.name.as_str());
    let all: Vec<[f64; 11]> = architectures.iter().filter(of_one).map(Architecture::constants).collect();
    std::array::from_fn(|place| {
        let mut values: Vec<f64> = all.iter().filter_map(|own| own.get(place).copied()).collect();
        values.sort_by(f64::total_cmp);
        let (low, high) = (values.len().saturating_sub(1) / 2, values.len() / 2);
        let middle = [low, high].map(|place| values.get(place).copied().unwrap_or_default());
        // To four digits, as the entries that it stands between.
        (middle.iter().sum::<f64>() / 2.0 * 1e4).round() / 1e4
    })
}

/// The literal of `Efficiency` that `src/efficiency.rs` includes; `gpus` are the catalog's ids, `generations` the names of
/// its generations, each of which needs an entry.
///
/// # Errors
/// What the file is wrong about, by entry and field. A missing or unknown constant fails the build
/// where the literal is compiled, by its name.
pub(crate) fn literal(path: &Path, gpus: &[&str], generations: &[&str]) -> Result<String, Vec<String>> {
    let name = "catalog/efficiency.toml";
    let text = std::fs::read_to_string(path).map_err(|e| vec![format!("{name}: {e}")])?;
    let file: File = toml::from_str(&text).map_err(|e| vec![format!("{name}: {e}")])?;
    let mut problems = Vec::new();
    for generation in generations {
        if !file.architecture.iter().any(|own| own.name == *generation) {
            problems.push(format!(
                "{name}: architecture `{generation}`: is missing; say how close its GPUs come to their data sheets"
            ));
        }
    }
    let mut positive = |entry: &str, field: &str, value: f64, most: f64| {
        if !(value > 0.0 && value <= most) {
            problems.push(format!("{name}: {entry}: {field} = {value} is not above 0 and at most {most}"));
        }
    };
    let mut basis = Vec::new();
    let mut out = String::from("Efficiency { kernels: Cow::Borrowed(&[");
    for entry in &file.kernels {
        basis.push((&entry.name, &entry.basis));
        let fields = [("matmul", entry.matmul), ("attention", entry.attention)];
        let _ = write!(out, "Kernels {{ name: Cow::Borrowed({:?})", entry.name);
        for (field, value) in fields {
            positive(&entry.name, field, value, 2.0);
            let _ = write!(out, ", {field}: {value:?}");
        }
        out.push_str(" },");
    }
    out.push_str("]), architectures: Cow::Borrowed(&[");
    for entry in &file.architecture {
        basis.push((&entry.name, &entry.basis));
        let _ = write!(out, "Architecture {{ name: Cow::Borrowed({:?})", entry.name);
        for (field, value) in CONSTANTS.into_iter().zip(entry.constants()) {
            positive(&entry.name, field, value, 2.0);
            let _ = write!(out, ", {field}: {value:?}");
        }
        out.push_str(" },");
    }
    out.push_str("]), typical: Architecture { name: Cow::Borrowed(TYPICAL)");
    let medians = typical(&file.architecture, gpus);
    for (field, value) in CONSTANTS.into_iter().zip(medians) {
        positive("the median architecture", field, value, 2.0);
        let _ = write!(out, ", {field}: {value:?}");
    }
    out.push_str(" },");
    for entry in &file.framework {
        basis.push((&entry.name, &entry.basis));
        let fields = [
            ("elementwise", entry.elementwise),
            ("host_per_kernel_s", entry.host_per_kernel_s),
            ("compute", entry.compute),
            ("rl_layer_s", entry.rl_layer_s),
            ("rl_expert_layer_s", entry.rl_expert_layer_s),
            ("rl_step_s", entry.rl_step_s),
            ("rl_sync_s", entry.rl_sync_s),
            ("overlap", entry.overlap),
            ("step_s", entry.step_s),
        ];
        let _ = write!(out, "{}: Framework {{", entry.name);
        for (field, value) in fields {
            positive(&entry.name, field, value, 1000.0);
            let _ = write!(out, "{field}: {value:?},");
        }
        out.push_str("},");
    }
    let engine = &file.engine;
    let engine_name = "engine".to_owned();
    basis.push((&engine_name, &engine.basis));
    let fields = [
        ("decode_matmul", engine.decode_matmul),
        ("decode_memory", engine.decode_memory),
        ("cache_memory", engine.cache_memory),
        ("expert_memory", engine.expert_memory),
        ("expert_tokens", engine.expert_tokens),
        ("prefill", engine.prefill),
        ("layer_s", engine.layer_s),
        ("eager_layer_s", engine.eager_layer_s),
        ("eager_expert_layer_s", engine.eager_expert_layer_s),
        ("step_s", engine.step_s),
        ("sequence_s", engine.sequence_s),
        ("rl_sequence_s", engine.rl_sequence_s),
        ("tensor_parallel_s", engine.tensor_parallel_s),
    ];
    out.push_str("engine: Engine {");
    for (field, value) in fields {
        positive("engine", field, value, 1e4);
        let _ = write!(out, "{field}: {value:?},");
    }
    out.push_str("},");
    for entry in &file.constant {
        basis.push((&entry.name, &entry.basis));
        positive(&entry.name, "value", entry.value, 1e12);
        let _ = write!(out, "{}: {:?},", entry.name, entry.value);
    }
    out.push('}');
    for (entry, text) in basis {
        if text.trim().len() < 10 {
            problems.push(format!("{name}: {entry}: basis: say which runs or which source it comes from"));
        }
    }
    if problems.is_empty() { Ok(out) } else { Err(problems) }
}
