//! The figures of a message that memory ran out, as PyTorch, vLLM, `SGLang`, Ray and the kernel print them.

use serde::Serialize;

/// What ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "MemoryPlace"))]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A GPU's memory.
    Device,
    /// The engine's share of it, which its settings bound.
    Engine,
    /// A node's memory.
    Host,
    /// `/dev/shm`.
    Shared,
}

/// The figures, in GiB; absent where the message has none.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "MemoryFigures"))]
pub struct Figures {
    /// What was asked for.
    pub asked_gib: Option<f64>,
    /// What the card has.
    pub capacity_gib: Option<f64>,
    /// What of it was free.
    pub free_gib: Option<f64>,
    /// What PyTorch had handed out.
    pub allocated_gib: Option<f64>,
    /// What PyTorch held and had not handed out.
    pub unused_gib: Option<f64>,
    /// What other processes held.
    pub others_gib: Option<f64>,
}

/// A sign that memory ran out.
#[derive(Clone, Copy)]
pub(super) struct Sign {
    words: &'static str,
    pub(super) place: Place,
    /// The phase and the allocation, where the words tell.
    pub(super) phase: Option<&'static str>,
    pub(super) allocation: Option<&'static str>,
}

const fn sign_of(
    words: &'static str,
    place: Place,
    phase: Option<&'static str>,
    allocation: Option<&'static str>,
) -> Sign {
    Sign { words, place, phase, allocation }
}

const fn engine(words: &'static str, phase: &'static str, allocation: &'static str) -> Sign {
    sign_of(words, Place::Engine, Some(phase), Some(allocation))
}

const fn host(words: &'static str) -> Sign {
    sign_of(words, Place::Host, Some("host"), Some("host"))
}

const fn shared(words: &'static str) -> Sign {
    sign_of(words, Place::Shared, Some("host"), Some("host"))
}

const fn device(words: &'static str) -> Sign {
    sign_of(words, Place::Device, None, None)
}

/// What programs print, in small letters, the telling first: a text has often several, as one error leads to another.
const SIGNS: &[Sign] = &[
    engine("no available memory for the cache blocks", "engine", "kv_cache"),
    engine("maximum number of tokens that can be stored in kv cache", "engine", "kv_cache"),
    engine("larger than the available kv cache memory", "engine", "kv_cache"),
    engine("less than desired gpu memory utilization", "engine", "kv_cache"),
    engine("increase --mem-fraction-static", "engine", "kv_cache"),
    engine("when warming up sampler", "engine", "logits"),
    engine("capture cuda graph failed", "engine", "activations"),
    engine("alloc_req_slots runs out of memory", "rollout", "kv_cache"),
    engine("decode out of memory", "rollout", "kv_cache"),
    engine("prefill out of memory", "rollout", "kv_cache"),
    sign_of("cumem_allocator.cpp", Place::Device, Some("weight_sync"), Some("rollout_weights")),
    sign_of("[torch_memory_saver.cpp] cuda", Place::Device, Some("weight_sync"), Some("rollout_weights")),
    sign_of("[torch_memory_saver.cpp] cures", Place::Device, Some("weight_sync"), Some("rollout_weights")),
    sign_of("[torch_memory_saver.cpp] cumem", Place::Device, Some("weight_sync"), Some("rollout_weights")),
    device("out of memory. tried to allocate"),
    host("node running low on memory"),
    host("killed due to memory pressure"),
    host("defaultcpuallocator: can't allocate memory"),
    host("defaultcpuallocator: not enough memory"),
    host("out of memory: killed process"),
    host("oom-kill"),
    host("oom killed"),
    host("oomkilled"),
    sign_of("cublas_status_alloc_failed", Place::Device, None, Some("communication")),
    sign_of("failed to cuda calloc", Place::Device, None, Some("communication")),
    sign_of("nccl warn cuda failure", Place::Device, None, Some("communication")),
    sign_of("cuda failure 2 'out of memory'", Place::Device, None, Some("communication")),
    sign_of("failed to clone() tensor", Place::Device, Some("save"), Some("parameters")),
    device("cuda out of memory"),
    device("hip out of memory"),
    device("npu out of memory"),
    device("cuda error: out of memory"),
    device("cuda_error_out_of_memory"),
    device("outofmemoryerror"),
    host("exitcode: -9"),
    host("exit code -9"),
    host("exit code 137"),
    host("exited with code 137"),
    host("sigkill"),
    host("return code = -9"),
    host("cannot allocate memory"),
    shared("insufficient shared memory"),
    shared("no space left on device: '/dev/shm"),
    shared("bus error"),
];

/// A table of what a card holds: it tells the place alone.
pub(super) const TABLE: &Sign = &device("");

/// What of a line says that memory ran out, and how telling it is: the lowest number is the most.
pub(super) fn sign(line: &str) -> Option<(usize, &'static Sign)> {
    let line = line.to_ascii_lowercase();
    let found = SIGNS.iter().enumerate().find(|(_, sign)| line.contains(sign.words))?;
    // `Failed to clone() … CUDA out of memory. Tried to allocate`: what was being done is in the same line.
    let telling = SIGNS
        .iter()
        .find(|sign| sign.phase.is_some() && sign.place == found.1.place && line.contains(sign.words));
    Some((found.0, telling.unwrap_or(found.1)))
}

/// The figures of PyTorch's message, of any release.
pub(super) fn figures(line: &str) -> Figures {
    let size = |before: &str| line.find(before).and_then(|at| gib(line.get(at + before.len()..)?));
    // `79.15 GiB total capacity;` stands behind its figure, `a total capacity of 79.11 GiB` before it.
    let behind = |after: &str| line.find(after).and_then(|at| last_gib(line.get(..at)?));
    let allocated = behind("is allocated by PyTorch").or_else(|| behind("already allocated"));
    let reserved = behind("reserved in total by PyTorch");
    let unused = behind("is reserved by PyTorch but unallocated").or_else(|| Some((reserved? - allocated?).max(0.0)));
    let free = behind("is free").or_else(|| behind("free;")).or_else(|| behind("bytes free"));
    let capacity = size("total capacity of ")
        .or_else(|| size("total capacty of "))
        .or_else(|| behind("total capacity"));
    let processes: Vec<f64> = line
        .match_indices("memory in use")
        .filter_map(|(at, _)| last_gib(line.get(..at)?))
        .collect();
    let most = processes.iter().copied().fold(0.0, f64::max);
    Figures {
        asked_gib: size("Tried to allocate "),
        capacity_gib: capacity,
        free_gib: free,
        allocated_gib: allocated,
        unused_gib: unused,
        others_gib: (processes.len() > 1).then(|| processes.iter().sum::<f64>() - most),
    }
}

/// The size at the start of a text: `13.91 GiB`.
fn gib(text: &str) -> Option<f64> {
    let mut words = text.split_ascii_whitespace();
    size(words.next()?, words.next()?)
}

/// The size at the end of a text.
fn last_gib(text: &str) -> Option<f64> {
    let mut words = text.rsplit(|c: char| c.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let unit = words.next()?;
    size(words.next()?, unit)
}

/// A size in GiB.
pub(super) fn size(number: &str, unit: &str) -> Option<f64> {
    let number: f64 = number.trim_start_matches('(').parse().ok()?;
    let scale = match unit.trim_end_matches(|c: char| !c.is_ascii_alphabetic()) {
        "GiB" | "GB" => 1.0,
        "MiB" | "MB" => 1.0 / 1024.0,
        "KiB" | "KB" => 1.0 / f64::from(1 << 20),
        "bytes" => 1.0 / f64::from(1 << 30),
        "TiB" => 1024.0,
        _ => return None,
    };
    (number.is_finite() && (0.0..1e7).contains(&number)).then_some(number * scale)
}

#[cfg(test)]
mod tests {
    use super::{Figures, Place, figures, sign};

    #[test]
    fn messages_of_every_release() {
        let new = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 13.91 GiB. GPU 0 has a total capacity of 79.11 GiB of which 8.85 GiB is free. Process 1 has 2.00 GiB memory in use. Process 23444 has 68.25 GiB memory in use. Of the allocated memory 60.49 GiB is allocated by PyTorch, and 6.77 GiB is reserved by PyTorch but unallocated.";
        let expected = Figures {
            asked_gib: Some(13.91),
            capacity_gib: Some(79.11),
            free_gib: Some(8.85),
            allocated_gib: Some(60.49),
            unused_gib: Some(6.77),
            others_gib: Some(2.0),
        };
        assert_eq!(figures(new), expected);
        let old = "RuntimeError: CUDA out of memory. Tried to allocate 512.00 MiB (GPU 0; 23.54 GiB total capacity; 11.75 GiB already allocated; 572.50 MiB free; 12.25 GiB reserved in total by PyTorch)";
        let found = figures(old);
        assert_eq!((found.asked_gib, found.capacity_gib, found.allocated_gib), (Some(0.5), Some(23.54), Some(11.75)));
        assert_eq!((found.unused_gib, found.others_gib), (Some(0.5), None));
        assert_eq!(figures("nothing of the kind"), Figures::default());
        for hostile in [
            "Tried to allocate NaN GiB",
            "Tried to allocate 1e999 GiB",
            "Tried to allocate -3 GiB",
            "Tried to allocate ",
        ] {
            assert_eq!(figures(hostile).asked_gib, None, "{hostile}");
        }
    }

    #[test]
    fn what_ran_out() {
        for (line, place) in [
            ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", Some(Place::Device)),
            (
                "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`",
                Some(Place::Engine),
            ),
            (
                "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.",
                Some(Place::Host),
            ),
            (
                "RuntimeError: DataLoader worker is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory.",
                Some(Place::Shared),
            ),
            ("Cuda failure 2 'out of memory'", Some(Place::Device)),
            ("loss 1.2", None),
        ] {
            assert_eq!(sign(line).map(|(_, sign)| sign.place), place, "{line}");
        }
    }
}
