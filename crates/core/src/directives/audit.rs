//! A repertoire checked against the tree: losses of own moves, replies without an answer, positions
//! not analysed.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use crate::chess::{Ending, PositionKey, Value, epd_of};
use crate::tree::{Child, Growth, NodeId, PathSet, PathValues, best_line_behind, choices};

use super::set::{Directives, Said};

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// An own move of the repertoire is worth less than another move there.
    Loss,
    /// A reply of the other side that is a candidate has no answer in the repertoire.
    Unprepared,
    /// The tree has not analysed the position yet.
    Unreached,
}

/// A finding of an audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// The line of included moves from the root to the position: that of the user's file, else the shortest one.
    pub line: Vec<UciMove>,
    /// The position.
    pub epd: String,
    /// The own move or the reply it is about; none where the position is not analysed.
    pub uci: Option<UciMove>,
    /// That move's value for the repertoire's side.
    pub value: Option<Value>,
    /// The move compared with: the best move there, or the strongest reply that has an answer.
    pub best: Option<UciMove>,
    /// Its value for the repertoire's side.
    pub against: Option<Value>,
    /// The tree's own answer to a reply, if it has one.
    pub answer: Option<UciMove>,
    /// Cost of the move for the repertoire's side, in centipawns ([`cost`]); below 0 where a reply
    /// without an answer is weaker than one with. None where there is nothing to compare with: no
    /// reply there has an answer, the line ends.
    pub cost: Option<i32>,
}

impl Finding {
    /// True if it is about a reply where a line ends: no reply there has an answer.
    pub fn is_at_end_of_line(&self) -> bool {
        self.kind == FindingKind::Unprepared && self.cost.is_none()
    }
}

/// Audit of a side's repertoire.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    /// Findings: the greatest cost first, then the nearest to the root, then by line, a position's
    /// strongest move first. Those without a cost come last.
    pub findings: Vec<Finding>,
    /// Positions reached from the root by included moves, the root among them, each once.
    pub positions: usize,
    /// Ends among them: decided by the rules, by a value, stopped, or a return to the game.
    pub ends: usize,
    /// Included moves of the repertoire's side.
    pub own_moves: usize,
    /// Positions with several own moves: the repertoire does not say which one is played there.
    pub several: usize,
    /// Own moves with a value in the tree.
    pub priced_moves: usize,
    /// Own moves that lose more than the limit.
    pub losing: usize,
    /// Candidate replies of the other side, ends not counted.
    pub replies: usize,
    /// Candidate replies without an answer.
    pub unprepared: usize,
    /// Positions neither ends nor analysed.
    pub unreached: usize,
}

/// Cost of getting one value in place of another, both for the same side, in centipawns. A slower
/// mate costs nothing.
pub fn cost(value: Value, against: Value) -> i32 {
    let is_same_mate =
        value.is_mate() && against.is_mate() && (value < Value::EVEN) == (against < Value::EVEN);
    if is_same_mate { 0 } else { i32::from(against.get()) - i32::from(value.get()) }
}

/// Audits a side's repertoire: the positions reached from the root by included moves, in any order.
/// Own moves that lose more than `most_lost` centipawns are findings.
pub fn audit(growth: &Growth, directives: &Directives, side: Color, most_lost: u32) -> Audit {
    let mut paths = PathValues::new(growth.graph(), growth.values());
    let spots = spots(growth, directives, &mut paths);
    let mut auditor = Auditor {
        growth,
        directives,
        side,
        most_lost,
        paths,
        spots: &spots,
        audit: Audit { positions: spots.len(), ..Audit::default() },
    };
    for (index, spot) in spots.iter().enumerate() {
        auditor.look_at(index, spot);
    }
    let mut audit = auditor.audit;
    audit.findings.sort_by_cached_key(|finding| {
        let words: Vec<String> = finding.line.iter().map(UciMove::to_string).collect();
        (Reverse(finding.cost), words.len(), words)
    });
    audit
}

/// Progress of a tree with included moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IncludedPositions {
    /// Positions they are played in or lead to from the root, ends not counted.
    pub all: usize,
    /// The analysed ones among them.
    pub analysed: usize,
}

/// Progress of a tree with the included moves of its root; `None` if none is included there.
pub fn included_positions(growth: &Growth, directives: &Directives) -> Option<IncludedPositions> {
    let mut paths = PathValues::new(growth.graph(), growth.values());
    let mut spots = spots(growth, directives, &mut paths);
    if spots.len() < 2 {
        return None;
    }
    spots.retain(|spot| !spot.is_end);
    let is_analysed =
        |spot: &&RepertoirePosition| spot.node.is_some_and(|node| growth.graph().is_analysed(node));
    let analysed = spots.iter().filter(is_analysed).count();
    Some(IncludedPositions { all: spots.len(), analysed })
}

struct Auditor<'a> {
    growth: &'a Growth,
    directives: &'a Directives,
    side: Color,
    most_lost: u32,
    paths: PathValues<'a>,
    spots: &'a [RepertoirePosition],
    audit: Audit,
}

impl Auditor<'_> {
    fn look_at(&mut self, index: usize, spot: &RepertoirePosition) {
        if spot.is_end {
            self.audit.ends += 1;
            return;
        }
        let graph = self.growth.graph();
        let is_own = spot.position.turn() == self.side;
        if is_own {
            let own_moves = included(self.directives, &spot.key).len();
            self.audit.own_moves += own_moves;
            self.audit.several += usize::from(own_moves > 1);
        }
        let Some(node) = spot.node.filter(|node| graph.is_analysed(*node)) else {
            self.audit.unreached += 1;
            self.find(index, spot, FindingKind::Unreached, Comparison::default());
            return;
        };
        // An included line costs no ply.
        let moves = choices(&mut self.paths, self.growth.breadth(), node, 0, spot.path);
        if is_own {
            self.price(index, spot, &moves);
        } else {
            self.look_for_answers(index, spot, &moves);
        }
    }

    /// Prices own moves.
    fn price(&mut self, index: usize, spot: &RepertoirePosition, moves: &[Child]) {
        let Some(best) = moves.first() else {
            return;
        };
        let included = included(self.directives, &spot.key);
        for m in moves.iter().filter(|m| included.contains(&m.edge.uci.unpack())) {
            self.audit.priced_moves += 1;
            let cost = cost(m.alpha, best.alpha);
            if i64::from(cost) > i64::from(self.most_lost) {
                self.audit.losing += 1;
                let comparison = Comparison {
                    uci: Some(m.edge.uci.unpack()),
                    value: Some(m.alpha),
                    best: Some(best.edge.uci.unpack()),
                    against: Some(best.alpha),
                    answer: None,
                };
                self.find(index, spot, FindingKind::Loss, comparison);
            }
        }
    }

    /// Finds candidate replies without an answer.
    fn look_for_answers(&mut self, index: usize, spot: &RepertoirePosition, moves: &[Child]) {
        let graph = self.growth.graph();
        let replies: Vec<ReplyMove<'_>> = moves.iter().filter_map(|m| self.reply(m)).collect();
        // Ordered by their worth for the other side.
        let strongest = replies.iter().find(|reply| reply.has_answer).map(|reply| reply.m);
        for ReplyMove { m, has_answer } in replies.into_iter().filter(|reply| reply.m.candidate) {
            self.audit.replies += 1;
            if has_answer {
                continue;
            }
            self.audit.unprepared += 1;
            let answers = best_line_behind(graph, &mut self.paths, m.edge.child, spot.path, 1);
            let comparison = Comparison {
                uci: Some(m.edge.uci.unpack()),
                value: Some(-m.alpha),
                best: strongest.map(|m| m.edge.uci.unpack()),
                against: strongest.map(|m| -m.alpha),
                answer: answers.first().copied(),
            };
            self.find(index, spot, FindingKind::Unprepared, comparison);
        }
    }

    /// The reply, if the game goes on behind it.
    fn reply<'m>(&self, m: &'m Child) -> Option<ReplyMove<'m>> {
        let position = self.growth.position(m.edge.child);
        let key = PositionKey::of(&position);
        let goes_on = !is_end(self.growth, self.directives, &position, &key);
        let has_answer = !included(self.directives, &key).is_empty();
        goes_on.then_some(ReplyMove { m, has_answer })
    }

    fn find(
        &mut self,
        index: usize,
        spot: &RepertoirePosition,
        kind: FindingKind,
        comparison: Comparison,
    ) {
        let Comparison { uci, value, best, against, answer } = comparison;
        self.audit.findings.push(Finding {
            kind,
            line: line_to(self.spots, index),
            epd: epd_of(&spot.position),
            uci,
            value,
            best,
            against,
            answer,
            cost: value.zip(against).map(|(value, against)| cost(value, against)),
        });
    }
}

/// A move of the other side.
struct ReplyMove<'m> {
    m: &'m Child,
    has_answer: bool,
}

/// A move and the move it is compared with.
#[derive(Default)]
struct Comparison {
    uci: Option<UciMove>,
    value: Option<Value>,
    best: Option<UciMove>,
    against: Option<Value>,
    answer: Option<UciMove>,
}

/// A position of a skeleton, at the end of its shortest line.
#[derive(Debug)]
struct RepertoirePosition {
    position: Chess,
    key: PositionKey,
    /// Its node in the tree.
    node: Option<NodeId>,
    /// The tree's path along the line.
    path: Option<PathSet>,
    /// The position before, and the move that leads here.
    parent: Option<(usize, UciMove)>,
    /// True if nothing is analysed there.
    is_end: bool,
}

/// All positions reached from the root by included moves, each once: those in the user's files by
/// the lines of the files, in their order, then the others, the nearest ones first, those of the
/// same distance in the order of their lines.
fn spots(
    growth: &Growth,
    directives: &Directives,
    paths: &mut PathValues<'_>,
) -> Vec<RepertoirePosition> {
    let root = growth.position(growth.root());
    let first = spot(growth, directives, paths, root, None, None);
    let mut seen = BTreeSet::from([first.key]);
    let mut spots = vec![first];
    // Positions and moves of the files' own lines still to be followed, the last one first.
    let mut waiting = written_moves(directives, &spots, 0);
    while let Some((from, uci)) = waiting.pop() {
        if let Some(new) = follow(growth, directives, paths, &spots, (from, uci), &mut seen) {
            spots.push(new);
            waiting.extend(written_moves(directives, &spots, spots.len() - 1));
        }
    }
    let mut next = 0;
    while let Some(here) = spots.get(next) {
        let moves = if here.is_end { &[] } else { included(directives, &here.key) };
        for uci in moves {
            if let Some(new) = follow(growth, directives, paths, &spots, (next, *uci), &mut seen) {
                spots.push(new);
            }
        }
        next += 1;
    }
    spots
}

/// The included moves of a position that lead on in the user's files, the last one first.
fn written_moves(
    directives: &Directives,
    spots: &[RepertoirePosition],
    index: usize,
) -> Vec<(usize, UciMove)> {
    let Some(here) = spots.get(index).filter(|here| !here.is_end) else {
        return Vec::new();
    };
    let number = |uci: &UciMove| {
        let written = directives.written().of(&here.key, *uci)?;
        written.leads.then_some((Reverse(written.number), *uci))
    };
    let mut moves: Vec<_> = included(directives, &here.key).iter().filter_map(number).collect();
    moves.sort_by_key(|(number, _)| *number);
    moves.into_iter().map(|(_, uci)| (index, uci)).collect()
}

/// The position behind a move, where it is legal and new.
fn follow(
    growth: &Growth,
    directives: &Directives,
    paths: &mut PathValues<'_>,
    spots: &[RepertoirePosition],
    (from, uci): (usize, UciMove),
    seen: &mut BTreeSet<PositionKey>,
) -> Option<RepertoirePosition> {
    let here = spots.get(from)?;
    let m = uci.to_move(&here.position).ok()?;
    let mut after = here.position.clone();
    after.play_unchecked(m);
    let is_new = seen.insert(PositionKey::of(&after));
    is_new.then(|| spot(growth, directives, paths, after, here.path, Some((from, uci))))
}

fn spot(
    growth: &Growth,
    directives: &Directives,
    paths: &mut PathValues<'_>,
    position: Chess,
    before: Option<PathSet>,
    parent: Option<(usize, UciMove)>,
) -> RepertoirePosition {
    let key = PositionKey::of(&position);
    let node = growth.find(&key);
    let is_end = is_end(growth, directives, &position, &key);
    let path = node.map_or(before, |node| paths.extend(before, node));
    RepertoirePosition { position, key, node, path, parent, is_end }
}

/// True if nothing is analysed at a position: the game is over or has been here twice before,
/// tablebases know the result, or the user has given it a value or stopped it.
fn is_end(growth: &Growth, directives: &Directives, position: &Chess, key: &PositionKey) -> bool {
    let said = directives.at(key);
    Ending::of(position).is_some()
        || said.is_some_and(|said: &Said| said.value.is_some() || said.stop)
        || growth.find(key).is_some_and(|node| {
            growth.graph().is_repeated(node) || growth.graph().known(node).is_some()
        })
}

/// The included moves of a position, by UCI text.
fn included<'a>(directives: &'a Directives, key: &PositionKey) -> &'a [UciMove] {
    directives.at(key).map_or(&[], |said| &said.include)
}

/// The moves from the root to a position.
fn line_to(spots: &[RepertoirePosition], mut index: usize) -> Vec<UciMove> {
    let mut line = Vec::new();
    while let Some((before, uci)) = spots.get(index).and_then(|spot| spot.parent) {
        line.push(uci);
        index = before;
    }
    line.reverse();
    line
}

#[cfg(test)]
mod tests;
