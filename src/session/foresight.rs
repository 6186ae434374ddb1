//! What to search while engines would be idle: wants of scenarios, weighed by how soon and how
//! often they come up, and what principal variations let expect of new positions.

use std::time::{Duration, Instant};

use hashbrown::{HashMap, HashSet};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::chess::{PositionKey, Value};
use crate::engine::{Answer, Search};
use crate::store::Store;
use crate::tree::{Growth, Horizon, Outlook, Service, Want, scenario};

use super::known::Known;

/// Positions of which something is expected; beyond, all is forgotten.
const CAPACITY: usize = 50_000;

/// What remains of a want's weight with each further scenario.
const FADING: f64 = 0.85;
/// What a want's weight loses with each pass that it is away.
const PATIENCE: f64 = 0.9;
/// Wants below this weight are dropped.
const LEAST: f64 = 0.05;

/// How far an answer may lie from what was expected, in centipawns.
const SURPRISE: i64 = 15;

/// The share of the run's time that may go into scenarios.
const SHARE: u32 = 4;

/// A move and a score that a principal variation has for a position behind its first.
#[derive(Debug, Clone, Copy)]
struct Expectation {
    uci: UciMove,
    eval: Value,
    /// Plies behind the searched position.
    plies: usize,
}

/// A search that may be worth making.
#[derive(Debug)]
struct Wanted {
    position: Chess,
    excluded: Vec<UciMove>,
    weight: f64,
}

/// How much was searched ahead of need.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ahead {
    /// Answers that were not asked for when their search began.
    pub searched: u64,
    /// Those of them that the tree has asked for since.
    pub used: u64,
}

/// The look-ahead of a run.
#[derive(Debug)]
pub struct Foresight {
    expected: HashMap<PositionKey, Expectation>,
    wanted: HashMap<PositionKey, Wanted>,
    /// Answers, and searches under way, that nothing has asked for yet.
    unasked: HashSet<(PositionKey, usize)>,
    /// Positions at which engines failed: not to be tried again without need.
    avoided: HashSet<PositionKey>,
    ahead: Ahead,
    scenarios: u64,
    thinking: Duration,
    since: Instant,
}

impl Foresight {
    /// Nothing expected yet.
    pub fn new() -> Foresight {
        Foresight {
            expected: HashMap::new(),
            wanted: HashMap::new(),
            unasked: HashSet::new(),
            avoided: HashSet::new(),
            ahead: Ahead::default(),
            scenarios: 0,
            thinking: Duration::ZERO,
            since: Instant::now(),
        }
    }

    /// What was searched ahead so far.
    pub fn ahead(&self) -> Ahead {
        self.ahead
    }

    /// Notes that an answer was asked for.
    pub fn asked(&mut self, position: &Chess, rank: usize) {
        if self.unasked.remove(&(PositionKey::of(position), rank)) {
            self.ahead.used += 1;
        }
    }

    /// Notes that a search has failed.
    pub fn avoid(&mut self, position: &Chess) {
        self.avoided.insert(PositionKey::of(position));
    }

    /// Takes what a principal variation lets expect of the positions in it.
    pub fn learn(&mut self, position: &Chess, answer: &Answer) {
        if self.expected.len() >= CAPACITY {
            self.expected.clear();
        }
        let mut position = position.clone();
        let mut eval = Value::from(answer.score);
        for (plies, uci) in answer.pv.iter().enumerate() {
            let Ok(m) = uci.to_move(&position) else { return };
            if plies > 0 {
                self.expect(&position, Expectation { uci: *uci, eval, plies });
            }
            position.play_unchecked(m);
            eval = eval.step();
        }
    }

    fn expect(&mut self, position: &Chess, new: Expectation) {
        let old = self.expected.entry(PositionKey::of(position)).or_insert(new);
        if new.plies <= old.plies {
            *old = new;
        }
    }

    /// Whether another scenario may be thought out now.
    pub fn has_time(&self) -> bool {
        self.thinking * SHARE <= self.since.elapsed()
    }

    /// Thinks one scenario out.
    pub fn think(
        &mut self,
        growth: &Growth,
        services: &[Service],
        horizon: Horizon,
        store: &Store,
        known: &mut Known,
    ) {
        let began = Instant::now();
        self.scenarios += 1;
        let mut view = View {
            store,
            known,
            expected: &self.expected,
            random: self.scenarios.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        };
        let wants = scenario(growth, services, horizon, &mut view);
        self.wanted.retain(|_, wanted| {
            wanted.weight *= FADING;
            wanted.weight >= LEAST
        });
        for want in wants {
            self.want(want);
        }
        self.thinking += began.elapsed();
    }

    fn want(&mut self, want: Want) {
        let key = PositionKey::of(&want.position);
        if self.avoided.contains(&key) {
            return;
        }
        let weight = PATIENCE.powi(i32::try_from(want.pass).unwrap_or(i32::MAX));
        let Want { position, excluded, .. } = want;
        let wanted = self.wanted.entry(key).or_insert_with(|| Wanted {
            position,
            excluded: Vec::new(),
            weight: 0.0,
        });
        wanted.excluded = excluded;
        wanted.weight += weight;
    }

    /// The search that is most probably needed, of positions that are not being searched.
    pub fn next(
        &mut self,
        store: &Store,
        known: &mut Known,
        in_flight: impl Fn(&PositionKey) -> bool,
    ) -> Option<Search> {
        self.wanted.retain(|key, wanted| {
            !in_flight(key)
                && known
                    .list(store, &wanted.position)
                    .is_ok_and(|list| list.iter().map(|answer| &answer.uci).eq(&wanted.excluded))
        });
        let best = self.wanted.iter().max_by(|a, b| a.1.weight.total_cmp(&b.1.weight));
        let key = best.map(|(key, _)| *key)?;
        let Wanted { position, excluded, .. } = self.wanted.remove(&key)?;
        self.unasked.insert((key, excluded.len()));
        self.ahead.searched += 1;
        Some(Search { position, excluded })
    }
}

/// What a scenario sees.
struct View<'a> {
    store: &'a Store,
    known: &'a mut Known,
    expected: &'a HashMap<PositionKey, Expectation>,
    random: u64,
}

impl Outlook for View<'_> {
    fn answer(&mut self, position: &Chess, rank: usize) -> Option<(UciMove, Value)> {
        // A damaged database shows when the answer is needed.
        let answer = *self.known.list(self.store, position).ok()?.get(rank)?;
        Some((answer.uci, Value::from(answer.score)))
    }

    fn expected(&mut self, position: &Chess) -> Option<(UciMove, Value)> {
        let Expectation { uci, eval, .. } = *self.expected.get(&PositionKey::of(position))?;
        Some((uci, self.surprised(eval)))
    }
}

impl View<'_> {
    /// A score a little off.
    fn surprised(&mut self, eval: Value) -> Value {
        if eval.is_mate() {
            return eval;
        }
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let off = i64::try_from(self.random >> 33).unwrap_or(0) % (2 * SURPRISE + 1);
        Value::new(i64::from(eval.get()) + off - SURPRISE)
            .filter(|value| !value.is_mate())
            .unwrap_or(eval)
    }
}
