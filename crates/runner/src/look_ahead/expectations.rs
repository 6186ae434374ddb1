//! Expected answers of searches not made, by another tree and by principal variations, and how far
//! such expectations were off so far.

use hashbrown::HashMap;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{PositionKey, Value};
use deepanalyze_core::search::Answer;

use super::forecast::Forecast;

/// Positions with an expectation; beyond, all is forgotten.
const CAPACITY: usize = 50_000;

/// Initial spread of the surprises: even over this many centipawns up and down.
const SPREAD: i64 = 60;
/// The spread if another tree gives expectations.
const SPREAD_OF_FORECASTS: i64 = 20;

/// A principal variation's move and score for a position behind its first.
#[derive(Debug, Clone, Copy)]
struct Expectation {
    uci: UciMove,
    eval: Value,
    /// Plies behind the searched position.
    plies: usize,
}

/// Expected answers, and the actual ones.
#[derive(Debug)]
pub struct Expectations {
    /// Another tree, if any.
    forecast: Option<Forecast>,
    /// Its errors.
    of_forecast: Surprises,
    moves: HashMap<PositionKey, Expectation>,
    of_moves: Surprises,
}

impl Expectations {
    /// Nothing is expected yet.
    pub fn new() -> Expectations {
        Expectations {
            forecast: None,
            of_forecast: Surprises::new(SPREAD_OF_FORECASTS),
            moves: HashMap::new(),
            of_moves: Surprises::new(SPREAD),
        }
    }

    /// Takes another tree.
    pub fn take_forecast(&mut self, forecast: Forecast) {
        self.forecast = Some(forecast);
    }

    /// Takes a principal variation's expectations of its positions; if the answer is the first of
    /// its position, and one was expected, its error, too.
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

    /// The probable answer for a position with these moves excluded; its score is as far off as one
    /// of the surprises, chosen by `random`.
    pub fn of(
        &self,
        position: &Chess,
        before: &[UciMove],
        random: u64,
    ) -> Option<(UciMove, Value)> {
        if let Some((uci, eval)) = self.foreseen(position, before) {
            return Some((uci, self.of_forecast.surprised(eval, random)));
        }
        // A variation says nothing about alternatives.
        let Expectation { uci, eval, .. } =
            *self.moves.get(&PositionKey::of(position)).filter(|_| before.is_empty())?;
        Some((uci, self.of_moves.surprised(eval, random)))
    }
}

/// Remembered surprises.
const MEMORY: usize = 256;

/// How much better than expected the mover stood, in centipawns; the latest of them.
#[derive(Debug)]
struct Surprises {
    latest: Vec<i64>,
    /// Index of the oldest.
    oldest: usize,
}

impl Surprises {
    /// None yet: spread evenly over `spread` centipawns each way.
    fn new(spread: i64) -> Surprises {
        let steps = i64::try_from(MEMORY).unwrap_or(i64::MAX);
        let latest = (0..steps).map(|step| 2 * spread * step / steps - spread).collect();
        Surprises { latest, oldest: 0 }
    }

    /// Notes an answer where one was expected. Mates are no measure.
    fn note(&mut self, expected: Value, said: Value) {
        if said.is_mate() || expected.is_mate() {
            return;
        }
        if let Some(surprise) = self.latest.get_mut(self.oldest) {
            *surprise = i64::from(said.get()) - i64::from(expected.get());
        }
        self.oldest = (self.oldest + 1) % MEMORY;
    }

    /// A score as far off as one of them, chosen by a random number.
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
    fn variation_predicts_positions_behind_its_first() {
        let mut expectations = Expectations::new();
        expectations.learn(&Chess::default(), 0, &answer(30, "e2e4 e7e5 g1f3"));
        assert_eq!(expectations.of(&Chess::default(), &[], 0), None, "it has its answer");
        let (uci, eval) = expectations.of(&after("e4"), &[], 128).unwrap();
        assert_eq!((uci.to_string().as_str(), eval.get()), ("e7e5", -30), "for the side to move");
        let (uci, eval) = expectations.of(&after("e4 e5"), &[], 128).unwrap();
        assert_eq!((uci.to_string().as_str(), eval.get()), ("g1f3", 30));
    }

    #[test]
    fn the_variation_that_begins_nearer_counts() {
        let mut expectations = Expectations::new();
        expectations.learn(&after("e4"), 0, &answer(-20, "e7e5 b1c3"));
        expectations.learn(&Chess::default(), 0, &answer(30, "e2e4 e7e5 g1f3"));
        assert_eq!(expectations.of(&after("e4 e5"), &[], 0).unwrap().0.to_string(), "b1c3");
    }

    #[test]
    fn scores_are_off_as_they_have_been() {
        let mut expectations = Expectations::new();
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
