"""Rules that verl 0.9.1 asserts only on GPU workers and inference servers, with the lines that do.

W: GPUs that train; DP: data-parallel ranks; n: responses per prompt.
"""

from omegaconf import OmegaConf

A, R, REF, C = "actor_rollout_ref.actor", "actor_rollout_ref.rollout", "actor_rollout_ref.ref", "critic"
STRATEGIES = ("fsdp", "fsdp2", "fsdp_turbo", "megatron", "veomni", "torchtitan", "automodel")


class Rules:
    def __init__(self, config, world, facts):
        self.config, self.world, self.facts, self.errors = config, world, facts, []

    def get(self, key, default=None):
        value = OmegaConf.select(self.config, key, default=default)
        return default if value is None else value

    def require(self, holds, key, message, source):
        if not holds:
            self.errors.append(f"{key}: {message} [{source}]")

    def megatron(self, role, prefix):
        """Model-parallel size and how many GPUs share a sequence; megatron-core's own rules."""
        key = f"{prefix}.megatron" if role != "engine" else prefix
        get = lambda name, default=1: self.get(f"{key}.{name}", default)  # noqa: E731
        tp, pp, cp = get("tensor_model_parallel_size"), get("pipeline_model_parallel_size"), get("context_parallel_size")
        ep, etp = get("expert_model_parallel_size"), get("expert_tensor_parallel_size", None) or tp
        vpp = get("virtual_pipeline_model_parallel_size", None)
        layers, override = self.facts["layers"], f"{key}.override_transformer_config"
        source = "megatron.core.parallel_state"
        self.require(self.world % (tp * pp * cp) == 0, key, f"world size {self.world} % (TP {tp} * PP {pp} * CP {cp}) != 0", source)
        self.require(self.world % (etp * ep * pp) == 0, f"{key}.expert_model_parallel_size",
                     f"world size {self.world} % (ETP {etp} * EP {ep} * PP {pp}) != 0", source)
        self.require(vpp is None or pp > 1, f"{key}.virtual_pipeline_model_parallel_size", "needs more than one stage", source)
        self.require(self.facts["heads"] % tp == 0, f"{key}.tensor_model_parallel_size",
                     f"{self.facts['heads']} heads % TP {tp} != 0", "megatron.core TransformerConfig")
        self.require(self.facts["experts"] % ep == 0, f"{key}.expert_model_parallel_size",
                     f"{self.facts['experts']} experts % EP {ep} != 0", "megatron.core MoELayer")
        last = self.get(f"{override}.num_layers_in_last_pipeline_stage")
        stages, rest = (pp - 1, layers - last) if last else (pp * (vpp or 1), layers)
        self.require(stages == 0 or rest % stages == 0, f"{key}.pipeline_model_parallel_size",
                     f"{rest} layers % {stages} stages != 0", "megatron.core TransformerConfig")
        self.require(self.get(f"{key}.use_mbridge", True), f"{key}.use_mbridge", "must be True",
                     "verl/workers/engine/megatron/transformer_impl.py:191")
        granularity = self.get(f"{override}.recompute_granularity")
        method, count = self.get(f"{override}.recompute_method"), self.get(f"{override}.recompute_num_layers")
        self.require(granularity != "full" or (method and count), f"{override}.recompute_method",
                     "full recomputation needs method and layers", "megatron.core TransformerConfig")
        self.require(granularity != "selective" or count is None, f"{override}.recompute_num_layers",
                     "selective recomputation takes no layers", "megatron.core TransformerConfig")
        return tp * pp * cp, cp

    def fsdp(self, key, engine, packed):
        sp = self.get(f"{engine}.ulysses_sequence_parallel_size", 1)
        if key == A:
            sp = max(sp, self.get(f"{key}.ulysses_sequence_parallel_size", 1))
        name, heads, kv = f"{engine}.ulysses_sequence_parallel_size", self.facts["heads"], self.facts["kv_heads"]
        self.require(self.world % sp == 0, name, f"world size {self.world} % {sp} != 0", "verl/workers/engine/fsdp/transformer_impl.py")
        self.require(sp == 1 or packed, name, "needs model.use_remove_padding=True", "verl/workers/config/actor.py:335")
        self.require(heads % sp == 0, name, f"{heads} heads % {sp} != 0", "verl/models/transformers/monkey_patch.py:343")
        self.require(kv % sp == 0 or sp % kv == 0, name, f"{kv} kv heads and {sp}: neither divides the other",
                     "verl/models/transformers/monkey_patch.py:346")
        group = self.get(f"{engine}.fsdp_size", -1)
        self.require(group < 0 or self.world % group == 0, f"{engine}.fsdp_size", f"world size {self.world} % {group} != 0",
                     "verl/workers/engine/utils.py create_device_mesh")
        return sp, sp

    def split(self, key):
        if self.get(f"{A}.strategy") == "megatron":
            return self.megatron(key, key)
        engine = f"{key}.fsdp" if key == C else f"{key}.fsdp_config"
        model = "critic.model" if key == C else "actor_rollout_ref.model"
        return self.fsdp(key, engine, self.get(f"{model}.use_remove_padding", False))


def reinforcement(config, facts):
    get = lambda key, default=None: OmegaConf.select(config, key, default=default)  # noqa: E731
    r = Rules(config, get("trainer.n_gpus_per_node") * get("trainer.nnodes"), facts)
    n, mini = r.get(f"{R}.n"), r.get(f"{A}.ppo_mini_batch_size")
    prompts = streamed(r, mini) if "async_training" in config else r.get("data.train_batch_size")
    longest = r.get("data.max_prompt_length") + r.get("data.max_response_length")
    dynamic = r.get(f"{A}.use_dynamic_bsz", False)
    critic = r.get("algorithm.adv_estimator") == "gae" if r.get("critic.enable") is None else r.get("critic.enable")
    reference = r.get("algorithm.use_kl_in_reward", False) or r.get(f"{A}.use_kl_loss", False)
    adapters = r.get("actor_rollout_ref.model.lora_rank", 0) > 0 or r.get("actor_rollout_ref.model.lora.rank", 0) > 0
    for key in (A, C) if critic else (A,):
        r.require(r.get(f"{key}.strategy") in STRATEGIES, f"{key}.strategy", "unknown", "verl/workers/engine/base.py:401")
    pool(r)
    r.require(prompts >= mini, f"{A}.ppo_mini_batch_size", f"{prompts} prompts < {mini}", "verl/workers/config/actor.py:225")
    if r.get("trainer.v1.trainer_mode") == "separate_async":  # trainer_base.py:539
        prompts //= r.get("trainer.v1.separate_async.parameter_sync_step")
    roles = [(A, f"{A}.ppo_max_token_len_per_gpu", f"{A}.ppo_micro_batch_size_per_gpu", mini * n),
             (A, f"{R}.log_prob_max_token_len_per_gpu", f"{R}.log_prob_micro_batch_size_per_gpu", prompts * n)]
    if reference and not adapters:
        roles.append((REF, f"{REF}.log_prob_max_token_len_per_gpu", f"{REF}.log_prob_micro_batch_size_per_gpu", prompts * n))
    if critic:
        roles.append((C, f"{C}.ppo_max_token_len_per_gpu", f"{C}.ppo_micro_batch_size_per_gpu", mini * n))
    for key, budget, micro, batch in roles:
        size, shared = r.split(key)
        ranks = max(r.world // size, 1)
        trained = key != REF and budget != f"{R}.log_prob_max_token_len_per_gpu"
        if trained:
            r.require(batch % ranks == 0, f"{key}.ppo_mini_batch_size", f"{batch} sequences % DP {ranks} != 0", "verl/workers/engine_workers.py:267")
        if dynamic:
            tokens = r.get(budget)
            r.require(tokens is not None and tokens * shared >= longest, budget, f"{tokens} * {shared} < {longest} tokens",
                      "verl/utils/seqlen_balancing.py:384")
        else:
            size = r.get(micro)
            r.require(size is not None, micro, "must be set without use_dynamic_bsz", "verl/workers/engine_workers.py:636")
            r.require(size is None or batch % ranks or (batch // ranks) % size == 0, micro,
                      f"{batch // ranks} sequences of a rank % {size} != 0", "verl/workers/engine/utils.py:125")
    r.require(r.get(f"{R}.log_prob_use_dynamic_bsz", False) == dynamic, f"{R}.log_prob_use_dynamic_bsz", "must equal the actor's",
              "verl/workers/engine_workers.py:616")
    fetched = None if "async_training" in config else r.get("data.gen_batch_size")
    r.require(fetched is None or prompts % fetched == 0, "data.gen_batch_size", f"{prompts} prompts % {fetched} != 0",
              "verl/trainer/ppo/v1/trainer_base.py:1485")
    filters = r.get("algorithm.filter_groups.enable", False)
    colocated = r.get("reward.reward_model.enable", False) and not r.get("reward.reward_model.enable_resource_pool", False)
    r.require(not (filters and colocated), "algorithm.filter_groups", "needs a rule or a reward model with GPUs of its own",
              "verl/trainer/ppo/v1/trainer_base.py:196")
    rollout(r, longest)
    # Read, or only accepted?
    if adapters:
        raw = OmegaConf.to_container(config, resolve=False)
        for key in ("log_prob_max_token_len_per_gpu", "log_prob_micro_batch_size_per_gpu"):
            own = raw["actor_rollout_ref"]["ref"][key]
            r.require(own is None or str(own).startswith("${"), f"{REF}.{key}",
                      "is never read where the actor without its adapters is the reference", "verl/trainer/ppo/v1/trainer_base.py:1703")
    return r.errors


def streamed(r, mini):
    """experimental/fully_async_policy: the prompts of a fetch, and what its trainer does not do, or not of itself."""
    source = "verl/experimental/fully_async_policy"
    for key, least in (("require_batches", 1), ("concurrent_samples_per_replica", 1)):
        r.require(r.get(f"async_training.{key}") >= least, f"async_training.{key}", f"must be {least} or more", f"{source}/fully_async_rollouter.py:425")
    r.require(r.get(f"{R}.mode") == "async", f"{R}.mode", "must be async", f"{source}/fully_async_rollouter.py:846")
    r.require(r.get("async_training.partial_rollout") or not r.get("async_training.staleness_threshold"), "async_training.partial_rollout",
              "drops what new weights interrupt", "verl/workers/rollout/llm_server.py:340")
    r.require(not r.get("algorithm.filter_groups.enable", False), "algorithm.filter_groups", "is never read", source)
    r.require(r.get("algorithm.adv_estimator") != "remax", "algorithm.adv_estimator", "remax finds no greedy response", f"{source}/detach_utils.py:45")
    r.require(r.get("trainer.total_training_steps") is None, "trainer.total_training_steps", "is overwritten by rollout.total_rollout_steps", f"{source}/fully_async_trainer.py:354")
    r.require(r.get("rollout.total_rollout_steps") is None or r.get("rollout.total_rollout_steps") >= mini * r.get("async_training.require_batches"),
              "rollout.total_rollout_steps", "is less than a mini-batch", f"{source}/fully_async_trainer.py:424")
    return mini * r.get("async_training.require_batches")


def pool(r):
    """trainer/ppo/v1/trainer_separate_async.py:59-76."""
    if r.get("trainer.v1.trainer_mode") != "separate_async":
        return
    source = "verl/trainer/ppo/v1/trainer_separate_async.py"
    step, mini = r.get("trainer.v1.separate_async.parameter_sync_step"), r.get(f"{A}.ppo_mini_batch_size")
    r.require(r.get("data.train_batch_size") == step * mini, "data.train_batch_size", f"must be parameter_sync_step {step} * {mini}", source)
    r.require(r.get(f"{R}.nnodes", 0) > 0, f"{R}.nnodes", "must be above 0", source)
    r.require(r.get(f"{R}.checkpoint_engine.backend") != "naive", f"{R}.checkpoint_engine.backend", "must not be naive", source)


def rollout(r, longest):
    tp, dp, pp = (r.get(f"{R}.{key}", 1) for key in ("tensor_model_parallel_size", "data_parallel_size", "pipeline_model_parallel_size"))
    engine, node, gpus = tp * dp * pp, r.get("trainer.n_gpus_per_node"), r.world
    if "async_training" in r.config:
        node = r.get("rollout.n_gpus_per_node")
        gpus = node * r.get("rollout.nnodes")
    elif r.get("trainer.v1.trainer_mode") == "separate_async":
        node = r.get(f"{R}.n_gpus_per_node")
        gpus = node * r.get(f"{R}.nnodes", 0)
    key = f"{R}.tensor_model_parallel_size"
    r.require(gpus % engine == 0, key, f"{gpus} GPUs % an engine of {engine} != 0", "verl/workers/engine_workers.py:659")
    r.require(engine % min(node, engine) == 0, key, f"an engine of {engine} GPUs is no multiple of a node's {node}", "verl/workers/rollout/replica.py:114")
    r.require(dp == 1 or r.get(f"{R}.name") != "vllm" or node % tp == 0, key, f"{node} GPUs of a node % TP {tp} != 0",
              "verl/workers/rollout/vllm_rollout/vllm_async_server.py:385")
    r.require(r.facts["heads"] % tp == 0, key, f"{r.facts['heads']} heads % TP {tp} != 0", "vllm and sglang model loaders")
    share = r.get(f"{R}.gpu_memory_utilization")
    r.require(0 < share <= 1, f"{R}.gpu_memory_utilization", f"{share} is no share", "vllm CacheConfig")
    held, known = r.get(f"{R}.max_model_len"), r.facts["max_pos"]
    r.require(held is None or held >= longest, f"{R}.max_model_len", f"{held} < {longest} tokens", "vllm_async_server.py:595")
    r.require(not known or (held or longest) <= known, f"{R}.max_model_len", f"{held or longest} > the model's {known} positions", "vllm_async_server.py:1108")


def fine_tuning(config, world, facts):
    get = lambda key, default=None: OmegaConf.select(config, key, default=default)  # noqa: E731
    r = Rules(config, world or get("trainer.n_gpus_per_node") * get("trainer.nnodes"), facts)
    # The packaged engine=megatron leaves out the strategy that its dataclass has.
    if str(get("engine._target_")).endswith("McoreEngineConfig"):
        size, shared = r.megatron("engine", "engine")
    else:
        size, shared = r.fsdp("engine", "engine", get("model.use_remove_padding", False))
    r.require(r.world % size == 0, "engine", f"world size {r.world} % model-parallel {size} != 0", "verl/workers/engine")
    ranks, batch = max(r.world // size, 1), get("data.train_batch_size")
    r.require(batch % ranks == 0, "data.train_batch_size", f"{batch} % DP {ranks} != 0: rounded down", "verl/trainer/sft_trainer.py:241")
    if get("data.use_dynamic_bsz"):
        tokens, longest = get("data.max_token_len_per_gpu"), get("data.max_length")
        r.require(tokens * shared >= longest, "data.max_token_len_per_gpu", f"{tokens} * {shared} < {longest} tokens", "verl/utils/seqlen_balancing.py:384")
    else:
        micro = get("data.micro_batch_size_per_gpu")
        r.require((batch // ranks) % micro == 0, "data.micro_batch_size_per_gpu", f"{batch // ranks} % {micro} != 0", "verl/workers/engine/utils.py:125")
    return r.errors
