//! What people call a root: the game up to it, whatever has analysed it.

use rusqlite::{OptionalExtension, params};

use crate::chess::{Game, epd_of};

use super::analyses::history_text;
use super::error::StoreError;
use super::open::Store;

impl Store {
    /// The name of a root; none where it has none, or the database is older than names.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn name(&self, game: &Game) -> Result<Option<String>, StoreError> {
        Ok(self.row_with_name(game)?.flatten())
    }

    /// Gives a root a name, or takes it away.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a directive is damaged.
    pub fn rename(&mut self, game: &Game, name: Option<&str>) -> Result<(), StoreError> {
        // A root that is new begins with the directives of the game before it, and so does this one.
        self.change_directives(game, |_| Ok::<(), StoreError>(()))?;
        self.write_name(
            "UPDATE game SET name = ?3 WHERE start_epd = ?1 AND history = ?2",
            game,
            name,
        )
    }

    /// Gives a root that was grown a name, if it has none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn suggest_name(&mut self, game: &Game, name: &str) -> Result<(), StoreError> {
        if self.row_with_name(game)? != Some(None) {
            return Ok(());
        }
        let sql = "UPDATE game SET name = ?3
            WHERE start_epd = ?1 AND history = ?2 AND name IS NULL";
        self.write_name(sql, game, Some(name))
    }

    fn write_name(&mut self, sql: &str, game: &Game, name: Option<&str>) -> Result<(), StoreError> {
        let path = self.path.clone();
        let named = StoreError::sqlite(&path);
        let name = name.filter(|name| !name.is_empty());
        let write = self.write()?;
        let key = params![epd_of(game.start()), history_text(game), name];
        write.execute(sql, key).map_err(&named)?;
        write.commit()
    }

    /// The outer option: whether the root has a row at all.
    fn row_with_name(&self, game: &Game) -> Result<Option<Option<String>>, StoreError> {
        if !self.has_names() {
            return Ok(None);
        }
        let named = StoreError::sqlite(&self.path);
        let sql = "SELECT name FROM game WHERE start_epd = ?1 AND history = ?2";
        let mut query = self.db.prepare_cached(sql).map_err(&named)?;
        let key = params![epd_of(game.start()), history_text(game)];
        query.query_row(key, |row| row.get(0)).optional().map_err(&named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: &str) -> Game {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(moves).unwrap();
        game
    }

    #[test]
    fn a_name_that_is_there_stays_until_another_is_given() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let (root, other) = (game("e4 e5"), game("e4 c5"));
        store.suggest_name(&root, "nobody has grown it").unwrap();
        assert_eq!(store.name(&root).unwrap(), None);
        store.change_directives(&root, |_| Ok::<(), StoreError>(())).unwrap();
        store.suggest_name(&root, "first").unwrap();
        store.suggest_name(&root, "second").unwrap();
        assert_eq!(store.name(&root).unwrap().as_deref(), Some("first"));
        store.rename(&root, Some("mine")).unwrap();
        store.rename(&other, Some("another")).unwrap();
        store.suggest_name(&root, "third").unwrap();
        assert_eq!(store.name(&root).unwrap().as_deref(), Some("mine"));
        assert_eq!(store.name(&other).unwrap().as_deref(), Some("another"));
        store.rename(&root, None).unwrap();
        assert_eq!(store.name(&root).unwrap(), None);
        store.suggest_name(&root, "third").unwrap();
        assert_eq!(store.name(&root).unwrap().as_deref(), Some("third"));
    }
}
