//! `deepanalyze grow` on many roots: every position of a game, or the positions of a file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use shakmaty::{Color, Position};

use crate::chess::{EpdRecord, Game, read_epd};
use crate::engine::dismiss_guard;
use crate::render::{count, describe_profile, numbered_line};
use crate::run::{Batch, BatchEnd, End, Fate, Limits, Root, SessionError, Shutdown, grow_batch};

use super::batch_report::{BatchReporter, table};
use super::error::{CliError, FAILURE, INTERRUPTED};
use super::grow::{GrowArgs, Ready, batch_of, command_line, parse_duration, ready, reporter};
use super::root::{RootArgs, bytes_of, name_of};

/// So many lines that are no positions are told; a file that is none at all has many.
const TOLD: usize = 10;

/// Many roots.
#[derive(Debug, Args)]
#[command(next_help_heading = "Many roots")]
pub struct BatchArgs {
    /// Analyse every position of the game, the last one first; with --ply K up to that ply
    #[arg(long, requires = "pgn", group = "batch")]
    every: bool,
    /// With --every, the first ply to analyse
    #[arg(long, value_name = "K", requires = "every", allow_negative_numbers = true)]
    from_ply: Option<usize>,
    /// With --every, only positions in which this side is to move
    #[arg(long, value_enum, requires = "every")]
    side: Option<Side>,
    /// Analyse the positions of a file in turn, one EPD record or FEN a line; "-" reads standard
    /// input
    #[arg(long, value_name = "FILE", group = "batch",
        conflicts_with_all = ["root", "moves", "pgn"])]
    epd: Option<PathBuf>,
    /// Go on with the next root after this time
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "batch",
        allow_hyphen_values = true)]
    for_each: Option<Duration>,
    /// Go on with the next root after this many searches
    #[arg(long, value_name = "N", requires = "batch", allow_negative_numbers = true)]
    searches_each: Option<u64>,
}

/// A side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Side {
    White,
    Black,
}

impl BatchArgs {
    /// Whether there are many roots.
    pub fn is_asked(&self) -> bool {
        self.every || self.epd.is_some()
    }

    /// The limits of one root.
    pub fn each(&self) -> Limits {
        Limits { time: self.for_each, searches: self.searches_each, nodes: None }
    }

    /// The roots, in the order in which they are grown.
    pub fn roots(&self, root: &RootArgs) -> Result<Vec<Root>, CliError> {
        match &self.epd {
            Some(path) => roots_of_file(path),
            None => self.roots_of_game(&root.game()?),
        }
    }

    /// The last position first: what is known of it serves those before it.
    fn roots_of_game(&self, game: &Game) -> Result<Vec<Root>, CliError> {
        let (first, last) = (self.from_ply.unwrap_or(0), game.moves().len());
        if first > last {
            return Err(CliError::usage(format!("there is no ply {first}: the last is {last}")));
        }
        let wanted = |game: &Game| match self.side {
            None => true,
            Some(Side::White) => game.root().turn() == Color::White,
            Some(Side::Black) => game.root().turn() == Color::Black,
        };
        let games = (first..=last).rev().map(|ply| game.up_to(ply)).filter(wanted);
        Ok(games.map(|game| Root { name: last_move(&game), game }).collect())
    }
}

/// The move that led to a game's last position, with its number.
fn last_move(game: &Game) -> String {
    let Some((last, before)) = game.moves().split_last() else {
        return "start".to_owned();
    };
    numbered_line(game.up_to(before.len()).root(), &[*last])
}

fn roots_of_file(path: &Path) -> Result<Vec<Root>, CliError> {
    let (bytes, name) = (bytes_of(path)?, name_of(path));
    let records = read_epd(&String::from_utf8_lossy(&bytes)).map_err(|errors| {
        let lines = errors.iter().map(|(line, error)| format!("{name}:{line}: {error}"));
        let mut told: Vec<String> = lines.take(TOLD).collect();
        if errors.len() > TOLD {
            told.push(format!("and {} more lines of {name}", errors.len() - TOLD));
        }
        CliError::several(told).in_usage()
    })?;
    if records.is_empty() {
        return Err(CliError::usage(format!("there is no position in {name}")));
    }
    Ok(records.into_iter().map(root_of_record).collect())
}

fn root_of_record(record: EpdRecord) -> Root {
    let name = record.id.unwrap_or_else(|| format!("line {}", record.line));
    // A file may hold anything, escape sequences for the terminal, too.
    let name = name.chars().filter(|c| !c.is_control()).collect();
    Root { name, game: Game::from_position(record.position) }
}

/// Runs `grow` on many roots.
pub fn run(args: &GrowArgs, shutdown: &Shutdown) -> Result<ExitCode, CliError> {
    let batch = batch_of(args)?;
    let path = args.db.path_to_grow()?;
    let Some(Ready { mut store, mut pool, sources }) = ready(args, &path, shutdown)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let mut reporter = BatchReporter::new(reporter(args), batch.roots.len());
    for line in [
        format!("roots     {}", described(args, &batch)),
        format!(
            "engine    {}, {}",
            describe_profile(pool.profile()),
            count(sources.iter().map(|source| source.engines as u64).sum(), "process")
        ),
        format!("tree      distance {}, to depth {}", batch.distance, batch.depth),
        format!("database  {}", path.display()),
    ] {
        reporter.line(&line);
    }
    let end = grow_batch(&batch, &mut store, &mut pool, shutdown, &mut reporter);
    drop(pool);
    dismiss_guard();
    reporter.clear();
    let end = end?;
    if !args.quiet {
        table(&batch, &end, &store)?.iter().for_each(|line| reporter.line(line));
        reporter.line(&totals(&batch, &end));
        if end.ending != End::Settled {
            let kept = "every answer is kept: the same command goes on from here";
            reporter.line(&format!("{kept} ({})", path.display()));
        }
        reporter.line(&format!("see it    {}", see(args)));
    }
    let failed = report_failures(&batch, end.fates);
    Ok(match end.ending {
        End::Interrupted => ExitCode::from(INTERRUPTED),
        _ if failed => ExitCode::from(FAILURE),
        _ => ExitCode::SUCCESS,
    })
}

fn described(args: &GrowArgs, batch: &Batch) -> String {
    let positions = count(batch.roots.len() as u64, "position");
    match (args.root.pgn(), &args.batch.epd) {
        (Some((path, number)), _) => {
            format!("{positions} of game {number} of {}, the last first", name_of(path))
        }
        (None, path) => {
            format!("{positions} of {}", path.as_deref().map_or_else(String::new, name_of))
        }
    }
}

fn totals(batch: &Batch, end: &BatchEnd) -> String {
    let how = match end.ending {
        End::Settled => "done",
        End::Limit => "limit reached",
        End::Interrupted => "interrupted",
    };
    let fates = |is: &dyn Fn(&Fate) -> bool| end.fates.iter().filter(|fate| is(fate)).count();
    let settled = fates(&|fate| match fate {
        Fate::Done(_) => true,
        Fate::Grown(outcome) => outcome.ending == End::Settled,
        _ => false,
    });
    let over = fates(&|fate| matches!(fate, Fate::Over(_)));
    let failed = fates(&|fate| matches!(fate, Fate::Failed(_)));
    let open = batch.roots.len() - settled - over - failed;
    let mut text = format!("{how}: {settled} of {} settled", batch.roots.len());
    for (number, what) in [(open, "to go on with"), (over, "over already"), (failed, "failed")] {
        if number > 0 {
            text.push_str(&format!(", {number} {what}"));
        }
    }
    let time = super::progress::time(end.elapsed);
    format!("{text}; {} in this run, {time}", count(end.searches, "search"))
}

/// How to see what was grown.
fn see(args: &GrowArgs) -> String {
    let Some((path, number)) = args.root.pgn() else {
        return command_line(args, &["list"]);
    };
    // What came by standard input cannot be read again.
    let is_gone = path.as_os_str() == "-";
    let path = if is_gone { "FILE".into() } else { path.to_string_lossy() };
    let number = number.to_string();
    let mut words = vec!["show", "--pgn", &path, "--every", "--format", "pgn"];
    if number != "1" {
        words.extend(["--game", &number]);
    }
    let command = command_line(args, &words);
    if is_gone { format!("save the game to a FILE, then {command}") } else { command }
}

/// Names the roots that could not be grown; whether there are any.
fn report_failures(batch: &Batch, fates: Vec<Fate>) -> bool {
    let mut failed = false;
    for (root, fate) in batch.roots.iter().zip(fates) {
        if let Fate::Failed(error) = fate {
            failed = true;
            let fen = crate::chess::fen_of(root.game.root());
            let error: SessionError = error;
            CliError::from(error)
                .hint("the other roots were grown; the same command tries this one again")
                .about(&format!("{} ({fen})", root.name))
                .report();
        }
    }
    failed
}
