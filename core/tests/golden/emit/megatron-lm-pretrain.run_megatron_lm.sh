# Pre-training of Qwen3 30B A3B on 8 × NVIDIA H100 SXM5 80GB: 128 sequences of 4,096 tokens a step
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: these arguments build a model of this size. Rotary base and scaling, norm epsilon, activation, scaled embeddings and how the router scores are not in Shardwise's data: compare them with the model's config.json before you load its weights.

export CUDA_DEVICE_MAX_CONNECTIONS=1  # Megatron orders communication and computation by it

args=(
  # Batch
  --seq-length 4096  # tokens, from your question
  --micro-batch-size 1  # sequences of one forward pass
  --global-batch-size 128  # 64 passes on each of 2 ranks

  # Model: Qwen3 30B A3B
  --num-layers 48  # the model's
  --hidden-size 2048  # the model's
  --ffn-hidden-size 6144  # width of the dense MLP
  --num-attention-heads 32  # the model's
  --group-query-attention  # query heads share keys and values
  --num-query-groups 4  # heads of keys and values
  --kv-channels 128  # width of a head
  --padded-vocab-size 151936  # rows of the embedding, a multiple of TP
  --max-position-embeddings 40960  # the model's
  --position-embedding-type rope  # the model's
  --normalization RMSNorm  # the model's
  --qk-layernorm  # queries and keys are normed
  --swiglu  # the MLP has a gate
  --untie-embeddings-and-output-weights  # the LM head has weights of its own
  --disable-bias-linear  # no biases
  --attention-dropout 0.0  # Megatron-LM's default is 0.1
  --hidden-dropout 0.0  # Megatron-LM's default is 0.1

  # Experts
  --num-experts 128  # the model's
  --moe-router-topk 8  # experts of a token
  --moe-ffn-hidden-size 768  # width of an expert
  --moe-router-load-balancing-type aux_loss  # keeps experts evenly busy
  --moe-aux-loss-coeff 1e-3  # a start; yours to tune
  --moe-token-dispatcher-type alltoall  # tokens travel to their experts
  --moe-grouped-gemm  # one product for all experts of a GPU
  --moe-permute-fusion  # one kernel sorts the tokens by expert

  # Layout: 8 GPUs = TP 2 × PP 2 × DP 2, experts EP 4
  --tensor-model-parallel-size 2  # 2 GPUs of one NVLink domain split each matrix; divides 32 heads
  --pipeline-model-parallel-size 2  # 24 of 48 layers per stage
  --num-virtual-stages-per-pipeline-rank 4  # chunks per stage: the bubble shrinks 4 times
  --context-parallel-size 1  # no sequence is split
  --expert-model-parallel-size 4  # 32 of 128 experts on each GPU of a group
  --expert-tensor-parallel-size 1  # experts stay whole: EP before ETP
  --sequence-parallel  # norms are split over TP too
  --use-distributed-optimizer  # shards optimizer states over DP
  --overlap-grad-reduce  # gradients are reduced beside the backward pass
  --overlap-param-gather  # parameters are gathered beside the forward pass

  # Memory
  --recompute-granularity selective  # less to compute again than whole layers
  --recompute-modules moe_act layernorm  # large in memory, quick to compute again

  # Precision
  --bf16  # weights and activations
  --accumulate-allreduce-grads-in-fp32  # gradients take 4 bytes

  # Kernels
  --attention-backend auto  # the fastest that is there: cuDNN's or FlashAttention
  --cross-entropy-loss-fusion  # the gradient takes the logits' place
  --cross-entropy-fusion-impl native  # Megatron's own; Transformer Engine's is known to be unstable

  # Run
  --train-iters 1000  # steps; yours to choose
  --lr 3e-4  # a start; yours to tune
  --min-lr 3e-5  # where the decay ends
  --lr-decay-style cosine  # usual for language models
  --lr-warmup-fraction 0.01  # of the steps
  --weight-decay 0.1  # usual for language models
  --clip-grad 1.0  # Megatron-LM's own
  --adam-beta2 0.95  # usual for language models
  --tokenizer-type HuggingFaceTokenizer  # the model's own
  --tokenizer-model Qwen/Qwen3-30B-A3B  # the model on Hugging Face, or a folder with it
  --data-path "$HOME/data/train_text_document"  # change this to your data, as tools/preprocess_data.py writes it
  --split 99,1,0  # training, validation, test
  --no-create-attention-mask-in-dataloader  # causal kernels need no mask of tokens × tokens
  --save "$HOME/checkpoints/shardwise"  # change this to your folder
  --save-interval 500  # 500 steps
  --log-interval 10  # steps
  --log-throughput  # to compare with the estimate
)
# From the root of Megatron-LM's checkout, tag core_v0.19.2.
torchrun --standalone --nnodes=1 --nproc-per-node=8 pretrain_gpt.py "${args[@]}"
