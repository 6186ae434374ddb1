//! Reviewed games as PGN: a comment where a game left the repertoire, and the repertoire's move as
//! a variation.

use std::io::{self, Write};

use shakmaty::Chess;

use deepanalyze_core::chess::Remark;

use crate::game::AnnotatedGame;
use crate::game::marks::without_ours;
use crate::game::pgn::{write_played, write_remarks};
use crate::review::text::DepartureWords;
use crate::review::{Departure, Review, ReviewedGame};
use crate::tree::movetext::Movetext;
use deepanalyze_view::PointOfView;

/// Writes the games as they were played, with their own tags, comments and variations; games that
/// never reached the repertoire, or were over before they left, have nothing new.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_review_pgn(
    review: &Review<'_>,
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (index, game) in review.games.iter().enumerate() {
        // A blank line separates games.
        if index > 0 {
            writeln!(out)?;
        }
        write_game(game, pov, out)?;
    }
    Ok(())
}

fn write_game(game: &ReviewedGame, pov: PointOfView, out: &mut dyn Write) -> io::Result<()> {
    let departure = game.course.departure();
    let written = &game.written;
    let as_played = AnnotatedGame {
        game: written.game.clone(),
        heading: written.heading.clone(),
        remarks: written.remarks.iter().map(|remarks| without_ours(remarks)).collect(),
        positions: Vec::new(),
        annotations: Vec::new(),
        annotator: String::new(),
    };
    write_played(&as_played, None, out, |index, position, remarks, text| {
        match departure.filter(|departure| departure.ply == index) {
            Some(departure) => {
                let words = DepartureWords::of(&written.game, departure, pov);
                write_departure(departure, &words, remarks, position, text)
            }
            None => write_remarks(remarks, text),
        }
    })
}

/// Ours comes after the game's own comments and before its own variations.
fn write_departure(
    departure: &Departure,
    words: &DepartureWords,
    remarks: &[Remark],
    position: &Chess,
    text: &mut Movetext<'_>,
) -> io::Result<()> {
    let first = remarks.iter().position(|remark| *remark == Remark::Open);
    let (behind, variations) = remarks.split_at(first.unwrap_or(remarks.len()));
    write_remarks(behind, text)?;
    text.comment(&words.comment())?;
    if words.has_right() {
        let others = departure.right.iter().skip(1).map(|m| vec![m.named.uci]);
        for line in [departure.line.clone()].into_iter().chain(others) {
            text.open()?;
            text.write_line(position, &line, None)?;
            text.close()?;
        }
    }
    write_remarks(variations, text)
}
