//! The chance that a game reaches a position, if a side plays its repertoire.

use deepanalyze_core::tree::{Growth, NodeId};
use hashbrown::HashMap;
use shakmaty::Color;

use deepanalyze_core::chess::PositionKey;

use crate::repertoire::counting;

/// Walks end this many plies behind the settled depth: included moves cost none.
const MORE_PLIES: u32 = 100;

/// The chance, by node, that a game from the root reaches each position, if a side plays its
/// included moves (in equal parts) or its best one, and the other side plays as counted; if the
/// tree has no games, all replies that the tree continues are equally likely. Unlike the reach of
/// [`People`](deepanalyze_view::People), whose own moves are those that score most against people,
/// it follows the moves that a repertoire teaches.
pub fn reach(growth: &Growth, side: Color) -> Vec<f64> {
    let mut reach = vec![0.0; growth.graph().len()];
    let mut ply: HashMap<NodeId, f64> = [(growth.root(), 1.0)].into_iter().collect();
    for _ in 0..=growth.depth().saturating_add(MORE_PLIES) {
        let mut next: HashMap<NodeId, f64> = HashMap::new();
        for (node, part) in std::mem::take(&mut ply) {
            reach.get_mut(node.index()).into_iter().for_each(|sum| *sum += part);
            for (child, share) in shares(growth, node, side) {
                *next.entry(child).or_default() += part * share;
            }
        }
        ply = next;
        if ply.is_empty() {
            break;
        }
    }
    reach
}

/// The continuations of a position, with their chances.
fn shares(growth: &Growth, node: NodeId, side: Color) -> Vec<(NodeId, f64)> {
    let graph = growth.graph();
    if !graph.is_analysed(node) {
        return Vec::new();
    }
    let all = counting(growth, node);
    if graph.turn(node) == side {
        return equally(chosen(growth, node));
    }
    let counts = growth.counts();
    if counts.rules.is_none() {
        let goes_on = |child: NodeId| graph.is_analysed(child) || graph.end(child).is_some();
        return equally(all.iter().map(|m| m.child).filter(|child| goes_on(*child)).collect());
    }
    let known = counts.get(&PositionKey::of(&growth.position(node)));
    let share = |uci| known.and_then(|counts| counts.share(uci)).filter(|share| *share > 0.0);
    all.iter().filter_map(|m| Some((m.child, share(m.uci)?))).collect()
}

/// The side's own choice: the included moves, or the best one by idea.
fn chosen(growth: &Growth, node: NodeId) -> Vec<NodeId> {
    let graph = growth.graph();
    let included: Vec<NodeId> = graph.included(node).iter().map(|m| m.child).collect();
    match included.is_empty() {
        true => counting(growth, node).first().map(|best| best.child).into_iter().collect(),
        false => included,
    }
}

fn equally(nodes: Vec<NodeId>) -> Vec<(NodeId, f64)> {
    #[expect(clippy::cast_precision_loss, reason = "a position has at most 218 moves")]
    let share = 1.0 / nodes.len().max(1) as f64;
    nodes.into_iter().map(|node| (node, share)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::tree::{
        Breadth, CountFacts, Lists, MoveCounts, PlayedRules, Selection, grown_of,
    };

    const LISTS: &Lists<'_> = &[
        ("", &[("e2e4", 30), ("d2d4", 20)]),
        ("e4", &[("e7e5", -30), ("c7c5", -31), ("a7a6", -90)]),
        ("e4 e5", &[("g1f3", 31)]),
        ("e4 c5", &[("g1f3", 31)]),
    ];

    fn reached(selection: Selection, counts: &[(&str, u64)]) -> Vec<(&'static str, f64)> {
        let game = Game::from_start("startpos").unwrap();
        let mut growth = grown_of(&game, selection, LISTS);
        let key = |line: &str| {
            let mut game = game.clone();
            game.play_line(line).unwrap();
            PositionKey::of(game.root())
        };
        let counts = counts.iter().map(|(uci, games)| (uci.parse().unwrap(), *games));
        growth.learn_counts([(key("e4"), MoveCounts::new(counts))]);
        let reach = reach(&growth, Color::White);
        let lines = ["", "e4", "e4 e5", "e4 c5", "d4"];
        let of = |line: &'static str| (line, reach[growth.find(&key(line)).unwrap().index()]);
        lines.map(of).to_vec()
    }

    #[test]
    fn without_games_followed_replies_are_equally_likely() {
        let reached = reached(Breadth::from(10).into(), &[]);
        assert_eq!(reached, [("", 1.0), ("e4", 1.0), ("e4 e5", 0.5), ("e4 c5", 0.5), ("d4", 0.0)]);
    }

    #[test]
    fn with_games_replies_are_as_likely_as_played() {
        let counts = CountFacts::new(PlayedRules::default());
        let selection = Selection { counts, ..Breadth::from(10).into() };
        let reached = reached(selection, &[("c7c5", 3), ("a7a6", 1)]);
        assert_eq!(reached, [("", 1.0), ("e4", 1.0), ("e4 e5", 0.0), ("e4 c5", 0.75), ("d4", 0.0)]);
    }
}
