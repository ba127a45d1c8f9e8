//! Large and crooked texts: what a hostile person pastes. The tests read them, and the bench `read` takes their times.

/// The shapes by name, each as long as the reader takes where it is about length, else as it is.
pub(crate) fn shapes() -> Vec<(&'static str, String)> {
    let run = "python3 -m verl.trainer.main_ppo ";
    // A run that can be improved, so that it is read again after each change.
    let whole = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=256 \\
    data.max_prompt_length=1024 data.max_response_length=8192 actor_rollout_ref.model.path=Qwen/Qwen3-14B \\
    actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=64 \\
    actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=8 trainer.n_gpus_per_node=8";
    let many = |piece: &str, n: usize| piece.repeat(n);
    // As many pieces as fit into 1 MiB.
    let full = |piece: &str| piece.repeat((1 << 20) / piece.len());
    let mut doubling = String::from("a=xxxxxxxx\n");
    let mut arrays = String::from("a=(x x)\n");
    for _ in 0..60 {
        doubling.push_str("a=$a$a\n");
        arrays.push_str("a=(${a[@]} ${a[@]})\n");
    }
    let mut laughs = String::from("runtime_args:\n  a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for n in 1..30 {
        let last = n - 1;
        let aliases = vec![format!("*a{last}"); 9].join(", ");
        laughs.push_str(&format!("  a{n}: &a{n} [{aliases}]\n"));
    }
    let numbered = |text: &dyn Fn(usize) -> String, n: usize| (0..n).map(text).collect::<String>();
    vec![
        ("zeros", full("\0")),
        ("parentheses", full("(")),
        ("double parentheses", format!("if {}", full("(( 1 ) "))),
        ("dollars", full("$")),
        ("substitutions", full("$(")),
        ("braces after dollars", full("${")),
        ("double quotes", full("\"")),
        ("single quotes", many("'", (1 << 20) - 1)),
        ("backslashes", full("\\")),
        ("backticks", many("`", (1 << 20) - 1)),
        ("braces", full("{")),
        ("deep JSON", many("{\"a\":", 200_000)),
        ("deep arrays", format!("{{\"a\": {}", many("[", 1 << 19))),
        ("wide JSON", format!("{{{}\"z\": 1}}", numbered(&|n| format!("\"k{n}\": {n},"), 50_000))),
        ("here-strings", full("<<")),
        ("redirects", full("> a")),
        ("redirects without spaces", full(">a")),
        ("here-documents", full("<<E\n")),
        ("conditions", full("if ")),
        ("ends of conditions", full("fi\n")),
        ("cases", full("case x in ")),
        ("patterns", format!("case {} in {} esac", many("a", 1000), full("*a|").get(..900_000).unwrap_or_default())),
        ("maps", full("a:\n")),
        ("keys", full("a: 1\n")),
        ("deeper maps", numbered(&|n| format!("{}a:\n", many(" ", n)), 1_400)),
        ("aliases", laughs),
        ("markup", full("<script>alert(1)</script>")),
        ("terminal's commands", full("\u{1b}[2J\u{1b}]0;x\u{7}")),
        ("turned text", full("\u{202e}")),
        ("metacharacters", full("; rm -rf / & `id` $(id) | sh > /etc/x\n")),
        ("doubling", doubling),
        ("doubling arrays", arrays),
        ("nested defaults", format!("x={}1{}", many("${a:-", 50_000), many("}", 50_000))),
        ("nested sums", format!("x=$(({}1{}))\n", many("(", 100_000), many(")", 100_000))),
        ("one override many times", format!("{run}{}", many("data.train_batch_size=1 ", 40_000))),
        ("a hundred thousand overrides", format!("{run}{}", numbered(&|n| format!("k{n}=1 "), 100_000))),
        ("unknown overrides", format!("{run}{}", numbered(&|n| format!("actor_rollout_ref.actor.key{n}=1 "), 19_000))),
        ("references", format!("{run}{}", numbered(&|n| format!("data.k{n}='${{data.k{}}}' ", n + 1), 19_000))),
        ("a long key", format!("{run}{}=1", many("a.", 400_000))),
        ("a long number", format!("{run}data.train_batch_size={}", many("9", 500_000))),
        ("large numbers", format!("{run}trainer.nnodes=9007199254740992 trainer.n_gpus_per_node=9007199254740992")),
        ("a long model", format!("{run}actor_rollout_ref.model.path={}", many("Qwen3-8B-", 100_000))),
        ("a deep model", format!("{run}actor_rollout_ref.model.path={}", many("a/", 400_000))),
        (
            "a circle",
            format!("{run}data.x='${{a.b}}' a.b='${{data.x}}' data.train_batch_size='${{data.train_batch_size}}'"),
        ),
        ("links", format!("{}{run}", full("# https://x/#v=1&a=1\n").get(..1_000_000).unwrap_or_default())),
        ("a long link", format!("# https://x/#v=1{}&z=1\n{run}", many("&a.b.c=1", 100_000))),
        ("arguments", format!("pretrain_gpt.py {}", many("--num-layers 1 ", 9_000))),
        ("assignments", full("x=$y\n")),
        (
            "a run with unknown overrides",
            format!(
                "{whole}{}",
                numbered(&|n| format!(" \\\n    +custom.section_{n}.some_longer_key_{n}={n}"), 17_000)
            ),
        ),
        (
            "a run with understood overrides on lines",
            format!("{whole}{}", many(" \\\n    actor_rollout_ref.rollout.n=8", 19_000)),
        ),
        (
            "a run with understood overrides on one line",
            format!("{whole}{}", many(" actor_rollout_ref.rollout.n=8", 19_000)),
        ),
        (
            "a run with comments",
            format!("{whole}\n{}", many("# actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=64\n", 15_000)),
        ),
        ("tables of TOML", format!("[job]\n{}", numbered(&|n| format!("[a{n}.b]\nc = {n}\n"), 19_000))),
        (
            "an open array of TOML",
            format!("[training]\nseq_len = [{}", full("[\n").get(..1_000_000).unwrap_or_default()),
        ),
        (
            "an open text of TOML",
            format!("[training]\nseq_len = \"\"\"{}", full("x\n").get(..1_000_000).unwrap_or_default()),
        ),
        (
            "lines of TOML",
            format!("[parallelism]\n{}", full("tensor_parallel_degree = 8\n").get(..500_000).unwrap_or_default()),
        ),
        ("a megabyte of Python", format!("import os\n{}", full("x = 1\n").get(..1_000_000).unwrap_or_default())),
        ("deep brackets of Python", format!("import os\nx = {}", many("[", 190_000))),
        ("deep calls of Python", format!("import os\n{}", many("SFTConfig(x=", 45_000))),
        ("signs of Python", format!("import os\nx = {}1", many("- ", 190_000))),
        ("stars of Python", format!("import os\nSFTConfig({}x)", many("*", 190_000))),
        ("sums of Python", format!("import os\nx = 1{}", many(" + 1", 90_000))),
        ("texts of Python", format!("import os\nx = 'a'{}", many(" + 'aaaaaaaa'", 60_000))),
        ("texts side by side", format!("import os\nx = {}", many("'aaaaaaaa' ", 90_000))),
        (
            "a circle of Python",
            numbered(&|n| format!("import os\na{n} = a{} * a{}\n", n + 1, n + 1), 9_000) + "SFTConfig(max_length=a0)",
        ),
        (
            "names in each other",
            format!("import os\na = b * b\nb = c * c\nc = a * a\n{}", many("SFTConfig(max_length=a * b * c)\n", 9_000)),
        ),
        ("open texts of Python", format!("import os\nx = {}", many("f\"{x\n", 100_000))),
        ("braces of Python", format!("import os\nx = f\"{}\"", many("{x", 400_000))),
        ("lists that grow", format!("import os\nx = ['--a']\n{}", many("x += ['--b', 'c']\n", 20_000))),
        (
            "commands of Python",
            format!("import os\n{}", many("os.system('torchrun pretrain_gpt.py --num-layers 1')\n", 15_000)),
        ),
        ("variables", numbered(&|n| format!("v{n}=--num-layers\n"), 50_000)),
    ]
}
