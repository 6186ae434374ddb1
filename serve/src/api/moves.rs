//! Moves as the API tells them: in UCI notation and in SAN.

use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::san_of;
use deepanalyze_report::after;

/// A move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MoveObject {
    uci: String,
    /// In SAN.
    pub san: String,
}

impl MoveObject {
    /// A move of a position.
    pub fn of(position: &Chess, uci: UciMove) -> MoveObject {
        MoveObject { uci: uci.to_string(), san: san_of(position, uci) }
    }
}

/// The moves of a line.
pub fn line_object(start: &Chess, line: &[UciMove]) -> Vec<MoveObject> {
    let mut position = start.clone();
    let object = |uci: &UciMove| {
        let object = MoveObject::of(&position, *uci);
        position = after(&position, [uci]);
        object
    };
    line.iter().map(object).collect()
}
