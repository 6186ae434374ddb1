//! The games of a PGN file one after the other, taken apart and not yet played. A fault in one does
//! not move the start of the next.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use crate::chess::notation::{WordPart, is_zero, parts, plain};

use super::lines::{CTRL_Z, PgnLines};
use super::text::{GameText, Is, MOST_TAGS};
use super::words::{PgnToken, PgnWords, has_moves, is_like_tag, tag};

/// Reads the games of a file.
#[derive(Debug)]
pub struct Games<R> {
    lines: PgnLines<R>,
    /// Lines that were read ahead, each with its number.
    ahead: VecDeque<(usize, String)>,
    /// Number of games read.
    number: usize,
}

/// Bytes in which the end of a comment with tags in it is sought.
const LOOK_AHEAD: usize = 1 << 20;

impl<R: BufRead> Games<R> {
    /// The games of a file that is in memory or is read bit by bit: one game is in memory at a time.
    pub fn new(file: R) -> Games<R> {
        Games { lines: PgnLines::new(file), ahead: VecDeque::new(), number: 0 }
    }

    fn read(&mut self) -> io::Result<Option<GameText>> {
        let mut reading = GameReader::new(self.number + 1);
        while let Some((number, line)) = self.next_line()? {
            if self.begins_with(&line, &mut reading)? {
                self.ahead.push_front((number, line));
                break;
            }
            reading.take(&line, number);
        }
        let game = reading.end();
        self.number += usize::from(game.is_some());
        Ok(game)
    }

    /// True if the next game begins with a line.
    fn begins_with(&mut self, line: &str, reading: &mut GameReader) -> io::Result<bool> {
        if !reading.ends_before(line) {
            return Ok(false);
        }
        let Some(comment) = &mut reading.comment else { return Ok(true) };
        // Otherwise a comment without an end would swallow all games behind it.
        comment.has_end = self.closes_comment(line)?;
        Ok(!comment.has_end)
    }

    /// True if the comment around a line ends before another one begins: comments do not nest.
    fn closes_comment(&mut self, line: &str) -> io::Result<bool> {
        let (mut next, mut seen) = (Some(line), 0);
        let mut read = 0;
        while let Some(line) = next
            && seen < LOOK_AHEAD
        {
            if let Some(at) = line.find(['{', '}']) {
                return Ok(line.get(at..).is_some_and(|brace| brace.starts_with('}')));
            }
            seen += line.len() + 1;
            if read == self.ahead.len() && !self.read_ahead()? {
                break;
            }
            next = self.ahead.get(read).map(|(_, line)| line.as_str());
            read += 1;
        }
        Ok(false)
    }

    fn next_line(&mut self) -> io::Result<Option<(usize, String)>> {
        if self.ahead.is_empty() {
            self.read_ahead()?;
        }
        Ok(self.ahead.pop_front())
    }

    /// Reads a line, split where joined files meet; false at the end of the file.
    fn read_ahead(&mut self) -> io::Result<bool> {
        let Some(mut line) = self.lines.next()? else { return Ok(false) };
        let number = self.lines.number();
        while let Some(at) = line.find(JOINED) {
            let behind = line.split_off(at + CTRL_Z.len_utf8());
            line.truncate(at);
            self.ahead.push_back((number, line));
            line = behind;
        }
        self.ahead.push_back((number, line));
        Ok(true)
    }
}

/// The end of a file without a last line feed, and the first tag of the file joined to it.
const JOINED: &str = "\u{1a}[";

impl<R: BufRead> Iterator for Games<R> {
    type Item = io::Result<GameText>;

    fn next(&mut self) -> Option<io::Result<GameText>> {
        self.read().transpose()
    }
}

/// A comment that goes on in the next line.
#[derive(Debug, Clone, Copy)]
struct OpenComment {
    /// The line in which it began.
    line: usize,
    /// True if there is a blank line in it.
    has_blank: bool,
    /// True if it is known to end before another one begins.
    has_end: bool,
}

/// A game that is being read.
struct GameReader {
    game: GameText,
    words: PgnWords,
    /// The comment that is not closed yet.
    comment: Option<OpenComment>,
    /// The lines in which the open variations began.
    open: Vec<usize>,
    /// True once there was a word of moves: a move, a number, a result.
    has_begun: bool,
    has_moves: bool,
    result: Option<&'static str>,
    /// The number of a move that the move itself must follow.
    before_move: Option<String>,
    /// The last number in the game itself, whether it was Black's, and how many moves there were since.
    counted: Option<(u32, bool, u32)>,
    /// True if the last word was a number.
    is_behind_number: bool,
    /// True if the last word was a move, or about one.
    is_behind_move: bool,
    /// True if the last line was blank.
    was_blank: bool,
}

impl GameReader {
    fn new(number: usize) -> GameReader {
        GameReader {
            game: GameText::new(number),
            words: PgnWords::default(),
            comment: None,
            open: Vec::new(),
            has_begun: false,
            has_moves: false,
            result: None,
            before_move: None,
            counted: None,
            is_behind_number: false,
            is_behind_move: false,
            was_blank: false,
        }
    }

    /// True if a line begins the next game; in a comment, if it would outside of it.
    fn ends_before(&self, line: &str) -> bool {
        let tag = tag(line).map(|(name, ..)| name);
        if let Some(comment) = self.comment {
            return !comment.has_end && tag.is_some_and(|name| self.was_blank || name == "Event");
        }
        match tag {
            Some(_) if self.has_begun => true,
            None if self.has_begun && self.was_blank && is_like_tag(line) => true,
            // A game may be tags alone.
            Some(name) if self.was_blank => {
                let has = |name: &str| self.game.tags.iter().any(|(other, _)| other == name);
                let is_any = !self.game.tags.is_empty() || self.game.fault.is_some();
                name == "Event" && is_any || has(name)
            }
            Some(_) => false,
            None => {
                let may_end = self.has_moves && self.was_blank && self.open.is_empty();
                may_end && begins_with_one(line)
            }
        }
    }

    fn take(&mut self, line: &str, number: usize) {
        let is_blank = line.trim().is_empty();
        let comment = self.comment;
        let inside = line.split('}').next().filter(|_| comment.is_some_and(|open| open.has_blank));
        if let Some(open) = comment
            && inside.is_some_and(|inside| inside.contains('{'))
        {
            // One was not closed, and the next one's end would close it.
            self.game.fails(open.line, NOT_CLOSED);
        }
        if comment.is_none() && !self.has_begun && is_like_tag(line) && tag(line).is_none() {
            self.token(PgnToken::BadTag(line), number);
        } else {
            let mut words = std::mem::take(&mut self.words);
            words.line(line, |token| self.token(token, number));
            self.words = words;
        }
        let goes_on = comment.filter(|_| !line.contains('}'));
        let begins = OpenComment { line: number, has_blank: false, has_end: false };
        self.comment = self.words.in_comment().then_some(match goes_on {
            Some(open) => OpenComment { has_blank: open.has_blank || is_blank, ..open },
            None => begins,
        });
        self.was_blank = is_blank;
    }

    fn token(&mut self, token: PgnToken<'_>, line: usize) {
        if self.game.line == 0 {
            self.game.line = line;
        }
        match token {
            PgnToken::Tag(name, value) => {
                self.game.line = line;
                self.game.is_pgn = true;
                // `[FEN="…"]`, and a FEN that a missing bracket has put into another tag.
                let letters: String = name.chars().filter(char::is_ascii_alphabetic).collect();
                let lower = value.to_ascii_lowercase();
                let is_hidden = START.iter().any(|start| lower.contains(&format!("[{start}")));
                if is_hidden || letters.len() < name.len() && is_start(&letters) {
                    self.game.fails(line, NO_START);
                }
                if self.game.tags.len() < MOST_TAGS {
                    self.game.tags.push((name.to_owned(), value.to_owned()))
                } else {
                    self.game.fails(line, "a game has no more than 1,000 tags")
                }
            }
            PgnToken::BadTag(text) => {
                let lower = text.to_ascii_lowercase();
                let is_start = START.iter().any(|start| lower.contains(start));
                if is_start || lower.matches('/').count() > 6 {
                    self.game.fails(line, NO_START);
                } else if has_moves(text) {
                    self.game.fails(line, "a tag that cannot be read contains moves");
                }
            }
            PgnToken::Behind => self.game.fails(line, "the text after a tag cannot be read"),
            PgnToken::Comment(text) => self.game.push(line, Is::Comment, text),
            PgnToken::EndOfComment => {
                self.game.fails(line, "a comment is closed that was never opened")
            }
            PgnToken::Glyph(glyph) => {
                let glyph = glyph.map(|glyph| Is::Word(WordPart::Glyph(glyph)));
                glyph.into_iter().for_each(|glyph| self.game.push(line, glyph, ""));
            }
            PgnToken::Open => {
                if !self.has_moves {
                    self.game.fails(line, "a variation comes before any move");
                }
                self.open.push(line);
                self.before_move = None;
                self.game.push(line, Is::Open, "");
            }
            // `2) Nf3`.
            PgnToken::Close if self.open.is_empty() && self.is_behind_number => {}
            PgnToken::Close => {
                if self.open.pop().is_none() {
                    self.game.fails(line, "a variation is closed that was never opened");
                }
                self.is_behind_move = true;
                self.before_move = None;
                self.game.push(line, Is::Close, "");
            }
            PgnToken::Word(word) => {
                let word = plain(word);
                for (part, range) in parts(&word) {
                    self.word(part, word.get(range).unwrap_or_default(), line);
                }
            }
        }
    }

    fn word(&mut self, mut part: WordPart, text: &str, line: usize) {
        self.has_begun |= !part.is_remark();
        let number = text.trim_end_matches(['.', '…']);
        match part {
            WordPart::Number if number.is_empty() => {
                self.before_move.get_or_insert_default();
            }
            WordPart::Number if is_zero(number) => part = WordPart::Unreadable,
            WordPart::Number => {
                let before = self.before_move.replace(number.to_owned());
                if before.is_some_and(|before| before != number) {
                    self.game.fails(line, "the moves between two numbers are missing");
                }
                let is_own = self.open.is_empty() && self.result.is_none();
                if is_own && !self.counts(number, text) {
                    self.game.fails(line, "the number of a move does not fit the moves before it");
                }
            }
            part if part.is_remark() => {}
            _ => self.before_move = None,
        }
        self.game.is_pgn |= matches!(part, WordPart::Number | WordPart::Move);
        if self.open.is_empty() {
            match part {
                WordPart::Result(result) if self.result.is_none_or(|told| told == result) => {
                    self.result = Some(result);
                }
                WordPart::Result(_) | WordPart::Move | WordPart::Null | WordPart::Unreadable
                    if self.result.is_some() =>
                {
                    self.game.fails(line, BEHIND_RESULT);
                }
                // `2. N f3` is no pawn's move, nor is one with a sign there that may have been a man's.
                WordPart::Note if !self.is_behind_move => part = WordPart::Unreadable,
                WordPart::Sign | WordPart::Glyph(_) if self.is_behind_number => {
                    part = WordPart::Unreadable
                }
                WordPart::Move | WordPart::Null => {
                    self.has_moves = true;
                    if let Some((_, _, moves)) = &mut self.counted {
                        *moves += 1;
                    }
                }
                _ => {}
            }
            self.is_behind_number = part == WordPart::Number;
            self.is_behind_move = part == WordPart::Move || part.is_remark() && self.is_behind_move;
        }
        self.game.push(line, Is::Word(part), text);
    }

    /// Notes a move number; true if it follows from the number before and the moves since: `3.`
    /// behind `2.` and two moves, or one if each move of either side has a number, and `2...`
    /// behind one move.
    fn counts(&mut self, number: &str, text: &str) -> bool {
        let Ok(number) = number.parse::<u32>() else { return false };
        let dots = text.matches('.').count() + 3 * text.matches('…').count();
        let is_black = dots > 2;
        let before = self.counted.replace((number, is_black, 0));
        let Some((last, was_black, moves)) = before else { return true };
        let plies = moves + u32::from(was_black);
        let fits = [last.saturating_add(plies / 2), last.saturating_add(moves.div_ceil(2))];
        fits.contains(&number) && (!is_black || plies % 2 == 1)
    }

    /// The game, if there is one.
    fn end(mut self) -> Option<GameText> {
        if let Some(open) = self.comment {
            self.game.fails(open.line, NOT_CLOSED);
        }
        if let Some(line) = self.open.first() {
            self.game.fails(*line, "a variation is not closed");
        }
        let is_game = self.has_begun || !self.game.tags.is_empty() || self.game.fault.is_some();
        is_game.then_some(self.game)
    }
}

/// Tags about the start of a game.
const START: [&str; 3] = ["fen", "setup", "variant"];

fn is_start(name: &str) -> bool {
    START.iter().any(|start| name.eq_ignore_ascii_case(start))
}

const NO_START: &str = "the tag of its first position cannot be read";

const NOT_CLOSED: &str = "a comment is not closed";

const BEHIND_RESULT: &str = "moves or another result stand behind the result; \
    a game without tags begins behind a blank line";

/// True if a line begins with the number of a game's first move, White's.
fn begins_with_one(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix('1') else { return false };
    let dots: String =
        rest.chars().take_while(|c| ".… ".contains(*c) || c.is_whitespace()).collect();
    let black = dots.matches('.').count() > 1 || dots.contains('…');
    let is_number = !dots.is_empty() || rest.starts_with(|c: char| c.is_ascii_alphabetic());
    is_number && !black
}
