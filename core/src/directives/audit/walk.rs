//! The positions that included moves lead to from the root.

use std::collections::BTreeSet;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::chess::{Ending, PositionKey};
use crate::directives::set::{Directives, Said};
use crate::tree::{Growth, Line, NodeId, PathSet};

/// A position of a skeleton, at the end of its shortest line.
#[derive(Debug)]
pub struct Spot {
    pub position: Chess,
    pub key: PositionKey,
    /// Where the tree has it.
    pub node: Option<NodeId>,
    /// The tree's path along the line.
    pub path: Option<PathSet>,
    /// The spot before it, and the move that leads here.
    pub parent: Option<(usize, UciMove)>,
    /// Whether nothing is analysed there.
    pub is_end: bool,
}

/// All positions that included moves lead to from the root, each once: the nearest ones first, those of
/// the same distance in the order of their lines.
pub fn spots(growth: &Growth, directives: &Directives, line: &mut Line<'_>) -> Vec<Spot> {
    let root = growth.position(growth.root());
    let first = spot(growth, directives, line, root, None, None);
    let mut seen = BTreeSet::from([first.key]);
    let mut spots = vec![first];
    let mut next = 0;
    while let Some(here) = spots.get(next) {
        let (position, path) = (here.position.clone(), here.path);
        let moves = if here.is_end { &[] } else { included(directives, &here.key) };
        for uci in moves {
            let Ok(m) = uci.to_move(&position) else { continue };
            let mut after = position.clone();
            after.play_unchecked(m);
            if seen.insert(PositionKey::of(&after)) {
                let parent = Some((next, *uci));
                spots.push(spot(growth, directives, line, after, path, parent));
            }
        }
        next += 1;
    }
    spots
}

fn spot(
    growth: &Growth,
    directives: &Directives,
    line: &mut Line<'_>,
    position: Chess,
    before: Option<PathSet>,
    parent: Option<(usize, UciMove)>,
) -> Spot {
    let key = PositionKey::of(&position);
    let node = growth.find(&key);
    let is_end = is_end(growth, directives, &position, &key);
    let path = node.map_or(before, |node| line.extend(before, node));
    Spot { position, key, node, path, parent, is_end }
}

/// Whether nothing is analysed at a position: the game is over or was here before, tables know the result, or
/// the user has given it a value or stopped it.
pub fn is_end(
    growth: &Growth,
    directives: &Directives,
    position: &Chess,
    key: &PositionKey,
) -> bool {
    let said = directives.at(key);
    Ending::of(position).is_some()
        || said.is_some_and(|said: &Said| said.value.is_some() || said.stop)
        || growth.find(key).is_some_and(|node| {
            growth.graph().is_earlier(node) || growth.graph().known(node).is_some()
        })
}

/// The included moves of a position, by UCI text.
pub fn included<'a>(directives: &'a Directives, key: &PositionKey) -> &'a [UciMove] {
    directives.at(key).map_or(&[], |said| &said.include)
}

/// The moves from the root to a position.
pub fn line_to(spots: &[Spot], mut index: usize) -> Vec<UciMove> {
    let mut line = Vec::new();
    while let Some((before, uci)) = spots.get(index).and_then(|spot| spot.parent) {
        line.push(uci);
        index = before;
    }
    line.reverse();
    line
}
