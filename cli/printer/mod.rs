//! Printing to standard error on a thread of its own: nobody who works waits for a terminal that is
//! frozen or a pipe that nobody reads.

mod queue;
mod screen;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use super::error::CliError;
use queue::{Print, Queue};
use screen::Screen;

/// How long a command waits at its end for its last lines to be read.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Takes lines for standard error, in order, and never waits.
#[derive(Debug, Clone)]
pub struct Printer {
    queue: Arc<Queue>,
    is_quiet: bool,
    is_live: bool,
}

/// Runs a command that tells how it goes, prints its error, and gives its exit code. What it has said is
/// printed then, unless nobody reads it.
pub fn printing(
    is_quiet: bool,
    command: impl FnOnce(&Printer) -> Result<ExitCode, CliError>,
) -> Result<ExitCode, CliError> {
    let printer = Printer::start(is_quiet)?;
    let code = command(&printer).unwrap_or_else(|error| error.report_to(&printer));
    printer.clear();
    printer.queue.close();
    printer.flush();
    Ok(code)
}

impl Printer {
    fn start(is_quiet: bool) -> io::Result<Printer> {
        let screen = Screen::new(is_quiet);
        let is_live = screen.is_live();
        let queue = Arc::new(Queue::default());
        let prints = Arc::clone(&queue);
        let work =
            move || std::iter::from_fn(|| prints.next()).for_each(|print| screen.print(print));
        std::thread::Builder::new().name("standard error".to_owned()).spawn(work)?;
        Ok(Printer { queue, is_quiet, is_live })
    }

    /// Whether there is a live line.
    pub fn is_live(&self) -> bool {
        self.is_live
    }

    /// A line that stays.
    pub fn line(&self, text: impl Into<String>) {
        if !self.is_quiet {
            self.queue.push(Print::Line(text.into()));
        }
    }

    /// What the live line says from now on.
    pub fn status(&self, text: String) {
        if self.is_live {
            self.queue.push(Print::Status(text));
        }
    }

    /// Takes the live line away.
    pub fn clear(&self) {
        self.queue.push(Print::Clear);
    }

    /// An error; it is printed where nothing else is, too.
    pub fn error(&self, text: String) {
        self.queue.push(Print::Error(text));
    }

    /// Waits until all is printed, but not for ever: what comes next on standard output stands behind it.
    pub fn flush(&self) {
        self.queue.flush(LAST_WORDS);
    }
}
