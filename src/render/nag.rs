//! Numeric annotation glyphs of PGN: what a move throws away.

use crate::chess::{Score, Value};

/// The steepness of the winning chances, as Lichess fitted it to the games of its players.
const STEEPNESS: f64 = 0.003_682_08;
/// Beyond this many centipawns a game is won.
const GREATEST_CP: i32 = 1000;

/// What a move loses in winning chances (from −1 to 1) where it deserves a glyph, greatest first.
const BAD: [(f64, u8); 3] = [(0.3, 4), (0.2, 2), (0.1, 6)];
/// The glyph of a move that loses winning chances against the best one: `$6` dubious, `$2` mistake,
/// `$4` blunder.
pub(super) fn nag_of_move(best: Value, alpha: Value) -> Option<u8> {
    let loss = winning_chances(best) - winning_chances(alpha);
    BAD.iter().find(|(least, _)| loss >= *least).map(|(_, nag)| *nag)
}

/// From −1, lost, to 1, won.
fn winning_chances(value: Value) -> f64 {
    match Score::from(value) {
        Score::Mate(n) => f64::from(if n > 0 { 1 } else { -1 }),
        Score::Cp(cp) => {
            let cp = f64::from(cp.clamp(-GREATEST_CP, GREATEST_CP));
            2.0 / (1.0 + (-STEEPNESS * cp).exp()) - 1.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(score: Score) -> Value {
        Value::from(score)
    }

    #[test]
    fn glyphs_go_by_winning_chances() {
        for (best, alpha, nag) in [
            (20, -30, None),
            (20, -36, Some(6)),
            (20, -92, Some(2)),
            (20, -155, Some(4)),
            (900, 700, None),
            (2000, 1000, None),
            (-700, -900, None),
        ] {
            let (best, alpha) = (value(Score::Cp(best)), value(Score::Cp(alpha)));
            assert_eq!(nag_of_move(best, alpha), nag, "{best} {alpha}");
        }
        assert_eq!(nag_of_move(value(Score::Mate(2)), value(Score::Mate(5))), None);
        assert_eq!(nag_of_move(value(Score::Mate(2)), value(Score::Cp(100))), Some(4));
        assert_eq!(nag_of_move(value(Score::Cp(0)), value(Score::Mate(-3))), Some(4));
    }
}
