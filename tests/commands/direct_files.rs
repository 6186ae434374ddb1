//! `direct` with files on the built program: sets of directives, repertoires, longer games.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use super::direct::{E4, START, direct, exported, json, listed, refused};
use crate::support::program::{Place, stderr};

#[test]
fn a_set_goes_through_a_file_and_back() {
    let place = Place::new();
    for args in [
        &["exclude", "a3"][..],
        &["exclude", "h3"],
        &["include", "e4 c5"],
        &["value", "d4", "+1.20"],
        &["stop", "b3"],
        &["note", "e4", "the \"best\" move"],
    ] {
        direct(&place, args);
    }
    let whole = exported(&place);
    assert_eq!(whole["exclude"][START], json("[\"a2a3\", \"h2h3\"]"));
    direct(&place, &["export", "--output", "set.json"]);
    let dates = direct(&place, &["list", "--format", "json"]);
    let said = direct(&place, &["apply", "set.json"]);
    assert_eq!(said, "the root already has the 7 directives of set.json\n");
    assert_eq!(direct(&place, &["list", "--format", "json"]), dates, "what stays keeps its date");
    std::fs::write(place.path("one.json"), format!("\u{feff}{{\"stop\": [\"{E4}\"]}}")).unwrap();
    let said = direct(&place, &["apply", "one.json"]);
    assert!(said.starts_with("1 directive of one.json in place of 2 moves excluded"), "{said}");
    assert_eq!(listed(&place, &[]), ["stop     1. e4"]);
    direct(&place, &["apply", "set.json"]);
    assert_eq!(exported(&place), whole);
    let mut command = place.command(&["direct", "apply", "-"]);
    let empty = std::process::Stdio::from(
        std::fs::File::open({
            std::fs::write(place.path("empty.json"), "{}").unwrap();
            place.path("empty.json")
        })
        .unwrap(),
    );
    assert!(command.stdin(empty).status().unwrap().success());
    assert_eq!(exported(&place), json("{}"));
}

#[test]
fn wrong_directives_file_is_refused_whole() {
    let place = Place::new();
    direct(&place, &["exclude", "a3"]);
    for (text, words) in [
        ("", "not a set of directives: EOF"),
        ("[]", "invalid type: sequence"),
        (r#"{"exlude": {}}"#, "unknown field `exlude`"),
        (r#"{"stop": ["8/8 w - -"]}"#, "\"stop\": "),
        (
            r#"{"exclude": {"START": ["a2a3"]}, "include": {"START": ["Nf3"]}}"#,
            "\"include\", rnbqkbnr",
        ),
        (r#"{"include": {"START": ["e2e5"]}}"#, "e2e5 is not legal there"),
        (r#"{"value": {"START": 5}}"#, "\"value\", rnbqkbnr"),
        (r#"{"value": {"E4": 30001}}"#, "beyond a decided game"),
    ] {
        let text = text.replace("START", START).replace("E4", E4);
        std::fs::write(place.path("bad.json"), text).unwrap();
        refused(&place, &["apply", "bad.json"], 2, words);
        let output = place.run_grow(&["--directives", "bad.json"]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(words) && stderr(&output).contains("bad.json: "));
    }
    std::fs::write(place.path("bad.json"), b"{\xff}").unwrap();
    refused(&place, &["apply", "bad.json"], 2, "bad.json: not in UTF-8");
    refused(&place, &["apply", "none.json"], 1, "cannot read none.json: No such file");
    refused(&place, &["export", "-o", "tree.db"], 2, "--output names the database itself");
    std::fs::write(place.path("suite.epd"), format!("{START}\n")).unwrap();
    let output = place.run_grow(&["--epd", "suite.epd", "--directives", "bad.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("bad.json: not in UTF-8"), "{}", stderr(&output));
    assert_eq!(listed(&place, &[]), ["exclude  1. a3"]);
}

#[test]
fn a_longer_game_begins_with_a_copy_and_says_so() {
    let place = Place::new();
    let write =
        |moves: &str| std::fs::write(place.path("game.pgn"), format!("{moves} *\n")).unwrap();
    let game = ["--pgn", "game.pgn"];
    write("1. e4");
    direct(&place, &[&game[..], &["stop", "e5"]].concat());
    direct(&place, &[&game[..], &["include", "e5 Nf3"]].concat());
    write("1. e4 e5");
    let copy = "new position: copied the 2 directives from one ply earlier in the game";
    assert!(direct(&place, &[&game[..], &["list"]].concat()).contains(copy));
    let said = direct(&place, &[&game[..], &["exclude", "Nc3"]].concat());
    assert!(said.starts_with(&format!("{copy}\nexcluded 2. Nc3\n")), "{said}");
    // The stop was at what is the root now.
    let mut rows = listed(&place, &game);
    rows.sort();
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert!(rows.contains(&"exclude  2. Nc3".to_owned()), "{rows:?}");
    assert!(rows.contains(&"include  2. Nf3".to_owned()), "{rows:?}");
    assert_eq!(listed(&place, &["--moves", "e4"]).len(), 3, "the shorter game has what it had");
    let again = direct(&place, &[&game[..], &["undo", "--all"]].concat());
    assert!(!again.contains("new position"), "{again}");
    assert_eq!(listed(&place, &game), Vec::<String>::new());
    let said = direct(&place, &[&game[..], &["stop", "d4"]].concat());
    assert!(!said.contains("copy"), "it was new once: {said}");
    write("1. e4 e5 2. Nf3");
    let output = place.run_grow(&["--pgn", "game.pgn", "--depth", "0"]);
    let said = stderr(&output);
    assert!(said.contains("note: new position: copied the 1 directive"), "{said}");
}

#[test]
fn guidance_does_not_wander_into_another_study() {
    let place = Place::new();
    direct(&place, &["exclude", "c4"]);
    direct(&place, &["--moves", "d4", "exclude", "d5"]);
    std::fs::write(place.path("game.pgn"), "1. e4 e5 *\n").unwrap();
    let said = direct(&place, &["--moves", "d4 Nf6", "list"]);
    assert!(said.contains("copied the 1 directive"), "its game goes on: {said}");
    let after_d4 = ["--root", "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1"];
    for study in [&after_d4[..], &["--moves", "e4"], &["--pgn", "game.pgn"]] {
        assert!(listed(&place, study).is_empty(), "{study:?}");
        let said = direct(&place, &[study, &["list"]].concat());
        assert!(!said.contains("copied"), "{said}");
        let output = place.run_grow(&[study, &["--depth", "0"]].concat());
        let said = stderr(&output);
        assert!(output.status.success() && !said.contains("copied"), "{said}");
        assert!(listed(&place, study).is_empty(), "{study:?}");
    }
}

#[test]
fn a_repertoire_is_included_from_a_file() {
    let place = Place::new();
    let games = "1. e4 (1. d4 d5 {solid} 2. c4) e5 2. Nf3 {main} *\n\n1. c4 *\n";
    std::fs::write(place.path("mine.pgn"), games).unwrap();
    let said = direct(&place, &["include", "--pgn", "mine.pgn"]);
    let has = "mine.pgn: 7 moves, 8 positions in 2 of 2 games; ";
    assert!(said.starts_with(&format!("{has}new: 7 moves\n")), "{said}");
    let said = direct(&place, &["include", "--pgn", "mine.pgn"]);
    assert_eq!(said, format!("{has}all of it is already included\n"));
    let said = direct(&place, &["include", "--pgn", "mine.pgn", "--notes"]);
    assert!(said.starts_with(&format!("{has}new: 0 moves, 2 notes\n")), "{said}");
    assert_eq!(listed(&place, &[]).len(), 9);
    let other = ["--moves", "h4", "include", "--pgn", "mine.pgn"];
    refused(&place, &other, 2, "mine.pgn: none of the 2 games passes through the root");
    refused(&place, &["include", "e4", "--pgn", "mine.pgn"], 2, "cannot be used with");
    direct(&place, &["undo", "c4"]);
    direct(&place, &["exclude", "c4"]);
    refused(&place, &["include", "--pgn", "mine.pgn"], 1, "c4 is excluded there");
}

#[test]
fn bad_game_refuses_repertoire_unless_skipped() {
    let place = Place::new();
    let games = "1. e4 e5 *\n\n1. d4 (1. f4 f5 2. Sc3) d5 *\n\n1. Ke4 *\n";
    std::fs::write(place.path("mine.pgn"), games).unwrap();
    let include = ["include", "--pgn", "mine.pgn"];
    refused(&place, &include, 2, "mine.pgn: game 2, line 3: \"2. Sc3\" is not a move");
    refused(&place, &include, 2, "hint: --skip-bad-games includes the others");
    assert!(!place.db().exists());
    let output = place.run(&["direct", "include", "--pgn", "mine.pgn", "--skip-bad-games"]);
    let (said, warned) = (String::from_utf8(output.stdout.clone()).unwrap(), stderr(&output));
    assert!(said.starts_with("mine.pgn: 2 moves, 3 positions; new: 2 moves\n"), "{said}");
    for game in ["game 2, line 3: \"2. Sc3\"", "game 3, line 5: \"1. Ke4\""] {
        assert!(warned.contains(&format!("warning: mine.pgn: left out: {game}")), "{warned}");
    }
    assert!(output.status.success());
}

#[test]
fn over_a_thousand_positions_need_consent() {
    let place = Place::new();
    let [white, black] =
        ["3", "6"].map(|rank| "abcdefgh".chars().map(move |file| format!("{file}{rank}")));
    let mut games = String::new();
    for (a, b) in white.clone().flat_map(|a| black.clone().map(move |b| (a.clone(), b))) {
        for (c, d) in white.clone().flat_map(|c| black.clone().map(move |d| (c.clone(), d))) {
            if a < c && b < d {
                games += &format!("1. {a} {b} 2. {c} {d} *\n\n");
            }
        }
    }
    std::fs::write(place.path("big.pgn"), games).unwrap();
    let big = ["include", "--pgn", "big.pgn"];
    let hint =
        "positions, and each is analysed as thoroughly as the root\nhint: --yes includes them";
    refused(&place, &big, 1, hint);
    assert!(!place.db().exists());
    assert!(direct(&place, &[&big[..], &["--yes"]].concat()).contains("; new: "));
}

#[test]
fn a_set_that_is_applied_is_no_one_include() {
    let place = Place::new();
    for line in ["e4", "e4 e5", "e4 e5 Nf3"] {
        direct(&place, &["include", line]);
    }
    direct(&place, &["export", "-o", "set.json"]);
    direct(&place, &["undo", "--all"]);
    direct(&place, &["apply", "set.json"]);
    let said = direct(&place, &["undo", "e4 e5 Nf3"]);
    assert!(said.starts_with("took back at 1. e4 e5 2. Nf3: the inclusion\n"), "{said}");
    assert!(said.contains("now 2 moves included"), "{said}");
}

#[test]
fn transposed_games_come_in_and_others_are_named() {
    let place = Place::new();
    let pgn = "[Event \"Mine\"]\n\n1. e4 c6 2. d4 d5 $14 *\n\n1. d4 c6 2. e4 d5 3. Nc3 *\n\n\
        [White \"Smith\"]\n\n1. d4 f5 *\n";
    std::fs::write(place.path("caro.pgn"), pgn).unwrap();
    let output = place.run(&["direct", "--moves", "e4 c6", "include", "--pgn", "caro.pgn"]);
    let told = String::from_utf8_lossy(&output.stdout);
    let first =
        "caro.pgn: 3 moves, 4 positions in 2 of 3 games (1 by transposition); new: 3 moves\n";
    assert!(told.starts_with(first), "{told}");
    let note = "note: caro.pgn: left out, as no move of theirs comes to the root or to a position behind it: \
        game 3 (Smith)\n";
    assert_eq!(stderr(&output), note);
    place.grow(&["--moves", "e4 c6", "--depth", "0"]);
    let study = ["show", "--moves", "e4 c6", "--side", "black", "--format", "study"];
    let study = place.stdout(&study);
    assert!(study.contains("[ChapterName \"Mine\"]") && study.contains("2... d5 $14"), "{study}");
    std::fs::write(place.path("bad.pgn"), "1. e4 c6 2. Ke3 *\n\n1. e4 c6 2. d4 *\n").unwrap();
    let output = place.run(&["direct", "--moves", "e4 c6", "include", "--pgn", "bad.pgn"]);
    assert!(stderr(&output).contains("hint: --skip-bad-games includes the others"));
}
