//! The layers of the core: each takes what is above it in this list, and never what is below.

/// A layer with its modules at the root of the crate.
pub(crate) type Layer = (&'static str, &'static [&'static str]);

/// Every layer, the lowest first.
pub(crate) const LAYERS: [Layer; 8] = [
    (
        "catalog",
        &[
            "error",
            "units",
            "ordered",
            "words",
            "spread",
            "catalog",
            "model",
            "hardware",
            "efficiency",
        ],
    ),
    (
        "question",
        &[
            "wire",
            "framework",
            "recipes",
            "task",
            "workload",
            "plan",
            "job",
            "permalink",
            "presets",
            "belonging",
            "complete",
            "zero_needs",
        ],
    ),
    ("rules", &["rules"]),
    (
        "engine",
        &[
            "batch",
            "weights",
            "layer",
            "activations",
            "kernels",
            "communication",
            "flops",
            "role",
            "context",
            "known",
            "memory",
            "training",
            "rollout",
            "rl",
            "step",
            "host",
            "fit",
            "coverage",
            "zero_infinity",
            "possible",
        ],
    ),
    (
        "search",
        &[
            "search",
            "figures",
            "caveats",
            "warnings",
            "answer",
            "estimate",
            "sensitivity",
            "advice",
            "neighbours",
            "calibration",
        ],
    ),
    ("frameworks", &["emit", "read", "flags"]),
    ("explain", &["methods"]),
    ("shardwise", &["chinese", "interface"]),
];
