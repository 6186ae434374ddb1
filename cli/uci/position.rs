//! The position that a GUI gives, and the moves that it names.

use shakmaty::CastlingMode;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, parse_uci};
use deepanalyze_core::uci::Position;

/// The game up to a position. Where a move is not legal, the moves before it are the game, and it is said what
/// is wrong: GUIs of all kinds send such, and an engine goes on with what it understands.
///
/// # Errors
///
/// What is wrong with the FEN.
pub fn game(position: &Position) -> Result<(Game, Option<String>), String> {
    let start = position.fen.as_deref().unwrap_or("startpos");
    let mut game = Game::from_start(start).map_err(|error| error.to_string())?;
    for (index, text) in position.moves.iter().enumerate() {
        let Some(m) = parse_uci(text).and_then(|uci| uci.to_move(game.root()).ok()) else {
            let wrong = format!("move {} of the position, {text:?}, is not legal", index + 1);
            return Ok((game, Some(wrong)));
        };
        game.play(m);
    }
    Ok((game, None))
}

/// The moves of `searchmoves` that are legal, each once; with what is wrong with the others.
pub fn search_moves(game: &Game, texts: &[String]) -> (Vec<UciMove>, Vec<String>) {
    let (mut moves, mut wrong) = (Vec::new(), Vec::new());
    for text in texts {
        match parse_uci(text).and_then(|uci| uci.to_move(game.root()).ok()) {
            Some(m) => {
                let uci = m.to_uci(CastlingMode::Standard);
                if !moves.contains(&uci) {
                    moves.push(uci);
                }
            }
            None => wrong.push(format!("{text:?} is not legal here")),
        }
    }
    (moves, wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::uci::{Command, parse};

    fn given(line: &str) -> Result<(Game, Option<String>), String> {
        match parse(line)? {
            Command::Position(position) => game(&position),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_moves_before_one_that_is_not_legal_are_the_game() {
        let (whole, none) = given("position startpos moves e2e4 e7e5 g1f3\r").unwrap();
        assert_eq!((whole.moves().len(), none), (3, None));
        let (part, wrong) = given("position startpos moves e2e4 e7e6 e4e6 g1f3").unwrap();
        assert_eq!(part.moves().len(), 2);
        assert!(wrong.is_some_and(|wrong| wrong.contains("move 3") && wrong.contains("e4e6")));
        assert!(given("position fen 8/8/8/8/8/8/8/8 w - - 0 1").is_err());
        let (castled, _) =
            given("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1h1 e8e7").unwrap();
        assert_eq!(castled.moves()[0].to_string(), "e1g1");
    }

    #[test]
    fn moves_to_search_that_are_not_legal_are_left_out() {
        let (start, _) = given("position startpos").unwrap();
        let texts = ["e2e4", "e2e5", "e2e4", "xyz"].map(str::to_owned);
        let (moves, wrong) = search_moves(&start, &texts);
        assert_eq!((moves.len(), wrong.len()), (1, 2));
    }
}
