//! How long to wait before asking again somebody who did not answer.

use std::time::Duration;

/// After the first failure.
const FIRST: Duration = Duration::from_secs(1);
/// It doubles from failure to failure up to this.
const LONGEST: Duration = Duration::from_secs(60);
/// Nobody is waited for longer, whatever they ask for.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Failures in a row, and the waits after them.
#[derive(Debug, Clone, Default)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    /// It went well; true where it had not before.
    pub fn succeeded(&mut self) -> bool {
        std::mem::take(&mut self.failures) > 0
    }

    /// How long to wait after one more failure.
    pub fn failed(&mut self, wanted: Option<Duration>) -> Duration {
        let wait = wait(self.failures, wanted, random_share());
        self.failures = self.failures.saturating_add(1);
        wait
    }
}

/// The wait after so many earlier failures: of all that fail at the same moment not all come back at the same
/// one, so a share (0 to 1) of its second half is left out. At least what is asked for.
fn wait(failures: u32, wanted: Option<Duration>, share: f64) -> Duration {
    let whole = LONGEST.min(FIRST.saturating_mul(1_u32.checked_shl(failures).unwrap_or(u32::MAX)));
    let own = whole.mul_f64(1.0 - share.clamp(0.0, 1.0) / 2.0);
    match wanted {
        // Everybody was told the same.
        Some(wanted) => (wanted.min(PATIENCE) + FIRST.mul_f64(share)).max(own),
        None => own,
    }
}

fn random_share() -> f64 {
    // Without randomness all come back together, which does no harm to this one.
    getrandom::u32().map_or(0.0, |random| f64::from(random) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(failures: u32, wanted: Option<u64>, share: f64) -> f64 {
        wait(failures, wanted.map(Duration::from_secs), share).as_secs_f64()
    }

    #[test]
    fn waits_double_up_to_a_minute() {
        let waits: Vec<f64> = (0..9).map(|failures| seconds(failures, None, 0.0)).collect();
        assert_eq!(waits, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]);
        assert_eq!(seconds(u32::MAX, None, 0.0), 60.0);
        assert_eq!(seconds(3, None, 1.0), 4.0);
    }

    #[test]
    fn what_is_asked_for_is_kept_up_to_an_hour() {
        assert_eq!(seconds(0, Some(30), 0.0), 30.0);
        assert_eq!(seconds(0, Some(30), 1.0), 31.0);
        assert_eq!(seconds(6, Some(3), 0.0), 60.0);
        assert_eq!(seconds(0, Some(u64::MAX), 0.0), 3600.0);
    }

    #[test]
    fn a_success_begins_anew() {
        let mut backoff = Backoff::default();
        assert!(!backoff.succeeded());
        for _ in 0..10 {
            backoff.failed(None);
        }
        assert!(backoff.failed(None) >= Duration::from_secs(30));
        assert!(backoff.succeeded());
        assert!(backoff.failed(None) <= Duration::from_secs(1));
    }
}
