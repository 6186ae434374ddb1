//! A played game as PGN, its moves annotated by the verdicts on its positions.

use std::io::{self, Write};

use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Remark, WrittenGame};

use crate::game::AnnotatedGame;
use crate::game::accuracy::is_our_accuracy;
use crate::game::judged::{Annotation, Better};
use crate::game::ours::{annotators, legend, mark_of_line, mark_of_move, name_of, without_ours};
use crate::tree::movetext::{Movetext, nag_of_move};
use crate::tree::pgn::{eval_tag, start_tags, tag_value};
use deepanalyze_view::{PointOfView, after, one_line, seen};

/// The tag that says how accurately each side has played.
const ACCURACY: &str = "Accuracy";

/// Writes a game as it was played, with its own tags, comments, glyphs and variations. A move has `[%eval]`, a
/// glyph by its loss of winning chances, and the better line as a variation; a move of which nothing is known
/// has none of them. What an earlier annotation of ours has added gives way.
pub fn write_annotated(
    game: &AnnotatedGame,
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    let nothing = Annotation::default();
    write_played(game, Some(&legend(pov)), out, |index, position, remarks, text| {
        let annotation = game.annotations.get(index).unwrap_or(&nothing);
        write_annotation((annotation, remarks), position, pov, text)
    })
}

/// A game of a file as a text of its own, with its tags, comments, glyphs and variations.
pub fn game_alone(written: WrittenGame) -> String {
    let WrittenGame { game, heading, remarks, .. } = written;
    let (positions, annotations, annotator) = (Vec::new(), Vec::new(), String::new());
    let game = AnnotatedGame { game, heading, remarks, positions, annotations, annotator };
    let mut text = Vec::new();
    // Memory takes all.
    let _ =
        write_played(&game, None, &mut text, |_, _, remarks, text| write_remarks(remarks, text));
    String::from_utf8_lossy(&text).into_owned()
}

/// Writes a game as it was played, with a comment in front of its first move. `say` writes what there is to say behind
/// each move, by its number from 0 and the position in which it was played, with what others say there.
///
/// # Errors
///
/// Those of `out` and `say`.
pub fn write_played(
    game: &AnnotatedGame,
    first: Option<&str>,
    out: &mut dyn Write,
    mut say: impl FnMut(usize, &Chess, &[Remark], &mut Movetext<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let result = game.result();
    write_tags(game, result, out)?;
    let mut text = Movetext::new(out);
    write_remarks(&remarks_at(game, 0), &mut text)?;
    first.map_or(Ok(()), |first| text.comment(first))?;
    let mut position = game.game.start().clone();
    for (index, uci) in game.game.moves().iter().enumerate() {
        text.write_move(&position, *uci)?;
        say(index, &position, &remarks_at(game, index + 1), &mut text)?;
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
    // One tag of a name: somebody else's stays.
    let is_free = game.heading.tag(ACCURACY).is_none_or(is_our_accuracy);
    if let Some(accuracy) = game.accuracy().filter(|_| is_free) {
        tag(ACCURACY, &accuracy.to_string())?;
    }
    writeln!(out)
}

/// What others say in front of the first move, or behind the move of a number from 1.
fn remarks_at(game: &AnnotatedGame, index: usize) -> Vec<Remark> {
    game.remarks.get(index).map(|remarks| without_ours(remarks)).unwrap_or_default()
}

/// The glyph that a move deserves.
pub fn glyph_of(annotation: &Annotation) -> Option<u8> {
    let better = annotation.better.as_ref()?;
    nag_of_move(better.value, annotation.played?)
}

/// What there is to say of a move that is played in a position: glyphs, comments and variations of the
/// game's own, and ours in front of its own of the same kind.
fn write_annotation(
    (annotation, remarks): (&Annotation, &[Remark]),
    position: &Chess,
    pov: PointOfView,
    text: &mut Movetext<'_>,
) -> io::Result<()> {
    let first = remarks.iter().position(|remark| *remark == Remark::Open);
    let (behind, variations) = remarks.split_at(first.unwrap_or(remarks.len()));
    let own = behind.iter().filter_map(|remark| match remark {
        Remark::Glyph(glyph) => Some(*glyph),
        _ => None,
    });
    let own: Vec<u8> = own.collect();
    let (played, better) = (annotation.played, annotation.better.as_ref());
    // What the annotator thinks of the move stands.
    let is_judged = own.iter().any(|glyph| (1..=6).contains(glyph));
    let glyph = glyph_of(annotation).filter(|_| !is_judged);
    glyph.map_or(Ok(()), |glyph| text.nag(glyph))?;
    own.iter().try_for_each(|glyph| text.nag(*glyph))?;
    let evaluated = played.and_then(|played| eval_tag(played, position.turn()));
    if let Some(eval) = &evaluated {
        text.comment(&format!("{eval} {}", mark_of_move(glyph)))?;
    }
    for remark in behind {
        if let Remark::Comment(comment) = remark {
            write_comment(comment, evaluated.is_some(), text)?;
        }
    }
    if let Some(better) = better {
        write_better(better, position, pov, text)?;
    }
    write_remarks(variations, text)
}

fn write_better(
    better: &Better,
    position: &Chess,
    pov: PointOfView,
    text: &mut Movetext<'_>,
) -> io::Result<()> {
    let eval = eval_tag(better.value, position.turn());
    let eval = eval.map(|eval| eval + " ").unwrap_or_default();
    let (score, by) = (seen(better.value, position.turn(), pov), name_of(better.by));
    let mark = mark_of_line(better.line.len());
    text.open()?;
    text.write_line(position, &better.line, Some(&format!("{eval}{mark} {by} {score}")))?;
    text.close()
}

/// What a file says, as it stands there.
pub fn write_remarks(remarks: &[Remark], text: &mut Movetext<'_>) -> io::Result<()> {
    remarks.iter().try_for_each(|remark| match remark {
        Remark::Glyph(glyph) => text.nag(*glyph),
        Remark::Comment(comment) => write_comment(comment, false, text),
        Remark::Word(word) => text.word(word),
        Remark::Open => text.open(),
        Remark::Close => text.close(),
    })
}

/// A comment of the game's own. An evaluation in it gives way to ours.
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
