//! Games that are analysed as a whole, as they were given.

use rusqlite::params;

use super::analyses::AnalysisId;
use super::error::StoreError;
use super::memo::now;
use super::open::Store;

/// A game that is analysed as a whole, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GameId(pub i64);

/// A game that is analysed as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotatedGameRow {
    /// Its number.
    pub id: GameId,
    /// The game alone, with its tags, comments and variations.
    pub pgn: String,
    /// Time added, in milliseconds since 1970, UTC.
    pub created_at: i64,
}

/// An analysis of a position of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PositionOfGame {
    /// The game.
    pub game: GameId,
    /// The first stage of the analysis.
    pub analysis: AnalysisId,
    /// True if it was made for a game, not there before.
    pub made: bool,
}

impl Store {
    /// All games that are analysed as a whole, the newest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn annotated_games(&self) -> Result<Vec<AnnotatedGameRow>, StoreError> {
        let sql = "SELECT id, pgn, created_at FROM annotated_game ORDER BY id DESC";
        self.rows(sql, [], |row| {
            let (id, pgn, created_at) = (GameId(row.get(0)?), row.get(1)?, row.get(2)?);
            Ok(AnnotatedGameRow { id, pgn, created_at })
        })
    }

    /// Stores a game; one with the same text keeps its number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn keep_annotated_game(&mut self, pgn: &str) -> Result<GameId, StoreError> {
        let there = "SELECT id FROM annotated_game WHERE pgn = ?1";
        if let Some(id) = self.first_row(there, [pgn], |row| row.get(0))? {
            return Ok(GameId(id));
        }
        let sql = "INSERT INTO annotated_game (pgn, created_at) VALUES (?1, ?2)";
        self.write(|write| {
            write.execute(sql, params![pgn, now()]).map_err(write.named())?;
            Ok(GameId(write.last_insert_rowid()))
        })
    }

    /// Notes that an analysis is of a position of a game, and whether it was made for one.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or has no such game or analysis.
    pub fn put_in_game(
        &mut self,
        game: GameId,
        analysis: AnalysisId,
        made: bool,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO game_analysis (game, analysis, made) VALUES (?1, ?2, ?3)
            ON CONFLICT DO NOTHING";
        let row = params![game.0, analysis.0, made];
        self.write(|write| write.execute(sql, row).map(drop).map_err(write.named()))
    }

    /// Marks an analysis as wanted by itself, whatever games have its position: it was made for
    /// none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn make_for_itself(&mut self, analysis: AnalysisId) -> Result<(), StoreError> {
        let sql = "UPDATE game_analysis SET made = FALSE WHERE analysis = ?1";
        self.write(|write| write.execute(sql, [analysis.0]).map(drop).map_err(write.named()))
    }

    /// All analyses of positions of games.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn positions_of_games(&self) -> Result<Vec<PositionOfGame>, StoreError> {
        let sql = "SELECT game, analysis, made FROM game_analysis ORDER BY game DESC, analysis";
        self.rows(sql, [], |row| {
            let (game, analysis) = (GameId(row.get(0)?), AnalysisId(row.get(1)?));
            Ok(PositionOfGame { game, analysis, made: row.get(2)? })
        })
    }

    /// Removes a game; the analyses of its positions stay. True if it existed.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn forget_annotated_game(&mut self, id: GameId) -> Result<bool, StoreError> {
        let sql = "DELETE FROM annotated_game WHERE id = ?1";
        self.write(|write| write.execute(sql, [id.0]).map(|gone| gone > 0).map_err(write.named()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_unique_and_their_numbers_not_reused() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let first = store.keep_annotated_game("1. e4 *").unwrap();
        let second = store.keep_annotated_game("1. d4 *").unwrap();
        assert_eq!(store.keep_annotated_game("1. e4 *").unwrap(), first);
        let games = |store: &Store| -> Vec<(GameId, String)> {
            let games = store.annotated_games().unwrap().into_iter();
            games.map(|game| (game.id, game.pgn)).collect()
        };
        assert_eq!(games(&store), [(second, "1. d4 *".to_owned()), (first, "1. e4 *".to_owned())]);
        assert!(store.forget_annotated_game(second).unwrap());
        assert!(!store.forget_annotated_game(second).unwrap());
        let third = store.keep_annotated_game("1. d4 *").unwrap();
        assert!(third > second, "{third:?}");
    }
}
