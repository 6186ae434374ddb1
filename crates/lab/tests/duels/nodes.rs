//! Equal nodes: by scripted engines, stopped and gone on, and bad input.

use std::path::Path;
use std::process::{Output, Stdio};

use deepanalyze_core::chess::parse_fen;

use super::{Kind, judged, result, synthetic};
use crate::support::program::{Place, asked, full, signal, stderr, wait, wait_for_searches};
use crate::support::{deepanalyze, scripted};

const EPD: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - id \"Italian\";\n\
    rnbqkb1r/pp2pppp/2pp1n2/8/2PP4/8/PP1NPPPP/R1BQKBNR w KQkq - 0 4\n\
    # a remark\n\
    8/8/4k3/8/8/3K4/8/8 w - - id \"bare kings\";\n\
    4k3/3pp3/8/8/8/8/3PP3/4K3 w - - id \"pawns\";\n\
    8/5k2/8/8/3R4/8/2r5/1K6 b - - id \"rooks\";\n";

/// The judge's scale: another seed, so that it disagrees with the arms.
const JUDGE: synthetic::Scale = synthetic::Scale { seed: 77, spread: 60, noise: 40 };

fn player(log: &Path, flags: &[&str]) -> String {
    let mut all = vec!["--log", log.to_str().unwrap(), "--name", "Player", "--noise", "30"];
    all.extend_from_slice(flags);
    scripted(&all)
}

fn judge(log: &Path) -> String {
    let log = log.to_str().unwrap();
    scripted(&["--log", log, "--name", "Judge", "--seed", "77", "--noise", "40"])
}

const NODES: Kind = Kind { epd: EPD, arguments };

const TREES: [&str; 4] = [
    "engine-depth=5 distance=30",
    "engine-depth=5 distance=15 hash=kept",
    "engine-depth=4 distance=10 hash=kept closing=1/3",
    "engine-depth=5 distance=15 closing=1/2",
];

/// The arguments of a duel of 60,000 nodes: some 40 searches of a tree.
fn arguments(place: &Place, log: &str, flags: &[&str], more: &[&str]) -> Vec<String> {
    let (player_log, judge_log) = (place.path(log), place.path(&format!("{log}-judge")));
    let (player, judge) = (player(&player_log, flags), judge(&judge_log));
    let mut args = vec!["duel", "--epd", "suite.epd", "--engine", &player, "--nodes", "60000"];
    args.extend(["--judge", &judge, "--judge-nodes", "1200000", "--margin", "8"]);
    for tree in TREES {
        args.extend(["--tree", tree]);
    }
    args.extend(["--json", "duel.json"]);
    args.extend_from_slice(more);
    args.into_iter().map(str::to_owned).collect()
}

/// The answers in the database.
fn answers(place: &Place) -> i64 {
    let db = rusqlite::Connection::open(place.db()).unwrap();
    db.query_row("SELECT count(*) FROM search", [], |row| row.get(0)).unwrap()
}

#[test]
fn results_and_losses_follow_from_the_judges_scores() {
    let place = NODES.place();
    let (_, json) = NODES.result(&place, "log", &[], &["--judge-all"]);
    let positions = json["positions"].as_array().unwrap();
    assert_eq!(positions.len(), 4, "the finished position is left out");
    let ids: Vec<&str> = positions.iter().map(|p| p["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["Italian", "line 2", "pawns", "rooks"]);
    let (mut decided, mut counts) = (0, vec![[0_u64; 4]; TREES.len()]);
    for position in positions {
        let fen = position["fen"].as_str().unwrap();
        let root = parse_fen(fen).unwrap();
        let player = synthetic::Scale { seed: 1, spread: 60, noise: 30 };
        let first = synthetic::scored_moves(&root, player)[0].0.to_string();
        let search = position["search"]["uci"].as_str().unwrap();
        assert_eq!(search, first, "one search takes the engine's best");
        let own = synthetic::scored_moves(&root, JUDGE)[0].0.to_string();
        assert_eq!(position["judges_move"].as_str().unwrap(), own);
        let best_own = judged(fen, &own, JUDGE);
        for (index, tree) in position["trees"].as_array().unwrap().iter().enumerate() {
            assert_eq!(tree["first_choice"].as_str().unwrap(), first);
            let tree_move = tree["uci"].as_str().unwrap();
            let (a, b) = (judged(fen, search, JUDGE), judged(fen, tree_move, JUDGE));
            let expected = match b - a {
                _ if search == tree_move => "agreed",
                9.. => "won",
                -8..=8 => "drawn",
                _ => "lost",
            };
            assert_eq!(tree["result"].as_str().unwrap(), expected, "{fen} {tree_move}");
            assert_eq!(tree["search_loss"].as_i64().unwrap(), best_own - a);
            assert_eq!(tree["tree_loss"].as_i64().unwrap(), best_own - b);
            decided += usize::from(expected == "won" || expected == "lost");
            let place = ["agreed", "won", "drawn", "lost"].iter().position(|r| *r == expected);
            counts[index][place.unwrap()] += 1;
        }
    }
    assert!(decided >= 3, "too few differences to prove anything: {counts:?}");
    for (setting, counts) in json["settings"].as_array().unwrap().iter().zip(counts) {
        let told = ["agreed", "won", "drawn", "lost"].map(|key| setting[key].as_u64().unwrap());
        assert_eq!(told, counts);
    }
}

#[test]
fn tree_makes_the_searches_of_grow_in_their_order() {
    let place = Place::new();
    let root = "4k3/3pp3/8/8/8/8/3PP3/4K3 w - -";
    std::fs::write(place.path("suite.epd"), root).unwrap();
    let engine = player(&place.path("log"), &[]);
    let judge = judge(&place.path("judge"));
    let duel = ["duel", "--epd", "suite.epd", "--engine", &engine, "--nodes", "60000", "--judge"];
    let tree = [&judge, "--judge-nodes", "9", "--tree", "engine-depth=5 distance=30"];
    place.stdout(&[&duel[..], &tree].concat());
    let mut of_duel = asked(&place.path("log"));
    assert_eq!(of_duel.remove(0).1, 0, "the long search");

    let grown = Place::new();
    let engine = player(&grown.path("log"), &[]);
    let args = ["grow", "--engine", &engine, "--engine-depth", "5", "--distance", "30"];
    let one = ["--engines", "1", "--no-look-ahead", "--max-nodes", "70000", "--root", root];
    let output = deepanalyze(&grown, &[&args[..], &one, &["--depth", "50"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let of_grow = asked(&grown.path("log"));
    assert!(of_duel.len() > 30 && of_grow.len() >= of_duel.len(), "{}", of_duel.len());
    assert_eq!(of_duel[..], of_grow[..of_duel.len()]);
}

#[test]
fn finished_duel_repeats_without_a_search() {
    NODES.repeats(&[], 200);
}

#[test]
fn killed_duel_gives_the_same_bytes() {
    NODES.survives_kills(&["--engines", "2"], 25, 13, 4);
}

/// The searches that an engine process was told to make since it was last told to forget, after
/// every line of its transcript.
fn since_cleared(transcript: &str) -> Vec<Vec<String>> {
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut position = String::new();
    for line in transcript.lines().map(|line| line.trim_start_matches('>').trim()) {
        if line == "uci" || line == "ucinewgame" {
            lines.push(Vec::new());
        } else if line.starts_with("position") {
            position = line.to_owned();
        } else if line.starts_with("go ") {
            lines.last_mut().unwrap().push(format!("{position} {line}"));
        }
    }
    lines
}

/// The duel of one position with a tree on a kept hash.
fn kept(place: &Place, log: &str, flags: &[&str]) -> (Output, Vec<Vec<String>>) {
    let (log, transcript) = (place.path(log), place.path(&format!("{log}-transcript")));
    let mut all = vec!["--transcript", transcript.to_str().unwrap()];
    all.extend_from_slice(flags);
    let (engine, judge) = (player(&log, &all), judge(&place.path("judge")));
    let start = ["duel", "--epd", "one.epd", "--engine", &engine, "--nodes", "40000", "--tree"];
    let tree = "engine-depth=4 distance=10 hash=kept closing=1/2";
    let rest = [tree, "--judge", &judge, "--judge-nodes", "99", "--json", "duel.json"];
    let output = place.run(&[&start[..], &rest].concat());
    (output, since_cleared(&std::fs::read_to_string(transcript).unwrap_or_default()))
}

#[test]
fn resumed_tree_on_a_kept_hash_repeats_its_searches() {
    let place = Place::new();
    std::fs::write(place.path("one.epd"), EPD.lines().next().unwrap()).unwrap();
    let (output, told) = kept(&place, "first", &[]);
    let right = result(&place, &output);
    let whole = told.last().unwrap().clone();
    assert!(whole.len() > 12, "{}", whole.len());
    assert!(whole.last().unwrap().contains("go nodes "), "the closing search comes last");
    // As if the run had been killed before these answers were kept.
    place.sql(
        "DELETE FROM answer WHERE profile IN (SELECT id FROM profile
            WHERE options LIKE '%keep-hash%' AND (limit_kind = 'nodes' OR position > 30))",
    );
    let (output, told) = kept(&place, "second", &[]);
    assert_eq!(result(&place, &output), right);
    assert_eq!(told.last().unwrap(), &whole, "searches 1 to the last, on an empty hash");
    assert_eq!(told.iter().filter(|line| !line.is_empty()).count(), 1);
}

#[test]
fn engine_dying_on_a_kept_hash_begins_the_tree_again() {
    let place = Place::new();
    std::fs::write(place.path("one.epd"), EPD.lines().next().unwrap()).unwrap();
    let right = kept(&place, "right", &[]);
    let other = Place::new();
    std::fs::write(other.path("one.epd"), EPD.lines().next().unwrap()).unwrap();
    let starts = other.path("starts");
    let starts = starts.to_str().unwrap();
    let dies = ["--starts", starts, "--fault", "die:go=9,start=1", "--fault", "die:go=12,start=2"];
    let (output, told) = kept(&other, "dies", &dies);
    assert_eq!(stderr(&output).matches("trying again").count(), 2, "{}", stderr(&output));
    assert_eq!(result(&other, &output), result(&place, &right.0));
    assert_eq!(told.last(), right.1.last(), "all of the tree's searches on one hash");
    let always = Place::new();
    std::fs::write(always.path("one.epd"), EPD.lines().next().unwrap()).unwrap();
    let starts = always.path("starts");
    let starts = starts.to_str().unwrap();
    let (output, _) = kept(&always, "dies", &["--starts", starts, "--fault", "die:go=9"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("error: engine \"Player\" failed again and again"));
}

#[test]
fn interrupt_ends_a_duel_with_a_hint_and_no_loss() {
    let place = NODES.place();
    let args = arguments(&place, "log", &["--delay-ms", "20"], &["--engines", "1"]);
    let mut command = place.command(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let mut child = command.spawn().unwrap();
    assert!(wait_for_searches(&mut child, &place.path("log"), 12));
    signal(i64::from(child.id()), "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("interrupted: every answer is kept"), "{}", stderr(&output));
    assert!(output.stdout.is_empty() && !place.path("duel.json").exists());
    assert!(answers(&place) >= 11, "{}", answers(&place));
    assert!(crate::support::left_behind(place.path("log").to_str().unwrap()).is_empty());
}

#[test]
fn senseless_duel_is_refused_and_makes_nothing() {
    let place = NODES.place();
    std::fs::write(place.path("bad.epd"), "4k3/8/8/8/8/8/4P3/4K3 w - -\n1. e4 e5\n").unwrap();
    std::fs::write(place.path("none.epd"), "# nothing\n8/8/4k3/8/8/3K4/8/8 w - -\n").unwrap();
    let engine = scripted(&[]);
    let mute = scripted(&["--report-nodes", "0"]);
    let base = ["--judge", &engine, "--engine", &engine];
    let tree = ["--tree", "engine-depth=5"];
    let good =
        [&["--epd", "suite.epd", "--nodes", "900", "--judge-nodes", "9"], &tree[..]].concat();
    let with = |more: &[&'static str]| [&good[..], more].concat();
    let on = |file: &'static str| {
        [&["--epd", file, "--nodes", "900", "--judge-nodes", "9"], &tree[..]].concat()
    };
    for (args, status, words) in [
        (on("bad.epd"), 2, "bad.epd, line 2: FEN \"1. e4 e5\" has 3 fields, not 4 or 6"),
        (on("none.epd"), 2, "none.epd has no position to play from"),
        (on("missing.epd"), 1, "cannot read missing.epd: No such file"),
        (with(&["--positions", "5"]), 2, "suite.epd has 4 positions, not 5"),
        (with(&["--positions", "0"]), 2, "'0' for '--positions <N>'"),
        (with(&["--tree", "depth=9"]), 2, "there is no setting \"depth\""),
        (with(&["--margin", "-1"]), 2, "'-1' for '--margin <CP>'"),
        (with(&["--option", "Hash"]), 2, "expected NAME=VALUE"),
        (with(&["--option", "Colour=blue"]), 1, "Colour"),
        (with(&["--judge-option", "Colour=blue"]), 1, "Colour"),
        (with(&["-o", "suite.epd"]), 2, "--output names the EPD file itself"),
        (with(&["-o", "tree.db"]), 2, "--output names the database itself"),
        (with(&["--json", "tree.db-wal"]), 2, "--json names a file of the database"),
        (with(&["--json", "nowhere/duel.json"]), 2, "no folder nowhere"),
        (good[..6].to_vec(), 2, "--tree <SETTING>"),
        ([&["--epd", "suite.epd", "--nodes", "0"], &tree[..]].concat(), 2, "'0' for '--nodes <N>'"),
    ] {
        let output = place.run(&[&["duel"], &base[..], &args].concat());
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
        assert!(said.contains(words), "{args:?}: {said}");
        assert_eq!(said.matches("error:").count(), 1, "{args:?}: {said}");
        assert!(!place.db().exists(), "{args:?} made a database");
    }
    let silent = ["duel", "--judge", &engine, "--engine", &mute];
    let output = place.run(&[&silent[..], &good].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("reports no nodes"), "{}", stderr(&output));
    let no_engine = ["duel", "--judge", "no-such-engine", "--engine", &engine];
    let output = place.run(&[&no_engine[..], &good].concat());
    assert!(stderr(&output).contains("cannot start engine \"no-such-engine\""));
}

#[test]
fn what_is_left_out_and_who_judges_is_said() {
    let place = NODES.place();
    let engine = scripted(&["--name", "Same \u{1b}[31m"]);
    let args = ["duel", "--epd", "suite.epd", "--engine", &engine, "--judge", &engine];
    let more = ["--nodes", "5000", "--judge-nodes", "100000", "--tree", "engine-depth=5"];
    let output = place.run(&[&args[..], &more].concat());
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(text.contains("left out  line 4: the game is over: insufficient material"), "{text}");
    assert!(text.contains("20 times an arm's"), "{text}");
    assert!(text.contains("the arms' own engine: it may share their errors"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(!text.contains("sees little more"), "{text}");
    assert!(stderr(&output).contains("left out: suite.epd, line 4: the game is over"));
    let less = ["--nodes", "5000", "--judge-nodes", "99999", "--tree", "engine-depth=5"];
    let text = place.stdout(&[&args[..], &less].concat());
    assert!(text.contains("sees little more: give it 20 times an arm's nodes"), "{text}");
}

#[test]
fn many_settings_have_marks_and_share_one_table() {
    let place = NODES.place();
    let engine = scripted(&["--name", "Player", "--noise", "30"]);
    let judge = judge(&place.path("judge"));
    let mut args = vec!["duel", "--epd", "suite.epd", "--engine", &engine, "--judge", &judge];
    args.extend(["--nodes", "30000", "--judge-nodes", "600000"]);
    for distance in ["engine-depth=5 distance=10", "engine-depth=5 distance=30"] {
        args.extend(["--tree", distance]);
    }
    let few = place.stdout(&args);
    assert!(few.contains("one search        A                 B\n"), "{few}");
    for distance in ["engine-depth=5 distance=0", "engine-depth=6", "engine-depth=7"] {
        args.extend(["--tree", distance]);
    }
    let many = place.stdout(&args);
    assert!(many.contains("  ABCDE\n"), "{many}");
    assert!(many.lines().last().unwrap().ends_with("engine-depth=7 distance=10 hash=cleared"));
    let row = many.lines().find(|line| line.starts_with("Italian")).unwrap();
    let marks = row.split_whitespace().last().unwrap();
    assert!(marks.len() == 5 && marks.chars().all(|mark| "=+~-".contains(mark)), "{row}");
    assert!(many.contains("    same   won drawn  lost"), "{many}");
    let single = place.stdout(&args[..13]);
    assert!(!single.contains("    same   won drawn"), "{single}");
}

/// If real engines are asked for: a kept hash is the same hash after a stop, or the answers would
/// differ.
#[test]
fn stockfish_answers_alike_after_a_stop_on_kept_hash() {
    if std::env::var_os("DEEPANALYZE_REAL_ENGINE").is_none_or(|value| value != "1") {
        println!("skipped: DEEPANALYZE_REAL_ENGINE is not 1");
        return;
    }
    let place = Place::new();
    std::fs::write(place.path("one.epd"), EPD.lines().next().unwrap()).unwrap();
    let args =
        ["duel", "--epd", "one.epd", "--engine", "stockfish", "--nodes", "200000", "--judge"];
    let tree = ["stockfish", "--judge-nodes", "60000", "--json", "duel.json", "--tree"];
    let args = [&args[..], &tree, &["engine-depth=7 hash=kept closing=1/2"]].concat();
    let right = result(&place, &place.run(&args));
    let made = answers(&place);
    place.sql(
        "DELETE FROM answer WHERE profile IN (SELECT id FROM profile
            WHERE options LIKE '%keep-hash%' AND (limit_kind = 'nodes' OR position > 1))",
    );
    assert!(answers(&place) + 4 < made && answers(&place) > 3, "{made}");
    assert_eq!(result(&place, &place.run(&args)), right);
}

/// The work goes on with standard error unread.
#[test]
fn duel_ends_with_its_result_if_stderr_is_full() {
    let place = Place::new();
    std::fs::write(place.path("suite.epd"), "8/8/4k3/8/8/4K3/4P3/8 w - -\n").unwrap();
    let engine = scripted(&[]);
    let engines = ["duel", "--epd", "suite.epd", "--engine", &engine, "--judge", &engine];
    let rest = ["--nodes", "3000", "--judge-nodes", "20000", "--tree", "engine-depth=3"];
    let mut command = place.command(&[&engines[..], &rest, &["--json", "duel.json"]].concat());
    let (full, _reader) = full();
    let mut child = command.stdout(Stdio::null()).stderr(full).spawn().unwrap();
    assert_eq!(wait(&mut child).code(), Some(0));
    assert!(place.path("duel.json").exists());
}
