//! `deepanalyze why`.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, GameError, read_move};
use deepanalyze_engine::dismiss_guard;
use deepanalyze_runner::{MoveQuestion, PositionEnd, Shutdown, search_move};
use deepanalyze_view::{MoveSearch, Tree, Why, write_json};

use crate::args::database::{ChosenArgs, DbArgs};
use crate::args::engines::EngineArgs;
use crate::args::report::{PovArgs, ReportFormat};
use crate::args::times::{moment_after, parse_duration};
use crate::error::{CliError, INTERRUPTED};
use crate::output::Output;
use crate::printer::{Printer, printing};
use crate::starting::start_one;

/// Say why a move is not the best: its score or its bound, and the line that refutes it
///
/// At once, from the analysis: how much worse the move is than the best one, or, if no answer of the engine lists it,
/// what it can be worth at most; the line behind it with the engine's score at each ply; and from where on it is
/// worse. Then the engine searches the position behind a move that the analysis has not searched, for two seconds. That
/// answer is kept, so the second question costs nothing; the analysis stays as it is.
#[derive(Debug, Args)]
#[command(
    mut_arg("engine_depth", |arg| arg.help(DEPTH).long_help(None)),
    mut_arg("engine_nodes", |arg| arg.help(NODES)),
    mut_arg("engines", |arg| arg.hide(true)),
    mut_arg("second", |arg| arg.hide(true))
)]
pub struct WhyArgs {
    /// The move ("Nf3")
    #[arg(value_name = "MOVE")]
    asked: String,
    #[command(flatten)]
    chosen: ChosenArgs,
    /// The move is played after these moves ("Nf6 d4")
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        hide_default_value = true,
        help_heading = "Position"
    )]
    line: String,
    #[command(flatten)]
    engine: EngineArgs,
    /// Start no engine: only what is known
    #[arg(long, help_heading = "Engine", conflicts_with = "time")]
    no_engine: bool,
    /// Search this long, and deeper than before [default: 2s, if the move was not searched yet]
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration, help_heading = "Engine")]
    time: Option<Duration>,
    #[command(flatten)]
    pov: PovArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, help_heading = "Output")]
    format: ReportFormat,
}

const DEPTH: &str =
    "Search the position behind the move to this depth first [default: that of the analysis]";
const NODES: &str = "Search this many nodes first, instead of to a depth";

/// Runs the command.
pub fn run(args: &WhyArgs) -> Result<ExitCode, CliError> {
    printing(false, |printer| answer(args, printer))
}

fn answer(args: &WhyArgs, printer: &Printer) -> Result<ExitCode, CliError> {
    let store = args.chosen.open()?;
    let tree = args.chosen.load(&store)?;
    let (at, uci) = asked(&tree, &args.line, &args.asked)
        .map_err(|error| CliError::failure(&error).in_usage())?;
    let why = Why::of(&store, &tree, &at, uci)?;
    let asks_another = !args.engine.commands.is_empty() || args.engine.limit().is_some();
    let needs_engine = why.search_limit().is_some()
        && !args.no_engine
        && (args.time.is_some() || asks_another || why.wants_search());
    if !needs_engine {
        return Output::stdout().styled(true).write(|out| write_all(args, &why, out));
    }
    if args.format == ReportFormat::Text {
        let output = Output::stdout().styled(true);
        output.write(|out| why.write(args.pov.get(), output.width(), out))?;
    }
    // The store that writes is closed last: it empties the log into the database.
    let path = store.path().to_owned();
    drop(store);
    let Some(found) = search(args, &path, &tree, &why, printer)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let why = match found {
        None => why,
        found => why.with_search(found),
    };
    let output = Output::stdout().styled(true);
    output.write(|out| match args.format {
        ReportFormat::Json => write_json(&why, out),
        ReportFormat::Text => why.write_search(args.pov.get(), output.width(), out),
    })
}

fn write_all(args: &WhyArgs, why: &Why, out: &mut dyn Write) -> io::Result<()> {
    if args.format == ReportFormat::Json {
        return write_json(why, out);
    }
    let width = Output::stdout().width();
    why.write(args.pov.get(), width, out)?;
    why.write_search(args.pov.get(), width, out)
}

/// The line and the move behind it.
pub fn asked(tree: &Tree, line: &str, word: &str) -> Result<(Vec<UciMove>, UciMove), GameError> {
    let mut game = Game::from_position(tree.game.root().clone());
    game.play_line(line)?;
    let uci = read_move(game.root(), word)?;
    Ok((game.moves().to_vec(), uci))
}

/// Searches the position behind the move; `None` if interrupted.
fn search(
    args: &WhyArgs,
    database: &Path,
    tree: &Tree,
    why: &Why,
    printer: &Printer,
) -> Result<Option<Option<MoveSearch>>, CliError> {
    let shutdown = Shutdown::on_signals()?;
    let say = |what: &str| printer.line(what);
    let (began, time) = (Instant::now(), args.time.unwrap_or(Why::SEARCH_TIME));
    let limit = tree.row.profile.limit;
    let Some(mut engines) = start_one(&args.engine, limit, &shutdown, say)? else {
        return Ok(None);
    };
    let mut writing = DbArgs::open_to_run(database, shutdown.receiver(), printer)?;
    // A slow start leaves half of the time.
    let until = moment_after(time - began.elapsed().min(time / 2))?;
    let goes_deeper = args.time.is_some();
    let question = MoveQuestion { tree, why, limit: args.engine.limit(), time, until, goes_deeper };
    let (found, end) = search_move(&mut writing, &mut engines, shutdown.receiver(), question)?;
    drop(engines);
    dismiss_guard();
    match end {
        PositionEnd::Failed(why) => return Err(CliError::missing(why)),
        PositionEnd::Interrupted => return Ok(None),
        PositionEnd::Time if found.is_none() => {
            let [time, longer] = [time, 5 * time].map(humantime::format_duration);
            printer.line(format!("no answer within {time}; --for {longer} searches longer"));
        }
        PositionEnd::Time => {}
    }
    printer.flush();
    Ok(Some(found))
}
