//! The search: negamax with alpha-beta as principal variation search, deepened iteratively; and its
//! reports.
//!
//! Two counters are kept apart (the seed's words): the depth left, which falls by one at most nodes
//! and goes on below zero in quiescence, and the ply, which always grows.

mod mates;
mod memory;
mod node;
mod pruning;
mod quiescence;
mod root;
mod tables;
mod threads;
mod visit;

use std::time::Duration;

use deepanalyze_core::chess::Wdl;
use deepanalyze_core::uci::Info;

use crate::score::{INFINITE, permille, to_uci};
use crate::table::BoundKind;

use super::board::Board;
use super::history::{MAX_PLY, PieceTo};
use super::moves::Move;
use super::options::Options;
use super::score::mated_in;
use super::table::{NO_EVALUATION, TableEntry, TranspositionTable};
use super::time::{Clock, Limits, Signals};
use memory::ThreadMemory;
use threads::Helping;

pub use memory::Memory;
pub use tables::EndTables;
pub use threads::think;

/// A search request.
#[derive(Clone, Debug)]
pub struct Task {
    /// The position.
    pub board: Board,
    /// The keys of the game's earlier positions, oldest first.
    pub earlier: Vec<u64>,
    /// The limits.
    pub limits: Limits,
}

/// Result of a search.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The best move; none if the game is over.
    pub best: Move,
    /// The expected answer to it.
    pub ponder: Move,
    /// The best move's score, for the side to move.
    pub score: i32,
    /// The depth that was completed.
    pub depth: i32,
    /// Moves made while searching.
    pub nodes: u64,
}

/// A ply of the current path.
#[derive(Clone)]
struct PathFrame {
    /// The move being searched, as a step for the histories.
    step: PieceTo,
    evaluation: i32,
    /// The move excluded by a singular-extension search.
    excluded: Move,
    line: arrayvec::ArrayVec<Move, MAX_PLY>,
}

impl PathFrame {
    const EMPTY: PathFrame = PathFrame {
        step: PieceTo::NONE,
        evaluation: NO_EVALUATION,
        excluded: Move::NONE,
        line: arrayvec::ArrayVec::new_const(),
    };
}

/// A root move and its results.
#[derive(Clone)]
struct SearchedMove {
    m: Move,
    score: i32,
    /// The score of the last completed iteration.
    previous: i32,
    seldepth: usize,
    nodes: u64,
    line: Vec<Move>,
    /// Tablebase rank; 0 if tables do not know the root.
    rank: usize,
    /// Tablebase result for its mover, if known.
    known: Option<Wdl>,
}

/// One thread's search.
pub(super) struct Searcher<'a> {
    pub(super) table: &'a TranspositionTable,
    pub(super) tables: &'a EndTables,
    pub(super) own: &'a mut ThreadMemory,
    pub(super) options: &'a Options,
    limits: &'a Limits,
    signals: &'a Signals,
    helping: &'a Helping,
    /// True if another thread's answer counts.
    is_helper: bool,
    first_depth: i32,
    listener: &'a mut dyn Listener,
    /// Phase of the root, if wins, draws and losses are reported.
    told_phase: Option<i32>,
    clock: Clock,
    frames: Vec<PathFrame>,
    /// Keys of the game and of the path.
    keys: Vec<u64>,
    /// Where the path begins in `keys`.
    root_key: usize,
    /// Positions before this cannot be repeated: a pass lies between.
    barrier: usize,
    root_moves: Vec<SearchedMove>,
    root_depth: i32,
    nodes: u64,
    seldepth: usize,
    stopped: bool,
}

/// Nodes between looks at the other threads and the clock.
const LOOK_EVERY: u64 = 1024;

impl Searcher<'_> {
    /// Counts a node and looks at the limits.
    fn count_node(&mut self, ply: usize) {
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        if self.limits.nodes.is_some_and(|limit| self.all_nodes() >= limit) {
            self.stopped = true;
        }
        // About once a millisecond; the first line of all takes a few hundred nodes.
        if self.nodes.is_multiple_of(LOOK_EVERY) {
            self.look_outside();
        }
    }

    fn look_outside(&mut self) {
        self.tell_nodes(LOOK_EVERY);
        let late = !self.signals.is_pondering() && self.clock.is_over();
        if late || self.signals.is_stopped() || self.is_answered() {
            self.stopped = true;
        }
    }

    /// True if the game is drawn here by the rules on moves played: fifty moves, or a position that
    /// was on the path, or twice in the game.
    pub(super) fn is_drawn(&self, board: &Board) -> bool {
        if board.is_dead() {
            return true;
        }
        if board.halfmoves() >= 100 {
            return !board.is_check() || board.has_more_moves_than(&board.safety(), 0);
        }
        self.is_repeated(board)
    }

    fn is_repeated(&self, board: &Board) -> bool {
        let current = self.keys.len() - 1;
        let reach = usize::from(board.halfmoves()).min(current - self.barrier.min(current));
        let mut before_root = false;
        for back in (4..=reach).step_by(2) {
            let index = current - back;
            if self.keys[index] == board.key() {
                if index >= self.root_key || before_root {
                    return true;
                }
                before_root = true;
            }
        }
        false
    }

    /// The evaluation, corrected by searches of similar positions.
    pub(super) fn corrected(&self, board: &Board, evaluation: i32) -> i32 {
        if !self.options.speculation {
            return evaluation;
        }
        // The nearer the fifty moves, the nearer a draw.
        let fading = evaluation * (220 - i32::from(board.halfmoves().min(100))) / 220;
        fading + self.own.corrections.of(board)
    }

    fn evaluate(&mut self, board: &Board, ply: usize) -> i32 {
        self.own.evaluator.evaluate(board, ply)
    }

    /// The static evaluation of a node, from the table if it has one; `NO_EVALUATION` in check.
    fn static_evaluation(&mut self, board: &Board, entry: Option<TableEntry>, ply: usize) -> i32 {
        match entry {
            _ if board.is_check() => NO_EVALUATION,
            Some(entry) if entry.evaluation != NO_EVALUATION => entry.evaluation,
            _ => self.evaluate(board, ply),
        }
    }

    /// The score of a node without legal moves.
    pub(super) fn end_score(board: &Board, ply: usize) -> i32 {
        if board.is_check() { mated_in(ply) } else { 0 }
    }

    /// The steps that led to a ply, the last first.
    pub(super) fn before(&self, ply: usize) -> [PieceTo; 2] {
        let at =
            |back: usize| ply.checked_sub(back).map_or(PieceTo::NONE, |ply| self.frames[ply].step);
        [at(1), at(2)]
    }

    /// Makes a move on the path.
    pub(super) fn enter(&mut self, board: &Board, m: Move, ply: usize) -> Board {
        self.frames[ply].step = PieceTo::new(board.turn(), board.mover(m), m.to());
        let next = board.play(m);
        self.table.prefetch(next.key());
        self.keys.push(next.key());
        self.count_node(ply + 1);
        next
    }

    /// Unmakes the last move.
    pub(super) fn leave(&mut self) {
        self.keys.pop();
    }

    /// The line at a ply becomes the move and the line below it.
    pub(super) fn extend_line(&mut self, ply: usize, m: Move) {
        let (above, below) = self.frames.split_at_mut(ply + 1);
        let line = &mut above[ply].line;
        line.clear();
        line.push(m);
        let rest = below[0].line.len().min(line.remaining_capacity());
        line.extend(below[0].line[..rest].iter().copied());
    }
}

/// Receiver of a search's reports.
pub trait Listener {
    /// Called for each line found.
    fn line(&mut self, line: &Info<'_, Move>);
    /// Called after the last line of an iteration.
    fn lines_are_told(&mut self) {}
    /// Called for each root move that a long search begins.
    fn current_move(&mut self, depth: i32, m: Move, number: usize);
}

/// Ignores all reports.
pub struct Silent;

impl Listener for Silent {
    fn line(&mut self, _: &Info<'_, Move>) {}
    fn current_move(&mut self, _: i32, _: Move, _: usize) {}
}

/// Root moves and bounds are reported only after this: before, they come too fast to be read.
const TALKATIVE_AFTER: Duration = Duration::from_millis(1000);

impl Searcher<'_> {
    /// Reports the lines found so far; `unsettled` is one whose score is a bound.
    fn tell_lines(&mut self, count: usize, unsettled: Option<(usize, BoundKind)>) {
        let hashfull = self.table.permille();
        let time = self.clock.elapsed();
        for (index, root) in self.root_moves.iter().take(count).enumerate() {
            let searched = root.score > -INFINITE;
            let score = if searched { root.score } else { self.score_before(root.previous) };
            let score = root.told(score);
            let bound = match unsettled {
                Some((at, bound)) if at == index && root.known.is_none() => bound.word(),
                _ => None,
            };
            let depth = if searched { self.root_depth } else { (self.root_depth - 1).max(1) };
            self.listener.line(&Info {
                depth: depth as u32,
                seldepth: root.seldepth as u32,
                multipv: index + 1,
                score: to_uci(score),
                bound,
                wdl: self.told_phase.map(|phase| permille(score, phase)),
                nodes: self.all_nodes(),
                hashfull,
                time,
                pv: &root.line,
            });
        }
    }

    /// The score of the iteration before; if the first was stopped before it had any, the static
    /// one.
    fn score_before(&self, previous: i32) -> i32 {
        if previous.abs() < INFINITE {
            return previous;
        }
        self.frames[0].evaluation
    }

    fn is_talkative(&self) -> bool {
        self.clock.elapsed() >= TALKATIVE_AFTER
    }

    fn tell_current_move(&mut self, m: Move, number: usize) {
        if self.is_talkative() {
            self.listener.current_move(self.root_depth, m, number);
        }
    }
}
