# Pre-training of DeepSeek-V2-Lite 16B on 8 × NVIDIA H100 SXM5 80GB: 128 sequences of 4,096 tokens a step
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: torchtitan recomputes by operation: all but attention and every second matrix product. The estimate keeps more, and recomputes less.
# Start on each node: torchrun --nnodes 1 --nproc-per-node 8 -m torchtitan.train --module torchtitan_config --config pretrain

from torchtitan.components.checkpoint import CheckpointManager
from torchtitan.components.loss import CrossEntropyLoss
from torchtitan.components.optimizer import LRSchedulersContainer, default_adamw
from torchtitan.config import CompileConfig, ParallelismConfig, TrainingConfig
from torchtitan.distributed.activation_checkpoint import SelectiveAC
from torchtitan.hf_datasets.text_datasets import HuggingFaceTextDataLoader
from torchtitan.models.deepseek_v3 import model_registry
from torchtitan.trainer import Trainer

def pretrain() -> Trainer.Config:
    model_spec = model_registry(
        # Model
        flavor="16B",  # this size of a model that torchtitan carries
        attn_backend="flex",  # PyTorch's flex attention: joined documents stay apart
    )

    training = TrainingConfig(
        # Batch
        seq_len=4096,  # tokens, from your question
        global_batch_size=128,  # sequences of a step, from your question
        local_batch_size=32,  # all 32 sequences of a rank pass the pipeline together
        # Memory
        enable_cpu_offload=False,  # weights, gradients and optimizer stay on the GPUs
        disable_cuda_graphs=True,  # kernels are launched one by one, as estimated
        # Precision
        dtype="float32",  # weights, gradients and optimizer states
        mixed_precision_param="bfloat16",  # what the products read
        mixed_precision_reduce="float32",  # gradients are summed so: torchtitan knows no other
        # Run
        steps=19074,  # 524,288 tokens a step, from your question
        max_norm=1.0,  # gradients are clipped
    )

    parallelism = ParallelismConfig(
        # Layout: 8 GPUs = PP 2 × DP 4, experts EP 4
        data_parallel_replicate_degree=1,  # copies of the sharded model
        data_parallel_shard_degree=4,  # ranks that shard the weights, beside context parallelism
        tensor_parallel_degree=1,  # GPUs that split each matrix
        context_parallel_degree=1,  # GPUs that split each sequence
        pipeline_parallel_degree=2,  # stages of layers
        fsdp_reshard_after_forward="always",  # weights are gathered again for the backward pass
        pipeline_parallel_microbatch_size=2,  # sequences that one stage takes at a time
        pipeline_parallel_schedule="Interleaved1F1B",  # each rank holds several chunks
        pipeline_parallel_first_stage_less_layers=0,  # as many layers as the others, as estimated
        pipeline_parallel_last_stage_less_layers=0,  # as many layers as the others, as estimated
        pipeline_parallel_layers_per_stage=7,  # 4 chunks of layers, 2 on each rank
        expert_parallel_degree=4,  # GPUs that share the experts
        expert_parallel_comm_backend="deepep",  # tokens travel to their experts
    )

    compile_config = CompileConfig(
        # Kernels
        enable=True,  # fuses what lies between the products
        components=["model", "loss"],  # the loss too: no fp32 copy of the logits
    )

    return Trainer.Config(
        # Run
        model_spec=model_spec,  # as above
        hf_assets_path="./assets/hf/DeepSeek-V2-Lite",  # the tokenizer, as scripts/download_hf_assets.py leaves it
        dataloader=HuggingFaceTextDataLoader.Config(dataset="c4"),  # change this to your data: torchtitan/hf_datasets registers it
        training=training,  # as above
        parallelism=parallelism,  # as above
        compile=compile_config,  # as above
        activation_checkpoint=SelectiveAC.Config(),  # keeps what takes long to compute, operation by operation
        loss=CrossEntropyLoss.Config(global_vocab_size=102400),  # of all logits at once, as the plan says
        optimizer=default_adamw(lr=3e-4),  # two moments; the rate is a start, yours to tune
        lr_scheduler=LRSchedulersContainer.Config(warmup_steps=2000),  # steps until the whole rate
        checkpoint=CheckpointManager.Config(enable=True, interval=500),  # into ./outputs/checkpoint, every 500 steps
    )
