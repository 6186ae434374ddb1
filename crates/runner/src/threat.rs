//! The threat of a position: the best move of the side not to move.

use shakmaty::{Chess, Position};

use crate::session::quick_line;
use deepanalyze_core::chess::Game;
use deepanalyze_view::Line;

/// Nodes of the built-in engine: some tenths of a second. A position's threat is the same on every
/// computer.
const NODES: u64 = 100_000;

/// The threat of a position, by the built-in engine: the other side's best line, from the position
/// with the turn passed. `None` if the side to move is in check, so that the turn cannot be passed,
/// or the other one could not move.
pub fn threat(position: &Chess) -> Option<Line> {
    let passed = position.clone().swap_turn().ok().filter(|passed| !passed.is_game_over())?;
    quick_line(Game::from_position(passed), NODES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::{Value, parse_fen};

    fn of(fen: &str) -> Option<Line> {
        threat(&parse_fen(fen).unwrap())
    }

    #[test]
    fn threat_of_mate_and_none_in_check() {
        let scholar = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4";
        let found = of(scholar).unwrap();
        assert_eq!(found.moves[0].to_string(), "h5f7");
        assert!(found.value.is_mate() && found.value > Value::EVEN, "{:?}", found.value);
        assert_eq!(of(scholar), Some(found), "the same every time");
        assert_eq!(of("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"), None);
        // Black, who would be to move, has none.
        assert_eq!(of("7k/5Q2/8/8/8/8/8/K7 w - - 0 1"), None);
    }
}
