//! Standard error by a thread of its own: no worker waits for a pipe that is not read.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use crossbeam_channel::{Sender, unbounded};

use crate::failure::LabFailure;

/// The most a command waits at its end for its last lines to be read.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Takes lines for standard error, in order, and never waits.
#[derive(Debug, Clone)]
pub struct Teller {
    lines: Sender<ToTell>,
    is_quiet: bool,
}

/// Messages for its thread.
#[derive(Debug)]
enum ToTell {
    Line(String),
    /// All before it is printed.
    AreYouThere(Sender<()>),
}

/// Runs a command that tells its progress, prints its error, returns its exit code.
pub fn telling(
    is_quiet: bool,
    command: impl FnOnce(&Teller) -> Result<ExitCode, LabFailure>,
) -> Result<ExitCode, LabFailure> {
    let (lines, told) = unbounded();
    let print = move || {
        for told in told {
            match told {
                // A closed standard error cannot be reported.
                ToTell::Line(line) => drop(writeln!(std::io::stderr(), "{line}")),
                ToTell::AreYouThere(yes) => drop(yes.send(())),
            }
        }
    };
    std::thread::Builder::new().name("standard error".to_owned()).spawn(print)?;
    let teller = Teller { lines, is_quiet };
    let code = command(&teller).unwrap_or_else(|failure| {
        teller.always(failure.text());
        failure.code()
    });
    teller.flush();
    Ok(code)
}

impl Teller {
    /// A line of information.
    pub fn line(&self, text: impl Into<String>) {
        if !self.is_quiet {
            self.always(text.into());
        }
    }

    fn always(&self, text: String) {
        let _ = self.lines.send(ToTell::Line(text));
    }

    /// Waits a while until all is printed: later standard output comes behind it.
    pub fn flush(&self) {
        let (yes, answer) = unbounded();
        let _ = self.lines.send(ToTell::AreYouThere(yes));
        let _ = answer.recv_timeout(LAST_WORDS);
    }
}
