//! Verdicts on a root, and which of two counts; and those that the database knows before any
//! search: the rows of its verdicts alone, which are read at once, however large the tree is.

use std::cmp::Reverse;
use std::sync::Arc;

use shakmaty::Position;
use shakmaty::uci::UciMove;

use crate::{Progress, Schedule, Speaking, TreePlan};
use deepanalyze_core::chess::{TableEnd, TableMove, Value};
use deepanalyze_core::search::{Limit, Profile, WinDrawLoss};
use deepanalyze_core::tree::{Breadth, RootMove};
use deepanalyze_store::{AnalysisRow, Store, StoreError};
use deepanalyze_view::{Line, Stages, Verdict, is_believed, stored_line, told_verdict};
use hashbrown::HashSet;

use super::{SessionQuestion, SessionSettings, breadth};

/// Source of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerdictOrigin {
    /// A quick search by the built-in engine, and its plies.
    Quick(u32),
    /// A tree whose searches go to this limit, with its settled depth.
    Tree(Speaking),
    /// Tablebases, which know the root: always right.
    Tables,
}

/// Verdict on a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootVerdict {
    /// Source.
    pub origin: VerdictOrigin,
    /// The best line first; at least one.
    pub lines: Arc<[Line]>,
}

impl RootVerdict {
    /// A verdict, if there is a line with a move.
    pub fn new(
        origin: VerdictOrigin,
        lines: impl IntoIterator<Item = Line>,
    ) -> Option<RootVerdict> {
        let lines: Arc<[Line]> = lines.into_iter().filter(|line| !line.moves.is_empty()).collect();
        (!lines.is_empty()).then_some(RootVerdict { origin, lines })
    }

    /// A run's verdict now.
    pub fn of_run(progress: &Progress) -> Option<RootVerdict> {
        let speaking = progress.speaking?;
        RootVerdict::new(VerdictOrigin::Tree(speaking), progress.lines.iter().cloned())
    }

    /// This verdict with a closing search's choice as the first line, if that is known and counts
    /// beside a tree which has spent `more` nodes since.
    pub fn behind(
        self,
        question: &SessionQuestion,
        told: Option<&Verdict>,
        more: u64,
    ) -> RootVerdict {
        let told = told.filter(|told| told.is_of_closing_beside(self.value(), more));
        let Some(first) = told.map(|told| told.choice.clone()) else {
            return self;
        };
        let lines = asked_for(question, [first].into_iter().chain(self.lines.iter().cloned()));
        RootVerdict::new(self.origin, lines).unwrap_or(self)
    }

    /// The best move.
    pub fn best(&self) -> Option<UciMove> {
        self.lines.first().and_then(Line::best)
    }

    /// The value of the root.
    pub fn value(&self) -> Option<Value> {
        self.lines.first().map(|line| line.value)
    }

    /// The settled depth of its tree.
    pub fn settled(&self) -> Option<u32> {
        match self.origin {
            VerdictOrigin::Tree(speaking) => speaking.settled,
            VerdictOrigin::Quick(_) | VerdictOrigin::Tables => None,
        }
    }

    /// True if a later verdict replaces this one.
    pub fn yields_to(&self, later: &RootVerdict) -> bool {
        match (self.origin, later.origin) {
            (VerdictOrigin::Quick(_), _) | (_, VerdictOrigin::Tables) => true,
            (VerdictOrigin::Tree(_) | VerdictOrigin::Tables, VerdictOrigin::Quick(_)) => false,
            (VerdictOrigin::Tables, VerdictOrigin::Tree(_)) => false,
            (VerdictOrigin::Tree(known), VerdictOrigin::Tree(run)) => is_as_far(run, known),
        }
    }
}

/// True if a run has come as far as a known verdict: a deeper stage counts only if it is to be
/// believed rather than the one before.
fn is_as_far(run: Speaking, known: Speaking) -> bool {
    match (run.limit, known.limit) {
        (Limit::Depth(run_depth), Limit::Depth(known_depth)) if run_depth != known_depth => {
            run_depth > known_depth && is_believed(run.settled, known.settled)
        }
        _ => run.settled >= known.settled,
    }
}

/// Conditions for analyses to count.
struct Manner<'a> {
    /// The engine and its options.
    profile: &'a Profile,
    /// Engine limits, and the use of tablebases.
    settings: &'a SessionSettings,
    /// The move distances, and the root's minimum of moves.
    breadth: Breadth,
}

impl Manner<'_> {
    /// True if an analysis has the same engine and distances. Its root's minimum of moves changes
    /// no value of a move.
    fn fits(&self, row: &AnalysisRow) -> bool {
        let mine = (&self.profile.engine, &self.profile.options, &self.profile.kept_hash);
        let theirs = (&row.profile.engine, &row.profile.options, &row.profile.kept_hash);
        let is_limit = match self.settings.schedule {
            Schedule::Once(limit) => row.profile.limit == limit,
            Schedule::Stages { .. } => matches!(row.profile.limit, Limit::Depth(_)),
        };
        let breadth = Breadth { least: row.settings.breadth.least, ..self.breadth.clone() };
        let wanted = TreePlan { breadth, ..self.settings.tree.clone() }.knowing(None);
        mine == theirs && is_limit && row.settings == wanted
    }

    /// The analysis that counts for a root; one with as many moves at least, if any.
    fn speaking(
        &self,
        store: &Store,
        question: &SessionQuestion,
    ) -> Result<Option<AnalysisRow>, StoreError> {
        let mut rows = store.analyses_of(&question.game)?;
        rows.retain(|row| self.fits(row));
        rows.sort_by_key(|row| Reverse(row.settings.breadth == self.breadth));
        let Some(first) = rows.into_iter().next() else {
            return Ok(None);
        };
        match self.settings.schedule {
            Schedule::Once(_) => Ok(Some(first)),
            Schedule::Stages { .. } => Ok(Stages::of(store, first)?.speaking().cloned()),
        }
    }
}

/// Looks up the known verdict, the answers in its tree, and the choice between that and a closing
/// search: by tables, else `None` if the root's directives differ from those its tree was grown
/// with.
pub fn look_up(
    store: &Store,
    question: &SessionQuestion,
    profile: &Profile,
    settings: &SessionSettings,
) -> Result<Option<(RootVerdict, u64, Option<Verdict>)>, StoreError> {
    if let Some(verdict) = in_tables(store, question, &settings.tree)? {
        return Ok(Some((verdict, 0, None)));
    }
    let manner = Manner { profile, settings, breadth: breadth(settings, question) };
    let Some(row) = manner.speaking(store, question)? else {
        return Ok(None);
    };
    if store.directives(&question.game)?.of_tree() != store.grown_with(row.id)? {
        return Ok(None);
    }
    let origin =
        VerdictOrigin::Tree(Speaking { limit: row.profile.limit, settled: row.settled_depth });
    let newest = stored_line(store, row.id, question.game.root())?;
    let told = told_verdict(store, &row, &question.game)?;
    let first = told.iter().map(|told| told.choice.clone()).chain(newest);
    let verdict = RootVerdict::new(origin, lines(store, question, &row, first)?);
    Ok(verdict.map(|verdict| (verdict, row.searches, told)))
}

/// The moves of a root that tables know, as far as looked up.
fn in_tables(
    store: &Store,
    question: &SessionQuestion,
    TreePlan { tables, draw, .. }: &TreePlan,
) -> Result<Option<RootVerdict>, StoreError> {
    let root = question.game.root();
    let (tables, draw) = (tables.as_ref().map(|used| used.tables), *draw);
    let Some(tables) = tables.filter(|tables| tables.may_know(root)) else {
        return Ok(None);
    };
    let moves = store.table_moves(root)?.into_iter();
    let line = |m: TableMove| {
        let end = TableEnd { wdl: m.wdl, value: tables.value(m.wdl) };
        let wdl = Some(WinDrawLoss::decided(end.value));
        let value = end.worth(draw, root.turn());
        Line { wdl, ..Line::new(root.clone(), vec![m.uci], value) }
    };
    let lines = moves.map(line).filter(|line| question.asks_for(line.moves.first()));
    Ok(RootVerdict::new(VerdictOrigin::Tables, lines))
}

/// These lines, then the other moves' lines at the last settled depth.
fn lines(
    store: &Store,
    question: &SessionQuestion,
    row: &AnalysisRow,
    first: impl Iterator<Item = Line>,
) -> Result<Vec<Line>, StoreError> {
    let settled = store.last_verdict(row.id)?.map(|verdict| verdict.moves).unwrap_or_default();
    let root = question.game.root();
    let other = |m: RootMove| Line::new(root.clone(), m.line, m.alpha);
    Ok(asked_for(question, first.chain(settled.into_iter().map(other))))
}

/// As many lines as asked for, the first of each move.
fn asked_for(question: &SessionQuestion, lines: impl Iterator<Item = Line>) -> Vec<Line> {
    let mut seen = HashSet::new();
    let is_asked = |line: &Line| {
        let first = line.best();
        question.asks_for(first.as_ref()) && first.is_some_and(|first| seen.insert(first))
    };
    let count = usize::try_from(question.lines).unwrap_or(usize::MAX);
    lines.filter(is_asked).take(count).collect()
}

#[cfg(test)]
mod tests {
    use shakmaty::Chess;

    use super::*;
    use crate::session::SearchGoal;
    use deepanalyze_core::chess::{DrawValue, Game, Score, parse_uci};
    use deepanalyze_view::{Closing, ClosingAsked, ClosingMove, NamedMove};

    fn tree(depth: u32, settled: Option<u32>) -> VerdictOrigin {
        VerdictOrigin::Tree(Speaking { limit: Limit::Depth(depth), settled })
    }

    fn verdict(origin: VerdictOrigin) -> RootVerdict {
        let moves = vec![parse_uci("e2e4").unwrap()];
        RootVerdict::new(origin, [Line::new(Chess::default(), moves, Value::EVEN)]).unwrap()
    }

    #[test]
    fn what_is_known_yields_to_what_is_as_far() {
        let quick = VerdictOrigin::Quick(9);
        for (known, later, yields) in [
            (quick, tree(10, None), true),
            (quick, quick, true),
            (tree(10, None), quick, false),
            (tree(10, Some(4)), tree(10, Some(3)), false),
            (tree(10, Some(4)), tree(10, Some(4)), true),
            (tree(12, Some(3)), tree(10, Some(10)), false),
            (tree(10, Some(10)), tree(12, Some(5)), false),
            (tree(10, Some(10)), tree(12, Some(6)), true),
            (tree(10, Some(3)), tree(12, Some(3)), true),
            (tree(10, Some(3)), VerdictOrigin::Tables, true),
            (VerdictOrigin::Tables, tree(12, Some(30)), false),
            (VerdictOrigin::Tables, quick, false),
        ] {
            assert_eq!(verdict(known).yields_to(&verdict(later)), yields, "{known:?} {later:?}");
        }
    }

    #[test]
    fn closing_leads_until_the_tree_spends_fourfold() {
        let root = Chess::default();
        let best = ClosingMove {
            named: NamedMove::of(&root, parse_uci("d2d4").unwrap()),
            score: Score::Cp(25),
            wdl: None,
            depth: 9,
            line: Vec::new(),
        };
        let limit = Limit::Depth(9);
        let asked = ClosingAsked { tree_limit: limit, passes: 1, limit: None, engines: 1 };
        let closing =
            Closing { asked, best, others: Vec::new(), nodes: 100, is_done: true, second: None };
        let of_tree =
            Line::new(root.clone(), vec![parse_uci("e2e4").unwrap()], Score::Cp(30).into());
        let told = Verdict::of(&of_tree, 100, DrawValue::default(), Some(&closing)).unwrap();
        let question = SessionQuestion {
            game: Game::from_position(root.clone()),
            lines: 2,
            only: Vec::new(),
            goal: SearchGoal::default(),
        };
        let line = |uci: &str, value| {
            Line::new(root.clone(), vec![parse_uci(uci).unwrap()], Value::new(value).unwrap())
        };
        let run = [line("e2e4", 30), line("d2d4", 20)];
        let run = RootVerdict::new(tree(10, None), run).unwrap();
        let behind = |told, more| {
            let lines = run.clone().behind(&question, told, more).lines;
            lines
                .iter()
                .map(|line| (line.moves[0].to_string(), line.value.get()))
                .collect::<Vec<_>>()
        };
        let of_tree = [("e2e4".to_owned(), 30), ("d2d4".to_owned(), 20)];
        let of_closing = [("d2d4".to_owned(), 25), ("e2e4".to_owned(), 30)];
        assert_eq!(behind(Some(&told), 300), of_closing);
        assert_eq!(behind(Some(&told), 301), of_tree);
        assert_eq!(behind(None, 0), of_tree);
    }

    #[test]
    fn a_line_without_a_move_is_none() {
        let empty = Line::new(Chess::default(), Vec::new(), Value::MATED);
        assert_eq!(RootVerdict::new(tree(10, None), [empty]), None);
    }
}
