//! Selects games of a file: those of a player, or all with a side.

use std::io::{self, BufRead};

use shakmaty::Color;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{
    AskedPlayer, Games, Heading, PgnError, PositionKey, Remark, WrittenGame,
};

use super::player::{PlayerNames, side_of};

/// The games of a player in a file, each with the player's side.
#[derive(Debug, Default)]
pub struct GamesOfPlayer {
    /// The games.
    pub games: Vec<(WrittenGame, Color)>,
    /// Errors of the player's games that cannot be read.
    pub bad: Vec<PgnError>,
    /// The file's players.
    pub names: PlayerNames,
    /// Other names that may be the player's, with the number of their games.
    pub also: Vec<(String, u64)>,
    /// All games.
    pub all: usize,
}

impl GamesOfPlayer {
    /// Reads the games of a player, or of all players, with one side or with both. If a single word
    /// was asked for that is a name in the file, names with other signs are other players'. Other
    /// games are ignored, and so are their errors.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read(
        file: impl BufRead,
        player: Option<&str>,
        side: Option<Color>,
    ) -> io::Result<GamesOfPlayer> {
        GamesOfPlayer::read_within(file, (player, side), GamesRoom::default())
    }

    /// Reads within bounds.
    ///
    /// # Errors
    ///
    /// If the file cannot be read; of the kind [`FileTooLarge`](io::ErrorKind::FileTooLarge) if the
    /// games take too much memory.
    pub fn read_within(
        file: impl BufRead,
        (player, side): (Option<&str>, Option<Color>),
        room: GamesRoom,
    ) -> io::Result<GamesOfPlayer> {
        let (mut found, mut taken) = (GamesOfPlayer::default(), 0_usize);
        let player = player.map(AskedPlayer::new);
        let (mut games, mut bad) = (Vec::new(), Vec::new());
        let mut texts = Games::new(file).peekable();
        while let Some(text) = texts.next() {
            let text = text?;
            let heading = Heading { tags: text.tags().to_vec(), result: None };
            found.all += 1;
            found.names.note(&heading);
            let side = match &player {
                Some(player) => side_of(&heading, player, side),
                None => side.map(|side| (side, true)),
            };
            let Some((side, is_exact)) = side else { continue };
            match text.main_line(None) {
                Ok(mut game) => {
                    if room.told_alone {
                        game.heading.tags.retain(|(name, _)| TOLD.contains(&name.as_str()));
                        game.remarks = Vec::new();
                    }
                    taken = taken.saturating_add(size_of_game(&game));
                    games.push(((game, side), is_exact));
                }
                Err(error) => {
                    taken = taken.saturating_add(BAD);
                    bad.push((text.wrong(error, texts.peek().is_none()), is_exact));
                }
            }
            if taken > room.bytes {
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, TOO_MUCH));
            }
        }
        let has_exact = player.as_ref().is_some_and(|player| found.names.has_exactly(player));
        found.games = wanted(games, has_exact);
        found.bad = wanted(bad, has_exact);
        found.also = player.map(|player| found.names.also(&player)).unwrap_or_default();
        Ok(found)
    }
}

/// Limits for games that are read.
#[derive(Debug, Clone, Copy)]
pub struct GamesRoom {
    /// Bytes of memory, by estimate, including a review.
    pub bytes: usize,
    /// True if only JSON's part of a game is kept: its moves, and the tags of players, date and
    /// result.
    pub told_alone: bool,
}

/// No limits.
impl Default for GamesRoom {
    fn default() -> GamesRoom {
        GamesRoom { bytes: usize::MAX, told_alone: false }
    }
}

/// The tags of a game in JSON.
const TOLD: [&str; 4] = ["White", "Black", "Date", "Result"];
const TOO_MUCH: &str = "its games take too much memory: send fewer at once";

/// Estimated bytes of a game without moves and tags, here and in a review (1190 measured for a file
/// of the smallest games); of a move, in lists that may have twice the room; of a text besides its
/// letters; of an error.
const GAME: usize = 1_300;
const MOVE: usize = 2 * (PositionKey::BYTES + size_of::<shakmaty::Move>() + size_of::<UciMove>());
const TEXT: usize = size_of::<Remark>() + 16;
const BAD: usize = 300;

fn size_of_game(WrittenGame { game, heading, remarks, .. }: &WrittenGame) -> usize {
    let text = |text: &str| TEXT + text.len();
    let tags: usize = heading.tags.iter().map(|(name, value)| text(name) + text(value)).sum();
    let remark = |remark: &Remark| match remark {
        Remark::Comment(words) | Remark::Word(words) => text(words),
        Remark::Glyph(_) | Remark::Open | Remark::Close => TEXT,
    };
    let remarks: usize =
        remarks.iter().map(|behind| TEXT + behind.iter().map(remark).sum::<usize>()).sum();
    GAME + MOVE * game.moves().len() + tags + remarks
}

/// The player's items: if any of the file's names matches exactly, only those of exact names.
fn wanted<T>(all: Vec<(T, bool)>, has_exact: bool) -> Vec<T> {
    all.into_iter().filter(|(_, is_exact)| *is_exact || !has_exact).map(|(one, _)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_take_no_more_memory_than_they_may() {
        let one = "[White \"a\"]\n[Black \"b\"]\n[Site \"x\"]\n\n1. e4 {so} e5 2. Nf3 $1 *\n\n";
        let read = |games: usize, bytes, told_alone| {
            let room = GamesRoom { bytes, told_alone };
            GamesOfPlayer::read_within(
                one.repeat(games).as_bytes(),
                (None, Some(Color::White)),
                room,
            )
        };
        let all = read(100, 1 << 20, false).unwrap();
        assert_eq!((all.games.len(), all.games[0].0.heading.tags.len()), (100, 3));
        let told = read(100, 1 << 20, true).unwrap();
        let (game, _) = &told.games[0];
        assert_eq!(
            (game.heading.tags.len(), game.remarks.len(), game.game.moves().len()),
            (2, 0, 3)
        );
        let error = read(1000, 1 << 20, true).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
