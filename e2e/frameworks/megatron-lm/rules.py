"""What `validate_args` of Megatron-LM core_v0.16.1 asserts and settles, as far as an emitted text can reach it, and what its run asserts.

Source: https://github.com/NVIDIA/Megatron-LM/blob/55ac7082517c3878ae653c07c09c534b8aed49f6/megatron/training/arguments.py:293-1286
"""

import torch
from megatron.core.transformer.enums import AttnBackend

KINDS = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.uint8}


def must(holds, message):
    if not holds:
        raise AssertionError(message)


def validate(args):
    """Asserts, and sets what later parts read, in the order of the source."""
    model = args.tensor_model_parallel_size * args.pipeline_model_parallel_size * args.context_parallel_size
    must(model > 0 and args.world_size % model == 0, f"world size ({args.world_size}) is not divisible by total_model_size ({model})")
    must(args.attention_backend != AttnBackend.local or args.spec, "--attention-backend local is only supported with --spec local")
    args.data_parallel_size = args.world_size // model
    if args.expert_tensor_parallel_size is None:
        args.expert_tensor_parallel_size = args.tensor_model_parallel_size
    for gone in ("batch_size", "warmup", "model_parallel_size"):
        must(getattr(args, gone) is None, f"--{gone.replace('_', '-')} is no longer valid")
    must(not args.checkpoint_activations, "--checkpoint-activations is no longer valid")
    if args.recompute_activations:
        args.recompute_granularity = "selective"
    must(args.micro_batch_size is not None and args.micro_batch_size > 0, "--micro-batch-size must be above 0")
    if args.global_batch_size is None:
        args.global_batch_size = args.micro_batch_size * args.data_parallel_size
    must(args.global_batch_size > 0, "--global-batch-size must be above 0")
    pipeline(args)
    if args.overlap_param_gather:
        must(args.use_distributed_optimizer or args.use_megatron_fsdp, "--overlap-param-gather only supported with distributed optimizer")
        must(args.overlap_grad_reduce, "Must use --overlap-param-gather with --overlap-grad-reduce")
    precision(args)
    run(args)
    shape(args)
    must(args.recompute_granularity != "selective" or args.recompute_method is None, "recompute method is not yet supported for selective recomputing granularity")
    if args.tensor_model_parallel_size == 1:
        args.sequence_parallel = False
    must(not args.tp_comm_overlap or args.sequence_parallel, "Tensor parallel communication/GEMM overlap can happen only when sequence parallelism is enabled")
    must(args.mock_data + bool(args.data_path) <= 1, "A single data source must be provided in training mode")
    must(not args.optimizer_cpu_offload or args.use_precision_aware_optimizer, "The optimizer cpu offload must be used in conjunction with --use-precision-aware-optimizer")
    must(not (args.optimizer_cpu_offload and args.fp8_param_gather) or args.fp8_recipe == "delayed", "optimizer cpu offload with --fp8-param-gather must be used with --fp8-recipe delayed")
    must(not (args.multi_latent_attention and args.group_query_attention), "Group query attention is mutually exclusive with multi latent attention.")


def pipeline(args):
    stated = [args.num_layers_per_virtual_pipeline_stage, args.num_virtual_stages_per_pipeline_rank, args.pipeline_model_parallel_layout]
    must(sum(one is not None for one in stated) <= 1, "No more than one of the arguments of virtual pipeline stages can be set")
    stages, args.virtual_pipeline_model_parallel_size = args.pipeline_model_parallel_size, None
    if args.num_layers_per_virtual_pipeline_stage is not None:
        must(args.num_layers % stages == 0, "number of layers of the model must be divisible pipeline model parallel size")
        must(args.num_layers // stages % args.num_layers_per_virtual_pipeline_stage == 0, "number of layers per pipeline stage must be divisible number of layers per virtual pipeline stage")
        args.virtual_pipeline_model_parallel_size = args.num_layers // stages // args.num_layers_per_virtual_pipeline_stage
    elif args.num_virtual_stages_per_pipeline_rank is not None:
        args.virtual_pipeline_model_parallel_size = args.num_virtual_stages_per_pipeline_rank
    elif args.decoder_first_pipeline_num_layers is None and args.decoder_last_pipeline_num_layers is None and args.num_layers is not None:
        must(args.num_layers % stages == 0, "Number of layers should be divisible by the pipeline-model-parallel size")
    if args.virtual_pipeline_model_parallel_size == 1:
        args.virtual_pipeline_model_parallel_size = None
    if args.virtual_pipeline_model_parallel_size is None:
        args.overlap_p2p_comm = False
    else:
        must(stages > (1 if args.overlap_p2p_comm else 2), "When interleaved schedule is used, pipeline-model-parallel size should be greater than 1")


def precision(args):
    for name in ("main_grads_dtype", "main_params_dtype", "exp_avg_dtype", "exp_avg_sq_dtype"):
        setattr(args, name, KINDS[getattr(args, name)])
    must(not args.fp8_param_gather or args.use_distributed_optimizer, "--fp8-param-gather only supported with distributed optimizer")
    must(not (args.fp4 and args.fp8), "--fp4-format and --fp8-format cannot be used simultaneously")
    must(not (args.fp16 and args.bf16), "--fp16 and --bf16 are both stated")
    args.params_dtype = torch.half if args.fp16 else torch.bfloat16 if args.bf16 else torch.float
    if args.fp16 and not args.loss_scale:
        args.check_for_nan_in_loss_and_grad = False
    if args.bf16:
        must(not args.accumulate_allreduce_grads_in_fp32 or args.main_grads_dtype is torch.float32, "--main-grads-dtype can only be fp32 when --accumulate-allreduce-grads-in-fp32 is set")
        if args.grad_reduce_in_bf16:
            # Else a stated one would be set back without a word.
            must(not args.accumulate_allreduce_grads_in_fp32, "--grad-reduce-in-bf16 undoes --accumulate-allreduce-grads-in-fp32")
        elif args.main_grads_dtype is torch.float32:
            args.accumulate_allreduce_grads_in_fp32 = True
    else:
        must(not args.grad_reduce_in_bf16, "--grad-reduce-in-bf16 is read with --bf16 alone")


def run(args):
    must(not (args.train_iters and args.train_samples), "expected iteration-based training")
    must(args.train_iters or args.train_samples, "neither --train-iters nor --train-samples: nothing is trained")
    if args.train_iters:
        must(args.lr_decay_samples is None and args.lr_warmup_samples == 0 and args.rampup_batch_size is None, "expected iteration-based learning rate")
        must(args.lr_warmup_fraction is None or args.lr_warmup_iters == 0, "can only specify one of lr-warmup-fraction and lr-warmup-iters")
    must(args.lr is None or args.min_lr <= args.lr, "--min-lr is above --lr")
    must(args.save is None or (args.save_interval is not None and args.save_interval > 0), "--save needs --save-interval")


def shape(args):
    for name in ("num_layers", "hidden_size", "num_attention_heads", "max_position_embeddings"):
        must(getattr(args, name) is not None, f"{name} argument is None")
    if args.ffn_hidden_size is None:
        args.ffn_hidden_size = int((4 * args.hidden_size * 2 / 3) / 64) * 64 if args.swiglu else 4 * args.hidden_size
    if args.kv_channels is None:
        must(args.hidden_size % args.num_attention_heads == 0, "hidden size is not divisible by heads")
        args.kv_channels = args.hidden_size // args.num_attention_heads
    cp = args.context_parallel_size
    must(args.seq_length is not None, "--seq-length must be stated")
    must(cp == 1 or args.seq_length % (2 * cp) == 0, "seq-length should be a multiple of 2 * context-parallel-size if context-parallel-size > 1.")
    must(args.max_position_embeddings >= args.seq_length, f"max_position_embeddings ({args.max_position_embeddings}) must be greater than or equal to seq_length ({args.seq_length}).")
    if not args.add_bias_linear:
        args.bias_gelu_fusion = False
    else:
        must(not args.add_qkv_bias, "--add-qkv-bias says nothing where every layer has biases")
        args.add_qkv_bias = True
    if args.position_embedding_type != "rope":
        args.apply_rope_fusion = False
    if args.num_experts == 0:
        args.num_experts = None
    if args.num_experts is not None and args.moe_ffn_hidden_size is None:
        args.moe_ffn_hidden_size = args.ffn_hidden_size
    if args.expert_model_parallel_size > 1:
        must(args.num_experts is not None, "num_experts must be non None to use expert model parallelism")
        must(args.num_experts % args.expert_model_parallel_size == 0, "Number of experts should be a multiple of expert model parallel_size.")
    for name in ("moe_router_load_balancing_type", "moe_aux_loss_coeff"):
        value = getattr(args, name)
        if isinstance(value, list) and len(value) == 1:
            setattr(args, name, value[0])


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
