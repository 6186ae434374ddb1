//! `deepanalyze games` on games that are counted once, twice or not at all: duplicates, variants, filters.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use serde_json::{Value, json};

use super::games::{json, refused};
use crate::support::program::{Place, stderr};

/// A game of 64 plies, in which the knights go to and fro.
fn long_game() -> String {
    let moves = (0..16).map(|at| {
        let number = 2 * at + 1;
        format!("{number}. Nf3 Nf6 {}. Ng1 Ng8 ", number + 1)
    });
    format!("[Event \"long\"]\n\n{}33. e4 e5 *\n", moves.collect::<String>())
}

#[test]
fn a_position_behind_the_counted_plies_is_told() {
    let place = Place::new();
    std::fs::write(place.path("long.pgn"), long_game()).unwrap();
    let show = ["games", "show", "long.pgn", "--pgn", "long.pgn", "--ply", "65"];
    let text = place.stdout(&show);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[2..],
        [
            "this position comes after 65 plies, and only the first 60 of each game are counted",
            "`deepanalyze games add SET FILE --max-ply 66` makes a set that counts it",
        ]
    );
    place.run(&["games", "add", "long.games", "long.pgn", "--max-ply", "66"]);
    let show = ["games", "show", "long.games", "--pgn", "long.pgn", "--ply", "65"];
    assert!(place.stdout(&show).contains("e5"), "{}", place.stdout(&show));
    let fen = "8/8/4k3/8/8/3K4/4P3/8 w - - 0 9";
    let none = place.stdout(&["games", "show", "long.pgn", "--root", fen]);
    assert!(none.ends_with("\nno game reaches this position\n"), "{none}");
}

#[test]
fn games_of_other_variants_are_named() {
    let place = Place::new();
    let game = |variant: &str| format!("[Event \"x\"]\n[Variant \"{variant}\"]\n\n1. e4 e5 *\n\n");
    let frc = "[Event \"x\"]\n[Variant \"wild/fr\"]\n\
        [FEN \"bqnrnkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNRNKRB w KQkq - 0 1\"]\n\n1. b3 c5 *\n\n";
    let all = ["?", "Classical", "Atomic", "Crazyhouse", "Atomic"].map(game).concat() + frc;
    std::fs::write(place.path("all.pgn"), all).unwrap();
    let named = "2 Atomic, 1 Crazyhouse";
    let show = place.run(&["games", "show", "all.pgn", "--format", "json"]);
    let told = format!("left out: 3 of other variants ({named})\n");
    assert!(stderr(&show).contains(&told), "{}", stderr(&show));
    let table: Value = serde_json::from_slice(&show.stdout).unwrap();
    assert_eq!(table["set"]["games"], 3);
    let added = place.stdout(&["games", "add", "all", "all.pgn"]);
    assert!(added.contains(&format!("left out: 3 of other variants ({named})")), "{added}");
    let grown = place.run(&["grow", "--games", "all.pgn", "--depth", "1", "--engine-depth", "1"]);
    assert!(stderr(&grown).contains(named), "{}", stderr(&grown));
}

/// The counts of a file, as JSON, and the messages beside them.
fn counted(games: &str, args: &[&str]) -> (Value, String) {
    let place = Place::new();
    std::fs::write(place.path("some.pgn"), games).unwrap();
    let output = place.run(&[&["games", "show", "some.pgn", "--format", "json"], args].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    (serde_json::from_slice(&output.stdout).unwrap(), stderr(&output))
}

/// A game with some tags.
fn game(tags: &[(&str, &str)], moves: &str) -> String {
    let tags = tags.iter().map(|(name, value)| format!("[{name} \"{value}\"]\n"));
    format!("[Event \"E\"]\n{}\n{moves}\n\n", tags.collect::<String>())
}

/// The main line of the Zaitsev, to move 10.
const ZAITSEV: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O \
    9. h3 Bb7 10. d4 Re8";

#[test]
fn a_game_that_comes_back_counts_once_in_all() {
    let place = Place::new();
    let first = format!("{ZAITSEV} 11. Ng5 Rf8 12. Nf3 Re8 13. Nbd2 Bf8 1/2-1/2");
    let second = format!("{ZAITSEV} 11. Nbd2 Bf8 1-0");
    let games = [game(&[("White", "A")], &first), game(&[("White", "B")], &second)].concat();
    std::fs::write(place.path("some.pgn"), games).unwrap();
    place.stdout(&["games", "add", "./some.games", "some.pgn", "--quiet"]);
    let line = ZAITSEV.split(' ').filter(|word| !word.ends_with('.')).collect::<Vec<_>>().join(" ");
    for set in ["some.pgn", "./some.games"] {
        let show = ["games", "show", set, "--moves", &line];
        let table = json(&place, &[&show[..], &["--format", "json"]].concat());
        let all = ["games", "white", "draws", "black"].map(|key| table[key].as_u64().unwrap());
        assert_eq!(all, [2, 1, 1, 0], "{table}");
        let moves = table["moves"].as_array().unwrap().iter();
        let moves: Vec<String> =
            moves.map(|m| format!("{} {} {}", m["san"], m["games"], m["share"])).collect();
        assert_eq!(moves, ["\"Nbd2\" 2 1.0", "\"Ng5\" 1 0.5"]);
        let text = place.stdout(&show);
        let lines: Vec<&str> = text.lines().skip(3).collect();
        assert!(lines[1].starts_with("Nbd2      2  100.0%    50%   50%     0%  "), "{text}");
        assert!(lines[2].starts_with("Ng5       1   50.0%     0%  100%     0%  "), "{text}");
        assert!(lines[3].starts_with("all       2  100.0%    50%   50%     0%  "), "{text}");
    }
    // A tree tells the same shares.
    let args = ["--moves", &line, "--games", "some.pgn", "--played", "33%/1", "--depth", "1"];
    let grown = place.run_grow(&[&args[..], &["--distance", "20"]].concat());
    assert!(grown.status.success(), "{}", stderr(&grown));
    let tree = json(&place, &["show", "--moves", &line, "--all", "--format", "json"]);
    let told = |uci: &str| {
        let moves = tree["moves"].as_array().unwrap();
        let found = moves.iter().find(|m| m["uci"] == uci).unwrap_or(&Value::Null);
        [&found["games"], &found["share"], &found["played"]].map(Value::clone)
    };
    assert_eq!(told("b1d2"), [json!(2), json!(1.0), json!(true)], "{tree}");
    assert_eq!(told("f3g5"), [json!(1), json!(0.5), json!(true)], "{tree}");
}

#[test]
fn anonymous_and_distinct_games_all_count() {
    let mate = "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n";
    let (table, said) = counted(&mate.repeat(5), &[]);
    assert_eq!((&table["set"]["games"], said.as_str()), (&5.into(), ""));
    let of_day = |number: usize, result: &str| {
        let (site, time) = (format!("https://example.org/{number}"), format!("10:0{number}:00"));
        let tags = [
            ("Site", site.as_str()),
            ("Date", "2024.01.01"),
            ("White", "anna"),
            ("Black", "bert"),
            ("UTCTime", &time),
        ];
        game(&tags, &format!("1. e4 e5 2. Bc4 {result}"))
    };
    let games = [of_day(0, "1-0"), of_day(1, "0-1"), of_day(2, "1-0")].concat();
    let (table, said) = counted(&games, &[]);
    let e4 = ["games", "white", "black"].map(|key| table["moves"][0][key].as_u64().unwrap());
    assert_eq!((e4, said.as_str()), ([3, 2, 1], ""));
}

#[test]
fn left_out_games_are_reported_alike_by_trees() {
    let known = [("White", "A"), ("Black", "B")];
    let games = [
        game(&known, "1. e4 1-0"),
        game(&known, "1. e4 {again} 1-0"),
        game(&[known[0], known[1], ("Variant", "Atomic")], "1. e4 1-0"),
        game(&[known[0], known[1], ("Result", "0-1")], "1. d4 1-0"),
    ]
    .concat();
    let (table, said) = counted(&games, &[]);
    let left_out = json!({"duplicates": 1, "variants": 1, "bad": 0, "contradicting": 1});
    assert_eq!((&table["left_out"], &table["set"]["games"]), (&left_out, &2.into()));
    let lines = "note: left out: 1 there twice, 1 of other variants (1 Atomic)\n\
        note: 1 game has another result in the tag than behind the moves; the latter counts\n";
    assert_eq!(said, lines);
    let place = Place::new();
    std::fs::write(place.path("some.pgn"), &games).unwrap();
    let grown = place.run_grow(&["--depth", "1", "--distance", "20", "--games", "some.pgn"]);
    assert!(grown.status.success() && stderr(&grown).contains(lines), "{}", stderr(&grown));
    let added = place.run(&["games", "add", "./s.games", "some.pgn"]);
    let told = String::from_utf8_lossy(&added.stdout);
    assert!(told.contains("left out: 1 there already, 1 of other variants (1 Atomic)\n"), "{told}");
    assert!(stderr(&added).contains("1 game has another result in the tag"), "{}", stderr(&added));
}

#[test]
fn what_a_filter_cannot_judge_is_told_by_number() {
    let games = [
        game(&[("White", "A"), ("Date", "30.05.2024"), ("WhiteElo", "2000")], "1. e4 *"),
        game(&[("White", "B"), ("Date", "????.??.??"), ("WhiteElo", "?")], "1. e4 *"),
        game(&[("White", "C"), ("Date", "Sun Jul 09 2023")], "1. e4 *"),
    ]
    .concat();
    let (table, said) = counted(&games, &["--since", "2024"]);
    assert_eq!((&table["set"]["games"], &table["unjudged"]["date"]), (&1.into(), &1.into()));
    let line = "note: 1 game left out by --since: no date that can be read, or not all of it\n";
    assert_eq!(said, line);
    let (table, said) = counted(&games, &["--min-rating", "1900"]);
    assert_eq!((&table["set"]["games"], &table["unjudged"]["rating"]), (&0.into(), &3.into()));
    let line = "note: 3 games left out by --min-rating: the rating of a player is unknown\n";
    assert_eq!(said, line);
    let place = Place::new();
    std::fs::write(place.path("some.pgn"), &games).unwrap();
    let args = ["grow", "--depth", "1", "--games", "some.pgn", "--min-rating", "1900"];
    refused(&place, &args, 1, "hint: 3 games left out by --min-rating: ");
}

#[test]
fn exact_name_comes_first_with_near_ones_beside() {
    let names = ["the_king", "the-king", "Lee, Ann", "WGM Lee, Ann", "Lee, A."];
    let games: String = names.iter().map(|name| game(&[("White", name)], "1. e4 *")).collect();
    let (table, said) = counted(&games, &["--player", "the_king"]);
    assert_eq!((&table["set"]["games"], said.as_str()), (&1.into(), "also: the-king (1 game)\n"));
    assert_eq!(table["also"], json!([{"name": "the-king", "games": 1}]));
    let (table, said) = counted(&games, &["--player", "Ann Lee"]);
    assert_eq!(table["set"]["games"], 1);
    assert_eq!(said, "also: Lee, A. (1 game); WGM Lee, Ann (1 game)\n");
}

#[test]
fn a_time_control_is_found_however_it_is_written() {
    let controls = ["300", "300+0", "G/5", "180 + 2"];
    let games =
        controls.map(|control| game(&[("White", control), ("TimeControl", control)], "1. e4 *"));
    for (asked, games_found, filter) in [
        ("300+0", 3, "time control 300"),
        ("5+0", 3, "time control 300"),
        ("3+2", 1, "time control 180+2"),
    ] {
        let (table, _) = counted(&games.concat(), &["--time-control", asked]);
        assert_eq!(
            (&table["set"]["games"], &table["set"]["filter"]),
            (&games_found.into(), &filter.into())
        );
    }
}
