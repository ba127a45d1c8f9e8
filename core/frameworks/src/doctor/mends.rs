//! What helps where memory ran out: settings of the script, each by its own estimate; without a script what is known of the
//! allocation.

use serde::Serialize;

use super::message::Place;
use shardwise_search::advice::guides::VERL_GUIDE;

/// Something that helps.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Mend {
    /// What to do, and what it costs, in a sentence; empty where the settings say all.
    pub text: String,
    /// Where that is from; empty where the script's own estimate says it.
    pub source: &'static str,
    /// Path of the question's field that changes; empty where no estimate stands behind it.
    pub field: String,
    /// Its value before and after.
    pub from: String,
    /// As above.
    pub to: String,
    /// What the framework is told: `key=value`.
    pub settings: Vec<String>,
    /// What the phase holds with it by the script's estimate, in GiB; absent without one.
    pub phase_gib: Option<f64>,
    /// How many times as long a step takes with it; absent without an estimate.
    pub slower: Option<f64>,
}

impl Mend {
    /// What to do, in a sentence.
    #[must_use]
    pub fn says(&self) -> String {
        let (Some(held), Some(slower)) = (self.phase_gib, self.slower) else {
            return self.text.clone();
        };
        let change = 100.0 * (slower - 1.0);
        format!(
            "{} from {} to {}: {held:.1} GiB in that phase, a step takes {change:+.0} %",
            self.field, self.from, self.to
        )
    }

    fn told(text: &str, source: &'static str) -> Self {
        Self {
            text: text.to_owned(),
            source,
            field: String::new(),
            from: String::new(),
            to: String::new(),
            settings: Vec::new(),
            phase_gib: None,
            slower: None,
        }
    }
}

/// What helps, the cheapest first, and where that is from.
type Known = (&'static str, &'static [&'static str]);

/// What is known of an allocation.
const KNOWN: &[(&str, Known)] = &[
    (
        "logits",
        (
            "https://arxiv.org/abs/2410.10989",
            &[
                "Compute the loss without whole logits, which costs nothing: use_fused_kernels=True in veRL, use_liger_kernel: true with Hugging Face's Trainer, --cross-entropy-loss-fusion in Megatron-LM.",
                "Halve the tokens of a pass: logits are its tokens times the vocabulary times 2 to 4 bytes, several times over. In veRL ppo_max_token_len_per_gpu and log_prob_max_token_len_per_gpu, or the micro-batches; elsewhere per_device_train_batch_size. Costs little while passes stay above some thousand tokens.",
                "Split each sequence or each matrix over more GPUs: ulysses_sequence_parallel_size or tensor parallelism divides the logits with them. Costs communication.",
            ],
        ),
    ),
    (
        "activations",
        (
            "https://arxiv.org/abs/2205.05198",
            &[
                "Halve the tokens of a micro-batch, and let gradients accumulate: activations halve with it. Costs little while passes stay above some thousand tokens.",
                "Recompute activations: enable_gradient_checkpointing=True, gradient_checkpointing: true, or --recompute-granularity full. A backward pass then takes about a third longer.",
                "Split each sequence over more GPUs: ulysses_sequence_parallel_size, context parallelism, or sequence parallelism beside tensor parallelism.",
            ],
        ),
    ),
    (
        "optimizer",
        (
            "https://arxiv.org/abs/1910.02054",
            &[
                "Shard the optimizer's states over all GPUs: ZeRO-1 or higher, FSDP, --use-distributed-optimizer. Costs nothing to speak of.",
                "Keep fewer bytes of them: optim: adamw_8bit holds 2 bytes a parameter in place of 8.",
                "Train adapters (LoRA) in place of every weight: their states are about a hundredth.",
                "Move them to host memory: offload_optimizer, optimizer_offload=True. A step of the optimizer then goes over PCIe.",
            ],
        ),
    ),
    (
        "gradients",
        (
            "https://www.deepspeed.ai/docs/config-json/",
            &[
                "Shard gradients too: ZeRO-2 or higher, or FSDP.",
                "Make the buckets smaller: reduce_bucket_size and allgather_bucket_size of ds_config.json.",
                "Train adapters (LoRA) in place of every weight.",
            ],
        ),
    ),
    (
        "parameters",
        (
            "https://arxiv.org/abs/2304.11277",
            &[
                "Shard the weights over all GPUs: ZeRO-3 or FSDP (FULL_SHARD), or split them by tensor parallelism. Costs an all-gather of each layer.",
                "Load them in 16 bits, and on one rank alone while the others wait (low_cpu_mem_usage, sync_module_states), so that no GPU holds the whole model at the start.",
                "Train adapters on weights of 4 bits (QLoRA): a quarter of the bytes.",
                "Gather less at a time: stage3_max_live_parameters and stage3_prefetch_bucket_size of ds_config.json.",
            ],
        ),
    ),
    (
        "kv_cache",
        (
            "https://docs.vllm.ai/en/latest/configuration/conserving_memory/",
            &[
                "Give the engine more of the card: gpu_memory_utilization, or --mem-fraction-static, a tenth at a time, as far as what else lives there allows.",
                "Plan for shorter sequences: max_model_len, or --context-length, at what you really send.",
                "Decode fewer together: max_num_seqs, and fewer CUDA graphs with them; enforce_eager=True frees their memory and slows decoding.",
                "Split the engine over more GPUs: a larger tensor-parallel size leaves more of each for the cache.",
                "Keep the cache in 8 bits: kv_cache_dtype=fp8 halves it.",
            ],
        ),
    ),
    (
        "rollout_weights",
        (
            VERL_GUIDE,
            &[
                "Give the engine a smaller share, so that its weights and cache fit beside what training left: gpu_memory_utilization 0.4 to 0.6 where both share GPUs.",
                "Send what trains to host memory before the engine wakes: param_offload=True and optimizer_offload=True of the actor and of the reference. Costs a copy over PCIe each step.",
                "Let the engine give its memory back while others train: free_cache_engine=True, --enable-memory-saver.",
                "Split the engine over more GPUs: a larger tensor_model_parallel_size holds less of the weights on each.",
            ],
        ),
    ),
    (
        "communication",
        (
            "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html",
            &[
                "Leave some GiB beside the allocator, which NCCL and cuBLAS take for themselves: a lower gpu_memory_utilization, or a smaller micro-batch. Nothing of the model has to change.",
                "Make smaller buffers: NCCL_BUFFSIZE and fewer channels (NCCL_MAX_NCHANNELS) where many groups are open.",
            ],
        ),
    ),
];

/// Of memory that is no GPU's.
const HOST: Known = (
    "https://docs.ray.io/en/latest/ray-core/scheduling/memory-management.html",
    &[
        "Keep less in host memory: what is offloaded (parameters, gradients, optimizer) lies there once per node, 12 bytes and more a parameter that trains.",
        "Load the model on one process at a time, or without a copy per rank: low_cpu_mem_usage=True, use_shm=True, safetensors.",
        "Start fewer processes that hold data: dataloader workers, Ray's object store (--object-store-memory), reward workers.",
        "Take a node with more memory, or spread the run over more nodes: each then holds its share.",
    ],
);

const SHARED: Known = (
    "https://github.com/pytorch/pytorch#docker-image",
    &[
        "Give the container more shared memory: docker run --shm-size=64g or --ipc=host; in Kubernetes an emptyDir of medium Memory on /dev/shm.",
        "Start fewer dataloader workers, which pass batches through it.",
    ],
);

/// Where nothing but the place is known.
const DEVICE: Known = (
    "https://huggingface.co/docs/transformers/perf_train_gpu_one",
    &[
        "Halve the tokens of a micro-batch, and let gradients accumulate.",
        "Recompute activations, which costs about a third of the backward pass.",
        "Shard more: ZeRO-3 or FSDP, with the optimizer's states in host memory where that is not enough.",
    ],
);

/// What helps by what is known of the place and the allocation.
pub(super) fn known(place: Place, allocation: Option<&str>) -> Vec<Mend> {
    let of = |name: &str| KNOWN.iter().find(|(own, _)| *own == name).map(|(_, mends)| *mends);
    let (source, mends) = match place {
        Place::Host => HOST,
        Place::Shared => SHARED,
        Place::Engine => of("kv_cache").unwrap_or(DEVICE),
        Place::Device => allocation.and_then(of).unwrap_or(DEVICE),
    };
    mends.iter().map(|text| Mend::told(text, source)).collect()
}
