//! Control characters in databases, sets and file names of strangers: they move no cursor and turn
//! no line.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::support::program::Place;

/// Control characters for a terminal, in SQL.
const SIGNS: &str = "'A' || char(27) || '[31mRED' || char(27) || ']0;owned' || char(7) || char(155) || '2J' || char(8238) || 'gnp'";

fn planted(sql: &str) -> Place {
    let place = Place::new();
    place.grow(&["--moves", "e4 e5", "--depth", "1", "--distance", "20"]);
    place.sql(&format!("{sql}; PRAGMA wal_checkpoint(TRUNCATE)").replace("SIGNS", SIGNS));
    place
}

/// Output of a command with colours, on both streams.
fn printed(place: &Place, args: &[&str]) -> String {
    let output = place.command(args).env("CLICOLOR_FORCE", "1").output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).unwrap_or_else(|error| panic!("{args:?}: {error}"))
}

fn is_harmless(text: &str, what: &str) {
    let styles = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[32m", "\u{1b}[33m", "\u{1b}[36m"];
    // Of errors, red and bold stand in front of `error:` alone.
    let text = text.replace("\u{1b}[1m\u{1b}[31merror:", "error:");
    let text = styles.iter().fold(text, |text, style| text.replace(style, ""));
    let found = text.chars().find(|c| {
        let turns = matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        (c.is_control() && !"\n\t".contains(*c)) || turns
    });
    assert_eq!(found, None, "{what}: {text:?}");
}

#[test]
fn signs_in_a_database_of_somebody_stay_in_it() {
    let changes = [
        "UPDATE profile SET engine = SIGNS",
        "INSERT INTO source (name, kind) VALUES (SIGNS, 'database'); UPDATE answer SET source = 1",
        "INSERT INTO own_name (analysis, name) SELECT id, SIGNS FROM analysis",
        "INSERT INTO source (name, kind, why, taken_back) VALUES ('x', 'database', SIGNS, 1)",
    ];
    let own = Place::new();
    own.grow(&["--moves", "e4 e5", "--depth", "1", "--distance", "20"]);
    let own_path = own.db().display().to_string();
    for change in changes {
        let place = planted(change);
        for args in [
            &["list"][..],
            &["list", "--long"],
            &["list", "--json"],
            &["list", "--sources"],
            &["list", "--sources", "--format", "json"],
            &["show"],
            &["show", "--all"],
            &["show", "--format", "json"],
            &["show", "--format", "pgn"],
            &["stats"],
            &["log"],
            &["verify"],
            &["direct", "list"],
            &["diff", &own_path],
            &["diff", &own_path, "--format", "json"],
            &["delete", "--moves", "e4 e5"],
        ] {
            is_harmless(&printed(&place, args), &format!("{change} {args:?}"));
        }
        let other = place.db().display().to_string();
        for args in [&["diff", &other][..], &["merge", &other], &["merge", "--trust", &other]] {
            is_harmless(&printed(&own, args), &format!("{change} {args:?}"));
        }
    }
}

#[test]
fn signs_in_names_of_files_are_not_printed() {
    let place = Place::new();
    let name = "evil\u{202e}\u{1b}[31m\u{9b}2J.db";
    std::fs::write(place.path(name), "no database").unwrap();
    for args in [
        &["list", "--db", name][..],
        &["merge", name],
        &["diff", name, "--db", name],
        &["verify", "--db", name],
        &["grow", "--pgn", name],
        &["games", "add", name, name],
        &["games", "show", name],
    ] {
        let text = printed(&place, args);
        assert!(text.contains("evil"), "{args:?}: {text}");
        is_harmless(&text, &format!("{args:?}"));
    }
    let games = place.path("\u{202e}\u{1b}[31mgames.pgn");
    std::fs::write(
        &games,
        "[White \"x\u{202e}y\"]\n\n1. e4 e5 *\n\n[White \"x\u{202e}y\"]\n\n1. e5 *\n",
    )
    .unwrap();
    let games = games.display().to_string();
    for args in [
        &["games", "add", "./set\u{202e}.games", &games][..],
        &["games", "show", "./set\u{202e}.games"],
        &["games", "show", &games],
        &["games", "list"],
    ] {
        is_harmless(&printed(&place, args), &format!("{args:?}"));
    }
}

#[test]
fn an_endless_line_of_epd_is_told_in_short() {
    let place = Place::new();
    std::fs::write(place.path("long.epd"), "x".repeat(3_000_000)).unwrap();
    let text = printed(&place, &["grow", "--epd", "long.epd"]);
    assert!(text.contains("error:") && text.len() < 10_000, "{} bytes", text.len());
}

#[test]
fn an_endless_name_of_an_engine_is_cut() {
    let place = Place::new();
    let engine = crate::support::scripted(&["--name", &"Long".repeat(15_000)]);
    let args =
        ["grow", "--engine", &engine, "--engine-depth", "5", "--engines", "1", "--depth", "1"];
    let text = printed(&place, &args);
    assert!(text.contains("LongLong") && text.len() < 30_000, "{} bytes", text.len());
    assert!(place.stdout(&["list", "--json"]).len() < 10_000);
}

#[test]
fn standard_input_is_no_set_to_add_to() {
    let place = Place::new();
    std::fs::write(place.path("a.pgn"), "1. e4 e5 *\n").unwrap();
    let output = place.run(&["games", "add", "-", "a.pgn"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(place.files(), ["a.pgn"]);
}
