//! Tablebase results of positions, and their values.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use shakmaty::{Chess, Color, Position};

use crate::chess::{DrawValue, Value};

/// Result of a position with perfect play, for its side to move, the count of the fifty-move rule
/// beginning at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wdl {
    /// Lost.
    Loss,
    /// Lost, but for the fifty-move rule.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won, but for the fifty-move rule.
    CursedWin,
    /// Won.
    Win,
}

impl Wdl {
    const ALL: [Wdl; 5] = [Wdl::Loss, Wdl::BlessedLoss, Wdl::Draw, Wdl::CursedWin, Wdl::Win];

    /// From −2 (lost) to 2 (won), as Syzygy's tables have it.
    pub fn get(self) -> i8 {
        match self {
            Wdl::Loss => -2,
            Wdl::BlessedLoss => -1,
            Wdl::Draw => 0,
            Wdl::CursedWin => 1,
            Wdl::Win => 2,
        }
    }

    /// The result with such a number.
    pub fn new(number: i64) -> Option<Wdl> {
        Wdl::ALL.into_iter().find(|wdl| i64::from(wdl.get()) == number)
    }

    /// In words, as far as tables alone say it.
    pub fn words(self) -> &'static str {
        match self {
            Wdl::Loss => "lost",
            Wdl::BlessedLoss => "lost, but for the fifty-move rule",
            Wdl::Draw => "drawn",
            Wdl::CursedWin => "won, but for the fifty-move rule",
            Wdl::Win => "won",
        }
    }

    /// The result if the fifty moves run out before the next capture or pawn move.
    #[must_use]
    pub(super) fn late(self) -> Wdl {
        match self {
            Wdl::Win => Wdl::CursedWin,
            Wdl::Loss => Wdl::BlessedLoss,
            wdl => wdl,
        }
    }

    /// The result for the other side: of a position, for the move that led there.
    #[must_use]
    pub fn turned(self) -> Wdl {
        match self {
            Wdl::Loss => Wdl::Win,
            Wdl::BlessedLoss => Wdl::CursedWin,
            Wdl::Draw => Wdl::Draw,
            Wdl::CursedWin => Wdl::BlessedLoss,
            Wdl::Win => Wdl::Loss,
        }
    }
}

impl From<shakmaty_syzygy::Wdl> for Wdl {
    fn from(wdl: shakmaty_syzygy::Wdl) -> Wdl {
        match wdl {
            shakmaty_syzygy::Wdl::Loss => Wdl::Loss,
            shakmaty_syzygy::Wdl::BlessedLoss => Wdl::BlessedLoss,
            shakmaty_syzygy::Wdl::Draw => Wdl::Draw,
            shakmaty_syzygy::Wdl::CursedWin => Wdl::CursedWin,
            shakmaty_syzygy::Wdl::Win => Wdl::Win,
        }
    }
}

/// The fifty-move rule in positions that tables know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FiftyMoves {
    /// It counts: a win that takes too long is a draw.
    #[default]
    Fide,
    /// A win in the tables is a win: correspondence players claim it.
    Iccf,
}

impl fmt::Display for FiftyMoves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FiftyMoves::Fide => "fide",
            FiftyMoves::Iccf => "iccf",
        })
    }
}

impl FromStr for FiftyMoves {
    type Err = String;

    fn from_str(text: &str) -> Result<FiftyMoves, String> {
        let rule = [FiftyMoves::Fide, FiftyMoves::Iccf];
        let rule = rule.into_iter().find(|rule| rule.to_string() == text);
        rule.ok_or_else(|| format!("expected fide or iccf, not {text:?}"))
    }
}

/// Use of tablebases by an analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Tables {
    /// The largest number of men of a position that is looked up, kings included.
    pub men: u8,
    /// The fifty-move rule.
    pub fifty: FiftyMoves,
}

impl Tables {
    /// True if a position that is no end by the rules is looked up. Tables know nothing of
    /// castling.
    pub fn may_know(self, position: &Chess) -> bool {
        position.board().occupied().count() <= usize::from(self.men) && !position.castles().any()
    }

    /// True if a move of a position may lead to one that is looked up: few enough men are left
    /// after a capture.
    pub fn may_be_behind(self, position: &Chess) -> bool {
        position.board().occupied().count() <= usize::from(self.men) + 1
    }

    /// The value of a result for its side, in centipawns: won, lost or drawn.
    pub fn value(self, wdl: Wdl) -> Value {
        match (wdl, self.fifty) {
            (Wdl::Win, _) | (Wdl::CursedWin, FiftyMoves::Iccf) => Value::WON,
            (Wdl::Loss, _) | (Wdl::BlessedLoss, FiftyMoves::Iccf) => -Value::WON,
            _ => Value::EVEN,
        }
    }
}

/// A position that tables know, as an end of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TableEnd {
    /// The result for the side to move in the position.
    pub wdl: Wdl,
    /// Its value for that side.
    pub value: Value,
}

impl TableEnd {
    /// The ending's name, as JSON has it.
    pub const NAME: &str = "tables";

    /// Its value for its side, given the value of a draw.
    pub fn worth(self, draw: DrawValue, side: Color) -> Value {
        if self.value == Value::EVEN { draw.for_side(side) } else { self.value }
    }

    /// The end for the side that has moved.
    #[must_use]
    pub fn turned(self) -> TableEnd {
        TableEnd { wdl: self.wdl.turned(), value: -self.value }
    }

    /// The results in words, in the order of [`TableEnd::place`].
    pub const WORDS: [&str; 7] = [
        "won (tables)",
        "won, drawn by the fifty-move rule",
        "won, beyond the fifty-move rule (tables)",
        "drawn (tables)",
        "lost, beyond the fifty-move rule (tables)",
        "lost, drawn by the fifty-move rule",
        "lost (tables)",
    ];

    /// Index in [`TableEnd::WORDS`].
    pub fn place(self) -> usize {
        match (self.wdl, self.value == Value::EVEN) {
            (Wdl::Win, _) => 0,
            (Wdl::CursedWin, true) => 1,
            (Wdl::CursedWin, false) => 2,
            (Wdl::Draw, _) => 3,
            (Wdl::BlessedLoss, false) => 4,
            (Wdl::BlessedLoss, true) => 5,
            (Wdl::Loss, _) => 6,
        }
    }

    /// The result for the side that it is given for, in words.
    pub fn words(self) -> &'static str {
        TableEnd::WORDS.get(self.place()).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_fen;

    #[test]
    fn slow_win_is_won_without_the_fifty_move_rule() {
        let worth = |fifty| {
            let tables = Tables { men: 5, fifty };
            Wdl::ALL.map(|wdl| tables.value(wdl).get())
        };
        assert_eq!(worth(FiftyMoves::Fide), [-30_000, 0, 0, 0, 30_000]);
        assert_eq!(worth(FiftyMoves::Iccf), [-30_000, -30_000, 0, 30_000, 30_000]);
        for wdl in Wdl::ALL {
            assert_eq!(Wdl::new(wdl.get().into()), Some(wdl));
            assert_eq!(wdl.turned().get(), -wdl.get());
        }
        assert_eq!((Wdl::new(3), Wdl::new(-3)), (None, None));
    }

    #[test]
    fn a_result_is_told_with_what_the_rule_makes_of_it() {
        let words = |fifty| {
            let tables = Tables { men: 5, fifty };
            Wdl::ALL.map(|wdl| TableEnd { wdl, value: tables.value(wdl) }.words())
        };
        let [lost, blessed, drawn, cursed, won] = words(FiftyMoves::Fide);
        assert_eq!([lost, drawn, won], ["lost (tables)", "drawn (tables)", "won (tables)"]);
        assert_eq!(cursed, "won, drawn by the fifty-move rule");
        assert_eq!(blessed, "lost, drawn by the fifty-move rule");
        let [_, blessed, _, cursed, _] = words(FiftyMoves::Iccf);
        assert_eq!(cursed, "won, beyond the fifty-move rule (tables)");
        assert_eq!(blessed, "lost, beyond the fifty-move rule (tables)");
    }

    #[test]
    fn castling_rights_or_more_men_are_not_looked_up() {
        let tables = Tables { men: 3, fifty: FiftyMoves::Fide };
        let known = |fen| tables.may_know(&parse_fen(fen).unwrap());
        assert!(known("4k3/8/8/8/8/8/8/R3K3 w - -"));
        assert!(!known("4k3/8/8/8/8/8/8/R3K3 w Q -"));
        assert!(!known("4k3/8/8/8/8/8/P7/R3K3 w - -"));
    }
}
