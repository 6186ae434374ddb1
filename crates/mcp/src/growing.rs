//! Searches for a client, if the server was started for that: a tree grows for a while, or the position
//! behind a move is searched.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use deepanalyze_core::chess::Game;
use deepanalyze_runner::{
    ClosingPlan, ControlReceiver, Job, MoveQuestion, PositionEnd, Progress, RunEvent, RunLimits,
    Schedule, TreePlan, grow, search_move,
};
use deepanalyze_store::{AnalysisId, AnalysisRow, Store};
use deepanalyze_view::{PointOfView, Stages, Tree, Why, count, numbered_move, seen};
use shakmaty::{Chess, Position};

use crate::StartEngines;
use crate::desk::Root;
use crate::told::words;

/// The distance of a new tree, in centipawns.
const DISTANCE: u32 = 10;
/// The depth of a new tree, in plies.
const DEPTH: u32 = 10;

/// The longest time for a tree, in seconds.
pub const LONGEST: u64 = 120;

/// Grows the tree of a root for some time, as `deepanalyze grow` does; tells its progress in words, and the analysis
/// that it has grown.
pub fn grow_root(
    path: &Path,
    start: &StartEngines,
    root: &Root,
    time: Duration,
    control: &ControlReceiver,
    told: &mut dyn FnMut(String),
) -> Result<AnalysisId, String> {
    let mut store = Store::open(path).map_err(words)?;
    let job = job(&store, root, time)?;
    let mut engines = start(job.schedule.first(), None)?;
    let outcome = grow(&job, &mut store, &mut *engines, control, &mut |event| match event {
        RunEvent::Progress(progress) => told(words_of(&progress, job.game.root())),
        RunEvent::Closing(closing) => {
            let best = closing.best.map(|best| best.named.san);
            told(format!("closing search: {}", best.unwrap_or_default()));
        }
        _ => {}
    });
    let analysis = outcome.map_err(words)?.analysis;
    analysis.ok_or_else(|| "no position was analysed in this time; the answers are kept".to_owned())
}

/// Progress in words: the best move so far.
fn words_of(progress: &Progress, root: &Chess) -> String {
    let best = progress.lines.first().and_then(|line| {
        let score = seen(line.value, root.turn(), PointOfView::White);
        Some(format!("{} {score}, depth {}, ", numbered_move(root, line.best()?), progress.depth))
    });
    best.unwrap_or_default() + &count(progress.searches, "search")
}

fn job(store: &Store, root: &Root, time: Duration) -> Result<Job, String> {
    let game: Game = root.game()?;
    let row: Option<&AnalysisRow> = match root {
        Root::Kept(row) => Some(row),
        Root::New(_) => None,
    };
    let (tree, depth, schedule) = match row {
        None => (DISTANCE.into(), DEPTH, Schedule::REFINED),
        Some(row) => {
            let settings = &row.settings;
            if settings.tables.is_some() || settings.games.is_some() {
                return Err(format!(
                    "analysis {} uses tablebases or games: `deepanalyze grow --analysis {}` goes on with it",
                    row.id.0, row.id.0
                ));
            }
            let tree = TreePlan { draw: settings.draw, ..settings.breadth.clone().into() };
            let stages = Stages::of(store, row.clone()).map_err(words)?;
            let schedule = match stages.rows() {
                [_] => Schedule::Once(row.profile.limit),
                _ => Schedule::REFINED,
            };
            (tree, row.target_depth.max(DEPTH), schedule)
        }
    };
    let limits = RunLimits { time: Some(time), ..RunLimits::default() };
    Ok(Job { limits, closing: ClosingPlan::SecondHalf, ..Job::new(game, tree, schedule, depth) })
}

/// Searches the position behind a move; a failure of the engine is told in words.
pub fn search(
    path: &Path,
    start: &StartEngines,
    tree: &Arc<Tree>,
    why: Why,
    control: &ControlReceiver,
) -> Result<Why, String> {
    let mut store = Store::open(path).map_err(words)?;
    let (began, time) = (Instant::now(), Why::SEARCH_TIME);
    let mut engines = start(tree.row.profile.limit, Some(1))?;
    let until = Instant::now() + time - began.elapsed().min(time / 2);
    let question = MoveQuestion { tree, why: &why, limit: None, time, until, goes_deeper: false };
    let (found, end) = search_move(&mut store, &mut *engines, control, question).map_err(words)?;
    match end {
        PositionEnd::Failed(why) => Err(format!("the engine failed: {why}")),
        PositionEnd::Time | PositionEnd::Interrupted => Ok(why.with_search(found)),
    }
}
