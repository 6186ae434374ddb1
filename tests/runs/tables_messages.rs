//! Messages on tablebases, by the built program.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use serde_json::Value;

use super::tables::{ROOT, WON, grow, json, tables, with_tables};
use crate::support::program::{Place, stderr};

#[test]
fn roots_of_a_batch_that_the_tables_know_are_over() {
    let (place, folder) = (Place::new(), tables());
    let epd = |fen: &str, name: &str| {
        let epd = fen.trim_end_matches(" 0 1");
        format!("{epd} id \"{name}\";\n")
    };
    let mated = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1";
    let file = [epd(WON, "pawn"), epd(ROOT, "four"), epd(mated, "mate")].concat();
    std::fs::write(place.path("roots.epd"), file).unwrap();
    let args = ["--epd", "roots.epd", "--distance", "40", "--depth", "2"];
    let output = place.run_grow(&with_tables(&folder, &args));
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("pawn: won (tables)\n"), "{said}");
    assert!(said.contains("done: 1 of 3 complete, 2 already over;"), "{said}");
    let table = String::from_utf8(output.stdout).unwrap();
    let row = table.lines().find(|line| line.starts_with("pawn ")).unwrap();
    assert!(row.contains(" - ") && row.contains("won (tables)"), "{table}");
}

/// The moves of a known root with their results in words, as the page has them.
fn page_moves(place: &Place) -> Vec<(String, i64, String)> {
    let page = place.stdout(&["show", "--root", WON, "--format", "html"]);
    let open = "<script type=\"application/json\" id=\"tree-data\">";
    let (_, rest) = page.split_once(open).unwrap();
    let data: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(data["known"], "won (tables)");
    let moves = data["table_moves"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    moves.map(|m| (text(&m["uci"]), m["dtz"].as_i64().unwrap(), text(&m["known"]))).collect()
}

#[test]
fn page_lists_table_moves_as_json() {
    let (place, folder) = (Place::new(), tables());
    grow(&place, WON, &with_tables(&folder, &[]));
    let tree = json(&place, WON);
    let moves = page_moves(&place);
    let listed = tree["table_moves"].as_array().unwrap().iter();
    let listed = listed.map(|m| (m["uci"].as_str().unwrap(), m["dtz"].as_i64().unwrap()));
    assert!(listed.eq(moves.iter().map(|(uci, dtz, _)| (uci.as_str(), *dtz))), "{moves:?}");
    assert_eq!(moves[0], ("e2e3".to_owned(), 1, "won (tables)".to_owned()));
    assert_eq!(moves[5].2, "drawn (tables)");
}

#[test]
fn second_analysis_with_tables_is_noted_once() {
    let (place, folder) = (Place::new(), tables());
    let (said, _) = grow(&place, ROOT, &with_tables(&folder, &[]));
    let told = |said: &str| said.contains("starting a separate analysis");
    assert!(!told(&said), "{said}");
    let (said, _) = grow(&place, ROOT, &with_tables(&folder, &[]));
    assert!(!told(&said), "{said}");
    let (said, _) = grow(&place, ROOT, &[]);
    let line = "\nnote: analysis 1 of this position uses 3-piece tablebases (fide); starting a separate analysis\n";
    assert!(said.contains(line), "{said}");
    let (said, _) = grow(&place, ROOT, &[]);
    assert!(!told(&said), "{said}");
}

#[test]
fn a_rule_for_tables_that_are_not_there_is_refused() {
    let place = Place::new();
    for command in ["grow", "serve", "lichess"] {
        let output = place.run(&[command, "--fifty", "iccf"]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("--fifty iccf needs tablebases"), "{said}");
    }
}
