//! Men won and lost along a line, as the board has them.

use serde::Serialize;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position, Role};

use crate::words::play;

/// Roles by their worth, the greatest first.
const ROLES: [Role; 5] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];

/// Number of men of each of [`ROLES`]: lost ones less new ones.
type Lost = [i32; 5];

/// Men lost by both sides at the end of a line; equal losses cancel out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MenChange {
    /// The line's moves from which on it stays so.
    pub plies: usize,
    /// In words: `White has two pawns for a knight`.
    pub words: String,
}

impl MenChange {
    /// Along a line of legal moves; `None` if both sides have lost alike, and of a line that ends with a capture or a
    /// promotion: what comes back behind it is not known.
    pub fn along(start: &Chess, line: &[UciMove]) -> Option<MenChange> {
        let mut position = start.clone();
        let mut changes = vec![change(start, start)];
        for uci in line {
            play(&mut position, *uci);
            changes.push(change(start, &position));
        }
        let [.., before, last] = changes[..] else { return None };
        if before != last {
            return None;
        }
        let words = words(last)?;
        let before = changes.iter().rposition(|change| *change != last)?;
        Some(MenChange { plies: before + 1, words })
    }
}

/// White's losses less Black's.
fn change(start: &Chess, now: &Chess) -> Lost {
    let men = |position: &Chess, color: Color, role: Role| {
        i32::try_from((position.board().by_color(color) & position.board().by_role(role)).count())
            .unwrap_or(0)
    };
    ROLES.map(|role| {
        let lost = |color| men(start, color, role) - men(now, color, role);
        lost(Color::White) - lost(Color::Black)
    })
}

/// A change in words; `None` if there is none.
fn words(change: Lost) -> Option<String> {
    let of = |sign: i32| {
        let lost = ROLES.iter().zip(change).filter(|(_, men)| men * sign > 0);
        let named: Vec<String> = lost.map(|(role, men)| named(*role, men.unsigned_abs())).collect();
        match &named[..] {
            [] => None,
            [one] => Some(one.clone()),
            [some @ .., last] => Some(format!("{} and {last}", some.join(", "))),
        }
    };
    match (of(1), of(-1)) {
        (None, None) => None,
        (Some(lost), None) => Some(format!("White is {lost} down")),
        (None, Some(lost)) => Some(format!("Black is {lost} down")),
        (Some(white), Some(black)) => Some(format!("White has {black} for {white}")),
    }
}

fn named(role: Role, men: u32) -> String {
    let name = match role {
        Role::Queen => "queen",
        Role::Rook => "rook",
        Role::Bishop => "bishop",
        Role::Knight => "knight",
        Role::Pawn => "pawn",
        Role::King => "king",
    };
    const NUMBERS: [&str; 9] = ["no", "a", "two", "three", "four", "five", "six", "seven", "eight"];
    match usize::try_from(men).ok().and_then(|men| NUMBERS.get(men)) {
        Some(&"a") => format!("a {name}"),
        Some(number) => format!("{number} {name}s"),
        None => format!("{men} {name}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Game;

    fn along(fen: &str, line: &str) -> Option<(usize, String)> {
        let start = Game::from_start(fen).unwrap();
        let mut game = Game::from_position(start.root().clone());
        game.play_line(line).unwrap();
        let change = MenChange::along(start.root(), game.moves())?;
        Some((change.plies, change.words))
    }

    #[test]
    fn men_are_told_once_the_exchanges_are_over() {
        let told = |words: &str, plies| Some((plies, words.to_owned()));
        assert_eq!(along("startpos", "e4 d5 exd5 Nc6"), told("Black is a pawn down", 3));
        assert_eq!(along("startpos", "e4 d5 exd5"), None, "it may come back");
        assert_eq!(along("startpos", "e4 d5 exd5 Qxd5"), None, "a pawn each");
        let bishops = "e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 Bc5 Nxf7 Ke7 Nxh8 Bxf2+ Kxf2 Qxh8";
        assert_eq!(along("startpos", bishops), None, "all of it is one exchange");
        let knight = "4k3/3p4/4p3/3N4/8/8/8/4K3 w - - 0 1";
        assert_eq!(along(knight, "Nc7+ Kd8"), None);
        assert_eq!(along(knight, "Ke2 exd5 Kd3"), told("White is a knight down", 2));
        assert_eq!(
            along("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=Q+ Kd7"),
            told("White has a queen for a pawn", 1)
        );
    }
}
