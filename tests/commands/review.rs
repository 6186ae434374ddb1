//! `review` on the built program: whose games, and what is wrong with them.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::io::Write;

use crate::support::program::{Place, stderr};

const GAMES: &str = r#"[White "Lee, Ann"]
[Black "Smith"]

1. a3 h6 2. a4 *

[White "Smith"]
[Black "Lee, Ann"]

1. Zz9 *

[White "Smith"]
[Black "Miller"]

1. e4 e4 *
"#;

fn place() -> Place {
    let place = Place::new();
    place.grow(&["--depth", "2", "--distance", "20"]);
    std::fs::write(place.path("games.pgn"), GAMES).unwrap();
    place
}

fn error(place: &Place, more: &[&str]) -> (Option<i32>, String) {
    let file = place.path("games.pgn");
    let output = place.run(&[&["review", file.to_str().unwrap()], more].concat());
    (output.status.code(), stderr(&output))
}

#[test]
fn game_is_reviewed_and_others_are_not_read() {
    let place = place();
    let file = place.path("games.pgn");
    let args = ["review", file.to_str().unwrap(), "--player", "Ann Lee", "--side", "white"];
    let text = place.stdout(&args);
    assert!(text.contains("games       1 game of Ann Lee\n"), "{text}");
    for format in ["json", "pgn", "html"] {
        assert!(!place.stdout(&[&args[..], &["--format", format]].concat()).is_empty());
    }
}

#[test]
fn whatever_is_wrong_with_names_and_games_is_said() {
    let place = place();
    let (code, said) = error(&place, &[]);
    assert!(code == Some(2) && said.contains("no player given"), "{said}");
    let (code, said) = error(&place, &["--player", "An Lee"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("none of the 3 games"), "{said}");
    assert!(said.contains("near names: Lee, Ann (2 games)"), "{said}");
    let (_, said) = error(&place, &["--player", "Miller", "--side", "white"]);
    assert!(said.contains("Miller never plays White"), "{said}");
    // The others are reviewed.
    let (code, said) = error(&place, &["--player", "Lee, Ann"]);
    assert!(code == Some(1) && said.contains("1 of 2 games cannot be read"), "{said}");
}

#[test]
fn archived_games_are_reviewed_under_any_name() {
    let place = place();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(GAMES.as_bytes()).unwrap();
    let bytes = gz.finish().unwrap();
    let review = |name: &str, bytes: &[u8]| {
        std::fs::write(place.path(name), bytes).unwrap();
        place.run(&["review", name, "--player", "Ann Lee", "--side", "white"])
    };
    let (plain, packed) = (review("a.pgn", GAMES.as_bytes()), review("b", &bytes));
    assert!(packed.status.success(), "{}", stderr(&packed));
    assert_eq!(packed.stdout, plain.stdout);
    let cut = review("c.pgn.gz", &bytes[..bytes.len() - 9]);
    assert_eq!(cut.status.code(), Some(1));
    assert!(stderr(&cut).contains("c.pgn.gz is cut short or damaged"), "{}", stderr(&cut));
    let database = review("d.pgn", b"SQLite format 3\0");
    assert!(stderr(&database).contains("a database, not PGN"), "{}", stderr(&database));
}

#[test]
fn other_names_that_may_be_the_player_s_are_told() {
    let place = place();
    let name = |white: &str| format!("[White \"{white}\"]\n[Black \"Smith\"]\n\n1. a3 h6 *\n\n");
    let names = ["the_king", "the-king", "Lee, Ann", "WGM Lee, Ann"];
    std::fs::write(place.path("names.pgn"), names.map(name).concat()).unwrap();
    let text = place.stdout(&["review", "names.pgn", "--player", "the_king"]);
    assert!(text.contains("games       1 game of the_king\n"), "{text}");
    assert!(text.contains("also        the-king (1 game)\n"), "{text}");
    let args = ["review", "names.pgn", "--player", "Ann Lee", "--format", "json"];
    let json: serde_json::Value = serde_json::from_str(&place.stdout(&args)).unwrap();
    assert_eq!(json["also"], serde_json::json!([{"name": "WGM Lee, Ann", "games": 1}]));
    assert_eq!(json["counts"]["games"], 1);
}
