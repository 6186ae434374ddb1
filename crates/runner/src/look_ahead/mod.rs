//! Searches for engines that would be idle. A scenario grows the tree on with expected answers and
//! undoes that; its wants are weighed by how soon and how often they come up.

mod expectations;
mod forecast;

use std::time::{Duration, Instant};

use hashbrown::{HashMap, HashSet};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{PositionKey, Value, Wdl};
use deepanalyze_core::search::{Answer, Search};
use deepanalyze_core::tree::{Growth, Horizon, MoveCounts, Outlook, Service, Want, scenario};
use deepanalyze_store::Store;

use super::facts::{CountsLookUp, LookUp};
use super::lists::AnswerLists;
use expectations::Expectations;
use forecast::ForecastState;

pub use forecast::ComingForecast;

/// Factor for a want's weight with each further scenario.
const SCENARIO_FACTOR: f64 = 0.85;
/// Factors for a want's weight with each pass until it, and with each guessed move before it: of
/// the searches without one, four in five were used in the end, with one a quarter, with two a
/// sixth (Stockfish at depth 6).
const PASS_FACTOR: f64 = 0.9;
const GUESS_FACTOR: f64 = 0.3;
/// Wants below this weight are dropped.
const LEAST_WEIGHT: f64 = 0.05;

/// Scenarios may take one part in this many of a run's time.
const SCENARIO_SHARE: u32 = 4;
/// The longest a scenario should take, as answers wait meanwhile: this, or one part in that many of
/// a search's time.
const LONGEST_SCENARIO: Duration = Duration::from_millis(5);
const SCENARIOS_PER_SEARCH: u32 = 20;
/// The steps of a scenario, each a look at a move: two or three milliseconds' worth, whatever the
/// size of the tree.
const WORK: u64 = 30_000;
/// Passes that a scenario may look ahead; fewer if they take long.
const PASSES: std::ops::RangeInclusive<u32> = 3..=40;

/// A search that may be worth making.
#[derive(Debug)]
struct WantedSearch {
    position: Chess,
    excluded: Vec<UciMove>,
    weight: f64,
}

/// Amount searched ahead of need.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct SearchedAhead {
    /// Answers not asked for when their search began.
    pub searched: u64,
    /// Of these, the answers asked for since.
    pub used: u64,
}

impl std::ops::Add for SearchedAhead {
    type Output = SearchedAhead;

    fn add(self, other: SearchedAhead) -> SearchedAhead {
        SearchedAhead { searched: self.searched + other.searched, used: self.used + other.used }
    }
}

/// The look-ahead of a run.
#[derive(Debug)]
pub struct LookAhead {
    /// The tree of the forecast, until it is read.
    coming: Option<ComingForecast>,
    expectations: Expectations,
    wanted: HashMap<PositionKey, WantedSearch>,
    /// Answers, and searches under way, not asked for yet.
    unasked: Unasked,
    /// Positions at which engines failed: not retried without need.
    avoided: HashSet<PositionKey>,
    /// Searched ahead so far.
    pub ahead: SearchedAhead,
    scenarios: u64,
    /// Passes that the next scenario looks ahead.
    passes: u32,
    /// Time for scenarios so far.
    scenario_time: Duration,
    /// Running mean of search times.
    search_time: Duration,
    since: Instant,
}

impl LookAhead {
    /// Forgets the wants of a tree grown again under other directives.
    pub fn forget_wants(&mut self) {
        self.wanted.clear();
    }

    /// Expects nothing yet; a forecast is read once engines have something to do. The run begins
    /// now.
    pub fn new(coming: Option<ComingForecast>, now: Instant) -> LookAhead {
        LookAhead {
            coming,
            expectations: Expectations::new(),
            wanted: HashMap::new(),
            unasked: Unasked::default(),
            avoided: HashSet::new(),
            ahead: SearchedAhead::default(),
            scenarios: 0,
            passes: *PASSES.end(),
            scenario_time: Duration::ZERO,
            search_time: Duration::ZERO,
            since: now,
        }
    }

    /// Notes a request for an answer.
    pub fn asked(&mut self, position: &Chess, rank: usize) {
        if self.unasked.remove(&(PositionKey::of(position), rank)) {
            self.ahead.used += 1;
        }
    }

    /// Notes a failed search.
    pub fn avoid(&mut self, position: &Chess) {
        self.avoided.insert(PositionKey::of(position));
    }

    /// Takes an answer's expectations of the positions behind it.
    pub fn learn(&mut self, position: &Chess, rank: usize, answer: &Answer) {
        self.expectations.learn(position, rank, answer);
        self.search_time = (7 * self.search_time).saturating_add(answer.time) / 8;
    }

    /// True if there is time for another scenario now.
    pub fn has_time(&self, now: Instant) -> bool {
        self.scenario_time * SCENARIO_SHARE <= now.saturating_duration_since(self.since)
    }

    /// Takes the forecast once read, which begins with the first call; returns why it cannot be
    /// read.
    pub fn take_forecast(&mut self, store: &Store) -> Option<String> {
        let complaint = match self.coming.as_mut()?.state(store) {
            ForecastState::Reading => return None,
            ForecastState::Read(forecast) => {
                self.expectations.take_forecast(forecast);
                None
            }
            ForecastState::Gone(why) => why,
        };
        self.coming = None;
        complaint
    }

    /// Runs one scenario, up to a depth of the analysis or a number of wants.
    pub fn run_scenario(
        &mut self,
        growth: &mut Growth,
        services: &[Service],
        depth: u32,
        wants: usize,
        known: ScenarioKnowledge<'_>,
    ) {
        self.scenarios += 1;
        let expectations = &self.expectations;
        let random = self.scenarios.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut view = ScenarioView { known, expectations, random };
        let horizon = Horizon { passes: self.passes, depth, wants, work: WORK };
        let wants = scenario(growth, services, horizon, &mut view);
        self.wanted.retain(|_, wanted| {
            wanted.weight *= SCENARIO_FACTOR;
            wanted.weight >= LEAST_WEIGHT
        });
        for want in wants {
            self.want(want);
        }
    }

    /// Notes how long the last scenario took: a large tree gets shorter ones.
    pub fn took(&mut self, time: Duration) {
        self.scenario_time += time;
        let most = LONGEST_SCENARIO.max(self.search_time / SCENARIOS_PER_SEARCH);
        let passes = if time > most { self.passes / 2 } else { self.passes + 1 };
        self.passes = passes.clamp(*PASSES.start(), *PASSES.end());
    }

    fn want(&mut self, want: Want) {
        let key = PositionKey::of(&want.position);
        if self.avoided.contains(&key) {
            return;
        }
        let power = |base: f64, n: u32| base.powi(i32::try_from(n).unwrap_or(i32::MAX));
        let weight = power(PASS_FACTOR, want.pass) * power(GUESS_FACTOR, want.guesses);
        let Want { position, excluded, .. } = want;
        let wanted = self.wanted.entry(key).or_insert_with(|| WantedSearch {
            position,
            excluded: Vec::new(),
            weight: 0.0,
        });
        wanted.excluded = excluded;
        wanted.weight += weight;
    }

    /// The search most probably needed, of positions not being searched.
    pub fn next(
        &mut self,
        store: &Store,
        lists: &mut AnswerLists,
        is_under_way: impl Fn(&PositionKey) -> bool,
    ) -> Option<Search> {
        self.wanted.retain(|key, wanted| {
            !is_under_way(key)
                && lists
                    .list(store, &wanted.position)
                    .is_ok_and(|list| list.iter().map(|answer| &answer.uci).eq(&wanted.excluded))
        });
        // Ties by key: the map's order changes from run to run.
        let best = self.wanted.iter().max_by(|(key, wanted), (other, than)| {
            wanted.weight.total_cmp(&than.weight).then_with(|| key.cmp(other))
        });
        let key = best.map(|(key, _)| *key)?;
        let WantedSearch { position, excluded, .. } = self.wanted.remove(&key)?;
        self.unasked.insert((key, excluded.len()));
        self.ahead.searched += 1;
        Some(Search { position, excluded })
    }
}

/// Knowledge of positions without an engine.
pub struct ScenarioKnowledge<'a> {
    pub store: &'a Store,
    pub lists: &'a mut AnswerLists,
    /// `None` if the tree uses no tables.
    pub look_up: Option<&'a mut LookUp>,
    /// `None` if the tree knows no games.
    pub counts: Option<&'a mut CountsLookUp>,
}

/// A scenario's outlook.
struct ScenarioView<'a> {
    known: ScenarioKnowledge<'a>,
    expectations: &'a Expectations,
    random: u64,
}

impl Outlook for ScenarioView<'_> {
    fn answer(&mut self, position: &Chess, rank: usize) -> Option<(UciMove, Value)> {
        // A damaged database shows when the answer is needed.
        let answer = *self.known.lists.list(self.known.store, position).ok()?.get(rank)?;
        Some((answer.uci, Value::from(answer.score)))
    }

    fn fact(&mut self, position: &Chess) -> Option<Option<Wdl>> {
        self.known.look_up.as_mut()?.find(self.known.store, position, false).ok()?
    }

    fn counts(&mut self, tree: &Growth, position: &PositionKey) -> Option<MoveCounts> {
        self.known.counts.as_mut()?.guess(self.known.store, tree, position).ok()
    }

    fn expected(&mut self, position: &Chess, before: &[UciMove]) -> Option<(UciMove, Value)> {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.expectations.of(position, before, self.random >> 33)
    }
}

/// The fewest remembered; the most are twice as many.
const REMEMBERED: usize = 1 << 14;

/// A search: a position, and the count of excluded moves.
type AskedPlace = (PositionKey, usize);

/// The searches ahead not asked for yet. Most are asked for soon or never, so the oldest are
/// forgotten.
#[derive(Debug, Default)]
struct Unasked {
    new: HashSet<AskedPlace>,
    old: HashSet<AskedPlace>,
}

impl Unasked {
    /// Adds one.
    pub fn insert(&mut self, place: AskedPlace) {
        if self.new.len() >= REMEMBERED {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(place);
    }

    /// Removes one asked for; true if known.
    pub fn remove(&mut self, place: &AskedPlace) -> bool {
        self.new.remove(place) || self.old.remove(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_take_a_quarter_of_the_time_or_shrink() {
        let began = Instant::now();
        let mut look_ahead = LookAhead::new(None, began);
        assert!(look_ahead.has_time(began));
        look_ahead.took(Duration::from_millis(10));
        assert!(!look_ahead.has_time(began + Duration::from_millis(39)));
        assert!(look_ahead.has_time(began + Duration::from_millis(40)));
        assert_eq!(look_ahead.passes, *PASSES.end() / 2);
    }

    #[test]
    fn the_latest_are_known_and_there_are_never_many() {
        let key = PositionKey::of(&shakmaty::Chess::default());
        let mut unasked = Unasked::default();
        for rank in 0..5 * REMEMBERED {
            unasked.insert((key, rank));
            assert!(unasked.new.len() + unasked.old.len() <= 2 * REMEMBERED);
        }
        let first = 4 * REMEMBERED;
        assert!((first..5 * REMEMBERED).all(|rank| unasked.remove(&(key, rank))));
        assert!(!unasked.remove(&(key, first)), "it was asked for already");
        assert!(!unasked.remove(&(key, 0)), "it is forgotten");
    }
}
