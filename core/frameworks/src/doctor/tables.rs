//! Tables of memory beside a message: `nvidia-smi` (its layout of driver 450 to 580) and PyTorch's `memory_summary`
//! (<https://docs.pytorch.org/docs/stable/generated/torch.cuda.memory.memory_summary.html>, `torch/cuda/memory.py`).

use super::message::{Figures, size};

/// A card of which no less is used is full: what is left is smaller than what programs ask for.
const FULL: f64 = 0.95;

/// By how much cards may differ, as a share of one, before the work counts as uneven.
const EVEN: f64 = 0.2;

/// The least share of what PyTorch holds that counts as lost between its blocks.
const LOST: f64 = 0.1;

/// What the tables of texts say, in GiB.
#[derive(Debug, Default)]
pub(super) struct Tables {
    cards: Vec<Card>,
    /// The card and the memory of each process.
    processes: Vec<(usize, f64)>,
    allocator: Option<Allocator>,
}

#[derive(Clone, Copy, Debug)]
struct Card {
    used: f64,
    total: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Allocator {
    /// Now, and at most.
    allocated: Option<[f64; 2]>,
    reserved: Option<[f64; 2]>,
    ooms: u64,
}

impl Tables {
    /// The tables of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut own = Self::default();
        for line in text.lines().filter(|line| line.starts_with('|') || line.starts_with(" |")) {
            own.read(line);
        }
        own
    }

    fn read(&mut self, line: &str) {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        if let Some(card) = cells.iter().find_map(|cell| usage(cell)) {
            self.cards.push(card);
        } else if let Some(found) = process(line) {
            self.processes.push(found);
        } else if let Some(count) = cells.iter().find_map(|cell| cell.strip_prefix("CUDA OOMs:")) {
            let ooms = count.trim().parse().unwrap_or(0);
            self.allocator.get_or_insert_default().ooms = ooms;
        } else if let [name @ ("Allocated memory" | "GPU reserved memory"), now, most, ..] = cells.as_slice()
            && let (Some(now), Some(most)) = (cell(now), cell(most))
        {
            let own = self.allocator.get_or_insert_default();
            let place = if *name == "Allocated memory" { &mut own.allocated } else { &mut own.reserved };
            *place = Some([now, most]);
        }
    }

    /// Whether there is any.
    pub(super) fn is_empty(&self) -> bool {
        self.cards.is_empty() && self.allocator.is_none()
    }

    /// Whether they say by themselves that memory ran out.
    pub(super) fn says_so(&self) -> bool {
        self.allocator.is_some_and(|own| own.ooms > 0) || self.cards.iter().any(|own| own.used >= FULL * own.total)
    }

    /// The card of which least is left.
    fn fullest(&self) -> Option<(usize, &Card)> {
        let all = self.cards.iter().enumerate();
        all.max_by(|(_, a), (_, b)| (a.used / a.total).total_cmp(&(b.used / b.total)))
    }

    /// Puts what they say into the figures that a message leaves open.
    pub(super) fn fill(&self, figures: &mut Figures) {
        if let Some((place, card)) = self.fullest() {
            if figures.capacity_gib.is_none() {
                figures.capacity_gib = Some(card.total);
                figures.free_gib = figures.free_gib.or(Some((card.total - card.used).max(0.0)));
            }
            let own: Vec<f64> = self
                .processes
                .iter()
                .filter(|(at, _)| *at == place)
                .map(|(_, held)| *held)
                .collect();
            if figures.others_gib.is_none() && own.len() > 1 {
                let most = own.iter().copied().fold(0.0, f64::max);
                figures.others_gib = Some(own.iter().sum::<f64>() - most);
            }
        }
        if let Some(Allocator { allocated: Some([now, _]), reserved, .. }) = self.allocator {
            figures.allocated_gib = figures.allocated_gib.or(Some(now));
            let unused = reserved.map(|[held, _]| (held - now).max(0.0));
            figures.unused_gib = figures.unused_gib.or(unused);
        }
    }

    /// What they say beside the figures, a sentence each.
    pub(super) fn findings(&self) -> Vec<String> {
        let mut found = Vec::new();
        let least = self.cards.iter().enumerate().min_by(|(_, a), (_, b)| a.used.total_cmp(&b.used));
        if let (Some((full, most)), Some((empty, least))) = (self.fullest(), least)
            && most.used - least.used >= EVEN * most.total
        {
            found.push(format!(
                "GPU {full} holds {:.1} GiB and GPU {empty} {:.1}: the cards do not hold the same. Look for a pipeline stage with more layers or the LM head, a process more, or a job on some of the cards.",
                most.used, least.used
            ));
        }
        if let Some(Allocator { allocated: Some([_, allocated]), reserved: Some([_, reserved]), .. }) = self.allocator
            && reserved - allocated >= LOST * reserved
        {
            found.push(format!(
                "At most PyTorch held {reserved:.1} GiB and had handed out {allocated:.1}: the rest lay between its blocks. PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True closes such gaps, and costs nothing."
            ));
        }
        if let Some(Allocator { ooms: times @ 2.., .. }) = self.allocator {
            found.push(format!(
                "The allocator ran out {times} times, and went on after freeing what it kept: steps are slower for it."
            ));
        }
        found
    }
}

/// `78102MiB / 81559MiB`.
fn usage(cell: &str) -> Option<Card> {
    let (used, total) = cell.split_once('/')?;
    let mib = |text: &str| size(text.trim().strip_suffix("MiB")?.trim(), "MiB");
    let card = Card { used: mib(used)?, total: mib(total)? };
    (card.total > 0.0 && card.used <= card.total).then_some(card)
}

/// `|    0   N/A  N/A   1234567      C   python3      70000MiB |`; older drivers have no `N/A`.
fn process(line: &str) -> Option<(usize, f64)> {
    let mut words = line.trim().trim_matches('|').split_ascii_whitespace();
    let card = words.next()?.parse().ok()?;
    let held = size(words.next_back()?.strip_suffix("MiB")?, "MiB")?;
    words
        .any(|word| ["C", "G", "C+G", "M+C"].contains(&word))
        .then_some((card, held))
}

/// `61942 MiB`.
fn cell(text: &str) -> Option<f64> {
    let (number, unit) = text.split_once(' ')?;
    size(number, unit.trim())
}

#[cfg(test)]
mod tests {
    use super::Tables;
    use crate::doctor::message::Figures;

    const SMI: &str = "\
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |
|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |
| N/A   34C    P0             117W / 700W |   79872MiB /  81920MiB |      0%      Default |
|   1  NVIDIA H100 80GB HBM3          On  |   00000000:3B:00.0 Off |                    0 |
| N/A   34C    P0             117W / 700W |   20480MiB /  81920MiB |      0%      Default |
| Processes:                                                                              |
|    0   N/A  N/A   1234567      C   python3 train.py                            69632MiB |
|    0   N/A  N/A   7654321      C   VLLM::Worker                                10240MiB |
|    1   N/A  N/A   1234568      C   python3 train.py                            20480MiB |
";

    const SUMMARY: &str = "\
|===========================================================================|
|                  PyTorch CUDA memory summary, device ID 0                 |
|            CUDA OOMs: 3            |        cudaMalloc retries: 5         |
|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |
| Allocated memory      |  40960 MiB |     60 GiB |  90000 GiB |  89960 GiB |
|       from large pool |  40950 MiB |     60 GiB |  90000 GiB |  89960 GiB |
| GPU reserved memory   |  71680 MiB |     74 GiB |  71680 MiB |      0 B   |
";

    #[test]
    fn cards_and_their_processes() {
        let tables = Tables::of(SMI);
        assert!(tables.says_so() && !tables.is_empty());
        let mut figures = Figures::default();
        tables.fill(&mut figures);
        assert_eq!((figures.capacity_gib, figures.free_gib, figures.others_gib), (Some(80.0), Some(2.0), Some(10.0)));
        assert!(tables.findings()[0].starts_with("GPU 0 holds 78.0 GiB and GPU 1 20.0"), "{:?}", tables.findings());
        // A message says more than a table beside it.
        let mut figures = Figures { capacity_gib: Some(79.1), free_gib: Some(0.5), ..Figures::default() };
        tables.fill(&mut figures);
        assert_eq!((figures.capacity_gib, figures.free_gib), (Some(79.1), Some(0.5)));
        assert!(!Tables::of(&SMI.replace("79872MiB", "60000MiB")).says_so());
    }

    #[test]
    fn what_the_allocator_held() {
        let tables = Tables::of(SUMMARY);
        assert!(tables.says_so());
        let mut figures = Figures::default();
        tables.fill(&mut figures);
        assert_eq!((figures.allocated_gib, figures.unused_gib), (Some(40.0), Some(30.0)));
        let [gaps, times] = tables.findings().try_into().unwrap_or_default();
        assert!(gaps.starts_with("At most PyTorch held 74.0 GiB and had handed out 60.0"), "{gaps}");
        assert!(times.contains("3 times"), "{times}");
    }

    #[test]
    fn what_is_no_table() {
        for text in [
            "| N/A | NaNMiB / 1MiB |",
            "| -5MiB / 10MiB |",
            "| 1e999MiB / 1e999MiB |",
            "|||||",
            "| CUDA OOMs: many |",
            "| Allocated memory | |",
            "| 20MiB / 10MiB |",
            "|    99999999999999999999   N/A  C  x 5MiB |",
        ] {
            let tables = Tables::of(text);
            assert!(!tables.says_so() && tables.findings().is_empty(), "{text}");
        }
    }
}
