//! Standard error: a live line on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use deepanalyze_report::count;

use super::queue::Print;

/// Where it is printed. Whoever prints waits for whoever reads.
pub struct Screen {
    /// The live line; hidden where standard error is no terminal.
    bar: ProgressBar,
}

impl Screen {
    /// Standard error.
    pub fn new(quiet: bool) -> Screen {
        let bar = match !quiet && std::io::stderr().is_terminal() {
            true => ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8)),
            false => ProgressBar::hidden(),
        };
        // The cursor waits at the line's beginning: the terminal's ^C at its end would go on to the next
        // line, and leave this one behind.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}\r") {
            bar.set_style(style);
        }
        Screen { bar }
    }

    /// Whether there is a live line. A terminal that cannot move its cursor (TERM=dumb) has none.
    pub fn is_live(&self) -> bool {
        !self.bar.is_hidden()
    }

    pub fn print(&self, print: Print) {
        match print {
            Print::Line(text) => self.line(&text),
            Print::LeftOut(lines) => {
                let lines = count(lines, "line");
                self.line(&format!("warning: {lines} left out, which nobody read in time"));
            }
            Print::Error(text) => {
                self.bar.finish_and_clear();
                write_line(&text);
            }
            Print::Status(text) if self.is_live() => {
                if self.bar.is_finished() {
                    self.bar.reset();
                }
                self.bar.set_message(text);
                self.bar.tick();
            }
            Print::Status(_) => {}
            Print::Clear => self.bar.finish_and_clear(),
        }
    }

    fn line(&self, text: &str) {
        match self.is_live() {
            true => self.bar.println(text),
            false => write_line(text),
        }
    }
}

/// Nobody can be told that standard error is closed, and the run goes on.
fn write_line(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}
