//! What a run works with, pass after pass, and when it writes.

use std::time::{Duration, Instant};

use crate::engine::Pool;
use crate::store::{Store, StoreError};
use crate::tree::{Growth, Values};

use super::flight::Flight;
use super::foresight::Foresight;
use super::known::Known;
use super::ledger::Ledger;
use super::limits::Budget;
use super::progress::{BestLine, Observer};
use super::shutdown::Shutdown;

/// A tree's rows are written again once so many times the last writing's duration have passed: a
/// large tree's take a while.
const REST: u32 = 10;

/// How often a run that waits for the database says so: after so many vain tries, each of some
/// seconds.
const REMINDER: u32 = 60;

/// What a run works with.
pub struct Workshop<'a> {
    pub store: &'a mut Store,
    pub pool: &'a mut Pool,
    pub budget: &'a mut Budget,
    pub shutdown: &'a Shutdown,
    pub observer: &'a mut dyn Observer,
    pub target: u32,
    pub known: Known,
    pub flight: &'a mut Flight,
    /// None where engines are to wait rather than guess.
    pub foresight: Option<Foresight>,
    pub rows: Rows,
}

/// The tree's rows in the store, and when they were written.
pub struct Rows {
    ledger: Ledger,
    /// When they may be written again.
    rested: Instant,
}

impl Rows {
    /// The rows of a tree as they were read.
    pub fn new(ledger: Ledger) -> Rows {
        Rows { ledger, rested: Instant::now() }
    }

    /// Notes what the passes so far have made of the root.
    pub fn note(&mut self, growth: &Growth, best: Option<&BestLine>) {
        let first = best.and_then(|best| best.moves.first().map(|uci| (*uci, best.value)));
        self.ledger.note(growth, first);
    }

    fn write(
        &mut self,
        store: &mut Store,
        growth: &Growth,
        values: &Values,
    ) -> Result<(), StoreError> {
        let began = Instant::now();
        self.ledger.commit(store, growth, values)?;
        let took: Duration = began.elapsed();
        self.rested = Instant::now() + took * REST;
        Ok(())
    }
}

impl Workshop<'_> {
    /// Writes, and tries again for as long as another program keeps the database locked. Only a signal
    /// ends that: where a limit is reached, what was answered before still waits to be written.
    fn patiently(
        &mut self,
        write: impl Fn(&mut Self) -> Result<bool, StoreError>,
    ) -> Result<bool, StoreError> {
        for tries in 0_u32.. {
            match write(self) {
                Err(error) if error.is_busy() && self.shutdown.signals().is_empty() => {
                    if tries.is_multiple_of(REMINDER) {
                        self.observer.waiting(&error.to_string());
                    }
                }
                result => return result,
            }
        }
        Ok(false)
    }

    /// Writes the answers, then the rows of the tree that was made of them. `false` where another
    /// run has stored other answers: the tree in memory is void then.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn save(&mut self, growth: &Growth, values: &Values) -> Result<bool, StoreError> {
        if !self.save_answers()? {
            return Ok(false);
        }
        self.patiently(|shop| {
            if shop.rows.ledger.passes() != growth.passes() {
                shop.rows.write(shop.store, growth, values)?;
            }
            Ok(true)
        })
    }

    /// Writes the answers alone; `false` as above.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn save_answers(&mut self) -> Result<bool, StoreError> {
        self.patiently(|shop| shop.known.save(shop.store))
    }

    /// The same where it is time to.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn save_if_due(&mut self, growth: &Growth, values: &Values) -> Result<bool, StoreError> {
        let now = Instant::now();
        if self.known.due().is_none_or(|due| due > now) {
            return Ok(true);
        }
        if self.rows.rested <= now {
            return self.save(growth, values);
        }
        self.save_answers()
    }
}

#[cfg(all(test, unix))]
pub(super) mod tests {
    #![allow(clippy::unwrap_used, reason = "helpers of tests")]

    use std::cell::Cell;

    use shakmaty::Chess;

    use super::*;
    use crate::chess::Game;
    use crate::engine::mute_pool;
    use crate::session::grow::tests::Deaf;
    use crate::session::kept::load;
    use crate::session::limits::Limits;
    use crate::store::{AnalysisId, AnalysisKey};

    /// All that a workshop on the starting position borrows; its engines never answer.
    pub struct Bench {
        _folder: tempfile::TempDir,
        pub store: Store,
        pub pool: Pool,
        pub flight: Flight,
        budget: Budget,
        shutdown: Shutdown,
        observer: Deaf,
        analysis: AnalysisId,
    }

    impl Bench {
        pub fn new(limits: Limits) -> Bench {
            let folder = tempfile::tempdir().unwrap();
            let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
            let pool = mute_pool("a workshop");
            let game = Game::from_position(Chess::default());
            let profile = store.profile_id(pool.profile()).unwrap();
            let key = AnalysisKey { game: &game, profile, distance: 10 };
            Bench {
                analysis: store.open_analysis(key).unwrap(),
                store,
                pool,
                flight: Flight::default(),
                budget: Budget::new(limits),
                shutdown: Shutdown::never(),
                observer: Deaf,
                _folder: folder,
            }
        }

        pub fn shop(&mut self) -> (Workshop<'_>, Growth) {
            let tree = load(&self.store, self.analysis).unwrap();
            let shop = Workshop {
                known: Known::new(tree.row.profile_id),
                rows: Rows::new(Ledger::new(&tree)),
                store: &mut self.store,
                pool: &mut self.pool,
                budget: &mut self.budget,
                shutdown: &self.shutdown,
                observer: &mut self.observer,
                target: 2,
                flight: &mut self.flight,
                foresight: None,
            };
            (shop, tree.growth)
        }
    }

    #[test]
    fn what_is_answered_when_the_time_is_up_waits_for_a_locked_database() {
        let over = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let mut bench = Bench::new(over);
        let (mut shop, _) = bench.shop();
        let tries = Cell::new(0);
        let saved = shop.patiently(|_| {
            tries.set(tries.get() + 1);
            if tries.get() < 3 { Err(StoreError::locked()) } else { Ok(true) }
        });
        assert!(saved.unwrap());
        assert_eq!(tries.get(), 3);
    }
}
