//! How a batch looks: which root is being grown, and the table at the end.

use std::time::Duration;

use shakmaty::{Chess, Position};

use crate::analysis::{BestLine, load};
use crate::chess::Score;
use crate::cli::progress::{Reporter, numbered_best, time};
use crate::engine::{EngineError, Notice};
use crate::render::{count, describe_depth};
use crate::run::{Batch, BatchEnd, BatchObserver, End, Observer, Progress, Root, RootOutcome};
use crate::store::{AnalysisRow, Store, StoreError};
use crate::tree::Settled;

/// Trees that were settled before are read again for the table, up to so many positions in all:
/// a table is not worth minutes.
const READ_AGAIN: u64 = 200_000;

/// The widest name in the table.
const WIDEST_NAME: usize = 32;

/// Tells how a batch goes.
pub struct BatchReporter {
    reporter: Reporter,
    count: usize,
    current: String,
}

impl BatchReporter {
    /// Tells of so many roots.
    pub fn new(reporter: Reporter, count: usize) -> BatchReporter {
        BatchReporter { reporter, count, current: String::new() }
    }

    /// A line that stays.
    pub fn line(&self, text: &str) {
        self.reporter.line(text);
    }

    /// Takes the live line away.
    pub fn clear(&mut self) {
        self.reporter.clear();
    }
}

impl Observer for BatchReporter {
    fn progress(&mut self, progress: &Progress<'_>) {
        self.reporter.progress(progress);
    }

    fn settled(&mut self, settled: &Settled, best: Option<&BestLine>, elapsed: Duration) {
        if self.reporter.is_verbose() {
            self.reporter.settled(settled, best, elapsed);
        }
    }

    fn fault(&mut self, error: &EngineError, attempt: u32, position: Option<&Chess>) {
        self.reporter.fault(error, attempt, position);
    }

    fn notice(&mut self, notice: &Notice) {
        self.reporter.notice(notice);
    }

    fn waiting(&mut self, why: &str) {
        self.reporter.waiting(why);
    }

    fn stopping(&mut self, why: &str) {
        self.reporter.stopping(why);
    }
}

impl BatchObserver for BatchReporter {
    fn done_before(&mut self, count: usize) {
        if count > 0 {
            self.line(&format!("{count} of {} done before", self.count));
        }
    }

    fn root_begins(&mut self, index: usize, root: &Root) {
        let width = self.count.to_string().len();
        self.current = format!("{:>width$}/{} {}", index + 1, self.count, root.name);
        self.reporter.turn_to(self.current.clone(), root.game.root());
        if self.reporter.is_verbose() {
            self.line(&self.current);
        }
    }

    fn root_ends(&mut self, _index: usize, ended: &RootOutcome) {
        let text = match ended {
            RootOutcome::Grown(outcome) => {
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
            RootOutcome::Failed(error) => format!("failed: {error}"),
            _ => return,
        };
        self.line(&format!("{}: {text}", self.current));
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
pub fn table(batch: &Batch, end: &BatchEnd, store: &Store) -> Result<Vec<String>, StoreError> {
    let names = batch.roots.iter().map(|root| root.name.chars().count());
    let width = names.max().unwrap_or(0).clamp(4, WIDEST_NAME);
    let mut lines = vec![String::new(), line("root", "depth", "value", "best", "searches", width)];
    let mut allowance = READ_AGAIN;
    for (root, ended) in batch.roots.iter().zip(&end.outcomes) {
        let Some(row) = row((batch, end), root, ended, store, &mut allowance)? else {
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
    (batch, end): (&Batch, &BatchEnd),
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
            value: best.map(|best| Score::from(best.value).to_string()).unwrap_or_default(),
            best: best.map(|best| numbered_best(best, fullmove, 1)).unwrap_or_default(),
            searches,
        }
    };
    Ok(Some(match ended {
        RootOutcome::Over(ending) => empty(ending.name()),
        RootOutcome::Grown(outcome) => {
            row_of(outcome.settled_depth, outcome.best.as_ref(), outcome.searches.to_string())
        }
        RootOutcome::Done(kept) => {
            let best = best_of(kept, store, allowance)?;
            row_of(kept.settled_depth, best.as_ref(), "before".to_owned())
        }
        RootOutcome::Failed(_) | RootOutcome::Left => {
            let word = if matches!(ended, RootOutcome::Failed(_)) { "failed" } else { "to do" };
            let rows = store.analyses_of(&root.game)?;
            let own =
                |row: &AnalysisRow| row.distance == batch.distance && row.profile_id == end.profile;
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
