//! Why a worker takes nothing for a while. It has neither a connection nor a clock.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::message::Token;

use super::Hours;

/// For how long it makes nothing for a grower that does not believe it.
const QUARANTINE: Duration = Duration::from_secs(600);
/// A grower that has sent nothing for so long is forgotten.
const SILENT: Duration = QUARANTINE;
/// For how long it rests where its engine has failed; the pause doubles.
const SHORTEST: Duration = Duration::from_secs(5);
/// The longest such pause.
const LONGEST: Duration = Duration::from_secs(600);

/// What keeps a worker from taking jobs.
#[derive(Debug, Default)]
pub struct Rests {
    /// The growers that do not believe it, until when, and why.
    barred: BTreeMap<Token, (Instant, String)>,
    /// When each grower has sent something last.
    askers: BTreeMap<Token, Instant>,
    failing: Option<(Instant, String)>,
    /// How often its engine has failed since it answered last.
    failures: u32,
}

impl Rests {
    /// A grower does not believe it.
    pub fn bar(&mut self, grower: Token, why: String, now: Instant) {
        self.barred.insert(grower, (now + QUARANTINE, why));
    }

    /// A grower has sent a job; whether it wants this worker to make it.
    pub fn asked(&mut self, grower: &Token, now: Instant) -> bool {
        let is_barred = self.barred.get(grower).is_some_and(|(until, _)| now < *until);
        if !is_barred {
            self.askers.insert(grower.clone(), now);
        }
        !is_barred
    }

    /// Its engine cannot make a search: others may. It rests for a while, else it would have all jobs.
    pub fn failed(&mut self, what: String, now: Instant) {
        let pause = SHORTEST.saturating_mul(1 << self.failures.min(10)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        self.failing = Some((now + pause, what));
    }

    /// Its engine has answered.
    pub fn answered(&mut self) {
        self.failures = 0;
    }

    /// Why it takes nothing in this hour of the day.
    pub fn why(&mut self, hours: Option<Hours>, hour: u8, now: Instant) -> Option<String> {
        self.barred.retain(|_, (until, _)| now < *until);
        self.askers.retain(|_, last| now.saturating_duration_since(*last) < SILENT);
        self.failing = self.failing.take().filter(|(until, _)| now < *until);
        // Others may believe it.
        let nobody_else = self.askers.keys().all(|asker| self.barred.contains_key(asker));
        if let Some((_, why)) = self.barred.values().next().filter(|_| nobody_else) {
            return Some(format!("in quarantine: {why}"));
        }
        if let Some((_, why)) = &self.failing {
            return Some(format!("its engine fails: {why}"));
        }
        hours.filter(|hours| !hours.has(hour)).map(|hours| format!("works from {hours}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str) -> Token {
        Token::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn a_grower_that_does_not_believe_it_stops_it_for_itself_alone() {
        let (mut rests, now) = (Rests::default(), Instant::now());
        assert!(rests.asked(&token("a"), now) && rests.asked(&token("b"), now));
        rests.bar(token("a"), "lies".to_owned(), now);
        assert_eq!(rests.why(None, 0, now), None, "the other does");
        assert!(!rests.asked(&token("a"), now) && rests.asked(&token("b"), now));
        rests.bar(token("b"), "lies".to_owned(), now);
        assert_eq!(rests.why(None, 0, now), Some("in quarantine: lies".to_owned()));
        assert_eq!(rests.why(None, 0, now + QUARANTINE), None);
    }

    #[test]
    fn an_engine_that_fails_again_and_again_rests_longer_and_longer() {
        let (mut rests, now) = (Rests::default(), Instant::now());
        for pause in [5, 10, 20].map(Duration::from_secs) {
            rests.failed("it dies".to_owned(), now);
            let almost = now + pause.saturating_sub(Duration::from_millis(1));
            assert!(rests.why(None, 0, almost).is_some_and(|why| why.contains("it dies")));
            assert_eq!(rests.why(None, 0, now + pause), None);
        }
        rests.answered();
        rests.failed("it dies".to_owned(), now);
        assert_eq!(rests.why(None, 0, now + SHORTEST), None);
    }

    #[test]
    fn outside_its_hours_it_rests() {
        let (mut rests, hours) = (Rests::default(), "22-7".parse().ok());
        assert_eq!(rests.why(hours, 23, Instant::now()), None);
        assert!(rests.why(hours, 12, Instant::now()).is_some_and(|why| why.contains("22-7")));
    }
}
