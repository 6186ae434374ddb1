//! A review in JSON.

use std::io::{self, Write};

use serde::Serialize;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, Value, epd_of};

use crate::review::{
    Compared, Course, Departure, LeftBy, PlaceLeft, Review, ReviewedGame, RightMove,
};
use deepanalyze_view::{AnalysisManner, NamedMove, json};

/// A player's games beside a repertoire. Scores are the mover's.
#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Review"))]
pub struct ReviewForPrograms<'a> {
    analysis: i64,
    #[serde(flatten, serialize_with = "json::root")]
    #[cfg_attr(feature = "contract", schemars(with = "json::RootOfGame"))]
    game: &'a Game,
    #[serde(flatten)]
    made_of: AnalysisManner<'a>,
    /// The tree was grown with other directives.
    #[serde(skip_serializing_if = "json::is_false")]
    pending: bool,
    /// Null if the games are a side's.
    player: Option<&'a str>,
    /// Other names that may be the player's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<NameForPrograms<'a>>,
    /// Own moves that lose more centipawns are not in the repertoire.
    sound: u32,
    positions: PositionsOfSides,
    counts: CountsForPrograms,
    places: Vec<PlaceForPrograms<'a>>,
    /// In the order of the file.
    reviewed: Vec<GameReviewed<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "PlayerName"))]
struct NameForPrograms<'a> {
    name: &'a str,
    games: u64,
}

/// Null if no game has that side.
#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
struct PositionsOfSides {
    white: Option<usize>,
    black: Option<usize>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "ReviewCounts"))]
struct CountsForPrograms {
    games: usize,
    elsewhere: usize,
    stayed: usize,
    player: usize,
    opponent: usize,
    end: usize,
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "PlaceLeft"))]
struct PlaceForPrograms<'a> {
    games: usize,
    /// From the start of the game.
    #[serde(serialize_with = "json::line")]
    #[cfg_attr(feature = "contract", schemars(with = "Vec<String>"))]
    line: &'a [UciMove],
    #[serde(flatten)]
    left: LeftForPrograms<'a>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
struct GameReviewed<'a> {
    /// In the file, from 1.
    number: usize,
    white: Option<&'a str>,
    black: Option<&'a str>,
    date: Option<&'a str>,
    result: Option<&'a str>,
    /// True if it reached the repertoire.
    came: bool,
    /// Null if it did not leave.
    left: Option<LeftForPrograms<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Left"))]
struct LeftForPrograms<'a> {
    by: LeftBy,
    /// Moves of the game played before.
    ply: usize,
    epd: String,
    played: NamedMove,
    tree: Option<ComparedForPrograms>,
    engine: Option<ComparedForPrograms>,
    right: &'a [RightMove],
    /// The first of them, and the tree's line behind it.
    #[serde(rename = "line_of_right", serialize_with = "json::line")]
    #[cfg_attr(feature = "contract", schemars(with = "Vec<String>"))]
    line: &'a [UciMove],
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Compared"))]
struct ComparedForPrograms {
    played: Value,
    best: Value,
    /// Centipawns.
    cost: u32,
}

impl From<Compared> for ComparedForPrograms {
    fn from(compared: Compared) -> ComparedForPrograms {
        let Compared { played, best } = compared;
        ComparedForPrograms { played, best, cost: compared.cost() }
    }
}

/// Writes a review as one JSON object; `"format": 1` names the format.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_review_json(review: &Review<'_>, out: &mut dyn Write) -> io::Result<()> {
    let places = review.places();
    let [white, black] = review.positions;
    let told = ReviewForPrograms {
        analysis: review.tree.row.id.0,
        game: &review.tree.game,
        made_of: AnalysisManner::of(&review.tree.row),
        pending: review.tree.is_pending(),
        player: review.player.as_deref(),
        also: review
            .also
            .iter()
            .map(|(name, games)| NameForPrograms { name, games: *games })
            .collect(),
        sound: review.sound,
        positions: PositionsOfSides { white, black },
        counts: counts(review),
        places: places.iter().map(place).collect(),
        reviewed: review.games.iter().map(game).collect(),
    };
    json::write_json(&told, out)
}

fn counts(review: &Review<'_>) -> CountsForPrograms {
    let counts = review.counts();
    CountsForPrograms {
        games: review.games.len(),
        elsewhere: counts.elsewhere,
        stayed: counts.stayed,
        player: counts.by_player,
        opponent: counts.by_opponent,
        end: counts.at_end,
    }
}

fn place<'a>(place: &PlaceLeft<'a>) -> PlaceForPrograms<'a> {
    let moves = place.first.written.game.moves();
    let line = moves.get(..place.departure.ply).unwrap_or_default();
    PlaceForPrograms { games: place.games, line, left: left(place.departure) }
}

fn game(game: &ReviewedGame) -> GameReviewed<'_> {
    let heading = &game.written.heading;
    GameReviewed {
        number: game.written.number,
        white: heading.tag("White"),
        black: heading.tag("Black"),
        date: heading.tag("Date"),
        result: heading.result.as_deref().or(heading.tag("Result")),
        came: !matches!(game.course, Course::Elsewhere),
        left: game.course.departure().map(left),
    }
}

fn left(departure: &Departure) -> LeftForPrograms<'_> {
    LeftForPrograms {
        by: departure.by,
        ply: departure.ply,
        epd: epd_of(&departure.position),
        played: NamedMove::of(&departure.position, departure.played),
        tree: departure.by_tree.map(Into::into),
        engine: departure.by_engine.map(Into::into),
        right: &departure.right,
        line: &departure.line,
    }
}
