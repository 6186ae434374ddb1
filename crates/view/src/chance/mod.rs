//! The chance that the best move stays the best when the engine searches deeper, or all has more
//! time.
//!
//! The chance comes from the fate of other verdicts: roots that were grown in stages, with the best
//! move of each settled depth and that of the next stage (`crates/lab/tools/verdicts_that_hold.py`
//! grows them and fits the curve; docs/measurements/2026-11-worth.md, "Verdicts that hold", has the
//! figures and how well they held for roots that the curve has not seen).

mod trees;

use std::fmt;

use shakmaty::Position;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, Value};
use deepanalyze_core::tree::{DrawnBest, Stability, stability};
use deepanalyze_store::{Store, StoreError};

use crate::drawn::drawn_told;
use crate::stages::Stages;
use crate::tree::Tree;
use crate::verdict::{ChosenBy, Verdict};

pub use trees::{VerdictsSoFar, stays};

/// A chance in whole per cent, from 1 to [`Percent::MOST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(u8);

/// The chance that the move of a verdict stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stays {
    /// The move.
    pub best: UciMove,
    /// The chance.
    pub chance: Percent,
    /// The condition.
    pub until: StaysUntil,
}

/// How long a move stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StaysUntil {
    /// It is the best one of the next stage, too, whose searches are two plies deeper: of trees.
    NextStage,
    /// It stays the answer with four times the time for all: of the choice of a closing search.
    FourTimesTheTime,
}

impl Stays {
    /// The chance of a closing search's choice, as in docs/measurements/verdicts-stay.txt; `None`
    /// if it is the only one, or announces a mate: there it was not measured.
    fn of_closing(told: &Verdict) -> Option<Stays> {
        /// A constant, where the tree agrees, and for each 20 centipawns between the two scores where it does not.
        const WEIGHTS: [f64; 3] = [0.24, 1.74, 0.59];
        /// Cap on the difference, in centipawns.
        const MOST: i32 = 60;
        let (choice, other) = (&told.choice, told.other.as_ref()?);
        let (Score::Cp(_), true) = (choice.score(), choice.root.legal_moves().len() > 1) else {
            return None;
        };
        let scores = [choice, other].map(|line| centipawns(line.value));
        let apart = f64::from((scores[0] - scores[1]).abs().min(MOST)) / 20.0;
        let [constant, agrees, differs] = WEIGHTS;
        let odds = constant + if told.agree() { agrees } else { differs * apart };
        let chance = Percent::of(1.0 / (1.0 + (-odds).exp()));
        Some(Stays { best: told.best(), chance, until: StaysUntil::FourTimesTheTime })
    }

    /// The chance of a verdict's move, from that of its tree.
    pub fn of_told(told: &Verdict, of_tree: Option<Stays>) -> Option<Stays> {
        match told.by {
            ChosenBy::Closing => Stays::of_closing(told),
            ChosenBy::Tree => of_tree.filter(|stays| stays.best == told.best()),
        }
    }
}

impl Percent {
    /// The cap on any chance, in per cent.
    pub const MOST: u8 = 96;

    /// This many per cent; `None` below 1 or above the cap.
    pub fn new(percent: u8) -> Option<Percent> {
        (1..=Percent::MOST).contains(&percent).then_some(Percent(percent))
    }

    /// The number.
    pub fn get(self) -> u8 {
        self.0
    }

    /// Rounded down, so that 90 means no less.
    fn of(chance: f64) -> Percent {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 1 to a hundred, or 0 where it is no number"
        )]
        let percent = (chance * 100.0).floor() as u8;
        Percent(percent.clamp(1, Percent::MOST))
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.0)
    }
}

/// A value in centipawns, with a mate as much as a game that is won.
fn centipawns(value: Value) -> i32 {
    const WON: i32 = 1000;
    match Score::from(value) {
        Score::Cp(centipawns) => centipawns,
        Score::Mate(moves) if moves > 0 => WON,
        Score::Mate(_) => -WON,
    }
}

/// The trust in the best move of a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    /// By how much which of the engine's scores would have to be wrong for another move; `None` if
    /// the root has no second move that counts.
    pub stability: Option<Stability>,
    /// The chance that it stays when the engine searches deeper, if known.
    pub stays: Option<Stays>,
    /// The end that makes a draw the best there is, if it is.
    pub drawn: Option<DrawnBest>,
}

impl Trust {
    /// Of a tree as it was read, with the depths settled by its stages now.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn of(store: &Store, tree: &Tree) -> Result<Trust, StoreError> {
        let growth = &*tree.growth;
        let stability = stability(growth.graph(), growth.values(), growth.root());
        let told = tree.verdict();
        let drawn = drawn_told(growth, &[growth.root()], told.as_ref());
        if tree.is_pending() {
            return Ok(Trust { stability, stays: None, drawn });
        }
        store.at_one_moment(|| {
            let stages = Stages::of(store, tree.row.clone())?;
            let verdicts = store.verdicts(tree.row.id)?;
            let grown = (growth, &tree.grown_with);
            let stays = stays(store, (&stages, &tree.row, &verdicts), grown)?;
            let told = told.and_then(|told| Stays::of_told(&told, stays));
            Ok(Trust { stability, stays: told, drawn })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Chess;

    use crate::best_line::Line;
    use deepanalyze_core::chess::parse_uci;

    fn of_closing(closing: Score, tree: Score, agree: bool) -> Option<u8> {
        let root = Chess::default();
        let [best, other] =
            ["e2e4", if agree { "e2e4" } else { "d2d4" }].map(|uci| parse_uci(uci).unwrap());
        let of = |uci, score: Score| Line::new(root.clone(), vec![uci], score.into());
        let told = Verdict {
            choice: of(best, closing),
            by: ChosenBy::Closing,
            other: Some(of(other, tree)),
            drawn: None,
            nodes: [1, 1],
            second: None,
        };
        Stays::of_told(&told, None).map(|stays| stays.chance.get())
    }

    #[test]
    fn closing_choice_stays_if_tree_agrees_or_is_far() {
        let cp = Score::Cp;
        assert_eq!(of_closing(cp(30), cp(10), true), Some(87));
        assert_eq!(of_closing(cp(30), cp(30), false), Some(55));
        assert_eq!(of_closing(cp(50), cp(30), false), Some(69));
        assert_eq!(of_closing(cp(-900), cp(30), false), Some(88));
        assert_eq!(of_closing(cp(0), Score::Mate(-1), false), Some(88));
        assert_eq!(of_closing(Score::Mate(3), cp(30), true), None, "mates were not measured");
    }
}
