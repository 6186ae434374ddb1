//! Numeric annotation glyphs of PGN: what a move throws away, and how a line ends.

use shakmaty::Color;

use deepanalyze_core::chess::Value;

/// What a move loses in winning chances (from −1 to 1) where it deserves a glyph, greatest first.
const BAD: [(f64, u8); 3] = [(0.3, 4), (0.2, 2), (0.1, 6)];
/// Which advantage in centipawns deserves which glyph for White; Black's is one more.
const ADVANTAGE: [(i32, u8); 3] = [(150, 18), (75, 16), (25, 14)];
/// Equal chances.
const EQUAL: u8 = 10;

/// The glyph of a move that loses winning chances against the best one: `$6` dubious, `$2` mistake,
/// `$4` blunder.
pub(super) fn nag_of_move(best: Value, alpha: Value) -> Option<u8> {
    let loss = best.winning_chances() - alpha.winning_chances();
    BAD.iter().find(|(least, _)| loss >= *least).map(|(_, nag)| *nag)
}

/// The glyph of a position that a line ends with, from the value of the last move for its mover:
/// `$10` equal, `$14` to `$19` better, much better, winning.
pub(super) fn nag_of_end(alpha: Value, mover: Color) -> u8 {
    let (advantage, side) = match (i32::from(alpha.get()), mover) {
        (cp, mover) if cp >= 0 => (cp, mover),
        (cp, mover) => (-cp, !mover),
    };
    let found = ADVANTAGE.iter().find(|(least, _)| advantage >= *least);
    found.map_or(EQUAL, |(_, nag)| nag + u8::from(side == Color::Black))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Score;

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

    #[test]
    fn a_line_ends_with_the_side_that_is_better() {
        for (cp, mover, nag) in [
            (24, Color::White, 10),
            (25, Color::White, 14),
            (25, Color::Black, 15),
            (-80, Color::White, 17),
            (-80, Color::Black, 16),
            (150, Color::White, 18),
            (-31_000, Color::White, 19),
        ] {
            assert_eq!(nag_of_end(value(Score::Cp(cp)), mover), nag, "{cp} {mover:?}");
        }
        assert_eq!(nag_of_end(value(Score::Mate(-1)), Color::Black), 18);
    }
}
