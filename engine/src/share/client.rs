//! One run among those that share engines, as the others' side sees it.

use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, TrySendError};

use crate::pool::Event;

use super::states::RunKey;

/// One run.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) key: RunKey,
    pub(super) events: Sender<Event>,
    pub(super) nudge: Sender<()>,
    /// What the run waits for, where it waits, besides what is sent to it here.
    pub(super) waits: Option<Waits>,
}

/// What a run waits for.
#[derive(Debug)]
pub(super) struct Waits {
    pub(super) wake: Receiver<()>,
    pub(super) until: Option<Instant>,
}

impl Client {
    pub(super) fn send(&mut self, event: Event) {
        self.waits = None;
        // A run that has just left hears nothing more.
        let _ = self.events.send(event);
    }

    /// Lets the run look at what has changed.
    pub(super) fn nudge(&mut self) {
        self.waits = None;
        if let Err(TrySendError::Disconnected(())) = self.nudge.try_send(()) {
            tracing::debug!("a run that has left");
        }
    }

    /// Whether nothing but time or an engine can wake it.
    pub(super) fn is_asleep(&self) -> bool {
        self.waits.as_ref().is_some_and(|waits| waits.wake.is_empty())
    }
}
