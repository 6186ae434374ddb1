//! The games of a file that are looked at: those of a player, or all with a side.

use std::io::{self, BufRead};

use shakmaty::Color;

use deepanalyze_core::chess::{Games, Heading, PgnError, WrittenGame};

use super::player::{PlayerNames, side_of};

/// The games of a player in a file, each with the player's side.
#[derive(Debug, Default)]
pub struct GamesOfPlayer {
    /// The games.
    pub games: Vec<(WrittenGame, Color)>,
    /// What is wrong with those of his that cannot be read.
    pub bad: Vec<PgnError>,
    /// Whose games the file has.
    pub names: PlayerNames,
    /// How many it has.
    pub all: usize,
}

impl GamesOfPlayer {
    /// Reads the games of a player, or of everybody, with one side or with both. The others are not looked at: whatever
    /// is wrong with them does not matter.
    ///
    /// # Errors
    ///
    /// Where the file cannot be read.
    pub fn read(
        file: impl BufRead,
        player: Option<&str>,
        side: Option<Color>,
    ) -> io::Result<GamesOfPlayer> {
        let mut found = GamesOfPlayer::default();
        let mut texts = Games::new(file).peekable();
        while let Some(text) = texts.next() {
            let text = text?;
            let heading = Heading { tags: text.tags().to_vec(), result: None };
            found.all += 1;
            found.names.note(&heading);
            let Some(side) = wanted_side(&heading, player, side) else {
                continue;
            };
            match text.main_line(None) {
                Ok(game) => found.games.push((game, side)),
                Err(error) => found.bad.push(text.wrong(error, texts.peek().is_none())),
            }
        }
        Ok(found)
    }
}

/// The player's side in a game; none where it is not asked for.
fn wanted_side(heading: &Heading, player: Option<&str>, asked: Option<Color>) -> Option<Color> {
    let side = match player {
        Some(player) => side_of(heading, player),
        None => asked,
    };
    side.filter(|side| asked.is_none_or(|asked| asked == *side))
}
