//! Coverage of people's games by a tree, move by move; replies with a large enough share of games,
//! but too few games.

use std::num::NonZeroU32;

use serde::Serialize;
use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::tree::{Growth, MoveCount, NodeId};

use crate::words::figures::count;
use crate::words::{after, numbered_line, numbered_move};

use super::People;
use super::words::{describe_share, rounded};

/// The chance that a game is still in the tree behind the other side's move of a number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct MoveCoverage {
    /// The move's number.
    #[serde(rename = "move")]
    pub number: u32,
    /// 0 to 1.
    #[serde(serialize_with = "six_digits")]
    #[cfg_attr(feature = "contract", schemars(with = "f64"))]
    pub stays: f64,
}

fn six_digits<S: serde::Serializer>(stays: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*stays))
}

impl People<'_> {
    /// The chance that a game is still in the tree behind each move of the other side, before the
    /// tree ends.
    pub fn coverage_by_move(&self, root: &Chess) -> Vec<MoveCoverage> {
        let first = u32::from(root.turn() == self.asked().side);
        let plies = (first..self.plies_inside()).step_by(2).map(|ply| ply + 1);
        let of = |plies| MoveCoverage {
            number: last_move(root, plies),
            stays: self.coverage_for(plies),
        };
        plies.map(of).collect()
    }
}

/// The move to which at least half of the games stay in the tree, and the share one move further:
/// `59 of 100 games stay to move 6, 46 to move 7`. `None` if there is no move.
pub fn describe_coverage(by_move: &[MoveCoverage]) -> Option<String> {
    let stay = by_move.iter().take_while(|at| at.stays >= 0.5).count();
    let last = by_move.get(stay.saturating_sub(1))?;
    let number = last.number;
    let words = match part_of_games(last.stays) {
        Part::All => format!("all games stay to move {number}"),
        Part::Some(part) => format!("{part} games stay to move {number}"),
        Part::None => format!("hardly a game stays to move {number}"),
    };
    let next = by_move.get(stay).filter(|_| stay > 0);
    Some(next.map_or(words.clone(), |next| {
        // From 0 to 100.
        let percent = (100.0 * next.stays).round() as u32;
        format!("{words}, {percent} to move {}", next.number)
    }))
}

/// The number of the last move within these plies behind a root.
fn last_move(root: &Chess, plies: u32) -> u32 {
    let number = NonZeroU32::get(root.fullmoves());
    let begun = u32::from(root.turn() == Color::Black);
    number.saturating_add(plies.saturating_add(begun).saturating_sub(1) / 2)
}

/// A part of many games.
pub enum Part {
    /// All, or nearly.
    All,
    /// `97 of 100`.
    Some(String),
    /// Fewer than one in two hundred.
    None,
}

/// A part from 0 to 1 in words, of 100 games.
pub fn part_of_games(part: f64) -> Part {
    // From 0 to 100.
    let percent = (100.0 * part).round() as u32;
    match percent {
        0 => Part::None,
        100.. if part < 1.0 - 1e-9 => Part::Some("more than 99 of 100".to_owned()),
        100.. => Part::All,
        percent => Part::Some(format!("{percent} of 100")),
    }
}

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
        let few = counts
            .iter()
            .filter(|m| m.games >= TOLD_FROM && rule.lacks_games(counts, m) && !is_there(m.uci));
        let share = |uci| counts.share(uci).unwrap_or_default();
        found.extend(few.map(|MoveCount { uci, games, .. }| LeftOut {
            node,
            uci,
            games,
            share: share(uci),
        }));
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
    use deepanalyze_core::tree::{PlayedRules, Wishes};

    use crate::words::after;

    use super::super::testing::{LISTS, before_the_bishop, counted, grown};
    use super::*;

    #[test]
    fn half_of_the_games_and_one_move_more_are_told() {
        let told = |stays: &[f64]| {
            let by_move: Vec<MoveCoverage> = (2..)
                .zip(stays)
                .map(|(number, stays)| MoveCoverage { number, stays: *stays })
                .collect();
            describe_coverage(&by_move).unwrap_or_default()
        };
        let caro = [0.97, 0.93, 0.91, 0.81, 0.592, 0.458, 0.3];
        assert_eq!(told(&caro), "59 of 100 games stay to move 6, 46 to move 7");
        assert_eq!(told(&[1.0, 0.999, 0.9]), "90 of 100 games stay to move 4");
        assert_eq!(told(&[1.0, 0.999]), "more than 99 of 100 games stay to move 3");
        assert_eq!(told(&[1.0, 1.0]), "all games stay to move 3");
        assert_eq!(told(&[0.3, 0.2]), "30 of 100 games stay to move 2");
        assert_eq!(told(&[0.001]), "hardly a game stays to move 2");
        assert_eq!(told(&[]), "");
    }

    #[test]
    fn the_last_move_is_that_of_the_last_ply() {
        let after_e4 = after(&Chess::default(), [&"e2e4".parse().unwrap()]);
        let last = |root: &Chess, plies| last_move(root, plies);
        assert_eq!([1, 2, 3, 4].map(|plies| last(&Chess::default(), plies)), [1, 1, 2, 2]);
        assert_eq!([1, 2, 3].map(|plies| last(&after_e4, plies)), [1, 2, 2]);
    }

    fn told(black: &str, games: &[(&str, u64)]) -> Option<String> {
        let game = before_the_bishop();
        let rules = PlayedRules { white: None, black: Some(black.parse().unwrap()) };
        let counts = counted(&game, rules, &[("Bc4", games)]);
        describe_left_out(game.root(), &grown(&game, &LISTS, counts, Wishes::new(), 2))
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
