//! Whose answers: the rows of `profile`.

use rusqlite::params;
use serde_json::{Map, Value, json};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::epd_of;
use deepanalyze_core::search::{KeptHash, Limit, Profile};

use super::error::StoreError;
use super::memo::{PricedAnswer, listed, moves_of};
use super::open::Store;

/// A row of `profile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProfileId(pub i64);

/// What stands among the options for what a kept hash holds (`profile.options` in `migrations/01-first`).
const KEEP_HASH: &str = "keep-hash";

const FIND: &str = "SELECT id FROM profile
    WHERE engine = ?1 AND options = ?2 AND limit_kind = ?3 AND limit_value = ?4";

impl Store {
    /// The row of a profile, where there is one.
    ///
    /// # Errors
    ///
    /// Where the database fails.
    pub fn find_profile(&self, profile: &Profile) -> Result<Option<ProfileId>, StoreError> {
        let options = canonical_options(profile);
        let (kind, value) = limit_columns(profile.limit);
        let row = params![profile.engine, options, kind, value];
        self.first_row(FIND, row, |row| row.get(0).map(ProfileId))
    }

    /// The row of a profile, a new one where there is none.
    pub fn profile_id(&mut self, profile: &Profile) -> Result<ProfileId, StoreError> {
        let options = canonical_options(profile);
        let (kind, value) = limit_columns(profile.limit);
        let row = params![profile.engine, options, kind, value];
        let insert = "INSERT INTO profile (engine, options, limit_kind, limit_value)
            VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
        self.write(|write| {
            write.execute(insert, row).map_err(write.named())?;
            let id = write.query_row(FIND, row, |row| row.get(0)).map_err(write.named())?;
            Ok(ProfileId(id))
        })
    }
}

/// The options as a JSON object with sorted keys and no blanks, with what a kept hash holds among them.
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

/// The profile from its columns; nothing where they are not as the program writes them.
pub(super) fn profile_from(
    engine: String,
    options: &str,
    (kind, value): (&str, i64),
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

fn limit_columns(limit: Limit) -> (&'static str, i64) {
    match limit {
        Limit::Depth(depth) => ("depth", i64::from(depth)),
        Limit::Nodes(nodes) => ("nodes", i64::try_from(nodes).unwrap_or(i64::MAX)),
    }
}

fn limit_from(kind: &str, value: i64) -> Option<Limit> {
    match kind {
        "depth" => u32::try_from(value).ok().map(Limit::Depth),
        "nodes" => u64::try_from(value).ok().map(Limit::Nodes),
        _ => None,
    }
}

/// An answer on a hash of known contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerOnKeptHash {
    /// Whose it is.
    pub profile: Profile,
    /// The answer.
    pub priced: PricedAnswer,
    /// The principal variation, as far as it can be read.
    pub pv: Vec<UciMove>,
}

impl Store {
    /// The answers of rank 0 of a position that an engine of this name has given on hashes of known contents,
    /// the oldest profile first.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`] where one of them, or its profile, cannot be read.
    pub fn answers_on_kept_hash(
        &self,
        engine: &str,
        position: &Chess,
    ) -> Result<Vec<AnswerOnKeptHash>, StoreError> {
        let sql = "SELECT options, limit_kind, limit_value, move, cp, mate, nodes, pv
            FROM position
            JOIN search ON search.position = position.id AND search.rank = 0
            JOIN profile ON profile.id = search.profile
            WHERE epd = ?1 AND engine = ?2 AND json_valid(options)
                AND json_type(options, '$.\"keep-hash\"') = 'object'
            ORDER BY profile.id";
        let epd = epd_of(position);
        let rows = self.rows(sql, params![epd, engine], |row| {
            let options: String = row.get(0)?;
            let (kind, value): (String, i64) = (row.get(1)?, row.get(2)?);
            let uci: String = row.get(3)?;
            let profile = profile_from(engine.to_owned(), &options, (&kind, value));
            let answer = listed(&uci, row.get(4)?, row.get(5)?);
            let answer = answer.filter(|answer| answer.uci.to_move(position).is_ok());
            let nodes = u64::try_from(row.get::<_, i64>(6)?).ok();
            let priced = answer.zip(nodes).map(|(answer, nodes)| PricedAnswer { answer, nodes });
            let pv = moves_of(&row.get::<_, String>(7)?);
            let read = |(profile, priced)| AnswerOnKeptHash { profile, priced, pv };
            Ok(profile.zip(priced).map(read))
        });
        let damaged = || self.damaged(format!("an answer in {epd} on a kept hash, or its profile"));
        rows?.into_iter().map(|row| row.ok_or_else(damaged)).collect()
    }
}
