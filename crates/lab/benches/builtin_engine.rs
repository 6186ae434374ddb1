//! Times of the built-in engine's parts, and of shakmaty's in their place.

#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use deepanalyze_builtin::bench;
use deepanalyze_builtin::board::{Board, Wanted};
use deepanalyze_builtin::evaluation::Evaluator;
use deepanalyze_builtin::moves::MoveList;
use deepanalyze_core::chess::parse_fen;
use shakmaty::Position;

const MIDDLEGAME: &str = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";

fn parts(criterion: &mut Criterion) {
    let position = parse_fen(MIDDLEGAME).unwrap();
    let board = Board::new(&position);
    criterion.bench_function("legal moves, shakmaty", |b| {
        b.iter(|| position.legal_moves().len());
    });
    criterion.bench_function("legal moves", |b| b.iter(|| board.legal_moves().len()));
    criterion.bench_function("captures, shakmaty", |b| {
        b.iter(|| position.capture_moves().len());
    });
    criterion.bench_function("captures", |b| {
        b.iter(|| {
            let mut list = MoveList::new();
            board.generate(&board.safety(), Wanted::Tactical, &mut list);
            list.len()
        });
    });
    criterion.bench_function("pass, shakmaty", |b| {
        b.iter(|| position.clone().swap_turn().is_ok());
    });
    criterion.bench_function("pass", |b| b.iter(|| board.pass().key()));
    let m = board.legal_moves()[0];
    criterion.bench_function("play", |b| b.iter(|| board.play(m).key()));
    // As in the search: a move, its position, and the next move.
    let after: Vec<Board> = board.legal_moves().into_iter().map(|m| board.play(m)).collect();
    let mut evaluator = Evaluator::default();
    evaluator.evaluate(&board, 0);
    let mut next = after.iter().cycle();
    criterion.bench_function("evaluate after a move", |b| {
        b.iter(|| next.next().map(|board| evaluator.evaluate(board, 1)));
    });
    criterion.bench_function("evaluate from nothing", |b| {
        b.iter(|| Evaluator::default().evaluate(&board, 0));
    });
}

fn search(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("search");
    group.sample_size(10).throughput(Throughput::Elements(bench::SIGNATURE));
    group.bench_function("engine bench", |b| b.iter(|| bench::measure(bench::DEPTH).nodes));
    group.finish();
}

criterion_group!(benches, parts, search);
criterion_main!(benches);
