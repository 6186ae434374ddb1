//! Reading commands: by hand, since every number's range and every move is checked anyway.

/// A line from the GUI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Empty or unknown: ignored.
    Nothing,
    /// Identify the engine.
    Uci,
    /// Reply when all before is done.
    IsReady,
    /// Later commands have nothing to do with earlier ones.
    NewGame,
    /// Set an option.
    SetOption {
        /// Its name, as it was given.
        name: String,
        /// The value; empty if there is none.
        value: String,
    },
    /// The position to search, or why it cannot be read.
    Position(Result<Position, String>),
    /// Begin a search.
    Go(Go),
    /// End the search now.
    Stop,
    /// The expected move was played: the clock counts from now on.
    PonderHit,
    /// Leave.
    Quit,
}

/// A position as it was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// None for the initial position.
    pub fen: Option<String>,
    /// The moves from there.
    pub moves: Vec<String>,
}

/// Limits as they were given: both clocks, moves not read yet. None set: search until `stop`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Plies of depth.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// A mate in this many moves.
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
    /// Unreadable text that is ignored, in a player's words.
    pub ignored: Vec<String>,
}

/// The milliseconds of a move whose limits cannot be read: without any, a search goes on until it is stopped.
const UNREADABLE_LIMIT: u64 = 1000;

/// Reads a line. Words in front of a command are ignored, as UCI has it.
///
/// # Errors
///
/// The reason why an option cannot be set, in a player's words.
pub fn parse(line: &str) -> Result<Command, String> {
    let mut words = line.split_whitespace();
    while let Some(word) = words.next() {
        return Ok(match word {
            "uci" => Command::Uci,
            "isready" => Command::IsReady,
            "ucinewgame" => Command::NewGame,
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit,
            "quit" => Command::Quit,
            "setoption" => set_option(words)?,
            "position" => Command::Position(position(words)),
            "go" => Command::Go(go(words)),
            // These need no action, and the words behind are theirs.
            "debug" | "register" => Command::Nothing,
            _ => continue,
        });
    }
    Ok(Command::Nothing)
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

fn position<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Position, String> {
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
    Ok(Position { fen: fen.map(|fields| fields.join(" ")), moves: moves.unwrap_or_default() })
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

/// The limits as far as they can be read: whatever stands there, a `go` is answered.
fn go<'a>(words: impl Iterator<Item = &'a str>) -> Go {
    let mut words = words.peekable();
    let (mut go, mut unread) = (Go::default(), Vec::new());
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
            let given = words.next_if(|next| !GO_WORDS.contains(next)).unwrap_or_default();
            match number(given) {
                Some(value) => limit(&mut go, word, value),
                None => {
                    let not = if given.is_empty() { "" } else { &format!(", not {given:?}") };
                    go.ignored.push(format!("go {word} needs a number{not}"));
                    unread.push(word);
                }
            }
        } else {
            go.ignored.push(format!("go does not know {word:?}"));
        }
    }
    replace_unread(&mut go, &unread);
    go
}

/// Replaces limits that cannot be read, if nothing else ends the search in time: by the other
/// side's clock for a clock, else by a short time.
fn replace_unread(go: &mut Go, unread: &[&str]) {
    let [white, black] = go.clocks;
    if unread.contains(&"wtime") {
        go.clocks[0] = white.or(black);
    }
    if unread.contains(&"btime") {
        go.clocks[1] = black.or(white);
    }
    let is_limited = go.depth.is_some()
        || go.nodes.is_some()
        || go.mate.is_some()
        || go.move_time.is_some()
        || go.clocks.iter().any(Option::is_some);
    if !unread.is_empty() && !is_limited && !go.infinite {
        go.move_time = Some(UNREADABLE_LIMIT);
        go.ignored.push("go has no limit that can be read: the move takes a second".to_owned());
    }
}

/// A number without its fraction; below 0 it counts as 0 (clocks run over), too large as the
/// largest.
fn number(text: &str) -> Option<u64> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().unwrap_or(u64::MAX));
    }
    // Some GUIs write fractions in their language, with its decimal comma.
    let number: f64 = text.replace(',', ".").parse().ok()?;
    // Such a cast ends at the bounds.
    number.is_finite().then_some(number as u64)
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
    }

    #[test]
    fn what_cannot_be_read_of_go_is_ignored_and_named() {
        for (line, expected) in [
            ("go wtime 1000.5 btime 1000", Go { clocks: [Some(1000); 2], ..Go::default() }),
            ("go movetime .75", Go { move_time: Some(0), ..Go::default() }),
            ("go movetime 99,9", Go { move_time: Some(99), ..Go::default() }),
            ("go movetime 1.5e3", Go { move_time: Some(1500), ..Go::default() }),
            ("go btime -0.5", Go { clocks: [None, Some(0)], ..Go::default() }),
            ("go depth +8", Go { depth: Some(8), ..Go::default() }),
        ] {
            assert_eq!(parsed(line), expected, "{line}");
        }
        let named = |line: &str, expected: Go, words: &[&str]| {
            let mut go = parsed(line);
            let told = std::mem::take(&mut go.ignored).join("; ");
            assert!(words.iter().all(|word| told.contains(word)), "{line}: {told}");
            assert_eq!(go, expected, "{line}");
        };
        let move_time = |time| Go { move_time: Some(time), ..Go::default() };
        for word in ["movetime", "depth", "nodes", "mate", "wtime", "movestogo"] {
            for given in ["", " abc", " nan", " inf", " 1_000", " --5", " 5ms"] {
                let line = format!("go {word}{given}");
                named(&line, move_time(1000), &[word, given.trim(), "a second"]);
            }
        }
        named("go depth movetime 50", move_time(50), &["depth needs a number"]);
        let clocks = Go { clocks: [Some(700); 2], ..Go::default() };
        named("go wtime x btime 700", clocks.clone(), &["wtime"]);
        named("go btime wtime 700", clocks, &["btime"]);
        let infinite = Go { infinite: true, ..Go::default() };
        named("go infinite depth x", infinite, &["depth"]);
        named("go hello", Go::default(), &["\"hello\""]);
        named("go perft 2 depth 3", Go { depth: Some(3), ..Go::default() }, &["perft", "\"2\""]);
    }

    #[test]
    fn unknown_words_in_front_of_a_command_are_ignored() {
        assert_eq!(parse("joho go depth 3").unwrap(), parse("go depth 3").unwrap());
        assert_eq!(parse("hello\u{7f} \t").unwrap(), Command::Nothing);
        assert_eq!(parse("register name quit code 1").unwrap(), Command::Nothing);
        assert!(matches!(parse("position foo").unwrap(), Command::Position(Err(_))));
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
