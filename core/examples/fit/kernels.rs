//! What GPUs sustain, from measured kernels alone.

use std::collections::BTreeMap;

use shardwise_core::catalog;

const KERNELS: &str = include_str!("../../tests/data/kernels.csv");

/// A measured kernel.
struct Kernel {
    gpu: &'static str,
    op: &'static str,
    dtype: &'static str,
    groups: f64,
    m: f64,
    n: f64,
    k: f64,
    seconds: f64,
}

fn all() -> Vec<Kernel> {
    let rows = KERNELS.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |place: usize| cells[place].parse().unwrap_or(0.0);
        Kernel {
            gpu: cells[1],
            op: cells[2],
            dtype: cells[3],
            groups: number(4),
            m: number(5),
            n: number(6),
            k: number(7),
            seconds: number(8) * 1e-6,
        }
    })
    .collect()
}

/// Rates of one GPU as shares of its data sheet, with the median error over its kernels.
pub(crate) struct Rates {
    pub(crate) gpu: &'static str,
    pub(crate) matmul: Fit,
    pub(crate) matmul_fp8: Option<Fit>,
    pub(crate) matmul_fp4: Option<Fit>,
    pub(crate) attention: Option<Fit>,
}

/// A fitted share, over how many kernels, with the median |error|.
#[derive(Clone, Copy)]
pub(crate) struct Fit {
    pub(crate) share: f64,
    pub(crate) kernels: usize,
    pub(crate) error: f64,
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The factor in `range` that makes the median |error| smallest: a scan, since medians have no gradient.
fn scan(range: (f64, f64), error: impl Fn(f64) -> f64) -> (f64, f64) {
    let steps = 200;
    (0..=steps)
        .map(|step| range.0 * (range.1 / range.0).powf(f64::from(step) / f64::from(steps)))
        .map(|value| (value, error(value)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((f64::NAN, f64::NAN))
}

/// Launch of a kernel in seconds and streaming rate over the memory's data sheet: what least squares over all these
/// bf16 products gives at the median of the GPUs (1.7 to 4.7 µs, 0.76 to 1.0). Fixed, since traffic and arithmetic of
/// large products cannot be told apart.
const LAUNCH_S: f64 = 4e-6;
const MEMORY: f64 = 0.87;

/// Products large enough to be training's: the rate of thin ones is the engine's affair.
fn trains(kernel: &Kernel) -> bool {
    kernel.m >= 2048.0 && kernel.n >= 1024.0 && kernel.k >= 1024.0
}

/// Fits every GPU with kernels in the data: a matrix rate per precision on products of training's size, and
/// attention's.
pub(crate) fn fit() -> Vec<Rates> {
    let kernels = all();
    let mut by_gpu: BTreeMap<&str, Vec<&Kernel>> = BTreeMap::new();
    for kernel in &kernels {
        by_gpu.entry(kernel.gpu).or_default().push(kernel);
    }
    let mut found = Vec::new();
    for (id, kernels) in by_gpu {
        let Some(gpu) = catalog::gpu(id) else {
            continue;
        };
        let of = |op: &str, dtype: &str| -> Vec<&Kernel> {
            kernels
                .iter()
                .copied()
                .filter(|kernel| kernel.op == op && kernel.dtype == dtype)
                .collect()
        };
        let all = of("gemm", "bf16");
        if all.len() < 100 {
            continue;
        }
        let time = |kernel: &Kernel, flops: f64, bytes: f64| {
            let (m, n, k) = (kernel.m, kernel.n, kernel.k);
            let traffic = bytes * (m * k + n * k) + 2.0 * m * n;
            LAUNCH_S + 2.0 * m * n * k / flops + traffic / (MEMORY * gpu.hbm_gb_per_s * 1e9)
        };
        let error = |kernels: &[&Kernel], time: &dyn Fn(&Kernel) -> f64| {
            median(
                kernels
                    .iter()
                    .map(|kernel| (time(kernel) / kernel.seconds).ln().abs())
                    .collect(),
            )
        };
        let training: Vec<&Kernel> = all.iter().copied().filter(|kernel| trains(kernel)).collect();
        let peak = gpu.bf16_dense_tflops.unwrap_or(1.0) * 1e12;
        let balanced = |kernels: &[&Kernel], time: &dyn Fn(&Kernel, f64) -> f64| {
            let bias = |share: f64| {
                let sum: f64 = kernels.iter().map(|kernel| (time(kernel, share) / kernel.seconds).ln()).sum();
                (sum / kernels.len() as f64).abs()
            };
            scan((0.2, 1.2), bias).0
        };
        let share = balanced(&training, &|kernel, share| time(kernel, share * peak, 2.0));
        let rate = |dtype: &str, peak: Option<f64>, bytes: f64| {
            let kernels: Vec<&Kernel> = of("gemm", dtype).into_iter().filter(|kernel| trains(kernel)).collect();
            let peak = peak? * 1e12;
            (kernels.len() >= 20).then(|| {
                let share = balanced(&kernels, &|kernel, share| time(kernel, share * peak, bytes));
                let error = error(&kernels, &|kernel| time(kernel, share * peak, bytes));
                Fit { share, kernels: kernels.len(), error }
            })
        };
        let long: Vec<&Kernel> = of("attention", "bf16")
            .into_iter()
            .filter(|kernel| kernel.m >= 2048.0 && kernel.n == 128.0)
            .collect();
        let attention = (long.len() >= 5).then(|| {
            let (share, error) = scan((0.1, 1.0), |share| {
                error(&long, &|kernel| {
                    let flops = 2.0 * kernel.groups * kernel.m * kernel.m * kernel.n;
                    flops / (share * peak) * (kernel.m + 430.0) / kernel.m
                })
            });
            Fit { share, kernels: long.len(), error }
        });
        found.push(Rates {
            gpu: gpu.id,
            matmul: Fit {
                share,
                kernels: training.len(),
                error: error(&training, &|kernel| time(kernel, share * peak, 2.0)),
            },
            matmul_fp8: rate("fp8", gpu.fp8_dense_tflops, 1.0),
            matmul_fp4: rate("nvfp4", gpu.fp4_dense_tflops, 0.5),
            attention,
        });
    }
    found
}

/// Rate of grouped products over that of a single large one, on SimuMax's training kernels of the B200.
pub(crate) fn grouped(rates: &[Rates]) -> Option<Fit> {
    let own = rates.iter().find(|rates| rates.gpu == "b200-sxm")?;
    let gpu = catalog::gpu("b200-sxm")?;
    let kernels: Vec<Kernel> = all()
        .into_iter()
        .filter(|kernel| kernel.op == "grouped" && kernel.gpu == "b200-sxm")
        .collect();
    let peak = gpu.bf16_dense_tflops.unwrap_or(1.0) * 1e12 * own.matmul.share;
    let (share, error) = scan((0.3, 1.2), |share| {
        median(
            kernels
                .iter()
                .map(|kernel| {
                    let (m, n, k) = (kernel.m, kernel.n, kernel.k);
                    let traffic = 2.0 * (m * k + n * k + m * n) / (MEMORY * gpu.hbm_gb_per_s * 1e9);
                    let time = 2.0 * LAUNCH_S + kernel.groups * (2.0 * m * n * k / (peak * share) + traffic);
                    (time / kernel.seconds).ln().abs()
                })
                .collect(),
        )
    });
    Some(Fit { share, kernels: kernels.len(), error })
}

/// For a person.
pub(crate) fn table(rates: &[Rates]) -> String {
    let share = |fit: Option<Fit>| {
        fit.map_or("-".to_owned(), |fit| {
            format!("{:.3} ({} kernels, {:.0} %)", fit.share, fit.kernels, 100.0 * fit.error)
        })
    };
    let mut out = String::from("Kernels: share of the data sheet (how many, median error)\n");
    for own in rates {
        out += &format!(
            "  {:20} bf16 {}, fp8 {}, fp4 {}, attention {}\n",
            own.gpu,
            share(Some(own.matmul)),
            share(own.matmul_fp8),
            share(own.matmul_fp4),
            share(own.attention)
        );
    }
    let grouped = share(grouped(rates));
    out + &format!("  grouped products over single ones, b200-sxm: {grouped}\n\n")
}
