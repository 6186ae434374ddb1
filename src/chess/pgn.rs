//! Games out of PGN files: the main line of one game.

use std::io::Read;
use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use shakmaty::Position;

use super::line::{Game, GameError};
use super::position::fen_of;

/// Why a game could not be taken from a PGN file.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// The file has fewer games.
    #[error("there is no game {number}: the file has {found}")]
    NoSuchGame {
        /// The game that was asked for, from 1.
        number: usize,
        /// How many games the file has.
        found: usize,
    },
    /// The game is shorter.
    #[error("game {number} has no ply {ply}: it has {found}")]
    NoSuchPly {
        /// The game, from 1.
        number: usize,
        /// The ply that was asked for.
        ply: usize,
        /// How many plies the game has.
        found: usize,
    },
    /// Neither tags nor moves: the file is something else.
    #[error("there is no game in PGN")]
    NotPgn,
    /// Not the rules of chess.
    #[error("game {number} is of the variant {variant:?}")]
    Variant {
        /// The game, from 1.
        number: usize,
        /// Its `Variant` tag.
        variant: String,
    },
    /// Its FEN tag or a move is wrong.
    #[error("game {number}: {source}")]
    Game {
        /// The game, from 1.
        number: usize,
        /// What is wrong.
        source: GameError,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Takes the main line of a game (the first is 1) up to a ply, or to its end.
///
/// # Errors
///
/// [`PgnError`] where there is no such game or ply, or a move cannot be played.
pub fn game_from_pgn(file: impl Read, number: usize, ply: Option<usize>) -> Result<Game, PgnError> {
    let mut reader = Reader::new(file);
    for skipped in 1..number {
        if !reader.skip_game()? {
            return Err(PgnError::NoSuchGame { number, found: skipped - 1 });
        }
    }
    let mut visitor = MainLine { number, ply: ply.unwrap_or(usize::MAX), tagged: false };
    let found = number.saturating_sub(1);
    let game = reader.read_game(&mut visitor)?.ok_or(PgnError::NoSuchGame { number, found })??;
    if !visitor.tagged && game.moves().is_empty() {
        return Err(PgnError::NotPgn);
    }
    match ply {
        Some(ply) if game.moves().len() < ply => {
            Err(PgnError::NoSuchPly { number, ply, found: game.moves().len() })
        }
        _ => Ok(game),
    }
}

struct MainLine {
    number: usize,
    ply: usize,
    tagged: bool,
}

#[derive(Default)]
struct Tags {
    fen: Option<String>,
    variant: Option<String>,
}

type Played = Result<Game, PgnError>;

impl Visitor for MainLine {
    type Tags = Tags;
    type Movetext = Game;
    type Output = Played;

    fn begin_tags(&mut self) -> ControlFlow<Played, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Played> {
        self.tagged = true;
        let text = || value.decode_utf8_lossy().into_owned();
        if name.eq_ignore_ascii_case(b"FEN") {
            tags.fen = Some(text());
        } else if name.eq_ignore_ascii_case(b"Variant") {
            tags.variant = Some(text());
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Played, Game> {
        let number = self.number;
        let standard = ["standard", "chess", "from position", "normal", ""];
        if let Some(variant) = tags.variant
            && !standard.contains(&variant.to_ascii_lowercase().as_str())
        {
            return ControlFlow::Break(Err(PgnError::Variant { number, variant }));
        }
        match Game::from_start(tags.fen.as_deref().unwrap_or("startpos")) {
            Ok(game) => ControlFlow::Continue(game),
            Err(source) => ControlFlow::Break(Err(PgnError::Game { number, source })),
        }
    }

    fn san(&mut self, game: &mut Game, san_plus: SanPlus) -> ControlFlow<Played> {
        if game.moves().len() >= self.ply {
            return ControlFlow::Continue(());
        }
        match san_plus.san.to_move(game.root()) {
            Ok(m) if game.root().is_legal(m) => {
                game.play(m);
                ControlFlow::Continue(())
            }
            _ => {
                let source = GameError::Illegal {
                    token: san_plus.to_string(),
                    number: game.moves().len() + 1,
                    reason: "illegal",
                    fen: fen_of(game.root()),
                };
                ControlFlow::Break(Err(PgnError::Game { number: self.number, source }))
            }
        }
    }

    fn end_game(&mut self, game: Game) -> Played {
        Ok(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PGN: &str = "[Event \"a\"]\n\n1. e4 {best} e5 (1... c5 2. Nf3) 2. Nf3 Nc6 *\n\n\
        [Event \"b\"]\n[SetUp \"1\"]\n[FEN \"8/8/4k3/8/8/3K4/4P3/8 w - - 4 3\"]\n\n3. e4 *\n";

    #[test]
    fn the_main_line_is_taken_up_to_a_ply() {
        let game = game_from_pgn(PGN.as_bytes(), 1, Some(3)).unwrap();
        let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
        assert_eq!(moves, ["e2e4", "e7e5", "g1f3"]);
        assert_eq!(game_from_pgn(PGN.as_bytes(), 1, None).unwrap().moves().len(), 4);
        let second = game_from_pgn(PGN.as_bytes(), 2, None).unwrap();
        assert_eq!(fen_of(second.root()), "8/8/4k3/8/4P3/3K4/8/8 b - - 0 3");
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let error =
            |number, ply| game_from_pgn(PGN.as_bytes(), number, ply).unwrap_err().to_string();
        assert_eq!(error(3, None), "there is no game 3: the file has 2");
        assert_eq!(error(1, Some(9)), "game 1 has no ply 9: it has 4");
        let no_game = game_from_pgn(&b"\x7fELF\x02\x01\0 hello"[..], 1, None).unwrap_err();
        assert_eq!(no_game.to_string(), "there is no game in PGN");
        let wrong = game_from_pgn("1. e4 e5 2. Ke3 *".as_bytes(), 1, None).unwrap_err();
        assert!(wrong.to_string().starts_with("game 1: \"Ke3\" (move 3 of the line) is illegal"));
        let variant = "[Variant \"Atomic\"]\n\n1. e4 *";
        let wrong = game_from_pgn(variant.as_bytes(), 1, None).unwrap_err();
        assert_eq!(wrong.to_string(), "game 1 is of the variant \"Atomic\"");
    }
}
