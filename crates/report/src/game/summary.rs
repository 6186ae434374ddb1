//! Summary of an annotated game: its engine, how it was played, and a table with a line for each
//! move.

use std::io;
use std::io::Write;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::Ending;
use deepanalyze_core::printable::printable;
use deepanalyze_view::{
    Left, PointOfView, Right, numbered_move, one_line, play, seen, table_lines,
};

use crate::game::AnnotatedGame;
use crate::game::accuracy::{Accuracy, behind_accuracy};
use crate::game::reading::described_engine;
use crate::tree::movetext::sign_of_nag;

use super::{event, title};

const BEGINS: &str = "Annotated by deepanalyze with ";
const ANALYSED: &str = ". Analysed: ";
const POSITIONS: &str = " positions.";
const ACCURACY: &str = " Accuracy: ";
const WORST: &str = " Worst moves: ";

/// The most bad moves that are named.
const MOST_NAMED: usize = 3;

/// A game as a whole.
pub struct GameSummary {
    /// The engine with its limits.
    pub engine: String,
    /// Number of its analysed positions: `88 of 88`.
    pub analysed: String,
    /// Its accuracy; `None` if no move is judged.
    pub accuracy: Option<Accuracy>,
    /// The moves that lose most, the worst first, with their glyphs: `24... cxd4??`.
    pub worst: Vec<String>,
}

impl GameSummary {
    /// `None` if no position is analysed.
    pub fn of(game: &AnnotatedGame) -> Option<GameSummary> {
        if !game.is_analysed() {
            return None;
        }
        let start = std::iter::once(game.game.start().clone());
        let positions: Vec<Chess> = start.chain(game.game.positions()).collect();
        let open = positions.iter().filter(|position| Ending::of(position).is_none()).count();
        let analysed = game.positions.iter().filter(|one| one.row.is_some() && one.best.is_some());
        let named = worst_moves(game).into_iter().filter_map(|(ply, uci, glyph)| {
            Some(numbered_move(positions.get(ply)?, uci) + sign_of_nag(glyph))
        });
        Some(GameSummary {
            engine: described_engine(game.positions.iter().filter_map(|one| one.row.as_ref())),
            analysed: format!("{} of {open}", analysed.count()),
            accuracy: game.accuracy(),
            worst: named.collect(),
        })
    }

    /// The comment before the first move.
    pub fn comment(&self) -> String {
        let GameSummary { engine, analysed, accuracy, worst } = self;
        let engine = engine.replace('}', ")");
        let mut text = format!("{BEGINS}{engine}{ANALYSED}{analysed}{POSITIONS}");
        if let Some(accuracy) = accuracy {
            text += &format!("{ACCURACY}{accuracy}.");
        }
        if !worst.is_empty() {
            text += &format!("{WORST}{}.", worst.join(", "));
        }
        one_line(&text)
    }
}

/// The moves that lose most, the worst first: ply, move and glyph.
fn worst_moves(game: &AnnotatedGame) -> Vec<(usize, UciMove, u8)> {
    let judged = game.annotations.iter().zip(&game.positions).zip(game.game.moves()).enumerate();
    let bad = judged.filter_map(|(ply, ((annotation, position), uci))| {
        let (glyph, played) = annotation.glyph.zip(annotation.played)?;
        let best = position.best.as_ref()?.value;
        let loss = best.winning_chances() - played.winning_chances();
        Some((loss, (ply, *uci, glyph)))
    });
    let mut bad: Vec<(f64, _)> = bad.collect();
    bad.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    bad.into_iter().take(MOST_NAMED).map(|(_, named)| named).collect()
}

/// A comment without our comment on the game, and otherwise complete.
pub fn without_summary(comment: &str) -> String {
    let found = comment.split_once(BEGINS).and_then(|(before, rest)| {
        let (_, rest) = rest.split_once(ANALYSED)?;
        let (count, rest) = rest.split_once(POSITIONS)?;
        let is_count = count.split(" of ").all(|number| number.parse::<usize>().is_ok());
        is_count.then_some((before, behind_worst(behind_accuracy_sentence(rest))))
    });
    found.map_or_else(
        || comment.to_owned(),
        |(before, behind)| one_line(&format!("{before} {behind}")),
    )
}

fn behind_accuracy_sentence(text: &str) -> &str {
    text.strip_prefix(ACCURACY).and_then(behind_accuracy).unwrap_or(text)
}

/// Each named move ends with its glyph.
fn behind_worst(text: &str) -> &str {
    let named = text.strip_prefix(WORST);
    let end =
        named.and_then(|named| [named.find("?."), named.find("!.")].into_iter().flatten().min());
    named.zip(end).and_then(|(named, end)| named.get(end + 2..)).unwrap_or(text)
}

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
