//! Every move of every variation of every game of a PGN file, one after the other.

use std::io::BufRead;

use shakmaty::{Chess, Move};

use super::line::Game;
use super::pgn::{PgnError, is_standard, possible_move};
use super::pgn_words::{Token, Words, read_line, text_of};
use super::played::Played;

/// Who is told of the moves of a file.
pub trait Listener {
    /// What is remembered along a line. A variation goes on with what there was before the move that it
    /// replaces.
    type Along: Clone;
    /// Why the reading ends early.
    type Error: From<PgnError>;

    /// A game begins, the first one being number 1.
    fn begin(&mut self, number: usize, start: &Chess) -> Self::Along;

    /// A move is played.
    ///
    /// # Errors
    ///
    /// Where the reading is to end.
    fn play(
        &mut self,
        along: &Self::Along,
        at: &Chess,
        m: Move,
        after: &Chess,
    ) -> Result<Self::Along, Self::Error>;

    /// A comment on a position, behind the move that leads there or, in front of a variation's first
    /// move, before it.
    fn comment(&mut self, along: &Self::Along, text: &str);
}

/// Plays through all games of a file with all their variations, and says how many games there are. Only
/// the line that is played is in memory. A null move ends its line.
///
/// # Errors
///
/// [`PgnError`] at the first thing that cannot be read or played, or the listener's error.
pub fn play_games<L: Listener>(
    mut file: impl BufRead,
    listener: &mut L,
) -> Result<usize, L::Error> {
    let mut reading = Reading::new(listener);
    let (mut words, mut bytes) = (Words::default(), Vec::new());
    while read_line(&mut file, &mut bytes).map_err(PgnError::Io)? {
        words.line(&text_of(&bytes), |token| reading.take(token))?;
    }
    if words.in_comment() {
        return Err(reading.malformed("a comment is not closed").into());
    }
    reading.end()?;
    if !reading.is_pgn {
        return Err(PgnError::NotPgn.into());
    }
    Ok(reading.number)
}

/// The tags that say how a game is played.
#[derive(Default)]
struct Tags {
    fen: Option<String>,
    variant: Option<String>,
}

struct Reading<'l, L: Listener> {
    listener: &'l mut L,
    /// Of the game that is read, or was read last.
    number: usize,
    /// Whether there was a tag or a move.
    is_pgn: bool,
    /// Those of the game that is to begin.
    tags: Option<Tags>,
    game: Option<Played<L::Along>>,
    /// Whether the game's result was read.
    is_over: bool,
    /// Whether there was a blank line since the last word.
    was_blank: bool,
}

const RESULTS: [&str; 9] = ["1-0", "0-1", "1/2-1/2", "*", "1/2", "1–0", "0–1", "½-½", "½–½"];
/// What some programs write behind moves: a diagram, a novelty, en passant.
const REMARKS: [&str; 3] = ["D", "N", "ep"];

impl<L: Listener> Reading<'_, L> {
    fn new(listener: &mut L) -> Reading<'_, L> {
        let (tags, game) = (None, None);
        let (is_pgn, is_over, was_blank) = (false, false, false);
        Reading { listener, number: 0, is_pgn, tags, game, is_over, was_blank }
    }

    fn take(&mut self, token: Token<'_>) -> Result<(), L::Error> {
        match token {
            Token::Blank => {
                self.was_blank = true;
                return Ok(());
            }
            Token::Tag(name, value) => self.tag(name, value)?,
            Token::Word(word) => self.word(word)?,
            Token::Comment(text) => {
                self.begin()?;
                if let Some(game) = &mut self.game {
                    game.comment(self.listener, text);
                }
            }
            Token::Open => {
                if !self.game.as_mut().is_some_and(Played::open) {
                    return Err(self.malformed("a variation stands before any move").into());
                }
            }
            Token::Close => {
                if !self.game.as_mut().is_some_and(|game| game.close(self.listener)) {
                    return Err(self.malformed("a variation ends that has not begun").into());
                }
            }
        }
        self.was_blank = false;
        Ok(())
    }

    fn malformed(&self, what: &'static str) -> PgnError {
        PgnError::Malformed { number: self.number.max(1), what }
    }

    fn tag(&mut self, name: &str, value: &str) -> Result<(), L::Error> {
        self.is_pgn = true;
        // A game may be tags alone; the next one's begin with this.
        if self.game.is_some() || name == "Event" && self.was_blank {
            self.end()?;
        }
        let tags = self.tags.get_or_insert_default();
        if name.eq_ignore_ascii_case("FEN") {
            tags.fen = Some(value.to_owned());
        } else if name.eq_ignore_ascii_case("Variant") {
            tags.variant = Some(value.to_owned());
        }
        Ok(())
    }

    /// Begins a game where none has begun.
    fn begin(&mut self) -> Result<(), L::Error> {
        if self.game.is_some() {
            return Ok(());
        }
        self.number += 1;
        let (number, tags) = (self.number, self.tags.take().unwrap_or_default());
        if let Some(variant) = tags.variant.filter(|variant| !is_standard(variant)) {
            return Err(PgnError::Variant { number, variant }.into());
        }
        let game = Game::from_start(tags.fen.as_deref().unwrap_or("startpos"))
            .map_err(|source| PgnError::Game { number, source })?;
        let along = self.listener.begin(number, game.root());
        self.game = Some(Played::new(game.root().clone(), along));
        self.is_over = false;
        Ok(())
    }

    fn end(&mut self) -> Result<(), L::Error> {
        if self.tags.is_some() {
            self.begin()?;
        }
        if self.game.take().is_some_and(|game| game.is_in_variation()) {
            return Err(self.malformed("a variation is not closed").into());
        }
        Ok(())
    }

    fn word(&mut self, word: &str) -> Result<(), L::Error> {
        let is_next = self.is_over || self.was_blank && is_first_number(word);
        if is_next && self.game.as_ref().is_some_and(|game| !game.is_in_variation()) {
            self.end()?;
        }
        if RESULTS.contains(&word) {
            self.begin()?;
            let in_variation = self.game.as_ref().is_some_and(Played::is_in_variation);
            self.is_over = !in_variation;
            return Ok(());
        }
        let token = match possible_move(word) {
            Some(token) if !REMARKS.contains(&token) => token,
            Some(_) => return Ok(()),
            None if word.ends_with("--") => "--",
            None => {
                self.is_pgn |= word.starts_with(|c: char| c.is_ascii_digit());
                return Ok(());
            }
        };
        self.begin()?;
        let number = self.number;
        let Some(game) = &mut self.game else { return Ok(()) };
        let played = game.play(self.listener, token, number);
        if played.is_err() && !self.is_pgn {
            return Err(PgnError::NotPgn.into());
        }
        self.is_pgn = true;
        played
    }
}

/// Whether a word is the number of a game's first move.
fn is_first_number(word: &str) -> bool {
    word == "1" || word.strip_prefix("1.").is_some_and(|rest| !rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::CastlingMode;

    /// What was told, as text.
    #[derive(Default)]
    struct Told(Vec<String>);

    impl Listener for Told {
        type Along = String;
        type Error = PgnError;

        fn begin(&mut self, number: usize, _: &Chess) -> String {
            self.0.push(format!("game {number}"));
            String::new()
        }

        fn play(
            &mut self,
            along: &String,
            _: &Chess,
            m: Move,
            _: &Chess,
        ) -> Result<String, PgnError> {
            let line = format!("{along} {}", m.to_uci(CastlingMode::Standard));
            self.0.push(line.trim().to_owned());
            Ok(line)
        }

        fn comment(&mut self, along: &String, text: &str) {
            self.0.push(format!("{}: {text}", along.trim()));
        }
    }

    fn told(pgn: &[u8]) -> Result<Vec<String>, String> {
        let mut told = Told::default();
        let played = play_games(pgn, &mut told);
        played.map(|_| told.0).map_err(|error| error.to_string())
    }

    #[test]
    fn variations_are_played_in_variations() {
        let pgn = b"1. e4 e5 (1... c5 {Sicilian} 2. Nf3 (2. c3 d5) 2... d6) (1... e6) 2. Nf3 *";
        let expected = [
            "game 1",
            "e2e4",
            "e2e4 e7e5",
            "e2e4 c7c5",
            "e2e4 c7c5: Sicilian",
            "e2e4 c7c5 g1f3",
            "e2e4 c7c5 c2c3",
            "e2e4 c7c5 c2c3 d7d5",
            "e2e4 c7c5 g1f3 d7d6",
            "e2e4 e7e6",
            "e2e4 e7e5 g1f3",
        ];
        assert_eq!(told(pgn).unwrap(), expected);
    }

    #[test]
    fn a_comment_stands_behind_its_move_or_in_front_of_a_variation() {
        let pgn = b"{start} 1. e4 {best} ({or} 1. d4) {again} e5 ; to the end (\n 2. Nf3 *";
        let expected = [
            "game 1",
            ": start",
            "e2e4",
            "e2e4: best",
            "d2d4",
            "d2d4: or",
            "e2e4: again",
            "e2e4 e7e5",
            "e2e4 e7e5:  to the end (",
            "e2e4 e7e5 g1f3",
        ];
        assert_eq!(told(pgn).unwrap(), expected);
    }

    #[test]
    fn a_null_move_ends_its_line_alone() {
        for null in ["--", "Z0", "1...--"] {
            let pgn = format!("1. e4 {null} 2. Qxx (2. d4 (2. e5)) (1... e5) *");
            assert_eq!(told(pgn.as_bytes()).unwrap(), ["game 1", "e2e4"], "{null}");
            let pgn = format!("1. e4 {null} (1... e5 2. Nf3) 2. d4 d5 *");
            let expected = ["game 1", "e2e4", "e2e4 e7e5", "e2e4 e7e5 g1f3"];
            assert_eq!(told(pgn.as_bytes()).unwrap(), expected, "{null}");
        }
    }

    #[test]
    fn games_are_told_apart() {
        let count = |pgn: &str| {
            told(pgn.as_bytes()).unwrap().iter().filter(|line| line.starts_with("game")).count()
        };
        assert_eq!(count("1. e4 e5\n\n1. d4 d5\n\n1. c4 *"), 3);
        assert_eq!(count("1. e4 e5 1-0 1. d4 d5 0-1 *"), 3);
        assert_eq!(count("1. e4 e5\n\n2. Nf3 (2. d4\n\n2... d5) Nc6 *\n"), 1);
        assert_eq!(count("[Event \"a\"]\n\n[Event \"b\"]\n\n*\n[Event \"c\"]\n[White \"c\"]"), 3);
        assert_eq!(count("1. e4 (1. d4 1-0) e5 2. Nf3 1/2-1/2\r\n\r\n[White \"c\"]\r\n1. e4 *"), 2);
    }

    #[test]
    fn moves_are_read_as_programs_write_them() {
        let pgn = b"\xef\xbb\xbf[White \"J\xfcrgen\"]\n\n1.e4! $14 N e5!? {caf\xe9} 2 Nf3?? Nc6 3. Bb5+ Nf6 4.0-0 = \
            Nxe4 5. d4 D exd4 +- 1/2-1/2";
        let told = told(pgn).unwrap();
        assert_eq!(told.len(), 12);
        assert_eq!(told.get(3).unwrap(), "e2e4 e7e5: caf\u{e9}");
    }

    #[test]
    fn a_file_is_refused_with_the_game_and_the_word() {
        let cases = [
            ("", "there is no game in PGN"),
            ("\u{7f}ELF hello", "there is no game in PGN"),
            ("1. Sf3", "game 1: \"Sf3\" (move 1 of the line) is not a move"),
            ("1. e4 *\n\n1. e4 e5 2. Sf3 *", "game 2: \"Sf3\" (move 3 of the line) is not a move"),
            ("1. e4 e5 (1... Ke6) *", "game 1: \"Ke6\" (move 2 of the line) is illegal"),
            ("[Variant \"Atomic\"]\n\n1. e4 *", "game 1 is of the variant \"Atomic\""),
            ("[FEN \"8/8\"]\n\n*", "game 1: FEN \"8/8\""),
            ("1. e4 (1. d4 *", "game 1: a variation is not closed"),
            ("1. e4 (1. d4\n\n[White \"a\"]\n*", "game 1: a variation is not closed"),
            ("1. e4 ) e5", "game 1: a variation ends that has not begun"),
            ("(1. e4) e5", "game 1: a variation stands before any move"),
            ("1. e4 {e5", "game 1: a comment is not closed"),
        ];
        for (pgn, expected) in cases {
            let error = told(pgn.as_bytes()).unwrap_err();
            assert!(error.starts_with(expected), "{pgn}: {error}");
        }
    }
}
