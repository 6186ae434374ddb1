//! What came of the roots of a batch: the table at its end, and the same as JSON.

use serde::Serialize;
use shakmaty::Position;
use shakmaty::uci::UciMove;

use crate::args::root::LeftOut;
use crate::progress::{best_move, score_of};
use deepanalyze_core::chess::{Ending, Score, TableEnd, fen_of, san_of};
use deepanalyze_report::{BestLine, load};
use deepanalyze_report::{PointOfView, describe_depth};
use deepanalyze_runner::{Batch, BatchOutcome, BatchRoot, RootOutcome, RunEnd};
use deepanalyze_store::{AnalysisKind, AnalysisRow, Store, StoreError};

use super::roots::Asked;

/// Trees that were settled before are read again for the table, up to so many positions in all:
/// a table is not worth minutes.
const READ_AGAIN: u64 = 200_000;

/// The widest name in the table.
const WIDEST_NAME: usize = 32;

/// What came of all roots.
pub struct BatchTable<'b> {
    rows: Vec<BatchRow<'b>>,
    end: &'b BatchOutcome,
    left_out: &'b LeftOut,
}

/// What came of a root.
struct BatchRow<'b> {
    root: &'b BatchRoot,
    state: &'static str,
    analysis: Option<i64>,
    depth: Option<u32>,
    best: Option<BestLine>,
    /// Searches of this run.
    searches: u64,
    /// What endgame tables know of it.
    known: Option<TableEnd>,
    /// Whether the best move is what the file asks for; none where it asks for nothing, or nothing is known.
    solved: Option<bool>,
    /// Why what the file asks for cannot be read.
    unchecked: Option<String>,
    error: Option<String>,
}

impl<'b> BatchTable<'b> {
    /// Of a batch with what its file asks for in each root, and which games of it are left out.
    pub fn of(
        batch: &'b Batch,
        end: &'b BatchOutcome,
        tasks: &[Asked],
        left_out: &'b LeftOut,
        store: &Store,
    ) -> Result<BatchTable<'b>, StoreError> {
        let mut allowance = READ_AGAIN;
        let mut rows = Vec::new();
        for (index, (root, outcome)) in batch.roots.iter().zip(&end.outcomes).enumerate() {
            let mut row = row(batch, end, root, outcome, store, &mut allowance)?;
            let best = row.best.as_ref().and_then(|best| best.moves.first());
            match tasks.get(index) {
                Some(Ok(Some(task))) => row.solved = best.map(|uci| task.is_solved_by(*uci)),
                Some(Err(error)) => row.unchecked = Some(error.clone()),
                Some(Ok(None)) | None => {}
            }
            rows.push(row);
        }
        Ok(BatchTable { rows, end, left_out })
    }

    /// Whether every root is settled, or over.
    pub fn is_settled(&self) -> bool {
        self.rows.iter().all(|row| ["settled", "stable", "over"].contains(&row.state))
    }

    /// Whether anything is kept of any root.
    pub fn has_analyses(&self) -> bool {
        self.rows.iter().any(|row| row.best.is_some())
    }

    /// How many roots are in a state.
    pub fn count(&self, state: &str) -> usize {
        self.rows.iter().filter(|row| row.state == state).count()
    }

    /// How many of the positions in which something is asked for have the right best move.
    fn solved(&self) -> Option<(usize, usize)> {
        let asked: Vec<bool> = self.rows.iter().filter_map(|row| row.solved).collect();
        let solved = asked.iter().filter(|solved| **solved).count();
        (!asked.is_empty()).then_some((solved, asked.len()))
    }

    /// For people: each root that was begun, with its settled depth, its value and best move, and the
    /// searches of this run.
    pub fn lines(&self, pov: PointOfView) -> Vec<String> {
        let names = self.rows.iter().map(|row| row.root.name.chars().count());
        let width = names.max().unwrap_or(0).clamp(4, WIDEST_NAME);
        let heading = line("root", ["depth", "value", "best", "searches"], width);
        let mut lines = vec![String::new(), format!("{heading}  score {}", pov.whose())];
        let begun = self.rows.iter().filter(|row| row.state != "left" || row.analysis.is_some());
        lines.extend(begun.map(|row| row.line(width, pov)));
        lines.push(String::new());
        let unchecked = self.rows.iter().filter(|row| row.unchecked.is_some()).count();
        let also = match unchecked {
            0 => String::new(),
            unchecked => format!("; {unchecked} not checked: bm or am cannot be read"),
        };
        match self.solved() {
            Some((solved, asked)) => {
                lines.push(format!("solved: {solved} of {asked} (bm, am){also}"));
            }
            None if unchecked > 0 => lines.push(format!("solved: 0 of 0 (bm, am){also}")),
            None => {}
        }
        lines
    }

    /// For programs. Scores are for the side to move.
    pub fn json(&self) -> serde_json::Result<String> {
        let solved = self.solved().map(|(solved, of)| SolvedObject { solved, of });
        serde_json::to_string(&BatchObject {
            format: 1,
            ending: match self.end.ending {
                RunEnd::Settled | RunEnd::Stable => "settled",
                RunEnd::Limit => "limit",
                RunEnd::Interrupted => "interrupted",
            },
            searches: self.end.searches,
            elapsed_ms: self.end.elapsed.as_millis(),
            solved,
            left_out: self.left_out.errors().iter().map(ToString::to_string).collect(),
            roots: self.rows.iter().map(BatchRow::object).collect(),
        })
    }
}

#[derive(Serialize)]
struct BatchObject<'a> {
    format: u32,
    ending: &'static str,
    searches: u64,
    elapsed_ms: u128,
    solved: Option<SolvedObject>,
    /// What is wrong with the games that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
    roots: Vec<BatchRootObject<'a>>,
}

#[derive(Serialize)]
struct SolvedObject {
    solved: usize,
    of: usize,
}

#[derive(Serialize)]
struct BatchRootObject<'a> {
    name: &'a str,
    root: String,
    history: Vec<String>,
    state: &'static str,
    analysis: Option<i64>,
    depth: Option<u32>,
    value: Option<Score>,
    best: Option<BatchMoveObject>,
    line: Vec<String>,
    searches: u64,
    solved: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unchecked: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

#[derive(Serialize)]
struct BatchMoveObject {
    uci: String,
    san: String,
}

fn words(moves: &[UciMove]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

fn line(name: &str, [depth, value, best, searches]: [&str; 4], width: usize) -> String {
    let name: String = name.chars().take(width).collect();
    format!("{name:<width$}  {depth:>5}  {value:>8}  {best:<14}  {searches:>8}")
}

/// How a game was over before it could be analysed.
fn ending_of(root: &BatchRoot) -> String {
    Ending::of(root.game().root()).map_or_else(String::new, |ending| ending.name().to_owned())
}

impl BatchRow<'_> {
    fn line(&self, width: usize, pov: PointOfView) -> String {
        let best = self.best.as_ref();
        let fullmove = self.root.game().root().fullmoves().get();
        let value = best.map(|best| score_of(best, pov).to_string()).unwrap_or_default();
        let found = match self.solved {
            Some(true) => " solved",
            Some(false) => " not solved",
            None if self.unchecked.is_some() => " not checked",
            None => "",
        };
        let best = best.map(|best| best_move(best, fullmove)).unwrap_or_default();
        let (depth, searches) = match self.state {
            "over" => {
                let by_tables = self.known.map(|known| known.words().to_owned());
                ("-".to_owned(), by_tables.unwrap_or_else(|| ending_of(self.root)))
            }
            "failed" => (describe_depth(self.depth), "failed".to_owned()),
            "left" => (describe_depth(self.depth), "to do".to_owned()),
            _ if self.searches == 0 => (describe_depth(self.depth), "before".to_owned()),
            _ => (describe_depth(self.depth), self.searches.to_string()),
        };
        format!("{}{found}", line(&self.root.name, [&depth, &value, &best, &searches], width))
    }

    fn object(&self) -> BatchRootObject<'_> {
        let (game, best) = (self.root.game(), self.best.as_ref());
        let first = best.and_then(|best| best.moves.first());
        let known = self.known.map(|known| known.value);
        BatchRootObject {
            name: &self.root.name,
            root: fen_of(game.root()),
            history: words(game.moves()),
            state: self.state,
            analysis: self.analysis,
            depth: self.depth,
            value: best.map(|best| best.value).or(known).map(Score::from),
            best: first.map(|uci| BatchMoveObject {
                uci: uci.to_string(),
                san: san_of(game.root(), *uci),
            }),
            line: best.map(|best| words(&best.moves)).unwrap_or_default(),
            searches: self.searches,
            solved: self.solved,
            unchecked: self.unchecked.as_deref(),
            error: self.error.as_deref(),
        }
    }
}

fn row<'b>(
    batch: &Batch,
    end: &BatchOutcome,
    root: &'b BatchRoot,
    outcome: &RootOutcome,
    store: &Store,
    allowance: &mut u64,
) -> Result<BatchRow<'b>, StoreError> {
    let (searches, solved, unchecked, error) = (0, None, None, None);
    let (analysis, depth, best) = (None, None, None);
    let known = known_of(root, batch, store)?;
    let state = "left";
    let row =
        BatchRow { root, state, analysis, depth, best, searches, known, solved, unchecked, error };
    let kept = |row: BatchRow<'b>, kept: &AnalysisRow, allowance: &mut u64| {
        let best = best_of(kept, store, allowance)?;
        let (analysis, depth) = (Some(kept.id.0), kept.settled_depth);
        Ok::<BatchRow<'b>, StoreError>(BatchRow { analysis, depth, best, ..row })
    };
    match outcome {
        RootOutcome::Over(_) => Ok(BatchRow { state: "over", ..row }),
        RootOutcome::Grown(outcome) if row.known.is_some() => Ok(BatchRow {
            state: "over",
            analysis: outcome.analysis.map(|analysis| analysis.0),
            ..row
        }),
        RootOutcome::Before(_, done) if row.known.is_some() => {
            Ok(BatchRow { state: "over", analysis: Some(done.id.0), ..row })
        }
        RootOutcome::Grown(outcome) => Ok(BatchRow {
            state: match outcome.ending {
                RunEnd::Settled => "settled",
                RunEnd::Stable => "stable",
                RunEnd::Limit | RunEnd::Interrupted => "begun",
            },
            analysis: outcome.analysis.map(|analysis| analysis.0),
            depth: outcome.settled_depth,
            best: outcome.best.as_deref().cloned(),
            searches: outcome.searches,
            ..row
        }),
        RootOutcome::Before(end, done) => {
            let state = if *end == RunEnd::Stable { "stable" } else { "settled" };
            kept(BatchRow { state, ..row }, done, allowance)
        }
        RootOutcome::Failed(_) | RootOutcome::Left => {
            let tables = batch.tables.as_ref().map(|used| used.tables);
            let kind =
                AnalysisKind { profile: end.profile, breadth: batch.breadth.clone(), tables };
            let is_own = |row: &AnalysisRow| row.kind() == kind;
            let row = match outcome {
                RootOutcome::Failed(error) => {
                    BatchRow { state: "failed", error: Some(error.to_string()), ..row }
                }
                _ => row,
            };
            match store.analyses_of(&root.game())?.into_iter().find(is_own) {
                Some(found) => kept(row, &found, allowance),
                None => Ok(row),
            }
        }
    }
}

/// What tables by which a batch goes have said of a root.
fn known_of(
    root: &BatchRoot,
    batch: &Batch,
    store: &Store,
) -> Result<Option<TableEnd>, StoreError> {
    let tables = batch.tables.as_ref().map(|used| used.tables);
    let game = root.game();
    let root = game.root();
    let Some(tables) = tables.filter(|tables| tables.may_know(root)) else {
        return Ok(None);
    };
    let found = store.fact(root, u64::MAX)?.flatten();
    Ok(found.map(|wdl| TableEnd { wdl, value: tables.value(wdl) }))
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
