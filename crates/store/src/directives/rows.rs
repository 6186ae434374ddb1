//! Directives as rows.

use rusqlite::params;

use crate::memo::now;
use crate::writer::Write;
use deepanalyze_core::chess::{GivenValue, PositionKey};
use deepanalyze_core::directives::{Dates, Directive, Directives};

/// Writes what has changed in the directives of a game. What is new gets a date that nothing else has, unless it has
/// one. Where a change comes from another database, what it adds to what it began with is noted as that one's.
pub fn write_changes(
    write: &Write<'_>,
    game: i64,
    (before, after): (&Directives, &Directives),
    (dates, merged): (&Dates, Option<(i64, &Directives)>),
) -> rusqlite::Result<()> {
    let delete =
        "DELETE FROM directive WHERE game = ?1 AND position = ?2 AND kind = ?3 AND move = ?4";
    let insert = "INSERT INTO directive (game, position, kind, move, value, text, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let (mut delete, mut insert) = (write.prepare_cached(delete)?, write.prepare_cached(insert)?);
    for (key, directive) in before.without(after) {
        let row = SaidRow::of(write, &key, &directive)?;
        delete.execute(params![game, row.position, row.kind, row.uci])?;
    }
    let now = dates.last().map_or_else(now, |last| now().max(last.saturating_add(1)));
    for (number, (key, directive)) in (0..).zip(after.without(before)) {
        let row = SaidRow::of(write, &key, &directive)?;
        let new = if dates.are_apart() { now.saturating_add(number) } else { now };
        let at = dates.of(&key, &directive).unwrap_or(new);
        let values = params![game, row.position, row.kind, row.uci, row.value, row.text, at];
        insert.execute(values)?;
        if let Some((source, _)) = merged.filter(|(_, begun)| !begun.has(&key, &directive)) {
            let note = "INSERT INTO merged_directive (game, position, kind, move, source)
                VALUES (?1, ?2, ?3, ?4, ?5)";
            let values = params![game, row.position, row.kind, row.uci, source];
            write.prepare_cached(note)?.execute(values)?;
        }
    }
    let count = "UPDATE game SET revision = revision + 1 WHERE id = ?1";
    write.execute(count, [game]).map(drop)
}

/// Writes the directives that a tree was grown with, in place of those that it was grown with before.
pub fn write_grown_with(
    write: &Write<'_>,
    analysis: i64,
    set: &Directives,
) -> rusqlite::Result<()> {
    write.execute("DELETE FROM grown_directive WHERE analysis = ?1", [analysis])?;
    let insert = "INSERT INTO grown_directive (analysis, position, kind, move, value)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut insert = write.prepare_cached(insert)?;
    for (key, said) in set.of_tree().positions() {
        for directive in said.each() {
            let row = SaidRow::of(write, key, &directive)?;
            insert.execute(params![analysis, row.position, row.kind, row.uci, row.value])?;
        }
    }
    Ok(())
}

/// A directive as the columns have it.
struct SaidRow {
    position: i64,
    kind: &'static str,
    uci: String,
    value: Option<i32>,
    text: Option<String>,
}

impl SaidRow {
    /// Its row of `position` is made where there is none, and so is the link of a move, so that SQL can
    /// follow it.
    fn of(
        write: &Write<'_>,
        key: &PositionKey,
        directive: &Directive,
    ) -> rusqlite::Result<SaidRow> {
        let position = key.position();
        let id = write.row_of(&position)?;
        let (kind, uci) = match directive {
            Directive::Exclude(uci) => ("exclude", uci.to_string()),
            Directive::Include(uci) => {
                if let Ok(m) = uci.to_move(&position) {
                    write.link(id, (&position, m), *uci)?;
                }
                ("include", uci.to_string())
            }
            Directive::Value(GivenValue::Centipawns(_)) => ("value", String::new()),
            Directive::Value(GivenValue::Draw) => ("draw", String::new()),
            Directive::Stop => ("stop", String::new()),
            Directive::Note(_) => ("note", String::new()),
        };
        let value = directive.value().and_then(GivenValue::centipawns);
        let text = if let Directive::Note(text) = directive { Some(text.clone()) } else { None };
        Ok(SaidRow { position: id, kind, uci, value, text })
    }
}
