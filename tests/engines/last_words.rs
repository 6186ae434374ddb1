//! Engines that say why they end, and engines that say too much: shell scripts.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::support::pool::{LONG, START, ask, search};
use deepanalyze_core::search::Limit;
use deepanalyze_engine::{HangPolicy, Pool, Settings};

/// Settings of an engine with these reactions to commands, and otherwise the required ones.
fn settings(dir: &tempfile::TempDir, cases: &str) -> Settings {
    let script = format!(
        "while read -r word rest; do case \"$word\" in\n{cases}\nuci) echo 'id name Shell'; echo uciok;;\n\
         isready) echo readyok;;\nquit) exit;;\nesac; done\n"
    );
    let path = dir.path().join("engine.sh");
    std::fs::write(&path, script).unwrap();
    let command = format!("sh {}", path.display());
    Settings {
        hang: HangPolicy { startup: LONG, silence: LONG, patience: LONG, ..HangPolicy::default() },
        backoff: std::time::Duration::from_millis(1),
        ..Settings::new(&command, Limit::Depth(8))
    }
}

/// The error of such an engine's start, or else of its first search.
fn end_of(cases: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    match Pool::start(&settings(&dir, cases)) {
        Err(error) => error.to_string(),
        Ok(mut pool) => ask(&mut pool, search(START, &[])).error(),
    }
}

#[test]
fn last_words_on_any_stream_are_the_reason() {
    for (how, said) in [
        ("echo 'info string ERROR: network x.nnue not found'", "ERROR: network x.nnue not found"),
        ("echo 'Error: licence has run out'", "Error: licence has run out"),
        ("echo 'cannot open weights x.pb' >&2", "cannot open weights x.pb"),
        ("printf 'no end of line'", "no end of line"),
        ("echo one; echo two >&2", "one / two"),
        ("printf 'red \\033[31m\\n'", "red  [31m"),
    ] {
        for (at, end, during, status) in [
            ("uci", "exit 1", "startup", "status 1"),
            ("isready", "exit 3", "startup", "status 3"),
            ("position", "exit 1", "go depth 8", "status 1"),
            ("go", "exit 1", "go depth 8", "status 1"),
            ("go", "kill -9 $$", "go depth 8", "signal 9"),
        ] {
            let error = end_of(&format!("{at}) {how}; {end};;"));
            let expected = format!("\"Shell\" exited during {during} ({status}); it said: {said}");
            let expected = if at == "uci" { expected.replace("Shell", "sh") } else { expected };
            assert!(error.ends_with(&expected), "{at} {how}: {error}");
        }
    }
}

#[test]
fn missing_network_shows_all_five_lines() {
    let lines: Vec<String> = (1..=5).map(|n| format!("ERROR: line {n}")).collect();
    let echoes: String = lines.iter().map(|line| format!("echo 'info string {line}'; ")).collect();
    let error = end_of(&format!("go) echo 'info string NNUE'; {echoes} exit 1;;"));
    assert!(error.ends_with(&format!("it said: {}", lines.join(" / "))), "{error}");
}

#[test]
fn an_engine_that_floods_its_start_ends_at_the_bound() {
    for (flood, bound) in [
        ("yes 'option name A type check default true'", "more than 1000 options"),
        (
            "printf 'option name A type combo default a'; yes ' var a' | head -n 5000 | tr -d '\\n'; echo; \
             sleep 100",
            "more than 1000 choices of option \"A\"",
        ),
        ("yes 'info string hello'", "more than 250000 lines that say nothing"),
        ("yes 'info depth 1 score cp 1'", "more than 250000 lines that say nothing"),
        ("yes readyok", "more than 250000 lines that say nothing"),
        ("yes x | tr -d '\\n'", "a line of more than 16 MiB"),
    ] {
        let error = end_of(&format!("uci) {flood};;"));
        assert_eq!(
            error,
            format!("engine \"sh\" says too much during startup: {bound}"),
            "{flood}"
        );
    }
}

#[test]
fn an_engine_that_floods_its_search_ends_at_the_bound() {
    let error = end_of("go) yes 'info string hello';;");
    let flood = "says too much during go depth 8: more than 250000 lines that say nothing";
    assert!(error.ends_with(flood), "{error}");
}
