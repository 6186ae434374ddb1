//! Requests of trees that look for traps, compared with the plainest reading of the page.

use std::collections::{BTreeMap, BTreeSet};

use deepanalyze_core::tree::{TrapGround, Values, Work, ask_for_traps};
use proptest::collection::vec;
use proptest::prelude::*;
use shakmaty::Color;

use super::cases;
use super::naive::{self, Request};
use super::world::{Counting, World, node, uci, worlds};

const SOUND: i32 = 30;
const LOSES: i32 = 100;

/// The whole of a question: shares by place, in the order of its legal moves.
struct Question<'a> {
    world: &'a World,
    shares: &'a [Vec<f64>],
    white: bool,
    least: f64,
    ideas: Vec<i32>,
}

/// The requests of each place.
type Asked = BTreeMap<usize, BTreeSet<Request>>;

impl Question<'_> {
    fn share(&self, place: usize, child: usize) -> f64 {
        let moves = self.world.places[place].moves.iter();
        let index = moves.into_iter().position(|(to, _)| *to == child).unwrap();
        self.shares[place][index]
    }

    fn idea(&self, m: &Counting) -> i32 {
        naive::move_value(self.world, *m, &self.ideas)
    }

    fn best(&self, place: usize) -> i32 {
        self.world.counting(place).iter().map(|m| self.idea(m)).max().unwrap()
    }

    fn goes_on(&self, place: usize) -> bool {
        self.world.is_analysed(place) && self.best(place).abs() <= 31_000
    }

    /// The moves of a place by which lines go on, each with its part.
    fn onwards(&self, place: usize) -> Vec<(usize, f64)> {
        let (moves, best) = (self.world.counting(place), self.best(place));
        let said = &self.world.places[place];
        if said.white != self.white {
            let holds = |m: &&Counting| self.idea(m) > best - LOSES;
            let part = |m: &Counting| (m.child, self.share(place, m.child));
            return moves.iter().filter(holds).map(part).collect();
        }
        let aimed =
            |m: &&Counting| self.idea(m) >= best - SOUND || said.included.contains(&m.child);
        let aimed: Vec<usize> = moves.iter().filter(aimed).map(|m| m.child).collect();
        aimed.iter().map(|child| (*child, 1.0 / aimed.len() as f64)).collect()
    }

    /// How likely lines come to each place: they grow by a move in each round.
    fn likely(&self) -> Vec<f64> {
        let len = self.world.places.len();
        let mut likely = vec![0.0; len];
        likely[0] = 1.0;
        for _ in 0..len {
            for place in (0..len).filter(|place| self.goes_on(*place)) {
                for (child, part) in self.onwards(place) {
                    let through = likely[place] * part;
                    if through >= self.least {
                        likely[child] = f64::max(likely[child], through);
                    }
                }
            }
        }
        likely
    }

    fn ask_if_new(&self, asked: &mut Asked, place: usize) {
        let said = &self.world.places[place];
        let is_leaf = said.stopped || self.world.end(place).is_some();
        if !is_leaf && !self.world.is_analysed(place) {
            asked.entry(place).or_default().insert((None, 0, 1));
        }
    }

    fn see_through(&self, asked: &mut Asked, mut place: usize) {
        for _ in 0..8 {
            self.ask_if_new(asked, place);
            if !self.world.is_analysed(place) {
                return;
            }
            let (moves, best) = (self.world.counting(place), self.best(place));
            place = moves.iter().find(|m| self.idea(m) == best).unwrap().child;
        }
    }

    /// All requests, and the number of replies that fall for a trap.
    fn asked(&self) -> (Asked, usize) {
        let (world, mut asked, mut falling) = (self.world, Asked::new(), 0);
        for (place, likely) in self.likely().into_iter().enumerate() {
            if likely >= self.least {
                self.ask_if_new(&mut asked, place);
            }
            if likely < self.least || !self.goes_on(place) {
                continue;
            }
            let best = self.best(place);
            if world.places[place].white == self.white {
                let is_complete = naive::is_complete(world, place, best, SOUND + 1, 1);
                if likely >= 4.0 * self.least && !is_complete {
                    asked.entry(place).or_default().insert((Some(best), SOUND + 1, 1));
                }
                continue;
            }
            let moves = world.counting(place);
            let is_likely = |child: usize| likely * self.share(place, child) >= self.least;
            let falls = |m: &&Counting| self.idea(m) <= best - LOSES && is_likely(m.child);
            for m in moves.iter().filter(falls) {
                falling += 1;
                self.see_through(&mut asked, m.child);
                let first = moves.iter().find(|m| self.idea(m) == best).unwrap();
                self.see_through(&mut asked, first.child);
            }
            for child in world.waiting(place, &world.played(place)) {
                if is_likely(child) {
                    self.ask_if_new(&mut asked, child);
                }
            }
        }
        (asked, falling)
    }
}

fn shares() -> impl Strategy<Value = Vec<Vec<f64>>> {
    let share = prop_oneof![1 => Just(0.0), 6 => (1..=100_u32).prop_map(|p| f64::from(p) / 100.0)];
    vec(vec(share, 5), 14)
}

proptest! {
    #![proptest_config(cases(8000))]

    #[test]
    fn trap_lines_ask_for_what_the_page_says(
        world in worlds(4..=14),
        shares in shares(),
        white in any::<bool>(),
        depth in 0..=6_u32,
    ) {
        let (graph, ideas) = (world.graph(), naive::ideas(&world));
        let least = 1.0 / f64::from(1_u32 << (2 * depth));
        let question = Question { world: &world, shares: &shares, white, least, ideas };
        let values = Values::of(&graph);
        let side = if white { Color::White } else { Color::Black };
        let share = |from: deepanalyze_core::tree::NodeId, m: shakmaty::packed::PackedUciMove| {
            let mut children = world.places[from.index()].moves.iter().map(|(child, _)| *child);
            children.find(|child| uci(*child) == m.unpack()).map_or(0.0, |child| question.share(from.index(), child))
        };
        let ground = TrapGround { graph: &graph, values: &values, root: node(0), depth, side, share };
        let (mut services, mut work) = (Vec::new(), Work::UNLIMITED);
        ask_for_traps(ground, &mut services, &mut work).unwrap();
        let found: Asked = services.iter().map(|service| {
            let requests = service.requests().iter();
            let requests = requests.map(|r| (r.best.map(|best| best.get().into()), r.distance as i32, r.moves));
            (service.node().index(), requests.collect())
        }).collect();
        prop_assert_eq!(found, question.asked().0);
    }
}
