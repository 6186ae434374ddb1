//! What a PGN file says beside the moves of a game: comments, glyphs and variations, as they stand there.

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

use crate::chess::line::{Game, parse_move};

use super::notation::possible_move;
use super::words::{Token, Words, text_of};

/// Something that stands behind a move, or in front of the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// A numeric glyph: 1 is `!`, 2 is `?`.
    Glyph(u8),
    /// A comment.
    Comment(String),
    /// A word of a variation: a move, its number, a result.
    Word(String),
    /// A variation begins.
    Open,
    /// A variation ends.
    Close,
}

/// What stands in front of the first move of a game, and then behind each of its moves; from the text of that
/// game alone. Nothing where the text's moves are not the game's.
pub(super) fn remarks(text: &[u8], game: &Game) -> Vec<Vec<Remark>> {
    let mut reading = Reading::new(game);
    let mut words = Words::default();
    for line in text.split(|byte| *byte == b'\n') {
        let told = words.line(&text_of(line), |token| {
            reading.take(token);
            Ok::<(), std::convert::Infallible>(())
        });
        let Ok(()) = told;
    }
    reading.remarks
}

struct Reading<'g> {
    moves: &'g [UciMove],
    /// How many variations are open.
    open: usize,
    position: Chess,
    remarks: Vec<Vec<Remark>>,
    /// Whether the game has come to its end, or to a move that is not its own.
    is_over: bool,
}

impl<'g> Reading<'g> {
    fn new(game: &'g Game) -> Reading<'g> {
        Reading {
            moves: game.moves(),
            open: 0,
            position: game.start().clone(),
            remarks: vec![Vec::new()],
            is_over: false,
        }
    }

    fn take(&mut self, token: Token<'_>) {
        if self.is_over {
            return;
        }
        match token {
            Token::Blank | Token::Tag(..) => {}
            Token::Comment(text) => self.note(Remark::Comment(text.trim().to_owned())),
            Token::Glyph(glyph) => self.note(Remark::Glyph(glyph)),
            Token::Open => {
                self.open += 1;
                self.note(Remark::Open);
            }
            Token::Close if self.open > 0 => {
                self.open -= 1;
                self.note(Remark::Close);
            }
            Token::Close => {}
            Token::Word(word) if self.open > 0 => self.note(Remark::Word(printable(word))),
            Token::Word(word) => self.word(word),
        }
    }

    fn note(&mut self, remark: Remark) {
        if let Some(last) = self.remarks.last_mut() {
            last.push(remark);
        }
    }

    /// A word of the game itself.
    fn word(&mut self, word: &str) {
        let Some(token) = possible_move(word) else {
            self.is_over |= ["1-0", "0-1", "1/2-1/2", "*"].contains(&word);
            return;
        };
        let ply = self.remarks.len() - 1;
        let Some(expected) = self.moves.get(ply) else {
            // What follows belongs to moves that are not shown.
            self.is_over = true;
            return;
        };
        match parse_move(&self.position, token) {
            Ok(m) if m.to_uci(CastlingMode::Standard) == *expected => {
                self.position.play_unchecked(m);
                self.remarks.push(Vec::new());
                if let Some(glyph) = glyph_of(word) {
                    self.note(Remark::Glyph(glyph));
                }
            }
            _ => {
                self.remarks.clear();
                self.is_over = true;
            }
        }
    }
}

/// The glyph that is glued to a move: `Nf3!?`.
fn glyph_of(word: &str) -> Option<u8> {
    let glyphs = [("!!", 3), ("??", 4), ("!?", 5), ("?!", 6), ("!", 1), ("?", 2)];
    glyphs.iter().find(|(sign, _)| word.ends_with(sign)).map(|(_, glyph)| *glyph)
}

/// A file may hold anything, escape sequences for the terminal, too.
fn printable(word: &str) -> String {
    word.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(pgn: &str, moves: &str) -> Vec<String> {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(moves).unwrap();
        let words = |remark: &Remark| match remark {
            Remark::Glyph(glyph) => format!("${glyph}"),
            Remark::Comment(text) => format!("{{{text}}}"),
            Remark::Word(word) => word.clone(),
            Remark::Open => "(".to_owned(),
            Remark::Close => ")".to_owned(),
        };
        let remarks = remarks(pgn.as_bytes(), &game);
        remarks.iter().map(|all| all.iter().map(words).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn remarks_stand_behind_their_moves() {
        let pgn = "[Event \"a\"]\n\n{Begin} 1. e4! $14 {Best\nby test} e5?! (1... c5 $1 {Sicilian} \
            (1... e6) 2. Nf3) (1... Z0) 2. Nf3 ;end\n 1-0 {behind}\n";
        let first = [
            "{Begin}",
            "$1 $14 {Best by test}",
            "$6 ( 1... c5 $1 {Sicilian} ( 1... e6 ) 2. Nf3 ) ( 1... Z0 )",
            "{end}",
        ];
        assert_eq!(told(pgn, "e4 e5 Nf3"), first);
        assert_eq!(told(pgn, "e4 e5"), first[..3], "up to the last move that is shown");
        assert_eq!(told(pgn, "d4"), [""; 0], "another game");
    }
}
