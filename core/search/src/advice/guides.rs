//! Where the rules of advice come from.

/// `ChatLearn`'s.
pub const CHATLEARN_GUIDE: &str = "https://github.com/alibaba/ChatLearn/blob/19a314f8b66f850c4d2f63b8d45db07ee46e36fb/docs/en/tutorial/tuning_guide.md";
/// veRL's.
pub const VERL_GUIDE: &str =
    "https://github.com/volcengine/verl/blob/b178a3cd56f58b2d502255daba591e92833930a7/docs/perf/perf_tuning.rst";
/// Published practice of Megatron in veRL.
pub const PRACTICE: &str = "https://github.com/ISEEKYAN/verl_megatron_practice";
/// LLMForge's cookbook as it was before its removal (commit d0879a6c).
pub const LLMFORGE_COOKBOOK: &str = "https://github.com/anyscale/templates/blob/398a117ee7bf54a28ad3a6ec291c08d8779573ca/templates/fine-tune-llm_v2/cookbooks/optimize_cost/README.md";
