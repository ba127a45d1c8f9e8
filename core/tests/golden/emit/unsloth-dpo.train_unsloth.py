# IPO of Llama 3.1 8B with LoRA of rank 16 on 1 × NVIDIA H100 SXM5 80GB: 32 pairs of 4,096 tokens a step, fp16
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Start on each node: python train_unsloth.py

from unsloth import FastLanguageModel  # first: it changes what is imported after it
import torch
from datasets import load_dataset
from trl import DPOConfig, DPOTrainer

model, tokenizer = FastLanguageModel.from_pretrained(
    # Model
    model_name="meta-llama/Llama-3.1-8B",  # the model on Hugging Face, or a folder with it
    max_seq_length=4096,  # tokens, from your question; what is longer is cut
    dtype=torch.float16,  # precision of your question
    load_in_4bit=True,  # the base model in 4 bits
    use_exact_model_name=True,  # every matrix in 4 bits, as estimated; Unsloth's own copies keep some in 16
    full_finetuning=False,  # trains adapters alone
)

model = FastLanguageModel.get_peft_model(
    # Adapters
    model=model,  # the base, loaded above
    r=16,  # from your question
    lora_alpha=32,  # twice the rank, a usual choice
    target_modules="all-linear",  # from your question
    use_gradient_checkpointing=True,  # each layer again from its input: far fewer activations
)

args = DPOConfig(
    # Batch
    per_device_train_batch_size=1,  # pairs of one forward pass on one GPU: twice as many sequences
    gradient_accumulation_steps=32,  # 32 passes make a batch of 32
    max_length=4096,  # tokens of prompt and response, from your question
    # Loss
    loss_type="ipo",  # a squared loss, from your question
    beta=0.1,  # how strongly the policy is held to the reference; yours to tune
    precompute_ref_log_probs=True,  # the reference is evaluated once, before training
    # Run
    fp16=True,  # precision of your question
    learning_rate=1e-5,  # a start; yours to tune
    optim="adamw_torch_fused",  # two moments of 4 bytes each
    num_train_epochs=1,  # passes over your data; yours to choose
    report_to="none",  # no account is needed
    output_dir="./output/shardwise",  # change this to your folder
)

dataset = load_dataset("json", data_files="./data/train.jsonl", split="train")  # change this to your data
trainer = DPOTrainer(model=model, processing_class=tokenizer, args=args, train_dataset=dataset)
trainer.train()
