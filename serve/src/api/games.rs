//! Whole games: every position an analysis of its own, and what they say together.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shakmaty::Position;

use crate::roots::RootFacts;
use crate::server::App;
use deepanalyze_core::chess::{Ending, WrittenGame, written_game};
use deepanalyze_report::{
    AnnotatedGame, PointOfView, annotated_games, event_of_game, game_alone, title_of_game,
    write_annotated, write_game_data, write_game_html, write_games_json,
};
use deepanalyze_runner::{NewRoot, RunnerError, Schedule};
use deepanalyze_store::{AnalysisId, AnnotatedGameRow, GameId, Store};

use super::analyses::RunAction;
use super::error::ApiError;
use super::json::{FromQuery, Sent, response};
use super::new_root::NewRootAsked;
use super::reports::{Side, written};
use super::work::{apart, beside, entry_of, refresh, report};

/// So many positions of a game are analysed at most.
const MOST: usize = 600;

/// A game that is to be analysed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WholeGameAsked {
    pgn: String,
    /// Its number in the text, from 1.
    #[serde(default = "first")]
    game: usize,
    #[serde(default)]
    from_ply: usize,
    to_ply: Option<usize>,
    /// Only positions where this side is to move.
    side: Option<Side>,
    /// How each position is grown.
    #[serde(default)]
    each: NewRootAsked,
}

fn first() -> usize {
    1
}

/// A game that is analysed as a whole.
#[derive(Serialize)]
struct WholeGameObject {
    id: i64,
    title: String,
    event: String,
    result: String,
    plies: usize,
    created_at: i64,
    /// The analyses of its positions, the first position first.
    analyses: Vec<PositionAnalysed>,
}

#[derive(Serialize)]
struct PositionAnalysed {
    ply: usize,
    id: i64,
}

/// `GET /api/games`.
pub async fn list(State(app): State<Arc<App>>) -> Result<Response, ApiError> {
    refresh(&app).await;
    let games = beside(&app, |store| Ok(store.annotated_games()?)).await?;
    let objects = games.iter().map(|row| Ok(object(&app, row, &read(row)?)));
    let objects: Result<Vec<WholeGameObject>, ApiError> = objects.collect();
    Ok(response(&json!({ "games": objects? })))
}

/// `POST /api/games`.
pub async fn add(
    State(app): State<Arc<App>>,
    Sent(asked): Sent<WholeGameAsked>,
) -> Result<Response, ApiError> {
    if asked.game == 0 {
        return Err(ApiError::malformed("\"game\": the first game is 1"));
    }
    if !asked.each.is_of_any() {
        return Err(ApiError::malformed("\"each\" says how positions are grown, not which"));
    }
    let written = written_game(asked.pgn.as_bytes(), asked.game, None)?;
    let roots = roots(&asked, &written, &app)?;
    let (starts, until) = (asked.each.start.unwrap_or(true), asked.each.until()?);
    let pgn = game_alone(written);
    let id = apart(&app, move |app| {
        let id = app.store()?.keep_annotated_game(&pgn)?;
        for root in roots {
            // The game is over in its last position, perhaps, by the tables' rules, too.
            let added = match app.agenda.add(root) {
                Err(RunnerError::Over(_)) => continue,
                added => added?,
            };
            if added.is_new {
                app.store()?.put_in_game(added.id, id)?;
            }
            app.agenda.grow_until(added.id, until)?;
            if starts {
                app.agenda.grow(added.id)?;
            }
        }
        Ok(id)
    });
    let id = id.await?;
    let game = told(&app, id).await?;
    Ok((StatusCode::CREATED, response(&game)).into_response())
}

/// The positions that are wanted of a game, the last first: what is known of it serves those before it.
fn roots(
    asked: &WholeGameAsked,
    written: &WrittenGame,
    app: &App,
) -> Result<Vec<NewRoot>, ApiError> {
    let game = &written.game;
    let plies = game.moves().len();
    let (first, last) = (asked.from_ply, asked.to_ply.unwrap_or(plies).min(plies));
    if first > last {
        return Err(ApiError::malformed(format!("the game has no such positions: {plies} plies")));
    }
    let mut roots = Vec::new();
    for ply in (first..=last).rev() {
        let here = game.up_to(ply);
        let turn = here.root().turn();
        let is_wanted = asked.side.is_none_or(|side| shakmaty::Color::from(side) == turn);
        if !is_wanted || Ending::of(here.root()).is_some() {
            continue;
        }
        let mut root = asked.each.root_of(here, &written.heading, &app.defaults)?;
        // Stages never end by themselves: with them no game is ever done.
        root.schedule = Schedule::Once(root.schedule.first());
        roots.push(root);
    }
    match roots.len() {
        0 => Err(ApiError::refused("there is nothing to analyse in this game")),
        many if many > MOST => Err(ApiError::refused(format!(
            "the game has {many} such positions, and at most {MOST} are analysed at once"
        ))),
        _ => Ok(roots),
    }
}

/// The number of a game in a path.
pub async fn one(State(app): State<Arc<App>>, path: Path<String>) -> Result<Response, ApiError> {
    let (row, game) = found(&app, &path).await?;
    let object = json!(object(&app, &row, &game));
    let searches = searches(&app, row.id);
    let kind = "application/json";
    report(&app, (searches, kind), move |store| {
        let game = annotated(store, game)?;
        let data = written(|out| write_game_data(&game, PointOfView::White, out))?;
        let mut text = object.to_string().into_bytes();
        // The object goes on with what the page is made of.
        text.pop();
        text.extend(b",\"page\":".iter().chain(&data).chain(b"}"));
        Ok(text)
    })
    .await
}

/// As what a game is written.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum GameFormat {
    Pgn,
    Html,
    Json,
}

/// What is asked of an export.
#[derive(Debug, Deserialize)]
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
    let answer = report(&app, (searches(&app, row.id), kind), move |store| {
        let (game, pov) = (annotated(store, game)?, PointOfView::White);
        written(|out| match asked.format {
            GameFormat::Pgn => write_annotated(&game, pov, out),
            GameFormat::Html => write_game_html(&game, pov, out),
            GameFormat::Json => write_games_json(&[game], out),
        })
    });
    let mut answer = answer.await?;
    let name = format!("attachment; filename=\"deepanalyze-game-{}.{ending}\"", row.id.0);
    if let Ok(name) = HeaderValue::from_str(&name) {
        answer.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(answer)
}

/// What is to be done with all positions of a game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameSteered {
    action: RunAction,
}

/// `POST /api/games/{id}/run`.
pub async fn run(
    State(app): State<Arc<App>>,
    path: Path<String>,
    Sent(steered): Sent<GameSteered>,
) -> Result<Response, ApiError> {
    let (row, _) = found(&app, &path).await?;
    let roots = app.roots.of_game(row.id);
    apart(&app, move |app| {
        for root in &roots {
            let entry = entry_of(app, root);
            match (steered.action, entry) {
                (RunAction::Start, entry) => {
                    app.agenda.grow(entry.map_or(root.id, |entry| entry.id))?;
                }
                (RunAction::Pause, Some(entry)) => app.agenda.pause(entry.id)?,
                (RunAction::Pause, None) => {}
                (RunAction::Close, _) => return Err(ApiError::malformed("not of a whole game")),
            }
        }
        Ok(())
    })
    .await?;
    Ok(response(&told(&app, row.id).await?))
}

/// `DELETE /api/games/{id}`: with the trees that were grown for it.
pub async fn delete(State(app): State<Arc<App>>, path: Path<String>) -> Result<Response, ApiError> {
    let (row, _) = found(&app, &path).await?;
    let roots = app.roots.of_game(row.id);
    let numbers: Vec<AnalysisId> = roots.iter().map(|root| root.id).collect();
    apart(&app, move |app| {
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

/// The game of a path.
async fn found(
    app: &Arc<App>,
    Path(id): &Path<String>,
) -> Result<(AnnotatedGameRow, WrittenGame), ApiError> {
    let missing = || ApiError::missing("there is no such game");
    let id = GameId(id.parse().map_err(|_| missing())?);
    refresh(app).await;
    let row =
        beside(app, move |store| Ok(store.annotated_games()?.into_iter().find(|row| row.id == id)));
    let row = row.await?.ok_or_else(missing)?;
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
    let analysed = roots.iter().filter_map(|root| Some((ply(root)?, root.id.0)));
    let mut analyses: Vec<PositionAnalysed> =
        analysed.map(|(ply, id)| PositionAnalysed { ply, id }).collect();
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

/// How many searches the trees of a game have, by which reading them takes its room.
fn searches(app: &App, id: GameId) -> u64 {
    app.roots.of_game(id).iter().map(|root| root.listed.row.searches).sum()
}

fn annotated(store: &Store, game: WrittenGame) -> Result<AnnotatedGame, ApiError> {
    let game = store.at_one_moment(|| annotated_games(vec![game], store))?.pop();
    game.ok_or_else(ApiError::unplayable)
}
