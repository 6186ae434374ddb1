//! Words of a run that more than one command uses.

use std::path::Path;
use std::time::Duration;

use shakmaty::{Chess, Position};

use deepanalyze_core::chess::Score;
use deepanalyze_core::directives::Directives;
use deepanalyze_engine::PoolNotice;
use deepanalyze_runner::RunEnd;
use deepanalyze_view::{Line, PointOfView, SHOWN_PLIES, describe_directives, numbered_line, seen};

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
pub fn numbered_best(best: &Line, fullmove: u32) -> String {
    let line = numbered_line(&with_fullmove(best, fullmove), best.plies(SHOWN_PLIES));
    if best.moves.len() > SHOWN_PLIES { format!("{line} …") } else { line }
}

/// Its first move, with its number.
pub fn best_move(best: &Line, fullmove: u32) -> String {
    numbered_line(&with_fullmove(best, fullmove), best.plies(1))
}

/// The root's value as the point of view has it.
pub fn score_of(best: &Line, pov: PointOfView) -> Score {
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
pub fn directed_line(directives: &Directives, best: Option<&str>) -> String {
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
pub fn invalidated(answers: u64, trees: u64) -> String {
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
pub fn notice_line(notice: &PoolNotice) -> String {
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
