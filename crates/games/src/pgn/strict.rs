//! The games of a part of a file by the core's reader, which takes what people write, and says what is wrong.

use std::io;

use deepanalyze_core::chess::{Game, GameText, Games, PgnError, WrittenGame};

use super::counted::Tags;
use crate::row::kept_text;

/// What the core finds.
pub(super) enum Read<'t> {
    /// A game: all of it, or what is counted of it where something is wrong behind that.
    Game(&'t Game, &'t Tags<'t>),
    /// A game by other rules, and what they are called.
    Variant(String),
    /// A game that is left out.
    Failed(Failed),
}

/// A game that cannot be read.
pub(super) struct Failed {
    /// The line in the part, from 1; 0 where it is not known.
    pub(super) line: u64,
    pub(super) players: String,
    pub(super) what: String,
    pub(super) is_no_pgn: bool,
}

/// Tells each game of a part; `is_alone` says whether it is a whole file.
///
/// # Errors
///
/// Where it is no text that can be read.
pub(super) fn games_of(
    part: &[u8],
    is_alone: bool,
    max_ply: u32,
    mut tell: impl FnMut(Read<'_>),
) -> io::Result<()> {
    let mut games = Games::new(part).peekable();
    while let Some(text) = games.next() {
        let text = text?;
        match counted_game(&text, max_ply) {
            Ok(WrittenGame { game, heading, .. }) => {
                let mut tags = Tags::default();
                tags.result = heading.result.as_deref().unwrap_or("");
                heading.tags.iter().for_each(|(name, value)| tags.take_pair(name, value));
                tell(Read::Game(&game, &tags));
            }
            Err(PgnError::Variant { variant, .. }) => tell(Read::Variant(variant)),
            Err(error) => {
                let error = text.wrong(error, is_alone && games.peek().is_none());
                tell(Read::Failed(failed(&text, &error)));
            }
        }
    }
    Ok(())
}

/// The whole game, or as much of it as is counted.
fn counted_game(text: &GameText, max_ply: u32) -> Result<WrittenGame, PgnError> {
    text.main_line(None).or_else(|error| match error {
        error @ PgnError::Variant { .. } => Err(error),
        error => text.main_line(usize::try_from(max_ply).ok()).map_err(|_| error),
    })
}

fn failed(text: &GameText, error: &PgnError) -> Failed {
    let (line, what) = match error {
        PgnError::Malformed { line, what, .. } => (*line, (*what).to_owned()),
        PgnError::Game { line, source, .. } => (*line, source.to_string()),
        other => (0, other.to_string()),
    };
    let name = |tag| text.tag(tag).map_or("?", str::trim);
    let players = match (name("White"), name("Black")) {
        ("?", "?") => String::new(),
        (white, black) => format!("{white} – {black}"),
    };
    let players = kept_text(&players);
    Failed { line: line as u64, players, what, is_no_pgn: matches!(error, PgnError::NotPgn) }
}
