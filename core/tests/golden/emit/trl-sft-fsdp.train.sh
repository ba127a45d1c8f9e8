# Full fine-tuning of Qwen3 8B on 8 × NVIDIA H100 SXM5 80GB: 128 sequences of 4,096 tokens a step
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: TRL computes the loss without the logits; the plan holds them, so there is more room than estimated.
# Warning: the estimate has FlashAttention-3's speed, and this text does not ask for it. Set attention_kernel to flash3 where it is installed, or to flash2 for that one's figures.

args=(
  # Batch
  --per_device_train_batch_size 2  # sequences of one forward pass on one GPU
  --gradient_accumulation_steps 8  # 8 passes make a batch of 128
  --accelerator_config '{"gradient_accumulation_kwargs": {"sync_each_batch": true}}'  # gradients of each pass are reduced, not kept whole until the last: slower over slow links, far less memory
  --max_length 4096  # tokens, from your question

  # Model
  --model_name_or_path Qwen/Qwen3-8B  # the model on Hugging Face, or a folder with it
  --bf16 True  # precision of your question
  --dtype float32  # FSDP's shards are the master weights; products read 16 bits
  --attn_implementation flash_attention_2  # scores never reach memory
  --gradient_checkpointing False  # FSDP recomputes, by accelerate_config.yaml; both at once are refused

  # Run
  --learning_rate 1e-5  # a start; yours to tune
  --optim adamw_torch_fused  # two moments of 4 bytes each
  --num_train_epochs 1  # passes over your data; yours to choose
  --report_to none  # no account is needed
  --dataset_name "$HOME/data/train"  # change this to your data
  --output_dir "$HOME/output/shardwise"  # change this to your folder
)
accelerate launch --config_file accelerate_config.yaml -m trl.scripts.sft "${args[@]}"
