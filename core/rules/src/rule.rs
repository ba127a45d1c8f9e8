//! What a framework's table is made of: rows that say what has to hold, of which field, and what is said where it does not.
//!
//! A sentence names its values in braces: [`NUMBERS`](super::asked::NUMBERS), the framework's `{name}`, the [`WAY`](super::asked::WAY) that a search is, and those that its row
//! brings along. It is written out for a refusal alone, as the search asks the tables of every plan.

use super::asked::{Asked, Number};
use shardwise_catalog::error::InputError;
use shardwise_question::plan::RolloutPlan;
use shardwise_question::wire::{Backend, Precision, WorkloadKind};
use shardwise_question::workload::Rl;

/// A row of a framework's table.
pub(crate) enum Rule {
    /// What has to hold, and what is said where it does not.
    Says(Must, &'static str),
    /// Such a row, without which the rest of its table is not asked.
    Ends(Must, &'static str),
    /// Rows for some questions and plans alone.
    When(fn(&Asked) -> bool, &'static [Rule]),
    /// What no row says.
    Odd(fn(&Asked, &mut Vec<InputError>)),
}

/// What has to hold of a field.
pub(crate) struct Must {
    field: &'static str,
    test: Test,
}

enum Test {
    NoKind(&'static [WorkloadKind]),
    Backends(&'static [Backend]),
    Precisions(&'static [Precision]),
    Ones(&'static [Size]),
    Divides(fn(&Asked) -> (u64, u64)),
    Holds(fn(&Asked) -> bool),
    Learning(fn(&Rl) -> bool),
    Engine(fn(&RolloutPlan) -> bool),
}

/// A size of a plan by its field.
pub(crate) struct Size(pub(crate) &'static str, pub(crate) Number);

pub(crate) const TP: Size = Size("plan.tensor_parallel", |a| a.tp);
pub(crate) const PP: Size = Size("plan.pipeline_parallel", |a| a.pp);
pub(crate) const CP: Size = Size("plan.context_parallel", |a| a.cp);
pub(crate) const ULYSSES: Size = Size("plan.ulysses_parallel", |a| a.ulysses);
pub(crate) const EP: Size = Size("plan.expert_parallel", |a| a.ep);
pub(crate) const ETP: Size = Size("plan.expert_tensor_parallel", |a| a.etp);

/// The task is none of `kinds`.
pub(crate) const fn no_kind(kinds: &'static [WorkloadKind]) -> Must {
    Must { field: "workload.kind", test: Test::NoKind(kinds) }
}

/// The plan is for one of `backends`.
pub(crate) const fn backends(backends: &'static [Backend]) -> Must {
    Must { field: "plan.backend", test: Test::Backends(backends) }
}

/// Products have one of `precisions`.
pub(crate) const fn precisions(precisions: &'static [Precision]) -> Must {
    Must { field: "workload.precision", test: Test::Precisions(precisions) }
}

/// Each of `sizes` is 1. The sentence has its `{field}`, and that in `{words}`.
pub(crate) const fn ones(sizes: &'static [Size]) -> Must {
    Must { field: "", test: Test::Ones(sizes) }
}

/// The first number, `{part}`, divides the second, `{whole}`.
pub(crate) const fn divides(field: &'static str, numbers: fn(&Asked) -> (u64, u64)) -> Must {
    Must { field, test: Test::Divides(numbers) }
}

/// Something of question and plan.
pub(crate) const fn must(field: &'static str, holds: fn(&Asked) -> bool) -> Must {
    Must { field, test: Test::Holds(holds) }
}

/// Something of the RL step, where there is one.
pub(crate) const fn learning(field: &'static str, holds: fn(&Rl) -> bool) -> Must {
    Must { field, test: Test::Learning(holds) }
}

/// Something of the generation engine, where there is one.
pub(crate) const fn engine(field: &'static str, holds: fn(&RolloutPlan) -> bool) -> Must {
    Must { field, test: Test::Engine(holds) }
}

/// Rows of another table.
pub(crate) const fn all(rules: &'static [Rule]) -> Rule {
    Rule::When(|_| true, rules)
}

/// Rows for what `holds` of.
pub(crate) const fn when(holds: fn(&Asked) -> bool, rules: &'static [Rule]) -> Rule {
    Rule::When(holds, rules)
}

impl Must {
    /// What is said where it does not hold.
    pub(crate) const fn or(self, says: &'static str) -> Rule {
        Rule::Says(self, says)
    }

    /// What is said where it does not hold, in place of what follows in the table.
    pub(crate) const fn or_only(self, says: &'static str) -> Rule {
        Rule::Ends(self, says)
    }

    fn holds(&self, asked: &Asked) -> bool {
        match self.test {
            Test::NoKind(kinds) => !kinds.contains(&asked.workload.kind),
            Test::Backends(backends) => backends.contains(&asked.layout.backend),
            Test::Precisions(precisions) => precisions.contains(&asked.workload.precision),
            Test::Ones(sizes) => sizes.iter().all(|Size(_, size)| size(asked) == 1),
            Test::Divides(numbers) => {
                let (part, whole) = numbers(asked);
                part != 0 && whole.is_multiple_of(part)
            }
            Test::Holds(holds) => holds(asked),
            Test::Learning(holds) => asked.rl.is_none_or(holds),
            Test::Engine(holds) => asked.rollout.is_none_or(holds),
        }
    }

    /// Says what does not hold. Apart from the question whether it does, which is asked far more often.
    #[cold]
    fn refuse(&self, asked: &Asked, says: &str, broken: &mut Vec<InputError>) {
        match self.test {
            Test::Ones(sizes) => {
                for Size(field, _) in sizes.iter().filter(|Size(_, size)| size(asked) != 1) {
                    let name = field.rsplit('.').next().unwrap_or(field);
                    broken.push(asked.refusal(field, says, &[("field", name), ("words", &name.replace('_', " "))]));
                }
            }
            Test::Divides(numbers) => {
                let (part, whole) = numbers(asked);
                let own = [("part", &*part.to_string()), ("whole", &whole.to_string())];
                broken.push(asked.refusal(self.field, says, &own));
            }
            _ => broken.push(asked.refusal(self.field, says, &[])),
        }
    }
}

/// The rows of a table, and of those that it takes over: the field of each, and its sentence as it stands there.
pub(crate) fn rows(rules: &'static [Rule], found: &mut Vec<(&'static str, &'static str)>) {
    for rule in rules {
        match rule {
            Rule::Says(Must { test: Test::Ones(sizes), .. }, says)
            | Rule::Ends(Must { test: Test::Ones(sizes), .. }, says) => {
                found.extend(sizes.iter().map(|Size(field, _)| (*field, *says)));
            }
            Rule::Says(must, says) | Rule::Ends(must, says) => found.push((must.field, says)),
            Rule::When(_, rules) => rows(rules, found),
            Rule::Odd(_) => {}
        }
    }
}

/// Asks a table, row by row.
pub(crate) fn check(asked: &Asked, rules: &'static [Rule], broken: &mut Vec<InputError>) {
    for rule in rules {
        match rule {
            Rule::Says(must, says) => {
                if !must.holds(asked) {
                    must.refuse(asked, says, broken);
                }
            }
            Rule::Ends(must, says) => {
                if !must.holds(asked) {
                    must.refuse(asked, says, broken);
                    return;
                }
            }
            Rule::When(holds, rules) => {
                if holds(asked) {
                    check(asked, rules, broken);
                }
            }
            Rule::Odd(own) => own(asked, broken),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::FRAMEWORKS;
    use super::super::asked::{NUMBERS, WAY};
    use super::{Rule, Test};

    fn sentences(rules: &'static [Rule], found: &mut Vec<(&'static str, &'static [&'static str])>) {
        for rule in rules {
            match rule {
                Rule::Says(must, says) | Rule::Ends(must, says) => {
                    let own: &[&str] = match must.test {
                        Test::Ones(_) => &["field", "words"],
                        Test::Divides(_) => &["part", "whole"],
                        _ => &[],
                    };
                    found.push((says, own));
                }
                Rule::When(_, rules) => sentences(rules, found),
                Rule::Odd(_) => {}
            }
        }
    }

    #[test]
    fn sentences_name_what_there_is() {
        let mut found = Vec::new();
        for framework in FRAMEWORKS {
            sentences(framework.rules, &mut found);
        }
        for (says, own) in found {
            for from in says.split('{').skip(1) {
                let name = from.split('}').next().unwrap_or_default();
                let known = own.contains(&name) || NUMBERS.iter().any(|(known, _)| *known == name);
                assert!(known || name == "name" || name == WAY, "{name} in {says:?}");
            }
        }
    }
}
