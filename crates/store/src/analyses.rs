//! The analyses in the database, and how far they have come.

use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Params, Row, params, params_from_iter};
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, epd_of, fen_of, parse_uci};
use deepanalyze_core::search::Profile;
use deepanalyze_core::tree::Played;

use super::error::{StoreError, misfit};
use super::games::{JOIN_NETS, KeptGameSet, SET_COLUMNS, read_set_if_there};
use super::lock::GrowLock;
use super::memo::{now, words};
use super::open::Store;
use super::profiles::{ProfileId, profile_from};
use super::settings::{self, TreeSettings};

/// A row of `analysis`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AnalysisId(pub i64);

/// All that determines an analysis, besides the answers and the depth.
#[derive(Debug, Clone, Copy)]
pub struct AnalysisKey<'a> {
    /// The game up to the root.
    pub game: &'a Game,
    /// The profile.
    pub profile: ProfileId,
    /// The tree settings.
    pub settings: &'a TreeSettings,
}

/// An analysis and how far it has come.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalysisRow {
    /// Its number in this database.
    pub id: AnalysisId,
    /// FEN of the root.
    pub root: String,
    /// FEN of the position where the game began.
    pub start: String,
    /// The moves from there to the root.
    pub history: Vec<UciMove>,
    /// The profile's row.
    pub profile_id: ProfileId,
    /// The profile.
    pub profile: Profile,
    /// Its tree settings.
    pub settings: TreeSettings,
    /// The target depth of the last run.
    pub target_depth: u32,
    /// The greatest settled depth.
    pub settled_depth: Option<u32>,
    /// Passes so far.
    pub passes: u64,
    /// Analysed positions.
    pub positions: u64,
    /// Admitted answers.
    pub searches: u64,
    /// Engine nodes of its admitted answers.
    pub nodes: u64,
    /// Milliseconds since 1970 of the last change.
    pub changed_at: i64,
    /// How often its tree was grown again under other directives or with new tables.
    pub regrown: u64,
    /// Its tree knows no fact that was found in a later round than this.
    pub fact_round: u64,
    /// The round of facts with which its tree was last grown from its root; later ones change
    /// nothing in it.
    pub grown_round: u64,
    /// Moves of the root that closing searches have found, and that its tree follows, in UCI order.
    pub found: Vec<UciMove>,
    /// The set of games that it knows, as it was when counted.
    pub game_set: Option<KeptGameSet>,
}

/// All that identifies an analysis but its game: values of one kind are comparable.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AnalysisKind {
    /// The profile.
    pub profile: ProfileId,
    /// The tree settings.
    pub settings: TreeSettings,
}

impl AnalysisRow {
    /// Its kind.
    pub fn kind(&self) -> AnalysisKind {
        AnalysisKind { profile: self.profile_id, settings: self.settings.clone() }
    }

    /// The moves that its tree follows whatever games say: those found at the root.
    pub fn played(&self, game: &Game) -> Arc<Played> {
        found_at(game, self.found.clone())
    }

    /// The game up to the root, replayed.
    pub fn game(&self) -> Option<Game> {
        let mut game = Game::from_start(&self.start).ok()?;
        for uci in &self.history {
            let m = uci.to_move(game.root()).ok()?;
            game.play(m);
        }
        Some(game)
    }
}

/// The columns of an analysis, then those of its settings, then those of its set of games.
fn select() -> String {
    let settings = settings::COLUMNS.map(|column| format!("analysis.{column}")).join(", ");
    format!(
        "SELECT analysis.id, root, start, history, profile.id, engine, options, limit_kind,
            limit_value, target_depth, settled_depth, pass, positions, searches, changed_at,
            regrown, fact_round, grown_round, nodes, found, {settings}, {SET_COLUMNS}
        FROM analysis JOIN profile ON profile.id = analysis.profile
        LEFT JOIN game_set ON game_set.id = analysis.game_set {JOIN_NETS}"
    )
}

/// First columns of the settings and of the set of games.
const SETTINGS: usize = 20;
const GAME_SET: usize = SETTINGS + settings::COLUMNS.len();

impl Store {
    /// The analysis of a key, inserted if missing.
    pub fn open_analysis(&mut self, key: AnalysisKey<'_>) -> Result<AnalysisId, StoreError> {
        let (start_epd, history) = (epd_of(key.game.start()), history_text(key.game));
        let mut columns = vec!["start_epd", "history", "profile"];
        columns.extend(settings::COLUMNS);
        let mut row = vec![start_epd.into(), history.into(), key.profile.0.into()];
        row.extend(key.settings.values());
        let wanted: Vec<String> = columns.iter().map(|column| format!("{column} = ?")).collect();
        let find = format!("SELECT id FROM analysis WHERE {}", wanted.join(" AND "));
        self.write(|write| {
            let named = write.named();
            // A failed insertion makes SQLite skip a number.
            let there = write.query_row(&find, params_from_iter(&row), |row| row.get(0)).optional();
            if let Some(id) = there.map_err(&named)? {
                return Ok(AnalysisId(id));
            }
            columns.extend([
                "root",
                "start",
                "distance",
                "created_at",
                "changed_at",
                "target_depth",
            ]);
            let plain: Option<u32> = key.settings.breadth.plain();
            row.extend([fen_of(key.game.root()).into(), fen_of(key.game.start()).into()]);
            row.extend([Value::from(plain), now().into(), now().into(), 0.into()]);
            let places = vec!["?"; columns.len()].join(", ");
            let insert = format!("INSERT INTO analysis ({}) VALUES ({places})", columns.join(", "));
            write.execute(&insert, params_from_iter(&row)).map_err(&named)?;
            Ok(AnalysisId(write.last_insert_rowid()))
        })
    }

    /// Sets the target depth of a run (what is settled counts); makes it the last one grown.
    pub fn aim(&mut self, id: AnalysisId, target_depth: u32) -> Result<(), StoreError> {
        self.write(|write| write_aim(write, id, target_depth).map_err(write.named()))
    }

    /// Sets the time of the last change, in milliseconds since 1970: a tree that is grown again on
    /// its own keeps its place among those grown last.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn set_changed_at(&mut self, id: AnalysisId, at: i64) -> Result<(), StoreError> {
        let sql = "UPDATE analysis SET changed_at = ?2 WHERE id = ?1";
        self.write(|write| write.execute(sql, [id.0, at]).map(drop).map_err(write.named()))
    }

    /// The analysis, if any.
    pub fn analysis(&self, id: AnalysisId) -> Result<Option<AnalysisRow>, StoreError> {
        let sql = format!("{} WHERE analysis.id = ?1", select());
        Ok(self.read_rows(&sql, [id.0])?.pop())
    }

    /// All analyses, the last one grown first.
    pub fn analyses(&self) -> Result<Vec<AnalysisRow>, StoreError> {
        self.read_rows(&format!("{} ORDER BY changed_at DESC, analysis.id DESC", select()), [])
    }

    fn read_rows(
        &self,
        sql: &str,
        parameters: impl Params,
    ) -> Result<Vec<AnalysisRow>, StoreError> {
        let rows = self.rows(sql, parameters, |row| Ok((row.get::<_, i64>(0)?, read_row(row))))?;
        let read = |(id, row)| {
            match row {
            Ok(Some(row)) => Ok(row),
            Ok(None) => Err(self.damaged(format!(
                "the row of analysis {id}: its history, options, limit, distances, tables, games, draw value or finds"
            ))),
            // A number that does not fit is the row's fault, not SQLite's.
            Err(error) => Err(match misfit(&error) {
                Some(misfit) => self.damaged(format!("the row of analysis {id}: {misfit}")),
                None => StoreError::sqlite(&self.path)(error),
            }),
        }
        };
        rows.into_iter().map(read).collect()
    }

    /// The analyses of a game's last position, the last one grown first.
    pub fn analyses_of(&self, game: &Game) -> Result<Vec<AnalysisRow>, StoreError> {
        let sql = format!(
            "{} WHERE start_epd = ?1 AND history = ?2
            ORDER BY changed_at DESC, analysis.id DESC",
            select()
        );
        self.read_rows(&sql, params![epd_of(game.start()), history_text(game)])
    }
}

/// `None` if its columns are invalid.
fn read_row(row: &Row<'_>) -> rusqlite::Result<Option<AnalysisRow>> {
    let history: String = row.get(3)?;
    let options: String = row.get(6)?;
    let (kind, value): (String, i64) = (row.get(7)?, row.get(8)?);
    let moves: Option<Vec<UciMove>> = history.split_whitespace().map(parse_uci).collect();
    let profile = profile_from(row.get(5)?, &options, &kind, value);
    let found: String = row.get(19)?;
    let found: Option<Vec<UciMove>> = found.split_whitespace().map(parse_uci).collect();
    let settings = TreeSettings::read(row, SETTINGS)?;
    let (Some(history), Some(profile), Some(settings), Some(found)) =
        (moves, profile, settings, found)
    else {
        return Ok(None);
    };
    Ok(Some(AnalysisRow {
        id: AnalysisId(row.get(0)?),
        root: row.get(1)?,
        start: row.get(2)?,
        history,
        profile_id: ProfileId(row.get(4)?),
        profile,
        settings,
        target_depth: row.get(9)?,
        settled_depth: row.get(10)?,
        passes: row.get(11)?,
        positions: row.get(12)?,
        searches: row.get(13)?,
        nodes: row.get(18)?,
        changed_at: row.get(14)?,
        regrown: row.get(15)?,
        fact_round: row.get(16)?,
        grown_round: row.get(17)?,
        found,
        game_set: read_set_if_there(row, GAME_SET)?,
    }))
}

/// The found moves at the root of a game, as played moves.
pub fn found_at(game: &Game, found: Vec<UciMove>) -> Arc<Played> {
    let at_root = (!found.is_empty()).then(|| (PositionKey::of(game.root()), found));
    Arc::new(at_root.into_iter().collect())
}

pub(super) fn history_text(game: &Game) -> String {
    words(game.moves())
}

/// Rows that belong to an analysis (its positions, settled depths, verdicts, course, and the
/// directives it was grown with) go with it.
const DELETE: &str = "DELETE FROM analysis WHERE id = ?1";
const DELETE_EMPTY: &str =
    "DELETE FROM analysis WHERE id = ?1 AND searches = 0 AND settled_depth IS NULL
        AND id NOT IN (SELECT analysis FROM agenda)";

impl Store {
    /// The analysis of a key, inserted if missing, with its lock.
    ///
    /// # Errors
    ///
    /// [`StoreError::Growing`] if another process grows it.
    pub fn begin_analysis(
        &mut self,
        key: AnalysisKey<'_>,
    ) -> Result<(AnalysisId, GrowLock), StoreError> {
        loop {
            let id = self.open_analysis(key)?;
            let lock = self.lock(id)?;
            // The last holder of the lock may have deleted it.
            if self.open_analysis(key)? == id {
                return Ok((id, lock));
            }
        }
    }

    /// Deletes analyses with all that is derived from them, all or none; returns their number.
    /// Their answers, and the directives and names of their roots, stay.
    ///
    /// # Errors
    ///
    /// [`StoreError::Growing`] if a process grows one of them; nothing is changed then.
    pub fn delete_analyses(&mut self, ids: &[AnalysisId]) -> Result<usize, StoreError> {
        let _locks = ids.iter().map(|id| self.lock(*id)).collect::<Result<Vec<_>, _>>()?;
        self.delete(DELETE, ids)
    }

    /// Deletes an analysis without answers or settled depths that is not on the agenda, and whose
    /// lock the caller holds; `false` if it has some, is on it, or does not exist.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn delete_if_empty(
        &mut self,
        id: AnalysisId,
        _lock: &GrowLock,
    ) -> Result<bool, StoreError> {
        Ok(self.delete(DELETE_EMPTY, &[id])? > 0)
    }

    fn delete(&mut self, sql: &str, ids: &[AnalysisId]) -> Result<usize, StoreError> {
        self.write(|write| {
            let deleted = ids.iter().map(|id| write.execute(sql, [id.0]).map_err(write.named()));
            deleted.sum()
        })
    }
}

/// Sets the target depth of a run.
pub(super) fn write_aim(db: &Connection, id: AnalysisId, depth: u32) -> rusqlite::Result<()> {
    let sql = "UPDATE analysis SET target_depth = max(?2, coalesce(settled_depth, 0)),
        changed_at = ?3 WHERE id = ?1";
    db.execute(sql, params![id.0, depth, now()]).map(drop)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::search::{Limit, Profile};

    #[test]
    fn numbers_of_deleted_analyses_are_not_reused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let mut store = Store::open(&path).unwrap();
        let (options, limit) = (BTreeMap::new(), Limit::Depth(1));
        let profile = Profile { engine: "Some".to_owned(), options, limit, kept_hash: None };
        let profile = store.profile_id(&profile).unwrap();
        let begin = |store: &mut Store, moves: &str| {
            let mut game = Game::from_start("startpos").unwrap();
            game.play_line(moves).unwrap();
            let key = AnalysisKey { game: &game, profile, settings: &10.into() };
            store.begin_analysis(key).unwrap().0.0
        };
        assert_eq!(["", "e4", "", "e4"].map(|moves| begin(&mut store, moves)), [1, 2, 1, 2]);
        assert_eq!(store.delete_analyses(&[AnalysisId(2)]).unwrap(), 1);
        drop(store);
        let mut store = Store::open(&path).unwrap();
        assert_eq!(["d4", "e4", "c4"].map(|moves| begin(&mut store, moves)), [3, 4, 5]);
        let lock = store.lock(AnalysisId(5)).unwrap();
        assert!(store.delete_if_empty(AnalysisId(5), &lock).unwrap());
        assert_eq!(begin(&mut store, "c4"), 6);
    }
}
