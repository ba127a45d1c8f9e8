//! Time of collectives between GPUs.

use shardwise_catalog::catalog::Generation;
use shardwise_catalog::efficiency::Efficiency;
use shardwise_catalog::hardware::Hardware;
use shardwise_catalog::model::Shape;
use shardwise_catalog::units::{Bytes, BytesPerSecond, Seconds};

/// The links of one GPU: data sheet times measured efficiencies.
#[derive(Clone, Copy, Debug)]
pub struct Network {
    /// To GPUs of the same NVLink domain, or over PCIe where there is no NVLink.
    pub local: BytesPerSecond,
    /// To GPUs beyond it.
    pub remote: BytesPerSecond,
    /// To host memory.
    pub host: BytesPerSecond,
    /// To the node's NVMe drives, which its GPUs share; a node has one for each GPU up to eight.
    pub drives: BytesPerSecond,
    /// GPUs reachable locally.
    pub domain: u32,
    /// Whether every pair of GPUs has a link of its own (xGMI), rather than all a switch: a smaller group has fewer.
    mesh: bool,
    /// Bandwidth of all-to-all exchanges over that of the other collectives.
    exchange: f64,
    local_latency: Seconds,
    remote_latency: Seconds,
    ring_hop: Seconds,
}

/// GPUs of the node whose drives were measured.
const DRIVES_OF: u32 = 8;

/// A GPU's share of its node's NVMe drives. A node of fewer GPUs than the measured one has so many fewer drives: half of them
/// reach half (DeepNVMe, `blogs/deepnvme/06-2025/README.md`, I/O performance scaling).
fn drives(hardware: &Hardware, efficiency: &Efficiency) -> BytesPerSecond {
    let node = hardware.gpus_per_node.min(hardware.gpus).max(1);
    BytesPerSecond::from_gb(efficiency.nvme_gb_per_s) / f64::from(node.max(DRIVES_OF))
}

/// Where the experts lie that a token visits.
#[derive(Clone, Copy, Debug)]
pub struct Routing {
    /// Experts of a token.
    pub visits: f64,
    /// Groups of experts, and how many of them a token's lie in at most; `None` where they may lie anywhere.
    pub groups: Option<(f64, f64)>,
}

impl Routing {
    /// As the model's router chooses: `DeepSeek`-V2's and -V3's in few of its groups of experts (arXiv:2412.19437, section 2.1.2).
    #[must_use]
    pub fn of(shape: &Shape) -> Self {
        let groups = (shape.expert_groups as f64, shape.expert_groups_per_tok as f64);
        Self { visits: shape.num_experts_per_tok as f64, groups: (shape.expert_groups > 0).then_some(groups) }
    }

    /// How many of so many places, which share the experts in their order, a token visits: `n · (1 − (1 − 1/n)^visits)`.
    fn visited(&self, places: f64) -> f64 {
        let among = |places: f64, times: f64| places * (1.0 - libm::pow(1.0 - 1.0 / places, times));
        match self.groups {
            Some((groups, chosen)) if places >= groups => among((places * chosen / groups).max(1.0), self.visits),
            Some((_, chosen)) => among(places, chosen.min(self.visits)),
            None => among(places, self.visits),
        }
    }
}

/// GPUs that communicate: how many, and how many of them share a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// GPUs in the group.
    pub size: u32,
    /// Those in one NVLink domain.
    pub local: u32,
}

impl Network {
    /// Links of one GPU of `hardware`.
    #[must_use]
    pub fn of(hardware: &Hardware, efficiency: &Efficiency) -> Self {
        let host = BytesPerSecond::from_gb(hardware.pcie_gb_per_s * efficiency.pcie);
        let nvlink = hardware.nvlink_gb_per_s > 0.0 && hardware.nvlink_domain > 1;
        // Without NVLink the GPUs of a node talk over PCIe, through host memory: half the link each way.
        let local =
            if nvlink { BytesPerSecond::from_gb(hardware.nvlink_gb_per_s * efficiency.nvlink) } else { host * 0.5 };
        let domain = if nvlink { hardware.nvlink_domain.max(hardware.gpus_per_node) } else { hardware.gpus_per_node };
        let domain =
            if nvlink && hardware.nvlink_domain < hardware.gpus_per_node { hardware.nvlink_domain } else { domain };
        let remote = BytesPerSecond::from_gbit(hardware.internode_gbit_per_s * efficiency.network);
        Self {
            local,
            // Pairs joined by a bridge reach the rest of their node over PCIe.
            remote: if domain < hardware.gpus_per_node { (host * 0.5).max(remote) } else { remote },
            host,
            drives: drives(hardware, efficiency),
            domain,
            mesh: nvlink && Generation::of(&hardware.architecture).is_some_and(|own| own.mesh),
            exchange: efficiency.exchange,
            local_latency: Seconds::new(efficiency.nvlink_latency_s),
            remote_latency: Seconds::new(efficiency.network_latency_s),
            ring_hop: Seconds::new(efficiency.ring_hop_s),
        }
    }

    /// These links with collectives that start within `local` inside a domain, and `remote` later for each doubling of the
    /// domains.
    #[must_use]
    pub fn with_latency(self, local: Seconds, remote: Seconds) -> Self {
        Self { local_latency: local, remote_latency: remote, ..self }
    }

    /// The group of `size` GPUs whose neighbours are `stride` ranks apart.
    #[must_use]
    pub fn group(&self, size: u32, stride: u32) -> Group {
        let size = size.max(1);
        Group { size, local: (self.domain / stride.max(1)).clamp(1, size) }
    }

    /// Bandwidth of a ring through the group, per GPU: over NVLink inside a domain; between domains the
    /// network cards of all local members carry it together.
    fn ring(&self, group: Group) -> BytesPerSecond {
        if group.local >= group.size {
            if self.mesh {
                let links = f64::from(self.domain.max(2) - 1);
                self.local * (f64::from(group.size - 1) / links)
            } else {
                self.local
            }
        } else {
            self.local.min(self.remote * f64::from(group.local))
        }
    }

    fn latency(&self, group: Group) -> Seconds {
        if group.size <= 1 {
            return Seconds::ZERO;
        }
        if group.local >= group.size {
            return self.local_latency;
        }
        let nodes = group.size.div_ceil(group.local);
        self.local_latency + self.remote_latency * f64::from(u32::BITS - nodes.leading_zeros())
    }

    /// All-gather or reduce-scatter of `bytes` (the whole buffer) over the group.
    ///
    /// `(n-1)/n · bytes / bandwidth`: each GPU sends and receives all but its own share
    /// (nccl-tests, doc/PERFORMANCE.md).
    #[must_use]
    pub fn gather(&self, bytes: f64, group: Group) -> Seconds {
        if group.size <= 1 {
            return Seconds::ZERO;
        }
        let n = f64::from(group.size);
        self.latency(group) + Bytes::new(bytes * (n - 1.0) / n) / self.ring(group)
    }

    /// What so many all-gathers or reduce-scatters wait for their rings, where these are of at most `most` GPUs.
    ///
    /// Each passes `n − 1` GPUs one after another before its ring flows: NCCL has trees for all-reduces alone, and PAT, which has
    /// them for these, only where a node has one GPU of the group (`ncclTopoTuneModel` and `ncclPatEnable` of its
    /// `src/graph/tuning.cc`; PAT: arXiv:2506.20252). Llama-2-7B under FSDP so loses 37 % per GPU from 128 to 2,048 H100
    /// (arXiv:2411.13055). Inside a domain efficiencies have it.
    #[must_use]
    pub fn ring_latency(&self, pieces: f64, group: Group, most: u32) -> Seconds {
        let hops = if group.local >= group.size { 0 } else { group.size.min(most) - 1 };
        self.ring_hop * pieces * f64::from(hops)
    }

    /// All-reduce of `bytes`: a reduce-scatter and an all-gather.
    #[must_use]
    pub fn reduce(&self, bytes: f64, group: Group) -> Seconds {
        if group.size <= 1 {
            return Seconds::ZERO;
        }
        let n = f64::from(group.size);
        self.latency(group) + Bytes::new(2.0 * bytes * (n - 1.0) / n) / self.ring(group)
    }

    /// All-to-all in which each GPU holds `bytes`: the share for other domains leaves by its own card.
    #[must_use]
    pub fn exchange(&self, bytes: f64, group: Group) -> Seconds {
        let n = f64::from(group.size);
        let local = f64::from(group.local.min(group.size));
        self.exchange_parts(bytes * (local - 1.0) / n, bytes * (n - local) / n, group)
    }

    /// All-to-all of tokens to the experts they visit, which are spread over the group.
    ///
    /// A token crosses the network once per domain it visits, whatever number of experts it has
    /// there, and is copied inside it: `(d−1)·(1 − (1 − 1/d)^visits)` copies for `d` domains (DeepEP's
    /// and Hybrid-EP's dispatch, <https://github.com/deepseek-ai/DeepEP>). `bytes` are those of all visits.
    #[must_use]
    pub fn dispatch(&self, bytes: f64, routing: Routing, group: Group) -> Seconds {
        let n = f64::from(group.size);
        self.handed(bytes, routing, group, bytes * (n - 1.0) / n)
    }

    /// The same where a token is sent once to each GPU that it visits, and copied there for its experts: `DeepEP`'s and
    /// Hybrid-EP's way inside a domain as well (`num_tokens_per_rank` of `get_dispatch_layout`).
    #[must_use]
    pub fn dispatch_once(&self, bytes: f64, routing: Routing, group: Group) -> Seconds {
        let n = f64::from(group.size);
        self.handed(bytes, routing, group, bytes / routing.visits * routing.visited(n) * (n - 1.0) / n)
    }

    /// Tokens that move `near` bytes inside their domains, and beyond them once to each other domain that they visit.
    fn handed(&self, bytes: f64, routing: Routing, group: Group, near: f64) -> Seconds {
        if group.size <= 1 || routing.visits <= 0.0 {
            return Seconds::ZERO;
        }
        let domains = f64::from(group.size) / f64::from(group.local.min(group.size));
        let crossings = routing.visited(domains) * (domains - 1.0) / domains;
        self.exchange_parts(near, bytes / routing.visits * crossings, group)
    }

    fn exchange_parts(&self, near: f64, far: f64, group: Group) -> Seconds {
        if group.size <= 1 {
            return Seconds::ZERO;
        }
        let time = (Bytes::new(near) / self.local).max(Bytes::new(far) / self.remote);
        self.latency(group) + time / self.exchange
    }

    /// Bandwidth between two GPUs of a domain: in a mesh they have one link of those that leave each.
    fn pair(&self) -> BytesPerSecond {
        if self.mesh { self.local / f64::from(self.domain.max(2) - 1) } else { self.local }
    }

    /// One message of `bytes` to a GPU `stride` ranks away.
    #[must_use]
    pub fn send(&self, bytes: f64, stride: u32) -> Seconds {
        let local = stride < self.domain;
        let rate = if local { self.pair() } else { self.remote };
        let latency = if local { self.local_latency } else { self.local_latency + self.remote_latency };
        latency + Bytes::new(bytes) / rate
    }
}
