//! What people play: moves that are candidates whatever they are worth (ALGORITHM, section 8).

use std::collections::BTreeMap;

use shakmaty::uci::UciMove;

use crate::chess::PositionKey;

/// Played moves by position, each position's by their UCI text.
pub type Played = BTreeMap<PositionKey, Vec<UciMove>>;

/// Which moves of a side count as played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayedRule {
    /// The least share of the position's games, in per cent.
    pub percent: u8,
    /// The least number of games.
    pub least: u64,
}

impl PlayedRule {
    /// The played moves of a position, by their UCI text. The counts say in how many games each of its moves was
    /// played there.
    pub fn moves(self, counts: &[(UciMove, u64)]) -> Vec<UciMove> {
        let all: u128 = counts.iter().map(|(_, games)| u128::from(*games)).sum();
        let is_played = |games: u64| {
            games >= self.least && 100 * u128::from(games) >= u128::from(self.percent) * all
        };
        let played = counts.iter().filter(|(_, games)| is_played(*games));
        let mut played: Vec<UciMove> = played.map(|(uci, _)| *uci).collect();
        played.sort_by_key(ToString::to_string);
        played
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(percent: u8, least: u64) -> String {
        let counts = [("g1f3", 30), ("e2e4", 60), ("d2d4", 9), ("a2a3", 1)]
            .map(|(uci, games)| (uci.parse().unwrap(), games));
        let moves = PlayedRule { percent, least }.moves(&counts);
        moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_move_is_played_from_the_share_and_the_number_of_games_on() {
        assert_eq!(played(30, 30), "e2e4 g1f3");
        assert_eq!(played(31, 30), "e2e4");
        assert_eq!(played(30, 31), "e2e4");
        assert_eq!(played(1, 1), "a2a3 d2d4 e2e4 g1f3");
        assert_eq!(played(61, 1), "");
        assert_eq!(PlayedRule { percent: 1, least: 0 }.moves(&[]), []);
    }
}
