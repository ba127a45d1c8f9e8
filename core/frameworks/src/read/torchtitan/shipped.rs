//! Functions of torchtitan 0.3.0 that make whole configurations (`torchtitan/models/*/config_registry.py`), as keys.

/// What a function sets that matters for memory and speed: `key=value`.
const SHIPPED: &[(&str, &[&str])] = &[
    (
        "llama3_debugmodel",
        &["model.name=llama3", "model.flavor=debugmodel", "training.local_batch_size=8", "training.seq_len=2048"],
    ),
    ("llama3_8b", LLAMA3_8B),
    ("llama3_8b_mxfp8", LLAMA3_8B_MXFP8),
    (
        "llama3_70b",
        &[
            "model.name=llama3",
            "model.flavor=70B",
            "training.local_batch_size=8",
            "training.seq_len=8192",
            "training.steps=1000",
            "parallelism.tensor_parallel_degree=8",
            "activation_checkpoint.mode=full",
        ],
    ),
    (
        "llama3_405b",
        &[
            "model.name=llama3",
            "model.flavor=405B",
            "model.converters=[quantize.linear.float8]",
            "training.local_batch_size=2",
            "training.seq_len=8192",
            "training.steps=3000",
            "parallelism.tensor_parallel_degree=8",
            "activation_checkpoint.mode=full",
            "compile.enable=True",
            "compile.enable_async_tensor_parallel=True",
        ],
    ),
    (
        "qwen3_0_6b",
        &[
            "model.name=qwen3",
            "model.flavor=0.6B",
            "training.local_batch_size=4",
            "training.seq_len=4096",
            "training.steps=10",
        ],
    ),
    (
        "qwen3_1_7b",
        &[
            "model.name=qwen3",
            "model.flavor=1.7B",
            "training.local_batch_size=4",
            "training.seq_len=4096",
            "training.steps=100",
        ],
    ),
    (
        "qwen3_14b",
        &[
            "model.name=qwen3",
            "model.flavor=14B",
            "training.local_batch_size=4",
            "training.seq_len=4096",
            "training.steps=3000",
            "activation_checkpoint.mode=full",
        ],
    ),
    (
        "qwen3_30b_a3b",
        &[
            "model.name=qwen3",
            "model.flavor=30B-A3B",
            "training.local_batch_size=2",
            "training.seq_len=4096",
            "training.steps=3000",
            "activation_checkpoint.mode=full",
        ],
    ),
    (
        "qwen3_32b",
        &[
            "model.name=qwen3",
            "model.flavor=32B",
            "training.local_batch_size=2",
            "training.seq_len=4096",
            "training.steps=3000",
            "activation_checkpoint.mode=full",
        ],
    ),
    (
        "deepseek_v3_16b",
        &[
            "model.name=deepseek_v3",
            "model.flavor=16B",
            "training.local_batch_size=4",
            "training.seq_len=4096",
            "training.steps=1000",
            "training.disable_cuda_graphs=True",
            "parallelism.pipeline_parallel_schedule=Interleaved1F1B",
            "parallelism.expert_parallel_degree=8",
            "compile.enable=True",
            "compile.components=[loss]",
        ],
    ),
    ("deepseek_v3_671b", DEEPSEEK_V3_671B),
    ("deepseek_v3_671b_float8", DEEPSEEK_V3_671B),
    (
        "gpt_oss_20b",
        &[
            "model.name=gpt_oss",
            "model.flavor=20b",
            "training.local_batch_size=1",
            "training.seq_len=8192",
            "training.steps=10000",
            "activation_checkpoint.mode=full",
        ],
    ),
    (
        "gpt_oss_120b",
        &[
            "model.name=gpt_oss",
            "model.flavor=120b",
            "training.local_batch_size=1",
            "training.seq_len=8192",
            "training.steps=10000",
            "activation_checkpoint.mode=full",
        ],
    ),
];

const LLAMA3_8B: &[&str] = &[
    "model.name=llama3",
    "model.flavor=8B",
    "training.local_batch_size=1",
    "training.seq_len=8192",
    "training.steps=1000",
];
const LLAMA3_8B_MXFP8: &[&str] = &[
    "model.name=llama3",
    "model.flavor=8B",
    "model.converters=[quantize.linear.mx]",
    "training.local_batch_size=1",
    "training.seq_len=8192",
    "training.steps=1000",
    "compile.enable=True",
    "compile.components=[model]",
];
const DEEPSEEK_V3_671B: &[&str] = &[
    "model.name=deepseek_v3",
    "model.flavor=671B",
    "training.local_batch_size=4",
    "training.seq_len=4096",
    "training.steps=10000",
    "training.disable_cuda_graphs=True",
    "parallelism.pipeline_parallel_schedule=Interleaved1F1B",
    "parallelism.expert_parallel_degree=2",
    "compile.enable=True",
    "compile.components=[loss]",
];

/// What each of them has beside: operations that are computed again, and the loss of a part of the sequence at a time.
const ALWAYS: &[&str] = &["activation_checkpoint.mode=selective", "loss=ChunkedLossWrapper"];

/// The settings of a function by its name, the last of a key holding; `None` where torchtitan has no such function, or it is not
/// known here.
pub(in crate::read) fn settings(function: &str) -> Option<impl Iterator<Item = (&'static str, &'static str)>> {
    let (name, own) = SHIPPED.iter().find(|(name, _)| *name == function)?;
    let narrow: &[&str] = if name.ends_with("_float8") {
        &["model.converters=[quantize.linear.float8,quantize.grouped_mm.float8]"]
    } else {
        &[]
    };
    let words = [ALWAYS, own, narrow].into_iter().flatten();
    Some(words.filter_map(|word| word.split_once('=')))
}
