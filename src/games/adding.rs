//! `deepanalyze games add`, and games of a file, or of a set under a filter, that are not counted.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;

use deepanalyze_games::{
    AddOptions, AddStage, Added, Adding, GameSet, GameSetError, LeftOut, Unjudged, add,
};
use deepanalyze_report::names_and_games;
use deepanalyze_runner::Shutdown;
use deepanalyze_view::{count, grouped, one_line, size, write_json};

use crate::args::database::make_folder_of;
use crate::args::games::set_place;
use crate::args::report::ReportFormat;
use crate::error::{CliError, INTERRUPTED};
use crate::output::Output;
use crate::printer::{Printer, printing};
use crate::progress::time;

use super::list::SetObject;

/// Without a terminal a line is printed so often.
const PLAIN: Duration = Duration::from_secs(10);
/// How often the live line changes; more is only flicker.
const PACE: Duration = Duration::from_millis(125);
/// The columns of the bar.
const BAR: u64 = 24;

/// Make a set, or add games to one
///
/// The main lines are counted, up to --max-ply. A game that the set has already (the same moves, players, date,
/// round, time, result and address) is not counted again; games of unknown players are the same only in two files. A
/// game that cannot be read is left out, and named; games of other variants are left out. Files may be compressed (.gz, .bz2, .zst). Until all is done the set is what it was, whatever happens.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The set: a name, or a path
    set: PathBuf,
    /// Files of games in PGN, compressed or not; "-" reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Count this many plies of each game [default: 60, or what the set has]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    max_ply: Option<u32>,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, help_heading = "Output")]
    format: ReportFormat,
    /// Print nothing but errors, and the object of --format json
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &AddArgs) -> Result<ExitCode, CliError> {
    if args.set.as_os_str() == "-" {
        return Err(CliError::usage("\"-\" is standard input, and no set")
            .hint("`games add SET -`: the set comes first"));
    }
    let place = set_place(&args.set)?;
    // A name alone is one of the data folder, which may not be there yet.
    if place != args.set {
        make_folder_of(&place, "a path")?;
    }
    let shutdown = Shutdown::on_signals()?;
    printing(args.quiet, |printer| {
        let options = AddOptions { max_ply: args.max_ply };
        let mut progress = AddProgress::new(printer);
        let added = add(&place, &args.files, options, &mut |adding| {
            progress.tell(adding);
            !shutdown.receiver().is_told_to_end()
        });
        printer.clear();
        match added {
            Ok(added) => {
                tell(&added, progress.begun.elapsed(), args, printer)?;
                match unread(&added) {
                    Some(error) => Err(error),
                    None => Ok(ExitCode::SUCCESS),
                }
            }
            Err(GameSetError::Interrupted) => {
                printer.line("interrupted: nothing was added");
                Ok(ExitCode::from(INTERRUPTED))
            }
            Err(error @ GameSetError::Cut { .. }) => {
                Err(CliError::from(error).hint("the set is what it was; download the file again"))
            }
            Err(error) => Err(error.into()),
        }
    })
}

/// JSON object of the result.
#[derive(Serialize)]
struct AddedObject<'a> {
    /// The set as it is now.
    set: SetObject<'a>,
    added: u64,
    /// Games that were there already, or twice in the files.
    duplicates: u64,
    variants: u64,
    bad: u64,
    /// Games with another result in the tag than behind the moves.
    contradicting: u64,
    /// The first errors.
    left_out: Vec<String>,
    elapsed_ms: u128,
}

/// Prints the result.
fn tell(
    added: &Added,
    took: Duration,
    args: &AddArgs,
    printer: &Printer,
) -> Result<ExitCode, CliError> {
    let Added { set, games, left_out } = added;
    contradicting_line(left_out.contradicting).into_iter().for_each(|line| printer.line(line));
    older_line(&set.name, set.older).into_iter().for_each(|line| printer.line(line));
    printer.flush();
    let output = Output::stdout();
    match args.format {
        ReportFormat::Json => {
            let LeftOut { duplicates, variants, bad, first_bad, contradicting } = left_out;
            let object = AddedObject {
                set: SetObject::of(set),
                added: *games,
                duplicates: *duplicates,
                variants: variants.games(),
                bad: *bad,
                contradicting: *contradicting,
                left_out: first_bad.iter().map(ToString::to_string).collect(),
                elapsed_ms: took.as_millis(),
            };
            output.write(|out| write_json(&object, out))
        }
        ReportFormat::Text if args.quiet => Ok(ExitCode::SUCCESS),
        ReportFormat::Text => output
            .write(|out| lines(added, took).iter().try_for_each(|line| writeln!(out, "{line}"))),
    }
}

/// The result in lines, for people.
fn lines(added: &Added, took: Duration) -> [String; 3] {
    let Added { set, games, left_out } = added;
    let all = games + left_out.duplicates;
    let bad = (left_out.bad > 0).then(|| format!("{} bad", grouped(left_out.bad)));
    let others: Vec<String> =
        others_words(left_out, "there already").into_iter().chain(bad).collect();
    let left_out = if others.is_empty() {
        String::new()
    } else {
        format!("; left out: {}", others.join(", "))
    };
    let rate = grouped((all as f64 / took.as_secs_f64().max(0.001)) as u64);
    [
        format!("added     {}{left_out}", count(*games, "game")),
        format!("this run  {}, {rate} games/s", time(took)),
        format!(
            "set       {}: {}, {}, {} ({})",
            set.name,
            count(set.games, "game"),
            count(set.positions, "position"),
            count(set.moves, "move"),
            size(set.bytes)
        ),
    ]
}

/// That games cannot be read, and which; the others are in the set.
fn unread(added: &Added) -> Option<CliError> {
    let lines = bad_lines(&added.left_out);
    let (first, rest) = lines.split_first()?;
    let first = first.trim_start_matches("warning: ");
    let all: Vec<&str> = std::iter::once(first).chain(rest.iter().map(String::as_str)).collect();
    Some(CliError::missing(all.join("\n")).hint("the other games are in the set"))
}

/// How far it has come, for people.
struct AddProgress<'p> {
    printer: &'p Printer,
    begun: Instant,
    stage: (AddStage, Instant),
    told: Instant,
    last_plain: Instant,
}

impl AddProgress<'_> {
    fn new(printer: &Printer) -> AddProgress<'_> {
        let now = Instant::now();
        AddProgress {
            printer,
            begun: now,
            stage: (AddStage::Reading, now),
            told: now,
            last_plain: now,
        }
    }

    fn tell(&mut self, adding: &Adding) {
        let now = Instant::now();
        if self.stage.0 != adding.stage {
            self.stage = (adding.stage, now);
        }
        if self.printer.is_live() && now - self.told >= PACE {
            self.told = now;
            self.printer.status(self.words(adding, now));
        } else if !self.printer.is_live() && now - self.last_plain >= PLAIN {
            self.last_plain = now;
            self.printer.line(self.words(adding, now));
        }
    }

    fn words(&self, adding: &Adding, now: Instant) -> String {
        let what = match adding.stage {
            AddStage::Reading => "reading",
            AddStage::Merging => "merging",
        };
        let mut parts = Vec::new();
        let (since, games) = (now - self.stage.1, count(adding.games, "game"));
        if let Some(all) = adding.all.filter(|all| *all > 0) {
            parts.push(format!(
                "{} {}%",
                bar(adding.done, all),
                adding.done.saturating_mul(100) / all
            ));
        }
        parts.push(games);
        if adding.stage == AddStage::Reading {
            let rate = adding.games as f64 / since.as_secs_f64().max(0.001);
            parts.push(format!("{}/s", grouped(rate as u64)));
        }
        let left = adding.all.filter(|_| adding.done > 0).map(|all| {
            let share = all.saturating_sub(adding.done) as f64 / adding.done as f64;
            format!("{} left", time(since.mul_f64(share.clamp(0.0, 1e6))))
        });
        parts.extend(left);
        format!("{what} {}", parts.join(" · "))
    }
}

fn bar(done: u64, all: u64) -> String {
    let full = (u128::from(done) * u128::from(BAR) / u128::from(all.max(1))) as usize;
    let full = full.min(BAR as usize);
    format!("{}{}", "█".repeat(full), "░".repeat(BAR as usize - full))
}

/// Says what is not counted: games of a file that cannot be read, are there twice or are of other variants, and games that
/// the filter cannot judge; and which other names may be the player's.
pub fn left_out_lines(set: &GameSet) -> Vec<String> {
    let left_out = set.left_out();
    let mut lines = bad_lines(left_out);
    lines.extend(
        others_words(left_out, "there twice").map(|others| format!("note: left out: {others}")),
    );
    lines.extend(contradicting_line(left_out.contradicting));
    lines.extend(unjudged_words(set.unjudged()).map(|words| format!("note: {words}")));
    lines.extend(older_line(&set.info().name, set.info().older));
    let also = names_and_games(set.also());
    lines.extend((!also.is_empty()).then(|| format!("also: {also}")));
    lines
}

/// `4 there already, 1 of other variants (1 Atomic)`, the first by these words; nothing where there are none.
pub fn others_words(left_out: &LeftOut, duplicate: &str) -> Option<String> {
    let LeftOut { duplicates, variants, .. } = left_out;
    let of_variants = format!("of other variants ({variants})");
    let others = [(*duplicates, duplicate), (variants.games(), of_variants.as_str())];
    let others = others.iter().filter(|(number, _)| *number > 0);
    let words: Vec<String> =
        others.map(|(number, what)| format!("{} {what}", grouped(*number))).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Says how many games have two results.
pub fn contradicting_line(games: u64) -> Option<String> {
    let have = if games == 1 { "has" } else { "have" };
    let line = || {
        let games = count(games, "game");
        format!(
            "note: {games} {have} another result in the tag than behind the moves; the latter counts"
        )
    };
    (games > 0).then(line)
}

/// Says how many games of a set an earlier version has counted, by other rules.
pub fn older_line(set: &str, games: u64) -> Option<String> {
    let line = || {
        let (set, games) = (one_line(set), count(games, "game"));
        format!(
            "note: {games} of {set} were counted by an earlier version: one that comes back to a position counts \
             there for each of its moves; a new set from the same files has them right"
        )
    };
    (games > 0).then(line)
}

/// `12 games left out by --since: no date that can be read`; nothing where the filter could judge all games.
pub fn unjudged_words(unjudged: Unjudged) -> Option<String> {
    let Unjudged { date, rating, time_control, event } = unjudged;
    let words = [
        (date, "--since", "no date that can be read, or not all of it"),
        (rating, "--min-rating", "the rating of a player is unknown"),
        (time_control, "--time-control", "no time control that can be read"),
        (event, "--event", "no event"),
    ];
    let words = words.iter().filter(|(games, _, _)| *games > 0);
    let words: Vec<String> = words
        .map(|(games, by, why)| format!("{} left out by {by}: {why}", count(*games, "game")))
        .collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// Names games that cannot be read, and says how many more there are.
pub fn bad_lines(LeftOut { bad, first_bad, .. }: &LeftOut) -> Vec<String> {
    let (bad, first) = (*bad, first_bad);
    if bad == 0 {
        return Vec::new();
    }
    let are = if bad == 1 { "is" } else { "are" };
    let head = format!("warning: {} cannot be read and {are} left out", count(bad, "game"));
    let more = bad.saturating_sub(first.len() as u64);
    let rest = (more > 0).then(|| format!("  and {} more", grouped(more)));
    let each = first.iter().map(|bad| format!("  {bad}"));
    [head].into_iter().chain(each).chain(rest).collect()
}
