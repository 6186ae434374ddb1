//! Games and lines: a start, moves in SAN or UCI, and the positions on the way.

use std::collections::HashMap;

use shakmaty::san::{San, SanPlus, Suffix};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Move, Position};

use super::chess960::{start_of_chess960, uci_of};
use super::fen::{FenError, fen_of, parse_fen};
use super::key::PositionKey;
use super::notation::{WordPart, is_zero, parts, plain, take_move};

/// A game up to the root of an analysis: where it began, and the moves to the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    start: Chess,
    moves: Vec<UciMove>,
    /// The moves as they were played: each legal in its position.
    played: Vec<Move>,
    root: Chess,
}

/// Error in a game or a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// The start is no position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A token is neither SAN nor UCI notation.
    #[error("{:?} is not a move in SAN or UCI notation", format!("{number} {token}"))]
    Notation {
        /// The given token.
        token: String,
        /// The number of the move: `3.`, or `3...` for Black.
        number: String,
    },
    /// A null move (`--`): nothing can be analysed behind it.
    #[error("move {number} is a null move: no game goes on behind it")]
    Null {
        /// The number of the move: `3.`, or `3...` for Black.
        number: String,
    },
    /// A move cannot be played, or means several.
    #[error("{:?} is {reason} in {fen}", format!("{number} {token}"))]
    Illegal {
        /// The given token.
        token: String,
        /// The number of the move: `3.`, or `3...` for Black.
        number: String,
        /// `illegal` or `ambiguous`.
        reason: &'static str,
        /// The position in which it was to be played.
        fen: String,
    },
}

impl Game {
    /// A game that begins at a position and has no move yet.
    pub fn from_position(start: Chess) -> Game {
        Game { root: start.clone(), start, moves: Vec::new(), played: Vec::new() }
    }

    /// A game from a FEN, from `startpos`, the initial position, or from a starting position of Chess960 by its number
    /// (`960:518`).
    pub fn from_start(start: &str) -> Result<Game, GameError> {
        let start = match (start, start.strip_prefix("960:")) {
            ("startpos", _) => Chess::default(),
            (_, Some(number)) => {
                let number = number.parse().ok().and_then(start_of_chess960);
                number.ok_or_else(|| FenError::Chess960(start.to_owned()))?
            }
            (fen, None) => parse_fen(fen)?,
        };
        Ok(Game::from_position(start))
    }

    /// Plays moves as people write them: SAN, long algebraic or UCI notation, with move numbers and glyphs.
    ///
    /// # Errors
    ///
    /// [`GameError`] names the first word that is no move, or cannot be played.
    pub fn play_line(&mut self, line: &str) -> Result<(), GameError> {
        // True until there is a move to which a sign can belong.
        let mut is_bare = true;
        for word in line.split_whitespace().map(plain) {
            for (part, range) in parts(&word) {
                let token = word.get(range).unwrap_or_default();
                match part {
                    WordPart::Number if !is_zero(token) => is_bare = true,
                    // `2. N f3` is no pawn's move.
                    WordPart::Glyph(_) | WordPart::Note | WordPart::Sign if !is_bare => {}
                    WordPart::Number | WordPart::Glyph(_) | WordPart::Note | WordPart::Sign => {
                        return Err(no_move(&self.root, &word));
                    }
                    WordPart::Move
                    | WordPart::Null
                    | WordPart::Result(_)
                    | WordPart::Unreadable => {
                        self.play(parse_move(&self.root, token)?);
                        is_bare = false;
                    }
                }
            }
        }
        Ok(())
    }

    /// Plays one legal move of the root position, which becomes the root's predecessor.
    pub fn play(&mut self, m: Move) {
        self.moves.push(uci_of(&self.root, m));
        self.played.push(m);
        self.root.play_unchecked(m);
    }

    /// The game after `ply` of its moves, or the whole of it if it has fewer.
    #[must_use]
    pub fn up_to(&self, ply: usize) -> Game {
        let mut game = Game::from_position(self.start.clone());
        self.played.iter().take(ply).for_each(|m| game.play(*m));
        game
    }

    /// The position behind each of its moves.
    pub fn positions(&self) -> impl Iterator<Item = Chess> + '_ {
        self.played.iter().scan(self.start.clone(), |position, m| {
            position.play_unchecked(*m);
            Some(position.clone())
        })
    }

    /// The position in which the game began.
    pub fn start(&self) -> &Chess {
        &self.start
    }

    /// The moves from the start to the root.
    pub fn moves(&self) -> &[UciMove] {
        &self.moves
    }

    /// The positions that occurred at least twice before the root, the root left out: to reach one is its third
    /// occurrence, a draw by the laws of chess (docs/algorithm.md, section 3).
    #[must_use]
    pub fn repeated(&self) -> Vec<PositionKey> {
        let root = PositionKey::of(&self.root);
        let positions = std::iter::once(self.start.clone()).chain(self.positions());
        let before = positions.take(self.played.len()).map(|position| PositionKey::of(&position));
        let mut occurrences: HashMap<PositionKey, usize> = HashMap::new();
        let is_second = |key: &PositionKey| {
            let count = occurrences.entry(*key).or_default();
            *count += 1;
            *count == 2 && *key != root
        };
        before.filter(is_second).collect()
    }

    /// The position that all moves lead to.
    pub fn root(&self) -> &Chess {
        &self.root
    }
}

/// The number of the move played `plies` plies after a position: `3.`, or `3...` for Black.
pub(super) fn move_number(position: &Chess, plies: usize) -> String {
    let plies = plies + usize::from(position.turn().is_black());
    let first = usize::try_from(position.fullmoves().get()).unwrap_or(usize::MAX);
    let dots = if plies.is_multiple_of(2) { "." } else { "..." };
    format!("{}{dots}", first.saturating_add(plies / 2))
}

/// Reads one move in SAN, long algebraic or UCI notation, with or without glyphs.
pub(super) fn parse_move(position: &Chess, token: &str) -> Result<Move, GameError> {
    let found = parts(token);
    let range = match found.split_first() {
        Some(((WordPart::Move, range), behind))
            if behind.iter().all(|(part, _)| part.is_remark()) =>
        {
            range
        }
        _ => return Err(no_move(position, token)),
    };
    written_move(position, token.get(range.clone()).unwrap_or_default())
}

/// Plays a move, if it is legal.
pub fn play(position: &mut Chess, uci: UciMove) {
    if let Ok(m) = uci.to_move(position) {
        position.play_unchecked(m);
    }
}

/// The position after moves; illegal ones are left out.
pub fn after<'m>(position: &Chess, moves: impl IntoIterator<Item = &'m UciMove>) -> Chess {
    let mut position = position.clone();
    moves.into_iter().for_each(|uci| play(&mut position, *uci));
    position
}

/// Reads one legal move as people write it, with a move number or without.
///
/// # Errors
///
/// [`GameError`] if it is no move, several, or cannot be played.
pub fn read_move(position: &Chess, words: &str) -> Result<UciMove, GameError> {
    let mut game = Game::from_position(position.clone());
    game.play_line(words)?;
    match game.moves() {
        [one] => Ok(*one),
        _ => Err(no_move(position, words)),
    }
}

/// The legal move meant by a word that is a plain move.
pub(super) fn written_move(position: &Chess, token: &str) -> Result<Move, GameError> {
    let (written, _) = take_move(token).ok_or_else(|| no_move(position, token))?;
    written.to_move(position).map_err(|reason| GameError::Illegal {
        token: token.to_owned(),
        number: move_number(position, 0),
        reason,
        fen: fen_of(position),
    })
}

/// Characters quoted of a word that is no move: a file that is no PGN may have long ones.
const LONGEST_TOLD: usize = 40;

/// Error for a word that is no move in any position.
pub(super) fn no_move(position: &Chess, token: &str) -> GameError {
    let mut token = token.to_owned();
    if let Some((end, _)) = token.char_indices().nth(LONGEST_TOLD) {
        token.replace_range(end.., "…");
    }
    GameError::Notation { token, number: move_number(position, 0) }
}

/// Reads UCI notation. Some engines write promotions in upper case (`f7f8Q`); a capital in front is
/// SAN (`B2b3`).
pub fn parse_uci(token: &str) -> Option<UciMove> {
    let uci: Option<UciMove> = if token.ends_with(|last: char| last.is_ascii_uppercase()) {
        let (rest, promotion) = token.split_at(token.len() - 1);
        format!("{rest}{}", promotion.to_ascii_lowercase()).parse().ok()
    } else {
        token.parse().ok()
    };
    uci.filter(|uci| matches!(uci, UciMove::Normal { .. }))
}

/// The most letters that a move in SAN or UCI notation has: `Qa1xb2+`, `exd8=Q#`.
pub const LONGEST_SAN: usize = 8;

/// The move in SAN with its check or mate sign, in the position in which it is played.
///
/// A move that is not legal there is given in UCI notation.
pub fn san_of(position: &Chess, uci: UciMove) -> String {
    let mut san = String::with_capacity(LONGEST_SAN);
    push_san(&mut position.clone(), uci, &mut san);
    san
}

/// Writes a move as [`san_of`] does, and plays it; one that is not legal is not played.
pub fn push_san(position: &mut Chess, uci: UciMove, out: &mut String) {
    match named(position, uci) {
        Some((m, san)) => play_as_san(position, m, san).append_to_string(out),
        None => uci.append_to_string(out),
    }
}

/// A legal move with its name. The candidates for its disambiguation show whether it is legal, too.
fn named(position: &Chess, uci: UciMove) -> Option<(Move, San)> {
    if let UciMove::Normal { from, to, promotion } = uci {
        let moves = position.san_candidates(position.board().role_at(from)?, to);
        let found = moves.iter().find(|m| (m.from(), m.promotion()) == (Some(from), promotion));
        if let Some(m) = found {
            return Some((*m, San::disambiguate(*m, &moves)));
        }
    }
    // It castles, or is not legal.
    let m = uci.to_move(position).ok()?;
    Some((m, San::from_move(position, m)))
}

/// As [`SanPlus::from_move_and_play_unchecked`], which counts the replies to every move; only a check asks for
/// them.
fn play_as_san(position: &mut Chess, m: Move, san: San) -> SanPlus {
    position.play_unchecked(m);
    let suffix = position
        .is_check()
        .then(|| if position.legal_moves().is_empty() { Suffix::Checkmate } else { Suffix::Check });
    SanPlus { san, suffix }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_people_write_them() {
        for line in [
            "e4 e5 Nf3 Nc6 Bb5 Nf6 O-O",
            "1.e4 e5 2. Nf3! Nc6?! 3.Bb5 Nf6 4. 0-0",
            "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1",
            "1. e4 1... e5 2. Nf3 2… Nc6 3 Bb5 Nf6 O-O",
        ] {
            let mut game = Game::from_start("startpos").unwrap();
            game.play_line(line).unwrap();
            let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
            assert_eq!(moves.join(" "), "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1", "{line}");
        }
    }

    #[test]
    fn repeated_positions_occurred_twice_before_the_root() {
        let repeated = |moves: &str| {
            let mut game = Game::from_start("startpos").unwrap();
            game.play_line(moves).unwrap();
            let fens = game.repeated();
            fens.iter().map(|key| fen_of(&key.position())).collect::<Vec<_>>()
        };
        let once = "Nf3 Nf6 Ng1 Ng8";
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(repeated(once), [""; 0], "the root is left out");
        assert_eq!(repeated(&format!("{once} e4")), [start]);
        assert_eq!(repeated(&format!("{once} {once}")).len(), 3, "once each, without the root");
        let rooks = "e4 e5 Nf3 Nf6 Rg1 Rg8 Rh1 Rh8 Rg1";
        assert_eq!(repeated(rooks), [""; 0], "castling rights tell positions apart");
    }

    #[test]
    fn moves_are_written_as_shakmaty_writes_them() {
        let mut written = 0;
        for fen in [
            "startpos",
            "r3k2r/pPppqpb1/bn2pnp1/3PN3/4P3/2N2Q1p/P1PBBPPP/R3K2R w KQkq - 0 1",
            "7k/P5pp/8/8/8/8/6PP/4R2K w - - 0 1",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            "k7/8/8/3N1N2/8/3N1N2/8/K6Q w - - 0 1",
            "8/8/8/8/8/5k2/5q2/7K w - - 0 1",
        ] {
            let game = Game::from_start(fen).unwrap();
            for m in game.root().legal_moves() {
                let right = SanPlus::from_move(game.root().clone(), m).to_string();
                assert_eq!(san_of(game.root(), uci_of(game.root(), m)), right);
                written += 1;
            }
        }
        assert!(written > 130, "{written}");
        let mated = Game::from_start("7k/P5pp/8/8/8/8/6PP/4R2K w - - 0 1").unwrap();
        assert_eq!(san_of(mated.root(), parse_uci("e1e8").unwrap()), "Re8#");
        for illegal in ["e1d8", "e1e8q", "a7a8", "e2e4"] {
            assert_eq!(san_of(mated.root(), parse_uci(illegal).unwrap()), illegal);
        }
    }

    #[test]
    fn unplayable_move_is_named_with_its_place() {
        for (line, part) in [
            ("e4 e5 Ke3", "\"2. Ke3\" is illegal in rnbqkbnr"),
            ("e4 xyzzy", "\"1... xyzzy\" is not a move"),
            ("d4 d5 e2e5", "\"2. e2e5\" is illegal"),
            ("d3 a6 Nd2 b6 Nf3", "\"3. Nf3\" is ambiguous"),
            ("0000", "is not a move"),
        ] {
            let mut game = Game::from_start("startpos").unwrap();
            let error = game.play_line(line).unwrap_err().to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
