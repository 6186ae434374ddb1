//! Looking positions up in files.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, unbounded};
use shakmaty::Chess;

use crate::chess::{TableFiles, Wdl};
use crate::run::wakers::Wakers;

/// A position, and its result for its side to move, where the tables have it.
pub type Found = (Chess, Option<Wdl>);

/// Looks positions up, and never makes a run wait.
#[derive(Debug)]
pub enum Prober {
    /// In a thread, which wakes the run.
    Thread { wanted: Sender<Chess>, found: Receiver<Found> },
    /// At once: for runs in virtual time.
    AtOnce { files: Arc<TableFiles>, found: Vec<Found> },
    /// When the disk is told to.
    #[cfg(test)]
    Slow { files: Arc<TableFiles>, disk: SlowDisk },
}

impl Prober {
    /// One with a thread of its own, which ends when this is gone.
    ///
    /// # Errors
    ///
    /// Where the system gives no thread.
    pub fn in_thread(files: Arc<TableFiles>, wakers: Wakers) -> std::io::Result<Prober> {
        let (wanted, to_look_up) = unbounded();
        let (finding, found) = unbounded();
        std::thread::Builder::new()
            .name("endgame tables".to_owned())
            .spawn(move || look_up(&files, &to_look_up, &finding, &wakers))?;
        Ok(Prober::Thread { wanted, found })
    }

    /// One that looks up at once.
    pub fn at_once(files: Arc<TableFiles>) -> Prober {
        Prober::AtOnce { files, found: Vec::new() }
    }

    /// Wants a position looked up.
    pub fn ask(&mut self, position: &Chess) {
        match self {
            Prober::Thread { wanted, .. } => _ = wanted.send(position.clone()),
            Prober::AtOnce { files, found } => {
                let result = files.wdl(position);
                found.push((position.clone(), result));
            }
            #[cfg(test)]
            Prober::Slow { files, disk } => disk.ask((position.clone(), files.wdl(position))),
        }
    }

    /// What was found since this was asked last.
    pub fn take(&mut self) -> Vec<Found> {
        match self {
            Prober::Thread { found, .. } => found.try_iter().collect(),
            Prober::AtOnce { found, .. } => std::mem::take(found),
            #[cfg(test)]
            Prober::Slow { disk, .. } => disk.take(),
        }
    }
}

fn look_up(files: &TableFiles, wanted: &Receiver<Chess>, found: &Sender<Found>, wakers: &Wakers) {
    while let Ok(position) = wanted.recv() {
        // A table that makes the reader panic is no table.
        let result = catch_unwind(AssertUnwindSafe(|| files.wdl(&position))).unwrap_or(None);
        if found.send((position, result)).is_err() {
            return;
        }
        // The run waits for all that it has asked.
        if wanted.is_empty() {
            wakers.wake();
        }
    }
}

#[cfg(test)]
pub use slow::SlowDisk;

#[cfg(test)]
mod slow {
    use std::sync::{Arc, Mutex, MutexGuard};

    use super::Found;
    use crate::run::wakers::Wakers;

    /// A disk that gives what was read only when it is told to.
    #[derive(Debug, Clone, Default)]
    pub struct SlowDisk(Arc<Mutex<State>>);

    #[derive(Debug, Default)]
    struct State {
        reading: Vec<Found>,
        read: Vec<Found>,
        wakers: Option<Wakers>,
    }

    impl SlowDisk {
        /// How many positions are being looked up.
        pub fn reading(&self) -> usize {
            self.lock().reading.len()
        }

        /// All that is being looked up is found.
        pub fn give(&self) {
            let mut state = self.lock();
            let found = std::mem::take(&mut state.reading);
            state.read.extend(found);
            state.wakers.iter().for_each(Wakers::wake);
        }

        pub(in crate::run::facts) fn wakes(&self, wakers: Wakers) {
            self.lock().wakers = Some(wakers);
        }

        pub(super) fn ask(&self, found: Found) {
            self.lock().reading.push(found);
        }

        pub(super) fn take(&self) -> Vec<Found> {
            std::mem::take(&mut self.lock().read)
        }

        fn lock(&self) -> MutexGuard<'_, State> {
            self.0.lock().unwrap()
        }
    }
}

#[cfg(test)]
mod tests {
    use crossbeam_channel::bounded;

    use super::*;
    use crate::chess::parse_fen;

    #[test]
    fn a_thread_looks_positions_up_and_wakes_the_run() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/tables");
        let files = Arc::new(TableFiles::find(&[folder.into()]).unwrap());
        let wakers = Wakers::default();
        let woken = wakers.subscribe();
        let mut prober = Prober::in_thread(files, wakers).unwrap();
        let known = parse_fen("8/8/8/8/8/3k4/8/3KQ3 b - -").unwrap();
        let unknown = parse_fen("8/8/8/8/8/3k4/8/3KQQ2 b - -").unwrap();
        prober.ask(&known);
        prober.ask(&unknown);
        let mut found = Vec::new();
        while found.len() < 2 {
            woken.recv().unwrap();
            found.extend(prober.take());
        }
        assert_eq!(found, [(known, Some(Wdl::Loss)), (unknown, None)]);
    }

    #[test]
    fn a_prober_that_is_gone_ends_its_thread() {
        let (wanted, to_look_up) = unbounded();
        let (finding, found) = bounded(0);
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/tables");
        let files = TableFiles::find(&[folder.into()]).unwrap();
        wanted.send(parse_fen("8/8/8/8/8/3k4/8/3KQ3 b - -").unwrap()).unwrap();
        drop(found);
        look_up(&files, &to_look_up, &finding, &Wakers::default());
        drop(wanted);
        look_up(&files, &to_look_up, &finding, &Wakers::default());
    }
}
