//! Reading commands: by hand, since every number's range and every move is checked anyway.

use crate::builtin::board::Board;
use crate::builtin::moves::Move;
use crate::builtin::time::Limits;
use crate::chess::parse_fen;

/// A line from the GUI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Empty or unknown: ignored.
    Nothing,
    Uci,
    IsReady,
    NewGame,
    SetOption {
        name: String,
        value: String,
    },
    Position(Position),
    Go(Go),
    Stop,
    PonderHit,
    Quit,
}

/// A position as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Nothing for the initial position.
    pub fen: Option<String>,
    pub moves: Vec<String>,
}

/// Limits as they were given: both clocks, moves not read yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Everything that does not depend on the position.
    pub limits: Limits,
    /// White's and black's time and increment.
    pub clocks: [Option<u64>; 2],
    pub increments: [u64; 2],
    pub search_moves: Option<Vec<String>>,
}

/// Reads a line.
///
/// # Errors
///
/// Why a known command cannot be carried out, in a player's words.
pub fn parse(line: &str) -> Result<Command, String> {
    let mut words = line.split_whitespace();
    Ok(match words.next() {
        Some("uci") => Command::Uci,
        Some("isready") => Command::IsReady,
        Some("ucinewgame") => Command::NewGame,
        Some("stop") => Command::Stop,
        Some("ponderhit") => Command::PonderHit,
        Some("quit") => Command::Quit,
        Some("setoption") => set_option(words)?,
        Some("position") => position(words)?,
        Some("go") => Command::Go(go(words)?),
        _ => Command::Nothing,
    })
}

fn set_option<'a>(words: impl Iterator<Item = &'a str>) -> Result<Command, String> {
    let words: Vec<&str> = words.collect();
    if words.first() != Some(&"name") {
        return Err("setoption without a name".to_owned());
    }
    let at = words.iter().position(|&word| word == "value");
    let end = at.unwrap_or(words.len());
    let name = words.get(1..end).unwrap_or_default().join(" ");
    let value = at.and_then(|at| words.get(at + 1..)).unwrap_or_default().join(" ");
    Ok(Command::SetOption { name, value })
}

fn position<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Command, String> {
    let mut fen = None;
    match words.next() {
        Some("startpos") => {}
        Some("fen") => fen = Some(Vec::new()),
        _ => return Err("position needs startpos or fen".to_owned()),
    }
    let mut moves = None;
    for word in words {
        match (&mut moves, &mut fen) {
            (None, _) if word == "moves" => moves = Some(Vec::new()),
            (Some(moves), _) => moves.push(word.to_owned()),
            (None, Some(fields)) => fields.push(word),
            (None, None) => {}
        }
    }
    Ok(Command::Position(Position {
        fen: fen.map(|fields| fields.join(" ")),
        moves: moves.unwrap_or_default(),
    }))
}

/// The words that `go` knows; a list of moves ends at one.
const GO_WORDS: [&str; 12] = [
    "depth",
    "nodes",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "mate",
    "infinite",
    "ponder",
    "searchmoves",
];

fn go<'a>(words: impl Iterator<Item = &'a str>) -> Result<Go, String> {
    let mut words = words.peekable();
    let mut go = Go::default();
    while let Some(word) = words.next() {
        if word == "infinite" {
            go.limits.infinite = true;
        } else if word == "ponder" {
            go.limits.ponder = true;
        } else if word == "searchmoves" {
            let mut moves = Vec::new();
            while let Some(text) = words.next_if(|next| !GO_WORDS.contains(next)) {
                moves.push(text.to_owned());
            }
            go.search_moves = Some(moves);
        } else if GO_WORDS.contains(&word) {
            let given = words.next().unwrap_or_default();
            let Some(value) = number(given) else {
                return Err(format!("go {word} needs a number, not {given:?}"));
            };
            limit(&mut go, word, value);
        }
    }
    Ok(go)
}

/// A number; what is below 0 counts as 0 (clocks run over), what is too large as the largest.
fn number(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(if text.starts_with('-') { 0 } else { digits.parse().unwrap_or(u64::MAX) })
}

fn limit(go: &mut Go, word: &str, value: u64) {
    let small = u32::try_from(value).unwrap_or(u32::MAX);
    match word {
        "depth" => go.limits.depth = Some(small.max(1)),
        "nodes" => go.limits.nodes = Some(value.max(1)),
        "movetime" => go.limits.move_time = Some(value),
        "mate" => go.limits.mate = Some(small.max(1)),
        "movestogo" => go.limits.moves_to_go = Some(value),
        "wtime" => go.clocks[0] = Some(value),
        "btime" => go.clocks[1] = Some(value),
        "winc" => go.increments[0] = value,
        _ => go.increments[1] = value,
    }
}

/// The limits for a position.
///
/// # Errors
///
/// The first of the moves to search that is not legal.
pub fn limits(go: &Go, board: &Board) -> Result<Limits, String> {
    let mut limits = go.limits.clone();
    let side = usize::from(board.turn() == shakmaty::Color::Black);
    limits.clock = go.clocks[side];
    limits.increment = go.increments[side];
    if let Some(texts) = &go.search_moves {
        for text in texts {
            let m = legal(board, text).ok_or_else(|| format!("{text:?} is not legal here"))?;
            limits.search_moves.push(m);
        }
        if texts.is_empty() {
            return Err("go searchmoves names no move".to_owned());
        }
    }
    Ok(limits)
}

fn legal(board: &Board, text: &str) -> Option<Move> {
    let text = text.to_ascii_lowercase();
    board.legal_moves().into_iter().find(|m| m.to_string() == text)
}

/// The position after all moves, and the keys of those before.
///
/// # Errors
///
/// What is wrong with the FEN, or the first move that is not legal.
pub fn play(position: &Position) -> Result<(Board, Vec<u64>), String> {
    let start = match &position.fen {
        Some(fen) => parse_fen(fen).map_err(|error| error.to_string())?,
        None => shakmaty::Chess::default(),
    };
    let mut board = Board::new(&start);
    let mut earlier = Vec::new();
    for (index, text) in position.moves.iter().enumerate() {
        let m = legal(&board, text)
            .ok_or_else(|| format!("move {} of the position, {text:?}, is not legal", index + 1))?;
        earlier.push(board.key());
        board = board.play(m);
    }
    Ok((board, earlier))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Go {
        match parse(line).unwrap() {
            Command::Go(go) => go,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn all_of_go_is_read() {
        let go = parsed(
            "go  wtime 100 btime -5 winc 1 binc 2 movestogo 40 searchmoves e2e4 d2d4 depth 9",
        );
        assert_eq!(go.clocks, [Some(100), Some(0)]);
        assert_eq!(go.increments, [1, 2]);
        assert_eq!(go.search_moves.unwrap(), ["e2e4", "d2d4"]);
        assert_eq!((go.limits.depth, go.limits.moves_to_go), (Some(9), Some(40)));
        assert!(parsed("go ponder infinite").limits.ponder);
        assert_eq!(parsed("go depth 99999999999999999999").limits.depth, Some(u32::MAX));
        assert!(parse("go depth x").is_err());
        assert!(parse("go nodes").is_err());
        assert_eq!(parsed("go hello"), Go::default());
    }

    #[test]
    fn option_names_and_values_may_have_blanks() {
        assert_eq!(
            parse("setoption name Clear Hash").unwrap(),
            Command::SetOption { name: "Clear Hash".into(), value: String::new() }
        );
        assert_eq!(
            parse(" setoption name BookFile value /a b/c.bin\r\n").unwrap(),
            Command::SetOption { name: "BookFile".into(), value: "/a b/c.bin".into() }
        );
        assert!(parse("setoption Hash 3").is_err());
    }

    #[test]
    fn positions_are_played_and_refused() {
        let at = |line: &str| match parse(line)? {
            Command::Position(position) => play(&position),
            other => panic!("{other:?}"),
        };
        let (board, earlier) = at("position startpos moves e2e4 e7e5 g1f3").unwrap();
        assert_eq!(earlier.len(), 3);
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
        assert_eq!(at(&format!("position fen {fen}")).unwrap().0, board);
        assert!(at("position startpos moves e2e5").unwrap_err().contains("move 1"));
        assert!(at("position fen 8/8/8/8/8/8/8/8 w - - 0 1").is_err());
        assert!(at("position").is_err());
        let (board, _) = at("position fen 8/P6k/8/8/8/8/7K/8 w - - 0 1 moves a7a8Q").unwrap();
        assert!(board.role_at(shakmaty::Square::A8) == Some(shakmaty::Role::Queen));
    }
}
