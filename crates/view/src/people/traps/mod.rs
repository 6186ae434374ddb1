//! Traps: replies that people are likely to play and that lose much, behind moves that lose little
//! (docs/algorithm.md, section 9).

pub mod deeper;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use deepanalyze_core::chess::{PositionKey, Value, san_of};
use deepanalyze_core::tree::{Edge, Graph, Growth, MoveCounts, NodeId, Values, first_lines};
use deepanalyze_store::{Store, StoreError};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color};

use super::ground::{Ground, expected_of};
use super::reach::line_to;
use super::words::{describe_share, games_told};
use super::{People, PeopleAsked, SOUND};
use crate::tree::Tree;
use crate::words::after;
use crate::words::figures::pawns;
use deeper::{DeeperLook, DeeperSearches, Refuted};

/// The least share of people that play the losing reply, from 0 to 1, unless the user says otherwise.
pub const LIKELY: f64 = 0.2;
/// Centipawns that it loses at least, unless the user says otherwise.
pub const LOSES: u32 = 100;

/// Plies told behind a punishing move.
const FOLLOWS: usize = 4;

/// Limits of what is a trap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrapLimits {
    /// The least share of people that play the losing reply, from 0 to 1.
    pub likely: f64,
    /// Centipawns that it loses at least, against the best one there.
    pub loses: u32,
}

impl Default for TrapLimits {
    fn default() -> TrapLimits {
        TrapLimits { likely: LIKELY, loses: LOSES }
    }
}

/// A losing reply that people are likely to play. Values are for the side that sets the trap.
#[derive(Debug, Clone, PartialEq)]
pub struct Trap {
    /// The side that sets it.
    pub side: Color,
    /// The moves from the root by which the side comes to the position, the likeliest way.
    pub line: Vec<UciMove>,
    /// The position in which the reply is played.
    pub node: NodeId,
    /// How likely a game comes there if the side aims at it, from 0 to 1.
    pub reach: f64,
    /// The losing reply.
    pub error: UciMove,
    /// Number of games with it; `None` where a net alone knows the position.
    pub games: Option<u64>,
    /// Share of people that play it, from 0 to 1.
    pub share: f64,
    /// The value behind it.
    pub after: Value,
    /// The best reply, and the value behind it.
    pub best: (UciMove, Value),
    /// The punishing move, where the tree has analysed the position behind the losing reply.
    pub punishment: Option<UciMove>,
    /// How the game goes on behind the punishing move, a few plies: the tree's best moves, or the engine's
    /// expectation where the tree ends.
    pub follows: Vec<UciMove>,
    /// True if a single search gave the value behind it: the tree has nothing behind the punishment.
    pub one_search: bool,
    /// Deeper searches of it, where the memo has them.
    pub look: Option<DeeperLook>,
    /// Centipawns that the last move of the line loses against the side's best one if the best reply
    /// is played; 0 if the root is the position.
    pub risk: u32,
}

impl Trap {
    /// The position behind the losing reply.
    pub fn behind(&self, growth: &Growth) -> Chess {
        after(&growth.position(self.node), [&self.error])
    }

    /// Takes the punishing move where the tree has none, and what follows it.
    fn punish(&mut self, store: &Store, tree: &Tree) -> Result<(), StoreError> {
        let (growth, profile) = (&*tree.growth, tree.row.profile_id);
        let (graph, values) = (growth.graph(), growth.values());
        let child = |node, uci: UciMove| {
            let mut moves = graph.moves(node).iter();
            moves.find(|edge| edge.uci.unpack() == uci).map(|edge| edge.child)
        };
        let expected = |node, uci: UciMove| {
            let mut list = graph.list(node).iter();
            let rank = list.position(|edge| edge.uci.unpack() == uci);
            let behind = |rank| store.continuation(profile, &growth.position(node), rank);
            rank.map_or(Ok(Vec::new()), behind)
        };
        let behind = child(self.node, self.error);
        self.follows = match behind.zip(self.punishment) {
            Some((behind, uci)) => {
                let end = child(behind, uci);
                let lines = end.map(|end| first_lines(graph, values, end, 1, FOLLOWS));
                match lines.into_iter().flatten().next() {
                    Some((_, line)) => line,
                    None => expected(behind, uci)?,
                }
            }
            None => {
                let mut line = expected(self.node, self.error)?.into_iter();
                self.punishment = line.next();
                line.collect()
            }
        };
        self.follows.truncate(FOLLOWS);
        Ok(())
    }

    /// Points in 100 games that the losing reply gives to the side.
    pub fn gain(&self) -> f64 {
        100.0 * (expected_of(self.after) - expected_of(self.best.1))
    }

    /// Points in 100 games from the root that the trap gives if the side aims at it.
    pub fn weight(&self) -> f64 {
        self.reach * self.share * self.gain()
    }
}

/// A way to a position: its probability, by which the likeliest comes first; of equal ones the one to
/// the position that came first into the tree.
#[derive(PartialEq)]
struct Way {
    likely: f64,
    node: Reverse<NodeId>,
}

impl Eq for Way {}

impl PartialOrd for Way {
    fn partial_cmp(&self, other: &Way) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Way {
    fn cmp(&self, other: &Way) -> std::cmp::Ordering {
        self.likely.total_cmp(&other.likely).then_with(|| self.node.cmp(&other.node))
    }
}

/// The likeliest way to each position if the side plays any of its sound or included moves.
struct Ways {
    /// By node, from 0 to 1; 0 if none leads there.
    likely: Vec<f64>,
    from: Vec<Option<(NodeId, UciMove)>>,
}

impl Ways {
    fn of(ground: &Ground<'_>, root: NodeId) -> Ways {
        let len = ground.graph.len();
        let mut ways = Ways { likely: vec![0.0; len], from: vec![None; len] };
        let mut open = BinaryHeap::from([Way { likely: 1.0, node: Reverse(root) }]);
        ways.take(root, 1.0, None);
        while let Some(Way { likely, node: Reverse(node) }) = open.pop() {
            if likely < ways.of_node(node) || !ground.graph.is_analysed(node) {
                continue;
            }
            for (edge, share) in ground.aimed(node) {
                let (child, likely) = (edge.child, likely * share);
                if likely > ways.of_node(child) {
                    ways.take(child, likely, Some((node, edge.uci.unpack())));
                    open.push(Way { likely, node: Reverse(child) });
                }
            }
        }
        ways
    }

    fn of_node(&self, node: NodeId) -> f64 {
        self.likely.get(node.index()).copied().unwrap_or_default()
    }

    fn take(&mut self, node: NodeId, likely: f64, from: Option<(NodeId, UciMove)>) {
        let place = self.likely.get_mut(node.index()).zip(self.from.get_mut(node.index()));
        if let Some((known, came)) = place {
            (*known, *came) = (likely, from);
        }
    }
}

impl<'a> Ground<'a> {
    /// The moves by which a game may go on to a trap, with their probabilities: the side's sound and
    /// included ones, each certain, and those that the other side plays.
    fn aimed(&self, node: NodeId) -> Vec<(&'a Edge, f64)> {
        let moves = self.graph.moves(node).iter();
        if self.is_own(node) {
            let least = self.best_idea(node).map_or(i64::MIN, |best| best.less(self.asked.sound));
            let is_sound = |edge: &&Edge| {
                let idea = self.values.idea_of(self.graph, edge);
                i64::from(idea.get()) >= least || self.graph.is_included(node, edge.uci)
            };
            return moves.filter(is_sound).map(|edge| (edge, 1.0)).collect();
        }
        let Some(counts) = self.counts_at(node) else { return Vec::new() };
        let share = |edge: &'a Edge| Some((edge, counts.share(edge.uci.unpack())?));
        moves.filter_map(share).filter(|(_, share)| *share > 0.0).collect()
    }

    fn best_idea(&self, node: NodeId) -> Option<Value> {
        Some(self.values.idea_of(self.graph, self.best_by_idea(node)?))
    }
}

/// The likely losing replies of a position, each with its share.
fn errors<'a>(
    graph: &'a Graph,
    values: &Values,
    counts: &MoveCounts,
    node: NodeId,
    limits: TrapLimits,
) -> Vec<(&'a Edge, f64)> {
    let idea = |edge: &Edge| values.idea_of(graph, edge);
    let moves = graph.moves(node);
    let most = moves.iter().map(idea).max().map_or(i64::MIN, |best| best.less(limits.loses));
    let error = |edge: &'a Edge| {
        let share = counts.share(edge.uci.unpack())?;
        let is_error = share >= limits.likely && i64::from(idea(edge).get()) <= most;
        is_error.then_some((edge, share))
    };
    moves.iter().filter_map(error).collect()
}

impl People<'_> {
    /// The traps that the side can set with moves that are sound or that the user has included, the
    /// ones that give most first; equal ones as their positions came into the tree.
    pub fn traps(&self, limits: TrapLimits) -> Vec<Trap> {
        let (ground, root) = (&self.ground, self.root);
        let ways = Ways::of(ground, root);
        let mut traps = Vec::new();
        let theirs = ground.graph.analysed().filter(|node| !ground.is_own(*node));
        for node in theirs.filter(|node| ways.of_node(*node) > 0.0) {
            let Some(counts) = ground.counts_at(node) else { continue };
            for (edge, share) in errors(ground.graph, ground.values, counts, node, limits) {
                traps.extend(self.trap(&ways, node, edge, share));
            }
        }
        traps.sort_by(|a, b| b.weight().total_cmp(&a.weight()));
        traps
    }

    fn trap(&self, ways: &Ways, node: NodeId, error: &Edge, share: f64) -> Option<Trap> {
        let ground = &self.ground;
        let best = ground.best_by_idea(node)?;
        let value = |edge: &Edge| -ground.values.idea_of(ground.graph, edge);
        let counts = ground.counts_at(node)?;
        let before = ways.from.get(node.index()).copied().flatten();
        let best_before = before.and_then(|(from, _)| ground.best_idea(from));
        let lost =
            best_before.map_or(0, |before| i32::from(before.get()) - i32::from(value(best).get()));
        let is_analysed = ground.graph.is_analysed(error.child);
        let punishment = ground.best_by_idea(error.child).filter(|_| is_analysed);
        let is_seen =
            |behind: NodeId| ground.graph.is_analysed(behind) || ground.graph.is_leaf(behind);
        let ends = ground.graph.is_leaf(error.child);
        let one_search = !ends && !punishment.is_some_and(|edge| is_seen(edge.child));
        Some(Trap {
            side: ground.asked.side,
            line: line_to(&ways.from, node),
            node,
            reach: ways.of_node(node),
            error: error.uci.unpack(),
            games: games_told(counts, error.uci.unpack()),
            share,
            after: value(error),
            best: (best.uci.unpack(), value(best)),
            punishment: punishment.map(|edge| edge.uci.unpack()),
            follows: Vec::new(),
            one_search,
            look: None,
            risk: u32::try_from(lost).unwrap_or_default(),
        })
    }
}

/// The likeliest trap that a sound move sets, in words: `trap: 41% play Bxd1, which loses 3.20`; `None`
/// if it sets none, or the tree prepares the other side. `idea` is the value of the move, `child` the position behind it.
pub fn describe_trap(
    growth: &Growth,
    refuted: &Refuted,
    from: NodeId,
    child: NodeId,
    idea: Value,
) -> Option<String> {
    let (graph, values) = (growth.graph(), growth.values());
    let best = |node| graph.moves(node).iter().map(|edge| values.idea_of(graph, edge)).max();
    let is_sound = i64::from(idea.get()) >= best(from)?.less(SOUND);
    let is_prepared = growth.counts().rules?.prepare(graph.turn(from));
    if !is_prepared || !is_sound || !graph.is_analysed(child) {
        return None;
    }
    let position = growth.position(child);
    let key = PositionKey::of(&position);
    let counts = growth.counts().get(&key)?;
    let errors = errors(graph, values, counts, child, TrapLimits::default()).into_iter();
    let errors = errors.filter(|(error, _)| !refuted.contains(&(key, error.uci.unpack())));
    let (error, share) = errors.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let san = san_of(&position, error.uci.unpack());
    let loses = describe_loss(best(child)?, values.idea_of(graph, error));
    Some(format!("trap: {} play {san}, which {loses}", describe_share(share)))
}

/// `loses 3.20`, `allows mate`.
pub fn describe_loss(best: Value, played: Value) -> String {
    if played.is_mate() && played.get() < 0 {
        return "allows mate".to_owned();
    }
    let lost = i32::from(best.get()) - i32::from(played.get());
    if best.is_mate() {
        "misses mate".to_owned()
    } else {
        format!("loses {}", pawns(lost.unsigned_abs()))
    }
}

/// The traps of a tree for some sides, the ones that give most first, whatever deeper searches say.
pub fn traps_of(growth: &Growth, sides: &[PeopleAsked], limits: TrapLimits) -> Vec<Trap> {
    let of_side = |asked: &PeopleAsked| People::of(growth, *asked).traps(limits);
    let mut traps: Vec<Trap> = sides.iter().flat_map(of_side).collect();
    traps.sort_by(|a, b| b.weight().total_cmp(&a.weight()));
    traps
}

/// Traps with deeper searches of them.
#[derive(Debug, Clone, Default)]
pub struct Traps {
    /// Traps that hold.
    pub traps: Vec<Trap>,
    /// Number of refuted ones: the reply loses less than the limit.
    pub refuted: usize,
}

impl Traps {
    /// The traps of a tree in their order, with the punishing moves that the engine gave where the tree ends,
    /// and with deeper searches by the tree's engine.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn read(
        store: &Store,
        tree: &Tree,
        traps: Vec<Trap>,
        limits: TrapLimits,
    ) -> Result<Traps, StoreError> {
        let (growth, profile) = (&*tree.growth, &tree.row.profile);
        let deeper = DeeperSearches::than(profile, store)?;
        let mut told = Traps::default();
        for mut trap in traps {
            let position = growth.position(trap.node);
            trap.look = deeper.look(&position, &trap.behind(growth))?;
            if trap.look.is_some_and(|look| look.refutes(limits)) {
                told.refuted += 1;
                continue;
            }
            trap.punish(store, tree)?;
            told.traps.push(trap);
        }
        Ok(told)
    }
}
