//! Readers of every kind, without a sleep.

use std::thread;

use super::*;
use crate::grow::End;

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(600);

fn publish(feed: &Feed) -> u64 {
    feed.publish(|_| Snapshot::default()).step
}

fn tell(feed: &Feed, number: u64) {
    feed.tell(RunEvent::Waiting(number.to_string()));
}

/// The numbers that were told as events.
fn numbers(events: &[RunEvent]) -> Vec<u64> {
    let number = |event: &RunEvent| match event {
        RunEvent::Waiting(number) => number.parse().ok(),
        _ => None,
    };
    events.iter().filter_map(number).collect()
}

fn step(news: &News) -> Option<u64> {
    news.snapshot.as_ref().map(|snapshot| snapshot.step)
}

#[test]
fn a_slow_reader_misses_steps_and_gets_the_last_one_with_every_event_and_the_end() {
    let feed = Feed::default();
    let mut reader = feed.subscribe();
    publish(&feed);
    assert_eq!(step(&reader.look()), Some(1));
    for number in 1..=100 {
        publish(&feed);
        tell(&feed, number);
    }
    feed.end(RunEnd::Ended(End::Limit));
    let news = reader.look();
    assert_eq!((step(&news), news.missed), (Some(101), 0));
    assert_eq!(numbers(&news.events), (1..=100).collect::<Vec<_>>());
    assert_eq!(news.end, Some(RunEnd::Ended(End::Limit)));
    assert_eq!(reader.position(), Position { step: 101, event: 100 });
}

#[test]
fn a_reader_that_is_too_far_behind_is_told_how_many_events_are_gone() {
    let feed = Feed::default();
    let mut reader = feed.subscribe();
    let kept = KEPT_EVENTS as u64;
    (1..=kept + 3).for_each(|number| tell(&feed, number));
    let news = reader.look();
    assert_eq!(news.missed, 3);
    assert_eq!(numbers(&news.events), (4..=kept + 3).collect::<Vec<_>>());
    assert!(reader.look().is_empty());
}

#[test]
fn a_late_reader_gets_the_newest_snapshot_at_once_and_events_from_then_on() {
    let feed = Feed::default();
    publish(&feed);
    publish(&feed);
    tell(&feed, 1);
    let mut late = feed.subscribe();
    tell(&feed, 2);
    let news = late.wait(LONG);
    assert_eq!((step(&news), numbers(&news.events)), (Some(2), vec![2]));
    feed.end(RunEnd::Lost);
    let mut last = feed.subscribe();
    let news = last.wait(LONG);
    assert_eq!((step(&news), news.end), (Some(2), Some(RunEnd::Lost)));
}

#[test]
fn a_reader_goes_on_where_another_has_left() {
    let feed = Feed::default();
    let mut page = feed.subscribe();
    publish(&feed);
    tell(&feed, 1);
    page.look();
    let seen = page.position();
    drop(page);
    tell(&feed, 2);
    let news = feed.resume(seen).look();
    assert_eq!((step(&news), numbers(&news.events)), (None, vec![2]));
    let all = feed.resume(Position::default()).look();
    assert_eq!((step(&all), numbers(&all.events)), (Some(1), vec![1, 2]));
}

#[test]
fn a_reader_that_waits_is_woken_by_whatever_comes() {
    let feed = Feed::default();
    let wakes: [fn(&Feed); 3] =
        [|feed| assert!(publish(feed) > 0), |feed| tell(feed, 1), |feed| feed.end(RunEnd::Lost)];
    for wake in wakes {
        let mut reader = feed.subscribe();
        reader.look();
        thread::scope(|scope| {
            let waiting = scope.spawn(move || reader.wait(LONG));
            while feed.shared.lock().waiting == 0 {
                thread::yield_now();
            }
            wake(&feed);
            assert!(!waiting.join().is_ok_and(|news| news.is_empty()));
        });
        assert_eq!(feed.shared.lock().waiting, 0);
    }
}

#[test]
fn a_paced_reader_is_not_woken_for_snapshots_but_for_events() {
    let feed = Feed::default();
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
fn nobody_who_waits_in_vain_gets_anything() {
    let mut reader = Feed::default().subscribe();
    assert!(reader.wait(Duration::ZERO).is_empty());
    assert_eq!(reader.position(), Position::default());
}
