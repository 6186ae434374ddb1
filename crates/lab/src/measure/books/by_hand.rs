//! A book as people make one with an engine: one search finds the best move where the player is to
//! move, three find the best replies where the opponent is, breadth first.

use std::collections::{HashSet, VecDeque};
use std::io::Write;
use std::path::Path;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::search::{Limit, Search};
use deepanalyze_engine::{Event, Pool};
use deepanalyze_report::{polyglot_key, polyglot_move};

use super::Made;
use crate::failure::LabFailure;

/// Replies of the opponent that are followed.
const REPLIES: usize = 3;

/// Nodes of a book, and of each of its searches.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    pub whole: u64,
    pub search: u64,
}

/// Writes the book of a side. No position is searched once the whole budget is spent.
pub fn write(
    opening: &Chess,
    side: Color,
    budget: Budget,
    engine: &mut Pool,
    path: &Path,
) -> Result<Made, LabFailure> {
    let (mut made, mut entries) = (Made::default(), Vec::new());
    let mut seen = HashSet::from([PositionKey::of(opening)]);
    let mut open = VecDeque::from([opening.clone()]);
    while made.nodes < budget.whole
        && let Some(position) = open.pop_front()
    {
        let is_own = position.turn() == side;
        let moves = best_moves(
            &position,
            if is_own { 1 } else { REPLIES },
            budget.search,
            engine,
            &mut made,
        )?;
        if let (true, Some(best)) = (is_own, moves.first()) {
            let m = polyglot_move(&position, *best);
            entries.extend(m.map(|m| (polyglot_key(&position), m)));
        }
        for uci in moves {
            let Ok(m) = uci.to_move(&position) else { continue };
            let mut next = position.clone();
            next.play_unchecked(m);
            if !next.is_game_over() && seen.insert(PositionKey::of(&next)) {
                open.push_back(next);
            }
        }
    }
    entries.sort_unstable();
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    for (key, m) in entries {
        file.write_all(&key.to_be_bytes())?;
        file.write_all(&m.to_be_bytes())?;
        file.write_all(&u16::MAX.to_be_bytes())?;
        file.write_all(&[0; 4])?;
    }
    file.flush()?;
    Ok(made)
}

/// The best moves, as MultiPV has them: each with the nodes of a search, on the hash of the ones
/// before it.
fn best_moves(
    position: &Chess,
    wanted: usize,
    nodes: u64,
    engine: &mut Pool,
    made: &mut Made,
) -> Result<Vec<UciMove>, LabFailure> {
    let mut moves = Vec::new();
    while moves.len() < wanted.min(position.legal_moves().len()) {
        let search = Search { position: position.clone(), excluded: moves.clone() };
        made.searches += 1;
        engine.submit_as(made.searches, search, Limit::Nodes(nodes), !moves.is_empty());
        let answer = loop {
            match engine.events().recv()? {
                Event::Answered { answer, .. } => break answer,
                Event::Failed { error, .. } => return Err(error.into()),
                _ => {}
            }
        };
        made.nodes += answer.nodes;
        moves.push(answer.best);
    }
    Ok(moves)
}
