//! Reading commands: by hand, since every number's range and every move is checked anyway.

/// A line from the GUI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Empty or unknown: ignored.
    Nothing,
    /// Who are you?
    Uci,
    /// Say so when all before is done.
    IsReady,
    /// What comes has nothing to do with what was.
    NewGame,
    /// An option is set.
    SetOption {
        /// Its name, as it was given.
        name: String,
        /// The value; empty where there is none.
        value: String,
    },
    /// The position to search.
    Position(Position),
    /// A search begins.
    Go(Go),
    /// The search ends now.
    Stop,
    /// The expected move was played: the clock counts from now on.
    PonderHit,
    /// Leave.
    Quit,
}

/// A position as it was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Nothing for the initial position.
    pub fen: Option<String>,
    /// The moves from there.
    pub moves: Vec<String>,
}

/// Limits as they were given: both clocks, moves not read yet. Nothing set means: until told to stop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Plies of depth.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// A mate in so many moves.
    pub mate: Option<u32>,
    /// Milliseconds for this move.
    pub move_time: Option<u64>,
    /// White's and black's time in milliseconds.
    pub clocks: [Option<u64>; 2],
    /// White's and black's increment in milliseconds.
    pub increments: [u64; 2],
    /// Moves until the next time control.
    pub moves_to_go: Option<u64>,
    /// No answer before `stop`.
    pub infinite: bool,
    /// The opponent has not played the expected move yet.
    pub ponder: bool,
    /// Only these moves.
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
            go.infinite = true;
        } else if word == "ponder" {
            go.ponder = true;
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
        "depth" => go.depth = Some(small.max(1)),
        "nodes" => go.nodes = Some(value.max(1)),
        "movetime" => go.move_time = Some(value),
        "mate" => go.mate = Some(small.max(1)),
        "movestogo" => go.moves_to_go = Some(value),
        "wtime" => go.clocks = [Some(value), go.clocks[1]],
        "btime" => go.clocks = [go.clocks[0], Some(value)],
        "winc" => go.increments = [value, go.increments[1]],
        _ => go.increments = [go.increments[0], value],
    }
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
        assert_eq!((go.depth, go.moves_to_go), (Some(9), Some(40)));
        assert!(parsed("go ponder infinite").ponder);
        assert_eq!(parsed("go depth 99999999999999999999").depth, Some(u32::MAX));
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
}
