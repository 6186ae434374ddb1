//! Searches given to two, and to a third if those differ.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::message::{LimitedSearch, Token};

use super::{Testimony, Witness};

/// Witnesses that can show which is odd.
const ENOUGH: usize = 3;
/// The most comparisons at once.
const MOST: usize = 1000;
/// Time that workers that differ wait for a third.
const ALONE: Duration = Duration::from_secs(60);
/// Time after which a worker counts as silent.
const PATIENCE: Duration = Duration::from_secs(300);

/// Result of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub enum ComparisonOutcome {
    /// All agree.
    Agreed,
    /// They differ: a third is needed.
    Differ(LimitedSearch),
    /// These are wrong; how.
    Odd(Vec<Token>, String),
}

/// A comparison without anyone left to make it now.
#[derive(Debug, Clone, PartialEq)]
pub struct Lacking {
    /// Its number.
    pub number: u64,
    /// The request.
    pub asked: LimitedSearch,
    /// The differing workers, and how, if they waited too long for another to decide.
    pub odd: Option<(Vec<Token>, String)>,
}

#[derive(Debug)]
struct Doubt {
    asked: LimitedSearch,
    words: Vec<(Witness, Testimony)>,
    /// The worker asked, and since when; `None` for the grower's own engine.
    waits_for: Option<(Token, Instant)>,
    /// Since when no other is there.
    lacks_since: Option<Instant>,
}

/// The comparisons under way.
#[derive(Debug)]
pub struct Doubles {
    one_in: u32,
    since: u32,
    numbered: u64,
    open: BTreeMap<u64, Doubt>,
}

impl Doubles {
    /// One search in this many; 0: none.
    pub fn new(one_in: u32) -> Doubles {
        Doubles { one_in, since: 0, numbered: 0, open: BTreeMap::new() }
    }

    /// True if the answer that has just come is to be compared.
    pub fn is_due(&mut self) -> bool {
        self.since += 1;
        let is_due = self.one_in > 0 && self.since >= self.one_in && !self.is_full();
        if is_due {
            self.since = 0;
        }
        is_due
    }

    /// Begins a comparison; returns its number.
    pub fn begin(&mut self, asked: LimitedSearch, witness: Witness, word: Testimony) -> u64 {
        self.numbered += 1;
        let doubt =
            Doubt { asked, words: vec![(witness, word)], waits_for: None, lacks_since: None };
        self.open.insert(self.numbered, doubt);
        self.numbered
    }

    /// True if too many comparisons wait to begin more.
    pub fn is_full(&self) -> bool {
        self.open.len() >= MOST
    }

    /// Notes that a worker is asked.
    pub fn ask(&mut self, number: u64, worker: Token, now: Instant) {
        if let Some(doubt) = self.open.get_mut(&number) {
            doubt.waits_for = Some((worker, now));
            doubt.lacks_since = None;
        }
    }

    /// Notes that no other can search.
    pub fn lack(&mut self, number: u64, now: Instant) {
        if let Some(doubt) = self.open.get_mut(&number) {
            doubt.lacks_since.get_or_insert(now);
        }
    }

    /// The comparisons that lack a worker.
    pub fn lacking(&self, now: Instant) -> Vec<Lacking> {
        let lacking = self.open.iter().filter_map(|(number, doubt)| {
            let waited = now.saturating_duration_since(doubt.lacks_since?);
            let is_over = waited >= ALONE && doubt.is_disputed();
            let odd = is_over.then(|| (doubt.workers(), doubt.told()));
            Some(Lacking { number: *number, asked: doubt.asked.clone(), odd })
        });
        lacking.collect()
    }

    /// The workers that have answered.
    pub fn witnesses(&self, number: u64) -> Vec<Token> {
        self.open.get(&number).map(Doubt::workers).unwrap_or_default()
    }

    /// True if witnesses differ.
    pub fn is_disputed(&self, number: u64) -> bool {
        self.open.get(&number).is_some_and(Doubt::is_disputed)
    }

    /// True if this worker was asked to make this search for this comparison.
    pub fn awaits(&self, number: u64, worker: &Token, asked: &LimitedSearch) -> bool {
        self.open.get(&number).is_some_and(|doubt| {
            let is_asked = doubt.waits_for.as_ref().is_some_and(|(whom, _)| whom == worker);
            is_asked && doubt.asked == *asked
        })
    }

    /// Takes the comparisons whose worker will not answer: it has gone, or is silent. The grower's
    /// own engine is to make them now.
    pub fn overdue(
        &mut self,
        now: Instant,
        is_there: impl Fn(&Token) -> bool,
    ) -> Vec<(u64, LimitedSearch)> {
        let is_overdue = |doubt: &&mut Doubt| {
            doubt.waits_for.as_ref().is_some_and(|(worker, since)| {
                !is_there(worker) || now.saturating_duration_since(*since) >= PATIENCE
            })
        };
        let doubts = self.open.iter_mut().map(|(number, doubt)| (*number, doubt));
        let overdue = doubts.filter(|(_, doubt)| is_overdue(doubt));
        let give = |(number, doubt): (u64, &mut Doubt)| {
            doubt.waits_for = None;
            (number, doubt.asked.clone())
        };
        overdue.map(give).collect()
    }

    /// Notes another's answer.
    pub fn hear(&mut self, number: u64, witness: Witness, word: Testimony) -> ComparisonOutcome {
        let Some(doubt) = self.open.get_mut(&number) else { return ComparisonOutcome::Agreed };
        if doubt.words.iter().all(|(known, _)| *known != witness) {
            doubt.words.push((witness, word));
            doubt.waits_for = None;
        }
        let finding = doubt.finding();
        if !matches!(finding, ComparisonOutcome::Differ(..)) {
            self.open.remove(&number);
        }
        finding
    }

    /// Forgets a comparison that cannot be completed.
    pub fn forget(&mut self, number: u64) {
        self.open.remove(&number);
    }

    /// Number of comparisons so far.
    pub fn begun(&self) -> u64 {
        self.numbered
    }
}

impl Doubt {
    fn workers(&self) -> Vec<Token> {
        workers(self.words.iter().map(|(witness, _)| witness))
    }

    fn is_disputed(&self) -> bool {
        self.words.windows(2).any(|pair| matches!(pair, [(_, one), (_, other)] if one != other))
    }

    fn finding(&self) -> ComparisonOutcome {
        let Some((_, first)) = self.words.first() else { return ComparisonOutcome::Agreed };
        if self.words.iter().all(|(_, word)| word == first) {
            return ComparisonOutcome::Agreed;
        }
        let Some(right) = self.right() else {
            return ComparisonOutcome::Differ(self.asked.clone());
        };
        let odd = self.words.iter().filter(|(_, word)| *word != right);
        ComparisonOutcome::Odd(workers(odd.map(|(witness, _)| witness)), self.told())
    }

    /// The grower's own engine's answer, or the most of three.
    fn right(&self) -> Option<Testimony> {
        let own = self.words.iter().find(|(witness, _)| *witness == Witness::Own);
        if let Some((_, word)) = own {
            return Some(*word);
        }
        let votes = |word: &Testimony| self.words.iter().filter(|(_, other)| other == word).count();
        let most = self.words.iter().map(|(_, word)| word).max_by_key(|word| votes(word))?;
        (self.words.len() >= ENOUGH && votes(most) >= 2).then_some(*most)
    }

    fn told(&self) -> String {
        let words = self.words.iter().map(|(witness, word)| match witness {
            Witness::Own => format!("our engine {word}"),
            Witness::Worker(worker) => format!("{worker} {word}"),
        });
        let position = deepanalyze_core::chess::fen_of(&self.asked.search.position);
        format!("{} in {position} to {}", words.collect::<Vec<_>>().join(", "), self.asked.limit)
    }
}

fn workers<'a>(witnesses: impl Iterator<Item = &'a Witness>) -> Vec<Token> {
    let of = |witness: &Witness| match witness {
        Witness::Own => None,
        Witness::Worker(worker) => Some(worker.clone()),
    };
    witnesses.filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use shakmaty::Chess;

    use super::*;
    use deepanalyze_core::chess::{Score, parse_uci};
    use deepanalyze_core::search::{Limit, Search};

    fn word(nodes: u64) -> Testimony {
        Testimony { best: parse_uci("e2e4").unwrap(), score: Score::Cp(3), nodes }
    }

    fn token(name: &str) -> Token {
        Token::try_from(name.to_owned()).unwrap()
    }

    fn worker(name: &str) -> Witness {
        Witness::Worker(token(name))
    }

    fn asked() -> LimitedSearch {
        let search = Search { position: Chess::default(), excluded: Vec::new() };
        LimitedSearch { search, limit: Limit::Depth(8) }
    }

    #[test]
    fn one_search_in_n_is_compared() {
        let mut doubles = Doubles::new(3);
        let due: Vec<bool> = (0..6).map(|_| doubles.is_due()).collect();
        assert_eq!(due, [false, false, true, false, false, true]);
        assert!(!(0..9).any(|_| Doubles::new(0).is_due()));
    }

    #[test]
    fn unasked_is_ignored_and_silent_or_gone_is_replaced() {
        let (mut doubles, now) = (Doubles::new(1), Instant::now());
        let number = doubles.begin(asked(), worker("a"), word(1));
        doubles.ask(number, token("b"), now);
        let other = LimitedSearch { limit: Limit::Depth(9), ..asked() };
        assert!(doubles.awaits(number, &token("b"), &asked()));
        assert!(!doubles.awaits(number, &token("b"), &other), "a question of an earlier run");
        assert!(!doubles.awaits(number, &token("c"), &asked()));
        assert!(doubles.overdue(now, |_| true).is_empty());
        assert_eq!(doubles.overdue(now, |_| false), [(number, asked())]);
        assert!(doubles.overdue(now, |_| false).is_empty(), "our engine has it");
        doubles.ask(number, token("b"), now);
        assert_eq!(doubles.overdue(now + PATIENCE, |_| true).len(), 1);
        assert!(!doubles.awaits(number, &token("b"), &asked()));
        assert_eq!(doubles.hear(number, Witness::Own, word(1)), ComparisonOutcome::Agreed);
        let open = (0..2 * MOST).filter(|_| doubles.is_due());
        assert_eq!(open.count(), 2 * MOST, "nothing is left open");
    }

    #[test]
    fn odd_one_of_three_or_against_our_engine_is_found() {
        let mut doubles = Doubles::new(1);
        let number = doubles.begin(asked(), worker("a"), word(1));
        assert_eq!(doubles.hear(number, worker("b"), word(1)), ComparisonOutcome::Agreed);
        let number = doubles.begin(asked(), worker("a"), word(1));
        let differ = doubles.hear(number, worker("b"), word(2));
        assert_eq!(differ, ComparisonOutcome::Differ(asked()));
        assert_eq!(doubles.witnesses(number), [token("a"), token("b")]);
        let ComparisonOutcome::Odd(odd, _) = doubles.hear(number, worker("c"), word(2)) else {
            panic!()
        };
        assert_eq!(odd, [token("a")]);
        let number = doubles.begin(asked(), worker("a"), word(1));
        let ComparisonOutcome::Odd(odd, _) = doubles.hear(number, Witness::Own, word(2)) else {
            panic!()
        };
        assert_eq!(odd, [token("a")]);
    }

    #[test]
    fn two_who_differ_without_a_third_are_odd_in_the_end() {
        let (mut doubles, now) = (Doubles::new(1), Instant::now());
        let number = doubles.begin(asked(), worker("a"), word(1));
        doubles.lack(number, now);
        assert!(!doubles.is_disputed(number));
        assert_eq!(
            doubles.lacking(now + ALONE).first().map(|lacking| lacking.odd.clone()),
            Some(None)
        );
        doubles.hear(number, worker("b"), word(2));
        assert!(doubles.is_disputed(number));
        let odd = |at| doubles.lacking(at).first().and_then(|lacking| lacking.odd.clone());
        assert_eq!(odd(now), None);
        let (workers, _) = odd(now + ALONE).unwrap();
        assert_eq!(workers, [token("a"), token("b")]);
        doubles.ask(number, token("c"), now);
        assert_eq!(doubles.lacking(now + ALONE), []);
    }
}
