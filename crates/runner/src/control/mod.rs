//! Steering a run from outside: pause it, resume it, give it another target, end it.
//!
//! [`control`] makes a pair. The [`Control`] steers, from any thread and in any number of copies: a
//! signal, a terminal, a page. The [`ControlReceiver`] is for the run, which polls it at every step
//! and is woken by every change while it waits.

pub(super) mod limits;
pub(super) mod signals;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};

use crate::outcome::RunEnd;
use limits::RunLimits;

/// The aim of a run and its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunTarget {
    /// The depth to settle.
    pub depth: u32,
    /// Limits that may end the run before. Past spending counts.
    pub limits: RunLimits,
}

/// A run's requested state.
#[derive(Debug, Default)]
struct ControlState {
    /// Number of requests to end.
    ends: AtomicU32,
    paused: AtomicBool,
    target: Mutex<Option<RunTarget>>,
    /// Number of changes of the root's directives in this process.
    directed: AtomicU64,
    /// One for each receiver.
    wakers: Wakers,
}

/// Steers a run. All copies steer the same one.
#[derive(Debug, Clone)]
pub struct Control {
    shared: Arc<ControlState>,
}

/// The run's view of its steering. Each copy is woken for itself.
#[derive(Debug)]
pub struct ControlReceiver {
    shared: Arc<ControlState>,
    wake: Receiver<()>,
}

/// A handle, and the receiver for its run.
pub fn control() -> (Control, ControlReceiver) {
    let shared = Arc::new(ControlState::default());
    (Control { shared: Arc::clone(&shared) }, ControlReceiver::of(shared))
}

impl Control {
    /// Asks the run to end: it starts no search, gives those under way a moment, and keeps what
    /// they answer. Asked once more, it does not wait for them.
    pub fn end(&self) {
        self.shared.ends.fetch_add(1, Ordering::SeqCst);
        self.shared.wakers.wake();
    }

    /// Pauses the run: it starts no search, keeps what those under way answer, and waits to resume
    /// or to end. Its time goes on: a limit of time ends a paused run, too.
    pub fn pause(&self) {
        self.shared.paused.store(true, Ordering::SeqCst);
        self.shared.wakers.wake();
    }

    /// Resumes a paused run.
    pub fn go_on(&self) {
        self.shared.paused.store(false, Ordering::SeqCst);
        self.shared.wakers.wake();
    }

    /// True if a pause is wanted.
    pub fn is_paused(&self) -> bool {
        self.shared.paused.load(Ordering::SeqCst)
    }

    /// Announces changed directives of the root: the run grows its tree again at once.
    pub fn direct(&self) {
        self.shared.directed.fetch_add(1, Ordering::SeqCst);
        self.shared.wakers.wake();
    }

    /// Gives the run another target, which it takes up before its next pass. In a batch the limits
    /// are those of the whole, and the depth is that of the root being grown and of those behind
    /// it: a batch does not go back to finished roots.
    pub fn redirect(&self, target: RunTarget) {
        *self.shared.target.lock().unwrap_or_else(PoisonError::into_inner) = Some(target);
        self.shared.wakers.wake();
    }
}

impl ControlReceiver {
    fn of(shared: Arc<ControlState>) -> ControlReceiver {
        let wake = shared.wakers.subscribe();
        ControlReceiver { shared, wake }
    }

    /// Never steered: for tests and tools.
    pub fn never() -> ControlReceiver {
        control().1
    }

    /// True if the run was asked to end.
    pub fn is_told_to_end(&self) -> bool {
        self.times_told_to_end() > 0
    }

    /// Number of asks.
    pub fn times_told_to_end(&self) -> u32 {
        self.shared.ends.load(Ordering::SeqCst)
    }

    /// True if a pause is wanted.
    pub fn is_paused(&self) -> bool {
        self.shared.paused.load(Ordering::SeqCst)
    }

    /// The run's latest target, if changed since its start.
    pub fn target(&self) -> Option<RunTarget> {
        *self.shared.target.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of announced directive changes.
    pub fn times_directed(&self) -> u64 {
        self.shared.directed.load(Ordering::SeqCst)
    }

    /// Gets a wakeup after every change, with no more information: there may have been several
    /// changes, or one seen already.
    pub fn wake(&self) -> &Receiver<()> {
        &self.wake
    }

    /// Wakes the run: for threads that work for it.
    pub fn wakers(&self) -> Wakers {
        self.shared.wakers.clone()
    }

    /// Blocks while the run is paused.
    pub fn rest(&self) {
        while self.is_paused() && !self.is_told_to_end() && self.wake.recv().is_ok() {}
    }
}

impl Clone for ControlReceiver {
    fn clone(&self) -> ControlReceiver {
        ControlReceiver::of(Arc::clone(&self.shared))
    }
}

/// Subscribers to wakeups. Waking never blocks.
#[derive(Debug, Clone, Default)]
pub struct Wakers {
    wakers: Arc<Mutex<Vec<Sender<()>>>>,
}

impl Wakers {
    /// Adds a subscriber, woken after every change from now on.
    pub fn subscribe(&self) -> Receiver<()> {
        let (waker, wake) = bounded(1);
        self.wakers.lock().unwrap_or_else(PoisonError::into_inner).push(waker);
        wake
    }

    /// Wakes all. A full channel will wake its thread anyway.
    pub fn wake(&self) {
        let mut wakers = self.wakers.lock().unwrap_or_else(PoisonError::into_inner);
        wakers.retain(|waker| !matches!(waker.try_send(()), Err(TrySendError::Disconnected(()))));
    }

    /// Their number.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.wakers.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// How a run must end now, if it must: on request, or because its limits are reached.
pub fn must_end(control: &ControlReceiver, is_spent: bool) -> Option<RunEnd> {
    if control.is_told_to_end() {
        return Some(RunEnd::Interrupted);
    }
    is_spent.then_some(RunEnd::Limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_wake_for_every_later_change() {
        let (control, first) = control();
        let second = first.clone();
        control.pause();
        let late = first.clone();
        assert_eq!((first.wake.len(), second.wake.len(), late.wake.len()), (1, 1, 0));
        assert!(late.is_paused(), "what is wanted is known without being woken");
        control.go_on();
        assert_eq!((first.wake.len(), late.wake.len()), (1, 1));
    }

    #[test]
    fn paused_run_resumes_or_ends_when_told() {
        let (control, run) = control();
        control.pause();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| run.rest());
            control.go_on();
            waits.join().unwrap();
            control.pause();
            let waits = scope.spawn(|| run.rest());
            control.end();
            waits.join().unwrap();
        });
        assert!(run.is_told_to_end() && run.is_paused());
    }

    #[test]
    fn a_receiver_that_is_gone_is_forgotten() {
        let (control, run) = control();
        drop(run.clone());
        control.end();
        assert_eq!(control.shared.wakers.count(), 1);
    }
}
