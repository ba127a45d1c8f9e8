//! The command line as a program: exit statuses, files and pipes, help, completions, man pages.
#![cfg(feature = "cli")]
#![allow(clippy::too_many_lines, reason = "a test is a list of what is tried")]
#![allow(clippy::unwrap_used)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use shardwise_core::catalog;

const QUESTION: &str = r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8}, "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#;

const COMMANDS: [&str; 18] = [
    "estimate",
    "sensitivity",
    "explain",
    "methods",
    "efficiency",
    "search",
    "flags",
    "calibrate",
    "check",
    "contribute",
    "mcp",
    "read",
    "catalog",
    "schema",
    "link",
    "serve",
    "completions",
    "man",
];

fn shardwise(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shardwise"));
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = shardwise(arguments).spawn().unwrap();
    // A command that stops reading early has said why.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A folder for one test alone, empty: the tests run side by side, so no two may give it the same name.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Whether the program is there; where it is not, says what is left out. Past the test's own output, which is kept back.
fn there(program: &str, what: &str) -> bool {
    let there = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok();
    if !there {
        let says = format!("not checked, for want of {program}: {what}\n");
        std::io::stderr().write_all(says.as_bytes()).unwrap();
    }
    there
}

#[test]
fn each_exit_status_means_what_the_help_says() {
    let refused = QUESTION.replace("\"gpus\": 8", "\"gpus\": 0");
    let unfit = QUESTION
        .replace("\"gpus\": 8", "\"gpus\": 1")
        .replace("qwen3-8b", "llama-3.1-70b");
    for (arguments, input, status) in [
        (&["estimate"][..], QUESTION, 0),
        (&["estimate"], &unfit, 0),
        (&["estimate"], &refused, 1),
        (&["estimate", "-"], QUESTION, 0),
        (&["read"], "echo hello", 1),
        (&["--help"], "", 0),
        (&["help", "search"], "", 0),
        (&["--version"], "", 0),
        (&[], "", 2),
        (&["guess"], "", 2),
        (&["estimate", "--quickly"], "", 2),
        (&["estimate", "no-such-file"], "", 2),
        (&["estimate", "--efficiency", "/dev/null"], QUESTION, 2),
        (&["flags"], QUESTION, 2),
        (&["flags", "--for", "keras"], QUESTION, 2),
        (&["search", "--for", "keras"], QUESTION, 2),
        (&["completions", "ksh"], "", 2),
        (&["man", "--dir", "/dev/null/man"], "", 2),
    ] {
        let output = run(arguments, input);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        // What went wrong with a question is on its line, everything else on standard error.
        let said = text(&output.stderr);
        let on_its_line = status == 0 || arguments == ["estimate"];
        assert_eq!(said.is_empty(), on_its_line, "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    }
    let help = run(&["--help"], "");
    for line in ["Exit status:", "\n  0  ", "\n  1  ", "\n  2  ", "\n  3  ", "\n  4  "] {
        assert!(text(&help.stdout).contains(line), "{line}");
    }
}

const SCRIPT: &str = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\\n    data.train_batch_size=256 \\\n    actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct \\\n    actor_rollout_ref.rollout.n=8 trainer.n_gpus_per_node=8 trainer.nnodes=1\n";

#[test]
fn a_check_says_its_verdict_by_its_exit_status_and_in_every_format() {
    let folder = folder("check");
    let named = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let fits = named("fits, 100 %: yes.sh", SCRIPT);
    let large = named("large.sh", &SCRIPT.replace("7B", "72B"));
    let asks = named("asks.sh", &SCRIPT.replace("Qwen/Qwen2.5-7B-Instruct", "our/model"));
    let other = named("other.sh", "ls\n");
    let status = |arguments: &[&str]| run(arguments, SCRIPT).status.code();
    for (arguments, expected) in [
        (vec!["check", &fits], 0),
        (vec!["check"], 0),
        (vec!["check", &large], 4),
        (vec!["check", &asks], 1),
        (vec!["check", &asks, "--model", "qwen2.5-7b"], 0),
        (vec!["check", &other], 1),
        (vec!["check", &other, "--skip-others"], 0),
        (vec!["check", &fits, &asks, &large], 4),
        (vec!["check", &fits, "--gpu", "h1000"], 2),
        (vec!["check", &fits, "--risk", "1"], 2),
        (vec!["check", "no-such-file"], 2),
    ] {
        assert_eq!(status(&arguments), Some(expected), "{arguments:?}");
    }
    // As sure as its estimate is, and no surer.
    let unsure = |risk: &str| status(&["check", &fits, "--gpu", "rtx-4090", "--gpus", "16", "--risk", risk]);
    assert!(unsure("0.5") <= unsure("0.999"));

    let written = |format: &str| {
        let output = run(&["check", &fits, &large, &asks, "--format", format], "");
        assert_eq!(output.status.code(), Some(4), "{format}");
        text(&output.stdout).to_owned()
    };
    let lines = written("text");
    assert_eq!(lines.lines().filter(|line| !line.starts_with(' ')).count(), 3, "{lines}");
    let documents: Vec<serde_json::Value> = written("json")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(documents.iter().map(|one| &one["verdict"]).collect::<Vec<_>>(), ["fits", "unfit", "unknown"]);
    let github = written("github");
    assert!(github.contains(&format!("::error file={large},line=")), "{github}");
    let sarif: serde_json::Value = serde_json::from_str(&written("sarif")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(sarif["runs"].as_array().unwrap().len(), 1);
    let run = &sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(results.len() >= 2);
    for result in results {
        let place = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[place]["id"], result["ruleId"]);
        assert!(result["message"]["text"].is_string() && result["level"].is_string());
        let location = &result["locations"][0]["physicalLocation"];
        assert!(location["region"]["startLine"].as_u64() >= Some(1));
        let uri = location["artifactLocation"]["uri"].as_str().unwrap();
        assert!(!uri.contains([' ', ':', '%']) || uri.contains("%20"), "{uri}");
    }
    let junit = written("junit");
    assert!(junit.contains(r#"<testsuites name="shardwise" tests="3" failures="1" errors="1">"#), "{junit}");
    assert_eq!(junit.matches("<testcase ").count(), 3);
}

#[test]
fn a_check_reads_the_files_that_belong_to_each_run() {
    let folder = folder("check-with");
    let zero = folder.join("zero.yaml");
    std::fs::write(
        &zero,
        "compute_environment: LOCAL_MACHINE\ndeepspeed_config:\n  zero_stage: 3\ndistributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_machines: 1\nnum_processes: 8\n",
    )
    .unwrap();
    let script = "trl sft --model_name_or_path Qwen/Qwen3-8B --max_length 2048 --bf16 --per_device_train_batch_size 1 --gradient_checkpointing\n";
    // One GPU holds no 131 GB of states; eight hold a share each.
    assert_eq!(run(&["check"], script).status.code(), Some(4));
    assert_eq!(run(&["check", "-", "--with", zero.to_str().unwrap()], script).status.code(), Some(0));
}

#[test]
fn a_price_sheet_is_asked_beside_the_catalog_or_instead_of_it() {
    let folder = folder("prices");
    let sheet = |name: &str, text: &str| {
        let path = folder.join(format!("{name}.csv"));
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let dear = sheet("dear", "gpu,usd_per_gpu_hour,provider,count\nh100-sxm,99,Campus,8\n");
    let cheap = sheet("cheap", "gpu;price\nH100 SXM;0.5\n");
    let wrong = sheet("wrong", "gpu,price\nh100-sxm,2\nh100-sxn,2\nh100-sxm,free\n");
    let provider = |arguments: &[&str]| {
        let output = run(arguments, QUESTION);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let answer = line.get("offers").map_or(&line, |offers| &offers[0]["answer"]);
        answer["offer"]["provider"].as_str().unwrap_or_default().to_owned()
    };
    assert_ne!(provider(&["estimate", "--prices", &dear]), "Campus");
    assert_eq!(provider(&["estimate", "--prices", &dear, "--only-prices"]), "Campus");
    assert_eq!(provider(&["estimate", "--prices", &cheap]), "your price sheet");
    assert_eq!(provider(&["search", "--gpu", "h100-sxm", "--prices", &cheap]), "your price sheet");
    // Every bad line, in the language that is asked for; and a switch that says nothing alone.
    for (lang, says) in [("en", "without a currency"), ("zh", "不带货币符号")] {
        let output = run(&["estimate", "--lang", lang, "--prices", &wrong], QUESTION);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(".csv:3: gpu: ") && said.contains(".csv:4: price: ") && said.contains(says), "{said}");
    }
    assert_eq!(run(&["estimate", "--only-prices"], QUESTION).status.code(), Some(2));
}

#[test]
fn what_went_wrong_is_named_with_the_remedy() {
    let src = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    for (arguments, says) in [
        (&["estimate", "no-such-file"][..], "no-such-file: "),
        (&["estimate", src], "Name the files in it."),
        (
            &["estimate", "--efficiency", "/dev/null"],
            "/dev/null: EOF while parsing a value at line 1 column 0. `shardwise efficiency` prints",
        ),
        (&["flags", "--for", "very"], "'verl'"),
        (&["serch"], "'search'"),
    ] {
        let output = run(arguments, QUESTION);
        let said = text(&output.stderr);
        assert!(said.contains(says), "{arguments:?}: {said}");
    }
    let output = run(&["estimate", src, "--lang", "zh"], "");
    assert!(text(&output.stderr).contains("这是文件夹"));
}

#[test]
fn version_names_the_data_too() {
    let first = format!("shardwise {} (data {})\n", env!("CARGO_PKG_VERSION"), catalog::VERSION);
    assert_eq!(text(&run(&["-V"], "").stdout), first);
    // What this test was told when it was compiled, the program was, too.
    let commit = option_env!("SHARDWISE_COMMIT")
        .filter(|commit| !commit.is_empty())
        .unwrap_or("not recorded");
    let rest = format!("commit {commit}\nnewest figure {}, newest price {}\n", catalog::NEWEST, catalog::PRICES_AS_OF);
    assert_eq!(text(&run(&["--version"], "").stdout), first + &rest);
}

#[test]
#[cfg(unix)]
fn help_names_the_program_however_it_was_started() {
    use std::os::unix::process::CommandExt as _;

    for arguments in [&["help"][..], &["help", "search"], &["catalog", "--help"]] {
        let output = shardwise(arguments).arg0("shardwise.exe").output().unwrap();
        let usage = text(&output.stdout).lines().find(|line| line.starts_with("Usage:")).unwrap();
        assert!(usage.starts_with("Usage: shardwise "), "{usage}");
    }
}

#[test]
fn files_and_standard_input_are_read_in_the_order_of_their_names() {
    let folder = folder("order");
    let file = folder.join("question.json");
    std::fs::write(&file, QUESTION.replace(", ", ",\n")).unwrap();
    let file = file.to_str().unwrap();
    let other = QUESTION.replace("qwen3-8b", "llama-3.1-8b");
    let apart = run(&["estimate"], QUESTION).stdout;
    let both = run(&["estimate", file, "-", file], &other).stdout;
    let lines: Vec<&str> = text(&both).lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], text(&apart).trim_end());
    assert_eq!(lines[0], lines[2]);
    assert_ne!(lines[0], lines[1]);

    let script = include_str!("golden/emit/chatlearn-grpo-fsdp.run_chatlearn.sh");
    let piped = run(&["read", "--json", "-"], script);
    assert_eq!(piped.status.code(), Some(0));
    assert_eq!(piped.stdout, run(&["read", "--json"], script).stdout);
}

#[test]
fn who_asks_line_by_line_is_answered_line_by_line() {
    let mut child = shardwise(&["estimate"]).spawn().unwrap();
    let mut questions = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        writeln!(questions, "{QUESTION}").unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert!(answer.starts_with("{\"version\":1"), "{answer}");
    }
    drop(questions);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_reader_that_ends_first_is_no_error() {
    let many = format!("{QUESTION}\n").repeat(50);
    for (arguments, input) in [
        (&["estimate"][..], many.as_str()),
        (&["catalog", "models"], ""),
        (&["schema"], ""),
        (&["methods"], ""),
        (&["completions", "zsh"], ""),
        (&["man"], ""),
    ] {
        let mut child = shardwise(arguments).spawn().unwrap();
        // Before the program can write, so that its first write fails.
        drop(child.stdout.take());
        let mut stdin = child.stdin.take().unwrap();
        drop(stdin.write_all(input.as_bytes()));
        drop(stdin);
        let mut said = String::new();
        let mut errors = child.stderr.take().unwrap();
        errors.read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}");
        assert_eq!(said, "", "{arguments:?}");
    }
}

#[test]
fn every_command_explains_itself_with_an_example() {
    let help = run(&["--help"], "");
    for name in COMMANDS {
        assert!(text(&help.stdout).contains(&format!("\n  {name} ")), "{name}");
        let own = run(&[name, "--help"], "");
        assert_eq!(own.status.code(), Some(0), "{name}");
        let own = text(&own.stdout);
        let (_, examples) = own.split_once("\nExample").unwrap_or_default();
        let example = examples.contains(&format!("shardwise {name}"));
        // One without the page says how to get one with it.
        let how = ["mcp", "serve"].contains(&name) && own.contains("make cli");
        assert!(example || how, "{name}: {own}");
    }
}

#[test]
#[cfg(not(feature = "serve"))]
fn a_program_without_the_page_says_how_to_get_one() {
    for arguments in [&["serve"][..], &["serve", "--port", "8090"]] {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("`make cli`"));
    }
}

#[test]
fn bash_completes_commands_options_and_values() {
    if !there("bash", "its completions") {
        return;
    }
    let script = folder("bash").join("shardwise");
    std::fs::write(&script, run(&["completions", "bash"], "").stdout).unwrap();
    // As bash calls it: the words, which one it is, the word and the one before it.
    let complete = |words: &[&str]| {
        let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
        let output = Command::new("bash")
            .args(["--norc", "-euc"])
            .arg(
                r#"source "$1"; shift; last=$1 before=$2; shift 2; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
                [ "$(complete -p shardwise | grep -c -- '-F _shardwise')" = 1 ]
                _shardwise shardwise "$last" "$before"; printf '%s\n' "${COMPREPLY[@]}""#,
            )
            .arg("bash")
            .arg(&script)
            .args([last, before])
            .args(words)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).trim_end().to_owned()
    };
    assert_eq!(complete(&["shardwise", "est"]), "estimate");
    assert_eq!(complete(&["shardwise", "flags", "--fo"]), "--for");
    assert_eq!(complete(&["shardwise", "flags", "--for", "ver"]), "verl");
    assert_eq!(complete(&["shardwise", "search", "--by", "c"]), "cost");
    assert_eq!(complete(&["shardwise", "catalog", "g"]), "gpus");
    let commands = complete(&["shardwise", ""]);
    for name in COMMANDS {
        assert!(commands.lines().any(|one| one == name), "{name}");
    }
}

#[test]
fn each_shell_takes_its_completions() {
    for (shell, check) in [
        ("bash", &["-n"][..]),
        ("zsh", &["-n"]),
        ("fish", &["--no-execute"]),
        ("pwsh", &["-NoProfile", "-File"]),
        ("elvish", &["-compileonly"]),
    ] {
        let name = if shell == "pwsh" { "powershell" } else { shell };
        let script = run(&["completions", name], "").stdout;
        for command in COMMANDS {
            assert!(text(&script).contains(command), "{name}: {command}");
        }
        if there(shell, "the syntax of its completions") {
            let file = folder(&format!("syntax-{name}")).join("shardwise.ps1");
            std::fs::write(&file, script).unwrap();
            let output = Command::new(shell).args(check).arg(&file).output().unwrap();
            assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        }
    }
}

#[test]
fn there_is_a_man_page_for_each_command() {
    let folder = folder("man").join("man1");
    let output = run(&["man", "--dir", folder.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(0));
    let whole = run(&["man"], "").stdout;
    let written = std::fs::read(folder.join("shardwise.1")).unwrap();
    assert_eq!(text(&written), text(&whole));
    let mut pages = vec![("shardwise".to_owned(), whole)];
    for command in COMMANDS {
        let name = format!("shardwise-{command}");
        let reference = format!("shardwise\\-{command}(1)");
        assert!(text(&pages[0].1).contains(&reference), "{reference}");
        let page = std::fs::read(folder.join(format!("{name}.1"))).unwrap();
        pages.push((name, page));
    }
    let groff = there("groff", "how the man pages come out");
    for (name, page) in pages {
        assert!(text(&page).contains(&format!("\n.TH {name} 1 ")), "{name}");
        if !groff {
            continue;
        }
        let file = folder.join(format!("{name}.1"));
        let output = Command::new("groff")
            .args(["-man", "-Tutf8", "-ww", "-P-cbou"])
            .arg(&file)
            .output()
            .unwrap();
        assert!(output.status.success(), "{name}");
        assert_eq!(text(&output.stderr), "", "{name}");
        let printed = text(&output.stdout);
        for part in ["\nNAME\n", "\nSYNOPSIS\n", "\nOPTIONS\n"] {
            assert!(printed.contains(part), "{name}: {printed}");
        }
        // As it stands in the help, one example per line.
        let command = name.replace('-', " ");
        let example = printed.contains("\nEXAMPLES\n") && printed.contains(&format!("{command} "));
        assert!(example || ["shardwise-mcp", "shardwise-serve"].contains(&name.as_str()), "{name}: {printed}");
    }
}

/// What does not belong, or stands twice, is refused on its line by every command that takes questions; the others go on.
#[test]
fn what_does_not_belong_is_refused_line_by_line() {
    let kind = r#""kind": "sft""#;
    let foreign = QUESTION.replace(kind, r#""kind": "sft", "rollout": {"requests": 8}"#);
    let twice = QUESTION.replace(kind, r#""kind": "lora", "kind": "sft""#);
    let lines = format!("{foreign}\n{twice}\n{QUESTION}\n");
    for arguments in [
        &["estimate"][..],
        &["sensitivity"],
        &["explain", "--json", "--figure", "mfu"],
        &["search", "--limit", "1"],
        &["flags", "--for", "deepspeed", "--json"],
        &["calibrate", "--step-time-s", "8"],
        &["link"],
    ] {
        let output = run(arguments, &lines);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let fields: Vec<Option<String>> = text(&output.stdout)
            .lines()
            .map(|line| {
                let line: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
                line["error"]["field"].as_str().map(str::to_owned)
            })
            .collect();
        let wanted = [Some("workload.rollout"), Some("workload.kind"), None];
        assert_eq!(fields, wanted.map(|field| field.map(str::to_owned)), "{arguments:?}");
    }
}

#[test]
fn what_powershell_writes_is_read_or_refused_with_the_remedy() {
    let folder = folder("marks");
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let marked = |text: &str| [b"\xef\xbb\xbf".as_slice(), text.as_bytes()].concat();
    let plain = text(&run(&["estimate"], QUESTION).stdout).to_owned();
    let over_lines = QUESTION.replace(", \"", ",\r\n \"") + "\r\n";
    let lines = format!("{QUESTION}\r\n{QUESTION}\r\n");
    for (own, answers) in [(QUESTION, 1), (over_lines.as_str(), 1), (lines.as_str(), 2)] {
        let file = put("question.json", &marked(own));
        for output in [run(&["estimate", &file], ""), run(&["estimate"], &format!("\u{feff}{own}"))] {
            assert_eq!(text(&output.stdout), plain.repeat(answers), "{own}");
        }
    }
    let script = put(
        "run.sh",
        &marked(
            "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B trainer.n_gpus_per_node=8\n",
        ),
    );
    assert!(text(&run(&["read", "--json", &script], "").stdout).contains(r#""framework":"verl""#));
    let sheet = put("prices.csv", &marked("gpu,usd_per_gpu_hour,count\r\nh100-sxm,1.5,8\r\n"));
    let asked = QUESTION.replace("\"gpus\": 8", "\"gpus\": 8, \"market\": {}");
    let output = run(&["estimate", "--prices", &sheet], &asked);
    assert!(output.status.success(), "{}", text(&output.stderr));

    let wide: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(QUESTION.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let wide = put("wide.json", &wide);
    for arguments in [vec!["estimate", &wide], vec!["read", &wide], vec!["estimate", "--prices", &wide]] {
        let output = run(&arguments, QUESTION);
        let says = text(&output.stderr);
        assert!(says.contains("wide.json: ") && says.contains("UTF-16. Save it as UTF-8"), "{arguments:?}: {says}");
        assert!(!output.status.success());
    }
    assert!(text(&run(&["estimate", "--lang", "zh", &wide], "").stderr).contains("请另存为 UTF-8"));
}

#[test]
fn what_a_verdict_stands_on_is_read_beside_it() {
    let script = "accelerate launch --config_file fsdp.yaml train.py --model_name_or_path Qwen/Qwen3-8B --per_device_train_batch_size 1 \\
        --max_length 2048 --use_my_lora True\n";
    let output = run(&["read"], script);
    let said = text(&output.stdout);
    let at = |words: &str| {
        assert!(said.contains(words), "no {words:?} in {said}");
        said.find(words).unwrap()
    };
    assert!(at("is not here: paste it too") < at("The estimate assumes plan.backend = fsdp in its place"), "{said}");
    assert!(at("The estimate assumes") < at("Memory: "), "{said}");
    assert!(at("Speed: ") < at("they may decide it: --use_my_lora"), "{said}");
    let chinese = run(&["read", "--lang", "zh"], script);
    assert!(text(&chinese.stdout).contains("从名称看可能左右结论：--use_my_lora"), "{}", text(&chinese.stdout));
}

#[test]
fn changes_stand_on_those_before_them() {
    let script = "CUDA_VISIBLE_DEVICES=0,1 NPROC_PER_NODE=2 swift sft --model moonshotai/Moonlight-16B-A3B --tuner_type lora --max_length 2048\n";
    let said = run(&["read"], script);
    let said = text(&said.stdout);
    let changes: Vec<&str> = said.lines().filter(|line| line.contains("tokens/s per GPU (")).collect();
    assert!(changes.len() > 1, "{said}");
    assert!(!changes[0].contains("then also"), "{said}");
    assert!(changes[1..].iter().all(|line| line.starts_with("  then also plan.")), "{said}");
    let chinese = run(&["read", "--lang", "zh"], script);
    assert!(text(&chinese.stdout).contains("  再加上 plan."), "{}", text(&chinese.stdout));
}

#[test]
fn many_renamed_settings_are_one_line_and_all_of_them_are_asked_for() {
    let script = "deepspeed --module openrlhf.cli.train_sft --pretrain meta-llama/Meta-Llama-3-8B --max_len 2048 --train_batch_size 256 \\
        --micro_train_batch_size 2 --zero_stage 2 --max_epochs 1 --packing_samples\n";
    let short = run(&["read"], script);
    assert_eq!(text(&short.stdout).matches("Renamed in").count(), 0, "{}", text(&short.stdout));
    assert!(text(&short.stdout).contains("6 settings were renamed since"), "{}", text(&short.stdout));
    let all = run(&["read", "--all"], script);
    assert_eq!(text(&all.stdout).matches("Renamed in").count(), 6, "{}", text(&all.stdout));
    let chinese = run(&["read", "--lang", "zh"], script);
    assert!(text(&chinese.stdout).contains("，另有 1 项。--all 会全部列出"), "{}", text(&chinese.stdout));
}
