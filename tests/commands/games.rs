//! `deepanalyze games` on the built program: making sets, what they tell, and what is refused.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::io::Write;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::support::program::{Place, signal, stderr};

const CLUB: &str = "[Event \"Club open\"]\n[Date \"2019.05.01\"]\n[White \"Smith, Anna\"]\n[Black \"Brown, Bob\"]\n\
    [Result \"1-0\"]\n[WhiteElo \"2100\"]\n[BlackElo \"1900\"]\n[TimeControl \"300+3\"]\n\n1. e4 c5 2. Nf3 d6 1-0\n\n\
    [Event \"Club open\"]\n[Date \"2021.05.01\"]\n[White \"Brown, Bob\"]\n[Black \"Smith, Anna\"]\n\
    [Result \"1/2-1/2\"]\n[WhiteElo \"1950\"]\n[BlackElo \"2150\"]\n\n1. e4 c5 2. Nc3 1/2-1/2\n\n\
    [Event \"Rapid\"]\n[Date \"2022.01.01\"]\n[White \"Brown, Bob\"]\n[Black \"Green, Carl\"]\n\
    [Result \"0-1\"]\n\n1. d4 d5 0-1\n\n";

const BAD: &str = "[Event \"x\"]\n[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Ke3 *\n\n";

/// A place with a file of games and the set `club` made from it.
fn club() -> Place {
    let place = Place::new();
    std::fs::write(place.path("club.pgn"), CLUB).unwrap();
    let added = place.run(&["games", "add", "club", "club.pgn"]);
    let said = String::from_utf8(added.stdout.clone()).unwrap();
    assert!(added.status.success() && added.stderr.is_empty(), "{}", stderr(&added));
    assert!(said.starts_with("added     3 games\n"), "{said}");
    assert!(said.contains("set       club: 3 games, 5 positions, 7 moves ("), "{said}");
    place
}

pub(super) fn json(place: &Place, args: &[&str]) -> Value {
    serde_json::from_str(&place.stdout(args)).unwrap()
}

pub(super) fn refused(place: &Place, args: &[&str], status: i32, words: &str) {
    let output = place.run(args);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
    assert!(said.contains(words), "{args:?}: {said}");
    assert_eq!(said.matches("error:").count(), 1, "{args:?}: {said}");
    assert!(!said.contains("panicked"), "{args:?}: {said}");
}

#[test]
fn a_set_shows_what_was_played() {
    let place = club();
    let text = place.stdout(&["games", "show", "club"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(&lines[..3], ["club: 3 games", "initial position", ""]);
    assert_eq!(
        lines[3],
        "move  games   share  white  draw  black                        rating  last"
    );
    assert_eq!(
        lines[4],
        "e4        2   66.7%    50%   50%     0%  ██████████▒▒▒▒▒▒▒▒▒▒    2025  2021"
    );
    assert_eq!(
        lines[5],
        "d4        1   33.3%     0%    0%   100%  ····················          2022"
    );
    assert_eq!(
        lines[6],
        "all       3  100.0%    33%   33%    33%  ███████▒▒▒▒▒▒·······          2022"
    );
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
    let same = place.stdout(&["games", "show", "--moves", "e4", "--line", "c5"]);
    assert!(
        same.contains("\n1. e4 c5 (Sicilian Defense)\n")
            && same.contains("Nc3 ")
            && same.contains("Nf3 "),
        "{same}"
    );
    let none = place.stdout(&["games", "show", "club", "--moves", "a3"]);
    assert!(none.ends_with("\nno game reaches this position\n"), "{none}");
    // A file of games is counted in memory.
    let counted = place.stdout(&["games", "show", "club.pgn"]);
    assert_eq!(counted.replace("club.pgn:", "club:"), text);
}

#[test]
fn programs_read_the_same() {
    let place = club();
    let filter = ["--player", "anna smith", "--player-side", "black"];
    let table =
        json(&place, &[&["games", "show", "club", "--format", "json"], &filter[..]].concat());
    let digest = table["set"]["digest"].as_str().unwrap();
    assert_eq!(digest.len(), 32);
    let set = json!({"name": "club", "digest": digest, "games": 1, "filter": "anna smith as Black", "max_ply": 60});
    assert_eq!(table["set"], set);
    let e4 = json!({"uci": "e2e4", "san": "e4", "games": 1, "share": 1.0, "white": 0, "draws": 1, "black": 0,
        "mean_rating": 2050, "last_year": 2021});
    assert_eq!(
        (&table["format"], &table["games"], &table["moves"]),
        (&json!(1), &json!(1), &json!([e4]))
    );
    let list = json(&place, &["games", "list", "--format", "json"]);
    assert_eq!((&list[0]["games"], &list[0]["years"]), (&json!(3), &json!([2019, 2022])));
    assert_eq!(list[0]["sources"][0]["file"], "club.pgn");
    let counted = json(&place, &["games", "show", "club.pgn", "--format", "json"]);
    assert_eq!(counted["set"]["digest"], list[0]["digest"]);
}

#[test]
fn filters_leave_games_out() {
    let place = club();
    let games = |args: &[&str]| {
        let all = [&["games", "show", "club", "--format", "json"], args].concat();
        json(&place, &all)["set"]["games"].as_u64().unwrap()
    };
    assert_eq!(games(&["--min-rating", "1950"]), 1);
    assert_eq!(games(&["--since", "2021"]), 2);
    assert_eq!(games(&["--since", "2021-05-02"]), 1);
    assert_eq!(games(&["--time-control", "blitz"]), 1);
    assert_eq!(games(&["--event", "RAPID"]), 1);
    assert_eq!(games(&["--player", "Brown, Bob", "--event", "club"]), 2);
}

#[test]
fn added_games_count_once() {
    let place = club();
    std::fs::write(place.path("more.pgn"), [CLUB, BAD, "[Event \"y\"]\n\n1. c4 *\n"].concat())
        .unwrap();
    let mut command = place.command(&["games", "add", "club", "-"]);
    command.stdin(Stdio::from(std::fs::File::open(place.path("more.pgn")).unwrap()));
    let output = command.output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("error: 1 game cannot be read and is left out\n"), "{said}");
    assert!(said.contains("hint: the other games are in the set\n"), "{said}");
    assert!(
        said.contains("  standard input: game 4, line 34 (A – B): \"2. Ke3\" is illegal"),
        "{said}"
    );
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.starts_with("added     1 game; left out: 3 there already, 1 bad\n"), "{told}");
    // As JSON.
    let again = place.run(&["games", "add", "club", "more.pgn", "--format", "json", "--quiet"]);
    let told: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(again.status.code(), Some(1), "{}", stderr(&again));
    assert_eq!([&told["added"], &told["duplicates"], &told["bad"]], [0, 4, 1]);
    assert_eq!((&told["set"]["name"], &told["set"]["games"]), (&"club".into(), &4.into()));
    assert!(told["left_out"][0].as_str().unwrap().contains("\"2. Ke3\" is illegal"), "{told}");
    let list = place.stdout(&["games", "list"]);
    let lines: Vec<&str> = list.lines().collect();
    assert!(lines[0].starts_with("name  games  positions  moves"), "{list}");
    assert!(lines[1].starts_with("club      4          5      8"), "{list}");
    // Each file once, however often it was added.
    assert!(lines[1].ends_with("2019–2022  club.pgn, standa…, more.pgn"), "{list}");
    place.run(&["games", "add", "club", "club.pgn", "club.pgn"]);
    let again = place.stdout(&["games", "list"]);
    assert!(again.ends_with("2019–2022  club.pgn, standa…, more.pgn\n"), "{again}");
}

#[test]
fn a_set_is_removed_once_somebody_has_agreed() {
    let place = club();
    refused(
        &place,
        &["games", "remove", "club"],
        2,
        "refusing to remove club (3 games) without confirmation",
    );
    assert_eq!(place.stdout(&["games", "remove", "club", "--yes"]), "removed club (3 games)\n");
    assert!(place.stdout(&["games", "list"]).starts_with("no sets of games in "));
    refused(&place, &["games", "remove", "club", "--yes"], 1, "there is no set of games");
}

#[test]
fn a_set_may_be_a_path_and_what_is_none_is_refused() {
    let place = club();
    place.stdout(&["games", "add", "./other.games", "club.pgn", "--quiet"]);
    assert!(place.stdout(&["games", "show", "./other.games"]).starts_with("other: 3 games\n"));
    std::fs::write(place.path("text.txt"), "hello\n").unwrap();
    std::fs::write(place.path("bad.pgn"), BAD).unwrap();
    std::fs::write(place.path("cut.pgn.gz"), b"\x1f\x8b\x08\x00\x00\x00").unwrap();
    rusqlite::Connection::open(place.path("foreign.games"))
        .unwrap()
        .execute_batch("CREATE TABLE a (b)")
        .unwrap();
    let newer = rusqlite::Connection::open(place.path("other.games")).unwrap();
    newer.pragma_update(None, "user_version", 7).unwrap();
    for (args, status, words) in [
        (&["show", "none"][..], 1, "there is no set of games"),
        (&["show", "./foreign.games"], 1, "is a database, but no set of games"),
        (
            &["show", "./other.games"],
            1,
            "has format 7, and this version of deepanalyze knows formats up to 2",
        ),
        (&["show", "club", "--player", "Smit, Anna"], 1, "hint: near names: \"Smith, Anna\""),
        (&["show", "club", "--player-side", "white"], 2, "--player <NAME>"),
        (&["show", "club", "--since", "lately"], 2, "a year, a month or a day"),
        (&["show", "club", "--time-control", "fast"], 2, "bullet, blitz, rapid"),
        (&["show", "club", "--moves", "e5"], 2, "is illegal"),
        (&["add", "club", "none.pgn"], 1, "none.pgn: No such file"),
        (&["add", "club", "text.txt"], 1, "no game in PGN format in text.txt"),
        (
            &["add", "club", "bad.pgn"],
            1,
            "no game of the files can be counted; the first: bad.pgn: game 1",
        ),
        (&["add", "club", "cut.pgn.gz"], 1, "cut.pgn.gz is cut short or damaged"),
        (
            &["add", "club", "cut.pgn.gz"],
            1,
            "hint: the set is what it was; download the file again",
        ),
        (&["show", "cut.pgn.gz"], 1, "hint: download the file again"),
        (&["add", "club.pgn", "club.pgn"], 1, "error: club.pgn is no set of games\n"),
        (&["add", "club.pgn", "club.pgn"], 1, "hint: `games add SET FILE`: the set comes first"),
        (&["add", "./foreign.games", "club.pgn"], 1, "is a database, but no set of games"),
        (
            &["add", "club", "club.pgn", "--max-ply", "20"],
            1,
            "counts 60 plies of each game, not 20",
        ),
        (&["add", "club"], 2, "<FILE>..."),
    ] {
        refused(&place, &[&["games"], args].concat(), status, words);
    }
    assert!(place.stdout(&["games", "show", "club"]).starts_with("club: 3 games\n"));
}

/// Begins to add games to `club` that come bit by bit, and has taken most of some megabytes when this returns.
fn begun(place: &Place) -> Child {
    let mut command = place.command(&["games", "add", "club", "-"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let game = |at: u32| format!("[Event \"x\"]\n[White \"Player {at}\"]\n\n1. e4 e5 2. Nf3 *\n\n");
    let text: String = (0..60_000).map(game).collect();
    child.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    child
}

#[test]
fn interrupted_addition_leaves_the_set_unchanged() {
    let place = club();
    let before = place.stdout(&["games", "list", "--format", "json"]);
    let mut killed = begun(&place);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(place.stdout(&["games", "list", "--format", "json"]), before);
    let mut interrupted = begun(&place);
    signal(i64::from(interrupted.id()), "INT");
    // Standard input ends, for which the command waits.
    drop(interrupted.stdin.take());
    let output = interrupted.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).ends_with("interrupted: nothing was added\n"), "{}", stderr(&output));
    assert_eq!(place.stdout(&["games", "list", "--format", "json"]), before);
    let folder = place.path(".local/share/deepanalyze/games");
    let left: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["club.games"]);
}

#[test]
fn two_do_not_add_to_a_set_at_once() {
    let place = club();
    let mut first = begun(&place);
    refused(&place, &["games", "add", "club", "club.pgn"], 1, "games are being added to ");
    drop(first.stdin.take());
    assert!(first.wait().unwrap().success());
    assert!(place.stdout(&["games", "show"]).starts_with("club: 60,003 games\n"));
}

#[test]
fn filter_without_matches_is_an_error_for_trees() {
    let place = club();
    let shown = place.stdout(&["games", "show", "club", "--since", "2099"]);
    assert!(shown.starts_with("club: 0 games (since 2099)\n"), "{shown}");
    place.grow(&["--depth", "1", "--distance", "20"]);
    let words = "none of the 3 games of club matches the filter: since 2099\n";
    for command in [&["grow", "--depth", "1"][..], &["audit", "--side", "white"]] {
        let args = [command, &["--games", "club", "--since", "2099"]].concat();
        refused(&place, &args, 1, words);
    }
}

#[test]
fn standard_input_and_files_of_any_name_are_sets_too() {
    let place = club();
    let shown = |args: &[&str]| {
        let mut command = place.command(&[&["games", "show"], args].concat());
        command.stdin(Stdio::from(std::fs::File::open(place.path("club.pgn")).unwrap()));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert!(shown(&["-"]).starts_with("standard input: 3 games\n"));
    let table: Value = serde_json::from_str(&shown(&["-", "--format", "json"])).unwrap();
    assert_eq!(table["set"]["name"], "standard input");
    for name in ["CLUB.PGN", "mine"] {
        std::fs::copy(place.path("club.pgn"), place.path(name)).unwrap();
        assert!(shown(&[name]).starts_with(&format!("{name}: 3 games\n")), "{name}");
    }
    // The set of that name comes first.
    std::fs::write(place.path("club"), "no games").unwrap();
    assert!(shown(&["club"]).starts_with("club: 3 games\n"));
}

#[test]
fn any_set_is_removed_unless_games_are_being_added() {
    let place = club();
    let mut adding = begun(&place);
    refused(&place, &["games", "remove", "club", "--yes"], 1, "games are being added to ");
    drop(adding.stdin.take());
    assert!(adding.wait().unwrap().success());
    for bytes in [&b""[..], b"SQLite format 3\0 and so on"] {
        std::fs::write(place.path("some.games"), bytes).unwrap();
        let removed = place.stdout(&["games", "remove", "some.games", "--yes"]);
        assert_eq!(removed, "removed some.games\n");
        assert!(!place.path("some.games").exists());
    }
    std::fs::write(place.path("text.games"), "hello").unwrap();
    refused(&place, &["games", "remove", "text.games", "--yes"], 1, "is no set of games");
}

/// Runs a command that counts games which never end, and tells it to end.
fn interrupted(place: &Place, args: &[&str]) {
    let mut child = place.command(args).stdin(Stdio::piped()).spawn().unwrap();
    let mut games = child.stdin.take().unwrap();
    let text = "[Event \"x\"]\n\n1. e4 e5 2. Nf3 *\n\n".repeat(60_000);
    games.write_all(text.as_bytes()).unwrap();
    let told = std::time::Instant::now();
    signal(i64::from(child.id()), "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{args:?}: {}", stderr(&output));
    assert!(told.elapsed().as_secs() < 10, "{args:?}");
    drop(games);
}

#[test]
fn counting_games_that_never_end_is_interrupted() {
    let place = club();
    place.grow(&["--depth", "1", "--distance", "20"]);
    interrupted(&place, &["games", "show", "-"]);
    interrupted(&place, &["grow", "--depth", "1", "--games", "-"]);
    interrupted(&place, &["audit", "--side", "white", "--games", "-"]);
}
