//! From the form to the question.

use serde::de::DeserializeOwned;
use serde_json::Value;
use shardwise_core::Question;
use shardwise_core::catalog;
use shardwise_core::wire::{
    HardwareSpec, LoraSpec, Offload, PlanSpec, RecomputeGranularity, RecomputeSpec, RlSpec,
    RolloutPlanSpec, RolloutWorkloadSpec, VERSION, WorkloadKind, WorkloadSpec,
};

use super::{
    CUSTOM_GPU, Field, FieldError, Form, KINDS, OFFLOADS, Problem, Takes, generates, is_rl, units,
};

/// The task a word of the interface names; GRPO where it names none.
pub(super) fn kind(word: &str) -> WorkloadKind {
    KINDS
        .iter()
        .find(|(_, id, _)| *id == word)
        .map_or(WorkloadKind::Grpo, |(kind, _, _)| *kind)
}

/// Reads controls and remembers what could not be read.
struct Reader<'a> {
    form: &'a Form,
    errors: Vec<FieldError>,
}

impl Reader<'_> {
    fn refuse(&mut self, field: Field, problem: Problem) {
        self.errors.push(FieldError {
            field: Some(field),
            path: field.path().to_owned(),
            problem,
        });
    }

    /// The text of a control; `None` where it is empty.
    fn text(&self, field: Field) -> Option<&str> {
        Some(self.form.get(field).trim()).filter(|text| !text.is_empty())
    }

    fn kilo(field: Field) -> f64 {
        if field.takes() == Takes::Tokens {
            1024.0
        } else {
            1000.0
        }
    }

    fn whole(&mut self, field: Field) -> Option<u64> {
        match units::whole(self.text(field)?, Self::kilo(field)) {
            Ok(value) => Some(value),
            Err(error) => {
                self.refuse(field, Problem::Number(error));
                None
            }
        }
    }

    fn number(&mut self, field: Field) -> Option<f64> {
        match units::number(self.text(field)?, Self::kilo(field)) {
            Ok(value) => Some(value),
            Err(error) => {
                self.refuse(field, Problem::Number(error));
                None
            }
        }
    }

    /// A word of the interface, read by the type that owns it.
    fn word<T: DeserializeOwned>(&mut self, field: Field) -> Option<T> {
        let word = self.text(field)?.to_owned();
        match serde_json::from_value(Value::String(word)) {
            Ok(value) => Some(value),
            Err(error) => {
                self.refuse(field, Problem::Refused(error.to_string()));
                None
            }
        }
    }

    fn flag(&self, field: Field) -> Option<bool> {
        self.text(field).map(|text| text == "true")
    }

    fn model(&mut self) -> Value {
        if let Some(config) = self.text(Field::ModelConfig) {
            return match serde_json::from_str::<Value>(config) {
                Ok(value) => value,
                Err(error) => {
                    self.refuse(Field::ModelConfig, Problem::Json(error.to_string()));
                    Value::Null
                }
            };
        }
        match self.text(Field::Model) {
            Some(typed) => Value::String(model_id(typed)),
            None => {
                self.refuse(Field::Model, Problem::Missing);
                Value::Null
            }
        }
    }

    fn hardware(&mut self, base: Option<&HardwareSpec>) -> HardwareSpec {
        let gpu = match (self.text(Field::Gpu), base) {
            (Some(CUSTOM_GPU), Some(base)) => base.gpu.clone(),
            (Some(id), _) => Value::String(id.to_owned()),
            (None, _) => {
                self.refuse(Field::Gpu, Problem::Missing);
                Value::Null
            }
        };
        HardwareSpec {
            gpu,
            gpus: self.whole(Field::Gpus),
            gpus_per_node: self.whole(Field::GpusPerNode),
            internode_gbit_per_s_per_gpu: self.number(Field::Network),
            usd_per_gpu_hour: self.number(Field::Price),
        }
    }

    fn workload(&mut self, base: Option<&WorkloadSpec>) -> WorkloadSpec {
        let kind = self.form.kind();
        let supervised = !generates(kind);
        let mut workload = WorkloadSpec {
            kind,
            sequence_length: None,
            global_batch: None,
            mean_sequence_length: None,
            packing: None,
            precision: self.word(Field::Precision),
            lora: self.lora(kind, base),
            rl: None,
            rollout: None,
            tokens: self.number(Field::RunTokens),
        };
        if supervised {
            workload.sequence_length = self.required(Field::SequenceLength);
            workload.global_batch = self.required(Field::GlobalBatch);
            workload.mean_sequence_length = self.number(Field::MeanSequenceLength);
            workload.packing = self.flag(Field::Packing);
        } else if is_rl(kind) {
            workload.packing = base.and_then(|base| base.packing);
            workload.rl = Some(self.rl(base.and_then(|base| base.rl.as_ref())));
        } else {
            workload.rollout = Some(RolloutWorkloadSpec {
                requests: self.required(Field::Requests),
                mean_prompt_length: self.required_number(Field::RequestPrompt),
                mean_response_length: self.required_number(Field::RequestResponse),
                response_length_cv: self.number(Field::RequestSpread),
            });
        }
        workload
    }

    /// Remembers an empty control that must not be.
    fn require(&mut self, field: Field) {
        if self.text(field).is_none() {
            self.refuse(field, Problem::Missing);
        }
    }

    fn required(&mut self, field: Field) -> Option<u64> {
        self.require(field);
        self.whole(field)
    }

    fn required_number(&mut self, field: Field) -> Option<f64> {
        self.require(field);
        self.number(field)
    }

    fn lora(&mut self, kind: WorkloadKind, base: Option<&WorkloadSpec>) -> Option<LoraSpec> {
        match kind {
            WorkloadKind::Lora | WorkloadKind::Qlora => {
                let lora = LoraSpec {
                    rank: self.whole(Field::LoraRank),
                    targets: self.word(Field::LoraTargets),
                };
                (lora != LoraSpec::default()).then_some(lora)
            }
            _ if is_rl(kind) => base.and_then(|base| base.lora),
            _ => None,
        }
    }

    fn rl(&mut self, base: Option<&RlSpec>) -> RlSpec {
        RlSpec {
            prompts_per_step: self.required(Field::Prompts),
            responses_per_prompt: self.whole(Field::Responses),
            max_prompt_length: self.required(Field::MaxPrompt),
            max_response_length: self.required(Field::MaxResponse),
            mean_prompt_length: self.number(Field::MeanPrompt),
            mean_response_length: self.number(Field::MeanResponse),
            response_length_cv: self.number(Field::Spread),
            mini_batch: self.whole(Field::MiniBatch),
            epochs: self.whole(Field::Epochs),
            reference: self.flag(Field::Reference),
            schedule: self.word(Field::Schedule),
            train_gpus: self.whole(Field::TrainGpus),
            ..base.cloned().unwrap_or_default()
        }
    }

    fn recompute(&mut self, base: Option<&PlanSpec>) -> Option<RecomputeSpec> {
        let granularity: RecomputeGranularity = self.word(Field::Recompute)?;
        match base.and_then(|plan| plan.recompute.as_ref()) {
            Some(
                spec @ RecomputeSpec::Modules {
                    granularity: chosen,
                    ..
                },
            ) if *chosen == granularity => Some(spec.clone()),
            _ => Some(RecomputeSpec::Word(granularity)),
        }
    }

    fn offload(&self) -> Option<Offload> {
        self.text(Field::Offload).map(|letters| {
            let [parameters, gradients, optimizer, activations] =
                OFFLOADS.map(|letter| letters.contains(letter));
            Offload {
                parameters,
                gradients,
                optimizer,
                activations,
            }
        })
    }

    fn plan(&mut self, base: Option<&PlanSpec>) -> Option<PlanSpec> {
        let generates = generates(self.form.kind());
        let mut plan = PlanSpec {
            backend: self.word(Field::Backend),
            tensor_parallel: self.whole(Field::TensorParallel),
            pipeline_parallel: self.whole(Field::PipelineParallel),
            virtual_pipeline: self.whole(Field::VirtualPipeline),
            context_parallel: self.whole(Field::ContextParallel),
            ulysses_parallel: self.whole(Field::UlyssesParallel),
            expert_parallel: self.whole(Field::ExpertParallel),
            expert_tensor_parallel: self.whole(Field::ExpertTensorParallel),
            zero_stage: self.whole(Field::ZeroStage),
            micro_batch: self.whole(Field::MicroBatch),
            max_tokens_per_gpu: self.whole(Field::TokenBudget),
            recompute: self.recompute(base),
            offload: self.offload(),
            fused_lm_head: self.flag(Field::FusedHead),
            ..base.cloned().unwrap_or_default()
        };
        plan.rollout = generates
            .then(|| RolloutPlanSpec {
                engine: self.word(Field::Engine),
                tensor_parallel: self.whole(Field::RolloutTensorParallel),
                gpu_memory_utilization: self.number(Field::MemoryShare),
                ..base
                    .and_then(|plan| plan.rollout.clone())
                    .unwrap_or_default()
            })
            .filter(|rollout| *rollout != RolloutPlanSpec::default());
        (plan != PlanSpec::default()).then_some(plan)
    }
}

/// The catalog id of a model typed by id, repository or name; else the text itself, which the
/// calculator refuses with the names nearest to it.
fn model_id(typed: &str) -> String {
    let same = |name: &str| name.eq_ignore_ascii_case(typed);
    catalog::models()
        .iter()
        .find(|model| same(model.id) || same(model.hf_repo) || same(model.name))
        .map_or_else(|| typed.to_owned(), |model| model.id.to_owned())
}

impl Form {
    /// The question that the form asks.
    ///
    /// # Errors
    /// Every control that cannot be read, in the order of the form.
    pub fn question(&self) -> Result<Question, Vec<FieldError>> {
        let base = self.base.as_deref();
        let mut reader = Reader {
            form: self,
            errors: Vec::new(),
        };
        let question = Question {
            version: VERSION,
            model: reader.model(),
            hardware: reader.hardware(base.map(|base| &base.hardware)),
            workload: reader.workload(base.map(|base| &base.workload)),
            plan: reader.plan(base.and_then(|base| base.plan.as_ref())),
        };
        if reader.errors.is_empty() {
            Ok(question)
        } else {
            Err(reader.errors)
        }
    }
}
