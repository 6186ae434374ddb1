//! Games out of PGN files: the main line of one game.

use std::io::Read;
use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::{Chess, Outcome, Position};

use super::fen::fen_of;
use super::line::{Game, GameError, move_number};
use super::pgn_words::{Token, Words, text_of};
use super::tags::Heading;

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
    #[error(
        "game {number} is of the variant {variant:?}: only chess is supported, no variant and no Chess960 yet"
    )]
    Variant {
        /// The game, from 1.
        number: usize,
        /// Its `Variant` tag.
        variant: String,
    },
    /// Its brackets do not match.
    #[error("game {number}: {what}")]
    Malformed {
        /// The game, from 1.
        number: usize,
        /// What is wrong.
        what: &'static str,
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
    read_game(file, number, ply).map(|(game, _)| game)
}

/// The same with the tags and the result that stand around the moves.
///
/// # Errors
///
/// [`PgnError`] where there is no such game or ply, or a move cannot be played.
pub fn read_game(
    mut file: impl Read,
    number: usize,
    ply: Option<usize>,
) -> Result<(Game, Heading), PgnError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut reader = Reader::new(bytes.as_slice());
    for skipped in 1..number {
        if !reader.skip_game()? {
            return Err(PgnError::NoSuchGame { number, found: skipped - 1 });
        }
    }
    let ply_wanted = ply.unwrap_or(usize::MAX);
    let mut visitor = MainLine { number, ply: ply_wanted, tagged: false, start: Chess::default() };
    let found = number.saturating_sub(1);
    let played = reader.read_game(&mut visitor)?.ok_or(PgnError::NoSuchGame { number, found })?;
    if !visitor.tagged && played.as_ref().is_ok_and(|(game, _)| game.moves().is_empty()) {
        return Err(PgnError::NotPgn);
    }
    // The reader steps over what it cannot read, and would give another position.
    if let Some((token, earlier)) = unreadable_move(&bytes, number)
        && earlier < ply_wanted
    {
        let source = GameError::Notation { token, number: move_number(&visitor.start, earlier) };
        return Err(PgnError::Game { number, source });
    }
    let (game, heading) = played?;
    match ply {
        Some(ply) if game.moves().len() < ply => {
            Err(PgnError::NoSuchPly { number, ply, found: game.moves().len() })
        }
        _ => Ok((game, heading)),
    }
}

/// The first word in a game's main line that is not a move in SAN, and how many moves are before it.
/// Games are told apart by their tags.
fn unreadable_move(pgn: &[u8], number: usize) -> Option<(String, usize)> {
    let (mut game, mut moves, mut in_tags, mut variations) = (1, 0, true, 0_u32);
    let mut words = Words::default();
    let mut look_at = |token: Token<'_>| {
        match token {
            Token::Tag(..) => {
                game += usize::from(!in_tags);
                (in_tags, moves, variations) = (true, 0, 0);
            }
            Token::Open => variations += 1,
            Token::Close => variations = variations.saturating_sub(1),
            Token::Word(word) if variations == 0 => {
                in_tags = false;
                let Some(token) = possible_move(word) else { return Ok(()) };
                if game == number && token.parse::<SanPlus>().is_err() {
                    return Err((token.to_owned(), moves));
                }
                moves += 1;
            }
            Token::Word(_) | Token::Glyph(_) | Token::Blank | Token::Comment(_) => {}
        }
        Ok(())
    };
    let mut lines = pgn.split(|byte| *byte == b'\n');
    lines.find_map(|line| words.line(&text_of(line), &mut look_at).err())
}

/// A word without its move number and glyphs; nothing where it is no move: a number, a result,
/// a glyph.
pub(super) fn possible_move(word: &str) -> Option<&str> {
    if word.starts_with('$') || ["1-0", "0-1", "1/2-1/2", "*", "e.p."].contains(&word) {
        return None;
    }
    let numbered = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let bare = if numbered.starts_with('.') || numbered.is_empty() { numbered } else { word };
    let bare = bare.trim_start_matches(['.', '…']).trim_end_matches(['!', '?']);
    bare.contains(|c: char| c.is_alphanumeric()).then_some(bare)
}

/// Whether a `Variant` tag means the rules of chess.
pub(super) fn is_standard(variant: &str) -> bool {
    let standard = ["standard", "chess", "from position", "normal", ""];
    standard.contains(&variant.to_ascii_lowercase().as_str())
}

struct MainLine {
    number: usize,
    ply: usize,
    tagged: bool,
    /// Where the game begins, once that is known.
    start: Chess,
}

type Played = Result<(Game, Heading), PgnError>;

impl Visitor for MainLine {
    type Tags = Heading;
    type Movetext = (Game, Heading);
    type Output = Played;

    fn begin_tags(&mut self) -> ControlFlow<Played, Heading> {
        ControlFlow::Continue(Heading::default())
    }

    fn tag(
        &mut self,
        heading: &mut Heading,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Played> {
        self.tagged = true;
        let name = String::from_utf8_lossy(name).into_owned();
        heading.tags.push((name, value.decode_utf8_lossy().into_owned()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, heading: Heading) -> ControlFlow<Played, (Game, Heading)> {
        let number = self.number;
        if let Some(variant) = heading.last_tag("Variant")
            && !is_standard(variant)
        {
            let variant = variant.to_owned();
            return ControlFlow::Break(Err(PgnError::Variant { number, variant }));
        }
        match Game::from_start(heading.last_tag("FEN").unwrap_or("startpos")) {
            Ok(game) => {
                self.start = game.start().clone();
                ControlFlow::Continue((game, heading))
            }
            Err(source) => ControlFlow::Break(Err(PgnError::Game { number, source })),
        }
    }

    fn san(&mut self, played: &mut (Game, Heading), san_plus: SanPlus) -> ControlFlow<Played> {
        let (game, _) = played;
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
                    number: move_number(game.root(), 0),
                    reason: "illegal",
                    fen: fen_of(game.root()),
                };
                ControlFlow::Break(Err(PgnError::Game { number: self.number, source }))
            }
        }
    }

    fn begin_variation(&mut self, _: &mut (Game, Heading)) -> ControlFlow<Played, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(
        &mut self,
        (_, heading): &mut (Game, Heading),
        outcome: Outcome,
    ) -> ControlFlow<Played> {
        heading.result = Some(outcome.to_string());
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, played: (Game, Heading)) -> Played {
        Ok(played)
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
    fn a_word_that_is_no_move_is_named_and_not_stepped_over() {
        let error = |pgn: &str| game_from_pgn(pgn.as_bytes(), 1, None).unwrap_err().to_string();
        let german = error("1. e4 e5 2. Sf3 Sc6 *");
        assert!(german.starts_with("game 1: \"2. Sf3\" is not a move"), "{german}");
        let typo = error("[Event \"a\"]\n\n1.e4 {Sf3 here} e5 (1... Qx9) 2.Nf3 $1 Nc6 3.Bb9 Nf6 *");
        assert!(typo.starts_with("game 1: \"3. Bb9\" is not a move"), "{typo}");
        let fine = "1. e4! e5 ;Sf3\n2. Nf3?! Nc6 3. O-O-O?? 1/2-1/2";
        let game = game_from_pgn(fine.as_bytes(), 1, Some(4)).unwrap();
        assert_eq!(game.moves().len(), 4);
        let other = "[Event \"a\"]\n\n1. Sf3 *\n\n[Event \"b\"]\n\n1. e4+ e5 2. 0-0 *";
        let game = game_from_pgn(other.as_bytes(), 2, Some(2)).unwrap();
        assert_eq!(game.moves().len(), 2);
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
        assert!(wrong.to_string().starts_with("game 1: \"2. Ke3\" is illegal"));
        let variant = "[Variant \"Atomic\"]\n\n1. e4 *";
        let wrong = game_from_pgn(variant.as_bytes(), 1, None).unwrap_err();
        assert!(wrong.to_string().starts_with("game 1 is of the variant \"Atomic\": only chess"));
        let tagged = "[FEN \"8/8/4k3/8/8/3K4/4P3/8 b - - 4 30\"]\n\n30... Kd5 31. Sf9 *";
        let wrong = game_from_pgn(tagged.as_bytes(), 1, None).unwrap_err();
        assert!(wrong.to_string().starts_with("game 1: \"31. Sf9\" is not a move"), "{wrong}");
    }
}
