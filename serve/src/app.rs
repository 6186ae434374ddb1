//! What every handler has.

use std::path::PathBuf;

use tokio::sync::watch;

use deepanalyze_core::tree::Breadth;
use deepanalyze_runner::{Runner, Schedule};
use deepanalyze_store::{Patience, Store, StoreError};

use super::apart::Apart;
use super::events::Events;
use super::guard::Guard;
use super::reading::Reading;
use super::roots::Roots;
use super::trees::Trees;
use super::undo::UndoStacks;
use super::writer::Writer;

/// How new roots are grown of which nobody says otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Defaults {
    /// The move distances, and how many moves the root has at least.
    pub breadth: Breadth,
    /// The depth to settle.
    pub depth: u32,
    /// How deep the engines search.
    pub schedule: Schedule,
    /// Whether engines that would be idle search what will probably be asked.
    pub look_ahead: bool,
}

/// What every handler has.
#[derive(Debug)]
pub struct App {
    /// The database.
    pub path: PathBuf,
    /// How many engine processes there may be.
    pub engines: usize,
    /// Of new roots.
    pub defaults: Defaults,
    /// Who is let in.
    pub guard: Guard,
    /// What is grown.
    pub agenda: Runner,
    /// All roots as they were seen last.
    pub roots: Roots,
    /// Open trees.
    pub trees: Trees,
    /// Room for trees that are read for one answer.
    pub reading: Reading,
    /// Changes of the database.
    pub writer: Writer,
    /// Those that may wait for the end of a run.
    pub apart: Apart,
    /// Which of them can be taken back.
    pub undo: UndoStacks,
    /// What happens.
    pub events: Events,
    /// Whether the server is to end.
    pub end: watch::Receiver<bool>,
}

impl App {
    /// The database, opened to write; a locked one is waited for until the server ends.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where it cannot be opened.
    pub fn store(&self) -> Result<Store, StoreError> {
        let end = self.end.clone();
        Store::open_with(&self.path, Patience::until(move || *end.borrow()))
    }
}
