//! How broad a tree is, in words and as JSON has it.

use serde::Serialize;

use deepanalyze_core::tree::Breadth;

use super::count;

/// `20 centipawns`, or `White 20, Black 0`, and `at least 4 root moves` where the user said so.
pub fn describe_breadth(breadth: &Breadth) -> String {
    match breadth.plain() {
        Some(distance) if breadth.least == 1 => count(distance.into(), "centipawn"),
        _ => breadth.to_string(),
    }
}

/// The same in JSON, beside what else identifies an analysis.
#[derive(Serialize)]
pub struct BreadthObject {
    /// Centipawns, where both sides have the same plain one.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<u32>,
    widths: WidthsObject,
    root_moves: u32,
}

#[derive(Serialize)]
struct WidthsObject {
    white: String,
    black: String,
}

impl BreadthObject {
    /// Of an analysis.
    pub fn of(breadth: &Breadth) -> BreadthObject {
        let (white, black) = (breadth.white.to_string(), breadth.black.to_string());
        let widths = WidthsObject { white, black };
        BreadthObject { distance: breadth.plain(), widths, root_moves: breadth.least }
    }
}
