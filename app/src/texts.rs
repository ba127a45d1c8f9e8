//! The texts of a framework for a question, as its tab shows them.

use shardwise_core::emit::{self, Emission, Framework, Snippet};
use shardwise_core::wire::{PlanSpec, RolloutPlanSpec};
use shardwise_core::{Evaluated, Question, permalink};

use crate::prices;
use crate::protocol::{Flags, Text};
use crate::sheets::asked::Asked;

fn write(
    framework: &'static Framework,
    version: &'static str,
    found: &Evaluated,
    link: &str,
) -> Result<Vec<Text>, String> {
    let emission =
        Emission { framework, job: &found.job, plan: &found.plan, answer: &found.answer, permalink: link, version };
    let texts = emit::emit(&emission).map_err(|unsupported| unsupported.message)?;
    Ok(texts.into_iter().map(Text::from).collect())
}

impl From<Snippet> for Text {
    fn from(snippet: Snippet) -> Self {
        Self { file: snippet.file.to_owned(), language: snippet.language, text: snippet.text, reasons: snippet.reasons }
    }
}

/// The question with nothing of its plan but the engine.
fn undecided(question: &Question) -> Question {
    let plan = question.plan.as_ref();
    let own = plan.and_then(|plan| plan.rollout.as_ref());
    let mut question = question.clone();
    question.plan = own.filter(|own| own.engine.is_some()).map(|own| PlanSpec {
        rollout: Some(RolloutPlanSpec {
            engine: own.engine,
            engine_version: own.engine_version,
            ..RolloutPlanSpec::default()
        }),
        ..PlanSpec::default()
    });
    question
}

/// The question as a framework would be asked it.
fn asked_of(question: &Question, framework: &Framework, version: &str) -> Question {
    Question {
        framework: Some(framework.id.to_owned()),
        framework_version: Some(version.to_owned()),
        ..question.clone()
    }
}

/// The link with another question in it.
fn link_to(link: &str, question: &Question) -> String {
    match link.split_once('#') {
        Some((address, _)) => format!("{address}#{}", permalink::to_hash(&prices::without(question, None))),
        None => link.to_owned(),
    }
}

fn empty(framework: &Framework, version: &str) -> Flags {
    Flags { framework: framework.id.to_owned(), version: version.to_owned(), ..Flags::default() }
}

/// The texts of a framework's tab. The framework that the answer is for is told the shown plan; another its own best one, and
/// what the switch to it costs is said.
pub(crate) fn tab(framework: &'static Framework, version: &'static str, asked: &Asked, link: &str) -> Flags {
    let shown_by = asked.found.answer.framework;
    if shown_by.is_none_or(|own| own.id == framework.id) {
        return texts(framework, version, asked, link);
    }
    let shown = &asked.found.answer;
    let question = asked_of(&asked.question, framework, version);
    let link = link_to(link, &question);
    let own = shardwise_core::evaluate_for(&question, framework).ok();
    let written = own.and_then(|own| Some((write(framework, version, &own, &link).ok()?, own)));
    let Some((texts, own)) = written else {
        // What is set by hand is not for it: its texts are those of a plan without.
        return self::texts(framework, version, asked, &link);
    };
    let beside = Some(own.answer.tokens_per_s_per_gpu / shown.tokens_per_s_per_gpu);
    Flags { fits: own.answer.fits, texts, beside, ..empty(framework, version) }
}

/// The texts of the shown plan; else those of the best plan that the framework runs; else why there are none.
pub(crate) fn texts(framework: &'static Framework, version: &'static str, asked: &Asked, link: &str) -> Flags {
    let mut flags = Flags { fits: asked.found.answer.fits, ..empty(framework, version) };
    match write(framework, version, &asked.found, link) {
        Ok(texts) => {
            flags.texts = texts;
            return flags;
        }
        Err(why) => flags.why = why,
    }
    let free = asked_of(&undecided(&asked.question), framework, version);
    let other = match shardwise_core::evaluate_for(&free, framework) {
        Ok(other) => other,
        // Of any plan: what the question asks, and not what the search chose.
        Err(error) => {
            if !error.message.ends_with(&flags.why) {
                flags.why = error.message;
            }
            return flags;
        }
    };
    if let Ok(texts) = write(framework, version, &other, link) {
        flags.texts = texts;
        flags.fits = other.answer.fits;
        let shown = asked.found.answer.tokens_per_s_per_gpu;
        flags.beside = Some(other.answer.tokens_per_s_per_gpu / shown);
        flags.instead = Some(other.plan.layout.backend);
        if let Some(refusal) = framework.refusal_beside(&asked.found.job, &asked.found.plan) {
            flags.why = refusal.to_string();
        }
    }
    flags
}

/// Whether [`texts`] has any.
pub(crate) fn has(framework: &'static Framework, version: &'static str, asked: &Asked) -> bool {
    write(framework, version, &asked.found, "").is_ok_and(|texts| !texts.is_empty())
        || shardwise_core::serves(&asked_of(&undecided(&asked.question), framework, version), framework, version)
}

/// The texts of a framework for a question: of its plan, else of the best that the framework runs.
pub(crate) fn written(framework: &'static Framework, version: &'static str, asked: &Asked) -> Vec<Text> {
    texts(framework, version, asked, "").texts
}
