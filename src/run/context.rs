//! What the passes of a run share, and when it is written.

use std::sync::Arc;
use std::time::Instant;

use crate::analysis::{BestLine, is_believed};
use crate::chess::PositionKey;
use crate::directives::Directives;
use crate::engine::Engines;
use crate::search::{Answer, Search};
use crate::store::{AnalysisId, Store, StoreError};
use crate::tree::Growth;

use super::control::limits::Budget;
use super::control::{ControlReceiver, Target};
use super::directed::DirectivesSeen;
use super::feed::progress::{Observer, Progress};
use super::lists::Lists;
use super::look_ahead::LookAhead;
use super::stages::StandingVerdict;
use super::tree_rows::TreeRows;
use super::under_way::{Asking, SearchUnderWay, SearchesUnderWay};

/// A tree's rows are written again once so many times the last writing's duration have passed: a
/// large tree's take a while.
const WRITE_PAUSE: u32 = 10;

/// How often a run that waits for the database says so: after so many vain tries, each of some
/// seconds.
const REMINDER: u32 = 60;

/// What the passes of a run share: store, engines, limits, and whom to tell.
pub struct RunContext<'a> {
    pub store: &'a mut Store,
    pub engines: &'a mut dyn Engines,
    pub budget: &'a mut Budget,
    pub control: &'a ControlReceiver,
    pub observer: &'a mut dyn Observer,
    pub analysis: AnalysisId,
    /// The verdict of the stage before, which counts until this one has come far enough.
    pub standing: Option<StandingVerdict>,
    /// The depth to settle.
    pub target: u32,
    /// How engines are asked for this tree.
    pub asking: Asking,
    pub lists: Lists,
    pub under_way: &'a mut SearchesUnderWay,
    /// The directives of the root, which others may change.
    pub directives: DirectivesSeen,
    /// None where engines are to wait rather than guess.
    pub look_ahead: Option<LookAhead>,
    pub rows: RowWriter,
}

/// The tree's rows in the store, and when they were written.
pub struct RowWriter {
    tree_rows: TreeRows,
    /// When they may be written again.
    due: Instant,
    /// Whether the tree is still being grown again from answers that are there: until it is as large as it
    /// can be without an engine, the kept tree stays, which was grown under other directives.
    catches_up: bool,
}

impl RowWriter {
    /// The rows of a tree as they were read just now.
    pub fn new(tree_rows: TreeRows, now: Instant) -> RowWriter {
        RowWriter { tree_rows, due: now, catches_up: false }
    }

    /// The rows of a tree that is grown again under other directives, in place of these.
    pub fn replaced(
        &self,
        analysis: AnalysisId,
        directives: Directives,
        now: Instant,
    ) -> RowWriter {
        let rows = TreeRows::in_place_of(analysis, self.tree_rows.passes(), directives);
        RowWriter { tree_rows: rows, due: now, catches_up: true }
    }

    /// The tree has come to where it wants an engine, or to its end.
    pub fn has_caught_up(&mut self) {
        self.catches_up = false;
    }

    /// Notes what the pass that has settled a depth has made of the root.
    pub fn note_settled(&mut self, growth: &Growth) {
        self.tree_rows.note_settled(growth);
    }

    /// Notes what the passes so far have made of the root.
    pub fn note(&mut self, growth: &Growth, best: Option<&BestLine>) {
        let first = best.and_then(|best| best.moves.first().map(|uci| (*uci, best.value)));
        self.tree_rows.note(growth, first);
    }

    fn write(
        &mut self,
        store: &mut Store,
        growth: &mut Growth,
        clock: &dyn Engines,
    ) -> Result<(), StoreError> {
        let began = clock.now();
        self.tree_rows.commit(store, growth)?;
        let ended = clock.now();
        self.due = ended + ended.saturating_duration_since(began) * WRITE_PAUSE;
        Ok(())
    }
}

impl RunContext<'_> {
    /// How far the run has come with a tree. Nothing here looks at the tree itself.
    pub fn progress(&self, growth: &Growth, best: Option<&Arc<BestLine>>) -> Progress {
        let (now, deadline) = (self.engines.now(), self.budget.deadline());
        let settled = growth.settled().last().map(|last| last.depth);
        let standing = self.standing.as_ref().filter(|one| !is_believed(settled, one.settled));
        let best = standing.map(|one| &one.best).or(best);
        Progress {
            limit: Some(self.asking.limit),
            depth: growth.depth().min(self.target),
            target: self.target,
            settled,
            passes: growth.passes(),
            positions: growth.analysed(),
            admitted: growth.searches(),
            searches: self.budget.searches(),
            nodes: self.budget.nodes(),
            waiting: 0,
            busy: self.under_way.len(),
            engines: self.engines.up(),
            elapsed: now.saturating_duration_since(self.budget.started()),
            left: deadline.map(|at| at.saturating_duration_since(now)),
            best: best.cloned(),
            ending: None,
        }
    }

    /// Gives a search to the engines.
    pub fn start(&mut self, search: Search) {
        self.under_way.start(self.engines, self.asking, search);
    }

    /// Whether a position is being searched for this tree.
    pub fn is_under_way(&self, key: &PositionKey) -> bool {
        self.under_way.has(self.asking.profile, *key)
    }

    /// Takes up the target that the run was given last.
    pub fn redirect(&mut self) -> Result<(), StoreError> {
        let Some(Target { depth, limits }) = self.control.target() else { return Ok(()) };
        self.budget.limit(limits);
        if depth != self.target {
            self.patiently(|run| run.store.aim(run.analysis, depth).map(|()| true))?;
            self.target = depth;
        }
        Ok(())
    }

    /// Whether the user has changed the directives of the root since the tree was begun. Looks once in a
    /// while.
    pub fn is_directed_anew(&mut self, growth: &Growth) -> Result<bool, StoreError> {
        let now = self.engines.now();
        self.directives.have_changed(self.store, growth, now)
    }

    /// Writes, and tries again for as long as another program keeps the database locked. Only somebody
    /// who wants the run to end ends that: where a limit is reached, what was answered before still waits to be written.
    fn patiently(
        &mut self,
        mut write: impl FnMut(&mut Self) -> Result<bool, StoreError>,
    ) -> Result<bool, StoreError> {
        for tries in 0_u32.. {
            match write(self) {
                Err(error) if error.is_busy() && !self.control.is_told_to_end() => {
                    if tries.is_multiple_of(REMINDER) {
                        self.observer.waiting(&error.to_string());
                    }
                }
                result => return result,
            }
        }
        Ok(false)
    }

    /// Keeps the answer of a search that an earlier stage has left running. It is no part of this tree.
    pub fn keep_of_another_stage(
        &mut self,
        ended: &SearchUnderWay,
        answer: Answer,
    ) -> Result<(), StoreError> {
        let SearchUnderWay { position, excluded, profile, .. } = ended;
        let (mut lists, now) = (Lists::new(*profile), self.engines.now());
        lists.take(self.store, position, excluded, answer, now)?;
        // Where another run has stored a different one, that one counts.
        self.patiently(|run| lists.save(run.store)).map(|_| ())
    }

    /// Writes the answers, then the rows of the tree that was made of them. `false` where another
    /// run has stored other answers: the tree in memory is void then.
    pub fn save(&mut self, growth: &mut Growth) -> Result<bool, StoreError> {
        if !self.save_answers()? {
            return Ok(false);
        }
        self.patiently(|run| {
            if !run.rows.catches_up && !run.rows.tree_rows.has(growth) {
                let is_another_tree = run.rows.tree_rows.replaces();
                run.rows.write(run.store, growth, run.engines)?;
                if is_another_tree {
                    // The target was at least what the tree before had settled.
                    run.store.aim(run.analysis, run.target)?;
                }
            }
            Ok(true)
        })
    }

    /// Writes the answers alone; `false` as above.
    pub fn save_answers(&mut self) -> Result<bool, StoreError> {
        self.patiently(|run| run.lists.save(run.store))
    }

    /// The same where it is time to.
    pub fn save_if_due(&mut self, growth: &mut Growth) -> Result<bool, StoreError> {
        let now = self.engines.now();
        if self.lists.due().is_none_or(|due| due > now) {
            return Ok(true);
        }
        if self.rows.due <= now {
            return self.save(growth);
        }
        self.save_answers()
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used, reason = "helpers of tests")]

    use std::cell::Cell;
    use std::time::Duration;

    use shakmaty::Chess;

    use super::*;
    use crate::analysis::load;
    use crate::chess::Game;
    use crate::engine::FakeEngines;
    use crate::run::control::control;
    use crate::run::control::limits::RunLimits;
    use crate::run::made_up::{Deaf, mute_engines};
    use crate::store::AnalysisKey;

    /// All that a run on the starting position borrows; its engines never answer.
    pub struct Bench {
        _folder: tempfile::TempDir,
        pub store: Store,
        pub engines: FakeEngines,
        pub under_way: SearchesUnderWay,
        budget: Budget,
        control: ControlReceiver,
        observer: Deaf,
        analysis: AnalysisId,
    }

    impl Bench {
        pub fn new(limits: RunLimits) -> Bench {
            let folder = tempfile::tempdir().unwrap();
            let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
            let engines = mute_engines();
            let budget = Budget::new(limits, engines.now());
            let game = Game::from_position(Chess::default());
            let profile = store.profile_id(engines.profile()).unwrap();
            let key = AnalysisKey { game: &game, profile, breadth: &10.into() };
            Bench {
                analysis: store.open_analysis(key).unwrap(),
                store,
                engines,
                under_way: SearchesUnderWay::default(),
                budget,
                control: ControlReceiver::never(),
                observer: Deaf,
                _folder: folder,
            }
        }

        pub fn run(&mut self) -> (RunContext<'_>, Growth) {
            let tree = load(&self.store, self.analysis).unwrap();
            let tree_profile = tree.row.profile_id;
            let lists = Lists::new(tree_profile);
            let game = tree.game.clone();
            let directives = DirectivesSeen::new(game, 0, self.engines.now());
            let (growth, rows) = TreeRows::of(tree);
            let profile = self.engines.profile();
            let asking = Asking {
                profile: tree_profile,
                limit: profile.limit,
                keep_hash: profile.kept_hash.is_some(),
            };
            let run = RunContext {
                asking,
                lists,
                rows: RowWriter::new(rows, self.engines.now()),
                store: &mut self.store,
                engines: &mut self.engines,
                budget: &mut self.budget,
                control: &self.control,
                analysis: self.analysis,
                observer: &mut self.observer,
                standing: None,
                target: 2,
                directives,
                under_way: &mut self.under_way,
                look_ahead: None,
            };
            (run, growth)
        }
    }

    #[test]
    fn what_is_answered_when_the_time_is_up_waits_for_a_locked_database() {
        let over = RunLimits { time: Some(Duration::ZERO), ..RunLimits::default() };
        let mut bench = Bench::new(over);
        let (mut run, _) = bench.run();
        let tries = Cell::new(0);
        let saved = run.patiently(|_| {
            tries.set(tries.get() + 1);
            if tries.get() < 3 { Err(StoreError::locked()) } else { Ok(true) }
        });
        assert!(saved.unwrap());
        assert_eq!(tries.get(), 3);
    }

    #[test]
    fn a_run_that_is_told_to_end_gives_up_on_a_locked_database() {
        let mut bench = Bench::new(RunLimits::default());
        let (steer, receiver) = control();
        bench.control = receiver;
        let (mut run, _) = bench.run();
        let tries = Cell::new(0);
        let saved = run.patiently(|_| {
            tries.set(tries.get() + 1);
            if tries.get() == 2 {
                steer.end();
            }
            Err(StoreError::locked())
        });
        assert!(saved.is_err_and(|error| error.is_busy()));
        assert_eq!(tries.get(), 2);
    }
}
