//! Real engines, as Debian installs them. Run with `DEEPANALYZE_REAL_ENGINE=1`; Stockfish is then
//! required, the others are tried if installed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::support::pool::{START, ask, close, collect, search};
use deepanalyze_core::chess::{Score, legal_uci};
use deepanalyze_core::search::{Answer, Limit};
use deepanalyze_engine::{Pool, Settings};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// One test at a time: they look for leftover processes.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A pool of a real engine, if these tests are enabled and it is installed.
fn pool(command: &str, limit: Limit, engines: usize) -> Option<Pool> {
    if std::env::var_os("DEEPANALYZE_REAL_ENGINE").is_none_or(|value| value != "1") {
        println!("skipped: DEEPANALYZE_REAL_ENGINE is not 1");
        return None;
    }
    let program = command.split(' ').next().unwrap();
    if program != "stockfish" && !Path::new("/usr/games").join(program).exists() {
        println!("skipped: {program} is not installed");
        return None;
    }
    let settings = Settings::new(command, limit).with_engines(engines);
    Some(Pool::start(&settings).unwrap())
}

/// The first answers of a position's list.
fn list(pool: &mut Pool, fen: &str, ranks: usize) -> Vec<Answer> {
    let mut listed = search(fen, &[]);
    let mut answers = Vec::new();
    for _ in 0..ranks {
        let outcome = ask(pool, listed.clone());
        assert_eq!(outcome.faults, []);
        let answer = outcome.answer().clone();
        assert!(!listed.excluded.contains(&answer.best));
        assert!(legal_uci(&listed.position).contains(&answer.best));
        assert_eq!(answer.pv.first(), Some(&answer.best));
        listed.excluded.push(answer.best);
        answers.push(answer);
    }
    answers
}

fn plain(answers: &[Answer]) -> Vec<(String, Score, u64)> {
    let plain = |a: &Answer| (a.best.to_string(), a.score, a.nodes);
    answers.iter().map(plain).collect()
}

/// No process of an engine outlives its pool.
fn end(pool: Pool, command: &str) {
    let program = command.split(' ').next().unwrap();
    let mine = |pid: &u32| {
        std::fs::read_to_string(format!("/proc/{pid}/status"))
            .is_ok_and(|status| status.contains(&format!("\nPPid:\t{}\n", std::process::id())))
    };
    drop(pool);
    let mut left = crate::support::processes_with(program);
    left.retain(mine);
    assert_eq!(left, Vec::<u32>::new(), "{command}");
}

#[test]
fn stockfish_lists_alternatives_and_repeats_itself() {
    let _alone = alone();
    let Some(mut one) = pool("stockfish", Limit::Depth(9), 1) else {
        return;
    };
    assert!(one.profile().engine.starts_with("Stockfish"));
    let first = list(&mut one, KIWIPETE, 5);
    assert!(first.iter().all(|answer| answer.depth == 9 && answer.nodes > 100));
    list(&mut one, START, 3);
    assert_eq!(plain(&list(&mut one, KIWIPETE, 5)), plain(&first));
    end(one, "stockfish");
}

#[test]
fn stockfish_keeps_to_nodes_and_has_scores() {
    let _alone = alone();
    let Some(mut one) = pool("stockfish", Limit::Nodes(20_000), 1) else {
        return;
    };
    for answer in list(&mut one, START, 6) {
        assert!((10_000..40_000).contains(&answer.nodes), "{answer:?}");
    }
    end(one, "stockfish");
}

#[test]
fn two_stockfishes_answer_as_one() {
    let _alone = alone();
    let mut lists = Vec::new();
    for engines in [1, 2] {
        let Some(mut pool) = pool("stockfish", Limit::Depth(8), engines) else {
            return;
        };
        let legal = legal_uci(&search(START, &[]).position);
        for (ticket, first) in (0..).zip(&legal) {
            pool.submit(ticket, search(START, &[&first.to_string()]));
        }
        let outcomes = collect(&pool, legal.len());
        let answers: Vec<Answer> = outcomes.values().map(|o| o.answer().clone()).collect();
        lists.push(plain(&answers));
        drop(pool);
    }
    assert_eq!(lists[0], lists[1]);
}

#[test]
fn a_wrapper_around_stockfish_leaves_nothing_behind() {
    let _alone = alone();
    let name = format!("wrapped {}", std::process::id());
    let command = format!("sh -c 'stockfish; exit 0' '{name}'");
    let Some(mut pool) = pool("stockfish", Limit::Depth(5), 1) else {
        return;
    };
    ask(&mut pool, search(START, &[]));
    drop(pool);
    let settings =
        Settings::new(&command.replace("stockfish;", "/usr/games/stockfish;"), Limit::Depth(5));
    if Path::new("/usr/games/stockfish").exists() {
        let mut wrapped = Pool::start(&settings).unwrap();
        assert_eq!(ask(&mut wrapped, search(START, &[])).faults, []);
        close(wrapped, &name);
    }
}

#[test]
fn engines_list_alternatives_either_way() {
    let _alone = alone();
    for command in ["fairy-stockfish", "glaurung", "ethereal-chess", "toga2"] {
        let Some(mut pool) = pool(command, Limit::Depth(6), 1) else {
            continue;
        };
        for fen in [START, KIWIPETE] {
            assert_eq!(list(&mut pool, fen, 4).len(), 4, "{command}");
        }
        end(pool, command);
    }
}

#[test]
fn gnu_chess_answers_but_cannot_give_alternatives() {
    let _alone = alone();
    let command = "gnuchess --uci";
    let Some(mut pool) = pool(command, Limit::Depth(6), 1) else {
        return;
    };
    let best = list(&mut pool, START, 1)[0].best.to_string();
    let error = ask(&mut pool, search(START, &[&best])).error();
    assert!(error.contains("cannot search alternatives"), "{error}");
    assert!(error.contains("it offers no MultiPV"), "{error}");
    // It survives a closed input, and crashes at quit.
    end(pool, command);
}

#[test]
fn engines_that_ignore_nodes_are_refused() {
    let _alone = alone();
    for command in ["gnuchess --uci", "toga2", "ethereal-chess"] {
        let Some(mut pool) = pool(command, Limit::Nodes(20_000), 1) else {
            continue;
        };
        let error = ask(&mut pool, search(START, &[])).error();
        assert!(error.contains("ignores `go nodes 20000`"), "{error}");
        end(pool, command);
    }
    for command in ["fairy-stockfish", "glaurung"] {
        let Some(mut pool) = pool(command, Limit::Nodes(20_000), 1) else {
            continue;
        };
        assert_eq!(list(&mut pool, START, 2).len(), 2);
        end(pool, command);
    }
}

#[test]
fn mates_and_single_moves_end_early_and_honestly() {
    let _alone = alone();
    for command in ["stockfish", "fairy-stockfish", "glaurung", "ethereal-chess", "toga2"] {
        let Some(mut pool) = pool(command, Limit::Depth(7), 1) else {
            continue;
        };
        let mate = list(&mut pool, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", 1);
        assert_eq!((mate[0].score, mate[0].best.to_string().as_str()), (Score::Mate(1), "a1a8"));
        // One legal move: h8g8.
        let single = list(&mut pool, "7k/8/5K2/8/8/8/7R/8 b - - 0 1", 1);
        assert_eq!(single[0].best.to_string(), "h8g8");
        drop(pool);
    }
}
