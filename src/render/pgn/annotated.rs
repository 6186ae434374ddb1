//! A played game as PGN, its moves annotated from the trees of its positions.

use std::io::{self, Write};

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::analysis::{Annotation, Better};
use crate::chess::{Game, Heading, Remark, Value, fen_of, san_of};
use crate::render::words::{after, one_line};
use crate::render::{PointOfView, seen};

use super::movetext::Movetext;
use super::nag::nag_of_move;
use super::tree::{eval_tag, tag_value};

/// What the comments say, in front of the first move.
const LEGEND: &str = "[%eval]: what the tree of the position behind the move says, for White; \
    alpha: what a better line is worth,";

/// A game with what there is to say of its moves.
#[derive(Debug, Clone)]
pub struct AnnotatedGame {
    /// The game.
    pub game: Game,
    /// Its tags and result.
    pub heading: Heading,
    /// What its file says in front of the first move, and then behind each move.
    pub remarks: Vec<Vec<Remark>>,
    /// What there is to say of each move.
    pub annotations: Vec<Annotation>,
    /// Whose verdicts they are.
    pub annotator: String,
}

/// Writes a game as it was played, with its own tags, comments, glyphs and variations. A move has `[%eval]`, a glyph by its loss of
/// winning chances, and the better line as a variation; a move of which nothing is known has none
/// of them.
pub fn write_annotated(
    game: &AnnotatedGame,
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    let result = result(game);
    write_tags(game, &result, out)?;
    let mut text = Movetext::new(out);
    write_remarks(game.remarks_at(0), &mut text)?;
    text.comment(&format!("{LEGEND} {}.", pov.whose()))?;
    let mut position = game.game.start().clone();
    for (index, uci) in game.game.moves().iter().enumerate() {
        text.write_move(&position, &san_of(&position, *uci))?;
        let nothing = Annotation::default();
        let annotation = game.annotations.get(index).unwrap_or(&nothing);
        let remarks = game.remarks_at(index + 1);
        write_annotation((annotation, remarks), (&position, uci), pov, &mut text)?;
        position = after(&position, [uci]);
    }
    text.end(&result)
}

fn result(game: &AnnotatedGame) -> String {
    let known = |result: &&str| ["1-0", "0-1", "1/2-1/2"].contains(result);
    let of_moves = game.heading.result.as_deref();
    let found = of_moves.filter(known).or(game.heading.tag("Result").filter(known));
    found.unwrap_or("*").to_owned()
}

fn write_tags(game: &AnnotatedGame, result: &str, out: &mut dyn Write) -> io::Result<()> {
    let ours = ["Result", "Annotator", "SetUp", "FEN"];
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
        let written = ours.contains(&name.as_str()) || roster.contains(&name.as_str());
        if is_name(name) && !written {
            tag(name, value)?;
        }
    }
    if *game.game.start() != Chess::default() {
        tag("SetUp", "1")?;
        tag("FEN", &fen_of(game.game.start()))?;
    }
    let annotator = match game.heading.tag("Annotator").filter(|own| !own.is_empty()) {
        Some(own) if own.contains(&game.annotator) => own.to_owned(),
        Some(own) => format!("{own}; {}", game.annotator),
        None => game.annotator.clone(),
    };
    tag("Annotator", &annotator)?;
    writeln!(out)
}

impl AnnotatedGame {
    /// What the file says in front of the first move, or behind the move of a number from 1.
    fn remarks_at(&self, index: usize) -> &[Remark] {
        self.remarks.get(index).map_or(&[], Vec::as_slice)
    }
}

/// What there is to say of a move that is played in a position: glyphs, comments and variations of the
/// game's own, and ours in front of its own of the same kind.
fn write_annotation(
    (annotation, remarks): (&Annotation, &[Remark]),
    (position, uci): (&Chess, &UciMove),
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
    if let Some((better, played)) = better.zip(played).filter(|_| !is_judged)
        && let Some(nag) = nag_of_move(better.alpha, played)
    {
        text.nag(nag)?;
    }
    own.iter().try_for_each(|glyph| text.nag(*glyph))?;
    // After a mate there is nothing left to evaluate.
    let evaluated = played.filter(|_| !after(position, [uci]).is_checkmate());
    if let Some(played) = evaluated {
        text.comment(&format!("[%eval {}]", eval_of(played, position)))?;
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
    text.open()?;
    let mut position = position.clone();
    for (index, uci) in better.line.iter().enumerate() {
        text.write_move(&position, &san_of(&position, *uci))?;
        if index == 0 {
            let eval = eval_of(better.alpha, &position);
            let alpha = seen(better.alpha, position.turn(), pov);
            text.comment(&format!("[%eval {eval}] alpha {alpha}"))?;
        }
        position = after(&position, [uci]);
    }
    text.close()
}

/// What a file says, as it stands there.
fn write_remarks(remarks: &[Remark], text: &mut Movetext<'_>) -> io::Result<()> {
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

/// `[%eval]` for White, of a value for the mover.
fn eval_of(value: Value, position: &Chess) -> String {
    eval_tag(seen(value, position.turn(), PointOfView::White))
}
