//! An order of passes, played through: every pass starts once its stage is free and what it reads is there.

use std::collections::{BTreeMap, VecDeque};

/// A part of a micro-batch's passes through a chunk of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Forward,
    Input,
    Weight,
}

use Part::{Forward, Input, Weight};

/// A part of which chunk and micro-batch.
type Pass = (Part, u32, u32);

/// Chunks of micro-batches that a stage holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    pub(super) kept: f64,
    pub(super) between: f64,
}

/// The passes of each stage in their order, over `chunks` in all.
pub(super) struct Play {
    stages: Vec<Vec<Pass>>,
    chunks: u32,
}

/// One stage's passes as they are listed: each part of a chunk counts its micro-batches.
#[derive(Default)]
struct List {
    passes: Vec<Pass>,
    next: BTreeMap<(Part, u32), u32>,
}

impl List {
    fn count(&self, part: Part, chunk: u32) -> u32 {
        self.next.get(&(part, chunk)).copied().unwrap_or(0)
    }

    fn add(&mut self, chunk: u32, parts: &[Part]) {
        for part in parts {
            let next = self.next.entry((*part, chunk)).or_default();
            self.passes.push((*part, chunk, *next));
            *next += 1;
        }
    }

    /// Gradients of weights whose inputs' are there.
    fn drain(&mut self, chunk: u32) {
        while self.count(Weight, chunk) < self.count(Input, chunk) {
            self.add(chunk, &[Weight]);
        }
    }
}

impl Play {
    /// `ScheduleInterleavedZeroBubble`: rounds over the chunks of a stage, which puts as many weights' gradients off as stages
    /// stand before it.
    pub(super) fn interleaved(stages: u32, chunks: u32, batches: u32) -> Self {
        let round = batches / (batches / stages).max(1);
        let own = |place: u32| {
            let mut list = List::default();
            let ahead = ((chunks - 1) * round + stages - 1 - place).min(chunks * batches);
            let mut put_off = VecDeque::new();
            for step in 0..chunks * batches + ahead {
                if step < chunks * batches {
                    list.add((step / round % chunks) * stages + place, &[Forward]);
                }
                if let Some(back) = step.checked_sub(ahead) {
                    let chunk = (chunks - 1 - back / round % chunks) * stages + place;
                    list.add(chunk, &[Input]);
                    put_off.push_back(chunk);
                    if put_off.len() > place as usize {
                        list.add(put_off.pop_front().unwrap(), &[Weight]);
                    }
                }
            }
            for chunk in put_off {
                list.add(chunk, &[Weight]);
            }
            list.passes
        };
        Self { stages: (0..stages).map(own).collect(), chunks: stages * chunks }
    }

    /// `ScheduleZBVZeroBubble`: down the stages and up again.
    pub(super) fn zbv(stages: u32, batches: u32) -> Self {
        let own = |place: u32| {
            let (down, up) = (place, 2 * stages - 1 - place);
            let (before, behind) = (place, stages - place);
            let mut list = List::default();
            (1..2 * behind).for_each(|_| list.add(down, &[Forward]));
            for _ in 0..before {
                list.add(up, &[Forward]);
                list.add(down, &[Forward]);
            }
            (0..behind).for_each(|_| list.add(up, &[Forward, Input, Weight]));
            while list.count(Forward, up) < batches {
                if list.count(Forward, down) < batches {
                    list.add(down, &[Forward]);
                }
                list.add(down, &[Input, Weight]);
                list.add(up, &[Forward, Input, Weight]);
            }
            for _ in 0..before {
                list.add(down, &[Input]);
                list.add(up, &[Input]);
            }
            (0..behind).for_each(|_| list.add(down, &[Input, Weight]));
            list.drain(up);
            list.drain(down);
            list.passes
        };
        Self { stages: (0..stages).map(own).collect(), chunks: 2 * stages }
    }

    /// Seconds of all, where the parts of a chunk take so long.
    pub(super) fn run(&self, [forward, input, weight]: [f64; 3]) -> f64 {
        let mut done: BTreeMap<Pass, f64> = BTreeMap::new();
        let mut clocks = vec![(0.0_f64, 0_usize); self.stages.len()];
        while clocks.iter().zip(&self.stages).any(|((_, next), own)| *next < own.len()) {
            let before = done.len();
            for ((clock, next), passes) in clocks.iter_mut().zip(&self.stages) {
                while let Some(pass) = passes.get(*next) {
                    let (part, chunk, batch) = *pass;
                    let reads = match part {
                        Forward => chunk.checked_sub(1).map(|above| (Forward, above, batch)),
                        Input if chunk + 1 < self.chunks => Some((Input, chunk + 1, batch)),
                        Input => Some((Forward, chunk, batch)),
                        Weight => Some((Input, chunk, batch)),
                    };
                    let Some(ready) = reads.map_or(Some(0.0), |read| done.get(&read).copied()) else {
                        break;
                    };
                    let takes = match part {
                        Forward => forward,
                        Input => input,
                        Weight => weight,
                    };
                    *clock = clock.max(ready) + takes;
                    done.insert(*pass, *clock);
                    *next += 1;
                }
            }
            assert!(done.len() > before, "the order waits for itself");
        }
        clocks.iter().map(|(clock, _)| *clock).fold(0.0, f64::max)
    }

    /// What a stage holds after each of its passes.
    pub(super) fn held(&self, place: u32) -> impl Iterator<Item = Held> + '_ {
        self.stages[place as usize].iter().scan(Held::default(), |held, (part, ..)| {
            match part {
                Forward => held.kept += 1.0,
                Input => {
                    held.kept -= 1.0;
                    held.between += 1.0;
                }
                Weight => held.between -= 1.0,
            }
            Some(*held)
        })
    }
}
