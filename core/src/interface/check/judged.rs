//! A decision as it is made: what is found, and how much each finding decides.

use std::borrow::Cow;

use super::{Checked, Finding, Level, OUT_OF_MEMORY, Said, Verdict};
use shardwise_catalog::catalog::Offer;
use shardwise_catalog::units::{fixed, grouped};
use shardwise_engine::fit::{ENGINE, HOST};
use shardwise_engine::phase::Phase;
use shardwise_frameworks::read::{Assumed, Improved, OWN, Reading, Understood, Unknown};
use shardwise_question::market::{cheapest, is_unsaid};
use shardwise_question::wire::{
    Advice, Answer, CheckOptions, FitState, HardwareSpec, Question, RunSpec, Severity, VERSION,
};
use shardwise_search::caveats::PRICE_OF_OFFER;

/// Unknown settings that become findings of their own, and settings that are not modelled: a text may have hundreds.
const MOST_OF_A_KIND: usize = 5;

pub(super) fn error(rule: &'static str, text: impl Into<String>) -> Finding {
    Finding { rule, level: Level::Error, text: text.into(), line: 0, file: None }
}

fn warning(rule: &'static str, text: impl Into<String>) -> Finding {
    Finding { level: Level::Warning, ..error(rule, text) }
}

fn note(rule: &'static str, text: impl Into<String>) -> Finding {
    Finding { level: Level::Note, ..error(rule, text) }
}

/// Whether the caller says what the text leaves open.
fn is_told(field: &str, options: &CheckOptions) -> bool {
    match field {
        "hardware.gpu" => options.gpu.is_some(),
        "hardware.gpus" => options.gpus.is_some(),
        "model" => options.model.is_some(),
        _ => false,
    }
}

/// `field = value`; the field alone where the calculator finds the value.
fn setting(one: &Assumed) -> String {
    if one.value.is_empty() { one.field.clone() } else { format!("{} = {}", one.field, one.value) }
}

/// Leaves to an offer what each offer has of its own.
fn by_offer(hardware: &mut HardwareSpec) {
    (hardware.gpus_per_node, hardware.internode_gbit_per_s_per_gpu, hardware.host_ram_gib) = (None, None, None);
}

/// A decision as it is made.
pub(super) struct Judged {
    verdict: Verdict,
    says: Vec<String>,
    findings: Vec<Finding>,
    /// What decides whether it fits and is guessed, as `field = value`.
    guessed: Vec<String>,
}

impl Default for Judged {
    fn default() -> Self {
        Self { verdict: Verdict::Fits, says: Vec::new(), findings: Vec::new(), guessed: Vec::new() }
    }
}

impl Judged {
    pub(super) fn found(&mut self, finding: Finding, at_least: Verdict) {
        self.verdict = self.verdict.max(at_least);
        self.findings.push(finding);
    }

    /// Puts what the caller says into the question: it holds, whatever the text says.
    pub(super) fn told(&mut self, reading: &mut Reading, options: &CheckOptions) {
        let question = &mut reading.question;
        let hardware = &mut question.hardware;
        if let Some(gpus) = options.gpus {
            if let Some(own) = hardware.gpus.filter(|own| *own != gpus) {
                let says =
                    format!("The text is for {own} GPUs, and is checked on {gpus}. State the same in both places.");
                self.found(warning("other-gpus", says), Verdict::Fits);
            }
            hardware.gpus = Some(gpus);
            hardware.gpus_per_node = hardware.gpus_per_node.map(|node| node.min(gpus));
        }
        if let Some(offer) = &options.offer {
            hardware.offer = Some(offer.clone());
            by_offer(hardware);
            (hardware.usd_per_gpu_hour, hardware.market, hardware.owned) = (None, None, None);
        } else if options.usd_per_gpu_hour.is_some() {
            hardware.usd_per_gpu_hour = options.usd_per_gpu_hour;
            (hardware.offer, hardware.market, hardware.owned) = (None, None, None);
        }
        if options.confidence.is_some() {
            question.confidence = options.confidence;
        }
        if let Some(steps) = options.steps {
            let checkpoints = question.workload.run.and_then(|run| run.checkpoints);
            question.workload.run = Some(RunSpec { steps: Some(steps), checkpoints, ..RunSpec::default() });
            question.workload.tokens = None;
        }
    }

    /// What is wrong with the text by itself.
    pub(super) fn text(&mut self, reading: &Reading) {
        for one in &reading.missing {
            self.found(error("missing", one.why.clone()), Verdict::Unknown);
        }
        // Of an older release it is not known which one will run it.
        let older = reading.release.is_some();
        let renamed = reading.says_of_renamed();
        for one in reading.refused_alone() {
            let text = format!("{}: {}", one.key, one.why);
            let (finding, verdict) = match () {
                () if one.source == OWN => (error("no-estimate", text), Verdict::Unknown),
                () if older => (warning("refused", text), Verdict::Fits),
                () => (error("refused", text), Verdict::Unfit),
            };
            self.found(Finding { line: one.line, file: one.file, ..finding }, verdict);
        }
        if let Some(says) = renamed {
            let finding = if older { warning("refused", says) } else { error("refused", says) };
            self.found(finding, if older { Verdict::Fits } else { Verdict::Unfit });
        }
        for one in reading.stands_in() {
            let finding = error("another-run", one.text.clone());
            self.found(Finding { line: one.line, file: one.file, ..finding }, Verdict::Unknown);
        }
        for one in reading.doubts() {
            let finding = warning("doubt", one.text.clone());
            self.found(Finding { line: one.line, file: one.file, ..finding }, Verdict::Fits);
        }
        let mut unknown: Vec<&Unknown> = reading.unknown.iter().collect();
        unknown.sort_by_key(|one| !reading.may_decide().any(|own| own == *one));
        for one in unknown.into_iter().take(MOST_OF_A_KIND) {
            let text = if one.hint.is_empty() {
                format!("{} is not known, and so not in the estimate.", one.key)
            } else {
                format!("{} is not known: {}", one.key, one.hint)
            };
            let finding = if reading.may_decide().any(|own| own == one) { warning } else { note };
            self.found(Finding { line: one.line, file: one.file, ..finding("unknown-key", text) }, Verdict::Fits);
        }
        for one in reading.not_modelled.iter().take(MOST_OF_A_KIND) {
            let text = format!("{} = {}: {}", one.key, one.value, one.why);
            self.found(Finding { line: one.line, file: one.file, ..note("not-modelled", text) }, Verdict::Fits);
        }
    }

    /// What decides whether it fits and nobody said: the verdict is of that.
    pub(super) fn guesses(&mut self, reading: &Reading, options: &CheckOptions) {
        let mut guessed: Vec<&Assumed> = reading.guessed().filter(|one| !is_told(&one.field, options)).collect();
        guessed.dedup_by(|one, other| one.field == other.field);
        for one in &guessed {
            let (what, why) = (setting(one), &one.why);
            let text = match one.field.as_str() {
                "hardware.gpu" => format!("{what} is assumed, as no text names the GPU: give --gpu."),
                "hardware.gpus" => format!("{what} is assumed: {why} Give --gpus."),
                _ => format!("{what} is assumed: {why}"),
            };
            self.found(note("assumed", text), Verdict::Fits);
        }
        self.guessed = guessed.into_iter().map(setting).collect();
    }

    /// What the run takes that was estimated in the place of the text's own: a verdict on that is none on this.
    pub(super) fn in_its_place(&mut self, answer: &Answer) {
        let fit = &answer.fit;
        let [needed, there] = [fit.needed_gib, fit.capacity_gib].map(|gib| fixed(gib, 1));
        self.says.push(format!(
            "Not known: there is no estimate of what the text asks for. What is estimated in its place takes {needed} of {there} GiB."
        ));
    }

    pub(super) fn memory(&mut self, answer: &Answer, improved: Option<&Improved>, reading: &Reading) {
        let fit = &answer.fit;
        let phase = match fit.phase {
            ENGINE if reading.generates_itself => Phase::Rollout.name().to_owned(),
            ENGINE => "the engine's share of the card".to_owned(),
            HOST => "the host memory of a node".to_owned(),
            phase => phase.replace('_', " "),
        };
        let [needed, there] = [fit.needed_gib, fit.capacity_gib].map(|gib| fixed(gib, 1));
        let sure = percent(fit.probability);
        self.says.push(match fit.state {
            FitState::Fits => format!("It fits ({sure} sure): {needed} of {there} GiB in {phase}."),
            FitState::Tight => format!("It is tight ({sure} sure): {needed} of {there} GiB in {phase}."),
            FitState::Unlikely | FitState::No => {
                format!("It does not fit ({sure} sure that it does): {needed} of {there} GiB in {phase}.")
            }
        });
        if !self.guessed.is_empty() {
            self.says.push(format!("That assumes {}.", self.guessed.join(", ")));
        }
        self.says.extend(reading.left_out());
        self.says.push(format!("{} s a step.", figure(answer.step_time_s)));
        match fit.state {
            FitState::Fits => {}
            FitState::Tight => {
                let asked = percent(fit.confidence);
                let missing = fixed(fit.missing_gib(), 1);
                let text = format!(
                    "It fits with {sure}, where {asked} is asked: with {missing} GiB less in {phase} it is as sure as that."
                );
                let (line, file) = line_of(reading, &[]);
                self.found(Finding { line, file, ..warning("tight-memory", text) }, Verdict::Tight);
            }
            FitState::Unlikely | FitState::No => {
                let mut mend = None;
                let own = answer.advice.iter().find(|one| one.id == OUT_OF_MEMORY);
                let text = own.map_or_else(|| "It does not fit.".to_owned(), |own| own.text.clone());
                if let Some(own) = improved.filter(|own| own.answer.fits) {
                    let settings = last_of_each(own.changes.iter().flat_map(|one| &one.settings));
                    let cost = fixed(100.0 * (own.answer.tokens_per_s_per_gpu / answer.tokens_per_s_per_gpu - 1.0), 0);
                    mend = Some(format!("It fits with {settings} ({cost} % speed)."));
                }
                let fields: Vec<&str> = improved
                    .iter()
                    .flat_map(|own| &own.changes)
                    .map(|own| own.field.as_str())
                    .collect();
                let (line, file) = line_of(reading, &fields);
                self.found(Finding { line, file, ..error(OUT_OF_MEMORY, text) }, Verdict::Unfit);
                if let Some(text) = mend {
                    self.found(Finding { line, file, ..note("what-fits", text) }, Verdict::Unfit);
                }
            }
        }
    }

    /// Holds the run against the deadline and the budget.
    pub(super) fn limits(&mut self, answer: &Answer, reading: &Reading, options: &CheckOptions) {
        let hardware = &reading.question.hardware;
        if reading.generates_itself && (options.deadline_h.is_some() || options.budget_usd.is_some()) {
            let rule = if options.deadline_h.is_some() { "deadline" } else { "budget" };
            let says = "How long the trainer's own model takes to generate is not modelled, so that no limit can be checked. Set use_vllm.";
            self.found(error(rule, says), Verdict::Unknown);
            return;
        }
        let assumed = answer.run.is_none_or(|run| run.assumed);
        let (hours, usd) = (answer.run.map(|run| run.all_hours()), answer.run.map(|run| run.all_usd()));
        if (options.deadline_h.is_some() || options.budget_usd.is_some()) && assumed {
            let rule = if options.deadline_h.is_some() { "deadline" } else { "budget" };
            let says = "Nothing says how long the run is, so that no limit can be checked. Give --steps.";
            self.found(error(rule, says), Verdict::Unknown);
            return;
        }
        if !assumed && let Some(Some(hours)) = hours {
            self.says.push(format!("{} h in all.", figure(hours)));
        }
        if let Some(limit) = options.deadline_h {
            match hours.flatten() {
                Some(hours) => self.limit("deadline", "h", hours, limit, answer),
                None => self.found(error("deadline", "With its failures it would hardly ever end."), Verdict::Unfit),
            }
        }
        if let Some(limit) = options.budget_usd {
            match usd.flatten() {
                Some(usd) => {
                    self.pays(answer, hardware);
                    self.limit("budget", "$", usd, limit, answer);
                    self.bargain(answer, hardware);
                }
                None => {
                    let says = "No price on demand is known of such GPUs, so that nothing says what the run costs. Give --usd-per-gpu-hour or --offer.";
                    self.found(error("budget", says), Verdict::Unknown);
                }
            }
        } else if !assumed && let Some(Some(usd)) = usd {
            self.says.push(format!("${} in all.", dollars(usd)));
        }
    }

    /// Which price it is, and whose.
    fn pays(&mut self, answer: &Answer, hardware: &HardwareSpec) {
        if let Some(offer) = &answer.offer {
            let (instance, provider) = (&offer.instance, &offer.provider);
            self.says.push(format!(
                "{} x {instance} at {provider}: ${} an hour.",
                offer.instances,
                dollars(offer.usd_per_hour)
            ));
        } else if let Some(usd) = answer.usd_per_gpu_hour.filter(|_| is_unsaid(hardware)) {
            self.says
                .push(format!("${} by GPU and hour, the catalog's price.", dollars(usd)));
            let whose = answer.caveats.iter().find(|own| own.id == PRICE_OF_OFFER);
            self.says.extend(whose.map(|own| own.text.clone()));
        }
    }

    /// What the cheapest offer asks, where that is less than the catalog's price.
    fn bargain(&mut self, answer: &Answer, hardware: &HardwareSpec) {
        let usd = answer.usd_per_gpu_hour.filter(|_| is_unsaid(hardware));
        let gpus = hardware.gpus.and_then(|gpus| u32::try_from(gpus).ok());
        let offer = hardware.gpu.as_str().zip(gpus).and_then(|(gpu, gpus)| cheapest(gpu, gpus));
        let less = |offer: &Offer| usd.is_some_and(|usd| offer.usd_per_gpu_hour() < usd);
        if let Some(offer) = offer.filter(|offer| less(offer)) {
            let (asks, id) = (dollars(offer.usd_per_gpu_hour()), offer.id());
            let text = format!(
                "The cheapest offer on demand that holds it asks ${asks} by GPU and hour: check it with --offer {id}."
            );
            self.found(note("cheaper-offer", text), Verdict::Fits);
        }
    }

    fn limit(&mut self, rule: &'static str, unit: &str, own: f64, limit: f64, answer: &Answer) {
        let slow = answer.against_speed(own).map_or(own, |[_, slow]| slow);
        let [own_text, limit_text, slow_text] = [own, limit, slow].map(|value| match unit {
            "$" => format!("${}", dollars(value)),
            _ => format!("{} {unit}", figure(value)),
        });
        if rule == "budget" {
            self.says.push(format!("{own_text} of {limit_text}."));
        }
        if own > limit {
            let text = match rule {
                "budget" => format!("It costs {own_text}, and may cost {limit_text}."),
                _ => format!("It takes {own_text}, and may take {limit_text}."),
            };
            self.found(error(rule, text), Verdict::Unfit);
        } else if slow > limit {
            let text = match rule {
                "budget" => {
                    format!("It costs {own_text} of {limit_text} by the estimate, up to {slow_text} by its interval.")
                }
                _ => format!("It takes {own_text} of {limit_text} by the estimate, up to {slow_text} by its interval."),
            };
            self.found(warning(rule, text), Verdict::Tight);
        }
    }

    /// What is wrong with the plan beside its memory.
    pub(super) fn advice(&mut self, advice: &[Advice]) {
        for own in advice.iter().filter(|own| own.id != OUT_OF_MEMORY) {
            match own.severity {
                Severity::Error => self.found(error("advice", own.text.clone()), Verdict::Unfit),
                Severity::Warning => self.found(warning("advice", own.text.clone()), Verdict::Fits),
                Severity::Hint => {}
            }
        }
    }

    pub(super) fn done(mut self, question: Option<Question>, answer: Option<Answer>) -> Checked {
        self.findings.sort_by_key(|one| one.level);
        if self.says.is_empty() {
            self.says.push("Not known: what is missing is said below.".to_owned());
        }
        Checked {
            version: VERSION,
            verdict: self.verdict,
            says: self.says.into_iter().map(|text| Said { text }).collect(),
            findings: self.findings,
            question,
            answer,
        }
    }
}

/// The line of a text that a finding on memory is about, and which text: of the first setting that would mend it, else where the model
/// or anything is said.
fn line_of(reading: &Reading, fields: &[&str]) -> (u32, Option<u32>) {
    let told = || reading.understood.iter().filter(|one| one.line > 0);
    let first = |all: &mut dyn Iterator<Item = &Understood>| all.map(|one| (one.file, one.line)).min();
    let stated = |field: &str| first(&mut told().filter(|one| one.field.split(", ").any(|one| one == field)));
    let place = fields
        .iter()
        .find_map(|field| stated(field))
        .or_else(|| stated("model"))
        .or_else(|| first(&mut told()));
    place.map_or((0, None), |(file, line)| (line, file))
}

/// Settings as they are after all changes: of a key that several of them state, the last.
fn last_of_each<'a>(settings: impl Iterator<Item = &'a String>) -> String {
    let key = |setting: &'a str| {
        let mut words = setting.split(['=', ' ']);
        // `without KEY` takes one out.
        words.find(|word| *word != "without").unwrap_or_default()
    };
    let mut kept: Vec<&str> = Vec::new();
    for setting in settings {
        kept.retain(|own| key(own) != key(setting));
        kept.push(setting);
    }
    kept.join(" ")
}

fn percent(share: f64) -> Cow<'static, str> {
    match share {
        share if share > 0.995 => "over 99 %".into(),
        share if share < 0.005 => "under 1 %".into(),
        share => format!("{} %", fixed(100.0 * share, 0)).into(),
    }
}

fn figure(own: f64) -> String {
    if own < 1000.0 {
        fixed(own, if own < 10.0 { 2 } else { u8::from(own < 100.0) })
    } else {
        grouped(own.round() as u64)
    }
}

fn dollars(own: f64) -> String {
    if own < 100.0 { fixed(own, 2) } else { grouped(own.round() as u64) }
}
