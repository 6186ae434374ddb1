//! Moves and the words around them, as people and programs write them: SAN, long algebraic and UCI notation, move
//! numbers, results, glyphs.

use std::ops::Range;

use shakmaty::{CastlingSide, Chess, File, Move, Position, Rank, Role, Square};

/// Kind of a part of a word of movetext.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordPart {
    /// The number of a move, with its dots.
    Number,
    /// A move, with its check sign, without glyphs.
    Move,
    /// A null move: the other side moves once more.
    Null,
    /// The result of a game.
    Result(&'static str),
    /// A numeric glyph: 1 is `!`, 2 is `?`.
    Glyph(u8),
    /// Remarks of books and programs behind moves: a check, a diagram, a novelty, en passant.
    Note,
    /// Signs without letters or digits, as those for an evaluation.
    Sign,
    /// None of these.
    Unreadable,
}

/// True if a move number is zero: `0 - 0` is castling, written apart.
pub(super) fn is_zero(number: &str) -> bool {
    let digits = number.trim_end_matches(['.', '…']);
    !digits.is_empty() && digits.bytes().all(|digit| digit == b'0')
}

impl WordPart {
    /// True if it is about the move in front of it.
    pub(super) fn is_remark(self) -> bool {
        matches!(self, WordPart::Glyph(_) | WordPart::Note | WordPart::Sign)
    }
}

/// Results as they are written, and as PGN has them; the longer ones first.
const RESULTS: [(&str, &str); 10] = [
    ("1/2-1/2", "1/2-1/2"),
    ("½-½", "1/2-1/2"),
    ("0.5-0.5", "1/2-1/2"),
    ("1/2", "1/2-1/2"),
    ("½", "1/2-1/2"),
    ("1-0", "1-0"),
    ("0-1", "0-1"),
    ("1:0", "1-0"),
    ("0:1", "0-1"),
    ("*", "*"),
];
const NULL_MOVES: [&str; 4] = ["--", "Z0", "0000", "@@@@"];
/// Letters that may be a man's where they are glued to something else: `Nf3N c6`.
const LETTERS: [&str; 2] = ["N", "D"];
const NOTES: [&str; 20] = [
    "e.p.", "ep", "e.p", "ep.", "ch", "ch.", "dbl", "dbl.", "dblch", "dbl.ch", "dbl.ch.", "dis",
    "dis.", "disch", "dis.ch", "dis.ch.", "mate", "mate.", "TN", "Δ",
];
const GLYPHS: [(&str, u8); 6] = [("!!", 3), ("??", 4), ("!?", 5), ("?!", 6), ("!", 1), ("?", 2)];
/// Signs glued to moves besides glyphs: checks and evaluations.
const SIGNS: &str = "+#=-/\\±∓⩲⩱∞□⇆↑→⟳∆†‡≠,";
/// Better is, worse is, and arrows of several signs are written with these; one alone may stand for a man.
const ARROWS: &str = "<>=-";
const LONGEST_ARROW: usize = 4;

/// Splits a word: most are one part, but numbers, moves, glyphs and results stand glued together,
/// too (`1.e4!e5`). Gives each part with its place in the word. From an unreadable part on, the
/// whole rest is unreadable.
pub(super) fn parts(word: &str) -> Vec<(WordPart, Range<usize>)> {
    let mut parts = Vec::new();
    let mut at = 0;
    let last_letter = word.rfind(char::is_alphanumeric);
    while let Some(rest) = word.get(at..).filter(|rest| !rest.is_empty()) {
        let are_signs = last_letter.is_none_or(|last| last < at);
        let (part, length) = part_of(rest, parts.last().map(|(part, _)| *part), are_signs);
        parts.push((part, at..at + length));
        at += length;
    }
    let is_nothing = |part: &(WordPart, Range<usize>)| part.0 == WordPart::Unreadable;
    if parts.iter().any(is_nothing) {
        // `Nf3xyz` is not Nf3.
        parts.retain(|(part, _)| *part == WordPart::Number);
        let from = parts.last().map_or(0, |(_, range)| range.end);
        parts.push((WordPart::Unreadable, from..word.len()));
    }
    parts
}

/// The first part of a text, behind another part of the same word, and its length; `are_signs` if
/// the text has neither letters nor digits.
fn part_of(text: &str, behind: Option<WordPart>, are_signs: bool) -> (WordPart, usize) {
    let behind_move = matches!(behind, Some(WordPart::Move | WordPart::Glyph(_) | WordPart::Sign));
    if let Some((written, result)) = RESULTS.iter().find(|(result, _)| text.starts_with(result)) {
        return (WordPart::Result(result), written.len());
    }
    if let Some(null) = NULL_MOVES.iter().find(|null| text.starts_with(**null)) {
        return (WordPart::Null, null.len());
    }
    let is_note = |text: &str| NOTES.iter().any(|note| note.eq_ignore_ascii_case(text));
    let behind_glyph = matches!(behind, Some(WordPart::Glyph(_)));
    if is_note(text) || LETTERS.contains(&text) && (behind.is_none() || behind_glyph) {
        return (WordPart::Note, text.len());
    }
    // The end of a sentence: dots are a number elsewhere.
    if text == "." && behind_move {
        return (WordPart::Sign, text.len());
    }
    if let Some((_, length)) = castling(text).and_then(|_| take_move(text)) {
        return (WordPart::Move, length);
    }
    let dots = |text: &str| text.find(|c| c != '.' && c != '…').unwrap_or(text.len());
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = digits + text.get(digits..).map_or(0, dots);
    if number > 0 {
        return (WordPart::Number, number);
    }
    if let Some((_, length)) = take_move(text) {
        return (WordPart::Move, length);
    }
    let glyph = GLYPHS.iter().find(|(sign, _)| text.starts_with(sign));
    // `!N` is no move, whatever follows.
    let behind_sign = glyph.and_then(|(sign, _)| text.strip_prefix(sign));
    let is_noted = behind_sign.is_some_and(|note| is_note(note) || LETTERS.contains(&note));
    // In front of a move, a sign may be a figurine that was lost.
    if !behind_move && !are_signs && !is_noted {
        return (WordPart::Unreadable, text.len());
    }
    if let Some((sign, glyph)) = glyph {
        return (WordPart::Glyph(*glyph), sign.len());
    }
    let is_arrow =
        |text: &str| text.contains(['<', '>']) && text.chars().all(|c| ARROWS.contains(c));
    if (2..=LONGEST_ARROW).contains(&text.len()) && is_arrow(text) {
        return (WordPart::Sign, text.len());
    }
    let signs = text.find(|c: char| !SIGNS.contains(c)).unwrap_or(text.len());
    match (signs, text.chars().next()) {
        // A figurine apart from its square.
        (0, Some(first)) if is_figurine(first) => (WordPart::Unreadable, text.len()),
        (0, Some(first)) if are_signs && !is_lost(first) => (WordPart::Sign, first.len_utf8()),
        (0, _) => (WordPart::Unreadable, text.len()),
        // It may hold a null move.
        (signs, _) if text.get(..signs).is_some_and(|signs| signs.contains("--")) => {
            (WordPart::Unreadable, text.len())
        }
        (signs, _) => (WordPart::Sign, signs),
    }
}

/// A word with letters for figurines, a hyphen for every dash, and without invisible characters,
/// which copying from a page or a program leaves in a text.
pub(super) fn plain(word: &str) -> String {
    if word.chars().all(is_figurine) {
        return word.to_owned();
    }
    let letter = |c: char| match c {
        '♔' | '♚' => 'K',
        '♕' | '♛' => 'Q',
        '♖' | '♜' => 'R',
        '♗' | '♝' => 'B',
        '♘' | '♞' => 'N',
        '♙' | '♟' => 'P',
        '‐' | '‑' | '‒' | '–' | '—' | '−' => '-',
        other => other,
    };
    word.chars().filter(|c| !is_unseen(*c)).map(letter).collect()
}

/// True for a sign of lost text: a man's letter in a font of its own, or bytes that were never
/// written.
fn is_lost(c: char) -> bool {
    "\"[]<>\u{fffd}".contains(c) || c.is_control() || ('\u{e000}'..='\u{f8ff}').contains(&c)
}

fn is_figurine(c: char) -> bool {
    ('\u{2654}'..='\u{265f}').contains(&c)
}

/// True if a character has no width and is no blank: a mark of text direction, a soft hyphen, a
/// variation selector.
pub(super) fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
        | '\u{fe0e}' | '\u{fe0f}' | '\u{feff}')
}

/// A move as it is written, before the position is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrittenMove {
    /// Castling.
    Castle(CastlingSide),
    /// A man goes to a square.
    Normal {
        /// The role; if none is named, a pawn or, with its square given, any man there.
        role: Option<Role>,
        /// The file that it comes from.
        file: Option<File>,
        /// The rank that it comes from.
        rank: Option<Rank>,
        /// The target square.
        to: Square,
        /// The promoted role, if any.
        promotion: Option<Role>,
    },
}

/// Takes the move that a text begins with, with check signs and `e.p.` behind it, and its length.
pub(super) fn take_move(text: &str) -> Option<(WrittenMove, usize)> {
    let (written, length) = castling(text).or_else(|| normal(text))?;
    let mut rest = text.get(length..)?;
    let passant = ["e.p.", "ep"].iter().find_map(|passant| rest.strip_prefix(passant));
    rest = passant.unwrap_or(rest);
    rest = rest.trim_start_matches(['+', '#']);
    Some((written, text.len() - rest.len()))
}

fn castling(text: &str) -> Option<(WrittenMove, usize)> {
    let mut rest = text.strip_prefix(['O', '0', 'o'])?;
    let mut steps = 0;
    while steps < 2
        && let Some(behind) = rest.strip_prefix('-')
        && let Some(behind) = behind.strip_prefix(['O', '0', 'o'])
    {
        (rest, steps) = (behind, steps + 1);
    }
    let side = match steps {
        1 => CastlingSide::KingSide,
        2 => CastlingSide::QueenSide,
        _ => return None,
    };
    Some((WrittenMove::Castle(side), text.len() - rest.len()))
}

fn normal(text: &str) -> Option<(WrittenMove, usize)> {
    let role = match text.chars().next()? {
        'P' => Some(Role::Pawn),
        letter if letter.is_ascii_uppercase() => Some(Role::from_char(letter)?),
        _ => None,
    };
    let text_of_squares = text.get(usize::from(role.is_some())..)?;
    // `e2e4` comes from a square, `exd5` from a file, `N1f3` from a rank.
    let from = [(true, true), (true, false), (false, true), (false, false)];
    let (file, rank, to, rest) =
        from.into_iter().find_map(|from| squares(text_of_squares, from))?;
    let becomes =
        matches!(role, None | Some(Role::Pawn)) && [Rank::First, Rank::Eighth].contains(&to.rank());
    let (promotion, rest) = match becomes.then(|| promotion(rest)).flatten() {
        Some((role, rest)) => (Some(role), rest),
        None => (None, rest),
    };
    Some((WrittenMove::Normal { role, file, rank, to, promotion }, text.len() - rest.len()))
}

/// The squares of a move, the first as far as it is given, and the rest of the text.
fn squares(
    text: &str,
    (with_file, with_rank): (bool, bool),
) -> Option<(Option<File>, Option<Rank>, Square, &str)> {
    let mut letters = text.chars();
    let file = if with_file { Some(File::from_char(letters.next()?)?) } else { None };
    let rank = if with_rank { Some(Rank::from_char(letters.next()?)?) } else { None };
    let rest = letters.as_str();
    let mut letters = rest.strip_prefix(['x', '-', ':', 'X', '×']).unwrap_or(rest).chars();
    let to =
        Square::from_coords(File::from_char(letters.next()?)?, Rank::from_char(letters.next()?)?);
    Some((file, rank, to, letters.as_str()))
}

/// A promotion: `=Q`, `Q`, `q`, `/Q`, `(Q)`; and the rest of the text.
fn promotion(text: &str) -> Option<(Role, &str)> {
    let bare = text.strip_prefix(['=', '/', '(']).unwrap_or(text);
    let mut letters = bare.chars();
    let role = Role::from_char(letters.next()?)?;
    let rest = letters.as_str();
    let rest = if text.starts_with('(') { rest.strip_prefix(')')? } else { rest };
    Some((role, rest)).filter(|(role, _)| *role != Role::Pawn && *role != Role::King)
}

impl WrittenMove {
    /// The legal move that is meant.
    ///
    /// # Errors
    ///
    /// `illegal` or `ambiguous`.
    pub(super) fn to_move(self, position: &Chess) -> Result<Move, &'static str> {
        let legal = match self {
            WrittenMove::Castle(side) => position.castling_moves(side),
            WrittenMove::Normal { file: Some(_), rank: Some(_), .. } => position.legal_moves(),
            WrittenMove::Normal { role, to, .. } => {
                position.san_candidates(role.unwrap_or(Role::Pawn), to)
            }
        };
        let mut meant = legal.iter().filter(|m| self.means(**m));
        match (meant.next(), meant.next()) {
            (Some(m), None) => Ok(*m),
            (None, _) => Err("illegal"),
            (Some(_), Some(_)) => Err("ambiguous"),
        }
    }

    fn means(self, m: Move) -> bool {
        match self {
            WrittenMove::Castle(side) => m.castling_side() == Some(side),
            WrittenMove::Normal { role, file, rank, to, promotion } => {
                let (Some(from), castles) = (m.from(), m.is_castle()) else { return false };
                let is_whole = file.is_some() && rank.is_some();
                let named = match role {
                    Some(role) => m.role() == role,
                    // A capture by a pawn names its file.
                    None => {
                        is_whole
                            || m.role() == Role::Pawn
                                && (file.is_some() || from.file() == to.file())
                    }
                };
                let goes = match castles {
                    // As UCI has it: the king goes onto its rook, or several squares; one may be a step.
                    true => {
                        let king_to = m
                            .castling_side()
                            .map(|side| Square::from_coords(side.king_to_file(), from.rank()));
                        is_whole && (m.to() == to || king_to == Some(to) && from.distance(to) > 1)
                    }
                    false => m.to() == to,
                };
                named
                    && goes
                    && m.promotion() == promotion
                    && file.is_none_or(|file| file == from.file())
                    && rank.is_none_or(|rank| rank == from.rank())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::fen::parse_fen;
    use crate::chess::uci_of;

    fn told(word: &str) -> String {
        let part = |(part, range): (WordPart, Range<usize>)| match part {
            WordPart::Number => "n".to_owned(),
            WordPart::Move => word[range].to_owned(),
            WordPart::Glyph(glyph) => format!("${glyph}"),
            WordPart::Result(result) => result.to_owned(),
            other => format!("{other:?}"),
        };
        parts(word).into_iter().map(part).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_are_taken_apart() {
        for (word, expected) in [
            ("1.e4!e5", "n e4 $1 e5"),
            ("1.…e5", "n e5"),
            ("12...Nf6?!", "n Nf6 $6"),
            ("Nf3Nc6", "Nf3 Nc6"),
            ("e52.Nf3", "e5 n Nf3"),
            ("Nc61-0", "Nc6 1-0"),
            ("1/2", "1/2-1/2"),
            ("½-½", "1/2-1/2"),
            ("0-0-0+", "0-0-0+"),
            ("1.0-0", "n 0-0"),
            ("Qxf7++", "Qxf7++"),
            ("Nc6+-", "Nc6+ Sign"),
            ("Nf3+/-2.Nf3", "Nf3+ Sign n Nf3"),
            ("a8=Q#", "a8=Q#"),
            ("a8Q", "a8Q"),
            ("exd6e.p.", "exd6e.p."),
            ("N", "Note"),
            ("+/=", "Sign"),
            ("!", "$1"),
            ("--", "Null"),
            ("e4--", "e4 Null"),
            ("!N", "$1 Note"),
            ("Nf3!N", "Nf3 $1 Note"),
            ("TN", "Note"),
            ("Qxf7ch", "Qxf7 Note"),
            ("dbl.ch.", "Note"),
            ("Bb5†", "Bb5 Sign"),
            (">=", "Sign"),
            ("<=>", "Sign"),
            ("0.5-0.5", "1/2-1/2"),
            ("e4,e5", "e4 Sign e5"),
            ("e4.", "e4 Sign"),
        ] {
            assert_eq!(told(word), expected, "{word}");
        }
        for word in [
            "Sf3", "2.N", "Nf3xyz", "Nf3N", "?f3", "!Nf3x", ">f3", ",f3", "chf3", "=e4", "Ri8",
            "N\u{0}f3", "e9", "é", "[%eval",
        ] {
            assert!(told(word).ends_with("Unreadable"), "{word}: {}", told(word));
        }
    }

    #[test]
    fn figurines_are_letters_and_unseen_marks_are_dropped() {
        assert_eq!(plain("♘f3\u{200b}"), "Nf3");
        assert_eq!(plain("a8=♕"), "a8=Q");
        assert_eq!(["½–½", "1—0", "O−O", "e2‑e4"].map(plain), ["½-½", "1-0", "O-O", "e2-e4"]);
        assert_eq!(told(&plain("♘")), "Unreadable", "it is not the note N");
    }

    #[test]
    fn a_move_is_found_as_people_write_it() {
        let find = |fen: &str, word: &str| {
            let position = parse_fen(fen).unwrap();
            let (written, length) = take_move(word).ok_or("no move")?;
            assert_eq!(length, word.len(), "{word}");
            written.to_move(&position).map(|m| uci_of(&position, m).to_string())
        };
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -";
        for word in ["O-O", "0-0", "o-o", "e1g1", "e1h1", "e1-g1", "Ke1-g1"] {
            assert_eq!(find(castling, word).unwrap(), "e1g1", "{word}");
        }
        assert_eq!(find(castling, "0-0-0").unwrap(), "e1c1");
        let castling = "4k3/8/8/8/8/8/8/1R3K1R w HB -";
        for (word, uci) in [
            ("O-O", "f1h1"),
            ("f1h1", "f1h1"),
            ("O-O-O", "f1b1"),
            ("f1c1", "f1b1"),
            ("f1b1", "f1b1"),
            ("f1g1", "f1g1"),
            ("Kg1", "f1g1"),
        ] {
            assert_eq!(find(castling, word).unwrap(), uci, "{word}");
        }
        let pawns = "8/P6k/8/2pP4/4p3/3P4/8/7K w - c6";
        for word in ["a8Q", "a8=Q", "a8q", "a7a8q", "a7a8Q", "a7-a8=Q", "a8(Q)", "a8/Q", "Pa8=Q"] {
            assert_eq!(find(pawns, word).unwrap(), "a7a8q", "{word}");
        }
        assert_eq!(find(pawns, "a8"), Err("illegal"), "what it becomes is not said");
        for word in ["dxc6e.p.", "dc6", "d5c6", "d5xc6", "d5:c6", "dxc6"] {
            assert_eq!(find(pawns, word).unwrap(), "d5c6", "{word}");
        }
        assert_eq!(find(pawns, "c6"), Err("illegal"), "a capture names the file");
        let knights = "k7/8/8/8/8/5N2/8/KN6 w - -";
        assert_eq!(find(knights, "Nd2"), Err("ambiguous"));
        for word in ["Nbd2", "N1d2", "Nb1d2", "Nb1-d2", "b1d2"] {
            assert_eq!(find(knights, word).unwrap(), "b1d2", "{word}");
        }
    }
}
