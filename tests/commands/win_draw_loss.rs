//! Wins, draws and losses, from an engine's lines to the outputs.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use serde_json::Value;

use crate::support::program::Place;
use crate::support::scripted;

/// A tree of an engine that says them, or does not.
fn grown(flags: &[&str]) -> Place {
    let place = Place::new();
    let engine = scripted(flags);
    let root = "4k3/3pp3/8/8/8/8/3PP3/4K3 w - -";
    let args = ["grow", "--root", root, "--engine", &engine, "--engine-depth", "8"];
    let limits = ["--depth", "3", "--distance", "20"];
    place.run(&[&args[..], &limits].concat());
    place
}

/// The scripted engine's wins, draws and losses for a score.
fn said(score: &Value) -> [i64; 3] {
    match (score["cp"].as_i64(), score["mate"].as_i64()) {
        (Some(cp), None) => {
            let (win, loss) = ((250 + cp).clamp(0, 500), (250 - cp).clamp(0, 500));
            [win, 1000 - win - loss, loss]
        }
        (None, Some(mate)) => {
            if mate > 0 {
                [1000, 0, 0]
            } else {
                [0, 0, 1000]
            }
        }
        _ => panic!("{score}"),
    }
}

fn numbers(of: &Value) -> [i64; 3] {
    let all: Vec<i64> = of.as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect();
    all.try_into().unwrap()
}

/// Holds each move to what is printed behind it; how many moves there were, and how many of them go on.
fn check(moves: &[Value]) -> (usize, usize) {
    let (mut all, mut going_on) = (0, 0);
    for m in moves {
        all += 1;
        let told = numbers(&m["wdl"]);
        let drawn = m["repetition"] == true || m["end"].is_string() && m["end"] != "checkmate";
        if let Some(behind) = m["moves"].as_array() {
            let [win, draw, loss] = numbers(&behind[0]["wdl"]);
            assert_eq!(told, [loss, draw, win], "{m}");
            let (more, on) = check(behind);
            (all, going_on) = (all + more, going_on + on + 1);
        } else if drawn {
            assert_eq!(told, [0, 1000, 0], "{m}");
        } else if m["transposition"] != true {
            assert_eq!(told, said(&m["eval"]), "{m}");
        }
    }
    (all, going_on)
}

#[test]
fn the_first_line_of_grow_is_that_of_show() {
    for flags in [&["--wdl"][..], &[]] {
        let (place, engine) = (Place::new(), scripted(flags));
        let root = ["--root", "4k3/3pp3/8/8/8/8/3PP3/4K3 w - -"];
        let grow =
            ["grow", "--engine", &engine, "--engine-depth", "8", "--depth", "3", "--no-closing"];
        let grown = place.stdout(&[&grow[..], &root].concat());
        let shown = place.stdout(&[&["show"], &root[..]].concat());
        assert_eq!(grown.lines().next(), shown.lines().next());
        assert_eq!(grown.lines().next().unwrap().contains(" ("), !flags.is_empty(), "{grown}");
    }
}

#[test]
fn moves_have_the_figures_of_their_line_s_end() {
    let place = grown(&["--wdl"]);
    let tree: Value = serde_json::from_str(&place.stdout(&["show", "--format", "json"])).unwrap();
    let moves = tree["moves"].as_array().unwrap();
    let (all, going_on) = check(moves);
    assert!(all > 20 && going_on > 5, "{all} moves, {going_on} go on");
    assert_eq!(tree["verdict"]["wdl"], moves[0]["wdl"]);
    assert_eq!(tree["wdl_from"], "engine");
    // Per cent for White, who is to move.
    let text = place.stdout(&["show"]);
    let first = text.lines().next().unwrap();
    assert!(first.contains(" / ") && first.ends_with(") for White"), "{first}");
    assert!(text.contains("W / D / L") && text.contains("as told by the engine"), "{text}");
    let csv = place.stdout(&["show", "--format", "csv", "--plies", "1"]);
    // A single place of many positions: what is needed is read alone.
    assert!(tree["positions"].as_u64().unwrap() > 32, "{}", tree["positions"]);
    assert_eq!(csv.lines().count(), moves.len() + 1);
    for (row, m) in csv.lines().skip(1).zip(moves) {
        let [win, draw, loss] = numbers(&m["wdl"]);
        assert!(row.ends_with(&format!(",{win},{draw},{loss}")), "{row}: {m}");
    }
}

#[test]
fn by_draws_lists_least_drawn_moves_first() {
    let place = grown(&["--wdl"]);
    let sorted = place.stdout(&["show", "--format", "json", "--sort", "draws"]);
    let tree: Value = serde_json::from_str(&sorted).unwrap();
    let sorted = tree["by_draws"].as_array().unwrap();
    let draws: Vec<i64> = sorted.iter().map(|m| numbers(&m["wdl"])[1]).collect();
    assert!(draws.is_sorted(), "{draws:?}");
    let alpha = |m: &Value| m["alpha"]["cp"].as_i64().unwrap();
    let best = alpha(&tree["moves"][0]);
    let moves = tree["moves"].as_array().unwrap();
    let near = moves.iter().filter(|m| best - alpha(m) <= 20).count();
    assert_eq!((sorted.len(), near < moves.len()), (near, true));
}

#[test]
fn where_the_engine_says_nothing_nothing_is_told() {
    let place = grown(&[]);
    let json = place.stdout(&["show", "--format", "json"]);
    assert!(!json.contains("wdl"), "not even of endings");
    let text = place.stdout(&["show"]);
    assert!(!text.contains(" / "), "{text}");
    let csv = place.stdout(&["show", "--format", "csv"]);
    assert!(csv.lines().skip(1).all(|row| row.ends_with(",,,")), "{csv}");
}
