//! Tablebase probes for nodes and root moves. Tables of three men are part of the program, others
//! are in the folders of `SyzygyPath`.
//!
//! If they know the root, its moves are tried in groups of the same result and distance, the best
//! first, and the search does without tables: it looks for mates, and for the better of moves that
//! are worth the same.

use crate::board::Board;
use crate::score::is_mate;
use crate::table::BoundKind;
use deepanalyze_core::chess::{TableFiles, TableMove, TablesError, Wdl, parse_uci, three_men};

use super::{SearchedMove, Searcher};

/// Score of a tablebase win: more than any evaluation, less than a mate.
const WON: i32 = 25_000;
/// Plies without a capture or a pawn move that draw.
const FIFTY_MOVES: i32 = 100;

/// A score that a node has at least, at most, or exactly.
pub(super) type TableBound = (i32, BoundKind);

impl Searcher<'_> {
    /// The tables' bound for a node; plain search does without.
    pub(super) fn look_up(&self, board: &Board, ply: usize) -> Option<TableBound> {
        if !self.options.speculation || self.is_root_known() {
            return None;
        }
        let far = ply as i32;
        Some(match self.tables.wdl(board, ply)? {
            // There may be a mate.
            Wdl::Win => (WON - far, BoundKind::Lower),
            Wdl::Loss => (far - WON, BoundKind::Upper),
            Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => (0, BoundKind::Exact),
        })
    }

    fn is_root_known(&self) -> bool {
        self.root_moves.first().is_some_and(|root| root.known.is_some())
    }

    /// Orders the root's moves by the tables, if they know the root.
    pub(super) fn rank_root_moves(&mut self, board: &Board) {
        if !self.options.speculation || self.limits.mate.is_some() {
            return;
        }
        let Some(moves) = self.tables.moves(board) else {
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

    /// A move's result in this game: tables ignore the positions before the root.
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

/// Moves with their ranks and results, at `halfmoves`: moves of one rank are worth the same.
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

impl SearchedMove {
    /// Sort key of root moves: the tables' rank, then the score.
    pub(super) fn order(&self) -> (usize, std::cmp::Reverse<i32>) {
        (self.rank, std::cmp::Reverse(self.score))
    }

    /// The score to report: the tables' result where known, or a mate.
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

/// A node's score, limited by the tables' bound.
pub(super) fn within(score: i32, said: Option<TableBound>) -> i32 {
    match said {
        Some((least, BoundKind::Lower)) => score.max(least),
        Some((most, BoundKind::Upper)) => score.min(most),
        _ => score,
    }
}

/// Files are read only this near the root: they may lie on a slow disk.
const NEAR: usize = 8;
/// Tables count the fifty moves from 0: this late, a win with three men may come too late.
const LATE: u16 = 60;

/// The tables of an engine.
#[derive(Debug, Default)]
pub struct EndTables {
    files: Option<TableFiles>,
}

impl EndTables {
    /// Opens the folders of a `SyzygyPath`; if it is empty, only the program's own tables.
    ///
    /// # Errors
    ///
    /// If a folder cannot be read, or none of them has a table.
    pub fn open(folders: &str) -> Result<EndTables, TablesError> {
        if folders.is_empty() {
            return Ok(EndTables::default());
        }
        let folders: Vec<_> = std::env::split_paths(folders).collect();
        TableFiles::find(&folders).map(|files| EndTables { files: Some(files) })
    }

    /// Takes the messages about files that were left out.
    pub fn take_complaints(&self) -> Vec<String> {
        self.files.as_ref().map(TableFiles::take_complaints).unwrap_or_default()
    }

    /// The tables that may have a position.
    fn of(&self, board: &Board) -> Option<&TableFiles> {
        let men = board.occupied().count();
        let files = match self.files.as_ref() {
            _ if men <= three_men().men().into() => three_men(),
            Some(files) if men <= files.men().into() => files,
            _ => return None,
        };
        (!board.has_castling_rights()).then_some(files)
    }

    /// The result of a node at `ply`, for its side to move.
    pub fn wdl(&self, board: &Board, ply: usize) -> Option<Wdl> {
        let files = self.of(board)?;
        let has_few = std::ptr::eq(files, three_men());
        let counts = if has_few { board.halfmoves() <= LATE } else { board.halfmoves() == 0 };
        if !counts || !has_few && ply > NEAR {
            return None;
        }
        files.wdl(&board.position()?)
    }

    /// The moves of a position, the best first.
    pub fn moves(&self, board: &Board) -> Option<Vec<TableMove>> {
        self.of(board)?.moves(&board.position()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::parse_fen;

    fn board(fen: &str) -> Board {
        Board::new(&parse_fen(fen).unwrap())
    }

    #[test]
    fn three_men_are_known_at_any_ply_before_fifty_moves() {
        let tables = EndTables::open("").unwrap();
        let queen = board("8/8/8/8/8/3k4/8/3KQ3 b - - 60 80");
        assert_eq!(tables.wdl(&queen, 100), Some(Wdl::Loss));
        assert_eq!(tables.wdl(&board("8/8/8/8/8/3k4/8/3KQ3 b - - 61 80"), 0), None);
        assert_eq!(tables.wdl(&board("8/8/8/8/8/3k4/8/3KQQ2 b - - 0 1"), 0), None);
        assert_eq!(tables.wdl(&board("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"), 0), None);
    }

    #[test]
    fn board_converts_back_to_its_position() {
        for fen in ["8/8/8/3pk3/4P3/4K3/8/8 w - - 0 1", "8/8/8/8/2pPk3/8/8/4K3 b - d3 0 1"] {
            let position = parse_fen(fen).unwrap();
            assert_eq!(Board::new(&position).position(), Some(position), "{fen}");
        }
    }

    #[test]
    fn a_folder_without_tables_is_refused() {
        assert!(EndTables::open("/no/such/folder").is_err());
    }
}
