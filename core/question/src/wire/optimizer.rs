//! What steps the weights, by name.

use super::document::entries_of_words;
use shardwise_catalog::words;

entries_of_words!(Optimizer);

words! {
    /// What steps the weights, by the name that Hugging Face's `optim` has for it where it has one. What each of them keeps
    /// and moves is a row of [`crate::optimizer::ROWS`].
    #[derive(Default)]
    pub enum Optimizer {
        /// Adam with decoupled weight decay.
        #[default]
        Adamw = "adamw",
        /// The same with moments in 8 bits.
        Adamw8bit = "adamw_8bit",
        /// AdamW whose moments leave a full card for host memory.
        PagedAdamw = "paged_adamw",
        /// The same with moments in 8 bits.
        PagedAdamw8bit = "paged_adamw_8bit",
        /// Adam's second moment as rows and columns, without the first.
        Adafactor = "adafactor",
        /// The sign of a momentum.
        Lion = "lion",
        /// The same in 8 bits.
        Lion8bit = "lion_8bit",
        /// Gradients alone, without momentum.
        Sgd = "sgd",
        /// A momentum made orthogonal for the blocks' matrices, AdamW for the rest.
        Muon = "muon",
    }
}
