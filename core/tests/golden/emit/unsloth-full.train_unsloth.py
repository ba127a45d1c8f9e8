# Full fine-tuning of Qwen3 1.7B on 16 × NVIDIA H100 SXM5 80GB: 128 sequences of 4,096 tokens a step
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: Unsloth computes the loss without the logits; the plan holds them, so there is more room than estimated.
# Before: export MASTER_ADDR as the address of the first node, and NODE_RANK as 0 on it and 1 on the other.
# Start on each node: torchrun --nnodes=2 --nproc-per-node=8 --node-rank="$NODE_RANK" --master-addr="$MASTER_ADDR" --master-port=29500 train_unsloth.py

from unsloth import FastLanguageModel  # first: it changes what is imported after it
import torch
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

model, tokenizer = FastLanguageModel.from_pretrained(
    # Model
    model_name="Qwen/Qwen3-1.7B",  # the model on Hugging Face, or a folder with it
    max_seq_length=4096,  # tokens, from your question; what is longer is cut
    dtype=torch.bfloat16,  # precision of your question
    load_in_4bit=False,  # weights that are trained have 16 bits or more
    full_finetuning=True,  # trains every weight
    float32_mixed_precision=False,  # weights, gradients and moments in 16 bits, as the plan says
    use_gradient_checkpointing=False,  # off: the activations fit
)

args = SFTConfig(
    # Batch
    per_device_train_batch_size=2,  # sequences of one forward pass on one GPU
    gradient_accumulation_steps=4,  # 4 passes make a batch of 128
    padding_free=False,  # each sequence is padded to the longest of a pass
    # Run
    bf16=True,  # precision of your question
    learning_rate=1e-5,  # a start; yours to tune
    optim="adamw_torch_fused",  # two moments of 2 bytes each, as the weights
    num_train_epochs=1,  # passes over your data; yours to choose
    report_to="none",  # no account is needed
    output_dir="./output/shardwise",  # change this to your folder
)

dataset = load_dataset("json", data_files="./data/train.jsonl", split="train")  # change this to your data
trainer = SFTTrainer(model=model, processing_class=tokenizer, args=args, train_dataset=dataset)
trainer.train()
