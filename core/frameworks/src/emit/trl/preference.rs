//! `trl.scripts.dpo`, `kto` and `reward`: learning from preferences.

use super::super::Emission;
use super::super::choices::preference;
use super::super::text::Section;
use super::model;
use shardwise_question::task::{Learns, Preference};
use shardwise_question::wire::WorkloadKind;

/// The script that learns so.
pub(super) fn script(own: &Preference) -> &'static str {
    match own.learns {
        Learns::Scores => "reward",
        Learns::HeldByMismatched => "kto",
        Learns::Held | Learns::Free => "dpo",
    }
}

pub(super) fn sections(emission: &Emission, own: &Preference) -> Vec<Section> {
    let mut model = model(emission);
    if own.learns == Learns::Scores && emission.job.workload.lora.is_some() {
        model.set("--lora_task_type", "SEQ_CLS", "adapters of a model that scores");
    }
    vec![batch(emission), model, loss(emission, own)]
}

fn batch(emission: &Emission) -> Section {
    let mut section = Section::new("Batch");
    super::batch(&mut section, emission);
    section.set(
        "--max_length",
        emission.job.workload.sequence_length,
        "tokens of prompt and response, from your question",
    );
    section
}

fn loss(emission: &Emission, own: &Preference) -> Section {
    let workload = &emission.job.workload;
    let mut section = Section::new("Loss");
    if !own.has_reference() {
        return section;
    }
    if workload.kind == WorkloadKind::Ipo {
        section.set("--loss_type", "ipo", "a squared loss, from your question");
    }
    section.set("--beta", preference::BETA, preference::BETA_REASON);
    if !workload.reference {
        section.set("--precompute_ref_log_probs", "True", "the reference is evaluated once, before training");
    }
    section
}
