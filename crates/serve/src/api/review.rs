//! A player's games beside the repertoire of a tree.

use std::io;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;

use crate::background::{BYTES_A_SEARCH, ROOM};
use crate::server::App;
use deepanalyze_report::{
    EngineScores, GamesOfPlayer, GamesRoom, ReviewAsked, review as beside_games, write_review_json,
    write_review_page, write_review_pgn,
};
use deepanalyze_view::{PointOfView, Side, count, load_tree};

use super::error::ApiError;
use super::json::{FromQuery, RootId, bytes_of, in_time, json_of};
use super::reports::written;
use super::work::{report, root_of};

/// Centipawns that own moves may lose by default, if none is included.
const SOUND: u32 = 30;

/// Bytes of memory for each byte of a file of games: for the smallest games, with their output. A
/// large file has all the room, one at a time.
const MEMORY_A_BYTE: u64 = 100;

/// Format of a review.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
enum ReviewFormat {
    #[default]
    Json,
    Pgn,
    Html,
}

/// The player under review.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReviewOf {
    /// The player: a name as the file has it.
    player: Option<String>,
    /// Only those with this side; without a player all of the file.
    side: Option<Side>,
    /// Centipawns that own moves may lose, if none is included; 30 by default.
    sound: Option<u32>,
    /// Its format.
    #[serde(default)]
    format: ReviewFormat,
}

/// A player's games beside a repertoire, and the games that cannot be read.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[schemars(rename = "ReviewAnswer")]
#[expect(dead_code, reason = "it is written piece by piece")]
pub struct ReviewObject<'a> {
    /// Errors of games that cannot be read.
    left_out: Vec<String>,
    review: deepanalyze_view::json::Numbered<deepanalyze_report::ReviewForPrograms<'a>>,
}

/// `POST /api/analyses/{id}/review`.
pub async fn review(
    State(app): State<Arc<App>>,
    id: RootId,
    FromQuery(asked): FromQuery<ReviewOf>,
    request: Request,
) -> Result<Response, ApiError> {
    let player = asked.player.filter(|name| !name.trim().is_empty());
    if player.is_none() && asked.side.is_none() {
        return Err(ApiError::malformed("\"player\" or \"side\" is missing"));
    }
    let pgn = bytes_of(request).await?;
    let row = root_of(&app, id)?.listed.row.clone();
    let kind = match asked.format {
        ReviewFormat::Json => "application/json",
        ReviewFormat::Pgn => "application/x-chess-pgn",
        ReviewFormat::Html => "text/html; charset=utf-8",
    };
    // The memory of the games counts, too.
    let memory = (pgn.len() as u64).saturating_mul(MEMORY_A_BYTE);
    let size = row.searches.saturating_add(memory / BYTES_A_SEARCH);
    let room = GamesRoom {
        bytes: (ROOM as usize) << 20,
        told_alone: matches!(asked.format, ReviewFormat::Json),
    };
    report(&app, size, kind, move |store| {
        let side = asked.side.map(Into::into);
        let of = (player.as_deref(), side);
        let mut found = GamesOfPlayer::read_within(in_time(&pgn), of, room).map_err(unread)?;
        // The games are read: the file is no longer needed.
        drop(pgn);
        if found.games.is_empty() {
            return Err(match found.bad.pop() {
                Some(error) => error.into(),
                None => other_players(&found, player.as_deref()),
            });
        }
        let tree = load_tree(store, row.id)?;
        let wanted = ReviewAsked { player, also: found.also, sound: asked.sound.unwrap_or(SOUND) };
        let engine = EngineScores::Kept(store, &tree.row);
        let review = beside_games(&tree, found.games, wanted, &engine)?;
        let (pov, bad) = (PointOfView::White, &found.bad);
        let left_out: Vec<String> = bad.iter().map(ToString::to_string).collect();
        let left_out = json_of(&left_out);
        written(|out| match asked.format {
            ReviewFormat::Json => {
                out.write_all(b"{\"left_out\":")?;
                out.write_all(&left_out)?;
                out.write_all(b",\"review\":")?;
                write_review_json(&review, out)?;
                out.write_all(b"}")
            }
            ReviewFormat::Pgn => write_review_pgn(&review, pov, out),
            ReviewFormat::Html => write_review_page(&review, pov, out),
        })
    })
    .await
}

/// The error of an incompletely read file.
fn unread(error: io::Error) -> ApiError {
    match error.kind() {
        io::ErrorKind::FileTooLarge => ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, error),
        _ => ApiError::malformed(error),
    }
}

/// The error of a file without games of a player, with similar names.
fn other_players(found: &GamesOfPlayer, player: Option<&str>) -> ApiError {
    let Some(player) = player.filter(|_| found.all > 0) else {
        return ApiError::malformed("there is no game in the file");
    };
    let all = count(found.all as u64, "game");
    ApiError::refused(format!("none of the {all} is a game of {player}"))
        .hint(found.names.near_words(player))
}
