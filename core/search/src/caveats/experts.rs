//! What an estimate of experts over several GPUs takes for granted.

use shardwise_catalog::efficiency::EFFICIENCY;
use shardwise_catalog::error::Caveat;
use shardwise_engine::communication::Network;
use shardwise_question::job::Job;
use shardwise_question::plan::Layout;
use shardwise_question::wire::{Backend, CudaGraphs};

/// Who sends tokens to other nodes where the plan does not say, and what graphs were measured with.
pub(super) fn experts(job: &Job, layout: &Layout) -> impl Iterator<Item = Caveat> {
    let said = matches!(layout.backend, Backend::Megatron | Backend::Fsdp);
    let trained = said && job.model.shape.num_experts > 0;
    [dispatcher(job, layout), graphs(layout)]
        .into_iter()
        .flatten()
        .filter(move |_| trained)
}

/// In RL NCCL's all-to-all takes little more (`ALLTOALL_IN_RL` of the engine).
fn dispatcher(job: &Job, layout: &Layout) -> Option<Caveat> {
    let network = Network::of(&job.hardware, &EFFICIENCY);
    let group = network.group(layout.expert_parallel, layout.expert_tensor_parallel);
    let open = layout.switches.moe_token_dispatcher.is_none() && job.workload.rl.is_none();
    (open && group.local < group.size).then(|| {
        Caveat::new(
            "dispatcher-open",
            "The plan does not say what sends tokens to experts on other nodes: what sends each once to a node is assumed, as DeepEP and HybridEP do. NCCL's all-to-all takes up to several times as long there. State moe_token_dispatcher.",
        )
    })
}

fn graphs(layout: &Layout) -> Option<Caveat> {
    (layout.switches.cuda_graphs == CudaGraphs::Full).then(|| {
        Caveat::new(
            "graphs-with-recipe",
            "Layers of experts that CUDA graphs replay whole were measured in Megatron-Bridge's recipes on Blackwell alone, whose fused grouped MLP came with the graphs: part of what they save is its.",
        )
    })
}
