//! Connections are few: one that does nothing makes room for one that comes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// How long a new connection may be without its first request.
pub const FIRST: Duration = Duration::from_secs(10);
/// How long one may rest between two requests.
pub const BETWEEN: Duration = Duration::from_secs(30);

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// Requests that are being answered.
    pub under_way: u32,
    /// Whether there has been any.
    pub served: bool,
    /// Since when there is none.
    pub since: Instant,
}

impl Use {
    /// When a connection that still rests then is to be closed; none while a request is under way.
    pub fn ends(self) -> Option<Instant> {
        let patience = if self.served { BETWEEN } else { FIRST };
        (self.under_way == 0).then(|| self.since + patience)
    }
}

/// A connection's place.
#[derive(Debug)]
pub struct Seat {
    number: u64,
    state: Mutex<Use>,
    leave: Notify,
    seats: Arc<Shared>,
}

/// All places.
#[derive(Debug, Clone)]
pub struct Seats {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    most: usize,
    taken: Mutex<Taken>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Taken {
    next: u64,
    seats: BTreeMap<u64, Arc<Seat>>,
}

impl Seats {
    /// So many places.
    pub fn new(most: usize) -> Seats {
        let shared = Shared { most, taken: Mutex::default(), freed: Notify::new() };
        Seats { shared: Arc::new(shared) }
    }

    /// A place, that of the connection which has rested longest where all are taken; none where all of those
    /// are being served.
    pub fn take(&self, now: Instant) -> Option<Arc<Seat>> {
        let mut taken = lock(&self.shared.taken);
        if taken.seats.len() >= self.shared.most {
            let resting = taken.seats.values().filter(|seat| seat.usage().under_way == 0);
            let longest = resting.min_by_key(|seat| (seat.usage().since, seat.number))?.number;
            taken.seats.remove(&longest)?.leave.notify_one();
        }
        let number = taken.next;
        taken.next += 1;
        let state = Use { under_way: 0, served: false, since: now };
        let (leave, seats) = (Notify::new(), Arc::clone(&self.shared));
        let seat = Arc::new(Seat { number, state: Mutex::new(state), leave, seats });
        taken.seats.insert(number, Arc::clone(&seat));
        Some(seat)
    }

    /// Waits until a place may be free.
    pub async fn freed(&self) {
        self.shared.freed.notified().await;
    }

    /// How many are taken.
    #[cfg(test)]
    fn taken(&self) -> usize {
        lock(&self.shared.taken).seats.len()
    }
}

impl Seat {
    /// What the connection is doing.
    pub fn usage(&self) -> Use {
        *lock(&self.state)
    }

    /// A request comes; until what this gives is dropped, it is being answered.
    pub fn serve(self: &Arc<Seat>) -> Served {
        let mut state = lock(&self.state);
        state.under_way += 1;
        state.served = true;
        Served(Arc::clone(self))
    }

    /// Waits until the place is wanted for somebody else.
    pub async fn wanted(&self) {
        self.leave.notified().await;
    }

    /// Gives the place up.
    pub fn free(&self) {
        lock(&self.seats.taken).seats.remove(&self.number);
        self.seats.freed.notify_one();
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub struct Served(Arc<Seat>);

impl Drop for Served {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.under_way -= 1;
        state.since = Instant::now();
        let rests = state.under_way == 0;
        drop(state);
        if rests {
            // Where all were busy, this one may make room now.
            self.0.seats.freed.notify_one();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_rests_longest_makes_room_and_whoever_is_served_does_not() {
        let (seats, began) = (Seats::new(2), Instant::now());
        let at = |seconds| began + Duration::from_secs(seconds);
        let first = seats.take(at(0)).unwrap();
        let second = seats.take(at(1)).unwrap();
        let served = first.serve();
        let third = seats.take(at(2)).unwrap();
        assert_eq!(seats.taken(), 2, "the second has left");
        let other = third.serve();
        assert!(seats.take(at(3)).is_none(), "both are being served");
        drop(served);
        assert!(seats.take(at(4)).is_some());
        second.free();
        first.free();
        assert_eq!(seats.taken(), 2);
        drop(other);
        third.free();
        assert_eq!(seats.taken(), 1);
    }

    #[test]
    fn a_connection_that_rests_is_closed_and_a_new_one_sooner() {
        let (seats, began) = (Seats::new(2), Instant::now());
        let seat = seats.take(began).unwrap();
        assert_eq!(seat.usage().ends(), Some(began + FIRST));
        let served = seat.serve();
        assert_eq!(seat.usage().ends(), None);
        drop(served);
        assert!(seat.usage().ends().unwrap() >= began + BETWEEN);
    }
}
