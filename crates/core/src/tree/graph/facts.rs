//! Facts of a position besides its moves, in one byte.

use shakmaty::Color;

use super::Graph;
use crate::chess::{Ending, Value};

/// Kind of an end, as far as three bits allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndKind {
    /// By the rules.
    Over(Ending),
    /// The user has given it a value.
    Valued,
    /// Tables know it as worth nothing to either side, or as won or lost for the side to move.
    TablesDrawn,
    TablesWon,
    TablesLost,
}

impl EndKind {
    const ALL: [EndKind; 7] = [
        EndKind::Over(Ending::Checkmate),
        EndKind::Over(Ending::Stalemate),
        EndKind::Over(Ending::InsufficientMaterial),
        EndKind::Valued,
        EndKind::TablesDrawn,
        EndKind::TablesWon,
        EndKind::TablesLost,
    ];

    /// The kind of a position that tables know.
    pub(super) fn of_tables(value: Value) -> EndKind {
        match value.cmp(&Value::EVEN) {
            std::cmp::Ordering::Less => EndKind::TablesLost,
            std::cmp::Ordering::Equal => EndKind::TablesDrawn,
            std::cmp::Ordering::Greater => EndKind::TablesWon,
        }
    }

    /// True if it is a draw; None if that depends on the user's value.
    pub(super) fn is_drawn(self) -> Option<bool> {
        match self {
            EndKind::Over(ending) => Some(ending != Ending::Checkmate),
            EndKind::TablesDrawn => Some(true),
            EndKind::TablesWon | EndKind::TablesLost => Some(false),
            EndKind::Valued => None,
        }
    }

    /// The value for the side to move, given that of a draw; None if the user has given it.
    pub(super) fn value(self, draw: Value) -> Option<Value> {
        match self {
            EndKind::Over(ending) => Some(Graph::end_value(ending, draw)),
            EndKind::TablesDrawn => Some(draw),
            EndKind::TablesWon => Some(Value::WON),
            EndKind::TablesLost => Some(-Value::WON),
            EndKind::Valued => None,
        }
    }
}

/// Side to move, end, and other facts of a position, in one byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts(pub(super) u8);

impl Facts {
    pub(super) const BLACK: u8 = 1;
    /// It occurred at least twice in the game before the root.
    pub(super) const REPEATED: u8 = 2;
    /// Kind of the end: three bits from here on.
    pub(super) const END: u8 = 2;
    /// Set if it is an end.
    pub(super) const ENDS: u8 = 7 << Facts::END;
    /// The user has stopped it.
    pub(super) const STOPPED: u8 = 32;
    /// It has directives or played moves besides its list.
    pub(super) const DIRECTED: u8 = 64;
    /// It has a listed move that counts.
    pub(super) const ANALYSED: u8 = 128;

    pub(super) fn new(turn: Color, end: Option<EndKind>) -> Facts {
        Facts(u8::from(turn == Color::Black)).with_end(end)
    }

    /// These facts with another end, or with none.
    pub(super) fn with_end(self, end: Option<EndKind>) -> Facts {
        let place = EndKind::ALL.iter().position(|kind| Some(*kind) == end);
        let number = place.map_or(0, |place| place as u8 + 1);
        Facts(self.0 & !Facts::ENDS | number << Facts::END)
    }

    pub(super) fn is(self, fact: u8) -> bool {
        self.0 & fact != 0
    }

    pub(super) fn turn(self) -> Color {
        if self.0 & Facts::BLACK == 0 { Color::White } else { Color::Black }
    }

    pub(super) fn end(self) -> Option<EndKind> {
        let number = usize::from((self.0 & Facts::ENDS) >> Facts::END);
        number.checked_sub(1).map(|place| EndKind::ALL[place])
    }
}
