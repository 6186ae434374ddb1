//! `show --format html`: the data in the page held against the JSON, text that tries to break out,
//! and the page itself in Chromium (`tests/page`).
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::node;
use crate::support::directed;
use crate::support::program::{Place, stderr};
use crate::support::readers::{CHESS960, root_of, show};

/// Circles, transpositions and a game history.
const CIRCLES: &[&str] = &["--moves", "Nf3 Nf6 Ng1 Ng8", "--depth", "3", "--distance", "25"];
/// Transpositions and repetitions.
const ENDING: &[&str] =
    &["--root", "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1", "--depth", "5", "--distance", "30"];
/// Mates for both sides, Black to move.
const MATES: &[&str] =
    &["--root", "7k/8/5K2/8/8/8/8/6Q1 b - - 0 1", "--depth", "3", "--distance", "60"];
/// The game is over.
const OVER: &[&str] = &["--root", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "--depth", "1"];
/// Promotions, captures of the last pawn, Black to move at the root.
const PROMOTIONS: &[&str] =
    &["--root", "8/5P2/8/8/8/k7/8/6K1 w - - 0 40", "--depth", "2", "--distance", "60"];
/// Castling to both sides.
const CASTLING: &[&str] =
    &["--root", "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1", "--depth", "1"];
const BREAKOUT: &str =
    "</script><script>document.title='broken'</script><!-- <img src=x onerror=alert(1)>";

/// The data that the page's script reads.
fn data_of(page: &str) -> Value {
    let open = "<script type=\"application/json\" id=\"tree-data\">";
    let (_, rest) = page.split_once(open).expect("the data");
    let (json, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(json).expect("JSON")
}

/// A score in the JSON format as the integer that the page has.
fn integer(score: &Value) -> i64 {
    match (&score["cp"], score["mate"].as_i64()) {
        (_, Some(n)) if n > 0 => 32_000 - (2 * n - 1),
        (_, Some(n)) => -(32_000 + 2 * n),
        (cp, None) => cp.as_i64().unwrap(),
    }
}

/// Compares moves with those of a place and of what is below; counts the places.
fn compare(json: &Value, place: usize, data: &Value) -> usize {
    let (moves, listed) = (json.as_array().unwrap(), data["places"][place].as_array().unwrap());
    assert_eq!(moves.len(), listed.len(), "place {place}");
    let mut count = 1;
    for (json, page) in moves.iter().zip(listed) {
        for (at, field) in ["uci", "san", "rank"].into_iter().enumerate() {
            assert_eq!(json[field], page[at]);
        }
        for (at, field) in [(3, "eval"), (4, "idea"), (5, "alpha")] {
            let score = json[field].as_object().map(|_| integer(&json[field]));
            assert_eq!(score, page[at].as_i64(), "{field} of {json}");
        }
        let flags = page[6].as_u64().unwrap();
        for (bit, field) in
            [(128, "included"), (256, "excluded"), (512, "value"), (1024, "stopped")]
        {
            assert_eq!(flags & bit != 0, json.get(field).is_some(), "{field} of {json}");
        }
        assert_eq!(page[9][1], json.get("note").cloned().unwrap_or_default());
        assert_eq!(flags & 2 != 0, json.get("repetition").is_some());
        assert_eq!(flags & 4 != 0, json.get("transposition").is_some());
        assert_eq!(flags & (56 | 512) != 0, json.get("end").is_some());
        if let Some(below) = json.get("moves") {
            count += compare(below, usize::try_from(page[7].as_u64().unwrap()).unwrap(), data);
        }
    }
    count
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn the_page_has_the_tree_that_the_json_has() {
    for grown in [CIRCLES, ENDING, PROMOTIONS, CHESS960] {
        let place = Place::new();
        place.grow(grown);
        for more in [&[][..], &["--plies", "2"]] {
            let json = show(&place, grown, &[more, &["--format", "json"]].concat());
            let json: Value = serde_json::from_str(&json).unwrap();
            let page = data_of(&show(&place, grown, &[more, &["--format", "html"]].concat()));
            let places = compare(&json["moves"], 0, &page);
            assert_eq!(places, page["places"].as_array().unwrap().len());
            assert_eq!(page["root"], json["root"]);
            assert_eq!(page["positions"], json["positions"]);
            assert_eq!(integer(&json["value"]), page["value"].as_i64().unwrap());
            let last = page["verdicts"].as_array().unwrap().last().unwrap();
            assert_eq!(last["depth"], json["depth"]["settled"]);
            assert_eq!(last["value"], page["value"], "settled, so the last verdict stands");
        }
    }
}

#[test]
fn page_has_directives_and_notes_as_plain_text() {
    let place = directed::grown();
    let json: Value = serde_json::from_str(&show(&place, &[], &["--format", "json"])).unwrap();
    let page = show(&place, &[], &["--format", "html"]);
    let data = data_of(&page);
    compare(&json["moves"], 0, &data);
    assert_eq!(data["note"], "Where it all begins");
    assert_eq!(data["command"], "deepanalyze direct");
    let directed = "2 moves excluded, 3 moves included, 2 values, 2 stops, 2 notes";
    assert_eq!(data["directed"], directed);
    assert!(!page.contains("<b>%eval"), "text of the user stays text");
    let other = Place::new();
    other.grow(&["--root", "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1", "--moves", "Kd4", "--depth", "1"]);
    let args = ["--root", "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1", "--moves", "Kd4"];
    let command = data_of(&show(&other, &args, &["--format", "html"]))["command"].clone();
    let expected = "deepanalyze direct --root \"8/8/4k3/8/8/4K3/4P3/8 w - - 0 1\" --moves \"e3d4\"";
    assert_eq!(command, expected);
}

#[test]
fn page_has_stability_and_closing_as_the_text() {
    let place = Place::new();
    let root = ["--moves", "d4"];
    place.grow(&[&root[..], &["--depth", "3", "--closing-depth", "6"]].concat());
    let page = data_of(&show(&place, &root, &["--format", "html"]));
    for (at, pov) in ["white", "mover"].into_iter().enumerate() {
        let text = show(&place, &root, &["--pov", pov]);
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        for name in ["holds", "closing"] {
            let told = format!("{name} {}", page[name][at].as_str().unwrap());
            assert!(text.contains(&told), "{told}: {text}");
        }
    }
    assert_ne!(page["closing"][0], page["closing"][1], "Black is to move");
}

#[test]
fn page_below_a_line_starts_at_its_end() {
    let place = Place::new();
    place.grow(&["--depth", "3", "--distance", "20"]);
    let whole = data_of(&show(&place, &[], &["--format", "html"]));
    let best = whole["places"][0][0][1].as_str().unwrap();
    let below = data_of(&show(&place, &[], &["--format", "html", "--line", best]));
    assert_eq!(below["line"], format!("1. {best}"));
    assert_eq!(below["ply"], 1);
    assert!(below["start"].as_str().unwrap().contains(" b "));
    assert_eq!(
        below["places"][0][0][0],
        whole["places"][whole["places"][0][0][7].as_u64().unwrap() as usize][0][0]
    );
    assert!(below["places"].as_array().unwrap().len() < whole["places"].as_array().unwrap().len());
}

#[test]
fn text_of_the_user_stays_text() {
    let place = Place::new();
    grow_hostile(&place);
    let page = show(&place, &[], &["--format", "html"]);
    assert_eq!(page.matches("<script").count(), 2, "the data and the page's own");
    assert!(!page.contains("<img"));
    assert!(!page.contains("document.title='broken'</script>"));
    let engine = data_of(&page)["engine"].as_str().unwrap().to_owned();
    assert_eq!(engine, format!("{BREAKOUT}, engine depth 5, Eval File={BREAKOUT}"));
}

/// An engine whose name and option value are markup.
fn grow_hostile(place: &Place) {
    let engine = crate::support::scripted(&["--name", BREAKOUT]);
    let option = format!("Eval File={BREAKOUT}");
    let grown = ["--engine-depth", "5", "--engines", "1", "--depth", "1", "--option", &option];
    let output = place.run(&[&["grow", "--engine", &engine][..], &grown].concat());
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn page_is_reproducible_and_names_no_host() {
    let place = Place::new();
    place.grow(CIRCLES);
    let page = show(&place, CIRCLES, &["--format", "html"]);
    assert_eq!(page, show(&place, CIRCLES, &["--format", "html"]));
    place.stdout(
        &[&["show"][..], &root_of(CIRCLES), &["--format", "html", "-o", "tree.html"]].concat(),
    );
    assert_eq!(page, std::fs::read_to_string(place.path("tree.html")).unwrap());
    for fetching in ["src=\"http", "href=\"http", "url(http", "@import", "//cdn"] {
        assert!(!page.contains(fetching), "{fetching}");
    }
    assert!(page.contains("default-src 'none'"));
    let turned = show(&place, CIRCLES, &["--format", "html", "--pov", "mover"]);
    assert_eq!(data_of(&page)["pov"], "white");
    assert_eq!(data_of(&turned)["pov"], "mover");
}

#[test]
fn the_page_works_in_a_browser() {
    browse(&["walking", "castling", "telling", "access"]);
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn axe_finds_nothing_in_the_page() {
    browse(&["axe"]);
}

/// Runs files of tests in a browser.
fn browse(names: &[&str]) {
    if !node::asked_for() {
        return;
    }
    let pages = tempfile::tempdir().unwrap();
    let write = |name: &str, grown: &[&'static str]| {
        let place = Place::new();
        match grown {
            [] => grow_hostile(&place),
            grown => place.grow(grown),
        }
        let page = show(&place, grown, &["--format", "html"]);
        std::fs::write(pages.path().join(name), page).unwrap();
        let text = show(&place, grown, &[]);
        std::fs::write(pages.path().join(name).with_extension("txt"), text).unwrap();
    };
    write("mates.html", MATES);
    write("over.html", OVER);
    write("circles.html", CIRCLES);
    write("ending.html", ENDING);
    write("promotions.html", PROMOTIONS);
    write("castling.html", CASTLING);
    write("chess960.html", CHESS960);
    write("hostile.html", &[]);
    let page = show(&directed::grown(), &[], &["--format", "html"]);
    std::fs::write(pages.path().join("directed.html"), page).unwrap();
    let staged = show(&grown_in_stages(), STAGED, &["--format", "html"]);
    std::fs::write(pages.path().join("staged.html"), staged).unwrap();
    let game = show(&grown_game(), GAME, &["--every", "--format", "html"]);
    std::fs::write(pages.path().join("game.html"), game).unwrap();
    write_large(pages.path());
    let files: Vec<String> = names.iter().map(|name| format!("page/{name}.test.mjs")).collect();
    node::test(&files, &[("PAGES", pages.path().to_str().expect("a path in UTF-8"))]);
}

/// A game with a blunder; its last move is mate.
const GAME: &[&str] = &["--pgn", "game.pgn"];

fn grown_game() -> Place {
    let place = Place::new();
    let tags = format!("[White \"{BREAKOUT}\"]\n[Black \"B\"]\n[Result \"0-1\"]");
    std::fs::write(place.path("game.pgn"), format!("{tags}\n\n1. f3 e5 2. g4 Qh4# 0-1\n")).unwrap();
    place.grow(&[GAME, &["--every", "--depth", "2"]].concat());
    place
}

/// A game before the root.
const STAGED: &[&str] = &["--moves", "e4 e5 Nf3", "--depth", "3", "--distance", "25"];

/// A root that was grown in two stages.
fn grown_in_stages() -> Place {
    let place = Place::new();
    place.grow(STAGED);
    let engine = crate::support::scripted(&[]);
    let deeper = ["grow", "--engine", &engine, "--engine-depth", "7", "--engines", "1"];
    let output = place.run(&[&deeper, STAGED].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    place
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn page_has_lines_stages_and_game_before_root() {
    let place = grown_in_stages();
    let data = data_of(&show(&place, STAGED, &["--format", "html"]));
    assert_eq!(data["before"], "e2e4 e7e5 g1f3");
    let words = |value: &Value| value.as_str().unwrap().split(' ').count();
    let (lines, moves) = (data["lines"].as_array().unwrap(), data["places"][0].as_array().unwrap());
    assert_eq!(lines.len(), moves.len());
    for (line, shown) in lines.iter().zip(moves) {
        let first = line["moves"].as_str().unwrap().split(' ').next();
        assert_eq!(first, shown[0].as_str());
        let own = line["own"].as_str().unwrap().split_whitespace().count();
        assert_eq!(words(&line["sans"]), words(&line["moves"]) + own);
    }
    let stages = data["stages"].as_array().unwrap();
    let limits: Vec<&Value> = stages.iter().map(|stage| &stage["limit"]).collect();
    assert_eq!(limits, ["engine depth 5", "engine depth 7"]);
    for stage in stages {
        assert!(stage["speaks"].is_i64(), "both have settled enough: {stage}");
        assert_eq!(stage["settled"].as_array().unwrap().len(), 4);
    }
    let last = stages[1]["points"].as_array().unwrap().last().unwrap();
    assert_eq!((&last[1], &last[2]), (&moves[0][0], &data["value"]));
}

fn write_large(pages: &Path) {
    let place = Place::new();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    crate::support::synthetic::grow(&place.db(), start, 250, 1, |growth| growth.analysed() >= 2000);
    let page = show(&place, &[], &["--format", "html"]);
    std::fs::write(pages.join("large.html"), page).unwrap();
}

#[test]
fn the_committed_page_is_what_its_sources_give() {
    if !node::asked_for() {
        return;
    }
    let web = node::installed("web");
    let output = Command::new("npm").args(["run", "check"]).current_dir(web).output();
    let output = output.expect("npm runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", stderr(&output));
}
