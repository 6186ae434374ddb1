//! The reach of positions, and the gaps by which games leave the tree.

use deepanalyze_core::tree::{Edge, MoveCounts, NodeId};
use shakmaty::uci::UciMove;

use super::ground::{Ground, as_number};

/// Result of a walk from the root.
#[derive(Debug)]
pub struct Walk {
    /// By node, the sum over plies.
    pub reach: Vec<f64>,
    /// By node, the origin of most games when the first of them came: a position and a move.
    came: Vec<Option<(NodeId, UciMove)>>,
    /// By node, true if the tree ends there.
    ends: Vec<bool>,
    /// By ply, the chance that a game leaves the tree with a move from there. No longer than games
    /// go on in the tree.
    pub left: Vec<f64>,
    /// Plies before the tree's end: at each of them it goes on for a third of the games that are
    /// still in it.
    pub inside: u32,
    pub gaps: Vec<WideGap>,
}

/// A reply that does not count, and the chance of a game with it.
#[derive(Debug, Clone, Copy)]
pub struct WideGap {
    pub node: NodeId,
    pub uci: UciMove,
    pub leaves: f64,
}

/// Walks from the root for this many plies, or until no game goes on.
pub fn walk(ground: &Ground<'_>, expected: &[f64], root: NodeId, plies: u32) -> Walk {
    let len = ground.graph.len();
    let (reach, came, ends) = (vec![0.0; len], vec![None; len], ends(ground, root));
    let mut walk = Walk { reach, came, ends, left: Vec::new(), inside: 0, gaps: Vec::new() };
    let mut arriving = Arriving { most: vec![Arrival::default(); len], nodes: Vec::new() };
    let mut here = vec![(root, 1.0)];
    for ply in 0..=plies {
        walk.arrive(ground, &here);
        if ply < plies {
            for (node, likely) in &here {
                follow(ground, expected, *node, |edge, share| {
                    arriving.add(*node, edge, likely * share);
                });
            }
            here = arriving.take(|node, from| walk.note_way(node, from));
        }
        if here.is_empty() {
            break;
        }
    }
    walk.gaps = gaps(ground, &walk.reach);
    walk
}

/// The ends of the tree: the analysed positions of which no move leads on to another one, or to an
/// end. The root, and positions behind an included move, are none: there the tree goes as far as it
/// is wanted.
fn ends(ground: &Ground<'_>, root: NodeId) -> Vec<bool> {
    let graph = ground.graph;
    let goes_on = |edge: &Edge| graph.is_analysed(edge.child) || graph.end(edge.child).is_some();
    let mut ends = vec![false; graph.len()];
    for node in graph.analysed() {
        if let Some(end) = ends.get_mut(node.index()) {
            *end = !graph.moves(node).iter().any(goes_on);
        }
    }
    let behind = graph.analysed().flat_map(|node| graph.included(node)).map(|m| m.child);
    for node in behind.chain([root]) {
        if let Some(end) = ends.get_mut(node.index()) {
            *end = false;
        }
    }
    ends
}

impl Walk {
    /// Adds up the reach of a ply's positions, and the games that leave the tree there.
    fn arrive(&mut self, ground: &Ground<'_>, here: &[(NodeId, f64)]) {
        let stay = 1.0 - self.left.iter().sum::<f64>();
        let mut on = 0.0;
        for (node, likely) in here {
            if let Some(sum) = self.reach.get_mut(node.index()) {
                *sum += likely;
            }
            let is_met = ground.is_own(*node) || ground.counts_at(*node).is_some();
            if ground.graph.is_analysed(*node) && is_met && !self.is_at_end(*node) {
                on += likely;
            }
        }
        if self.inside == self.plies() && 3.0 * on >= stay {
            self.inside += 1;
        }
        self.left.push(here.iter().map(|(node, likely)| likely * uncovered(ground, *node)).sum());
    }

    /// Notes the main origin of games at a position, at the first arrival.
    fn note_way(&mut self, node: NodeId, from: Option<(NodeId, UciMove)>) {
        let is_first = self.reach.get(node.index()).is_some_and(|sum| *sum == 0.0);
        if let Some(way) = self.came.get_mut(node.index()).filter(|_| is_first) {
            *way = from;
        }
    }

    /// True if the tree ends at a position.
    fn is_at_end(&self, node: NodeId) -> bool {
        self.ends.get(node.index()).copied().unwrap_or(true)
    }
}

/// Arrivals at the next ply.
struct Arriving {
    most: Vec<Arrival>,
    nodes: Vec<NodeId>,
}

/// Arrivals at one of them.
#[derive(Clone, Default)]
struct Arrival {
    likely: f64,
    /// The greatest part, and its origin.
    most: f64,
    from: Option<(NodeId, UciMove)>,
}

impl Arriving {
    fn add(&mut self, from: NodeId, edge: &Edge, likely: f64) {
        if let Some(arrival) = self.most.get_mut(edge.child.index()) {
            if arrival.likely == 0.0 {
                self.nodes.push(edge.child);
            }
            arrival.likely += likely;
            if likely > arrival.most {
                (arrival.most, arrival.from) = (likely, Some((from, edge.uci.unpack())));
            }
        }
    }

    /// Adds arrivals; keeps each position's main origin.
    fn take(
        &mut self,
        mut came: impl FnMut(NodeId, Option<(NodeId, UciMove)>),
    ) -> Vec<(NodeId, f64)> {
        let mut take = |node: NodeId| {
            let arrival = self.most.get_mut(node.index()).map(std::mem::take).unwrap_or_default();
            came(node, arrival.from);
            (node, arrival.likely)
        };
        self.nodes.drain(..).map(&mut take).collect()
    }
}

/// Continuations of games from a position with their shares: none at an end, at a position that is
/// not analysed, and where the other side is to move and no game has been.
fn follow(ground: &Ground<'_>, expected: &[f64], node: NodeId, mut go: impl FnMut(&Edge, f64)) {
    if !ground.is_own(node) {
        let Some(counts) = ground.counts_at(node) else { return };
        for edge in ground.graph.moves(node) {
            let share = counts.share(edge.uci.unpack());
            if let Some(share) = share.filter(|share| *share > 0.0) {
                go(edge, share);
            }
        }
    } else if ground.follows_included(node) {
        let included = ground.own_moves(node).count();
        ground.own_moves(node).for_each(|edge| go(edge, 1.0 / as_number(included as u64)));
    } else if let Some(best) = ground.best_own(node, expected) {
        go(best, 1.0);
    }
}

/// The counted replies of a position that do not count, with n(p, m). None if the side itself is to
/// move.
fn replies_without_answer<'a>(
    ground: &'a Ground<'_>,
    node: NodeId,
) -> impl Iterator<Item = (UciMove, f64)> + 'a {
    let is_theirs = ground.graph.is_analysed(node) && !ground.is_own(node);
    let counts = ground.counts_at(node).filter(|_| is_theirs);
    let moves = ground.graph.moves(node);
    let n = |counts: &'a MoveCounts| counts.iter().map(|m| (m.uci, counts.n(m.uci)));
    let counted = counts.into_iter().flat_map(n);
    counted.filter(move |(uci, _)| moves.iter().all(|edge| edge.uci.unpack() != *uci))
}

/// The share of a position's games that leaves the tree.
fn uncovered(ground: &Ground<'_>, node: NodeId) -> f64 {
    // In order of n; without replies the sum is a negative zero.
    let lost = replies_without_answer(ground, node).fold(0.0, |sum, (_, n)| sum + n);
    ground.counts_at(node).map_or(0.0, |counts| lost / counts.n_of_all())
}

fn gaps(ground: &Ground<'_>, reach: &[f64]) -> Vec<WideGap> {
    let mut gaps = Vec::new();
    for node in ground.graph.analysed() {
        let likely = reach.get(node.index()).copied().unwrap_or_default();
        let counts = ground.counts_at(node).filter(|_| likely > 0.0);
        let Some(all) = counts.map(MoveCounts::n_of_all) else { continue };
        let replies = replies_without_answer(ground, node);
        gaps.extend(replies.map(|(uci, n)| WideGap { node, uci, leaves: likely * n / all }));
    }
    gaps
}

impl Walk {
    /// Plies within which a game can leave the tree.
    pub fn plies(&self) -> u32 {
        u32::try_from(self.left.len()).unwrap_or(u32::MAX)
    }

    /// The moves by which most games come to a position when the first of them do; empty for the
    /// root.
    pub fn line_to(&self, node: NodeId) -> Vec<UciMove> {
        line_to(&self.came, node)
    }

    /// The gaps before the tree's end.
    pub fn gaps_inside(&self) -> impl Iterator<Item = &WideGap> {
        self.gaps.iter().filter(|gap| !self.is_at_end(gap.node))
    }
}

/// The moves to a node by the origin of each, which must not lead back.
pub fn line_to(came: &[Option<(NodeId, UciMove)>], node: NodeId) -> Vec<UciMove> {
    let mut line = Vec::new();
    let mut at = node;
    while let Some((from, uci)) = came.get(at.index()).copied().flatten() {
        line.push(uci);
        at = from;
    }
    line.reverse();
    line
}

/// The first of some gaps in an order: those with `last` behind all others, then the widest first;
/// equal ones as their positions came into the tree, then by UCI text.
pub fn widest<'a>(
    gaps: impl Iterator<Item = &'a WideGap>,
    most: usize,
    last: impl Fn(&WideGap) -> bool,
) -> Vec<WideGap> {
    let mut gaps: Vec<(bool, WideGap)> = gaps.map(|gap| (last(gap), *gap)).collect();
    let order = |(a_last, a): &(bool, WideGap), (b_last, b): &(bool, WideGap)| {
        let tie = || a.node.cmp(&b.node).then_with(|| a.uci.to_string().cmp(&b.uci.to_string()));
        a_last.cmp(b_last).then(b.leaves.total_cmp(&a.leaves)).then_with(tie)
    };
    if most < gaps.len() {
        gaps.select_nth_unstable_by(most, order);
        gaps.truncate(most);
    }
    gaps.sort_by(order);
    gaps.into_iter().map(|(_, gap)| gap).collect()
}
