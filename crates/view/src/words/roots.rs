//! Names of roots: the game that it comes from, its opening, its last moves.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{
    Game, Heading, Opening, date_of, epd_of, number_in_chess960, opening_of, reason_for_chess960,
};

use crate::words::figures::one_line;
use crate::words::{numbered_line, play};

/// This many moves tell a root from others if nothing else does.
const LAST_MOVES: usize = 3;

/// The move that led to a game's last position, with its number: `18... Rc8`.
pub fn last_move(game: &Game) -> String {
    let Some((last, before)) = game.moves().split_last() else {
        return "start".to_owned();
    };
    numbered_line(game.up_to(before.len()).root(), &[*last])
}

/// The name of a root from the tags of its game: `Carlsen–Caruana 2018, 18... Rc8`. `None` if they
/// name neither the players nor the event, and for the initial position, which is of no game.
pub fn name_of_game(heading: &Heading, game: &Game) -> Option<String> {
    if *game.root() == Chess::default() {
        return None;
    }
    let tag = |name| known_tag(heading, name);
    let who = match (tag("White"), tag("Black")) {
        (None, None) => tag("Event")?,
        (white, black) => {
            let known = |player: Option<String>| player.as_deref().map_or("?", surname).to_owned();
            format!("{}–{}", known(white), known(black))
        }
    };
    let year = tag("Date").or_else(|| tag("UTCDate")).map_or(0, |date| date_of(&date) / 10_000);
    let year = if year > 0 { format!(" {year}") } else { String::new() };
    Some(format!("{who}{year}, {}", last_move(game)))
}

/// A tag on one line, if known: PGN writes `?` and `-` for unknown values.
pub fn known_tag(heading: &Heading, name: &str) -> Option<String> {
    let text = heading.tag(name).map(one_line)?;
    text.chars().any(char::is_alphanumeric).then_some(text)
}

/// The opening of the last position with a name, in a game and on a line behind it.
pub fn last_opening(game: &Game, line: &[UciMove]) -> Option<Opening> {
    let (mut position, mut found) = (game.start().clone(), opening_of(game.start()));
    for uci in game.moves().iter().chain(line) {
        play(&mut position, *uci);
        found = opening_of(&position).or(found);
    }
    found
}

/// The part before the comma: `Carlsen` of `Carlsen, Magnus`.
fn surname(player: &str) -> &str {
    player.split_once(',').map_or(player, |(surname, _)| surname).trim_end()
}

/// A Chess960 position in words: `Chess960`, with the right that makes it so if it is no starting
/// position.
pub fn describe_chess960(position: &Chess) -> String {
    match reason_for_chess960(position) {
        Some(reason) => format!("Chess960 ({reason})"),
        None => "Chess960".to_owned(),
    }
}

/// A description of a root without a name: its opening, with the last move if the opening goes on
/// behind it (`9. Qd2, Sicilian Defense: Najdorf Variation`), else its last moves, else its
/// position.
pub fn describe_root(game: &Game) -> String {
    if let Some(opening) = opening_of(game.root()) {
        return opening.name.to_owned();
    }
    if game.moves().is_empty() {
        return describe_position(game.root());
    }
    if let Some(opening) = game.positions().filter_map(|position| opening_of(&position)).last() {
        return format!("{}, {}", last_move(game), opening.name);
    }
    let first = game.moves().len().saturating_sub(LAST_MOVES);
    let dots = if first > 0 { "… " } else { "" };
    let moves = game.moves().get(first..).unwrap_or_default();
    format!("{dots}{}", numbered_line(game.up_to(first).root(), moves))
}

fn describe_position(root: &Chess) -> String {
    if *root == Chess::default() {
        return "initial position".to_owned();
    }
    if let Some(number) = number_in_chess960(root) {
        return format!("Chess960, position {number}");
    }
    let turn = match root.turn() {
        Color::White => "White",
        Color::Black => "Black",
    };
    let epd = epd_of(root);
    format!("{}, {turn} to move", epd.split(' ').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::{WrittenGame, written_game};

    fn game(start: &str, moves: &str) -> Game {
        let mut game = Game::from_start(start).unwrap();
        game.play_line(moves).unwrap();
        game
    }

    #[test]
    fn a_game_is_called_by_its_players_year_and_last_move() {
        let name = |tags: &str| {
            let pgn = format!("{tags}\n1. e4 e5 2. Nf3 *\n");
            let WrittenGame { game, heading, .. } = written_game(pgn.as_bytes(), 1, None).unwrap();
            name_of_game(&heading, &game)
        };
        let cases = [
            (
                "[White \"Carlsen, Magnus\"]\n[Black \"Caruana,F\"]\n[Date \"2018.11.09\"]\n",
                Some("Carlsen–Caruana 2018, 2. Nf3"),
            ),
            (
                "[Event \"WS/M/123\"]\n[White \"Ann Lee\"]\n[Black \"?\"]\n[Date \"????.??.??\"]\n",
                Some("Ann Lee–?, 2. Nf3"),
            ),
            (
                "[Event \"My study\"]\n[White \"?\"]\n[Black \"-\"]\n[Date \"2026\"]\n",
                Some("My study 2026, 2. Nf3"),
            ),
            (
                "[White \"Lee\"]\n[Black \"Ito\"]\n[Date \"30.05.2024\"]\n",
                Some("Lee–Ito 2024, 2. Nf3"),
            ),
            (
                "[White \"Lee\"]\n[Black \"Ito\"]\n[Date \"Sun Jul 09 2023\"]\n",
                Some("Lee–Ito 2023, 2. Nf3"),
            ),
            ("[Event \"?\"]\n[White \"\"]\n", None),
            ("", None),
        ];
        for (tags, right) in cases {
            assert_eq!(name(tags).as_deref(), right, "{tags}");
        }
        let heading = deepanalyze_core::chess::Heading {
            tags: vec![("White".into(), "A".into())],
            result: None,
        };
        assert_eq!(name_of_game(&heading, &game("startpos", "")), None);
        let from_fen = game("4k3/8/8/8/8/8/4P3/4K3 b - - 0 7", "");
        assert_eq!(name_of_game(&heading, &from_fen).as_deref(), Some("A–?, start"));
    }

    #[test]
    fn unnamed_roots_are_described_distinctly() {
        let pawns = "4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1";
        let cases = [
            ("startpos", "", "initial position"),
            ("960:959", "", "Chess960, position 959"),
            ("startpos", "e4 e5 Nf3 Nc6 Bb5", "Ruy Lopez"),
            ("startpos", "e4 e5 Nf3 Nc6 Bb5 a6 Rg1", "4. Rg1, Ruy Lopez: Morphy Defense"),
            (pawns, "", "4k3/3pp3/8/8/8/8/3PP3/4K3, White to move"),
            (pawns, "e4", "1. e4"),
            (pawns, "e4 e5 d4 d5", "… 1... e5 2. d4 d5"),
        ];
        for (start, moves, right) in cases {
            assert_eq!(describe_root(&game(start, moves)), right, "{start} {moves}");
        }
    }
}
