//! The last step of a reading: what no text tells, the report of every stated key, and the framework's rules.

use std::collections::BTreeMap;

use super::values::{depends, unset};
use super::{Draft, resolve};
use crate::binding::{Found, Meaning, find, keys};
use crate::emit;
use crate::read::printable::short;
use crate::read::report::{Ignored, OWN, Outdated, Reading, Trouble, Understood, Unmodelled};
use crate::read::settings::Setting;
use crate::read::{link, nearest, value};
use shardwise_catalog::error::InputError;
use shardwise_question::framework::rl_logit_bytes;
use shardwise_question::job::Job;
use shardwise_question::plan::{MicroBatch, Plan};
use shardwise_question::wire::{self, Backend, Question};
use shardwise_question::{belonging, job};

/// Most refusals that are looked for.
const MOST_REFUSED: usize = 8;
/// One of so many settings must be known, or so many in all: below that the text is another program's.
const LEAST: (usize, usize) = (5, 8);

impl Draft<'_> {
    /// Sorts every stated key into the report, and checks the question by the framework's rules.
    pub(crate) fn finish(mut self, checked_as: Option<&str>) -> Result<Reading, Trouble> {
        self.hardware();
        self.lengths();
        self.calibration();
        self.something()?;
        self.sort();
        if let Some(base) = self.base.filter(|base| self.snippet && job::resolve(base).is_ok()) {
            self.lay_over(base);
        } else {
            self.take_link();
            self.half();
        }
        link::one_length(&mut self.root);
        let left_out = belonging::strip(&mut self.root);
        self.share_of_the_trainer();
        if !left_out.is_empty() {
            self.note(0, format!("Left out of the question, which has no use for it: {}.", left_out.join(", ")));
        }
        let question = wire::question_from_value(self.root.take())
            .map_err(|error| Trouble::new(0, format!("The text asks for what is no question. {error}")))?;
        let question = self.named_as_it_runs(question);
        match resolve(&question) {
            Ok((job, plan)) => {
                // What stands for another run is not what the framework is asked for.
                let own = checked_as.filter(|_| !self.notes.iter().any(|one| one.stands_in));
                if let Some(framework) = own.and_then(emit::framework) {
                    for error in framework.violations(&job, &plan) {
                        if self.overruled.contains(&error.field.as_str()) {
                            continue;
                        }
                        let (key, line) = self.stated_as(&error.field);
                        self.refuse_by(&key, &error.message, line, self.framework.source());
                    }
                }
            }
            Err(error) => self.refuse_each(&question, error),
        }
        let release = self.last_release(self.framework.releases()).map(str::to_owned);
        Ok(Reading {
            version: wire::VERSION,
            framework: self.framework,
            question,
            settings_alone: self.snippet,
            launched: self.launched > 0,
            generates_itself: self.generates_itself,
            trainer_alone: self.trainer_alone,
            missing: self.missing,
            outdated: self.outdated,
            lacking: self.lacking,
            release,
            understood: self.understood,
            assumed: self.assumed,
            ignored: self.ignored,
            not_modelled: self.not_modelled,
            unknown: self.unknown,
            refused: self.refused,
            notes: self.notes,
        })
    }

    /// The question with the framework, where that decides a figure: see [`ByName`]. Other questions of texts name none, so that the
    /// frameworks' plans are compared: those that are searched are then its own alone.
    fn named_as_it_runs(&mut self, question: Question) -> Question {
        let id = self.framework.id();
        let Some(framework) = emit::framework(id).filter(|_| question.framework.is_none()) else {
            return question;
        };
        let named = Question { framework: Some(id.to_owned()), ..question.clone() };
        let found = resolve(&named).ok();
        let why = found
            .as_ref()
            .and_then(|(job, plan)| ByName::of((&question, id), job, plan))
            // An older release is another framework than the one that would be named.
            .filter(|why| *why != ByName::Sums || self.last_release(self.framework.releases()).is_none());
        let (Some((job, plan)), Some(why)) = (found, why) else {
            return question;
        };
        let broken = framework.violations(&job, &plan);
        // What its texts have no word for is advice against a question that names it.
        if broken.iter().any(|own| own.field == "plan.rollout.precision") {
            return question;
        }
        let refusal = broken.into_iter().find(|own| !self.overruled.contains(&own.field.as_str()));
        let Some(refusal) = refusal else {
            return named;
        };
        let note = why.note(self.name(), &refusal.message);
        self.note(0, note);
        question
    }

    /// Notes why a question has no plan, and what else is wrong with what the text states: without a field that is wrong the next
    /// shows.
    fn refuse_each(&mut self, question: &Question, first: InputError) {
        let Ok(mut rest) = serde_json::to_value(question) else {
            return self.refuse_by(&first.field, &first.message, 0, OWN);
        };
        let mut next = Some(first);
        for turn in 0..MOST_REFUSED {
            let Some(error) = next.take() else {
                return;
            };
            let (key, line) = self.stated_as(&error.field);
            if turn > 0 && line == 0 {
                return;
            }
            // What is missing is said in its own place.
            if self.missing.iter().all(|one| one.field != error.field) {
                self.refuse_by(&key, &error.message, line, OWN);
            }
            wire::take(&mut rest, &error.field);
            let mended = wire::question_from_value(rest.clone()).ok();
            next = mended
                .and_then(|own| resolve(&own).err())
                .filter(|own| own.field != error.field);
        }
    }

    /// The key that states a field, as written, and its line; else the field.
    fn stated_as(&self, field: &str) -> (String, u32) {
        let states = |own: &&Understood| own.line > 0 && own.field.split([' ', ',']).any(|one| one == field);
        // A key that decides this field alone is more likely what was meant.
        let alone = self
            .understood
            .iter()
            .rev()
            .filter(states)
            .min_by_key(|own| own.field.split([' ', ',']).count());
        alone.map_or_else(|| (field.to_owned(), 0), |own| (own.key.clone(), own.line))
    }

    /// Refuses to make a question of a text that states none: too few of its settings are known, or none says what is run.
    fn something(&self) -> Result<(), Trouble> {
        let name = self.name();
        let all = self.stated.len() + self.unknown.len();
        let known = self.stated.iter().filter(|(_, found)| found.is_some()).count();
        let says = self.stated.iter().any(|(setting, found)| {
            let told = setting.open.is_none() || setting.value.contains('/');
            told && found.as_ref().is_some_and(|found| self.becomes_a_field(found))
        });
        if says && (known * LEAST.0 >= all || known >= LEAST.1) {
            return Ok(());
        }
        let remedy = match &self.named {
            Some(file) => format!("Paste {file}, which holds them, beside the command."),
            None => "Paste the command with its settings, and the files that it names.".to_owned(),
        };
        let opens = self
            .stated
            .iter()
            .filter_map(|(setting, found)| found.and(setting.open.as_deref()));
        let why = if let Some(open) = opens.clone().next().filter(|_| known * LEAST.0 >= all) {
            format!(
                "This looks like {name}, but what its settings are the text does not tell: {} of them depend on {}. {remedy}",
                opens.count(),
                unset(open)
            )
        } else if all == 0 {
            format!("This starts a trainer of {name}, but none of its settings is here. {remedy}")
        } else {
            let keys: Vec<&str> = self
                .stated
                .iter()
                .take(3)
                .map(|(setting, _)| setting.written.as_str())
                .collect();
            let keys = keys.join(", ");
            format!(
                "This looks like {name}, but too few of its {all} settings are known to make a question of them ({keys}). {remedy}"
            )
        };
        Err(Trouble::new(self.launched, why))
    }

    /// Whether a key says something of the question, under its newer name too.
    fn becomes_a_field(&self, found: &Found) -> bool {
        match found.meaning {
            Meaning::Renamed(to, _) => find(self.sections, to).is_some_and(|found| found.fields().is_some()),
            _ => found.fields().is_some(),
        }
    }

    fn sort(&mut self) {
        // Enough for any script; a text of nothing but unknown keys stays quick.
        let mut hints = 64usize;
        let stated = std::mem::take(&mut self.stated);
        let mut last: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, (setting, _)) in stated.iter().enumerate() {
            last.insert(&setting.key, at);
        }
        for (at, (setting, found)) in stated.iter().enumerate() {
            let Setting { key, written, value, line, .. } = setting;
            if found.is_some() && last.get(key.as_str()).is_some_and(|last| *last != at) {
                self.ignored.push(Ignored {
                    key: short(written),
                    value: short(value),
                    why: "stated again further down, where it holds".to_owned(),
                    line: *line,
                    file: None,
                });
                continue;
            }
            if self.troubled.contains(key) {
                continue;
            }
            let fields = found.and_then(|found| found.fields());
            // A value that nothing asked for is as open as one that was.
            if let Some(open) = &setting.open
                && fields.is_some()
                && !value.contains('/')
            {
                self.unread(written, depends(open), *line);
                continue;
            }
            if let Some(field) = fields {
                let (key, value) = (short(written), short(value));
                self.understood.push(Understood { key, value, field, line: *line, file: None });
                continue;
            }
            self.no_field(setting, found.map(|found| found.meaning), &mut hints);
        }
    }

    /// Sorts a key that becomes no field; `hints` are further unknown ones that are looked up.
    fn no_field(&mut self, setting: &Setting, meaning: Option<Meaning>, hints: &mut usize) {
        let Setting { key, written, value, line, .. } = setting;
        let (key_shown, value) = (short(written), short(value));
        match meaning {
            Some(Meaning::Ignored(why)) => {
                self.ignored
                    .push(Ignored { key: key_shown, value, why: why.to_owned(), line: *line, file: None })
            }
            Some(Meaning::IfOn(_)) if off(&value) => {
                self.ignored.push(Ignored {
                    key: key_shown,
                    value,
                    why: "switched off".to_owned(),
                    line: *line,
                    file: None,
                });
            }
            Some(Meaning::Unmodelled(why) | Meaning::IfOn(why)) => self.not_modelled.push(Unmodelled {
                key: key_shown,
                value,
                why: why.to_owned(),
                line: *line,
                file: None,
            }),
            Some(Meaning::Removed(since, why)) => {
                self.outdated.push(Outdated { key: written.clone(), now: None, line: *line });
                self.refuse(written, format!("Removed in {since}: {why}"), *line);
            }
            // The one was said when it was stated, the others are understood.
            Some(Meaning::Renamed(..) | Meaning::Field(_) | Meaning::Plan(_) | Meaning::Taken(..)) => {}
            None => {
                let near = (*hints > 0).then(|| nearest::nearest(key, keys(self.sections))).flatten();
                *hints = hints.saturating_sub(1);
                let hint = near.map(|key| format!("Did you mean {key}?")).unwrap_or_default();
                self.unread(written, hint, *line);
            }
        }
    }
}

/// Whether a value switches off what it is the value of.
fn off(text: &str) -> bool {
    value::is_null(text) || value::truth(text) == Some(false) || value::number(text) == Some(0.0)
}

/// What a framework does that decides a figure, so that a question of its text has to name it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByName {
    /// It puts the reference in the policy's place.
    Swaps,
    /// It says how long padded responses are.
    Pads,
    /// Its logits have other bytes.
    Logits,
    /// Its adapters take another time.
    Adapts,
    /// Its adapters copy their inputs.
    Copies,
    /// It keeps gradients whole until a step's last micro-batch.
    Sums,
}

impl ByName {
    /// The first that holds of a question, whose job and plan with the framework of that identifier named are these.
    fn of((question, id): (&Question, &str), job: &Job, plan: &Plan) -> Option<Self> {
        let (layout, gpus) = (&plan.layout, job.hardware.gpus);
        let adapts = job.workload.lora.is_some();
        let logits = |framework| rl_logit_bytes(framework, layout.backend, job.workload.packing);
        // Nobody's are known as well as those that are looked for.
        let copies = || {
            let own = job.adapters().copy_inputs(true, layout, gpus);
            resolve(question).is_ok_and(|(job, _)| job.adapters().copy_inputs(false, layout, gpus) != own)
        };
        let in_a_pass = match layout.micro_batch {
            MicroBatch::Sequences(own) => own * u64::from(layout.data_parallel(gpus)),
            MicroBatch::Tokens(_) => 1,
        };
        let accumulates = layout.pipeline_parallel == 1 && job.workload.global_batch > in_a_pass;
        let sums = layout.backend == Backend::Fsdp && accumulates && !layout.sync_each_batch;
        Some(match () {
            () if job.swaps_reference() => Self::Swaps,
            () if job.pads_responses() => Self::Pads,
            () if job.workload.rl.is_some() && logits(Some(id)) != logits(None) => Self::Logits,
            () if adapts && job.adapters().are_others(layout.backend) => Self::Adapts,
            () if adapts && copies() => Self::Copies,
            () if !adapts && sums => Self::Sums,
            () => return None,
        })
    }

    /// Why figures are another run's where the question cannot name the framework called `name`.
    fn note(self, name: &str, message: &str) -> String {
        match self {
            Self::Swaps => format!(
                "The reference is counted beside the policy, in whose place {name} puts it: the question cannot name {name}, of which Shardwise knows no such run. {message}"
            ),
            Self::Pads => format!(
                "Responses are counted as padded to the longest that may be, and {name} pads them to the longest of a generation: the question cannot name {name}, of which Shardwise knows no such run. {message}"
            ),
            Self::Logits => format!(
                "Logits are counted as veRL's, and {name} makes more of them: the question cannot name {name}, of which Shardwise knows no such run. {message}"
            ),
            Self::Adapts => format!(
                "Adapters are timed as those of the runs that are known, and {name} has others: the question cannot name {name}, of which Shardwise knows no such run. {message}"
            ),
            Self::Copies => format!(
                "Adapters are counted as if they read their inputs as they are, and {name}'s copy them first: the question cannot name {name}, of which Shardwise knows no such run. {message}"
            ),
            Self::Sums => format!(
                "Gradients are counted as reduced after each micro-batch, and {name} keeps them whole until the last: the question cannot name {name}, of which Shardwise knows no such run. {message}"
            ),
        }
    }
}
