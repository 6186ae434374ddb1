//! Trees of real chess, grown from synthetic scores: each position has one, a hash of its key.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use deepanalyze_core::chess::{Game, PositionKey, Value, legal_uci, parse_fen};
use deepanalyze_core::tree::{Growth, NodeId, Service};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

/// How the scores spread, in centipawns.
const SPREAD: u64 = 60;

fn score(position: &Chess) -> i64 {
    let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(PositionKey::of(position));
    (hash % (2 * SPREAD + 1)) as i64 - SPREAD as i64
}

/// The moves of a position as the synthetic engine lists them, best first.
pub fn list(position: &Chess) -> Vec<(UciMove, Value)> {
    let mut moves: Vec<(UciMove, Value)> = Vec::new();
    for uci in legal_uci(position) {
        let mut child = position.clone();
        let Ok(m) = uci.to_move(position) else { continue };
        child.play_unchecked(m);
        moves.push((uci, Value::new(score(&child)).unwrap_or_default()));
    }
    moves.sort_by_key(|(_, eval)| std::cmp::Reverse(*eval));
    moves
}

fn serve(growth: &Growth, service: &mut Service) {
    let list = list(&growth.position(service.node()));
    while service.wants_search() {
        let (uci, eval) = list[service.next_rank()];
        service.answer(uci, eval);
    }
}

/// Grows from a position until a depth is settled or `analysed` positions are there.
pub fn grow(fen: &str, distance: u32, depth: u32, analysed: u64) -> Option<Growth> {
    let mut growth = Growth::new(&Game::from_position(parse_fen(fen).ok()?), distance);
    while growth.depth() <= depth && growth.analysed() < analysed {
        let mut services = growth.requests();
        for service in &mut services {
            serve(&growth, service);
        }
        growth.finish_pass(services).ok()?;
    }
    Some(growth)
}

/// A tree in which each position has its one to four best moves, breadth first.
pub fn broad(game: &Game, analysed: u64) -> Growth {
    let mut growth = Growth::new(game, 20);
    let mut next = 0;
    while growth.analysed() < analysed {
        let end = growth.graph().len().min(next + (analysed - growth.analysed()) as usize);
        let nodes = (next..end).map(NodeId::from_index);
        let open = nodes.filter(|node| growth.graph().ending(*node).is_none());
        let lists = open.map(|node| {
            let mut list = list(&growth.position(node));
            list.truncate([1, 2, 2, 4][node.index() % 4]);
            (node, list)
        });
        let lists = lists.collect();
        if growth.admit(lists).is_err() {
            break;
        }
        next = end;
    }
    growth
}
