//! What one engine searches of the root, and what it has come to.

use std::time::Duration;

use deepanalyze_core::search::{Answer, Limit, Search};
use deepanalyze_core::tree::RootShare;
use deepanalyze_engine::{LongEnd, LongSearch};
use deepanalyze_store::{ClosingShareRow, ProfileId, Store, StoreError};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

/// One engine's part of a closing search.
#[derive(Debug)]
pub struct ClosingShare {
    pub ticket: u64,
    number: u32,
    is_all: bool,
    /// The moves that others search, or nobody.
    elsewhere: Vec<UciMove>,
    /// What it would answer by now.
    pub best: Option<Answer>,
    /// Whether nothing more is heard of it.
    pub is_over: bool,
    /// Whether it has come to its end.
    is_done: bool,
    /// Whether something is not kept yet.
    is_new: bool,
}

impl ClosingShare {
    pub fn new(ticket: u64, share: &RootShare) -> ClosingShare {
        ClosingShare {
            ticket,
            number: share.number.0,
            is_all: share.all,
            elsewhere: share.elsewhere.clone(),
            best: None,
            is_over: false,
            is_done: false,
            is_new: false,
        }
    }

    /// What an engine is asked for it.
    pub fn search(
        &self,
        root: &Chess,
        end: LongEnd,
        (rehearsal, rehearsal_limit): (Vec<Chess>, Limit),
    ) -> LongSearch {
        let search = Search { position: root.clone(), excluded: self.elsewhere.clone() };
        LongSearch { search, end, rehearsal, rehearsal_limit }
    }

    /// It has come so far. An engine that begins again, in place of one that was lost, has come less far at first.
    pub fn iterated(&mut self, answer: Answer) {
        if self.best.as_ref().is_none_or(|best| best.nodes <= answer.nodes) {
            self.best = Some(answer);
            self.is_new = true;
        }
    }

    /// What it has come to does not count: it begins anew. Gives its number.
    pub fn retracted(&mut self) -> u32 {
        (self.best, self.is_new) = (None, false);
        self.number
    }

    /// It has come to its end. Behind a limit that is what counts, whatever an engine that was lost had come to.
    pub fn answered(&mut self, answer: Answer, is_limited: bool) {
        match is_limited {
            true => self.best = Some(answer),
            false => self.iterated(answer),
        }
        (self.is_done, self.is_over, self.is_new) = (true, true, self.best.is_some());
    }

    /// The clock has ended it: what it has come to is all.
    pub fn has_no_time_left(&mut self) {
        (self.is_done, self.is_new) = (true, self.best.is_some());
    }

    /// What is to be kept.
    pub fn take_new(&mut self) -> Option<ClosingShareRow> {
        let is_new = std::mem::take(&mut self.is_new);
        let answer = self.best.clone().filter(|_| is_new)?;
        let (number, is_all, is_done) = (self.number, self.is_all, self.is_done);
        Some(ClosingShareRow { number, is_all, answer, is_done })
    }
}

/// As much of a rehearsal as takes no longer than this, by what its searches took in the tree: its end, which has the
/// best lines.
pub fn affordable(
    store: &Store,
    profile: ProfileId,
    rehearsal: &[Chess],
    time: Duration,
) -> Result<Vec<Chess>, StoreError> {
    let (mut taken, mut from) = (Duration::ZERO, rehearsal.len());
    for (index, position) in rehearsal.iter().enumerate().rev() {
        let kept = store.kept_search(profile, position, 0)?;
        taken += kept.map_or(Duration::ZERO, |kept| kept.time);
        if taken > time {
            break;
        }
        from = index;
    }
    Ok(rehearsal.get(from..).unwrap_or_default().to_vec())
}
