//! The passes of one analysis: values, visit, serve, admit, until settled, then deeper.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::chess::{Ending, Game, PositionKey, Value};

use super::graph::{Edge, Graph, NodeId, push_tightly};
use super::service::Service;
use super::values::Values;
use super::visit::requests;

/// How far an analysis had come when a depth was settled.
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

/// One analysis as it grows: the graph, which position each node is, and how far it has come.
///
/// A pure function of the game, the distance and the answers (ALGORITHM, the principle).
#[derive(Debug, Clone)]
pub struct Growth {
    graph: Graph,
    keys: Vec<PositionKey>,
    nodes: HashTable<u32>,
    root: NodeId,
    distance: u32,
    depth: u32,
    passes: u64,
    analysed: u64,
    settled: Vec<Settled>,
}

impl Growth {
    /// An analysis of a game's last position with a move distance in centipawns, before its first
    /// pass.
    pub fn new(game: &Game, distance: u32) -> Growth {
        let mut growth = Growth {
            graph: Graph::default(),
            keys: Vec::new(),
            nodes: HashTable::new(),
            root: NodeId::from_index(0),
            distance,
            depth: 0,
            passes: 0,
            analysed: 0,
            settled: Vec::new(),
        };
        let root = growth.node_of(game.root());
        for key in game.earlier() {
            let earlier = growth.node_of(&key.position());
            if earlier != root {
                growth.graph.mark_earlier(earlier);
            }
        }
        growth
    }

    /// Goes on where an earlier run was, after its lists have been admitted.
    pub fn restore(&mut self, passes: u64, settled: Vec<Settled>) {
        self.passes = passes;
        self.depth = settled.last().map_or(0, |last| last.depth + 1);
        self.settled = settled;
    }

    /// What the next pass asks for; nothing where the depth is settled.
    pub fn requests(&self, values: &Values) -> Vec<Service> {
        requests(&self.graph, values, self.root, self.distance, self.depth)
    }

    /// Ends a pass: admits all its answers together, or, where it asked for nothing, settles the
    /// depth and goes one deeper.
    pub fn finish_pass(&mut self, served: Vec<Service>) {
        self.passes += 1;
        if served.is_empty() {
            self.settled.push(Settled {
                depth: self.depth,
                passes: self.passes,
                searches: self.searches(),
                analysed: self.analysed,
            });
            self.depth += 1;
        } else {
            let lists = served.iter().map(|service| (service.node(), service.answers().to_vec()));
            self.admit(lists.collect());
        }
    }

    /// Appends answers to lists, in rank order, without counting a pass.
    pub fn admit(&mut self, answers: Vec<(NodeId, Vec<(UciMove, Value)>)>) {
        let lists = answers.into_iter().map(|(node, list)| {
            self.analysed += u64::from(!self.graph.is_analysed(node) && !list.is_empty());
            let position = self.position(node);
            let edges = list.into_iter().filter_map(|(uci, eval)| self.edge(&position, uci, eval));
            (node, edges.collect())
        });
        let lists = lists.collect();
        self.graph.admit(lists);
    }

    /// A listed move as an edge; none where the move is not legal, which the engine's room and the
    /// store have ruled out.
    fn edge(&mut self, position: &Chess, uci: UciMove, eval: Value) -> Option<Edge> {
        let mut child = position.clone();
        child.play_unchecked(uci.to_move(position).ok()?);
        Some(Edge { child: self.node_of(&child), eval, uci: PackedUciMove::pack(uci) })
    }

    /// The node of a position, a new one where it has not been seen.
    pub fn node_of(&mut self, position: &Chess) -> NodeId {
        let key = PositionKey::of(position);
        let keys = &mut self.keys;
        let entry = self.nodes.entry(
            hash(&key),
            |node| keys[*node as usize] == key,
            |node| hash(&keys[*node as usize]),
        );
        match entry {
            Entry::Occupied(entry) => NodeId::from_index(*entry.get() as usize),
            Entry::Vacant(entry) => {
                let legal_moves = u8::try_from(position.legal_moves().len()).unwrap_or(u8::MAX);
                let ending = Ending::of(position);
                let node = self.graph.add_node(position.turn(), legal_moves, ending);
                entry.insert(node.index() as u32);
                push_tightly(keys, key);
                node
            }
        }
    }

    /// The node of a position that has been seen.
    pub fn find(&self, key: &PositionKey) -> Option<NodeId> {
        let found = self.nodes.find(hash(key), |node| self.keys[*node as usize] == *key);
        found.map(|node| NodeId::from_index(*node as usize))
    }

    /// The nodes along listed moves, the root first, as far as the tree has them.
    pub fn walk(&self, moves: &[UciMove]) -> Vec<NodeId> {
        let (mut nodes, mut node) = (vec![self.root], self.root);
        for uci in moves {
            let mut list = self.graph.list(node).iter();
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
        self.keys[node.index()].position()
    }

    /// The positions and their lists.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The root.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The move distance in centipawns.
    pub fn distance(&self) -> u32 {
        self.distance
    }

    /// The depth that the next pass works on: one more than the settled one.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Passes so far.
    pub fn passes(&self) -> u64 {
        self.passes
    }

    /// Answers in the tree: listed moves.
    pub fn searches(&self) -> u64 {
        self.graph.listed_moves() as u64
    }

    /// Analysed positions.
    pub fn analysed(&self) -> u64 {
        self.analysed
    }

    /// How far the analysis had come at each settled depth, depth 0 first.
    pub fn settled(&self) -> &[Settled] {
        &self.settled
    }
}

fn hash(key: &PositionKey) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(key)
}
