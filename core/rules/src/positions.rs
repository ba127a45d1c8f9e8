//! How long sequences may be: positions that models have, and those that `YaRN` gives them.

/// Models whose cards say that `YaRN` stretches their 32,768 positions up to four times:
/// <https://huggingface.co/Qwen/Qwen3-8B> and <https://huggingface.co/Qwen/Qwen2.5-7B-Instruct>, "Processing Long Texts",
/// 2026-11-22.
pub const STRETCHED: &[&str] = &[
    "qwen2.5-7b",
    "qwen2.5-14b",
    "qwen2.5-32b",
    "qwen2.5-72b",
    "qwen2.5-coder-7b",
    "qwen2.5-coder-14b",
    "qwen2.5-coder-32b",
    "qwen3-4b",
    "qwen3-8b",
    "qwen3-14b",
    "qwen3-32b",
    "qwen3-30b-a3b",
    "qwen3-235b-a22b",
];

/// Whether it is one of them that is a base model: texts of reinforcement learning take the publisher's chat model in its place,
/// which states the positions that it was trained on.
#[must_use]
pub fn chat_in_place(id: &str) -> bool {
    STRETCHED.contains(&id) && id.starts_with("qwen2.5-")
}

/// Positions that [`STRETCHED`] models were trained on.
pub const TRAINED: u64 = 32_768;

/// Tokens of a sequence that a model reaches: its positions, or what its card stretches them to; 0 where nobody says.
pub fn reach(id: &str, positions: u64) -> u64 {
    if STRETCHED.contains(&id) { positions.max(4 * TRAINED) } else { positions }
}

#[cfg(test)]
mod tests {
    use super::reach;

    #[test]
    fn what_a_card_says_stretches() {
        assert_eq!(reach("qwen3-8b", 40_960), 131_072);
        assert_eq!(reach("qwen2.5-7b", 131_072), 131_072);
        assert_eq!(reach("llama-2-7b", 4_096), 4_096);
    }
}
