//! The agenda: the roots that the user wants to grow side by side.

use rusqlite::{Connection, params};

use super::analyses::{AnalysisId, AnalysisRow, write_aim};
use super::error::StoreError;
use super::memo::index;
use super::names::{write_archived, write_name};
use super::open::Store;

/// A row of `agenda`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgendaRow {
    /// The first stage of the root.
    pub analysis: AnalysisId,
    /// True if the engines search deeper from stage to stage.
    pub stages: bool,
    /// Its share of the engines' time, from 1 to 100.
    pub weight: u32,
    /// True if the user wants it to grow.
    pub growing: bool,
    /// The reason why it is done, if it is.
    pub ended: Option<String>,
    /// When it is to stop growing.
    pub until: GrowsUntil,
    /// Few roots with the same number grow at once; `None` if it waits for no other.
    pub turn: Option<i64>,
}

/// Ends for a root on the agenda, besides its depth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GrowsUntil {
    /// When it is paused, in milliseconds since 1970.
    pub pause_at: Option<i64>,
    /// It is done once the best move stays with this chance, in per cent, from 1 to 100.
    pub stable: Option<u8>,
}

/// Changes of a root, made at once; what is `None` stays.
#[derive(Debug, Clone, Copy, Default)]
pub struct RootChanges<'a> {
    /// Its stages, which are named and archived together.
    pub stages: &'a [AnalysisRow],
    /// A new name of its own, or that it is to have none.
    pub name: Option<Option<&'a str>>,
    /// True if archived.
    pub archived: Option<bool>,
    /// The depth that a stage is to settle.
    pub aim: Option<(AnalysisId, u32)>,
    /// Its row of the agenda.
    pub wish: Option<&'a AgendaRow>,
    /// The order of the agenda.
    pub order: Option<&'a [AnalysisId]>,
}

impl AgendaRow {
    /// A root that grows without end, or is paused; its share is 1.
    pub fn new(analysis: AnalysisId, stages: bool, growing: bool) -> AgendaRow {
        let until = GrowsUntil::default();
        AgendaRow { analysis, stages, weight: 1, growing, ended: None, until, turn: None }
    }
}

impl Store {
    /// The whole agenda, in its order.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn agenda(&self) -> Result<Vec<AgendaRow>, StoreError> {
        let sql = "SELECT analysis, stages, weight, growing, ended, pause_at, until_stable, turn
            FROM agenda
            ORDER BY place, analysis";
        self.rows(sql, [], |row| {
            Ok(AgendaRow {
                analysis: AnalysisId(row.get(0)?),
                stages: row.get(1)?,
                weight: row.get(2)?,
                growing: row.get(3)?,
                ended: row.get(4)?,
                until: GrowsUntil { pause_at: row.get(5)?, stable: row.get(6)? },
                turn: row.get(7)?,
            })
        })
    }

    /// Puts an analysis on the agenda, behind all others; one that is on it keeps its place and
    /// gets the rest of the row.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or has no such analysis.
    pub fn put_on_agenda(&mut self, row: &AgendaRow) -> Result<(), StoreError> {
        self.write_agenda(|write| write_row(write, row))
    }

    /// Changes a root in one transaction that is durable when this returns: all of it, or nothing.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or has no such analysis.
    pub fn change_root(&mut self, changes: &RootChanges<'_>) -> Result<(), StoreError> {
        let RootChanges { stages, name, archived, aim, wish, order } = *changes;
        self.write_agenda(|write| {
            name.map_or(Ok(()), |name| write_name(write, stages, name))?;
            archived.map_or(Ok(()), |away| write_archived(write, stages, away))?;
            aim.map_or(Ok(()), |(id, depth)| write_aim(write, id, depth))?;
            wish.map_or(Ok(()), |wish| write_row(write, wish))?;
            order.map_or(Ok(()), |order| write_order(write, order))
        })
    }

    /// Gives an analysis's place on the agenda to another stage of its root.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or has no such analysis.
    pub fn replace_on_agenda(
        &mut self,
        old: AnalysisId,
        new: AnalysisId,
    ) -> Result<(), StoreError> {
        self.write_agenda(|write| {
            let sql = "UPDATE agenda SET analysis = ?2 WHERE analysis = ?1";
            write.execute(sql, [old.0, new.0]).map(drop)
        })
    }

    fn write_agenda(
        &mut self,
        change: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> Result<(), StoreError> {
        self.write(|write| change(write).map_err(write.named()))
    }
}

fn write_row(db: &Connection, row: &AgendaRow) -> rusqlite::Result<()> {
    let sql = "INSERT INTO agenda
            (analysis, stages, weight, place, growing, ended, pause_at, until_stable, turn)
        SELECT ?1, ?2, ?3, (SELECT coalesce(max(place) + 1, 0) FROM agenda), ?4, ?5, ?6, ?7, ?8
        WHERE TRUE
        ON CONFLICT DO UPDATE SET stages = ?2, weight = ?3, growing = ?4, ended = ?5,
            pause_at = ?6, until_stable = ?7, turn = ?8";
    let AgendaRow { analysis, stages, weight, growing, ended, until, turn } = row;
    let GrowsUntil { pause_at, stable } = until;
    let row = params![analysis.0, stages, weight, growing, ended, pause_at, stable, turn];
    db.execute(sql, row).map(drop)
}

fn write_order(db: &Connection, order: &[AnalysisId]) -> rusqlite::Result<()> {
    db.execute("UPDATE agenda SET place = place + ?1", [index(order.len())])?;
    let mut set = db.prepare("UPDATE agenda SET place = ?2 WHERE analysis = ?1")?;
    for (place, id) in order.iter().enumerate() {
        set.execute(params![id.0, index(place)])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::AnalysisKey;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::search::{Limit, Profile};

    fn row(analysis: AnalysisId) -> AgendaRow {
        AgendaRow::new(analysis, true, false)
    }

    /// Analyses of the positions after these moves, all on the agenda.
    fn store(lines: &[&str]) -> (tempfile::TempDir, Store, Vec<AnalysisId>) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let (options, limit) = (BTreeMap::new(), Limit::Depth(1));
        let profile = Profile { engine: "Some".to_owned(), options, limit, kept_hash: None };
        let profile = store.profile_id(&profile).unwrap();
        let mut open = |line: &&str| {
            let mut game = Game::from_start("startpos").unwrap();
            game.play_line(line).unwrap();
            let key = AnalysisKey { game: &game, profile, settings: &10.into() };
            let id = store.open_analysis(key).unwrap();
            store.put_on_agenda(&row(id)).unwrap();
            id
        };
        let ids = lines.iter().map(&mut open).collect();
        (folder, store, ids)
    }

    fn order(store: &Store) -> Vec<AnalysisId> {
        store.agenda().unwrap().iter().map(|row| row.analysis).collect()
    }

    #[test]
    fn new_rows_come_last_and_old_ones_keep_their_place() {
        let (_folder, mut store, ids) = store(&["", "e4", "d4"]);
        assert_eq!(order(&store), ids);
        let ended = Some("every line is decided".to_owned());
        let until = GrowsUntil { pause_at: Some(1), stable: Some(80) };
        let changed = AgendaRow {
            weight: 7,
            growing: true,
            ended,
            stages: false,
            until,
            turn: Some(3),
            ..row(ids[0])
        };
        store.put_on_agenda(&changed).unwrap();
        assert_eq!(order(&store), ids);
        assert_eq!(store.agenda().unwrap()[0], changed);
        let unknown = store.put_on_agenda(&row(AnalysisId(99)));
        assert!(unknown.is_err(), "{unknown:?}");
    }

    fn put_in_order(store: &mut Store, order: &[AnalysisId]) {
        let changes = RootChanges { order: Some(order), ..RootChanges::default() };
        store.change_root(&changes).unwrap();
    }

    #[test]
    fn unnamed_roots_follow_the_given_order() {
        let (_folder, mut store, ids) = store(&["", "e4", "d4", "c4"]);
        put_in_order(&mut store, &[ids[3], ids[1]]);
        assert_eq!(order(&store), [ids[3], ids[1], ids[0], ids[2]]);
        put_in_order(&mut store, &[ids[2]]);
        assert_eq!(order(&store), [ids[2], ids[3], ids[1], ids[0]]);
    }

    #[test]
    fn agenda_protects_empty_analyses_until_deleted() {
        let (_folder, mut store, ids) = store(&["", "e4"]);
        let lock = store.lock(ids[0]).unwrap();
        assert!(!store.delete_if_empty(ids[0], &lock).unwrap());
        drop(lock);
        assert_eq!(store.delete_analyses(&[ids[0]]).unwrap(), 1);
        assert_eq!(order(&store), [ids[1]]);
    }

    #[test]
    fn another_stage_takes_the_place_of_its_root() {
        let (_folder, mut store, ids) = store(&["", "e4", "d4"]);
        store.delete_analyses(&[ids[2]]).unwrap();
        let profile = store.analysis(ids[0]).unwrap().unwrap().profile;
        let profile = store.profile_id(&Profile { limit: Limit::Depth(3), ..profile }).unwrap();
        let game = Game::from_start("startpos").unwrap();
        let key = AnalysisKey { game: &game, profile, settings: &10.into() };
        let deeper = store.open_analysis(key).unwrap();
        store.replace_on_agenda(ids[0], deeper).unwrap();
        assert_eq!(order(&store), [deeper, ids[1]]);
    }
}
