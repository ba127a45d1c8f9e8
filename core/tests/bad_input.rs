//! What is refused: always by the field's name, always with a remedy, never by a panic.

use serde_json::{Value, json};
use shardwise_core::wire::{parse_question, question_from_value};
use shardwise_core::{InputError, emit, estimate, flags, permalink, search};

use crate::said::said;

/// A training question that is answered as it is.
fn sft() -> Value {
    json!({"version": 1, "model": "llama-2-7b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64},
        "plan": {"backend": "megatron", "tensor_parallel": 2, "pipeline_parallel": 1, "context_parallel": 1,
            "micro_batch": 1, "recompute": "none"}})
}

/// An RL question that is answered as it is.
fn ppo() -> Value {
    json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "ppo", "rl": {"prompts_per_step": 128, "max_prompt_length": 1024,
            "max_response_length": 3072, "mean_prompt_length": 200, "mean_response_length": 1000}},
        "plan": {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
            "micro_batch": 1, "recompute": "full", "rollout": {"tensor_parallel": 1}}})
}

/// A generation question that is answered as it is.
fn rollout() -> Value {
    json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "rollout", "rollout": {"requests": 100, "mean_prompt_length": 100, "mean_response_length": 500}},
        "plan": {"rollout": {"tensor_parallel": 1}}})
}

/// Marks a field to leave out.
fn absent() -> Value {
    json!("(absent)")
}

/// The question with one value set, by dotted path.
fn with(mut question: Value, path: &str, value: &Value) -> Value {
    let (parents, last) = path.rsplit_once('.').unwrap_or(("", path));
    let mut at = &mut question;
    for key in parents.split('.').filter(|key| !key.is_empty()) {
        if !at[key].is_object() {
            at[key] = json!({});
        }
        at = &mut at[key];
    }
    if *value == absent() {
        at.as_object_mut().unwrap().remove(last);
    } else {
        at[last] = value.clone();
    }
    question
}

fn refusal(question: &Value) -> InputError {
    // The text, as the command line reads it.
    let result = parse_question(&question.to_string()).and_then(|question| estimate(&question));
    match result {
        Ok(answer) => panic!("answered: {question}\n{}", serde_json::to_string(&answer).unwrap()),
        Err(error) => error,
    }
}

/// Checks one row per line: `path = value | phrase of the message`. The refusal names the path, or the
/// field after `->`; `(absent)` leaves the field out.
#[track_caller]
fn refused(question: &Value, rows: &str) {
    question_from_value(question.clone())
        .and_then(|question| estimate(&question))
        .expect("the base is answered");
    let mut wrong = Vec::new();
    for row in rows.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let (left, phrase) = row.rsplit_once(" | ").expect(row);
        let (path, rest) = left.split_once("= ").expect(row);
        let path = path.trim();
        let (value, field) = rest.split_once(" -> ").unwrap_or((rest, path));
        let value = match value {
            "(absent)" => absent(),
            json => serde_json::from_str(json).expect(row),
        };
        let error = refusal(&with(question.clone(), path, &value));
        said(&error.message);
        let told = error.message.contains(phrase) && error.message.ends_with('.');
        if phrase.is_empty() || error.field != field || !told {
            wrong.push(format!("{row}: {} | {}", error.field, error.message));
        }
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_document() {
    refused(
        &sft(),
        r#"
            version = (absent) | required
            version = 2 | version 1
            version = "1" | whole number
            version = -1 | whole number
            model = (absent) | required
            hardware = (absent) | required
            workload = (absent) | required
            hardware = [] | an object
            hardware = "h100-sxm" | an object
            workload = null | an object
            plan = 7 | an object
            modle = "llama-2-7b" | no such field
             = 1 -> question | no such field
        "#,
    );
}

#[test]
fn the_calibration() {
    refused(
        &sft(),
        r#"
            calibration = 1.2 | an object
            calibration.times = 1.2 | no such field
            calibration.time = "1.2" | a number
            calibration.time = 0 | 0.1 to 10
            calibration.time = -1 | 0.1 to 10
            calibration.time = 1e300 | 0.1 to 10
            calibration.memory = 0.09 | 0.1 to 10
            calibration.memory = 10.1 | 0.1 to 10
        "#,
    );
}

#[test]
fn the_model() {
    refused(
        &sft(),
        r#"
            model = null | model id
            model = 7 | model id
            model = [] | model id
            model = "" | name is empty
            model = "llama-2-8b" | llama-2-7b
            model = "meta-llama/Nothing-7B" | config.json
            model = {} -> model.hidden_size | is missing
            model = {"num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000} -> model.hidden_size | is missing
            model = {"model_type": "diffusion", "hidden_size": 4096} -> model.model_type | diffusion
            model = {"model_type": 7} -> model.model_type | Give a text
        "#,
    );
    let model = json!({"hidden_size": 4096, "num_hidden_layers": 32, "intermediate_size": 11008,
        "num_attention_heads": 32, "vocab_size": 32000});
    refused(
        &with(sft(), "model", &model),
        r#"
            model.hidden_size = (absent) | is missing
            model.hidden_size = 0 | whole number from 1 to
            model.hidden_size = -4096 | whole number from 1 to
            model.hidden_size = "4096" | whole number from 1 to
            model.hidden_size = 4096.5 | whole number from 1 to
            model.hidden_size = 18446744073709551615 | whole number from 1 to
            model.num_hidden_layers = 0 | whole number from 1 to
            model.num_hidden_layers = (absent) | is missing
            model.vocab_size = 0 | whole number from 1 to
            model.num_attention_heads = 0 | whole number from 1 to
            model.num_key_value_heads = 5 | Give a divisor of 32
            model.tie_word_embeddings = "yes" | true or false
            model.hiden_size = 1 | did you mean
        "#,
    );
}

#[test]
fn the_hardware() {
    refused(
        &sft(),
        r#"
            hardware.gpu = (absent) | required
            hardware.gpu = null | catalog id
            hardware.gpu = 4 | catalog id
            hardware.gpu = "" | no GPU
            hardware.gpu = "h100" | h100-sxm
            hardware.gpu = "模型" | no GPU
            hardware.gpus = 0 | 1 or more
            hardware.gpus = -8 | whole number
            hardware.gpus = 8.5 | whole number
            hardware.gpus = "8" | whole number
            hardware.gpus = 18446744073709551615 | largest
            hardware.gpus_per_node = 0 | 1 or more
            hardware.host_ram_gib = 0 | out of range
            hardware.host_ram_gib = 1000001 | out of range
            hardware.host_ram_gib = "2 TB" | number
            hardware.usd_per_gpu_hour = -0.01 | negative
            hardware.usd_per_gpu_hour = 1e+300 | out of range
            hardware.usd_per_gpu_hour = "NaN" | number
            hardware.internode_gbit_per_s_per_gpu = 0 | out of range
            hardware.internode_gbit_per_s_per_gpu = -1 | out of range
            hardware.price = 2 | usd_per_gpu_hour
            hardware.gpu = {} -> hardware.gpu.bf16_dense_tflops | base
            hardware.gpu = {"bf16_dense_tflops": 100, "hbm_gb_per_s": 1000} -> hardware.gpu.memory_gib | base
            hardware.gpu = {"base": "h101"} -> hardware.gpu.base | no GPU
            hardware.gpu = {"base": "h100-sxm", "memory_gib": 0} -> hardware.gpu.memory_gib | out of range
            hardware.gpu = {"base": "h100-sxm", "memory_gib": -1} -> hardware.gpu.memory_gib | out of range
            hardware.gpu = {"base": "h100-sxm", "memory_gib": "80"} -> hardware.gpu.memory_gib | a number
            hardware.gpu = {"base": "h100-sxm", "bf16_dense_tflops": 0} -> hardware.gpu.bf16_dense_tflops | out of range
            hardware.gpu = {"base": "h100-sxm", "hbm_gb_per_s": 1e+300} -> hardware.gpu.hbm_gb_per_s | out of range
            hardware.gpu = {"base": "h100-sxm", "nvlink_domain": 0} -> hardware.gpu.nvlink_domain | 1 or more
            hardware.gpu = {"base": "h100-sxm", "pcie_gb_per_s": 0} -> hardware.gpu.pcie_gb_per_s | out of range
            hardware.gpu = {"base": "h100-sxm", "memory": 80} -> hardware.gpu.memory | memory_gib
        "#,
    );
}

#[test]
fn the_workload() {
    refused(
        &sft(),
        r#"
            workload.kind = (absent) | required
            workload.kind = "dpo" | grpo
            workload.kind = 1 | a word
            workload.kind = "grpo" -> workload.rl | need
            workload.kind = "rollout" -> workload.rollout | needs
            workload.sequence_length = (absent) | required
            workload.sequence_length = 0 | 1 or more
            workload.sequence_length = -1 | whole number
            workload.sequence_length = 1099511627776 | largest
            workload.global_batch = (absent) | required
            workload.global_batch = 0 | 1 or more
            workload.global_batch = 1e+30 | whole number
            workload.mean_sequence_length = 5000 | 4096
            workload.mean_sequence_length = 0 | out of range
            workload.tokens = 1e+18 | 1e15
            workload.tokens = 0 | 1 to 1e15
            workload.tokens = -5 | 1 to 1e15
            workload.precision = "fp32" | bf16
            workload.packing = "yes" | true or false
            workload.lora = {"rank": 8} | lora
            workload.seq_len = 4096 | sequence_length
        "#,
    );
    refused(
        &with(with(sft(), "workload.kind", &json!("lora")), "plan.backend", &json!("fsdp")),
        r#"
            workload.lora.rank = 0 | 1 or more
            workload.lora.rank = 100000 | 4096
            workload.lora.targets = "everything" | all-linear
            workload.lora.alpha = 16 | no such field
        "#,
    );
}

#[test]
fn reinforcement_learning() {
    refused(
        &ppo(),
        r#"
            workload.rl = (absent) | need
            workload.rl.prompts_per_step = (absent) | required
            workload.rl.prompts_per_step = 0 | 1 or more
            workload.rl.responses_per_prompt = 0 | 1 or more
            workload.rl.responses_per_prompt = 10000 | 4096
            workload.rl.max_prompt_length = (absent) | required
            workload.rl.max_response_length = (absent) | required
            workload.rl.mean_prompt_length = 1025 | above the longest
            workload.rl.mean_response_length = 4000 | above the longest
            workload.rl.mean_response_length = 0 | out of range
            workload.rl.response_length_cv = -0.1 | out of range
            workload.rl.response_length_cv = 1000000000.0 | out of range
            workload.rl.mini_batch = 129 | 128 or less
            workload.rl.mini_batch = 0 | 1 or more
            workload.rl.epochs = 0 | 1 or more
            workload.rl.critic = null | PPO
            workload.rl.critic = "nothing" | config.json
            workload.rl.critic = {"hidden_size": 1} -> workload.rl.critic.num_hidden_layers | is missing
            workload.rl.reward_model = 3 | model id
            workload.rl.schedule = "async" | colocated
            workload.rl.train_gpus = 4 | colocated
            workload.rl.group_size = 4 | responses_per_prompt
        "#,
    );
    refused(
        &with(ppo(), "workload.rl.schedule", &json!("one_step_off")),
        r#"
            workload.rl.train_gpus = 0 | 1 or more
            workload.rl.train_gpus = 8 | none is left
            workload.rl.train_gpus = 80 | none is left
            hardware.gpus = 1 -> workload.rl.train_gpus | none is left
        "#,
    );
    refused(
        &rollout(),
        r#"
            workload.rollout.requests = (absent) | required
            workload.rollout.requests = 0 | 1 or more
            workload.rollout.mean_prompt_length = (absent) | required
            workload.rollout.mean_response_length = 0 | out of range
            workload.rollout.response_length_cv = -1 | out of range
        "#,
    );
}

#[test]
fn the_plan() {
    refused(
        &sft(),
        r#"
            plan.backend = "accelerate" | megatron
            plan.tensor_parallel = 3 | 2 or 4
            plan.tensor_parallel = 0 | 1 or more
            plan.tensor_parallel = -2 | whole number
            plan.tensor_parallel = 16 | multiple of 16 GPUs
            plan.tensor_parallel = 18446744073709551615 | largest
            plan.pipeline_parallel = 33 | 32 or less
            plan.pipeline_parallel = 8 | multiple of 16 GPUs
            plan.virtual_pipeline = 2 | pipeline_parallel
            plan.virtual_pipeline = 0 | 1 or more
            plan.context_parallel = 16 | multiple of 32 GPUs
            plan.ulysses_parallel = 3 | do not split
            plan.expert_parallel = 2 | no experts
            plan.zero_stage = 4 | 0, 1, 2 or 3
            plan.shard_group = 3 | divisor of 4
            plan.shard_group = 0 | 1 or more
            plan.micro_batch = 0 | 1 or more
            plan.max_tokens_per_gpu = 4096 | Give one
            plan.recompute = "all" | selective
            plan.recompute = {"granularity": "selective", "modules": ["attention"]} -> plan.recompute.modules | core_attn
            plan.offload = true | an object
            plan.offload.parameter = true | parameters
            plan.attention = "sdpa" | flash
            plan.fused_lm_head = 1 | true or false
            plan.overlap.gradients = "on" | true or false
            plan.optimizer_offload_fraction = true | a number
            plan.optimizer_offload_fraction = 1.5 | 0 to 1
            plan.optimizer_offload_fraction = -0.1 | 0 to 1
            plan.nvme_offload = "yes" | true or false
            plan.nvme_offload = true | DeepSpeed alone
            plan.zero_hpz_partition_size = 0 | 1 or more
            plan.zero_hpz_partition_size = 8 | DeepSpeed alone
            plan.zero_quantized_weights = true | DeepSpeed alone
            plan.zero_quantized_gradients = true | DeepSpeed alone
            plan.master_weights_bytes = -1 | out of range
            plan.optimizer_bytes = 1000000000.0 | out of range
            plan.tp = 2 | tensor_parallel
        "#,
    );
    let deepspeed = with(with(sft(), "plan.tensor_parallel", &json!(1)), "plan.backend", &json!("deepspeed"));
    refused(
        &deepspeed,
        r#"
            plan.nvme_offload = true | offload.optimizer
            plan.optimizer_offload_fraction = 0.5 | Megatron alone
            plan.zero_hpz_partition_size = 3 | divisor of 8
            plan.zero_hpz_partition_size = 16 | divisor of 8
        "#,
    );
    refused(
        &with(
            with(deepspeed.clone(), "plan.offload", &json!({"parameters": true, "optimizer": true})),
            "plan.nvme_offload",
            &json!(true),
        ),
        r#"
            plan.zero_stage = 2 -> plan.nvme_offload | ZeRO-3
            plan.zero_hpz_partition_size = 8 | on NVMe
            plan.backend = "fsdp" -> plan.nvme_offload | DeepSpeed alone
        "#,
    );
    refused(
        &with(deepspeed, "plan.zero_stage", &json!(2)),
        r#"
            plan.zero_hpz_partition_size = 8 | ZeRO-3
            plan.zero_quantized_weights = true | ZeRO-3
            plan.zero_quantized_gradients = true | ZeRO-3
        "#,
    );
    refused(
        &with(ppo(), "plan.backend", &json!("deepspeed")),
        r#"
            plan.zero_quantized_weights = true | RL
        "#,
    );
    refused(
        &with(sft(), "model", &json!("qwen3-30b-a3b")),
        r#"
            plan.expert_parallel = 3 | 2 or 4
            plan.expert_parallel = 16 | multiple of 16 GPUs
            plan.virtual_pipeline = 3 | pipeline_parallel
        "#,
    );
    refused(
        &ppo(),
        r#"
            plan.rollout.tensor_parallel = 3 | 2 or 4
            plan.rollout.tensor_parallel = 16 | divisor of 8
            plan.rollout.tensor_parallel = 0 | 1 or more
            plan.rollout.gpu_memory_utilization = 1.2 | up to 1
            plan.rollout.gpu_memory_utilization = 0 | above 0
            plan.rollout.max_num_seqs = 0 | 1 or more
            plan.rollout.engine = "tgi" | vllm
            plan.critic = {"tensor_parallel": 3} -> plan.critic.tensor_parallel | do not split
            plan.reference = {"tensor_parallel": 3} -> plan.reference.tensor_parallel | do not split
        "#,
    );
}

/// The search and the flags refuse what the estimate refuses.
#[test]
fn every_entrance_refuses() {
    for (path, value, field) in [
        ("plan.tensor_parallel", json!(3), "plan.tensor_parallel"),
        ("hardware.gpus", json!(0), "hardware.gpus"),
        ("model", json!("nothing"), "model"),
    ] {
        let mut question = with(sft(), path, &value);
        let refusals = |question: &Value| {
            let question = question_from_value(question.clone()).unwrap();
            let mut found = vec![estimate(&question).unwrap_err(), search(&question, None, 3).unwrap_err()];
            for framework in emit::FRAMEWORKS {
                found.extend(flags(&question, framework, framework.versions[0], "").err());
            }
            // A link carries a question that is refused as well as any other.
            let back = permalink::from_hash(&permalink::to_hash(&question)).unwrap();
            found.push(estimate(&back).unwrap_err());
            found
        };
        for error in refusals(&question) {
            assert_eq!(error.field, field, "{error}");
        }
        // The same where the search has to fill in the rest.
        question["plan"].as_object_mut().unwrap().remove("micro_batch");
        for error in refusals(&question) {
            assert_eq!(error.field, field, "{error}");
        }
    }
}

#[test]
fn text_that_is_no_question() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_object = format!("{}1{}", "{\"plan\":".repeat(50_000), "}".repeat(50_000));
    let long = format!("{{\"model\": \"{}\"}}", "a".repeat(2 << 20));
    let long_model = sft().to_string().replace("llama-2-7b", &"b".repeat(500_000));
    for text in [
        "",
        " ",
        "{",
        "null",
        "7",
        "\"llama-2-7b\"",
        "[]",
        "[1, 2]",
        "NaN",
        "{\"version\": NaN}",
        "{\"version\": Infinity}",
        "{\"version\": 1e400}",
        "version: 1",
        "{'version': 1}",
        "{\"version\": 1,}",
        "\u{feff}{}",
        "\u{0}",
        deep.as_str(),
        deep_object.as_str(),
        long.as_str(),
        long_model.as_str(),
    ] {
        let error = parse_question(text).and_then(|question| estimate(&question)).unwrap_err();
        assert!(!error.field.is_empty(), "{error}");
        assert!(error.message.ends_with('.'), "{error}");
        assert!(error.message.len() < 2000, "{} characters about {} characters", error.message.len(), text.len());
    }
}

#[test]
fn cut_links() {
    let question = question_from_value(sft()).unwrap();
    let link = permalink::to_hash(&question);
    let cut = &link[..link.find("plan.tensor_parallel=").unwrap() + 8];
    let error = permalink::from_hash(cut).unwrap_err();
    assert!(error.field.starts_with("plan.ten"), "{error}");
    assert!(error.message.contains("Copy the whole link"), "{error}");
}

#[cfg(feature = "cli")]
mod command_line {
    use std::io::Write;
    use std::process::{Command, Output, Stdio};

    use serde_json::{Value, json};

    fn run(arguments: &[&str], input: &[u8]) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_shardwise"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().unwrap();
        // A command that stops reading early has said why.
        drop(writer.join().unwrap());
        output
    }

    fn lines(output: &Output) -> Vec<Value> {
        let text = std::str::from_utf8(&output.stdout).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect()
    }

    #[test]
    fn a_figure_that_no_answer_has_is_refused_by_name() {
        let question = super::sft().to_string();
        let output = run(&["explain", "--json", "--figure", "mfu"], question.as_bytes());
        assert_eq!(output.status.code(), Some(0));
        let explained = &lines(&output)[0]["explanations"][0];
        assert_eq!(explained["figure"], "mfu");
        assert!(explained["put_in"].as_str().unwrap().contains(" TFLOPS) = "));
        let output = run(&["explain", "--figure", "speed"], question.as_bytes());
        assert_eq!(output.status.code(), Some(1));
        let error = &lines(&output)[0]["error"];
        assert_eq!(error["field"], "figure");
        assert!(error["message"].as_str().unwrap().contains("mfu"), "{error}");
        let output = run(&["methods", "--json"], b"");
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(document["groups"].as_array().unwrap().len() > 10);
    }

    #[test]
    fn a_run_that_makes_no_calibration_is_a_line_and_a_status() {
        let question = super::sft().to_string();
        let seconds = ["calibrate", "--step-time-s", "4", "--peak-gib", "50"];
        let output = run(&seconds, question.as_bytes());
        assert_eq!(output.status.code(), Some(0));
        let document = &lines(&output)[0];
        let factors = &document["calibrated"]["calibration"];
        assert!(factors["time"].is_f64() && factors["memory"].is_f64(), "{document}");
        assert_eq!(&document["question"]["calibration"], factors);
        // The question with its factors is one.
        let output = run(&["estimate"], document["question"].to_string().as_bytes());
        assert_eq!(&lines(&output)[0]["calibration"], factors);

        for (arguments, field) in [
            (&["calibrate"][..], "step_time_s"),
            (&["calibrate", "--step-time-s", "nan"], "step_time_s"),
            (&["calibrate", "--step-time-s=-5"], "step_time_s"),
            (&["calibrate", "--forward-s", "1"], "backward_s"),
            (&["calibrate", "--peak-gib", "1e308"], "peak_gib"),
        ] {
            let output = run(arguments, question.as_bytes());
            assert_eq!(output.status.code(), Some(1), "{arguments:?}");
            assert_eq!(lines(&output)[0]["error"]["field"], field, "{arguments:?}");
        }
        let output = run(&["calibrate", "--step-time-s", "x"], question.as_bytes());
        assert_eq!(output.status.code(), Some(2));
    }

    #[test]
    fn sensitivity_answers_line_by_line() {
        let good = super::sft().to_string();
        let bad = super::with(super::sft(), "plan.tensor_parallel", &json!(3)).to_string();
        let output = run(&["sensitivity"], format!("{good}\n{bad}\n").as_bytes());
        assert_eq!(output.status.code(), Some(1));
        let [found, refused] = &lines(&output)[..] else { panic!("two lines") };
        assert_eq!(found["version"], 1);
        assert!(found["now"]["tokens_per_s"].as_f64().unwrap() > 0.0);
        let changes = found["changes"].as_array().unwrap();
        assert!(changes.len() > 10, "{changes:?}");
        assert!(changes.iter().all(|change| change["set"].is_object()));
        assert_eq!(refused["error"]["field"], "plan.tensor_parallel");
    }

    #[test]
    fn a_refusal_never_stops_the_others() {
        let good = super::sft().to_string();
        let bad = super::with(super::sft(), "plan.tensor_parallel", &json!(3)).to_string();
        let mut input = format!("{good}\n{bad}\nnonsense\n\n").into_bytes();
        input.extend(b"{\"version\": 1, \"model\": \"\xff\xfe\"}\n");
        input.extend(good.as_bytes());
        let output = run(&["estimate"], &input);
        assert_eq!(output.status.code(), Some(1));
        let lines = lines(&output);
        let fields: Vec<&Value> = lines.iter().map(|line| &line["error"]["field"]).collect();
        assert_eq!(
            fields,
            [&Value::Null, &json!("plan.tensor_parallel"), &json!("question"), &json!("hardware"), &Value::Null]
        );
        assert!(lines.iter().all(|line| line["version"] == 1));
        assert_eq!(lines[0], lines[4]);
        assert!(lines[1]["error"]["message"].as_str().unwrap().contains("2 or 4"));
        assert!(String::from_utf8_lossy(&output.stderr).is_empty());
    }

    #[test]
    fn each_refusal_of_the_list_has_its_line_and_status() {
        for (path, value, field) in [
            ("model", json!({"num_hidden_layers": 2}), "model.hidden_size"),
            ("model", json!({"model_type": "diffusion"}), "model.model_type"),
            ("plan.tensor_parallel", json!(3), "plan.tensor_parallel"),
            ("hardware.gpus", json!(0), "hardware.gpus"),
            ("hardware.usd_per_gpu_hour", json!(-1), "hardware.usd_per_gpu_hour"),
            ("workload.tokens", json!(1e18), "workload.tokens"),
        ] {
            let question = super::with(super::sft(), path, &value);
            for command in [&["estimate"][..], &["search"], &["flags", "--for", "deepspeed"]] {
                // On one line and on several.
                for text in [question.to_string(), serde_json::to_string_pretty(&question).unwrap()] {
                    let output = run(command, text.as_bytes());
                    assert_eq!(output.status.code(), Some(1), "{command:?} {path}");
                    let lines = lines(&output);
                    assert_eq!(lines.len(), 1, "{command:?} {path}");
                    assert_eq!(lines[0]["error"]["field"], field, "{command:?}");
                }
            }
        }
    }

    #[test]
    fn answers_exit_with_success() {
        let output = run(&["estimate"], super::sft().to_string().as_bytes());
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(lines(&output).len(), 1);
        let output = run(&["estimate"], b"");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let output = run(&["estimate", "no-such-file.json"], b"");
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("no-such-file.json"));
    }

    #[test]
    fn huge_input_gets_one_line_each() {
        let mut input = "a".repeat(2 << 20).into_bytes();
        input.push(b'\n');
        input.extend(super::sft().to_string().as_bytes());
        let output = run(&["estimate"], &input);
        assert_eq!(output.status.code(), Some(1));
        let lines = lines(&output);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["error"]["field"], "question");
        assert_eq!(lines[1]["fits"], true);
    }
}
