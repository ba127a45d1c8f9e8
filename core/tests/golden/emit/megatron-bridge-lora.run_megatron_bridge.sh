# LoRA (rank 16) of Llama 3.1 8B on 8 × NVIDIA H100 SXM5 80GB: 128 sequences of 4,096 tokens a step
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1

export CUDA_DEVICE_MAX_CONNECTIONS=1  # Megatron orders communication and computation by it

args=(
  # Batch
  model.seq_length=4096  # tokens, from your question
  dataset.seq_length=4096  # as the model's
  train.micro_batch_size=1  # of one forward pass
  train.global_batch_size=128  # 32 passes on each of 4 ranks

  # Data
  dataset.hf_dataset.dataset_name=squad  # change this to your data on Hugging Face, in SQuAD's form
  dataset.enable_offline_packing=false  # a sample is a sequence, as in your question
  dataset.offline_packing_specs=null  # goes with it
  ++dataset.dataset_kwargs.pad_to_max_length=true  # each to the length that is estimated

  # Adapters
  +peft.dim=16  # from your question
  +peft.alpha=32  # twice the rank, a usual choice
  +peft.target_modules='[linear_qkv,linear_proj,linear_fc1,linear_fc2]'  # from your question

  # Layout: 8 GPUs = TP 2 × DP 4
  model.tensor_model_parallel_size=2  # 2 GPUs of one NVLink domain split each matrix; divides 32 heads
  model.pipeline_model_parallel_size=1  # no pipeline, no bubble
  model.virtual_pipeline_model_parallel_size=null  # one chunk per stage
  model.pipeline_model_parallel_layout=null  # no stages by hand
  model.context_parallel_size=1  # no sequence is split
  model.sequence_parallel=True  # norms are split over TP too
  ddp.use_distributed_optimizer=True  # shards optimizer states over DP
  optimizer.use_distributed_optimizer=True  # shards optimizer states over DP
  comm_overlap=null  # the keys below say what overlaps
  ddp.overlap_grad_reduce=True  # gradients, with the backward pass
  ddp.overlap_param_gather=True  # parameters, with the forward pass
  model.tp_comm_overlap=False  # tensor-parallel traffic, with its products

  # Memory and precision
  model.recompute_granularity=full  # each layer again from its input: least memory
  model.recompute_method=uniform  # every layer alike
  model.recompute_num_layers=1  # one layer at a time
  optimizer.optimizer_cpu_offload=true  # the optimizer steps in host memory
  optimizer.optimizer_offload_fraction=1.0  # all of it
  optimizer.overlap_cpu_optimizer_d2h_h2d=true  # copies run beside the step
  optimizer.use_precision_aware_optimizer=true  # the one that offloads, and keeps narrow states
  optimizer.exp_avg_dtype=torch.float32  # 4 bytes of each weight
  optimizer.exp_avg_sq_dtype=torch.float32  # 4 bytes of each weight
  optimizer.main_params_dtype=torch.float32  # 4 bytes of each weight
  optimizer.main_grads_dtype=torch.float32  # 4 bytes of each weight
  mixed_precision=bf16_mixed  # precision of your question

  # Kernels
  model.cuda_graph_impl=none  # the estimate launches each kernel
  model.cross_entropy_loss_fusion=True  # the gradient takes the logits' place
  model.cross_entropy_fusion_impl=native  # Megatron's own; Transformer Engine's is known to be unstable

  # Run
  train.train_iters=1000  # steps; yours to choose
  scheduler.lr_decay_iters=null  # over all steps
  optimizer.lr=1e-4  # a start; yours to tune
  optimizer.min_lr=0.0  # where the decay ends
  checkpoint.pretrained_checkpoint="$HOME/checkpoints/base"  # change this to the weights that Megatron-Bridge converted
  checkpoint.save="$HOME/checkpoints/shardwise"  # change this to your folder
  checkpoint.load=null  # starts anew
  checkpoint.save_interval=500  # 500 steps
)
# From the root of Megatron-Bridge's checkout, tag v0.6.2.
torchrun --standalone --nnodes=1 --nproc-per-node=8 scripts/training/run_recipe.py --recipe llama31_8b_peft_config "${args[@]}"
