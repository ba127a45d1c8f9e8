# LoRA (rank 16) of Qwen3 1.7B on 8 × NVIDIA H100 SXM5 80GB: 64 sequences of 2,048 tokens a step, from Qwen3 8B beside it
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: the estimate counts logits of prompts too; ms-swift keeps those of responses alone, so there is more room.

args=(
  # Model
  --rlhf_type gkd  # a teacher's probabilities, from your question
  --model Qwen/Qwen3-1.7B  # the model on Hugging Face, or a folder with it
  --use_hf true  # names are Hugging Face's; left out, they are ModelScope's
  --torch_dtype bfloat16  # precision of your question; products and weights
  --attn_impl flash_attention_2  # scores never reach memory; needs flash-attn

  # Data
  --dataset "$HOME/data/train.jsonl"  # change this to your data: messages in each line
  --max_length 2048  # tokens, from your question
  --output_dir "$HOME/output/shardwise"  # change this to your folder

  # Batch and optimizer
  --per_device_train_batch_size 2  # sequences of one forward pass on one GPU
  --gradient_accumulation_steps 4  # 4 passes make a batch of 64
  --learning_rate 1.0e-4  # a start; yours to tune
  --adam_beta2 0.95  # usual for language models
  --weight_decay 0.0  # yours to tune
  --max_grad_norm 1.0  # gradients are clipped
  --num_train_epochs 1  # passes over your data; yours to choose
  --logging_steps 10  # steps between lines of the log
  --save_steps 500  # steps between checkpoints

  # Teacher, beside the student
  --teacher_model Qwen/Qwen3-8B  # the model on Hugging Face, or a folder with it
  --lmbda 0.0  # given text alone; above 0 the student writes a share of the batches
  --beta 0.5  # half way between the two divergences, ms-swift's default
  --gkd_logits_topk 20  # the largest of each position, from your question

  # Layout: 8 GPUs = DP 8
  --deepspeed ds_config.json  # the other file
  --gradient_checkpointing true  # each layer again from its input: far fewer activations
  --use_liger_kernel false  # its loss would have no logits; the plan has them

  # Adapters
  --tuner_type lora  # adapters alone train
  --lora_rank 16  # from your question
  --lora_alpha 32  # twice the rank, a usual choice
  --lora_dropout 0.0  # no masks to keep, as estimated; left out, it is 0.05
  --target_modules all-linear  # from your question
)
CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 NPROC_PER_NODE=8 swift rlhf "${args[@]}"
