//! Opening a set, or counting a file of games in memory: shows its progress, as it may take long,
//! and ends at Ctrl-C.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use deepanalyze_games::{AddStage, Adding, Filter, GameSet, GameSetError, is_counted};
use deepanalyze_runner::{ControlReceiver, Shutdown};

use crate::error::CliError;
use crate::printer::Printer;
use deepanalyze_view::count;

/// How often it is asked whether the command is to end.
const LOOK: Duration = Duration::from_millis(50);
/// How long what counts may take to clear away once the command is to end.
const CLEARING: Duration = Duration::from_millis(700);
/// How often the live line changes.
const PACE: Duration = Duration::from_millis(250);

/// Listens to Ctrl-C where there is something to count; a set is opened at once.
///
/// # Errors
///
/// Where the system takes no handler.
pub fn listening(place: Option<&Path>) -> Result<Shutdown, CliError> {
    if place.is_some_and(is_counted) { Ok(Shutdown::on_signals()?) } else { Ok(Shutdown::never()) }
}

/// Opens a set, or counts a file of games; nothing where the command is to end before that is done.
///
/// # Errors
///
/// Where it cannot be read.
pub fn open_set(
    place: &Path,
    filter: &Filter,
    control: &ControlReceiver,
    printer: &Printer,
) -> Result<Option<GameSet>, CliError> {
    let (sender, done) = channel();
    let (place, filter, told) = (place.to_owned(), filter.clone(), control.clone());
    let mut counting = Counting::new(place.clone(), printer.clone());
    let work = move || {
        let set = GameSet::open_telling(&place, &filter, &mut |adding| {
            counting.tell(adding);
            !told.is_told_to_end()
        });
        drop(sender.send(set));
    };
    let thread = std::thread::Builder::new().name("counting".to_owned()).spawn(work)?;
    let set = outcome(&done, control);
    if printer.is_live() {
        printer.clear();
    }
    match set {
        Ok(Ok(set)) => Ok(Some(set)),
        Ok(Err(GameSetError::Interrupted)) | Err(RecvTimeoutError::Timeout) => Ok(None),
        Ok(Err(error)) => Err(error.into()),
        Err(RecvTimeoutError::Disconnected) => match thread.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => Ok(None),
        },
    }
}

/// The result; a timeout if the command is to end and the count is still busy: it may wait for
/// standard input without end.
fn outcome<T>(done: &Receiver<T>, control: &ControlReceiver) -> Result<T, RecvTimeoutError> {
    let mut told = None;
    loop {
        if control.is_told_to_end() && told.is_none() {
            told = Some(Instant::now());
        }
        match done.recv_timeout(LOOK) {
            Err(RecvTimeoutError::Timeout) if told.is_none_or(|at| at.elapsed() < CLEARING) => {}
            ended => return ended,
        }
    }
}

/// How far it has come, on the live line of a terminal.
struct Counting {
    place: PathBuf,
    printer: Printer,
    told: Instant,
}

impl Counting {
    fn new(place: PathBuf, printer: Printer) -> Counting {
        Counting { place, printer, told: Instant::now() }
    }

    fn tell(&mut self, adding: &Adding) {
        if self.printer.is_live() && self.told.elapsed() >= PACE {
            self.told = Instant::now();
            self.printer.status(words(&self.place, adding));
        }
    }
}

/// `counting club.pgn: 120,000 games`.
fn words(place: &Path, adding: &Adding) -> String {
    let what = match adding.stage {
        AddStage::Reading => "counting",
        AddStage::Merging => "sorting",
    };
    let file = match place.file_name() {
        Some(name) if place.as_os_str() != "-" => name.to_string_lossy(),
        _ => "standard input".into(),
    };
    format!("{what} {file}: {}", count(adding.games, "game"))
}

#[cfg(test)]
mod tests {
    use deepanalyze_runner::control;

    use super::*;

    #[test]
    fn how_far_it_has_come_is_told_in_words() {
        let adding = Adding { stage: AddStage::Reading, done: 1, all: None, games: 120_000 };
        assert_eq!(words(Path::new("a/club.pgn"), &adding), "counting club.pgn: 120,000 games");
        assert_eq!(words(Path::new("-"), &adding), "counting standard input: 120,000 games");
    }

    #[test]
    fn ending_command_waits_only_briefly() {
        let (control, receiver) = control();
        let (sender, done) = channel::<()>();
        control.end();
        let begun = Instant::now();
        assert_eq!(outcome(&done, &receiver), Err(RecvTimeoutError::Timeout));
        assert!(begun.elapsed() < Duration::from_secs(5));
        sender.send(()).unwrap();
        assert_eq!(outcome(&done, &receiver), Ok(()));
    }
}
