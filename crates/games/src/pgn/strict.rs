//! Reads a part's games by the core's reader, which takes what people write, and explains errors.

use std::io;

use deepanalyze_core::chess::{Game, GameText, Games, PgnError, WrittenGame};

use super::counted::Tags;
use crate::row::kept_text;

/// The core's result.
pub(super) enum Read<'t> {
    /// A game: all of it, or the counted part if there is an error after that.
    Game(&'t Game, &'t Tags<'t>),
    /// A game of a variant, with its name.
    Variant(String),
    /// A game that is left out.
    Failed(Failed),
}

/// A game that cannot be read.
pub(super) struct Failed {
    /// The line in the part, from 1; 0 if unknown.
    pub(super) line: u64,
    pub(super) players: String,
    pub(super) what: String,
    pub(super) is_no_pgn: bool,
}

/// Passes on each game of a part; `is_alone` means a whole file.
///
/// # Errors
///
/// If it is no readable text.
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

/// The whole game, or the part that is counted.
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
