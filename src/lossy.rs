//! A queue whose senders never wait: beyond a limit the oldest items are left out, and counted.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub struct LossyQueue<T> {
    /// How much may wait, and how much of that one item is.
    most: usize,
    size: fn(&T) -> usize,
    /// Item in place of the ones left out, made from their number.
    left_out: fn(u64) -> T,
    waiting: Mutex<Waiting<T>>,
    changed: Condvar,
}

struct Waiting<T> {
    items: VecDeque<T>,
    size: usize,
    left_out: u64,
    latest: Option<T>,
    taken: u64,
    /// True while the item taken last is being processed.
    is_busy: bool,
    is_closed: bool,
}

impl<T> LossyQueue<T> {
    pub fn new(most: usize, size: fn(&T) -> usize, left_out: fn(u64) -> T) -> LossyQueue<T> {
        let waiting = Waiting {
            items: VecDeque::new(),
            size: 0,
            left_out: 0,
            latest: None,
            taken: 0,
            is_busy: false,
            is_closed: false,
        };
        let (waiting, changed) = (Mutex::new(waiting), Condvar::new());
        LossyQueue { most, size, left_out, waiting, changed }
    }

    /// Puts an item behind those that wait.
    pub fn push(&self, item: T) {
        let size = (self.size)(&item);
        let mut waiting = self.lock();
        while waiting.size + size > self.most
            && let Some(oldest) = waiting.items.pop_front()
        {
            waiting.size -= (self.size)(&oldest);
            waiting.left_out += 1;
        }
        waiting.size += size;
        waiting.items.push_back(item);
        drop(waiting);
        self.changed.notify_all();
    }

    /// Comes once nothing else waits, unless another takes its place before.
    pub fn set_latest(&self, item: Option<T>) {
        self.lock().latest = item;
        self.changed.notify_all();
    }

    /// The next item, once there is one; what was taken before is dealt with. Nothing where all is, and nothing more
    /// will come.
    pub fn next(&self) -> Option<T> {
        let mut waiting = self.lock();
        waiting.is_busy = false;
        loop {
            if let Some(item) = self.take(&mut waiting) {
                waiting.is_busy = true;
                waiting.taken += 1;
                return Some(item);
            }
            self.changed.notify_all();
            if waiting.is_closed {
                return None;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn take(&self, waiting: &mut Waiting<T>) -> Option<T> {
        if waiting.left_out > 0 {
            return Some((self.left_out)(std::mem::take(&mut waiting.left_out)));
        }
        let Some(item) = waiting.items.pop_front() else { return waiting.latest.take() };
        waiting.size -= (self.size)(&item);
        Some(item)
    }

    /// Nothing more will come.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Waits until all is dealt with, or the time is up; whether all is.
    pub fn flush(&self, timeout: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.lock(), timeout, |now| !now.is_done());
        waited.unwrap_or_else(PoisonError::into_inner).0.is_done()
    }

    /// Flushes for as long as at least one item is taken in each `timeout`.
    pub fn flush_patiently(&self, timeout: Duration) {
        let mut before = self.lock().taken;
        while !self.flush(timeout) {
            let taken = self.lock().taken;
            if std::mem::replace(&mut before, taken) == taken {
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting<T>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Waiting<T> {
    fn is_done(&self) -> bool {
        let has_nothing = self.items.is_empty() && self.latest.is_none() && self.left_out == 0;
        has_nothing && !self.is_busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 10_000;

    fn queue() -> LossyQueue<String> {
        LossyQueue::new(MOST, |_| 1, |count| format!("{count} left out"))
    }

    fn taken(queue: &LossyQueue<String>) -> Vec<String> {
        queue.close();
        std::iter::from_fn(|| queue.next()).collect()
    }

    #[test]
    fn full_queue_drops_and_counts_the_oldest() {
        let queue = queue();
        queue.push(0.to_string());
        assert_eq!(queue.next(), Some(0.to_string()));
        // The reader is stuck.
        (1..=MOST + 7).for_each(|number| queue.push(number.to_string()));
        let numbers = (8..=MOST + 7).map(|number| number.to_string());
        assert!(taken(&queue).into_iter().eq(["7 left out".to_owned()].into_iter().chain(numbers)));
    }

    #[test]
    fn latest_item_comes_last_and_once() {
        let queue = queue();
        for status in ["first", "second"] {
            queue.set_latest(Some(status.to_owned()));
            queue.push("line".to_owned());
        }
        assert_eq!(taken(&queue), ["line", "line", "second"]);
    }

    #[test]
    fn removed_latest_item_does_not_come() {
        let queue = queue();
        queue.set_latest(Some("growing".to_owned()));
        queue.set_latest(None);
        queue.push("clear".to_owned());
        assert_eq!(taken(&queue), ["clear"]);
    }

    #[test]
    fn flush_ends_without_a_reader() {
        let queue = queue();
        queue.push("line".to_owned());
        assert!(!queue.flush(Duration::ZERO));
        assert_eq!(queue.next().as_deref(), Some("line"));
        assert!(!queue.flush(Duration::ZERO), "it is being printed");
        queue.flush_patiently(Duration::ZERO);
        queue.close();
        assert_eq!(queue.next(), None);
        assert!(queue.flush(Duration::ZERO));
    }
}
