//! Moves found by closing searches at a root: its tree follows them from then on.

use shakmaty::Position;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, Value};
use deepanalyze_core::tree::is_within;
use deepanalyze_store::{AnalysisRow, Store, StoreError};

use crate::closing::Closing;

/// The moves that a tree is to follow at its root, by their UCI text: the ones it follows already,
/// and those found by closing searches of its root under the present directives: all finished ones,
/// and the one of the most nodes.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn found_at_root(
    store: &Store,
    row: &AnalysisRow,
    game: &Game,
) -> Result<Vec<UciMove>, StoreError> {
    let rows = store.present_closings(row.id)?;
    let kept = rows.iter().filter_map(|row| Closing::of_row(game.root(), row));
    let mut kept: Vec<Closing> = kept.collect();
    let most = kept.iter().map(|closing| closing.nodes).max();
    kept.retain(|closing| closing.is_done || Some(closing.nodes) == most);
    let mut found = found_moves(&kept, row.settings.breadth.distance(game.root().turn(), 0));
    found.extend(&row.found);
    found.sort_by_key(ToString::to_string);
    found.dedup();
    Ok(found)
}

/// Moves found by closing searches: each one's best move, the second engine's, and the others whose
/// score is within the distance of the best one's.
pub fn found_moves(closings: &[Closing], distance: u32) -> Vec<UciMove> {
    let found = closings.iter().flat_map(|Closing { best, others, second, .. }| {
        let near = move |score| is_within(Value::from(score), Value::from(best.score), distance);
        let others = others.iter().filter(move |other| near(other.score));
        let second = second.iter().map(|second| &second.best);
        std::iter::once(best).chain(second).chain(others).map(|chosen| chosen.named.uci)
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::closing::{ClosingAsked, ClosingMove};
    use crate::json::NamedMove;
    use deepanalyze_core::chess::Score;
    use deepanalyze_core::search::Limit;
    use shakmaty::Chess;

    fn closing(moves: &[(&str, Score)]) -> Closing {
        let mut chosen: Vec<ClosingMove> = Vec::new();
        for (uci, score) in moves {
            let uci = uci.parse().unwrap();
            let named = NamedMove::of(&Chess::default(), uci);
            chosen.push(ClosingMove { named, score: *score, wdl: None, depth: 9, line: vec![uci] });
        }
        let (tree_limit, limit) = (Limit::Depth(5), Some(Limit::Nodes(100)));
        let asked = ClosingAsked { tree_limit, passes: 1, limit, engines: 4 };
        Closing {
            asked,
            best: chosen.remove(0),
            others: chosen,
            nodes: 400,
            is_done: true,
            second: None,
        }
    }

    fn found(closings: &[Closing]) -> Vec<String> {
        found_moves(closings, 20).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn closing_searches_find_moves_within_the_distance() {
        let cp = Score::Cp;
        let near =
            closing(&[("e2e4", cp(30)), ("d2d4", cp(35)), ("c2c4", cp(11)), ("a2a3", cp(10))]);
        let other = closing(&[("h2h4", cp(-50))]);
        assert_eq!(found(&[near, other]), ["e2e4", "d2d4", "c2c4", "h2h4"]);
        let mate = closing(&[("e2e4", Score::Mate(3)), ("d2d4", Score::Mate(4))]);
        assert_eq!(found(&[mate]), ["e2e4"], "beside a mate there is no distance");
        assert!(found(&[]).is_empty());
    }
}
