//! Whatever is pasted: an answer or an error, soon, and nothing that a terminal would obey.

use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::Value;
use shardwise_core::read::read;
use shardwise_core::{complete, job};

/// No control character in any text of a document.
fn check_texts(value: &Value) {
    match value {
        Value::String(text) => {
            let bad = text.chars().find(|c| {
                c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            });
            assert!(bad.is_none(), "{text:?}");
        }
        Value::Array(items) => items.iter().for_each(check_texts),
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            assert!(!key.chars().any(char::is_control), "{key:?}");
            check_texts(value);
        }),
        _ => {}
    }
}

/// Reads, and checks what comes back; a second for a MiB, unoptimised, on a busy machine.
fn survives(text: &str) {
    let start = Instant::now();
    match read(&[text], None) {
        Ok(reading) => {
            check_texts(&serde_json::to_value(&reading).unwrap());
            if let Ok(job) = job::resolve(&reading.question) {
                let spec = reading.question.plan.clone().unwrap_or_default();
                let _ = complete::complete(&job, &spec);
            }
        }
        Err(trouble) => {
            assert!(!trouble.message.is_empty());
            check_texts(&serde_json::to_value(&trouble).unwrap());
        }
    }
    let allowed = Duration::from_millis(500 + text.len() as u64 / 100);
    assert!(
        start.elapsed() < allowed,
        "{:?} for {} bytes",
        start.elapsed(),
        text.len()
    );
}

/// The examples of the emitters: what mutations begin with.
fn examples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/emit");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect()
}

#[test]
fn large_and_crooked_texts() {
    let run = "python3 -m verl.trainer.main_ppo ";
    let many = |piece: &str, n: usize| piece.repeat(n);
    let mut doubling = String::from("a=xxxxxxxx\n");
    for _ in 0..60 {
        doubling.push_str("a=$a$a\n");
    }
    let mut arrays = String::from("a=(x x)\n");
    for _ in 0..40 {
        arrays.push_str("a=(${a[@]} ${a[@]})\n");
    }
    let nested = format!("x={}1{}", many("${a:-", 50_000), many("}", 50_000));
    for text in [
        many("\0", 1 << 20),
        many("(", 1 << 20),
        many("$", 1 << 20),
        many("$(", 1 << 19),
        many("${", 1 << 19),
        many("\"", 1 << 20),
        many("'", (1 << 20) - 1),
        many("\\", 1 << 20),
        many("`", (1 << 20) - 1),
        many("{", 1 << 20),
        many("{\"a\":", 200_000),
        format!("{{\"a\": {}", many("[", 1 << 19)),
        many("<<", 1 << 19),
        many("> a", 300_000),
        many(">a", 1 << 19),
        many("<<E\n", 1 << 18),
        many("if ", 300_000),
        many("fi\n", 300_000),
        many("a:\n", 300_000),
        many("a: 1\n", 200_000),
        (0..700).map(|n| format!("{}a:\n", many(" ", n))).collect(),
        many("<script>alert(1)</script>", 40_000),
        many("\u{1b}[2J\u{1b}]0;x\u{7}", 50_000),
        many("\u{202e}", 300_000),
        doubling,
        arrays,
        nested,
        format!("x=$(({}1{}))\n", many("(", 100_000), many(")", 100_000)),
        format!("{run}{}", many("data.train_batch_size=1 ", 40_000)),
        format!(
            "{run}{}",
            (0..100_000).map(|n| format!("k{n}=1 ")).collect::<String>()
        ),
        format!(
            "{run}{}",
            (0..15_000)
                .map(|n| format!("actor_rollout_ref.actor.key{n}=1 "))
                .collect::<String>()
        ),
        format!("{run}{}=1", many("a.", 400_000)),
        format!("{run}data.train_batch_size={}", many("9", 500_000)),
        format!("{run}trainer.nnodes=9007199254740992 trainer.n_gpus_per_node=9007199254740992"),
        format!(
            "{run}actor_rollout_ref.model.path={}",
            many("Qwen3-8B-", 100_000)
        ),
        format!("{run}actor_rollout_ref.model.path={}", many("a/", 400_000)),
        format!(
            "{run}data.x='${{a.b}}' a.b='${{data.x}}' data.train_batch_size='${{data.train_batch_size}}'"
        ),
    ] {
        survives(&text);
    }
}

#[test]
fn escapes_and_markup_come_back_as_plain_text() {
    let text = "python3 -m verl.trainer.main_ppo $'\\x1b[31m'=1 '\u{1b}[2Jdata.x'=$'\u{7}' '<b>data</b>=<script>' trainer.nnodes='\u{202e}4'";
    let reading = read(&[text], None).unwrap();
    let document = serde_json::to_value(&reading).unwrap();
    check_texts(&document);
    // Every word is accounted for.
    assert_eq!(
        reading.unknown.len()
            + reading
                .refused
                .iter()
                .filter(|one| one.key == "trainer.nnodes")
                .count(),
        4,
        "{document:#}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        survives(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_shell(pieces in prop::collection::vec(prop::sample::select(vec![
        "x=1", "x=$y", " ", " ", "\n", "\\\n", "\\", "'", "\"", "`", "$(", ")", "$((", "))", "${", "}", "${x:-", "${a[@]}", "a=(", "(", ";", "&&", "||", "|",
        "&", ">", "<", "<<E", "E", "if", "then", "else", "elif", "fi", "for", "do", "done", "while", "case", "esac", "{", "[", "]", "[[", "]]", "=", "!", "#",
        "export ", "set -- ", "python3 -m verl.trainer.main_ppo ", "data.train_batch_size=", "1024", "*", "-", "~", "+", "++", "trainer.nnodes=", "null", "True",
        "entrypoint.py grpo ", "--config-file", "models.policy.load=", "pretrain_gpt.py ", "--num-layers ", "deepspeed ", "{\"zero_optimization\": ", "é", "\u{0}",
    ]), 0..120)) {
        survives(&pieces.concat());
    }

    #[test]
    fn any_yaml(pieces in prop::collection::vec(prop::sample::select(vec![
        "runtime_args:", "models:", "policy:", "num_gpu:", " ", "  ", "    ", "\n", "\n", "- ", "a: 1", "[", "]", "{", "}", ",", "'", "\"", "#", "&a", "*a", "|", ">", "---", ":", "null",
        "8", "${models.policy.num_gpu}", "\t", "!!str",
    ]), 0..80)) {
        survives(&format!("runtime_args:\n{}", pieces.concat()));
    }

    /// Emitted texts with pieces cut out, doubled and thrown in.
    #[test]
    fn altered_texts(which in 0usize..9, edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..40, 0usize..3, "\\PC{0,6}"), 1..12)) {
        let examples = examples();
        let mut text: Vec<char> = examples[which % examples.len()].chars().collect();
        for (at, length, kind, insert) in edits {
            if text.is_empty() {
                break;
            }
            let at = at.index(text.len());
            let end = (at + length).min(text.len());
            match kind {
                0 => { text.drain(at..end); }
                1 => { let piece: Vec<char> = text[at..end].to_vec(); text.splice(at..at, piece); }
                _ => { text.splice(at..at, insert.chars()); }
            }
        }
        survives(&text.into_iter().collect::<String>());
    }

    /// Numbers of any size in place of the emitted ones.
    #[test]
    fn altered_numbers(which in 0usize..9, at in any::<prop::sample::Index>(), number in prop_oneof![
        Just("0".to_owned()), Just("-1".to_owned()), Just("1e400".to_owned()), Just("NaN".to_owned()), Just("inf".to_owned()), Just("0.5".to_owned()),
        any::<u64>().prop_map(|n| n.to_string()), any::<i64>().prop_map(|n| n.to_string()), any::<f64>().prop_map(|n| n.to_string()), Just("9007199254740992".to_owned()),
    ]) {
        let examples = examples();
        let text = &examples[which % examples.len()];
        let places: Vec<usize> = text.match_indices('=').map(|(at, _)| at + 1).collect();
        if !places.is_empty() {
            let at = places[at.index(places.len())];
            let end = text[at..].find([' ', '\n']).map_or(text.len(), |end| at + end);
            survives(&format!("{}{number}{}", &text[..at], &text[end..]));
        }
    }
}

/// The command line: the report of a text, and status 1 with line and remedy where there is none.
#[cfg(feature = "cli")]
#[test]
fn the_command_line_says_what_it_read_or_why_not() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let run = |arguments: &[&str], text: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_shardwise"))
            .arg("read")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let text = include_str!("../golden/emit/chatlearn-grpo-fsdp.run_chatlearn.sh");
    let (status, report, _) = run(&["--gpu", "h20-141g"], text);
    assert_eq!(status, Some(0));
    for says in [
        "ChatLearn, read as this question",
        "h20-141g",
        "Understood (",
        "Assumed (",
        "Speed: ",
        "Memory: ",
    ] {
        assert!(report.contains(says), "{says}: {report}");
    }
    let (status, document, _) = run(&["--json"], text);
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(
        (status, document["framework"].as_str()),
        (Some(0), Some("chatlearn"))
    );
    let (status, out, error) = run(&[], "x='\u{1b}[31m open");
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(
        error.contains("line 1: A single quote") && !error.contains('\u{1b}'),
        "{error:?}"
    );
    let (status, document, _) = run(&["--json"], "nothing");
    assert!(
        status == Some(1) && document.contains("\"error\""),
        "{document}"
    );
}
