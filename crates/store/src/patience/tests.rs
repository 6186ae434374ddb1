//! Every kind of write, while another program keeps the database locked for longer than SQLite waits.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use shakmaty::Chess;

use super::*;
use crate::{
    AgendaRow, AnalysisId, AnalysisKey, NewAnswer, NewFact, NewMoveAnswer, PassRecord, ProfileId,
    RootChanges, Store,
};
use deepanalyze_core::chess::{Game, PositionKey, Score, Wdl, parse_uci};
use deepanalyze_core::search::{Answer, Limit, Profile, WorkerId};

/// Attempts at one a second.
const HELD: u32 = 20;

/// Another program's hold on a database.
struct Holder(Arc<Mutex<Option<Connection>>>);

impl Holder {
    fn of(path: &Path, how: &str) -> Holder {
        let db = Connection::open(path).unwrap();
        db.execute_batch(how).unwrap();
        Holder(Arc::new(Mutex::new(Some(db))))
    }

    /// A patience that never ends before the lock is released, and its count of reports.
    fn outlasted(&self) -> (Patience, Arc<AtomicU32>) {
        let told = Arc::new(AtomicU32::new(0));
        let (tells, held) = (Arc::clone(&told), Arc::clone(&self.0));
        let asked = AtomicU32::new(AT_LEAST);
        let is_over = move || {
            if asked.fetch_add(1, Ordering::SeqCst) == HELD {
                held.lock().unwrap().take();
            }
            false
        };
        let tell = move |why: &str| {
            assert!(why.ends_with("tree.db: another program has locked it"), "{why}");
            tells.fetch_add(1, Ordering::SeqCst);
        };
        (Patience::new(is_over, tell).restless(), told)
    }

    fn has_let_go(&self) -> bool {
        self.0.lock().unwrap().is_none()
    }
}

fn profile(depth: u32) -> Profile {
    let (options, limit) = (BTreeMap::new(), Limit::Depth(depth));
    Profile { engine: "Some".to_owned(), options, limit, kept_hash: None }
}

fn answer() -> Answer {
    let best = parse_uci("e2e4").unwrap();
    let (score, time) = (Score::Cp(1), Duration::ZERO);
    Answer { best, score, wdl: None, depth: 1, seldepth: 1, nodes: 1, time, pv: vec![best] }
}

fn game() -> Game {
    Game::from_start("startpos").unwrap()
}

fn few_men() -> Chess {
    deepanalyze_core::chess::parse_fen("8/8/8/8/8/3k4/8/3KQ3 b - -").unwrap()
}

fn agenda(analysis: AnalysisId) -> AgendaRow {
    AgendaRow::new(analysis, true, false)
}

fn open_analysis(store: &mut Store, depth: u32) -> AnalysisId {
    let profile = store.profile_id(&profile(depth)).unwrap();
    let game = game();
    let key = AnalysisKey { game: &game, profile, settings: &10.into() };
    store.open_analysis(key).unwrap()
}

const FIRST: AnalysisId = AnalysisId(1);
const SECOND: AnalysisId = AnalysisId(2);

type Kind = (&'static str, fn(&mut Store) -> Result<(), StoreError>);

/// All kinds of writes, to a database with two analyses.
const KINDS: [Kind; 17] = [
    ("a profile", |store| store.profile_id(&profile(9)).map(drop)),
    ("the beginning of a run", |store| {
        let game = game();
        let key = AnalysisKey { game: &game, profile: ProfileId(1), settings: &99.into() };
        store.begin_analysis(key).map(drop)
    }),
    ("an aim", |store| store.aim(FIRST, 7)),
    ("directives", |store| {
        store.change_directives(&game(), |_| Ok::<(), StoreError>(())).map(drop)
    }),
    ("a name", |store| store.rename(&game(), Some("mine"))),
    ("a place on the agenda", |store| store.put_on_agenda(&agenda(FIRST))),
    ("the agenda's order", |store| {
        let order = Some(&[SECOND, FIRST][..]);
        store.change_root(&RootChanges { order, ..RootChanges::default() })
    }),
    ("another stage on the agenda", |store| store.replace_on_agenda(FIRST, SECOND)),
    ("answers", |store| {
        let (position, answer) = (Chess::default(), answer());
        let new = NewAnswer { position, excluded: Vec::new(), answer, worker: None };
        store.keep(ProfileId(1), &[new]).map(drop)
    }),
    ("answers to single moves", |store| {
        let (position, answer) = (Chess::default(), answer());
        let new = NewMoveAnswer { position, answer, worker: None };
        store.keep_moves(ProfileId(1), &[new])
    }),
    ("a pass", |store| {
        let pass = PassRecord {
            before: 0,
            passes: 1,
            positions: 0,
            searches: 0,
            nodes: &[],
            settled: &[],
            course: &[],
            line: &[],
            fact_round: 0,
            invalidations: 0,
            found: &[],
            followed: &[],
            replaces: None,
        };
        store.commit_pass(FIRST, &pass).map(drop)
    }),
    ("a deletion", |store| store.delete_analyses(&[FIRST]).map(drop)),
    ("a deletion at a run's end", |store| {
        let lock = store.lock(FIRST)?;
        store.delete_if_empty(FIRST, &lock).map(drop)
    }),
    ("facts", |store| {
        let fact = NewFact { position: few_men(), result: Some(Wdl::Loss) };
        store.keep_facts(&[fact], 3, 0).map(drop)
    }),
    ("facts that are found later", |store| {
        store.find_facts(&[(PositionKey::of(&few_men()), Wdl::Loss)], 3)?;
        store.take_up_facts(FIRST, 1)
    }),
    ("moves of tables", |store| store.keep_table_moves(&few_men(), &[])),
    ("what is taken back", |store| store.invalidate(&WorkerId::new("worker"), "it lies").map(drop)),
];

#[test]
fn every_kind_of_write_outlasts_a_foreign_lock() {
    for (kind, write) in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let mut first = Store::open(&path).unwrap();
        assert_eq!([1, 2].map(|depth| open_analysis(&mut first, depth)), [FIRST, SECOND]);
        let holder = Holder::of(&path, "BEGIN IMMEDIATE");
        let (patience, told) = holder.outlasted();
        let mut store = Store::open_with(&path, patience).unwrap();
        assert!(!holder.has_let_go(), "{kind}: a database of this version is only read at first");
        write(&mut store).unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert!(holder.has_let_go(), "{kind}: nothing was written");
        assert_eq!(told.load(Ordering::SeqCst), 1, "{kind}");
    }
}

#[test]
fn a_database_is_made_once_the_other_program_lets_go() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.db");
    let holder = Holder::of(&path, "BEGIN EXCLUSIVE");
    let (patience, told) = holder.outlasted();
    let store = Store::open_with(&path, patience).unwrap();
    assert!(holder.has_let_go() && store.agenda().unwrap().is_empty());
    assert_eq!(told.load(Ordering::SeqCst), 1);
}

#[test]
fn giving_up_on_a_lock_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.db");
    drop(Store::open(&path).unwrap());
    let holder = Holder::of(&path, "BEGIN IMMEDIATE");
    let told = |why: &str| panic!("nobody is to be told: {why}");
    let mut store = Store::open_with(&path, Patience::new(|| true, told).restless()).unwrap();
    let error = store.profile_id(&profile(1)).unwrap_err();
    assert!(error.is_busy(), "{error}");
    drop(holder);
    assert_eq!(store.find_profile(&profile(1)).unwrap(), None);
    assert!(store.profile_id(&profile(1)).is_ok(), "the next write is one as every other");
}

#[test]
fn only_locks_are_waited_for_with_reminders() {
    let (calls, told) = (AtomicU32::new(0), Arc::new(AtomicU32::new(0)));
    let tells = Arc::clone(&told);
    let tell = move |_: &str| {
        tells.fetch_add(1, Ordering::SeqCst);
    };
    let patience = Patience::new(|| false, tell).restless();
    let failed = patience.wait(|| -> Result<(), StoreError> {
        match calls.fetch_add(1, Ordering::SeqCst) {
            many if many + 1 == AT_LEAST + 2 * REMINDER => Err(StoreError::Missing("gone".into())),
            _ => Err(StoreError::locked(Path::new("tree.db"))),
        }
    });
    assert!(matches!(failed, Err(StoreError::Missing(_))), "{failed:?}");
    assert_eq!(told.load(Ordering::SeqCst), 2);
}

#[test]
fn a_write_waits_for_a_waiting_write_of_this_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.db");
    let mut first = Store::open(&path).unwrap();
    let holder = Holder::of(&path, "BEGIN IMMEDIATE");
    let (patience, told) = holder.outlasted();
    let mut second = Store::open_with(&path, patience).unwrap();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| first.profile_id(&profile(1)).map(drop));
        second.profile_id(&profile(2)).unwrap();
        waits.join().unwrap().unwrap();
    });
    assert!(told.load(Ordering::SeqCst) > 0);
    assert!(second.find_profile(&profile(1)).unwrap().is_some());
}
