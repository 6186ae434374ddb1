use super::*;
use deepanalyze_core::search::{Limit, Search};
use shakmaty::Chess;

fn asked() -> LimitedSearch {
    let search = Search { position: Chess::default(), excluded: Vec::new() };
    LimitedSearch { search, limit: Limit::Depth(8) }
}

fn jobs() -> (Jobs, Instant) {
    (Jobs::new("run".to_owned()), Instant::now())
}

fn lost(id: &Token, attempts: u32) -> Lost {
    Lost { id: id.clone(), lane: Lane::Required, attempts }
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn required_searches_go_before_guesses() {
    let (mut jobs, now) = jobs();
    jobs.submit(1, asked(), Lane::Guess, false);
    jobs.submit(2, asked(), Lane::Guess, false);
    jobs.submit(3, asked(), Lane::Required, false);
    assert_eq!(jobs.require(2, now), Some((Token::try_from("run-2".to_owned()).unwrap(), false)));
    let sent: Vec<(String, Lane)> = std::iter::from_fn(|| jobs.next_away(now))
        .map(|sent| (sent.id.to_string(), sent.lane))
        .collect();
    let required = Lane::Required;
    let expected = [("run-3", required), ("run-2", required), ("run-1", Lane::Guess)];
    assert_eq!(sent, expected.map(|(id, lane)| (id.to_owned(), lane)));
    assert_eq!(jobs.require(2, now), None, "it is required already");
    assert!(jobs.require(1, now).unwrap().1, "the fleet has it");
}

#[test]
fn unreported_job_is_resent_with_doubling_pause() {
    let (mut jobs, now) = jobs();
    jobs.submit(1, asked(), Lane::Required, false);
    let first = jobs.next_away(now).unwrap();
    assert_eq!(jobs.look(now + 9 * SECOND), []);
    assert_eq!(jobs.look(now + 10 * SECOND), [lost(&first.id, 1)]);
    let second = jobs.next_away(now + 10 * SECOND).unwrap();
    assert_eq!((second.id, second.attempt), (first.id.clone(), 2));
    assert_eq!(jobs.look(now + 29 * SECOND), []);
    assert_eq!(jobs.look(now + 30 * SECOND).len(), 1);
    assert_eq!(jobs.sent_again(), 1);
}

#[test]
fn reported_job_is_resent_once_its_worker_is_silent() {
    let (mut jobs, now) = jobs();
    jobs.submit(1, asked(), Lane::Guess, false);
    let id = jobs.next_away(now).unwrap().id;
    for second in 1..100 {
        jobs.seen([&id], now + second * SECOND);
        assert_eq!(jobs.look(now + second * SECOND), []);
    }
    assert_eq!(jobs.withdraw().len(), 0, "it is being searched");
    assert_eq!(jobs.look(now + 109 * SECOND).len(), 1);
    assert_eq!(jobs.withdraw().len(), 1);
}

#[test]
fn slow_search_is_doubled_and_first_answer_ends_both() {
    let (mut jobs, now) = jobs();
    jobs.submit(1, asked(), Lane::Required, false);
    let id = jobs.next_away(now).unwrap().id;
    jobs.seen([&id], now);
    for second in 1..=20 {
        jobs.seen([&id], now + second * SECOND);
        jobs.look(now + second * SECOND);
        assert_eq!(jobs.waiting(), 0);
    }
    jobs.look(now + 21 * SECOND);
    assert_eq!(jobs.next_here(true).map(|begun| begun.ticket), Some(1));
    jobs.look(now + 22 * SECOND);
    assert_eq!(jobs.waiting(), 0, "an engine here has it");
    let ended = jobs.answered(1, SECOND).unwrap();
    assert!(ended.here && ended.sent == Some(id.clone()));
    assert_eq!(jobs.ticket(&id), None);
}

#[test]
fn repeatedly_failed_search_is_made_here() {
    for (workers, failures) in [(["a", "a", "a"], 6), (["a", "b", "c"], 3)] {
        let (mut jobs, now) = jobs();
        jobs.submit(1, asked(), Lane::Required, false);
        for (failure, worker) in (1..=failures).zip(workers.into_iter().cycle()) {
            assert!(jobs.next_here(false).is_none(), "workers may do it yet");
            jobs.next_away(now).unwrap();
            let worker = Token::try_from(worker.to_owned()).unwrap();
            assert_eq!(jobs.failed(1, &worker), Some(failure));
        }
        assert_eq!(jobs.next_away(now), None);
        assert_eq!(jobs.next_here(false).map(|begun| begun.ticket), Some(1));
    }
}

#[test]
fn answer_to_an_earlier_run_finds_its_search() {
    let (mut jobs, _) = jobs();
    jobs.submit(1, asked(), Lane::Guess, true);
    assert_eq!(jobs.find(&asked()), None, "it goes on from a hash that is here");
    jobs.submit(2, asked(), Lane::Guess, false);
    assert_eq!(jobs.find(&asked()), Some(2));
    assert_eq!(jobs.find(&LimitedSearch { limit: Limit::Depth(9), ..asked() }), None);
}

#[test]
fn held_search_is_idle_until_made_again() {
    let (mut jobs, now) = jobs();
    jobs.submit(1, asked(), Lane::Required, false);
    jobs.next_away(now).unwrap();
    jobs.look(now + 10 * SECOND);
    jobs.hold(1);
    assert_eq!((jobs.waiting(), jobs.away(), jobs.look(now + 99 * SECOND).len()), (0, 0, 0));
    jobs.make_again(1);
    assert_eq!(jobs.next_away(now).map(|sent| sent.attempt), Some(2));
}

#[test]
fn unclaimed_guess_is_soon_sent_as_required() {
    let (mut jobs, now) = jobs();
    for ticket in [1, 2] {
        jobs.submit(ticket, asked(), Lane::Guess, false);
    }
    let sent = [jobs.next_away(now).unwrap().id, jobs.next_away(now).unwrap().id];
    jobs.seen([&sent[1]], now);
    for ticket in [1, 2] {
        assert!(jobs.require(ticket, now).is_some());
    }
    assert_eq!(jobs.look(now + 3 * SECOND), [lost(&sent[0], 1)]);
    assert_eq!(jobs.next_away(now + 3 * SECOND).map(|sent| sent.lane), Some(Lane::Required));
}

#[test]
fn refused_job_goes_first_and_kept_hash_stays_here() {
    let (mut jobs, now) = jobs();
    jobs.submit(1, asked(), Lane::Required, false);
    jobs.submit(2, asked(), Lane::Required, true);
    let id = jobs.next_away(now).unwrap().id;
    assert_eq!(jobs.next_away(now), None, "its answer would depend on a hash that is here");
    jobs.not_taken(&id);
    jobs.not_taken(&id);
    assert_eq!(jobs.next_here(true).map(|begun| begun.ticket), Some(1));
    assert_eq!(jobs.next_here(true).map(|begun| begun.ticket), Some(2));
    assert_eq!(jobs.waiting(), 0);
}

#[test]
fn ended_searches_leave_nothing_behind() {
    let (mut jobs, now) = jobs();
    for ticket in 0..30 {
        let lane = if ticket % 2 == 0 { Lane::Required } else { Lane::Guess };
        jobs.submit(ticket, asked(), lane, false);
    }
    for _ in 0..10 {
        jobs.next_here(true);
        jobs.next_away(now);
    }
    for ticket in 0..30 {
        assert!(jobs.end(ticket).is_some() && jobs.end(ticket).is_none());
    }
    assert_eq!((jobs.waiting(), jobs.here(), jobs.away()), (0, 0, 0));
    assert!(jobs.tickets.is_empty());
}
