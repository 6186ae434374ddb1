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

/// Keeps the answers of such engines, which are told to end at some moment, until no more come.
pub fn keep_orphans(
    path: &Path,
    profile: &Profile,
    orphans: &Receiver<Orphan>,
    is_ending: impl Fn() -> bool,
) {
    for orphan in orphans {
        let keep = || keep(path, profile, &orphan);
        if let Err(error) = patiently(keep, &is_ending) {
            tracing::warn!(%error, "an answer is not kept");
        }
    }
}

/// Tries to write while another program keeps the database locked; once more after the engines were told to end.
fn patiently(
    mut keep: impl FnMut() -> Result<(), StoreError>,
    is_ending: impl Fn() -> bool,
) -> Result<(), StoreError> {
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
    let (search, answer) = (&orphan.search, orphan.answer.clone());
    let now = std::time::Instant::now();
    lists.take(&store, &search.position, &search.excluded, answer, now)?;
    lists.save(&mut store).map(drop)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_locked_database_is_tried_again_and_once_more_after_the_end() {
        let tries = Cell::new(0);
        let locked = || {
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
