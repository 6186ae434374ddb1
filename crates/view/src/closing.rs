//! The closing searches of a tree.

use serde::{Serialize, Serializer};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Score, Value, playable};
use deepanalyze_core::search::{Answer, Limit, WinDrawLoss};
use deepanalyze_core::tree::{CLOSING_MARGIN, ShareAnswer, ranked_shares};
use deepanalyze_store::{AnalysisRow, ClosingRow, ClosingShareRow, SecondLook, Store, StoreError};

use crate::best_line::Line;
use crate::json::{self, NamedMove};
use crate::second::Second;
use crate::words::figures::{describe_nodes, pawns};
use crate::words::manner::describe_limit;
use crate::words::{PointOfView, after, numbered_line, numbered_move, seen};

/// Plies shown behind a closing search's move.
const REPLIES: usize = 8;
/// Other moves of it shown.
const OTHERS: usize = 4;

/// A closing search, beside a tree whose searches have this limit:
/// `1. Nf3 +0.31 1... d5 2. d4 (depth 24, 12.3 million nodes by 2 engines, after pass 57); next 1. e4 +0.28, 1. d4 +0.26`.
pub fn describe_closing(root: &Chess, closing: &Closing, shown: Limit, pov: PointOfView) -> String {
    let ClosingAsked { tree_limit, passes, .. } = closing.asked;
    let scored = |chosen: &ClosingMove| {
        let score = seen(chosen.score, root.turn(), pov);
        format!("{} {score}", numbered_move(root, chosen.named.uci))
    };
    let (best, work) = (scored(&closing.best), describe_work(closing));
    let tree = match tree_limit {
        same if same == shown => String::new(),
        other => format!(" with {}", describe_limit(other)),
    };
    let replies = closing.best.line.iter().skip(1).take(REPLIES);
    let replies: Vec<UciMove> = replies.copied().collect();
    let line = numbered_line(&after(root, [&closing.best.named.uci]), &replies);
    let line = if line.is_empty() { line } else { format!(" {line}") };
    let others: Vec<String> = closing.others.iter().take(OTHERS).map(scored).collect();
    let others = if others.is_empty() {
        String::new()
    } else {
        format!("; next {}{}", others.join(", "), describe_margin(closing))
    };
    format!("{best}{line} ({work}, after pass {passes}{tree}){others}")
}

/// Why another engine's better-looking move is not the best.
fn describe_margin(closing: &Closing) -> String {
    let value = |chosen: &ClosingMove| Value::from(chosen.score);
    if closing.others.iter().any(|other| value(other) > value(&closing.best)) {
        format!(" (better, but by less than {})", pawns(CLOSING_MARGIN))
    } else {
        String::new()
    }
}

/// Amount of search: the limit where there was one and all have reached it, else the work so far.
fn describe_work(closing: &Closing) -> String {
    let ClosingAsked { limit, engines, .. } = closing.asked;
    let by = |words: &str| match engines {
        1 => String::new(),
        engines => format!(" {words} {engines} engines"),
    };
    if let (Some(limit), true) = (limit, closing.is_done) {
        return format!("{}{}", describe_limit(limit), by("on each of"));
    }
    let (depth, nodes) = (closing.best.depth, describe_nodes(closing.nodes));
    let so_far = if closing.is_done { "" } else { " so far" };
    format!("depth {depth}, {nodes}{}{so_far}", by("by"))
}

/// The parameters of a closing search, besides the tree, the engine and its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClosingAsked {
    /// The limit of the tree's searches.
    pub tree_limit: Limit,
    /// Passes of the tree.
    pub passes: u64,
    /// Limit of each engine's search; `None` if the clock ended it.
    pub limit: Option<Limit>,
    /// Number of engines.
    pub engines: u32,
}

/// A root move chosen by an engine, of all or of its share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct ClosingMove {
    /// The move.
    #[serde(flatten)]
    pub named: NamedMove,
    /// Its score for its mover.
    pub score: Score,
    /// How games end by its engine's word, for its mover; none where it has not said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wdl: Option<WinDrawLoss>,
    /// The engine depth of the iteration that chose it, in plies.
    pub depth: u32,
    /// The engine's principal variation, as far as it can be played; that move first.
    #[serde(serialize_with = "json::line")]
    #[cfg_attr(feature = "contract", schemars(with = "Vec<String>"))]
    pub line: Vec<UciMove>,
}

impl ClosingMove {
    /// Of an answer for the root.
    pub fn of(root: &Chess, answer: &Answer) -> ClosingMove {
        ClosingMove {
            named: NamedMove::of(root, answer.best),
            score: answer.score,
            wdl: answer.wdl,
            depth: answer.depth,
            line: playable(root, answer.pv.iter().copied()),
        }
    }

    /// The move and its principal variation, from the root.
    pub fn as_line(&self, root: &Chess) -> Line {
        let moves = if self.line.is_empty() { vec![self.named.uci] } else { self.line.clone() };
        Line { root: root.clone(), moves, value: self.score.into(), wdl: self.wdl }
    }
}

/// The result of a closing search so far, by one or several engines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closing {
    /// Its parameters.
    pub asked: ClosingAsked,
    /// Its chosen root move.
    pub best: ClosingMove,
    /// The other moves that some engine chose, the best first, each once.
    pub others: Vec<ClosingMove>,
    /// Engine nodes of all engines' searches.
    pub nodes: u64,
    /// True if all engines have finished, or the clock has ended it.
    pub is_done: bool,
    /// A second engine's word, if one was asked.
    pub second: Option<Second>,
}

impl Closing {
    /// Converts a row: the moves in the order of [`ranked_shares`], with the nodes of all. `None`
    /// before the first engine's first answer.
    pub fn of_row(root: &Chess, row: &ClosingRow) -> Option<Closing> {
        let ClosingRow { tree_limit, passes, limit, engines, ref shares, .. } = *row;
        let first = shares.iter().find(|share| share.number == 1)?;
        let said = shares.iter().map(|ClosingShareRow { is_all, answer, .. }| ShareAnswer {
            all: *is_all,
            uci: answer.best,
            value: Value::from(answer.score),
        });
        let ranked = ranked_shares(&said.collect::<Vec<_>>()).into_iter();
        let ranked = ranked.filter_map(|place| shares.get(place));
        let mut moves = ranked.map(|share| ClosingMove::of(root, &share.answer));
        let done = shares.iter().filter(|share| share.is_done).count();
        let is_over = limit.is_none() && first.is_done;
        Some(Closing {
            asked: ClosingAsked { tree_limit, passes, limit, engines },
            best: moves.next()?,
            others: moves.collect(),
            nodes: shares.iter().map(|share| share.answer.nodes).fold(0, u64::saturating_add),
            is_done: is_over || u32::try_from(done) == Ok(engines),
            second: Second::of(root, &row.looks),
        })
    }
}

/// Of the closing searches of an analysis' root under its present directives, the one of the most
/// nodes; of several the one of the deepest stage, then after the most passes; `None` if there is
/// none. With the second engine's word of the most nodes, beside whichever of them.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn best_closing(
    store: &Store,
    row: &AnalysisRow,
    root: &Chess,
) -> Result<Option<Closing>, StoreError> {
    let all = store.present_closings(row.id)?;
    let key = |closing: &Closing| (closing.nodes, closing.asked.tree_limit, closing.asked.passes);
    let best = all.iter().filter_map(|row| Closing::of_row(root, row)).max_by_key(key);
    let looks: Vec<SecondLook> = all.into_iter().flat_map(|row| row.looks).collect();
    Ok(best.map(|best| Closing { second: Second::of(root, &looks), ..best }))
}

/// A closing search as JSON: the choices of the engines, and after how much.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Closing"))]
pub struct ClosingObject<'a> {
    #[serde(flatten)]
    best: &'a ClosingMove,
    /// The other moves that an engine chose, the best first.
    others: &'a [ClosingMove],
    /// The limit of each engine's search; null if the clock ends it.
    limit: Option<Limit>,
    /// Of all engines.
    nodes: u64,
    /// Number of engines.
    engines: u32,
    /// True if all engines have finished, or the clock has ended it.
    complete: bool,
    tree_limit: Limit,
    /// Passes of the tree then.
    passes: u64,
}

impl Serialize for Closing {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.object().serialize(to)
    }
}

impl Closing {
    /// Its JSON object.
    pub fn object(&self) -> ClosingObject<'_> {
        let Closing { asked, best, others, nodes, is_done, second: _ } = self;
        let ClosingAsked { tree_limit, passes, limit, engines } = *asked;
        let (nodes, complete) = (*nodes, *is_done);
        ClosingObject { best, others, limit, nodes, engines, complete, tree_limit, passes }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use deepanalyze_store::ClosingId;

    /// A closing search from its engines' answers: number, move, centipawns, depth and nodes, with
    /// a `!` behind a finished one.
    fn closing(engines: u32, limit: Option<Limit>, said: &str) -> Option<Closing> {
        let share = |said: &str| {
            let words: Vec<&str> = said.trim_end_matches('!').split(' ').collect();
            let number = words[0].parse().unwrap();
            let best: UciMove = words[1].parse().unwrap();
            let answer = Answer {
                best,
                score: Score::Cp(words[2].parse().unwrap()),
                wdl: None,
                depth: words[3].parse().unwrap(),
                seldepth: 0,
                nodes: words[4].parse().unwrap(),
                time: std::time::Duration::ZERO,
                pv: vec![best, "e7e5".parse().unwrap(), "e7e5".parse().unwrap()],
            };
            ClosingShareRow { number, is_all: number == 1, answer, is_done: said.ends_with('!') }
        };
        let shares = said.split(", ").map(share).collect();
        let (id, tree_limit) = (ClosingId(1), Limit::Depth(10));
        let row =
            ClosingRow { id, tree_limit, passes: 57, limit, engines, shares, looks: Vec::new() };
        Closing::of_row(&Chess::default(), &row)
    }

    /// Its description.
    fn told(engines: u32, limit: Option<Limit>, said: &str) -> String {
        let closing = closing(engines, limit, said).unwrap();
        describe_closing(&Chess::default(), &closing, Limit::Depth(10), PointOfView::White)
    }

    #[test]
    fn it_is_told_as_far_as_it_has_come() {
        let nodes = Some(Limit::Nodes(2_000));
        for (engines, limit, said, right) in [
            (1, nodes, "1 e2e4 30 9 2000!", "1. e4 +0.30 1... e5 (2,000 nodes, after pass 57)"),
            (
                1,
                None,
                "1 e2e4 30 9 2000!",
                "1. e4 +0.30 1... e5 (depth 9, 2,000 nodes, after pass 57)",
            ),
            (
                2,
                nodes,
                "1 e2e4 30 9 2000!, 2 d2d4 20 8 2000!",
                "1. e4 +0.30 1... e5 (2,000 nodes on each of 2 engines, after pass 57); next 1. d4 +0.20",
            ),
            (
                2,
                None,
                "1 e2e4 30 24 8300000!, 2 d2d4 60 22 4012345!",
                "1. d4 +0.60 1... e5 (depth 22, 12.3 million nodes by 2 engines, after pass 57); next 1. e4 +0.30",
            ),
            (
                2,
                nodes,
                "1 e2e4 30 9 2000!, 2 d2d4 20 8 1999",
                "1. e4 +0.30 1... e5 (depth 9, 3,999 nodes by 2 engines so far, after pass 57); next 1. d4 +0.20",
            ),
            (
                3,
                None,
                "1 e2e4 30 9 2000, 3 e2e3 20 8 1000!",
                "1. e4 +0.30 1... e5 (depth 9, 3,000 nodes by 3 engines so far, after pass 57); next 1. e3 +0.20",
            ),
            // The first has the threads of the second.
            (
                3,
                None,
                "1 e2e4 30 9 2000!, 3 e2e3 20 8 1000!",
                "1. e4 +0.30 1... e5 (depth 9, 3,000 nodes by 3 engines, after pass 57); next 1. e3 +0.20",
            ),
        ] {
            assert_eq!(told(engines, limit, said), right);
        }
        assert_eq!(closing(3, None, "2 e2e4 30 9 2000!, 3 e2e3 20 8 1000!"), None);
    }
}
