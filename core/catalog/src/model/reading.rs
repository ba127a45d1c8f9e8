//! What a `config.json` leaves open or says beside the shape.

/// What is known of a model beside its shape; nothing of those of the catalog.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Weights that its blocks come to, each with its own sizes, where the shape has one size for all; else 0.
    pub outlined: u64,
    /// Its `model_type`, where that is not known and the sizes alone were read.
    pub unknown_type: Option<String>,
    /// Whether it has towers for images or sounds that are not counted.
    pub tower_ignored: bool,
    /// Form of its weights, where that is not 16 bits.
    pub released: Option<Released>,
}

/// Form in which weights are published.
#[derive(Clone, Debug, PartialEq)]
pub struct Released {
    /// As a person calls it: `fp8`, `int4 (gptq)`.
    pub name: String,
    /// Bytes of a weight in the layers that are no experts, scales among them.
    pub dense_bytes: f64,
    /// Bytes of an expert's weight.
    pub expert_bytes: f64,
}
