//! Engines that ignore `searchmoves`, `MultiPV` or their limit, write moves in their own way, or
//! are given options they do not take.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]
#![allow(clippy::panic, reason = "helpers of tests")]

use crate::support::pool::{START, ask, close, collect, hanging, search, settings, unique_name};
use crate::support::program::{Place, stderr};
use crate::support::scripted;
use deepanalyze_core::search::{Limit, Search};
use deepanalyze_engine::Pool;

/// The end of every notice of the change.
const WITH_MULTIPV: &str = "using MultiPV from now on";

/// Results for the first ranks of the starting position's list.
struct Listed {
    /// Moves and scores.
    list: Vec<String>,
    /// The faults of each rank.
    faults: Vec<Vec<String>>,
    notices: Vec<String>,
    /// The engines' input.
    sent: String,
}

/// The first moves and scores of the starting position's list, by an engine without faults, and its
/// input.
fn list(flags: &[&str], ranks: usize) -> (Vec<String>, String) {
    let listed = list_whatever_happens(flags, ranks);
    assert!(listed.faults.iter().all(Vec::is_empty), "{:?}", listed.faults);
    (listed.list, listed.sent)
}

/// The list by an engine that may fail. Its processes are counted.
fn list_whatever_happens(flags: &[&str], ranks: usize) -> Listed {
    let dir = tempfile::tempdir().unwrap();
    let (transcript, starts) = (dir.path().join("sent"), dir.path().join("starts"));
    let name = unique_name();
    let files = ["--transcript", transcript.to_str().unwrap()];
    let files = [&files[..], &["--starts", starts.to_str().unwrap()]].concat();
    let mut pool = Pool::start(&hanging(&name, &[flags, &files].concat(), 3000)).unwrap();
    let mut listed = search(START, &[]);
    let (mut list, mut faults, mut notices) = (Vec::new(), Vec::new(), Vec::new());
    let said = |text: String| text.replace(&name, "S");
    for _ in 0..ranks {
        let outcome = ask(&mut pool, listed.clone());
        let answer = outcome.answer();
        list.push(format!("{} {}", answer.best, answer.score));
        listed.excluded.push(answer.best);
        faults.push(outcome.faults.iter().map(|fault| said(fault.to_string())).collect());
        notices.extend(outcome.notices.iter().map(|notice| said(notice.to_string())));
    }
    close(pool, &name);
    let sent = std::fs::read_to_string(&transcript).unwrap();
    Listed { list, faults, notices, sent }
}

#[test]
fn ignored_searchmoves_fall_back_to_multipv() {
    let (right, _) = list(&[], 6);
    let listed = list_whatever_happens(&["--no-searchmoves"], 6);
    assert_eq!((&listed.list, listed.faults.concat()), (&right, Vec::new()));
    let best = right[0].split(' ').next().unwrap();
    let expected = format!(
        "engine \"S\" answered the excluded move {best} to go depth 8: it ignores \
         searchmoves; {WITH_MULTIPV}"
    );
    assert_eq!(listed.notices, [expected]);
    let sent = listed.sent;
    // Noticed once, at the first alternative; never tried again.
    assert_eq!(sent.matches("searchmoves").count(), 1, "{sent}");
    assert!(sent.contains("> setoption name MultiPV value 6\n"), "{sent}");
    assert!(sent.ends_with("> go depth 8\n> quit\n"), "{sent}");
}

#[test]
fn multipv_takes_the_move_of_the_line_not_bestmove() {
    let (right, _) = list(&[], 4);
    let (got, _) = list(&["--no-searchmoves", "--contradict"], 4);
    assert_eq!(got, right);
}

#[test]
fn multipv_is_set_back_for_a_plain_search() {
    let dir = tempfile::tempdir().unwrap();
    let transcript = dir.path().join("sent");
    let name = unique_name();
    let flags = ["--no-searchmoves", "--transcript", transcript.to_str().unwrap()];
    let mut pool = Pool::start(&settings(&name, &flags)).unwrap();
    let best = ask(&mut pool, search(START, &[])).answer().best.to_string();
    ask(&mut pool, search(START, &[&best]));
    ask(&mut pool, search(START, &[]));
    close(pool, &name);
    let sent = std::fs::read_to_string(&transcript).unwrap();
    let back = "> setoption name MultiPV value 1\n> ucinewgame\n> isready\n";
    assert!(sent.contains(back), "{sent}");
}

#[test]
fn no_searchmoves_or_multipv_fails_at_first_other() {
    for (max, why) in [("0", "it offers no MultiPV"), ("1", "it offers no MultiPV")] {
        let name = unique_name();
        let flags = ["--no-searchmoves", "--max-multipv", max];
        let mut pool = Pool::start(&settings(&name, &flags)).unwrap();
        let best = ask(&mut pool, search(START, &[])).answer().best.to_string();
        let outcome = ask(&mut pool, search(START, &[&best]));
        let expected = format!(
            "engine {name:?} cannot search alternatives: it ignores searchmoves, and {why}"
        );
        assert_eq!(outcome.error(), expected);
        assert_eq!(outcome.faults, []);
        assert_eq!(outcome.notices, [], "there is no other way to tell of");
        // The engine still serves the rest.
        assert_eq!(ask(&mut pool, search(START, &[])).faults, []);
        close(pool, &name);
    }
}

#[test]
fn too_small_multipv_is_reported_when_reached() {
    let name = unique_name();
    let flags = ["--no-searchmoves", "--max-multipv", "3"];
    let mut pool = Pool::start(&settings(&name, &flags)).unwrap();
    let mut listed = search(START, &[]);
    for _ in 0..3 {
        let best = ask(&mut pool, listed.clone()).answer().best;
        listed.excluded.push(best);
    }
    let error = ask(&mut pool, listed).error();
    assert!(error.contains("its MultiPV ends at 3 where 4 lines are needed"), "{error}");
    close(pool, &name);
}

#[test]
fn excluded_move_after_obeying_once_is_a_lie() {
    let name = unique_name();
    let flags = ["--fault", "excluded:go=3"];
    let mut pool = Pool::start(&settings(&name, &flags)).unwrap();
    let mut listed = search(START, &[]);
    for faults in [0, 0, 1] {
        let outcome = ask(&mut pool, listed.clone());
        assert_eq!(outcome.faults.len(), faults);
        listed.excluded.push(outcome.answer().best);
        if let Some(fault) = outcome.faults.first() {
            assert!(fault.to_string().contains("answered the excluded move"), "{fault}");
        }
    }
    close(pool, &name);
}

#[test]
fn second_excluded_move_switches_to_multipv() {
    let (right, _) = list(&[], 4);
    let listed = list_whatever_happens(&["--fault", "excluded:rank=2"], 4);
    assert_eq!(listed.list, right);
    let faults: Vec<usize> = listed.faults.iter().map(Vec::len).collect();
    assert_eq!(faults, [0, 0, 1, 0]);
    let [notice] = listed.notices.as_slice() else { panic!("{:?}", listed.notices) };
    assert!(notice.starts_with("engine \"S\" answered the excluded move "), "{notice}");
    let end = format!(" to go depth 8: it ignores searchmoves; {WITH_MULTIPV}");
    assert!(notice.ends_with(&end), "{notice}");
}

/// The engine may lack a processor, or its connection: any search can hang.
#[test]
fn one_hang_does_not_switch_to_multipv() {
    let (right, _) = list(&[], 4);
    let listed = list_whatever_happens(&["--fault", "hang:rank=1,start=1"], 4);
    assert_eq!(listed.list, right);
    let faults: Vec<usize> = listed.faults.iter().map(Vec::len).collect();
    assert_eq!(faults, [0, 1, 0, 0]);
    assert!(!listed.sent.contains("MultiPV"), "{}", listed.sent);
    assert_eq!(listed.sent.matches("searchmoves").count(), 4, "{}", listed.sent);
    assert_eq!(listed.notices, [""; 0]);
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn hangs_after_obeying_never_switch_to_multipv() {
    let dir = tempfile::tempdir().unwrap();
    let transcript = dir.path().join("sent");
    let name = unique_name();
    let flags = ["--fault", "hang:rank=2", "--transcript", transcript.to_str().unwrap()];
    let mut pool = Pool::start(&hanging(&name, &flags, 1500)).unwrap();
    assert_eq!(ask(&mut pool, search(START, &["e2e4"])).faults, []);
    let outcome = ask(&mut pool, search(START, &["e2e4", "d2d4"]));
    assert!(outcome.error().contains("failed 3 times"), "{}", outcome.error());
    assert_eq!(outcome.notices, []);
    close(pool, &name);
    let sent = std::fs::read_to_string(&transcript).unwrap();
    assert!(!sent.contains("MultiPV"), "{sent}");
}

/// Some engines that do not know `searchmoves` never answer it. Two of three attempts show that;
/// the third uses `MultiPV`.
#[test]
fn unanswered_searchmoves_switch_to_multipv() {
    let (right, _) = list(&[], 4);
    let hangs = ["hang:rank=1", "hang:rank=2", "hang:rank=3"];
    let flags: Vec<&str> = hangs.iter().flat_map(|fault| ["--fault", fault]).collect();
    let listed = list_whatever_happens(&flags, 4);
    assert_eq!(listed.list, right);
    let faults: Vec<usize> = listed.faults.iter().map(Vec::len).collect();
    assert_eq!(faults, [0, 2, 0, 0]);
    let expected =
        format!("engine \"S\" hung on searchmoves twice and answered with MultiPV; {WITH_MULTIPV}");
    assert_eq!(listed.notices, [expected]);
    assert_eq!(listed.sent.matches("searchmoves").count(), 2, "{}", listed.sent);
}

/// Two engines: the third attempt at a search that hung twice is under way with `MultiPV` when the
/// other engine answers `searchmoves`.
#[test]
fn multipv_answer_is_dropped_after_searchmoves_work() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (sent, struck, gate) = (path("sent"), path("struck"), path("gate"));
    let epd = START.strip_suffix(" 0 1").unwrap();
    let faults = [format!("hang:epd={epd},rank=1,most=2"), format!("held:epd={epd},rank=0")];
    let flags = ["--fault", &faults[0], "--fault", &faults[1], "--struck", &struck];
    let name = unique_name();
    let flags = [&flags[..], &["--transcript", &sent, "--gate", &gate]].concat();
    let mut options = hanging(&name, &flags, 1500);
    options.sources[0].engines = 2;
    let mut pool = Pool::start(&options).unwrap();
    pool.submit(1, search(START, &["e2e4"]));
    let read = || std::fs::read_to_string(&sent).unwrap_or_default();
    crate::support::wait_until("an attempt with MultiPV", || {
        let text = read();
        let behind = text.split_once("> setoption name MultiPV value 2\n");
        behind.is_some_and(|(_, behind)| behind.contains("> go depth 8\n"))
    });
    pool.submit(2, search("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", &["e2e4"]));
    let other = collect(&pool, 1).remove(&2).expect("the other search is answered first");
    assert!(other.result.is_ok(), "{other:?}");
    std::fs::write(&gate, "").unwrap();
    let outcome = collect(&pool, 1).remove(&1).unwrap();
    assert_ne!(outcome.answer().best.to_string(), "e2e4");
    assert_eq!((outcome.notices, other.notices), (vec![], vec![]));
    close(pool, &name);
    let sent = read();
    assert_eq!(sent.matches("MultiPV value 2").count(), 1, "{sent}");
    assert!(sent.contains("> setoption name MultiPV value 1\n"), "{sent}");
    assert_eq!(sent.matches("searchmoves").count(), 4, "two hung, one of the other, one kept");
}

#[test]
fn hangs_with_too_few_lines_give_up() {
    for most in ["0", "1"] {
        let name = unique_name();
        let flags = ["--fault", "hang:rank=1", "--max-multipv", most];
        let mut pool = Pool::start(&hanging(&name, &flags, 300)).unwrap();
        let outcome = ask(&mut pool, search(START, &["e2e4"]));
        assert!(outcome.error().contains("failed 3 times"), "{}", outcome.error());
        assert!(outcome.error().contains("hangs during go depth 8"), "{}", outcome.error());
        assert_eq!(outcome.notices, []);
        close(pool, &name);
    }
}

#[test]
fn run_prints_the_switch_to_multipv() {
    let place = Place::new();
    let engine = scripted(&["--no-searchmoves"]);
    let always = ["grow", "--engine", &engine, "--engine-depth", "5", "--engines", "3"];
    let output = place.run(&[&always[..], &["--depth", "2"]].concat());
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("warning: engine \"Scripted 1\" answered the excluded move "), "{said}");
    assert_eq!(said.matches(WITH_MULTIPV).count(), 1, "{said}");
}

#[test]
fn promotions_in_upper_case_are_understood() {
    let name = unique_name();
    let mut pool = Pool::start(&settings(&name, &["--upper-case"])).unwrap();
    let others = ["a1a2", "a1b1", "a1b2"];
    let outcome = ask(&mut pool, search("8/5P1k/8/8/8/8/8/K7 w - - 0 1", &others));
    let best = outcome.answer().best.to_string();
    assert!(best.len() == 5 && best.starts_with("f7f8"), "{best}");
    assert_eq!(outcome.answer().pv[0].to_string(), best);
    close(pool, &name);
}

#[test]
fn castling_is_written_as_the_kings_move_of_two() {
    let name = unique_name();
    let mut pool = Pool::start(&settings(&name, &[])).unwrap();
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let mut all = search(fen, &[]);
    let legal = deepanalyze_core::chess::legal_uci(&all.position);
    all.excluded = legal.into_iter().filter(|m| m.to_string() != "e1g1").collect();
    assert_eq!(ask(&mut pool, all).answer().best.to_string(), "e1g1");
    close(pool, &name);
}

#[test]
fn an_engine_that_ignores_its_node_limit_is_refused() {
    for (asked, reported) in [(5_000, "900000"), (100_000, "6")] {
        let name = unique_name();
        let mut options = settings(&name, &["--report-nodes", reported]);
        options.limit = Limit::Nodes(asked);
        let mut pool = Pool::start(&options).unwrap();
        let outcome = ask(&mut pool, search(START, &[]));
        if asked == 100_000 {
            // Six nodes at depth 9 are no sign of a mate or a dead draw.
            assert!(outcome.error().contains("reports 6 nodes"), "{:?}", outcome);
        }
        let expected = format!(
            "engine {name:?} ignores `go nodes {asked}`: it reports {reported} nodes; use a depth \
             limit with this engine"
        );
        assert_eq!(outcome.error(), expected);
        assert_eq!(outcome.faults, []);
        close(pool, &name);
    }
}

#[test]
fn a_mate_may_end_a_node_limit_early() {
    let name = unique_name();
    let mut options = settings(&name, &["--report-nodes", "30"]);
    options.limit = Limit::Nodes(100_000);
    let mut pool = Pool::start(&options).unwrap();
    let outcome = ask(&mut pool, search("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", &[]));
    assert_eq!(outcome.answer().nodes, 30);
    close(pool, &name);
}

/// Starts the scripted engine with options.
fn with_options(options: &[(&str, &str)]) -> Result<Pool, String> {
    let name = unique_name();
    let mut settings =
        settings(&name, &["--option-line", "option name Skill Level type spin min 0 max 20"]);
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    settings.options = options.iter().map(owned).collect();
    Pool::start(&settings).map_err(|e| e.to_string().replace(&name, "S"))
}

#[test]
fn options_use_engine_spelling_and_enter_profile() {
    let pool = with_options(&[
        ("hash", "064"),
        ("STYLE", "variety show"),
        ("threads", "2"),
        ("skill level", "3"),
        ("ownbook", "TRUE"),
        ("clear hash", ""),
        ("Eval File", "a net with blanks.nnue"),
        ("Hash", "128"),
    ])
    .unwrap();
    let set: Vec<String> =
        pool.profile().options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(
        set,
        [
            "Clear Hash=",
            "Eval File=a net with blanks.nnue",
            "Hash=128",
            "OwnBook=true",
            "Skill Level=3",
            "Style=Variety Show",
            "Threads=2",
        ]
    );
    assert_eq!(pool.profile().limit, Limit::Depth(8));
}

#[test]
fn own_settings_are_no_part_of_the_profile() {
    assert!(with_options(&[]).unwrap().profile().options.is_empty());
}

#[test]
fn an_option_that_is_wrong_is_named() {
    for (option, error) in [
        (("Hashh", "16"), "engine \"S\" has no option \"Hashh\""),
        (
            ("Hash", "4096"),
            "engine \"S\" takes a number from 1 to 1024 for option \"Hash\", not \"4096\"",
        ),
        (
            ("hash", "big"),
            "engine \"S\" takes a number from 1 to 1024 for option \"Hash\", not \"big\"",
        ),
        (("OwnBook", "no"), "engine \"S\" takes true or false for option \"OwnBook\", not \"no\""),
        (
            ("Style", "Wild"),
            "engine \"S\" takes one of Solid, Normal, Variety Show for option \"Style\", not \"Wild\"",
        ),
        (("Clear Hash", "now"), "engine \"S\" takes no value for its button \"Clear Hash\""),
        (
            ("Eval File", "a\nquit"),
            "engine \"S\" takes one line for option \"Eval File\", not \"a\\nquit\"",
        ),
        (
            ("multipv", "3"),
            "engine \"S\" cannot be given option \"MultiPV\": the program sets it itself where it must",
        ),
        (
            ("UCI_Chess960", "true"),
            "engine \"S\" cannot be given option \"UCI_Chess960\": the program sets it itself where it must",
        ),
    ] {
        assert_eq!(with_options(&[option]).unwrap_err(), error);
    }
}

/// The scripted engine ends if the option does not fit the position.
#[test]
fn chess960_is_switched_on_and_off_by_position() {
    let name = unique_name();
    let transcript = tempfile::NamedTempFile::new().unwrap();
    let flags = ["--transcript", transcript.path().to_str().unwrap()];
    let mut pool = Pool::start(&settings(&name, &flags)).unwrap();
    let chess960 = "4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1";
    for (fen, excluded) in
        [(START, [].as_slice()), (chess960, &[]), (chess960, &["f1h1"]), (START, &["e2e4"])]
    {
        let asked = search(fen, excluded);
        let answer = ask(&mut pool, asked.clone());
        assert!(asked.allowed().contains(&answer.answer().best));
    }
    assert!(pool.profile().options.is_empty(), "it is no choice of the user's");
    close(pool, &name);
    let sent = std::fs::read_to_string(transcript.path()).unwrap();
    let switched: Vec<&str> =
        sent.lines().filter_map(|line| line.split("UCI_Chess960 value ").nth(1)).collect();
    assert_eq!(switched, ["true", "false"], "{sent}");
    assert_eq!(sent.matches("position fen 4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1").count(), 2);
    assert!(sent.contains(" f1b1") && !sent.contains("f1h1"), "{sent}");
}

#[test]
fn no_chess960_refuses_only_such_positions() {
    let name = unique_name();
    let mut pool = Pool::start(&settings(&name, &["--no-chess960"])).unwrap();
    ask(&mut pool, search(START, &[])).answer();
    let error = ask(&mut pool, search("4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1", &[])).error();
    let why = "has no option \"UCI_Chess960\": it cannot search positions of Chess960";
    assert_eq!(error, format!("engine {name:?} {why}"));
    ask(&mut pool, search(START, &[])).answer();
    close(pool, &name);
}

#[test]
fn nameless_engine_is_called_after_its_program() {
    let pool = Pool::start(&settings("", &[])).unwrap();
    assert!(pool.profile().engine.contains("scripted_engine"), "{pool:?}");
}

#[test]
fn moves_listed_in_any_order_are_left_out() {
    let name = unique_name();
    let mut pool = Pool::start(&settings(&name, &[])).unwrap();
    let legal = deepanalyze_core::chess::legal_uci(&search(START, &[]).position);
    let mut shuffled = legal.clone();
    shuffled.rotate_left(7);
    let last = shuffled.pop().unwrap();
    let only = Search { position: search(START, &[]).position, excluded: shuffled };
    assert_eq!(ask(&mut pool, only).answer().best, last);
    close(pool, &name);
}
