"""Rules that ChatLearn 1.2.0 and Megatron assert only at run time, with the lines that do."""


def violations(config, facts):
    run, models = config.runtime_args, config.models
    trainer, reference, policy = models.policy_trainer, models.ref_policy, models.policy
    errors = []

    def require(holds, key, message, source):
        if not holds:
            errors.append(f"{key}: {message} [{source}]")

    used = max(trainer.num_gpu, reference.num_gpu, policy.num_gpu)
    require(used == facts["gpus"], "models.policy_trainer.num_gpu", f"{used} of {facts['gpus']} GPUs", "schedule/model_manager.py:100")
    require(sorted(run.colocation) == ["policy", "policy_trainer", "ref_policy"] or sorted(sum(run.colocation, [])) == ["policy", "policy_trainer", "ref_policy"],
            "runtime_args.colocation", "all three roles share the GPUs", "docs/en/config.md")
    for name, role in (("policy_trainer", trainer), ("ref_policy", reference), ("policy", policy)):
        require(role.gpu_per_process == 1, f"models.{name}.gpu_per_process", "must be 1", "schedule/model_manager.py:281")
    require(trainer.trainable is True and not reference.trainable, "models.policy_trainer.trainable", "trains alone", "template")
    samples, engines = run.sample_per_episode, policy.num_replica * policy.replica_dp_size
    require(samples % policy.num_replica == 0, "runtime_args.sample_per_episode", f"{samples} % {policy.num_replica} engines != 0", "runtime/environment.py:85")
    ranks, own = trainer.num_replica * trainer.replica_dp_size, reference.num_replica * reference.replica_dp_size
    for one, other, what in ((engines, ranks, "engines and ranks"), (ranks, own, "ranks and the reference's")):
        require(max(one, other) % max(min(one, other), 1) == 0, "models.policy_trainer", f"{one} {what} {other} do not divide", "runtime/executor.py:233,245")
    require(run.num_inference_per_prompt == policy.num_inference_per_prompt, "runtime_args.num_inference_per_prompt",
            "differs from the rollout's: the advantage groups by it", "algorithm/grpo_utils/advantage_compute.py")
    require(0 < policy.gpu_memory_utilization <= 0.95, "models.policy.gpu_memory_utilization", "above 0, at most 0.95", "docs/en/config.md")
    require(policy.tensor_model_parallel_size == 1 or policy.enforce_eager or run.rollout_backend != "vllm", "models.policy.enforce_eager",
            "True for vLLM over several GPUs", "docs/en/faq.md")
    require(facts["heads"] % policy.tensor_model_parallel_size == 0, "models.policy.tensor_model_parallel_size", "does not divide the heads", "vllm model loader")
    longest = policy.max_prompt_tokens_length + policy.max_response_tokens_length
    require(not facts["max_pos"] or longest <= facts["max_pos"], "models.policy.max_response_tokens_length",
            f"{longest} tokens > the model's {facts['max_pos']} positions", "vllm ModelConfig")
    for name, role in (("policy_trainer", trainer), ("ref_policy", reference)):
        require(not role.packing or role.max_token_in_packing >= longest, f"models.{name}.max_token_in_packing",
                f"{role.max_token_in_packing} < {longest}: a long sample overflows its bin", "algorithm/grpo_utils/packing_utils.py")
        require(bool(role.load) and not role.load.startswith("your_"), f"models.{name}.load", "still the template's", "template")
    require(not policy.load.startswith("your_"), "models.policy.load", "still the template's", "template")
    for key in ("output_dir", "data_path", "eval_data_path"):
        require(not str(getattr(run, key)).startswith("your_"), f"runtime_args.{key}", "still the template's", "template")
    if run.train_backend == "fsdp":
        fsdp(require, trainer, facts)
    else:
        for name, role in (("policy_trainer", trainer), ("ref_policy", reference)):
            megatron(require, f"models.{name}", role, facts)
        recompute(require, trainer)
    return errors


def fsdp(require, trainer, facts):
    sp, heads, kv, key = trainer.ulysses_sequence_parallel_size, facts["heads"], facts["kv_heads"], "models.policy_trainer.ulysses_sequence_parallel_size"
    require(heads % sp == 0, key, f"{heads} heads % {sp} != 0", "models/fsdp_module.py:319")
    require(sp <= kv or sp % kv == 0, key, f"{sp} % {kv} kv heads != 0", "models/fsdp_module.py:322")
    require(sp == 1 or not facts["vision"], key, "1 for vision-language models", "models/fsdp_module.py:264")
    require(sp == 1 or not facts["experts"], key, "1 for models with experts", "docs/en/config.md")


def megatron(require, key, role, facts):
    tp, pp, cp, ep = (getattr(role, f"{name}_parallel_size") for name in ("tensor_model", "pipeline_model", "context", "expert_model"))
    etp, vpp = role.expert_tensor_parallel_size or 1, role.virtual_pipeline_model_parallel_size or 1
    gpus, layers = role.num_gpu, facts["layers"]
    require(not (role.packing and facts["vision"]), f"{key}.packing", "refused for images", "models/megatron_module.py:103")
    require(gpus % (tp * pp * cp) == 0, key, f"{gpus} % (TP {tp} * PP {pp} * CP {cp}) != 0", "megatron.core.parallel_state")
    require(gpus % (etp * ep * pp) == 0, key, f"{gpus} % (ETP {etp} * EP {ep} * PP {pp}) != 0", "megatron.core.parallel_state")
    require(role.replica_dp_size >= 1, key, "no data-parallel rank", "configs/megatron_config.py")
    require(vpp == 1 or pp > 1, f"{key}.virtual_pipeline_model_parallel_size", "needs more than one stage", "megatron.core.parallel_state")
    require(facts["heads"] % tp == 0, f"{key}.tensor_model_parallel_size", "does not divide the heads", "megatron.core TransformerConfig")
    require(facts["experts"] % ep == 0, f"{key}.expert_model_parallel_size", "does not divide the experts", "megatron.core MoELayer")
    require(ep == 1 or facts["experts"], f"{key}.expert_model_parallel_size", "for a model with experts", "megatron.core")
    last = role.decoder_last_pipeline_num_layers
    stages, rest = (pp - 1, layers - last) if last else (pp * vpp, layers)
    require(stages == 0 or rest % stages == 0, f"{key}.pipeline_model_parallel_size", f"{rest} layers % {stages} stages != 0", "megatron.core TransformerConfig")
    require(tp == 1 or not facts["experts"] or role.sequence_parallel, f"{key}.sequence_parallel", "True for experts under TP", "megatron.core MoELayer")


def recompute(require, trainer):
    key, granularity = "models.policy_trainer.recompute", trainer.recompute_granularity
    full = trainer.recompute_method is not None and trainer.recompute_num_layers is not None
    require(granularity != "full" or full, f"{key}_method", "full recomputation needs method and layers", "megatron.core TransformerConfig")
    require(granularity != "selective" or trainer.recompute_num_layers is None, f"{key}_num_layers", "not with selective", "megatron.core TransformerConfig")
    require(granularity == "selective" or not trainer.recompute_modules, f"{key}_modules", "only with selective", "megatron.core TransformerConfig")
