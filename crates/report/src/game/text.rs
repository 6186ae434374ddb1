//! A played game as a table: a line for each move.

use std::io::{self, Write};

use shakmaty::Position;

use crate::game::summary::GameSummary;
use crate::game::{AnnotatedGame, event, title};
use crate::tree::movetext::sign_of_nag;
use deepanalyze_core::printable::printable;
use deepanalyze_view::{Left, PointOfView, Right, numbered_move, play, seen, table_lines};

/// Writes a game: its engine, its accuracy, and each move with its score, its glyph and the better
/// move, if any.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_game_text(
    game: &AnnotatedGame,
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", printable(&title(&game.heading)))?;
    let event = event(&game.heading);
    if !event.is_empty() {
        writeln!(out, "{}", printable(&event))?;
    }
    if let Some(GameSummary { engine, analysed, accuracy, worst }) = GameSummary::of(game) {
        writeln!(out, "engine    {engine}")?;
        writeln!(out, "analysed  {analysed} positions")?;
        if let Some(accuracy) = accuracy {
            writeln!(out, "accuracy  {accuracy}")?;
        }
        if !worst.is_empty() {
            writeln!(out, "worst     {}", worst.join(", "))?;
        }
    }
    writeln!(out, "score     {}\n", pov.whose())?;
    let heading = ["ply", "move", "score", "glyph", "better"].map(str::to_owned);
    let rows = std::iter::once(heading).chain(rows(game, pov));
    let mut lines = table_lines([Right, Left, Right, Left, Left], rows).into_iter();
    lines.try_for_each(|line| writeln!(out, "{line}"))
}

/// Ply, move, score, glyph and better move.
fn rows(game: &AnnotatedGame, pov: PointOfView) -> Vec<[String; 5]> {
    let (mut position, mut rows) = (game.game.start().clone(), Vec::new());
    let judged = game.annotations.iter().zip(&game.positions).zip(game.game.moves());
    for (ply, ((annotation, here), uci)) in (1..).zip(judged) {
        let turn = position.turn();
        let score = annotation.played.map(|played| seen(played, turn, pov).to_string());
        let best = here.best.as_ref().filter(|_| annotation.glyph.is_some());
        let better = best.and_then(|best| {
            let first = numbered_move(&position, *best.moves.first()?);
            Some(format!("{first} {}", seen(best.value, turn, pov)))
        });
        rows.push([
            usize::to_string(&ply),
            numbered_move(&position, *uci),
            score.unwrap_or_default(),
            annotation.glyph.map(sign_of_nag).unwrap_or_default().to_owned(),
            better.unwrap_or_default(),
        ]);
        play(&mut position, *uci);
    }
    rows
}
