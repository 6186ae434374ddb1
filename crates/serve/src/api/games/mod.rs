//! Whole games: every position an analysis of its own, and their common reports.

mod adding;

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use crate::roots::RootFacts;
use crate::server::App;
use deepanalyze_core::chess::{WrittenGame, written_game};
use deepanalyze_report::{
    AnnotatedGame, GamePageData, annotated_games, event_of_game, title_of_game, write_annotated,
    write_game_html, write_games_json,
};
use deepanalyze_store::{AnalysisId, AnnotatedGameRow, GameId, Store};
use deepanalyze_view::PointOfView;

use super::error::ApiError;
use super::json::{FromQuery, Sent, json_of, response};
use super::reports::written;
use super::work::{as_file, beside, entry_of, in_own_thread, refresh, report};

#[cfg(test)]
pub use adding::WholeGameAsked;
pub use adding::add;

/// A game that is analysed as a whole.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "WholeGame"))]
pub struct WholeGameObject {
    id: i64,
    /// The players, or the event.
    title: String,
    event: String,
    result: String,
    plies: usize,
    /// Milliseconds since 1970, UTC.
    created_at: i64,
    /// The analyses of its positions, the first position first.
    analyses: Vec<PositionAnalysed>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PositionAnalysed {
    ply: usize,
    id: i64,
    /// True if it was made for a game; otherwise it was there before, and stays independent.
    made: bool,
}

/// Games that are analysed as a whole.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "WholeGames"))]
pub struct WholeGamesObject {
    /// The newest first.
    games: Vec<WholeGameObject>,
}

/// `GET /api/games`.
pub async fn list(State(app): State<Arc<App>>) -> Result<Response, ApiError> {
    refresh(&app).await;
    let games = beside(&app, |store| {
        let rows = store.annotated_games()?.into_iter();
        Ok(rows.map(|row| (read(&row), row)).collect::<Vec<_>>())
    });
    let objects = games.await?.into_iter().map(|(written, row)| match written {
        Ok(written) => object(&app, &row, &written),
        // A damaged one is listed, so that it can be deleted.
        Err(_) => damaged(&row),
    });
    Ok(response(&WholeGamesObject { games: objects.collect() }))
}

/// A game with the data of its page.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GamePage<'a> {
    #[serde(flatten)]
    whole: WholeGameObject,
    /// Data of the game's page; `game` is as `export json --every` has it.
    page: GamePageData<'a>,
}

/// `GET /api/games/{id}`.
pub async fn one(State(app): State<Arc<App>>, path: Path<String>) -> Result<Response, ApiError> {
    let (row, game) = found(&app, &path).await?;
    let whole = object(&app, &row, &game);
    report(&app, searches(&app, row.id), "application/json", move |store| {
        let game = annotated(store, game)?;
        let page = GamePageData::of(&game, PointOfView::White);
        Ok(json_of(&GamePage { whole, page }))
    })
    .await
}

/// Format of a game's export.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
enum GameFormat {
    Pgn,
    Html,
    Json,
}

/// Options of an export.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GameExportAsked {
    format: GameFormat,
}

/// `GET /api/games/{id}/export`.
pub async fn export(
    State(app): State<Arc<App>>,
    path: Path<String>,
    FromQuery(asked): FromQuery<GameExportAsked>,
) -> Result<Response, ApiError> {
    let (row, game) = found(&app, &path).await?;
    let (kind, ending) = match asked.format {
        GameFormat::Pgn => ("application/x-chess-pgn", "pgn"),
        GameFormat::Html => ("text/html; charset=utf-8", "html"),
        GameFormat::Json => ("application/json", "json"),
    };
    let answer = report(&app, searches(&app, row.id), kind, move |store| {
        let (game, pov) = (annotated(store, game)?, PointOfView::White);
        written(|out| match asked.format {
            GameFormat::Pgn => write_annotated(&game, out),
            GameFormat::Html => write_game_html(&game, pov, out),
            GameFormat::Json => write_games_json(&[game], out),
        })
    });
    Ok(as_file(answer.await?, &format!("deepanalyze-game-{}.{ending}", row.id.0)))
}

/// An action on all positions of a game.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "GameSteering"))]
#[serde(deny_unknown_fields)]
pub struct GameSteered {
    action: GameAction,
}

/// The action on the analyses of all its positions.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
enum GameAction {
    /// Grow.
    Start,
    /// Pause.
    Pause,
}

/// `POST /api/games/{id}/run`.
pub async fn run(
    State(app): State<Arc<App>>,
    path: Path<String>,
    Sent(steered): Sent<GameSteered>,
) -> Result<Response, ApiError> {
    let (row, _) = found(&app, &path).await?;
    let roots = app.roots.of_game(row.id);
    in_own_thread(&app, move |app| {
        for root in roots.iter().filter(|root| root.is_of_game) {
            let entry = entry_of(app, root);
            match (steered.action, entry) {
                (GameAction::Start, entry) => {
                    app.agenda.grow(entry.map_or(root.id, |entry| entry.id))?;
                }
                (GameAction::Pause, Some(entry)) => app.agenda.pause(entry.id)?,
                (GameAction::Pause, None) => {}
            }
        }
        Ok(())
    })
    .await?;
    Ok(response(&told(&app, row.id).await?))
}

/// `DELETE /api/games/{id}`: with the trees that were grown for it and for no other game.
pub async fn delete(State(app): State<Arc<App>>, path: Path<String>) -> Result<Response, ApiError> {
    let _turn = app.games.lock().await;
    let row = row_of(&app, &path).await?;
    let roots = app.roots.of_game(row.id).into_iter();
    let roots: Vec<Arc<RootFacts>> =
        roots.filter(|root| root.is_of_game && root.games.len() == 1).collect();
    let numbers: Vec<AnalysisId> = roots.iter().map(|root| root.id).collect();
    in_own_thread(&app, move |app| {
        for root in &roots {
            let entry = entry_of(app, root).map(|entry| entry.id);
            app.agenda.remove(entry.unwrap_or(root.id))?;
        }
        app.store()?.forget_annotated_game(row.id)?;
        Ok(())
    })
    .await?;
    numbers.into_iter().for_each(|number| app.trees.close(number));
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// The game of a path, as stored.
async fn row_of(app: &Arc<App>, Path(id): &Path<String>) -> Result<AnnotatedGameRow, ApiError> {
    let missing = || ApiError::missing("the game does not exist");
    let id = GameId(id.parse().map_err(|_| missing())?);
    refresh(app).await;
    let row =
        beside(app, move |store| Ok(store.annotated_games()?.into_iter().find(|row| row.id == id)));
    row.await?.ok_or_else(missing)
}

/// The row and the game.
async fn found(
    app: &Arc<App>,
    path: &Path<String>,
) -> Result<(AnnotatedGameRow, WrittenGame), ApiError> {
    let row = row_of(app, path).await?;
    let game = read(&row)?;
    Ok((row, game))
}

async fn told(app: &Arc<App>, id: GameId) -> Result<WholeGameObject, ApiError> {
    let (row, game) = found(app, &Path(id.0.to_string())).await?;
    Ok(object(app, &row, &game))
}

fn read(row: &AnnotatedGameRow) -> Result<WrittenGame, ApiError> {
    Ok(written_game(row.pgn.as_bytes(), 1, None)?)
}

fn object(app: &App, row: &AnnotatedGameRow, written: &WrittenGame) -> WholeGameObject {
    let WrittenGame { game, heading, .. } = written;
    let ply = |root: &RootFacts| root.listed.game.as_ref().map(|game| game.moves().len());
    let roots = app.roots.of_game(row.id);
    let analysed = roots.iter().filter_map(|root| {
        Some(PositionAnalysed { ply: ply(root)?, id: root.id.0, made: root.is_of_game })
    });
    let mut analyses: Vec<PositionAnalysed> = analysed.collect();
    analyses.sort_by_key(|analysed| analysed.ply);
    WholeGameObject {
        id: row.id.0,
        title: title_of_game(heading),
        event: event_of_game(heading),
        result: heading.result.clone().unwrap_or_else(|| "*".to_owned()),
        plies: game.moves().len(),
        created_at: row.created_at,
        analyses,
    }
}

/// A game that can no longer be read.
fn damaged(row: &AnnotatedGameRow) -> WholeGameObject {
    WholeGameObject {
        id: row.id.0,
        title: "A damaged game".to_owned(),
        event: String::new(),
        result: "*".to_owned(),
        plies: 0,
        created_at: row.created_at,
        analyses: Vec::new(),
    }
}

/// Number of searches in the trees of a game, which decides the room for reading them.
fn searches(app: &App, id: GameId) -> u64 {
    app.roots.of_game(id).iter().map(|root| root.listed.row.searches).sum()
}

fn annotated(store: &Store, game: WrittenGame) -> Result<AnnotatedGame, ApiError> {
    let game = store.at_one_moment(|| annotated_games(vec![game], store))?.pop();
    game.ok_or_else(ApiError::unplayable)
}
