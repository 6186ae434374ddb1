//! Words shared by reports: moves and lines here, numbers, engines, roots, and text that fits a
//! terminal in its modules.

pub mod figures;
pub mod fit;
pub mod manner;
pub mod roots;

use std::fmt::Write as _;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{Ending, Score, push_san};
pub use deepanalyze_core::chess::{after, play};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::LineEnd;

/// `12. ` before a move of White's, `12... ` before one of Black's where the line begins.
pub fn push_number(turn: Color, fullmoves: u32, begins: bool, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = match turn {
        Color::White => write!(out, "{fullmoves}. "),
        Color::Black if begins => write!(out, "{fullmoves}... "),
        Color::Black => Ok(()),
    };
}

/// A move in SAN with its number: `12... Nf6`.
pub fn numbered_move(position: &Chess, uci: UciMove) -> String {
    let mut numbered = String::new();
    push_number(position.turn(), position.fullmoves().get(), true, &mut numbered);
    push_san(&mut position.clone(), uci, &mut numbered);
    numbered
}

/// A line in SAN with move numbers: `1. e4 e5 2. Nf3`.
pub fn numbered_line(start: &Chess, moves: &[UciMove]) -> String {
    numbered(start, sans_of(start, moves).iter().map(String::as_str))
}

/// As `numbered_line`; the root's name without a move.
pub fn name_of_line(root: &Chess, moves: &[UciMove]) -> String {
    match moves {
        [] => "the root".to_owned(),
        moves => numbered_line(root, moves),
    }
}

/// The moves of a line in SAN.
pub fn sans_of(start: &Chess, moves: &[UciMove]) -> Vec<String> {
    let mut position = start.clone();
    let san = |uci: &UciMove| {
        let mut san = String::new();
        push_san(&mut position, *uci, &mut san);
        san
    };
    moves.iter().map(san).collect()
}

/// Moves in SAN with their numbers: `1. e4 e5 2. Nf3`.
pub fn numbered<'m>(start: &Chess, sans: impl Iterator<Item = &'m str>) -> String {
    let (mut line, mut turn, mut number) = (String::new(), start.turn(), start.fullmoves().get());
    for (index, san) in sans.enumerate() {
        line.push_str(if index > 0 { " " } else { "" });
        push_number(turn, number, index == 0, &mut line);
        line.push_str(san);
        number = number.saturating_add(u32::from(turn == Color::Black));
        turn = !turn;
    }
    line
}

/// The end of a game and its winner, if it is over: `checkmate: White has won`.
pub fn describe_end(position: &Chess) -> Option<String> {
    let ending = Ending::of(position)?;
    let result = match (ending, position.turn()) {
        (Ending::Checkmate, Color::White) => "Black has won",
        (Ending::Checkmate, Color::Black) => "White has won",
        _ => "a draw",
    };
    Some(format!("{}: {result}", ending.name()))
}

/// The reason for a line's end, if not plain.
pub fn describe_line_end(end: LineEnd) -> Option<&'static str> {
    match end {
        LineEnd::Repetition => Some("repetition"),
        LineEnd::Over(ending) => Some(ending.name()),
        LineEnd::Known(known) => Some(known.turned().words()),
        LineEnd::Value(_) => Some("your value"),
        LineEnd::Tree { .. } | LineEnd::Elsewhere => None,
    }
}

/// The side for which scores are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum PointOfView {
    /// The side that plays the scored move.
    Mover,
    /// White.
    #[default]
    White,
}

impl PointOfView {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            PointOfView::Mover => "mover",
            PointOfView::White => "white",
        }
    }

    /// The side for which the scores of a position are written.
    pub fn side(self, mover: Color) -> Color {
        match self {
            PointOfView::Mover => mover,
            PointOfView::White => Color::White,
        }
    }

    /// The side of the scores, in words.
    pub fn whose(self) -> &'static str {
        match self {
            PointOfView::Mover => "for the side that plays the move",
            PointOfView::White => "for White",
        }
    }
}

/// The mover's value or score from the chosen point of view.
pub fn seen(value: impl Into<Score>, mover: Color, pov: PointOfView) -> Score {
    let score = value.into();
    match (pov, mover) {
        (PointOfView::White, Color::Black) => -score,
        _ => score,
    }
}

/// The mover's win, draw and loss in per cent, from the chosen point of view: `12 / 81 / 7`.
pub fn describe_wdl(wdl: WinDrawLoss, mover: Color, pov: PointOfView) -> String {
    let wdl = match (pov, mover) {
        (PointOfView::White, Color::Black) => wdl.flipped(),
        _ => wdl,
    };
    let [win, draw, loss] = wdl.percents();
    format!("{win} / {draw} / {loss}")
}
