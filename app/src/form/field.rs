//! Every control of the form, and the place in the question it stands for.

use super::units::{self, NumberError};

/// What a control takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Any text.
    Text,
    /// A whole number; `k` is 1,000.
    Count,
    /// A whole number of tokens of one sequence or batch; `k` is 1,024.
    Tokens,
    /// A number of tokens on average; `k` is 1,024.
    MeanTokens,
    /// Yes or no; empty is "auto".
    Flag,
    /// A decimal number.
    Number,
    /// A share between 0 and 1, or a percentage.
    Share,
    /// One of a list; empty is "auto".
    Choice,
}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident = $path:literal, $takes:ident;)*) => {
        /// A control of the form.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Field {
            $($(#[$doc])* $name,)*
        }

        impl Field {
            /// Every control, in the order of the question document.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The path of its value in the question document: what
            /// [`InputError::field`](shardwise_core::InputError) names.
            #[must_use]
            pub const fn path(self) -> &'static str {
                match self {
                    $(Self::$name => $path,)*
                }
            }

            /// What it takes.
            #[must_use]
            pub const fn takes(self) -> Takes {
                match self {
                    $(Self::$name => Takes::$takes,)*
                }
            }
        }
    };
}

fields! {
    /// Model: a catalog id, a name, or a Hugging Face repository.
    Model = "model", Text;
    /// A pasted `config.json`; where there is one it is the model.
    ModelConfig = "model.config", Text;
    /// GPU type.
    Gpu = "hardware.gpu", Choice;
    /// What a GPU of one's own is like but for the figures below.
    GpuBase = "hardware.gpu.base", Choice;
    /// Its architecture.
    GpuArchitecture = "hardware.gpu.architecture", Choice;
    /// Its memory.
    GpuMemory = "hardware.gpu.memory_gib", Number;
    /// Its memory's bandwidth.
    GpuBandwidth = "hardware.gpu.hbm_gb_per_s", Number;
    /// Its dense peak in bf16.
    GpuBf16 = "hardware.gpu.bf16_dense_tflops", Number;
    /// Its dense peak in fp8.
    GpuFp8 = "hardware.gpu.fp8_dense_tflops", Number;
    /// Its NVLink.
    GpuNvlink = "hardware.gpu.nvlink_gb_per_s", Number;
    /// GPUs on it.
    GpuDomain = "hardware.gpu.nvlink_domain", Count;
    /// Its link to the host.
    GpuPcie = "hardware.gpu.pcie_gb_per_s", Number;
    /// Number of GPUs.
    Gpus = "hardware.gpus", Count;
    /// GPUs in one node.
    GpusPerNode = "hardware.gpus_per_node", Count;
    /// Network between nodes.
    Network = "hardware.internode_gbit_per_s_per_gpu", Number;
    /// Price of a GPU-hour.
    Price = "hardware.usd_per_gpu_hour", Number;
    /// An offer that is rented whatever others cost.
    Offer = "hardware.offer", Text;
    /// The terms on which the cheapest offer is looked for; empty where none is.
    Terms = "hardware.market.kinds", Choice;
    /// Those who may rent it out.
    Providers = "hardware.market.providers", Text;
    /// What a GPU of a machine of one's own cost.
    OwnedPrice = "hardware.owned.usd_per_gpu", Number;
    /// Over how many years.
    OwnedYears = "hardware.owned.years", Number;
    /// In how much of all hours it works.
    OwnedUse = "hardware.owned.utilization", Share;
    /// What it draws.
    OwnedWatts = "hardware.owned.watts", Number;
    /// What its site draws beside it.
    OwnedPue = "hardware.owned.pue", Number;
    /// What power costs.
    OwnedKwh = "hardware.owned.usd_per_kwh", Number;
    /// The task.
    Kind = "workload.kind", Choice;
    /// Longest sequence.
    SequenceLength = "workload.sequence_length", Tokens;
    /// Sequences per optimizer step.
    GlobalBatch = "workload.global_batch", Count;
    /// Mean sequence length.
    MeanSequenceLength = "workload.mean_sequence_length", MeanTokens;
    /// Spread of the sequence lengths.
    LengthSpread = "workload.sequence_length_cv", Share;
    /// Packing.
    Packing = "workload.packing", Flag;
    /// Precision of the matrix products.
    Precision = "workload.precision", Choice;
    /// Rank of the adapters.
    LoraRank = "workload.lora.rank", Count;
    /// Matrices with adapters.
    LoraTargets = "workload.lora.targets", Choice;
    /// Whether the base below them is held in 4 bits.
    LoadIn4bit = "workload.lora.load_in_4bit", Flag;
    /// Whether the reference was evaluated before training.
    PrecomputeReference = "workload.precompute_ref_log_probs", Flag;
    /// Images of an example.
    Images = "workload.images.per_example", Number;
    /// Width of an image.
    ImageWidth = "workload.images.width", Count;
    /// Height of an image.
    ImageHeight = "workload.images.height", Count;
    /// Most pixels of an image.
    ImagePixels = "workload.images.max_pixels", Count;
    /// What trains of the vision tower.
    VisionTower = "workload.images.vision_tower", Choice;
    /// The teacher's model.
    Teacher = "workload.distillation.teacher", Text;
    /// Where it stands.
    Placement = "workload.distillation.placement", Choice;
    /// GPUs of its own.
    TeacherGpus = "workload.distillation.gpus", Count;
    /// GPUs that split its matrices there.
    TeacherTensorParallel = "workload.distillation.tensor_parallel", Count;
    /// Share of the card that its engines take there.
    TeacherShare = "workload.distillation.gpu_memory_utilization", Share;
    /// Tokens that an engine of it reads in one step.
    TeacherTokens = "workload.distillation.max_num_batched_tokens", Tokens;
    /// Precision of its weights there.
    TeacherPrecision = "workload.distillation.precision", Choice;
    /// What of its probabilities the student is held to.
    TeacherLogits = "workload.distillation.logits", Choice;
    /// How many of each position.
    TopK = "workload.distillation.top_k", Count;
    /// Share of the batches that the student samples.
    OnPolicy = "workload.distillation.on_policy", Share;
    /// Prompts per step.
    Prompts = "workload.rl.prompts_per_step", Count;
    /// Prompts generated for each that trains.
    Oversampling = "workload.rl.oversampling", Number;
    /// Responses per prompt.
    Responses = "workload.rl.responses_per_prompt", Count;
    /// Longest prompt.
    MaxPrompt = "workload.rl.max_prompt_length", Tokens;
    /// Longest response.
    MaxResponse = "workload.rl.max_response_length", Tokens;
    /// Mean prompt.
    MeanPrompt = "workload.rl.mean_prompt_length", MeanTokens;
    /// Mean response.
    MeanResponse = "workload.rl.mean_response_length", MeanTokens;
    /// Spread of the response lengths.
    Spread = "workload.rl.response_length_cv", Share;
    /// Prompts per optimizer step.
    MiniBatch = "workload.rl.mini_batch", Count;
    /// Passes over the samples.
    Epochs = "workload.rl.epochs", Count;
    /// Reference policy.
    Reference = "workload.rl.reference", Flag;
    /// Whether the trainer computes the old log-probabilities.
    OldLogProb = "workload.rl.old_log_prob", Flag;
    /// Whether every rank gets as many tokens as the others.
    BalanceBatch = "workload.rl.balance_batch", Flag;
    /// Seconds of a step that go by scoring responses.
    RewardSeconds = "workload.rl.reward_s", Number;
    /// Turns of an agent's response.
    AgentTurns = "workload.rl.agent.turns", Number;
    /// The most of them.
    AgentMaxTurns = "workload.rl.agent.max_turns", Count;
    /// Tokens of a tool's answer.
    ToolTokens = "workload.rl.agent.tool_response_length", MeanTokens;
    /// Seconds of a call.
    ToolSeconds = "workload.rl.agent.tool_s", Number;
    /// Spread of these seconds.
    ToolSpread = "workload.rl.agent.tool_cv", Share;
    /// Responses in progress at a time.
    Environments = "workload.rl.agent.environments", Count;
    /// Share of earlier tokens that the engine still holds.
    PrefixHits = "workload.rl.agent.prefix_cache_hit_rate", Share;
    /// Whether each response goes on at its own pace.
    OwnPace = "workload.rl.agent.asynchronous", Flag;
    /// How generation and training share the GPUs.
    Schedule = "workload.rl.schedule", Choice;
    /// Versions that a sample may lag behind.
    MaxStaleness = "workload.rl.max_staleness", Count;
    /// GPUs that train.
    TrainGpus = "workload.rl.train_gpus", Count;
    /// Requests of a generation run.
    Requests = "workload.rollout.requests", Count;
    /// Mean prompt of a generation run.
    RequestPrompt = "workload.rollout.mean_prompt_length", MeanTokens;
    /// Mean response of a generation run.
    RequestResponse = "workload.rollout.mean_response_length", MeanTokens;
    /// Spread of a generation run's responses.
    RequestSpread = "workload.rollout.response_length_cv", Share;
    /// Tokens of the whole run.
    RunTokens = "workload.tokens", Number;
    /// Steps of the whole run.
    RunSteps = "workload.run.steps", Count;
    /// Examples of the data set.
    RunExamples = "workload.run.examples", Count;
    /// Passes over it.
    RunEpochs = "workload.run.epochs", Number;
    /// Checkpoints that are kept.
    RunCheckpoints = "workload.run.checkpoints", Count;
    /// Whether the run is counted with what it meets beside its steps.
    Operations = "operations", Flag;
    /// Seconds until its first step.
    StartupSeconds = "operations.startup_s", Number;
    /// Time of its evaluation beside training's.
    EvaluationShare = "operations.evaluation.share", Share;
    /// Whether it saves checkpoints.
    Saves = "operations.checkpoint.on", Flag;
    /// Minutes from one to the next.
    SavingMinutes = "operations.checkpoint.every_minutes", Number;
    /// Bandwidth to storage.
    StorageBandwidth = "operations.checkpoint.storage_gb_per_s", Number;
    /// Whether failures are counted.
    Fails = "operations.failures.on", Flag;
    /// Hours of one GPU between two of them.
    FailureHours = "operations.failures.mtbf_gpu_hours", Number;
    /// How often an instance is taken back, per hour.
    Interruptions = "operations.interruptions_per_instance_hour", Number;
    /// Whether energy is counted.
    Energy = "operations.power.on", Flag;
    /// Power of the site over that of its computers.
    Pue = "operations.power.pue", Number;
    /// Grams of CO2 for a kilowatt-hour.
    GridCo2 = "operations.power.grid_gco2_per_kwh", Number;
    /// The framework that runs it.
    Framework = "framework", Choice;
    /// Its version.
    FrameworkVersion = "framework_version", Choice;
    /// How sure it is to be that a chosen plan fits.
    Confidence = "confidence", Share;
    /// The code that trains.
    Backend = "plan.backend", Choice;
    /// Tensor parallelism.
    TensorParallel = "plan.tensor_parallel", Count;
    /// Pipeline parallelism.
    PipelineParallel = "plan.pipeline_parallel", Count;
    /// Interleaved stages.
    VirtualPipeline = "plan.virtual_pipeline", Count;
    /// Order of a pipeline's passes.
    PipelineSchedule = "plan.pipeline_schedule", Choice;
    /// Context parallelism.
    ContextParallel = "plan.context_parallel", Count;
    /// Ulysses sequence parallelism.
    UlyssesParallel = "plan.ulysses_parallel", Count;
    /// Expert parallelism.
    ExpertParallel = "plan.expert_parallel", Count;
    /// Tensor parallelism of the experts.
    ExpertTensorParallel = "plan.expert_tensor_parallel", Count;
    /// ZeRO stage.
    ZeroStage = "plan.zero_stage", Count;
    /// Sequences per GPU.
    MicroBatch = "plan.micro_batch", Count;
    /// Token budget per GPU.
    TokenBudget = "plan.max_tokens_per_gpu", Tokens;
    /// Recomputation.
    Recompute = "plan.recompute", Choice;
    /// What is kept in host memory: letters of [`super::OFFLOADS`], `-` for nothing.
    Offload = "plan.offload", Choice;
    /// Loss without logits.
    FusedHead = "plan.fused_lm_head", Flag;
    /// Whose flash attention.
    AttentionKernel = "plan.attention_kernel", Choice;
    /// What steps the weights.
    Optimizer = "plan.optimizer", Choice;
    /// The generation engine.
    Engine = "plan.rollout.engine", Choice;
    /// Its version.
    EngineVersion = "plan.rollout.engine_version", Text;
    /// Tensor parallelism of the engine.
    RolloutTensorParallel = "plan.rollout.tensor_parallel", Count;
    /// The engine's share of the memory.
    MemoryShare = "plan.rollout.gpu_memory_utilization", Share;
    /// The engine without CUDA graphs.
    EnforceEager = "plan.rollout.enforce_eager", Flag;
    /// Type of the engine's keys and values.
    KvCacheDtype = "plan.rollout.kv_cache_dtype", Choice;
    /// What speculative decoding gains.
    SpeculativeSpeedup = "plan.rollout.speculative_speedup", Number;
    /// Measured seconds of a micro-batch's forward pass. Like those below, no part of the question.
    ForwardSeconds = "measured.forward_s", Number;
    /// Measured seconds of its backward pass.
    BackwardSeconds = "measured.backward_s", Number;
    /// Measured seconds of a step.
    StepSeconds = "measured.step_time_s", Number;
    /// Measured peak of training's allocator.
    PeakGib = "measured.peak_gib", Number;
}

impl Field {
    /// Number of controls.
    pub const COUNT: usize = Self::ALL.len();

    /// The control that a path of the question document belongs to: the one with that path, else
    /// the one with the longest path above it.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let exact = Self::ALL.iter().copied().find(|field| field.path() == path);
        exact.or_else(|| {
            let above = |field: &Self| path.strip_prefix(field.path()).is_some_and(|rest| rest.starts_with(['.', '[']));
            Self::ALL.iter().copied().filter(above).max_by_key(|field| field.path().len())
        })
    }

    /// The control that a name in a sentence means: a whole path, or the last key of one where that is no common word.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let all = || Self::ALL.iter().copied();
        if name.contains('.') {
            return all().find(|field| field.path() == name);
        }
        let last = |field: &Self| field.path().rsplit('.').next() == Some(name);
        name.contains('_').then(|| all().find(last)).flatten()
    }

    /// Whether it is a part of the plan.
    #[must_use]
    pub fn is_plan(self) -> bool {
        self.path().starts_with("plan.")
    }

    /// Whether it is a figure of a GPU of one's own.
    #[must_use]
    pub fn is_of_gpu(self) -> bool {
        (Self::GpuBase..=Self::GpuPcie).contains(&self)
    }

    /// Whether it says how a run is counted with what it meets beside its steps.
    #[must_use]
    pub fn is_of_operations(self) -> bool {
        (Self::StartupSeconds..=Self::GridCo2).contains(&self)
    }

    /// Whether it says what a machine of one's own costs.
    #[must_use]
    pub fn is_of_owned(self) -> bool {
        (Self::OwnedPrice..=Self::OwnedKwh).contains(&self)
    }

    /// Whether it is about a run of one's own, not about the question.
    #[must_use]
    pub fn is_measured(self) -> bool {
        self >= Self::ForwardSeconds
    }

    /// Whether the search decides where it is empty.
    #[must_use]
    pub fn is_searched(self) -> bool {
        self.is_plan() || self == Self::TrainGpus
    }

    /// Whether a number can be read from what is typed into it.
    ///
    /// # Errors
    /// Says what is wrong with the text.
    pub fn read(self, typed: &str) -> Result<(), NumberError> {
        match self.takes() {
            Takes::Count | Takes::Tokens => units::whole(typed, self.kilo()).map(drop),
            _ => units::number(typed, self.kilo()).map(drop),
        }
    }

    /// What `k` stands for in it.
    #[must_use]
    pub fn kilo(self) -> f64 {
        if matches!(self.takes(), Takes::Tokens | Takes::MeanTokens) { 1024.0 } else { 1000.0 }
    }

    /// Identifier of its element in the page.
    #[must_use]
    pub fn id(self) -> String {
        self.path().replace('.', "-")
    }
}
