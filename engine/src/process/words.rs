//! What an engine said last: the reason of its end, perhaps.

use std::collections::VecDeque;

use crate::uci::EngineLine;

/// Lines of each pipe that are kept, and characters of each: Stockfish needs five to say that its network is missing.
const KEPT_LINES: usize = 5;
const KEPT_CHARACTERS: usize = 300;

/// The last lines that are no part of the protocol.
#[derive(Debug, Default)]
pub(super) struct LastWords {
    output: VecDeque<String>,
    complaints: VecDeque<String>,
}

impl LastWords {
    /// A line of standard error.
    pub(super) fn complain(&mut self, line: &str) {
        keep(&mut self.complaints, line);
    }

    /// A line of standard output. What was said before a line of the protocol is no reason of an end behind it.
    pub(super) fn say(&mut self, line: &str, read: &EngineLine) {
        match read {
            EngineLine::Note(note) => keep(&mut self.output, note),
            EngineLine::Other if line.split_whitespace().next() == Some("info") => {}
            EngineLine::Other => keep(&mut self.output, line),
            _ => self.output.clear(),
        }
    }

    /// All of them, each once.
    pub(super) fn all(&self) -> Vec<String> {
        let mut all: Vec<String> = self.output.iter().cloned().collect();
        all.extend(self.complaints.iter().filter(|line| !self.output.contains(line)).cloned());
        all
    }
}

/// Keeps a line without what moves a terminal's cursor, and not too much of it.
fn keep(lines: &mut VecDeque<String>, line: &str) {
    let plain = line.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    let line: String = plain.take(KEPT_CHARACTERS).collect();
    if line.trim().is_empty() {
        return;
    }
    tracing::debug!(line, "an engine says");
    if lines.len() == KEPT_LINES {
        lines.pop_front();
    }
    lines.push_back(line);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::read_line;

    fn said(lines: &[&str]) -> Vec<String> {
        let mut words = LastWords::default();
        lines.iter().for_each(|line| words.say(line, &read_line(line)));
        words.all()
    }

    #[test]
    fn notes_and_plain_lines_count_until_the_protocol_goes_on() {
        let banner = ["Engine 1 by somebody", "id name Engine", "uciok", "info string ready"];
        assert_eq!(said(&banner), ["ready"]);
        let end = ["readyok", "info string no network", "info nps 5", "", "giving up"];
        assert_eq!(said(&end), ["no network", "giving up"]);
        assert_eq!(said(&["giving up", "info depth 1 score cp 5"]), Vec::<String>::new());
    }

    #[test]
    fn they_are_bounded_plain_and_each_is_told_once() {
        let mut words = LastWords::default();
        let long = "x".repeat(1000);
        (0..9).for_each(|n| words.complain(&format!("{n}\u{1b}[2J{long}")));
        words.say("the same", &EngineLine::Other);
        words.complain("the same");
        let all = words.all();
        assert_eq!(all.len(), 5);
        assert!(all[1].starts_with("5 [2Jxx"), "{all:?}");
        assert!(all.iter().all(|line| line.len() <= KEPT_CHARACTERS));
    }
}
