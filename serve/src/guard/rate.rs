//! How many requests there may be.

use std::time::Instant;

/// So many at once, and then so many a second.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    most: f64,
    per_second: f64,
    left: f64,
    at: Instant,
}

impl Rate {
    /// A rate that nothing has been taken of.
    pub fn new(most: u32, per_second: u32, now: Instant) -> Rate {
        let most = f64::from(most);
        Rate { most, per_second: f64::from(per_second), left: most, at: now }
    }

    /// Takes one; whether there was one left.
    pub fn take(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * self.per_second).min(self.most);
        self.at = now.max(self.at);
        let is_left = self.left >= 1.0;
        if is_left {
            self.left -= 1.0;
        }
        is_left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_burst_is_let_through_and_then_so_many_a_second() {
        let began = Instant::now();
        let mut rate = Rate::new(3, 10, began);
        let mut taken = |ms: u64, tries: usize| {
            let now = began + Duration::from_millis(ms);
            (0..tries).filter(|_| rate.take(now)).count()
        };
        assert_eq!(taken(0, 5), 3);
        assert_eq!(taken(50, 5), 0);
        assert_eq!(taken(100, 5), 1);
        assert_eq!(taken(350, 5), 2);
        assert_eq!(taken(60_000, 9), 3, "no more than at once");
        assert_eq!(taken(59_000, 9), 0, "time that goes back gives nothing");
    }
}
