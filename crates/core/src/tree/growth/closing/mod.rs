//! Searches at a run's end: the root's moves, split among engines.

mod ranked;

use shakmaty::uci::UciMove;

use crate::chess::legal_uci;
use crate::tree::drawn::shunned_draws;
use crate::tree::variation::first_lines;

use super::Growth;

pub use ranked::{CLOSING_MARGIN, ShareAnswer, ranked_shares};

/// One engine's share of the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootShare {
    /// Number of the engine, from 1, and of the engines that have moves.
    pub number: (u32, u32),
    /// Its moves, the best first.
    pub moves: Vec<UciMove>,
    /// True if it has all moves that are searched; other engines, if any, have them, too.
    pub all: bool,
    /// Engines whose threads it has: its own, and those of the numbers behind it that rest.
    pub threads: usize,
    /// All others, the best first, those that are excluded last.
    pub elsewhere: Vec<UciMove>,
}

impl Growth {
    /// Shares of the root's legal moves that are neither excluded nor draws that are worth less
    /// than its best move, for this many engines, of which one can have the threads of `threads`.
    ///
    /// The first engine has all of them, with the threads of three in four engines, rounded up; the others split
    /// them as [`Growth::dealt_shares`] deals. A single other one has all but the best. There is
    /// one engine at least, and no more than one for each move besides the first, which has the
    /// threads of those without moves, too; none without moves of that kind.
    pub fn root_shares(&self, engines: usize, threads: usize) -> Vec<RootShare> {
        let (order, excluded) = self.root_order();
        let engines = engines.max(1);
        let first = (engines - engines / 4).min(threads.max(1));
        let others = match (engines - first, order.get(1..)) {
            (0, _) | (_, None | Some([])) => Vec::new(),
            (1, Some(rest)) => vec![rest.to_vec()],
            (others, _) => deal(&order, others.min(order.len())),
        };
        let threads = (engines - others.len()).min(threads.max(1));
        let whole = (!order.is_empty()).then(|| order.clone());
        let mut shares =
            self.shares_of(whole.into_iter().chain(others).collect(), &order, &excluded);
        let (first, rest) = (threads, u32::try_from(threads).unwrap_or(u32::MAX) - 1);
        for share in &mut shares {
            let RootShare { number: (number, of), all, threads, .. } = share;
            (*threads, *of) = (if *all { first } else { 1 }, of.saturating_add(rest));
            *number += if *all { 0 } else { rest };
        }
        shares
    }

    /// Splits the root's legal moves that are not excluded among engines, one at least, and one for
    /// each move at most; none without moves of that kind.
    ///
    /// Moves that count come first, by alpha, ties by rank, then all others as the rules of chess
    /// list them. They are dealt to the engines in turn, from the first engine to the last, then
    /// from the last to the first, and so on: the engine with the best move has the worst others.
    pub fn dealt_shares(&self, engines: usize) -> Vec<RootShare> {
        let (order, excluded) = self.root_order();
        let dealt = deal(&order, engines.max(1).min(order.len()));
        self.shares_of(dealt, &order, &excluded)
    }

    fn shares_of(
        &self,
        dealt: Vec<Vec<UciMove>>,
        order: &[UciMove],
        excluded: &[UciMove],
    ) -> Vec<RootShare> {
        // No position has more than 218 moves.
        let engines = u32::try_from(dealt.len()).unwrap_or(u32::MAX);
        let share = |(number, moves): (u32, Vec<UciMove>)| RootShare {
            number: (number, engines),
            all: moves.len() == order.len(),
            threads: 1,
            elsewhere: [order, excluded]
                .concat()
                .into_iter()
                .filter(|uci| !moves.contains(uci))
                .collect(),
            moves,
        };
        (1..).zip(dealt).map(share).collect()
    }

    /// The root's moves that an engine searches, the best first, and those that none does.
    fn root_order(&self) -> (Vec<UciMove>, Vec<UciMove>) {
        let lines = first_lines(self.graph(), self.values(), self.root(), usize::MAX, 1);
        let counting = lines.into_iter().filter_map(|(_, line)| line.first().copied());
        let mut excluded = shunned_draws(self.graph(), self.values(), self.root());
        excluded.extend(self.graph().excluded(self.root()).iter().map(|uci| uci.unpack()));
        let mut legal = legal_uci(&self.position(self.root()));
        legal.retain(|uci| !excluded.contains(uci));
        let mut order: Vec<UciMove> = counting.filter(|uci| legal.contains(uci)).collect();
        legal.retain(|uci| !order.contains(uci));
        order.extend(legal);
        (order, excluded)
    }
}

/// Deals to and fro.
fn deal(order: &[UciMove], engines: usize) -> Vec<Vec<UciMove>> {
    let mut dealt = vec![Vec::new(); engines];
    for (index, uci) in order.iter().enumerate() {
        let (round, place) = (index / engines, index % engines);
        let to = if round % 2 == 0 { place } else { engines - 1 - place };
        if let Some(share) = dealt.get_mut(to) {
            share.push(*uci);
        }
    }
    dealt
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use shakmaty::Chess;

    use super::*;
    use crate::chess::{Game, PositionKey, parse_fen};
    use crate::tree::{Wish, Wishes, grown_of};

    /// A tree of the starting position: d4 before e4 before c4.
    fn grown() -> Growth {
        let game = Game::from_position(Chess::default());
        let lists = [
            ("", &[("e2e4", 30), ("d2d4", 25), ("c2c4", 22)][..]),
            ("e4", &[("e7e5", -23)]),
            ("d4", &[("d7d5", -27)]),
        ];
        grown_of(&game, 20, &lists)
    }

    fn moves(share: &RootShare) -> Vec<String> {
        share.moves.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn best_moves_go_to_different_engines_and_each_to_one() {
        let growth = grown();
        let shares = growth.dealt_shares(3);
        let first: Vec<String> = shares.iter().map(|share| moves(share)[0].clone()).collect();
        assert_eq!(first, ["d2d4", "e2e4", "c2c4"]);
        // Twenty moves go to and fro: the last round has two, which go to the last two engines or the first two.
        let sizes: Vec<usize> = shares.iter().map(|share| share.moves.len()).collect();
        assert_eq!(sizes, [7, 7, 6]);
        let legal = legal_uci(&Chess::default());
        let others: Vec<UciMove> = legal
            .iter()
            .filter(|uci| !shares.iter().any(|s| s.moves[0] == **uci))
            .copied()
            .collect();
        // The first of the others comes to the engine that was dealt to last.
        assert_eq!((shares[2].moves[1], shares[1].moves[1]), (others[0], others[1]));
        let numbers: Vec<(u32, u32)> = shares.iter().map(|share| share.number).collect();
        assert_eq!(numbers, [(1, 3), (2, 3), (3, 3)]);
        for share in &shares {
            let mut all = [share.moves.clone(), share.elsewhere.clone()].concat();
            assert_eq!(all.len(), 20);
            all.sort_unstable_by_key(ToString::to_string);
            all.dedup();
            assert_eq!(all.len(), 20);
        }
    }

    #[test]
    fn no_engine_has_an_excluded_move() {
        let [d4, a3] = ["d2d4", "a2a3"].map(|uci| uci.parse::<UciMove>().unwrap());
        let wish = Wish { exclude: vec![a3, d4], ..Wish::default() };
        let wishes: Wishes = [(PositionKey::of(&Chess::default()), wish)].into();
        let growth = grown().under(wishes.into()).unwrap();
        for engines in [1, 2, 4] {
            let shares = growth.root_shares(engines, 1);
            assert_eq!((shares.len(), moves(&shares[0])[0].as_str()), (engines, "e2e4"));
            let mut dealt: Vec<UciMove> = Vec::new();
            for share in &shares {
                assert!([d4, a3].iter().all(|uci| share.elsewhere.contains(uci)));
                assert_eq!(share.elsewhere.len() + share.moves.len(), 20);
                dealt.extend(if share.all { &[][..] } else { &share.moves });
            }
            assert_eq!((shares[0].moves.len(), shares[0].all), (18, true));
            assert_eq!(dealt.len(), [0, 17, 18][engines / 2]);
        }
    }

    #[test]
    fn first_engine_has_all_moves_and_others_split_them() {
        let growth = grown();
        let (shares, dealt) = (growth.root_shares(4, 1), growth.dealt_shares(3));
        assert_eq!((shares[0].moves.len(), shares[0].elsewhere.len()), (20, 0));
        for (share, dealt) in shares[1..].iter().zip(&dealt) {
            assert_eq!((&share.moves, share.all), (&dealt.moves, false));
            assert_eq!(share.number, (dealt.number.0 + 1, 4));
        }
        let two = growth.root_shares(2, 1);
        assert_eq!((two.len(), two[1].moves.len()), (2, 19));
        assert_eq!(two[1].elsewhere, ["d2d4".parse().unwrap()], "all but the best");
        assert_eq!(growth.root_shares(0, 1), growth.root_shares(1, 1));
    }

    #[test]
    fn the_first_engine_has_the_threads_of_most() {
        let growth = grown();
        let dealt = |engines, threads| -> Vec<(u32, usize, usize)> {
            let shares = growth.root_shares(engines, threads);
            assert!(shares.iter().all(|share| share.number.1 as usize <= engines));
            shares.iter().map(|share| (share.number.0, share.threads, share.moves.len())).collect()
        };
        assert_eq!(dealt(2, 2), [(1, 2, 20)]);
        assert_eq!(dealt(3, 3), [(1, 3, 20)]);
        assert_eq!(dealt(2, 1), [(1, 1, 20), (2, 1, 19)], "the other one is on another computer");
        assert_eq!(dealt(4, 4), [(1, 3, 20), (4, 1, 19)]);
        assert_eq!(dealt(8, 8), [(1, 6, 20), (7, 1, 10), (8, 1, 10)]);
        // Four of six are on other computers.
        assert_eq!(dealt(6, 2)[..2], [(1, 2, 20), (3, 1, 5)]);
        assert_eq!(dealt(6, 2).len(), 5);
        // There are twenty moves, so 80 of 100 have none of their own.
        let many = dealt(100, 100);
        assert_eq!((many.len(), many[0], many[20]), (21, (1, 80, 20), (100, 1, 1)));
        assert_eq!(dealt(64, 1)[..2], [(1, 1, 20), (2, 1, 1)]);
    }

    #[test]
    fn there_is_no_engine_without_a_move() {
        assert_eq!(grown().dealt_shares(64).len(), 20);
        assert_eq!(grown().root_shares(64, 1).len(), 21);
        let mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
        let game = Game::from_position(parse_fen(mated).unwrap());
        assert!(Growth::new(&game, 20).root_shares(4, 1).is_empty());
        let fresh = Growth::new(&Game::from_position(Chess::default()), 20).dealt_shares(2);
        assert_eq!(fresh[0].moves.len() + fresh[1].moves.len(), 20, "a tree without an answer");
        // The king has one move.
        let one = Game::from_position(parse_fen("k7/8/1R6/8/8/8/8/1K6 b - - 0 1").unwrap());
        assert_eq!(Growth::new(&one, 20).root_shares(4, 1).len(), 1);
    }
}
