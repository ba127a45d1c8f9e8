//! The blocks of a model: what each is made of, how many there are, and where.

use std::ops::{Deref, Range};

use shardwise_catalog::model::Shape;

/// What mixes tokens in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mixer {
    /// Attention to all tokens before.
    Attention,
    /// Attention to those within [`Shape::sliding_window`].
    Window,
    /// Gated `DeltaNet`.
    DeltaNet,
    /// Mamba-2.
    Mamba,
    /// Nothing: the block is an MLP or experts alone.
    None,
}

impl Mixer {
    /// Whether it is attention, which has queries, keys and values.
    #[must_use]
    pub fn attends(self) -> bool {
        matches!(self, Self::Attention | Self::Window)
    }

    /// Whether it is a recurrence, computed as a scan.
    #[must_use]
    pub fn recurs(self) -> bool {
        matches!(self, Self::DeltaNet | Self::Mamba)
    }
}

/// What each token goes through by itself in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mlp {
    /// One MLP.
    Dense,
    /// The experts that a router chooses, and those that all tokens visit.
    Experts,
    /// Nothing: the block mixes tokens alone.
    None,
}

/// A kind of block and how many of them the model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// What mixes tokens.
    pub mixer: Mixer,
    /// What follows it.
    pub mlp: Mlp,
    /// How many.
    pub count: u64,
}

impl Block {
    /// Whether experts follow the mixer.
    #[must_use]
    pub fn has_experts(&self) -> bool {
        self.mlp == Mlp::Experts
    }
}

/// A model's distinct blocks in order of first appearance, and which of them each layer is.
#[derive(Clone, Debug)]
pub struct Blocks {
    all: Vec<Block>,
    layers: usize,
    /// For each block, how many of the first `n` layers are it, for `n` from none to all; empty where all layers are alike.
    before: Vec<Vec<u32>>,
}

impl Blocks {
    /// The blocks of a model.
    #[must_use]
    pub fn of(shape: &Shape) -> Self {
        let layers = shape.num_hidden_layers as usize;
        let mut all: Vec<Block> = Vec::with_capacity(4);
        let mut places = Vec::with_capacity(layers);
        for layer in 0..shape.num_hidden_layers {
            let (mixer, mlp) = parts(shape, layer);
            let known = all.iter().position(|block| (block.mixer, block.mlp) == (mixer, mlp));
            let place = known.unwrap_or(all.len());
            match all.get_mut(place) {
                Some(block) => block.count += 1,
                None => all.push(Block { mixer, mlp, count: 1 }),
            }
            places.push(place);
        }
        let counts = |own: usize| {
            let mut count = 0;
            let so_far = places.iter().map(|place| {
                count += u32::from(*place == own);
                count
            });
            [0].into_iter().chain(so_far).collect()
        };
        let before = if all.len() == 1 { Vec::new() } else { (0..all.len()).map(counts).collect() };
        Self { all, layers, before }
    }

    /// Layers of the model.
    #[must_use]
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// Layers of the block at `place` among those of `range`.
    #[must_use]
    pub fn count(&self, place: usize, range: &Range<usize>) -> f64 {
        let Some(before) = self.before.get(place) else {
            return range.len() as f64;
        };
        let at = |layer: usize| before.get(layer).copied().unwrap_or_default();
        f64::from(at(range.end).saturating_sub(at(range.start)))
    }
}

impl Deref for Blocks {
    type Target = [Block];

    fn deref(&self) -> &[Block] {
        &self.all
    }
}

/// What a layer is made of, by its letter of [`Shape::layer_pattern`].
fn parts(shape: &Shape, layer: u64) -> (Mixer, Mlp) {
    let mlp = if shape.is_expert_layer(layer) { Mlp::Experts } else { Mlp::Dense };
    match shape.layer_kind(layer) {
        b'S' => (Mixer::Window, mlp),
        b'L' => (Mixer::DeltaNet, mlp),
        b'M' => (Mixer::Mamba, Mlp::None),
        b'*' => (Mixer::Attention, Mlp::None),
        b'-' => (Mixer::None, Mlp::Dense),
        b'E' => (Mixer::None, mlp),
        // `A`: the catalog's build and the reader of `config.json` let no other pass.
        _ => (Mixer::Attention, mlp),
    }
}
