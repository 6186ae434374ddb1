//! How a batch looks: which root is being grown, and the table at the end.

use shakmaty::{Chess, Position};

use crate::analysis::{BestLine, load};
use crate::cli::printer::Printer;
use crate::cli::progress::Follower;
use crate::cli::progress::{Reporter, best_move, score_of, time};
use crate::render::{PointOfView, count, describe_depth};
use crate::run::{Batch, BatchEnd, End, Root, RootOutcome, RunEvent, RunOutcome, Snapshot};
use crate::store::{AnalysisRow, Store, StoreError};

/// Trees that were settled before are read again for the table, up to so many positions in all:
/// a table is not worth minutes.
const READ_AGAIN: u64 = 200_000;

/// The widest name in the table.
const WIDEST_NAME: usize = 32;

/// Puts into words how a batch goes.
pub struct BatchReporter {
    reporter: Reporter,
    is_verbose: bool,
    count: usize,
    /// The root that has its turn.
    index: usize,
    current: String,
}

impl BatchReporter {
    /// Tells of so many roots.
    pub fn new(reporter: Reporter, is_verbose: bool, count: usize) -> BatchReporter {
        BatchReporter { reporter, is_verbose, count, index: 0, current: String::new() }
    }

    /// A line that stays.
    pub fn line(&self, text: &str) {
        self.reporter.line(text);
    }

    /// Takes the live line away.
    pub fn clear(&self) {
        self.reporter.clear();
    }

    fn root_begins(&mut self, index: usize, name: &str, root: &Chess) {
        let width = self.count.to_string().len();
        self.index = index;
        self.current = format!("{:>width$}/{} {name}", index + 1, self.count);
        self.reporter.turn_to(self.current.clone(), root);
        if self.is_verbose {
            self.line(&self.current);
        }
    }

    fn root_ends(&self, outcome: &Result<Box<RunOutcome>, String>) {
        let text = match outcome {
            Ok(outcome) => {
                let depth = describe_depth(outcome.settled_depth);
                let how = match outcome.ending {
                    End::Settled => "",
                    End::Limit => ", limit reached",
                    End::Interrupted => ", interrupted",
                };
                let best = outcome.best.as_ref().map(|best| self.reporter.best_line(best));
                format!(
                    "depth {depth}{how}, {}, {}  {}",
                    count(outcome.searches, "search"),
                    time(outcome.elapsed),
                    best.unwrap_or_default()
                )
            }
            Err(error) => format!("failed: {error}"),
        };
        self.line(&format!("{}: {text}", self.current));
    }
}

impl Follower for BatchReporter {
    fn printer(&self) -> &Printer {
        self.reporter.printer()
    }

    fn event(&mut self, event: RunEvent) {
        match event {
            RunEvent::Settled { .. } if !self.is_verbose => {}
            RunEvent::DoneBefore(0) => {}
            RunEvent::DoneBefore(done) => {
                self.line(&format!("{done} of {} done before", self.count))
            }
            RunEvent::RootBegins { index, name, root } => self.root_begins(index, &name, &root),
            RunEvent::RootEnds { outcome, .. } => self.root_ends(&outcome),
            event => self.reporter.event(event),
        }
    }

    fn snapshot(&mut self, snapshot: &Snapshot) {
        // The newest may still be about the root before.
        if snapshot.root == self.index {
            self.reporter.snapshot(snapshot);
        }
    }
}

/// One line of the table.
struct Row {
    depth: String,
    value: String,
    best: String,
    searches: String,
}

/// The table at the end of a batch: each root that was begun, with its settled depth, its value and
/// best move, and the searches of this run.
pub fn table(
    (batch, end): (&Batch, &BatchEnd),
    pov: PointOfView,
    store: &Store,
) -> Result<Vec<String>, StoreError> {
    let names = batch.roots.iter().map(|root| root.name.chars().count());
    let width = names.max().unwrap_or(0).clamp(4, WIDEST_NAME);
    let mut lines = vec![String::new(), line("root", "depth", "value", "best", "searches", width)];
    let mut allowance = READ_AGAIN;
    for (root, ended) in batch.roots.iter().zip(&end.outcomes) {
        let Some(row) = row((batch, end, pov), root, ended, store, &mut allowance)? else {
            continue;
        };
        lines.push(line(&root.name, &row.depth, &row.value, &row.best, &row.searches, width));
    }
    lines.push(String::new());
    Ok(lines)
}

fn line(name: &str, depth: &str, value: &str, best: &str, searches: &str, width: usize) -> String {
    let name: String = name.chars().take(width).collect();
    format!("{name:<width$}  {depth:>5}  {value:>8}  {best:<14}  {searches:>8}")
}

/// The row of a root; none where nothing is known of it.
fn row(
    (batch, end, pov): (&Batch, &BatchEnd, PointOfView),
    root: &Root,
    ended: &RootOutcome,
    store: &Store,
    allowance: &mut u64,
) -> Result<Option<Row>, StoreError> {
    let empty = |searches: &str| Row {
        depth: "-".to_owned(),
        value: String::new(),
        best: String::new(),
        searches: searches.to_owned(),
    };
    let row_of = |depth: Option<u32>, best: Option<&BestLine>, searches: String| {
        let fullmove = root.game.root().fullmoves().get();
        Row {
            depth: describe_depth(depth),
            value: best.map(|best| score_of(best, pov).to_string()).unwrap_or_default(),
            best: best.map(|best| best_move(best, fullmove)).unwrap_or_default(),
            searches,
        }
    };
    Ok(Some(match ended {
        RootOutcome::Over(ending) => empty(ending.name()),
        RootOutcome::Grown(outcome) => {
            row_of(outcome.settled_depth, outcome.best.as_deref(), outcome.searches.to_string())
        }
        RootOutcome::Done(kept) => {
            let best = best_of(kept, store, allowance)?;
            row_of(kept.settled_depth, best.as_ref(), "before".to_owned())
        }
        RootOutcome::Failed(_) | RootOutcome::Left => {
            let word = if matches!(ended, RootOutcome::Failed(_)) { "failed" } else { "to do" };
            let rows = store.analyses_of(&root.game)?;
            let own =
                |row: &AnalysisRow| row.breadth == batch.breadth && row.profile_id == end.profile;
            match rows.into_iter().find(own) {
                None if matches!(ended, RootOutcome::Left) => return Ok(None),
                None => empty(word),
                Some(kept) => {
                    let best = best_of(&kept, store, allowance)?;
                    row_of(kept.settled_depth, best.as_ref(), word.to_owned())
                }
            }
        }
    }))
}

/// The best line of a kept tree; nothing where so much was read already that this one is too much.
fn best_of(
    kept: &AnalysisRow,
    store: &Store,
    allowance: &mut u64,
) -> Result<Option<BestLine>, StoreError> {
    if kept.positions > *allowance {
        return Ok(None);
    }
    *allowance -= kept.positions;
    let growth = load(store, kept.id)?.growth;
    Ok(BestLine::of(&growth))
}
