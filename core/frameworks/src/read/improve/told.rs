//! What a framework is told for a plan, and what it is told otherwise for another.

use std::collections::BTreeMap;

use serde_json::json;

use super::plans::State;
use crate::emit::{self, Emission};
use crate::read::edit::{self, Edit};
use crate::read::read;
use crate::read::report::{Dialect, Reading, Understood};
use shardwise_engine::context::Context;
use shardwise_question::job::Job;
use shardwise_question::plan::Plan;
use shardwise_question::wire::at;
use shardwise_search::answer::answer;

/// What the framework is told for a plan, as its own texts are read; `None` where it has no text for it.
pub(super) fn settings(reading: &Reading, job: &Job, plan: &Plan) -> Option<Vec<Understood>> {
    let texts = texts(reading, job, plan)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let own = read(&texts, None).ok()?;
    // What is of no matter to the estimate may be what the framework asks for beside a change.
    let beside = own.passed_over().map(Understood::without_field);
    Some(own.understood.iter().cloned().chain(beside).collect())
}

/// The framework's own texts of a plan, of the form that was read; `None` where it has none for it.
pub(super) fn texts(reading: &Reading, job: &Job, plan: &Plan) -> Option<Vec<String>> {
    let framework = emit::framework(reading.framework.id())?;
    let answer = answer(&Context::new(job), plan);
    let snippets = emit::emit(&Emission {
        framework,
        job,
        plan,
        answer: &answer,
        permalink: "",
        version: spoken(reading, framework.versions)?,
    })
    .ok()?;
    // Of two forms that say one thing, the one that was read: what Hugging Face's Trainer fills in stays its own.
    let filled = reading.understood.iter().any(|one| one.value == "auto");
    let other = match reading.framework {
        Dialect::Deepspeed if filled => "ds_config.json",
        Dialect::Deepspeed => "ds_config_hf.json",
        Dialect::Chatlearn if reading.launched => "grpo_shardwise.yaml",
        Dialect::Chatlearn => "run_chatlearn.sh",
        _ => "",
    };
    let own = snippets.into_iter().filter(|snippet| snippet.file != other);
    Some(own.map(|snippet| snippet.text).collect())
}

/// A list as the text has it, with what is to be in it: others' plugins stay.
pub(super) fn joined(edits: &mut [Edit], reading: &Reading) {
    let members = |list: &str| -> Option<Vec<String>> {
        let inside = list.trim().strip_prefix('[')?.strip_suffix(']')?;
        Some(
            inside
                .split(',')
                .map(|own| own.trim().to_owned())
                .filter(|own| !own.is_empty())
                .collect(),
        )
    };
    for edit in edits {
        let key = edit::plain(&edit.key);
        let known = reading.ignored.iter().find(|own| edit::plain(&own.key) == key);
        let lists = known
            .and_then(|own| members(&own.value))
            .zip(edit.value.as_deref().and_then(members));
        if let Some((mut all, more)) = lists {
            all.extend(more.into_iter().filter(|own| !all.contains(own)).collect::<Vec<_>>());
            edit.value = Some(format!("[{}]", all.join(", ")));
        }
    }
}

/// The release whose words a text speaks: changes speak the same.
fn spoken(reading: &Reading, versions: &'static [&'static str]) -> Option<&'static str> {
    let own = reading.release.as_deref();
    let known = versions.iter().find(|name| own == Some(**name));
    known.or(versions.first()).copied()
}

/// The settings that say what was changed.
pub(super) fn about(list: &[Understood], path: &[State]) -> Vec<Understood> {
    let changed = |field: &str| {
        path.iter().any(|state| {
            let mut fields = state.changed.iter().flat_map(|one| one.fields());
            fields.any(|own| field.starts_with(own))
        })
    };
    let said = |one: &&Understood| one.field.split(' ').any(|field| changed(&leading(field)));
    list.iter().filter(said).cloned().collect()
}

/// The field of the trained model that a role's field follows.
fn leading(field: &str) -> String {
    field.replace("plan.reference.", "plan.").replace("plan.critic.", "plan.")
}

/// Settings whose value differs, and those that are gone, for the text of `reading`.
pub(super) fn difference(was: &[Understood], now: &[Understood], reading: &Reading, bare: bool) -> Vec<Edit> {
    let values = |list: &[Understood]| -> BTreeMap<String, String> {
        list.iter().map(|one| (edit::plain(&one.key), one.value.clone())).collect()
    };
    let (before, after) = (values(was), values(now));
    let bare = |one: &Understood| bare && one.value == "True";
    let set = now
        .iter()
        .filter(|one| before.get(&edit::plain(&one.key)) != Some(&one.value))
        .map(|one| Edit { key: one.key.clone(), value: Some(one.value.clone()), bare: bare(one), section: None });
    // A section of which nothing is left goes whole.
    let section = |key: &str| {
        let (section, _) = key.rsplit_once('.')?;
        let inside = format!("{}.", edit::plain(section));
        let left = after.keys().any(|key| key.starts_with(&inside));
        (!left && section.contains('.')).then(|| section.to_owned())
    };
    // What nothing is estimated by stays, whoever may need it, unless it stands there as the plan that is left asks for it.
    let asked = |one: &Understood| {
        let key = edit::plain(&one.key);
        let mut all = reading.passed_over();
        all.any(|(own, value, ..)| edit::plain(own) == key && edit::same(value, &one.value))
    };
    let gone = was
        .iter()
        .filter(|one| !after.contains_key(&edit::plain(&one.key)) && (!one.field.is_empty() || asked(one)))
        .map(|one| Edit { key: one.key.clone(), value: None, bare: bare(one), section: section(&one.key) });
    // The batch in DeepSpeed's words stands in its configuration alone, which mostly leaves it to the trainer ("auto").
    let states = |key: &str| {
        let mut keys = reading
            .understood
            .iter()
            .map(|one| &*one.key)
            .chain(reading.passed_over().map(|(key, ..)| key));
        keys.any(|own| edit::plain(own) == key)
    };
    let filled_in = |edit: &Edit| {
        let batch = matches!(edit.key.as_str(), "train_batch_size" | "train_micro_batch_size_per_gpu");
        batch && reading.framework.is_trainer() && !states(&edit.key)
    };
    let mut edits: Vec<Edit> = Vec::new();
    for edit in set.chain(gone).filter(|edit| !filled_in(edit)) {
        // Two of the framework's files may say one setting.
        if !edits.iter().any(|own| (&own.key, &own.value) == (&edit.key, &edit.value)) {
            edits.push(edit);
        }
    }
    edits
}

/// Keys that the text has and the framework's newest text has not: an older name of one, which is changed in its place, and roles
/// that the text lays out by keys of their own, which follow the trained model.
pub(super) fn follow(edits: &mut Vec<Edit>, now: &[Understood], stated: &[Understood]) {
    for one in stated {
        let key = edit::plain(&one.key);
        if now.iter().any(|one| edit::plain(&one.key) == key) {
            continue;
        }
        let field = leading(&one.field);
        let known =
            |list: &[Understood], of: &str, edit: &Edit| list.iter().any(|own| own.field == of && own.key == edit.key);
        if let Some(renamed) = edits.iter_mut().find(|edit| {
            last(&edit.key) == last(&one.key) && known(now, &one.field, edit) && !known(stated, &one.field, edit)
        }) {
            renamed.key.clone_from(&one.key);
            continue;
        }
        if field == one.field {
            continue;
        }
        // The trained model's key of this name, set or gone; where it has none, what says the same of it.
        let named = edits.iter().find(|edit| {
            last(&edit.key) == last(&one.key) && (known(now, &field, edit) || known(stated, &field, edit))
        });
        let mut leads = now.iter().rev().filter(|one| one.field == field);
        let led = named.or_else(|| leads.find_map(|one| edits.iter().find(|edit| edit.key == one.key)));
        if let Some(leader) = led.cloned() {
            edits.retain(|edit| edit::plain(&edit.key) != key);
            edits.push(Edit { key: one.key.clone(), ..leader });
        }
    }
}

/// The name of a setting without what it is of.
fn last(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// Settings that the framework refuses to start without and the text leaves out, as the framework's own text has them: without them a
/// changed text would be refused as well. What the release that the text is for takes by itself stays out.
pub(super) fn demanded(now: &[Understood], edits: &[Edit], reading: &Reading, bare: bool) -> Vec<Edit> {
    let taken = |key: &str| reading.lacking.iter().any(|(own, _)| *own == key);
    let missing = |key: &str| {
        let key = edit::plain(key);
        reading
            .refused
            .iter()
            .any(|one| one.line == 0 && mends(&edit::plain(&one.key), &key) && !taken(&one.key))
            && reading.understood.iter().all(|one| edit::plain(&one.key) != key)
            && edits.iter().all(|edit| edit::plain(&edit.key) != key)
    };
    let open: Vec<Understood> = now.iter().filter(|one| missing(&one.key)).cloned().collect();
    difference(&[], &open, reading, bare)
}

/// Whether a setting is the one that is asked for, or stands in its place: veRL asks for a micro-batch or a budget of tokens.
fn mends(asked: &str, key: &str) -> bool {
    let section = |key: &str| key.rsplit_once('.').map(|(section, _)| section.to_owned());
    let budget = ["use_dynamic_bsz", "max_token_len_per_gpu"]
        .iter()
        .any(|end| key.ends_with(end));
    asked == key || (asked.ends_with("micro_batch_size_per_gpu") && budget && section(asked) == section(key))
}

/// Settings of the framework's own text in which a plan that was read differs from the one that is meant.
pub(super) fn stated_too(
    now: &[Understood],
    edits: &[Edit],
    said: Option<&Plan>,
    meant: &Plan,
    reading: &Reading,
    bare: bool,
) -> Vec<Edit> {
    let spec = |plan: &Plan| json!({"plan": plan.to_spec()});
    let (Some(said), meant) = (said.map(spec), spec(meant)) else {
        return Vec::new();
    };
    let differs = |field: &str| at(&said, field) != at(&meant, field);
    let open = now.iter().filter(|one| {
        !one.field.is_empty() && one.field.split(' ').any(differs) && edits.iter().all(|edit| edit.key != one.key)
    });
    difference(&[], &open.cloned().collect::<Vec<_>>(), reading, bare)
}
