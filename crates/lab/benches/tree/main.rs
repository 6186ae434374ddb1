//! Cost of a pass on large trees: `cargo bench -p deepanalyze-lab --bench tree`.
//!
//! `cargo bench -p deepanalyze-lab --bench tree -- --memory` prints its memory instead, with
//! `-- --growing` the time of growing a tree again from its answers, `-- --ahead` how long the
//! look-ahead holds a run, `-- --running` a run's cost beside its engines.
#![allow(missing_docs)]

mod ahead;
#[path = "../support/allocated.rs"]
mod allocated;
mod directing;
mod endgame;
mod growing;
mod layers;
mod memory;
mod random;
mod running;

use std::hint::black_box;

use criterion::{BatchSize, Bencher, BenchmarkId, Criterion, SamplingMode, Throughput};
use deepanalyze_core::chess::Value;
use deepanalyze_core::tree::{Edge, Graph, NodeId, Values, components, count_visits, requests};
use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;

use layers::{DEPTH, DISTANCE, Layers, Numbers};

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// Endings that are full of circles: FEN, distance, depth, analysed positions.
const ENDINGS: [(&str, &str, u32, u32, u64); 3] = [
    ("pawn", "8/8/4k3/8/8/3K4/4P3/8 w - - 0 1", 100, 10, 10_000),
    ("rook", "8/5k2/8/8/8/2K5/8/R7 w - - 0 1", 100, 14, 10_000),
    ("rooks", "8/5k2/7r/8/8/2K5/8/R7 w - - 0 1", 100, 16, 35_000),
];

/// Answers as a pass admits them: one more for every thousandth position.
fn answers(layers: &Layers) -> Vec<(NodeId, Vec<Edge>)> {
    let uci = PackedUciMove::pack(UciMove::Null);
    let edge = Edge { child: layers.root, eval: Value::EVEN, uci };
    layers.graph.nodes().step_by(1000).map(|node| (node, vec![edge])).collect()
}

fn pass(graph: &mut Graph, layers: &Layers, answers: Vec<(NodeId, Vec<Edge>)>) -> usize {
    let values = Values::of(graph);
    let asked = requests(graph, &values, layers.root, &DISTANCE.into(), DEPTH);
    graph.admit(answers);
    asked.len()
}

fn bench_pass(b: &mut Bencher, layers: &Layers) {
    let input = || (layers.graph.clone(), answers(layers));
    let run = |(mut graph, answers): (Graph, _)| {
        let asked = pass(&mut graph, layers, answers);
        (graph, asked)
    };
    b.iter_batched(input, run, BatchSize::PerIteration);
}

fn bench_passes(c: &mut Criterion) {
    let mut group = c.benchmark_group("tree");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for size in SIZES {
        let layers = layers::grow(size, Numbers::InOrder);
        let graph = &layers.graph;
        let values = Values::of(graph);
        group.throughput(Throughput::Elements(layers.analysed as u64));
        group.bench_function(BenchmarkId::new("components", size), |b| {
            b.iter(|| components(graph, |component| _ = black_box(component.len())));
        });
        group.bench_function(BenchmarkId::new("values", size), |b| b.iter(|| Values::of(graph)));
        group.bench_function(BenchmarkId::new("visit", size), |b| {
            b.iter(|| requests(graph, &values, layers.root, &DISTANCE.into(), DEPTH));
        });
        group.bench_function(BenchmarkId::new("pass", size), |b| bench_pass(b, &layers));
        let shuffled = layers::grow(size, Numbers::Shuffled);
        group.bench_function(BenchmarkId::new("shuffled pass", size), |b| bench_pass(b, &shuffled));
    }
    group.finish();
}

fn bench_circles(c: &mut Criterion) {
    let mut group = c.benchmark_group("circles");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for (name, fen, distance, depth, analysed) in ENDINGS {
        let Some(growth) = endgame::grow(fen, distance, depth, analysed) else { continue };
        let (graph, root, depth) = (growth.graph(), growth.root(), growth.depth());
        let values = Values::of(graph);
        let visits = count_visits(graph, &values, root, &distance.into(), depth);
        println!(
            "{name}: {} analysed positions, largest circle {}, {visits} visits",
            growth.analysed(),
            values.largest_component(graph),
        );
        group.throughput(Throughput::Elements(visits as u64));
        group.bench_function(BenchmarkId::new("visit", name), |b| {
            b.iter(|| black_box(requests(graph, &values, root, &distance.into(), depth)));
        });
    }
    group.finish();
}

/// The distance of a tree of real chess: with 60 centipawns its lines do not end before a million answers.
fn distance() -> u32 {
    std::env::var("DISTANCE").ok().and_then(|cp| cp.parse().ok()).unwrap_or(60)
}

fn main() {
    if std::env::args().any(|arg| arg == "--growing") {
        let start = std::env::var("ROOT").unwrap_or_else(|_| "startpos".to_owned());
        growing::report(&start, distance());
        return;
    }
    if std::env::args().any(|arg| arg == "--ahead") {
        let start = std::env::var("ROOT").unwrap_or_else(|_| "startpos".to_owned());
        ahead::report(&start, distance());
        return;
    }
    if std::env::args().any(|arg| arg == "--running") {
        running::report(distance());
        return;
    }
    if std::env::args().any(|arg| arg == "--directing") {
        directing::report(distance());
        return;
    }
    if std::env::args().any(|arg| arg == "--memory") {
        SIZES
            .into_iter()
            .for_each(|size| memory::report_pass(&layers::grow(size, Numbers::InOrder)));
        memory::report_growth(1_000_000);
        return;
    }
    let mut criterion = Criterion::default().configure_from_args();
    bench_passes(&mut criterion);
    bench_circles(&mut criterion);
    criterion.final_summary();
}
