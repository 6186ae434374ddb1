//! Answers of other databases that differ from ours.

use deepanalyze_core::search::Profile;

use crate::error::StoreError;
use crate::memo::{ListedAnswer, listed};
use crate::open::Store;
use crate::packing::read_epd;
use crate::profiles::profile_from;

/// The most that are listed.
const MOST: i64 = 10_000;

/// An answer that differs in another database.
#[derive(Debug, Clone, PartialEq)]
pub struct ConflictRow {
    /// The profile of both answers.
    pub profile: Profile,
    /// The position, as EPD.
    pub epd: String,
    /// The rank.
    pub rank: u64,
    /// The answer here; `None` if removed since.
    pub here: Option<ListedAnswer>,
    /// The answer there.
    pub there: ListedAnswer,
    /// The other database.
    pub source: String,
    /// The source of the answer here; `None` if an engine of this computer gave it.
    pub here_from: Option<String>,
}

impl Store {
    /// The conflicts, beginning with the latest source.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn conflicts(&self) -> Result<Vec<ConflictRow>, StoreError> {
        let sql = "SELECT board, state, engine, options, limit_kind, limit_value, conflict.rank,
                conflict.move, conflict.cp, conflict.mate, answer.move, answer.cp, answer.mate,
                source.name, giver.name
            FROM conflict
            JOIN source ON source.id = conflict.source
            JOIN profile ON profile.id = conflict.profile
            JOIN position ON position.id = conflict.position
            LEFT JOIN answer ON answer.profile = conflict.profile
                AND answer.position = conflict.position AND answer.rank = conflict.rank
            LEFT JOIN source AS giver ON giver.id = answer.source
            ORDER BY conflict.source DESC, conflict.profile, conflict.position LIMIT ?1";
        let rows = self.rows(sql, [MOST], |row| {
            let epd = read_epd(row, 0)?;
            let (options, kind): (String, String) = (row.get(3)?, row.get(4)?);
            let profile = profile_from(row.get(2)?, &options, (&kind, row.get(5)?));
            let there = listed(&row.get::<_, String>(7)?, row.get(8)?, row.get(9)?);
            let here: Option<String> = row.get(10)?;
            let (cp, mate) = (row.get(11)?, row.get(12)?);
            let here = here.and_then(|uci| listed(&uci, cp, mate));
            let (rank, source, here_from) = (row.get(6)?, row.get(13)?, row.get(14)?);
            Ok((epd, profile.zip(there), (rank, here), (source, here_from)))
        })?;
        let conflict = |(epd, said, (rank, here), (source, here_from))| {
            let (profile, there): (Profile, ListedAnswer) =
                Option::ok_or_else(said, || self.damaged(format!("a conflict in {epd}")))?;
            Ok(ConflictRow { profile, epd, rank, here, there, source, here_from })
        };
        rows.into_iter().map(conflict).collect()
    }
}
