//! State shared by the reading and the searching thread, and a search's output.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use crate::moves::Move;
use crate::search::Listener;
use crate::time::Signals;
use deepanalyze_core::uci::{Info, note};

/// State shared by both threads.
pub struct SharedOutput<W> {
    output: Mutex<W>,
    pub signals: Signals,
    pub searching: AtomicBool,
}

impl<W: Write> SharedOutput<W> {
    /// No search runs yet.
    pub fn new(output: W) -> SharedOutput<W> {
        SharedOutput {
            output: Mutex::new(output),
            signals: Signals::default(),
            searching: AtomicBool::new(false),
        }
    }

    /// Writes one line. A reader that has gone away is noticed by the end of its input.
    pub fn say(&self, line: &str) {
        if let Ok(mut output) = self.output.lock() {
            let _ = writeln!(output, "{line}").and_then(|()| output.flush());
        }
    }

    pub fn complain(&self, reason: &str) {
        self.say(&note(reason));
    }
}

impl<W: Write> Listener for &SharedOutput<W> {
    fn line(&mut self, line: &Info<'_, Move>) {
        self.say(&line.to_string());
    }

    fn current_move(&mut self, depth: i32, m: Move, number: usize) {
        self.say(&format!("info depth {depth} currmove {m} currmovenumber {number}"));
    }
}
