//! The adapter over real and mangled transcripts: nothing lost, nothing made up, no panic.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use deepanalyze_core::chess::{Score, parse_uci};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_engine::{EngineLine, ScoreBound, SearchInfo, read_line};
use proptest::prelude::*;

const TRANSCRIPTS: [(&str, &str); 6] = [
    ("Stockfish 15.1", include_str!("../transcripts/stockfish-15.1.txt")),
    ("Fairy-Stockfish 11.1 LB 64", include_str!("../transcripts/fairy-stockfish.txt")),
    ("Glaurung 2.2", include_str!("../transcripts/glaurung.txt")),
    ("Ethereal 12.00", include_str!("../transcripts/ethereal-12.txt")),
    ("Toga II 3.0", include_str!("../transcripts/toga-3.txt")),
    ("GNU Chess 6.2.7", include_str!("../transcripts/gnuchess-6.txt")),
];

/// Lines printed by engines.
fn printed() -> impl Iterator<Item = &'static str> {
    TRANSCRIPTS.into_iter().flat_map(|(_, text)| text.lines()).filter(|line| !line.starts_with('>'))
}

/// The word behind a key in the line.
fn behind<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let mut words = line.split_whitespace();
    words.find(|word| *word == key)?;
    words.next()
}

/// An info line's contents, parsed by other means than the adapter's.
fn expected(line: &str) -> SearchInfo {
    let number = |key| behind(line, key).map(|word| word.parse().unwrap());
    let score = behind(line, "cp")
        .map(|cp| Score::Cp(cp.parse().unwrap()))
        .or_else(|| behind(line, "mate").map(|n| Score::Mate(n.parse().unwrap())));
    let bound = match (line.contains(" lowerbound"), line.contains(" upperbound")) {
        (true, _) => ScoreBound::Lower,
        (_, true) => ScoreBound::Upper,
        _ => ScoreBound::Exact,
    };
    let pv = line.split_once(" pv ").map_or("", |(_, pv)| pv);
    let wdl = line.split_once(" wdl ").filter(|_| bound == ScoreBound::Exact).map(|(_, behind)| {
        let numbers: Vec<u16> =
            behind.split(' ').take(3).map(|word| word.parse().unwrap()).collect();
        WinDrawLoss::new(numbers[0], numbers[1], numbers[2]).unwrap()
    });
    SearchInfo {
        depth: number("depth"),
        seldepth: number("seldepth"),
        multipv: number("multipv"),
        score: score.map(|score| (score, bound)),
        wdl,
        nodes: behind(line, "nodes").map(|word| word.parse().unwrap()),
        pv: pv.split_whitespace().map(|word| parse_uci(word).unwrap()).collect(),
    }
}

#[test]
fn no_score_depth_node_or_move_of_a_real_line_is_lost() {
    let mut infos = 0;
    let mut bounds = 0;
    for line in printed().filter(|line| line.starts_with("info ")) {
        let expected = expected(line);
        match read_line(line) {
            EngineLine::Info(info) => {
                assert_eq!(info, expected, "{line}");
                infos += 1;
                bounds += usize::from(info.score.is_some() && info.exact().is_none());
            }
            EngineLine::Note(_) => assert!(line.starts_with("info string"), "{line}"),
            EngineLine::Other => assert_eq!(expected, SearchInfo::default(), "{line}"),
            other => panic!("{line}: {other:?}"),
        }
    }
    assert!(infos > 500 && bounds > 0, "{infos} info lines, {bounds} bounds");
}

#[test]
fn every_other_real_line_is_what_it_says() {
    let mut counts = [0; 4];
    for line in printed() {
        let seen = read_line(line);
        let first = line.split_whitespace().next().unwrap_or_default();
        match (first, &seen) {
            ("uciok", EngineLine::UciOk) => counts[0] += 1,
            ("readyok", EngineLine::ReadyOk) => counts[1] += 1,
            ("option", EngineLine::Option(_)) => counts[2] += 1,
            ("bestmove", EngineLine::BestMove { best, said }) => {
                assert_eq!(Some(said.as_str()), line.split_whitespace().nth(1));
                assert!(best.is_some(), "{line}");
                counts[3] += 1;
            }
            ("info", EngineLine::Info(_) | EngineLine::Note(_) | EngineLine::Other) => {}
            ("id", EngineLine::Name(name)) => assert_eq!(line, format!("id name {name}")),
            ("id", EngineLine::Other) => assert!(line.starts_with("id author"), "{line}"),
            (word, EngineLine::Other) => {
                let known = ["uciok", "readyok", "option", "bestmove", "info", "id"];
                assert!(!known.contains(&word), "{line}");
            }
            _ => panic!("{line}: {seen:?}"),
        }
    }
    assert_eq!(counts[0], TRANSCRIPTS.len());
    assert!(counts[1] > 40 && counts[2] > 100 && counts[3] > 40, "{counts:?}");
}

#[test]
fn names_are_read_from_every_handshake() {
    for (name, text) in TRANSCRIPTS {
        let names: Vec<EngineLine> = text
            .lines()
            .map(read_line)
            .filter(|line| matches!(line, EngineLine::Name(_)))
            .collect();
        assert_eq!(names, [EngineLine::Name(name.to_owned())]);
    }
}

fn info(line: &str) -> SearchInfo {
    match read_line(line) {
        EngineLine::Info(info) => info,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn what_vampirc_loses_or_panics_at_is_kept() {
    let wdl = info("info depth 10 score cp 48 wdl 77 922 1 lowerbound nodes 20024 pv e2e4");
    assert_eq!(wdl.score, Some((Score::Cp(48), ScoreBound::Lower)));
    assert_eq!((wdl.nodes, wdl.wdl), (Some(20024), None), "those of a bound are none of a score");
    for (said, right) in [
        ("cp 48 wdl 77 922 1", WinDrawLoss::new(77, 922, 1)),
        ("cp 48 wdl 333 333 333", WinDrawLoss::new(333, 333, 333)),
        ("mate 3 wdl 1000 0 0", Some(WinDrawLoss::WON)),
        ("cp 48 wdl 77 922", None),
        ("cp 48 wdl 77 922 -1", None),
        ("cp 48 wdl 77 822 1", None),
        ("cp 48 wdl 70000 1 1", None),
        ("cp 48 wdl", None),
    ] {
        let info = info(&format!("info depth 10 score {said} nodes 7 pv e2e4"));
        assert!(info.wdl == right && info.exact().is_some(), "{said}");
        assert_eq!((info.nodes, info.pv.len()), (Some(7), 1), "{said}");
    }
    let deep = info("info depth 300 seldepth 256 score mate 130 nodes 1234567890123 pv e2e4");
    assert_eq!((deep.depth, deep.seldepth), (Some(300), Some(256)));
    assert_eq!(deep.exact(), Some(Score::Mate(130)));
    assert_eq!(deep.nodes, Some(1_234_567_890_123));
    for odd in ["nps inf", "time -1", "foo bar", "currmovenumber 3", "depth"] {
        let line = format!("info {odd} score cp +34 nodes 7 pv e2e4 e7e5");
        let info = info(&line);
        assert_eq!(info.exact(), Some(Score::Cp(34)), "{line}");
        assert_eq!((info.nodes, info.pv.len()), (Some(7), 2), "{line}");
    }
    let promotion = info("info\tdepth  3   score mate -2  pv a7a8Q   ");
    assert_eq!(promotion.exact(), Some(Score::Mate(-2)));
    assert_eq!(promotion.pv, [parse_uci("a7a8q").unwrap()]);
}

#[test]
fn scores_are_clamped_on_both_sides_and_can_be_turned() {
    for (said, score, turned) in [
        ("cp -99999999999", Score::Cp(-31_000), Score::Cp(31_000)),
        ("cp 99999999999", Score::Cp(31_000), Score::Cp(-31_000)),
        ("cp 32700", Score::Cp(31_000), Score::Cp(-31_000)),
        ("mate -99999999999", Score::Mate(-499), Score::Mate(499)),
        ("mate 9999", Score::Mate(499), Score::Mate(-499)),
    ] {
        let read = info(&format!("info depth 1 score {said} pv e2e4")).exact().unwrap();
        assert_eq!((read, -read), (score, turned), "{said}");
    }
}

#[test]
fn words_of_a_string_are_no_score() {
    assert_eq!(
        read_line("info string score cp 7777 depth 99"),
        EngineLine::Note("score cp 7777 depth 99".to_owned())
    );
    assert_eq!(read_line("info string"), EngineLine::Note(String::new()));
    assert_eq!(read_line("info"), EngineLine::Other);
}

#[test]
fn first_words_are_matched_exactly() {
    for line in ["uciokay", "readyokay", "bestmovee e2e4", "infos depth 3", "", " ", "uci ok"] {
        assert_eq!(read_line(line), EngineLine::Other, "{line:?}");
    }
    assert_eq!(read_line(" uciok "), EngineLine::UciOk);
}

#[test]
fn a_bestmove_that_is_none_is_told_from_a_move() {
    for (line, best) in [
        ("bestmove e7e8Q ponder a1a2", Some("e7e8q")),
        ("bestmove (none)", None),
        ("bestmove 0000", None),
        ("bestmove NULL ponder (none)", None),
        ("bestmove", None),
        ("bestmove i9i9", None),
        ("bestmove Nf3", None),
    ] {
        let EngineLine::BestMove { best: found, .. } = read_line(line) else {
            panic!("{line}");
        };
        assert_eq!(found.map(|m| m.to_string()).as_deref(), best, "{line}");
    }
}

/// A real line with some of its words dropped, doubled, swapped or replaced.
fn mangled() -> impl Strategy<Value = String> {
    let lines: Vec<&str> = printed().filter(|line| line.len() > 6).collect();
    let junk = prop_oneof![
        Just("lowerbound".to_owned()),
        Just("upperbound".to_owned()),
        Just("wdl 1 2 3".to_owned()),
        Just("score cp".to_owned()),
        Just("score mate 200".to_owned()),
        Just("string".to_owned()),
        Just("pv".to_owned()),
        Just("depth 999".to_owned()),
        any::<i64>().prop_map(|n| n.to_string()),
        "[0-9]{10,30}",
        "\\PC{0,8}",
        any::<String>(),
    ];
    let edits = prop::collection::vec((0..5_usize, any::<prop::sample::Index>(), junk), 0..6);
    (prop::sample::select(lines), edits).prop_map(|(line, edits)| {
        let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        for (kind, at, junk) in edits {
            if words.is_empty() {
                break;
            }
            let at = at.index(words.len());
            match kind {
                0 => drop(words.remove(at)),
                1 => words.insert(at, words.get(at).cloned().unwrap_or_default()),
                2 => words.swap(at, 0),
                3 => words.insert(at, junk),
                _ => words.truncate(at),
            }
        }
        words.join(" ")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn mangled_lines_never_panic_nor_make_bounds_scores(line in mangled()) {
        if let EngineLine::Info(info) = read_line(&line) {
            let before_string = line
                .split_whitespace()
                .take_while(|word| *word != "string")
                .any(|word| word == "lowerbound" || word == "upperbound");
            prop_assert!(!before_string || info.exact().is_none(), "{line:?}: {info:?}");
            if info.exact().is_some() {
                prop_assert!(line.contains("score"), "{line:?}");
            }
        }
    }

    #[test]
    fn any_text_is_survived(line in any::<String>()) {
        read_line(&line);
        read_line(&format!("info {line}"));
        read_line(&format!("id {line}"));
        read_line(&format!("id name {line}"));
        read_line(&format!("option name {line}"));
        read_line(&format!("bestmove {line}"));
        read_line(&format!("info score {line}"));
    }
}
