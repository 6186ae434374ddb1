//! Choices among real engines' lines.

use super::*;

use crate::uci::{exceeds, falls_short};
use crate::{EngineLine, read_line};
use deepanalyze_core::chess::parse_fen;
use deepanalyze_core::search::Limit;

const STOCKFISH: &str = include_str!("../../../../../tests/transcripts/stockfish-15.1.txt");
const FAIRY: &str = include_str!("../../../../../tests/transcripts/fairy-stockfish.txt");
const GLAURUNG: &str = include_str!("../../../../../tests/transcripts/glaurung.txt");
const ETHEREAL: &str = include_str!("../../../../../tests/transcripts/ethereal-12.txt");
const TOGA: &str = include_str!("../../../../../tests/transcripts/toga-3.txt");
const GNU: &str = include_str!("../../../../../tests/transcripts/gnuchess-6.txt");

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN2Q/1p2P3/2N5/PPPBBPPP/R3K2R w KQkq - 0 1";

fn search(fen: &str, excluded: &[&str]) -> Search {
    Search {
        position: parse_fen(fen).unwrap(),
        excluded: excluded.iter().map(|m| m.parse().unwrap()).collect(),
    }
}

/// The choice among lines, the last of which is `bestmove`.
fn choose<'a>(
    search: &Search,
    lines: usize,
    printed: impl Iterator<Item = &'a str>,
) -> Result<Answer, NoAnswer> {
    let mut choice = PrintedLines::new(search, lines);
    for line in printed {
        match read_line(line) {
            EngineLine::Info(info) => choice.add(info),
            EngineLine::BestMove { best, said } => {
                return choice.answer(best, &said, Duration::ZERO);
            }
            _ => {}
        }
    }
    panic!("no bestmove")
}

/// Output after the n-th `go` of a transcript, from 0.
fn after_go(transcript: &str, n: usize) -> impl Iterator<Item = &str> {
    let part = transcript.split("\n> go ").nth(n + 1).unwrap();
    part.lines().skip(1)
}

/// Move, score, depth.
fn short(answer: &Answer) -> String {
    format!("{} {} {}", answer.best, answer.score, answer.depth)
}

#[test]
fn plain_search_answers_bestmove_and_last_exact_score() {
    let start = Search { position: shakmaty::Chess::default(), excluded: Vec::new() };
    for (transcript, expected) in
        [(ETHEREAL, ["d2d4 +0.20 7", "h5f3 -3.08 7"]), (FAIRY, ["d2d4 +1.09 7", "h5f3 -4.32 7"])]
    {
        for (n, (search, expected)) in
            [&start, &search(KIWIPETE, &[])].into_iter().zip(expected).enumerate()
        {
            let answer = choose(search, 1, after_go(transcript, n)).unwrap();
            assert_eq!(short(&answer), expected);
            assert_eq!(answer.pv.first(), Some(&answer.best));
            assert!(answer.nodes > 0 && answer.seldepth > 0);
        }
    }
    for transcript in [STOCKFISH, GLAURUNG, TOGA, GNU] {
        for n in 0..2 {
            let search = [&start, &search(KIWIPETE, &[])][n].clone();
            let answer = choose(&search, 1, after_go(transcript, n)).unwrap();
            assert!(matches!(answer.score, Score::Cp(_)), "{answer:?}");
            assert_eq!(answer.depth, 7);
        }
    }
}

#[test]
fn last_exact_score_stands_if_stockfish_changes_move() {
    // Its last lines: depth 9 exact 31 with g1f3, depth 10 lowerbound with e2e4.
    let start = Search { position: shakmaty::Chess::default(), excluded: Vec::new() };
    let answer = choose(&start, 1, after_go(STOCKFISH, 7)).unwrap();
    assert_eq!(short(&answer), "e2e4 +0.31 9");
    assert_eq!(answer.pv, ["e2e4".parse().unwrap()]);
    assert_eq!(answer.nodes, 20_024);
}

#[test]
fn win_draw_and_loss_belong_to_the_chosen_score() {
    let lines = [
        "info depth 5 score cp 40 wdl 100 850 50 pv e2e4",
        "info depth 6 score cp 30 wdl 80 860 60 nodes 9 pv e2e4",
        "info depth 7 score cp 90 wdl 500 500 0 lowerbound pv d2d4",
        "bestmove d2d4",
    ];
    let start = Search { position: shakmaty::Chess::default(), excluded: Vec::new() };
    let said = |lines: &[&str]| choose(&start, 1, lines.iter().copied()).unwrap().wdl;
    assert_eq!(said(&lines), WinDrawLoss::new(80, 860, 60));
    let without = ["info depth 8 score cp 20 pv d2d4", "bestmove d2d4"];
    assert_eq!(said(&[&lines[..3], &without].concat()), None, "never with another score");
    let stockfish = choose(&search(KIWIPETE, &[]), 1, after_go(STOCKFISH, 6)).unwrap();
    assert_eq!(stockfish.wdl, WinDrawLoss::new(0, 1, 999));
}

#[test]
fn glaurungs_multipv_bestmove_is_not_its_best_line() {
    let printed = || after_go(GLAURUNG, 5);
    assert!(printed().any(|line| line.starts_with("bestmove h5g5")));
    for (excluded, expected) in [
        (&["a2a3", "a2a4"][..], "h5f3 -3.17 6"),
        (&["h5f3", "a2a4"], "e5g6 -3.33 6"),
        (&["e5g6", "h5f3"], "h5g5 -4.37 6"),
    ] {
        let search = search(KIWIPETE, excluded);
        let answer = choose(&search, 3, printed()).unwrap();
        assert_eq!(short(&answer), expected);
    }
}

#[test]
fn multipv_is_read_from_the_last_complete_iteration() {
    for (transcript, expected) in
        [(ETHEREAL, "e5g6 -5.08 6"), (TOGA, "e5g6 -3.30 6"), (STOCKFISH, "e5g6 -3.42 6")]
    {
        let search = search(KIWIPETE, &["h5f3", "h5g5"]);
        let answer = choose(&search, 3, after_go(transcript, 5)).unwrap();
        assert_eq!(short(&answer), expected);
    }
}

#[test]
fn incomplete_iteration_yields_to_the_one_before() {
    let lines = [
        "info depth 5 multipv 1 score cp 40 pv e2e4",
        "info depth 5 multipv 2 score cp 30 pv d2d4",
        "info depth 6 multipv 1 score cp 44 pv d2d4",
        // Repeated from the iteration before, at another place.
        "info depth 5 multipv 2 score cp 40 pv e2e4",
        "bestmove d2d4",
    ];
    let start = search("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &["e2e4"]);
    let answer = choose(&start, 2, lines.into_iter()).unwrap();
    assert_eq!(short(&answer), "d2d4 +0.30 5");
    let bounds = lines.map(|line| line.replace(" pv", " upperbound pv"));
    let none = choose(&start, 2, bounds.iter().map(String::as_str));
    let what = "no complete list of 2 lines".to_owned();
    assert_eq!(none, Err(NoAnswer::Lie(what)));
}

#[test]
fn engine_ignoring_searchmoves_gives_excluded_move() {
    // `go depth 6 searchmoves e2e4 a2a3`
    let mut only = search("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &[]);
    only.excluded = deepanalyze_core::chess::legal_uci(&only.position);
    only.excluded.retain(|m| !["e2e4", "a2a3"].contains(&m.to_string().as_str()));
    for (transcript, obeys) in [
        (STOCKFISH, true),
        (FAIRY, true),
        (GLAURUNG, true),
        (ETHEREAL, false),
        (TOGA, false),
        (GNU, false),
    ] {
        let answer = choose(&only, 1, after_go(transcript, 4));
        let name = transcript.lines().find(|line| line.starts_with("id name"));
        match answer {
            Ok(answer) => assert!(obeys && answer.best.to_string() == "e2e4", "{name:?}"),
            Err(NoAnswer::Excluded(_)) => assert!(!obeys, "{name:?}"),
            Err(lie) => panic!("{name:?}: {lie:?}"),
        }
    }
}

#[test]
fn node_limit_tolerates_coarse_real_engines() {
    let nodes = Limit::Nodes(20_000);
    // Glaurung looks every 30,000 nodes; Toga and GNU Chess never.
    assert!(!exceeds(nodes, 33_993));
    assert!(exceeds(nodes, 2_440_000));
    assert!(!exceeds(Limit::Depth(5), u64::MAX));
    let start = Search { position: shakmaty::Chess::default(), excluded: Vec::new() };
    let ethereal = choose(&start, 1, after_go(ETHEREAL, 7)).unwrap();
    assert_eq!(ethereal.nodes, 6);
    assert!(falls_short(nodes, &ethereal, 20));
    let stockfish = choose(&start, 1, after_go(STOCKFISH, 7)).unwrap();
    assert!(!falls_short(nodes, &stockfish, 20));
}
