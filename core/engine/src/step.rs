//! One whole step: every phase's time and memory, and what the schedule makes of them.

mod evaluate;
mod taken;

pub use evaluate::{evaluate, memories, turns};
pub use taken::Step;
pub use taken::{engine_memory, generation_parts, recomputed_share};
