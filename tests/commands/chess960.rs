//! Roots of Chess960: by number, by FEN, beside those of chess.

use crate::support::program::{Place, stderr};
use crate::support::scripted;

const CASTLING: &str = "1r3k1r/pppppppp/8/8/8/8/PPPPPPPP/1R3K1R w KQkq - 0 1";

#[test]
fn a_starting_position_is_named_by_its_number() {
    let place = Place::new();
    place.grow(&["--root", "960:0", "--depth", "2"]);
    let shown = place.stdout(&["show", "--root", "960:0"]);
    assert!(shown.contains("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1"), "{shown}");
    assert!(place.stdout(&["list"]).contains("Chess960, position 0"));
    place.grow(&["--root", "960:518", "--depth", "1"]);
    let shown = place.stdout(&["show", "--root", "startpos"]);
    assert!(shown.contains("RNBQKBNR w KQkq - 0 1"), "{shown}");
    place.stdout(&["verify"]);
    let error = stderr(&place.run_grow(&["--root", "960:960", "--depth", "1"]));
    assert!(error.contains("they have the numbers from 0 to 959"), "{error}");
}

#[test]
fn castling_is_searched_kept_and_told() {
    let place = Place::new();
    let root = ["--root", CASTLING, "--moves", "O-O", "--depth", "2"];
    place.grow(&root);
    let pgn = place.stdout(&["show", "--root", CASTLING, "--moves", "f1h1", "--format", "pgn"]);
    let start = "[FEN \"1r3k1r/pppppppp/8/8/8/8/PPPPPPPP/1R3K1R w HBhb - 0 1\"]";
    assert!(pgn.contains(start) && pgn.contains("1. O-O"), "{pgn}");
    place.stdout(&["verify"]);
    let asked = place.stored();
    // Behind O-O, Black alone has rights that chess has not.
    assert!(asked.iter().any(|(epd, _)| epd.ends_with("/1R3RK1 b hb -")), "{asked:?}");
}

#[test]
fn what_is_left_of_chess960_is_chess() {
    let place = Place::new();
    let shredder = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w HAha - 0 1";
    place.grow(&["--root", shredder, "--depth", "2"]);
    let asked = place.stored();
    place.grow(&["--root", &shredder.replace("HAha", "KQkq"), "--depth", "2"]);
    assert_eq!(place.stored(), asked);
    assert!(asked.iter().all(|(epd, _)| !epd.contains("Ha")), "{asked:?}");
}

#[test]
fn an_engine_that_does_not_play_it_is_refused_by_name() {
    let place = Place::new();
    let engine = scripted(&["--no-chess960"]);
    let grow =
        ["grow", "--engine", &engine, "--engine-depth", "5", "--engines", "1", "--depth", "1"];
    let output = place.run(&[&grow[..], &["--root", "960:0"]].concat());
    let told = stderr(&output);
    assert!(!output.status.success() && told.contains("has no option \"UCI_Chess960\""), "{told}");
    assert!(place.run(&grow).status.success(), "chess it plays");
}
