//! Where memory ran out: what a traceback, a log or a message of the kernel says of the phase and of what was asked for, beside what
//! the script's own estimate holds there, and what would help.
//!
//! Nothing is guessed that the text does not say: the lines that decided are given with the answer.

mod mends;
mod message;
mod script;
mod stack;
mod tables;

pub use mends::Mend;
pub use message::{Figures, Place};
pub use script::Estimated;

use serde::Serialize;
use shardwise_catalog::ordered;

use crate::read::{Note, Trouble, shown};
use message::{Sign, figures};
use shardwise_question::wire::{Question, VERSION};
use stack::{Frame, allocation, frame, phase};
use tables::Tables;

/// Frames that are looked at, those nearest to the message: a stack is some dozens deep.
const MOST_FRAMES: usize = 400;

/// Longest text, in bytes.
const MOST_BYTES: usize = 1 << 20;

/// What a text says of memory that ran out.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Diagnosis {
    /// Interface version: 1.
    pub version: u32,
    /// What ran out.
    pub place: Place,
    /// Whose program it is, by its files; null where none is known.
    pub framework: Option<String>,
    /// The phase: one of an answer's, or `start`, `save`; null where no line tells.
    pub phase: Option<String>,
    /// What memory was for: a part of an answer's memory; null where no line tells.
    pub allocation: Option<String>,
    /// The message's figures.
    pub figures: Figures,
    /// The lines that decided.
    pub evidence: Vec<Note>,
    /// What else they say, a sentence each.
    pub findings: Vec<String>,
    /// What the script's estimate holds, where a script is there.
    pub estimated: Option<Estimated>,
    /// What helps, the cheapest first.
    pub mends: Vec<Mend>,
}

/// Whether a text says that memory ran out.
///
/// ```
/// use shardwise_core::doctor::says_so;
/// assert!(says_so("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."));
/// assert!(!says_so("python3 -m verl.trainer.main_ppo trainer.nnodes=1"));
/// ```
#[must_use]
pub fn says_so(text: &str) -> bool {
    text.len() <= MOST_BYTES && (text.lines().any(|line| message::sign(line).is_some()) || Tables::of(text).says_so())
}

/// The texts among which [`diagnose`] finds a script, up to the stack where one has both; none where no script is there.
///
/// ```
/// use shardwise_core::doctor::scripts;
/// let both = "python3 -m verl.trainer.main_ppo trainer.nnodes=1
/// torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.";
/// assert_eq!(scripts(&[both]), ["python3 -m verl.trainer.main_ppo trainer.nnodes=1\n"]);
/// ```
#[must_use]
pub fn scripts<'a>(texts: &[&'a str]) -> Vec<&'a str> {
    script::stated(texts, None).map(|(own, _)| own).unwrap_or_default()
}

/// What texts say of memory that ran out; of those that say nothing of the kind, of what stands before
/// the stack, and of the overrides in hydra's message, the script is read.
///
/// # Errors
/// Where no text says that memory ran out.
///
/// ```
/// use shardwise_core::doctor::diagnose;
/// let text = "  File \"verl/workers/actor/dp_actor.py\", line 266, in _forward_micro_batch
///   File \"verl/workers/fsdp_workers.py\", line 782, in compute_log_prob
///   File \"verl/utils/torch_functional.py\", line 148, in entropy_from_logits
/// torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 13.91 GiB.";
/// let found = diagnose(&[text], None).unwrap();
/// assert_eq!((found.phase.as_deref(), found.allocation.as_deref()), (Some("old_log_prob"), Some("logits")));
/// assert_eq!(found.figures.asked_gib, Some(13.91));
/// ```
pub fn diagnose(texts: &[&str], base: Option<&Question>) -> Result<Diagnosis, Trouble> {
    if texts.iter().map(|text| text.len()).sum::<usize>() > MOST_BYTES {
        return Err(Trouble::new(0, "The text is longer than 1 MiB. Paste the traceback alone."));
    }
    let tables = Tables::of(&texts.join("\n"));
    let told = texts.iter().find_map(|log| Some((*log, Log::of(log)?)));
    let by_table = || texts.iter().find_map(|log| Some((*log, Log::of_table(log)?)));
    let Some((log, read)) = told.or_else(by_table) else {
        let says = if tables.is_empty() {
            "No line of this says that memory ran out. Paste the traceback with its last line."
        } else {
            "No card of this table is full, and nothing ran out. Paste the traceback, or the table while the run holds its memory."
        };
        return Err(Trouble::new(0, says));
    };
    let mut figures = figures(read.message);
    tables.fill(&mut figures);
    let framework = stack::framework(log);
    let (phase, allocation, evidence) = read.tells(framework);
    let script = script::read(texts, log, base);
    let (estimated, mut mends) = match &script {
        Some(reading) => script::beside(reading, phase, allocation, &figures),
        None => (None, Vec::new()),
    };
    let place = read.sign.place;
    if mends.is_empty() {
        mends = mends::known(place, allocation);
    }
    Ok(Diagnosis {
        version: VERSION,
        place,
        framework: framework.map(str::to_owned),
        phase: phase.map(str::to_owned),
        allocation: allocation.map(str::to_owned),
        findings: [findings(&figures), tables.findings()].concat(),
        figures,
        evidence,
        estimated,
        mends,
    })
}

/// A text with its message and its frames.
struct Log<'a> {
    /// The line that says best that memory ran out, its number, and what it says by its words.
    message: &'a str,
    number: u32,
    sign: &'static Sign,
    frames: Vec<Frame<'a>>,
}

impl<'a> Log<'a> {
    /// Nothing where no line says that memory ran out.
    fn of(text: &'a str) -> Option<Self> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut best: Option<(usize, &'static Sign, u32, &str)> = None;
        for (line, number) in text.lines().zip(1..) {
            match frame(line, number) {
                Some(own) => frames.push(own),
                // The line of code stands below its frame.
                None => {
                    if let Some(own) = frames.last_mut().filter(|own| own.line + 1 == number) {
                        own.calls_head = stack::calls_head(line);
                    }
                }
            }
            if let Some((rank, sign)) = message::sign(line)
                && best.is_none_or(|(known, ..)| rank < known)
            {
                best = Some((rank, sign, number, line));
            }
        }
        let (_, sign, number, message) = best?;
        Some(Self { message, number, sign, frames })
    }

    /// A table that says so by itself, without a message; nothing where it does not.
    fn of_table(text: &'a str) -> Option<Self> {
        let (message, number) = text.lines().zip(1..).find(|(line, _)| Tables::of(line).says_so())?;
        Some(Self { message, number, sign: message::TABLE, frames: Vec::new() })
    }

    /// The phase, the allocation, and the lines that decided.
    fn tells(&self, framework: Option<&str>) -> (Option<&'static str>, Option<&'static str>, Vec<Note>) {
        let Self { sign, number, frames, .. } = self;
        // A traceback ends with its message; what stands behind is another rank's, or a program's that waited for this one.
        let behind = frames.partition_point(|frame| frame.line <= *number);
        let (before, behind) = frames.split_at(behind);
        let before = before.get(before.len().saturating_sub(MOST_FRAMES)..).unwrap_or_default();
        let behind = behind.get(..behind.len().min(MOST_FRAMES)).unwrap_or_default();
        let on_device = sign.place == Place::Device;
        let by_phase = phase(before, behind).filter(|_| on_device && sign.phase.is_none());
        let by_allocation = allocation(before, behind).filter(|_| on_device && sign.allocation.is_none());
        let allocation = sign.allocation.or(by_allocation.as_ref().map(|(name, _)| *name));
        // A trainer computes a loss, and keeps what that takes, in a step.
        let steps = matches!(allocation, Some("logits" | "activations" | "gradients" | "optimizer"));
        let trains = (steps && !stack::serves(framework)).then_some("train");
        let phase = sign.phase.or(by_phase.as_ref().map(|(name, _)| *name)).or(trains);
        // What is loaded at the start are weights, where no call says more.
        let allocation = allocation.or((phase == Some("start")).then_some("parameters"));
        let mut evidence = vec![Note {
            line: *number,
            file: None,
            text: shown(self.message.trim()),
            decides: false,
            stands_in: false,
        }];
        for (_, frame) in [by_phase, by_allocation].into_iter().flatten() {
            evidence.push(Note {
                line: frame.line,
                file: None,
                text: shown(frame.shown),
                decides: false,
                stands_in: false,
            });
        }
        ordered::sort(&mut evidence, &|a, b| a.line.cmp(&b.line));
        evidence.dedup();
        (phase, allocation, evidence)
    }
}

impl Diagnosis {
    /// The diagnosis in sentences, the verdict first.
    #[must_use]
    pub fn says(&self) -> Vec<String> {
        let verdict = match self.place {
            Place::Device => "A GPU's memory ran out.",
            Place::Engine => "The engine's share of the GPU is too small for its KV cache.",
            Place::Host => "The node's memory ran out: the kernel or Ray killed a process.",
            Place::Shared => "Shared memory ran out (/dev/shm).",
        };
        let mut said = vec![verdict.to_owned()];
        let own = |name: &Option<String>| {
            name.as_deref()
                .filter(|name| *name != "host")
                .map(|name| name.replace('_', " "))
        };
        said.extend(own(&self.phase).map(|phase| format!("Phase: {phase}.")));
        said.extend(own(&self.allocation).map(|allocation| format!("Memory for: {allocation}.")));
        let Figures { asked_gib, capacity_gib, free_gib, .. } = self.figures;
        if let (Some(asked), Some(capacity), Some(free)) = (asked_gib, capacity_gib, free_gib) {
            said.push(format!("Asked for {asked:.1} GiB, where {free:.1} of {capacity:.1} GiB were free."));
        }
        if let Some(own) = &self.estimated {
            let (phase, reserved, capacity) = (own.phase.replace('_', " "), own.reserved_gib, own.capacity_gib);
            said.push(format!("The script's estimate: {reserved:.1} of {capacity:.1} GiB in {phase}."));
            said.extend(own.factor.map(|factor| {
                format!(
                    "The run held {factor:.2} times that: a change has to bring as much as was missing on this scale."
                )
            }));
        }
        said.extend(self.findings.iter().cloned());
        said
    }
}

/// What the figures say beside the phase.
fn findings(figures: &Figures) -> Vec<String> {
    let mut found = Vec::new();
    if let (Some(unused), Some(asked)) = (figures.unused_gib, figures.asked_gib)
        && unused >= asked
    {
        found.push(format!(
            "PyTorch held {unused:.1} GiB in pieces too small for the {asked:.1} GiB asked for: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True may be enough, and costs nothing."
        ));
    }
    if let Some(others) = figures.others_gib.filter(|others| *others >= 1.0) {
        found.push(format!(
            "Other processes held {others:.1} GiB of the card: an engine that has not given its memory back, or a run that was not stopped. See nvidia-smi."
        ));
    }
    if let (Some(capacity), Some(allocated), Some(free)) =
        (figures.capacity_gib, figures.allocated_gib, figures.free_gib)
    {
        let outside =
            capacity - allocated - free - figures.unused_gib.unwrap_or(0.0) - figures.others_gib.unwrap_or(0.0);
        if outside >= 0.15 * capacity && figures.others_gib.unwrap_or(0.0) < 1.0 {
            found.push(format!(
                "{outside:.1} GiB of the card were neither free nor PyTorch's: an engine in the same process, whose share gpu_memory_utilization sets, or NCCL's buffers."
            ));
        }
    }
    found
}
