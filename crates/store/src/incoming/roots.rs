//! Its analyses, and its roots' directives.

use std::collections::HashMap;

use rusqlite::params;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, Value, epd_of, written_game};
use deepanalyze_core::directives::{Directive, Directives};

use deepanalyze_core::printable::is_unprintable;

use super::Incoming;
use crate::agenda::AgendaRow;
use crate::analyses::{AnalysisId, AnalysisRow, history_text};
use crate::check::refused;
use crate::directives::DatedDirective;
use crate::error::StoreError;

/// The most analyses that are read.
const MOST: u64 = 1_000_000;
/// The longest name, in characters.
const LONGEST: usize = 200;

impl Incoming {
    /// The numbers of its analyses.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails, or has an absurd number of them.
    pub fn analyses(&self) -> Result<Vec<AnalysisId>, StoreError> {
        let (sql, most) = ("SELECT id FROM analysis ORDER BY id LIMIT ?1", MOST + 1);
        let ids = self.store.rows(sql, [most], |row| row.get(0).map(AnalysisId))?;
        if ids.len() as u64 >= most {
            Err(self.store.damaged(format!("it has more than {MOST} analyses")))
        } else {
            Ok(ids)
        }
    }

    /// An analysis and its game; `None` if its row is invalid.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn analysis(&self, id: AnalysisId) -> Result<Option<(AnalysisRow, Game)>, StoreError> {
        let Some(row) = unless_damaged(self.store.analysis(id))?.flatten() else { return Ok(None) };
        let is_right = unless_damaged(self.store.check_analysis(&row))?;
        let game = row.game().filter(|_| is_right.is_some_and(|flaws| flaws.is_empty()));
        Ok(game.map(|game| (row, game)))
    }

    /// The roots with directives, analysed or not; illegal ones are left out.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails, or has an absurd number of them.
    pub fn directed_games(&self) -> Result<Vec<Game>, StoreError> {
        let games = unless_damaged(self.store.directed_games())?.unwrap_or_default();
        if games.len() as u64 > MOST {
            return Err(self.store.damaged(format!("it has directives of more than {MOST} roots")));
        }
        Ok(games)
    }

    /// The directives of a root; `None` if they are not allowed.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn directives(&self, game: &Game) -> Result<Option<Directives>, StoreError> {
        Ok(self.dated_directives(game)?.map(|dated| Directives::of(said_in(&dated))))
    }

    /// The directives of a root with their times by the other computer's clock.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn dated_directives(&self, game: &Game) -> Result<Option<Vec<DatedDirective>>, StoreError> {
        let dated = unless_damaged(self.store.dated_directives(game))?;
        Ok(dated.filter(|dated| refused(&Directives::of(said_in(dated)), game).is_none()))
    }

    /// Directives that the tree of an analysis was grown with; `None` if they are not allowed.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn grown_with(
        &self,
        row: &AnalysisRow,
        game: &Game,
    ) -> Result<Option<Directives>, StoreError> {
        let set = unless_damaged(self.store.grown_with(row.id))?;
        Ok(set.filter(|set| refused(set, game).is_none()))
    }

    /// The best move of an analysis in its tree there, and its value for its mover, if any.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn best_move(&self, id: AnalysisId) -> Result<Option<(UciMove, Value)>, StoreError> {
        let newest = unless_damaged(self.store.newest_of_course(id))?.flatten();
        Ok(newest.map(|newest| (newest.best, newest.alpha)))
    }

    /// The name of a root there, if valid.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn name_of(&self, game: &Game) -> Result<Option<String>, StoreError> {
        let sql = "SELECT CAST(name AS TEXT) FROM game WHERE start_epd = ?1 AND history = ?2";
        let key = params![epd_of(game.start()), history_text(game)];
        let name: Option<Option<String>> = self.store.first_row(sql, key, |row| row.get(0))?;
        Ok(name.flatten().filter(|name| is_name(name)))
    }

    /// The own name of one of its analyses: a name, or that it is to have none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn own_name_of(&self, id: AnalysisId) -> Result<Option<Option<String>>, StoreError> {
        let sql = "SELECT CAST(name AS TEXT) FROM own_name WHERE analysis = ?1";
        let name: Option<Option<String>> = self.store.first_row(sql, [id.0], |row| row.get(0))?;
        Ok(name.filter(|name| name.as_deref().is_none_or(is_name)))
    }

    /// True if an analysis is archived there.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn is_archived(&self, id: AnalysisId) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM archived WHERE analysis = ?1";
        Ok(self.store.first_row(sql, [id.0], |_| Ok(()))?.is_some())
    }

    /// The annotated games of an analysis there, and whether it was made for them. Invalid games
    /// are left out.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn games_of(&self, id: AnalysisId) -> Result<Vec<(String, bool)>, StoreError> {
        let sql = "SELECT CAST(pgn AS TEXT), CAST(made AS INTEGER) = 1
            FROM game_analysis JOIN annotated_game ON annotated_game.id = game_analysis.game
            WHERE analysis = ?1";
        let games: Vec<(String, bool)> =
            self.store.rows(sql, [id.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let is_game = |(pgn, _): &(String, bool)| written_game(pgn.as_bytes(), 1, None).is_ok();
        Ok(games.into_iter().filter(is_game).collect())
    }

    /// Its agenda, by the analyses there; empty if damaged.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn agenda(&self) -> Result<HashMap<AnalysisId, AgendaRow>, StoreError> {
        let rows = unless_damaged(self.store.agenda())?.unwrap_or_default();
        let sound = rows.into_iter().filter(|row| (1..=100).contains(&row.weight));
        Ok(sound.map(|row| (row.analysis, row)).collect())
    }

    /// Number of tablebase results.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn facts(&self) -> Result<u64, StoreError> {
        self.store.only_row("SELECT count(*) FROM fact WHERE wdl IS NOT NULL", [], |row| row.get(0))
    }

    /// Number of answers on single moves.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn rechecked(&self) -> Result<u64, StoreError> {
        self.store.only_row("SELECT count(*) FROM move_answer", [], |row| row.get(0))
    }
}

fn said_in(dated: &[DatedDirective]) -> impl Iterator<Item = (PositionKey, Directive)> {
    dated.iter().map(|dated| (dated.position, dated.directive.clone()))
}

fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && name.chars().count() <= LONGEST && !name.contains(is_unprintable)
}

/// `None` if the data is damaged; other errors are returned.
pub(super) fn unless_damaged<T>(read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Err(StoreError::Damaged { .. }) => Ok(None),
        Err(StoreError::Sqlite { error, .. })
            if !matches!(error, rusqlite::Error::SqliteFailure(..)) =>
        {
            Ok(None)
        }
        read => read.map(Some),
    }
}
