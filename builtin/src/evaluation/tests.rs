use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

use super::tally::{Sum, Tally};
use super::*;
use deepanalyze_core::chess::parse_fen;

/// Positions from the suites, castling rights left out: they do not survive the mirror.
fn positions() -> Vec<Chess> {
    let bratko = include_str!("../../../tests/suites/bratko_kopec.epd");
    let quiet = include_str!("../../../tests/suites/silent_but_deadly.epd");
    let marcel = include_str!("../../../tests/suites/perft_marcel_400.epd");
    let lines = bratko.lines().chain(quiet.lines()).chain(marcel.lines());
    lines
        .filter_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().take(2).collect();
            parse_fen(&format!("{} {} - -", fields.first()?, fields.get(1)?)).ok()
        })
        .collect()
}

fn score(position: &Chess) -> i32 {
    evaluate(&Board::new(position), &mut PawnTable::default())
}

fn changed(position: &Chess, change: impl Fn(&mut shakmaty::Setup)) -> Chess {
    let mut setup = position.to_setup(shakmaty::EnPassantMode::Legal);
    change(&mut setup);
    Fen::try_from(setup).unwrap().into_position(CastlingMode::Standard).unwrap()
}

#[test]
fn colours_are_treated_alike() {
    for position in positions() {
        let mirrored = changed(&position, |setup| {
            setup.board.mirror();
            setup.turn = !setup.turn;
        });
        assert_eq!(score(&position), score(&mirrored), "{position:?}");
    }
}

#[test]
fn wings_are_treated_alike() {
    for position in positions() {
        let mirrored = changed(&position, |setup| setup.board.flip_horizontal());
        assert_eq!(score(&position), score(&mirrored), "{position:?}");
    }
}

#[test]
fn the_pawn_table_changes_nothing() {
    let mut kept = PawnTable::default();
    for position in positions().iter().chain(positions().iter()) {
        assert_eq!(evaluate(&Board::new(position), &mut kept), score(position));
    }
}

#[test]
fn the_tuners_counts_give_the_same_sums() {
    for position in positions() {
        let board = Board::new(&position);
        let [black, white] = trace(&board).map(|counts| {
            let mut sum = Sum::default();
            for (term, &count) in counts.terms.iter().enumerate() {
                sum.add(term, count);
            }
            for (unit, &count) in counts.danger.iter().enumerate() {
                sum.danger(unit, count);
            }
            sum.total()
        });
        let score = taper(&board, white - black) + endgame::drive(&board);
        let white_to_move = board.turn() == Color::White;
        let expected = TEMPO + if white_to_move { score } else { -score };
        assert_eq!(evaluate(&board, &mut PawnTable::default()), expected);
    }
}

#[test]
fn dead_material_is_worth_little() {
    for fen in [
        "4k3/8/8/8/8/8/8/3BK3 w - - 0 1",
        "4k3/8/8/8/8/8/8/2NNK3 w - - 0 1",
        "4kb2/8/8/8/8/8/8/R3K3 w - - 0 1",
    ] {
        assert!(score(&parse_fen(fen).unwrap()).abs() < 80, "{fen}");
    }
    assert!(score(&parse_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1").unwrap()) > 500);
}
