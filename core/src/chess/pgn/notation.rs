//! Which words of a game's movetext are moves.

use pgn_reader::SanPlus;

use super::words::{Token, Words, text_of};

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

/// The first word in a game's main line that is not a move in SAN, and how many moves are before it.
pub(super) fn unreadable_move(pgn: &[u8]) -> Option<(String, usize)> {
    let (mut moves, mut variations) = (0, 0_u32);
    let mut words = Words::default();
    let mut look_at = |token: Token<'_>| {
        match token {
            Token::Open => variations += 1,
            Token::Close => variations = variations.saturating_sub(1),
            Token::Word(word) if variations == 0 => {
                let Some(token) = possible_move(word) else { return Ok(()) };
                if token.parse::<SanPlus>().is_err() {
                    return Err((token.to_owned(), moves));
                }
                moves += 1;
            }
            Token::Word(_)
            | Token::Glyph(_)
            | Token::Blank
            | Token::Comment(_)
            | Token::Tag(..) => {}
        }
        Ok(())
    };
    let mut lines = pgn.split(|byte| *byte == b'\n');
    lines.find_map(|line| words.line(&text_of(line), &mut look_at).err())
}
