//! From a question to the form.

use serde::Serialize;
use serde_json::Value;
use shardwise_core::Question;
use shardwise_core::catalog;
use shardwise_core::wire::{Offload, RecomputeSpec};

use super::{CUSTOM_GPU, Field, Form, OFFLOADS};
use crate::format;

/// A number as a person would type it: whole numbers with their commas.
fn typed(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format::grouped(value as u64)
    } else {
        format!("{value}")
    }
}

fn count(value: Option<u64>) -> String {
    value.map(format::grouped).unwrap_or_default()
}

fn number(value: Option<f64>) -> String {
    value.map(typed).unwrap_or_default()
}

/// The word of the interface for a value of one of its enums.
fn word<T: Serialize>(value: Option<T>) -> String {
    match value.and_then(|value| serde_json::to_value(value).ok()) {
        Some(Value::String(word)) => word,
        _ => String::new(),
    }
}

fn flag(value: Option<bool>) -> String {
    value
        .map_or("", |value| if value { "true" } else { "false" })
        .to_owned()
}

fn offload(value: Offload) -> String {
    let Offload {
        parameters,
        gradients,
        optimizer,
        activations,
    } = value;
    let letters: String = [parameters, gradients, optimizer, activations]
        .into_iter()
        .zip(OFFLOADS)
        .filter_map(|(on, letter)| on.then_some(letter))
        .collect();
    if letters.is_empty() {
        "-".to_owned()
    } else {
        letters
    }
}

impl Form {
    /// The form that asks `question`.
    #[must_use]
    pub fn of(question: &Question) -> Self {
        let mut form = Self::default();
        form.write_model(&question.model);
        form.write_hardware(question);
        form.write_workload(question);
        form.write_plan(question);
        form.base = Some(Box::new(question.clone()));
        form
    }

    fn write_model(&mut self, model: &Value) {
        match model {
            Value::String(id) => {
                let name = catalog::model(id).map_or(id.as_str(), |entry| entry.name);
                self.set(Field::Model, name);
            }
            Value::Null => {}
            object => {
                self.set(
                    Field::ModelConfig,
                    serde_json::to_string_pretty(object).unwrap_or_default(),
                );
            }
        }
    }

    fn write_hardware(&mut self, question: &Question) {
        let hardware = &question.hardware;
        match &hardware.gpu {
            Value::String(id) => self.set(Field::Gpu, id.as_str()),
            Value::Null => {}
            _ => self.set(Field::Gpu, CUSTOM_GPU),
        }
        self.set(Field::Gpus, count(hardware.gpus));
        self.set(Field::GpusPerNode, count(hardware.gpus_per_node));
        self.set(
            Field::Network,
            number(hardware.internode_gbit_per_s_per_gpu),
        );
        self.set(Field::Price, number(hardware.usd_per_gpu_hour));
    }

    fn write_workload(&mut self, question: &Question) {
        let workload = &question.workload;
        self.set(Field::Kind, word(Some(workload.kind)));
        self.set(Field::SequenceLength, count(workload.sequence_length));
        self.set(Field::GlobalBatch, count(workload.global_batch));
        self.set(
            Field::MeanSequenceLength,
            number(workload.mean_sequence_length),
        );
        self.set(Field::Packing, flag(workload.packing));
        self.set(Field::Precision, word(workload.precision));
        self.set(Field::RunTokens, number(workload.tokens));
        let lora = workload.lora.unwrap_or_default();
        self.set(Field::LoraRank, count(lora.rank));
        self.set(Field::LoraTargets, word(lora.targets));
        let rl = workload.rl.clone().unwrap_or_default();
        self.set(Field::Prompts, count(rl.prompts_per_step));
        self.set(Field::Responses, count(rl.responses_per_prompt));
        self.set(Field::MaxPrompt, count(rl.max_prompt_length));
        self.set(Field::MaxResponse, count(rl.max_response_length));
        self.set(Field::MeanPrompt, number(rl.mean_prompt_length));
        self.set(Field::MeanResponse, number(rl.mean_response_length));
        self.set(Field::Spread, number(rl.response_length_cv));
        self.set(Field::MiniBatch, count(rl.mini_batch));
        self.set(Field::Epochs, count(rl.epochs));
        self.set(Field::Reference, flag(rl.reference));
        self.set(Field::Schedule, word(rl.schedule));
        self.set(Field::TrainGpus, count(rl.train_gpus));
        let rollout = workload.rollout.clone().unwrap_or_default();
        self.set(Field::Requests, count(rollout.requests));
        self.set(Field::RequestPrompt, number(rollout.mean_prompt_length));
        self.set(Field::RequestResponse, number(rollout.mean_response_length));
        self.set(Field::RequestSpread, number(rollout.response_length_cv));
    }

    fn write_plan(&mut self, question: &Question) {
        let plan = question.plan.clone().unwrap_or_default();
        self.set(Field::Backend, word(plan.backend));
        self.set(Field::TensorParallel, count(plan.tensor_parallel));
        self.set(Field::PipelineParallel, count(plan.pipeline_parallel));
        self.set(Field::VirtualPipeline, count(plan.virtual_pipeline));
        self.set(Field::ContextParallel, count(plan.context_parallel));
        self.set(Field::UlyssesParallel, count(plan.ulysses_parallel));
        self.set(Field::ExpertParallel, count(plan.expert_parallel));
        self.set(
            Field::ExpertTensorParallel,
            count(plan.expert_tensor_parallel),
        );
        self.set(Field::ZeroStage, count(plan.zero_stage));
        self.set(Field::MicroBatch, count(plan.micro_batch));
        self.set(Field::TokenBudget, count(plan.max_tokens_per_gpu));
        let granularity = plan.recompute.map(|recompute| match recompute {
            RecomputeSpec::Word(granularity) | RecomputeSpec::Modules { granularity, .. } => {
                granularity
            }
        });
        self.set(Field::Recompute, word(granularity));
        self.set(
            Field::Offload,
            plan.offload.map(offload).unwrap_or_default(),
        );
        self.set(Field::FusedHead, flag(plan.fused_lm_head));
        let rollout = plan.rollout.unwrap_or_default();
        self.set(Field::Engine, word(rollout.engine));
        self.set(Field::RolloutTensorParallel, count(rollout.tensor_parallel));
        self.set(Field::MemoryShare, number(rollout.gpu_memory_utilization));
    }
}
