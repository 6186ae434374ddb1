//! The way to a position of a tree.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use shakmaty::Chess;

use crate::app::App;
use deepanalyze_core::chess::{PositionKey, parse_fen};
use deepanalyze_report::line_in_tree;
use deepanalyze_report::numbered_line;

use super::error::ApiError;
use super::json::{Asked, Id, response};
use super::work::root_of;
use deepanalyze_report::NamedMove;

/// Which position.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionAsked {
    fen: String,
}

#[derive(Serialize)]
struct FoundLine {
    line: Vec<NamedMove>,
    words: String,
}

/// `GET /api/analyses/{id}/line`.
pub async fn line(
    State(app): State<Arc<App>>,
    id: Id,
    Asked(asked): Asked<PositionAsked>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?.id;
    let position = parse_fen(&asked.fen).map_err(ApiError::malformed)?;
    let found = app.trees.ask(root, move |open| {
        let tree = open.tree();
        let line = line_in_tree(&tree.growth, &PositionKey::of(&position))?;
        let start: &Chess = tree.game.root();
        let words = numbered_line(start, &line);
        Some(FoundLine { line: NamedMove::line(start, &line), words })
    });
    let found = found.await?;
    found
        .map(|found| response(&found))
        .ok_or_else(|| ApiError::missing("the tree does not have it"))
}
