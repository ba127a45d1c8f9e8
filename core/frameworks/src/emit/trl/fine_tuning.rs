//! `trl.scripts.sft`: full fine-tuning, `LoRA`, `QLoRA`.

use super::super::Emission;
use super::super::text::Section;
use super::model;

pub(super) fn sections(emission: &Emission) -> Vec<Section> {
    vec![batch(emission), model(emission)]
}

fn batch(emission: &Emission) -> Section {
    let (workload, layout) = (&emission.job.workload, &emission.plan.layout);
    let mut section = Section::new("Batch");
    super::batch(&mut section, emission);
    let parts = layout.sequence_split();
    if workload.joins() {
        section.set("--padding_free", "True", "sequences side by side, no padding tokens");
        section.set("--max_length", "none", "TRL cuts nothing without padding");
    } else {
        section.set("--max_length", workload.sequence_length, "tokens, from your question");
    }
    if parts > 1 {
        let parts = parts * if layout.context_parallel > 1 { 2 } else { 1 };
        section.set("--pad_to_multiple_of", parts, "so that every GPU gets the same number of tokens");
    }
    section
}
