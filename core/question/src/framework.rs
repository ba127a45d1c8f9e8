//! The frameworks that texts are printed for, by name and version.

use shardwise_catalog::error::InputError;

/// What a list of the frameworks shows of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Identifier, as in `shardwise flags --for`.
    pub id: &'static str,
    /// Name for a person.
    pub name: &'static str,
    /// Versions that texts are printed for and checked against, the default first.
    pub versions: &'static [&'static str],
    /// Documentation of its keys.
    pub docs_url: &'static str,
}

/// veRL.
pub const VERL: Named = Named {
    id: "verl",
    name: "veRL",
    versions: &["0.9.1", "0.8.0", "0.7.1", "0.5.0", "0.4.1"],
    docs_url: "https://verl.readthedocs.io/en/latest/examples/config.html",
};

/// ChatLearn.
pub const CHATLEARN: Named = Named {
    id: "chatlearn",
    name: "ChatLearn",
    versions: &["1.2.0"],
    docs_url: "https://github.com/alibaba/ChatLearn/blob/main/docs/en/config.md",
};

/// DeepSpeed.
pub const DEEPSPEED: Named = Named {
    id: "deepspeed",
    name: "DeepSpeed",
    versions: &["0.19.8", "0.16.9"],
    docs_url: "https://www.deepspeed.ai/docs/config-json/",
};

/// LLMForge.
pub const LLMFORGE: Named = Named {
    id: "llmforge",
    name: "LLMForge",
    versions: &["v2"],
    docs_url: "https://docs.anyscale.com/reference/finetuning-config-api",
};

/// TRL.
pub const TRL: Named = Named {
    id: "trl",
    name: "TRL",
    versions: &["1.16.0"],
    docs_url: "https://huggingface.co/docs/trl/v1.16.0/en/index",
};

/// OpenRLHF.
pub const OPENRLHF: Named = Named {
    id: "openrlhf",
    name: "OpenRLHF",
    versions: &["0.11.2"],
    docs_url: "https://openrlhf.readthedocs.io/en/latest/",
};

/// Megatron-LM.
pub const MEGATRON_LM: Named = Named {
    id: "megatron-lm",
    name: "Megatron-LM",
    versions: &["0.16.1"],
    docs_url: "https://github.com/NVIDIA/Megatron-LM/blob/core_v0.16.1/megatron/training/arguments.py",
};

/// Megatron-Bridge.
pub const MEGATRON_BRIDGE: Named = Named {
    id: "megatron-bridge",
    name: "Megatron-Bridge",
    versions: &["0.3.1"],
    docs_url: "https://docs.nvidia.com/nemo/megatron-bridge/latest/",
};

/// torchtitan.
pub const TORCHTITAN: Named = Named {
    id: "torchtitan",
    name: "torchtitan",
    versions: &["0.2.2"],
    docs_url: "https://github.com/pytorch/torchtitan/blob/v0.2.2/torchtitan/config/job_config.py",
};

/// LLaMA-Factory.
pub const LLAMAFACTORY: Named = Named {
    id: "llamafactory",
    name: "LLaMA-Factory",
    versions: &["0.9.5"],
    docs_url: "https://github.com/hiyouga/LLaMA-Factory/tree/v0.9.5/examples",
};

/// axolotl.
pub const AXOLOTL: Named = Named {
    id: "axolotl",
    name: "axolotl",
    versions: &["0.19.0"],
    docs_url: "https://docs.axolotl.ai/docs/config-reference.html",
};

/// Every framework, in the order in which the page shows them.
pub static NAMES: [Named; 11] = [
    VERL,
    CHATLEARN,
    DEEPSPEED,
    LLMFORGE,
    TRL,
    OPENRLHF,
    MEGATRON_LM,
    MEGATRON_BRIDGE,
    TORCHTITAN,
    LLAMAFACTORY,
    AXOLOTL,
];

impl Named {
    /// The framework of an identifier.
    ///
    /// # Errors
    /// Lists those that there are.
    pub fn of(id: &str) -> Result<&'static Self, InputError> {
        NAMES.iter().find(|own| own.id == id).ok_or_else(|| unknown(id))
    }

    /// As `Framework::version` of the rules, of a question's `framework_version`.
    ///
    /// # Errors
    /// Lists the versions that there are.
    pub fn version(&self, name: &str) -> Result<&'static str, InputError> {
        version_of((self.name, self.versions), name, "framework_version")
    }
}

/// The version of a framework, which has a name and versions, called `asked`; its default for an empty text.
pub fn version_of(
    (name, versions): (&str, &[&'static str]),
    asked: &str,
    field: &'static str,
) -> Result<&'static str, InputError> {
    if asked.is_empty() {
        return Ok(versions.first().copied().unwrap_or_default());
    }
    let found = versions.iter().find(|version| **version == asked);
    found.copied().ok_or_else(|| {
        InputError::new(
            field,
            format!("There are no texts for {name} {:?}. Give one of {}.", short(asked), versions.join(", ")),
        )
    })
}

/// That there is no framework of this identifier, with those that there are.
pub fn unknown(id: &str) -> InputError {
    let known: Vec<&str> = NAMES.iter().map(|own| own.id).collect();
    let message = format!("There is no framework {:?} here. Give one of {}.", short(id), known.join(", "));
    InputError::new("framework", message)
}

/// As much of what somebody typed as an error repeats.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}
