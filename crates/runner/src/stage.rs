//! One stage: the tree is read, grown pass by pass, and read or grown again if others have changed
//! it.

use std::sync::Arc;

use crate::closing::{ClosingPlan, StoredClosing, TreeToClose};
use crate::context::{RunContext, RunWork, quarantine_workers};
use crate::facts::{CountsLookUp, LookUp, begin_facts, facts_to_begin_with, facts_to_grow_again};
use crate::feed::event::{Progress, RunEvent};
use crate::job::{Job, Keeping, narrowed};
use crate::lists::AnswerLists;
use crate::look_ahead::{ComingForecast, LookAhead};
use crate::older::older_analysis;
use crate::outcome::{Exhausted, RunError, RunOutcome};
use crate::passes::{Again, PassesEnd, passes};
use crate::tree_rows::TreeRows;
use crate::under_way::Asking;
use crate::watched::{DirectivesSeen, UntilStable};
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::{Growth, Played, Selection, TableFacts, is_decided};
use deepanalyze_store::{AnalysisId, AnalysisKey, Store, StoreError, found_at};
use deepanalyze_view::{best_line, best_lines, found_at_root, load_as_grown};

/// Inputs of a stage beside its own analysis.
#[derive(Debug, Clone, Default)]
pub struct StageBefore<'a> {
    /// The stage before, which predicts answers.
    pub before: Option<AnalysisId>,
    /// The outcome whose verdict counts until this one has come far enough.
    pub standing: Option<&'a RunOutcome>,
    /// True if the run has begun the root: its directives are not replaced any more.
    pub is_begun: bool,
}

/// Grows or continues one tree of a root until its depth is settled, a limit is reached or the run
/// is asked to end. Stages, or roots, before it have spent from the limits, and left searches
/// running.
///
/// # Errors
///
/// Earlier answers are kept; spending is counted.
pub(crate) fn grow_stage(
    job: &Job,
    limit: Limit,
    depth: u32,
    stage: StageBefore<'_>,
    work: &mut RunWork<'_>,
) -> Result<RunOutcome, RunError> {
    let asked = Profile { limit, ..work.engines.profile().clone() };
    let profile = work.store.profile_id(&asked)?;
    let asking = Asking { profile, limit, keep_hash: asked.kept_hash.is_some() };
    if job.keeping != Keeping::Tree {
        return Begun { job, depth, stage, analysis: None, asking }.grow(work);
    }
    let settings = job.tree.kept(work.store)?;
    let key = AnalysisKey { game: &job.game, profile, settings: &settings };
    let (analysis, lock) = work.store.begin_analysis(key)?;
    let grown = Begun { job, depth, stage, analysis: Some(analysis), asking }.grow(work);
    // If the database fails, the row stays: the next run deletes it, or fills it.
    let is_deleted = work.store.delete_if_empty(analysis, &lock).unwrap_or(false);
    grown.map(|outcome| RunOutcome { analysis: Some(analysis).filter(|_| !is_deleted), ..outcome })
}

/// A stage with its analysis in the database, locked by the caller; `analysis` is `None` if not
/// kept.
struct Begun<'a> {
    job: &'a Job,
    /// The depth to settle.
    depth: u32,
    stage: StageBefore<'a>,
    analysis: Option<AnalysisId>,
    asking: Asking,
}

/// A tree as kept, or before its first pass.
struct TreeRead {
    growth: Growth,
    rows: TreeRows,
    /// Why it is to be grown again, if so.
    again: Option<Again>,
    /// The played moves of the growing tree.
    played: Arc<Played>,
}

impl Begun<'_> {
    /// Notes that the tree is grown, and gives the directives for the run to watch.
    fn note(&self, work: &mut RunWork<'_>) -> Result<DirectivesSeen, RunError> {
        let (job, store) = (self.job, &mut *work.store);
        let Some(analysis) = self.analysis else {
            return Ok(DirectivesSeen::fixed(job.game.clone()));
        };
        store.aim(analysis, self.depth)?;
        if self.stage.before.is_none() {
            let begun = store.begin_directed(&job.game, job.origin, |set, _| {
                if let Some(new) = job.directives.as_ref().filter(|_| !self.stage.is_begun) {
                    set.clone_from(new);
                }
                Ok::<(), StoreError>(())
            })?;
            if let Some((before, directives)) = begun.copied {
                let plies = job.game.moves().len() - before;
                (work.tell)(RunEvent::Copied { directives, plies });
            }
            if let Some(name) = &job.name {
                store.suggest_name_of(analysis, name)?;
            }
        }
        let told = work.control.times_directed();
        let revision = store.revision(&job.game)?;
        Ok(DirectivesSeen::new(job.game.clone(), revision, told, work.engines.now()))
    }

    fn read(&self, store: &mut Store) -> Result<TreeRead, RunError> {
        if let Some(analysis) = self.analysis {
            let mut kept = load_as_grown(store, analysis)?;
            let facts = facts_to_grow_again(store, &mut kept)?.map(Again::Tables);
            let found = found_at_root(store, &kept.row, &kept.game)?;
            let played = found_at(&kept.game, found);
            let is_more = played != kept.growth.selection().played;
            if is_more && kept.row.passes == 0 {
                let selection = kept.growth.selection().clone();
                let selection = Selection { played: Arc::clone(&played), ..selection };
                kept.growth = Growth::new(&kept.game, selection);
            }
            let found = (is_more && kept.row.passes > 0).then_some(Again::Found);
            let again = facts.or(kept.is_pending().then_some(Again::Directed)).or(found);
            let course = store.course(analysis)?;
            let (growth, rows) = TreeRows::of(kept, course.last());
            return Ok(TreeRead { growth, rows, again, played });
        }
        let Job { game, origin, tree, keeping, .. } = self.job;
        let only = match keeping {
            Keeping::AnswersAlone { only } => only.as_slice(),
            Keeping::Tree => &[],
        };
        let wishes =
            narrowed(store.directives_to_begin_with(game, *origin)?.0.wishes(), game, only);
        let facts = match &tree.tables {
            Some(tables) => facts_to_begin_with(store, game, tables.tables)?,
            None => TableFacts::default(),
        };
        let draw = tree.draw;
        let selection = Selection { draw, wishes, facts, ..tree.breadth.clone().into() };
        let growth = Growth::new(game, selection);
        let (rows, played) = (TreeRows::default(), Arc::default());
        Ok(TreeRead { growth, rows, again: None, played })
    }

    /// The job's look-ahead, if any, fed by the stage before; without one, by an older analysis.
    fn look_ahead(&self, work: &RunWork<'_>) -> Result<Option<LookAhead>, StoreError> {
        let job = self.job;
        if !job.look_ahead {
            return Ok(None);
        }
        let engines = &*work.engines;
        let forecast = match self.stage.before {
            Some(before) => Some(before),
            None => {
                let made = (&job.tree, job.schedule);
                let older = older_analysis(work.store, &job.game, made, engines.profile())?;
                older.map(|row| row.id)
            }
        };
        let forecast = forecast.map(|tree| ComingForecast::new(tree, engines.is_virtual()));
        Ok(Some(LookAhead::new(forecast, engines.now())))
    }

    /// Grows the tree.
    fn grow(self, work: &mut RunWork<'_>) -> Result<RunOutcome, RunError> {
        let Begun { job, analysis, asking, .. } = self;
        // Before the tree is read, which can take seconds: later directives must not be missed.
        let directives = self.note(work)?;
        if let Some(tables) = &job.tree.tables {
            begin_facts(work.store, &job.game, tables)?;
        }
        let invalidations = work.store.invalidations()?;
        quarantine_workers(work.store, work.engines)?;
        let TreeRead { mut growth, rows, mut again, mut played } = self.read(work.store)?;
        let (round, is_virtual) = (growth.facts().round, work.engines.is_virtual());
        let tables = job.tree.tables.as_ref();
        let look_up = tables.map(|used| LookUp::new(used, round, work.control, is_virtual));
        let look_up = look_up.transpose().map_err(RunError::Thread)?;
        let counts = job.tree.games.as_ref().filter(|_| analysis.is_some());
        let counts =
            counts.map(|used| CountsLookUp::new(used, &job.game, work.store)).transpose()?;
        let look_ahead = self.look_ahead(work)?;
        let before = best_line(&growth).map(Box::new);
        let closing = match analysis.filter(|_| !matches!(again, Some(Again::Directed))) {
            Some(analysis) => {
                let of = (analysis, self.stage.before);
                StoredClosing::of(work.store, &job.game, of, work.progress.budget.nodes())?
            }
            None => None,
        };
        let settled_before = growth.settled().last().map(|last| last.depth);
        let stable = until_stable(job, work.store, analysis, again.is_some())?;
        let mut run = RunContext {
            store: &mut *work.store,
            engines: &mut *work.engines,
            budget: &mut work.progress.budget,
            control: work.control,
            tell: &mut *work.tell,
            analysis,
            closing,
            standing: self.stage.standing,
            target: self.depth,
            stable,
            asking,
            lists: AnswerLists::new(asking.profile),
            under_way: &mut work.progress.under_way,
            directives,
            look_up,
            counts,
            invalidations,
            is_void: false,
            look_ahead,
            rows,
        };
        let (ending, lines) = loop {
            if let Some(why) = again.take() {
                growth = grow_again(&mut run, &job.game, &growth, &played, why)?;
            }
            match passes(&mut run, &mut growth, job.lines)? {
                (PassesEnd::Run(ending), lines) => break (ending, lines),
                (PassesEnd::Directed, _) => {
                    run.closing = None;
                    again = Some(Again::Directed);
                }
                (PassesEnd::Overtaken, _) => {
                    run.begin_again()?;
                    let read_again = self.read(run.store)?;
                    (again, played) = (read_again.again, read_again.played);
                    run.stable = until_stable(job, run.store, analysis, again.is_some())?;
                    (run.rows, growth) = (read_again.rows, read_again.growth);
                    if let Some(look_up) = &mut run.look_up {
                        look_up.begin_again(growth.facts().round);
                    }
                }
            }
        };
        let tree = match (analysis.filter(|_| !asking.keep_hash), job.closing) {
            (None, _) | (_, ClosingPlan::None) => None,
            (Some(analysis), _) => TreeToClose::of(&growth, analysis, run.engines).map(Arc::new),
        };
        let last = run.progress(&growth, &lines);
        (run.tell)(RunEvent::Progress(Progress { ending: Some(ending), ..last }));
        let ahead = run.look_ahead.map(|look_ahead| look_ahead.ahead).unwrap_or_default();
        let stays = run.stable.as_ref().and_then(UntilStable::stays);
        let (budget, now) = (&work.progress.budget, work.engines.now());
        Ok(RunOutcome {
            analysis,
            limit: asking.limit,
            ending,
            settled_depth: growth.settled().last().map(|last| last.depth),
            positions: growth.analysed(),
            admitted: growth.searches(),
            searches: budget.searches(),
            ahead,
            nodes: budget.nodes(),
            elapsed: now.saturating_duration_since(budget.started()),
            lines,
            deeper: None,
            exhausted: exhausted(work.store, self.stage.before, analysis, &growth)?,
            second: best_lines(&growth, 2).get(1).cloned().map(Box::new),
            before,
            stays,
            closing: None,
            rechecked: None,
            failed: None,
            tree,
            settled_before,
        })
    }
}

/// How stable the verdict of a kept tree is, if that may end the run. For one grown again no
/// settled depth counts.
fn until_stable(
    job: &Job,
    store: &Store,
    analysis: Option<AnalysisId>,
    again: bool,
) -> Result<Option<UntilStable>, StoreError> {
    let Some((least, analysis)) = job.until_stable.zip(analysis) else { return Ok(None) };
    let stable = UntilStable::of(store, analysis, least)?;
    Ok(if again { stable.map(UntilStable::again) } else { stable })
}

/// Why deeper searches would change nothing of a tree, if so.
pub(crate) fn exhausted(
    store: &Store,
    before: Option<AnalysisId>,
    analysis: Option<AnalysisId>,
    growth: &Growth,
) -> Result<Option<Exhausted>, StoreError> {
    if let Some(end) = Exhausted::of_root(growth.graph(), growth.root()) {
        return Ok(Some(end));
    }
    if is_decided(growth.graph()) {
        return Ok(Some(Exhausted::Decided));
    }
    let Some((before, analysis)) = before.zip(analysis) else {
        return Ok(None);
    };
    let (before, now) = (store.deepest(before)?, store.deepest(analysis)?);
    // An engine need not report its depth.
    Ok((0 < now && now <= before).then_some(Exhausted::EngineDepth(now)))
}

/// Begins the tree again under the root's present directives, with the present facts and these
/// played moves, and reports the old one's verdict under them. The memo answers what it knows.
fn grow_again(
    run: &mut RunContext<'_>,
    game: &Game,
    growth: &Growth,
    played: &Arc<Played>,
    why: Again,
) -> Result<Growth, RunError> {
    let said = run.store.directives(game)?;
    let (facts, is_directed) = match why {
        Again::Directed => (growth.facts().clone(), true),
        Again::Tables(facts) => (facts, said.wishes() != *growth.wishes()),
        Again::Found => {
            (run.tell)(RunEvent::Found(new_moves(game, growth, played)));
            (growth.facts().clone(), said.wishes() != *growth.wishes())
        }
    };
    if let Some(look_up) = run.look_up.as_mut().filter(|_| facts.round != growth.facts().round) {
        look_up.begin_again(facts.round);
        (run.tell)(RunEvent::TablesHaveCome);
    }
    let (breadth, wishes, played) = (growth.breadth().clone(), said.wishes(), Arc::clone(played));
    let verdict = best_line(&growth.under(wishes.clone())?);
    let mut growth = Growth::new(
        game,
        Selection {
            breadth,
            draw: growth.selection().draw,
            wishes,
            played,
            counts: growth.counts().clone(),
            facts,
        },
    );
    growth.note_changes();
    if is_directed {
        let (directives, verdict) = (said.clone(), verdict.map(Box::new));
        (run.tell)(RunEvent::Directed { directives, verdict });
    }
    if let Some(look_ahead) = &mut run.look_ahead {
        look_ahead.forget_wants();
    }
    if let Some((stable, analysis)) = run.stable.as_ref().zip(run.analysis) {
        let stable = UntilStable::of(run.store, analysis, stable.least)?;
        run.stable = stable.map(UntilStable::again);
    }
    if let Some(analysis) = run.analysis {
        run.rows = TreeRows::in_place_of(analysis, run.rows.passes, said.of_tree());
    }
    Ok(growth)
}

/// The root moves that a tree is to follow, and has not followed so far.
fn new_moves(game: &Game, growth: &Growth, played: &Played) -> Vec<UciMove> {
    let root = PositionKey::of(game.root());
    let before = growth.selection().played.get(&root);
    let is_new = |uci: &&UciMove| before.is_none_or(|before| !before.contains(*uci));
    played.get(&root).into_iter().flatten().filter(is_new).copied().collect()
}
