//! `deepanalyze traps`.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use shakmaty::Color;

use deepanalyze_engine::dismiss_guard;
use deepanalyze_report::{TrapsTold, write_trap_cards, write_traps, write_traps_json};
use deepanalyze_runner::{PositionEnd, RunnerError, Shutdown, TrapQuestion, search_traps};
use deepanalyze_store::Store;
use deepanalyze_view::{LIKELY, LOSES, PeopleAsked, SOUND, TrapLimits, Traps, count, traps_of};

use crate::args::database::{ChosenArgs, DbArgs};
use crate::args::engines::EngineArgs;
use crate::args::games::OtherGamesArgs;
use crate::args::report::{ReportArgs, SIDES, one_of};
use crate::args::times::{moment_after, parse_duration};
use crate::error::{CliError, INTERRUPTED};
use crate::printer::{Printer, printing};
use crate::starting::start_one;

/// Show where people go wrong: replies that many play and that lose much, behind moves that lose little
///
/// The analysis must know what people play: `deepanalyze grow --human maia-1500 --played -/5%` follows the likely replies
/// of Black, and finds White's traps; or --games. With --human here, a net is asked about the positions of an analysis
/// that knows nothing of people. The traps that are worth most come first: how likely a game comes to the position if
/// you aim at it, times the share of people who go wrong there, times the points that it gains.
///
/// Nothing is searched without --for: a loss that one search has seen may be none two plies later. With it the engine of
/// the analysis searches the traps deeper, until --top of them hold. Its answers are kept, and traps that lose less than
/// --loss after all are left out.
#[derive(Debug, Args)]
#[command(
    mut_arg("commands", |arg| arg.requires("time")),
    mut_arg("options", |arg| arg.requires("time")),
    mut_arg("engine_depth", |arg| arg.hide(true)),
    mut_arg("engine_nodes", |arg| arg.hide(true)),
    mut_arg("engines", |arg| arg.hide(true)),
    mut_arg("second", |arg| arg.hide(true))
)]
pub struct TrapsArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Side that sets the traps [default: the one whose opponent's replies the analysis follows, or both]
    #[arg(long, value_parser = one_of(SIDES), help_heading = "Traps")]
    side: Option<Color>,
    /// The least share of people who play the losing reply: 0.2 or 20%
    #[arg(long, value_name = "SHARE", default_value_t = LIKELY, value_parser = share, help_heading = "Traps")]
    min: f64,
    /// The reply loses at least this many centipawns against the best one
    #[arg(long, value_name = "CP", default_value_t = LOSES, allow_negative_numbers = true,
        help_heading = "Traps", value_parser = clap::value_parser!(u32).range(1..=30_000))]
    loss: u32,
    /// Your own moves lose at most this many centipawns each, if the reply is right
    #[arg(long, value_name = "CP", default_value_t = SOUND, allow_negative_numbers = true,
        help_heading = "Traps", value_parser = clap::value_parser!(u32).range(0..=30_000))]
    sound: u32,
    /// List this many [default: 10; on cards: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Traps",
        value_parser = clap::value_parser!(u16).range(1..))]
    top: Option<u16>,
    /// Search the traps deeper for this long
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration, help_heading = "Engine")]
    time: Option<Duration>,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    games: OtherGamesArgs,
    #[command(flatten)]
    report: ReportArgs<TrapFormat>,
}

/// Traps that are listed, unless the user says otherwise.
const TOP: usize = 10;

/// How traps are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TrapFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// Flash cards for Anki: what punishes the losing reply
    Anki,
}

/// A share from 0 to 1, or in per cent.
fn share(text: &str) -> Result<f64, String> {
    let (number, whole) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 100.0));
    let share = number.trim().parse::<f64>().ok().map(|number| number / whole);
    let share = share.filter(|share| (0.0..=1.0).contains(share) && *share > 0.0);
    share.ok_or_else(|| "a share is more than 0 and at most 1, or in per cent: 0.2, 20%".to_owned())
}

/// Runs the command.
pub fn run(args: &TrapsArgs) -> Result<ExitCode, CliError> {
    printing(false, |printer| show(args, printer))
}

fn show(args: &TrapsArgs, printer: &Printer) -> Result<ExitCode, CliError> {
    if args.engine.limit().is_some() {
        return Err(CliError::usage("traps takes neither --engine-depth nor --engine-nodes")
            .hint("--for TIME searches as deep as the time allows"));
    }
    let mut store = args.chosen.open()?;
    let output = args.report.output(&store)?;
    let mut tree = args.chosen.load(&store)?;
    let shutdown = args.time.map(|_| Shutdown::on_signals()).transpose()?;
    match &shutdown {
        Some(shutdown) => {
            args.games.count_until(&mut tree, &store, shutdown.receiver(), printer)?
        }
        None => args.games.count(&mut tree, &store, printer)?,
    }
    let Some(rules) = tree.growth.counts().rules else {
        return Err(CliError::missing(format!(
            "analysis {} was grown without games and nets, so it does not know what people play",
            tree.row.id.0
        ))
        .hint("--human maia-1500 asks a net now; `deepanalyze grow --human maia-1500 --played -/5%` follows likely replies"));
    };
    let limits = TrapLimits { likely: args.min, loses: args.loss };
    let is_asked = |side: &Color| args.side.map_or(rules.prepare(*side), |asked| asked == *side);
    let sides = Color::ALL.into_iter().filter(is_asked);
    let asked: Vec<_> = sides.map(|side| PeopleAsked { side, sound: args.sound }).collect();
    let found = traps_of(&tree.growth, &asked, limits);
    let usual = if args.report.format == TrapFormat::Anki { usize::MAX } else { TOP };
    let top = args.top.map_or(usual, usize::from);
    let mut told = Traps::read(&store, &tree, found.clone(), limits)?;
    let mut is_interrupted = false;
    if let (Some(time), Some(shutdown), false) = (args.time, &shutdown, told.traps.is_empty()) {
        let question = TrapQuestion {
            tree: &tree,
            traps: &told.traps,
            limits,
            wanted: top.min(told.traps.len()),
            until: moment_after(time)?,
        };
        let path = store.path().to_owned();
        if let Some((written, end)) = search(args, &path, question, shutdown, printer)? {
            // The one that writes is closed last: it empties the log into the database.
            store = written;
            is_interrupted = end == PositionEnd::Interrupted;
        } else {
            is_interrupted = true;
        }
        told = Traps::read(&store, &tree, found, limits)?;
    }
    let Traps { mut traps, refuted } = told;
    let all = traps.len();
    traps.truncate(top);
    let told = TrapsTold { tree: &tree, traps, all, refuted };
    let (width, pov) = (output.width(), args.report.pov());
    let shown = output.write(|out| match args.report.format {
        TrapFormat::Text => write_traps(&told, pov, width, out),
        TrapFormat::Json => write_traps_json(&told, out),
        TrapFormat::Anki => write_trap_cards(&told, pov, out),
    })?;
    Ok(if is_interrupted { ExitCode::from(INTERRUPTED) } else { shown })
}

/// Searches traps deeper until the wanted number holds, or the time is over; returns the database opened to write,
/// and why it ended, `None` if interrupted before.
fn search(
    args: &TrapsArgs,
    database: &Path,
    question: TrapQuestion<'_>,
    shutdown: &Shutdown,
    printer: &Printer,
) -> Result<Option<(Store, PositionEnd)>, CliError> {
    let row = &question.tree.row;
    let say = |what: &str| printer.line(what);
    let Some(mut engines) = start_one(&args.engine, row.profile.limit, shutdown, say)? else {
        return Ok(None);
    };
    if !row.profile.is_same_engine(engines.profile()) {
        let [root, here] = [&row.profile, engines.profile()].map(|of| Box::new(of.clone()));
        let error = RunnerError::OtherEngine { root, here };
        return Err(CliError::usage(format!("analysis {}: {error}", row.id.0))
            .hint("--engine CMD and --option NAME=VALUE name the engine of the analysis"));
    }
    let mut writing = DbArgs::open_to_run(database, shutdown.receiver(), printer)?;
    let lasts = question.until.saturating_duration_since(Instant::now());
    let lasts = humantime::format_duration(Duration::from_secs(lasts.as_secs() + 1));
    let wanted = count(question.wanted as u64, "trap");
    printer.line(format!("searching {wanted} deeper for {lasts}"));
    let (searched, end) = search_traps(&mut writing, &mut engines, shutdown.receiver(), question)?;
    drop(engines);
    dismiss_guard();
    printer.line(format!("searched {}", count(searched as u64, "trap")));
    printer.flush();
    match end {
        PositionEnd::Failed(why) => Err(CliError::missing(why)),
        end => Ok(Some((writing, end))),
    }
}
