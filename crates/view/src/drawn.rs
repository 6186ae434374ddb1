//! The best move's draw: the end that makes it one, and the cost of avoiding it.

use serde::Serialize;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::Value;
use deepanalyze_core::tree::{DrawnBest, DrawnBy, Growth, NodeId, drawn_best};

use crate::json::{self, EndOfLine, NamedMove};
use crate::verdict::{ChosenBy, Verdict};
use crate::words::figures::pawns;
use crate::words::{PointOfView, after, numbered_line, seen};

/// A draw that is the best there is, as programs read it. Scores are the mover's.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Drawn"))]
pub struct DrawnObject<'a> {
    /// The end that makes it one.
    by: EndOfLine,
    /// The moves up to it.
    #[serde(serialize_with = "json::line")]
    #[cfg_attr(feature = "contract", schemars(with = "Vec<String>"))]
    line: &'a [UciMove],
    /// The best move that avoids it; null if none does.
    avoiding: Option<Avoiding>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
struct Avoiding {
    #[serde(flatten)]
    named: NamedMove,
    alpha: Value,
    /// In centipawns; null where the move is mated.
    cost: Option<u32>,
}

impl DrawnObject<'_> {
    /// From a position.
    pub fn of<'a>(start: &Chess, drawn: &'a DrawnBest) -> DrawnObject<'a> {
        let avoiding = drawn.avoiding.as_ref().map(|avoiding| Avoiding {
            named: NamedMove::of(start, avoiding.uci),
            alpha: avoiding.alpha,
            cost: drawn.cost(),
        });
        DrawnObject { by: drawn.by.into(), line: &drawn.best.line, avoiding }
    }
}

/// The draw that is best where a path of the tree ends; `None` if a closing search's other move is
/// shown.
pub fn drawn_told(growth: &Growth, path: &[NodeId], told: Option<&Verdict>) -> Option<DrawnBest> {
    let is_other = told.is_some_and(|told| told.by == ChosenBy::Closing && !told.agree());
    if is_other { None } else { drawn_best(growth.graph(), growth.values(), path) }
}

/// Describes it: `by repetition after 31... Kg8; avoiding it costs 0.32 (31. f4)`.
pub fn describe_drawn(start: &Chess, drawn: &DrawnBest, pov: PointOfView) -> String {
    let (last, before) = drawn
        .best
        .line
        .split_last()
        .map_or((None, &[][..]), |(last, before)| (Some(*last), before));
    let at = last.map(|last| numbered_line(&after(start, before), &[last]));
    let at = at.map_or_else(String::new, |at| format!(" after {at}"));
    let by = in_words(drawn.by);
    let Some(avoiding) = &drawn.avoiding else {
        return format!("{by}{at}; no move of the tree avoids it");
    };
    let named = numbered_line(start, &[avoiding.uci]);
    let price = match drawn.cost() {
        Some(0) => "costs nothing".to_owned(),
        Some(cost) => format!("costs {}", pawns(cost)),
        None => format!("leads to {}", seen(avoiding.alpha, start.turn(), pov)),
    };
    format!("{by}{at}; avoiding it {price} ({named})")
}

impl From<DrawnBy> for EndOfLine {
    fn from(by: DrawnBy) -> EndOfLine {
        match by {
            DrawnBy::Repetition(_) => EndOfLine::Repetition,
            DrawnBy::Stalemate => EndOfLine::Stalemate,
            DrawnBy::Material => EndOfLine::InsufficientMaterial,
            DrawnBy::Tables(_) => EndOfLine::Tables,
            DrawnBy::Given => EndOfLine::Value,
        }
    }
}

fn in_words(by: DrawnBy) -> &'static str {
    match by {
        DrawnBy::Repetition(_) => "by repetition",
        DrawnBy::Stalemate => "by stalemate",
        DrawnBy::Material => "by too little material",
        DrawnBy::Tables(_) => "by the tablebases",
        DrawnBy::Given => "by your word",
    }
}
