//! The shell text: a comment head, environment variables, an argument array, a command.
//!
//! bash allows comments between the elements of an array, and none after a continued line, so the
//! settings are an array: each carries its reason.

use std::fmt::Display;

use super::kernel;
use super::words::{self, plain, whole};
use super::{Emission, Snippet, Syntax};
use crate::binding::{At, Row};
use shardwise_catalog::catalog;
use shardwise_catalog::units::fixed;
use shardwise_question::job::Job;
use shardwise_question::wire::Severity;
use shardwise_rules::grid;

/// One setting with the reason for its value.
#[derive(Clone)]
pub(crate) struct WrittenSetting {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) reason: String,
}

/// Settings under a heading.
pub(crate) struct Section {
    title: String,
    settings: Vec<WrittenSetting>,
}

impl Section {
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), settings: Vec::new() }
    }

    /// Its heading.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// What it sets.
    pub(crate) fn settings(&self) -> &[WrittenSetting] {
        &self.settings
    }

    /// Whether it sets nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.settings.is_empty()
    }

    /// Title and settings.
    pub(crate) fn into_parts(self) -> (String, Vec<WrittenSetting>) {
        (self.title, self.settings)
    }

    /// Adds a setting.
    pub(crate) fn push(&mut self, setting: WrittenSetting) {
        self.settings.push(setting);
    }

    /// Adds settings.
    pub(crate) fn extend(&mut self, settings: impl IntoIterator<Item = WrittenSetting>) {
        self.settings.extend(settings);
    }

    /// Whether it sets `key`.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.settings.iter().any(|setting| setting.key == key)
    }

    /// Adds what rows say of a plan, each key under a prefix; hydra's marks stand before that.
    pub(crate) fn say(&mut self, prefix: &str, rows: &[Row], at: &At) {
        for row in rows {
            if let Some((value, reason)) = (row.says)(at) {
                let name = row.name.trim_start_matches('+');
                let (marks, _) = row.name.split_at(row.name.len() - name.len());
                self.set(format!("{marks}{prefix}{name}"), value, reason);
            }
        }
    }

    /// Adds `key=value`; the value is a word of the shell, quoted where it must be.
    pub(crate) fn set(&mut self, key: impl Into<String>, value: impl Display, reason: impl Into<String>) {
        self.settings
            .push(WrittenSetting { key: key.into(), value: value.to_string(), reason: reason.into() });
    }
}

/// A whole script.
pub(crate) struct Script {
    /// Comment lines above everything, without `#`.
    pub(crate) head: Vec<String>,
    /// Commands before the array, with their comments.
    pub(crate) setup: Vec<(String, String)>,
    /// What stands between key and value: `=`, or a space for options with dashes.
    pub(crate) assign: &'static str,
    /// The settings.
    pub(crate) sections: Vec<Section>,
    /// The command; it reads `"${args[@]}"`.
    pub(crate) command: String,
}

impl Script {
    /// The script as a file.
    pub(crate) fn into_snippet(self, file: &'static str) -> Snippet {
        Snippet::new(file, Syntax::Shell, self.to_text())
    }

    fn to_text(&self) -> String {
        let mut out = String::new();
        for line in &self.head {
            push_line(&mut out, "# ", line);
        }
        out.push('\n');
        for (command, comment) in &self.setup {
            push_commented(&mut out, "", command, comment);
        }
        if !self.setup.is_empty() {
            out.push('\n');
        }
        out.push_str("args=(\n");
        let sections = self.sections.iter().filter(|section| !section.is_empty());
        for (index, section) in sections.enumerate() {
            if index > 0 {
                out.push('\n');
            }
            push_line(&mut out, "  # ", &section.title);
            for WrittenSetting { key, value, reason } in &section.settings {
                // A switch stands alone.
                let assign = if value.is_empty() { "" } else { self.assign };
                push_commented(&mut out, "  ", &format!("{key}{assign}{value}"), reason);
            }
        }
        out.push_str(")\n");
        out.push_str(&self.command);
        out.push('\n');
        out
    }
}

/// A line of comment. Whatever it says, it stays one line; an address stays whole.
pub(crate) fn push_line(out: &mut String, mark: &str, text: &str) {
    let address = text.starts_with("https://") || text.starts_with("http://");
    out.push_str(mark);
    out.push_str(&if address { whole(text) } else { plain(text) });
    out.push('\n');
}

/// A line of code with its reason.
pub(crate) fn push_commented(out: &mut String, indent: &str, code: &str, comment: &str) {
    out.push_str(indent);
    out.push_str(code);
    if !comment.is_empty() {
        out.push_str("  # ");
        out.push_str(&plain(comment));
    }
    out.push('\n');
}

/// The comment head: the question in words, the estimate, the versions, the permalink, the warnings.
pub(crate) fn head(emission: &Emission, warnings: &[String]) -> Vec<String> {
    let Emission { framework, job, answer, permalink, .. } = emission;
    let mut lines = vec![words::question(job), words::estimate(answer)];
    lines.push(format!(
        "Shardwise {}, data {}, prices {}, for {} {}",
        env!("CARGO_PKG_VERSION"),
        catalog::VERSION,
        catalog::PRICES_AS_OF,
        framework.name,
        emission.version
    ));
    if !permalink.is_empty() {
        lines.push((*permalink).to_owned());
    }
    lines.extend(words::decision(answer));
    let warnings = warnings
        .iter()
        .map(String::as_str)
        .chain(kernel::newer(job, &emission.plan.layout));
    lines.extend(warnings.map(|warning| format!("Warning: {warning}")));
    let serious = answer
        .advice
        .iter()
        // What does not fit is said above, with the probability.
        .filter(|advice| advice.severity != Severity::Hint && advice.id != "out-of-memory");
    lines.extend(serious.map(|advice| format!("Warning: {}", advice.text)));
    lines.extend(answer.caveats.iter().map(|caveat| format!("Note: {}", caveat.text)));
    lines.dedup();
    lines
}

/// Stops a text that each of several nodes runs before it has been told where the first node is and which one it is on;
/// nothing for one node, which needs neither.
pub(crate) fn rendezvous(nodes: u32) -> Option<(String, String)> {
    let last = nodes.checked_sub(1).filter(|last| *last > 0)?;
    Some((
        format!(
            ": \"${{MASTER_ADDR:?address of the first node}}\" \"${{NODE_RANK:?0 on the first node, {}}}\"",
            on_others(last)
        ),
        format!(
            "run it on each of the {nodes} nodes, with MASTER_ADDR the first one's address and NODE_RANK its own number, from 0 to {last}"
        ),
    ))
}

/// The numbers of the nodes behind the first, up to `last`.
pub(crate) fn on_others(last: u32) -> String {
    if last == 1 { "1 on the other".to_owned() } else { format!("1 to {last} on the others") }
}

/// `torchrun` on every GPU of the machine, up to the program that it starts.
pub(crate) fn torchrun(job: &Job) -> String {
    let (count, gpus) = grid(job);
    if count == 1 {
        format!("torchrun --standalone --nnodes=1 --nproc-per-node={gpus}")
    } else {
        format!(
            "torchrun --nnodes={count} --nproc-per-node={gpus} --node-rank=\"$NODE_RANK\" \
             --master-addr=\"$MASTER_ADDR\" --master-port=29500"
        )
    }
}

/// `DeepSpeed`'s launcher on every GPU of the machine, started on one node.
pub(crate) fn deepspeed(job: &Job) -> String {
    let (count, gpus) = grid(job);
    let hosts = if count > 1 { " --hostfile \"$HOME/hostfile\"" } else { "" };
    format!("deepspeed{hosts} --num_nodes {count} --num_gpus {gpus}")
}

/// Python's spelling of a truth value, which hydra, OmegaConf and transformers read.
pub(crate) fn flag(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// A path below the person's home, quoted for the shell.
pub(crate) fn home(path: &str) -> String {
    format!("\"$HOME/{path}\"")
}

/// A list of words as hydra and OmegaConf read it, quoted for the shell.
pub(crate) fn list(items: impl IntoIterator<Item = &'static str>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| format!("\"{item}\"")).collect();
    format!("'[{}]'", items.join(","))
}

/// A share between 0 and 1 with two digits: what an engine is told, never rounded up.
pub(crate) fn share(value: f64) -> String {
    let hundredths = (value.clamp(0.01, 1.0) * 100.0 + 1e-9).floor();
    fixed(hundredths / 100.0, 2)
}

/// The model's path as a word of the shell, and why.
///
/// Only a well-formed Hugging Face name is repeated; anything else a person typed could mean
/// something to the shell or to hydra, and is no path anyway.
pub(crate) fn model_path(model: &shardwise_catalog::model::Model) -> (String, &'static str) {
    let name = model.hf_repo.as_ref();
    let well_formed = name.len() <= 96
        && name.split('/').count() == 2
        && name.split('/').all(|part| {
            !part.is_empty()
                && !part.starts_with(['.', '-'])
                && part
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'))
        });
    if well_formed {
        (name.to_owned(), "the model on Hugging Face, or a folder with it")
    } else {
        (home("models/model"), "change this to the folder of your model")
    }
}
