//! Win, draw and loss rates from an engine.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::chess::Value;

/// All of them, per thousand.
const ALL: u16 = 1000;

/// Wins, draws and losses of one side among a thousand games from a position, as an engine gives them with a score.
/// Written as `[win, draw, loss]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Wdl"))]
#[serde(try_from = "[u16; 3]", into = "[u16; 3]")]
pub struct WinDrawLoss {
    win: u16,
    draw: u16,
    loss: u16,
}

impl WinDrawLoss {
    /// Every game is won.
    pub const WON: WinDrawLoss = WinDrawLoss { win: ALL, draw: 0, loss: 0 };
    /// Every game is drawn.
    pub const DRAWN: WinDrawLoss = WinDrawLoss { win: 0, draw: ALL, loss: 0 };
    /// Every game is lost.
    pub const LOST: WinDrawLoss = WinDrawLoss { win: 0, draw: 0, loss: ALL };

    /// The rates of a decided game: by its value for the side, a draw being worth 0.
    pub fn decided(value: Value) -> WinDrawLoss {
        match value.cmp(&Value::EVEN) {
            Ordering::Greater => WinDrawLoss::WON,
            Ordering::Equal => WinDrawLoss::DRAWN,
            Ordering::Less => WinDrawLoss::LOST,
        }
    }

    /// Rates per thousand. None if they do not add up: an engine that rounds each number may be one
    /// off, and no more.
    pub fn new(win: u16, draw: u16, loss: u16) -> Option<WinDrawLoss> {
        let sum = [win, draw, loss].into_iter().map(u32::from).sum::<u32>();
        (999..=1001).contains(&sum).then_some(WinDrawLoss { win, draw, loss })
    }

    /// The rates for the other side.
    #[must_use]
    pub fn flipped(self) -> WinDrawLoss {
        WinDrawLoss { win: self.loss, draw: self.draw, loss: self.win }
    }

    /// Wins, draws and losses, per thousand.
    pub fn permille(self) -> [u16; 3] {
        [self.win, self.draw, self.loss]
    }

    /// Draws, per thousand.
    pub fn draw(self) -> u16 {
        self.draw
    }

    /// The rates in per cent, as whole numbers whose sum is 100: those that lose most by it are
    /// rounded up, of equal ones the greatest.
    pub fn percents(self) -> [u16; 3] {
        let all = self.permille();
        let mut percents = all.map(|n| n / 10);
        let mut order = [0, 1, 2];
        order.sort_by_key(|at| all.get(*at).map(|n| std::cmp::Reverse((n % 10, *n))));
        let missing = 100_u16.saturating_sub(percents.iter().sum());
        for at in order.into_iter().cycle().take(missing.into()) {
            percents.iter_mut().skip(at).take(1).for_each(|percent| *percent += 1);
        }
        percents
    }

    /// Points that can be expected of a game, 0 to 1.
    pub fn expected_score(self) -> f64 {
        let [win, draw, loss] = self.permille().map(f64::from);
        (win + draw / 2.0) / (win + draw + loss)
    }
}

impl From<WinDrawLoss> for [u16; 3] {
    fn from(wdl: WinDrawLoss) -> [u16; 3] {
        wdl.permille()
    }
}

impl TryFrom<[u16; 3]> for WinDrawLoss {
    type Error = String;

    fn try_from([win, draw, loss]: [u16; 3]) -> Result<WinDrawLoss, String> {
        let add_up = WinDrawLoss::new(win, draw, loss);
        add_up.ok_or_else(|| format!("{win}, {draw} and {loss} are not {ALL} together"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_do_not_add_up_are_none() {
        for (numbers, is_some) in [
            ([120, 810, 70], true),
            ([333, 333, 333], true),
            ([334, 334, 333], true),
            ([334, 334, 334], false),
            ([120, 810, 68], false),
            ([0, 0, 0], false),
            ([u16::MAX; 3], false),
        ] {
            assert_eq!(WinDrawLoss::try_from(numbers).is_ok(), is_some, "{numbers:?}");
        }
    }

    #[test]
    fn per_cent_they_are_a_hundred_together() {
        let percents = |win, draw, loss| WinDrawLoss::new(win, draw, loss).unwrap().percents();
        assert_eq!(percents(120, 810, 70), [12, 81, 7]);
        assert_eq!(percents(126, 811, 63), [13, 81, 6]);
        assert_eq!(percents(333, 334, 333), [33, 34, 33]);
        assert_eq!(percents(333, 333, 333), [34, 33, 33]);
        assert_eq!(percents(995, 5, 0), [100, 0, 0]);
        for win in 0..=1000 {
            for draw in (0..=1000 - win).step_by(7) {
                let all = percents(win, draw, 1000 - win - draw);
                assert_eq!(all.iter().sum::<u16>(), 100, "{win} {draw}");
            }
        }
    }

    #[test]
    fn a_win_is_a_point_and_a_draw_half_of_one() {
        let wdl = WinDrawLoss::new(120, 810, 70).unwrap();
        assert!((wdl.expected_score() - 0.525).abs() < 1e-12);
        assert!((wdl.flipped().expected_score() - 0.475).abs() < 1e-12);
        let ends = [WinDrawLoss::WON, WinDrawLoss::DRAWN, WinDrawLoss::LOST];
        assert_eq!(ends.map(WinDrawLoss::expected_score), [1.0, 0.5, 0.0]);
        assert_eq!(serde_json::to_string(&wdl).unwrap(), "[120,810,70]");
        assert!(serde_json::from_str::<WinDrawLoss>("[120,810,700]").is_err());
    }
}
