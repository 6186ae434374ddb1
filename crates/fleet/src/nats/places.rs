//! Where a grower's jobs are in the queues of the broker: by these numbers they are deleted. It has neither a
//! connection nor a clock.
//!
//! A number means something in one queue only: where a broker comes back with another, what has the number
//! there is somebody else's.

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
    /// Sendings up to this went to queues that are no more.
    lost: u64,
    /// Which queues they are, by when they were made.
    queues: HashMap<Lane, i128>,
    /// What is to be deleted once it is known that the queue is the same.
    unwanted: Vec<(Lane, u64)>,
    /// The queues of sendings whose jobs were forgotten before their numbers came.
    coming: HashMap<u64, Lane>,
}

impl Places {
    /// A job is sent, perhaps again. Gives the number of the sending.
    pub(super) fn send(&mut self, id: Token, lane: Lane) -> u64 {
        self.forget(&id);
        self.sendings += 1;
        self.places.insert(id, JobPlace { lane, sending: self.sendings, number: None });
        self.sendings
    }

    /// A job has come to a queue. Gives what is to be deleted: nobody wants it any more.
    pub(super) fn placed(&mut self, id: &Token, sending: u64, number: u64) -> Option<(Lane, u64)> {
        if let Some(lane) = self.coming.remove(&sending) {
            return (sending > self.lost).then_some((lane, number));
        }
        let place = self.places.get_mut(id).filter(|place| place.sending == sending)?;
        place.number = Some(number);
        None
    }

    /// A job has not come to a queue.
    pub(super) fn not_placed(&mut self, id: &Token, sending: u64) {
        self.coming.remove(&sending);
        self.places.retain(|other, place| other != id || place.sending != sending);
    }

    /// A job is done, or to be deleted: where it is.
    pub(super) fn forget(&mut self, id: &Token) -> Option<(Lane, u64)> {
        let JobPlace { lane, sending, number } = self.places.remove(id)?;
        if number.is_none() {
            self.coming.insert(sending, lane);
        }
        number.map(|number| (lane, number))
    }

    /// What is to be deleted where the queue is found to be the same.
    pub(super) fn is_unwanted(&mut self, lane: Lane, number: u64) {
        self.unwanted.push((lane, number));
    }

    /// A queue is there that was made at this moment: the one that was known, or another. Gives what is to be
    /// deleted in it.
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
    fn in_a_queue_that_was_made_anew_nothing_is_deleted_by_an_old_number() {
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
    fn in_the_same_queue_what_nobody_wants_is_deleted_later() {
        let (mut places, a) = places();
        let sending = places.send(a.clone(), LANE);
        places.placed(&a, sending, 5);
        let (lane, number) = places.forget(&a).unwrap();
        places.is_unwanted(lane, number);
        assert_eq!(places.is_there(LANE, 1), [(LANE, 5)]);
        assert!(places.is_there(LANE, 1).is_empty());
    }

    #[test]
    fn what_was_forgotten_before_its_number_came_is_deleted_then_and_nothing_is_left() {
        let (mut places, a) = places();
        let first = places.send(a.clone(), LANE);
        let second = places.send(a.clone(), LANE);
        assert_eq!(places.placed(&a, first, 5), Some((LANE, 5)), "it was sent again");
        assert_eq!(places.forget(&a), None);
        places.not_placed(&a, second);
        assert!(places.places.is_empty() && places.coming.is_empty());
    }
}
