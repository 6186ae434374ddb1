//! What is known of a position besides its moves, in one byte.

use shakmaty::Color;

use crate::chess::Ending;

/// Side to move, ending, and what else is true of a position, in one byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts(pub(super) u8);

impl Facts {
    pub(super) const BLACK: u8 = 1;
    /// The game was here before the root.
    pub(super) const EARLIER: u8 = 2;
    /// Two bits.
    pub(super) const ENDING: u8 = 2;
    /// The user has given it a value.
    pub(super) const VALUED: u8 = 16;
    /// The user wants nothing asked here.
    pub(super) const STOPPED: u8 = 32;
    /// The user has said something of its moves.
    pub(super) const DIRECTED: u8 = 64;
    /// It has a listed move that counts.
    pub(super) const ANALYSED: u8 = 128;

    pub(super) fn new(turn: Color, ending: Option<Ending>) -> Facts {
        let ending = match ending {
            None => 0,
            Some(Ending::Checkmate) => 1,
            Some(Ending::Stalemate) => 2,
            Some(Ending::InsufficientMaterial) => 3,
        };
        Facts(u8::from(turn == Color::Black) | ending << Facts::ENDING)
    }

    pub(super) fn is(self, fact: u8) -> bool {
        self.0 & fact != 0
    }

    pub(super) fn turn(self) -> Color {
        if self.0 & Facts::BLACK == 0 { Color::White } else { Color::Black }
    }

    pub(super) fn ending(self) -> Option<Ending> {
        match self.0 >> Facts::ENDING & 3 {
            0 => None,
            1 => Some(Ending::Checkmate),
            2 => Some(Ending::Stalemate),
            _ => Some(Ending::InsufficientMaterial),
        }
    }
}
