//! Transpositions written out: the moves behind one are repeated wherever a line reaches it, for
//! readers who cannot follow references.

use deepanalyze_core::tree::{Growth, Layout, NodeId, Place, places};

use crate::tree::layout::TreeReport;

/// The most moves written; beyond, transpositions stay references.
const MOST_MOVES: usize = 200_000;

/// Adds places for positions that are reached again, and so on behind them, the nearest first. A
/// line ends where it returns to itself or to the game. Returns the number of transpositions that
/// stay references.
pub fn write_out(growth: &Growth, path: &[NodeId], layout: Layout, all: &mut Vec<Place>) -> usize {
    let mut moves: usize = all.iter().map(shown).sum();
    let first_ply = all.first().map_or(0, |place| place.ply);
    let end_ply = layout.plies.map_or(u32::MAX, |plies| first_ply.saturating_add(plies));
    let (mut referred, mut at) = (0, 0);
    while let Some(place) = all.get(at) {
        for index in again(growth, place, end_ply) {
            let next = if moves < MOST_MOVES {
                place_behind(growth, path, layout, &*all, at, index)
            } else {
                None
            };
            let number = all.len();
            let Some(child) = all.get_mut(at).and_then(|place| place.moves.get_mut(index)) else {
                continue;
            };
            child.transposition = next.is_none();
            child.place = next.as_ref().map(|_| number);
            referred += usize::from(next.is_none());
            moves += next.as_ref().map_or(0, shown);
            all.extend(next);
        }
        at += 1;
    }
    referred
}

/// Number of moves at a place.
pub fn shown(place: &Place) -> usize {
    place.moves.len() + place.aside.len()
}

/// The moves of a place with more to write behind them.
fn again(growth: &Growth, place: &Place, end_ply: u32) -> Vec<usize> {
    if place.ply + 1 >= end_ply {
        return Vec::new();
    }
    let moves = place.moves.iter().enumerate();
    let again = moves.filter(|(_, child)| {
        let goes_on = growth.graph().is_analysed(child.edge.child);
        child.place.is_none() && !child.repetition && goes_on
    });
    again.map(|(index, _)| index).collect()
}

/// The place behind a move of another, as its own.
fn place_behind(
    growth: &Growth,
    path: &[NodeId],
    layout: Layout,
    all: &[Place],
    at: usize,
    index: usize,
) -> Option<Place> {
    let mut behind = vec![all.get(at)?.moves.get(index)?.edge.child];
    let mut next = all.get(at);
    while let Some((place, (before, _))) = next.and_then(|place| Some((place, place.parent?))) {
        behind.push(place.node);
        next = all.get(before);
    }
    behind.reverse();
    let nodes = [path, &behind].concat();
    let one = Layout { plies: Some(1), best_line_first: false, ..layout };
    let found = places(growth.graph(), growth.values(), &nodes, growth.breadth(), one);
    let mut place = found.into_iter().next()?;
    place.parent = Some((at, index));
    Some(place)
}

impl TreeReport<'_> {
    /// Says that some transpositions are not written out.
    pub fn not_written_out(&self) -> Option<String> {
        let words = match self.referred {
            0 => return None,
            1 => "one transposition is".to_owned(),
            more => format!("{more} transpositions are"),
        };
        Some(format!(
            "{words} not written out: more than {MOST_MOVES} moves are too many; --plies or --max-variations \
            takes fewer"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::layout::ReportStart;
    use crate::tree::{PrintOptions, TreeFormat};
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::directives::Directives;
    use deepanalyze_core::tree::{Lists, grown_of};
    use deepanalyze_view::testing::kept_of;

    /// Two orders of moves lead to one position, behind which a line returns to the root.
    const LISTS: &Lists<'_> = &[
        ("", &[("g1f3", 30), ("b1c3", 28)]),
        ("Nf3", &[("g8f6", -30)]),
        ("Nf3 Nf6", &[("b1c3", 30), ("f3g1", 29)]),
        ("Nf3 Nf6 Ng1", &[("f6g8", -29)]),
        ("Nf3 Nf6 Nc3", &[("b8c6", -30)]),
        ("Nc3", &[("g8f6", -28)]),
        ("Nc3 Nf6", &[("g1f3", 28)]),
    ];

    fn pgn(write_out: bool, plies: Option<u32>) -> String {
        let game = Game::from_start("startpos").unwrap();
        let tree = kept_of(&game, grown_of(&game, 10, LISTS), Directives::default());
        let options = PrintOptions { write_out, plies, ..PrintOptions::of(TreeFormat::Pgn) };
        let start = ReportStart::behind(&tree, "").unwrap();
        let report = TreeReport::new(&tree, start, options);
        assert_eq!(report.left_out(), None);
        let mut text = Vec::new();
        report.write(80, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap().replace('\n', " ");
        let moves =
            text.split(" { alpha: ").nth(1).and_then(|text| text.split_once('}')).unwrap().1;
        let mut kept = String::new();
        let mut rest = moves;
        while let Some((before, comment)) = rest.split_once('{') {
            let (comment, behind) = comment.split_once('}').unwrap();
            kept += before;
            kept += if comment.contains("see ") { "(see) " } else { "" };
            kept += if comment.contains("repetition") { "(again) " } else { "" };
            rest = behind;
        }
        kept += rest;
        let words = kept.split_whitespace().filter(|word| !word.starts_with('$'));
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn transpositions_are_repeated_until_a_line_returns() {
        let line = "1. Nf3 ( 1. Nc3 1... Nf6 2. Nf3 (see) ) 1... Nf6 2. Nc3 ( 2. Ng1 2... Ng8 (again) ) \
            2... Nc6 *";
        assert_eq!(pgn(false, None), line);
        let written = line.replace("2. Nf3 (see)", "2. Nf3 2... Nc6");
        assert_eq!(pgn(true, None), written);
        assert_eq!(
            pgn(true, Some(3)),
            "1. Nf3 ( 1. Nc3 1... Nf6 2. Nf3 ) 1... Nf6 2. Nc3 ( 2. Ng1 ) *"
        );
    }
}
