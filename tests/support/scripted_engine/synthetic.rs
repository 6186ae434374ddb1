//! Synthetic scores: a pure function of seed, position and move.

use deepanalyze_core::chess::{Ending, Score, epd_of, uci_of};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

/// How synthetic scores are spread.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    pub seed: u64,
    /// The moves of a position lie up to this far behind the position's value, centipawns.
    pub spread: u32,
    /// A position's value lies up to this far from 0, centipawns.
    pub noise: u32,
}

/// All legal moves with their scores for the mover, best first.
///
/// A position's value is a small hash for White, so that a move's score and the value of the
/// position it leads to differ little; its moves lie behind it by other hashes. Leaving out the
/// best moves can thus only lower the score of what is left. A move that mates is `mate 1`, one that
/// ends the game otherwise is 0 or less.
pub fn scored_moves(position: &Chess, scale: Scale) -> Vec<(UciMove, Score)> {
    let epd = epd_of(position);
    let white = spread_around_zero(hash(scale.seed, &epd), scale.noise);
    let value = match position.turn() {
        Color::White => white,
        Color::Black => -white,
    };
    let mut moves: Vec<(i32, UciMove, Score)> = position
        .legal_moves()
        .iter()
        .map(|m| {
            let uci = uci_of(position, *m);
            let mut after = position.clone();
            after.play_unchecked(*m);
            let behind = hash(scale.seed ^ 0x9e37_79b9, &format!("{epd} {uci}"));
            let cp = value - below(behind, scale.spread);
            match Ending::of(&after) {
                Some(Ending::Checkmate) => (i32::MAX, uci, Score::Mate(1)),
                Some(_) => (cp.min(0), uci, Score::Cp(cp.min(0))),
                None => (cp, uci, Score::Cp(cp)),
            }
        })
        .collect();
    moves.sort_by_key(|(order, uci, _)| (std::cmp::Reverse(*order), uci.to_string()));
    moves.into_iter().map(|(_, uci, score)| (uci, score)).collect()
}

/// A number of nodes that such a search might report.
pub fn nodes(position: &Chess, scale: Scale) -> u64 {
    1000 + hash(scale.seed, &epd_of(position)) % 1000
}

fn spread_around_zero(hash: u64, noise: u32) -> i32 {
    below(hash, 2 * noise) - i32::try_from(noise).unwrap()
}

/// From 0 to the limit, included.
fn below(hash: u64, limit: u32) -> i32 {
    i32::try_from(hash % (u64::from(limit) + 1)).unwrap()
}

/// FNV-1a with a finishing step, so that nothing depends on the standard library's hasher.
fn hash(seed: u64, text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0xff51_afd7_ed55_8ccd);
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 29)
}
