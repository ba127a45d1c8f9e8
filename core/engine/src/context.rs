//! What every estimate of one job shares: computed once, used for each plan.

use crate::blocks::Blocks;
use crate::communication::Network;
use crate::fit::Sure;
use crate::flops;
use crate::kernels::Rates;
use crate::known::Known;
use crate::layer::BlockContext;
use crate::lengths::Responses;
use crate::phase::Phase;
pub use crate::role::{Head, Role};
use crate::tower::Tower;
use shardwise_catalog::efficiency::{EFFICIENCY, Efficiency, FrameworkEfficiency};
use shardwise_catalog::model::{Model, ParameterCounts, Picture, QkNorm, Shape};
use shardwise_catalog::units::Flops;
use shardwise_question::adapters::{Adapters, ExpertAdapters};
use shardwise_question::complete::{training_gpus, usual_kernel};
use shardwise_question::job::Job;
use shardwise_question::plan::Layout;
use shardwise_question::task::Learns;
use shardwise_question::wire::{Attention, AttentionKernel, Backend, LoraTargets};
use shardwise_question::workload::{Agent, Workload};

/// A job with its rates, links and blocks.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The job.
    pub job: &'a Job,
    /// Constants.
    pub efficiency: &'a Efficiency,
    /// Rates of one GPU in the workload's precision.
    pub rates: Rates,
    /// Its links.
    pub network: Network,
    /// The attention kernel that each backend's software takes, in the order of [`Backend::ALL`].
    usual_kernels: [AttentionKernel; Backend::ALL.len()],
    /// The actor's blocks.
    pub blocks: Blocks,
    /// The critic's blocks, where there is one.
    critic: Option<Blocks>,
    /// The reward model's, likewise.
    reward: Option<Blocks>,
    /// The teacher's, where it stands beside the student.
    teacher: Option<Blocks>,
    /// An image as the towers of these four take it.
    pictures: [Option<Picture>; 4],
    /// Adapter weights that train, where each expert has its own; 0 where all weights do.
    pub adapters: u64,
    /// Of them those of routed experts.
    expert_adapters: u64,
    /// Those of routed experts that a token visits.
    visited_expert_adapters: u64,
    /// What routed experts have of them, in the order of [`Backend::ALL`].
    on_experts: [ExpertAdapters; Backend::ALL.len()],
    /// Lengths of what is generated.
    pub responses: Responses,
    /// What happens between an agent's turns, and the lengths of one.
    pub agent: Option<(Agent, Responses)>,
    /// What estimates of memory are multiplied by to be as sure as the question asks.
    pub sure: Sure,
    /// What was computed before.
    pub(crate) known: Known,
}

fn blocks_of(model: Option<&Model>) -> Option<Blocks> {
    model.map(|model| Blocks::of(&model.shape))
}

fn responses(workload: &Workload) -> Responses {
    match (&workload.rl, &workload.generation) {
        (Some(rl), _) => Responses::new(rl.mean_response_length, rl.response_length_cv, rl.max_response_length as f64),
        (None, Some(own)) => Responses::new(own.mean_response_length, own.response_length_cv, f64::MAX),
        (None, None) => Responses::default(),
    }
}

fn agent(workload: &Workload) -> Option<(Agent, Responses)> {
    let rl = workload.rl.as_ref()?;
    let agent = rl.agent?;
    let (mean, longest) = (rl.mean_response_length, rl.max_response_length as f64);
    Some((agent, Responses::of_a_turn(&agent, mean, rl.response_length_cv, longest)))
}

/// An image as the towers of actor, critic, reward model and teacher take it.
fn pictures(actor: &Model, workload: &Workload) -> [Option<Picture>; 4] {
    let seen = |model: Option<&Model>| workload.images.zip(model).and_then(|(images, model)| images.picture(model));
    let rl = workload.rl.as_ref();
    let [critic, reward] = [rl.and_then(|rl| rl.critic.as_ref()), rl.and_then(|rl| rl.reward_model.as_ref())];
    [seen(Some(actor)), seen(critic), seen(reward), seen(workload.teacher_beside())]
}

impl<'a> Context<'a> {
    /// Prepares a job.
    #[must_use]
    pub fn new(job: &'a Job) -> Self {
        Self::with(job, &EFFICIENCY)
    }

    /// Prepares a job with other constants: for fitting them.
    #[must_use]
    pub fn with(job: &'a Job, efficiency: &'a Efficiency) -> Self {
        let shape = &job.model.shape;
        let counted = |of: fn(&Shape, u64, LoraTargets) -> u64| {
            let lora = job.workload.lora;
            lora.map_or(0, |lora| of(shape, lora.rank, lora.targets))
        };
        let dense = counted(ParameterCounts::dense_lora);
        let (adapters, visited) = (counted(ParameterCounts::lora), counted(ParameterCounts::visited_lora));
        let framework = job.framework.map(|own| own.id);
        Self {
            job,
            efficiency,
            rates: Rates::of(&job.hardware, job.workload.precision, efficiency),
            network: Network::of(&job.hardware, efficiency),
            usual_kernels: Backend::ALL.map(|backend| usual_kernel(job, backend)),
            blocks: Blocks::of(&job.model.shape),
            critic: job.workload.rl.as_ref().and_then(|rl| blocks_of(rl.critic.as_ref())),
            reward: job.workload.rl.as_ref().and_then(|rl| blocks_of(rl.reward_model.as_ref())),
            teacher: blocks_of(job.workload.teacher_beside()),
            pictures: pictures(&job.model, &job.workload),
            adapters,
            expert_adapters: adapters - dense,
            visited_expert_adapters: visited - dense,
            on_experts: Backend::ALL.map(|backend| ExpertAdapters::of(framework, backend, shape)),
            responses: responses(&job.workload),
            agent: agent(&job.workload),
            sure: Sure::of(job),
            known: Known::default(),
        }
    }

    /// This context for many plans: what they share is computed once.
    #[must_use]
    pub fn for_many(self) -> Self {
        Self { known: Known::remembering(), ..self }
    }

    /// What the framework adds.
    #[must_use]
    pub fn framework(&self, layout: &Layout) -> &FrameworkEfficiency {
        match layout.backend {
            Backend::Megatron if layout.attention == Attention::Unfused => &self.efficiency.early_megatron,
            Backend::Megatron => &self.efficiency.megatron,
            Backend::Fsdp => &self.efficiency.fsdp,
            Backend::Deepspeed => &self.efficiency.deepspeed,
            Backend::Ddp => &self.efficiency.ddp,
        }
    }

    /// Bytes that a pass moves for each element which an adapter reads or adds to. FSDP's are of runs whose trainer has adapters of
    /// its own (prime-rl's benchmarks, <https://github.com/PrimeIntellect-ai/prime-rl>): a framework with PEFT's, be it named or chosen, has
    /// those of plain data parallelism, whose runs have PEFT's too. What is added in place is read and written once in 16 bits, as in
    /// Megatron's runs.
    pub(crate) fn adapter_bytes(&self, layout: &Layout) -> f64 {
        let own = self.job.adapters();
        let framework = match own {
            _ if !own.are_others(layout.backend) => self.framework(layout),
            Adapters::InPlace => &self.efficiency.megatron,
            Adapters::Peft | Adapters::Own => &self.efficiency.ddp,
        };
        framework.adapter_bytes
    }

    /// Time that the host takes for what the GPU waits for, over that of an x86 server's.
    #[must_use]
    pub fn host(&self) -> f64 {
        if self.job.hardware.is_on_grace() { self.efficiency.grace_host } else { 1.0 }
    }

    /// The factor of all else on the GPU's time line on computation, in the workload's precision.
    #[must_use]
    pub fn compute(&self, layout: &Layout) -> f64 {
        let framework = self.framework(layout);
        framework.compute * if self.rates.quantized { framework.narrow } else { 1.0 }
    }

    /// Adapter weights that a token visits: of all experts' those of the ones that it is sent to, where the backend has some there.
    #[must_use]
    pub fn visited_adapters(&self, backend: Backend) -> u64 {
        let on_experts = self.on_experts[backend as usize] != ExpertAdapters::Missing;
        self.adapters - self.expert_adapters + if on_experts { self.visited_expert_adapters } else { 0 }
    }

    /// Operations of one training token of the actor, nothing recomputed.
    #[must_use]
    pub fn training_flops(&self, backend: Backend, length: f64) -> Flops {
        let model = &self.job.model;
        let all = if self.job.workload.full_parameter() {
            flops::training(model, &self.blocks, length)
        } else {
            flops::adapted(model, &self.blocks, length, self.visited_adapters(backend))
        };
        all - self.no_head() + self.images_per_token(Tower::training_flops)
    }

    /// Operations of the actor's images, as `of` counts those of a sequence, for each of its mean tokens.
    #[must_use]
    pub fn images_per_token(&self, of: impl Fn(&Tower) -> Flops) -> Flops {
        let length = self.job.workload.mean_sequence_length.max(1.0);
        Tower::of(self, &self.actor()).map_or(Flops::ZERO, |tower| of(&tower) * (1.0 / length))
    }

    /// What eager code keeps of a layer beside the counted bytes, per token and hidden size.
    pub(crate) fn eager_activation(&self, shape: &Shape, layout: &Layout) -> f64 {
        let eager = self.job.workload.fine_tunes() && !matches!(layout.backend, Backend::Megatron | Backend::Fsdp);
        let norms = if eager { self.eager_norms(shape, layout) } else { 0.0 };
        norms + self.copied_inputs(shape, layout)
    }

    /// Hugging Face's norms are computed in fp32 and keep that copy and what they made of it before its weight, those of queries and
    /// keys their inputs as well (`transformers` 5.17, `modeling_qwen3.py`, `Qwen3RMSNorm`). Kernels that fuse the LM head with its loss
    /// come with fused norms (Liger, Unsloth); prime-rl and torchtitan compile their models.
    fn eager_norms(&self, shape: &Shape, layout: &Layout) -> f64 {
        if layout.fused_lm_head {
            return 0.0;
        }
        let each = self.efficiency.eager_activation;
        let normed = match shape.qk_norm {
            QkNorm::None => 0.0,
            _ => (shape.num_attention_heads + shape.num_key_value_heads) as f64 * shape.head_dim as f64,
        };
        each * shape.norms_per_layer as f64 + (each + 2.0) * normed / shape.hidden_size as f64
    }

    /// Copies that adapters make of what enters their matrices, which live until the backward pass
    /// (<https://github.com/AgileRL/AgileRL/pull/623>). Of an adapted matrix's two edges about half is the input; experts in one tensor
    /// have adapters that read their weights.
    fn copied_inputs(&self, shape: &Shape, layout: &Layout) -> f64 {
        let named = self.job.framework.is_some();
        let copies = self.job.adapters().copy_inputs(named, layout, self.training_gpus());
        let Some(lora) = self.job.workload.lora.filter(|_| copies) else {
            return 0.0;
        };
        let edges = (self.adapters - self.expert_adapters) as f64 / (lora.rank * shape.num_hidden_layers) as f64;
        self.efficiency.adapter_input_bytes * 0.5 * edges / shape.hidden_size as f64
    }

    /// Weights of a model's vision tower that do not train.
    fn frozen(&self, model: &Model) -> u64 {
        self.job.workload.images.map_or(0, |images| images.frozen(model))
    }

    /// Operations of the LM head that a model of scores does not have.
    fn no_head(&self) -> Flops {
        match self.head() {
            Head::Vocabulary => Flops::ZERO,
            Head::Scalar => flops::head_per_token(&self.job.model, self.job.workload.full_parameter()),
        }
    }

    /// What follows the last block of what trains.
    fn head(&self) -> Head {
        let scores = self
            .job
            .workload
            .kind
            .preference()
            .is_some_and(|own| own.learns == Learns::Scores);
        if scores { Head::Scalar } else { Head::Vocabulary }
    }

    /// GPUs that train.
    #[must_use]
    pub fn training_gpus(&self) -> u32 {
        training_gpus(self.job)
    }

    /// Whether it is a reference's phase that takes the policy's place on the card.
    pub(crate) fn is_swapped(&self, phase: Phase) -> bool {
        phase == Phase::Reference && self.job.swaps_reference()
    }

    /// The kernel that a layout's attention runs by: the stated one, or the usual one.
    fn attention_kernel(&self, layout: &Layout) -> AttentionKernel {
        layout.attention_kernel.unwrap_or(self.usual_kernels[layout.backend as usize])
    }

    /// What a block's time and bytes depend on beside itself, with experts as unevenly loaded as in pre-training.
    pub(crate) fn block<'b>(&'b self, role: &'b Role<'_>, layout: &'b Layout) -> BlockContext<'b> {
        BlockContext {
            shape: &role.model.shape,
            layout,
            rates: &self.rates,
            network: &self.network,
            elementwise: self.framework(layout).elementwise,
            quantization: self.framework(layout).quantization,
            expert_imbalance: self.efficiency.expert_imbalance,
            kernel_speed: self.rates.kernel_speed(self.attention_kernel(layout)),
            weight_gradients: role.adapters == 0,
            repeats_delta_net: role.repeats_delta_net,
            mlp_trains: role.adapters == 0
                || self.job.workload.lora.is_some_and(|own| own.targets == LoraTargets::AllLinear),
            in_rl: self.job.workload.rl.is_some(),
        }
    }

    /// The actor as a role that trains.
    #[must_use]
    pub fn actor(&self) -> Role<'_> {
        let model = &self.job.model;
        let (picture, frozen) = (self.pictures[0].as_ref(), self.frozen(model));
        let (adapters, expert_adapters, on_experts) = (self.adapters, self.expert_adapters, self.on_experts);
        let whole = Role::whole(self.job, model, &self.blocks, self.head());
        Role { adapters, expert_adapters, on_experts, picture, frozen, ..whole }
    }

    /// The critic, where there is one.
    #[must_use]
    pub fn critic(&self) -> Option<Role<'_>> {
        let model = self.job.workload.rl.as_ref()?.critic.as_ref()?;
        let (picture, frozen) = (self.pictures[1].as_ref(), self.frozen(model));
        Some(Role { picture, frozen, ..Role::whole(self.job, model, self.critic.as_ref()?, Head::Scalar) })
    }

    /// The reward model, where there is one.
    #[must_use]
    pub fn reward(&self) -> Option<Role<'_>> {
        let model = self.job.workload.rl.as_ref()?.reward_model.as_ref()?;
        let (picture, frozen) = (self.pictures[2].as_ref(), self.frozen(model));
        // An implicit reward is a log-probability.
        let head = if self.process_reward() { Head::Vocabulary } else { Head::Scalar };
        Some(Role { picture, frozen, ..Role::whole(self.job, model, self.reward.as_ref()?, head) })
    }

    /// Whether the reward model trains.
    #[must_use]
    pub fn process_reward(&self) -> bool {
        self.job.workload.kind.has_process_reward()
    }

    /// The teacher, where it stands beside the student.
    #[must_use]
    pub fn teacher(&self) -> Option<Role<'_>> {
        let model = self.job.workload.teacher_beside()?;
        let (blocks, picture) = (self.teacher.as_ref()?, self.pictures[3].as_ref());
        // None of its weights trains, those of its tower neither.
        Some(Role { picture, ..Role::whole(self.job, model, blocks, Head::Vocabulary) })
    }
}
