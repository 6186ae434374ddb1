//! What engines do at a run's end: the root's moves, shared out among them, and the lines behind those.

mod deal;
mod ranked;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::chess::{Ending, legal_uci};
use crate::search::MoveShare;
use crate::tree::graph::NodeId;
use crate::tree::variation::{moves_behind, rehearsal};

use super::Growth;
use deal::{deal, engines_each};

pub use ranked::{CLOSING_MARGIN, ChosenMove, ShareAnswer, ranked_shares};

/// What one of several engines searches: moves of the root, or replies to one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootShare {
    /// Which engine it is, from 1, and of how many that have moves.
    pub number: (u32, u32),
    /// The move of the root whose replies it has a part of; none where it has moves of the root itself.
    pub behind: Option<UciMove>,
    /// The position that it searches: the root, or the one after that move.
    pub position: Chess,
    /// Its moves there, the best first.
    pub moves: Vec<UciMove>,
    /// Whether it has all moves of the root that are searched: others have them, too, where there are others.
    pub all: bool,
    /// All others there, the best first, those of the root that are excluded last.
    pub elsewhere: Vec<UciMove>,
    /// The positions on the best lines of its moves, in the order of a rehearsal.
    pub rehearsal: Vec<Chess>,
}

impl RootShare {
    /// What tells it from others.
    pub fn named(&self) -> MoveShare {
        MoveShare::new(self.number, self.behind, &self.moves)
    }
}

impl Growth {
    /// What each of so many engines searches of the root's legal moves that are not excluded. The first has all of them; the
    /// others share them out among themselves as [`Growth::dealt_shares`] deals. A single other one has all but the best.
    ///
    /// Where there are more others than moves, the rest of them go to the moves in the same order, one to each, and so on, but to
    /// none more than it has replies: they share out its replies. There is one engine at least; none where there is no such move.
    pub fn root_shares(&self, engines: usize) -> Vec<RootShare> {
        let root = self.place_of(None);
        let mut shares: Vec<RootShare> = Vec::new();
        if !root.order.is_empty() {
            shares.push(self.share(&root, root.order.clone()));
        }
        match (engines, root.order.get(1..)) {
            (0 | 1, _) | (_, None | Some([])) => {}
            (2, Some(rest)) => shares.push(self.share(&root, rest.to_vec())),
            (engines, _) if engines - 1 <= root.order.len() => {
                let dealt = deal(&root.order, engines - 1).into_iter();
                shares.extend(dealt.map(|moves| self.share(&root, moves)));
            }
            (engines, _) => shares.extend(self.with_replies(&root, engines - 1)),
        }
        numbered(shares)
    }

    /// The root's legal moves that are not excluded, shared out among so many engines, of which there is one at least,
    /// or one for each move where there are more; none where there is no such move.
    ///
    /// Those that count come first, by alpha, ties by rank, then all others as the rules of chess list them.
    /// They are dealt to the engines in turn, from the first engine to the last, then from the last to the first,
    /// and so on: who has the best move has the worst company.
    pub fn dealt_shares(&self, engines: usize) -> Vec<RootShare> {
        let root = self.place_of(None);
        let dealt = deal(&root.order, engines.max(1).min(root.order.len())).into_iter();
        numbered(dealt.map(|moves| self.share(&root, moves)).collect())
    }

    /// The shares of more engines than the root has moves: the first of each move, the second, and so on.
    fn with_replies(&self, root: &Place, engines: usize) -> Vec<RootShare> {
        let behind: Vec<Place> = root.order.iter().map(|uci| self.place_of(Some(*uci))).collect();
        // Where the game is over after a move (a dead position has legal moves), there is nothing to search behind it.
        let replies = |place: &Place| match Ending::of(&place.position) {
            None => place.order.len(),
            Some(_) => 0,
        };
        let replies: Vec<usize> = behind.iter().map(replies).collect();
        let of_move = |(place, engines): (&Place, usize)| match (engines, place.behind) {
            (1, Some(uci)) => vec![self.share(root, vec![uci])],
            _ => {
                let dealt = deal(&place.order, engines).into_iter();
                dealt.map(|moves| self.share(place, moves)).collect()
            }
        };
        let each = engines_each(&replies, engines);
        let most = each.iter().copied().max().unwrap_or_default();
        let of_moves: Vec<Vec<RootShare>> = behind.iter().zip(each).map(of_move).collect();
        let round = |place| of_moves.iter().filter_map(move |shares| shares.get(place).cloned());
        (0..most).flat_map(round).collect()
    }

    /// A share of the moves of a place, its number left open.
    fn share(&self, place: &Place, moves: Vec<UciMove>) -> RootShare {
        RootShare {
            number: (1, 1),
            behind: place.behind,
            position: place.position.clone(),
            all: place.behind.is_none() && moves.len() == place.order.len(),
            elsewhere: [&place.order[..], &place.excluded]
                .concat()
                .into_iter()
                .filter(|uci| !moves.contains(uci))
                .collect(),
            rehearsal: self.rehearsal_behind(&place.path, |uci| moves.contains(&uci)),
            moves,
        }
    }

    /// The positions on the best lines of those of the root's moves, as a rehearsal goes through them.
    pub fn rehearsal(&self, of: impl Fn(UciMove) -> bool) -> Vec<Chess> {
        self.rehearsal_behind(&[self.root()], of)
    }

    fn rehearsal_behind(&self, path: &[NodeId], of: impl Fn(UciMove) -> bool) -> Vec<Chess> {
        let positions = rehearsal(self.graph(), self.values(), path, of);
        positions.into_iter().map(|node| self.position(node)).collect()
    }

    /// The root, or what lies behind one of its legal moves.
    fn place_of(&self, behind: Option<UciMove>) -> Place {
        let (root, mut position) = (self.root(), self.position(self.root()));
        let Some(uci) = behind else {
            let excluded = self.graph().excluded(root).iter().map(|uci| uci.unpack()).collect();
            return self.place(vec![root], position, excluded);
        };
        let mut edges = self.graph().moves(root).iter();
        let child = edges.find(|edge| edge.uci.unpack() == uci).map(|edge| edge.child);
        if let Ok(m) = uci.to_move(&position) {
            position.play_unchecked(m);
        }
        // An engine that searches the root knows of no exclusions behind it, and this one does as it would.
        let path = child.map(|child| vec![root, child]).unwrap_or_default();
        Place { behind, ..self.place(path, position, Vec::new()) }
    }

    fn place(&self, path: Vec<NodeId>, position: Chess, excluded: Vec<UciMove>) -> Place {
        let mut legal = legal_uci(&position);
        legal.retain(|uci| !excluded.contains(uci));
        let counting = moves_behind(self.graph(), self.values(), &path).into_iter();
        let mut order: Vec<UciMove> =
            counting.map(|of_tree| of_tree.uci).filter(|uci| legal.contains(uci)).collect();
        legal.retain(|uci| !order.contains(uci));
        order.extend(legal);
        Place { behind: None, path, position, order, excluded }
    }
}

/// The root, or the position after one of its moves.
struct Place {
    /// That move.
    behind: Option<UciMove>,
    /// The way to it from the root, both among it; nothing where the tree does not know it.
    path: Vec<NodeId>,
    position: Chess,
    /// The moves that are searched there, the best first.
    order: Vec<UciMove>,
    /// Those that the user has excluded.
    excluded: Vec<UciMove>,
}

fn numbered(mut shares: Vec<RootShare>) -> Vec<RootShare> {
    let engines = u32::try_from(shares.len()).unwrap_or(u32::MAX);
    for (number, share) in (1..).zip(&mut shares) {
        share.number = (number, engines);
    }
    shares
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::chess::{Game, PositionKey, epd_of, parse_fen};
    use crate::tree::{Wish, Wishes, grown_of};

    /// A tree of the starting position: d4 before e4 before c4, and a position behind each of the first two.
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

    fn after(line: &str) -> String {
        let mut game = Game::from_position(Chess::default());
        game.play_line(line).unwrap();
        epd_of(game.root())
    }

    #[test]
    fn the_best_moves_go_to_different_engines_and_every_move_to_one() {
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
    fn an_engine_rehearses_the_lines_of_its_own_moves() {
        let growth = grown();
        let rehearsed = |shares: &[RootShare]| -> Vec<Vec<String>> {
            shares.iter().map(|share| share.rehearsal.iter().map(epd_of).collect()).collect()
        };
        let (d4, e4) = (after("d4"), after("e4"));
        let shares = growth.dealt_shares(3);
        assert_eq!(rehearsed(&shares), [vec![d4.clone()], vec![e4.clone()], vec![]]);
        let alone = growth.root_shares(1);
        assert_eq!(rehearsed(&alone), [[e4, d4]], "the best line last");
        assert!(alone[0].elsewhere.is_empty());
    }

    #[test]
    fn no_engine_has_an_excluded_move() {
        let [d4, a3] = ["d2d4", "a2a3"].map(|uci| uci.parse::<UciMove>().unwrap());
        let wish = Wish { exclude: vec![a3, d4], ..Wish::default() };
        let wishes: Wishes = [(PositionKey::of(&Chess::default()), wish)].into();
        let growth = grown().under(wishes.into()).unwrap();
        for engines in [1, 2, 4] {
            let shares = growth.root_shares(engines);
            assert_eq!((shares.len(), moves(&shares[0])[0].as_str()), (engines, "e2e4"));
            let mut dealt: Vec<UciMove> = Vec::new();
            for share in &shares {
                assert!([d4, a3].iter().all(|uci| share.elsewhere.contains(uci)));
                assert_eq!(share.elsewhere.len() + share.moves.len(), 20);
                assert!(share.rehearsal.iter().all(|position| epd_of(position) != after("d4")));
                dealt.extend(if share.all { &[][..] } else { &share.moves });
            }
            assert_eq!((shares[0].moves.len(), shares[0].all), (18, true));
            assert_eq!(dealt.len(), [0, 17, 18][engines / 2]);
        }
    }

    #[test]
    fn the_first_engine_has_all_moves_and_the_others_share_them_out() {
        let growth = grown();
        let (shares, dealt) = (growth.root_shares(4), growth.dealt_shares(3));
        assert_eq!((shares[0].moves.len(), shares[0].elsewhere.len()), (20, 0));
        assert_eq!(shares[0].rehearsal, growth.rehearsal(|_| true));
        for (share, dealt) in shares[1..].iter().zip(&dealt) {
            assert_eq!((&share.moves, share.all), (&dealt.moves, false));
            assert_eq!(share.number, (dealt.number.0 + 1, 4));
        }
        let two = growth.root_shares(2);
        assert_eq!((two.len(), two[1].moves.len()), (2, 19));
        assert_eq!(two[1].elsewhere, ["d2d4".parse().unwrap()], "all but the best");
        assert_eq!(growth.root_shares(0), growth.root_shares(1));
    }

    #[test]
    fn engines_beyond_the_moves_share_out_the_replies_to_the_best_of_them() {
        let growth = grown();
        let shares = growth.root_shares(1 + 20 + 2);
        let numbers: Vec<(u32, u32)> = shares.iter().map(|share| share.number).collect();
        assert_eq!((numbers[0], numbers[22]), ((1, 23), (23, 23)));
        assert!(shares[0].all && shares[0].moves.len() == 20);
        let [d4, e4] = ["d2d4", "e2e4"].map(|uci| uci.parse::<UciMove>().unwrap());
        let behind: Vec<Option<UciMove>> = shares.iter().map(|share| share.behind).collect();
        assert_eq!(behind[..4], [None, Some(d4), Some(e4), None]);
        assert_eq!(behind[20..], [None, Some(d4), Some(e4)]);
        assert_eq!(
            (moves(&shares[3]), epd_of(&shares[3].position)),
            (vec!["c2c4".into()], after(""))
        );
        for (first, second, best) in [(1, 21, "d7d5"), (2, 22, "e7e5")] {
            let (first, second) = (&shares[first], &shares[second]);
            assert_eq!(epd_of(&first.position), after(if best == "d7d5" { "d4" } else { "e4" }));
            assert_eq!(first.position, second.position);
            // To and fro: one, two, two, one.
            assert_eq!((moves(first)[0].as_str(), first.moves.len()), (best, 10));
            assert_eq!((&first.elsewhere, first.all), (&second.moves, false));
            let order = [&first.moves[..1], &second.moves[..2], &first.moves[1..2]].concat();
            let mut legal = legal_uci(&first.position);
            legal.retain(|uci| uci.to_string() != best);
            assert_eq!(order[1..], legal[..3]);
        }
    }

    #[test]
    fn the_lines_behind_replies_are_rehearsed_by_whoever_has_them() {
        let game = Game::from_position(Chess::default());
        let lists = [
            ("", &[("e2e4", 30)][..]),
            ("e4", &[("e7e5", -30), ("c7c5", -35)]),
            ("e4 e5", &[("g1f3", 30)]),
            ("e4 c5", &[("g1f3", 35)]),
        ];
        let growth = grown_of(&game, 20, &lists);
        let shares = growth.root_shares(1 + 20 + 1);
        let rehearsed =
            |share: &RootShare| -> Vec<String> { share.rehearsal.iter().map(epd_of).collect() };
        let [e5, c5, e4] = ["e4 e5", "e4 c5", "e4"].map(after);
        assert_eq!(rehearsed(&shares[0]), [e5.clone(), e4], "the best line, from its end");
        assert_eq!([rehearsed(&shares[1]), rehearsed(&shares[21])], [[e5], [c5]]);
        assert!(shares[2..21].iter().all(|share| share.rehearsal.is_empty()));
    }

    #[test]
    fn nothing_is_shared_behind_a_move_that_ends_the_game() {
        // Kxb2 leaves two kings, which can move for ever.
        let game = Game::from_position(parse_fen("8/8/8/8/3k4/8/1p6/K7 w - - 0 1").unwrap());
        let shares = Growth::new(&game, 20).root_shares(100);
        let of_move = |uci: &str| {
            let uci: UciMove = uci.parse().unwrap();
            let behind = shares.iter().filter(|share| share.behind == Some(uci)).count();
            let alone = shares.iter().filter(|share| share.moves == [uci]).count();
            (alone, behind)
        };
        assert_eq!([of_move("a1b2"), of_move("a1a2")], [(1, 0), (0, 8 + 4)]);
    }

    #[test]
    fn there_is_no_engine_without_a_move() {
        assert_eq!(grown().dealt_shares(64).len(), 20);
        // Twenty moves with twenty replies each.
        assert_eq!(grown().root_shares(1_000).len(), 401);
        let mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
        let game = Game::from_position(parse_fen(mated).unwrap());
        assert!(Growth::new(&game, 20).root_shares(4).is_empty());
        let fresh = Growth::new(&Game::from_position(Chess::default()), 20).dealt_shares(2);
        assert_eq!(fresh[0].moves.len() + fresh[1].moves.len(), 20, "a tree without an answer");
        // The king has one move.
        let one = Game::from_position(parse_fen("k7/8/1R6/8/8/8/8/1K6 b - - 0 1").unwrap());
        assert_eq!(Growth::new(&one, 20).root_shares(4).len(), 1);
    }
}
