//! A position of a tree with its moves.

use hashbrown::HashMap;
use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::trees::OpenTree;
use deepanalyze_core::chess::{Ending, Opening, PositionKey, Score, TableEnd, fen_of, san_of};
use deepanalyze_core::tree::{Aside, Child, Layout, NodeId, aside, places};
use deepanalyze_report::{LiveTree, Prospect, measured_prospects};
use deepanalyze_report::{NamedTableMove, after, describe_line_end, last_opening, value_of};
use deepanalyze_store::{AnalysisId, StoreError};

use deepanalyze_report::NamedMove;

/// A position at the end of a line.
#[derive(Debug, Serialize)]
pub struct PlaceObject {
    id: i64,
    analysis: i64,
    passes: u64,
    fen: String,
    line: Vec<NamedMove>,
    alpha: Option<Score>,
    analysed: bool,
    end: Option<&'static str>,
    /// From -2 to 2 for the side to move, where tables know the position, and in words.
    wdl: Option<i8>,
    known: Option<&'static str>,
    note: Option<String>,
    value: Option<i32>,
    stopped: bool,
    opening: Option<OpeningObject>,
    moves: Vec<PlacedMove>,
    /// The moves of a root that tables know, the best first.
    table_moves: Vec<NamedTableMove>,
}

#[derive(Debug, Serialize)]
struct OpeningObject {
    eco: &'static str,
    name: &'static str,
}

impl From<Opening> for OpeningObject {
    fn from(Opening { eco, name, .. }: Opening) -> OpeningObject {
        OpeningObject { eco, name }
    }
}

#[derive(Debug, Default, Serialize)]
struct PlacedMove {
    uci: String,
    san: String,
    rank: Option<usize>,
    eval: Option<Score>,
    idea: Option<Score>,
    alpha: Option<Score>,
    candidate: bool,
    included: bool,
    excluded: bool,
    repetition: bool,
    analysed: bool,
    end: Option<&'static str>,
    wdl: Option<i8>,
    /// The same in words, for the side that plays the move.
    known: Option<&'static str>,
    value: Option<i32>,
    stopped: bool,
    note: Option<String>,
    positions: u64,
    plies: u32,
    line: Vec<NamedMove>,
    in_tree: usize,
    line_end: Option<&'static str>,
}

/// The place at the end of a line of a root's tree, as JSON.
///
/// # Errors
///
/// Where the database fails.
pub fn place_json(
    root: AnalysisId,
    open: &OpenTree,
    line: &[UciMove],
) -> Result<Vec<u8>, StoreError> {
    let place = Here::new(open, line).object(root, open)?;
    // All keys are texts.
    Ok(serde_json::to_vec(&place).unwrap_or_default())
}

/// Where a line leads.
struct Here<'a> {
    tree: &'a LiveTree,
    line: &'a [UciMove],
    /// The nodes along it, as far as the tree has them.
    nodes: Vec<NodeId>,
    position: Chess,
}

impl<'a> Here<'a> {
    fn new(open: &'a OpenTree, line: &'a [UciMove]) -> Here<'a> {
        let tree = &**open.tree();
        Here { tree, line, nodes: tree.walk(line), position: after(tree.game.root(), line) }
    }

    /// The node at the end; none where the line leaves the tree.
    fn node(&self) -> Option<NodeId> {
        self.nodes.last().copied().filter(|_| self.nodes.len() == self.line.len() + 1)
    }

    fn object(&self, root: AnalysisId, open: &OpenTree) -> Result<PlaceObject, StoreError> {
        let (tree, node) = (self.tree, self.node());
        let graph = tree.growth.graph();
        let known = node.and_then(|node| graph.known(node));
        let moves = node.map_or(Ok(Vec::new()), |node| self.moves(open, node))?;
        let best = moves.iter().find_map(|m| m.alpha);
        let behind = || tree.value_without_moves(&self.nodes, self.line).map(Score::from);
        Ok(PlaceObject {
            id: root.0,
            analysis: tree.row.id.0,
            passes: tree.row.passes,
            fen: fen_of(&self.position),
            line: NamedMove::line(tree.game.root(), self.line),
            alpha: best.or_else(|| node.and_then(|_| behind())),
            analysed: node.is_some_and(|node| graph.is_analysed(node)),
            end: self.end(node),
            wdl: known.map(|known| known.wdl.get()),
            known: known.map(TableEnd::words),
            note: note(tree, &self.position),
            value: node.and_then(|node| value_of(graph, node)),
            stopped: node.is_some_and(|node| graph.is_stopped(node)),
            opening: last_opening(&tree.game, self.line).map(OpeningObject::from),
            moves,
            table_moves: self.table_moves(),
        })
    }

    fn table_moves(&self) -> Vec<NamedTableMove> {
        let moves = if self.line.is_empty() { self.tree.table_moves.as_slice() } else { &[] };
        NamedTableMove::all(&self.position, self.tree.row.tables, moves)
    }

    fn end(&self, node: Option<NodeId>) -> Option<&'static str> {
        let graph = self.tree.growth.graph();
        if let Some(ending) = Ending::of(&self.position) {
            return Some(ending.name());
        }
        let node = node?;
        if graph.known(node).is_some() {
            return Some(TableEnd::NAME);
        }
        if graph.is_valued(node) {
            return Some("value");
        }
        let came_before = self.nodes.iter().filter(|other| **other == node).count() > 1;
        (came_before || graph.is_earlier(node)).then_some("repetition")
    }

    /// The moves that count by alpha, best first, ties by rank; then included ones that wait, and excluded
    /// ones.
    fn moves(&self, open: &OpenTree, node: NodeId) -> Result<Vec<PlacedMove>, StoreError> {
        let (tree, growth) = (self.tree, &*self.tree.growth);
        let graph = growth.graph();
        let layout = Layout { plies: Some(1), ..Layout::default() };
        let places = places(graph, growth.values(), &self.nodes, growth.breadth(), layout);
        let counting = places.first().map(|place| place.moves.as_slice()).unwrap_or_default();
        let of = (tree.row.profile_id, growth);
        let prospects = measured_prospects(open.store(), of, &self.nodes)?;
        let prospects: HashMap<UciMove, Prospect> =
            prospects.into_iter().map(|one| (one.best.uci, one)).collect();
        let counting = counting.iter().map(|child| {
            let prospect = prospects.get(&child.edge.uci.unpack());
            self.counting(child, prospect)
        });
        let aside = aside(graph, node).into_iter().map(|aside| self.aside(&aside));
        Ok(counting.chain(aside).collect())
    }

    fn counting(&self, child: &Child, prospect: Option<&Prospect>) -> PlacedMove {
        let in_tree = prospect.map(|one| one.best.line.as_slice()).unwrap_or_default();
        let own = prospect.map(|one| one.continuation.as_slice()).unwrap_or_default();
        let behind = prospect.and_then(|one| one.behind).unwrap_or_default();
        PlacedMove {
            rank: child.rank,
            eval: child.eval().map(Score::from),
            idea: Some(child.idea.into()),
            alpha: Some(child.alpha.into()),
            candidate: child.candidate,
            included: child.included,
            repetition: child.repetition,
            positions: behind.positions,
            plies: behind.plies,
            line: NamedMove::line(&self.position, &[in_tree, own].concat()),
            in_tree: in_tree.len(),
            line_end: prospect.and_then(|one| describe_line_end(one.end)),
            ..self.any(child.edge.uci.unpack(), child.edge.child)
        }
    }

    /// A move that does not count.
    fn aside(&self, aside: &Aside) -> PlacedMove {
        let uci = aside.uci.unpack();
        PlacedMove {
            rank: aside.listed.map(|(rank, _)| rank),
            eval: aside.listed.map(|(_, eval)| eval.into()),
            included: aside.listed.is_none(),
            excluded: aside.listed.is_some(),
            line: NamedMove::line(&self.position, &[uci]),
            ..self.any(uci, aside.child)
        }
    }

    /// What is the same of every move.
    fn any(&self, uci: UciMove, node: NodeId) -> PlacedMove {
        let graph = self.tree.growth.graph();
        let known = graph.known(node);
        let by_rules = graph.ending(node).map(Ending::name);
        let by_rules = by_rules.or_else(|| known.map(|_| TableEnd::NAME));
        PlacedMove {
            uci: uci.to_string(),
            san: san_of(&self.position, uci),
            analysed: graph.is_analysed(node),
            end: by_rules.or_else(|| graph.is_valued(node).then_some("value")),
            wdl: known.map(|known| known.wdl.get()),
            known: known.map(|known| known.turned().words()),
            value: value_of(graph, node),
            stopped: graph.is_stopped(node),
            note: note(self.tree, &after(&self.position, [&uci])),
            ..PlacedMove::default()
        }
    }
}

/// The root's note on a position.
fn note(tree: &LiveTree, position: &Chess) -> Option<String> {
    if tree.directives.is_empty() {
        return None;
    }
    tree.directives.at(&PositionKey::of(position))?.note.clone()
}
