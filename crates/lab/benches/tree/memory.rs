//! Memory of trees and passes.

use deepanalyze_core::chess::Game;
use deepanalyze_core::tree::{Growth, Values, count_visits, requests};

use crate::allocated::measure;
use crate::endgame;
use crate::layers::{DEPTH, DISTANCE, Layers};

/// Prints a pass's work on a graph, and its memory.
pub fn report_pass(layers: &Layers) {
    let Layers { graph, root, analysed } = layers;
    let per = |bytes: usize| bytes as f64 / *analysed as f64;
    let (values, kept, more) = measure(|| Values::of(graph));
    let visits = count_visits(graph, &values, *root, &DISTANCE.into(), DEPTH);
    println!(
        "{analysed} analysed of {} positions, {:.2} moves each, largest circle {}: {visits} visits",
        graph.len(),
        graph.listed_moves() as f64 / *analysed as f64,
        values.largest_component(graph),
    );
    println!("  values: {:.0} bytes a position, {:.0} more at the peak", per(kept), per(more));
    let (asked, kept, more) = measure(|| requests(graph, &values, *root, &DISTANCE.into(), DEPTH));
    println!(
        "  visit: {} requests, {:.0} bytes a position at the peak",
        asked.len(),
        per(kept + more),
    );
}

/// Prints the memory of a tree of real chess positions.
pub fn report_growth(analysed: u64) {
    let start = Game::from_position(shakmaty::Chess::default());
    let (growth, kept, _) = measure(|| endgame::broad(&start, analysed));
    let growth: Growth = growth;
    let graph = growth.graph();
    println!(
        "{} analysed of {} chess positions, {:.2} moves each, with keys: {:.0} bytes a position",
        growth.analysed(),
        graph.len(),
        graph.listed_moves() as f64 / growth.analysed() as f64,
        kept as f64 / growth.analysed() as f64,
    );
    let (values, kept, more) = measure(|| Values::of(graph));
    let per = |bytes: usize| bytes as f64 / growth.analysed() as f64;
    println!("  values: {:.0} bytes a position, {:.0} more at the peak", per(kept), per(more));
    println!("  largest circle {}", values.largest_component(graph));
}
