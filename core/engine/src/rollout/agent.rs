//! Responses of several turns: what tools write is read like a prompt, and while a tool works others decode.

use super::{Prepared, Requests, last_batch};
use crate::lengths::largest;
use shardwise_catalog::units::Seconds;
use shardwise_question::workload::Agent;

/// Share of the responses in progress that may be the last to end: those of the longest quantiles.
const CONTENDERS: f64 = 0.05;

/// Rounds of the search for how many decode: each shrinks what is left of the way by the share of a step that grows with it.
const ROUNDS: usize = 24;

/// Sequences that decode at a time of `alive` in progress, each of which waits `wait` seconds for every token that it
/// writes, in steps that take `step` of so many; at most `most`.
///
/// A closed network of one station with delays: of `alive` customers, as many are at the station as the time there is of the
/// time of a round (Little's law; Lazowska et al. 1984, Quantitative System Performance, chapter 6).
pub(super) fn active(alive: f64, wait: f64, most: f64, step: impl Fn(f64) -> Seconds) -> f64 {
    let mut found = alive;
    if wait > 0.0 {
        for _ in 0..ROUNDS {
            let own = step(found).get();
            let next = alive * own / (own + wait);
            if found - next < 1e-3 * found {
                break;
            }
            found = next;
        }
    }
    found.min(most)
}

/// Seconds of the slowest of `count` calls: log-normal, as lengths of responses are.
#[must_use]
pub fn slowest(agent: &Agent, count: f64) -> f64 {
    let sigma = libm::log(1.0 + agent.tool_cv * agent.tool_cv).sqrt();
    let factor = libm::exp(sigma * largest(count) - sigma * sigma * 0.5);
    agent.tool_s * factor.max(1.0)
}

impl Prepared<'_> {
    /// Tokens of a response that the model writes.
    pub(super) fn written(&self, requests: &Requests) -> f64 {
        requests.responses.mean - self.agent.map_or(0.0, |agent| agent.read())
    }

    /// Sequences that are decoded at a time, of those in progress; all slots while all go on together.
    pub(super) fn decoding(&self, requests: &Requests) -> f64 {
        let slots = self.room.concurrency;
        match self.agent {
            None => slots,
            Some(agent) if !agent.asynchronous => slots,
            Some(agent) => active(self.in_progress, self.wait(&agent, requests), slots, self.step(requests)),
        }
    }

    /// Seconds that a response waits for tools, for each token that it writes.
    fn wait(&self, agent: &Agent, requests: &Requests) -> f64 {
        agent.waits() / self.written(requests)
    }

    /// Seconds in which so many sequences, as long as those that are decoded, write a token each.
    fn step(&self, requests: &Requests) -> impl Fn(f64) -> Seconds {
        let length = requests.decoded();
        let speed = self.engine.speed() * self.engine.plan.speculative_speedup;
        move |sequences| self.engine.decode_step(sequences.max(1.0), length).total() / speed
    }

    /// Tokens that an engine reads again and again, for each response: what tools write, and of what stands before each turn
    /// what its cache holds no more.
    pub(super) fn read_between(&self, requests: &Requests) -> f64 {
        let Some(agent) = self.agent else {
            return 0.0;
        };
        agent.read() + agent.calls() * (1.0 - self.hits(&agent)) * requests.middle()
    }

    /// Share of the earlier tokens whose keys and values an engine still holds: all where its cache has room for every
    /// response in progress; else those that decode keep theirs, and those that wait share the rest.
    pub(super) fn hits(&self, agent: &Agent) -> f64 {
        // Where all wait together, none decodes meanwhile.
        let decoding = if agent.asynchronous { self.decoding } else { 0.0 };
        let waiting = self.in_progress - decoding;
        let held = if waiting < 1.0 { 1.0 } else { ((self.held - decoding) / waiting).clamp(0.0, 1.0) };
        agent.prefix_cache_hit_rate.unwrap_or(held)
    }
}

/// The terms of what tools add to a generation phase, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Added {
    /// While responses wait their turn: fewer decode at a time than the engine could.
    pub full: f64,
    /// In the last batch.
    pub tail: f64,
    /// The last calls of all, or, in lockstep, the slowest of each turn.
    pub calls: f64,
}

impl Added {
    /// All of it.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.full + self.tail + self.calls
    }
}

/// What waiting for tools adds: the same phase with every call answered at once takes so much less.
pub(super) fn added(prepared: &Prepared<'_>, requests: &Requests) -> Added {
    let Some(agent) = prepared.agent else {
        return Added::default();
    };
    if !agent.asynchronous {
        // Every turn ends with its slowest call.
        let calls = agent.calls() * slowest(&agent, prepared.in_progress * prepared.engines);
        return Added { calls, ..Added::default() };
    }
    let work = prepared.work(requests);
    let step = prepared.step(requests);
    let most = prepared.room.concurrency;
    let wait = prepared.wait(&agent, requests);
    // Seconds for each token that a response writes, of `alive` in progress.
    let pace = |alive: f64, wait: f64| {
        let decoding = active(alive, wait, most, &step).max(1.0);
        alive.max(1.0) * step(decoding).get() / decoding
    };
    let (quick, slow) = (pace(prepared.in_progress, 0.0), pace(prepared.in_progress, wait));
    let full = work.full_steps * most / prepared.in_progress.max(1.0) * (slow - quick);
    let mut tail = 0.0;
    last_batch(prepared, requests, |steps, alive, _| tail += steps * (pace(alive, wait) - pace(alive, 0.0)));
    // The longest response has more calls than the mean one, and its own may all be slow.
    let calls = agent.calls() * requests.responses.longest() / requests.responses.mean;
    let contenders = (prepared.in_progress * prepared.engines * CONTENDERS).max(1.0);
    let calls = agent.tool_s * agent.tool_cv * calls.sqrt() * largest(contenders);
    Added { full, tail, calls }
}
