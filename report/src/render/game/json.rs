//! Games as one JSON array. The format is public; `"format": 1` names it in each object.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::analysis::Annotation;
use crate::render::pgn::glyph_of;
use crate::render::words::{BreadthObject, EngineObject, after};
use deepanalyze_core::chess::{Score, epd_of, fen_of, san_of};

use super::{AnnotatedGame, JudgedPosition};

/// A game as programs, and the page, read it. Scores are the mover's.
#[derive(Serialize)]
pub struct GameObject<'a> {
    format: u32,
    tags: BTreeMap<&'a str, &'a str>,
    result: &'a str,
    /// FEN of the position in which it began.
    start: String,
    /// Null where no position is analysed.
    engine: Option<EngineObject<'a>>,
    #[serde(flatten)]
    breadth: Option<BreadthObject>,
    positions: Vec<PositionObject>,
}

#[derive(Serialize)]
struct PositionObject {
    ply: usize,
    epd: String,
    analysis: Option<i64>,
    depth: Option<DepthObject>,
    positions: Option<u64>,
    searches: Option<u64>,
    /// Its alpha, for its side to move.
    value: Option<Score>,
    best: Vec<MoveObject>,
    /// Null behind the last move.
    played: Option<PlayedObject>,
}

#[derive(Serialize)]
struct DepthObject {
    settled: Option<u32>,
    target: u32,
}

#[derive(Serialize)]
struct MoveObject {
    uci: String,
    san: String,
}

#[derive(Serialize)]
struct PlayedObject {
    #[serde(flatten)]
    of: MoveObject,
    /// What it is worth, for its mover.
    value: Option<Score>,
    /// Whether the best line is better by the distance or more.
    better: bool,
    /// Of its loss of winning chances.
    glyph: Option<u8>,
}

/// Writes games with the verdicts on their positions.
///
/// # Errors
///
/// Those of `out`.
pub fn write_games_json(games: &[AnnotatedGame], out: &mut dyn Write) -> io::Result<()> {
    let objects: Vec<GameObject<'_>> = games.iter().map(GameObject::of).collect();
    writeln!(out, "{}", serde_json::to_string(&objects)?)
}

impl<'a> GameObject<'a> {
    /// Of a game.
    pub fn of(game: &'a AnnotatedGame) -> GameObject<'a> {
        let tags = game.heading.tags.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let (mut position, mut positions) = (game.game.start().clone(), Vec::new());
        for (ply, judged) in game.positions.iter().enumerate() {
            let (uci, annotation) = (game.game.moves().get(ply), game.annotations.get(ply));
            let played = uci.zip(annotation).map(|(uci, said)| played(&position, *uci, said));
            positions.push(position_object((ply, &position), judged, played));
            position = after(&position, uci);
        }
        let kind = game.kind();
        GameObject {
            format: 1,
            tags: tags.collect(),
            result: game.result(),
            start: fen_of(game.game.start()),
            engine: kind.map(|row| EngineObject::of(&row.profile)),
            breadth: kind.map(|row| BreadthObject::of(&row.breadth)),
            positions,
        }
    }
}

fn position_object(
    (ply, position): (usize, &Chess),
    JudgedPosition { row, judgement }: &JudgedPosition,
    played: Option<PlayedObject>,
) -> PositionObject {
    let row = row.as_ref();
    let depth = |settled, target| DepthObject { settled, target };
    PositionObject {
        ply,
        epd: epd_of(position),
        analysis: row.map(|row| row.id.0),
        depth: row.map(|row| depth(row.settled_depth, row.target_depth)),
        positions: row.map(|row| row.positions),
        searches: row.map(|row| row.searches),
        value: judgement.as_ref().map(|judgement| Score::from(judgement.value)),
        best: judgement.iter().flat_map(|judgement| line(position, &judgement.best)).collect(),
        played,
    }
}

fn played(position: &Chess, uci: UciMove, said: &Annotation) -> PlayedObject {
    PlayedObject {
        of: move_object(position, uci),
        value: said.played.map(Score::from),
        better: said.better.is_some(),
        glyph: glyph_of(said),
    }
}

fn line(start: &Chess, moves: &[UciMove]) -> Vec<MoveObject> {
    let mut position = start.clone();
    let mut object = |uci: &UciMove| {
        let object = move_object(&position, *uci);
        position = after(&position, [uci]);
        object
    };
    moves.iter().map(&mut object).collect()
}

fn move_object(position: &Chess, uci: UciMove) -> MoveObject {
    MoveObject { uci: uci.to_string(), san: san_of(position, uci) }
}
