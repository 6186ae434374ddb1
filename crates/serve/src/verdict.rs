//! The verdict of a root as an object: its move, the source of the choice, and the other choice.

use serde::Serialize;

use deepanalyze_core::chess::Score;
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_view::{ChosenBy, Line, NamedMove, PointOfView, SecondWord, Verdict};

/// Plies of a line.
pub const LINE_PLIES: usize = 16;

/// Words with scores for White, and for the side to move.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ForBoth {
    white: String,
    mover: String,
}

impl ForBoth {
    /// Words from both points of view.
    pub fn of(words: impl Fn(PointOfView) -> String) -> ForBoth {
        ForBoth { white: words(PointOfView::White), mover: words(PointOfView::Mover) }
    }

    /// The source of a root's verdict, in words; `None` without a closing search.
    pub fn whose(told: &Verdict) -> Option<ForBoth> {
        let words = |pov| told.describe(pov).unwrap_or_default();
        told.other.is_some().then(|| ForBoth::of(words))
    }
}

/// The best move of a root.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Verdict"))]
pub struct VerdictObject {
    #[serde(flatten)]
    chosen: ChosenObject,
    /// The source of the choice.
    by: ChosenBy,
    /// True if no other move was chosen.
    agree: bool,
    /// The other choice, of tree or closing search; null without a closing search.
    other: Option<ChosenObject>,
    /// A second engine's word; null if none was asked.
    second: Option<SecondWord>,
    /// The source in the command line's words; null without a closing search.
    words: Option<ForBoth>,
}

/// A chosen move, or the verdict's.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Chosen"))]
pub struct ChosenObject {
    /// The move.
    #[serde(flatten)]
    pub named: NamedMove,
    /// Its score for its mover.
    pub score: Score,
    /// Wins, draws and losses in a thousand games, for the mover; null if unknown.
    pub wdl: Option<WinDrawLoss>,
    /// The move, and its expected line.
    pub line: Vec<NamedMove>,
}

impl ChosenObject {
    /// A line with a move, with this many plies at most.
    #[allow(clippy::indexing_slicing, reason = "the lines of a verdict have a move")]
    pub fn of(line: &Line, plies: usize) -> ChosenObject {
        ChosenObject {
            named: NamedMove::of(&line.root, line.moves[0]),
            score: line.score(),
            wdl: line.wdl,
            line: NamedMove::line(&line.root, line.plies(plies)),
        }
    }
}

impl VerdictObject {
    /// Of a root.
    pub fn of(told: &Verdict) -> VerdictObject {
        VerdictObject {
            chosen: ChosenObject::of(&told.choice, LINE_PLIES),
            by: told.by,
            agree: told.agree(),
            other: told.other.as_ref().map(|other| ChosenObject::of(other, LINE_PLIES)),
            second: told.second.clone(),
            words: ForBoth::whose(told),
        }
    }
}
