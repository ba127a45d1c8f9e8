//! What vLLM's scheduler does when the cache runs out, simulated step by step, against the estimate's rule.

use shardwise_core::rollout::PREEMPTED;

/// A batch of requests whose responses grow by one token a step.
struct Batch {
    /// Tokens of each response.
    responses: Vec<usize>,
    prompt: usize,
    max_num_seqs: usize,
    /// Tokens the cache holds.
    cache: usize,
}

impl Batch {
    fn response(&self) -> f64 {
        self.responses.iter().sum::<usize>() as f64 / self.responses.len() as f64
    }

    /// Tokens computed again over tokens generated. The scheduler admits while what a sequence holds now fits, less
    /// one per cent; when growth overruns the cache, the last admitted gives its blocks back and waits at the front
    /// (`vllm/v1/core/sched/scheduler.py`).
    fn recomputed(&self) -> f64 {
        let mut generated = vec![0; self.responses.len()];
        let mut waiting: Vec<usize> = (0..self.responses.len()).rev().collect();
        let mut running: Vec<usize> = Vec::new();
        let (mut held, mut again) = (0, 0);
        while !(waiting.is_empty() && running.is_empty()) {
            running.retain(|&own| {
                generated[own] += 1;
                let done = generated[own] >= self.responses[own];
                if done {
                    held -= generated[own] - 1 + self.prompt;
                } else {
                    held += 1;
                }
                !done
            });
            let mut preempted = false;
            while held > self.cache {
                let last = running.pop().unwrap();
                held -= generated[last] + self.prompt;
                waiting.push(last);
                preempted = true;
            }
            while let Some(&next) = waiting.last()
                && !preempted
                && running.len() < self.max_num_seqs
                && held + generated[next] + self.prompt <= self.cache * 99 / 100
            {
                waiting.pop();
                running.push(next);
                held += generated[next] + self.prompt;
                again += generated[next];
            }
        }
        again as f64 / self.responses.iter().sum::<usize>() as f64
    }

    /// The share of tokens that are computed again, by the estimate's rule.
    fn estimated(&self) -> f64 {
        let room = self.cache as f64 / (self.prompt as f64 + 0.6 * self.response());
        let wanted = self.max_num_seqs.min(self.responses.len()) as f64;
        PREEMPTED * (1.0 - room.min(wanted) / wanted)
    }
}

/// Log-normal lengths at even quantiles, dealt in a fixed order that is none of theirs.
fn responses(count: usize, mean: f64, cv: f64) -> Vec<usize> {
    let sigma = (1.0 + cv * cv).ln().sqrt();
    let mut lengths: Vec<f64> = (0..count)
        .map(|place| {
            let dealt = (place * 1_009) % count;
            // A sum of three even draws is close to normal: enough for a spread.
            let even = |step: usize| ((dealt * step + 17) % count) as f64 / count as f64;
            let normal = (even(1) + even(367) + even(733) - 1.5) * 2.0;
            (sigma * normal).exp()
        })
        .collect();
    let scale = mean * count as f64 / lengths.iter().sum::<f64>();
    lengths.iter_mut().for_each(|length| *length *= scale);
    lengths.iter().map(|length| length.ceil() as usize).collect()
}

/// Within a quarter of all generated tokens, and none where everything fits: what preemption costs is small beside
/// decoding, however it is counted.
#[test]
fn preemption_is_as_simulated() {
    for cv in [0.0, 0.3, 0.6] {
        for demand in [0.5, 1.3, 2.0, 4.0] {
            for count in [256, 1024] {
                let lengths = responses(count, 600.0, cv);
                let batch = Batch {
                    responses: lengths,
                    prompt: 155,
                    max_num_seqs: 256,
                    cache: (256.0 * 755.0 / demand) as usize,
                };
                let (simulated, estimated) = (batch.recomputed(), batch.estimated());
                println!("cv {cv} demand {demand} of {count}: {simulated:.2}, estimated {estimated:.2}");
                assert!((simulated - estimated).abs() < 0.25, "{simulated} {estimated}");
                if demand < 1.0 {
                    assert!(simulated == 0.0 && estimated == 0.0);
                }
            }
        }
    }
}
