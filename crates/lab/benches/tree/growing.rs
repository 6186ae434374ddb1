//! A tree grown again from known answers, by real passes: a pass's cost for the tree alone.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::time::Instant;

use deepanalyze_builtin::board::{Board, Wanted};
use deepanalyze_builtin::evaluation::Evaluator;
use deepanalyze_builtin::moves::MoveList;
use deepanalyze_core::chess::{Ending, Game, PositionKey, Value, legal_uci};
use deepanalyze_core::tree::{Growth, Service};
use hashbrown::HashMap;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::allocated::measure;

type Answers = HashMap<PositionKey, Vec<(UciMove, Value)>>;

/// Sizes for the figures.
const MARKS: [u64; 7] = [10_000, 30_000, 100_000, 200_000, 300_000, 500_000, 1_000_000];

/// A tree whose lines have all ended settles one depth after the other, for ever.
const ENDED: u32 = 100;

/// An engine that looks one capture far, with the built-in engine's evaluation, and is not always
/// sure: its scores differ from those of the positions behind as engines' scores do.
#[derive(Default)]
pub struct Engine {
    evaluator: Evaluator,
    answers: Answers,
}

impl Engine {
    fn score(&mut self, child: &Chess) -> i64 {
        if let Some(ending) = Ending::of(child) {
            return if ending == Ending::Checkmate { 31_999 } else { 0 };
        }
        let board = Board::new(child);
        let mut captures = MoveList::new();
        board.generate(&board.safety(), Wanted::Tactical, &mut captures);
        let stand = self.evaluator.evaluate(&board, 0);
        let replies = captures.iter().map(|m| -self.evaluator.evaluate(&board.play(*m), 1));
        let best = replies.max().map_or(stand, |best| best.max(stand));
        let key = PositionKey::of(child);
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(key);
        -i64::from(best).clamp(-30_000, 30_000) + (hash % 17) as i64 - 8
    }

    /// The moves of a position, best first.
    pub fn list(&mut self, position: &Chess) -> &[(UciMove, Value)] {
        let key = PositionKey::of(position);
        if !self.answers.contains_key(&key) {
            let mut moves: Vec<(UciMove, Value)> = Vec::new();
            for uci in legal_uci(position) {
                let Ok(m) = uci.to_move(position) else { continue };
                let mut child = position.clone();
                child.play_unchecked(m);
                moves.push((uci, Value::new(self.score(&child)).unwrap_or_default()));
            }
            moves.sort_by_key(|(_, eval)| std::cmp::Reverse(*eval));
            self.answers.insert(key, moves);
        }
        &self.answers[&key]
    }

    /// Serves a position to its end.
    pub fn serve(&mut self, growth: &Growth, service: &mut Service) {
        let list = self.list(&growth.position(service.node()));
        while service.wants_search() {
            let (uci, eval) = list[service.next_rank()];
            service.answer(uci, eval);
        }
    }

    /// Grows to `answers` answers, or until all lines have ended.
    fn grow(&mut self, growth: &mut Growth, answers: u64) {
        let mut empty = 0;
        while growth.searches() < answers && empty < ENDED {
            let mut services = growth.requests();
            empty = if services.is_empty() { empty + 1 } else { 0 };
            for service in &mut services {
                self.serve(growth, service);
            }
            if growth.finish_pass(services).is_err() {
                break;
            }
        }
    }
}

/// Prints times of growing again, at several sizes of one tree, and its memory.
pub fn report(start: &str, distance: u32) {
    let Ok(game) = Game::from_start(start) else { return };
    let mut engine = Engine::default();
    let largest = std::env::var("ANSWERS").ok().and_then(|n| n.parse().ok()).unwrap_or(u64::MAX);
    let marks = || MARKS.into_iter().filter(|mark| *mark <= largest);
    let mut growth = Growth::new(&game, distance);
    for mark in marks() {
        engine.grow(&mut growth, mark);
    }
    println!("grown for the first time: {} answers, {} passes", growth.searches(), growth.passes());
    drop(growth);
    println!(
        "answers positions passes depth | visits/answer largest circle | s us/answer | bytes/position, peak"
    );
    let mut growth = Growth::new(&game, distance);
    let (mut seconds, mut bytes, mut peak) = (0.0, 0, 0);
    for mark in marks() {
        let began = Instant::now();
        let ((), kept, more) = measure(|| engine.grow(&mut growth, mark));
        seconds += began.elapsed().as_secs_f64();
        peak = peak.max(bytes + kept + more);
        bytes += kept;
        let (answers, positions) = (growth.searches() as f64, growth.analysed() as f64);
        println!(
            "{answers} {positions} {} {} | {:.1} {} | {seconds:.2} {:.1} | {:.0} {:.0}",
            growth.passes(),
            growth.depth(),
            growth.visits() as f64 / answers,
            growth.values().largest_component(growth.graph()),
            seconds * 1e6 / answers,
            bytes as f64 / positions,
            peak as f64 / positions,
        );
    }
}
