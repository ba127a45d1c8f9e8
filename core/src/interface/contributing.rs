//! A run that somebody measured, as the row of published runs that it becomes: its log, its question, and where both can be read.

use serde::Serialize;

use shardwise_catalog::error::InputError;
use shardwise_catalog::model::resolve_model;
use shardwise_catalog::units::fixed;
use shardwise_frameworks::log::{Log, read_log};
use shardwise_question::task::Task;
use shardwise_question::wire::{Answer, Backend, Question};
use shardwise_search::calibration::{Measured, calibrate};
use shardwise_search::evaluate_alone;

/// Fewest steps behind the warm-up that a row is made of.
pub const LEAST_STEPS: usize = 10;

/// What neither log nor question says. The names of the fields are those of the command line's options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Address at which everybody can read the log.
    pub address: Option<String>,
    /// Day of the run, `2026-11-27`; `2026-11` where no more is known.
    pub date: Option<String>,
    /// Who measured it: runs of one are left out together where estimates are tested.
    pub by: Option<String>,
    /// The model's name, where the question gives its shape.
    pub model: Option<String>,
    /// The trainer, where the log is of another program: `axolotl`. Default: the log's.
    pub framework: Option<String>,
    /// What the question states and neither log nor script does, and where that is from.
    pub note: Option<String>,
    /// The row's name. Default: made of `by`.
    pub id: Option<String>,
}

/// A row, and the estimate beside it.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// The file that it belongs to, in a clone.
    pub file: &'static str,
    /// The row.
    pub row: Published,
    /// Steps that were counted, without the warm-up.
    pub steps: usize,
    /// What was measured beside what is estimated.
    pub compared: Vec<Compared>,
}

/// A figure of a run beside the estimate's.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Which.
    pub figure: Figure,
    /// Measured.
    pub measured: f64,
    /// Estimated.
    pub estimated: f64,
}

/// A figure of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Seconds of a step.
    Step,
    /// Tokens per second and GPU.
    Speed,
    /// Seconds of a phase, by an answer's name.
    Phase(&'static str),
    /// The allocator's peak in GiB.
    Peak,
}

/// A row of `core/tests/data/training.jsonl` or `rl.jsonl`, its keys in their order there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Published {
    /// Name of the row.
    pub id: String,
    /// The source in words.
    pub source: String,
    /// Where it can be read.
    pub source_url: String,
    /// Day of the run.
    pub date: String,
    /// Who published it; of training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The model's name; of training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The model's family; of training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// The trainer; of training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub framework: Option<String>,
    /// Whether the source states all that matters, which whoever reviews the row decides.
    pub headline: bool,
    /// Measured speed.
    pub tokens_per_s_per_gpu: f64,
    /// Measured seconds of generation; of RL, as the next three.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollout_s: Option<f64>,
    /// Measured seconds of the policy's training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_actor_s: Option<f64>,
    /// Measured seconds of the old policy's pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_log_prob_s: Option<f64>,
    /// Measured seconds of the new weights' way to the engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_sync_s: Option<f64>,
    /// Measured peak; of training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<f64>,
    /// What of memory was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_kind: Option<&'static str>,
    /// What the question states beside the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mended: Option<String>,
    /// The run's question, with the lengths of its log.
    pub question: Question,
}

impl Compared {
    /// The comparison as an English sentence.
    ///
    /// ```
    /// use shardwise_core::interface::{Compared, Figure};
    /// let step = Compared { figure: Figure::Step, measured: 10.0, estimated: 9.5 };
    /// assert_eq!(step.says(), "Step: measured 10.0 s, estimated 9.5 s (-5.0 %).");
    /// ```
    #[must_use]
    pub fn says(&self) -> String {
        let decimals = if self.measured < 10.0 { 2 } else { 1 };
        let off = 100.0 * (self.estimated / self.measured - 1.0);
        let off = format!("{}{}", if off > 0.0 { "+" } else { "" }, fixed(off, 1));
        let [measured, estimated] = [self.measured, self.estimated].map(|figure| fixed(figure, decimals));
        match self.figure {
            Figure::Step => format!("Step: measured {measured} s, estimated {estimated} s ({off} %)."),
            Figure::Speed => {
                format!(
                    "Speed: measured {measured} tokens/s per GPU, estimated {estimated} tokens/s per GPU ({off} %)."
                )
            }
            Figure::Phase(name) => format!("Phase {name}: measured {measured} s, estimated {estimated} s ({off} %)."),
            Figure::Peak => format!("Peak: measured {measured} GiB, estimated {estimated} GiB ({off} %)."),
        }
    }
}

/// The row of a run: what its log measured, beside the question of what was run.
///
/// # Errors
/// All that is missing or cannot be true, each by the field that it is about.
///
/// ```
/// use shardwise_core::{interface::{Origin, contributed}, wire::parse_question};
/// let question = parse_question(r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64},
///     "plan": {"backend": "fsdp", "micro_batch": 1, "zero_stage": 3, "recompute": "full"}}"#).unwrap();
/// let log: String = (1..=12)
///     .map(|step| format!(" iteration {step}/ 500 | elapsed time per iteration (ms): 6000.0 |\n"))
///     .collect();
/// let origin = Origin {
///     address: Some("https://example.org/runs/2026-11-20/train.log".into()),
///     date: Some("2026-11-20".into()),
///     by: Some("Example".into()),
///     ..Origin::default()
/// };
/// let row = contributed(&log, &question, &origin).unwrap().row;
/// assert_eq!(row.tokens_per_s_per_gpu, 5461.333);
/// let missing = contributed(&log, &question, &Origin::default()).unwrap_err();
/// assert_eq!(missing.iter().map(|error| error.field.as_str()).collect::<Vec<_>>(), ["address", "date", "by"]);
/// ```
pub fn contributed(text: &str, question: &Question, origin: &Origin) -> Result<Contribution, Vec<InputError>> {
    let mut wrong = Vec::new();
    wrong.extend(missing(origin, question));
    wrong.extend(unfit(question));
    let log = logged(text).map_err(|error| wrong.push(error)).ok();
    let Some(log) = log.filter(|_| wrong.is_empty()) else { return Err(wrong) };
    measured(&log, question, origin).map_err(|error| vec![error])
}

/// A log of enough steps, none of which went wrong.
fn logged(text: &str) -> Result<Log, InputError> {
    if let Some(line) = no_number(text) {
        let says = format!(
            "Line {line} has a figure that is no number: a run that went wrong says little of its speed. Give the log of one that went well, or its part before that."
        );
        return Err(InputError::new("log", says));
    }
    let log = read_log(text).map_err(|trouble| InputError::new("log", trouble.message))?;
    if log.steps < LEAST_STEPS {
        let says = format!(
            "{} steps behind the first, which warms up: a row is of {LEAST_STEPS} or more. Give a longer part of the log.",
            log.steps
        );
        return Err(InputError::new("log", says));
    }
    Ok(log)
}

/// Figures of which one that is no number means that the run went wrong. Norms of gradients are none of them: fp16 skips such steps.
const SOUND: [&str; 4] = ["loss", "timing", "time", "throughput"];

/// The first line where a loss or a time is no number.
fn no_number(text: &str) -> Option<usize> {
    let broken = |word: &str| ["nan", "inf", "+inf", "-inf", "infinity"].contains(&word.to_ascii_lowercase().as_str());
    let marks =
        |sign: char| matches!(sign, ':' | '=' | ',' | '{' | '}' | '|' | '(' | ')' | '"' | '\'') || sign.is_whitespace();
    let wrong = |line: &str| {
        let words: Vec<&str> = line.split(marks).filter(|word| !word.is_empty()).collect();
        words.windows(2).any(|pair| {
            let named = pair[0].to_ascii_lowercase();
            broken(pair[1]) && (SOUND.iter().any(|own| named.contains(own)) || named == "np.float64")
        })
    };
    text.lines().position(wrong).map(|place| place + 1)
}

/// What a row needs and nobody gave.
fn missing(origin: &Origin, question: &Question) -> Vec<InputError> {
    let mut wrong = Vec::new();
    match origin.address.as_deref().map(str::trim) {
        None | Some("") => wrong.push(InputError::new(
            "address",
            "Nobody can read this log yet. Put it where everybody can, and give its https address: a file in a repository at its commit, say.",
        )),
        Some(address) if !address.starts_with("https://") || address.contains(char::is_whitespace) => {
            wrong.push(InputError::new("address", "This is no address. Give one that begins with https://."));
        }
        Some(address) if moving(address) => wrong.push(InputError::new(
            "address",
            "What a branch holds changes. Give the address at a commit: on GitHub the key y makes it.",
        )),
        Some(_) => {}
    }
    match origin.date.as_deref() {
        None => wrong.push(InputError::new("date", "When it was run is not known. Give the day, as 2026-11-27.")),
        Some(date) if !is_date(date) => {
            wrong.push(InputError::new(
                "date",
                "This is no day. Write it as 2026-11-27, or 2026-11 where no more is known.",
            ));
        }
        Some(_) => {}
    }
    if origin.by.as_deref().is_none_or(|by| by.trim().len() < 2) {
        let says = "Who measured it is not known. Give a person's, a project's or a company's name.";
        wrong.push(InputError::new("by", says));
    }
    if origin.note.as_ref().is_some_and(|note| note.trim().len() < 20) {
        let says = "This is too short to be looked up. Say what the question states, and which page or file says so.";
        wrong.push(InputError::new("note", says));
    }
    if origin.model.is_none() && !question.model.is_string() {
        let says = "The question gives a shape and no name. Give the model's.";
        wrong.push(InputError::new("model", says));
    }
    wrong
}

/// Whether an address is that of a branch, which holds something else tomorrow.
///
/// ```
/// use shardwise_core::interface::moving;
/// assert!(moving("https://github.com/volcengine/verl/blob/main/README.md"));
/// assert!(!moving("https://github.com/volcengine/verl/blob/5bef0be64a3c0cb1ac7e2b43c5a7b2fc4ff4a5fb/README.md"));
/// ```
#[must_use]
pub fn moving(address: &str) -> bool {
    let host = ["github.com/", "githubusercontent.com/", "huggingface.co/"];
    let branch = ["HEAD", "main", "master", "refs"];
    host.iter().any(|host| address.contains(host)) && address.split('/').any(|part| branch.contains(&part))
}

/// `2026-11-27`, `2026-11`.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |text: &str, digits: usize| {
        let plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| text.parse::<u32>().ok()).flatten()
    };
    match parts.as_slice() {
        [year, month, rest @ ..] => {
            let [year, month] = [number(year, 4), number(month, 2)];
            let day = match rest {
                [] => true,
                [day] => number(day, 2).is_some_and(|day| (1..=31).contains(&day)),
                _ => false,
            };
            year.is_some_and(|year| (2017..2100).contains(&year))
                && month.is_some_and(|month| (1..=12).contains(&month))
                && day
        }
        _ => false,
    }
}

/// What no row can be made of.
fn unfit(question: &Question) -> Vec<InputError> {
    let mut wrong = Vec::new();
    if !matches!(question.workload.kind.task(), Task::Train | Task::Rl(_)) {
        let says = "Rows are of pre-training, fine-tuning and RL. Choose one of these, or open an issue with the log.";
        wrong.push(InputError::new("workload.kind", says));
    }
    if question.plan.as_ref().is_none_or(|plan| plan.backend.is_none()) {
        let says = "The question leaves the plan to the search, and the run had one. Paste the run's script beside its log, or let `shardwise read --json run.sh | jq .question` take it from the script, or pin each part of it on the page.";
        wrong.push(InputError::new("plan", says));
    }
    let hardware = &question.hardware;
    if hardware.offer.is_some() || hardware.market.is_some() {
        let field = if hardware.offer.is_some() { "hardware.offer" } else { "hardware.market" };
        let says = "An offer changes, and a row has to be estimated alike for years. Leave it out, and state the node and its network.";
        wrong.push(InputError::new(field, says));
    }
    wrong
}

/// The row and the comparison of what can be answered.
fn measured(log: &Log, question: &Question, origin: &Origin) -> Result<Contribution, InputError> {
    let reinforced = question.workload.rl.is_some();
    let question = asked(&log.applied(question));
    // A log's peak of RL counts what is only mapped, and its rows have none.
    let peak_gib = log.peak_gib.filter(|_| !reinforced);
    // It refuses what no card could do, and what is of another run.
    calibrate(&question, &Measured { peak_gib, ..log.measured() })?;
    let answer = evaluate_alone(&question)?.answer;
    let speed = answer.tokens_per_s_per_gpu * answer.step_time_s / log.step_time_s;
    let phase = |name: &str| log.phases.get(name).copied().filter(|_| reinforced).map(rounded);
    let [by, address] = [&origin.by, &origin.address].map(|own| own.as_deref().unwrap_or_default().trim().to_owned());
    let of = |own: String| Some(own).filter(|_| !reinforced);
    let (model, family) = named(&question, origin)?;
    let row = Published {
        id: origin.id.clone().unwrap_or_else(|| format!("{}-001", slug(&by))),
        source: format!("{by}: {}", address.trim_start_matches("https://")),
        source_url: address,
        date: origin.date.clone().unwrap_or_default(),
        group: of(by),
        model: of(model),
        family: of(family),
        framework: of(origin.framework.clone().unwrap_or_else(|| trainer(log, &question).to_owned())),
        headline: false,
        tokens_per_s_per_gpu: rounded(speed),
        rollout_s: phase("rollout"),
        update_actor_s: phase("update_actor"),
        old_log_prob_s: phase("old_log_prob"),
        weight_sync_s: phase("weight_sync"),
        memory_gib: peak_gib.map(rounded),
        memory_kind: peak_gib.map(|_| "peak_gib"),
        mended: origin.note.clone(),
        question: question.clone(),
    };
    let file = if reinforced { "core/tests/data/rl.jsonl" } else { "core/tests/data/training.jsonl" };
    Ok(Contribution { file, steps: log.steps, compared: compared(log, &answer, speed, peak_gib), row })
}

/// The question without what is not the run's: factors of a calibration, and prices.
fn asked(question: &Question) -> Question {
    let mut question = Question { calibration: None, ..question.clone() };
    question.hardware.usd_per_gpu_hour = None;
    if let Some(rl) = question.workload.rl.as_mut() {
        rl.mean_prompt_length = rl.mean_prompt_length.map(rounded);
        rl.mean_response_length = rl.mean_response_length.map(rounded);
    }
    question
}

fn compared(log: &Log, answer: &Answer, speed: f64, peak_gib: Option<f64>) -> Vec<Compared> {
    let step = Compared { figure: Figure::Step, measured: log.step_time_s, estimated: answer.step_time_s };
    let speed = Compared { figure: Figure::Speed, measured: speed, estimated: answer.tokens_per_s_per_gpu };
    let phases = answer.time.phases.iter().filter_map(|phase| {
        let measured = *log.phases.get(phase.name)?;
        Some(Compared { figure: Figure::Phase(phase.name), measured, estimated: phase.s })
    });
    let peak = peak_gib.map(|measured| Compared { figure: Figure::Peak, measured, estimated: answer.memory.peak_gib });
    [step, speed].into_iter().chain(phases).chain(peak).collect()
}

/// The model's name, and its family: what stands in front of the size.
fn named(question: &Question, origin: &Origin) -> Result<(String, String), InputError> {
    let resolved = resolve_model(&question.model, "model")?;
    let name = origin.model.clone().unwrap_or_else(|| resolved.name.to_string());
    let size = |word: &&str| !word.starts_with(|sign: char| sign.is_ascii_digit()) || word.len() == 1;
    let family: Vec<&str> = name.split([' ', '-']).take_while(size).collect();
    let family = if family.is_empty() { name.clone() } else { family.join(" ") };
    Ok((name, family))
}

/// The trainer by the names that the rows have.
fn trainer(log: &Log, question: &Question) -> &'static str {
    match log.framework {
        "Megatron-LM" => "megatron",
        "LLaMA-Factory" => "hf-trainer (LLaMA-Factory)",
        "veRL" => match question.plan.as_ref().and_then(|plan| plan.backend) {
            Some(Backend::Megatron) => "verl megatron",
            _ => "verl fsdp",
        },
        _ => "hf-trainer",
    }
}

fn rounded(figure: f64) -> f64 {
    (figure * 1e3).round() / 1e3
}

/// A name in small letters and digits.
fn slug(name: &str) -> String {
    let letters = name
        .chars()
        .map(|sign| if sign.is_ascii_alphanumeric() { sign.to_ascii_lowercase() } else { '-' });
    let words: String = letters.collect();
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "run".to_owned() } else { words.join("-") }
}
