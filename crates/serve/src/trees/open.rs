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

/// How often a tree that somebody looks at is looked at.
const INTERVAL: Duration = Duration::from_millis(250);
/// So long after the last question, nobody looks at it any more.
const LOOKED_AT: Duration = Duration::from_secs(30);
/// It is read on once so many times have passed what reading and asking have taken: the engines want the
/// processor, too.
const REST: u32 = 4;
/// A tree that is read on in less time is, before a question is answered; a larger one is told of once it was.
const AT_ONCE: Duration = Duration::from_millis(50);
/// Answers that are kept until the tree changes.
const KEPT: usize = 256;
/// About what a tree takes in memory for each of its searches (docs/measurements/2026-11-performance.md: it is loaded with 85, and keeps
/// 53 of them).
const BYTES_A_SEARCH: u64 = 85;

/// What the thread of a tree says of itself.
#[derive(Debug)]
pub struct ThreadStatus {
    follows: AtomicBool,
    bytes: AtomicU64,
}

impl Default for ThreadStatus {
    /// It will be followed; how large it is nobody knows before it is read.
    fn default() -> ThreadStatus {
        ThreadStatus { follows: AtomicBool::new(true), bytes: AtomicU64::new(0) }
    }
}

impl ThreadStatus {
    /// Whether the thread reads it on by itself, and tells of it.
    pub fn follows(&self) -> bool {
        self.follows.load(Ordering::SeqCst)
    }

    /// About what the tree takes in memory.
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
    /// When it may be read again.
    rested: Instant,
    /// How long it took to read it on the last time.
    cost: Duration,
    /// What was answered since it has changed.
    answers: HashMap<String, Arc<[u8]>>,
    /// What moves score against people, for each side that was asked for since it has changed.
    people: Vec<Arc<ExpectedScores>>,
}

/// Reads a tree, answers questions, and reads it on while they come.
pub fn keep(
    path: &Path,
    root: AnalysisId,
    asks: &Receiver<TreeAsk>,
    (events, told): (&Arc<Events>, &ThreadStatus),
) {
    let mut tree = match OpenTree::open(path, root, events) {
        Ok(tree) => tree,
        Err(error) => {
            let error = TreeError::Unreadable(Arc::new(error));
            told.follows.store(false, Ordering::SeqCst);
            // Whoever comes from now on has it read again.
            return asks.try_iter().for_each(|ask| ask(Err(error.clone())));
        }
    };
    let mut asked = Instant::now();
    loop {
        told.bytes.store(tree.bytes(), Ordering::SeqCst);
        let is_followed = asked.elapsed() < LOOKED_AT;
        let next = match is_followed {
            true => asks.recv_timeout(INTERVAL),
            false => {
                told.follows.store(false, Ordering::SeqCst);
                asks.recv().map_err(|_| RecvTimeoutError::Disconnected)
            }
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

    /// Where it is read from.
    pub fn store(&self) -> &Store {
        self.follower.store()
    }

    /// What tells this tree from what it was and will be, whatever is searched behind it.
    pub fn tag(&self) -> String {
        let (row, known) = (&self.tree().row, known_by_tables(self.tree()));
        let revision = self.revision();
        // A closing search comes without a pass.
        let closing = self.tree().closing.as_ref().map_or_else(|| "none".to_owned(), closing_mark);
        let closing = closing.replace(|c: char| !c.is_ascii_alphanumeric(), "");
        format!("\"{}-{}-{}-{revision}-{known}-{closing}\"", row.id.0, row.passes, row.regrown)
    }

    /// What was answered to a question, or is now; it is kept until the tree changes.
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

    /// What its moves score against people, for a side; none where games are not counted.
    pub fn people(&mut self, side: Color) -> Option<Arc<ExpectedScores>> {
        if let Some(known) = self.people.iter().find(|known| known.side() == side) {
            return Some(Arc::clone(known));
        }
        let new = Arc::new(ExpectedScores::of(&self.tree().growth, side)?);
        self.people.push(Arc::clone(&new));
        Some(new)
    }

    /// Reads it on where it has changed, whether it has rested or not.
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

    /// About what it takes in memory. Under other directives than it was grown with, it is there twice.
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

    /// Whether its analysis was deleted.
    fn is_gone(&self) -> bool {
        matches!(self.store().analysis(self.tree().row.id), Ok(None))
    }
}
