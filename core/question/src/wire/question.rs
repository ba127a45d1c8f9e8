//! The question document. Every key is optional in the type unless the interface requires it, so
//! that a form can hold a half-typed question and round-trip it; [`crate::job::resolve`] applies
//! defaults and refuses what is invalid.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::calibration::Calibration;
use super::distillation::DistillationSpec;
use super::document::{Document, document, entries_of_words};
use super::images::ImagesSpec;
use super::operations::OperationsSpec;
use super::plan::PlanSpec;
use shardwise_catalog::catalog::OfferKind;
use shardwise_catalog::hardware::Precision;
use shardwise_catalog::model::LoraTargets;
use shardwise_catalog::words;

entries_of_words!(LoraTargets, OfferKind, Precision, Schedule, WorkloadKind);

/// Interface version this build speaks.
pub const VERSION: u32 = 1;

document! {
    /// A question to the calculator.
    #[derive(Default)]
    pub struct Question {
        /// Interface version: 1.
        pub version: u32,
        /// A catalog id, a Hugging Face repository name, or an object with `config.json` keys.
        /// Null in the question of a text that names none: it has no answer yet.
        #[cfg_attr(feature = "cli", schemars(extend("type" = ["string", "object", "null"])))]
        pub model: Value,
        /// What it runs on.
        pub hardware: HardwareSpec,
        /// What is trained or generated.
        pub workload: WorkloadSpec,
        /// The framework that runs it, by id (`shardwise flags --for`): only plans that it and its version run are chosen.
        /// Absent: the best of all plans that some framework runs.
        pub framework: Option<String>,
        /// The framework's version, one of those that there are texts for. Default: the newest.
        pub framework_version: Option<String>,
        /// How sure it is to be that a plan that is chosen fits: a probability, 0.5 to 0.999. Default 0.95.
        pub confidence: Option<f64>,
        /// How it is laid out. Absent: the search chooses; partial: the search fills the rest.
        pub plan: Option<PlanSpec>,
        /// How a run of one's own differs from its estimate (see `calibration`): applied to this estimate.
        pub calibration: Option<Calibration>,
        /// What the whole run meets beside its steps: start-up, evaluation, checkpoints, failures, energy.
        pub operations: Option<OperationsSpec>,
    }
}

document! {
    /// GPUs and their network.
    #[derive(Default)]
    pub struct HardwareSpec {
        /// A catalog id, or an object: `base` and what differs, or a whole GPU (see [`GpuSpec`]).
        #[cfg_attr(feature = "cli", schemars(extend("type" = ["string", "object"])))]
        pub gpu: Value,
        /// Number of GPUs over all nodes. Default 8.
        pub gpus: Option<u64>,
        /// GPUs in one node. Default: the GPU's usual node (8; 1 for one GPU).
        pub gpus_per_node: Option<u64>,
        /// Network bandwidth between nodes, per GPU and direction, in Gbit/s. Default: the catalog's.
        pub internode_gbit_per_s_per_gpu: Option<f64>,
        /// Host memory of one node in GiB. Default: what machines of the catalog with these GPUs have per GPU, where it knows
        /// any.
        pub host_ram_gib: Option<f64>,
        /// Price of one GPU for one hour, in US dollars. Default: the catalog's, the median over providers of what each asks on demand,
        /// or what the cheapest offer on demand asks that holds so many GPUs, where that is more.
        pub usd_per_gpu_hour: Option<f64>,
        /// Id of an offer of this GPU (`shardwise catalog offers`), or `own/1` for the first of `market.own`: its instances are the nodes, with its network, host memory
        /// and price. `gpus` are whole instances. A field above that says otherwise than the offer is refused.
        pub offer: Option<String>,
        /// Where to rent: of its offers of this GPU the answer takes the one whose plan costs least.
        pub market: Option<MarketSpec>,
        /// What a machine of one's own costs, in the place of a price, an offer or a market.
        pub owned: Option<OwnedSpec>,
    }
}

document! {
    /// Which offers are taken into account; the default is all on demand whose price is not over a year old.
    #[derive(Default)]
    pub struct MarketSpec {
        /// Names of providers, in any case. Default: all.
        pub providers: Option<Vec<String>>,
        /// Regions, in the provider's words, or how they begin: `us` takes `us-east-1`. Default: all.
        pub regions: Option<Vec<String>>,
        /// The terms. Default: on-demand alone.
        pub kinds: Option<Vec<OfferKind>>,
        /// A day, `YYYY-MM-DD`: older prices, and those of no known day, are left out.
        pub newest: Option<String>,
        /// A price sheet of one's own: its rows of these terms are offers too, whatever providers, regions and days say.
        pub own: Option<Vec<OwnOfferSpec>>,
        /// Whether the rows of `own` alone are taken into account. Default false.
        pub only_own: Option<bool>,
    }
}

document! {
    /// A row of a price sheet of one's own; `hardware.offer` names it `own/1`, `own/2` and so on.
    #[derive(Default)]
    pub struct OwnOfferSpec {
        /// The GPU: a catalog id or name. Required.
        pub gpu: Option<String>,
        /// Price of one GPU for one hour, in US dollars. Required.
        pub usd_per_gpu_hour: Option<f64>,
        /// Who rents it out. Default: "your price sheet".
        pub provider: Option<String>,
        /// The name of the instance. Default: the GPU's.
        pub instance: Option<String>,
        /// GPUs of one instance. Absent: the price is of the catalog's machine with these GPUs, in any number.
        pub count: Option<u64>,
        /// Network of one instance in Gbit/s; without it several instances are rented by name alone. Only beside `count`.
        pub network_gbit_per_s: Option<f64>,
        /// The terms. Default on-demand.
        pub kind: Option<OfferKind>,
        /// Day of the price, `YYYY-MM-DD`.
        pub date: Option<String>,
    }
}

document! {
    /// A machine of one's own: an hour of a GPU costs `usd_per_gpu / (years x 8766 x utilization) + watts / 1000 x pue x
    /// usd_per_kwh`.
    #[derive(Copy, Default)]
    pub struct OwnedSpec {
        /// Purchase price of one GPU with its share of the machine and its network, in US dollars. Required.
        pub usd_per_gpu: Option<f64>,
        /// Years over which it is written off. Default 5.
        pub years: Option<f64>,
        /// Share of all hours in which the GPUs work, 0.01 to 1. Default 0.83.
        pub utilization: Option<f64>,
        /// Mean power of one GPU with its share of the machine while it works, in watts. Default: 1.82 x 0.76 of what the
        /// catalog's card is rated at, as in `operations.power`; required of a GPU whose rated power it does not know.
        pub watts: Option<f64>,
        /// Power of the whole site over that of its computers. Default 1.58.
        pub pue: Option<f64>,
        /// Price of a kilowatt-hour in US dollars. Default 0.0806.
        pub usd_per_kwh: Option<f64>,
    }
}

document! {
    /// `hardware.gpu` as an object.
    #[derive(Default)]
    pub struct GpuSpec {
        /// Catalog id whose figures hold where the fields below are absent.
        pub base: Option<String>,
        /// Its architecture: `hopper`, `ampere`, `cdna`, …, in any case. How close a GPU comes to its data sheet is known by
        /// architecture. Default: the base's; without a base that of the catalog's GPU whose peak and bandwidth are nearest,
        /// where both are within 10 %, with a caveat; else a typical one, with a caveat.
        pub architecture: Option<String>,
        /// Usable memory in GiB.
        pub memory_gib: Option<f64>,
        /// Memory bandwidth in GB/s.
        pub hbm_gb_per_s: Option<f64>,
        /// Dense bf16 (or fp16) tensor peak in TFLOPS.
        pub bf16_dense_tflops: Option<f64>,
        /// Dense fp8 tensor peak in TFLOPS.
        pub fp8_dense_tflops: Option<f64>,
        /// NVLink (or xGMI) bandwidth per GPU and direction in GB/s; 0 without.
        pub nvlink_gb_per_s: Option<f64>,
        /// GPUs that reach each other over NVLink.
        pub nvlink_domain: Option<u64>,
        /// PCIe bandwidth per direction in GB/s.
        pub pcie_gb_per_s: Option<f64>,
    }
}

words! {
    /// What is asked of the machine.
    #[derive(Default)]
    pub enum WorkloadKind {
        /// Pre-training: every token trains.
        #[default]
        Pretrain = "pretrain",
        /// Full-parameter fine-tuning.
        Sft = "sft",
        /// Fine-tuning of low-rank adapters.
        Lora = "lora",
        /// Fine-tuning of low-rank adapters over a 4-bit base model.
        Qlora = "qlora",
        /// DPO: pairs of a chosen and a rejected response, against a reference.
        Dpo = "dpo",
        /// IPO: DPO with a squared loss.
        Ipo = "ipo",
        /// KTO: single responses, good or bad, against a reference.
        Kto = "kto",
        /// ORPO: pairs, without a reference.
        Orpo = "orpo",
        /// SimPO: pairs, without a reference.
        Simpo = "simpo",
        /// A reward model of pairs.
        RewardModel = "reward_model",
        /// PPO, with a critic.
        Ppo = "ppo",
        /// GRPO.
        Grpo = "grpo",
        /// DAPO.
        Dapo = "dapo",
        /// GSPO: GRPO with one ratio for each response.
        Gspo = "gspo",
        /// Dr. GRPO: GRPO without division by lengths and deviations.
        DrGrpo = "dr_grpo",
        /// CISPO: clipped ratios as weights.
        Cispo = "cispo",
        /// GMPO: the geometric mean of a response's clipped ratios.
        Gmpo = "gmpo",
        /// RLOO: each response against the prompt's others.
        Rloo = "rloo",
        /// REINFORCE++: each response against the whole batch.
        ReinforcePlusPlus = "reinforce_plus_plus",
        /// `ReMax`: each response against the greedy one, which is generated too.
        Remax = "remax",
        /// PRIME: RLOO beside an implicit process reward model, which trains, too.
        Prime = "prime",
        /// On-policy distillation: a teacher's probabilities of what the student samples.
        Distill = "distill",
        /// Generation alone.
        Rollout = "rollout",
    }
}

document! {
    /// What is trained or generated.
    #[derive(Default)]
    pub struct WorkloadSpec {
        /// The task.
        pub kind: WorkloadKind,
        /// Longest sequence in tokens; of preference data prompt and response.
        pub sequence_length: Option<u64>,
        /// Sequences per optimizer step, over all GPUs; of preference data examples, so that a pair counts once.
        pub global_batch: Option<u64>,
        /// Mean sequence length in tokens. Default: `sequence_length`.
        pub mean_sequence_length: Option<f64>,
        /// Standard deviation of the sequence lengths over their mean. Default 0: what attention sees of packed sequences is of
        /// the mean length.
        pub sequence_length_cv: Option<f64>,
        /// The sequence lengths as a histogram, in place of their mean and spread. What is longer than `sequence_length` is cut.
        pub lengths: Option<Vec<LengthsSpec>>,
        /// Packed sequences (dynamic batching) rather than padding. Default true, but false for preference data and for RL with a
        /// framework that pads responses, as TRL; where it is not said, what an allocator keeps of an eager loss is that of
        /// batches of several lengths.
        pub packing: Option<bool>,
        /// Precision of the matrix products. Default bf16, or fp16 on cards that have none (Volta, Turing).
        pub precision: Option<Precision>,
        /// Adapters of `lora` and `qlora`, and of RL and of preference data where given.
        pub lora: Option<LoraSpec>,
        /// Images of a model with a vision tower. Without it everything is text.
        pub images: Option<ImagesSpec>,
        /// A teacher; required for `distill`.
        pub distillation: Option<DistillationSpec>,
        /// `dpo`, `ipo`, `kto`: whether the reference's log-probabilities are computed once, before training, so that no step
        /// evaluates it and no card holds it. Default false.
        pub precompute_ref_log_probs: Option<bool>,
        /// The RL step; required for `ppo`, `grpo`, the other algorithms and `distill`.
        pub rl: Option<RlSpec>,
        /// The generation run; required for `rollout`.
        pub rollout: Option<RolloutWorkloadSpec>,
        /// Tokens of the whole run; gives hours and dollars. Where `run` says how long it is, leave this out.
        pub tokens: Option<f64>,
        /// How long the whole run is, by steps or by its data set; gives hours and dollars. Default: for RL 100 steps, with a
        /// caveat.
        pub run: Option<RunSpec>,
    }
}

document! {
    /// Sequences of about one length.
    #[derive(Copy, Default)]
    pub struct LengthsSpec {
        /// Their length in tokens.
        pub tokens: u64,
        /// How many they are: a count, or a share.
        pub sequences: f64,
    }
}

document! {
    /// How long a run is: `steps`, or `examples` and `epochs`; and what it keeps.
    #[derive(Copy, Default)]
    pub struct RunSpec {
        /// Optimizer steps, or steps of RL.
        pub steps: Option<u64>,
        /// Examples of the data set, or prompts of RL, with mean and longest tokens as the workload has them.
        pub examples: Option<u64>,
        /// Passes over the data set. Default 1.
        pub epochs: Option<f64>,
        /// Checkpoints that are kept at a time. Default 1.
        pub checkpoints: Option<u64>,
    }
}

document! {
    /// Low-rank adapters.
    #[derive(Copy, Default)]
    pub struct LoraSpec {
        /// Rank of the adapters. Default 16.
        pub rank: Option<u64>,
        /// Which matrices carry adapters. Default `all-linear`.
        pub targets: Option<LoraTargets>,
        /// Preference data, and RL with Unsloth: whether the base model is held in 4 bits, as `qlora` holds it. Default false.
        pub load_in_4bit: Option<bool>,
    }
}

words! {
    /// How generation and training share the GPUs.
    #[derive(Default)]
    pub enum Schedule {
        /// All GPUs do both, one phase after another.
        #[default]
        Colocated = "colocated",
        /// Disjoint GPUs, one phase after another.
        Split = "split",
        /// Disjoint GPUs; generation is one step ahead of training.
        OneStepOff = "one_step_off",
        /// Disjoint GPUs; generation runs on under a staleness bound.
        FullyAsync = "fully_async",
    }
}

/// Reads a stated null as a value: no critic, where an absent one is the default.
fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

document! {
    /// One RL step.
    #[derive(Default)]
    pub struct RlSpec {
        /// Prompts per step, over all GPUs. Required.
        pub prompts_per_step: Option<u64>,
        /// Prompts generated at a time (veRL's `data.gen_batch_size`). Default: `prompts_per_step`; of prime all that a step
        /// generates.
        pub gen_batch_size: Option<u64>,
        /// Prompts generated for each that trains (DAPO's dynamic sampling drops groups that all score alike, PRIME those that
        /// are too easy or too hard). Default: 2.3 for dapo and 4 for prime, with a caveat, else 1.
        pub oversampling: Option<f64>,
        /// Responses sampled per prompt. Default 8 for grpo and those like it, 16 for dapo, 4 for
        /// rloo and prime, 1 for ppo, `reinforce_plus_plus`, distill and remax, which generates a greedy one besides.
        pub responses_per_prompt: Option<u64>,
        /// Longest prompt in tokens. Required.
        pub max_prompt_length: Option<u64>,
        /// Longest response in tokens. Required.
        pub max_response_length: Option<u64>,
        /// Mean prompt length in tokens. Default: half the longest, with a caveat.
        pub mean_prompt_length: Option<f64>,
        /// Mean response length in tokens. Default: half the longest, with a caveat.
        pub mean_response_length: Option<f64>,
        /// Spread of the response lengths: standard deviation over mean. Default 0.5, with a caveat.
        pub response_length_cv: Option<f64>,
        /// Prompts per optimizer step. Default: `prompts_per_step`.
        pub mini_batch: Option<u64>,
        /// Passes over the step's samples. Default 1.
        pub epochs: Option<u64>,
        /// Whether a reference policy's log-probabilities are computed. Default: true for ppo and grpo.
        pub reference: Option<bool>,
        /// The critic's model: an id, an object, or null. Default for ppo: the actor's.
        #[serde(deserialize_with = "even_null")]
        #[cfg_attr(feature = "cli", schemars(extend("type" = ["string", "object", "null"])))]
        pub critic: Option<Value>,
        /// A reward model: an id, an object, or null. Default: none (a rule). Of prime it is the implicit process reward model,
        /// which trains; by default the actor's.
        #[cfg_attr(feature = "cli", schemars(extend("type" = ["string", "object", "null"])))]
        pub reward_model: Option<Value>,
        /// Whether the trainer computes the old log-probabilities. False: it takes the engine's (veRL's
        /// `algorithm.rollout_correction.bypass_mode`). Default true.
        pub old_log_prob: Option<bool>,
        /// Whether every rank gets as many tokens as the others (veRL's `trainer.balance_batch`); else whole prompts in the order
        /// of the batch. Default true, but for prime.
        pub balance_batch: Option<bool>,
        /// Seconds of a step in which rewards are computed while neither side works. Default 0, with a caveat.
        pub reward_s: Option<f64>,
        /// How generation and training share the GPUs. Default colocated.
        pub schedule: Option<Schedule>,
        /// Versions of the weights that a sample may lag behind (veRL's `max_off_policy_threshold`), where fully
        /// asynchronous; with a part, as 0.5, that share of a step's samples (veRL's `staleness_threshold`). Default 8.
        pub max_staleness: Option<f64>,
        /// Whether responses that are unfinished when new weights come go on with them (veRL's `async_training.partial_rollout`,
        /// NeMo-RL's `in_flight_weight_updates`), where fully asynchronous. False: new weights wait for them. Default true.
        pub partial_rollout: Option<bool>,
        /// GPUs that train, where not colocated. Default: the split with the fastest step.
        pub train_gpus: Option<u64>,
        /// Responses of several turns, between which tools are called. Default: one turn.
        pub agent: Option<AgentSpec>,
    }
}

document! {
    /// An agent's responses: the model writes a turn, a tool answers it, and so on. Lengths of responses count both.
    #[derive(Default)]
    pub struct AgentSpec {
        /// Mean turns that the model writes in a response; a tool answers each but the last. Default: half way from 1 to
        /// `max_turns`, with a caveat; one of both is required.
        pub turns: Option<f64>,
        /// The most turns (veRL's `multi_turn.max_assistant_turns`). Default: twice the mean.
        pub max_turns: Option<u64>,
        /// Mean tokens of a tool's answer. Default 256, or what has tools write half of a response where that is less, with a caveat.
        pub tool_response_length: Option<f64>,
        /// Mean seconds from a turn to the tool's answer. Default 1, with a caveat.
        pub tool_s: Option<f64>,
        /// Spread of those seconds: standard deviation over mean. Default 1, with a caveat.
        pub tool_cv: Option<f64>,
        /// Responses in progress at a time, over all engines: one in each environment. Default: all.
        pub environments: Option<u64>,
        /// Share of a response's earlier tokens whose keys and values an engine still holds when its next turn begins.
        /// Default: as far as the cache has room for the responses that wait.
        pub prefix_cache_hit_rate: Option<f64>,
        /// Whether each response goes on at its own pace. False: all wait for a turn's slowest. Default true.
        pub asynchronous: Option<bool>,
    }
}

document! {
    /// A generation run.
    #[derive(Default)]
    pub struct RolloutWorkloadSpec {
        /// Requests of the run. Required.
        pub requests: Option<u64>,
        /// Mean prompt length in tokens. Required.
        pub mean_prompt_length: Option<f64>,
        /// Mean response length in tokens. Required.
        pub mean_response_length: Option<f64>,
        /// Spread of the response lengths. Default 0.
        pub response_length_cv: Option<f64>,
    }
}

/// A question as a JSON value. See [`super::question_from_value`], which reads it back.
#[must_use]
pub fn to_value(question: &Question) -> Value {
    Value::Object(question.entries())
}
