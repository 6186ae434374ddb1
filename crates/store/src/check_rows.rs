//! Checks of `verify` on rows of positions: the positions themselves, where moves lead, and results
//! of tablebases.
//!
//! They are checked part by part, each in a read transaction of its own: as long as one is open,
//! the write-ahead log cannot be restarted, and a growing run lengthens it.

use rusqlite::{Params, Row, ToSql};
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Ending, TableMove, Wdl, epd_of, legal_uci, parse_fen, parse_uci};

use super::error::StoreError;
use super::memo::is_as_written;
use super::open::Store;
use super::packing::{hash_of, read_epd};
use super::profiles::ProfileId;

/// Approximate rows per part.
const ROWS: i64 = 50_000;

/// Rows that are checked in the order of their positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckedRows {
    /// The positions themselves.
    Positions,
    /// Links between them.
    Links,
    /// The answers of a profile.
    Answers(ProfileId),
    /// Its answers on single moves.
    Moves(ProfileId),
    /// Results of tablebases.
    Facts,
    /// Moves people play there.
    Counts,
}

/// The rows of the positions above one number, up to and including another: a list is never cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartOfRows {
    pub(super) above: i64,
    pub(super) up_to: i64,
}

/// End of the parts: the last position at the beginning. Others may write on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastPosition(i64);

impl CheckedRows {
    /// SQL for the position of the row this many rows behind a number.
    fn later(self) -> &'static str {
        match self {
            CheckedRows::Positions => {
                "SELECT id FROM position WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ?2"
            }
            CheckedRows::Links => {
                "SELECT position FROM link WHERE position > ?1 ORDER BY position LIMIT 1 OFFSET ?2"
            }
            CheckedRows::Answers(_) => {
                "SELECT position FROM search WHERE position > ?1 AND profile = ?3
                ORDER BY position LIMIT 1 OFFSET ?2"
            }
            CheckedRows::Moves(_) => {
                "SELECT position FROM move_answer WHERE position > ?1 AND profile = ?3
                ORDER BY position LIMIT 1 OFFSET ?2"
            }
            CheckedRows::Facts => {
                "SELECT position FROM fact WHERE position > ?1 ORDER BY position LIMIT 1 OFFSET ?2"
            }
            CheckedRows::Counts => {
                "SELECT position FROM move_count WHERE position > ?1
                ORDER BY position LIMIT 1 OFFSET ?2"
            }
        }
    }
}

impl PartOfRows {
    /// Before the first part.
    pub const NONE: PartOfRows = PartOfRows { above: i64::MIN, up_to: i64::MIN };

    /// True if it is the last part.
    pub fn is_last(self, last: LastPosition) -> bool {
        self.up_to >= last.0
    }
}

impl Store {
    /// The present last position.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn last_position(&self) -> Result<LastPosition, StoreError> {
        let sql = "SELECT coalesce(max(id), 0) FROM position";
        self.only_row(sql, [], |row| row.get(0).map(LastPosition))
    }

    /// The part of some rows that follows another.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn part_behind(
        &self,
        rows: CheckedRows,
        before: PartOfRows,
        last: LastPosition,
    ) -> Result<PartOfRows, StoreError> {
        self.part_of(rows, before, last, ROWS)
    }

    fn part_of(
        &self,
        rows: CheckedRows,
        before: PartOfRows,
        last: LastPosition,
        count: i64,
    ) -> Result<PartOfRows, StoreError> {
        let above = before.up_to;
        let whole = PartOfRows { above, up_to: last.0 };
        let behind = count - 1;
        let mut parameters: Vec<&dyn ToSql> = vec![&above, &behind];
        if let CheckedRows::Answers(ProfileId(profile)) | CheckedRows::Moves(ProfileId(profile)) =
            &rows
        {
            parameters.push(profile);
        }
        let later: Option<i64> = self.first_row(rows.later(), &*parameters, |row| row.get(0))?;
        Ok(later.map_or(whole, |later| PartOfRows { above, up_to: later.min(last.0) }))
    }

    /// The flaws of a statement's rows; a row may have none.
    pub(super) fn flaws_of_rows_of(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<Option<String>>,
    ) -> Result<Vec<String>, StoreError> {
        Ok(self.rows(sql, parameters, read)?.into_iter().flatten().collect())
    }

    /// Checks the rows of some positions: their EPD is canonical, their ending right.
    pub fn check_positions(&self, part: PartOfRows) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT id, board, state, ending, hash FROM position
            WHERE id > ?1 AND id <= ?2 ORDER BY id";
        self.flaws_of_rows_of(sql, [part.above, part.up_to], |row| {
            let (id, epd, ending) =
                (row.get(0)?, read_epd(row, 1)?, row.get::<_, Option<String>>(3)?);
            let hash_flaw = || {
                let is_right =
                    row.get::<_, i64>(4).is_ok_and(|hash| hash == i64::from(hash_of(&epd)));
                (!is_right)
                    .then(|| format!("position {id} ({epd}) is not found: its hash is wrong"))
            };
            Ok(position_flaw(id, &epd, ending.as_deref()).or_else(hash_flaw))
        })
    }

    /// Checks that every link of some rows leads where its move does.
    pub fn check_links(&self, part: PartOfRows) -> Result<Vec<String>, StoreError> {
        let sql =
            "SELECT position.board, position.state, child.board, child.state, link.move FROM link
            JOIN position ON position.id = link.position
            JOIN position AS child ON child.id = link.child
            WHERE link.position > ?1 AND link.position <= ?2 ORDER BY link.position, link.move";
        self.flaws_of_rows_of(sql, [part.above, part.up_to], read_link_flaw)
    }

    /// Checks the rows of some facts: that they are intact, and of positions that tables may have.
    /// Sound ones go to `take`, with position and result.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn check_facts(
        &self,
        part: PartOfRows,
        mut take: impl FnMut(&Chess, Option<Wdl>) -> Option<String>,
    ) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT position, wdl, men, table_men, round, checksum, epd FROM fact
            JOIN position ON position.id = fact.position
            WHERE fact.position > ?1 AND fact.position <= ?2 ORDER BY fact.position";
        self.flaws_of_rows_of(sql, [part.above, part.up_to], |row| {
            let (epd, wdl): (String, Option<i64>) = (row.get(6)?, row.get(1)?);
            // An unreadable position has been reported as such.
            let Ok(position) = parse_fen(&epd) else { return Ok(None) };
            Ok(if is_as_written(row, 5)? != Some(true) {
                Some(format!("the fact of {epd} does not match its checksum"))
            } else if let Some(why) = why_not_known(&position, row.get(2)?) {
                Some(format!("the fact of {epd}: {why}"))
            } else {
                take(&position, wdl.and_then(Wdl::new))
            })
        })
    }

    /// Checks the stored moves of every position. Sound ones go to `take`, the best first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn check_table_moves(
        &self,
        mut take: impl FnMut(&Chess, &[TableMove]) -> Option<String>,
    ) -> Result<Vec<String>, StoreError> {
        let mut flaws = Vec::new();
        let sql = "SELECT DISTINCT table_move.position, epd, fact.wdl IS NOT NULL FROM table_move
            JOIN position ON position.id = table_move.position
            LEFT JOIN fact ON fact.position = table_move.position ORDER BY table_move.position";
        let with_moves: Vec<(i64, String, bool)> =
            self.rows(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        for (id, epd, has_result) in with_moves {
            // An unreadable position has been reported as such.
            let Ok(position) = parse_fen(&epd) else { continue };
            // A position's rows in one read transaction: they may be rewritten.
            flaws.extend(self.at_one_moment(|| {
                let mut wrong = self.flaws_of_moves(id, &epd, &position)?;
                if !has_result {
                    wrong
                        .push(format!("{epd} has moves (table_move), and no result of tablebases"));
                }
                if wrong.is_empty() {
                    wrong.extend(take(&position, &self.table_moves(&position)?));
                }
                Ok::<_, StoreError>(wrong)
            })?);
        }
        Ok(flaws)
    }

    fn flaws_of_moves(
        &self,
        id: i64,
        epd: &str,
        position: &Chess,
    ) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT position, move, place, wdl, dtz, checksum FROM table_move
            WHERE position = ?1 ORDER BY place";
        let rows = self.rows(sql, [id], |row| {
            Ok((row.get(1)?, row.get(2)?, is_as_written(row, 5)? == Some(true)))
        })?;
        let (mut flaws, mut kept, mut places) =
            (Vec::new(), Vec::<String>::new(), Vec::<i64>::new());
        for (uci, place, is_as_written) in rows {
            if !is_as_written {
                flaws.push(format!(
                    "the move {uci} of {epd} (table_move) does not match its checksum"
                ));
            }
            kept.push(uci);
            places.push(place);
        }
        let mut legal: Vec<String> = legal_uci(position).iter().map(ToString::to_string).collect();
        legal.sort();
        kept.sort();
        if legal != kept {
            flaws.push(format!("the moves of {epd} (table_move) are not its legal moves"));
        }
        if places.into_iter().zip(0..).any(|(place, right)| place != right) {
            flaws.push(format!("the moves of {epd} (table_move) have no order"));
        }
        Ok(flaws)
    }
}

/// From two positions and the move from one to the other, in order.
pub(super) fn read_link_flaw(row: &Row<'_>) -> rusqlite::Result<Option<String>> {
    let (epd, child, uci) = (read_epd(row, 0)?, read_epd(row, 2)?, row.get::<_, String>(4)?);
    Ok(if child.is_empty() {
        Some(format!("link of {uci} in {epd}: it is missing"))
    } else {
        link_flaw(&epd, &uci, &child)
    })
}

fn link_flaw(epd: &str, uci: &str, child: &str) -> Option<String> {
    // An unreadable position has been reported as such.
    let position = parse_fen(epd).ok()?;
    let played = parse_uci(uci).and_then(|uci| uci.to_move(&position).ok());
    let Some(played) = played else {
        return Some(format!("link of {uci} in {epd}: the move is not legal"));
    };
    let mut after = position;
    after.play_unchecked(played);
    let right = epd_of(&after);
    (right != child).then(|| format!("link of {uci} in {epd}: it leads to {child}, not {right}"))
}

fn position_flaw(id: i64, epd: &str, ending: Option<&str>) -> Option<String> {
    let Ok(position) = parse_fen(epd) else {
        return Some(format!("position {id}: {epd:?} is not a legal position"));
    };
    let canonical = epd_of(&position);
    if canonical != epd {
        return Some(format!("position {id}: {epd:?} should read {canonical:?}"));
    }
    let right = Ending::of(&position).map(Ending::name);
    (right != ending)
        .then(|| format!("position {id} ({epd}): its ending is {ending:?}, should be {right:?}"))
}

/// Why tables cannot have this result.
fn why_not_known(position: &Chess, kept: i64) -> Option<String> {
    let men = position.board().occupied().count();
    if position.castles().any() {
        return Some("tables know nothing of castling".to_owned());
    }
    if let Some(ending) = Ending::of(position) {
        return Some(format!("the game is over there ({})", ending.name()));
    }
    (i64::try_from(men) != Ok(kept)).then(|| format!("it has {men} men, not {kept}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_part_and_no_list_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_for_now(&folder.path().join("tree.db")).unwrap();
        let rows = "PRAGMA foreign_keys = OFF;
            INSERT INTO position (id, hash, board, state)
                VALUES (1, 0, 'a', ''), (2, 0, 'b', ''), (5, 0, 'c', ''), (9, 0, 'd', '');
            INSERT INTO link VALUES (1, 'x', 2), (1, 'y', 2), (1, 'z', 2), (5, 'x', 2), (5, 'y', 2);";
        store.db.execute_batch(rows).unwrap();
        let last = store.last_position().unwrap();
        store
            .db
            .execute("INSERT INTO position (id, hash, board, state) VALUES (12, 0, 'e', '')", [])
            .unwrap();
        for count in 1..9 {
            for (rows, right) in [
                (CheckedRows::Positions, vec![1, 2, 5, 9]),
                (CheckedRows::Links, vec![1, 1, 1, 5, 5]),
            ] {
                let (mut part, mut found) = (PartOfRows::NONE, Vec::new());
                while !part.is_last(last) {
                    let next = store.part_of(rows, part, last, count).unwrap();
                    assert_eq!(next.above, part.up_to);
                    part = next;
                    let of_it = |id: &&i64| **id > part.above && **id <= part.up_to;
                    let there: Vec<i64> = right.iter().filter(of_it).copied().collect();
                    assert!(part.is_last(last) || there.len() >= count as usize);
                    found.extend(there);
                }
                assert_eq!(found, right, "{rows:?} by {count}");
            }
        }
    }
}
