//! What a block sends, and how much of it shows.

use super::{BlockContext, BlockTime, Part, Slice};
use crate::blocks::{Block, Mixer, Mlp};
use crate::communication::{Group, Routing};
use shardwise_catalog::units::Seconds;
use shardwise_question::plan::Recompute;
use shardwise_question::wire::{RecomputeModule, TokenDispatcher};

/// Share of attention's time that the ring of context parallelism can hide behind (arXiv:2310.01889): the first chunk has
/// nothing before it. Assumed.
const RING: f64 = 0.9;

/// What exchanges over several nodes take by `DeepEP` and `HybridEP`, relative to a token once to each node and
/// there once to each expert by NCCL's collectives. In RL Qwen3-30B-A3B on
/// 16 H100 takes 11 s less of some 42 with `DeepEP` than with NCCL's all-to-all, updates and log-probabilities together
/// (`verl_megatron_practice`, `dapo_moe30b.csv`, rows 3 and 6); `DeepEP`'s own benchmark reaches 43 to 58 GB/s of 50 on 16 to 64 H800
/// (<https://github.com/deepseek-ai/DeepEP>, README), where NCCL's collectives reach 37.
const FLEX: f64 = 0.87;

/// The same of NCCL's all-to-all in RL, by that pair: what its further copies take is in part what the host's waits hide
/// (`rl_expert_layer_s`).
const ALLTOALL_IN_RL: f64 = 1.13;

impl BlockContext<'_> {
    pub(super) fn communicate(&self, block: Block, slice: Slice, core: Part, time: &mut BlockTime) {
        let (shape, layout) = (self.shape, self.layout);
        let hidden = 2.0 * slice.tokens * shape.hidden_size as f64;
        let passes = if layout.recompute == Recompute::Full { 2.0 } else { 1.0 };
        if layout.tensor_parallel > 1 {
            let group = self.network.group(layout.tensor_parallel, 1);
            // One pair of all-gather and reduce-scatter (or one all-reduce) per parallel region, forward and
            // backward (arXiv:2205.05198, section 4.2.2). Experts exchange tokens instead.
            let mixer = u8::from(block.mixer != Mixer::None);
            let regions = f64::from(mixer + u8::from(block.mlp == Mlp::Dense));
            let once = if layout.sequence_parallel {
                self.network.gather(hidden, group) * 2.0
            } else {
                self.network.reduce(hidden, group)
            };
            time.tensor_forward = once * regions;
            time.tensor_backward = once * regions * passes;
            if layout.sequence_parallel {
                // The gathered input is not kept: gathered again for the weight gradient, beside the input's.
                time.tensor_backward += self.network.gather(hidden, group) * (regions * 0.5);
            }
        }
        if layout.context_parallel > 1 && block.mixer.attends() {
            let steps = f64::from(layout.context_parallel - 1);
            let width = if shape.is_mla() {
                (shape.kv_lora_rank + shape.qk_rope_head_dim) as f64
            } else {
                2.0 * (shape.num_key_value_heads as f64 / self.tp()).max(1.0) * shape.head_dim as f64
            };
            let stride = layout.tensor_parallel;
            // The ring leaves a domain only where its ranks do not all lie in one.
            let step = self
                .network
                .send(2.0 * slice.tokens * width, stride * layout.context_parallel - 1);
            let ring = step * steps;
            // The ring hides behind attention (arXiv:2310.01889), the backward pass moves keys, values and their gradients.
            let (beside, beside_backward) = (core.forward * RING, core.backward * RING);
            let (shown, shown_backward) = (ring.beyond(beside), (ring * 2.0).beyond(beside_backward));
            time.context += shown * passes + shown_backward;
            let hidden = ring - shown;
            time.ring_forward = hidden;
            time.ring_backward = hidden * (passes - 1.0) + (ring * 2.0 - shown_backward);
        }
        // Heads for sequence by all-to-all (DeepSpeed-Ulysses, arXiv:2309.14509).
        if layout.ulysses_parallel > 1 && block.mixer.attends() {
            let group = self.network.group(layout.ulysses_parallel, layout.tensor_parallel);
            let heads =
                shape.num_attention_heads * 2 + shape.num_key_value_heads.max(u64::from(layout.ulysses_parallel)) * 2;
            let bytes = 2.0 * slice.tokens * (heads * shape.head_dim) as f64 / self.tp();
            time.context += self.network.exchange(bytes, group) * (1.0 + passes);
        }
        if block.has_experts() {
            self.exchange_tokens(slice, passes, time);
        }
    }

    /// Tokens on their way to their experts and back.
    fn exchange_tokens(&self, slice: Slice, passes: f64, time: &mut BlockTime) {
        let layout = self.layout;
        if layout.expert_parallel > 1 {
            let stride = if layout.expert_tensor_parallel > 1 { layout.expert_tensor_parallel } else { 1 };
            let group = self.network.group(layout.expert_parallel, stride);
            let (visits, _) = self.expert_load(slice.tokens);
            let one = self.sent(2.0 * visits * self.routed_width(), group);
            let again = match layout.recompute {
                Recompute::Full => 1.0,
                Recompute::Selective(modules) if modules.contains(RecomputeModule::Moe) => 1.0,
                _ => 0.0,
            };
            // Dispatch and combine, forward and backward.
            time.expert = one * (4.0 + 2.0 * again);
        }
        if layout.expert_tensor_parallel > 1 {
            let group: Group = self.network.group(layout.expert_tensor_parallel, 1);
            let (visits, _) = self.expert_load(slice.tokens);
            time.expert += self.network.gather(2.0 * visits * self.routed_width(), group) * (4.0 * passes.max(1.0));
        }
    }

    /// Tokens of so many bytes once to their experts, or back: `DeepEP` and `HybridEP` send each once to each node that it visits, and
    /// inside one once to each GPU, NCCL's all-to-all once to each expert. (Over nodes `FLEX` has what they save inside.)
    fn sent(&self, bytes: f64, group: Group) -> Seconds {
        let routing = Routing::of(self.shape);
        let once = || self.network.dispatch(bytes, routing, group);
        let several = group.local < group.size;
        match self.layout.switches.moe_token_dispatcher {
            Some(TokenDispatcher::Deepep | TokenDispatcher::Hybridep) if several => once() * FLEX,
            Some(TokenDispatcher::Deepep | TokenDispatcher::Hybridep) => {
                self.network.dispatch_once(bytes, routing, group)
            }
            Some(TokenDispatcher::Alltoall) if several && self.in_rl => once() * ALLTOALL_IN_RL,
            Some(TokenDispatcher::Alltoall) if several => self.network.exchange(bytes, group),
            Some(TokenDispatcher::Alltoall) | None => once(),
        }
    }
}
