//! Questions to start from: the tuning guides' own tables, and measured or published recipes.

use crate::wire::{Question, Words, parse_question};
use shardwise_catalog::catalog::Source;

/// A question to start from.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Stable identifier.
    pub id: &'static str,
    /// Who states it.
    pub group: &'static str,
    /// Task, model and machine.
    pub name: &'static str,
    /// What a person should know about it; may be empty.
    pub note: Words,
    /// The question as JSON.
    pub json: &'static str,
    /// Where it comes from.
    pub source: Source,
}

impl Preset {
    /// The question; `None` never happens for a preset of this table, which a test checks.
    #[must_use]
    pub fn question(&self) -> Option<Question> {
        parse_question(self.json).ok()
    }
}

const VERL: Source = Source {
    url: "https://github.com/volcengine/verl/blob/b178a3cd56f58b2d502255daba591e92833930a7/docs/perf/perf_tuning.rst",
    date: "2026-11-20",
};
const DAPO: Source = Source {
    url: "https://github.com/verl-project/verl-recipe/blob/48ea0a797fa29867ea0ad92aff7d284eec7d4be3/dapo/README.md",
    date: "2026-11-21",
};
const PRACTICE: Source = Source {
    url: "https://github.com/ISEEKYAN/verl_megatron_practice/tree/dfd811adc3e42edc0d5b32cdfca5e7ad9df5c4f0",
    date: "2026-11-20",
};
const NEMO_RL: Source = Source {
    url: "https://github.com/NVIDIA-NeMo/RL/blob/7ea279abfbeb698b092856d0dab61e7cf39bc909/docs/about/performance-summary.md",
    date: "2026-11-20",
};
const CHATLEARN: Source = Source {
    url: "https://github.com/alibaba/ChatLearn/blob/19a314f8b66f850c4d2f63b8d45db07ee46e36fb/docs/en/tutorial/tuning_guide.md",
    date: "2025-10-23",
};
const LLMFORGE: Source = Source {
    url: "https://github.com/anyscale/templates/blob/398a117ee7bf54a28ad3a6ec291c08d8779573ca/templates/fine-tune-llm_v2/cookbooks/optimize_cost/README.md",
    date: "2024-01-01",
};
const TORCHTITAN: Source = Source {
    url: "https://github.com/pytorch/torchtitan/blob/b5bcd76c66d0acb1a08b176d9639425bc55e0b2a/benchmarks/llama3_h100_202412_torchtitan.md",
    date: "2026-11-20",
};
const MODEL_ZOO: Source = Source {
    url: "https://github.com/yanring/Megatron-MoE-ModelZoo/blob/e8650517d60d71ab73fc6b3b0388cac4ba435181/best_practice/qwen3/readme.md",
    date: "2026-11-20",
};
const LITGPT: Source = Source {
    url: "https://github.com/Lightning-AI/litgpt/blob/26857050fe3ff627cd714fe92f5838f51a3d5efa/tutorials/resource-tables.md",
    date: "2026-11-20",
};

const HANDBOOK_DPO: Source = Source {
    url: "https://github.com/huggingface/alignment-handbook/blob/19f03455e1b7c0450db769f841ced8e650610c06/recipes/zephyr-7b-beta/dpo/config_full.yaml",
    date: "2026-11-26",
};
const HANDBOOK_ORPO: Source = Source {
    url: "https://github.com/huggingface/alignment-handbook/blob/19f03455e1b7c0450db769f841ced8e650610c06/recipes/zephyr-141b-A35b/orpo/config_full.yaml",
    date: "2026-11-26",
};
const RETOOL: Source = Source {
    url: "https://github.com/volcengine/verl/blob/43d8a3b477ce0baa7eb8106420cbcc55ba96792e/recipe/retool/run_qwen2_7b_dapo.sh",
    date: "2026-11-26",
};

const OPD: Source = Source {
    url: "https://github.com/verl-project/verl/blob/1dda039b9c6311889a9c9a26040677e1254814f9/examples/on_policy_distillation_trainer/run_qwen3_8b_fsdp.sh",
    date: "2026-11-26",
};

const EURUS: Source = Source {
    url: "https://github.com/PRIME-RL/PRIME/blob/18ad596f08d487bb546d80d738d99ec697bd2e75/training/examples/run_prime_main.sh",
    date: "2026-11-27",
};

const SIMPO: Source = Source {
    url: "https://github.com/princeton-nlp/SimPO/blob/15c4ff89188e81a921e58377e2c988c173e60764/training_configs/llama-3-8b-instruct-simpo.yaml",
    date: "2026-11-28",
};
const OPENRLHF_KTO: Source = Source {
    url: "https://github.com/OpenRLHF/OpenRLHF/blob/1445b3ba3c61b760510d40ceeec0affaa6345b94/examples/scripts/train_kto_llama.sh",
    date: "2026-11-28",
};
const OPENRLHF_IPO: Source = Source {
    url: "https://github.com/OpenRLHF/OpenRLHF/blob/3d0fc092b932c4c0117cc85305b71b994247a56b/examples/scripts/train_dpo_llama.sh",
    date: "2026-11-28",
};
const OPENRLHF_REWARD: Source = Source {
    url: "https://github.com/OpenRLHF/OpenRLHF/blob/17b714b5992dd7e4538c21358bc051044496c05d/examples/scripts/train_rm.sh",
    date: "2026-11-28",
};
const UNSLOTH_GRPO: Source = Source {
    url: "https://github.com/unslothai/notebooks/blob/016b8dce8bee9ec8d94efc84863d5c327aa8956c/python_scripts/Llama3.1_(8B)-GRPO.py",
    date: "2026-11-28",
};

/// Nothing but what the question says.
const PLAIN: Words = ("", "");

/// What to know about the lengths of `verl_megatron_practice`.
const DERIVED: Words = (
    "The table gives the step's time and throughput; the mean lengths are worked out from them.",
    "表中给出每步耗时与吞吐量；平均长度由此推算。",
);

/// What to know about an agent's script.
const AGENT: Words = (
    "The script states neither the machine nor what its tools do: eight H100, and the defaults for turns, lengths and calls.",
    "脚本没有给出机器，也没有给出工具的行为：这里取八张 H100，轮数、长度与调用取默认值。",
);

/// What to know about a teacher's script.
const TEACHER: Words = (
    "The script states no machine: H200 here, as a share of 0.4 of an H100 does not hold the teacher, with the defaults for lengths.",
    "脚本没有给出机器：这里取 H200，因为 H100 的 0.4 份额放不下教师模型；长度取默认值。",
);

/// What to know about the script of PRIME's authors, who name their cards in an issue (PRIME-RL/PRIME#17).
const FILTERED: Words = (
    "The script generates as many prompts as a step may train on, and drops those that are too easy or too hard: fewer train than here. Its authors trained on A100 80 GB; lengths are the defaults.",
    "脚本生成的提示词数等于一步最多训练的数目，再去掉太容易或太难的：实际训练的比这里少。作者用的是 A100 80 GB；长度取默认值。",
);

/// What to know about the cost columns of LLMForge's cookbook.
const SWAPPED: Words = (
    "The guide measured 102.58 million tokens per hour at $40.77 per hour: $0.397 per million tokens. It prints 0.69; its cost columns for Llama-2-7B and Mixtral are swapped and each is in reverse order.",
    "该指南测得每小时 1.0258 亿 token，每小时 $40.77，即每百万 token $0.397。表中印的是 0.69：Llama-2-7B 与 Mixtral 两列成本互换，且各列顺序颠倒。",
);

/// What to know about LLMForge's tables of models that do not fit with all weights in training.
const ADAPTERS: Words = (
    "The guide does not say what trains. All weights fit only by way of host memory, at a quarter of its throughput or less. Adapters fit, and seven of the eight rows are met within a third.",
    "该指南没有说明训练的是什么。训练全部权重只有借助主机内存才放得下，吞吐不到表中的四分之一。只训练适配器放得下，八行中七行的误差在三分之一以内。",
);

/// What the card of Zephyr ORPO 141B says of its run (read at <https://model.aibase.cn/models/details/1915693634042880002>,
/// 2026-11-26).
const ZEPHYR_ORPO: Words = (
    "The model's card reports 1.3 hours for 7 thousand pairs, loading and saving included. Pairs are counted as long as the longest, which the recipe pads at most to.",
    "模型卡称 7 千对数据用时 1.3 小时，含加载与保存。每对按最长长度计，配方至多补齐到此长度。",
);

/// What to know about OpenRLHF's script of KTO.
const LONGEST: Words = (
    "The script states no machine: eight H100 here. It takes one response a pass; today's trainers pair those of a pass, and need two. Responses are counted as long as the longest that it keeps; those of its data are shorter.",
    "脚本没有给出机器：这里取八张 H100。脚本每次前向取一个回答；如今的训练器会在同一批内配对，至少要两个。回答按脚本保留的最长长度计；其数据中的回答更短。",
);

/// What to know about OpenRLHF's script of DPO, which has IPO as an option, and of a reward model: both pack their pairs.
const PACKED: Words = (
    "The script states no machine: eight H100 here. It packs pairs, which are padded here and counted as long as the longest that it keeps: its steps are shorter.",
    "脚本没有给出机器：这里取八张 H100。脚本会打包样本对，这里则补齐，并按脚本保留的最长长度计：脚本的每步更短。",
);

/// What to know about Unsloth's notebook, which asks for its standby (`unsloth_zoo/vllm_utils.py:4487` of 2026.10.9).
const NOTEBOOK: Words = (
    "One prompt and six responses a step on a free T4, as the notebook has it. With its standby Unsloth takes a share by the card's size in place of the 0.9 that is stated. Mean lengths are the defaults.",
    "按笔记本的设置：一张免费的 T4 上每步一个提示词、六个回答。启用 standby 时 Unsloth 按卡的大小取份额，而非所写的 0.9。平均长度取默认值。",
);

/// One line of the table; its question is the file of its identifier.
macro_rules! preset {
    ($id:literal, $group:literal, $name:literal, $note:expr, $source:expr) => {
        Preset {
            id: $id,
            group: $group,
            name: $name,
            note: $note,
            json: include_str!(concat!("presets/", $id, ".json")),
            source: $source,
        }
    };
}

static PRESETS: [Preset; 24] = [
    preset!("verl-qwen3-8b-grpo", "veRL", "GRPO · Qwen3-8B · 8 × H100", PLAIN, VERL),
    preset!("recipe-dapo-qwen2.5-32b", "veRL", "DAPO · Qwen2.5-32B · 128 × H800", PLAIN, DAPO),
    preset!(
        "practice-dapo-qwen2.5-math-7b",
        "verl_megatron_practice",
        "DAPO · Qwen2.5-Math-7B · 8 × H100",
        DERIVED,
        PRACTICE
    ),
    preset!(
        "practice-dapo-qwen3-30b-a3b",
        "verl_megatron_practice",
        "DAPO · Qwen3-30B-A3B · 16 × H100",
        DERIVED,
        PRACTICE
    ),
    preset!("practice-dapo-qwen2.5-32b", "verl_megatron_practice", "DAPO · Qwen2.5-32B · 32 × H20", DERIVED, PRACTICE),
    preset!("nemo-rl-llama-3.1-8b", "NeMo-RL", "GRPO · Llama-3.1-8B · 16 × H100", PLAIN, NEMO_RL),
    preset!("nemo-rl-deepseek-v3", "NeMo-RL", "GRPO · DeepSeek-V3 · 256 × H100", PLAIN, NEMO_RL),
    preset!("chatlearn-qwen3-30b-a3b-grpo", "ChatLearn", "GRPO · Qwen3-30B-A3B · 8 × H20 141 GB", PLAIN, CHATLEARN),
    preset!("llmforge-llama-2-7b", "LLMForge", "SFT · Llama-2-7B · 8 × A100 80 GB", SWAPPED, LLMFORGE),
    preset!("llmforge-mixtral-8x7b", "LLMForge", "LoRA · Mixtral-8x7B · 8 × A100 80 GB", ADAPTERS, LLMFORGE),
    preset!("llmforge-llama-2-70b", "LLMForge", "LoRA · Llama-2-70B · 8 × A100 80 GB", ADAPTERS, LLMFORGE),
    preset!("torchtitan-llama-3.1-8b", "torchtitan", "Pretrain · Llama-3.1-8B · 8 × H100 96 GB", PLAIN, TORCHTITAN),
    preset!(
        "modelzoo-qwen3-235b-a22b",
        "Megatron-MoE-ModelZoo",
        "Pretrain · Qwen3-235B-A22B · 256 × H100",
        PLAIN,
        MODEL_ZOO
    ),
    preset!("retool-qwen2.5-7b", "veRL", "GRPO with tools · ReTool · Qwen2.5-7B · 8 × H100", AGENT, RETOOL),
    preset!("verl-opd-qwen3-8b", "veRL", "Distillation · Qwen3-8B from Qwen3-32B · 12 × H200", TEACHER, OPD),
    preset!("prime-eurus-2-7b", "PRIME", "PRIME · Eurus-2-7B · 8 × A100 80 GB", FILTERED, EURUS),
    preset!("handbook-dpo-mistral-7b", "Alignment Handbook", "DPO · Mistral-7B · 8 × A100 80 GB", PLAIN, HANDBOOK_DPO),
    preset!(
        "handbook-orpo-mixtral-8x22b",
        "Alignment Handbook",
        "ORPO · Mixtral-8x22B · 32 × H100",
        ZEPHYR_ORPO,
        HANDBOOK_ORPO
    ),
    preset!("simpo-llama-3-8b", "SimPO", "SimPO · Llama-3-8B · 4 × H100", PLAIN, SIMPO),
    preset!("openrlhf-kto-llama-3-8b", "OpenRLHF", "KTO · Llama-3-8B · 8 × H100", LONGEST, OPENRLHF_KTO),
    preset!("openrlhf-ipo-llama-3-8b", "OpenRLHF", "IPO · Llama-3-8B · 8 × H100", PACKED, OPENRLHF_IPO),
    preset!("openrlhf-reward-llama-3-8b", "OpenRLHF", "Reward model · Llama-3-8B · 8 × H100", PACKED, OPENRLHF_REWARD),
    preset!("unsloth-grpo-llama-3.1-8b", "Unsloth", "GRPO · Llama-3.1-8B · QLoRA · 1 × T4", NOTEBOOK, UNSLOTH_GRPO),
    preset!("litgpt-qlora-llama-2-13b", "LitGPT", "QLoRA · Llama-2-13B · 1 × A100 40 GB", PLAIN, LITGPT),
];

/// All presets, in the order in which they are offered.
///
/// ```
/// let presets = shardwise_core::presets::presets();
/// let preset = presets.iter().find(|preset| preset.id == "llmforge-llama-2-7b").unwrap();
/// assert_eq!(preset.question().unwrap().model, "llama-2-7b");
/// ```
#[must_use]
pub fn presets() -> &'static [Preset] {
    &PRESETS
}
