//! The positions of a duel: lines of an EPD file.

use std::collections::HashMap;

use shakmaty::Chess;

use deepanalyze_core::chess::{Ending, EpdTask, PositionKey, TaskError, parse_fen};

use crate::duel::statistics::sample;

/// A position of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuitePosition {
    /// Its line number, from 1.
    pub line: usize,
    /// Its `id` operation, or `line N` if it has none; no control characters.
    pub id: String,
    /// The position.
    pub position: Chess,
    /// Its task, if the file has one.
    pub task: Result<Option<EpdTask>, TaskError>,
}

/// A line unfit for a duel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The line, from 1.
    pub line: usize,
    /// Why it is left out.
    pub why: String,
}

/// A line that is no position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct BadLine {
    /// The line, from 1.
    pub line: usize,
    /// The error in it.
    pub why: String,
}

/// The positions of a file, and the skipped lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    /// The positions, in the order of the file.
    pub entries: Vec<SuitePosition>,
    /// Finished positions, and repeated ones.
    pub skipped: Vec<Skipped>,
}

impl Suite {
    /// Reads an EPD file: a position per line, four or six fields; empty lines and lines that begin
    /// with `#` are ignored.
    ///
    /// # Errors
    ///
    /// [`BadLine`] for the first line that is no position.
    pub fn parse(text: &str) -> Result<Suite, BadLine> {
        let mut suite = Suite { entries: Vec::new(), skipped: Vec::new() };
        let mut first = HashMap::new();
        for (index, text) in text.lines().enumerate() {
            let (line, text) = (index + 1, text.trim_start_matches('\u{feff}').trim());
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let position =
                parse_fen(text).map_err(|error| BadLine { line, why: error.to_string() })?;
            let earlier = first.entry(PositionKey::of(&position)).or_insert(line);
            if *earlier != line {
                suite.skip(line, format!("the position of line {earlier} again"));
            } else if let Some(ending) = Ending::of(&position) {
                suite.skip(line, format!("the game is over: {}", ending.name()));
            } else {
                let id = id_of(text).unwrap_or_else(|| format!("line {line}"));
                let task = EpdTask::of(text, &position);
                suite.entries.push(SuitePosition { line, id, position, task });
            }
        }
        Ok(suite)
    }

    fn skip(&mut self, line: usize, why: String) {
        self.skipped.push(Skipped { line, why });
    }

    /// The positions that ask for a move; the others are left out.
    #[must_use]
    pub fn with_tasks(mut self) -> Suite {
        let (kept, without) =
            self.entries.into_iter().partition(|entry| matches!(entry.task, Ok(Some(_))));
        self.entries = kept;
        let without: Vec<SuitePosition> = without;
        let skipped = without.into_iter().map(|entry| Skipped {
            line: entry.line,
            why: match entry.task {
                Err(error) => error.to_string(),
                Ok(_) => "no best move (bm) and no bad one (am)".to_owned(),
            },
        });
        self.skipped.extend(skipped);
        self.skipped.sort_by_key(|skip| skip.line);
        self
    }

    /// A sample of `wanted` positions by a seed, in the order of the file.
    #[must_use]
    pub fn sampled(mut self, wanted: usize, seed: u64) -> Suite {
        let drawn = sample(self.entries.len(), wanted, seed);
        let mut index = 0;
        self.entries.retain(|_| {
            index += 1;
            drawn.binary_search(&(index - 1)).is_ok()
        });
        self
    }
}

/// The operand of EPD's `id`.
fn id_of(text: &str) -> Option<String> {
    let operations = text.split_whitespace().skip(4).collect::<Vec<_>>().join(" ");
    let operation = operations.split(';').map(str::trim).find_map(|op| op.strip_prefix("id "))?;
    let id: String =
        operation.trim_matches(['"', ' ']).chars().filter(|c| !c.is_control()).collect();
    (!id.is_empty()).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\u{feff}# a suite\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"KP.1\";\n\
        \n\
        4k3/8/8/8/8/8/8/4K3 w - - 0 1\n\
        4k3/8/8/8/8/8/3P4/4K3 w - - 0 1 \r\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - 3 9\n\
        4k3/8/8/8/8/8/2P5/4K3 w - - id \"\u{1b}[31mred\"; c0 \"x\";\n";

    #[test]
    fn finished_and_repeated_positions_are_skipped() {
        let suite = Suite::parse(FILE).unwrap();
        let ids: Vec<(usize, &str)> =
            suite.entries.iter().map(|entry| (entry.line, entry.id.as_str())).collect();
        assert_eq!(ids, [(2, "KP.1"), (5, "line 5"), (7, "[31mred")]);
        let skipped: Vec<(usize, &str)> =
            suite.skipped.iter().map(|skip| (skip.line, skip.why.as_str())).collect();
        assert_eq!(
            skipped,
            [(4, "the game is over: insufficient material"), (6, "the position of line 2 again")]
        );
    }

    #[test]
    fn a_line_that_is_no_position_is_named() {
        let error = Suite::parse("4k3/8/8/8/8/8/4P3/4K3 w - -\nbm e4;\n").unwrap_err();
        assert_eq!(error.to_string(), "line 2: FEN \"bm e4;\" has 2 fields, not 4 or 6");
    }

    #[test]
    fn a_sample_keeps_the_order_of_the_file() {
        let lines = |suite: Suite| suite.entries.iter().map(|e| e.line).collect::<Vec<_>>();
        let suite = Suite::parse(FILE).unwrap();
        let two = lines(suite.clone().sampled(2, 1));
        assert!(two.len() == 2 && two.is_sorted(), "{two:?}");
        assert_eq!(lines(suite.clone().sampled(99, 1)), [2, 5, 7]);
        let all: std::collections::HashSet<_> =
            (0..20).map(|seed| lines(suite.clone().sampled(1, seed))).collect();
        assert_eq!(all.len(), 3, "every position can be drawn");
    }
}
