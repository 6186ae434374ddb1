//! Answers of other databases that are others here.

use deepanalyze_core::search::Profile;

use crate::error::StoreError;
use crate::memo::{ListedAnswer, listed};
use crate::open::Store;
use crate::packing::read_epd;
use crate::profiles::profile_from;

/// More are not told of at once.
const MOST: i64 = 10_000;

/// An answer that is another one in another database.
#[derive(Debug, Clone, PartialEq)]
pub struct ConflictRow {
    /// Whose answer both are said to be.
    pub profile: Profile,
    /// The position, as EPD.
    pub epd: String,
    /// The rank.
    pub rank: u64,
    /// What stands here; none where it was taken back since.
    pub here: Option<ListedAnswer>,
    /// What stands there.
    pub there: ListedAnswer,
    /// Which database that is.
    pub source: String,
    /// Which source the one here is from; none where an engine of this computer gave it.
    pub here_from: Option<String>,
}

impl Store {
    /// The conflicts, those of the source that came last first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
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
