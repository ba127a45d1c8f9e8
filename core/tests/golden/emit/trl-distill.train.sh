# Distillation of Qwen3 1.7B on 8 × NVIDIA H100 SXM5 80GB: 64 prompts × 1 response, 512 + 1,024 tokens, from Qwen3 8B beside it
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: TRL cuts no prompts: drop those of more than 512 tokens from your data.
# Warning: TRL's engines decode all their 8 sequences together, 4,096 tokens a step; the estimate has 256 and 8,192.

args=(
  # Batch: everything counts sequences
  --per_device_train_batch_size 2  # sequences of one forward pass on one GPU
  --gradient_accumulation_steps 4  # 4 passes make a batch of 64
  --max_completion_length 1024  # tokens of a response, from your question

  # Model
  --model_name_or_path Qwen/Qwen3-1.7B  # the model on Hugging Face, or a folder with it
  --bf16 True  # precision of your question
  --dtype bfloat16  # DeepSpeed keeps master weights of its own
  --attn_implementation flash_attention_2  # scores never reach memory
  --gradient_checkpointing True  # each layer again from its input: far fewer activations

  # Generation: 8 engines
  --use_vllm True  # generates with vLLM
  --vllm_mode colocate  # on the GPUs that train
  --vllm_tensor_parallel_size 1  # each GPU is an engine
  --vllm_gpu_memory_utilization 0.50  # share of the card that the engine takes
  --vllm_max_model_length 1536  # prompt and response
  --vllm_enable_sleep_mode True  # gives weights and cache back while training

  # Teacher, beside the student
  --teacher_model_name_or_path Qwen/Qwen3-8B  # the model on Hugging Face, or a folder with it
  --teacher_model_init_kwargs '{"dtype":"bfloat16"}'  # 16 bits for each of its weights, as estimated
  --beta 1.0  # the reverse divergence, TRL's default; 0.0 is the forward one

  # Run
  --learning_rate 1e-6  # a start; yours to tune
  --optim adamw_torch_fused  # two moments of 4 bytes each
  --max_steps 100  # 1 update in each of 100 steps, assumed, as in the estimate: your question states none; yours to choose
  --report_to none  # no account is needed
  --dataset_name "$HOME/data/train"  # change this to your data
  --output_dir "$HOME/output/shardwise"  # change this to your folder
)
accelerate launch --config_file accelerate_config.yaml -m trl.scripts.distillation "${args[@]}"
