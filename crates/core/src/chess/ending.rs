//! Endings of a game in a position.

use shakmaty::{Chess, Position};

/// The end of a game in a position, whatever the clocks say (ALGORITHM, section 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Neither side can ever mate with the material left.
    InsufficientMaterial,
}

impl Ending {
    /// The ending of a position, if the game is over there.
    pub fn of(position: &Chess) -> Option<Ending> {
        Ending::with(position, position.legal_moves().len())
    }

    /// [`Ending::of`] with a known number of legal moves: listing them is most of the work.
    pub fn with(position: &Chess, legal_moves: usize) -> Option<Ending> {
        if legal_moves == 0 {
            Some(if position.is_check() { Ending::Checkmate } else { Ending::Stalemate })
        } else if position.is_insufficient_material() {
            Some(Ending::InsufficientMaterial)
        } else {
            None
        }
    }

    /// The ending's name, as JSON and SQL have it.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Checkmate => "checkmate",
            Ending::Stalemate => "stalemate",
            Ending::InsufficientMaterial => "insufficient material",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_fen;

    #[test]
    fn material_endings_are_those_of_the_algorithm_page() {
        for (epd, ending) in [
            ("8/8/4k3/8/8/3K4/8/8 w - -", true),
            ("8/8/4k3/8/8/3KN3/8/8 w - -", true),
            ("8/8/4k1b1/8/8/3K4/8/8 w - -", true),
            ("8/8/4k1b1/8/8/3K1B2/8/8 w - -", true),
            ("8/8/4k1b1/8/8/3KB3/8/8 w - -", false),
            ("8/8/4k1n1/8/8/3KN3/8/8 w - -", false),
            ("8/8/4k3/8/8/3KNN2/8/8 w - -", false),
            ("8/8/4k1n1/8/8/3KB3/8/8 w - -", false),
            ("8/8/4k3/8/8/3KP3/8/8 w - -", false),
        ] {
            let position = parse_fen(epd).unwrap();
            let found = Ending::of(&position) == Some(Ending::InsufficientMaterial);
            assert_eq!(found, ending, "{epd}");
        }
    }

    #[test]
    fn mate_and_stalemate_come_before_material() {
        let stalemate = parse_fen("7k/5K2/6B1/8/8/8/8/8 b - -").unwrap();
        assert_eq!(Ending::of(&stalemate), Some(Ending::Stalemate));
        let mate = parse_fen("R5k1/5ppp/8/8/8/8/8/6K1 b - -").unwrap();
        assert_eq!(Ending::of(&mate), Some(Ending::Checkmate));
    }
}
