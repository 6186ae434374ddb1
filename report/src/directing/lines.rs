//! A LINE: moves from the root to what a directive is about.

use std::collections::VecDeque;

use hashbrown::HashMap;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Game, PositionKey, epd_of, legal_uci, san_of};
use deepanalyze_core::directives::{Directives, Moves};
use deepanalyze_core::tree::Growth;

use crate::directing::DirectError;
use crate::words::moves::{after, name_of_line};

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
        name_of_line(self.game.start(), self.game.moves().get(..plies).unwrap_or_default())
    }

    /// The whole of it in SAN with numbers.
    pub fn name(&self) -> String {
        self.name_of(self.game.moves().len())
    }
}

/// So many plies from the root every move is tried.
const EVERY_MOVE: usize = 3;
/// The most positions that are looked at.
const MOST: usize = 200_000;

/// Lines from a root to positions.
#[derive(Debug, Default)]
pub struct Lines {
    lines: HashMap<PositionKey, Vec<UciMove>>,
}

impl Lines {
    /// A line to each position of which a set says something, as far as one is found: the shortest one in the
    /// tree, if that has the position; else along moves of which something is said, and near the root along any.
    pub fn of(root: &Chess, set: &Directives, growth: Option<&Growth>) -> Lines {
        let mut lines = Lines::default();
        let mut open = VecDeque::from([(root.clone(), Vec::new())]);
        lines.lines.insert(PositionKey::of(root), Vec::new());
        for (key, _) in set.positions() {
            let Some(line) = growth.and_then(|growth| line_in_tree(growth, key)) else {
                continue;
            };
            open.push_back((after(root, &line), line.clone()));
            lines.lines.insert(*key, line);
        }
        let is_wanted = |lines: &Lines| set.positions().any(|(key, _)| lines.to(key).is_none());
        if is_wanted(&lines) {
            lines.search(open, set);
        }
        lines
    }

    /// The line to a position.
    pub fn to(&self, key: &PositionKey) -> Option<&[UciMove]> {
        self.lines.get(key).map(Vec::as_slice)
    }

    /// A position, or a move there, by the numbered line from the root; by its EPD where no line is found.
    pub fn describe(&self, root: &Chess, key: &PositionKey, uci: Option<UciMove>) -> String {
        let position = key.position();
        match (self.to(key), uci) {
            (Some(line), uci) => {
                name_of_line(root, &line.iter().copied().chain(uci).collect::<Vec<_>>())
            }
            (None, Some(uci)) => format!("{} in {}", san_of(&position, uci), epd_of(&position)),
            (None, None) => epd_of(&position),
        }
    }

    fn search(&mut self, mut open: VecDeque<(Chess, Vec<UciMove>)>, set: &Directives) {
        while let Some((position, line)) = open.pop_front() {
            for uci in moves(&position, line.len(), set) {
                let child = after(&position, [&uci]);
                let key = PositionKey::of(&child);
                if self.lines.len() >= MOST || self.lines.contains_key(&key) {
                    continue;
                }
                let line = [&line[..], &[uci]].concat();
                self.lines.insert(key, line.clone());
                open.push_back((child, line));
            }
        }
    }
}

/// The shortest line to a position, where a tree has one.
pub fn line_in_tree(growth: &Growth, key: &PositionKey) -> Option<Vec<UciMove>> {
    let node = growth.find(key)?;
    (growth.ply(node) < u32::MAX).then(|| growth.first_line(node))
}

/// The moves that are tried in a position: those of which something is said first.
fn moves(position: &Chess, ply: usize, set: &Directives) -> Vec<UciMove> {
    let said = set.at(&PositionKey::of(position));
    let mut moves: Vec<UciMove> =
        said.map(|said| [&said.include[..], &said.exclude].concat()).unwrap_or_default();
    if ply < EVERY_MOVE && !position.is_game_over() {
        moves.extend(legal_uci(position));
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::directives::Directive;

    fn game(line: &str) -> Game {
        let mut game = Game::from_position(Chess::default());
        game.play_line(line).unwrap();
        game
    }

    #[test]
    fn a_position_is_found_behind_moves_of_which_something_is_said() {
        let root = PositionKey::of(&Chess::default());
        let mut set = Directives::default();
        let far = game("e4 e5 Nf3 Nc6 Bb5 a6");
        let positions = std::iter::once(Chess::default()).chain(far.positions());
        for (position, uci) in positions.zip(far.moves()) {
            set.add(&root, &position, Directive::Include(*uci)).unwrap();
        }
        set.add(&root, far.root(), Directive::Stop).unwrap();
        let near = game("d4 e5 dxe5");
        set.add(&root, near.root(), Directive::Value(10)).unwrap();
        let hidden = game("d4 e5 dxe5 f6 Nc3");
        set.add(&root, hidden.root(), Directive::Value(10)).unwrap();
        let lines = Lines::of(&Chess::default(), &set, None);
        assert_eq!(lines.to(&root), Some(&[][..]));
        for game in [&far, &near] {
            assert_eq!(lines.to(&PositionKey::of(game.root())), Some(game.moves()));
        }
        assert_eq!(lines.to(&PositionKey::of(hidden.root())), None);
    }
}
