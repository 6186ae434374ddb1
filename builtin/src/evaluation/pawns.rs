//! Pawn structure: what depends on the pawns alone, kept in a table by the pawns' key. And passed pawns: how far, how
//! free, and whose king is near.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::attack::{Attacks, beside, files, forward, front, pawn_attacks, place, relative};
use super::tally::{Pair, Sum, Tally};
use super::terms;
use crate::board::Board;

/// What is known about a pawn structure.
#[derive(Clone, Copy, Default)]
pub struct Pawns {
    key: u64,
    /// White's sum less black's.
    pub sum: Pair,
    /// Passed pawns, by colour.
    pub passed: [Bitboard; 2],
}

/// The pawn structures seen.
pub struct PawnTable(Vec<Pawns>);

const SIZE: usize = 1 << 14;

impl Default for PawnTable {
    fn default() -> PawnTable {
        let unknown = Pawns {
            // No structure lives in slot 0 with this key.
            key: u64::MAX,
            ..Pawns::default()
        };
        PawnTable(vec![unknown; SIZE])
    }
}

impl PawnTable {
    /// The structure of a position.
    pub fn get(&mut self, board: &Board) -> Pawns {
        let slot = &mut self.0[board.pawn_key() as usize % SIZE];
        if slot.key != board.pawn_key() {
            let mut sums = [Sum::default(), Sum::default()];
            let found = count(board, &mut sums);
            *slot = Pawns { key: board.pawn_key(), sum: sums[1].pair() - sums[0].pair(), ..found };
        }
        *slot
    }
}

/// Counts both sides' pawns.
pub fn count<T: Tally>(board: &Board, sides: &mut [T; 2]) -> Pawns {
    let mut found = Pawns::default();
    for us in Color::ALL {
        let structure = Structure {
            us,
            own: board.pieces(us, Role::Pawn),
            enemy: board.pieces(!us, Role::Pawn),
        };
        for square in structure.own {
            if structure.count_pawn(square, &mut sides[us as usize]) {
                found.passed[us as usize] |= square;
            }
        }
    }
    found
}

struct Structure {
    us: Color,
    own: Bitboard,
    enemy: Bitboard,
}

impl Structure {
    /// Counts one pawn; says whether it is passed.
    fn count_pawn<T: Tally>(&self, square: Square, tally: &mut T) -> bool {
        let pawn = Bitboard::from(square);
        let rank = relative(self.us, square).rank().to_usize();
        tally.add(terms::MATERIAL + Role::Pawn as usize - 1, 1);
        tally.add(terms::PLACE + place(self.us, square), 1);

        let file = files(pawn);
        let neighbours = beside(file) & self.own;
        let way = front(self.us, pawn);
        let open = (file & self.enemy).is_empty();
        let phalanx = beside(pawn) & self.own;
        let guards = attacks::pawn_attacks(!self.us, square) & self.own;
        if (way & self.own).any() {
            tally.add(terms::DOUBLED, 1);
        }
        if phalanx.any() {
            tally.add(terms::PHALANX + rank, 1);
        }
        if guards.any() {
            tally.add(terms::GUARDED + rank, guards.count() as i32);
        }
        if neighbours.is_empty() {
            tally.add(terms::ISOLATED + usize::from(open), 1);
        } else if self.is_backward(pawn, neighbours) {
            tally.add(terms::BACKWARD + usize::from(open), 1);
        }

        let stoppers = (way | beside(way)) & self.enemy;
        let doubled = (way & self.own).any();
        if stoppers.is_empty() && !doubled {
            return true;
        }
        if (way & self.enemy).is_empty() && !doubled && self.is_candidate(pawn, square, stoppers) {
            tally.add(terms::CANDIDATE + rank, 1);
        }
        false
    }

    /// All neighbours are further up, and the step is watched by an enemy pawn.
    fn is_backward(&self, pawn: Bitboard, neighbours: Bitboard) -> bool {
        let step = forward(self.us, pawn);
        let behind = beside(front(!self.us, step)) & neighbours;
        behind.is_empty() && (pawn_attacks(!self.us, self.enemy) & step).any()
    }

    /// As many helpers as enemy pawns that attack it or its step.
    fn is_candidate(&self, pawn: Bitboard, square: Square, stoppers: Bitboard) -> bool {
        let levers = attacks::pawn_attacks(self.us, square) & self.enemy;
        let step = forward(self.us, pawn);
        let step_levers = beside(forward(self.us, step)) & self.enemy;
        if (stoppers & !levers & !step_levers).any() {
            return false;
        }
        let guards = attacks::pawn_attacks(!self.us, square) & self.own;
        guards.count() >= levers.count() && (beside(pawn) & self.own).count() >= step_levers.count()
    }
}

/// Counts a side's passed pawns.
#[inline(always)]
pub fn count_passed<T: Tally>(
    board: &Board,
    us: Color,
    pawns: &Pawns,
    found: &Attacks,
    tally: &mut T,
) {
    for square in pawns.passed[us as usize] {
        passed_pawn(board, us, square, found, tally);
    }
}

fn passed_pawn<T: Tally>(board: &Board, us: Color, square: Square, found: &Attacks, tally: &mut T) {
    let (own, enemy) = (us as usize, !us as usize);
    let pawn = Bitboard::from(square);
    let rank = relative(us, square).rank().to_usize();
    let step = forward(us, pawn);
    let way = front(us, pawn);
    tally.add(terms::PASSED + rank, 1);
    if (step & board.occupied()).any() {
        tally.add(terms::PASSED_BLOCKED + rank, 1);
    } else {
        if (step & (!found.all[enemy] | found.all[own])).any() {
            tally.add(terms::PASSED_SAFE_STEP + rank, 1);
        }
        if (way & (board.by_color(!us) | found.all[enemy])).is_empty() {
            tally.add(terms::PASSED_FREE_WAY + rank, 1);
        }
    }
    let behind = front(!us, pawn) & files(pawn);
    if (behind & board.pieces(us, Role::Rook)).any() {
        tally.add(terms::ROOK_BEHIND_PASSED, 1);
    } else if (behind & board.pieces(!us, Role::Rook)).any() {
        tally.add(terms::ROOK_BEHIND_PASSED + 1, 1);
    }
    if rank >= 3 {
        let weight = rank as i32 - 2;
        let goal = step.first().unwrap_or(square);
        let near = |color| board.king(color).distance(goal).min(5) as i32;
        tally.add(terms::PASSED_OWN_KING, weight * near(us));
        tally.add(terms::PASSED_ENEMY_KING, weight * near(!us));
    }
}
