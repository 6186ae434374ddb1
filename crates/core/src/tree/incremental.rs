//! A graph with its values and visits, kept up to date at the cost of what changes.

use std::sync::OnceLock;

use super::breadth::Breadth;
use super::graph::{Edge, Followed, Graph, NodeId, Wish};
use super::plies::Plies;
use super::values::Values;
use super::visit::covered::Covered;
use super::visit::service::Service;
use super::visit::{Aim, requests_now};
use super::work::{Spent, Work};

/// A graph, the values of its positions, and the visits that need not be made again.
///
/// Tested against the whole computation ([`Values::of`], [`requests`](super::requests)): it gives
/// the same values, and asks for the same in the same order.
#[derive(Debug, Clone)]
pub struct Incremental {
    graph: Graph,
    values: Values,
    covered: Covered,
    /// Walked on demand; a tree that is only shown may never need them.
    plies: OnceLock<Plies>,
    root: NodeId,
    /// True if a pass has been asked for its requests and got no answers yet.
    asked: bool,
    /// True if there are lists that are not valued.
    filled: bool,
    /// Positions whose list, idea or least ply has changed, if they are noted.
    changed: Option<Vec<NodeId>>,
    trial: Option<Trial>,
    /// Work done and allowed in a trial; passes have no limit.
    work: Work,
}

/// State to restore after a trial.
#[derive(Debug, Clone)]
struct Trial {
    asked: bool,
    changed: Option<Vec<NodeId>>,
}

impl Incremental {
    /// A graph as it is, with one of its positions as the root.
    pub fn new(graph: Graph, root: NodeId) -> Incremental {
        Incremental {
            values: Values::of(&graph),
            covered: Covered::new(),
            plies: OnceLock::new(),
            graph,
            root,
            asked: false,
            filled: false,
            changed: None,
            trial: None,
            work: Work::UNLIMITED,
        }
    }

    /// The positions and their lists.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The values of the positions.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The root.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The least number of moves that lead from the root to a position; `u32::MAX` if none do.
    pub fn ply(&self, node: NodeId) -> u32 {
        self.plies().get(node)
    }

    fn plies(&self) -> &Plies {
        self.plies.get_or_init(|| Plies::of(&self.graph, self.root))
    }

    fn take_plies(&mut self) -> Plies {
        self.plies.take().unwrap_or_else(|| Plies::of(&self.graph, self.root))
    }

    /// Adds a position without a list.
    pub fn add_node(
        &mut self,
        turn: shakmaty::Color,
        legal_moves: u8,
        ending: Option<crate::chess::Ending>,
    ) -> NodeId {
        self.graph.add_node(turn, legal_moves, ending)
    }

    /// The positions without any list, and without the user's wishes.
    pub(super) fn without_lists(&self) -> Incremental {
        Incremental::new(self.graph.without_lists(), self.root)
    }

    /// Takes the tables' result of a position.
    pub(super) fn know(&mut self, node: NodeId, known: crate::chess::TableEnd) {
        self.graph.know(node, known);
    }

    /// Takes the user's wishes for a position.
    pub(super) fn direct(&mut self, node: NodeId, wish: &Wish) {
        self.graph.direct(node, wish);
    }

    /// Takes the included moves of a position with their targets.
    pub(super) fn include(&mut self, node: NodeId, included: Vec<Followed>) {
        self.graph.include(node, included);
    }

    /// Takes the played moves of a position with their targets.
    pub(super) fn play(&mut self, node: NodeId, played: Vec<Followed>) {
        self.graph.play(node, played);
    }

    /// The requests of a pass at a depth, in the order of the whole visit, and the number of visits
    /// of analysed positions; a part of them if a trial's work is spent.
    pub fn requests(&mut self, breadth: &Breadth, depth: u32) -> (Vec<Service>, u64) {
        if std::mem::replace(&mut self.asked, true) {
            // The last visit's requests were not answered: it covers nothing.
            self.covered.forget_all();
        }
        let aim = Aim { root: self.root, breadth, depth };
        let asked = requests_now(&self.graph, &self.values, aim, &mut self.covered, self.work);
        self.work = asked.work;
        (asked.services, asked.visits)
    }

    /// Goes to another depth, which may visit everything once.
    pub fn begin_depth(&mut self) {
        self.asked = false;
        self.covered.forget_all();
    }

    /// Appends answers to lists, each position's in rank order; a position may come once. They are
    /// all that the pass has asked for: what is left out, the passes at this depth do not ask for
    /// again. If a trial's work is spent meanwhile, the tree is of no use until the trial ends.
    pub fn admit(&mut self, lists: Vec<(NodeId, Vec<Edge>)>) {
        let is_whole = self.admit_within(lists);
        debug_assert!(is_whole.is_ok() || self.trial.is_some(), "passes may cost what they must");
    }

    fn admit_within(&mut self, lists: Vec<(NodeId, Vec<Edge>)>) -> Result<(), Spent> {
        self.asked = false;
        self.plies();
        let longer: Vec<NodeId> = lists.iter().map(|(node, _)| *node).collect();
        let grown = self.graph.append(lists);
        let changed = self.values.update(&mut self.graph, &grown, &mut self.work)?;
        self.covered.add_nodes(self.graph.len());
        self.covered.forget(&self.graph, &self.values, &changed.moves, &mut self.work)?;
        let counting = grown.links.iter().map(|(parent, _)| *parent);
        let mut plies = self.take_plies();
        let rows = &mut self.changed;
        if let Some(rows) = rows {
            compact(rows);
            rows.extend(changed.values.iter().copied().chain(longer));
        }
        let nearer = |node| rows.iter_mut().for_each(|rows: &mut Vec<NodeId>| rows.push(node));
        let updated = plies.update(&self.graph, counting, nearer, &mut self.work);
        self.plies = plies.into();
        updated
    }

    /// Appends moves to a list without valuing them.
    pub(super) fn fill(&mut self, node: NodeId, moves: &[Edge]) {
        self.graph.fill(node, moves);
        self.filled = true;
    }

    /// Values the lists that have been filled in.
    pub(super) fn value_filled(&mut self) {
        if std::mem::take(&mut self.filled) {
            self.values = Values::of(&self.graph);
            self.plies = OnceLock::new();
            self.begin_depth();
        }
    }

    /// Marks a position that the game has repeated before the root, before anything is listed.
    pub(super) fn mark_repeated(&mut self, node: NodeId) {
        self.graph.mark_repeated(node);
    }

    /// Values the tree before the first pass.
    pub(super) fn begin(&mut self) {
        self.filled = true;
        self.value_filled();
    }

    /// Notes from now on the positions whose list, idea or least ply changes.
    pub fn note_changes(&mut self) {
        self.changed = Some(Vec::new());
        // Not later, when a scenario must be short.
        self.plies();
    }

    /// The positions that have changed since [`Incremental::note_changes`] or the last call, in the
    /// order of their nodes.
    pub fn take_changes(&mut self) -> Vec<NodeId> {
        let mut changed = self.changed.as_mut().map(std::mem::take).unwrap_or_default();
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Counts work of a trial that is done outside.
    ///
    /// # Errors
    ///
    /// [`Spent`] if it is too much.
    pub(super) fn spend(&mut self, steps: u64) -> Result<(), Spent> {
        self.work.spend(steps)
    }

    /// The work of a trial. Once it is spent, the trial must end: the state may be half done.
    pub fn work(&self) -> Work {
        self.work
    }

    /// Begins a trial that [`Incremental::end_trial`] undoes, with a limit of work.
    pub fn begin_trial(&mut self, work: Work) {
        self.work = work;
        self.graph.mark();
        self.values.mark();
        self.covered.mark();
        let mut plies = self.take_plies();
        plies.mark();
        self.plies = plies.into();
        self.trial = Some(Trial { asked: self.asked, changed: self.changed.take() });
    }

    /// Undoes all changes since the trial began, at the cost of what was done.
    pub fn end_trial(&mut self) {
        let Some(Trial { asked, changed }) = self.trial.take() else {
            return;
        };
        self.work = Work::UNLIMITED;
        self.asked = asked;
        self.changed = changed;
        self.graph.undo();
        self.values.undo();
        self.covered.undo();
        self.plies.get_mut().into_iter().for_each(Plies::undo);
    }
}

/// Leaves each position once in a list that has grown long: passes that the memo serves come one
/// after the other without reading it, and each of them changes the line up to the root.
fn compact(changed: &mut Vec<NodeId>) {
    const LONG: usize = 1 << 16;
    if changed.len() >= LONG && changed.len() == changed.capacity() {
        changed.sort_unstable();
        changed.dedup();
        changed.reserve_exact(changed.len().max(LONG));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Value;
    use crate::tree::{PathValues, Spent};
    use shakmaty::Color;
    use shakmaty::packed::PackedUciMove;
    use shakmaty::uci::UciMove;

    fn edge(to: usize, cp: i64) -> Edge {
        let (child, eval) = (NodeId::from_index(to), Value::new(cp).unwrap());
        Edge { child, eval, uci: PackedUciMove::pack(UciMove::Null) }
    }

    #[test]
    fn circle_closed_by_two_new_moves_has_all_positions() {
        // 4 leads back to 0 by way of 5 as 2 does, and only the last two moves make that so.
        let passes: [&[(usize, &[usize])]; 4] = [
            &[(0, &[1, 3])],
            &[(1, &[2]), (3, &[0, 4])],
            &[(2, &[1]), (4, &[5])],
            &[(2, &[5]), (5, &[0])],
        ];
        let mut graph = Graph::default();
        let turn = |node| if node % 2 == 0 { Color::White } else { Color::Black };
        let nodes: Vec<NodeId> = (0..6).map(|node| graph.add_node(turn(node), 30, None)).collect();
        let mut tree = Incremental::new(graph, nodes[0]);
        tree.begin_trial(Work::up_to(10_000));
        for lists in passes {
            let list = |(from, to): &(usize, &[usize])| {
                (nodes[*from], to.iter().map(|to| edge(*to, 5)).collect())
            };
            tree.admit(lists.iter().map(list).collect());
        }
        assert_eq!(tree.spend(0), Ok(()), "it ends");
        assert_eq!(tree.values().largest_component(tree.graph()), nodes.len());
    }

    #[test]
    fn trial_broken_off_between_moves_restores_circles() {
        // 0 and 1 lead to each other, and so do 2 and 3, to which 1 leads.
        let mut graph = Graph::default();
        let turn = |node| if node % 2 == 0 { Color::White } else { Color::Black };
        let nodes: Vec<NodeId> = (0..5).map(|node| graph.add_node(turn(node), 30, None)).collect();
        let lists = [vec![edge(1, 5)], vec![edge(0, 5), edge(2, 5)], vec![edge(3, 5)]];
        let lists = lists.into_iter().chain([vec![edge(2, 5)]]);
        graph.admit(nodes.iter().copied().zip(lists).collect());
        let mut tree = Incremental::new(graph, nodes[0]);
        let mut broken_off = 0;
        for most in 0..200 {
            tree.begin_trial(Work::up_to(most));
            // The first of the two makes one circle of both.
            tree.admit(vec![(nodes[3], vec![edge(0, 5)]), (nodes[0], vec![edge(4, 5)])]);
            broken_off += u64::from(tree.spend(0) == Err(Spent));
            tree.end_trial();
            // This changes no value, so that the other circle stays valued as it is.
            let mut tree = tree.clone();
            tree.admit(vec![(nodes[0], vec![edge(4, -500)])]);
            let mut paths = PathValues::new(tree.graph(), tree.values());
            let path = paths.extend(None, nodes[2]);
            assert_eq!(paths.alpha(&edge(3, 5), path), Value::EVEN, "after {most} steps");
        }
        assert!((20..200).contains(&broken_off), "{broken_off}");
    }
}
