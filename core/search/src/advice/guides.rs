//! Where the rules of advice come from.

/// `ChatLearn`'s.
pub const CHATLEARN_GUIDE: &str = "https://github.com/alibaba/ChatLearn/blob/main/docs/en/tutorial/tuning.md";
/// veRL's.
pub const VERL_GUIDE: &str = "https://github.com/volcengine/verl/blob/main/docs/perf/perf_tuning.rst";
/// Published practice of Megatron in veRL.
pub const PRACTICE: &str = "https://github.com/ISEEKYAN/verl_megatron_practice";
/// LLMForge's cookbook as it was before its removal (commit d0879a6c).
pub const LLMFORGE_COOKBOOK: &str =
    "https://github.com/anyscale/templates/blob/main/templates/fine-tune-llm_v2/cookbooks/optimize_cost/README.md";
