//! `distillation.`: a teacher on GPUs of its own.

use std::collections::BTreeSet;

use crate::read::draft::Draft;

const AT: &str = "distillation.";
const TEACHER: &str = "distillation.teacher_models.teacher_model.";

/// Whether a teacher judges what the student samples.
pub(super) fn is_on(draft: &mut Draft) -> bool {
    draft.is_on(&format!("{AT}enabled"))
}

/// Before the name of a teacher, which is the text's own choice: `+distillation.teacher_models.gsm8k.model_path=…`.
const TEACHERS: &str = "distillation.teacher_models.";

/// Takes a teacher under a name of its own for the one of veRL's configuration; of several there is no estimate.
fn by_another_name(draft: &mut Draft) {
    let path = format!("{TEACHER}model_path");
    let names: BTreeSet<String> = draft
        .stated(TEACHERS)
        .iter()
        .filter_map(|key| Some(key.split_once('.')?.0.to_owned()))
        .filter(|name| name != "teacher_model")
        .collect();
    if names.len() + usize::from(draft.holds(&path)) > 1 {
        draft.stands_in(0, "The text has several teachers, and the estimate one.");
    }
    let Some(name) = names.first().filter(|_| !draft.holds(&path)) else {
        return;
    };
    for key in draft.stated(&format!("{TEACHERS}{name}.")) {
        if let Some(setting) = draft.settings.get(&format!("{TEACHERS}{name}.{key}")).cloned() {
            draft.settings.state(format!("{TEACHER}{key}"), setting);
        }
    }
}

/// The teacher, its pool and what the student is held to.
pub(super) fn read(draft: &mut Draft) {
    const FIELD: &str = "workload.distillation";
    by_another_name(draft);
    draft.take_model(&format!("{TEACHER}model_path"), &format!("{FIELD}.teacher"));
    draft.set(&format!("{FIELD}.placement"), "pool");
    let [nodes, gpus] = ["nnodes", "n_gpus_per_node"].map(|name| draft.count(&format!("{AT}{name}")));
    if nodes.is_none() {
        // workers/config/distillation.py: 0 is the default, and no pool.
        draft.refuse(&format!("{AT}nnodes"), "A teacher needs a pool, and veRL's default is none. Set it to 1.", 0);
    }
    draft.set(&format!("{FIELD}.gpus"), nodes.unwrap_or(1).saturating_mul(gpus.unwrap_or(8)));
    for name in ["tensor_model_parallel_size", "gpu_memory_utilization", "max_num_batched_tokens"] {
        draft.take(&format!("{TEACHER}inference.{name}"));
    }
    let quantization = draft.text(&format!("{TEACHER}inference.quantization")).unwrap_or_default();
    let dtype = draft.word(&format!("{TEACHER}inference.dtype"));
    if quantization.contains("fp8") {
        draft.set(&format!("{FIELD}.precision"), "fp8");
    } else if matches!(dtype.as_deref(), Some("float16" | "half")) {
        draft.set(&format!("{FIELD}.precision"), "fp16");
    }
    if draft.word(&format!("{AT}distillation_loss.loss_mode")).as_deref() == Some("forward_kl_topk") {
        draft.set(&format!("{FIELD}.logits"), "top_k");
        draft.take(&format!("{AT}distillation_loss.topk"));
    } else {
        draft.set(&format!("{FIELD}.logits"), "sampled");
    }
    if draft.flag(&format!("{AT}distillation_loss.use_task_rewards")) != Some(false) {
        draft.note_once("Rewards of the task count beside the teacher: they take no pass of a model, and the estimate has the teacher's alone.");
    }
}
