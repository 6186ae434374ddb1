//! Games of a PGN file, to choose a position from.

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use crate::guard::is_json;
use deepanalyze_core::chess::{Games, Heading, PgnError, WrittenGame, fen_of};
use deepanalyze_report::game_alone;
use deepanalyze_view::known_tag;

use super::error::ApiError;
use super::json::{FromQuery, bytes_of, content_type, in_time, read_json, response};
use deepanalyze_view::NamedMove;

/// Games listed at once: the default and the greatest number.
const COUNT: usize = 100;
const MOST: usize = 1000;

/// Files received and read at once: they may be large.
static READING: Semaphore = Semaphore::const_new(2);

/// A file as JSON.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Pgn"))]
#[serde(deny_unknown_fields)]
pub struct PgnBody {
    pgn: String,
}

/// The requested games of a file.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GamesAsked {
    /// This many of the found ones are left out.
    #[serde(default)]
    skip: usize,
    /// Number of games listed; 100 by default.
    #[cfg_attr(test, schemars(range(max = MOST)))]
    count: Option<usize>,
    /// Words of the heading, or the number of a game.
    #[serde(default)]
    find: String,
}

/// Games of a file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Games"))]
pub struct GamesObject {
    games: Vec<GameObject>,
    /// Number of games found.
    total: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PgnGame"))]
struct GameObject {
    /// Its number in the file.
    number: usize,
    /// Players, place and year.
    heading: String,
    /// FEN.
    start: String,
    moves: Vec<NamedMove>,
    /// The game alone with all of its annotations, as POST /api/analyses and /api/games take it;
    /// absent if there is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pgn: Option<String>,
    /// The error in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// `POST /api/pgn`.
pub async fn games(
    FromQuery(asked): FromQuery<GamesAsked>,
    request: Request,
) -> Result<Response, ApiError> {
    let failed = || ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "the file cannot be read");
    let turn = READING.acquire().await.map_err(|_| failed())?;
    let is_file = !content_type(&request).is_some_and(is_json);
    let bytes = bytes_of(request).await?;
    let read = tokio::task::spawn_blocking(move || {
        // The asker may leave before the file is read.
        let _turn = turn;
        if is_file {
            return found(&bytes, &asked);
        }
        let PgnBody { pgn } = read_json(&bytes)?;
        found(pgn.as_bytes(), &asked)
    });
    Ok(response(&read.await.map_err(|_| failed())??))
}

/// The requested games of a file.
fn found(pgn: &[u8], asked: &GamesAsked) -> Result<GamesObject, ApiError> {
    let wanted = asked.find.to_lowercase();
    let count = asked.count.unwrap_or(COUNT).min(MOST);
    let (mut games, mut total) = (Vec::new(), 0);
    let (mut all, mut wrong) = (0, None);
    for game in games_of(pgn) {
        all += 1;
        let heading = heading_of(all, &game);
        if has_words(all, &heading, &wanted) {
            total += 1;
            if total > asked.skip && games.len() < count {
                games.push(object(all, heading, &game));
            }
        }
        wrong = game.err();
    }
    match (all, wrong) {
        (0, _) => Err(ApiError::malformed(PgnError::NotPgn)),
        (1, Some(error)) => Err(ApiError::malformed(error)),
        _ => Ok(GamesObject { games, total }),
    }
}

/// A game, or the error in it.
type GameRead = Result<WrittenGame, PgnError>;

/// Every game of a file, in its order.
fn games_of(pgn: &[u8]) -> impl Iterator<Item = GameRead> {
    let mut texts = Games::new(in_time(pgn)).peekable();
    std::iter::from_fn(move || {
        let text = match texts.next()? {
            Ok(text) => text,
            Err(error) => return Some(Err(PgnError::Io(error))),
        };
        let read = text.main_line(None);
        Some(read.map_err(|error| text.wrong(error, texts.peek().is_none())))
    })
}

/// True if all of these words are in a heading, or are the game's number.
fn has_words(number: usize, heading: &str, wanted: &str) -> bool {
    if wanted.trim().is_empty() {
        return true;
    }
    let heading = heading.to_lowercase();
    wanted.split_whitespace().all(|word| heading.contains(word) || word == number.to_string())
}

fn heading_of(number: usize, game: &GameRead) -> String {
    let known = game.as_ref().ok().and_then(|written| words(&written.heading));
    known.unwrap_or_else(|| format!("Game {number}"))
}

fn object(number: usize, heading: String, game: &GameRead) -> GameObject {
    match game {
        Ok(written) => {
            let WrittenGame { game, .. } = written;
            let moves = NamedMove::line(game.start(), game.moves());
            // Saves sending the whole file again.
            let pgn = Some(game_alone(written.clone()));
            GameObject { number, heading, start: fen_of(game.start()), moves, pgn, error: None }
        }
        Err(error) => GameObject {
            number,
            heading,
            start: fen_of(&shakmaty::Chess::default()),
            moves: Vec::new(),
            pgn: None,
            error: Some(error.to_string()),
        },
    }
}

/// `Carlsen – Anand, Chennai 2013`; `None` if nothing is known.
fn words(heading: &Heading) -> Option<String> {
    let tag = |name| known_tag(heading, name);
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::task::{Context, Poll, Waker};

    use axum::body::Body;

    use super::*;

    /// The first game of a file as a text of its own.
    fn first(pgn: &str) -> String {
        let asked = GamesAsked { skip: 0, count: None, find: String::new() };
        found(pgn.as_bytes(), &asked).ok().unwrap().games[0].pgn.clone().unwrap()
    }

    #[test]
    fn a_game_alone_is_the_game_of_the_file() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let pgn = format!(
            "[White \"A\"]\n[Setup \"1\"]\n[Fen \"{start}\"]\n\n1. e4 {{here}} e5 (1... c5) 1-0\n"
        );
        let alone = first(&pgn);
        assert!(alone.contains("[White \"A\"]\n") && !alone.contains("FEN"), "{alone}");
        assert!(alone.ends_with("\n\n1. e4 { here } 1... e5 ( 1... c5 ) 1-0\n"), "{alone}");
        assert_eq!(first(&alone), alone, "it is the same game");
        assert!(first("1. e4 e5\n").ends_with("\n\n1. e4 e5 *\n"), "nobody knows the result");
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let alone = first(&format!("[fen \"{fen}\"]\n[setup \"1\"]\n\n1. e4 1/2-1/2\n"));
        assert!(alone.contains(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n")), "{alone}");
        assert_eq!(first(&alone), alone);
    }

    #[test]
    fn abandoned_file_keeps_its_turn_until_read() {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().max_blocking_threads(1).build().unwrap();
        runtime.block_on(async {
            // Blocks the only thread.
            let (go_on, told) = channel::<()>();
            tokio::task::spawn_blocking(move || told.recv());
            let asked = GamesAsked { skip: 0, count: None, find: String::new() };
            let request = Request::new(Body::from("1. e4 *"));
            let mut answer = Box::pin(games(FromQuery(asked), request));
            let mut context = Context::from_waker(Waker::noop());
            assert!(matches!(answer.as_mut().poll(&mut context), Poll::Pending));
            drop(answer);
            assert_eq!(READING.available_permits(), 1);
            go_on.send(()).unwrap();
            assert!(READING.acquire_many(2).await.is_ok());
        });
    }
}
