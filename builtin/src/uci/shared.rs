//! What the thread that reads and the one that searches share.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use crate::time::Signals;
use deepanalyze_core::uci::note;

/// What both threads share.
pub struct Shared<W> {
    output: Mutex<W>,
    pub signals: Signals,
    pub searching: AtomicBool,
}

impl<W: Write> Shared<W> {
    /// Nobody searches yet.
    pub fn new(output: W) -> Shared<W> {
        Shared {
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
