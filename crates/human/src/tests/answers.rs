//! Answers of synthetic nets, beside another implementation's.

use deepanalyze_core::chess::Game;
use shakmaty::{Position, Square};

use super::reference;
use super::{game, past};
use crate::cells::cell;
use crate::net::Net;
use crate::past::Past;
use crate::planes::planes;
use crate::prediction::{Prediction, permille};
use crate::testing::Synthetic;

fn net() -> Net {
    Net::of_message(&Synthetic::new(1).message()).unwrap()
}

#[test]
fn answers_are_those_of_another_implementation() {
    let start = "startpos";
    let open = "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 4 9";
    let passed = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
    let pawns = "1n2k3/P7/8/8/8/8/7p/4K1N1";
    let dance = "Nf3 Nf6 Ng1 Ng8";
    let games = [
        game(start, ""),
        game(start, "e4"),
        game(start, "e4 a6 e5 d5"),
        game(start, &format!("{dance} {dance}")),
        game(start, &format!("{dance} {dance} e4 e5 {dance} Nf3")),
        game(open, ""),
        game(open, "O-O-O"),
        game(open, "Rg1 Rg8 Rh1 Rh8 Ke2 Ke7 Ke1"),
        game(passed, ""),
        // The square tells the last position from the first: no repetition.
        game(passed, "Nf6 Nf3 Ng8 Ng1"),
        game(&format!("{pawns} w - - 0 1"), ""),
        game(&format!("{pawns} w - - 0 1"), "axb8=N"),
        game("4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", ""),
    ];
    let synthetic = Synthetic::new(1);
    let net = net();
    let mut shares = Vec::new();
    for game in &games {
        let answer = net.evaluate(&Past::of_game(game)).unwrap();
        let (moves, results) = reference::answer(&synthetic, game);
        assert_eq!(answer.moves.len(), moves.len());
        assert!(answer.moves.is_sorted_by(|one, other| one.1 >= other.1));
        let own = answer.moves.iter().map(|(uci, share)| (*share, moves[&uci.to_string()]));
        for (share, right) in
            own.chain([answer.win, answer.draw, answer.loss].into_iter().zip(results))
        {
            assert!(
                (f64::from(share) - right).abs() < 1e-4,
                "{share}, not {right}: {:?}",
                game.moves()
            );
        }
        shares.push(answer.moves[0].1);
    }
    println!("{shares:?}");
    assert!(shares.iter().any(|share| (0.1..0.9).contains(share)), "{shares:?}");
}

#[test]
fn planes_are_those_of_another_implementation() {
    let mut random = 1_u64;
    let mut repetitions = 0;
    for start in [
        "startpos",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 3 9",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
        "4k3/pppppppp/8/8/3P4/8/PPP1PPPP/4K3 b - d3 0 1",
    ] {
        for _ in 0..4 {
            let mut game = game(start, "");
            for _ in 0..60 {
                let own = planes(&Past::of_game(&game));
                repetitions +=
                    own.iter().take(104).skip(12).step_by(13).filter(|p| p.squares.any()).count();
                for (number, (own, right)) in own.iter().zip(reference::inputs(&game)).enumerate() {
                    let own = Square::ALL.map(|square| {
                        if own.squares.contains(square) { f64::from(own.value) } else { 0.0 }
                    });
                    assert_eq!(own, right, "{number} of {start} {:?}", game.moves());
                }
                let moves = game.root().legal_moves();
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let Some(m) = moves.get((random >> 33) as usize % moves.len().max(1)) else {
                    break;
                };
                game.play(*m);
            }
        }
    }
    assert!(repetitions > 50, "{repetitions}");
}

#[test]
fn threads_share_a_net() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&net());
}

#[test]
fn a_net_is_named_by_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some-1234.pb.gz");
    let file = Synthetic::new(2).file();
    std::fs::write(&path, &file).unwrap();
    let (opened, read) = (Net::open(&path).unwrap(), Net::from_bytes(&file).unwrap());
    assert_eq!((opened.name(), read.name()), ("some-1234", ""));
    assert_eq!(opened.digest(), read.digest());
    assert_eq!(read.digest().len(), 64);
}

#[test]
fn cells_are_those_of_the_published_examples() {
    let of = |fen: &str, uci: &str| {
        let game = Game::from_start(fen).unwrap();
        let m = deepanalyze_core::chess::parse_uci(uci).unwrap().to_move(game.root()).unwrap();
        cell(game.root().turn(), m).unwrap()
    };
    let black = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1";
    let castling = ["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"];
    let pawn = "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1";
    for (fen, uci, plane, from) in [
        ("startpos", "e2e4", 1, Square::E2),
        (black, "e7e5", 1, Square::E2),
        ("startpos", "g1f3", 63, Square::G1),
        (black, "g8f6", 63, Square::G1),
        (pawn, "a7a8q", 69, Square::A7),
        (pawn, "a7b8n", 7, Square::A7),
        (castling[0], "e1g1", 16, Square::E1),
        (castling[0], "e1c1", 45, Square::E1),
        (castling[1], "e8g8", 16, Square::E1),
        (castling[1], "e8c8", 45, Square::E1),
    ] {
        assert_eq!(of(fen, uci), (plane, from), "{uci}");
    }
}

#[test]
fn a_forced_move_has_all_probability() {
    let forced = net().evaluate(&past("7k/8/8/8/8/8/5q2/7K w - - 0 1", ""));
    assert!(forced.is_none(), "stalemate");
    let forced = net().evaluate(&past("7k/8/8/8/8/8/6q1/7K w - - 0 1", "")).unwrap();
    assert_eq!(forced.moves.len(), 1);
    assert_eq!((forced.moves[0].0.to_string().as_str(), forced.moves[0].1), ("h1g2", 1.0));
}

#[test]
fn no_answer_in_mate_and_in_chess960() {
    let net = net();
    assert_eq!(net.evaluate(&past("startpos", "f3 e5 g4 Qh4")), None);
    assert_eq!(net.evaluate(&past("960:0", "")), None);
    assert!(net.evaluate(&past("960:518", "")).is_some());
}

#[test]
fn a_position_alone_is_a_game_without_moves() {
    let game = game("startpos", "e4");
    let alone = Past::of_position(game.root());
    let listed = super::past("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", "");
    assert_eq!(planes(&alone), planes(&listed));
    assert_ne!(planes(&alone), planes(&Past::of_game(&game)), "the start is known");
    let mut grown = Past::of_position(game.start());
    grown.add(game.root().clone());
    assert_eq!(planes(&grown), planes(&Past::of_game(&game)));
}

#[test]
fn thousandths_are_rounded_and_sorted() {
    let moves =
        [("e2e4", 0.6996), ("g1f3", 0.1504), ("d2d4", 0.1496), ("a2a3", 0.0005), ("h2h3", 0.0004)];
    let moves = moves.map(|(uci, share)| (uci.parse().unwrap(), share)).to_vec();
    let rounded = permille(&Prediction { moves, win: 0.4, draw: 0.2, loss: 0.4 });
    let rounded: Vec<_> = rounded.iter().map(|(uci, share)| format!("{uci} {share}")).collect();
    assert_eq!(rounded, ["e2e4 700", "d2d4 150", "g1f3 150", "a2a3 1"]);
}
