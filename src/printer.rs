//! Printing to standard error on a thread of its own: no other thread waits for a frozen terminal
//! or a stuck pipe.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use deepanalyze_view::{count, hanging, wrap};

use super::error::CliError;
use super::lossy::LossyQueue;
use super::printable::message;

/// Lines that may wait to be printed; beyond it the oldest are left out, as the reader is stuck.
const LINES: usize = 10_000;

/// The fewest and the most columns of a row that is cut to fit.
const NARROWEST: usize = 40;
const WIDEST: usize = 78;

/// The column in which what follows a label begins: `engine    Stockfish`.
const AFTER_LABEL: usize = 10;

/// How long a command waits at its end for its last lines to be read.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Something to print.
#[derive(Debug)]
enum Print {
    /// A line that stays.
    Line(String),
    /// An error, as the program's last words have it.
    Error(String),
    /// New text of the live line.
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

/// Runs a command that reports progress, prints its error, and gives its exit code. All of its
/// output is printed by then, unless the reader is stuck.
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
            Print::Line(format!(
                "warning: {lines} of output dropped: the terminal or pipe was not reading"
            ))
        };
        let queue = Arc::new(LossyQueue::new(LINES, |_| 1, left_out));
        let prints = Arc::clone(&queue);
        let work = move || std::iter::from_fn(|| prints.next()).for_each(|item| print(&bar, item));
        std::thread::Builder::new().name("standard error".to_owned()).spawn(work)?;
        Ok(Printer { queue, is_quiet, is_live })
    }

    /// True if there is a live line.
    pub fn is_live(&self) -> bool {
        self.is_live
    }

    /// The columns of a row: those of the terminal without its last two, at most 78.
    pub fn columns(&self) -> usize {
        terminal_columns()
            .map_or(WIDEST, |columns| columns.saturating_sub(2).clamp(NARROWEST, WIDEST))
    }

    /// A line that stays.
    pub fn line(&self, text: impl Into<String>) {
        if !self.is_quiet {
            self.queue.push(Print::Line(message(&text.into())));
        }
    }

    /// Sets the live line.
    pub fn status(&self, text: String) {
        if self.is_live {
            self.queue.set_latest(Some(Print::Status(message(&text))));
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
    let bar = if !is_quiet && io::stderr().is_terminal() {
        ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8))
    } else {
        ProgressBar::hidden()
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
        Print::Line(text) if !bar.is_hidden() => {
            let columns = terminal_columns().unwrap_or(usize::MAX);
            rows(&text, columns).into_iter().for_each(|row| bar.println(row));
        }
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

/// The columns of the terminal that standard error is, if it is one.
fn terminal_columns() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(io::stderr())?;
    Some(usize::from(width.0)).filter(|columns| *columns > 0)
}

/// The rows of a line: text beyond this many columns continues below, indented to its label if it
/// has one.
fn rows(text: &str, columns: usize) -> Vec<String> {
    let label = text.char_indices().nth(AFTER_LABEL).map(|(at, _)| text.split_at(at));
    match label.filter(|(label, _)| label.ends_with(' ') && !label.starts_with(' ')) {
        Some((label, rest)) if label.split_whitespace().count() == 1 => {
            hanging(label, rest, columns)
        }
        _ => wrap(text, Some(columns)),
    }
}

/// Says something on standard error at once, by no thread.
macro_rules! tell {
    ($($words:tt)*) => { $crate::printer::tell_line(&format!($($words)*)) };
}
pub(crate) use tell;

/// A line on standard error, whatever is in it.
pub fn tell_line(text: &str) {
    write_line(&message(text));
}

/// A closed standard error cannot be reported, and the run goes on.
fn write_line(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_goes_on_behind_its_label() {
        let text = "engine    Stockfish 15.1, engine depth 10";
        assert_eq!(rows(text, 80), [text]);
        assert_eq!(rows(text, 30), ["engine    Stockfish 15.1,", "          engine depth 10"]);
        let note = "note: the tree is long";
        assert_eq!(rows(note, 12), ["note: the", "tree is long"]);
    }
}
