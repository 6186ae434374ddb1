//! Runs without closing searches unless requested: their aim is more than the root's best move.

use deepanalyze_core::chess::{Game, PositionKey};
use deepanalyze_core::directives::Directives;
use deepanalyze_view::LinesToPositions;
use shakmaty::{Color, Position};

use crate::job::TreePlan;

/// A tree's aim besides the best move of its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreparedFor {
    /// A repertoire: moves are included at the root or behind it.
    Repertoire,
    /// The opponent's moves: at the root the side is to move whose moves are played, or that has
    /// the wider distance.
    Opponent,
}

impl PreparedFor {
    /// The aim of a root's tree under these directives; `None` if it is the root's best move.
    pub fn of(game: &Game, tree: &TreePlan, said: &Directives) -> Option<PreparedFor> {
        if is_repertoire(game, said) {
            return Some(PreparedFor::Repertoire);
        }
        (tree.opponent() == Some(game.root().turn())).then_some(PreparedFor::Opponent)
    }
}

/// True if moves are included at a root or behind it. Positions that the game has left do not
/// count.
fn is_repertoire(game: &Game, said: &Directives) -> bool {
    let includes = |key: &PositionKey| said.at(key).is_some_and(|said| !said.include.is_empty());
    if includes(&PositionKey::of(game.root())) {
        return true;
    }
    let mut all = said.positions().map(|(key, _)| key).filter(|key| includes(key)).peekable();
    if all.peek().is_none() {
        return false;
    }
    let lines = LinesToPositions::of(game.root(), said, None);
    all.any(|key| lines.to(key).is_some())
}

impl TreePlan {
    /// The side whose moves the tree is to answer: the one whose moves are played, if the other's
    /// are not; else the one of the wider distance. `None` if both sides are alike.
    pub fn opponent(&self) -> Option<Color> {
        let rules = self.games.as_ref().map(|used| used.rules).unwrap_or_default();
        match (rules.white.is_some(), rules.black.is_some()) {
            (true, false) => Some(Color::White),
            (false, true) => Some(Color::Black),
            _ => self.breadth.wider(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::directives::Directive;
    use deepanalyze_core::tree::{Breadth, Widths};

    fn game(line: &str) -> Game {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(line).unwrap();
        game
    }

    fn breadth(white: &str, black: &str) -> TreePlan {
        let widths = |text: &str| text.parse::<Widths>().unwrap();
        Breadth { white: widths(white), black: widths(black), least: 1 }.into()
    }

    fn included(line: &str) -> Directives {
        let (mut set, line) = (Directives::default(), game(line));
        let before = std::iter::once(line.start().clone()).chain(line.positions());
        for (position, uci) in before.zip(line.moves()) {
            set.put(PositionKey::of(&position), Directive::Include(*uci));
        }
        set
    }

    fn of(root: &str, tree: &TreePlan, set: &Directives) -> Option<PreparedFor> {
        PreparedFor::of(&game(root), tree, set)
    }

    #[test]
    fn the_wider_distance_is_the_opponents() {
        let none = Directives::default();
        for (white, black, opponent) in [
            ("30+", "0+", Some(Color::White)),
            ("20", "20", None),
            ("20", "0+", Some(Color::White)),
            ("20,10", "20,10,0", Some(Color::White)),
            ("20", "20+", Some(Color::Black)),
        ] {
            let tree = breadth(white, black);
            assert_eq!(tree.opponent(), opponent, "{white} {black}");
            let white_is = (opponent == Some(Color::White)).then_some(PreparedFor::Opponent);
            let black_is = (opponent == Some(Color::Black)).then_some(PreparedFor::Opponent);
            assert_eq!(
                (of("e4 c6", &tree, &none), of("e4", &tree, &none)),
                (white_is, black_is),
                "{white} {black}"
            );
        }
    }

    #[test]
    fn included_moves_at_or_behind_the_root_count() {
        let (tree, set) = (breadth("20", "20"), included("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6"));
        let repertoire = Some(PreparedFor::Repertoire);
        assert_eq!(of("", &tree, &set), repertoire);
        assert_eq!(of("e4 e5 Nf3", &tree, &set), repertoire);
        // One move before it joins it.
        let mut behind = included("e4 e5 Nf3");
        behind.undo_move(&PositionKey::of(game("").root()), "e2e4".parse().unwrap());
        assert_eq!(of("", &tree, &behind), repertoire);
        assert_eq!(of("d4 d5 c4", &tree, &set), None, "the game has left it");
        assert_eq!(of("", &tree, &Directives::default()), None);
    }
}
