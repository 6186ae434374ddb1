//! The look-ahead in virtual time: engines whose searches take the time they are said to take, so
//! that what the guesses are worth shows without a clock, and the same in every run.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use hashbrown::HashMap;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

use crate::chess::{Game, PositionKey, Score, Value};
use crate::search::{Answer, Limit, Profile, Search};
use crate::store::Store;
use crate::tree::{Growth, Service};

use super::lists::Lists;
use super::look_ahead::{LookAhead, SearchedAhead};

/// A number that looks random and depends on nothing but its argument.
fn scramble(seed: u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 11
}

fn number_of(position: &Chess) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = std::hash::DefaultHasher::new();
    PositionKey::of(position).hash(&mut hasher);
    hasher.finish()
}

/// The best move by scores that are made up, with what they are, for the mover.
fn best(position: &Chess, excluded: &[UciMove]) -> Option<(UciMove, i32)> {
    let moves = position.legal_moves();
    let all = moves.iter().map(|m| (m.to_uci(CastlingMode::Standard), m));
    let scored = all.filter(|(uci, _)| !excluded.contains(uci)).map(|(uci, m)| {
        let mut child = position.clone();
        child.play_unchecked(*m);
        (uci, i32::try_from(scramble(number_of(&child)) % 300).unwrap())
    });
    let least = scored.min_by_key(|(_, value)| *value);
    least.map(|(uci, value)| (uci, 40 - value / 3))
}

/// An engine whose principal variations foresee one reply in three.
fn answer(search: &Search) -> Answer {
    let (first, cp) = best(&search.position, &search.excluded).unwrap();
    let mut child = search.position.clone();
    child.play_unchecked(first.to_move(&child).unwrap());
    let number = number_of(&child);
    let doubt: Vec<UciMove> = match scramble(number ^ 1) % 3 {
        0 => Vec::new(),
        _ => best(&child, &[]).map(|(uci, _)| uci).into_iter().collect(),
    };
    let reply = best(&child, &doubt).map(|(uci, _)| uci);
    let pv = std::iter::once(first).chain(reply).collect();
    let score = Score::Cp(cp);
    Answer { best: first, score, depth: 1, seldepth: 1, nodes: 1, time: Duration::ZERO, pv }
}

/// What a simulated run was.
struct Run {
    /// In thousandths of the mean duration of a search.
    time: u64,
    searches: u64,
    admitted: u64,
    ahead: SearchedAhead,
}

struct Simulation {
    store: Store,
    lists: Lists,
    look_ahead: Option<LookAhead>,
    engines: usize,
    now: u64,
    started: u64,
    /// By when they end.
    under_way: BTreeMap<(u64, u64), Search>,
    tickets: HashMap<PositionKey, u64>,
}

impl Simulation {
    fn start(&mut self, search: Search) {
        self.started += 1;
        let takes = 900 + scramble(self.started) % 200;
        self.tickets.insert(PositionKey::of(&search.position), self.started);
        self.under_way.insert((self.now + takes, self.started), search);
    }

    fn free(&self) -> bool {
        self.under_way.len() < self.engines
    }

    /// The next search to end.
    fn finish_next(&mut self) -> Search {
        let ((now, _), search) = self.under_way.pop_first().expect("nothing is under way");
        self.now = now;
        self.tickets.remove(&PositionKey::of(&search.position));
        let (position, rank) = (&search.position, search.excluded.len());
        let answer = answer(&search);
        if let Some(look_ahead) = &mut self.look_ahead {
            look_ahead.learn(position, rank, &answer);
        }
        let taken = self.lists.take(&self.store, position, &search.excluded, answer).unwrap();
        assert!(taken, "a guess was of no list");
        search
    }

    fn look_ahead(&mut self, growth: &mut Growth, services: &[Service], depth: u32) {
        let Some(look_ahead) = &mut self.look_ahead else { return };
        for _ in 0..4 {
            let wants = 4 * self.engines;
            look_ahead.run_scenario(growth, services, (depth, wants), &self.store, &mut self.lists);
        }
        while self.free() {
            let Some(look_ahead) = &mut self.look_ahead else { return };
            let tickets = &self.tickets;
            let next =
                look_ahead.next(&self.store, &mut self.lists, |key| tickets.contains_key(key));
            let Some(search) = next else { return };
            self.start(search);
        }
    }

    fn serve(&mut self, growth: &mut Growth, services: &mut [Service], depth: u32) {
        loop {
            let mut waiting = VecDeque::new();
            let mut open = 0;
            for service in services.iter_mut() {
                let position = growth.position(service.node());
                while service.wants_search() {
                    let rank = service.next_rank();
                    let list = self.lists.list(&self.store, &position).unwrap();
                    let Some(answer) = list.get(rank).copied() else { break };
                    service.answer(answer.uci, Value::from(answer.score));
                    if let Some(look_ahead) = &mut self.look_ahead {
                        look_ahead.asked(&position, rank);
                    }
                }
                if service.wants_search() {
                    open += 1;
                    if !self.tickets.contains_key(&PositionKey::of(&position)) {
                        let list = self.lists.list(&self.store, &position).unwrap();
                        let excluded = list.iter().map(|answer| answer.uci).collect();
                        waiting.push_back(Search { position, excluded });
                    }
                }
            }
            if open == 0 {
                return;
            }
            while self.free()
                && let Some(search) = waiting.pop_front()
            {
                self.start(search);
            }
            if waiting.is_empty() {
                self.look_ahead(growth, services, depth);
            }
            self.finish_next();
        }
    }
}

fn simulate(start: &str, engines: usize, distance: u32, depth: u32, look_ahead: bool) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("simulation.db")).unwrap();
    let limit = Limit::Depth(1);
    let profile = Profile {
        engine: "Simulated".to_owned(),
        options: BTreeMap::new(),
        limit,
        kept_hash: None,
    };
    let lists = Lists::new(store.profile_id(&profile).unwrap());
    let mut simulation = Simulation {
        store,
        lists,
        look_ahead: look_ahead.then(LookAhead::new),
        engines,
        now: 0,
        started: 0,
        under_way: BTreeMap::new(),
        tickets: HashMap::new(),
    };
    let mut growth = Growth::new(&Game::from_start(start).unwrap(), distance);
    while growth.depth() <= depth {
        let mut services = growth.requests();
        simulation.serve(&mut growth, &mut services, depth);
        growth.finish_pass(services).unwrap();
    }
    Run {
        time: simulation.now,
        searches: simulation.started,
        admitted: growth.searches(),
        ahead: simulation.look_ahead.map(|look_ahead| look_ahead.ahead()).unwrap_or_default(),
    }
}

#[test]
fn looking_ahead_keeps_eight_and_sixteen_engines_at_searches_that_count() {
    let one = simulate("startpos", 1, 8, 4, false);
    let plain = simulate("startpos", 16, 8, 4, false);
    assert_eq!(plain.searches, one.searches, "a search that nobody asked for");
    assert!(one.time < 4 * plain.time, "these engines would be busy anyway");
    for (engines, tenths) in [(8, 66), (16, 105)] {
        let run = simulate("startpos", engines, 8, 4, true);
        assert_eq!(run.admitted, one.admitted, "another tree");
        let (unused, used) = (run.searches - run.admitted, run.ahead.used);
        println!("{engines} {} {}", 10 * one.time / run.time, 100 * unused / run.searches);
        assert!(10 * one.time > tenths * run.time, "{engines}: {} to {}", one.time, run.time);
        assert!(3 * unused < run.searches, "{engines}: {unused} of {} unused", run.searches);
        assert_eq!(run.ahead.searched - used, unused, "{engines}: wrongly counted");
    }
}
