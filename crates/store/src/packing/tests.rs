use std::str::FromStr;

use rusqlite::types::Value;
use rusqlite::{Connection, params};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{epd_of, parse_epd};

use super::*;
use crate::schema::{NEWEST, model};

fn db() -> Connection {
    model(NEWEST).unwrap()
}

/// A packed EPD as read by Rust and by SQL.
fn kept(db: &Connection, epd: &str) -> [String; 2] {
    let PackedEpd { board, state } = PackedEpd::of(epd);
    let insert = "INSERT OR REPLACE INTO position (id, hash, board, state) VALUES (1, 0, ?1, ?2)";
    db.execute(insert, params![board, state]).unwrap();
    db.query_row("SELECT board, state, epd FROM position", [], |row| {
        Ok([read_epd(row, 0)?, row.get(2)?])
    })
    .unwrap()
}

#[test]
fn packed_epds_round_trip_in_rust_and_sql() {
    let db = db();
    let mut games = Vec::new();
    for start in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf -",
    ] {
        let mut position = parse_epd(start).unwrap();
        for ply in 0..160_usize {
            games.push(epd_of(&position));
            let moves = position.legal_moves();
            let Some(m) = moves.get((ply * 7919 + 13) % moves.len().max(1)) else { break };
            position.play_unchecked(*m);
        }
    }
    assert!(games.len() > 100 && games.iter().any(|epd| !epd.ends_with(" -")));
    for epd in &games {
        assert_eq!(kept(&db, epd), [epd.as_str(); 2]);
        assert!(matches!(PackedEpd::of(epd).board, Value::Blob(_)), "{epd}");
    }
    let bytes: usize = games
        .iter()
        .map(|epd| match PackedEpd::of(epd).board {
            Value::Blob(board) => board.len(),
            _ => 0,
        })
        .sum();
    assert!(bytes / games.len() < 32, "{bytes}");
}

#[test]
fn what_is_no_epd_stays_as_it_is() {
    let db = db();
    for text in [
        "no EPD",
        "",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "44/8/8/8/8/8/8/4K2k w - -",
        "x/8 w",
        "4k3/8/8/8/8/8/8/4K3/ w - -",
        "8  -",
    ] {
        assert_eq!(kept(&db, text), [text; 2]);
    }
}

#[test]
fn bytes_that_were_changed_are_another_epd_or_none() {
    let db = db();
    let epd = epd_of(&Chess::default());
    let PackedEpd { board, state } = PackedEpd::of(&epd);
    let Value::Blob(mut board) = board else { unreachable!() };
    for at in 0..board.len() * 8 {
        board[at / 8] ^= 1 << (at % 8);
        let insert =
            "INSERT OR REPLACE INTO position (id, hash, board, state) VALUES (1, 0, ?1, ?2)";
        db.execute(insert, params![board, state]).unwrap();
        let read = db.query_row("SELECT board, state FROM position", [], |row| read_epd(row, 0));
        assert_ne!(read.unwrap(), epd);
        board[at / 8] ^= 1 << (at % 8);
    }
}

fn line_of(db: &Connection, uci: &str, line: &Value) -> [String; 2] {
    db.execute_batch("PRAGMA foreign_keys = off").unwrap();
    let insert = "INSERT OR REPLACE INTO answer (profile, position, rank, move, cp, depth, seldepth, nodes, time_ms, line,
            created_at) VALUES (1, 1, 0, ?1, 0, 1, 1, 1, 1, ?2, 0)";
    db.execute(insert, params![uci, line]).unwrap();
    let program =
        db.query_row("SELECT line FROM answer", [], |row| Ok(read_line(uci, row.get_ref(0)?)));
    [program.unwrap(), db.query_row("SELECT pv FROM search", [], |row| row.get(0)).unwrap()]
}

#[test]
fn packed_lines_round_trip_in_rust_and_sql() {
    let db = db();
    let lines = [
        "e2e4",
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1",
        "a7a8q h2h1n b7b8r g2g1b h8a1 a1h8",
        "e1h1 e8a8",
    ];
    for line in lines {
        let (uci, moves) = (line.split(' ').next().unwrap(), line.split(' ').count());
        let packed = line_behind(uci, line);
        assert!(matches!(&packed, Value::Blob(bytes) if bytes.len() == 2 * (moves - 1)));
        assert_eq!(line_of(&db, uci, &packed), [line; 2]);
    }
    let all = shakmaty::Square::ALL;
    for from in all {
        let moves = all.map(|to| UciMove::Normal { from, to, promotion: None }.to_string());
        let line = format!("e2e4 {}", moves.join(" "));
        assert_eq!(line_of(&db, "e2e4", &line_behind("e2e4", &line)), [line.as_str(); 2]);
    }
}

#[test]
fn a_line_that_is_none_of_plain_moves_stays_as_it_is() {
    let db = db();
    for line in [
        "",
        "d2d4 d7d5",
        "e2e4  e7e5",
        "e2e4 e7e5 ",
        "e2e4 0000",
        "e2e4 xyz",
        "e2e4 P@e4",
        "e2e4 E7E5",
    ] {
        assert_eq!(line_of(&db, "e2e4", &line_behind("e2e4", line)), [line; 2]);
    }
    assert!(UciMove::from_str("0000").is_ok());
}
