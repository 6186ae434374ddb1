//! Games of a PGN file, to choose a position from.

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use crate::chess::{Game, Games, Heading, PgnError, WrittenGame, fen_of};
use crate::render::one_line;
use crate::serve::guard::is_json;

use super::error::ApiError;
use super::json::{Asked, bytes_of, content_type, read_json, response};
use super::moves::{MoveObject, line_object};

/// Games that are told at once, where nobody says otherwise, and at most.
const COUNT: usize = 100;
const MOST: usize = 1000;

/// Files that are taken in and read at once: they may be large.
static READING: Semaphore = Semaphore::const_new(2);

/// A file as JSON.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    pgn: String,
}

/// Which of its games are asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesAsked {
    /// So many of those that are found are left out.
    #[serde(default)]
    skip: usize,
    count: Option<usize>,
    /// Words that stand in the heading or are the number.
    #[serde(default)]
    find: String,
}

#[derive(Serialize)]
struct GamesObject {
    games: Vec<GameObject>,
    /// How many games are found.
    total: usize,
}

#[derive(Serialize)]
struct GameObject {
    number: usize,
    heading: String,
    start: String,
    moves: Vec<MoveObject>,
    /// The game alone: its tags and its moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pgn: Option<String>,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// `POST /api/pgn`.
pub async fn games(
    Asked(asked): Asked<GamesAsked>,
    request: Request,
) -> Result<Response, ApiError> {
    let failed = || ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "the file cannot be read");
    let _turn = READING.acquire().await.map_err(|_| failed())?;
    let is_file = !content_type(&request).is_some_and(is_json);
    let bytes = bytes_of(request).await?;
    let read = tokio::task::spawn_blocking(move || {
        if is_file {
            return found(&bytes, &asked);
        }
        let File { pgn } = read_json(&bytes)?;
        found(pgn.as_bytes(), &asked)
    });
    Ok(response(&read.await.map_err(|_| failed())??))
}

/// The games of a file that are asked for.
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

/// The main line of a game with its tags, or what is wrong with it.
type GameRead = Result<(Game, Heading), PgnError>;

/// Every game of a file, in its order.
fn games_of(pgn: &[u8]) -> impl Iterator<Item = GameRead> {
    let mut texts = Games::new(pgn).peekable();
    std::iter::from_fn(move || {
        let text = match texts.next()? {
            Ok(text) => text,
            Err(error) => return Some(Err(PgnError::Io(error))),
        };
        let read = text.main_line(None);
        let read = read.map_err(|error| text.wrong(error, texts.peek().is_none()));
        Some(read.map(|WrittenGame { game, heading, .. }| (game, heading)))
    })
}

/// Whether all of these words stand in a heading, or are the game's number.
fn has_words(number: usize, heading: &str, wanted: &str) -> bool {
    if wanted.trim().is_empty() {
        return true;
    }
    let heading = heading.to_lowercase();
    wanted.split_whitespace().all(|word| heading.contains(word) || word == number.to_string())
}

fn heading_of(number: usize, game: &GameRead) -> String {
    let known = game.as_ref().ok().and_then(|(_, heading)| words(heading));
    known.unwrap_or_else(|| format!("Game {number}"))
}

fn object(number: usize, heading: String, game: &GameRead) -> GameObject {
    match game {
        Ok((game, tags)) => {
            let moves = line_object(game.start(), game.moves());
            let pgn = Some(alone(game, tags, &moves));
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

/// A game as a text of its own, so that nobody has to send the whole file again.
fn alone(game: &Game, heading: &Heading, moves: &[MoveObject]) -> String {
    let escaped = |value: &str| one_line(value).replace('\\', "\\\\").replace('"', "\\\"");
    let tags = heading.tags.iter().filter(|(name, _)| name != "FEN" && name != "SetUp");
    let mut text: String =
        tags.map(|(name, value)| format!("[{name} \"{}\"]\n", escaped(value))).collect();
    if *game.start() != shakmaty::Chess::default() {
        text.push_str(&format!("[SetUp \"1\"]\n[FEN \"{}\"]\n", fen_of(game.start())));
    }
    let moves: Vec<&str> = moves.iter().map(|one| one.san.as_str()).collect();
    format!("{text}\n{} *\n", moves.join(" "))
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
