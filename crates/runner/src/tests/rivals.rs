//! Several runs on one memo, of an engine that does not repeat its answers: interleaved step by
//! step, the same in every run of the test.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::{Duration, Instant};

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, Score, legal_uci, parse_uci};
use deepanalyze_core::search::{Answer, Limit, Profile};
use deepanalyze_store::{ListedAnswer, NewAnswer, ProfileId, Store};

use crate::lists::AnswerLists;

fn profile(store: &mut Store, name: &str) -> ProfileId {
    let (options, limit) = (BTreeMap::new(), Limit::Depth(1));
    let profile = Profile { engine: name.to_owned(), options, limit, kept_hash: None };
    store.profile_id(&profile).unwrap()
}

fn answer(best: UciMove, cp: i32, nodes: u64) -> Answer {
    let (score, time, pv) = (Score::Cp(cp), Duration::ZERO, vec![best]);
    Answer { best, score, wdl: None, depth: 1, seldepth: 1, nodes, time, pv }
}

/// Two runs, each with a connection of its own.
struct Two {
    _folder: tempfile::TempDir,
    stores: [Store; 2],
    runs: [AnswerLists; 2],
    profile: ProfileId,
}

impl Two {
    fn new() -> Two {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let mut stores = [0, 1].map(|_| Store::open(&path).unwrap());
        let profile = profile(&mut stores[0], "Moody");
        Two { _folder: folder, stores, runs: [0, 1].map(|_| AnswerLists::new(profile)), profile }
    }

    /// A run takes this answer of the starting position, searched without the moves of its list.
    fn take(&mut self, run: usize, best: &str) {
        let (lists, store) = (&mut self.runs[run], &self.stores[run]);
        let list = lists.list(store, &Chess::default()).unwrap();
        let excluded: Vec<UciMove> = list.iter().map(|answer| answer.uci).collect();
        let (position, answer) = (Chess::default(), answer(parse_uci(best).unwrap(), 1, 1));
        let new = NewAnswer { position, excluded, answer, worker: None };
        assert!(lists.take(store, new, Instant::now()).unwrap());
    }

    fn save(&mut self, run: usize) -> bool {
        self.runs[run].save(&self.stores[run]).unwrap()
    }

    fn refresh(&mut self, run: usize) {
        self.runs[run].refresh(&self.stores[run], &Chess::default()).unwrap();
    }

    fn list(&mut self, run: usize) -> String {
        in_words(self.runs[run].list(&self.stores[run], &Chess::default()).unwrap())
    }

    fn stored(&self) -> String {
        let ranks = (0..).map_while(|rank| {
            self.stores[0].answer(self.profile, &Chess::default(), rank).unwrap()
        });
        in_words(&ranks.collect::<Vec<_>>())
    }
}

fn in_words(list: &[ListedAnswer]) -> String {
    list.iter().map(|answer| answer.uci.to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn other_runs_ranks_do_not_follow_an_unsaved_answer() {
    let mut two = Two::new();
    two.take(0, "e2e4");
    two.take(1, "d2d4");
    two.take(1, "e2e4");
    assert!(two.save(1));
    two.refresh(0);
    assert_eq!(two.list(0), "e2e4", "what is behind it belongs to another list");
    assert!(!two.save(0), "the other run's answer counts");
    assert_eq!((two.list(0).as_str(), two.stored().as_str()), ("d2d4 e2e4", "d2d4 e2e4"));
}

#[test]
fn other_runs_ranks_behind_the_same_answer_are_read() {
    let mut two = Two::new();
    two.take(0, "e2e4");
    two.take(1, "e2e4");
    two.take(1, "d2d4");
    assert!(two.save(1));
    two.refresh(0);
    assert_eq!(two.list(0), "e2e4 d2d4");
    assert!(two.save(0));
}

#[test]
fn answer_behind_a_differing_stored_one_is_dropped() {
    let mut two = Two::new();
    two.take(0, "e2e4");
    two.take(0, "d2d4");
    two.take(1, "d2d4");
    assert!(two.save(1) && !two.save(0));
    assert_eq!(two.stored(), "d2d4", "d2d4 was searched without e2e4, not without itself");
}

/// A number that looks random and depends on nothing but its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        usize::try_from((self.0 >> 33) % n as u64).unwrap()
    }
}

/// One of several runs.
struct Rival {
    store: Store,
    lists: AnswerLists,
    /// The search under way: a position and its list when it began.
    search: Option<(Chess, Vec<UciMove>)>,
    /// The lists as the run used them; void once a save says so.
    used: HashMap<PositionKey, Vec<ListedAnswer>>,
}

impl Rival {
    fn new(path: &Path, profile: ProfileId) -> Rival {
        let (store, lists) = (Store::open(path).unwrap(), AnswerLists::new(profile));
        Rival { store, lists, search: None, used: HashMap::new() }
    }

    fn list(&mut self, position: &Chess) -> Vec<ListedAnswer> {
        let list = self.lists.list(&self.store, position).unwrap().to_vec();
        let moves: std::collections::HashSet<UciMove> = list.iter().map(|a| a.uci).collect();
        assert_eq!(moves.len(), list.len(), "listed twice: {}", in_words(&list));
        let used = self.used.entry(PositionKey::of(position)).or_default();
        assert!(list.starts_with(used), "{} was used", in_words(used));
        used.clone_from(&list);
        list
    }

    fn begin(&mut self, position: &Chess) {
        self.lists.refresh(&self.store, position).unwrap();
        let excluded: Vec<UciMove> = self.list(position).iter().map(|a| a.uci).collect();
        if excluded.len() < 4 {
            self.search = Some((position.clone(), excluded));
        }
    }

    /// Answers with one of three moves: rivals agree now and then. `made` gets the excluded moves.
    fn land(&mut self, random: &mut Random, made: &mut Vec<Vec<UciMove>>) {
        let Some((position, excluded)) = self.search.take() else { return };
        let mut moves = legal_uci(&position);
        moves.retain(|uci| !excluded.contains(uci));
        let best = moves[random.below(3)];
        let (cp, nodes) = (i32::try_from(random.below(2)).unwrap(), made.len() as u64);
        made.push(excluded.clone());
        let answer = answer(best, cp, nodes);
        let new = NewAnswer { position, excluded, answer, worker: None };
        self.lists.take(&self.store, new, Instant::now()).unwrap();
    }

    fn save(&mut self) {
        if !self.lists.save(&self.store).unwrap() {
            self.used.clear();
        }
    }

    /// Settles the earlier answers, and gives the later ones.
    fn give(&mut self) {
        if !self.lists.settle().unwrap() {
            self.used.clear();
        }
        self.lists.give(&self.store, Instant::now());
    }
}

/// Every stored answer was searched without the moves that are stored before it.
fn check_stored(store: &Store, profile: ProfileId, position: &Chess, made: &[Vec<UciMove>]) {
    let mut before = Vec::new();
    while let Some(priced) = store.priced_answer(profile, position, before.len()).unwrap() {
        assert_eq!(made[usize::try_from(priced.nodes).unwrap()], before, "excluded otherwise");
        before.push(priced.answer.uci);
    }
}

#[test]
fn rivals_with_other_answers_never_mix_their_lists() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.db");
    let mut first = Store::open(&path).unwrap();
    let mut game = Game::from_position(Chess::default());
    let mut positions = vec![game.root().clone()];
    game.play_line("e4").unwrap();
    positions.push(game.root().clone());
    for (seed, count) in (0..60).zip([2, 4].into_iter().cycle()) {
        let profile = profile(&mut first, &format!("Moody {seed}"));
        let mut rivals: Vec<Rival> = (0..count).map(|_| Rival::new(&path, profile)).collect();
        let (mut random, mut made) = (Random(seed), Vec::new());
        for _ in 0..80 {
            let rival = &mut rivals[random.below(count)];
            match random.below(7) {
                0..3 if rival.search.is_none() => rival.begin(&positions[random.below(2)]),
                6 if random.below(2) == 0 => rival.save(),
                6 => rival.give(),
                _ => rival.land(&mut random, &mut made),
            }
        }
        for position in &positions {
            check_stored(&first, profile, position, &made);
            for rival in &mut rivals {
                rival.save();
                rival.list(position);
            }
        }
    }
}
