//! A worker's reasons to take no jobs for a while, and its hours of the day. Without a connection
//! or a clock.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::message::Token;

/// Pause for a grower that has quarantined it.
const QUARANTINE: Duration = Duration::from_secs(600);
/// A grower silent for this long is forgotten.
const SILENT: Duration = QUARANTINE;
/// Its pause after a failure of its engine; doubled.
const SHORTEST: Duration = Duration::from_secs(5);
/// The longest such pause.
const LONGEST: Duration = Duration::from_secs(600);

/// A worker's reasons to take no jobs.
#[derive(Debug, Default)]
pub struct Pauses {
    /// The growers that reject it, until when, and why.
    barred: BTreeMap<Token, (Instant, String)>,
    /// Each grower's last message.
    askers: BTreeMap<Token, Instant>,
    failing: Option<(Instant, String)>,
    /// Its engine's failures since its last answer.
    failures: u32,
}

impl Pauses {
    /// Notes a grower's rejection.
    pub fn bar(&mut self, grower: Token, why: String, now: Instant) {
        self.barred.insert(grower, (now + QUARANTINE, why));
    }

    /// Notes a grower's job; true unless that has barred it.
    pub fn asked(&mut self, grower: &Token, now: Instant) -> bool {
        let is_barred = self.barred.get(grower).is_some_and(|(until, _)| now < *until);
        if !is_barred {
            self.askers.insert(grower.clone(), now);
        }
        !is_barred
    }

    /// Pauses for a while: others may make the search, and it would have all jobs.
    pub fn failed(&mut self, what: String, now: Instant) {
        let pause = SHORTEST.saturating_mul(1 << self.failures.min(10)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        self.failing = Some((now + pause, what));
    }

    /// Notes an answer.
    pub fn answered(&mut self) {
        self.failures = 0;
    }

    /// Reason to take no jobs in this hour, if any.
    pub fn why(&mut self, hours: Option<Hours>, hour: u8, now: Instant) -> Option<String> {
        self.barred.retain(|_, (until, _)| now < *until);
        self.askers.retain(|_, last| now.saturating_duration_since(*last) < SILENT);
        self.failing = self.failing.take().filter(|(until, _)| now < *until);
        // Others may trust it.
        let barred_by_all = self.askers.keys().all(|asker| self.barred.contains_key(asker));
        if let Some((_, why)) = self.barred.values().next().filter(|_| barred_by_all) {
            return Some(format!("in quarantine: {why}"));
        }
        if let Some((_, why)) = &self.failing {
            return Some(format!("its engine fails: {why}"));
        }
        hours.filter(|hours| !hours.has(hour)).map(|hours| format!("works from {hours}"))
    }
}

/// From one full hour to another, over midnight unless the second is later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hours {
    from: u8,
    to: u8,
}

impl Hours {
    /// True if an hour, 0 to 23, is included.
    pub fn has(self, hour: u8) -> bool {
        if self.from < self.to {
            (self.from..self.to).contains(&hour)
        } else {
            hour >= self.from || hour < self.to
        }
    }
}

impl FromStr for Hours {
    type Err = String;

    fn from_str(text: &str) -> Result<Hours, String> {
        let wrong = || format!("{text:?}: hours like 22-7 are wanted, from 0 to 24");
        let (from, to) = text.split_once('-').ok_or_else(wrong)?;
        let hour = |text: &str| text.trim().parse::<u8>().ok().filter(|hour| *hour <= 24);
        let (from, to) = (hour(from).ok_or_else(wrong)?, hour(to).ok_or_else(wrong)?);
        if from % 24 == to % 24 {
            return Err(format!("{text:?} is the whole day or none of it"));
        }
        Ok(Hours { from: from % 24, to })
    }
}

impl std::fmt::Display for Hours {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str) -> Token {
        Token::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn a_grower_that_rejects_it_stops_it_for_itself_alone() {
        let (mut pauses, now) = (Pauses::default(), Instant::now());
        assert!(pauses.asked(&token("a"), now) && pauses.asked(&token("b"), now));
        pauses.bar(token("a"), "lies".to_owned(), now);
        assert_eq!(pauses.why(None, 0, now), None, "the other does");
        assert!(!pauses.asked(&token("a"), now) && pauses.asked(&token("b"), now));
        pauses.bar(token("b"), "lies".to_owned(), now);
        assert_eq!(pauses.why(None, 0, now), Some("in quarantine: lies".to_owned()));
        assert_eq!(pauses.why(None, 0, now + QUARANTINE), None);
    }

    #[test]
    fn engine_that_keeps_failing_rests_longer_and_longer() {
        let (mut pauses, now) = (Pauses::default(), Instant::now());
        for pause in [5, 10, 20].map(Duration::from_secs) {
            pauses.failed("it dies".to_owned(), now);
            let almost = now + pause.saturating_sub(Duration::from_millis(1));
            assert!(pauses.why(None, 0, almost).is_some_and(|why| why.contains("it dies")));
            assert_eq!(pauses.why(None, 0, now + pause), None);
        }
        pauses.answered();
        pauses.failed("it dies".to_owned(), now);
        assert_eq!(pauses.why(None, 0, now + SHORTEST), None);
    }

    #[test]
    fn outside_its_hours_it_rests() {
        let (mut pauses, hours) = (Pauses::default(), "22-7".parse().ok());
        assert_eq!(pauses.why(hours, 23, Instant::now()), None);
        assert!(pauses.why(hours, 12, Instant::now()).is_some_and(|why| why.contains("22-7")));
    }

    #[test]
    fn hours_may_go_over_midnight() {
        for (text, inside, outside) in
            [("22-7", [22, 0, 6], [7, 12, 21]), ("9-17", [9, 12, 16], [8, 17, 0])]
        {
            let hours: Hours = text.parse().unwrap();
            assert!(inside.iter().all(|hour| hours.has(*hour)), "{text}");
            assert!(!outside.iter().any(|hour| hours.has(*hour)), "{text}");
        }
        let evening: Hours = "18-24".parse().unwrap();
        assert!(evening.has(23) && !evening.has(0) && !evening.has(17));
        for text in ["22", "22-25", "-7", "7-7", "0-24", "24-0", "a-b", ""] {
            assert!(text.parse::<Hours>().is_err(), "{text}");
        }
    }
}
