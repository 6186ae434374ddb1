//! Mates, draws by rule, and the book, through the search itself.

#![allow(clippy::unwrap_used)]

use std::sync::atomic::Ordering;

use deepanalyze_builtin::board::Board;
use deepanalyze_builtin::options::Options;
use deepanalyze_builtin::score::{MATE, MATE_BOUND};
use deepanalyze_builtin::search::{self, Memory, SearchResult, Silent, Task};
use deepanalyze_builtin::time::{Limits, Signals};
use deepanalyze_core::chess::{Game, parse_fen};

fn ask(memory: &mut Memory, board: Board, earlier: Vec<u64>, limits: Limits) -> SearchResult {
    let task = Task { board, earlier, limits };
    memory.clear();
    let options = Options::default();
    search::think(memory, &options, &task, &Signals::default(), &mut Silent)
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn suite_mates(most: i32) -> Vec<(String, i32)> {
    include_str!("../suites/mates2000.epd")
        .lines()
        .filter_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let at = fields.iter().position(|&field| field == "dm")?;
            let moves: i32 = fields.get(at + 1)?.trim_end_matches(';').parse().ok()?;
            let fen = fields.get(..4)?.join(" ");
            (moves > 0 && moves <= most).then_some((fen, moves))
        })
        .collect()
}

#[test]
fn mate_search_finds_the_suites_short_mates() {
    let mut memory = Memory::new(4);
    let mates = suite_mates(4);
    assert!(mates.len() > 20);
    for (fen, moves) in mates {
        let Ok(position) = parse_fen(&fen) else {
            continue;
        };
        let limits = Limits { mate: Some(moves as u32), ..Limits::default() };
        let answer = ask(&mut memory, Board::new(&position), Vec::new(), limits);
        assert_eq!(answer.score, MATE - 2 * moves + 1, "{fen} {moves}");
    }
}

#[test]
fn plain_search_mates_in_two_full_half_in_three() {
    let mut memory = Memory::new(4);
    let plain = Options { speculation: false, ..Options::default() };
    let (mut found, mut all) = (0, 0);
    for (fen, moves) in suite_mates(3) {
        let Ok(position) = parse_fen(&fen) else {
            continue;
        };
        let task = Task { board: Board::new(&position), earlier: Vec::new(), limits: depth(3) };
        if moves <= 2 {
            memory.clear();
            let signals = Signals::default();
            let answer = search::think(&mut memory, &plain, &task, &signals, &mut Silent);
            assert_eq!(answer.score, MATE - 2 * moves + 1, "{fen}");
        }
        // A null move fails in problems with zugzwang.
        let answer = ask(&mut memory, task.board, Vec::new(), depth(12));
        found += u32::from(answer.score > MATE_BOUND);
        all += 1;
    }
    assert!(found * 2 >= all, "{found} of {all}");
}

#[test]
fn a_mate_that_is_not_there_is_not_claimed() {
    let limits = Limits { mate: Some(2), ..Limits::default() };
    let board = Board::new(&shakmaty::Chess::default());
    let answer = ask(&mut Memory::new(1), board, Vec::new(), limits);
    assert!(answer.best.is_some() && answer.score.abs() < MATE_BOUND);
}

/// A game's last position and the keys before it.
fn played(start: &str, moves: &str) -> (Board, Vec<u64>) {
    let mut board = Board::new(&parse_fen(start).unwrap());
    let mut game = Game::from_start(start).unwrap();
    game.play_line(moves).unwrap();
    let mut earlier = Vec::new();
    for m in game.moves() {
        let text = m.to_string();
        earlier.push(board.key());
        let m = *board.legal_moves().iter().find(|m| m.to_string() == text).unwrap();
        board = board.play(m);
    }
    (board, earlier)
}

#[test]
fn perpetual_check_is_a_draw() {
    // White is lost but for the checks on e8 and h5.
    let fen = "6k1/6p1/8/7Q/8/8/qr4PP/6K1 w - - 0 1";
    let board = Board::new(&parse_fen(fen).unwrap());
    let answer = ask(&mut Memory::new(4), board, Vec::new(), depth(8));
    assert_eq!(answer.score, 0, "{fen}");
    assert_eq!(answer.best.to_string(), "h5e8");
}

#[test]
fn a_third_repetition_is_seen_with_the_games_moves() {
    // A queen up, but each of these positions has occurred twice.
    let start = "6k1/8/8/8/8/8/1Q6/K7 w - - 0 1";
    let shuffle = "b2c2 g8f8 c2b2 f8g8 b2c2 g8f8 c2b2 f8g8";
    let (board, earlier) = played(start, shuffle);
    let only = |uci: &str| {
        let m = *board.legal_moves().iter().find(|m| m.to_string() == uci).unwrap();
        let limits = Limits { search_moves: vec![m], ..depth(1) };
        ask(&mut Memory::new(1), board.clone(), earlier.clone(), limits).score
    };
    assert_eq!(only("b2c2"), 0);
    assert!(only("b2c3") > 500);
}

#[test]
fn fifty_move_rule_draws_slow_wins() {
    let at = |halfmoves: u32, depth_asked: u32| {
        let fen = format!("8/8/8/8/8/5k2/7q/5K2 b - - {halfmoves} 90");
        let board = Board::new(&parse_fen(&fen).unwrap());
        ask(&mut Memory::new(1), board, Vec::new(), depth(depth_asked)).score
    };
    assert_eq!(at(0, 4), MATE - 1);
    // Mate on the hundredth ply counts.
    assert_eq!(at(99, 4), MATE - 1);
    let fen = "6k1/8/8/8/8/8/1Q6/K7 w - - 99 90";
    let board = Board::new(&parse_fen(fen).unwrap());
    assert_eq!(ask(&mut Memory::new(1), board, Vec::new(), depth(6)).score, 0);
}

fn best_and_score(fen: &str, depth_asked: u32) -> (String, i32) {
    let board = Board::new(&deepanalyze_core::chess::parse_fen(fen).unwrap());
    let answer = ask(&mut Memory::new(1), board, Vec::new(), depth(depth_asked));
    (answer.best.to_string(), answer.score)
}

#[test]
fn three_men_are_exact_without_a_search_or_a_file() {
    // Only one move wins, with a won, a drawn and a lost ending to enter.
    assert_eq!(best_and_score("8/8/4k3/8/4K3/8/4P3/8 w - - 0 1", 1), ("e2e3".to_owned(), 25_000));
    let (_, drawn) = best_and_score("8/8/8/8/k7/8/P7/K7 b - - 0 1", 1);
    assert_eq!(drawn, 0);
    let (_, lost) = best_and_score("8/8/8/8/8/3k4/8/3KQ3 b - - 0 1", 1);
    assert_eq!(lost, -25_000);
    // Taking wins the pawn ending, or draws it.
    let (best, won) = best_and_score("8/8/8/3pk3/4P3/4K3/5P2/8 w - - 0 1", 6);
    assert_eq!(best, "e4d5", "{won}");
    assert_eq!(best_and_score("8/8/8/8/3k4/3p4/4P3/4K3 w - - 0 1", 4).0, "e2d3");
}

/// A rook put before a king in check, lost by the tables of three men, is not the only way out.
#[test]
fn a_level_rook_ending_is_level_at_every_depth() {
    for fen in ["8/8/4k3/8/K7/3r4/8/2R5 w - - 0 1", "8/5k2/8/8/1r6/5K2/R7/8 w - - 0 1"] {
        for depth in 1..=6 {
            let (_, score) = best_and_score(fen, depth);
            assert!(score.abs() < 100, "{fen} at depth {depth}: {score}");
        }
    }
}

#[test]
fn won_three_piece_ending_is_mated() {
    use shakmaty::{Chess, Position};
    let mut position: Chess =
        deepanalyze_core::chess::parse_fen("8/8/8/8/4k3/8/8/K6R w - - 0 1").unwrap();
    let mut memory = Memory::new(1);
    let mut plies = 0;
    while !position.is_game_over() {
        let answer = ask(&mut memory, Board::new(&position), Vec::new(), depth(4));
        let uci = deepanalyze_core::chess::parse_uci(&answer.best.to_string()).unwrap();
        position.play_unchecked(uci.to_move(&position).unwrap());
        plies += 1;
        assert!(plies < 60, "{position:?}");
    }
    assert!(position.is_checkmate());
}

/// The first line is searched to its end, even in positions with the most captures.
#[test]
fn early_stop_still_searches() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "qqqqk3/qqqqq3/8/8/8/8/QQQQQ3/QQQQK3 w - - 0 1",
        "1q1qk1q1/q1q1q1q1/1q1q4/8/8/1Q1Q4/Q1Q1Q1Q1/1Q1QK1Q1 w - - 0 1",
    ] {
        let board = Board::new(&parse_fen(fen).unwrap());
        let signals = Signals::default();
        signals.stop.store(true, Ordering::Relaxed);
        let limits = Limits { move_time: Some(1), ..Limits::default() };
        let task = Task { board: board.clone(), earlier: Vec::new(), limits };
        let mut memory = Memory::new(1);
        let answer = search::think(&mut memory, &Options::default(), &task, &signals, &mut Silent);
        let ply = ask(&mut Memory::new(1), board, Vec::new(), depth(1));
        assert!(ply.nodes < answer.nodes || (ply.best, ply.score) == (answer.best, answer.score));
        // It checks after 1024 nodes, and may count a few while unwinding.
        assert!(answer.nodes <= 1024 + 16, "{fen}: {answer:?} {ply:?}");
    }
}
