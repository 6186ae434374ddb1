//! A run's resources for tests.

use shakmaty::Chess;

use crate::context::RunContext;
use crate::control::ControlReceiver;
use crate::control::limits::{Budget, RunLimits};
use crate::feed::event::RunEvent;
use crate::feed::{FeedReader, RunFeed};
use crate::lists::AnswerLists;
use crate::tests::made_up::mute_engines;
use crate::tree_rows::TreeRows;
use crate::under_way::{Asking, SearchesUnderWay};
use crate::watched::DirectivesSeen;
use deepanalyze_core::chess::Game;
use deepanalyze_core::tree::Growth;
use deepanalyze_engine::{Engines, FakeEngines};
use deepanalyze_store::{AnalysisId, AnalysisKey, Store};
use deepanalyze_view::load_as_grown;

/// All that a run on the starting position borrows; its engines never answer.
pub struct Bench {
    _folder: tempfile::TempDir,
    pub store: Store,
    pub engines: FakeEngines,
    pub under_way: SearchesUnderWay,
    budget: Budget,
    control: ControlReceiver,
    feed: RunFeed,
    tell: Box<dyn FnMut(RunEvent)>,
    analysis: AnalysisId,
}

impl Bench {
    pub fn new(limits: RunLimits) -> Bench {
        Bench::with(limits, mute_engines())
    }

    /// With engines that may answer.
    pub fn with(limits: RunLimits, engines: FakeEngines) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let feed = RunFeed::default();
        let budget = Budget::new(limits, engines.now());
        let game = Game::from_position(Chess::default());
        let profile = store.profile_id(engines.profile()).unwrap();
        let key = AnalysisKey { game: &game, profile, settings: &10.into() };
        Bench {
            analysis: store.open_analysis(key).unwrap(),
            store,
            engines,
            under_way: SearchesUnderWay::default(),
            budget,
            control: ControlReceiver::never(),
            tell: {
                let feed = feed.clone();
                Box::new(move |event| feed.tell(event))
            },
            feed,
            _folder: folder,
        }
    }

    /// The run's events.
    pub fn told(&self) -> FeedReader {
        self.feed.subscribe()
    }

    pub fn run(&mut self) -> (RunContext<'_>, Growth) {
        let tree = load_as_grown(&self.store, self.analysis).unwrap();
        let tree_profile = tree.row.profile_id;
        let lists = AnswerLists::new(tree_profile);
        let game = tree.game.clone();
        let directives = DirectivesSeen::new(game, 0, 0, self.engines.now());
        let (growth, rows) = TreeRows::of(tree, None);
        let profile = self.engines.profile();
        let asking = Asking {
            profile: tree_profile,
            limit: profile.limit,
            keep_hash: profile.kept_hash.is_some(),
        };
        let run = RunContext {
            closing: None,
            asking,
            lists,
            rows,
            store: &mut self.store,
            engines: &mut self.engines,
            budget: &mut self.budget,
            control: &self.control,
            analysis: Some(self.analysis),
            tell: &mut *self.tell,
            standing: None,
            target: 2,
            stable: None,
            directives,
            under_way: &mut self.under_way,
            look_up: None,
            counts: None,
            invalidations: 0,
            is_void: false,
            look_ahead: None,
        };
        (run, growth)
    }
}
