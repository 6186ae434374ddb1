//! The board: figures or letters, coordinates, the last move and the selected one.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use shakmaty::uci::UciMove;
use shakmaty::{Board, Color as Side, File, Piece, Rank, Role, Square};

use super::pixels::{Inks, LEAST, draw_figure};
use super::words::Look;

/// The sizes of a square that look right, in columns and rows, the largest first.
const SIZES: [(u16, u16); 5] = [(10, 5), LEAST, (7, 3), (5, 2), (3, 1)];

/// The columns of the rank numbers.
const MARGIN: u16 = 2;

/// A board to draw.
pub struct BoardView<'a> {
    pub board: &'a Board,
    pub flipped: bool,
    /// The move that led here.
    pub last: Option<UciMove>,
    /// The selected move.
    pub selected: Option<UciMove>,
    pub look: Look,
}

/// The size of a square with which the board fits, and of the whole board.
pub fn fitting(width: u16, height: u16) -> Option<((u16, u16), (u16, u16))> {
    let whole = |(columns, rows)| (MARGIN + 8 * columns, 8 * rows + 1);
    SIZES
        .into_iter()
        .map(|size| (size, whole(size)))
        .find(|(_, (columns, rows))| *columns <= width && *rows <= height)
}

impl BoardView<'_> {
    /// Draws the board into the upper left corner of an area in which it fits.
    pub fn draw(&self, (columns, rows): (u16, u16), area: Rect, buffer: &mut Buffer) {
        for line in 0..8_u16 {
            let top = area.y + line * rows;
            let rank = Rank::new(u32::from(if self.flipped { line } else { 7 - line }));
            buffer.set_string(area.x, top + rows / 2, rank.char().to_string(), self.look.dim());
            for place in 0..8_u16 {
                let file = File::new(u32::from(if self.flipped { 7 - place } else { place }));
                let left = area.x + MARGIN + place * columns;
                let cell = Rect::new(left, top, columns, rows);
                self.draw_square(Square::from_coords(file, rank), cell, buffer);
                let name = file.char().to_string();
                let below = area.y + 8 * rows;
                buffer.set_string(left + columns / 2, below, name, self.look.dim());
            }
        }
    }

    fn draw_square(&self, square: Square, cell: Rect, buffer: &mut Buffer) {
        let style = self.style(square);
        buffer.set_style(cell, style);
        let piece = self.board.piece_at(square);
        let has_pixels = self.look.colour && self.look.unicode;
        if let Some(piece) = piece.filter(|_| has_pixels && (cell.width, cell.height) >= LEAST) {
            let figure = figure_colour(piece.color);
            let inks = Inks { figure, edge: figure_colour(!piece.color) };
            return draw_figure(piece.role, inks, cell, buffer);
        }
        let sign = piece.map_or_else(|| self.empty(square), |piece| self.sign(piece));
        let style = match piece {
            Some(piece) if self.look.colour => {
                style.fg(figure_colour(piece.color)).add_modifier(Modifier::BOLD)
            }
            Some(_) => style.add_modifier(Modifier::BOLD),
            None if self.look.colour => style,
            None => style.add_modifier(Modifier::DIM),
        };
        buffer.set_string(cell.x + cell.width / 2, cell.y + cell.height / 2, sign, style);
    }

    fn style(&self, square: Square) -> Style {
        let of = |uci: Option<UciMove>| uci.is_some_and(|uci| touches(uci, square));
        let (selected, last) = (of(self.selected), of(self.last));
        if !self.look.colour {
            return match (selected, last) {
                (true, _) => Style::new().add_modifier(Modifier::REVERSED),
                (_, true) => Style::new().add_modifier(Modifier::UNDERLINED),
                _ => Style::new(),
            };
        }
        Style::new().bg(Color::Indexed(square_colour(selected, last, square.is_light())))
    }

    fn empty(&self, square: Square) -> &'static str {
        match self.look.colour {
            true => " ",
            false if square.is_light() => " ",
            false if self.look.unicode => "·",
            false => ".",
        }
    }

    fn sign(&self, piece: Piece) -> &'static str {
        // Without colours, figures of both sides look alike: which one is white depends on the
        // font, and on whether the terminal is dark.
        match self.look.unicode && self.look.colour {
            // The solid figures for both: the outlined ones are hard to see.
            true => solid(piece.role),
            false => letter(piece),
        }
    }
}

fn touches(uci: UciMove, square: Square) -> bool {
    match uci {
        UciMove::Normal { from, to, .. } => from == square || to == square,
        UciMove::Put { to, .. } => to == square,
        UciMove::Null => false,
    }
}

/// Colours of about the same brightness, in the middle between both sides' figures: black ones have a contrast of
/// five to one on every square, white ones of three.
fn square_colour(selected: bool, last: bool, is_light: bool) -> u8 {
    match (selected, last, is_light) {
        (true, _, true) => 68,
        (true, _, false) => 67,
        (_, true, true) => 136,
        (_, true, false) => 100,
        (_, _, true) => 137,
        (_, _, false) => 65,
    }
}

fn figure_colour(side: Side) -> Color {
    match side {
        Side::White => Color::Indexed(231),
        Side::Black => Color::Indexed(16),
    }
}

fn letter(piece: Piece) -> &'static str {
    match (piece.color, piece.role) {
        (Side::White, Role::King) => "K",
        (Side::White, Role::Queen) => "Q",
        (Side::White, Role::Rook) => "R",
        (Side::White, Role::Bishop) => "B",
        (Side::White, Role::Knight) => "N",
        (Side::White, Role::Pawn) => "P",
        (Side::Black, Role::King) => "k",
        (Side::Black, Role::Queen) => "q",
        (Side::Black, Role::Rook) => "r",
        (Side::Black, Role::Bishop) => "b",
        (Side::Black, Role::Knight) => "n",
        (Side::Black, Role::Pawn) => "p",
    }
}

// U+FE0E asks for text: some terminals draw U+265F as a picture otherwise, two columns wide.
fn solid(role: Role) -> &'static str {
    match role {
        Role::King => "♚",
        Role::Queen => "♛",
        Role::Rook => "♜",
        Role::Bishop => "♝",
        Role::Knight => "♞",
        Role::Pawn => "♟\u{fe0e}",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of a colour of the 256 (WCAG's).
    fn luminance(index: u8) -> f64 {
        let part = |step: u8| {
            let share = f64::from(if step == 0 { 0 } else { 55 + 40 * step }) / 255.0;
            if share <= 0.03928 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        let cube = index - 16;
        0.2126 * part(cube / 36) + 0.7152 * part(cube / 6 % 6) + 0.0722 * part(cube % 6)
    }

    fn contrast(figure: u8, square: u8) -> f64 {
        let (a, b) = (luminance(figure), luminance(square));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn figures_of_both_sides_are_readable_on_every_square() {
        for bits in 0..8_u8 {
            let square = square_colour(bits & 1 != 0, bits & 2 != 0, bits & 4 != 0);
            assert!(contrast(16, square) >= 5.0, "black on {square}: {}", contrast(16, square));
            assert!(contrast(231, square) >= 3.0, "white on {square}: {}", contrast(231, square));
        }
    }
}
