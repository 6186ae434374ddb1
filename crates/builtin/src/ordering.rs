//! The order in which moves are tried: table move, winning captures by most victim and least
//! attacker, killers and the answer, quiet moves by history, losing captures.

use shakmaty::Role;

use super::board::{Board, Safety, Wanted};
use super::exchange;
use super::history::{Histories, PieceTo};
use super::moves::{Move, MoveList};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    Table,
    ListTactical,
    GoodTactical,
    Killers,
    ListQuiet,
    Quiet,
    BadTactical,
    Done,
}

/// Hands out a node's legal moves one by one, each once.
pub struct Picker {
    stage: Stage,
    table: Move,
    /// The killers and the answer to the last move.
    special: [Move; 3],
    next_special: usize,
    moves: MoveList,
    /// The moves' ranks; `HANDED_OUT` once picked.
    ranks: arrayvec::ArrayVec<i32, 256>,
    bad: MoveList,
    next_bad: usize,
    quiets: bool,
    before: [PieceTo; 2],
}

impl Picker {
    /// All moves of a node.
    pub fn new(table: Move, special: [Move; 3], before: [PieceTo; 2]) -> Picker {
        Picker {
            stage: if table.is_some() { Stage::Table } else { Stage::ListTactical },
            table,
            special,
            next_special: 0,
            moves: MoveList::new(),
            ranks: arrayvec::ArrayVec::new(),
            bad: MoveList::new(),
            next_bad: 0,
            quiets: true,
            before,
        }
    }

    /// Captures and promotions only; those that lose material come last.
    pub fn tactical(table: Move) -> Picker {
        let mut picker = Picker::new(table, [Move::NONE; 3], [PieceTo::NONE; 2]);
        picker.quiets = false;
        picker
    }

    /// Skips the remaining quiet moves; losing captures still come.
    pub fn skip_quiets(&mut self) {
        self.quiets = false;
    }

    /// True if losing captures come next.
    pub fn is_at_bad_captures(&self) -> bool {
        self.stage == Stage::BadTactical
    }

    /// The next move.
    pub fn next(&mut self, board: &Board, safety: &Safety, histories: &Histories) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::ListTactical;
                    return Some(self.table);
                }
                Stage::ListTactical => {
                    board.generate(safety, Wanted::Tactical, &mut self.moves);
                    for (index, &m) in self.moves.iter().enumerate() {
                        self.ranks.push(rank(tactical_score(board, m, histories), index));
                    }
                    self.stage = Stage::GoodTactical;
                }
                Stage::GoodTactical => {
                    if let Some(m) = self.good_tactical(board) {
                        return Some(m);
                    }
                    self.stage = if self.quiets { Stage::Killers } else { Stage::BadTactical };
                }
                Stage::Killers => {
                    if let Some(m) = self.killer(board, safety) {
                        return Some(m);
                    }
                    self.stage = Stage::ListQuiet;
                }
                Stage::ListQuiet => {
                    if self.quiets {
                        self.list_quiets(board, safety, histories);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => {
                    if self.quiets
                        && let Some(m) = self.best_left()
                    {
                        if m != self.table && !self.special.contains(&m) {
                            return Some(m);
                        }
                    } else {
                        self.stage = Stage::BadTactical;
                    }
                }
                Stage::BadTactical => match self.bad.get(self.next_bad) {
                    Some(&m) => {
                        self.next_bad += 1;
                        return Some(m);
                    }
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    fn good_tactical(&mut self, board: &Board) -> Option<Move> {
        while let Some(m) = self.best_left() {
            if m == self.table {
                continue;
            }
            let under = m.promoted().is_some_and(|role| role != Role::Queen);
            if !under && exchange::wins(board, m, 0) {
                return Some(m);
            }
            self.bad.push(m);
        }
        None
    }

    fn killer(&mut self, board: &Board, safety: &Safety) -> Option<Move> {
        while let Some(&m) = self.special.get(self.next_special) {
            let repeated = self.special[..self.next_special].contains(&m);
            self.next_special += 1;
            let quiet = m.is_some() && !board.is_tactical(m);
            if quiet && !repeated && m != self.table && board.is_legal(safety, m) {
                return Some(m);
            }
        }
        None
    }

    fn list_quiets(&mut self, board: &Board, safety: &Safety, histories: &Histories) {
        self.moves.clear();
        board.generate(safety, Wanted::Quiet, &mut self.moves);
        self.ranks.clear();
        for (index, &m) in self.moves.iter().enumerate() {
            self.ranks.push(rank(histories.quiet(board, m, self.before), index));
        }
    }

    /// The best-ranked move left; ties in list order.
    fn best_left(&mut self) -> Option<Move> {
        let best = self.ranks.iter().copied().max().filter(|&best| best != HANDED_OUT)?;
        let index = 255 - (best & 255) as usize;
        self.ranks[index] = HANDED_OUT;
        Some(self.moves[index])
    }
}

/// The rank of a move that was handed out.
const HANDED_OUT: i32 = i32::MIN;

/// A score and a place in the list in one number, so that the greatest is found without branches.
fn rank(score: i32, index: usize) -> i32 {
    score << 8 | (255 - index as i32)
}

/// Most victim, then least attacker, plus capture history.
fn tactical_score(board: &Board, m: Move, histories: &Histories) -> i32 {
    let attacker = board.mover(m) as i32;
    16 * exchange::prize(board, m) - attacker + histories.capture(board, m) / 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::parse_fen;

    #[test]
    fn every_legal_move_comes_once() {
        let suite = include_str!("../../../tests/suites/perft_marcel_400.epd");
        let histories = Histories::default();
        for line in suite.lines() {
            let fen = line.split(';').next().unwrap();
            let Ok(position) = parse_fen(fen) else {
                continue;
            };
            let board = Board::new(&position);
            let safety = board.safety();
            let mut legal: Vec<u16> = board.legal_moves().iter().map(|m| m.bits()).collect();
            let Some(table) = board.legal_moves().last().copied() else {
                continue;
            };
            let killers =
                [table, Move::from_bits(legal[0]), Move::from_bits(legal[legal.len() / 2])];
            let mut picker = Picker::new(table, killers, [PieceTo::NONE; 2]);
            let mut picked = Vec::new();
            while let Some(m) = picker.next(&board, &safety, &histories) {
                picked.push(m.bits());
            }
            assert_eq!(picked[0], table.bits());
            picked.sort_unstable();
            legal.sort_unstable();
            assert_eq!(picked, legal, "{fen}");
        }
    }
}
