//! Readers of every kind, without a sleep.

use std::thread;

use super::*;
use crate::outcome::RunEnd;
use deepanalyze_core::chess::{Score, parse_uci};
use deepanalyze_view::Line;
use event::ClosingProgress;
use shakmaty::Chess;

/// The starting position's best move with its value.
pub fn line(uci: &str, centipawns: i32) -> Line {
    Line::new(Chess::default(), vec![parse_uci(uci).unwrap()], Score::Cp(centipawns).into())
}

fn pass(passes: u64) -> Progress {
    Progress { passes, lines: [line("e2e4", 20)].into(), ..Progress::default() }
}

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(600);

fn publish(feed: &RunFeed) -> u64 {
    feed.tell(RunEvent::Progress(Progress::default()));
    feed.newest().unwrap().step
}

fn tell(feed: &RunFeed, number: u64) {
    feed.tell(RunEvent::Waiting(number.to_string()));
}

/// The pass numbers of events.
fn numbers(events: &[RunEvent]) -> Vec<u64> {
    let number = |event: &RunEvent| match event {
        RunEvent::Waiting(number) => number.parse().ok(),
        _ => None,
    };
    events.iter().filter_map(number).collect()
}

/// True if nothing is new.
fn is_empty(news: &RunNews) -> bool {
    let nothing = (None, 0, None);
    (step(news), news.missed, news.end.clone()) == nothing && news.events.is_empty()
}

fn step(news: &RunNews) -> Option<u64> {
    news.snapshot.as_ref().map(|snapshot| snapshot.step)
}

#[test]
fn slow_reader_gets_last_step_all_events_and_end() {
    let feed = RunFeed::default();
    let mut reader = feed.subscribe();
    publish(&feed);
    assert_eq!(step(&reader.look()), Some(1));
    for number in 1..=100 {
        publish(&feed);
        tell(&feed, number);
    }
    feed.end(Ok(RunEnd::Limit));
    let news = reader.look();
    assert_eq!((step(&news), news.missed), (Some(101), 0));
    assert_eq!(numbers(&news.events), (1..=100).collect::<Vec<_>>());
    assert_eq!(news.end, Some(Ok(RunEnd::Limit)));
    assert_eq!((reader.step, reader.event), (101, 100));
}

#[test]
fn late_reader_learns_how_many_events_are_gone() {
    let feed = RunFeed::default();
    let mut reader = feed.subscribe();
    let kept = KEPT_EVENTS as u64;
    (1..=kept + 3).for_each(|number| tell(&feed, number));
    let news = reader.look();
    assert_eq!(news.missed, 3);
    assert_eq!(numbers(&news.events), (4..=kept + 3).collect::<Vec<_>>());
    assert!(is_empty(&reader.look()));
}

#[test]
fn new_reader_gets_newest_snapshot_and_later_events() {
    let feed = RunFeed::default();
    publish(&feed);
    publish(&feed);
    tell(&feed, 1);
    let mut late = feed.subscribe();
    tell(&feed, 2);
    let news = late.wait(LONG);
    assert_eq!((step(&news), numbers(&news.events)), (Some(2), vec![2]));
    feed.end(Err(BUG.to_owned()));
    let mut last = feed.subscribe();
    let news = last.wait(LONG);
    assert_eq!((step(&news), news.end), (Some(2), Some(Err(BUG.to_owned()))));
}

#[test]
fn a_reader_goes_on_where_another_has_left() {
    let feed = RunFeed::default();
    let mut page = feed.subscribe();
    publish(&feed);
    tell(&feed, 1);
    page.look();
    let mut next = page.clone();
    drop(page);
    tell(&feed, 2);
    let news = next.look();
    assert_eq!((step(&news), numbers(&news.events)), (None, vec![2]));
    let all = feed.from_start().look();
    assert_eq!((step(&all), numbers(&all.events)), (Some(1), vec![1, 2]));
}

#[test]
fn a_reader_that_waits_is_woken_by_whatever_comes() {
    let feed = RunFeed::default();
    let wakes: [fn(&RunFeed); 3] = [
        |feed| assert!(publish(feed) > 0),
        |feed| tell(feed, 1),
        |feed| feed.end(Err(BUG.to_owned())),
    ];
    for wake in wakes {
        let mut reader = feed.subscribe();
        reader.look();
        thread::scope(|scope| {
            let waiting = scope.spawn(move || reader.wait(LONG));
            while feed.shared.lock().waiting == 0 {
                thread::yield_now();
            }
            wake(&feed);
            assert!(!waiting.join().is_ok_and(|news| is_empty(&news)));
        });
        assert_eq!(feed.shared.lock().waiting, 0);
    }
}

#[test]
fn paced_reader_wakes_for_events_not_for_snapshots() {
    let feed = RunFeed::default();
    let mut reader = feed.subscribe().paced(LONG);
    publish(&feed);
    assert_eq!(step(&reader.wait(LONG)), Some(1));
    publish(&feed);
    assert!(!reader.is_due(Instant::now()));
    tell(&feed, 1);
    let news = reader.wait(LONG);
    assert_eq!((step(&news), numbers(&news.events)), (Some(2), vec![1]));
}

#[test]
fn vain_waiting_gets_nothing() {
    let mut reader = RunFeed::default().subscribe();
    assert!(is_empty(&reader.wait(Duration::ZERO)));
    assert_eq!((reader.step, reader.event), (0, 0));
}

#[test]
fn work_ends_its_feed_even_by_a_panic() {
    let [panics, ends, fails] = [(); 3].map(|()| RunFeed::default());
    let ending = |ending: &RunEnd| *ending;
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        panics.tell_of(ending, |_| -> Result<RunEnd, String> { std::panic::panic_any("a test") })
    }))
    .unwrap_err();
    ends.tell_of(ending, |_| Ok::<_, String>(RunEnd::Settled)).unwrap();
    fails.tell_of(ending, |_| Err("why".to_owned())).unwrap_err();
    let [panics, ends, fails] = [panics, ends, fails].map(|feed| feed.subscribe().look().end);
    assert_eq!(panics, Some(Err(BUG.to_owned())));
    assert_eq!(ends, Some(Ok(RunEnd::Settled)));
    assert_eq!(fails, Some(Err("why".to_owned())));
}

#[test]
fn each_pass_is_an_event_once_if_asked_for() {
    for (every, told) in [(true, vec![1, 3]), (false, Vec::new())] {
        let feed = RunFeed::default().telling_every_pass(every);
        let mut reader = feed.subscribe();
        for passes in [0, 0, 1, 1] {
            feed.tell(RunEvent::Progress(pass(passes)));
        }
        let last = Progress { ending: Some(RunEnd::Settled), ..pass(2) };
        feed.tell(RunEvent::Progress(last));
        let news = reader.look();
        let step = |event: RunEvent| match event {
            RunEvent::Pass(snapshot) => Some(snapshot.step),
            _ => None,
        };
        assert_eq!(news.events.into_iter().filter_map(step).collect::<Vec<_>>(), told);
        let last = news.snapshot.map(|last| (last.step, last.progress.ending));
        assert_eq!(last, Some((5, Some(RunEnd::Settled))));
    }
}

#[test]
fn closing_search_shows_beside_its_run() {
    let feed = RunFeed::default();
    let mut reader = feed.subscribe();
    let closing = ClosingProgress {
        other: None,
        best: None,
        nodes: 2,
        engines: 5,
        elapsed: Duration::ZERO,
        left: None,
    };
    feed.tell(RunEvent::Progress(pass(7)));
    feed.tell(RunEvent::Closing(closing.clone()));
    let seen = reader.look().snapshot.map(|seen| (seen.progress.clone(), seen.closing.clone()));
    assert_eq!(seen, Some((pass(7), Some(closing))));
}
