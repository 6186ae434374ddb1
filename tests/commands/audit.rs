//! `audit` on the built program, over made-up trees of a Caro-Kann repertoire.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;
use std::time::Duration;

use deepanalyze_core::chess::{Game, PositionKey, Score, Value};
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_core::search::{Answer, Limit, Profile};
use deepanalyze_core::tree::{Growth, Selection};
use deepanalyze_report::audited;
use deepanalyze_report::{Audited, write_audit};
use deepanalyze_runner::TreeRows;
use deepanalyze_store::{AnalysisKey, NewAnswer, Store, StoreError};
use deepanalyze_view::PointOfView;
use deepanalyze_view::load;
use serde_json::json;
use shakmaty::Color;

use crate::support::program::{Place, stderr};

/// The repertoire for Black: 3...c5 beside 3...Bf5, and 2. c4, where 4. d4 leads back to the third line.
const LINES: [&str; 6] = [
    "e4 c6 d4 d5 e5 Bf5 Nf3 e6",
    "e4 c6 d4 d5 e5 c5",
    "e4 c6 d4 d5 exd5 cxd5 c4 Nf6",
    "e4 c6 Nf3 d5",
    "e4 c6 c4 d5 exd5 cxd5",
    "e4 c6 d4 d5 Nc3 dxe4",
];

/// The engine's answers: moves in SAN by line.
type Lists<'a> = [(&'a str, &'a [(&'a str, Score)])];

fn cp(cp: i32) -> Score {
    Score::Cp(cp)
}

fn lists() -> Vec<(&'static str, Vec<(&'static str, Score)>)> {
    vec![
        ("", vec![("e4", cp(30)), ("d4", cp(28)), ("a3", cp(-10))]),
        ("e4", vec![("c5", cp(-25)), ("c6", cp(-32))]),
        ("e4 c6", vec![("d4", cp(32)), ("Nc3", cp(30)), ("Nf3", cp(25)), ("h3", cp(-20))]),
        ("e4 c6 d4", vec![("d5", cp(-35))]),
        ("e4 c6 d4 d5", vec![("e5", cp(40)), ("exd5", cp(32)), ("f3", cp(38)), ("g3", cp(0))]),
        ("e4 c6 d4 d5 e5", vec![("c5", cp(-23)), ("Bf5", cp(-35))]),
        ("e4 c6 d4 d5 f3", vec![("e6", cp(-38))]),
        ("e4 c6 d4 d5 e5 Bf5", vec![("Nf3", cp(35)), ("h4", cp(30))]),
        ("e4 c6 d4 d5 e5 c5", vec![("dxc5", cp(23))]),
        ("e4 c6 d4 d5 exd5", vec![("cxd5", cp(-32))]),
        ("e4 c6 d4 d5 exd5 cxd5", vec![("Bd3", cp(32)), ("c4", cp(20))]),
        ("e4 c6 d4 d5 exd5 cxd5 Bd3", vec![("Nc6", cp(-32))]),
        ("e4 c6 c4 d5 exd5 cxd5", vec![("Qa4", cp(25)), ("d4", cp(20))]),
        ("e4 c6 d4 d5 exd5 cxd5 c4", vec![("Nf6", cp(-20))]),
    ]
}

fn including(game: &Game, lines: &[&str]) -> Directives {
    let (root, mut set) = (PositionKey::of(game.root()), Directives::default());
    for line in lines {
        let mut played = game.clone();
        for word in line.split_whitespace() {
            let before = played.root().clone();
            played.play_line(word).unwrap();
            set.add(&root, &before, Directive::Include(*played.moves().last().unwrap())).unwrap();
        }
    }
    set
}

fn direct(place: &Place, game: &Game, set: &Directives) {
    let mut store = Store::open(&place.db()).unwrap();
    let change = |now: &mut Directives| {
        *now = set.clone();
        Ok::<(), StoreError>(())
    };
    store.change_directives(game, change).unwrap();
}

/// Keeps a tree that was grown with directives, as a run of one pass does.
fn keep(place: &Place, game: &Game, grown_with: &Directives, lists: &Lists<'_>) {
    let mut store = Store::open(&place.db()).unwrap();
    let (engine, limit) = ("Made up".to_owned(), Limit::Depth(1));
    let profile = Profile { engine, options: BTreeMap::new(), limit, kept_hash: None };
    let profile = store.profile_id(&profile).unwrap();
    let key = AnalysisKey { game, profile, settings: &20.into() };
    let analysis = store.open_analysis(key).unwrap();
    let selection = Selection { wishes: grown_with.wishes(), ..20.into() };
    let mut growth = Growth::new(game, selection);
    growth.note_changes();
    for (line, moves) in lists {
        let mut played = Game::from_position(game.root().clone());
        played.play_line(line).unwrap();
        let position = played.root();
        let uci = |san: &str| {
            let mut game = Game::from_position(position.clone());
            game.play_line(san).unwrap();
            game.moves()[0]
        };
        let answer = |(san, score): &(&str, Score)| Answer {
            best: uci(san),
            score: *score,
            wdl: None,
            depth: 1,
            seldepth: 1,
            nodes: 1,
            time: Duration::ZERO,
            pv: vec![uci(san)],
        };
        let answers: Vec<Answer> = moves.iter().map(answer).collect();
        let listed: Vec<_> = answers.iter().map(|answer| answer.best).collect();
        let rows = answers.iter().cloned().enumerate();
        let rows = rows.map(|(rank, answer)| NewAnswer {
            position: position.clone(),
            excluded: listed[..rank].to_vec(),
            answer,
            worker: None,
        });
        let rows: Vec<_> = rows.collect();
        store.keep(profile, &rows).unwrap();
        let node = growth.node_of(position);
        let list = answers.iter().map(|answer| (answer.best, Value::from(answer.score)));
        growth.admit(vec![(node, list.collect())]).unwrap();
    }
    growth.finish_pass(Vec::new()).unwrap();
    let mut rows = TreeRows::in_place_of(analysis, 0, grown_with.clone());
    assert!(rows.commit(&mut store, &mut growth, 0).unwrap());
}

fn start() -> Game {
    Game::from_start("startpos").unwrap()
}

/// The tree of the repertoire.
fn caro_kann() -> Place {
    let place = Place::new();
    let (game, set) = (start(), including(&start(), &LINES));
    direct(&place, &game, &set);
    let lists = lists();
    let lists: Vec<_> = lists.iter().map(|(line, list)| (*line, list.as_slice())).collect();
    keep(&place, &game, &set, &lists);
    place
}

const BLACK: [&str; 3] = ["audit", "--side", "black"];

fn text(place: &Place, args: &[&str]) -> Vec<String> {
    place.stdout(&[&BLACK, args].concat()).lines().map(str::to_owned).collect()
}

const SCORES: usize = 8;

#[test]
fn findings_are_told_in_words() {
    let place = caro_kann();
    let expected = [
        "root       rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "engine     Made up, engine depth 1",
        "distance   20 centipawns",
        "repertoire for Black: 22 positions",
        "own moves  11, 6 analysed, 2 lose against the best move; in one position there are several",
        "replies    15 of White's within the distance, 7 not prepared",
        "unreached  10 positions that the tree has not analysed yet",
        "line ends  1 line ends with 1 reply without an answer",
        "scores     in pawns, for the side that plays the move",
        "",
        " 1  own move: 1... c6 after 1. e4: -0.38, loses 0.13 against 1... c5 (-0.25)",
        " 2  own move: 3... Bf5 after 1. e4 c6 2. d4 d5 3. e5: -0.35, loses 0.12 against 3... c5 (-0.23)",
        " 3  not prepared: 4. Bd3 after 1. e4 c6 2. d4 d5 3. exd5 cxd5: +0.32, costs 0.12 against the best \
         prepared reply 4. c4 (+0.20); the tree answers 4... Nc6",
        " 4  not prepared: 3. f3 after 1. e4 c6 2. d4 d5: +0.38, costs 0.06 against the best prepared reply \
         3. exd5 (+0.32); the tree answers 3... e6",
        // 4. d4 has its answer behind another order of moves.
        " 5  not prepared: 4. Qa4+ after 1. e4 c6 2. c4 d5 3. exd5 cxd5: +0.25, costs 0.05 against the best \
         prepared reply 4. d4 (+0.20)",
        " 6  not prepared: 1. d4 at the root: +0.28, costs 0.03 against the best prepared reply 1. e4 (+0.25)",
        " 7  not prepared: 4. h4 after 1. e4 c6 2. d4 d5 3. e5 Bf5: +0.30, weaker by 0.05 than the best \
         prepared reply 4. Nf3 (+0.35)",
        " 8  not prepared: 2. Nc3 after 1. e4 c6: +0.30, weaker by 0.08 than the best prepared reply 2. d4 \
         (+0.38)",
        " 9  not reached yet: 1. e4 c6 2. c4",
        "10  not reached yet: 1. e4 c6 2. Nf3",
        "11  not reached yet: 1. e4 c6 2. c4 d5",
        "12  not reached yet: 1. e4 c6 2. Nf3 d5",
        "13  not reached yet: 1. e4 c6 2. c4 d5 3. exd5",
        "14  not reached yet: 1. e4 c6 2. d4 d5 3. Nc3",
        "15  not reached yet: 1. e4 c6 2. d4 d5 3. Nc3 dxe4",
        "16  not prepared: 4. dxc5 after 1. e4 c6 2. d4 d5 3. e5 c5: +0.23, no reply is prepared there",
        "17  not reached yet: 1. e4 c6 2. d4 d5 3. e5 Bf5 4. Nf3",
        "18  not reached yet: 1. e4 c6 2. d4 d5 3. exd5 cxd5 4. c4 Nf6",
        "19  not reached yet: 1. e4 c6 2. d4 d5 3. e5 Bf5 4. Nf3 e6",
    ];
    assert_eq!(text(&place, &["--pov", "mover", "--ends"]), expected);
    let without = text(&place, &["--pov", "mover"]);
    assert_eq!(without.len(), expected.len() - 1);
    assert!(without[7].ends_with("without an answer (--ends lists them)"), "{}", without[7]);
    assert!(without.iter().all(|line| !line.contains("no reply is prepared there")));
}

#[test]
fn audit_scores_either_side_without_small_losses() {
    let place = caro_kann();
    let told = text(&place, &["--losing", "12"]);
    assert_eq!(
        told[4],
        "own moves  11, 6 analysed, 1 loses more than 12 centipawns; in one position \
        there are several"
    );
    assert_eq!(told[SCORES], "scores     in pawns, for White");
    assert_eq!(
        told[10],
        " 1  own move: 1... c6 after 1. e4: +0.38, loses 0.13 against 1... c5 (+0.25)"
    );
    assert!(told[11].starts_with(" 2  not prepared: 4. Bd3 after"), "{}", told[11]);
    assert_eq!(told.len(), 27, "one less: {told:?}");
}

#[test]
fn the_other_side_has_findings_of_its_own() {
    let place = caro_kann();
    let told = place.stdout(&["audit", "--side", "white"]);
    assert!(told.contains("repertoire for White: 22 positions"), "{told}");
    assert!(told.contains("replies    7 of Black's within the distance, 3 not prepared"), "{told}");
    assert!(
        told.contains("own move: 3. exd5 after 1. e4 c6 2. d4 d5: +0.32, loses 0.06 against"),
        "{told}"
    );
}

#[test]
fn json_has_the_same_findings() {
    let place = caro_kann();
    let told = place.stdout(&[&BLACK[..], &["--format", "json"]].concat());
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let mut header = told.clone();
    let findings = header.as_object_mut().unwrap().remove("findings").unwrap();
    let expected = json!({
        "format": 1, "analysis": 1, "root": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "history": [], "engine": {"name": "Made up", "options": {}, "limit": {"depth": 1}}, "distance": 20,
        "widths": {"white": "20", "black": "20"}, "root_moves": 1,
        "side": "black", "most_lost": 0, "positions": 22, "ends": 0,
        "own_moves": {"all": 11, "with_value": 6, "losing": 2, "positions_with_several": 1},
        "replies": {"all": 15, "unprepared": 7}, "unreached": 10,
        "line_ends": {"positions": 1, "replies": 1},
    });
    assert_eq!(header, expected);
    let findings = findings.as_array().unwrap();
    assert_eq!(findings.len(), 19);
    assert_eq!(
        findings[1],
        json!({
            "kind": "loss", "line": ["e2e4", "c7c6", "d2d4", "d7d5", "e4e5"],
            "epd": "rnbqkbnr/pp2pppp/2p5/3pP3/3P4/8/PPP2PPP/RNBQKBNR b KQkq -",
            "uci": "c8f5", "san": "Bf5", "value": {"cp": -35},
            "against": {"uci": "c6c5", "san": "c5", "value": {"cp": -23}}, "cost": 12,
        })
    );
    assert_eq!(
        findings[2],
        json!({
            "kind": "unprepared", "line": ["e2e4", "c7c6", "d2d4", "d7d5", "e4d5", "c6d5"],
            "epd": "rnbqkbnr/pp2pppp/8/3p4/3P4/8/PPP2PPP/RNBQKBNR w KQkq -",
            "uci": "f1d3", "san": "Bd3", "value": {"cp": 32},
            "against": {"uci": "c2c4", "san": "c4", "value": {"cp": 20}},
            "answer": {"uci": "b8c6", "san": "Nc6"}, "cost": 12,
        })
    );
    assert_eq!(
        findings[8],
        json!({
            "kind": "unreached", "line": ["e2e4", "c7c6", "c2c4"],
            "epd": "rnbqkbnr/pp1ppppp/2p5/8/2P1P3/8/PP1P1PPP/RNBQKBNR b KQkq -",
        })
    );
    assert_eq!(
        findings[15],
        json!({
            "kind": "unprepared", "line": ["e2e4", "c7c6", "d2d4", "d7d5", "e4e5", "c6c5"],
            "epd": "rnbqkbnr/pp2pppp/8/2ppP3/3P4/8/PPP2PPP/RNBQKBNR w KQkq -",
            "uci": "d4c5", "san": "dxc5", "value": {"cp": 23},
        })
    );
}

#[test]
fn what_was_just_included_counts() {
    let place = caro_kann();
    let lines = [&LINES[..], &["e4 c6 d4 d5 exd5 cxd5 Bd3 Nc6"]].concat();
    direct(&place, &start(), &including(&start(), &lines));
    let told = text(&place, &[]);
    assert_eq!(
        told[3],
        "directives the tree was grown with other directives; the scores below take the \
        present ones into account. `deepanalyze grow` grows it again"
    );
    assert_eq!(told[4], "repertoire for Black: 24 positions");
    assert!(!told.iter().any(|line| line.contains("not prepared: 4. Bd3")), "{told:?}");
    assert!(
        told.iter().any(
            |line| line.ends_with("not reached yet: 1. e4 c6 2. d4 d5 3. exd5 cxd5 4. Bd3 Nc6")
        )
    );
    let json = place.stdout(&[&BLACK[..], &["--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["pending"], &json["positions"]), (&true.into(), &24.into()));
}

#[test]
fn without_a_repertoire_it_says_so() {
    let place = Place::new();
    keep(&place, &start(), &Directives::default(), &[("", &[("e4", cp(30))])]);
    let told = text(&place, &[]);
    let expected = [
        "",
        "no repertoire to check: no move is included at this position",
        "hint: `deepanalyze direct include --pgn FILE` reads one from a PGN file",
    ];
    assert_eq!(told[3..], expected);
}

#[test]
fn a_repertoire_without_a_finding_has_nothing_to_tell() {
    let (place, mut set) = (Place::new(), including(&start(), &["e4"]));
    let mut after = start();
    after.play_line("e4").unwrap();
    set.add(&PositionKey::of(start().root()), after.root(), Directive::Stop).unwrap();
    direct(&place, &start(), &set);
    keep(&place, &start(), &set, &[("", &[("e4", cp(30))])]);
    let told = place.stdout(&["audit", "--side", "white"]);
    assert!(told.contains("repertoire for White: 2 positions, one of them an end\n"), "{told}");
    assert!(
        told.ends_with("\nnothing found: every reply is prepared, and no own move loses\n"),
        "{told}"
    );
}

#[test]
fn long_lines_are_broken_behind_their_number() {
    let place = caro_kann();
    let store = Store::open_to_read(&place.db()).unwrap();
    let tree = load(&store, store.analyses().unwrap()[0].id).unwrap();
    let audit = audited(&tree, Color::Black, 0);
    let audited = Audited {
        tree: &tree,
        side: Color::Black,
        most_lost: 0,
        audit: &audit,
        games: None,
        ends: true,
    };
    let mut text = Vec::new();
    write_audit(&audited, PointOfView::Mover, Some(60), &mut text).unwrap();
    let text = anstream::adapter::strip_bytes(&text).into_vec();
    let text = String::from_utf8(text).unwrap();
    let expected = " 3  not prepared: 4. Bd3 after 1. e4 c6 2. d4 d5 3. exd5\n    \
        cxd5: +0.32, costs 0.12 against the best prepared reply\n    \
        4. c4 (+0.20); the tree answers 4... Nc6\n";
    assert!(text.contains(expected), "{text}");
    assert!(text.lines().skip(1).all(|line| line.chars().count() <= 60), "{text}");
}

#[test]
fn what_cannot_be_is_refused() {
    let place = caro_kann();
    for (args, code, message) in [
        (&["audit"][..], 2, "--side <SIDE>"),
        (&["audit", "--side", "red"], 2, "invalid value 'red'"),
        (&["audit", "--side", "black", "--losing", "-1"], 2, "'-1' for '--losing <CP>'"),
        (&["audit", "--side", "black", "--moves", "e4"], 1, "there is no analysis of"),
        (&["audit", "--side", "black", "-o", "tree.db"], 2, "--output names the database itself"),
    ] {
        let output = place.run(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        assert!(stderr(&output).contains(message), "{args:?}: {}", stderr(&output));
    }
}
