//! Which calls say something, and what each of them says.

use super::torchtitan;

/// TRL's trainers and configurations by what stands before `Trainer` and `Config`, each with the script of TRL's that trains so.
const TRL: &[(&str, &str)] = &[
    ("SFT", "sft"),
    ("DPO", "dpo"),
    ("GRPO", "grpo"),
    ("RLOO", "rloo"),
    ("KTO", "kto"),
    ("ORPO", "orpo"),
    ("CPO", "cpo"),
    ("Reward", "reward"),
    ("PPO", "ppo"),
    ("OnlineDPO", "online_dpo"),
    ("Distillation", "distillation"),
    ("TPO", "tpo"),
    ("GKD", "gkd"),
    ("GOLD", "gold"),
    ("BCO", "bco"),
    ("XPO", "xpo"),
    ("NashMD", "nash_md"),
    ("PRM", "prm"),
];

/// Transformers' own.
const ARGUMENTS: &[&str] = &["TrainingArguments", "Seq2SeqTrainingArguments"];

/// What starts a command that is given as a list of words, or as one text.
const STARTS: &[&str] = &[
    "subprocess.run",
    "subprocess.call",
    "subprocess.check_call",
    "subprocess.check_output",
    "subprocess.Popen",
    "os.system",
];

/// What a name says of the call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A configuration or a trainer of TRL's: the script that trains so.
    Trl(&'static str),
    Arguments,
    Lora,
    Quantized,
    Model,
    Starts,
    Argument,
    Field,
    /// What torchtitan is configured by.
    Titan,
}

pub(super) fn sort(name: &str) -> Option<Sort> {
    let last = name.rsplit('.').next().unwrap_or_default();
    let own = TRL.iter().find(|(word, _)| {
        let rest = last.strip_prefix(word);
        matches!(rest, Some("Config" | "Trainer"))
    });
    if let Some((_, script)) = own {
        return Some(Sort::Trl(script));
    }
    if torchtitan::section(name).is_some() {
        return Some(Sort::Titan);
    }
    match last {
        _ if ARGUMENTS.contains(&last) => Some(Sort::Arguments),
        "LoraConfig" | "get_peft_model" => Some(Sort::Lora),
        "BitsAndBytesConfig" => Some(Sort::Quantized),
        "from_pretrained" => {
            let class = name.rsplit('.').nth(1).unwrap_or_default();
            (class.contains("Model") || class.contains("LM")).then_some(Sort::Model)
        }
        "add_argument" => Some(Sort::Argument),
        "field" | "Field" => Some(Sort::Field),
        _ => STARTS.contains(&name).then_some(Sort::Starts),
    }
}

/// Whether a call of this name says something.
pub(super) fn wanted(name: &str) -> bool {
    sort(name).is_some()
}
