//! Replies with a large enough share of games, but too few games.

use shakmaty::Chess;
use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;

use deepanalyze_core::tree::{Growth, NodeId};

use super::played::describe_share;
use crate::words::figures::count;
use crate::words::{after, numbered_line, numbered_move};

/// Moves of fewer games are left out: any move of a position with few games has a large share.
const TOLD_FROM: u64 = 3;
/// Greatest number of names.
const NAMED: usize = 3;

/// A reply that a rule does not follow only because of its number of games, and that the tree does
/// not have.
#[derive(Debug, Clone, Copy, PartialEq)]
struct LeftOut {
    node: NodeId,
    uci: UciMove,
    games: u64,
    /// 0 to 1.
    share: f64,
}

/// The ones of a tree, the most played first.
fn left_out(growth: &Growth) -> Vec<LeftOut> {
    let (graph, counts) = (growth.graph(), growth.counts());
    let Some(rules) = counts.rules else { return Vec::new() };
    let mut found = Vec::new();
    for key in counts.positions() {
        let Some(node) = growth.find(key).filter(|node| graph.is_analysed(*node)) else { continue };
        let Some((rule, counts)) = rules.of(graph.turn(node)).zip(counts.get(key)) else {
            continue;
        };
        let is_there = |uci: UciMove| {
            let packed = PackedUciMove::pack(uci);
            let is_excluded = graph.excluded(node).contains(&packed);
            is_excluded || graph.moves(node).iter().any(|edge| edge.uci == packed)
        };
        let few = counts.iter().filter(|(uci, games)| {
            *games >= TOLD_FROM && rule.lacks_games(*games, counts.games()) && !is_there(*uci)
        });
        let share = |uci| counts.share(uci).unwrap_or_default();
        found.extend(few.map(|(uci, games)| LeftOut { node, uci, games, share: share(uci) }));
    }
    found.sort_by(|a, b| {
        let tie = || a.node.cmp(&b.node).then_with(|| a.uci.to_string().cmp(&b.uci.to_string()));
        b.games.cmp(&a.games).then_with(tie)
    });
    found
}

/// Describes the replies that the rules leave out for too few games, the most played first; `None`
/// if there are none.
pub fn describe_left_out(root: &Chess, growth: &Growth) -> Option<String> {
    let all = left_out(growth);
    let named = all.iter().take(NAMED).map(|LeftOut { node, uci, games, share }| {
        let line = growth.first_line(*node);
        let name = numbered_move(&after(root, &line), *uci);
        let place = match &line[..] {
            [] => String::new(),
            line => format!(" after {}", numbered_line(root, line)),
        };
        format!("{name}{place} ({}, {})", count(*games, "game"), describe_share(*share))
    });
    let named = named.collect::<Vec<_>>().join("; ");
    let more = if all.len() > NAMED { "; …" } else { "" };
    let moves = count(all.len() as u64, "move");
    (!all.is_empty())
        .then(|| format!("{moves} with the share, but in too few games: {named}{more}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::testing::{LISTS, before_the_bishop, counted, grown};
    use deepanalyze_core::tree::{PlayedRules, Wishes};

    fn told(black: &str, games: &[(&str, u64)]) -> Option<String> {
        let game = before_the_bishop();
        let rules = PlayedRules { white: None, black: Some(black.parse().unwrap()) };
        let counts = counted(&game, rules, &[("Bc4", games)]);
        describe_left_out(game.root(), &grown(&game, &LISTS, (counts, Wishes::new()), 2))
    }

    #[test]
    fn what_the_number_of_games_leaves_out_is_told() {
        let games = [("h7h6", 60), ("d7d6", 7), ("f7f6", 4), ("a7a6", 2), ("g7g6", 1)];
        let words = "2 moves with the share, but in too few games: 3... d6 after 3. Bc4 (7 games, 9%); \
            3... f6 after 3. Bc4 (4 games, 5%)";
        assert_eq!(told("5%/10", &games).as_deref(), Some(words));
        assert_eq!(told("5%/4", &games), None);
        assert_eq!(told("20%/10", &games), None, "its share is too small");
        assert_eq!(told("5%/99", &[("h7h6", 60)]), None, "the tree has it");
    }
}
