//! Pools of several command lines: the same engine here and on machines that come and go.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]
#![allow(clippy::indexing_slicing, reason = "helpers of tests")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::support::pool::{LONG, START, ask, close, collect, search, settings, unique_name};
use crate::support::program::{Place, searches, stderr};
use crate::support::{left_behind, processes_with, scripted, wait_until};
use deepanalyze_engine::{EngineSource, Event, Pool, PoolNotice, Reason, Settings};

/// This many processes of each command line, with short times.
fn sources(commands: &[(&str, usize)]) -> Settings {
    let source = |(command, engines): &(&str, usize)| EngineSource {
        command: (*command).to_owned(),
        engines: *engines,
    };
    Settings { sources: commands.iter().map(source).collect(), ..settings("", &[]) }
}

/// The scripted engine of that name with more flags.
fn engine(name: &str, flags: &[&str]) -> String {
    scripted(&[&["--name", name], flags].concat())
}

/// An `ssh` to a machine that can be cut off: it exists as long as the returned file.
fn remote(folder: &Path, engine: &str) -> (String, PathBuf) {
    let (script, there) = (folder.join("ssh"), folder.join("there"));
    let text = format!(
        "#!/bin/sh\n[ -e {} ] || {{ echo \"ssh: connect to host $1: Connection refused\" >&2; exit 255; }}\n\
         shift\n\"$@\"\n",
        there.display(),
    );
    std::fs::write(&script, text).unwrap();
    (format!("sh {} big {engine}", script.display()), there)
}

/// Takes events until one fits.
fn wait_for<T>(pool: &Pool, fits: impl Fn(&Event) -> Option<T>) -> T {
    let until = Instant::now() + LONG;
    loop {
        let event = pool.events().recv_deadline(until).expect("the event in time");
        if let Some(found) = fits(&event) {
            return found;
        }
    }
}

fn is_back(event: &Event) -> Option<String> {
    match event {
        Event::Notice(PoolNotice::Back { command }) => Some(command.clone()),
        _ => None,
    }
}

/// Submits this many searches, and waits for all.
fn serve(pool: &mut Pool, count: u64) {
    (0..count).for_each(|ticket| pool.submit(ticket, search(START, &[])));
    for (ticket, outcome) in collect(pool, usize::try_from(count).unwrap()) {
        assert!(outcome.result.is_ok(), "{ticket}: {:?}", outcome.result);
    }
}

#[test]
fn all_command_lines_serve_through_wrappers_too() {
    let folder = tempfile::tempdir().unwrap();
    let name = unique_name();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (log, gate) = (|number: u32| path(&format!("log-{number}")), path("gate"));
    let held = ["--fault", "held:go=1", "--gate", &gate];
    let engine = |number| engine(&name, &[&held[..], &["--log", &log(number)]].concat());
    let wrapper = folder.path().join("wrapper");
    std::fs::write(&wrapper, "#!/bin/sh\nexec \"$@\"\n").unwrap();
    let (ssh, there) = remote(folder.path(), &engine(2));
    std::fs::write(&there, "").unwrap();
    let wrapped = format!("sh {} {}", wrapper.display(), engine(1));
    let mut pool = Pool::start(&sources(&[(&engine(0), 1), (&wrapped, 2), (&ssh, 3)])).unwrap();
    assert_eq!((pool.engines(), pool.running(), pool.up()), (6, 3, 6));
    assert_eq!(pool.profile().engine, name);
    (0..60).for_each(|ticket| pool.submit(ticket, search(START, &[])));
    wait_until("a search on every engine", || pool.busy() == 6);
    std::fs::write(&gate, "").unwrap();
    assert!(collect(&pool, 60).values().all(|outcome| outcome.result.is_ok()));
    assert_eq!(pool.running(), 6);
    let served = [0, 1, 2].map(|number| searches(Path::new(&log(number))));
    assert!(served.iter().sum::<usize>() == 60 && served.iter().all(|n| *n > 0), "{served:?}");
    close(pool, &name);
}

#[test]
fn the_engines_of_a_pool_start_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let name = unique_name();
    // No output before all have started.
    let script = folder.path().join("script");
    let text = "#!/bin/sh\n: >\"$0.$$\"\nwhile [ $(ls \"$0\".* | wc -l) -lt 6 ]; do sleep 0.02; done\n\
                exec \"$@\"\n";
    std::fs::write(&script, text).unwrap();
    let waiting = format!("sh {} {}", script.display(), engine(&name, &[]));
    let commands = [(waiting.as_str(), 1); 6];
    let pool = Pool::start(&sources(&commands)).unwrap();
    assert_eq!(pool.running(), 6);
    close(pool, &name);
}

#[test]
fn other_name_or_options_are_refused_with_reason() {
    let name = unique_name();
    let local = engine(&name, &[]);
    let other_name = engine(&format!("{name} dev"), &[]);
    let error = Pool::start(&sources(&[(&local, 1), (&other_name, 1)])).unwrap_err();
    let expected = format!(
        "engine \"{name} dev\" ({other_name:?}) is not {name:?}: engines of one run must be the same"
    );
    assert_eq!(error.to_string(), expected);
    let net = |net: &str| format!("option name EvalFile type string default {net}");
    let mine = engine(&name, &["--option-line", &net("/here/nn-a.nnue")]);
    let same = engine(&name, &["--option-line", &net("/there/nn-a.nnue")]);
    let theirs = engine(
        &name,
        &["--option-line", &net("nn-b.nnue"), "--option-line", "option name New type button"],
    );
    let error = Pool::start(&sources(&[(&mine, 1), (&theirs, 1)])).unwrap_err();
    let expected = format!(
        "engine {name:?} ({theirs:?}) is a different build from the first: its option \"EvalFile\" has \
         default nn-b.nnue, not default /here/nn-a.nnue; it has an option \"New\""
    );
    assert_eq!(error.to_string(), expected);
    close(Pool::start(&sources(&[(&mine, 1), (&same, 1)])).unwrap(), &name);
    // An option set everywhere is no difference any more; a missing one is an error.
    let mut options = sources(&[(&mine, 1), (&engine(&name, &["--option-line", &net("x")]), 1)]);
    options.options = vec![("EvalFile".to_owned(), "nn-c.nnue".to_owned())];
    close(Pool::start(&options).unwrap(), &name);
    options.sources[1].command.clone_from(&local);
    let error = Pool::start(&options).unwrap_err().to_string();
    assert_eq!(error, format!("engine {name:?} ({local:?}) has no option \"EvalFile\""));
    assert_eq!(left_behind(&name), Vec::<u32>::new());
}

#[test]
fn machine_down_at_start_is_used_once_up() {
    let folder = tempfile::tempdir().unwrap();
    let name = unique_name();
    let log = folder.path().join("log");
    let (ssh, there) =
        remote(folder.path(), &engine(&name, &["--log", log.to_str().unwrap(), "--delay-ms", "5"]));
    let local = engine(&name, &["--delay-ms", "5"]);
    // First, though it does not give the name.
    let mut pool = Pool::start(&sources(&[(&ssh, 2), (&local, 1)])).unwrap();
    assert_eq!((pool.profile().engine.as_str(), pool.running(), pool.up()), (&*name, 1, 1));
    let error = wait_for(&pool, |event| match event {
        Event::Fault { ticket: None, error, attempt: 1 } => Some(error.to_string()),
        _ => None,
    });
    let expected = format!(
        "engine \"sh\" ({ssh:?}) exited during startup (status 255); it said: ssh: connect to host \
         big: Connection refused"
    );
    assert_eq!(error, expected);
    serve(&mut pool, 20);
    assert_eq!(searches(&log), 0);
    std::fs::write(&there, "").unwrap();
    assert_eq!(wait_for(&pool, is_back), ssh);
    wait_until("a search on the machine that is back", || {
        serve(&mut pool, 20);
        searches(&log) > 0
    });
    close(pool, &name);
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn broken_connection_costs_searches_and_recovers() {
    let folder = tempfile::tempdir().unwrap();
    let name = unique_name();
    let far = folder.path().join(format!("{name} far"));
    let far = far.to_str().unwrap();
    let log = folder.path().join("log");
    let flags = ["--log", log.to_str().unwrap(), "--delay-ms", "20", "--transcript", far];
    let (ssh, there) = remote(folder.path(), &engine(&name, &flags));
    std::fs::write(&there, "").unwrap();
    let local = engine(&name, &["--delay-ms", "20"]);
    let mut pool = Pool::start(&sources(&[(&local, 1), (&ssh, 4)])).unwrap();
    wait_until("searches on the other machine", || {
        serve(&mut pool, 40);
        searches(&log) > 10
    });
    for _ in 0..3 {
        (0..200).for_each(|ticket| pool.submit(ticket, search(START, &[])));
        wait_until("searches under way", || pool.busy() == 5 || pool.waiting() == 0);
        std::fs::remove_file(&there).unwrap();
        let pids = processes_with(far).iter().map(u32::to_string).collect::<Vec<_>>();
        let mut kill = std::process::Command::new("kill");
        // Some may have ended already.
        kill.arg("-9").args(&pids).status().unwrap();
        let outcomes = collect(&pool, 200);
        assert!(outcomes.values().all(|outcome| outcome.result.is_ok()));
        let faults = outcomes.values().map(|outcome| outcome.faults.len()).sum::<usize>();
        assert!(faults <= 8, "{faults} searches were lost, where four engines were");
        std::fs::write(&there, "").unwrap();
        let before = searches(&log);
        wait_until("a search on the machine that is back", || {
            serve(&mut pool, 20);
            searches(&log) > before
        });
    }
    close(pool, &name);
}

#[test]
fn a_retired_engine_is_tried_again_after_its_rest() {
    let folder = tempfile::tempdir().unwrap();
    let name = unique_name();
    let starts = folder.path().join("starts");
    // It fails slowly: the other one must have answered in the meantime, on any machine.
    let flags = ["--starts", starts.to_str().unwrap(), "--fault", "illegal:until=3"];
    let bad = engine(&name, &[&flags[..], &["--delay-ms", "300"]].concat());
    let mut options = sources(&[(&engine(&name, &["--delay-ms", "5"]), 1), (&bad, 1)]);
    options.rest = Duration::from_secs(3);
    // Taken first of all: however late an event is read, the rest comes later.
    let began = Instant::now();
    let mut pool = Pool::start(&options).unwrap();
    (0..4000).for_each(|ticket| pool.submit(ticket, search(START, &[])));
    let notice = wait_for(&pool, |event| match event {
        Event::Notice(notice) => Some(notice.clone()),
        _ => None,
    });
    let PoolNotice::Retired { error, searches: 3, .. } = &notice else { panic!("{notice:?}") };
    assert_eq!(error.command.as_deref(), Some(&*bad));
    let expected = format!(
        "engine {name:?} ({bad:?}) answered the illegal move \"e1e8\" to go depth 8; 3 searches in a row failed while other engines \
         answered: paused for 3s"
    );
    assert_eq!(notice.to_string(), expected);
    assert_eq!(pool.up(), 1);
    assert_eq!(wait_for(&pool, is_back), bad);
    assert!(began.elapsed() > options.rest, "{:?}", began.elapsed());
    assert_eq!(pool.up(), 2);
    close(pool, &name);
}

#[test]
fn search_failing_on_three_machines_is_given_up() {
    let name = unique_name();
    let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";
    let deadly = format!("die:epd={after_e4}");
    let flags = ["--delay-ms", "2", "--fault", &deadly];
    let local = engine(&name, &flags);
    let mut pool = Pool::start(&sources(&[(&local, 2), (&local, 2), (&local, 2)])).unwrap();
    for ticket in 1..30 {
        pool.submit(ticket, search(START, &[]));
    }
    pool.submit(0, search(&format!("{after_e4} 0 1"), &[]));
    let outcomes = collect(&pool, 30);
    assert_eq!(outcomes[&0].faults.len(), 2);
    let error = outcomes[&0].error();
    assert!(error.contains(&format!("failed 3 times on {after_e4}")), "{error}");
    assert!(outcomes.values().skip(1).all(|outcome| outcome.result.is_ok()));
    assert_eq!(ask(&mut pool, search(START, &[])).faults, []);
    close(pool, &name);
}

#[test]
fn pool_without_working_engines_fails() {
    let name = unique_name();
    let engine = engine(&name, &["--fault", "die"]);
    let mut pool = Pool::start(&sources(&[(&engine, 2), (&engine, 2)])).unwrap();
    (0..5).for_each(|ticket| pool.submit(ticket, search(START, &[])));
    for outcome in collect(&pool, 5).values() {
        assert!(outcome.error().contains("failed 3 times on"), "{}", outcome.error());
    }
    close(pool, &name);
}

#[test]
fn where_no_command_line_starts_each_is_named() {
    let name = unique_name();
    let mute = engine(&name, &["--fault", "die-at-start"]);
    let error = Pool::start(&sources(&[("false", 1), (&mute, 1)])).unwrap_err();
    assert!(matches!(error.reason, Reason::NoneStarts(_)), "{error:?}");
    let text = error.to_string();
    assert!(text.starts_with("no engine starts: engine \"false\" (\"false\") exited"), "{text}");
    assert!(text.contains("giving up"), "{text}");
    // A missing program is an error of the command line, whatever else works.
    let good = engine(&name, &[]);
    let error = Pool::start(&sources(&[(&good, 1), ("no-such-engine", 1)])).unwrap_err();
    assert_eq!(error.reason, Reason::NotFound);
    assert_eq!(left_behind(&name), Vec::<u32>::new());
}

#[test]
fn grow_takes_numbered_engines_and_lists_them() {
    let place = Place::new();
    let engine = scripted(&[]);
    let grow = |more: &[&str]| place.run(&[&["grow", "--engine-depth", "5"], more].concat());
    let output = grow(&["--engine", &format!("2*{engine}"), "--engine", &engine, "--depth", "2"]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let expected = format!(
        "engine    Scripted 1, engine depth 5, 3 processes\n          2 × {engine}\n          1 × {engine}\n"
    );
    assert!(said.contains(&expected), "{said}");
    let output = grow(&["--engine", &engine, "--engine", "false", "--depth", "3"]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let warning =
        "warning: engine \"false\" (\"false\") exited during startup (status 1); trying again\n";
    assert_eq!(said.matches(warning).count(), 1, "{said}");
    let other = scripted(&["--name", "Other 2"]);
    let output = grow(&["--engine", &engine, "--engine", &other]);
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(said.contains("is not \"Scripted 1\"") && said.contains("hint: install"), "{said}");
}

#[test]
fn numbers_of_engines_that_make_no_sense_are_refused() {
    let place = Place::new();
    for (args, words) in [
        (&["--engine", "0*true"][..], "0 processes: must be from 1 to 1024"),
        (&["--engine", "2*true", "--engines", "3"], "--engines has no effect"),
        (&["--engine", "1000*true", "--engine", "25*true"], "1025 engine processes"),
    ] {
        let output = place.run(&[&["grow"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    }
}
