//! A vision tower: what images take beside the language model's layers.
//!
//! A tower is a stack of attention and MLP like the language model's own, over patches in the place of tokens. So its blocks
//! are timed and weighed by the same kernels ([`crate::layer`]), its embedding of patches and its projector as products. What is
//! particular to it:
//!
//! - It attends both ways, within an image, a tile or a window: a window of `n` patches costs as much as causal attention over
//!   `2n`, whose queries see as many keys.
//! - It stands on the first stage and is split by nothing but what shards all weights: FSDP and `ZeRO`. Ranks of tensor, context
//!   and Ulysses parallelism each compute all of it (veRL 0.9.1, `models/transformers/monkey_patch.py`, slices after the images are
//!   embedded; Megatron-Bridge's Qwen2.5-VL holds Hugging Face's tower whole).
//! - What of it does not train has no backward pass, keeps nothing, and has neither gradients nor optimizer states.

use crate::blocks::{Block, Mixer, Mlp};
use crate::context::{Context, Role};
use crate::kernels::Rates;
use crate::layer::{BlockContext, BlockTime, Slice};
use shardwise_catalog::model::{Picture, Shape, Vision};
use shardwise_catalog::units::{Bytes, Flops};
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::wire::VisionTower;

/// Bytes of a pixel's value as the processor hands it on: fp32.
const PIXEL_BYTES: f64 = 4.0;

/// A role's tower with the images that pass it.
#[derive(Clone, Copy, Debug)]
pub struct Tower {
    vision: Vision,
    /// A block of it, as a model's shape.
    shape: Shape,
    /// One image.
    picture: Picture,
    /// Images of a sequence.
    images: f64,
    /// What trains.
    trains: VisionTower,
}

/// Blocks of one kind: how many, and the length of causal attention that costs as much as theirs.
type Kind = (f64, f64);

/// The shape of a tower's blocks.
fn block_shape(vision: &Vision) -> Shape {
    let heads = vision.heads.max(1);
    Shape {
        hidden_size: vision.hidden,
        intermediate_size: vision.intermediate,
        num_hidden_layers: vision.layers,
        num_attention_heads: heads,
        num_key_value_heads: heads,
        head_dim: vision.hidden / heads,
        gated_mlp: vision.gated(),
        norm: vision.norm(),
        ..Shape::EMPTY
    }
}

impl Tower {
    /// The tower of a role, where the question has images and its model a tower.
    #[must_use]
    pub fn of(context: &Context<'_>, role: &Role<'_>) -> Option<Self> {
        let images = context.job.workload.images?;
        let vision = role.model.shape.vision?;
        Some(Self {
            vision,
            shape: block_shape(&vision),
            picture: *role.picture?,
            images: images.per_example,
            trains: if role.adapters > 0 { VisionTower::Frozen } else { images.tower },
        })
    }

    /// Its blocks: those that see the whole image, and those with windows.
    fn kinds(&self) -> [Kind; 2] {
        let layers = self.vision.layers as f64;
        let windowed = if self.vision.window > 0 { layers - (self.vision.full_blocks as f64).min(layers) } else { 0.0 };
        [(layers - windowed, 2.0 * self.picture.seen), (windowed, 2.0 * self.picture.seen_in_window)]
    }

    /// Patches of the images of so many sequences.
    fn patches(&self, sequences: f64) -> f64 {
        self.picture.patches * self.images * sequences
    }

    /// Tokens that these fill.
    fn tokens(&self, sequences: f64) -> f64 {
        self.picture.tokens * self.images * sequences
    }

    /// Operations of one image's forward pass: `2` per weight of a block, patch embedding and projector for each patch or token that
    /// it multiplies, and attention over what a patch sees (Dosovitskiy et al. 2020, arXiv:2010.11929, section 3.1; windows: Qwen2.5-VL,
    /// arXiv:2502.13923, section 2.1).
    #[must_use]
    pub fn forward_flops(&self) -> Flops {
        let vision = &self.vision;
        let (h, m) = (vision.hidden as f64, vision.intermediate as f64);
        let block = 4.0 * h * h + if vision.gated() { 3.0 } else { 2.0 } * h * m;
        let attention: f64 = self.kinds().iter().map(|(blocks, length)| blocks * length * 2.0 * h).sum();
        let patch = vision.layers as f64 * block + vision.patch_values() as f64 * h;
        let token: u64 = vision.projections().iter().map(|own| own.times * own.input * own.output).sum();
        Flops::new(self.picture.patches * (2.0 * patch + attention) + 2.0 * self.picture.tokens * token as f64)
    }

    /// Operations of a sequence's images in a pass forward alone.
    #[must_use]
    pub fn evaluated_flops(&self) -> Flops {
        self.forward_flops() * self.images
    }

    /// Operations of a sequence's images in a training step: a backward pass has two of a forward pass's for what trains.
    #[must_use]
    pub fn training_flops(&self) -> Flops {
        let forward = self.evaluated_flops();
        match self.trains {
            VisionTower::Trained => forward * 3.0,
            VisionTower::Projector | VisionTower::Frozen => forward,
        }
    }

    /// Operations that recomputation does again for a sequence's images.
    #[must_use]
    pub fn recomputed_flops(&self, layout: &Layout) -> Flops {
        if self.trains == VisionTower::Trained && layout.recompute == Recompute::Full {
            self.evaluated_flops()
        } else {
            Flops::ZERO
        }
    }

    fn block_context<'a>(
        &'a self,
        context: &'a Context<'_>,
        role: &'a Role<'_>,
        (layout, rates): (&'a Layout, &'a Rates),
    ) -> BlockContext<'a> {
        BlockContext {
            shape: &self.shape,
            layout,
            rates,
            weight_gradients: self.trains == VisionTower::Trained,
            mlp_trains: self.trains == VisionTower::Trained,
            ..context.block(role, layout)
        }
    }

    /// Time of its passes over the images of one micro-batch, in 16 bits whatever the language model's products are in; without
    /// what is between kernels on the time line, which the caller applies to all.
    #[must_use]
    pub fn time(&self, context: &Context<'_>, role: &Role<'_>, layout: &Layout, sequences: f64) -> BlockTime {
        let patches = self.patches(sequences);
        if patches <= 0.0 {
            return BlockTime::default();
        }
        let alone = alone(layout);
        let rates = context.rates.in_half();
        let own = self.block_context(context, role, (&alone, &rates));
        let whole = self.trains();
        let mut all = BlockTime::default();
        for (blocks, attention_length) in self.kinds() {
            if blocks > 0.0 {
                let one = own.time(BLOCK, Slice { tokens: patches, attention_length, sequences });
                all.add(&one, blocks);
            }
        }
        if !whole {
            // Nothing asks for a gradient within the blocks.
            let BlockTime { forward, kernels, .. } = all;
            all = BlockTime { forward, kernels, forward_only: kernels, ..BlockTime::default() };
        }
        let (width, values) = (self.vision.hidden as f64, self.vision.patch_values() as f64);
        all.forward += rates.product(patches, width, values);
        if whole {
            all.backward += rates.product(values, width, patches);
        }
        let rows = self.tokens(sequences);
        for (place, one) in self.vision.projections().iter().filter(|one| one.times > 0).enumerate() {
            let (times, n, k) = (one.times as f64, one.output as f64, one.input as f64);
            all.forward += rates.product(rows, n, k) * times;
            all.kernels += times;
            if self.trains == VisionTower::Frozen {
                all.forward_only += times;
                continue;
            }
            all.backward += rates.product(k, n, rows) * times;
            if whole || place > 0 {
                all.backward += rates.product(rows, k, n) * times;
            }
        }
        all
    }

    /// Bytes that the images of one micro-batch keep for the backward pass, pixels included; a block's as Korthikanti et al. 2022,
    /// arXiv:2205.05198, section 4.1, count them.
    #[must_use]
    pub fn kept_bytes(&self, context: &Context<'_>, role: &Role<'_>, layout: &Layout, sequences: f64) -> f64 {
        let pixels = PIXEL_BYTES * self.patches(sequences) * self.vision.patch_values() as f64;
        let widths: u64 = self
            .vision
            .projections()
            .iter()
            .map(|own| own.times * (own.input + own.output))
            .sum();
        let projector = 2.0 * self.tokens(sequences) * widths as f64;
        match self.trains {
            VisionTower::Frozen => pixels,
            VisionTower::Projector => pixels + projector,
            VisionTower::Trained => {
                let kinds = self.kinds();
                let blocks = kinds
                    .iter()
                    .map(|kind| kind.0 * self.block_bytes(context, role, layout, (*kind, sequences)));
                pixels + projector + blocks.sum::<f64>()
            }
        }
    }

    /// Bytes that its largest block makes of one micro-batch, nothing recomputed.
    #[must_use]
    pub fn working_bytes(&self, context: &Context<'_>, role: &Role<'_>, layout: &Layout, sequences: f64) -> f64 {
        let plain = layout.without_recompute();
        let kinds = self.kinds();
        let each = kinds.iter().filter(|kind| kind.0 > 0.0);
        each.map(|kind| self.block_bytes(context, role, &plain, (*kind, sequences)))
            .fold(0.0, f64::max)
    }

    /// Bytes that one block keeps of the images of a micro-batch.
    fn block_bytes(
        &self,
        context: &Context<'_>,
        role: &Role<'_>,
        layout: &Layout,
        ((_, attention_length), sequences): (Kind, f64),
    ) -> f64 {
        let alone = alone(layout);
        let rates = context.rates.in_half();
        let own = self.block_context(context, role, (&alone, &rates));
        let slice = Slice { tokens: self.patches(sequences), attention_length, sequences };
        own.kept_bytes(BLOCK, slice, 0.0)
    }

    /// Its blocks.
    #[must_use]
    pub fn blocks(&self) -> f64 {
        self.vision.layers as f64
    }

    /// Whether the blocks of the tower train.
    #[must_use]
    pub fn trains(&self) -> bool {
        self.trains == VisionTower::Trained
    }

    /// An engine's time for one image: products at a share of the card's rate, attention, and the two all-reduces of each block
    /// where the engine's ranks split its matrices.
    #[must_use]
    pub(crate) fn engine_parts(&self) -> EngineWork {
        let attention: f64 = self
            .kinds()
            .iter()
            .map(|(blocks, length)| blocks * length * 2.0 * self.vision.hidden as f64)
            .sum();
        let attention = Flops::new(self.picture.patches * attention);
        EngineWork {
            products: self.forward_flops() - attention,
            attention,
            reduced: Bytes::new(2.0 * self.picture.patches * self.vision.hidden as f64),
            reduces: 2.0 * self.vision.layers as f64,
        }
    }

    /// Images of a prompt.
    #[must_use]
    pub fn images(&self) -> f64 {
        self.images
    }
}

/// What one image asks of an engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EngineWork {
    /// Operations of the products.
    pub(crate) products: Flops,
    /// Operations of attention.
    pub(crate) attention: Flops,
    /// Bytes of one all-reduce.
    pub(crate) reduced: Bytes,
    /// All-reduces.
    pub(crate) reduces: f64,
}

/// A block of a tower.
pub(crate) const BLOCK: Block = Block { mixer: Mixer::Attention, mlp: Mlp::Dense, count: 1 };

/// The layout of a tower's blocks: what splits matrices and sequences of the language model splits nothing of them.
fn alone(layout: &Layout) -> Layout {
    Layout {
        tensor_parallel: 1,
        context_parallel: 1,
        ulysses_parallel: 1,
        expert_parallel: 1,
        expert_tensor_parallel: 1,
        sequence_parallel: false,
        ..*layout
    }
}
