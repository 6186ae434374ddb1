use shakmaty::Position;

use super::*;
use crate::moves::Move;
use deepanalyze_core::chess::{parse_fen, parse_uci, start_of_chess960};

fn perft(board: &Board, depth: u32) -> u64 {
    let moves = board.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    moves.iter().map(|&m| perft(&board.play(m), depth - 1)).sum()
}

fn board(fen: &str) -> Board {
    Board::new(&parse_fen(fen).unwrap())
}

#[test]
fn the_usual_positions_have_their_perft_counts() {
    for (fen, depth, nodes) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 4_865_609),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4_085_603),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674_624),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422_333),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2_103_487),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4, 3_894_594),
    ] {
        assert_eq!(perft(&board(fen), depth), nodes, "{fen}");
    }
}

#[test]
fn the_suites_have_their_perft_counts() {
    let double_checks = include_str!("../../../../tests/suites/perft_double_checks.epd");
    let marcel = include_str!("../../../../tests/suites/perft_marcel_400.epd");
    let chess960 = include_str!("../../../../tests/suites/perft_chess960.epd");
    let mut checked = 0;
    for line in double_checks.lines().chain(marcel.lines()).chain(chess960.lines()) {
        let mut parts = line.split(';').map(str::trim);
        let fen = parts.next().unwrap();
        let Ok(position) = parse_fen(fen) else {
            continue;
        };
        for part in parts {
            let mut words = part.split_whitespace();
            let depth = words.next().and_then(|word| word.strip_prefix('D')?.parse().ok());
            let nodes: Option<u64> = words.next().and_then(|word| word.parse().ok());
            if let (Some(depth), Some(nodes)) = (depth, nodes)
                && (1..150_000).contains(&nodes)
            {
                checked += 1;
                assert_eq!(perft(&Board::new(&position), depth), nodes, "{line}");
            }
        }
    }
    assert!(checked > 1700, "{checked}");
}

/// A shakmaty move in UCI, as a board of its kind writes it.
fn name(board: &Board, m: shakmaty::Move) -> String {
    m.to_uci(CastlingMode::from_chess960(board.is_chess960())).to_string()
}

/// A position on a board of the same kind as another.
fn fresh(position: &shakmaty::Chess, like: &Board) -> Board {
    let board = Board::new(position);
    if like.is_chess960() { board.with_chess960() } else { board }
}

/// Walks a tree and compares every position with shakmaty's.
fn walk(position: &shakmaty::Chess, board: &Board, depth: u32) {
    assert_eq!(board, &fresh(position, board));
    let polyglot: shakmaty::zobrist::Zobrist64 = position.zobrist_hash(EnPassantMode::PseudoLegal);
    assert_eq!(board.key(), polyglot.0);
    if depth == 0 {
        return;
    }
    let safety = board.safety();
    let moves = board.legal_moves();
    for limit in 0..6 {
        assert_eq!(board.has_more_moves_than(&safety, limit), moves.len() > limit);
    }
    let legal = position.legal_moves();
    assert_eq!(moves.len(), legal.len());
    for m in legal {
        let uci = name(board, m);
        let ours = moves.iter().find(|m| m.to_string() == uci).unwrap();
        assert!(board.is_legal(&safety, *ours));
        assert_eq!(board.captured(*ours), m.capture());
        let mut next = position.clone();
        next.play_unchecked(m);
        walk(&next, &board.play(*ours), depth - 1);
    }
}

#[test]
fn incremental_state_equals_a_fresh_one() {
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    ] {
        let position = parse_fen(fen).unwrap();
        walk(&position, &Board::new(&position), 2);
        walk(&position, &Board::new(&position).with_chess960(), 2);
    }
}

#[test]
fn chess960_is_played_as_shakmaty_plays_it() {
    for number in 0..960 {
        let start = start_of_chess960(number).unwrap();
        walk(&start, &Board::new(&start), 1);
    }
    let games = include_str!("../../../../tests/suites/chess960_games.txt");
    let mut castled = 0;
    for line in games.lines() {
        let mut fields = line.split(';');
        let mut position = parse_fen(fields.next().unwrap()).unwrap();
        let mut board = Board::new(&position);
        for uci in fields.next().unwrap().split(' ') {
            walk(&position, &board, 1);
            let played = parse_uci(uci).unwrap().to_move(&position).unwrap();
            let name = name(&board, played);
            let ours = board.legal_moves().into_iter().find(|m| m.to_string() == name).unwrap();
            castled += u32::from(ours.is_castle());
            board = board.play(ours);
            position.play_unchecked(played);
        }
    }
    assert!(castled > 200, "{castled}");
}

#[test]
fn castling_through_what_the_rook_uncovers_is_illegal() {
    for (fen, castles) in [
        // The castling rook leaves the rank and exposes the king's target to a rook.
        ("4k3/8/8/8/8/8/8/rR1K4 w B - 0 1", false),
        ("4k3/8/8/8/8/8/8/1R1K4 w B - 0 1", true),
        ("4k3/8/8/8/8/8/8/rRK5 w B - 0 1", false),
        ("4k3/8/8/8/8/8/8/1RK5 w B - 0 1", true),
        ("4k3/8/8/8/8/8/8/6KR w H - 0 1", true),
        ("4k3/8/8/8/8/8/8/5NKR w H - 0 1", false),
        ("4k1r1/8/8/8/8/8/8/6KR w H - 0 1", false),
    ] {
        let board = board(fen);
        assert_eq!(board.legal_moves().iter().any(|m| m.is_castle()), castles, "{fen}");
        walk(&parse_fen(fen).unwrap(), &board, 2);
    }
}

#[test]
fn only_legal_moves_pass_for_legal() {
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/8/8/K2pP2r/8/8/8/7k w - d6 0 2",
        "4k3/P7/8/8/1b6/8/3P4/R3K2R w KQ - 0 1",
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "4k3/8/8/8/8/8/8/RK3R2 w FA - 0 1",
        "4k3/8/8/8/8/8/8/R5KR w HA - 0 1",
    ] {
        let board = board(fen);
        let safety = board.safety();
        let legal = board.legal_moves();
        for bits in 0..=u16::MAX {
            let m = Move::from_bits(bits);
            let kinds = [0, 1, 2, 4, 5, 6, 7];
            if kinds.contains(&(bits >> 12)) {
                assert_eq!(board.is_legal(&safety, m), legal.contains(&m), "{fen} {m} {bits}");
            }
        }
    }
}

#[test]
fn bare_kings_and_single_minors_are_dead() {
    for (fen, dead) in [
        ("8/8/4k3/8/8/3K4/8/8 w - - 0 1", true),
        ("8/8/4k3/8/8/3KN3/8/8 w - - 0 1", true),
        ("8/8/4k1b1/8/8/3K1B2/8/8 w - - 0 1", true),
        ("8/8/4k1b1/8/8/3KB3/8/8 w - - 0 1", false),
        ("8/8/4k1n1/8/8/3KB3/8/8 w - - 0 1", false),
        ("8/8/4k3/8/8/3KP3/8/8 w - - 0 1", false),
    ] {
        assert_eq!(board(fen).is_dead(), dead, "{fen}");
    }
}
