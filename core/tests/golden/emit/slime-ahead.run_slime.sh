# DAPO of Qwen3 8B on 16 × NVIDIA H100 SXM5 80GB: 512 prompts × 16 responses, 1,024 + 3,072 tokens, generation one step ahead
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1

source scripts/models/qwen3-8B.sh  # MODEL_ARGS: slime's own arguments of this model

args=(
  # Cluster
  --actor-num-nodes 1  # nodes that train
  --actor-num-gpus-per-node 8  # GPUs of each
  --rollout-num-gpus 8  # GPUs beside them that generate
  --num-gpus-per-node 8  # of a whole node

  # Checkpoints
  --hf-checkpoint Qwen/Qwen3-8B  # the model on Hugging Face, or a folder with it
  --ref-load "$HOME/checkpoints/torch_dist"  # change this to the same weights, as tools/convert_hf_to_torch_dist.py writes them
  --load "$HOME/checkpoints/shardwise"  # where it goes on, once it has begun
  --save "$HOME/checkpoints/shardwise"  # change this to your folder
  --save-interval 20  # 20 steps

  # Batch
  --rollout-batch-size 512  # prompts of a step; 8,192 sequences in all
  --over-sampling-batch-size 768  # prompts sampled at a time, from your question
  --n-samples-per-prompt 16  # responses per prompt, from your question
  --global-batch-size 2048  # sequences, not prompts; 4 updates a step
  --rollout-max-prompt-len 1024  # tokens; longer prompts are left out
  --rollout-max-response-len 3072  # tokens of a response, from your question
  --balance-data  # ranks get as much work each

  # Data and rewards
  --prompt-data "$HOME/data/train.jsonl"  # change this to your data
  --input-key prompt  # the key with the prompt
  --label-key label  # the key that the rule scores against
  --apply-chat-template  # the model's own
  --rollout-shuffle  # another order in each pass
  --rm-type deepscaler  # a rule for mathematics; change this to yours
  --rollout-temperature 1  # as the policy is
  --num-rollout 100  # steps, assumed, as in the estimate: your question states none; yours to choose

  # Layout: 8 GPUs = DP 8
  --tensor-model-parallel-size 1  # no matrix is split
  --pipeline-model-parallel-size 1  # no pipeline, no bubble
  --context-parallel-size 1  # no sequence is split
  --use-distributed-optimizer  # shards optimizer states over DP
  --overlap-grad-reduce  # gradients are reduced beside the backward pass
  --overlap-param-gather  # parameters are gathered beside the forward pass

  # Memory
  --recompute-granularity full  # each layer again from its input: least memory
  --recompute-method uniform  # every layer alike
  --recompute-num-layers 1  # one layer at a time

  # What one forward pass takes on one GPU
  --use-dynamic-batch-size  # packs short sequences together up to a budget
  --max-tokens-per-gpu 16384  # tokens, from the plan
  --log-probs-max-tokens-per-gpu 32768  # forward only: twice the actor's

  # Kernels and precision
  --attention-backend auto  # the fastest that is there: cuDNN's or FlashAttention
  --accumulate-allreduce-grads-in-fp32  # gradients take 4 bytes
  --attention-dropout 0.0  # Megatron-LM's default is 0.1
  --hidden-dropout 0.0  # Megatron-LM's default is 0.1

  # Generation: 4 engines
  --rollout-num-gpus-per-engine 2  # 2 GPUs hold the weights and their cache
  --sglang-mem-fraction-static 0.60  # share of the card that an engine takes
  --sglang-max-running-requests 256  # 256 sequences at a time on one engine

  # Algorithm
  --advantage-estimator grpo  # advantages from the responses of one prompt, no critic
  --eps-clip 0.2  # DAPO clips higher above, to keep exploring
  --eps-clip-high 0.28  # DAPO clips higher above, to keep exploring
  --eps-clip-c 10.0  # DAPO's bound of the dual clip
  --calculate-per-token-loss  # every token counts alike
  --dynamic-sampling-filter-path slime.rollout.filter_hub.dynamic_sampling_filters.check_reward_nonzero_std  # drops prompts whose responses all score alike; the estimate generates 2.30 for each that stays

  # Optimizer
  --optimizer adam  # as the plan has it
  --lr 1e-6  # a start; yours to tune
  --lr-decay-style constant  # usual for reinforcement learning
  --weight-decay 0.1  # usual for language models
  --adam-beta1 0.9  # usual for language models
  --adam-beta2 0.98  # slime's own scripts'
)
# Start Ray first: ray start --head on one node, ray start --address on the others.
# From the root of slime's checkout; PYTHONPATH is the folder of its Megatron-LM.
ray job submit --address="http://127.0.0.1:8265" \
  --runtime-env-json="{\"env_vars\": {\"PYTHONPATH\": \"$HOME/Megatron-LM\", \"CUDA_DEVICE_MAX_CONNECTIONS\": \"1\"}}" \
  -- python3 train_async.py "${MODEL_ARGS[@]}" "${args[@]}"
