//! Directives as rows, and with them the included moves as the user's own files have them.

use rusqlite::params;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{GivenValue, PositionKey, parse_fen, parse_uci};
use deepanalyze_core::directives::{Chapter, Dates, Directive, Directives, Written, WrittenMove};

use crate::error::StoreError;
use crate::memo::now;
use crate::open::Store;
use crate::writer::Write;

/// Writes what has changed in the directives of a game. What is new gets a date that nothing else has, unless it has
/// one. Where a change comes from another database, what it adds to what it began with is noted as that one's.
pub fn write_changes(
    write: &Write<'_>,
    game: i64,
    before: &Directives,
    after: &Directives,
    dates: &Dates,
    merged: Option<(i64, &Directives)>,
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
                    write.link(id, &position, m, *uci)?;
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

/// Writes how the moves of a game's root are written, where that has changed.
pub fn write_written(
    write: &Write<'_>,
    game: i64,
    (before, after): (&Written, &Written),
) -> rusqlite::Result<()> {
    if before == after {
        return Ok(());
    }
    write.execute("DELETE FROM written_move WHERE game = ?1", [game])?;
    write.execute("DELETE FROM chapter WHERE game = ?1", [game])?;
    let insert =
        "INSERT INTO chapter (game, number, event, white, black) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut insert = write.prepare_cached(insert)?;
    for (number, Chapter { event, white, black }) in (0_i64..).zip(after.chapters()) {
        insert.execute(params![game, number, event, white, black])?;
    }
    let insert = "INSERT INTO written_move (game, position, move, number, chapter, glyphs, leads)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let mut insert = write.prepare_cached(insert)?;
    for (key, uci, WrittenMove { number, chapter, glyphs, leads }) in after.moves() {
        let position = write.row_of(&key.position())?;
        let glyphs = glyphs.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let values = params![game, position, uci.to_string(), number, chapter, glyphs, leads];
        insert.execute(values)?;
    }
    Ok(())
}

impl Store {
    /// How the moves of a game's root are written.
    pub(super) fn read_written(&self, game: i64) -> Result<Written, StoreError> {
        let sql = "SELECT event, white, black FROM chapter WHERE game = ?1 ORDER BY number";
        let chapter = |row: &rusqlite::Row<'_>| {
            Ok(Chapter { event: row.get(0)?, white: row.get(1)?, black: row.get(2)? })
        };
        let chapters = self.rows(sql, [game], chapter)?;
        let sql = "SELECT epd, move, number, chapter, glyphs, leads FROM written_move
            JOIN position ON position.id = written_move.position WHERE game = ?1";
        let rows: Vec<(String, String, u32, u32, String, bool)> =
            self.rows(sql, [game], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
            })?;
        let read = rows.into_iter().map(|(epd, uci, number, chapter, glyphs, leads)| {
            let damaged = || self.damaged(format!("how the move '{uci}' in {epd} is written"));
            let (key, uci) = place(&epd, &uci).ok_or_else(damaged)?;
            let glyphs = glyphs.split_whitespace().map(str::parse).collect::<Result<_, _>>();
            let glyphs = glyphs.map_err(|_| damaged())?;
            Ok((key, uci, WrittenMove { number, chapter, glyphs, leads }))
        });
        let moves: Vec<_> = read.collect::<Result<_, StoreError>>()?;
        Ok(Written::new(chapters, moves))
    }
}

/// A position and a move that may be played there.
fn place(epd: &str, uci: &str) -> Option<(PositionKey, UciMove)> {
    let (position, uci) = (parse_fen(epd).ok()?, parse_uci(uci)?);
    uci.to_move(&position).is_ok().then(|| (PositionKey::of(&position), uci))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::directives::{BadGames, Directives, Skeleton};

    const PGN: &str =
        "[Event \"Caro\"]\n[Black \"Me\"]\n\n1. e4 c6 2. d4 $14 (2. Nc3 d5 3. d4) d5 3. Nc3 *";

    fn change(store: &mut Store, game: &Game, change: impl FnOnce(&mut Directives)) {
        let changed = store.change_directives(game, |set| {
            change(set);
            Ok::<(), StoreError>(())
        });
        changed.unwrap();
    }

    #[test]
    fn what_was_written_is_read_and_goes_to_later_roots() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let mut game = Game::from_start("startpos").unwrap();
        let key = PositionKey::of(game.root());
        let none = Directives::default();
        let skeleton =
            Skeleton::read(|| PGN.as_bytes(), &key, &none, false, BadGames::Refuse).unwrap();
        change(&mut store, &game, |set| {
            skeleton.new.iter().for_each(|(key, said)| set.put(*key, said.clone()));
            set.written_mut().add(&skeleton.written);
        });
        let kept = store.directives(&game).unwrap();
        assert_eq!(kept.written(), &skeleton.written);
        assert_eq!(kept.written().chapters().len(), 1);
        assert!(kept.of_tree().written().is_empty(), "a tree is grown without it");
        let start = game.clone();
        game.play_line("e4").unwrap();
        let origin = super::super::RootOrigin::Game { since: 0 };
        let (begun, _) = store.directives_to_begin_with(&game, origin).unwrap();
        assert_eq!(begun.written(), &skeleton.written, "a later root begins with it");
        change(&mut store, &start, |set| *set = Directives::default());
        assert!(store.directives(&start).unwrap().written().is_empty());
    }

    #[test]
    fn a_row_that_was_changed_is_damage() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let game = Game::from_start("startpos").unwrap();
        let (key, none) = (PositionKey::of(game.root()), Directives::default());
        let skeleton =
            Skeleton::read(|| PGN.as_bytes(), &key, &none, false, BadGames::Refuse).unwrap();
        change(&mut store, &game, |set| {
            skeleton.new.iter().for_each(|(key, said)| set.put(*key, said.clone()));
            set.written_mut().add(&skeleton.written);
        });
        let wrong = ["glyphs = '1 x'", "glyphs = '999'", "move = 'e2e5'", "move = '?'"];
        for wrong in wrong {
            store.db.execute_batch("SAVEPOINT before").unwrap();
            let update = format!("UPDATE written_move SET {wrong} WHERE number = 0");
            store.db.execute_batch(&update).unwrap();
            assert!(matches!(store.directives(&game), Err(StoreError::Damaged { .. })), "{wrong}");
            store.db.execute_batch("ROLLBACK TO before; RELEASE before").unwrap();
        }
        assert!(store.directives(&game).is_ok());
    }
}
