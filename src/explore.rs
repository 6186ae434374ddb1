//! `deepanalyze explore`.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, ValueEnum};
use crossbeam_channel::bounded;

use crate::args::database::ChosenArgs;
use crate::args::engines::ChosenEngine;
use crate::args::report::PovArgs;
use crate::starting::guard_engines;
use deepanalyze_core::chess::DrawValue;
use deepanalyze_engine::Pool;
use deepanalyze_explore::{Explorer, Look, walk};
use deepanalyze_runner::{
    ControlReceiver, MoveQuestion, PositionEnd, grow_with_draw, on_signal, search_move,
};
use deepanalyze_store::{AnalysisId, AnalysisRow, Patience, Store};
use deepanalyze_view::{Followed, MoveSearch, Tree, Why};

use super::error::{CliError, INTERRUPTED};

/// Walk through the tree in the terminal: board, moves, best line
///
/// Works while `grow` is running, and shows the tree as it grows. Keys exclude and include moves, give a
/// position a value and stop at one, too. `?` lists the keys.
#[derive(Debug, Args)]
pub struct ExploreArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Begin after these moves ("e4 e5")
    #[arg(long, value_name = "MOVES", default_value = "", help_heading = "Output")]
    line: String,
    #[command(flatten)]
    pov: PovArgs,
    /// Pieces on the board
    #[arg(long, value_enum, default_value_t = PieceSet::Auto, help_heading = "Output")]
    pieces: PieceSet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PieceSet {
    /// Figurines where the terminal has UTF-8, letters elsewhere
    Auto,
    /// Figurines
    Unicode,
    /// Letters; plain ASCII everywhere
    Letters,
}

/// Runs the command.
pub fn run(args: &ExploreArgs) -> Result<ExitCode, CliError> {
    let (store, reader) = (args.chosen.open()?, args.chosen.open()?);
    let path = store.path().to_owned();
    let tree = Arc::new(args.chosen.load(&store)?);
    let analysis = tree.row.id;
    let mut explorer = Explorer::new(Arc::clone(&tree), args.pov.get());
    explorer.play_line(&args.line).map_err(CliError::usage)?;
    explorer.set_growing(store.is_growing(analysis));
    refuse_without_terminal()?;
    let (sender, signals) = bounded(1);
    on_signal(move || {
        // One is enough.
        let _ = sender.try_send(());
    })?;
    let of = if args.chosen.is_analysis() { Followed::Analysis } else { Followed::Stages };
    let tree = (tree, of);
    let grow = Box::new(with_draw);
    let ask = Arc::new(move |tree: &Tree, why: &Why| ask(&path, tree, why));
    Ok(if walk(explorer, look(args.pieces), tree, [reader, store], (grow, ask), &signals)? {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(INTERRUPTED)
    })
}

/// Has the configured engine search the position behind a move.
fn ask(path: &Path, tree: &Tree, why: &Why) -> Result<Option<MoveSearch>, String> {
    let told = |error: CliError| error.message();
    let chosen = ChosenEngine::new(&[]).map_err(told)?;
    guard_engines();
    let settings = chosen.settings(&[], Some(1), tree.row.profile.limit).map_err(told)?;
    let began = Instant::now();
    let mut engines = Pool::start(&settings).map_err(|error| error.to_string())?;
    let mut store = Store::open(path).map_err(|error| error.to_string())?;
    // A slow start leaves half of the time.
    let time = Why::SEARCH_TIME;
    let until = Instant::now() + time - began.elapsed().min(time / 2);
    let question = MoveQuestion { tree, why, limit: None, time, until, goes_deeper: false };
    let control = ControlReceiver::never();
    let (found, end) = search_move(&mut store, &mut engines, &control, question)
        .map_err(|error| error.to_string())?;
    match end {
        PositionEnd::Failed(why) => Err(why),
        PositionEnd::Time | PositionEnd::Interrupted => Ok(found),
    }
}

/// Grows the tree in which a draw is worth something else, from the memo.
fn with_draw(
    path: &Path,
    patience: Patience,
    row: &AnalysisRow,
    draw: DrawValue,
) -> Result<AnalysisId, String> {
    let mut store = Store::open_with(path, patience).map_err(|error| error.to_string())?;
    let grown = grow_with_draw(&mut store, row, draw).map_err(|error| error.to_string())?;
    grown.ok_or_else(|| if row.settings.tables.is_some() || row.settings.games.is_some() { format!(
            "explore cannot grow a tree with tablebases or games again: use `deepanalyze grow --draw-value={draw}`"
        ) } else { "no stored answers for this position".to_owned() })
}

fn refuse_without_terminal() -> Result<(), CliError> {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if std::io::stdout().is_terminal() && !dumb {
        return Ok(());
    }
    let what = if dumb { "a terminal that can move its cursor" } else { "a terminal" };
    Err(CliError::usage(format!("explore needs {what}"))
        .hint("`deepanalyze show` prints the tree anywhere"))
}

fn look(pieces: PieceSet) -> Look {
    let unicode = match pieces {
        PieceSet::Auto => cfg!(windows) || locale_is_utf8(),
        PieceSet::Unicode => true,
        PieceSet::Letters => false,
    };
    let colour = match anstream::ColorChoice::global() {
        anstream::ColorChoice::Never => false,
        anstream::ColorChoice::Auto => std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        _ => true,
    };
    Look { unicode, colour }
}

/// True if the locale is UTF-8: the first of its variables that is set decides, as in the C
/// library.
fn locale_is_utf8() -> bool {
    let set = |name: &&str| std::env::var(name).is_ok_and(|value| !value.is_empty());
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find(|name| set(name));
    let value = name.and_then(|name| std::env::var(name).ok()).unwrap_or_default();
    let value = value.to_ascii_lowercase();
    value.contains("utf-8") || value.contains("utf8")
}
