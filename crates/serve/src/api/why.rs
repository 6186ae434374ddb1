//! Why a move is not the best: what a tree knows of it, and a search of the position behind it.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use deepanalyze_core::chess::{Game, read_move};
use deepanalyze_runner::control;
use deepanalyze_view::{Tree, Why};

use super::error::ApiError;
use super::json::{FromQuery, RootId, Sent, response};
use super::work::{failed, root_of};
use crate::server::App;
use crate::trees::OpenTree;
use crate::verdict::ForBoth;

/// One search at a time: others wait.
static SEARCHING: Semaphore = Semaphore::const_new(1);
/// The time of a search.
const TIME: Duration = Duration::from_secs(2);

/// A move of a position.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MoveAsked {
    /// Moves from the root, in SAN or UCI notation, with blanks between them.
    #[serde(default)]
    line: String,
    /// The move played there.
    #[serde(rename = "move")]
    word: String,
}

/// The answer, in sentences.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "WhyNot"))]
pub struct WhyObject {
    /// How the move stands.
    headline: ForBoth,
    /// The rest of the analysis' knowledge of it.
    known: Vec<ForBoth>,
    /// A search of the position behind it.
    searched: Vec<ForBoth>,
    /// True if a search can say more: `POST` makes it.
    can_be_searched: bool,
}

impl WhyObject {
    fn of(tree: &Tree, why: &Why) -> WhyObject {
        let all = |sentences: &dyn Fn(deepanalyze_view::PointOfView) -> Vec<String>| {
            let count = sentences(deepanalyze_view::PointOfView::White).len();
            let each = |index: usize| {
                ForBoth::of(|pov| sentences(pov).into_iter().nth(index).unwrap_or_default())
            };
            (0..count).map(each).collect()
        };
        WhyObject {
            headline: ForBoth::of(|pov| why.headline(pov)),
            known: all(&|pov| why.sentences(pov)),
            searched: all(&|pov| why.search_sentences(pov)),
            can_be_searched: why.can_be_searched(tree)
                && !why.is_searched()
                && !why.has_searched_line(),
        }
    }
}

/// Looks a move up.
fn look(open: &OpenTree, asked: &MoveAsked) -> Result<(Arc<Tree>, Why), ApiError> {
    let (store, tree) = (open.store(), open.tree());
    let mut game = Game::from_position(tree.game.root().clone());
    game.play_line(&asked.line)?;
    let uci = read_move(game.root(), &asked.word)?;
    let why = Why::of(store, tree, game.moves(), uci)?;
    let known = match why.can_be_searched(tree) {
        true => why.kept_search(store, tree, &tree.row.profile)?,
        false => None,
    };
    Ok((Arc::clone(tree), why.with_search(known)))
}

/// `GET /api/analyses/{id}/why`.
pub async fn known(
    State(app): State<Arc<App>>,
    id: RootId,
    FromQuery(asked): FromQuery<MoveAsked>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?.id;
    let (tree, why) = app.trees.ask(root, move |open| look(open, &asked)).await??;
    Ok(response(&WhyObject::of(&tree, &why)))
}

/// `POST /api/analyses/{id}/why`.
pub async fn search(
    State(app): State<Arc<App>>,
    id: RootId,
    Sent(asked): Sent<MoveAsked>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?.id;
    let (tree, why) = app.trees.ask(root, move |open| look(open, &asked)).await??;
    let (agenda, asked) = (app.agenda.clone(), WhyObject::of(&tree, &why));
    if !asked.can_be_searched {
        return Ok(response(&asked));
    }
    let turn = SEARCHING.acquire().await.map_err(|_| ApiError::conflict("the server ends"))?;
    let (of, (_control, receiver)) = (Arc::clone(&tree), control());
    let found = tokio::task::spawn_blocking(move || {
        let found = agenda.ask((&of, &why), TIME, &receiver);
        (why, found)
    });
    let (why, found) = found.await.map_err(failed)?;
    drop(turn);
    let found = found.map_err(|error| ApiError::conflict(error.to_string()))?;
    Ok(response(&WhyObject::of(&tree, &why.with_search(found))))
}
