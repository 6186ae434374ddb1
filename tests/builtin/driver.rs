//! The built-in engine behind its UCI loop, run in a thread and asked line by line.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::io::{BufRead, BufReader, Write};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use deepanalyze_builtin::uci;

/// A running engine and its output lines.
pub struct Engine {
    input: Option<std::io::PipeWriter>,
    pub lines: Receiver<String>,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    pub fn start() -> Engine {
        let (their_input, input) = std::io::pipe().unwrap();
        let (output, their_output) = std::io::pipe().unwrap();
        let (sender, lines) = channel();
        let thread =
            std::thread::spawn(move || uci::run(BufReader::new(their_input), their_output));
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Engine { input: Some(input), lines, thread: Some(thread) }
    }

    pub fn say(&mut self, line: &str) {
        self.say_bytes(line.as_bytes());
    }

    pub fn say_bytes(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
    }

    /// All lines up to one that begins so.
    pub fn until(&self, start: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            // Longer than any of its answers takes on an overloaded machine.
            match self.lines.recv_timeout(Duration::from_secs(600)) {
                Ok(line) => {
                    seen.push(line);
                    if seen.last().unwrap().starts_with(start) {
                        return seen;
                    }
                }
                Err(_) => panic!("no {start:?} after {seen:?}"),
            }
        }
    }

    pub fn ask(&mut self, lines: &[&str], end: &str) -> Vec<String> {
        for line in lines {
            self.say(line);
        }
        self.until(end)
    }

    pub fn end(mut self) {
        drop(self.input.take());
        self.thread.take().unwrap().join().unwrap();
    }
}
