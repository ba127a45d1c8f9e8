# QLoRA (rank 32) of Qwen3 8B on 1 × NVIDIA H100 SXM5 80GB: 16 sequences of 4,096 tokens a step
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Start on each node: python train_unsloth.py

from unsloth import FastLanguageModel  # first: it changes what is imported after it
import torch
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

model, tokenizer = FastLanguageModel.from_pretrained(
    # Model
    model_name="Qwen/Qwen3-8B",  # the model on Hugging Face, or a folder with it
    max_seq_length=4096,  # tokens, from your question; what is longer is cut
    dtype=torch.bfloat16,  # precision of your question
    load_in_4bit=True,  # the base model in 4 bits
    use_exact_model_name=True,  # every matrix in 4 bits, as estimated; Unsloth's own copies keep some in 16
    full_finetuning=False,  # trains adapters alone
)

model = FastLanguageModel.get_peft_model(
    # Adapters
    model=model,  # the base, loaded above
    r=32,  # from your question
    lora_alpha=64,  # twice the rank, a usual choice
    target_modules="all-linear",  # from your question
    use_gradient_checkpointing="unsloth",  # each layer again from its input, which waits in host memory
)

args = SFTConfig(
    # Batch
    per_device_train_batch_size=2,  # sequences of one forward pass on one GPU
    gradient_accumulation_steps=8,  # 8 passes make a batch of 16
    padding_free=False,  # each sequence is padded to the longest of a pass
    # Run
    bf16=True,  # precision of your question
    learning_rate=1e-4,  # a start; yours to tune
    optim="adamw_8bit",  # two moments of one byte each
    num_train_epochs=1,  # passes over your data; yours to choose
    report_to="none",  # no account is needed
    output_dir="./output/shardwise",  # change this to your folder
)

dataset = load_dataset("json", data_files="./data/train.jsonl", split="train")  # change this to your data
trainer = SFTTrainer(model=model, processing_class=tokenizer, args=args, train_dataset=dataset)
trainer.train()
