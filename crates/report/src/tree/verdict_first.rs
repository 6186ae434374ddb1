//! A repertoire that begins with the verdict's move, if that is not the tree's best.

use shakmaty::uci::UciMove;

use deepanalyze_core::tree::{Growth, Layout, Place, places};

use deepanalyze_view::{ChosenBy, StoredTree};

/// The root's move that a closing search has chosen, for a repertoire of its side; `None` if the
/// user has included moves there: those are the choice.
pub fn chosen_by_closing(tree: &StoredTree, layout: Layout) -> Option<UciMove> {
    let (graph, root) = (tree.growth.graph(), tree.growth.root());
    let is_own = layout.side == Some(graph.turn(root)) && graph.included(root).is_empty();
    let told =
        tree.verdict().filter(|told| is_own && told.by == ChosenBy::Closing && !told.agree());
    told.map(|told| told.best())
}

/// The places of a repertoire with this first move at the root; `None` if it does not count there.
pub fn places_behind(growth: &Growth, layout: Layout, first: UciMove) -> Option<Vec<Place>> {
    let (graph, values, root) = (growth.graph(), growth.values(), growth.root());
    let lay_out = |line: &[_], layout| places(graph, values, line, growth.breadth(), layout);
    let alone = Layout { plies: Some(1), side: None, moves: None, ..layout };
    let mut place = lay_out(&[root], alone).into_iter().next()?;
    place.moves.retain(|m| m.edge.uci.unpack() == first);
    place.aside.clear();
    let own = place.moves.first_mut()?;
    let rest = layout.plies.map(|plies| plies.saturating_sub(1));
    let mut behind = if own.repetition {
        Vec::new()
    } else {
        lay_out(&[root, own.edge.child], Layout { plies: rest, ..layout })
    };
    own.place = (!behind.is_empty()).then_some(1);
    for below in &mut behind {
        // They follow the root's.
        below.parent = Some(below.parent.map_or((0, 0), |(parent, m)| (parent + 1, m)));
        below.moves.iter_mut().for_each(|m| m.place = m.place.map(|place| place + 1));
    }
    Some([place].into_iter().chain(behind).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::tree::{Lists, grown_of};
    use shakmaty::Color;

    const LISTS: &Lists<'_> = &[
        ("", &[("e2e4", 30), ("d2d4", 20)]),
        ("e4", &[("e7e5", -30)]),
        ("d4", &[("d7d5", -20), ("g8f6", -21)]),
        ("d4 d5", &[("c2c4", 20), ("g1f3", 10)]),
        ("d4 Nf6", &[("c2c4", 21)]),
    ];

    fn printed(first: &str, plies: Option<u32>) -> Option<Vec<String>> {
        let game = Game::from_start("startpos").unwrap();
        let growth = grown_of(&game, 10, LISTS);
        let layout = Layout { plies, side: Some(Color::White), ..Layout::default() };
        let places = places_behind(&growth, layout, first.parse().unwrap())?;
        let words = places.iter().map(|place| {
            let before = place.parent.map(|(parent, m)| {
                let m = &places[parent].moves[m];
                assert_eq!(m.edge.child, place.node);
                m.edge.uci.unpack().to_string()
            });
            let moves = place.moves.iter().map(|m| m.edge.uci.unpack().to_string());
            format!("{}: {}", before.unwrap_or_default(), moves.collect::<Vec<_>>().join(" "))
        });
        Some(words.collect())
    }

    #[test]
    fn the_verdicts_move_comes_first_with_its_sequel() {
        let all = [": d2d4", "d2d4: d7d5 g8f6", "d7d5: c2c4", "g8f6: c2c4"];
        assert_eq!(printed("d2d4", None).unwrap(), all);
        assert_eq!(printed("d2d4", Some(2)).unwrap(), all[..2]);
        assert_eq!(printed("d2d4", Some(1)).unwrap(), all[..1]);
        assert_eq!(printed("a2a3", None), None);
    }
}
