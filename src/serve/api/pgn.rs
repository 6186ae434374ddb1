//! Games of a PGN file, to choose a position from.

use axum::response::Response;
use serde::{Deserialize, Serialize};

use crate::chess::{Games, Heading, PgnError, WrittenGame, fen_of};
use crate::render::one_line;

use super::error::ApiError;
use super::json::{Sent, response};
use super::moves::{MoveObject, line_object};

/// Games that are told, the first.
const MOST: usize = 200;

/// A file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pgn: String,
}

#[derive(Serialize)]
struct GamesObject {
    games: Vec<GameObject>,
    truncated: bool,
}

#[derive(Serialize)]
struct GameObject {
    number: usize,
    heading: String,
    start: String,
    moves: Vec<MoveObject>,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// `POST /api/pgn`.
pub async fn games(Sent(File { pgn }): Sent<File>) -> Result<Response, ApiError> {
    let read = tokio::task::spawn_blocking(move || {
        let mut texts = Games::new(pgn.as_bytes());
        let games = texts.by_ref().take(MOST);
        let games: Vec<_> = games.map(|text| text.map_err(PgnError::Io)?.main_line(None)).collect();
        let truncated = texts.next().is_some();
        match games.as_slice() {
            [] => return Err(ApiError::malformed(PgnError::NotPgn)),
            [Err(error)] => return Err(ApiError::malformed(error)),
            _ => {}
        }
        let games = games.into_iter().enumerate();
        let games = games.map(|(index, game)| object(index + 1, game)).collect();
        Ok(GamesObject { games, truncated })
    });
    let failed = |_| ApiError::malformed("the file cannot be read");
    Ok(response(&read.await.map_err(failed)??))
}

fn object(number: usize, game: Result<WrittenGame, PgnError>) -> GameObject {
    match game {
        Ok(WrittenGame { game, heading, .. }) => GameObject {
            number,
            heading: words(&heading).unwrap_or_else(|| format!("Game {number}")),
            start: fen_of(game.start()),
            moves: line_object(game.start(), game.moves()),
            error: None,
        },
        Err(error) => GameObject {
            number,
            heading: format!("Game {number}"),
            start: fen_of(&shakmaty::Chess::default()),
            moves: Vec::new(),
            error: Some(error.to_string()),
        },
    }
}

/// `Carlsen – Anand, Chennai 2013`; none where nothing is known.
fn words(heading: &Heading) -> Option<String> {
    let tag = |name| {
        let text = heading.tag(name).map(one_line);
        text.filter(|text| text.chars().any(char::is_alphanumeric))
    };
    let players = match (tag("White"), tag("Black")) {
        (None, None) => None,
        (white, black) => {
            let name = |player: Option<String>| player.unwrap_or_else(|| "?".to_owned());
            Some(format!("{} – {}", name(white), name(black)))
        }
    };
    let year = tag("Date").and_then(|date| date.get(..4).map(str::to_owned));
    let year = year.filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
    let place = tag("Site").or_else(|| tag("Event"));
    let place = match (place, year) {
        (Some(place), Some(year)) => Some(format!("{place} {year}")),
        (place, year) => place.or(year),
    };
    match (players, place) {
        (Some(players), Some(place)) => Some(format!("{players}, {place}")),
        (players, place) => players.or(place),
    }
}
