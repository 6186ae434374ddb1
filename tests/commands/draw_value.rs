//! The value of a draw, from the command line to every format.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::HashMap;

use serde_json::Value;

use crate::support::program::{Place, stderr};

/// Kings and a pawn: much repeats.
const ENDING: &str = "8/8/4k3/8/8/3K4/4P3/8 w - - 0 1";

fn json(place: &Place, args: &[&str]) -> Value {
    serde_json::from_str(&place.stdout(&[&["show", "--format", "json"], args].concat())).unwrap()
}

#[test]
fn it_identifies_a_tree_and_every_form_says_it() {
    let place = Place::new();
    place.grow(&["--root", ENDING, "--depth", "4"]);
    let searched = place.stored().len();
    let worth = ["--root", ENDING, "--depth", "4", "--draw-value=-0.25"];
    let told = stderr(&place.run_grow(&worth));
    assert!(
        told.contains("tree      distance 10, a draw worth -0.25 for White, to depth 4"),
        "{told}"
    );
    let note = "note: analysis 1 of this position values a draw at 0.00 for White; starting a separate analysis";
    assert!(told.contains(note), "{told}");
    assert!(place.stored().len() >= searched, "what was known is used");
    let tree = json(&place, &["--analysis", "2"]);
    assert_eq!(tree["draw_value"], -25);
    assert!(
        json(&place, &["--analysis", "1"])["draw_value"].is_null(),
        "only where it is something"
    );
    let words = "a draw worth -0.25 for White";
    for (form, args) in [
        ("text", &["show"][..]),
        ("pgn", &["show", "--format", "pgn"]),
        ("html", &["show", "--format", "html"]),
        ("svg", &["show", "--format", "svg"]),
        ("epd", &["show", "--format", "epd"]),
        ("list", &["list", "--long"]),
        ("log", &["log", "--root", ENDING]),
    ] {
        assert!(place.stdout(args).contains(words), "{form}");
    }
    let verified = place.stdout(&["verify"]);
    assert!(verified.contains("2 trees grown again"), "{verified}");
    // Repeating the command continues.
    let again = stderr(&place.run_grow(&worth));
    assert!(!again.contains("note:"), "{again}");
    assert_eq!(json(&place, &["--analysis", "2"]), tree);
}

#[test]
fn a_side_that_avoids_draws_has_a_word_for_it() {
    let place = Place::new();
    for (id, (side, worth)) in [("white", -25), ("BLACK", 25)].into_iter().enumerate() {
        place.grow(&["--root", ENDING, "--depth", "1", "--avoid-draws", side]);
        let id = (id + 1).to_string();
        assert_eq!(json(&place, &["--analysis", &id])["draw_value"], worth, "{side}");
    }
    for (args, why) in [
        (&["--draw-value", "10.01"][..], "write pawns for White from -10 to 10, like -0.25"),
        (&["--draw-value", "draw"], "write pawns for White from -10 to 10, like -0.25"),
        (&["--draw-value", "1", "--avoid-draws", "white"], "cannot be used with"),
        (&["--avoid-draws", "both"], "invalid value 'both'"),
    ] {
        let refused = place.run_grow(&[&["--root", ENDING], args].concat());
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
        let told = stderr(&refused);
        assert!(told.contains(why), "{args:?}: {told}");
    }
}

#[test]
fn sql_values_draws_as_the_tree_does() {
    let place = Place::new();
    place.grow(&["--root", ENDING, "--depth", "5", "--draw-value=0.40", "--distance", "60"]);
    let tree = json(&place, &[]);
    let db = rusqlite::Connection::open(place.db()).unwrap();
    let mut query = db.prepare("SELECT epd, uci, idea FROM tree_move").unwrap();
    let row = |row: &rusqlite::Row<'_>| {
        Ok(((row.get::<_, String>(0)?, row.get::<_, String>(1)?), row.get::<_, i64>(2)?))
    };
    let ideas: HashMap<_, i64> = query.query_map([], row).unwrap().map(Result::unwrap).collect();
    let mut known = 0;
    let mut open = vec![(&tree["moves"], tree["root"].as_str().unwrap().to_owned())];
    while let Some((moves, fen)) = open.pop() {
        let epd: Vec<&str> = fen.split(' ').take(4).collect();
        for m in moves.as_array().unwrap() {
            let idea = ideas[&(epd.join(" "), m["uci"].as_str().unwrap().to_owned())];
            if let Some(cp) = m["idea"]["cp"].as_i64() {
                assert_eq!(idea, cp, "{m}");
                known += i64::from(m["end"] == "insufficient material" || m["end"] == "stalemate");
            }
            if m["moves"].is_array() {
                open.push((&m["moves"], m["epd"].as_str().unwrap().to_owned()));
            }
        }
    }
    assert!(known > 0, "no drawn end in the tree");
}

#[test]
fn best_draw_is_shown_with_its_price() {
    let place = Place::new();
    place.grow(&["--root", ENDING, "--depth", "2"]);
    let plain = json(&place, &[]);
    let best = plain["moves"][0]["san"].as_str().unwrap().to_owned();
    assert!(plain["draw"].is_null(), "{plain}");
    // A draw is worth ten pawns to White, and this move draws.
    place.stdout(&["direct", "--root", ENDING, "value", &best, "draw"]);
    place.grow(&["--root", ENDING, "--depth", "2", "--draw-value", "10"]);
    let tree = json(&place, &[]);
    let (draw, moves) = (&tree["draw"], tree["moves"].as_array().unwrap());
    assert_eq!((&draw["by"], &moves[0]["san"]), (&Value::from("value"), &Value::from(&*best)));
    assert_eq!(moves[0]["alpha"]["cp"], 1000);
    assert_eq!(draw["line"], Value::from(vec![moves[0]["uci"].clone()]));
    assert_eq!(draw["avoiding"]["uci"], moves[1]["uci"]);
    let cost = 1000 - moves[1]["alpha"]["cp"].as_i64().unwrap();
    assert_eq!(draw["avoiding"]["cost"], cost);
    let text = place.stdout(&["show"]);
    let told = text.lines().find(|line| line.starts_with("a draw ")).unwrap();
    let pawns = format!("{}.{:02}", cost / 100, cost % 100);
    let second = moves[1]["san"].as_str().unwrap();
    let right = format!("by your word after 1. {best}; avoiding it costs {pawns} (1. {second})");
    assert_eq!(told.trim_start_matches("a draw").trim(), right);
    // Where it is worth nothing to either side, another move may be the best; the directive stays.
    place.grow(&["--root", ENDING, "--depth", "2"]);
    let again = json(&place, &["--analysis", "1"]);
    let given = again["moves"].as_array().unwrap().iter().find(|m| m["san"] == *best).unwrap();
    assert_eq!((&given["value"], &given["alpha"]["cp"]), (&Value::from("draw"), &Value::from(0)));
}
