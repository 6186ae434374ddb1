use std::collections::BTreeMap;
use std::time::Duration;

use crossbeam_channel::{Sender, unbounded};
use shakmaty::Chess;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::oneshot;

use super::*;
use crate::link::{Connection, GrowerEvent, Link};
use crate::message::{JobReply, WorkerState, decode};
use deepanalyze_core::chess::{Score, parse_uci};
use deepanalyze_core::search::{Answer, Limit, Profile, Search};
use deepanalyze_engine::{Engines, LongEnd};

use crate::grower::FleetPlan;
use crate::grower::workers::WorkerStanding;

const MINUTE: Duration = Duration::from_secs(60);

/// A grower without own engines, and the other end of its connection.
struct Fleet {
    engines: FleetEngines,
    said: UnboundedReceiver<GrowerCommand>,
    events: Sender<GrowerEvent>,
}

/// A long search that a worker was given.
#[derive(Debug, Clone, PartialEq)]
struct Given {
    worker: String,
    job: Job,
}

fn token(text: &str) -> Token {
    Token::try_from(text.to_owned()).unwrap()
}

fn state(worker: &str, engines: usize, jobs: &[&Job]) -> WorkerState {
    WorkerState {
        worker: token(worker),
        name: worker.to_owned(),
        engine: token("engine"),
        engine_name: "Engine".to_owned(),
        options: BTreeMap::new(),
        engines,
        takes: engines,
        busy: 0,
        jobs: jobs.iter().map(|job| job.id.clone()).collect(),
        answered: 0,
        failed: 0,
        faults: 0,
        nodes: 0,
        seconds: 0,
        rests: None,
        leaves: false,
    }
}

fn long(end: LongEnd) -> LongSearch {
    let excluded = vec![parse_uci("g1f3").unwrap()];
    let search = Search { position: Chess::default(), excluded };
    LongSearch { search, end, threads: 1 }
}

fn answer(best: &str, depth: u32) -> Answer {
    let best = parse_uci(best).unwrap();
    let (score, time, pv) = (Score::Cp(7), Duration::ZERO, vec![best]);
    Answer { best, score, wdl: None, depth, seldepth: depth, nodes: 1000, time, pv }
}

impl Fleet {
    /// With trusted workers of this many engines each.
    fn with(workers: &[(&str, usize)]) -> Fleet {
        let (commands, said) = unbounded_channel();
        let (events, heard) = unbounded();
        let (closing, _) = oneshot::channel();
        let link = Link::new(commands, heard, closing, std::thread::spawn(|| {}));
        let plan = FleetPlan {
            grower: token("grower"),
            name: "grower".to_owned(),
            searches_here: false,
            one_in: 0,
        };
        let limit = Limit::Depth(8);
        let (engine, options) = ("Engine".to_owned(), BTreeMap::new());
        let profile = Profile { engine, options, limit, kept_hash: None };
        let known = (profile, token("engine"));
        let engines = FleetEngines::of_workers_alone(plan, known, link).unwrap();
        let mut fleet = Fleet { engines, said, events };
        fleet.hear(GrowerEvent::Connection(Connection::Up));
        for (worker, engines) in workers {
            fleet.sign(&state(worker, *engines, &[]));
            fleet.engines.workers.set_standing(&token(worker), WorkerStanding::Trusted);
        }
        fleet.told();
        fleet
    }

    fn hear(&mut self, event: GrowerEvent) {
        self.events.send(event).unwrap();
        self.engines.gather();
    }

    fn sign(&mut self, state: &WorkerState) {
        self.hear(GrowerEvent::Worker(state.worker.to_string(), encode(state)));
    }

    /// A worker's reply about a search that it was given.
    fn reply(&mut self, given: &Given, outcome: Outcome) {
        let Job { id, engine, asked, .. } = given.job.clone();
        let reply = JobReply { id, engine, worker: token(&given.worker), asked, outcome };
        let (worker, message, confirm) = (given.worker.clone(), encode(&reply), None);
        self.hear(GrowerEvent::Answer { worker, message, confirm });
    }

    /// Makes the next look due, and looks.
    fn look(&mut self) {
        self.engines.next_look = Instant::now();
        self.engines.look();
    }

    /// The run's events, but notices.
    fn told(&mut self) -> Vec<Event> {
        let events = std::iter::from_fn(|| self.engines.poll());
        events.filter(|event| !matches!(event, Event::Notice(_))).collect()
    }

    /// The long searches given to workers, and the names of those cancelled.
    fn said(&mut self) -> (Vec<Given>, Vec<String>) {
        let (mut given, mut ended) = (Vec::new(), Vec::new());
        while let Ok(command) = self.said.try_recv() {
            match command {
                GrowerCommand::Check(worker, job) => {
                    let job: Job = decode(&job).unwrap();
                    let worker = worker.to_string();
                    given.extend(job.long.is_some().then_some(Given { worker, job }));
                }
                GrowerCommand::Order(order) => {
                    if let Order::Cancel { jobs, .. } = decode(&order).unwrap() {
                        ended.extend(jobs.iter().map(ToString::to_string));
                    }
                }
                _ => {}
            }
        }
        (given, ended)
    }

    fn given(&mut self) -> Vec<Given> {
        self.said().0
    }

    /// Submits a search for a minute from now; its borrower.
    fn submit(&mut self, ticket: u64) -> Given {
        self.engines.submit_long(ticket, long(LongEnd::Until(Instant::now() + MINUTE)));
        let given = self.given().pop().unwrap();
        assert!(matches!(self.told()[..], [Event::Started { ticket: of }] if of == ticket));
        given
    }
}

#[test]
fn each_engine_of_a_worker_takes_one_and_reports() {
    let mut fleet = Fleet::with(&[("a", 1), ("b", 2)]);
    assert_eq!(fleet.engines.long_searches(), 3);
    let given: Vec<Given> = (1..=3).map(|ticket| fleet.submit(ticket)).collect();
    let mut workers: Vec<&str> = given.iter().map(|given| &*given.worker).collect();
    workers.sort_unstable();
    assert_eq!(workers, ["a", "b", "b"]);
    fleet.engines.submit_long(4, long(LongEnd::At(Limit::Depth(30))));
    assert_eq!(fleet.given(), [], "all engines have one");

    let first = &given[0];
    fleet.reply(first, Outcome::Iteration(answer("e2e4", 3)));
    let told = fleet.told();
    assert!(matches!(&told[..], [Event::Iteration { ticket: 1, answer }] if answer.depth == 3));
    fleet.reply(first, Outcome::Answered(answer("d2d4", 4)));
    let told = fleet.told();
    let [Event::Answered { ticket: 1, worker: Some(worker), .. }] = &told[..] else {
        panic!("{told:?}")
    };
    assert_eq!(worker.as_str(), first.worker);
    // Its engine is free for the one that waits.
    fleet.look();
    let [next] = &fleet.given()[..] else { panic!() };
    assert_eq!(next.worker, first.worker);
    fleet.engines.abandon(4);
    assert_eq!(fleet.said().1, [next.job.id.to_string()]);
    fleet.reply(next, Outcome::Answered(answer("d2d4", 30)));
    assert!(fleet.told().iter().all(|event| matches!(event, Event::Started { .. })));
}

#[test]
fn what_a_worker_has_that_is_gone_is_another_s() {
    let mut fleet = Fleet::with(&[("a", 2), ("b", 1)]);
    let given = fleet.submit(1);
    assert_eq!(given.worker, "a");
    fleet.sign(&WorkerState { leaves: true, ..state("a", 2, &[]) });
    fleet.look();
    let (again, ended) = fleet.said();
    assert_eq!(ended, [given.job.id.to_string()]);
    assert_eq!(again[0].worker, "b");
    fleet.reply(&given, Outcome::Iteration(answer("e2e4", 9)));
    assert!(fleet.told().iter().all(|event| matches!(event, Event::Started { .. })));
    // It was only slow to be heard, and goes on.
    fleet.sign(&state("a", 2, &[&given.job]));
    assert_eq!(fleet.said().1, [given.job.id.to_string()]);
}

#[test]
fn search_without_workers_in_time_fails() {
    let mut fleet = Fleet::with(&[("a", 1)]);
    fleet.submit(1);
    let soon = Instant::now() + Duration::from_millis(900);
    fleet.engines.submit_long(2, long(LongEnd::Until(soon)));
    fleet.look();
    assert!(matches!(fleet.told()[..], [Event::Failed { ticket: 2, .. }]));
}

#[test]
fn invalid_answers_are_dropped_and_end_in_quarantine() {
    let mut fleet = Fleet::with(&[("a", 3), ("b", 1)]);
    let given = fleet.submit(1);
    assert_eq!(given.worker, "a");
    fleet.reply(&given, Outcome::Iteration(answer("e2e4", 3)));
    assert_eq!(fleet.told().len(), 1);
    let fine = fleet.submit(2);
    assert_eq!(fine.worker, "a");
    fleet.reply(&fine, Outcome::Iteration(answer("e2e4", 3)));
    fleet.told();
    let mut bad = given.clone();
    // An excluded move, an illegal one, an invalid score.
    let mate = Answer { score: Score::Mate(0), ..answer("e2e4", 4) };
    for said in [answer("g1f3", 4), answer("e2e5", 4), mate] {
        assert_eq!(bad.worker, "a");
        fleet.reply(&bad, Outcome::Iteration(said));
        assert!(fleet.said().1.contains(&bad.job.id.to_string()));
        fleet.look();
        bad = fleet.given().pop().unwrap_or(bad);
    }
    let told = fleet.told();
    let faults = told.iter().filter(|event| matches!(event, Event::Fault { .. })).count();
    assert_eq!(faults, 2);
    let is_retracted = |event: &Event| matches!(event, Event::Retracted { ticket: 2 });
    assert!(told.iter().any(is_retracted), "{told:?}");
    assert!(told.iter().any(|event| matches!(event, Event::Quarantined { .. })));
    assert!(told.iter().any(|event| matches!(event, Event::Failed { ticket: 1, .. })));
    assert_eq!((bad.worker.as_str(), bad.job.asked.clone()), ("b", fine.job.asked));
}

#[test]
fn other_version_or_quarantined_worker_is_never_asked() {
    let mut fleet = Fleet::with(&[]);
    let of_nobody = fleet.engines.long_searches();
    assert_eq!(of_nobody, 1, "somebody may come");
    let old = String::from_utf8(encode(&state("old", 4, &[]))).unwrap();
    let old = old.replace("\"v\":3", "\"v\":2").into_bytes();
    fleet.hear(GrowerEvent::Worker("old".to_owned(), old));
    fleet.sign(&state("new", 4, &[]));
    assert_eq!(fleet.engines.long_searches(), of_nobody);
    fleet.engines.submit_long(1, long(LongEnd::Until(Instant::now() + MINUTE)));
    assert_eq!(fleet.given(), []);
}

#[test]
fn engines_on_other_runs_long_searches_do_not_count() {
    let mut fleet = Fleet::with(&[("a", 2)]);
    let given = fleet.submit(1);
    let other = Job { id: token("long-other-1-1"), ..given.job.clone() };
    fleet.sign(&state("a", 2, &[&given.job, &other]));
    assert_eq!(fleet.engines.long_searches(), 1);
    fleet.engines.submit_long(2, long(LongEnd::At(Limit::Depth(9))));
    assert_eq!(fleet.given(), []);
}
