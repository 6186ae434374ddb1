//! `show` for people: the verdict, and the tree as lines and deviations.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::directed;
use crate::support::program::Place;
use crate::support::readers::{TREES, root_of, show};

/// A root with a game history and Black to move.
const BLACK: &[&str] =
    &["--root", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 3 40", "--moves", "Ra7", "--depth", "3"];

fn tree_of(place: &Place, root: &[&str]) -> Value {
    let json = place.stdout(&[&["show"], root, &["--format", "json"]].concat());
    serde_json::from_str(&json).unwrap()
}

/// A score of the mover's as White sees it.
fn white(score: &Value, is_black: bool) -> String {
    let turned = |n: &Value| n.as_i64().map(|n| if is_black { -n } else { n });
    match (turned(&score["cp"]), turned(&score["mate"])) {
        (Some(0), _) => "0.00".to_owned(),
        (Some(cp), _) => {
            let sign = if cp < 0 { '-' } else { '+' };
            format!("{sign}{}.{:02}", cp.abs() / 100, cp.abs() % 100)
        }
        (_, Some(mate)) => format!("#{mate}"),
        _ => String::new(),
    }
}

/// The rows of the table: those with a score in front, and what goes on below them.
fn rows(text: &str) -> Vec<String> {
    let table = text.lines().skip_while(|line| !line.starts_with("  score"));
    let mut rows: Vec<String> = Vec::new();
    for line in table.skip(1).take_while(|line| !line.is_empty()) {
        match rows.last_mut() {
            Some(row) if line.starts_with(&" ".repeat(12)) => {
                row.push(' ');
                row.push_str(line.trim());
            }
            _ => rows.push(line.to_owned()),
        }
    }
    rows
}

#[test]
fn the_verdict_comes_first_then_a_row_for_each_move() {
    let place = Place::new();
    place.grow(BLACK);
    let root = root_of(BLACK);
    let (text, tree) = (show(&place, BLACK, &[]), tree_of(&place, &root));
    let best = &tree["moves"][0];
    let score = white(&best["alpha"], true);
    let head = format!(
        "40... {} {score} for White\ndepth 3 complete · Scripted 1, engine depth 5\nafter 40. Ra7\n\n",
        best["san"].as_str().unwrap()
    );
    assert!(text.starts_with(&head), "{text}");
    for (row, m) in rows(&text).iter().zip(tree["moves"].as_array().unwrap()) {
        let words: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(words[0], white(&m["alpha"], true), "{text}");
        assert_eq!(words[1..3], ["40...", m["san"].as_str().unwrap()], "{text}");
    }
    assert_eq!(rows(&text).len(), tree["moves"].as_array().unwrap().len());
    assert!(text.contains("\nscores   in pawns, for White\n"), "{text}");
    let mover = show(&place, BLACK, &["--pov", "mover"]);
    let turned = white(&best["alpha"], false);
    assert!(mover.contains(&format!(" {turned} for Black\n")), "{mover}");
    assert!(mover.contains("\nscores   in pawns, for the side that plays the move\n"), "{mover}");
}

/// Analysed positions below a move of the JSON, each once.
fn positions_below(m: &Value, found: &mut BTreeSet<String>) {
    let Some(moves) = m["moves"].as_array() else { return };
    found.insert(m["epd"].as_str().unwrap().to_owned());
    moves.iter().for_each(|m| positions_below(m, found));
}

/// How many levels of moves there are below a move.
fn levels(m: &Value) -> usize {
    let moves = m["moves"].as_array().into_iter().flatten();
    moves.map(|m| 1 + levels(m)).max().unwrap_or(0)
}

#[test]
fn line_continues_with_the_engine_s_marked_moves() {
    let place = Place::new();
    place.grow(&["--depth", "2", "--distance", "1"]);
    let (text, tree) = (place.stdout(&["show"]), tree_of(&place, &[]));
    // With one move in each position, the tree is one line.
    let mut line = Vec::new();
    let mut m = &tree["moves"][0];
    while m["moves"].is_array() {
        line.push(m["san"].as_str().unwrap());
        m = &m["moves"][0];
    }
    line.push(m["san"].as_str().unwrap());
    let mut below = BTreeSet::new();
    positions_below(&tree["moves"][0], &mut below);
    let sql = "SELECT search.pv FROM search JOIN node ON node.position = search.position
         WHERE rank = 0 ORDER BY node.ply DESC LIMIT 1";
    let database = rusqlite::Connection::open(place.db()).unwrap();
    let pv: String = database.query_row(sql, [], |row| row.get(0)).unwrap();
    let row = rows(&text).remove(0);
    let (_, own) = row.split_once('[').expect(&row);
    let own: Vec<&str> = own.trim_end_matches(']').split(' ').collect();
    assert_eq!(own.iter().filter(|word| !word.ends_with('.')).count(), pv.split(' ').count() - 1);
    assert!(own.len() > 1, "{row}");
    let pgn = place.stdout(&["show", "--format", "pgn"]).replace('\n', " ");
    let (_, goes_on) = pgn
        .split_once(&format!(" {} {{ from here on the engine's own line }}", own[1]))
        .expect(&pgn);
    let rest = own.get(2).copied().unwrap_or_default();
    assert!(goes_on.trim_start().starts_with(rest), "{goes_on}");
    let told = row.split_once('[').unwrap().0;
    let told: Vec<&str> = told.split_whitespace().filter(|word| !word.ends_with('.')).collect();
    let (plies, positions) = (levels(&tree["moves"][0]).to_string(), below.len().to_string());
    assert_eq!(told[1..4], [line[0], &plies, &positions], "{row}");
    assert_eq!(told[4..], line[1..], "{row}");
}

#[test]
fn whole_tree_has_moves_once_with_marks() {
    let mut all = String::new();
    for args in TREES {
        let place = Place::new();
        place.grow(args);
        let text = show(&place, args, &["--all"]);
        let json = show(&place, args, &["--format", "json"]);
        let tree: serde_json::Value = serde_json::from_str(&json).unwrap();
        let tree = tree["moves"].to_string();
        let moves = rows(&text).into_iter().map(|row| {
            // Neither the engine's own line nor the remarks on a move are moves of the tree.
            let row = row.split('[').next().unwrap().to_owned();
            let said = |row: &str, open: usize| row[open..].find(')').map(|end| open + end + 1);
            let mut row = row;
            while let Some((open, end)) = row.find('(').and_then(|at| Some((at, said(&row, at)?))) {
                row.replace_range(open..end, "");
            }
            let words = row.split_whitespace().skip(1);
            words.filter(|word| !word.ends_with('.')).count()
        });
        assert_eq!(moves.sum::<usize>(), tree.matches("\"uci\":").count(), "{text}");
        all += &text;
        all += &show(&place, args, &["--all", "--pov", "mover"]);
    }
    for part in ["#1  ", "#-1  ", "# (checkmate)", "(stalemate)", "repetition)", "(see "] {
        assert!(all.contains(part), "no {part:?} in {all}");
    }
    let of_tree =
        all.lines().filter(|line| !line.starts_with("holds ") && !line.starts_with("         "));
    assert!(!of_tree.clone().any(|line| line.contains(" …")), "nothing is cut");
}

#[test]
fn deviations_are_indented_by_deviations_not_by_plies() {
    let place = Place::new();
    place.grow(&["--depth", "12", "--distance", "1"]);
    let text = place.stdout(&["show", "--all"]);
    let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= 80, "{text}");
    let first = rows(&text).remove(0);
    assert!(first.contains(" 6. ") && !first.contains('…'), "one paragraph: {first}");
    let cut = rows(&place.stdout(&["show", "--plies", "4"])).remove(0);
    assert!(cut.ends_with(" …") && !cut.contains(" 3. "), "{cut}");
}

#[test]
fn a_line_in_san_and_in_uci_shows_the_same_part() {
    let place = Place::new();
    place.grow(&["--depth", "3"]);
    for more in [&[][..], &["--all"]] {
        let show = |line: &str| place.stdout(&[&["show", "--line", line], more].concat());
        let san = show("c4 e6");
        assert!(san.contains("\nafter 1. c4 e6\n") && !san.contains(" 1. h3"), "{san}");
        assert_eq!(show("c2c4 e7e6"), san);
        assert_eq!(show("1. c4 e6"), san);
    }
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn verdict_below_a_line_is_of_its_end() {
    let place = Place::new();
    place.grow(&["--depth", "4", "--distance", "30"]);
    let tree = tree_of(&place, &[]);
    let (mut compared, mut references) = (0, 0);
    for m in tree["moves"].as_array().unwrap().iter().filter(|m| m.get("moves").is_some()) {
        let line = ["show", "--line", m["san"].as_str().unwrap()];
        let verdict = place.stdout(&line);
        let there = format!("1... {} ", m["moves"][0]["san"].as_str().unwrap());
        assert!(verdict.starts_with(&there), "{verdict}");
        let root = format!("\nat root  {} for White\n", white(&tree["value"], false));
        assert!(verdict.contains(&root), "{verdict}");
        compared += 1;
        for row in rows(&place.stdout(&[&line[..], &["--all"]].concat())) {
            for see in row.split("(see ").skip(1) {
                let see = see.split_once(')').unwrap().0;
                assert!(see.starts_with("1. "), "{row}");
                place.stdout(&["show", "--line", see]);
                references += 1;
            }
        }
    }
    assert!(compared > 2 && references > 0, "{compared} {references}");
}

#[test]
fn one_is_one_and_two_are_many() {
    let place = Place::new();
    place.grow(&["--depth", "0", "--distance", "1"]);
    let text = place.stdout(&["show"]);
    assert!(text.contains("\ndistance 1 centipawn\n"), "{text}");
    assert!(text.contains("\ntree     analysis 1: 1 position, "), "{text}");
    assert!(place.stdout(&["list", "--long"]).contains("tree      1 position, "));
}

#[test]
fn what_the_user_has_said_stands_in_the_verdict() {
    let place = directed::grown();
    let text = place.stdout(&["show"]);
    let rows = rows(&text);
    let row = |san: &str| rows.iter().find(|row| row.contains(&format!("1. {san} "))).unwrap();
    assert!(row("h3").contains("(excluded, the engine's score: "), "{text}");
    assert!(row("g4").contains("(included, stopped here)"), "{text}");
    assert!(text.contains("\nnote     "), "{text}");
}

#[test]
fn text_fits_the_terminal_or_eighty_columns() {
    let place = Place::new();
    let history = "Nf3 Nf6 Ng1 Ng8 Nc3 Nc6 Nb1 Nb8 Nh3 Nh6 Ng1 Ng8 Na3 Na6 Nb1 Nb8";
    let root = ["--moves", history];
    place.grow(&[&root[..], &["--depth", "3", "--distance", "40"]].concat());
    let longest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap();
    let on_terminal = |columns: u32, more: &str| {
        let program = env!("CARGO_BIN_EXE_deepanalyze");
        let command = format!("stty cols {columns} rows 24; {program} show --analysis 1 {more}");
        let mut script = Command::new("script");
        script.args(["-qec", &command, "/dev/null"]).stdin(Stdio::null());
        script.env("DEEPANALYZE_DB", place.db()).env("NO_COLOR", "1");
        let output = script.output().unwrap();
        String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n")
    };
    let is_there = crate::support::readers::installed("script", &["-qec", "true", "/dev/null"]);
    for more in [&[][..], &["--all"]] {
        let piped = place.stdout(&[&["show", "--analysis", "1"], more].concat());
        assert!((70..=80).contains(&longest(&piped)), "{piped}");
        assert!(piped.contains("\nafter … ") && piped.contains("\nhistory  1. Nf3 "), "{piped}");
        if !is_there {
            continue;
        }
        let more = more.join(" ");
        assert_eq!(on_terminal(80, &more), piped);
        for columns in [50, 120, 300] {
            let text = on_terminal(columns, &more);
            // A FEN is not broken.
            let broken = text.lines().filter(|line| !line.starts_with("root "));
            let broken = broken.map(|line| line.chars().count()).max().unwrap();
            assert!(broken <= columns as usize, "{columns}: {text}");
            let is_tree = !more.is_empty();
            assert!(!is_tree || text.matches("(see ").count() == piped.matches("(see ").count());
        }
    }
}
