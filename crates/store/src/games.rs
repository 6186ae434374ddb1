//! People's moves: the sets of games that trees know, and in how many of a set's games each move of
//! a position was played. Facts, stored like answers: a tree is read and grown again without the
//! set.

use std::collections::BTreeMap;

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, params, params_from_iter};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{PositionKey, epd_of, parse_fen, parse_uci};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::{MoveCounts, PlayedRules};

use super::analyses::{AnalysisId, AnalysisRow};
use super::check_rows::PartOfRows;
use super::error::StoreError;
use super::memo::{checksummed, is_as_written, read_wdl};
use super::open::Store;

/// A row of `game_set`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GameSetId(pub(super) i64);

/// The games that a tree knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KnownGames {
    /// The set.
    pub set: GameSetId,
    /// Rules for following the moves played in them.
    pub rules: PlayedRules,
}

/// A set of games as it was when counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptGameSet {
    /// Identifies its games, in whatever order and file they are.
    pub digest: String,
    /// Its name then.
    pub name: String,
    /// Filter of the counted games, in words; empty if all were.
    pub filter: String,
    /// Number of games counted.
    pub games: u64,
}

/// The counts of the analysed positions of an analysis. CROSS JOIN: each table is read by its key, whatever SQLite
/// guesses.
const KNOWN: &str = "SELECT epd, counts, games FROM node
    CROSS JOIN move_count ON move_count.game_set = ?2 AND move_count.position = node.position
    CROSS JOIN position ON position.id = node.position
    LEFT JOIN position_games ON position_games.game_set = ?2 AND position_games.position = node.position
    WHERE node.analysis = ?1";

const SAID: &str = "SELECT epd, move, win, draw, loss FROM node
    CROSS JOIN search ON search.profile = ?2 AND search.position = node.position
        AND search.rank < node.admitted
    CROSS JOIN position ON position.id = node.position
    WHERE node.analysis = ?1 AND node.grown > ?3 AND win IS NOT NULL";

const KEEP: &str = "INSERT INTO move_count (game_set, position, counts, checksum)
    VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";

/// Games that left a position by a move, if not the sum of its counts.
const KEEP_GAMES: &str = "INSERT INTO position_games (game_set, position, games, checksum)
    VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";

impl Store {
    /// The row of a set of games, inserted if its digest is new.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn game_set_id(&self, set: &KeptGameSet) -> Result<GameSetId, StoreError> {
        let KeptGameSet { digest, name, filter, games } = set;
        let find = "SELECT id FROM game_set WHERE digest = ?1";
        self.write(|write| {
            let there = write.query_row(find, [digest], |row| row.get(0)).optional();
            if let Some(id) = there.map_err(write.named())? {
                return Ok(GameSetId(id));
            }
            let insert = "INSERT INTO game_set (digest, name, filter, games, checksum)
                VALUES (?1, ?2, ?3, ?4, ?5)";
            let games = i64::try_from(*games).unwrap_or(i64::MAX);
            let texts = [digest, name, filter].map(|text| Value::from(text.clone()));
            let row = checksummed([&texts[..], &[games.into()]].concat());
            write.execute(insert, params_from_iter(row)).map_err(write.named())?;
            Ok(GameSetId(write.last_insert_rowid()))
        })
    }

    /// The row of the set with a digest, if any.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn find_game_set(&self, digest: &str) -> Result<Option<GameSetId>, StoreError> {
        let find = "SELECT id FROM game_set WHERE digest = ?1";
        self.first_row(find, [digest], |row| row.get(0).map(GameSetId))
    }

    /// A set of games.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or has no such set.
    pub fn game_set(&self, id: GameSetId) -> Result<KeptGameSet, StoreError> {
        let sql = "SELECT digest, name, filter, games FROM game_set WHERE id = ?1";
        let there = self.first_row(sql, [id.0], |row| read_set(row, 0))?;
        there.ok_or_else(|| self.damaged(format!("no set of games {}", id.0)))
    }

    /// Checks the sets of games: each row is intact, and exists if an analysis names it.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn check_game_sets(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT digest, name, filter, games, checksum, id FROM game_set ORDER BY id";
        let mut flaws = self.flaws_of_rows_of(sql, [], |row| {
            let (id, is_right) = (row.get::<_, i64>(5)?, is_as_written(row, 4)? == Some(true));
            Ok((!is_right).then(|| format!("set of games {id} does not match its checksum")))
        })?;
        let sql = "SELECT id, game_set FROM analysis WHERE game_set > 0
                AND game_set NOT IN (SELECT id FROM game_set) ORDER BY id";
        flaws.extend(self.flaws_of_rows_of(sql, [], |row| {
            let (id, set): (i64, i64) = (row.get(0)?, row.get(1)?);
            Ok(Some(format!("analysis {id}: its set of games {set} is not there")))
        })?);
        Ok(flaws)
    }

    /// Checks that links are stored for the moves that an analysis follows because people play
    /// them.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn missing_followed_links(&self, id: AnalysisId) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT epd, said.move FROM played_move AS said
            LEFT JOIN link ON link.position = said.position AND link.move = said.move
            WHERE analysis = ?1 AND is_followed AND link.child IS NULL ORDER BY epd, said.move";
        self.flaws_of_rows_of(sql, [id.0], |row| {
            let (epd, uci): (String, String) = (row.get(0)?, row.get(1)?);
            Ok(Some(format!("link of {uci} in {epd}: it is missing")))
        })
    }

    /// A position's counts; `None` if it was not looked up.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or the row is damaged.
    pub fn counts(
        &self,
        set: GameSetId,
        position: &Chess,
    ) -> Result<Option<MoveCounts>, StoreError> {
        let Some(id) = self.row_of(position)? else { return Ok(None) };
        let sql = "SELECT counts, games FROM move_count
            LEFT JOIN position_games USING (game_set, position)
            WHERE move_count.game_set = ?1 AND move_count.position = ?2";
        let row: Option<(String, Option<u64>)> =
            self.first_row(sql, [set.0, id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        row.map(|row| self.read_counts(&row, &epd_of(position))).transpose()
    }

    /// Counts of an analysis's analysed positions; empty if it knows no games.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn known_counts(
        &self,
        row: &AnalysisRow,
    ) -> Result<Vec<(PositionKey, MoveCounts)>, StoreError> {
        let Some(games) = row.settings.games else { return Ok(Vec::new()) };
        let read = |row: &Row<'_>| Ok((row.get(0)?, (row.get(1)?, row.get(2)?)));
        let kept: Vec<(String, (String, Option<u64>))> =
            self.rows(KNOWN, params![row.id.0, games.set.0], read)?;
        let known = |(epd, counts): (String, (String, Option<u64>))| {
            Ok((self.key_of(&epd, "move_count of")?, self.read_counts(&counts, &epd)?))
        };
        kept.into_iter().map(known).collect()
    }

    /// Win, draw and loss of the answers of a tree whose lists have grown since a pass, `None` for
    /// all: position, move and the engine's numbers, for the side that plays the move.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn said_of_moves(
        &self,
        row: &AnalysisRow,
        since: Option<u64>,
    ) -> Result<Vec<(PositionKey, UciMove, WinDrawLoss)>, StoreError> {
        let since = since.map_or(-1, |passes| i64::try_from(passes).unwrap_or(i64::MAX));
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, read_wdl(row, 2)?));
        let rows: Vec<(String, String, Option<WinDrawLoss>)> =
            self.rows(SAID, [row.id.0, row.profile_id.0, since], read)?;
        let said =
            rows.into_iter().filter_map(|(epd, uci, wdl)| Some((epd, parse_uci(&uci)?, wdl?)));
        said.map(|(epd, uci, wdl)| Ok((self.key_of(&epd, "answer in")?, uci, wdl))).collect()
    }

    /// Stores counts of positions in a set, in one transaction that is durable when this returns.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails; nothing is stored then.
    pub fn keep_counts(
        &self,
        set: GameSetId,
        found: &[(PositionKey, MoveCounts)],
    ) -> Result<(), StoreError> {
        self.write(|write| {
            let keep = |(key, counts): &(PositionKey, MoveCounts)| -> rusqlite::Result<()> {
                let id = write.row_of(&key.position())?;
                let row = [set.0.into(), id.into(), counts_text(counts).into()];
                write.prepare_cached(KEEP)?.execute(params_from_iter(checksummed(row)))?;
                if counts.games_here() != counts.games() {
                    let games = i64::try_from(counts.games_here()).unwrap_or(i64::MAX);
                    let row = [set.0.into(), id.into(), games.into()];
                    write
                        .prepare_cached(KEEP_GAMES)?
                        .execute(params_from_iter(checksummed(row)))?;
                }
                Ok(())
            };
            found.iter().try_for_each(keep).map_err(write.named())
        })
    }

    fn read_counts(
        &self,
        (text, games): &(String, Option<u64>),
        epd: &str,
    ) -> Result<MoveCounts, StoreError> {
        let counts = counts_from(text)
            .ok_or_else(|| self.damaged(format!("the counts of {epd} (move_count)")))?;
        Ok(match games {
            Some(games) => counts.with_games(*games),
            None => counts,
        })
    }

    /// Checks the counts of some positions: each row is intact, its moves legal.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn check_counts(&self, part: PartOfRows) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT game_set, position, counts, checksum, epd FROM move_count
            JOIN position ON position.id = move_count.position
            WHERE position > ?1 AND position <= ?2 ORDER BY position, game_set";
        let mut flaws = self.flaws_of_rows_of(sql, [part.above, part.up_to], |row| {
            let (counts, epd): (String, String) = (row.get(2)?, row.get(4)?);
            let flaw = match is_as_written(row, 3)? {
                Some(true) => counts_flaw(&counts, &epd),
                _ => Some("they do not match their checksum".to_owned()),
            };
            Ok(flaw.map(|flaw| format!("the counts of {epd} (move_count): {flaw}")))
        })?;
        let sql = "SELECT game_set, position, games, checksum, epd FROM position_games
            JOIN position ON position.id = position_games.position
            WHERE position > ?1 AND position <= ?2 ORDER BY position, game_set";
        flaws.extend(self.flaws_of_rows_of(sql, [part.above, part.up_to], |row| {
            let (epd, is_right): (String, _) = (row.get(4)?, is_as_written(row, 3)? == Some(true));
            let flaw = format!("the games of {epd} (position_games) do not match their checksum");
            Ok((!is_right).then_some(flaw))
        })?);
        Ok(flaws)
    }
}

/// A set from four columns.
pub(super) fn read_set(row: &Row<'_>, first: usize) -> rusqlite::Result<KeptGameSet> {
    let (digest, name, filter) = (row.get(first)?, row.get(first + 1)?, row.get(first + 2)?);
    Ok(KeptGameSet { digest, name, filter, games: row.get(first + 3)? })
}

/// A set, if the row has one.
pub(super) fn read_set_if_there(
    row: &Row<'_>,
    first: usize,
) -> rusqlite::Result<Option<KeptGameSet>> {
    let digest: Option<String> = row.get(first)?;
    digest.map(|_| read_set(row, first)).transpose()
}

/// A JSON object, in the order of the counts.
fn counts_text(counts: &MoveCounts) -> String {
    let pairs: Vec<String> =
        counts.iter().map(|(uci, games)| format!("\"{uci}\":{games}")).collect();
    format!("{{{}}}", pairs.join(","))
}

fn counts_from(text: &str) -> Option<MoveCounts> {
    let kept: BTreeMap<String, u64> = serde_json::from_str(text).ok()?;
    let read = |(uci, games): (String, u64)| Some((parse_uci(&uci)?, games));
    kept.into_iter().map(read).collect::<Option<Vec<_>>>().map(MoveCounts::new)
}

fn counts_flaw(text: &str, epd: &str) -> Option<String> {
    // An unreadable position has been reported as such.
    let position = parse_fen(epd).ok()?;
    let Some(counts) = counts_from(text) else {
        return Some("they cannot be read".to_owned());
    };
    let illegal = counts.iter().find(|(uci, _)| uci.to_move(&position).is_err());
    illegal.map(|(uci, _)| format!("the move {uci} is not legal"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counts: &[(&str, u64)]) -> MoveCounts {
        MoveCounts::new(counts.iter().map(|(uci, games)| (uci.parse().unwrap(), *games)))
    }

    fn set(digest: &str) -> KeptGameSet {
        let (digest, name) = (digest.to_owned(), "club".to_owned());
        KeptGameSet { digest, name, filter: String::new(), games: 90 }
    }

    #[test]
    fn counts_are_kept_by_set_and_position_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tree.db")).unwrap();
        let [one, other] = ["a", "b"].map(|digest| store.game_set_id(&set(digest)).unwrap());
        assert_eq!(store.game_set_id(&set("a")).unwrap(), one);
        assert_eq!(store.game_set(other).unwrap(), set("b"));
        assert!(store.check_game_sets().unwrap().is_empty());
        let (start, key) = (Chess::default(), PositionKey::of(&Chess::default()));
        assert_eq!(store.counts(one, &start).unwrap(), None, "it was not looked up");
        let played = counts(&[("e2e4", 60), ("a2a3", 1), ("d2d4", 9)]);
        store.keep_counts(one, &[(key, played.clone())]).unwrap();
        store.keep_counts(one, &[(key, counts(&[("e2e4", 1)]))]).unwrap();
        store.keep_counts(other, &[(key, MoveCounts::default())]).unwrap();
        assert_eq!(store.counts(one, &start).unwrap(), Some(played));
        assert_eq!(store.counts(other, &start).unwrap(), Some(MoveCounts::default()));
    }

    #[test]
    fn games_that_came_back_are_kept_beside_the_counts() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tree.db")).unwrap();
        let set = store.game_set_id(&set("a")).unwrap();
        let (start, key) = (Chess::default(), PositionKey::of(&Chess::default()));
        let played = counts(&[("e2e4", 2), ("g1f3", 1)]).with_games(2);
        store.keep_counts(set, &[(key, played.clone())]).unwrap();
        assert_eq!(store.counts(set, &start).unwrap(), Some(played));
        let all = PartOfRows { above: i64::MIN, up_to: i64::MAX };
        assert!(store.check_counts(all).unwrap().is_empty());
        store.db.execute("UPDATE position_games SET games = 3", []).unwrap();
        let flaw = &store.check_counts(all).unwrap()[0];
        assert!(flaw.contains("(position_games) do not match their checksum"), "{flaw}");
    }

    #[test]
    fn damaged_counts_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tree.db")).unwrap();
        let set = store.game_set_id(&set("a")).unwrap();
        let (start, key) = (Chess::default(), PositionKey::of(&Chess::default()));
        store.keep_counts(set, &[(key, counts(&[("e2e4", 60)]))]).unwrap();
        let all = PartOfRows { above: i64::MIN, up_to: i64::MAX };
        assert!(store.check_counts(all).unwrap().is_empty());
        for (text, flaw) in
            [("{\"e2e4\":61}", "checksum"), ("{\"e2e5\":60}", "checksum"), ("x", "checksum")]
        {
            store.db.execute("UPDATE move_count SET counts = ?1", [text]).unwrap();
            assert!(store.check_counts(all).unwrap()[0].contains(flaw));
        }
        assert!(store.counts(set, &start).unwrap_err().is_damage());
        store.db.execute("UPDATE game_set SET games = 7", []).unwrap();
        assert!(store.check_game_sets().unwrap()[0].contains("does not match its checksum"));
        let epd = epd_of(&start);
        assert_eq!(counts_flaw("{\"e2e4\":60}", &epd), None);
        assert!(counts_flaw("{\"e2e5\":60}", &epd).unwrap().contains("e2e5 is not legal"));
        assert!(counts_flaw("[]", &epd).is_some());
    }
}
