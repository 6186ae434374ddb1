//! Opening books, read back by a reader that knows nothing of this program, and by their bytes.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::process::Command;

use crate::support::books::{G1F3, G2G4, START_KEY, book};
use crate::support::program::{Place, stderr};
use crate::support::readers::{
    TREES, export, grown, installed, json, moves, python_chess, read, root_of,
};
use crate::support::{directed, scripted};

/// Castling on both sides, promotions, and pawns that may take en passant, or seem to.
const BOOK_ROOTS: [&str; 4] = [
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "8/P6k/8/8/8/8/6p1/K7 w - - 0 1",
    "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1",
    "8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1",
];

#[test]
#[ignore = "slow: runs in .ci/run"]
fn polyglot_book_has_the_followed_moves() {
    if !python_chess() {
        return;
    }
    for args in TREES {
        let place = grown(args);
        export(&place, &root_of(args), &["--format", "polyglot"], "out.bin");
        assert_eq!(read(&place, "book.py", &[]), json(&place)["positions"].to_string());
        let more = ["--format", "polyglot", "--max-loss", "35"];
        export(&place, &root_of(args), &more, "out.bin");
        assert_eq!(read(&place, "book.py", &["35"]), json(&place)["positions"].to_string());
    }
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn polyglot_keys_fit_after_special_moves() {
    if !python_chess() {
        return;
    }
    let mut special = String::new();
    for root in BOOK_ROOTS {
        let place = Place::new();
        place.grow(&["--root", root, "--depth", "2", "--distance", "500"]);
        let more = ["--format", "polyglot", "--max-loss", "30000"];
        export(&place, &["--root", root], &more, "out.bin");
        assert_eq!(
            read(&place, "book.py", &["30000"]),
            json(&place)["positions"].to_string(),
            "{root}"
        );
        for m in moves(&json(&place)) {
            special += m["san"].as_str().unwrap();
            special += if m.get("moves").is_some() { " followed " } else { " " };
        }
    }
    for part in ["O-O ", "O-O-O ", "a8=Q", "a8=N", "e4 followed", "dxe3"] {
        assert!(special.contains(part), "no {part} in any tree: {special}");
    }
}

/// The keys are those that python-chess has for these FENs.
#[test]
fn a_root_with_a_pinned_pawn_has_both_its_keys() {
    for (root, key) in [
        ("8/8/8/8/k2Pp2Q/8/8/4K3 b - d3 0 1", 0x83bf_25e3_78cb_17d0),
        ("4k3/8/8/2KpP2r/8/8/8/8 w - d6 0 1", 0x7404_bbab_4561_b3a8),
        (
            "r1b1kb1r/ppp3pp/2N2n2/1B4q1/4pP2/8/PPPPQ1PP/R1B1K2R b KQkq f3 0 1",
            0xe801_afbf_2efe_fc15,
        ),
    ] {
        let place = Place::new();
        place.grow(&["--root", root, "--depth", "1"]);
        export(&place, &["--root", root], &["--format", "polyglot"], "out.bin");
        let entries = book(&place);
        let of = |key| entries.iter().filter(move |(found, _)| *found == key).map(|(_, m)| *m);
        let is_same = |other: u64| other != key && of(other).eq(of(key));
        assert!(of(key).count() > 0, "{root}: {entries:x?}");
        assert!(entries.iter().any(|(other, _)| is_same(*other)), "{root}: {entries:x?}");
    }
}

#[test]
fn book_and_its_option_are_refused_elsewhere() {
    let place = Place::new();
    place.grow(&["--depth", "1"]);
    let output = place.run(&["show", "--max-loss", "5"]);
    assert_eq!(output.status.code(), Some(2));
    let told = "--max-loss is an option of `export polyglot`, `export anki`";
    assert!(stderr(&output).contains(told), "{}", stderr(&output));
    let piped = place.run(&["show", "--format", "polyglot"]);
    assert!(
        piped.status.success() && piped.stdout.len().is_multiple_of(16) && !piped.stdout.is_empty()
    );
    if !installed("script", &["-qec", "true", "/dev/null"]) {
        return;
    }
    let mut script = Command::new("script");
    let show = format!("{} show --format polyglot", env!("CARGO_BIN_EXE_deepanalyze"));
    script.args(["-qec", &show, "/dev/null"]).env("DEEPANALYZE_DB", place.db());
    let output = script.stdin(std::process::Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("a Polyglot book cannot be shown in a terminal"), "{text}");
}

#[test]
fn book_has_root_moves_beyond_the_distance() {
    let place = Place::new();
    place.grow(&["--depth", "1", "--distance", "0", "--root-moves", "3"]);
    export(&place, &[], &["--format", "polyglot"], "out.bin");
    let of_root = |book: Vec<(u64, u16)>| book.iter().filter(|(key, _)| *key == START_KEY).count();
    assert_eq!(of_root(book(&place)), 3);
    export(&place, &[], &["--format", "polyglot", "--max-loss", "0"], "out.bin");
    assert_eq!(of_root(book(&place)), 1, "the candidates that lose more are not asked for");
}

#[test]
fn repertoire_has_its_side_and_moves_before_root() {
    let place = directed::grown();
    let args = ["--format", "polyglot", "--side", "white"];
    export(&place, &[], &args, "out.bin");
    let white: Vec<u16> =
        book(&place).iter().filter(|(key, _)| *key == START_KEY).map(|(_, m)| *m).collect();
    let mut sorted = white;
    sorted.sort_unstable();
    assert_eq!(sorted, [G1F3, G2G4], "the included moves alone");
    let pgn = place.stdout(&["show", "--format", "pgn", "--side", "white"]).replace('\n', " ");
    assert!(
        pgn.contains(" 1. Nf3 ") && pgn.contains("( 1. g4 ") && !pgn.contains(" 1. c4"),
        "{pgn}"
    );
    let e4 = Place::new();
    e4.grow(&["--moves", "e4", "--depth", "2"]);
    export(&e4, &["--moves", "e4"], &["--format", "polyglot", "--side", "black"], "out.bin");
    assert!(book(&e4).contains(&(START_KEY, 12 << 6 | 28)), "the move before the root");
    let refused = place.run(&["show", "--side", "black"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--side needs --people here"), "{}", stderr(&refused));
}

/// The moves of the root with their alphas in centipawns, best first.
fn root_moves(place: &Place) -> Vec<(String, i64)> {
    let root = json(place)["moves"].as_array().unwrap().clone();
    let of = |m: &serde_json::Value| {
        (m["uci"].as_str().unwrap().to_owned(), m["alpha"]["cp"].as_i64().unwrap())
    };
    root.iter().map(of).collect()
}

/// They are held against the best move of the position, which a repertoire need not have.
#[test]
fn repertoire_weighs_moves_and_names_losing_ones() {
    if !python_chess() {
        return;
    }
    let place = Place::new();
    let engine = scripted(&["--noise", "600"]);
    let tree = ["--depth", "1", "--distance", "0", "--root-moves", "20", "--engine", &engine];
    let grow = [&["grow", "--engine-depth", "5", "--engines", "1"][..], &tree].concat();
    assert!(place.run(&grow).status.success());
    let included = ["d2d4", "g1h3"];
    for uci in included {
        assert!(place.run(&["direct", "include", uci]).status.success());
    }
    assert!(place.run(&grow).status.success());
    export(&place, &[], &["--format", "pgn"], "out.pgn");
    let all = root_moves(&place);
    let loss_of = |uci: &str| all[0].1 - all.iter().find(|(own, _)| own == uci).unwrap().1;
    let mut losses = included.map(|uci| (loss_of(uci), uci));
    losses.sort_unstable();
    let [(loss, small), (great, worst)] = losses;
    assert!(0 < loss && loss < great && great > 150, "{all:?}");
    let of_side = |more: &[&str]| {
        let book = ["show", "--format", "polyglot", "--side", "white", "-o", "out.bin"];
        let said = stderr(&place.run(&[&book[..], more].concat()));
        (read(&place, "book_root.py", &[]), said)
    };
    let (weighed, said) = of_side(&["--max-loss", &loss.to_string()]);
    assert_eq!(weighed, format!("{small}={}", 65535 / (loss + 1)));
    let game = deepanalyze_core::chess::Game::from_start("startpos").unwrap();
    let san = deepanalyze_core::chess::san_of(game.root(), worst.parse().unwrap());
    let named = said.contains(&format!("lose more than --max-loss: 1. {san} ("));
    assert!(
        named && said.matches("warning: ").count() == 1 && said.matches(" (").count() == 2,
        "{said}"
    );
    let (all_of_them, said) = of_side(&["--max-loss", "30000"]);
    let heavy = |loss: i64| 65535 * (30_001 - loss) / 30_001;
    let expected = format!("{small}={} {worst}={}", heavy(loss), heavy(great));
    assert_eq!(all_of_them, expected);
    assert!(!said.contains("warning"), "{said}");
    // The blunder is one in the repertoire, too.
    for side in [&[][..], &["--side", "white"]] {
        let pgn = place.stdout(&[&["show", "--format", "pgn"], side].concat());
        assert!(pgn.replace('\n', " ").contains(&format!("1. {san} $4 ")), "{pgn}");
    }
}
