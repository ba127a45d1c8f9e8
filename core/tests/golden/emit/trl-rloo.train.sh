# RLOO of Qwen3 8B on 8 × NVIDIA H100 SXM5 80GB: 512 prompts × 16 responses, 1,024 + 3,072 tokens
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: TRL computes the loss without the logits; the plan holds them, so there is more room than estimated.
# Warning: TRL cuts no prompts: drop those of more than 1,024 tokens from your data.
# Warning: TRL's engines decode all their 2,048 sequences together, 4,096 tokens a step; the estimate has 256 and 8,192.

args=(
  # Batch: everything counts sequences
  --per_device_train_batch_size 2  # sequences of one forward pass on one GPU
  --gradient_accumulation_steps 128  # 128 passes make a batch of 2,048
  --steps_per_generation 512  # passes that one generation feeds: 512 prompts × 16 responses, 4 updates a step
  --num_generations 16  # responses per prompt, from your question
  --num_iterations 1  # 1 pass over the samples
  --max_completion_length 3072  # tokens of a response, from your question

  # Model
  --model_name_or_path Qwen/Qwen3-8B  # the model on Hugging Face, or a folder with it
  --bf16 True  # precision of your question
  --dtype bfloat16  # DeepSpeed keeps master weights of its own
  --attn_implementation flash_attention_2  # scores never reach memory
  --gradient_checkpointing True  # each layer again from its input: far fewer activations

  # Generation: 4 engines
  --use_vllm True  # generates with vLLM
  --vllm_mode colocate  # on the GPUs that train
  --vllm_tensor_parallel_size 2  # 2 GPUs hold the weights and their cache
  --vllm_gpu_memory_utilization 0.60  # share of the card that the engine takes
  --vllm_max_model_length 4096  # prompt and response
  --vllm_enable_sleep_mode True  # gives weights and cache back while training

  # Algorithm
  --beta 0.001  # keeps the policy near the reference; yours to tune
  --reward_funcs accuracy_reward  # a rule: compares with the column solution, by math-verify; change this to yours

  # Run
  --learning_rate 1e-6  # a start; yours to tune
  --optim adamw_torch_fused  # two moments of 4 bytes each
  --max_steps 400  # 4 updates in each of 100 steps, assumed, as in the estimate: your question states none; yours to choose
  --report_to none  # no account is needed
  --dataset_name "$HOME/data/train"  # change this to your data
  --output_dir "$HOME/output/shardwise"  # change this to your folder
)
accelerate launch --config_file accelerate_config.yaml -m trl.scripts.rloo "${args[@]}"
