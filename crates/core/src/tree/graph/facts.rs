//! What is known of a position besides its moves, in one byte.

use shakmaty::Color;

use super::Graph;
use crate::chess::{Ending, Value};

/// Why a position is an end, as far as three bits can say it.
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

    /// That of a position which tables know.
    pub(super) fn of_tables(value: Value) -> EndKind {
        match value.cmp(&Value::EVEN) {
            std::cmp::Ordering::Less => EndKind::TablesLost,
            std::cmp::Ordering::Equal => EndKind::TablesDrawn,
            std::cmp::Ordering::Greater => EndKind::TablesWon,
        }
    }

    /// Whether it is a draw; none where that is for the user's word to say.
    pub(super) fn is_drawn(self) -> Option<bool> {
        match self {
            EndKind::Over(ending) => Some(ending != Ending::Checkmate),
            EndKind::TablesDrawn => Some(true),
            EndKind::TablesWon | EndKind::TablesLost => Some(false),
            EndKind::Valued => None,
        }
    }

    /// What it is worth for the side to move, to which a draw is worth so much; none where that is the user's word.
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

/// Side to move, end, and what else is true of a position, in one byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts(pub(super) u8);

impl Facts {
    pub(super) const BLACK: u8 = 1;
    /// It occurred at least twice in the game before the root.
    pub(super) const REPEATED: u8 = 2;
    /// Why it is an end: three bits from here on.
    pub(super) const END: u8 = 2;
    /// Whether it is an end.
    pub(super) const ENDS: u8 = 7 << Facts::END;
    /// The user wants nothing asked here.
    pub(super) const STOPPED: u8 = 32;
    /// Something is said of its moves beside its list: by the user, or by what is played.
    pub(super) const DIRECTED: u8 = 64;
    /// It has a listed move that counts.
    pub(super) const ANALYSED: u8 = 128;

    pub(super) fn new(turn: Color, end: Option<EndKind>) -> Facts {
        Facts(u8::from(turn == Color::Black)).with_end(end)
    }

    /// The same as another end, or as none.
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
