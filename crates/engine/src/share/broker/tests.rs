use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use shakmaty::Chess;

use super::*;
use crate::Event;
use deepanalyze_core::chess::{Score, parse_uci};
use deepanalyze_core::search::{Answer, Limit, Search};

/// Engines in real time, which answer at once.
struct Quick {
    profile: Profile,
    events: VecDeque<Event>,
}

impl Engines for Quick {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn submit(&mut self, ticket: u64, _: Search, _: Limit, _: bool) {
        let best = parse_uci("e2e4").unwrap();
        let (score, time, pv) = (Score::Cp(1), Duration::ZERO, vec![best]);
        let answer = Answer { best, score, wdl: None, depth: 1, seldepth: 1, nodes: 1, time, pv };
        self.events.push_back(Event::Answered { ticket, answer, worker: None });
    }

    fn long_searches(&self) -> usize {
        4
    }

    fn threads(&self) -> usize {
        4
    }

    fn withdraw(&mut self) -> Vec<u64> {
        Vec::new()
    }

    fn up(&self) -> usize {
        1
    }

    fn now(&self) -> Instant {
        Instant::now()
    }

    fn wait(&mut self, wake: &Receiver<()>, _: Option<Instant>) -> Wakeup {
        if let Some(event) = self.events.pop_front() {
            return Wakeup::Event(event);
        }
        wake.recv().unwrap();
        Wakeup::Control
    }

    fn poll(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn is_quiet(&self) -> bool {
        self.events.is_empty()
    }
}

fn quick() -> Box<dyn Engines> {
    let (engine, options, limit) = ("Quick".to_owned(), BTreeMap::new(), Limit::Depth(1));
    let profile = Profile { engine, options, limit, kept_hash: None };
    Box::new(Quick { profile, events: VecDeque::new() })
}

#[test]
fn real_time_runs_wake_by_answer_control_and_clock() {
    let (share, orphans) = EngineShare::start(quick, || ()).unwrap();
    let mut runs = [1, 2].map(|key| share.join(RunKey(key), 1));
    let (waker, wake) = bounded(1);
    for run in &mut runs {
        let search = Search { position: Chess::default(), excluded: Vec::new() };
        run.submit(3, search, Limit::Depth(1), false);
    }
    for run in &mut runs {
        let wakeup = run.wait(&wake, None);
        assert!(matches!(wakeup, Wakeup::Event(Event::Answered { ticket: 3, .. })), "{wakeup:?}");
        let now = run.now();
        assert!(matches!(run.wait(&wake, Some(now)), Wakeup::Time));
    }
    waker.send(()).unwrap();
    assert!(matches!(runs[0].wait(&wake, None), Wakeup::Control));
    assert_eq!(share.states().searches, 2);
    let [first, second] = runs;
    assert_eq!(first.threads(), 1, "its engines are another's, too");
    drop(second);
    assert_eq!(first.threads(), 4);
    let mut runs = [first];
    drop(share);
    assert!(orphans.recv().is_err(), "the engines are gone");
    for run in &mut runs {
        assert!(matches!(run.wait(&wake, None), Wakeup::Event(Event::Broken)));
    }
}
