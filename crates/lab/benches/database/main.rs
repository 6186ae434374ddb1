//! Cost of a large database: `cargo bench -p deepanalyze-lab --bench database`.
//!
//! The databases are made once and kept below `target/tmp/`: delete them when the generator
//! changes. `SEARCHES=50000 cargo bench -p deepanalyze-lab --bench database` takes a database of about that size
//! instead of the three; `cargo test --bench database` runs everything once, on the smallest.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../support/allocated.rs"]
mod allocated;
#[path = "../../../../tests/support/synthetic.rs"]
mod synthetic;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BatchSize, Bencher, BenchmarkId, Criterion, SamplingMode, Throughput};
use deepanalyze_report::{PrintOptions, ReportStart, TreeFormat, TreeReport};
use deepanalyze_store::{AnalysisId, Store};
use deepanalyze_view::{StoredTree, Tree, load, read_on, verify};

use allocated::measure;
use synthetic::Run;

const SIZES: [u64; 3] = [10_000, 100_000, 1_000_000];

const ROOT: &str = "startpos";
const DISTANCE: u32 = 250;
const SEED: u64 = 1;
/// The only analysis of each database.
const ANALYSIS: AnalysisId = AnalysisId(1);

/// Formats of `show`.
const FORMATS: [(&str, TreeFormat); 4] = [
    ("show text", TreeFormat::Text),
    ("show json", TreeFormat::Json),
    ("show pgn", TreeFormat::Pgn),
    ("show html", TreeFormat::Html),
];

/// The databases' searches at least; trees end with a pass, so they have a few more.
fn sizes() -> Vec<u64> {
    match std::env::var("SEARCHES") {
        Ok(size) => vec![size.parse().unwrap()],
        Err(_) if std::env::args().any(|arg| arg == "--bench") => SIZES.to_vec(),
        Err(_) => vec![SIZES[0]],
    }
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// The database of a size, grown if missing.
fn database(size: u64) -> PathBuf {
    let path = folder().join(format!("searches-{size}.db"));
    synthetic::grow(&path, ROOT, DISTANCE, SEED, |growth| growth.searches() >= size);
    path
}

/// First step of `show` and `grow`.
fn read(database: &Path) -> StoredTree {
    load(&Store::open_to_read(database).unwrap(), ANALYSIS).unwrap()
}

/// Prints a database's contents, and its size on disk and in memory.
fn report(database: &Path) -> StoredTree {
    let (tree, kept, more) = measure(|| read(database));
    let growth = &tree.growth;
    let bytes = database.metadata().unwrap().len();
    let per = |bytes: u64| bytes as f64 / growth.searches() as f64;
    println!(
        "{} searches, {} positions, {} passes, {:.0} MB: {:.0} bytes a search; \
        loading takes {:.0} bytes a search, {:.0} of them for a moment",
        growth.searches(),
        growth.analysed(),
        growth.passes(),
        bytes as f64 / 1e6,
        per(bytes),
        per((kept + more) as u64),
        per(more as u64),
    );
    tree
}

/// Loading and one pass, written as in a run, on a copy.
fn bench_resume(b: &mut Bencher, database: &Path) {
    let copy = folder().join("resumed.db");
    let input = || {
        std::fs::copy(database, &copy).unwrap();
        // Or the pass would wait for the copy to be written.
        File::options().write(true).open(&copy).unwrap().sync_all().unwrap();
    };
    let resume = |()| {
        let mut run = Run::open(&copy, ROOT, DISTANCE, SEED);
        run.pass();
        run
    };
    b.iter_batched(input, resume, BatchSize::PerIteration);
    std::fs::remove_file(&copy).unwrap();
}

/// The work of `explore` per pass that another process adds on a copy: reading on, and the values.
fn bench_follow(b: &mut Bencher, database: &Path) {
    let copy = folder().join("followed.db");
    std::fs::copy(database, &copy).unwrap();
    let mut run = Run::open(&copy, ROOT, DISTANCE, SEED);
    let store = Store::open_to_read(&copy).unwrap();
    let mut tree = load(&store, ANALYSIS).unwrap().tree;
    let mut reading = Duration::ZERO;
    b.iter_custom(|passes| {
        let mut took = Duration::ZERO;
        for _ in 0..passes {
            run.pass();
            let began = Instant::now();
            let read = read_on(&store, &tree.row, &tree.growth).unwrap();
            let (row, growth) = read.unwrap();
            reading = began.elapsed();
            let (grown_with, said) = (tree.grown_with.clone(), tree.directives.clone());
            tree = Tree::new(row, tree.game.clone(), Arc::new(growth), grown_with, said);
            took += began.elapsed();
        }
        took
    });
    println!("the last pass followed was read in {reading:.1?}");
    // The writer goes last: it takes the log with it.
    drop(store);
    drop(run);
    std::fs::remove_file(&copy).unwrap();
}

/// The work of `show` with a tree already read.
fn show(tree: &StoredTree, format: TreeFormat) {
    let options = PrintOptions { all: true, ..PrintOptions::of(format) };
    let report = TreeReport::new(tree, ReportStart::behind(tree, "").unwrap(), options);
    report.write(80, &mut io::sink()).unwrap();
}

fn check(database: &Path) {
    let findings = verify(&Store::open_to_read(database).unwrap(), None, &mut |_| {}).unwrap();
    assert!(findings.flaws.is_empty(), "{:?}", findings.flaws);
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("database");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for size in sizes() {
        let database = database(size);
        let tree = report(&database);
        group.throughput(Throughput::Elements(tree.growth.searches()));
        group.bench_function(BenchmarkId::new("load", size), |b| b.iter(|| read(&database)));
        group.bench_function(BenchmarkId::new("resume", size), |b| bench_resume(b, &database));
        group.bench_function(BenchmarkId::new("follow", size), |b| bench_follow(b, &database));
        for (name, format) in FORMATS {
            group.bench_function(BenchmarkId::new(name, size), |b| {
                b.iter(|| show(&tree, format));
            });
        }
        group.bench_function(BenchmarkId::new("verify", size), |b| b.iter(|| check(&database)));
    }
    group.finish();
    criterion.final_summary();
}
