//! The files for other programs, each read back by a reader that knows nothing of this one.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::process::Command;

use serde_json::Value;

use crate::support::books::{G1F3, G2G4, H2H3, START_KEY, book};
use crate::support::directed;
use crate::support::program::{Place, stderr};
use crate::support::readers::{
    TREES, export, grown, installed, json, moves, python_chess, read, root_of,
};

/// True if the first moves lead to a position whose moves the JSON has elsewhere.
fn best_line_transposes(tree: &Value) -> bool {
    let mut node = tree;
    while let Some(first) = node.get("moves").and_then(|moves| moves.get(0)) {
        node = first;
    }
    node.get("transposition").is_some()
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn pgn_has_positions_once_and_a_whole_main_line() {
    if !python_chess() {
        return;
    }
    let (mut references, mut through) = (0, 0);
    for args in TREES {
        let place = grown(args);
        export(&place, &root_of(args), &["--format", "pgn"], "out.pgn");
        let printed = read(&place, "pgn.py", &["whole"]);
        assert_eq!(printed, json(&place)["searches"].to_string(), "{args:?}");
        let pgn = std::fs::read_to_string(place.path("out.pgn")).unwrap();
        references += pgn.matches(" see ").count();
        through += usize::from(best_line_transposes(&json(&place)));
    }
    assert!(references > 5 && through > 0, "{references} {through}");
}

#[test]
fn a_pgn_of_the_best_moves_is_smaller_and_as_sound() {
    if !python_chess() {
        return;
    }
    let place = Place::new();
    place.grow(&["--depth", "3", "--distance", "30"]);
    let mut last = usize::MAX;
    for cut in [&[][..], &["--max-variations", "3"], &["--max-variations", "3", "--plies", "3"]] {
        export(&place, &[], &[&["--format", "pgn"], cut].concat(), "out.pgn");
        let printed: usize = read(&place, "pgn.py", &[]).parse().unwrap();
        assert!(printed < last && printed > 3, "{cut:?}: {printed}");
        last = printed;
    }
    export(&place, &[], &["--format", "pgn", "--max-variations", "1"], "out.pgn");
    let pgn = std::fs::read_to_string(place.path("out.pgn")).unwrap();
    assert!(!pgn.contains('('), "{pgn}");
}

#[test]
fn a_pgn_below_a_line_begins_with_its_moves() {
    let place = Place::new();
    place.grow(&["--moves", "e4", "--depth", "3"]);
    let tree: Value =
        serde_json::from_str(&place.stdout(&["show", "--moves", "e4", "--format", "json"]))
            .unwrap();
    let reply = tree["moves"][0]["san"].as_str().unwrap();
    let pgn = place.stdout(&["show", "--moves", "e4", "--line", reply, "--format", "pgn"]);
    let text = pgn.replace('\n', " ");
    assert!(text.contains(&format!("}} 1. e4 {reply} 2. ")), "{pgn}");
    let root = place.stdout(&["show", "--moves", "e4", "--format", "pgn"]);
    assert!(root.contains("[ECO \"B00\"]\n[Opening \"King's Pawn Game\"]\n"), "{root}");
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn a_row_of_csv_is_a_move() {
    if !python_chess() {
        return;
    }
    for args in TREES {
        let place = grown(args);
        export(&place, &root_of(args), &["--format", "csv"], "out.csv");
        let rows = read(&place, "table.py", &[]);
        assert_eq!(rows, json(&place)["searches"].to_string(), "{args:?}");
    }
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn a_line_of_epd_is_an_analysed_position() {
    if !python_chess() {
        return;
    }
    for args in TREES {
        let place = grown(args);
        export(&place, &root_of(args), &["--format", "epd"], "out.epd");
        let lines = read(&place, "epd.py", &["tree.db"]);
        assert_eq!(lines, json(&place)["positions"].to_string(), "{args:?}");
    }
}

#[test]
fn an_epd_of_the_first_plies_has_their_whole_lines() {
    let place = grown(TREES[0]);
    let show = |more: &[&str]| {
        place.stdout(&[&["show"][..], &root_of(TREES[0]), &["--format", "epd"], more].concat())
    };
    let (all, some) = (show(&[]), show(&["--plies", "2"]));
    let (all, some): (Vec<&str>, Vec<&str>) = (all.lines().collect(), some.lines().collect());
    assert!(some.len() > 1 && some.len() < all.len(), "{some:?}");
    assert_eq!(some, all[..some.len()]);
}

/// How many moves a picture has, and how many of them lead to a box that stands elsewhere.
fn picture_of(tree: &Value) -> (usize, usize) {
    let moves = moves(tree);
    let mut seen = std::collections::HashSet::new();
    let elsewhere = |m: &&Value| {
        let flagged = m.get("repetition").is_some() || m.get("transposition").is_some();
        flagged || !seen.insert(m["epd"].to_string())
    };
    let elsewhere = moves.iter().filter(elsewhere).count();
    (moves.len(), elsewhere)
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn an_svg_is_sound_xml_with_a_box_per_position() {
    if !python_chess() {
        return;
    }
    let mut crossing = 0;
    for args in TREES {
        let place = grown(args);
        let cut = ["--plies", "4", "--max-variations", "5"];
        let svg = [&cut[..], &["--format", "svg"]].concat();
        export(&place, &root_of(args), &svg, "out.svg");
        let show = [&["show"][..], &root_of(args), &cut, &["--format", "json"]].concat();
        let tree: Value = serde_json::from_str(&place.stdout(&show)).unwrap();
        let (all, elsewhere) = picture_of(&tree);
        let text = std::fs::read_to_string(place.path("out.svg")).unwrap();
        let arrows = text.matches("marker-end").count();
        let boxes = (all - elsewhere + 1).to_string();
        let words = read(&place, "picture.py", &[&boxes, &arrows.to_string()]);
        for m in moves(&tree) {
            let san = m["san"].as_str().unwrap();
            assert!(
                words.lines().any(|line| line.ends_with(&format!(". {san}"))),
                "{san}: {words}"
            );
        }
        crossing += arrows;
        if installed("rsvg-convert", &["--version"]) {
            let output = Command::new("rsvg-convert").arg(place.path("out.svg")).output().unwrap();
            assert!(output.status.success() && output.stdout.starts_with(b"\x89PNG"), "{args:?}");
        }
    }
    assert!(crossing > 5, "{crossing}");
}

#[test]
fn dot_is_drawn_by_graphviz_with_an_edge_per_move() {
    if !installed("dot", &["-V"]) {
        return;
    }
    for args in TREES {
        let place = grown(args);
        let cut = ["--plies", "4", "--max-variations", "5"];
        export(&place, &root_of(args), &[&cut[..], &["--format", "dot"]].concat(), "out.dot");
        let show = [&["show"][..], &root_of(args), &cut, &["--format", "json"]].concat();
        let tree: Value = serde_json::from_str(&place.stdout(&show)).unwrap();
        let output =
            Command::new("dot").args(["-Tjson0"]).arg(place.path("out.dot")).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let drawn: Value = serde_json::from_slice(&output.stdout).unwrap();
        let edges = drawn["edges"].as_array().unwrap();
        let label = |edge: &Value| edge["label"].as_str().unwrap().to_owned();
        let mut labels: Vec<String> = edges.iter().map(label).collect();
        // The line's value stands behind a move where the box has another.
        labels.iter_mut().for_each(|label| {
            label.truncate(label.find(" (").unwrap_or(label.len()));
        });
        let san = |m: &Value| m["san"].as_str().unwrap().to_owned();
        let mut expected: Vec<String> = moves(&tree).iter().map(san).collect();
        let strip = |label: &String| label.rsplit(' ').next().unwrap().to_owned();
        let mut found: Vec<String> = labels.iter().map(strip).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{args:?}");
        let (all, elsewhere) = picture_of(&tree);
        let boxes = drawn["objects"].as_array().unwrap();
        let drawn_boxes =
            boxes.iter().filter(|node| node["name"].as_str().unwrap().starts_with('n'));
        assert_eq!(drawn_boxes.count(), all - elsewhere + 1, "{args:?}");
    }
}

#[test]
fn pictures_show_first_plies_and_best_moves() {
    let place = Place::new();
    place.grow(&["--depth", "3", "--distance", "30"]);
    for format in ["svg", "dot"] {
        let picture = place.stdout(&["show", "--format", format]);
        let args = ["show", "--format", format, "--plies", "3", "--max-variations", "4"];
        assert_eq!(place.stdout(&args), picture, "{format}");
        let more = place.stdout(&["show", "--format", format, "--plies", "4"]);
        assert!(more.len() > picture.len(), "{format}");
        let mover = place.stdout(&["show", "--format", format, "--pov", "mover"]);
        assert!(picture.contains("for White") && mover != picture, "{format}");
    }
}

#[test]
fn an_engines_name_is_text_in_every_format() {
    let name = "\"]} <Evil> & \\N =1+1;\u{7}";
    let place = Place::new();
    let engine = crate::support::scripted(&["--name", name]);
    let grow = ["grow", "--engine", &engine, "--engine-depth", "5", "--depth", "1"];
    assert!(place.run(&grow).status.success());
    for (format, file) in [("pgn", "out.pgn"), ("svg", "out.svg"), ("epd", "out.epd")] {
        export(&place, &[], &["--format", format], file);
    }
    let pgn = std::fs::read_to_string(place.path("out.pgn")).unwrap();
    assert!(pgn.contains("[Annotator \"\\\"]} <Evil> & \\\\N =1+1;"), "{pgn}");
    assert!(!pgn.contains('\u{7}'), "{pgn}");
    if python_chess() {
        read(&place, "pgn.py", &["whole"]);
        read(&place, "epd.py", &["tree.db"]);
        let svg = std::fs::read_to_string(place.path("out.svg")).unwrap();
        let boxes = svg.matches("<g><title>").count().to_string();
        let words = read(&place, "picture.py", &[&boxes, "0"]);
        assert!(words.contains("\"]} <Evil> & \\N =1+1;"), "{words}");
    }
    if installed("dot", &["-V"]) {
        export(&place, &[], &["--format", "dot"], "out.dot");
        let output = Command::new("dot").arg(place.path("out.dot")).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(String::from_utf8_lossy(&output.stdout).contains("<Evil> & \\\\N"));
    }
}

#[test]
fn unsearched_root_is_valid_in_every_format() {
    let place = Place::new();
    let mated = ["--root", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"];
    place.grow(&[&mated[..], &["--depth", "2"]].concat());
    let formats = ["text", "json", "pgn", "csv", "epd", "polyglot", "dot", "svg", "html"];
    for format in formats.into_iter().chain(["anki", "study", "conditional"]) {
        let args = [&["show"][..], &mated, &["--format", format, "-o", format]].concat();
        assert_eq!(place.stdout(&args), "", "{format}");
    }
    let study = std::fs::read_to_string(place.path("study")).unwrap();
    assert!(study.contains("[ChapterName ") && study.ends_with("} *\n"), "{study}");
    let svg = std::fs::read_to_string(place.path("svg")).unwrap();
    assert!(svg.contains("checkmate"), "{svg}");
}

#[test]
fn what_is_directed_stands_in_every_file() {
    let place = directed::grown();
    let show = |format: &str| place.stdout(&["show", "--format", format, "--all"]);
    let text = show("text").split_whitespace().collect::<Vec<_>>().join(" ");
    let header = "directed 2 moves excluded, 3 moves included, 2 values, 2 stops, 2 notes";
    assert!(text.contains(header), "{text}");
    for words in [
        "1. h3 (excluded)",
        "1. g4 (included, stopped here)",
        "1. Nc3 (stopped here)",
        "g5 (included, your value: +1.50 for White)",
        "{=Solid} {for Black\"s [31m <b>",
    ] {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");
    let pgn = show("pgn").replace('\n', " ");
    for words in ["{ Where it all begins }", "=Solid) (for Black\"s", "( 1. g4 { included, stopped"]
    {
        assert!(pgn.contains(words), "no {words:?} in {pgn}");
    }
    assert!(!pgn.contains("[%eval 9"), "a note gives no evaluation");
    let study = show("study").replace('\n', " ");
    assert!(study.contains("{ =Solid) (for Black\"s [31m <b>%eval</b> (%eval 9.99]; }"), "{study}");
    let cards = place.stdout(&["show", "--format", "anki", "--side", "black", "--all-moves"]);
    let note = "\t=Solid} {for Black&quot;s [31m &lt;b&gt;%eval&lt;/b&gt; [%eval 9.99];\t";
    assert!(cards.lines().any(|card| card.contains(note)), "{cards}");
    let csv = show("csv");
    assert!(csv.lines().any(|row| row.ends_with(",false,true,,false,,,,,")), "excluded: {csv}");
    assert!(csv.contains("\"'=Solid} {for Black\"\"s"), "no formula: {csv}");
    let epd = show("epd");
    assert!(epd.contains(" c0 \"Where it all begins\"; ce "), "{epd}");
    assert!(epd.contains(" c0 \"=Solid} {for Black's [31m"), "{epd}");
    export(&place, &[], &["--format", "pgn"], "out.pgn");
    export(&place, &[], &["--format", "polyglot"], "out.bin");
    let book = book(&place);
    let has = |m: u16| book.contains(&(START_KEY, m));
    assert!(!has(H2H3) && has(G2G4) && has(G1F3), "{book:?}");
    for format in ["svg", "dot"] {
        let picture = place.stdout(&["show", "--format", format, "--max-variations", "9"]);
        assert!(picture.contains("green: included") && picture.contains("stopped"), "{picture}");
        assert!(!picture.contains("<b>") || format == "dot", "{picture}");
    }
}

/// An engine may report anything; SQLite's `sum` of such numbers is an error.
#[test]
fn overflowing_node_counts_stop_no_format() {
    let place = Place::new();
    let engine = crate::support::scripted(&["--report-nodes", "9223372036854775807"]);
    place.stdout(&["grow", "--engine", &engine, "--engine-depth", "5", "--depth", "1"]);
    let epd = place.stdout(&["show", "--format", "epd"]);
    assert!(epd.starts_with("rnbqkbnr") && epd.contains(" acn "), "{epd}");
    place.stdout(&["stats", "--analysis", "1"]);
}

#[test]
fn a_full_disk_is_named_with_the_file() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let place = Place::new();
    place.grow(&["--depth", "1"]);
    for format in ["text", "json", "pgn", "csv", "epd", "polyglot", "dot", "svg", "html"] {
        let output = place.run(&["show", "--format", format, "-o", "/dev/full"]);
        assert_eq!(output.status.code(), Some(1), "{format}");
        assert!(stderr(&output).contains("cannot write /dev/full: No space left"), "{format}");
    }
}

#[test]
fn a_study_has_chapters_that_lichess_takes() {
    if !python_chess() {
        return;
    }
    let place = grown(TREES[1]);
    for more in [&[][..], &["--side", "white"], &["--write-out-transpositions"]] {
        export(&place, &[], &[&["--format", "study"], more].concat(), "study.pgn");
        let printed = read(&place, "study.py", &[]);
        assert!(printed.starts_with("1 ") && !printed.ends_with(" 0"), "{more:?}: {printed}");
    }
}

#[test]
fn cards_default_to_the_side_to_move() {
    let place = grown(TREES[1]);
    let show = |more: &[&str]| place.stdout(&[&["show", "--format"], more].concat());
    assert_eq!(show(&["anki"]), show(&["anki", "--side", "white"]));
    assert_ne!(show(&["anki"]), show(&["anki", "--side", "black"]));
    assert_eq!(
        show(&["anki", "--cards", "2"]).lines().filter(|line| !line.starts_with('#')).count(),
        2
    );
    let conditional = show(&["conditional", "--clear", "0"]);
    assert!(conditional.starts_with("play 1. "), "{conditional}");
    assert_eq!(conditional, show(&["conditional", "--clear", "0", "--side", "white"]));
}

#[test]
fn options_of_one_format_are_refused_with_others() {
    let place = grown(TREES[1]);
    for (args, needs) in [
        (&["show", "--cards", "3"][..], "--cards is an option of `export anki`"),
        (&["show", "--clear", "3", "--format", "json"], "is an option of `export conditional`"),
        (&["export", "json", "--clear", "3"], "--clear is an option of `export conditional`"),
        (&["export", "csv", "--write-out-transpositions"], "of `export pgn`, `export study`"),
        (&["export", "pgn", "--format", "csv"], "the format is given"),
        (&["export"], "Usage: deepanalyze export <FORMAT>"),
    ] {
        let refused = place.run(args);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains(needs), "{}", stderr(&refused));
    }
}

const FORMATS: [&str; 11] =
    ["json", "pgn", "csv", "epd", "polyglot", "dot", "svg", "html", "anki", "study", "conditional"];

#[test]
fn each_export_is_what_show_writes_in_that_format() {
    let place = grown(TREES[1]);
    let written = |args: &[&str]| {
        let output = place.run(args);
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        output.stdout
    };
    for format in FORMATS {
        let shown = written(&["show", "--format", format]);
        assert!(!shown.is_empty() && written(&["export", format]) == shown, "{format}");
        let help = place.stdout(&["export", format, "--help"]);
        assert!(!help.contains("--format") && help.contains("--output <FILE>"), "{help}");
    }
    let book = written(&["show", "--format", "polyglot"]);
    assert_eq!(written(&["export", "book"]), book);
    assert_eq!(written(&["show", "--format", "book"]), book);
    written(&["export", "csv", "--plies", "1", "-o", "some.csv"]);
    let csv = std::fs::read(place.path("some.csv")).unwrap();
    assert_eq!(csv, written(&["show", "--format", "csv", "--plies", "1"]));
}

#[test]
fn the_help_of_a_format_has_its_own_options_alone() {
    let place = Place::new();
    let has = |command: &[&str], option: &str| {
        let help = place.stdout(&[command, &["--help"]].concat());
        help.lines().any(|line| line.trim_start().starts_with(&format!("--{option}")))
    };
    for (option, formats) in [
        ("cards", &["anki"][..]),
        ("clear", &["conditional"]),
        ("counts", &["pgn"]),
        ("max-loss", &["polyglot", "anki"]),
        ("write-out-transpositions", &["pgn", "study"]),
        ("every", &["json", "pgn", "html"]),
        ("sort", &["json"]),
        ("plies", &FORMATS),
    ] {
        for format in FORMATS {
            assert_eq!(has(&["export", format], option), formats.contains(&format), "{option}");
        }
    }
    assert!(has(&["show"], "people") && has(&["show"], "every") && !has(&["show"], "format"));
}
