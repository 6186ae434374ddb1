//! Whole runs over engines that die, hang, talk nonsense, lie and slow down.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::support::pool::unique_name;
use crate::support::program::{Place, asked, log_lines};
use crate::support::{processes_with, scripted, wait_until};
use deepanalyze_core::chess::{Game, epd_of};
use deepanalyze_core::search::Limit;
use deepanalyze_engine::{EngineSource, HangPolicy, Pool, PoolNotice, Settings};
use deepanalyze_runner::{ControlReceiver, Job, RunError, RunEvent, RunOutcome, Schedule, grow};
use deepanalyze_store::Store;
use shakmaty::Chess;

/// Messages of a run on its engines.
#[derive(Default)]
struct Told {
    /// The position of each fault, and what was said.
    faults: Vec<(Option<String>, String)>,
    notices: Vec<PoolNotice>,
}

impl Told {
    fn hear(&mut self, event: RunEvent) {
        match event {
            RunEvent::Fault { error, position, .. } => {
                self.faults.push((position.as_ref().map(epd_of), error.to_string()));
            }
            RunEvent::Notice(notice) => self.notices.push(notice),
            _ => {}
        }
    }
}

/// Settings with short times, at engine depth 5.
fn settings(sources: Vec<EngineSource>) -> Settings {
    Settings {
        sources,
        hang: HangPolicy {
            // Long enough for a healthy engine that the machine has no time for.
            probe: Duration::from_millis(300),
            silence: Duration::from_secs(6),
            patience: Duration::from_secs(20),
            ..HangPolicy::default()
        },
        backoff: Duration::from_millis(1),
        ..Settings::new("", Limit::Depth(5))
    }
}

/// Grows the tree of the starting position in a place's database.
fn run(
    place: &Place,
    settings: &Settings,
    depth: u32,
    told: &mut Told,
) -> Result<RunOutcome, RunError> {
    let (game, schedule) = (Game::from_position(Chess::default()), Schedule::Once(Limit::Depth(5)));
    let job = Job::new(game, 20, schedule, depth);
    let mut store = Store::open(&place.db()).unwrap();
    let mut pool = Pool::start(settings).unwrap();
    grow(&job, &mut store, &mut pool, &ControlReceiver::never(), &mut |event| told.hear(event))
}

fn json(place: &Place) -> String {
    place.stdout(&["show", "--format", "json"])
}

/// The process group of a process (Linux) that is alive: who reaps orphans may be slow.
fn group_of(pid: &str) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, behind_name) = stat.rsplit_once(')')?;
    let mut fields = behind_name.split_whitespace();
    let alive = fields.next().is_some_and(|state| state != "Z" && state != "X");
    fields.nth(1)?.parse().ok().filter(|_| alive)
}

/// Collects the groups of the processes with a mark until `end` is set.
fn watch_groups(mark: &str, end: &AtomicBool) -> BTreeSet<u32> {
    let mut groups = BTreeSet::new();
    while !end.load(Ordering::SeqCst) {
        groups.extend(processes_with(mark).iter().filter_map(|pid| group_of(&pid.to_string())));
        std::thread::sleep(Duration::from_millis(2));
    }
    groups
}

/// The living processes of these groups.
fn members(groups: &BTreeSet<u32>) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").unwrap();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|pid| group_of(pid).is_some_and(|group| groups.contains(&group))).collect()
}

/// An engine whose every 20th search goes wrong, at random, each search twice at most.
fn faulty(name: &str, log: &Path, struck: &Path) -> String {
    let mut flags = vec!["--name", name, "--log", log.to_str().unwrap(), "--delay-ms", "1"];
    flags.extend(["--struck", struck.to_str().unwrap(), "--jitter-ms", "2"]);
    for fault in ["die", "illegal", "bounds", "garbage", "slow", "abort"] {
        flags.extend(["--fault", fault]);
    }
    flags.extend(["--fault", "hang"]);
    let words: Vec<String> = flags
        .iter()
        .map(|flag| match *flag {
            "hang" => "hang:chance=200,most=2".to_owned(),
            "die" | "illegal" | "bounds" | "garbage" | "slow" | "abort" => {
                format!("{flag}:chance=120,most=2")
            }
            _ => (*flag).to_owned(),
        })
        .collect();
    scripted(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn faults_in_every_20th_search_change_no_tree() {
    const DEPTH: u32 = 5;
    let faultless = Place::new();
    let name = unique_name();
    let engine = scripted(&["--name", &name]);
    let sources = vec![EngineSource { command: engine, engines: 1 }];
    run(&faultless, &settings(sources), DEPTH, &mut Told::default()).unwrap();

    let place = Place::new();
    let (log, struck) = (place.path("log"), place.path("struck"));
    let engine = faulty(&name, &log, &struck);
    // Half of the engines are behind a script, and outlive it unless their whole group is killed.
    let script = place.path("engine.sh");
    std::fs::write(&script, format!("#!/bin/sh\n{engine} --stubborn\nexit 0\n")).unwrap();
    let script = format!("sh {}", script.display());
    let sources = vec![
        EngineSource { command: engine, engines: 4 },
        EngineSource { command: script, engines: 4 },
    ];
    let end = AtomicBool::new(false);
    let mut told = Told::default();
    let (outcome, groups) = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch_groups(&name, &end));
        let outcome = run(&place, &settings(sources), DEPTH, &mut told);
        end.store(true, Ordering::SeqCst);
        (outcome, watcher.join().unwrap())
    });
    let outcome = outcome.unwrap();

    assert_eq!(json(&place), json(&faultless));
    assert!(groups.len() > 8, "only {} groups were seen", groups.len());
    wait_until("the death of every process of the engines", || members(&groups).is_empty());

    // Every fault is reported with its position, and cost one search.
    let struck = log_lines(&struck);
    let fatal: Vec<&String> = struck
        .iter()
        .filter(|line| !line.starts_with("Garbage") && !line.starts_with("Slow"))
        .collect();
    assert!(fatal.len() > 10, "only {} faults", fatal.len());
    let positions: Vec<&String> = told.faults.iter().filter_map(|f| f.0.as_ref()).collect();
    for line in &fatal {
        let epd = line.split('\t').nth(1).unwrap();
        // A search under way when the run ended does not matter any more.
        let told = positions.iter().filter(|told| **told == epd).count();
        let struck = fatal.iter().filter(|line| line.split('\t').nth(1) == Some(epd)).count();
        assert!(told == struck || told + 1 == struck, "{line}: told {told} times of {struck}");
    }
    let gos = u64::try_from(asked(&log).len()).unwrap();
    let cost = outcome.searches + u64::try_from(told.faults.len()).unwrap();
    assert!((cost..cost + 8).contains(&gos), "{gos} searches asked, {cost} accounted for");
    assert_eq!(place.run(&["verify"]).status.code(), Some(0));
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn always_failing_machine_is_left_out() {
    let faultless = Place::new();
    let name = unique_name();
    let good = scripted(&["--name", &name, "--delay-ms", "5"]);
    let source = |command: &str, engines| EngineSource { command: command.to_owned(), engines };
    run(&faultless, &settings(vec![source(&good, 1)]), 4, &mut Told::default()).unwrap();
    let place = Place::new();
    let log = place.path("bad");
    // It fails slowly: the good one is to answer in the meantime.
    let flags = ["--name", &name, "--delay-ms", "50", "--fault", "die"];
    let bad = scripted(&[&flags[..], &["--log", log.to_str().unwrap()]].concat());
    let mut told = Told::default();
    run(&place, &settings(vec![source(&good, 1), source(&bad, 4)]), 4, &mut told).unwrap();
    assert_eq!(json(&place), json(&faultless));
    let failed = told.notices.iter().map(|notice| match notice {
        PoolNotice::Retired { searches, .. } => *searches,
        _ => panic!("{notice:?}"),
    });
    // Three each, and more only where the machine had no time for the good one meanwhile.
    let failed: Vec<usize> = failed.collect();
    assert!(failed.len() == 4 && failed.iter().all(|failed| *failed >= 3), "{:?}", told.notices);
    assert_eq!(asked(&log).len(), failed.iter().sum::<usize>(), "no search after that");
    let text = told.notices.first().unwrap().to_string();
    let expected = format!(
        "exited during go depth 5 (status 3); {} searches in a row failed while other engines \
         answered: paused for 10m",
        failed[0]
    );
    assert!(text.contains(&expected) && text.contains(&bad), "{text}");
}

#[test]
fn deadly_position_ends_run_after_three_engines() {
    let place = Place::new();
    let name = unique_name();
    let whole = Place::new();
    let good = scripted(&["--name", &name]);
    let sources = vec![EngineSource { command: good, engines: 1 }];
    run(&whole, &settings(sources), 4, &mut Told::default()).unwrap();
    // The last position that the whole tree asks about.
    let deadly = {
        let db = rusqlite::Connection::open(whole.db()).unwrap();
        let sql = "SELECT epd FROM position JOIN search ON position.id = search.position
                   ORDER BY position.id DESC LIMIT 1";
        db.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap()
    };
    let log = place.path("log");
    let fault = format!("die:epd={deadly}");
    let engine = |more: &str| {
        let flags = ["--name", &name, "--fault", &fault, "--log", log.to_str().unwrap()];
        EngineSource { command: format!("{}{more}", scripted(&flags)), engines: 2 }
    };
    let sources = vec![engine(""), engine(" --delay-ms 1")];
    let mut told = Told::default();
    let error = run(&place, &settings(sources), 4, &mut told).unwrap_err().to_string();
    let expected = format!("engine {name:?} failed 3 times on {deadly} 0 1");
    assert_eq!(error, expected);
    let tried: Vec<_> = asked(&log).into_iter().filter(|go| go.0 == deadly).collect();
    assert!(tried.len() == 3 || tried.len() == 6, "ahead and of need, three times: {tried:?}");
    let kept = place.stored();
    assert!(kept.len() > 10 && kept.iter().all(|answer| answer.0 != deadly), "{}", kept.len());
    assert_eq!(told.notices, [], "no engine is to blame");
}

#[test]
fn left_out_machines_return_in_the_same_run() {
    let place = Place::new();
    let name = unique_name();
    let good = scripted(&["--name", &name, "--delay-ms", "5"]);
    let source = |command: String, engines| EngineSource { command, engines };
    let path = |name: &str| place.path(name).to_str().unwrap().to_owned();
    let bad = |name: &str, fault: &str| {
        let starts = path(&format!("starts of {name}"));
        let flags = ["--log", &path(name), "--starts", &starts, "--fault", fault];
        source(format!("{good} {}", deepanalyze_core::quoting::join(flags.iter().copied())), 2)
    };
    let (down, liar) = (bad("down", "die-at-start:until=4"), bad("liar", "illegal:until=8"));
    let mut settings = settings(vec![source(good.clone(), 1), down, liar]);
    settings.rest = Duration::from_millis(200);
    let mut told = Told::default();
    let outcome = run(&place, &settings, 4, &mut told).unwrap();
    let back =
        told.notices.iter().filter(|notice| matches!(notice, PoolNotice::Back { .. })).count();
    assert!(back >= 3, "{:?}", told.notices);
    for name in ["down", "liar"] {
        let searches = asked(&place.path(name)).len();
        assert!(searches > 50, "{name}: {searches} of {}", outcome.searches);
    }
}
