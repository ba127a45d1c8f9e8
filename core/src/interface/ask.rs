//! Text in, text out: a question and its options as JSON, and the line that the command line writes.

use super::{
    Unread, calibrated, check, doctor, explanations, flags, line, linked, read, refused, rows, search, sorted,
};
use shardwise_catalog::encoding::MARK;
use shardwise_catalog::error::InputError;
use shardwise_frameworks::log::read_log;
use shardwise_question::permalink;
use shardwise_question::wire::{
    CalibrateOptions, CheckOptions, Document, EstimateOptions, ExplainOptions, FlagsOptions, Language, Question,
    ReadOptions, SearchOptions, SensitivityOptions, VERSION, parse_options, parse_question, table_of,
};
use shardwise_search::calibration::Measured;
use shardwise_search::estimate::Evaluated;

/// What is asked about a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Its answer, with [`EstimateOptions`].
    Estimate,
    /// Its best plans or offers, with [`SearchOptions`].
    Search,
    /// Texts to paste, with [`FlagsOptions`].
    Flags,
}

/// The document of a question as one line; of a refused one, the line that says why. Without options: an empty text.
///
/// ```
/// use shardwise_core::interface::{Function, ask};
/// let line = ask(Function::Estimate, r#"{"version": 2}"#, "");
/// assert!(line.starts_with(r#"{"version":1,"error":{"field":"#), "{line}");
/// ```
#[must_use]
pub fn ask(function: Function, question: &str, options: &str) -> String {
    tried(function, question, options).unwrap_or_else(|refused| refused)
}

/// [`ask`], for callers that keep apart what is refused.
///
/// # Errors
/// The line of a question or of options that are refused.
///
/// ```
/// use shardwise_core::interface::{Function, ask, tried};
/// let refused = tried(Function::Estimate, "{}", "");
/// assert_eq!(refused, Err(ask(Function::Estimate, "{}", "")));
/// ```
pub fn tried(function: Function, question: &str, options: &str) -> Result<String, String> {
    match function {
        Function::Estimate => chosen(options, |options: &EstimateOptions| {
            let lang = options.lang.unwrap_or_default();
            answered(question, lang, |question| estimate_line(question, crate::evaluate_alone(question)?, options))
        }),
        Function::Search => chosen(options, |options: &SearchOptions| {
            let lang = options.lang.unwrap_or_default();
            answered(question, lang, |question| search(question, options))
        }),
        Function::Flags => chosen(options, |options: &FlagsOptions| {
            let lang = options.lang.unwrap_or_default();
            // What they say is said in the language already; the texts are no sentences.
            answered(question, lang, |question| line(&flags(question, options)?, Language::En))
        }),
    }
}

/// An estimate as one line.
fn estimate_line(question: &Question, mut found: Evaluated, options: &EstimateOptions) -> Result<String, InputError> {
    if options.advice.unwrap_or(true) {
        found.answer.advice = crate::advise(question, &found);
    }
    line(&found.answer, options.lang.unwrap_or_default())
}

/// Estimates a question, for callers that look at some of many answers. The line of one whose plan had to be searched for;
/// none where the question states its plan: its step is estimated, by which it is not refused, and [`tried`] does so once more
/// and writes the answer, most of which is advice and text.
///
/// # Errors
/// As [`tried`].
///
/// ```
/// use shardwise_core::interface::{Function, estimated, tried};
/// let plan = r#""plan": {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
///     "micro_batch": 1, "recompute": "full"}"#;
/// let question = |plan: &str| format!(r#"{{"version": 1, "model": "qwen3-8b", "hardware": {{"gpu": "h100-sxm", "gpus": 8}},
///     "workload": {{"kind": "sft", "sequence_length": 4096, "global_batch": 64}}, {plan}}}"#);
/// assert_eq!(estimated(&question(plan), ""), Ok(None));
/// let open = question(r#""plan": {"backend": "fsdp"}"#);
/// assert_eq!(estimated(&open, ""), tried(Function::Estimate, &open, "").map(Some));
/// assert_eq!(estimated("{}", ""), tried(Function::Estimate, "{}", "").map(Some));
/// ```
pub fn estimated(question: &str, options: &str) -> Result<Option<String>, String> {
    chosen(options, |options: &EstimateOptions| {
        answered(question, options.lang.unwrap_or_default(), |question| {
            let found = crate::evaluate_open(question)?;
            found.map(|found| estimate_line(question, found, options)).transpose()
        })
    })
}

/// The document of what each single change of a question's plan is worth, with [`SensitivityOptions`].
///
/// ```
/// use shardwise_core::interface::ask_sensitivity;
/// assert!(ask_sensitivity("{}", "").starts_with(r#"{"version":1,"error":{"field":"version""#));
/// ```
#[must_use]
pub fn ask_sensitivity(question: &str, options: &str) -> String {
    with(options, |options: &SensitivityOptions| {
        let lang = options.lang.unwrap_or_default();
        answered(question, lang, |question| line(&crate::sensitivity(question)?, lang))
    })
}

/// The document of how figures of a question's answer come about, with [`ExplainOptions`].
///
/// ```
/// use shardwise_core::interface::ask_explanations;
/// let question = r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#;
/// let line = ask_explanations(question, r#"{"figure": ["mfu"]}"#);
/// assert!(line.starts_with(r#"{"explanations":[{"#), "{line}");
/// ```
#[must_use]
pub fn ask_explanations(question: &str, options: &str) -> String {
    with(options, |options: &ExplainOptions| {
        let lang = options.lang.unwrap_or_default();
        let figures = options.figure.as_deref().unwrap_or_default();
        answered(question, lang, |question| explanations(question, figures, lang))
    })
}

/// The document of a question and its link, with what is usual filled in where `usual` says so. A text that is no JSON is a
/// copied link.
///
/// ```
/// use shardwise_core::interface::ask_link;
/// let question = r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm"}, "workload": {"kind": "sft"}}"#;
/// assert!(ask_link(question, false).contains("&workload.kind=sft&z=1"));
/// let filled = ask_link("https://a.example/#v=1&model=qwen3-8b&hardware.gpu=h100-sxm&workload.kind=sft&z=1", true);
/// assert!(filled.contains("&workload.global_batch=64"));
/// ```
#[must_use]
pub fn ask_link(question: &str, usual: bool) -> String {
    let written = |question: &Question| line(&linked(question, usual)?, Language::En);
    let line = match question.trim_start_matches(MARK).trim().split_once('#') {
        Some((page, hash)) if !page.starts_with(['{', '[', '"']) => permalink::open(hash)
            .and_then(|(question, _)| written(&question))
            .map_err(|error| refused(error, Language::En)),
        _ => answered(question, Language::En, written),
    };
    line.unwrap_or_else(|refused| refused)
}

/// The document of a run beside its estimate, with [`CalibrateOptions`]: the line that says why where its log cannot be
/// read.
///
/// ```
/// use shardwise_core::interface::ask_calibration;
/// assert!(ask_calibration("{}", r#"{"log": "ls"}"#).starts_with(r#"{"version":1,"error":{"line":0,"message":"#));
/// ```
#[must_use]
pub fn ask_calibration(question: &str, options: &str) -> String {
    with(options, |options: &CalibrateOptions| {
        let &CalibrateOptions { forward_s, backward_s, step_time_s, peak_gib, ref log, lang } = options;
        let lang = lang.unwrap_or_default();
        let log = log.as_deref().map(read_log).transpose().map_err(|error| {
            let unread = Unread { version: VERSION, error };
            line(&unread, lang).unwrap_or_else(|error| refused(error, lang))
        })?;
        let measured = Measured { forward_s, backward_s, step_time_s, peak_gib };
        answered(question, lang, |question| sorted(&calibrated(question, measured, log.as_ref())?, lang))
    })
}

/// The document of what texts say of memory that ran out, with [`ReadOptions`].
///
/// ```
/// use shardwise_core::interface::diagnose_texts;
/// let text = "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`.";
/// assert!(diagnose_texts(&[text], "").contains(r#""place":"engine""#));
/// ```
#[must_use]
pub fn diagnose_texts(texts: &[&str], options: &str) -> String {
    with(options, |options: &ReadOptions| doctor(texts, options))
}

/// The document of a check of the texts of one run, with [`CheckOptions`].
///
/// ```
/// use shardwise_core::interface::check_texts;
/// let text = "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B trainer.n_gpus_per_node=8";
/// assert!(check_texts(&[text], r#"{"gpu": "h200-sxm"}"#).contains(r#""verdict":"fits""#));
/// assert!(check_texts(&[text], r#"{"gpu": "h1000"}"#).contains(r#""error":{"field":"gpu""#));
/// ```
#[must_use]
pub fn check_texts(texts: &[&str], options: &str) -> String {
    with(options, |options: &CheckOptions| {
        let lang = options.lang.unwrap_or_default();
        check(texts, options)
            .and_then(|checked| sorted(&checked, lang))
            .map_err(|error| refused(error, lang))
    })
}

/// The document of the texts of one run, with [`ReadOptions`].
///
/// ```
/// use shardwise_core::interface::read_texts;
/// let text = "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B trainer.n_gpus_per_node=8";
/// let line = read_texts(&[text], r#"{"gpu": "a100-sxm-80g"}"#);
/// assert!(line.contains(r#""model":"qwen3-8b","hardware":{"gpu":"a100-sxm-80g","gpus":8"#), "{line}");
/// ```
#[must_use]
pub fn read_texts(texts: &[&str], options: &str) -> String {
    with(options, |options: &ReadOptions| read(texts, options))
}

/// The rows of a table of the catalog, one a line.
///
/// ```
/// use shardwise_core::{catalog, interface::look_up};
/// assert_eq!(look_up("gpus").lines().count(), catalog::gpus().len());
/// assert!(look_up("cards").starts_with(r#"{"version":1,"error":{"field":"table""#));
/// ```
#[must_use]
pub fn look_up(table: &str) -> String {
    let written = table_of(table).and_then(|table| {
        let rows = rows(table);
        let lines: Result<Vec<String>, InputError> = rows.iter().map(|row| line(row, Language::En)).collect();
        Ok(lines?.join("\n"))
    });
    written.unwrap_or_else(|error| refused(error, Language::En))
}

/// What `answer` makes of a question that is given as text.
///
/// # Errors
/// The line of a refused question.
///
/// ```
/// use shardwise_core::{estimate, interface::answered, wire::Language};
/// let refused = answered(r#"{"version": 2}"#, Language::En, |question| Ok(estimate(question)?.fits.to_string()));
/// assert!(refused.unwrap_err().contains(r#""error":{"field":"model""#));
/// ```
pub fn answered<T>(
    question: &str,
    lang: Language,
    answer: impl FnOnce(&Question) -> Result<T, InputError>,
) -> Result<T, String> {
    let answer = parse_question(question).and_then(|question| answer(&question));
    answer.map_err(|error| refused(error, lang))
}

fn with<T: Document>(options: &str, answer: impl FnOnce(&T) -> Result<String, String>) -> String {
    chosen(options, answer).unwrap_or_else(|refused| refused)
}

/// What `answer` makes of options that are given as text, or the line that refuses them.
fn chosen<T: Document, A>(options: &str, answer: impl FnOnce(&T) -> Result<A, String>) -> Result<A, String> {
    let options = parse_options(options).map_err(|error| refused(error, Language::En))?;
    answer(&options)
}
