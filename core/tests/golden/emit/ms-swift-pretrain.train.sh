# Pre-training of Qwen3 0.6B on 8 × NVIDIA H100 SXM5 80GB: 128 sequences of 4,096 tokens a step
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: ms-swift goes on from the checkpoint's weights; it starts none at random.

args=(
  # Model
  --model Qwen/Qwen3-0.6B  # the model on Hugging Face, or a folder with it
  --use_hf true  # names are Hugging Face's; left out, they are ModelScope's
  --torch_dtype float32  # master weights; products read 16 bits
  --bf16 true  # precision of your question
  --fp16 false  # left out, weights in fp32 train in it
  --attn_impl flash_attention_2  # scores never reach memory; needs flash-attn

  # Data
  --dataset "$HOME/data/train.jsonl"  # change this to your data: messages in each line, a document as the assistant's
  --max_length 4096  # tokens, from your question
  --truncation_strategy split  # longer documents become several sequences
  --packing true  # documents fill each sequence
  --output_dir "$HOME/output/shardwise"  # change this to your folder

  # Batch and optimizer
  --per_device_train_batch_size 1  # sequences of one forward pass on one GPU
  --gradient_accumulation_steps 16  # 16 passes make a batch of 128
  --learning_rate 3.0e-4  # a start; yours to tune
  --adam_beta2 0.95  # usual for language models
  --weight_decay 0.0  # yours to tune
  --max_grad_norm 1.0  # gradients are clipped
  --optim adamw_torch_fused  # two moments of 4 bytes each
  --num_train_epochs 1  # passes over your data; yours to choose
  --logging_steps 10  # steps between lines of the log
  --save_steps 500  # steps between checkpoints

  # Layout: 8 GPUs = DP 8
  --gradient_checkpointing true  # each layer again from its input: far fewer activations
  --use_liger_kernel false  # its loss would have no logits; the plan has them

  # What trains
  --tuner_type full  # all weights train
)
CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 NPROC_PER_NODE=8 swift pt "${args[@]}"
