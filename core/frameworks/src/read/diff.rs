//! Two texts as a unified diff, by Myers' greedy algorithm (1986, "An O(ND) Difference Algorithm and Its Variations").

use std::fmt::Write;
use std::ops::Range;

use shardwise_catalog::words::hidden;

/// Unchanged lines around a change.
const CONTEXT: usize = 3;
/// Most lines that differ; texts further apart are shown as replaced.
const MOST: usize = 400;

/// What becomes of a line of either text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// It stands in both.
    Keep,
    /// It stands in the one before alone.
    Remove,
    /// It stands in the one after alone.
    Add,
}

/// The texts that differ, each under a head with its name.
pub(super) fn unified(before: &[&str], after: &[String]) -> String {
    let mut out = String::new();
    for (index, (before, after)) in before.iter().zip(after).enumerate() {
        if before != after {
            let name = format!("{}{}", index + 1, kind(before));
            let _ = writeln!(out, "--- pasted/{name}\n+++ changed/{name}");
            hunks(&lines(before), &lines(after), &mut out);
        }
    }
    out
}

/// How a file of this kind would end.
fn kind(text: &str) -> &'static str {
    if text.trim_start().starts_with('{') {
        ".json"
    } else if super::python::looks_like(text) {
        ".py"
    } else if super::toml::looks_like(text) {
        ".toml"
    } else if super::yaml::looks_like(text) {
        ".yaml"
    } else {
        ".sh"
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

fn hunks(before: &[&str], after: &[&str], out: &mut String) {
    let ops = script(before, after);
    // Where each operation stands in either text.
    let mut places = Vec::with_capacity(ops.len());
    let (mut a, mut b) = (0, 0);
    for op in &ops {
        places.push((a, b));
        a += usize::from(*op != Op::Add);
        b += usize::from(*op != Op::Remove);
    }
    for Range { start, end } in groups(&ops) {
        let Some((old, new)) = places.get(start).copied() else {
            continue;
        };
        let of = |without: Op| ops[start..end].iter().filter(|op| **op != without).count();
        let (olds, news) = (of(Op::Add), of(Op::Remove));
        // An empty side stands at the line before it.
        let at = |place: usize, count: usize| place + usize::from(count > 0);
        let _ = writeln!(out, "@@ -{},{olds} +{},{news} @@", at(old, olds), at(new, news));
        for (op, (a, b)) in ops[start..end].iter().zip(&places[start..end]) {
            let (mark, line) = match op {
                Op::Keep => (' ', before.get(*a)),
                Op::Remove => ('-', before.get(*a)),
                Op::Add => ('+', after.get(*b)),
            };
            let line = line.copied().unwrap_or_default();
            // What a terminal would obey is shown as a mark, not repeated.
            let seen = |c: char| {
                if c != '\t' && hidden(c) { '\u{fffd}' } else { c }
            };
            out.push(mark);
            out.extend(line.chars().map(seen));
            out.push('\n');
        }
    }
}

/// Runs of operations with a change in them and its context; those that touch are one.
fn groups(ops: &[Op]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (at, _) in ops.iter().enumerate().filter(|(_, op)| **op != Op::Keep) {
        let (start, end) = (at.saturating_sub(CONTEXT), (at + 1 + CONTEXT).min(ops.len()));
        match groups.last_mut() {
            Some(last) if last.end >= start => last.end = end,
            _ => groups.push(start..end),
        }
    }
    groups
}

/// The shortest way from one text to the other, line by line; of texts that are far apart, all lines of the one and then all of
/// the other.
///
/// ```
/// use shardwise_core::read::{Op, script};
/// assert_eq!(script(&["a", "b"], &["a", "c"]), [Op::Keep, Op::Remove, Op::Add]);
/// ```
#[must_use]
pub fn script(before: &[&str], after: &[&str]) -> Vec<Op> {
    let (n, m) = (before.len(), after.len());
    let most = (n + m).min(MOST);
    let middle = most + 1;
    // How far each diagonal has come, and what it was before every round.
    let mut far = vec![0usize; 2 * middle + 1];
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    for d in 0..=most {
        rounds.push(far.clone());
        let mut k = middle - d;
        while k <= middle + d {
            let down = k == middle - d || (k != middle + d && far[k - 1] < far[k + 1]);
            let mut x = if down { far[k + 1] } else { far[k - 1] + 1 };
            let mut y = (x + middle).saturating_sub(k);
            while x < n && y < m && before[x] == after[y] {
                x += 1;
                y += 1;
            }
            far[k] = x;
            if x == n && y == m {
                return back(&rounds, middle, n, m);
            }
            k += 2;
        }
    }
    let mut ops = vec![Op::Remove; n];
    ops.extend(vec![Op::Add; m]);
    ops
}

/// The way back through the rounds.
fn back(rounds: &[Vec<usize>], middle: usize, n: usize, m: usize) -> Vec<Op> {
    let (mut x, mut y) = (n, m);
    let mut ops = Vec::with_capacity(n + m);
    for (d, far) in rounds.iter().enumerate().rev() {
        let k = (x + middle).saturating_sub(y);
        let down = k == middle - d || (k != middle + d && far[k - 1] < far[k + 1]);
        let from = if down { k + 1 } else { k - 1 };
        let (px, py) = if d == 0 { (0, 0) } else { (far[from], (far[from] + middle).saturating_sub(from)) };
        let (sx, sy) = match (d, down) {
            (0, _) => (0, 0),
            (_, true) => (px, py + 1),
            (_, false) => (px + 1, py),
        };
        while x > sx && y > sy {
            ops.push(Op::Keep);
            x -= 1;
            y -= 1;
        }
        if d > 0 {
            ops.push(if down { Op::Add } else { Op::Remove });
            (x, y) = (px, py);
        }
    }
    ops.reverse();
    ops
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Op, lines, script, unified};

    #[test]
    fn a_line_that_changed() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let after = before.replace('e', "E").to_owned();
        assert_eq!(
            unified(&[before], &[after]),
            "--- pasted/1.sh\n+++ changed/1.sh\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n"
        );
        assert_eq!(unified(&[before], &[before.to_owned()]), "");
    }

    proptest! {
        #[test]
        fn a_script_makes_one_text_of_the_other(a in "[abc\n]{0,40}", b in "[abc\n]{0,40}") {
            let (before, after) = (lines(&a), lines(&b));
            let ops = script(&before, &after);
            let (mut old, mut new) = (before.iter(), after.iter());
            for op in ops {
                match op {
                    Op::Keep => prop_assert_eq!(old.next(), new.next()),
                    Op::Remove => prop_assert!(old.next().is_some()),
                    Op::Add => prop_assert!(new.next().is_some()),
                }
            }
            prop_assert!(old.next().is_none() && new.next().is_none());
        }
    }
}
