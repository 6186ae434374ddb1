use std::time::Duration;

use super::*;
use crate::PoolNotice;
use crate::error::{EngineError, Reason};
use deepanalyze_core::chess::{Score, parse_fen, parse_uci};
use deepanalyze_core::search::{Answer, Limit, Search};

fn question(fen: &str, limit: u32) -> SharedQuestion {
    let search = Search { position: parse_fen(fen).unwrap(), excluded: Vec::new() };
    SharedQuestion {
        search,
        limit: Limit::Depth(limit),
        keep_hash: false,
        is_guess: false,
        long: None,
    }
}

fn start() -> SharedQuestion {
    question("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 10)
}

fn answer() -> Answer {
    let best = parse_uci("e2e4").unwrap();
    let (score, time) = (Score::Cp(1), Duration::ZERO);
    Answer { best, score, wdl: None, depth: 1, seldepth: 1, nodes: 7, time, pv: vec![best] }
}

fn answered(ticket: u64) -> Event {
    Event::Answered { ticket, answer: answer(), worker: None }
}

fn fault() -> EngineError {
    EngineError::new("Some", Reason::Stopped)
}

/// One engine and two runs.
fn dispatcher() -> (Dispatcher, Joined, Joined, Instant) {
    let mut dispatcher = Dispatcher::new(1, Instant::now());
    let [one, other] = [1, 2].map(|key| dispatcher.join(RunKey(key), 1));
    (dispatcher, one, other, Instant::now())
}

#[test]
fn runs_hear_of_their_searches_by_their_tickets() {
    let (mut dispatcher, one, other, now) = dispatcher();
    dispatcher.submit(one.member, 5, start(), now);
    dispatcher.submit(other.member, 5, question("4k3/8/8/8/8/8/4P3/4K3 w - -", 10), now);
    let begun = dispatcher.begin(now);
    assert_eq!(begun.len(), 1, "there is one engine");
    let ticket = begun[0].0;
    dispatcher.take(Event::Started { ticket }, now);
    dispatcher.take(Event::Fault { ticket: Some(ticket), error: fault(), attempt: 1 }, now);
    assert!(dispatcher.take(answered(ticket), now).is_none());
    let heard: Vec<Event> = one.events.try_iter().collect();
    assert!(
        matches!(
            heard.as_slice(),
            [
                Event::Started { ticket: 5 },
                Event::Fault { ticket: Some(5), .. },
                Event::Answered { ticket: 5, .. }
            ]
        ),
        "{heard:?}"
    );
    assert!(other.events.is_empty());
    let next = dispatcher.begin(now);
    dispatcher.take(Event::Failed { ticket: next[0].0, error: fault() }, now);
    let heard: Vec<Event> = other.events.try_iter().collect();
    assert!(matches!(heard.as_slice(), [Event::Failed { ticket: 5, .. }]), "{heard:?}");
}

#[test]
fn dropped_run_orphans_its_answers() {
    let (mut dispatcher, one, other, now) = dispatcher();
    dispatcher.submit(one.member, 1, start(), now);
    dispatcher.submit(one.member, 2, question("4k3/8/8/8/8/8/4P3/4K3 w - -", 10), now);
    let ticket = dispatcher.begin(now)[0].0;
    dispatcher.leave(one.member);
    let left = dispatcher.take(answered(ticket), now);
    let Some(Unclaimed::Answer(orphan)) = left else { panic!("{left:?}") };
    assert_eq!((orphan.limit, orphan.answer.nodes), (Limit::Depth(10), 7));
    assert!(dispatcher.begin(now).is_empty(), "the rest is not searched");
    assert!(other.events.is_empty() && dispatcher.is_idle());
}

#[test]
fn workers_found_wrong_reach_all_runs_and_engines() {
    let (mut dispatcher, one, _, now) = dispatcher();
    let (worker, why) = (WorkerId::new("liar"), "it lies".to_owned());
    let found = dispatcher.take(Event::Quarantined { worker: worker.clone(), why }, now);
    assert!(matches!(found, Some(Unclaimed::Quarantined { .. })), "{found:?}");
    assert!(one.events.is_empty());
    dispatcher.quarantine(&worker, "it lies");
    assert_eq!(dispatcher.quarantined(), [(worker, "it lies".to_owned())]);
    assert_eq!(dispatcher.quarantined(), []);
}

#[test]
fn departed_runs_search_is_adopted_by_the_same_one() {
    let (mut dispatcher, one, other, now) = dispatcher();
    dispatcher.submit(one.member, 1, start(), now);
    let ticket = dispatcher.begin(now)[0].0;
    dispatcher.leave(one.member);
    let deeper = SharedQuestion { limit: Limit::Depth(12), ..start() };
    dispatcher.submit(other.member, 8, deeper, now);
    assert_eq!(dispatcher.withdraw(other.member), [8], "another limit is another search");
    dispatcher.submit(other.member, 9, start(), now);
    assert_eq!(dispatcher.withdraw(other.member), Vec::<u64>::new(), "it is under way");
    assert!(dispatcher.take(answered(ticket), now).is_none());
    let heard: Vec<Event> = other.events.try_iter().collect();
    assert!(matches!(heard.as_slice(), [Event::Answered { ticket: 9, .. }]), "{heard:?}");
}

#[test]
fn guess_is_required_by_a_wait_not_by_another_guess() {
    let (mut dispatcher, one, other, now) = dispatcher();
    let guess = || SharedQuestion { is_guess: true, ..start() };
    dispatcher.submit(one.member, 1, guess(), now);
    let ticket = dispatcher.begin(now)[0].0;
    dispatcher.leave(one.member);
    dispatcher.submit(other.member, 9, guess(), now);
    assert!(dispatcher.required().is_empty(), "nobody waits for it");
    dispatcher.require(other.member, 9);
    assert_eq!(dispatcher.required(), [ticket]);
}

#[test]
fn late_run_hears_of_broken_engines() {
    let (mut dispatcher, one, _, now) = dispatcher();
    dispatcher.take(Event::Broken, now);
    let late = dispatcher.join(RunKey(3), 1);
    for joined in [one, late] {
        assert!(matches!(joined.events.try_recv(), Ok(Event::Broken)));
    }
}

#[test]
fn news_of_the_engines_are_told_once_the_newest_first() {
    let (mut dispatcher, one, _, now) = dispatcher();
    dispatcher.take(Event::Fault { ticket: None, error: fault(), attempt: 1 }, now);
    let back = PoolNotice::Back { command: "engine".to_owned() };
    dispatcher.take(Event::Notice(back), now);
    let states = dispatcher.states();
    let texts: Vec<&str> = states.messages.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(texts[0], "engine command \"engine\" works again");
    assert_eq!((states.faults, texts.len(), states.told), (1, 2, 2));
    for _ in 0..100 {
        dispatcher.take(Event::Fault { ticket: None, error: fault(), attempt: 1 }, now);
    }
    assert_eq!((dispatcher.states().messages.len(), dispatcher.states().told), (50, 102));
    assert!(one.events.is_empty());
}

#[test]
fn time_passes_only_while_all_wait_unwoken() {
    let (mut dispatcher, one, other, now) = dispatcher();
    let (waker, wake) = bounded(1);
    let waits = |until| Some(RunWait { wake: wake.clone(), until });
    dispatcher.set_waits(one.member, waits(Some(now + Duration::from_secs(2))));
    assert!(!dispatcher.all_wait(), "the other works");
    dispatcher.set_waits(other.member, waits(Some(now + Duration::from_secs(1))));
    assert!(dispatcher.all_wait());
    assert_eq!(dispatcher.next_moment(), Some(now + Duration::from_secs(1)));
    waker.send(()).unwrap();
    assert!(!dispatcher.all_wait(), "their control has changed");
    wake.recv().unwrap();
    dispatcher.has_come(now + Duration::from_secs(1));
    assert!(!dispatcher.all_wait() && other.nudge.len() == 1 && one.nudge.is_empty());
    dispatcher.set_waits(other.member, waits(None));
    assert!(!dispatcher.all_wait(), "it has not looked yet");
}

#[test]
fn departed_runs_search_goes_on_unless_another_waits() {
    let (mut dispatcher, one, other, now) = dispatcher();
    dispatcher.submit(one.member, 5, start(), now);
    let left = dispatcher.begin(now)[0].0;
    dispatcher.leave(one.member);
    let ending = question("4k3/8/8/8/8/8/4P3/4K3 w - -", 10);
    dispatcher.submit(other.member, 6, ending, now);
    assert_eq!((dispatcher.abandoned(now), dispatcher.begin(now).len()), (vec![], 0), "not asked");
    dispatcher.abandon_what_is_left();
    assert_eq!((dispatcher.abandoned(now), dispatcher.begin(now).len()), (vec![left], 1));
    assert!(dispatcher.take(answered(left), now).is_none());
    assert!(dispatcher.abandoned(now).is_empty(), "nothing waits");
    assert!(other.events.is_empty());
}

#[test]
fn the_least_free_number_is_taken() {
    let mut numbers = EngineNumbers::default();
    assert_eq!([(); 3].map(|()| numbers.take()), [1, 2, 3]);
    numbers.give_back(2);
    numbers.give_back(1);
    assert_eq!([(); 3].map(|()| numbers.take()), [1, 2, 4]);
}
