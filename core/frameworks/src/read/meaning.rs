//! What a key means, and the tables that say it.

/// What a key means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    /// It becomes these fields of the question.
    Field(&'static str),
    /// It becomes this field of the plan of the section's role.
    Plan(&'static str),
    /// It does not matter for memory and speed: what it is for.
    Ignored(&'static str),
    /// It matters, and the question has no field for it: what the estimate does instead.
    Unmodelled(&'static str),
    /// The framework has another name for it now, since a release; whole key.
    Renamed(&'static str, &'static str),
    /// The framework has removed it since a release: what to do.
    Removed(&'static str, &'static str),
}

/// Keys under one prefix. A name that ends in `*` stands for all that begin with what is before it.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) prefix: &'static str,
    /// Where [`Meaning::Plan`] fields are: `plan.`, `plan.critic.`, `plan.reference.`.
    pub(super) plan: &'static str,
    pub(super) keys: &'static [(&'static str, Meaning)],
}

/// The meaning of a key, and the fields that it becomes.
pub(super) fn meaning(sections: &[Section], key: &str) -> Option<(Meaning, &'static str)> {
    let mut family = None;
    for section in sections {
        let Some(name) = key.strip_prefix(section.prefix) else {
            continue;
        };
        for (known, meaning) in section.keys {
            if *known == name {
                return Some((*meaning, section.plan));
            }
            if let Some(start) = known.strip_suffix('*')
                && name.starts_with(start)
            {
                // The longest prefix says most.
                let length = section.prefix.len() + start.len();
                if family.is_none_or(|(longest, _)| length > longest) {
                    family = Some((length, (*meaning, section.plan)));
                }
            }
        }
    }
    family.map(|(_, found)| found)
}

/// Every key of the table, written out.
pub(super) fn keys(sections: &'static [Section]) -> impl Iterator<Item = String> {
    sections.iter().flat_map(|section| {
        section
            .keys
            .iter()
            .filter(|(name, _)| !name.contains('*'))
            .map(|(name, _)| format!("{}{name}", section.prefix))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Meaning, Section, meaning};
    use crate::read::{chatlearn, deepspeed, llmforge, megatron, verl};

    fn tables() -> [&'static [Section]; 5] {
        [chatlearn::SECTIONS, deepspeed::SECTIONS, llmforge::SECTIONS, megatron::SECTIONS, verl::SECTIONS]
    }

    #[test]
    fn a_key_stands_once_in_its_table() {
        for section in tables().into_iter().flatten() {
            let mut seen = BTreeSet::new();
            for (name, _) in section.keys {
                assert!(seen.insert(name), "{}{name} twice", section.prefix);
            }
        }
    }

    #[test]
    fn a_renamed_key_has_a_meaning_under_its_new_name() {
        for sections in tables() {
            for (_, meant) in sections.iter().flat_map(|section| section.keys) {
                let Meaning::Renamed(to, since) = meant else {
                    continue;
                };
                // Of `new.*` any key of that section.
                let known = match to.strip_suffix('*') {
                    Some(start) => sections
                        .iter()
                        .any(|section| !section.prefix.is_empty() && start.starts_with(section.prefix)),
                    None => meaning(sections, to).is_some_and(|(meant, _)| !matches!(meant, Meaning::Renamed(..))),
                };
                assert!(known && since.contains('.'), "{to} since {since}");
            }
        }
    }
}
