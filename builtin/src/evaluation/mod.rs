//! The static evaluation: tapered sums of weighted counts, in centipawns for the side to move.
//!
//! Every term is a weight times a count. The counting is written once, over a [`Tally`]: the
//! search's tally multiplies and adds, the tuner's writes down the counts. All terms treat the
//! two sides and the two wings alike. `docs/engine.md` describes the terms.

mod attack;
mod endgame;
mod king;
mod pawns;
mod pieces;
mod tally;
pub mod terms;
mod weights;

use shakmaty::{Color, Role};

use super::board::Board;
use super::score::GREATEST_EVALUATION;
use attack::Attacks;
pub(crate) use attack::forward;
pub use endgame::scale as endgame_scale;
pub use pawns::PawnTable;
use pawns::Pawns;
use tally::Sum;
pub use tally::{Pair, Tally, TermCounts, current};

/// The bonus for having the move.
const TEMPO: i32 = 12;
/// The phase of the initial position; less means fewer pieces.
pub const FULL_PHASE: i32 = 24;

/// The evaluation for the side to move.
pub fn evaluate(board: &Board, pawn_table: &mut PawnTable) -> i32 {
    let pawns = pawn_table.get(board);
    let attacks = Attacks::new(board);
    let white = side(board, Color::White, &pawns, &attacks, Sum::default());
    let black = side(board, Color::Black, &pawns, &attacks, Sum::default());
    let pair = pawns.sum + white.total() - black.total();
    let score = taper(board, pair) + endgame::drive(board);
    let score = score.clamp(-GREATEST_EVALUATION, GREATEST_EVALUATION);
    TEMPO + if board.turn() == Color::White { score } else { -score }
}

/// The two halves weighed by what is left on the board, for white.
fn taper(board: &Board, pair: Pair) -> i32 {
    let phase = phase(board);
    let strong = if pair.endgame() >= 0 { Color::White } else { Color::Black };
    let endgame = pair.endgame() * endgame::scale(board, strong) / endgame::FULL_SCALE;
    (pair.middlegame() * phase + endgame * (FULL_PHASE - phase)) / FULL_PHASE
}

/// How much of the pieces is left: [`FULL_PHASE`] down to 0.
pub fn phase(board: &Board) -> i32 {
    let count = |role| board.by_role(role).count() as i32;
    let minors = count(Role::Knight) + count(Role::Bishop);
    (minors + 2 * count(Role::Rook) + 4 * count(Role::Queen)).min(FULL_PHASE)
}

/// Both sides' counts, for the tuner.
pub fn trace(board: &Board) -> [TermCounts; 2] {
    let mut sides = [TermCounts::default(), TermCounts::default()];
    let pawns = pawns::count(board, &mut sides);
    let attacks = Attacks::new(board);
    let [black, white] = sides;
    let white = side(board, Color::White, &pawns, &attacks, white);
    let black = side(board, Color::Black, &pawns, &attacks, black);
    [black, white]
}

/// Everything about one side that is not about pawns alone.
#[inline(always)]
fn side<T: Tally>(board: &Board, us: Color, pawns: &Pawns, attacks: &Attacks, tally: T) -> T {
    let mut tally = tally;
    pieces::count(board, us, attacks, &mut tally);
    king::count(board, us, attacks, &mut tally);
    pieces::count_threats(board, us, attacks, &mut tally);
    pawns::count_passed(board, us, pawns, attacks, &mut tally);
    tally
}

#[cfg(test)]
mod tests;
