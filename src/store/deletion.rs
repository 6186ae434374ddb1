//! Taking analyses away. Answers stay: they cost engine time, and other trees may be made of them.

use super::analyses::{AnalysisId, AnalysisKey};
use super::error::StoreError;
use super::lock::GrowLock;
use super::open::Store;

/// What hangs on an analysis (its positions, settled depths, verdicts, course, and the directives that it
/// was grown with) goes with its row.
const DELETE: &str = "DELETE FROM analysis WHERE id = ?1";
const DELETE_EMPTY: &str =
    "DELETE FROM analysis WHERE id = ?1 AND searches = 0 AND settled_depth IS NULL";

impl Store {
    /// The analysis of a key, a new one where there is none, with its lock.
    ///
    /// # Errors
    ///
    /// [`StoreError::Growing`] where another process grows it.
    pub fn begin_analysis(
        &mut self,
        key: AnalysisKey<'_>,
    ) -> Result<(AnalysisId, GrowLock), StoreError> {
        loop {
            let id = self.open_analysis(key)?;
            let lock = self.lock(id)?;
            // Who held the lock before may have deleted the analysis, and its number may be another's by now.
            if self.open_analysis(key)? == id {
                return Ok((id, lock));
            }
        }
    }

    /// Deletes an analysis with all that is derived of it; `false` where there is none of that number.
    /// Its answers and the directives of its root stay.
    ///
    /// # Errors
    ///
    /// [`StoreError::Growing`] where a process grows it; nothing is changed then.
    pub fn delete_analysis(&mut self, id: AnalysisId) -> Result<bool, StoreError> {
        let _lock = self.lock(id)?;
        self.delete(DELETE, id)
    }

    /// Deletes an analysis that has neither an answer nor a settled depth, and whose lock the caller has;
    /// `false` where it has some, or there is none of that number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn delete_if_empty(
        &mut self,
        id: AnalysisId,
        _lock: &GrowLock,
    ) -> Result<bool, StoreError> {
        self.delete(DELETE_EMPTY, id)
    }

    fn delete(&mut self, sql: &str, id: AnalysisId) -> Result<bool, StoreError> {
        let path = self.path.clone();
        let named = StoreError::sqlite(&path);
        let write = self.write()?;
        let deleted = write.execute(sql, [id.0]).map_err(&named)?;
        write.commit().map_err(&named)?;
        Ok(deleted > 0)
    }
}
