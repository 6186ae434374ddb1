//! Looking positions up in files.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, after, bounded, never, select_biased, unbounded};
use shakmaty::Chess;

use crate::control::Wakers;
use deepanalyze_core::chess::{TableFiles, Wdl};

/// A position, and its result for its side to move, if the tables have it.
pub type ProbedPosition = (Chess, Option<Wdl>);

/// The most positions waiting that only may be needed.
const MOST_GUESSES: usize = 64;

/// Pause before an unreadable file is read again.
const UNREAD: Duration = Duration::from_secs(5);

/// Looks positions up without making a run wait. An existing file that cannot be read is retried:
/// that says nothing about a position.
#[derive(Debug)]
pub enum Prober {
    /// In a thread, which wakes the run.
    Thread { wanted: Sender<Chess>, guessed: Sender<Chess>, found: Receiver<ProbedPosition> },
    /// At once: for runs in virtual time.
    AtOnce { files: Arc<TableFiles>, wanted: Vec<Chess> },
    /// When the disk is told to.
    #[cfg(test)]
    Slow { files: Arc<TableFiles>, disk: SlowDisk },
}

impl Prober {
    /// One with a thread of its own, which ends with this.
    ///
    /// # Errors
    ///
    /// If the system gives no thread.
    pub fn in_thread(files: Arc<TableFiles>, wakers: Wakers) -> std::io::Result<Prober> {
        let ((wanted, needs), (guessed, guesses)) = (unbounded(), bounded(MOST_GUESSES));
        let (finding, found) = unbounded();
        let asked = ProberAsked { needs, guesses, again: UNREAD };
        std::thread::Builder::new()
            .name("tablebases".to_owned())
            .spawn(move || look_up(&files, &asked, &finding, &wakers))?;
        Ok(Prober::Thread { wanted, guessed, found })
    }

    /// One that looks up at once.
    pub fn at_once(files: Arc<TableFiles>) -> Prober {
        Prober::AtOnce { files, wanted: Vec::new() }
    }

    /// Queues a position that the run needs, before those that only may be needed; `false` if too
    /// many of these wait already.
    pub fn ask(&mut self, position: &Chess, is_needed: bool) -> bool {
        match self {
            Prober::Thread { wanted, .. } if is_needed => wanted.send(position.clone()).is_ok(),
            Prober::Thread { guessed, .. } => guessed.try_send(position.clone()).is_ok(),
            Prober::AtOnce { wanted, .. } => {
                wanted.push(position.clone());
                true
            }
            #[cfg(test)]
            Prober::Slow { files, disk } => {
                disk.ask((position.clone(), files.wdl(position)));
                true
            }
        }
    }

    /// Results since the last call.
    pub fn take(&mut self) -> Vec<ProbedPosition> {
        match self {
            Prober::Thread { found, .. } => found.try_iter().collect(),
            Prober::AtOnce { files, wanted } => {
                let mut found = Vec::new();
                wanted.retain(|position| match files.look_up(position) {
                    Ok(result) => {
                        found.push((position.clone(), result));
                        false
                    }
                    Err(_) => true,
                });
                found
            }
            #[cfg(test)]
            Prober::Slow { disk, .. } => disk.take(),
        }
    }
}

/// A thread's requests.
struct ProberAsked {
    needs: Receiver<Chess>,
    guesses: Receiver<Chess>,
    /// Pause before an unreadable file is read again.
    again: Duration,
}

/// Looks up all requests, until the sender is gone.
fn look_up(
    files: &TableFiles,
    asked: &ProberAsked,
    found: &Sender<ProbedPosition>,
    wakers: &Wakers,
) {
    let (mut unread, mut again) = (Vec::new(), never());
    loop {
        let (positions, is_needed) = select_biased! {
            recv(asked.needs) -> position => match position {
                Ok(position) => (vec![position], true),
                Err(_) => return,
            },
            recv(again) -> _ => {
                again = never();
                (std::mem::take(&mut unread), true)
            }
            recv(asked.guesses) -> position => (position.into_iter().collect(), false),
        };
        for position in positions {
            match files.look_up(&position) {
                Ok(result) => {
                    if found.send((position, result)).is_err() {
                        return;
                    }
                }
                Err(_) if is_needed => unread.push(position),
                Err(_) => {}
            }
        }
        if !unread.is_empty() && is_needed {
            again = after(asked.again);
        }
        if is_needed || asked.guesses.is_empty() {
            wakers.wake();
        }
    }
}

#[cfg(test)]
pub use slow::SlowDisk;

#[cfg(test)]
mod slow {
    use std::sync::{Arc, Mutex, MutexGuard};

    use super::ProbedPosition;
    use crate::control::Wakers;

    /// A disk that gives what was read only when told to.
    #[derive(Debug, Clone, Default)]
    pub struct SlowDisk(Arc<Mutex<State>>);

    #[derive(Debug, Default)]
    struct State {
        reading: Vec<ProbedPosition>,
        read: Vec<ProbedPosition>,
        wakers: Option<Wakers>,
    }

    impl SlowDisk {
        /// Number of positions being looked up.
        pub fn reading(&self) -> usize {
            self.lock().reading.len()
        }

        /// Finds all positions being looked up.
        pub fn give(&self) {
            let mut state = self.lock();
            let found = std::mem::take(&mut state.reading);
            state.read.extend(found);
            state.wakers.iter().for_each(Wakers::wake);
        }

        pub(in crate::facts) fn wakes(&self, wakers: Wakers) {
            self.lock().wakers = Some(wakers);
        }

        pub(super) fn ask(&self, found: ProbedPosition) {
            self.lock().reading.push(found);
        }

        pub(super) fn take(&self) -> Vec<ProbedPosition> {
            std::mem::take(&mut self.lock().read)
        }

        fn lock(&self) -> MutexGuard<'_, State> {
            self.0.lock().unwrap()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::parse_fen;

    #[test]
    fn a_thread_looks_positions_up_and_wakes_the_run() {
        let wakers = Wakers::default();
        let woken = wakers.subscribe();
        let mut prober = Prober::in_thread(Arc::new(files()), wakers).unwrap();
        let known = parse_fen("8/8/8/8/8/3k4/8/3KQ3 b - -").unwrap();
        let unknown = parse_fen("8/8/8/8/8/3k4/8/3KQQ2 b - -").unwrap();
        assert!(prober.ask(&known, true) && prober.ask(&unknown, true));
        let mut found = Vec::new();
        while found.len() < 2 {
            woken.recv().unwrap();
            found.extend(prober.take());
        }
        assert_eq!(found, [(known, Some(Wdl::Loss)), (unknown, None)]);
    }

    #[test]
    fn needed_positions_are_looked_up_before_guesses() {
        let ((wanted, needs), (guessed, guesses)) = (unbounded(), bounded(MOST_GUESSES));
        let (finding, found) = unbounded();
        let king = |file: char| parse_fen(&format!("8/8/8/8/8/3k4/8/K2{file}4 b - -")).unwrap();
        let [first, second, needed] = ['Q', 'R', 'B'].map(king);
        guessed.send(first).unwrap();
        guessed.send(second).unwrap();
        wanted.send(needed.clone()).unwrap();
        let wakers = Wakers::default();
        let woken = wakers.subscribe();
        let asked = ProberAsked { needs, guesses, again: UNREAD };
        let thread = std::thread::spawn(move || look_up(&files(), &asked, &finding, &wakers));
        assert_eq!(found.recv().unwrap().0, needed);
        woken.recv().unwrap();
        drop(wanted);
        thread.join().unwrap();
    }

    fn files() -> TableFiles {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/tables");
        TableFiles::find(&[folder.into()]).unwrap()
    }

    #[test]
    fn unreadable_file_is_retried_before_any_answer() {
        let folder = tempfile::tempdir().unwrap();
        let (there, away) = (folder.path().join("KQvK.rtbw"), folder.path().join("away"));
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/tables/KQvK.rtbw");
        std::fs::copy(source, &there).unwrap();
        let files = TableFiles::find(&[folder.path().to_owned()]).unwrap();
        std::fs::rename(&there, &away).unwrap();
        let ((wanted, needs), (_guessed, guesses)) = (unbounded(), bounded(MOST_GUESSES));
        let (finding, found) = unbounded();
        let wakers = Wakers::default();
        let woken = wakers.subscribe();
        let known = parse_fen("8/8/8/8/8/3k4/8/3KQ3 b - -").unwrap();
        wanted.send(known.clone()).unwrap();
        let asked = ProberAsked { needs, guesses, again: Duration::from_millis(1) };
        let thread = std::thread::spawn(move || {
            look_up(&files, &asked, &finding, &wakers);
            files.take_complaints()
        });
        woken.recv().unwrap();
        assert!(found.try_recv().is_err());
        std::fs::rename(&away, &there).unwrap();
        assert_eq!(found.recv().unwrap(), (known, Some(Wdl::Loss)));
        drop(wanted);
        let complaints = thread.join().unwrap();
        assert!(complaints.len() == 1 && complaints[0].contains("cannot read the table "));
    }

    #[test]
    fn a_prober_that_is_gone_ends_its_thread() {
        let ((wanted, needs), (_guessed, guesses)) = (unbounded(), bounded(MOST_GUESSES));
        let asked = ProberAsked { needs, guesses, again: UNREAD };
        let (finding, found) = bounded(0);
        wanted.send(parse_fen("8/8/8/8/8/3k4/8/3KQ3 b - -").unwrap()).unwrap();
        drop(found);
        look_up(&files(), &asked, &finding, &Wakers::default());
        drop(wanted);
        look_up(&files(), &asked, &finding, &Wakers::default());
    }
}
