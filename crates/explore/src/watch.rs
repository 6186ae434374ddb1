//! Following a tree that another process grows: checked twice a second, and read on in the
//! background if it has changed.

use std::error::Error;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use deepanalyze_core::chess::{DrawValue, Game};
use deepanalyze_core::directives::{Dates, Directives};
use deepanalyze_store::{AnalysisId, AnalysisRow, Patience, Store, StoreError};
use deepanalyze_view::{Followed, Follower, Tree, load_tree};

use super::directing::DirectiveChange;

/// Interval of checks of the analysis' row.
const INTERVAL: Duration = Duration::from_millis(500);

/// A tree is read on once this many times the last reading's duration have passed: the values of a
/// large one take a while, and the engines need the processor, too.
const REST: u32 = 4;

/// News of the tree.
pub enum TreeNews {
    /// It has changed.
    Tree(Arc<Tree>),
    /// A process grows it from now on, or no longer.
    Growing(bool),
    /// Unchanged, though the user asked.
    Unchanged,
    /// The outcome of a change of directives.
    Directed(Result<String, String>),
    /// It cannot be read.
    Failed(String),
}

/// A request of the user.
enum WatchRequest {
    /// Check at once.
    Reload,
    /// Change the directives of the root.
    Change(DirectiveChange),
    /// Follow the tree with this draw value.
    Draw(DrawValue),
}

/// Grows the tree with another draw value, as far as the memo answers, in a database that is opened
/// for this alone; or returns the reason why not.
pub type GrowWithDraw =
    Box<dyn Fn(&Path, Patience, &AnalysisRow, DrawValue) -> Result<AnalysisId, String> + Send>;

/// Capacity for requests: more come only if the database is locked.
const WAITING: usize = 16;

/// The thread that reads, and that writes directives. It ends when this is dropped.
pub struct TreeWatch {
    updates: Receiver<TreeNews>,
    requests: Sender<WatchRequest>,
}

impl TreeWatch {
    /// Watches the analysis of a tree that has been read, or its root's stages.
    pub fn start(
        store: Store,
        tree: Arc<Tree>,
        of: Followed,
        grow: GrowWithDraw,
    ) -> io::Result<TreeWatch> {
        let (sender, updates) = unbounded();
        let (requests, asked) = bounded(WAITING);
        let news = sender.clone();
        let told = move |why: &str| drop(news.send(TreeNews::Directed(Err(waiting(why)))));
        let mut reader = TreeReader::new(store, tree, of);
        reader.patience = Patience::new(|| false, told);
        std::thread::Builder::new().name("watch".to_owned()).spawn(move || {
            loop {
                let updates = match asked.recv_timeout(INTERVAL) {
                    Ok(WatchRequest::Reload) => reader.look(true),
                    Ok(WatchRequest::Change(change)) => reader.change(&change),
                    Ok(WatchRequest::Draw(draw)) => reader.value_draws(draw, &grow),
                    Err(RecvTimeoutError::Timeout) => reader.look(false),
                    Err(RecvTimeoutError::Disconnected) => return,
                };
                if updates.into_iter().any(|update| sender.send(update).is_err()) {
                    return;
                }
            }
        })?;
        Ok(TreeWatch { updates, requests })
    }

    /// News of the tree.
    pub fn updates(&self) -> &Receiver<TreeNews> {
        &self.updates
    }

    /// Checks now.
    pub fn reload(&self) {
        // A full queue needs no further request.
        let _ = self.requests.try_send(WatchRequest::Reload);
    }

    /// Changes the directives of the root; true if it will be tried.
    pub fn change(&self, change: DirectiveChange) -> bool {
        self.requests.try_send(WatchRequest::Change(change)).is_ok()
    }

    /// Follows the tree with this draw value; true if it will be tried.
    pub fn value_draws(&self, draw: DrawValue) -> bool {
        self.requests.try_send(WatchRequest::Draw(draw)).is_ok()
    }
}

fn waiting(why: &str) -> String {
    format!("{why}; waiting for it")
}

/// State of the thread.
struct TreeReader {
    follower: Follower,
    growing: bool,
    /// Earliest time of the next reading.
    rested: Instant,
    /// True if the user knows that the database cannot be read.
    failed: bool,
    /// Patience of a change with a locked database.
    patience: Patience,
}

impl TreeReader {
    fn new(store: Store, tree: Arc<Tree>, of: Followed) -> TreeReader {
        let growing = store.is_growing(tree.row.id);
        let follower = Follower::new(store, tree, of);
        let patience = Patience::default();
        TreeReader { follower, growing, rested: Instant::now(), failed: false, patience }
    }

    fn look(&mut self, forced: bool) -> Vec<TreeNews> {
        let mut updates = Vec::new();
        // A read error is reported below.
        let growing = self.follower.is_growing().unwrap_or(self.growing);
        if growing != self.growing {
            self.growing = growing;
            updates.push(TreeNews::Growing(growing));
        }
        match self.read(forced) {
            Ok(Some(tree)) => updates.push(TreeNews::Tree(tree)),
            Ok(None) if forced => updates.push(TreeNews::Unchanged),
            Ok(None) => {}
            Err(error) if forced || !self.failed => {
                self.failed = true;
                updates.push(TreeNews::Failed(error.to_string()));
            }
            Err(_) => {}
        }
        updates
    }

    /// Changes the directives, and reads the tree under them.
    fn change(&mut self, asked: &DirectiveChange) -> Vec<TreeNews> {
        let path = self.follower.store().path().to_owned();
        let changed = change((&path, self.patience.clone()), &self.follower.tree().game, asked);
        let mut updates = vec![TreeNews::Directed(changed.map_err(|error| error.to_string()))];
        self.rested = Instant::now();
        updates.extend(self.look(false));
        updates
    }

    /// Turns to the tree with another draw value.
    fn value_draws(&mut self, draw: DrawValue, grow: &GrowWithDraw) -> Vec<TreeNews> {
        let (path, row) = (self.follower.store().path().to_owned(), &self.follower.tree().row);
        let read = |id| {
            let store = Store::open_to_read(&path)?;
            let tree = Arc::new(load_tree(&store, id)?);
            Ok((store, tree))
        };
        let read = |id| read(id).map_err(|error: StoreError| error.to_string());
        match grow(&path, self.patience.clone(), row, draw).and_then(read) {
            Ok((store, tree)) => {
                self.follower.turn_to(store, Arc::clone(&tree));
                let known = format!(
                    "analysis {}: a draw is worth {draw} for White, as far as the memo answers",
                    tree.row.id.0
                );
                let mut news = vec![TreeNews::Tree(tree), TreeNews::Directed(Ok(known))];
                news.extend(self.look(false));
                news
            }
            Err(why) => vec![TreeNews::Directed(Err(why))],
        }
    }

    /// The tree, if it has changed and it is time to read it.
    fn read(&mut self, forced: bool) -> Result<Option<Arc<Tree>>, StoreError> {
        let began = Instant::now();
        if !forced && began < self.rested {
            return Ok(None);
        }
        let tree = self.follower.read()?;
        self.failed = false;
        if tree.is_some() {
            self.rested = Instant::now() + began.elapsed() * REST;
        }
        Ok(tree)
    }
}

/// Changes the directives of a root, in a database that is opened for this alone; returns its
/// description.
fn change(
    (path, patience): (&Path, Patience),
    game: &Game,
    asked: &DirectiveChange,
) -> Result<String, Box<dyn Error>> {
    if !path.exists() {
        return Err(StoreError::Missing(path.to_owned()).into());
    }
    let mut store = Store::open_with(path, patience)?;
    let apply = |set: &mut Directives, dates: &mut Dates| Ok(asked.apply(set, dates)?);
    let changed = store.change_dated::<_, Box<dyn Error>>(game, apply)?;
    let follows = if changed.changes_tree() { "; `grow` follows" } else { "" };
    Ok(changed.result + follows)
}

#[cfg(test)]
mod tests;
