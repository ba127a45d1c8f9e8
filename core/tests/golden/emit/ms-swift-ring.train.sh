# Full fine-tuning of Qwen3 8B on 16 × NVIDIA H100 SXM5 80GB: 128 sequences of 4,096 tokens a step
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1

: "${MASTER_ADDR:?address of the first node}" "${NODE_RANK:?0 on the first node, 1 on the other}"  # run it on each of the 2 nodes, with MASTER_ADDR the first one's address and NODE_RANK its own number, from 0 to 1

args=(
  # Model
  --model Qwen/Qwen3-8B  # the model on Hugging Face, or a folder with it
  --use_hf true  # names are Hugging Face's; left out, they are ModelScope's
  --torch_dtype bfloat16  # precision of your question; products and weights
  --attn_impl flash_attention_2  # scores never reach memory; needs flash-attn

  # Data
  --dataset "$HOME/data/train.jsonl"  # change this to your data: messages in each line
  --max_length 4096  # tokens, from your question
  --padding_free true  # its ring attention takes sequences side by side
  --output_dir "$HOME/output/shardwise"  # change this to your folder

  # Batch and optimizer
  --per_device_train_batch_size 1  # sequences of one forward pass on one GPU
  --gradient_accumulation_steps 128  # 128 passes make a batch of 128
  --learning_rate 1.0e-5  # a start; yours to tune
  --adam_beta2 0.95  # usual for language models
  --weight_decay 0.0  # yours to tune
  --max_grad_norm 1.0  # gradients are clipped
  --num_train_epochs 1  # passes over your data; yours to choose
  --logging_steps 10  # steps between lines of the log
  --save_steps 500  # steps between checkpoints

  # Layout: 16 GPUs = CP 2 × Ulysses 8
  --deepspeed ds_config.json  # the other file
  --sequence_parallel_size 16  # GPUs that split each sequence: 8 by heads, as key and value heads allow, 2 in a ring
  --gradient_checkpointing true  # each layer again from its input: far fewer activations
  --use_liger_kernel false  # its loss would have no logits; the plan has them

  # What trains
  --tuner_type full  # all weights train
)
CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 NNODES=2 NODE_RANK="$NODE_RANK" MASTER_ADDR="$MASTER_ADDR" MASTER_PORT=29500 NPROC_PER_NODE=8 swift sft "${args[@]}"
