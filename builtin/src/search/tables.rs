//! What endgame tables say of nodes and of the root's moves.
//!
//! Where they know the root, its moves are tried in groups of the same result and distance, the best first, and the
//! search does without tables: it looks for mates, and for the better of moves that are worth the same.

use crate::board::Board;
use crate::score::is_mate;
use crate::table::Bound;
use deepanalyze_core::chess::{TableMove, Wdl, parse_uci};

use super::node::Node;
use super::{RootMove, Search};

/// A position that tables know as won: more than any evaluation, less than a mate.
const WON: i32 = 25_000;
/// Plies without a capture or a pawn move that draw.
const FIFTY_MOVES: i32 = 100;

/// A score that a node has at least, at most, or exactly.
pub(super) type Said = (i32, Bound);

impl Search<'_> {
    /// What tables say of a node; plain search does without.
    pub(super) fn look_up(&self, board: &Board, ply: usize) -> Option<Said> {
        if !self.options.speculation || self.is_root_known() {
            return None;
        }
        let far = ply as i32;
        Some(match self.memory.tables.wdl(board, ply)? {
            // There may be a mate.
            Wdl::Win => (WON - far, Bound::Lower),
            Wdl::Loss => (far - WON, Bound::Upper),
            Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => (0, Bound::Exact),
        })
    }

    fn is_root_known(&self) -> bool {
        self.root_moves.first().is_some_and(|root| root.known.is_some())
    }

    /// Puts the root's moves in the order of the tables, where they know the root.
    pub(super) fn rank_root_moves(&mut self, board: &Board) {
        if !self.options.speculation || self.limits.mate.is_some() {
            return;
        }
        let Some(moves) = self.memory.tables.moves(board) else {
            return;
        };
        let moves = moves.into_iter().map(|m| self.with_repetition(board, m)).collect();
        let ranked = ranked(moves, i32::from(board.halfmoves()));
        for root in &mut self.root_moves {
            let uci = parse_uci(&root.m.to_string());
            let found = ranked.iter().find(|(_, _, m)| Some(m.uci) == uci);
            if let Some((rank, wdl, _)) = found {
                (root.rank, root.known) = (*rank, Some(*wdl));
            }
        }
        self.root_moves.sort_by_key(|root| root.rank);
    }

    /// What a move is worth in this game: tables know nothing of the positions before the root.
    fn with_repetition(&mut self, board: &Board, known: TableMove) -> TableMove {
        let wanted =
            self.root_moves.iter().find(|root| parse_uci(&root.m.to_string()) == Some(known.uci));
        let Some(next) = wanted.map(|root| board.play(root.m)) else {
            return known;
        };
        self.keys.push(next.key());
        let wdl = if self.is_drawn(&next) { Wdl::Draw } else { known.wdl };
        self.keys.pop();
        TableMove { wdl, ..known }
    }
}

/// Moves with their ranks and results, where so many plies count already: moves of one rank are worth the same.
fn ranked(moves: Vec<TableMove>, halfmoves: i32) -> Vec<(usize, Wdl, TableMove)> {
    let result = |m: &TableMove| {
        let is_late = m.dtz.is_some_and(|dtz| dtz.abs() + halfmoves > FIFTY_MOVES);
        match m.wdl {
            Wdl::Win if is_late => Wdl::CursedWin,
            Wdl::Loss if is_late => Wdl::BlessedLoss,
            wdl => wdl,
        }
    };
    let mut moves: Vec<(Wdl, TableMove)> = moves.into_iter().map(|m| (result(&m), m)).collect();
    moves.sort_by_key(|(wdl, _)| std::cmp::Reverse(*wdl));
    let worth = |(wdl, m): &(Wdl, TableMove)| (*wdl, m.dtz.filter(|_| *wdl != Wdl::Draw));
    let rank = |own: &(Wdl, TableMove)| moves.iter().position(|m| worth(m) == worth(own));
    moves.iter().map(|own| (rank(own).unwrap_or(0), own.0, own.1)).collect()
}

impl RootMove {
    /// By what the root's moves are sorted: the tables' rank, then the score.
    pub(super) fn order(&self) -> (usize, std::cmp::Reverse<i32>) {
        (self.rank, std::cmp::Reverse(self.score))
    }

    /// A score of this move as it is told: where tables know the result, that, or a mate.
    pub(super) fn told(&self, score: i32) -> i32 {
        match self.known {
            None => score,
            Some(Wdl::Win) if is_mate(score) && score > 0 => score,
            Some(Wdl::Loss) if is_mate(score) && score < 0 => score,
            Some(Wdl::Win) => WON,
            Some(Wdl::Loss) => -WON,
            Some(_) => 0,
        }
    }
}

/// Whether what tables say is all there is to know of a node.
pub(super) fn is_enough((score, bound): Said, node: &Node) -> bool {
    match bound {
        Bound::Lower => score >= node.window.1,
        Bound::Upper => score <= node.window.0,
        Bound::Exact | Bound::None => true,
    }
}

/// A node's score, which cannot be worse or better than tables say.
pub(super) fn within(score: i32, said: Option<Said>) -> i32 {
    match said {
        Some((least, Bound::Lower)) => score.max(least),
        Some((most, Bound::Upper)) => score.min(most),
        _ => score,
    }
}
