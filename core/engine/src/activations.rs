//! What a forward pass keeps on one GPU for the backward pass.

use crate::blocks::{Block, Mixer, Mlp};
use crate::layer::{BlockContext, Slice};
use shardwise_question::plan::{Modules, Recompute};
use shardwise_question::wire::{Attention, Backend, RecomputeModule};

/// What one block keeps of itself.
#[derive(Clone, Copy)]
struct Kept(Option<Modules>);

impl Kept {
    fn again(self, module: RecomputeModule) -> bool {
        self.0.is_some_and(|modules| modules.contains(module))
    }
}

impl BlockContext<'_> {
    /// Bytes of a product's input that the weight gradient will read: as computed, or, under
    /// `TransformerEngine`, only the quantised copy.
    fn operand(&self) -> f64 {
        if self.rates.quantized && self.layout.backend == Backend::Megatron { self.rates.operand_bytes } else { 2.0 }
    }

    /// Share of a value that one GPU of a tensor-parallel group holds outside the split products.
    fn outside(&self) -> f64 {
        if self.layout.sequence_parallel { self.tp() } else { 1.0 }
    }

    /// Bytes one block keeps from its forward pass for the backward pass of one micro-batch.
    ///
    /// Inputs of every product and of every function whose derivative needs them, in bf16:
    /// Korthikanti et al. 2022, arXiv:2205.05198, section 4.1 (`34·s·b·h` for a plain block without
    /// the scores), without its two dropout masks (nobody fine-tunes with dropout: `32·s·b·h`), generalised to
    /// grouped queries, gates, latents, experts and quantised inputs. `extra` is what eager code
    /// keeps beside that, in bytes per token and hidden size.
    #[must_use]
    pub fn kept_bytes(&self, block: Block, slice: Slice, extra: f64) -> f64 {
        let layout = self.layout;
        let hidden = slice.tokens * self.shape.hidden_size as f64 / self.outside();
        let input = 2.0 * hidden;
        let modules = match layout.recompute {
            Recompute::Full => return input,
            Recompute::None => None,
            Recompute::Selective(Modules::CORE_ATTN) if layout.backend != Backend::Megatron => {
                return input + self.every_other_product(block, slice.tokens);
            }
            Recompute::Selective(modules) => Some(modules),
        };
        let kept = Kept(modules);
        let norm_output = if kept.again(RecomputeModule::Layernorm) { 0.0 } else { self.operand() * hidden };
        let mut bytes = extra * hidden;
        if block.mixer != Mixer::None {
            bytes += input + norm_output + self.mixer_bytes(block, slice, kept);
        }
        if block.mlp != Mlp::None {
            let norm_output = if self.reads_inputs() { norm_output } else { 0.0 };
            bytes += input + norm_output + self.mlp_bytes(block, slice.tokens, kept);
        }
        bytes
    }

    /// Whether the MLP's weight gradients read what enters its products. Of a frozen product without an adapter none is
    /// kept: `TransformerEngine`'s linear layers save their input where the weight has a gradient
    /// (`module/linear.py`, `_Linear.forward`: `if weight.requires_grad`). Eager code keeps the activation function's
    /// output all the same, which is its product's factor.
    fn reads_inputs(&self) -> bool {
        self.mlp_trains || self.layout.backend != Backend::Megatron
    }

    /// Bytes that weighing the experts' outputs makes in the backward pass: under FSDP they are multiplied with the
    /// routing weights in fp32 and added to their tokens. Of each visit's hidden state there are then the output, its
    /// fp32 copy, their gradients, and both products: 2 + 4 + 2 + 4 + 4 + 4 bytes (torchtitan and prime-rl, whose
    /// `trainer/models/layers/moe.py` has it in `_run_routed_experts`). prime-rl's runs of Qwen3-30B-A3B and
    /// GLM-4.5-Air at 16,384 and 65,536 tokens grow by 18 to 21.
    pub(crate) fn weighed_bytes(&self, block: Block, tokens: f64) -> f64 {
        if self.layout.backend != Backend::Fsdp || !block.has_experts() {
            return 0.0;
        }
        let (visits, _) = self.expert_load(tokens);
        (20.0 - self.output_copy()) * visits * self.shape.hidden_size as f64
    }

    /// Bytes of an expert's output that the gradients of the routing weights read, per visit and value of the hidden state: under FSDP
    /// its fp32 copy, with which they are multiplied (torchtitan, `routed_output.to(torch.float32) * scores` of
    /// `models/moe.py` of 2025 and of `models/common/token_dispatcher.py` of b5bcd76c, line 159; prime-rl, line 900 of its `moe.py`).
    /// DeepSeek-V2-Lite without recomputation on eight B200, four sequences of 6,144 tokens, has 88 % of the card, a fifth of which these
    /// are, and runs out with 8,192 (<https://github.com/pytorch/torchtitan/pull/1993>).
    fn output_copy(&self) -> f64 {
        if self.layout.backend == Backend::Fsdp { 4.0 } else { 0.0 }
    }

    /// Selective checkpointing per operator keeps attention's output, that of every other product, and what other GPUs sent
    /// (torchtitan 0.3.0, `torchtitan/distributed/activation_checkpoint.py`, `SelectiveAC`). Experts' products are none of those:
    /// neither `_get_default_save_ops` there nor PyTorch's `compute_intensive_ops` (`torch/_functorch/partitioners.py`) name
    /// `_grouped_mm`, so that the backward pass makes all of them again. Qwen3-30B-A3B on eight B200, micro-batches of 8 times 8,192
    /// tokens, reserves 141.8 GiB (<https://github.com/mlc-ai/pith-train/issues/79>), 84 less than with half of them kept.
    fn every_other_product(&self, block: Block, tokens: f64) -> f64 {
        let shape = self.shape;
        let hidden = shape.hidden_size as f64;
        let values = (shape.num_attention_heads * shape.value_head_dim()) as f64;
        let keys = (shape.num_key_value_heads * 2 * shape.head_dim) as f64;
        let matrices = if shape.gated_mlp { 2.0 } else { 1.0 };
        let split = self.tp();
        let mixer = tokens * ((values + keys) / split + hidden / self.outside());
        let dense = |width: u64| tokens * (matrices * width as f64 / split + hidden / self.outside());
        let mlp = if block.has_experts() {
            let shared = shape.shared_expert_intermediate_size;
            self.exchanged(tokens) + if shared > 0 { dense(shared) } else { 0.0 }
        } else {
            dense(shape.intermediate_size)
        };
        2.0 * tokens * values / split + mixer + mlp
    }

    /// Bytes of the tokens that come to experts on other GPUs, and of their outputs that come back.
    fn exchanged(&self, tokens: f64) -> f64 {
        if self.layout.expert_parallel <= 1 {
            return 0.0;
        }
        let (visits, _) = self.expert_load(tokens);
        2.0 * 2.0 * visits * self.routed_width()
    }

    /// Queries, keys, values, scores where they are written, and the output.
    fn mixer_bytes(&self, block: Block, slice: Slice, kept: Kept) -> f64 {
        let (shape, tokens) = (self.shape, slice.tokens);
        if block.mixer.recurs() {
            let inner = shape.linear.num_value_heads * shape.linear.value_head_dim
                + shape.mamba.num_heads * shape.mamba.head_dim;
            let (tp, times) = self.repeated(block.mixer);
            return 2.0 * tokens * times * inner as f64 * 5.0 / tp;
        }
        let heads = shape.num_attention_heads as f64;
        // The output is the next product's input; quantised, that is a second copy.
        let output = if self.operand() < 2.0 { 2.0 + self.operand() } else { 2.0 };
        let values = heads * shape.value_head_dim() as f64;
        let inputs = if shape.is_mla() {
            let latents = (shape.q_lora_rank + shape.kv_lora_rank) as f64 * 2.0;
            let wide = if kept.again(RecomputeModule::MlaUpProj) {
                0.0
            } else {
                heads * (2 * shape.query_head_dim() + shape.v_head_dim) as f64
            };
            2.0 * tokens * (latents + wide / self.tp())
        } else {
            let kv = (shape.num_key_value_heads as f64).max(self.tp());
            2.0 * tokens * (heads + 2.0 * kv) * shape.head_dim as f64 / self.tp()
        };
        let scores = if self.layout.attention == Attention::Unfused && !kept.again(RecomputeModule::CoreAttn) {
            // Softmax input and output in bf16 and the dropout mask: `5·a·s²·b` (eq. 1 there).
            5.0 * tokens * slice.attention_length * heads / self.tp()
        } else {
            0.0
        };
        inputs + output * tokens * values / self.tp() + scores
    }

    /// Inner activations of the MLP or of the experts, and the tokens dispatched to them.
    fn mlp_bytes(&self, block: Block, tokens: f64, kept: Kept) -> f64 {
        let shape = self.shape;
        // Gate and up (or the one projection), and what the activation makes of them.
        let first = if shape.gated_mlp { 4.0 } else { 2.0 };
        let inner = first + if self.reads_inputs() { self.operand() } else { 0.0 };
        if !block.has_experts() {
            if kept.again(RecomputeModule::Mlp) {
                return 0.0;
            }
            return tokens * inner * shape.intermediate_size as f64 / self.tp();
        }
        if kept.again(RecomputeModule::Moe) {
            return 0.0;
        }
        let (visits, _) = self.expert_load(tokens);
        let width = shape.moe_intermediate_size as f64 / f64::from(self.layout.expert_tensor_parallel);
        let widths = if kept.again(RecomputeModule::MoeAct) { first } else { inner };
        let shared = if kept.again(RecomputeModule::SharedExperts) {
            0.0
        } else {
            tokens * inner * shape.shared_expert_intermediate_size as f64 / self.tp()
        };
        // Megatron-Core's routing weights scale inside the activation: outputs are not kept (`moe_apply_probs_on_input` aside).
        let dispatched = if self.reads_inputs() { self.operand() } else { 0.0 };
        visits * ((dispatched + self.output_copy()) * shape.hidden_size as f64 + widths * width) + shared
    }
}
