//! Equal time.

use serde_json::Value;

use super::Kind;
use crate::support::program::{Place, searches, stderr};
use crate::support::{assert_well, scripted};

const EPD: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - bm Nf6; id \"Italian\";\n\
    rnbqkb1r/pp2pppp/2pp1n2/8/2PP4/8/PP1NPPPP/R1BQKBNR w KQkq - am e4 a3; id \"avoid\";\n\
    8/5k2/8/8/3R4/8/2r5/1K6 b - - id \"no task\";\n\
    4k3/3pp3/8/8/8/8/3PP3/4K3 w - - bm e4 d4; id \"pawns\";\n";

const FLEET: Kind = Kind { epd: EPD, arguments };

const TREES: [&str; 4] =
    ["--tree", "engine-depth=5 distance=30", "--tree", "engine-depth=4 distance=15"];

fn arguments(place: &Place, log: &str, flags: &[&str], more: &[&str]) -> Vec<String> {
    let log = place.path(log);
    let mut of_engine = vec!["--log", log.to_str().unwrap(), "--name", "Player", "--noise", "30"];
    of_engine.extend_from_slice(flags);
    let engine = scripted(&of_engine);
    let mut args = vec!["duel", "--epd", "suite.epd", "--engine", &engine, "--nodes", "20000"];
    args.extend(["--fleet", "2,6", "--json", "duel.json"]);
    args.extend(TREES);
    args.extend_from_slice(more);
    args.into_iter().map(str::to_owned).collect()
}

fn count(place: &Place, table: &str) -> i64 {
    let db = rusqlite::Connection::open(place.db()).unwrap();
    db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[test]
fn solved_positions_are_counted_without_a_judge() {
    let place = FLEET.place();
    let (text, json) = FLEET.result(&place, "log", &[], &["--solved"]);
    assert!(text.contains("left out  line 3: no best move (bm) and no bad one (am)"), "{text}");
    let positions = json["positions"].as_array().unwrap();
    assert_eq!(positions.len(), 3);
    let solves = |id: &str, san: &str| match id {
        "Italian" => san == "Nf6",
        "avoid" => san != "e4" && san != "a3",
        _ => san == "e4" || san == "d4",
    };
    let mut solved = vec![0; json["arms"].as_array().unwrap().len()];
    for position in positions {
        let id = position["id"].as_str().unwrap();
        let speeds: Vec<u64> = position["searches"]
            .as_array()
            .unwrap()
            .iter()
            .map(|search| search["speed"].as_u64().unwrap())
            .collect();
        assert_eq!(speeds, [1, 2, 4, 6]);
        for (arm, solved) in position["arms"].as_array().unwrap().iter().zip(&mut solved) {
            let is_solved = solves(id, arm["san"].as_str().unwrap());
            assert_eq!(arm["cost"].as_i64().unwrap(), i64::from(!is_solved), "{arm}");
            *solved += u64::from(is_solved);
            let engines = arm["engines"].as_u64().unwrap();
            let time = ["used", "unused", "unfinished", "idle"];
            let sum: u64 = time.iter().map(|of| arm["shares"][of].as_u64().unwrap()).sum();
            assert_eq!(sum, 20_000 * engines, "{arm}");
        }
    }
    for (arm, solved) in json["arms"].as_array().unwrap().iter().zip(solved) {
        assert_eq!(arm["solved"].as_u64().unwrap(), solved);
    }
    assert_eq!(count(&place, "analysis"), 0, "a duel keeps answers, no trees");
    assert_well(&place);
}

#[test]
fn the_command_that_it_prints_can_be_typed_again() {
    let place = FLEET.place();
    let first = FLEET.run(&place, "log", &[], &["--solved"]);
    let text = String::from_utf8_lossy(&first.stdout).into_owned();
    let command = text.lines().find_map(|line| line.strip_prefix("command   lab ")).unwrap();
    let words = deepanalyze_core::quoting::split(command).unwrap();
    let again = place.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(String::from_utf8_lossy(&again.stdout), text, "{}", stderr(&again));
}

#[test]
fn engine_with_threads_is_an_arm_if_it_can_have_them() {
    let place = FLEET.place();
    let threads = ["--solved", "--threads"];
    let (text, json) = FLEET.result(&place, "log", &[], &threads);
    assert!(text.contains("threads  "), "{text}");
    let arms = json["arms"].as_array().unwrap();
    let threads: Vec<&Value> = arms.iter().filter(|arm| arm["arm"] == "threads").collect();
    assert_eq!(threads.len(), 2);
    assert!(threads.iter().all(|arm| arm["solved"].is_u64() && arm["answers"].is_null()));
    let trees = arms.iter().filter(|arm| !arm["tree"].is_null());
    assert!(
        trees.clone().count() == 4
            && trees.clone().all(|arm| arm["difference_to_threads"].is_object())
    );
    for (more, words) in [
        (["--option", "Threads=2"], "leave it out"),
        (["--engines", "2"], "one position at a time"),
        (["--fleet", "9"], "Threads"),
    ] {
        let more = [&["--solved", "--threads"][..], &more].concat();
        let output = FLEET.run(&place, "refused", &[], &more);
        assert!(!output.status.success() && stderr(&output).contains(words), "{}", stderr(&output));
        assert!(!place.path("refused").exists(), "nothing was searched");
    }
}

#[test]
fn split_moves_stages_and_closing_searches_are_arms() {
    let place = FLEET.place();
    let closed = "engine-depth=4 distance=15 closing=1/2";
    let more = ["--solved", "--split", "--tree", "stages=3 distance=15", "--tree", closed];
    let (text, json) = FLEET.result(&place, "log", &[], &more);
    assert!(text.contains("split     the position's moves"), "{text}");
    assert!(text.contains("tree C    stages=3 distance=15"), "{text}");
    let arms = json["arms"].as_array().unwrap();
    let split = arms.iter().filter(|arm| arm["arm"] == "split");
    assert_eq!(split.clone().count(), 2);
    assert!(split.clone().all(|arm| arm["solved"].is_u64() && arm["shares"].is_null()));
    let trees = arms.iter().filter(|arm| arm["arm"] == "tree");
    assert!(
        trees.clone().count() == 8
            && trees.clone().all(|arm| arm["difference_to_split"].is_object())
    );
    for position in json["positions"].as_array().unwrap() {
        for arm in position["arms"].as_array().unwrap() {
            assert_eq!(arm["stage"].is_object(), arm["tree"] == "C", "{arm}");
        }
    }
    for arm in trees {
        // Each engine has half of the time for it, and every share of the time is in the row.
        let of = |share: &str| arm["shares"][share].as_u64().unwrap();
        let whole = ["used", "unused", "unfinished", "closing", "idle"].map(of).iter().sum::<u64>();
        let half = if arm["tree"] == "D" { whole / 2 } else { 0 };
        assert_eq!(of("closing"), half, "{arm}");
    }
    assert_eq!(text.matches(" % closing search, ").count(), 2, "{text}");
    let made = searches(&place.path("log"));
    assert_eq!(FLEET.result(&place, "log", &[], &more), (text, json));
    assert_eq!(searches(&place.path("log")), made, "all was known");
}

#[test]
fn it_repeats_without_a_search_at_any_number_of_lanes() {
    FLEET.repeats(&["--solved"], 100);
}

#[test]
fn killed_again_and_again_it_gives_the_same_bytes() {
    FLEET.survives_kills(&["--solved"], 25, 13, 3);
}

#[test]
fn losses_are_those_of_the_judge() {
    let place = FLEET.place();
    let judge = scripted(&["--name", "Judge", "--seed", "77", "--noise", "40"]);
    let more = ["--judge", &judge, "--judge-nodes", "90000"];
    let (text, json) = FLEET.result(&place, "log", &[], &more);
    assert!(text.contains("judge     Judge, 90000 nodes"), "{text}");
    let positions = json["positions"].as_array().unwrap();
    assert_eq!(positions.len(), 4, "no task is needed");
    for (index, arm) in json["arms"].as_array().unwrap().iter().enumerate() {
        let losses = positions.iter().map(|p| p["arms"][index]["cost"].as_i64().unwrap());
        let losses: Vec<i64> = losses.collect();
        #[allow(clippy::cast_precision_loss)]
        let mean = losses.iter().sum::<i64>() as f64 / 4.0;
        assert!((arm["loss"]["value"].as_f64().unwrap() - mean).abs() < 1e-9, "{arm}");
    }
    let mut lost = 0;
    for position in positions {
        let arms = ["searches", "arms"].map(|of| position[of].as_array().unwrap().clone()).concat();
        let judged = position["judged"].as_array();
        let judges = |uci: &Value| {
            let judged = judged.unwrap().iter().find(|of| of["uci"] == *uci).unwrap();
            judged["centipawns"].as_i64().unwrap()
        };
        let best = judged.map(|all| all.iter().map(|of| judges(&of["uci"])).max().unwrap());
        for arm in &arms {
            let loss = best.map_or(0, |best| best - judges(&arm["uci"]));
            assert_eq!(arm["cost"], loss, "{position}");
            lost += loss;
        }
    }
    assert!(lost > 0, "no arm lost anything");
    // The arm of the search that is as fast, position by position.
    for (index, arm) in json["arms"].as_array().unwrap().iter().enumerate() {
        for (at, difference) in arm["difference"].as_array().unwrap().iter().enumerate() {
            let of = |position: &Value, kind: &str, at: usize| position[kind][at]["cost"].as_i64();
            let sum: i64 = positions
                .iter()
                .map(|p| of(p, "arms", index).unwrap() - of(p, "searches", at).unwrap())
                .sum();
            #[allow(clippy::cast_precision_loss)]
            let mean = sum as f64 / 4.0;
            assert!((difference["value"].as_f64().unwrap() - mean).abs() < 1e-9, "{arm}");
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_makes_nothing() {
    let place = FLEET.place();
    std::fs::write(place.path("plain.epd"), "4k3/8/8/8/8/8/4P3/4K3 w - -\n").unwrap();
    let engine = scripted(&[]);
    let base = ["duel", "--engine", &engine, "--nodes", "900"];
    let tree = ["--tree", "engine-depth=5"];
    for (args, words) in [
        (vec!["--epd", "suite.epd", "--solved"], "--solved needs --fleet"),
        (vec!["--epd", "suite.epd", "--fleet", "4"], "--judge <CMD>"),
        (vec!["--epd", "suite.epd", "--solved", "--fleet", "4,0"], "'0' for '--fleet <K,...>'"),
        (
            vec!["--epd", "plain.epd", "--solved", "--fleet", "4"],
            "no position that asks for a move",
        ),
        (
            vec![
                "--epd",
                "suite.epd",
                "--solved",
                "--fleet",
                "4",
                "--tree",
                "engine-depth=5 hash=kept",
            ],
            "--fleet takes trees with hash=cleared",
        ),
        (
            vec!["--epd", "suite.epd", "--judge", "x", "--judge-nodes", "9", "--tree", "stages=8"],
            "\"stages=8 distance=10 hash=cleared\" has stages, which only --fleet takes",
        ),
        (
            vec!["--epd", "suite.epd", "--split", "--judge", "x", "--judge-nodes", "9"],
            "--split needs --fleet",
        ),
        (
            vec!["--epd", "suite.epd", "--solved", "--fleet", "4", "--judge", "x"],
            "cannot be used with",
        ),
    ] {
        let output = place.run(&[&base[..], &tree, &args].concat());
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(words), "{args:?}: {said}");
        assert!(!place.db().exists(), "{args:?} made a database");
    }
}

#[test]
fn what_only_several_engines_can_do_needs_them() {
    let place = Place::new();
    let duel = ["duel", "--epd", "x.epd", "--nodes", "1000", "--tree", "engine-depth=8"];
    for option in ["--solved", "--split", "--threads"] {
        let judge = ["--judge", "x", "--judge-nodes", "20000"];
        let more = if option == "--solved" { &[][..] } else { &judge[..] };
        let said = stderr(&place.run(&[&duel[..], &[option], more].concat()));
        assert!(said.starts_with(&format!("error: {option} needs --fleet\n")), "{said}");
    }
    let help = place.stdout(&["duel", "--help"]);
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(help.matches("(needs --fleet)").count(), 3, "{help}");
}
