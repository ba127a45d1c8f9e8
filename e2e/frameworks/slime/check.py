"""Checks slime's commands: its own arguments (options.json) beside Megatron-LM's, `validate_args` and megatron-core for real; see README.md.

argparse parses the text as slime does, `scripts/models` filled in; `settled` restates what `slime/utils/arguments.py` and its Megatron
backend assert and set; then Megatron-LM and megatron-core are asked as for Megatron-LM's own texts.
"""

import argparse
import contextlib
import copy
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "megatron-lm")]

import check as megatron_lm  # noqa: E402
import protocol  # noqa: E402
import rules  # noqa: E402
import shell  # noqa: E402

with open(os.path.join(HERE, "options.json")) as file:
    KNOWN = json.load(file)


NUMBERS = {"int": int, "float": float, "str": str, "bool": bool}


def add(made, option):
    """An argument as argparse was told of it."""
    action = {"on": "store_true", "off": "store_false", "either": argparse.BooleanOptionalAction}.get(option["kind"])
    if action:
        names = [name for name in option["names"] if option["kind"] != "either" or not name.startswith("--no-")]
        made.add_argument(*names, dest=option["dest"], action=action)
        return
    made.add_argument(*option["names"], dest=option["dest"], type=NUMBERS.get(option["type"], str), choices=option.get("choices"), nargs=option.get("nargs"),
                      default=option["default"], required=option.get("required", False))


def parser():
    """Megatron-LM's, with slime's own: what a text sets twice is slime's."""
    made = megatron_lm.parser()
    made.conflict_handler = "resolve"
    for option in KNOWN["options"]:
        if "names" in option:
            add(made, option)
    made.set_defaults(**{own["dest"]: own["default"] for own in KNOWN["options"] if "names" not in own})
    return made


PARSER = parser()


def launch(text):
    """The words behind train.py, those of `scripts/models` among them, and the model's file."""
    os.environ.pop(megatron_lm.ORDER, None)
    os.environ.update(re.findall(rf'({megatron_lm.ORDER})[\\"]+: *[\\"]+(\d+)', text))
    files = re.findall(r"^source scripts/models/([\w.-]+)\.sh\b", text, re.MULTILINE)
    if len(files) != 1 or files[0] not in KNOWN["models"]:
        raise ValueError(f"scripts/models has no one file of this text: {files}")
    found = [words for words in shell.commands(text) if any(re.fullmatch(r"train(_async)?\.py", word) for word in words)]
    if len(found) != 1 or found[0][:3] != ["ray", "job", "submit"]:
        raise ValueError(f"{len(found)} commands start slime through Ray, not 1")
    at = next(place for place, word in enumerate(found[0]) if word.startswith("train"))
    own = [word for word in found[0][at + 1:] if word not in ("", "${MODEL_ARGS[@]}")]
    return KNOWN["models"][files[0]], own, found[0][at]


def must(holds, message):
    if not holds:
        raise AssertionError(message)


def settled(args, program):
    """`slime_validate_args` and `_set_default_megatron_args`, as far as a text here can reach them, and what train.py and train_async.py ask."""
    args.world_size = args.actor_num_nodes * args.actor_num_gpus_per_node
    args.use_distributed_optimizer, args.bf16 = True, not args.fp16
    args.seq_length = args.seq_length or 4096
    args.max_position_embeddings = args.max_position_embeddings or args.seq_length
    must(args.rollout_temperature > 0, "--rollout-temperature must be > 0")
    must(not (args.kl_coef != 0 or args.use_kl_loss) or args.ref_load, "ref_load does not exist")
    must(args.save_interval is None or args.save is not None, "'--save' is required when save_interval is set.")
    must(not (args.kl_coef != 0 and args.kl_loss_coef != 0), "Only one of kl_coef and kl_loss_coef can be set")
    must(not args.advantage_estimator.startswith("reinforce") or args.normalize_advantages, "require advantage normalization")
    must(not args.use_dynamic_batch_size or args.max_tokens_per_gpu is not None, "max_tokens_per_gpu must be set when use_dynamic_batch_size is set")
    must((args.over_sampling_batch_size or args.rollout_batch_size) >= args.rollout_batch_size, "over_sampling_batch_size should be greater than or equal to rollout_batch_size")
    must(args.num_rollout is not None, "num_epoch is not set, but num_rollout is not set")
    must(program == "train.py" or not args.colocate, "Colocation is not supported for async training.")
    must(args.pipeline_model_parallel_size > 1 or args.decoder_last_pipeline_num_layers is None, "decoder_last_pipeline_num_layers should be None when pipeline_model_parallel_size is 1")
    must(args.hf_checkpoint and args.prompt_data, "neither a model nor prompts")
    must(args.colocate or args.rollout_num_gpus, "no GPUs generate")
    # utils/arguments.py leaves these to Megatron's own parser, whose validation is of pre-training.
    args.train_iters, args.data_path, args.tokenizer_model = args.num_rollout, ["prompts"], args.hf_checkpoint
    samples = args.rollout_batch_size * args.n_samples_per_prompt
    must(samples % args.global_batch_size == 0, f"{samples} samples of a rollout are no multiple of the global batch {args.global_batch_size}")


def generation(args, known):
    """Engines and their GPUs (`ray/rollout.py`), and whether the text is of the machine and the batch that were asked for."""
    gpus = args.world_size if args.colocate else args.rollout_num_gpus
    engine = args.rollout_num_gpus_per_engine
    if gpus % engine:
        yield f"{gpus} GPUs % engines of {engine} != 0"
    if args.sglang_dp_size and (engine % args.sglang_dp_size or not args.sglang_enable_dp_attention):
        yield f"an engine of {engine} GPUs % {args.sglang_dp_size} copies of its attention != 0, or --sglang-enable-dp-attention is missing"
    if args.sglang_ep_size and args.sglang_ep_size != engine:
        yield f"{args.sglang_ep_size} GPUs share the experts of an engine of {engine}"
    if not 0 < args.sglang_mem_fraction_static <= 1:
        yield "--sglang-mem-fraction-static is no share"
    if args.num_gpus_per_node != args.actor_num_gpus_per_node if args.colocate else args.num_gpus_per_node < min(args.actor_num_gpus_per_node, gpus):
        yield f"--num-gpus-per-node {args.num_gpus_per_node} is no node of {args.world_size} GPUs"
    all_of_it = args.world_size + (0 if args.colocate else gpus)
    if all_of_it != known["gpus"]:
        yield f"{all_of_it} GPUs for {known['gpus']}"
    if args.world_size != known["train_gpus"]:
        yield f"{args.world_size} GPUs train, not {known['train_gpus']}"
    if args.global_batch_size != known["sequences"]:
        yield f"an update of {args.global_batch_size} sequences is not the question's {known['sequences']}"
    if args.rollout_batch_size * args.n_samples_per_prompt != known["generated"]:
        yield f"{args.rollout_batch_size} × {args.n_samples_per_prompt} sequences are not the question's {known['generated']}"
    if args.hidden_size != known["hidden"]:
        yield "another model's width"
    longest = args.rollout_max_prompt_len + args.rollout_max_response_len
    split = args.context_parallel_size
    if args.use_dynamic_batch_size and args.max_tokens_per_gpu * split < longest:
        yield f"{args.max_tokens_per_gpu} tokens on each of {split} GPUs do not hold a sequence of {longest}"


def check(item):
    model, words, program = launch(item["snippets"][0]["text"])
    settings = protocol.altered(megatron_lm.grouped(words), item)
    errors = protocol.twice(settings)
    try:
        args = PARSER.parse_args([*model, *megatron_lm.split(settings)])
    except megatron_lm.Refused as error:
        return [*errors, f"argparse: {error}"]
    with contextlib.redirect_stdout(sys.stderr):
        try:
            settled(args, program)
        except AssertionError as error:
            return [*errors, f"slime_validate_args: {error}"]
        # With a batch of packs of tokens, Megatron-LM's own count of micro-batches means nothing.
        asked = copy.copy(args)
        errors += megatron_lm.settled(asked, args.world_size) or megatron_lm.built(asked)
    if errors:
        return errors
    if args.global_batch_size % asked.data_parallel_size:
        errors.append(f"global batch size ({args.global_batch_size}) is not divisible by data parallel size ({asked.data_parallel_size})")
    known = item["facts"]
    trained = {**known, "gpus": asked.world_size}
    own = [error for error in rules.facts(asked, trained) if "micro-batch" not in error and "micro batch" not in error]
    return errors + own + list(generation(args, known))


if __name__ == "__main__":
    protocol.serve(check)
