//! How much an engine may say before it says anything.

use crate::uci::EngineLine;

/// So many lines one after the other that nobody waits for are a flood.
const IDLE: u32 = 250_000;
/// A search may print as many as it likes, as long as it deepens: a week of one a second is no flood.
const OF_ONE_DEPTH: u32 = 10_000_000;

/// Counts lines since something was sent.
#[derive(Debug, Default)]
pub(super) struct Flood {
    /// Since the last that mattered.
    idle: u32,
    /// Of the greatest depth.
    of_depth: u32,
    depth: u32,
}

impl Flood {
    /// Takes a line, of a search or not; the bound that it goes beyond.
    pub(super) fn hear(&mut self, line: &EngineLine, is_searching: bool) -> Option<String> {
        if let EngineLine::Info(info) = line
            && is_searching
        {
            self.idle = 0;
            if info.depth.is_some_and(|depth| depth > self.depth) {
                self.depth = info.depth.unwrap_or(0);
                self.of_depth = 0;
            }
        }
        self.idle += 1;
        self.of_depth += 1;
        if self.idle > IDLE {
            return Some(format!("more than {IDLE} lines that say nothing"));
        }
        let is_endless = self.of_depth > OF_ONE_DEPTH;
        is_endless.then(|| format!("more than {OF_ONE_DEPTH} lines without a new depth"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::read_line;

    fn lines_until_bound(lines: &[&str], is_searching: bool) -> (u32, String) {
        let lines: Vec<EngineLine> = lines.iter().map(|line| read_line(line)).collect();
        let mut flood = Flood::default();
        let mut heard = 0;
        for line in lines.iter().cycle() {
            heard += 1;
            if let Some(bound) = flood.hear(line, is_searching) {
                return (heard, bound);
            }
        }
        unreachable!("they never end");
    }

    #[test]
    fn lines_that_nobody_waits_for_are_bounded_and_those_of_a_search_by_depth() {
        let info = "info depth 3 score cp 1 pv e2e4";
        let idle = (250_001, "more than 250000 lines that say nothing".to_owned());
        assert_eq!(lines_until_bound(&["info string x"], true), idle);
        assert_eq!(lines_until_bound(&[info, "uciok"], false), idle);
        let (heard, bound) = lines_until_bound(&[info, "info string x"], true);
        assert_eq!(bound, "more than 10000000 lines without a new depth");
        assert_eq!(heard, 10_000_001);
        let mut flood = Flood::default();
        for depth in 1..=30 {
            let line = read_line(&format!("info depth {depth} score cp 1"));
            (0..900_000).for_each(|_| assert_eq!(flood.hear(&line, true), None));
        }
    }
}
