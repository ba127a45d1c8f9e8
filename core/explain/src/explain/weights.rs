//! Model states of a role on one GPU: what each ZeRO stage keeps where.

use super::super::expression::Expression;
use super::super::number::Unit;
use super::super::sheet::Sheet;
use shardwise_engine::context::Role;
use shardwise_engine::memory::{flat_gradients, gathers, largest_tensor, stays_gathered};
use shardwise_engine::rl::Who;
use shardwise_engine::weights::{
    NF4_BYTES, RankWeights, adapter_bytes_kept, base_bytes, base_parts, outer_bytes, rank_adapters, shard_counts,
    weights_from,
};
use shardwise_question::optimizer::Makes;
use shardwise_question::plan::Layout;
use shardwise_question::wire::{Backend, Optimizer};

/// What a symbol ends in, and what that is called.
type Owner = (&'static str, &'static str);

/// Some of a GPU's weights: their symbol, how many, what they are.
type Weights = (&'static str, f64, &'static str);

/// Whose states they are.
pub(super) fn owner(who: Who) -> Owner {
    match who {
        Who::Actor => ("actor", "the actor"),
        Who::Critic => ("critic", "the critic"),
        Who::Reference => ("reference", "the reference"),
        Who::Reward | Who::ProcessReward => ("reward", "the reward model"),
        Who::ProcessReference => ("reward_reference", "what the reward model began as"),
        Who::Teacher => ("teacher", "the teacher"),
    }
}

/// Says which optimizer it is, where it is not `AdamW`.
pub(super) fn note_optimizer(sheet: &mut Sheet, layout: &Layout) {
    let own = layout.optimizer.kind;
    if own != Optimizer::Adamw {
        sheet.note(format!("The optimizer is {}.", own.row().name));
    }
}

/// A role's states on one GPU, ready to be put into a formula.
pub(super) struct States<'a> {
    pub(super) role: &'a Role<'a>,
    pub(super) rank: RankWeights,
    pub(super) layout: &'a Layout,
    pub(super) gpus: u32,
    /// Whether the base is in 4 bits.
    pub(super) quantized: bool,
    /// Whose they are, where there are several: it tells their symbols apart.
    pub(super) owner: Option<Owner>,
}

impl States<'_> {
    fn term(&self, sheet: &mut Sheet, symbol: &str, value: f64, unit: Unit, meaning: &'static str) -> Expression {
        let Some((suffix, role)) = self.owner else {
            return sheet.term(symbol.to_owned(), value, unit, meaning);
        };
        sheet.term(format!("{symbol}_{suffix}"), value, unit, format!("{meaning}: {role}"))
    }

    /// Weights of one GPU whose gradients or moments it keeps, sharded from ZeRO stage `from` on.
    fn held(&self, sheet: &mut Sheet, from: u8) -> Expression {
        // What of a vision tower does not train has weights alone.
        if self.rank.frozen <= 0.0 {
            return self.all_held(sheet, from);
        }
        let meaning = "weights of one GPU that train, after TP and PP, without routed experts";
        let experts = ("E", self.rank.experts, "routed experts' weights of one GPU");
        self.sharded(sheet, from, [("W", self.rank.trained().dense, meaning), experts])
    }

    /// Weights of one GPU that it keeps, sharded from ZeRO stage `from` on.
    fn all_held(&self, sheet: &mut Sheet, from: u8) -> Expression {
        let all = "weights of one GPU after TP and PP, without routed experts";
        let experts = ("E", self.rank.experts, "routed experts' weights of one GPU");
        self.sharded(sheet, from, [("W", self.rank.dense, all), experts])
    }

    fn bytes(&self, sheet: &mut Sheet, symbol: &str, bytes: f64, meaning: &'static str) -> Expression {
        self.term(sheet, symbol, bytes, Unit::Bytes, meaning)
    }

    /// Adapter weights of one GPU whose states it keeps, sharded from ZeRO stage `from` on.
    fn adapters(&self, sheet: &mut Sheet, from: u8) -> Expression {
        let own = rank_adapters(self.role, self.layout);
        let terms = [
            ("A", own.dense, "adapter weights of one GPU after TP and PP"),
            ("A_experts", own.experts, "adapter weights of the routed experts on one GPU"),
        ];
        self.sharded(sheet, from, terms)
    }

    /// Weights of one GPU over the ranks that share them, where they are sharded from ZeRO stage `from` on: those without routed
    /// experts, and these.
    fn sharded(&self, sheet: &mut Sheet, from: u8, [dense, experts]: [Weights; 2]) -> Expression {
        let (over_experts, over_dense) = shard_counts(self.layout, self.gpus);
        let sharded = self.layout.zero_stage >= from;
        let shared = [
            (dense, "shards", over_dense, "GPUs that share these states"),
            (experts, "shards_experts", over_experts, "GPUs that share the experts' states"),
        ];
        let mut sum = Vec::new();
        for ((symbol, weights, meaning), shard, count, shared) in shared {
            if weights <= 0.0 {
                continue;
            }
            let mut own = self.term(sheet, symbol, weights, Unit::Parameters, meaning);
            if sharded && count > 1.0 {
                own = own / self.term(sheet, shard, count, Unit::Gpus, shared);
            }
            sum.push(own);
        }
        Expression::sum(sum)
    }

    fn adapted_parameters(&self, sheet: &mut Sheet) -> Expression {
        let loaded = base_bytes(self.layout);
        let parts = base_parts(&self.rank);
        let experts = ("E", self.rank.experts, "routed experts' weights of one GPU");
        let base = if self.quantized || loaded < 2.0 {
            let four = "bytes of a weight in 4 bits, scales included";
            let eight = "bytes of a frozen weight as loaded";
            let (bytes, meaning) = if self.quantized { (NF4_BYTES, four) } else { (loaded, eight) };
            let b = self.bytes(sheet, "b", bytes, meaning);
            let blocks = ("W", parts[0].dense, "weights of one GPU's blocks, without routed experts");
            let inner = b * self.sharded(sheet, weights_from(self.layout), [blocks, experts]);
            if self.rank.outer > 0.0 {
                let b = self.bytes(sheet, "b_outer", outer_bytes(bytes), "bytes of a 16-bit weight");
                let none = ("E_outer", 0.0, "embedding and LM head");
                let from = weights_from(self.layout);
                inner + b * self.sharded(sheet, from, [("W_outer", self.rank.outer, "embedding and LM head"), none])
            } else {
                inner
            }
        } else {
            let b = self.bytes(sheet, "b", loaded, "bytes of a frozen weight as loaded");
            b * self.all_held(sheet, weights_from(self.layout))
        };
        base + self.adapter_weights(sheet)
    }

    /// Weights of adapters alone.
    pub(super) fn adapter_weights(&self, sheet: &mut Sheet) -> Expression {
        let bytes = self.bytes(sheet, "b_adapter", adapter_bytes_kept(self.layout).0, "bytes of an adapter weight");
        bytes * self.adapters(sheet, weights_from(self.layout))
    }

    /// Weights that the forward pass reads.
    pub(super) fn parameters(&self, sheet: &mut Sheet) -> Expression {
        if self.role.adapters > 0 {
            return self.adapted_parameters(sheet);
        }
        let (bytes, meaning) = match self.layout.backend {
            Backend::Fsdp | Backend::Ddp => {
                (self.layout.master_weights_bytes, "bytes of a weight, which is the master")
            }
            Backend::Megatron | Backend::Deepspeed => (self.layout.weights_bytes, "bytes of a weight"),
        };
        let bytes = self.bytes(sheet, "b", bytes, meaning);
        bytes * self.all_held(sheet, weights_from(self.layout))
    }

    /// Gradients.
    pub(super) fn gradients(&self, sheet: &mut Sheet) -> Expression {
        let meaning = "bytes of a gradient";
        let bytes = self.bytes(sheet, "b", self.layout.gradient_bytes, meaning);
        bytes * if self.role.adapters > 0 { self.adapters(sheet, 2) } else { self.held(sheet, 2) }
    }

    /// Master weights and moments.
    pub(super) fn optimizer(&self, sheet: &mut Sheet) -> Expression {
        let layout = self.layout;
        note_optimizer(sheet, layout);
        let moments = "bytes of the optimizer's moments";
        let moments = self.bytes(sheet, "moments", layout.optimizer_bytes, moments);
        let adapts = self.role.adapters > 0;
        let bytes = match layout.backend {
            Backend::Fsdp | Backend::Ddp => moments,
            Backend::Megatron if adapts => moments,
            Backend::Megatron | Backend::Deepspeed => {
                let master = "bytes of a master weight";
                self.bytes(sheet, "master", layout.master_weights_bytes, master) + moments
            }
        };
        let own = bytes * if adapts { self.adapters(sheet, 1) } else { self.held(sheet, 1) };
        if layout.optimizer_offload_fraction == 0.0 {
            return own;
        }
        let here = layout.optimizer_on_card();
        let meaning = "share of the optimizer that is on the card";
        own * sheet.term("on_card", here, Unit::One, meaning)
    }

    /// What the update makes beside its states: under `DeepSpeed` copies of gradients, of `AdamW` four bytes for each weight that it updates, of others copies of the
    /// largest tensor.
    pub(super) fn step(&self, sheet: &mut Sheet) -> Expression {
        if let Some((bytes, weights)) = flat_gradients(self.role, &self.rank, self.layout, self.gpus) {
            let meaning = "bytes of a gradient that DeepSpeed copies to one tensor, and of its copy in fp32";
            let bytes = self.bytes(sheet, "step", bytes, meaning);
            return bytes
                * sheet.term("flat", weights, Unit::Parameters, "weights of one GPU that are stepped at a time");
        }
        if let Makes::Copies(n) = self.layout.optimizer.kind.row().makes {
            let (_, shards) = shard_counts(self.layout, self.gpus);
            let meaning = "bytes of the copies of the tensor that the optimizer steps";
            let bytes = self.bytes(sheet, "step", 4.0 * f64::from(n), meaning);
            let largest = largest_tensor(&self.rank, self.layout, shards);
            return bytes * sheet.term("largest", largest, Unit::Parameters, "embedding or LM head on one GPU");
        }
        let bytes = self.bytes(
            sheet,
            "step",
            0.5 * self.layout.optimizer_bytes,
            "bytes of AdamW's denominator, while the optimizer steps",
        );
        let whole = States { owner: Some(("step", "the update")), ..*self };
        bytes * whole.held(sheet, 1)
    }

    /// Shards of the weights over GPUs of a second copy.
    pub(super) fn second_copy(&self, sheet: &mut Sheet, own: Expression) -> Expression {
        let group = self.layout.zero_plus.partition_size;
        if group <= 1 {
            return own;
        }
        let (_, shards) = shard_counts(self.layout, self.gpus);
        let shards = sheet.term("d", shards, Unit::Gpus, "GPUs of the first copy");
        let group = sheet.term("hpZ", group.into(), Unit::Gpus, "GPUs of ZeRO++'s second copy");
        own * (Expression::Number(1.0) + shards / group)
    }

    /// Weights gathered for computing, and one block's gradients.
    pub(super) fn gathered(&self, sheet: &mut Sheet, trains: bool) -> Option<Expression> {
        let (layout, rank) = (self.layout, &self.rank);
        let largest = "weights of one GPU's largest block";
        let block = |sheet: &mut Sheet| sheet.term("block", rank.largest_block, Unit::Parameters, largest);
        let (whole, bytes) = stays_gathered(rank, layout, self.gpus, self.quantized && self.role.adapters > 0);
        if whole <= 0.0 && !gathers(layout, self.gpus) {
            let cast = layout.backend == Backend::Ddp;
            return cast.then(|| Expression::Number(2.0) * block(sheet));
        }
        let own = block(sheet);
        let gathered = if whole > 0.0 {
            let all = "weights of one GPU that stay gathered from pass to pass";
            Expression::Number(bytes) * sheet.term("gathered", whole, Unit::Parameters, all)
        } else {
            let outer = sheet.term("outer", rank.outer, Unit::Parameters, "embedding and LM head");
            Expression::Number(2.0) * (Expression::Number(2.0) * own.clone() + outer)
        };
        if !trains || self.role.adapters > 0 {
            return Some(gathered);
        }
        let gradient = sheet.term("b_grad", layout.gradient_bytes, Unit::Bytes, "bytes of a gradient");
        Some(gathered + gradient * own)
    }
}
