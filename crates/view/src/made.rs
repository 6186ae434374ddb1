//! Stored trees for tests, made of lists.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use deepanalyze_core::chess::{Game, Score, fen_of};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::Growth;
use deepanalyze_store::{AnalysisId, AnalysisRow, ProfileId};

use crate::closing::{Closing, ClosingAsked, ClosingMove};
use crate::json::NamedMove;
use crate::tree::{KeptRows, StoredTree, Tree};

#[cfg(test)]
#[path = "../../../tests/databases/pawns.rs"]
mod pawns;

#[cfg(test)]
pub use pawns::pawns;

/// A tree as if stored, with notes or other directives it was grown with.
pub fn kept_of(game: &Game, growth: Growth, said: Directives) -> StoredTree {
    let row = row_of(game, &growth);
    StoredTree {
        tree: Tree::new(row, game.clone(), Arc::new(growth), said.of_tree(), said),
        rows: KeptRows::default(),
        verdicts: Vec::new(),
        course: Vec::new(),
        wdl: None,
        stages: Vec::new(),
        stays: None,
        rechecks: Vec::new(),
    }
}

/// A closing search of a tree's root with this line, as large as the tree.
pub fn closing_of(tree: &StoredTree, line: &str, score: i32) -> Closing {
    let mut game = Game::from_position(tree.game.root().clone());
    game.play_line(line).unwrap();
    let line = game.moves().to_vec();
    let named = NamedMove::of(tree.game.root(), *line.first().unwrap());
    let asked =
        ClosingAsked { tree_limit: tree.row.profile.limit, passes: 1, limit: None, engines: 1 };
    let best = ClosingMove { named, score: Score::Cp(score), wdl: None, depth: 20, line };
    Closing { asked, best, others: Vec::new(), nodes: tree.row.nodes, is_done: true, second: None }
}

fn row_of(game: &Game, growth: &Growth) -> AnalysisRow {
    let profile = Profile {
        engine: "Made 1".to_owned(),
        options: Default::default(),
        limit: Limit::Depth(8),
        kept_hash: None,
    };
    AnalysisRow {
        id: AnalysisId(1),
        root: fen_of(game.root()),
        start: fen_of(game.start()),
        history: game.moves().to_vec(),
        profile_id: ProfileId(1),
        profile,
        settings: growth.breadth().clone().into(),
        target_depth: 4,
        settled_depth: Some(3),
        passes: growth.passes(),
        positions: growth.analysed(),
        searches: growth.searches(),
        nodes: 1_000,
        changed_at: 1_763_683_199_999,
        regrown: 0,
        fact_round: 0,
        grown_round: 0,
        game_set: None,
        found: Vec::new(),
    }
}
