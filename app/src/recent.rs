//! Questions of earlier visits, as the browser's storage holds them: a line each, `2026-11-21 v=1&…&z=1`, newest first.
//!
//! What storage holds was written by nobody knows whom: a line that is no date with a whole question is left out.

use shardwise_core::{Question, permalink};

/// How many are kept.
pub(crate) const MOST: usize = 12;

/// The longest text that is read, in bytes: a dozen links with a model described in each.
const MOST_BYTES: usize = 256 << 10;

/// A question of an earlier visit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recent {
    /// The day on which it was asked last: `YYYY-MM-DD`.
    pub(crate) date: String,
    /// The question as the part of an address after `#`.
    pub(crate) hash: String,
    pub(crate) question: Question,
}

impl Recent {
    fn of_line(line: &str) -> Option<Self> {
        let (date, hash) = line.split_once(' ')?;
        let digit = |(place, c): (usize, u8)| match place {
            4 | 7 => c == b'-',
            _ => c.is_ascii_digit(),
        };
        if date.len() != 10 || !date.bytes().enumerate().all(digit) {
            return None;
        }
        let (question, _) = permalink::open(hash).ok()?;
        Some(Self { date: date.to_owned(), hash: hash.to_owned(), question })
    }
}

/// The questions that a text from the storage holds.
pub(crate) fn read(stored: &str) -> Vec<Recent> {
    if stored.len() > MOST_BYTES {
        return Vec::new();
    }
    let lines = stored.lines().filter_map(Recent::of_line);
    lines.take(MOST).collect()
}

/// The text with a question in front, once, and without what is too much.
pub(crate) fn with(stored: &str, date: &str, hash: &str) -> String {
    let mut text = format!("{date} {hash}\n");
    text.push_str(&without(stored, hash, MOST - 1));
    text
}

/// The text without a question, and with the newest of the others.
pub(crate) fn without(stored: &str, hash: &str, most: usize) -> String {
    let others = read(stored);
    let others = others.iter().filter(|recent| recent.hash != hash);
    let mut text = String::new();
    for recent in others.take(most) {
        text.push_str(&format!("{} {}\n", recent.date, recent.hash));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{MOST, read, with, without};

    fn hash(gpus: usize) -> String {
        let text = format!(
            r#"{{"version":1,"model":"qwen3-8b","hardware":{{"gpu":"h20","gpus":{gpus}}},
               "workload":{{"kind":"sft","sequence_length":4096,"global_batch":64}}}}"#
        );
        let question = shardwise_core::wire::parse_question(&text);
        question.map_or_else(|error| panic!("{error}"), |question| shardwise_core::permalink::to_hash(&question))
    }

    #[test]
    fn the_newest_dozen_is_kept_each_once() {
        let mut stored = String::new();
        for gpus in 1..=20 {
            stored = with(&stored, "2026-11-21", &hash(gpus));
        }
        stored = with(&stored, "2026-11-22", &hash(15));
        let kept = read(&stored);
        assert_eq!(kept.len(), MOST);
        assert_eq!((kept[0].date.as_str(), &kept[0].hash), ("2026-11-22", &hash(15)));
        assert_eq!(kept.iter().filter(|one| one.hash == hash(15)).count(), 1);
        assert_eq!(kept[1].question.hardware.gpus, Some(20));
        let less = without(&stored, &hash(20), MOST);
        assert_eq!(read(&less).len(), MOST - 1);
        assert!(!less.contains(&hash(20)));
    }

    #[test]
    fn a_hostile_storage_is_left_out() {
        let good = format!("2026-11-21 {}", hash(8));
        for bad in [
            "",
            "\u{0}\u{1f}",
            "2026-11-21",
            "2026-11-21 javascript:alert(1)",
            "2026-11-21 v=1&model=x",
            "today v=1&z=1",
            "<img src=x onerror=alert(1)> v=1",
            "2026-13-1x v=1&z=1",
            "2026-11-21 v=1&model=qwen3-8b&hardware.gpu=h20&workload.kind=sft&nonsense=1&z=1",
        ] {
            let stored = format!("{bad}\n{good}\n{bad}");
            assert_eq!(read(&stored).len(), 1, "{bad}");
            // What is written again is what was read.
            assert_eq!(without(&stored, "", MOST), format!("{good}\n"));
        }
        assert!(read(&"2026-11-21 v=1\n".repeat(100_000)).is_empty());
        let many = format!("{good}\n").repeat(40);
        assert_eq!(read(&many).len(), MOST);
    }
}
