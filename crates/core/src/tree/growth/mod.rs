//! The passes of one analysis: values, visit, serve, admit, until settled, then deeper.

mod answers;
mod closing;
mod counts;
mod said;
mod tables;

use std::sync::Arc;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{Game, PositionKey};

pub use answers::{IllegalMove, SeenMove};
pub use closing::{CLOSING_MARGIN, RootShare, ShareAnswer, ranked_shares};
use said::SaidOfMoves;

use super::breadth::Breadth;
use super::graph::{Graph, NodeId, Wish};
use super::incremental::Incremental;
use super::played::CountFacts;
use super::positions::Positions;
use super::selection::{Selection, TableFacts, Wishes};
use super::values::Values;
use super::visit::service::Service;
use super::ways::shortest_line;
use super::work::{Spent, Work};

/// Progress of an analysis when a depth was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    /// The settled depth.
    pub depth: u32,
    /// Passes so far; the empty one that settles counts.
    pub passes: u64,
    /// Admitted answers so far.
    pub searches: u64,
    /// Analysed positions so far.
    pub analysed: u64,
}

/// One analysis as it grows: the graph, its values, the positions of the nodes, and its progress.
///
/// A pure function of the game, the selection and the answers (ALGORITHM, the principle). A pass costs
/// what it changes: values are worked out anew only above new answers, and only what leads there is
/// visited again.
#[derive(Debug, Clone)]
pub struct Growth {
    tree: Incremental,
    positions: Positions,
    selection: Selection,
    course: Course,
    settled: Vec<Settled>,
    trial: Option<Trial>,
    /// Counts reported in place of those that it was grown with.
    told: Option<CountFacts>,
    /// The engine's statements besides its scores.
    said: Arc<SaidOfMoves>,
}

/// State to restore after a trial.
#[derive(Debug, Clone)]
struct Trial {
    course: Course,
    settled: usize,
}

/// Progress of an analysis.
#[derive(Debug, Clone, Copy, Default)]
struct Course {
    depth: u32,
    passes: u64,
    /// Visits of analysed positions so far.
    visits: u64,
}

impl Growth {
    /// An analysis of a game's last position, before its first pass. A number is a plain distance in
    /// centipawns.
    pub fn new(game: &Game, selection: impl Into<Selection>) -> Growth {
        let selection = selection.into();
        let mut growth = Growth {
            tree: Incremental::new(Graph::new(selection.draw), NodeId::from_index(0)),
            positions: Positions::default(),
            selection,
            course: Course::default(),
            settled: Vec::new(),
            trial: None,
            told: None,
            said: Arc::default(),
        };
        growth.node_of(game.root());
        for key in game.repeated() {
            let repeated = growth.node_of(&key.position());
            growth.tree.mark_repeated(repeated);
        }
        growth.tree.begin();
        growth
    }

    /// Continues an earlier run, after its lists have been filled in.
    pub fn restore(&mut self, passes: u64, settled: Vec<Settled>) {
        self.course.passes = passes;
        self.course.depth = settled.last().map_or(0, |last| last.depth + 1);
        self.settled = settled;
        self.tree.value_filled();
        self.tree.begin_depth();
    }

    /// The lists under other directives: the present tree's view of them, before it is grown again.
    ///
    /// # Errors
    ///
    /// If an included move is not legal.
    pub fn under(&self, wishes: Arc<Wishes>) -> Result<Growth, IllegalMove> {
        let selection = Selection { wishes: Arc::clone(&wishes), ..self.selection.clone() };
        let mut growth = Growth {
            tree: self.tree.without_lists(),
            positions: self.positions.clone(),
            selection,
            course: self.course,
            settled: self.settled.clone(),
            trial: None,
            told: self.told.clone(),
            said: Arc::clone(&self.said),
        };
        let directed: Vec<(NodeId, &Wish)> =
            wishes.iter().filter_map(|(key, wish)| Some((self.find(key)?, wish))).collect();
        for (node, wish) in &directed {
            growth.tree.direct(*node, wish);
        }
        let Selection { played, counts, .. } = &self.selection;
        let played = played.keys().chain(counts.positions()).filter_map(|key| self.find(key));
        let mut followed: Vec<NodeId> = directed.iter().map(|(node, _)| *node).collect();
        followed.extend(played);
        followed.sort_unstable();
        followed.dedup();
        for node in followed {
            growth.follow(node, &self.position(node))?;
        }
        for node in self.graph().nodes() {
            let list = self.graph().list(node);
            if !list.is_empty() {
                growth.tree.fill(node, list);
            }
        }
        growth.tree.value_filled();
        Ok(growth)
    }

    /// The requests of the next pass; empty if the depth is settled.
    pub fn requests(&mut self) -> Vec<Service> {
        let (services, visits) = self.tree.requests(&self.selection.breadth, self.course.depth);
        self.course.visits += visits;
        services
    }

    /// Ends a pass: admits all its answers together, or, if it asked for nothing, settles the depth
    /// and goes one deeper.
    ///
    /// # Errors
    ///
    /// If an answer is no legal move; no list has changed then.
    pub fn finish_pass(&mut self, served: Vec<Service>) -> Result<(), IllegalMove> {
        if !served.is_empty() {
            let lists = served.iter().map(|service| (service.node(), service.answers().to_vec()));
            self.admit(lists.collect())?;
            self.course.passes += 1;
            return Ok(());
        }
        self.course.passes += 1;
        self.settled.push(Settled {
            depth: self.course.depth,
            passes: self.course.passes,
            searches: self.searches(),
            analysed: self.analysed(),
        });
        self.course.depth += 1;
        self.tree.begin_depth();
        Ok(())
    }

    /// Makes room for a kept tree of this many analysed positions.
    pub fn reserve(&mut self, positions: usize) {
        self.positions.reserve(positions);
    }

    /// The node of a position that has been seen.
    pub fn find(&self, key: &PositionKey) -> Option<NodeId> {
        self.positions.find(key, self.positions.hash(key))
    }

    /// The nodes along moves that count, the root first, as far as the tree has them.
    pub fn walk(&self, moves: &[UciMove]) -> Vec<NodeId> {
        let (mut nodes, mut node) = (vec![self.root()], self.root());
        for uci in moves {
            let mut list = self.graph().moves(node).iter();
            let Some(edge) = list.find(|edge| edge.uci.unpack() == *uci) else {
                break;
            };
            node = edge.child;
            nodes.push(node);
        }
        nodes
    }

    /// The position of a node, with its clocks at the start.
    pub fn position(&self, node: NodeId) -> Chess {
        self.positions.key(node).position()
    }

    /// The positions and their lists.
    pub fn graph(&self) -> &Graph {
        self.tree.graph()
    }

    /// The values of the positions.
    pub fn values(&self) -> &Values {
        self.tree.values()
    }

    /// The least number of moves that lead from the root to a position; `u32::MAX` if none do.
    pub fn ply(&self, node: NodeId) -> u32 {
        self.tree.ply(node)
    }

    /// The shortest line from the root to a position; of several, the one of the better ranks.
    pub fn first_line(&self, node: NodeId) -> Vec<UciMove> {
        shortest_line(self.graph(), |node| self.ply(node), self.root(), node)
    }

    /// The line by which a position that is asked for first came up: its first line; if moves that count
    /// do not lead there yet, that to the position with the least ply from which it is followed (of
    /// several, the first by its key), and the followed move, the first by its UCI text.
    pub fn line_asked(&self, node: NodeId) -> Vec<UciMove> {
        if self.ply(node) != u32::MAX {
            return self.first_line(node);
        }
        let graph = self.graph();
        let is_reached = |from: &NodeId| graph.has_followed(*from) && self.ply(*from) != u32::MAX;
        let ways = graph.nodes().filter(is_reached).flat_map(|from| {
            let followed = graph.included(from).iter().chain(graph.played(from));
            let here = followed.filter(move |followed| followed.child == node);
            here.map(move |followed| (from, followed.uci.unpack()))
        });
        let first = ways.min_by_key(|(from, uci)| {
            (self.ply(*from), *self.positions.key(*from), uci.to_string())
        });
        first.map_or_else(Vec::new, |(from, uci)| {
            let mut line = self.first_line(from);
            line.push(uci);
            line
        })
    }

    /// Notes from now on the positions whose list, idea or least ply changes.
    pub fn note_changes(&mut self) {
        self.tree.note_changes();
    }

    /// The positions that have changed since [`Growth::note_changes`] or the last call, in the
    /// order of their nodes.
    pub fn take_changes(&mut self) -> Vec<NodeId> {
        self.tree.take_changes()
    }

    /// Number of visits of analysed positions in all passes, covered ones not counted.
    pub fn visits(&self) -> u64 {
        self.course.visits
    }

    /// Counts work of a trial that is done outside.
    ///
    /// # Errors
    ///
    /// [`Spent`] if it is too much.
    pub(super) fn spend(&mut self, steps: u64) -> Result<(), Spent> {
        self.tree.spend(steps)
    }

    /// The work of a trial. Once it is spent, the trial must end: the tree may be half grown.
    pub(super) fn work(&self) -> Work {
        self.tree.work()
    }

    /// The root.
    pub fn root(&self) -> NodeId {
        self.tree.root()
    }

    /// The selection.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// The user's wishes for positions.
    pub fn wishes(&self) -> &Arc<Wishes> {
        &self.selection.wishes
    }

    /// Tablebase results known to this tree.
    pub fn facts(&self) -> &TableFacts {
        &self.selection.facts
    }

    /// The move distances, and the least number of root moves.
    pub fn breadth(&self) -> &Breadth {
        &self.selection.breadth
    }

    /// The depth that the next pass works on: one more than the settled one.
    pub fn depth(&self) -> u32 {
        self.course.depth
    }

    /// Passes so far.
    pub fn passes(&self) -> u64 {
        self.course.passes
    }

    /// Answers in the tree: listed moves.
    pub fn searches(&self) -> u64 {
        self.graph().listed_moves() as u64
    }

    /// Analysed positions.
    pub fn analysed(&self) -> u64 {
        self.graph().analysed_positions() as u64
    }

    /// Progress at each settled depth, depth 0 first.
    pub fn settled(&self) -> &[Settled] {
        &self.settled
    }

    /// Begins a trial that [`Growth::end_trial`] undoes, with a limit of work.
    pub(super) fn begin_trial(&mut self, work: Work) {
        self.tree.begin_trial(work);
        let (course, settled) = (self.course, self.settled.len());
        self.positions.mark();
        self.trial = Some(Trial { course, settled });
    }

    /// Undoes all changes since the trial began.
    pub(super) fn end_trial(&mut self) {
        let Some(Trial { course, settled }) = self.trial.take() else {
            return;
        };
        self.tree.end_trial();
        self.course = course;
        self.settled.truncate(settled);
        self.positions.undo(self.graph().len());
    }
}
