"""What NeMo-RL's programs and workers assert, as far as a text here can reach it.

Source: https://github.com/NVIDIA-NeMo/RL/tree/7ea279abfbeb698b092856d0dab61e7cf39bc909/nemo_rl; lines are of that commit.
"""

GPT_SIZES = ("tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size")


def sizes(policy):
    """TP, PP, CP of the backend that trains."""
    if policy["megatron_cfg"]["enabled"]:
        return [policy["megatron_cfg"][name] for name in GPT_SIZES]
    own = policy["dtensor_cfg"]
    return own["tensor_parallel_size"], 1, own["context_parallel_size"]


def pools(program, config):
    """Nodes and GPUs of each that train, and those that generate (algorithms/grpo.py:851-914)."""
    nodes, gpus = config["cluster"]["num_nodes"], config["cluster"]["gpus_per_node"]
    if program != "grpo" or config["policy"]["generation"]["colocated"]["enabled"]:
        return (nodes, gpus), (nodes, gpus)
    own = config["policy"]["generation"]["colocated"]["resources"]
    if nodes == 1:
        return (1, gpus - (own["gpus_per_node"] or 0)), (1, own["gpus_per_node"] or 0)
    return (nodes - (own["num_nodes"] or 0), gpus), (own["num_nodes"] or 0, own["gpus_per_node"] or 0)


def trained(program, config):
    (nodes, gpus), _ = pools(program, config)
    return nodes * gpus


class Asserted(list):
    """What does not hold."""

    def must(self, holds, message):
        if not holds:
            self.append(message)


def of(program, config, known):
    """Every error of a configuration, and whether it is of the machine, the model and the batch that were asked for."""
    found = Asserted()
    world = trained(program, config)
    found.must(world > 0, f"No enough GPUs for training: {world} [algorithms/grpo.py:886]")
    if world <= 0:
        return found
    policy(found, config["policy"], world, known)
    if program == "grpo":
        loss(found, config["loss_fn"])
        grpo(found, config, known)
        cluster(found, config)
        generation(found, config, known)
    else:
        fine_tuning(found, program, config, world)
    if config["policy"]["megatron_cfg"]["enabled"]:
        megatron(found, config["policy"], known)
    elif config["policy"]["dtensor_cfg"]["enabled"]:
        dtensor(found, config["policy"], world, known)
    asked(found, program, config, known)
    return found


def policy(found, own, world, known):
    """models/policy/lm_policy.py, Policy.__init__."""
    megatrons, dtensors = own["megatron_cfg"]["enabled"], own["dtensor_cfg"]["enabled"]
    found.must(not (megatrons and dtensors), "Configure either Megatron or DTensor, not both [lm_policy.py:121]")
    found.must(megatrons or dtensors, "Please either set policy.megatron_cfg.enabled=true or policy.dtensor_cfg.enabled=true [lm_policy.py:156]")
    lora = own["dtensor_cfg"].get("lora_cfg") or {"enabled": False}
    found.must(megatrons or own["dtensor_cfg"].get("_v2") or not lora["enabled"], "LoRA is not supported for DTensorPolicyWorker V1 [lm_policy.py:175]")
    tp, pp, cp = sizes(own)
    if "logprob_batch_size" in own and tp >= 4:
        found.must(own["train_micro_batch_size"] == own["logprob_batch_size"], "There is a known batch-variant accuracy issue with TP>=4 [lm_policy.py:211]")
    found.must(world % (tp * pp * cp) == 0, f"World size ({world}) must be divisible by PP * CP * TP ({tp * pp * cp}) [lm_policy.py:233]")
    packs, dynamic = own["sequence_packing"]["enabled"], own["dynamic_batching"]["enabled"]
    found.must(not dynamic or pp == 1, "Dynamic batching is only supported for single pipeline parallel stage [lm_policy.py:313]")
    found.must(not (dynamic and packs), "Dynamic Batching is exclusive of Sequence Packing [lm_policy.py:325]")
    ranks = world // (tp * pp * cp)
    batch = own["train_global_batch_size"]
    found.must(ranks == 0 or batch % ranks == 0, f"Batch size ({batch}) is not a multiple of shards ({ranks}) [distributed/batched_data_dict.py:541]")
    if not (packs or dynamic) and ranks:
        each = batch // ranks
        found.must(each % own["train_micro_batch_size"] == 0, f"Data dict size ({each}) is not a multiple of the provided microbatch size ({own['train_micro_batch_size']}) [batched_data_dict.py:1011]")
    longest = own["max_total_sequence_length"]
    for kind, on, to in (("sequence_packing", packs, own["make_sequence_length_divisible_by"]), ("dynamic_batching", dynamic, own["dynamic_batching"].get("sequence_length_round"))):
        for name in ("train_mb_tokens", "logprob_mb_tokens"):
            if on and name in own[kind]:
                padded = -(-longest // to) * to
                found.must(own[kind][name] >= padded, f"got an input of padded sequence length of {padded}, however max microbatch size is {own[kind][name]} tokens [batched_data_dict.py:815]")
    found.must(tp * cp == 1 or own["make_sequence_length_divisible_by"] % tp == 0, "Please set policy.make_sequence_length_divisible_by to tensor parallel size [distributed/model_utils.py:421]")


def loss(found, own):
    """algorithms/loss/loss_functions.py, ClippedPGLossFn.__init__."""
    found.must(not (own["sequence_level_importance_ratios"] and own["token_level_loss"]), "sequence-level importance sampling (e.g. GSPO) is mutually exclusive with token-level loss")
    if own["use_cispo"]:
        found.must(not own["disable_ppo_ratio"], "use_cispo is incompatible with disable_ppo_ratio")
        found.must(not own["force_on_policy_ratio"], "use_cispo is incompatible with force_on_policy_ratio")
        found.must(not own["sequence_level_importance_ratios"], "use_cispo is incompatible with sequence_level_importance_ratios")
        found.must(own["ratio_clip_c"] is None, "use_cispo is incompatible with dual clipping (ratio_clip_c)")
        found.must(own["token_level_loss"], "use_cispo requires token_level_loss=True")
    found.must(own["ratio_clip_c"] is None or own["ratio_clip_c"] > 1, "ratio_clip_c must exceed 1")


def grpo(found, config, known):
    """algorithms/grpo.py, setup and async_grpo_train; examples/run_grpo.py."""
    own, rl, policy = config["loss_fn"], config["grpo"], config["policy"]
    samples = rl["num_prompts_per_step"] * rl["num_generations_per_prompt"]
    batch = policy["train_global_batch_size"]
    found.must(samples % batch == 0, f"Total batch size ({samples}) is not a multiple of batch_size ({batch}) [batched_data_dict.py:537]")
    found.must(rl["use_dynamic_sampling"] or rl["batch_multiplier"] == 1, "batch_multiplier>1 can only be used if use_dynamic_sampling=True [grpo.py:571]")
    found.must(not own["force_on_policy_ratio"] or samples == batch, "force_on_policy_ratio requires train_global_batch_size == num_prompts_per_step * num_generations_per_prompt [grpo.py:701]")
    found.must(not (own["use_kl_in_reward"] and own["reference_policy_kl_penalty"] and own["force_on_policy_ratio"]), "loss_fn.use_kl_in_reward requires real prev_logprobs [grpo.py:2480]")
    found.must(rl["adv_estimator"]["name"] in ("grpo", "reinforce_plus_plus", "gdpo", "opd"), f"Invalid adv_estimator name: {rl['adv_estimator']['name']} [grpo.py:2297]")
    tp, pp, cp = sizes(policy)
    ranks = trained("grpo", config) // (tp * pp * cp) or 1
    if not (policy["sequence_packing"]["enabled"] or policy["dynamic_batching"]["enabled"]):
        each = samples // ranks
        found.must(each % policy["logprob_batch_size"] == 0, f"Data dict size ({each}) is not a multiple of the provided microbatch size ({policy['logprob_batch_size']}) [batched_data_dict.py:1011]")
    if rl["async_grpo"]["enabled"]:
        engine = policy["generation"]
        found.must(not rl["use_dynamic_sampling"], "use_dynamic_sampling is not supported with async GRPO [examples/run_grpo.py:186]")
        found.must(engine["vllm_cfg"]["async_engine"], "Async GRPO requires an async vLLM engine [grpo.py:4120]")
        found.must(own["use_importance_sampling_correction"], "Importance sampling correction must be enabled for async GRPO [grpo.py:4127]")
        found.must(not engine["colocated"]["enabled"], "Colocated async GRPO is only supported for the Megatron generation backend [grpo.py:4177]")


def cluster(found, config):
    """algorithms/grpo.py:851-914."""
    nodes, gpus = config["cluster"]["num_nodes"], config["cluster"]["gpus_per_node"]
    own = config["policy"]["generation"]["colocated"]
    if own["enabled"]:
        return
    own = own["resources"]
    if nodes == 1:
        found.must(own["gpus_per_node"] and own["num_nodes"] in (None, 1), "resources.gpus_per_node must be explicitly set, and num_nodes 1 or null [grpo.py:867]")
    else:
        found.must(own["num_nodes"], "resources.num_nodes must be > 0 when cluster.num_nodes > 1 [grpo.py:897]")
        found.must(own["gpus_per_node"] == gpus, "resources.gpus_per_node must be explicitly set and equal to cluster.gpus_per_node [grpo.py:902]")


def generation(found, config, known):
    """models/generation/vllm/vllm_generation.py and grpo.py:1321-1340."""
    policy = config["policy"]
    own, engine = policy["generation"], policy["generation"]["vllm_cfg"]
    found.must(own["backend"] == "vllm", "the texts generate with vLLM")
    (_, _), (nodes, gpus) = pools("grpo", config)
    world = nodes * gpus
    tp, pp, ep = (engine[f"{name}_parallel_size"] for name in ("tensor", "pipeline", "expert"))
    found.must(world and world % (tp * pp) == 0, f"World size must be a multiple of model parallel size: {world}, {tp * pp} [vllm_generation.py:121]")
    found.must(pp == 1 or engine["async_engine"], "When pipeline_parallel_size > 1, async_engine must be set to True [vllm_generation.py:130]")
    found.must(ep == 1 or ep % tp == 0, "When EP > 1, EP must be a multiple of TP [vllm_generation.py:136]")
    found.must(ep <= tp or not engine["async_engine"], "vLLM async_engine has some issues when using DP inside vLLM [vllm_generation.py:142]")
    found.must(ep <= tp or world % ep == 0, f"{world} GPUs are no multiple of {ep} that share experts")
    found.must(ep == 1 or known["experts"] % ep == 0, f"{known['experts']} experts over {ep} GPUs")
    found.must(known["heads"] % tp == 0, f"{known['heads']} heads % {tp} != 0 [vllm]")
    found.must(0 < engine["gpu_memory_utilization"] <= 1, "gpu_memory_utilization is no share [vllm]")
    narrow = engine["precision"] == "fp8"
    found.must(engine["precision"] in ("bfloat16", "fp8"), f"{engine['precision']} is no precision of an engine here")
    found.must(not narrow or config["loss_fn"]["use_importance_sampling_correction"], "Importance sampling must be enabled for vLLM FP8 generation [grpo.py:1322]")
    if engine["kv_cache_dtype"].startswith("fp8"):
        found.must(narrow, "kv_cache_dtype requires precision='fp8' [grpo.py:1327]")
        found.must(not policy["dtensor_cfg"]["enabled"], "DTensor backend is not supported with kv cache fp8 enabled [grpo.py:1332]")
        found.must(not engine["async_engine"], "Async rollouts is not supported with kv cache fp8 enabled [grpo.py:1335]")
        found.must(policy["megatron_cfg"]["pipeline_model_parallel_size"] == 1, "FP8 KV cache: only pipeline_model_parallel_size=1 [grpo.py:1338]")


def fine_tuning(found, program, config, world):
    """algorithms/sft.py and dpo.py."""
    policy = config["policy"]
    tp, pp, cp = sizes(policy)
    ranks = world // (tp * pp * cp) or 1
    own = config[program]["val_global_batch_size"]
    found.must(own % ranks == 0, f"Batch size ({own}) of the validation is not a multiple of shards ({ranks}) [batched_data_dict.py:541]")
    if program == "dpo":
        found.must(not policy["dynamic_batching"]["enabled"], "Dynamic batching is currently not supported with DPO [dpo.py:163]")
        found.must(not policy["sequence_packing"]["enabled"], "Sequence packing is currently not supported with DPO [dpo.py:167]")


def dtensor(found, policy, world, known):
    """models/automodel/setup.py."""
    own = policy["dtensor_cfg"]
    tp, cp = own["tensor_parallel_size"], own["context_parallel_size"]
    found.must(policy["precision"] in ("float32", "bfloat16", "float16"), f"Unknown precision: {policy['precision']} [setup.py:288]")
    found.must(not (cp > 1 and policy["sequence_packing"]["enabled"]), "Context parallel is not supported for sequence packing [setup.py:385]")
    found.must(not (cp > 1 and tp > 1 and own["sequence_parallel"]), "It's a known issue that context parallel can't be used together with sequence parallel [setup.py:636]")
    found.must(not (cp > 1 and known["entry"]["model_type"].startswith("gemma3")), "Context parallel is not supported for Gemma3ForCausalLM [setup.py:629]")
    found.must(not (world == 1 and own["cpu_offload"]), "CPUOffload doesn't work on single GPU for AutoModel [setup.py:501]")
    found.must(tp == 1 or known["heads"] % tp == 0 and known["kv_heads"] % tp == 0, f"{known['heads']} heads and {known['kv_heads']} of keys and values % {tp} != 0 [models/dtensor/parallelize.py:585]")
    lora = own.get("lora_cfg") or {"enabled": False}
    found.must(not (lora["enabled"] and tp > 1 and lora["use_triton"]), "Triton is not supported when tensor_parallel_size > 1 [setup.py:668]")


def megatron(found, policy, known):
    """models/megatron/setup.py and data.py."""
    own = policy["megatron_cfg"]
    tp, _, cp = sizes(policy)
    found.must(cp == 1 or policy["sequence_packing"]["enabled"], "Sequence Packing must be enabled to use Context Parallelism with MCore [setup.py:880]")
    steps = own["optimizer"]
    found.must(not steps["optimizer_cpu_offload"] or 0 < steps["optimizer_offload_fraction"] <= 1, "optimizer_cpu_offload=True requires 0 < optimizer_offload_fraction <= 1 [setup.py:1218]")
    found.must(not steps["optimizer_cpu_offload"] or steps["use_distributed_optimizer"], "optimizer_cpu_offload=True requires use_distributed_optimizer=True [setup.py:1222]")
    found.must(steps["min_lr"] <= steps["lr"] and own["scheduler"]["lr_warmup_init"] <= steps["lr"], "the rate is below its least, or where the warm-up starts [megatron/core/optimizer_param_scheduler.py]")
    if policy["sequence_packing"]["enabled"]:
        least = (2 * cp if cp > 1 else 1) * (tp if own["sequence_parallel"] else 1)
        found.must(policy["make_sequence_length_divisible_by"] % least == 0, f"make_sequence_length_divisible_by is not a multiple of minimum_pad_factor ({least}) [data.py:1290]")
    found.must(not known["experts"] or tp == 1 or own["sequence_parallel"], "MoE and tensor parallelism are enabled without also enabling sequence parallelism [megatron/core/transformer/moe/moe_layer.py]")
    ddp = own["distributed_data_parallel_config"]
    found.must(not ddp["overlap_param_gather"] or ddp["overlap_grad_reduce"] and steps["use_distributed_optimizer"], "overlap_param_gather needs the distributed optimizer and overlap_grad_reduce [megatron/core/distributed]")
    ep = own["expert_model_parallel_size"]
    found.must(ep == 1 or known["experts"] and known["experts"] % ep == 0, f"{known['experts']} experts over {ep} GPUs [megatron/core/transformer/moe]")
    pp, layers = own["pipeline_model_parallel_size"], known["layers"]
    stated = own["num_layers_in_last_pipeline_stage"] or own["num_layers_in_first_pipeline_stage"]
    found.must(stated or layers % pp == 0, f"{layers} layers % {pp} stages != 0 [megatron/core/transformer/transformer_block.py]")
    found.must(not own["moe_enable_deepep"] or own["moe_token_dispatcher_type"] == "flex", "DeepEP goes with the flex dispatcher [models/policy/__init__.py]")


def asked(found, program, config, known):
    """Whether the text is of the machine and the batch that were asked for."""
    policy, nodes = config["policy"], config["cluster"]
    every = nodes["num_nodes"] * nodes["gpus_per_node"]
    found.must(every == known["gpus"], f"{every} GPUs for {known['gpus']}")
    found.must(trained(program, config) == known["train_gpus"], f"{trained(program, config)} GPUs train, not {known['train_gpus']}")
    batch = policy["train_global_batch_size"]
    found.must(known["sequences"] is None or batch == known["sequences"], f"an update of {batch} sequences is not the question's {known['sequences']}")
    longest = policy["max_total_sequence_length"]
    found.must(not known["max_pos"] or longest <= known["max_pos"] or "yarn" in policy["model_name"], f"{longest} tokens are more than the model's {known['max_pos']} positions")
    if program == "grpo":
        rl = config["grpo"]
        made = rl["num_prompts_per_step"] * rl["num_generations_per_prompt"]
        found.must(made == known["generated"], f"{made} sequences of a step are not the question's {known['generated']}")
        both = config["data"]["max_input_seq_length"] + policy["generation"]["max_new_tokens"]
        found.must(both == longest, f"a prompt and its response of {both} tokens are not {longest}")
