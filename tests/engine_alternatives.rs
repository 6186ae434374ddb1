//! Engines that ignore `searchmoves`, `MultiPV` or their limit, write moves in their own way, or are
//! given options they do not take.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod support;

use std::time::Duration;

use deepanalyze::engine::Pool;
use deepanalyze::search::{Limit, Search};
use support::pool::{START, ask, close, search, settings, unique_name};

/// The first moves and scores of the starting position's list, by an engine with these flags, and
/// what it was sent.
fn list(flags: &[&str], ranks: usize) -> (Vec<String>, String) {
    let dir = tempfile::tempdir().unwrap();
    let transcript = dir.path().join("sent");
    let name = unique_name();
    let flags = [flags, &["--transcript", transcript.to_str().unwrap()]].concat();
    let mut pool = Pool::start(&settings(&name, &flags)).unwrap();
    let mut listed = search(START, &[]);
    let mut list = Vec::new();
    for _ in 0..ranks {
        let outcome = ask(&mut pool, listed.clone());
        assert_eq!(outcome.faults, []);
        let answer = outcome.answer();
        list.push(format!("{} {}", answer.best, answer.score));
        listed.excluded.push(answer.best);
    }
    close(pool, &name);
    (list, std::fs::read_to_string(&transcript).unwrap())
}

#[test]
fn an_engine_that_ignores_searchmoves_is_asked_for_several_lines() {
    let (right, _) = list(&[], 6);
    let (got, sent) = list(&["--no-searchmoves"], 6);
    assert_eq!(got, right);
    // Noticed once, at the first alternative; never tried again.
    assert_eq!(sent.matches("searchmoves").count(), 1, "{sent}");
    assert!(sent.contains("> setoption name MultiPV value 6\n"), "{sent}");
    assert!(sent.ends_with("> go depth 8\n> quit\n"), "{sent}");
}

#[test]
fn with_several_lines_the_move_is_that_of_the_line_and_not_bestmove() {
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
fn an_engine_with_neither_searchmoves_nor_multipv_is_named_at_the_first_alternative() {
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
        // The engine still serves what it can.
        assert_eq!(ask(&mut pool, search(START, &[])).faults, []);
        close(pool, &name);
    }
}

#[test]
fn an_engine_whose_multipv_is_too_small_is_named_when_it_is() {
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
fn an_engine_that_obeyed_once_and_then_gives_an_excluded_move_lies() {
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
fn an_engine_that_never_answers_searchmoves_is_asked_for_several_lines() {
    let dir = tempfile::tempdir().unwrap();
    let transcript = dir.path().join("sent");
    let name = unique_name();
    let flags = ["--fault", "hang:rank=1", "--transcript", transcript.to_str().unwrap()];
    let mut pool = Pool::start(&settings(&name, &flags)).unwrap();
    let best = ask(&mut pool, search(START, &[])).answer().best.to_string();
    let outcome = ask(&mut pool, search(START, &[&best]));
    assert_eq!(outcome.faults.len(), 1);
    assert_ne!(outcome.answer().best.to_string(), best);
    close(pool, &name);
    let sent = std::fs::read_to_string(&transcript).unwrap();
    assert!(sent.contains("> setoption name MultiPV value 2\n"), "{sent}");
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
    let legal = deepanalyze::chess::legal_uci(&all.position);
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
fn options_take_the_engines_spelling_and_are_part_of_the_profile() {
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
fn what_the_program_sets_by_itself_is_no_part_of_the_profile() {
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
            "engine \"S\" cannot be given option \"UCI_Chess960\": the program writes castling as e1g1",
        ),
    ] {
        assert_eq!(with_options(&[option]).unwrap_err(), error);
    }
}

#[test]
fn an_engine_without_a_name_is_called_after_its_program() {
    let mut settings = settings("", &[]);
    settings.hang.startup = Duration::from_secs(2);
    let pool = Pool::start(&settings).unwrap();
    assert!(pool.profile().engine.contains("scripted_engine"), "{pool:?}");
}

#[test]
fn moves_listed_in_any_order_are_left_out() {
    let name = unique_name();
    let mut pool = Pool::start(&settings(&name, &[])).unwrap();
    let legal = deepanalyze::chess::legal_uci(&search(START, &[]).position);
    let mut shuffled = legal.clone();
    shuffled.rotate_left(7);
    let last = shuffled.pop().unwrap();
    let only = Search { position: search(START, &[]).position, excluded: shuffled };
    assert_eq!(ask(&mut pool, only).answer().best, last);
    close(pool, &name);
}
