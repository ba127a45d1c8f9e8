"""Checks veRL commands for 0.4.1 to 0.8.0 with that version's own configuration code; see README.md.

As check.py: hydra composes the wheel's packaged configuration with the text's overrides, every key and type must be its
own, and its `validate_config` runs, which before 0.6 was a method of the trainer.
"""

import contextlib
import copy
import os
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import check  # noqa: E402
import protocol  # noqa: E402
import shell  # noqa: E402, F401
from omegaconf import OmegaConf  # noqa: E402


def gpus(config):
    return config.trainer.n_gpus_per_node * config.trainer.nnodes


def roles(config):
    """Whether there is a critic, and whether a reference."""
    reference = config.algorithm.use_kl_in_reward or config.actor_rollout_ref.actor.use_kl_loss
    return config.algorithm.adv_estimator == "gae", reference


def validate(config):
    """verl's own validation."""
    critic, reference = roles(config)
    try:
        from verl.utils.config import validate_config
    except ImportError:
        from verl.trainer.ppo.ray_trainer import RayPPOTrainer

        trainer = types.SimpleNamespace(config=config, use_critic=critic, use_reference_policy=reference)
        return lambda: RayPPOTrainer._validate_config(trainer)
    return lambda: validate_config(config, reference, critic)


def workers(config):
    """What the workers assert, as far as a text can break it (`megatron_workers.py`, `fsdp_workers.py`)."""
    actor, rollout = config.actor_rollout_ref.actor, config.actor_rollout_ref.rollout
    world = gpus(config)
    if actor.strategy == "megatron":
        split = actor.megatron.tensor_model_parallel_size * actor.megatron.pipeline_model_parallel_size * actor.megatron.context_parallel_size
    else:
        own = OmegaConf.select(actor, "fsdp_config.ulysses_sequence_parallel_size", default=1)
        split = max(own, actor.get("ulysses_sequence_parallel_size", 1))
    if world % split:
        yield f"actor: {world} GPUs % {split} != 0"
    elif actor.ppo_mini_batch_size * rollout.n % (world // split):
        yield f"actor.ppo_mini_batch_size: {actor.ppo_mini_batch_size * rollout.n} sequences % {world // split} ranks != 0"
    if world % rollout.tensor_model_parallel_size:
        yield f"rollout.tensor_model_parallel_size: {world} GPUs % {rollout.tensor_model_parallel_size} != 0"
    if rollout.log_prob_use_dynamic_bsz != actor.use_dynamic_bsz:
        yield "rollout.log_prob_use_dynamic_bsz: must equal the actor's"


def read(item):
    module, name, settings, _ = check.launch(item["snippets"][0]["text"])
    settings = protocol.altered(settings, item)
    errors = protocol.twice(settings)
    config, packaged, parsed, refused = check.composed(name, settings)
    errors += refused
    if config is None:
        return errors
    # Both take a list for the packaged word (`convert_to_regular_types` in fsdp_workers.py).
    errors += [error for error in check.types_of(config, packaged, parsed) if "model.target_modules: [" not in error]
    if errors or module != "verl.trainer.main_ppo":
        return errors
    errors += check.guarded("validate_config", validate(copy.deepcopy(config)))
    return errors + list(workers(config))


if __name__ == "__main__":
    with contextlib.suppress(ImportError, AttributeError, FileNotFoundError):
        check.prepare()  # parts of verl that 0.4.1 and 0.5.0 do not have
    protocol.serve(read)
