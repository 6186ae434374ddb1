//! What is no run's: answers whose run is gone, which cost engine time and are kept as those of any run, and
//! workers that are found wrong, whose answers are taken back.

use std::path::Path;

use crossbeam_channel::Receiver;

use deepanalyze_core::search::{Profile, Search, WorkerId};
use deepanalyze_engine::{Orphan, Unclaimed};
use deepanalyze_store::{NewAnswer, Patience, Store, StoreError, TakenBack};

/// Keeps such answers, and takes such workers' back, until no more come of the engines. Tells when trees were
/// emptied.
pub fn keep_orphans(
    path: &Path,
    profile: &Profile,
    unclaimed: &Receiver<Unclaimed>,
    patience: &Patience,
    are_emptied: impl Fn(),
) {
    for unclaimed in unclaimed {
        let done = match &unclaimed {
            Unclaimed::Answer(orphan) => keep((path, patience), profile, orphan),
            Unclaimed::Disbelieved { worker, why } => {
                take_back((path, patience), worker, why).map(|trees| {
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
fn take_back(
    (path, patience): (&Path, &Patience),
    worker: &WorkerId,
    why: &str,
) -> Result<u64, StoreError> {
    let taken = Store::open_with(path, patience.clone())?.take_back(worker, why)?;
    Ok(taken.map_or(0, |TakenBack { answers, trees }| {
        tracing::warn!(%worker, answers, trees, "taken back");
        trees
    }))
}

/// Keeps an answer, unless the list has grown otherwise since the search began.
fn keep(
    (path, patience): (&Path, &Patience),
    profile: &Profile,
    orphan: &Orphan,
) -> Result<(), StoreError> {
    // An answer at a hash that is kept depends on all searches before it, and nobody knows them.
    if orphan.keep_hash {
        return Ok(());
    }
    let mut store = Store::open_with(path, patience.clone())?;
    let profile = Profile { limit: orphan.limit, kept_hash: None, ..profile.clone() };
    let profile = store.profile_id(&profile)?;
    let Search { position, excluded } = orphan.search.clone();
    let (answer, worker) = (orphan.answer.clone(), orphan.worker.clone());
    store.keep(profile, &[NewAnswer { position, excluded, answer, worker }]).map(drop)
}
