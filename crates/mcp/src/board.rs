//! Positions for a client: moves as it writes them, and the board in words, as data and as a picture.

use std::fmt::Write as _;

use serde_json::json;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, File, Position, Rank, Square};

use deepanalyze_core::chess::{Ending, Game, fen_of, legal_uci, read_move, san_of};
use deepanalyze_core::claims::material;
use deepanalyze_report::board;
use deepanalyze_view::{NamedMove, name_of_line, numbered_line};

use crate::told::{Told, value};

/// A move of a position; an error names legal ones.
pub fn legal_move(position: &Chess, word: &str) -> Result<UciMove, String> {
    read_move(position, word).map_err(|error| format!("{error}; {}", legal_words(position)))
}

/// The legal moves of a position, in words.
fn legal_words(position: &Chess) -> String {
    let legal: Vec<String> =
        legal_uci(position).into_iter().map(|uci| san_of(position, uci)).collect();
    if legal.is_empty() {
        "the game is over there".to_owned()
    } else {
        format!("legal there: {}", legal.join(" "))
    }
}

/// Moves from a root; an error names the legal ones where it goes wrong.
pub fn read_line(game: &Game, line: &str) -> Result<Vec<UciMove>, String> {
    let mut played = Game::from_position(game.root().clone());
    let read = played.play_line(line);
    read.map_err(|error| format!("{error}; {}", legal_words(played.root())))?;
    Ok(played.moves().to_vec())
}

/// The position behind a line.
pub fn after(game: &Game, line: &[UciMove]) -> Chess {
    deepanalyze_view::after(game.root(), line)
}

/// A line with its side to move and FEN.
pub fn title(game: &Game, line: &[UciMove]) -> String {
    let position = after(game, line);
    let side = position.turn().fold_wb("White", "Black");
    format!("{}: {side} to move ({})", name_of_line(game.root(), line), fen_of(&position))
}

/// The board behind a line, in words, as data and as a picture.
pub fn board_of(game: &Game, line: &[UciMove]) -> Told {
    let position = after(game, line);
    let mut text = format!("{}\n", title(game, line));
    for rank in Rank::ALL.into_iter().rev() {
        let men = File::ALL.map(|file| {
            let man = position.board().piece_at(Square::from_coords(file, rank));
            man.map_or('.', |man| man.char()).to_string()
        });
        let _ = writeln!(text, "{} {}", rank.char(), men.join(" "));
    }
    text.push_str("  a b c d e f g h\n");
    let ending = Ending::of(&position).map(Ending::name);
    let state = match (ending, position.is_check()) {
        (Some(ending), _) => format!("the game is over: {ending}"),
        (None, true) => "check".to_owned(),
        (None, false) => String::new(),
    };
    if !state.is_empty() {
        let _ = writeln!(text, "{state}");
    }
    let ahead = material(&position);
    let _ = writeln!(text, "material, White's less Black's: {ahead}");
    let _ = writeln!(text, "{}", legal_words(&position));
    let moves: Vec<NamedMove> =
        legal_uci(&position).into_iter().map(|uci| NamedMove::of(&position, uci)).collect();
    let data = json!({
        "fen": fen_of(&position), "line": NamedMove::line(game.root(), line),
        "history": numbered_line(game.start(), game.moves()),
        "turn": position.turn().fold_wb("white", "black"), "is_check": position.is_check(),
        "ends": ending, "material": ahead, "legal": moves,
    });
    Told { text, data: value(data), picture: Some(board(&position, Color::White)) }
}
