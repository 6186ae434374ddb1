//! Trees that know what people play by a net, with the built program. The nets are not part of the
//! repository: without them nothing is tested, and that is said.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::PathBuf;

use serde_json::Value;

use crate::support::program::{Place, stderr};
use crate::support::scripted;

/// The file of a net; `None` if the nets are not there.
fn net(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/maia");
    let file = folder.join(format!("{name}.pb.gz"));
    if !file.is_file() {
        println!("maia nets are not there: not tested");
    }
    file.is_file().then_some(file)
}

/// A place with a net in its data folder.
fn place_with(name: &str) -> Option<Place> {
    let (place, file) = (Place::new(), net(name)?);
    let folder = place.path(".local/share/deepanalyze/human");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(&file, folder.join(file.file_name().unwrap())).unwrap();
    Some(place)
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
    let Some(place) = place_with("maia-1100") else { return };
    let said = grow(&place, &["--human", "maia-1100", "--played", "10%/-"]);
    let words = "games     people like maia-1100; followed: White's moves from 10% and 1 game on\n";
    assert!(said.contains(words), "{said}");
    // From now on the net is not needed.
    std::fs::remove_dir_all(place.path(".local")).unwrap();
    let tree = json(&place, &["show", "--all"]);
    let moves = tree["moves"].as_array().unwrap();
    let knight = moves.iter().find(|m| m["uci"] == "g1f3").unwrap();
    assert!(knight["human"].as_f64().unwrap() > 0.2, "{knight}");
    assert_eq!((&knight["games"], &knight["played"]), (&Value::Null, &Value::Bool(true)));
    assert!(!knight["moves"].as_array().unwrap().is_empty(), "it has a reply: {knight}");
    assert_eq!(tree["games"]["human"]["white"], "maia-1100");
    let text = place.stdout(&["show"]);
    assert!(text.contains("  share  ") && !text.contains("  games  "), "{text}");
    assert!(place.run(&["verify"]).status.success());
    let engine = scripted(&[]);
    let args = ["grow", "--analysis", "1", "--depth", "3", "--engines", "2", "--engine", &engine];
    let output = place.run(&args);
    let words = "error: analysis 1 knows games or nets that are not here: people like maia-1100\n";
    assert!(stderr(&output).contains(words), "{}", stderr(&output));
}

#[test]
fn an_analysis_finds_its_net_by_its_digest() {
    let Some(place) = place_with("maia-1500") else { return };
    grow(&place, &["--human-black", "maia-1500", "--human-weight", "7"]);
    let folder = place.path(".local/share/deepanalyze/human");
    std::fs::rename(folder.join("maia-1500.pb.gz"), folder.join("club.pb.gz")).unwrap();
    let engine = scripted(&[]);
    let args = ["grow", "--analysis", "1", "--depth", "3", "--engines", "2", "--engine", &engine];
    let output = place.run(&args);
    assert!(output.status.success(), "{}", stderr(&output));
    let words = "games     people like club for Black, as 7 games; none followed\n";
    assert!(stderr(&output).contains(words), "{}", stderr(&output));
    let list = json(&place, &["list"]);
    assert_eq!(list.as_array().or(list["analyses"].as_array()).unwrap().len(), 1, "{list}");
}

#[test]
fn games_and_a_net_are_one_set() {
    let Some(place) = place_with("maia-1500") else { return };
    let game = "[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n1. e4 e5 2. Ke2 *\n\n";
    std::fs::write(place.path("club.pgn"), game).unwrap();
    let with = ["--games", "club.pgn", "--human", "maia-1500"];
    let said = grow(&place, &[&with[..], &["--played", "3%"]].concat());
    let words = "games     club.pgn, 1 game; people like maia-1500; followed: White's moves from 3% and 1 game on";
    assert!(said.contains(words), "{said}");
    let tree = json(&place, &["show"]);
    let king = tree["moves"].as_array().unwrap().iter().find(|m| m["uci"] == "e1e2").unwrap();
    // One game beside thirty, of which the net gives it hardly any.
    assert_eq!(king["games"], 1);
    let share = king["share"].as_f64().unwrap();
    assert!((0.03..0.05).contains(&share), "{king}");
    let again = grow(&place, &[&with[..], &["--played", "3%"]].concat());
    assert!(again.contains("this run  0 searches"), "{again}");
    assert!(place.run(&["verify"]).status.success());
}

#[test]
fn a_position_is_asked_with_its_game() {
    let Some(place) = place_with("maia-1500") else { return };
    let ask = |more: &[&str]| {
        let asked = json(&place, &[&["games", "show", "--human", "maia-1500"], more].concat());
        let reply = asked["moves"].as_array().unwrap().iter().find(|m| m["san"] == "e5");
        (asked["with_history"].clone(), reply.unwrap()["share"].as_f64().unwrap())
    };
    let epd = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let ((game, with), (alone, without)) = (ask(&["--moves", "e4"]), ask(&["--root", epd]));
    assert_eq!((game, alone), (true.into(), false.into()));
    assert!((0.49..0.51).contains(&with) && (0.15..0.17).contains(&without), "{with} {without}");
    let text = place.stdout(&["games", "show", "--human", "maia-1500", "--moves", "e4"]);
    assert!(text.starts_with("people like maia-1500: 1. e4\n\n1... e5       50%\n"), "{text}");
}

#[test]
fn traps_are_told_asked_of_a_net_now() {
    let Some(place) = place_with("maia-1500") else { return };
    grow(&place, &[]);
    let output = place.run(&["traps"]);
    let words = "error: analysis 1 was grown without games and nets, so it does not know what people play\n";
    assert!(stderr(&output).contains(words), "{}", stderr(&output));
    // The engine's scores are by chance, so that something likely loses.
    let asked =
        ["traps", "--human", "maia-1500", "--min", "1%", "--loss", "0.01", "--sound", "9999"];
    let told = json(&place, &asked);
    let traps = told["traps"].as_array().unwrap();
    assert!(!traps.is_empty(), "{told}");
    for trap in traps {
        assert!(trap["share"].as_f64().unwrap() >= 0.01 && trap["gain"].as_f64().unwrap() > 0.0);
    }
    let text = place.stdout(&asked);
    assert!(text.starts_with("people  people like maia-1500\nscores  in pawns"), "{text}");
    let cards = place.stdout(&[&asked[..], &["--format", "anki"]].concat());
    assert!(cards.starts_with("#separator:tab\n") && cards.contains("::Traps for "), "{cards}");
    let output = place.run(&["traps", "--min", "0"]);
    assert!(
        stderr(&output).contains("a share is more than 0 and at most 1"),
        "{}",
        stderr(&output)
    );
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
    assert!(place.stdout(&["doctor"]).contains("no net of human play in "));
}
