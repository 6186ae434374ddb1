//! The answer of a net.

use std::cmp::Reverse;

use shakmaty::uci::UciMove;

/// How likely each legal move is, and how the game is likely to end, for players of the net's
/// rating.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// All legal moves with their probabilities, most likely first, equally likely ones by their
    /// UCI text; castling is the king's move (`e1g1`).
    pub moves: Vec<(UciMove, f32)>,
    /// The probability that the side to move wins.
    pub win: f32,
    /// The probability of a draw.
    pub draw: f32,
    /// The probability that the side to move loses.
    pub loss: f32,
}

/// Probabilities in thousandths, rounded half up, without those of 0: most likely first, equal ones
/// by their UCI text.
pub fn permille(prediction: &Prediction) -> Vec<(UciMove, u16)> {
    let shares = prediction.moves.iter().map(|(uci, p)| (*uci, (p * 1000.0).round() as u16));
    let mut shares: Vec<_> = shares.filter(|(_, share)| *share > 0).collect();
    shares.sort_by_cached_key(|(uci, share)| (Reverse(*share), uci.to_string()));
    shares
}
