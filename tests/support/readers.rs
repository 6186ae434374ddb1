//! Programs of others that read what this one writes.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use serde_json::Value;

use super::program::Place;

/// Trees with mates, stalemates, circles, a game history, Black to move, a best line that runs through
/// a transposition, castling in Chess960; with how they are grown.
pub const TREES: [&[&str]; 8] = [
    &["--root", "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1", "--depth", "5", "--distance", "40"],
    &["--depth", "3", "--distance", "20"],
    &["--moves", "Nf3 Nf6 Ng1 Ng8", "--depth", "3", "--distance", "25"],
    &["--root", "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1", "--depth", "3", "--distance", "30"],
    &["--root", "7k/8/5K2/8/8/8/8/6Q1 b - - 0 1", "--depth", "3", "--distance", "60"],
    &["--root", "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 3 40", "--depth", "3", "--distance", "30"],
    &[
        "--root",
        "5k2/5P2/8/4K3/8/8/8/8 w - - 0 9",
        "--moves",
        "Ke4 Kg7 Ke5 Kf8",
        "--depth",
        "3",
        "--distance",
        "80",
    ],
    CHESS960,
];

/// A tree of Chess960 in which both sides castle to both sides, with a game before it. Behind castling there may be
/// positions of chess.
pub const CHESS960: &[&str] = &[
    "--root",
    "1r2k1r1/pp1pppp1/8/8/8/8/PP1PPPP1/1R2K2R w HBgb - 0 1",
    "--moves",
    "a3 a6",
    "--depth",
    "2",
    "--distance",
    "60",
];

/// The part of the arguments that names the root.
pub fn root_of(args: &[&'static str]) -> Vec<&'static str> {
    let pairs = args.chunks(2).filter(|pair| ["--root", "--moves", "--pgn"].contains(&pair[0]));
    pairs.flatten().copied().collect()
}

/// Output of `show` for a tree grown with these arguments.
pub fn show(place: &Place, args: &[&'static str], more: &[&str]) -> String {
    place.stdout(&[&["show"][..], &root_of(args), more].concat())
}

/// True if another program is installed and works. If everything is to be tested
/// (`DEEPANALYZE_REAL_ENGINE=1`), it must be; else its tests are left out.
pub fn installed(program: &str, args: &[&str]) -> bool {
    let output = Command::new(program).args(args).stdin(Stdio::null()).output();
    let installed = output.is_ok_and(|output| output.status.success());
    let demanded = std::env::var_os("DEEPANALYZE_REAL_ENGINE").is_some_and(|value| value == "1");
    assert!(installed || !demanded, "{program} {args:?} does not run here");
    if !installed {
        println!("skipped: {program} {args:?} does not run here");
    }
    installed
}

/// True if python-chess is installed (`pip install chess`).
pub fn python_chess() -> bool {
    installed("python3", &["-c", "import chess.pgn, chess.polyglot"])
}

/// True if the official client of the Model Context Protocol is installed (`pip install mcp`).
pub fn has_mcp() -> bool {
    installed("python3", &["-c", "import mcp"])
}

/// Runs a script of `tests/readers` in a place; gives what it printed.
pub fn read(place: &Place, script: &str, args: &[&str]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers").join(script);
    let output = Command::new("python3")
        .arg(path)
        .args(args)
        .current_dir(place.path("."))
        .stdin(Stdio::null())
        .output()
        .expect("python3 runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script} {args:?}: {error}");
    String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
}

/// Writes a tree to `out.EXTENSION` in a place, and the whole of it to `tree.json`.
pub fn export(place: &Place, root: &[&str], more: &[&str], file: &str) {
    let show = |more: &[&str]| place.stdout(&[&["show"][..], root, more].concat());
    assert_eq!(show(&[more, &["-o", file]].concat()), "");
    assert_eq!(show(&["--format", "json", "-o", "tree.json"]), "");
}

/// A place with the database of one of the trees, which is grown once for all tests of a file.
pub fn grown(args: &'static [&'static str]) -> Place {
    static DATABASES: Mutex<Vec<(&[&str], Vec<u8>)>> = Mutex::new(Vec::new());
    let place = Place::new();
    let mut databases = DATABASES.lock().unwrap();
    match databases.iter().find(|(known, _)| *known == args) {
        Some((_, database)) => std::fs::write(place.db(), database).unwrap(),
        None => {
            place.grow(args);
            databases.push((args, std::fs::read(place.db()).unwrap()));
        }
    }
    place
}

pub fn json(place: &Place) -> Value {
    serde_json::from_slice(&std::fs::read(place.path("tree.json")).unwrap()).unwrap()
}

/// All moves of a tree, however deep.
pub fn moves(tree: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    let mut waiting = vec![tree.clone()];
    while let Some(node) = waiting.pop() {
        let moves = node.get("moves").and_then(Value::as_array).cloned().unwrap_or_default();
        found.extend(moves.iter().cloned());
        waiting.extend(moves);
    }
    found
}
