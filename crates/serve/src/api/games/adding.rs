//! Analysing a whole game: the choice of its positions, and the analyses already there.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use shakmaty::Position;

use crate::roots::RootFacts;
use crate::server::App;
use deepanalyze_core::chess::{Ending, WrittenGame, written_game};
use deepanalyze_report::game_alone;
use deepanalyze_runner::{Amendment, Job, RunnerError, Schedule};
use deepanalyze_store::{AnalysisId, GameId, GrowsUntil, Store};
use deepanalyze_view::Side;

use super::told;
use crate::api::error::ApiError;
use crate::api::json::{Sent, response};
use crate::api::new_root::NewRootAsked;
use crate::api::work::{beside, in_own_thread};

/// Greatest number of positions of a game.
const MOST: usize = 600;

/// A game to be analysed.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "NewGame"))]
#[serde(deny_unknown_fields)]
pub struct WholeGameAsked {
    pgn: String,
    /// Its number in the text, from 1.
    #[serde(default = "first")]
    game: usize,
    #[serde(default)]
    from_ply: usize,
    /// To its end by default.
    to_ply: Option<usize>,
    /// Only positions where this side is to move.
    side: Option<Side>,
    /// Settings of each position: those of a new analysis, but for `fen`, `moves`, `pgn`, `game`,
    /// `ply`, `name`.
    #[serde(default)]
    each: NewRootAsked,
}

fn first() -> usize {
    1
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
    // A game added during its deletion would leave half of itself.
    let _turn = app.games.lock().await;
    let owned = Arc::clone(&app);
    let read = beside(&app, move |_| {
        let written = written_game(asked.pgn.as_bytes(), asked.game, None)?;
        Ok((roots(&asked, &written, &owned)?, game_alone(written)))
    });
    let (roots, pgn) = read.await?;
    let id = in_own_thread(&app, move |app| {
        let mut store = app.store()?;
        let id = store.keep_annotated_game(&pgn)?;
        let known = app.roots.of_game(id);
        for job in &roots {
            add_position(app, &mut store, job, (id, &known), wanted)?;
        }
        Ok(id)
    });
    let id = id.await?;
    let game = told(&app, id).await?;
    Ok((StatusCode::CREATED, response(&game)).into_response())
}

/// Adds a position of a game. An existing analysis that was made for no game stays independent.
fn add_position(
    app: &App,
    store: &mut Store,
    job: &Job,
    (game, known): (GameId, &[Arc<RootFacts>]),
    (starts, until): (bool, GrowsUntil),
) -> Result<(), ApiError> {
    if let Some(there) = app.agenda.known(job)? {
        let made = app.roots.of(there.0).is_some_and(|root| root.is_of_game);
        store.put_in_game(game, there, made)?;
        if !known.iter().any(|root| root.has(there)) || !made {
            return Ok(());
        }
        app.agenda.set_depth(there, job.depth)?;
        return start_position(app, there, starts, until);
    }
    // By the tablebases the game may be over there, too.
    let added = match app.agenda.add(job, &Amendment::default()) {
        Err(RunnerError::Over(_)) => return Ok(()),
        added => added?,
    };
    store.put_in_game(game, added.id, true)?;
    app.agenda.take_turns(added.id, Some(game.0))?;
    start_position(app, added.id, starts, until)
}

fn start_position(
    app: &App,
    id: AnalysisId,
    starts: bool,
    until: GrowsUntil,
) -> Result<(), ApiError> {
    if until != GrowsUntil::default() {
        app.agenda.grow_until(id, until)?;
    }
    if starts {
        app.agenda.grow(id)?;
    }
    Ok(())
}

/// The chosen positions of a game, the last first: its results serve those before it.
fn roots(asked: &WholeGameAsked, written: &WrittenGame, app: &App) -> Result<Vec<Job>, ApiError> {
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
        let job = asked.each.job_of(here, &written.heading, app)?;
        // Stages never end by themselves: with them no game would be done.
        roots.push(Job { schedule: Schedule::Once(job.schedule.first()), ..job });
    }
    match roots.len() {
        0 => Err(ApiError::refused("there is nothing to analyse in this game")),
        many if many > MOST => Err(ApiError::refused(format!(
            "the game has {many} such positions, and at most {MOST} are analysed at once"
        ))),
        _ => Ok(roots),
    }
}
