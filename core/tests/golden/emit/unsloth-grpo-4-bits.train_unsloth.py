# GRPO of Qwen3 4B with LoRA of rank 32 on 1 × NVIDIA H100 SXM5 80GB: 16 prompts × 16 responses, 1,024 + 3,072 tokens
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: TRL cuts no prompts: drop those of more than 1,024 tokens from your data.
# Warning: vLLM has bitsandbytes' products apart since 0.28: pip install vllm-bnb-plugin.
# Start on each node: python train_unsloth.py

import os
os.environ["UNSLOTH_VLLM_STANDBY"] = "1"  # the engine gives its cache back while training
os.environ["UNSLOTH_VLLM_STANDBY_UTIL_OVERRIDE"] = "1"  # and takes the share below, in place of one by the card's size
from unsloth import FastLanguageModel  # first: it changes what is imported after it
import torch
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer
from trl.rewards import accuracy_reward  # a rule: compares with the column solution, by math-verify; change this to yours

model, tokenizer = FastLanguageModel.from_pretrained(
    # Model
    model_name="Qwen/Qwen3-4B",  # the model on Hugging Face, or a folder with it
    max_seq_length=4096,  # prompt and response
    dtype=torch.bfloat16,  # precision of your question
    load_in_4bit=True,  # the base model in 4 bits
    use_exact_model_name=True,  # every matrix in 4 bits, as estimated; Unsloth's own copies keep some in 16
    full_finetuning=False,  # trains adapters alone
    # Generation: 1 engine
    fast_inference=True,  # generates with vLLM, whose weights are the base below: the card holds it once
    gpu_memory_utilization=0.60,  # share of the card that the engine takes
    max_lora_rank=32,  # adapters that the engine reads, as they are trained
    max_num_seqs=255,  # sequences decoded together; 256 would leave them to Unsloth
    max_num_batched_tokens=8192,  # tokens of one engine step, from the plan
)

model = FastLanguageModel.get_peft_model(
    # Adapters
    model=model,  # the base, loaded above
    r=32,  # from your question
    lora_alpha=64,  # twice the rank, a usual choice
    target_modules="all-linear",  # from your question
    use_gradient_checkpointing=True,  # each layer again from its input: far fewer activations
)

args = GRPOConfig(
    # Batch: everything counts sequences
    per_device_train_batch_size=4,  # sequences of one forward pass on one GPU
    gradient_accumulation_steps=64,  # 64 passes make a batch of 256
    steps_per_generation=64,  # passes that one generation feeds: 16 prompts × 16 responses, 1 update a step
    num_generations=16,  # responses per prompt, from your question
    num_iterations=1,  # 1 pass over the samples
    max_completion_length=3072,  # tokens of a response, from your question
    # Algorithm
    loss_type="grpo",  # every response counts alike
    beta=0.001,  # keeps the policy near the reference; yours to tune
    vllm_importance_sampling_correction=True,  # corrects for the engine's rounding, with one more pass for log-probabilities
    mask_truncated_completions=False,  # responses that are cut train too, as estimated
    # Run
    bf16=True,  # precision of your question
    learning_rate=1e-5,  # a start; yours to tune
    optim="adamw_torch_fused",  # two moments of 4 bytes each
    max_steps=100,  # 1 update in each of 100 steps, assumed, as in the estimate: your question states none; yours to choose
    report_to="none",  # no account is needed
    output_dir="./output/shardwise",  # change this to your folder
)

dataset = load_dataset("json", data_files="./data/train.jsonl", split="train")  # change this to your data
trainer = GRPOTrainer(model=model, processing_class=tokenizer, reward_funcs=[accuracy_reward], args=args, train_dataset=dataset)
trainer.train()
