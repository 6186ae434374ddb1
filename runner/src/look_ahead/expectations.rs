//! What the stage before and principal variations let expect of searches that are not made, and how far
//! such expectations were off so far.

use hashbrown::HashMap;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{PositionKey, Value};
use deepanalyze_core::search::Answer;
use deepanalyze_core::tree::Growth;

/// Positions of which something is expected; beyond, all is forgotten.
const CAPACITY: usize = 50_000;

/// Before there are surprises, they are taken to be spread evenly over so many centipawns up and down.
const SPREAD: i64 = 60;
/// The same where the stage before says what to expect.
const SPREAD_OF_STAGES: i64 = 20;

/// A move and a score that a principal variation has for a position behind its first.
#[derive(Debug, Clone, Copy)]
struct Expectation {
    uci: UciMove,
    eval: Value,
    /// Plies behind the searched position.
    plies: usize,
}

/// Expected answers, and what engines said instead.
#[derive(Debug)]
pub struct Expectations {
    /// The stage before, where there is one.
    forecast: Option<Forecast>,
    /// How far it was off.
    of_forecast: Surprises,
    moves: HashMap<PositionKey, Expectation>,
    of_moves: Surprises,
}

impl Expectations {
    /// What the stage before says, where there is one.
    pub fn new(forecast: Option<Forecast>) -> Expectations {
        Expectations {
            forecast,
            of_forecast: Surprises::new(SPREAD_OF_STAGES),
            moves: HashMap::new(),
            of_moves: Surprises::new(SPREAD),
        }
    }

    /// Takes what a principal variation lets expect of the positions in it; where the answer is the
    /// first of its position, and one was expected, how far off that was.
    pub fn learn(&mut self, position: &Chess, rank: usize, answer: &Answer) {
        let mut eval = Value::from(answer.score);
        if rank == 0 {
            self.compare(position, eval);
        }
        if self.moves.len() >= CAPACITY {
            self.moves.clear();
        }
        let mut position = position.clone();
        for (plies, uci) in answer.pv.iter().enumerate() {
            let Ok(m) = uci.to_move(&position) else { return };
            if plies > 0 {
                self.expect(&position, Expectation { uci: *uci, eval, plies });
            }
            position.play_unchecked(m);
            eval = eval.step();
        }
    }

    fn expect(&mut self, position: &Chess, new: Expectation) {
        let old = self.moves.entry(PositionKey::of(position)).or_insert(new);
        if new.plies <= old.plies {
            *old = new;
        }
    }

    fn compare(&mut self, position: &Chess, said: Value) {
        if let Some((_, expected)) = self.foreseen(position, &[]) {
            self.of_forecast.note(expected, said);
        }
        if let Some(expected) = self.moves.get(&PositionKey::of(position)) {
            self.of_moves.note(expected.eval, said);
        }
    }

    fn foreseen(&self, position: &Chess, before: &[UciMove]) -> Option<(UciMove, Value)> {
        self.forecast.as_ref()?.of(position, before)
    }

    /// What an engine will probably say of a position in which these moves are excluded; its score is as
    /// far off as one of the surprises was, which one `random` says.
    pub fn of(
        &self,
        position: &Chess,
        before: &[UciMove],
        random: u64,
    ) -> Option<(UciMove, Value)> {
        if let Some((uci, eval)) = self.foreseen(position, before) {
            return Some((uci, self.of_forecast.surprised(eval, random)));
        }
        // Of an alternative, a variation says nothing.
        let Expectation { uci, eval, .. } =
            *self.moves.get(&PositionKey::of(position)).filter(|_| before.is_empty())?;
        Some((uci, self.of_moves.surprised(eval, random)))
    }
}

/// The tree of the stage before.
#[derive(Debug)]
pub struct Forecast {
    growth: Growth,
}

impl Forecast {
    /// The forecast of a tree.
    pub fn new(growth: Growth) -> Forecast {
        Forecast { growth }
    }

    /// The best of the moves that it lists besides these, with a score for its mover halfway between the
    /// engine's and the one that the tree has backed up: of 16 roots, 16 engines were 7.3 times as fast as one,
    /// with the engine's score alone 6.9 times, with the tree's alone 7.0, and 6.0 without a stage before.
    pub fn of(&self, position: &Chess, before: &[UciMove]) -> Option<(UciMove, Value)> {
        let node = self.growth.find(&PositionKey::of(position))?;
        let list = self.growth.graph().list(node);
        let next = list.iter().find(|edge| !before.contains(&edge.uci.unpack()))?;
        let idea = self.growth.values().idea_of(self.growth.graph(), next);
        Some((next.uci.unpack(), halfway(next.eval, idea)))
    }
}

/// The mean of two scores; the engine's where one is mate.
fn halfway(engine: Value, tree: Value) -> Value {
    if engine.is_mate() || tree.is_mate() {
        return engine;
    }
    let sum = i64::from(engine.get()) + i64::from(tree.get());
    Value::new(sum / 2).unwrap_or(engine)
}

/// Surprises that are remembered.
const MEMORY: usize = 256;

/// How much better the mover stood than was expected, in centipawns; the latest of them.
#[derive(Debug)]
struct Surprises {
    latest: Vec<i64>,
    /// Which of them is the oldest.
    oldest: usize,
}

impl Surprises {
    /// None yet: spread evenly over so many centipawns up and down.
    fn new(spread: i64) -> Surprises {
        let steps = i64::try_from(MEMORY).unwrap_or(i64::MAX);
        let latest = (0..steps).map(|step| 2 * spread * step / steps - spread).collect();
        Surprises { latest, oldest: 0 }
    }

    /// Notes what was said where something was expected. Mates are no measure.
    fn note(&mut self, expected: Value, said: Value) {
        if said.is_mate() || expected.is_mate() {
            return;
        }
        if let Some(surprise) = self.latest.get_mut(self.oldest) {
            *surprise = i64::from(said.get()) - i64::from(expected.get());
        }
        self.oldest = (self.oldest + 1) % MEMORY;
    }

    /// A score that is as far off as one of them was; which one, a random number says.
    fn surprised(&self, eval: Value, random: u64) -> Value {
        let index = usize::try_from(random % MEMORY as u64).unwrap_or(0);
        let Some(surprise) = self.latest.get(index).filter(|_| !eval.is_mate()) else {
            return eval;
        };
        let other = Value::new(i64::from(eval.get()).saturating_add(*surprise));
        other.filter(|value| !value.is_mate()).unwrap_or(eval)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    use deepanalyze_core::chess::Score;

    fn answer(cp: i32, pv: &str) -> Answer {
        let pv: Vec<UciMove> = pv.split(' ').map(|uci| uci.parse().unwrap()).collect();
        let score = Score::Cp(cp);
        Answer {
            best: pv[0],
            score,
            wdl: None,
            depth: 1,
            seldepth: 1,
            nodes: 1,
            time: Duration::ZERO,
            pv,
        }
    }

    fn after(moves: &str) -> Chess {
        let mut game = deepanalyze_core::chess::Game::from_position(Chess::default());
        game.play_line(moves).unwrap();
        game.root().clone()
    }

    #[test]
    fn a_variation_tells_what_to_expect_of_the_positions_behind_its_first() {
        let mut expectations = Expectations::new(None);
        expectations.learn(&Chess::default(), 0, &answer(30, "e2e4 e7e5 g1f3"));
        assert_eq!(expectations.of(&Chess::default(), &[], 0), None, "it has its answer");
        let (uci, eval) = expectations.of(&after("e4"), &[], 128).unwrap();
        assert_eq!((uci.to_string().as_str(), eval.get()), ("e7e5", -30), "for the side to move");
        let (uci, eval) = expectations.of(&after("e4 e5"), &[], 128).unwrap();
        assert_eq!((uci.to_string().as_str(), eval.get()), ("g1f3", 30));
    }

    #[test]
    fn the_variation_that_begins_nearer_counts() {
        let mut expectations = Expectations::new(None);
        expectations.learn(&after("e4"), 0, &answer(-20, "e7e5 b1c3"));
        expectations.learn(&Chess::default(), 0, &answer(30, "e2e4 e7e5 g1f3"));
        assert_eq!(expectations.of(&after("e4 e5"), &[], 0).unwrap().0.to_string(), "b1c3");
    }

    #[test]
    fn scores_are_off_as_they_have_been() {
        let mut expectations = Expectations::new(None);
        expectations.learn(&Chess::default(), 0, &answer(30, "e2e4 e7e5"));
        for _ in 0..MEMORY {
            expectations.learn(&after("e4"), 0, &answer(20, "c7c5"));
        }
        for random in 0..MEMORY as u64 {
            assert_eq!(expectations.of(&after("e4"), &[], random).unwrap().1.get(), 20, "-30 + 50");
        }
        expectations.learn(&after("e4"), 1, &answer(-500, "e7e6"));
        assert!(
            (0..MEMORY as u64)
                .all(|n| expectations.of(&after("e4"), &[], n).unwrap().1.get() == 20),
            "an alternative says nothing of what was expected of the best move"
        );
    }
}
