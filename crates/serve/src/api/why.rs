//! Why a move is not the best: what a tree knows of it, and a search of the position behind it.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use deepanalyze_core::chess::{Game, read_move};
use deepanalyze_runner::{Control, control};
use deepanalyze_view::{Tree, Why};

use super::error::ApiError;
use super::json::{FromQuery, RootId, Sent, response};
use super::work::{failed, root_of};
use crate::server::App;
use crate::trees::OpenTree;
use crate::verdict::ForBoth;

/// One search at a time: others wait.
static SEARCHING: Semaphore = Semaphore::const_new(1);

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
    fn of(why: &Why) -> WhyObject {
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
            can_be_searched: why.wants_search(),
        }
    }
}

/// Looks a move up.
fn look(open: &OpenTree, asked: &MoveAsked) -> Result<(Arc<Tree>, Why), ApiError> {
    let (store, tree) = (open.store(), open.tree());
    let mut game = Game::from_position(tree.game.root().clone());
    game.play_line(&asked.line)?;
    let uci = read_move(game.root(), &asked.word)?;
    Ok((Arc::clone(tree), Why::of(store, tree, game.moves(), uci)?))
}

/// `GET /api/analyses/{id}/why`.
pub async fn known(
    State(app): State<Arc<App>>,
    id: RootId,
    FromQuery(asked): FromQuery<MoveAsked>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?.id;
    let (_, why) = app.trees.ask(root, move |open| look(open, &asked)).await??;
    Ok(response(&WhyObject::of(&why)))
}

/// `POST /api/analyses/{id}/why`.
pub async fn search(
    State(app): State<Arc<App>>,
    id: RootId,
    Sent(asked): Sent<MoveAsked>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?.id;
    let (tree, why) = app.trees.ask(root, move |open| look(open, &asked)).await??;
    let (agenda, asked) = (app.agenda.clone(), WhyObject::of(&why));
    if !asked.can_be_searched {
        return Ok(response(&asked));
    }
    let turn = SEARCHING.acquire().await.map_err(|_| ApiError::conflict("the server ends"))?;
    let (of, (control, receiver)) = (Arc::clone(&tree), control());
    // A client that leaves ends its search.
    let _leaving = EndOnDrop(control);
    let found = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let found = agenda.ask(&of, &why, Why::SEARCH_TIME, &receiver);
        (why, found)
    });
    let (why, found) = found.await.map_err(failed)?;
    let found = found.map_err(|error| ApiError::conflict(error.to_string()))?;
    let found = found.map_err(ApiError::conflict)?;
    Ok(response(&WhyObject::of(&why.with_search(found))))
}

/// Ends a search.
struct EndOnDrop(Control);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end();
    }
}
