//! The thread that drives engines for several runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::engines::{Engines, Wakeup};
use deepanalyze_core::search::Profile;

use super::dispatcher::Dispatcher;
use super::handle::SharedEngines;
use super::{EngineStates, RunKey, SharedQuestion, Unclaimed};

/// Called after each change of [`EngineShare::states`]. It must not block.
type ChangedHook = Box<dyn Fn() + Send + Sync>;

/// Engines for several runs. Dropping it ends them and the searches under way.
#[derive(Debug)]
pub struct EngineShare {
    shared: Arc<ShareState>,
    thread: Option<JoinHandle<()>>,
}

/// State of the thread and the runs.
pub(super) struct ShareState {
    pub(super) profile: Profile,
    pub(super) is_virtual: bool,
    dispatcher: Mutex<Dispatcher>,
    wake: Sender<()>,
    is_over: AtomicBool,
    changed: ChangedHook,
    /// The engines' second, shared likewise.
    second: Mutex<Option<EngineShare>>,
}

impl std::fmt::Debug for ShareState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShareState").field("dispatcher", &self.dispatcher).finish_non_exhaustive()
    }
}

impl ShareState {
    pub(super) fn dispatcher(&self) -> MutexGuard<'_, Dispatcher> {
        self.dispatcher.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn second(&self) -> MutexGuard<'_, Option<EngineShare>> {
        self.second.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the thread; no effect if already woken.
    pub(super) fn wake(&self) {
        let _ = self.wake.try_send(());
    }

    pub(super) fn now(&self) -> Instant {
        if self.is_virtual { self.dispatcher().virtual_now } else { Instant::now() }
    }
}

impl EngineShare {
    /// Takes engines, which are made in the thread that is to drive them. Events of no run come out
    /// of the receiver, which ends with the engines.
    ///
    /// # Errors
    ///
    /// If the system gives no thread.
    pub fn start(
        make: impl FnOnce() -> Box<dyn Engines> + Send + 'static,
        changed: impl Fn() + Send + Sync + 'static,
    ) -> std::io::Result<(EngineShare, Receiver<Unclaimed>)> {
        EngineShare::begin(Box::new(make), Box::new(changed))
    }

    /// Not generic: the engines' second is shared in the same way.
    fn begin(
        make: Box<dyn FnOnce() -> Box<dyn Engines> + Send>,
        changed: ChangedHook,
    ) -> std::io::Result<(EngineShare, Receiver<Unclaimed>)> {
        let (unclaimed, left) = unbounded();
        let (ready, made) = bounded(1);
        let run = move || {
            let mut engines = make();
            let second = engines.take_second().and_then(|second| {
                let shared = EngineShare::begin(Box::new(|| second), Box::new(|| ()));
                shared.inspect_err(|error| tracing::warn!(%error, "no second engine")).ok()
            });
            let (wake, woken) = bounded(1);
            let shared = Arc::new(ShareState {
                profile: engines.profile().clone(),
                is_virtual: engines.is_virtual(),
                dispatcher: Mutex::new(Dispatcher::new(engines.up(), engines.now())),
                wake,
                is_over: AtomicBool::new(false),
                changed,
                second: Mutex::new(second.map(|(share, _)| share)),
            });
            if ready.send(Arc::clone(&shared)).is_ok() {
                let _breakdown = Breakdown(&shared);
                ShareThread { engines: &mut *engines, shared: &shared, woken, unclaimed }.run();
            }
        };
        let thread = std::thread::Builder::new().name("engine share".to_owned()).spawn(run)?;
        let shared = made.recv().map_err(std::io::Error::other)?;
        Ok((EngineShare { shared, thread: Some(thread) }, left))
    }

    /// The engines for one run, with a share of their time by its weight.
    pub fn join(&self, key: RunKey, weight: u32) -> SharedEngines {
        let joined = self.shared.dispatcher().join(key, weight);
        self.shared.wake();
        let second = self.shared.second();
        let second = second.as_ref().map(|second| second.join(key, weight));
        SharedEngines::new(Arc::clone(&self.shared), joined, second)
    }

    /// Changes the weight of this key's run.
    pub fn set_weight(&self, key: RunKey, weight: u32) {
        if let Some(second) = &*self.shared.second() {
            second.set_weight(key, weight);
        }
        self.shared.dispatcher().set_weight(key, weight);
        self.shared.wake();
    }

    /// From now on, abandons a departed run's search when another run waits for an engine: its
    /// answer is lost.
    pub fn abandon_what_is_left(&self) {
        self.shared.dispatcher().abandon_what_is_left();
    }

    /// The engine's name and options.
    pub fn profile(&self) -> &Profile {
        &self.shared.profile
    }

    /// The engines' states.
    pub fn states(&self) -> EngineStates {
        self.shared.dispatcher().states()
    }
}

impl Drop for EngineShare {
    fn drop(&mut self) {
        drop(self.shared.second().take());
        self.shared.is_over.store(true, Ordering::SeqCst);
        self.shared.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Tells the runs when the thread ends, anyhow.
struct Breakdown<'a>(&'a ShareState);

impl Drop for Breakdown<'_> {
    fn drop(&mut self) {
        self.0.dispatcher().break_down();
    }
}

/// The thread.
struct ShareThread<'a> {
    engines: &'a mut dyn Engines,
    shared: &'a ShareState,
    woken: Receiver<()>,
    unclaimed: Sender<Unclaimed>,
}

/// The thread's next step.
enum ShareStep {
    /// Wait for the engines, or until a moment.
    Wait(Option<Instant>),
    /// Wait for the runs.
    Hold,
}

impl ShareThread<'_> {
    fn run(&mut self) {
        while !self.shared.is_over.load(Ordering::SeqCst) {
            let wakeup = match self.step() {
                ShareStep::Hold => {
                    let _ = self.woken.recv();
                    continue;
                }
                ShareStep::Wait(until) => self.engines.wait(&self.woken, until),
            };
            self.take(wakeup);
        }
    }

    /// Starts queued searches on free engines. Virtual time stands still while a run works.
    fn step(&mut self) -> ShareStep {
        let mut dispatcher = self.shared.dispatcher();
        if self.shared.is_virtual && !dispatcher.all_wait() {
            return ShareStep::Hold;
        }
        dispatcher.set_engines(self.engines.up());
        dispatcher.set_long_searches(self.engines.long_searches(), self.engines.threads());
        let abandoned = dispatcher.abandoned(self.engines.now());
        let begun = dispatcher.begin(self.engines.now());
        let (required, quarantined) = (dispatcher.required(), dispatcher.quarantined());
        let has_news = dispatcher.feed();
        let is_idle = dispatcher.is_idle();
        let until = dispatcher.next_moment().filter(|_| self.shared.is_virtual);
        drop(dispatcher);
        if !begun.is_empty() {
            (self.shared.changed)();
        }
        abandoned.into_iter().for_each(|ticket| self.engines.abandon(ticket));
        quarantined.iter().for_each(|(worker, why)| self.engines.quarantine(worker, why));
        for (ticket, question) in begun {
            let SharedQuestion { search, limit, keep_hash, is_guess, long } = question;
            match (long, is_guess) {
                (Some(long), _) => self.engines.submit_long(ticket, *long),
                (None, true) => self.engines.submit_guess(ticket, search, limit, keep_hash),
                (None, false) => self.engines.submit(ticket, search, limit, keep_hash),
            }
        }
        required.into_iter().for_each(|ticket| self.engines.require(ticket));
        let stands_still = has_news || is_idle && until.is_none();
        if self.shared.is_virtual && stands_still {
            ShareStep::Hold
        } else {
            ShareStep::Wait(until)
        }
    }

    /// Takes what has happened, and all that has happened with it.
    fn take(&mut self, wakeup: Wakeup) {
        let now = self.engines.now();
        let mut event = match wakeup {
            Wakeup::Event(event) => Some(event),
            Wakeup::Control | Wakeup::Time => None,
        };
        let mut dispatcher = self.shared.dispatcher();
        let is_news = event.is_some();
        while let Some(next) = event {
            if let Some(unclaimed) = dispatcher.take(next, now) {
                // Lost if the receiver is gone.
                let _ = self.unclaimed.send(unclaimed);
            }
            event = self.engines.poll();
        }
        if self.shared.is_virtual {
            dispatcher.has_come(now);
        }
        drop(dispatcher);
        if is_news {
            (self.shared.changed)();
        }
    }
}

#[cfg(test)]
mod tests;
