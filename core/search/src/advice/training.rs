//! Rules about what trains: how it splits, what it takes at once, what it computes again and what it moves out.

use super::{CHATLEARN_GUIDE, Case, LLMFORGE_COOKBOOK, PRACTICE, Proposal, Rule, VERL_GUIDE, one, rule, sharded};
use crate::figures;
use crate::neighbours::{budget_floor, moved_to};
use crate::warnings::WITHIN_NODE;
use shardwise_engine::batch;
use shardwise_engine::context::Context;
use shardwise_question::complete::usual_kernel;
use shardwise_question::optimizer::moment_bytes;
use shardwise_question::plan::{MicroBatch, Modules, Plan, Recompute};
use shardwise_question::wire::{
    Attention, AttentionKernel, Backend, LoraTargets, Offload, Optimizer, Schedule, TokenDispatcher,
};
use shardwise_question::workload::Lora;

/// Tokens from which ChatLearn's and veRL's guides split sequences.
pub(super) const LONG: u64 = 8192;

/// Doublings of what one pass takes that are looked at.
const DOUBLINGS: u32 = 6;

const SEQUENCE_PARALLEL: &str = "https://arxiv.org/abs/2205.05198";
const FLASH_3: &str = "https://arxiv.org/abs/2407.08608";
const ZERO: &str = "https://www.deepspeed.ai/tutorials/zero/";
const ZERO_PLUS: &str = "https://www.deepspeed.ai/tutorials/zeropp/";
pub(super) const EIGHT_BIT: &str = "https://arxiv.org/abs/2110.02861";
const ADAPTERS: &str = "https://arxiv.org/abs/2305.14314";
const FSDP: &str = "https://docs.pytorch.org/docs/stable/fsdp.html";

const MICRO: &[&str] = &["plan.micro_batch", "plan.max_tokens_per_gpu"];
const FORWARD: &[&str] =
    &["plan.forward_micro_batch", "plan.forward_max_tokens_per_gpu", "plan.critic", "plan.reference"];
const EXPERTS: &[&str] = &["plan.expert_parallel", "plan.expert_tensor_parallel"];
const RECOMPUTE: &[&str] = &["plan.recompute"];
const OFFLOAD: &[&str] = &["plan.offload"];

/// In the order of the guides: layout, batch, overlap and fusion, recomputation, offload and ZeRO.
pub(super) const RULES: [Rule; 37] = [
    rule(WITHIN_NODE, CHATLEARN_GUIDE, &["plan.tensor_parallel", "plan.pipeline_parallel"], within_node),
    rule("tensor-parallel-smaller", CHATLEARN_GUIDE, &["plan.tensor_parallel"], |case| {
        let half = case.layout().tensor_parallel / 2;
        case.propose(half > 0, &format!("Tensor parallelism of {half}"), &|l| l.tensor_parallel = half)
    }),
    rule("pipeline-fewer-stages", CHATLEARN_GUIDE, &["plan.pipeline_parallel"], fewer_stages),
    rule("virtual-pipeline", CHATLEARN_GUIDE, &["plan.virtual_pipeline"], |case| {
        let layout = case.layout();
        let stages = layout.pipeline_parallel;
        let layers = case.job().model.shape.num_hidden_layers;
        let plain = stages > 1 && layout.virtual_pipeline == 1 && layers.is_multiple_of(u64::from(2 * stages));
        case.propose(plain, "Interleaving two model chunks per pipeline stage", &|l| l.virtual_pipeline = 2)
    }),
    rule("context-parallel-long", CHATLEARN_GUIDE, &["plan.context_parallel"], |case| {
        let whole = megatron(case) && case.layout().sequence_split() == 1;
        case.propose(whole && long(case), "Context parallelism of 2", &|l| l.context_parallel = 2)
    }),
    rule("ulysses", VERL_GUIDE, &["plan.ulysses_parallel"], |case| {
        let twice = case.layout().ulysses_parallel * 2;
        let splits = case.backend() == Backend::Fsdp && long(case);
        case.propose(splits, &format!("Ulysses sequence parallelism of {twice}"), &|l| l.ulysses_parallel = twice)
    }),
    rule("expert-over-expert-tensor", CHATLEARN_GUIDE, EXPERTS, |case| {
        let split = case.layout().expert_tensor_parallel;
        let all = case.layout().expert_parallel * split;
        let what = format!("Expert parallelism of {all} in place of expert tensor parallelism");
        case.propose(split > 1, &what, &|l| {
            l.expert_parallel *= l.expert_tensor_parallel;
            l.expert_tensor_parallel = 1;
        })
    }),
    rule("sequence-parallel", SEQUENCE_PARALLEL, &["plan.sequence_parallel"], |case| {
        let layout = case.layout();
        let off = megatron(case) && layout.tensor_parallel > 1 && !layout.sequence_parallel;
        case.propose(off, "Sequence parallelism beside tensor parallelism", &|l| l.sequence_parallel = true)
    }),
    rule("dynamic-batching", VERL_GUIDE, MICRO, |case| {
        let rl = case.job().workload.rl.as_ref()?;
        let MicroBatch::Sequences(_) = case.layout().micro_batch else {
            return None;
        };
        let budget = budget_floor(rl, case.layout());
        let what = format!("Dynamic batching with {budget} tokens per GPU");
        case.propose(case.job().workload.packing && !case.job().counts_responses(), &what, &|l| {
            if let MicroBatch::Sequences(_) = l.micro_batch {
                l.micro_batch = MicroBatch::Tokens(budget);
            }
        })
    }),
    rule("token-budget-floor", VERL_GUIDE, MICRO, |case| {
        let rl = case.job().workload.rl.as_ref()?;
        let MicroBatch::Tokens(budget) = case.layout().micro_batch else {
            return None;
        };
        let floor = budget_floor(rl, case.layout());
        let what = format!("A token budget of twice prompt and response, {floor} per GPU,");
        case.propose(budget < floor, &what, &|l| l.micro_batch = MicroBatch::Tokens(floor))
    }),
    rule("larger-micro-batch", LLMFORGE_COOKBOOK, MICRO, |case| {
        let MicroBatch::Sequences(_) = case.layout().micro_batch else {
            return None;
        };
        larger(case, "A micro-batch of", "sequences per GPU")
    }),
    rule("token-budget", VERL_GUIDE, MICRO, |case| {
        let MicroBatch::Tokens(_) = case.layout().micro_batch else {
            return None;
        };
        larger(case, "A budget of", "tokens per GPU")
    }),
    rule("smaller-micro-batch", LLMFORGE_COOKBOOK, MICRO, less_at_once),
    rule("forward-passes", VERL_GUIDE, FORWARD, |case| {
        let roles = [Some(case.layout()), case.plan.critic.as_ref(), case.plan.reference.as_ref()];
        let stated = roles.into_iter().flatten().any(|own| own.forward.is_some());
        case.propose(stated, "Passes forward alone of twice the update's size", &|l| l.forward = None)
    }),
    rule("critic-budget", VERL_GUIDE, &["plan.critic"], |case| {
        let critic = case.plan.critic.as_ref()?;
        let twice = case.layout().micro_batch.doubled();
        let smaller = match (critic.micro_batch, twice) {
            (MicroBatch::Sequences(own), MicroBatch::Sequences(twice))
            | (MicroBatch::Tokens(own), MicroBatch::Tokens(twice)) => own < twice,
            _ => false,
        };
        let mut plan = *case.plan;
        if let Some(critic) = &mut plan.critic {
            critic.micro_batch = twice;
        }
        smaller.then(|| Proposal::new("Twice the actor's micro-batch for the critic", plan))
    }),
    rule("packing", CHATLEARN_GUIDE, &[], |case| {
        let workload = &case.job().workload;
        if workload.packing || !workload.varies() || case.job().pads_responses() {
            return None;
        }
        let mut job = case.job().clone();
        job.workload.packing = true;
        Some(Proposal {
            job: Some((job, one("workload.packing", true.into()))),
            ..Proposal::new("Packing short sequences together", *case.plan)
        })
    }),
    rule("overlap", CHATLEARN_GUIDE, &["plan.overlap"], |case| {
        let overlap = case.layout().overlap;
        let departs = !(overlap.gradients && overlap.parameters);
        case.propose(departs, "Sending gradients and parameters beside computation", &|l| {
            l.overlap.gradients = true;
            l.overlap.parameters = true;
        })
    }),
    rule("overlap-tensor-parallel", CHATLEARN_GUIDE, &["plan.overlap"], |case| {
        let layout = case.layout();
        let departs = megatron(case) && layout.tensor_parallel > 1 && !layout.overlap.tensor_parallel;
        case.propose(departs, "Tensor-parallel traffic beside its products", &|l| l.overlap.tensor_parallel = true)
    }),
    rule("rope-fusion", PRACTICE, &["plan.apply_rope_fusion"], |case| {
        let off = !case.layout().switches.apply_rope_fusion;
        case.propose(off, "One kernel for rotary positions (apply_rope_fusion)", &|l| {
            l.switches.apply_rope_fusion = true
        })
    }),
    rule("overlap-experts", CHATLEARN_GUIDE, &["plan.overlap_moe_expert_parallel_comm"], |case| {
        let layout = case.layout();
        // What `TransformerConfig` asks beside.
        let may = layout.recompute != Recompute::Full && (layout.pipeline_parallel == 1 || layout.virtual_pipeline > 1);
        let departs = megatron(case) && may && layout.expert_parallel > 1;
        let what = "The experts' exchanges beside computation (overlap_moe_expert_parallel_comm)";
        case.propose(departs && !layout.switches.overlap_moe_expert_parallel_comm, what, &|l| {
            l.switches.overlap_moe_expert_parallel_comm = true;
        })
    }),
    rule("deepep", PRACTICE, &["plan.moe_token_dispatcher"], |case| {
        let off = case.layout().switches.moe_token_dispatcher == Some(TokenDispatcher::Alltoall);
        case.propose(off, "DeepEP in place of NCCL's all-to-all (moe_token_dispatcher)", &|l| {
            l.switches.moe_token_dispatcher = Some(TokenDispatcher::Deepep);
        })
    }),
    rule("flash-attention-3", FLASH_3, &["plan.attention_kernel"], |case| {
        let layout = case.layout();
        let own = layout.attention_kernel.unwrap_or(usual_kernel(case.job(), layout.backend));
        let second = layout.attention == Attention::Flash && own == AttentionKernel::Flash2;
        // Hopper's alone.
        let hardware = &case.job().hardware;
        let hopper = hardware.has_compute_capability(9.0) && !hardware.has_compute_capability(10.0);
        case.propose(second && hopper, "FlashAttention-3, where it is installed,", &|l| {
            l.attention_kernel = Some(AttentionKernel::Flash3);
        })
    }),
    rule("fused-loss", CHATLEARN_GUIDE, &["plan.fused_loss"], |case| {
        let layout = case.layout();
        let eager = !(layout.fused_loss || layout.fused_lm_head);
        case.propose(eager, "A fused cross-entropy", &|l| l.fused_loss = true)
    }),
    rule("fused-lm-head", PRACTICE, &["plan.fused_lm_head"], |case| {
        case.propose(!case.layout().fused_lm_head, "The fused LM head", &|l| l.fused_lm_head = true)
    })
    .saving_from(0.1),
    rule("recompute-off", CHATLEARN_GUIDE, RECOMPUTE, |case| {
        let recomputes = case.layout().recompute != Recompute::None;
        case.propose(recomputes, "No recomputation", &|l| l.recompute = Recompute::None)
    }),
    rule("recompute-selective", CHATLEARN_GUIDE, RECOMPUTE, |case| {
        // FSDP's users checkpoint whole layers or nothing; torchtitan alone chooses operations, and has no reinforcement learning.
        let fsdp = case.backend() == Backend::Fsdp;
        let named = case.job().framework.map(|own| own.id);
        let whole = fsdp && (case.job().workload.rl.is_some() || named.is_some_and(|id| id != "torchtitan"));
        if case.layout().recompute != Recompute::Full || whole {
            return None;
        }
        let without = case.with(&|l| l.recompute = Recompute::None);
        // None is better still, where it fits.
        let fits = case.figures(&without).is_some_and(|figures| figures.fits);
        let selective = Recompute::Selective(Modules::CORE_ATTN);
        case.propose(!fits, "Recomputing core attention alone", &|l| l.recompute = selective)
    }),
    rule("recompute-full", VERL_GUIDE, RECOMPUTE, |case| {
        let keeps = case.is_tight() && case.layout().recompute != Recompute::Full;
        case.propose(keeps, "Full recomputation", &|l| l.recompute = Recompute::Full)
    }),
    rule("offload-off", LLMFORGE_COOKBOOK, OFFLOAD, |case| {
        let moves = case.layout().offload != Offload::default();
        case.propose(moves, "No offload", &|l| l.offload = Offload::default())
    }),
    rule("offload-parameters-off", LLMFORGE_COOKBOOK, OFFLOAD, |case| {
        let offload = case.layout().offload;
        case.propose(offload.parameters && offload.optimizer, "Offloading the optimizer alone", &|l| {
            l.offload.parameters = false;
            l.offload.gradients &= l.backend == Backend::Deepspeed;
        })
    }),
    rule("offload-states", PRACTICE, OFFLOAD, |case| {
        let rl = case.job().workload.rl.as_ref();
        let colocated = rl.is_none_or(|rl| rl.schedule == Schedule::Colocated);
        let moves = colocated && (rl.is_some() || !megatron(case));
        let states = |own: Offload| Offload { parameters: true, gradients: true, optimizer: true, ..own };
        let own = case.layout().offload;
        let departs = moves && case.is_tight() && states(own) != own;
        let what = "Offloading parameters, gradients and optimizer";
        case.propose(departs, what, &|l| l.offload = states(l.offload))
    }),
    rule("optimizer-8bit", EIGHT_BIT, &["plan.optimizer"], eight_bit),
    rule("adapters-on-attention", ADAPTERS, &["plan.optimizer"], attention_alone),
    rule("sharded-states", FSDP, &["plan.backend", "plan.zero_stage"], |case| {
        let gpus = case.context.training_gpus();
        let copies = case.backend() == Backend::Ddp && gpus > 1;
        let what = "Sharding weights, gradients and optimizer over the GPUs (FSDP)";
        case.propose(copies && case.is_tight(), what, &|l| {
            l.backend = Backend::Fsdp;
            l.zero_stage = 3;
            l.shard_group = gpus;
        })
    }),
    rule("sync-each-batch", sharded::SYNC, &["plan.sync_each_batch"], sharded::reduced),
    rule("zero-stage", ZERO, &["plan.zero_stage"], sharded::zero_stage),
    rule("hybrid-shard", FSDP, &["plan.shard_group"], |case| {
        let node = case.job().hardware.gpus_per_node;
        let wide = sharded::across(case, Backend::Fsdp) && case.layout().shard_group > node;
        case.propose(wide, "Sharding within the node alone (hybrid sharding)", &|l| l.shard_group = node)
    }),
    rule("zero-hpz", ZERO_PLUS, &["plan.zero_hpz_partition_size"], |case| {
        let node = case.job().hardware.gpus_per_node;
        let once = case.layout().zero_plus.partition_size == 1;
        let what = format!("A second copy of the weights in each node (zero_hpz_partition_size {node})");
        case.propose(once && sharded::across(case, Backend::Deepspeed), &what, &|l| l.zero_plus.partition_size = node)
    }),
];

/// What moments in 8 bits change.
pub(super) const ROUNDED: &str =
    "It changes training: moments are rounded, by which their authors lost nothing; watch your loss.";

/// Adam's moments in 8 bits, where a plan does not fit and would with them: it changes what is trained, so that nobody is told
/// for some per cent of speed (for more: [`super::instead`]).
fn eight_bit(case: &Case<'_>) -> Option<Proposal> {
    let (to, plan) = in_8_bits(case)?;
    case.figures(&plan).filter(|figures| figures.fits)?;
    let proposal = Proposal::new(&format!("Moments of Adam in 8 bits ({to})"), plan);
    Some(Proposal { note: ROUNDED, ..proposal })
}

/// A plan that does not fit with Adam's moments in 8 bits, and what that is called.
fn in_8_bits(case: &Case<'_>) -> Option<(&'static str, Plan)> {
    if case.now.fits || megatron(case) {
        return None;
    }
    let (job, layout) = (case.job(), case.layout());
    let own = layout.optimizer.kind;
    let to = if own == Optimizer::PagedAdamw { Optimizer::PagedAdamw8bit } else { Optimizer::Adamw8bit };
    let moments = moment_bytes(job, layout.backend, to)?;
    let whole = matches!(own, Optimizer::Adamw | Optimizer::PagedAdamw) && layout.optimizer_bytes > moments;
    let with = || {
        case.with(&|l| {
            l.optimizer.kind = to;
            l.optimizer_bytes = moments;
        })
    };
    whole.then(|| (to.as_str(), with()))
}

/// Adapters on attention alone, where a plan with adapters on every matrix does not fit: those on experts are as many as there are
/// experts, and each has master weights, gradients and moments. Moments in 8 bits beside, where it fits with these alone.
fn attention_alone(case: &Case<'_>) -> Option<Proposal> {
    let lora = case.job().workload.lora.filter(|own| own.targets == LoraTargets::AllLinear)?;
    if case.now.fits {
        return None;
    }
    let mut job = case.job().clone();
    job.workload.lora = Some(Lora { targets: LoraTargets::Attention, ..lora });
    let context = Context::with(&job, case.context.efficiency);
    let fits =
        |plan: &Plan| moved_to(case.job(), &job, case.plan, plan).is_some_and(|own| figures::of(&context, &own).fits);
    let both = if fits(case.plan) { None } else { in_8_bits(case).filter(|(_, plan)| fits(plan)) };
    let (what, plan) = match both {
        Some((to, plan)) => {
            (format!("Putting adapters on attention alone, with moments of Adam in 8 bits ({to}),"), plan)
        }
        None => ("Putting adapters on attention alone".to_owned(), *case.plan),
    };
    let set = one("workload.lora.targets", LoraTargets::Attention.as_str().into());
    let note = "It changes training: QLoRA's authors needed adapters on all layers to match full fine-tuning; watch your loss.";
    Some(Proposal { note, job: Some((job, set)), ..Proposal::new(&what, plan) })
}

fn megatron(case: &Case<'_>) -> bool {
    case.backend() == Backend::Megatron
}

fn long(case: &Case<'_>) -> bool {
    case.job().workload.sequence_length >= LONG
}

/// Tensor parallelism as wide as the node, pipeline stages for the rest; data parallelism where layers do not divide.
fn within_node(case: &Case<'_>) -> Option<Proposal> {
    let (layout, node) = (case.layout(), case.job().hardware.gpus_per_node);
    let mut factor = 1;
    while layout.tensor_parallel / factor > node {
        factor *= 2;
    }
    if factor == 1 || !megatron(case) {
        return None;
    }
    let size = layout.tensor_parallel / factor;
    let split = |stages: u32| {
        case.with(&|l| {
            l.tensor_parallel = size;
            l.pipeline_parallel *= stages;
        })
    };
    let plan = case.fastest(&mut [split(factor), split(1)].into_iter());
    Some(Proposal::new(&format!("Tensor parallelism of {size}"), plan.unwrap_or_else(|| split(factor))))
}

/// Fewer stages than micro-batches: the bubble is as long as the stages are many.
fn fewer_stages(case: &Case<'_>) -> Option<Proposal> {
    let (job, layout) = (case.job(), case.layout());
    let sequences = job.workload.global_batch as f64;
    let batch = batch::split(job, layout, sequences, 0.0);
    let half = layout.pipeline_parallel / 2;
    let many = half > 0 && f64::from(layout.pipeline_parallel) >= batch.micro_batches;
    case.propose(many, &format!("Pipeline parallelism of {half}"), &|l| {
        l.pipeline_parallel = half;
        if half == 1 {
            l.virtual_pipeline = 1;
        }
    })
}

/// More at once, as far as that fits and pays.
fn larger(case: &Case<'_>, what: &str, unit: &str) -> Option<Proposal> {
    let with = |doublings: u32| {
        case.with(&|l| {
            for _ in 0..doublings {
                l.micro_batch = l.micro_batch.doubled();
            }
        })
    };
    let plan = case.fastest(&mut (1..=DOUBLINGS).map(with))?;
    let (MicroBatch::Sequences(n) | MicroBatch::Tokens(n)) = plan.layout.micro_batch;
    Some(Proposal::new(&format!("{what} {n} {unit}"), plan))
}

/// A plan that does not fit: the most at once that does.
fn less_at_once(case: &Case<'_>) -> Option<Proposal> {
    if case.now.fits {
        return None;
    }
    let (n, units) = match case.layout().micro_batch {
        MicroBatch::Sequences(n) => (n, ["sequence per GPU", "sequences per GPU"]),
        MicroBatch::Tokens(n) => (n, ["token per GPU", "tokens per GPU"]),
    };
    let with = |n: u64| {
        case.with(&|l| {
            l.micro_batch = l.micro_batch.map(|own| own.min(n));
        })
    };
    let fits = |n: u64| case.figures(&with(n)).is_some_and(|figures| figures.fits);
    // Memory grows with it: halve the range until its ends meet.
    let (mut low, mut high) = (1, n);
    if !fits(low) {
        return None;
    }
    while high - low > (n / 64).max(1) {
        let middle = low.midpoint(high);
        if fits(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    let unit = units[usize::from(low > 1)];
    Some(Proposal::new(&format!("A micro-batch of {low} {unit}"), with(low)))
}
