//! Ready-to-paste texts, one module per framework.
//!
//! A framework is one module and one line in `EMITTERS`; [`shardwise_rules`] has what it runs and what it refuses, so that the
//! search can leave out plans that could not be written down.

mod axolotl;
mod chatlearn;
pub(crate) mod checkpoint;
pub(crate) mod choices;
mod deepspeed;
mod emission;
mod json;
pub(crate) mod kernel;
mod llamafactory;
mod llmforge;
pub(crate) mod megatron;
mod megatron_bridge;
mod megatron_lm;
mod ms_swift;
pub(crate) mod nemo_rl;
mod openrlhf;
pub(crate) mod optimizer;
mod python;
pub(crate) mod skyrl;
mod slime;
pub(crate) mod text;
pub(crate) mod torchtitan;
mod trainer;
mod trl;
mod unsloth;
pub(crate) mod words;
mod yaml;

pub use emission::{Emission, Snippet, Syntax, Unsupported};
pub use shardwise_question::framework::{NAMES, Named};
pub use shardwise_rules::{FRAMEWORKS, Framework, framework};

/// What writes a framework's texts.
type Emit = fn(&Emission) -> Result<Vec<Snippet>, Unsupported>;

/// What writes the texts of [`FRAMEWORKS`], in the same order. Apart from them, so that a program that asks who runs a plan,
/// as every search does, does not carry what writes texts.
static EMITTERS: [Emit; FRAMEWORKS.len()] = [
    crate::verl::emit,
    chatlearn::emit,
    deepspeed::emit,
    llmforge::emit,
    trl::emit,
    openrlhf::emit,
    slime::emit,
    nemo_rl::emit,
    skyrl::emit,
    megatron_lm::emit,
    megatron_bridge::emit,
    torchtitan::emit,
    llamafactory::emit,
    axolotl::emit,
    ms_swift::emit,
    unsloth::emit,
];

/// The texts of an emission's framework.
///
/// # Errors
/// The first rule of the framework that the plan breaks, or why else there are no texts.
///
/// ```
/// use shardwise_core::{emit::{Emission, emit, framework}, evaluate_for, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let framework = framework("axolotl").unwrap();
/// let found = evaluate_for(&question, framework).unwrap();
/// let (job, plan, answer) = (&found.job, &found.plan, &found.answer);
/// let emission = Emission { framework, job, plan, answer, permalink: "", version: framework.versions[0] };
/// assert!(emit(&emission).unwrap()[0].text.contains("sequence_len: 4096"));
/// ```
pub fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let Emission { framework, job, plan, .. } = emission;
    if let Some(broken) = framework.violations(job, plan).into_iter().next() {
        return Err(broken.into());
    }
    let place = FRAMEWORKS.iter().position(|other| other.id == framework.id);
    let emit = place.and_then(|place| EMITTERS.get(place));
    emit.map_or_else(|| Ok(Vec::new()), |emit| emit(emission))
}
