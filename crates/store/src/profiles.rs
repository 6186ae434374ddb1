//! The rows of `profile`.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use serde_json::{Map, Value, json};

use deepanalyze_core::search::{KeptHash, Limit, Profile};

use super::error::StoreError;
use super::open::Store;

/// A row of `profile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProfileId(pub i64);

/// Key of the kept hash's contents among the options (`profile.options` in `migrations/schema.sql`).
const KEEP_HASH: &str = "keep-hash";

const FIND: &str = "SELECT id FROM profile
    WHERE engine = ?1 AND options = ?2 AND limit_kind = ?3 AND limit_value = ?4";

impl Store {
    /// The row of a profile, if any.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn find_profile(&self, profile: &Profile) -> Result<Option<ProfileId>, StoreError> {
        let options = canonical_options(profile);
        let (kind, value) = limit_columns(profile.limit);
        let row = params![profile.engine, options, kind, value];
        self.first_row(FIND, row, |row| row.get(0).map(ProfileId))
    }

    /// The profiles that differ from one at most by a greater limit of the same kind, the greatest first.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn profiles_from(&self, least: &Profile) -> Result<Vec<(ProfileId, Profile)>, StoreError> {
        let (kind, value) = limit_columns(least.limit);
        let sql = "SELECT id, limit_value FROM profile
            WHERE engine = ?1 AND options = ?2 AND limit_kind = ?3 AND limit_value >= ?4
            ORDER BY limit_value DESC";
        let options = canonical_options(least);
        let row = params![least.engine, options, kind, value];
        let rows = self.rows(sql, row, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let profile = |(id, value): (i64, i64)| {
            let profile = profile_from(least.engine.clone(), &options, kind, value)?;
            Some((ProfileId(id), profile))
        };
        Ok(rows.into_iter().filter_map(profile).collect())
    }

    /// The row of a profile, inserted if missing.
    pub fn profile_id(&mut self, profile: &Profile) -> Result<ProfileId, StoreError> {
        self.write(|write| ensure_profile(write, profile).map_err(write.named()))
    }
}

impl Store {
    /// All profiles by row, with the number of answers of each; without unreadable ones.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn counted_profiles(&self) -> Result<BTreeMap<i64, (Profile, u64)>, StoreError> {
        let sql = "SELECT id, engine, options, limit_kind, limit_value,
                (SELECT count(*) FROM answer WHERE answer.profile = profile.id)
            FROM profile";
        let rows = self.rows(sql, [], |row| {
            let (options, kind): (String, String) = (row.get(2)?, row.get(3)?);
            let profile = profile_from(row.get(1)?, &options, &kind, row.get(4)?);
            Ok((row.get(0)?, profile, row.get(5)?))
        })?;
        let read =
            |(id, profile, count): (i64, Option<Profile>, u64)| Some((id, (profile?, count)));
        Ok(rows.into_iter().filter_map(read).collect())
    }
}

/// The row of a profile, inserted if missing.
pub(super) fn ensure_profile(write: &Connection, profile: &Profile) -> rusqlite::Result<ProfileId> {
    let options = canonical_options(profile);
    let (kind, value) = limit_columns(profile.limit);
    let row = params![profile.engine, options, kind, value];
    let insert = "INSERT INTO profile (engine, options, limit_kind, limit_value)
        VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
    write.execute(insert, row)?;
    write.query_row(FIND, row, |row| row.get(0).map(ProfileId))
}

/// The options as a JSON object with sorted keys and no blanks, including a kept hash.
pub(super) fn canonical_options(profile: &Profile) -> String {
    let text = |(name, value): (&String, &String)| (name.clone(), Value::from(value.as_str()));
    let mut options: Vec<(String, Value)> = profile.options.iter().map(text).collect();
    options.extend(profile.kept_hash.as_ref().map(|kept| (KEEP_HASH.to_owned(), json_of(kept))));
    options.sort_by(|one, other| one.0.cmp(&other.0));
    Value::Object(Map::from_iter(options)).to_string()
}

fn json_of(kept: &KeptHash) -> Value {
    match kept {
        KeptHash::Unknown => Value::Bool(true),
        KeptHash::Of(contents) => json!(contents),
    }
}

/// The profile from its columns; `None` unless in canonical form.
pub(super) fn profile_from(
    engine: String,
    options: &str,
    kind: &str,
    value: i64,
) -> Option<Profile> {
    let mut options: Map<String, Value> = serde_json::from_str(options).ok()?;
    let kept_hash = match options.remove(KEEP_HASH) {
        None => None,
        Some(Value::Bool(true)) => Some(KeptHash::Unknown),
        Some(contents) => Some(KeptHash::Of(serde_json::from_value(contents).ok()?)),
    };
    let text = |(name, value): (String, Value)| Some((name, value.as_str()?.to_owned()));
    let options = options.into_iter().map(text).collect::<Option<_>>()?;
    Some(Profile { engine, options, limit: limit_from(kind, value)?, kept_hash })
}

pub(super) fn limit_columns(limit: Limit) -> (&'static str, i64) {
    match limit {
        Limit::Depth(depth) => ("depth", i64::from(depth)),
        Limit::Nodes(nodes) => ("nodes", i64::try_from(nodes).unwrap_or(i64::MAX)),
    }
}

pub(super) fn limit_from(kind: &str, value: i64) -> Option<Limit> {
    match kind {
        "depth" => u32::try_from(value).ok().map(Limit::Depth),
        "nodes" => u64::try_from(value).ok().map(Limit::Nodes),
        _ => None,
    }
}
