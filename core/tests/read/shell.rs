//! What of bash is read.

use serde_json::json;
use shardwise_core::read::read;

use super::{field, reading};

/// Reads lines before a command, and gives a key's value as the reading repeats it.
#[track_caller]
fn value(before: &str, word: &str) -> String {
    let text = format!("{before}\npython3 -m verl.trainer.main_ppo {word}\n");
    let reading = reading(&text);
    reading
        .understood
        .iter()
        .find(|one| one.key == "data.train_batch_size")
        .map(|one| one.value.clone())
        .unwrap_or_else(|| format!("unknown: {:?}", reading.unknown))
}

#[test]
fn variables_arithmetic_and_quotes() {
    for (before, word, expected) in [
        ("x=512", "data.train_batch_size=$x", "512"),
        ("x=512", "data.train_batch_size=\"${x}\"", "512"),
        ("x=512", "'data.train_batch_size'=${x:-7}", "512"),
        ("", "data.train_batch_size=${x:-7}", "7"),
        ("y=8", "data.train_batch_size=${x:-$((y * 2))}", "16"),
        ("x=$((1024 * 2))", "data.train_batch_size=$x", "2048"),
        ("a=3\nb=4", "data.train_batch_size=$(((a + b) * 2))", "14"),
        ("export x=5", "data.train_batch_size=$x", "5"),
        (": ${x:=6}", "data.train_batch_size=$x", "6"),
        ("x=1\nx+=2", "data.train_batch_size=$x", "12"),
        ("x=1 # a comment\n# x=2", "data.train_batch_size=$x", "1"),
        ("x=1; y=2 && z=3", "data.train_batch_size=$z", "3"),
        ("args=(\n  data.train_batch_size=9  # why\n)", "\"${args[@]}\"", "9"),
        ("args=(data.train_batch_size=9)\nargs+=(data.shuffle=True)", "${args[@]}", "9"),
        ("args='data.train_batch_size=9 data.shuffle=True'", "$args", "9"),
        ("set -- data.train_batch_size=11", "\"$@\"", "11"),
        ("", "data.train_batch_size=1 data.train_batch_size=2", "2"),
        ("", "\\\n  data.train_batch_size=3 \\\n  \"$@\"", "3"),
        ("", "+data.train_batch_size=4", "unknown: []"),
        ("if [ \"$m\" = a ]; then x=1; else x=2; fi", "data.train_batch_size=$x", "2"),
        ("m=a\nif [[ $m == a ]]; then\n x=1\nelif [ -z \"$m\" ]; then x=2\nfi", "data.train_batch_size=$x", "1"),
        ("[ -z \"$x\" ] && x=4", "data.train_batch_size=$x", "4"),
        ("x=5\n[ -z \"$x\" ] && x=4", "data.train_batch_size=$x", "5"),
        ("f() {\n x=1\n}\nx=2", "data.train_batch_size=$x", "2"),
        ("for x in 1 2; do echo $x; done", "data.train_batch_size=$x", "1"),
        ("cat > f <<EOF\nx=9\nEOF\nx=1", "data.train_batch_size=$x 2>&1 | tee log", "1"),
        ("x=`id`; x=8", "data.train_batch_size=$x", "8"),
        ("p=a/b/512", "data.train_batch_size=${p##*/}", "512"),
        (
            "d=npu\ncase \"${d}\" in\n  gpu) x=1 ;;\n  (npu|tpu)\n    x=2\n    ;;\n  *) exit 1 ;;\nesac",
            "data.train_batch_size=$x",
            "2",
        ),
        ("d=other\ncase $d in a) x=1;; b*) x=2;; *) x=3; esac", "data.train_batch_size=$x", "3"),
        ("case $(uname) in Linux) x=1 ;; *) exit 1 ;; esac", "data.train_batch_size=$x", "1"),
        ("x=4\ncase \"$1\" in --x) x=1 ;; *) exit 1 ;; esac", "data.train_batch_size=$x", "4"),
        ("n=8\nx=1\nif (( n % 4 != 0 )); then exit 1; elif ((n == 8)); then x=2; fi", "data.train_batch_size=$x", "2"),
        ("\u{feff}x=512\r", "data.train_batch_size=$x\r", "512"),
    ] {
        let found = value(before, word);
        // The key is reported as written, so the one with a mark is not found under its plain name.
        assert_eq!(found, expected, "{before:?} {word:?}");
    }
}

#[test]
fn nothing_is_run_and_what_a_run_would_tell_is_said() {
    let text = "n=$(nvidia-smi -L | wc -l)\npython3 -m verl.trainer.main_ppo trainer.n_gpus_per_node=$n trainer.nnodes=$NODES data.train_batch_size=$((n * 2))";
    let reading = reading(text);
    let hint = |key: &str| {
        let one = reading.unknown.iter().find(|one| one.key == key).unwrap();
        assert_eq!(one.line, 2);
        one.hint.clone()
    };
    assert!(hint("trainer.n_gpus_per_node").contains("$(nvidia-smi"), "{}", hint("trainer.n_gpus_per_node"));
    assert!(hint("trainer.nnodes").contains("NODES"));
    assert!(hint("data.train_batch_size").contains("$((n * 2))"));
    assert!(
        reading
            .notes
            .iter()
            .any(|note| note.line == 1 && note.text.contains("is not run"))
    );
    // Nothing of it became a number; the calculator's own are assumed.
    assert!(reading.assumed.iter().any(|one| one.field == "hardware.gpus"));
}

#[test]
fn troubles_name_line_and_remedy() {
    for (text, line, says) in [
        ("x=1\ny='open", 2, "single quote opens here and never closes"),
        ("x=\"open\npython3", 1, "double quote"),
        ("x=$(open", 1, "parenthesis after `$`"),
        ("a=(\n1\n2", 1, "array opens here"),
        ("x=${y", 1, "brace"),
        ("if ((x", 1, "double parenthesis"),
        ("", 0, "nothing to read"),
        ("hello world", 0, "no text of veRL"),
        ("{\"a\": }", 1, "not JSON"),
        ("{\n\"train_batch_size\": 1,\n}", 3, "not JSON"),
        ("runtime_args:\n  a: *b\n", 2, "alias"),
    ] {
        let trouble = read(&[text], None).unwrap_err();
        assert_eq!(trouble.line, line, "{text:?}: {trouble}");
        assert!(trouble.message.contains(says), "{text:?}: {trouble}");
        assert!(trouble.message.ends_with('.'), "{trouble}");
    }
}

#[test]
fn a_setting_outside_its_command_is_said_and_not_read() {
    let text = "python3 -m verl.trainer.main_ppo \\\n  trainer.nnodes=1 \\ \n  trainer.n_gpus_per_node=4\n";
    let reading = reading(text);
    assert!(reading.refused.iter().any(|one| one.key == "\\" && one.line == 2), "{:?}", reading.refused);
    let stray = reading
        .refused
        .iter()
        .find(|one| one.key.starts_with("trainer.n_gpus_per_node"))
        .unwrap();
    assert!(stray.line == 3 && stray.why.contains("command of line 1"), "{stray:?}");
    assert_eq!(field(&reading, "hardware.gpus"), json!(8));
}

#[test]
fn launchers_and_prompts() {
    for text in [
        "$ python3 -m verl.trainer.main_ppo trainer.n_gpus_per_node=4",
        "PYTHONUNBUFFERED=1 python -m verl.trainer.main_ppo --config-path=config trainer.n_gpus_per_node=4",
        "ray job submit --no-wait --runtime-env=\"$ENV\" -- python3 -m recipe.dapo.main_dapo trainer.n_gpus_per_node=4",
        "nohup python verl/trainer/main_ppo.py trainer.n_gpus_per_node=4 > log 2>&1 &",
        "```bash\npython3 -m verl.trainer.main_ppo trainer.n_gpus_per_node=4\n```",
        "cd verl && python3 -m verl.trainer.main_ppo trainer.n_gpus_per_node=4",
    ] {
        let reading = reading(text);
        assert_eq!(field(&reading, "hardware.gpus"), json!(4), "{text}");
        assert!(reading.unknown.is_empty(), "{text}: {:?}", reading.unknown);
    }
    let reading =
        reading("torchrun --standalone --nnodes=2 --nproc_per_node 4 -m verl.trainer.sft_trainer data.max_length=2048");
    assert_eq!(field(&reading, "hardware.gpus"), json!(8));
    assert_eq!(field(&reading, "hardware.gpus_per_node"), json!(4));
    assert_eq!(field(&reading, "workload.sequence_length"), json!(2048));
}
