//! Sources of answers other than this computer's engines, and conflicts.

use std::io::{self, Write};

use serde::Serialize;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Score, Value, parse_fen};
use deepanalyze_core::printable::printable;
use deepanalyze_store::{ConflictRow, ListedAnswer, SourceRow};

use deepanalyze_view::{
    NamedEngine, NamedMove, PointOfView, count, describe_profile, grouped, numbered_move, seen,
    timestamp,
};

/// An answer that differs elsewhere, in JSON; scores are the mover's.
#[derive(Debug, Serialize)]
pub struct ConflictObject<'a> {
    engine: NamedEngine<'a>,
    epd: &'a str,
    rank: u64,
    /// Null if removed since.
    here: Option<SaidObject<'a>>,
    there: SaidObject<'a>,
}

#[derive(Debug, Serialize)]
struct SaidObject<'a> {
    #[serde(flatten)]
    named: NamedMove,
    eval: Score,
    /// Its source; null for an engine of this computer.
    source: Option<&'a str>,
}

impl<'a> ConflictObject<'a> {
    /// From a row; `None` if its position is unreadable.
    pub fn of(row: &'a ConflictRow) -> Option<ConflictObject<'a>> {
        let position = parse_fen(&row.epd).ok()?;
        let said = |answer: ListedAnswer, source: Option<&'a str>| SaidObject {
            named: NamedMove::of(&position, answer.uci),
            eval: answer.score,
            source,
        };
        Some(ConflictObject {
            engine: NamedEngine::of(&row.profile),
            epd: &row.epd,
            rank: row.rank,
            here: row.here.map(|here| said(here, row.here_from.as_deref())),
            there: said(row.there, Some(&row.source)),
        })
    }
}

/// Writes sources for people, one per line.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_sources(rows: &[SourceRow], out: &mut dyn Write) -> io::Result<()> {
    for row in rows {
        let mut said = vec![format!("{} ({})", row.name, row.kind), count(row.answers, "answer")];
        if row.conflicts > 0 {
            said.push(count(row.conflicts, "conflict"));
        }
        said.extend(row.merged_at.map(|at| format!("merged {}", timestamp(at))));
        said.extend(row.why.as_ref().map(|why| format!("removed: {why}")));
        writeln!(out, "{}", printable(&said.join(" · ")))?;
    }
    Ok(())
}

/// Writes conflicts for people, in paragraphs.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_conflicts(
    rows: &[ConflictRow],
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    for row in rows {
        let Ok(position) = parse_fen(&row.epd) else { continue };
        let (rank, profile) = (grouped(row.rank + 1), describe_profile(&row.profile));
        writeln!(out, "{}  move {rank} of {profile}", row.epd)?;
        let here = row.here.map_or("nothing, by now".to_owned(), |here| told(&position, here, pov));
        let from = row.here_from.as_ref().map(|name| format!(" (from {})", printable(name)));
        let from = from.unwrap_or_default();
        writeln!(out, "  here  {here}{from}")?;
        writeln!(out, "  {}  {}", printable(&row.source), told(&position, row.there, pov))?;
    }
    Ok(())
}

fn told(position: &Chess, answer: ListedAnswer, pov: PointOfView) -> String {
    let score = seen(Value::from(answer.score), position.turn(), pov);
    format!("{} {score}", numbered_move(position, answer.uci))
}
