//! Claims about random trees, answered by the plainest code for docs/facts.md: positions are EPDs, and
//! every path is walked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use deepanalyze_core::chess::{
    DrawValue, Ending, Game, GivenValue, PositionKey, Value, epd_of, legal_uci,
};
use deepanalyze_core::claims::{Claim, EndBy, Judge};
use deepanalyze_core::tree::{Breadth, Growth, Selection, Wish, Wishes};
use proptest::prelude::*;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position, Role};

use super::cases;

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    fn of<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        (!from.is_empty()).then(|| &from[self.below(from.len())])
    }
}

/// Games with few moves in each position; positions come back within two moves of both sides.
const ROOTS: [(&str, &str); 5] = [
    ("8/8/8/8/8/k7/p7/K7 w - - 0 1", ""),
    ("k7/8/1K6/8/8/8/8/7R w - - 0 1", "Rh7 Kb8 Rh1 Ka8 Rh7 Kb8 Rh1 Ka8 Rh2 Kb8"),
    ("8/P6k/8/8/8/8/7p/K7 w - - 0 1", ""),
    ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", ""),
    ("k7/p7/P7/8/8/8/p7/K7 b - - 0 1", "Kb8 Kb2 Ka8 Ka1 Kb8 Kb2 Ka8 Ka1 Kb8"),
];

fn score(numbers: &mut Numbers) -> i32 {
    match numbers.below(12) {
        0 => 0,
        1 => 31_999 - numbers.below(8) as i32,
        2 => -(31_999 - numbers.below(8) as i32),
        _ => numbers.below(120) as i32 - 60,
    }
}

fn after(position: &Chess, uci: UciMove) -> Chess {
    let mut child = position.clone();
    child.play_unchecked(uci.to_move(position).unwrap());
    child
}

/// A tree grown from random answers under random directives.
fn grown(numbers: &mut Numbers) -> (Growth, Game) {
    let (root, history) = ROOTS[numbers.below(ROOTS.len())];
    let mut game = Game::from_start(root).unwrap();
    game.play_line(history).unwrap();
    let mut wishes = Wishes::new();
    if numbers.below(2) == 0 {
        for _ in 0..numbers.below(5) {
            let mut position = game.root().clone();
            for _ in 0..numbers.below(3) {
                let moves = legal_uci(&position);
                position =
                    numbers.of(&moves).map_or(position.clone(), |uci| after(&position, *uci));
            }
            direct(numbers, &mut wishes, &position, position == *game.root());
        }
    }
    let draw = [0, 0, 25, -40][numbers.below(4)];
    let breadth = Breadth::from([0, 10, 40, 90][numbers.below(4)]);
    let selection = Selection {
        draw: DrawValue::new(draw).unwrap(),
        wishes: Arc::new(wishes),
        ..breadth.into()
    };
    let (mut growth, depth) = (Growth::new(&game, selection), numbers.below(4) as u32);
    let mut answers: BTreeMap<String, Vec<(UciMove, i32)>> = BTreeMap::new();
    while growth.depth() <= depth && growth.analysed() < 40 {
        let mut services = growth.requests();
        for service in &mut services {
            let position = growth.position(service.node());
            let list = answers.entry(epd_of(&position)).or_insert_with(|| {
                let mut list: Vec<_> =
                    legal_uci(&position).into_iter().map(|uci| (uci, score(numbers))).collect();
                list.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
                list
            });
            while service.wants_search() {
                let (uci, score) = list[service.next_rank()];
                service.answer(uci, Value::new(score.into()).unwrap());
            }
        }
        growth.finish_pass(services).unwrap();
    }
    (growth, game)
}

fn direct(numbers: &mut Numbers, wishes: &mut Wishes, position: &Chess, is_root: bool) {
    let moves = legal_uci(position);
    let Some(uci) = numbers.of(&moves).copied() else { return };
    let wish: &mut Wish = wishes.entry(PositionKey::of(position)).or_default();
    match numbers.below(4) {
        0 if moves.len() > wish.exclude.len() + 1 && !wish.include.contains(&uci) => {
            wish.exclude.push(uci);
        }
        1 if !wish.exclude.contains(&uci) && !wish.include.contains(&uci) => wish.include.push(uci),
        2 if !is_root => wish.value = Some(GivenValue::Centipawns(numbers.below(90) as i32 - 45)),
        3 if !is_root => wish.stop = true,
        _ => {}
    }
    wish.exclude.dedup();
}

/// The plain reading of a tree: its lists by EPD, and the user's directives.
struct Plain {
    lists: BTreeMap<String, Vec<(UciMove, i32)>>,
    wishes: BTreeMap<String, Wish>,
    draw: i32,
    repeated: BTreeSet<String>,
    /// Values worked out so far: a walk may take too long.
    steps: usize,
}

const TOO_MANY: usize = 400_000;

fn step(value: i32) -> i32 {
    match value {
        v if v > 31_000 => -(v - 1),
        v if v < -31_000 => -(v + 1),
        v => -v,
    }
}

impl Plain {
    fn of(growth: &Growth, game: &Game) -> Plain {
        let lists = growth.graph().nodes().filter_map(|node| {
            let list = growth.graph().list(node).iter();
            let list: Vec<_> =
                list.map(|edge| (edge.uci.unpack(), i32::from(edge.eval.get()))).collect();
            (!list.is_empty()).then(|| (epd_of(&growth.position(node)), list))
        });
        let wishes = growth.wishes().iter();
        Plain {
            lists: lists.collect(),
            wishes: wishes.map(|(key, wish)| (epd_of(&key.position()), wish.clone())).collect(),
            draw: i32::from(growth.graph().draw().for_side(Color::White).get()),
            repeated: game.repeated().iter().map(|key| epd_of(&key.position())).collect(),
            steps: 0,
        }
    }

    fn wish(&self, position: &Chess) -> Wish {
        self.wishes.get(&epd_of(position)).cloned().unwrap_or_default()
    }

    fn for_side(&self, position: &Chess, white: i32) -> i32 {
        if position.turn().is_white() { white } else { -white }
    }

    fn end(&self, position: &Chess) -> Option<i32> {
        let drawn = self.for_side(position, self.draw);
        if let Some(ending) = Ending::of(position) {
            return Some(if ending == Ending::Checkmate { -32_000 } else { drawn });
        }
        match self.wish(position).value? {
            GivenValue::Draw => Some(drawn),
            GivenValue::Centipawns(white) => Some(self.for_side(position, white)),
        }
    }

    fn list(&self, position: &Chess) -> &[(UciMove, i32)] {
        self.lists.get(&epd_of(position)).map_or(&[], Vec::as_slice)
    }

    fn is_analysed(&self, position: &Chess) -> bool {
        let wish = self.wish(position);
        let counts = |(uci, _): &(UciMove, i32)| !wish.exclude.contains(uci);
        self.end(position).is_none() && !wish.stop && self.list(position).iter().any(counts)
    }

    /// The moves that count, with their evals.
    fn counting(&self, position: &Chess) -> Vec<(UciMove, i32)> {
        if !self.is_analysed(position) {
            return Vec::new();
        }
        let (wish, list) = (self.wish(position), self.list(position));
        let mut counting: Vec<_> =
            list.iter().filter(|(uci, _)| !wish.exclude.contains(uci)).copied().collect();
        let mut included = wish.include.clone();
        included.sort_by_key(ToString::to_string);
        for uci in included {
            let child = after(position, uci);
            let is_listed = list.iter().any(|(listed, _)| *listed == uci);
            if !is_listed && (self.is_analysed(&child) || self.end(&child).is_some()) {
                counting.push((uci, 0));
            }
        }
        counting
    }

    /// The alpha of a move after a path that ends where it is played.
    fn alpha(&mut self, position: &Chess, (uci, eval): (UciMove, i32), path: &[String]) -> i32 {
        self.steps += 1;
        let child = after(position, uci);
        let epd = epd_of(&child);
        if path.contains(&epd) || self.repeated.contains(&epd) {
            return self.for_side(position, self.draw);
        }
        if let Some(end) = self.end(&child) {
            return step(end);
        }
        if !self.is_analysed(&child) {
            return eval;
        }
        let path = [path, &[epd]].concat();
        let moves = self.counting(&child);
        let mut best = i32::MIN;
        for m in moves {
            if self.steps > TOO_MANY {
                return 0;
            }
            best = best.max(self.alpha(&child, m, &path));
        }
        step(best)
    }

    /// The position and the path of a known line.
    fn known(&self, root: &Chess, line: &[UciMove]) -> Option<(Chess, Vec<String>)> {
        let (mut position, mut path) = (root.clone(), vec![epd_of(root)]);
        if !self.is_analysed(root) {
            return None;
        }
        for uci in line {
            let counts = self.counting(&position).iter().any(|(counting, _)| counting == uci);
            position = after(&position, *uci);
            let epd = epd_of(&position);
            let is_return = path.contains(&epd) || self.repeated.contains(&epd);
            if !counts || is_return || !self.is_analysed(&position) {
                return None;
            }
            path.push(epd);
        }
        Some((position, path))
    }

    fn alphas(&mut self, position: &Chess, path: &[String]) -> Vec<(UciMove, i32)> {
        let moves = self.counting(position);
        moves.into_iter().map(|m| (m.0, self.alpha(position, m, path))).collect()
    }

    fn bound(&self, position: &Chess, uci: UciMove) -> Option<i32> {
        let (wish, list) = (self.wish(position), self.list(position));
        let is_named = wish.exclude.contains(&uci) || wish.include.contains(&uci);
        let is_listed = list.iter().any(|(listed, _)| *listed == uci);
        (!is_named && !is_listed).then_some(list.last()?.1)
    }

    fn answer(&mut self, root: &Chess, claim: &Claim<UciMove>) -> Option<bool> {
        let line = claim.at();
        let there = line.iter().fold(root.clone(), |position, uci| after(&position, *uci));
        match claim {
            Claim::Score { at_least, .. } => {
                let Some((last, before)) = line.split_last() else {
                    let value = match self.known(root, &[]) {
                        Some((_, path)) => self.alphas(root, &path).iter().map(|m| m.1).max(),
                        None => self.end(root),
                    };
                    return value.map(|v| i64::from(self.for_side(root, v)) >= *at_least);
                };
                let (position, path) = self.known(root, before)?;
                let alphas = self.alphas(&position, &path);
                let is_white = position.turn().is_white();
                if let Some((_, alpha)) = alphas.iter().find(|(uci, _)| uci == last) {
                    return Some(i64::from(if is_white { *alpha } else { -alpha }) >= *at_least);
                }
                let bound = i64::from(self.bound(&position, *last)?);
                if is_white {
                    (bound < *at_least).then_some(false)
                } else {
                    (-bound >= *at_least).then_some(true)
                }
            }
            Claim::Best { uci, .. } | Claim::Worse { uci, .. } => {
                let by = match claim {
                    Claim::Worse { by_at_least, .. } => Some(*by_at_least),
                    _ => None,
                };
                let (position, path) = self.known(root, line)?;
                let alphas = self.alphas(&position, &path);
                let greatest = i64::from(alphas.iter().map(|m| m.1).max()?);
                let own = alphas.iter().find(|m| m.0 == *uci).map(|m| i64::from(m.1));
                match (own, by) {
                    (Some(own), None) => Some(own == greatest),
                    (Some(own), Some(by)) => Some(greatest - own >= by),
                    (None, by) => {
                        let less = greatest - i64::from(self.bound(&position, *uci)?);
                        match by {
                            None => (less > 0).then_some(false),
                            Some(by) => (less >= by).then_some(true),
                        }
                    }
                }
            }
            Claim::Line { moves, .. } => {
                let mut line = line.to_vec();
                for uci in moves {
                    let (position, path) = self.known(root, &line)?;
                    let mut alphas = self.alphas(&position, &path);
                    alphas.sort_by_key(|m| std::cmp::Reverse(m.1));
                    if alphas[0].0 != *uci {
                        return Some(false);
                    }
                    line.push(*uci);
                }
                Some(true)
            }
            Claim::Ends { by: EndBy::Repetition, .. } => {
                let mut epds = vec![epd_of(root)];
                let mut position = root.clone();
                for uci in line {
                    position = after(&position, *uci);
                    epds.push(epd_of(&position));
                }
                let here = epds.pop().unwrap();
                let is_earlier = epds.contains(&here) || self.repeated.contains(&here);
                Some(!line.is_empty() && is_earlier)
            }
            Claim::Ends { by, .. } => Some(match by {
                EndBy::Checkmate => there.is_checkmate(),
                EndBy::Stalemate => there.is_stalemate(),
                _ => there.is_insufficient_material(),
            }),
            Claim::Check { .. } => Some(!there.checkers().is_empty()),
            Claim::Captures { uci, .. } => {
                let men = |position: &Chess| position.board().occupied().count();
                Some(men(&after(&there, *uci)) < men(&there))
            }
            Claim::Material { is, .. } => {
                let worth = |role| match role {
                    Role::Pawn => 1,
                    Role::Knight | Role::Bishop => 3,
                    Role::Rook => 5,
                    Role::Queen => 9,
                    Role::King => 0,
                };
                let men = there.board().iter();
                let points = men.map(|(_, man)| {
                    let points: i64 = worth(man.role);
                    if man.color.is_white() { points } else { -points }
                });
                Some(points.sum::<i64>() == *is)
            }
            Claim::Legal { .. } | Claim::Played { .. } => None,
        }
    }
}

/// A claim about a line of legal moves, mostly moves of the tree, with a number that is near the truth.
fn claim(numbers: &mut Numbers, plain: &mut Plain, root: &Chess) -> Option<Claim<UciMove>> {
    let (mut position, mut at) = (root.clone(), Vec::new());
    for _ in 0..numbers.below(6) {
        let known: Vec<UciMove> = plain.counting(&position).iter().map(|m| m.0).collect();
        let legal = legal_uci(&position);
        let from = if numbers.below(8) > 0 && !known.is_empty() { &known } else { &legal };
        let Some(uci) = numbers.of(from).copied() else { break };
        position = after(&position, uci);
        at.push(uci);
    }
    let legal = legal_uci(&position);
    let near = match plain.known(root, &at) {
        Some((position, path)) => {
            let alphas = plain.alphas(&position, &path);
            let greatest = alphas.iter().map(|m| m.1).max().unwrap_or(0);
            numbers.of(&alphas).map_or(greatest, |m| [m.1, greatest - m.1][numbers.below(2)])
        }
        None => 0,
    };
    let number = i64::from(near) * [1, -1][numbers.below(2)] + numbers.below(3) as i64 - 1;
    Some(match numbers.below(9) {
        0 | 1 => Claim::Score { at, at_least: number },
        2 => Claim::Best { at, uci: *numbers.of(&legal)? },
        3 => Claim::Worse { at, uci: *numbers.of(&legal)?, by_at_least: number },
        4 => {
            let mut moves = Vec::new();
            let mut line = at.clone();
            while let Some((position, path)) = plain.known(root, &line).filter(|_| moves.len() < 3)
            {
                let mut alphas = plain.alphas(&position, &path);
                alphas.sort_by_key(|m| std::cmp::Reverse(m.1));
                let uci = if numbers.below(6) > 0 { alphas[0].0 } else { numbers.of(&alphas)?.0 };
                moves.push(uci);
                line.push(uci);
            }
            Claim::Line { at, moves }
        }
        5 => Claim::Captures { at, uci: *numbers.of(&legal)? },
        6 => Claim::Check { at },
        7 => Claim::Material { at, is: numbers.below(5) as i64 - 2 },
        _ => {
            let by = [EndBy::Checkmate, EndBy::Stalemate, EndBy::Material, EndBy::Repetition];
            Claim::Ends { at, by: by[numbers.below(4)] }
        }
    })
}

proptest! {
    #![proptest_config(cases(2400))]

    #[test]
    fn claims_are_answered_as_by_walking_every_path(seed in any::<u64>()) {
        let mut numbers = Numbers(seed);
        let (growth, game) = grown(&mut numbers);
        let mut plain = Plain::of(&growth, &game);
        let mut judge = Judge::new(&growth, &game);
        for _ in 0..12 {
            plain.steps = 0;
            let Some(claim) = claim(&mut numbers, &mut plain, game.root()) else { continue };
            let expected = plain.answer(game.root(), &claim);
            if plain.steps <= TOO_MANY {
                let read = claim.in_words().read(&game).unwrap();
                prop_assert_eq!(&read, &claim);
                let judged = judge.answer(&read);
                prop_assert_eq!(judged.answer, expected, "{:?} {:?}", claim, judged);
            }
        }
    }
}

#[test]
fn random_claims_are_of_all_answers_and_walks_end() {
    let (mut answers, mut too_long) = (BTreeMap::new(), 0);
    for seed in 0..150 {
        let mut numbers = Numbers(seed);
        let (growth, game) = grown(&mut numbers);
        let mut plain = Plain::of(&growth, &game);
        for _ in 0..6 {
            plain.steps = 0;
            let Some(claim) = claim(&mut numbers, &mut plain, game.root()) else { continue };
            let answer = plain.answer(game.root(), &claim);
            if plain.steps > TOO_MANY {
                too_long += 1
            } else {
                *answers.entry(answer).or_insert(0) += 1
            }
        }
    }
    let [yes, no, unknown] = [Some(true), Some(false), None].map(|answer| answers[&answer]);
    assert!(yes > 100 && no > 100 && unknown > 50 && too_long < 60, "{answers:?} {too_long}");
}
