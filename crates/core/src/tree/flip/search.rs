//! The search for the smallest change that makes another move the best.

use std::cmp::Reverse;

use hashbrown::HashSet;
use shakmaty::Color;

use crate::chess::Value;

use super::strategy::{Aim, Strategy};
use super::{Flip, MovedLeaf, Stability};
use crate::tree::rescoring::game::GameGraph;
use crate::tree::rescoring::rescored::{Leaf, Rescoring};
use crate::tree::rescoring::valuation::Valuation;
use crate::tree::work::{Spent, Work};

/// Rivals tried at each change: those that can be worth most.
const RIVALS: usize = 3;
/// With more leaves than this, none is left out on trial.
const MOST_LEAVES: usize = 32;
/// Work of a position in a circle, in moves.
const IN_A_CIRCLE: u64 = 16;

/// The game, its present values, and the work left.
pub struct Search<'a> {
    leaves: &'a Rescoring,
    game: &'a GameGraph,
    now: Valuation<'a>,
    /// The best move.
    best: usize,
    /// The greatest change sought.
    most: u32,
    work: Work,
    each: u64,
}

/// Effect of moving all leaves by the same change.
struct Reach<'a> {
    change: u32,
    /// In favour of the root's side, and against it.
    high: Valuation<'a>,
    low: Valuation<'a>,
}

/// Result when the work is done or spent.
pub struct Outcome {
    /// No smaller change makes another move the best; one more than the greatest sought if none up
    /// to that does.
    pub at_least: u32,
    found: Option<Found>,
}

/// A change that makes another move the best, without its lines.
struct Found {
    scores: Vec<Value>,
    /// The leaves that differ.
    changed: Vec<usize>,
    best: usize,
    strategies: [Strategy; 2],
}

impl Outcome {
    /// The leaves that the found change moves, with their scores then; empty if none was found.
    pub fn moved(&self) -> impl Iterator<Item = (Leaf, Value)> {
        let found = self.found.iter();
        found.flat_map(|f| f.changed.iter().map(|m| (Leaf(*m), f.scores[*m])))
    }
}

impl<'a> Search<'a> {
    /// A search with the leaves as they are; None if the root has no move. No change greater than
    /// `most` centipawns is sought, nor are more than `most_work` moves looked at.
    pub fn new(leaves: &'a Rescoring, most: u32, most_work: u64) -> Option<Search<'a>> {
        let game = leaves.game();
        let now = Valuation::new(game, leaves.scores().to_vec());
        let best = now.first_of_best(game.root())?;
        let each = game.moves_in_all() as u64 + IN_A_CIRCLE * game.in_circles() as u64;
        Some(Search { leaves, game, now, best, most, work: Work::up_to(most_work), each })
    }

    /// Searches while there is work left.
    pub fn run(&mut self) -> Outcome {
        let mut at_least = self.least_by_lead().min(self.most + 1);
        // The bound so far holds when the work is spent.
        let found = self.bound(&mut at_least).and_then(|()| self.smallest(at_least));
        Outcome { at_least, found: found.unwrap_or_default() }
    }

    /// The bound alone: no smaller change makes another move the best.
    pub fn least(&mut self) -> u32 {
        let mut at_least = self.least_by_lead().min(self.most + 1);
        // The bound so far holds when the work is spent.
        let _ = self.bound(&mut at_least);
        at_least
    }

    /// The result, with its lines.
    pub fn stability(mut self) -> Stability {
        let Outcome { at_least, found } = self.run();
        Stability { at_least, flip: found.map(|found| self.told(found)) }
    }

    /// Leaves of two strategies: one raises the rival with the greatest reach as far as a change of
    /// this size can, the other lowers the best move to it. Leaves in both keep that from being a
    /// flip. For use if no flip was found and none is ruled out.
    pub fn supports(&self, change: u32) -> Vec<Leaf> {
        let (side, by) = (self.side(), centipawns(change));
        let high = Valuation::new(self.game, self.leaves.shifted(by, side));
        let low = Valuation::new(self.game, self.leaves.shifted(by, !side));
        let reach = Reach { change, high, low };
        let nearest = self.rivals().filter_map(|m| Some((self.overlap(&reach, m)?.1, Reverse(m))));
        let Some((level, Reverse(rival))) = nearest.max() else { return Vec::new() };
        let [up, down] = self.aims(rival, level)[0];
        let of = |aim, reachable| Strategy::new(self.game, aim, &self.now, reachable).leaves;
        let leaves = [of(up, &reach.high), of(down, &reach.low)].concat();
        leaves.into_iter().map(Leaf).filter(|leaf| self.leaves.can_move(*leaf)).collect()
    }

    fn side(&self) -> Color {
        self.game.turn(self.game.root())
    }

    fn value(&mut self, scores: Vec<Value>) -> Result<Valuation<'a>, Spent> {
        self.work.spend(self.each)?;
        Ok(Valuation::new(self.game, scores))
    }

    /// The effect of moving all leaves by `change` either way.
    fn reach(&mut self, change: u32) -> Result<Reach<'a>, Spent> {
        let (side, by) = (self.side(), centipawns(change));
        let high = self.value(self.leaves.shifted(by, side))?;
        let low = self.value(self.leaves.shifted(by, !side))?;
        Ok(Reach { change, high, low })
    }

    fn rivals(&self) -> impl Iterator<Item = usize> + use<> {
        let best = self.best;
        self.game.moves(self.game.root()).filter(move |m| *m != best)
    }

    /// Lead that a rival needs over the best move: of equal moves the first is the best.
    fn margin(&self, rival: usize) -> i32 {
        i32::from(rival > self.best)
    }

    /// A bound by the present values: no value changes by more than the leaves do, so the change is
    /// at least half of the nearest rival's deficit.
    fn least_by_lead(&self) -> u32 {
        let worth = |m| i32::from(self.now.worth(m).get());
        let lead = |rival| worth(self.best) - worth(rival) + self.margin(rival);
        let least = self.rivals().map(lead).min().map_or(i32::MAX, |lead| lead.max(1));
        least.unsigned_abs().div_ceil(2)
    }

    /// The values at which a rival can take the first place, for the root's side; None if it
    /// cannot.
    fn overlap(&self, reach: &Reach<'_>, rival: usize) -> Option<(i32, i32)> {
        let low = i32::from(reach.low.worth(self.best).get()) + self.margin(rival);
        let high = i32::from(reach.high.worth(rival).get());
        (low <= high).then_some((low, high))
    }

    fn is_open(&self, reach: &Reach<'_>) -> bool {
        self.rivals().any(|rival| self.overlap(reach, rival).is_some())
    }

    /// Raises the bound as far as the reaches of the moves tell.
    fn bound(&mut self, at_least: &mut u32) -> Result<(), Spent> {
        if *at_least > self.most {
            return Ok(());
        }
        let reach = self.reach(*at_least)?;
        if self.is_open(&reach) {
            return Ok(());
        }
        *at_least += 1;
        let reach = self.reach(self.most)?;
        if !self.is_open(&reach) {
            *at_least = self.most + 1;
            return Ok(());
        }
        let mut open = self.most;
        while *at_least < open {
            let middle = u32::midpoint(*at_least, open);
            let reach = self.reach(middle)?;
            if self.is_open(&reach) {
                open = middle;
            } else {
                *at_least = middle + 1;
            }
        }
        Ok(())
    }

    /// The smallest flip found from the bound on, in doubled steps and then by halving. Once one is
    /// found, spent work ends the search with it; before, it is an error.
    fn smallest(&mut self, at_least: u32) -> Result<Option<Found>, Spent> {
        let (mut failed, mut next) = (at_least - 1, at_least);
        let mut found = loop {
            if next > self.most {
                return Ok(None);
            }
            if let Some(found) = self.flip(next)? {
                break found;
            }
            let step = 2 * (next - failed);
            failed = next;
            next = if next < self.most { self.most.min(next + step) } else { next + 1 };
        };
        while self.change_of(&found) > failed + 1 {
            let middle = u32::midpoint(failed, self.change_of(&found));
            match self.flip(middle) {
                Ok(Some(smaller)) => found = smaller,
                Ok(None) => failed = middle,
                Err(Spent) => break,
            }
        }
        Ok(Some(self.shrunk(found)))
    }

    fn change_of(&self, found: &Found) -> u32 {
        let change = |m: &usize| found.scores[*m].get().abs_diff(self.now.scores()[*m].get());
        found.changed.iter().map(change).max().map_or(0, u32::from)
    }

    /// A flip of at most this change.
    fn flip(&mut self, change: u32) -> Result<Option<Found>, Spent> {
        let reach = self.reach(change)?;
        let overlap = |rival| Some((rival, self.overlap(&reach, rival)?));
        let mut rivals: Vec<(usize, (i32, i32))> = self.rivals().filter_map(overlap).collect();
        rivals.sort_by_key(|(rival, (_, high))| (Reverse(*high), *rival));
        for (rival, overlap) in rivals.into_iter().take(RIVALS) {
            for level in self.levels(rival, overlap) {
                for aims in self.aims(rival, level) {
                    if let Some(found) = self.separate(&reach, aims)? {
                        return Ok(Some(found));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The values of a rival to try: the ends of the range, and those at which one of both stays as
    /// it is.
    fn levels(&self, rival: usize, (low, high): (i32, i32)) -> Vec<i32> {
        let worth = |m| i32::from(self.now.worth(m).get());
        let stays = [worth(rival), worth(self.best) + self.margin(rival)];
        let mut levels = vec![high, low];
        levels.extend(stays.into_iter().filter(|level| (low..=high).contains(level)));
        levels.retain(|level| Value::new(i64::from(*level)).is_some_and(|level| !level.is_mate()));
        let mut seen = HashSet::new();
        levels.retain(|level| seen.insert(*level));
        levels
    }

    /// The aims of both sides for a rival to be worth at least this, in both orders.
    fn aims(&self, rival: usize, level: i32) -> [[Aim; 2]; 2] {
        let side = self.side();
        let up = Aim { root_move: rival, side, least: level };
        let least = self.margin(rival) - level;
        let down = Aim { root_move: self.best, side: !side, least };
        [[up, down], [down, up]]
    }

    /// Reaches one aim, and then the other, holding the leaves that the first rests on where it
    /// needs them.
    fn separate(
        &mut self,
        reach: &Reach<'_>,
        [first, second]: [Aim; 2],
    ) -> Result<Option<Found>, Spent> {
        let game = self.game;
        let towards = |side| if side == self.side() { &reach.high } else { &reach.low };
        let one = Strategy::new(game, first, &self.now, towards(first.side));
        let mut held = towards(second.side).scores().to_vec();
        raise(game, &one, first, &mut held);
        let reachable = self.value(held)?;
        let worth = i32::from(reachable.worth(second.root_move).get());
        if (if second.side == self.side() { worth } else { -worth }) < second.least {
            return Ok(None);
        }
        let mut scores = self.now.scores().to_vec();
        raise(game, &one, first, &mut scores);
        let raised = self.value(scores)?;
        let other = Strategy::new(game, second, &raised, &reachable);
        let mut scores = raised.scores().to_vec();
        raise(game, &other, second, &mut scores);
        let found = self.is_flip(scores)?.map(|(best, scores)| {
            let differs = |m: &usize| scores[*m] != self.now.scores()[*m];
            let changed = (0..scores.len()).filter(differs).collect();
            Found { scores, changed, best, strategies: [one, other] }
        });
        debug_assert!(found.as_ref().is_some_and(|f| self.change_of(f) <= reach.change));
        Ok(found)
    }

    /// The best move with some scores, if it is another one.
    fn is_flip(&mut self, scores: Vec<Value>) -> Result<Option<(usize, Vec<Value>)>, Spent> {
        let valuation = self.value(scores)?;
        let best = valuation.first_of_best(self.game.root()).filter(|best| *best != self.best);
        Ok(best.map(|best| (best, valuation.scores().to_vec())))
    }

    /// Removes leaves that need not change from a flip. As leaves that two moves share may be in
    /// the way, too, those that stay are tried again after others have gone.
    fn shrunk(&mut self, mut found: Found) -> Found {
        let mut left = usize::MAX;
        while found.changed.len() < left && found.changed.len() <= MOST_LEAVES {
            left = found.changed.len();
            for m in found.changed.clone() {
                let mut scores = found.scores.clone();
                scores[m] = self.now.scores()[m];
                match self.is_flip(scores) {
                    Ok(Some((best, scores))) => {
                        found.changed.retain(|other| *other != m);
                        (found.best, found.scores) = (best, scores);
                    }
                    Ok(None) => {}
                    Err(Spent) => return found,
                }
            }
        }
        found
    }

    fn told(&self, found: Found) -> Flip {
        let (game, best) = (self.game, self.game.uci(self.best));
        let leaf = |m: &usize| {
            let [one, other] = &found.strategies;
            let of = if one.leaves.contains(m) { one } else { other };
            let mover = game.turn(game.place_of(*m));
            let (from, to) = (self.now.scores()[*m], found.scores[*m]);
            MovedLeaf { line: of.line_to(game, *m), mover, from, to }
        };
        let mut leaves: Vec<MovedLeaf> = found.changed.iter().map(leaf).collect();
        leaves.sort_by_key(|leaf| (leaf.line.first() != Some(&best), leaf.line.len()));
        Flip { change: self.change_of(&found), best: game.uci(found.best), leaves }
    }
}

/// Raises the leaves that a strategy rests on to at least its aim.
fn raise(game: &GameGraph, strategy: &Strategy, aim: Aim, scores: &mut [Value]) {
    for m in &strategy.leaves {
        let is_own = game.turn(game.place_of(*m)) == aim.side;
        let score = i32::from(scores[*m].get());
        if (if is_own { score } else { -score }) < aim.least {
            let least = i64::from(if is_own { aim.least } else { -aim.least });
            scores[*m] = Value::new(least).unwrap_or(scores[*m]);
        }
    }
}

fn centipawns(change: u32) -> i32 {
    i32::try_from(change).unwrap_or(i32::MAX)
}
