//! Generation: how long the engine takes for a batch of requests, and what it holds.

pub mod agent;
mod engine;
mod memory;
pub(crate) mod version;
pub mod workings;

use std::cell::OnceCell;

use crate::context::Context;
use crate::kernels::Rates;
pub use crate::lengths::Responses;
use crate::lengths::SHARES;
use crate::tower::Tower;
use engine::{EngineModel, Prefill};
pub use memory::{
    Kept, cache_bytes_per_token, engine_weights, graphs, images_workspace, state_bytes_per_sequence, workspace,
};
pub(crate) use memory::{dense_weight_bytes, expert_weight_bytes};
use shardwise_catalog::efficiency::{Efficiency, EngineEfficiency};
use shardwise_catalog::hardware::Hardware;
use shardwise_catalog::units::{Bytes, Seconds};
use shardwise_question::framework::Waking;
use shardwise_question::job::Job;
use shardwise_question::plan::{RolloutPlan, USUAL_BATCHED_TOKENS};
use shardwise_question::wire::Engine;
use shardwise_question::workload::Agent;
pub(crate) use version::is_early;
pub use version::{MANY, TODAYS_VLLM, entry, is_first};

/// The requests of one generation phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Requests {
    /// Requests over all engines.
    pub count: f64,
    /// Mean prompt length in tokens.
    pub prompt: f64,
    /// Responses that share each prompt, and so its keys and values.
    pub shared: f64,
    /// Their lengths.
    pub responses: Responses,
    /// What happens between the turns of a response, and the lengths of one turn.
    pub agent: Option<(Agent, Responses)>,
}

impl Requests {
    /// Tokens of a sequence half way through its response.
    fn middle(&self) -> f64 {
        self.prompt + self.responses.mean * 0.5
    }

    /// Tokens of a sequence in the mean over all tokens that are decoded: the longer a response, the more of them are its own,
    /// and the further back they reach. Where an agent's responses go on together, no more than half way through.
    fn decoded(&self) -> f64 {
        match self.agent {
            Some((agent, _)) if !agent.asynchronous => self.middle(),
            _ => self.prompt + self.responses.of_a_token() * 0.5,
        }
    }
}

/// One generation phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Generation {
    /// Prompts.
    pub prefill: Seconds,
    /// Responses.
    pub decode: Seconds,
    /// Prompts and responses again, of sequences that gave up their cache to others.
    pub recomputed: Seconds,
    /// What waiting for an agent's tools adds.
    pub tools: Seconds,
    /// What the engine holds.
    pub room: Room,
}

impl Generation {
    /// All of it.
    #[must_use]
    pub fn total(&self) -> Seconds {
        self.prefill + self.decode + self.recomputed + self.tools
    }
}

/// What an engine holds on each of its GPUs, whatever the time it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Room {
    /// Weights.
    pub weights: Bytes,
    /// Whether these are the trainer's, which has them whatever the engine does.
    pub shared: bool,
    /// Working memory.
    pub workspace: Bytes,
    /// Keys and values, and states of recurrent blocks: the cache's capacity.
    pub cache: Bytes,
    /// Keys and values, and states, of the longest sequence: an engine whose cache is smaller does not start
    /// (`vllm/v1/core/kv_cache_utils.py`, `check_enough_kv_cache_memory`).
    pub sequence: Bytes,
    /// The engine's share of the card.
    pub share: Bytes,
    /// Tokens that the cache of one engine holds.
    pub cache_tokens: f64,
    /// Sequences decoded together at most, per engine.
    pub concurrency: f64,
}

impl Room {
    /// What is certain of the memory without which the engine does not start: weights, and keys and values of the longest
    /// sequence.
    #[must_use]
    pub fn certain(&self) -> Bytes {
        self.weights + self.sequence
    }
}

/// Share of its response that a sequence holds on average while a batch runs: they grow at different times.
const HELD: f64 = 0.6;

/// Tokens that a sequence holds of its response, on average, where others take the place of those that end: those in progress are
/// of every age, and rather long than short (the inspection paradox, as in [`Responses::of_a_token`]). While all of a batch
/// grow together the long ones are few by the time they are long.
fn held_in_turn(responses: &Responses) -> f64 {
    (responses.of_a_token() * 0.5).max(responses.mean * HELD)
}

/// Tokens computed again for each generated one where the cache has room for no sequence, falling to none where it
/// has room for all. vLLM admits a sequence by what it holds now; when the cache runs out, the last admitted gives its
/// blocks back and starts over (`vllm/v1/core/sched/scheduler.py`). A simulation of that rule (`core/tests/scheduler.rs`)
/// gives 0.1 to 0.6 of the missing share.
pub const PREEMPTED: f64 = 0.35;

/// An engine and what it is asked for.
struct Prepared<'a> {
    engine: EngineModel<'a>,
    /// Requests of the busiest engine.
    per_engine: f64,
    room: Room,
    /// Bytes of its cache for each token.
    per_token: f64,
    /// Bytes that a sequence takes of it on average.
    per_sequence: f64,
    /// Sequences that could be decoded together with room for all.
    wanted: f64,
    /// Share of all tokens that prompts have, and what tools write.
    prompts: f64,
    /// What happens between the turns of a response.
    agent: Option<Agent>,
    /// Responses in progress at a time: those that are decoded, and those of an agent that wait.
    in_progress: f64,
    /// Of these, those that are decoded at a time, on average.
    decoding: f64,
    /// Sequences whose keys and values the cache has room for.
    held: f64,
    /// Engines.
    engines: f64,
}

/// Seconds in which the engine of a plan wakes beside a trainer; of any plan at least.
pub(crate) fn waking(efficiency: &Efficiency, way: Waking, plan: Option<&RolloutPlan>) -> f64 {
    let all = || [&efficiency.vllm, &efficiency.early_vllm, &efficiency.sglang, &efficiency.tensorrt_llm];
    match (way, plan) {
        (Waking::Pause, _) => efficiency.paused_s,
        // The trainers that had their engine in reach were those of vLLM before 0.12.
        (Waking::Call, _) => efficiency.early_vllm.wake_s,
        (Waking::Server, Some(plan)) => constants(efficiency, plan).wake_s,
        (Waking::Server, None) => all().map(|own| own.wake_s).into_iter().fold(f64::MAX, f64::min),
    }
}

/// What that entry says.
fn constants<'a>(efficiency: &'a Efficiency, plan: &RolloutPlan) -> &'a EngineEfficiency {
    match entry(plan) {
        "early_vllm" => &efficiency.early_vllm,
        "sglang" => &efficiency.sglang,
        "tensorrt_llm" => &efficiency.tensorrt_llm,
        _ => &efficiency.vllm,
    }
}

/// An engine and what it is asked for, whatever its share of the card.
fn without_share<'a>(context: &'a Context<'_>, plan: &'a RolloutPlan, gpus: u32, requests: &Requests) -> Prepared<'a> {
    let job = context.job;
    let efficiency: &Efficiency = context.efficiency;
    let hardware: &Hardware = &job.hardware;
    let constants = constants(efficiency, plan);
    let engine = EngineModel {
        model: &job.model,
        blocks: &context.blocks,
        plan,
        rates: Rates::of(hardware, plan.precision, efficiency),
        network: context
            .network
            .with_latency(Seconds::new(constants.all_reduce_s), Seconds::new(constants.all_reduce_node_s)),
        constants,
        tuned: efficiency.architecture(hardware),
        kept: Kept::of(job),
        tile: version::tile(plan, hardware),
        tower: Tower::of(context, &context.actor()),
        amd: version::Amd::of(plan, hardware, efficiency),
        thinnest: OnceCell::new(),
    };
    let engines = f64::from((gpus / plan.gpus()).max(1)) * f64::from(plan.data_parallel);
    let responses = &requests.responses;
    // The slowest engine decides.
    let distinct = requests.count / requests.shared.max(1.0);
    let per_engine = requests.count / engines * responses.busiest(distinct, engines);
    let per_engine = per_engine.max(1.0);
    let weights = engine_weights(&job.model, plan, engine.kept);
    let workspace = workspace(&job.model, plan) + images_workspace(job, plan);
    let per_token = engine.cache_bytes().max(1.0);
    let states = engine.state_bytes();
    let sequence = Bytes::new(engine.cached(longest(context, requests)) * per_token + states);
    // A prompt's responses share its keys and values (prefix caching; both engines' default).
    let own = if per_engine > plan.max_num_seqs as f64 { held_in_turn(responses) } else { responses.mean * HELD };
    let held = requests.prompt / requests.shared.max(1.0) + own;
    // Layers with a sliding window keep no more than it, recurrent ones one state.
    let per_sequence = engine.cached(held).max(1.0) * per_token + states;
    // Over its life a sequence takes of the steps' budgets its prompt, where no other response brought it, and its response.
    let agent = requests.agent.map(|(agent, _)| agent);
    let between = agent.map_or(0.0, |agent| agent.read());
    let own = requests.prompt / requests.shared.max(1.0) + between;
    let prompts = own / (own + responses.mean - between).max(1.0);
    let decoded = if plan.max_num_batched_tokens < USUAL_BATCHED_TOKENS {
        plan.max_num_batched_tokens as f64 * (1.0 - prompts)
    } else {
        // Runs that the constants are fitted on do not state their budget: from the usual one on it is taken to be enough.
        f64::INFINITY
    };
    let environments = agent.and_then(|agent| agent.environments);
    let started = environments.map_or(per_engine, |count| (count as f64 / engines).clamp(1.0, per_engine));
    let wanted = (plan.max_num_seqs as f64).min(decoded).min(started).max(1.0);
    Prepared {
        engine,
        per_engine,
        room: Room { weights, shared: job.shares_base(), workspace, sequence, ..Room::default() },
        per_token,
        per_sequence,
        wanted,
        prompts,
        agent,
        in_progress: started,
        decoding: 0.0,
        held: 0.0,
        engines,
    }
}

fn prepare<'a>(context: &'a Context<'_>, plan: &'a RolloutPlan, gpus: u32, requests: &Requests) -> Prepared<'a> {
    let prepared = without_share(context, plan, gpus, requests);
    let (room, held) = prepared.with_share(share(context.job, plan, prepared.room.workspace));
    let concurrency = room.concurrency;
    let in_progress = if prepared.agent.is_some() { prepared.in_progress } else { concurrency };
    let prepared = Prepared { room, held, in_progress, decoding: concurrency, ..prepared };
    Prepared { decoding: prepared.decoding(requests), ..prepared }
}

/// What an engine takes of the card. `SGLang`'s share is of weights and cache alone, and its working memory stands beside
/// (`profile_max_num_token` of `python/sglang/srt/model_executor/model_runner.py`); beside a trainer it is taken to be within, as
/// vLLM's is.
fn share(job: &Job, plan: &RolloutPlan, workspace: Bytes) -> Bytes {
    let stated = Bytes::from_gib(job.hardware.memory_gib * plan.gpu_memory_utilization);
    let beside = plan.engine == Engine::Sglang && job.workload.rl.is_none();
    if beside { stated + workspace } else { stated }
}

/// Tokens of the longest sequence that an engine is told to expect.
fn longest(context: &Context<'_>, requests: &Requests) -> f64 {
    match &context.job.workload.rl {
        Some(rl) => rl.max_length() as f64,
        None => requests.prompt + requests.responses.longest(),
    }
}

/// Hands `stretch` each stretch of the last batch: tokens that each of its responses writes, how many they are, and the
/// tokens that each has by then.
///
/// Its shares end one after another, and the longest decides (HybridFlow, arXiv:2409.19256, on what an RL step waits for). Where
/// an agent's responses go on together, that is so in every turn. The longest of all, on whichever engine, writes alone at the end.
fn last_batch(prepared: &Prepared<'_>, requests: &Requests, mut stretch: impl FnMut(f64, f64, f64)) {
    let together = requests.agent.filter(|(agent, _)| !agent.asynchronous);
    let lengths = together.map_or(requests.responses, |(_, turn)| turn).lengths;
    // Of each token of a response, what the model writes, in all turns.
    let written = match together {
        Some((agent, _)) => agent.turns,
        None => prepared.written(requests) / requests.responses.mean.max(f64::MIN_POSITIVE),
    };
    let (mut done, mut left) = (0.0, 1.0);
    for (length, (_, share)) in lengths.iter().zip(SHARES) {
        if *length > done {
            let now = if together.is_some() { requests.middle() } else { requests.prompt + (done + length) * 0.5 };
            stretch((length - done) * written, (prepared.in_progress * left).max(1.0), now);
            done = *length;
        }
        left -= share;
        // Fewer requests than a share holds one of: nobody is that long.
        if left * prepared.per_engine < 0.5 {
            break;
        }
    }
    let longest = requests.responses.longest_of(requests.count);
    if together.is_none() && longest > done {
        stretch((longest - done) * written, 1.0, requests.prompt + (done + longest) * 0.5);
    }
}

/// What the busiest engine does beside its last batch.
struct Work {
    /// Prompt tokens that it reads.
    prompts: f64,
    /// Tokens that it reads between an agent's turns.
    between: f64,
    /// Steps with every slot taken, for what does not fit the last batch.
    full_steps: f64,
    /// Tokens computed again for want of room.
    again: f64,
}

impl Prepared<'_> {
    /// What the engine holds with a share of the card, and for how many sequences its cache has room.
    fn with_share(&self, share: Bytes) -> (Room, f64) {
        let cache = share.beyond(self.room.weights + self.room.workspace);
        let held = (cache.get() / self.per_sequence).max(1.0);
        let (cache_tokens, concurrency) = (cache.get() / self.per_token, self.wanted.min(held));
        (Room { cache, share, cache_tokens, concurrency, ..self.room }, held)
    }

    fn work(&self, requests: &Requests) -> Work {
        let mean = requests.responses.mean;
        let (slots, wanted) = (self.room.concurrency, self.wanted);
        let waves = self.per_engine / slots - self.in_progress / slots;
        // While tools leave slots empty, nobody is short of room.
        let missing = if self.decoding < slots { 0.0 } else { 1.0 - slots / wanted };
        Work {
            prompts: self.per_engine * requests.prompt / requests.shared.max(1.0),
            between: self.per_engine * self.read_between(requests),
            full_steps: waves.max(0.0) * self.written(requests),
            again: PREEMPTED * missing * self.per_engine * mean,
        }
    }

    /// Seconds for each token that `alive` responses write together, each `now` tokens long: what finds no slot waits for one.
    fn pace(&self, alive: f64, now: f64) -> Seconds {
        let slots = self.room.concurrency;
        let one = self.engine.decode_step(alive.min(slots), now).total();
        if alive > slots { one * (alive / slots) } else { one }
    }

    /// Processing `tokens` prompt tokens of prompts `length` long, beside what is decoded.
    fn prefill(&self, tokens: f64, length: f64) -> Prefill {
        self.engine.prefill(tokens, (length, self.prompts, self.room.concurrency))
    }

    /// Processing all that the engine reads: prompts, and between turns what comes after half a response.
    fn reading(&self, requests: &Requests, work: &Work) -> Prefill {
        let prompts = self.prefill(work.prompts, requests.prompt);
        if work.between <= 0.0 {
            return prompts;
        }
        // A token of a sequence attends to half of it on average, one in its middle to all before. Images stand in the prompt.
        let between = self.prefill(work.between, 2.0 * requests.middle());
        prompts.plus(&Prefill { images: Seconds::ZERO, ..between })
    }

    /// Time of computing what was dropped again.
    fn recomputed(&self, requests: &Requests, work: &Work) -> Seconds {
        if work.again > 0.0 { self.prefill(work.again, requests.middle()).total() } else { Seconds::ZERO }
    }
}

/// Memory of the engines that generate `requests` on `gpus` GPUs.
#[must_use]
pub fn room(context: &Context<'_>, plan: &RolloutPlan, gpus: u32, requests: &Requests) -> Room {
    rooms(context, plan, &[plan.gpu_memory_utilization], (gpus, requests))
        .next()
        .unwrap_or_default()
}

/// The same with each of some shares of the card: all but the cache is as it is.
pub(crate) fn rooms<'a>(
    context: &'a Context<'_>,
    plan: &'a RolloutPlan,
    shares: &'a [f64],
    (gpus, requests): (u32, &Requests),
) -> impl Iterator<Item = Room> + 'a {
    let prepared = without_share(context, plan, gpus, requests);
    shares.iter().map(move |own| {
        let plan = RolloutPlan { gpu_memory_utilization: *own, ..*plan };
        prepared.with_share(share(context.job, &plan, prepared.room.workspace)).0
    })
}

/// Time and memory of generating `requests` on `gpus` GPUs.
///
/// Requests join and leave at every step (vLLM, arXiv:2309.06180). While some wait, every slot is taken: the engine runs
/// full steps. When the last request
/// has been admitted the batch shrinks as responses end, and the longest decides.
#[must_use]
pub fn generate(context: &Context<'_>, plan: &RolloutPlan, gpus: u32, requests: &Requests) -> Generation {
    let prepared = prepare(context, plan, gpus, requests);
    let engine = &prepared.engine;
    let work = prepared.work(requests);
    let prefill = prepared.reading(requests, &work).total();
    let full = engine.decode_step(prepared.room.concurrency, requests.decoded());
    let mut decode = full.total() * work.full_steps;
    last_batch(&prepared, requests, |tokens, alive, now| decode += prepared.pace(alive, now) * tokens);
    let recomputed = prepared.recomputed(requests, &work);
    let speed = engine.speed();
    Generation {
        prefill: prefill / speed,
        decode: decode / (speed * plan.speculative_speedup),
        recomputed: recomputed / speed,
        tools: Seconds::new(agent::added(&prepared, requests).total()),
        room: prepared.room,
    }
}

/// Time for `requests` where the next begin as others end, and `batches` times as many are in progress as they are: no batch
/// shrinks, so that every step is full.
#[must_use]
pub fn flow(context: &Context<'_>, plan: &RolloutPlan, gpus: u32, requests: &Requests, batches: f64) -> Seconds {
    let several = Requests { count: requests.count * batches, ..*requests };
    let prepared = prepare(context, plan, gpus, &several);
    let engine = &prepared.engine;
    let work = prepared.work(&several);
    let read = prepared.reading(&several, &work).total() + prepared.recomputed(&several, &work);
    let steps = prepared.per_engine * prepared.written(&several) / prepared.decoding;
    let decode = engine.decode_step(prepared.decoding, several.decoded()).total() * steps;
    // Over many batches no engine is busier than the others.
    let even = several.count / prepared.engines / prepared.per_engine;
    (read + decode / plan.speculative_speedup) * even.min(1.0) / (engine.speed() * batches)
}
