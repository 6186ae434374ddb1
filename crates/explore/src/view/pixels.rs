//! Figures in pixels, for large squares: a cell of the terminal is two pixels, one above the other. A line
//! around them in the other side's colour tells them from any square.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Color;
use shakmaty::Role;

/// The pixels of a figure in each direction.
const SIZE: i32 = 8;

/// The least columns and rows of a square with room for a figure.
pub const LEAST: (u16, u16) = (8, 4);

/// The rows of a figure from its top, the left pixel in the highest bit.
fn rows(role: Role) -> [u8; 8] {
    match role {
        Role::Pawn => [
            0b0000_0000, //
            0b0001_1000,
            0b0011_1100,
            0b0011_1100,
            0b0001_1000,
            0b0011_1100,
            0b0111_1110,
            0b0000_0000,
        ],
        Role::Knight => [
            0b0000_1000, //
            0b0001_1100,
            0b0011_0110,
            0b0111_1110,
            0b0110_1110,
            0b0001_1110,
            0b0111_1110,
            0b0000_0000,
        ],
        Role::Bishop => [
            0b0001_1000, //
            0b0011_0100,
            0b0110_1110,
            0b0111_1110,
            0b0011_1100,
            0b0001_1000,
            0b0111_1110,
            0b0000_0000,
        ],
        Role::Rook => [
            0b0000_0000, //
            0b0101_1010,
            0b0111_1110,
            0b0011_1100,
            0b0011_1100,
            0b0011_1100,
            0b0111_1110,
            0b0000_0000,
        ],
        Role::Queen => [
            0b0001_1000, //
            0b0100_0010,
            0b0101_1010,
            0b0111_1110,
            0b0111_1110,
            0b0011_1100,
            0b0111_1110,
            0b0000_0000,
        ],
        Role::King => [
            0b0001_1000, //
            0b0111_1110,
            0b0001_1000,
            0b0011_1100,
            0b0111_1110,
            0b0011_1100,
            0b0111_1110,
            0b0000_0000,
        ],
    }
}

/// Colours of a figure and of its outline.
#[derive(Debug, Clone, Copy)]
pub struct Inks {
    pub figure: Color,
    pub edge: Color,
}

/// Draws a figure into the middle of a square.
pub fn draw_figure(role: Role, inks: Inks, cell: Rect, buffer: &mut Buffer) {
    let pixel = |x: i32, y: i32| pixel(rows(role), x, y, inks);
    let left = (i32::from(cell.width) - SIZE) / 2;
    let top = (2 * i32::from(cell.height) - SIZE).div_euclid(2);
    for (row, y) in (0_i32..).zip(cell.top()..cell.bottom()) {
        for (column, x) in (0_i32..).zip(cell.left()..cell.right()) {
            let upper = pixel(column - left, 2 * row - top);
            let lower = pixel(column - left, 2 * row + 1 - top);
            let Some(cell) = buffer.cell_mut(Position::new(x, y)) else { continue };
            match (upper, lower) {
                (Some(upper), Some(lower)) => cell.set_symbol("▀").set_fg(upper).set_bg(lower),
                (Some(upper), None) => cell.set_symbol("▀").set_fg(upper),
                (None, Some(lower)) => cell.set_symbol("▄").set_fg(lower),
                (None, None) => cell,
            };
        }
    }
}

/// The colour of a pixel; `None` if the square shows through.
fn pixel(rows: [u8; 8], x: i32, y: i32, inks: Inks) -> Option<Color> {
    let is_set = |x: i32, y: i32| {
        let row = usize::try_from(y).ok().and_then(|y| rows.get(y));
        row.is_some_and(|row| (0..SIZE).contains(&x) && row & (0x80 >> x) != 0)
    };
    if is_set(x, y) {
        return Some(inks.figure);
    }
    let beside = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)];
    beside.into_iter().any(|(x, y)| is_set(x, y)).then_some(inks.edge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_differ_and_leave_room_for_outlines() {
        for role in Role::ALL {
            let rows = rows(role);
            assert!(rows.iter().all(|row| row & 0b1000_0001 == 0), "{role:?}");
            assert_eq!(rows.last(), Some(&0), "{role:?}");
            let same = Role::ALL.into_iter().filter(|other| super::rows(*other) == rows).count();
            assert_eq!(same, 1, "{role:?}");
        }
    }

    #[test]
    fn a_pixel_is_the_figure_its_edge_or_the_square() {
        let inks = Inks { figure: Color::Black, edge: Color::White };
        let at = |x, y| pixel(rows(Role::Pawn), x, y, inks);
        assert_eq!(at(3, 1), Some(Color::Black));
        assert_eq!(at(3, 0), Some(Color::White));
        assert_eq!(at(0, 0), None);
    }
}
