//! Names of roots: of the game up to one, whatever has analysed it, or of one of its analyses.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use deepanalyze_core::chess::{Game, epd_of};

use super::analyses::{AnalysisId, AnalysisRow, history_text};
use super::error::StoreError;
use super::open::Store;

/// Name and state of a root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RootNote {
    /// Its name, if any.
    pub name: Option<String>,
    /// How often its directives have changed.
    pub revision: u64,
    /// True if archived.
    pub is_archived: bool,
    /// The own name of one of its analyses, or that it is to have none; `None` if neither.
    own: Option<Option<String>>,
}

impl RootNote {
    /// The note of the analysis with these stages: its own name precedes that of its root.
    pub fn of(
        notes: &HashMap<AnalysisId, RootNote>,
        stages: impl IntoIterator<Item = AnalysisId>,
    ) -> RootNote {
        let said = stages.into_iter().filter_map(|stage| notes.get(&stage));
        let said: Vec<&RootNote> = said.collect();
        let mut note = said.first().copied().cloned().unwrap_or_default();
        if let Some(own) = said.iter().find_map(|note| note.own.clone()) {
            note.name = own;
        }
        note.is_archived = said.iter().any(|note| note.is_archived);
        note
    }
}

impl Store {
    /// The notes of all analyses and their roots, by analysis; without empty ones.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn root_notes(&self) -> Result<HashMap<AnalysisId, RootNote>, StoreError> {
        let sql = "SELECT analysis.id, game.name, game.revision, own_name.analysis, own_name.name,
                archived.analysis IS NOT NULL
            FROM analysis
            LEFT JOIN game ON game.start_epd = analysis.start_epd AND game.history = analysis.history
            LEFT JOIN own_name ON own_name.analysis = analysis.id
            LEFT JOIN archived ON archived.analysis = analysis.id";
        let notes = self.rows(sql, [], |row| {
            let own = row.get::<_, Option<i64>>(3)?.map(|_| row.get(4)).transpose()?;
            let revision = row.get::<_, Option<u64>>(2)?.unwrap_or_default();
            let note = RootNote { name: row.get(1)?, revision, is_archived: row.get(5)?, own };
            Ok((AnalysisId(row.get(0)?), note))
        });
        Ok(notes?.into_iter().filter(|(_, note)| *note != RootNote::default()).collect())
    }

    /// Names the stages of one analysis, or removes the name; others of the root keep theirs.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn rename_analysis(
        &mut self,
        stages: &[AnalysisRow],
        name: Option<&str>,
    ) -> Result<(), StoreError> {
        self.write(|write| write_name(write, stages, name).map_err(write.named()))
    }

    /// Archives the stages of one analysis, or restores them.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn archive(&mut self, stages: &[AnalysisRow], away: bool) -> Result<(), StoreError> {
        self.write(|write| write_archived(write, stages, away).map_err(write.named()))
    }

    /// Names a root with all of its analyses, or removes the name.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a directive is damaged.
    pub fn rename(&mut self, game: &Game, name: Option<&str>) -> Result<(), StoreError> {
        // This gives it a row.
        self.change_directives(game, |_| Ok::<(), StoreError>(()))?;
        let name = name.filter(|name| !name.is_empty());
        let (start, history) = (epd_of(game.start()), history_text(game));
        let rename = "UPDATE game SET name = ?3 WHERE start_epd = ?1 AND history = ?2";
        let forget = "DELETE FROM own_name WHERE analysis IN
            (SELECT id FROM analysis WHERE start_epd = ?1 AND history = ?2)";
        self.write(|write| {
            write.execute(rename, params![start, history, name]).map_err(write.named())?;
            write.execute(forget, params![start, history]).map(drop).map_err(write.named())
        })
    }

    /// Gives an analysis the name that its game suggests, unless it or its root has one, or is to
    /// have none; others of the same root may be independent, and get none. True if it had none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn suggest_name_of(&mut self, id: AnalysisId, name: &str) -> Result<bool, StoreError> {
        let sql = "INSERT INTO own_name (analysis, name)
            SELECT analysis.id, ?2 FROM analysis
                LEFT JOIN game ON game.start_epd = analysis.start_epd
                    AND game.history = analysis.history
            WHERE analysis.id = ?1 AND game.name IS NULL AND ?2 <> ''
            ON CONFLICT DO NOTHING";
        let row = params![id.0, name];
        self.write(|write| write.execute(sql, row).map(|named| named > 0).map_err(write.named()))
    }

    /// Names a root that was grown, if it has no name; true if it had none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn suggest_name(&mut self, game: &Game, name: &str) -> Result<bool, StoreError> {
        let key = params![epd_of(game.start()), history_text(game)];
        let nameless = "start_epd = ?1 AND history = ?2 AND name IS NULL";
        let find = format!("SELECT 1 FROM game WHERE {nameless}");
        if name.is_empty() || self.first_row(&find, key, |_| Ok(()))?.is_none() {
            return Ok(false);
        }
        let sql = format!("UPDATE game SET name = ?3 WHERE {nameless}");
        let row = params![epd_of(game.start()), history_text(game), name];
        self.write(|write| write.execute(&sql, row).map(|named| named > 0).map_err(write.named()))
    }
}

/// Names the stages of one analysis.
pub(super) fn write_name(
    db: &Connection,
    stages: &[AnalysisRow],
    name: Option<&str>,
) -> rusqlite::Result<()> {
    let name = name.filter(|name| !name.is_empty());
    let sql = "INSERT INTO own_name (analysis, name) VALUES (?1, ?2)
        ON CONFLICT (analysis) DO UPDATE SET name = ?2";
    stages.iter().try_for_each(|stage| db.execute(sql, params![stage.id.0, name]).map(drop))
}

/// Archives the stages of one analysis, or restores them.
pub(super) fn write_archived(
    db: &Connection,
    stages: &[AnalysisRow],
    away: bool,
) -> rusqlite::Result<()> {
    let sql = if away {
        "INSERT OR IGNORE INTO archived (analysis) VALUES (?1)"
    } else {
        "DELETE FROM archived WHERE analysis = ?1"
    };
    stages.iter().try_for_each(|stage| db.execute(sql, [stage.id.0]).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnalysisKey;
    use deepanalyze_core::search::{Limit, Profile};

    fn game(moves: &str) -> Game {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(moves).unwrap();
        game
    }

    /// An analysis of a game with a distance.
    fn analysis(store: &mut Store, game: &Game, distance: u32) -> AnalysisRow {
        let (engine, options) = ("Some".to_owned(), std::collections::BTreeMap::new());
        let profile = Profile { engine, options, limit: Limit::Depth(3), kept_hash: None };
        let profile = store.profile_id(&profile).unwrap();
        let key = AnalysisKey { game, profile, settings: &distance.into() };
        let id = store.open_analysis(key).unwrap();
        store.analysis(id).unwrap().unwrap()
    }

    fn open() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tree.db")).unwrap();
        (folder, store)
    }

    fn name(store: &Store, stages: &[AnalysisRow]) -> Option<String> {
        RootNote::of(&store.root_notes().unwrap(), stages.iter().map(|row| row.id)).name
    }

    #[test]
    fn notes_of_all_roots_equal_those_of_each() {
        let (_folder, mut store) = open();
        let mut right = HashMap::new();
        for (moves, name) in [("e4", Some("mine")), ("e4 e5", None), ("d4", Some("other"))] {
            let game = game(moves);
            let id = analysis(&mut store, &game, 10).id;
            if name.is_some() {
                store.rename(&game, name).unwrap();
                let (name, revision) = (name.map(str::to_owned), store.revision(&game).unwrap());
                right.insert(id, RootNote { name, revision, ..RootNote::default() });
            }
        }
        assert_eq!(store.root_notes().unwrap(), right);
    }

    #[test]
    fn all_stages_are_archived_and_restored_together() {
        let (_folder, mut store) = open();
        let game = game("e4");
        let [away, other] = [20, 30].map(|distance| [analysis(&mut store, &game, distance)]);
        let is_archived = |store: &Store, stages: &[AnalysisRow]| {
            RootNote::of(&store.root_notes().unwrap(), stages.iter().map(|row| row.id)).is_archived
        };
        for _ in 0..2 {
            store.archive(&away, true).unwrap();
        }
        assert_eq!([&away, &other].map(|stages| is_archived(&store, stages)), [true, false]);
        store.archive(&away, false).unwrap();
        assert!(!is_archived(&store, &away));
    }

    #[test]
    fn a_name_that_is_there_stays_until_another_is_given() {
        let (_folder, mut store) = open();
        let (root, other) = (game("e4 e5"), game("e4 c5"));
        let of_root = [analysis(&mut store, &root, 20)];
        let of_other = [analysis(&mut store, &other, 20)];
        store.suggest_name(&root, "nobody has grown it").unwrap();
        assert_eq!(name(&store, &of_root), None);
        store.change_directives(&root, |_| Ok::<(), StoreError>(())).unwrap();
        store.suggest_name(&root, "first").unwrap();
        store.suggest_name(&root, "second").unwrap();
        assert_eq!(name(&store, &of_root).as_deref(), Some("first"));
        store.rename(&root, Some("mine")).unwrap();
        store.rename(&other, Some("another")).unwrap();
        store.suggest_name(&root, "third").unwrap();
        assert_eq!(name(&store, &of_root).as_deref(), Some("mine"));
        assert_eq!(name(&store, &of_other).as_deref(), Some("another"));
        store.rename(&root, None).unwrap();
        assert_eq!(name(&store, &of_root), None);
        store.suggest_name(&root, "third").unwrap();
        assert_eq!(name(&store, &of_root).as_deref(), Some("third"));
    }

    #[test]
    fn analyses_of_a_root_have_names_of_their_own() {
        let (_folder, mut store) = open();
        let root = game("e4 e5");
        let (narrow, wide) = ([analysis(&mut store, &root, 10)], [analysis(&mut store, &root, 30)]);
        store.rename(&root, Some("both")).unwrap();
        store.rename_analysis(&narrow, Some("narrow")).unwrap();
        let names = |store: &Store| [&narrow, &wide].map(|one| name(store, one));
        let is = |narrow: Option<&str>, wide: Option<&str>| {
            [narrow, wide].map(|name| name.map(str::to_owned))
        };
        assert_eq!(names(&store), is(Some("narrow"), Some("both")));
        store.rename_analysis(&narrow, None).unwrap();
        assert_eq!(names(&store), is(None, Some("both")), "it is to have none");
        store.rename(&root, Some("again")).unwrap();
        assert_eq!(names(&store), is(Some("again"), Some("again")), "who names the root names all");
        store.rename_analysis(&wide, Some("wide")).unwrap();
        store.delete_analyses(&[wide[0].id]).unwrap();
        let anew = [analysis(&mut store, &root, 30)];
        assert_eq!(name(&store, &anew).as_deref(), Some("again"), "the name went with it");
    }
}
