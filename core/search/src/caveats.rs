//! Caveats: what an estimate assumes or leaves out.

mod experts;
mod software;

use shardwise_catalog::catalog::{self, Interconnect, Offer};
use shardwise_catalog::efficiency::EFFICIENCY;
use shardwise_catalog::error::Caveat;
use shardwise_catalog::hardware::{Hardware, supports_bf16, supports_flash_attention};
use shardwise_catalog::units::{fixed, shortest};
use shardwise_engine::batch;
use shardwise_engine::coverage;
use shardwise_engine::host::moves;
use shardwise_question::job::{ASSUMED_NETWORK, Job};
use shardwise_question::market::NO_OFFER;
use shardwise_question::plan::{Layout, MicroBatch, Plan};
use shardwise_question::task::Preference;
use shardwise_question::wire::{Attention, Calibration, Precision, RunBy, WorkloadKind};
use shardwise_question::workload::Rl;

/// Code of the caveat that the network between nodes is assumed.
pub(crate) const NETWORK_ASSUMED: &str = "network-assumed";

/// Code of the caveat that says whose price it is, where it is not the typical one.
pub const PRICE_OF_OFFER: &str = "price-of-offer";

/// Whether some framework runs a plan, where frameworks run such work at all: lists have what nobody runs last
/// ([`crate::search::measures`]).
pub(crate) fn somebody_runs(job: &Job, run_by: Option<&RunBy>) -> bool {
    run_by.is_some() || job.workload.generation.is_some()
}

/// What the estimate assumes or leaves out for this job and plan, which `run_by` runs.
#[must_use]
pub(crate) fn caveats(job: &Job, plan: &Plan, run_by: Option<&RunBy>) -> Vec<Caveat> {
    let mut found: Vec<Caveat> = coverage::untried(&job.hardware).into_iter().collect();
    found.extend(job.workload.kind.preference().map(preferences));
    found.extend(job.caveats.iter().cloned());
    found.extend(job.calibration.as_ref().map(calibrated));
    let hardware = &job.hardware;
    let training = job.workload.generation.is_none();
    model(job, &mut found);
    kernels(job, plan, &mut found);
    found.extend(efficiencies(hardware));
    found.extend(software::engine(hardware, plan));
    if training {
        found.extend(coverage::caveat(job, &plan.layout));
        found.extend(padded(job, &plan.layout));
        found.extend(software::newest_kernel(job, &plan.layout));
        found.extend(software::own_adapters(job, &plan.layout));
    }
    // Of a market without an offer the reason is said already.
    if hardware.usd_per_gpu_hour.is_none() && !job.caveats.iter().any(|own| own.id == NO_OFFER) {
        found.push(Caveat::new(
            "no-price",
            format!("No dated price for {} is in the catalog. Type one to see cost.", hardware.name),
        ));
    }
    found.extend(priced(hardware));
    rented(job, plan, &mut found);
    if training {
        shares(job, &plan.layout, &mut found);
        offload(job, &plan.layout, &mut found);
        found.extend(experts::experts(job, &plan.layout));
    }
    if let Some(rl) = &job.workload.rl {
        // A teacher takes the place of rewards.
        reinforcement((rl, job.workload.distillation.is_none()), &mut found);
    }
    found.extend(software::four_bits(job));
    found.extend(network(hardware));
    if !somebody_runs(job, run_by) {
        found.push(Caveat::new(
            "no-framework",
            "None of the frameworks that texts are printed for runs this plan as it is estimated.",
        ));
    }
    found
}

/// Whose price it is, where the typical one is not.
fn priced(hardware: &Hardware) -> Option<Caveat> {
    let offer = hardware.priced_by?;
    let when = offer.dated();
    let says = format!(
        "No typical price is known that somebody asks for {} of these GPUs together: the price is that of {} at {}, of {when}, the least on demand.",
        hardware.gpus,
        offer.instance(),
        offer.provider(),
    );
    Some(Caveat::new(PRICE_OF_OFFER, says))
}

/// What is not known of the network between nodes, of a machine that no offer describes.
fn network(hardware: &Hardware) -> Option<Caveat> {
    if hardware.nodes() <= 1 || hardware.offer.is_some() {
        return None;
    }
    let gbit = shortest(hardware.internode_gbit_per_s);
    let Some(gpu) = catalog::gpu(&hardware.gpu) else {
        let says = format!("A network of {gbit} Gbit/s per GPU is assumed between nodes.");
        return Some(Caveat::new(NETWORK_ASSUMED, says));
    };
    // A price of the catalog is one of machines that somebody rents out.
    let own = |offer: &&Offer| !offer.history && offer.gpu().is_some_and(|own| own.id == gpu.id);
    let joined = catalog::offers()
        .iter()
        .filter(own)
        .any(|offer| offer.network_gbit_per_s().is_some());
    let stated = hardware.internode_gbit_per_s != gpu.internode_gbit_per_s && gpu.internode_gbit_per_s > 0.0;
    (hardware.price_source.is_some() && !joined && !stated).then(|| {
        Caveat::new(
            NETWORK_ASSUMED,
            format!(
                "No offer of {} states a network between its machines: {gbit} Gbit/s per GPU are assumed, and whether anybody rents {} of them joined is not known.",
                hardware.name,
                hardware.nodes()
            ),
        )
    })
}

/// That how much is padded rests on how lengths are taken to vary.
fn padded(job: &Job, layout: &Layout) -> Option<Caveat> {
    batch::assumes_spread(job, layout).then(|| {
        Caveat::new(
            "lengths-assumed",
            "Sequences are padded to the longest of their micro-batch, and lengths are taken to vary by half of their mean. State workload.sequence_length_cv, or workload.lengths.",
        )
    })
}

/// What is not known of learning from preferences.
fn preferences(own: &Preference) -> Caveat {
    Caveat::new(
        "no-such-run",
        format!(
            "{} is timed by its passes, as fine-tuning's: no run that the estimate is fitted on learns from preferences, and the interval is as wide as for kinds of run that were never measured.",
            own.name
        ),
    )
}

/// What an offer leaves open.
fn rented(job: &Job, plan: &Plan, found: &mut Vec<Caveat>) {
    let hardware = &job.hardware;
    let Some(offer) = &hardware.offer else {
        return;
    };
    let name = offer.instance();
    if offer.is_machine() && offer.network_gbit_per_s().is_none() && hardware.nodes() > 1 {
        let gbit = shortest(ASSUMED_NETWORK);
        found.push(Caveat::new(
            "offer-network",
            format!("The network of {name} is not stated: {gbit} Gbit/s an instance are assumed, the least that any offer states."),
        ));
    }
    let moved = moves(job, plan) && !plan.layout.nvme_offload && offer.is_machine();
    if let (None, Some(gib), true) = (offer.host_ram_gib(), hardware.host_ram_gib(), moved) {
        let gib = shortest(gib.round());
        found.push(Caveat::new(
            "offer-host-memory",
            format!("The host memory of {name} is not stated: {gib} GiB an instance are assumed, and what the plan moves there needs them."),
        ));
    }
    // A row of one's own says nothing of what follows, and its reader knows where it is from.
    let Some(offer) = offer.listed() else {
        return;
    };
    let could = offer.gpu().is_some_and(|gpu| gpu.nvlink_gb_per_s > 0.0);
    let linked = matches!(offer.interconnect, Interconnect::Nvlink | Interconnect::Xgmi);
    if offer.gpus > 1 && could && offer.interconnect == Interconnect::Unknown {
        found.push(Caveat::new(
            "offer-interconnect",
            format!("What joins the GPUs of {name} is not stated: PCIe is assumed."),
        ));
    }
    if offer.gpus > 1 && !could && linked {
        found.push(Caveat::new(
            "offer-interconnect",
            format!("The NVLink bridges of {name} are not modelled: PCIe is assumed."),
        ));
    }
    if offer.date().is_none() {
        let says = match offer.read_from() {
            Some(what) => {
                format!("The date of this price is not known, only what it was read from: {what}. Check it before use.")
            }
            None => format!(
                "The date of this price is not known, only the commit of the list that has it: {}. Check it before use.",
                offer.snapshot()
            ),
        };
        found.push(Caveat::new("offer-undated", says));
    }
}

/// Parts of the model that are not modelled.
fn model(job: &Job, found: &mut Vec<Caveat>) {
    if job.model.hybrid {
        found.push(Caveat::new(
            "hybrid-architecture",
            "This architecture mixes in Mamba-2, Gated DeltaNet, sparse attention or blocks of several sizes. Weights are exact; times are a first approximation that no published run has checked.",
        ));
    }
    let shape = &job.model.shape;
    if shape.zero_experts > 0 {
        found.push(Caveat::new(
            "experts-that-compute-nothing",
            format!(
                "{} experts of this model compute nothing, and a token is counted with {} of the others, the mean of an even choice. A layer of its config.json is two blocks here: its experts wait for what a run overlaps them with.",
                shape.zero_experts, shape.num_experts_per_tok
            ),
        ));
    }
    let reading = &job.model.reading;
    if let Some(own) = &reading.unknown_type {
        found.push(Caveat::new(
            "unknown-type",
            format!(
                "model_type {own} is not known: only its sizes are read, as those of a plain decoder with SwiGLU and full attention. Hold the number of weights against the model's own page."
            ),
        ));
    }
    if reading.tower_ignored {
        found.push(Caveat::new(
            "tower-not-counted",
            "The towers for images or sounds in this config are of a kind that is not modelled: neither their weights nor their work is counted.",
        ));
    }
    if let Some(own) = &reading.released {
        let text = if job.workload.kind == WorkloadKind::Rollout {
            format!(
                "The weights are published in {}, and the engine serves them so; its products are counted in the precision of the plan.",
                own.name
            )
        } else {
            format!(
                "The weights are published in {}. Training starts from weights turned back into 16 bits, and those are counted.",
                own.name
            )
        };
        found.push(Caveat::new("released-in-few-bits", text));
    }
    if job.workload.images.is_some() {
        found.push(Caveat::new(
            "images-unfitted",
            "No published run says what images take by themselves: the vision tower is timed by the kernels of the language model's layers, and the interval is wider. Their tokens are part of the lengths that you gave.",
        ));
    } else if job.model.shape.vision.is_some() {
        found.push(Caveat::new(
            "text-only",
            "The vision tower's weights are counted, its work is not: images come as the text tokens they fill.",
        ));
    }
}

/// What the card's kernels cannot do.
fn kernels(job: &Job, plan: &Plan, found: &mut Vec<Caveat>) {
    let hardware = &job.hardware;
    if hardware.unified_memory {
        found.push(Caveat::new(
            "unified-memory",
            format!(
                "CPU and GPU of {} share one memory: what the host's processes take is taken off, and nothing is moved to host memory.",
                hardware.name
            ),
        ));
    }
    let engine = plan.rollout.map(|own| own.precision);
    let asked = [Some(job.workload.precision), engine];
    if asked.into_iter().flatten().any(|own| hardware.own_tflops(own).is_none()) {
        found.push(Caveat::new(
            "precision-unsupported",
            format!("{} has no tensor cores for this precision: bf16 rates are used.", hardware.name),
        ));
    }
    let bf16 = job.workload.precision == Precision::Bf16;
    if bf16 && !supports_bf16(&hardware.architecture) {
        found.push(Caveat::new(
            "no-bf16",
            format!(
                "{} does not multiply in bf16: frameworks fall back to fp32 there, many times slower, or refuse. The estimate is that of fp16; train with fp16 and loss scaling, or take another card.",
                hardware.name
            ),
        ));
    }
    let flash = match job.workload.generation {
        None => plan.layout.attention == Attention::Flash,
        Some(_) => false,
    };
    if flash && !supports_flash_attention(&hardware.architecture) {
        found.push(Caveat::new(
            "no-flash-attention",
            format!(
                "FlashAttention-2 does not run on {}: PyTorch's memory-efficient attention holds as little and is slower than estimated.",
                hardware.name
            ),
        ));
    }
}

/// Layers and sequences that cannot be shared evenly.
fn shares(job: &Job, layout: &Layout, found: &mut Vec<Caveat>) {
    let (hardware, shape) = (&job.hardware, &job.model.shape);
    if !shape.num_hidden_layers.is_multiple_of(layout.pipeline_parallel.into()) {
        found.push(Caveat::new(
            "uneven-stages",
            format!(
                "{} layers do not divide into {} stages: the largest stage decides. Some frameworks need an explicit split.",
                shape.num_hidden_layers, layout.pipeline_parallel
            ),
        ));
    }
    if let MicroBatch::Sequences(micro) = layout.micro_batch {
        let ranks = u64::from(layout.data_parallel(hardware.gpus));
        if !job.workload.global_batch.is_multiple_of(micro * ranks) {
            found.push(Caveat::new(
                "uneven-batch",
                format!(
                    "A global batch of {} does not divide into micro-batches of {micro} on {ranks} ranks: the last one is taken as full.",
                    job.workload.global_batch
                ),
            ));
        }
    }
}

/// What is in host memory without effect, or at a speed that is assumed.
fn offload(job: &Job, layout: &Layout, found: &mut Vec<Caveat>) {
    if layout.offload.parameters && layout.zero_stage < 3 && job.workload.rl.is_none() {
        found.push(Caveat::new(
            "offload-ignored",
            "Parameters are offloaded during a step only under ZeRO stage 3: the switch has no effect here.",
        ));
    }
    if layout.nvme_offload {
        found.push(Caveat::new(
            "needs-drives",
            "What is offloaded lies on NVMe drives of the nodes, which is what the search chooses where host memory lacks room: it needs fast local ones with that much free. Where there are none, set nvme_offload to false.",
        ));
    }
    let steps_there = layout.offload.optimizer && job.workload.rl.is_none();
    if job.workload.lora.is_none() && (steps_there || layout.optimizer_offload_fraction > 0.0) {
        found.push(Caveat::new(
            "host-step-assumed",
            "How fast a node's CPUs step the optimizer is assumed; two published runs bear it out.",
        ));
    }
}

/// What RL leaves out, and how far off its steps are.
fn reinforcement((rl, scored): (&Rl, bool), found: &mut Vec<Caveat>) {
    if scored && rl.reward_s == 0.0 && rl.reward_model.is_none() {
        found.push(Caveat::new(
            "no-reward-time",
            "Rewards are taken to cost no time. If they take some, give their seconds a step.",
        ));
    }
    found.push(Caveat::new(
        "rl-rough",
        format!(
            "On {} published RL steps, each table predicted from the others, whole steps are off by {} % at the median; how long responses get, and how many run to the limit, decides.",
            coverage::COVERAGE.reinforcement_runs,
            fixed(100.0 * coverage::COVERAGE.reinforcement_median, 0)
        ),
    ));
}

/// A search that ended before all plans were considered.
#[must_use]
pub(crate) fn cut_short() -> Caveat {
    Caveat::new(
        "search-limit",
        "There are more plans than a question's work allows to consider: a better one may have been left out. State a part of the plan, and the search covers the rest.",
    )
}

/// Whose efficiencies a GPU has whose own are not known.
fn efficiencies(hardware: &Hardware) -> Option<Caveat> {
    if let Some(like) = hardware.like.and_then(catalog::gpu) {
        return Some(Caveat::new(
            "efficiency-taken-over",
            format!(
                "{} is taken to be like {}, whose peak and bandwidth are within 10 % of its own: kernels come as close to both as there. hardware.gpu.architecture states another one.",
                hardware.name, like.name
            ),
        ));
    }
    if EFFICIENCY.known(hardware).is_some() {
        return None;
    }
    let names: Vec<String> = EFFICIENCY.architecture_names().collect();
    Some(Caveat::new(
        "efficiency-assumed",
        format!(
            "How close {} comes to its data sheet is not known: the median over all architectures is assumed. State hardware.gpu.architecture where it is one of {}.",
            hardware.name,
            names.join(", ")
        ),
    ))
}

/// What a calibrated estimate says of itself.
fn calibrated(calibration: &Calibration) -> Caveat {
    Caveat::new("calibrated", format!("Calibrated with a run of your own: {}.", factors(calibration)))
}

/// The factors of a calibration in words: `times × 1.12, training's memory × 1.03`.
#[must_use]
pub fn factors(calibration: &Calibration) -> String {
    let part = |what: &str, factor: Option<f64>| factor.map(|f| format!("{what} × {}", fixed(f, 2)));
    // Where phases have theirs, no second follows the whole step's.
    let time = calibration.time.filter(|_| !calibration.has_phases());
    let parts = [
        part("times", time),
        part("generation", calibration.rollout),
        part("passes forward alone", calibration.forward),
        part("updates", calibration.update),
        part("weight sync", calibration.weight_sync),
        part("the rest of the step", calibration.other),
        part("training's memory", calibration.memory),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
