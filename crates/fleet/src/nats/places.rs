//! Places of a grower's jobs in the broker's queues: jobs are deleted by these numbers. Without a
//! connection or a clock.
//!
//! A number is valid in one queue only: if a broker comes back with another, the number there is
//! another grower's.

use std::collections::HashMap;

use crate::message::Token;
use crate::subjects::Lane;

/// A job on its way, or in its queue.
#[derive(Debug)]
struct JobPlace {
    lane: Lane,
    sending: u64,
    number: Option<u64>,
}

/// The numbers of jobs.
#[derive(Debug, Default)]
pub(super) struct Places {
    places: HashMap<Token, JobPlace>,
    sendings: u64,
    /// Sendings up to this went to lost queues.
    lost: u64,
    /// The queues, by their times of creation.
    queues: HashMap<Lane, i128>,
    /// Jobs to delete once the queue is known to be the same.
    unwanted: Vec<(Lane, u64)>,
    /// Queues of sendings whose jobs were forgotten before their numbers came.
    coming: HashMap<u64, Lane>,
}

impl Places {
    /// Notes a sending. Returns its number.
    pub(super) fn send(&mut self, id: Token, lane: Lane) -> u64 {
        self.forget(&id);
        self.sendings += 1;
        self.places.insert(id, JobPlace { lane, sending: self.sendings, number: None });
        self.sendings
    }

    /// Notes a job's number. Returns its place if it is to be deleted: it was forgotten.
    pub(super) fn placed(&mut self, id: &Token, sending: u64, number: u64) -> Option<(Lane, u64)> {
        if let Some(lane) = self.coming.remove(&sending) {
            return (sending > self.lost).then_some((lane, number));
        }
        let place = self.places.get_mut(id).filter(|place| place.sending == sending)?;
        place.number = Some(number);
        None
    }

    /// Notes a job without a place.
    pub(super) fn not_placed(&mut self, id: &Token, sending: u64) {
        self.coming.remove(&sending);
        self.places.retain(|other, place| other != id || place.sending != sending);
    }

    /// Forgets a job that is done or to be deleted.
    pub(super) fn forget(&mut self, id: &Token) -> Option<(Lane, u64)> {
        let JobPlace { lane, sending, number } = self.places.remove(id)?;
        if number.is_none() {
            self.coming.insert(sending, lane);
        }
        number.map(|number| (lane, number))
    }

    /// Notes a job to delete if the queue is found to be the same.
    pub(super) fn is_unwanted(&mut self, lane: Lane, number: u64) {
        self.unwanted.push((lane, number));
    }

    /// Notes a queue by its time of creation: the known one, or another. Returns the jobs to delete
    /// in it.
    pub(super) fn is_there(&mut self, lane: Lane, made: i128) -> Vec<(Lane, u64)> {
        let before = self.queues.insert(lane, made);
        let unwanted: Vec<_> = self.unwanted.extract_if(.., |(of, _)| *of == lane).collect();
        if before.is_none_or(|before| before == made) {
            return unwanted;
        }
        self.lost = self.sendings;
        self.places.retain(|_, place| place.lane != lane);
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANE: Lane = Lane::Required;

    fn token(text: &str) -> Token {
        Token::try_from(text.to_owned()).unwrap()
    }

    fn places() -> (Places, Token) {
        let mut places = Places::default();
        assert!(places.is_there(LANE, 1).is_empty());
        (places, token("a"))
    }

    #[test]
    fn old_number_deletes_nothing_in_a_new_queue() {
        let (mut places, a) = places();
        let sending = places.send(a.clone(), LANE);
        assert_eq!(places.placed(&a, sending, 5), None);
        places.is_unwanted(LANE, 4);
        assert!(places.is_there(LANE, 2).is_empty(), "it is another queue");
        assert_eq!(places.forget(&a), None);
        let sending = places.send(a.clone(), LANE);
        places.placed(&a, sending, 1);
        assert_eq!(places.forget(&a), Some((LANE, 1)));
    }

    #[test]
    fn unwanted_job_is_deleted_later_in_the_same_queue() {
        let (mut places, a) = places();
        let sending = places.send(a.clone(), LANE);
        places.placed(&a, sending, 5);
        let (lane, number) = places.forget(&a).unwrap();
        places.is_unwanted(lane, number);
        assert_eq!(places.is_there(LANE, 1), [(LANE, 5)]);
        assert!(places.is_there(LANE, 1).is_empty());
    }

    #[test]
    fn job_forgotten_before_its_number_is_deleted_then() {
        let (mut places, a) = places();
        let first = places.send(a.clone(), LANE);
        let second = places.send(a.clone(), LANE);
        assert_eq!(places.placed(&a, first, 5), Some((LANE, 5)), "it was sent again");
        assert_eq!(places.forget(&a), None);
        places.not_placed(&a, second);
        assert!(places.places.is_empty() && places.coming.is_empty());
    }
}
