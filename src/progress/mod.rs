//! A run while it works: its reader, by its feed as any other, and its words.

mod events;
mod reporter;

use std::fmt::Display;
use std::io;
use std::path::Path;
use std::time::Duration;

use shakmaty::{Chess, Position};

use deepanalyze_core::chess::Score;
use deepanalyze_core::directives::Directives;
use deepanalyze_engine::PoolNotice;
use deepanalyze_runner::{RunEnd, RunFeed, RunListener};
use deepanalyze_view::{
    Line, PointOfView, SHOWN_PLIES, count, describe_directives, numbered_line, seen,
};

pub use reporter::Reporter;

/// How often the live line is drawn; more is only flicker.
const PACE: Duration = Duration::from_millis(125);

/// How long it waits for news before it looks again; nothing depends on it.
const LONG: Duration = Duration::from_secs(60);

/// Does something that tells, while a thread of its own follows. All that was told has been put
/// into words when this returns.
pub fn followed<T, E: Display>(
    reporter: &mut Reporter,
    feed: &RunFeed,
    ending: fn(&T) -> RunEnd,
    work: impl FnOnce(&mut RunListener<'_>) -> Result<T, E>,
) -> io::Result<Result<T, E>> {
    let mut news = feed.subscribe().paced(PACE);
    std::thread::scope(|scope| {
        let follow = move || {
            loop {
                let told = news.wait(LONG);
                if told.missed > 0 {
                    let missed = count(told.missed, "message");
                    reporter.line(&format!("warning: {missed} left out"));
                }
                told.events.into_iter().for_each(|event| reporter.event(event));
                if let Some(snapshot) = told.snapshot {
                    reporter.snapshot(&snapshot);
                }
                if told.end.is_some() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("progress".to_owned()).spawn_scoped(scope, follow)?;
        Ok(feed.tell_of(ending, work))
    })
}

/// Note that a run's answers are kept, and how to continue.
pub fn kept(database: &Path) -> String {
    let kept = "every answer is kept: the same command goes on from here";
    format!("{kept} ({})", database.display())
}

/// How a run has ended.
pub fn how(ending: RunEnd) -> &'static str {
    match ending {
        RunEnd::Settled | RunEnd::Stable => "done",
        RunEnd::Limit => "limit reached",
        RunEnd::Interrupted => "interrupted",
    }
}

/// Name of an end in JSON.
pub fn ending_name(ending: RunEnd) -> &'static str {
    match ending {
        RunEnd::Settled | RunEnd::Stable => "settled",
        RunEnd::Limit => "limit",
        RunEnd::Interrupted => "interrupted",
    }
}

/// The first moves of a best line, with numbers, and dots where it goes on. Its position has lost its clocks: the
/// root's move number is given.
fn numbered_best(best: &Line, fullmove: u32) -> String {
    let line = numbered_line(&with_fullmove(best, fullmove), best.plies(SHOWN_PLIES));
    if best.moves.len() > SHOWN_PLIES { format!("{line} …") } else { line }
}

/// Its first move, with its number.
fn best_move(best: &Line, fullmove: u32) -> String {
    numbered_line(&with_fullmove(best, fullmove), best.plies(1))
}

/// The root's value as the point of view has it.
fn score_of(best: &Line, pov: PointOfView) -> Score {
    seen(best.value, best.root.turn(), pov)
}

fn with_fullmove(best: &Line, fullmove: u32) -> Chess {
    let mut setup = best.root.to_setup(shakmaty::EnPassantMode::Legal);
    if let Some(fullmove) = std::num::NonZeroU32::new(fullmove) {
        setup.fullmoves = fullmove;
    }
    let mode = shakmaty::CastlingMode::Chess960;
    shakmaty::FromSetup::from_setup(setup, mode).unwrap_or_else(|_| best.root.clone())
}

/// Line for a change of directives during a run, with the best line under them, as far as it is
/// known.
fn directed_line(directives: &Directives, best: Option<&str>) -> String {
    let all = match describe_directives(directives) {
        none if none.is_empty() => "none".to_owned(),
        some => some,
    };
    match best {
        Some(best) => {
            format!("directives: {all}; now {best} (growing again from known answers)")
        }
        None => format!("directives: {all}"),
    }
}

/// Warning that answers of a faulty worker, and trees based on them, are invalidated.
fn invalidated(answers: u64, trees: u64) -> String {
    let answers = match answers {
        1 => "one answer of that worker is".to_owned(),
        _ => format!("{answers} answers of that worker, and those that depend on them, are"),
    };
    let trees = match trees {
        0 | 1 => String::new(),
        _ => format!("; {trees} trees used them and are grown again on their next run"),
    };
    format!("warning: {answers} invalidated and searched again{trees}")
}

/// A change of what the engines are, or of how they are asked.
fn notice_line(notice: &PoolNotice) -> String {
    let is_good =
        matches!(notice, PoolNotice::Back { .. } | PoolNotice::Fleet { is_good: true, .. });
    let kind = if is_good { "note" } else { "warning" };
    format!("{kind}: {notice}")
}

/// A duration to the second, or to the tenth where it is short.
pub fn time(duration: Duration) -> String {
    let tenths = duration.as_millis() / 100;
    match duration.as_secs() {
        0..60 => format!("{}.{}s", tenths / 10, tenths % 10),
        seconds @ 60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        seconds => format!("{}h{:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}
