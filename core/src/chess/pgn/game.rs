//! The games of a PGN file: their main lines, with what the file says around and between the moves.

use std::io::{self, Cursor, Read, Seek};

use pgn_reader::Reader;

use crate::chess::line::{Game, GameError, move_number};

use super::error::PgnError;
use super::main_line::MainLine;
use super::notation::unreadable_move;
use super::remarks::{Remark, remarks};
use super::tags::Heading;

/// A game as a file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenGame {
    /// Its moves, perhaps up to a ply.
    pub game: Game,
    /// Its tags and result.
    pub heading: Heading,
    /// What the file says in front of the first move, and then behind each move.
    pub remarks: Vec<Vec<Remark>>,
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
    let mut pgn = Vec::new();
    file.read_to_end(&mut pgn)?;
    main_line(the_game(&pgn, number)?, number, ply)
}

/// The main line of a game with its tags and result, or what is wrong with it.
pub type GameRead = Result<(Game, Heading), PgnError>;

/// The main lines of the first games of a file, as many as are asked for at most, each with its tags or what is
/// wrong with it; and whether there are more.
///
/// # Errors
///
/// Those of the reader; text in memory has none.
pub fn read_games(pgn: &[u8], most: usize) -> io::Result<(Vec<GameRead>, bool)> {
    let texts = texts(pgn)?;
    let is_cut = texts.len() > most;
    let games = (1..).zip(texts).take(most);
    Ok((games.map(|(number, text)| main_line(text, number, None)).collect(), is_cut))
}

/// Takes a game (the first is 1) of a file with all that the file says of it, up to a ply or to its end.
///
/// # Errors
///
/// [`PgnError`] where there is no such game or ply, or a move cannot be played.
pub fn written_game(
    pgn: &[u8],
    number: usize,
    ply: Option<usize>,
) -> Result<WrittenGame, PgnError> {
    written(the_game(pgn, number)?, number, ply)
}

/// Takes all games of a file with all that the file says of them, each up to a ply where it is long enough.
///
/// # Errors
///
/// [`PgnError`] where there is no game, or a move cannot be played.
pub fn written_games(pgn: &[u8], ply: Option<usize>) -> Result<Vec<WrittenGame>, PgnError> {
    let texts = texts(pgn)?;
    if texts.is_empty() {
        return Err(PgnError::NoSuchGame { number: 1, found: 0 });
    }
    let game = |(number, text)| match written(text, number, ply) {
        Err(PgnError::NoSuchPly { .. }) => written(text, number, None),
        read => read,
    };
    (1..).zip(texts).map(game).collect()
}

fn written(text: &[u8], number: usize, ply: Option<usize>) -> Result<WrittenGame, PgnError> {
    let (game, heading) = main_line(text, number, ply)?;
    let remarks = remarks(text, &game);
    Ok(WrittenGame { game, heading, remarks })
}

/// The text of a game of a file, from its tags on.
fn the_game(pgn: &[u8], number: usize) -> Result<&[u8], PgnError> {
    let texts = texts(pgn)?;
    let text = number.checked_sub(1).and_then(|index| texts.get(index));
    text.copied().ok_or(PgnError::NoSuchGame { number, found: texts.len() })
}

/// The texts of all games.
fn texts(pgn: &[u8]) -> io::Result<Vec<&[u8]>> {
    let mut reader = Reader::new(Cursor::new(pgn));
    let mut starts = Vec::new();
    while reader.has_more()? {
        starts.push(usize::try_from(reader.stream_position()?).unwrap_or(usize::MAX));
        reader.skip_game()?;
    }
    let ends = starts.iter().skip(1).copied().chain([pgn.len()]);
    Ok(starts.iter().zip(ends).filter_map(|(start, end)| pgn.get(*start..end)).collect())
}

/// The main line in the text of a game, with its tags and result.
fn main_line(text: &[u8], number: usize, ply: Option<usize>) -> Result<(Game, Heading), PgnError> {
    let ply_wanted = ply.unwrap_or(usize::MAX);
    let mut visitor = MainLine::new(number, ply_wanted);
    let played = Reader::new(text).read_game(&mut visitor)?.ok_or(PgnError::NotPgn)?;
    if !visitor.is_tagged && played.as_ref().is_ok_and(|(game, _)| game.moves().is_empty()) {
        return Err(PgnError::NotPgn);
    }
    // The reader steps over what it cannot read, and would give another position.
    if let Some((token, earlier)) = unreadable_move(text)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::fen_of;

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

    #[test]
    fn games_without_tags_have_their_own_moves_and_remarks() {
        let pgn =
            "1. e4 {one} *\n\n1. d4 {two} d5 *\n\n% no game\n[Event \"c\"]\n\n1. c4 {three} *\n";
        let games = written_games(pgn.as_bytes(), Some(1)).unwrap();
        let remarks: Vec<&Remark> = games.iter().map(|game| &game.remarks[1][0]).collect();
        let comment = |text: &str| Remark::Comment(text.to_owned());
        assert_eq!(remarks, [&comment("one"), &comment("two"), &comment("three")]);
        let second = written_game(pgn.as_bytes(), 2, None).unwrap();
        assert_eq!(second.game.moves().len(), 2, "up to its end");
        let wrong = format!("{pgn}\n1. e4 Sf6 *\n");
        assert!(game_from_pgn(wrong.as_bytes(), 2, None).is_ok());
        let error = game_from_pgn(wrong.as_bytes(), 4, None).unwrap_err().to_string();
        assert!(error.starts_with("game 4: \"1... Sf6\" is not a move"), "{error}");
    }

    #[test]
    fn the_first_games_are_read_whatever_is_wrong_with_some() {
        let file = format!("{PGN}[Event \"c\"]\n\n1. e4 e5 2. Sf3 *\n");
        let (games, is_cut) = read_games(file.as_bytes(), 3).unwrap();
        assert!(!is_cut && games.len() == 3);
        for (number, game) in (1..).zip(&games) {
            let alone = read_game(file.as_bytes(), number, None);
            match (game, alone) {
                (Ok(game), Ok(alone)) => assert_eq!(*game, alone),
                (Err(error), Err(alone)) => assert_eq!(error.to_string(), alone.to_string()),
                other => panic!("{other:?}"),
            }
        }
        let (games, is_cut) = read_games(file.as_bytes(), 2).unwrap();
        assert!(is_cut && games.len() == 2);
    }

    /// Of many games none is looked at again for the others.
    #[test]
    fn every_game_has_its_own_text() {
        let pgn = "[Event \"a\"]\n\n1. e4 {x\n\n(} e5 *\n\n".repeat(1000);
        let texts = texts(pgn.as_bytes()).unwrap();
        assert_eq!(texts.len(), 1000);
        assert_eq!(texts.concat(), pgn.as_bytes());
    }
}
