//! Its profiles.

use deepanalyze_core::printable::is_unprintable;
use deepanalyze_core::search::Profile;

use super::Incoming;
use crate::analyses::AnalysisRow;
use crate::error::StoreError;
use crate::profiles::{canonical_options, limit_columns, profile_from};

/// The longest name of an engine, and the longest text of its options, in bytes.
const LONGEST: [usize; 2] = [200, 4000];

/// The most profiles: trees on kept hashes have one each.
const MOST: u64 = 100_000;

/// A profile of another database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingProfile {
    /// Its row there.
    pub(super) id: i64,
    /// The profile; `None` if not in the program's own form.
    pub profile: Option<Profile>,
}

impl Incoming {
    /// Its profiles.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails, or has more of them than any program writes.
    pub fn profiles(&self) -> Result<Vec<IncomingProfile>, StoreError> {
        let most = MOST + 1;
        let ids: Vec<i64> =
            self.store
                .rows("SELECT id FROM profile ORDER BY id LIMIT ?1", [most], |row| row.get(0))?;
        if ids.len() as u64 >= most {
            return Err(self.store.damaged(format!("it has more than {MOST} profiles")));
        }
        let profile = |id| Ok(IncomingProfile { id, profile: self.profile_of(id)? });
        ids.into_iter().map(profile).collect()
    }

    /// The profile of an analysis there.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn profile_of_analysis(&self, row: &AnalysisRow) -> Result<IncomingProfile, StoreError> {
        let id = row.profile_id.0;
        Ok(IncomingProfile { id, profile: self.profile_of(id)? })
    }

    fn profile_of(&self, id: i64) -> Result<Option<Profile>, StoreError> {
        let sql = "SELECT CAST(engine AS TEXT), CAST(options AS TEXT), CAST(limit_kind AS TEXT),
                CAST(limit_value AS INTEGER)
            FROM profile WHERE id = ?1";
        let row: Option<(String, String, String, i64)> =
            self.store.first_row(sql, [id], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?;
        Ok(row.and_then(|(engine, options, kind, value)| written(engine, &options, (&kind, value))))
    }
}

/// The profile of these columns, if in canonical form and not too long.
fn written(engine: String, options: &str, limit: (&str, i64)) -> Option<Profile> {
    let [longest_name, longest_options] = LONGEST;
    let is_plain = |text: &str| !text.contains(is_unprintable);
    if engine.len() > longest_name || options.len() > longest_options {
        return None;
    }
    if engine.trim().is_empty() || !is_plain(&engine) || !is_plain(options) {
        return None;
    }
    let profile = profile_from(engine, options, limit)?;
    let is_canonical = canonical_options(&profile) == options
        && limit_columns(profile.limit) == limit
        && limit.1 > 0;
    is_canonical.then_some(profile)
}
