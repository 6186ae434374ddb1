//! One open tree in its thread.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use deepanalyze_store::{AnalysisId, Store, StoreError};
use deepanalyze_view::{ExpectedScores, Followed, Follower, Stages, Tree, load_tree};
use shakmaty::Color;

use super::super::events::Events;
use serde_json::json;

use super::{TreeError, TreeEvent, closing_mark, known_by_tables};

/// A question.
pub type TreeAsk = Box<dyn FnOnce(Result<&mut OpenTree, TreeError>) + Send>;

/// Interval of looks at a tree in view.
const INTERVAL: Duration = Duration::from_millis(250);
/// Time after the last question at which it is out of view.
const LOOKED_AT: Duration = Duration::from_secs(30);
/// Rest between readings, as a multiple of the time for reading and asking: the engines need the
/// processor, too.
const REST: u32 = 4;
/// Within this time, a tree is read on before a question is answered; a larger one sends an event
/// afterwards.
const AT_ONCE: Duration = Duration::from_millis(50);
/// Answers kept until the tree changes.
const KEPT: usize = 256;
/// Estimated memory of a tree for each of its searches (docs/measurements/2026-11-performance.md:
/// it is loaded with 85, and keeps 53 of them).
const BYTES_A_SEARCH: u64 = 85;

/// Status of a tree's thread.
#[derive(Debug)]
pub struct ThreadStatus {
    follows: AtomicBool,
    bytes: AtomicU64,
}

impl Default for ThreadStatus {
    /// It will be followed; its size is unknown until it is read.
    fn default() -> ThreadStatus {
        ThreadStatus { follows: AtomicBool::new(true), bytes: AtomicU64::new(0) }
    }
}

impl ThreadStatus {
    /// True if the thread reads it on by itself, and sends events.
    pub fn follows(&self) -> bool {
        self.follows.load(Ordering::SeqCst)
    }

    /// Estimated memory of the tree.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::SeqCst)
    }
}

/// A tree that is read on as it grows.
#[derive(Debug)]
pub struct OpenTree {
    root: AnalysisId,
    follower: Follower,
    events: Arc<Events>,
    version: Option<i64>,
    /// Earliest time of the next reading.
    rested: Instant,
    /// Time taken by the last reading.
    cost: Duration,
    /// Answers since its last change.
    answers: HashMap<String, Arc<[u8]>>,
    /// Expected scores of moves, for each side requested since its last change.
    people: Vec<Arc<ExpectedScores>>,
}

/// Reads a tree, answers questions, and reads it on between them.
pub fn keep(
    path: &Path,
    root: AnalysisId,
    asks: &Receiver<TreeAsk>,
    events: &Arc<Events>,
    told: &ThreadStatus,
) {
    let mut tree = match OpenTree::open(path, root, events) {
        Ok(tree) => tree,
        Err(error) => {
            let error = TreeError::Unreadable(Arc::new(error));
            told.follows.store(false, Ordering::SeqCst);
            // Later questions have it read again.
            return asks.try_iter().for_each(|ask| ask(Err(error.clone())));
        }
    };
    let mut asked = Instant::now();
    loop {
        told.bytes.store(tree.bytes(), Ordering::SeqCst);
        let is_followed = asked.elapsed() < LOOKED_AT;
        let next = if is_followed {
            asks.recv_timeout(INTERVAL)
        } else {
            told.follows.store(false, Ordering::SeqCst);
            asks.recv().map_err(|_| RecvTimeoutError::Disconnected)
        };
        match next {
            Ok(ask) => {
                let began = Instant::now();
                if !is_followed {
                    told.follows.store(true, Ordering::SeqCst);
                    tree.renew();
                } else if tree.cost < AT_ONCE {
                    tree.look();
                }
                ask(Ok(&mut tree));
                tree.rest(began);
                asked = Instant::now();
            }
            Err(RecvTimeoutError::Timeout) => tree.look(),
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if tree.is_gone() {
            return;
        }
    }
}

impl OpenTree {
    fn open(path: &Path, root: AnalysisId, events: &Arc<Events>) -> Result<OpenTree, StoreError> {
        let store = Store::open_to_read(path)?;
        let speaking = match store.analysis(root)? {
            Some(row) => Stages::of(&store, row)?.speaking().map_or(root, |speaking| speaking.id),
            None => root,
        };
        let tree = Arc::new(load_tree(&store, speaking)?);
        let follower = Follower::new(store, tree, Followed::Stages);
        let (events, rested) = (Arc::clone(events), Instant::now());
        let answers = HashMap::new();
        let mut tree = OpenTree {
            root,
            follower,
            events,
            version: None,
            rested,
            cost: Duration::ZERO,
            answers,
            people: Vec::new(),
        };
        tree.renew();
        Ok(tree)
    }

    /// The tree as it was read last.
    pub fn tree(&self) -> &Arc<Tree> {
        self.follower.tree()
    }

    /// The database.
    pub fn store(&self) -> &Store {
        self.follower.store()
    }

    /// A tag that tells this tree from its other states, whatever is searched behind it.
    pub fn tag(&self) -> String {
        let (row, known) = (&self.tree().row, known_by_tables(self.tree()));
        let revision = self.revision();
        // A closing search comes without a pass.
        let closing = self.tree().closing.as_ref().map_or_else(|| "none".to_owned(), closing_mark);
        let closing = closing.replace(|c: char| !c.is_ascii_alphanumeric(), "");
        let refuted = self.tree().refuted.len();
        format!(
            "\"{}-{}-{}-{revision}-{known}-{closing}-{refuted}\"",
            row.id.0, row.passes, row.regrown
        )
    }

    /// The answer to a question, kept until the tree changes.
    ///
    /// # Errors
    ///
    /// The error of `answer`.
    pub fn answer(
        &mut self,
        question: &str,
        answer: impl FnOnce(&OpenTree) -> Result<Vec<u8>, StoreError>,
    ) -> Result<Arc<[u8]>, StoreError> {
        if let Some(known) = self.answers.get(question) {
            return Ok(Arc::clone(known));
        }
        let new: Arc<[u8]> = answer(self)?.into();
        if self.answers.len() >= KEPT {
            self.answers.clear();
        }
        self.answers.insert(question.to_owned(), Arc::clone(&new));
        Ok(new)
    }

    /// Expected scores of its moves, for a side; `None` if games are not counted.
    pub fn people(&mut self, side: Color) -> Option<Arc<ExpectedScores>> {
        if let Some(known) = self.people.iter().find(|known| known.side() == side) {
            return Some(Arc::clone(known));
        }
        let new = Arc::new(ExpectedScores::of(&self.tree().growth, side)?);
        self.people.push(Arc::clone(&new));
        Some(new)
    }

    /// Reads it on if it has changed, whether it has rested or not.
    pub fn renew(&mut self) {
        self.rested = Instant::now();
        self.look();
    }

    fn look(&mut self) {
        let began = Instant::now();
        if began < self.rested {
            return;
        }
        let version = self.store().data_version().ok();
        if version.is_some() && version == self.version {
            return;
        }
        let before = self.follower.revision();
        match self.follower.read() {
            Ok(tree) => {
                self.version = version;
                self.cost = began.elapsed();
                if tree.is_some() || before != self.follower.revision() {
                    self.answers.clear();
                    self.people.clear();
                    self.tell();
                }
            }
            Err(error) => tracing::warn!(%error, "a tree cannot be read on"),
        }
        self.rest(began);
    }

    /// Estimated memory. Under other directives than it was grown with, it is there twice.
    fn bytes(&self) -> u64 {
        let tree = self.tree();
        let copies = if Arc::ptr_eq(&tree.growth, &tree.as_grown) { 1 } else { 2 };
        let answers: usize = self.answers.values().map(|answer| answer.len()).sum();
        copies * tree.row.searches * BYTES_A_SEARCH + answers as u64
    }

    fn rest(&mut self, began: Instant) {
        self.rested = self.rested.max(Instant::now() + began.elapsed() * REST);
    }

    fn revision(&self) -> u64 {
        self.follower.revision().unwrap_or_default()
    }

    fn tell(&self) {
        let tree = self.tree();
        let object = TreeEvent::of(self.root, &tree.row, self.revision(), Some(tree));
        self.events.change(|state| state.set_tree(self.root.0, json!(object)));
    }

    /// True if its analysis was deleted.
    fn is_gone(&self) -> bool {
        matches!(self.store().analysis(self.tree().row.id), Ok(None))
    }
}
