//! The rules, one by one, on rosters without threads.
#![allow(clippy::indexing_slicing, reason = "tests")]

use super::*;
use crate::{EngineSource, Settings};
use deepanalyze_core::search::Limit;

const SECOND: Duration = Duration::from_secs(1);

/// A roster with these slots per source; pause 1 s, long rest 600 s.
fn roster(counts: &[usize]) -> Roster {
    let source = |engines: &usize| EngineSource { command: "engine".to_owned(), engines: *engines };
    Roster::new(&Settings {
        sources: counts.iter().map(source).collect(),
        backoff: SECOND,
        rest: SECOND * 600,
        ..Settings::new("", Limit::Depth(1))
    })
}

/// A roster with an engine in every slot.
fn running(counts: &[usize]) -> Roster {
    let mut roster = roster(counts);
    for slot in 0..roster.slots.len() {
        roster.started(slot);
    }
    roster
}

fn job(ticket: u64) -> PoolJob {
    let search = Search { position: shakmaty::Chess::default(), excluded: Vec::new() };
    let (limit, failures) = (Limit::Depth(1), Vec::new());
    let abandoned = crossbeam_channel::never();
    let (keep_hash, came_back, long) = (false, false, None);
    PoolJob { ticket, search, limit, keep_hash, long, abandoned, failures, came_back, hangs: 0 }
}

/// A slot's task: `serve 7`, `start`, `wait`, `wait 12 s`.
fn step(roster: &mut Roster, slot: usize, now: Instant) -> String {
    match roster.step(slot, now) {
        SlotTask::Serve(job) => {
            roster.slots[slot].state = SlotState::Idle;
            let text = format!("serve {}", job.ticket);
            roster.retries.push_front(job);
            text
        }
        SlotTask::Start => "start".to_owned(),
        SlotTask::Wait(None) => "wait".to_owned(),
        SlotTask::Wait(Some(at)) => format!("wait {} s", (at - now).as_secs()),
    }
}

/// A slot takes a search and fails at it; it is requeued unless given up.
fn fail(roster: &mut Roster, slot: usize, now: Instant) -> AfterFailure {
    let SlotTask::Serve(job) = roster.step(slot, now) else { panic!("slot {slot} has no search") };
    let (failed, job) = roster.failed(slot, job, now);
    if !failed.given_up {
        roster.retry(job);
    }
    failed
}

/// A slot takes a new search and answers.
fn answer(roster: &mut Roster, slot: usize, now: Instant) -> bool {
    roster.submit(job(1000 + roster.answers));
    let SlotTask::Serve(_) = roster.step(slot, now) else { panic!("slot {slot} has no search") };
    roster.answered(slot).is_some()
}

#[test]
fn only_as_many_engines_start_as_there_is_work_for() {
    let now = Instant::now();
    let mut roster = roster(&[3]);
    assert_eq!(step(&mut roster, 0, now), "wait");
    roster.submit(job(1));
    assert_eq!(step(&mut roster, 1, now), "start");
    assert_eq!(step(&mut roster, 2, now), "wait", "slot 1 will take it");
    roster.submit(job(2));
    assert_eq!(step(&mut roster, 2, now), "start");
    assert_eq!((roster.running(), roster.busy(), roster.waiting()), (0, 0, 2));
}

#[test]
fn failed_search_goes_first_and_to_another_machine() {
    let now = Instant::now();
    let mut roster = running(&[2, 2]);
    // Slots 0 and 2 are of the first source, 1 and 3 of the second.
    assert_eq!(roster.sources_of_slots(), [0, 1, 0, 1]);
    roster.submit(job(7));
    fail(&mut roster, 0, now);
    roster.submit(job(8));
    assert_eq!(step(&mut roster, 2, now), "serve 8", "7 failed on this machine");
    roster.withdraw();
    roster.submit(job(7));
    roster.started(0);
    fail(&mut roster, 0, now);
    roster.submit(job(8));
    assert_eq!(step(&mut roster, 1, now), "serve 7");
}

#[test]
fn lone_slot_retries_and_gives_up_at_third_failure() {
    let mut now = Instant::now();
    let mut roster = running(&[1]);
    roster.submit(job(7));
    for (given_up, pause) in [(false, "wait 1 s"), (false, "wait 2 s"), (true, "wait")] {
        assert_eq!(fail(&mut roster, 0, now), AfterFailure { given_up, retired: None });
        assert_eq!(step(&mut roster, 0, now), pause);
        now += 10 * SECOND;
        roster.started(0);
    }
    assert_eq!(roster.waiting(), 0);
}

#[test]
fn bad_machine_with_many_slots_fails_no_search() {
    let mut now = Instant::now();
    let mut roster = running(&[1, 8]);
    for ticket in 0..20 {
        now += 1000 * SECOND;
        for slot in 1..9 {
            roster.started(slot);
        }
        roster.submit(job(ticket));
        assert!(!fail(&mut roster, 1 + ticket as usize % 8, now).given_up);
        // No other slot of the bad machine gets it, however long the good one is busy.
        (1..9).for_each(|slot| assert_eq!(step(&mut roster, slot, now), "wait", "slot {slot}"));
        assert_eq!(step(&mut roster, 0, now), format!("serve {ticket}"));
        roster.withdraw();
    }
}

#[test]
fn slot_retires_after_three_failed_searches_in_a_row() {
    let now = Instant::now();
    let mut roster = running(&[2]);
    for ticket in 1..=3 {
        roster.started(0);
        roster.submit(job(ticket));
        let retired = (ticket == 3).then_some(3);
        assert_eq!(fail(&mut roster, 0, now), AfterFailure { given_up: false, retired });
        roster.withdraw();
        answer(&mut roster, 1, now);
    }
    // Two wait, one engine is free: the retired slot is needed, but still rests.
    roster.submit(job(4));
    roster.submit(job(5));
    assert_eq!(step(&mut roster, 0, now), "wait 600 s");
    let later = now + 600 * SECOND;
    assert_eq!(step(&mut roster, 0, later), "start");
    roster.started(0);
    // It is on probation: the first failure retires it again.
    assert_eq!(fail(&mut roster, 0, later).retired, Some(4));
    // An answer clears it.
    roster.started(0);
    assert!(answer(&mut roster, 0, later), "it was retired");
    assert_eq!(fail(&mut roster, 0, later).retired, None);
}

#[test]
fn repeated_search_or_answer_between_retires_no_slot() {
    let now = Instant::now();
    let mut roster = running(&[2]);
    for _ in 0..5 {
        roster.started(0);
        roster.submit(job(7));
        assert_eq!(fail(&mut roster, 0, now).retired, None);
        roster.withdraw();
        answer(&mut roster, 1, now);
    }
    for ticket in 10..20 {
        roster.started(0);
        roster.submit(job(ticket));
        assert_eq!(fail(&mut roster, 0, now).retired, None);
        roster.withdraw();
        roster.started(0);
        answer(&mut roster, 0, now);
    }
}

#[test]
fn without_any_answer_none_is_retired() {
    let now = Instant::now();
    let mut roster = running(&[2]);
    for ticket in 0..10 {
        for slot in [0, 1] {
            roster.started(slot);
            roster.submit(job(2 * ticket + slot as u64));
            assert_eq!(fail(&mut roster, slot, now).retired, None);
            roster.withdraw();
        }
    }
}

#[test]
fn a_retired_slot_helps_at_once_when_no_other_is_up() {
    let now = Instant::now();
    let mut roster = running(&[1, 1]);
    for ticket in 1..=3 {
        roster.started(0);
        roster.submit(job(ticket));
        fail(&mut roster, 0, now);
        roster.withdraw();
        answer(&mut roster, 1, now);
    }
    roster.submit(job(4));
    assert_eq!(step(&mut roster, 1, now), "serve 4");
    assert_eq!(step(&mut roster, 0, now), "wait 600 s");
    roster.lost(1, now);
    let soon = now + 2 * SECOND;
    assert_eq!(step(&mut roster, 1, soon), "start");
    roster.not_started(1, soon);
    assert_eq!(step(&mut roster, 0, soon), "start");
}

#[test]
fn one_slot_of_a_source_retries_a_failed_start() {
    let mut now = Instant::now();
    let mut roster = roster(&[1, 3]);
    roster.started(0);
    (0..9).for_each(|ticket| roster.submit(job(ticket)));
    for attempt in 1..=6 {
        assert_eq!(step(&mut roster, 1, now), "start");
        if attempt > 1 {
            assert_eq!(step(&mut roster, 2, now), "wait", "slot 1 tries");
        }
        let what = roster.not_started(1, now);
        assert_eq!(what, NotStarted { attempt, down: attempt == 6, hopeless: false });
        if attempt < 6 {
            let pause = format!("wait {} s", 1_u64 << (attempt - 1));
            assert_eq!(step(&mut roster, 2, now), pause);
            now += 32 * SECOND;
        }
    }
    assert_eq!(step(&mut roster, 3, now), "wait 30 s");
    now += 30 * SECOND;
    assert_eq!(step(&mut roster, 3, now), "start");
    assert!(!roster.not_started(3, now).down, "it was told of");
    now += 30 * SECOND;
    assert_eq!(step(&mut roster, 2, now), "start");
    assert!(roster.started(2).is_some(), "it is back");
    assert_eq!(step(&mut roster, 1, now), "start");
}

#[test]
fn a_search_does_not_wait_for_a_machine_that_is_down() {
    let now = Instant::now();
    let mut roster = roster(&[1, 1]);
    roster.started(0);
    roster.not_started(1, now);
    roster.submit(job(7));
    fail(&mut roster, 0, now);
    roster.started(0);
    assert_eq!(step(&mut roster, 0, now), "serve 7");
}

#[test]
fn last_engine_lost_tries_all_sources_six_times() {
    let mut now = Instant::now();
    let mut roster = roster(&[1, 1]);
    roster.started(0);
    roster.submit(job(7));
    for _ in 0..8 {
        roster.not_started(1, now);
    }
    assert_eq!(step(&mut roster, 0, now), "serve 7");
    roster.lost(0, now);
    now += 2 * SECOND;
    assert_eq!(step(&mut roster, 1, now), "start", "its pause is over");
    for attempt in 2..=6 {
        assert!(!roster.not_started(1, now).hopeless);
        assert!(!roster.not_started(0, now).hopeless, "attempt {attempt}");
    }
    assert!(roster.not_started(0, now).hopeless);
}

#[test]
fn losing_hundreds_of_engines_does_not_stall_the_pool() {
    let (mut roster, now) = (running(&[256]), Instant::now());
    (0..256).for_each(|ticket| roster.submit(job(ticket)));
    let jobs: Vec<PoolJob> = (0..256)
        .map(|slot| match roster.step(slot, now) {
            SlotTask::Serve(job) => job,
            other => panic!("{other:?}"),
        })
        .collect();
    let began = Instant::now();
    for (slot, lost) in jobs.into_iter().enumerate() {
        let (_, lost) = roster.failed(slot, lost, now);
        roster.retry(lost);
        // Every slot that waits is woken by each of them.
        (0..256).for_each(|other| drop(roster.step(other, now)));
    }
    let took = began.elapsed();
    assert!(took < SECOND * 20, "{took:?}");
}
