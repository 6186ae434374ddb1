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
        if self.read_version()? == self.version {
            return Ok(false);
        }
        *self = Store::open_to_read(&self.path)?;
        Ok(true)
    }
}
