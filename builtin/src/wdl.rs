//! Win, draw and loss from a score, fitted to games that the engine played against itself.

use super::score::is_mate;

/// Wins, draws and losses per thousand games from a position of this score, for the side to move;
/// `phase` is what is left of the pieces (24 at the start).
pub fn permille(score: i32, phase: i32) -> [i32; 3] {
    if is_mate(score) {
        return if score > 0 { [1000, 0, 0] } else { [0, 0, 1000] };
    }
    let win = chance(score, phase);
    let loss = chance(-score, phase);
    [win, 1000 - win - loss, loss]
}

/// Where wins begin to be likelier than not, and how fast they become so, with no pieces and per
/// piece of phase; from the fit in `docs/engine.md`.
const MIDDLE: (f64, f64) = (212.0, -6.9);
const SPREAD: (f64, f64) = (86.0, 3.1);

fn chance(score: i32, phase: i32) -> i32 {
    let phase = f64::from(phase);
    let middle = MIDDLE.0 + MIDDLE.1 * phase;
    let spread = SPREAD.0 + SPREAD.1 * phase;
    let chance = 1000.0 / (1.0 + ((middle - f64::from(score)) / spread).exp());
    chance.round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_add_up_and_grow_with_the_score() {
        for phase in [0, 12, 24] {
            let mut last = 0;
            for score in (-3000..3000).step_by(7) {
                let [win, draw, loss] = permille(score, phase);
                assert_eq!(win + draw + loss, 1000);
                assert!(win >= last && draw >= 0 && loss >= 0, "{score} {win} {draw} {loss}");
                assert_eq!(permille(-score, phase), [loss, draw, win]);
                last = win;
            }
        }
    }
}
