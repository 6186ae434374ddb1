//! The stability of the best move: by how much which of the engine's scores would have to be wrong
//! for another one.

use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Value;
use deepanalyze_core::tree::{Flip, MOST_CHANGE, MovedLeaf, Stability};

use crate::json::{self, NamedMove};
use crate::verdict::Verdict;
use crate::words::figures::pawns;
use crate::words::{PointOfView, after, numbered_line, numbered_move, seen};

/// Greatest number of leaves named.
const NAMED: usize = 3;
/// Plies written at the beginning and at the end of a line that is longer than both.
const PLIES: [usize; 2] = [4, 2];

/// The stability of the best move as JSON. Scores are the mover's.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Stability"))]
pub struct StabilityObject<'a> {
    /// No smaller change of the engine's scores makes another move the best, in centipawns.
    at_least: u32,
    /// The smallest one found that does.
    flip: Option<FlipFound<'a>>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Flip"))]
struct FlipFound<'a> {
    change: u32,
    /// The best move then.
    #[serde(flatten)]
    best: NamedMove,
    leaves: Vec<LeafMoved<'a>>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
struct LeafMoved<'a> {
    #[serde(serialize_with = "json::line")]
    #[cfg_attr(feature = "contract", schemars(with = "Vec<String>"))]
    line: &'a [UciMove],
    from: Value,
    to: Value,
}

impl StabilityObject<'_> {
    /// From a root.
    pub fn of<'a>(root: &Chess, stability: &'a Stability) -> StabilityObject<'a> {
        let leaf =
            |leaf: &'a MovedLeaf| LeafMoved { line: &leaf.line, from: leaf.from, to: leaf.to };
        let flip = |flip: &'a Flip| FlipFound {
            change: flip.change,
            best: NamedMove::of(root, flip.best),
            leaves: flip.leaves.iter().map(leaf).collect(),
        };
        StabilityObject { at_least: stability.at_least, flip: stability.flip.as_ref().map(flip) }
    }
}

/// Describes it: `even if every score is off by less than 0.05; 1. d4 can be best if these 2 are off
/// by that much (1. e4 e5 +0.33 → +0.28, 1. d4 d5 +0.24 → +0.29)`. It is about the tree's move, which
/// is named if another one is the verdict.
pub fn describe_holds(
    root: &Chess,
    stability: &Stability,
    told: Option<&Verdict>,
    pov: PointOfView,
) -> String {
    let holds = holds_in_tree(root, stability, pov);
    match told.and_then(Verdict::overruled) {
        Some(best) => format!("in the tree, for {}: {holds}", numbered_move(root, best)),
        None => holds,
    }
}

/// As a sentence about the verdict's move: `It stays best even if …`; about the tree's, if the
/// verdict is another one: `In the tree, 3... Nf6 stays best even if …`.
pub fn sentence_of_holds(
    root: &Chess,
    stability: &Stability,
    told: Option<&Verdict>,
    pov: PointOfView,
) -> String {
    let holds = holds_in_tree(root, stability, pov);
    match told.and_then(Verdict::overruled) {
        Some(best) => format!("In the tree, {} stays best {holds}", numbered_move(root, best)),
        None => format!("It stays best {holds}"),
    }
}

fn holds_in_tree(root: &Chess, stability: &Stability, pov: PointOfView) -> String {
    let least = pawns(stability.at_least.min(MOST_CHANGE));
    let Some(flip) = &stability.flip else {
        return if stability.at_least > MOST_CHANGE {
            format!("even if every score is off by up to {least}")
        } else {
            format!("even if every score is off by less than {least}")
        };
    };
    let named: Vec<String> =
        flip.leaves.iter().take(NAMED).map(|leaf| describe_leaf(root, leaf, pov)).collect();
    let others = flip.leaves.len().saturating_sub(NAMED);
    let more = if others > 0 { format!(", and {others} more") } else { String::new() };
    let best = numbered_line(root, &[flip.best]);
    let these = match flip.leaves.len() {
        1 => "this one is".to_owned(),
        count => format!("these {count} are all"),
    };
    let off = if stability.is_exact() { "that much".to_owned() } else { pawns(flip.change) };
    let leaves = named.join(", ");
    format!(
        "even if every score is off by less than {least}; {best} can be best if {these} off by {off} ({leaves}{more})"
    )
}

/// `1. e4 e5 2. Nf3 Nc6 … 14. Rd1 Nf6 +0.33 → +0.28`.
fn describe_leaf(root: &Chess, leaf: &MovedLeaf, pov: PointOfView) -> String {
    let score = |value| seen(value, leaf.mover, pov);
    format!("{} {} → {}", describe_line(root, &leaf.line), score(leaf.from), score(leaf.to))
}

/// A line, cut in the middle where it is long: `1. e4 e5 2. Nf3 Nc6 … 14. Rd1 Nf6`.
pub fn describe_line(root: &Chess, line: &[UciMove]) -> String {
    let [first, last] = PLIES;
    let behind = line.len().saturating_sub(last);
    if behind <= first {
        return numbered_line(root, line);
    }
    let (start, end) = (line.get(..first).unwrap_or(line), line.get(behind..).unwrap_or_default());
    let there = after(root, line.iter().take(behind));
    format!("{} … {}", numbered_line(root, start), numbered_line(&there, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::tree::{grown_of, stability};

    const LISTS: [(&str, &[(&str, i32)]); 3] = [
        ("", &[("e2e4", 30), ("d2d4", 24)]),
        ("e4", &[("e7e5", -33), ("c7c5", -40)]),
        ("d4", &[("g8f6", -23)]),
    ];

    fn told(lists: &deepanalyze_core::tree::Lists<'_>, pov: PointOfView) -> Option<String> {
        let game = Game::from_start("startpos").unwrap();
        let growth = grown_of(&game, 30, lists);
        let stability = stability(growth.graph(), growth.values(), growth.root())?;
        Some(describe_holds(game.root(), &stability, None, pov))
    }

    #[test]
    fn flip_is_described_with_its_lines() {
        let right = "even if every score is off by less than 0.06; 1. d4 can be best if these 2 are \
            all off by that much (1. e4 e5 +0.33 → +0.28, 1. d4 Nf6 +0.23 → +0.29)";
        assert_eq!(told(&LISTS, PointOfView::White).as_deref(), Some(right));
        let movers = told(&LISTS, PointOfView::Mover).unwrap();
        assert!(movers.ends_with("(1. e4 e5 -0.33 → -0.28, 1. d4 Nf6 -0.23 → -0.29)"), "{movers}");
        assert_eq!(told(&[("", &[("e2e4", 30)])], PointOfView::White), None);
    }

    #[test]
    fn flip_not_proved_smallest_comes_with_the_bound() {
        let game = Game::from_start("startpos").unwrap();
        let growth = grown_of(&game, 30, &LISTS);
        let root = growth.root();
        let mut stability = stability(growth.graph(), growth.values(), root).unwrap();
        stability.at_least = 4;
        let told = describe_holds(game.root(), &stability, None, PointOfView::White);
        let right = "is off by less than 0.04; 1. d4 can be best if these 2 are all off by 0.06 \
            (1. e4 e5 +0.33";
        assert!(told.contains(right), "{told}");
        stability.flip = None;
        let told = describe_holds(game.root(), &stability, None, PointOfView::White);
        assert_eq!(told, "even if every score is off by less than 0.04");
    }

    #[test]
    fn unbeatable_move_holds_whatever_is_wrong() {
        let lists: [(&str, &[(&str, i32)]); 1] = [("", &[("e2e4", 2500), ("d2d4", 100)])];
        let right = "even if every score is off by up to 10.00";
        assert_eq!(told(&lists, PointOfView::White).as_deref(), Some(right));
    }

    #[test]
    fn long_lines_are_cut_in_the_middle() {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line("e4 e5 Nf3 Nc6 Bb5 a6 Ba4").unwrap();
        let start = Game::from_start("startpos").unwrap();
        let line = |plies: usize| describe_line(start.root(), &game.moves()[..plies]);
        assert_eq!(line(7), "1. e4 e5 2. Nf3 Nc6 … 3... a6 4. Ba4");
        assert_eq!(line(6), "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6");
    }
}
