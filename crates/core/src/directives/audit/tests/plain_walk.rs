//! An audit against a plain walk, on small made-up trees of a pawn ending with many circles.

use std::collections::BTreeMap;

use proptest::prelude::*;
use shakmaty::{Chess, Color, Position};

use super::super::*;
use crate::chess::{DrawValue, Game, GivenValue, Score, legal_uci};
use crate::directives::Directive;
use crate::tree::{Breadth, NodeId, RankedMove, Selection};

const FEN: &str = "k7/p7/P7/8/8/p7/P7/K7 w - - 0 1";

/// Numbers determined by a seed and a count.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % end
    }
}

fn after(position: &Chess, uci: UciMove) -> Chess {
    position.clone().play(uci.to_move(position).unwrap()).unwrap()
}

/// The first moves of a position, by UCI text.
fn first_moves(position: &Chess) -> Vec<UciMove> {
    let mut moves = legal_uci(position);
    moves.sort_by_key(UciMove::to_string);
    moves.truncate(3);
    moves
}

/// A set of directives, and a tree that was grown with it.
fn made_up(seed: u64) -> (Directives, Growth) {
    let game = Game::from_start(FEN).unwrap();
    let (root, mut numbers) = (PositionKey::of(game.root()), Numbers(seed));
    let mut pool = BTreeMap::from([(root, game.root().clone())]);
    for _ in 0..6 {
        let next = pool
            .values()
            .flat_map(|position| first_moves(position).into_iter().map(|uci| after(position, uci)));
        let next: Vec<Chess> = next.collect();
        pool.extend(next.into_iter().map(|position| (PositionKey::of(&position), position)));
    }
    let mut set = Directives::default();
    for position in pool.values() {
        for uci in first_moves(position) {
            let directive = match numbers.below(10) {
                0..7 => Directive::Include(uci),
                7 => Directive::Exclude(uci),
                _ => continue,
            };
            _ = set.add(&root, position, directive);
        }
        match numbers.below(30) {
            0 => {
                _ = set.add(
                    &root,
                    position,
                    Directive::Value(GivenValue::Centipawns(numbers.below(60) as i32 - 30)),
                )
            }
            1 => _ = set.add(&root, position, Directive::Stop),
            _ => {}
        }
    }
    let breadth = Breadth { least: 1 + numbers.below(2) as u32, ..Breadth::from(20) };
    // A draw is worth nothing in half of them.
    let draw = DrawValue::new(numbers.below(2) as i64 * (numbers.below(60) as i64 - 30)).unwrap();
    let selection = Selection { draw, wishes: set.wishes(), ..breadth.into() };
    let mut growth = Growth::new(&game, selection);
    for position in pool.values().filter(|position| !position.is_game_over()) {
        if numbers.below(4) > 0 {
            let node = growth.node_of(position);
            let eval = |uci| (uci, Value::from(Score::Cp(numbers.below(60) as i32 - 30)));
            growth
                .admit(vec![(node, first_moves(position).into_iter().map(eval).collect())])
                .unwrap();
        }
    }
    (set, growth)
}

fn text(line: &[UciMove]) -> (usize, Vec<String>) {
    (line.len(), line.iter().map(UciMove::to_string).collect())
}

/// Each position's shortest line of included moves, the first by UCI text, found by repeating until
/// none gets shorter.
fn lines(growth: &Growth, set: &Directives) -> BTreeMap<PositionKey, Vec<UciMove>> {
    let root = PositionKey::of(&growth.position(growth.root()));
    let mut lines = BTreeMap::from([(root, Vec::new())]);
    loop {
        let before = lines.clone();
        for (key, line) in &before {
            let position = key.position();
            if is_end(growth, set, &position, key) {
                continue;
            }
            for uci in included(set, key) {
                let longer = [line.as_slice(), &[*uci]].concat();
                let next = PositionKey::of(&after(&position, *uci));
                let known = lines.entry(next).or_insert_with(|| longer.clone());
                if text(&longer) < text(known) {
                    *known = longer;
                }
            }
        }
        if lines == before {
            return lines;
        }
    }
}

type Found = (FindingKind, Vec<UciMove>, Option<UciMove>, Option<i32>);

/// Findings at the end of a line.
fn at(growth: &Growth, set: &Directives, side: Color, line: &[UciMove], most: i32) -> Vec<Found> {
    let root = growth.position(growth.root());
    let (mut position, mut keys) = (root.clone(), vec![PositionKey::of(&root)]);
    for uci in line {
        position = after(&position, *uci);
        keys.push(PositionKey::of(&position));
    }
    let key = PositionKey::of(&position);
    if is_end(growth, set, &position, &key) {
        return Vec::new();
    }
    let graph = growth.graph();
    let Some(node) = growth.find(&key).filter(|node| graph.is_analysed(*node)) else {
        return vec![(FindingKind::Unreached, line.to_vec(), None, None)];
    };
    let mut paths = PathValues::new(graph, growth.values());
    let nodes: Vec<NodeId> = keys.iter().filter_map(|key| growth.find(key)).collect();
    let path = nodes.iter().fold(None, |path, node| paths.extend(path, *node));
    let mut alpha = |index: usize| paths.alpha(&graph.moves(node)[index], path);
    let mut moves: Vec<RankedMove> = (0..graph.moves(node).len())
        .map(|index| RankedMove { index, alpha: alpha(index) })
        .collect();
    moves.sort_by_key(|m| (-i32::from(m.alpha.get()), m.index));
    let best = i32::from(moves[0].alpha.get());
    let facts = moves.iter().enumerate().map(|(place, m)| {
        let uci = graph.moves(node)[m.index].uci.unpack();
        let child = after(&position, uci);
        let child_key = PositionKey::of(&child);
        let is_prepared = !included(set, &child_key).is_empty();
        let is_end = is_end(growth, set, &child, &child_key);
        (place, uci, i32::from(m.alpha.get()), is_prepared, is_end)
    });
    let facts: Vec<_> = facts.collect();
    if position.turn() == side {
        let own = facts.iter().filter(|(_, uci, ..)| included(set, &key).contains(uci));
        let losing = own.filter(|(.., alpha, _, _)| best - alpha > most);
        let found = losing.map(|(_, uci, alpha, ..)| {
            (FindingKind::Loss, line.to_vec(), Some(*uci), Some(best - alpha))
        });
        return found.collect();
    }
    let prepared = facts.iter().filter(|(.., is_prepared, is_end)| *is_prepared && !is_end);
    let strongest = prepared.map(|(_, _, alpha, ..)| *alpha).max();
    let least = growth.breadth().least as usize;
    let missing = facts.iter().filter(|(place, _, alpha, is_prepared, is_end)| {
        !is_prepared && !is_end && (*place < least || *alpha > best - 20)
    });
    let found = missing.map(|(_, uci, alpha, ..)| {
        let cost = strongest.map(|strongest| alpha - strongest);
        (FindingKind::Unprepared, line.to_vec(), Some(*uci), cost)
    });
    found.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn an_audit_finds_what_a_plain_walk_finds(seed: u64, is_white: bool, most_lost in 0..30_u32) {
        let (side, (set, growth)) = (Color::from_white(is_white), made_up(seed));
        let audit = audit(&growth, &set, side, most_lost);
        let lines = lines(&growth, &set);
        prop_assert_eq!(audit.positions, lines.len());
        let mut expected: Vec<Found> = lines
            .values()
            .flat_map(|line| at(&growth, &set, side, line, most_lost as i32))
            .collect();
        // The strongest moves of a position are the first already.
        let order = |(_, line, _, cost): &Found| (Reverse(*cost), text(line));
        expected.sort_by_key(order);
        let found: Vec<Found> = audit
            .findings
            .iter()
            .map(|f| (f.kind, f.line.clone(), f.uci, f.cost))
            .collect();
        prop_assert_eq!(&found, &expected);
        let count = |kind| found.iter().filter(|found| found.0 == kind).count();
        let counts = (audit.losing, audit.unprepared, audit.unreached);
        let kinds = [FindingKind::Loss, FindingKind::Unprepared, FindingKind::Unreached];
        prop_assert_eq!(counts, kinds.map(count).into());
        prop_assert!(audit.priced_moves <= audit.own_moves && audit.unprepared <= audit.replies);
    }
}

#[test]
fn made_up_trees_have_something_of_everything() {
    let audits = (0..200).map(|seed| {
        let (set, growth) = made_up(seed);
        audit(&growth, &set, Color::White, 0)
    });
    let audits: Vec<Audit> = audits.collect();
    let sum = |of: fn(&Audit) -> usize| audits.iter().map(of).sum::<usize>();
    let sums = [
        sum(|audit| audit.losing),
        sum(|audit| audit.unprepared),
        sum(|audit| audit.replies - audit.unprepared),
        sum(|audit| audit.unreached),
        sum(|audit| audit.ends),
        sum(|audit| audit.own_moves - audit.priced_moves),
        sum(|audit| audit.several),
    ];
    assert!(sums.iter().all(|sum| *sum > 20), "{sums:?}");
}
