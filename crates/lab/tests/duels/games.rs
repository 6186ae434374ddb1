//! Whole games by the built-in engine, and books made for them.

use crate::support::PROGRAM;
use crate::support::program::{Place, stderr};

/// White, to move, mates in two or three.
const MATE: &str = "7k/8/5K2/8/8/6Q1/8/8 w - - id \"mate\";\n";
/// Equal pawns, far from the end.
const PAWNS: &str = "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - id \"pawns\";\n";

fn lab(place: &Place, args: &[&str]) -> String {
    let output = place.run(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The words of an arm's row, and the line below it.
fn row(told: &str, arm: &str) -> (Vec<String>, String) {
    let mut lines = told.lines().skip_while(|line| !line.contains(&format!(" {arm} ")));
    let words = lines.next().unwrap().split_whitespace().map(str::to_owned).collect();
    (words, lines.next().unwrap().trim().to_owned())
}

#[test]
fn the_side_with_the_queen_wins_whoever_has_it() {
    let place = Place::new();
    std::fs::write(place.path("mate.epd"), MATE).unwrap();
    let engine = format!("{PROGRAM} engine");
    let common = ["games", "--engine", &engine, "--hash", "1", "--openings", "mate.epd"];
    let more = ["--lanes", "1", "--nodes", "3000", "--arms", "x2,2/1,grow1/2,grow2/1"];
    let told = lab(&place, &[&common[..], &more].concat());
    for arm in ["x2", "2/1", "grow1/2", "grow2/1"] {
        let (words, work) = row(&told, arm);
        assert_eq!(words[2..6], ["1", "1", "0", "1"], "{told}");
        assert!(words[6] == "+0" && work.contains(" nodes a search"), "{told}");
    }
    // A growing player's tree and closing search have the nodes of its opponent together.
    let (_, work) = row(&told, "grow1/2");
    let own: f64 = work.split_once(" nodes").unwrap().0.parse().unwrap();
    assert!(own < 3300.0, "{work}");
}

#[test]
fn both_sides_play_their_books_as_long_as_these_last() {
    let place = Place::new();
    std::fs::write(place.path("pawns.epd"), PAWNS).unwrap();
    let engine = format!("{PROGRAM} engine");
    for (by, folder) in [("by-hand", "hand"), ("0/10", "tree")] {
        let common = ["books", "--engine", &engine, "--hash", "1", "--openings", "pawns.epd"];
        let more = ["--nodes", "40000", "--search", "2000", "--by", by, "-o", folder];
        let told = lab(&place, &[&common[..], &more].concat());
        assert_eq!(told.matches(" searches ").count(), 2, "a book for each side: {told}");
        for side in ["white", "black"] {
            let book = std::fs::read(place.path(&format!("{folder}/001-{side}.bin"))).unwrap();
            assert!(!book.is_empty() && book.len().is_multiple_of(16));
        }
    }
    let common = ["games", "--engine", &engine, "--hash", "1", "--openings", "hand/openings.epd"];
    let more = ["--nodes", "300", "--arms", "book:hand", "--against", "book:tree"];
    let told = lab(&place, &[&common[..], &more, &["--repeats", "2"]].concat());
    let (words, work) = row(&told, "book:hand");
    assert_eq!(words[2], "2", "{told}");
    assert_eq!(work.matches(" moves a game of its book").count(), 2, "{work}");
    assert!(!work.contains("(0.0 moves"), "{work}");
}
