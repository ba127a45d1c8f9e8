//! The generation engines that frameworks run: what a question means that names a framework, or an older release of it, and no
//! engine or version of one.

use crate::framework::{SLIME, UNSLOTH, VERL};
use crate::job::Chosen;
use crate::wire::{Engine, EngineVersion};

/// An engine in a release of a framework.
struct Installed {
    framework: &'static str,
    release: &'static str,
    engine: Engine,
    version: EngineVersion,
}

const fn verl(release: &'static str, engine: Engine, [major, minor, patch]: [u16; 3]) -> Installed {
    Installed { framework: VERL.id, release, engine, version: EngineVersion::new(major, minor, patch) }
}

/// What each older release installs: the version that it pins, or the newest of a range.
///
/// veRL's are the extras `vllm` and `sglang` of its `setup.py`, as the packages on `PyPI` state them
/// (<https://pypi.org/project/verl/0.4.1/>: `vllm<=0.8.5`, `sglang[openai,srt]==0.4.6.post5`;
/// <https://pypi.org/project/verl/0.5.0/>: `vllm<=0.8.5,>=0.7.3`, the same SGLang;
/// <https://pypi.org/project/verl/0.7.1/>: `vllm<=0.12.0,>=0.8.5`, `sglang[openai,srt]==0.5.6`;
/// <https://pypi.org/project/verl/0.8.0/>: the same vLLM, `sglang[openai,srt]==0.5.8`). Of TensorRT-LLM they give no newest.
/// Every framework's newest release runs today's engine, which no row says; `ChatLearn`, TRL and `OpenRLHF` have no older one
/// here.
static INSTALLED: &[Installed] = &[
    verl("0.4.1", Engine::Vllm, [0, 8, 5]),
    verl("0.4.1", Engine::Sglang, [0, 4, 6]),
    verl("0.5.0", Engine::Vllm, [0, 8, 5]),
    verl("0.5.0", Engine::Sglang, [0, 4, 6]),
    verl("0.7.1", Engine::Vllm, [0, 12, 0]),
    verl("0.7.1", Engine::Sglang, [0, 5, 6]),
    verl("0.8.0", Engine::Vllm, [0, 12, 0]),
    verl("0.8.0", Engine::Sglang, [0, 5, 8]),
];

/// The engine that a framework generates with where nothing says otherwise: slime has SGLang alone.
///
/// ```
/// use shardwise_core::engines::usual;
/// use shardwise_core::wire::Engine;
/// assert_eq!([None, Some("slime")].map(usual), [Engine::Vllm, Engine::Sglang]);
/// ```
#[must_use]
pub fn usual(framework: Option<&str>) -> Engine {
    if framework == Some(SLIME.id) { Engine::Sglang } else { Engine::default() }
}

/// Share of a card with so many GiB that `SGLang` gives to weights and cache where nothing is stated (`mem_fraction_static`), for an
/// engine of `gpus` GPUs, of which `ranks` have attention of their own, that reads `chunk` prompt tokens at a time: it sets aside
/// MiB for what it always has, for a chunk of a prompt, for CUDA graphs and for large engines (`_handle_gpu_memory_settings` of
/// `python/sglang/srt/server_args.py`, <https://github.com/sgl-project/sglang>, 0.5.6 to 0.5.14). What it adds for images and for
/// drafts of speculative decoding is left out.
///
/// ```
/// use shardwise_core::engines::sglang_share;
/// let share = |gib, gpus, ranks| sglang_share(gib, gpus, ranks, None);
/// assert_eq!([share(79.1, 1, 1), share(139.8, 8, 1), share(139.8, 8, 8), share(178.4, 8, 1)], [0.834, 0.896, 0.768, 0.851]);
/// ```
#[must_use]
pub fn sglang_share(gib: f64, gpus: u32, ranks: u32, chunk: Option<u64>) -> f64 {
    let card = gib * 1024.0;
    let few = gpus < 4;
    let (usual_chunk, graphs) = match card / 1024.0 {
        small if small < 20.0 => (2048, 8.0),
        small if small < 35.0 => (2048, if few { 24.0 } else { 80.0 }),
        small if small < 60.0 => (4096, if few { 32.0 } else { 160.0 }),
        large if large < 160.0 => (8192, if few { 256.0 } else { 512.0 }),
        _ => (16384, 512.0),
    };
    let mut aside = 512.0 + 1.5 * chunk.unwrap_or(usual_chunk).max(2048) as f64 + 2.0 * graphs;
    aside += f64::from(gpus) / 8.0 * 1024.0;
    if ranks > 1 {
        aside += graphs * f64::from(ranks) * if graphs > 300.0 { 4.5 } else { 3.0 };
    }
    if card > 60.0 * 1024.0 {
        aside = aside.max(10.0 * 1024.0);
    }
    // As it rounds; on a card that has less, something is left.
    ((card - aside) / card * 1e3).round().max(100.0) / 1e3
}

/// Whether an engine's weights are the frozen base that the trainer puts adapters on, of which the card then has one copy.
///
/// Unsloth makes the trainer's modules of vLLM's own tensors and says that they are shared (`unsloth/models/llama.py:4284` to
/// `4297`, `unsloth_zoo/vllm_utils.py:2070`, both of 2026.10.9), also where they have 4 bits (`vllm_utils.py:2260`).
///
/// ```
/// use shardwise_core::engines::shares_base;
/// assert_eq!([None, Some("trl"), Some("unsloth")].map(shares_base), [false, false, true]);
/// ```
#[must_use]
pub fn shares_base(framework: Option<&str>) -> bool {
    framework == Some(UNSLOTH.id)
}

/// The version of an engine that a framework's release runs; `None`: today's, as in the newest release.
///
/// ```
/// use shardwise_core::engines::version;
/// use shardwise_core::job::Chosen;
/// use shardwise_core::wire::{Engine, EngineVersion};
/// let verl = |version| Chosen { id: "verl", version };
/// assert_eq!(version(verl("0.4.1"), Engine::Vllm), Some(EngineVersion::new(0, 8, 5)));
/// assert_eq!(version(verl("0.9.1"), Engine::Vllm), None);
/// ```
#[must_use]
pub fn version(release: Chosen, engine: Engine) -> Option<EngineVersion> {
    let same = |own: &&Installed| own.framework == release.id && own.release == release.version && own.engine == engine;
    INSTALLED.iter().find(same).map(|own| own.version)
}
