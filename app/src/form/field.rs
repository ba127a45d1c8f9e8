//! Every control of the form, and the place in the question it stands for.

use shardwise_core::wire::{Backend, Engine, KvCacheDtype, Optimizer, PipelineSchedule, Schedule};

use super::units::{self, NumberError};
use crate::text::Said;

/// What a control takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
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
    ($($(#[$doc:meta])* $name:ident = $path:literal, $takes:ident, $label:expr;)*) => {
        /// A control of the form.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Field {
            $($(#[$doc])* $name,)*
        }

        impl Field {
            /// Every control, in the order of the question document.
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)*];

            /// The path of its value in the question document: what
            /// [`InputError::field`](shardwise_core::InputError) names.
            pub(crate) const fn path(self) -> &'static str {
                match self {
                    $(Self::$name => $path,)*
                }
            }

            pub(crate) const fn takes(self) -> Takes {
                match self {
                    $(Self::$name => Takes::$takes,)*
                }
            }

            /// What it is called, in English and in Chinese.
            pub(crate) const fn label(self) -> Said {
                match self {
                    $(Self::$name => $label,)*
                }
            }
        }
    };
}

fields! {
    /// Model: a catalog id, a name, or a Hugging Face repository.
    Model = "model", Text, ["Model", "模型"];
    /// A pasted `config.json`; where there is one it is the model.
    ModelConfig = "model.config", Text, ["config.json", "config.json"];
    Gpu = "hardware.gpu", Choice, ["Type", "型号"];
    /// What a GPU of one's own is like but for the figures below.
    GpuBase = "hardware.gpu.base", Choice, ["Starts from", "基准型号"];
    GpuArchitecture = "hardware.gpu.architecture", Choice, ["Architecture", "架构"];
    GpuMemory = "hardware.gpu.memory_gib", Number, ["Memory, GiB", "显存，GiB"];
    GpuBandwidth = "hardware.gpu.hbm_gb_per_s", Number, ["Memory bandwidth, GB/s", "显存带宽，GB/s"];
    GpuBf16 = "hardware.gpu.bf16_dense_tflops", Number, ["bf16, TFLOPS", "bf16，TFLOPS"];
    GpuFp8 = "hardware.gpu.fp8_dense_tflops", Number, ["fp8, TFLOPS", "fp8，TFLOPS"];
    GpuNvlink = "hardware.gpu.nvlink_gb_per_s", Number, ["NVLink, GB/s", "NVLink，GB/s"];
    GpuDomain = "hardware.gpu.nvlink_domain", Count, ["GPUs on NVLink", "NVLink 域内 GPU 数"];
    GpuPcie = "hardware.gpu.pcie_gb_per_s", Number, ["PCIe, GB/s", "PCIe，GB/s"];
    Gpus = "hardware.gpus", Count, ["GPUs", "GPU 数"];
    GpusPerNode = "hardware.gpus_per_node", Count, ["GPUs per node", "每节点 GPU 数"];
    Network = "hardware.internode_gbit_per_s_per_gpu", Number, ["Gbit/s per GPU", "每 GPU Gbit/s"];
    Price = "hardware.usd_per_gpu_hour", Number, ["$ per hour", "美元/小时"];
    /// An offer that is rented whatever others cost.
    Offer = "hardware.offer", Text, ["Offer", "报价"];
    /// The terms on which the cheapest offer is looked for; empty where none is.
    Terms = "hardware.market.kinds", Choice, ["Cheapest offer", "最便宜的报价"];
    Providers = "hardware.market.providers", Text, ["Providers", "供应商"];
    OwnedPrice = "hardware.owned.usd_per_gpu", Number, ["$ paid per GPU", "每 GPU 购置价，美元"];
    OwnedYears = "hardware.owned.years", Number, ["Years in service", "使用年数"];
    OwnedUse = "hardware.owned.utilization", Share, ["Share of hours in use", "使用时间占比"];
    OwnedWatts = "hardware.owned.watts", Number, ["Watts per GPU", "每 GPU 功率，瓦"];
    OwnedPue = "hardware.owned.pue", Number, ["PUE", "PUE"];
    OwnedKwh = "hardware.owned.usd_per_kwh", Number, ["$ per kWh", "电价，美元/千瓦时"];
    Kind = "workload.kind", Choice, ["Task", "任务"];
    SequenceLength = "workload.sequence_length", Tokens, ["Sequence length", "序列长度"];
    GlobalBatch = "workload.global_batch", Count, ["Sequences per step", "每步序列数"];
    MeanSequenceLength = "workload.mean_sequence_length", MeanTokens, ["Mean length", "平均长度"];
    LengthSpread = "workload.sequence_length_cv", Share, ["Length spread (cv)", "长度离散系数"];
    Packing = "workload.packing", Flag, ["Packing", "序列打包"];
    Precision = "workload.precision", Choice, ["Precision", "精度"];
    LoraRank = "workload.lora.rank", Count, ["LoRA rank", "LoRA 秩"];
    LoraTargets = "workload.lora.targets", Choice, ["LoRA on", "LoRA 作用于"];
    LoadIn4bit = "workload.lora.load_in_4bit", Flag, ["Base in 4 bits", "4 位基座"];
    /// Whether the reference was evaluated before training.
    PrecomputeReference = "workload.precompute_ref_log_probs", Flag, ["Precompute reference", "预先计算参考模型"];
    Images = "workload.images.per_example", Number, ["Images per example", "每条样本的图像数"];
    ImageWidth = "workload.images.width", Count, ["Image width, pixels", "图像宽度（像素）"];
    ImageHeight = "workload.images.height", Count, ["Image height, pixels", "图像高度（像素）"];
    ImagePixels = "workload.images.max_pixels", Count, ["Most pixels of an image", "单图像素上限"];
    VisionTower = "workload.images.vision_tower", Choice, ["Vision tower", "视觉塔"];
    Teacher = "workload.distillation.teacher", Text, ["Teacher", "教师模型"];
    Placement = "workload.distillation.placement", Choice, ["Where it stands", "教师位置"];
    TeacherGpus = "workload.distillation.gpus", Count, ["GPUs of its own", "教师专用 GPU 数"];
    TeacherTensorParallel = "workload.distillation.tensor_parallel", Count, ["Its tensor parallel", "教师张量并行"];
    TeacherShare = "workload.distillation.gpu_memory_utilization", Share, ["Its share of the card", "教师显存占比"];
    TeacherTokens = "workload.distillation.max_num_batched_tokens", Tokens, ["Tokens it reads a step", "教师每步读入 token 数"];
    TeacherPrecision = "workload.distillation.precision", Choice, ["Its precision", "教师精度"];
    TeacherLogits = "workload.distillation.logits", Choice, ["What the student is held to", "学生对齐的概率"];
    TopK = "workload.distillation.top_k", Count, ["Largest of a position", "每个位置取前几个"];
    /// Share of the batches that the student samples.
    OnPolicy = "workload.distillation.on_policy", Share, ["Share that is sampled", "学生采样的批次占比"];
    Prompts = "workload.rl.prompts_per_step", Count, ["Prompts per step", "每步提示词数"];
    /// Prompts generated for each that trains.
    Oversampling = "workload.rl.oversampling", Number, ["Oversampling", "过采样倍数"];
    Responses = "workload.rl.responses_per_prompt", Count, ["Responses per prompt", "每个提示词的回答数"];
    MaxPrompt = "workload.rl.max_prompt_length", Tokens, ["Longest prompt", "最长提示词"];
    MaxResponse = "workload.rl.max_response_length", Tokens, ["Longest response", "最长回答"];
    MeanPrompt = "workload.rl.mean_prompt_length", MeanTokens, ["Mean prompt", "平均提示词"];
    MeanResponse = "workload.rl.mean_response_length", MeanTokens, ["Mean response", "平均回答"];
    Spread = "workload.rl.response_length_cv", Share, ["Length spread (cv)", "长度离散系数"];
    MiniBatch = "workload.rl.mini_batch", Count, ["Mini-batch, prompts", "小批次（提示词）"];
    Epochs = "workload.rl.epochs", Count, ["Epochs", "轮数"];
    Reference = "workload.rl.reference", Flag, ["Reference model (KL)", "参考模型（KL）"];
    /// Whether the trainer computes the old log-probabilities.
    OldLogProb = "workload.rl.old_log_prob", Flag, ["Old log-prob pass", "计算旧策略对数概率"];
    /// Whether every rank gets as many tokens as the others.
    BalanceBatch = "workload.rl.balance_batch", Flag, ["Balanced batches", "均衡批次"];
    RewardSeconds = "workload.rl.reward_s", Number, ["Reward, seconds", "奖励耗时（秒）"];
    AgentTurns = "workload.rl.agent.turns", Number, ["Mean turns", "平均轮数"];
    AgentMaxTurns = "workload.rl.agent.max_turns", Count, ["Most turns", "最多轮数"];
    ToolTokens = "workload.rl.agent.tool_response_length", MeanTokens, ["Tool's answer, tokens", "工具返回 token 数"];
    ToolSeconds = "workload.rl.agent.tool_s", Number, ["Tool call, seconds", "工具调用耗时（秒）"];
    ToolSpread = "workload.rl.agent.tool_cv", Share, ["Spread of tool calls", "工具耗时离散度"];
    /// Responses in progress at a time.
    Environments = "workload.rl.agent.environments", Count, ["Environments", "环境数"];
    /// Share of earlier tokens that the engine still holds.
    PrefixHits = "workload.rl.agent.prefix_cache_hit_rate", Share, ["Prefix cache hit rate", "前缀缓存命中率"];
    /// Whether each response goes on at its own pace.
    OwnPace = "workload.rl.agent.asynchronous", Flag, ["Each at its own pace", "各按自己的进度"];
    Schedule = "workload.rl.schedule", Choice, ["Schedule", "调度方式"];
    MaxStaleness = "workload.rl.max_staleness", Number, ["Staleness bound", "滞后版本上限"];
    PartialRollout = "workload.rl.partial_rollout", Flag, ["Responses go on over new weights", "更新权重时继续未完成的回答"];
    TrainGpus = "workload.rl.train_gpus", Count, ["GPUs that train", "训练用 GPU 数"];
    Requests = "workload.rollout.requests", Count, ["Requests", "请求数"];
    RequestPrompt = "workload.rollout.mean_prompt_length", MeanTokens, ["Mean prompt", "平均提示词"];
    RequestResponse = "workload.rollout.mean_response_length", MeanTokens, ["Mean response", "平均回答"];
    RequestSpread = "workload.rollout.response_length_cv", Share, ["Length spread (cv)", "长度离散系数"];
    RunTokens = "workload.tokens", Number, ["Tokens in the run", "总 token 数"];
    RunSteps = "workload.run.steps", Count, ["Steps", "步数"];
    RunExamples = "workload.run.examples", Count, ["Examples in the data set", "数据集样本数"];
    RunEpochs = "workload.run.epochs", Number, ["Epochs over it", "数据集轮数"];
    RunCheckpoints = "workload.run.checkpoints", Count, ["Checkpoints kept", "保留的检查点数"];
    Operations = "operations", Flag, ["Count start-up, checkpoints and failures", "计入启动、检查点与故障"];
    StartupSeconds = "operations.startup_s", Number, ["Start-up, s", "启动，秒"];
    EvaluationShare = "operations.evaluation.share", Share, ["Evaluation, share", "评测占比"];
    Saves = "operations.checkpoint.on", Flag, ["Checkpoints", "检查点"];
    SavingMinutes = "operations.checkpoint.every_minutes", Number, ["Checkpoint every, min", "检查点间隔，分钟"];
    StorageBandwidth = "operations.checkpoint.storage_gb_per_s", Number, ["Storage, GB/s", "存储，GB/s"];
    Fails = "operations.failures.on", Flag, ["Failures", "故障"];
    FailureHours = "operations.failures.mtbf_gpu_hours", Number, ["GPU hours per failure", "每次故障的 GPU 小时"];
    Interruptions = "operations.interruptions_per_instance_hour", Number, ["Taken back per hour", "每小时被收回次数"];
    Energy = "operations.power.on", Flag, ["Energy", "能耗"];
    Pue = "operations.power.pue", Number, ["PUE", "PUE"];
    GridCo2 = "operations.power.grid_gco2_per_kwh", Number, ["Grid, g CO₂/kWh", "电网，g CO₂/kWh"];
    Framework = "framework", Choice, ["I use", "我用"];
    FrameworkVersion = "framework_version", Choice, ["Version", "版本"];
    Confidence = "confidence", Share, ["How sure?", "要多大把握？"];
    Backend = "plan.backend", Choice, ["Backend", "后端"];
    TensorParallel = "plan.tensor_parallel", Count, ["TP", "TP"];
    PipelineParallel = "plan.pipeline_parallel", Count, ["PP", "PP"];
    VirtualPipeline = "plan.virtual_pipeline", Count, ["VPP", "VPP"];
    PipelineSchedule = "plan.pipeline_schedule", Choice, ["Pipeline schedule", "流水线调度"];
    ContextParallel = "plan.context_parallel", Count, ["CP", "CP"];
    UlyssesParallel = "plan.ulysses_parallel", Count, ["Ulysses SP", "Ulysses SP"];
    ExpertParallel = "plan.expert_parallel", Count, ["EP", "EP"];
    ExpertTensorParallel = "plan.expert_tensor_parallel", Count, ["ETP", "ETP"];
    ZeroStage = "plan.zero_stage", Count, ["ZeRO stage", "ZeRO 阶段"];
    MicroBatch = "plan.micro_batch", Count, ["Micro-batch", "微批次"];
    TokenBudget = "plan.max_tokens_per_gpu", Tokens, ["Tokens/GPU", "token/GPU"];
    Recompute = "plan.recompute", Choice, ["Recompute", "重计算"];
    /// What is kept in host memory: letters of [`super::OFFLOADS`], `-` for nothing.
    Offload = "plan.offload", Choice, ["Offload", "卸载"];
    FusedHead = "plan.fused_lm_head", Flag, ["Fused LM head", "融合 LM head"];
    AttentionKernel = "plan.attention_kernel", Choice, ["Attention kernel", "注意力算子"];
    Optimizer = "plan.optimizer", Choice, ["Optimizer", "优化器"];
    Engine = "plan.rollout.engine", Choice, ["Rollout engine", "Rollout 引擎"];
    EngineVersion = "plan.rollout.engine_version", Text, ["Engine version", "引擎版本"];
    RolloutTensorParallel = "plan.rollout.tensor_parallel", Count, ["Rollout TP", "Rollout TP"];
    MemoryShare = "plan.rollout.gpu_memory_utilization", Share, ["Rollout memory", "Rollout 显存占比"];
    /// The engine without CUDA graphs.
    EnforceEager = "plan.rollout.enforce_eager", Flag, ["Rollout eager mode", "Rollout eager 模式"];
    KvCacheDtype = "plan.rollout.kv_cache_dtype", Choice, ["KV cache type", "KV 缓存类型"];
    SpeculativeSpeedup = "plan.rollout.speculative_speedup", Number, ["Speculative speed-up", "投机解码加速比"];
    /// Measured seconds of a micro-batch's forward pass. Like those below, no part of the question.
    ForwardSeconds = "measured.forward_s", Number, ["Forward pass, s", "前向，秒"];
    BackwardSeconds = "measured.backward_s", Number, ["Backward pass, s", "反向，秒"];
    StepSeconds = "measured.step_time_s", Number, ["Step, s", "整步，秒"];
    PeakGib = "measured.peak_gib", Number, ["Peak memory, GiB", "显存峰值，GiB"];
}

impl Field {
    /// Number of controls.
    pub(crate) const COUNT: usize = Self::ALL.len();

    /// The control that a path of the question document belongs to: the one with that path, else
    /// the one with the longest path above it.
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        let exact = Self::ALL.iter().copied().find(|field| field.path() == path);
        exact.or_else(|| {
            let above = |field: &Self| path.strip_prefix(field.path()).is_some_and(|rest| rest.starts_with(['.', '[']));
            Self::ALL.iter().copied().filter(above).max_by_key(|field| field.path().len())
        })
    }

    /// The control that a key in a sentence means, where that is no common word.
    pub(crate) fn of_key(name: &str) -> Option<Self> {
        let last = |field: &Self| field.path().rsplit('.').next() == Some(name);
        name.contains('_').then(|| Self::ALL.iter().copied().find(last)).flatten()
    }

    /// The first control of what stands below a path: where what is wrong with all of that is said.
    pub(crate) fn below(path: &str) -> Option<Self> {
        let below = |field: &Self| field.path().strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
        Self::ALL.iter().copied().find(below)
    }

    /// Whether it is a part of the plan.
    pub(crate) fn is_plan(self) -> bool {
        self.path().starts_with("plan.")
    }

    /// Whether it is a figure of a GPU of one's own.
    pub(crate) fn is_of_gpu(self) -> bool {
        (Self::GpuBase..=Self::GpuPcie).contains(&self)
    }

    /// Whether it says how a run is counted with what it meets beside its steps.
    pub(crate) fn is_of_operations(self) -> bool {
        (Self::StartupSeconds..=Self::GridCo2).contains(&self)
    }

    /// Whether it takes dollars.
    pub(crate) fn is_dollars(self) -> bool {
        matches!(self, Self::Price | Self::OwnedPrice | Self::OwnedKwh)
    }

    /// Whether it says what a machine of one's own costs.
    pub(crate) fn is_of_owned(self) -> bool {
        (Self::OwnedPrice..=Self::OwnedKwh).contains(&self)
    }

    /// Whether it is about a run of one's own, not about the question.
    pub(crate) fn is_measured(self) -> bool {
        self >= Self::ForwardSeconds
    }

    /// Whether the search decides where it is empty.
    pub(crate) fn is_searched(self) -> bool {
        self.is_plan() || self == Self::TrainGpus
    }

    /// Whether a number can be read from what is typed into it.
    pub(crate) fn read(self, typed: &str) -> Result<(), NumberError> {
        match self.takes() {
            Takes::Count | Takes::Tokens => units::whole(typed, self.kilo()).map(drop),
            _ => units::number(typed, self.kilo()).map(drop),
        }
    }

    /// The words to choose from, of one that takes a choice of the same words whatever else is asked.
    pub(crate) fn choices(self) -> &'static [&'static str] {
        match self {
            Self::LoraTargets => &["all-linear", "attention"],
            Self::Placement => &["beside", "pool"],
            Self::Precision | Self::TeacherPrecision => &["bf16", "fp16", "fp8", "mxfp8", "nvfp4"],
            Self::Schedule => Schedule::WORDS,
            Self::VisionTower => &["trained", "projector", "frozen"],
            Self::Backend => Backend::WORDS,
            Self::PipelineSchedule => PipelineSchedule::WORDS,
            Self::Recompute => &["none", "selective", "full"],
            // Those of today first.
            Self::AttentionKernel => &["flash2", "flash3", "flash4", "cudnn", "sdpa", "ck", "flash1"],
            // What is taken where nothing is stated first.
            Self::Optimizer => Optimizer::WORDS,
            Self::Engine => Engine::WORDS,
            Self::KvCacheDtype => KvCacheDtype::WORDS,
            _ => &["true", "false"],
        }
    }

    /// What `k` stands for in it.
    pub(crate) fn kilo(self) -> f64 {
        if matches!(self.takes(), Takes::Tokens | Takes::MeanTokens) { 1024.0 } else { 1000.0 }
    }

    /// Identifier of its element in the page.
    pub(crate) fn id(self) -> String {
        self.path().replace('.', "-")
    }
}
