"""What SkyRL's trainers and workers assert with GPUs at hand, as far as a text here can reach it.

Source: https://github.com/NovaSky-AI/SkyRL/tree/skyrl-v0.3.0/skyrl; lines are of that release.
"""

PLACES = ("num_nodes", "num_gpus_per_node")
SPLITS = ("tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size")
WITHOUT_OLD = ("rollout_is", "dppo")
# vLLM 0.23.0, config/cache.py and model_executor/layers/quantization: of these the texts use one form each.
HANDED_ON = {"quantization": ("fp8",), "kv_cache_dtype": ("fp8",)}
STREAMED = ("regular", "dual_clip", "gspo", "cispo", "clip_cov", "kl_cov", "sapo")


class Asserted(list):
    """What does not hold."""

    def must(self, holds, message):
        if not holds:
            self.append(message)


def has_reference(config):
    own = config.trainer.algorithm
    return own.use_kl_loss or own.use_kl_in_reward


def world(config, role="policy"):
    nodes, gpus = (getattr(config.trainer.placement, f"{role}_{name}") for name in PLACES)
    return nodes * gpus


def roles(config):
    """Those beside the policy."""
    return ["ref"] * has_reference(config) + ["critic"] * (config.trainer.critic.model.path is not None)


def of(config, extra, ahead, known):
    """Every error of a configuration, and whether it is of the machine, the model and the batch that were asked for."""
    found = Asserted()
    trainer = config.trainer
    found.must(trainer.strategy == extra, f"--extra {extra} has not what {trainer.strategy} asks for [pyproject.toml]")
    for role in roles(config):
        found.must(world(config, role) == world(config), f"num_policy_gpus and num_{role}_gpus must be the same [train/trainer.py:673]")
        found.must(trainer.placement.colocate_all or role != "critic", "the critic gets GPUs of its own [train/trainer.py:756]")
    schedule(found, config, ahead)
    algorithm(found, config)
    for role in ("policy", *roles(config)):
        (megatron if trainer.strategy == "megatron" else fsdp)(found, config, role, known)
    turns(found, config)
    passes(found, config)
    engine(found, config, known)
    asked(found, config, known)
    return found


def schedule(found, config, ahead):
    """examples/train/async/async_trainer.py and train/fully_async_trainer.py, lines 330 to 383."""
    trainer = config.trainer
    found.must(not ahead or not trainer.placement.colocate_all, "colocate_all is not supported for async training")
    if ahead != "fully_async":
        found.must(not trainer.fully_async.enabled, "its program runs no fully asynchronous trainer")
        return
    own = trainer.fully_async
    mini, workers = trainer.policy_mini_batch_size, own.num_parallel_generation_workers
    found.must(own.enabled, "trainer.fully_async.enabled must be True when using the fully async trainer")
    found.must(mini <= workers <= mini * (own.max_staleness_steps + 1), f"Invalid num_parallel_generation_workers: {workers}")
    found.must(trainer.train_batch_size == mini, "train_batch_size must equal policy_mini_batch_size for fully async training")
    found.must(trainer.algorithm.dynamic_sampling.type is None, "dynamic sampling is not supported for fully async training yet")
    found.must(trainer.algorithm.policy_loss_type not in STREAMED, f"Fully async training should use rollout logprobs, not {trainer.algorithm.policy_loss_type}")


def algorithm(found, config):
    trainer, own, generator = config.trainer, config.trainer.algorithm, config.generator
    narrow = generator.inference_engine.engine_init_kwargs
    corrects = own.off_policy_correction.tis_ratio_type is not None or own.policy_loss_type in WITHOUT_OLD
    found.must(not narrow or corrects, "an engine in 8 bits without a correction of the loss [docs/content/docs/examples/quantized_rollouts.mdx]")
    logged = generator.sampling_params.logprobs is not None
    found.must(logged or own.policy_loss_type not in WITHOUT_OLD, "rollout_logprobs are required [utils/ppo_utils.py:789]")
    found.must(own.policy_loss_type != "gspo" or own.loss_reduction == "sequence_mean", "With GSPO it's recommended to use 'sequence_mean' [utils/ppo_utils.py:685]")
    found.must(own.dynamic_sampling.type in (None, "filter", "replace"), f"{own.dynamic_sampling.type} samples nothing anew [train/utils/trainer_utils.py]")
    found.must(trainer.update_epochs_per_batch >= 1, "no pass over the samples")


def fsdp(found, config, role, known):
    """backends/skyrl_train/distributed/ulysses/monkey_patch.py:146, workers/model_wrapper.py:91, distributed/fsdp_utils.py:254."""
    trainer, own = config.trainer, getattr(config.trainer, role)
    gpus, split, group = world(config, role), own.sequence_parallel_size, own.fsdp_config.fsdp_size
    found.must(gpus % split == 0, f"{gpus} GPUs % {split} != 0")
    found.must(known["heads"] % split == 0, f"num_attention_heads {known['heads']} must be divisible by ulysses_sp_size {split}")
    kv = known["kv_heads"]
    found.must(kv % split == 0 or split % kv == 0, f"num_key_value_heads {kv} must be divisible by ulysses_sp_size {split} or vise versa")
    found.must(split == 1 or trainer.remove_microbatch_padding, "remove_microbatch_padding must be true for sequence parallelism")
    found.must(trainer.flash_attn or not trainer.remove_microbatch_padding, "Flash attention 2 should be used for `remove_microbatch_padding`")
    found.must(group < 0 or group >= gpus or gpus % group == 0, f"{gpus} GPUs % {group} that shard != 0")
    found.must(not known["vision"] or not trainer.remove_microbatch_padding, "remove_microbatch_padding is not supported with VLM vision inputs")
    found.must(not known["vision"] or split == 1, "Sequence parallelism is not supported with VLM vision inputs")
    found.must(not known["vision"] or role != "critic", "a critic is handed no pixel_values [workers/worker.py:889]")
    found.must(not config.generator.vision_language_generator or trainer.algorithm.dynamic_sampling.type is None, "filtered output has no pixel_values [train/utils/trainer_utils.py:632]")
    found.must(known["entry"]["model_type"] != "gpt_oss" or not trainer.remove_microbatch_padding, "gpt-oss attends by a kernel that packs nothing [examples/train/gptoss]")


def megatron(found, config, role, known):
    """megatron/core/parallel_state.py, initialize_model_parallel, and what it makes of a batch."""
    own = getattr(config.trainer, role).megatron_config
    tp, pp, cp = (getattr(own, name) for name in SPLITS)
    gpus, ep, etp = world(config, role), own.expert_model_parallel_size, own.expert_tensor_parallel_size or tp
    found.must(gpus % (tp * pp * cp) == 0, f"world_size ({gpus}) is not divisible by {tp * pp * cp}")
    found.must(gpus % (etp * ep * pp) == 0, f"world_size ({gpus}) is not divisible by expert_tensor_model_pipeline_parallel size ({etp * ep * pp})")
    found.must(ep == 1 or known["experts"] and known["experts"] % ep == 0, f"{known['experts']} experts over {ep} GPUs")
    layers = own.transformer_config_kwargs
    stated = layers.get("num_layers_in_last_pipeline_stage")
    found.must(stated or known["layers"] % pp == 0, f"{known['layers']} layers % {pp} stages != 0 [megatron/core/transformer/transformer_block.py]")
    found.must(not stated or (known["layers"] - stated) % max(pp - 1, 1) == 0, f"{known['layers']} layers without {stated} over {pp - 1} stages")
    ddp = own.ddp_config
    found.must(not (ddp.overlap_grad_reduce or ddp.overlap_param_gather), "SkyRL gives Megatron no no_sync_func, and hands weights on right behind a step: nothing may overlap")
    policys = config.trainer.policy.megatron_config
    found.must(all(getattr(own, name) == getattr(policys, name) for name in SPLITS), f"{role} is laid out otherwise than the policy")
    found.must(not layers.get("moe_enable_deepep") or own.moe_token_dispatcher_type == "flex", "DeepEP goes with the flex dispatcher")


def ranks(config):
    trainer = config.trainer
    if trainer.strategy == "megatron":
        tp, pp, cp = (getattr(trainer.policy.megatron_config, name) for name in SPLITS)
        return world(config) // (tp * pp * cp) or 1
    return world(config) // trainer.policy.sequence_parallel_size or 1


def reach(generator):
    """The longest sequence: train/generators/skyrl_gym_generator.py:375 begins a turn behind max_input_length tokens at most."""
    return generator.max_input_length + generator.sampling_params.max_generate_length


def turns(found, config):
    """The same, agent_loop: what `validate_cfg` does not see."""
    own = config.generator
    found.must(own.max_turns >= 1, f"{own.max_turns} turns generate nothing")
    found.must(own.max_turns == 1 or not own.batched, "generate_batched has one turn")
    under_way = config.trainer.train_batch_size * own.n_samples_per_prompt
    if config.trainer.fully_async.enabled:
        under_way = config.trainer.fully_async.num_parallel_generation_workers * own.n_samples_per_prompt
    called = config.environment.skyrl_gym.max_env_workers
    found.must(own.max_turns == 1 or called == under_way, f"{called} tools at a time for {under_way} responses")


def passes(found, config):
    """backends/skyrl_train/workers/worker_utils.py: each rank has as much, and a budget holds the longest sequence."""
    trainer = config.trainer
    mini, shared = trainer.policy_mini_batch_size * config.generator.n_samples_per_prompt, ranks(config)
    found.must(mini % shared == 0, f"{mini} sequences of an update over {shared} ranks")
    budget = trainer.max_tokens_per_microbatch
    longest = reach(config.generator)
    found.must(budget <= 0 or budget >= longest, f"{budget} tokens of a pass do not hold a sequence of {longest}")
    found.must(budget <= 0 or trainer.remove_microbatch_padding, "a budget of tokens counts no padding")
    each = mini // shared
    found.must(budget > 0 or each % trainer.micro_forward_batch_size_per_gpu == 0, f"{each} sequences of a rank are no multiple of {trainer.micro_forward_batch_size_per_gpu} forward")
    critic = trainer.critic.model.path is None or trainer.critic_mini_batch_size == trainer.policy_mini_batch_size
    found.must(critic, "the critic's update is not the policy's")


def engine(found, config, known):
    own = config.generator.inference_engine
    tp, dp, ep = own.tensor_parallel_size, own.data_parallel_size, own.expert_parallel_size
    found.must(own.backend == "vllm", "the texts generate with vLLM")
    found.must(known["heads"] % tp == 0, f"{known['heads']} heads % {tp} != 0 [vllm]")
    found.must(ep == 1 or known["experts"] % ep == 0 and known["experts"], f"{known['experts']} experts over {ep} GPUs")
    found.must(dp == 1 or ep > 1, "copies of an attention share experts")
    found.must(0 < own.gpu_memory_utilization <= 1, "gpu_memory_utilization is no share [vllm]")
    # backends/skyrl_train/inference_servers/utils.py:154 hands these on as vLLM's arguments, whatever they are.
    for name, value in own.engine_init_kwargs.items():
        found.must(value in HANDED_ON.get(name, ()), f"engine_init_kwargs.{name}={value} is nothing that vLLM takes")


def asked(found, config, known):
    """Whether the text is of the machine, the model and the batch that were asked for."""
    trainer, own = config.trainer, config.generator.inference_engine
    generate = own.num_engines * own.tensor_parallel_size * own.data_parallel_size * own.pipeline_parallel_size
    every = world(config) if trainer.placement.colocate_all else world(config) + generate
    found.must(every == known["gpus"], f"{every} GPUs for {known['gpus']}")
    found.must(world(config) == known["train_gpus"], f"{world(config)} GPUs train, not {known['train_gpus']}")
    each = config.generator.n_samples_per_prompt
    batch, made = trainer.policy_mini_batch_size * each, trainer.train_batch_size * each
    found.must(batch == known["sequences"], f"an update of {batch} sequences is not the question's {known['sequences']}")
    found.must(made == known["generated"], f"{made} sequences of a step are not the question's {known['generated']}")
    longest = reach(config.generator)
    found.must(longest == known["longest"], f"{longest} tokens at most are not the question's {known['longest']}")
    found.must(config.generator.max_turns == known["turns"], f"{config.generator.max_turns} turns are not the question's {known['turns']}")
    found.must(config.generator.vision_language_generator == known["images"], "images are generated from where there are some")
    found.must(not known["max_pos"] or longest <= known["max_pos"] or "yarn" in trainer.policy.model.path, f"{longest} tokens are more than the model's {known['max_pos']} positions")
