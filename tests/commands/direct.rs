//! `direct` on the built program: each action, what is refused and why, files, copies, processes at once.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use crate::support::program::{Place, stderr, wait};

pub(super) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

pub(super) const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";

/// Output of an action.
pub(super) fn direct(place: &Place, args: &[&str]) -> String {
    place.stdout(&[&["direct"], args].concat())
}

/// An action that must fail with this status and these words, and change nothing.
pub(super) fn refused(place: &Place, args: &[&str], status: i32, words: &str) {
    let before = place.db().exists().then(|| direct(place, &["export"]));
    let output = place.run(&[&["direct"], args].concat());
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
    assert!(said.starts_with("error: ") && said.contains(words), "{args:?}: {said}");
    assert_eq!(said.matches("error:").count(), 1, "{args:?}: {said}");
    assert!(output.stdout.is_empty(), "{args:?}");
    let after = place.db().exists().then(|| direct(place, &["export"]));
    assert_eq!(after, before, "{args:?} changed something");
}

pub(super) fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

pub(super) fn exported(place: &Place) -> serde_json::Value {
    json(&direct(place, &["export"]))
}

/// The list for people without its dates.
pub(super) fn listed(place: &Place, root: &[&str]) -> Vec<String> {
    let text = direct(place, &[root, &["list"]].concat());
    let rows = text.lines().filter_map(|line| line.split_once("Z  "));
    rows.map(|(_, row)| row.to_owned()).collect()
}

#[test]
fn each_action_says_what_it_did_and_the_list_has_it() {
    let place = Place::new();
    let said = direct(&place, &["exclude", "e2e4"]);
    let next = "this counts at once; the next `grow` searches what is missing";
    assert_eq!(said, format!("excluded 1. e4\nnow 1 move excluded; {next}\n"));
    assert_eq!(direct(&place, &["exclude", "1.e4!"]), "1. e4 is already excluded\n");
    let said = direct(&place, &["include", "d4 d5 c4"]);
    assert!(
        said.starts_with("included 1. d4 d5 2. c4\nnow 1 move excluded, 3 moves included;"),
        "{said}"
    );
    let said = direct(&place, &["include", "d4 d5 Nc3"]);
    assert!(said.starts_with("included 1. d4 d5 2. Nc3 (new: 1 of 3 moves)\n"), "{said}");
    assert_eq!(direct(&place, &["include", "d4 d5"]), "1. d4 d5 is already included\n");
    let said = direct(&place, &["value", "Nf3", "-0.5"]);
    assert!(said.starts_with("1. Nf3 counts as -0.50 for White\n"), "{said}");
    assert!(
        direct(&place, &["value", "Nf3 d5", "draw"]).starts_with("1. Nf3 d5 counts as a draw\n")
    );
    assert!(direct(&place, &["value", "a4", "white"]).contains("won for White"));
    assert!(
        direct(&place, &["stop", "h4"])
            .starts_with("stopped at 1. h4: nothing is searched there\n")
    );
    let said = direct(&place, &["note", "", "- so\nmuch \u{1b}[31mto do"]);
    assert!(
        said.starts_with("noted at the root\n") && said.contains("the tree stays as it is"),
        "{said}"
    );
    assert!(direct(&place, &["note", "", "two"]).contains("in place of the note that was there"));
    let mut rows = listed(&place, &[]);
    rows.sort();
    let expected = [
        "exclude  1. e4",
        "include  1. d4",
        "include  1. d4 d5",
        "include  1. d4 d5 2. Nc3",
        "include  1. d4 d5 2. c4",
        "note     the root: two",
        "stop     1. h4",
        "value    1. Nf3 d5: a draw",
        "value    1. Nf3: -0.50 for White",
        "value    1. a4: won for White",
    ];
    assert_eq!(rows, expected);
    let entries = json(&direct(&place, &["list", "--format", "json"]));
    assert_eq!(entries.as_array().unwrap().len(), 10);
    let first = &entries[0];
    assert_eq!((&first["kind"], &first["epd"]), (&"exclude".into(), &START.into()));
    assert_eq!((&first["uci"], &first["line"]), (&"e2e4".into(), &json("[]")));
    let note = entries.as_array().unwrap().iter().find(|entry| entry["kind"] == "note").unwrap();
    assert_eq!((&note["note"], &note["uci"]), (&"two".into(), &serde_json::Value::Null));
}

#[test]
fn the_root_is_named_by_its_moves_or_its_number() {
    let place = Place::new();
    place.grow(&["--moves", "e4", "--depth", "0"]);
    let said = direct(&place, &["--analysis", "1", "exclude", "e5"]);
    assert!(said.starts_with("excluded 1... e5\n"), "{said}");
    assert_eq!(listed(&place, &["--moves", "e4"]), listed(&place, &["--analysis", "1"]));
    assert_eq!(listed(&place, &["--moves", "e4"]).len(), 1);
    let both = ["--analysis", "1", "--moves", "e4", "exclude", "c5"];
    refused(&place, &both, 2, "cannot be used with");
    refused(&place, &["--analysis", "7", "exclude", "e5"], 1, "there is no analysis 7");
    let behind = ["exclude", "e5", "--analysis", "1"];
    refused(&place, &behind, 2, "'--analysis' goes before 'exclude'");
}

#[test]
fn a_note_cannot_steer_the_terminal_that_lists_it() {
    let place = Place::new();
    direct(&place, &["note", "e4", "solid\n\u{1b}[31mred\u{7}"]);
    assert_eq!(listed(&place, &[]), ["note     1. e4: solid [31mred"]);
    assert_eq!(exported(&place)["note"][E4], "solid\n\u{1b}[31mred\u{7}");
}

#[test]
fn directives_are_undone_by_line() {
    let place = Place::new();
    for args in [&["include", "e4 e5"][..], &["value", "e4", "+0.3"], &["note", "e4", "mine"]] {
        direct(&place, args);
    }
    let said = direct(&place, &["undo", "e4"]);
    let took = "took back at 1. e4: the inclusion, the value (+0.30 for White), the note; one included move \
        behind it stays, to which no included line leads\n";
    assert!(said.starts_with(took), "{said}");
    assert_eq!(listed(&place, &[]), ["include  1. e4 e5"], "the move behind it stays");
    refused(&place, &["undo", "e4"], 1, "no directive on 1. e4");
    refused(&place, &["undo", ""], 1, "no directive on the root");
    direct(&place, &["stop", "a4 a5"]);
    assert!(direct(&place, &["undo", "a4 a5"]).contains("the stop"));
    direct(&place, &["exclude", "a4"]);
    let said = direct(&place, &["undo", "--all"]);
    assert!(
        said.starts_with("took back all directives: 1 move excluded, 1 move included\n"),
        "{said}"
    );
    assert_eq!(exported(&place), json("{}"));
    assert_eq!(direct(&place, &["undo", "--all"]), "this root has no directives\n");
}

#[test]
fn refused_directives_create_no_database() {
    let place = Place::new();
    let (mate, mated) = (["--moves", "f3 e5 g4"], "the game is over there: checkmate");
    refused(&place, &[&mate[..], &["stop", "Qh4#"]].concat(), 1, mated);
    refused(&place, &["value", "", "draw"], 1, "the root cannot be given a value");
    refused(&place, &["stop", "Nf3 Nf6 Ng1 Ng8"], 1, "the root cannot be given a value");
    refused(&place, &["value", "e4", "300.01"], 1, "30001 centipawns are beyond a decided game");
    let root = ["--root", "8/8/8/8/8/4k3/6q1/7K w - - 0 1"];
    let last = "1. Kxg2: Kxg2 is the last move there that is not excluded";
    refused(&place, &[&root[..], &["exclude", "Kxg2"]].concat(), 1, last);
    for (args, words) in [
        (&["exclude", "e4 Ke3"][..], "\"1... Ke3\" is illegal in"),
        (&["include", "e4 xyzzy"], "\"1... xyzzy\" is not a move"),
        (&["exclude", ""], "the line is empty"),
        (&["include", "1."], "the line is empty"),
        (&["include"], "include needs a line or --pgn FILE"),
        (&["include", "e4", "--notes"], "cannot be used with"),
        (&["undo"], "required"),
        (&["undo", "e4", "--all"], "cannot be used with"),
        (&["note", "e4", " "], "the note is empty"),
        (&["value", "e4", "+abc"], "write pawns for White, like +0.50 or -1.2"),
        (&["value", "e4", "1e9"], "write pawns for White"),
        (&["value", "e4", ".5"], "write pawns for White"),
        (&["value", "e4", "-301"], "at most 300 pawns; a decided game is white or black"),
        (&["applaud"], "unrecognized subcommand"),
    ] {
        refused(&place, args, 2, words);
    }
    refused(&place, &["list"], 1, "there is no database at");
    refused(&place, &["export"], 1, "there is no database at");
    assert_eq!(place.files(), Vec::<String>::new(), "nothing is made");
}

#[test]
fn contradicting_directives_are_refused_with_hint() {
    let place = Place::new();
    for args in
        [&["exclude", "e4"][..], &["include", "d4 d5"], &["value", "a4", "0"], &["stop", "h4"]]
    {
        direct(&place, args);
    }
    refused(&place, &["include", "e4 e5"], 1, "1. e4: e4 is excluded there; undo that first");
    refused(&place, &["exclude", "d4 d5"], 1, "1. d4 d5: d5 is included there; undo that first");
    refused(&place, &["stop", "a4"], 1, "1. a4: the position has a value; undo that first");
    refused(&place, &["value", "h4", "black"], 1, "1. h4: the position is stopped");
    let output = place.run(&["direct", "include", "e4 e5"]);
    assert!(
        stderr(&output).ends_with("hint: `direct undo \"1. e4\"` removes it\n"),
        "{}",
        stderr(&output)
    );
    direct(&place, &["undo", "1. e4"]);
    direct(&place, &["include", "e4 e5"]);
}

#[test]
fn processes_that_direct_at_once_lose_nothing() {
    let place = Place::new();
    let moves = ["a3", "b3", "c3", "d3", "e3", "f3", "g3", "h3"];
    let children = moves.map(|san| {
        let mut command = place.command(&["direct", "exclude", san]);
        command.spawn().unwrap()
    });
    for mut child in children {
        assert!(wait(&mut child).success());
    }
    assert_eq!(listed(&place, &[]).len(), moves.len());
}

#[test]
fn undo_undoes_exactly_one_include() {
    let place = Place::new();
    direct(&place, &["include", "e4"]);
    direct(&place, &["include", "e4 e5 Nf3 Nc6"]);
    direct(&place, &["include", "e4 e5 f4"]);
    direct(&place, &["note", "e4 e5 Nf3", "mine"]);
    let said = direct(&place, &["undo", "e4 e5 Nf3 Nc6"]);
    let words = "took back at 1. e4 e5 2. Nf3 Nc6: the inclusion, and with it 1 move before it\n";
    assert!(said.starts_with(words), "{said}");
    assert!(said.contains("now 3 moves included, 1 note"), "e5 goes on with f4: {said}");
    let said = direct(&place, &["undo", "e4 e5 f4"]);
    assert!(said.starts_with("took back at 1. e4 e5 2. f4: the inclusion\n"), "{said}");
    assert!(said.contains("now 2 moves included, 1 note"), "e5 came with Nf3: {said}");
    // A longer game begins with a copy, and what came together stays so.
    direct(&place, &["--moves", "a3 a6", "include", "d4 d5 c4"]);
    std::fs::write(place.path("game.pgn"), "1. a3 a6 2. d4 *\n").unwrap();
    let moved = ["--pgn", "game.pgn"];
    direct(&place, &[&moved[..], &["include", "d5 c4 e6"]].concat());
    let said = direct(&place, &[&moved[..], &["undo", "d5 c4 e6"]].concat());
    assert!(said.starts_with("took back at 2... d5 3. c4 e6: the inclusion\n"), "{said}");
    let said = direct(&place, &[&moved[..], &["undo", "d5 c4"]].concat());
    let words = "took back at 2... d5 3. c4: the inclusion, and with it 1 move before it\n";
    assert!(said.starts_with(words), "{said}");
}

#[test]
fn a_foreign_or_newer_database_is_left_as_it_is() {
    let place = Place::new();
    std::fs::write(place.db(), "Dear diary\n".repeat(90)).unwrap();
    let bytes = std::fs::read(place.db()).unwrap();
    let output = place.run(&["direct", "exclude", "e4"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("is not a deepanalyze database"), "{}", stderr(&output));
    assert_eq!(std::fs::read(place.db()).unwrap(), bytes);
    let output = place.run(&["direct", "--db", "no/such/folder.db", "exclude", "e4"]);
    assert!(stderr(&output).contains("no such folder"), "{}", stderr(&output));
}

#[test]
fn list_and_show_have_used_and_pending_directives() {
    let place = Place::new();
    place.grow(&["--depth", "1"]);
    assert!(!place.stdout(&["list", "--long"]).contains("directed"));
    assert!(!place.stdout(&["show"]).contains("directed"));
    let said = direct(&place, &["exclude", "e4"]);
    assert!(
        said.ends_with("this counts at once; the next `grow` searches what is missing\n"),
        "{said}"
    );
    let pending = "1 move excluded; all answers are known\n";
    assert!(place.stdout(&["list", "--long"]).contains(&format!("  directed  {pending}")));
    assert!(place.stdout(&["show"]).contains(&format!("directed {pending}")));
    place.grow(&["--depth", "1"]);
    assert!(place.stdout(&["list", "--long"]).contains("  directed  1 move excluded\n"));
    assert!(place.stdout(&["show"]).contains("directed 1 move excluded\n"));
}

#[test]
fn an_undo_says_what_no_line_leads_to_any_more() {
    let place = Place::new();
    direct(&place, &["include", "d4 d5 f3 Qd6 a4 e5"]);
    let said = direct(&place, &["undo", "d4 d5 f3 Qd6"]);
    let told = "took back at 1. d4 d5 2. f3 Qd6: the inclusion; 2 included moves behind it stay, to which no included line leads\n";
    assert!(said.starts_with(told), "{said}");
}
