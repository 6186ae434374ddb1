//! One engine's part of the root search, and its result.

use deepanalyze_core::search::{Answer, Search};
use deepanalyze_core::tree::RootShare;
use deepanalyze_engine::{LongEnd, LongSearch};
use deepanalyze_store::ClosingShareRow;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

/// One engine's part of a closing search.
#[derive(Debug)]
pub struct ClosingShare {
    pub ticket: u64,
    number: u32,
    is_all: bool,
    /// Engines whose threads it has.
    pub threads: usize,
    /// The moves outside this share.
    elsewhere: Vec<UciMove>,
    /// Its best answer so far.
    pub best: Option<Answer>,
    /// True if no more events follow.
    pub is_over: bool,
    /// True if it has come to its end.
    is_done: bool,
    /// True if something is unsaved.
    is_new: bool,
}

impl ClosingShare {
    pub fn new(ticket: u64, share: &RootShare) -> ClosingShare {
        ClosingShare {
            ticket,
            number: share.number.0,
            is_all: share.all,
            threads: share.threads,
            elsewhere: share.elsewhere.clone(),
            best: None,
            is_over: false,
            is_done: false,
            is_new: false,
        }
    }

    /// The search for an engine.
    pub fn search(&self, root: &Chess, end: LongEnd) -> LongSearch {
        let search = Search { position: root.clone(), excluded: self.elsewhere.clone() };
        LongSearch { search, end, threads: self.threads }
    }

    /// Takes an iteration. An engine that replaces a lost one starts again from less.
    pub fn iterated(&mut self, answer: Answer) {
        if self.best.as_ref().is_none_or(|best| best.nodes <= answer.nodes) {
            self.best = Some(answer);
            self.is_new = true;
        }
    }

    /// Discards its result, as it begins anew; returns its number.
    pub fn retracted(&mut self) -> u32 {
        (self.best, self.is_new) = (None, false);
        self.number
    }

    /// Takes the final answer. Under a limit it counts, whatever a lost engine had found.
    pub fn answered(&mut self, answer: Answer, is_limited: bool) {
        if is_limited {
            self.best = Some(answer)
        } else {
            self.iterated(answer)
        }
        (self.is_done, self.is_over, self.is_new) = (true, true, self.best.is_some());
    }

    /// Ends it by the clock: the result so far is final.
    pub fn has_no_time_left(&mut self) {
        (self.is_done, self.is_new) = (true, self.best.is_some());
    }

    /// The row to store.
    pub fn take_new(&mut self) -> Option<ClosingShareRow> {
        let is_new = std::mem::take(&mut self.is_new);
        let answer = self.best.clone().filter(|_| is_new)?;
        let (number, is_all, is_done) = (self.number, self.is_all, self.is_done);
        Some(ClosingShareRow { number, is_all, answer, is_done })
    }
}
