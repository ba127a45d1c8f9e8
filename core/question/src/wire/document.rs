//! Reading and writing the question by tables of its fields.
//!
//! serde's derived code does the same for any format; these tables know only [`Value`] and share
//! their readers, which keeps a tenth of the browser's download away. `tests` compare the two.

use serde_json::{Map, Value};

use super::{
    Attention, Backend, By, Calibration, Engine, EstimateOptions, FlagsOptions, GpuSpec, HardwareSpec, KvCacheDtype,
    Language, LoraSpec, LoraTargets, Offload, Overlap, PlanSpec, Precision, Question, ReadOptions,
    RecomputeGranularity, RecomputeModule, RecomputeSpec, RlSpec, RolloutPlanSpec, RolloutWorkloadSpec, Schedule,
    SearchOptions, Table, WorkloadKind, WorkloadSpec,
};
use shardwise_catalog::error::InputError;

/// A key and what it is under.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    above: Option<&'a Place<'a>>,
    key: &'a str,
}

impl<'a> Place<'a> {
    /// The top of a document; its fields are named from here.
    pub(crate) const TOP: Place<'static> = Place { above: None, key: "" };

    /// The place that `key` names; dots inside it are part of it.
    pub(crate) fn at(key: &'a str) -> Self {
        Self { above: None, key }
    }

    fn path(&self) -> String {
        let above = self.above.map(Place::path).unwrap_or_default();
        if above.is_empty() { self.key.to_owned() } else { format!("{above}.{}", self.key) }
    }

    fn refuse(&self, message: impl Into<String>) -> InputError {
        let path = self.path();
        InputError::new(if path.is_empty() { "question".to_owned() } else { path }, message)
    }

    fn expected(&self, value: &Value, wanted: &str) -> InputError {
        let mut found = value.to_string();
        if found.chars().count() > 40 {
            found = found.chars().take(40).chain("…".chars()).collect();
        }
        self.refuse(format!("Expected {wanted}, found {found}."))
    }
}

/// One field's value, read and written.
trait Entry: Sized {
    fn read(value: &Value, place: &Place<'_>) -> Result<Self, InputError>;
    /// What is written; nothing where the field is absent.
    fn write(&self) -> Option<Value>;
}

/// A struct of fields.
pub trait Document: Sized {
    /// Keys, in the order of the struct.
    const KEYS: &'static [&'static str];
    /// Keys that must be there.
    const REQUIRED: &'static [&'static str];
    /// The document without any field.
    fn empty() -> Self;
    /// Sets the field `key`; whether there is such a field.
    fn set(&mut self, key: &str, value: &Value, place: &Place<'_>) -> Result<bool, InputError>;
    /// The fields that are there.
    fn entries(&self) -> Map<String, Value>;
}

/// Reads a document from an object.
///
/// # Errors
/// Names the field that is missing, unknown or of the wrong type.
pub fn read<T: Document>(value: &Value, place: &Place<'_>) -> Result<T, InputError> {
    let map = object(value, place)?;
    let mut document = T::empty();
    for (key, value) in map {
        let below = Place { above: Some(place), key };
        if !document.set(key, value, &below)? {
            return Err(unknown(&below, T::KEYS));
        }
    }
    required(map, place, T::REQUIRED)?;
    Ok(document)
}

fn object<'v>(value: &'v Value, place: &Place<'_>) -> Result<&'v Map<String, Value>, InputError> {
    value.as_object().ok_or_else(|| place.expected(value, "an object"))
}

fn unknown(place: &Place<'_>, known: &[&str]) -> InputError {
    place.refuse(format!("There is no such field. Known here: {}.", known.join(", ")))
}

fn required(map: &Map<String, Value>, place: &Place<'_>, keys: &[&str]) -> Result<(), InputError> {
    match keys.iter().find(|key| !map.contains_key(**key)) {
        None => Ok(()),
        Some(key) => Err(Place { above: Some(place), key }.refuse("This field is required.")),
    }
}

/// A question as a JSON value: what [`super::question_from_value`] reads.
#[must_use]
pub fn to_value(question: &Question) -> Value {
    Value::Object(question.entries())
}

/// A plan as a JSON value: `plan` of a question.
#[must_use]
pub fn plan_to_value(plan: &PlanSpec) -> Value {
    Value::Object(plan.entries())
}

macro_rules! document {
    ($name:ident { $($field:ident),* $(,)? } required { $($need:ident),* } empty $empty:expr) => {
        impl Document for $name {
            const KEYS: &'static [&'static str] = &[$(stringify!($field)),*];
            const REQUIRED: &'static [&'static str] = &[$(stringify!($need)),*];

            fn empty() -> Self {
                $empty
            }

            fn set(&mut self, key: &str, value: &Value, place: &Place<'_>) -> Result<bool, InputError> {
                $(if key == stringify!($field) {
                    self.$field = Entry::read(value, place)?;
                    return Ok(true);
                })*
                Ok(false)
            }

            fn entries(&self) -> Map<String, Value> {
                // A field that this table lacks does not compile.
                let Self { $($field),* } = self;
                let mut map = Map::new();
                $(put(&mut map, stringify!($field), $field.write());)*
                map
            }
        }

        impl Entry for $name {
            fn read(value: &Value, place: &Place<'_>) -> Result<Self, InputError> {
                read(value, place)
            }

            fn write(&self) -> Option<Value> {
                Some(Value::Object(self.entries()))
            }
        }
    };
}

fn put(map: &mut Map<String, Value>, key: &str, value: Option<Value>) {
    if let Some(value) = value {
        map.insert(key.to_owned(), value);
    }
}

document! {
    Question { version, model, hardware, workload, framework, framework_version, confidence, plan, calibration }
    required { version, model, hardware, workload }
    empty Question {
        version: 0,
        model: Value::Null,
        hardware: HardwareSpec::default(),
        workload: WorkloadSpec::empty(),
        framework: None,
        framework_version: None,
        confidence: None,
        plan: None,
        calibration: None,
    }
}
document! { Calibration { time, memory } required {} empty Self::default() }
document! {
    HardwareSpec { gpu, gpus, gpus_per_node, internode_gbit_per_s_per_gpu, host_ram_gib, usd_per_gpu_hour }
    required { gpu }
    empty Self::default()
}
document! {
    GpuSpec {
        base, architecture, memory_gib, hbm_gb_per_s, bf16_dense_tflops, fp8_dense_tflops, nvlink_gb_per_s, nvlink_domain,
        pcie_gb_per_s,
    }
    required {}
    empty Self::default()
}
document! {
    WorkloadSpec {
        kind, sequence_length, global_batch, mean_sequence_length, packing, precision, lora, rl, rollout, tokens,
    }
    required { kind }
    empty WorkloadSpec {
        kind: WorkloadKind::Pretrain,
        sequence_length: None,
        global_batch: None,
        mean_sequence_length: None,
        packing: None,
        precision: None,
        lora: None,
        rl: None,
        rollout: None,
        tokens: None,
    }
}
document! { LoraSpec { rank, targets } required {} empty Self::default() }
document! {
    RlSpec {
        prompts_per_step, gen_batch_size, oversampling, responses_per_prompt, max_prompt_length, max_response_length,
        mean_prompt_length, mean_response_length, response_length_cv, mini_batch, epochs, reference, critic,
        reward_model, old_log_prob, reward_s, schedule, max_staleness, train_gpus,
    }
    required {}
    empty Self::default()
}
document! {
    RolloutWorkloadSpec { requests, mean_prompt_length, mean_response_length, response_length_cv }
    required {}
    empty Self::default()
}
document! { Offload { parameters, gradients, optimizer, activations } required {} empty Self::default() }
document! { Overlap { gradients, parameters, tensor_parallel } required {} empty Self::default() }
document! {
    RolloutPlanSpec {
        engine, tensor_parallel, data_parallel, expert_parallel, gpu_memory_utilization, max_num_seqs,
        max_num_batched_tokens, precision, free_cache, enforce_eager, kv_cache_dtype, speculative_speedup,
    }
    required {}
    empty Self::default()
}
document! {
    PlanSpec {
        backend, tensor_parallel, pipeline_parallel, virtual_pipeline, context_parallel, ulysses_parallel,
        expert_parallel, expert_tensor_parallel, sequence_parallel, zero_stage, shard_group, micro_batch,
        max_tokens_per_gpu, recompute, offload, optimizer_offload_fraction, attention, fused_lm_head, fused_loss, overlap,
        nvme_offload, zero_hpz_partition_size, zero_quantized_weights, zero_quantized_gradients,
        master_weights_bytes, gradient_bytes, optimizer_bytes, rollout, critic, reference,
    }
    required {}
    empty Self::default()
}

document! { EstimateOptions { lang } required {} empty Self::default() }
document! {
    SearchOptions { by, gpu, gpus, within_hours, within_usd, framework, limit, lang }
    required {}
    empty Self::default()
}
document! {
    FlagsOptions { framework, version, page, lang }
    required { framework }
    empty Self::default()
}
document! { ReadOptions { gpu, model, lang } required {} empty Self::default() }

/// An absent value and, in most fields, null.
impl<T: Entry> Entry for Option<T> {
    fn read(value: &Value, place: &Place<'_>) -> Result<Self, InputError> {
        // "No critic" is a choice, an absent one is the default; no plan for it is none that differs.
        let chosen = place.key == "critic" && place.above.is_some_and(|above| above.key == "rl");
        if value.is_null() && !chosen { Ok(None) } else { T::read(value, place).map(Some) }
    }

    fn write(&self) -> Option<Value> {
        self.as_ref().and_then(T::write)
    }
}

impl<T: Document> Entry for Box<T> {
    fn read(value: &Value, place: &Place<'_>) -> Result<Self, InputError> {
        read(value, place).map(Box::new)
    }

    fn write(&self) -> Option<Value> {
        Some(Value::Object(self.entries()))
    }
}

impl<T: Entry> Entry for Vec<T> {
    fn read(value: &Value, place: &Place<'_>) -> Result<Self, InputError> {
        let items = value.as_array();
        let items = items.ok_or_else(|| place.expected(value, "a list"))?;
        items.iter().map(|item| T::read(item, place)).collect()
    }

    fn write(&self) -> Option<Value> {
        Some(Value::Array(self.iter().filter_map(Entry::write).collect()))
    }
}

impl Entry for Value {
    fn read(value: &Value, _: &Place<'_>) -> Result<Self, InputError> {
        Ok(value.clone())
    }

    fn write(&self) -> Option<Value> {
        Some(self.clone())
    }
}

impl Entry for String {
    fn read(value: &Value, place: &Place<'_>) -> Result<Self, InputError> {
        value
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| place.expected(value, "a word in quotes"))
    }

    fn write(&self) -> Option<Value> {
        Some(Value::from(self.as_str()))
    }
}

/// Whole numbers up to this are exact in JSON's doubles.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Entry for u64 {
    fn read(value: &Value, place: &Place<'_>) -> Result<Self, InputError> {
        let whole = |number: f64| ((0.0..=EXACT).contains(&number) && number.fract() == 0.0).then_some(number as u64);
        value
            .as_u64()
            .or_else(|| value.as_f64().and_then(whole))
            .ok_or_else(|| place.expected(value, "a whole number, zero or more"))
    }

    fn write(&self) -> Option<Value> {
        Some(Value::from(*self))
    }
}

impl Entry for u32 {
    fn read(value: &Value, place: &Place<'_>) -> Result<Self, InputError> {
        let wide = u64::read(value, place)?;
        Self::try_from(wide).map_err(|_| place.expected(value, "a smaller number"))
    }

    fn write(&self) -> Option<Value> {
        Some(Value::from(*self))
    }
}

impl Entry for f64 {
    fn read(value: &Value, place: &Place<'_>) -> Result<Self, InputError> {
        value.as_f64().ok_or_else(|| place.expected(value, "a number"))
    }

    fn write(&self) -> Option<Value> {
        Some(Value::from(*self))
    }
}

impl Entry for bool {
    fn read(value: &Value, place: &Place<'_>) -> Result<Self, InputError> {
        value.as_bool().ok_or_else(|| place.expected(value, "true or false"))
    }

    fn write(&self) -> Option<Value> {
        Some(Value::from(*self))
    }
}

/// The index of a word.
fn word(value: &Value, place: &Place<'_>, known: &[&str]) -> Result<usize, InputError> {
    let Some(text) = value.as_str() else {
        return Err(place.expected(value, "a word in quotes"));
    };
    known.iter().position(|word| *word == text).ok_or_else(|| {
        let text: String = text.chars().take(40).collect();
        place.refuse(format!("Unknown value {text}, expected one of {}.", known.join(", ")))
    })
}

macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        impl Entry for $name {
            fn read(value: &Value, place: &Place<'_>) -> Result<Self, InputError> {
                const VARIANTS: &[$name] = &[$($name::$variant),*];
                word(value, place, &[$($word),*]).map(|index| VARIANTS[index])
            }

            fn write(&self) -> Option<Value> {
                Some(Value::from(match self { $(Self::$variant => $word),* }))
            }
        }
    };
}

impl Entry for WorkloadKind {
    fn read(value: &Value, place: &Place<'_>) -> Result<Self, InputError> {
        word(value, place, &Self::ALL.map(Self::word)).map(|index| Self::ALL[index])
    }

    fn write(&self) -> Option<Value> {
        Some(Value::from(self.word()))
    }
}

words!(Precision { Bf16 = "bf16", Fp16 = "fp16", Fp8 = "fp8", Mxfp8 = "mxfp8", Nvfp4 = "nvfp4" });
words!(LoraTargets { Attention = "attention", AllLinear = "all-linear" });
words!(Schedule {
    Colocated = "colocated", Split = "split", OneStepOff = "one_step_off", FullyAsync = "fully_async",
});
words!(Backend { Megatron = "megatron", Fsdp = "fsdp", Deepspeed = "deepspeed", Ddp = "ddp" });
words!(RecomputeGranularity { None = "none", Selective = "selective", Full = "full" });
words!(RecomputeModule {
    CoreAttn = "core_attn", Mlp = "mlp", Moe = "moe", MoeAct = "moe_act", Layernorm = "layernorm",
    MlaUpProj = "mla_up_proj", SharedExperts = "shared_experts",
});
words!(Attention { Flash = "flash", Unfused = "unfused" });
words!(KvCacheDtype { Auto = "auto", Fp8 = "fp8" });
words!(Engine { Vllm = "vllm", Sglang = "sglang" });
words!(By { Cost = "cost", Time = "time", Gpus = "gpus" });
words!(Language { En = "en", Zh = "zh" });
words!(Table { Gpus = "gpus", Models = "models", Nodes = "nodes", Prices = "prices" });

/// The table of a name.
///
/// # Errors
/// Lists those that there are.
pub fn table_of(table: &str) -> Result<Table, InputError> {
    Entry::read(&Value::from(table), &Place::at("table"))
}

impl Entry for RecomputeSpec {
    fn read(value: &Value, place: &Place<'_>) -> Result<Self, InputError> {
        let Some(map) = value.as_object() else {
            return RecomputeGranularity::read(value, place)
                .map(Self::Word)
                .map_err(|_| place.refuse("Give none, selective or full, or an object with granularity and modules."));
        };
        let mut granularity = RecomputeGranularity::None;
        let mut modules = Vec::new();
        for (key, value) in map {
            let below = Place { above: Some(place), key };
            match key.as_str() {
                "granularity" => granularity = Entry::read(value, &below)?,
                "modules" => modules = Entry::read(value, &below)?,
                _ => return Err(unknown(&below, &["granularity", "modules"])),
            }
        }
        required(map, place, &["granularity"])?;
        Ok(Self::Modules { granularity, modules })
    }

    fn write(&self) -> Option<Value> {
        match self {
            Self::Word(word) => word.write(),
            Self::Modules { granularity, modules } => {
                let mut map = Map::new();
                put(&mut map, "granularity", granularity.write());
                put(&mut map, "modules", modules.write());
                Some(Value::Object(map))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Question, to_value};
    use crate::presets;
    use crate::wire::question_from_value;

    /// A question with every field, so that a word or key that differs from serde's shows.
    const WHOLE: &str = include_str!("whole.json");

    #[test]
    fn tables_and_serde_agree() {
        let presets = presets::presets().iter().map(|preset| preset.json);
        for text in presets.chain([WHOLE]) {
            let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
            let by_serde: Result<Question, _> = serde_json::from_str(text);
            let by_serde = by_serde.map_err(|error| format!("{error}: {text}"));
            let by_tables = question_from_value(value).map_err(|error| format!("{error}: {text}"));
            assert_eq!(by_tables, by_serde);
            assert!(by_tables.is_ok(), "{by_tables:?}");
            let written = by_tables.ok().map(|question| to_value(&question));
            assert_eq!(by_serde.ok().and_then(|question| serde_json::to_value(question).ok()), written);
        }
    }

    #[test]
    fn words_are_serdes() {
        fn same<T: super::Entry + serde::Serialize>(all: &[T]) {
            for word in all {
                assert_eq!(serde_json::to_value(word).ok(), word.write());
            }
        }
        use crate::wire::*;
        same(&WorkloadKind::ALL);
        same(&[Precision::Bf16, Precision::Fp16, Precision::Fp8, Precision::Mxfp8, Precision::Nvfp4]);
        same(&[LoraTargets::Attention, LoraTargets::AllLinear]);
        same(&[Schedule::Colocated, Schedule::Split, Schedule::OneStepOff, Schedule::FullyAsync]);
        same(&[Backend::Megatron, Backend::Fsdp, Backend::Deepspeed, Backend::Ddp]);
        same(&[RecomputeGranularity::None, RecomputeGranularity::Selective, RecomputeGranularity::Full]);
        same(&crate::plan::MODULES);
        same(&[Attention::Flash, Attention::Unfused]);
        same(&[Engine::Vllm, Engine::Sglang]);
        same(&[KvCacheDtype::Auto, KvCacheDtype::Fp8]);
        same(&[By::Cost, By::Time, By::Gpus]);
        same(&[Table::Gpus, Table::Models, Table::Nodes, Table::Prices]);
        same(&[Language::En, Language::Zh]);
    }
}
