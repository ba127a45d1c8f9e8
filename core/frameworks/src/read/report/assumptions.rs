//! What a reading assumed, by how much it matters.

use super::{Assumed, Note, Reading, Refused, Unknown};
use shardwise_catalog::ordered;

impl Reading {
    /// What is guessed and decides whether a run fits: what is trained, on what, how long the sequences are, how the states are split.
    pub fn guessed(&self) -> impl Iterator<Item = &Assumed> {
        self.assumed.iter().filter(|one| one.guessed && DECISIVE.contains(&&*one.field))
    }

    /// What the verdict stands on and may be otherwise, beside what is guessed.
    pub fn doubts(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|one| one.decides && !one.stands_in)
    }

    /// Why the estimate is of another run than the text asks for, where it is: whether the text's own fits is not known.
    pub fn stands_in(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|one| one.stands_in)
    }

    /// Unknown settings whose names say that they may decide memory: of the base's bits, adapters, attention, lengths, recomputation
    /// and what is moved or sharded.
    pub fn may_decide(&self) -> impl Iterator<Item = &Unknown> {
        self.unknown.iter().filter(|one| may_decide(&one.key))
    }

    /// Settings that were renamed since, each with its name now.
    pub fn renamed(&self) -> impl Iterator<Item = (&str, &str)> {
        self.outdated
            .iter()
            .filter_map(|one| Some((one.key.as_str(), one.now.as_deref()?)))
    }

    /// What of a text is not read and may decide whether it fits, in one sentence.
    #[must_use]
    pub fn left_out(&self) -> Option<String> {
        let (keys, more) = named(self.may_decide().map(|one| one.key.as_str()));
        (!keys.is_empty()).then(|| match more {
            0 => format!("Not read, and by their names they may decide it: {keys}."),
            _ => format!("Not read, and by their names they may decide it: {keys} and {more} more."),
        })
    }

    /// What was renamed since a text was written, in one sentence where that is much.
    #[must_use]
    pub fn says_of_renamed(&self) -> Option<String> {
        let count = self.renamed().count();
        let (keys, more) = named(self.renamed().map(|(key, _)| key));
        (count >= TOGETHER).then(|| match more {
            0 => format!("{count} settings were renamed since and are read by their names of today: {keys}."),
            _ => format!(
                "{count} settings were renamed since and are read by their names of today: {keys} and {more} more."
            ),
        })
    }

    /// What is refused, each by itself: without the renamed settings where [`Self::says_of_renamed`] says them together.
    pub fn refused_alone(&self) -> impl Iterator<Item = &Refused> {
        let together = self.says_of_renamed().is_some();
        self.refused.iter().filter(move |one| !(together && one.renamed))
    }

    /// What is assumed that moves an answer most, at most `count`: the GPU and how many, the model, lengths, batches.
    #[must_use]
    pub fn matters(&self, count: usize) -> Vec<&Assumed> {
        let mut found: Vec<(usize, &Assumed)> = self
            .assumed
            .iter()
            .filter_map(|one| {
                let at = MATTERS.iter().position(|field| one.field.starts_with(field))?;
                Some((at, one))
            })
            .collect();
        ordered::sort(&mut found, &|(a, _), (b, _)| a.cmp(b));
        found.into_iter().take(count).map(|(_, one)| one).collect()
    }
}

/// Fewest renamed settings that are said together.
const TOGETHER: usize = 3;

/// Most settings that a sentence names.
const NAMED: usize = 5;

/// The first of some settings, and how many more there are.
fn named<'a>(keys: impl Iterator<Item = &'a str>) -> (String, usize) {
    let keys: Vec<&str> = keys.collect();
    let names = keys.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    (names, keys.len().saturating_sub(NAMED))
}

/// Words of settings that may decide memory.
const OF_MEMORY: &[&str] = &[
    "4bit",
    "8bit",
    "4bits",
    "8bits",
    "int4",
    "int8",
    "bits",
    "nf4",
    "qlora",
    "quant",
    "quantize",
    "quantized",
    "quantization",
    "lora",
    "peft",
    "adapter",
    "adapters",
    "flash",
    "attn",
    "attention",
    "xformers",
    "sdpa",
    "checkpointing",
    "recompute",
    "recomputation",
    "offload",
    "offloading",
    "shard",
    "sharding",
    "fsdp",
    "zero",
    "liger",
    "unsloth",
    "cutoff",
    "packing",
];

/// Words of settings that state a length of sequences, beside one that says that it is the most.
const OF_LENGTH: [&str; 4] = ["len", "length", "seq", "tokens"];

fn may_decide(key: &str) -> bool {
    let words: Vec<String> = key
        .to_ascii_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .map(str::to_owned)
        .collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    // `save_checkpointing_steps`, `eval_max_length` and the like are of other passes.
    if has(&["save", "eval", "test", "log", "logging"]) {
        return false;
    }
    has(OF_MEMORY) || has(&OF_LENGTH) && has(&["max", "model", "context", "sequence", "seq", "block"])
}

/// Fields that move memory by themselves: a guess of one is a guess of whether it fits.
const DECISIVE: &[&str] = &[
    "model",
    "hardware.gpu",
    "hardware.gpus",
    "workload.kind",
    "workload.precision",
    "workload.sequence_length",
    "workload.rl.max_prompt_length",
    "workload.rl.max_response_length",
    "workload.rl.critic",
    "workload.distillation.teacher",
    "plan.backend",
    "plan.zero_stage",
];

/// Fields by how much a wrong one moves an answer.
const MATTERS: &[&str] = &[
    "model",
    "hardware.gpus",
    "hardware.gpu",
    "workload.rl.mean_response_length",
    "workload.sequence_length",
    "workload.kind",
    "workload.rl.max_response_length",
    "workload.rl.prompts_per_step",
    "workload.global_batch",
    "workload.rl.oversampling",
    "plan.backend",
    "workload.rl.responses_per_prompt",
    "plan.micro_batch",
    "workload.rl.mean_prompt_length",
    "workload",
    "plan",
];
