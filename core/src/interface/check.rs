//! Whether a script that is about to be run fits, ends in time and is paid for: one decision, and what it stands on.

mod judged;

use serde::Serialize;
use serde_json::json;

use super::catalog::known_gpu;
use judged::{Judged, error};
use shardwise_catalog::error::InputError;
use shardwise_frameworks::read::{improve, read};
use shardwise_question::wire::{Answer, CheckOptions, Question, VERSION, question_from_value};

/// A script that was checked.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Checked {
    /// Interface version: 1.
    pub version: u32,
    /// The decision.
    pub verdict: Verdict,
    /// The decision for a person: a sentence each for memory, for time, and for what else was asked.
    pub says: Vec<Said>,
    /// What stands against it, errors first.
    pub findings: Vec<Finding>,
    /// The question that was asked; null where the texts ask none.
    pub question: Option<Question>,
    /// Its answer; null where it has none.
    pub answer: Option<Answer>,
}

/// A sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Said {
    /// The sentence.
    pub text: String,
}

/// What a check decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "CheckVerdict"))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It fits as surely as asked, and keeps every limit over the whole interval of its estimate.
    Fits,
    /// It fits rather than not, or keeps a limit by the estimate and not over the whole interval.
    Tight,
    /// Something that decides is not known: each such thing is a finding.
    Unknown,
    /// It does not fit, misses a limit, or its framework refuses it.
    Unfit,
}

/// What stands against a run, or what there is to know of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Finding {
    /// Stable identifier: a row of [`RULES`].
    pub rule: &'static str,
    /// Whether it decides, or may.
    pub level: Level,
    /// One or two sentences, with the remedy.
    pub text: String,
    /// Line of the text, from 1; 0 where no single line is meant.
    pub line: u32,
    /// Which of several texts, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<u32>,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "FindingLevel"))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The run should not be started like this.
    Error,
    /// It may go wrong.
    Warning,
    /// Good to know.
    Note,
}

/// Every rule with what it says in general.
pub const RULES: [(&str, &str); 17] = [
    ("unread", "The text is not read as that of a framework."),
    ("missing", "Something that no estimate goes without is not told."),
    ("no-estimate", "There is no estimate of the question that the text asks."),
    ("refused", "The framework refuses the text."),
    (OUT_OF_MEMORY, "It does not fit."),
    ("what-fits", "Settings with which it fits."),
    ("tight-memory", "It fits rather than not, and not as surely as asked."),
    ("deadline", "It takes longer than it may."),
    ("budget", "It costs more than it may."),
    ("cheaper-offer", "An offer on demand asks less than the catalog's price."),
    ("advice", "It runs, but badly."),
    ("assumed", "Something that decides whether it fits, and that the text does not say, is assumed."),
    ("doubt", "The verdict stands on something that may be otherwise."),
    ("unknown-key", "A setting is not known, and so not in the estimate."),
    ("not-modelled", "A setting that matters is not in the estimate."),
    ("another-run", "The estimate is of another run than the text asks for."),
    ("other-gpus", "The text is for another number of GPUs."),
];

/// The rule, and the advice, on a run that does not fit.
const OUT_OF_MEMORY: &str = "out-of-memory";

/// Checks the texts of one run.
///
/// # Errors
/// An option that is wrong: the field, and the remedy. A text that cannot be read is a finding.
///
/// ```
/// use shardwise_core::interface::{Verdict, check};
/// use shardwise_core::wire::CheckOptions;
/// let text = "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B data.train_batch_size=256 \\
///     actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 trainer.n_gpus_per_node=8 trainer.nnodes=1";
/// let on = |gpu: &str| CheckOptions { gpu: Some(gpu.into()), ..CheckOptions::default() };
/// assert_eq!(check(&[text], &on("h200-sxm")).unwrap().verdict, Verdict::Fits);
/// assert_eq!(check(&[text], &on("rtx-4090")).unwrap().verdict, Verdict::Unfit);
/// assert_eq!(check(&["ls"], &on("h200-sxm")).unwrap().verdict, Verdict::Unknown);
/// ```
pub fn check(texts: &[&str], options: &CheckOptions) -> Result<Checked, InputError> {
    valid(options)?;
    let base = base(options)?;
    let mut judged = Judged::default();
    let mut reading = match read(texts, Some(&base)) {
        Ok(reading) => reading,
        Err(trouble) => {
            let finding = Finding { line: trouble.line, ..error("unread", trouble.message) };
            judged.found(finding, Verdict::Unknown);
            return Ok(judged.done(None, None));
        }
    };
    judged.told(&mut reading, options);
    // What is missing says so itself, and what has no estimate.
    let asks = reading.missing.is_empty() && reading.asked().is_ok();
    let answer = asks.then(|| crate::estimate(&reading.question)).transpose();
    let answer = answer.unwrap_or_else(|refused| {
        judged.found(error("no-estimate", refused.to_string()), Verdict::Unknown);
        None
    });
    judged.text(&reading);
    judged.guesses(&reading, options);
    if let Some(answer) = answer.as_ref().filter(|_| reading.stands_in().next().is_some()) {
        judged.in_its_place(answer);
    } else if let Some(answer) = &answer {
        let unfit = !answer.fits;
        let improved = if unfit { improve(texts, Some(&base), &reading) } else { None };
        judged.memory(answer, improved.as_ref(), &reading);
        judged.limits(answer, &reading, options);
        judged.advice(&answer.advice);
    }
    Ok(judged.done(Some(reading.question), answer))
}

/// What the options say wrong.
fn valid(options: &CheckOptions) -> Result<(), InputError> {
    let limits = [
        ("deadline_h", options.deadline_h),
        ("budget_usd", options.budget_usd),
        ("usd_per_gpu_hour", options.usd_per_gpu_hour),
    ];
    for (name, limit) in limits {
        if limit.is_some_and(|limit| !limit.is_finite() || limit <= 0.0) {
            return Err(InputError::new(name, "Give a number above 0."));
        }
    }
    if options.confidence.is_some_and(|sure| !(0.5..=0.999).contains(&sure)) {
        return Err(InputError::new("confidence", "Give a probability from 0.5 to 0.999."));
    }
    for (name, count) in [("gpus", options.gpus), ("steps", options.steps)] {
        if count == Some(0) {
            return Err(InputError::new(name, "Give a number above 0."));
        }
    }
    if let Some(id) = options
        .offer
        .as_deref()
        .filter(|id| shardwise_catalog::catalog::offer(id).is_none())
    {
        let id: String = id.chars().take(80).collect();
        let says = format!("There is no offer {id:?} in the catalog. `shardwise catalog offers` lists all.");
        return Err(InputError::new("offer", says));
    }
    if options.offer.is_some() && options.usd_per_gpu_hour.is_some() {
        let says = "An offer has a price of its own. Give the offer or the price, not both.";
        return Err(InputError::new("usd_per_gpu_hour", says));
    }
    Ok(())
}

/// What answers where no text tells.
fn base(options: &CheckOptions) -> Result<Question, InputError> {
    // Without one the link in a text's head may say which.
    let gpu = options.gpu.as_deref().map(known_gpu).transpose()?;
    question_from_value(json!({
        "version": VERSION,
        "model": options.model,
        "hardware": {"gpu": gpu, "gpus": options.gpus},
        "workload": {"kind": "sft"},
    }))
}
