//! Words that several formats use: numbered moves, lines, engines, counts.

pub(super) mod breadth;
pub(super) mod changes;
pub(super) mod directives;
pub(super) mod engine;
pub(super) mod figures;
pub(super) mod fit;
pub(super) mod roots;
pub(super) mod stages;
mod tables;

pub use breadth::{BreadthObject, describe_breadth};
pub use directives::{describe_copied, describe_directives, describe_pending, describe_value};
pub use engine::{EngineObject, describe_limit, describe_profile};
pub use roots::{describe_root, last_move, name_of_game};
pub use stages::{StageObject, describe_stages, describe_stays, stage_lines};
pub use tables::{
    TableMoveObject, WordedTableMove, describe_manner, describe_table_move, describe_tables,
    with_tables,
};

use std::fmt::Write as _;
use std::time::{Duration, UNIX_EPOCH};

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use crate::analysis::{Closing, ClosingAsked, ClosingMove};
use crate::render::pov::{PointOfView, seen};
use deepanalyze_core::chess::{Ending, push_san};
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::LineEnd;

/// `12. ` before a move of White's, `12... ` before one of Black's where the line begins.
pub(in crate::render) fn push_number(turn: Color, fullmoves: u32, begins: bool, out: &mut String) {
    // A text can be written without fail.
    let _ = match turn {
        Color::White => write!(out, "{fullmoves}. "),
        Color::Black if begins => write!(out, "{fullmoves}... "),
        Color::Black => Ok(()),
    };
}

/// A move in SAN with its number: `12... Nf6`.
pub(in crate::render) fn numbered_move(position: &Chess, uci: UciMove) -> String {
    let mut numbered = String::new();
    push_number(position.turn(), position.fullmoves().get(), true, &mut numbered);
    push_san(&mut position.clone(), uci, &mut numbered);
    numbered
}

/// A line in SAN with move numbers: `1. e4 e5 2. Nf3`.
pub fn numbered_line(start: &Chess, moves: &[UciMove]) -> String {
    numbered(start, sans_of(start, moves).iter().map(String::as_str))
}

/// The moves of a line in SAN.
pub(in crate::render) fn sans_of(start: &Chess, moves: &[UciMove]) -> Vec<String> {
    let mut position = start.clone();
    let san = |uci: &UciMove| {
        let mut san = String::new();
        push_san(&mut position, *uci, &mut san);
        san
    };
    moves.iter().map(san).collect()
}

/// Moves in SAN with their numbers: `1. e4 e5 2. Nf3`.
pub(in crate::render) fn numbered<'m>(
    start: &Chess,
    sans: impl Iterator<Item = &'m str>,
) -> String {
    let (mut line, mut turn, mut number) = (String::new(), start.turn(), start.fullmoves().get());
    for (index, san) in sans.enumerate() {
        line.push_str(if index > 0 { " " } else { "" });
        push_number(turn, number, index == 0, &mut line);
        line.push_str(san);
        number = number.saturating_add(u32::from(turn == Color::Black));
        turn = !turn;
    }
    line
}

/// The position after moves; what cannot be played is left out.
pub fn after<'m>(position: &Chess, moves: impl IntoIterator<Item = &'m UciMove>) -> Chess {
    let mut position = position.clone();
    moves.into_iter().for_each(|uci| play(&mut position, *uci));
    position
}

/// Plays a move, if it can be played.
pub(in crate::render) fn play(position: &mut Chess, uci: UciMove) {
    if let Ok(m) = uci.to_move(position) {
        position.play_unchecked(m);
    }
}

/// So many plies behind a closing search's move are told.
const REPLIES: usize = 8;
/// So many other moves of it.
const OTHERS: usize = 4;

/// A closing search, beside a tree whose searches have this limit:
/// `1. Nf3 +0.31 1... d5 2. d4 (2000000 nodes on each of 3 engines, after pass 57); next 1. e4 +0.28, 1. d4 +0.26`.
pub fn describe_closing(root: &Chess, closing: &Closing, shown: Limit, pov: PointOfView) -> String {
    let ClosingAsked { tree_limit, passes, limit, engines } = closing.asked;
    let scored = |chosen: &ClosingMove| {
        let score = seen(chosen.score, root.turn(), pov);
        format!("{} {score}", numbered_move(root, chosen.uci))
    };
    let (best, limit) = (scored(&closing.best), describe_limit(limit));
    let each = match engines {
        1 => String::new(),
        engines => format!(" on each of {engines} engines"),
    };
    let tree = match tree_limit {
        same if same == shown => String::new(),
        other => format!(" with {}", describe_limit(other)),
    };
    let replies = closing.best.line.iter().skip(1).take(REPLIES);
    let replies: Vec<UciMove> = replies.copied().collect();
    let line = numbered_line(&after(root, [&closing.best.uci]), &replies);
    let line = if line.is_empty() { line } else { format!(" {line}") };
    let others: Vec<String> = closing.others.iter().take(OTHERS).map(scored).collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!("; next {}", others.join(", ")),
    };
    format!("{best}{line} ({limit}{each}, after pass {passes}{tree}){others}")
}

/// How a game has ended and who has won, if it has: `checkmate: White has won`.
pub(in crate::render) fn describe_end(position: &Chess) -> Option<String> {
    let ending = Ending::of(position)?;
    let result = match (ending, position.turn()) {
        (Ending::Checkmate, Color::White) => "Black has won",
        (Ending::Checkmate, Color::Black) => "White has won",
        _ => "a draw",
    };
    Some(format!("{}: {result}", ending.name()))
}

/// Why a line ends where it does, where that is not seen.
pub fn describe_line_end(end: LineEnd) -> Option<&'static str> {
    match end {
        LineEnd::Repetition => Some("repetition"),
        LineEnd::Over(ending) => Some(ending.name()),
        LineEnd::Known(known) => Some(known.turned().words()),
        LineEnd::Value => Some("your value"),
        LineEnd::Tree { .. } | LineEnd::Elsewhere => None,
    }
}

/// A number with its noun: `1 position`, `2 passes`, `3 searches`.
pub fn count(number: u64, noun: &str) -> String {
    let plural = if noun.ends_with(['s', 'h']) { "es" } else { "s" };
    format!("{number} {noun}{}", if number == 1 { "" } else { plural })
}

/// A settled depth, or that there is none: `6`, `none`.
pub fn describe_depth(settled: Option<u32>) -> String {
    settled.map_or("none".to_owned(), |depth| depth.to_string())
}

/// What a tree consists of: `24 positions, 49 moves (one search each)`.
pub fn describe_size(positions: u64, searches: u64) -> String {
    let each = match searches {
        0 => "",
        1 => " (one search)",
        _ => " (one search each)",
    };
    format!("{}, {}{each}", count(positions, "position"), count(searches, "move"))
}

/// A span of milliseconds, to the tenth of a second where it is short: `2.9s`, `1h 3m 5s`.
pub fn span(milliseconds: u64) -> String {
    let tenths = milliseconds.saturating_add(50) / 100;
    if tenths < 600 {
        return format!("{}.{}s", tenths / 10, tenths % 10);
    }
    let seconds = milliseconds.saturating_add(500) / 1000;
    humantime::format_duration(std::time::Duration::from_secs(seconds)).to_string()
}

/// A text of the user's on one line: what is no letter or sign becomes a blank, and blanks become one.
pub fn one_line(text: &str) -> String {
    let printable: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    printable.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The last second that has four digits for its year.
const LAST_SECOND: u64 = 253_402_300_799;

/// A time of the database (milliseconds since 1970) to the second, UTC: `2026-11-21T08:11:41Z`.
pub fn timestamp(milliseconds: i64) -> String {
    let seconds = u64::try_from(milliseconds / 1000).unwrap_or(0).min(LAST_SECOND);
    let time = UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(UNIX_EPOCH);
    humantime::format_rfc3339_seconds(time).to_string()
}

/// How long ago a time of the database was: `just now`, `5 min ago`, `3 h ago`, `12 d ago`; beyond a month the
/// day, UTC.
pub(in crate::render) fn time_ago(then: i64, now: i64) -> String {
    let minutes = now.saturating_sub(then) / 60_000;
    match minutes {
        ..1 => "just now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..1440 => format!("{} h ago", minutes / 60),
        1440..43_200 => format!("{} d ago", minutes / 1440),
        _ => timestamp(then).get(..10).unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_is_too_late() {
        assert_eq!(timestamp(1_763_683_199_999), "2025-11-20T23:59:59Z");
        assert_eq!(timestamp(-1), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp(i64::MAX), "9999-12-31T23:59:59Z");
    }

    #[test]
    fn a_time_is_told_as_people_tell_it() {
        let now = 1_763_683_199_999;
        let ago = |minutes: i64| time_ago(now - minutes * 60_000, now);
        let right = ["just now", "1 min ago", "59 min ago", "1 h ago", "23 h ago", "1 d ago"];
        assert_eq!([0, 1, 59, 60, 1439, 1440].map(ago), right);
        assert_eq!([43_199, 43_200].map(ago), ["29 d ago", "2025-10-21"]);
        assert_eq!(time_ago(now + 1, now), "just now", "clocks are set back");
        assert_eq!(time_ago(i64::MIN, i64::MAX), "1970-01-01");
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(describe_size(0, 0), "0 positions, 0 moves");
        assert_eq!(describe_size(1, 1), "1 position, 1 move (one search)");
        assert_eq!(describe_size(2, 3), "2 positions, 3 moves (one search each)");
    }
}
