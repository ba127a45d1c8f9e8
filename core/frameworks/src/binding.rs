//! Keys of a framework as rows of tables: what a key becomes in the question, and what a text says for it.
//!
//! Both ways are folds over the same rows: reading finds the row of a key and does as it says, writing says every row that has
//! something to say of a plan. What is odd, as a rule between keys, is a function beside its table.

use std::fmt::Display;

use crate::emit::Emission;
use shardwise_catalog::model::Shape;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, RolloutPlan};
use shardwise_question::wire::Backend;
use shardwise_question::workload::{Lora, Rl};
use shardwise_rules::pools;

/// What a key means.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Meaning {
    /// It becomes these fields of the question.
    Field(&'static str),
    /// It becomes these fields of the plan of the section's role.
    Plan(&'static str),
    /// It is this field, of the plan where the section has a role: nothing else decides it.
    Taken(&'static str, Form),
    /// It does not matter for memory and speed: what it is for.
    Ignored(&'static str),
    /// It matters, and the question has no field for it: what the estimate does instead.
    Unmodelled(&'static str),
    /// As [`Self::Unmodelled`] where it is switched on; off, it does not matter.
    IfOn(&'static str),
    /// The framework has another name for it now, since a release; whole key.
    Renamed(&'static str, &'static str),
    /// The framework has removed it since a release: what to do.
    Removed(&'static str, &'static str),
}

/// How a value is read, and what the framework takes where there is none.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// A whole number of 1 or more; the default is worth a line of the report.
    Count(u32),
    /// A whole number of 1 or more: a release, the default before that and the one since, both worth a line of the report.
    CountSince(&'static (&'static str, u32, u32)),
    /// A whole number of 1 or more; 1, the default, goes without saying.
    Size,
    /// A whole number of 1 or more, without a default.
    Stated,
    /// A share; the default is worth a line of the report.
    Share(f32),
    /// A truth value; the default goes without saying.
    Flag(bool),
    /// A truth value: a release, the default before that, which is worth a line of the report, and the one since.
    FlagSince(&'static (&'static str, bool, bool)),
}

/// A setting's value and the reason for it.
pub(crate) type Said = (String, String);

/// One key, both ways.
pub(crate) struct Row {
    /// Below its table's prefix, with hydra's mark (`++`) where no packaged configuration has it.
    pub(crate) name: &'static str,
    /// Nothing where a row of many keys tells it.
    meaning: Option<Meaning>,
    /// What a text says of it; nothing where it leaves the key out.
    pub(crate) says: fn(&At<'_>) -> Option<Said>,
}

/// A key that is read and written.
pub(crate) const fn row(name: &'static str, meaning: Meaning, says: fn(&At<'_>) -> Option<Said>) -> Row {
    Row { name, meaning: Some(meaning), says }
}

/// A key that is written, and read as another row's `*` says.
pub(crate) const fn say(name: &'static str, says: fn(&At<'_>) -> Option<Said>) -> Row {
    Row { name, meaning: None, says }
}

/// A value and its reason.
#[expect(clippy::unnecessary_wraps, reason = "every row says something or nothing")]
pub(crate) fn says(value: impl Display, reason: impl Into<String>) -> Option<Said> {
    Some((value.to_string(), reason.into()))
}

/// Python's truth values, each with its reason.
pub(crate) fn switch(on: bool, why: &'static str, why_not: &'static str) -> Option<Said> {
    if on { says("True", why) } else { says("False", why_not) }
}

/// A value and its reason, or nothing.
pub(crate) fn when(on: bool, value: &str, why: &str) -> Option<Said> {
    on.then(|| (value.to_owned(), why.to_owned()))
}

/// Keys under one prefix.
#[derive(Clone, Copy)]
pub(crate) struct KeySection {
    pub(crate) prefix: &'static str,
    /// Where [`Meaning::Plan`] and [`Meaning::Taken`] fields are: `plan.`, `plan.critic.`; empty for whole paths.
    pub(crate) plan: &'static str,
    pub(crate) tables: &'static [Table],
}

/// Keys under a prefix, whose [`Meaning::Plan`] and [`Meaning::Taken`] fields are under `plan`.
pub(crate) const fn section(prefix: &'static str, plan: &'static str, tables: &'static [Table]) -> KeySection {
    KeySection { prefix, plan, tables }
}

/// A table of keys. Names with `|` between them mean the same; one that ends in `*` stands for all that begin with what is
/// before it.
#[derive(Clone, Copy)]
pub(crate) enum Table {
    /// Keys that are read alone.
    Read(&'static [(&'static str, Meaning)]),
    /// Keys that are read and written.
    Both(&'static [Row]),
}

impl KeySection {
    /// Every row's names and meaning, in the order of the tables.
    fn rows(&self) -> impl Iterator<Item = (&'static str, Meaning)> {
        let at = |table: &Table, at: usize| match table {
            Table::Read(keys) => keys.get(at).map(|(names, meaning)| (*names, Some(*meaning))),
            Table::Both(rows) => rows.get(at).map(|row| (row.name.trim_start_matches('+'), row.meaning)),
        };
        let rows = self.tables.iter().flat_map(move |table| (0..).map_while(move |n| at(table, n)));
        rows.filter_map(|(names, meaning)| Some((names, meaning?)))
    }

    /// Every name with its meaning.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&'static str, Meaning)> {
        self.rows()
            .flat_map(|(names, meaning)| names.split('|').map(move |name| (name, meaning)))
    }
}

/// What the tables say of a key.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    pub(crate) meaning: Meaning,
    plan: &'static str,
    /// Bytes at the end of the key that a `*` stands for.
    rest: usize,
}

impl Found {
    /// What of the key a `*` stands for.
    pub(crate) fn rest<'a>(&self, key: &'a str) -> &'a str {
        key.get(key.len().saturating_sub(self.rest)..).unwrap_or_default()
    }

    /// Paths of the fields that the key becomes, with a space between; nothing where it becomes none.
    pub(crate) fn fields(&self) -> Option<String> {
        let (Meaning::Plan(fields) | Meaning::Taken(fields, _)) = self.meaning else {
            return if let Meaning::Field(fields) = self.meaning { Some(fields.to_owned()) } else { None };
        };
        let fields: Vec<String> = fields.split(' ').map(|field| format!("{}{field}", self.plan)).collect();
        Some(fields.join(" "))
    }
}

/// The row of a key: its own, or the longest of those that stand for several.
pub(crate) fn find(sections: &[KeySection], key: &str) -> Option<Found> {
    let mut family: Option<(usize, Found)> = None;
    for section in sections {
        let Some(name) = key.strip_prefix(section.prefix) else {
            continue;
        };
        for (names, meaning) in section.rows() {
            let found = |rest| Found { meaning, plan: section.plan, rest };
            for known in names.split('|') {
                if known == name {
                    return Some(found(0));
                }
                if let Some(start) = known.strip_suffix('*')
                    && let Some(rest) = name.strip_prefix(start)
                {
                    let length = section.prefix.len() + start.len();
                    if family.as_ref().is_none_or(|(longest, _)| length > *longest) {
                        family = Some((length, found(rest.len())));
                    }
                }
            }
        }
    }
    family.map(|(_, found)| found)
}

/// Every key of the tables, written out.
pub(crate) fn keys(sections: &'static [KeySection]) -> impl Iterator<Item = String> {
    sections.iter().flat_map(|section| {
        let names = section.names().filter(|(name, _)| !name.contains('*'));
        names.map(|(name, _)| format!("{}{name}", section.prefix))
    })
}

/// The name of a key before releases for which `before` holds, where the tables know it to be renamed since.
pub(crate) fn former(sections: &[KeySection], key: &str, before: impl Fn(&str) -> bool) -> Option<String> {
    for section in sections {
        for (name, meaning) in section.names() {
            let Meaning::Renamed(now, since) = meaning else {
                continue;
            };
            let rest = match now.strip_suffix('*') {
                Some(start) => key.strip_prefix(start),
                None => (key == now).then_some(""),
            };
            if let Some(rest) = rest.filter(|_| before(since)) {
                return Some(format!("{}{}{rest}", section.prefix, name.trim_end_matches('*')));
            }
        }
    }
    None
}

/// Numbers of a release: `0.7.1`.
pub(crate) fn release(name: &str) -> [u32; 3] {
    let mut parts = name.split('.').map(|part| part.parse().unwrap_or(0));
    [(); 3].map(|()| parts.next().unwrap_or(0))
}

/// What rows say a plan from: one role of it, with its layout and its model.
pub(crate) struct At<'a> {
    pub(crate) emission: &'a Emission<'a>,
    pub(crate) layout: &'a Layout,
    pub(crate) shape: &'a Shape,
}

impl<'a> At<'a> {
    /// The model that is trained; of RL the actor.
    pub(crate) fn trained(emission: &'a Emission) -> Self {
        Self { emission, layout: &emission.plan.layout, shape: &emission.job.model.shape }
    }

    pub(crate) fn job(&self) -> &'a Job {
        self.emission.job
    }

    pub(crate) fn rl(&self) -> Option<&'a Rl> {
        self.emission.job.workload.rl.as_ref()
    }

    pub(crate) fn rollout(&self) -> Option<&'a RolloutPlan> {
        self.emission.plan.rollout.as_ref()
    }

    pub(crate) fn lora(&self) -> Option<Lora> {
        self.emission.job.workload.lora
    }

    /// GPUs that train.
    pub(crate) fn gpus(&self) -> u32 {
        pools(self.emission.job).0
    }

    /// The layout, where FSDP trains.
    pub(crate) fn fsdp(&self) -> Option<&'a Layout> {
        (self.layout.backend == Backend::Fsdp).then_some(self.layout)
    }

    /// The layout, where Megatron trains.
    pub(crate) fn megatron(&self) -> Option<&'a Layout> {
        (self.layout.backend == Backend::Megatron).then_some(self.layout)
    }

    /// Tokens of a micro-batch, where those are counted.
    pub(crate) fn tokens(&self) -> Option<u64> {
        if let MicroBatch::Tokens(tokens) = self.layout.micro_batch { Some(tokens) } else { None }
    }

    /// Sequences of a micro-batch, where those are counted.
    pub(crate) fn sequences(&self) -> Option<u64> {
        if let MicroBatch::Sequences(sequences) = self.layout.micro_batch { Some(sequences) } else { None }
    }

    /// Tokens of the longest sequence.
    pub(crate) fn longest(&self) -> u64 {
        self.rl().map_or(self.emission.job.workload.sequence_length, Rl::max_length)
    }
}
