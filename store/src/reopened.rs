//! A reader that stays open while another process brings the database up to date.

use super::error::StoreError;
use super::open::Store;

impl Store {
    /// Opens a database anew, for reading, where its schema is of another version than when it was opened:
    /// what a reader makes of its rows depends on that. Says whether it was.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails, or is newer than the program by now.
    pub fn reopen_if_migrated(&mut self) -> Result<bool, StoreError> {
        if !self.was_migrated()? {
            return Ok(false);
        }
        *self = Store::open_to_read(&self.path)?;
        Ok(true)
    }

    /// Whether another process has brought it up to date since it was opened.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails, or is newer than the program by now.
    pub fn was_migrated(&self) -> Result<bool, StoreError> {
        Ok(self.read_version()? != self.version)
    }

    /// A number that is another one whenever somebody else has written since.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        let version = self.db.pragma_query_value(None, "data_version", |row| row.get(0));
        version.map_err(StoreError::sqlite(&self.path))
    }
}
