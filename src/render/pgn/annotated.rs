//! A played game as PGN, its moves annotated from the trees of its positions.

use std::io::{self, Write};

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::analysis::Annotation;
use crate::chess::{Game, Heading, Value, fen_of, san_of};
use crate::render::words::after;
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
    /// What there is to say of each move.
    pub annotations: Vec<Annotation>,
    /// Whose verdicts they are.
    pub annotator: String,
}

/// Writes a game as it was played, with its own tags. A move has `[%eval]`, a glyph by its loss of
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
    text.comment(&format!("{LEGEND} {}.", pov.whose()))?;
    let mut position = game.game.start().clone();
    for (index, uci) in game.game.moves().iter().enumerate() {
        text.write_move(&position, &san_of(&position, *uci))?;
        if let Some(annotation) = game.annotations.get(index) {
            write_annotation(annotation, (&position, uci), pov, &mut text)?;
        }
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
    tag("Annotator", &game.annotator)?;
    writeln!(out)
}

/// The glyph, the comment and the better line of a move that is played in a position.
fn write_annotation(
    annotation: &Annotation,
    (position, uci): (&Chess, &UciMove),
    pov: PointOfView,
    text: &mut Movetext<'_>,
) -> io::Result<()> {
    let Some(played) = annotation.played else {
        return Ok(());
    };
    let better = annotation.better.as_ref();
    if let Some(nag) = better.and_then(|better| nag_of_move(better.alpha, played)) {
        text.nag(nag)?;
    }
    // After a mate there is nothing left to evaluate.
    if !after(position, [uci]).is_checkmate() {
        text.comment(&format!("[%eval {}]", eval_of(played, position)))?;
    }
    let Some(better) = better else {
        return Ok(());
    };
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

/// `[%eval]` for White, of a value for the mover.
fn eval_of(value: Value, position: &Chess) -> String {
    eval_tag(seen(value, position.turn(), PointOfView::White))
}
