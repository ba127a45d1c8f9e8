//! Images of a question.

use super::document::{document, entries_of_words};
use shardwise_catalog::words;

entries_of_words!(VisionTower);

words! {
    /// What trains of a vision tower.
    #[derive(Default)]
    pub enum VisionTower {
        /// The tower and its projector into the language model.
        #[default]
        Trained = "trained",
        /// The projector alone.
        Projector = "projector",
        /// Nothing of it: its weights are as they were loaded.
        Frozen = "frozen",
    }
}

document! {
    /// Images of an example, or in RL and generation of a prompt. The tokens that they fill are part of its stated length.
    #[derive(Copy, Default)]
    pub struct ImagesSpec {
        /// Mean number of images; half of the examples with one: 0.5. Default 1.
        pub per_example: Option<f64>,
        /// Width of an image in pixels. Required.
        pub width: Option<u64>,
        /// Height of an image in pixels. Required.
        pub height: Option<u64>,
        /// Most pixels of an image: larger ones are scaled down (`max_pixels` of Qwen's processors, LLaMA-Factory's
        /// `image_max_pixels`). Default: what the model's own processor has.
        pub max_pixels: Option<u64>,
        /// What trains of the vision tower. Default: trained, with a caveat; frozen where only adapters train.
        pub vision_tower: Option<VisionTower>,
    }
}
