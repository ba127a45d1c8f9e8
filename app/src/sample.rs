//! How long the examples of a data set are, estimated from a sample of it: lines of text, JSON Lines, JSON or CSV.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shardwise_core::sheet::csv_rows;

/// Tokens of a character, and of one of Chinese, Japanese or Korean: what `DeepSeek` gives for its own tokenizer
/// (<https://api-docs.deepseek.com/quick_start/token_usage>). Others differ by a tenth or two.
pub(crate) const TOKENS: [f64; 2] = [0.3, 0.6];

/// Bytes of a file that are counted at most.
pub(crate) const MOST_BYTES: usize = 4 << 20;

/// Keys of a record whose text no model is trained on.
const ABOUT: [&str; 9] = ["role", "from", "id", "source", "type", "name", "url", "dataset", "category"];

/// Keys under which a data set of RL has its prompts.
const PROMPTS: [&str; 7] = ["prompt", "question", "problem", "query", "input", "instruction", "messages"];

/// Lengths of a sample's examples, in tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// The file's name; empty for what was pasted.
    pub(crate) file: String,
    /// Whether all of it was counted.
    pub(crate) whole: bool,
    /// How many there are.
    pub(crate) examples: usize,
    pub(crate) mean: f64,
    /// Standard deviation over the mean.
    pub(crate) cv: f64,
    /// What nineteen of twenty do not exceed.
    pub(crate) most: f64,
    pub(crate) longest: f64,
}

/// Counts a sample; of RL the prompts alone. `None` where it has no example.
pub(crate) fn count(text: &str, prompts: bool, file: String, whole: bool) -> Option<Sample> {
    // What was cut off ends in the middle of an example.
    let cut = if whole { text } else { text.rsplit_once('\n').map_or(text, |(before, _)| before) };
    let mut lengths = lengths(cut.trim_start_matches('\u{feff}'), prompts, &file);
    lengths.retain(|length| *length > 0.0);
    lengths.sort_by(f64::total_cmp);
    let examples = lengths.len();
    let longest = *lengths.last()?;
    let most = lengths.get((examples * 95).div_ceil(100) - 1).copied().unwrap_or(longest);
    let mean = lengths.iter().sum::<f64>() / examples as f64;
    let square = lengths.iter().map(|length| (length - mean) * (length - mean)).sum::<f64>() / examples as f64;
    Some(Sample { file, whole, examples, mean, cv: square.sqrt() / mean, most, longest })
}

fn lengths(text: &str, prompts: bool, file: &str) -> Vec<f64> {
    if let Ok(Value::Array(all)) = serde_json::from_str(text) {
        return all.iter().map(|own| of_record(own, prompts)).collect();
    }
    let records: Option<Vec<Value>> = lines(text).map(|line| serde_json::from_str(line).ok()).collect();
    match records {
        Some(records) if records.iter().any(|own| own.is_object() || own.is_array()) => {
            records.iter().map(|own| of_record(own, prompts)).collect()
        }
        _ if file.to_ascii_lowercase().ends_with(".csv") || is_csv(text) => of_csv(text, prompts),
        _ => lines(text).map(tokens).collect(),
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty())
}

/// Whether a pasted text is a table: every one of its first lines has as many commas, and its first names columns.
fn is_csv(text: &str) -> bool {
    let commas = |line: &str| line.matches(',').count();
    let mut first = lines(text).take(3);
    let Some(head) = first.next() else { return false };
    let named = head
        .split(',')
        .all(|name| !name.trim().is_empty() && name.split_whitespace().count() <= 3);
    let quoted = |line: &str| line.contains('"') || commas(line) == commas(head);
    commas(head) > 0 && named && first.all(quoted)
}

/// What a text comes to in tokens.
fn tokens(text: &str) -> f64 {
    let wide = |c: char| ('\u{2e80}'..='\u{9fff}').contains(&c) || ('\u{ac00}'..='\u{d7a3}').contains(&c);
    text.trim().chars().map(|c| TOKENS[usize::from(wide(c))]).sum()
}

fn of_record(record: &Value, prompts: bool) -> f64 {
    if let (true, Value::Object(map)) = (prompts, record)
        && let Some(prompt) = PROMPTS.iter().find_map(|key| map.get(*key))
    {
        return of_value(prompt);
    }
    of_value(record)
}

fn of_value(value: &Value) -> f64 {
    match value {
        Value::String(text) => tokens(text),
        Value::Array(all) => all.iter().map(of_value).sum(),
        Value::Object(map) => {
            let told = map.iter().filter(|(key, _)| !ABOUT.contains(&key.as_str()));
            told.map(|(_, value)| of_value(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0.0,
    }
}

fn of_csv(text: &str, prompts: bool) -> Vec<f64> {
    let mut rows = csv_rows(text, ',').into_iter().map(|(_, row)| row);
    let head: Vec<String> = rows.next().unwrap_or_default();
    let heads: Vec<String> = head.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
    let of = |key: &&&str| heads.iter().position(|name| name == **key);
    let prompt = PROMPTS
        .iter()
        .find(|key| of(key).is_some())
        .and_then(|key| of(&key))
        .filter(|_| prompts);
    let counts = |place: usize| match prompt {
        Some(prompt) => place == prompt,
        None => heads.get(place).is_none_or(|name| !ABOUT.contains(&name.as_str())),
    };
    rows.map(|row| {
        row.iter()
            .enumerate()
            .filter(|(at, _)| counts(*at))
            .map(|(_, cell)| tokens(cell))
            .sum()
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::{Sample, count};

    fn counted(text: &str, prompts: bool, file: &str) -> Sample {
        count(text, prompts, file.to_owned(), true).unwrap_or_else(|| panic!("{text} has examples"))
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} beside {b}");
    }

    #[test]
    fn lines_are_examples() {
        let text = format!("{}\n\n{}\r\n{}\n", "a".repeat(10), "b".repeat(20), "中".repeat(10));
        let own = counted(&text, false, "");
        assert_eq!(own.examples, 3);
        close(own.mean, (3.0 + 6.0 + 6.0) / 3.0);
        close(own.longest, 6.0);
        close(own.cv, 2.0_f64.sqrt() / 5.0);
        // A hundred lines: nineteen of twenty are no longer than the 95th.
        let text: Vec<String> = (1..=100).map(|length| "x".repeat(length)).collect();
        close(counted(&text.join("\n"), false, "").most, 95.0 * 0.3);
        assert_eq!(count(" \n\n", false, String::new(), true), None);
        assert_eq!(count("", true, String::new(), true), None);
    }

    #[test]
    fn records_count_what_is_trained_on() {
        let chat = r#"{"id": "aaaaaaaaaaaa", "messages": [{"role": "user", "content": "0123456789"}, {"role": "assistant", "content": "01234567890123456789"}], "score": 3}"#;
        let both = format!("{chat}\n{chat}\n");
        close(counted(&both, false, "x.jsonl").mean, 9.0);
        assert_eq!(counted(&format!("[{chat},{chat},{chat}]"), false, "").examples, 3);
        let rl = "{\"prompt\": \"0123456789\", \"answer\": \"0123456789\"}\n";
        close(counted(rl, true, "").mean, 3.0);
        close(counted(rl, false, "").mean, 6.0);
        // Numbers are lines of a text, too.
        assert_eq!(counted("12\n13\n", false, "").examples, 2);
    }

    #[test]
    fn tables_have_a_head() {
        let table = "id,question,answer\n1,0123456789,\"0123,\n\"\"789\"\n2,01234,56789\n";
        let own = counted(table, false, "x.csv");
        assert_eq!(own.examples, 2);
        // Ten characters, and ten more with the line's end.
        close(own.longest, 3.0 + 3.0);
        close(counted(table, true, "").longest, 3.0);
        // Prose with commas is none.
        assert_eq!(
            counted("Well, this is a long sentence of many words\nand this, too, is one\n", false, "").examples,
            2
        );
    }

    #[test]
    fn what_was_cut_off_does_not_count() {
        let own = count("0123456789\n0123456789\n012", false, "x.txt".to_owned(), false);
        assert_eq!(own.map(|own| (own.examples, own.longest.round())), Some((2, 3.0)));
    }
}
