use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, Position, Role};

use super::net::{NET, QUANTUM_HIDDEN, QUANTUM_OUTPUT};
use super::*;
use crate::history::MAX_PLY;
use deepanalyze_core::chess::parse_fen;

/// Positions from the suites, castling rights left out: they do not survive the mirror.
fn positions() -> Vec<Chess> {
    let bratko = include_str!("../../../../tests/suites/bratko_kopec.epd");
    let quiet = include_str!("../../../../tests/suites/silent_but_deadly.epd");
    let marcel = include_str!("../../../../tests/suites/perft_marcel_400.epd");
    let lines = bratko.lines().chain(quiet.lines()).chain(marcel.lines());
    lines
        .filter_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().take(2).collect();
            parse_fen(&format!("{} {} - -", fields.first()?, fields.get(1)?)).ok()
        })
        .collect()
}

fn score(position: &Chess) -> i32 {
    Evaluator::default().evaluate(&Board::new(position), 0)
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

proptest! {
    /// A position has one score, whatever was evaluated before and at any ply.
    #[test]
    fn what_was_evaluated_before_changes_nothing(steps in proptest::collection::vec((0usize..400, 0usize..MAX_PLY), 1..60)) {
        let positions = positions();
        let mut kept = Evaluator::default();
        for (index, ply) in steps {
            let position = &positions[index % positions.len()];
            prop_assert_eq!(kept.evaluate(&Board::new(position), ply), score(position));
        }
    }
}

/// The net as defined, without shortcuts, for the side to move.
fn plain(board: &Board) -> i64 {
    let side = |us: Color| {
        let king = board.king(us);
        let mirrored = king.file() >= shakmaty::File::E;
        let mut hidden: Vec<i64> = NET.bias.0.iter().map(|&bias| bias.into()).collect();
        for square in board.occupied() {
            let own = board.by_color(us).contains(square);
            let role = board.role_at(square).unwrap();
            let seen = if us == Color::White { square } else { square.flip_vertical() };
            let seen = if mirrored { seen.flip_horizontal() } else { seen };
            let kind = Role::ALL.iter().position(|&r| r == role).unwrap();
            let input = (usize::from(!own) * 6 + kind) * 64 + seen as usize;
            for (value, &weight) in hidden.iter_mut().zip(&NET.hidden[input].0) {
                *value += i64::from(weight);
            }
        }
        hidden
    };
    let bucket = (board.occupied().count() - 1) / 4;
    let mut sum = 0;
    for (layer, weights) in
        [side(board.turn()), side(!board.turn())].iter().zip(&NET.output[bucket])
    {
        for (&value, &weight) in layer.iter().zip(&weights.0) {
            sum += value.clamp(0, 255).pow(2) * i64::from(weight);
        }
    }
    (sum / 255 + i64::from(NET.output_bias[bucket])) * 400 / (255 * 64)
}

#[test]
fn scores_are_the_nets() {
    for position in positions() {
        let board = Board::new(&position);
        let score = i64::from(net::Layers::default().score(&board, 0));
        // Each side's sum is rounded by itself.
        assert!((score - plain(&board)).abs() <= 1, "{position:?}");
    }
}

/// The greatest weight of a hidden value, and of the output, as training clips them.
const GREATEST: (i32, i32) = (505, 127);

#[test]
fn no_sum_of_weights_can_overflow() {
    let greatest = |layer: &net::Layer| layer.0.iter().map(|&w| i32::from(w).abs()).max().unwrap();
    for layer in &NET.hidden {
        assert!(greatest(layer) <= GREATEST.0);
    }
    assert!(32 * GREATEST.0 + greatest(&NET.bias) <= i16::MAX.into());
    for layer in NET.output.iter().flatten() {
        assert!(greatest(layer) <= GREATEST.1);
    }
    assert!(QUANTUM_HIDDEN * GREATEST.1 <= i16::MAX.into());
    let most = i64::from(QUANTUM_HIDDEN * QUANTUM_HIDDEN) * i64::from(GREATEST.1);
    assert!(most * net::HIDDEN as i64 <= i32::MAX.into());
    assert_eq!(QUANTUM_OUTPUT * 2 - 1, GREATEST.1);
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
