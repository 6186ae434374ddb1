//! A tree grown without an engine: synthetic answers, the real tree and store.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::Duration;

use deepanalyze_core::chess::{Game, PositionKey, Score, Value, legal_uci};
use deepanalyze_core::search::{Answer, Limit, Profile};
use deepanalyze_core::tree::{Growth, Service};
use deepanalyze_runner::TreeRows;
use deepanalyze_store::{AnalysisKey, NewAnswer, ProfileId, Store};
use deepanalyze_view::load_as_grown;
use shakmaty::Chess;

/// Grows the tree of a root in a database until there is enough of it; goes on where it was.
pub fn grow(
    db: &Path,
    root: &str,
    distance: u32,
    seed: u64,
    enough: impl Fn(&Growth) -> bool,
) -> Growth {
    let mut run = Run::open(db, root, distance, seed);
    while !enough(&run.growth) {
        run.pass();
    }
    run.growth
}

/// A run as the program makes it: the kept tree, read back, and pass after pass written.
pub struct Run {
    store: Store,
    profile: ProfileId,
    seed: u64,
    rows: TreeRows,
    growth: Growth,
}

impl Run {
    /// Reads what the database has of the tree.
    pub fn open(db: &Path, root: &str, distance: u32, seed: u64) -> Run {
        let mut store = Store::open(db).unwrap();
        let profile = Profile {
            engine: format!("synthetic {seed}"),
            options: BTreeMap::new(),
            limit: Limit::Depth(1),
            kept_hash: None,
        };
        let profile = store.profile_id(&profile).unwrap();
        let game = Game::from_start(root).unwrap();
        let key = AnalysisKey { game: &game, profile, settings: &distance.into() };
        let analysis = store.open_analysis(key).unwrap();
        let (growth, rows) = TreeRows::of(load_as_grown(&store, analysis).unwrap(), None);
        Run { store, profile, seed, rows, growth }
    }

    /// Serves one pass and writes it, durable when this returns.
    pub fn pass(&mut self) {
        let mut services = self.growth.requests();
        for service in &mut services {
            serve(&self.growth, service, self.seed);
        }
        keep(&mut self.store, self.profile, &self.growth, self.seed, &services);
        self.growth.finish_pass(services).unwrap();
        assert!(self.rows.commit(&mut self.store, &mut self.growth, 0).unwrap());
    }
}

/// The moves of a position with scores that depend on nothing else, best first.
fn scored_moves(position: &Chess, seed: u64) -> Vec<(shakmaty::uci::UciMove, i32)> {
    let key = PositionKey::of(position);
    let mut moves: Vec<_> = legal_uci(position)
        .into_iter()
        .map(|uci| {
            let mut hasher = DefaultHasher::new();
            (key, uci, seed).hash(&mut hasher);
            (uci, 40 - i32::try_from(hasher.finish() % 200).unwrap())
        })
        .collect();
    moves.sort_by_key(|(uci, cp)| (-cp, uci.to_string()));
    moves
}

fn serve(growth: &Growth, service: &mut Service, seed: u64) {
    let moves = scored_moves(&growth.position(service.node()), seed);
    while service.wants_search() {
        let (uci, cp) = moves[service.next_rank()];
        service.answer(uci, Value::from(Score::Cp(cp)));
    }
}

fn keep(store: &mut Store, profile: ProfileId, growth: &Growth, seed: u64, services: &[Service]) {
    let mut answers = Vec::new();
    for service in services {
        let position = growth.position(service.node());
        let moves = scored_moves(&position, seed).into_iter().map(|(uci, _)| uci);
        let listed: Vec<shakmaty::uci::UciMove> = moves.collect();
        let first = service.next_rank() - service.answers().len();
        for (index, (uci, value)) in service.answers().iter().enumerate() {
            let answer = Answer {
                best: *uci,
                score: Score::from(*value),
                wdl: None,
                depth: 1,
                seldepth: 1,
                nodes: 30 + u64::try_from(first + index).unwrap(),
                time: Duration::ZERO,
                pv: vec![*uci; 12],
            };
            let excluded = listed[..first + index].to_vec();
            answers.push(NewAnswer { position: position.clone(), excluded, answer, worker: None });
        }
    }
    store.keep(profile, &answers).unwrap();
}
