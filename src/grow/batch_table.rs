//! Results of a batch: the table at its end, also as JSON.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use super::roots::SuiteTask;
use crate::progress::{ending_name, time};
use deepanalyze_core::chess::{Ending, EpdTask, Score, TableEnd, fen_of};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_runner::{Job, JobOutcome, QueueOutcome, RunEnd};
use deepanalyze_store::{AnalysisId, AnalysisKind, AnalysisRow, Store, StoreError};
use deepanalyze_view::{
    ChosenBy, Line, NamedEngine, NamedMove, PointOfView, SHOWN_PLIES, Variant, Verdict,
    describe_depth, describe_limit, describe_profile, numbered_move, seen, told_verdict,
    variant_of,
};

/// The widest name in the table.
const WIDEST_NAME: usize = 32;

/// Results of all roots. As JSON, scores are for the side to move.
#[derive(Serialize)]
pub struct BatchTable<'b> {
    ending: &'static str,
    searches: u64,
    elapsed_ms: u128,
    /// Engine of the trees' answers; each root has the limit of its searches.
    engine: NamedEngine<'b>,
    #[serde(skip)]
    profile: &'b Profile,
    /// How many of the positions in which something is asked for have the right best move.
    solved: Option<SolvedCount>,
    /// Errors of games that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
    roots: Vec<BatchRow<'b>>,
}

#[derive(Serialize)]
struct SolvedCount {
    solved: usize,
    of: usize,
}

/// Result of a root.
#[derive(Default, Serialize)]
struct BatchRow<'b> {
    name: &'b str,
    root: String,
    history: Vec<String>,
    /// Only of Chess960.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<Variant>,
    state: &'static str,
    analysis: Option<i64>,
    depth: Option<u32>,
    value: Option<Score>,
    best: Option<NamedMove>,
    line: Vec<String>,
    /// The verdict, as in every other output.
    verdict: Option<Verdict>,
    /// The limit of the searches of the tree that speaks.
    limit: Option<Limit>,
    /// Searches, engine nodes and time of this run.
    searches: u64,
    nodes: u64,
    elapsed_ms: u128,
    /// Engine nodes and time of the tree's answers, in all runs.
    tree_nodes: Option<u64>,
    engine_time_ms: Option<u64>,
    /// Moves that the file asks for; `None` without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<AskedMoves>,
    /// True if the best move is one the file asks for; `None` if it asks for none, or nothing is
    /// known.
    solved: Option<bool>,
    /// Why what the file asks for cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    unchecked: Option<&'b str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip)]
    position: Chess,
    /// How the root ends, where it is an end.
    #[serde(skip)]
    end: &'static str,
}

/// The moves that a test suite asks for.
#[derive(Serialize)]
struct AskedMoves {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bm: Vec<NamedMove>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    am: Vec<NamedMove>,
}

impl AskedMoves {
    fn of(task: &EpdTask, position: &Chess) -> AskedMoves {
        let named =
            |moves: &[UciMove]| moves.iter().map(|uci| NamedMove::of(position, *uci)).collect();
        AskedMoves { bm: named(task.best()), am: named(task.avoid()) }
    }

    /// `bm Qg6, Rxd4; am Nf3`.
    fn words(&self) -> String {
        let words =
            [("bm", &self.bm), ("am", &self.am)].into_iter().filter(|(_, moves)| !moves.is_empty());
        let words = words.map(|(opcode, moves)| {
            let moves: Vec<&str> = moves.iter().map(|named| named.san.as_str()).collect();
            format!("{opcode} {}", moves.join(", "))
        });
        words.collect::<Vec<_>>().join("; ")
    }
}

impl<'b> BatchTable<'b> {
    /// Of a batch by an engine with what its file asks for in each root, and what is wrong with games of it that are left out.
    pub fn of(
        jobs: &'b [Job],
        profile: &'b Profile,
        end: &QueueOutcome,
        tasks: &'b [SuiteTask],
        left_out: Vec<String>,
        store: &Store,
    ) -> Result<BatchTable<'b>, StoreError> {
        let reading = TableReading { end, store };
        let mut roots = Vec::new();
        for (index, (job, outcome)) in jobs.iter().zip(&end.outcomes).enumerate() {
            let mut row = reading.row(job, outcome)?;
            match tasks.get(index) {
                Some(Ok(Some(task))) => {
                    row.solved = row.best.as_ref().map(|best| task.is_solved_by(best.uci));
                    row.asked = Some(AskedMoves::of(task, &row.position));
                }
                Some(Err(error)) => row.unchecked = Some(error),
                Some(Ok(None)) | None => {}
            }
            roots.push(row);
        }
        let asked: Vec<bool> = roots.iter().filter_map(|row| row.solved).collect();
        let solved = asked.iter().filter(|solved| **solved).count();
        Ok(BatchTable {
            ending: ending_name(end.ending),
            searches: end.searches,
            elapsed_ms: end.elapsed.as_millis(),
            engine: NamedEngine::without_limit(profile),
            profile,
            solved: (!asked.is_empty()).then_some(SolvedCount { solved, of: asked.len() }),
            left_out,
            roots,
        })
    }

    /// True if every root is settled, or over.
    pub fn is_settled(&self) -> bool {
        self.roots.iter().all(|row| ["settled", "stable", "over"].contains(&row.state))
    }

    /// True if anything is known of any root.
    pub fn has_verdicts(&self) -> bool {
        self.roots.iter().any(|row| row.verdict.is_some() || row.state == "over")
    }

    /// How many roots are in a state.
    pub fn count(&self, state: &str) -> usize {
        self.roots.iter().filter(|row| row.state == state).count()
    }

    /// The run's analysis of each root with its verdict.
    pub fn verdicts(&self) -> impl Iterator<Item = Option<(i64, &Verdict)>> {
        self.roots.iter().map(|row| row.analysis.zip(row.verdict.as_ref()))
    }

    /// For people: the engine, then each root that was begun, with its settled depth, its value and best move, the searches of
    /// this run, and the nodes and time of its tree.
    pub fn lines(&self, pov: PointOfView) -> Vec<String> {
        let names = self.roots.iter().map(|row| row.name.chars().count());
        let width = names.max().unwrap_or(0).clamp(4, WIDEST_NAME);
        let heading = line("root", HEADING, width);
        let mut lines = vec![
            format!("engine    {}", self.described_engine()),
            format!("score     {}; nodes and engine time of each tree", pov.whose()),
            String::new(),
            heading.trim_end().to_owned(),
        ];
        let begun = self.roots.iter().filter(|row| row.state != "left" || row.analysis.is_some());
        lines.extend(begun.map(|row| row.line(width, pov)));
        lines.push(String::new());
        let unchecked = self.roots.iter().filter(|row| row.unchecked.is_some()).count();
        let also = match unchecked {
            0 => String::new(),
            unchecked => format!("; {unchecked} not checked: bm or am cannot be read"),
        };
        match &self.solved {
            Some(SolvedCount { solved, of }) => {
                lines.push(format!("solved: {solved} of {of} (bm, am){also}"));
            }
            None if unchecked > 0 => lines.push(format!("solved: 0 of 0 (bm, am){also}")),
            None => {}
        }
        lines
    }
}

impl BatchTable<'_> {
    /// The engine, with the limits of the trees that speak.
    fn described_engine(&self) -> String {
        let limits: BTreeSet<Limit> = self.roots.iter().filter_map(|row| row.limit).collect();
        let first = limits.first().copied().unwrap_or(self.profile.limit);
        let engine = describe_profile(&Profile { limit: first, ..self.profile.clone() });
        let others = limits.iter().skip(1).map(|limit| format!(", {}", describe_limit(*limit)));
        format!("{engine}{}", others.collect::<String>())
    }
}

/// A root that this run has not grown.
fn as_it_was(state: &'static str, row: Option<&AnalysisRow>) -> BatchRow<'static> {
    let (analysis, depth) = (row.map(|row| row.id.0), row.and_then(|row| row.settled_depth));
    BatchRow { state, analysis, depth, ..BatchRow::default() }
}

fn words(moves: &[UciMove]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

const HEADING: [&str; 6] = ["depth", "value", "best", "searches", "nodes", "time"];

fn line(
    name: &str,
    [depth, value, best, searches, nodes, time]: [&str; 6],
    width: usize,
) -> String {
    let name: String = name.chars().take(width).collect();
    format!(
        "{name:<width$}  {depth:>5}  {value:>7}  {best:<12}  {searches:>8}  {nodes:>6}  {time:>6}"
    )
}

/// `812`, `12.3k`, `4.5M`.
fn short_nodes(nodes: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", nodes / unit, nodes / (unit / 10) % 10);
    match nodes {
        0..1_000 => nodes.to_string(),
        1_000..1_000_000 => format!("{}k", tenths(1_000)),
        1_000_000..1_000_000_000 => format!("{}M", tenths(1_000_000)),
        _ => format!("{}G", tenths(1_000_000_000)),
    }
}

impl BatchRow<'_> {
    fn line(&self, width: usize, pov: PointOfView) -> String {
        let told = self.verdict.as_ref();
        let value =
            told.map(|told| seen(told.choice.score(), self.position.turn(), pov).to_string());
        let value = value.unwrap_or_default();
        let found = match self.solved {
            Some(true) => " solved",
            Some(false) => " not solved",
            None if self.unchecked.is_some() => " not checked",
            None => "",
        };
        let asked = self.asked.as_ref().map(|asked| format!("  {}", asked.words()));
        let asked = asked.unwrap_or_default();
        let best = told.map(|told| numbered_move(&self.position, told.best()));
        let best = best.unwrap_or_default();
        let is_of_closing = told.is_some_and(|told| told.by == ChosenBy::Closing && !told.agree());
        let by = if is_of_closing { " closing search" } else { "" };
        let depth = match self.state {
            "over" => "-".to_owned(),
            _ => describe_depth(self.depth),
        };
        let searches = match self.state {
            "over" => self.end.to_owned(),
            "failed" => "failed".to_owned(),
            "left" => "to do".to_owned(),
            _ if self.searches == 0 => "before".to_owned(),
            _ => self.searches.to_string(),
        };
        let nodes = self.tree_nodes.map(short_nodes).unwrap_or_default();
        let time =
            self.engine_time_ms.map(|ms| time(Duration::from_millis(ms))).unwrap_or_default();
        let cells = [&*depth, &*value, &*best, &*searches, &*nodes, &*time];
        format!("{}{asked}{by}{found}", line(self.name, cells, width).trim_end())
    }
}

/// Sources of the rows.
struct TableReading<'a> {
    end: &'a QueueOutcome,
    store: &'a Store,
}

impl TableReading<'_> {
    fn row<'b>(&self, job: &'b Job, outcome: &JobOutcome) -> Result<BatchRow<'b>, StoreError> {
        let game = &job.game;
        let known = self.known_of(job)?;
        let kept = self.kept(job, outcome, known.is_some())?;
        let analysis = match kept.analysis {
            Some(id) if kept.state != "over" => self.store.analysis(AnalysisId(id))?,
            _ => None,
        };
        let verdict = analysis.as_ref().map(|row| told_verdict(self.store, row, game));
        let verdict = verdict.transpose()?.flatten();
        let told = verdict.as_ref().map(|told| &told.choice);
        let line = told.map(|told| told.plies(SHOWN_PLIES));
        let ending = Ending::of(game.root()).map(Ending::name);
        let engine_time_ms =
            analysis.as_ref().map(|row| self.store.engine_time_ms(row.id)).transpose()?;
        Ok(BatchRow {
            limit: analysis.as_ref().map(|row| row.profile.limit),
            tree_nodes: analysis.as_ref().map(|row| row.nodes),
            engine_time_ms,
            name: &job.label,
            root: fen_of(game.root()),
            history: words(game.moves()),
            variant: variant_of(game),
            value: told
                .map(Line::score)
                .or(known.map(|known| Score::from(known.worth(job.tree.draw, game.root().turn())))),
            best: verdict.as_ref().map(|told| NamedMove::of(game.root(), told.best())),
            line: line.map(words).unwrap_or_default(),
            position: game.root().clone(),
            end: known.map(TableEnd::words).or(ending).unwrap_or_default(),
            verdict,
            ..kept
        })
    }

    /// Stored results of a root, and this run's work on it.
    fn kept(
        &self,
        job: &Job,
        outcome: &JobOutcome,
        is_known: bool,
    ) -> Result<BatchRow<'static>, StoreError> {
        let over = |analysis| BatchRow { state: "over", analysis, ..BatchRow::default() };
        match outcome {
            JobOutcome::Over(_) => Ok(over(None)),
            JobOutcome::Grown(grown) if is_known => Ok(over(grown.analysis.map(|id| id.0))),
            JobOutcome::Before(_, row) if is_known => Ok(over(Some(row.id.0))),
            JobOutcome::Grown(grown) => Ok(BatchRow {
                state: match grown.ending {
                    RunEnd::Settled => "settled",
                    RunEnd::Stable => "stable",
                    RunEnd::Limit | RunEnd::Interrupted => "begun",
                },
                analysis: grown.analysis.map(|id| id.0),
                depth: grown.settled_depth,
                searches: grown.searches,
                nodes: grown.nodes,
                elapsed_ms: grown.elapsed.as_millis(),
                ..BatchRow::default()
            }),
            JobOutcome::Before(RunEnd::Stable, row) => Ok(as_it_was("stable", Some(row))),
            JobOutcome::Before(_, row) => Ok(as_it_was("settled", Some(row))),
            JobOutcome::Failed(error) => {
                let row = as_it_was("failed", self.own(job)?.as_ref());
                Ok(BatchRow { error: Some(error.to_string()), ..row })
            }
            JobOutcome::Left => Ok(as_it_was("left", self.own(job)?.as_ref())),
        }
    }

    /// The analysis of a root that the batch would go on with.
    fn own(&self, job: &Job) -> Result<Option<AnalysisRow>, StoreError> {
        let Some(settings) = job.tree.known(self.store)? else { return Ok(None) };
        let kind = AnalysisKind { profile: self.end.profile, settings };
        Ok(self.store.analyses_of(&job.game)?.into_iter().find(|row| row.kind() == kind))
    }

    /// The result of a root in the batch's tables, as stored.
    fn known_of(&self, job: &Job) -> Result<Option<TableEnd>, StoreError> {
        let (tables, root) = (job.tree.tables.as_ref().map(|used| used.tables), job.game.root());
        let Some(tables) = tables.filter(|tables| tables.may_know(root)) else {
            return Ok(None);
        };
        let found = self.store.fact(root, u64::MAX)?.flatten();
        Ok(found.map(|wdl| TableEnd { wdl, value: tables.value(wdl) }))
    }
}
