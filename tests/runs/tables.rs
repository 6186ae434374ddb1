//! Tablebases as ends of the tree, with the built program and the tables of three men.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use deepanalyze_core::chess::{TableFiles, parse_fen};
use deepanalyze_store::Store;
use serde_json::Value;
use shakmaty::Position;

use crate::support::program::{Place, asked, stderr};
use crate::support::readers::python_chess;
use crate::support::scripted;

/// Four men; some captures and promotions lead to three.
pub(super) const ROOT: &str = "8/8/8/3pk3/4P3/4K3/8/8 w - - 0 1";
/// That position with the other side to move.
const OTHER: &str = "8/8/8/3pk3/4P3/4K3/8/8 b - - 0 1";
/// Three men.
pub(super) const WON: &str = "8/8/4k3/8/4K3/8/4P3/8 w - - 0 1";

pub(super) fn tables() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/core/tables")
}

/// A folder with some of the tables.
pub(super) fn some_tables(place: &Place, is_taken: impl Fn(&str) -> bool) -> PathBuf {
    let folder = place.path("tables");
    std::fs::create_dir_all(&folder).unwrap();
    for entry in std::fs::read_dir(tables()).unwrap() {
        let (name, path) = entry.map(|entry| (entry.file_name(), entry.path())).unwrap();
        if is_taken(name.to_str().unwrap()) {
            std::fs::copy(path, folder.join(name)).unwrap();
        }
    }
    folder
}

/// Grows nearly every move of a root to depth 3; what was said, and a log of what the engine was asked.
pub(super) fn grow(place: &Place, root: &str, more: &[&str]) -> (String, PathBuf) {
    let log = place.path("engine.log");
    let engine = scripted(&["--log", log.to_str().unwrap()]);
    let args = ["grow", "--root", root, "--engine", &engine, "--engine-depth", "5"];
    let tree = ["--engines", "1", "--distance", "400", "--depth", "3"];
    let output = place.run(&[&args[..], &tree, more].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    (stderr(&output), log)
}

pub(super) fn with_tables<'a>(folder: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    [&["--tables", folder.to_str().unwrap()], more].concat()
}

pub(super) fn json(place: &Place, root: &str) -> Value {
    serde_json::from_str(&place.stdout(&["show", "--root", root, "--format", "json"])).unwrap()
}

/// Every move of a tree as JSON.
fn moves(tree: &Value) -> Vec<&Value> {
    let below = tree["moves"].as_array().into_iter().flatten();
    below.flat_map(|m| std::iter::once(m).chain(moves(m))).collect()
}

pub(super) fn all_is_well(place: &Place, more: &[&str]) {
    let output = place.run(&[&["verify"], more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn men(epd: &str) -> usize {
    let board = epd.split(' ').next().unwrap();
    board.chars().filter(char::is_ascii_alphabetic).count()
}

#[test]
fn table_positions_are_ends_without_search() {
    let (place, folder) = (Place::new(), tables());
    let (_, log) = grow(&place, ROOT, &with_tables(&folder, &[]));
    let searched = asked(&log);
    assert!(searched.len() > 20 && searched.iter().all(|(epd, _)| men(epd) == 4), "{searched:?}");
    let tree = json(&place, ROOT);
    assert_eq!((&tree["tables"]["men"], &tree["tables"]["fifty"]), (&3.into(), &"fide".into()));
    let all = moves(&tree);
    let known: Vec<&Value> = all.iter().copied().filter(|m| m["end"] == "tables").collect();
    assert!(!known.is_empty() && known.len() < all.len());
    for m in known {
        assert_eq!(men(m["epd"].as_str().unwrap()), 3);
        // The result is the other side's, the score the mover's.
        let worth = m["wdl"].as_i64().unwrap() * -15_000;
        assert_eq!(m["idea"]["cp"], worth, "{m}");
    }
    all_is_well(&place, &[]);
    all_is_well(&place, &with_tables(&folder, &[]));
    let shown = place.stdout(&["show", "--root", ROOT]);
    assert!(shown.contains("(tables)") && shown.contains("\ntables   up to 3 pieces, "), "{shown}");
    let pgn = place.stdout(&["show", "--root", ROOT, "--format", "pgn"]);
    assert!(pgn.contains("(tables)"), "{pgn}");
    let csv = place.stdout(&["show", "--root", ROOT, "--format", "csv"]);
    assert!(csv.lines().any(|line| line.contains(",tables,")), "{csv}");
}

#[test]
fn sql_has_the_ideas_of_the_tree_and_the_results() {
    let (place, folder) = (Place::new(), tables());
    grow(&place, ROOT, &with_tables(&folder, &[]));
    let db = rusqlite::Connection::open(place.db()).unwrap();
    let row = |sql: &str| -> i64 { db.query_row(sql, [], |row| row.get(0)).unwrap() };
    assert!(row("SELECT count(*) FROM tree_move WHERE wdl IS NOT NULL") > 0);
    let wrong = "SELECT count(*) FROM tree_move WHERE wdl IS NOT NULL AND idea <> -15000 * wdl";
    assert_eq!(row(wrong), 0);
    let best = "SELECT count(*) FROM node JOIN position ON position.id = node.position
        WHERE idea <> (SELECT max(idea) FROM tree_move WHERE tree_move.epd = position.epd)";
    assert_eq!(row(best), 0);
}

#[test]
fn table_root_is_finished_and_lists_moves() {
    let (place, folder) = (Place::new(), tables());
    let (said, log) = grow(&place, WON, &with_tables(&folder, &[]));
    assert!(said.contains("finished  won (tables): there is nothing to search"), "{said}");
    assert!(said.contains("\nFinished: won (tables)\n"), "{said}");
    let hint = "\nnothing left to do: the tablebases know the result\n";
    assert!(said.contains(hint) && !said.contains("a greater --depth"), "{said}");
    assert!(!log.exists() || asked(&log).is_empty(), "nothing is searched");
    let tree = json(&place, WON);
    assert_eq!((&tree["wdl"], &tree["positions"]), (&2.into(), &0.into()));
    let listed = tree["table_moves"].as_array().unwrap().iter();
    let listed: Vec<(&str, i64, i64)> = listed
        .map(|m| {
            (m["uci"].as_str().unwrap(), m["wdl"].as_i64().unwrap(), m["dtz"].as_i64().unwrap())
        })
        .collect();
    let right = [
        ("e2e3", 2, 1),
        ("e4d4", 2, 5),
        ("e4f4", 2, 5),
        ("e4d3", 0, 0),
        ("e4e3", 0, 0),
        ("e4f3", 0, 0),
    ];
    assert_eq!(listed, right);
    let shown = place.stdout(&["show", "--root", WON]);
    assert!(shown.starts_with("White to move: won (tables)\n"), "{shown}");
    assert!(shown.contains("\n      1  1. e3   won (tables)\n"), "{shown}");
    let listed = place.stdout(&["list"]);
    assert!(listed.contains("  1-0  "), "the result, not a score of 300 pawns: {listed}");
    for format in ["pgn", "dot"] {
        let shown = place.stdout(&["show", "--root", WON, "--format", format]);
        assert!(shown.contains("won (tables)"), "{shown}");
    }
    all_is_well(&place, &with_tables(&folder, &[]));
    let root = parse_fen(WON).unwrap();
    let mut store = Store::open(&place.db()).unwrap();
    let mut others = store.table_moves(&root).unwrap();
    others.reverse();
    store.keep_table_moves(&root, &others).unwrap();
    drop(store);
    let output = place.run(&[&["verify"][..], &with_tables(&folder, &[])[..]].concat());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!output.status.success() && said.contains("not those of the tablebases"), "{said}");
    // They are looked up anew.
    grow(&place, WON, &with_tables(&folder, &[]));
    all_is_well(&place, &with_tables(&folder, &[]));
    all_is_well(&place, &[]);
}

#[test]
fn distances_that_come_later_are_listed() {
    let place = Place::new();
    let folder = some_tables(&place, |name| name.ends_with(".rtbw"));
    let distances = |place: &Place| {
        let moves = json(place, WON)["table_moves"].as_array().unwrap().clone();
        moves.iter().filter(|m| !m["dtz"].is_null()).count()
    };
    grow(&place, WON, &with_tables(&folder, &[]));
    // Distances of a pawn move and of draws need no table.
    assert_eq!(distances(&place), 4);
    some_tables(&place, |_| true);
    grow(&place, OTHER, &with_tables(&folder, &[]));
    assert_eq!(distances(&place), 6, "those of other roots, too");
    all_is_well(&place, &with_tables(&folder, &[]));
}

#[test]
fn new_tables_regrow_the_tree_of_one_run() {
    let (place, fresh) = (Place::new(), Place::new());
    let folder = some_tables(&place, |name| !name.starts_with("KP"));
    let (said, _) = grow(&place, ROOT, &with_tables(&folder, &[]));
    assert!(!said.contains("grown again"), "{said}");
    let before = json(&place, ROOT);
    let known = || -> i64 {
        let db = rusqlite::Connection::open(place.db()).unwrap();
        let sql = "SELECT count(*) FROM tree_move WHERE analysis = 1 AND wdl IS NOT NULL";
        db.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    let known_before = known();
    some_tables(&place, |_| true);
    // Another tree finds what was not found before; this one knows nothing of it until it is grown again.
    let (said, _) = grow(&place, OTHER, &with_tables(&folder, &[]));
    assert!(said.contains("looking up "), "{said}");
    let db = rusqlite::Connection::open(place.db()).unwrap();
    let round: i64 = db.query_row("SELECT max(round) FROM fact", [], |row| row.get(0)).unwrap();
    assert_eq!(round, 1);
    assert_eq!((json(&place, ROOT), known()), (before.clone(), known_before));
    all_is_well(&place, &[]);
    let (said, _) = grow(&place, ROOT, &with_tables(&folder, &[]));
    assert!(said.contains("growing it again"), "{said}");
    let tables = tables();
    grow(&fresh, ROOT, &with_tables(&tables, &[]));
    assert_eq!(json(&place, ROOT), json(&fresh, ROOT));
    assert_ne!(json(&place, ROOT), before);
    for place in [&place, &fresh] {
        all_is_well(place, &with_tables(&tables, &[]));
    }
    let (said, _) = grow(&place, ROOT, &with_tables(&folder, &[]));
    assert!(!said.contains("grown again"), "once is enough: {said}");
}

#[test]
fn a_table_that_is_cut_short_is_named_and_left_out() {
    let place = Place::new();
    let folder = some_tables(&place, |_| true);
    let damaged = folder.join("KPvK.rtbw");
    let bytes = std::fs::read(&damaged).unwrap();
    std::fs::write(&damaged, &bytes[..16 + 64 * 3]).unwrap();
    let (said, log) = grow(&place, ROOT, &with_tables(&folder, &[]));
    assert!(said.contains("KPvK.rtbw is left out: "), "{said}");
    assert!(asked(&log).iter().any(|(epd, _)| men(epd) == 3), "the engine is asked instead");
    all_is_well(&place, &[]);
}

#[test]
fn a_fact_that_the_disk_has_changed_is_found() {
    let (place, folder) = (Place::new(), tables());
    grow(&place, ROOT, &with_tables(&folder, &[]));
    place.sql("UPDATE fact SET wdl = -wdl WHERE position = (SELECT min(position) FROM fact WHERE wdl <> 0)");
    let output = place.run(&["verify", "--quiet"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && said.contains("does not match its checksum"), "{said}");
}

#[test]
fn tables_make_another_analysis_sharing_answers() {
    let (place, folder) = (Place::new(), tables());
    let (_, log) = grow(&place, ROOT, &[]);
    let before = asked(&log).len();
    grow(&place, ROOT, &with_tables(&folder, &["--fifty", "iccf"]));
    let searched = asked(&log);
    let different: HashSet<_> = searched.iter().collect();
    assert_eq!(different.len(), searched.len(), "no answer is asked for again");
    assert!(searched.len() < 2 * before, "{} and {before}", searched.len());
    let db = rusqlite::Connection::open(place.db()).unwrap();
    let sql = "SELECT group_concat(table_men || ' ' || fifty, ', ') FROM analysis";
    let rows: String = db.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(rows, "0 fide, 3 iccf");
    let compared = place.stdout(&["compare", "1", "2", "--roots"]);
    assert!(compared.contains("3-piece tablebases (iccf)"), "{compared}");
    all_is_well(&place, &[]);
}

#[test]
fn a_folder_without_tables_is_refused_by_name() {
    let place = Place::new();
    let nowhere = place.path("nowhere");
    for (folder, words) in
        [(&nowhere, "cannot read the tablebase folder"), (&place.path(""), "no Syzygy tablebases")]
    {
        let folder = folder.to_str().unwrap();
        let output = place.run(&["grow", "--engine", "builtin", "--tables", folder]);
        let said = stderr(&output);
        assert!(!output.status.success() && said.contains(words), "{said}");
        assert!(said.contains(folder.trim_end_matches('/')), "{said}");
    }
}

/// Results and distances of random positions of every class with this many men, against
/// python-chess.
fn agrees_with_python_chess(men: usize, count: usize) {
    let real = std::env::var_os("DEEPANALYZE_REAL_ENGINE").is_some_and(|value| value == "1");
    if !real || !python_chess() {
        println!("skipped: DEEPANALYZE_REAL_ENGINE is not 1");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/tables");
    let files = TableFiles::find(std::slice::from_ref(&folder)).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers/syzygy.py");
    let output = std::process::Command::new("python3")
        .arg(script)
        .arg(&folder)
        .args([men.to_string(), count.to_string()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let (text, mut compared) = (String::from_utf8(output.stdout).unwrap(), [0; 5]);
    for line in text.lines() {
        let fields: Vec<&str> = line.split('|').collect();
        let (wdl, dtz): (i8, i32) = (fields[1].parse().unwrap(), fields[2].parse().unwrap());
        let position = parse_fen(fields[0]).unwrap();
        // Positions over by the rules are not looked up.
        if !position.is_insufficient_material() {
            assert_eq!(files.wdl(&position).map(|wdl| wdl.get()), Some(wdl), "{line}");
        }
        let best = files.moves(&position).unwrap()[0];
        assert_eq!(best.wdl.get(), wdl, "{line}");
        // Tables may round a distance up. Behind the fifty moves python-chess counts a capture as 101.
        let difference = best.dtz.unwrap() - dtz;
        assert!(dtz.abs() > 100 || difference.abs() <= 1, "{line}: {best:?}");
        compared[usize::try_from(wdl + 2).unwrap()] += 1;
    }
    println!("{men} men: {compared:?} of each result from lost to won");
    assert!(compared[0] > 0 && compared[2] > 0 && compared[4] > 0, "{compared:?}");
    assert_eq!(men == 5, compared[1] > 0 && compared[3] > 0, "wins that take too long");
    assert!(files.take_complaints().is_empty());
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn python_chess_agrees_on_three_piece_tables() {
    agrees_with_python_chess(3, 500);
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn python_chess_agrees_on_four_piece_tables() {
    agrees_with_python_chess(4, 100);
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn python_chess_agrees_on_wins_that_take_too_long() {
    agrees_with_python_chess(5, 1500);
}

#[test]
fn damaged_table_move_is_named_with_its_position() {
    let place = Place::new();
    let folder = tables();
    grow(&place, WON, &with_tables(&folder, &[]));
    for (change, words) in [
        ("UPDATE table_move SET wdl = 0 WHERE move = 'e2e3'", "does not match its checksum"),
        ("DELETE FROM table_move WHERE move = 'e4d4'", "are not its legal moves"),
    ] {
        place.sql(change);
        let output = place.run(&["verify", "--quiet"]);
        let said = String::from_utf8_lossy(&output.stdout);
        let epd = WON.trim_end_matches(" 0 1");
        assert!(said.contains(epd) && said.contains(words), "{change}: {said}");
    }
    // A run looks them up anew.
    grow(&place, WON, &with_tables(&folder, &[]));
    let verify = [&["verify", "--quiet"], &with_tables(&folder, &[])[..]].concat();
    assert_eq!(place.stdout(&verify), "");
}
