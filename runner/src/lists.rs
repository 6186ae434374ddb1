//! The lists of positions in memory, and the answers among them that are not yet durable.

use std::time::{Duration, Instant};

use hashbrown::HashMap;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::search::{Answer, WorkerId};
use deepanalyze_store::{ListedAnswer, NewAnswer, ProfileId, Store, StoreError};

/// Positions that a run alone keeps in memory; beyond, the memo is asked again.
const CAPACITY: usize = 50_000;

/// How long an answer may wait for others to be written with it. One commit takes about
/// a millisecond, whatever is in it.
pub const GROUPING: Duration = Duration::from_millis(4);

/// An answer that is not yet in the file.
#[derive(Debug)]
struct Unsaved {
    position: Chess,
    excluded: Vec<UciMove>,
    answer: Answer,
    worker: Option<WorkerId>,
}

/// Lists in memory: what the memo had when it was asked, and what engines have said since.
#[derive(Debug)]
pub struct Lists {
    profile: ProfileId,
    lists: HashMap<PositionKey, Vec<ListedAnswer>>,
    unsaved: Vec<Unsaved>,
    /// How much of a list is lists to be the memo's, where not all of it is.
    stored: HashMap<PositionKey, usize>,
    /// When the first of the unsaved answers came.
    since: Option<Instant>,
}

impl Lists {
    /// Nothing but what the memo has.
    pub fn new(profile: ProfileId) -> Lists {
        Lists {
            profile,
            lists: HashMap::new(),
            unsaved: Vec::new(),
            stored: HashMap::new(),
            since: None,
        }
    }

    /// The list of a position.
    pub fn list(&mut self, store: &Store, position: &Chess) -> Result<&[ListedAnswer], StoreError> {
        let key = PositionKey::of(position);
        if !self.lists.contains_key(&key) {
            let list = read_on(store, self.profile, position, Vec::new())?;
            if self.lists.len() >= store.share_of(CAPACITY) && self.unsaved.is_empty() {
                self.lists = HashMap::new();
            }
            self.lists.insert(key, list);
        }
        Ok(self.lists.get(&key).map_or(&[], Vec::as_slice))
    }

    /// Adds to a list what other runs have stored behind it in the meantime. Behind an unsaved answer that is
    /// only done where another run has stored the same one: an engine may answer otherwise the next time,
    /// and then the ranks behind the other run's answer were searched without that one, and go on from a
    /// list that is not this one. [`Lists::save`] settles whose list counts.
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

    /// Takes what an engine, or the worker of a fleet, said just now of a position with these moves excluded, to be
    /// written soon. An answer to a list that is not what it was then is dropped: `false`.
    pub fn take(
        &mut self,
        store: &Store,
        position: &Chess,
        excluded: &[UciMove],
        (answer, worker): (Answer, Option<WorkerId>),
        now: Instant,
    ) -> Result<bool, StoreError> {
        // The list may have been forgotten while the engine searched.
        let list = self.list(store, position)?;
        if !list.iter().map(|answer| &answer.uci).eq(excluded) {
            return Ok(false);
        }
        let said = ListedAnswer { uci: answer.best, score: answer.score };
        let (key, rank) = (PositionKey::of(position), excluded.len());
        self.lists.entry(key).or_default().push(said);
        self.stored.entry(key).or_insert(rank);
        let (position, excluded) = (position.clone(), excluded.to_vec());
        self.unsaved.push(Unsaved { position, excluded, answer, worker });
        self.since.get_or_insert(now);
        Ok(true)
    }

    /// When the unsaved answers are to be written.
    pub fn due(&self) -> Option<Instant> {
        self.since.map(|since| since + GROUPING)
    }

    /// Forgets all that is in the memo: some of it was taken back.
    pub fn forget(&mut self) {
        if self.unsaved.is_empty() {
            self.lists.clear();
        }
    }

    /// Writes the unsaved answers, durable when this returns. Where another run has written
    /// a different answer of a rank before, that one counts, and this run's lists are wrong; so they are where
    /// answers were taken back: `false`, and all that was known is forgotten.
    ///
    /// # Errors
    ///
    /// The answers stay unsaved then.
    pub fn save(&mut self, store: &mut Store) -> Result<bool, StoreError> {
        if self.unsaved.is_empty() {
            return Ok(true);
        }
        let rows: Vec<NewAnswer<'_>> = self.unsaved.iter().map(Unsaved::row).collect();
        let mine = store.keep(self.profile, &rows)?;
        self.unsaved.clear();
        self.stored.clear();
        self.since = None;
        if !mine {
            self.lists.clear();
        }
        Ok(mine)
    }
}

impl Unsaved {
    fn row(&self) -> NewAnswer<'_> {
        NewAnswer {
            position: &self.position,
            excluded: &self.excluded,
            answer: &self.answer,
            worker: self.worker.as_ref(),
        }
    }
}

/// A list with the ranks behind it that the memo has.
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
    use deepanalyze_core::search::{Limit, Profile};
    use std::collections::BTreeMap;

    #[test]
    fn an_answer_is_kept_though_its_list_was_forgotten_while_the_engine_searched() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let engine = "Some".to_owned();
        let (options, limit) = (BTreeMap::new(), Limit::Depth(1));
        let profile = Profile { engine, options, limit, kept_hash: None };
        let profile = store.profile_id(&profile).unwrap();
        let answer = |best: &str| Answer {
            best: parse_uci(best).unwrap(),
            score: Score::Cp(1),
            depth: 1,
            seldepth: 1,
            nodes: 1,
            time: Duration::ZERO,
            pv: vec![parse_uci(best).unwrap()],
        };
        let (start, first) = (Chess::default(), answer("e2e4"));
        let (mut lists, now) = (Lists::new(profile), Instant::now());
        assert!(lists.take(&store, &start, &[], (first.clone(), None), now).unwrap());
        assert!(lists.save(&mut store).unwrap());
        let mut forgetful = Lists::new(profile);
        assert!(
            !forgetful.take(&store, &start, &[], (answer("d2d4"), None), now).unwrap(),
            "another's rank"
        );
        let second = (answer("d2d4"), None);
        assert!(forgetful.take(&store, &start, &[first.best], second, now).unwrap());
        assert_eq!(forgetful.list(&store, &start).unwrap().len(), 2);
    }
}
