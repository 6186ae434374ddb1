use proptest::prelude::*;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// Runs that always have searches in the queue, and engines, in a time of their own.
struct Play {
    shares: FairQueue,
    began: Instant,
    now: Duration,
    tickets: u64,
    /// Searches under way by their end, with their run and length.
    under_way: BTreeMap<(Duration, u64), (usize, Duration)>,
    members: Vec<Member>,
    /// Lengths of each run's searches, one after the other, again and again.
    lengths: Vec<Vec<u64>>,
    asked: Tickets,
    /// Engine time of each run's ended searches.
    ended: Vec<Duration>,
    /// Searches begun, by run.
    begun: Vec<usize>,
}

type Tickets = BTreeMap<u64, (usize, Duration)>;

impl Play {
    /// Engines, and runs by their weights and the milliseconds that their searches take.
    fn new(engines: usize, runs: &[(u32, &[u64])]) -> Play {
        let mut shares = FairQueue::default();
        shares.set_engines(engines);
        let members = runs.iter().map(|(weight, _)| shares.join(*weight)).collect();
        Play {
            shares,
            began: Instant::now(),
            now: Duration::ZERO,
            tickets: 0,
            under_way: BTreeMap::new(),
            members,
            lengths: runs.iter().map(|(_, lengths)| lengths.to_vec()).collect(),
            asked: BTreeMap::new(),
            ended: vec![Duration::ZERO; runs.len()],
            begun: Vec::new(),
        }
    }

    fn at(&self) -> Instant {
        self.began + self.now
    }

    /// Puts a search of a run in the queue.
    fn ask(&mut self, run: usize) {
        self.tickets += 1;
        let lengths = &self.lengths[run];
        let length = lengths[self.tickets as usize % lengths.len()];
        self.asked.insert(self.tickets, (run, Duration::from_millis(length)));
        self.shares.queue(self.members[run], self.tickets, self.at());
    }

    /// Keeps `count` searches of these runs in the queue.
    fn fill(&mut self, runs: &[usize], count: usize) {
        for run in runs {
            let member = self.members[*run];
            let queued = self.shares.members[&member].queue.len();
            (queued..count).for_each(|_| self.ask(*run));
        }
    }

    /// Begins queued searches.
    fn begin(&mut self) {
        while let Some(ticket) = self.shares.next(self.at()) {
            let (run, length) = self.asked.remove(&ticket).unwrap();
            self.begun.push(run);
            self.shares.begun(ticket, self.at());
            self.under_way.insert((self.now + length, ticket), (run, length));
        }
    }

    /// Advances to the next end of a search.
    fn step(&mut self) {
        let ((end, ticket), (run, length)) = self.under_way.pop_first().unwrap();
        self.now = end;
        self.ended[run] += length;
        self.shares.ended(ticket, self.at());
    }

    /// Lets the runs search for a time, each with a full queue.
    fn go_on(&mut self, runs: &[usize], time: Duration) {
        let until = self.now + time;
        while self.now < until {
            self.fill(runs, 3);
            self.begin();
            self.step();
        }
    }

    /// Engine time of a run so far.
    fn used(&self, run: usize) -> Duration {
        let mine = self.under_way.iter().filter(|(_, (other, _))| *other == run);
        let parts = mine.map(|((end, _), (_, length))| *length - (*end - self.now));
        self.ended[run] + parts.sum::<Duration>()
    }
}

#[test]
fn long_search_yields_only_to_runs_that_used_less() {
    let (mut shares, now) = (FairQueue::default(), Instant::now());
    shares.set_engines(2);
    let (one, other) = (shares.join(1), shares.join(1));
    assert_eq!((shares.share(one), shares.up(one)), (1, 2), "what is free is nobody's own");
    shares.queue_long(one, 1, now);
    shares.queue_long(other, 2, now);
    assert_eq!([shares.next(now), shares.next(now)], [Some(1), Some(2)]);
    let later = now + Duration::from_secs(60);
    assert_eq!(shares.giving_way(later), [0; 0], "nobody waits");
    shares.queue(one, 3, later);
    assert_eq!(shares.giving_way(later), [0; 0], "both have used as much");
    shares.ended(2, later);
    assert_eq!(shares.next(later), Some(3));
    let new = shares.join(1);
    shares.queue(new, 4, later);
    assert_eq!(shares.giving_way(later + LEAD / 2), [0; 0], "it has just come");
    assert_eq!(shares.giving_way(later + 2 * LEAD), [1], "and not the short one of the same run");
    shares.ended(1, later + 2 * LEAD);
    assert_eq!(shares.next(later + 2 * LEAD), Some(4));
}

#[test]
fn engine_time_follows_weight_at_any_search_length() {
    let mut play = Play::new(1, &[(1, &[10]), (3, &[10])]);
    play.go_on(&[0, 1], 40 * SECOND);
    assert_eq!([play.used(0), play.used(1)], [10 * SECOND, 30 * SECOND]);
    let mut play = Play::new(3, &[(1, &[100, 300]), (3, &[7, 11])]);
    play.go_on(&[0, 1], 100 * SECOND);
    let share = play.used(0).as_secs_f64() / play.now.as_secs_f64() / 3.0;
    assert!((0.24..0.26).contains(&share), "{share}");
}

#[test]
fn engines_free_at_once_do_not_all_go_to_one_run() {
    let mut play = Play::new(4, &[(1, &[10]), (1, &[10])]);
    play.go_on(&[0, 1], Duration::from_millis(10));
    // From here on all four become free together.
    while !play.under_way.is_empty() {
        play.step();
    }
    play.begun.clear();
    play.fill(&[0, 1], 4);
    play.begin();
    play.begun.sort_unstable();
    assert_eq!(play.begun, [0, 0, 1, 1]);
}

#[test]
fn idle_engine_serves_any_run_without_later_charge() {
    let mut play = Play::new(2, &[(1, &[10]), (1, &[10])]);
    play.go_on(&[0], 60 * SECOND);
    assert!(play.used(0) >= 119 * SECOND, "an engine was idle");
    let before = play.used(0);
    play.go_on(&[0, 1], 10 * SECOND);
    let (one, other) = (play.used(0) - before, play.used(1));
    let apart = one.max(other) - one.min(other);
    assert!(apart <= Duration::from_millis(50), "who was away gets {other:?}, the other {one:?}");
}

#[test]
fn a_new_run_begins_where_the_others_are() {
    let mut play = Play::new(1, &[(1, &[10])]);
    play.go_on(&[0], 60 * SECOND);
    let late = play.shares.join(1);
    play.members.push(late);
    play.lengths.push(vec![10]);
    play.ended.push(Duration::ZERO);
    let before = play.used(0);
    play.go_on(&[0, 1], 2 * SECOND);
    assert!(play.used(0) - before >= Duration::from_millis(980), "{:?}", play.used(0) - before);
    assert!(play.used(1) >= Duration::from_millis(980), "{:?}", play.used(1));
}

#[test]
fn run_may_ask_for_its_share_and_free_engines() {
    let mut shares = FairQueue::default();
    shares.set_engines(8);
    let (now, [one, other]) = (Instant::now(), [1, 3].map(|weight| shares.join(weight)));
    assert_eq!([shares.up(one), shares.up(other)], [8, 8], "all are free");
    (0..8).for_each(|ticket| shares.queue(one, ticket, now));
    (0..8).for_each(|ticket| assert_eq!(shares.next(now), Some(ticket)));
    assert_eq!(shares.up(one), 2, "its share, and no more");
    assert_eq!(shares.up(other), 6);
    (8..14).for_each(|ticket| shares.queue(other, ticket, now));
    assert_eq!(shares.up(other), 6);
    let many: Vec<Member> = (0..20).map(|_| shares.join(1)).collect();
    assert!(many.into_iter().all(|member| shares.up(member) == 1), "each at least one");
}

#[test]
fn refused_run_is_woken_once_when_an_engine_is_free() {
    let mut shares = FairQueue::default();
    shares.set_engines(1);
    let (now, [one, other]) = (Instant::now(), [1, 1].map(|weight| shares.join(weight)));
    shares.queue(one, 1, now);
    assert_eq!(shares.next(now), Some(1));
    shares.queue(other, 2, now);
    assert_eq!([shares.up(one), shares.up(other)], [1, 1]);
    assert_eq!(shares.fed(), []);
    shares.ended(1, now + SECOND);
    assert_eq!(shares.fed(), [one], "the engine is the other's, and one has its share free");
    assert_eq!(shares.fed(), []);
    assert_eq!(shares.next(now), Some(2));
    shares.ended(2, now + 2 * SECOND);
    assert_eq!(shares.fed(), [other]);
}

#[test]
fn leaving_run_drops_its_queue_and_keeps_its_engine() {
    let mut shares = FairQueue::default();
    shares.set_engines(1);
    let (now, [one, other]) = (Instant::now(), [1, 1].map(|weight| shares.join(weight)));
    (1..=3).for_each(|ticket| shares.queue(one, ticket, now));
    assert_eq!(shares.next(now), Some(1));
    assert_eq!(shares.withdraw(one), [2, 3]);
    shares.queue(one, 4, now);
    assert_eq!(shares.leave(one), [4]);
    shares.queue(other, 5, now);
    assert_eq!(shares.next(now), None, "the engine still searches");
    shares.adopt(other, 1);
    shares.ended(1, now + SECOND);
    assert_eq!(shares.used(other, now + SECOND), SECOND, "who took it over has had it");
    assert_eq!(shares.next(now + SECOND), Some(5));
}

proptest! {
    /// While all runs have something in the queue, what they get in proportion to their weights
    /// differs by no more than the searches can that are under way, and no engine is ever idle.
    #[test]
    fn shares_stay_within_the_searches_under_way(
        engines in 1_usize..6,
        runs in prop::collection::vec((1_u32..10, prop::collection::vec(1_u64..200, 1..5)), 2..6),
    ) {
        let described: Vec<(u32, &[u64])> =
            runs.iter().map(|(weight, lengths)| (*weight, lengths.as_slice())).collect();
        let mut play = Play::new(engines, &described);
        let all: Vec<usize> = (0..runs.len()).collect();
        let longest = Duration::from_millis(*runs.iter().flat_map(|run| &run.1).max().unwrap());
        for _ in 0..500 {
            play.fill(&all, engines + 1);
            play.begin();
            prop_assert_eq!(play.under_way.len(), engines);
            play.step();
            for one in &all {
                for other in &all {
                    let [mine, theirs] = [*one, *other].map(|run| (play.used(run), runs[run].0));
                    let ahead = (mine.0 / mine.1).saturating_sub(theirs.0 / theirs.1);
                    let bound = (longest / mine.1 + longest / theirs.1) * (2 * engines as u32);
                    prop_assert!(ahead <= bound, "{:?} against {:?}", mine, theirs);
                }
            }
        }
    }
}
