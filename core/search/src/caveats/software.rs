//! What is not known of the software that runs a plan: engines, kernels, adapters.

use shardwise_catalog::error::Caveat;
use shardwise_catalog::hardware::Hardware;
use shardwise_engine::rollout;
use shardwise_question::complete::takes_newest_kernel;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, Plan, Recompute};
use shardwise_question::wire::Backend;

/// What is not known of today's engines on AMD's cards.
pub(super) fn engine(hardware: &Hardware, plan: &Plan) -> Option<Caveat> {
    let own = plan.rollout.as_ref()?;
    let known = !hardware.architecture.starts_with("CDNA") || rollout::is_first(own);
    (!known).then(|| {
        Caveat::new(
            "engine-of-2024",
            "The runs of generation on AMD's cards that are fitted on are of vLLM of 2024. Today's engines are taken to come as near to these cards' rates as to others', but for experts and what each layer takes at least, which a few published measurements say. They are taken to run AMD's own kernels (AITER), which vLLM does only where VLLM_ROCM_USE_AITER is 1.",
        )
    })
}

/// What is not known of generating from a base in 4 bits.
pub(super) fn four_bits(job: &Job) -> Option<Caveat> {
    (rollout::Kept::of(job) == rollout::Kept::InFourBits).then(|| {
        Caveat::new(
            "engine-in-four-bits",
            "No run is known that generates from a base in 4 bits. Every engine step is taken to unpack all of it, as a training pass does.",
        )
    })
}

/// What is taken of a kernel that no framework of texts loads by itself.
pub(super) fn newest_kernel(job: &Job, layout: &Layout) -> Option<Caveat> {
    takes_newest_kernel(job, layout).then(|| {
        Caveat::new(
            "newest-kernel",
            "Attention is as fast as FlashAttention-3 makes it. Frameworks load FlashAttention-2 unless asked: name the framework, or set attention_kernel to flash2, to see how fast that is.",
        )
    })
}

/// What is taken of adapters that are those of no framework of texts.
pub(super) fn own_adapters(job: &Job, layout: &Layout) -> Option<Caveat> {
    let own = job.framework.is_none() && !job.searched && job.workload.lora.is_some();
    let says = match layout.backend {
        Backend::Fsdp => {
            "Adapters are as fast as prime-rl's own, whose runs are those that are known of FSDP. Most frameworks put on PEFT's, which take longer: name the framework to see how long."
        }
        Backend::Ddp if layout.recompute != Recompute::None => {
            "Adapters read their inputs as they are, as Unsloth's and axolotl's do. PEFT's copy them first: name the framework to see the memory that takes."
        }
        Backend::Ddp | Backend::Deepspeed | Backend::Megatron => return None,
    };
    own.then(|| Caveat::new("own-adapters", says))
}
