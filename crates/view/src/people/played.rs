//! Games with single moves, and the rules by which moves are followed, in numbers and in words.

use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::tree::{Growth, NodeId};

/// The games of a move, in a tree that knows counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovePlayed {
    /// Number of games with it.
    pub games: u64,
    /// Its share of the position's games, 0 to 1; `None` if there are none.
    pub share: Option<f64>,
    /// True if the tree follows it for that.
    pub is_followed: bool,
}

impl MovePlayed {
    /// Of a move of a position; `None` if the position's counts are unknown.
    pub fn of(growth: &Growth, node: NodeId, uci: UciMove) -> Option<MovePlayed> {
        let counted = growth.counts();
        counted.rules?;
        let key = PositionKey::of(&growth.position(node));
        let counts = counted.get(&key)?;
        // A move that the user has excluded or included is not followed for its games.
        let may_follow = growth.graph().is_played(node, PackedUciMove::pack(uci));
        Some(MovePlayed {
            games: counts.of(uci),
            share: counts.share_of_games(uci),
            is_followed: may_follow && counted.played(&key).contains(&uci),
        })
    }
}

/// A share or a chance in whole per cent: `23%`, and `<1%` instead of 0.
pub fn describe_share(share: f64) -> String {
    let percent = 100.0 * share;
    if percent > 0.0 && percent < 0.5 {
        "<1%".to_owned()
    } else {
        format!("{:.0}%", percent.round())
    }
}

/// An expected score: `58.3%`.
pub fn describe_expected(expected: f64) -> String {
    format!("{:.1}%", 100.0 * expected)
}

/// A share, chance or expected score as programs read it: 0 to 1, six digits.
pub fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_not_nothing() {
        let words = [0.0, 0.001, 0.005, 0.234, 0.999, 1.0].map(describe_share);
        assert_eq!(words, ["0%", "<1%", "1%", "23%", "100%", "100%"]);
        assert_eq!([0.5834, 1.0].map(describe_expected), ["58.3%", "100.0%"]);
        assert_eq!(rounded(1.0 / 3.0), 0.333_333);
    }
}
