//! A played game as PGN, its moves annotated by the verdicts on its positions.

use std::io::{self, Write};

use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Remark, WrittenGame};

use crate::game::AnnotatedGame;
use crate::game::accuracy::is_our_accuracy;
use crate::game::judged::JudgedLine;
use crate::game::marks::{annotators, mark_of_line, mark_of_move, without_ours};
use crate::game::summary::GameSummary;
use crate::tree::movetext::Movetext;
use crate::tree::pgn::{eval_tag, start_tags, tag_value};
use deepanalyze_view::{after, one_line};

/// The tag for the accuracy of each side.
const ACCURACY: &str = "Accuracy";

/// A better line has this many plies.
const PLIES: usize = 5;

/// Writes a game as it was played, with its own tags, comments, glyphs and variations, and a
/// comment on it before its first move. Moves have `[%eval]`; one that loses winning chances has a
/// glyph, and the better line as a variation.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_annotated(game: &AnnotatedGame, out: &mut dyn Write) -> io::Result<()> {
    let comment = GameSummary::of(game).map(|summary| summary.comment());
    write_played(game, comment.as_deref(), out, |ply, position, remarks, text| {
        write_annotation(game, ply, position, remarks, text)
    })
}

/// A game of a file as a text of its own, with its tags, comments, glyphs and variations.
pub fn game_alone(written: WrittenGame) -> String {
    let WrittenGame { game, heading, remarks, .. } = written;
    let remarks = remarks.iter().map(|remarks| without_ours(remarks)).collect();
    let (positions, annotations, annotator) = (Vec::new(), Vec::new(), String::new());
    let game = AnnotatedGame { game, heading, remarks, positions, annotations, annotator };
    let mut text = Vec::new();
    // Infallible: memory.
    let _ =
        write_played(&game, None, &mut text, |_, _, remarks, text| write_remarks(remarks, text));
    String::from_utf8_lossy(&text).into_owned()
}

/// Writes a game as it was played, with a comment before its first move. `say` writes the words
/// behind each move, by its number from 0 and the position before it, with the file's remarks
/// there.
///
/// # Errors
///
/// Errors of `out` and `say`.
pub fn write_played(
    game: &AnnotatedGame,
    first: Option<&str>,
    out: &mut dyn Write,
    mut say: impl FnMut(usize, &Chess, &[Remark], &mut Movetext<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let result = game.result();
    write_tags(game, result, out)?;
    let mut text = Movetext::new(out);
    write_remarks(remarks_at(game, 0), &mut text)?;
    first.map_or(Ok(()), |first| text.comment(first))?;
    let mut position = game.game.start().clone();
    for (index, uci) in game.game.moves().iter().enumerate() {
        text.write_move(&position, *uci)?;
        say(index, &position, remarks_at(game, index + 1), &mut text)?;
        position = after(&position, [uci]);
    }
    text.end(result)
}

fn write_tags(game: &AnnotatedGame, result: &str, out: &mut dyn Write) -> io::Result<()> {
    let ours = ["Result", "Annotator", "SetUp", "FEN"];
    let start = start_tags(game.game.start(), Some(&game.heading));
    let is_ours = |name: &str| {
        let mut all = ours.into_iter().chain(start.iter().map(|(one, _)| *one));
        all.any(|one| one.eq_ignore_ascii_case(name))
    };
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let mut tag = |name: &str, value: &str| writeln!(out, "[{name} \"{}\"]", tag_value(value));
    // The tags that every game has, then its own.
    let roster = ["Event", "Site", "Date", "Round", "White", "Black"];
    for name in roster {
        let unknown = if name == "Date" { "????.??.??" } else { "?" };
        tag(name, game.heading.tag(name).unwrap_or(unknown))?;
    }
    tag("Result", result)?;
    for (name, value) in &game.heading.tags {
        let written = is_ours(name)
            || roster.contains(&name.as_str())
            || name == ACCURACY && is_our_accuracy(value);
        if is_name(name) && !written {
            tag(name, value)?;
        }
    }
    start.iter().try_for_each(|(name, value)| tag(name, value))?;
    if let Some(annotator) = annotators(game.heading.tag("Annotator"), &game.annotator) {
        tag("Annotator", &annotator)?;
    }
    // One tag per name: a foreign one stays.
    let is_free = game.heading.tag(ACCURACY).is_none_or(is_our_accuracy);
    if let Some(accuracy) = game.accuracy().filter(|_| is_free) {
        tag(ACCURACY, &accuracy.to_string())?;
    }
    writeln!(out)
}

/// The file's remarks before the first move, or behind the move of a number from 1.
fn remarks_at(game: &AnnotatedGame, index: usize) -> &[Remark] {
    game.remarks.get(index).map_or(&[], Vec::as_slice)
}

/// Writes behind a move, by its ply and the position before it: glyphs, comments and variations of
/// the game's own, and ours before its own of the same kind.
fn write_annotation(
    game: &AnnotatedGame,
    ply: usize,
    position: &Chess,
    remarks: &[Remark],
    text: &mut Movetext<'_>,
) -> io::Result<()> {
    let annotation = game.annotations.get(ply).copied().unwrap_or_default();
    let first = remarks.iter().position(|remark| *remark == Remark::Open);
    let (behind, variations) = remarks.split_at(first.unwrap_or(remarks.len()));
    let own = behind.iter().filter_map(|remark| match remark {
        Remark::Glyph(glyph) => Some(*glyph),
        _ => None,
    });
    let own: Vec<u8> = own.collect();
    // The annotator's own judgement stays.
    let is_judged = own.iter().any(|glyph| (1..=6).contains(glyph));
    let glyph = annotation.glyph.filter(|_| !is_judged);
    glyph.map_or(Ok(()), |glyph| text.nag(glyph))?;
    own.iter().try_for_each(|glyph| text.nag(*glyph))?;
    let evaluated = annotation.played.and_then(|played| eval_tag(played, position.turn()));
    if let Some(eval) = &evaluated {
        text.comment(&format!("{eval} {}", mark_of_move(glyph)))?;
    }
    for remark in behind {
        if let Remark::Comment(comment) = remark {
            write_comment(comment, evaluated.is_some(), text)?;
        }
    }
    let best = game.positions.get(ply).and_then(|position| position.best.as_ref());
    if let Some(better) = best.filter(|_| annotation.glyph.is_some()) {
        write_better(better, position, text)?;
    }
    write_remarks(variations, text)
}

fn write_better(better: &JudgedLine, position: &Chess, text: &mut Movetext<'_>) -> io::Result<()> {
    let moves = better.moves.get(..PLIES).unwrap_or(&better.moves);
    let eval = eval_tag(better.value, position.turn());
    let eval = eval.map(|eval| eval + " ").unwrap_or_default();
    text.open()?;
    text.write_line(position, moves, Some(&format!("{eval}{}", mark_of_line(moves.len()))))?;
    text.close()
}

/// Writes a file's remarks unchanged.
pub fn write_remarks(remarks: &[Remark], text: &mut Movetext<'_>) -> io::Result<()> {
    remarks.iter().try_for_each(|remark| match remark {
        Remark::Glyph(glyph) => text.nag(*glyph),
        Remark::Comment(comment) => write_comment(comment, false, text),
        Remark::Word(word) => text.word(word),
        Remark::Open => text.open(),
        Remark::Close => text.close(),
    })
}

/// A comment of the game's own. Its evaluation gives way to ours.
fn write_comment(comment: &str, is_evaluated: bool, text: &mut Movetext<'_>) -> io::Result<()> {
    let mut comment = comment.replace('}', ")");
    while is_evaluated
        && let Some(start) = comment.find("[%eval")
        && let Some(end) = comment.get(start..).and_then(|rest| rest.find(']'))
    {
        comment.replace_range(start..=start + end, "");
    }
    let comment = one_line(&comment);
    if comment.is_empty() { Ok(()) } else { text.comment(&comment) }
}
