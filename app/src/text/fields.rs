//! What the fields of a question are called that no control of the form is of, or whose control says too little by itself, in English
//! and Chinese. One whose key is among the words of the calculator is called by that word, any other by what it is a part of.

use super::Said;

pub(super) const FIELDS: &[(&str, Said)] = &[
    ("calibration", ["Calibration", "校准"]),
    ("framework", ["Framework", "框架"]),
    ("framework_version", ["Framework's version", "框架版本"]),
    ("hardware", ["GPUs", "GPU"]),
    ("hardware.gpu", ["GPU type", "GPU 型号"]),
    ("hardware.host_ram_gib", ["Host memory of a node, GiB", "每节点主机内存，GiB"]),
    ("hardware.market", ["Cheapest offer", "最便宜的报价"]),
    ("hardware.market.own", ["Your own prices", "你自己的价格"]),
    ("hardware.owned", ["Own machines", "自有机器"]),
    ("operations.evaluation", ["Evaluation", "评测"]),
    ("operations.restart_s", ["Restart, s", "重启，秒"]),
    ("plan", ["Plan", "配置"]),
    ("plan.rollout", ["Rollout engine", "Rollout 引擎"]),
    ("version", ["Version of the question", "问题的版本"]),
    ("workload", ["Task", "任务"]),
    ("workload.distillation", ["Teacher", "教师模型"]),
    ("workload.images", ["Images", "图像"]),
    ("workload.lengths", ["Lengths of the sequences", "各序列长度"]),
    ("workload.lora", ["LoRA", "LoRA"]),
    ("workload.rl", ["Reinforcement learning", "强化学习"]),
    ("workload.rollout", ["Generation", "生成"]),
    ("workload.run", ["Length of the run", "运行长度"]),
];

#[cfg(test)]
mod tests {
    use super::FIELDS;
    use crate::form::{Field, FieldError};
    use crate::text::Lang;
    use serde_json::Value;
    use shardwise_core::InputError;

    /// The paths of all fields below a part of the schema.
    fn paths(all: &Value, part: &Value, above: &str, within: &[&str], found: &mut Vec<String>) {
        if let Some(own) = part["$ref"].as_str().and_then(|own| own.rsplit('/').next())
            && !within.contains(&own)
        {
            let within = [within, &[own]].concat();
            paths(all, &all["$defs"][own], above, &within, found);
        }
        for part in ["anyOf", "oneOf"].iter().filter_map(|key| part[key].as_array()).flatten() {
            paths(all, part, above, within, found);
        }
        for (key, part) in part["properties"].as_object().into_iter().flatten() {
            let path = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
            paths(all, part, &path, within, found);
            found.push(path);
        }
        if part["items"].is_object() {
            paths(all, &part["items"], &format!("{above}[0]"), within, found);
        }
    }

    fn all_paths() -> Vec<String> {
        let schema: Value = serde_json::from_str(include_str!("../../../public/schema.json")).unwrap_or_default();
        let mut found = Vec::new();
        paths(&schema, &schema["$defs"]["Question"], "", &[], &mut found);
        assert!(found.len() > 150, "{found:?}");
        // A role of a plan is a plan of its own.
        let role: Vec<String> = found
            .iter()
            .filter_map(|path| path.strip_prefix("plan."))
            .map(str::to_owned)
            .collect();
        found.extend(role.iter().map(|path| format!("plan.critic.{path}")));
        found
    }

    #[test]
    fn no_field_is_shown_by_its_path() {
        for path in all_paths() {
            for lang in [Lang::En, Lang::Zh] {
                let name = lang.field(&path).unwrap_or_default();
                assert!(!name.is_empty() && !name.contains('_') && name != path, "{path}: {name}");
                let named = lang.with_names(&format!("State {path}."));
                assert!(!path.contains('.') || path.contains('[') || !named.contains(&path), "{path}: {named}");
            }
        }
        // Keys of frameworks are none.
        for key in [
            "data.max_length",
            "version.py",
            "config.json",
            "model.name",
            "actor_rollout_ref.model.path",
            "trainer.nnodes",
        ] {
            assert_eq!(Lang::En.field(key), None, "{key}");
        }
    }

    #[test]
    fn what_is_wrong_with_several_fields_stands_at_the_first_of_them() {
        for (path, field) in [
            ("workload.run", Some(Field::RunSteps)),
            ("hardware.owned", Some(Field::OwnedPrice)),
            ("workload.lora", Some(Field::LoraRank)),
            ("plan.rollout", Some(Field::Engine)),
            ("question", None),
        ] {
            assert_eq!(FieldError::from(InputError::new(path, "")).field, field, "{path}");
        }
    }

    #[test]
    fn each_is_named_once_and_is_one() {
        assert!(FIELDS.is_sorted_by(|(a, _), (b, _)| a < b));
        let known = all_paths();
        assert!(FIELDS.iter().all(|(path, _)| known.iter().any(|own| own == path)));
    }
}
