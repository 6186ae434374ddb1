//! The tree as EPD: one line per analysed position.

use std::io::{self, Write};

use hashbrown::HashSet;
use shakmaty::Chess;

use deepanalyze_core::chess::{Score, epd_of, san_of};
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::{NodeId, Place};
use deepanalyze_store::Effort;

use crate::tree::layout::{TreeReport, uci_of};
use crate::tree::references::References;
use crate::tree::walk::note_line;
use deepanalyze_view::{ChosenBy, Verdict, after, describe_draw, numbered_line, sans_of};

/// The evaluation of a mate on the board, for the side that gives it; one less per ply to it.
const MATE: i32 = 32_767;

/// Writes the position of every place, or of the first plies, with its evaluation.
///
/// `acd` and `acn` are the engine's depth and nodes; `bm` the moves of the best alpha; `c0` the
/// user's note; `ce` (and `dm`) that alpha for the side to move; `id` the line to the place; `pv`
/// the best line from there. For a root with a closing search they are the verdict's, and `c1`
/// names its origin. `c2` in the first line gives the value of a draw, if it has one.
pub fn write_epd(report: &TreeReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (plies, efforts) = (report.options.plies, by_node(report, &report.efforts));
    let references = References::new(report);
    let first_ply = report.places.first().map_or(0, |place| place.ply);
    let printed = |place: &Place| plies.is_none_or(|plies| place.ply - first_ply < plies);
    let root_told = report.told();
    for (index, place) in report.places.iter().enumerate().filter(|(_, place)| printed(place)) {
        let Some(best) = place.moves.first().map(|best| Score::from(best.alpha)) else {
            continue;
        };
        let told = root_told.as_ref().filter(|_| index == 0);
        // The tree may have several best moves.
        let chosen = told.filter(|told| told.by == ChosenBy::Closing);
        let best = chosen.map_or(best, |chosen| chosen.choice.score());
        let position = report.position(place);
        write!(out, "{}", epd_of(&position))?;
        if let Some(effort) = efforts.get(place.node.index()).copied().flatten() {
            let depth = match report.tree.row.profile.limit {
                Limit::Depth(depth) => depth,
                Limit::Nodes(_) => effort.depth,
            };
            write!(out, " acd {depth}; acn {};", effort.nodes)?;
        }
        let moves = chosen.map(|chosen| san_of(&chosen.choice.root, chosen.best()));
        write!(out, " bm {};", moves.unwrap_or_else(|| best_moves(&position, place)))?;
        if let Some(note) = note_line(report.said(place.node)) {
            write!(out, " c0 \"{}\";", note.replace(['"', '\\'], "'"))?;
        }
        let whose = |told: &Verdict| told.describe(report.options.pov);
        if let Some(whose) = told.and_then(whose) {
            write!(out, " c1 \"{whose}\";")?;
        }
        let draw = Some(report.tree.row.settings.draw).filter(|_| index == 0);
        if let Some(worth) = draw.and_then(describe_draw) {
            write!(out, " c2 \"{worth}\";")?;
        }
        write!(out, " ce {};", centipawns(best))?;
        if let Score::Mate(mate @ 1..) = best {
            write!(out, " dm {mate};")?;
        }
        let line = numbered_line(report.tree.game.root(), &report.moves_to(index));
        let id = if line.is_empty() { "root" } else { &line };
        let pv = match chosen {
            Some(chosen) => sans_of(&position, &chosen.choice.moves),
            None => best_line(report, &references, index, position),
        };
        writeln!(out, " id \"{id}\"; pv {};", pv.join(" "))?;
    }
    Ok(())
}

/// Engine effort, per node of the graph.
fn by_node(report: &TreeReport<'_>, efforts: &[Effort]) -> Vec<Option<Effort>> {
    let mut of_nodes = vec![None; report.growth().graph().len()];
    for (node, position) in report.tree.rows.positions() {
        let found = efforts.binary_search_by_key(&position, |effort| effort.position);
        if let (Ok(found), Some(entry)) = (found, of_nodes.get_mut(node.index())) {
            *entry = efforts.get(found).copied();
        }
    }
    of_nodes
}

fn best_moves(position: &Chess, place: &Place) -> String {
    let best = place.moves.first().map(|best| best.alpha);
    let moves = place.moves.iter().take_while(|m| Some(m.alpha) == best);
    moves.map(|m| san_of(position, uci_of(m))).collect::<Vec<_>>().join(" ")
}

/// Centipawns for the side to move; a mate is as far from ±32767 as it has plies.
fn centipawns(score: Score) -> i32 {
    match score {
        Score::Cp(cp) => cp,
        Score::Mate(n) if n > 0 => MATE - (2 * n - 1),
        Score::Mate(n) => -(MATE + 2 * n),
    }
}

/// The first moves of the places, from one on, in SAN, until a position repeats.
fn best_line(
    report: &TreeReport<'_>,
    references: &References<'_>,
    start: usize,
    mut position: Chess,
) -> Vec<String> {
    let mut moves = Vec::new();
    let mut seen: HashSet<NodeId> = HashSet::new();
    let mut at = Some(start);
    while let Some(place) = at.and_then(|at| report.places.get(at)) {
        let Some(best) = place.moves.first().filter(|_| seen.insert(place.node)) else {
            break;
        };
        moves.push(san_of(&position, uci_of(best)));
        position = after(&position, [&uci_of(best)]);
        let goes_on = !best.repetition;
        at = goes_on.then(|| references.place_of(best.edge.child)).flatten();
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_count_plies_from_the_greatest_evaluation() {
        for (score, ce) in [
            (Score::Mate(1), 32_766),
            (Score::Mate(2), 32_764),
            (Score::Mate(-1), -32_765),
            (Score::Mate(0), -32_767),
            (Score::Cp(-31), -31),
        ] {
            assert_eq!(centipawns(score), ce, "{score:?}");
        }
    }
}
