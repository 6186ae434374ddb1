//! A LINE: moves from the root to what a directive is about.

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::render::numbered_line;
use deepanalyze_core::chess::{Game, PositionKey};
use deepanalyze_core::directives::Moves;

use super::error::DirectError;

/// A line from a root.
#[derive(Debug, Clone)]
pub struct Line {
    /// It begins at the root.
    game: Game,
}

impl Line {
    /// Reads moves in SAN or UCI notation.
    pub fn read(root: &Chess, text: &str) -> Result<Line, DirectError> {
        let mut game = Game::from_position(root.clone());
        game.play_line(text)?;
        Ok(Line { game })
    }

    /// The same where there must be a move.
    pub fn read_moves(root: &Chess, text: &str) -> Result<Line, DirectError> {
        let line = Line::read(root, text)?;
        if line.game.moves().is_empty() {
            return Err(DirectError::EmptyLine);
        }
        Ok(line)
    }

    /// The position that it begins at.
    pub fn root(&self) -> PositionKey {
        PositionKey::of(self.game.start())
    }

    /// The position after it.
    pub fn end(&self) -> &Chess {
        self.game.root()
    }

    /// Its last move, with the position in which it is played.
    pub fn last(&self) -> Option<(Chess, UciMove)> {
        self.moves().last()
    }

    /// Each move with the position in which it is played.
    pub fn moves(&self) -> impl Iterator<Item = (Chess, UciMove)> + '_ {
        let before = std::iter::once(self.game.start().clone()).chain(self.game.positions());
        before.zip(self.game.moves().iter().copied())
    }

    /// The same by what positions are known by.
    pub fn to_said(&self) -> Moves {
        let moves = self.moves().map(|(position, uci)| (PositionKey::of(&position), uci));
        Moves { moves: moves.collect(), end: PositionKey::of(self.end()) }
    }

    /// So many of its moves in SAN with numbers; the root's name where there is none.
    pub fn name_of(&self, plies: usize) -> String {
        match numbered_line(self.game.start(), self.game.moves().get(..plies).unwrap_or_default()) {
            line if line.is_empty() => "the root".to_owned(),
            line => line,
        }
    }

    /// The whole of it in SAN with numbers.
    pub fn name(&self) -> String {
        self.name_of(self.game.moves().len())
    }
}
