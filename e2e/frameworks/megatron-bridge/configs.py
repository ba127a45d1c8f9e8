"""A model's `config.json`, as far as Megatron-Bridge's bridges read it: the catalog's entry, and what every family states."""

import re

# The catalog has one name per key; these families' files have others.
ALSO = {"num_experts": ("n_routed_experts", "num_local_experts")}
# What decides neither size nor speed, so that the catalog has none of it. No check depends on these.
REST = {
    "rope_theta": 10000.0, "rope_local_base_freq": 10000.0, "rope_scaling": None, "rms_norm_eps": 1e-6, "initializer_range": 0.02, "torch_dtype": "bfloat16", "hidden_act": "silu",
    "attention_dropout": 0.0, "partial_rotary_factor": 1.0, "query_pre_attn_scalar": 256, "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0, "q_lora_rank": None,
    "full_attention_interval": 4, "linear_conv_kernel_dim": 4,
}
EXPERTS = {"router_aux_loss_coef": 0.001, "aux_loss_alpha": 0.001, "routed_scaling_factor": 1.0, "n_group": 1, "topk_group": 1, "norm_topk_prob": True}
KINDS = {"moonlight": "deepseek_v3"}


def same(recipe, asked):
    """Whether two names on Hugging Face are of one model, before or after tuning."""
    plain = lambda name: re.sub(r"^meta-|-(hf|base|instruct)$", "", name.rsplit("/", 1)[-1].lower())  # noqa: E731
    return plain(recipe) == plain(asked)


def kind(entry):
    return KINDS.get(entry["model_type"], entry["model_type"])


class Config:
    """Attributes of a configuration; one that no file states is an AttributeError."""

    def __init__(self, entry):
        self.__dict__.update(REST)
        self.__dict__.update(entry)
        if "num_experts" in entry:
            self.__dict__.update(EXPERTS, scoring_func="sigmoid" if entry.get("router_bias") else "softmax")
        for name, others in ALSO.items():
            if name in entry:
                self.__dict__.update({other: entry[name] for other in others})
        if entry.get("shared_expert_intermediate_size") and entry.get("moe_intermediate_size"):
            self.n_shared_experts = entry["shared_expert_intermediate_size"] // entry["moe_intermediate_size"]
        if "linear" in entry:
            self.__dict__.update({f"linear_{name}": value for name, value in entry["linear"].items()})
        if entry["model_type"] in ("gpt_oss", "olmoe"):
            self.intermediate_size = entry["moe_intermediate_size"]
