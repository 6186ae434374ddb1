//! Printing to standard error on a thread of its own: nobody who works waits for a terminal that is
//! frozen or a pipe that nobody reads.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use deepanalyze_report::count;

use super::error::CliError;
use super::lossy::LossyQueue;

/// Lines that wait to be printed. Beyond it the oldest are left out: nobody has read for long.
const LINES: usize = 10_000;

/// How long a command waits at its end for its last lines to be read.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Something to print.
#[derive(Debug)]
enum Print {
    /// A line that stays.
    Line(String),
    /// An error, as the program's last words have it.
    Error(String),
    /// What the live line says now.
    Status(String),
    /// The live line goes.
    Clear,
}

/// Takes lines for standard error, in order, and never waits.
#[derive(Clone)]
pub struct Printer {
    queue: Arc<LossyQueue<Print>>,
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
        let bar = live_line(is_quiet);
        // A terminal that cannot move its cursor (TERM=dumb) has none.
        let is_live = !bar.is_hidden();
        let left_out = |lines| {
            let lines = count(lines, "line");
            Print::Line(format!("warning: {lines} left out, which nobody read in time"))
        };
        let queue = Arc::new(LossyQueue::new(LINES, |_| 1, left_out));
        let prints = Arc::clone(&queue);
        let work = move || std::iter::from_fn(|| prints.next()).for_each(|item| print(&bar, item));
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
            self.queue.set_latest(Some(Print::Status(text)));
        }
    }

    /// Takes the live line away.
    pub fn clear(&self) {
        self.queue.set_latest(None);
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

/// The live line of a terminal; hidden elsewhere.
fn live_line(is_quiet: bool) -> ProgressBar {
    let bar = match !is_quiet && io::stderr().is_terminal() {
        true => ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8)),
        false => ProgressBar::hidden(),
    };
    // The cursor waits at the line's beginning: the terminal's ^C at its end would go on to the next
    // line, and leave this one behind.
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}\r") {
        bar.set_style(style);
    }
    bar
}

fn print(bar: &ProgressBar, print: Print) {
    match print {
        Print::Line(text) if !bar.is_hidden() => bar.println(text),
        Print::Line(text) => write_line(&text),
        Print::Error(text) => {
            bar.finish_and_clear();
            write_line(&text);
        }
        Print::Status(text) => {
            if bar.is_finished() {
                bar.reset();
            }
            bar.set_message(text);
            bar.tick();
        }
        Print::Clear => bar.finish_and_clear(),
    }
}

/// Nobody can be told that standard error is closed, and the run goes on.
fn write_line(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}
