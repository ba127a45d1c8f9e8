//! Where memory ran out: the phase and the allocation of reports of public issues, as judged by hand from their threads; and changes
//! that are proposed beside a script fit by its own estimate.

use serde::Deserialize;
use serde_json::json;
use shardwise_core::doctor::{Place, diagnose, says_so, scripts};
use shardwise_core::wire::question_from_value;
use shardwise_core::{emit, evaluate_alone, flags};

use crate::said::said;

#[derive(Deserialize)]
struct Reports {
    case: Vec<Report>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Report {
    url: String,
    #[serde(rename = "date")]
    _date: String,
    #[serde(rename = "framework")]
    _framework: String,
    phase: String,
    allocation: String,
    #[serde(default)]
    frames: Vec<String>,
    sign: String,
    asked: Option<f64>,
    capacity: Option<f64>,
    free: Option<f64>,
    allocated: Option<f64>,
}

impl Report {
    /// The report as its program writes it.
    fn text(&self) -> String {
        let frames = self.frames.iter().map(|frame| match frame.split_once(' ') {
            Some((file, function)) => format!("  File \"{file}\", line 10, in {function}\n"),
            None => format!("{frame}() (pid=7, ip=10.0.0.1)\n"),
        });
        let frames: String = frames.collect();
        let figure = |figure: Option<f64>| figure.unwrap_or_default();
        let message = match self.asked {
            Some(asked) if self.sign.contains("tried to allocate") => format!(
                "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {asked:.2} GiB. GPU 0 has a total capacity of {:.2} GiB of which {:.2} GiB is free. Of the allocated memory {:.2} GiB is allocated by PyTorch, and 0.50 GiB is reserved by PyTorch but unallocated.",
                figure(self.capacity),
                figure(self.free),
                figure(self.allocated)
            ),
            _ => format!("Error: {}", self.sign),
        };
        format!("Traceback (most recent call last):\n{frames}{message}\n")
    }
}

fn reports() -> Vec<Report> {
    let reports: Reports = toml::from_str(include_str!("data/oom-reports.toml")).unwrap();
    reports.case
}

#[test]
fn phases_and_allocations_of_public_reports() {
    let (mut phases, mut allocations, mut told, mut misses) = (0, 0, 0, Vec::new());
    let reports = reports();
    for report in &reports {
        let text = report.text();
        assert!(says_so(&text), "{}", report.url);
        let found = diagnose(&[&text], None).unwrap();
        let right = found.phase.as_deref() == Some(&report.phase);
        phases += usize::from(right);
        if report.allocation != "unknown" {
            told += 1;
            allocations += usize::from(found.allocation.as_deref() == Some(&report.allocation));
        }
        if !right {
            misses.push(format!("{}: {} was read as {:?}", report.url, report.phase, found.phase));
        }
        assert_eq!(found.figures.asked_gib.is_some(), text.contains("Tried to allocate"));
        assert!(!found.mends.is_empty() && !found.evidence.is_empty());
        // What no estimate says is somebody's, who is named.
        assert!(
            found
                .mends
                .iter()
                .all(|mend| mend.phase_gib.is_some() != mend.source.starts_with("https://"))
        );
        for sentence in found.findings.iter().chain(found.mends.iter().map(|mend| &mend.text)) {
            said(sentence);
        }
    }
    assert!(reports.len() >= 60);
    assert!(10 * phases >= 8 * reports.len() && phases >= 50, "{phases} of {}:\n{}", reports.len(), misses.join("\n"));
    assert!(100 * allocations >= 85 * told, "{allocations} of {told}");
}

/// A script that does not fit, and the message that it would end with.
fn unfit(gpu: &str) -> (String, String) {
    let question = question_from_value(json!({"version": 1, "model": "qwen3-8b",
        "hardware": {"gpu": gpu, "gpus": 8},
        "workload": {"kind": "grpo", "rl": {"prompts_per_step": 256, "responses_per_prompt": 8, "mini_batch": 64,
            "max_prompt_length": 1024, "max_response_length": 7168}},
        "plan": {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
            "max_tokens_per_gpu": 90112, "recompute": "full", "zero_stage": 3, "fused_lm_head": false,
            "offload": {"parameters": false, "gradients": false, "optimizer": false},
            "rollout": {"tensor_parallel": 1, "gpu_memory_utilization": 0.5}}}))
    .unwrap();
    let verl = emit::framework("verl").unwrap();
    let script = flags(&question, verl, verl.versions[0], "").unwrap().unwrap().remove(0).text;
    let log = "  File \"verl/workers/fsdp_workers.py\", line 1, in update_actor\n  File \"verl/utils/torch_functional.py\", line 1, in logprobs_from_logits\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.50 GiB. GPU 0 has a total capacity of 79.11 GiB of which 8.00 GiB is free.\n";
    (script, log.to_owned())
}

#[test]
fn changes_beside_a_script_fit_by_its_own_estimate() {
    let (script, log) = unfit("h100-sxm");
    let found = diagnose(&[&log, &script], None).unwrap();
    assert_eq!((found.phase.as_deref(), found.allocation.as_deref()), (Some("update_actor"), Some("logits")));
    let estimated = found.estimated.unwrap();
    assert_eq!(estimated.phase, "update_actor");
    assert!(estimated.part_gib.unwrap() > 5.0 && !estimated.fits, "{estimated:?}");
    assert!(!found.mends.is_empty());
    let base = question_from_value(json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm"},
        "workload": {"kind": "sft"}}))
    .unwrap();
    for mend in &found.mends {
        assert!(mend.phase_gib.unwrap() < estimated.reserved_gib, "{mend:?}");
        assert!(mend.slower.unwrap() > 0.0 && !mend.settings.is_empty(), "{mend:?}");
        // Stated behind the others they hold, so that the script as it would be run fits.
        let plain = mend.settings.iter().filter(|setting| !setting.starts_with("without "));
        let changed =
            format!("{} {}\n", script.trim_end(), plain.map(|own| format!("'{own}'")).collect::<Vec<_>>().join(" "));
        let reading = shardwise_core::read::read(&[&changed], Some(&base)).unwrap();
        let answer = evaluate_alone(&reading.question).unwrap().answer;
        assert!(answer.fits, "{mend:?}");
    }
}

#[test]
fn an_estimate_that_says_too_little_is_judged_by_what_the_run_held() {
    let (script, _) = unfit("h200-sxm");
    let fits = "  File \"verl/workers/fsdp_workers.py\", line 1, in update_actor\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.50 GiB. GPU 0 has a total capacity of 139.80 GiB of which 8.00 GiB is free.\n";
    let base = question_from_value(json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h200-sxm"},
        "workload": {"kind": "sft"}}))
    .unwrap();
    let found = diagnose(&[fits, &script], Some(&base)).unwrap();
    let estimated = found.estimated.unwrap();
    let factor = estimated.factor.unwrap();
    assert!((factor - 141.3 / estimated.reserved_gib).abs() < 0.01, "{estimated:?}");
    let least = estimated.reserved_gib - 1.5 / factor;
    assert!(
        found
            .mends
            .iter()
            .all(|mend| mend.phase_gib.is_none_or(|held| held <= least + 0.01)),
        "{:?}",
        found.mends
    );
}

#[test]
fn other_processes_pieces_and_the_host_are_told_apart() {
    let text = "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.11 GiB of which 0.50 GiB is free. Process 1 has 38.10 GiB memory in use. Process 2 has 40.51 GiB memory in use. Of the allocated memory 30.00 GiB is allocated by PyTorch, and 6.00 GiB is reserved by PyTorch but unallocated.";
    let found = diagnose(&[text], None).unwrap();
    assert_eq!(found.place, Place::Device);
    assert!(found.findings.iter().any(|own| own.contains("expandable_segments")), "{:?}", found.findings);
    assert!(found.findings.iter().any(|own| own.contains("38.1 GiB")), "{:?}", found.findings);
    let killed = "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.";
    assert_eq!(diagnose(&[killed], None).unwrap().place, Place::Host);
    let error = diagnose(&["all is well"], None).unwrap_err();
    assert!(said(&error.message).ends_with('。'), "{error}");
    let long = "CUDA out of memory. Tried to allocate 1.00 GiB\n".repeat(30_000);
    assert!(diagnose(&[&long], None).is_err());
}

/// Hydra prints the settings of a run that fails: no script has to be pasted beside it.
#[test]
fn overrides_in_the_message_are_the_script() {
    let text = "Error executing job with overrides: ['algorithm.adv_estimator=grpo', 'data.train_batch_size=256', 'data.max_prompt_length=1024', 'data.max_response_length=4096', 'actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct', 'actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8', 'actor_rollout_ref.rollout.name=vllm', 'trainer.n_gpus_per_node=8']\nray::WorkerDict.actor_rollout_update_actor()\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB.";
    let found = diagnose(&[text], None).unwrap();
    assert_eq!(found.phase.as_deref(), Some("update_actor"));
    assert_eq!(found.estimated.unwrap().phase, "update_actor");
}

/// What was pasted in one piece: the command, its file and the stack below.
#[test]
fn a_script_above_its_stack_is_the_script() {
    let stack = "Traceback (most recent call last):\n  File \"/opt/train.py\", line 9, in training_step\n    loss = self.compute_loss(model, inputs)\n  File \"/opt/transformers/models/llama/modeling_llama.py\", line 1, in forward\n    logits = self.lm_head(hidden_states)\n  File \"/opt/torch/nn/modules/linear.py\", line 125, in forward\n    return F.linear(input, self.weight, self.bias)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.32 GiB. GPU 0 has a total capacity of 79.11 GiB of which 1.00 GiB is free.\n";
    let question = question_from_value(json!({"version": 1, "model": "qwen3-8b",
        "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64},
        "plan": {"backend": "deepspeed", "zero_stage": 3, "micro_batch": 2}}))
    .unwrap();
    let own = emit::framework("deepspeed").unwrap();
    let texts = flags(&question, own, own.versions[0], "").unwrap().unwrap();
    let launch = texts.iter().find(|text| text.text.contains("--num_gpus")).unwrap();
    let one = format!("{}\n{stack}", launch.text);
    assert_eq!(scripts(&[&one]), [format!("{}\n", launch.text)]);
    let found = diagnose(&[&one], None).unwrap();
    assert!(found.estimated.is_some(), "{found:?}");
    let apart: Vec<&str> = texts.iter().map(|text| text.text.as_str()).chain([stack]).collect();
    assert_eq!(scripts(&apart).len(), texts.len());
    assert!(diagnose(&apart, None).unwrap().estimated.is_some());
    // A stack alone has none, nor has what a log prints above it.
    assert!(scripts(&[stack]).is_empty());
    assert!(scripts(&[&format!("step 3: loss=1.2\nepoch=1\n{stack}")]).is_empty());
}

#[test]
fn what_a_text_hides_does_not_pass() {
    let text = "  File \"\u{1b}[31m/verl/\u{202e}x.py\", line 1, in update_actor\u{7}\nCUDA out of memory.\u{0} Tried to allocate 1.00 GiB";
    let found = serde_json::to_string(&diagnose(&[text], None).unwrap()).unwrap();
    assert!(!found.contains(['\u{1b}', '\u{202e}', '\u{7}', '\u{0}']) && !found.contains("\\u00"), "{found}");
}

#[test]
fn tables_alone_and_beside_a_message() {
    let smi = "|   0  NVIDIA H100 80GB HBM3  On | 00000000:19:00.0 Off | 0 |\n| N/A 34C P0 117W / 700W | 80384MiB / 81559MiB | 0% Default |\n|    0   N/A  N/A   17      C   python3      60000MiB |\n|    0   N/A  N/A   18      C   VLLM::EngineCore      20000MiB |\n";
    let summary = "| CUDA OOMs: 1 | cudaMalloc retries: 2 |\n| Allocated memory | 61942 MiB | 76012 MiB | 1 TiB | 1 TiB |\n| GPU reserved memory | 77000 MiB | 78000 MiB | 77000 MiB | 0 B |\n";
    let full = diagnose(&[smi], None).unwrap();
    assert_eq!(full.place, Place::Device);
    assert!(full.findings.iter().any(|one| one.contains("Other processes held 19.5 GiB")), "{:?}", full.findings);
    assert!(full.evidence.iter().any(|one| one.line == 2), "{:?}", full.evidence);
    assert!(diagnose(&[summary], None).is_ok() && says_so(summary));
    let free = smi.replace("80384MiB", "1000MiB");
    assert!(
        diagnose(&[&free], None)
            .unwrap_err()
            .message
            .contains("No card of this table is full")
    );
    // Beside a traceback the tables tell what that leaves open, and are no script.
    let message = "  File \"verl/workers/fsdp_workers.py\", line 782, in update_actor\ntorch.cuda.OutOfMemoryError: CUDA out of memory.";
    let script = "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct data.train_batch_size=256 trainer.n_gpus_per_node=8";
    let found = diagnose(&[message, smi, summary, script], None).unwrap();
    assert_eq!(found.phase.as_deref(), Some("update_actor"));
    assert_eq!(found.figures.allocated_gib.map(f64::round), Some(60.0));
    assert_eq!(found.figures.capacity_gib.map(f64::round), Some(80.0));
    assert!(found.estimated.is_some());
    for sentence in found.findings.iter().chain(&full.findings) {
        said(sentence);
    }
}

/// A linear layer that the language model's head calls makes logits, of tokens times the vocabulary.
#[test]
fn the_product_of_the_head_makes_logits() {
    let stack = |calls: &str| {
        format!(
            "  File \"trl/trainer/sft_trainer.py\", line 9, in training_step\n    return super().training_step(*args)\n  File \"transformers/models/qwen3/modeling_qwen3.py\", line 1, in forward\n    {calls}\n  File \"torch/nn/modules/module.py\", line 1773, in _wrapped_call_impl\n    return self._call_impl(*args, **kwargs)\n  File \"torch/nn/modules/linear.py\", line 125, in forward\n    return F.linear(input, self.weight, self.bias)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.32 GiB."
        )
    };
    let head = diagnose(&[&stack("logits = self.lm_head(hidden_states[:, slice_indices, :])")], None).unwrap();
    assert_eq!((head.phase.as_deref(), head.allocation.as_deref()), (Some("train"), Some("logits")));
    assert!(head.mends[0].text.contains("use_liger_kernel"), "{:?}", head.mends);
    assert!(head.evidence.iter().any(|own| own.text.contains("modeling_qwen3")), "{:?}", head.evidence);
    let layer =
        diagnose(&[&stack("down = self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))")], None).unwrap();
    assert_eq!(layer.allocation.as_deref(), Some("activations"));
}
