//! Whether the search finds the best of the layouts that were measured.
//!
//! A group is what was published of one model, GPU type and count, precision, batch and length, with at least two
//! layouts. Found is the fastest of them where it is among the search's first three or estimated within 5 % of its first.
//! Each group is asked four times: the search keeps all that the group's runs share, so that it chooses among what they
//! tried; it keeps the framework's backends, numerics, kernels and switches; the same, where the measured layout is its
//! sizes (TP, PP, VPP, CP, EP) and the search chooses micro-batch and recomputation for it as for its own; it keeps
//! nothing. The second asks for the whole plan, the third for the layout: what a framework computes in, and how, is no
//! choice of layout, and no run of another was made. Generation has
//! few engine sizes, so three of them say little: count it apart. `make layouts` prints the table.

mod compare;
mod groups;
#[allow(dead_code, reason = "what else a run says is the accuracy test's")]
use std::collections::BTreeMap;
use std::fmt::Write as _;

use compare::{Compared, Pin, compare, in_short, pairs};
use groups::Group;
use serde::Deserialize;
use shardwise_core::InputError;

const RECORD: &str = include_str!("data/layouts.toml");

/// What the search keeps, in the order of the record's figures.
const PINS: [Pin; 4] = [Pin::Shared, Pin::Framework, Pin::Parallel, Pin::Nothing];

/// Measured speeds closer than this are the same.
const APART: f64 = 1.02;

/// What was counted over groups of one kind.
#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Counted {
    groups: usize,
    /// Groups whose best is found, for each of [`PINS`].
    found: [usize; 4],
    /// Pairs of runs whose measured speeds differ.
    pairs: usize,
    /// Those that our estimates order alike.
    ordered: usize,
}

fn percent(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

fn line(pin: Pin, compared: &Result<Compared, InputError>) -> String {
    match compared {
        Ok(one) => format!(
            "{} {pin:?}: {}, {:+.1} % to the first: {}",
            if one.found() { '+' } else { '-' },
            one.rank.map_or("far behind".to_owned(), |rank| format!("place {rank}")),
            100.0 * (one.over - 1.0),
            in_short(&one.first),
        ),
        Err(error) => format!("- {pin:?}: {error}"),
    }
}

fn print(group: &Group, compared: &[Result<Compared, InputError>]) {
    let (best, last) = (group.best(), &group.runs[group.runs.len() - 1]);
    println!(
        "{}: {} layouts, {:+.0} % from last to first\n    {} {}",
        group.name,
        group.runs.len(),
        100.0 * (best.rate / last.rate - 1.0),
        best.id,
        best.question.plan.as_ref().map(in_short).unwrap_or_default(),
    );
    if let Some(Ok(one)) = compared.first() {
        let fits = if one.fits { "" } else { ", said not to fit" };
        println!("    estimated {:.2} of measured{fits}", one.estimated);
    }
    for (pin, one) in PINS.iter().zip(compared) {
        println!("    {}", line(*pin, one));
    }
}

fn count() -> BTreeMap<&'static str, Counted> {
    let mut counted: BTreeMap<&str, Counted> = BTreeMap::new();
    for group in groups::all() {
        let compared = PINS.map(|pin| compare(&group, pin));
        let found = |one: &Result<Compared, InputError>| one.as_ref().is_ok_and(Compared::found);
        if group.kind != "generation" || !compared.iter().all(found) {
            print(&group, &compared);
        }
        let count = counted.entry(group.kind).or_default();
        count.groups += 1;
        for (sum, one) in count.found.iter_mut().zip(&compared) {
            *sum += usize::from(found(one));
        }
        let (pairs, ordered) = pairs(&group, APART).unwrap_or_else(|error| panic!("{}: {error}", group.name));
        count.pairs += pairs;
        count.ordered += ordered;
    }
    counted
}

#[test]
fn the_best_measured_layouts_are_found() {
    let counted = count();
    let mut fresh = String::new();
    for (kind, one) in &counted {
        let shares = one.found.map(|found| percent(found, one.groups));
        println!(
            "{kind}: {} groups, found {:.0} % of them within what was tried, {:.0} % of the framework's plans, {:.0} % of its layouts, {:.0} % of all plans; {:.0} % of {} pairs in the measured order",
            one.groups,
            shares[0],
            shares[1],
            shares[2],
            shares[3],
            percent(one.ordered, one.pairs),
            one.pairs,
        );
        let _ = writeln!(
            fresh,
            "[{kind}]\ngroups = {}\nfound = {:?}\npairs = {}\nordered = {}\n",
            one.groups, one.found, one.pairs, one.ordered
        );
    }
    println!("\n{fresh}");
    let record: BTreeMap<String, Counted> = toml::from_str(RECORD).unwrap();
    for (kind, now) in &counted {
        let then = &record[*kind];
        assert_eq!((now.groups, now.pairs), (then.groups, then.pairs), "{kind}: runs were lost or added");
        let fewer = now.found.iter().zip(&then.found).any(|(now, then)| now < then);
        assert!(
            !fewer && now.ordered >= then.ordered,
            "{kind}: fewer than on record. Where that is meant, write this to core/tests/data/layouts.toml:\n{fresh}"
        );
    }
}
