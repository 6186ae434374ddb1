//! What is to be printed: a queue that never waits for whoever reads what is printed.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Lines that wait to be printed. Beyond it the oldest are left out: nobody has read for long.
pub const LINES: usize = 10_000;

/// Something to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Print {
    /// A line that stays.
    Line(String),
    /// An error, as the program's last words have it.
    Error(String),
    /// What the live line says now.
    Status(String),
    /// The live line goes.
    Clear,
    /// So many lines were left out here.
    LeftOut(u64),
}

#[derive(Debug, Default)]
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    prints: VecDeque<Print>,
    /// The live line is about now: only its newest text counts.
    status: Option<String>,
    left_out: u64,
    /// Whether something that was taken is not yet printed.
    is_printing: bool,
    is_closed: bool,
}

impl Queue {
    /// Puts something behind what is there.
    pub fn push(&self, print: Print) {
        let mut state = self.lock();
        match print {
            Print::Status(status) => state.status = Some(status),
            print => {
                if print == Print::Clear {
                    state.status = None;
                }
                if state.prints.len() == LINES {
                    state.prints.pop_front();
                    state.left_out += 1;
                }
                state.prints.push_back(print);
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// The next thing to print, once there is one; what was taken before counts as printed. Nothing where
    /// all is printed and nothing more will come.
    pub fn next(&self) -> Option<Print> {
        let mut state = self.lock();
        state.is_printing = false;
        loop {
            if let Some(print) = state.take() {
                state.is_printing = true;
                return Some(print);
            }
            self.changed.notify_all();
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nothing more will come.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Waits until all is printed, or the time is up.
    pub fn flush(&self, timeout: Duration) {
        let state = self.lock();
        let waited = self.changed.wait_timeout_while(state, timeout, |state| !state.is_printed());
        drop(waited);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self) -> Option<Print> {
        match std::mem::take(&mut self.left_out) {
            0 => self.prints.pop_front().or_else(|| self.status.take().map(Print::Status)),
            left_out => Some(Print::LeftOut(left_out)),
        }
    }

    fn is_printed(&self) -> bool {
        let has_nothing = self.prints.is_empty() && self.status.is_none() && self.left_out == 0;
        has_nothing && !self.is_printing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: usize) -> Print {
        Print::Line(number.to_string())
    }

    #[test]
    fn a_full_queue_leaves_the_oldest_lines_out_and_says_how_many() {
        let queue = Queue::default();
        queue.push(line(0));
        assert_eq!(queue.next(), Some(line(0)));
        // Nobody reads that line for long.
        (1..=LINES + 7).for_each(|number| queue.push(line(number)));
        queue.close();
        let printed: Vec<Print> = std::iter::from_fn(|| queue.next()).collect();
        assert_eq!(printed.first(), Some(&Print::LeftOut(7)));
        assert!(printed.iter().skip(1).cloned().eq((8..=LINES + 7).map(line)));
    }

    #[test]
    fn only_the_newest_status_is_shown_and_lines_come_before_it() {
        let queue = Queue::default();
        for status in ["first", "second"] {
            queue.push(Print::Status(status.to_owned()));
            queue.push(line(1));
        }
        queue.close();
        let printed: Vec<Print> = std::iter::from_fn(|| queue.next()).collect();
        assert_eq!(printed, [line(1), line(1), Print::Status("second".to_owned())]);
    }

    #[test]
    fn a_cleared_live_line_does_not_come_back() {
        let queue = Queue::default();
        queue.push(Print::Status("growing".to_owned()));
        queue.push(Print::Clear);
        queue.close();
        assert_eq!(queue.next(), Some(Print::Clear));
        assert_eq!(queue.next(), None);
    }

    #[test]
    fn nobody_waits_for_a_line_that_is_never_read() {
        let queue = Queue::default();
        queue.push(line(1));
        assert_eq!(queue.next(), Some(line(1)));
        queue.flush(Duration::ZERO);
        assert!(!queue.lock().is_printed(), "it is being printed");
    }
}
