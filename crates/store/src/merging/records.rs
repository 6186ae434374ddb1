//! Records of other databases: their names, the results of merges, and answers that differ from
//! ours.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, params};

use deepanalyze_core::search::Profile;

use crate::error::StoreError;
use crate::memo::{ListedAnswer, listed, now};
use crate::open::Store;
use crate::packing::read_epd;
use crate::profiles::profile_from;

/// A row of `source`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourceId(pub(crate) i64);

/// A row of `merge`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MergeId(pub(super) i64);

/// A giver of answers other than this computer's engines.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SourceRow {
    /// Its name.
    pub name: String,
    /// `worker` or `database`.
    pub kind: String,
    /// Number of its answers here.
    pub answers: u64,
    /// Number of its conflicts.
    pub conflicts: u64,
    /// Time of the last merge, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_at: Option<i64>,
    /// Why its answers were invalidated; `None` if they are valid.
    #[serde(rename = "taken_back", skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Store {
    /// The row of another database, inserted if missing.
    ///
    /// # Errors
    ///
    /// [`StoreError::Invalidated`] if its answers were invalidated; [`StoreError::NameTaken`] if a
    /// fleet worker has this name.
    pub fn database_source(&self, name: &str) -> Result<SourceId, StoreError> {
        self.write(|write| {
            let there = source_of(write, name).map_err(write.named())?;
            let (name, path) = (name.to_owned(), write.path.to_owned());
            match there {
                Some((_, _, Some(why))) => Err(StoreError::Invalidated { name, why }),
                Some((_, kind, _)) if kind != DATABASE => Err(StoreError::NameTaken { path, name }),
                Some((id, ..)) => Ok(SourceId(id)),
                None => {
                    let insert = "INSERT INTO source (name, kind) VALUES (?1, ?2)";
                    write.execute(insert, params![name, DATABASE]).map_err(write.named())?;
                    Ok(SourceId(write.last_insert_rowid()))
                }
            }
        })
    }

    /// True if a database of this name was merged. Refuses names as [`Store::database_source`]
    /// does, but inserts no row.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn knows_source(&self, name: &str) -> Result<bool, StoreError> {
        let there = source_of(&self.db, name).map_err(StoreError::sqlite(&self.path))?;
        let (name, path) = (name.to_owned(), self.path.clone());
        match there {
            Some((_, _, Some(why))) => Err(StoreError::Invalidated { name, why }),
            Some((_, kind, _)) if kind != DATABASE => Err(StoreError::NameTaken { path, name }),
            there => Ok(there.is_some()),
        }
    }

    /// The names of all sources with invalidated answers.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn invalidated_names(&self) -> Result<HashSet<String>, StoreError> {
        let names =
            self.rows("SELECT name FROM source WHERE why IS NOT NULL", [], |row| row.get(0));
        Ok(names?.into_iter().collect())
    }

    /// Notes the beginning of a merge: how many answers were searched again, and the seed that drew
    /// them; `None` if the source is trusted.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn begin_merge(
        &self,
        source: SourceId,
        checked: Option<(u64, u64)>,
    ) -> Result<MergeId, StoreError> {
        let (checked, seed) = checked.unzip();
        let sql = "INSERT INTO merge (source, began_at, checked, seed) VALUES (?1, ?2, ?3, ?4)";
        self.write(|write| {
            let row = params![source.0, now(), checked, seed.map(u64::cast_signed)];
            write.execute(sql, row).map_err(write.named())?;
            Ok(MergeId(write.last_insert_rowid()))
        })
    }

    /// Notes that a merge is complete.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn end_merge(&self, merge: MergeId) -> Result<(), StoreError> {
        let sql = "UPDATE merge SET ended_at = ?2 WHERE id = ?1";
        self.write(|write| {
            write.execute(sql, params![merge.0, now()]).map(drop).map_err(write.named())
        })
    }

    /// All sources, the latest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn sources(&self) -> Result<Vec<SourceRow>, StoreError> {
        let sql = "SELECT name, kind, why,
                (SELECT count(*) FROM answer WHERE answer.source = source.id),
                (SELECT count(*) FROM conflict WHERE conflict.source = source.id),
                (SELECT max(began_at) FROM merge WHERE merge.source = source.id)
            FROM source ORDER BY id DESC";
        self.rows(sql, [], |row| {
            Ok(SourceRow {
                name: row.get(0)?,
                kind: row.get(1)?,
                why: row.get(2)?,
                answers: row.get(3)?,
                conflicts: row.get(4)?,
                merged_at: row.get(5)?,
            })
        })
    }
}

const DATABASE: &str = "database";

/// Its row, its kind, and why it is invalidated, if it is.
pub(super) fn source_of(
    db: &Connection,
    name: &str,
) -> rusqlite::Result<Option<(i64, String, Option<String>)>> {
    let sql = "SELECT id, kind, why FROM source WHERE name = ?1";
    let mut query = db.prepare_cached(sql)?;
    query.query_row([name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()
}

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
            let profile = profile_from(row.get(2)?, &options, &kind, row.get(5)?);
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
