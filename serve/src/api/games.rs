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
use deepanalyze_store::{AnalysisId, AnnotatedGameRow, GameId, GrowsUntil, Store};

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
    /// Whether it was made for a game; otherwise it was there before, and goes its own way.
    made: bool,
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
        // One that is damaged is listed, so that it can be deleted.
        Err(_) => damaged(&row),
    });
    Ok(response(&json!({ "games": objects.collect::<Vec<_>>() })))
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
    let until = asked.each.until()?;
    if until.stable.is_some() {
        return Err(ApiError::malformed("\"until_stable\" goes with one analysis in stages"));
    }
    let wanted = (asked.each.start.unwrap_or(true), until);
    // A game that is added while it is deleted would leave half of itself.
    let _turn = app.games.lock().await;
    let owned = Arc::clone(&app);
    let read = beside(&app, move |_| {
        let written = written_game(asked.pgn.as_bytes(), asked.game, None)?;
        Ok((roots(&asked, &written, &owned)?, game_alone(written)))
    });
    let (roots, pgn) = read.await?;
    let id = apart(&app, move |app| {
        let mut store = app.store()?;
        let id = store.keep_annotated_game(&pgn)?;
        let known = app.roots.of_game(id);
        for root in roots {
            add_position(app, &mut store, root, (id, &known), wanted)?;
        }
        Ok(id)
    });
    let id = id.await?;
    let game = told(&app, id).await?;
    Ok((StatusCode::CREATED, response(&game)).into_response())
}

/// Adds a position of a game. An analysis that is there and was made for no game goes its own way.
fn add_position(
    app: &App,
    store: &mut Store,
    root: NewRoot,
    (game, known): (GameId, &[Arc<RootFacts>]),
    (starts, until): (bool, GrowsUntil),
) -> Result<(), ApiError> {
    if let Some(there) = app.agenda.known(&root)? {
        let made = app.roots.of(there.0).is_some_and(|root| root.is_of_game);
        store.put_in_game(game, there, made)?;
        if !known.iter().any(|root| root.has(there)) || !made {
            return Ok(());
        }
        app.agenda.set_depth(there, root.begins_with.depth)?;
        return start_position(app, there, (starts, until));
    }
    // By the tables the game may be over there, too.
    let added = match app.agenda.add(root) {
        Err(RunnerError::Over(_)) => return Ok(()),
        added => added?,
    };
    store.put_in_game(game, added.id, true)?;
    app.agenda.take_turns(added.id, game.0)?;
    start_position(app, added.id, (starts, until))
}

fn start_position(
    app: &App,
    id: AnalysisId,
    (starts, until): (bool, GrowsUntil),
) -> Result<(), ApiError> {
    if until != GrowsUntil::default() {
        app.agenda.grow_until(id, until)?;
    }
    if starts {
        app.agenda.grow(id)?;
    }
    Ok(())
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
        return Err(ApiError::malformed(format!(
            "\"from_ply\" is {first} and \"to_ply\" {last}: the game has {plies} plies"
        )));
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
        // What is said here is not said of analyses that are there.
        root.begins_with.depth = root.depth.take().unwrap_or(root.begins_with.depth);
        root.begins_with.weight = root.weight.take().unwrap_or(root.begins_with.weight);
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
    if steered.action == RunAction::Close {
        return Err(ApiError::malformed("\"close\" is for one analysis, not for a whole game"));
    }
    let roots = app.roots.of_game(row.id);
    apart(&app, move |app| {
        for root in roots.iter().filter(|root| root.is_of_game) {
            let entry = entry_of(app, root);
            match (steered.action, entry) {
                (RunAction::Start, entry) => {
                    app.agenda.grow(entry.map_or(root.id, |entry| entry.id))?;
                }
                (_, Some(entry)) => app.agenda.pause(entry.id)?,
                (_, None) => {}
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

/// The game of a path, as it is kept.
async fn row_of(app: &Arc<App>, Path(id): &Path<String>) -> Result<AnnotatedGameRow, ApiError> {
    let missing = || ApiError::missing("there is no such game");
    let id = GameId(id.parse().map_err(|_| missing())?);
    refresh(app).await;
    let row =
        beside(app, move |store| Ok(store.annotated_games()?.into_iter().find(|row| row.id == id)));
    row.await?.ok_or_else(missing)
}

/// The same, and the game.
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

/// A game that cannot be read any more.
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

/// How many searches the trees of a game have, by which reading them takes its room.
fn searches(app: &App, id: GameId) -> u64 {
    app.roots.of_game(id).iter().map(|root| root.listed.row.searches).sum()
}

fn annotated(store: &Store, game: WrittenGame) -> Result<AnnotatedGame, ApiError> {
    let game = store.at_one_moment(|| annotated_games(vec![game], store))?.pop();
    game.ok_or_else(ApiError::unplayable)
}
