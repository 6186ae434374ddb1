//! Nets of Maia beside worked answers, and synthetic ones beside another implementation.

mod answers;
mod damage;
mod maia;
mod reference;

use deepanalyze_core::chess::Game;

use crate::past::Past;

/// A game from a start with moves.
fn game(start: &str, moves: &str) -> Game {
    let mut game = Game::from_start(start).unwrap();
    game.play_line(moves).unwrap();
    game
}

fn past(start: &str, moves: &str) -> Past {
    Past::of_game(&game(start, moves))
}
