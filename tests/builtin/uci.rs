//! The built-in engine behind its UCI loop, as used by a GUI.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::{Duration, Instant};

use super::driver::Engine;

fn is_sorted_by_rank(lines: &[String]) -> bool {
    let scores: Vec<i32> =
        lines.iter().map(|line| after(line, "cp").unwrap().parse().unwrap()).collect();
    scores.is_sorted_by(|a, b| a >= b)
}

fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let mut words = line.split_whitespace();
    words.find(|&found| found == word)?;
    words.next()
}

#[test]
fn it_names_itself_and_its_options() {
    let mut engine = Engine::start();
    let lines = engine.ask(&["uci"], "uciok");
    let (version, signature) = (env!("CARGO_PKG_VERSION"), deepanalyze_builtin::bench::SIGNATURE);
    assert_eq!(lines[0], format!("id name deepanalyze {version} ({signature})"));
    assert!(lines.iter().any(|line| line.starts_with("option name MultiPV type spin")));
    engine.ask(&["isready"], "readyok");
    engine.end();
}

#[test]
fn cleared_engine_repeats_its_answer() {
    let mut engine = Engine::start();
    let game = "position startpos moves e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4";
    for go in ["go depth 9", "go nodes 20000", "go depth 7 searchmoves g8f6 e7e5 a7a6"] {
        let mut answers = Vec::new();
        for noise in ["position startpos moves d2d4", "position startpos"] {
            engine.ask(&[noise, "go depth 6"], "bestmove");
            let lines = engine.ask(&["ucinewgame", game, go], "bestmove");
            let info = &lines[lines.len() - 2];
            let facts = ["score", "cp", "nodes", "pv", "seldepth"].map(|word| after(info, word));
            answers.push(format!("{} {facts:?}", lines.last().unwrap()));
        }
        assert_eq!(answers[0], answers[1], "{go}");
    }
    engine.end();
}

#[test]
fn several_threads_answer_and_one_is_as_before() {
    let mut engine = Engine::start();
    let ask = ["ucinewgame", "position startpos moves e2e4 c7c5", "go depth 8"];
    let told = |lines: &[String]| {
        let info = &lines[lines.len() - 2];
        ["depth", "cp", "nodes", "pv"].map(|word| after(info, word).map(str::to_owned))
    };
    let alone = told(&engine.ask(&ask, "bestmove"));
    engine.say("setoption name Threads value 4");
    let together = told(&engine.ask(&ask, "bestmove"));
    assert_eq!(together[0], alone[0]);
    engine.ask(&["position startpos", "go infinite", "isready"], "readyok");
    engine.ask(&["stop"], "bestmove");
    engine.say("setoption name Threads value 1");
    assert_eq!(told(&engine.ask(&ask, "bestmove")), alone);
    engine.end();
}

#[test]
fn nodes_are_counted_to_the_last() {
    let mut engine = Engine::start();
    for nodes in ["1", "2", "57", "5000"] {
        engine.say("position startpos moves e2e4");
        let lines = engine.ask(&[&format!("go nodes {nodes}")], "bestmove");
        assert_eq!(after(&lines[lines.len() - 2], "nodes"), Some(nodes));
        assert!(lines.last().unwrap().len() >= "bestmove e7e5".len());
    }
    engine.end();
}

/// A search stopped before it has any score reports the static one, never a mate.
#[test]
fn a_search_of_next_to_nothing_invents_no_mate() {
    let mut engine = Engine::start();
    for nodes in 0..5 {
        engine.say("ucinewgame");
        engine.say("position startpos");
        engine.say(&format!("go nodes {nodes}"));
        let lines = engine.until("bestmove");
        let scores: Vec<_> = lines.iter().filter_map(|line| after(line, "score")).collect();
        assert!(!scores.is_empty() && scores.iter().all(|score| *score == "cp"), "{lines:?}");
    }
}

#[test]
fn several_lines_are_told_best_first() {
    let mut engine = Engine::start();
    engine.say("setoption name MultiPV value 4");
    engine.say("position startpos");
    let lines = engine.ask(&["go depth 7"], "bestmove");
    let last = &lines[lines.len() - 5..lines.len() - 1];
    for (rank, line) in last.iter().enumerate() {
        assert_eq!(after(line, "multipv"), Some((rank + 1).to_string().as_str()));
        assert_eq!(after(line, "depth"), Some("7"));
    }
    assert!(is_sorted_by_rank(last));
    assert_eq!(after(&last[0], "pv"), after(lines.last().unwrap(), "bestmove"));
    engine.end();
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let mut engine = Engine::start();
    engine.say("position startpos");
    let lines = engine.ask(&["go searchmoves a2a3 h2h3 depth 6"], "bestmove");
    for line in lines.iter().filter(|line| line.starts_with("info depth")) {
        assert!(["a2a3", "h2h3"].contains(&after(line, "pv").unwrap()));
    }
    engine.end();
}

/// Asserts that something takes less than `most` milliseconds. A busy machine may be late any
/// number of times, but not always.
fn is_once(most: u64, mut take: impl FnMut() -> Duration) {
    let times: Vec<Duration> =
        (0..40).map(|_| take()).take_while(|time| *time >= Duration::from_millis(most)).collect();
    assert!(times.len() < 40, "never within {most} ms: {times:?}");
}

#[test]
fn it_stops_within_milliseconds_at_any_moment() {
    let mut engine = Engine::start();
    engine.say("position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    for wait in [0, 1, 5, 20, 60, 150] {
        is_once(50, || {
            engine.say("go infinite");
            std::thread::sleep(Duration::from_millis(wait));
            let asked = Instant::now();
            engine.ask(&["stop"], "bestmove");
            asked.elapsed()
        });
    }
    engine.end();
}

#[test]
fn second_go_ends_first_and_early_end_ends_all() {
    let mut engine = Engine::start();
    engine.say("go infinite");
    engine.say("go depth 4");
    engine.until("bestmove");
    engine.until("bestmove");
    engine.say("go infinite");
    engine.end();
}

#[test]
fn pondering_waits_for_the_move() {
    let mut engine = Engine::start();
    engine.say("position startpos moves e2e4 e7e5");
    engine.say("go ponder wtime 1000 btime 1000 movestogo 30");
    std::thread::sleep(Duration::from_millis(200));
    engine.ask(&["isready"], "readyok");
    assert!(engine.lines.try_iter().all(|line| !line.starts_with("bestmove")));
    engine.ask(&["ponderhit"], "bestmove");
    engine.say("go ponder depth 1");
    std::thread::sleep(Duration::from_millis(50));
    engine.ask(&["stop"], "bestmove");
    engine.end();
}

#[test]
fn time_is_kept() {
    let mut engine = Engine::start();
    engine.say("position startpos");
    for (go, most) in [
        ("go movetime 100", 400),
        ("go wtime 300 btime 1", 500),
        ("go wtime 1 btime 1", 300),
        ("go movetime 0", 300),
        ("go wtime -40 btime 5", 300),
    ] {
        is_once(most, || {
            let start = Instant::now();
            engine.ask(&[go], "bestmove");
            start.elapsed()
        });
    }
    engine.end();
}

#[test]
fn finished_games_have_no_move() {
    let mut engine = Engine::start();
    for (fen, score) in
        [("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "mate 0"), ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", "cp 0")]
    {
        engine.say(&format!("position fen {fen}"));
        let lines = engine.ask(&["go depth 5"], "bestmove");
        assert_eq!(lines, [format!("info depth 0 score {score}"), "bestmove (none)".to_owned()]);
    }
    engine.end();
}

#[test]
fn bad_input_is_answered_and_changes_nothing() {
    let mut engine = Engine::start();
    engine.say("position startpos moves e2e4");
    for line in [
        "setoption name Hash value lots",
        "setoption name Nothing value 1",
        "setoption value 3",
        "setoption name BookFile value /no/such/file",
    ] {
        let lines = engine.ask(&[line], "info string");
        assert_eq!(lines.len(), 1, "{line}");
    }
    engine.say("xyzzy");
    engine.say("");
    let lines = engine.ask(&["go depth 3"], "bestmove");
    let best = after(lines.last().unwrap(), "bestmove").unwrap();
    assert!(best.ends_with(['5', '6']), "black is to move: {best}");
    engine.end();
}

#[test]
fn every_go_is_answered_once_whatever_its_limits() {
    let mut engine = Engine::start();
    engine.say("position startpos");
    for (go, told) in [
        ("go wtime 100.5 btime 100", ""),
        ("go depth many", "go depth needs a number, not \"many\""),
        ("go movetime", "go movetime needs a number"),
        ("go depth 2 xyzzy", "go does not know \"xyzzy\""),
        ("go depth 2 searchmoves e2e5 e2e4", "\"e2e5\" is not legal here"),
        ("go depth 2 searchmoves", "go searchmoves names no legal move"),
    ] {
        let lines = engine.ask(&[go], "bestmove");
        let notes: Vec<&String> = lines.iter().filter(|line| line.contains("string")).collect();
        assert_eq!(notes.is_empty(), told.is_empty(), "{go}: {notes:?}");
        assert!(told.is_empty() || notes[0].contains(told), "{go}: {notes:?}");
        assert!(after(lines.last().unwrap(), "bestmove").is_some_and(|best| best != "(none)"));
        let lines = engine.ask(&["isready"], "readyok");
        assert_eq!(lines, ["readyok"], "{go}: one answer");
    }
    engine.end();
}

#[test]
fn bad_position_is_not_searched_nor_the_last_one() {
    let mut engine = Engine::start();
    for (line, fault) in [
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "the board is empty"),
        ("position fen 4k3/8/8/8/8/8/8/4K4 w - - 0 1", "rank 1 (4K4) has 9 squares"),
        ("position startpos moves e2e4 e2e4", "move 2 of the position"),
        ("position", "needs startpos or fen"),
    ] {
        engine.say("position startpos moves e2e4");
        assert!(engine.ask(&[line], "info string")[0].contains(fault), "{line}");
        let lines = engine.ask(&["go depth 3"], "bestmove");
        assert!(lines[0].starts_with("info string") && lines[0].contains(fault), "{lines:?}");
        assert_eq!(lines[1..], ["bestmove 0000"], "{line}");
    }
    let lines = engine.ask(&["position startpos", "go depth 1"], "bestmove");
    assert_ne!(lines.last().unwrap(), "bestmove 0000");
    engine.end();
}

#[test]
fn win_draw_and_loss_are_told_on_request() {
    let mut engine = Engine::start();
    engine.say("setoption name UCI_ShowWDL value true");
    engine.say("position fen 4k3/8/8/8/8/8/PPPP4/RNBQK3 w Q - 0 1");
    let lines = engine.ask(&["go depth 3"], "bestmove");
    let win: i32 = after(&lines[0], "wdl").unwrap().parse().unwrap();
    assert!(win > 900);
    engine.end();
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

const WORDS: [&str; 61] = [
    "uci",
    "isready",
    "ucinewgame",
    "setoption",
    "name",
    "value",
    "position",
    "startpos",
    "fen",
    "moves",
    "go",
    "depth",
    "nodes",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "mate",
    "infinite",
    "ponder",
    "searchmoves",
    "stop",
    "ponderhit",
    "e2e4",
    "e7e5",
    "a7a8q",
    "e1g1",
    "0000",
    "e2e9",
    "MultiPV",
    "Ponder",
    "Quiescence",
    "QuiescenceDepth",
    "Speculation",
    "SelectiveCandidateLimit",
    "SelectiveDepth",
    "ForcedDepth",
    "AspirationWindow",
    "Clear",
    "OwnBook",
    "BookFile",
    "UCI_ShowWDL",
    "true",
    "false",
    "0",
    "1",
    "2",
    "3",
    "-1",
    "256",
    "99999999999999999999",
    "w",
    "b",
    "-",
    "KQkq",
    "8/8/8/8/8/8/8/K1k5",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R",
    "\u{fffd}\u{1f40e}",
];

const LINES: [&str; 10] = [
    "position startpos moves e2e4 e7e5 g1f3 b8c6",
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 99 1 moves e2e3",
    "go depth 2",
    "go nodes 300",
    "go mate 2",
    "go wtime 5 btime 5 winc 1 binc 1",
    "setoption name MultiPV value 3",
    "setoption name SelectiveDepth value 7",
    "setoption name Speculation value false",
];

/// A line of known words, or a good line with bytes changed, cut or doubled.
fn mangled(random: &mut Random) -> Vec<u8> {
    if random.below(3) == 0 {
        let count = random.below(9);
        let words: Vec<&str> = (0..count).map(|_| WORDS[random.below(WORDS.len())]).collect();
        return words.join([" ", "  ", "\t"][random.below(3)]).into_bytes();
    }
    let mut line = LINES[random.below(LINES.len())].as_bytes().to_vec();
    for _ in 0..random.below(4) {
        let at = random.below(line.len().max(1)).min(line.len().saturating_sub(1));
        match random.below(4) {
            _ if line.is_empty() => break,
            0 => line[at] = random.below(256) as u8,
            1 => line.truncate(at),
            2 => line.insert(at, random.below(256) as u8),
            _ => line.extend(line.clone()),
        }
    }
    line.retain(|&byte| byte != b'\n');
    line
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn thousands_of_mangled_lines_do_no_harm() {
    let mut engine = Engine::start();
    let mut random = Random(0x1234_5678_9abc_def1);
    for round in 0..200 {
        for _ in 0..100 {
            let line = mangled(&mut random);
            let text = String::from_utf8_lossy(&line).to_lowercase();
            // Tables of gigabytes, and leaving, are not tested here.
            if !text.contains("hash") && !text.contains("quit") {
                engine.say_bytes(&line);
            }
        }
        engine.ask(&["stop", "isready"], "readyok");
        if round % 20 == 0 {
            engine.say("position startpos");
            engine.say("go depth 1");
            engine.say("stop");
            engine.until("bestmove");
        }
    }
    engine.end();
}
