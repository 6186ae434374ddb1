//! The PGN reader against another one, python-chess, on damaged files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::path::Path;
use std::process::Command;
#[cfg(unix)]
use std::time::Duration;

use deepanalyze_core::chess::Games;
use serde_json::Value;

use crate::support::readers::python_chess;

const FILES: usize = 20_000;

type Moves = Vec<String>;

/// The moves of each game, or why it cannot be read.
fn read(file: &[u8]) -> Vec<Result<Moves, String>> {
    let moves = |game: std::io::Result<deepanalyze_core::chess::GameText>| {
        let written = game.unwrap().main_line(None).map_err(|error| error.to_string())?;
        Ok(written.game.moves().iter().map(ToString::to_string).collect())
    };
    Games::new(file).map(moves).collect()
}

fn bytes_of(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn moves_of(value: &Value) -> Moves {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn damaged_files_read_as_another_reader_or_as_meant() {
    if !python_chess() {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers/pgn_mutations.py");
    let output = Command::new("python3").arg(script).args(["1", &FILES.to_string()]).output();
    let output = output.expect("python3 runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (mut files, mut read_alike, mut refused) = (0, 0, 0);
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let file = bytes_of(line["file"].as_str().unwrap());
        let meant: Vec<Moves> = line["meant"].as_array().unwrap().iter().map(moves_of).collect();
        let theirs = line["games"].as_array().unwrap();
        let theirs =
            theirs.iter().map(|game| (moves_of(&game["moves"]), game["has_error"] == true));
        let theirs: Vec<(Moves, bool)> = theirs.collect();
        // Its main line ends at what it cannot read in a variation.
        let is_theirs =
            |moves: &Moves| {
                theirs.iter().any(|(their, has_error)| {
                    if *has_error { moves.starts_with(their) } else { their == moves }
                })
            };
        let ours = read(&file);
        let text = || String::from_utf8_lossy(&file).into_owned();
        files += 1;
        // Mutations that change nothing of the games.
        if ["mutate_spaces", "mutate_quotes"].contains(&line["kind"].as_str().unwrap()) {
            let ours: Vec<Moves> = ours.into_iter().map(|game| game.unwrap()).collect();
            assert_eq!(ours, meant, "{}", text());
            read_alike += ours.len();
            continue;
        }
        for game in ours {
            match game {
                // There are games of tags alone.
                Ok(moves) if moves.is_empty() => {}
                Ok(moves) if is_theirs(&moves) || meant.contains(&moves) => read_alike += 1,
                Ok(moves) => panic!("{moves:?}\nthey: {theirs:?}\n{}", text()),
                Err(_) => refused += 1,
            }
        }
    }
    println!("{files} files: {read_alike} games read alike, {refused} refused");
    assert!(files == FILES && read_alike > FILES / 2 && refused > FILES / 10);
}

/// CPU time of this thread, whatever else the machine does.
#[cfg(unix)]
fn computed() -> Duration {
    use nix::time::{ClockId, clock_gettime};
    Duration::from(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap())
}

/// However often something stands in a file, and whatever it is.
#[cfg(unix)]
#[test]
#[ignore = "slow: runs in .ci/run"]
fn the_time_grows_with_the_size_alone() {
    let time = |text: &str, times: usize| {
        let file = text.repeat(times);
        let run = || {
            let start = computed();
            read(file.as_bytes());
            computed() - start
        };
        (0..3).map(|_| run()).min().unwrap_or(Duration::ZERO)
    };
    for text in [
        "(",
        ")",
        "{",
        "}",
        "[",
        "\"",
        "[A \"",
        "[A \"x\"] ",
        "[A \"x\" ",
        "$",
        ";",
        "%",
        "e4",
        "1.",
        "1",
        "!",
        "+",
        "-",
        "\u{a7}!",
        "Nf3",
        "N ",
        "0-",
        "*",
        "\n",
        "\r",
        "\n\n1. e4 ",
        "{\n\n[",
        "{\n\n[A \"x\"]\n",
        "{\n\n[A \"x\"]\n}",
        "\n\n[Event \"x\"]\n",
        "\u{1a}[",
        "$ ",
        "$ 1",
        "<",
        "<b>",
        "<b> e",
        "e4<i>",
        "<->",
        "=!",
        ",",
        "1)",
        "1 - 0",
        "[Event \"x\"]\n",
        "\u{200b}",
        "½",
        "e.p.",
        "1. e4 {x} (1. d4) ",
        "\0",
        "\\\"",
        "[A \"\\\"]",
    ] {
        // 32 times as much takes 32 times as long; with the square it would be 1024.
        let (short, long) = (time(text, 2_000), time(text, 64_000));
        assert!(long < short * 200 + Duration::from_millis(200), "{text:?}: {short:?}, {long:?}");
    }
}
