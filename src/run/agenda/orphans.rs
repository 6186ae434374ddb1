//! Answers whose run is gone: they cost engine time, and are kept as those of any run.

use std::path::Path;

use crossbeam_channel::Receiver;

use crate::engine::Orphan;
use crate::run::lists::Lists;
use crate::search::Profile;
use crate::store::{Store, StoreError};

/// How often it is tried to write an answer to a database that another program keeps locked; each try takes some
/// seconds.
const TRIES: u32 = 60;

/// Keeps answers until no more come.
pub(super) fn keep_all(path: &Path, profile: &Profile, orphans: &Receiver<Orphan>) {
    for orphan in orphans {
        if let Err(error) = keep_patiently(path, profile, &orphan) {
            tracing::warn!(%error, "an answer is not kept");
        }
    }
}

fn keep_patiently(path: &Path, profile: &Profile, orphan: &Orphan) -> Result<(), StoreError> {
    for _ in 1..TRIES {
        match keep(path, profile, orphan) {
            Err(error) if error.is_busy() => {}
            result => return result,
        }
    }
    keep(path, profile, orphan)
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
    let (search, answer) = (&orphan.search, orphan.answer.clone());
    let now = std::time::Instant::now();
    lists.take(&store, &search.position, &search.excluded, answer, now)?;
    lists.save(&mut store).map(drop)
}
