//! A foreign database to merge. Nothing in it is trusted, and nothing is written to it: rows of
//! plain tables are read, one by one, and what the program would not have written is left out, with
//! its reason. Here are its profiles and closing searches.

mod lists;
mod open;
mod roots;

use std::collections::BTreeMap;

use rusqlite::types::Value;
use rusqlite::{Row, params};

use deepanalyze_core::chess::{Game, epd_of};
use deepanalyze_core::printable::is_unprintable;
use deepanalyze_core::search::{Profile, check_answer};

use crate::analyses::{AnalysisRow, history_text};
use crate::closing::{
    ClosingShareRow, LOOK_COLUMNS, LOOKS, SecondLook, read_look, read_share, sharing,
};
use crate::error::StoreError;
use crate::memo::is_answer_as_written;
use crate::profiles::{canonical_options, limit_columns, profile_from};

use super::files::FileStamp;
use super::open::Store;
use super::settings;
use roots::unless_damaged;

pub use lists::{
    IncomingAnswer, IncomingList, IncomingLists, IncomingPart, is_repeatable, is_within_reach,
};

/// A foreign database.
#[derive(Debug)]
pub struct Incoming {
    pub(super) store: Store,
    /// The file's state when it was opened.
    stamp: FileStamp,
}

/// Why an answer is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhyLeft {
    /// The row was damaged.
    Damaged,
    /// Its position is invalid, not canonical, or a finished game.
    Position,
    /// Its rank does not follow the one before.
    Rank,
    /// The move is illegal, or listed before.
    Move,
    /// The line does not begin with the move.
    Line,
    /// No engine gives such a score, or searches this much.
    Number,
    /// Its own source was invalidated here.
    Invalidated,
    /// Its profile is invalid.
    Profile,
    /// It cannot be repeated: it used several threads or a kept hash.
    Unrepeatable,
    /// Its limit is too large for a check.
    Limit,
    /// It was searched without a move that is left out, or different here.
    Behind,
}

impl WhyLeft {
    /// Name in JSON and SQL.
    pub fn name(self) -> &'static str {
        match self {
            WhyLeft::Damaged => "damaged",
            WhyLeft::Position => "position",
            WhyLeft::Rank => "rank",
            WhyLeft::Move => "move",
            WhyLeft::Line => "line",
            WhyLeft::Number => "number",
            WhyLeft::Invalidated => "taken_back",
            WhyLeft::Profile => "profile",
            WhyLeft::Unrepeatable => "unrepeatable",
            WhyLeft::Limit => "limit",
            WhyLeft::Behind => "behind",
        }
    }

    /// Text for people, about several answers.
    pub fn words(self) -> &'static str {
        match self {
            WhyLeft::Damaged => "do not match their checksums",
            WhyLeft::Position => "are of positions that cannot be searched",
            WhyLeft::Rank => "have ranks with a gap before them",
            WhyLeft::Move => "have moves that are illegal or listed twice",
            WhyLeft::Line => "have lines that do not begin with their moves",
            WhyLeft::Number => "have numbers that no engine gives",
            WhyLeft::Invalidated => "come from a source that was removed here",
            WhyLeft::Profile => "are of engines that are not written down as the program does it",
            WhyLeft::Unrepeatable => {
                "were made with several threads, a kept hash or text options and cannot be repeated"
            }
            WhyLeft::Limit => {
                "were searched beyond depth 60 or 10,000,000,000 nodes, too much to search again"
            }
            WhyLeft::Behind => "stand behind one of these, or behind a conflict, in their lists",
        }
    }
}

/// Number of answers left out, by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOutCounts(BTreeMap<WhyLeft, u64>);

impl LeftOutCounts {
    /// Adds this many.
    pub fn add(&mut self, why: WhyLeft, count: u64) {
        if count > 0 {
            *self.0.entry(why).or_default() += count;
        }
    }

    /// Adds another part.
    pub fn join(&mut self, other: &LeftOutCounts) {
        other.0.iter().for_each(|(why, count)| self.add(*why, *count));
    }

    /// The reasons that occur, with their counts.
    pub fn each(&self) -> impl Iterator<Item = (WhyLeft, u64)> + '_ {
        self.0.iter().map(|(why, count)| (*why, *count))
    }

    /// The total.
    pub fn all(&self) -> u64 {
        self.0.values().sum()
    }
}

/// The longest name of an engine, and the longest text of its options, in bytes.
const LONGEST: [usize; 2] = [200, 4000];

/// The most profiles: trees on kept hashes have one each.
const MOST: u64 = 100_000;

/// A profile of another database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingProfile {
    /// Its row there.
    id: i64,
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
    if !is_name(&engine) || options.len() > LONGEST[1] || options.contains(is_unprintable) {
        return None;
    }
    let profile = profile_from(engine, options, limit.0, limit.1)?;
    let is_canonical = canonical_options(&profile) == options
        && limit_columns(profile.limit) == limit
        && limit.1 > 0;
    is_canonical.then_some(profile)
}

/// True for a text that an engine's name can be.
fn is_name(engine: &str) -> bool {
    let is_empty = engine.trim().is_empty();
    !is_empty && engine.len() <= LONGEST[0] && !engine.contains(is_unprintable)
}

/// Looks taken of one closing search at most.
const MOST_LOOKS: usize = 16;

/// A closing search of another database.
#[derive(Debug, Clone)]
pub struct IncomingClosing {
    /// Its columns behind start, history and profile, in the order of [`CLOSING_COLUMNS`].
    pub(crate) columns: Vec<Value>,
    /// True unless the clock ended it.
    pub(crate) is_limited: bool,
    /// The results of its engines.
    pub shares: Vec<ClosingShareRow>,
    /// Looks of second engines.
    pub looks: Vec<SecondLook>,
}

/// The columns of `closing` behind start, history and profile.
pub(crate) const CLOSING_COLUMNS: [&str; 6] =
    ["directives", "pass", "limit_kind", "limit_value", "engines", "created_at"];

impl Incoming {
    /// The closing searches at the root of an analysis whose trees differ from its tree only in
    /// progress; those with an invalid row are left out.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn closings(
        &self,
        row: &AnalysisRow,
        game: &Game,
    ) -> Result<Vec<IncomingClosing>, StoreError> {
        let wanted: Vec<String> =
            settings::COLUMNS.iter().map(|column| format!("{column} = ?")).collect();
        let sql = format!(
            "SELECT id, limit_kind IS NOT NULL, {} FROM closing
            WHERE start_epd = ? AND history = ? AND profile = ? AND {} ORDER BY id",
            CLOSING_COLUMNS.join(", "),
            wanted.join(" AND ")
        );
        let mut key: Vec<Value> =
            vec![epd_of(game.start()).into(), history_text(game).into(), row.profile_id.0.into()];
        key.extend(row.settings.values());
        let read = |row: &Row<'_>| {
            let columns = (2..2 + CLOSING_COLUMNS.len()).map(|column| row.get(column));
            let columns = columns.collect::<rusqlite::Result<Vec<Value>>>()?;
            Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?, columns))
        };
        let rows = self.store.rows(&sql, rusqlite::params_from_iter(key), read);
        let mut all = Vec::new();
        for (id, is_limited, columns) in unless_damaged(rows)?.unwrap_or_default() {
            let shares = unless_damaged(self.shares(id, game))?.flatten();
            let looks = unless_damaged(self.looks(id, game))?.unwrap_or_default();
            let whole = |shares| IncomingClosing { columns, is_limited, shares, looks };
            all.extend(shares.map(whole));
        }
        Ok(all)
    }

    /// Number of closing searches.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn closing_count(&self) -> Result<u64, StoreError> {
        self.store.only_row("SELECT count(*) FROM closing", [], |row| row.get(0))
    }

    /// `None` if one of them is impossible.
    fn shares(&self, id: i64, game: &Game) -> Result<Option<Vec<ClosingShareRow>>, StoreError> {
        let rows = self.store.rows(&sharing(), params![id], |row| {
            let is_sound = is_answer_as_written(row, 13)? == Some(true);
            Ok(read_share(row)?.filter(|_| is_sound))
        })?;
        let is_right =
            |share: &ClosingShareRow| check_answer(game.root(), &[], &share.answer).is_ok();
        let shares: Option<Vec<ClosingShareRow>> = rows.into_iter().collect();
        Ok(shares.filter(|shares| !shares.is_empty() && shares.iter().all(is_right)))
    }

    /// Without impossible ones.
    fn looks(&self, id: i64, game: &Game) -> Result<Vec<SecondLook>, StoreError> {
        let looks = self.store.rows(LOOKS, params![id], |row| {
            let is_sound = is_answer_as_written(row, LOOK_COLUMNS)? == Some(true);
            Ok(read_look(row)?.filter(|_| is_sound))
        })?;
        let is_right = |look: &SecondLook| {
            is_name(&look.engine) && check_answer(game.root(), &[], &look.answer).is_ok()
        };
        Ok(looks.into_iter().flatten().filter(is_right).take(MOST_LOOKS).collect())
    }
}

#[cfg(test)]
mod tests;
