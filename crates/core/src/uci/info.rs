//! Output of an engine: its options, the lines of a search, the move, notes.

use std::fmt;
use std::time::Duration;

use shakmaty::uci::UciMove;

use crate::printable::printable;

use crate::chess::Score;

/// The longest note; GUIs show one line.
const LONGEST_NOTE: usize = 300;

/// One line of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info<'a, M = UciMove> {
    /// Plies.
    pub depth: u32,
    /// The greatest ply reached.
    pub seldepth: u32,
    /// The line's rank, from 1.
    pub multipv: usize,
    /// The score for the side to move.
    pub score: Score,
    /// `lowerbound` or `upperbound`, if the score is only a bound.
    pub bound: Option<&'static str>,
    /// Wins, draws and losses per thousand, for the side to move.
    pub wdl: Option<[i32; 3]>,
    /// Positions searched.
    pub nodes: u64,
    /// Share of the table in use, in permille.
    pub hashfull: usize,
    /// Time since the search began.
    pub time: Duration,
    /// The moves.
    pub pv: &'a [M],
}

impl<M: fmt::Display> fmt::Display for Info<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Info { depth, seldepth, multipv, nodes, hashfull, .. } = self;
        write!(f, "info depth {depth} seldepth {seldepth} multipv {multipv} score ")?;
        match self.score {
            Score::Cp(cp) => write!(f, "cp {cp}"),
            Score::Mate(moves) => write!(f, "mate {moves}"),
        }?;
        if let Some(bound) = self.bound {
            write!(f, " {bound}")?;
        }
        if let Some([win, draw, loss]) = self.wdl {
            write!(f, " wdl {win} {draw} {loss}")?;
        }
        let millis = self.time.as_millis();
        let nps = u128::from(*nodes) * 1000 / millis.max(1);
        write!(f, " nodes {nodes} nps {nps} hashfull {hashfull} time {millis} pv")?;
        self.pv.iter().try_for_each(|m| write!(f, " {m}"))
    }
}

/// The line that ends a search: the move to play, if any, and the expected reply.
pub fn best_move(best: Option<impl fmt::Display>, ponder: Option<impl fmt::Display>) -> String {
    match (best, ponder) {
        (Some(best), Some(ponder)) => format!("bestmove {best} ponder {ponder}"),
        (Some(best), None) => format!("bestmove {best}"),
        (None, _) => "bestmove (none)".to_owned(),
    }
}

/// A note for people. It may quote any input: a line stays a line.
pub fn note(text: &str) -> String {
    let clean: String = printable(text).chars().take(LONGEST_NOTE).collect();
    format!("info string {}", clean.trim_end())
}

/// One `option` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionLine {
    /// The name.
    pub name: String,
    /// Its kind.
    pub kind: OptionKind,
}

/// Kind of an option, and its default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Check(bool),
    /// A number from the least to the greatest.
    Spin {
        /// The default.
        default: i64,
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// The default.
        default: String,
        /// The words.
        choices: Vec<String>,
    },
    /// Any text.
    Text(String),
    /// It is pressed.
    Button,
}

impl OptionLine {
    /// An option of a name.
    pub fn new(name: impl Into<String>, kind: OptionKind) -> OptionLine {
        OptionLine { name: name.into(), kind }
    }
}

impl fmt::Display for OptionLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Check(default) => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            OptionKind::Combo { default, choices } => {
                write!(f, "combo default {default}")?;
                choices.iter().try_for_each(|choice| write!(f, " var {choice}"))
            }
            OptionKind::Text(default) if default.is_empty() => {
                write!(f, "string default <empty>")
            }
            OptionKind::Text(default) => write!(f, "string default {default}"),
            OptionKind::Button => write!(f, "button"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_all_its_words_in_the_usual_order() {
        let info = Info {
            depth: 12,
            seldepth: 20,
            multipv: 2,
            score: Score::Mate(-3),
            bound: Some("upperbound"),
            wdl: Some([0, 10, 990]),
            nodes: 5000,
            hashfull: 7,
            time: Duration::from_millis(250),
            pv: &["e2e4", "e7e5"],
        };
        let text = "info depth 12 seldepth 20 multipv 2 score mate -3 upperbound wdl 0 10 990 \
                    nodes 5000 nps 20000 hashfull 7 time 250 pv e2e4 e7e5";
        assert_eq!(info.to_string(), text);
        let bare = Info { score: Score::Cp(-7), bound: None, wdl: None, ..info };
        assert!(bare.to_string().contains(" score cp -7 nodes 5000 "));
    }

    #[test]
    fn a_note_stays_a_line() {
        assert_eq!(note("a\nbestmove\r e2e4\0"), "info string a bestmove  e2e4");
        assert!(note(&"ü".repeat(5000)).chars().count() < 400);
    }

    #[test]
    fn a_search_ends_with_a_move_or_none() {
        let none = None::<&str>;
        assert_eq!(best_move(Some("e2e4"), Some("e7e5")), "bestmove e2e4 ponder e7e5");
        assert_eq!(best_move(Some("e2e4"), none), "bestmove e2e4");
        assert_eq!(best_move(none, Some("e7e5")), "bestmove (none)");
    }

    #[test]
    fn every_kind_is_declared_as_uci_wants_it() {
        let line = |kind| OptionLine::new("A b", kind).to_string();
        let spin = OptionKind::Spin { default: 1, min: 0, max: 9 };
        let choices = vec!["x y".to_owned(), "z".to_owned()];
        let combo = OptionKind::Combo { default: "z".to_owned(), choices };
        for (kind, rest) in [
            (OptionKind::Check(true), "check default true"),
            (spin, "spin default 1 min 0 max 9"),
            (combo, "combo default z var x y var z"),
            (OptionKind::Text(String::new()), "string default <empty>"),
            (OptionKind::Text("a b".to_owned()), "string default a b"),
            (OptionKind::Button, "button"),
        ] {
            assert_eq!(line(kind), format!("option name A b type {rest}"));
        }
    }
}
