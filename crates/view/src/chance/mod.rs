//! The chance that the best move stays the best when the engine searches deeper, or all has more
//! time.
//!
//! The chance comes from the fate of other verdicts: roots that were grown in stages, with the best
//! move of each settled depth and that of the next stage (`crates/lab/tools/verdicts_that_hold.py`
//! grows them and fits the curve; docs/measurements/2026-11-worth.md, "Verdicts that hold", has the
//! figures and how well they held for roots that the curve has not seen).

mod trees;

use std::fmt;

use serde::Serialize;
use shakmaty::Position;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, Value};
use deepanalyze_core::tree::{DrawnBest, Stability, stability};
use deepanalyze_store::{Store, StoreError};

use crate::drawn::drawn_told;
use crate::stages::{Stages, describe_stays};
use crate::tree::Tree;
use crate::verdict::{ChosenBy, Verdict};
use crate::words::numbered_move;

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
    /// The chance of a closing search's choice: how many such choices stayed
    /// (docs/measurements/verdicts-stay.txt). `None` where that was not counted: if it is the only
    /// move, announces a mate, is not of two engines, or stands beside another second engine.
    fn of_closing(told: &Verdict) -> Option<Stays> {
        let second = told.second.as_ref();
        let is_counted = told.engines == 2
            && is_contested(told)
            && second.is_none_or(|second| second.engine.starts_with(COUNTED));
        if !is_counted {
            return None;
        }
        let [ahead, agreed, differing] = STAYED;
        let [alone, seconded, doubted] = match told.agree() {
            _ if is_far_ahead(told) => ahead,
            true => agreed,
            false => differing,
        };
        let percent = second.map_or(alone, |second| if second.agree { seconded } else { doubted });
        let chance = Percent::new(percent)?;
        Some(Stays { best: told.best(), chance, until: StaysUntil::FourTimesTheTime })
    }

    /// True if a tree's verdict with this chance is sure.
    fn is_sure(self) -> bool {
        self.chance.get() >= SURE
    }

    /// The chance of a verdict's move, from that of its tree.
    pub fn of_told(told: &Verdict, of_tree: Option<Stays>) -> Option<Stays> {
        match told.by {
            ChosenBy::Closing => Stays::of_closing(told),
            ChosenBy::Tree => of_tree.filter(|stays| stays.best == told.best()),
        }
    }
}

/// How many in a hundred choices of a closing search by two engines stayed, each count drawn to that of
/// all by two cases, rounded down: without a second engine, with one that agrees, with one that
/// differs. First where the choice is far ahead, then where the tree agrees, then where it does not.
const STAYED: [[u8; 3]; 3] = [[95, 96, 79], [78, 87, 45], [57, 71, 43]];

/// The second engine of that count.
const COUNTED: &str = "Stockfish 19";

/// Far ahead, in centipawns: of every other move that an engine of the closing search chose; of the
/// tree's move; and in the tree, where no engine chose another.
const FAR_OF_OTHERS: i32 = 80;
const FAR_OF_TREE: i32 = 60;
const FAR_IN_TREE: i32 = 120;

/// True if a closing search's choice is far ahead of its other engines' moves; or, without any, the
/// tree agrees and has it far ahead; or it differs and its score is far from the tree's, which has
/// not seen why.
fn is_far_ahead(told: &Verdict) -> bool {
    let apart = told
        .other
        .as_ref()
        .map_or(0, |other| (centipawns(told.choice.value) - centipawns(other.value)).abs());
    let ahead = match told.lead {
        Some(lead) => lead >= FAR_OF_OTHERS,
        None => told.agree() && told.tree_lead.is_some_and(|lead| lead >= FAR_IN_TREE),
    };
    ahead || !told.agree() && apart >= FAR_OF_TREE
}

/// True if a closing search has chosen among several moves, and announces no mate.
fn is_contested(told: &Verdict) -> bool {
    let choice = &told.choice;
    told.by == ChosenBy::Closing
        && matches!(choice.score(), Score::Cp(_))
        && choice.root.legal_moves().len() > 1
}

/// The chance from which on a tree's verdict is sure.
const SURE: u8 = 90;

/// How sure a verdict is, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Sureness {
    /// The closing search's move is far ahead of all others, or the tree's is likely to stay: nine in
    /// ten such verdicts did, and were right.
    Sure,
    /// Another move may well be better.
    Open,
    /// The second engine would play another move.
    EnginesDiffer,
}

impl Sureness {
    /// Of a verdict, with its chance if that is known; `None` for a tree's without one, an only move
    /// or an announced mate.
    pub fn of(told: &Verdict, stays: Option<Stays>) -> Option<Sureness> {
        let stays = stays.filter(|stays| stays.best == told.best());
        let differs = told.second.as_ref().is_some_and(|second| !second.agree);
        let is_sure = match (told.by, stays) {
            (ChosenBy::Closing, _) if is_contested(told) => is_far_ahead(told),
            (ChosenBy::Tree, Some(stays)) => stays.is_sure(),
            (ChosenBy::Tree, None) if differs => false,
            _ => return None,
        };
        Some(match is_sure {
            _ if differs => Sureness::EnginesDiffer,
            true => Sureness::Sure,
            false => Sureness::Open,
        })
    }

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Sureness::Sure => "sure",
            Sureness::Open => "open",
            Sureness::EnginesDiffer => "the engines differ",
        }
    }
}

/// The chance of a tree's verdict, with a word in front: `open: 84 % that 1. e4 stays the best move
/// when …`.
pub fn describe_tree_chance(stays: Stays, best: &str) -> String {
    let sureness = if stays.is_sure() { Sureness::Sure } else { Sureness::Open };
    format!("{}: {}", sureness.word(), describe_stays(stays, best))
}

/// How sure a verdict is, and the chance where it was measured: `sure: 92 % that 3... Bc5 stays the
/// best move when …`.
pub fn describe_sureness(told: &Verdict, stays: Option<Stays>) -> Option<String> {
    let sureness = Sureness::of(told, stays)?;
    let best = numbered_move(&told.choice.root, told.best());
    let stays = stays.filter(|stays| stays.best == told.best());
    let why = match (stays, told.agree()) {
        (Some(stays), _) => describe_stays(stays, &best),
        (None, true) => format!("tree and closing search have both chosen {best}"),
        (None, false) => "tree and closing search have chosen different moves".to_owned(),
    };
    let unmeasured = match stays {
        Some(_) => "",
        None => " (how often such a move stays was not counted)",
    };
    Some(format!("{}: {why}{unmeasured}", sureness.word()))
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
pub(crate) fn centipawns(value: Value) -> i32 {
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
    use crate::json::NamedMove;
    use crate::second::SecondWord;
    use deepanalyze_core::chess::parse_uci;

    /// A closing search's verdict, and how the tree and a second engine see it.
    fn told(closing: Score, tree: Score, agree: bool, second: Option<(&str, bool)>) -> Verdict {
        let root = Chess::default();
        let [best, other] =
            ["e2e4", if agree { "e2e4" } else { "d2d4" }].map(|uci| parse_uci(uci).unwrap());
        let of = |uci, score: Score| Line::new(root.clone(), vec![uci], score.into());
        let second = second.map(|(engine, agree)| SecondWord {
            engine: engine.to_owned(),
            agree,
            named: NamedMove::of(&root, best),
            score: closing,
            line: Vec::new(),
            depth: 9,
            nodes: 9,
            score_of_verdict: None,
        });
        Verdict {
            choice: of(best, closing),
            by: ChosenBy::Closing,
            other: Some(of(other, tree)),
            drawn: None,
            nodes: [1, 1],
            second,
            engines: 2,
            lead: None,
            tree_lead: None,
        }
    }

    fn sureness(told: &Verdict) -> (Option<u8>, Option<Sureness>) {
        let stays = Stays::of_told(told, None);
        (stays.map(|stays| stays.chance.get()), Sureness::of(told, stays))
    }

    #[test]
    fn closing_choice_is_as_sure_as_such_choices_were() {
        use Sureness::{EnginesDiffer, Open, Sure};
        let cp = Score::Cp;
        let (agrees, differs) = (Some(("Stockfish 19", true)), Some(("Stockfish 19", false)));
        for (closing, tree, agree, second, right) in [
            (cp(30), cp(10), true, None, (78, Open)),
            (cp(30), cp(10), true, agrees, (87, Open)),
            (cp(30), cp(10), true, differs, (45, EnginesDiffer)),
            (cp(30), cp(30), false, None, (57, Open)),
            (cp(30), cp(30), false, agrees, (71, Open)),
            (cp(-900), cp(30), false, None, (95, Sure)),
            (cp(90), cp(30), false, differs, (79, EnginesDiffer)),
            (cp(0), Score::Mate(-1), false, None, (95, Sure)),
        ] {
            let told = told(closing, tree, agree, second);
            assert_eq!(sureness(&told), (Some(right.0), Some(right.1)), "{told:?}");
        }
        let ahead = Verdict { lead: Some(80), ..told(cp(30), cp(10), true, None) };
        assert_eq!(sureness(&ahead), (Some(95), Some(Sure)));
        let in_tree = |tree_lead, lead| Verdict {
            tree_lead: Some(tree_lead),
            lead,
            ..told(cp(30), cp(10), true, None)
        };
        assert_eq!(sureness(&in_tree(120, None)), (Some(95), Some(Sure)));
        assert_eq!(sureness(&in_tree(119, None)), (Some(78), Some(Open)));
        assert_eq!(sureness(&in_tree(500, Some(10))), (Some(78), Some(Open)), "others were near");
    }

    #[test]
    fn what_was_not_counted_has_no_number() {
        let cp = Score::Cp;
        let mate = told(Score::Mate(3), cp(30), true, None);
        assert_eq!(sureness(&mate), (None, None), "an announced mate is no guess");
        for (lead, right) in [(80, Sureness::Sure), (79, Sureness::Open)] {
            let lead = Some(lead);
            let many = Verdict { engines: 8, lead, ..told(cp(30), cp(10), true, None) };
            assert_eq!(sureness(&many), (None, Some(right)));
            let other = told(cp(30), cp(10), true, Some(("Ethereal", true)));
            assert_eq!(sureness(&Verdict { lead, ..other }), (None, Some(right)));
        }
        let many = Verdict { engines: 8, ..told(cp(30), cp(10), true, Some(("A", false))) };
        assert_eq!(sureness(&many), (None, Some(Sureness::EnginesDiffer)));
        assert_eq!(
            describe_sureness(&many, None).unwrap(),
            "the engines differ: tree and closing search have both chosen 1. e4 (how often such a move stays was not counted)"
        );
    }
}
