//! How far expected scores were off.

use deepanalyze_core::chess::Value;

/// Surprises that are remembered.
pub const MEMORY: usize = 256;

/// How much better the mover stood than was expected, in centipawns; the latest of them.
#[derive(Debug)]
pub struct Surprises {
    latest: Vec<i64>,
    /// Which of them is the oldest.
    oldest: usize,
}

impl Surprises {
    /// None yet: spread evenly over so many centipawns up and down.
    pub fn new(spread: i64) -> Surprises {
        let steps = i64::try_from(MEMORY).unwrap_or(i64::MAX);
        let latest = (0..steps).map(|step| 2 * spread * step / steps - spread).collect();
        Surprises { latest, oldest: 0 }
    }

    /// Notes what was said where something was expected. Mates are no measure.
    pub fn note(&mut self, expected: Value, said: Value) {
        if said.is_mate() || expected.is_mate() {
            return;
        }
        if let Some(surprise) = self.latest.get_mut(self.oldest) {
            *surprise = i64::from(said.get()) - i64::from(expected.get());
        }
        self.oldest = (self.oldest + 1) % MEMORY;
    }

    /// A score that is as far off as one of them was; which one, a random number says.
    pub fn surprised(&self, eval: Value, random: u64) -> Value {
        let index = usize::try_from(random % MEMORY as u64).unwrap_or(0);
        let Some(surprise) = self.latest.get(index).filter(|_| !eval.is_mate()) else {
            return eval;
        };
        let other = Value::new(i64::from(eval.get()).saturating_add(*surprise));
        other.filter(|value| !value.is_mate()).unwrap_or(eval)
    }
}
