//! The players of a comparison by games.

use std::fmt;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::str::FromStr;

/// A way to spend nodes on a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arm {
    /// One engine with as many times the nodes.
    Nodes(u64),
    /// One engine with as many threads, each with the nodes.
    Threads(usize),
    /// A closing search of `engines`, of which one can have the threads of `threads`.
    Closing { engines: usize, threads: usize },
    /// `grow` by `engines`; its memo lasts for the game. The tree has 1/`part` of the nodes, the
    /// closing search the rest.
    Grown { engines: usize, part: u64 },
    /// One engine with the books of a folder.
    Book(PathBuf),
}

impl FromStr for Arm {
    type Err = String;

    fn from_str(text: &str) -> Result<Arm, String> {
        let wrong = |_| format!("{text:?} is not an arm: x2, t2, 16, 16/1, grow1/2 or book:FOLDER");
        if let Some(times) = text.strip_prefix('x') {
            return times.parse().map(Arm::Nodes).map_err(wrong);
        }
        if let Some(threads) = text.strip_prefix('t') {
            return threads.parse().map(Arm::Threads).map_err(wrong);
        }
        if let Some(folder) = text.strip_prefix("book:") {
            return Ok(Arm::Book(folder.into()));
        }
        if let Some((engines, part)) =
            text.strip_prefix("grow").and_then(|rest| rest.split_once('/'))
        {
            let part: NonZeroU64 = part.parse().map_err(wrong)?;
            return Ok(Arm::Grown { engines: engines.parse().map_err(wrong)?, part: part.get() });
        }
        let (engines, threads) = text.split_once('/').unwrap_or((text, text));
        let engines = engines.parse().map_err(wrong)?;
        Ok(Arm::Closing { engines, threads: threads.parse().map_err(wrong)? })
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Arm::Nodes(times) => format!("x{times}"),
            Arm::Threads(threads) => format!("t{threads}"),
            Arm::Closing { engines, threads } if engines == threads => engines.to_string(),
            Arm::Closing { engines, threads } => format!("{engines}/{threads}"),
            Arm::Grown { engines, part } => format!("grow{engines}/{part}"),
            Arm::Book(folder) => format!("book:{}", folder.display()),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arms_are_written_as_they_are_read() {
        for text in ["x2", "t2", "16", "16/1", "4/2", "grow1/4", "grow2/2", "book:b/1"] {
            assert_eq!(text.parse::<Arm>().unwrap().to_string(), text);
        }
        assert_eq!("4".parse(), Ok(Arm::Closing { engines: 4, threads: 4 }));
        for text in ["", "x", "y", "4/", "1.5", "grow", "grow/2", "grow1/0"] {
            assert!(text.parse::<Arm>().unwrap_err().contains("is not an arm"), "{text}");
        }
    }
}
