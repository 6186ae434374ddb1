//! A played game with the verdicts on its positions.

mod json;

use crate::analysis::{Annotation, Judgement};
use deepanalyze_core::chess::{Game, Heading, Remark};
use deepanalyze_store::AnalysisRow;

pub(super) use json::GameObject;
pub use json::write_games_json;

/// A game with what there is to say of its positions and moves.
#[derive(Debug, Clone)]
pub struct AnnotatedGame {
    /// The game.
    pub game: Game,
    /// Its tags and result.
    pub heading: Heading,
    /// What its file says in front of the first move, and then behind each move.
    pub remarks: Vec<Vec<Remark>>,
    /// The trees of its positions, from its start to its end.
    pub positions: Vec<JudgedPosition>,
    /// What there is to say of each move.
    pub annotations: Vec<Annotation>,
    /// Whose verdicts they are.
    pub annotator: String,
}

/// A position of a game.
#[derive(Debug, Clone, Default)]
pub struct JudgedPosition {
    /// Its analysis, if there is one of the kind that the game is judged by.
    pub row: Option<AnalysisRow>,
    /// What its tree says of it; nothing before its first answer.
    pub judgement: Option<Judgement>,
}

impl AnnotatedGame {
    /// Its result: `1-0`, `0-1`, `1/2-1/2`, or `*` where it is not known.
    pub(in crate::render) fn result(&self) -> &str {
        let known = |result: &&str| ["1-0", "0-1", "1/2-1/2"].contains(result);
        let of_moves = self.heading.result.as_deref();
        let found = of_moves.filter(known).or(self.heading.tag("Result").filter(known));
        found.unwrap_or("*")
    }

    /// One of its analyses, which are all of one kind; nothing where no position has one.
    fn kind(&self) -> Option<&AnalysisRow> {
        self.positions.iter().find_map(|position| position.row.as_ref())
    }
}
