//! An agent's responses, with their defaults.

use super::{MAX_BATCH, MAX_LENGTH};
use crate::place::Place;
use crate::wire::AgentSpec;
use crate::workload::Agent;
use shardwise_catalog::error::{Caveat, InputError};
use shardwise_catalog::units::shortest;

const AT: Place<'static> = Place::at("workload.rl.agent");

/// The most turns that a response may have.
const MAX_TURNS: u64 = 10_000;

/// Tokens of a tool's answer where nothing is stated. Assumed.
const TOOL_TOKENS: f64 = 256.0;

/// Seconds of a call, and its spread, where nothing is stated: a search, or a small program in a sandbox. Assumed.
const CALL: (f64, f64) = (1.0, 1.0);

/// What happens between the turns of a response whose mean and longest length are `response`; nothing where it has one.
///
/// # Errors
/// The first field that is missing, out of range or at odds with another.
pub(super) fn resolve_agent(
    spec: &AgentSpec,
    (mean, longest): (f64, u64),
    caveats: &mut Vec<Caveat>,
) -> Result<Option<Agent>, InputError> {
    let half = spec.max_turns.map(|most| (1.0 + most as f64) * 0.5);
    let turns = AT.within("turns", AT.required("turns", spec.turns.or(half))?, 1.0, MAX_TURNS as f64)?;
    let most = (turns * 2.0).ceil() as u64;
    let max_turns = AT.positive("max_turns", spec.max_turns.unwrap_or(most), MAX_TURNS * 2)?;
    if (max_turns as f64) < turns {
        let mean = shortest(turns);
        return Err(AT.wrong(
            "max_turns",
            format!("The mean of {mean} turns is above the most, {max_turns}. Lower turns, or raise this."),
        ));
    }
    // Nobody's number refuses nobody's run: of short responses tools write half at most.
    let most_read = (0.5 * mean / (turns - 1.0).max(1.0)).floor();
    let answer = spec.tool_response_length.unwrap_or(TOOL_TOKENS.min(most_read));
    let agent = Agent {
        turns,
        max_turns,
        tool_response_length: AT.within("tool_response_length", answer, 0.0, MAX_LENGTH as f64)?,
        tool_s: AT.within("tool_s", spec.tool_s.unwrap_or(CALL.0), 0.0, 1e5)?,
        tool_cv: AT.within("tool_cv", spec.tool_cv.unwrap_or(CALL.1), 0.0, 10.0)?,
        environments: spec
            .environments
            .map(|count| AT.positive("environments", count, MAX_BATCH))
            .transpose()?,
        prefix_cache_hit_rate: spec
            .prefix_cache_hit_rate
            .map(|share| AT.within("prefix_cache_hit_rate", share, 0.0, 1.0))
            .transpose()?,
        asynchronous: spec.asynchronous.unwrap_or(true),
    };
    // The model writes at least a token in each turn.
    if agent.read() + turns > mean {
        let (read, mean) = (shortest(agent.read().round()), shortest(mean));
        return Err(AT.wrong(
            "tool_response_length",
            format!(
                "Tools write {read} tokens of a response, which has {mean} in all. Lower this or turns, or raise workload.rl.mean_response_length, which counts what tools write."
            ),
        ));
    }
    if turns <= 1.0 {
        return Ok(None);
    }
    assumed(spec, longest, &agent, caveats);
    Ok(Some(agent))
}

/// Says what of an agent nobody stated.
fn assumed(spec: &AgentSpec, longest: u64, agent: &Agent, caveats: &mut Vec<Caveat>) {
    let mut unsaid = Vec::new();
    if spec.turns.is_none() {
        unsaid.push(format!("turns {}", shortest(agent.turns)));
    }
    if spec.tool_response_length.is_none() {
        unsaid.push(format!("tool_response_length {} tokens", shortest(agent.tool_response_length)));
    }
    if spec.tool_s.is_none() {
        unsaid.push(format!("tool_s {} s", shortest(agent.tool_s)));
    }
    if spec.tool_cv.is_none() {
        unsaid.push(format!("tool_cv {}", shortest(agent.tool_cv)));
    }
    if !unsaid.is_empty() {
        let unsaid = unsaid.join(", ");
        caveats.push(Caveat::new("assumed-tools", format!("What tools do is not all given: {unsaid} is assumed.")));
    }
    let text = format!(
        "A response's lengths count what tools write: {longest} tokens at most with all its turns. How tools hold up generation is computed, and no published run of an agent is among those that the estimate is fitted on."
    );
    caveats.push(Caveat::new("agent", text));
}
