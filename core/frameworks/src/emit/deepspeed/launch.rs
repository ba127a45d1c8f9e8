//! The launch line, and what the configuration cannot say.

use super::super::checkpoint::trained;
use crate::emit::choices::{half, passes, rate, recompute_reason};
use crate::emit::text::{Script, Section, deepspeed, flag, home};
use crate::emit::trainer::peft;
use crate::emit::{Emission, Snippet, kernel};
use shardwise_question::plan::Recompute;
use shardwise_question::wire::{Attention, Optimizer};

/// The file that goes with the Trainer.
pub(super) const HUGGING_FACE: &str = "ds_config_hf.json";

/// The script that starts it.
pub(super) fn script(emission: &Emission, mut head: Vec<String>) -> Snippet {
    head.push(
        "ds_config_hf.json goes with a script on Hugging Face's Trainer, which fills in what is auto; ds_config.json, in plain numbers, with a script that calls deepspeed.initialize."
            .to_owned(),
    );
    if emission.plan.layout.model_parallel() > 1 {
        head.push(
            "ds_config_hf.json leaves train_batch_size out: the Trainer would count every process as a rank."
                .to_owned(),
        );
    }
    if emission.plan.layout.nvme_offload {
        head.push(
            "Drives are read by DeepSpeed's async_io, which needs libaio: apt-get install libaio-dev.".to_owned(),
        );
    }
    let script = Script {
        head,
        setup: Vec::new(),
        assign: " ",
        sections: vec![batch(emission), model(emission)],
        command: command(emission),
    };
    script.into_snippet("run_deepspeed.sh")
}

fn batch(emission: &Emission) -> Section {
    let mut section = Section::new("What the Trainer writes in place of auto: together it is ds_config.json");
    section.set("--deepspeed", HUGGING_FACE, "the other file");
    passes(&mut section, emission, "--per_device_train_batch_size", "--gradient_accumulation_steps");
    let half = half(emission.job.workload.precision);
    section.set(format!("--{half}"), "True", "precision of your question");
    let muon = emission.plan.layout.optimizer.kind == Optimizer::Muon;
    section.set("--max_grad_norm", if muon { "0.0" } else { "1.0" }, "gradient_clipping");
    section.set("--learning_rate", rate(&emission.job.workload), "a start; yours to tune");
    section.set("--adam_beta2", "0.95", "betas");
    section.set("--weight_decay", "0.0", "weight_decay");
    section
}

fn model(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut section = Section::new("What neither configuration can say");
    let (path, reason) = trained(job, &job.model);
    section.set("--model_name_or_path", path, reason);
    section.set("--dataset_name", home("data/train"), "change this to your data");
    section.set("--output_dir", home("output/shardwise"), "change this to your folder");
    section.set("--max_length", job.workload.sequence_length, "tokens, from your question");
    if job.workload.joins() {
        section.set("--packing", "True", "joins short sequences, from your question");
    }
    let full = layout.recompute == Recompute::Full;
    section.set("--gradient_checkpointing", flag(full), recompute_reason(full, emission));
    if layout.fused_lm_head {
        section.set(
            "--use_liger_kernel",
            "True",
            "no logits tensor; needs the package liger-kernel, which has to know your model",
        );
    }
    // The Trainer's model attends by PyTorch's own where nothing is said.
    let own = kernel::stated(job, layout, kernel::hugging_face, Some("sdpa"));
    let word = if layout.attention == Attention::Unfused { Some("eager") } else { own };
    if let Some(word) = word {
        section.set("--attn_implementation", word, "from the plan");
    }
    peft(&mut section, &job.workload);
    section
}

fn command(emission: &Emission) -> String {
    let start = deepspeed(emission.job);
    format!(
        "# train.py is your script on Hugging Face's Trainer; these are TRL's names.\n\
         {start} train.py \"${{args[@]}}\"\n\
         # A script that calls deepspeed.initialize takes the plain numbers:\n\
         # {start} train.py --deepspeed --deepspeed_config ds_config.json"
    )
}
