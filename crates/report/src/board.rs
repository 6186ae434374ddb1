//! A position as a small picture for a card: less than two kilobytes of SVG.

use std::fmt::Write as _;

use shakmaty::{Chess, Color, Piece, Position, Role, Square};

/// The dark squares as dashes of eight strokes.
const DARK: &str = "M1 .5h7M0 1.5h8M1 2.5h7M0 3.5h8M1 4.5h7M0 5.5h8M1 6.5h7M0 7.5h8";

/// A board seen from a side, as SVG that needs nothing else. The men are those of Unicode.
pub fn board(position: &Chess, from: Color) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 8 8\" width=\"320\" height=\"320\" \
        font-size=\".9\" text-anchor=\"middle\" style=\"font-variant-emoji:text\"><path fill=\"#f0d9b5\" d=\"M0 0h8v8H0z\"/>\
        <path stroke=\"#b58863\" stroke-dasharray=\"1\" d=\"{DARK}\"/>"
    );
    for colour in [Color::White, Color::Black] {
        push_men(position, colour, from, &mut svg);
    }
    svg.push_str("</svg>");
    svg
}

/// The men of a colour, a text for each: not every reader knows texts with several places.
fn push_men(position: &Chess, colour: Color, from: Color, svg: &mut String) {
    svg.push_str(match colour {
        Color::White => "<g fill=\"#fff\" stroke=\"#000\" stroke-width=\".03\">",
        Color::Black => "<g>",
    });
    let men = position.board().clone().into_iter();
    for (square, Piece { role, .. }) in men.filter(|(_, man)| man.color == colour) {
        let ((x, y), sign) = (place(square, from), sign(role));
        // Writing to a string cannot fail.
        let _ = write!(svg, "<text x=\"{x}.5\" y=\"{y}.82\">{sign}</text>");
    }
    svg.push_str("</g>");
}

/// The column from the left and the row from the top, both from 0.
fn place(square: Square, from: Color) -> (u32, u32) {
    let (file, rank) = (u32::from(square.file()), u32::from(square.rank()));
    from.fold_wb((file, 7 - rank), (7 - file, rank))
}

/// A filled man: white ones are painted.
fn sign(role: Role) -> char {
    match role {
        Role::Pawn => '♟',
        Role::Knight => '♞',
        Role::Bishop => '♝',
        Role::Rook => '♜',
        Role::Queen => '♛',
        Role::King => '♚',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::parse_fen;

    #[test]
    fn a_board_is_small_and_has_each_man_in_its_place() {
        let start = board(&Chess::default(), Color::White);
        assert!(start.len() < 2000, "{}", start.len());
        assert_eq!(start.matches("<text").count(), 32);
        let ending = parse_fen("4k3/8/8/8/8/8/4P3/K7 w - - 0 1").unwrap();
        let men = |from| {
            let svg = board(&ending, from);
            let texts = svg.split("<text x=").skip(1).map(|text| text.split_once('<').unwrap().0);
            texts.map(|text| text.replace(['"', '>'], "").replace("y=", "")).collect::<Vec<_>>()
        };
        assert_eq!(men(Color::White), ["0.5 7.82♚", "4.5 6.82♟", "4.5 0.82♚"]);
        assert_eq!(men(Color::Black), ["7.5 0.82♚", "3.5 1.82♟", "3.5 7.82♚"]);
    }
}
