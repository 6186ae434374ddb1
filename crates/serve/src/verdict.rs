//! The verdict of a root as an object: the move that is told, whose choice it is, and what the other one says.

use serde::Serialize;
use shakmaty::Chess;

use deepanalyze_core::chess::Score;
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_view::{ChosenBy, ChosenMove, NamedMove, PointOfView, ToldVerdict};

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

    /// Whose choice a root's verdict is; none where there is no closing search.
    pub fn whose(root: &Chess, told: &ToldVerdict) -> Option<ForBoth> {
        let words = |pov| told.describe(root, pov).unwrap_or_default();
        told.other.is_some().then(|| ForBoth::of(words))
    }
}

/// The move that is told as the best one of a root.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Verdict"))]
pub struct VerdictObject {
    #[serde(flatten)]
    chosen: ChosenObject,
    /// Who has chosen it.
    by: ChosenBy,
    /// Whether nobody has chosen another one.
    agree: bool,
    /// What the other one has chosen, tree or closing search; null where there is no closing search.
    other: Option<ChosenObject>,
    /// Whose choice it is, as the command line tells it; null where there is no closing search.
    words: Option<ForBoth>,
}

/// A move that somebody has chosen, or that is told as the best.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Chosen"))]
pub struct ChosenObject {
    /// The move.
    #[serde(flatten)]
    pub named: NamedMove,
    /// Its score for its mover.
    pub score: Score,
    /// Wins, draws and losses in a thousand games, for the side that plays the move; null where nobody has said it.
    pub wdl: Option<WinDrawLoss>,
    /// The move, and what is expected to follow.
    pub line: Vec<NamedMove>,
}

impl ChosenObject {
    /// With this many plies of its line at most.
    pub fn of(position: &Chess, chosen: &ChosenMove, plies: usize) -> ChosenObject {
        let ChosenMove { named, score, wdl, line } = chosen;
        let line = NamedMove::line(position, line.get(..plies).unwrap_or(line));
        ChosenObject { named: named.clone(), score: *score, wdl: *wdl, line }
    }
}

impl VerdictObject {
    /// Of a root.
    pub fn of(root: &Chess, told: &ToldVerdict) -> VerdictObject {
        let chosen = |chosen: &ChosenMove| ChosenObject::of(root, chosen, LINE_PLIES);
        VerdictObject {
            chosen: chosen(&told.chosen),
            by: told.by,
            agree: told.agree,
            other: told.other.as_ref().map(chosen),
            words: ForBoth::whose(root, told),
        }
    }
}
