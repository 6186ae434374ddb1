//! The lists of positions in memory, and their answers that are not yet durable.

use std::time::{Duration, Instant};

use hashbrown::HashMap;
use shakmaty::Chess;

use deepanalyze_core::chess::PositionKey;
use deepanalyze_store::{ListedAnswer, NewAnswer, ProfileId, Store, StoreError, WriteTicket};

/// Positions that one run keeps in memory; beyond, the memo is asked again.
const CAPACITY: usize = 50_000;

/// The longest wait of an answer for others in its commit. One commit takes about a millisecond,
/// whatever its size.
pub const GROUPING: Duration = Duration::from_millis(4);

/// Lists in memory: the memo's when it was asked, and new answers of engines.
#[derive(Debug)]
pub struct AnswerLists {
    profile: ProfileId,
    lists: HashMap<PositionKey, Vec<ListedAnswer>>,
    /// Answers not yet given to the writer.
    unsaved: Vec<NewAnswer>,
    /// When the first of them came.
    since: Option<Instant>,
    /// Writes given whose results are not yet known.
    given: Vec<WriteTicket<bool>>,
    /// When the last of them was given.
    given_at: Option<Instant>,
    /// The length of a list that is surely the memo's, if not all of it is.
    stored: HashMap<PositionKey, usize>,
}

impl AnswerLists {
    /// Nothing beyond the memo.
    pub fn new(profile: ProfileId) -> AnswerLists {
        AnswerLists {
            profile,
            lists: HashMap::new(),
            unsaved: Vec::new(),
            since: None,
            given: Vec::new(),
            given_at: None,
            stored: HashMap::new(),
        }
    }

    /// The list of a position.
    pub fn list(&mut self, store: &Store, position: &Chess) -> Result<&[ListedAnswer], StoreError> {
        let key = PositionKey::of(position);
        if !self.lists.contains_key(&key) {
            let list = read_on(store, self.profile, position, Vec::new())?;
            if self.lists.len() >= store.share_of(CAPACITY) && self.is_saved() {
                self.lists = HashMap::new();
            }
            self.lists.insert(key, list);
        }
        Ok(self.lists.get(&key).map_or(&[], Vec::as_slice))
    }

    /// Adds to a list what other runs have stored behind it in the meantime; behind an unsaved
    /// answer only if another run has stored the same one: an engine may answer otherwise the next
    /// time, and then the ranks behind the other run's answer were searched without that one, and
    /// continue another list. [`AnswerLists::save`] settles whose list counts.
    pub fn refresh(&mut self, store: &Store, position: &Chess) -> Result<(), StoreError> {
        let key = PositionKey::of(position);
        let list = self.lists.entry(key).or_default();
        let stored = self.stored.get(&key).copied().unwrap_or(list.len());
        for (rank, answer) in list.iter().enumerate().skip(stored) {
            if store.answer(self.profile, position, rank)? != Some(*answer) {
                return Ok(());
            }
        }
        *list = read_on(store, self.profile, position, std::mem::take(list))?;
        Ok(())
    }

    /// Takes a new answer of an engine, or the worker of a fleet, for a position with some moves
    /// excluded, to be written soon. `false` if the list has changed since: the answer is dropped.
    pub fn take(
        &mut self,
        store: &Store,
        new: NewAnswer,
        now: Instant,
    ) -> Result<bool, StoreError> {
        // The list may have been forgotten while the engine searched.
        let list = self.list(store, &new.position)?;
        if !list.iter().map(|answer| &answer.uci).eq(&new.excluded) {
            return Ok(false);
        }
        let said = ListedAnswer { uci: new.answer.best, score: new.answer.score };
        let key = PositionKey::of(&new.position);
        self.lists.entry(key).or_default().push(said);
        self.stored.entry(key).or_insert(new.excluded.len());
        self.unsaved.push(new);
        self.since.get_or_insert(now);
        Ok(true)
    }

    /// When to give answers to the writer, or to ask for its results.
    pub fn due(&self) -> Option<Instant> {
        self.since.or(self.given_at).map(|since| since + GROUPING)
    }

    /// Forgets all in the memo: some of it was invalidated.
    pub fn forget(&mut self) {
        if self.is_saved() {
            self.lists.clear();
        }
    }

    /// Gives unsaved answers to the writer without waiting.
    pub fn give(&mut self, store: &Store, now: Instant) {
        if self.unsaved.is_empty() {
            return;
        }
        let answers = std::mem::take(&mut self.unsaved);
        self.given.push(store.keep_soon(self.profile, answers));
        (self.since, self.given_at) = (None, Some(now));
    }

    /// Makes the answers given to the writer durable. `false` if another run has written a
    /// different answer of a rank before, which counts, or if answers were invalidated: this run's
    /// lists are wrong, and all are forgotten.
    ///
    /// # Errors
    ///
    /// The given answers are lost.
    pub fn settle(&mut self) -> Result<bool, StoreError> {
        self.given_at = None;
        let mut mine = true;
        for ticket in std::mem::take(&mut self.given) {
            mine &= ticket.wait()?;
        }
        self.stored.clear();
        for new in &self.unsaved {
            self.stored.entry(PositionKey::of(&new.position)).or_insert(new.excluded.len());
        }
        if !mine {
            self.lists.clear();
        }
        Ok(mine)
    }

    /// Settles all answers taken.
    ///
    /// # Errors
    ///
    /// Answers not given to the writer then stay unsaved.
    pub fn save(&mut self, store: &Store) -> Result<bool, StoreError> {
        let settled = self.settle()?;
        if self.unsaved.is_empty() {
            return Ok(settled);
        }
        let mine = store.keep(self.profile, &self.unsaved)? && settled;
        self.unsaved.clear();
        self.stored.clear();
        self.since = None;
        if !mine {
            self.lists.clear();
        }
        Ok(mine)
    }

    fn is_saved(&self) -> bool {
        self.unsaved.is_empty() && self.given.is_empty()
    }
}

/// A list extended by the memo's later ranks.
fn read_on(
    store: &Store,
    profile: ProfileId,
    position: &Chess,
    mut list: Vec<ListedAnswer>,
) -> Result<Vec<ListedAnswer>, StoreError> {
    while let Some(answer) = store.answer(profile, position, list.len())? {
        list.push(answer);
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::{Score, parse_uci};
    use deepanalyze_core::search::{Answer, Limit, Profile};
    use shakmaty::uci::UciMove;
    use std::collections::BTreeMap;

    #[test]
    fn answer_is_kept_though_its_list_was_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let engine = "Some".to_owned();
        let (options, limit) = (BTreeMap::new(), Limit::Depth(1));
        let profile = Profile { engine, options, limit, kept_hash: None };
        let profile = store.profile_id(&profile).unwrap();
        let answer = |best: &str| Answer {
            best: parse_uci(best).unwrap(),
            score: Score::Cp(1),
            wdl: None,
            depth: 1,
            seldepth: 1,
            nodes: 1,
            time: Duration::ZERO,
            pv: vec![parse_uci(best).unwrap()],
        };
        let new = |best: &str, excluded: &[UciMove]| NewAnswer {
            position: Chess::default(),
            excluded: excluded.to_vec(),
            answer: answer(best),
            worker: None,
        };
        let (mut lists, now) = (AnswerLists::new(profile), Instant::now());
        let start = Chess::default();
        assert!(lists.take(&store, new("e2e4", &[]), now).unwrap());
        assert!(lists.save(&store).unwrap());
        let mut forgetful = AnswerLists::new(profile);
        let anothers = forgetful.take(&store, new("d2d4", &[]), now).unwrap();
        assert!(!anothers, "another's rank");
        let first = parse_uci("e2e4").unwrap();
        assert!(forgetful.take(&store, new("d2d4", &[first]), now).unwrap());
        assert_eq!(forgetful.list(&store, &start).unwrap().len(), 2);
    }
}
