//! What a script does not state and its verdict rests on.

use shardwise_core::job::{Job, resolve};

use super::{list, word};
use crate::protocol::blocks::words;
use crate::sheets::prelude::*;
use crate::sheets::words::{name, value, words_of};
use crate::words::gpu_label;

/// Fields on which a verdict rests before all others, by the start of their path: what is trained, on what, how long the
/// sequences are. The others are in the report.
const DECISIVE: [&str; 7] = [
    "model",
    "hardware.gpu",
    "hardware.gpus",
    "workload.sequence_length",
    "workload.mean_sequence_length",
    "workload.rl.mean_",
    "workload.rl.max_",
];

fn decides(field: &str) -> bool {
    DECISIVE
        .iter()
        .any(|start| field == *start || (start.ends_with('_') && field.starts_with(start)))
}

/// The value of a field as the estimate takes it, where it is left to the calculator too.
fn taken(field: &str, stated: &str, job: Option<&Job>, lang: Lang) -> String {
    if field == "hardware.gpu" {
        return gpu_label(stated);
    }
    if !stated.is_empty() {
        return if field == "model" { stated.to_owned() } else { value(stated, lang) };
    }
    let rl = job.and_then(|job| job.workload.rl.as_ref());
    let mean = match field {
        "workload.rl.mean_prompt_length" => rl.map(|rl| rl.mean_prompt_length),
        "workload.rl.mean_response_length" => rl.map(|rl| rl.mean_response_length),
        _ => None,
    };
    mean.map_or_else(|| lang.sheets().not_stated.to_owned(), |mean| format::fixed(mean, 0))
}

/// The sheet's part; nothing where the script states all that decides.
pub(super) fn view(found: &Value, lang: Lang) -> Option<Block> {
    let sheet = lang.sheets();
    let job = question_from_value(found["question"].clone())
        .ok()
        .and_then(|question| resolve(&question).ok());
    let all = list(&found["reading"], "assumed");
    let decisive: Vec<&Value> = all.iter().filter(|own| decides(word(own, "field"))).collect();
    let changes = (found["changes"] == true).then(|| said(Kind::Hint, sheet.changes_shown));
    if decisive.is_empty() {
        return changes;
    }
    let more = all.len() - decisive.len();
    let more = (more > 0).then(|| said(Kind::Hint, fill(sheet.assumed_more, &[&more.to_string()])));
    let items = decisive.into_iter().map(|own| {
        let field = word(own, "field");
        let figure = taken(field, word(own, "value"), job.as_ref(), lang);
        let why = words_of(word(own, "why"), lang);
        Entry::new([vec![words(name(field, lang))], vec![strong(figure)], vec![words(why)]])
    });
    let list = entries(Listed::Assumptions, items);
    let blocks = [changes, Some(list), more].into_iter().flatten().collect();
    Some(Section::headed("read-decisive", Purpose::Basis, sheet.assumed_here, blocks))
}

#[cfg(test)]
mod tests {
    use super::view;
    use crate::text::Lang;
    use serde_json::json;
    use shardwise_core::read::read;
    use shardwise_core::wire::to_value;

    fn shown(text: &str) -> String {
        let reading = read(&[text], None).unwrap_or_else(|error| panic!("{error}"));
        let question = to_value(&reading.question);
        let found = json!({ "reading": reading, "question": question, "changes": false });
        json!(view(&found, Lang::En)).to_string()
    }

    #[test]
    fn what_a_script_leaves_open_stands_with_its_value() {
        let script = "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B \
            data.max_prompt_length=1024 data.max_response_length=4096 algorithm.adv_estimator=grpo \
            data.train_batch_size=512 trainer.n_gpus_per_node=8 actor_rollout_ref.rollout.n=8";
        let found = shown(script);
        for words in ["\"H100-SXM\"", "\"2,048\"", "Mean response"] {
            assert!(found.contains(words), "{words} in {found}");
        }
        assert!(!found.contains("Qwen3"), "{found}");
        // The model, which is missing, is asked for in a place of its own; a length is not.
        let found = shown("{\"zero_optimization\": {\"stage\": 3}}");
        assert!(found.contains("Sequence length") && !found.contains("Model"), "{found}");
    }
}
