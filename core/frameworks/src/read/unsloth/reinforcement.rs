//! GRPO and the losses like it, as Unsloth changes TRL's trainer (`unsloth/models/rl.py` of 2026.10.9) and starts its engine
//! (`unsloth_zoo/vllm_utils.py:4377`).

use crate::read::draft::Draft;
use crate::read::python;
use crate::read::text::{Kind, Part};
use crate::read::trainer::Run;
use crate::read::trainer::reinforcement::{self, Own};
use shardwise_catalog::catalog;
use shardwise_question::framework::{UNSLOTH, pads_responses};
use shardwise_rules::unsloth::{PACKS, SHORTEST_MOVED};

/// What Unsloth does of itself, where its loss has no penalty (`rl.py:3327`); `loader.py:1263` has the share.
const OWN: Own = Own { beta: 0.0, responses: 8, share: 0.5, sequences: None, tokens: 8192, server: "" };

/// The penalty where the loss is neither DAPO's nor Dr. GRPO's (`rl.py:3538`).
const BETA: f64 = 0.001;

/// The engine's share of a card that gives its cache back, whatever is asked for, by the least GiB that a card has
/// (`vllm_utils.py:4471`, under vLLM 0.11 or newer); 5 % less of it is taken.
const STANDBY: [(f64, f64); 5] = [(40.0, 0.925), (25.0, 0.9), (20.0, 0.825), (14.0, 0.8), (10.0, 0.775)];

/// Of smaller ones.
const STANDBY_ELSE: f64 = 0.75;

/// Tokens of the longest prompt where no text tells: as of TRL's texts.
const PROMPT: u64 = 512;

/// Whether a program here learns from rewards.
pub(super) fn is_here(parts: &[Part]) -> bool {
    parts.iter().any(|part| match &part.kind {
        Kind::Shell(script) => {
            let words = script.commands.iter().flat_map(|command| &command.words);
            words.into_iter().any(|word| word.text == python::REINFORCEMENT)
        }
        _ => false,
    })
}

/// The algorithm. DAPO that is asked for clips as its paper says (`rl.py:3565`).
pub(super) fn kind(draft: &mut Draft) -> &'static str {
    let loss = draft.word("loss_type");
    match loss.as_deref().map(str::to_ascii_lowercase).as_deref() {
        Some("dapo") if !draft.states("epsilon_high") => "dapo",
        loss => reinforcement::kind(draft, "grpo", loss),
    }
}

/// A step, and the engine that generates for it.
pub(super) fn read(draft: &mut Draft, run: &Run, passes: [u64; 3]) {
    let passes = whole_groups(draft, passes);
    let loss = draft.word("loss_type").map(|loss| loss.to_ascii_lowercase());
    let held = !matches!(loss.as_deref(), None | Some("dapo" | "dr_grpo"));
    let own = Own { beta: if held { BETA } else { OWN.beta }, ..OWN };
    let engine = draft.flag("fast_inference") == Some(true) || draft.flag("use_vllm") == Some(true);
    let corrects = draft.flag("vllm_importance_sampling_correction") == Some(true);
    let pending = reinforcement::step(draft, &own, passes, engine && corrects);
    draft.set("workload.rl.schedule", "colocated");
    // The card holds the base once where the question names it. An engine alone asks for adapters.
    if engine || draft.field("workload.lora").is_some() {
        draft.set("framework", "unsloth");
    }
    if !engine {
        reinforcement::without_engine(draft, "fast_inference");
        draft.overrule("workload.lora");
        narrow_experts(draft);
    }
    if draft.known_whole("max_seq_length").is_some_and(|most| most >= SHORTEST_MOVED) {
        // What is moved goes by the longest that the model is loaded for.
        draft.overrule("plan.offload.activations");
    }
    generation(draft, run, pending);
    if !engine && draft.field("workload.lora").is_some() {
        // What generates with the base that is trained keeps no share of the card, and gives its cache back.
        draft.set("plan.rollout.free_cache", true);
        let why = "No engine keeps a share of the card: what the trainer leaves is there.";
        draft.assume("plan.rollout.gpu_memory_utilization", 0.9, why);
    }
    lengths(draft);
    stays(draft);
    packing(draft, run);
}

/// Whether the sequences of a pass stand side by side, as they do unless the environment or the model is against it.
fn packing(draft: &mut Draft, run: &Run) {
    let off = run.variable(PACKS).map(str::to_ascii_lowercase);
    let off = off.is_some_and(|own| ["0", "false", "no", "off"].contains(&own.as_str()));
    let longest = longest(draft);
    let pads = draft
        .entry()
        .is_some_and(|own| pads_responses(Some(UNSLOTH.id), &own.shape, longest));
    draft.set("workload.packing", !(off || pads));
}

/// Tokens of the longest prompt and response.
fn longest(draft: &Draft) -> u64 {
    let length = |name: &str| draft.size(&format!("workload.rl.max_{name}_length")).unwrap_or(SHORTEST_MOVED);
    length("prompt").saturating_add(length("response"))
}

/// Experts in 4 bits: the trainer generates with them, and an engine serves none, which the estimate has in its place.
fn narrow_experts(draft: &mut Draft) {
    let narrow = draft.field("workload.lora.load_in_4bit") == Some(&true.into());
    if narrow && draft.entry().is_some_and(|entry| entry.shape.num_experts > 0) {
        draft.overrule("workload.lora.load_in_4bit");
        draft.cannot("load_in_4bit", "Without fast_inference Transformers generates with the experts in 4 bits. The estimate's engines serve none.");
    }
}

/// What is moved is nothing where no sequence is long enough, whatever the model is loaded for.
fn stays(draft: &mut Draft) {
    if longest(draft) < SHORTEST_MOVED {
        draft.set("plan.offload.activations", false);
    }
}

/// Tokens of prompt and response. Where a program works the response out, it is what is left of the longest sequence.
fn lengths(draft: &mut Draft) {
    let [response, own] = ["max_completion_length", "max_prompt_length"];
    let open = draft.depends_on(response).is_some();
    let whole = draft.known_whole("max_seq_length");
    let prompt = draft.known_whole(own);
    let left = whole.and_then(|whole| whole.checked_sub(prompt.unwrap_or(PROMPT)));
    let Some(left) = left.filter(|left| open && *left > 0) else {
        return reinforcement::lengths(draft, &["max_seq_length"]);
    };
    let why = "The program works it out: what max_seq_length leaves beside the prompt, which has 512 tokens where no number says more.";
    draft.settle(response);
    draft.assume("workload.rl.max_response_length", left, why);
    match prompt {
        Some(prompt) => draft.set("workload.rl.max_prompt_length", prompt),
        None => {
            draft.settle(own);
            draft.assume("workload.rl.max_prompt_length", PROMPT, why);
        }
    }
}

/// Sequences of a pass: as many as a prompt has responses where updates are no whole groups of them (`rl.py:3598`).
fn whole_groups(draft: &mut Draft, [micro, steps, ranks]: [u64; 3]) -> [u64; 3] {
    let told = draft.states("steps_per_generation") || draft.states("generation_batch_size");
    let responses = draft.known_whole("num_generations").unwrap_or(OWN.responses).max(1);
    let update = micro.saturating_mul(steps).saturating_mul(ranks);
    if told || update.is_multiple_of(responses) {
        return [micro, steps, ranks];
    }
    draft.set("plan.micro_batch", responses);
    draft.note(
        0,
        format!("An update of {update} sequences is no whole number of prompts: Unsloth takes num_generations, {responses}, for a pass."),
    );
    [responses, steps, ranks]
}

/// The engine of each GPU.
fn generation(draft: &mut Draft, run: &Run, pending: u64) {
    let on = |name: &str| run.variable(name).is_some_and(|value| value != "0");
    let standby = on("UNSLOTH_VLLM_STANDBY") || draft.flag("unsloth_vllm_standby") == Some(true);
    draft.set("plan.rollout.engine", "vllm");
    for size in ["tensor_parallel", "data_parallel"] {
        draft.set(&format!("plan.rollout.{size}"), 1);
    }
    draft.set("plan.rollout.free_cache", standby);
    let (key, field) = ("gpu_memory_utilization", "plan.rollout.gpu_memory_utilization");
    if standby && !on("UNSLOTH_VLLM_STANDBY_UTIL_OVERRIDE") {
        let why = "With UNSLOTH_VLLM_STANDBY the share goes by the size of the card; UNSLOTH_VLLM_STANDBY_UTIL_OVERRIDE holds yours.";
        draft.assume(field, standby_share(draft), why);
    } else {
        match draft.number(key) {
            Some(share) => draft.set(field, share),
            None => draft.default(key, field, OWN.share),
        }
    }
    let eager = draft.flag("enforce_eager") == Some(true);
    draft.set("plan.rollout.enforce_eager", eager);
    if draft.flag("float8_kv_cache") == Some(true) {
        draft.set("plan.rollout.kv_cache_dtype", "fp8");
    }
    sequences(draft, pending);
}

/// The engine's share of the card that the caller names.
fn standby_share(draft: &Draft) -> f64 {
    let card = draft.base.and_then(|base| base.hardware.gpu.as_str()).and_then(catalog::gpu);
    let gib = card.map_or(f64::INFINITY, |card| card.memory_gib);
    let share = STANDBY
        .iter()
        .find(|(least, _)| gib >= *least)
        .map_or(STANDBY_ELSE, |(_, share)| *share);
    // To the thousandth, as its figures are.
    (share * 950.0).floor() / 1000.0
}

/// How many sequences are decoded together, and tokens of a step: Unsloth's own choice, by memory, where no key has them.
fn sequences(draft: &mut Draft, pending: u64) {
    let why = "Unsloth chooses by the memory that is free, from 8 to 256; set max_num_seqs to another number than 256.";
    match draft.count("max_num_seqs") {
        Some(most) => draft.set("plan.rollout.max_num_seqs", most),
        None => draft.assume("plan.rollout.max_num_seqs", pending.clamp(1, 128), why),
    }
    match draft.count("max_num_batched_tokens") {
        Some(tokens) => draft.set("plan.rollout.max_num_batched_tokens", tokens),
        None => {
            draft.assume("plan.rollout.max_num_batched_tokens", OWN.tokens, "Unsloth's for 24 GiB of cache or more.")
        }
    }
}
