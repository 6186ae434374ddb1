//! Engines that die, hang, lie or talk nonsense: each costs one search, and leaves no process.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use std::time::Duration;

use crate::support::pool::{
    LONG, Outcome, START, ask, close, collect, hanging, search, settings, unique_name,
};
use deepanalyze_core::search::{Answer, Limit};
use deepanalyze_engine::{Pool, Reason, Settings};

/// The faultless engine's answer in the starting position.
fn faultless() -> Answer {
    let name = unique_name();
    let mut pool = Pool::start(&settings(&name, &[])).unwrap();
    let outcome = ask(&mut pool, search(START, &[]));
    close(pool, &name);
    outcome.result.unwrap()
}

/// The first search of a pool whose engine has these flags, and the name of the engine.
fn first_search(flags: &[&str]) -> (Outcome, String) {
    first_search_of(&unique_name(), |name| settings(name, flags))
}

/// For an engine that is never healthy: a short silence is a hang.
fn first_search_that_hangs(fault: &str) -> (Outcome, String) {
    first_search_of(&unique_name(), |name| hanging(name, &["--fault", fault], 300))
}

fn first_search_of(name: &str, settings: impl Fn(&str) -> Settings) -> (Outcome, String) {
    let mut pool = Pool::start(&settings(name)).unwrap();
    let outcome = ask(&mut pool, search(START, &[]));
    close(pool, name);
    (outcome, name.to_owned())
}

/// A fault in the first process only costs one attempt; the second gives the faultless answer.
fn costs_one_attempt(fault: &str, message: &str) {
    let dir = tempfile::tempdir().unwrap();
    let starts = dir.path().join("starts");
    let fault = format!("{fault}:go=1,start=1");
    let flags = ["--fault", &fault, "--starts", starts.to_str().unwrap()];
    let (outcome, name) = first_search(&flags);
    let (answer, right) = (outcome.answer(), faultless());
    assert_eq!((answer.best, answer.score), (right.best, right.score));
    assert_eq!(outcome.faults.len(), 1, "{:?}", outcome.faults);
    let error = outcome.faults[0].to_string();
    assert_eq!(error, format!("engine {name:?} {message}"));
}

/// A fault in every process ends with an error that names position and engine.
fn is_given_up(fault: &str, message: &str) {
    let (outcome, name) = first_search(&["--fault", fault]);
    assert_eq!(outcome.faults.len(), 2, "{:?}", outcome.faults);
    let expected = format!("engine {name:?} failed 3 times on {START}: engine {name:?} {message}");
    assert_eq!(outcome.error(), expected);
}

/// Nonsense among the lines costs nothing.
fn costs_nothing(flags: &[&str]) {
    let (outcome, _) = first_search(flags);
    let (answer, right) = (outcome.answer(), faultless());
    assert_eq!(outcome.faults, []);
    assert_eq!((answer.best, answer.score), (right.best, right.score));
    assert_eq!((answer.depth, &answer.pv), (right.depth, &right.pv));
}

#[test]
fn an_engine_that_exits_is_started_again() {
    costs_one_attempt("die", "exited during go depth 8 (status 3)");
}

#[cfg(unix)]
#[test]
fn engine_killed_by_signal_is_reported_with_it() {
    costs_one_attempt("abort", "exited during go depth 8 (signal 6)");
}

#[test]
fn always_dying_engine_fails_with_the_position() {
    is_given_up("die", "exited during go depth 8 (status 3)");
}

#[test]
fn an_illegal_move_is_a_fault() {
    costs_one_attempt("illegal", "answered the illegal move \"e1e8\" to go depth 8");
    is_given_up("illegal", "answered the illegal move \"e1e8\" to go depth 8");
}

#[test]
fn no_move_is_a_fault() {
    costs_one_attempt("none", "answered no move ((none)) to go depth 8");
    costs_one_attempt("null", "answered no move (0000) to go depth 8");
    costs_one_attempt("empty", "answered no move to go depth 8");
}

#[test]
fn bounds_are_no_scores() {
    let message = "answered bounds only, no exact score, to go depth 8";
    costs_one_attempt("bounds", message);
    is_given_up("bounds", message);
}

#[test]
fn a_move_without_a_score_is_a_fault() {
    costs_one_attempt(
        "no-score",
        "answered no score before bestmove to go depth 8; its last line: \"info depth 8 score cp 12.5\"",
    );
}

#[test]
fn a_bound_behind_wdl_does_not_become_the_score() {
    costs_nothing(&["--fault", "wdl-bound"]);
}

#[test]
fn nonsense_foreign_bytes_and_floods_are_stepped_over() {
    costs_nothing(&["--fault", "garbage"]);
    costs_nothing(&["--fault", "flood"]);
    costs_nothing(&["--crlf"]);
    costs_nothing(&["--crlf", "--fault", "garbage"]);
}

#[test]
fn a_second_bestmove_is_not_the_next_answer() {
    let name = unique_name();
    let mut pool = Pool::start(&settings(&name, &["--fault", "twice"])).unwrap();
    let first = ask(&mut pool, search(START, &[]));
    let best = first.answer().best.to_string();
    let second = ask(&mut pool, search(START, &[&best]));
    assert_ne!(second.answer().best, first.answer().best);
    assert_eq!(second.faults, []);
    close(pool, &name);
}

#[test]
fn stderr_is_drained() {
    // More than any pipe holds: an engine blocks for good if its stderr is not read.
    costs_nothing(&["--stderr-bytes", "1000000"]);
}

#[test]
fn late_bestmove_gets_the_last_exact_score() {
    let (outcome, _) = first_search(&["--fault", "switch"]);
    let (answer, right) = (outcome.answer(), faultless());
    assert_ne!(answer.best, right.best);
    assert_eq!(answer.score, right.score);
    assert_eq!(answer.pv[0], answer.best);
}

#[test]
fn a_dead_silent_engine_is_a_hang() {
    let (outcome, name) = first_search_that_hangs("hang");
    assert_eq!(outcome.faults.len(), 2);
    let error = outcome.error();
    let expected = format!("engine {name:?} hangs during go depth 8 (nothing heard for ");
    assert!(error.contains(&expected), "{error}");
}

#[test]
fn a_flood_without_an_end_ends_at_its_bound() {
    let (outcome, _) = first_search(&["--fault", "endless-flood"]);
    assert_eq!(outcome.faults.len(), 2);
    assert!(outcome.error().ends_with("a line of more than 16 MiB"), "{}", outcome.error());
}

#[test]
fn silence_after_readyok_is_a_hang() {
    for fault in ["lost:go=2", "chatty:go=2"] {
        let name = unique_name();
        let mut options = settings(&name, &["--fault", fault]);
        options.hang.patience = Duration::from_millis(1500);
        // On a busy machine earlier searches may have been slow, too.
        (options.hang.silence_factor, options.hang.patience_factor) = (1, 1);
        let mut pool = Pool::start(&options).unwrap();
        assert_eq!(ask(&mut pool, search(START, &[])).faults, []);
        let outcome = ask(&mut pool, search(START, &["e2e4"]));
        assert_eq!(outcome.faults.len(), 1);
        let error = outcome.faults[0].to_string();
        assert!(error.contains("(no bestmove for "), "{error}");
        assert_ne!(outcome.answer().best.to_string(), "e2e4");
        close(pool, &name);
    }
}

#[test]
fn a_first_search_with_signs_of_life_is_never_shot() {
    // Three times the silence that is a hang, longer than the patience; only probes are answered.
    let name = unique_name();
    let mut options = hanging(&name, &["--delay-ms", "6000"], 2000);
    options.hang.patience = Duration::from_secs(4);
    let mut pool = Pool::start(&options).unwrap();
    let outcome = ask(&mut pool, search(START, &[]));
    assert_eq!(outcome.faults, []);
    assert!(outcome.answer().time >= Duration::from_secs(6));
    close(pool, &name);
}

#[test]
fn search_a_hundred_times_slower_is_awaited() {
    let name = unique_name();
    let flags = ["--delay-ms", "50", "--fault", "slow:go=3"];
    let mut options = settings(&name, &flags);
    options.hang.patience = Duration::from_millis(100);
    let mut pool = Pool::start(&options).unwrap();
    for _ in 0..4 {
        assert_eq!(ask(&mut pool, search(START, &[])).faults, []);
    }
    close(pool, &name);
}

#[test]
fn allowed_silence_grows_with_search_time() {
    // The first search takes 0.3 s and shows that the engine is deaf while it searches; the second
    // is silent for 4 s: longer than any silence may be, below 20 times 0.3 s.
    let name = unique_name();
    let flags = ["--delay-ms", "300", "--fault", "silent:go=2"];
    let mut options = hanging(&name, &flags, 3000);
    options.hang.probe = Duration::from_millis(2900);
    let mut pool = Pool::start(&options).unwrap();
    assert_eq!(ask(&mut pool, search(START, &[])).faults, []);
    assert_eq!(ask(&mut pool, search(START, &[])).faults, []);
    close(pool, &name);
}

#[cfg(unix)]
#[test]
fn an_engine_behind_a_wrapper_script_dies_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("engine.sh");
    let name = unique_name();
    let flags = ["--name", &name, "--stubborn", "--fault", "hang:go=2"];
    let engine = crate::support::scripted(&flags);
    // No exec: the engine is the script's child, and outlives the script's death by itself.
    std::fs::write(&script, format!("#!/bin/sh\n{engine}\nexit 0\n")).unwrap();
    let mut options = hanging(&name, &[], 2000);
    options.sources[0].command = deepanalyze_core::quoting::join(["sh", script.to_str().unwrap()]);
    let mut pool = Pool::start(&options).unwrap();
    assert_eq!(pool.profile().engine, name);
    assert_eq!(ask(&mut pool, search(START, &[])).faults, []);
    let before = crate::support::processes_with(&name);
    assert_eq!(ask(&mut pool, search(START, &[])).faults.len(), 1);
    assert!(!before.is_empty());
    crate::support::wait_until("the death of script and engine", || {
        let after = crate::support::processes_with(&name);
        before.iter().all(|pid| !after.contains(pid))
    });
    close(pool, &name);
}

#[test]
fn random_faults_of_eight_engines_change_no_answer() {
    let mut faulty = vec!["--jitter-ms", "3", "--delay-ms", "1"];
    for fault in [
        "die:chance=40",
        "abort:chance=60",
        "garbage:chance=10",
        "illegal:chance=60",
        "none:chance=60",
        "bounds:chance=60",
        "no-score:chance=60",
        "excluded:every=13",
        "hang:chance=150",
        "slow:chance=60",
    ] {
        faulty.extend(["--fault", fault]);
    }
    let right = answers(&[], 1);
    assert_eq!(answers(&faulty, 8), right);
}

/// The answers of ranks 0 to 9 of the starting position and of nine after it; three more attempts
/// if by chance one position failed thrice.
fn answers(flags: &[&str], engines: usize) -> Vec<String> {
    let name = unique_name();
    let mut options = hanging(&name, flags, 600);
    options.sources[0].engines = engines;
    let mut pool = Pool::start(&options).unwrap();
    let mut lists: Vec<Vec<String>> = vec![Vec::new(); 10];
    let mut scores = vec![String::new(); 10];
    for rank in 0..10 {
        let mut open: Vec<u64> = (0..10).collect();
        while !open.is_empty() {
            for ticket in &open {
                let list: Vec<&str> = lists[*ticket as usize].iter().map(String::as_str).collect();
                pool.submit(*ticket, search(&position(*ticket), &list));
            }
            for (ticket, outcome) in collect(&pool, open.len()) {
                if let Ok(answer) = outcome.result {
                    let index = ticket as usize;
                    lists[index].push(answer.best.to_string());
                    scores[index] += &format!(" {} {}", answer.best, answer.score);
                }
            }
            open.retain(|ticket| lists[*ticket as usize].len() == rank);
        }
    }
    close(pool, &name);
    scores
}

fn position(number: u64) -> String {
    let fens = [
        START,
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
        "4k3/8/8/3q4/8/8/3Q4/4K3 b - - 0 1",
        "8/8/1k6/8/8/1K6/1R6/8 w - - 0 1",
    ];
    fens[number as usize].to_owned()
}

#[test]
fn engine_dying_at_start_shows_its_last_words() {
    let name = unique_name();
    let options = settings(&name, &["--fault", "die-at-start"]);
    let error = Pool::start(&options).unwrap_err().to_string();
    assert!(error.contains("exited during startup (status 3); it said: "), "{error}");
    assert!(error.contains("cannot open the network file / scripted: giving up"), "{error}");
    assert_eq!(crate::support::left_behind(&name), Vec::<u32>::new());
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn engine_without_uci_is_given_up_in_time() {
    // All but the first have sent `uciok` before their time is up, on any machine.
    let green = "its last line: \"\\u{1b}[32muciok\\u{1b}[0m\"";
    for (fault, missing, after, last) in [
        ("mute-at-start", "no uciok", 300, ""),
        ("green-at-start", "no uciok", 5000, green),
        ("not-ready", "no readyok", 5000, ""),
    ] {
        let name = unique_name();
        let mut options = settings(&name, &["--fault", fault]);
        options.hang.startup = Duration::from_millis(after);
        let error = Pool::start(&options).unwrap_err().to_string();
        let seconds = after as f64 / 1000.0;
        let expected = format!("hangs during startup ({missing} for {seconds:.1} s)");
        assert!(error.contains(&expected) && error.contains(last), "{error}");
        assert_eq!(crate::support::left_behind(&name), Vec::<u32>::new());
    }
}

#[test]
fn a_program_that_is_missing_or_no_program_is_named() {
    let missing = Settings::new("/nowhere/engine --uci", Limit::Depth(8));
    let error = Pool::start(&missing).unwrap_err();
    assert_eq!(error.engine, "/nowhere/engine");
    assert_eq!(error.reason, Reason::NotFound);
    let silent = Settings::new("true", Limit::Depth(8));
    let error = Pool::start(&silent).unwrap_err().to_string();
    assert_eq!(error, "engine \"true\" exited during startup (status 0)");
}

#[test]
fn second_process_with_other_name_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let starts = dir.path().join("starts");
    let name = unique_name();
    let flags = ["--starts", starts.to_str().unwrap(), "--fault", "other-name:from=2"];
    let mut options = settings(&name, &flags);
    options.sources[0].engines = 2;
    let mut pool = Pool::start(&options).unwrap();
    // Two searches wait at any time: the second process is wanted until it is refused.
    (0..3).for_each(|ticket| pool.submit(ticket, search(START, &[])));
    let (mut answered, mut refused) = (0, None);
    while answered < 10 || refused.is_none() {
        match pool.events().recv_timeout(LONG).unwrap() {
            deepanalyze_engine::Event::Answered { .. } => {
                answered += 1;
                pool.submit(answered + 2, search(START, &[]));
            }
            deepanalyze_engine::Event::Fault { ticket, error, .. } => {
                assert_eq!(ticket, None);
                refused = Some(error.to_string());
            }
            _ => {}
        }
    }
    let expected =
        format!("engine \"{name} other\" is not {name:?}: engines of one run must be the same");
    assert_eq!(refused.unwrap(), expected);
    close(pool, &name);
}

#[test]
fn failed_restart_fails_waiting_searches() {
    let dir = tempfile::tempdir().unwrap();
    let starts = dir.path().join("starts");
    let name = unique_name();
    let flags = ["--starts", starts.to_str().unwrap(), "--fault", "die", "--fault"];
    let flags = [&flags[..], &["die-at-start:from=2"]].concat();
    let mut pool = Pool::start(&settings(&name, &flags)).unwrap();
    let outcome = ask(&mut pool, search(START, &[]));
    assert!(outcome.error().contains("exited during startup"), "{}", outcome.error());
    assert_eq!(outcome.faults.len(), 1);
    close(pool, &name);
}

#[cfg(unix)]
#[test]
fn engines_that_died_between_searches_cost_no_attempt() {
    let dir = tempfile::tempdir().unwrap();
    let gate = dir.path().join("gate");
    let name = unique_name();
    let flags = ["--fault", "held:go=1", "--gate", gate.to_str().unwrap()];
    let mut options = settings(&name, &flags);
    options.sources[0].engines = 4;
    let mut pool = Pool::start(&options).unwrap();
    (0..4).for_each(|ticket| pool.submit(ticket, search(START, &[])));
    crate::support::wait_until("four searches at once", || pool.busy() == 4);
    std::fs::write(&gate, "").unwrap();
    collect(&pool, 4);
    let idle = crate::support::processes_with(&name);
    assert_eq!(idle.len(), 4);
    let mut kill = std::process::Command::new("kill");
    kill.arg("-9").args(idle.iter().map(u32::to_string));
    assert!(kill.status().unwrap().success());
    for _ in 0..8 {
        let outcome = ask(&mut pool, search(START, &[]));
        assert_eq!(outcome.faults, []);
        assert!(outcome.result.is_ok());
    }
    close(pool, &name);
}

#[test]
fn an_engine_that_comes_back_is_used_again() {
    let dir = tempfile::tempdir().unwrap();
    let starts = dir.path().join("starts");
    let name = unique_name();
    let flags = [
        "--starts",
        starts.to_str().unwrap(),
        "--fault",
        "die:start=1",
        "--fault",
        "die-at-start:start=2",
        "--fault",
        "die-at-start:start=3",
    ];
    let mut pool = Pool::start(&settings(&name, &flags)).unwrap();
    let outcome = ask(&mut pool, search(START, &[]));
    assert_eq!(outcome.answer().best, faultless().best);
    close(pool, &name);
}
