//! UCI as text: commands to an engine, the meaning of its lines, and the answer they add up to. No
//! process, no thread, no clock.
//!
//! vampirc-uci is used only here: it writes all commands, and reads all lines but `info` and
//! `option`. It panics at numbers beyond its types, and takes words for others that begin alike. So
//! a line is dispatched by its first word, which must match exactly, and passed on without words
//! behind those that count.

mod lines;
mod offers;

use std::fmt;
use std::time::Duration;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, File, Rank, Role, Square};
use vampirc_uci::{Serializable, UciFen, UciPiece, UciSearchControl, UciSquare, UciTimeControl};

use deepanalyze_core::chess::epd_of;
use deepanalyze_core::printable::printable;
use deepanalyze_core::search::Limit;

use lines::read_info;
pub use lines::{NoAnswer, PrintedLines, ScoreBound, SearchInfo, exceeds, falls_short};
pub use offers::{Offer, OfferKind};
pub use offers::{Offers, OptionValue};
pub use vampirc_uci::UciMessage;

/// One line of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineLine {
    /// `id name`.
    Name(String),
    /// `option`.
    Option(Offer),
    /// `uciok`.
    UciOk,
    /// `readyok`.
    ReadyOk,
    /// `info` with any of the words that are used.
    Info(SearchInfo),
    /// `info string`.
    Note(String),
    /// `bestmove`; `None` if it says `(none)`, `0000` or no move at all.
    BestMove {
        /// The move, not yet checked against any position.
        best: Option<UciMove>,
        /// The word as written.
        said: String,
    },
    /// Anything else.
    Other,
}

/// Reads a line without its end. Never panics, whatever it says.
///
/// ```
/// use deepanalyze_core::chess::Score;
/// use deepanalyze_engine::{EngineLine, ScoreBound, read_line};
///
/// let line = "info depth 12 score cp 48 wdl 77 922 1 lowerbound nodes 20024 pv e2e4";
/// let EngineLine::Info(info) = read_line(line) else { panic!() };
/// assert_eq!(info.score, Some((Score::Cp(48), ScoreBound::Lower)));
/// assert_eq!(info.exact(), None); // a bound is no score
/// ```
pub fn read_line(line: &str) -> EngineLine {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word {
        "info" => read_info(rest),
        "option" => Offer::read(rest).map_or(EngineLine::Other, EngineLine::Option),
        "bestmove" => best_move(rest.split_whitespace().next().unwrap_or_default()),
        "id" => read_message(&one_blank_between(line)),
        "uciok" | "readyok" if rest.is_empty() => read_message(word),
        _ => EngineLine::Other,
    }
}

fn read_message(line: &str) -> EngineLine {
    match vampirc_uci::parse_one(line) {
        UciMessage::Id { name: Some(name), .. } => EngineLine::Name(kept_name(&name)),
        UciMessage::UciOk => EngineLine::UciOk,
        UciMessage::ReadyOk => EngineLine::ReadyOk,
        _ => EngineLine::Other,
    }
}

/// Bytes kept of an engine's name: engines' have some dozens, and longer ones in databases of
/// others are rejected.
const LONGEST_NAME: usize = 200;

/// An engine's name as shown and kept.
fn kept_name(name: &str) -> String {
    let name = printable(name);
    let end = name.floor_char_boundary(LONGEST_NAME);
    name.get(..end).unwrap_or_default().trim().to_owned()
}

/// vampirc takes the beginning of a word longer than a move: that is no move.
fn best_move(said: &str) -> EngineLine {
    let best = match vampirc_uci::parse_one(&format!("bestmove {said}")) {
        UciMessage::BestMove { best_move, .. } if best_move.to_string().len() == said.len() => {
            our_move(best_move)
        }
        _ => None,
    };
    EngineLine::BestMove { best, said: said.to_owned() }
}

/// The line of a message, with its end.
pub fn write_line(message: &UciMessage) -> String {
    let text = message.serialize();
    let mut line = match message {
        // Some engines stumble over a blank at the end.
        UciMessage::Go { .. } => one_blank_between(&text),
        // A button has no value, not even an empty one.
        UciMessage::SetOption { value: None, .. } => {
            text.strip_suffix(" value <empty>").unwrap_or(&text).to_owned()
        }
        _ => text,
    };
    line.push('\n');
    line
}

/// `position fen` with six fields: four crash some engines. The clocks are no part of a position.
pub fn position(position: &Chess) -> UciMessage {
    let fen = Some(UciFen(format!("{} 0 1", epd_of(position))));
    UciMessage::Position { startpos: false, fen, moves: Vec::new() }
}

/// End of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchEnd {
    /// A depth or node count.
    At(Limit),
    /// The engine's clock, after a time.
    After(Duration),
}

impl SearchEnd {
    /// The limit, unless it is a time.
    pub fn limit(self) -> Option<Limit> {
        match self {
            SearchEnd::At(limit) => Some(limit),
            SearchEnd::After(_) => None,
        }
    }
}

/// As in `go`: `depth 18`, `nodes 1000000`, `movetime 5000`.
impl fmt::Display for SearchEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchEnd::At(limit) => limit.fmt(f),
            SearchEnd::After(time) => write!(f, "movetime {}", time.as_millis()),
        }
    }
}

/// `go`; `searchmoves` comes last, since some engines take everything after it for a move. No
/// search is deeper than 255 plies or shorter than 1 ms.
pub fn go(end: SearchEnd, only: &[UciMove]) -> UciMessage {
    let search_moves = only.iter().filter_map(|m| their_move(*m)).collect();
    let (depth, nodes) = match end {
        SearchEnd::At(Limit::Depth(depth)) => (Some(u8::try_from(depth).unwrap_or(u8::MAX)), None),
        SearchEnd::At(Limit::Nodes(nodes)) => (None, Some(nodes)),
        SearchEnd::After(_) => (None, None),
    };
    let time_control = match end {
        SearchEnd::After(time) => {
            let ms = i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 1_000_000).max(1);
            Some(UciTimeControl::MoveTime(vampirc_uci::Duration::milliseconds(ms)))
        }
        SearchEnd::At(_) => None,
    };
    let search = UciSearchControl { search_moves, mate: None, depth, nodes };
    UciMessage::Go { time_control, search_control: Some(search) }
}

/// `setoption`; a button has no value.
pub fn set_option(name: &str, value: Option<&str>) -> UciMessage {
    UciMessage::SetOption { name: name.to_owned(), value: value.map(str::to_owned) }
}

fn one_blank_between(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn our_move(said: vampirc_uci::UciMove) -> Option<UciMove> {
    let square = |square: UciSquare| {
        let file = File::from_char(square.file.to_ascii_lowercase())?;
        Some(Square::from_coords(file, Rank::from_char(char::from_digit(square.rank.into(), 10)?)?))
    };
    let promotion = said.promotion.and_then(UciPiece::as_char).and_then(Role::from_char);
    Some(UciMove::Normal { from: square(said.from)?, to: square(said.to)?, promotion })
}

fn their_move(m: UciMove) -> Option<vampirc_uci::UciMove> {
    let UciMove::Normal { from, to, promotion } = m else {
        return None;
    };
    let square = |square: Square| UciSquare {
        file: square.file().char(),
        rank: u8::from(square.rank()) + 1,
    };
    let promotion = promotion.and_then(|role| role.char().to_string().parse().ok());
    Some(vampirc_uci::UciMove { from: square(from), to: square(to), promotion })
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::parse_fen;

    #[test]
    fn searchmoves_go_last_and_no_line_ends_in_a_blank() {
        let moves: Vec<UciMove> = vec!["e2e4".parse().unwrap(), "a7a8q".parse().unwrap()];
        let line = |end, moves: &[UciMove]| write_line(&go(end, moves));
        assert_eq!(line(SearchEnd::At(Limit::Depth(18)), &[]), "go depth 18\n");
        assert_eq!(
            line(SearchEnd::At(Limit::Nodes(1_000_000)), &moves),
            "go nodes 1000000 searchmoves e2e4 a7a8q\n"
        );
        let time = SearchEnd::After(Duration::from_secs(5));
        assert_eq!(line(time, &moves), "go movetime 5000 searchmoves e2e4 a7a8q\n");
    }

    #[test]
    fn positions_have_six_fields_and_initial_clocks() {
        let late = parse_fen("4k3/8/8/8/8/8/8/R3K3 w Q - 77 120").unwrap();
        let line = write_line(&position(&late));
        assert_eq!(line, "position fen 4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\n");
    }

    #[test]
    fn a_button_has_no_value_and_an_empty_string_is_said() {
        let line = |name, value| write_line(&set_option(name, value));
        assert_eq!(line("Clear Hash", None), "setoption name Clear Hash\n");
        assert_eq!(line("Eval File", Some("")), "setoption name Eval File value <empty>\n");
        assert_eq!(line("Eval File", Some("a  b")), "setoption name Eval File value a  b\n");
    }

    #[test]
    fn every_move_is_the_same_there_and_back() {
        for text in ["a1h8", "h8a1", "e1g1", "b7b8n", "b7a8b", "b2b1r", "g2h1q"] {
            let there = their_move(text.parse().unwrap()).unwrap();
            assert_eq!(there.to_string(), text);
            assert_eq!(our_move(there).unwrap().to_string(), text);
        }
    }
}
