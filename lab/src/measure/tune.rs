//! Fits the evaluation's weights to games (Texel's method), and writes `weights.rs`.
//!
//! `lab tune POSITIONS EPOCHS > builtin/src/evaluation/weights.rs`; a line of the positions is
//! `FEN;score;result` as `selfplay` writes it. The loss is the squared difference between the
//! evaluation's expected result and a mixture of the game's result and what the search expected.

use std::path::PathBuf;

use deepanalyze_builtin::board::Board;
use deepanalyze_builtin::evaluation::terms::{
    COUNT, DANGER_COUNT, DANGER_LINE, DANGER_SQUARE, GROUPS,
};
use deepanalyze_builtin::evaluation::{self, FULL_PHASE};
use shakmaty::Color;

use crate::failure::LabFailure;

/// Centipawns per unit of the logistic curve: 100 centipawns are 0.64 of the points.
const CURVE: f32 = 175.0;
/// How much the game's result counts beside the search's score.
const RESULT_SHARE: f32 = 0.4;
/// How strongly weights are held near those that the tuner began with: what few positions show
/// is mostly chance.
const HOLD: f32 = 5e-10;
/// The greatest danger that the evaluation squares.
const MOST_DANGER: f32 = 1000.0;

/// A position as the tuner needs it.
struct Sample {
    /// Term, white's count less black's.
    terms: Vec<(u16, i8)>,
    /// Unit of danger, count, for black's and for white's king.
    danger: [Vec<(u8, i8)>; 2],
    /// Share of the middlegame.
    phase: f32,
    /// The endgame's scale where white, where black is ahead in it.
    scales: [f32; 2],
    goal: f32,
}

/// What is tuned: middlegame and endgame per term, danger per unit.
#[derive(Clone)]
struct Weights {
    pairs: Vec<[f32; 2]>,
    danger: Vec<f32>,
}

fn expected(score: f32) -> f32 {
    1.0 / (1.0 + (-score / CURVE).exp())
}

fn read(line: &str) -> Option<Sample> {
    let mut fields = line.split(';');
    let position = deepanalyze_core::chess::parse_fen(fields.next()?).ok()?;
    let score: f32 = fields.next()?.parse().ok()?;
    let result: f32 = fields.next()?.parse().ok()?;
    let board = Board::new(&position);
    let [black, white] = evaluation::trace(&board);
    let terms = (0..COUNT)
        .map(|term| (term as u16, (white.terms[term] - black.terms[term]) as i8))
        .filter(|&(_, count)| count != 0)
        .collect();
    let danger = [black, white].map(|counts| {
        let units = counts.danger.iter().enumerate();
        units
            .map(|(unit, &count)| (unit as u8, count as i8))
            .filter(|&(_, count)| count != 0)
            .collect()
    });
    let scale = |color| evaluation::endgame_scale(&board, color) as f32 / 64.0;
    Some(Sample {
        terms,
        danger,
        phase: evaluation::phase(&board) as f32 / FULL_PHASE as f32,
        scales: [scale(Color::White), scale(Color::Black)],
        goal: RESULT_SHARE * result + (1.0 - RESULT_SHARE) * expected(score),
    })
}

impl Sample {
    /// The evaluation for white, both sides' danger, and the endgame's scale.
    fn evaluate(&self, weights: &Weights) -> (f32, [f32; 2], f32) {
        let mut halves = [0.0f32; 2];
        for &(term, count) in &self.terms {
            let pair = &weights.pairs[usize::from(term)];
            halves[0] += pair[0] * f32::from(count);
            halves[1] += pair[1] * f32::from(count);
        }
        let danger = [0, 1].map(|side: usize| {
            let sum: f32 = self.danger[side]
                .iter()
                .map(|&(unit, count)| weights.danger[usize::from(unit)] * f32::from(count))
                .sum();
            sum.clamp(0.0, MOST_DANGER)
        });
        let (square, line) = (DANGER_SQUARE as f32, DANGER_LINE as f32);
        halves[0] += (danger[0] * danger[0] - danger[1] * danger[1]) / square;
        halves[1] += (danger[0] - danger[1]) / line;
        let scale = self.scales[usize::from(halves[1] < 0.0)];
        let score = halves[0] * self.phase + halves[1] * scale * (1.0 - self.phase);
        (score, danger, scale)
    }

    /// Adds the loss' slope by each weight.
    fn slope(&self, weights: &Weights, slopes: &mut Weights) -> f32 {
        let (score, danger, scale) = self.evaluate(weights);
        let found = expected(score);
        let error = found - self.goal;
        let by_score = 2.0 * error * found * (1.0 - found) / CURVE;
        let by_half = [by_score * self.phase, by_score * scale * (1.0 - self.phase)];
        for &(term, count) in &self.terms {
            let slope = &mut slopes.pairs[usize::from(term)];
            slope[0] += by_half[0] * f32::from(count);
            slope[1] += by_half[1] * f32::from(count);
        }
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let danger: f32 = danger[side];
            if danger <= 0.0 || danger >= MOST_DANGER {
                continue;
            }
            let squared = by_half[0] * 2.0 * danger / DANGER_SQUARE as f32;
            let by_danger = sign * (squared + by_half[1] / DANGER_LINE as f32);
            for &(unit, count) in &self.danger[side] {
                slopes.danger[usize::from(unit)] += by_danger * f32::from(count);
            }
        }
        error * error
    }
}

/// Adam's memory of one weight.
#[derive(Clone, Copy, Default)]
struct AdamMoment {
    first: f32,
    second: f32,
}

impl AdamMoment {
    fn step(&mut self, slope: f32, epoch: i32, rate: f32) -> f32 {
        self.first = 0.9 * self.first + 0.1 * slope;
        self.second = 0.999 * self.second + 0.001 * slope * slope;
        let first = self.first / (1.0 - 0.9f32.powi(epoch));
        let second = self.second / (1.0 - 0.999f32.powi(epoch));
        rate * first / (second.sqrt() + 1e-9)
    }
}

fn tune(samples: &[Sample], weights: &mut Weights, epochs: i32) {
    let begin = weights.clone();

    let mut pairs = vec![[AdamMoment::default(); 2]; COUNT];
    let mut danger = [AdamMoment::default(); DANGER_COUNT];
    // One in twenty is held back to see whether what is learned holds elsewhere.
    let (held, learned): (Vec<_>, Vec<_>) =
        samples.iter().enumerate().partition(|(index, _)| index % 20 == 0);
    for epoch in 1..=epochs {
        let mut slopes = Weights { pairs: vec![[0.0; 2]; COUNT], danger: vec![0.0; DANGER_COUNT] };
        let loss: f32 = learned.iter().map(|(_, sample)| sample.slope(weights, &mut slopes)).sum();
        let count = learned.len() as f32;
        let rate = if epoch > epochs * 2 / 3 { 0.3 } else { 1.0 };
        let moments = pairs.iter_mut().flatten();
        let begun = begin.pairs.iter().flatten();
        let found = slopes.pairs.iter().flatten();
        let tuned = weights.pairs.iter_mut().flatten();
        for (((weight, begun), slope), moment) in tuned.zip(begun).zip(found).zip(moments) {
            let slope = slope / count + HOLD * (*weight - begun);
            *weight -= moment.step(slope, epoch, rate);
        }
        let found = slopes.danger.iter().zip(&mut danger);
        for (weight, (slope, moment)) in weights.danger.iter_mut().zip(found) {
            *weight -= moment.step(slope / count, epoch, rate);
        }
        if epoch % 25 == 0 || epoch == 1 {
            let other: f32 = held
                .iter()
                .map(|(_, sample)| {
                    let error = expected(sample.evaluate(weights).0) - sample.goal;
                    error * error
                })
                .sum();
            eprintln!(
                "epoch {epoch}: loss {:.6}, held back {:.6}",
                loss / count,
                other / held.len() as f32
            );
        }
    }
}

fn print(weights: &Weights) {
    println!("//! The weights, as the tuner wrote them (`lab tune`; `docs/engine.md` says how).");
    println!("\nuse super::pair::Pair;\nuse super::terms::{{COUNT, DANGER_COUNT}};\n");
    println!("const fn w(middlegame: i32, endgame: i32) -> Pair {{");
    println!("    Pair::new(middlegame, endgame)\n}}\n");
    println!("/// Centipawns in the middlegame and in the endgame, in the order of the terms.");
    println!("#[rustfmt::skip]\npub static WEIGHTS: [Pair; COUNT] = [");
    for &(name, first, size) in GROUPS {
        println!("    // {name}");
        for row in weights.pairs[first..first + size].chunks(8) {
            let row: Vec<String> = row
                .iter()
                .map(|pair| format!("w({:.0}, {:.0}),", pair[0] + 0.0, pair[1] + 0.0))
                .collect();
            println!("    {}", row.join(" ").replace("-0,", "0,").replace("-0)", "0)"));
        }
    }
    println!("];\n\n/// Units of danger to a king.");
    println!("#[rustfmt::skip]\npub static DANGER: [i32; DANGER_COUNT] = [");
    let row: Vec<String> = weights.danger.iter().map(|unit| format!("{unit:.0},")).collect();
    println!("    {}\n];", row.join(" ").replace("-0,", "0,"));
}

/// Fit the evaluation's weights to games, and print weights.rs
#[derive(Debug, clap::Args)]
pub struct TuneArgs {
    /// Lines of FEN;score;result, as selfplay writes them
    positions: PathBuf,
    epochs: i32,
}

/// Runs the command.
pub fn run(args: &TuneArgs) -> Result<(), LabFailure> {
    let text = std::fs::read_to_string(&args.positions)?;
    let samples: Vec<Sample> = text.lines().filter_map(read).collect();
    eprintln!("{} positions", samples.len());
    let (pairs, danger) = evaluation::current();
    let mut weights = Weights {
        pairs: pairs.into_iter().map(|(mg, eg)| [mg as f32, eg as f32]).collect(),
        danger: danger.into_iter().map(|unit| unit as f32).collect(),
    };
    tune(&samples, &mut weights, args.epochs);
    print(&weights);
    Ok(())
}
