//! What is no run's: answers whose run is gone, which cost engine time and are kept as those of any run, and
//! workers that are found wrong, whose answers are taken back.

use std::path::Path;

use crossbeam_channel::Receiver;

use crate::engine::{Orphan, Unclaimed};
use crate::run::lists::Lists;
use crate::search::{Profile, WorkerId};
use crate::store::{Store, StoreError, TakenBack};

/// How often it is tried to write an answer to a database that another program keeps locked; each try takes some
/// seconds.
const TRIES: u32 = 60;

/// Keeps such answers, and takes such workers' back, until no more come of the engines, which are told to end at
/// some moment. Tells when trees were emptied.
pub fn keep_orphans(
    path: &Path,
    profile: &Profile,
    unclaimed: &Receiver<Unclaimed>,
    is_ending: impl Fn() -> bool,
    are_emptied: impl Fn(),
) {
    for unclaimed in unclaimed {
        let done = match &unclaimed {
            Unclaimed::Answer(orphan) => patiently(|| keep(path, profile, orphan), &is_ending),
            Unclaimed::Disbelieved { worker, why } => {
                let emptied = patiently(|| take_back(path, worker, why), &is_ending);
                emptied.map(|trees| {
                    if trees > 0 {
                        are_emptied()
                    }
                })
            }
        };
        if let Err(error) = done {
            tracing::warn!(%error, "an answer is not kept, or not taken back");
        }
    }
}

/// Takes back what a worker gave; gives how many trees are empty now.
fn take_back(path: &Path, worker: &WorkerId, why: &str) -> Result<u64, StoreError> {
    let taken = Store::open(path)?.take_back(worker, why)?;
    Ok(taken.map_or(0, |TakenBack { answers, trees }| {
        tracing::warn!(%worker, answers, trees, "taken back");
        trees
    }))
}

/// Tries to write while another program keeps the database locked; once more after the engines were told to end.
fn patiently<T>(
    mut keep: impl FnMut() -> Result<T, StoreError>,
    is_ending: impl Fn() -> bool,
) -> Result<T, StoreError> {
    for _ in 1..TRIES {
        if is_ending() {
            break;
        }
        match keep() {
            Err(error) if error.is_busy() => {}
            result => return result,
        }
    }
    keep()
}

/// Keeps an answer, unless the list has grown otherwise since the search began.
fn keep(path: &Path, profile: &Profile, orphan: &Orphan) -> Result<(), StoreError> {
    // An answer at a hash that is kept depends on all searches before it, and nobody knows them.
    if orphan.keep_hash {
        return Ok(());
    }
    let mut store = Store::open(path)?;
    let profile = Profile { limit: orphan.limit, kept_hash: None, ..profile.clone() };
    let mut lists = Lists::new(store.profile_id(&profile)?);
    let (search, given) = (&orphan.search, (orphan.answer.clone(), orphan.worker.clone()));
    let now = std::time::Instant::now();
    lists.take(&store, &search.position, &search.excluded, given, now)?;
    lists.save(&mut store).map(drop)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_locked_database_is_tried_again_and_once_more_after_the_end() {
        let tries = Cell::new(0);
        let locked = || -> Result<(), StoreError> {
            tries.set(tries.get() + 1);
            Err(StoreError::locked())
        };
        assert!(patiently(locked, || tries.get() == 3).is_err());
        assert_eq!(tries.replace(0), 4);
        assert!(patiently(locked, || false).is_err());
        assert_eq!(tries.replace(0), TRIES);
        let free_at_last = || if tries.get() < 2 { locked() } else { Ok(()) };
        assert!(patiently(free_at_last, || false).is_ok());
    }
}
