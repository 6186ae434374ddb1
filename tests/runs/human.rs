//! Trees that know what people play by a net, with the built program. The nets are made from a seed,
//! but for one test: people's are not part of the repository.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use deepanalyze_human::testing::Synthetic;
use serde_json::Value;

use crate::support::program::{Place, stderr};
use crate::support::scripted;

fn folder(place: &Place) -> PathBuf {
    place.path(".local/share/deepanalyze/human")
}

/// Puts a net of a seed into the data folder.
fn add(place: &Place, name: &str, seed: u64) {
    std::fs::create_dir_all(folder(place)).unwrap();
    let file = folder(place).join(format!("{name}.pb.gz"));
    std::fs::write(file, Synthetic::new(seed).file()).unwrap();
}

fn place_with(name: &str) -> Place {
    let place = Place::new();
    add(&place, name, 1);
    place
}

/// The likeliest move after 1. e4 e5 and its probability.
fn likeliest(place: &Place, net: &str) -> (String, f64) {
    let asked = json(place, &["games", "show", "--human", net, "--moves", "e4 e5"]);
    let first = &asked["moves"][0];
    (first["uci"].as_str().unwrap().to_owned(), first["share"].as_f64().unwrap())
}

fn move_of<'a>(tree: &'a Value, uci: &str) -> &'a Value {
    tree["moves"].as_array().unwrap().iter().find(|m| m["uci"] == uci).unwrap()
}

fn grow(place: &Place, more: &[&str]) -> String {
    let engine = scripted(&[]);
    let args = ["grow", "--engine", &engine, "--engine-depth", "5", "--engines", "2"];
    let output = place.run(&[&args[..], &["--depth", "2", "--moves", "e4 e5"], more].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    stderr(&output)
}

fn json(place: &Place, args: &[&str]) -> Value {
    serde_json::from_str(&place.stdout(&[args, &["--format", "json"]].concat())).unwrap()
}

#[test]
fn likely_moves_are_followed_and_kept() {
    let place = place_with("crowd");
    let (uci, share) = likeliest(&place, "crowd");
    let said = grow(&place, &["--human", "crowd", "--played", "3%/-"]);
    let words = "games     net crowd; followed: White's moves from 3% on\n";
    assert!(said.contains(words), "{said}");
    // From now on the net is not needed.
    std::fs::remove_dir_all(folder(&place)).unwrap();
    let tree = json(&place, &["show", "--all"]);
    let told = move_of(&tree, &uci);
    assert!((told["human"].as_f64().unwrap() - share).abs() <= 0.000_501, "{share}: {told}");
    assert_eq!((&told["games"], &told["played"]), (&Value::Null, &Value::Bool(true)));
    assert!(!told["moves"].as_array().unwrap().is_empty(), "it has a reply: {told}");
    assert_eq!(tree["games"]["human"]["white"], "crowd");
    let text = place.stdout(&["show"]);
    assert!(text.contains("  share  ") && !text.contains("  games  "), "{text}");
    assert!(place.run(&["verify"]).status.success());
    let sql = "SELECT share, human, is_followed FROM played_move WHERE ply = 0 AND move = ?1";
    let db = rusqlite::Connection::open(place.db()).unwrap();
    let row = db.query_row(sql, [&uci], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    let (of_all, human, is_followed): (f64, f64, bool) = row.unwrap();
    assert!((human - share).abs() <= 0.000_501 && (of_all - human).abs() < 0.03 && is_followed);
    let said = stderr(&go_on(&place, &[]));
    let words = "error: analysis 1 knows games or nets that are not here: net crowd\n";
    assert!(said.contains(words), "{said}");
}

fn go_on(place: &Place, more: &[&str]) -> std::process::Output {
    let engine = scripted(&[]);
    let args = ["grow", "--analysis", "1", "--depth", "3", "--engines", "2", "--engine", &engine];
    place.run(&[&args[..], more].concat())
}

#[test]
fn an_analysis_finds_its_nets_by_their_digests() {
    let place = place_with("crowd");
    add(&place, "club", 2);
    grow(&place, &["--human-white", "crowd", "--human-black", "club", "--human-weight", "7"]);
    let at = |name: &str| folder(&place).join(name);
    std::fs::rename(at("club.pb.gz"), at("friends.pb.gz")).unwrap();
    let said = stderr(&go_on(&place, &["--human-weight", "8"]));
    let other = "(nets crowd for White and club for Black, as 7 games) than nets crowd for White and \
        friends for Black, as 8 games";
    assert!(said.contains(other), "{said}");
    let output = go_on(&place, &[]);
    let words = "games     nets crowd for White and friends for Black, as 7 games; none followed\n";
    assert!(output.status.success() && stderr(&output).contains(words), "{}", stderr(&output));
    std::fs::remove_file(at("friends.pb.gz")).unwrap();
    let said = stderr(&go_on(&place, &[]));
    assert!(said.contains("error: analysis 1 knows games or nets that are not here"), "{said}");
    let list = json(&place, &["list"]);
    assert_eq!(list.as_array().or(list["analyses"].as_array()).unwrap().len(), 1, "{list}");
}

/// A file with a game in which the king goes out.
fn king_goes_out(place: &Place) {
    let game = "[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n1. e4 e5 2. Ke2 *\n\n";
    std::fs::write(place.path("club.pgn"), game).unwrap();
}

#[test]
fn games_and_a_net_are_one_set() {
    let place = place_with("crowd");
    king_goes_out(&place);
    let with = ["--games", "club.pgn", "--human", "crowd", "--played", "3%"];
    let said = grow(&place, &with);
    let words = "games     club.pgn, 1 game; net crowd; followed: White's moves from 3% on";
    assert!(said.contains(words), "{said}");
    let tree = json(&place, &["show"]);
    let king = move_of(&tree, "e1e2");
    assert_eq!(king["games"], 1);
    let [share, human] = ["share", "human"].map(|key| king[key].as_f64().unwrap());
    // One game beside thirty; rounded probabilities come to 1 nearly.
    assert!((share - (1.0 + 30.0 * human) / 31.0).abs() < 0.001, "{king}");
    assert!(grow(&place, &with).contains("this run  0 searches"));
    assert!(place.run(&["verify"]).status.success());
}

#[test]
fn a_side_without_a_net_has_the_rule_of_the_games() {
    let place = place_with("crowd");
    king_goes_out(&place);
    let said = grow(&place, &["--games", "club.pgn", "--human-black", "crowd", "--played", "5%"]);
    let rules = "White's moves from 5% and 2 games on, Black's moves from 5% on";
    assert!(said.contains(rules), "{said}");
    let other = Place::new();
    add(&other, "crowd", 1);
    grow(&other, &["--human-black", "crowd"]);
    let tree = json(&other, &["show"]);
    assert_eq!(tree["moves"][0]["games"], Value::Null, "nothing is known of White: {tree}");
}

#[test]
fn a_position_is_asked_with_its_game() {
    let net = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/maia/maia-1500.pb.gz");
    if !net.is_file() {
        println!("maia nets are not there: not tested");
        return;
    }
    let (place, net) = (Place::new(), net.to_str().unwrap());
    let ask = |more: &[&str]| {
        let asked = json(&place, &[&["games", "show", "--human", net], more].concat());
        let reply = move_of(&asked, "e7e5")["share"].as_f64().unwrap();
        (asked["with_history"].clone(), reply)
    };
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let ((game, with), (alone, without)) = (ask(&["--moves", "e4"]), ask(&["--root", fen]));
    assert_eq!((game, alone), (true.into(), false.into()));
    assert!((0.49..0.51).contains(&with) && (0.15..0.17).contains(&without), "{with} {without}");
    let text = place.stdout(&["games", "show", "--human", net, "--moves", "e4"]);
    assert!(text.starts_with("people like maia-1500: 1. e4\n\n1... e5       50%\n"), "{text}");
}

#[test]
fn traps_are_told_asked_of_a_net_now() {
    let place = place_with("crowd");
    grow(&place, &[]);
    let said = stderr(&place.run(&["traps"]));
    let words = "error: analysis 1 was grown without games and nets, so it does not know what people play\n";
    assert!(said.contains(words), "{said}");
    // The engine's scores are by chance, so that something likely loses.
    let asked = ["traps", "--human", "crowd", "--min", "1%", "--loss", "1", "--sound", "9999"];
    let told = json(&place, &[&asked[..], &["--top", "500"]].concat());
    let traps = told["traps"].as_array().unwrap();
    let gains: Vec<f64> = traps.iter().map(|trap| trap["gain"].as_f64().unwrap()).collect();
    assert!(gains.len() > 1 && gains.is_sorted_by(|a, b| a >= b), "{gains:?}");
    assert_eq!(told["all"], gains.len());
    assert!(traps.iter().all(|trap| trap["share"].as_f64().unwrap() >= 0.01));
    let text = place.stdout(&asked);
    assert!(text.starts_with("people  net crowd\nscores  in pawns"), "{text}");
    let cards = place.stdout(&[&asked[..], &["--format", "anki"]].concat());
    assert!(
        cards.starts_with("#separator:tab\n") && cards.contains("\ndeepanalyze-trap-"),
        "{cards}"
    );
    let ids: Vec<&str> =
        cards.lines().filter_map(|line| line.split_once('\t')).map(|x| x.0).collect();
    let unique: BTreeSet<&&str> = ids.iter().collect();
    assert!(ids.len() > 1 && unique.len() == ids.len(), "{ids:?}");
    let said = stderr(&place.run(&["traps", "--min", "0"]));
    assert!(said.contains("a share is more than 0 and at most 1"), "{said}");
}

#[test]
fn traps_are_those_of_the_side_that_is_prepared() {
    let place = place_with("crowd");
    grow(&place, &["--human", "crowd", "--played", "1%/-"]);
    let asked = ["traps", "--min", "1%", "--loss", "1", "--sound", "9999", "--top", "500"];
    let sides = |more: &[&str]| {
        let told = json(&place, &[&asked[..], more].concat());
        let sides = told["traps"].as_array().unwrap().iter();
        sides.map(|trap| trap["side"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
    };
    assert_eq!(sides(&[]), BTreeSet::from(["black".to_owned()]));
    assert_eq!(sides(&["--side", "white"]), BTreeSet::from(["white".to_owned()]));
}

#[test]
fn traps_are_searched_deeper() {
    let place = place_with("crowd");
    grow(&place, &["--human", "crowd", "--played", "1%/-"]);
    let asked = ["traps", "--min", "1%", "--loss", "1", "--sound", "9999", "--top", "3"];
    let before = json(&place, &asked);
    let (of_before, all) = (before["traps"].as_array().unwrap(), before["all"].as_u64().unwrap());
    assert!(of_before.len() == 3 && of_before.iter().all(|trap| trap["deeper"].is_null()));
    let wrong = |more: &[&str]| stderr(&place.run(&[&asked[..], more].concat()));
    let said = wrong(&["--engine", &scripted(&[])]);
    assert!(said.contains("--for <TIME>"), "{said}");
    let said = wrong(&["--for", "1s", "--engine-depth", "9"]);
    assert!(said.contains("traps takes neither --engine-depth nor --engine-nodes"), "{said}");
    let said = wrong(&["--for", "1s", "--engine", &scripted(&["--name", "Other 2"])]);
    let words = "error: analysis 1: it was analysed with Scripted 1; the engine here is Other 2\n";
    assert!(said.contains(words), "{said}");
    let engine = scripted(&[]);
    let searching = [&asked[..], &["--for", "60s", "--engine", &engine]].concat();
    let told = json(&place, &searching);
    let (traps, refuted) = (told["traps"].as_array().unwrap(), told["refuted"].as_u64().unwrap());
    assert_eq!(told["all"].as_u64().unwrap() + refuted, all);
    assert!(!traps.is_empty() && refuted > 0, "{told}");
    for trap in traps {
        let deeper = &trap["deeper"];
        assert!(deeper["limit"]["depth"].as_u64().unwrap() >= 7, "{trap}");
        let cp = |key: &str| deeper[key]["cp"].as_i64().unwrap();
        assert!(cp("score") > cp("best_score"), "{trap}");
    }
    assert!(!place.path("tree.db-wal").exists(), "the log is empty");
    assert_eq!(json(&place, &asked), told, "the answers are kept");
    let text = place.stdout(&asked);
    assert!(text.contains("deeper search (engine depth "), "{text}");
    let left_out = format!("\n{refuted} left out: deeper searches see a smaller loss\n");
    assert!(text.ends_with(&left_out), "{text}");
    assert!(place.run(&["verify"]).status.success());
}

#[test]
fn nets_that_cannot_be_read_are_named() {
    let place = Place::new();
    let ask = |net: &str| stderr(&place.run(&["games", "show", "--human", net, "--moves", "e4"]));
    let said = ask("maia-1500");
    assert!(said.contains("human/maia-1500.pb.gz") && said.contains("doctor"), "{said}");
    std::fs::write(place.path("bad.pb.gz"), "no net").unwrap();
    assert!(ask("bad.pb.gz").contains("bad.pb.gz"), "{}", ask("bad.pb.gz"));
    let output = place.run(&["grow", "--human-weight", "3"]);
    assert!(stderr(&output).contains("--human-weight needs a net"), "{}", stderr(&output));
    add(&place, "crowd", 1);
    let said = ask("maia-1500");
    assert!(said.contains("hint: your data folder has crowd\n"), "{said}");
    let asked = ["games", "show", "--human", "crowd", "--moves", "e4", "--player", "A"];
    let said = stderr(&place.run(&asked));
    assert!(said.contains("the filters of games need a set, beside --human"), "{said}");
    std::fs::remove_dir_all(folder(&place)).unwrap();
    assert!(place.stdout(&["doctor"]).contains("no net of human play in "));
}
