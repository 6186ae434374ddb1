//! One side's repertoire in a tree.

use shakmaty::Color;

use super::graph::{Graph, NodeId};
use super::places::{Aside, Child};

/// Keeps of a place's moves, the best one first, those of a side's repertoire: if it is to move,
/// the included ones, or else the best one; if the other side is, its candidates and the included
/// ones. Excluded moves are no part of it.
pub fn keep_side(
    graph: &Graph,
    node: NodeId,
    side: Color,
    moves: &mut Vec<Child>,
    aside: &mut Vec<Aside>,
) {
    aside.retain(|m| m.listed.is_none());
    if graph.turn(node) != side {
        moves.retain(|m| m.candidate || m.included);
    } else if graph.included(node).is_empty() {
        moves.truncate(1);
    } else {
        // A move that does not count yet is the choice, too.
        moves.retain(|m| m.included);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use shakmaty::{Chess, Color};

    use crate::chess::{Game, PositionKey, Score, Value};
    use crate::tree::{Breadth, Growth, Layout, Selection, Wish, Wishes, places};

    fn after(line: &str) -> Chess {
        let mut game = Game::from_position(Chess::default());
        game.play_line(line).unwrap();
        game.root().clone()
    }

    fn growth(wishes: &[(&str, Wish)], lists: &[(&str, &[(&str, i32)])]) -> Growth {
        let wishes =
            wishes.iter().map(|(line, wish)| (PositionKey::of(&after(line)), wish.clone()));
        let wishes: Wishes = wishes.collect();
        let selection = Selection { wishes: Arc::new(wishes), ..Breadth::from(10).into() };
        let mut growth = Growth::new(&Game::from_position(Chess::default()), selection);
        for (line, moves) in lists {
            let node = growth.node_of(&after(line));
            let value = |cp| Value::from(Score::Cp(cp));
            let moves = moves.iter().map(|(uci, cp)| (uci.parse().unwrap(), value(*cp)));
            growth.admit(vec![(node, moves.collect())]).unwrap();
        }
        growth
    }

    /// The moves of each place, those that do not count in brackets.
    fn printed(growth: &Growth, side: Color) -> Vec<String> {
        let layout = Layout { side: Some(side), ..Layout::default() };
        let line = [growth.root()];
        let places = places(growth.graph(), growth.values(), &line, growth.breadth(), layout);
        let words = places.iter().map(|place| {
            let moves = place.moves.iter().map(|m| m.edge.uci.unpack().to_string());
            let aside = place.aside.iter().map(|m| format!("({})", m.uci.unpack()));
            moves.chain(aside).collect::<Vec<String>>().join(" ")
        });
        words.collect()
    }

    fn wish(include: &[&str], exclude: &[&str]) -> Wish {
        let moves = |words: &[&str]| words.iter().map(|uci| uci.parse().unwrap()).collect();
        Wish { include: moves(include), exclude: moves(exclude), ..Wish::default() }
    }

    #[test]
    fn one_side_has_choices_and_the_other_candidates() {
        let wishes = [
            ("", wish(&["d2d4"], &["c2c4"])),
            ("d4", wish(&["f7f5"], &["g7g6"])),
            ("d4 d5", wish(&["c1f4", "a2a3"], &[])),
        ];
        let lists: [(&str, &[(&str, i32)]); 5] = [
            ("", &[("e2e4", 30), ("d2d4", 20), ("c2c4", 10)]),
            ("d4", &[("d7d5", -20), ("g8f6", -22), ("e7e6", -40), ("f7f5", -60), ("g7g6", -70)]),
            ("d4 d5", &[("c2c4", 20), ("c1f4", 12)]),
            ("d4 Nf6", &[("c2c4", 22), ("g1f3", 21)]),
            ("d4 f5", &[("g2g3", 60), ("c2c4", 55)]),
        ];
        let growth = growth(&wishes, &lists);
        let white = ["d2d4", "d7d5 g8f6 f7f5", "c1f4 (a2a3)", "c2c4", "g2g3"];
        assert_eq!(printed(&growth, Color::White), white);
        let black = ["e2e4 d2d4", "f7f5", "g2g3 c2c4"];
        assert_eq!(printed(&growth, Color::Black), black);
    }
}
