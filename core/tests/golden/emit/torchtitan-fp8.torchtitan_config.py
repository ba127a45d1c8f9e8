# Pre-training of Llama 3.1 8B on 8 × NVIDIA H100 SXM5 80GB: 64 sequences of 8,192 tokens a step, fp8
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Start on each node: torchrun --nnodes 1 --nproc-per-node 8 -m torchtitan.train --module torchtitan_config --config pretrain

from torchtitan.components.checkpoint import CheckpointManager
from torchtitan.components.loss import CrossEntropyLoss
from torchtitan.components.optimizer import LRSchedulersContainer, default_adamw
from torchtitan.components.quantization import Float8LinearConverter
from torchtitan.config import CompileConfig, ParallelismConfig, TrainingConfig
from torchtitan.distributed.activation_checkpoint import FullAC
from torchtitan.hf_datasets.text_datasets import HuggingFaceTextDataLoader
from torchtitan.models.llama3 import model_registry
from torchtitan.trainer import Trainer

def pretrain() -> Trainer.Config:
    model_spec = model_registry(
        # Model
        flavor="8B",  # this size of a model that torchtitan carries
        attn_backend="flex",  # PyTorch's flex attention: joined documents stay apart
        converters=[Float8LinearConverter.Config(filter_fqns=["lm_head", "router.gate"], model_compile_enabled=True)],  # products in 8 bits, from your question; needs torchao
    )

    training = TrainingConfig(
        # Batch
        seq_len=8192,  # tokens, from your question
        global_batch_size=64,  # sequences of a step, from your question
        local_batch_size=1,  # sequences of one forward pass; 32 passes a step
        # Memory
        enable_cpu_offload=True,  # weights, gradients and optimizer live in host memory
        disable_cuda_graphs=True,  # kernels are launched one by one, as estimated
        # Precision
        dtype="float32",  # weights, gradients and optimizer states
        mixed_precision_param="bfloat16",  # what the products read
        mixed_precision_reduce="float32",  # gradients are summed so: torchtitan knows no other
        # Run
        steps=10000,  # yours to choose
        max_norm=1.0,  # gradients are clipped
    )

    parallelism = ParallelismConfig(
        # Layout: 8 GPUs = TP 2 × CP 2 × DP 2
        data_parallel_replicate_degree=2,  # copies of the sharded model
        data_parallel_shard_degree=1,  # ranks that shard the weights, beside context parallelism
        tensor_parallel_degree=2,  # GPUs that split each matrix
        context_parallel_degree=2,  # GPUs that split each sequence
        pipeline_parallel_degree=1,  # stages of layers
        fsdp_reshard_after_forward="always",  # weights are gathered again for the backward pass
        enable_sequence_parallel=True,  # the norms are split by TP too
    )

    compile_config = CompileConfig(
        # Kernels
        enable=True,  # fuses what lies between the products
        components=["model", "loss"],  # the loss too: no fp32 copy of the logits
    )

    return Trainer.Config(
        # Run
        model_spec=model_spec,  # as above
        hf_assets_path="./assets/hf/Llama-3.1-8B",  # the tokenizer, as scripts/download_hf_assets.py leaves it
        dataloader=HuggingFaceTextDataLoader.Config(dataset="c4"),  # change this to your data: torchtitan/hf_datasets registers it
        training=training,  # as above
        parallelism=parallelism,  # as above
        compile=compile_config,  # as above
        activation_checkpoint=FullAC.Config(),  # each layer again from its input: far fewer activations
        loss=CrossEntropyLoss.Config(global_vocab_size=128256),  # of all logits at once, as the plan says
        optimizer=default_adamw(lr=3e-4),  # two moments; the rate is a start, yours to tune
        lr_scheduler=LRSchedulersContainer.Config(warmup_steps=2000),  # steps until the whole rate
        checkpoint=CheckpointManager.Config(enable=True, interval=500),  # into ./outputs/checkpoint, every 500 steps
    )
