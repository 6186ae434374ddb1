//! Lists of another database compared with ours: common, different and new answers.

use rusqlite::{Connection, params};
use shakmaty::uci::UciMove;

use deepanalyze_core::search::Profile;

use super::records::{MergeId, SourceId};
use crate::answers::{AnswerKey, AnswerRow};
use crate::error::StoreError;
use crate::incoming::IncomingList;
use crate::memo::{ListedAnswer, index, listed, now, score_columns};
use crate::open::Store;
use crate::profiles::{ProfileId, ensure_profile};
use crate::writer::{Write, WriteTicket};

/// A list of another database compared with ours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ListCompared {
    /// Length of the common beginning.
    pub same: usize,
    /// Our answer at the first difference; `None` if one list continues the other.
    pub conflict: Option<ListedAnswer>,
}

/// Result of joining lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Joined {
    /// Answers that were here before.
    pub same: u64,
    /// Answers that were added.
    pub new: u64,
    /// Answers that differ here.
    pub conflicts: u64,
    /// Answers behind those.
    pub behind: u64,
}

impl ListCompared {
    /// New answers of a list of this length.
    pub fn new_of(&self, length: usize) -> usize {
        if self.conflict.is_some() { 0 } else { length.saturating_sub(self.same) }
    }

    /// Result for a list of this length.
    pub fn joined(&self, length: usize) -> Joined {
        let (same, new) = (self.same, self.new_of(length));
        let conflicts = usize::from(self.conflict.is_some());
        let behind = length.saturating_sub(same + new + conflicts);
        let [same, new, conflicts, behind] = [same, new, conflicts, behind].map(|n| n as u64);
        Joined { same, new, conflicts, behind }
    }
}

impl std::ops::AddAssign for Joined {
    fn add_assign(&mut self, other: Joined) {
        self.same += other.same;
        self.new += other.new;
        self.conflicts += other.conflicts;
        self.behind += other.behind;
    }
}

impl Store {
    /// Compares a list with ours.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn compare_list(
        &self,
        profile: Option<ProfileId>,
        list: &IncomingList,
    ) -> Result<ListCompared, StoreError> {
        let Some(profile) = profile else { return Ok(ListCompared::default()) };
        let Some(position) = self.row_of(&list.position)? else {
            return Ok(ListCompared::default());
        };
        compared(&self.db, profile.0, position, list).map_err(StoreError::sqlite(&self.path))
    }

    /// Appends lists of a profile to ours, in one transaction of the writing thread. If an answer
    /// differs here, ours stays, and the other is noted as a conflict. The ticket returns the
    /// result once durable; nothing is stored after an error.
    pub fn join_lists_soon(
        &self,
        merge: MergeId,
        source: SourceId,
        profile: &Profile,
        lists: Vec<IncomingList>,
    ) -> WriteTicket<Joined> {
        let profile = profile.clone();
        self.writer.write_soon(&self.patience, move |write| {
            let join = || -> rusqlite::Result<Joined> {
                let profile = ensure_profile(write, &profile)?;
                let mut joined = Joined::default();
                for list in &lists {
                    joined += join_list(write, profile.0, source, list)?;
                }
                let count = "UPDATE merge SET answers = answers + ?2 WHERE id = ?1";
                write.prepare_cached(count)?.execute(params![merge.0, joined.new])?;
                Ok(joined)
            };
            join().map_err(write.named())
        })
    }
}

fn join_list(
    write: &Write<'_>,
    profile: i64,
    source: SourceId,
    list: &IncomingList,
) -> rusqlite::Result<Joined> {
    let position = write.row_of(&list.position)?;
    let found = compared(write, profile, position, list)?;
    let new = found.new_of(list.answers.len());
    for (rank, incoming) in list.answers.iter().enumerate().skip(found.same).take(new) {
        let key = AnswerKey { profile, position, rank: Some(index(rank)) };
        let row = AnswerRow::of(key, &incoming.answer, incoming.created_at);
        // The move is legal: the list has been checked.
        if let Ok(m) = incoming.answer.best.to_move(&list.position) {
            let child = write.row_behind(&list.position, m)?;
            row.insert(write, child, Some(source.0))?;
        }
    }
    if found.conflict.is_some() {
        note_conflict(write, profile, position, source, found.same, list)?;
    }
    Ok(found.joined(list.answers.len()))
}

fn note_conflict(
    write: &Write<'_>,
    profile: i64,
    position: i64,
    source: SourceId,
    rank: usize,
    list: &IncomingList,
) -> rusqlite::Result<()> {
    let Some(theirs) = list.answers.get(rank) else { return Ok(()) };
    let sql = "INSERT INTO conflict (profile, position, rank, source, move, cp, mate, noted_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING";
    let (cp, mate) = score_columns(theirs.answer.score);
    let uci = theirs.answer.best.to_string();
    let row = params![profile, position, index(rank), source.0, uci, cp, mate, now()];
    write.prepare_cached(sql)?.execute(row).map(drop)
}

fn compared(
    db: &Connection,
    profile: i64,
    position: i64,
    list: &IncomingList,
) -> rusqlite::Result<ListCompared> {
    let sql = "SELECT move, cp, mate FROM answer
        WHERE profile = ?1 AND position = ?2 ORDER BY rank";
    let mut query = db.prepare_cached(sql)?;
    let mut own = query.query([profile, position])?;
    let mut found = ListCompared::default();
    for theirs in &list.answers {
        let Some(row) = own.next()? else { break };
        let uci: String = row.get(0)?;
        let ours = listed(&uci, row.get(1)?, row.get(2)?);
        let said = ListedAnswer { uci: theirs.answer.best, score: theirs.answer.score };
        if ours != Some(said) {
            found.conflict = Some(ours.unwrap_or(NOTHING));
            break;
        }
        found.same += 1;
    }
    Ok(found)
}

/// Stands for an unreadable row of ours: it stays, too.
const NOTHING: ListedAnswer =
    ListedAnswer { uci: UciMove::Null, score: deepanalyze_core::chess::Score::Cp(0) };
