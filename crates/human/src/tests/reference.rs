//! Another implementation, in double precision, with a loop for each index: from the published
//! description of the nets, square by square, without the package's code.

use std::collections::BTreeMap;

use deepanalyze_core::chess::{Game, uci_of};
use shakmaty::fen::Fen;
use shakmaty::{
    Board, CastlingSide, Chess, Color, EnPassantMode, Move, Piece, Position, Role, Square,
};

use crate::testing::{Conv, Synthetic};

type Planes = Vec<[f64; 64]>;

/// Probabilities by the moves' UCI text, and of win, draw and loss.
pub fn answer(net: &Synthetic, game: &Game) -> (BTreeMap<String, f64>, Vec<f64>) {
    let mut x = relu(conv3(&inputs(game), &net.input));
    for block in &net.blocks {
        let y = conv3(&relu(conv3(&x, &block.convs[0])), &block.convs[1]);
        let mean: Vec<f64> = y.iter().map(|plane| plane.iter().sum::<f64>() / 64.0).collect();
        let [w1, b1, w2, b2] = block.squeeze.each_ref().map(|tensor| tensor.numbers());
        let h: Vec<f64> = dense(&w1, &b1, &mean).iter().map(|t| t.max(0.0)).collect();
        let g = dense(&w2, &b2, &h);
        for c in 0..64 {
            let gate = 1.0 / (1.0 + (-g[c]).exp());
            for (x, y) in x[c].iter_mut().zip(y[c]) {
                *x = (gate * y + g[64 + c] + *x).max(0.0);
            }
        }
    }
    let logits = conv3(&relu(conv3(&x, &net.policy_1)), &net.policy);
    let root = game.root();
    let moves = root.legal_moves();
    let numbers: Vec<f64> = moves
        .iter()
        .map(|m| {
            let (plane, from) = cell(root.turn(), *m);
            logits[plane][from]
        })
        .collect();
    let names = moves.iter().map(|m| uci_of(root, *m).to_string());
    let [w1, b1, w2, b2] = net.dense.each_ref().map(|tensor| tensor.numbers());
    let (weights, biases) = folded(&net.value);
    let mut v = Vec::new();
    for o in 0..32 {
        let mut plane = [biases[o]; 64];
        for (c, x) in x.iter().enumerate() {
            plane.iter_mut().zip(x).for_each(|(sum, x)| *sum += weights[o * 64 + c] * x);
        }
        v.extend(plane.map(|t| t.max(0.0)));
    }
    let v: Vec<f64> = dense(&w1, &b1, &v).iter().map(|t| t.max(0.0)).collect();
    (names.zip(softmax(&numbers)).collect(), softmax(&dense(&w2, &b2, &v)))
}

fn relu(planes: Planes) -> Planes {
    planes.into_iter().map(|plane| plane.map(|t| t.max(0.0))).collect()
}

fn softmax(numbers: &[f64]) -> Vec<f64> {
    let sum: f64 = numbers.iter().map(|number| number.exp()).sum();
    numbers.iter().map(|number| number.exp() / sum).collect()
}

fn dense(weights: &[f64], biases: &[f64], input: &[f64]) -> Vec<f64> {
    let row = |o: usize| &weights[o * input.len()..(o + 1) * input.len()];
    let sum = |o: usize| row(o).iter().zip(input).map(|(w, x)| w * x).sum::<f64>();
    (0..biases.len()).map(|o| sum(o) + biases[o]).collect()
}

/// Weights and biases with the batch norm in them, if there is one.
fn folded(conv: &Conv) -> (Vec<f64>, Vec<f64>) {
    let [mut weights, mut biases, means, variances, gammas, betas] =
        conv.0.each_ref().map(|tensor| tensor.numbers());
    biases.resize(biases.len().max(means.len()), 0.0);
    let per_output = weights.len() / biases.len();
    for o in 0..means.len() {
        let s = gammas[o] / (variances[o] + 1e-5).sqrt();
        weights[o * per_output..(o + 1) * per_output].iter_mut().for_each(|w| *w *= s);
        biases[o] = betas[o] - s * (means[o] - biases[o]);
    }
    (weights, biases)
}

fn conv3(x: &Planes, conv: &Conv) -> Planes {
    let (weights, biases) = folded(conv);
    let mut out = vec![[0.0; 64]; biases.len()];
    for (o, plane) in out.iter_mut().enumerate() {
        for (s, out) in plane.iter_mut().enumerate() {
            let (r, f) = (s / 8, s % 8);
            let mut sum = biases[o];
            for (c, x) in x.iter().enumerate() {
                for i in 0..3 {
                    for j in 0..3 {
                        let is_inside = (1..9).contains(&(r + i)) && (1..9).contains(&(f + j));
                        if is_inside {
                            let weight = weights[((o * x_len(conv) + c) * 3 + i) * 3 + j];
                            sum += weight * x[(r + i - 1) * 8 + f + j - 1];
                        }
                    }
                }
            }
            *out = sum;
        }
    }
    out
}

/// Inputs of a 3x3 convolution.
fn x_len(conv: &Conv) -> usize {
    conv.0[0].params.len() / 9 / conv.0[1].params.len().max(conv.0[2].params.len())
}

/// The input planes of a game's root.
pub fn inputs(game: &Game) -> Planes {
    let positions: Vec<Chess> =
        std::iter::once(game.start().clone()).chain(game.positions()).collect();
    let us = game.root().turn();
    let mut planes = vec![[0.0; 64]; 112];
    for h in 0..8 {
        let (board, repeats) = match (positions.len() - 1).checked_sub(h) {
            Some(index) => (positions[index].board().clone(), is_repetition(&positions, index)),
            None if flags(&positions[0], true) == flags(&Chess::default(), true) => break,
            None => (before(&positions[0]), false),
        };
        for square in Square::ALL {
            let Some(man) = board.piece_at(square) else { continue };
            let whose = if man.color == us { 0 } else { 6 };
            planes[13 * h + whose + man.role as usize - 1][seen(us, square)] = 1.0;
        }
        planes[13 * h + 12] = [f64::from(u8::from(repeats)); 64];
    }
    let castles = game.root().castles();
    let (queen, king) = (CastlingSide::QueenSide, CastlingSide::KingSide);
    for (plane, color, side) in
        [(104, us, queen), (105, us, king), (106, !us, queen), (107, !us, king)]
    {
        planes[plane] = [f64::from(u8::from(castles.has(color, side))); 64];
    }
    planes[108] = [f64::from(u8::from(us == Color::Black)); 64];
    planes[109] = [f64::from(game.root().halfmoves()); 64];
    planes[111] = [1.0; 64];
    planes
}

fn seen(us: Color, square: Square) -> usize {
    let (file, rank) = (square.to_usize() % 8, square.to_usize() / 8);
    if us == Color::White { rank * 8 + file } else { (7 - rank) * 8 + file }
}

/// A position's first four fields of FEN.
fn flags(position: &Chess, is_first: bool) -> String {
    let mode = if is_first { EnPassantMode::Always } else { EnPassantMode::PseudoLegal };
    let fen = Fen::from_position(position, mode).to_string();
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

fn is_repetition(positions: &[Chess], index: usize) -> bool {
    let reversible = positions[index].halfmoves() as usize;
    let earlier = (4..=reversible.min(index)).step_by(2).map(|plies| index - plies);
    earlier.into_iter().any(|j| flags(&positions[j], j == 0) == flags(&positions[index], false))
}

/// The board before the first known position.
fn before(first: &Chess) -> Board {
    let mut board = first.board().clone();
    let fields = flags(first, true);
    let (white, from) = match fields.rsplit(' ').next().unwrap() {
        "-" => return board,
        square => (square.ends_with('3'), &square[..1]),
    };
    let at = |rank: &str| format!("{from}{rank}").parse::<Square>().unwrap();
    let (home, now) = if white { (at("2"), at("4")) } else { (at("7"), at("5")) };
    board.discard_piece_at(now);
    board.set_piece_at(home, Piece { color: Color::from_white(white), role: Role::Pawn });
    board
}

/// The plane and the square of a move's number.
fn cell(us: Color, m: Move) -> (usize, usize) {
    let to = match m {
        Move::Castle { rook, .. } => rook,
        _ => m.to(),
    };
    let (from, to) = (seen(us, m.from().unwrap()), seen(us, to));
    let (df, dr) = (to as i32 % 8 - from as i32 % 8, to as i32 / 8 - from as i32 / 8);
    let promotion = match m.promotion() {
        Some(Role::Rook) => Some(0),
        Some(Role::Bishop) => Some(1),
        Some(Role::Queen) => Some(2),
        _ => None,
    };
    if let Some(man) = promotion {
        return ((64 + 3 * (df + 1) + man) as usize, from);
    }
    for d in 0..8 {
        for n in 1..8 {
            let files = [0, 1, 1, 1, 0, -1, -1, -1][d] * n;
            let ranks = [1, 1, 0, -1, -1, -1, 0, 1][d] * n;
            if (files, ranks) == (df, dr) {
                return (7 * d + n as usize - 1, from);
            }
        }
    }
    let jumps = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
    (56 + jumps.iter().position(|jump| *jump == (df, dr)).unwrap(), from)
}
