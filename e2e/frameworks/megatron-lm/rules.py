"""What no part of Megatron-LM core_v0.19.2 that runs here asserts of an emitted text: values that it would pass over, and what a run asserts.

`validate_args` itself comes from megatron-core's wheel.
"""


def must(holds, message):
    if not holds:
        raise AssertionError(message)


def unsaid(args):
    """What `validate_args` sets back or leaves without a word, or asserts without one."""
    model = args.tensor_model_parallel_size * args.pipeline_model_parallel_size * args.context_parallel_size
    must(model > 0, f"world size ({args.world_size}) is not divisible by total_model_size ({model})")
    must(not (args.fp16 and args.bf16), "--fp16 and --bf16 are both stated")
    must(not (args.bf16 and args.grad_reduce_in_bf16 and args.accumulate_allreduce_grads_in_fp32), "--grad-reduce-in-bf16 undoes --accumulate-allreduce-grads-in-fp32")
    must(args.bf16 or not args.grad_reduce_in_bf16, "--grad-reduce-in-bf16 is read with --bf16 alone")
    must(args.train_iters or args.train_samples, "neither --train-iters nor --train-samples: nothing is trained")
    must(args.lr is None or args.min_lr <= args.lr, "--min-lr is above --lr")
    must(args.save is None or args.save_interval, "--save needs --save-interval")
    must(not (args.add_bias_linear and args.add_qkv_bias), "--add-qkv-bias says nothing where every layer has biases")
    must(args.spec is not None or args.attention_backend.name != "local", "--attention-backend local is only supported with --spec local")


def facts(args, known):
    """What the run asserts: process groups, micro-batches, patterns; and whether the text is of the model that was asked for."""
    errors = []

    def require(holds, message):
        if not holds:
            errors.append(message)

    tp, pp, cp = args.tensor_model_parallel_size, args.pipeline_model_parallel_size, args.context_parallel_size
    groups = args.expert_tensor_parallel_size * args.expert_model_parallel_size * pp
    require(args.world_size == known["gpus"], f"{args.world_size} processes for {known['gpus']} GPUs")
    require(args.world_size % groups == 0, f"world size {args.world_size} % (ETP * EP * PP = {groups}) != 0 [megatron/core/parallel_state.py]")
    step = args.micro_batch_size * args.data_parallel_size
    require(args.global_batch_size % step == 0, f"global batch size ({args.global_batch_size}) is not divisible by micro batch size times data parallel size ({step}) [megatron/core/num_microbatches_calculator.py]")
    passes = args.global_batch_size // step
    require(args.virtual_pipeline_model_parallel_size is None or passes % pp == 0, f"{passes} micro-batches % PP {pp} != 0 [megatron/core/pipeline_parallel/schedules.py]")
    require(not args.sequence_parallel or args.seq_length % (tp * cp) == 0, f"sequence {args.seq_length} % (TP {tp} * CP {cp}) != 0 [megatron/core/tensor_parallel/mappings.py]")
    require(args.padded_vocab_size is None or args.padded_vocab_size % tp == 0, f"vocabulary {args.padded_vocab_size} % TP {tp} != 0 [megatron/core/tensor_parallel/layers.py]")
    require(args.num_experts is None or tp == 1 or args.sequence_parallel, "experts under tensor parallelism need sequence parallelism [megatron/core/transformer/moe/moe_layer.py]")
    chunks = pp * (args.virtual_pipeline_model_parallel_size or 1)
    require(args.virtual_pipeline_model_parallel_size is None or args.num_layers % chunks == 0, f"{args.num_layers} layers % {chunks} chunks != 0 [megatron/core/transformer/transformer_block.py get_num_layers_to_build]")
    freq = args.moe_layer_freq
    require(not isinstance(freq, list) or len(freq) == args.num_layers, f"{freq!r} is no pattern of {args.num_layers} layers [megatron/core/models/gpt/gpt_layer_specs.py]")
    require(args.lr is not None, "--lr must be stated")
    require(args.tokenizer_model is not None and args.data_path, "no tokenizer or no data")
    require(args.num_layers == known["layers"] and args.num_attention_heads == known["heads"], "another model's layers or heads")
    mla = args.multi_latent_attention
    require(mla or (args.num_query_groups if args.group_query_attention else args.num_attention_heads) == known["kv_heads"], "another model's key and value heads")
    require((args.num_experts or 0) == known["experts"], "another model's experts")
    require(not args.finetune or args.load, "--finetune needs --load")
    return errors
