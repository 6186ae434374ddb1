use proptest::prelude::*;
use shakmaty::san::SanPlus;

use super::*;
use crate::chess::{
    Game, PositionKey, epd_of, fen_of, legal_uci, parse_epd, parse_fen, parse_uci, san_of,
};

/// Games that python-chess has played (`crates/lab/tools/chess960_games.py`).
const GAMES: &str = include_str!("../../../../../tests/suites/chess960_games.txt");
const PERFT: &str = include_str!("../../../../../tests/suites/perft_chess960.epd");

#[test]
fn the_suite_has_its_perft_counts() {
    let mut checked = 0;
    for line in PERFT.lines() {
        let mut parts = line.split(" ;D");
        let position = parse_fen(parts.next().unwrap()).unwrap();
        for part in parts {
            let (depth, nodes) = part.split_once(' ').unwrap();
            let (depth, nodes): (u32, u64) = (depth.parse().unwrap(), nodes.parse().unwrap());
            if nodes < 300_000 {
                assert_eq!(shakmaty::perft(&position, depth), nodes, "{line}");
                checked += 1;
            }
        }
    }
    assert!(checked > 740, "{checked}");
}

#[test]
fn games_are_read_and_written_as_python_chess_does() {
    let (mut castled, mut games) = (0, 0);
    for line in GAMES.lines() {
        let fields: Vec<&str> = line.split(';').collect();
        let [first, uci, san, last] = fields[..] else { panic!("{line}") };
        let mut game = Game::from_start(first).unwrap();
        assert_eq!(fen_of(game.root()), first);
        for (uci, san) in uci.split(' ').zip(san.split(' ')) {
            let given = parse_uci(uci).unwrap();
            assert_eq!(san_of(game.root(), given), san, "{uci} in {}", fen_of(game.root()));
            castled += u32::from(san.starts_with("O-O"));
            game.play(given.to_move(game.root()).unwrap());
        }
        assert_eq!(fen_of(game.root()), last);
        let told: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
        assert_eq!(told.join(" "), uci);
        for line in [uci, san] {
            let mut read = Game::from_start(first).unwrap();
            read.play_line(line).unwrap();
            assert_eq!(read, game);
        }
        games += 1;
    }
    assert_eq!((games, castled > 200), (160, true), "{castled}");
}

#[test]
fn starting_positions_have_the_numbers_of_the_table() {
    for (number, rank) in [
        (0, "BBQNNRKR"),
        (1, "BQNBNRKR"),
        (518, "RNBQKBNR"),
        (959, "RKRNNQBB"),
        (534, "RNBKQBNR"),
        (437, "RNBBNQKR"),
    ] {
        let start = start_of_chess960(number).unwrap();
        assert!(fen_of(&start).contains(&format!("/{rank} w ")), "{}", fen_of(&start));
    }
    let starts: Vec<Chess> = (0..960).map(|n| start_of_chess960(n).unwrap()).collect();
    for (start, number) in starts.iter().zip(0..) {
        assert_eq!(number_in_chess960(start), Some(number));
        assert_eq!(Game::from_start(&format!("960:{number}")).unwrap().root(), start);
        assert_eq!(parse_fen(&fen_of(start)).unwrap(), *start);
        // The king stands between its rooks, and the sides mirror each other.
        assert_eq!(start.castles().castling_rights(), start.board().rooks());
        assert_eq!(starts.iter().filter(|other| *other == start).count(), 1);
    }
    assert_eq!(starts[518], Chess::default());
    assert!(!is_chess960(&starts[518]));
    assert_eq!(
        number_in_chess960(Game::from_start("startpos").unwrap().up_to(0).root()),
        Some(518)
    );
    assert_eq!(start_of_chess960(960), None);
    for other in [
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1",
        "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQha - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w Qkq - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    ] {
        assert_eq!(number_in_chess960(&parse_fen(other).unwrap()), None, "{other}");
    }
    for wrong in ["960:960", "960:", "960:-1", "960:e4"] {
        let error = Game::from_start(wrong).unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "{wrong:?} is no starting position of Chess960: they have the numbers from 0 to 959"
            )
        );
    }
}

/// A game from a starting position, White's and Black's perhaps different, with choices among the legal moves; castling
/// is played where the choice is odd.
fn positions(white: u16, black: u16, choices: &[u8]) -> Vec<Chess> {
    let setups = [white, black]
        .map(|n| start_of_chess960(n).unwrap().to_setup(shakmaty::EnPassantMode::Legal));
    let [mut setup, other] = setups;
    for square in Bitboard::from_rank(shakmaty::Rank::Eighth) {
        setup.board.set_piece_at(square, other.board.piece_at(square).unwrap());
    }
    setup.castling_rights = setup.board.rooks();
    let mut position = Chess::from_setup(setup, CASTLING).unwrap();
    let mut all = Vec::new();
    for choice in choices {
        all.push(position.clone());
        let moves = position.legal_moves();
        let castling = moves.iter().find(|m| m.is_castle()).filter(|_| choice % 2 == 1);
        let Some(m) = castling.or_else(|| moves.get(usize::from(*choice) % moves.len().max(1)))
        else {
            break;
        };
        position.play_unchecked(*m);
    }
    all
}

proptest! {
    #[test]
    fn positions_and_moves_come_back(
        white in 0..960_u16,
        black in 0..960_u16,
        choices in proptest::collection::vec(any::<u8>(), 0..90),
    ) {
        for position in positions(white, black, &choices) {
            let epd = epd_of(&position);
            prop_assert_eq!(&parse_fen(&epd).unwrap(), &position);
            prop_assert_eq!(&parse_epd(&epd).unwrap(), &position);
            let of_key = PositionKey::of(&position).position();
            prop_assert_eq!(&of_key, &position);
            prop_assert_eq!(legal_uci(&of_key), legal_uci(&position));
            let is_standard = parse_fen(&epd).unwrap().to_setup(shakmaty::EnPassantMode::Legal);
            let is_standard = Chess::from_setup(is_standard, CastlingMode::Standard).is_ok();
            prop_assert_eq!(is_chess960(&position), !is_standard, "{}", epd);
            for m in position.legal_moves() {
                let uci = uci_of(&position, m);
                let san = SanPlus::from_move(position.clone(), m).to_string();
                prop_assert_eq!(uci.to_move(&position).unwrap(), m);
                prop_assert_eq!(san_of(&position, uci), san.as_str());
                // All spellings of castling mean the same move.
                for text in [uci.to_string(), UciMove::from_chess960(m).to_string(), san] {
                    let mut game = Game::from_position(position.clone());
                    game.play_line(&text).unwrap();
                    prop_assert_eq!(game.moves(), &[uci], "{} in {}", text, epd);
                }
            }
        }
    }
}
