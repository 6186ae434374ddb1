//! `verify` on the built program: it finds whatever is wrong, and nothing where all is well.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::sync::OnceLock;

use crate::support::by_day_or_night;
use crate::support::program::{Place, stderr};

/// A tree of a few dozen positions, grown once for all tests of this file.
fn grown() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let place = Place::new();
        place.grow(&["--depth", "3"]);
        // Pages that steps of the schema have left free hold nothing that can be damaged.
        place.sql("VACUUM");
        std::fs::read(place.db()).unwrap()
    })
}

/// A place with that tree.
fn place() -> Place {
    let place = Place::new();
    std::fs::write(place.db(), grown()).unwrap();
    place
}

/// The exit status of `verify`, and all that it printed.
fn verify(place: &Place) -> (Option<i32>, String) {
    let output = place.run(&["verify", "--quiet"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
    (output.status.code(), said)
}

#[test]
fn an_untouched_database_is_well() {
    let place = place();
    let output = place.run(&["verify"]);
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.ends_with("tree.db: all is well (77 answers, 1 tree grown again)\n"), "{said}");
    assert_eq!(verify(&place), (Some(0), String::new()), "quiet says nothing");
    let told = || -> serde_json::Value {
        serde_json::from_slice(&place.run(&["verify", "--format", "json", "--quiet"]).stdout)
            .unwrap()
    };
    assert_eq!([&told()["answers"], &told()["trees"]], [77, 1]);
    assert_eq!(told()["flaws"].as_array().unwrap().len(), 0);
    place.sql("UPDATE answer SET nodes = nodes + 1 WHERE rank = 0");
    let flaws = told()["flaws"].clone();
    assert!(flaws.as_array().is_some_and(|flaws| !flaws.is_empty()), "{flaws}");
    assert_eq!(place.run(&["verify", "--format", "json"]).status.code(), Some(1));
}

#[test]
fn every_change_of_a_row_is_found_and_named() {
    let root = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let first = "position = 1 AND rank = 1";
    for (change, finds) in [
        ("UPDATE answer SET cp = -cp WHERE #", "rank 1 in @: the row was changed"),
        ("UPDATE answer SET cp = -cp, checksum = NULL WHERE #", "it has no checksum"),
        ("UPDATE answer SET cp = 99999999999 WHERE #", "with its score is no answer"),
        ("UPDATE answer SET nodes = nodes + 1 WHERE #", "rank 1 in @: the row was changed"),
        ("UPDATE answer SET line = 'e2e4' WHERE #", "its pv \"e2e4\" does not begin with"),
        ("DELETE FROM answer WHERE #", "rank 2 in @: rank 1 is missing before it"),
        ("DELETE FROM answer WHERE position = 1 AND rank = 3", "needs an answer of rank 3 in @"),
        ("UPDATE answer SET move = 'a1a8', line = x'' WHERE #", "rank 1 in @: a1a8 is not legal"),
        (
            "UPDATE answer SET move = 'xyz', line = x'' WHERE #",
            "\"xyz\" with its score is no answer",
        ),
        (
            "UPDATE answer SET (move, line) = (SELECT move, line FROM answer
                WHERE position = 1 AND rank = 0) WHERE #",
            "rank 1 in @: c2c4 is listed twice",
        ),
        (
            "INSERT INTO answer SELECT profile, position, rank + 4, 'e2e4', child, cp, mate, wdl, depth,
                seldepth, nodes, time_ms, x'', created_at, checksum, source FROM answer
                WHERE position = 1 AND rank = 0",
            "rank 4 in @: the row was changed",
        ),
        (
            "UPDATE node SET admitted = admitted + 1 WHERE position = 1",
            "5 admitted, idea +0.05 kept",
        ),
        (
            "UPDATE node SET admitted = admitted - 1 WHERE position = 1",
            "3 admitted, idea +0.05 kept",
        ),
        (
            "UPDATE node SET idea = idea + 1 WHERE position = 1",
            "@: ply 0, 4 admitted, idea +0.06 kept",
        ),
        ("UPDATE node SET ply = 1 WHERE position = 1", "@: ply 1, 4 admitted"),
        ("UPDATE node SET ply = -1 WHERE position = 1", "the node of @: its ply"),
        ("UPDATE node SET idea = 32001 WHERE position = 1", "the node of @ with idea 32001"),
        ("DELETE FROM node WHERE position = 1", "@ is missing from the tree"),
        (
            "INSERT INTO node SELECT 1, id, 9, 1, 0, 0 FROM position
                WHERE id NOT IN (SELECT position FROM node) LIMIT 1",
            "is in the tree, but not when grown again",
        ),
        ("UPDATE settled SET passes = passes + 1 WHERE depth = 1", "the table of settled depths"),
        ("UPDATE settled SET value = value + 1 WHERE depth = 1", "the table of settled depths"),
        ("DELETE FROM settled WHERE depth = 0", "the table of settled depths"),
        ("UPDATE settled SET depth = -1 WHERE depth = 0", "out of range"),
        ("UPDATE settled SET moves = 9 WHERE depth = 1", "depth 1 has 9 moves, 4 are there"),
        ("DELETE FROM verdict WHERE depth = 1 AND rank = 2", "has 4 moves, 3 are there"),
        ("UPDATE settled SET moves = NULL WHERE depth = 1", "has 0 moves, 4 are there"),
        (
            "DELETE FROM verdict; UPDATE settled SET moves = NULL WHERE depth = 1",
            "the verdict of depth 0 has 4 moves, 0 are there",
        ),
        ("DELETE FROM verdict; UPDATE settled SET moves = NULL", "the verdict of depth 0 differs"),
        ("UPDATE verdict SET alpha = alpha + 1 WHERE depth = 1", "the verdict of depth 1 differs"),
        ("UPDATE verdict SET idea = idea + 1 WHERE depth = 1", "the verdict of depth 1 differs"),
        ("UPDATE verdict SET eval = eval + 1 WHERE depth = 1", "the verdict of depth 1 differs"),
        ("UPDATE verdict SET line = move WHERE depth = 3", "the verdict of depth 3 differs"),
        ("UPDATE verdict SET line = '' WHERE depth = 3", "in the verdict of depth 3"),
        ("UPDATE verdict SET alpha = 32001 WHERE depth = 3", "in the verdict of depth 3"),
        (
            "UPDATE course SET alpha = alpha + 1 WHERE pass = 1",
            "the course of its best move differs",
        ),
        ("UPDATE course SET searches = 0 WHERE pass = 1", "the course of its best move differs"),
        ("DELETE FROM course WHERE pass = 1", "the course of its best move differs"),
        ("UPDATE course SET move = 'xyz' WHERE pass = 1", "a move or value in its course"),
        ("UPDATE analysis SET line = 'e2e4'", "analysis 1: its best line differs when grown again"),
        ("UPDATE analysis SET line = 'xyz'", "analysis 1: its best line"),
        ("UPDATE analysis SET settled_depth = 2", "settled depth: 2 kept, 3 when grown again"),
        ("UPDATE analysis SET settled_depth = NULL", "settled depth: none kept"),
        ("UPDATE analysis SET positions = 7", "positions: 7 kept, 38 when grown again"),
        ("UPDATE analysis SET searches = 7", "searches: 7 kept, 77 when grown again"),
        ("UPDATE analysis SET nodes = 7", "analysis 1: nodes: 7 kept, "),
        ("UPDATE analysis SET nodes = -1", "the row of analysis 1: -1 in column"),
        ("UPDATE analysis SET pass = pass + 1000000000000", "pass 16 needs an answer"),
        ("UPDATE analysis SET pass = -1", "the row of analysis 1: -1 in column"),
        ("UPDATE analysis SET target_depth = -1", "the row of analysis 1: -1 in column"),
        ("UPDATE analysis SET distance = 20", "analysis 1: its distance: \"20\", should be"),
        ("UPDATE analysis SET width_white = '20'", "pass 1 needs an answer of rank 4 in @"),
        ("UPDATE analysis SET width_white = '10,10'", "its distances: \"10,10 10\", should be"),
        ("UPDATE analysis SET width_black = '1,2'", "the row of analysis 1: its history"),
        ("UPDATE analysis SET root_moves = 5", "pass 1 needs an answer of rank 4 in @"),
        (
            "INSERT INTO grown_directive VALUES (1, 1, 'exclude', 'c2c4', NULL)",
            "needs an answer of",
        ),
        (
            "INSERT INTO grown_directive VALUES (1, 1, 'stop', '', NULL)",
            "analysis 1: its directives: in @: the root cannot",
        ),
        (
            "INSERT INTO directive SELECT id, 1, 'exclude', 'e2e5', NULL, NULL, 0 FROM game",
            "the directives of game 1: in @: e2e5 is not legal there",
        ),
        ("UPDATE analysis SET root = '8/8'", "analysis 1: its root: \"8/8\", should be"),
        ("UPDATE analysis SET start_epd = '8/8'", "analysis 1: its start_epd"),
        ("UPDATE analysis SET history = 'e2e5'", "its root or game history cannot be played"),
        ("UPDATE analysis SET start = '8/8'", "its root or game history cannot be played"),
        ("UPDATE profile SET options = 'no JSON'", "the row of analysis 1"),
        ("UPDATE profile SET options = '{ }'", "its profile's options"),
        ("UPDATE position SET board = 'no EPD' WHERE id = 1", "\"no EPD\" is not a legal position"),
        ("UPDATE position SET state = epd || ' 0 1', board = epd || ' 0 1' WHERE id = 1", "should read \"@\""),
        (
            "UPDATE position SET hash = hash + 1 WHERE id = 1",
            "position 1 (@) is not found: its hash is wrong",
        ),
        (
            "UPDATE position SET ending = 'stalemate' WHERE id = 1",
            "its ending is Some(\"stalemate\")",
        ),
        (
            "UPDATE answer SET child = 1 WHERE position = 1 AND move = 'c2c4'",
            "link of c2c4 in @: it leads",
        ),
        (
            "UPDATE answer SET child = NULL WHERE position = 1 AND move = 'c2c4'",
            "link of c2c4 in @: it is missing",
        ),
        ("INSERT INTO link VALUES (1, 'a1a8', 1)", "link of a1a8 in @: the move is not legal"),
        ("PRAGMA foreign_keys = off; DELETE FROM position WHERE id = 1", "a row of position"),
        (
            "PRAGMA foreign_keys = off; INSERT INTO node VALUES (9, 1, 0, 1, 0, 0)",
            "a row of analysis",
        ),
        ("DROP VIEW tree_move", "the schema has no view tree_move"),
        ("DROP TABLE node", "the schema has no table node"),
        (
            "DROP VIEW tree_move; CREATE VIEW tree_move AS SELECT 1 AS analysis",
            "view tree_move of the schema is not as the program makes it",
        ),
        (
            "CREATE TRIGGER flip AFTER INSERT ON answer BEGIN
                UPDATE answer SET cp = 0 WHERE rank = 0; END",
            "the schema has a trigger flip",
        ),
    ] {
        let place = place();
        place.sql(&change.replace('#', first));
        let (status, said) = verify(&place);
        let finds = finds.replace('@', root);
        assert!(status == Some(1) && said.contains(&finds), "{change}: {status:?} {said}");
        assert!(said.contains("wrong: ") && !said.contains("error"), "{change}: {said}");
    }
}

#[test]
fn what_the_user_adds_for_queries_is_no_flaw() {
    let place = place();
    place.sql(
        "CREATE VIEW best AS SELECT * FROM tree_move WHERE rank = 0;
        CREATE INDEX by_cp ON answer (cp); CREATE TABLE note (position, text);",
    );
    assert_eq!(verify(&place), (Some(0), String::new()));
}

#[test]
fn excess_passes_of_finished_game_end_the_check() {
    let place = Place::new();
    place.grow(&["--root", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "--depth", "1"]);
    assert_eq!(verify(&place), (Some(0), String::new()));
    place.sql("UPDATE analysis SET pass = 1000000000000");
    let (status, said) = verify(&place);
    assert_eq!(status, Some(1));
    assert!(said.contains("passes: 1000000000000 kept, 3 when grown again"), "{said}");
}

/// Where the first row of every page begins, and the last: what lies between may be unused.
fn rows_of_pages(bytes: &[u8]) -> Vec<usize> {
    let number = |at: usize| usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
    // Text too long for its page continues in others, which have no rows.
    let has_rows = |page: &usize| [2, 5, 10, 13].contains(&bytes[page * 4096]);
    let rows = (1..bytes.len() / 4096).filter(has_rows).flat_map(|page| {
        let header = page * 4096;
        let cells = header + if bytes[header] < 8 { 12 } else { 8 };
        let last = cells + 2 * number(header + 3).saturating_sub(1);
        [header + number(cells), header + number(last)]
    });
    rows.collect()
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn damaged_pages_are_found_wherever_they_are() {
    let rows = rows_of_pages(grown());
    assert!(rows.len() > 20, "{rows:?}");
    let headers = (1..grown().len() / 4096).map(|page| page * 4096);
    let places = rows.into_iter().chain(headers).chain([100]);
    for at in places.step_by(by_day_or_night(4, 1)) {
        let mut bytes = grown().to_vec();
        bytes[at..at + 8].fill(0xa5);
        let place = Place::new();
        std::fs::write(place.db(), &bytes).unwrap();
        let (status, said) = verify(&place);
        assert_eq!(status, Some(1), "byte {at}: {said}");
        assert!(said.contains("wrong: ") && !said.contains("panicked"), "byte {at}: {said}");
        for command in ["show", "list", "log", "stats"] {
            let output = place.run(&[command]);
            let said = stderr(&output);
            assert!(output.status.code().is_some_and(|code| code <= 1), "byte {at}: {said}");
            assert!(!said.contains("panicked"), "{command}, byte {at}: {said}");
        }
    }
}

#[test]
fn a_truncated_file_is_found() {
    for length in [100, 4096, 10_000, grown().len() - 4096, grown().len() - 2048] {
        let place = Place::new();
        std::fs::write(place.db(), &grown()[..length]).unwrap();
        let (status, said) = verify(&place);
        assert_eq!(status, Some(1), "{length} bytes: {said}");
        assert!(said.contains("wrong: "), "{length} bytes: {said}");
    }
}

#[test]
fn a_closed_pipe_hides_no_flaw() {
    let place = place();
    place.sql("UPDATE answer SET cp = -cp WHERE rank = 0");
    let mut child = place.command(&["verify"]).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
