//! Times of reading: the texts that the calculator prints itself, and hostile ones of up to 1 MiB.
//!
//! Reading and what would help are to take at most 100 ms for each 100 KB; the last lines list what every shape takes.

#[path = "../tests/read/shapes.rs"]
mod shapes;

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use shardwise_core::read::{improve, read};

fn emitted(c: &mut Criterion) {
    let mut group = c.benchmark_group("read/emitted");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/emit");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        // A YAML of LLMForge's is no text of the others.
        if read(&[&text], None).is_err() {
            continue;
        }
        group.throughput(Throughput::Bytes(text.len() as u64));
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        group.bench_with_input(BenchmarkId::from_parameter(name), &text, |b, text| {
            b.iter(|| read(&[black_box(text)], None))
        });
    }
    group.finish();
}

fn hostile(c: &mut Criterion) {
    let mut group = c.benchmark_group("read/hostile");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500));
    let mut times = Vec::new();
    // The tests read them all.
    for (name, text) in crate::asked(shapes::shapes().into_iter()) {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(name), &text, |b, text| {
            b.iter(|| {
                let reading = read(&[black_box(text)], None).ok()?;
                improve(&[text], None, &reading)
            })
        });
        let start = Instant::now();
        if let Ok(reading) = read(&[black_box(&text)], None) {
            black_box(improve(&[&text], None, &reading));
        }
        let took = start.elapsed().as_secs_f64();
        times.push((took * 1e3 / (text.len() as f64 / 1e5).max(1.0), name));
    }
    group.finish();
    times.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (ms, name) in times {
        println!("{ms:8.2} ms per 100 KB  {name}");
    }
}

criterion_group!(benches, emitted, hostile);
