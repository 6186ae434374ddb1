//! How the verdict came about: what each depth made of the root's moves, what changed them, and by
//! which move. Pure.

pub mod text;
pub mod words;

use std::io::{self, Write};

use hashbrown::HashMap;
use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{PositionKey, Score, Value, fen_of, san_of};
use deepanalyze_core::tree::{Edge, Growth, root_moves};
use deepanalyze_store::{ListedAnswer, VerdictMove};

use crate::kept::stages::StageObject;
use crate::kept::tree::KeptTree;
use crate::kept::verdict::root_value;
use crate::log::text::Log;
use crate::log::words::ChangeWords;
use crate::verify::regrown::{RootSeen, Sources, replay};
use crate::words::figures::timestamp;
use crate::words::manner::{BreadthObject, EngineObject};
use crate::words::moves::PointOfView;

/// The root as a depth has left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// The depth.
    pub depth: u32,
    /// Whether it is settled; the last one may be under way.
    pub is_settled: bool,
    /// Passes so far.
    pub passes: u64,
    /// Admitted answers so far.
    pub searches: u64,
    /// Analysed positions so far.
    pub positions: u64,
    /// When, in milliseconds since 1970, UTC.
    pub at: i64,
    /// The root's alpha, for its side to move.
    pub value: Option<Value>,
    /// Its listed moves, best alpha first; none where they are not known.
    pub moves: Vec<VerdictMove>,
}

/// A change of a root move's alpha from one depth to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlphaChange {
    /// The depth that it had the old value at.
    pub since: u32,
    /// The depth that it has the new value at.
    pub depth: u32,
    /// The old alpha, for the mover.
    pub before: Value,
    /// The new one.
    pub after: Value,
    /// What has changed it.
    pub cause: Cause,
}

/// Why a move's alpha is another one: where its best line leaves the old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// At this index, the first one where the lines differ, the new line has another move than the
    /// old one.
    Departs(usize),
    /// The new line begins with the old one: the scores after the old one's last move, which has this
    /// index.
    Follows(usize),
}

/// The newest change of the verdict: what one depth has made of the depth before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headline {
    /// The same move is best, and its alpha another one.
    Value(UciMove, AlphaChange),
    /// Another move is best: the new one, the old one, and the change of either that counts for more.
    Best {
        /// The best move now.
        now: UciMove,
        /// The best move before.
        before: UciMove,
        /// The depth that the old one was best at.
        since: u32,
        /// Whose alpha changed more, and how.
        reason: Option<(UciMove, AlphaChange)>,
    },
}

impl Stage {
    /// A listed move.
    pub fn find(&self, uci: UciMove) -> Option<&VerdictMove> {
        self.moves.iter().find(|m| m.uci == uci)
    }
}

/// All that is known of a tree's depths, the one under way included.
pub fn stages(tree: &KeptTree) -> Vec<Stage> {
    let mut stages: Vec<Stage> = tree
        .verdicts
        .iter()
        .map(|verdict| Stage {
            depth: verdict.settled.depth,
            is_settled: true,
            passes: verdict.settled.passes,
            searches: verdict.settled.searches,
            positions: verdict.settled.analysed,
            at: verdict.settled_at,
            value: verdict.value,
            moves: verdict.moves.clone(),
        })
        .collect();
    let growth = &tree.growth;
    let settled_after = stages.last().map_or(0, |last| last.passes);
    let moves = root_moves(growth.graph(), growth.values(), growth.root());
    if growth.passes() > settled_after && !moves.is_empty() {
        stages.push(Stage {
            depth: growth.depth(),
            is_settled: false,
            passes: growth.passes(),
            searches: growth.searches(),
            positions: growth.analysed(),
            at: tree.row.changed_at,
            value: root_value(growth),
            moves,
        });
    }
    stages
}

/// Works out the verdicts that the database has not kept: those of version 1 of its schema. The tree
/// is grown again from its own answers.
///
/// # Errors
///
/// In words, where the tree is not the one that its answers make.
pub fn complete_verdicts(tree: &mut KeptTree) -> Result<(), String> {
    let is_missing = |verdict: &deepanalyze_store::Verdict| verdict.moves.is_empty();
    let analysed = tree.growth.graph().is_analysed(tree.growth.root());
    if !analysed || !tree.verdicts.iter().any(is_missing) {
        return Ok(());
    }
    let lists = lists_of(&tree.growth);
    let mut seen = RootSeen::new(u64::MAX);
    // There were no tables in version 1, which left them out.
    let look_up = |_: &Chess| Ok(None);
    let facts = tree.growth.facts().clone();
    let answers =
        |position: &Chess| Ok(lists.get(&PositionKey::of(position)).cloned().unwrap_or_default());
    let sources = Sources { answers: &answers, facts, look_up: &look_up };
    replay(&tree.row, (&tree.game, &tree.directives), sources, |growth| seen.see(growth))
        .map_err(|error| error.to_string())?;
    for (verdict, (settled, moves)) in tree.verdicts.iter_mut().zip(seen.into_verdicts()) {
        if verdict.settled != settled {
            return Err(format!("depth {} differs when grown again", settled.depth));
        }
        verdict.moves = moves;
    }
    Ok(())
}

/// The lists of a tree. A score that is more than a value can say is that value's.
fn lists_of(growth: &Growth) -> HashMap<PositionKey, Vec<ListedAnswer>> {
    let graph = growth.graph();
    let answer =
        |edge: &Edge| ListedAnswer { uci: edge.uci.unpack(), score: Score::from(edge.eval) };
    let list = |node| graph.list(node).iter().map(answer).collect();
    graph.analysed().map(|node| (PositionKey::of(&growth.position(node)), list(node))).collect()
}

/// How a root move's alpha went from depth to depth, oldest change first. Depths that do not list the
/// move are stepped over.
pub fn changes(stages: &[Stage], uci: UciMove) -> Vec<AlphaChange> {
    let listed = stages.iter().filter_map(|stage| Some((stage, stage.find(uci)?)));
    let listed: Vec<_> = listed.collect();
    let pairs = listed.iter().zip(listed.iter().skip(1));
    pairs.filter_map(|(old, new)| change(*old, *new)).collect()
}

fn change(old: (&Stage, &VerdictMove), new: (&Stage, &VerdictMove)) -> Option<AlphaChange> {
    let ((since, old), (depth, new)) = (old, new);
    (old.alpha != new.alpha).then(|| AlphaChange {
        since: since.depth,
        depth: depth.depth,
        before: old.alpha,
        after: new.alpha,
        cause: cause(&old.line, &new.line),
    })
}

/// Where a newer best line leaves an older one of the same root move.
pub fn cause(older: &[UciMove], newer: &[UciMove]) -> Cause {
    let common = older.iter().zip(newer).take_while(|(old, new)| old == new).count();
    if common < older.len() && common < newer.len() {
        Cause::Departs(common)
    } else {
        Cause::Follows(common.saturating_sub(1))
    }
}

/// The newest change between two depths that are known.
pub fn headline(stages: &[Stage]) -> Option<Headline> {
    let known: Vec<&Stage> = stages.iter().filter(|stage| !stage.moves.is_empty()).collect();
    let pairs = known.iter().zip(known.iter().skip(1));
    pairs.rev().find_map(|(old, new)| headline_of(old, new))
}

fn headline_of(old: &Stage, new: &Stage) -> Option<Headline> {
    let (before, now) = (old.moves.first()?.uci, new.moves.first()?.uci);
    let change = |uci| Some((uci, change((old, old.find(uci)?), (new, new.find(uci)?))?));
    if before == now {
        return change(now).map(|(uci, change)| Headline::Value(uci, change));
    }
    let size = |change: &AlphaChange| change.after.get().abs_diff(change.before.get());
    let changed = [change(now), change(before)].into_iter().flatten();
    // Of two that moved as much, the old best move is why there is another one.
    let reason = changed.max_by_key(|(_, change)| size(change));
    Some(Headline::Best { now, before, since: old.depth, reason })
}

#[derive(Serialize)]
struct LogObject<'a> {
    format: u32,
    analysis: i64,
    root: String,
    history: Vec<String>,
    engine: EngineObject<'a>,
    #[serde(flatten)]
    breadth: BreadthObject,
    /// The stages of the root, the shallowest engine depth first; only where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stages: Vec<StageObject>,
    verdicts: Vec<VerdictObject>,
    moves: Vec<MoveObject>,
    course: CourseObject,
}

#[derive(Serialize)]
struct VerdictObject {
    depth: u32,
    /// RFC 3339, UTC; null where it is under way.
    settled_at: Option<String>,
    passes: u64,
    searches: u64,
    positions: u64,
    value: Option<Score>,
    moves: Vec<ListedObject>,
}

#[derive(Serialize)]
struct ListedObject {
    uci: String,
    san: String,
    rank: Option<usize>,
    eval: Option<Score>,
    idea: Score,
    alpha: Score,
    line: Vec<String>,
}

#[derive(Serialize)]
struct MoveObject {
    uci: String,
    san: String,
    alpha: Score,
    changes: Vec<ChangeObject>,
}

#[derive(Serialize)]
struct ChangeObject {
    since: u32,
    depth: u32,
    before: Score,
    after: Score,
    because: BecauseObject,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
enum BecauseObject {
    /// The newer line leaves the older one here.
    Departs { ply: usize, uci: String, instead_of: String },
    /// The newer line begins with the older one, whose last move this is.
    Follows { ply: usize, uci: String },
}

#[derive(Serialize)]
struct CourseObject {
    from_pass: u64,
    changes: Vec<PointObject>,
}

#[derive(Serialize)]
struct PointObject {
    pass: u64,
    searches: u64,
    positions: u64,
    at: String,
    best: String,
    alpha: Score,
}

/// Writes the history as one JSON object. Scores are for the root's side to move; plies count from
/// the root.
pub fn write_log_json(log: &Log<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (row, root) = (&log.tree.row, log.tree.game.root());
    let change_words = ChangeWords { root, stages: log.stages, pov: PointOfView::Mover };
    let known = log.stages.iter().rev().find(|stage| !stage.moves.is_empty());
    let moves = known.map_or(&[][..], |stage| &stage.moves).iter();
    let moves = moves.map(|m| MoveObject {
        uci: m.uci.to_string(),
        san: san_of(root, m.uci),
        alpha: m.alpha.into(),
        changes: changes(log.stages, m.uci)
            .iter()
            .map(|change| change_object(&change_words, m.uci, change))
            .collect(),
    });
    let object = LogObject {
        format: 1,
        analysis: row.id.0,
        root: fen_of(root),
        history: words(&row.history),
        engine: EngineObject::of(&row.profile),
        breadth: BreadthObject::of(&row.breadth),
        stages: StageObject::of(&log.tree.stages),
        verdicts: log.stages.iter().map(|stage| stage_object(root, stage)).collect(),
        moves: moves.collect(),
        course: course_object(log.tree),
    };
    serde_json::to_writer(&mut *out, &object)?;
    writeln!(out)
}

fn stage_object(root: &Chess, stage: &Stage) -> VerdictObject {
    let moves = stage.moves.iter().map(|m| ListedObject {
        uci: m.uci.to_string(),
        san: san_of(root, m.uci),
        rank: m.listed.map(|(rank, _)| rank),
        eval: m.listed.map(|(_, eval)| eval.into()),
        idea: m.idea.into(),
        alpha: m.alpha.into(),
        line: words(&m.line),
    });
    VerdictObject {
        depth: stage.depth,
        settled_at: stage.is_settled.then(|| timestamp(stage.at)),
        passes: stage.passes,
        searches: stage.searches,
        positions: stage.positions,
        value: stage.value.map(Score::from),
        moves: moves.collect(),
    }
}

fn change_object(
    change_words: &ChangeWords<'_>,
    uci: UciMove,
    change: &AlphaChange,
) -> ChangeObject {
    let (old, new) = (change_words.line(change.since, uci), change_words.line(change.depth, uci));
    let at = |line: &[UciMove], ply: usize| line.get(ply).map(ToString::to_string);
    let because = match change.cause {
        Cause::Departs(ply) => BecauseObject::Departs {
            ply,
            uci: at(new, ply).unwrap_or_default(),
            instead_of: at(old, ply).unwrap_or_default(),
        },
        Cause::Follows(ply) => {
            BecauseObject::Follows { ply, uci: at(new, ply).unwrap_or_default() }
        }
    };
    ChangeObject {
        since: change.since,
        depth: change.depth,
        before: change.before.into(),
        after: change.after.into(),
        because,
    }
}

fn course_object(tree: &KeptTree) -> CourseObject {
    let points = tree.course.points.iter().map(|point| PointObject {
        pass: point.passes,
        searches: point.searches,
        positions: point.positions,
        at: timestamp(point.noted_at),
        best: point.best.to_string(),
        alpha: point.alpha.into(),
    });
    CourseObject { from_pass: tree.course.from, changes: points.collect() }
}

fn words(line: &[UciMove]) -> Vec<String> {
    line.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests;
