//! The verdict of a root: its best move, and the source of the choice (docs/algorithm.md, section
//! 7).

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde::{Serialize, Serializer};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{DrawValue, Game, Score, Value};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_store::{AnalysisRow, Store, StoreError};

use crate::best_line::{Line, best_lines, stored_line};
use crate::chance::centipawns;
use crate::closing::{Closing, best_closing};
use crate::json::{self, NamedMove};
use crate::second::SecondWord;
use crate::tree::{StoredTree, Tree, load_tree};
use crate::words::figures::grouped;
use crate::words::fit::wrap;
use crate::words::{PointOfView, describe_wdl, numbered_line, numbered_move, seen};

/// The style of the answer on a terminal.
pub const ANSWER: Style = AnsiColor::Green.on_default().bold();

/// A closing search counts once its engines have searched one part in this many of the tree's
/// nodes.
const PART: u64 = 4;

/// The source of a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ChosenBy {
    /// The closing search.
    Closing,
    /// The tree.
    Tree,
}

/// The best move of a root: the one answer of every face.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The move with its value, and the moves expected to follow.
    pub choice: Line,
    /// The source of the choice.
    pub by: ChosenBy,
    /// The choice of the other source, tree or closing search; `None` without a closing search.
    pub other: Option<Line>,
    /// The nodes of the closing search and of the tree.
    pub(crate) nodes: [u64; 2],
    /// The value of a draw for the mover, if it is not 0: an engine does not know it.
    pub(crate) drawn: Option<Value>,
    /// A second engine's word, if one was asked.
    pub second: Option<SecondWord>,
    /// The engines of the closing search; 0 without one.
    pub(crate) engines: u32,
    /// By how much the closing search's move is better than the best other one that an engine of it
    /// chose, in centipawns; `None` if all chose the same.
    pub(crate) lead: Option<i32>,
    /// By how much the tree's best move is better than its next one, in centipawns; `None` if it has one move
    /// alone, or is not read.
    pub(crate) tree_lead: Option<i32>,
}

/// True if a closing search has enough nodes to count beside a tree of `spent`.
fn counts(searched: u64, spent: u64) -> bool {
    searched.saturating_mul(PART) >= spent
}

/// True if the tree counts beside a closing search because of the value of a draw, for the mover: a
/// score of 0 may be worth less than the tree's move, and the tree's move may be worth more than
/// the closing search's.
fn draws_decide(drawn: Option<Value>, tree: Value, closing: Value) -> bool {
    drawn.is_some_and(|drawn| match closing {
        Value::EVEN => drawn <= tree,
        other => tree == drawn && other <= drawn,
    })
}

impl Verdict {
    /// Decides between a tree whose answers took these nodes, and a closing search, if there is
    /// one. `None` if the tree has no move.
    pub fn of(
        tree: &Line,
        spent: u64,
        draw: DrawValue,
        closing: Option<&Closing>,
    ) -> Option<Verdict> {
        tree.best()?;
        let root = &tree.root;
        let drawn = Some(draw.for_side(root.turn())).filter(|drawn| *drawn != Value::EVEN);
        let tree = Line { wdl: None, ..tree.clone() };
        let Some(Closing { asked, best, others, nodes, second, .. }) = closing else {
            return Some(Verdict {
                choice: tree,
                by: ChosenBy::Tree,
                other: None,
                nodes: [0, spent],
                drawn,
                second: None,
                engines: 0,
                lead: None,
                tree_lead: None,
            });
        };
        let second = second.as_ref();
        let others = others.iter().map(|other| i64::from(Value::from(other.score).get()));
        let lead = others.max().map(|most| i64::from(Value::from(best.score).get()) - most);
        let lead = lead.and_then(|lead| i32::try_from(lead).ok());
        let engines = asked.engines;
        let closing = best.as_line(root);
        let (by, choice, other) =
            if counts(*nodes, spent) && !draws_decide(drawn, tree.value, closing.value) {
                (ChosenBy::Closing, closing, tree)
            } else {
                (ChosenBy::Tree, tree, closing)
            };
        let second = second.zip(choice.best()).map(|(said, told)| SecondWord::of(said, told));
        let (other, nodes) = (Some(other), [*nodes, spent]);
        let tree_lead = None;
        Some(Verdict { choice, by, other, nodes, drawn, second, engines, lead, tree_lead })
    }

    /// The move.
    #[allow(clippy::indexing_slicing, reason = "`of` makes no verdict without a move")]
    pub fn best(&self) -> UciMove {
        self.choice.moves[0]
    }

    /// True if tree and closing search have chosen the same move, or there is no closing search.
    pub fn agree(&self) -> bool {
        self.other.as_ref().is_none_or(|other| other.best() == self.choice.best())
    }

    /// With the engine's word on how games end behind the tree's move, if that is the choice.
    #[must_use]
    pub fn with_trees_wdl(mut self, wdl: impl FnOnce(UciMove) -> Option<WinDrawLoss>) -> Self {
        if self.by == ChosenBy::Tree {
            self.choice.wdl = wdl(self.best());
        }
        self
    }

    /// True if it is the closing search's choice, and stays so beside a tree with this value and
    /// this many nodes more.
    pub fn is_of_closing_beside(&self, tree: Option<Value>, more: u64) -> bool {
        let [searched, spent] = self.nodes;
        let closing = self.choice.value;
        self.by == ChosenBy::Closing
            && counts(searched, spent.saturating_add(more))
            && !tree.is_some_and(|tree| draws_decide(self.drawn, tree, closing))
    }

    /// The tree's move, if the closing search has chosen another one.
    pub fn overruled(&self) -> Option<UciMove> {
        let is_other = self.by == ChosenBy::Closing && !self.agree();
        self.other.as_ref().filter(|_| is_other)?.best()
    }

    /// The move with its score: `3... Bc5 +0.13 for White`.
    pub fn headline(&self, pov: PointOfView) -> String {
        let Line { root, value, wdl, .. } = &self.choice;
        scored_move(root, self.best(), (*value).into(), *wdl, pov)
    }

    /// Writes it for people: the move, and its source. The width is in columns.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write(
        &self,
        pov: PointOfView,
        width: Option<usize>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(out, "{ANSWER}{}{ANSWER:#}", self.headline(pov))?;
        let whose = self.describe(pov);
        let mut lines = whose.iter().flat_map(|whose| wrap(whose, width));
        lines.try_for_each(|line| writeln!(out, "{line}"))
    }

    /// The source of the choice, the other one's choice, and a second engine's word. `None` without a
    /// closing search.
    pub fn describe(&self, pov: PointOfView) -> Option<String> {
        let source = self.describe_source(pov)?;
        let Some(second) = &self.second else { return Some(source) };
        let between = if source.ends_with('.') { "" } else { ";" };
        Some(format!("{source}{between} {}", second.describe(&self.choice.root, self.best(), pov)))
    }

    fn describe_source(&self, pov: PointOfView) -> Option<String> {
        let other = self.other.as_ref()?;
        let score = seen(other.value, other.root.turn(), pov);
        let prefers = || numbered_line(&other.root, other.plies(1));
        let [searched, spent] = self.nodes.map(grouped);
        Some(match (self.by, self.agree()) {
            (ChosenBy::Closing, true) => {
                format!("chosen by the closing search; the tree agrees ({score})")
            }
            (ChosenBy::Tree, true) => {
                format!("chosen by the tree; the closing search agrees ({score})")
            }
            (ChosenBy::Closing, false) => format!(
                "chosen by the closing search; the tree prefers {} ({score}). The closing search decides: its \
                {searched} nodes are at least a quarter of the tree's {spent}.",
                prefers()
            ),
            (ChosenBy::Tree, false) if counts(self.nodes[0], self.nodes[1]) => format!(
                "chosen by the tree; the closing search prefers {} ({score}). The tree decides: an engine does not know what a draw \
                is worth to you.",
                prefers()
            ),
            (ChosenBy::Tree, false) => format!(
                "chosen by the tree; the closing search prefers {} ({score}). The tree decides: the closing search's \
                {searched} nodes are less than a quarter of the tree's {spent}.",
                prefers()
            ),
        })
    }
}

/// As JSON: `agree` if no other move was chosen.
impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            #[serde(flatten)]
            named: NamedMove,
            score: Score,
            #[serde(skip_serializing_if = "Option::is_none")]
            wdl: Option<WinDrawLoss>,
            #[serde(serialize_with = "json::line")]
            line: &'a [UciMove],
            by: ChosenBy,
            agree: bool,
            #[serde(skip_serializing_if = "Option::is_none")]
            second: Option<&'a SecondWord>,
        }
        let Line { root, moves: line, wdl, .. } = &self.choice;
        let (named, score) = (NamedMove::of(root, self.best()), self.choice.score());
        let (agree, second) = (self.agree(), self.second.as_ref());
        Fields { named, score, wdl: *wdl, line, by: self.by, agree, second }.serialize(to)
    }
}

/// A move with its score and, if the engine has said them, its chances:
/// `3... Bc5 +0.13 (12 / 81 / 7) for White`.
pub fn scored_move(
    start: &Chess,
    uci: UciMove,
    score: Score,
    wdl: Option<WinDrawLoss>,
    pov: PointOfView,
) -> String {
    let mover = start.turn();
    let (name, score) = (numbered_move(start, uci), seen(score, mover, pov));
    let wdl = wdl.map(|wdl| format!(" ({})", describe_wdl(wdl, mover, pov))).unwrap_or_default();
    format!("{name} {score}{wdl} for {}", pov.side(mover).fold_wb("White", "Black"))
}

/// The verdict of an analysis of a game's root, under the root's present directives. `None` if it
/// has no move.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn told_verdict(
    store: &Store,
    row: &AnalysisRow,
    game: &Game,
) -> Result<Option<Verdict>, StoreError> {
    if is_pending(store, row, game)? {
        return Ok(load_tree(store, row.id)?.verdict());
    }
    let closing = best_closing(store, row, game.root())?;
    let tree = stored_line(store, row.id, game.root())?;
    let verdict = |tree| Verdict::of(&tree, row.nodes, row.settings.draw, closing.as_ref());
    Ok(tree.and_then(verdict))
}

/// True if a root has other directives than its tree was grown with.
fn is_pending(store: &Store, row: &AnalysisRow, game: &Game) -> Result<bool, StoreError> {
    Ok(store.grown_with(row.id)? != store.directives(game)?.of_tree())
}

impl Tree {
    /// The verdict of its root; `None` if there is no move.
    pub fn verdict(&self) -> Option<Verdict> {
        let lines = best_lines(&self.growth, 2);
        // Positions of a tree have no clocks; the game's root has the number of the move.
        let tree = Line { root: self.game.root().clone(), ..lines.first()?.clone() };
        let (spent, draw) = (self.row.nodes, self.row.settings.draw);
        let told = Verdict::of(&tree, spent, draw, self.closing.as_ref())?;
        let tree_lead = lines.get(1).map(|next| centipawns(tree.value) - centipawns(next.value));
        Some(Verdict { tree_lead, ..told })
    }
}

impl StoredTree {
    /// With the chances behind the tree's own move by its engine's word.
    pub fn verdict(&self) -> Option<Verdict> {
        Some(self.tree.verdict()?.with_trees_wdl(|_| self.wdl))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::made::pawns;
    use deepanalyze_core::chess::legal_uci;
    use deepanalyze_core::search::{Answer, Limit};
    use deepanalyze_store::{AnalysisId, ClosingShareRow, NewClosing};

    /// A closing search of one of the analyses, out of few of each kind, so that many are alike.
    #[derive(Debug, Clone)]
    struct Made {
        analysis: i64,
        passes: u64,
        limit: Option<Limit>,
        engines: u32,
        /// True if the first engine has all moves.
        has_all: bool,
        /// A place among the legal moves, the score, and the nodes; `None` for an engine without an
        /// answer yet.
        shares: Vec<Option<(usize, Score, u64)>>,
    }

    fn made() -> impl Strategy<Value = Made> {
        let score = prop_oneof![
            // Some are better than others by 9, 10 and 11.
            5 => prop::sample::select(vec![-10, -1, 0, 9, 10, 19]).prop_map(Score::Cp),
            1 => prop::sample::select(vec![1, 2, 7, -1, -7]).prop_map(Score::Mate),
            1 => Just(Score::Cp(40_000)),
        ];
        let nodes = prop::sample::select(vec![0_u64, 1_000, 1_724, 4_000, 9_876, 9_877]);
        let share = prop::option::weighted(0.8, (0..3_usize, score, nodes));
        let limit = prop::sample::select(vec![None, Some(Limit::Depth(9)), Some(Limit::Nodes(9))]);
        let shares = prop::collection::vec(share, 1..4);
        (1..=4_i64, 1..3_u64, limit, any::<bool>(), shares).prop_map(
            |(analysis, passes, limit, has_all, shares)| {
                let engines = u32::try_from(shares.len()).unwrap();
                Made { analysis, passes, limit, engines, has_all, shares }
            },
        )
    }

    fn keep(store: &Store, made: &Made, root: &Chess) {
        let Made { analysis, passes, limit, engines, has_all, ref shares } = *made;
        let new = NewClosing { passes, limit, engines };
        let id = store.closing_id(AnalysisId(analysis), &new).unwrap();
        let moves = legal_uci(root);
        let shares = (1..).zip(shares).filter_map(|(number, share)| {
            let (place, score, nodes) = (*share)?;
            let (best, is_all) = (moves[place], number == 1 && has_all);
            let (depth, seldepth, time) = (9, 9, std::time::Duration::ZERO);
            let answer =
                Answer { best, score, wdl: None, depth, seldepth, nodes, time, pv: vec![best] };
            Some(ClosingShareRow { number, is_all, answer, is_done: nodes > 4_000 })
        });
        store.keep_shares(id, root, &shares.collect::<Vec<_>>()).unwrap();
    }

    /// A root as SQL selects it.
    type InSql = (String, i64, String, String, bool, u64, u64, Option<(String, i64)>);

    fn in_sql(db: &rusqlite::Connection, analysis: AnalysisId) -> InSql {
        let sql =
            "SELECT move, value, line, chosen_by, agree, coalesce(closing_nodes, 0), tree_nodes,
                iif(chosen_by = 'tree', closing_move, tree_move),
                iif(chosen_by = 'tree', closing_value, tree_value)
            FROM root_verdict WHERE analysis = ?1";
        let read = |row: &rusqlite::Row<'_>| {
            let other: Option<(String, i64)> =
                row.get::<_, Option<String>>(7)?.zip(row.get::<_, Option<i64>>(8)?);
            let (uci, value, line) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok((uci, value, line, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?, other))
        };
        db.query_row(sql, [analysis.0], read).unwrap()
    }

    fn as_sql(told: &Verdict) -> InSql {
        let of = |line: &Line| (line.moves[0].to_string(), i64::from(line.value.get()));
        let ((uci, value), other) = (of(&told.choice), told.other.as_ref().map(of));
        let line: Vec<String> = told.choice.moves.iter().map(ToString::to_string).collect();
        let by = serde_json::to_value(told.by).unwrap().as_str().unwrap().to_owned();
        let [searched, spent] = told.nodes;
        (uci, value, line.join(" "), by, told.agree(), searched, spent, other)
    }

    #[test]
    fn draw_value_only_decides_between_draw_and_other() {
        let value = |cp| Value::from(Score::Cp(cp));
        for (drawn, tree, closing, is_trees) in [
            (None, 30, 0, false),
            // White avoids draws: a score of 0 is worth less than the tree's move, or more.
            (Some(-25), -11, 0, true),
            (Some(-25), -25, 0, true),
            (Some(-25), -30, 0, false),
            (Some(-25), -11, 5, false),
            // White wants one, and the tree has it.
            (Some(25), 25, 10, true),
            (Some(25), 25, 30, false),
            (Some(25), 10, 0, false),
        ] {
            let told = draws_decide(drawn.map(value), value(tree), value(closing));
            assert_eq!(told, is_trees, "a draw worth {drawn:?}, {tree} beside {closing}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn sql_says_the_same(
            all in prop::collection::vec(made(), 0..9),
            wanted in prop::collection::vec(prop::sample::select(vec![0_i64, 1, 2]), 4),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("tree.db");
            std::fs::write(&path, pawns()).unwrap();
            let store = Store::open_for_now(&path).unwrap();
            let db = rusqlite::Connection::open(&path).unwrap();
            // A draw is worth nothing, as much as the tree's move, or something else.
            for (id, wanted) in (1..=4).zip(wanted) {
                let row = store.analysis(AnalysisId(id)).unwrap().unwrap();
                let root = row.game().unwrap().root().clone();
                let mover = root.turn();
                let alpha = stored_line(&store, row.id, &root).unwrap().unwrap().value;
                let white = i64::from(mover.fold_wb(alpha, -alpha).get()).clamp(-1000, 1000);
                let draw = [0, white, white + 1 - 2 * white.signum()][wanted as usize];
                db.execute("UPDATE analysis SET draw_value = ?2 WHERE id = ?1", [id, draw]).unwrap();
            }
            let rows = store.analyses().unwrap();
            for made in &all {
                let row = rows.iter().find(|row| row.id.0 == made.analysis).unwrap();
                keep(&store, made, row.game().unwrap().root());
            }
            for row in &rows {
                let game = row.game().unwrap();
                let told = told_verdict(&store, row, &game).unwrap().unwrap();
                let said = in_sql(&db, row.id);
                let (is_closings, trees) = (said.3 == "closing" && !said.4, said.7.clone());
                let overruled = trees.filter(|_| is_closings).map(|(uci, _)| uci);
                prop_assert_eq!(told.overruled().map(|uci| uci.to_string()), overruled);
                prop_assert_eq!(said, as_sql(&told), "analysis {}", row.id.0);
                if row.settings.draw == DrawValue::default() {
                    let of_tree = load_tree(&store, row.id).unwrap().verdict();
                    let unread = of_tree.map(|told| Verdict { tree_lead: None, ..told });
                    prop_assert_eq!(unread, Some(told));
                }
            }
        }
    }
}
