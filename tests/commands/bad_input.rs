//! Bad input on the built program: one clear error that names the thing, and nothing made; odd but
//! good input is taken.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::os::unix::fs::PermissionsExt;

use crate::support::program::{Place, stderr};

/// Runs `grow`, which must fail with this status and these words, and make no database.
fn refused(place: &Place, args: &[&str], status: i32, words: &str) {
    let output = place.run_grow(args);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
    assert!(said.contains(words), "{args:?}: {said}");
    assert_eq!(said.matches("error:").count(), 1, "{args:?}: {said}");
    let message = said.lines().next().unwrap();
    assert!(message.starts_with("error: ") && !message.ends_with('.'), "{args:?}: {said}");
    assert!(!said.contains("panicked") && !said.contains("backtrace"), "{args:?}: {said}");
    assert!(!place.db().exists(), "{args:?} made a database");
}

#[test]
fn a_root_that_is_none_is_refused_with_its_reason() {
    let place = Place::new();
    std::fs::write(place.path("game.pgn"), "[Event \"a\"]\n\n1. e4 e5 2. Nf3 *\n").unwrap();
    std::fs::write(place.path("bad.pgn"), "1. e4 e5 2. Ke3 *\n").unwrap();
    std::fs::write(place.path("other.pgn"), b"\x7fELF\x02\x01\0\0 no game").unwrap();
    std::fs::write(place.path("empty.pgn"), "").unwrap();
    std::fs::create_dir(place.path("folder.pgn")).unwrap();
    for (args, status, words) in [
        (&["--root", ""][..], 2, "FEN \"\" has 0 fields, not 4 or 6"),
        (&["--root", "8/8/8/8/8/8/8/8 w - - 0 1"], 2, "the board is empty"),
        (&["--root", "4k3/8/8/8/8/8/8/4K3"], 2, "is a board alone: the side to move, castling"),
        (&["--root", "8/8/8/8/8/8/8/4K3 w - -"], 2, "a king is missing"),
        (&["--root", "4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1"], 2, "the side to move can take the king"),
        (
            &["--root", "4k2P/8/8/8/8/8/8/4K3 w - - 0 1"],
            2,
            "a pawn stands on the first or last rank",
        ),
        (&["--root", "4k3/8/8/8/8/8/8/4K3 w - - 0 y"], 2, "has 5 fields, not 4 or 6"),
        (&["--root", "startpos moves e2e4"], 2, "hint: moves go into --moves"),
        (&["--moves", "e4 e5 Ke3"], 2, "\"2. Ke3\" is illegal in rnbqkbnr"),
        (&["--moves", "d4 d5 Nf3 Nf6 Nd2"], 2, "\"3. Nd2\" is ambiguous"),
        (&["--moves", "e4 xyzzy"], 2, "\"1... xyzzy\" is not a move"),
        (&["--moves", "e2e5"], 2, "\"1. e2e5\" is illegal"),
        (&["--pgn", "none.pgn"], 1, "cannot read none.pgn: No such file"),
        (&["--pgn", "folder.pgn"], 1, "cannot read folder.pgn: Is a directory"),
        (&["--pgn", "other.pgn"], 2, "other.pgn: no game in PGN format"),
        (&["--pgn", "empty.pgn"], 2, "empty.pgn: there is no game 1: the file has 0"),
        (&["--pgn", "bad.pgn"], 2, "bad.pgn: game 1, line 1: \"2. Ke3\" is illegal"),
        (&["--pgn", "game.pgn", "--game", "2"], 2, "there is no game 2: the file has 1"),
        (&["--pgn", "game.pgn", "--ply", "9"], 2, "game 1 has no ply 9: it has 3"),
        (&["--pgn", "game.pgn", "--game", "0"], 2, "'0' for '--game <N>'"),
        (&["--pgn", "game.pgn", "--root", "startpos"], 2, "cannot be used with"),
        (&["--game", "2"], 2, "--pgn <FILE>"),
    ] {
        refused(&place, args, status, words);
    }
}

#[test]
fn numbers_and_limits_that_make_no_sense_are_refused() {
    let place = Place::new();
    for (args, words) in [
        (&["--depth", "-1"][..], "'-1' for '--depth <N>'"),
        (&["--depth", "10001"], "10001 is not in 0..=10000"),
        (&["--depth", "ten"], "'ten' for '--depth <N>'"),
        (&["--distance", "-5"], "'-5' for '--distance <W>'"),
        (&["--distance", "99999999999999999999"], "'99999999999999999999' for '--distance <W>'"),
        (
            &["--distance", "30;10"],
            "'30;10' is not a list of distances: centipawns, like 20 or 30,20,10",
        ),
        (&["--distance-white", "10,20"], "never grows from ply to ply: 20 after 10"),
        (&["--distance-black", "100001"], "100001 centipawns are too many: 100000 at most"),
        (&["--root-moves", "0"], "0 is not in 1..=218"),
        (&["--root-moves", "219"], "219 is not in 1..=218"),
        (&["--engine-nodes", "5"], "cannot be used with"),
        (&["--max-searches", "-3"], "'-3' for '--max-searches <N>'"),
        (&["--max-nodes", "1e9"], "'1e9' for '--max-nodes <N>'"),
        (&["--for", "90"], "time unit needed"),
        (&["--for", "-1h"], "'-1h' for '--for <TIME>'"),
        (&["--for", "soon"], "'soon' for '--for <TIME>'"),
        (&["--for", "99999999999999999999h"], "for '--for <TIME>'"),
        (&["--until-stable", "100"], "invalid percentage \"100\": expected 1 to 96"),
        (&["--until-stable", "-1"], "invalid percentage \"-1\""),
        (&["--option", "Hash"], "expected NAME=VALUE"),
        (&["--option", "=64"], "expected NAME=VALUE"),
        (&["--quiet", "--verbose"], "cannot be used with"),
        (&["--no-such-flag"], "--no-such-flag"),
    ] {
        refused(&place, args, 2, words);
    }
    // `run_grow` gives these already.
    let output = place.run(&["grow", "--engines", "0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--engines 0 needs --fleet"));
    for args in [["--engine-depth", "0"], ["--engine-nodes", "0"]] {
        let output = place.run(&["grow", args[0], args[1]]);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(&format!("'0' for '{}", args[0])), "{args:?}");
    }
}

#[test]
fn an_engine_that_is_none_is_named() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    std::fs::write(place.path("text"), "hello").unwrap();
    std::fs::write(place.path("script"), "#!/no/such/interpreter\n").unwrap();
    std::fs::set_permissions(place.path("script"), PermissionsExt::from_mode(0o755)).unwrap();
    let takes = "hint: --engine takes a program with its arguments";
    let by_hand = "hint: start it by hand and type `uci`";
    for (engine, words, hint) in [
        ("", "engine command \"\" is not a command line", takes),
        ("\"open", "engine command \"\\\"open\" is not a command line", takes),
        ("no-such-engine --flag", "cannot start engine \"no-such-engine\": not found", takes),
        ("./folder", "cannot start engine \"./folder\": it is a folder", ""),
        ("./text", "cannot start engine \"./text\": it is not executable", ""),
        ("./script", "cannot start engine \"./script\": ", ""),
        ("true", "engine \"true\" exited during startup (status 0)", by_hand),
        ("sh -c 'echo no licence >&2; exit 4'", "(status 4); it said: no licence", by_hand),
    ] {
        let output = place.run(&["grow", "--engine", engine]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{engine}: {said}");
        assert!(said.starts_with("error: ") && said.contains(words), "{engine}: {said}");
        assert!(said.contains(hint), "{engine}: {said}");
        assert!(!place.db().exists(), "{engine} made a database");
    }
}

#[test]
fn unknown_or_refused_engine_option_is_named() {
    let place = Place::new();
    for (option, words) in [
        ("Nonsense=1", "engine \"Scripted 1\" has no option \"Nonsense\""),
        ("Hash=99999", "takes a number from 1 to 1024 for option \"Hash\", not \"99999\""),
        ("Hash=big", "takes a number from 1 to 1024 for option \"Hash\", not \"big\""),
        ("Style=Wild", "takes one of Solid, Normal, Variety Show for option \"Style\""),
    ] {
        refused(&place, &["--option", option], 1, words);
    }
}

#[test]
fn a_database_path_that_cannot_be_one_is_named() {
    let place = Place::new();
    let folder = place.path("folder");
    std::fs::create_dir(&folder).unwrap();
    let missing = place.path("missing/tree.db");
    for (path, command, words) in [
        (&folder, "grow", "folder: is a directory"),
        (&folder, "show", "folder: is a directory"),
        (&missing, "grow", "missing: no such folder"),
        (&missing, "show", "there is no database at"),
        (&missing, "list", "there is no database at"),
        (&missing, "verify", "there is no database at"),
    ] {
        let path = path.to_str().unwrap();
        let engine = crate::support::scripted(&[]);
        let more = if command == "grow" { vec!["--engine", &engine] } else { Vec::new() };
        let output = place.run(&[&[command, "--db", path][..], &more].concat());
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{command} {path}: {said}");
        assert!(said.contains(words) && said.contains("hint: "), "{command} {path}: {said}");
    }
    assert!(!place.path("missing").exists());
    for folder in [".", "folder", "folder/..", "/"] {
        let output = place.run(&["merge", folder]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("error: {folder} is a folder, not a database")), "{said}");
    }
}

#[test]
fn a_line_or_an_analysis_that_is_not_there_is_named() {
    let place = Place::new();
    place.grow(&["--depth", "2"]);
    for (args, status, words) in [
        (&["--line", "Ke4"][..], 2, "\"1. Ke4\" is illegal"),
        (&["--line", "a4"], 2, "the tree has no a4 after the root"),
        (&["--line", "c4 e6 a4 h5 h4"], 2, "after 1. c4 e6"),
        (&["--plies", "-1"], 2, "'-1' for '--plies <N>'"),
        (&["--analysis", "7"], 1, "there is no analysis 7"),
        (&["--moves", "e4"], 1, "there is no analysis of rnbqkbnr/pppppppp/8/8/4P3"),
        (&["--format", "xml"], 2, "'xml' for '--format"),
        (&["--output", "none/tree.txt"], 1, "cannot write none/tree.txt: No such file"),
    ] {
        let output = place.run(&[&["show"], args].concat());
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
        assert!(said.starts_with("error: ") && said.contains(words), "{args:?}: {said}");
    }
}

/// Of the suite's lines, those that its comments call right, however oddly they are written.
#[test]
fn the_destruction_suite_breaks_nothing() {
    let suite = include_str!("../suites/destruction-test.epd");
    let place = Place::new();
    // A database with nothing in it.
    place.run_grow(&["--depth", "0", "--max-searches", "0", "--quiet"]);
    let mut taken = 0;
    for line in suite.lines().filter(|line| !line.trim().is_empty()) {
        // A root that is taken has no analysis yet; one that is refused is a usage error.
        let fen = line.split(';').next().unwrap();
        let output = place.run(&["show", "--root", fen]);
        let said = stderr(&output);
        assert!(!said.contains("panicked"), "{line}: {said}");
        let known = output.status.success() || said.contains("there is no analysis of");
        let refused = output.status.code() == Some(2) && said.contains("FEN");
        assert!(known != refused, "{line}: {said}");
        taken += u32::from(known);
        for (comment, right) in
            [("should be OK", true), ("should be not a problem", true), ("garbage", false)]
        {
            assert!(!line.contains(comment) || known == right, "{line}: {said}");
        }
        let cull = line.ends_with("; cull ") || line.contains("bad EPD");
        assert!(!cull || refused, "{line}: {said}");
    }
    assert!(taken > 20, "{taken}");
}

#[test]
fn odd_but_good_input_is_taken() {
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(50);
    let many = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
    for args in [
        &["--root", "4k3/8/8/8/8/8/4P3/4K3 w - -"][..],
        &["--root", "  4k3/8/8/8/8/8/4P3/4K3   w  -  - 0   1 "],
        &["--moves", &shuffle],
        &["--moves", "1.e4 e5 2. Nf3! Nc6?! 3.Bb5 Nf6 4. 0-0"],
        &["--distance", "0"],
        &["--root", "7k/8/6Q1/8/8/8/8/7K b - - 0 1"],
        &["--root", "7k/5Q2/8/8/8/8/r7/6K1 b - - 0 1"],
        &["--root", many],
        &["--root", "8/P6k/8/8/8/8/p6K/8 w - - 0 1"],
        &["--root", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"],
        &["--root", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"],
        &["--root", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"],
        &["--root", "k7/2Q5/8/8/8/8/8/K7 b - - 3 40"],
        &["--root", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"],
    ] {
        let place = Place::new();
        place.grow(&[args, &["--depth", "1", "--quiet"]].concat());
        let place_of: Vec<&str> =
            args.iter().copied().filter(|a| *a != "--distance" && *a != "0").collect();
        let shown = place.stdout(&[&["show"][..], &place_of].concat());
        let is_told = |words| shown.contains(words);
        let is_grown = is_told("\ndepth 1 complete · ") || is_told("\nthe game is over: ");
        assert!(is_grown, "{args:?}: {shown}");
        assert_eq!(place.run(&["verify", "--quiet"]).status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn finished_root_is_settled_and_shows_its_end() {
    for (root, ending, result) in [
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "checkmate", "White has won"),
        ("k7/2Q5/8/8/8/8/8/K7 b - - 3 40", "stalemate", "a draw"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "insufficient material", "a draw"),
    ] {
        let place = Place::new();
        place.grow(&["--root", root, "--depth", "3"]);
        let shown = place.stdout(&["show", "--root", root]);
        assert!(shown.contains("0 positions, 0 moves, "), "{shown}");
        let head = format!("{ending}: {result}\nthe game is over: there is nothing to analyse\n\n");
        assert!(shown.starts_with(&head), "{shown}");
    }
}

/// Nothing is read for ever, and no memory is filled: the bound is named with the file.
#[cfg(unix)]
#[test]
fn files_without_an_end_are_named_with_their_bound() {
    let place = Place::new();
    let endless = "/dev/zero";
    let fleet = ["fleet", "--fleet", "nats://127.0.0.1:1"];
    for (args, words) in [
        (&["direct", "apply", endless][..], "/dev/zero: it has more than 64 MiB"),
        (&["grow", "--directives", endless], "/dev/zero: it has more than 64 MiB"),
        (&[&fleet[..], &["--fleet-ca", endless]].concat(), "/dev/zero: it is not a regular file"),
        (&[&fleet[..], &["--fleet-login", endless]].concat(), "others can read /dev/zero"),
        (&["lichess", "--token-file", endless], "others can read /dev/zero"),
    ] {
        let said = stderr(&place.run(args));
        assert!(said.contains(words), "{args:?}: {said}");
    }
    let settings = place.command(&["list"]).env("DEEPANALYZE_CONFIG", endless).output().unwrap();
    let said = stderr(&settings);
    assert!(said.contains("cannot read /dev/zero: it has more than 1 MiB"), "{said}");
    let pipe = place.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let settings = place.command(&["list"]).env("DEEPANALYZE_CONFIG", &pipe).output().unwrap();
    assert!(stderr(&settings).contains("it is a pipe, not a file"), "{}", stderr(&settings));
    for args in [&["grow", "--directives", "pipe"][..], &["grow", "--pgn", "pipe"]] {
        let output = place.run(args);
        assert!(stderr(&output).starts_with("error: pipe is a pipe, not a file"), "{args:?}");
    }
    let none = place.command(&["config"]).env("DEEPANALYZE_CONFIG", "/dev/null").output().unwrap();
    assert!(none.status.success(), "{}", stderr(&none));
}

/// Arguments that are given, or come from the environment, are not listed as missing.
#[test]
fn the_usage_in_an_error_is_that_of_the_command() {
    let place = Place::new();
    for (args, usage) in [
        (&["audit"][..], "audit [OPTIONS] --side <SIDE>"),
        (&["audit", "--db", "x.db"], "audit [OPTIONS] --side <SIDE>"),
        (&["compare"], "compare [OPTIONS] <A> <B>"),
        (&["rename"], "rename [OPTIONS] <NAME>"),
        (&["grow", "--side", "white"], "grow [OPTIONS]"),
        (&["log", "--rot", "x"], "log [OPTIONS]"),
        (&["direct", "value", "--db", "x.db"], "direct value [OPTIONS] <"),
    ] {
        let output = place.run(args);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("\nUsage: deepanalyze {usage}")), "{args:?}: {said}");
        assert!(!said.contains("--db"), "{args:?}: {said}");
    }
}

#[test]
fn an_address_with_a_port_names_both_options() {
    let output = Place::new().run(&["serve", "--listen", "127.0.0.1:7491"]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("--listen 127.0.0.1 --port 7491"), "{said}");
}
