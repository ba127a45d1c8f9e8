//! What no text tells: the GPU, and how long sequences are. The base question answers it, or a default.

use serde_json::Value;

use super::draft::Draft;
use shardwise_catalog::catalog;
use shardwise_catalog::divisors::lcm;
use shardwise_catalog::hardware::supports_bf16;
use shardwise_question::wire::{Document, Question};

/// The GPU where neither text nor base names one.
const GPU: &str = "h100-sxm";

/// Why a field has the base's value.
const FROM_THE_BASE: &str = "From the base question; a script does not state it.";

impl Draft<'_> {
    /// Lays the fields that a few settings state over the base question, which says all others.
    pub(super) fn lay_over(&mut self, base: &Question) {
        let Ok(base) = serde_json::to_value(base) else {
            return;
        };
        let own = self.replace(base);
        let fields = self.understood_fields();
        for field in &fields {
            match own.pointer(&format!("/{}", field.replace('.', "/"))) {
                Some(value) => self.set(field, value.clone()),
                // A budget in place of a micro-batch takes that away.
                None => self.remove(field),
            }
        }
        self.forget_assumed("The text is a few settings; the rest is from the base question.");
        self.settle_offer();
    }

    /// Whether the GPU, of the text or of the base question, is known to multiply in no bf16.
    pub(in crate::read) fn lacks_bf16(&self) -> bool {
        let based = self.base.map(|base| &base.hardware.gpu);
        let id = self.field("hardware.gpu").or(based).and_then(Value::as_str);
        id.and_then(catalog::gpu).is_some_and(|gpu| !supports_bf16(gpu.architecture))
    }

    /// The precision that no text states, where the card's own is another than what frameworks train in then.
    pub(super) fn half(&mut self) {
        if self.field("workload.precision").is_none() && self.lacks_bf16() {
            self.assume_known(
                "workload.precision",
                "bf16",
                "What the framework trains in where nothing is said, whatever the card multiplies in.",
            );
        }
    }

    /// The GPU, which no text names, from the base question.
    pub(super) fn hardware(&mut self) {
        let spec = self.base.map(|base| &base.hardware);
        let named = self.field("hardware.gpu").cloned();
        // A link, a price and the host's memory are those of the base's own GPU.
        let alike = spec.is_some_and(|spec| spec.gpu.is_null() || named.as_ref().is_none_or(|gpu| *gpu == spec.gpu));
        match spec.filter(|_| alike) {
            Some(spec) => {
                if named.is_none() && spec.gpu.is_null() {
                    self.nobodys_gpu();
                } else if named.is_none() {
                    self.assume_known(
                        "hardware.gpu",
                        spec.gpu.clone(),
                        "From the base question; a script does not name the GPU.",
                    );
                }
                for (field, value) in [
                    ("hardware.internode_gbit_per_s_per_gpu", spec.internode_gbit_per_s_per_gpu),
                    ("hardware.usd_per_gpu_hour", spec.usd_per_gpu_hour),
                    ("hardware.host_ram_gib", spec.host_ram_gib),
                ] {
                    if let Some(value) = value {
                        self.set(field, value);
                    }
                }
                self.offers_of(spec);
                if let Some(own) = spec.owned {
                    self.set("hardware.owned", own.entries());
                }
                if self.field("hardware.gpus").is_none()
                    && let Some(gpus) = spec.gpus
                {
                    self.assume_known("hardware.gpus", gpus, "From the base question; the text does not state it.");
                    if let Some(node) = spec.gpus_per_node {
                        self.set("hardware.gpus_per_node", node);
                    }
                }
            }
            None if named.is_none() => self.nobodys_gpu(),
            None => {}
        }
        if self.field("hardware.gpus").is_none() {
            let least = self.layouts_gpus();
            let why = if least > 8 {
                "The text does not say how many GPUs run it: these are the fewest for its layout."
            } else {
                "The text does not say how many GPUs run it."
            };
            // Nodes of eight, or as many as the layout takes where those are no multiple of it.
            let gpus = if 8 % least == 0 { 8 } else { least };
            self.assume("hardware.gpus", gpus, why);
        }
        self.settle_offer();
    }

    fn nobodys_gpu(&mut self) {
        self.assume("hardware.gpu", GPU, "A script does not name the GPU; choose yours.");
    }

    /// The fewest GPUs that the stated layout runs on.
    fn layouts_gpus(&self) -> u64 {
        let size = |name: &&str| self.size(&format!("plan.{name}")).unwrap_or(1).max(1);
        let all = |names: &[&str]| names.iter().map(size).fold(1, u64::saturating_mul);
        // Both ways of splitting stand on the same GPUs.
        lcm(
            all(&["tensor_parallel", "pipeline_parallel", "context_parallel", "ulysses_parallel"]),
            all(&["expert_parallel", "expert_tensor_parallel", "pipeline_parallel"]),
        )
    }

    /// What a run of the caller's own showed holds for this one too.
    pub(super) fn calibration(&mut self) {
        let own = self.own.and_then(|own| own.calibration);
        for (name, factor) in own.map(|own| own.factors()).into_iter().flatten() {
            // Phases are of RL alone.
            let belongs = ["time", "memory"].contains(&name) || self.field("workload.rl").is_some();
            if let Some(factor) = factor.filter(|_| belongs) {
                let field = format!("calibration.{name}");
                self.assume_known(
                    &field,
                    factor,
                    "From the base question, which is calibrated with a run of your own.",
                );
            }
        }
    }

    /// Mean lengths and the like, which no text tells, from the base question.
    pub(super) fn lengths(&mut self) {
        let base = self.base.map(|base| &base.workload);
        if self.field("workload.rl").is_some() {
            let rl = base.and_then(|base| base.rl.as_ref());
            let fields = [
                ("mean_prompt_length", rl.and_then(|rl| rl.mean_prompt_length), "max_prompt_length"),
                ("mean_response_length", rl.and_then(|rl| rl.mean_response_length), "max_response_length"),
                ("response_length_cv", rl.and_then(|rl| rl.response_length_cv), ""),
                ("reward_s", rl.and_then(|rl| rl.reward_s), ""),
            ];
            for (name, value, longest) in fields {
                let field = format!("workload.rl.{name}");
                let limit = self
                    .field(&format!("workload.rl.{longest}"))
                    .and_then(Value::as_f64)
                    .unwrap_or(f64::INFINITY);
                match value.filter(|value| *value <= limit) {
                    Some(value) => self.assume_known(&field, value, FROM_THE_BASE),
                    None if !longest.is_empty() => {
                        self.assume(
                            &field,
                            Value::Null,
                            "Half of the longest; a script does not state it, a log of your run does.",
                        );
                    }
                    None => {}
                }
            }
        } else if let Some(lengths) = base.and_then(|base| base.lengths.as_ref()) {
            let stated = self.field("workload.mean_sequence_length").is_some();
            if let (false, Ok(lengths)) = (stated, serde_json::to_value(lengths)) {
                self.assume_known("workload.lengths", lengths, FROM_THE_BASE);
            }
        } else if let Some(mean) = base.and_then(|base| base.mean_sequence_length) {
            let limit = self.field("workload.sequence_length").and_then(Value::as_f64);
            if limit.is_some_and(|limit| mean <= limit) {
                self.assume_known("workload.mean_sequence_length", mean, FROM_THE_BASE);
                if let Some(cv) = base.and_then(|base| base.sequence_length_cv) {
                    self.assume_known("workload.sequence_length_cv", cv, FROM_THE_BASE);
                }
            }
        }
    }
}
