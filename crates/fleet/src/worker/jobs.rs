//! A worker's jobs: those searched, those that wait for an engine, and how many more it takes.
//! Without a connection or a clock.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::message::{Job, LimitedSearch, Token};
use crate::subjects::Lane;
use deepanalyze_core::search::Answer;
use deepanalyze_engine::LongSearch;

/// The origin of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Out of a queue, to be taken off there.
    Queue(Lane, u64),
    /// To this worker alone.
    Check,
}

impl Source {
    /// Queue and number of the delivery.
    pub fn place(self) -> Option<(Lane, u64)> {
        match self {
            Source::Queue(lane, delivery) => Some((lane, delivery)),
            Source::Check => None,
        }
    }

    /// The number of the delivery.
    pub fn delivery(self) -> Option<u64> {
        self.place().map(|(_, delivery)| delivery)
    }
}

/// A job.
#[derive(Debug, PartialEq)]
pub struct HeldJob {
    /// The request and its grower.
    pub job: Job,
    /// Its origin.
    pub source: Source,
    /// True if an engine has it.
    pub is_searched: bool,
    came: Instant,
    /// When its grower last wanted it.
    wanted: Instant,
    /// A long search's result not yet reported.
    come_to: Option<Answer>,
}

impl HeldJob {
    fn is_one_of(&self, grower: &Token, jobs: &[Token]) -> bool {
        self.job.grower == *grower && jobs.contains(&self.job.id)
    }

    fn is_long(&self) -> bool {
        self.job.long.is_some()
    }
}

/// An engine's task.
#[derive(Debug)]
pub enum Question {
    /// One search on an empty hash.
    Short(LimitedSearch),
    /// A long one.
    Long(Box<LongSearch>),
}

/// Outcome of a job that came.
#[derive(Debug, PartialEq)]
pub enum Coming {
    /// It is held.
    Held,
    /// It is held already: this delivery is for another worker.
    Twice,
    /// No room is left.
    Full,
    /// It is held instead of a guess that waited.
    InsteadOf(Box<HeldJob>),
}

/// The jobs.
#[derive(Debug, Default)]
pub struct Held {
    jobs: BTreeMap<u64, HeldJob>,
    tickets: u64,
    /// Jobs still to come, by queue.
    coming: [usize; 2],
}

impl Held {
    /// Asks for as many jobs of a queue as there is room for; `None` without room.
    pub fn ask(&mut self, lane: Lane, takes: usize) -> Option<usize> {
        let queued = self.queued();
        let coming = self.coming_of(lane);
        let room = takes.saturating_sub(queued + *coming);
        *coming += room;
        (room > 0).then_some(room)
    }

    /// Notes that this many do not come.
    pub fn no_more(&mut self, lane: Lane, missing: usize) {
        let coming = self.coming_of(lane);
        *coming = coming.saturating_sub(missing);
    }

    /// Takes a job. Requests to both queues may add up to too much.
    pub fn come(&mut self, job: Job, source: Source, takes: usize, now: Instant) -> Coming {
        if let Source::Queue(lane, _) = source {
            self.no_more(lane, 1);
        }
        let is_same = |held: &HeldJob| (&held.job.grower, &held.job.id) == (&job.grower, &job.id);
        if self.jobs.values().any(is_same) {
            return Coming::Twice;
        }
        if source.delivery().is_some() && self.queued() >= takes {
            return self.come_instead(job, source, now);
        }
        self.hold(job, source, now);
        Coming::Held
    }

    /// Puts a required job in place of the last guess that no engine has.
    fn come_instead(&mut self, job: Job, source: Source, now: Instant) -> Coming {
        let is_waiting_guess = |held: &HeldJob| {
            !held.is_searched && matches!(held.source, Source::Queue(Lane::Guess, _))
        };
        let guess = self.jobs.iter().rev().find(|(_, held)| is_waiting_guess(held));
        let guess = guess.map(|(ticket, _)| *ticket);
        if let Source::Queue(Lane::Required, _) = source
            && let Some(guess) = guess.and_then(|ticket| self.jobs.remove(&ticket))
        {
            self.hold(job, source, now);
            return Coming::InsteadOf(Box::new(guess));
        }
        Coming::Full
    }

    fn hold(&mut self, job: Job, source: Source, now: Instant) {
        self.tickets += 1;
        let (is_searched, came, wanted, come_to) = (false, now, now, None);
        let held = HeldJob { job, source, is_searched, came, wanted, come_to };
        self.jobs.insert(self.tickets, held);
    }

    /// The next search: checks first, then required ones. It counts as begun.
    pub fn begin(&mut self) -> Option<(u64, Question)> {
        let rank = |source: Source| match source {
            Source::Check => 0,
            Source::Queue(Lane::Required, _) => 1,
            Source::Queue(Lane::Guess, _) => 2,
        };
        let waiting = self.jobs.iter_mut().filter(|(_, held)| !held.is_searched);
        let (ticket, held) = waiting.min_by_key(|(ticket, held)| (rank(held.source), **ticket))?;
        held.is_searched = true;
        let asked = held.job.asked.clone();
        let question = match &held.job.long {
            Some(long) => Question::Long(Box::new(long.search(asked, held.came))),
            None => Question::Short(asked),
        };
        Some((*ticket, question))
    }

    /// Notes a long search's state.
    pub fn come_to(&mut self, ticket: u64, answer: Answer) {
        if let Some(held) = self.jobs.get_mut(&ticket) {
            held.come_to = Some(answer);
        }
    }

    /// Takes long searches' progress since the last call.
    pub fn news(&mut self) -> Vec<(Job, Answer)> {
        let news = self.jobs.values_mut().filter_map(|held| {
            let answer = held.come_to.take()?;
            Some((held.job.clone(), answer))
        });
        news.collect()
    }

    /// Renews these jobs.
    pub fn want(&mut self, grower: &Token, jobs: &[Token], now: Instant) {
        let is_one = |held: &&mut HeldJob| held.is_one_of(grower, jobs);
        self.jobs.values_mut().filter(is_one).for_each(|held| held.wanted = now);
    }

    /// Removes long searches not wanted for this time.
    pub fn unwanted(&mut self, time: Duration, now: Instant) -> Vec<(u64, HeldJob)> {
        let is_unwanted =
            |held: &HeldJob| held.is_long() && now.saturating_duration_since(held.wanted) >= time;
        self.jobs.extract_if(.., |_, held| is_unwanted(held)).collect()
    }

    /// Number of long searches.
    pub fn long(&self) -> usize {
        self.jobs.values().filter(|held| held.is_long()).count()
    }

    /// Ends a search.
    pub fn end(&mut self, ticket: u64) -> Option<HeldJob> {
        self.jobs.remove(&ticket)
    }

    /// Removes cancelled jobs.
    pub fn cancel(&mut self, grower: &Token, jobs: &[Token]) -> Vec<(u64, HeldJob)> {
        self.jobs.extract_if(.., |_, held| held.is_one_of(grower, jobs)).collect()
    }

    /// Makes these required.
    pub fn require(&mut self, grower: &Token, jobs: &[Token]) {
        for held in self.jobs.values_mut().filter(|held| held.is_one_of(grower, jobs)) {
            if let Source::Queue(lane, _) = &mut held.source {
                *lane = Lane::Required;
            }
        }
    }

    /// Removes all that no engine has, but those for this worker alone.
    pub fn give_back(&mut self) -> Vec<HeldJob> {
        let is_one = |held: &HeldJob| !held.is_searched && held.source != Source::Check;
        let all = self.jobs.extract_if(.., |_, held| is_one(held));
        all.map(|(_, held)| held).collect()
    }

    /// Removes all.
    pub fn all(&mut self) -> Vec<HeldJob> {
        std::mem::take(&mut self.jobs).into_values().collect()
    }

    /// Jobs with an engine.
    pub fn searched(&self) -> usize {
        self.jobs.values().filter(|held| held.is_searched).count()
    }

    /// Names of all.
    pub fn names(&self) -> Vec<Token> {
        self.jobs.values().map(|held| held.job.id.clone()).collect()
    }

    /// Number from queues.
    fn queued(&self) -> usize {
        self.jobs.values().filter(|held| held.source != Source::Check).count()
    }

    fn coming_of(&mut self, lane: Lane) -> &mut usize {
        let [required, guesses] = &mut self.coming;
        if lane == Lane::Required { required } else { guesses }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Chess;

    use super::*;
    use crate::message::LongPart;
    use deepanalyze_core::search::{Limit, Search};
    use deepanalyze_engine::LongEnd;

    fn token(text: &str) -> Token {
        Token::try_from(text.to_owned()).unwrap()
    }

    fn job(id: &str) -> Job {
        let search = Search { position: Chess::default(), excluded: Vec::new() };
        let asked = LimitedSearch { search, limit: Limit::Depth(8) };
        let (id, grower, engine) = (token(id), token("grower"), token("engine"));
        Job { id, grower, engine, asked, long: None }
    }

    fn queue(lane: Lane) -> Source {
        Source::Queue(lane, 7)
    }

    #[test]
    fn jobs_are_asked_by_room_and_the_excess_goes_back() {
        let mut held = Held::default();
        assert_eq!(held.ask(Lane::Required, 3), Some(3));
        assert_eq!(held.ask(Lane::Guess, 3), Some(3));
        assert_eq!(held.ask(Lane::Required, 3), None);
        for id in ["a", "b"] {
            assert_eq!(held.come(job(id), queue(Lane::Required), 3, Instant::now()), Coming::Held);
        }
        assert_eq!(held.come(job("b"), queue(Lane::Required), 3, Instant::now()), Coming::Twice);
        assert_eq!(held.come(job("c"), queue(Lane::Guess), 3, Instant::now()), Coming::Held);
        assert_eq!(held.come(job("d"), queue(Lane::Guess), 3, Instant::now()), Coming::Full);
        assert_eq!(held.come(job("check"), Source::Check, 3, Instant::now()), Coming::Held);
        held.no_more(Lane::Guess, 1);
        let (first, _) = held.begin().unwrap();
        assert_eq!(held.end(first).map(|held| held.job.id), Some(token("check")));
        let (second, _) = held.begin().unwrap();
        held.end(second);
        assert_eq!(held.ask(Lane::Guess, 3), Some(1));
    }

    #[test]
    fn required_job_replaces_a_waiting_guess() {
        let mut held = Held::default();
        for id in ["a", "b"] {
            assert_eq!(held.come(job(id), queue(Lane::Guess), 2, Instant::now()), Coming::Held);
        }
        held.begin();
        let coming = held.come(job("c"), queue(Lane::Required), 2, Instant::now());
        let Coming::InsteadOf(guess) = coming else { panic!("{coming:?}") };
        assert_eq!(guess.job.id, token("b"));
        assert_eq!(held.come(job("d"), queue(Lane::Required), 2, Instant::now()), Coming::Full);
        assert_eq!(held.come(job("c"), queue(Lane::Required), 2, Instant::now()), Coming::Twice);
        assert_eq!(held.names().len(), 2);
    }

    #[test]
    fn what_somebody_waits_for_is_searched_before_guesses() {
        let mut held = Held::default();
        held.ask(Lane::Guess, 9);
        for id in ["a", "b", "c"] {
            held.come(job(id), queue(Lane::Guess), 9, Instant::now());
        }
        held.come(job("d"), queue(Lane::Required), 9, Instant::now());
        held.require(&token("other"), &[token("a")]);
        held.require(&token("grower"), &[token("c")]);
        let begun = std::iter::from_fn(|| held.begin().map(|(ticket, _)| ticket));
        assert_eq!(begun.collect::<Vec<_>>(), [3, 4, 1, 2]);
    }

    #[test]
    fn what_is_cancelled_or_given_back_is_held_no_longer() {
        let mut held = Held::default();
        for id in ["a", "b", "c", "d"] {
            held.come(job(id), queue(Lane::Required), 9, Instant::now());
        }
        held.begin();
        assert_eq!(held.cancel(&token("other"), &[token("a")]).len(), 0);
        assert_eq!(held.cancel(&token("grower"), &[]).len(), 0, "none are not all");
        assert_eq!(held.cancel(&token("grower"), &[token("b"), token("x")]).len(), 1);
        assert_eq!((held.give_back().len(), held.searched(), held.names().len()), (2, 1, 1));
        assert_eq!(held.cancel(&token("grower"), &[token("a")]).len(), 1, "it is searched");
        assert!(held.names().is_empty());
    }

    fn long_job(id: &str) -> Job {
        let search = LongSearch {
            search: Search { position: Chess::default(), excluded: Vec::new() },
            end: LongEnd::At(Limit::Nodes(9)),
            threads: 1,
        };
        Job { long: Some(LongPart::of(&search, Instant::now())), ..job(id) }
    }

    #[test]
    fn long_search_begins_first_and_lasts_while_wanted() {
        let (mut held, now) = (Held::default(), Instant::now());
        let grower = token("grower");
        held.come(job("a"), queue(Lane::Required), 9, now);
        held.come(long_job("b"), Source::Check, 0, now);
        assert_eq!((held.long(), held.give_back().len(), held.long()), (1, 1, 1));
        let Some((ticket, Question::Long(long))) = held.begin() else { panic!() };
        assert_eq!(long.end, LongEnd::At(Limit::Nodes(9)));
        let minute = Duration::from_secs(60);
        held.want(&grower, &[token("b")], now + minute);
        assert!(held.unwanted(minute, now + minute).is_empty());
        let pv: Vec<_> = deepanalyze_core::chess::parse_uci("e2e4").into_iter().collect();
        let (best, score, time) = (pv[0], deepanalyze_core::chess::Score::Cp(3), minute);
        let answer = Answer { best, score, wdl: None, depth: 3, seldepth: 3, nodes: 9, time, pv };
        for depth in [3, 4] {
            held.come_to(ticket, Answer { depth, ..answer.clone() });
        }
        assert_eq!(held.news(), [(long_job("b"), Answer { depth: 4, ..answer })]);
        assert_eq!(held.news(), []);
        held.come(job("c"), Source::Check, 0, now);
        let unwanted = held.unwanted(minute, now + 2 * minute);
        assert_eq!(unwanted.iter().map(|(ticket, _)| *ticket).collect::<Vec<_>>(), [ticket]);
        assert_eq!(held.names(), [token("c")]);
    }
}
