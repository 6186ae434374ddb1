//! Files of positions: one EPD record or FEN a line.

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use super::chess960::uci_of;
use super::fen::{FenError, parse_fen};
use super::line::{GameError, no_move, parse_move};
use super::notation::plain;

/// A position of an EPD file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpdRecord {
    /// Its line in the file, from 1.
    pub line: usize,
    /// The operand of its `id`, if it has one.
    pub id: Option<String>,
    /// The position.
    pub position: Chess,
    /// The task, if any, or why it cannot be read.
    pub task: Result<Option<EpdTask>, TaskError>,
}

/// A test suite's task in a position: a move of `bm`, and none of `am`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EpdTask {
    best: Vec<UciMove>,
    avoid: Vec<UciMove>,
}

/// A task that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{opcode} {operand}: {source}")]
pub struct TaskError {
    opcode: &'static str,
    operand: String,
    source: Box<GameError>,
}

impl EpdTask {
    /// The task of a record in its position, if any.
    ///
    /// # Errors
    ///
    /// [`TaskError`] if `bm` or `am` has a move that cannot be read or played.
    pub fn of(record: &str, position: &Chess) -> Result<Option<EpdTask>, TaskError> {
        let moves = |opcode: &'static str| -> Result<Vec<UciMove>, TaskError> {
            let all: Vec<&str> = operands(record, opcode).collect();
            let failed =
                |source| TaskError { opcode, operand: all.join(", "), source: Box::new(source) };
            let words = all.iter().flat_map(|operand| {
                operand.split(|c: char| c.is_whitespace() || ",\"".contains(c)).map(plain)
            });
            let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
            if words.is_empty() && !all.is_empty() {
                return Err(failed(no_move(position, "")));
            }
            let legal = |word: &String| {
                let m = parse_move(position, word).map_err(failed)?;
                Ok(uci_of(position, m))
            };
            words.iter().map(legal).collect()
        };
        let task = EpdTask { best: moves("bm")?, avoid: moves("am")? };
        Ok((task != EpdTask::default()).then_some(task))
    }

    /// The moves that solve it; any does if this is empty.
    pub fn best(&self) -> &[UciMove] {
        &self.best
    }

    /// The moves to avoid.
    pub fn avoid(&self) -> &[UciMove] {
        &self.avoid
    }

    /// True if a move solves the task.
    pub fn is_solved_by(&self, uci: UciMove) -> bool {
        (self.best.is_empty() || self.best.contains(&uci)) && !self.avoid.contains(&uci)
    }
}

/// Reads records of EPD, or FENs, one a line; blank lines and comments (`#`, `;`) are skipped, and
/// operations other than `id`, `bm`, `am`, `hmvc` and `fmvn` do not count.
///
/// # Errors
///
/// Every line that is no position, with its number from 1.
pub fn read_epd(text: &str) -> Result<Vec<EpdRecord>, Vec<(usize, FenError)>> {
    let (mut records, mut errors) = (Vec::new(), Vec::new());
    let is_blank = |c: char| c.is_whitespace() || "\u{feff}\u{1a}\0".contains(c);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    for (line, record) in text.lines().map(|line| line.trim_matches(is_blank)).enumerate() {
        if record.is_empty() || record.starts_with(['#', ';']) {
            continue;
        }
        match parse_fen(record) {
            Ok(position) => {
                let (id, task) = (id_of(record), EpdTask::of(record, &position));
                records.push(EpdRecord { line: line + 1, id, position, task });
            }
            Err(error) => errors.push((line + 1, error)),
        }
    }
    if errors.is_empty() { Ok(records) } else { Err(errors) }
}

/// The operand of `id`: a string in quotes, or the word behind it.
fn id_of(record: &str) -> Option<String> {
    let operand = operand(record, "id")?.trim_matches('"');
    Some(operand.to_owned()).filter(|operand| !operand.is_empty())
}

/// The operand of the first operation of this name.
pub(super) fn operand<'r>(record: &'r str, opcode: &str) -> Option<&'r str> {
    operands(record, opcode).next()
}

/// The operands of all operations of this name, in any case.
fn operands<'r>(record: &'r str, opcode: &str) -> impl Iterator<Item = &'r str> {
    let mut rest = skip_fields(record).unwrap_or_default();
    let operations = std::iter::from_fn(move || {
        let (operation, tail) = rest.split_at(end_of_operation(rest));
        rest = tail.strip_prefix(';').unwrap_or(tail).trim_start();
        (!operation.is_empty() || !rest.is_empty()).then_some(operation.trim())
    });
    operations.filter_map(move |operation| {
        let end = operation.find(char::is_whitespace).unwrap_or(operation.len());
        let (name, operand) = operation.split_at(end);
        name.eq_ignore_ascii_case(opcode).then_some(operand.trim())
    })
}

/// The rest of a record behind the position's fields, and behind the clocks, if any.
fn skip_fields(record: &str) -> Option<&str> {
    let mut rest = record.trim_start();
    for _ in 0..4 {
        let end = rest.find(char::is_whitespace)?;
        rest = rest.get(end..)?.trim_start();
    }
    Some(rest.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace()))
}

/// The end of an operation: a semicolon inside quotes is part of the operand. A quote ends where
/// nothing of the operation follows it: names have quotes, too.
fn end_of_operation(text: &str) -> usize {
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        let ends = || {
            let rest = text.get(at + 1..).unwrap_or_default();
            rest.starts_with([';', ' ']) || rest.is_empty()
        };
        match c {
            '"' if !quoted => quoted = true,
            '"' if ends() => quoted = false,
            ';' if !quoted => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::fen_of;

    #[test]
    fn positions_are_read_with_their_names() {
        let text = "\u{feff}# a suite\n\n4k3/8/8/8/8/8/8/4K2R w K - bm O-O; id \"castle; or not\";\n\
            ; another\n  4k3/8/8/8/8/8/4P3/4K3 w - - 3 7\r\n4k3/8/8/8/8/8/4P3/4K3 b - - id WAC.001;\n\
            4k3/8/8/8/8/8/3P4/4K3 w - - 0 1; id \"six fields\";\u{1a}\0\0\n\0";
        let records = read_epd(text).unwrap();
        let names: Vec<_> = records.iter().map(|r| (r.line, r.id.as_deref())).collect();
        let names_right =
            [(3, Some("castle; or not")), (5, None), (6, Some("WAC.001")), (7, Some("six fields"))];
        assert_eq!(names, names_right);
        assert_eq!(fen_of(&records[1].position), "4k3/8/8/8/8/8/4P3/4K3 w - - 3 7");
    }

    #[test]
    fn every_line_that_is_no_position_is_named() {
        let text = "4k3/8/8/8/8/8/8/4K2R w K -\nnonsense\n\n8/8/8/8/8/8/8/4K3 w - -\n";
        let errors = read_epd(text).unwrap_err();
        let lines: Vec<usize> = errors.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 4]);
    }

    #[test]
    fn a_task_is_to_find_a_move_or_to_avoid_one() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let task = |operations: &str| {
            read_epd(&format!("{start} {operations}")).unwrap().remove(0).task.unwrap()
        };
        let solves = |operations: &str, uci: &str| {
            task(operations).map(|task| task.is_solved_by(uci.parse().unwrap()))
        };
        assert_eq!(solves("bm e4 Nf3; id \"a; bm d4\";", "g1f3"), Some(true));
        assert_eq!(solves("id \"a; bm d4\"; bm e4 Nf3;", "d2d4"), Some(false));
        assert_eq!(solves("am f3 g4;", "f2f3"), Some(false));
        assert_eq!(solves("am f3;", "e2e4"), Some(true));
        assert_eq!(solves("bm e4+!; am d4;", "e2e4"), Some(true));
        assert_eq!(solves("bm e4, Nf3;", "g1f3"), Some(true));
        assert_eq!(solves("bm e2-e4 Ng1f3", "e2e4"), Some(true));
        assert_eq!((task("id \"a\";"), task("bmx e4;")), (None, None));
    }

    #[test]
    fn a_task_that_cannot_be_read_is_told() {
        let text = "8/P6k/8/8/8/8/7K/8 w - - bm a8Q;\n8/P6k/8/8/8/8/7K/8 w - - bm a8; id \"r\";\n\
            8/P6k/8/8/8/8/7K/8 w - - am Kxy, Kg2;\n8/P6k/8/8/8/8/7K/8 w - - bm --;\r\
            8/P6k/8/8/8/8/7K/8 w - - bm ;\r\n8/P6k/8/8/8/8/7K/8 w - - BM a8=Q; bm a8=N; id \"a\"b\";\r\u{1a}";
        let records = read_epd(text).unwrap();
        assert!(
            records[0]
                .task
                .as_ref()
                .unwrap()
                .as_ref()
                .unwrap()
                .is_solved_by("a7a8q".parse().unwrap())
        );
        let error = |index: usize| records[index].task.as_ref().unwrap_err().to_string();
        assert!(error(1).starts_with("bm a8: \"1. a8\" is illegal in 8/P6k"), "{}", error(1));
        assert!(error(3).starts_with("bm --: ") && error(4).starts_with("bm : "), "{}", error(4));
        let both = records[5].task.as_ref().unwrap().as_ref().unwrap();
        assert!(both.is_solved_by("a7a8q".parse().unwrap()));
        assert!(both.is_solved_by("a7a8n".parse().unwrap()));
        assert_eq!((records.len(), records[5].id.as_deref()), (6, Some("a\"b")));
        assert!(error(2).starts_with("am Kxy, Kg2: \"1. Kxy\" is not a move"), "{}", error(2));
    }

    #[test]
    fn the_clocks_of_a_record_count() {
        let record = "4k3/8/8/8/8/8/3P4/4K3 w - - hmvc 12; fmvn 34; id \"clocks\";";
        let records = read_epd(record).unwrap();
        assert_eq!(fen_of(&records[0].position), "4k3/8/8/8/8/8/3P4/4K3 w - - 12 34");
        for wrong in ["hmvc x;", "fmvn -1;", "moves d2d4", "moves d2d4;", "hello world"] {
            let errors = read_epd(&format!("4k3/8/8/8/8/8/3P4/4K3 w - - {wrong}")).unwrap_err();
            assert_eq!(errors[0].0, 1, "{wrong}");
        }
    }
}
